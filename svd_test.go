package softkmeans

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
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

// TestSVDLapack is LAPACK's driver test DDRVBD: five matrix types over all sizes.
// LAPACK passes below 35; this package asks for 10.
func TestSVDLapack(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 26))
	sizes := [][2]int{{200, 60}, {60, 200}}
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
			if r.Status != StatusConverged || r.Sweeps > 12 || r.MaxCosine > jacobiTol(p) {
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

// bigLogDet is log10|det a| by elimination with 400 bits.
func bigLogDet(a *Matrix) float64 {
	n := a.Rows
	m := make([][]*big.Float, n)
	for i := range m {
		for _, v := range a.Row(i) {
			m[i] = append(m[i], new(big.Float).SetPrec(400).SetFloat64(v))
		}
	}
	sum := 0.0
	for j := range n {
		best := j
		for i := j; i < n; i++ {
			if new(big.Float).Abs(m[i][j]).Cmp(new(big.Float).Abs(m[best][j])) > 0 {
				best = i
			}
		}
		m[j], m[best] = m[best], m[j]
		mant := new(big.Float)
		exp := m[j][j].MantExp(mant)
		f, _ := mant.Float64()
		sum += math.Log10(math.Abs(f)) + float64(exp)*math.Log10(2)
		for i := j + 1; i < n; i++ {
			q := new(big.Float).Quo(m[i][j], m[j][j])
			for l := j; l < n; l++ {
				m[i][l].Sub(m[i][l], new(big.Float).Mul(q, m[j][l]))
			}
		}
	}
	return sum
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

// bigSingular are the squared singular values of a, exactly enough: Jacobi's
// classical method on AᵀA with 600 bits.
func bigSingular(a *Matrix) []float64 {
	n := a.Cols
	const prec = 600
	num := func(v float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(v) }
	g := make([][]*big.Float, n)
	for p := range n {
		for q := range n {
			sum := num(0)
			for i := range a.Rows {
				sum.Add(sum, new(big.Float).SetPrec(prec).Mul(num(a.At(i, p)), num(a.At(i, q))))
			}
			g[p] = append(g[p], sum)
		}
	}
	one := num(1)
	for range 30 {
		for p := range n {
			for q := p + 1; q < n; q++ {
				if g[p][q].Sign() == 0 {
					continue
				}
				z := new(big.Float).SetPrec(prec).Sub(g[q][q], g[p][p])
				z.Quo(z, new(big.Float).SetPrec(prec).Mul(num(2), g[p][q]))
				root := new(big.Float).SetPrec(prec).Mul(z, z)
				root.Sqrt(root.Add(root, one))
				tn := new(big.Float).SetPrec(prec).Abs(z)
				tn.Quo(one, tn.Add(tn, root))
				if z.Sign() < 0 {
					tn.Neg(tn)
				}
				c := new(big.Float).SetPrec(prec).Mul(tn, tn)
				c.Quo(one, c.Sqrt(c.Add(c, one)))
				s := new(big.Float).SetPrec(prec).Mul(c, tn)
				turn := func(x, y *big.Float) (*big.Float, *big.Float) {
					mul := func(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(prec).Mul(a, b) }
					nx, ny := mul(c, x), mul(s, x)
					return nx.Sub(nx, mul(s, y)), ny.Add(ny, mul(c, y))
				}
				for i := range n {
					g[i][p], g[i][q] = turn(g[i][p], g[i][q])
				}
				for i := range n {
					g[p][i], g[q][i] = turn(g[p][i], g[q][i])
				}
			}
		}
	}
	values := make([]float64, n)
	for i := range n {
		root := new(big.Float).SetPrec(prec).Abs(g[i][i])
		values[i], _ = root.Sqrt(root).Float64()
	}
	out := make([]float64, n)
	for i, at := range descending(values) {
		out[i] = values[at]
	}
	return out
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
		want := bigSingular(c.a)
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
	flat := randomData(200, 150, 0, 3)
	flat = mapped(flat, func(_, j int, v float64) float64 { return v * (1 + float64(j)/4) })
	deficient := product(randomData(120, 5, 0, 1), randomData(5, 90, 0, 2))
	for _, c := range []struct {
		name string
		a    *Matrix
		ks   []int
	}{
		{"tall", randomData(400, 60, 1, 1), []int{1, 5, 60}}, {"wide", randomData(60, 400, 1, 2), []int{1, 5, 60}},
		{"square", randomData(100, 100, 0, 3), []int{7}}, {"flat", flat, []int{1, 10}}, {"rank 5", deficient, []int{3, 5, 8}},
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
	x := randomData(300, 200, 0, 9)
	one, err := TruncatedSVD(bg, x, 6, &TruncatedOptions{Workers: 1})
	seven, err2 := TruncatedSVD(bg, x, 6, &TruncatedOptions{Workers: 7})
	if err != nil || err2 != nil || maxDiff(one.U, seven.U) != 0 || maxDiff(one.V, seven.V) != 0 {
		t.Error("workers change bits", err, err2)
	}
	short, err := TruncatedSVD(bg, flat, 10, &TruncatedOptions{MaxSteps: 2})
	if err != nil || short.Status != StatusIterationLimit || short.Steps != 2 || !(short.Residuals[9] > 1e-10*short.S[0]) {
		t.Errorf("%v %+v", err, short)
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
