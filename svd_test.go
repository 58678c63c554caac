package softkmeans

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSVDLapack is LAPACK's driver test DDRVBD: five matrix types over all sizes.
// LAPACK passes below 35; this package asks for 10.
func TestSVDLapack(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 26))
	long, short := fewer(200, 100), fewer(60, 30)
	sizes := [][2]int{{long, short}, {short, long}}
	for _, m := range []int{0, 1, 2, 3, 5, 10, 20, 40} {
		for _, n := range []int{0, 1, 2, 3, 5, 10, 20, 40} {
			sizes = append(sizes, [2]int{m, n})
		}
	}
	var worst [3]float64
	for _, size := range sizes {
		m, n := size[0], size[1]
		p := min(m, n)
		q1, q2 := laOrthogonal(m, rng), laOrthogonal(n, rng)
		even := NewMatrix(m, n, nil) // singular values evenly spaced from 1 down to eps
		for l := range p {
			s := 1.0
			if p > 1 {
				s = 1 - float64(l)/float64(p-1)*(1-laEps)
			}
			for i := range m {
				for j := range n {
					even.Data[i*n+j] += q1.At(i, l) * s * q2.At(j, l)
				}
			}
		}
		for kind, exp := range []int{0, 0, 0, -500 + 53, 500 - 53} {
			a := NewMatrix(m, n, nil)
			switch kind {
			case 0:
			case 1:
				for i := range p {
					a.Set(i, i, 1)
				}
			default:
				a = mapped(even, func(_, _ int, x float64) float64 { return math.Ldexp(x, exp) })
			}
			before := a.Clone()
			r, err := thinSVD(a)
			if err != nil {
				t.Fatal(err)
			}
			if m*n > 0 && maxDiff(a, before) != 0 {
				t.Errorf("%d×%d kind %d: the input changed", m, n, kind)
			}
			if r.U.Rows != m || r.U.Cols != p || r.V.Rows != n || r.V.Cols != p || len(r.S) != p {
				t.Fatalf("%d×%d: factors %s, %d, %s", m, n, shape(r.U.Rows, r.U.Cols), len(r.S), shape(r.V.Rows, r.V.Cols))
			}
			ratios := laRatios(a, r.U, r.S, r.V, exp)
			for i := range ratios {
				worst[i] = max(worst[i], ratios[i])
				if !(ratios[i] < 10) {
					t.Errorf("%d×%d kind %d: ratio %d is %.3g", m, n, kind, i, ratios[i])
				}
			}
			for i, s := range r.S {
				if s < 0 || i > 0 && s > r.S[i-1] {
					t.Errorf("%d×%d kind %d: singular values %v", m, n, kind, r.S)
					break
				}
				if kind == 1 && s != 1 || kind == 0 && s != 0 {
					t.Errorf("%d×%d kind %d: singular value %g", m, n, kind, s)
				}
			}
			checkSigns(t, r.V)
			if p > 0 && r.Status != StatusConverged || r.Iterations > 12 {
				t.Errorf("%d×%d kind %d: %d sweeps, %v", m, n, kind, r.Iterations, r.Status)
			}
		}
	}
	t.Logf("worst ratios: residual %.2f, U %.2f, V %.2f", worst[0], worst[1], worst[2])
}

// TestSVDDiagonal: each singular value keeps its digits.
func TestSVDDiagonal(t *testing.T) {
	// Diagonals far apart, in any order: the last is below 2^-500 of the largest.
	d := NewMatrix(5, 5, nil)
	values := []float64{1e-70, 1e75, 1, 1e-120, 1e-20}
	for i, v := range values {
		d.Set(i, i, v)
	}
	r, err := thinSVD(d)
	if err != nil {
		t.Fatal(err)
	}
	for i, at := range descending(values) {
		if want := values[at]; math.Abs(r.S[i]-want) > 1e-14*want && !(i == 4 && r.S[i] == 0) {
			t.Errorf("diagonal: %g, want %g", r.S[i], values[at])
		}
	}
}

