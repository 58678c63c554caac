//go:build unix

package main

import "syscall"

// cpuTime is the seconds of processor time of this process so far, on all threads.
func cpuTime() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return wallTime()
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// peakMemory is the most memory that this process had, in MB where the system counts in kB, as Linux does.
func peakMemory() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Maxrss) / 1024
}
