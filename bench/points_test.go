package main

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The scores of answers by hand: clusters in another order than the classes, a row that is wrong and sure, and
// one that is unsure.
func TestRatePoints(t *testing.T) {
	s := &labelSet{name: "four", x: mat.NewDense(4, 1, []float64{1, 2, 3, 4}), classes: []int{0, 0, 1, 1}, k: 2}
	a := &pointAnswer{way: "by hand", labels: []int{1, 1, 0, 1}, likely: mat.NewDense(4, 2, []float64{0, 1, .25, .75, 1, 0, 0, 1})}
	score, err := s.rate(a)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]float64{
		{score.acc, .75}, {score.brier, (.25*.25*2 + 2) / 4}, {score.loss, (-math.Log(.75) - math.Log(1e-6)) / 4},
		{score.miscalled, (.25 + 1) / 4},
	} {
		if math.Abs(c[0]-c[1]) > 1e-12 {
			t.Errorf("%v, not %v: %+v", c[0], c[1], score)
		}
	}
}

// All ways give rows that add up to 1 and labels that are the classes of clusters far from each other, and the
// tables have them.
func TestComparePoints(t *testing.T) {
	py := pythonFor(t)
	x := simulateImages(90, 6, 3, 4)
	s := &labelSet{name: "far", x: x, k: 3, raw: true}
	for i := range 90 {
		s.classes = append(s.classes, i/30)
		x.Set(i, i/30, x.At(i, i/30)+50)
	}
	answers, err := s.pointAnswers(context.Background(), py)
	if err != nil {
		t.Fatal(err)
	}
	var scores []*pointScore
	for _, a := range answers {
		for i := range s.classes {
			if sum := mat.Sum(a.likely.RowView(i)); math.Abs(sum-1) > 1e-9 {
				t.Fatalf("%s: row %d adds up to %v", a.way, i, sum)
			}
		}
		score, err := s.rate(a)
		if err != nil {
			t.Fatal(err)
		}
		if a.way != "memberships" && (score.acc != 1 || score.brier > 1e-3 || score.miscalled > .05) {
			t.Errorf("%s: %+v", a.way, score)
		}
		scores = append(scores, score)
	}
	var out bytes.Buffer
	writePoints(&out, slices.Concat(scores, scores))
	for _, want := range []string{"| far (raw) | 90×6, 3 |", "Means of 2 sets:", "| log loss |", "| with halves |"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}
