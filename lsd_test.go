package softkmeans

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// lsdObjective is ‖K − PPᵀ/c‖², entry by entry.
func lsdObjective(k, p *Matrix, c float64) (sum float64) {
	for i := range p.Rows {
		for j := range p.Rows {
			d := k.At(i, j) - dot(p.Row(i), p.Row(j))/c
			sum += d * d
		}
	}
	return sum
}

// TestLSDExact: K = PPᵀ/c gives P and c back.
func TestLSDExact(t *testing.T) {
	t.Parallel()
	for k := 2; k <= 8; k += fewer(1, 3) {
		for seed := range seeds() {
			rng := rand.New(rand.NewPCG(seed, uint64(k)))
			c := math.Exp(math.Log(0.01) + rng.Float64()*math.Log(250/0.01))
			p := dirichlet(fewer(30, 20)*k, k, 0.5, seed)
			kernel := similarityOf(p, c)
			m := mustDo(LSD(bg, kernel, k, &LSDOptions{Seed: seed}))(t)
			checkFeasible(t, m.Memberships)
			total, got := sumSquares(kernel.Data), lsdObjective(kernel, m.Memberships, m.Scale)
			if math.Abs(m.Scale/c-1) > 1e-6 || got > 1e-10*total || matched(p, m.Memberships) > 1e-5 {
				t.Errorf("k=%d seed=%d c=%g: c off by %.1e, objective %g of %g, memberships off by %.1e",
					k, seed, c, m.Scale/c-1, got, total, matched(p, m.Memberships))
			}
			if m.Status != StatusConverged || m.Floor > m.Objective ||
				math.Abs(m.Objective-got) > 1e-25*total {
				t.Errorf("k=%d seed=%d: %v, floor %g, objective %g, here %g",
					k, seed, m.Status, m.Floor, m.Objective, got)
			}
		}
	}
}

// TestLSDNoisy: with noise the objective is at most that of the true P with its best
// scale, at least the floor, and what the model says it is. The descent never ends above
// its start, to the last bit, also where little is left to gain.
func TestLSDNoisy(t *testing.T) {
	t.Parallel()
	falls := func(name string, seed uint64, kernel *Matrix, k int) *LSDModel {
		start := mustDo(LSD(bg, kernel, k, &LSDOptions{Seed: seed, MaxIter: -1}))(t)
		end := mustDo(LSD(bg, kernel, k, &LSDOptions{Seed: seed}))(t)
		if end.Objective > start.Objective || start.Iterations != 0 {
			t.Errorf("%s: from %g to %g", name, start.Objective, end.Objective)
		}
		return end
	}
	for k := 2; k <= 8; k += fewer(1, 3) {
		for seed := range seeds() {
			name := "k=" + strconv.Itoa(k) + " seed=" + strconv.Itoa(int(seed))
			p := dirichlet(fewer(30, 12)*k, k, 0.5, seed)
			kernel := disturbed(similarityOf(p, 3), 0.01, seed)
			m := falls(name, seed, kernel, k)
			checkFeasible(t, m.Memberships)
			pp := similarityOf(p, 1)
			truth := lsdObjective(kernel, p, sumSquares(pp.Data)/dot(pp.Data, kernel.Data))
			got := lsdObjective(kernel, m.Memberships, m.Scale)
			if got > truth || got < m.Floor || math.Abs(got-m.Objective) > 1e-12*m.Total {
				t.Errorf("%s: objective %g (said to be %g), of the true memberships %g, floor %g",
					name, got, m.Objective, truth, m.Floor)
			}
		}
	}
	for seed := range fewer[uint64](40, 8) {
		kernel := similarityOf(dirichlet(fewer(60, 30), 3, 0.5, seed), 2)
		falls("nearly exact", 0, disturbed(kernel, math.Pow(10, -5-float64(seed%8)/2), seed), 3)
	}
}

