package softkmeans

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// nonnegative returns an n×d matrix of entries from 0 to 1, a share of them 0.
func nonnegative(n, d int, zeros float64, seed uint64) *Matrix {
	rng := rand.New(rand.NewPCG(seed, 11))
	return mapped(NewMatrix(n, d, nil), func(_, _ int, _ float64) float64 {
		if rng.Float64() < zeros {
			return 0
		}
		return rng.Float64()
	})
}

// checkCone fails unless m is at its floor, by the numbers of the matrices, with the
// memberships that Predict finds as well. Its own objective is a bound of these.
func checkCone(t *testing.T, m *Model, x *Matrix, w []float64) {
	t.Helper()
	fail := func(what string, v float64) {
		t.Helper()
		t.Fatalf("%d×%d, k=%d, %v: %s %g; %v, objective %g, floor %g ± %g, total %g", x.Rows, x.Cols,
			m.Centers.Rows, m.Solver, what, v, m.Status, m.Objective, m.Floor, m.FloorError, m.Total)
	}
	if m.Status != StatusOptimal || m.Sum != SumAtMostOne {
		fail("status", 0)
	}
	g := m.Memberships
	predicted := mustDo(m.Predict(nil, x))(t)
	if g == nil {
		g = predicted
	}
	checkShares(t, g, SumAtMostOne)
	rounding := 1e-14 // of the total, in the floor
	switch m.Solver {
	case SolverKrylov:
		rounding = 1e-13
	case SolverJacobi:
		rounding = 1e-22
	}
	off := 0.0
	for _, g := range []*Matrix{predicted, g} {
		off = plainObjective(x, m.Centers, g, w) - m.Floor
		if math.Abs(off) > 1e-12*m.Floor+rounding*m.Total {
			fail("the matrices are off by", off)
		}
	}
	if over := m.Objective - m.Floor - off; over < -1e-13*m.Objective-1e-25*m.Total || over > 1e-10*m.Total {
		fail("the bound is off by", over)
	}
}

// TestConeReachesFloor: on nonnegative data of all shapes, scales and weights the objective
// is the floor, and that is Σ_{i>k} σ_i².
func TestConeReachesFloor(t *testing.T) {
	t.Parallel()
	for seed := range uint64(fewer(3000, 150)) {
		rng := rand.New(rand.NewPCG(seed, 12))
		n, d := 1+rng.IntN(40), 1+rng.IntN(20)
		k := 1 + rng.IntN(min(n, d)+2)
		x := nonnegative(n, d, []float64{0, 0.3, 0.7, 0.9}[rng.IntN(4)], seed)
		unit := []float64{1, 1e150, 1e-150, 7}[rng.IntN(4)]
		if top := maxAbs(x); top > 0 {
			scale(x.Data, 1/top)
			scale(x.Data, unit)
		}
		o := &Options{Sum: SumAtMostOne, Enclosure: Enclosure(rng.IntN(2)),
			Solver: Solver(rng.IntN(int(solverCount)))}
		if unit != 1e-150 && rng.IntN(3) == 0 { // rows of weight 0 do not keep data in range
			o.Weights = make([]float64, n)
			for i := range o.Weights {
				o.Weights[i] = float64(rng.IntN(4))
			}
			o.Weights[0] = 2
		}
		if rng.IntN(3) == 0 {
			o.Orientation = RandomOrientation(k, seed)
		}
		if k <= 3 && rng.IntN(3) == 0 {
			o.Enclosure = EnclosureSmallest
		}
		if gramOnly {
			o.Solver = SolverGram
		}
		m := mustDo(Fit(bg, x, k, o))(t)
		scale(x.Data, 1/unit)
		same := *m // in units in which plain sums keep their digits
		same.Centers = mapped(m.Centers, func(_, _ int, v float64) float64 { return v / unit })
		for _, v := range []*float64{&same.Objective, &same.Floor, &same.FloorError, &same.Total} {
			*v = *v / unit / unit
		}
		checkCone(t, &same, x, o.Weights)
		if m.Total == 0 {
			continue
		}
		scale(x.Data, unit)
		own := &Options{Weights: o.Weights, Sum: SumAtMostOne}
		if c := mustDo(Certify(bg, x, m.Centers, m.Memberships, own))(t); !c.Optimal(1e-11) {
			t.Fatalf("seed %d: %+v", seed, c)
		}
		floors := mustDo(Floors(bg, x, own))(t)
		if len(floors) != min(n, d) || k <= len(floors) && math.Abs(floors[k-1]-m.Floor) > 1e-13*m.Total {
			t.Fatalf("seed %d: floors %v, floor %g for %d", seed, floors, m.Floor, k)
		}
	}
}

