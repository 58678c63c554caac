package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"softkmeans/internal/npy"
)

// certifyPiped checks that the files are certified with an objective of 0, whichever of
// them is standard input.
func certifyPiped(t *testing.T, flags string, paths ...string) {
	t.Helper()
	for piped := range 4 { // 3: none
		names := slices.Clone(paths)
		stdin := ""
		if piped < 3 {
			stdin, names[piped] = readFile(t, paths[piped]), "-"
		}
		args := append([]string{"certify", names[0], "-centers", names[1], "-memberships", names[2]},
			strings.Fields(flags)...)
		code, text, stderr := do(t, stdin, args...)
		if code != 0 || stderr != "" || !near(value(t, text, "objective"), 0, 1e-20) ||
			!strings.Contains(text, "\nCertified: ") {
			t.Errorf("%q: code %d, %s\n%s", args, code, stderr, text)
		}
	}
}

// Centers and memberships may come from any program: columns by name or position, with
// or without labels, as CSV, .npy or gzip, from a file or a pipe. The rows are exact
// mixtures of the centers.
func TestCertifyFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string { return writeText(t, filepath.Join(dir, name), text) }
	array := func(name string, rows, cols int, values ...float64) string {
		var b bytes.Buffer
		if err := errors.Join(npy.WriteHeader(&b, rows, cols), npy.WriteValues(&b, values)); err != nil {
			t.Fatal(err)
		}
		return write(name, b.String())
	}
	x := write("x.csv", "a,b\n0,0\n4,0\n0,4\n1,2\n")
	years := write("years.csv", "2001;2002\n0;0\n4;0\n0;4\n1;2\n")
	bare := write("bare.csv", "0,0\n4,0\n0,4\n1,2\n")
	named := write("named.csv", "a,b\n0,0\n4,0\n0,4\n")
	other := write("other.csv", "b,a\n0,0\n0,4\n4,0\n")
	more := write("more.csv", "b,z,a\n0,9,0\n0,9,4\n4,9,0\n")
	strange := write("strange.csv", "u,v\n0,0\n4,0\n0,4\n")
	plain := write("plain.csv", "0\t0\n4\t0\n0\t4\n")
	turned := write("turned.csv", "2002,2001\n0,0\n0,4\n4,0\n")
	first := write("c.csv", "c2,c1\n0,0\n0,4\n4,0\n")
	g := write("g.csv", "1,0,0\n0,1,0\n0,0,1\n.25,.25,.5\n")
	fits := write("fits.csv", "label,p0,p1,p2\n0,1,0,0\n1,0,1,0\n2,0,0,1\n2,.25,.25,.5\n")
	mixed := write("mixed.csv", "p2,x,p0,p1\n0,7,1,0\n0,7,0,1\n1,7,0,0\n.5,7,.25,.25\n")
	words := write("words.csv", "q1,q2,label,q3\n1,0,setosa,0\n0,1,other,0\n0,0,setosa,1\n.25,.25,z,.5\n")
	labelled := write("labelled.csv", "q1,q2,label,q3\n1,0,3,0\n0,1,3,0\n0,0,3,1\n.25,.25,3,.5\n")
	many := write("many.csv", "label,p0,p1,p2,p3\n0,1,0,0,9\n1,0,1,0,9\n2,0,0,1,9\n2,.25,.25,.5,9\n")
	centers := array("f.npy", 3, 2, 0, 0, 4, 0, 0, 4)
	shares := array("g.npy", 4, 3, 1, 0, 0, 0, 1, 0, 0, 0, 1, .25, .25, .5)
	packed := func(path string) string {
		return write(filepath.Base(path)+".gz", gzipped(t, readFile(t, path)))
	}
	for _, test := range []struct {
		data, centers, memberships string
		flags                      string
	}{
		{x, named, g, ""}, {x, other, g, ""}, {x, more, g, ""}, {x, strange, g, ""}, {x, plain, g, ""},
		{x, centers, shares, ""}, {bare, plain, g, ""}, {bare, first, g, ""}, {bare, named, fits, ""},
		{packed(x), packed(other), packed(words), ""}, {x, packed(centers), packed(shares), ""},
		{years, turned, fits, "-header yes"}, {years, plain, fits, "-header yes -delimiter ;"},
		{x, named, fits, ""}, {x, named, mixed, ""}, {x, named, words, ""},
		{x, named, labelled, ""}, {x, named, many, ""},
	} {
		certifyPiped(t, test.flags, test.data, test.centers, test.memberships)
	}
}

