package softkmeans

// Count, mean and scatter of rows, and their update when two parts are joined: T. F. Chan, G. H. Golub and R.
// J. LeVeque, Updating Formulae and a Pairwise Algorithm for Computing Sample Variances (1979). Nothing
// cancels if the mean is far from 0. Mean and scatter are stored with twice the digits of float64, as a sum
// and its lost rounding (Knuth's two-sum), so that results do not depend on the order of the merges.

import (
	"cmp"
	"context"
	"encoding/binary"
	"hash/crc32"
	"math"
	"slices"
	"strconv"
)

// Stats collects count, mean and scatter matrix of weighted rows in one pass over the data. The floors and
// the principal subspace depend on nothing else. Different goroutines, processes or machines may each add a
// part of a table to a Stats of their own. These merge in any order.
//
// The results agree to rounding with [Floors] and [Principal] of the whole table, however far the mean is
// from 0. The rows of each call must be in the range that the package comment gives. Weights below 2^-500 of
// the largest count as 0, but their rows are counted.
//
// The zero value is empty and ready. [Stats.Merge] into it makes a copy; an assignment shares memory. A Stats
// of d columns takes 8·d(d+1) bytes; d is at most 65536. Only one goroutine at a time may change it.
type Stats struct {
	units            // of the numbers below
	rows     int     // all rows, also of weight 0
	atZero   bool    // the scatter is about 0, and mean is 0: see aboutZero
	cols     int     // 0 before the first row of positive weight
	weight   float64 // Σw_i; if it is 0, all fields except rows are 0
	mean     []float64
	meanRest []float64 // the lost rounding of the mean
	// Upper triangle of Σw_i(x_i − mean)(x_i − mean)ᵀ, by rows, and its lost rounding.
	scatter, scatterRest []float64
	// Bounds of errors: of the weight, relative; of mean + meanRest; of the scatter's trace and norm.
	weightOff, meanOff, scatterOff float64
}

// meanOf returns the statistics of s without the scatter. At least one weight must be positive. s.mean is off
// in its last digits, and a later join would multiply this error by the distance between the means of the
// parts. So meanOf makes a second pass, O(nd), and sums the differences from the mean.
func meanOf(s *samples) (*Stats, error) {
	m := &Stats{units: s.units, rows: s.n, cols: s.d, mean: make([]float64, s.d),
		meanRest: make([]float64, s.d)}
	if s.zeros {
		m.exp = leastExp
	}
	weight := s.mass()
	if m.weight = weight.value(); weight.lost != 0 {
		m.weightOff = 0x1p-51
	}
	s.fine = meanRest{rest: m.meanRest, mass: m.weight, depth: chunking{s.n, s.d, reduceChunks}.depth() + 8}
	sums := NewMatrix(chunks(s.n, s.d, reduceChunks), s.d, nil)
	err := s.eachBlock(chunking{s.n, s.d, reduceChunks}, s.d, func(at block) {
		rows := at.scratch[:(at.hi-at.lo)*s.d]
		s.pack(rows, at.lo, at.hi)
		first := rows[:s.d] // holds the sum of the block
		scale(first, s.weight(at.lo))
		for i := at.lo + 1; i < at.hi; i++ {
			axpy(first, s.weight(i), rows[(i-at.lo)*s.d:][:s.d])
		}
		axpy(sums.row(at.chunk), 1, first)
	})
	for t := range sums.Rows {
		axpy(m.meanRest, 1/m.weight, sums.row(t))
	}
	for c, v := range s.mean {
		m.mean[c], m.meanRest[c] = twoSum(v, m.meanRest[c])
	}
	s.mean = m.mean
	return m, err
}

// negligible reports whether the weights of m's rows count as 0 in a table together with t's rows.
func (m *Stats) negligible(t *Stats) bool {
	return m.weight == 0 || t.weight > 0 && m.wexp-t.wexp < leastExp
}

// clone returns a copy that shares no memory with m.
func (m *Stats) clone() Stats {
	c := *m
	for _, list := range []*[]float64{&c.mean, &c.meanRest, &c.scatter, &c.scatterRest} {
		*list = slices.Clone(*list)
	}
	return c
}

