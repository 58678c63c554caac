package softkmeans

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestWeights: a weight is a repetition, 0 is absence, a common factor only scales the objective.
// Rows of weight 0 have the memberships of Predict.
func TestWeights(t *testing.T) {
	iris := loadCSV(t, "iris")
	rng := rand.New(rand.NewPCG(9, 9))
	w := make([]float64, iris.Rows)
	var repeated [][]float64
	for i := range w {
		w[i] = float64(rng.IntN(4))
		for range int(w[i]) {
			repeated = append(repeated, iris.Row(i))
		}
	}
	twice, _ := FromRows(repeated)
	wide := iris.transposed()
	ww := []float64{1, 0, 2, 3}
	wideTwice, _ := FromRows([][]float64{wide.Row(0), wide.Row(2), wide.Row(2), wide.Row(3), wide.Row(3),
		wide.Row(3)})
	for _, c := range []struct {
		x, rep *Matrix
		w      []float64
		k      int
	}{{iris, twice, w, 3}, {iris, twice, w, 7}, {wide, wideTwice, ww, 2}} {
		for i, solver := range allSolvers {
			o := Options{Solver: solver, Enclosure: allEnclosures[i%2]}
			b := mustDo(Fit(bg, c.rep, c.k, &o))(t)
			o.Weights = c.w
			a := mustDo(Fit(bg, c.x, c.k, &o))(t)
			checkFeasible(t, a.Memberships)
			if off := maxDiff(mustDo(a.Predict(nil, c.x))(t), a.Memberships); c.k <= c.x.Cols && off > 1e-9 {
				t.Errorf("%+v k=%d: Predict is off by %g", o, c.k, off)
			}
			if math.Abs(a.Objective-b.Objective) > 1e-10*b.Total ||
				math.Abs(a.Floor-b.Floor) > 1e-10*b.Total ||
				maxDiff(a.Centers, b.Centers) > 1e-10*math.Sqrt(b.Total) {
				t.Errorf("%+v k=%d: objective %g weighted, %g repeated, or other centers", o, c.k,
					a.Objective, b.Objective)
			}
			row := 0
			for i, wi := range c.w {
				for range int(wi) {
					if d := maxDiff(rowsOf(a.Memberships, i, i+1), rowsOf(b.Memberships, row,
						row+1)); d > 1e-10 {
						t.Fatalf("%+v: memberships differ by %g", o, d)
					}
					row++
				}
			}
			if c := mustDo(Certify(bg, c.x, a.Centers, a.Memberships,
				&Options{Weights: c.w, Sum: o.Sum}))(t); !c.Optimal(1e-12) {
				t.Errorf("%+v: %+v", o, c)
			}
			o.Weights = slices.Clone(c.w)
			scale(o.Weights, 0x1p600)
			s := mustDo(Fit(bg, c.x, c.k, &o))(t)
			if maxDiff(s.Memberships, a.Memberships) != 0 || maxDiff(s.Centers, a.Centers) != 0 ||
				s.Objective != a.Objective*0x1p600 {
				t.Errorf("%+v: weights times 2^600 change more than the scale", o)
			}
		}
	}
}

// TestErrRange: the first entry beyond the range is an error that names it, and the last
// within is none, for every function that reads samples.
func TestErrRange(t *testing.T) {
	next := math.Nextafter
	for _, c := range []struct {
		large, rest float64
		row, col    int // of the error; -1: none
	}{
		{0x1p500, 1, -1, 0}, {next(0x1p500, math.Inf(1)), 1, 2, 1}, {-next(0x1p500, math.Inf(1)), 0x1p500, 2,
			1},
		{0x1p-500, 0, -1, 0}, {next(0x1p-500, 0), 0, 2, 1}, {0x1p-500, math.SmallestNonzeroFloat64, -1, 0},
		{math.SmallestNonzeroFloat64, 0, 2, 1}, {0, 0, -1, 0}, {1, 0x1p-1000, -1, 0},
	} {
		x := mapped(NewMatrix(4, 2, nil), func(i, j int, _ float64) float64 { return c.rest * float64(i%2) })
		x.Set(2, 1, c.large)
		centers := NewMatrix(1, 2, nil)
		var w []float64
		if math.Abs(c.large) > 1 { // of weight 0 it is in range as well
			w = []float64{1, 1, 0, 1}
		}
		for name, err := range map[string]error{
			"Fit":      second(Fit(bg, x, 2, nil)),
			"weight 0": second(Fit(bg, x, 2, &Options{Weights: w})),
			"Floors":   second(Floors(bg, x, nil)),
			"Certify":  second(Certify(bg, x, centers, NewMatrix(4, 1, make1(4)), nil)),
			"Stats":    new(Stats).Add(x),
		} {
			var at *InputError
			switch {
			case c.row < 0 && err != nil:
				t.Errorf("%s of %g and %g: %v", name, c.large, c.rest, err)
			case c.row >= 0 && (!errors.Is(err, ErrRange) || !errors.As(err, &at) || at.Row != c.row ||
				at.Col != c.col || at.Value != c.large):
				t.Errorf("%s of %g and %g: %v", name, c.large, c.rest, err)
			}
		}
	}
}