// A column of labels, from 0 or from 1, gives memberships of 0 and 1.
func TestCertifyLabels(t *testing.T) {
	inFolder(t, "0,0\n4,0\n0,4\n1,2\n")
	writeText(t, "f.csv", "0,0\n4,0\n0,4\n")
	writeText(t, "g.csv", "1,0,0\n0,1,0\n0,0,1\n0,0,1\n")
	writeText(t, "zero.csv", "0\n1\n2\n2\n")
	writeText(t, "one.csv", "label\n1\n2\n3\n3\n")
	_, want, _ := do(t, "", "certify", "-centers", "f.csv", "-memberships", "g.csv", "data.csv")
	if !strings.Contains(want, "as in k-means") || value(t, want, "objective") != 5 {
		t.Error(want)
	}
	for _, name := range []string{"zero.csv", "one.csv"} {
		code, text, stderr := do(t, "", "certify", "-centers", "f.csv", "-memberships", name, "data.csv")
		if code != 1 || stderr != "" || text != strings.Replace(want, "g.csv", name, 1) {
			t.Errorf("%s: code %d, %s\n%s", name, code, stderr, text)
		}
	}
	for _, test := range []struct{ text, want string }{
		{"0\n1\n2\n3\n", "bad.csv: row 1 has the label 0, but f.csv has 3 prototypes; labels are numbers " +
			"from 0 to 2, or from 1 to 3\n"},
		{"0\n1\n2\n4\n", "bad.csv: row 4 has the label 4,"},
		{"0\n1\n-1\n2\n", "bad.csv: row 3 has the label -1,"},
		{"0\n1\n1.5\n2\n", "bad.csv: row 3 has the label 1.5,"},
	} {
		writeText(t, "bad.csv", test.text)
		if code, _, stderr := do(t, "", "certify", "-centers", "f.csv", "-memberships", "bad.csv",
			"data.csv"); code != 1 || !strings.HasPrefix(stderr, "softkmeans: "+test.want) {
			t.Errorf("%q: code %d, %s", test.text, code, stderr)
		}
	}
}

// No content of the files of centers and memberships panics.
func FuzzSideFiles(f *testing.F) {
	for _, s := range []string{"p0,p1\n1,0\n0.5,0.5\n0,1\n", "label\n0\n1\n2\n", "1,2\n3,4\n",
		"x,label,y\n1,0,2\n", "y,x\n1,2\n", "1\n2\n1\n"} {
		f.Add(s, s)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, centers, memberships string) {
		t.Chdir(dir)
		for name, text := range map[string]string{"x.csv": "x,y\n1,2\n3,4\n5,7\n",
			"c.csv": centers, "m.csv": memberships} {
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		var stdout, stderr strings.Builder
		code := run(t.Context(), strings.Fields("certify -json -centers c.csv -memberships m.csv x.csv"), nil,
			&stdout, &stderr)
		if code > 1 || code < 0 || code == 0 && stderr.Len() > 0 || code == 1 && stdout.Len() == 0 &&
			!strings.HasPrefix(stderr.String(), "softkmeans: ") || strings.Contains(stdout.String(), "NaN") {
			t.Errorf("code %d, %s, %s", code, &stdout, &stderr)
		}
	})
}
