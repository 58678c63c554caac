package softkmeans

// Eigenvalues and eigenvectors of symmetric matrices by means of tridiagonal ones. Householder reflections
// reduce the matrix (Golub & Van Loan, 4th ed., 8.3.1) in 4n³/3 operations. Root-free QL steps find all
// eigenvalues, in about 10n² multiplications. Inverse iteration finds a few eigenvectors of the tridiagonal
// matrix, which the reflections transform into eigenvectors of the given matrix, in 4n² operations each. QL
// steps with rotations find all eigenvectors, in 9n³.

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// reduction is A = Q·T·Qᵀ with T tridiagonal.
type reduction struct {
	diag, off []float64 // of T; the last entry of off is 0
	tau       []float64
	// Reflection H_i is I − τ_i·vvᵀ. Row i contains its v as entries 0…i−1. Q = H_{n−1}…H₁.
	reflectors *Matrix
}

// tridiagonal overwrites the symmetric matrix a (Stride = Cols) with the reflectors that make it tridiagonal.
// It reads a on and below the diagonal. Like EISPACK's tred2 it starts from the last row, so that the vectors
// and the remaining matrix begin at column 0.
//
// Each step takes one pass over the remaining triangle (Howell et al. 2008, "Cache efficient
// bidiagonalization using BLAS 2.5 operators"). While a row is in registers, the pass adds the rank-2 update
// of the previous step, A ← A + v·wᵀ + w·vᵀ, and multiplies the row by the new vector.
func tridiagonal(ctx context.Context, a *Matrix, workers int) *reduction {
	n := a.Rows
	t := &reduction{diag: make([]float64, n), off: make([]float64, n), tau: make([]float64, n), reflectors: a}
	for i := range n { // the form that rankTwoMul requires
		for j := i + 1; j < min(i/8*8+8, n); j++ {
			a.row(i)[j] = a.row(j)[i]
		}
	}
	s := newRankTwo(n)
	pending := false // whether the rows still require an update by v and w
	for i := n - 1; i > 0 && !stopped(ctx); i-- {
		row := a.row(i)[:i+1]
		if pending {
			vi, wi := s.v[i], s.w[i]
			axpy(row, vi, s.w[:i+1])
			axpy(row, wi, s.v[:i+1])
		}
		t.reflect(i, row)
		tau := t.tau[i]
		if row = row[:i]; tau == 0 {
			clear(row)
			if !pending {
				continue
			}
		}
		copy(s.u, row)
		s.u[i], s.v[i], s.w[i] = 0, 0, 0 // all entries from i on are 0
		s.multiply(a, i, workers)
		if pending = tau != 0; pending {
			s.turn(i, tau)
		} else {
			clear(s.v[:i])
			clear(s.w[:i])
		}
	}
	if n > 0 {
		t.diag[0] = a.Data[0]
	}
	return t
}

// reflect finds the reflection that makes row i, up to its diagonal entry, tridiagonal. It sets the entries
// of T, and τ, and overwrites the row with the vector of the reflection.
func (t *reduction) reflect(i int, row []float64) {
	t.diag[i] = row[i]
	row = row[:i]
	head := row[i-1]
	t.off[i-1] = head
	if tail := norm2(row[:i-1]); tail > offZero {
		beta := -math.Copysign(math.Hypot(head, tail), head)
		t.off[i-1] = beta
		t.tau[i] = (beta - head) / beta
		scale(row[:i-1], 1/(head-beta))
		row[i-1] = 1
	}
	if math.Abs(t.off[i-1]) <= offZero {
		t.off[i-1] = 0
	}
}

// rankTwo contains the vectors v and w of the update v·wᵀ + w·vᵀ that the remaining triangle of A still
// requires, and the vector u of the next reflection.
type rankTwo struct {
	v, w, u []float64
	q, p    []float64 // the product Au in two parts; v, w and u swap with p
	sums    []float64 // the p of each chunk of the triangle
}

func newRankTwo(n int) *rankTwo {
	zeros := func() []float64 { return make([]float64, n+8) }
	return &rankTwo{
		v: zeros(), w: zeros(), u: zeros(), q: zeros(), p: zeros(),
		sums: make([]float64, triangleChunks(n)*n),
	}
}

// multiply updates the leading triangle of order m of a, and multiplies it by u.
func (s *rankTwo) multiply(a *Matrix, m, workers int) {
	n, chunks := a.Cols, triangleChunks(m)
	if chunks == 1 {
		clear(s.sums[:m])
		rankTwoMul(a.Data, n, 0, m, s.v, s.w, s.u, s.sums, s.q)
		return
	}
	runTasks(workers, chunks, func(_, c int) {
		lo, hi := triangleChunk(m, chunks, c), triangleChunk(m, chunks, c+1)
		p := s.sums[c*n:][:hi]
		clear(p)
		rankTwoMul(a.Data, n, lo, hi, s.v, s.w, s.u, p, s.q)
	})
}

