package softkmeans

// Singular values in two ways.
//
// JacobiSVD finds all of them, to high relative accuracy, by the one-sided
// Jacobi method (Hestenes 1958) with de Rijk's pivoting (1989), on a matrix
// that two QR factorizations have made nearly diagonal (Drmač & Veselić 2008,
// LAPACK's dgejsv). If A = B·D with D diagonal, however badly scaled, the
// relative error of each singular value depends on the condition of B alone;
// methods that first reduce to bidiagonal form, or square A, lose the small
// ones. With the rows sorted by size the same holds for D·B (Cox & Higham
// 1998). What is below 2^-1022 of the largest entry loses digits, or vanishes, in
// the scaling. Deviation from dgejsv: the rotations are always accumulated
// (never recovered by a triangular solve).
//
// TruncatedSVD finds the leading few by block Krylov iteration.

import (
	"context"
	"math"
)

// SVDResult is a singular value decomposition a = U·diag(S)·Vᵀ, or its k leading
// triplets, with what is needed to judge it.
type SVDResult struct {
	U *Matrix   // n×p, orthonormal columns; p is min(n, d), or k of TruncatedSVD
	S []float64 // p singular values, descending, never negative
	V *Matrix   // d×p, orthonormal columns; the entry of largest magnitude in each is positive

	// Residuals has ‖aᵀu_i − s_i·v_i‖ for each triplet of TruncatedSVD, measured on the
	// final vectors; a·v_i = s_i·u_i holds to rounding. Some singular value lies within
	// this distance of s_i, which is above the i-th by rounding at most. JacobiSVD leaves
	// it nil.
	Residuals []float64
	// MaxCosine is the largest |cosine| between two columns met in JacobiSVD's last
	// sweep: the columns of U·diag(S) are orthogonal to that degree.
	MaxCosine float64
	// Iterations counts JacobiSVD's sweeps through all pairs of columns, or TruncatedSVD's
	// passes over a.
	Iterations int
	Status     Status // StatusConverged, or StatusIterationLimit with the best found
}

// SVD returns the thin singular value decomposition a = u·diag(s)·vᵀ of an n×d
// matrix: u is n×p and v is d×p with orthonormal columns, s has p = min(n, d)
// values in descending order. The sign of each pair of vectors is chosen so
// that the entry of largest magnitude in v's column (the first of them on
// ties) is positive. Where singular values are 0 the vectors are completed to
// an orthonormal set. Empty matrices have empty factors. a is not changed.
//
// Singular values may be larger than any entry: above math.MaxFloat64 they are
// math.MaxFloat64, beside vectors that are right, and below 2^-1022 they are rounded
// to denormals.
//
// SVD is [JacobiSVD] without the diagnostics. Cost: O(nd·min(n, d)), a few
// times that of other methods; for a few leading triplets of a large matrix see
// [TruncatedSVD]. Errors: [ErrShape], [ErrNonFinite].
func SVD(a *Matrix) (u *Matrix, s []float64, v *Matrix, err error) {
	r, err := JacobiSVD(a)
	if err != nil {
		return nil, nil, nil, err
	}
	return r.U, r.S, r.V, nil
}

// JacobiSVD is [SVD] with its diagnostics. Should the sweeps reach their limit,
// which no matrix is known to do, Status is StatusIterationLimit, MaxCosine
// says how far from orthogonal the result is, and the result is usable to that
// accuracy.
func JacobiSVD(a *Matrix) (*SVDResult, error) {
	if err := checkShape("a", a); err != nil {
		return nil, err
	}
	top, err := checkData("a", a)
	if err != nil {
		return nil, err
	}
	if a.Rows == 0 || a.Cols == 0 { // of either there may be 2^31
		return &SVDResult{U: NewMatrix(a.Rows, 0, nil), V: NewMatrix(a.Cols, 0, nil), Status: StatusConverged}, nil
	}
	tall := a.Clone
	if a.Rows < a.Cols {
		tall = a.transposed
	}
	r := jacobiSVD(context.Background(), tall(), top)
	if a.Rows < a.Cols {
		r.U, r.V = r.V, r.U
	}
	fixSigns(r.V, r.U)
	for i, s := range r.S {
		r.S[i] = clampFinite(s)
	}
	return r, nil
}

