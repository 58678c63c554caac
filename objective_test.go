package softkmeans

import (
	"math"
	"testing"
)

// TestRepair: memberships as they are put on the simplex.
func TestRepair(t *testing.T) {
	for _, c := range []struct {
		sum     Sum
		g, want []float64
	}{
		{SumToOne, []float64{1, 3}, []float64{.25, .75}}, {SumToOne, []float64{-1, 4}, []float64{0, 1}},
		{SumToOne, []float64{0, -2}, []float64{.5, .5}}, {SumToOne, []float64{0x1p-1060, 0x1p-1060},
			[]float64{.5, .5}}, {SumToOne, []float64{0x1p500, 0x1p500}, []float64{.5, .5}},
		{SumAtMostOne, []float64{.25, .25}, []float64{.25, .25}}, {SumAtMostOne, []float64{1, 3},
			[]float64{.25, .75}}, {SumAtMostOne, []float64{-1, .5}, []float64{0, .5}},
		{SumAtMostOne, []float64{0, -2}, []float64{0, 0}},
	} {
		over := c.sum.divisor(c.g)
		for j, v := range c.g {
			if got := member(v, over, len(c.g)); got != c.want[j] {
				t.Errorf("%v %v: entry %d is %g", c.sum, c.g, j, got)
			}
		}
	}
}

// TestResidual: the squared residual of a row, and what rounding can hide of it.
func TestResidual(t *testing.T) {
	s := &samples{ctx: bg, d: 2, n: 2, mean: []float64{.5, -.25}, units: units{exp: 3}}
	f := NewMatrix(2, 2, []float64{8, 16, -4, 0})
	r := newResidual(s, f, SumToOne)
	if want := NewMatrix(2, 2, []float64{.5, 2.25, -1, .25}); maxDiff(r.shifted, want) != 0 {
		t.Errorf("%v, want %v", r.shifted.Data, want.Data)
	}
	const unit = 10 * 0x1p-53 // 3k+4
	for j, want := range []float64{math.Hypot(.5, 2.25), math.Hypot(1, .25)} {
		if got := r.hidden[j] / (want * unit); got < 1 || got > 1.02 {
			t.Errorf("center %d hides %g of the bound", j, got)
		}
	}
	row := []float64{1, 2}
	for _, c := range []struct {
		g     []float64
		right float64
	}{
		{[]float64{.5, .5}, 1.25*1.25 + .75*.75}, {[]float64{0, 1}, 4 + 1.75*1.75},
		{[]float64{.5, 0}, .5*.5 + .25*.25}, {[]float64{-3, 2}, 4 + 1.75*1.75},
	} {
		var mix mixture
		for range 2 { // the mixture is memory
			got, hidden := r.squares([]float64{row[0], row[1]}, c.g, &mix)
			if want := max(c.g[0], 0)*r.hidden[0] + max(c.g[1],
				0)*r.hidden[1]; math.Abs(got-c.right) > 1e-14 ||
				math.Abs(hidden-want/(max(c.g[0], 0)+max(c.g[1], 0))) > 1e-14*want {
				t.Errorf("%+v: %g, %g hidden", c, got, hidden)
			}
		}
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

// TestObjectiveParts: the objective over one block and over many, weighted and not.
func TestObjectiveParts(t *testing.T) {
	for _, n := range []int{5, 700} {
		x, f := randomData(n, 3, 1, 1), randomData(2, 3, 1, 2)
		g, w := NewMatrix(n, 2, nil), make([]float64, n)
		for i := range n {
			copy(g.row(i), []float64{float64(i%4) / 4, 1 - float64(i%4)/4})
			w[i] = float64(i % 3)
		}
		for _, w := range [][]float64{nil, w} {
			s := mustDo(newSamples(bg, x, w, 1, true))(t)
			want := plainObjective(x, f, g, w)
			got, err := objectiveOf(s, f, g, SumToOne)
			if got = s.unscaleSquare(got); err != nil || math.Abs(got-want) > 1e-13*want || got < want {
				t.Errorf("%d rows: %g, want %g, %v", n, got, want, err)
			}
		}
	}
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

// TestZeroWeights: rows of weight 0 get their nearest mixture, and no other row changes.
func TestZeroWeights(t *testing.T) {
	x := NewMatrix(4, 1, []float64{0, 1, 3, 9})
	f := NewMatrix(2, 1, []float64{0, 4})
	for _, sum := range []Sum{SumToOne, SumAtMostOne} {
		g := mapped(NewMatrix(4, 2, nil), func(i, _ int, _ float64) float64 { return float64(i) })
		s := mustDo(newSamples(bg, x, []float64{0, 2, 0, 0}, 1, sum == SumToOne))(t)
		must(t, solveRows(s, f, g, sum, s.zeroWeights()))
		want := NewMatrix(4, 2, []float64{1, 0, 1, 1, .25, .75, 0, 1})
		if sum == SumAtMostOne { // the center at 0 is the origin: its share is free
			want.Set(0, 0, g.At(0, 0))
			want.Set(2, 0, g.At(2, 0))
		}
		if maxDiff(g, want) > 1e-9 {
			t.Errorf("%v: %v, want %v", sum, g.Data, want.Data)
		}
		s.weights = nil
		clear(g.Data)
		if err := solveRows(s, f, g, sum, s.zeroWeights()); err != nil ||
			maxDiff(g, NewMatrix(4, 2, nil)) != 0 {
			t.Errorf("%v: %v without weights, %v", sum, g.Data, err)
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
}
