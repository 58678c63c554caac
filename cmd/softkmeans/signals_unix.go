//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// ignoreBrokenPipe makes writing to a closed pipe an error. By default it ends the
// process, which would leave unfinished files.
func ignoreBrokenPipe() { signal.Ignore(syscall.SIGPIPE) }

// endings returns the signals that interrupt the program, without those that its
// parent ignores: nohup ignores SIGHUP, a shell SIGINT for background commands.
func endings() []os.Signal {
	list := []os.Signal{syscall.SIGTERM, syscall.SIGXCPU} // SIGXCPU: the limit of ulimit -t is near
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			list = append(list, s)
		}
	}
	return list
}
