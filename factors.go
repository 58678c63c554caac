package softkmeans

// Factors of matrices, and orthonormal bases.
//
// QR factorizations use Householder reflections (Golub & Van Loan, Matrix Computations, 4th ed., 5.1–5.4),
// with and without column pivoting. A reflection is applied row by row: first w = τ·vᵀA is added up, then v·w
// is subtracted from A. Callers scale A to a largest entry of about 1.
//
// Cholesky factors are for matrices of the few vertices that the memberships of a row use. Most of their sums
// take less time than a function call, so short sums call no function.

import (
	"context"
	"math"
	"slices"
)

// qr is A·P = Q·R. a contains R on and above its diagonal, and below it the reflectors without their leading
// 1.
type qr struct {
	a    *Matrix
	tau  []float64
	perm []int // column j of A·P is column perm[j] of A; nil: no pivoting
	// rank: number of columns that were reduced by a reflection; with pivoting, the other columns are
	// negligible.
	rank int
}

// reflect turns column j of a, from row j down, into a Householder vector. It appends its τ to tau and leaves
// the entry of R in a(j,j). A column of negligible length gives τ = 0. w is scratch of a column's length.
func (f *qr) reflect(j int, w []float64) {
	a := f.a
	column := w[:a.Rows-j]
	for i := range column {
		column[i] = a.Data[(j+i)*a.Stride+j]
	}
	head, tail := column[0], norm2(column[1:])
	length := math.Hypot(head, tail)
	if tail == 0 || length < negligible {
		f.tau = append(f.tau, 0)
		return
	}
	beta := -math.Copysign(length, head)
	pivot := head - beta
	a.Data[j*a.Stride+j] = beta
	for i := 1; i < len(column); i++ {
		a.Data[(j+i)*a.Stride+j] = column[i] / pivot
	}
	f.tau = append(f.tau, -pivot/beta)
}

// apply applies reflection j, I − τvvᵀ, to the columns of c from col on. v is 1 in row j, and stored in a
// below. w is scratch of a row's length.
func (f *qr) apply(j int, c *Matrix, col int, w []float64) {
	a, tau := f.a, f.tau[j]
	if tau == 0 || col >= c.Cols {
		return
	}
	w = w[:c.Cols-col]
	copy(w, c.row(j)[col:])
	for i := j + 1; i < a.Rows; i++ {
		axpy(w, a.Data[i*a.Stride+j], c.row(i)[col:])
	}
	scale(w, tau)
	axpy(c.row(j)[col:], -1, w)
	for i := j + 1; i < a.Rows; i++ {
		axpy(c.row(i)[col:], -a.Data[i*a.Stride+j], w)
	}
}

// qrFactor factors a in place. If ctx ends, it and all functions here return soon, and their results are
// invalid.
func qrFactor(ctx context.Context, a *Matrix) *qr {
	f := &qr{a: a, rank: min(a.Rows, a.Cols)}
	f.tau = make([]float64, 0, f.rank)
	w := make([]float64, max(a.Rows, a.Cols))
	for j := range f.rank {
		if stopped(ctx) {
			break
		}
		f.reflect(j, w)
		f.apply(j, a, j+1, w)
	}
	return f
}

// qrReduce factors a in place and leaves only R in it, with zeros below the diagonal.
func qrReduce(ctx context.Context, a *Matrix) {
	qrFactor(ctx, a)
	for i := 1; i < a.Rows; i++ {
		clear(a.row(i)[:min(i, a.Cols)])
	}
}

