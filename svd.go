package softkmeans

// All singular values to high relative accuracy, by the one-sided Jacobi method (Hestenes 1958) with de
// Rijk's pivoting (1989). Two QR factorizations first make the matrix nearly diagonal (Drmač & Veselić 2008,
// LAPACK's dgejsv; unlike dgejsv, this file always accumulates the rotations).
//
// Let A = B·D with D diagonal, however badly scaled. The relative error of each singular value depends on the
// condition of B alone. Since the rows are sorted by size, the same holds for D·B (Cox & Higham 1998), down
// to 2^-500 of the largest entry. Methods that first reduce A to bidiagonal form, or square it, lose the
// small singular values.

import (
	"context"
	"math"
)

// svdResult is a singular value decomposition a = U·diag(S)·Vᵀ.
type svdResult struct {
	U          *Matrix   // n×k, orthonormal columns
	S          []float64 // k singular values, descending, at least 0
	V          *Matrix   // d×k, orthonormal columns
	Iterations int       // sweeps
	Status     Status    // StatusConverged, or StatusIterationLimit with the best result so far
}

// SVD returns the thin singular value decomposition a = u·diag(s)·vᵀ of an n×d matrix. With p = min(n, d), u
// is n×p and v is d×p with orthonormal columns, and s contains p values in descending order. In each column
// of v the entry of largest magnitude, the first on ties, is positive. a is not changed. Values below 2^-500
// of the largest entry count as 0; their singular vectors complete the others to an orthonormal basis. An
// empty a has empty factors.
//
// Cost: O(ndp), and O(p³) for each of up to 10 sweeps, a few times as much as other methods. [Principal]
// takes a context, SVD does not. Errors: [ErrShape], [ErrNonFinite], [ErrRange].
func SVD(a *Matrix) (u *Matrix, s []float64, v *Matrix, err error) {
	r, err := thinSVD(context.Background(), a)
	if err != nil {
		return nil, nil, nil, err
	}
	return r.U, r.S, r.V, nil
}

// thinSVD is SVD with a context. The result also contains the number of sweeps and the status: on no known
// matrix has the iteration reached maxSweeps.
func thinSVD(ctx context.Context, a *Matrix) (*svdResult, error) {
	if err := checkShape("a", a); err != nil {
		return nil, err
	}
	if _, err := checkData("a", a); err != nil {
		return nil, err
	}
	if err := cancelled(ctx); err != nil {
		return nil, err
	}
	if a.Rows == 0 || a.Cols == 0 { // the other size may be 2^31
		return &svdResult{U: NewMatrix(a.Rows, 0, nil), V: NewMatrix(a.Cols, 0, nil)}, nil
	}
	tall := a.Clone
	if a.Rows < a.Cols {
		tall = a.transposed
	}
	r := jacobiSVD(ctx, tall())
	if a.Rows < a.Cols {
		r.U, r.V = r.V, r.U
	}
	fixSigns(r.V, r.U)
	return r, cancelled(ctx)
}

// rowsBySize returns the indices of the rows of a by descending power of two of their largest magnitude. In
// this order QR with pivoting preserves the digits of rows whose entries are far smaller than the entries of
// other rows (Cox and Higham, 1998).
func rowsBySize(a *Matrix) []int {
	powers := make([]float64, a.Rows)
	for i := range powers {
		top, _ := rowMaxAbs(a.row(i))
		powers[i] = math.Logb(top) // −Inf for a row of zeros
	}
	return descending(powers)
}

// jacobiSVD returns the decomposition of the n×d matrix a, n ≥ d, which it overwrites. If ctx ends it returns
// soon, and the result is invalid.
func jacobiSVD(ctx context.Context, a *Matrix) *svdResult {
	n, d := a.Rows, a.Cols
	r := &svdResult{U: NewMatrix(n, d, nil), S: make([]float64, d), V: NewMatrix(d, d, nil)}
	exp := unitScale(a)
	if stopped(ctx) {
		return r
	}
	rowOrder := rowsBySize(a)
	a = chosenRows(a, rowOrder)
	// A·P = Q₁·R₁, R₁ᵀ = Q₂·R₂: R₁ = L·Q₂ᵀ with L = R₂ᵀ.
	f1 := qrPivot(ctx, a)
	rank := f1.rank
	t := NewMatrix(d, rank, nil)
	for i := range rank {
		for j := i; j < d; j++ {
			t.Data[j*t.Stride+i] = a.Data[i*a.Stride+j]
		}
	}
	f2 := qrFactor(ctx, t)
	l := NewMatrix(rank, rank, nil)
	for i := range rank {
		copy(l.row(i)[i:], t.row(i)[i:])
	}
	left, right, norms := r.nearlyDiagonal(ctx, l)
	// U = Q₁·(left ⊕ I), V = P·Q₂·(right ⊕ I).
	u, v := NewMatrix(n, d, nil), NewMatrix(d, d, nil)
	for i := range d {
		if i >= rank {
			u.Data[i*d+i], v.Data[i*d+i] = 1, 1
			continue
		}
		r.S[i] = math.Ldexp(norms[i], exp)
		for c := range rank {
			u.Data[c*d+i], v.Data[c*d+i] = left.row(i)[c], right.row(i)[c]
		}
	}
	f1.applyQ(ctx, u)
	f2.applyQ(ctx, v)
	copyRowsTo(r.U, rowOrder, u)
	copyRowsTo(r.V, f1.perm, v)
	return r
}

