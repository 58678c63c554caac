package softkmeans

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// slowThreshold finds τ with Σmax(v−τ, 0) = radius by bisection in big.Float.
func slowProjection(v []float64, radius float64) []float64 {
	const bits = 500
	lo, hi := new(big.Float).SetPrec(bits), new(big.Float).SetPrec(bits)
	top := v[0]
	for _, x := range v {
		top = max(top, x)
	}
	hi.SetFloat64(top)
	lo.Sub(hi, new(big.Float).SetFloat64(radius))
	sumAt := func(tau *big.Float) *big.Float {
		sum := new(big.Float).SetPrec(bits)
		for _, x := range v {
			d := new(big.Float).SetPrec(bits).SetFloat64(x)
			if d.Sub(d, tau); d.Sign() > 0 {
				sum.Add(sum, d)
			}
		}
		return sum
	}
	want := new(big.Float).SetPrec(bits).SetFloat64(radius)
	for range 130 { // what is left between them is 2^-130 of the radius
		mid := new(big.Float).SetPrec(bits).Add(lo, hi)
		mid.Quo(mid, big.NewFloat(2))
		if sumAt(mid).Cmp(want) > 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	out := make([]float64, len(v))
	for i, x := range v {
		d := new(big.Float).SetPrec(bits).SetFloat64(x)
		if d.Sub(d, hi); d.Sign() > 0 {
			out[i], _ = d.Float64()
		}
	}
	return out
}

func TestProjectSimplex(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	for _, n := range fewer([]int{1, 2, 3, 4, 31, 32, 33, 34, 100, 700}, []int{1, 2, 3, 4, 31, 32, 33, 34, 100}) {
		for _, spread := range []float64{1e-3, 0.1, 1, 1e3, 1e30} {
			for _, radius := range []float64{1, 1e-3, 2.5, 1e40} {
				v := make([]float64, n)
				for i := range v {
					v[i] = spread * rng.NormFloat64()
					if rng.IntN(3) == 0 { // ties
						v[i] = math.Round(v[i])
					}
				}
				got := ProjectScaledSimplex(nil, v, radius)
				want := slowProjection(v, radius)
				sum := 0.0
				// The data's own rounding, and the sum's.
				tol := 4 * 0x1p-52 * (radius + min(spread*10, 1e3*radius)) * math.Sqrt(float64(n))
				for i := range got {
					if math.Abs(got[i]-want[i]) > tol || !(got[i] >= 0) {
						t.Fatalf("n=%d spread=%g radius=%g: entry %d is %g, want %g", n, spread, radius, i, got[i], want[i])
					}
					sum += got[i]
				}
				if math.Abs(sum-radius) > 4*0x1p-53*radius {
					t.Errorf("n=%d spread=%g radius=%g: the sum is off by %g", n, spread, radius, sum-radius)
				}
			}
		}
	}
	if got := ProjectSimplex(nil, []float64{-math.MaxFloat64, math.MaxFloat64}); got[0] != 0 || got[1] != 1 {
		t.Error(got)
	}
	if got := ProjectSimplex(nil, []float64{math.MaxFloat64, math.MaxFloat64}); got[0] != 0.5 || got[1] != 0.5 {
		t.Error(got)
	}
	if got := ProjectSimplex(nil, []float64{0.25, 0.75, 0}); got[0] != 0.25 || got[1] != 0.75 || got[2] != 0 {
		t.Error("a point of the simplex moved:", got)
	}
	if got := ProjectSimplex(nil, nil); len(got) != 0 {
		t.Error(got)
	}
	if got := ProjectSimplex(nil, []float64{1, math.Inf(-1)}); !math.IsNaN(got[0]) || !math.IsNaN(got[1]) {
		t.Error(got)
	}
	for _, r := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		mustPanic(t, func() { ProjectScaledSimplex(nil, []float64{1}, r) })
	}
}

func equal(a, b []float64) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

