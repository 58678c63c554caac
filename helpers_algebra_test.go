package softkmeans

import (
	"math"
	"math/rand/v2"
	"testing"
)

// laSymmetric are symmetric matrices of one size, with a name each.
func laSymmetric(n int, rng *rand.Rand) map[string]*Matrix {
	with := func(value func(i int) float64) *Matrix { return spectral(rng, n, value) }
	wilkinson := NewMatrix(n, n, nil)
	for i := range n {
		wilkinson.Set(i, i, math.Abs(float64(i)-float64(n-1)/2))
		if i > 0 {
			wilkinson.Set(i, i-1, 1)
			wilkinson.Set(i-1, i, 1)
		}
	}
	return map[string]*Matrix{
		"zero": NewMatrix(n, n, nil), "identity": identity(n), "Wilkinson": wilkinson,
		"indefinite": with(func(int) float64 { return rng.NormFloat64() }),
		"repeated":   with(func(i int) float64 { return float64(i / 3) }),
		"graded":     with(func(i int) float64 { return math.Pow(10, -float64(i)) }),
		"rank 1":     with(func(i int) float64 { return float64(max(0, 1-i)) }),
		"tiny":       with(func(int) float64 { return 1e-149 * rng.NormFloat64() }),
		"huge":       with(func(int) float64 { return 1e149 * rng.NormFloat64() }),
		"antidiagonal": mapped(NewMatrix(n, n, nil), func(i, j int, _ float64) float64 {
			if i+j == n-1 {
				return 1
			}
			return 0
		}),
	}
}

// spectral is QᵀΛQ, rounded and symmetric, for a random orthogonal Q.
func spectral(rng *rand.Rand, n int, value func(i int) float64) *Matrix {
	q := laOrthogonal(n, rng)
	lambda := mapped(identity(n), func(i, _ int, v float64) float64 { return v * value(i) })
	m := product(product(q.transposed(), lambda), q)
	mirror(m.Data, n)
	return m
}

// laEigenRatios are residual and orthogonality as in laRatios, for entries of about 1.
func laEigenRatios(a *Matrix, values []float64, rows *Matrix) float64 {
	r := laRatios(a, rows.transposed(), values, rows.transposed(), 0)
	return max(r[0], r[1])
}

const laEps = 0x1p-53 // LAPACK's eps: the unit roundoff

// laOrthogonal is a random n×n orthogonal matrix.
func laOrthogonal(n int, rng *rand.Rand) *Matrix {
	m := NewMatrix(n, n, nil)
	copy(m.Data, randomSlice(len(m.Data), rng))
	orthonormalize(bg, m, 0)
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
	m, n := a.Rows, a.Cols
	r := mapped(a, func(_, _ int, x float64) float64 { return math.Ldexp(x, -exp) })
	norm := laNorm1(r)
	for l, x := range s {
		for i := range m {
			for j := range n {
				r.Data[i*n+j] -= u.At(i, l) * math.Ldexp(x, -exp) * v.At(j, l)
			}
		}
	}
	ratios = [3]float64{laNorm1(r), orthonormality(u), orthonormality(v)}
	if norm > 0 {
		ratios[0] /= norm * float64(max(m, n)) * laEps
	}
	return ratios
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

// laStrided is a copy of m with NaN between its rows, which nothing may read or write.
func laStrided(m *Matrix) *Matrix {
	v := &Matrix{Rows: m.Rows, Cols: m.Cols, Stride: m.Cols + 3, Data: nans(m.Rows * (m.Cols + 3))}
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

// laResiduals are ‖Aᵀu_i − s_i·v_i‖ and ‖A·v_i − s_i·u_i‖ by plain loops, with everything
// divided by 2^exp.
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
