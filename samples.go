package softkmeans

// The data as the solvers see it. Every pass over X reads a block of rows (or
// of columns, when the table is wide), shifts it to the mean, scales it by a
// power of two, weights it, and hands it on without gaps. So X is never
// copied as a whole, a strided view gives the bits of its copy, and nothing
// downstream overflows: all entries of a block are at most 2 in magnitude. Rows
// of weight 0, which may be of any size, are handed on as zeros.

import (
	"context"
	"math"
	"slices"
	"strconv"
)

// samples is √w_i·(2^-exp·x_i − mean), i = 1…n: the weighted, centred data.
// Weights are divided by their largest, rounded up to a power of two.
type samples struct {
	ctx     context.Context
	x       *Matrix
	n, d    int
	weights []float64 // as given; nil: all 1
	exp     int       // of X: the largest entry is in [2^(exp−1), 2^exp)
	wexp    int       // of the weights, likewise
	centred bool
	mean    []float64 // of the scaled rows; zeros when the data is not to be centred
	workers int
}

// newSamples checks x and weights and finds the scale and the mean: O(nd), two
// passes over X. Where centred is false the mean is taken to be 0.
func newSamples(ctx context.Context, x *Matrix, weights []float64, workers int, centred bool) (*samples, error) {
	if workers < 0 {
		return nil, fail(ErrOption, "Workers is "+strconv.Itoa(workers))
	}
	if err := checkSamples(x); err != nil {
		return nil, err
	}
	if err := checkWeights(weights, x.Rows); err != nil {
		return nil, err
	}
	s := &samples{ctx: ctx, x: x, n: x.Rows, d: x.Cols, weights: weights, workers: workerCount(workers), centred: centred}
	s.mean = make([]float64, s.d)
	top, err := finiteMax(ctx, "x", x, s.workers)
	if err != nil {
		return nil, err
	}
	if weights != nil {
		heaviest, _ := rowMaxAbs(weights)
		_, s.wexp = math.Frexp(heaviest)
		top = 0 // of the rows that count: others may be so large that these would vanish
		for i := range s.n {
			if s.weight(i) > 0 {
				big, _ := rowMaxAbs(x.row(i))
				top = max(top, big)
			}
		}
	}
	// 2^-exp must itself be a float64, also when X is denormal.
	_, s.exp = math.Frexp(top)
	s.exp = max(s.exp, -1020)
	if centred {
		err = s.findMean()
	}
	return s, err
}

// cancelled is the error of a context that has ended, in this package's form.
func cancelled(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fail(err, "stopped")
	}
	return nil
}

// blockRows is how many rows of length l make a block: 256 kB or so, which the
// second-level cache holds, but never fewer than 32 rows, below which the
// loops over a block cost more than the arithmetic.
func blockRows(l int) int { return min(max(32768/max(l, 1), 32), 256) }

// chunks is how many tasks a pass over n rows of length l is cut into.
func chunks(n, l, most int) int {
	return max(1, min(most, n/blockRows(l)))
}

// block is a run of items, lo…hi−1, for one call of eachBlock's fn.
type block struct {
	worker, chunk, lo, hi int
	scratch               []float64 // the worker's own, of any content
}

// eachBlock calls fn for all blocks of the items 0…n−1 (rows or columns, of
// length l each), in parallel over at most `most` chunks, with scratch space for
// `floats` numbers an item. Blocks of one chunk come in order. A context
// that has ended skips what is left, which is the error returned.
func eachBlock(ctx context.Context, workers, n, l, most, floats int, fn func(b block)) error {
	var w workspace
	return w.eachBlock(ctx, workers, n, l, most, floats, fn)
}

// workspace keeps the scratch space of each worker for the next pass. Passes over
// one workspace do not overlap.
type workspace struct{ scratch [][]float64 }

// eachBlock is the function of that name.
func (w *workspace) eachBlock(ctx context.Context, workers, n, l, most, floats int, fn func(b block)) error {
	c, step := chunks(n, l, most), blockRows(l)
	for len(w.scratch) < max(1, min(workers, c)) {
		w.scratch = append(w.scratch, nil)
	}
	size := floats * min(step, n)
	runTasks(workers, c, func(worker, task int) {
		if cap(w.scratch[worker]) < size {
			w.scratch[worker] = make([]float64, size)
		}
		first, last := taskRange(n, c, task)
		for lo := first; lo < last && ctx.Err() == nil; lo += step {
			fn(block{worker, task, lo, min(lo+step, last), w.scratch[worker][:size]})
		}
	})
	return cancelled(ctx)
}

