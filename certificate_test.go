package softkmeans

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestCertify: centers off the subspace, and rows without variance, where an objective of
// rounding is a gap of 0 and any other the largest.
func TestCertify(t *testing.T) {
	x := loadCSV(t, "iris")
	m := mustDo(Fit(bg, x, 3, nil))(t)
	floors, total := oracle(x, nil)
	off := m.Centers.Clone()
	off.Set(0, 3, off.At(0, 3)+5)
	c := mustDo(Certify(bg, x, off, m.Memberships, nil))(t)
	want := (plainObjective(x, off, m.Memberships, nil) - floors[2]) / total
	if c.Optimal(0) || math.Abs(c.Gap-want) > 1e-12 || c.SpanError < 0.1 {
		t.Errorf("%+v, gap should be %g", c, want)
	}
	same := mapped(NewMatrix(7, 3, nil), func(_, j int, _ float64) float64 { return 0.1 + float64(j)/3 })
	for _, k := range []int{1, 3, 50} {
		m := mustDo(Fit(bg, same, k, nil))(t)
		if c := mustDo(Certify(bg, same, m.Centers, m.Memberships, nil))(t); c.Gap != 0 || m.Gap != 0 ||
			!c.Optimal(0) {
			t.Errorf("identical rows, k=%d: %+v", k, c)
		}
		m.Centers.Set(0, 0, 0.1001)
		if c := mustDo(Certify(bg, same, m.Centers, m.Memberships, nil))(t); c.Optimal(0) {
			t.Errorf("identical rows, k=%d, a center off: %+v", k, c)
		}
	}
}

// TestSkMable: mixtures of k are those of k and more, at all scales.
func TestSkMable(t *testing.T) {
	for _, scale := range []float64{1, 1e-150, 3e148} { // times 100
		for _, k := range []int{1, 2, 5} {
			// An exact mixture of k prototypes far from the origin.
			x := product(dirichlet(60, k, 1, uint64(k)), moved(randomData(k, 9, 0, uint64(k)), 100))
			for i := range x.Data {
				x.Data[i] *= scale
			}
			for try := 1; try <= 10; try++ {
				ok, err := SkMable(bg, x, try, 0)
				if err != nil || ok != (try >= k) {
					t.Errorf("mixture of %d, k=%d: %v, %v", k, try, ok, err)
				}
			}
			x.Data[7] *= 1 + 1e-6
			if ok, _ := SkMable(bg, x, k, 0); ok {
				t.Errorf("k=%d: noise of 1e-6 not seen", k)
			}
			if ok, _ := SkMable(bg, x, k, 1e-4); !ok {
				t.Errorf("k=%d: tolerance not used", k)
			}
		}
	}
	// A line so far from 0 that storing it bends it by some 1e-9 of its length.
	far := NewMatrix(60, 4, nil)
	for i := range far.Rows {
		for j := range far.Cols {
			far.Set(i, j, 1e8+float64(j+1)*float64(i)/180)
		}
	}
	if !mustDo(SkMable(bg, far, 2, 0))(t) {
		t.Error("a line, rounded as doubles near 1e8 are, is no mixture of 2")
	}
}

// TestCentersOf: the residuals are orthogonal to the memberships, for weights, sparse rows and data far
// from 0.
func TestCentersOf(t *testing.T) {
	t.Parallel()
	const n, k = 60, 4
	for trial, sum := range []Sum{SumToOne, SumToOne, SumAtMostOne, SumToOne} {
		x := moved(randomData(n, []int{5, 5, 5, 90}[trial], 0, 1), []float64{0, 1e6, 1, -3}[trial])
		g := dirichlet(n, k-1, 1, 2)
		wide := NewMatrix(n, k, nil) // the last cluster has no members
		for i := range n {
			copy(wide.Row(i), g.Row(i))
		}
		o := &Options{Weights: inTurn(n, 1, 2, 0.5), Sum: sum}
		f := mustDo(CentersOf(bg, x, wide, o))(t)
		near := product(wide, f)
		left := mapped(x, func(i, j int, v float64) float64 { return (v - near.At(i, j)) * o.Weights[i] })
		if off := maxAbs(product(wide.transposed(), left)); off > 1e-9*maxAbs(x) {
			t.Errorf("trial %d: residuals are off by %g", trial, off)
		}
		if sparse := mustDo(CentersOf(bg, sparseOf(x), wide, o))(t); maxDiff(f, sparse) > 1e-12*maxAbs(x) {
			t.Errorf("trial %d: sparse rows are off by %g", trial, maxDiff(f, sparse))
		}
		mean := mustDo(Fit(bg, x, 1, &Options{Weights: o.Weights}))(t).Centers
		if sum == SumAtMostOne {
			clear(mean.Data)
		}
		if off := maxDiff(mean, rowsOf(f, k-1, k)); off > 1e-12*maxAbs(x) {
			t.Errorf("trial %d: a center without members is off by %g", trial, off)
		}
		if _, err := CentersOf(bg, x, rowsOf(wide, 0, 5), o); !errors.Is(err, ErrShape) {
			t.Error(err)
		}
	}
}

