package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The page is the same in a file and on standard output and for any number of workers,
// except for the command line in it.
func TestReportPage(t *testing.T) {
	source, err := filepath.Abs(iris)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	code, stdout, stderr := do(t, "", "report", "-o", "page.html", "-k", "3", "-scale", "zscore", source)
	if code != 0 || !strings.Contains(stdout, "page.html: 3 prototypes explain ") ||
		stderr != "" {
		t.Fatalf("%d, %q, %q", code, stdout, stderr)
	}
	page, err := os.ReadFile("page.html")
	if err != nil {
		t.Fatal(err)
	}
	command := "softkmeans report -o page.html -k 3 -scale zscore " + source
	if !bytes.HasPrefix(page, []byte("<!doctype html>")) || !bytes.Contains(page,
		[]byte("<code>"+command+"</code>")) || !bytes.Contains(page, []byte("<h1>iris.csv</h1>")) {
		t.Errorf("%.300s", page)
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) != 1 {
		t.Errorf("there are %d files, %v", len(entries), err)
	}
	code, stdout, stderr = do(t, "", "report", "-o", "-", "-k", "3", "-scale",
		"zscore", "-workers", "1", source)
	if code != 0 || stderr != "" {
		t.Fatalf("%d, %q", code, stderr)
	}
	if want := strings.ReplaceAll(string(page), command,
		"softkmeans report -o - -k 3 -scale zscore -workers 1 "+source); stdout != want {
		t.Error("standard output has another page")
	}
}

// Without -k the floors propose it, or an error says why they do not.
func TestReportNumber(t *testing.T) {
	code, stdout, stderr := do(t, "", "report", "-o", "-", "-label", "1", iris)
	if code != 0 || !strings.Contains(stdout, "2 prototypes explain ") ||
		!strings.Contains(stdout, "k = 2, as proposed") {
		t.Errorf("%d, %q, %.300s", code, stderr, stdout)
	}
	t.Chdir(t.TempDir())
	writeText(t, "old.html", "precious")
	code, stdout, stderr = do(t, "1,0\n0,1\n-1,0\n0,-1\n", "report", "-o", "old.html")
	if code != 1 || stdout != "" || !strings.Contains(stderr, "<stdin>: no k is proposed: no direction stands out") || !strings.Contains(stderr, "give -k N") {
		t.Errorf("%d, %q, %q", code, stdout, stderr)
	}
	if text, err := os.ReadFile("old.html"); err != nil || string(text) != "precious" {
		t.Errorf("the old page is %q, %v", text, err)
	}
}

// -classes has the classes of the rows, in their order.
func TestReportClasses(t *testing.T) {
	labels := strings.Replace(iris, "iris.csv", "iris.labels.csv", 1)
	code, stdout, stderr := do(t, "", "report", "-o", "-", "-k", "3", "-classes", labels, iris)
	_, rest, found := strings.Cut(stdout, "<caption>Rows by class")
	if code != 0 || !found || !strings.Contains(rest, `<th scope="row" class="words">0</th><td>0</td><td>0</td><td>50</td>`+
		`<td>50</td>`) {
		t.Errorf("%d, %q, %.2000s", code, stderr, rest)
	}
	short := filepath.Join(t.TempDir(), "short.csv")
	writeText(t, short, "a\nb\n")
	for _, c := range []struct {
		file, want string
		code       int
	}{{short, short + ": classes of 2 rows, but " + iris + " has 150 rows", exitFailure},
		{"nothing.csv", "nothing.csv", exitFailure}, {"-", "-classes -: must be a file", exitUsage}} {
		if code, _, stderr := do(t, "", "report", "-o", "-", "-k", "3", "-classes", c.file,
			iris); code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: %d, %q", c.file, code, stderr)
		}
	}
	if code, _, stderr := do(t, "", "report", "-o", "-", "-classes", labels, "-label", "1",
		iris); code != exitUsage || !strings.Contains(stderr, "give one") {
		t.Errorf("%d, %q", code, stderr)
	}
}

func TestReportUsage(t *testing.T) {
	for _, f := range []failure{
		{"-k 3", 2, "-o is missing"},
		{"-o - -k 0", 2, "must be a whole number, at least 1, or auto"},
		{"-o - -k 65", 2, "-k 65: a page shows at most 64 prototypes"},
		{"-o - -slack 0", 2, "must be a number above 0"},
		{"-o - -image 8", 2, "such as 8x8"},
		{"-o - -image 8x8,negative", 2, "only transpose and invert can follow"},
		{"-o - -image 99999x9999999999", 2, "such as 8x8"},
		{"-o - -memberships -", 2, "-memberships -: standard output is already taken"},
		{"-o " + iris, 2, "would overwrite the data"},
		{"-o - -k 2 -image 3x3", 1, "-image 3x3 needs 9 columns, not 4"},
	} {
		f.args = "report " + f.args + " " + iris
		f.check(t)
	}
}

func TestCommandLine(t *testing.T) {
	if got := commandLine([]string{"a", "", "it's", "x y", "ü", "-k=3", "$HOME", "a\tb",
		"it's\x01\xff \u202e\\\""}); got !=
		`a '' 'it'\''s' 'x y' ü -k=3 '$HOME' $'a\tb' $'it\'s\x01\xff \u202e\\\"'` {
		t.Error(got)
	}
}

// TestConstantColumns keeps columns with one number, as of pixels, similarities, materials, known prototypes
// and rows that may be nearer to 0. Their spread of 0 scales nothing.
func TestConstantColumns(t *testing.T) {
	t.Chdir(t.TempDir())
	pixels, spectra, known := "a,b,c,d\n", "band,rock,flat,soil\n", "id,a,b,c,d\n"
	like := "id,a,b,c,d,e,f\n"
	for i := range 8 {
		pixels += fmt.Sprintf("%d,%d,255,%d\n", i*3%8, i*i%7, i*5%8)
		spectra += fmt.Sprintf("%d,0.%d,0.5,0.%d\n", i, i*i%7+1, i*3%8+1)
		known += fmt.Sprintf("p%d,%d,%d,%d,255\n", i, i*3%8, i*i%7, i*5%8)
	}
	for i := range 6 {
		like += string(rune('a' + i))
		for j := range 6 {
			if i == j || i == 2 || j == 2 {
				like += ",1"
			} else {
				like += ",0.5"
			}
		}
		like += "\n"
	}
	writeText(t, "pixels.csv", pixels)
	writeText(t, "spectra.csv", spectra)
	writeText(t, "known.csv", known)
	writeText(t, "like.csv", like)
	for _, test := range []struct{ args, want string }{
		{"fit -k 2 pixels.csv", "8 rows, 4 columns"},
		{"fit -k 2 -scale zscore pixels.csv", "8 rows, 4 columns"},
		{"report -k 2 -image 2x2 -o p.html pixels.csv", "p.html"},
		{"evaluate -materials spectra.csv spectra.csv", "flat"},
		{"fit -k 2 -kernel matrix like.csv", "6 rows, 6 columns"},
		{"fit -k 2 -sum at-most-one pixels.csv", "8 rows, 4 columns"},
		{"certify -centers known.csv -sum at-most-one pixels.csv", "8 rows, 4 columns"},
		{"predict -centers known.csv -o o.csv pixels.csv", "4 columns joined by name"},
	} {
		if code, out, stderr := do(t, "", strings.Fields(test.args)...); !strings.Contains(out, test.want) {
			t.Errorf("%s: code %d, %s%s", test.args, code, out, stderr)
		}
	}
}
