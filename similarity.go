package softkmeans

// Similarities: symmetric n×n matrices K as the methods of lsd.go see them, by
// rows or by products and never as a second n×n matrix; and kernels of samples.

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// Similarity is a symmetric n×n matrix K that is read by rows and need not be
// stored: a kernel that is computed, a graph, a file. [KernelFunc] makes one of
// a function of (i, j), [LinearKernel] and [RBFKernel] of samples.
type Similarity interface {
	// Len returns n. It does not change.
	Len() int
	// Rows writes the rows lo … lo+dst.Rows−1 of K to dst, n columns each. It is
	// called from several goroutines at once, again and again, some 10 to 200 times
	// for every row by TILSD and once more for every step of LSD's descents, and writes the same numbers each time. dst has any
	// content before, and is not to be kept. A panic in it cannot be recovered: it
	// is in a goroutine of its own unless Workers is 1.
	Rows(dst *Matrix, lo int)
}

// KernelFunc returns the n×n similarity with the entries at(i, j), which must
// be symmetric and safe for concurrent calls. [TILSDOf] takes some 10 to 40 times n²
// of them and [LSDOf] one n² more for every step: where n² numbers fit in memory,
// use [SimilarityMatrix] first.
func KernelFunc(n int, at func(i, j int) float64) Similarity { return kernelFunc{n, at} }

type kernelFunc struct {
	n  int
	at func(i, j int) float64
}

func (k kernelFunc) Len() int { return k.n }

func (k kernelFunc) Rows(dst *Matrix, lo int) {
	checkPart(dst, lo, k.n)
	for i := range dst.Rows {
		row := dst.Row(i)
		for j := range row {
			row[j] = k.at(lo+i, j)
		}
	}
}

// checkPart panics unless dst can be rows lo, lo+1, … of an n×n matrix: without it
// a view of samples would be read past its end.
func checkPart(dst *Matrix, lo, n int) {
	if checkShape("dst", dst) != nil || dst.Cols != n || lo < 0 || dst.Rows > n-lo {
		size := "nil"
		if dst != nil {
			size = shape(dst.Rows, dst.Cols)
		}
		panic("softkmeans: dst is " + size + " for rows from " + strconv.Itoa(lo) + " on of " + shape(n, n))
	}
}

// SimilarityMatrix returns the whole of s, n×n. Where that fits in memory and an
// entry takes longer to compute than to read, [LSD] and [TILSD] of the matrix are
// faster than [LSDOf] and [TILSDOf] of s, by as many times as they pass over it.
// Errors: [ErrShape] if it is too large to address, [ErrTooFewSamples] for n < 1.
func SimilarityMatrix(s Similarity) (*Matrix, error) {
	if s == nil {
		return nil, fail(ErrShape, "the similarity is nil")
	}
	n := s.Len()
	if n < 1 {
		return nil, fail(ErrTooFewSamples, "the similarity has no rows")
	}
	if !fits(n, n) {
		return nil, fail(ErrShape, "the similarity is "+shape(n, n)+", too large to address")
	}
	m := NewMatrix(n, n, nil)
	err := eachBlock(context.Background(), workerCount(0), n, n, manyChunks, 0, func(at block) {
		s.Rows(rowsOf(m, at.lo, at.hi), at.lo)
	})
	return m, err
}

// denseKernel is K as a matrix. Where it is symmetric only up to a small
// tolerance the mean with its mirror image is handed out.
type denseKernel struct {
	m       *Matrix
	average bool
}

func (k *denseKernel) Len() int { return k.m.Rows }

func (k *denseKernel) Rows(dst *Matrix, lo int) {
	for i := range dst.Rows {
		copy(dst.Row(i), k.m.row(lo+i))
	}
	if !k.average {
		return
	}
	for j := range k.m.Rows {
		for i, v := range k.m.row(j)[lo : lo+dst.Rows] {
			x := &dst.Data[i*dst.Stride+j]
			*x += v/2 - *x/2
		}
	}
}

// symmetryTol is how far an entry may be from its mirror image, relative to the
// largest entry. What is within it is averaged.
const symmetryTol = 1e-8

