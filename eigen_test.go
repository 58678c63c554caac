package softkmeans

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// unitOf returns a with its largest entry in [½, 1), as eigenSym hands it to its methods, and
// the exponent that went.
func unitOf(a *Matrix) (*Matrix, int) {
	u := a.Clone()
	return u, unitScale(u)
}

// TestEigenSym: values and vectors of EigenSym and of the method behind it, and values alone.
func TestEigenSym(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 4))
	for _, n := range []int{0, 1, 2, 3, 5, 12, 20, 40} {
		for name, a := range laSymmetric(n, rng) {
			unit, exp := unitOf(a)
			check := func(method string, values []float64, rows *Matrix) {
				t.Helper()
				if ratio := laEigenRatios(unit, values, rows); n > 0 && maxAbs(a) > 0 && !(ratio < 10) {
					t.Errorf("%s %s n=%d: ratio %.3g", method, name, n, ratio)
				}
			}
			before := a.Clone()
			values, vectors, err := EigenSym(a)
			if err != nil || maxDiff(a, before) != 0 {
				t.Fatal("the input changed, or", err)
			}
			only, _ := leadingEigen(bg, a.Clone(), 0, 1)
			for i := range values {
				values[i] = math.Ldexp(values[i], -exp)
				if i > 0 && values[i] > values[i-1] || math.Abs(math.Ldexp(only[i],
					-exp)-values[i]) > 1e-14*float64(n) {
					t.Errorf("%s n=%d: values %v, without vectors %v", name, n, values, only)
				}
			}
			check("EigenSym", values, vectors.transposed())
			checkSigns(t, vectors)
			raw, rows := eigenQL(unit.Clone())
			check("QL", raw, rows)
		}
	}
}

// TestEigenInput: the first bad entry is named, symmetry is asked for to 1e-8 of the largest
// entry, and what is less is averaged.
func TestEigenInput(t *testing.T) {
	nan, two := math.NaN(), func(v ...float64) *Matrix { return NewMatrix(2, 2, v) }
	for _, c := range []struct {
		a    *Matrix
		is   error
		want string
	}{
		{nil, ErrShape, ""}, {&Matrix{Rows: 3, Cols: 3, Stride: 2, Data: make([]float64, 9)}, ErrShape, ""},
		{NewMatrix(2, 3, nil), ErrShape, ""}, {two(1, 2, 2.1, 1), ErrShape, "worst at [1,0]"},
		{NewMatrix(3, 3, []float64{1, 0, 1.01e-8, 0, 1, 1e-8, 0, 0, 1}), ErrShape, "worst at [2,0]"},
		{two(1, nan, nan, 1), ErrNonFinite, "[0,1]"}, {two(1, 0, math.Inf(-1), nan), ErrNonFinite, "[1,0]"},
		{two(1, mostEntry, -mostEntry, 1), ErrShape, ""},
		{NewMatrix(1, 1, []float64{1.001 * mostEntry}), ErrRange, ""},
		{NewMatrix(1, 1, []float64{0.999 * leastScale}), ErrRange, ""},
	} {
		values, vectors, err := EigenSym(c.a)
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) || values != nil ||
			vectors != nil {
			t.Errorf("%v, want %v %s", err, c.is, c.want)
		}
	}
	for _, off := range []float64{1e-10, 0.49e-8} {
		values, _, err := EigenSym(two(0, 1+off, 1-off, 0))
		if err != nil || math.Abs(values[0]-1) > 1e-15 || math.Abs(values[1]+1) > 1e-15 {
			t.Error("a slight asymmetry is not averaged:", values, err)
		}
	}
}

// eigenQL is eigenSym without its scaling; the vectors are rows.
func eigenQL(a *Matrix) ([]float64, *Matrix) {
	t := tridiagonal(bg, a, 1)
	rows := t.accumulate(bg, 1)
	return t.implicitQL(bg, rows), rows
}

