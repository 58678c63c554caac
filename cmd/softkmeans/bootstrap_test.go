package main

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/internal/scale"
	"softkmeans/stability"
)

// -bootstrap reports what Bootstrap finds, in the table's units.
func TestFitBootstrap(t *testing.T) {
	wine := setFile("wine")
	args := []string{"fit", "-k", "3", "-method", "minvol", "-scale", "zscore", "-others", "no",
		"-seed", "2", "-bootstrap", "4", wine}
	got := parseJSON[answer.Answer](t, must(t, append(args, "-json")...))
	b := got.Bootstrap
	if b == nil || b.Draws != 4 || b.Level != 0.95 || b.Status != "converged" {
		t.Fatalf("%+v", b)
	}
	x := readTable(t, wine)
	s := scale.Of(scale.ZScore, x.Data, x.Cols, nil)
	s.Apply(x.Data)
	m, err := softkmeans.FitMinVolume(t.Context(), x, 3, &softkmeans.MinVolumeOptions{Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	want, err := stability.Bootstrap(t.Context(), x, m,
		&stability.BootstrapOptions{Resamples: 4, MinVolumeOptions: softkmeans.MinVolumeOptions{Seed: 2}})
	if err != nil {
		t.Fatal(err)
	}
	s.Undo(want.Lower.Data)
	s.Undo(want.Upper.Data)
	for j := range 3 {
		for c := range x.Cols {
			if !near(b.Lower[j][c], want.Lower.At(j, c), 1e-6) ||
				!near(b.Upper[j][c], want.Upper.At(j, c), 1e-6) {
				t.Errorf("center %d, column %d: %v to %v, not %v to %v", j, c, b.Lower[j][c], b.Upper[j][c],
					want.Lower.At(j, c), want.Upper.At(j, c))
			}
		}
		if !near(b.Shares[j], want.Shares[j], 1e-9) || !near(b.ShareLower[j], want.ShareLower[j], 1e-6) ||
			!near(b.ShareUpper[j], want.ShareUpper[j], 1e-6) {
			t.Errorf("share %d: %v, %v to %v", j, b.Shares[j], b.ShareLower[j], b.ShareUpper[j])
		}
	}
	if !near(b.Stability, want.Stability, 1e-9) || len(b.LeastStable) == 0 {
		t.Errorf("stability %v, %v", b.Stability, b.LeastStable)
	}
	last := 0.0
	for _, row := range b.LeastStable {
		if row.Stable < last || row.Stable != want.Stable[row.Row-1] || row.Stable >= stableShare {
			t.Errorf("row %d: %v after %v", row.Row, row.Stable, last)
		}
		last = row.Stable
	}
	if text := must(t, args...); !strings.Contains(text, "Uncertainty by 4 fits of rows") ||
		!strings.Contains(strings.Join(strings.Fields(text), " "), "Values are in the table's") {
		t.Errorf("no block in\n%s", text)
	}
}

// -from takes k, columns by name and scaling of a model, and starts from its centers: the
// fit of the same rows is at rest there.
func TestFitFrom(t *testing.T) {
	inFolder(t, "")
	writeText(t, "a.csv", "x,y,z\n"+strings.Repeat("1,2,3\n5,2,4\n3,9,2\n1.5,2,3\n5,2.5,4\n3,8,2.2\n2,3,1\n",
		4))
	writeText(t, "b.csv", "note,z,y,x\n"+strings.Repeat("7,3,2,1\n7,4,2,5\n7,2,9,3\n7,3,2,1.5\n7,4,2.5,5\n"+
		"7,2.2,8,3\n7,1,3,2\n", 4))
	first := parseJSON[answer.Answer](t, must(t, "fit", "-k", "2", "-method", "minvol", "-scale", "minmax",
		"-others", "no", "-json", "-model", "m.json", "a.csv"))
	for _, method := range []string{"minvol", "alternating"} {
		got := parseJSON[answer.Answer](t,
			must(t, "fit", "-from", "m.json", "-method", method, "-json", "b.csv"))
		if got.K != 2 || !slices.Equal(got.Columns, []string{"x", "y", "z"}) || got.Scale != "minmax" {
			t.Fatalf("%s: k = %d, columns %v, scale %s", method, got.K, got.Columns, got.Scale)
		}
		for j, row := range got.Centers {
			for c, v := range row {
				if method == "minvol" && !near(v, first.Centers[j][c], 0.05) {
					t.Errorf("center %d, column %d: %v, not %v", j, c, v, first.Centers[j][c])
				}
			}
		}
	}
	for _, c := range []string{"-scale counts", "-bounds none", "-bounds 0,9"} { // labels and bounds
		args := append([]string{"fit", "-k", "2", "-others", "no", "-json", "-model", "c.json"}, strings.Fields(c)...)
		first := parseJSON[answer.Answer](t, must(t, append(args, "a.csv")...))
		got := parseJSON[answer.Answer](t, must(t, "fit", "-from", "c.json", "-json", "a.csv"))
		if got.LabelBy != first.LabelBy || !reflect.DeepEqual(got.Bounds, first.Bounds) {
			t.Errorf("%s: labels by %s and bounds %v, not by %s and %v", c, got.LabelBy, got.Bounds, first.LabelBy,
				first.Bounds)
		}
	}
	must(t, "fit", "-k", "2", "-method", "tilsd", "-model", "s.json", "a.csv")
	for _, f := range []failure{
		{"fit -from s.json -method minvol a.csv", 1,
			"s.json: a model of method tilsd has no prototypes to start from"},
		{"fit -from m.json -method minvol -header no -drop 1 b.csv", 1, ""},
	} {
		f.check(t)
	}
	writeText(t, "short.csv", "1,2\n3,4\n5,7\n")
	failure{"fit -from m.json -method minvol short.csv", 1, "the model has 3 (x, y, z)"}.check(t)
}

// Rows are named by their ids, and counted in the file where some are left out.
func TestUnstableRows(t *testing.T) {
	text := strings.Split(readFile(t, setFile("wine")), "\n")
	inFolder(t, "")
	var b strings.Builder
	b.WriteString("name," + strings.Repeat("v,", 12) + "v\n")
	for i, line := range text[:len(text)-1] {
		if i == 20 {
			b.WriteString("gap," + strings.Repeat(",", 12) + "\n")
		}
		b.WriteString("wine" + strconv.Itoa(i+1) + "," + line + "\n")
	}
	writeText(t, "wine.csv", b.String())
	args := []string{"fit", "-k", "3", "-method", "minvol", "-missing", "drop", "-others", "no",
		"-bootstrap", "3", "wine.csv"}
	got := parseJSON[answer.Answer](t, must(t, append(args, "-json")...))
	if got.Bootstrap == nil || len(got.Bootstrap.LeastStable) == 0 {
		t.Fatalf("%+v", got.Bootstrap)
	}
	for _, u := range got.Bootstrap.LeastStable {
		number := u.Row
		if u.Row > 21 {
			number--
		}
		if u.ID != "wine"+strconv.Itoa(number) {
			t.Errorf("row %d is %q", u.Row, u.ID)
		}
	}
	if report := must(t, args...); !strings.Contains(report, "Least stable: wine") {
		t.Errorf("no id in\n%s", report)
	}
}