// newDense checks a matrix of similarities, square, not empty, finite, symmetric,
// after what takes no time.
func newDense(kernel *Matrix, k int, opts *LSDOptions) (*denseKernel, error) {
	if _, err := checkLSD(k, opts); err != nil {
		return nil, err
	}
	if err := checkShape("kernel", kernel); err != nil {
		return nil, err
	}
	n := kernel.Rows
	if n != kernel.Cols {
		return nil, fail(ErrShape, "kernel is "+shape(kernel.Rows, kernel.Cols)+", not square")
	}
	if n == 0 {
		return nil, fail(ErrTooFewSamples, "kernel has no rows")
	}
	top, err := maxAbs("kernel", kernel)
	if err != nil {
		return nil, err
	}
	// By tiles, so that mirror images are read from a cache.
	const tile = 64
	worst, row, col := 0.0, 0, 0
	for i0 := 0; i0 < n; i0 += tile {
		for j0 := 0; j0 <= i0; j0 += tile {
			for i := i0; i < min(i0+tile, n); i++ {
				for j, v := range kernel.row(i)[j0:min(j0+tile, i+1)] {
					if d := math.Abs(v/2 - kernel.Data[(j0+j)*kernel.Stride+i]/2); d > worst {
						worst, row, col = d, i, j0+j
					}
				}
			}
		}
	}
	if worst > symmetryTol/2*top {
		return nil, fail(ErrShape, "kernel is not symmetric: worst at ["+strconv.Itoa(row)+","+strconv.Itoa(col)+"] = "+
			decimal(kernel.At(row, col))+" and ["+strconv.Itoa(col)+","+strconv.Itoa(row)+"] = "+
			decimal(kernel.At(col, row)))
	}
	return &denseKernel{kernel, worst > 0}, nil
}

// SampleKernel is a kernel of the rows of a matrix: K_ij = κ(x_i, x_j). It is a
// [Similarity] that computes its rows when they are asked for. x is neither
// copied nor changed, and must not change while the kernel is in use.
type SampleKernel struct {
	x     *Matrix
	s     *samples // x with its scale, not centred
	rbf   bool
	gamma float64 // of the scaled samples
	asked float64 // γ as it was given; 0: by the median
}

// LinearKernel returns K = XXᵀ for the rows of x (n×d). [LSDOf] and [TILSDOf]
// never form it: they work on x, also where XXᵀ is out of the range of float64. Rows
// and Cross then have the largest float64 or 0 for such entries, and
// [LSDModel.Predict] nothing to go by. TI-LSD of it is [Fit] of x. Cost: O(nd).
// Errors: [ErrShape], [ErrNonFinite], [ErrTooFewSamples].
func LinearKernel(x *Matrix) (*SampleKernel, error) {
	s, err := newSamples(context.Background(), x, nil, 0, false)
	if err != nil {
		return nil, err
	}
	return &SampleKernel{x: x, s: s}, nil
}

// RBFKernel returns K_ij = exp(−γ‖x_i − x_j‖²) for the rows of x (n×d). gamma 0
// stands for the median heuristic: γ = 1/(2m²) with m the median of ‖x_i − x_j‖
// over all pairs i < j (of 1000 rows drawn at random, always the same, where there
// are more), or of those that differ where the median is 0; where none differ m
// is of the order of the entries. Cost: O(nd), and O(min(n, 1000)²·d) for gamma 0.
// Errors: [ErrShape], [ErrNonFinite], [ErrTooFewSamples], [ErrOption] for a gamma
// that is negative or not finite.
func RBFKernel(x *Matrix, gamma float64) (*SampleKernel, error) {
	if !(gamma >= 0) || math.IsInf(gamma, 1) {
		return nil, fail(ErrOption, "gamma is "+decimal(gamma)+", not a finite number of at least 0")
	}
	k, err := LinearKernel(x)
	if err != nil {
		return nil, err
	}
	k.rbf, k.asked = true, gamma
	k.gamma = min(math.Ldexp(gamma, 2*k.s.exp), math.MaxFloat64)
	if gamma == 0 {
		m := k.medianDistance()
		k.gamma = min(1/(2*m)/m, math.MaxFloat64)
	}
	return k, nil
}

