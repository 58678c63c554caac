package softkmeans

// Symmetric matrices as LSD sees them: products, leading eigenpairs, and what a factor leaves over.

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// operator is the n×n matrix 2^-exp·K or, once centred, H·2^-exp·K·H with H = I − 11ᵀ/n.
type operator struct {
	ctx     context.Context
	n       int
	workers int
	src     Similarity
	exp     int       // even; the largest entry of 2^-exp·K is in [¼, 1)
	means   []float64 // of the rows of 2^-exp·K; nil until centred
	mean    float64   // of all its entries
	noise   float64   // the norm of what rounding adds to HKH; 0 until centred
	data    *samples  // if not nil, K = XXᵀ of these is not formed, and src, means and mean are not used
	gram    *Matrix   // of data, once it is known, if that is no larger than provedOrder
	space   workspace
}

// newOperator checks its arguments and finds the scale: one pass over K, two where symmetry is to be tested.
func newOperator(ctx context.Context, src Similarity, workers int) (*operator, error) {
	if err := firstError(checkCount("Workers", workers), checkSimilarity(src)); err != nil {
		return nil, err
	}
	o := &operator{ctx: ctx, n: src.Len(), workers: workerCount(workers), src: src}
	if o.n < 1 {
		return nil, fail(ErrTooFewSamples, "the similarity has no rows")
	}
	if kernel, ok := src.(*SampleKernel); ok && kernel.linear {
		data := *kernel.s
		data.ctx, data.workers = ctx, o.workers
		o.data, o.exp = &data, 2*data.exp
		return o, cancelled(ctx)
	}
	if o.n > math.MaxInt32 {
		return nil, fail(ErrShape, "the similarity has "+strconv.Itoa(o.n)+" rows, more than 2^31 − 1")
	}
	if err := checkSize("a block of the similarity", 64, o.n); err != nil {
		return nil, err
	}
	if err := o.survey(); err != nil {
		return nil, err
	}
	switch src.(type) {
	case *denseKernel, *SampleKernel: // symmetric, or tested already
		return o, nil
	}
	return o, o.checkSymmetry()
}

// survey checks the entries of K and finds their scale.
func (o *operator) survey() error {
	tops := make([]float64, o.n) // the largest size in each row
	err := o.eachRows(0, func(at block, rows *Matrix) {
		for i := range rows.Rows {
			top, finite := rowMaxAbs(rows.row(i))
			if !finite {
				top = math.Inf(1)
			}
			tops[at.lo+i] = top
		}
	})
	if err != nil {
		return err
	}
	top := slices.Max(tops)
	if top > mostEntry || top > 0 && top < leastScale {
		return o.entryError(slices.IndexFunc(tops, func(v float64) bool { return v > mostEntry || v == top }),
			top)
	}
	_, o.exp = math.Frexp(max(top, leastScale))
	o.exp += o.exp & 1
	return nil
}

// entryError reads row i once more, to name its first entry above mostEntry or of the size tooSmall.
func (o *operator) entryError(i int, tooSmall float64) error {
	row := NewMatrix(1, o.n, nil)
	o.src.CopyRows(row, i)
	e, ok := entryError("similarity", row, mostEntry, tooSmall).(*InputError)
	if !ok {
		return fail(ErrChanged, "row "+strconv.Itoa(i)+" of the similarity")
	}
	e.Row = i
	return e
}

// checkSymmetry compares uᵀKv with vᵀKu for random u and v, which may miss an asymmetry of few entries.
func (o *operator) checkSymmetry() error {
	rng := rand.New(rand.NewPCG(0, 0x53))
	uv := NewMatrix(2, o.n, nil)
	for i := range uv.Data {
		uv.Data[i] = 2*rng.Float64() - 1
	}
	k, err := o.apply(uv)
	if err != nil {
		return err
	}
	x, y := dot(k.row(0), uv.row(1)), dot(k.row(1), uv.row(0))
	size := math.Sqrt(sumSquares(k.Data) * sumSquares(uv.Data) / float64(o.n)) // of the order of ‖K‖
	if math.Abs(x-y) > symmetryTol*size {
		return fail(ErrShape, "the similarity is not symmetric: for random u and v, uᵀKv and vᵀKu differ by "+
			strconv.FormatFloat(math.Abs(x-y)/size, 'g', 3, 64)+
			" of ‖K‖ (LSD of its SimilarityMatrix names the entry)")
	}
	return nil
}