// merge adds the rows of t, which may be m. Negligible rows change only the count. The new scatter is
// 2^own·(scatter of m) + 2^other·(scatter of t) + joint·shifts·shiftsᵀ.
func (m *Stats) merge(t *Stats) {
	rows := m.rows + t.rows
	switch {
	case t.negligible(m):
		m.rows = rows
		return
	case m.negligible(t):
		*m = t.clone()
		m.rows = rows
		return
	}
	exp, wexp := max(m.exp, t.exp), max(m.wexp, t.wexp)
	weight, more := math.Ldexp(m.weight, m.wexp-wexp), math.Ldexp(t.weight, t.wexp-wexp)
	// The new mean is the mean of the heavier part plus a step. A step from the mean of the lighter part
	// would be longer, and its rounding larger.
	share := more / (weight + more)
	step := share
	if more > weight {
		step = -weight / (weight + more)
	}
	own, other := 2*(m.exp-exp)+m.wexp-wexp, 2*(t.exp-exp)+t.wexp-wexp
	joint, shifts := weight*share, make([]float64, m.cols)
	a, b := math.Ldexp(1, m.exp-exp), math.Ldexp(1, t.exp-exp)
	var size, length float64 // squares of a mean and of the shift
	for c := range shifts {
		mean, rest := a*m.mean[c], a*m.meanRest[c]
		mean2, rest2 := b*t.mean[c], b*t.meanRest[c]
		shifts[c] = (mean2 - mean) + (rest2 - rest)
		size += max(mean*mean, mean2*mean2)
		length += shifts[c] * shifts[c]
		if more > weight {
			mean, rest = mean2, rest2
		}
		sum, lost := twoSum(mean, float64(step*shifts[c]))
		lost += rest
		m.mean[c] = sum + lost
		m.meanRest[c] = lost - (m.mean[c] - sum)
	}
	// The error of the joined mean consists of the errors of both means and of rounding. The shift rounds
	// three times, and the rests by 2^-53 of the means.
	size, length = math.Sqrt(size), math.Sqrt(length)
	shift := a*m.meanOff + b*t.meanOff + 0x1p-51*length + 0x1p-103*size
	off := 0x1p-50 + 4*max(m.weightOff, t.weightOff)
	m.meanOff = (1+0x1p-40)*((1-share)*a*m.meanOff+share*b*t.meanOff) + off*math.Abs(step)*length +
		0x1p-102*size
	m.scatterOff = (1+0x1p-40)*(math.Ldexp(m.scatterOff, own)+math.Ldexp(t.scatterOff, other)) +
		1.01*joint*(2*length*shift+shift*shift+off*length*length)
	sum, lost := twoSum(weight, more)
	if m.weightOff = max(m.weightOff, t.weightOff); lost != 0 {
		m.weightOff += 0x1p-52
	}
	m.rows, m.weight, m.units = rows, sum, units{exp, wexp}
	f, g, i := math.Ldexp(1, own), math.Ldexp(1, other), 0 // f and g are at most 1
	for c, v := range shifts {
		v *= joint
		for _, w := range shifts[c:] { // each number is read before it is written
			sum, lost := twoSum(f*m.scatter[i], g*t.scatter[i])
			sum, more := twoSum(sum, float64(v*w))
			lost += more + (f*m.scatterRest[i] + g*t.scatterRest[i])
			m.scatter[i] = sum + lost
			m.scatterRest[i] = lost - (m.scatter[i] - sum)
			i++
		}
	}
}

// rankBound returns the largest possible rank of the data about its mean, or about 0.
func (m *Stats) rankBound() int { return rankOf(m.rows, m.cols, !m.atZero) }

// aboutZero moves the scatter from the mean to 0: Σwxxᵀ is the scatter plus W·mean·meanᵀ. The square of the
// mean's rest is left out. Three additions round by 2^-53 each.
func (s *Stats) aboutZero() {
	length := norm2(s.mean) + norm2(s.meanRest)
	s.scatterOff += 1.01 * s.weight * (2*length*s.meanOff + s.meanOff*s.meanOff + sumSquares(s.meanRest) +
		(gamma(s.cols+8)+s.weightOff)*length*length)
	rest := s.scatter
	for c, v := range s.mean {
		n := s.cols - c
		axpy(rest[:n], s.weight*v, s.mean[c:])
		axpy(rest[:n], s.weight*v, s.meanRest[c:])
		axpy(rest[:n], s.weight*s.meanRest[c], s.mean[c:])
		s.scatterOff += 0x1p-50 * rest[0]
		rest = rest[n:]
	}
	s.atZero, s.mean, s.meanRest, s.meanOff = true, make([]float64, s.cols), make([]float64, s.cols), 0
}

