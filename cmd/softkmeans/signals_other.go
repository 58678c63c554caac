//go:build !unix

package main

import (
	"os"
	"syscall"
)

func ignoreBrokenPipe() {} // there is no such signal

// endings are the signals that ask for an end.
func endings() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }
