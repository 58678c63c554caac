//go:build !plan9

package main

import "syscall"

// errBrokenPipe is the error of writing to a pipe whose reader is closed.
var errBrokenPipe error = syscall.EPIPE