// qrPivot factors a in place with column pivoting (Businger & Golub 1965). The longest remaining column comes
// first, so the diagonal of R descends. It stops when all remaining columns are negligible.
func qrPivot(ctx context.Context, a *Matrix) *qr {
	m, n := a.Rows, a.Cols
	f := &qr{a: a, perm: indices(n)}
	w := make([]float64, max(m, n))
	// norms contains the lengths of the columns below the current row, fresh the lengths last computed from
	// entries.
	norms := make([]float64, n)
	column := func(j, from int) float64 {
		for i := from; i < m; i++ {
			w[i] = a.Data[i*a.Stride+j]
		}
		return norm2(w[from:m])
	}
	for j := 0; j < n && !stopped(ctx); j++ {
		norms[j] = column(j, 0)
	}
	fresh := slices.Clone(norms)
	for j := range min(m, n) {
		best := j
		for l := j + 1; l < n; l++ {
			if norms[l] > norms[best] {
				best = l
			}
		}
		if norms[best] < negligible || stopped(ctx) {
			break
		}
		if best != j {
			for i := range m {
				row := a.row(i)
				row[j], row[best] = row[best], row[j]
			}
			f.perm[j], f.perm[best] = f.perm[best], f.perm[j]
			norms[best], fresh[best] = norms[j], fresh[j]
		}
		f.reflect(j, w)
		f.apply(j, a, j+1, w)
		f.rank++
		for l := j + 1; l < n; l++ {
			if norms[l] == 0 {
				continue
			}
			// Subtract the new entry of R from the length of the remaining column. Compute the length from
			// the entries when half of its digits have cancelled (Drmač & Bujanović 2008).
			r := math.Abs(a.Data[j*a.Stride+l]) / norms[l]
			left := max(0, (1-r)*(1+r))
			q := norms[l] / fresh[l]
			if left*q*q <= 0x1p-26 {
				norms[l] = column(l, j+1)
				fresh[l] = norms[l]
			} else {
				norms[l] *= math.Sqrt(left)
			}
		}
	}
	return f
}

// applyQ overwrites c with Q·c. c must have as many rows as a.
func (f *qr) applyQ(ctx context.Context, c *Matrix) {
	w := make([]float64, c.Cols)
	for j := len(f.tau) - 1; j >= 0 && !stopped(ctx); j-- {
		f.apply(j, c, 0, w)
	}
}

// orthonormalize makes the rows of v (b×d, b ≤ d) orthonormal, in their order, by two rounds of Gram–Schmidt
// against the rows before. The first `from` rows must already be orthonormal. A row that depends on the rows
// before is replaced by a unit vector that does not. If ctx ends, orthonormalize stops.
func orthonormalize(ctx context.Context, v *Matrix, from int) {
	next := 0 // the unit vector to try next
	for i := from; i < v.Rows && !stopped(ctx); i++ {
		row := v.row(i)
		if deflate(row, v, i, float64(v.Cols)*0x1p-50) {
			continue
		}
		for ok := false; !ok && !stopped(ctx); next++ {
			clear(row)
			row[next%v.Cols] = 1
			// The squared lengths of the d unit vectors after the projection add up to d−i. So at least one
			// has a length of √((d−i)/d) or more, twice the share required below.
			ok = deflate(row, v, i, 0.5*math.Sqrt(float64(v.Cols-i)/float64(v.Cols)))
		}
	}
}

// deflate makes row orthogonal to the first `count` rows of v, which are orthonormal, and of length 1. If
// less than the given share of its length remains, deflate returns false, and row is invalid.
func deflate(row []float64, v *Matrix, count int, share float64) bool {
	before := norm2(row)
	if before < negligible {
		return false
	}
	scale(row, 1/before)
	for round := range 2 {
		projectOutRows(row, v, count)
		left := norm2(row)
		if round == 0 && left < share || left == 0 {
			return false
		}
		scale(row, 1/left)
	}
	return true
}

// projectOutRows subtracts from x its projections on the first `count` rows of v, one by one.
func projectOutRows(x []float64, v *Matrix, count int) {
	for l := range count {
		projectOut(x, v.row(l))
	}
}

// combine returns the mixtures y·q of the rows of q, or of the first rows if y has fewer columns. If ctx
// ends, the remaining mixtures are 0.
func combine(ctx context.Context, y, q *Matrix) *Matrix {
	out := NewMatrix(y.Rows, q.Cols, nil)
	for i := 0; i < y.Rows && !stopped(ctx); i++ {
		for l, v := range y.row(i) {
			axpy(out.row(i), v, q.row(l))
		}
	}
	return out
}

