package main

import "syscall"

// errBrokenPipe is the error of writing to a pipe whose reader is closed, in the words of Plan 9's kernel.
var errBrokenPipe = syscall.NewError("i/o on hungup channel")