// TestKernelPredict: new samples through a kernel get what Fit's model gives them, and the
// coordinates are those of which HKH keeps all but the objective. An RBF kernel's rows of
// the training samples give the memberships back, LSD's too where K = PPᵀ/c.
func TestKernelPredict(t *testing.T) {
	x := loadCSV(t, "wine")
	train, rest := rowsOf(x, 0, 90), rowsOf(x, 120, 178)
	all := outer(train)
	m := mustDo(TILSD(bg, all, 3, nil))(t)
	g := mustDo(m.Predict(nil, product(rest, train.transposed())))(t)
	want := mustDo(mustDo(Fit(bg, train, 3, nil))(t).Predict(nil, rest))(t)
	if d := maxDiff(outer(g), outer(want)); d > 1e-8 {
		t.Errorf("PPᵀ of new samples differs by %g", d)
	}
	w := mustDo(m.Coordinates(nil, all))(t)
	left := axpyOf(centredKernel(all), -1, outer(w))
	if got := sumSquares(left.Data); math.Abs(got-m.Objective) > 1e-9*m.Total || w.Cols != 2 {
		t.Errorf("‖HKH − WWᵀ‖² = %g, objective %g", got, m.Objective)
	}
	rbf := rbfOf(train, 1e-5)
	kernel := similarityOf(dirichlet(60, 4, 0.5, 1), 5)
	for name, c := range map[string]struct {
		m    *LSDModel
		rows *Matrix
	}{
		"rbf": {mustDo(TILSD(bg, rbf, 4, &LSDOptions{Enclosure: EnclosureTight}))(t), rbf},
		"LSD": {mustDo(LSD(bg, kernel, 4, nil))(t), kernel},
	} {
		if d := maxDiff(mustDo(c.m.Predict(nil, c.rows))(t), c.m.Memberships); d > 1e-7 {
			t.Errorf("%s: differs by %g", name, d)
		}
		mustPanic(t, func() { c.m.Predict(c.rows, c.rows) })
	}
}

// TestLSDUnits: a power of two is a change of units.
func TestLSDUnits(t *testing.T) {
	kernel := rbfOf(randomData(fullOrder+8, 6, 1, 5), 0.05)
	for name, decompose := range decompositions {
		o := optionsOf(name, LSDOptions{MaxIter: 3})
		want := mustDo(decompose(bg, kernel, 4, o))(t)
		large := mapped(kernel, func(_, _ int, v float64) float64 { return math.Ldexp(v, 300) })
		m := mustDo(decompose(bg, large, 4, o))(t)
		if maxDiff(m.Memberships, want.Memberships) != 0 || m.Scale != math.Ldexp(want.Scale, -300) ||
			m.Gap != want.Gap {
			t.Errorf("%s: other bits for K·2^300", name)
		}
	}
}

// TestLSDErrors: what is no similarity, and sizes that cannot be, are errors that say why.
func TestLSDErrors(t *testing.T) {
	good := similarityOf(dirichlet(12, 2, 1, 1), 1)
	lopsided := good.Clone()
	lopsided.Set(7, 3, lopsided.At(3, 7)+1)
	lopsided.Set(2, 1, lopsided.At(1, 2)+0.5)
	nan := good.Clone()
	nan.Set(4, 5, math.NaN())
	large := 1 << (strconv.IntSize/2 - 9) // k×k numbers have no address
	option := func(o LSDOptions, err error, says string) lsdError { return lsdError{good, 2, &o, err, says} }
	for _, c := range []lsdError{
		{nil, 2, nil, ErrShape, "s is nil"}, {NewMatrix(3, 4, nil), 2, nil, ErrShape, "s is 3×4, not square"},
		{NewMatrix(0, 0, nil), 2, nil, ErrTooFewSamples, "s has no rows"},
		{lopsided, 2, nil, ErrShape, "worst at [7,3]"}, {nan, 2, nil, ErrNonFinite, "s[4,5] = NaN"},
		{mapped(good, func(i, j int, v float64) float64 { return v * above(mostEntry) }), 2, nil, ErrRange, "s[0,0]"},
		{mapped(good, func(i, j int, v float64) float64 { return v * leastScale / 2 }), 2, nil, ErrRange, "s[0,0]"},
		{good, 0, nil, ErrOption, "k is 0"}, {good, -1, nil, ErrOption, "k is -1"},
		{good, math.MaxInt, nil, ErrOption, "too large"},
		{good, math.MaxInt / 2, nil, ErrOption, "too large"},
		{identity(1), large, nil, ErrOption, "k×k numbers"},
		option(LSDOptions{Workers: -1}, ErrOption, "Workers is -1"),
		option(LSDOptions{Starts: -1}, ErrOption, "Starts is -1"),
		option(LSDOptions{Tol: math.NaN()}, ErrOption, "Tol is NaN"),
		option(LSDOptions{Enclosure: 7}, ErrOption, "Enclosure"),
	} {
		for name, decompose := range decompositions {
			if _, err := decompose(bg, c.s, c.k, c.opts); !errors.Is(err, c.err) ||
				!strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v, want %v with %q", name, err, c.err, c.says)
			}
		}
	}
}

