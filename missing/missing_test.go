package missing

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"softkmeans"
	"softkmeans/internal/la"
	"softkmeans/internal/tables"
)

var bg = context.Background()

// gapped returns x with about a third of its entries missing, in three ways.
func gapped(x *softkmeans.Matrix) *softkmeans.Matrix {
	return tables.Mapped(x, func(i, j int, v float64) float64 {
		if (i*i+j)%3 == 1 {
			return math.NaN()
		}
		return v
	})
}

// withGaps returns x with a share of its entries missing.
func withGaps(x *softkmeans.Matrix, share float64, seed uint64) *softkmeans.Matrix {
	rng := rand.New(rand.NewPCG(seed, 77))
	return tables.Mapped(x, func(_, _ int, v float64) float64 {
		if rng.Float64() < share {
			return math.NaN()
		}
		return v
	})
}

func setNaN(row []float64) {
	for j := range row {
		row[j] = math.NaN()
	}
}

func maxDiff(a, b *softkmeans.Matrix) (most float64) {
	for i := range a.Rows {
		for j, v := range a.Row(i) {
			d := math.Abs(v - b.At(i, j))
			if d != d {
				return math.Inf(1)
			}
			most = max(most, d)
		}
	}
	return most
}

func product(g, f *softkmeans.Matrix) *softkmeans.Matrix {
	out := softkmeans.NewMatrix(g.Rows, f.Cols, nil)
	for i := range g.Rows {
		for a, s := range g.Row(i) {
			la.Axpy(out.Row(i), s, f.Row(a))
		}
	}
	return out
}

func rowsOf(m *softkmeans.Matrix, lo, hi int) *softkmeans.Matrix {
	data := m.Data[lo*m.Stride : (hi-1)*m.Stride+m.Cols]
	return &softkmeans.Matrix{Rows: hi - lo, Cols: m.Cols, Stride: m.Stride, Data: data}
}

// TestPredict: every row is the least squares problem of the columns that it has.
func TestPredict(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ n, d, k int }{{60, 5, 3}, {2500, 3, 2}, {30, 70, 4}, {50, 4, 7}, {20, 3, 1}} {
		x, f := gapped(tables.Normal(c.n, c.d, 1)), tables.Normal(c.k, c.d, 2)
		setNaN(x.Row(3))
		for _, m := range []*softkmeans.Model{
			{Centers: f}, {Centers: f, Sum: softkmeans.SumAtMostOne},
		} {
			g := tables.Must(Predict(m, nil, x))(t)
			into := softkmeans.NewMatrix(c.n, c.k, nil)
			if got, err := Predict(m, into, x); got != into || err != nil || !tables.Same(into, g) {
				t.Errorf("%v: %v, or other memberships in dst", c, err)
			}
			for i := range c.n {
				var there []int
				for j, v := range x.Row(i) {
					if v == v {
						there = append(there, j)
					}
				}
				if len(there) == 0 {
					continue
				}
				part := *m
				part.Centers = chosen(f, la.Indices(c.k), there)
				want := tables.Must(part.Predict(nil, chosen(x, []int{i}, there)))(t)
				got := rowsOf(g, i, i+1)
				if c.k > len(there)+1 { // the vertices are dependent: the mixture is unique, not its shares
					got, want = product(got, part.Centers), product(want, part.Centers)
				}
				if off := maxDiff(want, got); !(off < 1e-9) {
					t.Fatalf("%v, row %d: off by %g", c, i, off)
				}
			}
			empty := 1 / float64(c.k)
			if m.Sum == softkmeans.SumAtMostOne {
				empty = 1 / float64(c.k+1)
			}
			if slices.ContainsFunc(g.Row(3), func(v float64) bool { return !tables.Near(v, empty, 1e-14) }) {
				t.Errorf("%v: a row without entries has %v", c, g.Row(3))
			}
		}
	}
}