// turn makes the reflection I − τuuᵀ the next update: v = u, w = p − (τ/2)(pᵀu)u, p = −τAu.
func (s *rankTwo) turn(m int, tau float64) {
	p, u, chunks := s.p, s.u, triangleChunks(m)
	n := len(p) - 8
	copy(p, s.q[:m])
	for c := range chunks {
		hi := triangleChunk(m, chunks, c+1)
		axpy(p[:hi], 1, s.sums[c*n:][:hi])
	}
	scale(p[:m], -tau)
	axpy(p[:m], -tau/2*dot(p[:m], u[:m]), u[:m])
	p[m] = 0
	s.v, s.w, s.u, s.p = u, p, s.v, s.w
}

// triangleChunks returns the number of chunks of a triangle of order m. Small triangles take longer in parts.
func triangleChunks(m int) int {
	switch {
	case m < 1024:
		return 1
	case m < 2048:
		return 4
	}
	return 16
}

// triangleChunk returns the first row of chunk c. Chunks have equal areas, and all but the last end at a
// multiple of 8.
func triangleChunk(m, chunks, c int) int {
	if c == chunks {
		return m
	}
	return int(float64(m)*math.Sqrt(float64(c)/float64(chunks))) / 8 * 8
}

// back overwrites each row z with Q·z, in 4n² operations. If first is not nil, row r is 0 before first(r).
func (t *reduction) back(ctx context.Context, rows *Matrix, workers int, first func(r int) int) {
	const group = 8 // rows that stay in a cache during all reflections
	n := len(t.diag)
	workers = paying(workers, float64(n*n*rows.Rows))
	runTasks(workers, (rows.Rows+group-1)/group, func(_, task int) {
		lo, hi := task*group, min((task+1)*group, rows.Rows)
		for i := 1; i < n && !stopped(ctx); i++ {
			tau := t.tau[i]
			if tau == 0 {
				continue
			}
			v := t.reflectors.row(i)[:i]
			for r := lo; r < hi; r++ {
				if first != nil && first(r) >= i {
					continue
				}
				row := rows.row(r)[:i]
				axpy(row, -tau*dot(row, v), v)
			}
		}
	})
}

// accumulate returns Qᵀ.
func (t *reduction) accumulate(ctx context.Context, workers int) *Matrix {
	q := identity(len(t.diag))
	t.back(ctx, q, workers, func(r int) int { return r })
	return q
}

// offNegligible reports whether off is 0 next to the diagonal entries d and e, as in EISPACK's tql2.
func offNegligible(off, d, e float64) bool { return math.Abs(off) <= 0x1p-53*(math.Abs(d)+math.Abs(e)) }

// split sets negligible entries off the diagonal to 0, and calls part for each block of T that results.
func (t *reduction) split(part func(lo, hi int)) {
	lo := 0
	for i, d := range t.diag {
		if i+1 < len(t.diag) && !offNegligible(t.off[i], d, t.diag[i+1]) {
			continue
		}
		t.off[i] = 0
		part(lo, i+1)
		lo = i + 1
	}
}

// values returns the eigenvalues of T. The eigenvalues of each block of split are at the indices of the
// block, in no order. It uses the root-free QL method of Pal, Walker and Kahan (Parlett, The Symmetric
// Eigenvalue Problem, 8.14–8.15; LAPACK's dsterf), in about 10n² multiplications.
func (t *reduction) values(ctx context.Context) []float64 {
	d := slices.Clone(t.diag)
	squares := make([]float64, len(d))
	t.split(func(lo, hi int) {
		for i, e := range t.off[lo:hi] {
			squares[lo+i] = e * e
		}
		d, e := d[lo:hi], squares[lo:hi]
		// QL steps find the top eigenvalues first, so the small end of the diagonal goes to the top.
		if math.Abs(d[0]) > math.Abs(d[len(d)-1]) {
			slices.Reverse(d)
			slices.Reverse(e[:len(e)-1])
		}
		rootFreeQL(ctx, d, e)
	})
	return d
}