// TestSkMableLarge: where min(n, d) is above SolverAuto's limit, too, σ_k is told from rounding.
func TestSkMableLarge(t *testing.T) {
	t.Parallel()
	const n = jacobiMaxSide + 8
	rng := rand.New(rand.NewPCG(1, 2))
	a, b := NewMatrix(n, 3, nil), NewMatrix(3, n, nil)
	for i := range a.Data {
		a.Data[i] = rng.Float64()
	}
	for i := range 3 {
		for j := range 60 { // the other columns are 0, which cost Jacobi's method nothing
			b.Set(i, j, rng.Float64()*[]float64{1, 1, 1e-9}[i])
		}
	}
	x := product(a, b)
	for _, c := range []struct {
		k    int
		tol  float64
		want bool
	}{{3, 0, false}, {3, 1e-7, true}, {4, 0, true}} {
		if got := mustDo(SkMable(bg, x, c.k, c.tol))(t); got != c.want {
			t.Errorf("a third direction of 1e-9, k=%d, tol=%g: %v", c.k, c.tol, got)
		}
	}
}

// TestCertifyRange: centers and memberships of any size in range give finite numbers. The objective is an
// upper bound, and within rounding of the exact one as far as centers are at most 1e150 times the data.
func TestCertifyRange(t *testing.T) {
	matrix := func(v ...float64) *Matrix { return NewMatrix(len(v)/2, 2, v) }
	for _, unit := range []float64{1, 1e-140, 1e140, 0} {
		x := matrix(unit, 0, 0, unit, unit, unit)
		for _, size := range []float64{0, 5e-324, 1e-100, 1, 1e70, 1e150} {
			g, large := matrix(1, 0, 0, 1, 0.5, 0.5), matrix(size, size, -size, 1, 0.5, 0.5)
			near := max(size, 5) <= 1e150*unit || unit == 0
			for _, c := range [][2]*Matrix{
				{matrix(size, 0, 0, size), g}, {matrix(size, size, -size, -size), g},
				{matrix(size, 0, 1, 2), g},
				{matrix(size, 0, 1, 2), matrix(0, 1, 0, 1, 0, 1)},
				{matrix(size, 0, 1, 2), matrix(1e-150, 1, 0, 1, 0, 1)},
				{matrix(1, 2, 3, 5), large}, {matrix(size, 2, 3, size), large},
			} {
				checkCertified(t, x, c[0], c[1], near)
			}
		}
	}
}

// TestOptimalNeeds: an exact fit proves nothing where memberships are negative or do not
// add up to 1, but for those that their repair makes of them.
func TestOptimalNeeds(t *testing.T) {
	x := NewMatrix(3, 1, []float64{0, 1, 2})
	for _, c := range []struct {
		f, g              []float64
		objective, repair float64
	}{
		{[]float64{0, 2}, []float64{1, 0, 0.5, 0.5, 0, 1}, 0, 0},
		{[]float64{0, 2}, []float64{3, -1, 7, 7, 0, .25}, 0, 6.5},
		{[]float64{0, 1}, []float64{1, 0, 0, 1, -1, 2}, 1, 1},        // 2 = −1·0 + 2·1
		{[]float64{0, 4}, []float64{1, 0, 0, 0.25, 0, 0.5}, 13, .75}, // sums of ¼ and ½
		{[]float64{0, 4}, []float64{0, 0, -3, -2, 0, 0}, 4 + 1, 3.5}, // no positive one: all are 2
		{[]float64{-1, 3}, []float64{0, 0, 0x1p-1074, 0x1p-1074, 0, 0}, 2, .5},
	} {
		f, g := NewMatrix(2, 1, c.f), NewMatrix(3, 2, c.g)
		got, err := Certify(bg, x, f, g, nil)
		if err != nil || got.Floor != 0 || got.FloorError != 0 || got.Repair != c.repair ||
			got.Optimal(0) != (c.objective == 0) || c.objective > 0 && got.ExcessFloors() != math.MaxFloat64 {
			t.Errorf("centers %v, memberships %v: %+v, optimal %t, %v", c.f, c.g, got, got.Optimal(0), err)
		}
		if want := bigObjective(x, f, g, nil, SumToOne); double(want) != c.objective {
			t.Fatalf("%v: the oracle says %g", c, double(want))
		} else {
			checkObjective(t, fmt.Sprint(c), got.Objective, want, hides(x, nil, f, g, SumToOne), 0, 0)
		}
	}
}

