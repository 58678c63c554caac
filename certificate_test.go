package softkmeans

import (
	"errors"
	"fmt"
	"math"
	"math/big"
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

// TestCertifySubtracted: a center whose difference from a row is lost when the mean is subtracted, beside an
// entry so large that squares of these differences are below the range.
func TestCertifySubtracted(t *testing.T) {
	const v = 0x1p-41
	x, f := NewMatrix(2, 2, []float64{0x1p500, v, 0x1p500, -4 * v}), NewMatrix(2, 2, nil)
	copy(f.Data, x.Data)
	f.Set(0, 1, v*(1+0x1p-52))
	checkCertified(t, x, f, identity(2), false)
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
	c := Certificate{Objective: 1, Floor: 2, FloorError: .5, Total: 4, Solver: SolverGram}
	if c.Excess() < 1 || c.ExcessShare() < 0.25 {
		t.Errorf("below the floor: %+v", c)
	}
}

// TestCompareWithFloor: the excess over the proved floor in three ways.
func TestCompareWithFloor(t *testing.T) {
	for _, c := range []struct {
		objective, floor, floorError, total, gap, excess, share, floors float64
	}{
		{5, 3, 1, 10, .2, 3, .3, 1.5}, {5, 3, 4, 10, .2, 5, .5, math.MaxFloat64}, {2, 5, 1, 10, -.3, 2, .2,
			math.MaxFloat64}, {0, 0, 0, 0, 0, 0, 0, 0},
		{1, 0, 0, 0, math.MaxFloat64, 1, math.MaxFloat64, math.MaxFloat64}, {1, 1, 0, 1, 0, 0, 0, 0},
		{2, 1, 0, 1, 1, 1, 1, 1}, {1e300, 0, 0, 1e-300, math.MaxFloat64, 1e300, math.MaxFloat64,
			math.MaxFloat64},
	} {
		pc := &principal{floor: c.floor, floorError: c.floorError, total: c.total, solver: SolverGram}
		got := compareWithFloor(&samples{}, c.objective, pc)
		if math.Abs(got.Gap-c.gap) > 1e-15*math.Abs(c.gap) {
			t.Errorf("%+v: %+v", c, got)
		}
		for _, v := range [][2]float64{{got.Excess(), c.excess}, {got.ExcessShare(), c.share},
			{got.ExcessFloors(), c.floors}} {
			if v[0] < v[1] || v[0] > v[1]+1e-9*math.Abs(v[1]) {
				t.Errorf("%+v: %+v", c, got)
			}
		}
	}
	if v := (Certificate{Objective: 1, Total: 2}).Excess(); v < math.MaxFloat64 {
		t.Error("an estimate has an excess of", v)
	}
}

// TestSpanError: the share of the centers' distance from the mean that is off the basis,
// at any scale of data and centers.
func TestSpanError(t *testing.T) {
	basis := NewMatrix(1, 3, []float64{0, 1, 0})
	for _, unit := range []float64{1, 0x1p-300, 0x1p300} {
		for _, far := range []float64{1, 0x1p200, 0x1p-200} {
			x := NewMatrix(2, 3, []float64{0, 2 * unit, 0, 0, -2 * unit, 0})
			s := mustDo(newSamples(bg, x, nil, 1, true))(t)
			size := far * unit
			for _, c := range []struct {
				f    []float64
				want float64
			}{{[]float64{0, 1, 0, 0, -3, 0}, 0}, {[]float64{1, 0, 0, 0, 0, -2}, 1}, {[]float64{3, 4, 0}, .6},
				{[]float64{3, 4, 0, 0, 0, 0}, .6}, {[]float64{2, 1, 2, 0, 4, 0}, math.Sqrt(8. / 25)},
				{[]float64{0, 0, 0}, 0}} {
				f := NewMatrix(len(c.f)/3, 3, nil)
				for i, v := range c.f {
					f.Data[i] = v * size
				}
				if got := spanError(s, f, basis); math.Abs(got-c.want) > 1e-15 {
					t.Errorf("unit %g, centers of %g, %v: %g, want %g", unit, size, c.f, got, c.want)
				}
			}
		}
	}
	x := NewMatrix(2, 2, []float64{1, 5, 3, 5}) // a mean that is not 0
	s := mustDo(newSamples(bg, x, nil, 1, true))(t)
	if got := spanError(s, NewMatrix(1, 2, []float64{5, 9}),
		NewMatrix(1, 2, []float64{1, 0})); math.Abs(got-.8) > 1e-15 {
		t.Errorf("%g, want 0.8", got)
	}
}

// TestOptimal: on both sides of the tolerance, and without a solver.
func TestOptimal(t *testing.T) {
	for _, c := range []struct {
		Certificate
		tol  float64
		want bool
	}{
		{Certificate{Solver: SolverGram, Objective: .99e-9, Total: 1}, 0, true},
		{Certificate{Solver: SolverGram, Objective: 1.1e-9, Total: 1}, 0, false},
		{Certificate{Solver: SolverGram}, 0, true}, {Certificate{}, 0, false},
		{Certificate{Solver: SolverJacobi, Objective: .49, Total: 1, MinMembership: -.5, MaxSumError: .5}, .5, true},
		{Certificate{Solver: SolverKrylov, Objective: .5, Total: 1}, .4, false},
	} {
		if got := c.Optimal(c.tol); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
}

// TestCertifyTable: each number of a certificate by its definition, and no numbers beside an error.
func TestCertifyTable(t *testing.T) {
	x := NewMatrix(4, 2, []float64{0, 0, 4, 0, 0, 2, 4, 2})
	for _, w := range [][]float64{nil, {1, 2, 1, 0}} {
		floors, total := oracle(x, w)
		f := NewMatrix(2, 2, []float64{0, 1, 4, 1})
		g := NewMatrix(4, 2, []float64{1, 0, .25, .5, -.5, 1.5, 0, 1.125})
		c, err := Certify(bg, x, f, g, &Options{Weights: w})
		want := plainObjective(x, f, NewMatrix(4, 2, []float64{1, 0, 1. / 3, 2. / 3, 0, 1, 0, 1}), w)
		if err != nil || math.Abs(c.Objective-want) > 1e-13*want ||
			math.Abs(c.Floor-floors[1]) > 1e-13*total || math.Abs(c.Total-total) > 1e-13*total ||
			math.Abs(c.Gap-(want-floors[1])/total) > 1e-13 ||
			c.MinMembership != -.5 || c.MaxSumError != .25 || c.Repair != .5 || c.FloorError <= 0 ||
			c.FloorError > 3e-14*total {
			t.Errorf("%+v, %v", c, err)
		}
	}
	f, g := NewMatrix(2, 2, []float64{0, 1, 4, 1}), NewMatrix(4, 2, nil)
	for i, c := range []struct {
		x, f, g *Matrix
		o       *Options
		text    string
	}{
		{x, nil, g, nil, "centers is nil: wrong shape"}, {x, NewMatrix(2, 2, []float64{1, 2, math.NaN(), 3}),
			g, nil, "centers[1,0] = NaN: not a finite number"},
		{x, f, nil, nil, "memberships is nil: wrong shape"},
		{x, NewMatrix(1, 2, []float64{0, above(mostCenter)}), NewMatrix(4, 1, nil), nil,
			"centers[0,1] = " + decimal(above(mostCenter)) + ": " + ErrRange.Error()},
		{x, f, NewMatrix(4, 2, slices.Repeat([]float64{-above(mostCenter)}, 8)), nil,
			"memberships[0,0] = " + decimal(-above(mostCenter)) + ": " + ErrRange.Error()},
		{nil, f, g, nil, "x is nil: wrong shape"},
		{x, NewMatrix(0, 2, nil), g, nil, "no centers: too few samples"}, {x, NewMatrix(2, 1, nil), g, nil,
			"x has 2 columns, centers have 1: wrong shape"},
		{x, f, NewMatrix(3, 2, nil), nil, "memberships are 3×2, not 4×2: wrong shape"},
		{x, f, NewMatrix(4, 1, nil), nil, "memberships are 4×1, not 4×2: wrong shape"},
		{x, f, g, &Options{Workers: -1}, "Workers is -1, below 0: invalid option"},
		{x, f, g, &Options{Weights: make([]float64, 4)}, "every weight is 0: too few samples"},
		{x, f, g, &Options{Solver: solverCount}, "Solver is Solver(4): invalid option"},
	} {
		got, err := Certify(bg, c.x, c.f, c.g, c.o)
		if err == nil || err.Error() != "softkmeans: "+c.text || got != (Certificate{}) {
			t.Errorf("%d: %v, want %s; %+v", i, err, c.text, got)
		}
	}
}

// TestDisproved: an objective below a floor takes another solver where SolverKrylov proved it, and is an
// ErrChanged otherwise.
func TestDisproved(t *testing.T) {
	x := randomData(20, 4, 0, 1)
	for name, rows := range map[string]Samples{"dense": x, "sparse": sparseOf(mapped(x, func(i, j int,
		v float64) float64 {
		if (i+j)%3 > 0 {
			return 0
		}
		return v
	}))} {
		data := mustDo(openSamples(bg, rows, &Options{Solver: SolverKrylov}, true))(t)
		pc := mustDo(principalOf(data, wanted{2, 0}, SolverKrylov, toFit))(t)
		right := *pc
		if got, err := pc.above(data, pc.floor-pc.floorError); err != nil || got != pc {
			t.Errorf("%s: %v, %v", name, err, got.solver)
		}
		pc.floor *= 2 // planted
		got, err := pc.above(data, right.floor*1.01)
		if err != nil || got.solver != SolverGram || math.Abs(got.floor-right.floor) > 1e-12*got.total {
			t.Errorf("%s: %v, %+v, want a floor of %g", name, err, got, right.floor)
		}
		for _, solver := range []Solver{SolverGram, SolverKrylov} { // rows that changed
			at := right
			at.floor, at.solver = 2*right.floor, solver
			if err := new(Model).rate(data, right.floor/2, &at); !errors.Is(err, ErrChanged) {
				t.Errorf("%s, %v: %v", name, solver, err)
			}
		}
	}
	// Rows of noise that become 0 during a fit are nearer to their mixtures than the floor allows.
	noise := randomData(20, 10, 0, 1)
	change := &MinVolumeOptions{Progress: func(Iteration) { clear(noise.Data) }}
	if m, err := FitMinVolume(bg, noise, 2, change); m != nil || !errors.Is(err, ErrChanged) {
		t.Errorf("cleared during a fit: %v", err)
	}
}

// TestLongSums: sums over many rows are within their bounds where each addition rounds up.
func TestLongSums(t *testing.T) {
	const n = 1 << 17
	x := NewMatrix(n, 2, nil)
	for i := range n { // a row of length 1 at the start of each chunk, and many whose squares are above u/2
		size := math.Sqrt(0x1p-53 * (1 + 0x1p-10))
		if i%(n/manyChunks) == 0 {
			size = 1
		}
		x.row(i)[i%2] = size
	}
	exact := new(big.Float).SetPrec(400)
	for _, v := range x.Data {
		exact.Add(exact, new(big.Float).SetPrec(400).Mul(big.NewFloat(v), big.NewFloat(v)))
	}
	s := mustDo(newSamples(bg, x, nil, 1, false))(t)
	unit := math.Ldexp(1, 2*s.exp)
	within := func(name string, got, off float64) {
		t.Helper()
		d := new(big.Float).SetPrec(400).Sub(big.NewFloat(got*unit), exact)
		if v, _ := d.Float64(); math.Abs(v) > off*unit {
			t.Errorf("%s: off by %g, bound %g", name, v, off*unit)
		}
	}
	total, off, err := s.totalSquares()
	must(t, err)
	within("totalSquares", total, off)
	left := newOutside(NewMatrix(1, 2, []float64{1, 0}), 1)
	must(t, s.measure(left))
	within("outside", left.total, gamma(left.depth+dotDepth(2))*total)
	if d := left.total - left.squares - left.gram.At(0, 0); math.Abs(d) > 3*gamma(left.depth+dotDepth(2))*total {
		t.Errorf("outside: parts are off by %g", d)
	}
	bound, err := s.objective(NewMatrix(1, 2, nil), mapped(NewMatrix(n, 1, nil), func(int, int,
		float64) float64 {
		return 1
	}), SumToOne)
	must(t, err)
	within("objective", bound, 3*gamma(fineDepth(n)+dotDepth(2)+20)*total)
	if new(big.Float).SetPrec(400).Sub(big.NewFloat(bound*unit), exact).Sign() < 0 {
		t.Error("objective is below the objective")
	}
	// The mean of entries that round up, in the two passes of Stats.
	var m Stats
	must(t, m.Add(x))
	for c := range 2 {
		mean := new(big.Float).SetPrec(400)
		for i := range n {
			mean.Add(mean, big.NewFloat(x.At(i, c)))
		}
		mean.Quo(mean, big.NewFloat(n))
		got := new(big.Float).SetPrec(400).Add(big.NewFloat(m.mean[c]), big.NewFloat(m.meanRest[c]))
		got.SetMantExp(got, m.exp)
		if v, _ := got.Sub(got, mean).Float64(); math.Abs(v) > math.Ldexp(m.meanOff, m.exp) {
			t.Errorf("mean %d: off by %g, bound %g", c, v, math.Ldexp(m.meanOff, m.exp))
		}
	}
	var sum fineSum
	sum.add(1)
	for range n {
		sum.add(0x1p-54)
	}
	if want := 1 + n*0x1p-54; sum.value() != want {
		t.Errorf("a fine sum of %g, want %g", sum.value(), want)
	}
	for _, n := range []int{1, 1<<26 - 1, 1 << 27, 1<<31 - 1} {
		if v := gamma(n) / 0x1p-53 * gamma(n); float64(fineDepth(n)) < 1+v {
			t.Errorf("fineDepth(%d) is %d, at least %g", n, fineDepth(n), 1+v)
		}
	}
}

// TestLongMeans: rows whose sum is 0, of which every other chunk rounds the same way if it is added up row by
// row, have a mean of 0 within the bound of Stats.
func TestLongMeans(t *testing.T) {
	const n, v = 1 << 19, 1 + 0x1p-39 + 0x1p-52
	x := NewMatrix(n, 1, nil)
	for i := range n {
		if i*reduceChunks/n%2 > 0 {
			x.Data[i] = v
		} else {
			x.Data[i] = float64(i%2) * -2 * v
		}
	}
	var m Stats
	if must(t, m.Add(x)); math.Abs(m.mean[0]+m.meanRest[0]) > m.meanOff {
		t.Errorf("a mean of %g, bound %g", m.mean[0]+m.meanRest[0], m.meanOff)
	}
}

// TestLostShares: a share that a division takes to 0 counts for a center that is far, in dense and in sparse
// rows, also beside a center without rounding.
func TestLostShares(t *testing.T) {
	for _, c := range []struct{ x, f, g, w []float64 }{
		{x: []float64{0, 0, 4e-151}, f: []float64{0, 4e-151, 0x1p519},
			g: []float64{3, 0, 5e-324, 3, 0, 5e-324, 0, 1, 0}, w: []float64{1e50, 1e50, 1}},
		{x: []float64{256}, f: []float64{256, 0x1p519}, g: []float64{3, 5e-324}, w: []float64{1e150}},
	} {
		x, f := NewMatrix(len(c.x), 1, c.x), NewMatrix(len(c.f), 1, c.f)
		g := NewMatrix(x.Rows, f.Rows, c.g)
		for _, rows := range []Samples{x, sparseOf(x)} {
			got := mustDo(Certify(bg, rows, f, g, &Options{Weights: c.w}))(t)
			exact := double(bigObjective(x, f, g, c.w, SumToOne))
			if !(got.Objective >= exact) || got.Optimal(0) {
				t.Errorf("%T: an objective of %g, truly %g", rows, got.Objective, exact)
			}
		}
	}
}

// TestExcessAbove: the excess and its shares are not below their values in exact arithmetic, if the total is
// above the true total by up to 2^-31 of it, or by a step of the least number.
func TestExcessAbove(t *testing.T) {
	rng, p := rand.New(rand.NewPCG(62, 1)), truthDigits
	for range 2000 {
		c := Certificate{Objective: 1 + rng.Float64(), Floor: rng.Float64(), Total: 2 + rng.Float64(), Solver: SolverGram}
		c.FloorError = c.Floor * rng.Float64()
		if rng.IntN(4) == 0 {
			c.Objective, c.Floor, c.FloorError = 5e-324*float64(1+rng.IntN(4)), 0, 0
			c.Total = c.Objective + 5e-324*float64(1+rng.IntN(4))
		}
		low := p.sub(p.num(c.Floor), p.num(c.FloorError))
		excess, total := p.sub(p.num(c.Objective), low), p.num(c.Total*(1-0x1p-31))
		if c.Total < 1 {
			total = p.num(c.Total - 5e-324)
		}
		if p.num(c.Excess()).Cmp(excess) < 0 || p.mul(p.num(c.ExcessShare()), total).Cmp(excess) < 0 ||
			c.Floor > 0 && p.mul(p.num(c.ExcessFloors()), low).Cmp(excess) < 0 {
			t.Fatalf("%+v: an excess of %g, %g of the total, %g floors", c, c.Excess(), c.ExcessShare(), c.ExcessFloors())
		}
	}
}
