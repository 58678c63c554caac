package softkmeans

// Matrices that are known for losing digits, or that lie at the ends of the range, through everything that
// computes with singular values. Answers come from oracle_test.go. Every tolerance is a bound from the
// literature with the constants of this package's loops, named where it is used:
//
//	[DV]  Demmel & Veselić, Jacobi's method is more accurate than QR, SIAM J. Matrix Anal. Appl. 13 (1992)
//	[DV1] Drmač & Veselić, New fast and accurate Jacobi SVD algorithm I, ibid. 29 (2008)
//	[CH]  Cox & Higham, Stability of Householder QR factorization for weighted least squares, 1998
//	[H]   Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed. (2002)

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// hardMatrix has a matrix and its exact answers. These are in units of 2^exp, in which the largest entry is
// in [½, 1).
type hardMatrix struct {
	family string
	a      *Matrix
	exp    int

	p       digits
	s       []*big.Float // singular values
	columns float64      // ‖B†‖, a = B·D, the columns of B of length 1; +Inf if B is singular
	lines   float64      // ‖B†‖, a = D·B, likewise for rows
}

// hardMatrices returns the matrices that tests try, one of each family in quick mode.
func hardMatrices() []*hardMatrix {
	rng := rand.New(rand.NewPCG(1e9, 7))
	var all []*hardMatrix
	add := func(family string, a *Matrix) { all = append(all, &hardMatrix{family: family, a: a}) }
	fill := func(n, d int, f func(i, j int) float64) *Matrix {
		return mapped(NewMatrix(n, d, nil), func(i, j int, _ float64) float64 { return f(i, j) })
	}
	graded := func(n, d int, exp func(i, j int) float64) *Matrix {
		return fill(n, d, func(i, j int) float64 { return rng.NormFloat64() * math.Pow(10, exp(i, j)) })
	}
	normal := func(n, d int) *Matrix { return graded(n, d, func(_, _ int) float64 { return 0 }) }
	small := func(n, d int) *Matrix {
		return fill(n, d, func(_, _ int) float64 { return float64(rng.IntN(7) - 3) })
	}

	for _, n := range [][2]int{{5, 5}, {8, 8}, {10, 6}} {
		add("Hilbert", fill(n[0], n[1], func(i, j int) float64 { return 1 / float64(i+j+1) }))
	}
	for _, angle := range []float64{1.2, 0.4} {
		sn, cs := math.Sin(angle), math.Cos(angle)
		add("Kahan", fill(8, 8, func(i, j int) float64 {
			switch {
			case i == j:
				return math.Pow(sn, float64(i))
			case i < j:
				return -cs * math.Pow(sn, float64(i))
			}
			return 0
		}))
	}
	for _, mu := range []float64{1e-5, 1e-9, 1e-149} {
		add("Läuchli", fill(7, 6, func(i, j int) float64 {
			switch i {
			case 0:
				return 1
			case j + 1:
				return mu
			}
			return 0
		}))
	}
	decades := func(i, n int) float64 { return 75 - 150*float64(i)/float64(n-1) }
	add("graded columns", graded(7, 5, func(_, j int) float64 { return decades(j, 5) }))
	add("graded columns", graded(7, 5, func(_, j int) float64 { return -decades(j, 5) }))
	add("mixed columns", graded(8, 8, func(_, j int) float64 { return decades(j*3%8, 8) }))
	add("graded rows", graded(7, 5, func(i, _ int) float64 { return decades(i, 7) }))
	add("graded rows", graded(5, 7, func(i, _ int) float64 { return -decades(i, 5) }))
	add("graded both", graded(6, 5, func(i, j int) float64 { return (decades(i, 6) + decades(j, 5)) / 2 }))
	add("graded beyond", graded(6, 5, func(i, j int) float64 { return decades(i, 6) + decades(j, 5) - 1 }))

	spectrum := func(f func(i int) float64) *Matrix {
		values := make([]float64, 6)
		for i := range values {
			values[i] = f(i)
		}
		return laSpectrum(8, 6, values, rng)
	}
	add("clustered", spectrum(func(i int) float64 { return 1 + float64(i)*0x1p-52 }))
	add("clustered", spectrum(func(i int) float64 { return 1 + float64(i/3)*1e-3 + float64(i)*1e-12 }))
	add("repeated", spectrum(func(i int) float64 { return float64(1 + i/3) }))
	add("repeated", fill(8, 8, func(i, j int) float64 { // Hadamard: all are √8
		sign := 1.0
		for l := range 3 {
			if i>>l&j>>l&1 == 1 {
				sign = -sign
			}
		}
		return sign
	}))
	add("rank-deficient", product(small(8, 3), small(3, 6)))
	add("rank-deficient", product(small(5, 2), small(2, 9)))
	twin := normal(8, 5)
	for i := range 8 {
		twin.Set(i, 4, twin.At(i, 1))
	}
	add("rank-deficient", twin)
	for _, e := range []float64{1e50, 1e100, 1e149} {
		add("near the largest", mapped(normal(7, 4), func(_, _ int, v float64) float64 { return v * e }))
	}
	add("largest", fill(6, 3, func(_, _ int) float64 { return 0x1.fffffffffffffp499 * sign(rng) }))
	add("largest", fill(2, 2, func(i, _ int) float64 { return math.Copysign(1e150, 0.5-float64(i)) }))
	add("largest", fill(9, 2, func(_, _ int) float64 { return mostEntry * (2*rng.Float64() - 1) }))
	for _, e := range []float64{1e-50, 1e-100, 1e-149} {
		add("near the least", mapped(normal(7, 4), func(_, _ int, v float64) float64 { return v * e }))
	}
	add("near the least", mapped(small(7, 4), func(_, _ int, v float64) float64 { return v * leastScale }))
	add("Vandermonde", fill(9, 7, func(i, j int) float64 { return math.Pow(float64(i+1)/9, float64(j)) }))
	add("Vandermonde", fill(6, 6, func(i, j int) float64 { return math.Pow(float64(i+1), float64(j)) }))
	for _, n := range []int{7, 10} {
		add("Wilkinson", fill(n, n, func(i, j int) float64 {
			switch i - j {
			case 0:
				return math.Abs(float64(i) - float64(n-1)/2)
			case 1, -1:
				return 1
			}
			return 0
		}))
	}
	add("zero", NewMatrix(5, 3, nil))
	add("identity", identity(6))
	for _, last := range []float64{0, 1} { // of t⁶ and t⁶ − 1
		c := fill(6, 6, func(i, j int) float64 { return max(0, 1-math.Abs(float64(i-j-1))) })
		c.Set(0, 5, last)
		add("companion", c)
	}
	add("one row", normal(1, 7))
	add("one column", normal(7, 1))
	add("wide", normal(4, 60))
	add("wide", graded(5, 40, func(i, _ int) float64 { return -4 * float64(i) }))
	add("identical rows", fill(6, 4, func(_, j int) float64 { return 0.1 + float64(j)/3 }))
	outlier := normal(9, 4)
	for j := range 4 {
		outlier.Row(4)[j] *= 1e12
	}
	add("outlier", outlier)
	add("far mean", mapped(normal(9, 5), func(_, _ int, v float64) float64 { return 1e8 + v }))
	add("far mean", mapped(normal(9, 3), func(_, j int, v float64) float64 { return 1e8*float64(1-j) + v }))

	if quick() {
		all = slices.CompactFunc(all, func(a, b *hardMatrix) bool { return a.family == b.family })
	}
	return all
}