// TestSVDHard: ill-conditioned matrices, against 600 bits.
func TestSVDHard(t *testing.T) {
	hilbert, kahan, lauchli := NewMatrix(8, 8, nil), NewMatrix(8, 8, nil), NewMatrix(9, 8, nil)
	sn, cs := math.Sin(1.2), math.Cos(1.2)
	for i := range 8 {
		for j := range 8 {
			hilbert.Set(i, j, 1/float64(i+j+1))
			if j >= i {
				kahan.Set(i, j, -cs*math.Pow(sn, float64(i)))
			}
		}
		kahan.Set(i, i, math.Pow(sn, float64(i)))
		lauchli.Set(0, i, 1)
		lauchli.Set(i+1, i, 1e-9)
	}
	graded := randomData(8, 8, 0, 4)
	graded = mapped(graded, func(_, j int, v float64) float64 { return v * math.Pow(10, -9*float64(j)) })
	twin := randomData(9, 6, 0, 4)
	for i := range 9 {
		twin.Set(i, 5, twin.At(i, 0))
	}
	for _, c := range []struct {
		name string
		a    *Matrix
		rel  float64 // accuracy of every singular value relative to itself; 0: relative to the largest
	}{{"Hilbert", hilbert, 0}, {"Kahan", kahan, 1e-13}, {"Läuchli", lauchli, 1e-7}, {"graded", graded, 1e-13}, {"duplicate columns", twin, 0},
		{"all equal", mapped(NewMatrix(7, 5, nil), func(_, _ int, _ float64) float64 { return 3 }), 0}} {
		r, err := thinSVD(c.a)
		if err != nil {
			t.Fatal(err)
		}
		want := bigSingular(t, c.a)
		for i, s := range r.S {
			if d := math.Abs(s - want[i]); d > 1e-15*8*want[0] || c.rel > 0 && d > c.rel*want[i] {
				t.Errorf("%s: σ%d = %.17g, want %.17g", c.name, i, s, want[i])
			}
		}
		ratios := laRatios(c.a, r.U, r.S, r.V, 0)
		if ratios[0] > 10 || ratios[1] > 10 || ratios[2] > 10 {
			t.Errorf("%s: ratios %v", c.name, ratios)
		}
	}
}

