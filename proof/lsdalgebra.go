package proof

import (
	"softkmeans"
)

// gamma returns γ(m) = mu/(1−mu), u = 2^-53: a product of m factors 1+δ, |δ| ≤ u, is within γ(m) of
// 1.
func gamma(m int) float64 {
	v := float64(m) * 0x1p-53
	return v / (1 - v) * (1 + 0x1p-50)
}

// dot passes every product through len(a)/4 + 8 roundings at most.
func dot(a, b []float64) float64 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0, s1, s2, s3 = s0+a[i]*b[i], s1+a[i+1]*b[i+1], s2+a[i+2]*b[i+2], s3+a[i+3]*b[i+3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return s0 + s1 + (s2 + s3)
}

func axpy(y []float64, a float64, x []float64) {
	x = x[:len(y)]
	for i := range y {
		y[i] += a * x[i]
	}
}

func transposed(m *softkmeans.Matrix) *softkmeans.Matrix {
	t := softkmeans.NewMatrix(m.Cols, m.Rows, nil)
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			t.Data[j*m.Rows+i] = v
		}
	}
	return t
}
