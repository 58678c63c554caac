package softkmeans

// The least-squares problem that all samples share: vertices, their Gram matrix,
// and the linear terms of samples.

import "math"

// simplexProblem is what all rows share.
type simplexProblem struct {
	k, d     int             // vertices, the origin included, and columns
	atMost   bool            // the last vertex is the origin: Σ of the others ≤ 1
	exp      int             // vertices and samples are scaled by 2^-exp
	centre   []float64       // of the vertices, scaled
	vertices *Matrix         // k×d, centred and scaled: largest entry in [½, 1)
	gram     *Matrix         // A, k×k, ridge included
	top      float64         // largest entry of A
	ridge    float64         // on A's diagonal; 0 unless it was singular
	fine     *simplexProblem // the same with a smaller ridge; of use where ridge > 0
	flat     bool            // all vertices coincide
	// near: the vertices' mean is no farther from the origin than the vertices are from
	// their mean. Then x·v − mean·v, with offset = mean·v, is as accurate as (x − mean)·v.
	near          bool
	offset        []float64
	chol, inverse []float64 // scratch
}

// The sizes of the proximal steps for dependent vertices, as shares of A's
// largest entry. The first balances rounding errors, which are divided by it, and
// the bias of one step. Vertices that are close but not the same need the
// second, the smallest at which A always factors.
const (
	ridgeShare = 0x1p-30
	fineShare  = 0x1p-38
)

func newSimplexProblem(vertices *Matrix, sum Sum) *simplexProblem {
	p := &simplexProblem{}
	p.set(vertices, sum)
	return p
}

// set makes p the problem for these vertices. From the second call for a shape on it
// allocates nothing.
func (p *simplexProblem) set(vertices *Matrix, sum Sum) {
	p.k, p.d, p.atMost = vertices.Rows, vertices.Cols, sum == SumAtMostOne
	if p.atMost {
		p.k++
	}
	p.ridge, p.top = 0, 0
	top := p.centreVertices(vertices)
	if p.flat = p.d == 0 || top < negligible || p.coincide(vertices, top); p.flat {
		return
	}
	_, inner := math.Frexp(top)
	p.exp += inner
	scale(p.vertices.Data, math.Ldexp(1, -inner))
	scale(p.centre, math.Ldexp(1, -inner))
	k := p.k
	p.gram = reshaped(p.gram, k, k)
	clear(p.gram.Data)
	addMulNT(p.gram.Data, k, p.vertices.Data, k, p.vertices.Data, k, p.d, true)
	mirror(p.gram.Data, k)
	for j := range k {
		p.top = max(p.top, p.gram.row(j)[j])
	}
	p.nearOrigin()
	rho := p.top
	for i := range p.gram.Data {
		p.gram.Data[i] += rho
	}
	p.top += rho
	if k > p.d+1 || p.dependent() {
		if p.fine == nil {
			p.fine = &simplexProblem{}
		}
		p.fine.k, p.fine.d, p.fine.top = k, p.d, p.top
		p.fine.gram = reshaped(p.fine.gram, k, k)
		copy(p.fine.gram.Data, p.gram.Data)
		p.fine.addRidge(fineShare)
		p.addRidge(ridgeShare)
	}
}

// centreVertices sets centre and vertices, scaled to a largest vertex of at most 1 before
// it is centred, and exp to that. It returns the largest magnitude of the centred vertices.
func (p *simplexProblem) centreVertices(vertices *Matrix) float64 {
	given := vertices.Rows
	p.centre = resized(p.centre, p.d)
	p.vertices = reshaped(p.vertices, p.k, p.d)
	clear(p.centre)
	_, p.exp = math.Frexp(max(maxAbs(vertices), leastScale))
	f := math.Ldexp(1, -p.exp)
	for j := range given {
		axpy(p.centre, f/float64(p.k), vertices.row(j))
	}
	for j := range p.k {
		out := p.vertices.row(j)
		if j < given {
			shift(out, vertices.row(j), p.centre, f)
			continue
		}
		for i, c := range p.centre { // the origin
			out[i] = -c
		}
	}
	return maxAbs(p.vertices)
}