// TestSVDErrors: which argument is at fault, for both decompositions alike.
func TestSVDErrors(t *testing.T) {
	good := randomData(4, 3, 0, 1)
	type trial struct {
		a        *Matrix
		is       error
		row, col int // of an InputError
	}
	cases := []trial{
		{nil, ErrShape, -1, 0}, {&Matrix{Rows: 2, Cols: 2, Stride: 2, Data: make([]float64, 3)}, ErrShape, -1, 0},
		{&Matrix{Rows: -1, Cols: 2, Stride: 2}, ErrShape, -1, 0},
		{&Matrix{Rows: 2, Cols: 3, Stride: 2, Data: make([]float64, 9)}, ErrShape, -1, 0},
		{NewMatrix(2, 2, []float64{0, 0, 1.001 * mostEntry, 0}), ErrRange, 1, 0},
		{NewMatrix(2, 2, []float64{0, 0, 0.999 * leastScale, 0}), ErrRange, 1, 0},
	}
	for i, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} { // the first in reading order
		a := good.Clone()
		a.Set(3, 2, math.NaN())
		a.Set(1+i, i, bad)
		cases = append(cases, trial{a, ErrNonFinite, 1 + i, i}, trial{laStrided(a), ErrNonFinite, 1 + i, i})
	}
	for _, c := range cases {
		u, s, v, err := SVD(c.a)
		r, other := TruncatedSVD(bg, c.a, 1, nil)
		if u != nil || s != nil || v != nil || r != nil {
			t.Errorf("%+v: factors with an error", c)
		}
		for _, err := range []error{err, other} {
			var in *InputError
			if !errors.Is(err, c.is) || errors.As(err, &in) && (in.Row != c.row || in.Col != c.col) {
				t.Errorf("%+v: %v", c, err)
			}
		}
	}
	for _, c := range []struct {
		k int
		o *TruncatedOptions
	}{{0, nil}, {4, nil}, {1, &TruncatedOptions{Tol: -1}}, {1, &TruncatedOptions{Tol: math.NaN()}}, {1, &TruncatedOptions{MaxSteps: -1}}, {1, &TruncatedOptions{Workers: -1}}} {
		if _, err := TruncatedSVD(bg, good, c.k, c.o); !errors.Is(err, ErrOption) {
			t.Error(err)
		}
	}
	ctx, cancel := context.WithCancel(bg)
	cancel()
	if _, err := TruncatedSVD(ctx, good, 1, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// laJudge checks everything that SVD promises of any finite matrix.
func laJudge(t *testing.T, name string, a *Matrix) *SVDResult {
	t.Helper()
	r, err := thinSVD(a)
	if err != nil {
		t.Fatal(name, err)
	}
	top, _ := checkEntries("a", a, math.MaxFloat64)
	_, exp := math.Frexp(top)
	for i, ratio := range laRatios(a, r.U, r.S, r.V, exp) {
		if !(ratio < 10) {
			t.Errorf("%s: ratio %d is %.3g", name, i, ratio)
		}
	}
	for i, s := range r.S {
		if !(s >= 0) || i > 0 && s > r.S[i-1] {
			t.Errorf("%s: singular values %v", name, r.S)
			break
		}
	}
	checkSigns(t, r.V)
	if r.Status != StatusConverged || r.Iterations > 15 {
		t.Errorf("%s: %v after %d sweeps", name, r.Status, r.Iterations)
	}
	return r
}

// TestSVDSpread: columns, rows or both of which some count as 0, next to a column of
// ordinary size.
func TestSVDSpread(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 3))
	for _, low := range []int{-300, -490, -500, -510, -530, -560, -1070} {
		for _, n := range []int{2, 3, 6, 12} {
			graded := func(kind int) *Matrix {
				return mapped(NewMatrix(n+n/3, n, nil), func(i, j int, _ float64) float64 {
					e := 0
					switch {
					case kind == 0 && j >= n/2, kind == 1 && i >= n/2, kind == 2 && (i >= n/2 || j >= n/2):
						e = low
					case kind == 3:
						e = low * j / (n - 1)
					case kind == 4:
						e = low * (n - 1 - j) / (n - 1)
					case kind == 5:
						e = low * (i + j) / (3 * n)
					}
					return math.Ldexp(rng.NormFloat64(), e)
				})
			}
			for kind := range 6 {
				a := graded(kind)
				name := "2^" + shape(low, n) + " kind " + string(rune('0'+kind))
				laJudge(t, name, a)
				laJudge(t, name+" transposed", a.transposed())
			}
		}
	}
	// From 1e150 to 1e-300.
	wide := mapped(NewMatrix(6, 6, nil), func(_, j int, _ float64) float64 { return rng.NormFloat64() * math.Pow(10, 150-90*float64(j)) })
	laJudge(t, "450 decades", wide)
}

// TestSVDLimitCycle: small matrices of a few round numbers. Some have angles
// that each rotation makes anew just above jacobiTol; the first two did so for
// 60 sweeps.
func TestSVDLimitCycle(t *testing.T) {
	laJudge(t, "2×2", NewMatrix(2, 2, []float64{3.725290298461914e-09, 0.744181504703513, 0.744181504703513, -0.0032750951698834463}))
	laJudge(t, "3×3", NewMatrix(3, 3, []float64{0.22764952223746532, 1, -1, 1, 2.812447567316372e-73, 2.706145555185259, -1, 2.706145555185259, 4.354832848484599e-81}))
	rng := rand.New(rand.NewPCG(5, 5))
	worst := 0
	for range fewer(4000, 500) {
		n := 2 + rng.IntN(4)
		a := laPatchwork(n, rng)
		r := laJudge(t, "patchwork", a)
		worst = max(worst, r.Iterations)
		squares := 0.0
		for _, s := range r.S {
			squares += s * s
		}
		// n³ products at most, each with a few roundings.
		if want := sumSquares(a.Data); math.Abs(squares-want) > float64(8*n*n)*laEps*want {
			t.Errorf("Σσ² = %.17g, ‖A‖² = %.17g", squares, want)
		}
		if t.Failed() {
			t.Fatal(a.Data)
		}
	}
	t.Logf("at most %d sweeps", worst)
}