// eachRows calls fn for all blocks of rows of the operator's matrix, with scratch space for `floats` more
// numbers per row. These are rows of K itself until survey has found the scale.
func (o *operator) eachRows(floats int, fn func(at block, rows *Matrix)) error {
	return o.space.eachBlock(o.ctx, o.workers, chunking{o.n, o.n, manyChunks}, o.n+floats, func(at block) {
		m := at.hi - at.lo
		rows := &Matrix{Rows: m, Cols: o.n, Stride: o.n, Data: at.scratch[:m*o.n]}
		at.scratch = at.scratch[m*o.n:]
		o.src.CopyRows(rows, at.lo)
		for i := range m {
			row := rows.row(i)
			scale(row, math.Ldexp(1, -o.exp))
			if o.means != nil {
				own := o.means[at.lo+i] - o.mean
				for j, mean := range o.means {
					row[j] -= mean + own
				}
			}
		}
		fn(at, rows)
	})
}

// centre makes the operator that of HKH.
func (o *operator) centre() (err error) {
	if o.data != nil {
		o.gram = nil
		o.data, err = newSamples(o.ctx, o.data.x, nil, o.workers, true)
		return err
	}
	one := uniform(1, o.n)
	means := make([]float64, o.n)
	for range 2 { // what rounding left of the means comes off in the second pass
		sums, err := o.apply(one)
		if err != nil {
			return err
		}
		axpy(means, 1, sums.Data)
		mean := 0.0
		for range 2 {
			rest := 0.0
			for _, m := range means {
				rest += m - mean
			}
			mean += rest / float64(o.n)
		}
		o.means, o.mean = means, mean
	}
	// An entry is k − (m_j + (m_i − m)): some four roundings of a mean.
	top, _ := rowMaxAbs(means)
	o.noise = float64(o.n) * 0x1p-51 * top
	return nil
}

// uniform is the n×k matrix of 1/k.
func uniform(n, k int) *Matrix { return NewMatrix(n, k, slices.Repeat([]float64{1 / float64(k)}, n*k)) }

// rowMeans returns the means of the rows of K, unscaled, of a centred operator.
func (o *operator) rowMeans() []float64 {
	if o.data == nil {
		out := slices.Clone(o.means)
		scale(out, math.Ldexp(1, o.exp))
		return out
	}
	out := make([]float64, o.n)
	row := make([]float64, o.data.d) // of XXᵀ: x_i·x̄
	for i := range out {
		o.data.pack(row, i, i+1, false)
		axpy(row, 1, o.data.mean)
		out[i] = math.Ldexp(dot(row, o.data.mean), o.exp)
	}
	return out
}

// apply returns the products with the rows of vt (b×n), as rows: one pass over K, 2n²b, or 4ndb for XXᵀ.
func (o *operator) apply(vt *Matrix) (*Matrix, error) {
	out := NewMatrix(vt.Rows, o.n, nil)
	return out, o.applyTo(out, vt)
}

