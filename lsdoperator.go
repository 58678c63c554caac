package softkmeans

// Symmetric matrices as the eigensolvers see them: by products, scaled and centred.

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// operator is a symmetric n×n matrix as the solvers see it: 2^-exp·K or, once
// centred, H·2^-exp·K·H with H = I − 11ᵀ/n.
type operator struct {
	ctx     context.Context
	n       int
	workers int
	src     Similarity
	exp     int       // even; the largest entry of 2^-exp·K is in [¼, 1)
	means   []float64 // of the rows of 2^-exp·K; nil until centred
	mean    float64   // of all its entries
	noise   float64   // the norm of what rounding adds to HKH; 0 until centred
	data    *samples  // not nil: K = XXᵀ of these, which is not formed; src, means and mean are not used
	negate  bool      // the products are those of −K
	space   workspace
}

// newOperator checks what it is given and finds the scale: one pass over K, two
// where symmetry has to be tested.
func newOperator(ctx context.Context, src Similarity, workers int) (*operator, error) {
	if workers < 0 {
		return nil, fail(ErrOption, "Workers is "+strconv.Itoa(workers))
	}
	if src == nil {
		return nil, fail(ErrShape, "the similarity is nil")
	}
	if f, ok := src.(kernelFunc); ok && f.at == nil && f.n > 0 {
		return nil, fail(ErrShape, "the similarity's function is nil")
	}
	o := &operator{ctx: ctx, n: src.Len(), workers: workerCount(workers), src: src}
	if o.n < 1 {
		return nil, fail(ErrTooFewSamples, "the similarity has no rows")
	}
	kernel, built := src.(*SampleKernel)
	if built && !kernel.rbf { // the samples once more, with this context and these workers
		data, err := newSamples(ctx, kernel.x, nil, workers, false)
		if err != nil {
			return nil, err
		}
		o.data, o.exp = data, 2*data.exp
		return o, nil
	}
	if o.n > math.MaxInt32 || !addressable(64, o.n) { // a block of rows with its products
		return nil, fail(ErrShape, "the similarity is "+shape(o.n, o.n)+", too large to work on")
	}
	c := chunks(o.n, o.n, manyChunks)
	tops, bad := make([]float64, c), make([]*InputError, c)
	err := o.eachRows(0, func(at block, rows *Matrix) {
		top, err := checkEntries("similarity", rows, mostEntry)
		if err != nil && bad[at.chunk] == nil {
			bad[at.chunk] = err.(*InputError)
			bad[at.chunk].Row += at.lo
		}
		tops[at.chunk] = max(tops[at.chunk], top)
	})
	if err != nil {
		return nil, err
	}
	for _, e := range bad {
		if e != nil {
			return nil, e
		}
	}
	_, o.exp = math.Frexp(slices.Max(tops))
	o.exp += o.exp & 1
	switch src.(type) {
	case *denseKernel, *subsetKernel, *SampleKernel: // symmetric, or tested already
		return o, nil
	}
	return o, o.checkSymmetry()
}

// checkSymmetry compares uᵀKv with vᵀKu for random u and v. It misses an
// asymmetry beyond the tolerance with a small probability, one of few entries more
// likely, and cannot name it.
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
			" of ‖K‖ (a matrix, as of SimilarityMatrix, is searched for the entry)")
	}
	return nil
}

// eachRows calls fn for all blocks of rows of K, as they are, with `floats`
// numbers of scratch space a row behind them.
func (o *operator) eachRows(floats int, fn func(at block, rows *Matrix)) error {
	return o.space.eachBlock(o.ctx, o.workers, chunking{o.n, o.n, manyChunks}, o.n+floats, func(at block) {
		m := at.hi - at.lo
		rows := &Matrix{Rows: m, Cols: o.n, Stride: o.n, Data: at.scratch[:m*o.n]}
		at.scratch = at.scratch[m*o.n:]
		o.src.Rows(rows, at.lo)
		fn(at, rows)
	})
}

// scaled turns rows as they are into rows of the operator's matrix.
func (o *operator) scaled(at block, rows *Matrix) {
	for i := range rows.Rows {
		row := rows.row(i)
		if o.exp > -1000 && o.exp < 1000 {
			scale(row, math.Ldexp(1, -o.exp))
		} else {
			for j, v := range row {
				row[j] = math.Ldexp(v, -o.exp)
			}
		}
		if o.means != nil {
			own := o.means[at.lo+i] - o.mean
			for j, m := range o.means {
				row[j] -= m + own
			}
		}
	}
}

