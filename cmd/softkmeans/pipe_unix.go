//go:build unix

package main

import (
	"os/signal"
	"syscall"
)

// ignoreBrokenPipe has a write to a pipe that nobody reads fail. By default it
// ends the process there, which would leave unfinished files.
func ignoreBrokenPipe() { signal.Ignore(syscall.SIGPIPE) }
