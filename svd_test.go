package softkmeans

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

const laEps = 0x1p-53 // LAPACK's eps: the unit roundoff

// laOrthogonal is a random n×n orthogonal matrix.
func laOrthogonal(n int, rng *rand.Rand) *Matrix {
	m := NewMatrix(n, n, nil)
	for i := range m.Data {
		m.Data[i] = rng.NormFloat64()
	}
	orthonormalize(m, 0)
	return m
}

// laNorm1 is the largest column sum of magnitudes.
func laNorm1(m *Matrix) (top float64) {
	for j := range m.Cols {
		sum := 0.0
		for i := range m.Rows {
			sum += math.Abs(m.At(i, j))
		}
		top = max(top, sum)
	}
	return top
}

// laRatios are DDRVBD's three: residual and the two orthogonality errors.
// Matrices of extreme scale are compared after scaling by 2^-exp.
func laRatios(a, u *Matrix, s []float64, v *Matrix, exp int) (ratios [3]float64) {
	m, n := a.Dims()
	r := mapped(a, func(_, _ int, x float64) float64 { return math.Ldexp(x, -exp) })
	norm := laNorm1(r)
	for l, x := range s {
		for i := range m {
			for j := range n {
				r.Data[i*n+j] -= u.At(i, l) * math.Ldexp(x, -exp) * v.At(j, l)
			}
		}
	}
	if norm > 0 {
		ratios[0] = laNorm1(r) / (norm * float64(max(m, n)) * laEps)
	} else {
		ratios[0] = laNorm1(r)
	}
	for i, q := range []*Matrix{u, v} {
		if q.Cols > 0 {
			e := product(q.transposed(), q)
			for j := range e.Rows {
				e.Row(j)[j]--
			}
			ratios[1+i] = laNorm1(e) / (float64(q.Rows) * laEps)
		}
	}
	return ratios
}

// fusesProducts reports whether a·b + c is rounded once here, for an a·b that
// rounds to −c.
//
//go:noinline
func fusesProducts(a, b, c float64) bool { return a*b+c != 0 }

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
		for kind, exp := range []int{0, 0, 0, -1022 + 53, 1024 - 53} {
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
			r, err := JacobiSVD(a)
			if err != nil {
				t.Fatal(err)
			}
			if m*n > 0 && maxDiff(a, before) != 0 {
				t.Errorf("%d×%d kind %d: the input changed", m, n, kind)
			}
			if r.U.Rows != m || r.U.Cols != p || r.V.Rows != n || r.V.Cols != p || len(r.S) != p {
				t.Fatalf("%d×%d: factors %s, %d, %s", m, n, shape(r.U.Dims()), len(r.S), shape(r.V.Dims()))
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
			most := jacobiTol(p)
			if fusesProducts(1+0x1p-30, 1-0x1p-30, -1) {
				most = jacobiDone(p) // two sweeps in a row within this end it, too: seen with GOAMD64=v3
			}
			if r.Status != StatusConverged || r.Sweeps > 12 || r.MaxCosine > most {
				t.Errorf("%d×%d kind %d: %d sweeps, cosine %g, %v", m, n, kind, r.Sweeps, r.MaxCosine, r.Status)
			}
		}
	}
	t.Logf("worst ratios: residual %.2f, U %.2f, V %.2f", worst[0], worst[1], worst[2])
}

func checkSigns(t *testing.T, v *Matrix) {
	t.Helper()
	for j := range v.Cols {
		big := 0.0
		for i := range v.Rows {
			if x := v.At(i, j); math.Abs(x) > math.Abs(big) {
				big = x
			}
		}
		if big < 0 {
			t.Errorf("column %d has its largest entry negative", j)
		}
	}
}

