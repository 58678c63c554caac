package main

// The share of the machine that other programs used during a measurement.

import (
	"math"
	"os"
	"strconv"
	"strings"
)

// processorTime is the system's counts so far, in ticks.
type processorTime struct {
	all, idle, own float64
	ok             bool // the system has /proc, as Linux does
}

// readProcessorTime counts this process and those of the given ids as own.
func readProcessorTime(ids ...int) (p processorTime) {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return p
	}
	line, _, _ := strings.Cut(string(stat), "\n")
	fields := strings.Fields(line)
	if len(fields) < 9 || fields[0] != "cpu" {
		return p
	}
	for i, f := range fields[1:9] { // user nice system idle iowait irq softirq steal
		v, err := strconv.ParseFloat(f, 64)
		if err != nil {
			return p
		}
		p.all += v
		if i == 3 || i == 4 {
			p.idle += v
		}
	}
	for _, id := range append(ids, os.Getpid()) {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(id) + "/stat")
		if err != nil {
			return p
		}
		// The name, which may hold anything, ends at the last parenthesis; then
		// the state is field 3, utime and stime are 14 and 15.
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(fields) < 13 {
			return p
		}
		for _, f := range fields[11:13] {
			v, err := strconv.ParseFloat(f, 64)
			if err != nil {
				return p
			}
			p.own += v
		}
	}
	p.ok = true
	return p
}

// others is the share of all processors that other programs, and a hypervisor, used
// between two readings; NaN if it was not measured.
func others(from, to processorTime) float64 {
	all := to.all - from.all
	if !from.ok || !to.ok || !(all > 0) {
		return math.NaN()
	}
	return min(max((all-(to.idle-from.idle)-(to.own-from.own))/all, 0), 1)
}
