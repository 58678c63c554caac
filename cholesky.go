package softkmeans

// Cholesky factors of small symmetric matrices, systems solved with them, and inverses.
// There are two factorizations, since results are pinned to the bits of both.

import "math"

// cholesky factors the k×k matrix a = LLᵀ in place (L on and below the
// diagonal). It reports false if a pivot is not above 0. It serves the k×k Gram matrices of
// a fit: rows are multiplied by dot, in vectors where the machine has them.
func cholesky(a []float64, k int) bool {
	for j := range k {
		lj := a[j*k : j*k+j]
		pivot := a[j*k+j] - sumSquares(lj)
		if !(pivot > 0) {
			return false
		}
		r := math.Sqrt(pivot)
		a[j*k+j] = r
		for i := j + 1; i < k; i++ {
			a[i*k+j] = (a[i*k+j] - dot(lj, a[i*k:i*k+j])) / r
		}
	}
	return true
}

// invertedCholesky is cholesky with the reciprocals of L's diagonal in its place. It serves
// the small supports of SimplexLeastSquares, each with many solves: its loops call nothing,
// and solving does not divide.
func invertedCholesky(a []float64, n int) bool {
	for i := range n {
		row := a[i*n : i*n+i+1]
		pivot := row[i]
		for j := range i {
			other := a[j*n : j*n+j+1]
			sum := row[j]
			for l, v := range other[:j] {
				sum -= v * row[l]
			}
			sum *= other[j]
			row[j] = sum
			pivot -= sum * sum
		}
		if !(pivot > 0) {
			return false
		}
		row[i] = 1 / math.Sqrt(pivot)
	}
	return true
}

// invertedSolve overwrites b with (LLᵀ)⁻¹b, for the factor of invertedCholesky.
func invertedSolve(l []float64, n int, b []float64) {
	b = b[:n]
	for i := range b {
		row := l[i*n : i*n+i+1]
		sum := b[i]
		for j, v := range row[:i] {
			sum -= v * b[j]
		}
		b[i] = sum * row[i]
	}
	for i := n - 1; i >= 0; i-- {
		row := l[i*n : i*n+i+1]
		v := b[i] * row[i]
		b[i] = v
		for j, u := range row[:i] {
			b[j] -= u * v
		}
	}
}

// cholInverse overwrites inv with (LLᵀ)⁻¹ = L⁻ᵀL⁻¹, and L with L⁻¹.
func cholInverse(inv, l []float64, k int) {
	for i := range k { // row i of L⁻¹ from those above it
		row, own := inv[:i+1], l[i*k:i*k+i+1]
		clear(row)
		row[i] = 1
		for j, v := range own[:i] {
			axpy(row[:j+1], -v, l[j*k:j*k+j+1])
		}
		scale(row, 1/own[i])
		copy(own, row)
	}
	clear(inv[:k*k])
	for i := range k {
		row := l[i*k : i*k+i+1]
		for a, v := range row {
			axpy(inv[a*k:a*k+a+1], v, row[:a+1])
		}
	}
	for i := range k {
		for j := range i {
			inv[j*k+i] = inv[i*k+j]
		}
	}
}
