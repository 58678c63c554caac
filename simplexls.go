package softkmeans

// Least squares on the simplex: the mixture of given vertices that is nearest to a sample. Unmixing calls
// this fully constrained least squares. The solver is in activeset.go.

import (
	"cmp"
	"math"
	"slices"
	"strconv"
)

// SimplexLeastSquares returns memberships of the rows of x (n×d) in given vertices (k×d), as an n×k matrix.
// Each row of the result contains the weights g ≥ 0 with Σg = 1 that minimise ‖x − Σ_j g_j·vertex_j‖². It
// reads the options Workers and Sum. dst receives the result; nil allocates.
//
// The optimality conditions hold to rounding. Entries off the support are exactly 0, and rows add up to 1 to
// one rounding. If vertices are affinely dependent, as for k > d+1, the weights have the least norm, with
// errors of up to 1e-9 in the conditions. Cost: O(ndk), and O(k²) for each row and support tried. Errors:
// [ErrShape], [ErrNonFinite], [ErrRange], [ErrTooFewSamples] without vertices, [ErrOption].
func SimplexLeastSquares(dst, x, vertices *Matrix, opts *Options) (*Matrix, error) {
	o := orZero(opts)
	err := cmp.Or(o.only("SimplexLeastSquares", "Sum"), checkCount("Workers", o.Workers),
		checkEnum("Sum", o.Sum, sumCount), checkShape("x", x), checkMatrix("vertices", vertices, mostCenter))
	if err != nil {
		return nil, err
	}
	if vertices.Rows == 0 {
		return nil, fail(ErrTooFewSamples, "no vertices")
	}
	by := openEnded(o.Workers)
	if err := cmp.Or(checkNewRows(x.Rows, x.Cols, vertices), checkRange(by, "x", x)); err != nil {
		return nil, err
	}
	dst = destination(dst, x.Rows, vertices.Rows)
	return dst, newSimplexProblem(vertices, o.Sum, false).solve(by, dst, x)
}

// checkNewRows returns an error unless rows of the given shape can be compared with the centers.
func checkNewRows(rows, cols int, centers *Matrix) error {
	k := centers.Rows
	if cols != centers.Cols {
		return fail(ErrShape,
			"x has "+strconv.Itoa(cols)+" columns, the centers have "+strconv.Itoa(centers.Cols))
	}
	return cmp.Or(checkSize("the result", rows, k), checkSize("the centers' Gram matrix", k+1, k+1))
}

// simplexProblem is the part of the problem that all rows share: A = FFᵀ + ρ11ᵀ for the vertices F less their
// mean. A has the minimisers of FFᵀ, and is definite if the vertices are affinely independent.
type simplexProblem struct {
	k, d     int             // vertices, the origin included, and columns
	atMost   bool            // the last vertex is the origin: Σ of the others ≤ 1
	exp      int             // vertices and samples are scaled by 2^-exp
	centre   []float64       // the mean of the vertices, scaled; 0 if atMost
	vertices *Matrix         // k×d, centred and scaled: largest entry in [½, 1)
	gram     *Matrix         // A, k×k, ridge included
	top      float64         // largest entry of A
	ridge    float64         // on A's diagonal; 0 unless it was singular
	fine     *simplexProblem // the same with a smaller ridge; used if ridge > 0
	flat     bool            // all vertices coincide
	// once: for affinely dependent vertices: take one proximal step, not up to ten.
	once bool
	// local: for affinely dependent vertices: mix the nearest vertices; do not look for the memberships of
	// least norm.
	local bool
	// near: the mean of the vertices is no farther from the origin than the vertices are from the mean. Then
	// x·v − offset, with offset = mean·v, is as accurate as (x − mean)·v.
	near          bool
	offset        []float64
	chol, inverse []float64 // scratch
	// fast: the fields below may solve rows with few vertices off their support. With h = A⁻¹1, P = A⁻¹ −
	// hhᵀ/Σh and level = h/Σh, the memberships without bounds are P·b + level. Multipliers w of memberships
	// that must be 0 add P·w.
	fast      bool
	projected []float64 // P, k×k; nil if not fast or A is too badly conditioned
	level, h  []float64
}

// The sizes of the proximal steps for dependent vertices, relative to A's largest entry. The first balances
// rounding and the bias of one step. Close vertices require the second, for which A can still be factored.
const (
	ridgeShare = 0x1p-30
	fineShare  = 0x1p-38
)

func newSimplexProblem(vertices *Matrix, sum Sum, local bool) *simplexProblem {
	p := &simplexProblem{local: local}
	p.set(vertices, sum)
	return p
}

