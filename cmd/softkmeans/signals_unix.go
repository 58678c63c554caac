//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// ignoreBrokenPipe has a write to a pipe that nobody reads fail. By default it
// ends the process there, which would leave unfinished files.
func ignoreBrokenPipe() { signal.Ignore(syscall.SIGPIPE) }

// endings are the signals that ask for an end, but for those that whoever started
// the program wants ignored: nohup that of a closed terminal, a shell Ctrl-C for what
// it runs in the background.
func endings() []os.Signal {
	list := []os.Signal{syscall.SIGTERM, syscall.SIGXCPU} // the latter: ulimit -t is about to end it
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			list = append(list, s)
		}
	}
	return list
}
