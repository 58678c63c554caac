//go:build !unix

package main

import "os"

// peakMemory is 0: these systems do not report it.
func peakMemory(*os.ProcessState) int64 { return 0 }
