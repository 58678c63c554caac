package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"softkmeans"
)

func TestMemberships(t *testing.T) {
	path := filepath.Join(t.TempDir(), "g.csv")
	code, report, stderr := do(t, "", "fit", iris, "-o", path, "-k", "3")
	if code != 0 || stderr != "" || !strings.HasPrefix(report, iris) {
		t.Fatalf("code %d, stdout %q, stderr %q", code, report, stderr)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	header, labels, g := parseMemberships(t, string(text))
	if header != "label,p0,p1,p2" || len(g) != 150 {
		t.Errorf("header %q, %d rows", header, len(g))
	}
	m, err := softkmeans.Fit(t.Context(), readTable(t, iris), 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range g {
		sum := 0.0
		for _, v := range row {
			sum += v
		}
		if !near(sum, 1, 1e-15) || slices.Min(row) < 0 {
			t.Errorf("row %d: %v adds up to %v", i, row, sum)
		}
		if labels[i] != slices.Index(row, slices.Max(row)) {
			t.Errorf("row %d: %v has label %d", i, row, labels[i])
		}
		if !slices.Equal(row, m.Memberships.Row(i)) {
			t.Errorf("row %d: %v lost digits of %v", i, row, m.Memberships.Row(i))
		}
	}

	code, stdout, stderr := do(t, "", "fit", iris, "-o", "-", "-k", "3")
	if code != 0 || stdout != string(text) || stderr != report {
		t.Errorf("-o -: code %d, stdout %.100q, stderr %.100q", code, stdout, stderr)
	}
}

func TestMembershipsNotWritten(t *testing.T) {
	var stderr bytes.Buffer
	code := run(t.Context(), []string{"fit", "-k", "2", "-o", "-", iris}, nil, fullDisk, &stderr)
	if code != 1 || stderr.String() != "softkmeans: disk full\n" {
		t.Errorf("code %d, %q", code, &stderr)
	}
}

// Rows that are written before an error are complete.
func TestWholeLines(t *testing.T) {
	inFolder(t, "1,2\n3,4\n5,7\n")
	must(t, strings.Fields("fit -k 2 -model model.json data.csv")...)
	writeText(t, "bad.csv", strings.Repeat("1.5,2.25\n3,4.125\n0.7,2.3\n", 20000)+"1,x\n")
	code, stdout, _ := do(t, "", strings.Fields("predict -model model.json bad.csv")...)
	if code != 1 || len(stdout) < 1<<16 || !strings.HasSuffix(stdout, "\n") {
		t.Fatalf("code %d, %d bytes, %.40q at the end", code, len(stdout), stdout[max(0, len(stdout)-40):])
	}
	if _, _, g := parseMemberships(t, stdout); len(g) < 1000 {
		t.Errorf("%d rows", len(g))
	}
}