// project subtracts from the rows of z their projections on the orthonormal rows of q. It returns the
// products, a row for each row of z. (This is Gram–Schmidt; two calls suffice.)
func project(ctx context.Context, z, q *Matrix) *Matrix {
	along := NewMatrix(z.Rows, q.Rows, nil)
	index, less := indices(q.Rows), make([]float64, q.Rows)
	const group = 24 // full strips
	for lo := 0; lo < z.Rows && !stopped(ctx); lo += group {
		hi := min(lo+group, z.Rows)
		part, rows := along.Data[lo*q.Rows:hi*q.Rows], z.Data[lo*z.Cols:hi*z.Cols]
		addMulNT(part, q.Rows, rows, hi-lo, q.Data, q.Rows, q.Cols, false)
		for i := lo; i < hi; i++ {
			copy(less, along.row(i))
			scale(less, -1)
			addRows(z.row(i), less, index, q.Data)
		}
	}
	return along
}

// fixSigns makes the entry of largest magnitude in each column of v positive, the first on ties. If it
// negates a column of v, it negates the same column of u.
func fixSigns(v, u *Matrix) {
	for j, columns := 0, v.transposed(); j < v.Cols; j++ {
		sign := signOf(columns.row(j))
		for i := range v.Rows {
			v.row(i)[j] *= sign
		}
		for i := range u.Rows {
			u.row(i)[j] *= sign
		}
	}
}

// fixRowSigns makes the entry of largest magnitude in every row of v positive.
func fixRowSigns(v *Matrix) {
	for i := range v.Rows {
		scale(v.row(i), signOf(v.row(i)))
	}
}

// signOf returns −1 if the entry of largest magnitude in v, the first on ties, is negative, otherwise 1.
func signOf(v []float64) float64 {
	big := 0.0
	for _, x := range v {
		if math.Abs(x) > math.Abs(big) {
			big = x
		}
	}
	return math.Copysign(1, big)
}

// longSum is the length from which cholSolve calls dot for a sum.
const longSum = 16

// cholesky overwrites the k×k matrix a, on and below the diagonal, with L, a = LLᵀ. The diagonal receives the
// reciprocals of L's entries, so that solving does not divide. If a pivot is not above 0, cholesky returns
// false, and a is invalid.
//
// Blocks of 2×2 entries are computed together: four independent sums take about half the time of four sums
// one after another, for k of 16 to 64.
func cholesky(a []float64, k int) bool {
	for i := 0; i < k; i += 2 {
		x, y := a[i*k:i*k+i+1], a[i*k:i*k+i+1] // rows i and i+1; of an odd number the last row twice
		if i+1 < k {
			y = a[i*k+k : i*k+k+i+2]
		}
		for j := 0; j < i; j += 2 {
			u, v := a[j*k:j*k+j+1], a[j*k+k:j*k+k+j+2]
			p, q, r, s := x[j], x[j+1], y[j], y[j+1]
			v0, x0, y0 := v[:j], x[:j], y[:j]
			for l, c := range u[:j] {
				d, e, f := v0[l], x0[l], y0[l]
				p -= c * e
				q -= d * e
				r -= c * f
				s -= d * f
			}
			p *= u[j]
			r *= u[j]
			q = (q - v[j]*p) * v[j+1]
			s = (s - v[j]*r) * v[j+1]
			x[j], x[j+1], y[j], y[j+1] = p, q, r, s
		}
		pivot, below, next := x[i], y[i], y[len(y)-1]
		y0 := y[:i]
		for l, c := range x[:i] {
			d := y0[l]
			pivot -= c * c
			below -= c * d
			next -= d * d
		}
		if !(pivot > 0) {
			return false
		}
		x[i] = 1 / math.Sqrt(pivot)
		if i+1 < k {
			below *= x[i]
			if next -= below * below; !(next > 0) {
				return false
			}
			y[i], y[i+1] = below, 1/math.Sqrt(next)
		}
	}
	return true
}

// cholSolve overwrites b with (LLᵀ)⁻¹b, for l as cholesky stores it.
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

// cholInverse overwrites inv with (LLᵀ)⁻¹ = L⁻ᵀL⁻¹, and l, as cholesky stores it, with L⁻¹.
func cholInverse(inv, l []float64, k int) {
	for i := range k { // row i of L⁻¹ follows from the rows above
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
			axpy(inv[a*k+a:a*k+i+1], v, row[a:])
		}
	}
	mirror(inv, k)
}
