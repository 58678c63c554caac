package softkmeans

// The two ways of meeting the constraint g ≥ 0, Σg = 1: the nearest point of
// the simplex, and the point of the simplex whose mixture of given vertices is
// nearest to a sample (fully constrained least squares, as unmixing calls it).

import (
	"context"
	"math"
	"slices"
	"strconv"
)

// ProjectSimplex returns the point of the probability simplex {g ≥ 0, Σg = 1}
// that is nearest to v in the Euclidean norm: max(v_i − τ, 0) with the one τ
// that makes the sum 1. Entries that become 0 are exactly 0, and the sum is 1
// to one rounding. dst receives the result; nil allocates, and dst may be v. It
// panics if dst has another length. An empty v has an empty result; if v has a
// NaN or an infinity every entry of the result is NaN.
//
// The threshold comes from a sort of the candidates (Held, Wolfe & Crowder
// 1974) where they are few, otherwise from Condat's algorithm (2016), linear
// in practice.
func ProjectSimplex(dst, v []float64) []float64 { return ProjectScaledSimplex(dst, v, 1) }

// ProjectScaledSimplex is [ProjectSimplex] onto {g ≥ 0, Σg = radius}. It panics
// unless radius is positive and finite.
func ProjectScaledSimplex(dst, v []float64, radius float64) []float64 {
	if !(radius > 0) || math.IsInf(radius, 1) {
		panic("softkmeans: projection onto a simplex of radius " + decimal(radius))
	}
	if dst == nil {
		dst = make([]float64, len(v))
	}
	if len(dst) != len(v) {
		panic("softkmeans: dst has length " + strconv.Itoa(len(dst)) + ", v has " + strconv.Itoa(len(v)))
	}
	if len(v) == 0 {
		return dst
	}
	if _, ok := rowMaxAbs(v); !ok {
		for i := range dst {
			dst[i] = math.NaN()
		}
		return dst
	}
	// Relative to the largest entry and in units of the radius, only entries
	// above −1 can remain positive: the candidates. The rest may be −Inf; a
	// difference that overflows is larger than any radius.
	top := v[0]
	for _, x := range v {
		top = max(top, x)
	}
	count := 0
	for i, x := range v {
		dst[i] = (x - top) / radius
		if dst[i] <= -1 {
			dst[i] = math.Inf(-1)
		} else {
			count++
		}
	}
	var few [32]float64
	candidates := few[:0]
	if count > len(few) {
		candidates = make([]float64, 0, count)
	}
	for _, x := range dst {
		if x > -1 {
			candidates = append(candidates, x)
		}
	}
	var tau float64
	if count <= len(few) {
		tau = thresholdSorted(candidates)
	} else {
		tau = thresholdCondat(candidates)
	}
	// Once more on the support itself, to one rounding of a plain sum, while it
	// shrinks. Rounding can let an entry at the threshold in again, and out and
	// in for ever: whether it counts then changes nothing but the last bit.
	for n := len(dst) + 1; ; {
		sum, support := 0.0, 0
		for _, x := range dst {
			if x > tau {
				sum += x
				support++
			}
		}
		if support >= n || support == 0 {
			break
		}
		n = support
		tau = (sum - 1) / float64(n)
	}
	for i, x := range dst {
		dst[i] = max(x-tau, 0)
	}
	// To the radius as a number below 1 and a power of two, so that neither the
	// products nor their sum leave the range.
	part, exp := math.Frexp(radius)
	scale(dst, part)
	settle(dst, part)
	if exp == 1 {
		scale(dst, 2)
		return dst
	}
	for i, x := range dst {
		dst[i] = math.Ldexp(x, exp)
		if exp < -900 && math.Ldexp(dst[i], -exp) > x { // a denormal, which must not round up
			dst[i] = math.Nextafter(dst[i], 0)
		}
	}
	if exp < -900 {
		settle(dst, radius) // what they lost
	}
	return dst
}

// thresholdSorted sorts c in descending order and returns τ for radius 1.
func thresholdSorted(c []float64) float64 {
	for i := 1; i < len(c); i++ {
		for j := i; j > 0 && c[j] > c[j-1]; j-- {
			c[j], c[j-1] = c[j-1], c[j]
		}
	}
	var sum, tau float64
	for i, x := range c {
		sum += x
		t := (sum - 1) / float64(i+1)
		if t >= x {
			break
		}
		tau = t
	}
	return tau
}

