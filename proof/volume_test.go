package proof

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"softkmeans"
	"softkmeans/enclosure"
	"softkmeans/internal/draws"
	"softkmeans/internal/la"
	"softkmeans/internal/tables"
)

// fitted returns the model of FitMinVolume and its ratio.
func fitted(
	t *testing.T, x *softkmeans.Matrix, k int, o *softkmeans.MinVolumeOptions,
) (*softkmeans.Model, float64) {
	t.Helper()
	m := tables.Must(softkmeans.FitMinVolume(t.Context(), x, k, o))(t)
	return m, tables.Must(VolumeRatio(t.Context(), x, m, nil))(t)
}

// TestVolumeRatio checks it against the floor at the model's own error, and that it is in units of nothing.
func TestVolumeRatio(t *testing.T) {
	x := tables.CSV(t, "iris")
	m, ratio := fitted(t, x, 3, nil)
	b := tables.Must(VolumeFloor(t.Context(), x, 3, m.Objective/m.Floor-1, nil))(t)
	want := math.Exp(tables.LogVolume(t, m.Centers) - b.LogVolume)
	if math.Abs(ratio-want) > 1e-3*want || want > 10 {
		t.Errorf("iris: the ratio is %g, that of the floor %g", ratio, want)
	}
	for by, off := range map[float64]float64{0x1p90: 0, 0x1p-480: 0, 0x1p480: 0, 1: 1e6} {
		far := tables.Mapped(x, func(_, _ int, v float64) float64 { return by*v + off })
		m := tables.Must(softkmeans.FitMinVolume(t.Context(), far, 3, nil))(t)
		if got := tables.Must(VolumeRatio(t.Context(), far, m, nil))(t); math.Abs(got-ratio) > 1e-3*got {
			t.Errorf("%g times as large, %g away: the ratio is %g, not %g", by, off, got, ratio)
		}
	}
	for i, c := range []struct {
		x    *softkmeans.Matrix
		k    int
		o    softkmeans.MinVolumeOptions
		want float64
	}{
		{x, 3, softkmeans.MinVolumeOptions{Sum: softkmeans.SumAtMostOne}, 0},
		{x, 6, softkmeans.MinVolumeOptions{}, 0}, // more than d+1 centers
		{x, 1, softkmeans.MinVolumeOptions{}, 1},
		// A whole direction of noise is within this slack.
		{falling(100, 8, 2), 3, softkmeans.MinVolumeOptions{Slack: 1}, math.MaxFloat64},
	} {
		if _, got := fitted(t, c.x, c.k, &c.o); got != c.want {
			t.Errorf("case %d: the ratio is %g", i, got)
		}
	}
	for k := 2; k <= 4; k++ { // beside pairs at the least error
		m := smallest(t, x, k)
		got := tables.Must(VolumeRatio(t.Context(), x, m, nil))(t)
		if most := []float64{1 + 1e-6, 1 + 1e-6, 1.1}[k-2]; !(got >= 1 && got <= most) {
			t.Errorf("k = %d: the smallest is %g times the least", k, got)
		}
	}
	// Rows that the fit left out do not count.
	wild := x.Clone()
	wild.Row(7)[0] = 1e3
	weights := slices.Repeat([]float64{1}, wild.Rows)
	weights[7] = 0
	less := &softkmeans.MinVolumeOptions{Weights: weights}
	trimmed := tables.Must(softkmeans.FitMinVolume(t.Context(), wild, 3, less))(t)
	left := tables.Must(VolumeRatio(t.Context(), wild, trimmed, &softkmeans.Options{Weights: weights}))(t)
	alone := *trimmed
	alone.Memberships, alone.Clusters = nil, nil
	rest := draws.Chosen(wild, slices.Delete(la.Indices(wild.Rows), 7, 8))
	want = tables.Must(VolumeRatio(t.Context(), rest, &alone, nil))(t)
	if math.Abs(left-want) > 1e-6*want {
		t.Errorf("without row 7: the ratio is %g, not %g", left, want)
	}
	if _, err := VolumeRatio(t.Context(), falling(30, 3, 1), m, nil); !errors.Is(err, softkmeans.ErrShape) {
		t.Errorf("of other columns: %v", err)
	}
	read := *m // an objective that is not of these rows proves nothing
	read.Objective = m.Floor / 2
	if got := tables.Must(VolumeRatio(t.Context(), x, &read, nil))(t); got != 0 {
		t.Errorf("below the floor: the ratio is %g", got)
	}
	flat := *m
	flat.Centers = draws.Chosen(m.Centers, []int{0, 0, 0})
	if got := tables.Must(VolumeRatio(t.Context(), x, &flat, nil))(t); got != 0 {
		t.Errorf("equal centers: the ratio is %g", got)
	}
	// Centers at −s and s have an error of 2(1 − s)², and no shorter interval has less.
	line := softkmeans.NewMatrix(22, 1, []float64{-1, 1, 21: 0})
	ends := &softkmeans.Model{Centers: softkmeans.NewMatrix(2, 1, []float64{-1, 1}), Lambda: 1, Epsilon: 1}
	ends.Volume, ends.Objective = softkmeans.VolumeAffine, .02
	if got := tables.Must(VolumeRatio(t.Context(), line, ends, nil))(t); math.Abs(got-1/.9) > 1e-9 {
		t.Errorf("on a line: the ratio is %g", got)
	}
}

