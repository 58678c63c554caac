package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/table"
)

// readTable reads a file, without the columns that are to be dropped.
func readTable(t *testing.T, name string, drop ...string) *softkmeans.Matrix {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tab, err := table.Read(f, name, table.Dialect{Drop: drop})
	if err != nil {
		t.Fatal(err)
	}
	return softkmeans.NewMatrix(tab.Rows, len(tab.Names), tab.Data)
}

// Methods of similarities give what the package gives.
func TestFitSimilarities(t *testing.T) {
	x := readTable(t, iris)
	rbf, err := softkmeans.RBFKernel(x, 0)
	if err != nil {
		t.Fatal(err)
	}
	narrow, err := softkmeans.RBFKernel(x, 2)
	if err != nil {
		t.Fatal(err)
	}
	linear, err := softkmeans.LinearKernel(x)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := softkmeans.SimilarityMatrix(narrow)
	if err != nil {
		t.Fatal(err)
	}
	var matrix bytes.Buffer
	w := make([]string, whole.Cols)
	for j := range w {
		w[j] = table.Column(j)
	}
	if err := writeCenterTable(&matrix, w, whole); err != nil {
		t.Fatal(err)
	}
	inMatrix := matrix.String()
	for _, test := range []struct {
		args string
		fit  func() (*softkmeans.LSDModel, error)
		says string
	}{
		{"-method tilsd", func() (*softkmeans.LSDModel, error) { return softkmeans.TILSDOf(t.Context(), rbf, 3, nil) }, "Certified: "},
		{"-method tilsd -enclosure tight", func() (*softkmeans.LSDModel, error) {
			return softkmeans.TILSDOf(t.Context(), rbf, 3, &softkmeans.LSDOptions{Enclosure: softkmeans.EnclosureTight})
		}, "Certified: "},
		{"-method lsd -gamma 2", func() (*softkmeans.LSDModel, error) { return softkmeans.LSDOf(t.Context(), narrow, 3, nil) }, "γ = 2."},
		{"-method lsd -gamma 2 -seed 7", func() (*softkmeans.LSDModel, error) {
			return softkmeans.LSDOf(t.Context(), narrow, 3, &softkmeans.LSDOptions{Seed: 7})
		}, "Better memberships could take off "},
		{"-method lsd -kernel matrix", func() (*softkmeans.LSDModel, error) { return softkmeans.LSDOf(t.Context(), narrow, 3, nil) }, "Similarities: the table."},
		{"-method tilsd -kernel linear", func() (*softkmeans.LSDModel, error) { return softkmeans.TILSDOf(t.Context(), linear, 3, nil) }, "the product of every two rows"},
	} {
		m, err := test.fit()
		if err != nil {
			t.Fatal(err)
		}
		stdin := readFile(t, iris)
		if strings.Contains(test.args, "matrix") {
			stdin = inMatrix
		}
		args := append(strings.Fields("fit -k 3 -o -"), strings.Fields(test.args)...)
		code, stdout, report := do(t, stdin, args...)
		if code != 0 || !strings.Contains(report, test.says) {
			t.Errorf("%s: code %d, no %q in %s", test.args, code, test.says, report)
			continue
		}
		for name, want := range map[string]float64{"objective": m.Objective, "floor": m.Floor, "total": m.Total} {
			if got := value(t, report, name); !near(got, want, 1e-9*m.Total) {
				t.Errorf("%s: %s is %v, want %v", test.args, name, got, want)
			}
		}
		_, _, g := parseMemberships(t, stdout)
		for i := range g {
			for j, v := range g[i] {
				if !near(v, m.Memberships.At(i, j), 1e-6) {
					t.Fatalf("%s: row %d is %v, want %v", test.args, i, g[i], m.Memberships.Row(i))
				}
			}
		}
		code, stdout, _ = do(t, stdin, append(strings.Fields("fit -k 3 -json"), strings.Fields(test.args)...)...)
		var j fitReportJSON
		if err := json.Unmarshal([]byte(stdout), &j); code != 0 || err != nil || j.Similarity == nil || !near(j.Similarity.Objective, m.Objective, 1e-9*m.Total) || j.Certificate != nil {
			t.Errorf("%s: code %d, %v: %s", test.args, code, err, stdout)
		}
	}
}

