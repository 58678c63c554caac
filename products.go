package softkmeans

// Products of the samples with matrices and with themselves, block by block.

import "math"

// gramMatrix returns the smaller of XcᵀXc (d×d, for d ≤ n) and XcXcᵀ (n×n). Cost: nd·min(n,d).
func gramMatrix(s *samples) (*Matrix, error) {
	size, items := s.sides()
	if !addressable(size, size) {
		return nil, errTooLarge(s)
	}
	most := gramChunks(s)
	if most == 1 && size >= sharedGram {
		return gramByBlocks(s)
	}
	over := chunking{items, stripLengthOf(size), most}
	parts := newParts(over, size, size)
	err := s.eachBlock(over, roundUp(size, stripRows), func(at block) {
		if size < fewColumns && !s.wide() { // strips take twice as long
			columns, m := at.scratch, at.hi-at.lo
			s.packT(columns, at.lo, at.hi, true)
			addMulNT(parts[at.chunk].Data, size, columns, size, columns, size, m, true)
			return
		}
		packSide(s, at.scratch, span{at.lo, at.hi}, span{0, size})
		addMulStrips(parts[at.chunk].Data, size, at.scratch, size, at.scratch, size, at.hi-at.lo, true)
	})
	gram := sumParts(parts)
	mirror(gram.Data, size)
	return gram, err
}

// gramChunks returns the largest number of chunks of gramMatrix. Their partial sums take at most a quarter of
// the memory of X. A small Gram matrix (of order below sharedGram) of at least four blocks is computed in at
// least two chunks: two workers then take 8.9 ms for a 2000×256 table, not 15.8 ms.
func gramChunks(s *samples) int {
	size, items := s.sides()
	least := 1
	if size < sharedGram && chunks(items, stripLengthOf(size), 4) == 4 {
		least = 2
	}
	return max(least, min(reduceChunks, items/(4*size)))
}

// gramError bounds the error of samples.gram, in the trace and in the Frobenius norm, for the given trace.
//
// Every entry is off by γ(depth) times the sum of the magnitudes of its terms. ‖BᵀB‖_F ≤ ‖B‖_F² holds for B =
// |√w·xc|. Packing rounds every number three times, so a product passes six roundings more than its sum.
//
// If X is wide, recentre subtracts √w·yᵀ and its transpose, for y = X·rest. The sums of y are over d numbers
// in any order. So y is off by at most γ(d+18)·‖X‖_F‖rest‖, with ‖X‖_F² = trace + Σw·‖rest‖².
func gramError(s *samples, trace float64) float64 {
	size, items := s.sides()
	depth := chunking{items, stripLengthOf(size), gramChunks(s)}.depth()
	squares := s.fine.squares()
	off := 1.01 * gamma(depth+stripRows+18) * (trace + squares)
	if s.wide() {
		off += gamma(s.d+18) * ofRest(s, trace)
	}
	return off
}

// ofRest bounds the change of the Gram matrix by the rest of the mean, in the trace and in the Frobenius
// norm. For X − E, E = √w·restᵀ, the change is at most 2‖X‖_F‖E‖_F + ‖E‖_F². ‖E‖_F² is below a hundredth of
// the trace.
func ofRest(s *samples, trace float64) float64 {
	squares := s.fine.squares()
	return 2.1 * math.Sqrt(squares*(trace+squares))
}

// sharedGram is the least order at which workers may share one block and one Gram matrix. They do if partial
// sums would take more than a quarter of X's memory. Two workers then take 52 ms for (5000, 784) instead of
// 99 ms. With partial sums workers do not wait for each other: (20000, 784) is a fifth faster with them. At
// order 256 both ways take the same time.
const sharedGram = 384

