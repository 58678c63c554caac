package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/modelfile"
)

// compare finds the permutation, the differences in the table's units and columns by name.
func TestCompare(t *testing.T) {
	inFolder(t, "")
	write := func(name string, rows [][]float64, f modelfile.File) {
		centers, err := softkmeans.FromRows(rows)
		if err != nil {
			t.Fatal(err)
		}
		f.Method, f.Named, f.Model = "minvol", true, &softkmeans.Model{Centers: centers}
		var b strings.Builder
		if _, err := f.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		writeText(t, name, b.String())
	}
	write("a.json", [][]float64{{-1, -0.125}, {3, -0.125}, {-1, 3.875}},
		modelfile.File{Columns: []string{"x", "y"},
			Scale: "zscore", Shift: []float64{1, 12.5}, Divisor: []float64{1, 100},
			Rows: 10, Sizes: []int{5, 3, 2}})
	write("b.json", [][]float64{{400, 1}, {90, 90}, {0, 0}, {100, 4}},
		modelfile.File{Columns: []string{"y", "x"}, Rows: 20, Sizes: []int{4, 1, 10, 5}})
	got := parseJSON[answer.Answer](t, must(t, "compare", "-json", "a.json", "b.json")).Models
	want := []struct {
		b           int
		moved       float64
		difference  []float64
		from, share float64
	}{{2, 0, []float64{0, 0}, 0.5, 0.5}, {3, 1, []float64{0, 100}, 0.3, 0.25},
		{0, 1, []float64{1, 0}, 0.2, 0.2}}
	for j, m := range got.Matches {
		w := want[j]
		if m.A != j || m.B == nil || *m.B != w.b || !near(*m.Moved, w.moved, 1e-12) ||
			!slices.Equal(m.Difference, w.difference) || m.ShareA != w.from || *m.ShareB != w.share {
			t.Errorf("%+v, not %+v", m, w)
		}
		if !near(*m.Relative*got.Distance, w.moved, 1e-12) {
			t.Errorf("center %d moved by a share of %v", j, *m.Relative)
		}
	}
	if len(got.New) != 1 || got.New[0] != (answer.Newcomer{B: 1, Rows: 1, Share: 0.05}) ||
		!near(got.Distance*got.Distance, 64.0/3, 1e-9) || got.Of[1].K != 4 || got.Of[0].Rows != 10 {
		t.Errorf("%+v", got)
	}
	back := parseJSON[answer.Answer](t, must(t, "compare", "-json", "b.json", "a.json")).Models
	if len(back.Matches) != 4 || back.Matches[1].B != nil || back.Matches[1].Difference != nil {
		t.Errorf("%+v", back.Matches)
	}
	text := must(t, "compare", "a.json", "b.json")
	for _, line := range []string{"p1 p3 1 ",
		"– p1 – ", "p1 0.00000 100.000"} {
		if !strings.Contains(lined(text), line) {
			t.Errorf("no line %q in\n%s", line, text)
		}
	}
}

// Models that cannot be compared are errors.
func TestCompareErrors(t *testing.T) {
	inFolder(t, "1,2\n3,4\n5,7\n")
	must(t, "fit", "-k", "2", "-model", "a.json", "data.csv")
	must(t, "fit", "-k", "2", "-method", "tilsd", "-model", "s.json", "data.csv")
	writeText(t, "three.csv", "1,2,3\n3,4,4\n5,7,2\n")
	must(t, "fit", "-k", "2", "-model", "three.json", "three.csv")
	for name, columns := range map[string]string{"x.csv": "x,y", "z.csv": "x,z", "t.csv": "x,x"} {
		writeText(t, name, columns+"\n1,2\n3,4\n5,7\n")
		must(t, "fit", "-k", "2", "-model", strings.TrimSuffix(name, ".csv")+".json", name)
	}
	for _, f := range []failure{
		{"compare a.json", 2, "compare takes the names of 2 files"},
		{"compare a.json -", 2, "compare takes the names of 2 files"},
		{"compare a.json b.json c.json", 2, "compare takes 2 files, not 3"},
		{"compare a.json missing.json", 1, "open missing.json"},
		{"compare data.csv a.json", 1, "data.csv: not a model"},
		{"compare a.json s.json", 1, "s.json: a model of method tilsd has no prototypes"},
		{"compare a.json three.json", 1, "a.json has 2 columns, but three.json has 3"},
		{"compare x.json z.json", 1, `x.json has a column "y", but z.json has not`},
		{"compare t.json x.json", 1, `t.json has a column "x", but x.json has not`}, // not twice
	} {
		f.check(t)
	}
	must(t, "compare", "a.json", "x.json") // names are on one side only
	if entries, _ := os.ReadDir("."); slices.ContainsFunc(entries,
		func(e os.DirEntry) bool { return strings.HasSuffix(e.Name(), ".tmp") }) {
		t.Errorf("left over: %v", entries)
	}
}

// Of many columns the text names those that moved most, in units of A's scaling.
func TestCompareMany(t *testing.T) {
	inFolder(t, "")
	rows := func(last string) string {
		var b strings.Builder
		for i := range 6 {
			b.WriteString(strings.Repeat(string(rune('0'+i*i%7))+",", 24) + last +
				string(rune('0'+i*i%7)) + "\n")
		}
		return b.String()
	}
	writeText(t, "a.csv", rows("1"))
	writeText(t, "b.csv", rows("9"))
	for _, name := range []string{"a", "b"} {
		must(t, "fit", "-k", "2", "-model", name+".json", name+".csv")
	}
	if text := must(t, "compare", "a.json", "b.json"); !strings.Contains(text,
		"20 of 25 columns that tell most.") {
		t.Errorf("no c25 in\n%s", text)
	}
}
