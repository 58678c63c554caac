package softkmeans

// The data as the solvers see it. A pass over X reads a block of rows, or of columns if the table is wide. It
// scales the block by a power of two, subtracts the mean, multiplies by √w and packs the result without gaps.
// So X is never copied, and all packed entries are at most 2 in magnitude. Rows of weight 0 become zeros.

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
)

// samples stands for the rows √w_i·(2^-exp·x_i − mean), i = 1…n, with weights w_i divided by 2^wexp. Passes
// compute these rows from x.
type samples struct {
	parallelism
	x    *Matrix
	n, d int
	units
	weights []float64 // as given; nil: all 1
	zeros   bool      // all rows of positive weight are 0
	centred bool
	mean    []float64 // of the scaled rows; zeros if the data is not centred
	fine    meanRest  // the rest of the true mean
	// the rows are a part of a larger table: Gram matrices are then of the columns, even if n < d
	part bool
}

// meanRest contains the rest of the true mean, mean + rest. The method bound covers its rounding error.
type meanRest struct {
	rest   []float64 // nil: 0
	mass   float64   // Σw_i
	offset float64   // ‖mean − origin‖; origin is the row that survey subtracts from all rows
	depth  int       // number of roundings of the mean's sums
}

// squares returns Σw·‖rest‖², by which squared distances from mean exceed those from mean + rest.
func (m *meanRest) squares() float64 { return m.mass * sumSquares(m.rest) }

// off bounds √Σw times the distance of mean + rest from the true mean, for the given total = ‖Xc‖².
//
// The mean comes from sums of differences from the origin. These sums are off by γ(depth) of the sum of the
// magnitudes, whose length is at most √(total/Σw) + offset (Minkowski). Weights and the division by Σw double
// the number of roundings. Products with rest add d roundings.
func (m *meanRest) off(total float64) float64 {
	return 1.1 * gamma(2*m.depth+len(m.rest)+16) * (math.Sqrt(total) + math.Sqrt(m.mass)*m.offset)
}

// bound returns a bound of the error of Σw·‖rest‖², also for the projection of rest on any subspace.
func (m *meanRest) bound(total float64) float64 {
	off := m.off(total)
	return off * (2.1*math.Sqrt(m.squares()) + off)
}

// units are the powers of two that divide data and weights. The largest entry is in [2^(exp−1), 2^exp), and
// the largest weight in [2^(wexp−1), 2^wexp). If all entries are 0, exp is 0.
type units struct{ exp, wexp int }

// unscaleSquare returns a sum of squares in the units of the data, or math.MaxFloat64 if it is out of range.
func (u units) unscaleSquare(v float64) float64 {
	return min(math.Ldexp(v, 2*u.exp+u.wexp), math.MaxFloat64)
}

// unscaleBound is unscaleSquare for an upper bound: a bound above 0 stays above 0. In the denormal range the
// bound and its floor may each be off by half a step.
func (u units) unscaleBound(v float64) float64 {
	bound := u.unscaleSquare(v)
	if v > 0 && bound < 0x1p-1021 {
		bound += 0x1p-1074
	}
	return bound
}

// span is the range of indices lo…hi−1.
type span struct{ lo, hi int }

// The exponents of leastScale and mostEntry. units.exp is between them.
const (
	leastExp = -499
	mostExp  = 501
)

// newSamples checks x and weights, and finds the units and the mean (0 unless centred) in one pass over X.
func newSamples(
	ctx context.Context, x *Matrix, weights []float64, workers int, centred bool,
) (*samples, error) {
	if err := cmp.Or(checkCount("Workers", workers), checkShape("x", x)); err != nil {
		return nil, err
	}
	if err := checkSize("partial sums of x", 2*min(x.Rows, reduceChunks)+2, x.Cols); err != nil {
		return nil, err
	}
	s, err := unread(ctx, x.Rows, x.Cols, weights, workers, centred)
	if err != nil {
		return nil, err
	}
	s.x = x
	top, err := s.survey()
	if err != nil {
		return nil, err
	}
	s.zeros = top == 0
	scale(s.mean, s.factor())
	scale(s.fine.rest, s.factor())
	s.fine.offset *= s.factor()
	return s, nil
}

// unread returns samples without rows: the shape, the weights and their unit. It checks shape and weights.
func unread(ctx context.Context, n, d int, weights []float64, workers int, centred bool) (*samples, error) {
	switch {
	case n == 0:
		return nil, fail(ErrTooFewSamples, "x has no rows")
	case d == 0:
		return nil, fail(ErrShape, "x has no columns")
	}
	s := &samples{n: n, d: d, weights: weights, centred: centred}
	s.ctx, s.workers = ctx, workerCount(workers)
	top, err := heaviest(weights, n)
	if err == nil && top == 0 {
		err = fail(ErrTooFewSamples, "every weight is 0")
	}
	if weights != nil {
		_, s.wexp = math.Frexp(top)
	}
	return s, err
}

