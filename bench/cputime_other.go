//go:build !unix

package main

func cpuTime() float64 { return wallTime() }
