package softkmeans

// The two ways of meeting the constraint g ≥ 0, Σg = 1: the nearest point of
// the simplex, and the point of the simplex whose mixture of given vertices is
// nearest to a sample (fully constrained least squares, as unmixing calls it).

import (
	"context"
	"math"
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
		panic("softkmeans: projection onto a simplex of radius " + strconv.FormatFloat(radius, 'g', -1, 64))
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
	// may reach 1e-10 for vertices that are dependent (Ridge > 0) and of very
	// different sizes, where no active-set step is accurate enough to mend it.
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
	if k := vertices.Rows; !fits(x.Rows, k) || !fits(k+1, k+1) {
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
	fine     *simplexProblem // the same with a smaller ridge; nil unless A was singular
	flat     bool            // all vertices coincide
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
	if sum == SumAtMostOne {
		with := NewMatrix(vertices.Rows+1, vertices.Cols, nil)
		for j := range vertices.Rows {
			copy(with.row(j), vertices.row(j))
		}
		vertices = with
	}
	k, d := vertices.Rows, vertices.Cols
	p := &simplexProblem{k: k, d: d, atMost: sum == SumAtMostOne, centre: make([]float64, d), vertices: NewMatrix(k, d, nil)}
	var top float64
	for j := range k {
		big, _ := rowMaxAbs(vertices.row(j))
		top = max(top, big)
	}
	_, p.outer = math.Frexp(top)
	p.outer = max(p.outer, -1020)
	f := math.Ldexp(1, -p.outer)
	for j := range k {
		axpy(p.centre, f/float64(k), vertices.row(j))
	}
	top = 0
	for j := range k {
		out := p.vertices.row(j)
		for i, v := range vertices.row(j) {
			out[i] = f*v - p.centre[i]
		}
		big, _ := rowMaxAbs(out)
		top = max(top, big)
	}
	// Vertices that differ by no more than the rounding of their mean are one.
	if top <= 0x1p-51 {
		p.flat = true
		for j := 1; j < k && p.flat; j++ {
			for i, v := range vertices.row(j) {
				p.flat = p.flat && v == vertices.row(0)[i]
			}
		}
	}
	if p.flat || d == 0 {
		p.flat = true
		return p
	}
	_, p.inner = math.Frexp(top)
	p.inner = max(p.inner, -1020)
	scale(p.vertices.Data, math.Ldexp(1, -p.inner))
	p.gram = NewMatrix(k, k, nil)
	addMulNT(p.gram.Data, k, p.vertices.Data, k, p.vertices.Data, k, d, true)
	mirror(p.gram.Data, k)
	for j := range k {
		p.top = max(p.top, p.gram.row(j)[j])
	}
	rho := p.top
	for i := range p.gram.Data {
		p.gram.Data[i] += rho
	}
	p.top += rho
	// Eigenvalues tell dependence where pivots, which rounding errors grow in,
	// may not.
	values, _ := eigenSym(context.Background(), p.gram.Clone(), false)
	if k > d+1 || values[k-1] <= float64(k)*0x1p-50*values[0] {
		fine := *p
		p.fine = &fine
		p.fine.addRidge(fineShare)
		p.addRidge(ridgeShare)
	}
	return p
}

// addRidge makes A definite.
func (p *simplexProblem) addRidge(share float64) {
	p.ridge = share * p.top
	p.gram = p.gram.Clone()
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
	k := p.k
	solvers := make([]*rowSolver, workers)
	return eachBlock(ctx, workers, x.Rows, p.d, most, p.d+k, func(at block) {
		info := SimplexInfo{}
		if p.flat || k == 1 {
			for i := at.lo; i < at.hi; i++ {
				row := dst.row(i)
				for j := range row {
					row[j] = 1 / float64(k)
				}
				if !p.atMost {
					settle(row, 1)
				}
			}
			if k > 1 {
				info.Ridge = ridgeShare
			}
			fn(at, info)
			return
		}
		if p.ridge > 0 {
			info.Ridge = ridgeShare
		}
		if solvers[at.worker] == nil {
			solvers[at.worker] = newRowSolver(p)
		}
		m := at.hi - at.lo
		b := p.products(at, x)
		for i := range m {
			var warm []float64
			if start != nil {
				warm = start.row(at.lo + i)
			}
			solvers[at.worker].solve(dst.row(at.lo+i), b[i*k:(i+1)*k], warm, &info)
		}
		fn(at, info)
	})
}

// products returns the block's rows times the vertices, both centred and scaled:
// b, p.k numbers a row, in the block's scratch of p.d+p.k numbers a row.
func (p *simplexProblem) products(at block, x *Matrix) []float64 {
	m, k := at.hi-at.lo, p.k
	rows, b := at.scratch[:m*p.d], at.scratch[m*p.d:m*(p.d+k)]
	clear(b)
	late := map[int]int{} // rows to be scaled up once multiplied
	for i := range m {
		if e := p.pack(rows[i*p.d:(i+1)*p.d], x.row(at.lo+i)); e != 0 {
			late[i] = e
		}
	}
	addMulNT(b, k, rows, m, p.vertices.Data, k, p.d, false)
	for i, e := range late {
		scale(b[i*k:(i+1)*k], math.Ldexp(1, e))
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
	chol  []float64 // of A_SS
	h     []float64 // A_SS⁻¹1
	sum   float64   // 1ᵀh
}

// rowSolver solves row after row, and remembers the factors of the supports
// that it met.
type rowSolver struct {
	p       *simplexProblem
	known   map[string]*support
	floats  int    // held by known
	in      []bool // S in work
	key     []byte // S as bits
	g, w    []float64
	rhs     []float64
	step    []float64  // of refinement
	current []float64  // of the fine solver: memberships in work
	all     []float64  // the solution, the origin's membership included
	fine    *rowSolver // for the second round of proximal steps
}

func newRowSolver(p *simplexProblem) *rowSolver {
	return &rowSolver{
		p: p, known: map[string]*support{}, in: make([]bool, p.k), key: make([]byte, (p.k+7)/8),
		g: make([]float64, p.k), w: make([]float64, p.k), rhs: make([]float64, p.k), step: make([]float64, p.k), current: make([]float64, p.k),
		all: make([]float64, p.k),
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
	now := make([]float64, k)
	barred := make([]bool, k) // came in and went straight out again: rounding
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
			r.key[j>>3] |= 1 << (j & 7)
			count++
		}
	}
	if s, ok := r.known[string(r.key)]; ok {
		return s
	}
	s := &support{index: make([]int, 0, count), chol: make([]float64, count*count), h: make([]float64, count)}
	for j, on := range r.in {
		if on {
			s.index = append(s.index, j)
		}
	}
	for a, i := range s.index {
		for c, j := range s.index {
			s.chol[a*count+c] = r.p.gram.row(i)[j]
		}
		s.h[a] = 1
	}
	if !cholesky(s.chol, count) {
		s = nil
	} else {
		cholSolve(s.chol, count, s.h)
		for _, v := range s.h {
			s.sum += v
		}
	}
	// Rows whose supports all differ gain nothing from memory; keep it small.
	if r.floats += count * (count + 2); r.floats > 1<<18 {
		clear(r.known)
		r.floats = count * (count + 2)
	}
	r.known[string(r.key)] = s
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
	cholSolve(s.chol, n, y)
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
		cholSolve(s.chol, n, y)
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
	for i := range r.w {
		row := r.p.gram.row(i)
		v := mu - (b[i] - shift)
		for _, j := range s.index {
			v += row[j] * r.g[j]
		}
		r.w[i] = v
		if r.in[i] {
			v = -math.Abs(v)
			off = max(off, -v)
		}
		worst = max(worst, -v)
	}
	return off, worst
}