// slowSimplexLS tries every support: for k ≤ 8 or so. It returns the smallest
// squared distance of x from the simplex.
func slowSimplexLS(x []float64, f *Matrix) float64 {
	k, d := f.Dims()
	best := math.Inf(1)
	for set := 1; set < 1<<k; set++ {
		// Distance from the affine hull of the set, with the point's
		// coordinates: Gram–Schmidt of the edges, then barycentric by solving
		// the normal equations with a tiny system; skip dependent sets, whose
		// hulls are covered by smaller ones.
		var idx []int
		for j := range k {
			if set>>j&1 == 1 {
				idx = append(idx, j)
			}
		}
		m := len(idx) - 1
		a, b := make([]float64, m*m), make([]float64, m)
		edge := func(i int) []float64 {
			e := make([]float64, d)
			for c := range e {
				e[c] = f.At(idx[i+1], c) - f.At(idx[0], c)
			}
			return e
		}
		y := make([]float64, d)
		for c := range y {
			y[c] = x[c] - f.At(idx[0], c)
		}
		top := 0.0
		for i := range m {
			for j := range m {
				a[i*m+j] = dot(edge(i), edge(j))
				top = max(top, a[i*m+j])
			}
			b[i] = dot(edge(i), y)
		}
		for i := range m {
			a[i*m+i] *= 1 + 1e-15
		}
		if !cholesky(a, m) || m > 0 && a[m*m-1] <= 1e-6*math.Sqrt(top) {
			continue
		}
		cholSolve(a, m, b)
		first, inside := 1.0, true
		for _, g := range b {
			first -= g
			inside = inside && g >= 0
		}
		if !inside || first < 0 {
			continue
		}
		for i, g := range b {
			axpy(y, -g, edge(i))
		}
		best = min(best, sumSquares(y))
	}
	return best
}

// TestSimplexLeastSquares against all supports, on independent, dependent,
// coinciding and nearly coinciding vertices.
func TestSimplexLeastSquares(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	for trial := range fewer(300, 60) {
		k, d := 1+rng.IntN(7), 1+rng.IntN(8)
		f := NewMatrix(k, d, nil)
		for i := range f.Data {
			f.Data[i] = rng.NormFloat64() + 5
		}
		kind := trial % 5
		switch {
		case kind == 1 && k > 1: // two coincide
			copy(f.Row(k-1), f.Row(0))
		case kind == 2 && k > 1: // nearly
			for j, v := range f.Row(0) {
				f.Set(k-1, j, v+1e-9*rng.NormFloat64())
			}
		case kind == 3 && k > 2: // one between two others
			for j := range d {
				f.Set(k-1, j, 0.3*f.At(0, j)+0.7*f.At(1, j))
			}
		}
		x := NewMatrix(20, d, nil)
		for i := range x.Data {
			x.Data[i] = 5 + 3*rng.NormFloat64()*math.Pow(10, float64(rng.IntN(3)-1))
		}
		g, info, err := SimplexLeastSquares(nil, x, f, nil)
		if err != nil {
			t.Fatal(err)
		}
		checkFeasible(t, g)
		if info.KKT > 1e-13 || info.Unsolved > 0 {
			t.Errorf("kind %d k=%d d=%d: %+v", kind, k, d, info)
		}
		if kind == 1 && k > 1 && info.Ridge == 0 {
			t.Errorf("k=%d d=%d: coinciding vertices not reported", k, d)
		}
		if kind == 0 && k <= d && info.Ridge != 0 {
			t.Errorf("k=%d d=%d: a ridge for independent vertices", k, d)
		}
		for i := range x.Rows {
			one := &Matrix{Rows: 1, Cols: d, Stride: d, Data: x.Row(i)}
			got := plainObjective(one, f, rowsOf(g, i, i+1), nil)
			want := slowSimplexLS(x.Row(i), f)
			if got > want*(1+1e-10)+1e-12 {
				t.Errorf("kind %d k=%d d=%d row %d: %g, best is %g", kind, k, d, i, got, want)
			}
		}
		// A warm start, good or bad, changes nothing.
		start := NewMatrix(20, k, nil)
		for i := range start.Data {
			start.Data[i] = float64(rng.IntN(2))
		}
		h, _, err := SimplexLeastSquares(nil, x, f, &SimplexOptions{Start: start})
		if tol := map[bool]float64{true: 1e-5, false: 0}[info.Ridge > 0]; err != nil || maxDiff(g, h) > tol {
			t.Errorf("kind %d k=%d d=%d: a start changes the result by %g (%v) %+v", kind, k, d, maxDiff(g, h), err, info)

		}
	}
}

