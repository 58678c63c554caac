package softkmeans

import (
	"errors"
	"math"
	"slices"
	"testing"
)

// TestPredictMissing: every row is the least squares problem of the columns that it has.
func TestPredictMissing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ n, d, k int }{{60, 5, 3}, {2500, 3, 2}, {30, 70, 4}, {50, 4, 7}, {20, 3, 1}} {
		x, f := gapped(randomData(c.n, c.d, 1, 1)), randomData(c.k, c.d, 1, 2)
		copy(x.row(3), nans(c.d))
		for _, m := range []*Model{{Centers: f}, {Centers: f, Sum: SumAtMostOne}, {Centers: f, Rows: RowsUnit}} {
			g, err := m.PredictMissing(nil, x)
			if err != nil {
				t.Fatal(err)
			}
			for i := range c.n {
				var there []int
				for j, v := range x.row(i) {
					if v == v {
						there = append(there, j)
					}
				}
				part := *m
				part.Centers = chosenColumns(f, indices(c.k), there)
				want, err := part.Predict(nil, chosenColumns(x, []int{i}, there))
				if err != nil {
					t.Fatal(err)
				}
				got := rowsOf(g, i, i+1)
				if c.k > len(there)+1 { // the vertices are dependent: the mixture is unique, not its shares
					got, want = product(got, part.Centers), product(want, part.Centers)
				}
				if off := maxDiff(want, got); !(off < 1e-9) {
					t.Fatalf("%v, row %d: off by %g", c, i, off)
				}
			}
			empty := 1 / float64(c.k)
			if m.Sum == SumAtMostOne {
				empty = 1 / float64(c.k+1)
			}
			if !slices.ContainsFunc(g.row(3), func(v float64) bool { return math.Abs(v-empty) < 1e-15 }) {
				t.Errorf("%v: a row without entries has %v", c, g.row(3))
			}
		}
	}
}

// TestPredictMissingNone: without a missing entry the bits are those of Predict.
func TestPredictMissingNone(t *testing.T) {
	t.Parallel()
	m, err := FitMinVolume(bg, loadCSV(t, "iris"), 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	x := randomData(200, 4, 3, 1)
	want, err := m.Predict(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := m.PredictMissing(nil, x); err != nil || !sameMatrix(got, want) {
		t.Errorf("%v, or other bits", err)
	}
	labels, err := m.PredictLabels(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := m.PredictMissingLabels(nil, x); err != nil || !slices.Equal(got, labels) {
		t.Errorf("labels: %v, or others", err)
	}
	x.Set(0, 1, math.NaN()) // the other rows are the same to rounding
	got, err := m.PredictMissing(nil, x)
	if err != nil || !(maxDiff(rowsOf(got, 1, 200), rowsOf(want, 1, 200)) < 1e-12) {
		t.Errorf("one missing: %v, off by %g", err, maxDiff(rowsOf(got, 1, 200), rowsOf(want, 1, 200)))
	}
	mixed := x.Clone()
	mixed.Set(0, 1, dot(got.row(0), []float64{m.Centers.At(0, 1), m.Centers.At(1, 1), m.Centers.At(2, 1)}))
	if labels, err = m.PredictLabels(nil, mixed); err != nil {
		t.Fatal(err)
	}
	if got, err := m.PredictMissingLabels(nil, x); err != nil || !slices.Equal(got, labels) {
		t.Errorf("labels of a completed row: %v, or others", err)
	}
	m.ClusterMeans, m.ClusterAxes = nil, nil
	if plain, err := m.PredictMissingLabels(nil, x); err != nil || !slices.Equal(plain, largest(nil, got)) {
		t.Errorf("without means: %v, or not the largest membership", err)
	}
}

func TestPredictMissingErrors(t *testing.T) {
	t.Parallel()
	m := &Model{Centers: randomData(2, 3, 0, 1)}
	nan := math.NaN()
	for what, c := range map[string]struct {
		m    *Model
		x    *Matrix
		want error
	}{
		"columns":    {m, NewMatrix(1, 2, []float64{1, nan}), ErrShape},
		"infinity":   {m, NewMatrix(1, 3, []float64{1, nan, math.Inf(1)}), ErrNonFinite},
		"range":      {m, NewMatrix(1, 3, []float64{1, nan, -1e200}), ErrRange},
		"no centers": {&Model{}, NewMatrix(1, 3, nil), ErrTooFewSamples},
		"nil":        {m, nil, ErrShape},
	} {
		if g, err := c.m.PredictMissing(nil, c.x); g != nil || !errors.Is(err, c.want) {
			t.Errorf("%s: %v", what, err)
		}
		if l, err := c.m.PredictMissingLabels(nil, c.x); l != nil || !errors.Is(err, c.want) {
			t.Errorf("%s, labels: %v", what, err)
		}
	}
	far := &Model{Centers: NewMatrix(2, 2, []float64{0x1p519, 0, 0, 1}), ClusterMeans: NewMatrix(2, 2, []float64{1, 0, 0, 1})}
	if _, err := far.PredictMissingLabels(nil, NewMatrix(1, 2, []float64{nan, 0})); err != nil {
		t.Errorf("far centers: %v", err)
	}
}