// TestSVDGraded: B·D with D over 88 decades. Each singular value must keep its
// digits, so their logarithms add up to the determinant's.
func TestSVDGraded(t *testing.T) {
	rng := rand.New(rand.NewPCG(88, 1))
	var worst float64
	for _, n := range []int{2, 8, 23, 40} {
		for _, dir := range []float64{1, -1} {
			a := NewMatrix(n, n, nil)
			for i := range n {
				for j := range n {
					a.Set(i, j, rng.NormFloat64()*math.Pow(10, dir*(44-88*float64(j)/float64(n-1))))
				}
			}
			want := bigLogDet(a)
			for _, m := range []*Matrix{a, a.transposed()} {
				r, err := JacobiSVD(m)
				if err != nil {
					t.Fatal(err)
				}
				got := 0.0
				for _, s := range r.S {
					got += math.Log10(s)
				}
				rel := math.Abs(got-want) / math.Abs(want)
				worst = max(worst, rel)
				if !(rel <= 1e-11) {
					t.Errorf("n=%d: Σlog10 σ = %.15g, log10|det| = %.15g", n, got, want)
				}
			}
		}
	}
	t.Logf("worst relative difference %.2g", worst)
	// Diagonals beyond the range of squares, in any order.
	d := NewMatrix(5, 5, nil)
	values := []float64{1e-170, 1e160, 1, 1e-300, 1e-20}
	for i, v := range values {
		d.Set(i, i, v)
	}
	r, err := JacobiSVD(d)
	if err != nil {
		t.Fatal(err)
	}
	for i, at := range descending(values) {
		if math.Abs(r.S[i]/values[at]-1) > 1e-14 && values[at] > 1e-150 {
			t.Errorf("diagonal: %g, want %g", r.S[i], values[at])
		}
	}
}

// TestSVDHard: matrices that are known for eating digits, against 600 bits.
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
		r, err := JacobiSVD(c.a)
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