// applyTo is apply that overwrites out. The rows of vt have no gaps.
func (o *operator) applyTo(out, vt *Matrix) (err error) {
	put := func(at block, rows *Matrix, factor float64) {
		b := vt.Rows
		prod := at.scratch[:rows.Rows*b]
		clear(prod)
		addMulNT(prod, b, rows.Data, rows.Rows, vt.Data, b, o.n, false)
		for c := range b {
			row := out.row(c)[at.lo:at.hi]
			for i := range row {
				row[i] = prod[i*b+c] * factor
			}
		}
	}
	switch k := o.inPlace(); {
	case o.data != nil:
		var m *Matrix
		if m, err = chained(o.data.multiplyT, o.data.multiply)(vt); err == nil {
			copy(out.Data, m.Data)
		}
	case k != nil:
		err = o.space.eachBlock(o.ctx, o.workers, chunking{o.n, o.n, manyChunks}, vt.Rows, func(at block) {
			put(at, rowsOf(k, at.lo, at.hi), math.Ldexp(1, -o.exp))
		})
	default:
		err = o.eachRows(vt.Rows, func(at block, rows *Matrix) { put(at, rows, 1) })
	}
	return err
}

// inPlace returns K where its rows need no copy, since the products can be scaled instead; otherwise nil.
func (o *operator) inPlace() *Matrix {
	k, ok := o.src.(*denseKernel)
	if !ok || k.average || k.m.Stride != o.n || o.means != nil {
		return nil
	}
	return k.m
}

// remainder is what a factor leaves over of the operator's matrix.
type remainder struct {
	squares float64 // ‖K − YYᵀ‖²
	total   float64 // ‖K‖²
	trace   float64 // tr(K − YYᵀ)
	// lows are lower bounds of the floors for ranks up to the asked one; high is an upper bound of the last.
	lows []float64
	high float64
}

// without compares K with YYᵀ, entry by entry, for Y given as Yᵀ (p×n): one pass over K, n²p. For the
// linear kernel the squares are differences of sums, right to some 1e-15 of the total.
func (o *operator) without(yt *Matrix) (r remainder, err error) {
	if o.data != nil {
		return o.withoutData(yt)
	}
	p := yt.Rows
	y := yt.transposed()
	parts := make([]remainder, chunks(o.n, o.n, manyChunks))
	err = o.eachRows(p, func(at block, rows *Matrix) {
		part := &parts[at.chunk]
		for i := range rows.Rows {
			row := rows.row(i)
			part.total += sumSquares(row)
			part.trace += row[at.lo+i] - sumSquares(y.row(at.lo+i))
		}
		minus := at.scratch[:rows.Rows*p]
		copy(minus, y.Data[at.lo*p:at.hi*p])
		scale(minus, -1)
		addMulNT(rows.Data, o.n, minus, rows.Rows, y.Data, o.n, p, false)
		for i := range rows.Rows {
			part.squares += sumSquares(rows.row(i))
		}
	})
	for _, part := range parts {
		r.squares += part.squares
		r.total += part.total
		r.trace += part.trace
	}
	return r, err
}

// withoutData does so for the linear kernel: ‖K‖² = ‖XᵀX‖², ⟨K, YYᵀ⟩ = ‖XᵀY‖².
func (o *operator) withoutData(yt *Matrix) (r remainder, err error) {
	gram := o.gram
	if gram == nil {
		if gram, err = gramMatrix(o.data); err != nil {
			return r, err
		}
		if gram.Rows <= provedOrder {
			o.gram = gram
		}
	}
	across, err := o.data.multiplyT(yt)
	if err != nil {
		return r, err
	}
	own := NewMatrix(yt.Rows, yt.Rows, nil)
	timesT(own, yt, yt)
	r.total = sumSquares(gram.Data)
	r.squares = max(0, r.total-2*sumSquares(across.Data)+sumSquares(own.Data))
	r.trace = max(0, trace(gram)-sumSquares(yt.Data))
	return r, nil
}

// spectrum is the upper end of the operator's spectrum.
type spectrum struct {
	values []float64 // the largest ones by value, not by size, descending
	rows   *Matrix   // their eigenvectors, orthonormal, and some that follow
	least  float64   // about the least eigenvalue, if below 0
	open   float64   // how much larger than found those of the linear kernel may be, beyond rounding
	steps  int       // of the Krylov iteration; 0: a direct method
	status Status
	top    float64 // the largest magnitude of an eigenvalue, or a lower bound of it
	noise  float64 // rounding can make eigenvalues up to this of 0
}

