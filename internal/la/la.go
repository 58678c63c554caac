// Package la has the small dense algebra that packages beside softkmeans share. Slices may not overlap except
// where a function says so.
package la

import (
	"math"

	"softkmeans"
)

// Dot returns xᵀy. Every product passes through len(x)/4 + 8 roundings at most.
func Dot(x, y []float64) float64 {
	y = y[:len(x)]
	var s0, s1, s2, s3 float64 // four chains of additions, which the processor does side by side
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

// Axpy adds a·x to y.
func Axpy(y []float64, a float64, x []float64) {
	y = y[:len(x)]
	for len(x) >= 4 && len(y) >= 4 {
		y[0] += a * x[0]
		y[1] += a * x[1]
		y[2] += a * x[2]
		y[3] += a * x[3]
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		y[i] += a * v
	}
}

// Scale multiplies x by a.
func Scale(a float64, x []float64) {
	for i := range x {
		x[i] *= a
	}
}

// SumSquares returns ‖x‖².
func SumSquares(x []float64) float64 { return Dot(x, x) }

// Norm returns ‖x‖ for entries whose squares are in range.
func Norm(x []float64) float64 { return math.Sqrt(Dot(x, x)) }

// Sum returns Σx.
func Sum(x []float64) (sum float64) {
	for _, v := range x {
		sum += v
	}
	return sum
}

// Indices returns 0 … n−1.
func Indices(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// Cholesky overwrites the k×k matrix a, on and below its diagonal, with L, a = LLᵀ. It returns false if a
// pivot is not above 0; a is then of no use.
func Cholesky(a []float64, k int) bool {
	for i := range k {
		row := a[i*k : i*k+i+1]
		for j := range i {
			row[j] = (row[j] - Dot(a[j*k:j*k+j], row)) / a[j*k+j]
		}
		pivot := row[i] - Dot(row[:i], row)
		if !(pivot > 0) {
			return false
		}
		row[i] = math.Sqrt(pivot)
	}
	return true
}

// SolveLower overwrites b with L⁻¹b.
func SolveLower(l []float64, k int, b []float64) {
	for i := range k {
		b[i] = (b[i] - Dot(l[i*k:i*k+i], b)) / l[i*k+i]
	}
}

// CholeskySolve overwrites b with (LLᵀ)⁻¹b.
func CholeskySolve(l []float64, k int, b []float64) {
	SolveLower(l, k, b)
	for i := k - 1; i >= 0; i-- {
		b[i] /= l[i*k+i]
		Axpy(b[:i], -b[i], l[i*k:i*k+i])
	}
}

// Transpose returns mᵀ.
func Transpose(m *softkmeans.Matrix) *softkmeans.Matrix {
	t := softkmeans.NewMatrix(m.Cols, m.Rows, nil)
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			t.Set(j, i, v)
		}
	}
	return t
}
