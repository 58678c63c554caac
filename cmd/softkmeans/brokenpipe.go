//go:build !plan9

package main

import "syscall"

// errBrokenPipe is of a write to a pipe that nobody reads.
var errBrokenPipe error = syscall.EPIPE
