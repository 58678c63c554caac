package main

// This file tests bad input: every command says what is wrong and where, exits with
// the right code, and writes nothing.

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBadInput(t *testing.T) {
	dir := inputs(t)
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", "there are no rows"},
		{"blank", "\n\n\n", "there are no rows"},
		{"only a header", "height,width\n", "there are no rows"},
		{"ragged, short", "1,2\n3\n5,7\n", ":2: "},
		{"ragged, long", "1,2\n3,4,5\n5,7\n", ":2: "},
		{"text", strings.Repeat("1,2\n3,4\n", 5) + "5,seven\n", ":11:2: "},
		{"text under a header", "height,width\n" + strings.Repeat("1,2\n3,4\n", 5) + "tall,4\n", ":12:1: "},
		{"NaN", "1,2\n3,NaN\n", ": 1 missing value: 1 in column 2 (first on line 2)"},
		{"missing", "height,width\n1,2\n3,\n", `: 1 missing value: 1 in column 2 (width) (first on line 3)`},
		{"NA", "height,width\n1,2\nNA,3\n", `: 1 missing value: 1 in column 1 (height) (first on line 3)`},
		{"infinite", "1,2\n3,Inf\n", ":2:2: "},
		{"out of range", "1,2\n3,1e999\n", ":2:2: "},
		{"quote left open", "1,2\n3,\"4\n", ":2:2: "},
		{"binary", "\x7fELF\x02\x01\x01\x00\x00\x00\x00", ": "},
		{"cut gzip", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff", ": "},
		{"cut npy", "\x93NUMPY\x01\x00\x76\x00{'descr': '<f8', 'fortran_order': False", ": "},
	} {
		path := filepath.Join(dir, "bad.csv")
		if err := os.WriteFile(path, []byte(test.text), 0o666); err != nil {
			t.Fatal(err)
		}
		before := files(t, dir)
		for _, reader := range readers {
			if strings.Contains(test.want, "missing value") &&
				(strings.HasPrefix(reader, "predict") || strings.HasPrefix(reader, "unmix")) {
				continue // which take them
			}
			for _, name := range []string{"bad.csv", "-"} {
				args := strings.Fields(strings.Replace(reader, "DATA", name, 1))
				source := name
				if name == "-" {
					if strings.Contains(reader, "-stream yes") {
						continue
					}
					source = "<stdin>"
				}
				var stdout, stderr bytes.Buffer
				code := run(t.Context(), args, strings.NewReader(test.text), &stdout, &stderr)
				if code != 1 || stdout.Len() > 0 ||
					!strings.HasPrefix(stderr.String(), "softkmeans: "+source+":") ||
					!strings.Contains(stderr.String(), test.want) ||
					strings.Count(stderr.String(), "\n") != 1 {
					t.Errorf("%s: %q: code %d, stdout %q, stderr %q", test.name, args, code, &stdout, &stderr)
				}
				if after := files(t, dir); after != before {
					t.Fatalf("%s: %q: the folder has\n%s", test.name, args, after)
				}
			}
		}
	}
}

// A missing file, a folder and an unreadable file are errors.
func TestNoFile(t *testing.T) {
	dir := inputs(t)
	if err := os.WriteFile("secret.csv", []byte("1,2\n3,4\n"), 0o200); err != nil {
		t.Fatal(err)
	}
	names := []string{"missing.csv", "no/such/file.csv", "."}
	if f, err := os.Open("secret.csv"); err == nil {
		f.Close() // by root, or where there are no such modes
	} else {
		names = append(names, "secret.csv")
	}
	if err := os.Remove("secret.csv"); err != nil {
		t.Fatal(err)
	}
	before := files(t, dir)
	for _, reader := range readers {
		for _, name := range names {
			args := strings.Fields(strings.Replace(reader, "DATA", name, 1))
			code, stdout, stderr := do(t, "", args...)
			if code != 1 || stdout != "" || !strings.Contains(stderr, name) ||
				strings.Count(stderr, "\n") != 1 {
				t.Errorf("%q: code %d, stdout %q, stderr %q", args, code, stdout, stderr)
			}
			if after := files(t, dir); after != before {
				t.Fatalf("%q: the folder has\n%s", args, after)
			}
		}
	}
}

