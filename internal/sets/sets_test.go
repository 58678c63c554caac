package sets

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"softkmeans/internal/scale"
	"softkmeans/internal/tables"
	"softkmeans/testdata"
)

// folder has files in a folder of its own, and returns their paths by name.
func folder(t *testing.T, files map[string]string) func(string) string {
	dir := t.TempDir()
	for name, text := range files {
		tables.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	return func(name string) string { return filepath.Join(dir, name) }
}

func TestLoad(t *testing.T) {
	at := folder(t, map[string]string{"a.csv": "u,v\n1,5\n3,5\n", "b.csv": "10\n30\n",
		"words.csv": "cat\ndog\n", "head.csv": "label\n7\n7\n"})
	s, err := Parse("pair=" + at("a.csv") + "," + at("b.csv") + ":" + at("words.csv"))
	if err != nil || s.Name != "pair" || len(s.Views) != 2 {
		t.Fatal(s, err)
	}
	s.Scale = scale.ZScore
	got := tables.Must(s.Load())(t)
	h := 1 / math.Sqrt2 // two columns, of which one is constant
	want := [2][3]float64{{-h, 0, -1}, {h, 0, 1}}
	for i, row := range want {
		for j, v := range row {
			if math.Abs(got.X.At(i, j)-v) > 1e-15 {
				t.Errorf("(%d, %d) is %g, not %g", i, j, got.X.At(i, j), v)
			}
		}
	}
	if got.K != 2 || got.Class[0] != 0 || got.Class[1] != 1 {
		t.Errorf("classes %v of %d", got.Class, got.K)
	}
	s.Scale, s.Labels = scale.None, at("head.csv")
	if got, err = s.Load(); err != nil || got.K != 1 || got.X.At(1, 0) != 3 || got.X.At(1, 2) != 30 {
		t.Errorf("%v, %v", got, err)
	}
	iris := Set{Views: []string{"iris.csv"}, Labels: "iris.labels.csv", Open: testdata.Files.Open}
	if got, err = iris.Load(); err != nil || got.X.Rows != 150 || got.K != 3 {
		t.Errorf("%v, %v", got, err)
	}
	iris.Open = Folders("", t.TempDir(), "../../testdata")
	if got, err = iris.Load(); err != nil || got.X.Cols != 4 {
		t.Errorf("%v, %v", got, err)
	}
}

// Errors say which file is at fault, and where.
func TestErrors(t *testing.T) {
	at := folder(t, map[string]string{"a.csv": "1,5\n3,x\n", "b.csv": "1\n2\n",
		"c.csv": "1\n2\n3\n", "empty.csv": ""})
	for files, want := range map[string]string{
		"a.csv:b.csv": "a.csv:2:2", "b.csv,c.csv:b.csv": "c.csv has 3 rows, ",
		"b.csv:c.csv": "c.csv has 3 labels", "b.csv:empty.csv": "empty.csv",
		"none.csv:b.csv": "none.csv", "b.csv:none.csv": "none.csv", "empty.csv:b.csv": "empty.csv",
	} {
		views, labels, _ := strings.Cut(files, ":")
		s := Set{Name: "s", Labels: at(labels)}
		for _, v := range strings.Split(views, ",") {
			s.Views = append(s.Views, at(v))
		}
		if _, err := s.Load(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", files, err)
		} else if strings.Contains(files, "none") != errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v is taken wrongly for a missing file", files, err)
		}
	}
	if s, err := Parse(`a=x.csv,y.csv:z.csv`); err != nil || s.Labels != `z.csv` || s.Views[1] != `y.csv` {
		t.Errorf("%+v, %v", s, err)
	}
	for _, text := range []string{"", "a", "a=b", "=b:c", "a=b,:c", "a=b:", "a=:c", "a=,b:c"} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%q is a set", text)
		}
	}
	if _, err := (&Set{Labels: at("b.csv")}).Load(); err == nil {
		t.Error("a set of nothing")
	}
	missing := Set{Views: []string{"x.csv"}, Labels: "y.csv", Open: Folders("", "")}
	if _, err := missing.Load(); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