// TestZeroWeightSize: rows of weight 0 may have any size in range, change nothing, and enlarge no simplex.
func TestZeroWeightSize(t *testing.T) {
	for _, shape := range [][2]int{{9, 3}, {4, 12}} {
		n, d := shape[0], shape[1]
		x := randomData(n, d, 0.5, 7)
		w := inTurn(n, 0, 1, 2)
		for _, exp := range []int{0, -499} {
			x := mapped(x, func(_, _ int, v float64) float64 { return math.Ldexp(v, exp) })
			huge := mapped(x, func(i, _ int, v float64) float64 {
				return []float64{v, math.Copysign(mostEntry, v)}[oneIf(i%3 == 0)]
			})
			for _, solver := range allSolvers {
				o := &Options{Weights: w, Solver: solver, Enclosure: allEnclosures[solver%2]}
				a, b := mustDo(Fit(bg, x, 3, o))(t), mustDo(Fit(bg, huge, 3, o))(t)
				if a.Total != b.Total || a.Floor != b.Floor || a.Objective != b.Objective || a.Gap != b.Gap ||
					maxDiff(a.Centers, b.Centers) != 0 {
					t.Errorf("%d×%d %v: objective %g floor %g total %g, with huge rows of weight 0 %g %g %g",
						n, d, solver, a.Objective, a.Floor, a.Total, b.Objective, b.Floor, b.Total)
				}
				checkFeasible(t, b.Memberships)
				c, err := Certify(bg, huge, b.Centers, b.Memberships, &Options{Weights: w})
				if err != nil || !c.Optimal(1e-12) {
					t.Errorf("%d×%d %v: %+v %v", n, d, solver, c, err)
				}
				if solver != SolverJacobi {
					a, b = mustDo(Fit(bg, sparseOf(thinned(x)), 3, o))(t), mustDo(Fit(bg, sparseOf(thinned(huge)), 3, o))(t)
					if a.Total != b.Total || maxDiff(a.Centers, b.Centers) != 0 {
						t.Errorf("%d×%d %v: sparse rows have a total of %g, with huge rows of weight 0 %g", n, d, solver,
							a.Total, b.Total)
					}
				}
			}
		}
	}
}

// TestFineMean: mean + rest is within its bound of the exact mean, and the sum of squares
// and the Gram matrix about it are within theirs.
func TestFineMean(t *testing.T) {
	t.Parallel()
	for seed := range fewer[uint64](60, 15) {
		rng := rand.New(rand.NewPCG(seed, 52))
		n, d := 1+rng.IntN(300), 1+rng.IntN(5)
		by := []float64{0, 1, -1e4, 1e8, 1e15}[rng.IntN(5)]
		x := moved(randomData(n, d, 0, seed), by)
		var w []float64
		if rng.IntN(2) == 0 {
			for range n {
				w = append(w, []float64{1, 3, 1e-3, 1e6, 0, .7}[rng.IntN(6)])
			}
			w[rng.IntN(n)] = 1
		}
		s := mustDo(newSamples(bg, x, w, 1+rng.IntN(3), true))(t)
		mean, scatter := bigMoments(x, w, s.units)
		total, off, err := s.totalSquares()
		must(t, err)
		exact := new(big.Float).SetPrec(4000)
		for i := range scatter {
			exact.Add(exact, scatter[i][i])
		}
		apart := new(big.Float).SetPrec(4000).SetFloat64(total)
		if apart.Sub(apart, exact); !(math.Abs(double(apart)) <= off) {
			t.Errorf("seed %d, moved by %g: total %g off by %g, bound %g", seed, by, total, double(apart),
				off)
		}
		if got := math.Sqrt(s.fine.mass) * bigApart(s.mean, s.fine.rest,
			bigRows{mean}); !(got <= s.fine.off(total)) {
			t.Errorf("seed %d, moved by %g: the mean is %g off, bound %g", seed, by, got, s.fine.off(total))
		}
		if off > 1e-11*total && by < 1e8 && n > 1 && w == nil {
			t.Errorf("seed %d, moved by %g: total %g within %g", seed, by, total, off)
		}
		s.part = true // the Gram matrix of the columns
		gram, err := gramMatrix(s)
		if err == nil {
			err = recentre(s, gram)
		}
		must(t, err)
		bound := gramError(s, trace(gram)) + s.fine.bound(total)
		if got := bigApart(gram.Data, make([]float64, d*d), scatter); !(got <= bound) {
			t.Errorf("seed %d, moved by %g: the Gram matrix is %g off, bound %g", seed, by, got, bound)
		}
	}
}