// TestQLFallsApart: tridiagonal matrices whose entries are far apart, but none is below offZero. Sine and
// pivot of a QL step are 0 together, so the step ends in the middle and the parts are solved one by one.
func TestQLFallsApart(t *testing.T) {
	for _, c := range []struct{ diag, off []float64 }{
		{[]float64{0, 0x1p-199, 0, 0x1p-199, 0, 0, 0, 0x1p-87}, []float64{0x1p-199, 1, 0x1p-199, 0x1p-63,
			0x1p-198, 0x1p-199, 1}},
		{[]float64{0, 0x1p-147, 0, 0, 0x1p-176, 0, 0, 0x1p-141, 0}, []float64{0x1p-199, 0x1p-75, 0x1p-199, 1,
			0x1p-199, 0x1p-199, 1, 0x1p-199}},
	} {
		n := len(c.diag)
		a := NewMatrix(n, n, nil)
		for i, v := range c.diag {
			a.Set(i, i, v)
			if i < n-1 {
				a.Set(i, i+1, c.off[i])
				a.Set(i+1, i, c.off[i])
			}
		}
		q, rows := &reduction{diag: slices.Clone(c.diag), off: append(slices.Clone(c.off), 0)}, identity(n)
		if r := laEigenRatios(a, q.implicitQL(bg, rows), rows); !(r < 10) {
			t.Errorf("%g: %g units of rounding off", c, r)
		}
	}
}

// TestEigenSpread: blocks and gradings far below the largest entry, where sines and reflectors underflow.
// Without offZero the QL steps of such matrices do not move, and eigenvalues are wrong in the second digit.
func TestEigenSpread(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 28))
	for _, low := range []int{-50, -190, -210, -500, -1070} {
		for _, n := range []int{2, 6, 20} {
			for kind := range 6 {
				a := NewMatrix(n, n, nil)
				for i := range n {
					for j := i; j < n; j++ {
						x, e := rng.NormFloat64()/8, 0
						switch {
						case kind == 1: // graded from the top down
							e = low * (i + j) / (2 * n)
						case kind == 2: // from the bottom up
							e = low * (2*n - 2 - i - j) / (2 * n)
						case kind == 3 && j <= i+1: // 1, and a zero diagonal between tiny numbers
							x, e = []float64{float64(max(0, 1-i)) / 2, 0.5}[j-i], low*(j-i)
						case kind == 3:
							x = 0
						case kind == 0 && j >= n/2, kind == 4 && j > n/3 && j < n-n/3, kind == 5 && i != j:
							e = low // a small block at the end, in the middle; small off the diagonal
						}
						a.Set(i, j, math.Ldexp(x, e))
					}
				}
				mirror(a.Data, n)
				values, rows := eigenQL(a.Clone())
				if ratio := laEigenRatios(a, values, rows); !(ratio < 10) {
					t.Errorf("kind %d n=%d 2^%d: ratio %.3g", kind, n, low, ratio)
				}
			}
		}
	}
	for range fewer(2000, 500) {
		a, _ := unitOf(laPatchwork(2+rng.IntN(7), rng))
		values, rows := eigenQL(a.Clone())
		if ratio := laEigenRatios(a, values, rows); !(ratio < 12) { // n = 2: 12·2·eps is 24 roundings
			t.Fatalf("ratio %.3g of %v", ratio, a.Data)
		}
	}
}

