//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// When to kill a process that replaces its outputs.
const (
	anyTime     = iota // at a random moment of its run
	atTemporary        // as soon as the folder has a temporary file
	atRename           // as soon as the first output is new
	moments
)

// left is what the process leaves that was killed for good: no other name.
var left = regexp.MustCompile(`^(m\.csv|c\.csv|model\.json|f\.csv|page\.html)\.[0-9a-f]{8}\.tmp$`)

// Whenever a process is ended that replaces files, each is the old or the new one,
// byte for byte, and those are new that come first. A signal that asks for an end leaves
// nothing else, and all files old or all new; one that cannot be caught may leave
// temporary files, which do not hinder the next run.
//
// SOFTKMEANS_SOAK has 150 moments a command, where the usual run has 6.
func TestKilled(t *testing.T) {
	dir := writingFolder(t)
	rng := rand.New(rand.NewPCG(20, 26))
	for _, w := range writings {
		args := strings.Fields(w.args)
		old, fresh := map[string]string{}, map[string]string{}
		var took time.Duration
		for range 2 {
			c := process(t, args...)
			from := time.Now()
			if err := c.Run(); err != nil {
				t.Fatal(err)
			}
			took = time.Since(from)
		}
		for _, output := range w.outputs {
			old[output], fresh[output] = "the old "+output, readFile(t, output)
		}
		seen := map[string]int{}
		for n := range soak(6, 150) {
			signal := []os.Signal{os.Kill, syscall.SIGTERM, os.Kill, os.Interrupt, os.Kill, syscall.SIGHUP}[n%6]
			for _, output := range w.outputs {
				writeText(t, output, old[output])
			}
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			before, inode := len(entries), inodeOf(t, w.outputs[0])
			c := process(t, args...)
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- c.Wait() }()
			moment := (n + n/6) % moments
			if moment == anyTime {
				time.Sleep(time.Duration(rng.Int64N(int64(took) * 6 / 5)))
			}
			for moment != anyTime && len(ended) == 0 {
				if moment == atRename && inodeOf(t, w.outputs[0]) != inode {
					break
				}
				if entries, _ := os.ReadDir(dir); moment == atTemporary && len(entries) > before {
					break
				}
			}
			c.Process.Signal(signal)
			<-ended

			what := fmt.Sprintf("%s: %v, run %d: %v", w.args, signal, n, c.ProcessState)
			news := 0
			for i, output := range w.outputs {
				switch readFile(t, output) {
				case fresh[output]:
					if news++; news != i+1 {
						t.Errorf("%s: %s is new, one before it is old", what, output)
					}
				case old[output]:
				default:
					t.Errorf("%s: %s is neither old nor new", what, output)
				}
			}
			var more []string
			entries, err = os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				if name := e.Name(); strings.Contains(name, ".tmp") {
					if more = append(more, name); !left.MatchString(name) {
						t.Errorf("%s: %s is left", what, name)
					}
				}
			}
			state := "between"
			switch news {
			case 0:
				state = "old"
			case len(w.outputs):
				state = "new"
			}
			if signal != os.Kill && (state == "between" || len(more) > 0) {
				t.Errorf("%s: %d of %d files are new, and %q is left", what, news, len(w.outputs), more)
			}
			if code := c.ProcessState.ExitCode(); code == 0 && state != "new" || code == 1 && state != "old" || code > 1 {
				t.Errorf("%s: the files are %s", what, state)
			}
			seen[state]++
			if len(more) > 0 {
				seen["with temporary files"]++
			}
			// With what is left there, the next run does all.
			if n%10 == 2 {
				must(t, args...)
				for _, output := range w.outputs {
					if readFile(t, output) != fresh[output] {
						t.Errorf("%s: %s is not new after another run", what, output)
					}
				}
			}
			for _, name := range more {
				if err := os.Remove(name); err != nil {
					t.Fatal(err)
				}
			}
		}
		t.Logf("%s: %.0f ms, %v", w.args, took.Seconds()*1000, seen)
	}
}

func inodeOf(t *testing.T, name string) uint64 {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return uint64(info.Sys().(*syscall.Stat_t).Ino)
}

// Processes that write the same file at once leave the file of one of them.
func TestSameOutputAtOnce(t *testing.T) {
	dir := writingFolder(t)
	var want []string
	for k := 2; k < 5; k++ {
		must(t, "fit", "-k", fmt.Sprint(k), "data.csv", "-centers", "c.csv")
		want = append(want, readFile(t, "c.csv"))
	}
	before := len(strings.Split(files(t, dir), "\n"))
	done := make(chan error)
	const runs = 6
	for n := range runs {
		c := process(t, "fit", "-k", fmt.Sprint(2+n%3), "-quiet", "data.csv", "-centers", "c.csv")
		go func() { done <- c.Run() }()
	}
	for range runs {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if got := readFile(t, "c.csv"); !slices.Contains(want, got) {
		t.Errorf("%q is of none of them", got)
	}
	if after := len(strings.Split(files(t, dir), "\n")); after != before {
		t.Errorf("the folder has\n%s", files(t, dir))
	}
}