// nearlyDiagonal finds L·J = U_L·Σ for a square L whose columns are the rows of l, which it overwrites. It
// returns U_L and J as rows, and Σ in descending order. A row of negligible length becomes singular value 0.
func (r *svdResult) nearlyDiagonal(ctx context.Context, l *Matrix) (left, right *Matrix, values []float64) {
	n := l.Rows
	norms, j := make([]float64, n), identity(n)
	r.Iterations, r.Status = orthogonalizeRows(ctx, l, j, norms)
	order := descending(norms)
	left, right = chosenRows(l, order), chosenRows(j, order)
	values = make([]float64, n)
	for at, i := range order {
		if norms[i] < negligible {
			clear(left.row(at))
			continue
		}
		values[at] = norms[i]
		scale(left.row(at), 1/norms[i])
	}
	if n > 0 && values[n-1] == 0 {
		orthonormalize(ctx, left, 0)
	}
	return left, right, values
}

// orthogonalizeRows rotates pairs of rows of m until all are orthogonal, and rotates the rows of v alike. It
// sets norms to the lengths of the rows, and returns the number of sweeps.
func orthogonalizeRows(ctx context.Context, m, v *Matrix, norms []float64) (sweeps int, status Status) {
	n := m.Rows
	tol := math.Sqrt(float64(max(n, 1))) * 0x1p-53 // of a |cosine|, as in dgesvj
	// The iteration also ends after two successive sweeps whose largest |cosine| is at most done. Without
	// this rule it might not end before maxSweeps, since rounding may raise a cosine slightly above tol again
	// and again. dgesvj has such a rule, too.
	done := float64(max(n, 8)) * 0x1p-53
	for i := range n {
		norms[i] = norm2(m.row(i))
	}
	for last := 1.0; sweeps < maxSweeps; {
		sweeps++
		cosine := 0.0 // the largest of this sweep
		for p := range n - 1 {
			if stopped(ctx) {
				return sweeps, StatusCancelled
			}
			// De Rijk: the longest of the remaining rows goes first.
			best := p
			for q := p + 1; q < n; q++ {
				if norms[q] > norms[best] {
					best = q
				}
			}
			if best != p {
				swap(m.row(p), m.row(best))
				swap(v.row(p), v.row(best))
				norms[p], norms[best] = norms[best], norms[p]
			}
			for q := p + 1; q < n; q++ {
				if norms[q] < negligible || norms[p] < negligible {
					continue
				}
				c := dot(m.row(p), m.row(q)) / (norms[p] * norms[q])
				cosine = max(cosine, math.Abs(c))
				if math.Abs(c) <= tol {
					continue
				}
				// Rutishauser's formulas return the angle that makes the two rows orthogonal.
				cs, sn := jacobiRotation((norms[q]/norms[p] - norms[p]/norms[q]) / (2 * c))
				rotate(m.row(p), m.row(q), cs, sn)
				rotate(v.row(p), v.row(q), cs, sn)
				norms[p], norms[q] = norm2(m.row(p)), norm2(m.row(q))
			}
		}
		if cosine <= tol || max(cosine, last) <= done {
			return sweeps, StatusConverged
		}
		last = cosine
	}
	return sweeps, StatusIterationLimit
}

// jacobiRotation returns the cosine and the sine of the smaller angle θ with cot 2θ = ζ.
func jacobiRotation(zeta float64) (c, s float64) {
	size := min(math.Abs(zeta), 0x1p500) // its square is finite
	t := math.Copysign(1/(size+math.Sqrt(1+size*size)), zeta)
	c = 1 / math.Sqrt(1+t*t)
	return c, c * t
}

func swap(x, y []float64) {
	for i := range x {
		x[i], y[i] = y[i], x[i]
	}
}
