//go:build unix

package main

// This file tests failures of every output of every command: the message names the
// file as the user did, old files are unchanged, and no temporary file is left.

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// writing is a command line and its outputs, in the order in which they are renamed.
type writing struct {
	args    string
	outputs []string
}

var writings = []writing{
	{"fit -k 3 -others no -o m.csv -centers c.csv -model model.json data.csv",
		[]string{"m.csv", "c.csv", "model.json"}},
	{"fit -k 3 -method global -stream yes -o m.csv -model model.json data.csv",
		[]string{"m.csv", "model.json"}},
	{"fit -k 3 -method tilsd -kernel linear -o m.csv -model model.json data.csv",
		[]string{"m.csv", "model.json"}},
	{"predict -model good.json -o m.csv data.csv", []string{"m.csv"}},
	{"floors -o f.csv data.csv", []string{"f.csv"}},
	{"report -k 3 -o page.html data.csv", []string{"page.html"}},
}

// with returns the command line with another name for one of the outputs.
func (w writing) with(output, name string) []string {
	args := strings.Fields(w.args)
	args[slices.Index(args, output)] = name
	return args
}

// writingFolder makes a folder with the data, a model for predict, and an old file for
// every output.
func writingFolder(t *testing.T) (dir string) {
	t.Helper()
	dir = inFolder(t, readFile(t, someRows(t, iris, 6)))
	must(t, strings.Fields("fit -k 2 -model good.json data.csv")...)
	for _, name := range []string{"m.csv", "c.csv", "model.json", "f.csv", "page.html"} {
		writeText(t, name, "the old "+name)
	}
	return dir
}

// unharmed checks that a command failed with that message and changed nothing.
func unharmed(t *testing.T, what string, code int, stderr, want, dir, before string) {
	t.Helper()
	if code != 1 || !strings.HasPrefix(stderr, "softkmeans: "+want) || strings.Count(stderr, "\n") != 1 {
		t.Errorf("%s: code %d, %q, not %q", what, code, stderr, want)
	}
	if after := files(t, dir); after != before {
		t.Fatalf("%s: the folder has\n%s\nbefore\n%s", what, after, before)
	}
}