// centre makes the operator that of HKH.
func (o *operator) centre() (err error) {
	if o.data != nil {
		o.data, err = newSamples(o.ctx, o.data.x, nil, o.workers, true)
		return err
	}
	one := NewMatrix(1, o.n, nil)
	for i := range one.Data {
		one.Data[i] = 1 / float64(o.n)
	}
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

// rowMeans returns the means of the rows of K, in its own units, once centred.
func (o *operator) rowMeans() []float64 {
	out := make([]float64, o.n)
	if o.data == nil {
		for i, v := range o.means {
			out[i] = clampFinite(math.Ldexp(v, o.exp)) // a mean of largest numbers may round up
		}
		return out
	}
	row := make([]float64, o.data.d) // of XXᵀ: x_i·x̄
	for i := range out {
		o.data.pack(row, i, i+1, false)
		axpy(row, 1, o.data.mean)
		out[i] = clampFinite(math.Ldexp(dot(row, o.data.mean), o.exp))
	}
	return out
}

// apply returns the products with the rows of vt (b×n), as rows. One pass over
// K, 2n²b; for the linear kernel 4ndb.
func (o *operator) apply(vt *Matrix) (*Matrix, error) {
	out := NewMatrix(vt.Rows, o.n, nil)
	return out, o.applyTo(out, vt)
}

// applyTo is apply with a place for the result.
func (o *operator) applyTo(out, vt *Matrix) error {
	b := vt.Rows
	var err error
	if o.data != nil {
		var m *Matrix
		if m, err = multiplyT(o.data, vt); err == nil {
			m, err = multiply(o.data, m)
		}
		if err == nil {
			copy(out.Data, m.Data)
		}
	} else {
		packed := vt
		if vt.Stride != vt.Cols {
			packed = vt.Clone()
		}
		put := func(lo, hi int, prod []float64, factor float64) {
			for c := range b {
				row := out.row(c)[lo:hi]
				for i := range row {
					row[i] = prod[i*b+c] * factor
				}
			}
		}
		if k := o.inPlace(); k != nil {
			f := math.Ldexp(1, -o.exp)
			err = o.space.eachBlock(o.ctx, o.workers, chunking{o.n, o.n, manyChunks}, b, func(at block) {
				m := at.hi - at.lo
				prod := at.scratch[:m*b]
				clear(prod)
				addMulNT(prod, b, k.Data[at.lo*o.n:at.hi*o.n], m, packed.Data, b, o.n, false)
				put(at.lo, at.hi, prod, f)
			})
		} else {
			err = o.eachRows(b, func(at block, rows *Matrix) {
				o.scaled(at, rows)
				prod := at.scratch[:rows.Rows*b]
				clear(prod)
				addMulNT(prod, b, rows.Data, rows.Rows, packed.Data, b, o.n, false)
				put(at.lo, at.hi, prod, 1)
			})
		}
	}
	if o.negate && err == nil {
		scale(out.Data, -1)
	}
	return err
}

// inPlace returns K where its rows can be multiplied as they stand, and the
// products scaled instead; nil where they cannot.
func (o *operator) inPlace() *Matrix {
	k, ok := o.src.(*denseKernel)
	if !ok || k.average || k.m.Stride != o.n || o.means != nil || o.exp < -200 || o.exp > 200 {
		return nil
	}
	return k.m
}

// remainder is what a factor leaves over of the operator's matrix.
type remainder struct {
	squares float64 // ‖K − YYᵀ‖²
	total   float64 // ‖K‖²
	trace   float64 // tr(K − YYᵀ)
	traces  float64 // tr K
}

// without compares K with YYᵀ for Y given as Yᵀ (p×n), entry by entry: one pass
// over K, n²p. For the linear kernel, which has no entries, the squares are
// differences of sums, right to some 1e-15 of the total.
func (o *operator) without(yt *Matrix) (r remainder, err error) {
	if o.data != nil {
		return o.withoutData(yt)
	}
	p := yt.Rows
	y := yt.transposed()
	parts := make([]remainder, chunks(o.n, o.n, manyChunks))
	err = o.eachRows(p, func(at block, rows *Matrix) {
		o.scaled(at, rows)
		part := &parts[at.chunk]
		for i := range rows.Rows {
			row := rows.row(i)
			part.total += sumSquares(row)
			part.traces += row[at.lo+i]
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
		r.traces += part.traces
	}
	return r, err
}

// withoutData is without for the linear kernel: ‖K‖² = ‖XᵀX‖² and
// ⟨K, YYᵀ⟩ = ‖XᵀY‖².
func (o *operator) withoutData(yt *Matrix) (r remainder, err error) {
	gram, err := gramMatrix(o.data)
	if err != nil {
		return r, err
	}
	across, err := multiplyT(o.data, yt)
	if err != nil {
		return r, err
	}
	p := yt.Rows
	own := NewMatrix(p, p, nil)
	addMulNT(own.Data, p, yt.Data, p, yt.Data, p, o.n, false)
	r.total = sumSquares(gram.Data)
	r.squares = max(0, r.total-2*sumSquares(across.Data)+sumSquares(own.Data))
	for i := range gram.Rows {
		r.traces += gram.row(i)[i]
	}
	r.trace = max(0, r.traces-sumSquares(yt.Data))
	return r, nil
}

// spectrum is the upper end of the operator's spectrum.
type spectrum struct {
	values []float64 // the largest ones, descending, whatever their sign
	rows   *Matrix   // their eigenvectors, p×n, orthonormal
	open   float64   // how far the positive part of each may be below the true one's, beyond rounding
	steps  int       // of the Krylov iteration; 0: a direct method
	status Status
	top    float64 // the largest magnitude among all eigenvalues, or a lower bound of it
	noise  float64 // eigenvalues up to this are what rounding makes of 0
}

// fullOrder is the largest n for which all eigenvalues are computed.
const fullOrder = 128

// leading finds the p ≤ n largest eigenvalues and their vectors. In each vector the
// entry of largest magnitude (the first on ties) is positive.
func (o *operator) leading(p int, seed uint64) (*spectrum, error) {
	s, err := o.solve(p, seed)
	if err != nil {
		return nil, err
	}
	s.noise = max(float64(o.n)*0x1p-52*s.top, o.noise)
	vectors := s.rows.transposed()
	fixSigns(vectors, nil)
	s.rows = vectors.transposed()
	return s, nil
}

// solve is leading by the method that fits.
func (o *operator) solve(p int, seed uint64) (*spectrum, error) {
	if o.data != nil {
		return o.leadingData(p)
	}
	if p == 0 {
		return &spectrum{rows: NewMatrix(0, o.n, nil), status: StatusConverged}, nil
	}
	if o.n <= fullOrder || 4*(p+krylovExtra) > o.n {
		if !addressable(o.n, o.n) {
			return nil, fail(ErrShape, "the similarity is "+shape(o.n, o.n)+", too large for "+strconv.Itoa(p)+" eigenvalues")
		}
		full := NewMatrix(o.n, o.n, nil)
		if err := o.eachRows(0, func(at block, rows *Matrix) {
			o.scaled(at, rows)
			copy(full.Data[at.lo*o.n:], rows.Data)
		}); err != nil {
			return nil, err
		}
		if o.negate {
			scale(full.Data, -1)
		}
		values, rows := leadingEigen(o.ctx, full, p, o.workers)
		return &spectrum{values: values[:p], rows: rows, status: StatusConverged,
			top: max(math.Abs(values[0]), math.Abs(values[o.n-1]))}, cancelled(o.ctx)
	}
	if !addressable(max(4*(p+krylovExtra), 96), o.n) { // the basis
		return nil, fail(ErrShape, "the similarity is "+shape(o.n, o.n)+", too large for "+strconv.Itoa(p)+" eigenvalues")
	}
	kry, err := krylov(o.ctx, o.n, o.apply, p, krylovOptions{steps: defaultKrylovSteps, seed: seed, residual: 1e-12, indefinite: true})
	if err != nil {
		return nil, err
	}
	s := &spectrum{values: kry.values, rows: kry.basis, steps: kry.steps, status: kry.status, top: kry.top}
	// As in ritzSumBound, for one eigenvalue: λ_i ≤ θ_i + ρ²/δ, and ≤ θ_i + ρ (Weyl)
	// where nothing outside of the space is larger. Of values below 0 only that
	// they are is of use, and next is at least 0.
	last := max(kry.values[p-1], 0)
	s.open = kry.rest + max(0, kry.next-last)
	if gap := last - kry.next; gap > 0 {
		s.open = min(s.open, kry.rest/gap*kry.rest)
	}
	return s, nil
}

// leadingData is leading for the linear kernel: XXᵀ has the eigenvectors XU with
// the right singular vectors U of X.
func (o *operator) leadingData(p int) (*spectrum, error) {
	count := min(p, o.data.d)
	pc, err := findPrincipal(o.data, count, SolverAuto)
	if err != nil {
		return nil, err
	}
	rows, err := multiply(o.data, pc.basis)
	if err != nil {
		return nil, err
	}
	s := &spectrum{values: make([]float64, p), rows: NewMatrix(p, o.n, nil), open: pc.floorError, steps: pc.steps, status: pc.status}
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
	orthonormalizeCtx(o.ctx, s.rows, 0)
	return s, cancelled(o.ctx)
}

// factor returns Z = Λ^(1/2)Vᵀ (r×n) over the eigenvalues that are positive beyond
// rounding.
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

// unscale is v·2^exp, but never infinite.
func unscale(v float64, exp int) float64 { return min(math.Ldexp(v, exp), math.MaxFloat64) }