func TestSVDErrors(t *testing.T) {
	bad := randomData(4, 3, 0, 1)
	bad.Set(2, 1, math.Inf(1))
	var in *InputError
	if _, _, _, err := SVD(bad); !errors.As(err, &in) || in.Row != 2 || in.Col != 1 || !errors.Is(err, ErrNonFinite) {
		t.Error(err)
	}
	for _, m := range []*Matrix{nil, {Rows: 2, Cols: 2, Stride: 2, Data: make([]float64, 3)}} {
		if _, _, _, err := SVD(m); !errors.Is(err, ErrShape) {
			t.Error(err)
		}
		if _, err := TruncatedSVD(bg, m, 1, nil); !errors.Is(err, ErrShape) {
			t.Error(err)
		}
	}
	good := randomData(4, 3, 0, 1)
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

// TestTruncatedSVD against the full one, on falling, flat and deficient spectra.
func TestTruncatedSVD(t *testing.T) {
	long, short, square := fewer(400, 130), fewer(60, 24), fewer(100, 50)
	flat := randomData(fewer(200, 90), fewer(150, 70), 0, 3)
	flat = mapped(flat, func(_, j int, v float64) float64 { return v * (1 + float64(j)/4) })
	deficient := product(randomData(fewer(120, 60), 5, 0, 1), randomData(5, fewer(90, 45), 0, 2))
	for _, c := range []struct {
		name string
		a    *Matrix
		ks   []int
	}{
		{"tall", randomData(long, short, 1, 1), []int{1, 5, short}}, {"wide", randomData(short, long, 1, 2), []int{1, 5, short}},
		{"square", randomData(square, square, 0, 3), []int{7}}, {"flat", flat, []int{1, 10}}, {"rank 5", deficient, []int{3, 5, 8}},
		{"small", randomData(3, 2, 0, 4), []int{1, 2}}, {"zero", NewMatrix(20, 30, nil), []int{2}},
		{"tiny", mapped(randomData(90, 40, 0, 5), func(_, _ int, v float64) float64 { return v * 1e-200 }), []int{4}},
		{"huge", mapped(randomData(90, 40, 0, 5), func(_, _ int, v float64) float64 { return v * 1e200 }), []int{4}},
	} {
		full, err := JacobiSVD(c.a)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range c.ks {
			r, err := TruncatedSVD(bg, c.a, k, nil)
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != StatusConverged {
				t.Errorf("%s k=%d: %v after %d steps", c.name, k, r.Status, r.Steps)
			}
			top := full.S[0]
			for i, s := range r.S {
				if math.Abs(s-full.S[i]) > 1e-12*top {
					t.Errorf("%s k=%d: σ%d = %g, want %g", c.name, k, i, s, full.S[i])
				}
				if r.Residuals[i] > 2e-10*top {
					t.Errorf("%s k=%d: residual %g of %g", c.name, k, r.Residuals[i], top)
				}
				// ‖Av − σu‖, which is claimed to be rounding.
				off := 0.0
				for row := range c.a.Rows {
					v := -s * r.U.At(row, i)
					for col, x := range c.a.Row(row) {
						v += x * r.V.At(col, i)
					}
					off = math.Hypot(off, v)
				}
				if off > 1e-13*top {
					t.Errorf("%s k=%d: ‖Av−σu‖ = %g of %g", c.name, k, off, top)
				}
			}
			for _, q := range []*Matrix{r.U, r.V} {
				if d := maxDiff(product(q.transposed(), q), identity(k)); d > 1e-13 {
					t.Errorf("%s k=%d: orthogonality %g", c.name, k, d)
				}
			}
			checkSigns(t, r.V)
		}
	}
	x := randomData(300, fewer(200, 60), 0, 9)
	one, err := TruncatedSVD(bg, x, 6, &TruncatedOptions{Workers: 1})
	seven, err2 := TruncatedSVD(bg, x, 6, &TruncatedOptions{Workers: 7})
	if err != nil || err2 != nil || maxDiff(one.U, seven.U) != 0 || maxDiff(one.V, seven.V) != 0 {
		t.Error("workers change bits", err, err2)
	}
	two, err := TruncatedSVD(bg, flat, 10, &TruncatedOptions{MaxSteps: 2})
	if err != nil || two.Status != StatusIterationLimit || two.Steps != 2 || !(two.Residuals[9] > 1e-10*two.S[0]) {
		t.Errorf("%v %+v", err, two)
	}
}

// TestRitzSumBound: on matrices whose eigenvalues are known.
func TestRitzSumBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for trial := range 200 {
		n, p := 12, 1+trial%5
		q := laOrthogonal(n, rng)
		lambda := make([]float64, n)
		for i := range lambda {
			lambda[i] = math.Abs(rng.NormFloat64()) * math.Pow(2, -float64(i))
		}
		order := descending(lambda)
		truth := 0.0
		for i := range p {
			truth += lambda[order[i]]
		}
		b := product(product(q.transposed(), mapped(identity(n), func(i, _ int, v float64) float64 { return v * lambda[i] })), q)
		// A subspace near the leading one; Ritz values, residual, rest.
		u := NewMatrix(p, n, nil)
		for i := range p {
			copy(u.Row(i), q.Row(order[i]))
			for j := range n {
				u.Row(i)[j] += math.Pow(10, -float64(trial%8)) * rng.NormFloat64()
			}
		}
		orthonormalize(u, 0)
		bu := product(u, b)
		tt := product(bu, u.transposed())
		theta, _ := eigenSym(bg, tt.Clone(), false)
		captured, squares := 0.0, 0.0
		for i := range p {
			captured += theta[i]
			for j := range p {
				axpy(bu.Row(i), -tt.At(i, j), u.Row(j))
			}
			squares += sumSquares(bu.Row(i))
		}
		comp := identity(n)
		for i := range n {
			for j := range p {
				axpy(comp.Row(i), -u.At(j, i), u.Row(j))
			}
		}
		rest, _ := eigenSym(bg, product(product(comp, b), comp), false)
		if bound := ritzSumBound(theta, squares, rest[0]); truth-captured > bound+1e-14 {
			t.Errorf("p=%d: %g missing, bound %g", p, truth-captured, bound)
		}
	}
}