// What the methods do not take is said before anything is read.
func TestFitUsageOfMethods(t *testing.T) {
	inFolder(t, "1,2\n3,4\n5,7\n")
	for args, want := range map[string]string{
		"-k 2 -lambda 1": "-lambda is for -method minvol",
		"-k 2 -method minvol -lambda 1 -slack .1":       "give one",
		"-k 2 -method minvol -lambda -1":                "must be a number above 0",
		"-k 2 -gamma 1":                                 "-gamma is for -method lsd and tilsd",
		"-k 2 -kernel rbf":                              "-kernel is for",
		"-k 2 -method lsd -kernel linear -gamma 1":      "-gamma is for -kernel rbf",
		"-k 2 -method lsd -gamma -1":                    "at least 0",
		"-k auto -method lsd -kernel matrix":            "-k auto goes by rows",
		"-k 2 -method lsd -kernel matrix -scale zscore": "-scale is for rows",
		"-k 2 -method lsd -centers c.csv":               "-centers is for -method global, minvol and alternating",
		"-k 2 -method tilsd -weights 1":                 "-weights is for",
		"-k 2 -method tilsd -stream yes":                "-stream yes is for -method global and minvol",
		"-k 2 -weights 1 -stream yes":                   "-stream yes does not go with -weights",
		"-k 2 -scale log":                               "must be none, zscore, minmax",
		"-k 2 -drop 0":                                  "-drop 0: columns are counted from 1",
		"-k 2 -drop a,,b":                               "with commas between them",
		"-k 2 -weights a -header no":                    `-weights "a" is a name`,
		"-k 2 -o x.csv -centers x.csv":                  "-o and -centers have the same file, x.csv",
		"-k 2 -o - -model -":                            "-model -: standard output has something else already",
		"-k 2 -model data.csv":                          "-model data.csv would replace the data",
	} {
		if code, stdout, stderr := do(t, "", append(strings.Fields("fit data.csv"), strings.Fields(args)...)...); code != 2 || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: code %d, %q; want %q", args, code, stderr, want)
		}
	}
	for args, want := range map[string]string{
		"-k 2 -method lsd -kernel matrix": "3 rows of 2 columns; similarities are a square",
		"-k 2 -label 3":                   "3",
		"-k 2 -label 1 -weights 1":        "1",
	} {
		if code, stdout, stderr := do(t, "", append(strings.Fields("fit data.csv"), strings.Fields(args)...)...); code != 1 || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: code %d, %q; want %q", args, code, stderr, want)
		}
	}
	if entries, _ := os.ReadDir("."); len(entries) != 1 {
		t.Errorf("left over: %v", entries)
	}
}