// TestVolumeRatioShrunk: corners that are off the pure rows have a ratio of at least that to corners shrunk to the same
// error, however small the error.
func TestVolumeRatioShrunk(t *testing.T) {
	const s = 1e-10
	for seed := range uint64(10) {
		k := 2 + int(seed%5)
		corners := tables.Normal(k, 8, seed)
		sum := make([]float64, 8)
		for j := range k - 1 {
			la.Axpy(sum, -1, corners.Row(j))
		}
		copy(corners.Row(k-1), sum) // the mean is 0
		x := draws.Chosen(corners, slices.Repeat(la.Indices(k), 100))
		m := &softkmeans.Model{Centers: corners, Volume: softkmeans.VolumeAffine, Lambda: 1, Epsilon: 1}
		m.Objective = s * s * la.SumSquares(x.Data)
		for _, solver := range []softkmeans.Solver{softkmeans.SolverGram, softkmeans.SolverJacobi} {
			got := tables.Must(VolumeRatio(t.Context(), x, m, &softkmeans.Options{Solver: solver}))(t)
			if want := math.Pow(1-s, float64(1-k)); got < want {
				t.Errorf("k = %d, %v: a ratio of 1 + %g, the corners' is 1 + %g", k, solver, got-1, want-1)
			}
		}
	}
}

// TestVolumeFloorTurned: the least volume of two centers is a range along the leading direction. The direction of
// Krylov steps is less exact, so their floor is no larger.
func TestVolumeFloorTurned(t *testing.T) {
	for seed := range uint64(5) {
		x := tables.Normal(200, 150, seed)
		krylov := tables.Must(VolumeFloor(t.Context(), x, 2, 0, &softkmeans.Options{Solver: softkmeans.SolverKrylov}))(t)
		exact := tables.Must(VolumeFloor(t.Context(), x, 2, 0, nil))(t)
		if off := krylov.LogVolume - exact.LogVolume; off > 1e-10 || off < -1e-3 {
			t.Errorf("seed %d: floors %g apart", seed, off)
		}
	}
}

// smallest is the global solution with the smallest simplex.
func smallest(t *testing.T, x *softkmeans.Matrix, k int) *softkmeans.Model {
	t.Helper()
	m := tables.Must(softkmeans.Fit(t.Context(), x, k, nil))(t)
	m = tables.Must(enclosure.Smallest(t.Context(), m))(t)
	m.Certificate = tables.Must(softkmeans.Certify(t.Context(), x, m.Centers, m.Memberships, nil))(t)
	return m
}

