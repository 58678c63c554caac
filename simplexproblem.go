package softkmeans

// The least-squares problem that all samples share: vertices, their Gram matrix,
// and the linear terms of samples.

import "math"

// simplexProblem is what all rows share.
type simplexProblem struct {
	k, d     int             // vertices, the origin included, and columns
	atMost   bool            // the last vertex is the origin: Σ of the others ≤ 1
	outer    int             // vertices are first scaled by 2^-outer, to at most 1
	inner    int             // and, once centred, by 2^-inner
	centre   []float64       // of the vertices, scaled by 2^-outer
	vertices *Matrix         // k×d, centred and scaled: largest entry in [½, 1)
	gram     *Matrix         // A, k×k, ridge included
	top      float64         // largest entry of A
	ridge    float64         // on A's diagonal; 0 unless it was singular
	fine     *simplexProblem // the same with a smaller ridge; of use where ridge > 0
	flat     bool            // all vertices coincide
	// near: the vertices' mean is no farther from the origin than the vertices
	// are from it, so that x·v − mean·v, offset, loses nothing beside (x − mean)·v.
	near          bool
	offset        []float64
	chol, inverse []float64 // scratch
}

// The sizes of the proximal steps for dependent vertices, as shares of A's
// largest entry. The first lies between rounding errors (which it divides) and
// the bias of one step. Vertices that are close but not the same need the
// second, the smallest at which A is sure to factor.
const (
	ridgeShare = 0x1p-30
	fineShare  = 0x1p-38
)

func newSimplexProblem(vertices *Matrix, sum Sum) *simplexProblem {
	p := &simplexProblem{}
	p.set(vertices, sum)
	return p
}

// set makes p the problem for these vertices, in the memory that it has: none
// is allocated from the second call for a shape on.
func (p *simplexProblem) set(vertices *Matrix, sum Sum) {
	given, d := vertices.Rows, vertices.Cols
	k := given
	if sum == SumAtMostOne {
		k++
	}
	p.k, p.d, p.atMost, p.flat, p.ridge, p.top = k, d, sum == SumAtMostOne, false, 0, 0
	p.centre = resized(p.centre, d)
	p.vertices = reshaped(p.vertices, k, d)
	clear(p.centre)
	var top float64
	for j := range given {
		big, _ := rowMaxAbs(vertices.row(j))
		top = max(top, big)
	}
	_, p.outer = math.Frexp(top)
	p.outer = max(p.outer, -1020)
	f := math.Ldexp(1, -p.outer)
	for j := range given {
		axpy(p.centre, f/float64(k), vertices.row(j))
	}
	top = 0
	for j := range k {
		out := p.vertices.row(j)
		if j < given {
			for i, v := range vertices.row(j) {
				out[i] = f*v - p.centre[i]
			}
		} else { // the origin
			for i, c := range p.centre {
				out[i] = -c
			}
		}
		big, _ := rowMaxAbs(out)
		top = max(top, big)
	}
	// Vertices that differ by no more than the rounding of their mean are one.
	if top <= 0x1p-51 {
		p.flat = true
		for j := 1; j < k && p.flat; j++ {
			for i, first := range vertices.row(0) {
				v := 0.0
				if j < given {
					v = vertices.row(j)[i]
				}
				p.flat = p.flat && v == first
			}
		}
	}
	if p.flat || d == 0 {
		p.flat = true
		return
	}
	_, p.inner = math.Frexp(top)
	p.inner = max(p.inner, -1020)
	scale(p.vertices.Data, math.Ldexp(1, -p.inner))
	p.gram = reshaped(p.gram, k, k)
	clear(p.gram.Data)
	addMulNT(p.gram.Data, k, p.vertices.Data, k, p.vertices.Data, k, d, true)
	mirror(p.gram.Data, k)
	for j := range k {
		p.top = max(p.top, p.gram.row(j)[j])
	}
	p.nearOrigin(k)
	rho := p.top
	for i := range p.gram.Data {
		p.gram.Data[i] += rho
	}
	p.top += rho
	if k > d+1 || p.dependent() {
		if p.fine == nil {
			p.fine = &simplexProblem{}
		}
		p.fine.k, p.fine.d, p.fine.top = k, d, p.top
		p.fine.gram = reshaped(p.fine.gram, k, k)
		copy(p.fine.gram.Data, p.gram.Data)
		p.fine.addRidge(fineShare)
		p.addRidge(ridgeShare)
	}
}

// nearOrigin sets near and offset; top is that of the vertices' own Gram matrix.
func (p *simplexProblem) nearOrigin(k int) {
	p.near = false
	if p.outer < -60 || p.outer > 200 || p.inner < -60 { // beyond, powers of two may leave the range
		return
	}
	c := math.Ldexp(1, -p.inner)
	if p.near = sumSquares(p.centre)*c*c <= p.top; p.near {
		p.offset = resized(p.offset, k)
		for j := range k {
			p.offset[j] = dot(p.centre, p.vertices.row(j)) * c
		}
	}
}