// -k auto takes what the floors propose, and says why; where they propose
// nothing it asks. A stream proposes the same.
func TestFitAuto(t *testing.T) {
	x := readTable(t, iris)
	floors, err := softkmeans.Floors(context.Background(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := softkmeans.ProposeK(floors)
	if err != nil || p.K == 0 {
		t.Fatal(p, err)
	}
	for _, stream := range []string{"no", "yes"} {
		report := must(t, "fit", "-k", "auto", "-stream", stream, iris)
		if want := proposed(&p); !strings.Contains(report, want) {
			t.Errorf("-stream %s: no %q in\n%s", stream, want, report)
		}
		if got := value(t, report, "floor"); !near(got, floors[p.K-1], 1e-8) {
			t.Errorf("-stream %s: floor %v, want %v", stream, got, floors[p.K-1])
		}
	}
	code, _, stderr := do(t, "1,0\n0,1\n-1,0\n0,-1\n", "fit", "-k", "auto")
	if code != 1 || !strings.Contains(stderr, "<stdin>: no number of centers stands out: ") || !strings.Contains(stderr, "give -k") {
		t.Errorf("code %d, %s", code, stderr)
	}
}

// A scale is the same for a stream.
func TestFitScaled(t *testing.T) {
	const wine = "../../testdata/wine.csv"
	for _, args := range []string{"-scale zscore", "-scale minmax", "-scale zscore -method minvol"} {
		var reports [2]string
		for i, stream := range []string{"no", "yes"} {
			reports[i] = must(t, append([]string{"fit", "-k", "3", "-stream", stream, wine}, strings.Fields(args)...)...)
		}
		for _, name := range []string{"objective", "floor", "total variance"} {
			a, b := value(t, reports[0], name), value(t, reports[1], name)
			if !near(a, b, 1e-8*value(t, reports[0], "total variance")) {
				t.Errorf("%s: %s is %v, streamed %v", args, name, a, b)
			}
		}
		if total := value(t, reports[0], "total variance"); strings.Contains(args, "zscore") && !near(total, 178*13, 1e-6) {
			t.Errorf("%s: total variance %v", args, total)
		}
		if a, b := strings.Index(reports[0], "p0"), strings.Index(reports[1], "p0"); reports[0][a:a+300] != reports[1][b:b+300] {
			t.Errorf("%s: centers\n%s\nstreamed\n%s", args, reports[0], reports[1])
		}
	}
}

// A decimal comma is a matter of the flag: the advice that its absence brings works.
func TestDecimalComma(t *testing.T) {
	inFolder(t, "Länge;Preis\n1,5;2\n3;4,25\n5;7\n")
	writeText(t, "points.csv", "Länge;Preis\n1.5;2\n3;4.25\n5;7\n")
	code, _, stderr := do(t, "", "fit", "-k", "2", "data.csv")
	if code != 1 || !strings.Contains(stderr, `data.csv:2:1: "1,5" in column "Länge" is not a number (if the comma is the decimal sign: -decimal comma)`) {
		t.Errorf("code %d, %s", code, stderr)
	}
	want := strings.ReplaceAll(must(t, "fit", "-k", "2", "points.csv"), "points", "data")
	for _, args := range []string{"-decimal comma", "-decimal ,", "-decimal comma -stream yes -o -"} {
		code, stdout, stderr := do(t, "", append(strings.Fields("fit -k 2 data.csv"), strings.Fields(args)...)...)
		if strings.Contains(args, "stream") {
			if code != 0 || strings.Count(stdout, "\n") != 4 {
				t.Errorf("%s: code %d, %s%s", args, code, stdout, stderr)
			}
		} else if code != 0 || stdout != want {
			t.Errorf("%s: code %d, %s\n%s", args, code, stderr, stdout)
		}
	}
}

// Weights are those of rows given as often.
func TestFitWeights(t *testing.T) {
	inFolder(t, "w,a,b\n2,1,2\n1,3,5\n0,100,100\n3,-1,4\n1,2,2\n")
	if err := os.WriteFile("often.csv", []byte("a,b\n1,2\n1,2\n3,5\n-1,4\n-1,4\n-1,4\n2,2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{"-k 2", "-k 2 -scale zscore", "-k 2 -scale minmax", "-k 2 -method alternating -scale zscore"} {
		a := must(t, append(strings.Fields("fit -weights w data.csv"), strings.Fields(args)...)...)
		b := must(t, append(strings.Fields("fit often.csv"), strings.Fields(args)...)...)
		for _, name := range []string{"floor", "total variance"} {
			if v, w := value(t, a, name), value(t, b, name); !near(v, w, 1e-9*(1+w)) {
				t.Errorf("%s: %s is %v, by rows %v", args, name, v, w)
			}
		}
		if !strings.Contains(a, "column 1 (w) has the weights") {
			t.Errorf("%s: the report does not tell of the weights:\n%s", args, a)
		}
	}
}

// Of several files none appears where one cannot be written.
func TestFitFilesTogether(t *testing.T) {
	dir := inFolder(t, "1,2\n3,4\n5,7\n")
	before := files(t, dir)
	for _, args := range []string{
		"-o m.csv -centers missing/c.csv -model model.json", "-o m.csv -centers c.csv -model missing/model.json", "-o missing/m.csv -centers c.csv",
	} {
		code, stdout, stderr := do(t, "", append(strings.Fields("fit -k 2 data.csv"), strings.Fields(args)...)...)
		if code != 1 || stdout != "" || !strings.Contains(stderr, "cannot write missing/") {
			t.Errorf("%s: code %d, %q", args, code, stderr)
		}
		if after := files(t, dir); after != before {
			t.Errorf("%s: the folder has\n%s", args, after)
		}
	}
	full := writer(func([]byte) (int, error) { return 0, errors.New("disk full") })
	var stderr bytes.Buffer
	if code := run(t.Context(), strings.Fields("fit -k 2 -o m.csv -centers c.csv -model model.json data.csv"), nil, full, &stderr); code != 1 {
		t.Errorf("code %d", code)
	}
	if after := files(t, dir); after != before {
		t.Errorf("the folder has\n%s", after)
	}
	must(t, strings.Fields("fit -k 2 -o m.csv -centers c.csv -model model.json data.csv")...)
	if after := files(t, dir); strings.Count(after, "\n") != 4 || strings.Contains(after, ".tmp") {
		t.Errorf("the folder has\n%s", after)
	}
}
