package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/rows"
)

// untold removes from a report what a stream does not report, or reports in other words.
func untold(report string) string {
	report = regexp.MustCompile(`(?m)^(  span error|  excess|  repair|  rounding|  largest).*\n`).
		ReplaceAllString(report, "")
	report = regexp.MustCompile(`(?ms)^(Proved: |Every equally small |(Any|No) other ).*?\.\n(Noise is not included\.\n)?`).ReplaceAllString(report, "")
	report = regexp.MustCompile(`(more\s+than|which\s+is|variance\s+and)\s+\S+\d`).ReplaceAllString(report, "$1 X")
	return report[strings.IndexByte(report, ':'):]
}

// A stream has the report and the memberships of a table in memory, from CSV and .npy.
func TestStream(t *testing.T) {
	dir := t.TempDir()
	csvPath, npyPath := writeTables(t, dir, 9000, 4)
	out := filepath.Join(dir, "g.csv")
	var reports []string
	var tables [][][]float64
	for _, path := range []string{csvPath, npyPath} {
		for _, stream := range []string{"no", "yes"} {
			code, report, stderr := do(t, "", "fit", "-v", "-method", "global", "-k", "3",
				"-stream", stream, "-o", out, path)
			if code != 0 || stderr != "" {
				t.Fatalf("%s, -stream %s: code %d, %s", path, stream, code, stderr)
			}
			if streamed := !strings.Contains(report, "span error"); streamed != (stream == "yes") ||
				!strings.Contains(report, "\nCertified: ") {
				t.Errorf("%s, -stream %s:\n%s", path, stream, report)
			}
			text, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			header, labels, g := parseMemberships(t, string(text))
			if header != "label,p0,p1,p2" || len(g) != 9000 {
				t.Fatalf("%s, %d rows", header, len(g))
			}
			for i, row := range g {
				if labels[i] != slices.Index(row, slices.Max(row)) {
					t.Fatalf("row %d: label %d of %v", i, labels[i], row)
				}
			}
			reports, tables = append(reports, untold(report)), append(tables, g)
		}
	}
	for i, r := range reports[1:] {
		if r != reports[0] {
			t.Errorf("report %d is\n%s, not\n%s", i+1, r, reports[0])
		}
		for j, row := range tables[i+1] {
			for l, v := range row {
				if !near(v, tables[0][j][l], 1e-10) {
					t.Fatalf("%d, row %d: %v, not %v", i+1, j, row, tables[0][j])
				}
			}
		}
	}

	code, stdout, stderr := do(t, "", "fit", "-v", "-method", "global", "-k", "3",
		"-stream", "yes", "-o", "-", csvPath)
	if text, err := os.ReadFile(out); err != nil || code != 0 || stdout != string(text) ||
		untold(stderr) != reports[0] {
		t.Errorf("-o -: code %d, %.200q, %.200q", code, stdout, stderr)
	}
}