// eachBlock is the function of that name over s.
func (s *samples) eachBlock(n, l, most, floats int, fn func(b block)) error {
	return eachBlock(s.ctx, s.workers, n, l, most, floats, fn)
}

// taskRange is the part of 0…n−1 that task t of c covers.
func taskRange(n, c, t int) (lo, hi int) {
	q, r := n/c, n%c
	lo = t*q + min(t, r)
	hi = lo + q
	if t < r {
		hi++
	}
	return lo, hi
}

// manyChunks bounds the tasks of passes whose tasks leave no more than a few
// numbers behind; reduceChunks those whose tasks leave a matrix.
const (
	manyChunks   = 64
	reduceChunks = 16
)

// finiteMax returns the largest magnitude in x, in parallel, or an error that
// names the first entry that is not finite.
func finiteMax(ctx context.Context, arg string, x *Matrix, workers int) (float64, error) {
	if x.Cols == 0 {
		return 0, nil
	}
	c := chunks(x.Rows, x.Cols, manyChunks)
	tops, bad := make([]float64, c), make([]bool, c)
	err := eachBlock(ctx, workers, x.Rows, x.Cols, manyChunks, 0, func(at block) {
		for i := at.lo; i < at.hi; i++ {
			top, ok := rowMaxAbs(x.row(i))
			tops[at.chunk] = max(tops[at.chunk], top)
			bad[at.chunk] = bad[at.chunk] || !ok
		}
	})
	if err == nil && slices.Contains(bad, true) {
		_, err = maxAbs(arg, x) // once more, to name the first
	}
	return slices.Max(tops), err
}

// findMean sums differences from the first row that counts: columns without
// variation come out with their exact value, and others lose less when far
// from 0.
func (s *samples) findMean() error {
	a := s.factor()
	origin, first := make([]float64, s.d), 0
	for s.weight(first) == 0 {
		first++ // checkWeights found a positive one
	}
	axpy(origin, a, s.x.row(first))
	c := chunks(s.n, s.d, reduceChunks)
	sums := NewMatrix(c, s.d, nil)
	total := make([]float64, c)
	short := NewMatrix(c, s.d, nil) // of one block: short sums first, then the sum of sums
	err := s.eachBlock(s.n, s.d, reduceChunks, 0, func(at block) {
		acc := short.row(at.chunk)
		clear(acc)
		for i := at.lo; i < at.hi; i++ {
			w := s.weight(i)
			if w == 0 {
				continue
			}
			total[at.chunk] += w
			row := s.x.row(i)
			for j, v := range row {
				acc[j] += w * (a*v - origin[j])
			}
		}
		axpy(sums.row(at.chunk), 1, acc)
	})
	var all float64
	for t := range c {
		all += total[t]
		axpy(s.mean, 1, sums.row(t))
	}
	for j := range s.mean {
		s.mean[j] = s.mean[j]/all + origin[j]
	}
	return err
}

// factor is 2^-exp.
func (s *samples) factor() float64 { return math.Ldexp(1, -s.exp) }

// weight is the scaled weight of row i, at most 1.
func (s *samples) weight(i int) float64 {
	if s.weights == nil {
		return 1
	}
	return math.Ldexp(s.weights[i], -s.wexp)
}

// unscaleSquare takes a sum of squares in scaled units back to the data's. It
// stops at the largest float64 instead of overflowing.
func (s *samples) unscaleSquare(v float64) float64 {
	return min(math.Ldexp(v, 2*s.exp+s.wexp), math.MaxFloat64)
}

// pack writes rows lo…hi−1 to dst, a row after the other; weighted multiplies
// row i by √w_i. A row of weight 0 is 0.
func (s *samples) pack(dst []float64, lo, hi int, weighted bool) {
	a, mean := s.factor(), s.mean
	for i := lo; i < hi; i++ {
		row := s.x.row(i)
		out := dst[(i-lo)*s.d:][:len(row)]
		if s.weight(i) == 0 {
			clear(out)
			continue
		}
		m := mean[:len(row)]
		for j, v := range row {
			out[j] = a*v - m[j]
		}
		if weighted && s.weights != nil {
			scale(out, math.Sqrt(s.weight(i)))
		}
	}
}