// fullOrder is the largest n for which all eigenvalues are computed.
const fullOrder = 128

// leading finds the p ≤ n largest eigenpairs: directly for small n or large p, or by Krylov steps.
func (o *operator) leading(p int, seed uint64) (*spectrum, error) {
	switch {
	case o.data != nil:
		return o.leadingData(p)
	case p == 0:
		return &spectrum{rows: NewMatrix(0, o.n, nil), status: StatusConverged}, nil
	case o.n <= fullOrder || 4*(p+krylovExtra) > o.n:
		return o.leadingDirect(p)
	}
	if err := checkSize("the eigensolver's basis", max(4*(p+krylovExtra), 96), o.n); err != nil {
		return nil, err
	}
	kry, err := krylov(o.ctx, o.n, o.apply, p, krylovOptions{steps: defaultKrylovSteps, seed: seed,
		residual: 1e-12, indefinite: true, more: krylovExtra})
	if err != nil {
		return nil, err
	}
	return &spectrum{values: kry.values, rows: kry.rows, least: kry.least, steps: kry.steps,
		status: kry.status, top: kry.top}, nil
}

// leadingDirect is leading by all eigenvalues of a copy of the operator's matrix.
func (o *operator) leadingDirect(p int) (*spectrum, error) {
	full, err := o.full()
	if err != nil {
		return nil, err
	}
	values, rows := leadingEigen(o.ctx, full, min(p+krylovExtra, o.n), o.workers)
	return &spectrum{values: values[:p], rows: rows, least: min(values[o.n-1], 0), status: StatusConverged,
		top: max(math.Abs(values[0]), math.Abs(values[o.n-1]))}, cancelled(o.ctx)
}

// full returns a copy of the operator's matrix.
func (o *operator) full() (*Matrix, error) {
	if err := checkSize("the similarity", o.n, o.n); err != nil {
		return nil, err
	}
	full := NewMatrix(o.n, o.n, nil)
	return full, o.eachRows(0, func(at block, rows *Matrix) {
		copy(full.Data[at.lo*o.n:], rows.Data)
	})
}

// provedOrder is the largest n for which an iteration is proved without random vectors, in n³/6 or n³/3.
const provedOrder = 512

// prove sets the bounds of the floors for factors of rank up to r, where z was found.
func (o *operator) prove(left *remainder, spec *spectrum, z *Matrix, r int) error {
	switch {
	case o.data != nil:
		return o.proveData(left, spec, z, r)
	case o.n > provedOrder && spec.steps > 0:
		return o.proveByProbes(left, spec, z, r)
	}
	return o.proveDense(left, z, r)
}

// proveDense sets the bounds as prove does, by factorizations: n³/6 for each of up to five tries.
func (o *operator) proveDense(left *remainder, z *Matrix, r int) error {
	a, err := o.full()
	if err != nil {
		return err
	}
	mirror(a.Data, o.n)
	one, sums := slices.Repeat([]float64{1}, o.n), make([]float64, o.n)
	for i := range sums {
		sums[i] = dot(a.row(i), one)
	}
	left.lows, left.high = semidefiniteFloor(o.ctx, a, z, r, o.slip(triangleNorm(a), sums), o.workers)
	return cancelled(o.ctx)
}

// slip bounds how far the matrix a in memory, of the given norm and with these sums of rows, is from that
// of exact arithmetic. Where two halves are averaged an entry is off by 2u of its size and of their
// difference. An entry of the centred matrix is k_ij − m_j − (m_i − m), with three roundings. For any
// numbers m_i and m H takes out all of these, so the errors of the means do not matter, and HKH is HaH but
// for these roundings. HaH is off a by at most √(2/n)·‖a1‖.
func (o *operator) slip(norm float64, sums []float64) float64 {
	const u = 0x1p-53
	root := math.Sqrt(float64(o.n))
	slip := u * (2*norm + 2*symmetryTol*float64(o.n))
	if o.means != nil {
		own := slices.Clone(o.means)
		for i := range own {
			own[i] -= o.mean
		}
		slip += u*1.01*(2*norm+root*(3*norm2(own)+norm2(o.means))) +
			1.5*(norm2(sums)/root+gamma(dotDepth(o.n)+2)*norm)
	}
	return slip
}