// jacobiSVD decomposes a, n ≥ d, which it overwrites; top is its largest
// magnitude. Once ctx has ended it returns soon, with nothing of use.
func jacobiSVD(ctx context.Context, a *Matrix, top float64) *SVDResult {
	n, d := a.Rows, a.Cols
	r := &SVDResult{U: NewMatrix(n, d, nil), S: make([]float64, d), V: NewMatrix(d, d, nil), Status: StatusConverged}
	// A power of two takes the largest entry to [½, 1): sums of squares then
	// stay in range, and no bit is lost.
	_, exp := math.Frexp(top)
	sizes := make([]float64, n)
	for i := range n {
		row := a.row(i)
		for j, v := range row {
			row[j] = math.Ldexp(v, -exp)
		}
		sizes[i], _ = rowMaxAbs(row)
	}
	rowOrder := descending(sizes)
	a = permuteRows(a, rowOrder)
	// A·P = Q₁·R₁, R₁ᵀ = Q₂·R₂: R₁ = L·Q₂ᵀ with L = R₂ᵀ, whose columns are the
	// rows of R₂.
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
	// L·J = U_L·Σ.
	j := identity(rank)
	norms := make([]float64, rank)
	r.Iterations, r.MaxCosine = orthogonalizeRows(ctx, l, j, norms)
	if r.MaxCosine > jacobiDone(rank) {
		r.Status = StatusIterationLimit
	}
	order := descending(norms)
	// U = Q₁·(U_L ⊕ I), V = P·Q₂·(J ⊕ I).
	left := NewMatrix(rank, rank, nil)
	vq := NewMatrix(d, d, nil)
	for at, i := range order {
		r.S[at] = math.Ldexp(norms[i], exp)
		if norms[i] >= 0x1p-1000 { // below, a row of denormals has no direction left
			copy(left.row(at), l.row(i))
			unit(left.row(at), norms[i])
		}
		for c, v := range j.row(i) {
			vq.Data[c*vq.Stride+at] = v
		}
	}
	if rank > 0 && norms[order[rank-1]] < 0x1p-1000 {
		orthonormalize(left, 0)
	}
	for i := range rank {
		for c := range rank {
			r.U.Data[c*r.U.Stride+i] = left.Data[i*left.Stride+c]
		}
	}
	for i := rank; i < d; i++ {
		r.U.Data[i*r.U.Stride+i] = 1
		vq.Data[i*vq.Stride+i] = 1
	}
	f1.applyQ(r.U)
	f2.applyQ(vq)
	for i, p := range f1.perm {
		copy(r.V.row(p), vq.row(i))
	}
	back := make([]int, n)
	for i, p := range rowOrder {
		back[p] = i
	}
	r.U = permuteRows(r.U, back)
	return r
}

// jacobiTol is the |cosine| below which two vectors of length n count as
// orthogonal: what rounding leaves of a dot product of such vectors (dgesvj
// uses the same).
func jacobiTol(n int) float64 { return math.Sqrt(float64(max(n, 1))) * 0x1p-53 }

// jacobiDone is the |cosine| below which two sweeps in a row end the iteration:
// now and then rounding makes an angle a little above jacobiTol anew with each
// rotation, for ever (dgesvj has such a second bound, too).
func jacobiDone(n int) float64 { return float64(max(n, 8)) * 0x1p-53 }

// orthogonalizeRows rotates pairs of rows of m until all are orthogonal, and
// the rows of v along with them. It leaves the rows' lengths in norms, and
// returns the sweeps made and the largest |cosine| seen in the last of them.
func orthogonalizeRows(ctx context.Context, m, v *Matrix, norms []float64) (sweeps int, cosine float64) {
	n := m.Rows
	tol := jacobiTol(n)
	for i := range n {
		norms[i] = norm2(m.row(i))
	}
	for sweeps < maxSweeps {
		sweeps++
		last := cosine
		cosine = 0
		for p := range n - 1 {
			if stopped(ctx) {
				return sweeps, 1
			}
			// De Rijk: the longest row that is left goes first.
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
				if norms[q] < 0x1p-1000 || norms[p] < 0x1p-1000 { // too few digits to be orthogonal to anything
					continue
				}
				c := cosineOf(m.row(p), m.row(q), norms[p], norms[q])
				cosine = max(cosine, math.Abs(c))
				if math.Abs(c) <= tol {
					continue
				}
				// Rutishauser's formulas for the angle that makes them
				// orthogonal, in terms of lengths and cosine: no square that
				// could leave the range.
				zeta := (norms[q]/norms[p] - norms[p]/norms[q]) / (2 * c)
				t := 1 / (math.Abs(zeta) + math.Sqrt(1+zeta*zeta)) // 0 if ζ² overflows, and then it is below rounding
				if math.IsInf(zeta*zeta, 1) {
					t = 0.5 / math.Abs(zeta)
				}
				if zeta < 0 {
					t = -t
				}
				cs := 1 / math.Sqrt(1+t*t)
				rotate(m.row(p), m.row(q), cs, cs*t)
				rotate(v.row(p), v.row(q), cs, cs*t)
				norms[p], norms[q] = norm2(m.row(p)), norm2(m.row(q))
			}
		}
		if cosine <= tol || sweeps > 1 && max(cosine, last) <= jacobiDone(n) {
			break
		}
	}
	return sweeps, cosine
}

// cosineOf returns x·y/(‖x‖‖y‖), given the lengths.
func cosineOf(x, y []float64, nx, ny float64) float64 {
	if p := nx * ny; p >= 0x1p-900 {
		return dot(x, y) / p
	}
	var s float64
	_, ex := math.Frexp(nx)
	_, ey := math.Frexp(ny)
	for i, v := range x {
		s += math.Ldexp(v, -ex) * math.Ldexp(y[i], -ey)
	}
	return s / (math.Ldexp(nx, -ex) * math.Ldexp(ny, -ey))
}

func swap(x, y []float64) {
	for i := range x {
		x[i], y[i] = y[i], x[i]
	}
}
