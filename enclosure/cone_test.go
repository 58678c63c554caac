package enclosure

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"softkmeans"
	"softkmeans/internal/la"
	"softkmeans/internal/tables"
)

// atFloor fails unless m is proved to be at its floor, by its memberships and by those of Predict.
func atFloor(t *testing.T, what string, x *softkmeans.Matrix, m *softkmeans.Model, w []float64) {
	t.Helper()
	predicted := *m
	predicted.Memberships = tables.Must(m.Predict(nil, x))(t)
	for _, m := range []*softkmeans.Model{m, &predicted} {
		c := certified(t, x, m, w)
		if m.Status != softkmeans.StatusOptimal || m.Sum != softkmeans.SumAtMostOne ||
			c.Total > 0 && !c.Optimal(1e-11) || m.Floor-m.FloorError > c.Floor+c.FloorError {
			t.Fatalf("%s: %d×%d, k = %d: %v, %+v", what, x.Rows, x.Cols, m.Centers.Rows, m.Status, c)
		}
	}
}

// TestCone: on nonnegative data of all shapes, scales and weights the objective is the floor, Σ_{i>k} σ_i².
func TestCone(t *testing.T) {
	t.Parallel()
	for seed := range uint64(tables.Fewer(3000, 150)) {
		rng := rand.New(rand.NewPCG(seed, 12))
		n, d := 1+rng.IntN(40), 1+rng.IntN(20)
		k := 1 + rng.IntN(min(n, d)+2)
		unit := []float64{1, 1e150, 1e-148, 7}[rng.IntN(4)]
		x := tables.Mapped(nonnegative(n, d, []float64{0, 0.3, 0.7, 0.9}[rng.IntN(4)], seed),
			func(_, _ int, v float64) float64 { return unit * v })
		o := &softkmeans.Options{Enclosure: softkmeans.Enclosure(rng.IntN(2)), Solver: softkmeans.Solver(rng.IntN(4))}
		if unit != 1e-148 && rng.IntN(3) == 0 { // rows of weight 0 do not keep data in range
			o.Weights = make([]float64, n)
			for i := range o.Weights {
				o.Weights[i] = float64(rng.IntN(4))
			}
			o.Weights[0] = 2
		}
		if rng.IntN(3) == 0 {
			o.Orientation = softkmeans.RandomOrientation(k, seed)
		}
		m := tables.Must(Cone(t.Context(), x, k, o))(t)
		if m.Total == 0 {
			continue
		}
		atFloor(t, "random", x, m, o.Weights)
		own := &softkmeans.Options{Weights: o.Weights, Sum: softkmeans.SumAtMostOne}
		floors := tables.Must(softkmeans.Floors(t.Context(), x, own))(t)
		if k <= len(floors) && math.Abs(floors[k-1]-m.Floor) > 1e-13*m.Total {
			t.Fatalf("seed %d: floors %v, floor %g for %d", seed, floors, m.Floor, k)
		}
	}
}

// TestConeEdges: shapes and ranks at their limits, and rows that the theorem splits off.
func TestConeEdges(t *testing.T) {
	noise, dark := tables.Normal(40, 6, 5), nonnegative(40, 6, 0, 4)
	for i := range 10 { // rows without light have noise alone, at the level of rounding
		for j := range dark.Cols {
			dark.Set(i, j, 1e-17*noise.At(i, j))
		}
	}
	table := func(n, d int, entry func(i, j int) float64) *softkmeans.Matrix {
		return tables.Mapped(softkmeans.NewMatrix(n, d, nil), func(i, j int, _ float64) float64 { return entry(i, j) })
	}
	for name, x := range map[string]*softkmeans.Matrix{
		"zeros": softkmeans.NewMatrix(4, 3, nil), "one row": nonnegative(1, 4, 0, 1),
		"one column": nonnegative(5, 1, 0, 1), "one number": softkmeans.NewMatrix(1, 1, []float64{-3}),
		"equal rows": table(5, 3, func(_, j int) float64 { return float64(j) }),
		"a ray":      table(5, 3, func(i, j int) float64 { return float64(i) * float64(j+1) }),
		"dark rows":  dark, "negative": tables.Mapped(dark, func(_, _ int, v float64) float64 { return -v }),
		"parts of other columns": table(12, 9, func(i, j int) float64 {
			if j/3 != i/4 {
				return 0
			}
			return float64(1+(i*7+j%3*5)%11) * []float64{3, 2, 1}[i/4]
		}),
		"of both signs": table(50, 4, func(i, j int) float64 {
			return []float64{1, -2, 1, 1}[j] * (3 + tables.Normal(50, 4, 6).At(i, j)/2)
		}),
		"identity": table(4, 4, func(i, j int) float64 { return float64(max(0, 1-(i-j)*(i-j))) }),
	} {
		for k := 1; k <= x.Cols+2; k++ {
			for solver := range softkmeans.SolverKrylov + 1 {
				if solver == softkmeans.SolverKrylov && name == "identity" {
					continue // ties: any direction of them may come first
				}
				o := &softkmeans.Options{Solver: solver}
				atFloor(t, name, x, tables.Must(Cone(t.Context(), x, k, o))(t), nil)
			}
		}
	}
	line := softkmeans.NewMatrix(4, 1, []float64{-1, 2, -3, 0})
	m := tables.Must(Cone(t.Context(), line, 1, nil))(t)
	if m.Status != softkmeans.StatusNoHalfSpace || math.Abs(m.Objective-4) > 1e-12 {
		t.Errorf("two signs on a line: %v, objective %g", m.Status, m.Objective)
	}
	m = tables.Must(Cone(t.Context(), line, 2, nil))(t) // a simplex around 0 needs no half-space
	if m.Status != softkmeans.StatusOptimal || m.Objective > 1e-25 {
		t.Errorf("two signs on a line, k = 2: %v, objective %g", m.Status, m.Objective)
	}
}