// An output that cannot be created is an error before the work, a full disk after it.
func TestOutputFaults(t *testing.T) {
	dir := writingFolder(t)
	long := strings.Repeat("n", 256)
	for _, err := range []error{os.Mkdir("folder", 0o777), os.Symlink("loop", "loop"),
		os.Symlink("folder", "tofolder")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	targets := map[string]string{
		"folder":        "is a directory",
		"tofolder":      "is a directory",
		"loop":          "", // in the words of the system
		"nowhere/m.csv": "no such file or directory",
		"data.csv/m":    "not a directory",
		long:            "file name too long",
	}
	if _, err := os.Stat("/dev/full"); err == nil {
		targets["/dev/full"] = "no space left on device"
	}
	before := files(t, dir)
	for _, w := range writings {
		for _, output := range w.outputs {
			for target, want := range targets {
				code, _, stderr := do(t, "", w.with(output, target)...)
				unharmed(t, w.args+", "+output+" is "+target, code, stderr,
					"cannot write "+target+": "+want, dir, before)
			}
		}
	}
	// The longest name that the system allows works.
	most := strings.Repeat("n", 253) + "é"
	for _, w := range writings {
		must(t, strings.Fields(w.args)...)
		for _, output := range w.outputs[:runs(1, len(w.outputs))] {
			want := readFile(t, output)
			must(t, w.with(output, most)...)
			// a page tells its command
			if got := readFile(t, most); got != want && w.outputs[0] != "page.html" ||
				!strings.Contains(got, want[:20]) {
				t.Errorf("%s: %d bytes under a long name, not %d", w.args, len(got), len(want))
			}
			os.Remove(most)
		}
	}
	if left := files(t, dir); strings.Contains(left, ".tmp") {
		t.Error(left)
	}
}

// If a rename fails, as for a full folder or a quota, the message says which files are
// written. The report is written before the renames, so its writer can make them fail.
func TestRenameFaults(t *testing.T) {
	dir := writingFolder(t)
	before := files(t, dir)
	for _, w := range writings {
		for i, output := range w.outputs {
			spoil := writer(func(p []byte) (int, error) {
				return len(p), errors.Join(os.RemoveAll(output), os.MkdirAll(output+"/full", 0o777))
			})
			var stderr bytes.Buffer
			code := run(t.Context(), strings.Fields(w.args), nil, spoil, &stderr)
			said := stderr.String()
			if code != 1 || !strings.HasPrefix(said, "softkmeans: cannot write "+output+": ") ||
				strings.Contains(said, ".tmp") {
				t.Errorf("%s: code %d, %q", w.args, code, said)
			}
			for j, other := range w.outputs {
				if is := strings.Contains(said, "; "+other+" is written"); is != (j < i) {
					t.Errorf("%s: of %s it says %q", w.args, other, said)
				}
				if j > i && readFile(t, other) != "the old "+other ||
					j < i && readFile(t, other) == "the old "+other {
					t.Errorf("%s: %s is %.40q", w.args, other, readFile(t, other))
				}
				os.RemoveAll(other)
				writeText(t, other, "the old "+other)
			}
			if after := files(t, dir); after != before {
				t.Fatalf("%s: the folder has\n%s", w.args, after)
			}
		}
	}
	// The folder is gone.
	if err := os.Mkdir("sub", 0o777); err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	gone := writer(func(p []byte) (int, error) { return len(p), os.RemoveAll("sub") })
	code := run(t.Context(), strings.Fields("fit -k 2 -o sub/m.csv data.csv"), nil, gone, &stderr)
	unharmed(t, "the folder is gone", code, stderr.String(),
		"cannot write sub/m.csv: no such file or directory\n", dir, before)
}

// If the report cannot be written, old files are unchanged. The report goes to standard
// output, or to standard error if the rows go to standard output.
func TestReportNotWritten(t *testing.T) {
	dir := writingFolder(t)
	before := files(t, dir)
	full := writer(func([]byte) (int, error) { return 0, syscall.ENOSPC })
	for _, w := range writings {
		var stderr bytes.Buffer
		code := run(t.Context(), strings.Fields(w.args), nil, full, &stderr)
		unharmed(t, w.args, code, stderr.String(), "no space left on device\n", dir, before)
	}
	if code := run(t.Context(), strings.Fields("fit -k 2 -o - -model model.json -quiet data.csv"), nil,
		io.Discard, full); code != 1 || files(t, dir) != before {
		t.Errorf("code %d, the folder has\n%s", code, files(t, dir))
	}
	for _, args := range []string{"certify -model good.json data.csv",
		"certify -model good.json -json data.csv", "evaluate -labels 1 -truth 2 data.csv data.csv",
		"evaluate -json -labels 1 -truth 2 data.csv data.csv"} {
		var stderr bytes.Buffer
		code := run(t.Context(), strings.Fields(args), nil, full, &stderr)
		unharmed(t, args, code, stderr.String(), "no space left on device\n", dir, before)
	}
}

// shell returns the program as "$@" in a line of the shell.
func shell(t *testing.T, line string, args ...string) *exec.Cmd {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	c := process(t, args...)
	c.Path, c.Args = sh, append([]string{"sh", "-c", line, "sh", c.Path}, args...)
	return c
}

// fails runs a process that must fail.
func fails(c *exec.Cmd) (code int, stderr string) {
	var said bytes.Buffer
	c.Stderr = &said
	c.Run()
	return c.ProcessState.ExitCode(), said.String()
}

// If standard output or standard error is closed at the start, the files are complete:
// the report does not go into the first file that is opened.
func TestClosedStreams(t *testing.T) {
	writingFolder(t)
	for _, w := range writings {
		must(t, strings.Fields(w.args)...)
		want := map[string]string{}
		for _, output := range w.outputs {
			want[output] = readFile(t, output)
		}
		lines := []string{`exec "$@" <&- >&- 2>&-`, `exec "$@" >&-`, `exec "$@" 2>&-`}
		for _, line := range lines[:runs(1, len(lines))] {
			for _, output := range w.outputs {
				writeText(t, output, "the old "+output)
			}
			if code, _ := fails(shell(t, line, strings.Fields(w.args)...)); code != 0 {
				t.Errorf("%s: %s: code %d", w.args, line, code)
			}
			for _, output := range w.outputs {
				if got := readFile(t, output); got != want[output] {
					t.Errorf("%s: %s: %s has %d bytes, not %d", w.args, line,
						output, len(got), len(want[output]))
				}
			}
		}
	}
}

// unprivileged makes the process run as nobody if the test is run by root, who may
// write anything. The program is opened before, since nobody may not reach its folder.
func unprivileged(t *testing.T, c *exec.Cmd) {
	t.Helper()
	if os.Getuid() != 0 {
		return
	}
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("the test is run by root, who may write anything, and cannot open its program for others")
	}
	program, err := os.Open(c.Path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Close() })
	c.ExtraFiles = []*os.File{program}
	c.Path = "/proc/self/fd/3"
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
}

// Nothing is written to a read-only folder or over a read-only file.
func TestReadOnlyFolder(t *testing.T) {
	if testing.CoverMode() != "" {
		t.Skip("coverage writes files of its own")
	}
	dir := writingFolder(t)
	// so that nobody can reach it
	for from := dir; from != os.TempDir() && from != "/"; from = filepath.Dir(from) {
		if err := os.Chmod(from, 0o755); err != nil {
			t.Skip(err)
		}
	}
	defer os.Chmod(dir, 0o755)
	for what, mode := range map[string][2]os.FileMode{"folder": {0o555, 0o666}, "file": {0o777, 0o444}} {
		for i, w := range writings {
			if what == "file" && i > 1 {
				break // as for any output
			}
			for _, output := range w.outputs {
				if err := os.Chmod(output, mode[1]); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Chmod(dir, mode[0]); err != nil {
				t.Fatal(err)
			}
			before := files(t, dir)
			c := process(t, strings.Fields(w.args)...)
			unprivileged(t, c)
			code, stderr := fails(c)
			if code == -1 {
				t.Skip(c.ProcessState)
			}
			unharmed(t, what+": "+w.args, code, stderr, "cannot write "+w.outputs[0]+": permission denied\n",
				dir, before)
		}
		os.Chmod(dir, 0o755)
	}
}