// rootFreeQL overwrites the diagonal d of a tridiagonal matrix with its eigenvalues. e contains the squares
// of the off-diagonal entries, and a last entry of 0.
func rootFreeQL(ctx context.Context, d, e []float64) {
	n := len(d)
	for l := range n {
		if stopped(ctx) {
			return
		}
		for range maxSweeps { // as in implicitQL
			m := l
			for m < n-1 {
				if s := math.Abs(d[m]) + math.Abs(d[m+1]); e[m] <= 0x1p-106*(s*s) {
					break
				}
				m++
			}
			if m == l {
				break
			}
			root := math.Sqrt(e[l])
			sigma := (d[l+1] - d[l]) / (2 * root)
			sigma = d[l] - root/(sigma+math.Copysign(math.Hypot(sigma, 1), sigma))
			gamma := d[m] - sigma
			p, s := gamma*gamma, 0.0
			lastP, lastR := 1.0, 1.0
			for i := m - 1; i >= l; i-- {
				b := e[i]
				r := p + b
				e[i+1] = s * r
				s = b / r
				before := gamma
				// With c = p/r: γ ← c(α−σ) − sγ, p ← γ²/c. No division waits for another.
				if pr := p * r; pr > 0x1p-900 {
					f := p*(d[i]-sigma) - b*gamma
					gamma = f / r
					lastP, lastR = p, r
					p = f * f / pr
				} else {
					c := p / r
					gamma = c*(d[i]-sigma) - s*gamma
					next := lastP / lastR * b
					if c != 0 {
						next = gamma * gamma / c
					}
					p, lastP, lastR = next, p, r
				}
				d[i+1] = before + (d[i] - gamma)
			}
			e[l] = s * p
			d[l] = sigma + gamma
		}
	}
}

// leading returns eigenvectors of T as rows, by inverse iteration (LAPACK's dstein; Golub & Van Loan, 8.2.2).
// values is the result of the method values, and wanted the indices of the values to use, in descending
// order. If a vector does not converge or is not orthogonal to the others, leading returns false.
func (t *reduction) leading(ctx context.Context, values []float64, wanted []int) (rows *Matrix, ok bool) {
	rows = NewMatrix(len(wanted), len(t.diag), nil)
	ok = true
	var norm float64 // of T, or up to twice as much
	for i, d := range t.diag {
		norm = max(norm, math.Abs(d)+2*math.Abs(t.off[i]))
	}
	rng := rand.New(rand.NewPCG(0, uint64(len(t.diag))))
	t.split(func(lo, hi int) {
		var z [][]float64
		var theta []float64
		for at, i := range wanted {
			if lo <= i && i < hi {
				z = append(z, rows.row(at)[lo:hi])
				theta = append(theta, values[i])
			}
		}
		if len(z) > 0 && ok {
			ok = newInverseIteration(t.diag[lo:hi], t.off[lo:hi], norm, rng).vectors(ctx, theta, z)
		}
	})
	return rows, ok && !stopped(ctx)
}

// inverseIteration finds eigenvectors of one block of T.
type inverseIteration struct {
	d, e []float64 // diagonal and off-diagonal
	norm float64   // of T
	most float64   // the largest residual to accept
	rng  *rand.Rand
	// T − θI = P·L·U by Gaussian elimination with row exchanges (LAPACK's dlagtf).
	inverse, u1, u2 []float64 // U: the inverse of its diagonal, and the two diagonals above
	l               []float64
	swapped         []bool
}

// newInverseIteration returns the iteration for a block with diagonal d and off-diagonal e.
func newInverseIteration(d, e []float64, norm float64, rng *rand.Rand) *inverseIteration {
	n := len(d)
	zeros := func() []float64 { return make([]float64, n) }
	return &inverseIteration{
		d: d, e: e, norm: norm, most: 4 * float64(n) * doubleEps * norm, rng: rng,
		inverse: zeros(), u1: zeros(), u2: zeros(), l: zeros(), swapped: make([]bool, n),
	}
}

// doubleEps is the distance from 1 to the next float64.
const doubleEps = 0x1p-52

// vectors overwrites z with the vectors for the eigenvalues theta, descending. If one does not converge or is
// not orthogonal to the ones before, it returns false.
func (it *inverseIteration) vectors(ctx context.Context, theta []float64, z [][]float64) bool {
	n := len(it.d)
	if n == 1 {
		z[0][0] = 1
		return true
	}
	first := 0 // the first vector of the cluster
	var shift float64
	for j, x := range z {
		if stopped(ctx) {
			return false
		}
		// Values that agree to rounding are moved apart. Values closer than 1e-3·norm form a cluster.
		last := shift
		shift = theta[j]
		if j > 0 {
			if least := 10 * doubleEps * math.Abs(shift); last-shift < least {
				shift = last - least
			}
			if last-shift > 1e-3*it.norm {
				first = j
			}
		}
		it.factor(shift)
		if !it.iterate(x, z[first:j]) {
			return false
		}
		// Clusters leave cosines of 1e3·eps between each other. Projecting them out changes residuals by eps.
		for l := range j {
			projectOut(x, z[l])
		}
		scale(x, 1/norm2(x))
		var worst float64
		for l := range j {
			worst = max(worst, math.Abs(dot(x, z[l])))
		}
		if !(worst <= 4*float64(n)*doubleEps) || !(it.residual(x, theta[j]) <= it.most) {
			return false
		}
	}
	return true
}

