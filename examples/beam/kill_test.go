//go:build unix

package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// ofKilled matches the temporary files of a job that was killed by SIGKILL.
var ofKilled = regexp.MustCompile(
	`^(memberships/[abc]\.csv|model\.json|report\.txt)\.[0-9a-f]{16}-[0-9a-f]{8}\.tmp$`)

// A job that replaces a result may be ended at any moment. Then every file is the old or
// the new one, byte for byte, and with a report the result is one of the two. A job that
// is asked to end leaves no temporary file. A job that is killed may, and the next job
// with -overwrite succeeds.
//
// With SOFTKMEANS_LONG there are 120 runs, without it 8.
func TestKilled(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	in, out := put(t, "a.csv", shardA, "b.csv", shardB, "c.csv", strings.Repeat("1,2\n3,5\n2,2\n", 3000)), t.TempDir()
	args := []string{"-k", "2", "-plain", "-overwrite", "-out", out}
	shards := []string{in + "/a.csv", in + "/b.csv", in + "/c.csv"}
	result := func(more ...string) map[string]string {
		must(t, append(append(args, more...), shards...)...)
		return texts(t, out)
	}
	old, fresh := result("-enclosure", "tight"), result()
	if len(old) != 5 || len(fresh) != 5 || old["model.json"] == fresh["model.json"] {
		t.Fatalf("%d files, %d files", len(old), len(fresh))
	}
	process := func() *exec.Cmd {
		c := exec.Command(program, append(args, shards...)...)
		c.Env = append(os.Environ(), "BEAM_TEST_MAIN=1")
		return c
	}
	from := time.Now()
	if err := process().Run(); err != nil {
		t.Fatal(err)
	}
	took := time.Since(from)
	rng := rand.New(rand.NewPCG(20, 26))
	runs := 8
	if os.Getenv("SOFTKMEANS_LONG") != "" {
		runs = 120
	}
	seen := map[string]int{}
	for n := range runs {
		signal := []os.Signal{os.Kill, syscall.SIGTERM, os.Kill, os.Interrupt}[n%4]
		restore(t, out, old)
		c := process()
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(took*2/5 + time.Duration(rng.Int64N(int64(took)*4/5))) // Beam alone takes a while to begin
		c.Process.Signal(signal)
		c.Wait()

		what := fmt.Sprintf("run %d: %v", n, c.ProcessState)
		state, temporary := stateOf(t, what, texts(t, out), old, fresh)
		if code := c.ProcessState.ExitCode(); temporary > 0 && signal != os.Kill || code == exitOK && state != "new" || code > 1 {
			t.Errorf("%s: the result is %s, with %d temporary files", what, state, temporary)
		}
		if seen[state]++; temporary > 0 {
			seen["with temporary files"]++
		}
		must(t, append(args, shards...)...)
		again := texts(t, out)
		maps.DeleteFunc(again, func(name, _ string) bool { return ofKilled.MatchString(name) })
		if !maps.Equal(again, fresh) {
			t.Errorf("%s: the next job has another result", what)
		}
	}
	t.Logf("%.0f ms, %v", took.Seconds()*1000, seen)
}

// restore replaces the content of a folder by files.
func restore(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// stateOf reports whether the files left are the old or the new result, or a part, and
// the number of temporary files. Every file must be an old or a new one.
func stateOf(t *testing.T, what string, left, old, fresh map[string]string) (state string, temporary int) {
	t.Helper()
	for name, text := range left {
		if ofKilled.MatchString(name) {
			temporary++
			delete(left, name)
		} else if text != old[name] && text != fresh[name] {
			t.Errorf("%s: %s is neither old nor new: %.60q", what, name, text)
		}
	}
	switch {
	case maps.Equal(left, old):
		return "old", temporary
	case maps.Equal(left, fresh):
		return "new", temporary
	case left["report.txt"] != "":
		t.Errorf("%s: there is a report, and a part of the result", what)
	}
	return "in part", temporary
}

// texts are the files of a folder and those below it.
func texts(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range tree(t, dir) {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		all[name] = string(text)
	}
	return all
}