// thresholdCondat is Algorithm 1 of L. Condat, Fast projection onto the simplex
// and the ℓ1 ball, Math. Program. 158 (2016). It overwrites y. The list v of
// entries taken to be active stands in y[keep:active], the list ṽ of those put
// aside in y[:keep]: each entry read from y is stored at or before its place.
func thresholdCondat(y []float64) float64 {
	rho := y[0] - 1
	keep, active := 0, 1
	for _, x := range y[1:] {
		if x <= rho {
			continue
		}
		y[active] = x
		rho += (x - rho) / float64(active-keep+1)
		if rho <= x-1 { // x alone raises the threshold past all before it
			keep = active
			rho = x - 1
		}
		active++
	}
	// Those put aside may still be active.
	count := active - keep
	v := y[:active]
	in := keep
	for i := keep - 1; i >= 0; i-- {
		if v[i] > rho {
			in--
			v[in], v[i] = v[i], v[in]
			count++
			rho += (v[in] - rho) / float64(count)
		}
	}
	v = v[in:]
	for changed := true; changed; {
		changed = false
		kept := v[:0]
		n := len(v)
		for _, x := range v {
			if x > rho {
				kept = append(kept, x)
				continue
			}
			n--
			rho += (rho - x) / float64(n)
			changed = true
		}
		v = kept
	}
	return rho
}

