package enclosure

import (
	"math"

	"softkmeans"
)

// dot returns Σx_i·y_i.
func dot(x, y []float64) (sum float64) {
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
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