type lsdError struct {
	s    *Matrix
	k    int
	opts *LSDOptions
	err  error
	says string
}

// TestLSDDegenerate: what is documented for similarities without structure.
func TestLSDDegenerate(t *testing.T) {
	for name, c := range map[string]struct {
		kernel   *Matrix
		c        float64 // for k = 2; 0: none is best
		relative float64 // objective for k = 2 over the total
	}{
		"zero":              {NewMatrix(5, 5, nil), 0, 0},
		"negative definite": {NewMatrix(2, 2, []float64{-1, 0, 0, -3}), 0, 1},
		"one":               {NewMatrix(1, 1, []float64{4}), 1.0 / 8, 0},
		"one below 0":       {NewMatrix(1, 1, []float64{-4}), 0, 1},
		"constant":          {NewMatrix(4, 4, slices.Repeat([]float64{2}, 16)), 0.25, 0},
		"no positive entry": {NewMatrix(2, 2, []float64{0, -1, -1, 0}), 0, 1},
		"1 not in range":    {NewMatrix(2, 2, []float64{1, -1, -1, 1}), 1, 0.5},
	} {
		for _, f := range []float64{5e149, 1e-150} {
			scaled := mapped(c.kernel, func(_, _ int, v float64) float64 { return f * v })
			for _, k := range []int{1, 2, 9} {
				m := mustDo(LSD(bg, scaled, k, nil))(t)
				checkFeasible(t, m.Memberships)
				if m.Gap < -1e-12 || !(m.FloorError > 0) ||
					m.Status != StatusConverged && m.Status != StatusIterationLimit {
					t.Errorf("%s ×%g, k=%d: %+v", name, f, k, m)
				}
				want := c.c / f
				if k == 2 && (math.Abs(m.Scale-want) > 1e-9*want ||
					m.Total > 0 && math.Abs(m.Objective/m.Total-c.relative) > 1e-12) {
					t.Errorf("%s ×%g: c = %g, want %g; objective %g of %g",
						name, f, m.Scale, want, m.Objective, m.Total)
				}
				ti := mustDo(TILSD(bg, scaled, k, nil))(t)
				checkFeasible(t, ti.Memberships)
				if ti.Status != StatusOptimal || !(ti.Scale > 0) || !isFinite(ti.Scale) {
					t.Errorf("%s ×%g, k=%d: TI %+v", name, f, k, ti)
				}
			}
		}
	}
}

// TestStandOut: the widest drop of at least a hundredfold decides, and all count where there is none.
func TestStandOut(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   int
	}{
		{nil, 0}, {[]float64{3}, 1}, {[]float64{3, 2, 1}, 3}, {[]float64{300, 4, 3}, 3},
		{[]float64{300, 3, 2}, 1}, {[]float64{5, 4, 0.01, 0.009}, 2}, {[]float64{1e6, 1e3, 1, 1e-5, 1e-6}, 3},
	} {
		if got := standOut(c.values); got != c.want {
			t.Errorf("%v: %d stand out, want %d", c.values, got, c.want)
		}
	}
}

// TestLSDMemory: nothing of K's size is allocated, all passes together.
func TestLSDMemory(t *testing.T) {
	if quick() {
		skip(t, "takes seconds under the race detector")
		return
	}
	const n, k = 2500, 6
	kernel := disturbed(similarityOf(dirichlet(n, k, 0.3, 1), 1), 0.05, 1)
	for name, decompose := range decompositions {
		o := optionsOf(name, LSDOptions{Workers: 2, MaxIter: 20})
		if used := allocated(func() { mustDo(decompose(bg, kernel, k, o))(t) }); used > 8*n*n {
			t.Errorf("%s allocated %d bytes, K has %d", name, used, 8*n*n)
		}
	}
}