// Add adds the rows of x (n×d), each with weight 1. d must be the same in all calls. A matrix without rows
// changes nothing. Cost: nd², shared among all processors. Each call takes d² more, and temporary memory of
// the size of s: pass many rows at a time. Errors: [ErrShape], [ErrNonFinite], [ErrRange].
func (s *Stats) Add(x *Matrix) error { return s.AddWeighted(x, nil) }

// AddWeighted adds rows as [Stats.Add] does, with weights as in [Options], which may all be 0 here. A weight
// below 0 causes [ErrOption]. Keep the weights of all parts within a factor of 2^500. Otherwise a row may
// count in its own part and not in the whole, which causes [ErrChanged] in package stream.
func (s *Stats) AddWeighted(x *Matrix, weights []float64) error {
	if err := checkShape("x", x); err != nil || x.Rows == 0 {
		return err
	}
	top, err := heaviest(weights, x.Rows)
	if top == 0 { // the rows are checked and counted only
		weights = nil
	}
	if err = cmp.Or(s.checkMore("x", x.Rows, x.Cols), err); err != nil {
		return err
	}
	part, err := newSamples(context.Background(), x, weights, 0, true)
	if err != nil {
		return err
	}
	if top == 0 {
		s.rows += x.Rows
		return nil
	}
	part.part = true
	t, err := meanOf(part)
	gram, off, wrong := part.gram()
	if err = cmp.Or(err, wrong); err != nil {
		return err
	}
	for i := range part.d {
		t.scatter = append(t.scatter, gram.row(i)[i:]...)
	}
	t.scatterRest = make([]float64, len(t.scatter))
	t.meanOff = part.fine.off(trace(gram)) / math.Sqrt(t.weight) * (1 + 0x1p-40)
	t.scatterOff = off
	s.merge(t)
	return nil
}

// mostStatsColumns is the largest number of columns of statistics. For more a program would end because it is
// out of memory, for example with the 850 000 columns of a methylation array.
const mostStatsColumns = 1 << 16

// checkMore returns an error if no rows of the given shape can follow the rows of m.
func (m *Stats) checkMore(arg string, rows, cols int) error {
	if m.cols != 0 && cols != m.cols {
		return fail(ErrShape,
			arg+" has "+strconv.Itoa(cols)+" columns, the rows before have "+strconv.Itoa(m.cols))
	}
	if cols > mostStatsColumns {
		return fail(ErrShape, arg+" has "+strconv.Itoa(cols)+" columns, statistics take at most "+
			strconv.Itoa(mostStatsColumns)+": the scatter matrix of these has 34 GB")
	}
	if rows > math.MaxInt-m.rows {
		return fail(ErrShape, "the rows are more than an int can count")
	}
	return nil
}

// triangleSize returns how many numbers are on and right of the diagonal of an n×n matrix.
func triangleSize(n int) int { return n * (n + 1) / 2 }

// Merge adds the rows of t to s, and leaves t unchanged; s and t may be the same. Cost: d². Errors:
// [ErrShape] if both contain rows, of different lengths.
func (s *Stats) Merge(t *Stats) error {
	if err := s.checkMore("t", t.rows, cmp.Or(t.cols, s.cols)); err != nil {
		return err
	}
	s.merge(t)
	return nil
}

// Rows returns how many rows were added, including rows of weight 0.
func (s *Stats) Rows() int { return s.rows }

// Cols returns the number of columns; 0 before a row of positive weight.
func (s *Stats) Cols() int { return s.cols }

// Weight returns the sum of the weights, at most math.MaxFloat64.
func (s *Stats) Weight() float64 { return min(math.Ldexp(s.weight, s.wexp), math.MaxFloat64) }

// Mean returns the weighted mean of the rows, of length d; nil without weight.
func (s *Stats) Mean() []float64 {
	if s.weight == 0 {
		return nil
	}
	mean := slices.Clone(s.mean)
	scale(mean, math.Ldexp(1, s.exp))
	return mean
}