// proveByProbes does so for a large n, in one pass over K and as many more as complement.below takes. Entries
// and their mirror images differ by rounding, noise in norm.
func (o *operator) proveByProbes(left *remainder, spec *spectrum, z *Matrix, r int) error {
	p, n := z.Rows, o.n
	probed := withProbes(o.ctx, spec.rows, p)
	vectors := NewMatrix(probed.Rows+1, n, slices.Concat(probed.Data, slices.Repeat([]float64{1}, n)))
	times, err := o.apply(vectors)
	if err != nil {
		return err
	}
	norm, root := math.Sqrt(left.total)*(1+gamma(2*n)), math.Sqrt(float64(probed.Rows))
	size := sumSquares(z.Data)
	l := leftover{y: z, times: times.Clone(), norm: norm, squares: left.squares,
		off:  3*gamma(n+p+20)*(norm+size) + o.noise,
		slip: o.slip(norm, times.row(probed.Rows)) + o.noise}
	l.times.Rows = p
	for i := range p {
		row := l.times.row(i)
		scale(row, math.Sqrt(spec.values[i]))
		for j := range p {
			axpy(row, -dot(z.row(i), z.row(j)), z.row(j))
		}
	}
	c := complement{ctx: o.ctx, p: p, vectors: probed, times: times, apply: o.apply,
		most: max(spec.steps, 16), least: spec.least * 1.25, trace: math.Inf(1), squares: left.squares,
		noise: 3*norm*(root*gamma(probed.Rows+n+20)+gamma(n+28)+skewOf(spec.rows)) + o.noise}
	times.Rows = probed.Rows
	left.lows, left.high, err = l.floors(r, func(from, most float64) (float64, error) {
		from += openShare / 100 * norm
		if most <= from {
			return most, nil
		}
		next, _, sure, err := c.below(func(next float64) bool { return next <= from })
		if !sure {
			spec.status = StatusIterationLimit
		}
		return next + l.off, err
	})
	return err
}

// proveData does so for the linear kernel, by the smaller Gram matrix about the true mean.
func (o *operator) proveData(left *remainder, spec *spectrum, z *Matrix, r int) error {
	if o.gram == nil {
		o.estimate(left, spec, r)
		return nil
	}
	a, y := o.gram.Clone(), z
	if err := recentre(o.data, a); err != nil {
		return err
	}
	if !o.data.wide() { // from XU = VΛ^½ to XᵀXU·Λ^-½ = UΛ^½
		var err error
		if y, err = o.data.multiplyT(z); err != nil {
			return err
		}
		for i := range y.Rows {
			scale(y.row(i), 1/norm2(z.row(i)))
		}
	} else if o.data.centred { // Z is about the mean without its rest
		y = aboutMeans(z)
	}
	total := trace(a)
	left.lows, left.high = semidefiniteFloor(o.ctx, a, y, r,
		gramError(o.data, total)+o.data.fine.bound(total), o.workers)
	return cancelled(o.ctx)
}

// estimate sets the bounds for a linear kernel whose Gram matrix is large. Eigenvalues may be larger than
// found, by spec.open; those up to the noise were not used. left's squares are differences of sums over n
// and over d.
func (o *operator) estimate(left *remainder, spec *spectrum, r int) {
	open, slip := 0.0, float64(o.n)*0x1p-52*math.Sqrt(left.total)+o.noise
	left.lows = make([]float64, r+1)
	for i, v := range spec.values[:r] {
		if v > spec.noise {
			open += (2*v + spec.open) * spec.open
			for k := range i + 1 {
				left.lows[k] += v * v
			}
		} else {
			open += math.Pow(max(0, v+spec.open), 2)
		}
	}
	rounding := 2*slip*math.Sqrt(left.squares) + slip*slip + float64(o.n+o.data.d)*0x1p-52*left.total
	for k, v := range left.lows {
		left.lows[k] = max(0, left.squares+v-open-rounding)
	}
	left.high = left.squares + rounding
}