// TestConeEdges: shapes and ranks at their limits, and rows that the theorem splits off.
func TestConeEdges(t *testing.T) {
	noise := randomData(40, 6, 0, 5)
	dark := nonnegative(40, 6, 0, 4)
	for i := range 10 { // rows without light have noise alone, at the level of rounding
		for j := range dark.Cols {
			dark.Set(i, j, 1e-17*noise.At(i, j))
		}
	}
	blocks := NewMatrix(12, 9, nil) // parts of other columns
	for i := range 12 {
		for j := range 3 {
			blocks.Set(i, i/4*3+j, float64(1+(i*7+j*5)%11)*[]float64{3, 2, 1}[i/4])
		}
	}
	oneHot := NewMatrix(10, 4, nil)
	for i := range 10 {
		oneHot.Set(i, []int{0, 0, 0, 0, 1, 1, 1, 2, 2, 3}[i], 1)
	}
	away := moved(randomData(50, 4, 0, 6), 3) // of both signs, in a half-space
	for i := range 50 {
		away.Set(i, 1, -2*away.At(i, 1))
	}
	for name, x := range map[string]*Matrix{
		"zeros": NewMatrix(4, 3, nil), "one row": nonnegative(1, 4, 0, 1), "one column": nonnegative(5, 1, 0,
			1), "one number": NewMatrix(1, 1, []float64{-3}),
		"equal rows": mapped(NewMatrix(5, 3, nil), func(_, j int, _ float64) float64 { return float64(j) }),
		"a ray": mapped(NewMatrix(5, 3, nil),
			func(i, j int, _ float64) float64 { return float64(i) * float64(j+1) }),
		"two signs on a line": NewMatrix(4, 1, []float64{-1, 2, -3, 0}), "dark rows": dark, "blocks": blocks,
		"one-hot": oneHot, "identity": identity(4),
		"away": away, "negative": mapped(dark, func(_, _ int, v float64) float64 { return -v }),
	} {
		for k := 1; k <= x.Cols+2; k++ {
			for _, solver := range allSolvers {
				if solver == SolverKrylov && (name == "one-hot" || name == "identity") {
					continue // ties: any direction of them may come first
				}
				m := mustDo(Fit(bg, x, k, &Options{Sum: SumAtMostOne, Solver: solver}))(t)
				if name == "two signs on a line" && k == 1 {
					if m.Status != StatusNoHalfSpace || math.Abs(m.Objective-4) > 1e-12 {
						t.Errorf("%s, %v: %v, objective %g", name, solver, m.Status, m.Objective)
					}
					continue
				}
				t.Run(name, func(t *testing.T) { checkCone(t, m, x, nil) })
			}
		}
	}
}

// TestConeWithoutHalfSpace: the model is feasible and as good as it says, at most the
// minimum of SumToOne, and not optimal.
func TestConeWithoutHalfSpace(t *testing.T) {
	t.Parallel()
	for seed := range uint64(fewer(20, 3)) {
		for _, mean := range []float64{0, 0.3} {
			x, k := randomData(80, 5, mean, seed), 1+int(seed%4)
			m := mustDo(Fit(bg, x, k, &Options{Sum: SumAtMostOne}))(t)
			one := mustDo(Fit(bg, x, k, nil))(t)
			checkShares(t, m.Memberships, SumAtMostOne)
			own := plainObjective(x, m.Centers, m.Memberships, nil)
			if m.Status != StatusNoHalfSpace || m.Sum != SumAtMostOne || !(m.Gap > 1e-4) ||
				m.Objective > one.Objective*(1+1e-12) || math.Abs(own-m.Objective) > 1e-12*m.Total {
				t.Errorf("seed %d, k=%d: %v, objective %g, own %g, floor %g, to one %g", seed, k, m.Status,
					m.Objective, own, m.Floor, one.Objective)
			}
			if c := mustDo(Certify(bg, x, m.Centers, m.Memberships,
				&Options{Sum: SumAtMostOne}))(t); c.Optimal(0) || math.Abs(c.Gap-m.Gap) > 1e-12 {
				t.Errorf("seed %d: %+v", seed, c)
			}
			a := mustDo(FitAlternating(bg, x, k, &MinVolumeOptions{Sum: SumAtMostOne, MaxIter: 200,
				Restarts: 3}))(t)
			if a.Objective < m.Floor-1e-12*m.Total {
				t.Errorf("seed %d: %g below the floor %g", seed, a.Objective, m.Floor)
			}
		}
	}
}