// coincide reports whether all vertices are the same. Those that differ by more than the
// rounding of their mean are not; top is the largest difference from the mean.
func (p *simplexProblem) coincide(vertices *Matrix, top float64) bool {
	if top > 0x1p-51 {
		return false
	}
	for j := 1; j < p.k; j++ {
		for i, first := range vertices.row(0) {
			v := 0.0
			if j < vertices.Rows {
				v = vertices.row(j)[i]
			}
			if v != first {
				return false
			}
		}
	}
	return true
}

// nearOrigin sets near and offset; top is that of the vertices' own Gram matrix. Rows of
// size 1 that are more than 2^400 times the vertices' size away need products.
func (p *simplexProblem) nearOrigin() {
	p.near = p.exp >= -mostDistance && sumSquares(p.centre) <= p.top
	if p.near {
		p.offset = resized(p.offset, p.k)
		for j := range p.k {
			p.offset[j] = dot(p.centre, p.vertices.row(j))
		}
	}
}

// dependent reports whether the smallest eigenvalue of A is 0 to working accuracy. It
// computes the inverse: pivots may not show it (Kahan), and eigenvalues cost more. With
// λ₁ ≤ ‖A‖ and 1/λ_k ≤ ‖A⁻¹‖ in the Frobenius norm it errs, by a factor of k at most, on
// the side of dependence, which costs time only.
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

// same fills in rows lo…hi−1 of dst if all samples have the same solution.
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
			fixSum(row)
		}
	}
	if p.k > 1 {
		info.Ridge = ridgeShare
	}
	return true
}

// productsNear is products for near vertices and rows of x, without gaps, whose
// entries are of size 1. It needs no copy of them. It overwrites b.
func (p *simplexProblem) productsNear(b, x []float64) {
	k := p.k
	m := len(b) / k
	clear(b)
	addMulNT(b, k, x, m, p.vertices.Data, k, p.d, false)
	f := math.Ldexp(1, -p.exp)
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
	for i := range m {
		p.pack(rows[i*p.d:(i+1)*p.d], x.row(at.lo+i))
	}
	addMulNT(b, k, rows, m, p.vertices.Data, k, p.d, false)
	return b
}

// mostDistance is the distance, as a power of two times the vertices' size, beyond which
// only the direction of a sample counts.
const mostDistance = 400

// pack writes the centred, scaled x to dst. A row beyond mostDistance is drawn nearer along
// the line to the vertices' mean.
func (p *simplexProblem) pack(dst, x []float64) {
	shift(dst, x, p.centre, math.Ldexp(1, -p.exp))
	if top, _ := rowMaxAbs(dst); top < 1<<mostDistance {
		return
	}
	for i, v := range x { // again, in units of 2^600, since entries may be infinite
		dst[i] = math.Ldexp(v, -p.exp-600) - math.Ldexp(p.centre[i], -600)
	}
	top, _ := rowMaxAbs(dst)
	_, e := math.Frexp(top)
	scale(dst, math.Ldexp(1, mostDistance-e))
}

// SimplexInfo says how well the memberships of a call solve their problems.
type SimplexInfo struct {
	// KKT is the largest violation of the optimality conditions over all rows,
	// relative to the larger of the row's |b| and |A|: rounding, some 1e-15. It
	// may reach 1e-9 for vertices that are dependent (Ridge > 0) and of very
	// different sizes, or hardly independent, as where two all but coincide. Where
	// Ridge > 0 it is that of the last proximal step, to which the step's own term adds
	// at most Ridge (1e-11 for vertices 1e-9 apart).
	KKT float64
	// Ridge is 0 unless the vertices are affinely dependent to working
	// accuracy (two coincide, or k > d+1). The memberships are then not unique:
	// those of least norm are found, by proximal steps of this size
	// (relative to the largest squared distance of a vertex from their mean).
	Ridge float64
	// Fallbacks counts the rows for which exchanging several vertices at once
	// made no progress, so that they were exchanged one at a time.
	Fallbacks int
	// Unsolved counts the rows that reached the iteration limit. It happens for dependent
	// vertices, where rounding decides which of several equal supports is tried next. Such
	// rows have the last feasible memberships, and KKT says how good they are.
	Unsolved int
}

// join takes the diagnostics of other rows in.
func (i *SimplexInfo) join(other SimplexInfo) {
	i.KKT = max(i.KKT, other.KKT)
	i.Ridge = max(i.Ridge, other.Ridge)
	i.Fallbacks += other.Fallbacks
	i.Unsolved += other.Unsolved
}