// TestSVDRelative: B·D with D over 88 decades in falling, rising and mixed
// order, and D·B, against 600 bits. The relative error of each value is bounded
// by cond(B)·n·eps times a modest number: 1e-13 for these B.
func TestSVDRelative(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	n := 8
	worst := 0.0
	for trial := range fewer(6, 3) {
		b := laOrthogonal(n, rng)
		for i := range b.Data {
			b.Data[i] += 0.2 * rng.NormFloat64()
		}
		order := rng.Perm(n)
		a := mapped(b, func(_, j int, v float64) float64 {
			switch trial % 3 {
			case 1:
				j = n - 1 - j
			case 2:
				j = order[j]
			}
			return v * math.Pow(10, 44-88*float64(j)/float64(n-1))
		})
		want := bigSingular(t, a)
		for _, m := range []*Matrix{a, a.transposed()} {
			r := laJudge(t, "graded", m)
			for i, s := range r.S {
				rel := math.Abs(s/want[i] - 1)
				worst = max(worst, rel)
				if !(rel < 1e-13) {
					t.Errorf("trial %d: σ%d = %.17g, want %.17g", trial, i, s, want[i])
				}
			}
		}
	}
	t.Logf("worst relative error %.2g", worst)
}

// TestSVDScale: a power of two changes the exponents of S and not one other
// bit, from one end of the range to the other.
func TestSVDScale(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	for _, size := range [][2]int{{7, 4}, {4, 7}, {5, 5}, {1, 6}, {6, 1}} {
		a := mapped(NewMatrix(size[0], size[1], nil), func(_, _ int, _ float64) float64 { return rng.NormFloat64() })
		plain := laJudge(t, "plain", a)
		for _, e := range []int{-490, 490} {
			r := laJudge(t, "scaled", mapped(a, func(_, _ int, v float64) float64 { return math.Ldexp(v, e) }))
			want := make([]float64, len(plain.S))
			for i, s := range plain.S {
				want[i] = math.Ldexp(s, e)
			}
			if !laSameBits(r.S, want) || !laSameBits(r.U.Data, plain.U.Data) {
				t.Errorf("%v·2^%d: %v, want %v", size, e, r.S, want)
			}
		}
		// A single row or column has its length as only value.
		if min(size[0], size[1]) == 1 {
			if want := norm2(a.Data); math.Abs(plain.S[0]-want) > 8*laEps*want {
				t.Errorf("%v: %g, want %g", size, plain.S[0], want)
			}
		}
	}
	for _, v := range []float64{leastScale, 3 * leastScale, mostEntry} {
		d := NewMatrix(4, 3, nil)
		d.Set(2, 0, v)
		d.Set(0, 1, -v)
		d.Set(3, 2, v)
		for _, m := range []*Matrix{d, d.transposed()} {
			if r := laJudge(t, "one size", m); !laSameBits(r.S, []float64{v, v, v}) {
				t.Errorf("%g: %v", v, r.S)
			}
		}
	}
}

// TestSVDRank: what rank-deficient matrices leave is rounding, and the vectors
// are complete all the same.
func TestSVDRank(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, size := range [][2]int{{12, 9}, {9, 12}, {30, 30}} {
		for rank := range 5 {
			m, n := size[0], size[1]
			a := product(mapped(NewMatrix(m, rank, nil), func(_, _ int, _ float64) float64 { return rng.NormFloat64() }),
				mapped(NewMatrix(rank, n, nil), func(_, _ int, _ float64) float64 { return rng.NormFloat64() }))
			r := laJudge(t, "random rank", a)
			for i, s := range r.S {
				// Forming a leaves rank·eps per entry, the decomposition max(m,n)·eps.
				if i >= rank && s > float64(rank+max(m, n))*laEps*r.S[0] || i < rank && s < 1e-3*r.S[0] {
					t.Errorf("%v rank %d: %v", size, rank, r.S)
					break
				}
			}
			// Exact: ones in `rank` places of a zero matrix, and equal rows.
			e := NewMatrix(m, n, nil)
			for i := range rank {
				e.Set(m-1-2*i, i, float64(1+i))
			}
			r = laJudge(t, "exact rank", e)
			for i, s := range r.S {
				if i < rank && s != float64(rank-i) || i >= rank && s != 0 {
					t.Errorf("%v: %v", size, r.S)
					break
				}
			}
		}
	}
}

