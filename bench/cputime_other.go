//go:build !unix

package main

func cpuTime() float64 { return wallTime() }

// peakMemory is not known here.
func peakMemory() float64 { return 0 }