// More centers than rows are an error, before they exceed the memory. If k centers fit
// any rows, the report says so.
func TestTooManyCenters(t *testing.T) {
	dir := inputs(t)
	before := files(t, dir)
	for _, args := range []string{"", "-stream yes", "-method minvol", "-method alternating", "-method lsd",
		"-method tilsd", "-method minvol -stream yes"} {
		for _, k := range []string{"5", "99999999", "2000000000"} {
			code, stdout, stderr := do(t, "", strings.Fields("fit -o out.csv data.csv -k "+k+" "+args)...)
			const want = "give a k of at most the number of rows"
			if code != 1 || stdout != "" || !strings.Contains(stderr, want) {
				t.Errorf("-k %s %s: code %d, %q", k, args, code, stderr)
			}
			if after := files(t, dir); after != before {
				t.Fatalf("-k %s %s: the folder has\n%s", k, args, after)
			}
		}
	}
	if code, stdout, stderr := do(t, "", strings.Fields("report -o out.html -k 5 data.csv")...); code != 1 ||
		stdout != "" || !strings.Contains(stderr, "give a k of at most the number of rows") ||
		files(t, dir) != before {
		t.Errorf("report: code %d, %q", code, stderr)
	}
	for k, want := range map[string]bool{"1": false, "2": false, "3": true, "4": true} {
		report := must(t, "fit", "-k", k, "data.csv")
		if got := strings.Contains(report, k+" clusters explain "); got != want {
			t.Errorf("-k %s: %s", k, report)
		}
	}
}

// A line of 1 GB is an error long before its end.
func TestEndlessLine(t *testing.T) {
	if os.Getenv("SOFTKMEANS_LONG") != "1" {
		t.Skip("reads lines of 64 MB; SOFTKMEANS_LONG=1 runs it")
	}
	for _, text := range []string{"1", "1,", "1.5;", "\"a\"\"", " ", "x"} {
		dir := t.TempDir()
		for _, args := range []string{"fit -k 2 -o " + filepath.Join(dir, "out.csv")} {
			in := &repeat{text, 1 << 30}
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), strings.Fields(args), in, &stdout, &stderr)
			if code != 1 || stdout.Len() > 0 ||
				!strings.HasPrefix(stderr.String(), "softkmeans: <stdin>:1:") {
				t.Errorf("%.10q: %q: code %d, stdout %q, stderr %q", text, args, code, &stdout, &stderr)
			}
			if read := 1<<30 - in.left; read > 200<<20 {
				t.Errorf("%.10q: %d MB were read", text, read>>20)
			}
			if left := files(t, dir); left != "" {
				t.Errorf("%.10q: the folder has %s", text, left)
			}
		}
	}
}

// If the reader of the output closes it, the program exits with an error and removes
// its unfinished files.
func TestClosedPipe(t *testing.T) {
	dir := inputs(t)
	var many strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&many, "%d,%d,%d\n", i%7, i%11, i%13)
	}
	if err := os.WriteFile("many.csv", []byte(many.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	before := files(t, dir)
	for _, args := range []string{
		"fit -k 2 -method global -o - many.csv", "fit -k 2 -o out.csv -model model.json data.csv",
		"fit -k 2 -json -centers c.csv data.csv", "report -k 2 -o - data.csv",
		"report -k 2 -o out.html data.csv", "predict -model good.json data.csv",
		"floors -json -o out.csv data.csv", "certify -centers good-centers.csv data.csv",
		"evaluate -labels label -truth p0 good.csv good.csv", "simulate -size 9x9 s",
		"evaluate -materials good.csv good.csv", "help", "version",
	} {
		c := process(t, strings.Fields(args)...)
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		var stderr bytes.Buffer
		c.Stdout, c.Stderr = w, &stderr
		err = c.Run()
		w.Close()
		if c.ProcessState.ExitCode() != 1 || !strings.HasPrefix(stderr.String(), "softkmeans: ") ||
			strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("%s: %v, %q", args, err, &stderr)
		}
		if after := files(t, dir); after != before {
			t.Fatalf("%s: the folder has %d bytes of files, %d before", args, len(after), len(before))
		}
	}
}