// TestVolumeFloorExact: intervals, triangles and pure samples, whose least volume is known.
func TestVolumeFloorExact(t *testing.T) {
	for seed := range uint64(20) {
		x := tables.Normal(3+int(seed), 2, seed)
		if seed%2 == 1 { // many points on a line
			x = tables.Mapped(x, func(_, _ int, v float64) float64 { return math.Round(2 * v) })
		}
		area := tables.LogVolume(t, smallest(t, x, 3).Centers)
		b := tables.Must(VolumeFloor(t.Context(), x, 3, 0, nil))(t)
		if !(b.LogVolume <= area && b.LogVolume > area-1e-4) && area > -20 {
			t.Errorf("seed %d: the floor is %g of %g", seed, math.Exp(b.LogVolume), math.Exp(area))
		}
	}
	line, _ := softkmeans.FromRows([][]float64{{0, 0}, {1, 2}, {3, 6}, {4, 8}})
	if b := tables.Must(VolumeFloor(t.Context(), line, 3, 0, nil))(t); !math.IsInf(b.LogVolume, -1) {
		t.Errorf("points on a line have the floor %g", b.LogVolume)
	}
	noise := falling(30, 3, 1) // whose interval of projected rows is Fit's
	length := tables.LogVolume(t, smallest(t, noise, 2).Centers)
	b := tables.Must(VolumeFloor(t.Context(), noise, 2, 0, nil))(t)
	if !(b.LogVolume <= length && b.LogVolume > length-1e-4) {
		t.Errorf("an interval in noise: the floor is %g of %g", math.Exp(b.LogVolume), math.Exp(length))
	}
	truth := tables.Normal(5, 9, 4)
	x, want := la.Product(shares(200, 5, .5, 4), truth), tables.LogVolume(t, truth)
	for _, about := range []float64{0, 1e9} { // where digits are lost
		far := tables.Mapped(x, func(_, _ int, v float64) float64 { return v + about })
		if b := tables.Must(VolumeFloor(t.Context(), far, 5, 0, nil))(t); math.Abs(b.LogVolume-want) > 1e-4 ||
			about == 0 && b.LogVolume > want {
			t.Errorf("pure samples %g away: the floor is %.9g, not %.9g", about, b.LogVolume, want)
		}
	}
}