// TestEigenScale: powers of two change exponents alone, a view is as its copy, and the ends of
// the range come out as they went in.
func TestEigenScale(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for _, n := range []int{1, 2, 8, 30} {
		a := NewMatrix(n, n, randomSlice(n*n, rng))
		mirror(a.Data, n)
		values, vectors, err := EigenSym(a)
		must(t, err)
		for e, b := range map[int]*Matrix{0: laStrided(a), -490: nil, 490: nil} {
			if b == nil {
				b = mapped(a, func(_, _ int, x float64) float64 { return math.Ldexp(x, e) })
			}
			before := slices.Clone(b.Data)
			v, w, err := EigenSym(b)
			scale(v, math.Ldexp(1, -e))
			if err != nil || !laSameBits(v, values) || !laSameBits(w.Data, vectors.Data) ||
				!laSameBits(b.Data, before) {
				t.Errorf("n=%d: scaled by 2^%d, or as a view: other bits, or the input changed (%v)", n, e,
					err)
			}
		}
		for _, v := range []float64{leastScale, mostEntry} {
			one := identity(n)
			scale(one.Data, v)
			values, vectors, err := EigenSym(one)
			if err != nil || !laSameBits(vectors.Data, identity(n).Data) || slices.Min(values) != v ||
				slices.Max(values) != v {
				t.Errorf("%g·I: %v %v %v", v, values, vectors, err)
			}
		}
	}
}

// laHard are symmetric matrices with multiple, close, and widely spread eigenvalues.
func laHard(n int, rng *rand.Rand) map[string]*Matrix {
	all := laSymmetric(n, rng)
	fill := func(value func(i, j int) float64) *Matrix {
		a := NewMatrix(n, n, nil)
		for i := range n {
			for j := range i + 1 {
				a.Set(i, j, value(i, j))
				a.Set(j, i, a.At(i, j))
			}
		}
		return a
	}
	tri := func(diag, off func(i int) float64) *Matrix {
		return fill(func(i, j int) float64 {
			switch i - j {
			case 0:
				return diag(i)
			case 1:
				return off(j)
			}
			return 0
		})
	}
	gram := func(x *Matrix) *Matrix { return product(x.transposed(), x) }
	one := func(int) float64 { return 1 }
	for glue, v := range map[string]float64{"1e-8": 1e-8, "1e-15": 1e-15} {
		all["W21+ glued by "+glue] = tri(func(i int) float64 { return math.Abs(float64(i%21 - 10)) },
			func(i int) float64 { return []float64{1, v}[oneIf(i%21 == 20)] })
	}
	all["second difference"] = tri(func(int) float64 { return 2 }, func(int) float64 { return -1 })
	all["constant, tiny off"] = tri(one, func(int) float64 { return 1e-14 })
	all["constant, random off"] = tri(one, func(int) float64 { return math.Ldexp(1, -rng.IntN(60)) })
	all["zero diagonal"] = tri(func(int) float64 { return 0 }, one)
	all["diagonal"] = tri(func(i int) float64 { return float64(i % 4) }, func(int) float64 { return 0 })
	all["ones"] = fill(func(_, _ int) float64 { return 1 })
	all["identity and noise"] = fill(func(i, j int) float64 {
		if i == j {
			return 1 + 1e-15*rng.NormFloat64()
		}
		return 1e-16 * rng.NormFloat64()
	})
	all["equal blocks"] = fill(func(i, j int) float64 {
		if i/5 == j/5 {
			return float64(1 + (i%5+j%5)%3)
		}
		return 0
	})
	few := randomData(3, n, 0, rng.Uint64())
	all["duplicated samples"] = gram(mapped(NewMatrix(2*n, n, nil), func(i, j int, _ float64) float64 {
		return few.At(i%3, j)
	}))
	all["duplicated features"] = gram(mapped(NewMatrix(2*n, n, nil), func(i, j int, _ float64) float64 {
		return math.Sin(float64(i*i + j%4))
	}))
	all["low rank"] = gram(randomData(n/2, n, 0, rng.Uint64()))
	all["noise"] = gram(randomData(2*n, n, 0, rng.Uint64()))
	graded := func(e float64) *Matrix {
		return fill(func(i, j int) float64 {
			return rng.NormFloat64() * math.Pow(10, e*(float64(i+j)/float64(2*n)-0.5))
		})
	}
	all["graded down"], all["graded up"] = graded(-300), graded(300)
	all["graded diagonal"] = tri(func(i int) float64 { return math.Pow(10, 300*(float64(i)/float64(n)-0.5)) },
		func(int) float64 { return 0 })
	all["patchwork"] = laPatchwork(n, rng)
	return all
}