// solve finds the exact answers.
func (h *hardMatrix) solve() {
	_, h.exp = math.Frexp(maxAbs(h.a))
	rows, p := bigMatrix(h.a)
	for _, row := range rows {
		for _, v := range row {
			v.SetMantExp(v, -h.exp)
		}
	}
	h.p, h.s = p, p.singular(rows)
	h.columns, h.lines = equilibrated(rows.transposed(h.a.Cols)), equilibrated(rows)
}

// equilibrated is ‖B†‖ for the given rows as a D·B. 200 bits tell where it is below 2^60,
// which is more than any use.
func equilibrated(m bigRows) float64 {
	const p digits = 200
	b := make(bigRows, len(m))
	for i, row := range m {
		size := p.sqrt(p.dot(row, row))
		for _, v := range row {
			x := p.zero().Set(v)
			if size.Sign() > 0 {
				x.Quo(x, size)
			}
			b[i] = append(b[i], x)
		}
	}
	s := p.singular(b)
	if last := double(s[len(s)-1]); last > 0x1p-60 {
		return 1 / last
	}
	return math.Inf(1)
}

// note fails where an error is above its tolerance.
func (h *hardMatrix) note(t *testing.T, function string, ratio float64) {
	t.Helper()
	if !(ratio <= 1) {
		t.Errorf("%s, %s of %s: %.3g times the tolerance", function, h.family, shape(h.a.Rows, h.a.Cols),
			ratio)
	}
}