// Scatter returns Σw_i(x_i − mean)(x_i − mean)ᵀ, d×d, in squared units of the data: Weight times the
// covariance matrix. It is nil without weight. An entry out of range, by large weights, is ±math.MaxFloat64.
func (s *Stats) Scatter() *Matrix {
	if s.weight == 0 {
		return nil
	}
	m := s.full()
	for i, v := range m.Data {
		m.Data[i] = math.Copysign(s.unscaleSquare(math.Abs(v)), v)
	}
	return m
}

// full returns the scatter matrix in scaled units, without scatterRest. The error of the matrix, in the trace
// and in the Frobenius norm, is at most 1.01·scatterOff plus 2^-52 times the trace.
func (s *Stats) full() *Matrix {
	m := NewMatrix(s.cols, s.cols, nil)
	rest := s.scatter
	for i := range m.Rows {
		rest = rest[copy(m.row(i)[i:], rest):]
	}
	mirror(m.Data, m.Rows)
	return m
}

// Floors returns the floors of all rows, like [Floors]: the global minimum for k = 1 … min(n, d)+1. Values
// below the error stated there are rounding. Cost: O(d³). Errors: [ErrTooFewSamples] without weight.
func (s *Stats) Floors() ([]float64, error) {
	if s.weight == 0 {
		return nil, fail(ErrTooFewSamples, "no rows of positive weight were added")
	}
	full := s.full()
	total := trace(full)
	values, _ := leadingEigen(context.Background(), full, 0, workerCount(0))
	values = values[:min(s.rows, s.cols)]
	clear(values[s.rankBound():])
	return floorsOf(s.units, values, total), nil
}

// Principal returns the subspace of all rows, like [Principal], as far as the scatter matrix determines it:
// squared singular values below the error stated at [Floors] are rounding. It reads the options Workers and
// Sum. Cost: 4d³/3. Errors: [ErrTooFewSamples] without weight, [ErrOption] for a p out of range.
func (s *Stats) Principal(ctx context.Context, p int, opts *Options) (*Subspace, error) {
	o := orZero(opts)
	if s.weight == 0 {
		return nil, fail(ErrTooFewSamples, "no rows of positive weight were added")
	}
	err := cmp.Or(o.only("Principal", "Sum"),
		checkCount("Workers", o.Workers), checkEnum("Sum", o.Sum, sumCount))
	if err != nil {
		return nil, err
	}
	about := s.clone()
	if o.Sum == SumAtMostOne {
		about.aboutZero()
	}
	if err := checkDirections(p, about.rankBound()); err != nil {
		return nil, err
	}
	full := about.full()
	frame := &samples{ // without rows
		parallelism: parallelism{ctx, workerCount(o.Workers), nil}, part: true,
		units: about.units, n: s.rows, d: s.cols,
		centred: !about.atZero, mean: about.mean, fine: meanRest{rest: about.meanRest, mass: s.weight},
	}
	pc, rows, err := principalOfGram(frame, full, wanted{p, 0}, 1.01*about.scatterOff+0x1p-52*trace(full))
	if err != nil {
		return nil, err
	}
	if pc.basis, err = completed(frame.ctx, rows, p, s.cols); err != nil {
		return nil, err
	}
	return pc.subspace(frame, about.weight), nil
}

// The binary form of Stats. All is little-endian; a float64 is its IEEE 754 bits.
//
//	offset 0   "SKMS", uint16 version 2, uint16 0
//	       8   uint32 columns, uint32 0, uint64 rows
//	      24   float64 × 8: weight, the two exponents, three bounds of errors, 0, 0
//	      88   with weight: mean, its rest (d each), scatter, its rest (d(d+1)/2 each)
//	   end−4   uint32 CRC-32 (IEEE) of all before
//
// A reader accepts only what a writer writes, and allocates only for numbers that are there.
const (
	statsMagic  = "SKMS\x02\x00\x00\x00"
	statsHeader = 88
)

// MarshalBinary returns the statistics as 92 + 8·(2d + d(d+1)) bytes, the same on every machine. d is 0
// before a row of positive weight.
func (s *Stats) MarshalBinary() ([]byte, error) {
	b := make([]byte, 0, statsHeader+8*(2*s.cols+2*triangleSize(s.cols))+4)
	b = append(b, statsMagic...)
	b = binary.LittleEndian.AppendUint64(b, uint64(s.cols))
	b = binary.LittleEndian.AppendUint64(b, uint64(s.rows))
	header := []float64{s.weight, float64(s.exp), float64(s.wexp), s.weightOff, s.meanOff, s.scatterOff, 0, 0}
	for _, list := range [][]float64{header, s.mean, s.meanRest, s.scatter, s.scatterRest} {
		for i, v := range list {
			if !isFinite(v) {
				return nil, &InputError{Arg: "Stats", Row: i, Col: -1, Value: v, Err: ErrNonFinite}
			}
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	}
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b)), nil
}