// some returns samples without rows, of n rows with new weights in scaled units; nil: all 1.
func (s *samples) some(n int, weights []float64) *samples {
	out := *s
	out.x, out.n, out.weights, out.wexp = nil, n, weights, 0
	return &out
}

// stripLengthOf returns l/32, rounded up. A pass that packs blocks of rows as strips of columns gives this
// number to chunking as the length of a row. Its blocks then contain up to 32 times as many rows, up to 8 MB,
// so that fewer partial sums are added.
func stripLengthOf(l int) int { return (l + 31) / 32 }

// survey returns the largest magnitude in rows of positive weight, and sets exp and the mean of X, in one
// pass. It returns an error for the first entry out of range. It sums differences from the first of the
// heaviest rows. The mean of a constant column is then exact, and columns far from 0 lose fewer digits.
func (s *samples) survey() (top float64, err error) {
	type part struct {
		top, total float64
		bad        bool
		sums       []float64
		short      []float64 // sums of one block, which sums receives afterwards
	}
	parts := make([]part, chunks(s.n, s.d, reduceChunks))
	rows := NewMatrix(2*len(parts)+2, s.d, nil)
	for t := range parts {
		parts[t].sums, parts[t].short = rows.row(2*t+2), rows.row(2*t+3)
	}
	origin, rest := s.x.row(argmax(s.weights)), rows.row(1)
	s.mean = rows.row(0)
	err = s.eachBlock(chunking{s.n, s.d, reduceChunks}, 0, func(at block) {
		p := &parts[at.chunk]
		clear(p.short)
		mass := 0.0
		for i := at.lo; i < at.hi; i++ {
			w := s.weight(i)
			big, ok := addDifference(p.short, s.x.row(i), origin, w)
			p.bad = p.bad || !ok || big > mostEntry
			if w > 0 {
				p.top = max(p.top, big)
				mass += w
			}
		}
		p.total += mass
		axpy(p.sums, 1, p.short)
	})
	if err != nil {
		return 0, err
	}
	var all float64
	for _, p := range parts {
		if p.bad {
			_, err := checkEntries("x", s.x, mostEntry) // a second pass names the first one
			return 0, err
		}
		top = max(top, p.top)
		all += p.total
		axpy(s.mean, 1, p.sums)
	}
	if err := checkScale("x", s.x, top); err != nil {
		return 0, err
	}
	_, s.exp = math.Frexp(top)
	if !s.centred {
		clear(s.mean)
		return top, nil
	}
	s.fine = meanRest{rest: rest, mass: all, depth: chunking{s.n, s.d, reduceChunks}.depth()}
	var squares float64
	for j, v := range s.mean { // sums of differences from the origin
		v /= all
		s.mean[j], s.fine.rest[j] = twoSum(v, origin[j])
		v /= max(top, leastScale)
		squares += v * v
	}
	s.fine.offset = top * math.Sqrt(squares) * (1 + gamma(s.d+8))
	return top, nil
}

// fromData converts centers f from the data's units to scaled units, less the mean. It returns their
// coordinates along the rows of axes; nil: along the columns of the data. A caller's centers may be 2^1020
// times as large as the data. fromData limits entries to 2^200 times the size of the data, so that sums of
// squares are finite.
func (s *samples) fromData(f, axes *Matrix) *Matrix {
	row, r := make([]float64, s.d), s.d
	if axes != nil {
		r = axes.Rows
	}
	out := NewMatrix(f.Rows, r, nil)
	for a := range f.Rows {
		for c, v := range f.row(a) {
			row[c] = min(max(math.Ldexp(v, -s.exp), -0x1p200), 0x1p200) - s.mean[c]
		}
		if axes == nil {
			copy(out.row(a), row)
			continue
		}
		for c := range r {
			out.row(a)[c] = dot(row, axes.row(c))
		}
	}
	return out
}

// withoutContext calls fn while s has a context that never ends. fn must be short.
func (s *samples) withoutContext(fn func() error) error {
	ctx := s.ctx
	s.ctx = context.Background()
	defer func() { s.ctx = ctx }()
	return fn()
}

// factor returns 2^-exp.
func (s *samples) factor() float64 { return math.Ldexp(1, -s.exp) }

// weight returns the scaled weight of row i. It is at most 1; below leastScale it is 0.
func (s *samples) weight(i int) float64 {
	if s.weights == nil {
		return 1
	}
	return s.ownWeight(i)
}

