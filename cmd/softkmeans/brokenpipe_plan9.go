package main

import "syscall"

// errBrokenPipe is of a write to a pipe that nobody reads, by what Plan 9's kernel
// says then.
var errBrokenPipe = syscall.NewError("i/o on hungup channel")