// laSpectrum is an m×n matrix of random singular vectors and the given values.
func laSpectrum(m, n int, values []float64, rng *rand.Rand) *Matrix {
	q1, q2 := laOrthogonal(m, rng), laOrthogonal(n, rng)
	a := NewMatrix(m, n, nil)
	for l, s := range values {
		for i := range m {
			axpy(a.Row(i), q1.At(l, i)*s, q2.Row(l))
		}
	}
	return a
}

// laStrided is a copy of m with NaN between its rows, which nothing may read
// or write.
func laStrided(m *Matrix) *Matrix {
	v := &Matrix{Rows: m.Rows, Cols: m.Cols, Stride: m.Cols + 3, Data: make([]float64, m.Rows*(m.Cols+3))}
	for i := range v.Data {
		v.Data[i] = math.NaN()
	}
	for i := range m.Rows {
		copy(v.Row(i), m.Row(i))
	}
	return v
}

// laSameBits reports whether two slices agree in every bit.
func laSameBits(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i, v := range a {
		if math.Float64bits(v) != math.Float64bits(b[i]) {
			return false
		}
	}
	return true
}

// laJudge checks everything that JacobiSVD promises of any finite matrix; exp
// takes a to entries around 1.
func laJudge(t *testing.T, name string, a *Matrix) *SVDResult {
	t.Helper()
	r, err := JacobiSVD(a)
	if err != nil {
		t.Fatal(name, err)
	}
	top, _ := maxAbs("a", a)
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
	if r.Status != StatusConverged || r.Sweeps > 15 || !(r.MaxCosine <= jacobiDone(len(r.S))) {
		t.Errorf("%s: %v after %d sweeps, cosine %g", name, r.Status, r.Sweeps, r.MaxCosine)
	}
	return r
}