// TestSimplexLeastSquaresLarge: many vertices, KKT conditions as the oracle.
func TestSimplexLeastSquaresLarge(t *testing.T) {
	for _, c := range []struct{ k, d int }{{30, 40}, {64, 64}, {70, 90}, {100, 20}} {
		f, x := randomData(c.k, c.d, 0, 5), randomData(200, c.d, 0.1, 6)
		g, info, err := SimplexLeastSquares(nil, x, f, nil)
		if err != nil || info.KKT > 1e-12 || info.Unsolved > 0 {
			t.Fatalf("%+v %v", info, err)
		}
		checkFeasible(t, g)
		for i := range x.Rows {
			// Gradient F(Fᵀg − x): equal on the support, no smaller off it.
			r := make([]float64, c.d)
			for j := range c.d {
				r[j] = -x.At(i, j)
			}
			for l, v := range g.Row(i) {
				axpy(r, v, f.Row(l))
			}
			low := math.Inf(1)
			for l := range c.k {
				low = min(low, dot(f.Row(l), r))
			}
			for l, v := range g.Row(i) {
				if slack := dot(f.Row(l), r) - low; v > 1e-9 && slack > 1e-8 {
					t.Fatalf("k=%d row %d: membership %g on vertex %d, whose gradient is %g above the least", c.k, i, v, l, slack)
				}
			}
		}
		t.Logf("k=%d d=%d: %+v", c.k, c.d, info)
	}
}

// TestSimplexLeastSquaresScales: any units, and samples as far away as float64
// goes.
func TestSimplexLeastSquaresScales(t *testing.T) {
	f := NewMatrix(3, 2, []float64{0, 0, 1, 0, 0, 1})
	x := NewMatrix(5, 2, []float64{.2, .3, -1, -1, 2, 0, 5, 4, .25, -3})
	want := NewMatrix(5, 3, []float64{.5, .2, .3, 1, 0, 0, 0, 1, 0, 0, 1, 0, .75, .25, 0})
	// A sample of zeros has no exponent; here it lies on an edge.
	around := NewMatrix(3, 2, []float64{-1, 0, 3, 0, 0, 2})
	for _, exp := range []int{0, -450, -1000, 1000} {
		g, _, err := SimplexLeastSquares(nil, NewMatrix(1, 2, nil), mapped(around, func(_, _ int, v float64) float64 { return math.Ldexp(v, exp) }), nil)
		if err != nil || math.Abs(g.Data[0]-.75) > 1e-15 || math.Abs(g.Data[1]-.25) > 1e-15 || g.Data[2] > 1e-15 {
			t.Errorf("2^%d: the origin gets %v (%v)", exp, g.Data, err)
		}
	}
	for _, exp := range []int{0, -500, -1000, -1030, 500, 1000} {
		up := func(_, _ int, v float64) float64 { return math.Ldexp(v, exp) }
		g, info, err := SimplexLeastSquares(nil, mapped(x, up), mapped(f, up), nil)
		if err != nil || maxDiff(g, want) > 1e-13 || info.KKT > 1e-13 {
			t.Errorf("2^%d: off by %g, %+v, %v", exp, maxDiff(g, want), info, err)
		}
	}
	far := NewMatrix(3, 2, []float64{1e308, 1, -1e300, -1.5e308, 3, 1e308})
	for _, exp := range []int{0, -1020, 900} {
		g, _, err := SimplexLeastSquares(nil, far, mapped(f, func(_, _ int, v float64) float64 { return math.Ldexp(v, exp) }), nil)
		if err != nil {
			t.Fatal(err)
		}
		checkFeasible(t, g)
		if g.At(0, 1) != 1 || g.At(1, 0) != 1 || g.At(2, 2) != 1 {
			t.Errorf("2^%d: far samples get %v", exp, g.Data)
		}
	}
	// A shift of everything far from the origin: only the data's rounding.
	away := func(_, _ int, v float64) float64 { return v + 1e6 }
	g, _, err := SimplexLeastSquares(nil, mapped(x, away), mapped(f, away), nil)
	if err != nil || maxDiff(g, want) > 1e-9 {
		t.Errorf("shifted: off by %g, %v", maxDiff(g, want), err)
	}
}