// TestPredictNone: without a missing entry the bits are those of the model's own methods.
func TestPredictNone(t *testing.T) {
	t.Parallel()
	m := tables.Must(softkmeans.FitMinVolume(bg, tables.CSV(t, "iris"), 3, nil))(t)
	x := tables.Normal(200, 4, 1)
	want := tables.Must(m.Predict(nil, x))(t)
	if got, err := Predict(m, nil, x); err != nil || !tables.Same(got, want) {
		t.Errorf("%v, or other bits", err)
	}
	labels := tables.Must(m.PredictLabels(nil, x))(t)
	if got, err := PredictLabels(m, nil, x); err != nil || !slices.Equal(got, labels) {
		t.Errorf("labels: %v, or others", err)
	}
	x.Set(0, 1, math.NaN()) // the other rows are the same to rounding
	got, err := Predict(m, nil, x)
	if err != nil || !(maxDiff(rowsOf(got, 1, 200), rowsOf(want, 1, 200)) < 1e-12) {
		t.Errorf("one missing: %v, off by %g", err, maxDiff(rowsOf(got, 1, 200), rowsOf(want, 1, 200)))
	}
	mixed := x.Clone()
	mixed.Set(0, 1, product(rowsOf(got, 0, 1), m.Centers).At(0, 1))
	labels = tables.Must(m.PredictLabels(nil, mixed))(t)
	if got, err := PredictLabels(m, nil, x); err != nil || !slices.Equal(got, labels) {
		t.Errorf("labels of a completed row: %v, or others", err)
	}
	m.ClusterMeans, m.ClusterAxes = nil, nil
	largest := (&softkmeans.Model{Memberships: got}).Labels(nil)
	if plain, err := PredictLabels(m, nil, x); err != nil || !slices.Equal(plain, largest) {
		t.Errorf("without means: %v, or not the largest membership", err)
	}
}

func TestPredictErrors(t *testing.T) {
	t.Parallel()
	m, nan := &softkmeans.Model{Centers: tables.Normal(2, 3, 1)}, math.NaN()
	for what, c := range map[string]struct {
		m    *softkmeans.Model
		x    *softkmeans.Matrix
		want error
	}{
		"columns":    {m, softkmeans.NewMatrix(1, 2, []float64{1, nan}), softkmeans.ErrShape},
		"infinity":   {m, softkmeans.NewMatrix(1, 3, []float64{1, nan, math.Inf(1)}), softkmeans.ErrNonFinite},
		"range":      {m, softkmeans.NewMatrix(1, 3, []float64{1, nan, -1e200}), softkmeans.ErrRange},
		"no centers": {&softkmeans.Model{}, softkmeans.NewMatrix(1, 3, nil), softkmeans.ErrTooFewSamples},
		"nil":        {m, nil, softkmeans.ErrShape},
	} {
		if g, err := Predict(c.m, nil, c.x); g != nil || !errors.Is(err, c.want) {
			t.Errorf("%s: %v", what, err)
		}
		if l, err := PredictLabels(c.m, nil, c.x); l != nil || !errors.Is(err, c.want) {
			t.Errorf("%s, labels: %v", what, err)
		}
	}
	far := &softkmeans.Model{
		Centers:      softkmeans.NewMatrix(2, 2, []float64{0x1p519, 0, 0, 1}),
		ClusterMeans: softkmeans.NewMatrix(2, 2, []float64{1, 0, 0, 1}),
	}
	if _, err := PredictLabels(far, nil, softkmeans.NewMatrix(1, 2, []float64{nan, 0})); err != nil {
		t.Errorf("far centers: %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic for a dst of another shape")
		}
	}()
	_, _ = Predict(m, softkmeans.NewMatrix(1, 3, nil), softkmeans.NewMatrix(1, 3, []float64{1, nan, 0}))
}

// observed returns the squared error of a model over the entries that are there, and the squared
// distance from their columns' means, or from 0.
func observed(x *softkmeans.Matrix, m *softkmeans.Model, w []float64) (objective, total float64) {
	mean, mass := make([]float64, x.Cols), make([]float64, x.Cols)
	for pass := range 2 {
		for i := range x.Rows {
			weight := 1.0
			if w != nil {
				weight = w[i]
			}
			for j, v := range x.Row(i) {
				if v != v {
					continue
				}
				if pass == 0 {
					mean[j] += weight * v
					mass[j] += weight
					continue
				}
				r, c := v, v-mean[j]/mass[j]
				if m.Sum == softkmeans.SumAtMostOne {
					c = v
				}
				for a, g := range m.Memberships.Row(i) {
					r -= g * m.Centers.Row(a)[j]
				}
				objective += weight * r * r
				total += weight * c * c
			}
		}
	}
	return objective, total
}

