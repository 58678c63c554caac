// Package la has the small dense algebra that packages beside softkmeans share. Slices may not overlap except
// where a function says so.
package la

import (
	"cmp"
	"context"
	"math"
	"slices"

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

// BySize returns the indices of the sizes, the largest first; of equal sizes the first stays first.
func BySize[T cmp.Ordered](sizes []T) []int {
	order := Indices(len(sizes))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sizes[b], sizes[a]) })
	return order
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

// Centred returns the rows of m less origin.
func Centred(m *softkmeans.Matrix, origin []float64) *softkmeans.Matrix {
	m = m.Clone()
	for i := range m.Rows {
		Axpy(m.Row(i), -1, origin)
	}
	return m
}

// Product returns a·b.
func Product(a, b *softkmeans.Matrix) *softkmeans.Matrix {
	c := softkmeans.NewMatrix(a.Rows, b.Cols, nil)
	for i := range a.Rows {
		for l, v := range a.Row(i) {
			Axpy(c.Row(i), v, b.Row(l))
		}
	}
	return c
}

// Farthest returns p+1 rows of w (n×p): the longest, then each time the one farthest from the affine hull of
// those before (successive projection). Once ctx has ended they are of no use.
func Farthest(ctx context.Context, w *softkmeans.Matrix) (rows []int) {
	rest := w.Clone()
	for j := range w.Cols + 1 {
		if ctx.Err() != nil {
			rows = append(rows, 0)
			continue
		}
		best, most := 0, -1.0
		for i := range rest.Rows {
			if s := SumSquares(rest.Row(i)); s > most {
				best, most = i, s
			}
		}
		rows = append(rows, best)
		top := slices.Clone(rest.Row(best))
		for i := range rest.Rows {
			by := 1.0 // the first row is the new origin
			if j > 0 {
				by = Dot(rest.Row(i), top) / max(most, 0x1p-1000)
			}
			Axpy(rest.Row(i), -by, top)
		}
	}
	return rows
}

// SquaredDistance returns ‖x − y‖².
func SquaredDistance(x, y []float64) float64 {
	y = y[:len(x)]
	var s0, s1, s2, s3 float64
	for len(x) >= 4 && len(y) >= 4 {
		d0, d1, d2, d3 := x[0]-y[0], x[1]-y[1], x[2]-y[2], x[3]-y[3]
		s0 += d0 * d0
		s1 += d1 * d1
		s2 += d2 * d2
		s3 += d3 * d3
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		s0 += (v - y[i]) * (v - y[i])
	}
	return (s0 + s1) + (s2 + s3)
}

// Largest returns the largest size of the numbers; NaN does not count.
func Largest(x []float64) (most float64) {
	for _, v := range x {
		if size := math.Abs(v); size > most {
			most = size
		}
	}
	return most
}

// FirstRows returns the first rows of m, shared; m has no gaps between rows.
func FirstRows(m *softkmeans.Matrix, rows int) *softkmeans.Matrix {
	return softkmeans.NewMatrix(rows, m.Cols, m.Data[:rows*m.Cols])
}

// Gamma returns n·u/(1−n·u), u = 2^-53: a sum in which every term passes n roundings is off by at most so
// much of the sum of their sizes.
func Gamma(n int) float64 {
	v := float64(n) * 0x1p-53
	return v / (1 - v) * (1 + 0x1p-50)
}