// TestCertifyForeign: centers or memberships far larger than the data, which cancel to any degree.
func TestCertifyForeign(t *testing.T) {
	const n, d, k = 9, 3, 4
	for _, mean := range []float64{0, 1e6} {
		x := randomData(n, d, mean, 5)
		for _, exp := range []int{0, 16, 60, 400} {
			for _, left := range []float64{0, 1e-12, 0.1} { // of the size, after cancelling
				for _, huge := range []int{0, 16, 500} { // memberships of 2^huge
					rng := rand.New(rand.NewPCG(uint64(exp), uint64(math.Float64bits(left))))
					f, g := randomData(k, d, mean, 6), NewMatrix(n, k, nil)
					for c := range d {
						f.Set(0, c, math.Ldexp(f.At(0, c), exp))
						f.Set(1, c, f.At(0, c)*(1+left*rng.NormFloat64()))
					}
					for i := range n {
						h, v := math.Ldexp(rng.Float64(), huge), rng.Float64()
						copy(g.row(i), []float64{h, -h, v, 1 - v})
					}
					checkCertified(t, x, f, g, true)
					for i := range n { // rows that add up to 0
						g.Set(i, 3, -g.At(i, 2))
					}
					checkCertified(t, x, f, g, true)
					for c := range d { // and the other way round: opposite centers, equal memberships
						f.Set(1, c, -f.At(1, c))
					}
					for i := range n {
						g.Set(i, 1, g.At(i, 0))
					}
					checkCertified(t, x, f, g, true)
				}
			}
		}
	}
}

// checkCertified holds the objective of Certify between the true one and, if it is near, its bound.
func checkCertified(t *testing.T, x, f, g *Matrix, near bool) {
	t.Helper()
	c := mustDo(Certify(bg, x, f, g, nil))(t)
	for _, v := range []float64{c.Objective, c.Floor, c.Gap, c.MinMembership, c.MaxSumError, c.SpanError,
		c.Total} {
		if !isFinite(v) {
			t.Fatalf("%v, %v: %+v", f, g, c)
		}
	}
	exact, most := bigObjective(x, f, g, nil, SumToOne), hides(x, nil, f, g, SumToOne)
	if !near || c.Objective == math.MaxFloat64 {
		most = math.Inf(1)
	}
	checkObjective(t, fmt.Sprint(f, g), c.Objective, exact, most, 1e-300*max(c.Total, 1), 1e-300*max(c.Total, 1))
}

// TestCertifyErrRange: centers and memberships may be 2^520, and no larger.
func TestCertifyErrRange(t *testing.T) {
	x := NewMatrix(3, 1, []float64{0, 1, 2})
	for _, c := range []struct {
		center, membership float64
		arg                string
	}{{0x1p520, 1, ""}, {0x1.0000000000001p520, 1, "centers"}, {1, 0x1p520, ""},
		{1, -0x1.0000000000001p520, "memberships"}} {
		got, err := Certify(bg, x, NewMatrix(2, 1, []float64{0, c.center}),
			NewMatrix(3, 2, []float64{1, 0, 0, c.membership, 0.5, 0.5}), nil)
		var at *InputError
		switch {
		case c.arg == "":
			if err != nil || !isFinite(got.Objective) {
				t.Errorf("%g, %g: %+v, %v", c.center, c.membership, got, err)
			}
		case !errors.Is(err, ErrRange) || !errors.As(err, &at) || at.Arg != c.arg || at.Row != 1:
			t.Errorf("%g, %g: %v", c.center, c.membership, err)
		}
	}
}

// Squares below the range of float64, by weights or by the spread, prove nothing.
func TestCertificateUnderflow(t *testing.T) {
	for _, e := range []float64{1, 0x1p-400} {
		x, w := NewMatrix(4, 1, []float64{0, 1, 10, 12}), slices.Repeat([]float64{0x1p-1073}, 4)
		scale(x.Data, e)
		start := NewMatrix(2, 1, []float64{0, e})
		m := mustDo(FitAlternating(bg, x, 2, &MinVolumeOptions{Weights: w, Centers: start, MaxIter: 1}))(t)
		if c := m.Certificate; c.Optimal(0.1) || c.Objective == 0 || c.Excess() == 0 {
			t.Errorf("%g: %+v, with a gap of %g", e, c, m.Gap)
		}
	}
}

// An objective below the floor is an estimate.
func TestCertificateOfEstimate(t *testing.T) {
	if c := (Certificate{Objective: 1, Floor: 2, FloorError: .5, Total: 4, Solver: SolverGram}); c.Excess() < 1 || c.ExcessShare() < 0.25 {
		t.Errorf("below the floor: %+v", c)
	}
}
