package softkmeans

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"testing"
)

// TestAutoFallsBack: data whose floor the Gram matrix cannot resolve.
func TestAutoFallsBack(t *testing.T) {
	// Four directions of lengths 1, 1e-3, 1e-6, 1e-9: the squares reach 1e-18.
	rng := rand.New(rand.NewPCG(4, 4))
	x := NewMatrix(200, 4, nil)
	for i := range 200 {
		for j := range 4 {
			x.Set(i, j, (2*rng.Float64()-1)*math.Pow(10, -3*float64(j)))
		}
	}
	auto := mustDo(Fit(bg, x, 4, nil))(t)
	if auto.Solver != SolverJacobi {
		t.Errorf("Auto stayed with %v for a floor of %g of the total", auto.Solver, auto.Floor/auto.Total)
	}
	// The smallest direction's own length, but for what it shares with others. What
	// rounding might hide of it is more, in the objective that is stated.
	minimum, exact := bigFloor(bigFloors(x, nil), 4), bigObjective(x, auto.Centers, auto.Memberships, nil,
		SumToOne)
	if rel := math.Abs(double(exact)/double(minimum) - 1); rel > 1e-6 {
		t.Errorf("objective %g, floor %g: %g apart", double(exact), double(minimum), rel)
	}
	checkObjective(t, "graded", auto.Objective, exact, hides(x, nil, auto.Centers, auto.Memberships,
		SumToOne), 0, 0)
	checkFloor(t, "graded", auto.Floor, auto.FloorError, minimum, 0)
}

// TestWideFar: the rest of the mean is in the floor's error only where it is below a rounding.
func TestWideFar(t *testing.T) {
	for _, far := range []float64{1, 1e3, 1e6, 1e9} {
		x := mapped(randomData(20, 90, 1, 1), func(_, _ int, v float64) float64 { return v + far })
		m, err := Fit(bg, x, 4, &Options{Solver: SolverGram})
		if err != nil || !(m.FloorError <= 1e-13*m.Total) {
			t.Errorf("%g: error %g of %g (%v)", far, m.FloorError, m.Total, err)
		}
	}
}

// TestKrylovTied: of directions that tie one step finds one exactly, which says nothing
// of the others: the floor has to be proved all the same.
func TestKrylovTied(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n, d := 4+rng.IntN(12), 4+rng.IntN(12)
		x := NewMatrix(n, d, nil)
		for j := range min(n/2, d) { // pairs at ±1 on some of the axes
			if rng.IntN(2) == 0 {
				x.Set(2*j, j, 1)
				x.Set(2*j+1, j, -1)
			}
		}
		for k := 2; k < 5; k++ {
			m := mustDo(Fit(bg, x, k, &Options{Solver: SolverKrylov}))(t)
			// krylovTol, and FloorError's and the objective's rounding: some 2·15·2^-52.
			if m.Status == StatusOptimal && !(m.Gap <= krylovTol+1e-14) {
				t.Errorf("%d×%d, k = %d: %v with a gap of %g after %d steps", n, d, k, m.Status, m.Gap,
					m.Iterations)
			}
		}
	}
}

// TestKrylovFewSteps: the floor is proved also where the steps were far too few to
// find the leading directions.
func TestKrylovFewSteps(t *testing.T) {
	t.Parallel()
	n, d := 100, 150
	tight := 0
	for name, sigma := range map[string]func(i int) float64{
		"flat": func(int) float64 { return 1 }, "falls": func(i int) float64 { return 1 / float64(i+1) },
		"spike":       func(i int) float64 { return 1 + 99*float64(1/(i+1)) },
		"two heights": func(i int) float64 { return 1 + float64(30/(i+1)) },
	} {
		x := mapped(randomData(n, d, 0, 1), func(_, j int, v float64) float64 {
			return sigma(j) * v * (1 + float64(j)/4)
		})
		floors := mustDo(Floors(bg, x, nil))(t)
		s := mustDo(newSamples(bg, x, nil, 1, true))(t)
		for _, k := range []int{2, 4, 12} {
			for _, steps := range []int{1, 2, 4, 30} {
				pc := mustDo(principalByKrylov(s, wanted{k - 1, 0}, krylovOptions{steps: steps}))(t)
				floor, open := s.unscaleSquare(pc.floor), s.unscaleSquare(pc.floorError)
				if !(floor-open <= floors[k-1]*(1+1e-12) && floors[k-1] <= floor*(1+1e-12) &&
					open <= (1+1e-12)*floors[0]) {
					t.Errorf("%s, k = %d, %d steps: floor %g − %g, the minimum is %g", name, k, steps, floor,
						open, floors[k-1])
				}
				if pc.status == StatusOptimal && open > 1e-12*floors[0] || steps == 30 &&
					pc.status != StatusOptimal {
					t.Errorf("%s, k = %d, %d steps: %v, with an error of %g of %g", name, k, steps, pc.status,
						open, floors[0])
				}
				if floor-open > .8*floors[k-1] {
					tight++
				}
			}
		}
	}
	if tight == 0 {
		t.Error("no floor says anything")
	}
}

// TestCancel ends Fit at every look at its context, and a large basis that is completed, which
// no pass over x interrupts: it looks for each vector, and ends soon.
func TestCancel(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, c := range []struct{ n, d, k, least, after int }{{600, 20, 4, 20, 40}, {3, 150, 151, 15, 10}} {
		x := randomData(c.n, c.d, 0, 1)
		for _, solver := range allSolvers {
			o := &Options{Solver: solver, Workers: c.k % 2, Weights: make1(c.n)}
			stopped := 0
			for look := 0; ; look += 1 + look/6 {
				ctx := endingAt(look)
				m, err := Fit(ctx, x, c.k, o)
				if err == nil {
					break
				}
				if m != nil || !errors.Is(err, context.Canceled) || int(-ctx.left.Load()) > c.after {
					t.Fatalf("%v stopped at look %d: %v, %v, %d more", solver, look, m, err, -ctx.left.Load())
				}
				stopped = look + 1
			}
			if stopped < c.least {
				t.Errorf("%v looked at its context %d times", solver, stopped)
			}
		}
	}
	for look := range 140 {
		ctx := endingAt(look)
		_, err := completed(ctx, randomData(2, 150, 0, 1), 150, 150)
		if !errors.Is(err, context.Canceled) || ctx.left.Load() < -10 {
			t.Fatalf("a basis stopped at look %d: %v, %d more", look, err, -ctx.left.Load())
		}
	}
	noneLeft(t, before)
}

// TestAutoKrylov: SolverAuto takes Krylov's steps where the spectrum falls, and gives
// them up before their limit where it does not.
func TestAutoKrylov(t *testing.T) {
	t.Parallel()
	n := fewer(600, jacobiMaxSide+8)
	limit := krylovSteps(1, n, n)
	for _, falls := range []bool{true, false} {
		rng := rand.New(rand.NewPCG(6, 1))
		x := mapped(NewMatrix(n, n, nil), func(_, j int, v float64) float64 {
			if v = rng.NormFloat64(); falls {
				v /= math.Sqrt(1 + float64(j)/8) // ten steps
			}
			return v
		})
		m := mustDo(Fit(bg, x, 2, nil))(t)
		if (m.Solver == SolverKrylov) != falls || !(math.Abs(m.Gap) <= 1e-12) {
			t.Errorf("a spectrum that falls is %v: solver %v, gap %g", falls, m.Solver, m.Gap)
		}
		s := mustDo(newSamples(bg, x, nil, 1, true))(t)
		pc := mustDo(principalByKrylov(s, wanted{1, 0}, krylovOptions{steps: limit, hasty: true}))(t)
		if (pc.status == StatusOptimal) != falls || pc.steps >= limit*2/3 {
			t.Errorf("a spectrum that falls is %v: %d steps of %d, %v", falls, pc.steps, limit, pc.status)
		}
	}
}

// TestPrincipalTable: every solver's subspace and floor against the full decomposition, for
// no direction, some, and more than there are.
func TestPrincipalTable(t *testing.T) {
	for _, c := range [][2]int{{40, 6}, {6, 40}, {7, 7}, {1, 3}, {5, 1}} {
		x := mapped(randomData(c[0], c[1], 2, 1), func(_, _ int, v float64) float64 { return 4 * v })
		floors, total := oracle(x, nil)
		s := mustDo(newSamples(bg, x, nil, 1, true))(t)
		small, _ := s.sides()
		for _, solver := range allSolvers {
			for p := 0; p <= c[1]; p += 1 + p/3 {
				pc := mustDo(principalOf(s, wanted{p, 0}, solver, toFit))(t)
				name := solver.String() + " " + shape(c[0], c[1]) + ", " + shape(p, c[1])
				if maxDiff(product(pc.basis, pc.basis.transposed()), identity(p)) > 1e-14*float64(c[1]) ||
					pc.basis.Rows != p || pc.basis.Cols != c[1] {
					t.Errorf("%s: the basis is not orthonormal", name)
				}
				want := floors[min(p, len(floors)-1)]
				floor, open := s.unscaleSquare(pc.floor), s.unscaleSquare(pc.floorError)
				// The oracle has some digits less than what is proved.
				if rounding := 1e-14 * total; floor-open > want+rounding || floor+open < want-rounding ||
					open > 1e-13*total || p >= s.rankBound() && (floor != 0 || open != 0) {
					t.Errorf("%s: floor %g within %g, want %g of %g", name, floor, open, want, total)
				}
				if math.Abs(s.unscaleSquare(pc.total)-total) > 1e-13*total || pc.status != StatusOptimal ||
					solver != SolverAuto && pc.solver != solver ||
					(pc.steps > 0) != (pc.solver == SolverKrylov && p > 0) {
					t.Errorf("%s: total %g of %g, %v, %v, %d steps", name, s.unscaleSquare(pc.total), total,
						pc.status, pc.solver, pc.steps)
				}
				// What the basis leaves of the data is the floor; the sign of each row is fixed.
				xc := NewMatrix(c[0], c[1], nil)
				s.pack(xc.Data, 0, c[0])
				w := product(xc, pc.basis.transposed())
				if left := pc.total - sumSquares(w.Data); math.Abs(s.unscaleSquare(left)-want) > 1e-12*total {
					t.Errorf("%s: the basis leaves %g, want %g", name, s.unscaleSquare(left), want)
				}
				checkSigns(t, pc.basis.transposed())
				for i, v := range pc.squares[:min(p, len(pc.squares))] {
					var want float64
					for j := range c[0] {
						want += w.At(j, i) * w.At(j, i)
					}
					if math.Abs(v-want) > 1e-12*pc.total {
						t.Errorf("%s: square %d is %g, want %g", name, i, v, want)
					}
				}
				if solver == SolverKrylov && p > 0 && len(pc.squares) != min(p, small) {
					t.Errorf("%s: %d squares", name, len(pc.squares))
				}
			}
		}
		values, sum, _, err := singularSquares(s, min(s.n, s.d))
		if err != nil || len(values) != small || math.Abs(s.unscaleSquare(sum)-total) > 1e-13*total {
			t.Fatal(len(values), sum, err)
		}
		for i, v := range values {
			if want := floors[i] - floors[i+1]; math.Abs(s.unscaleSquare(v)-want) > 1e-12*total ||
				i >= s.rankBound() && v != 0 {
				t.Errorf("%v: value %d is %g, want %g", c, i, v, want)
			}
		}
	}
}

// TestComplementBelow: the bound is one whatever rows, interval and degree it is given, of eigenvalues of
// both signs.
func TestComplementBelow(t *testing.T) {
	const n, p = 12, 1
	rng := rand.New(rand.NewPCG(7, 7))
	tight := 0
	for try := range 600 {
		q := laOrthogonal(n, rng)
		b := product(product(q, mapped(identity(n), func(_, _ int, v float64) float64 {
			return v * math.Pow(rng.NormFloat64(), 3)
		})), q.transposed())
		if try%3 == 0 { // no eigenvalue below 0
			b = product(b, b)
		}
		mirror(b.Data, n)
		apply := func(v *Matrix) (*Matrix, error) { return product(v, b), nil }
		values, vectors, err := EigenSym(b)
		must(t, err)
		rows := orthogonalTo(rng, NewMatrix(0, n, nil), p+2)
		if try%2 == 0 {
			rows = rowsOf(vectors.transposed(), 0, p+2).Clone()
		}
		if try%4 == 0 { // the last two turned into each other
			for c, v := range rows.row(p) {
				w := rows.row(p + 1)[c]
				rows.row(p)[c], rows.row(p + 1)[c] = (v+w)/math.Sqrt2, (v-w)/math.Sqrt2
			}
		}
		c := complement{ctx: bg, p: p, vectors: withProbes(bg, rows, p), apply: apply, most: rng.IntN(9),
			least: min(0, rng.NormFloat64()), trace: math.Inf(1), squares: math.Inf(1), noise: 1e-13}
		c.times = mustDo(apply(c.vectors))(t)
		without := projectorWithout(rowsOf(rows, 0, p))
		outside := product(product(without, b), without)
		mirror(outside.Data, n)
		of, _, err := EigenSym(outside)
		must(t, err)
		top := of[0]
		if values[n-1] >= 0 {
			c.trace = trace(outside) + 1e-13
		}
		low := values[0] * rng.Float64()
		next, more, sure, err := c.below(func(next float64) bool { return next <= low })
		if err != nil || !(next >= top-1e-12) || more > c.most || sure && next > low {
			t.Errorf("%d: the bound is %g (%v, wanted %g) after %d products of %d, the largest eigenvalue %g; %v",
				try, next, sure, low, more, c.most, top, err)
		}
		if next < 2*top {
			tight++
		}
	}
	if tight < 120 {
		t.Errorf("only %d bounds say much", tight)
	}
}

// TestComplementNoise: products of a matrix with one eigenvalue hide its vector, which is one of the rows or
// not, as far as the noise permits.
func TestComplementNoise(t *testing.T) {
	const n, p, noise = 400, 1, 1e-6
	all := orthogonalTo(rand.New(rand.NewPCG(8, 8)), NewMatrix(0, n, nil), 4)
	for at, top := range map[int]float64{p: 1, 3: 4 * noise} {
		apply := func(v *Matrix) (*Matrix, error) {
			return mapped(v, func(i, j int, _ float64) float64 {
				along, most := top*dot(v.row(i), all.row(at)), noise*norm2(v.row(i))
				return (along - min(max(along, -most), most)) * all.At(at, j)
			}), nil
		}
		c := complement{ctx: bg, p: p, vectors: withProbes(bg, rowsOf(all, 0, 3), p), apply: apply, most: 16,
			trace: math.Inf(1), squares: math.Inf(1), noise: noise}
		c.times = mustDo(apply(c.vectors))(t)
		if next, _, _, err := c.below(func(float64) bool { return false }); err != nil || !(next >= top) {
			t.Errorf("row %d: the bound is %g, the eigenvalue %g; %v", at, next, top, err)
		}
	}
}

// projectorWithout is I − VᵀV.
func projectorWithout(v *Matrix) *Matrix {
	return mapped(product(v.transposed(), v), func(i, j int, x float64) float64 {
		if i == j {
			return 1 - x
		}
		return -x
	})
}

// TestChooseSolver: what SolverAuto takes on both sides of each limit.
func TestChooseSolver(t *testing.T) {
	const gram, jacobi, krylov = SolverGram, SolverJacobi, SolverKrylov
	for _, c := range []struct {
		sparse          bool
		why             purpose
		p, small, large int
		first, then     Solver
	}{
		{false, toFit, 2, 512, 9e4, gram, jacobi},
		{false, toFit, 3, 513, 513, krylov, gram}, {false, toFit, 2, 1500, 9e4, krylov, gram}, {false, toFit, 30, 600, 9e4, gram, gram},
		{false, toCertify, 2, 2048, 9e4, gram, gram}, {false, toCertify, 2, 512, 9e4, gram, jacobi},
		{false, toCertify, 2, 2049, 9e4, krylov, gram}, {true, toFit, 2, 1024, 9e4, gram, gram},
		{true, toFit, 2, 1025, 9e4, krylov, gram}, {true, toFit, 2, 2049, 9e4, krylov, krylov},
		{true, toCertify, 2, 2048, 9e4, gram, gram},
		{true, toCertify, 2, 2049, 9e4, krylov, krylov},
	} {
		got := chooseSolver(SolverAuto, c.sparse, c.why, c.p, c.small, c.large)
		if got.first != c.first || got.then != c.then {
			t.Errorf("%+v: %v", c, got)
		}
		if got := chooseSolver(krylov, c.sparse, c.why, c.p, c.small, c.large); got.first != krylov ||
			got.then != krylov || got.steps != defaultKrylovSteps {
			t.Errorf("%+v, as asked: %v", c, got)
		}
	}
}

// TestSubspace: the exported form of dense rows, sparse ones and statistics is the same, about the mean and
// about 0; coordinates have the singular values.
func TestSubspace(t *testing.T) {
	x := mapped(randomData(60, 7, 3, 5), func(_, _ int, v float64) float64 { return 1e100 * v })
	w := inTurn(60, 1, 2, 0, 1.5)
	var stats Stats
	if err := stats.AddWeighted(x, w); err != nil {
		t.Fatal(err)
	}
	for _, sum := range []Sum{SumToOne, SumAtMostOne} {
		o := &Options{Weights: w, Sum: sum}
		dense := mustDo(Principal(bg, x, 3, o))(t)
		floors := mustDo(Floors(bg, x, o))(t)
		from := mustDo(stats.Principal(bg, 3, &Options{Sum: sum}))(t)
		for name, p := range map[string]*Subspace{
			"dense": dense, "sparse": mustDo(Principal(bg, sparseOf(x), 3, o))(t), "statistics": from,
			"jacobi": mustDo(Principal(bg, x, 3, &Options{Weights: w, Sum: sum, Solver: SolverJacobi}))(t),
		} {
			if want := floors[3-directionsOf(1, sum)]; math.Abs(p.Floor-want) > 1e-12*p.Total ||
				p.FloorError > 1e-12*p.Total || math.Abs(p.Total-dense.Total) > 1e-13*p.Total || p.Weight != 67.5 {
				t.Errorf("%s, %v: floor %g within %g, want %g; weight %g", name, sum, p.Floor, p.FloorError,
					want, p.Weight)
			}
			z := mustDo(p.Coordinates(nil, x))(t)
			for c := range 3 {
				square := 0.0
				for i, v := range w {
					square += v * (z.At(i, c) / 1e100) * (z.At(i, c) / 1e100) * 1e200
				}
				if math.Abs(square-p.Squares[c]) > 1e-12*p.Total {
					t.Errorf("%s, %v: direction %d has %g, want %g", name, sum, c, square, p.Squares[c])
				}
			}
		}
	}
	if _, err := Principal(bg, x, 8, nil); !errors.Is(err, ErrOption) {
		t.Error(err)
	}
	if _, err := stats.Principal(bg, -1, nil); !errors.Is(err, ErrOption) {
		t.Error(err)
	}
}

// outsideData is x = mean + Σσ_l·u_l·v_lᵀ, rounded to float64.
func outsideData(n, d int, mean float64, sigma func(l int) float64, seed uint64) *Matrix {
	values := make([]float64, min(n, d))
	for l := range values {
		values[l] = sigma(l)
	}
	return moved(laSpectrum(n, d, values, rand.New(rand.NewPCG(seed, 41))), mean)
}

// outsideBounds are what `outside` proves of the floor, in the data's units.
func outsideBounds(t *testing.T, x rows, basis *Matrix, next float64) (low, high float64) {
	t.Helper()
	total, _, err := x.totalSquares()
	must(t, err)
	r, s := newOutside(basis, basis.Rows), x.data()
	r.mean = s.fine.off(total)
	must(t, x.measure(r))
	low, high = r.floor(next)
	return s.unscaleSquare(low), s.unscaleSquare(high)
}

// TestOutside: the exact floor is between the bounds, for data of all kinds and any basis,
// in one part and in several.
func TestOutside(t *testing.T) {
	if outgrown(t) {
		return
	}
	cases := map[string]*Matrix{
		"graded":   outsideData(25, 5, 0, func(l int) float64 { return math.Pow(10, -4*float64(l)) }, 3),
		"very far": outsideData(20, 4, 1e15, func(l int) float64 { return math.Pow(2, -float64(l)) }, 5),
		"wide":     outsideData(5, 12, 3, func(l int) float64 { return math.Pow(100, -float64(l)) }, 6),
		"a gap":    outsideData(20, 5, 2, func(l int) float64 { return math.Pow(1e-10, float64(l/3)) }, 7),
		"exact": product(NewMatrix(4, 2, []float64{1, 0, 0, 1, .5, .5, .25, .75}), NewMatrix(2, 3,
			[]float64{1, 5, 3, 2, 8, 7})),
		"all equal": mapped(NewMatrix(9, 3, nil), func(_, j int, _ float64) float64 {
			return .1 + float64(j)
		}),
		"small": mapped(outsideData(12, 4, 1, func(l int) float64 { return 1 / float64(l+1) }, 8),
			func(_, _ int, v float64) float64 { return v * 0x1p-400 }),
	}
	rng := rand.New(rand.NewPCG(42, 1))
	for name, x := range cases {
		for _, weighted := range []bool{false, true} {
			var w []float64
			if weighted {
				for i := range x.Rows {
					w = append(w, []float64{1, .25, 3, 0, 1e-6, 7}[i%6])
				}
			}
			floors, lost := bigFloors(x, w), lostSquares(x, w)
			s := mustDo(newSamples(bg, x, w, 1, true))(t)
			sparse := mustDo(newSparseSamples(bg, sparseOf(x), w, 1, true))(t)
			for p := 1; p < s.rankBound(); p++ {
				pc, err := principalByJacobi(s, wanted{p, 0})
				must(t, err)
				off, any, loose := pc.basis.Clone(), NewMatrix(p, x.Cols, randomSlice(p*x.Cols, rng)),
					pc.basis.Clone()
				disturb(off, 1e-4, rng)
				orthonormalize(bg, off, 0)
				orthonormalize(bg, any, 0)
				disturb(loose, 1e-9, rng) // not orthonormal to the last digits
				least := math.Inf(1)      // the most that is known of the next value, σ_{p+1}²
				if top := double(floors[0]); top > 0 {
					least = math.Ldexp((double(floors[p])-double(floors[p+1]))*(1+1e-9)+1e-9*top,
						-2*s.exp-s.wexp)
				}
				for _, c := range []struct {
					name  string
					basis *Matrix
					next  float64
				}{{"leading", pc.basis, math.Inf(1)}, {"leading, and the next value", pc.basis, least},
					{"nearly", off, math.Inf(1)}, {"random", any, math.Inf(1)}, {"loose", loose,
						math.Inf(1)}} {
					for _, data := range []rows{s, sparse} {
						low, high := outsideBounds(t, data, c.basis, c.next)
						exact := floors[p]
						if new(big.Float).Sub(big.NewFloat(low), exact).Cmp(big.NewFloat(lost)) > 0 ||
							new(big.Float).Sub(exact, big.NewFloat(high)).Cmp(big.NewFloat(lost)) > 0 {
							t.Errorf("%T %s, weights %t, p = %d, %s basis: %g to %g, the floor is %g",
								data, name, weighted, p, c.name, low, high, double(exact))
						}
					}
					if skew := bigSkew(c.basis); skew.Cmp(big.NewFloat(skewOf(c.basis))) > 0 {
						t.Errorf("a basis is %g off, bound %g", double(skew), skewOf(c.basis))
					}
				}
			}
		}
	}
}

// bigSkew is ‖UUᵀ − I‖_F of rows U.
func bigSkew(u *Matrix) *big.Float {
	m, p := bigMatrix(u)
	sum := p.zero()
	for i, x := range m {
		for j, y := range m {
			v := p.sub(p.dot(x, y), p.num(float64(oneIf(i == j))))
			sum.Add(sum, p.mul(v, v))
		}
	}
	return p.sqrt(sum)
}

// TestOutsideCoordinates: products of rows with a basis that round up in one half of them and down in the
// other leave as much along the basis, which is no part of the floor. It is at most the rows' distance.
func TestOutsideCoordinates(t *testing.T) {
	const m, stride = 400, 16 // of these entries all products are in the same partial sum
	u, x := NewMatrix(1, m*stride, nil), NewMatrix(4, m*stride, nil)
	for i := range m {
		v := 0x1p-27 * math.Sqrt(2/1.5)
		if i == 0 {
			v = 1 - m*0x1p-54/1.5
		}
		u.Data[i*stride] = v
		for r, by := range []float64{1.5, -1.5, 1.5, -1.5} {
			x.row(r)[i*stride] = by * v * (1 + float64(oneIf(i > 0))*float64(1-r/2*2)*0x1p-40)
		}
	}
	s := mustDo(newSamples(bg, x, nil, 1, false))(t) // about 0, which is not off
	most := 2 * squaredDistance(x.row(0), x.row(2))
	if low, _ := outsideBounds(t, s, u, math.Inf(1)); low > most {
		t.Errorf("a floor of %g, truly at most %g", low, most)
	}
}

// TestOutsideMean: two points have a floor of 0, also about a mean that is off. Of 3000 pairs of entries these, added
// 8000 times, have the largest difference of rounding.
func TestOutsideMean(t *testing.T) {
	x := NewMatrix(8000, 2, nil)
	copy(x.row(0), []float64{1.1779976724032797, 1.7504040779877519})
	for _, solver := range []Solver{SolverJacobi, SolverKrylov} {
		p := mustDo(Principal(bg, x, 1, &Options{Solver: solver}))(t)
		if low := p.Floor - p.FloorError; low > 0 {
			t.Errorf("%v: a floor of %g within %g", solver, p.Floor, p.FloorError)
		}
	}
}

// TestOutsideTight: a floor of 1e-20 of the total has four digits.
func TestOutsideTight(t *testing.T) {
	t.Parallel()
	for _, mean := range []float64{0, 100} {
		for _, wide := range []bool{false, true} {
			n, d := 40, 8
			if wide {
				n, d = 10, 30
			}
			x := outsideData(n, d, 0, func(l int) float64 {
				if l < 3 {
					return 4 - float64(l)
				}
				return 1e-10
			}, 11)
			for i := range x.Data {
				x.Data[i] = math.Round(x.Data[i]*0x1p40)*0x1p-40 + mean // the floor is that of this rounding
			}
			s := mustDo(newSamples(bg, x, nil, 1, true))(t)
			pc, err := principalByJacobi(s, wanted{3, 0})
			must(t, err)
			low, high := outsideBounds(t, s, pc.basis, math.Inf(1))
			name := fmt.Sprintf("%s, mean %g", shape(n, d), mean)
			if !(high-low <= 1e-3*high) || !(high <= 1e-18*s.unscaleSquare(pc.total)) {
				t.Errorf("%s: %g to %g of %g", name, low, high, s.unscaleSquare(pc.total))
			}
			checkFloor(t, name, low, high-low, bigFloor(bigFloors(x, nil), 4), 0)
			if pc.floorError > 1e-3*pc.floor {
				t.Errorf("%s, mean %g: floor %g within %g", shape(n, d), mean, pc.floor, pc.floorError)
			}
		}
	}
}

// TestOutsideLight: rows whose weights leave them a total of 1e-166, the squares of which
// are below the range.
func TestOutsideLight(t *testing.T) {
	const m = 9007199254740985.
	x := NewMatrix(4, 3, []float64{m, m + 2, m, m + 5, m + 1, m + 1, m + 6, m, m + 7, m + 2, m + 3, m})
	w := []float64{8e79, 3.7e-138, 7e-66, 9.6e-55} // the second counts as 0: two directions
	for _, solver := range []Solver{SolverAuto, SolverGram, SolverKrylov} {
		got := mustDo(Fit(bg, x, 3, &Options{Solver: solver, Weights: w}))(t)
		if got.Floor-got.FloorError > 0 {
			t.Errorf("%v: the floor is %g − %g, and 0 is the minimum", solver, got.Floor, got.FloorError)
		}
	}
}

// TestPrincipalUnderflow: a floor below the range is not proved to be 0.
func TestPrincipalUnderflow(t *testing.T) {
	t.Parallel()
	x := NewMatrix(2, 1, []float64{1e-150, 4e-150})
	p, err := Principal(bg, x, 0, &Options{Weights: []float64{1e-30, 1e-30}})
	if must(t, err); p.Floor != 0 || !(p.FloorError > 0) { // it is 4.5e-330
		t.Errorf("a floor of %g within %g", p.Floor, p.FloorError)
	}
}