// TestFixSigns: the first of equal magnitudes decides; zero columns stay.
func TestFixSigns(t *testing.T) {
	v := NewMatrix(3, 4, []float64{-1, 2, 0, -1, 1, -3, 0, 0, -1, 1, 0, 0})
	u := NewMatrix(1, 4, []float64{1, 2, 3, 4})
	fixSigns(v, u)
	if !laSameBits(v.Data, []float64{1, -2, 0, 1, -1, 3, 0, math.Copysign(0, -1), 1, -1, 0, math.Copysign(0, -1)}) || !laSameBits(u.Data, []float64{-1, -2, 3, -4}) {
		t.Error(v.Data, u.Data)
	}
}

// TestSVDViews: a view with gaps gives the bits of its copy, and nothing is
// written to.
func TestSVDViews(t *testing.T) {
	for _, size := range [][2]int{{9, 5}, {5, 9}, {6, 6}, {1, 4}} {
		a := randomData(size[0], size[1], 0.3, 12)
		view := laStrided(a)
		before := append([]float64(nil), view.Data...)
		r, err := thinSVD(a)
		u, s, v, err2 := SVD(view)
		if err != nil || err2 != nil || !laSameBits(u.Data, r.U.Data) || !laSameBits(s, r.S) || !laSameBits(v.Data, r.V.Data) {
			t.Errorf("%v: the view differs from its copy (%v, %v)", size, err, err2)
		}
		t1, err1 := TruncatedSVD(bg, a, 1, nil)
		t2, err2 := TruncatedSVD(bg, view, 1, nil)
		if err1 != nil || err2 != nil || !laSameBits(t1.U.Data, t2.U.Data) || !laSameBits(t1.S, t2.S) || !laSameBits(t1.V.Data, t2.V.Data) || !laSameBits(t1.Residuals, t2.Residuals) {
			t.Errorf("%v truncated: the view differs from its copy (%v, %v)", size, err1, err2)
		}
		if !laSameBits(view.Data, before) {
			t.Errorf("%v: the input changed", size)
		}
	}
}

