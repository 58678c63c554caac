//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A signal ends the program, and unfinished files are removed. Signals that are ignored
// at the start stay ignored, as with nohup.
func TestSignals(t *testing.T) {
	for name, sig := range map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM,
		"HUP": syscall.SIGHUP, "XCPU": syscall.SIGXCPU} {
		for _, ignored := range []bool{false, true} {
			if ignored && (name == "TERM" || name == "XCPU") || !ignored && signal.Ignored(sig) {
				continue
			}
			dir := inputs(t)
			before := files(t, dir)
			c := process(t, strings.Fields("predict -model good.json -o out.csv -")...)
			if ignored {
				c.Args = append([]string{"sh", "-c", `trap "" ` + name + `; exec "$@"`, "sh", c.Path},
					c.Args[1:]...)
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
			c.Process.Signal(sig)
			if ignored {
				io.WriteString(in, "1,2\n")
				in.Close()
			}
			late := time.AfterFunc(time.Minute, func() { c.Process.Kill() })
			err = c.Wait()
			late.Stop()
			_, missing := os.Stat("out.csv")
			left := strings.Contains(files(t, dir), ".tmp")
			switch {
			case left:
				t.Errorf("%s: the folder has\n%s", name, files(t, dir))
			case ignored && (err != nil || missing != nil):
				t.Errorf("%s, ignored: %v, %v, %q", name, err, missing, &stderr)
			case !ignored && (c.ProcessState.ExitCode() != 1 || missing == nil ||
				!strings.Contains(stderr.String(), "interrupted")):
				t.Errorf("%s: %v, %v, %q", name, err, missing, &stderr)
			}
		}
	}
}