// ownWeight is weight if there are weights. It is separate so that the compiler inlines weight.
func (s *samples) ownWeight(i int) float64 {
	if w := math.Ldexp(s.weights[i], -s.wexp); w >= leastScale {
		return w
	}
	return 0
}

// root returns the factor by which packing multiplies row i: 0 for weight 0, otherwise √w_i if weighted is
// set, and 1 if not.
func (s *samples) root(i int, weighted bool) float64 {
	w := s.weight(i)
	if !weighted && w > 0 {
		return 1
	}
	return math.Sqrt(w)
}

// mass returns the sum of the weights.
func (s *samples) mass() (all fineSum) {
	for i := range s.n {
		all.add(s.weight(i))
	}
	return all
}

// zeroWeights returns the indices of the rows of weight 0.
func (s *samples) zeroWeights() (rows []int) {
	for i := range s.n {
		if s.weight(i) == 0 {
			rows = append(rows, i)
		}
	}
	return rows
}

// pack writes rows lo…hi−1 to dst without gaps and without their weights.
func (s *samples) pack(dst []float64, lo, hi int) {
	s.packPart(dst, span{lo, hi}, span{0, s.d}, false)
}

// packPart writes the given columns of the given rows to dst without gaps, times √w_i if weighted is set.
func (s *samples) packPart(dst []float64, rows, cols span, weighted bool) {
	a, mean := s.factor(), s.mean[cols.lo:cols.hi]
	for i := rows.lo; i < rows.hi; i++ {
		row := s.x.row(i)[cols.lo:cols.hi]
		out := dst[(i-rows.lo)*len(row):][:len(row)]
		if s.weight(i) == 0 {
			clear(out)
			continue
		}
		shift(out, row, mean, a)
		if weighted && s.weights != nil {
			scale(out, math.Sqrt(s.weight(i)))
		}
	}
}

// packFine is packPart with weights. It subtracts mean + rest, not mean alone.
func (s *samples) packFine(dst []float64, rows, cols span) {
	s.packPart(dst, rows, cols, true)
	if s.fine.rest == nil {
		return
	}
	rest, l := s.fine.rest[cols.lo:cols.hi], cols.hi-cols.lo
	for i := rows.lo; i < rows.hi; i++ {
		axpy(dst[(i-rows.lo)*l:][:l], -s.root(i, true), rest)
	}
}

// packT writes rows lo…hi−1 column by column. If weighted is set, it multiplies rows by √w_i.
func (s *samples) packT(dst []float64, lo, hi int, weighted bool) {
	a, m := s.factor(), hi-lo
	for i := range m {
		w := s.root(lo+i, weighted)
		for j, v := range s.x.row(lo + i) {
			dst[j*m+i] = (v*a - s.mean[j]) * w
		}
	}
}

// plainRows returns the rows of m as samples that packing copies: without weights, units and mean.
func plainRows(m *Matrix) *samples {
	return &samples{x: m, n: m.Rows, d: m.Cols, mean: make([]float64, m.Cols)}
}

// packStrips writes some columns of some rows as strips of rows. If weighted is set, it multiplies rows by
// √w_i.
func (s *samples) packStrips(dst []float64, rows, cols span, weighted bool) {
	size := stripSize(stripRows, cols.hi-cols.lo)
	for i := rows.lo; i < rows.hi; i += stripRows {
		var x [stripRows][]float64
		var w [stripRows]float64
		s.take(x[:], w[:], span{i, rows.hi}, cols, weighted)
		interleave(dst[(i-rows.lo)/stripRows*size:][:size], &x, s.mean[cols.lo:cols.hi], s.factor(), &w)
	}
}

// take sets x to the given columns of the first len(x) rows of the span, and w to the results of root for
// these rows. If the span contains fewer rows, the remaining entries of x get its last row, and the remaining
// entries of w get 0.
func (s *samples) take(x [][]float64, w []float64, rows, cols span, weighted bool) {
	for r := range x {
		x[r] = s.x.row(min(rows.lo+r, rows.hi-1))[cols.lo:cols.hi]
		if w[r] = 0; rows.lo+r < rows.hi {
			w[r] = s.root(rows.lo+r, weighted)
		}
	}
}

// packStripsT writes some columns of some rows, weighted, as strips of columns.
func (s *samples) packStripsT(dst []float64, rows, cols span) {
	m := rows.hi - rows.lo
	size := stripSize(stripRows, m)
	if useSIMD && cols.hi-cols.lo >= fourRowsWidth {
		s.packFours(dst, size, rows, cols)
		return
	}
	// A tile of X and its strips fit the first-level cache together.
	const height, width = 8, 96
	var tile [height * width]float64
	for top := 0; top < stripLength(m); top += height {
		first := min(rows.lo+top, rows.hi)
		some := span{first, min(first+height, rows.hi)}
		for left := cols.lo; left < cols.hi; left += width {
			l := min(width, cols.hi-left)
			s.packPart(tile[:], some, span{left, left + l}, true)
			clear(tile[(some.hi-some.lo)*l:])
			for i := 0; i < height && top+i < stripLength(m); i += 2 {
				x, y := tile[i*l:][:l], tile[(i+1)*l:][:l]
				interleaveT(dst[(left-cols.lo)/stripRows*size:], size, top+i, x, y)
			}
		}
	}
}