// laLeading is the largest of: residual, orthogonality, and difference of the
// values from others, all in units of n·eps·‖a‖ or n·eps, for entries of about 1.
func laLeading(a *Matrix, values, others []float64, rows *Matrix) (worst float64) {
	unit, norm := float64(a.Rows)*laEps, max(laNorm1(a), 0x1p-100)
	r, e := product(rows, a), product(rows, rows.transposed())
	for i := range rows.Rows {
		axpy(r.Row(i), -values[i], rows.row(i))
		e.Row(i)[i]--
	}
	worst = max(maxAbs(r)/(unit*norm), maxAbs(e)/unit)
	for i, v := range values {
		worst = max(worst, math.Abs(v-others[i])/(unit*norm))
	}
	return worst
}

// TestLeadingEigen: some vectors, and by each method where the other would be used.
func TestLeadingEigen(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for _, n := range fewer([]int{1, 5, 9, 10, 16, 17, 21, 42, 63, 105, 150}, []int{1, 5, 9, 10, 17, 42}) {
		for name, a := range laHard(n, rng) {
			unit, exp := unitOf(a)
			others, _ := eigenSym(bg, unit.Clone())
			check := func(how string, values []float64, rows *Matrix) {
				t.Helper()
				if ratio := laLeading(unit, values, others, rows); !(ratio < 10) {
					t.Errorf("%s n=%d, %s: ratio %.3g", name, n, how, ratio)
				}
			}
			for p := 0; p <= n; p += max(1, n/5) {
				values, rows := leadingEigen(bg, a.Clone(), p, 1)
				if len(values) != n || rows.Rows != p || rows.Cols != n {
					t.Fatalf("%s n=%d p=%d: %d values, vectors %d×%d", name, n, p, len(values), rows.Rows,
						rows.Cols)
				}
				if !slices.IsSortedFunc(values, func(a, b float64) int { return cmp.Compare(b, a) }) {
					t.Errorf("%s n=%d p=%d: values %v", name, n, p, values)
				}
				scale(values, math.Ldexp(1, -exp/2)) // 2^-exp may be out of range
				scale(values, math.Ldexp(1, exp/2-exp))
				check(fmt.Sprint("p=", p), values, rows)
			}
			r := tridiagonal(bg, unit.Clone(), 1)
			values := r.values(bg)
			order := descending(values)
			sorted := make([]float64, n)
			for at, i := range order {
				sorted[at] = values[i]
			}
			if rows, ok := r.leading(bg, values, order); ok { // else it gave up
				r.back(bg, rows, 1, nil)
				check("all by inverse iteration", sorted, rows)
			}
			all := r.accumulate(bg, 1)
			check("some by QL", sorted, chosenRows(all, descending(r.implicitQL(bg, all))[:n/3]))
		}
	}
}

// TestTridiagonal: of the matrix the part on and below the diagonal is read, and QᵀAQ is T.
func TestTridiagonal(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 8))
	for n := range 26 {
		a := NewMatrix(n, n, randomSlice(n*n, rng))
		mirror(a.Data, n)
		b := mapped(a, func(i, j int, v float64) float64 {
			if j > i {
				return math.NaN()
			}
			return v
		})
		r := tridiagonal(bg, b, 1)
		again := tridiagonal(bg, a.Clone(), 3)
		if !laSameBits(again.diag, r.diag) || !laSameBits(again.off, r.off) || !laSameBits(again.tau, r.tau) {
			t.Errorf("n=%d: a matrix with NaN in its other half gives other bits", n)
		}
		q, want := r.accumulate(bg, 1), NewMatrix(n, n, nil)
		for i := range n {
			want.Set(i, i, r.diag[i])
			if i+1 < n {
				want.Set(i, i+1, r.off[i])
				want.Set(i+1, i, r.off[i])
			}
		}
		if off := maxDiff(product(product(q, a), q.transposed()), want); !(off < 1e-13) {
			t.Fatalf("n=%d: QᵀAQ is off T by %g", n, off)
		}
	}
}

