package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/tables"
)

// do runs a command line and returns what it prints.
func do(args ...string) (code int, out, complaints string) {
	var o, c strings.Builder
	code = run(args, &o, &c)
	return code, o.String(), c.String()
}

// irisSet is iris in two views, with words for classes.
func irisSet(t *testing.T) string {
	dir, files := t.TempDir(), map[string]string{"short.csv": "1\n2\n", "bad.csv": "1,2\n3,?!\n"}
	x := tables.CSV(t, "iris")
	for i := range x.Rows {
		files["a.csv"] += fmt.Sprintf("%v,%v\n", x.At(i, 0), x.At(i, 1))
		files["b.csv"] += fmt.Sprintf("%v,%v\n", x.At(i, 2), x.At(i, 3))
		files["l.csv"] += []string{"setosa", "versicolor", "virginica"}[i/50] + "\n"
	}
	for file, s := range files {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(s), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Table I has a row for each method, with what the package says of its labels.
func TestTable(t *testing.T) {
	dir := irisSet(t)
	views := dir + "/a.csv," + dir + "/b.csv"
	code, out, complaints := do("table", "-set", "one="+views+":"+dir+"/l.csv", "-set", "raw="+views+":"+dir+"/l.csv", "-seeds", "2", "-scale", "none")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || len(lines) != 2+2*4 {
		t.Fatalf("code %d, %s\n%s", code, complaints, out)
	}
	for i, want := range []string{"SkM-AM | ", "SkM-Global | ", "MVSkM | ", "k-means | .893 | .758 | .893 |"} { // scikit-learn's on raw iris
		if !strings.HasPrefix(lines[2+i], "| one, 150×4, k = 3 | "+want) {
			t.Errorf("%s: no %s", lines[2+i], want)
		}
	}
	if first, second := lines[2:6], lines[6:10]; strings.Replace(second[1][:40], "raw", "one", 1) != first[1][:40] {
		t.Errorf("the same set twice: %s and %s", first, second)
	}
}

// By the largest memberships methods come in the paper's order, MVSkM before SkM-AM before SkM-Global,
// which has a random B. By the means of clusters the first two are alike.
func TestOrder(t *testing.T) {
	accuracy := func(labels string) (median []float64, out string) {
		code, out, complaints := do("table", "-labels", labels, "-set",
			"iris=../../testdata/iris.csv:../../testdata/iris.labels.csv")
		if code != 0 {
			t.Fatal(complaints)
		}
		for _, line := range strings.Split(out, "\n")[2:5] {
			v, err := strconv.ParseFloat(strings.Fields(strings.Split(line, "|")[3])[0], 64)
			if err != nil {
				t.Fatal(err)
			}
			median = append(median, v)
		}
		return median, out
	}
	if v, out := accuracy("largest"); !(v[2] > v[0] && v[0] > v[1]) ||
		strings.Count(out, "SkM-Global | .647 (") != 1 {
		t.Error(out)
	}
	if v, out := accuracy("means"); v[2] != .960 || v[0] != .960 {
		t.Error(out)
	}
}

// The centers of SkM-AM and SkM-Global are outside of the data, those of MVSkM and k-means
// inside: the paper's remark on Figure 2.
func TestToy(t *testing.T) {
	for _, k := range []int{2, 3, 4} {
		page := filepath.Join(t.TempDir(), "toy.html")
		code, out, complaints := do("toy", "-k", strconv.Itoa(k), "-o", page)
		if code != 0 {
			t.Fatalf("k = %d: %d, %s", k, code, complaints)
		}
		text, err := os.ReadFile(page)
		if err != nil || strings.Count(string(text), "<svg ") != 4 || strings.Count(string(text), "</svg>") != 4 {
			t.Errorf("k = %d: %v, no four pictures", k, err)
		}
		if lines := strings.Split(out, "\n"); len(lines) != 7 || k > 3 && !strings.Contains(out, "MVSkM") {
			t.Errorf("%s", out)
		}
		if k == 4 { // more than d+1 centers have a simplex of no volume
			continue
		}
		x := toyData(k, 1)
		fits, err := (&config{}).toyFits(x, k)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range fits {
			far, err := outside(x, f.Centers)
			if err != nil {
				t.Fatal(err)
			}
			for a, v := range far {
				if inside := f.name == "MVSkM" || f.name == "k-means"; inside != (v == 0) {
					t.Errorf("k = %d, %s: center %d is outside by %g", k, f.name, a, v)
				}
			}
		}
	}
}

func TestOutside(t *testing.T) {
	x, _ := softkmeans.FromRows([][]float64{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {.5, .5}})
	f, _ := softkmeans.FromRows([][]float64{{.2, .9}, {1, 1}, {2, .5}, {4, 5}})
	far, err := outside(x, f)
	for a, want := range []float64{0, 0, 1, 5} {
		if err != nil || math.Abs(far[a]-want) > 1e-9 {
			t.Errorf("center %d: %v, %v", a, far, err)
		}
	}
}

// L never rises. Plain runs begin where those with momentum do, and end within 1 % of the variance of them.
func TestConvergence(t *testing.T) {
	dir := irisSet(t)
	set := "iris=" + dir + "/a.csv," + dir + "/b.csv:" + dir + "/l.csv"
	page := filepath.Join(t.TempDir(), "l.html")
	code, out, complaints := do("convergence", "-set", set, "-trace", "-o", page)
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if code != 0 || err != nil {
		t.Fatalf("code %d, %s%v", code, complaints, err)
	}
	first, last := map[string]float64{}, map[string]float64{}
	for _, row := range rows[1:] {
		v, err := strconv.ParseFloat(row[3], 64)
		if before, ok := last[row[1]]; err != nil || ok && v > before+1e-12*math.Abs(before) || ok == (row[2] == "0") {
			t.Errorf("%v after %g: %v", row, before, err)
		}
		if row[2] == "0" {
			first[row[1]] = v
		}
		last[row[1]] = v
	}
	for _, name := range []string{"SkM-AM", "MVSkM"} {
		if a, b := last[name], last[name+", plain"]; len(last) != 4 || math.Abs(a-b) > .01*300 {
			t.Errorf("%v", last)
		}
		if a, b := first[name], first[name+", plain"]; !(math.Abs(a-b) <= 1e-12*a) {
			t.Errorf("%s begins at %g and at %g", name, a, b)
		}
	}
	if text, err := os.ReadFile(page); err != nil || strings.Count(string(text), "<svg ") != 1 {
		t.Errorf("no curves: %v", err)
	}
	if code, out, _ = do("convergence", "-set", set); code != 0 || strings.Count(out, "| 0 | converged |") != 4 {
		t.Errorf("code %d\n%s", code, out)
	}
}

// k-means: the best of all partitions, and centers that are its means.
func TestKMeans(t *testing.T) {
	x, _ := softkmeans.FromRows([][]float64{{0}, {.1}, {5}, {5.2}, {9}, {9}})
	f, labels, err := bestKMeans(x, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{.05, .05, 5.1, 5.1, 9, 9} {
		if got := f.At(labels[i], 0); math.Abs(got-want) > 1e-15 {
			t.Errorf("row %d has the center %g", i, got)
		}
	}
	if _, labels, err = bestKMeans(softkmeans.NewMatrix(4, 2, nil), 3, 1); err != nil || len(labels) != 4 {
		t.Errorf("equal rows: %v, %v", labels, err)
	}
}

// What is wrong is said, and how to find help.
func TestMistakes(t *testing.T) {
	dir := irisSet(t)
	a, l := dir+"/a.csv", dir+"/l.csv"
	for _, c := range []struct {
		code int
		args []string
		want string
	}{
		{2, nil, "Usage: "},
		{2, []string{"tables"}, "Usage: "},
		{2, []string{"table", "-seeds", "0"}, "-seeds is 0"},
		{2, []string{"table", "-k", "-1"}, "-k is -1"},
		{2, []string{"table", "-labels", "nearest"}, `-labels is "nearest", not largest or means`},
		{2, []string{"table", "x.csv"}, `"x.csv" is no flag; sets are given with -set`},
		{2, []string{"table", "-set", "x.csv"}, `"x.csv" is not of the form name=view.csv,more.csv:labels.csv`},
		{2, []string{"table", "-scale", "log"}, "must be zscore, minmax or none"},
		{2, []string{"toy", "-set", "a=b:c"}, "flag provided but not defined: -set; toy -h tells the flags"},
		{1, []string{"toy", "-slack", "-1"}, "Slack is -1"},
		{1, []string{"table", "-set", "s=" + a + ":" + dir + "/none.csv"}, "set s: open " + dir + "/none.csv"},
		{1, []string{"table", "-set", "s=" + a + "," + dir + "/short.csv:" + l}, "short.csv has 2 rows, " + a + " has 150"},
		{1, []string{"convergence", "-set", "s=" + a + ":" + dir + "/short.csv"}, "short.csv has 2 labels"},
		{1, []string{"table", "-set", "s=" + dir + "/bad.csv:" + l}, "bad.csv:2:2"},
		{1, []string{"toy", "-o", dir + "/none/x.html"}, "none/x.html"},
	} {
		code, _, complaints := do(c.args...)
		if code != c.code || !strings.Contains(complaints, c.want) {
			t.Errorf("%q: code %d, %s", c.args, code, complaints)
		}
	}
	for _, e := range commands {
		if code, out, _ := do(e.name, "-h"); code != 0 || !strings.HasPrefix(out, "Usage: go run ./examples/paper "+e.name) {
			t.Errorf("%s: code %d, %s", e.name, code, out)
		}
		// Every flag is in the help.
		c := e.start
		_, out, _ := do(e.name, "--help")
		f := c.flags(e.name)
		for _, name := range []string{"set", "scale", "k", "seeds", "seed", "slack", "lambda", "plain",
			"labels", "trace", "o"} {
			if has := strings.Contains(out, "\n  -"+name+" "); has != (f.Lookup(name) != nil) {
				t.Errorf("%s: -%s in the help: %v", e.name, name, has)
			}
		}
	}
	if code, out, _ := do("-h"); code != 0 || out != usage {
		t.Error(out)
	}
}
