package softkmeans

// Symmetric matrices for LSD: products, leading eigenpairs, the remainder of a factor, and its proved floors.

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// operator is the n×n matrix 2^-exp·K or, once centred, H·2^-exp·K·H with H = I − 11ᵀ/n.
type operator struct {
	parallelism
	n   int
	k   *Matrix // K, exactly symmetric, with contiguous rows
	exp int     // even; the largest entry of 2^-exp·K is in [¼, 1)
	// shift_i is the mean of row i of 2^-exp·K less half the mean of all entries, so that an entry of HKH is
	// k_ij − (shift_i + shift_j). shifts is nil before the call of centre.
	shifts []float64
	half   float64 // half the mean of all entries
	noise  float64 // a bound of the norm of the rounding of HKH; 0 until centred
}

// newOperator checks its arguments and sets exp. It copies s if the rows are not contiguous, or if s is not
// exactly symmetric. In the copy each entry is its mean with its mirror image.
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
	o := &operator{parallelism: parallelism{ctx, workerCount(workers), new(workspace)}, n: s.Rows, k: s}
	if !exact || s.Stride != o.n {
		o.k = s.Clone()
		o.k.average()
	}
	_, o.exp = math.Frexp(max(maxAbs(o.k), leastScale))
	o.exp += o.exp & 1
	return o, cancelled(ctx)
}

// unscale returns v·2^exp, limited to ±math.MaxFloat64. The sum of the squares of n² entries may exceed this
// number.
func unscale(v float64, exp int) float64 {
	return min(max(math.Ldexp(v, exp), -math.MaxFloat64), math.MaxFloat64)
}

