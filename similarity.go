package softkmeans

// Similarities: symmetric n×n matrices K that are read by rows and need not be stored, and kernels.

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// Similarity is a symmetric n×n matrix K that is read by rows and need not be
// stored: a kernel that is computed, a graph, a file. A symmetric [*Matrix] is one.
// [LinearKernel] and [RBFKernel] make one of samples.
type Similarity interface {
	// Len returns n, always the same.
	Len() int
	// CopyRows writes the rows lo … lo+dst.Rows−1 of K to dst, n columns each. It writes the same numbers
	// each time, and several goroutines call it at once. TILSD reads every row some 6 to 200 times, LSD once
	// more for every step of its descents. dst has any content before, and must not be kept. Unless Workers
	// is 1, a panic in CopyRows is in another goroutine than the caller's, who cannot recover it.
	CopyRows(dst *Matrix, lo int)
}

// checkRowsOf panics unless dst can be rows lo, lo+1, … of an n×n matrix.
func checkRowsOf(dst *Matrix, lo, n int) {
	if checkShape("dst", dst) != nil || dst.Cols != n || lo < 0 || dst.Rows > n-lo {
		size := "nil"
		if dst != nil {
			size = shape(dst.Rows, dst.Cols)
		}
		panic("softkmeans: dst is " + size + " for rows from " + strconv.Itoa(lo) + " on of " + shape(n, n))
	}
}

// SimilarityMatrix returns all of s, n×n. Where that fits in memory and an entry takes longer to compute
// than to read, [LSD] and [TILSD] of the matrix are faster than of s, which computes it once per pass.
// Cost: n² entries; those of samples take O(d) each. Errors: [ErrShape] if s is nil or too large to
// address, [ErrTooFewSamples] for n < 1.
func SimilarityMatrix(s Similarity) (*Matrix, error) {
	if err := checkSimilarity(s); err != nil {
		return nil, err
	}
	n := s.Len()
	if n < 1 {
		return nil, fail(ErrTooFewSamples, "the similarity has no rows")
	}
	if err := checkSize("the similarity", n, n); err != nil {
		return nil, err
	}
	m := NewMatrix(n, n, nil)
	err := eachBlock(context.Background(), workerCount(0), chunking{n, n, manyChunks}, 0, func(at block) {
		s.CopyRows(rowsOf(m, at.lo, at.hi), at.lo)
	})
	return m, err
}

// checkSimilarity returns an error if s is nil, or a kernel without samples.
func checkSimilarity(s Similarity) error {
	switch f := s.(type) {
	case nil:
		return fail(ErrShape, "the similarity is nil")
	case *Matrix:
		return checkShape("the similarity", f)
	case *SampleKernel:
		if f == nil || f.s == nil {
			return fail(ErrShape, "the similarity is a kernel without samples")
		}
	}
	return nil
}

// Len returns the number of rows: a symmetric Matrix is a [Similarity].
func (m *Matrix) Len() int { return m.Rows }

// CopyRows copies the rows lo … lo+dst.Rows−1 of a square matrix to dst, as [Similarity] wants.
// It panics unless m has these rows and dst as many columns.
func (m *Matrix) CopyRows(dst *Matrix, lo int) {
	checkRowsOf(dst, lo, m.Rows)
	copyRows(dst, rowsOf(m, lo, lo+dst.Rows))
}

// denseKernel is a matrix that was checked. Where it is symmetric only to symmetryTol,
// CopyRows writes the mean of it and its transpose.
type denseKernel struct {
	m       *Matrix
	average bool
}

func (k *denseKernel) Len() int { return k.m.Rows }