// dependent reports whether the smallest eigenvalue of A is 0 to working
// accuracy: by the inverse, as pivots may not tell (Kahan), nor does it take
// eigenvalues. With λ₁ ≤ ‖A‖ and 1/λ_k ≤ ‖A⁻¹‖ in the Frobenius norm it errs, by
// a factor of k at most, on the side of dependence, which costs time only.
func (p *simplexProblem) dependent() bool {
	k := p.k
	p.chol, p.inverse = resized(p.chol, k*k), resized(p.inverse, k*k)
	copy(p.chol, p.gram.Data)
	if !cholesky(p.chol, k) {
		return true
	}
	cholInverse(p.inverse, p.chol, k)
	return !(norm2(p.inverse)*norm2(p.gram.Data)*float64(k) < 0x1p50)
}

// addRidge makes A definite.
func (p *simplexProblem) addRidge(share float64) {
	p.ridge = share * p.top
	for j := range p.k {
		p.gram.row(j)[j] += p.ridge
	}
}

// same fills in rows lo…hi−1 of dst if one answer does for all samples.
func (p *simplexProblem) same(dst *Matrix, lo, hi int, info *SimplexInfo) bool {
	if !p.flat && p.k > 1 {
		return false
	}
	for i := lo; i < hi; i++ {
		row := dst.row(i)
		for j := range row {
			row[j] = 1 / float64(p.k)
		}
		if !p.atMost {
			fixSum(row, 1)
		}
	}
	if p.k > 1 {
		info.Ridge = ridgeShare
	}
	return true
}

// productsNear is products for near vertices and rows of x, without gaps, whose
// entries are of size 1: they need no copy. It overwrites b.
func (p *simplexProblem) productsNear(b, x []float64) {
	k := p.k
	m := len(b) / k
	clear(b)
	addMulNT(b, k, x, m, p.vertices.Data, k, p.d, false)
	f := math.Ldexp(1, -p.outer-p.inner)
	for len(b) >= k {
		for j, c := range p.offset {
			b[j] = b[j]*f - c
		}
		b = b[k:]
	}
}

// products returns the block's rows times the vertices, both centred and scaled:
// b, p.k numbers a row, in the block's scratch of p.d+p.k numbers a row.
func (p *simplexProblem) products(at block, x *Matrix) []float64 {
	m, k := at.hi-at.lo, p.k
	rows, b := at.scratch[:m*p.d], at.scratch[m*p.d:m*(p.d+k)]
	clear(b)
	var late []int // pairs: a row to be scaled up once multiplied, and by what power of two
	for i := range m {
		if e := p.pack(rows[i*p.d:(i+1)*p.d], x.row(at.lo+i)); e != 0 {
			late = append(late, i, e)
		}
	}
	addMulNT(b, k, rows, m, p.vertices.Data, k, p.d, false)
	for ; len(late) > 0; late = late[2:] {
		scale(b[late[0]*k:][:k], math.Ldexp(1, late[1]))
	}
	return b
}

// pack writes the centred, scaled x to dst. A row so far from the vertices that
// its products could overflow is scaled down further; pack then returns by
// which power of two the products must be multiplied (at most 2^400, past which
// nothing changes: only the direction counts).
func (p *simplexProblem) pack(dst, x []float64) (exp int) {
	far := 0 // by which power of two x exceeds the vertices; 0 is no larger than any
	if top, _ := rowMaxAbs(x); top > 0 {
		_, far = math.Frexp(top)
		far = max(far-p.outer, 0)
	}
	if far-p.inner < 400 {
		f, g := math.Ldexp(1, -p.outer), math.Ldexp(1, -p.inner)
		for i, v := range x {
			dst[i] = (f*v - p.centre[i]) * g
		}
		return 0
	}
	for i, v := range x {
		dst[i] = math.Ldexp(v, -p.outer-far) - math.Ldexp(p.centre[i], -far)
	}
	return min(far-p.inner, 400)
}

// SimplexInfo says how well the memberships of a call solve their problems.
type SimplexInfo struct {
	// KKT is the largest violation of the optimality conditions over all rows,
	// relative to the larger of the row's |b| and |A|: rounding, some 1e-15. It
	// may reach 1e-9 for vertices that are dependent (Ridge > 0) and of very
	// different sizes, or hardly independent, as where two all but coincide: no
	// active-set step is accurate enough there to mend it. Where Ridge > 0 it is that of
	// the last proximal step, which the step's own term adds to: at most Ridge, and 1e-11
	// for vertices 1e-9 apart.
	KKT float64
	// Ridge is 0 unless the vertices are affinely dependent to working
	// accuracy (two coincide, or k > d+1). The memberships are then not unique,
	// and those of least norm were picked, by proximal steps of this size
	// (relative to the largest squared distance of a vertex from their mean).
	Ridge float64
	// Fallbacks counts the rows for which exchanging several vertices at once
	// went round in circles and one at a time was needed.
	Fallbacks int
	// Unsolved counts the rows that reached the iteration limit: among dependent
	// vertices, where rounding decides which of several equal supports is tried
	// next. Such rows have the last feasible memberships, and KKT says how good
	// they are.
	Unsolved int
}

// join takes the diagnostics of other rows in.
func (i *SimplexInfo) join(other SimplexInfo) {
	i.KKT = max(i.KKT, other.KKT)
	i.Ridge = max(i.Ridge, other.Ridge)
	i.Fallbacks += other.Fallbacks
	i.Unsolved += other.Unsolved
}