// TestConeDimRows: small rows outside of the half-space of the others cost no more than
// their squares. Without a half-space of all the gap says so.
func TestConeDimRows(t *testing.T) {
	x, noise := nonnegative(60, 8, 0.3, 7), randomData(60, 8, 0, 8)
	dim := 0.0
	for i := range 20 {
		for j := range x.Cols {
			x.Set(i, j, 1e-4*noise.At(i, j))
		}
		dim += sumSquares(x.Row(i))
	}
	m := mustDo(Fit(bg, x, 3, &Options{Sum: SumAtMostOne}))(t)
	for _, m := range []*Model{m} {
		if m.Status != StatusNoHalfSpace || !(m.Objective-m.Floor <= dim) || m.Objective < m.Floor {
			t.Errorf("%v, %g above the floor, the dim rows have %g", m.Status, m.Objective-m.Floor, dim)
		}
	}
}

// TestConeOptions: a Sum that is none is an error everywhere.
func TestConeOptions(t *testing.T) {
	x, bad := nonnegative(5, 2, 0, 1), &Options{Sum: sumCount}
	for i, err := range []error{
		second(Fit(bg, x, 2, bad)), second(Floors(bg, x, bad)),
		second(Certify(bg, x, x, NewMatrix(5, 5, nil), bad)), second(statsOf(t, x, nil).Principal(2, bad)),
	} {
		if !errors.Is(err, ErrOption) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if m, err := Fit(bg, x, math.MaxInt32-1, &Options{Sum: SumAtMostOne}); m != nil ||
		!errors.Is(err, ErrOption) {
		t.Error(m, err)
	}
}

func second[A any](_ A, err error) error { return err }

// FuzzCone: any data has a feasible model that is no better than its floor and no worse
// than that of SumToOne, and what it says of itself is true.
func FuzzCone(f *testing.F) {
	addMatrices(f)
	f.Add([]byte{23, 4, 0x2e, 33, 66, 99, 122, 155})
	f.Fuzz(func(t *testing.T, data []byte) {
		in := newInput(data)
		x, w := in.samples(12, 8)
		if in.byte()&1 > 0 {
			x = mapped(x, func(_, _ int, v float64) float64 { return math.Abs(v) })
		}
		k := 1 + in.below(8)
		o := Options{Sum: SumAtMostOne, Enclosure: Enclosure(in.below(2)), Solver: Solver(in.below(4)),
			Weights: w, Workers: in.below(3)}
		if gramOnly {
			o.Solver = SolverGram
		}
		m := mustDo(Fit(bg, x, k, &o))(t)
		one := mustDo(Fit(bg, x, k, &Options{Weights: w}))(t)
		if m.Total == 0 || m.Total == math.MaxFloat64 || smallRow(x) {
			return
		}
		for _, m := range []*Model{m} {
			finiteModel(t, m)
			checkShares(t, m.Memberships, SumAtMostOne)
			most := 1e-9 + m.FloorError/m.Total
			if m.Status == StatusOptimal && m.Gap > most || m.Gap < -most || m.Status == StatusNoHalfSpace &&
				!(m.Objective <= one.Objective+most*m.Total) {
				t.Fatalf("%v, gap %g, objective %g, floor %g, total %g; to one %g; %+v of %v with %v",
					m.Status, m.Gap, m.Objective, m.Floor, m.Total, one.Objective, o, x, w)
			}
			c := mustDo(Certify(bg, x, m.Centers, m.Memberships, &Options{Weights: w, Sum: SumAtMostOne}))(t)
			if math.Abs(c.Gap-m.Gap) > most {
				t.Fatalf("gap %g, certified %+v", m.Gap, c)
			}
		}
		in.finish(t)
	})
}