// SimplexOptions tunes [SimplexLeastSquares]. The zero value and nil are the
// defaults.
type SimplexOptions struct {
	Workers int     // 0: GOMAXPROCS; the result's bits do not depend on it
	Start   *Matrix // n×k memberships whose positive entries are tried first; nil: none. May be dst.
	Sum     Sum     // SumToOne (the default); SumAtMostOne: Σg ≤ 1, by a vertex at 0 that is not part of the result
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

// SimplexLeastSquares returns for every row of x (n×d) the weights g ≥ 0, Σg = 1
// that minimise ‖x − Σ_j g_j·vertex_j‖² (n×k for k vertices, the rows of a k×d
// matrix). The solution is exact, not iterated to a tolerance: the optimality
// (KKT) conditions of an active-set method hold to rounding, entries off the
// support are exactly 0, rows add up to 1 to one rounding.
//
// Vertices and samples are shifted by the vertices' mean and all rows share the
// k×k matrix A = FFᵀ + ρ11ᵀ, which is definite whenever the vertices are
// affinely independent and has the same minimisers. With support S the
// solution is g_S = A_SS⁻¹(b_S − μ1), μ = (1ᵀA_SS⁻¹b_S − 1)/(1ᵀA_SS⁻¹1); it is
// optimal iff g_S ≥ 0 and (Ag − b)_i + μ ≥ 0 off S. All infeasible indices are
// exchanged at once while that helps (Kim & Park 2011), one at a time in a
// feasible descent otherwise. Rows with the same support share one Cholesky
// factor, as in Van Benthem & Keenan (2004).
//
// dst receives the result; nil allocates, a wrong shape panics, and dst may be
// x itself. Cost: O(ndk) and O(k²) a row and support tried. Errors: [ErrShape],
// [ErrNonFinite], [ErrTooFewSamples] without vertices, [ErrOption]; on an error
// dst is unchanged.
func SimplexLeastSquares(dst, x, vertices *Matrix, opts *SimplexOptions) (*Matrix, SimplexInfo, error) {
	var o SimplexOptions
	if opts != nil {
		o = *opts
	}
	none := SimplexInfo{}
	if o.Workers < 0 {
		return nil, none, fail(ErrOption, "Workers is "+strconv.Itoa(o.Workers))
	}
	if o.Sum != SumToOne && o.Sum != SumAtMostOne {
		return nil, none, fail(ErrOption, "Sum is "+o.Sum.String())
	}
	if err := checkShape("x", x); err != nil {
		return nil, none, err
	}
	if err := checkMatrix("vertices", vertices); err != nil {
		return nil, none, err
	}
	if vertices.Rows == 0 {
		return nil, none, fail(ErrTooFewSamples, "no vertices")
	}
	if x.Cols != vertices.Cols {
		return nil, none, fail(ErrShape, "x has "+strconv.Itoa(x.Cols)+" columns, the vertices have "+strconv.Itoa(vertices.Cols))
	}
	if k := vertices.Rows; k >= math.MaxInt32 || !fits(x.Rows, k) || !fits(k+1, k+1) {
		return nil, none, fail(ErrShape, strconv.Itoa(k)+" vertices for "+strconv.Itoa(x.Rows)+" rows: the result is too large to address")
	}
	workers, ctx := workerCount(o.Workers), context.Background()
	if _, err := finiteMax(ctx, "x", x, workers); err != nil {
		return nil, none, err
	}
	if o.Start != nil {
		if err := checkMatrix("Start", o.Start); err != nil {
			return nil, none, err
		}
		if o.Start.Rows != x.Rows || o.Start.Cols != vertices.Rows {
			return nil, none, fail(ErrShape, "Start is "+shape(o.Start.Rows, o.Start.Cols)+", the result is "+shape(x.Rows, vertices.Rows))
		}
	}
	dst = destination(dst, x.Rows, vertices.Rows)
	info, err := newSimplexProblem(vertices, o.Sum).solve(ctx, dst, x, o.Start, workers)
	return dst, info, err
}

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
	given, d := vertices.Dims()
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

// resized returns n floats of any content, those of buf if it has room.
func resized(buf []float64, n int) []float64 {
	if cap(buf) < n {
		return make([]float64, n)
	}
	return buf[:n]
}

// reshaped is resized for a matrix without gaps.
func reshaped(m *Matrix, rows, cols int) *Matrix {
	if m == nil {
		return NewMatrix(rows, cols, nil)
	}
	*m = Matrix{Rows: rows, Cols: cols, Stride: cols, Data: resized(m.Data, rows*cols)}
	return m
}

// addRidge makes A definite.
func (p *simplexProblem) addRidge(share float64) {
	p.ridge = share * p.top
	for j := range p.k {
		p.gram.row(j)[j] += p.ridge
	}
}

// cholesky factors the k×k matrix a = LLᵀ in place (L on and below the
// diagonal). It reports false if a pivot is not above 0.
func cholesky(a []float64, k int) bool {
	for j := range k {
		lj := a[j*k : j*k+j]
		pivot := a[j*k+j] - sumSquares(lj)
		if !(pivot > 0) {
			return false
		}
		r := math.Sqrt(pivot)
		a[j*k+j] = r
		for i := j + 1; i < k; i++ {
			a[i*k+j] = (a[i*k+j] - dot(lj, a[i*k:i*k+j])) / r
		}
	}
	return true
}

// cholSolve overwrites b with (LLᵀ)⁻¹b.
func cholSolve(l []float64, k int, b []float64) {
	for i := range k {
		b[i] = (b[i] - dot(l[i*k:i*k+i], b)) / l[i*k+i]
	}
	for i := k - 1; i >= 0; i-- {
		b[i] /= l[i*k+i]
		axpy(b[:i], -b[i], l[i*k:i*k+i])
	}
}

// cholInverse overwrites inv with (LLᵀ)⁻¹ = L⁻ᵀL⁻¹, and L with L⁻¹.
func cholInverse(inv, l []float64, k int) {
	for i := range k { // row i of L⁻¹ from those above it
		row, own := inv[:i+1], l[i*k:i*k+i+1]
		clear(row)
		row[i] = 1
		for j, v := range own[:i] {
			axpy(row[:j+1], -v, l[j*k:j*k+j+1])
		}
		scale(row, 1/own[i])
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

// solve fills dst with the memberships of the rows of x, which are finite.
func (p *simplexProblem) solve(ctx context.Context, dst, x, start *Matrix, workers int) (SimplexInfo, error) {
	infos := make([]SimplexInfo, chunks(x.Rows, p.d, manyChunks))
	err := p.eachSolved(ctx, workers, dst, x, start, manyChunks, func(at block, info SimplexInfo) { infos[at.chunk].join(info) })
	total := SimplexInfo{}
	for _, f := range infos {
		total.join(f)
	}
	return total, err
}

// join takes the diagnostics of other rows in.
func (i *SimplexInfo) join(other SimplexInfo) {
	i.KKT = max(i.KKT, other.KKT)
	i.Ridge = max(i.Ridge, other.Ridge)
	i.Fallbacks += other.Fallbacks
	i.Unsolved += other.Unsolved
}

// eachSolved solves block by block and calls fn with each block once its rows
// of dst are there: what else a pass over x is for can be done while they are in
// the cache. Chunks and their order are those of eachBlock with rows of p.d
// numbers; fn may overwrite the block's scratch, p.d+k numbers an item.
func (p *simplexProblem) eachSolved(ctx context.Context, workers int, dst, x, start *Matrix, most int, fn func(at block, info SimplexInfo)) error {
	solvers := make([]rowSolver, min(workers, chunks(x.Rows, p.d, most))) // workers may be any number
	return eachBlock(ctx, workers, x.Rows, p.d, most, p.d+p.k, func(at block) {
		info := SimplexInfo{}
		solver := &solvers[at.worker]
		if solver.p == nil {
			solver.begin(p)
		}
		if !p.same(dst, at.lo, at.hi, &info) {
			solver.rows(ctx, dst, start, p.products(at, x), at.lo, at.hi, &info)
		}
		fn(at, info)
	})
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
			settle(row, 1)
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

// support is the part of the problem on a set S of vertices.
type support struct {
	index []int     // S, ascending
	chol  []float64 // L of A_SS = LLᵀ, its diagonal inverted
	h     []float64 // A_SS⁻¹1
	sum   float64   // 1ᵀh
	ok    bool      // A_SS is not singular to working accuracy
}

// supports remembers the factors of the supports that were met, by S as bits, in
// memory that serves the next problem again: a hash table with open addressing.
type supports struct {
	words  int // of a key
	slots  []int32
	all    []support
	keys   []uint64 // of all
	floats []float64
	ints   []int
	held   int // floats in use
}

// reset forgets all supports; k is of those to come.
func (t *supports) reset(k int) {
	t.words, t.held = (k+63)/64, 0
	t.all, t.keys, t.floats, t.ints = t.all[:0], t.keys[:0], t.floats[:0], t.ints[:0]
	if t.slots == nil {
		t.slots = make([]int32, 32)
	}
	clear(t.slots)
}

// find returns the place of a key in slots, and what is there, nil if nothing.
func (t *supports) find(key []uint64) (slot int, s *support) {
	var h uint64
	for _, w := range key {
		h = (h ^ w) * 0x9e3779b97f4a7c15
		h ^= h >> 32
	}
	mask := len(t.slots) - 1
	for slot = int(h) & mask; ; slot = (slot + 1) & mask {
		at := int(t.slots[slot]) - 1
		if at < 0 {
			return slot, nil
		}
		if slices.Equal(t.keys[at*t.words:(at+1)*t.words], key) {
			return slot, &t.all[at]
		}
	}
}

// mostHeld is how many floats are held: rows whose supports all differ gain nothing
// from memory.
const mostHeld = 1 << 18

// add makes room for a support of `count` vertices under a key that was not
// found. Supports returned earlier are of no use after that.
func (t *supports) add(slot int, key []uint64, count int) *support {
	size := count * (count + 1)
	if t.held += size + count; t.held > mostHeld {
		t.reset(64 * t.words)
		t.held = size + count
		slot, _ = t.find(key)
	}
	if 2*len(t.all)+2 > len(t.slots) {
		t.slots = make([]int32, 2*len(t.slots))
		for at := range t.all {
			again, _ := t.find(t.keys[at*t.words : (at+1)*t.words])
			t.slots[again] = int32(at + 1)
		}
		slot, _ = t.find(key)
	}
	// Supports keep what they are cut from when it is full.
	if cap(t.floats)-len(t.floats) < size {
		t.floats = make([]float64, 0, max(2*cap(t.floats), size, 32))
	}
	if cap(t.ints)-len(t.ints) < count {
		t.ints = make([]int, 0, max(2*cap(t.ints), count, 8))
	}
	f, i := len(t.floats), len(t.ints)
	t.floats, t.ints = t.floats[:f+size], t.ints[:i+count]
	t.keys = append(t.keys, key...)
	t.all = append(t.all, support{index: t.ints[i : i : i+count], chol: t.floats[f : f+count*count], h: t.floats[f+count*count : f+size]})
	t.slots[slot] = int32(len(t.all))
	return &t.all[len(t.all)-1]
}

// invertedCholesky is cholesky with the reciprocals of L's diagonal in its place.
func invertedCholesky(a []float64, n int) bool {
	for i := range n {
		row := a[i*n : i*n+i+1]
		pivot := row[i]
		for j := range i {
			other := a[j*n : j*n+j+1]
			sum := row[j]
			for l, v := range other[:j] {
				sum -= v * row[l]
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

// invertedSolve is cholSolve for invertedCholesky.
func invertedSolve(l []float64, n int, b []float64) {
	b = b[:n]
	for i := range b {
		row := l[i*n : i*n+i+1]
		sum := b[i]
		for j, v := range row[:i] {
			sum -= v * b[j]
		}
		b[i] = sum * row[i]
	}
	for i := n - 1; i >= 0; i-- {
		row := l[i*n : i*n+i+1]
		v := b[i] * row[i]
		b[i] = v
		for j, u := range row[:i] {
			b[j] -= u * v
		}
	}
}

// rowSolver solves row after row, and remembers the factors of the supports
// that it met. Its memory serves one problem after the other.
type rowSolver struct {
	p       *simplexProblem
	known   supports
	in      []bool   // S in work
	key     []uint64 // S as bits
	g, w    []float64
	rhs     []float64
	step    []float64 // of refinement
	part    []float64 // of g: its entries on S
	current []float64 // of the fine solver: memberships in work
	all     []float64 // the solution, the origin's membership included
	now     []float64 // of descend
	barred  []bool
	fine    *rowSolver // for the second round of proximal steps
}

func newRowSolver(p *simplexProblem) *rowSolver {
	r := &rowSolver{}
	r.begin(p)
	return r
}

// begin turns to another problem, or to another one that p has been set to.
func (r *rowSolver) begin(p *simplexProblem) {
	k := p.k
	r.p = p
	r.known.reset(k)
	if len(r.in) != k {
		r.in, r.barred, r.key = make([]bool, k), make([]bool, k), make([]uint64, (k+63)/64)
		floats := make([]float64, 8*k)
		for i, v := range []*[]float64{&r.g, &r.w, &r.rhs, &r.step, &r.part, &r.current, &r.all, &r.now} {
			*v = floats[i*k : (i+1)*k : (i+1)*k]
		}
	}
	if r.fine != nil && p.ridge > 0 {
		r.fine.begin(p.fine)
	}
}

// rows solves rows lo…hi−1 of dst for their linear terms b, unless ctx ends.
// start has supports to try first; nil: none.
func (r *rowSolver) rows(ctx context.Context, dst, start *Matrix, b []float64, lo, hi int, info *SimplexInfo) {
	k := r.p.k
	if r.p.ridge > 0 {
		info.Ridge = ridgeShare
	}
	long := k > 64 // a row of so many may take milliseconds
	for i := lo; i < hi && !(long && stopped(ctx)); i++ {
		var warm []float64
		if start != nil {
			warm = start.row(i)
		}
		r.solve(dst.row(i), b[:k], warm, info)
		b = b[k:]
	}
}

// solve overwrites g with the solution for the linear term b; the origin's
// membership is not part of g.
func (r *rowSolver) solve(g, b, warm []float64, info *SimplexInfo) {
	size := r.p.top
	for _, v := range b {
		size = max(size, math.Abs(v))
	}
	some, rest := false, 1.0
	for j := range r.in {
		if j < len(warm) {
			rest -= warm[j]
			r.in[j] = warm[j] > 0
		} else {
			r.in[j] = warm == nil || rest > 1e-12
		}
		some = some || r.in[j]
	}
	if !some {
		r.in[0] = true
	}
	if r.p.ridge == 0 {
		r.minimise(b, size, info)
		copy(r.all, r.g)
	} else {
		r.proximal(r.all, b, size, info)
	}
	settle(r.all, 1)
	copy(g, r.all)
}

// proximal solves for dependent vertices: each step adds ridge·‖g − g_t‖²/2 to
// the objective, which makes it strictly convex, and from g₀ = 1/k on the steps
// go to the minimiser of least norm without the bias of a fixed ridge
// (Rockafellar 1976). Steps with the smaller ridge follow; they count only where
// they lower the objective by more than rounding, which they do for vertices
// that are close but not the same.
func (r *rowSolver) proximal(g, b []float64, size float64, info *SimplexInfo) {
	for j := range g {
		g[j] = 1 / float64(len(g))
	}
	chosen, other := *info, *info
	r.approach(g, b, size, &chosen)
	if r.fine == nil {
		r.fine = newRowSolver(r.p.fine)
	}
	copy(r.fine.in, r.in)
	copy(r.fine.current, g)
	r.fine.approach(r.fine.current, b, size, &other)
	if r.fine.cost(r.fine.current, b) < r.fine.cost(g, b)-float64(8*len(g))*0x1p-52*size {
		copy(g, r.fine.current)
		chosen = other
	}
	*info = chosen
}

// approach takes up to ten proximal steps from g.
func (r *rowSolver) approach(g, b []float64, size float64, info *SimplexInfo) {
	for range 10 {
		for j, v := range b {
			r.rhs[j] = v + r.p.ridge*g[j]
		}
		r.minimise(r.rhs, size, info)
		var change float64
		for j, v := range r.g {
			change = max(change, math.Abs(v-g[j]))
			r.in[j] = v > 0
		}
		copy(g, r.g)
		if change <= 1e-9 {
			break
		}
	}
}

// cost is gᵀAg/2 − bᵀg without the ridge.
func (r *rowSolver) cost(g, b []float64) (sum float64) {
	for i, v := range g {
		if v != 0 {
			sum += v * ((dot(r.p.gram.row(i), g)-r.p.ridge*v)/2 - b[i])
		}
	}
	return sum
}

// minimise leaves in r.g the minimiser for the linear term b, from the support
// in r.in.
func (r *rowSolver) minimise(b []float64, size float64, info *SimplexInfo) {
	tol := float64(r.p.k) * 0x1p-52 * size
	// Exchange all that is infeasible, while their number falls (three rounds
	// of grace each time it reaches a new low).
	least, grace := r.p.k+1, 3
	for {
		s := r.factor()
		if s == nil {
			break
		}
		worst := r.evaluate(s, b, tol)
		bad := 0
		for j, on := range r.in {
			if on && r.g[j] < 0 || !on && r.w[j] < -tol {
				bad++
			}
		}
		if bad == 0 {
			info.KKT = max(info.KKT, worst/size)
			return
		}
		if bad < least {
			least, grace = bad, 3
		} else if grace--; grace < 0 {
			break
		}
		best, some := 0, false
		for j, on := range r.in {
			if r.g[j] > r.g[best] {
				best = j
			}
			if on {
				r.in[j] = r.g[j] >= 0
			} else {
				r.in[j] = r.w[j] < -tol
			}
			some = some || r.in[j]
		}
		if !some {
			r.in[best] = true
		}
	}
	info.Fallbacks++
	r.descend(b, size, tol, info)
}

// descend is the feasible active-set method: from the best vertex, one vertex
// in or out at a time, the objective falling strictly, so that it ends.
func (r *rowSolver) descend(b []float64, size, tol float64, info *SimplexInfo) {
	k := r.p.k
	best := 0
	cost := func(j int) float64 { return r.p.gram.row(j)[j]/2 - b[j] }
	for j := range k {
		if cost(j) < cost(best) {
			best = j
		}
	}
	now := r.now
	barred := r.barred // came in and went straight out again: rounding
	clear(now)
	clear(barred)
	now[best] = 1
	clear(r.in)
	r.in[best] = true
	entered := -1
	for range 50 * (k + 1) {
		s := r.factor()
		if s == nil && entered < 0 {
			break
		}
		if s == nil { // the newcomer depends on the others to working accuracy
			r.in[entered], barred[entered] = false, true
			continue
		}
		worst := r.evaluate(s, b, tol)
		step, out := 1.0, -1
		for _, j := range s.index {
			if r.g[j] <= 0 {
				if t := now[j] / (now[j] - r.g[j]); now[j] == 0 || t < step {
					step, out = t, j
					if now[j] == 0 {
						step = 0
					}
				}
			}
		}
		if out >= 0 {
			if step == 0 && out == entered {
				barred[out] = true
			}
			for _, j := range s.index {
				now[j] += step * (r.g[j] - now[j])
			}
			now[out], r.in[out] = 0, false
			continue
		}
		copy(now, r.g)
		entered = -1
		for j, on := range r.in {
			if !on && !barred[j] && r.w[j] < -tol && (entered < 0 || r.w[j] < r.w[entered]) {
				entered = j
			}
		}
		if entered < 0 {
			info.KKT = max(info.KKT, worst/size)
			return
		}
		r.in[entered] = true
	}
	info.Unsolved++
	var mu, sum float64
	for j, v := range now {
		r.g[j] = max(v, 0)
		sum += r.g[j]
	}
	for j, v := range r.g {
		r.w[j] = dot(r.p.gram.row(j), r.g) - b[j]
		mu -= v / sum * r.w[j]
	}
	for j, v := range r.g {
		off := -(r.w[j] + mu)
		if v > 0 {
			off = math.Abs(off)
		}
		info.KKT = max(info.KKT, off/size)
	}
}

// factor returns the factorization for the support in r.in, or nil if A_SS is
// singular to working accuracy.
func (r *rowSolver) factor() *support {
	clear(r.key)
	count := 0
	for j, on := range r.in {
		if on {
			r.key[j>>6] |= 1 << (j & 63)
			count++
		}
	}
	slot, s := r.known.find(r.key)
	if s == nil {
		s = r.known.add(slot, r.key, count)
		for j, on := range r.in {
			if on {
				s.index = append(s.index, j)
			}
		}
		for a, i := range s.index {
			row, out := r.p.gram.row(i), s.chol[a*count:a*count+a+1]
			for c, j := range s.index[:a+1] {
				out[c] = row[j]
			}
			s.h[a] = 1
		}
		s.sum = 0
		if s.ok = invertedCholesky(s.chol, count); s.ok {
			invertedSolve(s.chol, count, s.h)
			for _, v := range s.h {
				s.sum += v
			}
		}
	}
	if !s.ok {
		return nil
	}
	return s
}

// evaluate sets r.g to the solution on S, zero elsewhere, and r.w to the
// gradient Ag − b + μ. It returns the largest violation of the optimality
// conditions: of w = 0 on S and w ≥ 0 off it.
func (r *rowSolver) evaluate(s *support, b []float64, tol float64) (worst float64) {
	n := len(s.index)
	y := r.w[:n] // scratch until the gradient comes
	// A constant added to b changes μ alone. Without it a feasible solution's
	// b is no larger than A, however far away the sample is, and nothing cancels.
	shift := b[s.index[0]]
	for a, j := range s.index {
		y[a] = b[j] - shift
	}
	invertedSolve(s.chol, n, y)
	total := -1.0
	for _, v := range y {
		total += v
	}
	mu := total / s.sum
	clear(r.g)
	for a, j := range s.index {
		r.g[j] = y[a] - mu*s.h[a]
	}
	// Vertices of very different sizes leave y and h large and their difference
	// inexact: steps of iterative refinement, seldom needed, mend that.
	for range 4 {
		var off float64
		off, worst = r.gradient(s, b, shift, mu)
		if off <= tol/4 {
			break
		}
		y = r.step[:n]
		total = -1
		for a, j := range s.index {
			y[a] = r.w[j]
			total += r.g[j]
		}
		invertedSolve(s.chol, n, y)
		for _, v := range y {
			total -= v
		}
		change := total / s.sum
		for a, j := range s.index {
			r.g[j] -= y[a] + change*s.h[a]
		}
		mu += change
	}
	return worst
}

// gradient sets r.w to Ag − b + μ, for b shifted. It returns the largest |w| on
// S, and the largest violation of w = 0 on S and w ≥ 0 off it.
func (r *rowSolver) gradient(s *support, b []float64, shift, mu float64) (off, worst float64) {
	for i, v := range b {
		r.w[i] = mu - (v - shift)
	}
	part := r.part[:len(s.index)]
	for a, j := range s.index {
		part[a] = r.g[j]
	}
	addRows(r.w, part, s.index, r.p.gram.Data)
	for i, v := range r.w {
		if r.in[i] {
			v = -math.Abs(v)
			off = max(off, -v)
		}
		worst = max(worst, -v)
	}
	return off, worst
}