// TestLeadingEigenBits: the same bits for any number of workers, where the
// triangle is worked on in parts, and orders that are and are not multiples of 8.
func TestLeadingEigenBits(t *testing.T) {
	for _, n := range []int{300, 523} {
		if n > 300 && (testing.Short() && !useSIMD || raceDetector) {
			continue
		}
		g := randomData(n, n, 0, 1)
		mirror(g.Data, n)
		values, rows := leadingEigen(bg, g.Clone(), 9, 1)
		if ratio := laLeading(g, values, values, rows); !(ratio < 10) {
			t.Errorf("n=%d: ratio %.3g", n, ratio)
		}
		v, r := leadingEigen(bg, g.Clone(), 9, 7)
		if !laSameBits(v, values) || !laSameBits(r.Data, rows.Data) {
			t.Errorf("n=%d: other bits with 7 workers", n)
		}
	}
}

// TestRankTwo: a step of the reduction in several chunks, against its definition. On integers both are exact.
func TestRankTwo(t *testing.T) {
	const n, m = 1040, 1030
	rng := rand.New(rand.NewPCG(45, 1))
	a := NewMatrix(n, n, laIntegers(n*n, rng))
	want := make([]float64, m)
	s := newRankTwo(n)
	v, w, u := laIntegers(m, rng), laIntegers(m, rng), laIntegers(m, rng)
	copy(s.v, v)
	copy(s.w, w)
	copy(s.u, u)
	for i := range m {
		row := a.Row(i)
		for j := i + 1; j < min(i/8*8+8, n); j++ {
			row[j] = a.At(j, i)
		}
		for j := range i + 1 {
			x := row[j] + v[i]*w[j] + w[i]*v[j]
			want[i] += x * u[j]
			if j < i {
				want[j] += x * u[i]
			}
		}
	}
	if triangleChunks(1023) != 1 || triangleChunks(m) != 4 || triangleChunks(2048) != 16 {
		t.Error("other parts")
	}
	s.multiply(a, m, 3)
	s.turn(m, 0.5)
	p, half := s.w[:m], 0.0
	for i := range want {
		want[i] *= -0.5
		half += want[i] * u[i] / 4
	}
	for i := range want {
		if x := want[i] - half*u[i]; p[i] != x || s.v[i] != u[i] || s.u[i] != v[i] || s.p[i] != w[i] {
			t.Fatalf("at %d: w is %g, want %g", i, p[i], x)
		}
	}
	if s.w[m] != 0 {
		t.Error("w goes on")
	}
}

// TestTridiagonalSolve: pivots that are replaced, and vectors that grow.
func TestTridiagonalSolve(t *testing.T) {
	x := []float64{3}
	f := newInverseIteration([]float64{1}, []float64{0}, 1, nil)
	f.norm = 1
	for _, c := range []struct{ d, want float64 }{
		{0x1p-60, 3 * 0x1p52}, {-0x1p-60, -3 * 0x1p52}, {0x1p-51, 3 * 0x1p51}, {0, 3 * 0x1p52},
	} {
		x[0] = 3
		f.d[0] = c.d
		f.factor(0)
		if f.solve(x); x[0] != c.want {
			t.Errorf("3/%g = %g", c.d, x[0])
		}
	}
	// Growth above 2^500 takes a power of two out of the whole vector.
	f = newInverseIteration(make([]float64, 3), make([]float64, 3), 0, nil)
	f.d, f.e = []float64{1, 0x1p-300, 0x1p-300}, []float64{0, 0x1p-700, 0}
	f.factor(0)
	x = []float64{0x1p600, 0x1p10, 0x1p300}
	if f.solve(x); !slices.Equal(x, []float64{0x1p100, 0x1p-190, 0x1p100}) {
		t.Error(x)
	}
}