// off is |got − want·2^exp| over tol·2^exp. Below 2^-1022 the rounding is 2^-1074.
func (h *hardMatrix) off(got float64, want *big.Float, exp int, tol float64) float64 {
	w := h.p.times(want, exp)
	allowed := h.p.times(h.p.num(tol), exp)
	allowed.Add(allowed, h.p.times(h.p.num(1), -1074)) // half of it, and some
	if math.IsInf(got, 0) || math.IsNaN(got) {
		return math.Inf(1)
	}
	d := h.p.sub(w, h.p.num(got))
	return double(d.Quo(d.Abs(d), allowed))
}

// unit is a in units of 2^exp.
func (h *hardMatrix) unit() *Matrix {
	return mapped(h.a, func(_, _ int, v float64) float64 { return math.Ldexp(v, -h.exp) })
}

// size is the largest singular value in units of 2^exp.
func (h *hardMatrix) size() float64 { return double(h.s[0]) }

// svdTolerance is the absolute bound on singular values: ‖δA‖ of two Householder
// factorizations and the rotations, γ̃ ~ (n+d)·u each, [H] Theorem 19.4.
func (h *hardMatrix) svdTolerance() float64 { return 2 * float64(h.a.Rows+h.a.Cols) * laEps * h.size() }

// TestHardSVD: all singular values to the largest, and each to itself as far
// as the condition of the scaled matrix allows.
func TestHardSVD(t *testing.T) {
	t.Parallel()
	for _, h := range hardMatrices() {
		h.solve()
		n, d := h.a.Rows, h.a.Cols
		got := mustDo(thinSVD(bg, h.a))(t)
		u, s, v, err := SVD(h.a)
		if err != nil || !laSameBits(s, got.S) || !laSameBits(u.Data, got.U.Data) ||
			!laSameBits(v.Data, got.V.Data) {
			t.Errorf("%s: SVD is not thinSVD (%v)", h.family, err)
		}
		if got.Status != StatusConverged {
			t.Errorf("%s: %v", h.family, got.Status)
		}
		kappa := min(h.columns, h.lines)
		for i, s := range got.S {
			h.note(t, "SVD", h.off(s, h.s[i], h.exp, h.svdTolerance()))
			// [DV] Theorem 2.14 and [DV1] section 3.1: |δσ|/σ ≤ ‖δB·B†‖, the columns
			// (for graded rows in order of size [CH] Theorem 4.1) of δB ~ 2(n+d)·u,
			// the whole √d times that. Below 2^-500 of the largest entry they count as 0.
			relative := 2 * float64(n+d) * math.Sqrt(float64(min(n, d))) * laEps * kappa
			if relative < 0.1 {
				h.note(t, "SVD, relative", h.off(s, h.s[i], h.exp,
					relative*double(h.s[i])+float64(n*d)*negligible))
			}
		}
		// Values that are out of range, or denormal, say nothing of the vectors: those of
		// the scaled matrix do, which are the same.
		unit, err := thinSVD(bg, h.unit())
		if err != nil || !laSameBits(unit.U.Data, got.U.Data) || !laSameBits(unit.V.Data, got.V.Data) {
			t.Errorf("%s: a power of two changes the vectors (%v)", h.family, err)
		}
		for i, v := range laRatios(h.unit(), got.U, unit.S, got.V, 0) {
			h.note(t, []string{"SVD, residual", "SVD, U", "SVD, V"}[i], v/10)
		}
	}
}

// TestHardFit: every solver reaches the floor of these, and its certificate is true.
func TestHardFit(t *testing.T) {
	t.Parallel()
	for at, h := range hardMatrices() {
		for _, solver := range allSolvers {
			k := []int{1, 2, 3, min(h.a.Rows, h.a.Cols)}[(at+int(solver))%4]
			m := mustDo(Fit(bg, h.a, k, &Options{Solver: solver, Enclosure: allEnclosures[(at+k)%2]}))(t)
			name := fmt.Sprintf("%s, k = %d, %v", h.family, k, solver)
			checkFeasible(t, m.Memberships)
			checkCertificate(t, name, h.a, nil, m.Centers, m.Memberships, m.Certificate)
			if !(m.Gap <= room(1e-11, h.a, nil, m.Centers, nil)) || m.FloorError > 1e-12*m.Total {
				t.Errorf("%s: gap %g, floor %g ± %g of %g", name, m.Gap, m.Floor, m.FloorError, m.Total)
			}
		}
	}
}
