package softkmeans

// Symmetric matrices as LSD sees them: products, leading eigenpairs, and what a factor leaves over.

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// operator is the n×n matrix 2^-exp·K or, once centred, H·2^-exp·K·H with H = I − 11ᵀ/n.
type operator struct {
	ctx     context.Context
	n       int
	workers int
	k       *Matrix // K, exactly symmetric, without gaps between its rows
	exp     int     // even; the largest entry of 2^-exp·K is in [¼, 1)
	// shifts are the means of the rows of 2^-exp·K less half the mean of all: an entry of HKH is k_ij −
	// (shift_i + shift_j). They are nil until centred.
	shifts []float64
	half   float64 // of the mean of all entries
	noise  float64 // the norm of what rounding adds to HKH; 0 until centred
	space  workspace
}

// newOperator checks its arguments and finds the scale. It copies K if that has gaps, or if entries differ
// from their mirror images, to average them.
func newOperator(ctx context.Context, s *Matrix, workers int) (*operator, error) {
	if err := cmp.Or(checkCount("Workers", workers), checkShape("s", s)); err != nil {
		return nil, err
	}
	if s.Rows == 0 && s.Cols == 0 {
		return nil, fail(ErrTooFewSamples, "s has no rows")
	}
	exact, err := checkSymmetric("s", s)
	if err != nil {
		return nil, err
	}
	o := &operator{ctx: ctx, n: s.Rows, workers: workerCount(workers), k: s}
	if !exact || s.Stride != o.n {
		o.k = s.Clone()
		o.average()
	}
	_, o.exp = math.Frexp(max(maxAbs(o.k), leastScale))
	o.exp += o.exp & 1
	return o, cancelled(ctx)
}

// average makes K exactly symmetric, by tiles, so that mirror images are read from a cache.
func (o *operator) average() {
	const tile = 64
	for i0 := 0; i0 < o.n; i0 += tile {
		for j0 := 0; j0 <= i0; j0 += tile {
			for i := i0; i < min(i0+tile, o.n); i++ {
				for j := j0; j < min(j0+tile, i); j++ {
					v, w := &o.k.Data[i*o.n+j], &o.k.Data[j*o.n+i]
					*v += *w/2 - *v/2
					*w = *v
				}
			}
		}
	}
}

// unscale returns v·2^exp, at most math.MaxFloat64 in size: squares of n² entries may be larger.
func unscale(v float64, exp int) float64 {
	return min(max(math.Ldexp(v, exp), -math.MaxFloat64), math.MaxFloat64)
}

// eachRows calls fn for copies of all blocks of rows of the operator's matrix, with scratch space for
// `floats` more numbers per row.
func (o *operator) eachRows(floats int, fn func(at block, rows *Matrix)) error {
	return o.space.eachBlock(o.ctx, o.workers, chunking{o.n, o.n, manyChunks}, o.n+floats, func(at block) {
		m := at.hi - at.lo
		rows := &Matrix{Rows: m, Cols: o.n, Stride: o.n, Data: at.scratch[:m*o.n]}
		at.scratch = at.scratch[m*o.n:]
		copy(rows.Data, o.k.Data[at.lo*o.n:])
		scale(rows.Data, math.Ldexp(1, -o.exp))
		if o.shifts != nil {
			for i := range m {
				row, own := rows.row(i), o.shifts[at.lo+i]
				for j, shift := range o.shifts {
					row[j] -= shift + own
				}
			}
		}
		fn(at, rows)
	})
}

// centre makes the operator that of HKH.
func (o *operator) centre() error {
	one, means := uniform(1, o.n), make([]float64, o.n)
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
		o.shifts, o.half = slices.Clone(means), mean/2
		for i := range o.shifts {
			o.shifts[i] -= o.half
		}
	}
	top, _ := rowMaxAbs(means)
	o.noise = float64(o.n) * 0x1p-51 * top // some four roundings of a mean in every entry
	return nil
}

// rowMeans returns the means of the rows of K, unscaled, of a centred operator.
func (o *operator) rowMeans() []float64 {
	out := slices.Clone(o.shifts)
	for i, v := range out {
		out[i] = math.Ldexp(v+o.half, o.exp)
	}
	return out
}

// uniform is the n×k matrix of 1/k.
func uniform(n, k int) *Matrix { return NewMatrix(n, k, slices.Repeat([]float64{1 / float64(k)}, n*k)) }

// apply returns the products with the rows of vt (b×n), as rows: one pass over K, 2n²b.
func (o *operator) apply(vt *Matrix) (*Matrix, error) {
	out := NewMatrix(vt.Rows, o.n, nil)
	return out, o.applyTo(out, vt)
}

// applyTo is apply that overwrites out. The rows of vt have no gaps.
func (o *operator) applyTo(out, vt *Matrix) error {
	b := vt.Rows
	put := func(at block, rows *Matrix, factor float64) {
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
	if o.shifts != nil {
		return o.eachRows(b, func(at block, rows *Matrix) { put(at, rows, 1) })
	}
	return o.space.eachBlock(o.ctx, o.workers, chunking{o.n, o.n, manyChunks}, b, func(at block) {
		put(at, rowsOf(o.k, at.lo, at.hi), math.Ldexp(1, -o.exp))
	})
}

// remainder is what a factor leaves over of the operator's matrix.
type remainder struct {
	squares float64 // ‖K − YYᵀ‖²
	total   float64 // ‖K‖²
	// lows are lower bounds of the floors for ranks up to the asked one; high is an upper bound of the last.
	lows []float64
	high float64
}

// without compares K with YYᵀ, entry by entry, for Y given as Yᵀ (p×n): one pass over K, n²p.
func (o *operator) without(yt *Matrix) (r remainder, err error) {
	p := yt.Rows
	y := yt.transposed()
	parts := make([]remainder, chunks(o.n, o.n, manyChunks))
	err = o.eachRows(p, func(at block, rows *Matrix) {
		part := &parts[at.chunk]
		for i := range rows.Rows {
			part.total += sumSquares(rows.row(i))
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
	}
	return r, err
}

// spectrum is the upper end of the operator's spectrum.
type spectrum struct {
	values []float64 // the largest ones by value, not by size, descending
	rows   *Matrix   // their eigenvectors, orthonormal, and some that follow
	least  float64   // about the least eigenvalue, if below 0
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
	case p == 0:
		return &spectrum{rows: NewMatrix(0, o.n, nil), status: StatusConverged}, nil
	case o.n <= fullOrder || 4*(p+krylovExtra) > o.n:
		return o.leadingDirect(p)
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
	full := NewMatrix(o.n, o.n, nil)
	return full, o.eachRows(0, func(at block, rows *Matrix) {
		copy(full.Data[at.lo*o.n:], rows.Data)
	})
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
	if spec.steps == 0 || o.n > mostGramSide {
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