// FuzzLSD: similarities of any size, in range or not.
func FuzzLSD(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9}, 3, 2, 1)
	f.Add([]byte{200, 0, 255, 128, 1}, 6, 4, 900)
	f.Fuzz(func(t *testing.T, raw []byte, n, k, exp int) {
		n, k = 1+(n&15), 1+(k&7)
		raw = append(raw, 0)
		kernel, at := NewMatrix(n, n, nil), 0
		for i := range n {
			for j := range i + 1 {
				if v := math.Ldexp(float64(int8(raw[at%len(raw)])), exp%1000); isFinite(v) {
					kernel.Set(i, j, v)
					kernel.Set(j, i, v)
				}
				at++
			}
		}
		top, _ := rowMaxAbs(kernel.Data)
		good := top == 0 || leastScale <= top && top <= mostEntry
		for name, decompose := range decompositions {
			m, err := decompose(bg, kernel, k, optionsOf(name, LSDOptions{MaxIter: 50}))
			if good && err != nil || !good && !errors.Is(err, ErrRange) {
				t.Fatalf("%s, largest entry %g: %v", name, top, err)
			}
			if err != nil {
				continue
			}
			checkLSDModel(t, m)
			g, err := m.Predict(nil, kernel)
			if (err != nil) != (m.Scale == 0) {
				t.Fatal(name, err)
			}
			if err == nil {
				checkFeasible(t, g)
			}
			if name == "TILSD" {
				finite(t, "coordinates", mustDo(m.Coordinates(nil, nil))(t).Data...)
				finite(t, "coordinates of rows", mustDo(m.Coordinates(nil, kernel))(t).Data...)
			}
		}
	})
}

// TestLSDOneCluster: for k = 1 P is 1 and c = n²/ΣK, also where the first
// eigenvector is orthogonal to 1 and shows nothing of that.
func TestLSDOneCluster(t *testing.T) {
	for _, kernel := range []*Matrix{
		NewMatrix(2, 2, []float64{2, -1, -1, 2}),
		NewMatrix(4, 4, []float64{3, -1, 0, 0, -1, 3, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}),
		similarityOf(dirichlet(30, 3, 1, 1), 2),
	} {
		m := mustDo(LSD(bg, kernel, 1, nil))(t)
		nn, sum := float64(len(kernel.Data)), sumOf(kernel.Data)
		want := sumSquares(kernel.Data) - sum*sum/nn
		if math.Abs(m.Scale*sum/nn-1) > 1e-12 || math.Abs(m.Objective-want) > 1e-12*m.Total {
			t.Errorf("scale %g, want %g; objective %g, want %g", m.Scale, nn/sum, m.Objective, want)
		}
	}
}

// TestTILSDFarOrigin: a translation of K changes nothing, also where it is so
// large that only rounding of its means is left of HKH, or near to that.
func TestTILSDFarOrigin(t *testing.T) {
	for _, n := range []int{3, 50, fullOrder + 8} {
		for _, v := range []float64{0.3, leastScale, mostEntry} {
			kernel := similarity(n, func(_, _ int) float64 { return v })
			m := mustDo(TILSD(bg, kernel, 3, nil))(t)
			if m.Projection.Cols != 0 || m.Floor != 0 || m.Objective > m.FloorError ||
				maxDiff(m.Memberships, uniform(n, 3)) > 0 {
				t.Errorf("n=%d, all %g: rank %d, objective %g, floor %g, memberships %v",
					n, v, m.Projection.Cols, m.Objective, m.Floor, m.Memberships.Row(0))
			}
			checkLSDModel(t, m)
			mustDo(m.Predict(nil, kernel))(t)
		}
		if n%2 == 1 {
			continue
		}
		// b adds up to 0, so that HKH = bbᵀ, and all sums are exact.
		b := func(i int) float64 { return float64(2*(i%2) - 1) }
		for _, far := range []float64{0, 0x1p30, 0x1p45} {
			kernel := similarity(n, func(i, j int) float64 { return far + b(i)*b(j) })
			m := mustDo(TILSD(bg, kernel, 2, nil))(t)
			if m.Floor > 0 || m.Objective > 1e-20*m.Total || math.Abs(m.Scale-0.5) > 1e-12 ||
				math.Abs(m.Total-float64(n*n)) > 1e-9*m.Total {
				t.Errorf("n=%d, far %g: scale %g, objective %g, floor %g (above %g), total %g",
					n, far, m.Scale, m.Objective, m.Floor, m.FloorError, m.Total)
			}
		}
	}
}