// TestVolumeFloorRows: sparse rows have the floor of their entries, and weights count as copies. Calls agree
// in every bit for any number of workers.
func TestVolumeFloorRows(t *testing.T) {
	x := tables.Normal(40, 5, 3)
	twice, weights := softkmeans.NewMatrix(60, 5, nil), slices.Repeat([]float64{1}, 40)
	for i := range 60 {
		copy(twice.Row(i), x.Row(i%40))
		weights[i%20] = 2
	}
	for k := 2; k < 5; k++ {
		floor := func(x softkmeans.Samples, o softkmeans.Options) VolumeBound {
			return tables.Must(VolumeFloor(t.Context(), x, k, .1, &o))(t)
		}
		want := floor(x, softkmeans.Options{Workers: 1})
		if got := floor(tables.Sparse(x), softkmeans.Options{Workers: 3}); got != want {
			t.Errorf("k = %d: sparse rows have the floor %v, dense ones %v", k, got, want)
		}
		a, b := floor(twice, softkmeans.Options{}), floor(x, softkmeans.Options{Weights: weights})
		if math.Abs(a.LogVolume-b.LogVolume) > 1e-9 || math.Abs(a.Error-b.Error) > 1e-9*a.Error {
			t.Errorf("k = %d: copies have the floor %v, weights %v", k, a, b)
		}
	}
	large := &softkmeans.SparseMatrix{Rows: 1 << 14, Cols: 1 << 14, Indptr: make([]int, 1<<14+1)}
	for _, x := range []softkmeans.Samples{
		nil, (*softkmeans.Matrix)(nil), (*softkmeans.SparseMatrix)(nil), large, softkmeans.NewMatrix(0, 2, nil),
	} {
		if _, err := VolumeFloor(t.Context(), x, 2, 0, nil); !errors.Is(err, softkmeans.ErrShape) &&
			!errors.Is(err, softkmeans.ErrTooFewSamples) {
			t.Errorf("%T: %v", x, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := VolumeFloor(ctx, x, 3, 0, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("of an ended context: %v", err)
	}
}

// TestVolumeClimb: no centers with the error of a floor are below it, of those that a climb from a fit finds.
func TestVolumeClimb(t *testing.T) {
	for seed := range uint64(tables.Fewer(2000, 40)) {
		rng := rand.New(rand.NewPCG(seed, 9))
		n, d, k := 5+rng.IntN(26), 1+rng.IntN(5), 2+rng.IntN(3)
		x, o := falling(n, d, seed), &softkmeans.Options{Workers: 1}
		switch rng.IntN(4) {
		case 0:
			x = tables.Mapped(x, func(_, _ int, v float64) float64 { return math.Abs(math.Round(2 * v)) })
		case 1:
			x = tables.Mixtures(n, d, k, seed)
		case 2:
			x = tables.Mapped(x,
				func(_, j int, v float64) float64 { return 1e6 + v*math.Pow(0.1, float64(j)) })
		}
		if rng.IntN(3) == 0 {
			o.Weights = slices.Repeat([]float64{1}, n)
			for i := 1; i < n; i++ {
				o.Weights[i] = float64(rng.IntN(4))
			}
		}
		m, err := softkmeans.FitMinVolume(t.Context(), x, k, &softkmeans.MinVolumeOptions{
			Weights: o.Weights, Workers: 1, Slack: decades(rng, -4, 0), MaxIter: 100})
		if err != nil {
			continue
		}
		bound := tables.Must(VolumeFloor(t.Context(), x, k, max(0, m.Objective/max(m.Floor, 1e-300)-1), o))(t)
		f, least := m.Centers, math.Inf(1)
		for range 40 {
			next, by := f.Clone(), decades(rng, -6, 0)
			for i := range next.Data {
				next.Data[i] += by * (f.At(rng.IntN(k), i%d) - next.Data[i]) * rng.Float64()
			}
			g := tables.Must((&softkmeans.Model{Centers: next}).Predict(nil, x))(t)
			got := tables.Must(softkmeans.Certify(t.Context(), x, next, g, o))(t)
			if volume := tables.LogVolume(t, next); got.Objective <= bound.Error {
				if volume < bound.LogVolume-1e-9 {
					t.Errorf("seed %d: a log volume of %.12g, the floor is %.12g", seed, volume,
						bound.LogVolume)
				}
				if volume < least {
					least, f = volume, next
				}
			}
		}
	}
}

// TestVolumeFloorEdges: shapes that have no volume, and errors.
func TestVolumeFloorEdges(t *testing.T) {
	one := softkmeans.NewMatrix(1, 3, []float64{1, 2, 3})
	same := softkmeans.NewMatrix(4, 2, []float64{5, 7, 5, 7, 5, 7, 5, 7})
	for _, c := range []struct {
		x *softkmeans.Matrix
		k int
	}{{one, 2}, {one, 3}, {same, 2}, {same, 3}, {falling(3, 5, 1), 5}, {falling(30, 2, 1), 4}} {
		b, err := VolumeFloor(t.Context(), c.x, c.k, 0.1, nil)
		if err != nil || !math.IsInf(b.LogVolume, -1) {
			t.Errorf("%d×%d, k = %d: %v, %v", c.x.Rows, c.x.Cols, c.k, b, err)
		}
	}
	if b, err := VolumeFloor(t.Context(), one, 1, 0, nil); err != nil || b.LogVolume != 0 {
		t.Errorf("k = 1: %v, %v", b, err)
	}
	// Whole numbers, which move without rounding: the floor loses nothing far from 0.
	rng := rand.New(rand.NewPCG(1, 3))
	near := tables.Mapped(softkmeans.NewMatrix(40, 4, nil), func(int, int, float64) float64 { return float64(rng.IntN(9)) })
	far := tables.Mapped(near, func(_, j int, v float64) float64 { return 1e14*float64(1+j) + v })
	for k := 2; k <= 4; k++ {
		want, got := tables.Must(VolumeFloor(t.Context(), near, k, 0, nil))(t), tables.Must(VolumeFloor(t.Context(), far, k, 0, nil))(t)
		if math.Abs(got.LogVolume-want.LogVolume) > 1e-10 {
			t.Errorf("k = %d, far from 0: a floor of %v, not %v", k, got, want)
		}
	}
	// A thin triangle, exactly: rounding is 2^-20 of its height.
	for exp := -26; exp <= -10; exp += 4 {
		thin := softkmeans.NewMatrix(6, 2, []float64{0, 0, 1, 0, 0, math.Ldexp(1, exp), 0, 0, 1, 0, 0, math.Ldexp(1, exp)})
		b := tables.Must(VolumeFloor(t.Context(), thin, 3, 1, nil))(t)
		if want := float64(exp-1) * math.Ln2; !(b.LogVolume <= want) || exp == -10 && b.LogVolume < want-1e-9 {
			t.Errorf("a thin triangle: a floor of %v, the volume is %g", b, want)
		}
	}
	// Weights have no unit, and little slack costs little.
	heavy := &softkmeans.Options{Weights: slices.Repeat([]float64{0x1p40}, 40)}
	for k := 2; k <= 4; k++ {
		x := falling(40, 3, 1)
		least := tables.Must(VolumeFloor(t.Context(), x, k, 0, nil))(t).LogVolume
		want, got := tables.Must(VolumeFloor(t.Context(), x, k, 0.1, nil))(t), tables.Must(VolumeFloor(t.Context(), x, k, 0.1, heavy))(t)
		if math.Abs(got.LogVolume-want.LogVolume) > 1e-4 {
			t.Errorf("k = %d, weights of 2^40: a floor of %v, not %v", k, got, want)
		}
		if near := tables.Must(VolumeFloor(t.Context(), x, k, 1e-12, nil))(t); !(near.LogVolume > least-2e-3) {
			t.Errorf("k = %d: a floor of %v, without slack %g", k, near, least)
		}
	}
	for _, slack := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := VolumeFloor(t.Context(), same, 2, slack, nil); err == nil {
			t.Errorf("slack %g is no error", slack)
		}
	}
	for _, k := range []int{0, math.MaxInt / 2} {
		if _, err := VolumeFloor(t.Context(), same, k, 0, nil); !errors.Is(err, softkmeans.ErrOption) {
			t.Errorf("k = %d: %v", k, err)
		}
	}
}

// TestLeastLogProduct compares with a search, and in the convex case with Lagrange's condition.
func TestLeastLogProduct(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 2))
	for i := range 200 {
		p := 1 + rng.IntN(5)
		sigma := make([]float64, p)
		for j := range sigma {
			sigma[j] = 0.05 + rng.ExpFloat64()
		}
		slices.Sort(sigma)
		slices.Reverse(sigma)
		r := sigma[p-1] * rng.Float64()
		bound := leastLogProduct(sigma, r)
		least := math.Inf(1)
		at := make([]float64, p)
		for range 500 { // points of the sphere
			for j := range at {
				at[j] = math.Abs(rng.NormFloat64())
				if i%2 == 0 {
					at[j] /= sigma[j] // as at the least
				}
			}
			size, log := la.Norm(at), 0.0
			for j, v := range at {
				log += math.Log(sigma[j] - r*v/size)
			}
			least = min(least, log)
		}
		if bound > least {
			t.Errorf("%v, r = %g: the bound is %g, a point has %g", sigma, r, bound, least)
		}
		if r <= sigma[p-1]/2 && bound < least-0.05 {
			t.Errorf("%v, r = %g: the bound is %g, the best point has %g", sigma, r, bound, least)
		}
	}
	if got := leastLogProduct([]float64{2, 1}, 1); !math.IsInf(got, -1) {
		t.Errorf("where one can be 0 the bound is %g", got)
	}
	if got := leastLogProduct([]float64{4, 2}, 0); math.Abs(got-math.Log(8)) > 1e-11 || got > math.Log(8) {
		t.Errorf("without an error the bound is %g", got)
	}
}