// TestFit: what the model says is of the entries that are there, and so is the floor that it proves.
// Without a missing entry it is FitMinVolume's, to the bit.
func TestFit(t *testing.T) {
	t.Parallel()
	wine := tables.Standardized(tables.CSV(t, "wine"))
	same := &softkmeans.MinVolumeOptions{Seed: 3, Slack: 0.2}
	want := tables.Must(softkmeans.FitMinVolume(bg, wine, 3, same))(t)
	if got, err := Fit(bg, wine, 3, same); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("no gaps: %v, or another model", err)
	}
	x := withGaps(wine, 0.2, 1)
	setNaN(x.Row(4))
	weights, gone := make([]float64, x.Rows), 0
	for i := range weights {
		weights[i] = float64(i%3) / 2
	}
	for _, v := range x.Data {
		if v != v {
			gone++
		}
	}
	for _, o := range []softkmeans.MinVolumeOptions{
		{}, {Weights: weights}, {Sum: softkmeans.SumAtMostOne}, {Lambda: 300, Workers: 1},
	} {
		m := tables.Must(Fit(bg, x, 3, &o))(t)
		for i := range m.Memberships.Rows {
			row, sum := m.Memberships.Row(i), 0.0
			for _, v := range row {
				sum += v
			}
			if slices.Min(row) < 0 || m.Sum == softkmeans.SumToOne && !tables.Near(sum, 1, 1e-12) {
				t.Fatalf("row %d has %v", i, row)
			}
		}
		objective, total := observed(x, m, o.Weights)
		if !tables.Near(m.Objective, objective, 1e-9) || !tables.Near(m.Total, total, 1e-9) {
			t.Errorf("objective %g and total %g, not %g and %g", m.Objective, m.Total, objective, total)
		}
		low := unscaled(tables.Must(tables.Must(findGaps(x, o.Weights))(t).provedFloor(bg, x, 3, &o))(t),
			tables.Must(findGaps(x, o.Weights))(t).exp)
		if c := m.Certificate; m.Floor-m.FloorError > low || m.Floor-m.FloorError < (1-1e-9)*low ||
			low < 0.25*m.Floor || c.Optimal(0) || c.Excess() < m.Objective-low {
			t.Errorf("floor %g − %g of %g, not %g: %+v", m.Floor, m.FloorError, m.Objective, low, c)
		}
		if r := m.Objective / m.Floor; !(r > 1 && r < 1.6) {
			t.Errorf("%g times the expected floor", r)
		}
		if g := tables.Must(Predict(m, nil, x))(t); !(maxDiff(g, m.Memberships) < 1e-12) {
			t.Errorf("memberships are off by %g", maxDiff(g, m.Memberships))
		}
		if labels := tables.Must(PredictLabels(m, nil, x))(t); !slices.Equal(labels, m.Labels(nil)) {
			t.Error("other labels")
		}
		again := o
		again.Workers = 3
		if other, err := Fit(bg, x, 3, &again); err != nil || !reflect.DeepEqual(other, m) {
			t.Errorf("%v, or other bits by three workers", err)
		}
	}
}

// TestFitClusters: labels, means and weights of clusters are of one completion, also for rows with one entry
// left, for more clusters than the columns determine, and for columns whose values come in two groups.
func TestFitClusters(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		n, d, k := 12+rng.IntN(60), 1+rng.IntN(6), 2+rng.IntN(6)
		x := tables.Normal(n, d, rng.Uint64())
		if rng.IntN(2) == 0 { // most values of the last column are 0, the others near the largest
			x = tables.Mapped(tables.Mixtures(n, d, 3, rng.Uint64()), func(i, j int, v float64) float64 {
				if j < d-1 {
					return v
				}
				return max(0, 9+v-float64(i%4)*9)
			})
		}
		x = withGaps(x, 0.1+0.5*rng.Float64(), rng.Uint64())
		o := &softkmeans.MinVolumeOptions{Sum: softkmeans.Sum(rng.IntN(2))}
		if rng.IntN(2) == 0 {
			o.Weights = make([]float64, n)
			for i := range o.Weights {
				o.Weights[i] = float64(rng.IntN(4)) / 3
			}
		}
		m, err := Fit(bg, x, k, o)
		if errors.Is(err, softkmeans.ErrTooFewSamples) {
			continue // a column without an entry
		}
		tables.OK(t, err)
		if labels := tables.Must(PredictLabels(m, nil, x))(t); !slices.Equal(labels, m.Clusters) {
			t.Errorf("n = %d, d = %d, k = %d: other labels than for new rows", n, d, k)
		}
		g := tables.Must(findGaps(x, o.Weights))(t)
		full := g.mixtures(m, m.Memberships, x)
		for j := range k {
			weight, sums := 0.0, make([]float64, d)
			for i, label := range m.Clusters {
				if label == j {
					weight += g.weight(i)
					la.Axpy(sums, g.weight(i), full.Row(i))
				}
			}
			want := m.Centers.Row(j)
			if weight > 0 {
				la.Scale(1/weight, sums)
				want = sums
			}
			off := math.Sqrt(la.SquaredDistance(want, m.ClusterMeans.Row(j)))
			if part := weight / la.Sum(g.weights()); !tables.Near(m.ClusterWeights[j], part, 1e-12) ||
				!(off <= 1e-12*la.Norm(full.Data)) {
				t.Errorf("n = %d, d = %d, k = %d: weight %g, not %g; the mean is off by %g", n, d, k,
					m.ClusterWeights[j], part, off)
			}
		}
	}
}