// minvol of a stream gives the result in memory if the summary has all rows. Otherwise
// its error, measured on all rows, is what the slack allows.
func TestStreamMinVolume(t *testing.T) {
	dir := t.TempDir()
	path, _ := writeTables(t, dir, 900, 4)
	args := []string{"fit", "-v", "-k", "2", "-method", "minvol", "-others", "no", "-stream"}
	_, want, _ := do(t, "", append(args, "no", path)...)
	code, report, stderr := do(t, "", append(args, "yes", path)...)
	if code != 0 || lined(untold(report)) != lined(untold(want)) || strings.Contains(report, "sample of the rows") {
		t.Errorf("code %d, %s\n%s", code, stderr, report)
	}
	_, path = writeTables(t, dir, 16500, 3)
	out := filepath.Join(dir, "g.csv")
	code, report, stderr = do(t, "", append(args, "yes", "-o", out, path)...)
	if code != 0 || stderr != "" || !strings.Contains(report, "sample of the rows") {
		t.Fatalf("code %d, %s\n%s", code, stderr, report)
	}
	if v := value(t, report, "excess / floor"); !(v > .12 && v < .1265) { // .25/2 of it: two of three columns are noise
		t.Errorf("the error is %g of the floor above it", v)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if header, _, g := parseMemberships(t, string(text)); header != "label,p0,p1" || len(g) != 16500 {
		t.Errorf("%s, %d rows", header, len(g))
	}
}

func TestStreamChoice(t *testing.T) {
	big := filepath.Join(t.TempDir(), "big")
	if err := os.WriteFile(big, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(big, streamSize+1); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args string
		want bool
	}{
		{big, true}, {big + " -stream no", false}, {big + " -method minvol", true},
		{big + " -method alternating", false},
		{iris, false}, {iris + " -stream yes", true}, {"-", false}, {"", false},
	} {
		f, err := parseFit(append([]string{"-k", "3"}, strings.Fields(test.args)...))
		if err != nil {
			t.Fatal(err)
		}
		in, _, err := openInput(f.source, strings.NewReader(""))
		if err != nil {
			t.Fatal(err)
		}
		if got := f.streams(in); got != test.want {
			t.Errorf("%s: %v", test.args, got)
		}
		in.Close()
	}
}

// An error in a pass names its place, and no file is left.
func TestStreamFailure(t *testing.T) {
	dir, outDir := t.TempDir(), t.TempDir()
	out := filepath.Join(outDir, "g.csv")
	bad := filepath.Join(dir, "bad.csv")
	if err := os.WriteFile(bad, []byte("a,b\n"+strings.Repeat("1,2\n3,5\n", 5000)+"1,x\n"),
		0o666); err != nil {
		t.Fatal(err)
	}
	good, array := writeTables(t, dir, 900, 3)
	data, err := os.ReadFile(array)
	if err != nil {
		t.Fatal(err)
	}
	short := filepath.Join(dir, "short.npy")
	if err := os.WriteFile(short, data[:len(data)-1], 0o666); err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(context.Background())
	cancel()
	for _, test := range []struct {
		ctx  context.Context
		path string
		out  io.Writer
		want string
	}{
		{t.Context(), bad, io.Discard, bad + `:10002:2: "x" in column "b" is not a number`},
		{t.Context(), short, io.Discard,
			short + ": the file is cut: 1 of 21600 bytes of values are missing, from row 900 on"},
		{t.Context(), "missing.csv", io.Discard, "open missing.csv: "},
		{t.Context(), dir, io.Discard, dir + ": is a directory"},
		{over, good, io.Discard, "interrupted; no file was written"},
		{t.Context(), good, fullDisk, "disk full"},
	} {
		var stderr bytes.Buffer
		code := run(test.ctx, []string{"fit", "-k", "2", "-method", "global", "-stream", "yes", "-o", out,
			test.path}, nil, test.out, &stderr)
		if code != 1 || !strings.HasPrefix(stderr.String(), "softkmeans: "+test.want) {
			t.Errorf("code %d, %q, want %s", code, &stderr, test.want)
		}
		if left := files(t, outDir); left != "" {
			t.Errorf("%s: the folder has %s", test.want, left)
		}
	}
	// Writing the memberships fails.
	var stderr bytes.Buffer
	code := run(t.Context(), []string{"fit", "-k", "2", "-method", "global", "-stream", "yes", "-o", "-",
		good}, nil, fullDisk, &stderr)
	if code != 1 || stderr.String() != "softkmeans: disk full\n" {
		t.Errorf("code %d, %q", code, &stderr)
	}
}

// A compressed file counts as large at a fifth of the size.
func TestLarge(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x")
	for _, test := range []struct {
		start string
		size  int64
		want  bool
	}{{"\x1f\x8b", 20 << 20, true}, {"1,2", 20 << 20, false},
		{"\x1f\x8b", 10 << 20, false}, {"1,2", 65 << 20, true}} {
		file, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		_, err = file.WriteString(test.start)
		if err := errors.Join(err, file.Truncate(test.size)); err != nil {
			t.Fatal(err)
		}
		f := inputFlags{source: name}
		if got := f.large(file); got != test.want {
			t.Errorf("%q and %d bytes: %v", test.start, test.size, got)
		}
		f.source = "-"
		if f.large(file) {
			t.Error("standard input is taken for a file that can be read again")
		}
		file.Close()
	}
}

// The certificate of a stream is that of Certify for all rows.
func TestStreamCertificate(t *testing.T) {
	f := fitFlags{k: 3}
	std := streams{out: io.Discard, err: io.Discard}
	r, err := f.fitStream(&session{outputs: &outputs{ctx: t.Context(), std: std}, source: iris,
		places: map[string]place{}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	file, err := rows.Open(iris, rows.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x := readTable(t, iris)
	g, err := r.model.Predict(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	want, err := softkmeans.Certify(t.Context(), x, r.model.Centers, g, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := r.cert
	if !near(c.Objective, want.Objective, 1e-9) || !near(c.Floor, want.Floor, 1e-9) ||
		!near(c.Total, want.Total, 1e-9) ||
		!near(c.MinMembership, want.MinMembership, 1e-9) || !near(c.MaxSumError, want.MaxSumError, 1e-12) ||
		!near(c.Gap, want.Gap, 1e-12) {
		t.Errorf("%+v, want %+v", c, want)
	}
	if r.rows != x.Rows || !slices.Equal(r.Names, file.Names) {
		t.Errorf("%d rows, %q", r.rows, r.Names)
	}
}

// A draw has every row with the same chance, however the rows come in blocks, and all of a
