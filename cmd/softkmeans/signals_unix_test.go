//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A signal that asks for an end takes unfinished files with it, that of a closed
// terminal as well; one that was ignored before the program began stays ignored.
func TestSignals(t *testing.T) {
	for name, signal := range map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "XCPU": syscall.SIGXCPU} {
		for _, ignored := range []bool{false, true} {
			if ignored && (name == "TERM" || name == "XCPU") {
				continue
			}
			dir := inputs(t)
			before := files(t, dir)
			c := process(t, strings.Fields("predict -model good.json -o out.csv -")...)
			if ignored {
				c.Args = append([]string{"sh", "-c", `trap "" ` + name + `; exec "$@"`, "sh", c.Path}, c.Args[1:]...)
				var err error
				if c.Path, err = exec.LookPath("sh"); err != nil {
					t.Skip("no shell")
				}
			}
			in, err := c.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			var stderr bytes.Buffer
			c.Stderr = &stderr
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			for start := time.Now(); files(t, dir) == before; time.Sleep(time.Millisecond) {
				if time.Since(start) > time.Minute {
					t.Fatal("it does not begin")
				}
			}
			c.Process.Signal(signal)
			if ignored {
				io.WriteString(in, "1,2\n")
				in.Close()
			}
			err = c.Wait()
			_, missing := os.Stat("out.csv")
			left := strings.Contains(files(t, dir), ".tmp")
			switch {
			case left:
				t.Errorf("%s: the folder has\n%s", name, files(t, dir))
			case ignored && (err != nil || missing != nil):
				t.Errorf("%s, ignored: %v, %v, %q", name, err, missing, &stderr)
			case !ignored && (c.ProcessState.ExitCode() != 1 || missing == nil || !strings.Contains(stderr.String(), "interrupted")):
				t.Errorf("%s: %v, %v, %q", name, err, missing, &stderr)
			}
		}
	}
}