// TestProducts: the passes over samples in blocks, with weights, on a strided view, against sums in a loop.
func TestProducts(t *testing.T) {
	type shape struct{ n, d, b int }
	for _, c := range []shape{{1, 1, 1}, {5, 3, 2}, {30, 7, 4}, {700, 5, 3}, {500, 30, 9}, {9, 700, 5},
		{250, 191, 4}, {250, 192, 7},
		{30, 481, 3}, {fewer(700, 385), fewer(1000, 386), 2}} {
		x := randomData(c.n, c.d+2, 3, uint64(c.n))
		x = &Matrix{Rows: c.n, Cols: c.d, Stride: c.d + 2, Data: x.Data[:c.n*(c.d+2)-2]}
		weights := inTurn(c.n, 1, 2, 3, 0)
		s := mustDo(newSamples(bg, x, weights, 2, true))(t)
		xc := NewMatrix(c.n, c.d, nil)
		s.packPart(xc.Data, span{0, c.n}, span{0, s.d}, true)
		v, y := randomData(c.b, c.d, 0, 1), randomData(c.b, c.n, 0, 2)
		for _, p := range []struct {
			name      string
			got, want *Matrix
		}{
			{"mul", mustDo(multiply(s, v))(t), product(v, xc.transposed())},
			{"mulT", mustDo(s.multiplyT(y))(t), product(y, xc)},
		} {
			if off := maxDiff(p.got, p.want); !(off <= 1e-13*float64(c.n+c.d)) {
				t.Errorf("%v: %s is off by %g", c, p.name, off)
			}
		}
		want := product(xc.transposed(), xc)
		if s.wide() {
			want = product(xc, xc.transposed())
		}
		if off := maxDiff(mustDo(gramMatrix(s))(t), want); !(off <= 1e-13*float64(c.n+c.d)) {
			t.Errorf("%v: the Gram matrix is off by %g", c, off)
		}
	}
}

// TestTriangularFactor: R is upper triangular, and RᵀR is the smaller Gram matrix, for one
// stack and for many, also where a stack is full before its end.
func TestTriangularFactor(t *testing.T) {
	for _, c := range [][2]int{{1, 1}, {5, 3}, {700, 3}, {9000, 2}, {1500, 30}, {3, 700}, {2, 9000},
		{30, 29}} {
		n, d := c[0], c[1]
		x := randomData(n, d, 2, 3)
		weights := inTurn(n, 1, 2, 3, 0)
		s := mustDo(newSamples(bg, x, weights, 2, true))(t)
		r, gram := mustDo(triangularFactor(s))(t), mustDo(gramMatrix(s))(t)
		if r.Rows != min(n, d) || r.Cols != r.Rows || gram.Rows != r.Rows ||
			maxDiff(r, upperPart(r, r.Rows)) > 0 {
			t.Fatalf("%v: R is %s, or not triangular", c, shape(r.Rows, r.Cols))
		}
		if off := maxDiff(product(r.transposed(), r), gram); off > 1e-14*float64(n+d) {
			t.Errorf("%v: RᵀR is %g off", c, off)
		}
	}
}
