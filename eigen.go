package softkmeans

// The symmetric eigenproblem, by the cyclic Jacobi method for small matrices
// (more accurate there, at little cost) and by Householder tridiagonalization with
// implicit QL steps for larger ones (Golub & Van Loan, 4th ed., 8.3 and 8.5).
// Eigenvectors are kept as rows, so that each rotation runs over two
// contiguous vectors.

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
)

// jacobiMaxOrder is the largest order for which the Jacobi method is used. It
// takes twice the time of QL there, a few microseconds, which its accuracy on
// small eigenvalues is worth; BenchmarkEigenSym has both methods on both sides.
const jacobiMaxOrder = 8

// EigenSym returns the eigenvalues of the symmetric n×n matrix a in descending
// order, and an n×n matrix whose columns are the orthonormal eigenvectors in
// the same order: a = vectors·diag(values)·vectorsᵀ. In each column the entry of
// largest magnitude (the first on ties) is positive. a may be indefinite and
// is not changed; a 0×0 matrix has empty results.
//
// The eigenvalues are accurate to a small multiple of n·2^-53·max|value|.
// Cost: about 9n³ multiplications. Errors: [ErrShape] if a is not square or an
// entry differs from its mirror image by more than 1e-8 of the largest entry
// (smaller differences are averaged), [ErrNonFinite].
func EigenSym(a *Matrix) (values []float64, vectors *Matrix, err error) {
	if err := checkShape("a", a); err != nil {
		return nil, nil, err
	}
	if a.Rows != a.Cols {
		return nil, nil, fail(ErrShape, "a is "+shape(a.Rows, a.Cols)+", not square")
	}
	top, err := maxAbs("a", a)
	if err != nil {
		return nil, nil, err
	}
	n := a.Rows
	m := NewMatrix(n, n, nil)
	for i := range n {
		for j := range i + 1 {
			x, y := a.Data[i*a.Stride+j], a.Data[j*a.Stride+i]
			if math.Abs(x/2-y/2) > 0.5e-8*top {
				return nil, nil, fail(ErrShape, "a is not symmetric at row "+strconv.Itoa(i)+", column "+strconv.Itoa(j))
			}
			m.Data[i*n+j] = x + (y-x)/2 // x itself if they are equal: x/2 may lose a bit
			m.Data[j*n+i] = m.Data[i*n+j]
		}
	}
	values, rows := eigenSym(context.Background(), m, true)
	vectors = rows.transposed()
	fixSigns(vectors, nil)
	return values, vectors, nil
}

// eigenSym overwrites the symmetric matrix a and returns its eigenvalues,
// descending, and, if wanted, its eigenvectors as rows. Once ctx has ended it
// returns soon, with nothing of use: the caller looks at ctx.
func eigenSym(ctx context.Context, a *Matrix, wantVectors bool) (values []float64, rows *Matrix) {
	n := a.Rows
	var top float64
	for i := range n {
		big, _ := rowMaxAbs(a.row(i))
		top = max(top, big)
	}
	// To [½, 1), by a power of two: squares then stay in range.
	_, exp := math.Frexp(top)
	for i := range n {
		row := a.row(i)
		for j, v := range row {
			row[j] = math.Ldexp(v, -exp)
		}
	}
	if n <= jacobiMaxOrder {
		values, rows = eigenJacobi(a)
	} else {
		values, rows = eigenQL(ctx, a, wantVectors)
	}
	order := descending(values)
	sorted := make([]float64, n)
	for at, i := range order {
		sorted[at] = math.Ldexp(values[i], exp)
	}
	if !wantVectors {
		return sorted, nil
	}
	out := NewMatrix(n, n, nil)
	for at, i := range order {
		copy(out.row(at), rows.row(i))
	}
	return sorted, out
}

// descending returns the indices of v by descending value, equal values in
// their order.
func descending(v []float64) []int {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(p, q int) int { return cmp.Compare(v[q], v[p]) })
	return order
}

// nothing is what both methods take for 0 off the diagonal, relative to the
// largest entry: far below what any use can see. Much smaller entries would let
// the rotations' sines underflow, and with them the shifts of the QL steps.
const nothing = 0x1p-200

// eigenJacobi is the cyclic Jacobi method with the stopping rule of Demmel &
// Veselić (1992), which for definite matrices keeps small eigenvalues accurate:
// |a_pq| ≤ ε·√(a_pp·a_qq). It overwrites a.
func eigenJacobi(a *Matrix) (values []float64, rows *Matrix) {
	n := a.Rows
	v := identity(n)
	const eps = 0x1p-53
	for range maxSweeps {
		done := true
		for p := range n {
			for q := p + 1; q < n; q++ {
				app, aqq, apq := a.Data[p*n+p], a.Data[q*n+q], a.Data[p*n+q]
				if math.Abs(apq) <= eps*math.Sqrt(math.Abs(app))*math.Sqrt(math.Abs(aqq)) || math.Abs(apq) <= nothing {
					a.Data[p*n+q], a.Data[q*n+p] = 0, 0
					continue
				}
				done = false
				// The smaller angle that makes a_pq zero.
				zeta := (aqq - app) / (2 * apq)
				t := 1 / (math.Abs(zeta) + math.Hypot(1, zeta))
				if zeta < 0 {
					t = -t
				}
				c := 1 / math.Sqrt(1+t*t)
				s := c * t
				rotate(a.row(p), a.row(q), c, s)
				for i := range n {
					row := a.row(i)
					x, y := row[p], row[q]
					row[p], row[q] = c*x-s*y, s*x+c*y
				}
				a.Data[p*n+p], a.Data[q*n+q] = app-t*apq, aqq+t*apq
				a.Data[p*n+q], a.Data[q*n+p] = 0, 0
				rotate(v.row(p), v.row(q), c, s)
			}
		}
		if done {
			break
		}
	}
	values = make([]float64, n)
	for i := range n {
		values[i] = a.Data[i*n+i]
	}
	return values, v
}