// gramByBlocks is gramMatrix with one block at a time. All workers pack the block, then all add to the
// result.
func gramByBlocks(s *samples) (*Matrix, error) {
	size, items := s.sides()
	gram := NewMatrix(size, size, nil)
	step := min(blockRows(items, stripLengthOf(size)), items)
	strips := make([]float64, stripSize(size, step))
	bounds := make([]int, reduceChunks+1) // row ranges of the result, in whole strips, of about equal work
	for t := range bounds {
		bounds[t] = min(size, roundUp(int(float64(size)*(1-math.Sqrt(1-float64(t)/reduceChunks))), stripRows))
	}
	for lo := 0; lo < items && !stopped(s.ctx); lo += step {
		hi := min(lo+step, items)
		one := stripLength(hi - lo) // the numbers that a vector takes
		runTasks(s.workers, reduceChunks, func(_, t int) {
			first, last := roundUp(size*t/reduceChunks, stripRows),
				roundUp(size*(t+1)/reduceChunks, stripRows)
			if last = min(last, size); first < last {
				packSide(s, strips[first*one:], span{lo, hi}, span{first, last})
			}
		})
		runTasks(s.workers, reduceChunks, func(_, t int) {
			first, last := bounds[t], bounds[t+1]
			if first < last && !stopped(s.ctx) {
				from := strips[first*one:]
				addMulStrips(gram.Data[first*size+first:], size, from, last-first, from, size-first, hi-lo,
					true)
			}
		})
	}
	mirror(gram.Data, size)
	return gram, cancelled(s.ctx)
}

// packSide writes the given numbers of the given vectors of the smaller side, rows or columns, as strips.
func packSide(s *samples, dst []float64, numbers, vectors span) {
	if s.wide() {
		s.packStrips(dst, vectors, numbers, true)
	} else {
		s.packStripsT(dst, numbers, vectors)
	}
}

// errTooLarge returns the error for min(n, d)² numbers that exceed the address space.
func errTooLarge(s *samples) error {
	return fail(ErrShape, "x is "+shape(s.n, s.d)+
		", too large on both sides for all singular values; SolverKrylov needs only the leading ones")
}