// iterate overwrites x with a vector of length 1, orthogonal to the vectors of its cluster, from a random
// start. Like LAPACK it ends two steps after the first step with a residual of about √n roundings.
func (it *inverseIteration) iterate(x []float64, cluster [][]float64) bool {
	for i := range x {
		x[i] = 2*it.rng.Float64() - 1
	}
	scale(x, 1/norm2(x))
	grown := 0
	for range 8 {
		it.solve(x)
		for _, z := range cluster {
			projectOut(x, z)
		}
		length := norm2(x)
		if !(length > 0 && length <= math.MaxFloat64) {
			return false
		}
		scale(x, 1/length)
		if length*float64(len(x))*doubleEps*it.norm >= 0.1 {
			grown++
		}
		if grown == 3 {
			return true
		}
	}
	return false
}

// residual returns ‖(T − θI)x‖.
func (it *inverseIteration) residual(x []float64, theta float64) float64 {
	n := len(x)
	var squares float64
	for i, v := range x {
		r := (it.d[i] - theta) * v
		if i > 0 {
			r += it.e[i-1] * x[i-1]
		}
		if i+1 < n {
			r += it.e[i] * x[i+1]
		}
		squares += r * r
	}
	return math.Sqrt(squares)
}

// factor factors T − θI. Pivots below a rounding of the norm are replaced by that rounding.
func (it *inverseIteration) factor(theta float64) {
	d, e, n := it.d, it.e, len(it.d)
	pivot := func(p float64) float64 {
		if least := doubleEps * it.norm; math.Abs(p) < least {
			p = math.Copysign(least, p)
		}
		return 1 / p
	}
	a, b := d[0]-theta, e[0] // the row in work
	for i := range n - 1 {
		below, next, beyond := e[i], d[i+1]-theta, e[i+1]
		if it.swapped[i] = math.Abs(a) < math.Abs(below); it.swapped[i] {
			inverse := 1 / below
			it.l[i] = a * inverse
			it.inverse[i], it.u1[i], it.u2[i] = pivot(below), next, beyond
			a, b = b-it.l[i]*next, -it.l[i]*beyond
			continue
		}
		it.l[i] = 0
		if a != 0 {
			it.l[i] = below / a
		}
		it.inverse[i], it.u1[i], it.u2[i] = pivot(a), b, 0
		a, b = next-it.l[i]*b, beyond
	}
	it.inverse[n-1], it.u1[n-1], it.u2[n-1] = pivot(a), 0, 0
}

// solve overwrites x with (T − θI)⁻¹x, times a power of two if entries grow above 2^500.
func (it *inverseIteration) solve(x []float64) {
	n := len(x)
	for i := range n - 1 {
		if it.swapped[i] {
			x[i], x[i+1] = x[i+1], x[i]
		}
		x[i+1] -= it.l[i] * x[i]
	}
	var y, z float64 // x[i+1], x[i+2]
	for i := n - 1; i >= 0; i-- {
		v := (x[i] - it.u1[i]*y - it.u2[i]*z) * it.inverse[i]
		if math.Abs(v) > 0x1p500 {
			scale(x, 0x1p-500)
			v *= 0x1p-500
			y *= 0x1p-500
		}
		x[i] = v
		y, z = v, y
	}
}

// maxSweeps bounds the iterations of svd.go, eigen.go and this file. Jacobi iterations take up to 10 sweeps.
const maxSweeps = 60

// Entries off the diagonal of a scaled matrix count as 0 up to offZero. With smaller entries shifts would
// underflow.
const offZero = 0x1p-200

// implicitQL overwrites T by implicit QL steps with Wilkinson's shift, and the rows of Qᵀ with eigenvectors.
// It returns the eigenvalues in the order of the eigenvectors.
func (t *reduction) implicitQL(ctx context.Context, rows *Matrix) (values []float64) {
	diag, off := t.diag, t.off
	n := len(diag)
	for l := range n {
		if stopped(ctx) {
			break
		}
		// Each eigenvalue takes two or three steps. After 60 steps the remaining off[l] counts as rounding.
		for range maxSweeps {
			m := l
			for m < n-1 && !offNegligible(off[m], diag[m], diag[m+1]) {
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
				if r == 0 { // the matrix splits here: start over on its parts
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
				rotate(rows.row(i), rows.row(i+1), c, s)
			}
			if i < l {
				diag[l] -= p
				off[l] = g
				off[m] = 0
			}
		}
	}
	return diag
}
