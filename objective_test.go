package softkmeans

import (
	"errors"
	"math"
	"testing"
)

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
	for _, c := range []struct {
		k    int
		tol  float64
		text string
	}{{0, 0, "k is 0, below 1"}, {2, -.5, "tol is -0.5, not in [0, 1)"}, {2, 1, "tol is 1, not in [0, 1)"}} {
		if ok, err := SkMable(bg, x, c.k, c.tol); ok || err == nil ||
			err.Error() != "softkmeans: "+c.text+": invalid option" {
			t.Errorf("%v, %v", ok, err)
		}
	}
	// Singular values 4 and 2: the second is half of the first, which is .632 of the length √40.
	for _, c := range []struct {
		k    int
		tol  float64
		want bool
	}{{1, 0, false}, {2, 0, false}, {2, .49, false}, {2, .51, true}, {3, 0, true}, {1, .63, false}, {1, .64,
		true}} {
		if ok, err := SkMable(bg, x, c.k, c.tol); ok != c.want || err != nil {
			t.Errorf("k = %d, tol %g: %t, %v", c.k, c.tol, ok, err)
		}
	}
	near := moved(NewMatrix(3, 2, []float64{1, 0, 0, 1, -1, -1}), 1e3)
	for k := 1; k <= 2; k++ { // one center is enough for three near rows, and so are two
		if ok, err := SkMable(bg, near, k, 0.01); !ok || err != nil {
			t.Errorf("k = %d, near rows: %t, %v", k, ok, err)
		}
	}
	if ok, err := SkMable(bg, nil, 1, 0); ok || !errors.Is(err, ErrShape) {
		t.Error(ok, err)
	}
}
