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
	atTemporary        // when the folder has a temporary file
	atRename           // when the first output is new
	moments
)

// leftOver matches the temporary files that a killed process may leave.
var leftOver = regexp.MustCompile(`^(m\.csv|c\.csv|model\.json|f\.csv|page\.html)\.[0-9a-f]{8}\.tmp$`)

// If a process is killed while it replaces files, each file is the old or the new one,
// byte for byte. The new ones come first. After a signal that can be
// caught all are old or all are new, and no other file is left. After one that
// cannot, temporary files may be left; the next run ignores them.
//
// The usual run kills each command twice, SOFTKMEANS_LONG=1 150 times.
func TestKilled(t *testing.T) {
	dir := writingFolder(t)
	rng := rand.New(rand.NewPCG(20, 26))
	for i, w := range writings {
		k := newKiller(t, dir, w)
		for n := range runs(2, 150) {
			n += 2 * i // another moment and signal for every command
			signal := []os.Signal{os.Kill, syscall.SIGTERM, os.Kill,
				os.Interrupt, os.Kill, syscall.SIGHUP}[n%6]
			pause := time.Duration(rng.Int64N(int64(k.took) * 6 / 5))
			state := k.kill(signal, (n+n/6)%moments, pause)
			k.check(signal, fmt.Sprintf("%s: %v, run %d: %v", w.args, signal, n, state), state.ExitCode())
			if n%10 == 3 {
				k.checkNextRun()
			}
			for _, name := range k.temporary() {
				if err := os.Remove(name); err != nil {
					t.Fatal(err)
				}
			}
		}
		t.Logf("%s: %.0f ms, %v", w.args, k.took.Seconds()*1000, k.seen)
	}
}

// killer kills a command while it replaces its outputs.
type killer struct {
	*testing.T
	writing
	dir        string
	old, fresh map[string]string // what the outputs have before and after a run
	took       time.Duration     // of a run
	seen       map[string]int    // how often the files were left in which state
}

// newKiller runs the command to know its time and its outputs.
func newKiller(t *testing.T, dir string, w writing) *killer {
	k := &killer{T: t, writing: w, dir: dir, old: map[string]string{},
		fresh: map[string]string{}, seen: map[string]int{}}
	c := process(t, strings.Fields(w.args)...)
	from := time.Now()
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	k.took = time.Since(from)
	for _, output := range w.outputs {
		k.old[output], k.fresh[output] = "the old "+output, readFile(t, output)
	}
	return k
}

// kill restores the old outputs, starts the command and sends the signal.
func (k *killer) kill(signal os.Signal, moment int, pause time.Duration) *os.ProcessState {
	for _, output := range k.outputs {
		writeText(k.T, output, k.old[output])
	}
	inode := inodeOf(k.T, k.outputs[0])
	c := process(k.T, strings.Fields(k.args)...)
	if err := c.Start(); err != nil {
		k.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	if moment == anyTime {
		time.Sleep(pause)
	}
	for moment != anyTime && len(ended) == 0 {
		if moment == atRename && inodeOf(k.T, k.outputs[0]) != inode ||
			moment == atTemporary && len(k.temporary()) > 0 {
			break
		}
	}
	c.Process.Signal(signal)
	<-ended
	return c.ProcessState
}

// check checks the outputs and the temporary files.
func (k *killer) check(signal os.Signal, what string, code int) {
	news := 0
	for i, output := range k.outputs {
		switch readFile(k.T, output) {
		case k.fresh[output]:
			if news++; news != i+1 {
				k.Errorf("%s: %s is new, but one before it is old", what, output)
			}
		case k.old[output]:
		default:
			k.Errorf("%s: %s is neither old nor new", what, output)
		}
	}
	temporary := k.temporary()
	for _, name := range temporary {
		if !leftOver.MatchString(name) {
			k.Errorf("%s: %s is left", what, name)
		}
	}
	state := "between"
	switch news {
	case 0:
		state = "old"
	case len(k.outputs):
		state = "new"
	}
	if signal != os.Kill && (state == "between" || len(temporary) > 0) {
		k.Errorf("%s: %d of %d files are new, and %q is left", what, news, len(k.outputs), temporary)
	}
	if code == 0 && state != "new" || code == 1 && state != "old" || code > 1 {
		k.Errorf("%s: the files are %s", what, state)
	}
	k.seen[state]++
	if len(temporary) > 0 {
		k.seen["with temporary files"]++
	}
}

// checkNextRun checks that left temporary files do not disturb the next run.
func (k *killer) checkNextRun() {
	must(k.T, strings.Fields(k.args)...)
	for _, output := range k.outputs {
		if readFile(k.T, output) != k.fresh[output] {
			k.Errorf("%s: %s is not new after another run", k.args, output)
		}
	}
}

// temporary lists the temporary files.
func (k *killer) temporary() (list []string) {
	entries, err := os.ReadDir(k.dir)
	if err != nil {
		k.Fatal(err)
	}
	for _, e := range entries {
		if strings.Contains(e.Name(), ".tmp") {
			list = append(list, e.Name())
		}
	}
	return list
}

func inodeOf(t *testing.T, name string) uint64 {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return uint64(info.Sys().(*syscall.Stat_t).Ino)
}

// If processes write the same file at once, it is that of one of them.
func TestSameOutputAtOnce(t *testing.T) {
	dir := writingFolder(t)
	var want []string
	for k := 2; k < 5; k++ {
		must(t, "fit", "-k", fmt.Sprint(k), "data.csv", "-centers", "c.csv")
		want = append(want, readFile(t, "c.csv"))
	}
	before := len(strings.Split(files(t, dir), "\n"))
	done := make(chan error)
	const processes = 6
	for n := range processes {
		c := process(t, "fit", "-k", fmt.Sprint(2+n%3), "-quiet", "data.csv", "-centers", "c.csv")
		go func() { done <- c.Run() }()
	}
	for range processes {
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