func TestSimplexLeastSquaresErrors(t *testing.T) {
	f, x := randomData(3, 2, 0, 1), randomData(4, 2, 0, 2)
	nan := x.Clone()
	nan.Set(1, 1, math.NaN())
	for _, c := range []struct {
		x, f *Matrix
		o    *SimplexOptions
		want error
	}{
		{nil, f, nil, ErrShape}, {x, nil, nil, ErrShape}, {x, NewMatrix(0, 2, nil), nil, ErrTooFewSamples},
		{x, randomData(3, 3, 0, 1), nil, ErrShape}, {nan, f, nil, ErrNonFinite}, {x, nan, nil, ErrNonFinite},
		{x, f, &SimplexOptions{Workers: -1}, ErrOption}, {x, f, &SimplexOptions{Start: NewMatrix(4, 2, nil)}, ErrShape},
		{x, f, &SimplexOptions{Start: NewMatrix(5, 3, nil)}, ErrShape}, {x, f, &SimplexOptions{Start: NewMatrix(4, 4, nil)}, ErrShape},
		{x, f, &SimplexOptions{Start: NewMatrix(4, 3, []float64{1, 0, 0, 0, 1, 0, 0, math.NaN(), 1, 0, 0, 1})}, ErrNonFinite},
	} {
		if g, _, err := SimplexLeastSquares(nil, c.x, c.f, c.o); g != nil || !errors.Is(err, c.want) {
			t.Errorf("%v, want %v", err, c.want)
		}
	}
}

// TestDescend runs the fall-back, which no data is known to need, on its own.
func TestDescend(t *testing.T) {
	for _, c := range []struct{ k, d int }{{3, 5}, {10, 12}, {40, 50}} {
		f, x := randomData(c.k, c.d, 0, 5), randomData(100, c.d, 0.1, 6)
		want, _, err := SimplexLeastSquares(nil, x, f, nil)
		if err != nil {
			t.Fatal(err)
		}
		p := newSimplexProblem(f, SumToOne)
		r := newRowSolver(p)
		for i := range x.Rows {
			row, b := make([]float64, c.d), make([]float64, c.k)
			p.pack(row, x.Row(i))
			size := p.top
			for j := range b {
				b[j] = dot(p.vertices.Row(j), row)
				size = max(size, math.Abs(b[j]))
			}
			var info SimplexInfo
			r.descend(b, size, float64(c.k)*0x1p-52*size, &info)
			if info.Unsolved > 0 || info.KKT > 1e-13 {
				t.Fatalf("%+v", info)
			}
			for j, v := range r.g {
				if math.Abs(v-want.At(i, j)) > 1e-11 {
					t.Fatalf("k=%d row %d: %g, want %g", c.k, i, v, want.At(i, j))
				}
			}
		}
	}
}

// TestUnsolved: where not even one vertex can be solved for, which takes a Gram matrix
// that is none, the row stays at the best vertex, is counted, and its KKT error is the
// largest fall of the objective towards another vertex.
func TestUnsolved(t *testing.T) {
	p := newSimplexProblem(randomData(4, 3, 0, 5), SumToOne)
	r := newRowSolver(p)
	for j := range 4 { // the costs of the vertices: 1.5, 1.5, −1, 2.5
		p.gram.Set(2, j, -3)
		p.gram.Set(j, 2, -3)
		p.gram.Set(j, j, float64(j+3))
	}
	p.gram.Set(2, 2, 0)
	b := []float64{0, 0.5, 1, 0.5}
	var info SimplexInfo
	r.descend(b, 2, 1e-15, &info)
	// The gradient, a column of the matrix less b: −3, −3.5, −1, −3.5; relative to the size, 2.
	if info.Unsolved != 1 || r.g[2] != 1 || sumSquares(r.g) != 1 || info.KKT != 2.5/2 {
		t.Errorf("%v, %+v", r.g, info)
	}
}

// TestInvertedCholesky: it solves what is positive definite, and says so of what is not.
func TestInvertedCholesky(t *testing.T) {
	for _, c := range []struct {
		what string
		a    []float64
		ok   bool
	}{
		{"definite", []float64{4, 2, 2, 5}, true}, {"indefinite", []float64{1, 2, 2, 1}, false}, {"singular", []float64{1, 1, 1, 1}, false},
		{"negative", []float64{-1, 0, 0, 1}, false}, {"zero", make([]float64, 4), false}, {"NaN", []float64{math.NaN(), 0, 0, 1}, false},
	} {
		a, b := slices.Clone(c.a), []float64{1, -2}
		if ok := invertedCholesky(a, 2); ok != c.ok {
			t.Errorf("%s: %v", c.what, ok)
		} else if ok {
			invertedSolve(a, 2, b)
			if math.Abs(c.a[0]*b[0]+c.a[1]*b[1]-1) > 1e-15 || math.Abs(c.a[2]*b[0]+c.a[3]*b[1]+2) > 1e-15 {
				t.Errorf("%s: %v", c.what, b)
			}
		}
	}
}

