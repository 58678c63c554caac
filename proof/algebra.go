package proof

// Small dense algebra.

import (
	"math"

	"softkmeans"
	"softkmeans/internal/la"
)

// eigenvalues returns the eigenvalues of the symmetric matrix t, descending, and a bound of their error.
//
// Proof. Let μ be any numbers, M = diag(μ), and U a square matrix with the least singular value σ > 0. Then
// the eigenvalues and the μ can be paired so that no pair differs by more than ‖TU − UM‖/σ (Kahan).
func eigenvalues(t *softkmeans.Matrix) (values []float64, off float64) {
	m := t.Rows
	values, vectors, err := softkmeans.EigenSym(t)
	if err != nil { // out of range
		return make([]float64, m), math.Inf(1)
	}
	u, row := la.Transpose(vectors), make([]float64, m)
	var size, left, apart float64
	for i, mu := range values {
		for c := range row {
			row[c] = la.Dot(t.Row(c), u.Row(i)) - mu*u.At(i, c)
		}
		size, left = size+la.SumSquares(t.Row(i)), left+la.SumSquares(row)
		for j := range m {
			e := la.Dot(u.Row(j), u.Row(i))
			if i == j {
				e--
			}
			apart += e * e
		}
	}
	if !(apart < 0.01) {
		return values, math.Inf(1)
	}
	return values, 1.5*math.Sqrt(left) + 3*float64(m)*la.Gamma(m+4)*math.Sqrt(size)
}

// projectOut makes x orthogonal to the first count rows of v, which are orthonormal.
func projectOut(x []float64, v *softkmeans.Matrix, count int) {
	for range 2 {
		for c := range count {
			la.Axpy(x, -la.Dot(v.Row(c), x), v.Row(c))
		}
	}
}

// sizeOf returns the largest length of a row.
func sizeOf(w *softkmeans.Matrix) (size float64) {
	for i := range w.Rows {
		size = max(size, la.Norm(w.Row(i)))
	}
	return size
}
