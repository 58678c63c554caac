package proof

// Small dense algebra.

import (
	"context"
	"math"
	"slices"

	"softkmeans"
)

// dot passes every product through len(x)/4 + 8 roundings at most.
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

// axpy adds a·x to y.
func axpy(y []float64, a float64, x []float64) {
	y = y[:len(x)]
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

// sumSquares returns ‖x‖², norm2 returns ‖x‖.
func sumSquares(x []float64) float64 { return dot(x, x) }
func norm2(x []float64) float64      { return math.Sqrt(dot(x, x)) }

// sumOf returns Σx.
func sumOf(x []float64) (sum float64) {
	for _, v := range x {
		sum += v
	}
	return sum
}

// gamma returns mu/(1−mu): a sum in which every term passes m roundings is off by at most so much of the
// sum of their sizes.
func gamma(m int) float64 {
	v := float64(m) * 0x1p-53
	return v / (1 - v) * (1 + 0x1p-50)
}

// indices returns 0 … n−1.
func indices(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// projectOut makes x orthogonal to the first rows of v, which are orthonormal.
func projectOut(x []float64, v *softkmeans.Matrix, count int) {
	for range 2 {
		for c := range count {
			axpy(x, -dot(v.Row(c), x), v.Row(c))
		}
	}
}

// cholesky overwrites the lower triangle of a (k×k) with L, a = LLᵀ. It reports false where a is not
// positive.
func cholesky(a []float64, k int) bool {
	for i := range k {
		row := a[i*k : i*k+i+1]
		for j := range i {
			row[j] = (row[j] - dot(a[j*k:j*k+j], row)) / a[j*k+j]
		}
		pivot := row[i] - sumSquares(row[:i])
		if !(pivot > 0) {
			return false
		}
		row[i] = math.Sqrt(pivot)
	}
	return true
}

// forward overwrites b with L⁻¹b.
func forward(l []float64, k int, b []float64) {
	for i := range k {
		b[i] = (b[i] - dot(l[i*k:i*k+i], b)) / l[i*k+i]
	}
}

// backward overwrites b with L⁻ᵀb.
func backward(l []float64, k int, b []float64) {
	for i := k - 1; i >= 0; i-- {
		b[i] /= l[i*k+i]
		axpy(b[:i], -b[i], l[i*k:i*k+i])
	}
}

// transposed returns mᵀ.
func transposed(m *softkmeans.Matrix) *softkmeans.Matrix {
	t := softkmeans.NewMatrix(m.Cols, m.Rows, nil)
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			t.Set(j, i, v)
		}
	}
	return t
}

// sizeOf returns the largest length of a row.
func sizeOf(w *softkmeans.Matrix) (size float64) {
	for i := range w.Rows {
		size = max(size, norm2(w.Row(i)))
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
			if s := sumSquares(rest.Row(i)); s > most {
				best, most = i, s
			}
		}
		rows = append(rows, best)
		top := slices.Clone(rest.Row(best))
		for i := range rest.Rows {
			by := 1.0
			if j > 0 {
				by = dot(rest.Row(i), top) / max(most, 0x1p-1000)
			}
			axpy(rest.Row(i), -by, top)
		}
	}
	return rows
}