// set makes p the problem for these vertices. After the first call for a shape it allocates nothing.
func (p *simplexProblem) set(vertices *Matrix, sum Sum) {
	p.k, p.d, p.atMost = vertices.Rows, vertices.Cols, sum == SumAtMostOne
	if p.atMost {
		p.k++
	}
	p.ridge, p.top, p.projected = 0, 0, nil
	top := p.centreVertices(vertices)
	if p.flat = p.d == 0 || top < negligible || p.coincide(); p.flat {
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
	// Near vertices take products of uncentred rows. No digits are lost, since the centre is no farther from
	// 0 than a vertex is from the centre.
	p.near = p.exp >= -mostDistance && sumSquares(p.centre) <= p.top
	p.offset = resized(p.offset, k)
	for j := range k {
		p.offset[j] = dot(p.centre, p.vertices.row(j))
	}
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

// centreVertices sets centre, vertices and exp. It returns the largest magnitude of the centred vertices.
func (p *simplexProblem) centreVertices(vertices *Matrix) float64 {
	given := vertices.Rows
	p.centre = resized(p.centre, p.d)
	p.vertices = reshaped(p.vertices, p.k, p.d)
	clear(p.centre)
	_, p.exp = math.Frexp(max(maxAbs(vertices), leastScale))
	f := math.Ldexp(1, -p.exp)
	clear(p.vertices.Data) // the last remains 0 if it is the origin
	for j := 0; j < given && !p.atMost; j++ {
		axpy(p.centre, f/float64(p.k), vertices.row(j))
	}
	for j := range given {
		shift(p.vertices.row(j), vertices.row(j), p.centre, f)
	}
	return maxAbs(p.vertices)
}

// coincide reports whether all rows of p.vertices are the same.
func (p *simplexProblem) coincide() bool {
	for j := 1; j < p.k; j++ {
		if !slices.Equal(p.vertices.row(j), p.vertices.row(0)) {
			return false
		}
	}
	return true
}

// dependent reports whether the smallest eigenvalue of A is 0 to working accuracy. It computes ‖A‖‖A⁻¹‖ in
// the Frobenius norm: pivots may not show dependence (Kahan), and eigenvalues take longer. The norm may be
// too large by a factor of k, so dependent may err on the side of dependence, which costs only time.
func (p *simplexProblem) dependent() bool {
	k := p.k
	p.chol, p.inverse = resized(p.chol, k*k), resized(p.inverse, k*k)
	copy(p.chol, p.gram.Data)
	if !cholesky(p.chol, k) {
		return true
	}
	cholInverse(p.inverse, p.chol, k)
	condition := norm2(p.inverse) * norm2(p.gram.Data) * float64(k)
	if p.fast && condition < fastCondition {
		p.project()
	}
	return !(condition < 0x1p50)
}

// Fast problems use A⁻¹ if the condition of A is below fastCondition. On mixtures of smooth curves 3 of 659
// and 4 of 2374 passes were above it, on tables with classes none.
const fastCondition = 0x1p26

// project reads A⁻¹ from inverse. It sets h, level and projected, which is P and overwrites inverse.
func (p *simplexProblem) project() {
	k := p.k
	p.level, p.h = resized(p.level, k), resized(p.h, k)
	var sum float64
	for j := range k {
		p.h[j] = sumOf(p.inverse[j*k : (j+1)*k])
		sum += p.h[j]
	}
	for j, h := range p.h {
		p.level[j] = h / sum
		axpy(p.inverse[j*k:(j+1)*k], -p.level[j], p.h)
	}
	p.projected = p.inverse
}

// addRidge adds share·top to the diagonal of A, which makes A definite.
func (p *simplexProblem) addRidge(share float64) {
	p.ridge = share * p.top
	for j := range p.k {
		p.gram.row(j)[j] += p.ridge
	}
}

// same sets all memberships in rows lo…hi−1 of dst to 1/k and returns true if k is 1 or all vertices
// coincide. Otherwise it returns false.
func (p *simplexProblem) same(dst *Matrix, lo, hi int) bool {
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
	return true
}

// productsNear sets b to the linear terms that products would return for the rows x. It assumes that p.near
// is set, and that entries of x are of size 1 or so.
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

// products returns the products of the block's rows with the vertices, both centred and scaled, p.k numbers a
// row.
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

// mostDistance is a distance, as a power of two of the vertices' size. Of farther samples only the direction
// counts.
const mostDistance = 400

// pack writes the centred, scaled x to dst. An x beyond mostDistance moves to about that distance from the
// vertices' mean.
func (p *simplexProblem) pack(dst, x []float64) {
	shift(dst, x, p.centre, math.Ldexp(1, -p.exp))
	if top, _ := rowMaxAbs(dst); top < 1<<mostDistance {
		return
	}
	for i, v := range x { // again in units of 2^600, since entries may be infinite
		dst[i] = math.Ldexp(v, -p.exp-600) - math.Ldexp(p.centre[i], -600)
	}
	top, _ := rowMaxAbs(dst)
	_, e := math.Frexp(top)
	scale(dst, math.Ldexp(1, mostDistance-e))
}

// solve fills dst with the memberships of the rows of x. It assumes that the rows are in range.
func (p *simplexProblem) solve(by parallelism, dst, x *Matrix) error {
	over := chunking{x.Rows, p.d, manyChunks}
	return p.solveBlocks(by, over, p.d+p.k, dst, func(at block) []float64 {
		return p.products(at, x)
	})
}

// solveBlocks fills dst with memberships. products returns the linear terms of a block, p.k numbers a row.
// The block provides scratch space for `floats` numbers an item.
func (p *simplexProblem) solveBlocks(by parallelism, over chunking, floats int, dst *Matrix,
	products func(at block) []float64) error {
	// The option may ask for any number of workers.
	solvers := make([]rowSolver, min(by.workers, chunks(over.n, over.l, over.most)))
	return by.eachBlock(over, floats, func(at block) {
		solver := &solvers[at.worker]
		if solver.p == nil {
			solver.begin(p)
		}
		if !p.same(dst, at.lo, at.hi) {
			solver.rows(by.ctx, dst, nil, at.lo, at.hi, products(at))
		}
	})
}