// TestMomentBound: no simplex of random mixtures is below the bound by moments, and its own
// vertices have the bound.
func TestMomentBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	for seed := range uint64(100) {
		k, n := 2+rng.IntN(3), 2+rng.IntN(7)
		f := falling(k, k-1, seed)
		g := shares(n+k, k, 1, seed)
		w := make([]float64, n+k)
		for i := range w {
			w[i] = float64(1 + rng.IntN(3))
		}
		moments := func(g *softkmeans.Matrix, w []float64) float64 {
			x := la.Product(g, f)
			q := &problem{k: k, d: k - 1, w: x, weights: w}
			return q.moments(singularValues(x, w, true), w, 0)
		}
		volume := tables.LogVolume(t, f)
		if bound := moments(g, w); bound > volume+1e-12 {
			t.Errorf("seed %d: the bound is %g, the volume %g", seed, bound, volume)
		}
		// The vertices alone have the most scatter that there is.
		if bound := moments(shares(k, k, 1, 0), slices.Repeat([]float64{1}, k)); math.Abs(bound-volume) > 1e-8 {
			t.Errorf("seed %d: the bound of vertices is %g, the volume %g", seed, bound, volume)
		}
	}
}

// TestVolumeFloorManyRows: of many rows the design drops some, and the floor is that of the same rows once.
func TestVolumeFloorManyRows(t *testing.T) {
	once := tables.Mixtures(2500, 6, 4, 1)
	twice := softkmeans.NewMatrix(2*once.Rows, 6, nil)
	for i := range twice.Rows {
		copy(twice.Row(i), once.Row(i%once.Rows))
	}
	if twice.Rows <= designRows {
		t.Fatal("no row is dropped")
	}
	a := tables.Must(VolumeFloor(t.Context(), once, 4, 0, nil))(t)
	b := tables.Must(VolumeFloor(t.Context(), twice, 4, 0, nil))(t)
	if math.Abs(a.LogVolume-b.LogVolume) > 1e-4 {
		t.Errorf("floors %g and %g", a.LogVolume, b.LogVolume)
	}
}