func FuzzSimplexLeastSquares(f *testing.F) {
	f.Add(uint64(1), 3, 2, 0)
	f.Add(uint64(2), 6, 1, -900)
	f.Add(uint64(93), -330, 97, -917)
	f.Fuzz(func(t *testing.T, seed uint64, k, d, exp int) {
		k, d, exp = 1+abs(k)%9, 1+abs(d)%6, exp%900
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
		g, info, err := SimplexLeastSquares(nil, mapped(x, up), mapped(v, up), nil)
		if err != nil {
			t.Fatal(err)
		}
		checkFeasible(t, g)
		// Where vertices are hardly independent, a fallback may leave more than
		// rounding: SimplexInfo says so.
		hard := info.Ridge > 0 || info.Fallbacks > 0
		if info.Ridge == 0 && info.Unsolved > 0 || !hard && !(info.KKT <= 1e-13) || !(info.KKT <= 1e-9) {
			t.Fatalf("%+v for %v in %v", info, x.Data, v.Data)
		}
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

func FuzzProjectSimplex(f *testing.F) {
	f.Add(uint64(1), 3, 0)
	f.Add(uint64(2), 50, 900)
	f.Fuzz(func(t *testing.T, seed uint64, n, exp int) {
		rng := rand.New(rand.NewPCG(seed, 3))
		v := make([]float64, 1+abs(n)%80)
		for i := range v {
			v[i] = math.Ldexp(float64(rng.IntN(9)-4), exp%1000+rng.IntN(1+rng.IntN(20)))
		}
		g := ProjectSimplex(nil, v)
		radius := math.Ldexp(1+rng.Float64(), rng.IntN(400)-200)
		scaled := 0.0
		for i, x := range ProjectScaledSimplex(nil, v, radius) {
			if !(x >= 0) {
				t.Fatalf("entry %d is %g", i, x)
			}
			scaled += x
		}
		// One rounding of the sum, and those of summing it again.
		if math.Abs(scaled-radius) > float64(len(v)+1)*0x1p-53*radius {
			t.Fatalf("the sum is %g, not %g", scaled, radius)
		}
		sum := 0.0
		for i, x := range g {
			if !(x >= 0) {
				t.Fatalf("entry %d is %g", i, x)
			}
			sum += x
		}
		if math.Abs(sum-1) > 1e-15 {
			t.Fatalf("sum is off by %g", sum-1)
		}
		// Order is kept, but for the sum's rounding, which one entry bears.
		for i := range v {
			for j := range v {
				if v[i] > v[j] && g[i] < g[j]-float64(len(v))*0x1p-53 {
					t.Fatalf("%g > %g got %g < %g", v[i], v[j], g[i], g[j])
				}
			}
		}
	})
}

// TestProjectSimplexThreshold has entries that equal the threshold but for
// rounding, which must not make the search for the support go round in circles.
func TestProjectSimplexThreshold(t *testing.T) {
	v := []float64{0.014783605365302547, 0.06805751023830625, -0.4585794421981956, -0.4585794421981956, -0.4585794421981956}
	rng := rand.New(rand.NewPCG(3, 4))
	for range fewer(300, 60) {
		got, want := ProjectSimplex(nil, v), slowProjection(v, 1)
		for i := range got {
			if math.Abs(got[i]-want[i]) > 1e-14 || !(got[i] >= 0) {
				t.Fatalf("%v: entry %d is %g, want %g", v, i, got[i], want[i])
			}
		}
		v = v[:0]
		for range 2 + rng.IntN(60) {
			v = append(v, rng.Float64()*math.Ldexp(1, -rng.IntN(12)))
		}
		sorted := slices.Clone(v)
		slices.SortFunc(sorted, func(a, b float64) int { return cmp.Compare(b, a) })
		x := thresholdSorted(sorted)
		for range rng.IntN(4) {
			x = math.Nextafter(x, float64(rng.IntN(3)-1))
		}
		for range 1 + rng.IntN(4) {
			v = append(v, x)
		}
	}
}

// TestProjectSimplexRange has radii at both ends of the float64 range, and
// vectors so long that the rounding of a plain sum outgrows their entries.
func TestProjectSimplexRange(t *testing.T) {
	const tiny = math.SmallestNonzeroFloat64
	if got := ProjectScaledSimplex(nil, []float64{1, 5}, tiny); got[0] != 0 || got[1] != tiny {
		t.Error(got)
	}
	if got := ProjectScaledSimplex(nil, []float64{3 * tiny, 0, 2 * tiny}, 3*tiny); got[0] != 2*tiny || got[1] != 0 || got[2] != tiny {
		t.Error(got)
	}
	for n := 1; n < fewer(200, 70); n++ {
		for _, radius := range []float64{math.MaxFloat64, 1e308, 0x1p-1022, 0x1p-1030, float64(max(1, n*3/5)) * tiny, float64(n*5/2) * tiny} {
			for _, value := range []float64{0, 1, -1e308, 1e308, tiny} {
				v := make([]float64, n)
				for i := range v {
					v[i] = value
				}
				var sum float64
				got := ProjectScaledSimplex(nil, v, radius)
				for _, x := range got {
					if !(x >= 0) || x > radius {
						t.Fatalf("n=%d radius=%g: entry %g", n, radius, x)
					}
					sum += x / 4 // exact unless denormal, and then there is no overflow
				}
				if radius < 0x1p-1000 {
					sum = 0
					for _, x := range got {
						sum += x
					}
					sum /= 4
				}
				if math.Abs(sum-radius/4) > 0x1p-45*radius {
					t.Fatalf("n=%d radius=%g: the sum is %g/4", n, radius, sum)
				}
			}
		}
	}
	for _, n := range fewer([]int{1025, 100000, 3000000}, []int{1025, 100000}) {
		for i, x := range ProjectSimplex(nil, make([]float64, n)) {
			if math.Abs(x*float64(n)-1) > 1e-8 {
				t.Fatalf("n=%d: entry %d is %g", n, i, x)
			}
		}
	}
}

// TestSupports holds the table of supports to a map: keys of one word and of
// three, few bits and many, until it is full and begins again, and then for
// another k. A row alone has little memory.
func TestSupports(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	var table supports
	for _, k := range []int{5, 20, 150, 20, 600} {
		table.reset(k)
		index := map[string][]int{}
		key := make([]uint64, table.words)
		for range 20000 {
			clear(key)
			var set []int
			for range 1 + rng.IntN(min(k, 8)) {
				j := rng.IntN(k)
				if key[j>>6]&(1<<(j&63)) == 0 {
					key[j>>6] |= 1 << (j & 63)
					set = append(set, j)
				}
			}
			if rng.IntN(1000) == 0 && k >= 150 { // large ones
				for j := range k {
					if key[j>>6]&(1<<(j&63)) == 0 {
						key[j>>6] |= 1 << (j & 63)
						set = append(set, j)
					}
				}
			}
			slices.Sort(set)
			name := fmt.Sprint(key)
			slot, s := table.find(key)
			if want, ok := index[name]; ok != (s != nil) || ok && !slices.Equal(s.index, want) {
				t.Fatalf("k=%d: found %v, want %v", k, s, want)
			}
			if s != nil {
				continue
			}
			held := len(table.all)
			s = table.add(slot, key, len(set))
			if len(s.chol) != len(set)*len(set) || len(s.h) != len(set) || len(s.index) != 0 {
				t.Fatalf("k=%d: room for %d, %d, %d of %d", k, len(s.chol), len(s.h), len(s.index), len(set))
			}
			s.index = append(s.index, set...)
			if len(table.all) <= held { // it was full
				clear(index)
			}
			index[name] = set
			if table.held > mostHeld && len(table.all) > 1 || 2*len(table.all) > len(table.slots) {
				t.Fatalf("k=%d: %d supports of %d floats in %d slots", k, len(table.all), table.held, len(table.slots))
			}
		}
	}
	for _, k := range []int{2, 4, 10} {
		r := newRowSolver(newSimplexProblem(randomData(k, k, 1, 1), SumToOne))
		r.solve(make([]float64, k), make([]float64, k), nil, &SimplexInfo{})
		if floats := cap(r.known.floats) + len(r.known.slots); floats > 200+4*k*k {
			t.Errorf("k=%d: %d numbers for the supports of one row", k, floats)
		}
	}
}
