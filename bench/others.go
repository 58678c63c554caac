package main

// The share of the machine that other programs used during a measurement.

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
)

// processorTime is the system's counts so far, in ticks; NaN where there is no /proc, which Linux has.
type processorTime struct{ all, idle, own float64 }

// readProcessorTime counts this process and those of the given ids as own.
func readProcessorTime(ids ...int) (p processorTime) {
	p.all = ticks("/proc/stat", 1, 2, 3, 4, 5, 6, 7, 8) // user nice system idle iowait irq softirq steal
	p.idle = ticks("/proc/stat", 4, 5)
	for _, id := range append(ids, os.Getpid()) {
		p.own += ticks(fmt.Sprintf("/proc/%d/stat", id), 11, 12) // utime and stime
	}
	return p
}

// ticks adds up fields of the first line of a file. They count from 0 after the name of a program, which may
// hold anything and ends at the last parenthesis.
func ticks(path string, fields ...int) (sum float64) {
	stat, err := os.ReadFile(path)
	line, _, _ := strings.Cut(string(stat[bytes.LastIndexByte(stat, ')')+1:]), "\n")
	have := strings.Fields(line)
	for _, i := range fields {
		if err != nil || i >= len(have) {
			return math.NaN()
		}
		v, err := strconv.ParseFloat(have[i], 64)
		if err != nil {
			return math.NaN()
		}
		sum += v
	}
	return sum
}

// others is the share of all processors that other programs, and a hypervisor, used
// between two readings; NaN if it was not measured.
func others(from, to processorTime) float64 {
	all := to.all - from.all
	if !(all > 0) {
		return math.NaN()
	}
	return min(max((all-(to.idle-from.idle)-(to.own-from.own))/all, 0), 1)
}
