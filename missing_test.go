package softkmeans

import (
	"context"
	"errors"
	"math"
	"reflect"
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
			g := mustDo(m.PredictMissing(nil, x))(t)
			for i := range c.n {
				var there []int
				for j, v := range x.row(i) {
					if v == v {
						there = append(there, j)
					}
				}
				part := *m
				part.Centers = chosenColumns(f, indices(c.k), there)
				want := mustDo(part.Predict(nil, chosenColumns(x, []int{i}, there)))(t)
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
	m := mustDo(FitMinVolume(bg, loadCSV(t, "iris"), 3, nil))(t)
	x := randomData(200, 4, 3, 1)
	want := mustDo(m.Predict(nil, x))(t)
	if got, err := m.PredictMissing(nil, x); err != nil || !sameMatrix(got, want) {
		t.Errorf("%v, or other bits", err)
	}
	labels := mustDo(m.PredictLabels(nil, x))(t)
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

// TestFitMissingNone: without a missing entry it is FitMinVolume, to the bit.
func TestFitMissingNone(t *testing.T) {
	t.Parallel()
	x := loadCSV(t, "iris")
	o := &MinVolumeOptions{Seed: 3, Slack: 0.2}
	want := mustDo(FitMinVolume(bg, x, 3, o))(t)
	if got, err := FitMissing(bg, x, 3, o); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, or another model", err)
	}
}

// observed returns the squared error of a model over the entries that are there, and the
// squared distance from their columns' means, or from 0.
func observed(x *Matrix, m *Model, w []float64) (objective, total float64) {
	mean, mass := make([]float64, x.Cols), make([]float64, x.Cols)
	for pass := range 2 {
		for i := range x.Rows {
			weight := 1.0
			if w != nil {
				weight = w[i]
			}
			for j, v := range x.row(i) {
				if v != v {
					continue
				}
				if pass == 0 {
					mean[j] += weight * v
					mass[j] += weight
					continue
				}
				r, c := v, v-mean[j]/mass[j]
				if m.Sum == SumAtMostOne {
					c = v
				}
				for a, g := range m.Memberships.row(i) {
					r -= g * m.Centers.row(a)[j]
				}
				objective += weight * r * r
				total += weight * c * c
			}
		}
	}
	return objective, total
}

// TestFitMissing: what the model says is of the entries that are there, and proves no floor.
func TestFitMissing(t *testing.T) {
	t.Parallel()
	wine := standardized(loadCSV(t, "wine"))
	x := withGaps(wine, 0.2, 1)
	copy(x.row(4), nans(13))
	weights := make1(x.Rows)
	for i := range weights {
		weights[i] = float64(i%3) / 2
	}
	for _, o := range []*MinVolumeOptions{nil, {Weights: weights}, {Sum: SumAtMostOne}, {Lambda: 300, Workers: 1}} {
		m := mustDo(FitMissing(bg, x, 3, o))(t)
		if m.Sum == SumToOne {
			checkFeasible(t, m.Memberships)
		}
		objective, total := observed(x, m, orZero(o).Weights)
		if !close9(m.Objective, objective, total) || !close9(m.Total, total, total) {
			t.Errorf("%v: objective %g and total %g, not %g and %g", o, m.Objective, m.Total, objective, total)
		}
		if c := m.Certificate(); m.Floor-m.FloorError > 0 || m.Floor+m.FloorError < m.Objective || c.Optimal(0) || c.Excess < m.Objective || m.VolumeRatio != 0 {
			t.Errorf("%v: floor %g ± %g of %g is proved: %+v", o, m.Floor, m.FloorError, m.Objective, c)
		}
		if r := m.Objective / m.Floor; !(r > 1 && r < 1.6) || m.Missing != 13*178-countFinite(x) {
			t.Errorf("%v: %g times the expected floor; %d missing", o, r, m.Missing)
		}
		g, err := m.PredictMissing(nil, x)
		if err != nil || !(maxDiff(g, m.Memberships) < 1e-12) {
			t.Errorf("%v: %v; memberships are off by %g", o, err, maxDiff(g, m.Memberships))
		}
		labels, err := m.PredictMissingLabels(nil, x)
		if err != nil || !slices.Equal(labels, m.Labels(nil)) {
			t.Errorf("%v: %v, or other labels", o, err)
		}
		again := orZero(o)
		again.Workers = 3
		if other, err := FitMissing(bg, laStrided(x), 3, &again); err != nil || !reflect.DeepEqual(other, m) {
			t.Errorf("%v: %v, or other bits by three workers", o, err)
		}
	}
}

// TestFitMissingFar: a table far from 0 has the objective and the total of the same table near
// it: mixtures in place of missing entries are not rounded.
func TestFitMissingFar(t *testing.T) {
	t.Parallel()
	near, _ := mixtures(60, 5, 3, 0.6, 1, 1)
	// Whole multiples of 1/4, which 1e14 more does not round.
	near = mapped(withGaps(near, 0.2, 1), func(_, _ int, v float64) float64 { return math.Round(256*v) / 4 })
	far := mapped(near, func(_, _ int, v float64) float64 { return v + 1e14 })
	a, b := mustDo(FitMissing(bg, near, 3, nil))(t), mustDo(FitMissing(bg, far, 3, nil))(t)
	objective, _ := observed(near, &Model{Centers: lessRow(b.Centers, slices.Repeat([]float64{1e14}, 5)), Memberships: b.Memberships}, nil)
	if math.Abs(b.Total/a.Total-1) > 1e-12 || math.Abs(b.Objective/objective-1) > 1e-9 {
		t.Errorf("total %g, not %g; objective %g, not %g (near 0: %g)", b.Total, a.Total, b.Objective, objective, a.Objective)
	}
}

func countFinite(x *Matrix) (n int) {
	for _, v := range x.Clone().Data {
		if isFinite(v) {
			n++
		}
	}
	return n
}

// TestFitMissingNearer: centers are nearer to those of the whole table than with means in
// place of the missing entries.
func TestFitMissingNearer(t *testing.T) {
	t.Parallel()
	for name, k := range map[string]int{"iris": 3, "wine": 3, "breast_cancer": 2} {
		x := standardized(loadCSV(t, name))
		whole := mustDo(FitMinVolume(bg, x, k, nil))(t)
		gone := withGaps(x, 0.2, 3)
		m := mustDo(FitMissing(bg, gone, k, nil))(t)
		g := mustDo(findGaps(bg, gone, 1))(t)
		filled := gone.Clone()
		must(t, g.fillMeans(filled, nil))
		means := mustDo(FitMinVolume(bg, filled, k, nil))(t)
		off := func(m *Model) (sum float64) {
			for j := range k {
				least := math.Inf(1)
				for l := range k {
					least = min(least, squaredDistance(whole.Centers.row(j), m.Centers.row(l)))
				}
				sum += least
			}
			return math.Sqrt(sum)
		}
		if !(off(m) < 0.6*off(means)) {
			t.Errorf("%s: off by %g, with means by %g", name, off(m), off(means))
		}
		if r := m.Lambda / whole.Lambda; !(r > 0.85 && r < 1.2) {
			t.Errorf("%s: λ is %g times that of the whole table", name, r)
		}
	}
}

func TestFitMissingErrors(t *testing.T) {
	t.Parallel()
	ended, cancel := context.WithCancel(bg)
	cancel()
	x := withGaps(randomData(50, 5, 0, 1), 0.2, 1)
	for what, c := range map[string]struct {
		ctx  context.Context
		opts *MinVolumeOptions
		want error
	}{
		"unit rows": {bg, &MinVolumeOptions{Rows: RowsUnit}, ErrOption},
		"Trim":      {bg, &MinVolumeOptions{Trim: 0.1}, ErrOption},
		"Slack":     {bg, &MinVolumeOptions{Slack: -1}, ErrOption},
		"Workers":   {bg, &MinVolumeOptions{Workers: -1}, ErrOption},
		"Weights":   {bg, &MinVolumeOptions{Weights: []float64{1}}, ErrShape},
		"cancelled": {ended, nil, context.Canceled},
	} {
		if m, err := FitMissing(c.ctx, x, 2, c.opts); m != nil || !errors.Is(err, c.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := FitMissing(bg, NewMatrix(0, 2, nil), 2, nil); !errors.Is(err, ErrTooFewSamples) {
		t.Errorf("no rows: %v", err)
	}
	// Wherever ctx ends there is no model, or one that is of the entries that are there.
	for left := 1; ; left = left*3/2 + 1 {
		m, err := FitMissing(&passes{Context: bg, left: left}, x, 2, &MinVolumeOptions{Workers: 1})
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) || m != nil && (m.Status != StatusCancelled || m.Missing == 0 || m.Floor > m.FloorError) {
			t.Fatalf("ended after %d: %v, %v", left, err, m)
		}
	}
}