// packT writes rows lo…hi−1, weighted, as columns: d rows of length hi−lo.
// tile holds d numbers a row.
func (s *samples) packT(dst, tile []float64, lo, hi int) {
	s.pack(tile, lo, hi, true)
	m := hi - lo
	// Four rows of the tile at a time, so that four neighbours are written at
	// once.
	i := 0
	for ; i+4 <= m; i += 4 {
		r0, r1, r2, r3 := tile[i*s.d:(i+1)*s.d], tile[(i+1)*s.d:(i+2)*s.d], tile[(i+2)*s.d:(i+3)*s.d], tile[(i+3)*s.d:(i+4)*s.d]
		for j, v := range r0 {
			o := (*[4]float64)(dst[j*m+i:])
			o[0], o[1], o[2], o[3] = v, r1[j], r2[j], r3[j]
		}
	}
	for ; i < m; i++ {
		for j, v := range tile[i*s.d : (i+1)*s.d] {
			dst[j*m+i] = v
		}
	}
}

// packColumns writes columns lo…hi−1 of all rows, weighted: n rows of length
// hi−lo.
func (s *samples) packColumns(dst []float64, lo, hi int) {
	a, mean, m := s.factor(), s.mean[lo:hi], hi-lo
	for i := range s.n {
		out := dst[i*m : (i+1)*m]
		if s.weight(i) == 0 {
			clear(out)
			continue
		}
		for j, v := range s.x.row(i)[lo:hi] {
			out[j] = a*v - mean[j]
		}
		if s.weights != nil {
			scale(out, math.Sqrt(s.weight(i)))
		}
	}
}

// gram returns the smaller of XcᵀXc (d×d, for d ≤ n) and XcXcᵀ (n×n): nd·min(n,d)
// multiplications.
func (s *samples) gram() (*Matrix, error) {
	size, items := s.sides()
	if !fits(size, size) {
		return nil, s.tooLarge()
	}
	// A partial sum a chunk: no more of them than a quarter of X has room for.
	most := max(1, min(reduceChunks, items/(4*size)))
	parts := make([]*Matrix, chunks(items, size, most))
	for t := range parts {
		parts[t] = NewMatrix(size, size, nil)
	}
	err := s.eachBlock(items, size, most, 2*size, func(at block) {
		lo, hi := at.lo, at.hi
		m := hi - lo
		block := at.scratch[:size*m]
		if s.wide() {
			s.packColumns(block, lo, hi)
		} else {
			s.packT(block, at.scratch[size*m:], lo, hi)
		}
		addMulNT(parts[at.chunk].Data, size, block, size, block, size, m, true)
	})
	for _, p := range parts[1:] {
		axpy(parts[0].Data, 1, p.Data)
	}
	mirror(parts[0].Data, size)
	return parts[0], err
}

// tooLarge is the error where min(n, d)² numbers cannot be addressed.
func (s *samples) tooLarge() error {
	return fail(ErrShape, "x is "+shape(s.n, s.d)+", too large on both sides for all singular values; SolverKrylov needs only the leading ones")
}

// wide reports whether the rows are the smaller side.
func (s *samples) wide() bool { return s.n < s.d }

// sides returns min(n, d) and max(n, d).
func (s *samples) sides() (small, large int) { return min(s.n, s.d), max(s.n, s.d) }

// triangle returns the upper triangular factor R of the QR factorization of
// Xc (d×d, for d ≤ n) or of Xcᵀ (n×n), without ever squaring a singular value:
// twice the work of gram.
func (s *samples) triangle() (*Matrix, error) {
	size, items := s.sides()
	if !fits(3*size, size) {
		return nil, s.tooLarge()
	}
	// A chunk's rows pile up below the R of those before them; when the stack
	// is full one factorization takes it down to the next R.
	most := max(1, min(reduceChunks, items/(12*size)))
	height := 2*size + 2*min(blockRows(size), items)
	stacks := make([]*Matrix, chunks(items, size, most))
	fill := make([]int, len(stacks))
	for t := range stacks {
		stacks[t] = NewMatrix(height, size, nil)
	}
	reduce := func(t int) {
		if fill[t] > size {
			qrReduce(s.ctx, NewMatrix(fill[t], size, stacks[t].Data[:fill[t]*size]))
			fill[t] = size
		}
	}
	err := s.eachBlock(items, size, most, size, func(at block) {
		lo, hi := at.lo, at.hi
		m := hi - lo
		if fill[at.chunk]+m > height {
			reduce(at.chunk)
		}
		top := stacks[at.chunk].Data[fill[at.chunk]*size:][:m*size]
		fill[at.chunk] += m
		if !s.wide() {
			s.pack(top, lo, hi, true)
			return
		}
		s.packColumns(at.scratch[:size*m], lo, hi)
		for i := range size {
			for j, v := range at.scratch[i*m : (i+1)*m] {
				top[j*size+i] = v
			}
		}
	})
	if err != nil {
		return nil, err
	}
	runTasks(s.workers, len(stacks), func(_, t int) { reduce(t) })
	all := NewMatrix(size*len(stacks), size, nil)
	for t, stack := range stacks {
		copy(all.Data[t*size*size:(t+1)*size*size], stack.Data[:min(fill[t], size)*size])
	}
	if len(stacks) > 1 {
		qrReduce(s.ctx, all)
	}
	return NewMatrix(size, size, all.Data[:size*size]), cancelled(s.ctx)
}

