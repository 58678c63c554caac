//go:build !unix

package main

import (
	"os"
	"syscall"
)

func ignoreBrokenPipe() {} // this system has no such signal

func endings() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }
