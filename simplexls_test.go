package softkmeans

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// supportsOf calls f with every set of the numbers below k.
func supportsOf(k int, f func(index []int)) {
	for set := range 1 << k {
		var index []int
		for j := range k {
			if set>>j&1 == 1 {
				index = append(index, j)
			}
		}
		f(index)
	}
}

// slowSimplexLS returns the smallest squared distance of x from the simplex, by every support:
// for k ≤ 8 or so. Dependent sets are skipped, whose hulls smaller ones cover.
func slowSimplexLS(x []float64, f *Matrix) float64 {
	best := math.Inf(1)
	supportsOf(f.Rows, func(index []int) {
		if len(index) == 0 {
			return
		}
		// Barycentric coordinates by the normal equations of the edges.
		m, y := len(index)-1, slices.Clone(x)
		edges, b := NewMatrix(m, f.Cols, nil), make([]float64, m)
		axpy(y, -1, f.Row(index[0]))
		for i := range m {
			copy(edges.Row(i), f.Row(index[i+1]))
			axpy(edges.Row(i), -1, f.Row(index[0]))
			b[i] = dot(edges.Row(i), y)
		}
		a := product(edges, edges.transposed()).Data
		top := slices.Max(append(a, 0))
		for i := range m {
			a[i*m+i] *= 1 + 1e-15
		}
		if !cholesky(a, m) || m > 0 && 1/a[m*m-1] <= 1e-6*math.Sqrt(top) {
			return
		}
		cholSolve(a, m, b)
		if m > 0 && slices.Min(b) < 0 || sumOf(b) > 1 {
			return
		}
		for i, g := range b {
			axpy(y, -g, edges.Row(i))
		}
		best = min(best, sumSquares(y))
	})
	return best
}

// solveFrom returns the memberships of x by the solver of rows, which tries the supports of start first.
func solveFrom(f, x, start *Matrix, sum Sum) *Matrix {
	p, n := newSimplexProblem(f, sum, false), x.Rows
	g := NewMatrix(n, f.Rows, nil)
	if !p.same(g, 0, n) {
		b := p.products(block{hi: n, scratch: make([]float64, n*(p.d+p.k))}, x)
		newRowSolver(p).rows(bg, g, start, 0, n, b)
	}
	return g
}

// TestSimplexLeastSquares against all supports, on independent, dependent,
// coinciding and nearly coinciding vertices.
func TestSimplexLeastSquares(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	for trial := range fewer(300, 60) {
		k, d := 1+rng.IntN(6), 1+rng.IntN(8)
		f := mapped(NewMatrix(k, d, nil), func(_, _ int, _ float64) float64 { return rng.NormFloat64() + 5 })
		kind := trial % 4
		for j, v := range f.Row(0) {
			switch {
			case kind == 1 && k > 1: // two coincide
				f.Set(k-1, j, v)
			case kind == 2 && k > 1: // nearly
				f.Set(k-1, j, v+1e-9*rng.NormFloat64())
			case kind == 3 && k > 2: // one between two others
				f.Set(k-1, j, 0.3*v+0.7*f.At(1, j))
			}
		}
		x := mapped(NewMatrix(10, d, nil), func(_, _ int, _ float64) float64 {
			return 5 + 3*rng.NormFloat64()*math.Pow(10, float64(rng.IntN(3)-1))
		})
		g := mustDo(SimplexLeastSquares(nil, x, f, nil))(t)
		checkFeasible(t, g)
		p := newSimplexProblem(f, SumToOne, false)
		if kind == 1 && k > 1 && p.ridge == 0 && !p.flat || kind == 0 && k <= d && p.ridge != 0 {
			t.Errorf("kind %d k=%d d=%d: ridge %g", kind, k, d, p.ridge)
		}
		for i := range x.Rows {
			got := plainObjective(rowsOf(x, i, i+1), f, rowsOf(g, i, i+1), nil)
			if want := slowSimplexLS(x.Row(i), f); got > want*(1+1e-10)+1e-12 {
				t.Errorf("kind %d k=%d d=%d row %d: %g, best is %g", kind, k, d, i, got, want)
			}
		}
		// A warm start, good or bad, changes nothing.
		start := mapped(g, func(_, _ int, _ float64) float64 { return float64(rng.IntN(2)) })
		h := solveFrom(f, x, start, SumToOne)
		if tol := map[bool]float64{true: 1e-5, false: 0}[p.ridge > 0]; maxDiff(g, h) > tol {
			t.Errorf("kind %d k=%d d=%d: a start changes the result by %g", kind, k, d, maxDiff(g, h))
		}
	}
}

// TestSimplexLeastSquaresLarge: many vertices, KKT conditions as the oracle.
func TestSimplexLeastSquaresLarge(t *testing.T) {
	for _, c := range []struct{ k, d int }{{30, 40}, {70, 90}, {100, 20}} {
		f, x := randomData(c.k, c.d, 0, 5), randomData(60, c.d, 0.1, 6)
		g := mustDo(SimplexLeastSquares(nil, x, f, nil))(t)
		checkFeasible(t, g)
		// Gradient F(Fᵀg − x): equal on the support, no smaller off it.
		r := product(g, f)
		axpy(r.Data, -1, x.Data)
		r = product(r, f.transposed())
		for i := range x.Rows {
			low := slices.Min(r.Row(i))
			for l, v := range g.Row(i) {
				if slack := r.At(i, l) - low; v > 1e-9 && slack > 1e-8 {
					t.Fatalf("k=%d row %d: membership %g on vertex %d, whose gradient is %g above the least",
						c.k, i, v, l, slack)
				}
			}
		}
	}
}

// TestSimplexLeastSquaresScales: all units in range, and samples far away.
func TestSimplexLeastSquaresScales(t *testing.T) {
	f := NewMatrix(3, 2, []float64{0, 0, 1, 0, 0, 1})
	x := NewMatrix(5, 2, []float64{.2, .3, -1, -1, 2, 0, 5, 4, .25, -3})
	want := NewMatrix(5, 3, []float64{.5, .2, .3, 1, 0, 0, 0, 1, 0, 0, 1, 0, .75, .25, 0})
	around, origin := NewMatrix(3, 2, []float64{-1, 0, 3, 0, 0, 2}), NewMatrix(1, 2, nil)
	far := NewMatrix(3, 2, []float64{1e150, 1, -1e142, -1.5e150, 3, 1e150})
	up := func(m *Matrix, exp int) *Matrix {
		return mapped(m, func(_, _ int, v float64) float64 { return math.Ldexp(v, exp) })
	}
	shift := func(m *Matrix) *Matrix {
		return mapped(m, func(_, _ int, v float64) float64 {
			return v + 1e6
		})
	}
	for name, c := range map[string]struct {
		x, f *Matrix
		want []float64
		tol  float64
	}{
		"small": {up(x, -495), up(f, -495), want.Data, 1e-13}, "large": {up(x, 490), up(f, 490), want.Data,
			1e-13},
		// A sample of zeros has no exponent; here it lies on an edge.
		"origin, small": {origin, up(around, -450), []float64{.75, .25, 0}, 1e-15},
		"origin, large": {origin, up(around, 490), []float64{.75, .25, 0}, 1e-15},
		"far":           {far, f, []float64{0, 1, 0, 1, 0, 0, 0, 0, 1}, 0},
		"very far":      {far, up(f, -500), []float64{0, 1, 0, 1, 0, 0, 0, 0, 1}, 0},
		// Vertices 2^-450 apart, far from the origin: a sample between them is not far away.
		"between close vertices": {NewMatrix(1, 2, []float64{1, 0x1.4p-450}), NewMatrix(2, 2, []float64{1,
			0x1p-450, 1, 0x1p-449}), []float64{.75, .25}, 1e-15},
		// So far that the distance itself is out of range.
		"beyond all": {NewMatrix(2, 2, []float64{0x1p498, 0x1.8p499, 0x1p500, -0x1p500}), up(f, -900),
			[]float64{0, 0, 1, 0, 1, 0}, 0},
		// A shift of everything far from the origin: only the data's rounding.
		"shifted": {shift(x), shift(f), want.Data, 1e-9},
	} {
		g := mustDo(SimplexLeastSquares(nil, c.x, c.f, nil))(t)
		if checkFeasible(t, g); !(maxDiff(g, NewMatrix(g.Rows, g.Cols, c.want)) <= c.tol) {
			t.Errorf("%s: %v, want %v", name, g.Data, c.want)
		}
	}
}

// TestSmallRows: if sums are at most 1, memberships of rows near the origin are optimal to rounding of their mixture,
// also for vertices of other lengths and for sparse rows: no vertex has a product with the residual above 0, nor one
// of the support below 0.
func TestSmallRows(t *testing.T) {
	for seed := range uint64(30) {
		k := 1 + int(seed%4)
		f := randomData(k, 5, 1, seed)
		for j := range k {
			scale(f.row(j), math.Pow(10, -.5*float64(j*int(seed%3))))
		}
		for _, e := range []int{60, 61, 150, 450} {
			x := mapped(randomData(20, 5, .5, seed+100), func(_, _ int, v float64) float64 { return math.Ldexp(v, -e) })
			for _, samples := range []Samples{x, sparseOf(x)} {
				g := mustDo((&Model{Centers: f, Sum: SumAtMostOne}).Predict(nil, samples))(t)
				for i := range x.Rows {
					rest := slices.Clone(x.row(i))
					for j, v := range g.row(i) {
						axpy(rest, -v, f.row(j))
					}
					size := norm2(f.Data) * (norm2(x.row(i)) + sumOf(g.row(i))*norm2(f.Data))
					for j, v := range g.row(i) {
						if p := dot(rest, f.row(j)) / size; p > 1e-13 || v > 0 && p < -1e-13 || v < 0 {
							t.Fatalf("seed %d, 2^-%d, %T, row %d: membership %g has a product of %g", seed, e, samples, i, v, p)
						}
					}
				}
			}
		}
	}
}

// linearTerm returns the linear term of a sample, and its size.
func linearTerm(p *simplexProblem, x []float64) (b []float64, size float64) {
	row := make([]float64, p.d)
	p.pack(row, x)
	size = p.top
	for j := range p.k {
		b = append(b, dot(p.vertices.Row(j), row))
		size = max(size, math.Abs(b[j]))
	}
	return b, size
}

// hardSupports calls try with problems whose supports go in circles when several vertices
// are exchanged at once, from random supports.
func hardSupports(try func(r *rowSolver, b []float64, size float64)) {
	for _, seed := range []uint64{26, 283, 316, 369, 736, 823, 838, 965, 969, 986, 1098, 1115, 1122, 1211,
		2001, 2012, 2222, 2273, 2402, 2471} {
		rng := rand.New(rand.NewPCG(seed, 5))
		k := 3 + rng.IntN(8)
		f := NewMatrix(k, k+rng.IntN(3), nil)
		base := randomSlice(f.Cols, rng)
		for i := range f.Data {
			f.Data[i] = base[i%f.Cols]*float64(rng.IntN(3)) + math.Ldexp(rng.NormFloat64(),
				-rng.IntN(8))*math.Abs(rng.NormFloat64())
		}
		p := newSimplexProblem(f, SumToOne, false)
		r := newRowSolver(p)
		for q := range 10 {
			b := randomSlice(k, rng)
			scale(b, math.Ldexp(1, q-5))
			size := p.top
			for _, v := range b {
				size = max(size, math.Abs(v))
			}
			for j := range r.in {
				r.in[j] = rng.IntN(2) == 0
			}
			r.in[0] = true
			try(r, b, size)
		}
	}
}

// TestFallBack: where exchanging several vertices makes no progress, one at a time does, up to the minimum. The
// limit on exchanges is what ends minimise here.
func TestFallBack(t *testing.T) {
	hardSupports(func(r *rowSolver, b []float64, size float64) {
		r.minimise(b, size)
		got := NewMatrix(1, r.p.k, slices.Clone(r.g))
		r.descend(b, float64(r.p.k)*0x1p-52*size)
		if !(maxDiff(got, NewMatrix(1, r.p.k, r.g)) <= 1e-9) || math.Abs(sumOf(got.Data)-1) > 1e-13 {
			t.Errorf("%v, by descent alone %v", got.Data, r.g)
		}
		for j, on := range r.in {
			if on != (r.g[j] > 0) {
				t.Errorf("descent ends at its limit, not at the minimum %v of support %v", r.g, r.in)
			}
		}
	})
	// With a matrix that is no Gram matrix not even one vertex can be solved for. The row
	// stays at the best vertex, the first of those of equal cost.
	for _, c := range []struct{ diagonal, want []float64 }{
		{[]float64{0, -1, -2}, []float64{0, 0, 1}}, {[]float64{-1, -1, -1}, []float64{1, 0, 0}},
	} {
		p := newSimplexProblem(randomData(3, 3, 0, 5), SumToOne, false)
		r := newRowSolver(p)
		for j, v := range c.diagonal {
			p.gram.Set(j, j, v)
		}
		r.in[1] = true
		if r.minimise(make([]float64, 3), 1); !slices.Equal(r.g, c.want) {
			t.Errorf("%v: %v", c.diagonal, r.g)
		}
	}
}

func FuzzSimplexLeastSquares(f *testing.F) {
	f.Add(uint64(1), 3, 2, 0)
	f.Add(uint64(2), 6, 1, -450)
	f.Add(uint64(93), -330, 97, -417)
	f.Fuzz(func(t *testing.T, seed uint64, k, d, exp int) {
		k, d, exp = 1+abs(k)%9, 1+abs(d)%6, exp%450
		rng := rand.New(rand.NewPCG(seed, 2))
		draw := func(n int) *Matrix {
			m := NewMatrix(n, d, nil)
			for i := range m.Data {
				m.Data[i] = math.Ldexp(float64(rng.IntN(5)-2), rng.IntN(1+rng.IntN(40)))
			}
			return m
		}
		v, x := draw(k), draw(10)
		up := func(_, _ int, v float64) float64 { return math.Ldexp(v, exp) }
		g := mustDo(SimplexLeastSquares(nil, mapped(x, up), mapped(v, up), nil))(t)
		checkFeasible(t, g)
		// In the unit of the largest number, squared: what rounding can see.
		a, _ := rowMaxAbs(v.Data)
		b, _ := rowMaxAbs(x.Data)
		size := max(a, b) * max(a, b) * float64(d)
		for i := range x.Rows {
			got := plainObjective(rowsOf(x, i, i+1), v, rowsOf(g, i, i+1), nil)
			if want := slowSimplexLS(x.Row(i), v); got > want+1e-12*size {
				t.Fatalf("%v in %v: %g, best is %g", x.Row(i), v.Data, got, want)
			}
		}
	})
}

// TestRoughRows: at a bad condition of the vertices even a fast problem solves for the memberships, and the
// gradient is 0 on the support.
func TestRoughRows(t *testing.T) {
	const n, d, k = 200, 30, 24
	v, x := randomData(k, d, 0, 1), randomData(n, d, 0, 2)
	for j := range k {
		for c := range d - 18 {
			v.row(j)[c] *= 1e-5
		}
	}
	for i := range n {
		scale(x.row(i), 0.5*float64(i)/n)
		for j := range k {
			axpy(x.row(i), 1./k, v.row(j))
		}
	}
	p := &simplexProblem{fast: true}
	if p.set(v, SumToOne); p.projected != nil {
		t.Fatal("not rough")
	}
	b, g := p.products(block{lo: 0, hi: n, scratch: make([]float64, n*(d+k))}, x), NewMatrix(n, k, nil)
	newRowSolver(p).rows(bg, g, nil, 0, n, b)
	checkFeasible(t, g)
	many := 0
	for i := range n {
		on, terms := 0, b[i*k:(i+1)*k]
		low, high, top := math.Inf(1), math.Inf(-1), p.top
		for j, h := range g.row(i) {
			top = max(top, math.Abs(terms[j]))
			slope := dot(p.gram.row(j), g.row(i)) - terms[j]
			if low = min(low, slope); h > 0 {
				on++
				high = max(high, slope)
			}
		}
		if on > k/2 {
			many++
		}
		if high-low > 4*k*0x1p-52*top {
			t.Errorf("row %d, support of %d: gradients on the support are above others by %g", i, on,
				high-low)
		}
	}
	if many < 20 {
		t.Errorf("%d rows of large support", many)
	}
}

// TestSupports: where most rows have a support of their own the cache is full now and then,
// and begins again. A row is solved as by a new solver, and what is held is bounded.
func TestSupports(t *testing.T) {
	const k = 70
	p := newSimplexProblem(randomData(k, k, 0, 5), SumToOne, false)
	r, x := newRowSolver(p), randomData(1500, k, 0.1, 6)
	full, before := 0, 0
	for i := range x.Rows {
		b, _ := linearTerm(p, x.Row(i))
		got, want := make([]float64, k), make([]float64, k)
		r.solve(got, b, nil)
		all, held := len(r.cache.all), 0
		for j := range all {
			n := len(r.cache.all[j].h)
			held += n*n + 2*n
		}
		if held != r.cache.held || held > mostHeld || 2*all > len(r.cache.slots) {
			t.Fatalf("%d supports of %d numbers are counted as %d in %d slots", all, held, r.cache.held,
				len(r.cache.slots))
		}
		if all < before || i%50 == 0 {
			full += oneIf(all < before)
			newRowSolver(p).solve(want, b, nil)
			if maxDiff(NewMatrix(1, k, got), NewMatrix(1, k, want)) > 1e-12 {
				t.Errorf("row %d: %v, by a new solver %v", i, got, want)
			}
		}
		if before = all; i%7 == 6 { // what was solved is found again, before the cache is full
			old, _ := linearTerm(p, x.Row(i-3))
			r.solve(got, old, nil)
			if len(r.cache.all) != all && full == 0 {
				t.Fatalf("row %d again: %d supports, then %d", i-3, all, len(r.cache.all))
			}
			before = len(r.cache.all)
		}
	}
	if full == 0 {
		t.Error("the cache is never full")
	}
	// Keys keep their length.
	c := supports{}
	c.reset(1 << 12)
	c.held = mostHeld
	key := make([]uint64, c.words)
	slot, _ := c.find(key)
	if c.add(slot, key, 1); len(c.all) != 1 || len(c.keys) != len(key) || c.words != len(key) {
		t.Errorf("%d supports after the first of a new cache, keys of %d words", len(c.all), c.words)
	}
	// A row alone has little memory.
	for _, k := range []int{2, 10} {
		r := newRowSolver(newSimplexProblem(randomData(k, k, 1, 1), SumToOne, false))
		r.solve(make([]float64, k), make([]float64, k), nil)
		if floats := cap(r.cache.floats) + len(r.cache.slots); floats > 200+4*k*k {
			t.Errorf("k=%d: %d numbers for the supports of one row", k, floats)
		}
	}
}

// TestSumAtMostOne: simplex least squares with the sum at most 1 against the same with a vertex at 0.
func TestSumAtMostOne(t *testing.T) {
	x, f := randomData(300, 5, 0.5, 1), randomData(4, 5, 1, 2)
	got := mustDo(SimplexLeastSquares(nil, x, f, &Options{Sum: SumAtMostOne}))(t)
	with := NewMatrix(5, 5, nil)
	copy(with.Data, f.Data)
	want, _ := SimplexLeastSquares(nil, x, with, nil)
	if d := maxDiff(got, &Matrix{Rows: 300, Cols: 4, Stride: 5, Data: want.Data}); d > 1e-13 {
		t.Errorf("differs by %g", d)
	}
	if again := solveFrom(f, x, got, SumAtMostOne); maxDiff(again, got) > 1e-13 {
		t.Error("another answer from its own start")
	}
}

// TestSimplexLeastSquaresErrors: what each error says and unwraps to, and which comes first.
func TestSimplexLeastSquaresErrors(t *testing.T) {
	f, x := randomData(3, 2, 0, 1), randomData(4, 2, 0, 2)
	bad := x.Clone()
	bad.Set(2, 1, math.NaN())
	for _, c := range []struct {
		x, f *Matrix
		o    Options
		is   error
		want string
	}{
		{nil, nil, Options{Workers: -3, Sum: 9}, ErrOption, "Workers is -3, below 0: invalid option"},
		{nil, f, Options{Sum: 2}, ErrOption, "Sum is Sum(2): invalid option"},
		{nil, f, Options{Sum: -1}, ErrOption, "Sum is Sum(-1): invalid option"},
		{nil, nil, Options{}, ErrShape, "x is nil: wrong shape"},
		{bad, nil, Options{}, ErrShape, "vertices is nil: wrong shape"},
		{bad, bad, Options{}, ErrNonFinite, "vertices[2,1] = NaN: not a finite number"},
		{x, NewMatrix(0, 3, nil), Options{}, ErrTooFewSamples, "no vertices: too few samples"},
		{x, randomData(3, 1, 0, 1), Options{}, ErrShape,
			"x has 2 columns, the centers have 1: wrong shape"},
		{bad, f, Options{}, ErrNonFinite, "x[2,1] = NaN: not a finite number"},
		{NewMatrix(1, 2, []float64{0, 0x1p501}), f, Options{}, ErrRange, "x[0,1] = " +
			decimal(0x1p501) + ": " + ErrRange.Error()},
		{x, NewMatrix(1, 2, []float64{0, 0x1p521}), Options{}, ErrRange, "vertices[0,1] = " +
			decimal(0x1p521) + ": " + ErrRange.Error()},
	} {
		g, err := SimplexLeastSquares(nil, c.x, c.f, &c.o)
		if mustSay(t, err, c.want); g != nil || !errors.Is(err, c.is) {
			t.Errorf("%v with %v", g, err)
		}
	}
	mustPanicWith(t, "dst is 3×4, the result is 4×3", func() {
		SimplexLeastSquares(NewMatrix(3, 4, nil), x, f, nil)
	})
	if math.MaxInt == math.MaxInt32 {
		return
	}
	rows := 1 << 30
	_, err := SimplexLeastSquares(nil, &Matrix{Rows: rows}, &Matrix{Rows: 1 << 20}, nil)
	mustSay(t, err, "the result of 1073741824×1048576 is too large to address: wrong shape")
	_, err = SimplexLeastSquares(nil, &Matrix{Rows: 1}, &Matrix{Rows: 1 << 22}, nil)
	mustSay(t, err, "the centers' Gram matrix of 4194305×4194305 is too large to address: wrong shape")
}

// TestSameForAll: one vertex, or all in one place, need no solving.
func TestSameForAll(t *testing.T) {
	x := randomData(5, 2, 0, 1)
	same := NewMatrix(3, 2, []float64{1, 2, 1, 2, 1, 2})
	for _, c := range []struct {
		f    *Matrix
		sum  Sum
		want float64
	}{
		{NewMatrix(1, 2, []float64{3, 4}), SumToOne, 1}, {same, SumToOne, 1.0 / 3}, {NewMatrix(3, 2, nil),
			SumToOne, 1.0 / 3},
		{NewMatrix(3, 2, nil), SumAtMostOne, 0.25}, {NewMatrix(1, 2, nil), SumAtMostOne, 0.5},
	} {
		g, err := SimplexLeastSquares(nil, x, c.f, &Options{Sum: c.sum})
		if err != nil {
			t.Error(err)
		}
		for _, v := range g.Data {
			if math.Abs(v-c.want) > 1e-15 {
				t.Errorf("%v, want %g", g.Data, c.want)
			}
		}
	}
	g, err := SimplexLeastSquares(nil, NewMatrix(2, 0, nil), NewMatrix(3, 0, nil), nil)
	if err != nil || math.Abs(g.Data[5]-1.0/3) > 1e-15 {
		t.Error(g, err)
	}
	// They differ in the last digit of one, or from the origin: not the same.
	near := same.Clone()
	near.Set(2, 1, math.Nextafter(2, 3))
	// Those of 7 numbers of 0.1 are the same, though their mean is rounded.
	tenths := mapped(NewMatrix(7, 2, nil), func(_, j int, _ float64) float64 { return float64(1+6*j) / 10 })
	if !newSimplexProblem(tenths, SumToOne, false).flat || newSimplexProblem(near, SumToOne, false).flat ||
		newSimplexProblem(same, SumAtMostOne, false).flat || !newSimplexProblem(same, SumToOne, false).flat {
		t.Error("what coincides")
	}
}
