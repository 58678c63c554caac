//go:build !unix

package main

func ignoreBrokenPipe() {} // there is no such signal