func (k *denseKernel) CopyRows(dst *Matrix, lo int) {
	copyRows(dst, rowsOf(k.m, lo, lo+dst.Rows))
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

// SampleKernel is a kernel of the rows of a matrix: K_ij = κ(x_i, x_j). It is a [Similarity] that computes
// its rows when it is asked for them. x is not copied, and must not change while the kernel is in use.
type SampleKernel struct {
	s      *samples // x with its scale, not centred
	linear bool     // K = XXᵀ, which LSD and TI-LSD do not form; otherwise RBF
	gamma  float64  // of an RBF kernel, in the units of x
	scaled float64  // γ for the scaled samples
}

// LinearKernel returns K = XXᵀ for the rows of x (n×d). [LSD] and [TILSD] of it do
// not form K: they work on x, of any size in range. TI-LSD of it is [Fit] of x. CopyRows and
// Cross write the products, which may be above the range of similarities (2^500). Cost:
// O(nd). Errors: [ErrShape], [ErrNonFinite], [ErrRange], [ErrTooFewSamples].
func LinearKernel(x *Matrix) (*SampleKernel, error) {
	s, err := newSamples(context.Background(), x, nil, 0, false)
	if err != nil {
		return nil, err
	}
	return &SampleKernel{s: s, linear: true}, nil
}

// RBFKernel returns K_ij = exp(−γ‖x_i − x_j‖²) for the rows of x (n×d). gamma 0 stands for the median
// heuristic: γ = 1/(2m²) with m the median of ‖x_i − x_j‖ over all pairs i < j. Where that is 0, m is the
// median of the distances above 0; without any of these, of the size of the largest entry. Above 1000 rows, m
// is that of 1000 rows drawn at random, always the same. Cost: O(nd), and O(min(n, 1000)²·d) for gamma 0.
//
// Errors: [ErrShape], [ErrNonFinite], [ErrRange], [ErrTooFewSamples], and [ErrOption] for a bad gamma.
func RBFKernel(x *Matrix, gamma float64) (*SampleKernel, error) {
	if err := checkAmount("gamma", gamma); err != nil {
		return nil, err
	}
	k, err := LinearKernel(x)
	if err != nil {
		return nil, err
	}
	k.linear = false
	k.gamma, k.scaled = gamma, unscale(gamma, 2*k.s.exp)
	if gamma == 0 {
		m := k.medianDistance()
		k.scaled = 1 / (2 * m) / m
		k.gamma = unscale(k.scaled, -2*k.s.exp)
	}
	return k, nil
}

// Gamma returns γ of an RBF kernel, as given or by the median heuristic, and 0 for a
// linear kernel. The heuristic's γ is at most math.MaxFloat64.
func (k *SampleKernel) Gamma() float64 { return k.gamma }

// medianRows is how many rows the median heuristic compares at most.
const medianRows = 1000

// medianDistance is the median of the heuristic, for the scaled samples.
func (k *SampleKernel) medianDistance() float64 {
	rows := indices(k.s.n)
	if len(rows) > medianRows {
		rand.New(rand.NewPCG(0, 0x3ed1a)).Shuffle(len(rows),
			func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		rows = rows[:medianRows]
		slices.Sort(rows)
	}
	packed := NewMatrix(len(rows), k.s.d, nil)
	for i, at := range rows {
		k.s.pack(packed.row(i), at, at+1, false)
	}
	var all []float64
	for i := range rows {
		for j := range i {
			all = append(all, math.Sqrt(squaredDistance(packed.row(i), packed.row(j))))
		}
	}
	return medianOfPositive(all, leastScale)
}

// medianOfPositive returns the median, where it is below least that of the others, 1 without any. It sorts.
func medianOfPositive(all []float64, least float64) float64 {
	slices.Sort(all)
	if len(all) > 0 && all[len(all)/2] < least {
		all = slices.DeleteFunc(all, func(v float64) bool { return v < least })
	}
	if len(all) == 0 {
		return 1
	}
	return (all[(len(all)-1)/2] + all[len(all)/2]) / 2
}

// Len returns the number of samples.
func (k *SampleKernel) Len() int { return k.s.n }

// CopyRows writes rows lo … lo+dst.Rows−1 of K to dst. It panics unless K has them, and dst n columns.
func (k *SampleKernel) CopyRows(dst *Matrix, lo int) {
	checkRowsOf(dst, lo, k.s.n)
	own := make([]float64, dst.Rows*k.s.d)
	k.s.pack(own, lo, lo+dst.Rows, false)
	k.between(dst, own)
}

// Cross returns the similarities of the rows of y (m×d), new samples, to those of x: m×n,
// as [LSDModel.Predict] takes them. dst receives the result; nil allocates, a wrong shape
// panics. Errors: [ErrShape], [ErrNonFinite], [ErrRange]; on an error dst is unchanged.
func (k *SampleKernel) Cross(dst, y *Matrix) (*Matrix, error) {
	if err := checkMatrix("y", y, mostEntry); err != nil {
		return nil, err
	}
	if y.Cols != k.s.d {
		return nil, fail(ErrShape,
			"y has "+strconv.Itoa(y.Cols)+" columns, the kernel's samples have "+strconv.Itoa(k.s.d))
	}
	if err := checkSize("the result", y.Rows, k.s.n); err != nil {
		return nil, err
	}
	dst = destination(dst, y.Rows, k.s.n)
	d := k.s.d
	err := eachBlock(context.Background(), workerCount(0), chunking{y.Rows, d, manyChunks}, d,
		func(at block) {
			own := at.scratch[:(at.hi-at.lo)*d]
			for i := at.lo; i < at.hi; i++ {
				shift(own[(i-at.lo)*d:][:d], y.row(i), k.s.mean, k.s.factor())
			}
			k.between(rowsOf(dst, at.lo, at.hi), own)
		})
	return dst, err
}

// between fills dst with the kernel of the samples `own`, packed and scaled as x is, and x. Entries of own
// may be 2^1000, so that squared distances are infinite: the RBF kernel is 0 then.
func (k *SampleKernel) between(dst *Matrix, own []float64) {
	d := k.s.d
	other := make([]float64, min(blockRows(k.s.n, d), k.s.n)*d)
	for lo := 0; lo < k.s.n; lo += blockRows(k.s.n, d) {
		hi := min(lo+blockRows(k.s.n, d), k.s.n)
		k.s.pack(other, lo, hi, false)
		for i := range dst.Rows {
			row, a := dst.row(i)[lo:hi], own[i*d:(i+1)*d]
			for j := range row {
				b := other[j*d : (j+1)*d]
				if k.linear {
					row[j] = math.Ldexp(dot(a, b), 2*k.s.exp)
				} else {
					row[j] = math.Exp(-min(k.scaled*min(squaredDistance(a, b), math.MaxFloat64), 1e4))
				}
			}
		}
	}
}

// unscale returns v·2^exp, at most math.MaxFloat64 in size: squares of n² entries may be larger.
func unscale(v float64, exp int) float64 {
	return min(max(math.Ldexp(v, exp), -math.MaxFloat64), math.MaxFloat64)
}

// DistanceKernel returns the similarities exp(−γd_ij²) for a symmetric n×n matrix of distances, which
// are at least 0, and 0 between a sample and itself. gamma 0 stands for the median heuristic of [RBFKernel],
// over all pairs. For Euclidean distances it is the RBF kernel of the samples. For others it may have
// negative eigenvalues, which count as error. The second result is γ. Cost: O(n²), and the median's
// sort. Errors: [ErrShape] where the matrix is not square, not symmetric, or no matrix of distances;
// [ErrNonFinite], [ErrRange], [ErrTooFewSamples] and [ErrOption].
func DistanceKernel(distances *Matrix, gamma float64) (*Matrix, float64, error) {
	if err := checkAmount("gamma", gamma); err != nil {
		return nil, 0, err
	}
	if err := checkShape("distances", distances); err != nil {
		return nil, 0, err
	}
	if distances.Rows == 0 {
		return nil, 0, fail(ErrTooFewSamples, "distances has no rows")
	}
	if _, err := checkSymmetric("distances", distances); err != nil {
		return nil, 0, err
	}
	n := distances.Rows
	var all []float64
	for i := range n {
		for j, v := range distances.row(i) {
			switch {
			case v < 0, i == j && v != 0:
				return nil, 0, fail(ErrShape,
					"distances["+strconv.Itoa(i)+", "+strconv.Itoa(j)+"] is "+decimal(v)+
						"; distances are at least 0, and 0 on the diagonal")
			case j < i:
				all = append(all, v)
			}
		}
	}
	if gamma == 0 {
		m := medianOfPositive(all, math.SmallestNonzeroFloat64)
		gamma = min(1/(2*m)/m, math.MaxFloat64)
	}
	k := NewMatrix(n, n, nil)
	for i := range n {
		for j := range i + 1 {
			v := distances.At(i, j)
			k.Set(i, j, math.Exp(-min(gamma*v*v, 1e4)))
			k.Set(j, i, k.At(i, j))
		}
	}
	return k, gamma, nil
}