// triangularFactor returns the upper triangular factor R of the QR factorization of Xc (d×d, for d ≤ n) or
// Xcᵀ (n×n). R has the singular values of Xc, not their squares. Cost: twice the cost of gramMatrix.
func triangularFactor(s *samples) (*Matrix, error) {
	size, items := s.sides()
	if !addressable(3*size, size) {
		return nil, errTooLarge(s)
	}
	// A chunk stacks its rows below the R of its rows before. A full stack is reduced to the next R.
	most := max(1, min(reduceChunks, items/(12*size)))
	height := 2*size + 2*min(blockRows(items, size), items)
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
	err := s.eachBlock(chunking{items, size, most}, size, func(at block) {
		m, part := at.hi-at.lo, span{at.lo, at.hi}
		if fill[at.chunk]+m > height {
			reduce(at.chunk)
		}
		top := stacks[at.chunk].Data[fill[at.chunk]*size:][:m*size]
		fill[at.chunk] += m
		if !s.wide() {
			s.packFine(top, part, span{0, s.d})
			return
		}
		columns := NewMatrix(size, m, at.scratch[:size*m])
		s.packFine(columns.Data, span{0, s.n}, part)
		transposeTo(NewMatrix(m, size, top), columns)
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

func (s *samples) multiplyT(yt *Matrix) (*Matrix, error) {
	b := yt.Rows
	if b == 0 {
		return NewMatrix(b, s.d, nil), cancelled(s.ctx)
	}
	y := plainRows(yt)
	if s.wide() { // a few columns at a time, without partial sums
		out, left := NewMatrix(b, s.d, nil), make([]float64, stripSize(b, s.n))
		y.packStrips(left, span{0, b}, span{0, s.n}, false)
		err := s.eachBlock(chunking{s.d, s.n, manyChunks}, stripLength(s.n), func(at block) {
			s.packStripsT(at.scratch, span{0, s.n}, span{at.lo, at.hi})
			addMulStrips(out.Data[at.lo:], s.d, left, b, at.scratch, at.hi-at.lo, s.n, false)
		})
		return out, err
	}
	// Partial sums take at most a quarter of the memory of X, or are one.
	over := chunking{s.n, stripLengthOf(s.d), max(1, min(reduceChunks, s.n/(4*b)))}
	parts := newParts(over, b, s.d)
	err := s.eachBlock(over, roundUp(b, stripRows)+roundUp(s.d, stripRows), func(at block) {
		m := at.hi - at.lo
		left, right := at.scratch[:stripSize(b, m)], at.scratch[stripSize(b, m):]
		y.packStrips(left, span{0, b}, span{at.lo, at.hi}, false)
		s.packStripsT(right, span{at.lo, at.hi}, span{0, s.d})
		addMulStrips(parts[at.chunk].Data, s.d, left, b, right, s.d, m, false)
	})
	return sumParts(parts), err
}

// newParts returns a matrix of zeros for every chunk of a sum.
func newParts(c chunking, rows, cols int) []*Matrix {
	parts := make([]*Matrix, chunks(c.n, c.l, c.most))
	for t := range parts {
		parts[t] = NewMatrix(rows, cols, nil)
	}
	return parts
}

// sumParts adds all parts to the first, which it returns.
func sumParts(parts []*Matrix) *Matrix {
	for _, p := range parts[1:] {
		axpy(parts[0].Data, 1, p.Data)
	}
	return parts[0]
}

// scatterOf returns Σw·zzᵀ over the rows z of a matrix of any coordinates.
func (s *samples) scatterOf(z *Matrix) *Matrix {
	p := z.Cols
	scatter := NewMatrix(p, p, nil)
	const most = 256 // rows at a time
	plain, weighted := make([]float64, p*most), make([]float64, p*most)
	for lo := 0; lo < z.Rows; lo += most {
		b := min(most, z.Rows-lo)
		for i := range b {
			w := s.weight(lo + i)
			for a, v := range z.row(lo + i) {
				plain[a*b+i], weighted[a*b+i] = v, w*v
			}
		}
		addMulNT(scatter.Data, p, weighted, p, plain, p, b, false)
	}
	return scatter
}

// The numbers of rows and columns that changeBasis multiplies at a time. Their strips fit the second-level
// cache. The rows fill strips, and the columns are a length of strips (stripLength) for any number of lanes.
const (
	projectedRows    = 48
	projectedColumns = 480
)

// fewColumns is the number of columns from which gramMatrix multiplies strips. Fewer columns would not fill
// strips.
const fewColumns = 8

// fewProducts is the number of multiplications for a row, p·d, from which changeBasis multiplies strips. For
// a 2000×12 table and two directions strips took 78 µs, and one column at a time 60 µs; for nine directions
// strips took 125 µs, and one column at a time 167 µs.
const fewProducts = 64

// projectedDepth bounds the number of roundings, including packing, that an entry passes in changeBasis by p
// vectors of d numbers.
func projectedDepth(p, d int) int {
	if p*d < fewProducts {
		return d + 12
	}
	return min(d, projectedColumns)/lanes + d/projectedColumns + 12
}

// changeBasis also accepts a nil basis, which stands for the axes of the data. z then must have no gaps. A
// basis must have no gaps. Rows of weight 0 get zeros.
func (s *samples) changeBasis(z, basis *Matrix) error {
	over := chunking{s.n, s.d, manyChunks}
	if basis == nil {
		return s.eachBlock(over, s.d, func(at block) {
			s.pack(z.Data[at.lo*s.d:at.hi*s.d], at.lo, at.hi)
		})
	}
	p, wide := basis.Rows, min(projectedColumns, s.d)
	if p*s.d < fewProducts { // one column at a time
		return s.eachBlock(over, s.d+1, func(at block) {
			m := at.hi - at.lo
			s.packT(at.scratch, at.lo, at.hi, false)
			sums := at.scratch[m*s.d:][:m]
			for c := range p {
				clear(sums)
				for j, v := range basis.row(c) {
					axpy(sums, v, at.scratch[j*m:][:m])
				}
				for i, v := range sums {
					z.row(at.lo + i)[c] = v
				}
			}
		})
	}
	right, column, axes := make([]float64, stripSize(p, s.d)), roundUp(p, stripRows), plainRows(basis)
	for lo := 0; lo < s.d && p > 0; lo += wide {
		axes.packStrips(right[lo*column:], span{0, p}, span{lo, min(lo+wide, s.d)}, false)
	}
	return s.eachBlock(over, stripLength(wide), func(at block) {
		for i := at.lo; i < at.hi; i += projectedRows {
			rows := span{i, min(i+projectedRows, at.hi)}
			for l := rows.lo; l < rows.hi; l++ {
				clear(z.row(l)[:p])
			}
			for lo := 0; lo < s.d; lo += wide {
				cols := span{lo, min(lo+wide, s.d)}
				s.packStrips(at.scratch, rows, cols, false)
				addMulStrips(z.Data[i*z.Stride:], z.Stride, at.scratch, rows.hi-i, right[lo*column:], p,
					cols.hi-lo, false)
			}
		}
	})
}