// TestConeWithoutHalfSpace: the model is feasible, at most the minimum for sums of 1, and not optimal. Small
// rows outside of the half-space of the others cost no more than their squares.
func TestConeWithoutHalfSpace(t *testing.T) {
	t.Parallel()
	for seed := range uint64(tables.Fewer(20, 6)) {
		x, k := tables.Normal(80, 5, seed), 1+int(seed%4)
		if seed%2 == 1 {
			x = tables.Mapped(x, func(_, _ int, v float64) float64 { return v + .3 })
		}
		m := tables.Must(Cone(t.Context(), x, k, nil))(t)
		one := tables.Must(softkmeans.Fit(t.Context(), x, k, nil))(t)
		c := certified(t, x, m, nil)
		if m.Status != softkmeans.StatusNoHalfSpace || !(c.Gap > 1e-4) || c.Optimal(0) ||
			m.Objective > one.Objective*(1+1e-12) || math.Abs(c.Gap-m.Gap) > 1e-12 {
			t.Errorf("seed %d, k = %d: %v, gap %g, %+v, to one %g", seed, k, m.Status, m.Gap, c, one.Objective)
		}
		a := tables.Must(softkmeans.FitAlternating(t.Context(), x, k,
			&softkmeans.MinVolumeOptions{Sum: softkmeans.SumAtMostOne, MaxIter: 200, Restarts: 3}))(t)
		if a.Objective < m.Floor-1e-12*m.Total {
			t.Errorf("seed %d: %g below the floor %g", seed, a.Objective, m.Floor)
		}
	}
	x, noise, dim := nonnegative(60, 8, 0.3, 7), tables.Normal(60, 8, 8), 0.0
	for i := range 20 {
		for j := range x.Cols {
			x.Set(i, j, 1e-4*noise.At(i, j))
		}
		dim += la.SumSquares(x.Row(i))
	}
	m := tables.Must(Cone(t.Context(), x, 3, nil))(t)
	if m.Status != softkmeans.StatusNoHalfSpace || !(m.Objective-m.Floor <= dim) || m.Objective < m.Floor {
		t.Errorf("%v, %g above the floor, the dim rows have %g", m.Status, m.Objective-m.Floor, dim)
	}
}

// TestConeSmall: memberships keep their digits over 30 decades, and so do Predict's, whose certificate is optimal.
func TestConeSmall(t *testing.T) {
	for _, far := range []float64{1e3, 1e15, 4e30} {
		x, weights := softkmeans.NewMatrix(2, 1, []float64{far, 4}), []float64{1, far * far}
		m := tables.Must(Cone(t.Context(), x, 1, &softkmeans.Options{Weights: weights}))(t)
		g := tables.Must(m.Predict(nil, x))(t)
		own, predicted := m.Memberships.At(1, 0), g.At(1, 0)
		m.Memberships = g
		c := certified(t, x, m, weights)
		if !m.Certificate.Optimal(0) || !c.Optimal(0) || math.Abs(own*far-4) > 1e-15*4 || math.Abs(own-predicted) > 0x1p-50*own {
			t.Errorf("%g: memberships %g and %g, %+v, Predict's %+v", far, own, predicted, m.Certificate, c)
		}
	}
}