// TestTurned: where the basis is turned out of the principal plane, each bounds how far the rows' principal
// parts, seen in the basis, are from the rows' projections.
func TestTurned(t *testing.T) {
	x := falling(40, 6, 3)
	q := tables.Must(open(t.Context(), x, 3, nil, true))(t)
	s := &table{x: x, rows: la.Indices(40)}
	right := &problem{ctx: t.Context(), k: 4, d: 6}
	right.scale(s, nil)
	basis := tables.Must(softkmeans.Principal(t.Context(), x, 3, nil))(t).Basis
	if err := right.project(s, basis, 1, false); err != nil {
		t.Fatal(err)
	}
	if each := q.each(); each > 1e-10 {
		t.Errorf("in the principal plane: %g", each)
	}
	for c, v := range basis.Row(2) { // by 1e-6, towards the third direction
		basis.Row(1)[c] = math.Cos(1e-6)*basis.Row(1)[c] + math.Sin(1e-6)*v
	}
	basis.Rows = 2
	if err := q.project(s, basis, 1, true); err != nil {
		t.Fatal(err)
	}
	most := 0.0
	for i := range x.Rows { // the part along the third direction is missing in the principal part
		most = max(most, math.Abs(math.Sin(1e-6)*right.w.At(i, 2)))
	}
	if bound := q.each(); !(most <= bound && bound < 1e3*most) {
		t.Errorf("bound %g, a row's part is %g off", bound, most)
	}
}

// TestAround: rows in another order have the same mean that reaches farthest, to rounding.
func TestAround(t *testing.T) {
	w, a := tables.Normal(12, 3, 1), make([]float64, 3)
	back := la.Indices(12)
	slices.Reverse(back)
	reaches := func(rows []int) ([]float64, float64) {
		q := &problem{w: draws.Chosen(w, rows), weights: slices.Repeat([]float64{1}, 12)}
		return q.around(reach{near: 1}, 4)(a)
	}
	for i := range w.Rows {
		copy(a, w.Row(i))
		z, r := reaches(la.Indices(12))
		y, s := reaches(back)
		la.Axpy(z, -1, y)
		if la.Norm(z)+math.Abs(r-s) > 1e-12 {
			t.Errorf("towards row %d: %g and %g, %g apart", i, r, s, la.Norm(z))
		}
	}
}

