//go:build !unix

package main

import "os"

// peakMemory is 0 where systems do not say it.
func peakMemory(*os.ProcessState) int64 { return 0 }