// eachRows calls fn for copies of all blocks of rows of the operator's matrix, with scratch space for
// `floats` more numbers per row.
func (o *operator) eachRows(floats int, fn func(at block, rows *Matrix)) error {
	return o.eachBlock(chunking{o.n, o.n, manyChunks}, o.n+floats, func(at block) {
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

// centre turns the operator of K into the operator of HKH.
func (o *operator) centre() error {
	one, means := uniform(1, o.n), make([]float64, o.n)
	for range 2 { // the second pass takes off the rounding of the first
		sums, err := o.apply(one)
		if err != nil {
			return err
		}
		axpy(means, 1, sums.Data)
		var all fineSum
		for _, m := range means {
			all.add(m)
		}
		o.shifts, o.half = slices.Clone(means), all.value()/float64(o.n)/2
		for i := range o.shifts {
			o.shifts[i] -= o.half
		}
	}
	top, _ := rowMaxAbs(means)
	o.noise = float64(o.n) * 0x1p-51 * top // some four roundings of a mean in every entry
	return nil
}

// uniform returns the n×k matrix of entries 1/k.
func uniform(n, k int) *Matrix { return NewMatrix(n, k, slices.Repeat([]float64{1 / float64(k)}, n*k)) }

// apply returns the products of the matrix with the rows of vt (b×n), as rows. Cost: one pass over K, n²b
// multiplications.
func (o *operator) apply(vt *Matrix) (*Matrix, error) {
	out := NewMatrix(vt.Rows, o.n, nil)
	return out, o.applyTo(out, vt)
}

// applyTo is apply that overwrites out. The rows of vt are contiguous.
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
	return o.eachBlock(chunking{o.n, o.n, manyChunks}, b, func(at block) {
		put(at, rowsOf(o.k, at.lo, at.hi), math.Ldexp(1, -o.exp))
	})
}

// remainder describes K − YYᵀ for a factor Y of the operator's matrix K.
type remainder struct {
	squares float64 // ‖K − YYᵀ‖²
	total   float64 // ‖K‖²
	// lows[k] is a lower bound of the floor for rank k, k = 0, …, r, for the r given to prove. high is an
	// upper bound of the floor for rank r.
	lows []float64
	high float64
}

// without returns ‖K − YYᵀ‖² and ‖K‖², summed entry by entry, for Yᵀ (p×n). Cost: one pass over K, n²p
// multiplications.
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

// fullOrder is the largest n for which all eigenvalues are computed.
const fullOrder = 128

// leading finds the p ≤ n largest eigenpairs, by value, not by magnitude: directly for small n or large p, in
// 0 steps, or by Krylov steps.
func (o *operator) leading(p int, seed uint64) (*krylovResult, error) {
	switch {
	case p == 0:
		return &krylovResult{rows: NewMatrix(0, o.n, nil), status: StatusConverged}, nil
	case o.n <= fullOrder || 4*(p+krylovExtra) > o.n:
		return o.leadingDirect(p)
	}
	return krylov(o.ctx, o.n, o.apply, p, krylovOptions{steps: defaultKrylovSteps, seed: seed,
		residual: 1e-12, indefinite: true, more: krylovExtra})
}

// leadingDirect is leading from all eigenvalues of a copy of the operator's matrix.
func (o *operator) leadingDirect(p int) (*krylovResult, error) {
	full, err := o.full()
	if err != nil {
		return nil, err
	}
	values, rows := leadingEigen(o.ctx, full, min(p+krylovExtra, o.n), o.workers)
	return &krylovResult{values: values[:p], rows: rows, least: min(values[o.n-1], 0),
		top: max(math.Abs(values[0]), math.Abs(values[o.n-1])), status: StatusConverged}, cancelled(o.ctx)
}

// full returns a copy of the operator's matrix.
func (o *operator) full() (*Matrix, error) {
	full := NewMatrix(o.n, o.n, nil)
	return full, o.eachRows(0, func(at block, rows *Matrix) {
		copy(full.Data[at.lo*o.n:], rows.Data)
	})
}

// nearest proves a floor anew if its two proved bounds differ by more than openShare times the total. Usually
// they differ by 1e-12.
const openShare = 1e-8

// nearest finds the positive semidefinite ZᵀZ of rank p or less that is nearest to the operator's matrix. It
// returns the eigenpairs, their factor Z, and the remainder.
func (o *operator) nearest(p int, seed uint64) (spec *krylovResult, z *Matrix, left remainder, err error) {
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
	if o.n > provedOrder && open() { // random vectors do not separate close eigenvalues
		spec.status = status // the iteration converged: only the probes proved too little
		err = o.proveDense(&left, z, p)
	}
	if open() { // the iteration missed a leading eigenvalue
		if spec, err = o.leadingDirect(p); err == nil {
			z, left, err = o.rated(spec, p)
		}
	}
	return spec, z, left, err
}

// rated negates eigenvectors whose entry of largest magnitude (the first on ties) is negative. It returns the
// factor Z = Λ^(1/2)Vᵀ of the eigenvalues above rounding and the remainder, with bounds of the floors for
// ranks up to r.
func (o *operator) rated(spec *krylovResult, r int) (z *Matrix, left remainder, err error) {
	noise, p := max(float64(o.n)*0x1p-52*spec.top, o.noise), 0
	fixRowSigns(spec.rows)
	for p < len(spec.values) && spec.values[p] > noise {
		p++
	}
	z = rowsOf(spec.rows, 0, p).Clone()
	for i := range p {
		scale(z.row(i), math.Sqrt(spec.values[i]))
	}
	left, err = o.without(z)
	switch {
	case err != nil:
	case o.n > provedOrder && spec.steps > 0:
		err = o.proveByProbes(&left, spec, z, r)
	default:
		err = o.proveDense(&left, z, r)
	}
	return z, left, err
}

// provedOrder is the largest n for which the floors of an iteration are proved by Cholesky factorizations, in
// n³/6 or n³/3 multiplications. For larger n random vectors prove them.
const provedOrder = 512

// proveDense sets the bounds of a remainder by factorizations: n³/6 for each of up to four tries.
func (o *operator) proveDense(left *remainder, z *Matrix, r int) error {
	a, err := o.full()
	if err != nil {
		return err
	}
	one, sums := slices.Repeat([]float64{1}, o.n), make([]float64, o.n)
	for i := range sums {
		sums[i] = dot(a.row(i), one)
	}
	left.lows, left.high = semidefiniteFloor(o.ctx, a, z, r, o.slip(frobenius(a), sums), o.workers)
	return cancelled(o.ctx)
}

// frobenius bounds the Frobenius norm of a square matrix whose Stride is Cols.
func frobenius(a *Matrix) float64 {
	return math.Sqrt(sumSquares(a.Data)) * (1 + gamma(dotDepth(len(a.Data))+4))
}

// slip bounds the distance between the matrix a in memory, of the given norm and with the given sums of rows,
// and the matrix of exact arithmetic.
//
//  1. An average of two halves is off by 2u of its size and of their difference.
//  2. An entry of the centred matrix is k_ij − (s_i + s_j) for the shifts s, with two roundings.
//  3. H takes out s_i + s_j for any numbers s. So errors of the means do not matter, and HKH is HaH except
//     for the roundings of step 2.
//  4. HaH differs from a by at most √(2/n)·‖a1‖.
func (o *operator) slip(norm float64, sums []float64) float64 {
	const u = 0x1p-53
	root := math.Sqrt(float64(o.n))
	slip := u * (2*norm + 2*symmetryTol*float64(o.n))
	if o.shifts != nil {
		slip += u*1.01*(2*norm+2*root*norm2(o.shifts)) + 1.5*(norm2(sums)/root+gamma(dotDepth(o.n)+2)*norm)
	}
	return slip
}

// proveByProbes sets the bounds by random vectors for a large n: in one pass over K and as
// many more as complement.below takes.
func (o *operator) proveByProbes(left *remainder, spec *krylovResult, z *Matrix, r int) error {
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
		off: 3 * gamma(n+p+20) * (norm + size), slip: o.slip(norm, times.row(probed.Rows))}
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
		noise: 3 * norm * (root*gamma(probed.Rows+n+20) + gamma(n+28) + skewOf(spec.rows))}
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

// semidefiniteFloor returns the floors of leftover for a symmetric m×m matrix a, which it overwrites. The
// true matrix differs from a by at most slip in the Frobenius norm. y (p×m) is the factor of the positive
// semidefinite matrix of rank at most r nearest to a, as eigenvectors give it. If ctx ends the floors may be
// lower than necessary. Cost: pm² and m³/6 for each of up to four tries of σ.
func semidefiniteFloor(ctx context.Context, a, y *Matrix, r int, slip float64,
	workers int) (lows []float64, high float64) {
	p, m := y.Rows, a.Rows
	l := leftover{y: y, times: NewMatrix(p, m, nil), norm: frobenius(a), slip: slip}
	minus, plain := y.transposed(), y.transposed()
	scale(minus.Data, -1)
	addMulNT(a.Data, m, minus.Data, m, plain.Data, m, p, false)
	mirror(a.Data, m)
	for i := range m {
		l.squares += sumSquares(a.row(i))
		for c := range p {
			l.times.row(c)[i] = dot(a.row(i), y.row(c))
		}
	}
	size := frobenius(a)
	l.off = gamma(dotDepth(m)+8) * size
	lows, high, _ = l.floors(r, func(from, _ float64) (float64, error) {
		// The first try of σ is 14 margins below `from`, the second try one margin above.
		from -= 15 * 1.1 * gamma(m+8) * (size + float64(m)*from)
		return complementBound(ctx, a, NewMatrix(0, m, nil), []float64{from}, workers), nil
	})
	return lows, high
}

// leftover is the remainder R = a − YYᵀ of a symmetric matrix a, for a factor Y in rows y (p×m).
type leftover struct {
	y, times *Matrix // times holds the products of R with the rows of y
	norm     float64 // ‖a‖
	squares  float64 // ‖R‖²
	off      float64 // bounds the rounding in times, for rows of length 1
	slip     float64 // bounds ‖A − a‖ for the matrix A in question
}

// floors returns lower bounds of the least ‖A − M‖² over positive semidefinite M of rank k or less, for k =
// 0, …, r, and an upper bound for r ≥ p. These are the floors of LSD, and the minima of TILSD. above returns
// a bound σ of R's eigenvalues on the complement of y, which are at most `most`. σ need not be below `from`.
//
// Proof. Let D(A) be the least ‖A − M‖. If A changes by a distance, D(A) changes by no more.
//
//  1. R = a − YYᵀ denotes the exact difference. Its rounding, γ(p+2)(‖a‖ + ‖Y‖²), is added to slip, with √2
//     for the half of a that is a copy.
//  2. Let Q be an orthonormal basis of Y's columns, and C = (I − QQᵀ)R(I − QQᵀ), with eigenvalues up to σ.
//     Let t_i be the eigenvalues of YᵀY, descending, so YYᵀ = QTQᵀ.
//  3. Let B = Q·max(T, σ)·Qᵀ + C. Its p leading eigenvalues are max(t_i, σ), and all others are at most σ. So
//     D(B)² ≥ ‖C‖² + Σ_{k<i≤p} t_i² − max(k−p, 0)·max(σ, 0)².
//  4. Let e ≥ ‖QᵀR‖. Then ‖R − C‖² ≤ 2e² and ‖C‖² ≥ ‖R‖² − 2e². So ‖YYᵀ + R − B‖ is at most √2·e + √Σmax(σ −
//     t_i, 0)², and D(YYᵀ + R) is at least D(B) less this distance.
//  5. Let Ŷ = QS be Y with columns of length 1, and ω ≥ ‖ŶᵀŶ − I‖_F. The least singular value of S is at
//     least √(1−ω), so e ≤ ‖ŶᵀR‖/√(1−ω).
//  6. The t_i differ from the diagonal entries of YᵀY, sorted, by at most the norm of the other entries
//     (Weyl).
func (l *leftover) floors(r int,
	above func(from, most float64) (float64, error)) (lows []float64, high float64, err error) {
	y, p, m := l.y, l.y.Rows, l.y.Cols
	sums, depth := gamma(dotDepth(m)+8), dotDepth(m)+m+4
	length := math.Sqrt(l.squares) * (1 + gamma(depth))
	slip := 1.5 * (l.slip + gamma(p+2)*(l.norm+sumSquares(y.Data)*(1+gamma(p*m))))
	lows, high = make([]float64, r+1), (length+slip)*(length+slip)*(1+0x1p-50)

	var apart, off, size, outside float64
	least := math.Inf(1)
	t := make([]float64, p)
	for i := range t {
		t[i] = sumSquares(y.row(i))
		least = min(least, t[i])
		size += t[i]
		for j := range i {
			v := dot(y.row(i), y.row(j))
			off += 2 * v * v
			apart += 2 * v / t[i] * v / t[j]
		}
		outside += sumSquares(l.times.row(i)) / t[i]
	}
	omega := math.Sqrt(apart)*(1+gamma(p*p)) + 2*float64(p)*sums
	if !(omega < 0.5) {
		return lows, high, nil
	}
	eta := math.Sqrt(off)*(1+gamma(p*p)) + 2*sums*size
	e := (math.Sqrt(outside)*(1+gamma(p+m)) + math.Sqrt(float64(p))*l.off) * (1 + 2*omega)
	sigma, from, raised := 0.0, 0.0, 0.0
	if r > 0 && m > p {
		if p == r {
			from = max(least-eta, 0)
		}
		if sigma, err = above(from, length); err != nil {
			return nil, 0, err
		}
		sigma = max(0, min(sigma, length))
		for _, v := range t {
			raised += max(0, sigma-v+eta) * max(0, sigma-v+eta)
		}
	}
	slip += 0x1p-51 * length // the rounding of the lines below
	slices.Sort(t)
	kept, at := l.squares*(1-gamma(depth))-2*e*e-float64(r-p)*sigma*sigma, 0
	for k := r; k >= 0; k-- {
		distance := math.Sqrt(max(kept, 0)) - math.Sqrt2*e - math.Sqrt(raised) - slip
		lows[k] = max(distance, 0) * max(distance, 0) * (1 - 0x1p-50)
		if k > p {
			kept += sigma * sigma
		} else if at < p {
			kept += max(t[at]-eta, 0) * max(t[at]-eta, 0) * (1 - gamma(p+4))
			slip += 0x1p-51 * t[at]
			at++
		}
	}
	return lows, high, nil
}