// eigenQL reduces a to tridiagonal form and finds the eigenvalues of that by
// implicit QL steps with Wilkinson's shift. It overwrites a.
func eigenQL(ctx context.Context, a *Matrix, wantVectors bool) (values []float64, rows *Matrix) {
	diag, off, rows := tridiagonal(ctx, a, wantVectors)
	n := len(diag)
	for l := range n {
		if ctx.Err() != nil {
			break
		}
		// Each eigenvalue takes two or three steps; after 60 what is left of
		// off[l] is taken for rounding.
		for range maxSweeps {
			m := l
			for m < n-1 && math.Abs(off[m]) > 0x1p-53*(math.Abs(diag[m])+math.Abs(diag[m+1])) {
				m++
			}
			if m == l {
				break
			}
			g := (diag[l+1] - diag[l]) / (2 * off[l])
			g = diag[m] - diag[l] + off[l]/(g+math.Copysign(math.Hypot(g, 1), g))
			s, c, p := 1.0, 1.0, 0.0
			i := m - 1
			for ; i >= l; i-- {
				f, b := s*off[i], c*off[i]
				r := math.Hypot(f, g)
				off[i+1] = r
				if r == 0 { // the matrix falls apart here: start over on the parts
					diag[i+1] -= p
					off[m] = 0
					break
				}
				s, c = f/r, g/r
				g = diag[i+1] - p
				r = (diag[i]-g)*s + 2*c*b
				p = s * r
				diag[i+1] = g + p
				g = c*r - b
				if wantVectors {
					rotate(rows.row(i), rows.row(i+1), c, s)
				}
			}
			if i < l {
				diag[l] -= p
				off[l] = g
				off[m] = 0
			}
		}
	}
	return diag, rows
}

// tridiagonal overwrites the symmetric matrix a by Householder reflections:
// a = Q·T·Qᵀ with diagonal diag and off-diagonal off (its last entry is 0).
// rows is Qᵀ. Only the part of a on and below the diagonal is read.
func tridiagonal(ctx context.Context, a *Matrix, wantVectors bool) (diag, off []float64, rows *Matrix) {
	n := a.Rows
	diag, off = make([]float64, n), make([]float64, n)
	tau := make([]float64, n)
	w, p := make([]float64, n), make([]float64, n)
	vs := NewMatrix(n, n, nil) // row j: the vector of reflection j, from entry j+1 on
	for j := range n - 1 {
		if ctx.Err() != nil {
			break
		}
		v := vs.row(j)[j+1:]
		for i := range v {
			v[i] = a.Data[(j+1+i)*a.Stride+j]
		}
		diag[j] = a.Data[j*a.Stride+j]
		off[j] = v[0]
		if tail := norm2(v[1:]); tail > nothing {
			beta := -math.Copysign(math.Hypot(v[0], tail), v[0])
			pivot := v[0] - beta
			off[j] = beta
			tau[j] = -pivot / beta
			for i := range v {
				v[i] /= pivot
			}
			v[0] = 1
		}
		if math.Abs(off[j]) <= nothing {
			off[j] = 0
		}
		if tau[j] == 0 {
			continue
		}
		// A ← A − v·wᵀ − w·vᵀ with p = τAv, w = p − (τ/2)(pᵀv)v.
		m := len(v)
		p, w := p[:m], w[:m]
		clear(p)
		for i := range m {
			row := a.row(j + 1 + i)[j+1:][:i+1]
			p[i] += dot(row[:i], v[:i]) + row[i]*v[i]
			axpy(p[:i], v[i], row[:i])
		}
		scale(p, tau[j])
		copy(w, p)
		axpy(w, -tau[j]/2*dot(p, v), v)
		for i := range m {
			row := a.row(j + 1 + i)[j+1:][:i+1]
			vi, wi := v[i], w[i]
			vv, ww := v[:len(row)], w[:len(row)]
			for l := range row {
				row[l] -= vi*ww[l] + wi*vv[l]
			}
		}
	}
	if n > 0 {
		diag[n-1] = a.Data[(n-1)*a.Stride+n-1]
	}
	if !wantVectors {
		return diag, off, nil
	}
	// Q = H₀H₁…, built backwards so that each reflection meets only the part
	// of the identity that has filled in. Rows of Qᵀ are columns of Q.
	q := identity(n)
	for j := n - 2; j >= 0 && ctx.Err() == nil; j-- {
		if tau[j] == 0 {
			continue
		}
		v := vs.row(j)[j+1:]
		// On Qᵀ, by rows: q_i −= τ(q_i·v)v.
		for i := j + 1; i < n; i++ {
			row := q.row(i)[j+1:]
			axpy(row, -tau[j]*dot(row, v), v)
		}
	}
	return diag, off, q
}