// UnmarshalBinary sets s from the result of MarshalBinary, and allocates no more than len(data) bytes. Other
// data causes [ErrFormat].
func (s *Stats) UnmarshalBinary(data []byte) error {
	body := len(data) - 4
	switch {
	case body < statsHeader || body%8 != 0 || string(data[:8]) != statsMagic:
		return fail(ErrFormat, "this is not the binary form of statistics, version 2")
	case crc32.ChecksumIEEE(data[:body]) != binary.LittleEndian.Uint32(data[body:]):
		return fail(ErrFormat, "statistics whose checksum is wrong: damaged or cut short")
	}
	cols, rows := binary.LittleEndian.Uint64(data[8:]), binary.LittleEndian.Uint64(data[16:])
	numbers := make([]float64, 0, (body-24)/8)
	for at := 24; at < body; at += 8 {
		numbers = append(numbers, math.Float64frombits(binary.LittleEndian.Uint64(data[at:])))
	}
	var t Stats
	ok := cols <= math.MaxInt32 && rows <= math.MaxInt &&
		!slices.ContainsFunc(numbers, func(v float64) bool { return !isFinite(v) })
	if ok = ok && t.take(int(cols), int(rows), numbers) && t.sound(); !ok {
		return fail(ErrFormat, "statistics whose numbers contradict each other or are out of range")
	}
	*s = t
	return nil
}

// take sets the fields from the numbers of a binary form. It reports whether their count is right.
func (s *Stats) take(cols, rows int, numbers []float64) bool {
	h := numbers[:8]
	s.cols, s.rows, s.weight = cols, rows, h[0]
	for _, v := range h[1:3] {
		if !(math.Abs(v) < 1<<12) || v != math.Trunc(v) || v == 0 && math.Signbit(v) {
			return false
		}
	}
	s.exp, s.wexp = int(h[1]), int(h[2])
	s.weightOff, s.meanOff, s.scatterOff = h[3], h[4], h[5]
	if !allZero(h[6:]) || !addressable(cols+1, cols+1) {
		return false
	}
	rest := numbers[8:]
	if !(s.weight > 0) {
		return len(rest) == 0
	}
	if size := triangleSize(cols); size > len(rest) || len(rest) != 2*cols+2*size {
		return false
	}
	next := func(n int) []float64 {
		list := rest[:n:n]
		rest = rest[n:]
		return list
	}
	s.mean, s.meanRest = next(cols), next(cols)
	s.scatter, s.scatterRest = next(triangleSize(cols)), next(triangleSize(cols))
	return true
}

// sound reports whether the numbers are possible for rows in range.
func (s *Stats) sound() bool {
	if s.weight == 0 {
		return s.cols == 0 && s.exp == 0 && s.wexp == 0 &&
			allZero([]float64{s.weight, s.weightOff, s.meanOff, s.scatterOff})
	}
	ok := s.cols > 0 && s.weight > 0 && s.weight <= float64(s.rows)*(1+0x1p-20) &&
		s.exp >= leastExp && s.exp <= mostExp && s.wexp >= -1073 && s.wexp <= 1024 &&
		min(s.weightOff, s.meanOff, s.scatterOff) >= 0 &&
		max(s.weightOff, s.meanOff, s.scatterOff) <= 0x1p400 // more would overflow
	most, at := s.weight*(4+0x1p-20), 0
	for i := range s.mean {
		ok = ok && math.Abs(s.mean[i]) <= 1 && math.Abs(s.meanRest[i]) <= 0x1p-40 && s.scatter[at] >= 0
		for range s.cols - i {
			v := math.Abs(s.scatter[at])
			ok = ok && v <= most && math.Abs(s.scatterRest[at]) <= v*0x1p-40
			at++
		}
	}
	return ok
}

// allZero reports whether all bits of v are 0.
func allZero(v []float64) bool {
	return !slices.ContainsFunc(v, func(x float64) bool { return math.Float64bits(x) != 0 })
}
