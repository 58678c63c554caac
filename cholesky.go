package softkmeans

// Cholesky factors of small symmetric matrices, systems solved with them, and inverses.
// Short sums call nothing: most factors are of the few vertices that a row's memberships
// use, and a call takes longer than such a sum.

import "math"

// longSum is the length from which a sum is left to dot.
const longSum = 16

// cholesky overwrites the k×k matrix a, on and below the diagonal, with L, a = LLᵀ. On the
// diagonal it writes the reciprocals of L's entries, so that solving does not divide. It
// reports false, with a in no useful state, if a pivot is not above 0.
func cholesky(a []float64, k int) bool {
	for i := range k {
		row := a[i*k : i*k+i+1]
		pivot := row[i]
		for j := range i {
			other := a[j*k : j*k+j+1]
			sum := row[j]
			if j >= longSum {
				sum -= dot(other[:j], row)
			} else {
				for l, v := range other[:j] {
					sum -= v * row[l]
				}
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

// cholSolve overwrites b with (LLᵀ)⁻¹b. l is what cholesky leaves.
func cholSolve(l []float64, k int, b []float64) {
	b = b[:k]
	for i := range b {
		row := l[i*k : i*k+i+1]
		sum := b[i]
		if i >= longSum {
			sum -= dot(row[:i], b)
		} else {
			for j, v := range row[:i] {
				sum -= v * b[j]
			}
		}
		b[i] = sum * row[i]
	}
	for i := k - 1; i >= 0; i-- {
		row := l[i*k : i*k+i+1]
		v := b[i] * row[i]
		b[i] = v
		if i >= longSum {
			axpy(b, -v, row[:i])
			continue
		}
		for j, u := range row[:i] {
			b[j] -= u * v
		}
	}
}

// cholInverse overwrites inv with (LLᵀ)⁻¹ = L⁻ᵀL⁻¹, and l with L⁻¹. l is what cholesky
// leaves.
func cholInverse(inv, l []float64, k int) {
	for i := range k { // row i of L⁻¹ from those above it
		row, own := inv[:i+1], l[i*k:i*k+i+1]
		clear(row)
		row[i] = 1
		for j, v := range own[:i] {
			axpy(row[:j+1], -v, l[j*k:j*k+j+1])
		}
		scale(row, own[i])
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