// TestSingularValues: of a column they are below the exact ones by rounding alone.
func TestSingularValues(t *testing.T) {
	for _, n := range []int{3, 100, 2000} {
		w, sum, mean := softkmeans.NewMatrix(n, 1, nil), exactly(0), exactly(0)
		for i := range n {
			w.Data[i] = 0.1 + float64(i%3)
			mean.Add(mean, exactly(w.Data[i]))
		}
		mean.Quo(mean, exactly(float64(n)))
		for _, v := range w.Data {
			off := exactly(0).Sub(exactly(v), mean)
			sum.Add(sum, off.Mul(off, off))
		}
		got := exactly(singularValues(w, slices.Repeat([]float64{1}, n), true)[0])
		if low, _ := sum.Quo(sum.Sub(sum, got.Mul(got, got)), got).Float64(); !(low >= 0 && low < 1e-12) {
			t.Errorf("%d rows: the square is low by %g of it", n, low)
		}
	}
}

// TestOutside: what rows near a line are off it is not more than the bound.
func TestOutside(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 3))
		sin, cos := math.Sincos(rng.Float64())
		basis, x := softkmeans.NewMatrix(1, 2, []float64{cos, sin}), softkmeans.NewMatrix(6, 2, nil)
		for i := 0; i < x.Rows; i += 2 { // in pairs, with a mean of 0
			for j, v := range basis.Row(0) {
				x.Set(i, j, v*float64(1+i))
				x.Set(i+1, j, -v*float64(1+i))
			}
		}
		q, s := &problem{ctx: t.Context(), k: 2, d: 2}, &table{x: x, rows: la.Indices(6)}
		q.scale(s, nil)
		if err := q.project(s, basis, 1, false); err != nil {
			t.Fatal(err)
		}
		squares := exactly(0)
		for i := range x.Rows {
			u, y := basis.Row(0), x.Row(i)
			w := exactly(0)
			for j, v := range y {
				w.Add(w, exactly(0).Mul(exactly(v), exactly(u[j])))
			}
			for j, v := range y {
				left := exactly(0).Sub(exactly(v), exactly(0).Mul(w, exactly(u[j])))
				squares.Add(squares, left.Mul(left, left))
			}
		}
		if squares.Cmp(exactly(q.outside)) > 0 {
			t.Errorf("seed %d: %g outside, bound %g", seed, squares, q.outside)
		}
	}
}

// TestVolumeFloorAttained: pure rows in equal numbers attain the floors by moments and by ellipsoids. Their
// simplex has a volume of 1, exactly: edges of lengths 1, 2, …, k−1, sheared by whole numbers.
func TestVolumeFloorAttained(t *testing.T) {
	for seed := range uint64(tables.Fewer(300, 60)) {
		rng := rand.New(rand.NewPCG(seed, 66))
		p := 1 + rng.IntN(5)
		corners := softkmeans.NewMatrix(p+1, p, nil)
		for j := range p {
			corners.Set(j+1, j, float64(j+1))
			for c := range j {
				corners.Set(j+1, c, float64(rng.IntN(5)-2))
			}
		}
		far := float64(rng.IntN(100))
		corners = tables.Mapped(corners, func(_, _ int, v float64) float64 { return v + far })
		x := draws.Chosen(corners, slices.Repeat(la.Indices(p+1), 1+rng.IntN(9)))
		b := tables.Must(VolumeFloor(t.Context(), x, p+1, 0, nil))(t)
		if !(b.LogVolume <= 0 && b.LogVolume > -1e-5) {
			t.Errorf("seed %d, k = %d: a floor of %g, the volume is 0", seed, p+1, b.LogVolume)
		}
	}
}