// of is the kernel of some of the samples.
func (k *SampleKernel) of(rows []int) *SampleKernel {
	s := *k.s
	s.x, s.n = chosenRows(k.x, rows), len(rows)
	return &SampleKernel{x: s.x, s: &s, rbf: k.rbf, gamma: k.gamma, asked: k.asked}
}

// Gamma is γ of an RBF kernel, as given or, to rounding, as the median heuristic
// has it: 0 or the largest float64 where that is out of range. It is 0 of a
// linear kernel.
func (k *SampleKernel) Gamma() float64 {
	if !k.rbf || k.asked > 0 {
		return k.asked
	}
	return min(math.Ldexp(k.gamma, -2*k.s.exp), math.MaxFloat64)
}

// medianRows is of how many rows the median heuristic looks at all pairs.
const medianRows = 1000

// medianDistance is the median of the heuristic, for the scaled samples.
func (k *SampleKernel) medianDistance() float64 {
	rows := make([]int, k.s.n)
	for i := range rows {
		rows[i] = i
	}
	if len(rows) > medianRows {
		rand.New(rand.NewPCG(0, 0x3ed1a)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		rows = rows[:medianRows]
		slices.Sort(rows)
	}
	d := k.s.d
	packed := NewMatrix(len(rows), d, nil)
	for i, at := range rows {
		k.s.pack(packed.row(i), at, at+1, false)
	}
	var all []float64
	for i := range rows {
		for j := range i {
			all = append(all, squaredDistance(packed.row(i), packed.row(j)))
		}
	}
	slices.Sort(all)
	if len(all) > 0 && all[len(all)/2] == 0 {
		all = slices.DeleteFunc(all, func(v float64) bool { return v == 0 })
	}
	if len(all) == 0 {
		return 1
	}
	return (math.Sqrt(all[(len(all)-1)/2]) + math.Sqrt(all[len(all)/2])) / 2
}

// squaredDistance is ‖x − y‖², the same to the bit for (y, x), and 0 for x = y.
func squaredDistance(x, y []float64) float64 {
	var s0, s1, s2, s3 float64
	for len(x) >= 4 && len(y) >= 4 {
		a, b := (*[4]float64)(x), (*[4]float64)(y)
		d0, d1, d2, d3 := a[0]-b[0], a[1]-b[1], a[2]-b[2], a[3]-b[3]
		s0 += d0 * d0
		s1 += d1 * d1
		s2 += d2 * d2
		s3 += d3 * d3
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		d := v - y[i]
		s0 += d * d
	}
	return (s0 + s1) + (s2 + s3)
}

// Len returns the number of samples.
func (k *SampleKernel) Len() int { return k.s.n }

// Rows writes rows lo … lo+dst.Rows−1 of K to dst. It panics if K has not so many
// rows, or dst not as many columns.
func (k *SampleKernel) Rows(dst *Matrix, lo int) {
	checkPart(dst, lo, k.s.n)
	own := make([]float64, dst.Rows*k.s.d)
	k.s.pack(own, lo, lo+dst.Rows, false)
	k.between(dst, own, nil)
}

// Cross returns the similarities of the rows of y (m×d), new samples, to those of
// x: m×n, which is what [LSDModel.Predict] takes. dst receives the result; nil
// allocates, a wrong shape panics. Errors: [ErrShape], [ErrNonFinite]; on an
// error dst is unchanged.
func (k *SampleKernel) Cross(dst, y *Matrix) (*Matrix, error) {
	if err := checkMatrix("y", y); err != nil {
		return nil, err
	}
	if y.Cols != k.s.d {
		return nil, fail(ErrShape, "y has "+strconv.Itoa(y.Cols)+" columns, the kernel's samples have "+strconv.Itoa(k.s.d))
	}
	if !fits(y.Rows, k.s.n) {
		return nil, fail(ErrShape, "the result is "+shape(y.Rows, k.s.n)+", too large to address")
	}
	dst = destination(dst, y.Rows, k.s.n)
	d := k.s.d
	err := eachBlock(context.Background(), workerCount(0), y.Rows, d, manyChunks, d, func(at block) {
		own, exps := at.scratch[:(at.hi-at.lo)*d], make([]int, at.hi-at.lo)
		for i := at.lo; i < at.hi; i++ {
			top, _ := rowMaxAbs(y.row(i))
			_, exp := math.Frexp(top)
			if k.rbf && (top == 0 || exp <= k.s.exp+500) { // differences need one scale, but squares must stay in range
				exp = k.s.exp
			}
			exps[i-at.lo] = exp
			for j, v := range y.row(i) {
				own[(i-at.lo)*d+j] = math.Ldexp(v, -exp)
			}
		}
		rows := &Matrix{Rows: at.hi - at.lo, Cols: dst.Cols, Stride: dst.Stride, Data: dst.Data[at.lo*dst.Stride:]} // which may end with its last entry
		k.between(rows, own, exps)
	})
	return dst, err
}

// between fills dst with the kernel of the packed samples `own` and x. exps has by
// which power of two each of own is scaled down; nil: by that of x.
func (k *SampleKernel) between(dst *Matrix, own []float64, exps []int) {
	d := k.s.d
	other := make([]float64, min(blockRows(k.s.n, d), k.s.n)*d)
	for lo := 0; lo < k.s.n; lo += blockRows(k.s.n, d) {
		hi := min(lo+blockRows(k.s.n, d), k.s.n)
		k.s.pack(other, lo, hi, false)
		for i := range dst.Rows {
			row, a, exp := dst.row(i)[lo:hi], own[i*d:(i+1)*d], k.s.exp
			if exps != nil {
				exp = exps[i]
			}
			for j := range row {
				b := other[j*d : (j+1)*d]
				switch {
				case !k.rbf:
					row[j] = clampFinite(math.Ldexp(dot(a, b), k.s.exp+exp))
				case exp != k.s.exp:
					row[j] = k.far(a, b, exp)
				default:
					row[j] = math.Exp(-min(k.gamma*squaredDistance(a, b), 1e4))
				}
			}
		}
	}
}

// far is the RBF kernel of x, which is scaled by 2^-exp, and a scaled sample y. γ as
// scaled may be 0.
func (k *SampleKernel) far(x, y []float64, exp int) float64 {
	r := make([]float64, len(x))
	for i, v := range x {
		r[i] = v - math.Ldexp(y[i], k.s.exp-exp)
	}
	t := math.Ldexp(math.Sqrt(k.gamma)*norm2(r), exp-k.s.exp)
	if k.asked > 0 {
		t = math.Ldexp(math.Sqrt(k.asked)*norm2(r), exp)
	}
	return math.Exp(-min(t*t, 1e4))
}

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
	if o.n > math.MaxInt32 || !fits(64, o.n) { // a block of rows with its products
		return nil, fail(ErrShape, "the similarity is "+shape(o.n, o.n)+", too large to work on")
	}
	c := chunks(o.n, o.n, manyChunks)
	tops, bad := make([]float64, c), make([]*InputError, c)
	err := o.eachRows(0, func(at block, rows *Matrix) {
		top, err := maxAbs("similarity", rows)
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
	return o.space.eachBlock(o.ctx, o.workers, o.n, o.n, manyChunks, o.n+floats, func(at block) {
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
		if m, err = o.data.mulT(vt); err == nil {
			m, err = o.data.mul(m)
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
			err = o.space.eachBlock(o.ctx, o.workers, o.n, o.n, manyChunks, b, func(at block) {
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
	gram, err := o.data.gram()
	if err != nil {
		return r, err
	}
	across, err := o.data.mulT(yt)
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
		if !fits(o.n, o.n) {
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
	if !fits(max(4*(p+krylovExtra), 96), o.n) { // the basis
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
	pc, err := o.data.principal(count, SolverAuto)
	if err != nil {
		return nil, err
	}
	rows, err := o.data.mul(pc.basis)
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
