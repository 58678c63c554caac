package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

// After any failure the folder is unchanged.
func TestFailureLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	old, fresh := filepath.Join(dir, "old.csv"), filepath.Join(dir, "fresh.csv")
	writeText(t, old, "precious")
	before := files(t, dir)
	good := func() io.Reader { return strings.NewReader(readFile(t, iris)) }
	broken := iotest.ErrReader(errors.New("disk on fire"))
	over, cancel := context.WithCancel(context.Background())
	cancel()
	for _, test := range []struct {
		name string
		ctx  context.Context
		in   func() io.Reader
		out  io.Writer
		want string
	}{
		{"bad value", t.Context(), func() io.Reader {
			return strings.NewReader("1,2\n3,x\n" +
				strings.Repeat("5,1\n2,1\n", 5))
		}, io.Discard, "<stdin>:2:2: "},
		{"bad reader", t.Context(), func() io.Reader { return io.MultiReader(good(), broken) },
			io.Discard, "<stdin>: disk on fire"},
		{"report not written", t.Context(), good, fullDisk, "disk full"},
		{"interrupted", over, good, io.Discard, "interrupted"},
	} {
		for _, path := range []string{old, fresh} {
			var stderr bytes.Buffer
			code := run(test.ctx, []string{"fit", "-k", "2", "-o", path}, test.in(), test.out, &stderr)
			if code != 1 || !strings.HasPrefix(stderr.String(), "softkmeans: "+test.want) {
				t.Errorf("%s: code %d, %q", test.name, code, &stderr)
			}
			if after := files(t, dir); after != before {
				t.Errorf("%s: the folder has\n%s, before\n%s", test.name, after, before)
			}
		}
	}
}

// A replaced file keeps its mode and its links. A device is written to, not replaced.
func TestOutputKinds(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" || runtime.GOOS == "js" {
		t.Skip("no modes and links here")
	}
	dir := t.TempDir()
	file, link := filepath.Join(dir, "g.csv"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(file, nil, 0o600), os.Chmod(file, 0o666)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("g.csv", link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, os.DevNull} {
		if code, _, stderr := do(t, "", "fit", "-k", "2", iris, "-o", path); code != 0 {
			t.Fatal(stderr)
		}
	}
	info, err := os.Lstat(file)
	if err != nil || info.Mode() != 0o666 || info.Size() < 150 {
		t.Errorf("the file: %v, %v", info, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link: %v, %v", info, err)
	}
	if info, err := os.Lstat(os.DevNull); err != nil || info.Mode()&os.ModeDevice == 0 {
		t.Fatalf("the null device: %v, %v", info, err)
	}
}

// Two outputs cannot be the same file, and none can be the data, under any name.
func TestOutputNames(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" || runtime.GOOS == "js" {
		t.Skip("no links here")
	}
	dir := inFolder(t, "1,2\n3,4\n5,7\n")
	for _, err := range []error{os.Mkdir("sub", 0o777), os.Symlink("sub", "link"), os.Link("data.csv", "hard.csv"), os.Symlink("data.csv", "soft.csv")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	before := files(t, dir) + files(t, "sub")
	for args, want := range map[string]string{
		"-o a.csv -centers ./a.csv":                      "-o and -centers name the same file",
		"-o a.csv -centers sub/../a.csv":                 "-o and -centers name the same file",
		"-o a.csv -model " + filepath.Join(dir, "a.csv"): "-o and -model name the same file",
		"-centers sub/a.csv -model link/a.csv":           "-centers and -model name the same file",
		"-o - -model -":                                  "standard output is already taken",
		"-o hard.csv":                                    "-o hard.csv would overwrite the data",
		"-centers soft.csv":                              "-centers soft.csv would overwrite the data",
		"-model link/../data.csv":                        "-model link/../data.csv would overwrite the data",
	} {
		code, stdout, stderr := do(t, "",
			append(strings.Fields("fit -k 2 data.csv"), strings.Fields(args)...)...)
		if code != 2 || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: code %d, %q", args, code, stderr)
		}
		if after := files(t, dir) + files(t, "sub"); after != before {
			t.Fatalf("%s: the folder has\n%s", args, after)
		}
	}
}

// If -o names the file of standard output, the report does not go there.
func TestOutputIsStdout(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" {
		t.Skip("no such files here")
	}
	inFolder(t, "1,2\n3,4\n5,7\n")
	must(t, strings.Fields("fit -k 2 -o want.csv data.csv")...)
	c := process(t, strings.Fields("fit -k 2 -o ./out.csv data.csv")...)
	out, err := os.Create("out.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	var stderr bytes.Buffer
	c.Stdout, c.Stderr = out, &stderr
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	if got, want := readFile(t, "out.csv"), readFile(t, "want.csv"); got != want ||
		!strings.Contains(stderr.String(), "prototypes explain") {
		t.Errorf("the file: %q\nstandard error: %q", got, &stderr)
	}
}