// TestConeOptions: sparse rows have the same minimum; options that have no meaning are errors before any work.
func TestConeOptions(t *testing.T) {
	x := nonnegative(30, 6, .8, 1)
	w := make([]float64, 30)
	for i := range w {
		w[i] = float64(i % 3)
	}
	want := tables.Must(Cone(t.Context(), x, 3, &softkmeans.Options{Weights: w}))(t)
	got := tables.Must(Cone(t.Context(), tables.Sparse(x), 3, &softkmeans.Options{Weights: w, Sum: softkmeans.SumAtMostOne}))(t)
	if math.Abs(got.Objective-want.Objective) > 1e-10*want.Total {
		t.Errorf("sparse rows: objective %g, want %g", got.Objective, want.Objective)
	}
	for name, c := range map[string]struct {
		x    softkmeans.Samples
		k    int
		o    *softkmeans.Options
		want error
	}{
		"k of 0": {x, 0, nil, softkmeans.ErrOption}, "a large k": {x, mostCenters + 1, nil, softkmeans.ErrOption},
		"an enclosure":    {x, 2, &softkmeans.Options{Enclosure: 2}, softkmeans.ErrOption},
		"an orientation":  {x, 3, &softkmeans.Options{Orientation: x}, softkmeans.ErrShape},
		"a sum":           {x, 2, &softkmeans.Options{Sum: 7}, softkmeans.ErrOption},
		"a field unread":  {x, 2, &softkmeans.Options{MostK: 2}, softkmeans.ErrOption},
		"too few weights": {x, 2, &softkmeans.Options{Weights: w[:3]}, softkmeans.ErrShape},
		"no rows":         {nil, 2, nil, softkmeans.ErrShape}, "a nil matrix": {(*softkmeans.Matrix)(nil), 2, nil, softkmeans.ErrShape},
		"a NaN": {tables.Mapped(x, func(i, j int, v float64) float64 { return math.NaN() }), 2, nil, softkmeans.ErrNonFinite},
	} {
		if m, err := Cone(t.Context(), c.x, c.k, c.o); m != nil || !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if m, err := Cone(ctx, x, 2, nil); m != nil || !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestHalfSpace: the margin is that of the axis, no axis has one that is larger by more than marginShare, and
// rows on both sides of 0 have none.
func TestHalfSpace(t *testing.T) {
	all := func(int) bool { return false }
	for seed := range uint64(tables.Fewer(300, 60)) {
		rng := rand.New(rand.NewPCG(seed, 3))
		n, p := 1+rng.IntN(40), 1+rng.IntN(6)
		truth := tables.Normal(1, p, seed).Row(0)
		la.Scale(1/la.Norm(truth), truth)
		wide := []float64{.1, 1, 10}[seed%3]
		w := tables.Mapped(tables.Normal(n, p, seed+1000), func(_, j int, v float64) float64 { return wide * v })
		for i := range n { // on the side of the truth
			h := la.Dot(w.Row(i), truth)
			la.Axpy(w.Row(i), .5+rng.Float64()+max(0, -h)-h*0, truth)
		}
		least := func(v []float64) float64 {
			low := 1.0
			for i := range n {
				low = min(low, la.Dot(v, w.Row(i))/la.Norm(w.Row(i)))
			}
			return low
		}
		axis, margin, err := halfSpace(t.Context(), w, all)
		if err != nil || axis == nil || math.Abs(least(axis)-margin) > 1e-12 || margin < marginShare*least(truth) {
			t.Errorf("seed %d: %v, margin %g, %v; the truth's is %g", seed, axis, margin, err, least(truth))
		}
		both := softkmeans.NewMatrix(n+1, p, append(append([]float64{}, w.Data...), w.Row(0)...))
		la.Scale(-1, both.Row(n))
		if axis, margin, _ := halfSpace(t.Context(), both, all); axis != nil && margin >= leastMargin {
			t.Errorf("seed %d: a half-space of margin %g around 0", seed, margin)
		}
	}
	none := func(int) bool { return true }
	if axis, _, err := halfSpace(t.Context(), softkmeans.NewMatrix(3, 2, nil), none); axis != nil || err != nil {
		t.Errorf("no rows have the axis %v, %v", axis, err)
	}
}

// FuzzCone: any data has a feasible model that is no better than its floor and no worse than that of sums of 1,
// and Smallest keeps its mixtures.
func FuzzCone(f *testing.F) {
	f.Add([]byte{23, 4, 0x2e, 33, 66, 99, 122, 155})
	f.Add([]byte{3, 2, 1, 0, 128, 255, 7, 9, 200, 31, 64, 2})
	// A row of zeros between others.
	f.Add([]byte("\x1a\x02\r\x00\x80\x10\x00\x00\x00\x1f4\u079b\xffd\u0204@\xf0"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 5 {
			return
		}
		k, d, n := 1+int(data[0]%6), 1+int(data[1]%5), 1+(len(data)-4)/(1+int(data[1]%5))
		x, o := softkmeans.NewMatrix(n, d, nil), &softkmeans.Options{Enclosure: softkmeans.Enclosure(data[2] % 2)}
		for i, v := range data[3:min(len(data), 3+n*d)] {
			x.Data[i] = float64(int8(v)) * math.Pow(2, float64(data[2]%7)-3)
			if data[2]&64 > 0 {
				x.Data[i] = math.Abs(x.Data[i])
			}
		}
		m := tables.Must(Cone(t.Context(), x, k, o))(t)
		one := tables.Must(softkmeans.Fit(t.Context(), x, k, nil))(t)
		feasible(t, m)
		most := 1e-9*m.Total + m.FloorError
		if m.Status == softkmeans.StatusOptimal && m.Objective-m.Floor > most || m.Objective < m.Floor-most ||
			m.Objective > one.Objective+most {
			t.Fatalf("%v, objective %g, floor %g, total %g; to one %g", m.Status, m.Objective, m.Floor, m.Total, one.Objective)
		}
		s := tables.Must(Smallest(t.Context(), m))(t)
		if c := certified(t, x, s, nil); math.Abs(c.Objective-m.Objective) > most {
			t.Fatalf("objective %g, of the smallest %g", m.Objective, c.Objective)
		}
	})
}
