package softkmeans

import (
	"errors"
	"math"
	"math/big"
	"testing"
)

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
		o := &Options{Solver: SolverKrylov}
		data := mustDo(openSamples(bg, rows, o, nil, true))(t)
		s := data.data()
		pc := mustDo(data.principal(wanted{2, 0}, SolverKrylov, toFit))(t)
		low, right := pc.floor-pc.floorError, *pc
		if err := pc.check(s, low); err != nil || pc.solver != SolverKrylov {
			t.Errorf("%s: %v, %v", name, err, pc.solver)
		}
		pc.floor *= 2 // planted
		if _, err := new(Model).rate(s, right.floor*1.01, pc); err != nil || !gramOnly && (pc.solver !=
			SolverGram || math.Abs(pc.floor-right.floor) > 1e-12*pc.total) {
			t.Errorf("%s: %v, a floor of %g by %v, want %g", name, err, pc.floor, pc.solver, right.floor)
		}
		for _, solver := range []Solver{SolverGram, SolverKrylov} { // rows that changed
			at := right
			at.floor, at.solver = 2*right.floor, solver
			if _, err := new(Model).rate(s, right.floor/2, &at); !errors.Is(err, ErrChanged) {
				t.Errorf("%s, %v: %v", name, solver, err)
			}
		}
		frame := &samples{units: s.units}
		at := right
		at.floor *= 2
		if err := at.check(frame, right.floor); !errors.Is(err, ErrChanged) {
			t.Errorf("%s: without rows %v", name, err)
		}
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
	none := NewMatrix(n, 0, nil)
	objective, squares, err := s.residuals(none, NewMatrix(0, 2, nil))
	must(t, err)
	most := gamma(fineDepth(n) + dotDepth(2))
	within("residuals", objective.value(), most*total)
	within("residuals, squares", squares.value(), most*total)
	left := newOutside(NewMatrix(1, 2, []float64{1, 0}), 1)
	must(t, left.add(s))
	within("outside", left.total, gamma(left.depth+dotDepth(2))*total)
	if d := left.total - left.squares - left.gram.At(0, 0); math.Abs(d) > 3*gamma(left.depth+dotDepth(2))*total {
		t.Errorf("outside: parts are off by %g", d)
	}
	bound, err := objectiveOf(s, NewMatrix(1, 2, nil), mapped(NewMatrix(n, 1, nil), func(int, int,
		float64) float64 {
		return 1
	}), SumToOne)
	must(t, err)
	within("objectiveOf", bound, 3*gamma(fineDepth(n)+dotDepth(2)+20)*total)
	if new(big.Float).SetPrec(400).Sub(big.NewFloat(bound*unit), exact).Sign() < 0 {
		t.Error("objectiveOf is below the objective")
	}
	// The mean of entries that round up, in the two passes of Stats.
	part, m, err := new(moments).newPart(x, nil)
	must(t, err)
	m.setErrors(part, total, off)
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
	part, m, err := new(moments).newPart(x, nil)
	must(t, err)
	total, off, err := part.totalSquares()
	must(t, err)
	if m.setErrors(part, total, off); math.Abs(m.mean[0]+m.meanRest[0]) > m.meanOff {
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
