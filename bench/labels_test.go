package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Views of the same samples share labels, and are joined.
func TestReadLabelSets(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := readLabelSets(dir, nil); err == nil {
		t.Error("an empty folder passes")
	}
	write("a.csv", "1,2\n3,4\n5,6\n")
	write("a.labels.csv", "0\n1\n1\n")
	write("b_one.csv", "1\n2\n")
	write("b_two.csv", "3,4\n5,6\n")
	write("b.labels.csv", "7\n7\n")
	sets, err := readLabelSets(dir, []string{"b_one"})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range sets {
		names = append(names, s.label())
	}
	if want := []string{"a", "b", "b_one (raw)", "b_two"}; !reflect.DeepEqual(names, want) {
		t.Fatalf("%q, not %q", names, want)
	}
	if a := sets[0]; a.k != 2 || !reflect.DeepEqual(a.classes, []int{0, 1, 1}) || a.x.At(2, 1) != 6 {
		t.Errorf("%+v", a)
	}
	if b := sets[1]; b.k != 1 || !mat.Equal(b.x, mat.NewDense(2, 3, []float64{1, 3, 4, 2, 5, 6})) {
		t.Errorf("%+v", b)
	}
	for name, text := range map[string]string{"a number less": "0\n1\n", "nothing": ""} {
		write("a.labels.csv", text)
		if _, err := readLabelSets(dir, nil); err == nil {
			t.Errorf("labels with %s pass", name)
		}
	}
}

// A part has four fifths of the rows with their classes, the same for the same seed.
func TestPart(t *testing.T) {
	s := &labelSet{x: table(50, 2, func(i, j int) float64 { return float64(10*i + j) }), k: 5}
	for i := range 50 {
		s.classes = append(s.classes, i%5)
	}
	p := s.part(3)
	if n, _ := p.x.Dims(); n != 40 || len(p.classes) != 40 || !mat.Equal(p.x, s.part(3).x) || mat.Equal(p.x, s.part(4).x) {
		t.Errorf("%d rows", n)
	}
	for i, class := range p.classes {
		if row := int(p.x.At(i, 0)) / 10; class != row%5 {
			t.Errorf("row %d has class %d", row, class)
		}
	}
}

// Clusters far from each other are found by all ways, and the report says so.
func TestCompareLabels(t *testing.T) {
	x := simulateImages(120, 12, 3, 4)
	s := &labelSet{name: "far", x: x, k: 3, raw: true}
	for i := range 120 {
		s.classes = append(s.classes, i/40)
		x.Set(i, i/40, x.At(i, i/40)+50)
	}
	py := pythonFor(t)
	ways := labelWays
	if py == nil || !py.learn {
		ways = labelWays[:1]
	}
	all, err := s.agreements(context.Background(), ways, 0, py)
	if err != nil {
		t.Fatal(err)
	}
	score, err := s.score(context.Background(), ways[:1], nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range append(all, score.seeds[0], score.parts[0]) {
		if a[0] != 1 || !(a[1] > 0.999) {
			t.Errorf("%v, %v, %v", all, score.seeds, score.parts)
		}
	}
	var out bytes.Buffer
	if st := score.stability; st.accuracy != 1 || st.most() != 0 || st.told != 0 {
		t.Errorf("%+v", st)
	}
	better := labelScore{s, []agreement{{0.5, 0.75}, {0.25, 1}, {0, 0}}, []agreement{{1, 1}, {1, 1}, {1, 1}}, &moves{accuracy: 0.5, moves: [5]float64{0, 0, -0.03}}}
	worse := labelScore{&labelSet{name: "near", x: x, k: 3}, []agreement{{0.5, 0.5}, {1, 0.5}, {0, 0}}, []agreement{{1, 1}, {1, 1}, {1, 1}}, &moves{accuracy: 0.75, moves: [5]float64{0.01, 0.04}, told: 0.1}}
	writeLabels(&out, labelWays, []labelScore{better, worse})
	for _, want := range []string{
		"| far (raw) | 120×12, 3 |",
		"|  +0.010 |  +0.040 | +0.000 |     +0.000 |      +0.000 |                  10 % |",
		"Moves above .02: 2 sets, 1 of them without a warning; 1 sets have one.",
		"FitMinVolume less k-means: ACC -0.125 on average, at worst -0.500 (near); NMI -0.125 on average, at worst -0.250 (far).",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}