// FuzzSVD: any finite matrix has all that the decompositions promise.
func FuzzSVD(f *testing.F) {
	f.Add([]byte{7, 3, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	f.Add([]byte("1: sixteen oddities and five columns"))
	f.Add([]byte{9, 9, 0x1c, 250, 200, 100, 50, 25, 12, 6, 3, 1})
	f.Add([]byte{5, 8, 7, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88})
	f.Fuzz(func(t *testing.T, data []byte) {
		in := newInput(data)
		// The matrix may be out of range; it is judged where its largest entry is in [½, 1).
		given := in.matrix(1+in.below(10), 1+in.below(10))
		top, _ := checkEntries("a", given, math.MaxFloat64)
		inRange := top == 0 || top >= leastScale && top <= mostEntry
		if _, err := thinSVD(given); inRange != (err == nil) || err != nil && !errors.Is(err, ErrRange) {
			t.Fatalf("largest entry %g: %v", top, err)
		}
		_, exp := math.Frexp(top)
		a := mapped(given, func(_, _ int, v float64) float64 { return math.Ldexp(v, -exp) })
		r := laJudge(t, "SVD", a)
		if t.Failed() {
			t.Fatalf("of %+v", a)
		}
		k := 1 + in.below(len(r.S))
		o := &TruncatedOptions{Tol: []float64{0, 1e-3, 1e-14}[in.below(3)], MaxSteps: in.below(6), Seed: uint64(in.byte()), Workers: in.below(3)}
		tr := mustDo(TruncatedSVD(bg, a, k, o))(t)
		if len(tr.S) != k || tr.U.Cols != k || tr.V.Cols != k || tr.Status != StatusConverged && tr.Status != StatusIterationLimit {
			t.Fatalf("%+v", tr)
		}
		checkSigns(t, tr.V)
		for _, q := range []*Matrix{tr.U, tr.V} {
			e := product(q.transposed(), q)
			for i := range k {
				e.Row(i)[i]--
			}
			if !(laNorm1(e) <= 10*float64(q.Rows)*laEps) { // the bound of laJudge
				t.Fatalf("not orthonormal by %g: %+v", laNorm1(e), tr)
			}
		}
		for i, s := range tr.S {
			if !(s >= 0) || i > 0 && s > tr.S[i-1] {
				t.Fatalf("values %v, residuals %v", tr.S, tr.Residuals)
			}
			// Some singular value is within the residual, but for the rounding of both.
			nearest := math.Inf(1)
			for _, v := range r.S {
				nearest = min(nearest, math.Abs(v-s))
			}
			if !(nearest <= tr.Residuals[i]+10*float64(a.Rows+a.Cols)*laEps*r.S[0]) {
				t.Fatalf("value %d is %g with a residual of %g, the true ones are %v", i, s, tr.Residuals[i], r.S)
			}
		}
		finite(t, "singular values", slices.Concat(r.S, tr.S, tr.Residuals)...)
		sym := in.symmetric(1 + in.below(10))
		top, _ = checkEntries("sym", sym, math.MaxFloat64)
		_, exp = math.Frexp(top)
		sym = mapped(sym, func(_, _ int, v float64) float64 { return math.Ldexp(v, -exp) })
		values, vectors, err := EigenSym(sym)
		if err != nil {
			t.Fatal(err)
		}
		for i, ratio := range laRatios(sym, vectors, values, vectors, 0) {
			if !(ratio < 10) {
				t.Fatalf("ratio %d of the eigenvalues is %.3g for %+v", i, ratio, sym)
			}
		}
		checkSigns(t, vectors)
		for i, v := range values[1:] {
			if v > values[i] {
				t.Fatalf("values %v", values)
			}
		}
		in.finish(t)
	})
}

// TestJacobiTerms: bounds by number, and rotations by what they do.
func TestJacobiTerms(t *testing.T) {
	for n, want := range map[int][2]float64{0: {1, 8}, 1: {1, 8}, 4: {2, 8}, 8: {math.Sqrt(8), 8}, 9: {3, 9}, 100: {10, 100}} {
		if jacobiTol(n) != want[0]*0x1p-53 || jacobiDone(n) != want[1]*0x1p-53 {
			t.Errorf("n=%d: %g and %g", n, jacobiTol(n), jacobiDone(n))
		}
	}
	for _, zeta := range []float64{0, 1e-300, 0.3, 1, 2, 1e9, 0x1p99, 0x1p101, 0x1p500} {
		for _, sign := range []float64{1, -1} {
			c, s := jacobiRotation(sign * zeta)
			// tan θ is the smaller root of t² + 2ζt − 1: of the sign of ζ, at most 1.
			tan := s / c
			if zeta == 0 && sign < 0 {
				continue // −0 is 0
			}
			if !(math.Abs(c*c+s*s-1) <= 4*laEps) || !(tan*sign > 0) || math.Abs(tan) > 1 || math.Abs(tan*(tan+2*sign*zeta)-1) > 16*laEps {
				t.Errorf("ζ = %g: cosine %g, sine %g", sign*zeta, c, s)
			}
		}
	}
	x, y := []float64{1, 2}, []float64{3, 4}
	if swap(x, y); !slices.Equal(x, []float64{3, 4}) || !slices.Equal(y, []float64{1, 2}) {
		t.Error(x, y)
	}
}