// TestFitFar: a table far from 0 has the objective and the total of the same table near it.
func TestFitFar(t *testing.T) {
	t.Parallel()
	// Whole multiples of 1/4, which 1e14 more does not round.
	near := tables.Mapped(withGaps(tables.Mixtures(60, 5, 3, 1), 0.2, 1),
		func(_, _ int, v float64) float64 { return math.Round(256*v) / 4 })
	far := tables.Mapped(near, func(_, _ int, v float64) float64 { return v + 1e14 })
	a, b := tables.Must(Fit(bg, near, 3, nil))(t), tables.Must(Fit(bg, far, 3, nil))(t)
	centers := la.Centred(b.Centers, slices.Repeat([]float64{1e14}, 5))
	objective, _ := observed(near, &softkmeans.Model{Centers: centers, Memberships: b.Memberships}, nil)
	if math.Abs(b.Total/a.Total-1) > 1e-12 || math.Abs(b.Objective/objective-1) > 1e-9 {
		t.Errorf("total %g, not %g; objective %g, not %g (near 0: %g)",
			b.Total, a.Total, b.Objective, objective, a.Objective)
	}
}

// TestFitNearer: centers are nearer to those of the whole table than with means in place of the
// missing entries, and λ is about that of the whole table.
func TestFitNearer(t *testing.T) {
	t.Parallel()
	for name, k := range map[string]int{"iris": 3, "wine": 3, "breast_cancer": 2} {
		x := tables.Standardized(tables.CSV(t, name))
		whole := tables.Must(softkmeans.FitMinVolume(bg, x, k, nil))(t)
		gone := withGaps(x, 0.2, 3)
		m := tables.Must(Fit(bg, gone, k, nil))(t)
		filled := gone.Clone()
		if err := tables.Must(findGaps(gone, nil))(t).fillMeans(filled); err != nil {
			t.Fatal(err)
		}
		means := tables.Must(softkmeans.FitMinVolume(bg, filled, k, nil))(t)
		off := func(m *softkmeans.Model) (sum float64) {
			for j := range k {
				least := math.Inf(1)
				for l := range k {
					gap := slices.Clone(whole.Centers.Row(j))
					la.Axpy(gap, -1, m.Centers.Row(l))
					least = min(least, la.Dot(gap, gap))
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

// passes is a context that ends when it has been asked so many times.
type passes struct {
	context.Context
	left int
}

func (p *passes) Err() error {
	if p.left--; p.left >= 0 {
		return nil
	}
	return context.Canceled
}

func TestFitErrors(t *testing.T) {
	t.Parallel()
	ended, cancel := context.WithCancel(bg)
	cancel()
	x := withGaps(tables.Normal(50, 5, 1), 0.2, 1)
	for what, c := range map[string]struct {
		ctx  context.Context
		opts *softkmeans.MinVolumeOptions
		want error
	}{
		"Slack":     {bg, &softkmeans.MinVolumeOptions{Slack: -1}, softkmeans.ErrOption},
		"Workers":   {bg, &softkmeans.MinVolumeOptions{Workers: -1}, softkmeans.ErrOption},
		"Weights":   {bg, &softkmeans.MinVolumeOptions{Weights: []float64{1}}, softkmeans.ErrShape},
		"cancelled": {ended, nil, context.Canceled},
	} {
		if m, err := Fit(c.ctx, x, 2, c.opts); m != nil || !errors.Is(err, c.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := Fit(bg, softkmeans.NewMatrix(0, 2, nil), 2, nil); !errors.Is(err, softkmeans.ErrTooFewSamples) {
		t.Errorf("no rows: %v", err)
	}
	// Wherever ctx ends there is no model, or one that is of the entries that are there.
	models, left := 0, 1
	for ; ; left = left*9/8 + 1 {
		m, err := Fit(&passes{bg, left}, x, 2, &softkmeans.MinVolumeOptions{Workers: 1})
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) || m != nil &&
			(m.Status != softkmeans.StatusCancelled || m.Floor-m.FloorError > m.Objective) {
			t.Fatalf("ended after %d: %v, %v", left, err, m)
		}
		if m != nil {
			models++
		}
	}
	if models == 0 {
		t.Error("no cancelled fit has a model")
	}
	// An end that is heard is the error of the call: from the first questions on, and among the last.
	calls := map[string]func(ctx context.Context) (any, error){
		"Fit": func(ctx context.Context) (any, error) {
			return Fit(ctx, x, 2, &softkmeans.MinVolumeOptions{Workers: 1})
		},
		"Complete": func(ctx context.Context) (any, error) { return Complete(ctx, x, 2, &softkmeans.Options{Workers: 1}) },
	}
	for name, call := range calls {
		all := &passes{bg, math.MaxInt}
		tables.Must(call(all))(t)
		asked := math.MaxInt - all.left
		for n := range min(asked, 100) {
			for _, left := range []int{n, asked - 1 - n} {
				p := &passes{bg, left}
				if _, err := call(p); !errors.Is(err, context.Canceled) {
					t.Errorf("%s, ended after %d of %d: %v", name, left, asked, err)
				}
			}
		}
	}
	m := &softkmeans.Model{Centers: tables.Normal(2, 5, 1)}
	err := tables.Must(findGaps(x, nil))(t).predict(ended, m, softkmeans.NewMatrix(50, 2, nil), x, 1)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("memberships of a fit that ended: %v", err)
	}
}

// TestFitRange: rows that do not count may be of any size and weight, and units change nothing.
func TestFitRange(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	fit := func(n, d, k int, values, weights []float64, slack float64) *softkmeans.Model {
		t.Helper()
		o := &softkmeans.MinVolumeOptions{Weights: weights, Slack: slack}
		return tables.Must(Fit(bg, softkmeans.NewMatrix(n, d, values), k, o))(t)
	}
	far := fit(4, 1, 1, []float64{1e-5, 2e-5, nan, 1e150}, []float64{1, 1, 1, 0}, 0)
	heavy := fit(3, 1, 1, []float64{1, 2, nan}, []float64{1, 1, 1e200}, 0)
	if !tables.Near(far.Objective*1e10, 0.5, 1e-9) || !tables.Near(far.Total*1e10, 0.5, 1e-9) ||
		!tables.Near(heavy.Objective, 0.5, 1e-9) || !tables.Near(heavy.Centers.At(0, 0), 1.5, 1e-9) {
		t.Errorf("objectives %g and %g", far.Objective, heavy.Objective)
	}
	values := []float64{1, 2, 2, nan, 3, 1, nan, 4, 5, 0, 6, 7}
	want := fit(6, 2, 2, values, nil, 0).Centers.At(0, 0)
	for _, unit := range []float64{0x1p-200, 0x1p490} {
		for _, weight := range []float64{1, 1e-300, 1e300} {
			scaled := slices.Clone(values)
			for i := range scaled {
				scaled[i] *= unit
			}
			m := fit(6, 2, 2, scaled, slices.Repeat([]float64{weight}, 6), 0)
			if got := m.Centers.At(0, 0) / unit; !tables.Near(got, want, 1e-6) {
				t.Errorf("times %g, weights %g: a center at %g, not %g", unit, weight, got, want)
			}
		}
	}
	fit(6, 2, 2, values, nil, 1.7e308)
	centers := softkmeans.NewMatrix(2, 2, []float64{0, 0, 1, 1})
	x := softkmeans.NewMatrix(1, 2, []float64{nan, 0.25})
	g, err := Predict(&softkmeans.Model{Centers: centers}, x, x)
	if err != nil || g != x || g.At(0, 0) != 0.75 {
		t.Errorf("dst is x: %v, %v", g, err)
	}
}

// TestFitFixed: fixed centers stay beside missing entries.
func TestFitFixed(t *testing.T) {
	x := tables.CSV(t, "iris")
	o := &softkmeans.MinVolumeOptions{Fixed: rowsOf(x, 0, 2)}
	m := tables.Must(Fit(t.Context(), withGaps(x, 0.1, 3), 3, o))(t)
	for i := range 2 {
		if !slices.Equal(m.Centers.Row(i), x.Row(i)) {
			t.Errorf("center %d is %v, not %v", i, m.Centers.Row(i), x.Row(i))
		}
	}
}
