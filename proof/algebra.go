package proof

// Small dense algebra.

import (
	"context"
	"math"
	"slices"

	"softkmeans"
	"softkmeans/internal/la"
)

// gamma returns mu/(1−mu): a sum in which every term passes m roundings is off by at most so much of the
// sum of their sizes.
func gamma(m int) float64 {
	v := float64(m) * 0x1p-53
	return v / (1 - v) * (1 + 0x1p-50)
}

// eigenvalues returns those of the symmetric matrix t, descending, and how far they may be off.
//
// Proof. Let UᵀU be near I and μ any numbers. Then each eigenvalue has its μ within ‖TU −
// UM‖/σ(U), for the least singular value σ of U (Kahan).
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
	return values, 1.5*math.Sqrt(left) + 3*float64(m)*gamma(m+4)*math.Sqrt(size)
}

// projectOut makes x orthogonal to the first rows of v, which are orthonormal.
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

// farthestRows returns p+1 rows of w (n×p): the longest, then each time the one farthest from the affine
// hull of those before. Once ctx has ended they are of no use.
func farthestRows(ctx context.Context, w *softkmeans.Matrix) (rows []int) {
	rest := w.Clone()
	for j := range w.Cols + 1 {
		if ctx.Err() != nil {
			rows = append(rows, 0)
			continue
		}
		best, most := 0, -1.0
		for i := range rest.Rows {
			if s := la.SumSquares(rest.Row(i)); s > most {
				best, most = i, s
			}
		}
		rows = append(rows, best)
		top := slices.Clone(rest.Row(best))
		for i := range rest.Rows {
			by := 1.0
			if j > 0 {
				by = la.Dot(rest.Row(i), top) / max(most, 0x1p-1000)
			}
			la.Axpy(rest.Row(i), -by, top)
		}
	}
	return rows
}