// aboutMeans returns a copy of m, less the mean of each row.
func aboutMeans(m *Matrix) *Matrix {
	out := m.Clone()
	for i := range m.Rows {
		row, mean := out.row(i), 0.0
		for _, v := range row {
			mean += v / float64(m.Cols)
		}
		for j := range row {
			row[j] -= mean
		}
	}
	return out
}

// leadingData does so for XXᵀ, whose eigenvectors are XU with the right singular vectors U of X.
func (o *operator) leadingData(p int) (*spectrum, error) {
	count := min(p, o.data.d)
	pc, err := findPrincipal(o.data, count, SolverAuto)
	if err != nil {
		return nil, err
	}
	rows, err := o.data.multiply(pc.basis)
	if err != nil {
		return nil, err
	}
	s := &spectrum{values: make([]float64, p), rows: NewMatrix(p, o.n, nil), open: pc.floorError,
		steps: pc.steps, status: pc.status}
	if pc.status == StatusOptimal {
		s.status = StatusConverged
	}
	for i := range count {
		s.values[i] = sumSquares(rows.row(i))
		copy(s.rows.row(i), rows.row(i))
	}
	if count > 0 {
		s.top = s.values[0]
	}
	orthonormalize(o.ctx, s.rows, 0)
	return s, cancelled(o.ctx)
}

// openShare of the total is what the proof may leave open of an iteration's floor. Usual ones leave 1e-12.
const openShare = 1e-8

// nearest finds the positive semidefinite ZᵀZ of rank p or less that is nearest to the
// operator's matrix: the eigenpairs, their factor Z, and what that leaves over.
func (o *operator) nearest(p int, seed uint64) (spec *spectrum, z *Matrix, left remainder, err error) {
	p = min(p, o.n)
	if spec, err = o.leading(p, seed); err != nil {
		return nil, nil, left, err
	}
	status := spec.status
	if z, left, err = o.rated(spec, p); err != nil {
		return nil, nil, left, err
	}
	if spec.steps == 0 || o.data != nil || o.n > certifyGramSide {
		return spec, z, left, nil
	}
	open := func() bool { return err == nil && left.high-left.lows[p] > openShare*left.total }
	if o.n > provedOrder && open() { // random vectors do not part eigenvalues that are near each other
		spec.status = status // that probes prove too little is not the iteration's fault
		err = o.proveDense(&left, z, p)
	}
	if open() { // the iteration has missed a leading eigenvalue
		if spec, err = o.leadingDirect(p); err == nil {
			z, left, err = o.rated(spec, p)
		}
	}
	return spec, z, left, err
}

// rated sets a spectrum's noise and makes the largest entry, the first on ties, of each vector positive. It
// returns the factor and what that leaves over, with bounds for rank r.
func (o *operator) rated(spec *spectrum, r int) (z *Matrix, left remainder, err error) {
	spec.noise = max(float64(o.n)*0x1p-52*spec.top, o.noise)
	fixRowSigns(spec.rows)
	z = spec.factor()
	if left, err = o.without(z); err == nil {
		err = o.prove(&left, spec, z, r)
	}
	return z, left, err
}

// factor returns Z = Λ^(1/2)Vᵀ (r×n) of the r eigenvalues above the noise.
func (s *spectrum) factor() *Matrix {
	r := 0
	for r < len(s.values) && s.values[r] > s.noise {
		r++
	}
	z := rowsOf(s.rows, 0, r).Clone()
	for i := range r {
		scale(z.row(i), math.Sqrt(s.values[i]))
	}
	return z
}