// mul returns XcV for V given as Vᵀ (b×d), weighted: the result is b×n, that
// is (XcV)ᵀ.
func (s *samples) mul(vt *Matrix) (*Matrix, error) {
	b := vt.Rows
	out := NewMatrix(b, s.n, nil)
	err := s.eachBlock(s.n, s.d, manyChunks, s.d+b, func(at block) {
		lo, hi := at.lo, at.hi
		m := hi - lo
		block, prod := at.scratch[:m*s.d], at.scratch[m*s.d:m*(s.d+b)]
		s.pack(block, lo, hi, true)
		clear(prod)
		addMulNT(prod, b, block, m, vt.Data, b, s.d, false)
		for c := range b {
			row := out.row(c)[lo:hi]
			for i := range row {
				row[i] = prod[i*b+c]
			}
		}
	})
	return out, err
}

// mulT returns YᵀXc for Y given as Yᵀ (b×n), weighted: b×d.
func (s *samples) mulT(yt *Matrix) (*Matrix, error) {
	b := yt.Rows
	return s.sumBlocks(b, 0, func(acc *Matrix, block, _ []float64, lo, hi int) {
		for c := range b {
			for i, v := range yt.row(c)[lo:hi] {
				axpy(acc.row(c), v, block[i*s.d:(i+1)*s.d])
			}
		}
	})
}

// normal returns VᵀXcᵀXc for V given as Vᵀ (b×d): b×d, in one pass over X.
func (s *samples) normal(vt *Matrix) (*Matrix, error) {
	b := vt.Rows
	return s.sumBlocks(b, b, func(acc *Matrix, block, prod []float64, lo, hi int) {
		m := hi - lo
		clear(prod)
		addMulNT(prod, b, block, m, vt.Data, b, s.d, false)
		for i := range m {
			row := block[i*s.d : (i+1)*s.d]
			for c, v := range prod[i*b : (i+1)*b] {
				axpy(acc.row(c), v, row)
			}
		}
	})
}

// sumBlocks adds up a b×d matrix over all blocks of packed, weighted rows. fn
// gets `extra` numbers a row as scratch space.
func (s *samples) sumBlocks(b, extra int, fn func(acc *Matrix, block, scratch []float64, lo, hi int)) (*Matrix, error) {
	parts := make([]*Matrix, chunks(s.n, s.d, max(1, min(reduceChunks, s.n/(4*max(b, 1))))))
	for t := range parts {
		parts[t] = NewMatrix(b, s.d, nil)
	}
	err := s.eachBlock(s.n, s.d, len(parts), s.d+extra, func(at block) {
		lo, hi := at.lo, at.hi
		m := hi - lo
		block := at.scratch[:m*s.d]
		s.pack(block, lo, hi, true)
		fn(parts[at.chunk], block, at.scratch[m*s.d:m*(s.d+extra)], lo, hi)
	})
	for _, p := range parts[1:] {
		axpy(parts[0].Data, 1, p.Data)
	}
	return parts[0], err
}

// totalSquares returns ‖Xc‖², weighted.
func (s *samples) totalSquares() (float64, error) {
	sums := make([]float64, chunks(s.n, s.d, manyChunks))
	err := s.eachBlock(s.n, s.d, manyChunks, s.d, func(at block) {
		block := at.scratch[:(at.hi-at.lo)*s.d]
		s.pack(block, at.lo, at.hi, true)
		sums[at.chunk] += sumSquares(block)
	})
	var total float64
	for _, v := range sums {
		total += v
	}
	return total, err
}