// TestSVDSpread: columns, rows or both down to the denormals beside a column of
// ordinary size. The reflectors and angles of such columns have few digits
// unless they are scaled.
func TestSVDSpread(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 3))
	for _, low := range []int{-300, -900, -1000, -1015, -1030, -1045, -1060, -1070} {
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
	// From 1e300 to 1e-300: values below 2^-1022 of the largest may be lost.
	wide := mapped(NewMatrix(6, 6, nil), func(_, j int, _ float64) float64 { return rng.NormFloat64() * math.Pow(10, 300-120*float64(j)) })
	laJudge(t, "600 decades", wide)
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
		worst = max(worst, r.Sweeps)
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

// laPatchwork is a symmetric n×n matrix of zeros, ones, powers of two, and
// numbers of all sizes: many coincidences.
func laPatchwork(n int, rng *rand.Rand) *Matrix {
	a := NewMatrix(n, n, nil)
	for i := range n {
		for j := range i + 1 {
			var x float64
			switch rng.IntN(6) {
			case 1:
				x = 1
			case 2:
				x = -1
			case 3:
				x = math.Ldexp(rng.NormFloat64(), -rng.IntN(300))
			case 4:
				x = math.Ldexp(1, -rng.IntN(60))
			case 5:
				x = rng.NormFloat64()
			}
			a.Set(i, j, x)
			a.Set(j, i, x)
		}
	}
	return a
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
// bit, from the denormals' edge to the largest numbers.
func TestSVDScale(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	for _, size := range [][2]int{{7, 4}, {4, 7}, {5, 5}, {1, 6}, {6, 1}} {
		a := mapped(NewMatrix(size[0], size[1], nil), func(_, _ int, _ float64) float64 { return rng.NormFloat64() })
		plain := laJudge(t, "plain", a)
		for _, e := range []int{-1000, -500, 500, 1018} {
			r := laJudge(t, "scaled", mapped(a, func(_, _ int, v float64) float64 { return math.Ldexp(v, e) }))
			want := make([]float64, len(plain.S))
			for i, s := range plain.S {
				want[i] = math.Ldexp(s, e)
			}
			if !laSameBits(r.S, want) && e > -1000 || !laSameBits(r.U.Data, plain.U.Data) && e > -1000 {
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
	for _, v := range []float64{math.SmallestNonzeroFloat64, 3 * math.SmallestNonzeroFloat64, 0x1p-1022, 1e-300, 1e300, math.MaxFloat64} {
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
	equal := mapped(NewMatrix(7, 5, nil), func(_, _ int, _ float64) float64 { return 3 })
	if r := laJudge(t, "all equal", equal); math.Abs(r.S[0]-3*math.Sqrt(35)) > 1e-14 || r.S[1] > 1e-14 {
		t.Errorf("all equal: %v", r.S)
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
		r1, err1 := JacobiSVD(a)
		r2, err2 := JacobiSVD(view)
		u, s, v, err3 := SVD(view)
		if err1 != nil || err2 != nil || err3 != nil {
			t.Fatal(err1, err2, err3)
		}
		if !laSameBits(r1.U.Data, r2.U.Data) || !laSameBits(r1.S, r2.S) || !laSameBits(r1.V.Data, r2.V.Data) ||
			!laSameBits(u.Data, r1.U.Data) || !laSameBits(s, r1.S) || !laSameBits(v.Data, r1.V.Data) {
			t.Errorf("%v: the view differs from its copy", size)
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

// TestSVDNonFinite: every place, and the first in reading order if there are more.
func TestSVDNonFinite(t *testing.T) {
	for i := range 3 {
		for j := range 4 {
			for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				a := randomData(3, 4, 0, 1)
				a.Set(2, 3, math.NaN())
				a.Set(i, j, bad)
				_, err1 := JacobiSVD(a)
				_, err2 := TruncatedSVD(bg, a, 2, nil)
				_, _, _, err3 := SVD(laStrided(a))
				for _, err := range []error{err1, err2, err3} {
					var in *InputError
					if !errors.As(err, &in) || !errors.Is(err, ErrNonFinite) || in.Row != i || in.Col != j {
						t.Errorf("%g at (%d,%d): %v", bad, i, j, err)
					}
				}
			}
		}
	}
	for _, m := range []*Matrix{{Rows: -1, Cols: 2, Stride: 2}, {Rows: 2, Cols: 3, Stride: 2, Data: make([]float64, 9)}, {Rows: 3, Cols: 3, Stride: 3, Data: make([]float64, 8)}} {
		_, err1 := JacobiSVD(m)
		_, err2 := TruncatedSVD(bg, m, 1, nil)
		if !errors.Is(err1, ErrShape) || !errors.Is(err2, ErrShape) {
			t.Errorf("%+v: %v, %v", m, err1, err2)
		}
	}
}

// laResiduals are ‖Aᵀu_i − s_i·v_i‖ and ‖A·v_i − s_i·u_i‖ by plain loops, with
// everything divided by 2^exp.
func laResiduals(a *Matrix, u *Matrix, s []float64, v *Matrix, exp int) (left, right []float64) {
	for i := range s {
		l, r := 0.0, 0.0
		for q := range a.Cols {
			x := -math.Ldexp(s[i], -exp) * v.At(q, i)
			for p := range a.Rows {
				x += math.Ldexp(a.At(p, q), -exp) * u.At(p, i)
			}
			l = math.Hypot(l, x)
		}
		for p := range a.Rows {
			x := -math.Ldexp(s[i], -exp) * u.At(p, i)
			for q := range a.Cols {
				x += math.Ldexp(a.At(p, q), -exp) * v.At(q, i)
			}
			r = math.Hypot(r, x)
		}
		left, right = append(left, l), append(right, r)
	}
	return left, right
}

// TestTruncatedResiduals: reported residuals are the true ones, they are below
// what was asked for, and the singular values lie within them, on spectra of
// all kinds and at both ends of the range.
func TestTruncatedResiduals(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 1))
	spectrum := func(n int, f func(i int) float64) []float64 {
		s := make([]float64, n)
		for i := range s {
			s[i] = f(i)
		}
		return s
	}
	worst := 0.0
	for _, c := range []struct {
		name string
		f    func(i int) float64
		ks   []int
	}{
		{"flat", func(int) float64 { return 1 }, []int{1, 4, 40}},
		{"slow", func(i int) float64 { return 1 / (1 + float64(i)) }, []int{1, 6, 40}},
		{"fast", func(i int) float64 { return math.Pow(0.3, float64(i)) }, []int{2, 7, 40}},
		{"plateau", func(i int) float64 { return math.Pow(10, -0.5*float64(min(i, 5))) * (1 - 0.3*float64(i)/40) }, []int{3, 6, 10}},
		{"low plateau", func(i int) float64 { return math.Pow(10, -float64(min(i, 5))) * (1 - 0.1*float64(i)/40) }, []int{6, 10}},
		{"rank 3", func(i int) float64 { return float64(max(0, 3-i)) }, []int{2, 3, 5, 40}},
		{"pairs", func(i int) float64 { return 1 / (1 + float64(i/2)) }, []int{1, 2, 3}},
	} {
		for _, size := range fewer([][2]int{{150, 40}, {40, 150}, {40, 40}, {120, 100}}, [][2]int{{60, 40}, {40, 60}, {40, 40}}) {
			small := min(size[0], size[1])
			a := laSpectrum(size[0], size[1], spectrum(small, c.f), rng)
			for _, k := range c.ks {
				for _, exp := range []int{0, -980, 1020} {
					if exp != 0 && k != c.ks[0] {
						continue
					}
					tol := []float64{1e-10, 1e-6}[k%2]
					m := mapped(a, func(_, _ int, v float64) float64 { return math.Ldexp(v, exp) })
					r, err := TruncatedSVD(bg, m, k, &TruncatedOptions{Tol: tol, Seed: uint64(k)})
					if err != nil {
						t.Fatal(err)
					}
					if r.Status != StatusConverged {
						t.Errorf("%s %v k=%d: %v after %d steps", c.name, size, k, r.Status, r.Steps)
					}
					left, right := laResiduals(m, r.U, r.S, r.V, exp)
					for i := range k {
						s := math.Ldexp(r.S[i], -exp)
						reported := math.Ldexp(r.Residuals[i], -exp)
						// Both are sums of up to 150 products of size 1.
						if math.Abs(reported-left[i]) > 150*laEps || right[i] > 150*laEps {
							t.Errorf("%s %v k=%d·2^%d: residual %d reported %g, is %g and %g", c.name, size, k, exp, i, reported, left[i], right[i])
						}
						// As asked, or what the rounding of AᵀA leaves: size·2^-52·σ₁²/σ_i.
						if limit := max(tol, float64(small)*0x1p-52/max(s, 1e-9)); left[i] > limit*1.001 {
							t.Errorf("%s %v k=%d·2^%d: residual %d is %g, limit %g", c.name, size, k, exp, i, left[i], limit)
						}
						if d := math.Abs(s - c.f(i)); d > left[i]+150*laEps {
							t.Errorf("%s %v k=%d: σ%d is off by %g, residual %g", c.name, size, k, i, d, left[i])
						}
					}
					for _, q := range []*Matrix{r.U, r.V} {
						e := product(q.transposed(), q)
						for i := range k {
							e.Row(i)[i]--
						}
						ratio := laNorm1(e) / (float64(q.Rows) * laEps)
						worst = max(worst, ratio)
						if !(ratio < 10) {
							t.Errorf("%s %v k=%d: orthogonality ratio %.3g", c.name, size, k, ratio)
						}
					}
					checkSigns(t, r.V)
				}
			}
		}
	}
	t.Logf("worst orthogonality ratio %.2f", worst)
	// Entries whose scale 2^1024 is no float64.
	d := mapped(NewMatrix(4, 3, nil), func(i, j int, _ float64) float64 {
		if i == j {
			return math.MaxFloat64
		}
		return 0
	})
	for _, m := range []*Matrix{d, d.transposed()} {
		if r, err := TruncatedSVD(bg, m, 2, nil); err != nil || !(math.Abs(r.S[1]/math.MaxFloat64-1) < 1e-14) || !(r.Residuals[0] < 1e-14*math.MaxFloat64) {
			t.Errorf("largest numbers: %+v, %v", r, err)
		}
	}
}

// TestTruncatedShort: few steps leave orthonormal vectors, honest residuals,
// and values from below that do not get worse.
func TestTruncatedShort(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 1))
	values := make([]float64, fewer(200, 100))
	for i := range values {
		values[i] = 1 - 0.002*float64(i)
	}
	a := laSpectrum(len(values)+60, len(values), values, rng)
	last := 0.0
	for steps := 1; steps <= 4; steps++ {
		r, err := TruncatedSVD(bg, a, 5, &TruncatedOptions{MaxSteps: steps})
		if err != nil || r.Status != StatusIterationLimit || r.Steps != steps {
			t.Fatalf("%+v %v", r, err)
		}
		left, right := laResiduals(a, r.U, r.S, r.V, 0)
		sum := 0.0
		for i, s := range r.S {
			sum += s
			if math.Abs(left[i]-r.Residuals[i]) > 260*laEps || right[i] > 260*laEps || s > values[i]*(1+1e-14) || left[i] < 1e-10 {
				t.Errorf("%d steps: σ%d = %g, residuals %g (reported %g), %g", steps, i, s, left[i], r.Residuals[i], right[i])
			}
		}
		for _, q := range []*Matrix{r.U, r.V} {
			if d := maxDiff(product(q.transposed(), q), identity(5)); d > 1e-13 {
				t.Errorf("%d steps: orthogonality %g", steps, d)
			}
		}
		if sum < last {
			t.Errorf("%d steps: Σσ fell from %g to %g", steps, last, sum)
		}
		last = sum
	}
}

// laContext ends after a number of looks at it.
type laContext struct {
	context.Context
	left int
}

func (c *laContext) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestTruncatedCancelled(t *testing.T) {
	a := randomData(fewer(300, 120), fewer(80, 40), 0, 2)
	full := &laContext{bg, 1 << 30}
	if _, err := TruncatedSVD(full, a, 4, &TruncatedOptions{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	looks := 1<<30 - full.left
	for n := 0; n < looks; n += 1 + looks/fewer(40, 12) {
		if r, err := TruncatedSVD(&laContext{bg, n}, a, 4, &TruncatedOptions{Workers: 1}); !errors.Is(err, context.Canceled) || r != nil {
			t.Errorf("ended at look %d of %d: %v, %v", n, looks, r, err)
		}
	}
}

// TestTruncatedSeed: the start, and so the bits after one step, are a function of the seed.
func TestTruncatedSeed(t *testing.T) {
	x := randomData(60, 30, 0, 1)
	one := func(seed uint64) []float64 {
		r, err := TruncatedSVD(bg, x, 2, &TruncatedOptions{MaxSteps: 1, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		return r.Residuals
	}
	if !slices.Equal(one(1), one(1)) || slices.Equal(one(1), one(2)) {
		t.Errorf("after one step the residuals of seeds 1, 1, 2 are %v, %v, %v", one(1), one(1), one(2))
	}
}

// TestKrylovNegative: of a negative definite matrix, too, the algebraically largest
// eigenvalues are found, and residuals are held to the largest magnitude.
func TestKrylovNegative(t *testing.T) {
	const n = 200
	apply := func(v *Matrix) (*Matrix, error) {
		return mapped(v, func(_, j int, x float64) float64 {
			if j < 2 {
				return -float64(j+1) * x
			}
			return -float64(n+j) * x
		}), nil
	}
	kry, err := krylov(bg, n, apply, 2, krylovOptions{steps: defaultKrylovSteps, residual: 1e-12, indefinite: true})
	if err != nil || kry.status != StatusConverged {
		t.Fatal(kry, err)
	}
	// Eigenvalues are no further off than residuals, 1e-12 of the largest magnitude or
	// n roundings of it.
	off := (1e-12 + n*0x1p-52) * 2 * n
	if math.Abs(kry.values[0]+1) > off || math.Abs(kry.values[1]+2) > off || kry.top < 1.5*n || kry.top > 2*n {
		t.Errorf("%v, of up to %g, after %d steps", kry.values, kry.top, kry.steps)
	}
}

// TestTruncatedWorkers: all bits, for tall and wide data of several chunks.
func TestTruncatedWorkers(t *testing.T) {
	long, short := fewer(1500, 800), fewer(60, 24)
	for _, a := range []*Matrix{randomData(long, short, 0.1, 9), randomData(short, long, 0.1, 9)} {
		var want *TruncatedResult
		for _, workers := range []int{1, 2, 7} {
			r, err := TruncatedSVD(bg, a, 6, &TruncatedOptions{Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = r
			}
			if !laSameBits(r.U.Data, want.U.Data) || !laSameBits(r.S, want.S) || !laSameBits(r.V.Data, want.V.Data) || !laSameBits(r.Residuals, want.Residuals) || r.Steps != want.Steps {
				t.Errorf("%d workers change bits", workers)
			}
		}
	}
}

// TestRitzSumBoundIndefinite: random symmetric B of either sign, and subspaces
// from random to nearly invariant.
func TestRitzSumBoundIndefinite(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 9))
	tight := 0.0
	for trial := range 2000 {
		n := 3 + trial%9
		p := 1 + trial%(n-1)
		b := NewMatrix(n, n, nil)
		for i := range n {
			for j := range i + 1 {
				b.Set(i, j, rng.NormFloat64())
				b.Set(j, i, b.At(i, j))
			}
		}
		values, vectors, err := EigenSym(b)
		if err != nil {
			t.Fatal(err)
		}
		// An orthonormal basis of the whole space, its first p rows near the
		// leading eigenvectors.
		basis := vectors.transposed()
		for i := range basis.Data {
			basis.Data[i] += math.Pow(10, -float64(trial%10)) * rng.NormFloat64()
		}
		orthonormalize(basis, 0)
		h := product(product(basis, b), basis.transposed())
		theta, _ := eigenSym(bg, squareOf(h, p), false)
		rest := NewMatrix(n-p, n-p, nil)
		squares, truth, caught := 0.0, 0.0, 0.0
		for i := p; i < n; i++ {
			copy(rest.Row(i-p), h.Row(i)[p:])
			squares += sumSquares(h.Row(i)[:p])
		}
		outside, _ := eigenSym(bg, rest, false)
		for i := range p {
			truth += values[i]
			caught += theta[i]
		}
		bound := ritzSumBound(theta, squares, outside[0])
		if missing := truth - caught; missing > bound+float64(n*n)*4*laEps*max(values[0], -values[n-1]) {
			t.Errorf("trial %d, n=%d, p=%d: %g missing, bound %g", trial, n, p, missing, bound)
		} else if bound > 1e-6 {
			tight = max(tight, missing/bound)
		}
	}
	t.Logf("the bound is reached to %.2f", tight)
	if tight < 0.3 {
		t.Error("the bound is far from the truth everywhere")
	}
	if ritzSumBound(nil, 1, 1) != 0 || ritzSumBound([]float64{2, 1}, 0, 0) != 0 {
		t.Error("an empty or exhausted space misses nothing")
	}
	if got := ritzSumBound([]float64{3}, 0.01, 2); math.Abs(got-0.01) > 1e-15 {
		t.Errorf("with gap 1: %g", got)
	}
	if got := ritzSumBound([]float64{3, 2}, 0.02, 2.5); math.Abs(got-(0.4+1)) > 1e-15 {
		t.Errorf("without a gap: %g", got)
	}
}
