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
	if !addressable(n, n) {
		return nil, fail(ErrShape, "the similarity is "+shape(n, n)+", too large to address")
	}
	m := NewMatrix(n, n, nil)
	err := eachBlock(context.Background(), workerCount(0), chunking{n, n, manyChunks}, 0, func(at block) {
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
	if err := checkShape("y", y); err != nil {
		return nil, err
	}
	if _, err := checkEntries("y", y, mostEntry); err != nil {
		return nil, err
	}
	if y.Cols != k.s.d {
		return nil, fail(ErrShape, "y has "+strconv.Itoa(y.Cols)+" columns, the kernel's samples have "+strconv.Itoa(k.s.d))
	}
	if !addressable(y.Rows, k.s.n) {
		return nil, fail(ErrShape, "the result is "+shape(y.Rows, k.s.n)+", too large to address")
	}
	dst = destination(dst, y.Rows, k.s.n)
	d := k.s.d
	err := eachBlock(context.Background(), workerCount(0), chunking{y.Rows, d, manyChunks}, d, func(at block) {
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

// subsetKernel hands out rows and columns of another similarity.
type subsetKernel struct {
	src     Similarity
	members []int
}

func (k *subsetKernel) Len() int { return len(k.members) }

func (k *subsetKernel) Rows(dst *Matrix, lo int) {
	var full *Matrix
	for i := range dst.Rows {
		from, row := k.members[lo+i], dst.row(i)
		var whole []float64
		switch src := k.src.(type) {
		case kernelFunc: // only the entries that are wanted
			for j, at := range k.members {
				row[j] = src.at(from, at)
			}
			continue
		case *denseKernel:
			if !src.average {
				whole = src.m.row(from)
			}
		}
		if whole == nil {
			if full == nil {
				full = NewMatrix(1, k.src.Len(), nil)
			}
			k.src.Rows(full, from)
			whole = full.Data
		}
		for j, at := range k.members {
			row[j] = whole[at]
		}
	}
}