// packFours is packStripsT for strips of `size` numbers and at least fourRowsWidth columns.
func (s *samples) packFours(dst []float64, size int, rows, cols span) {
	a, mean, l := s.factor(), s.mean[cols.lo:cols.hi], cols.hi-cols.lo
	full := l / stripRows * stripRows
	for top := 0; top < size/stripRows; top += 4 {
		var x [4][]float64
		var w [4]float64
		s.take(x[:], w[:], span{rows.lo + top, rows.hi}, cols, true)
		out := dst[stripIndex(top):]
		fourRowsSIMD(out, size, &x, mean[:full], a, &w)
		if full == l {
			continue
		}
		last := out[full/stripRows*size:] // a strip of one or two columns
		for j := range stripRows {
			clear(last[j*lanes:][:len(x)])
		}
		for j, m := range mean[full:] {
			for r, v := range x {
				last[j*lanes+r] = (v[full+j]*a - m) * w[r]
			}
		}
	}
}

// totalSquares returns ‖Xc‖² and a bound of its error. Packing rounds each number four times, and squaring
// rounds it once more.
func (s *samples) totalSquares() (total, off float64, err error) {
	sums := make([]fineSum, chunks(s.n, s.d, manyChunks))
	err = s.eachBlock(chunking{s.n, s.d, manyChunks}, s.d, func(at block) {
		rows := at.scratch[:(at.hi-at.lo)*s.d]
		s.packFine(rows, span{at.lo, at.hi}, span{0, s.d})
		for ; len(rows) > 0; rows = rows[s.d:] {
			sums[at.chunk].add(sumSquares(rows[:s.d]))
		}
	})
	total = totalOf(sums).value()
	return total, gamma(fineDepth(s.n)+dotDepth(s.d)+12)*total + s.fine.bound(total), err
}

func (s *samples) varying() int {
	first := s.x.row(argmax(s.weights))
	same := indices(s.d) // the columns in which all rows so far are equal
	for i := 0; i < s.n && len(same) > 0; i++ {
		if row := s.x.row(i); s.weight(i) > 0 {
			same = slices.DeleteFunc(same, func(j int) bool { return row[j] != first[j] })
		}
	}
	return s.d - len(same)
}

// wide reports whether n < d, so that the Gram matrix is of the rows. It is false for a part of a table.
func (s *samples) wide() bool { return s.n < s.d && !s.part }

func (s *samples) data() *samples { return s }

func (s *samples) chosen(list []int) *Matrix { return chosenRows(s.x, list) }

// directionsOf returns the number of directions that k centers span: from the mean, or from 0 with
// SumAtMostOne.
func directionsOf(k int, sum Sum) int {
	if sum == SumAtMostOne {
		return k
	}
	return k - 1
}

// directions returns the number of principal directions that Fit takes for k centers, at most min(n, d).
func (s *samples) directions(k int, sum Sum) int { return min(directionsOf(k, sum), s.d, s.n) }

// sides returns the order of the Gram matrix and the number of its terms: min(n, d) and max(n, d), or d and n
// if s.part is set.
func (s *samples) sides() (small, large int) {
	if s.wide() {
		return s.n, s.d
	}
	return s.d, s.n
}

// rankBound returns the largest possible rank of data of this shape.
func (s *samples) rankBound() int { return rankOf(s.n, s.d, s.centred) }

// rankOf returns the largest possible rank of n rows of length d. Centring takes one dimension.
func rankOf(n, d int, centred bool) int {
	if centred {
		n--
	}
	return min(n, d)
}

// heaviest returns the largest of n weights, or 1 for nil. It returns an error for a weight below 0 or not
// finite.
func heaviest(w []float64, n int) (top float64, err error) {
	if w == nil {
		return 1, nil
	}
	if len(w) != n {
		return 0, fail(ErrShape, strconv.Itoa(len(w))+" weights for "+strconv.Itoa(n)+" rows")
	}
	for i, v := range w {
		why := ErrOption
		if !isFinite(v) {
			why = ErrNonFinite
		} else if v >= 0 {
			top = max(top, v)
			continue
		}
		return 0, &InputError{Arg: "weights", Row: i, Col: -1, Value: v, Err: why}
	}
	return top, nil
}
