package enclosure

import (
	"math"

	"softkmeans"
)

// dot returns Σx_i·y_i.
func dot(x, y []float64) float64 {
	var s0, s1, s2, s3 float64
	for len(x) >= 4 && len(y) >= 4 {
		s0 += x[0] * y[0]
		s1 += x[1] * y[1]
		s2 += x[2] * y[2]
		s3 += x[3] * y[3]
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		s0 += v * y[i]
	}
	return (s0 + s1) + (s2 + s3)
}

func norm2(x []float64) float64 { return math.Sqrt(dot(x, x)) }

// sumOf returns Σx.
func sumOf(x []float64) (sum float64) {
	for _, v := range x {
		sum += v
	}
	return sum
}

// axpy adds a·x to y.
func axpy(y []float64, a float64, x []float64) {
	for i, v := range x {
		y[i] += a * v
	}
}

// scale multiplies x by a number.
func scale(x []float64, by float64) {
	for i := range x {
		x[i] *= by
	}
}

// product returns a·b.
func product(a, b *softkmeans.Matrix) *softkmeans.Matrix {
	out := softkmeans.NewMatrix(a.Rows, b.Cols, nil)
	for i := range a.Rows {
		for l, v := range a.Row(i) {
			axpy(out.Row(i), v, b.Row(l))
		}
	}
	return out
}