// TestLSDCancelled ends the context at every look that is taken at it: the error is ctx's, and a
// model of LSD is feasible, shows something of K, and is what it says it is.
func TestLSDCancelled(t *testing.T) {
	dense := disturbed(similarityOf(dirichlet(20, 3, 0.5, 1), 2), 0.3, 2)
	for kind, kernel := range map[string]*Matrix{"linear": outer(randomData(20, 6, 3, 5)), "dense": dense} {
		for name, decompose := range decompositions {
			kept := 0
			for at := 0; ; at++ {
				ctx := endingAt(at)
				m, err := decompose(ctx, kernel, 3, optionsOf(name, LSDOptions{Workers: 1, MaxIter: 5, Starts: 1}))
				if err == nil {
					if ctx.left.Load() < 0 || at < 5 {
						t.Errorf("%s, %s: no error at look %d", kind, name, at)
					}
					break
				}
				if !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				if m == nil {
					continue
				}
				kept++
				checkFeasible(t, m.Memberships)
				if got := lsdObjective(kernel, m.Memberships, m.Scale); m.Status != StatusCancelled ||
					math.Abs(got-m.Objective) > 1e-9*m.Total ||
					maxDiff(m.Memberships, uniform(20, 3)) < 1e-3 {
					t.Errorf("%s, look %d: %v, objective %g, truly %g", kind, at, m.Status, m.Objective, got)
				}
			}
			if (kept > 0) != (name == "LSD") {
				t.Errorf("%s, %s: %d models", kind, name, kept)
			}
		}
	}
}

// refused returns the errors of f for these options.
func refused(list []*LSDOptions, f func(o *LSDOptions) error) (errs []error) {
	for _, o := range list {
		errs = append(errs, f(o))
	}
	return errs
}

// TestLSDUnread: an option that a function does not read is an error there.
func TestLSDUnread(t *testing.T) {
	k := identity(3)
	lsd := []*LSDOptions{{Starts: 1}, {MaxIter: -1}, {Tol: 1}, {Progress: func(Iteration) {}}}
	tilsd := []*LSDOptions{{Enclosure: EnclosureTight}}
	for name, err := range map[string][]error{
		"LSD":         refused(tilsd, func(o *LSDOptions) error { return second(LSD(bg, k, 2, o)) }),
		"TILSD":       refused(lsd, func(o *LSDOptions) error { return second(TILSD(bg, k, 2, o)) }),
		"LSDFloors":   refused(append(lsd, tilsd...), func(o *LSDOptions) error { return second(LSDFloors(bg, k, 2, o)) }),
		"TILSDFloors": refused(append(lsd, tilsd...), func(o *LSDOptions) error { return second(TILSDFloors(bg, k, 2, o)) }),
		"no clusters": {second(LSDFloors(bg, k, 0, nil)), second(TILSDFloors(bg, k, 0, nil))},
	} {
		for i, err := range err {
			if !errors.Is(err, ErrOption) {
				t.Errorf("%s, %d: %v", name, i, err)
			}
		}
	}
}

// TestLSDFloorsNegative: where no eigenvalue is above 0 random vectors leave much open, and a factorization
// closes it.
func TestLSDFloorsNegative(t *testing.T) {
	const n = provedOrder + 1
	k, all := NewMatrix(n, n, nil), 0.0
	for i := range n {
		v := -float64(i) / n
		k.Set(i, i, v)
		all += v * v
	}
	for i, v := range mustDo(LSDFloors(t.Context(), k, 2, nil))(t) {
		if math.Abs(v-all) > 1e-9*all {
			t.Errorf("%d clusters: a floor of %g, want %g", i+1, v, all)
		}
	}
}
