package main

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"softkmeans/internal/answer"
)

// The columns that are named have the largest differences from the mean, and the report
// names the rows, scaled or not and in blocks. A constant column has its value.
func TestMeaning(t *testing.T) {
	inFolder(t, "id,same,up,down,noise\na,7.25,0,100,1\nb,7.25,0,100,2\nc,7.25,10,0,1\nd,7.25,10,0,2\n"+
		"e,7.25,5,50,1.5\n")
	for _, args := range []string{"", "-scale zscore", "-stream yes", "-stream yes -scale minmax",
		"-method global", "-method alternating"} {
		line := append(strings.Fields("fit -k 2 -drop id -json -centers c.csv -model m.json data.csv"),
			strings.Fields(args)...)
		j := parseJSON[answer.Answer](t, must(t, line...))
		if len(j.Prototypes) != 2 || len(j.Between) != 1 || j.Between[0].Row != 5 ||
			math.Abs(j.Between[0].Memberships[0]-.5) > .1 {
			t.Fatalf("%s: %+v, %+v", args, j.Prototypes, j.Between)
		}
		for p, v := range j.Prototypes {
			up, same := j.Centers[p][1] > 5, j.Centers[p][0]
			if same != 7.25 || len(v.Columns) < 2 || v.Columns[0].Name == "same" ||
				v.Columns[0].Name == "noise" || len(v.Purest) != 3 {
				t.Errorf("%s: p%d: %+v", args, p, v)
			}
			for _, c := range v.Columns[:2] {
				if (c.Value > 0) != (up == (c.Name == "up")) || math.Abs(c.Value) < .7 {
					t.Errorf("%s: p%d: %+v", args, p, c)
				}
			}
			if pure := v.Purest[0].Row; (pure == 3 || pure == 4) != up {
				t.Errorf("%s: p%d: its purest row is %d", args, p, pure)
			}
		}
		if !strings.Contains(readFile(t, "c.csv"), "\n7.25,") ||
			!strings.Contains(readFile(t, "m.json"), `"columnSpread": [0, 4.47`) {
			t.Errorf("%s: %s\n%s", args, readFile(t, "c.csv"), readFile(t, "m.json"))
		}
	}
	report := must(t, strings.Fields("fit -k 2 -drop id data.csv")...)
	for _, want := range []string{"differs most in", "up +1.", "down −1.", "purest rows",
		"1 of 5 rows has two memberships of 0.4 or more: 5 (p"} {
		if !strings.Contains(report, want) {
			t.Errorf("no %q in\n%s", want, report)
		}
	}
}

// -details has what the package says of the same rows: in memory, in blocks, and by predict.
func TestDetails(t *testing.T) {
	x := readTable(t, iris)
	path, err := filepath.Abs(iris)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, args := range []string{"", "-method global", "-method alternating", "-sum at-most-one",
		"-scale zscore", "-stream yes", "-stream yes -scale zscore"} {
		must(t, append(strings.Fields("fit -k 3 -details -o g.csv -model m.json"),
			append(strings.Fields(args), path)...)...)
		header, labels, g := parseMemberships(t, readFile(t, "g.csv"))
		if header != "label,p0,p1,p2,residual,distance,entropy" || len(g) != x.Rows {
			t.Fatalf("%s: %d rows of %s", args, len(g), header)
		}
		m, err := readModel("m.json")
		if err != nil {
			t.Fatal(err)
		}
		scaled := x.Clone()
		m.scaling().Apply(scaled.Data)
		centers := m.Model.Centers
		largest, sum := 0.0, 0.0
		for i, row := range g {
			mean := centers.Row(labels[i])
			if m.Model.ClusterMeans != nil {
				mean = m.Model.ClusterMeans.Row(labels[i])
			}
			var residual, distance float64
			for c, v := range scaled.Row(i) {
				r := v
				for j := range 3 {
					r -= row[j] * centers.At(j, c)
				}
				residual, distance = math.Hypot(residual, r), math.Hypot(distance, v-mean[c])
			}
			if !near(row[3], residual, 1e-5*(1+residual)) ||
				!near(row[4], distance, 1e-5*(1+distance)) || row[5] < 0 || row[5] > 1 {
				t.Fatalf("%s: row %d is %v, want %g and %g", args, i, row, residual, distance)
			}
			largest, sum = max(largest, residual), sum+residual*residual
		}
		if !near(m.LargestResidual, largest, 1e-9) || !near(sum, m.Model.Objective, 1e-6*m.Model.Objective) {
			t.Errorf("%s: largest residual %g of %g, sum of squares %g of %g", args, m.LargestResidual,
				largest, sum, m.Model.Objective)
		}
		again, _, p := parseMemberships(t, predicted(t, "-model", "m.json", "-details", path))
		for i := range p {
			for j, v := range p[i] {
				if again != header || !near(v, g[i][j], 1e-6*(1+math.Abs(v))) {
					t.Fatalf("%s: predict has %v, fit %v", args, p[i], g[i])
				}
			}
		}
	}
	for _, f := range []failure{
		{"fit -k 3 -details x.csv", 2, "give -o"},
		{"fit -k 3 -method lsd -details -o g.csv x.csv", 2,
			"-details is only for -method minvol, global and alternating"},
	} {
		f.check(t)
	}
	must(t, "fit", "-k", "2", "-method", "tilsd", "-model", "m.json", path)
	failure{"predict -model m.json -details " + path, 2, "a model of method tilsd has no prototypes"}.check(t)
}

// Rows are named by their ids, in memory and in blocks, also where rows without all values
// are left out; without ids by their numbers in the file.
func TestMeaningIDs(t *testing.T) {
	const text = "id,a,b\nann,1,2\nnone,,3\nbob,2,1\ncyd,1.5,1.45\ndan,1,1.9\neve,2.1,1\n"
	dir := inFolder(t, text)
	for _, stream := range []string{"no", "yes"} {
		for _, id := range []string{"id", "none -drop id"} {
			args := append(strings.Fields("fit -k 2 -missing drop -model m.json "+
				"-json -stream "+stream+" data.csv -id"), strings.Fields(id)...)
			j := parseJSON[answer.Answer](t, must(t, args...))
			if len(j.Between) != 1 || j.Between[0].Row != 4 ||
				j.Between[0].ID != map[bool]string{true: "cyd", false: "row 4"}[id == "id"] {
				t.Errorf("-stream %s -id %s: %+v", stream, id, j.Between)
			}
			got := map[string]bool{}
			for _, p := range j.Prototypes {
				got[p.Purest[0].ID] = true
			}
			if id == "id" && (!(got["ann"] || got["dan"]) || !(got["bob"] || got["eve"])) {
				t.Errorf("-stream %s: %+v", stream, j.Prototypes)
			}
		}
	}
	writeText(t, filepath.Join(dir, "new.csv"), strings.Replace(text, "none,,3\n", "", 1)+"far,9,9\n")
	_, _, blocks := do(t, "", "predict", "-model", "m.json", "-id", "id", "new.csv")
	_, _, piped := do(t, readFile(t, "new.csv"), "predict", "-model", "m.json", "-id", "id")
	if blocks != piped || !strings.Contains(blocks, "far (") {
		t.Errorf("%q, from a pipe %q", blocks, piped)
	}
}
