package softkmeans

// Householder QR (Golub & Van Loan, Matrix Computations, 4th ed., 5.1–5.4),
// with and without column pivoting. The matrices are stored by rows, so a
// reflection is applied by rows: w = τ·vᵀA gathered a row at a time, then
// A −= v·w.

import (
	"context"
	"math"
)

// qr is A·P = Q·R: R on and above the diagonal of a, the reflectors' vectors
// below it (their leading 1 is not stored).
type qr struct {
	a    *Matrix
	tau  []float64
	perm []int // column j of A·P is column perm[j] of A; nil: no pivoting
	rank int   // columns reduced before nothing but zeros was left
}

// reflector turns column j of a, from row j down, into a Householder vector
// and returns its τ; a(j,j) becomes the entry of R. A column of zeros gives
// τ = 0, the identity.
func reflector(a *Matrix, j int, column []float64) float64 {
	column = column[:a.Rows-j]
	for i := range column {
		column[i] = a.Data[(j+i)*a.Stride+j]
	}
	tail := norm2(column[1:])
	if tail == 0 {
		return 0
	}
	head := column[0]
	back := 1.0
	if math.Hypot(head, tail) < 0x1p-900 { // the reflection needs all digits, which denormals do not have
		scale(column, 0x1p500)
		head, tail, back = column[0], norm2(column[1:]), 0x1p-500
	}
	beta := -math.Copysign(math.Hypot(head, tail), head)
	pivot := head - beta
	a.Data[j*a.Stride+j] = beta * back
	for i := 1; i < len(column); i++ {
		a.Data[(j+i)*a.Stride+j] = column[i] / pivot
	}
	return -pivot / beta
}

// householder applies I − τvvᵀ to the columns of c from col on; v is 1 in row j
// and the stored vector in column j of a below it.
func householder(a *Matrix, j int, tau float64, c *Matrix, col int, w []float64) {
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

// qrFactor factors a in place. Like all loops of this file that take a context
// it stops short, with nothing of use, once ctx has ended.
func qrFactor(ctx context.Context, a *Matrix) *qr {
	f := &qr{a: a, rank: min(a.Rows, a.Cols)}
	f.tau = make([]float64, f.rank)
	w := make([]float64, max(a.Rows, a.Cols))
	for j := range f.rank {
		if stopped(ctx) {
			break
		}
		f.tau[j] = reflector(a, j, w)
		householder(a, j, f.tau[j], a, j+1, w)
	}
	return f
}

// qrReduce factors a in place and leaves R alone in it: zeros below the
// diagonal.
func qrReduce(ctx context.Context, a *Matrix) {
	qrFactor(ctx, a)
	for i := 1; i < a.Rows; i++ {
		clear(a.row(i)[:min(i, a.Cols)])
	}
}

// qrPivot factors a in place with column pivoting (Businger & Golub 1965): the
// longest remaining column comes first, so R's diagonal descends. It stops at
// the first step at which nothing but zeros remains.
func qrPivot(ctx context.Context, a *Matrix) *qr {
	m, n := a.Rows, a.Cols
	f := &qr{a: a, perm: make([]int, n)}
	w := make([]float64, max(m, n))
	norms, fresh := make([]float64, n), make([]float64, n) // of the columns below the row in work; and when last computed
	column := func(j, from int) float64 {
		for i := from; i < m; i++ {
			w[i] = a.Data[i*a.Stride+j]
		}
		return norm2(w[from:m])
	}
	for j := range n {
		f.perm[j] = j
		norms[j] = column(j, 0)
		fresh[j] = norms[j]
	}
	for j := range min(m, n) {
		best := j
		for l := j + 1; l < n; l++ {
			if norms[l] > norms[best] {
				best = l
			}
		}
		if norms[best] == 0 || stopped(ctx) {
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
		tau := reflector(a, j, w)
		f.tau = append(f.tau, tau)
		householder(a, j, tau, a, j+1, w)
		f.rank++
		for l := j + 1; l < n; l++ {
			if norms[l] == 0 {
				continue
			}
			// Downdate, and compute anew once half the digits are gone
			// (Drmač & Bujanović 2008).
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

// applyQ overwrites c, with as many rows as a, with Q·c.
func (f *qr) applyQ(c *Matrix) {
	w := make([]float64, c.Cols)
	for j := len(f.tau) - 1; j >= 0; j-- {
		householder(f.a, j, f.tau[j], c, 0, w)
	}
}

// orthonormalize makes the rows of v (b×d, b ≤ d) orthonormal, in their order,
// by two rounds of Gram–Schmidt against the rows before; the first `from` of
// them are so already. A row that adds nothing is replaced by a unit vector
// that does, so that the result always has b orthonormal rows.
func orthonormalize(v *Matrix, from int) { orthonormalizeCtx(context.Background(), v, from) }

// orthonormalizeCtx is orthonormalize that stops short, with nothing of use,
// once ctx has ended.
func orthonormalizeCtx(ctx context.Context, v *Matrix, from int) {
	next := 0 // the unit vector to try next
	for i := from; i < v.Rows && !stopped(ctx); i++ {
		row := v.row(i)
		if deflate(row, v, i) {
			continue
		}
		for ok := false; !ok && !stopped(ctx); next++ {
			clear(row)
			row[next%v.Cols] = 1
			// The squares of what the d unit vectors keep add up to d−i, so one
			// of any d in a row keeps twice the share asked for here.
			ok = deflateAbove(row, v, i, 0.5*math.Sqrt(float64(v.Cols-i)/float64(v.Cols)))
		}
	}
}

// deflate takes the first `count` rows of v out of row and normalises what is
// left. It reports false, with row in no useful state, if that was nothing but
// rounding.
func deflate(row []float64, v *Matrix, count int) bool {
	return deflateAbove(row, v, count, float64(len(row))*0x1p-50)
}

// deflateAbove is deflate that asks for a given share of the length to remain.
func deflateAbove(row []float64, v *Matrix, count int, share float64) bool {
	before := norm2(row)
	if before == 0 {
		return false
	}
	unit(row, before)
	for round := range 2 {
		for l := range count {
			axpy(row, -dot(row, v.row(l)), v.row(l))
		}
		left := norm2(row)
		if round == 0 && left < share || left == 0 {
			return false
		}
		unit(row, left)
	}
	return true
}

// unit divides x by its length, in two steps where 1/length overflows.
func unit(x []float64, length float64) {
	if length < 0x1p-1000 {
		scale(x, 0x1p600)
		length *= 0x1p600
	}
	scale(x, 1/length)
}

// fixSigns makes the entry of largest magnitude in every column of v positive
// (the first on ties), and turns the column of other, where it is not nil,
// along.
func fixSigns(v, other *Matrix) {
	for j := range v.Cols {
		big := 0.0
		for i := range v.Rows {
			if x := v.Data[i*v.Stride+j]; math.Abs(x) > math.Abs(big) {
				big = x
			}
		}
		if big >= 0 {
			continue
		}
		for _, m := range []*Matrix{v, other} {
			if m != nil {
				for i := range m.Rows {
					m.Data[i*m.Stride+j] *= -1
				}
			}
		}
	}
}

// fixRowSigns is fixSigns for the rows of v.
func fixRowSigns(v *Matrix) {
	for i := range v.Rows {
		row, big := v.row(i), 0.0
		for _, x := range row {
			if math.Abs(x) > math.Abs(big) {
				big = x
			}
		}
		if big < 0 {
			scale(row, -1)
		}
	}
}
