package softkmeans

// What the global solution must know of the data before it looks at a row a
// second time: how much weight there is, where its middle is, and how it scatters
// about that. Parts of the data are summed up apart and merged after T. F. Chan,
// G. H. Golub and R. J. LeVeque, Updating Formulae and a Pairwise Algorithm for
// Computing Sample Variances (1979), so that nothing cancels where the mean is far
// from 0. Means and scatter are kept to twice the digits of float64 (the sum
// and what its roundings lost, by Knuth's two-sum): then the order of the merges
// does not show.

import (
	"context"
	"math"
	"slices"
	"strconv"
)

// moments are the count and the mean of some rows, in their own units: of 2^exp,
// and 2^wexp for weights.
type moments struct {
	rows      int     // all, also those of weight 0
	cols      int     // 0 until a row of positive weight is known
	weight    float64 // Σw_i; 0: nothing else is known
	exp, wexp int     // as in samples: no entry is above 2^exp, no weight above 2^wexp
	mean      []float64
	meanRest  []float64 // what rounding took off the mean
}

// junction is how two sums of squares about their own means become one:
// 2^own·(the receiver's) + 2^other·(the argument's) + weight·shift·shiftᵀ.
type junction struct {
	own, other int
	weight     float64
	shift      []float64
}

// momentsOf takes them from samples of at least one row of positive weight. What
// one pass says of the mean is off by the last digits of the mean, and joining parts
// would multiply that by their distance: a pass over the differences finds it, at
// O(nd).
func momentsOf(s *samples) (*moments, error) {
	m := &moments{rows: s.n, cols: s.d, exp: s.exp, wexp: s.wexp, mean: make([]float64, s.d), meanRest: make([]float64, s.d)}
	if s.zeros {
		m.exp = leastExp
	}
	for i := range s.n {
		m.weight += s.weight(i)
	}
	if s.n == 1 { // the mean is the row
		m.mean = s.mean
		return m, nil
	}
	sums := NewMatrix(chunks(s.n, s.d, reduceChunks), s.d, nil)
	err := s.eachBlock(s.n, s.d, reduceChunks, s.d, func(at block) {
		rows := at.scratch[:(at.hi-at.lo)*s.d]
		s.pack(rows, at.lo, at.hi, false)
		for i := at.lo; i < at.hi; i++ {
			axpy(sums.row(at.chunk), s.weight(i), rows[(i-at.lo)*s.d:][:s.d])
		}
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

// negligibleBeside reports whether rows do not count beside those of t: their weights, on
// the scale of t's, are 0, as those of such rows in one table are.
func (m *moments) negligibleBeside(t *moments) bool {
	return m.weight == 0 || t.weight > 0 && m.wexp-t.wexp < -1074
}

// join takes other rows in. Both have weight and as many columns.
func (m *moments) join(t *moments) junction {
	exp, wexp := max(m.exp, t.exp), max(m.wexp, t.wexp)
	down := func(a *moments) (of, square int) { return a.exp - exp, 2*(a.exp-exp) + a.wexp - wexp }
	of, own := down(m)
	ot, other := down(t)
	weight, more := math.Ldexp(m.weight, m.wexp-wexp), math.Ldexp(t.weight, t.wexp-wexp)
	// From the heavier mean on: the way to it from the other, rounded, may be much beside
	// what the other adds.
	share := more / (weight + more)
	step := share
	if more > weight {
		step = -weight / (weight + more)
	}
	j := junction{own: own, other: other, weight: weight * share, shift: make([]float64, m.cols)}
	a, b := math.Ldexp(1, of), math.Ldexp(1, ot)
	for c := range j.shift {
		mean, rest := a*m.mean[c], a*m.meanRest[c]
		mean2, rest2 := b*t.mean[c], b*t.meanRest[c]
		j.shift[c] = (mean2 - mean) + (rest2 - rest)
		if more > weight {
			mean, rest = mean2, rest2
		}
		sum, lost := twoSum(mean, float64(step*j.shift[c]))
		lost += rest
		m.mean[c] = sum + lost
		m.meanRest[c] = lost - (m.mean[c] - sum)
	}
	m.rows += t.rows
	m.weight, m.exp, m.wexp = weight+more, exp, wexp
	return j
}

// frame is samples without rows: the scales, the mean, and the shape of the
// data that they are of.
func (m *moments) frame(ctx context.Context, workers int) *samples {
	return &samples{ctx: ctx, n: m.rows, d: m.cols, exp: m.exp, wexp: m.wexp, centred: true, mean: m.mean, workers: workerCount(workers), part: true}
}

// rankBound is the largest rank that the data can have about its mean.
func (m *moments) rankBound() int { return min(max(m.rows-1, 0), m.cols) }

// Stats is what [FitSeq] learns of the data in its first pass: weighted count,
// mean and scatter matrix, which is all that the floors and the principal
// subspace depend on. Parts of a table may be added up by different goroutines,
// processes or machines, each in a Stats of its own, and merged in any order:
// the results agree to rounding, and with those of the whole table, as near as
// float64 goes to the true values (some min(n, d)·2^-52 of the total), however far
// the mean is from 0. Lost is what is below 1e-308 of the largest weight times the
// largest entry's square. The binary form carries it from one to another.
//
// The zero value is empty and ready; [Stats.Merge] into it makes a copy, whereas
// assigned ones share memory. A Stats takes 8·d(d+1) bytes for d columns. It must not
// be changed by two goroutines at once.
type Stats struct {
	moments
	// Upper triangle of Σw_i(x_i − mean)(x_i − mean)ᵀ, by rows, and what its
	// roundings lost.
	scatter, scatterRest []float64
}

// Add takes the rows of x (n×d) in: nd² multiplications, shared among all
// processors, and d² for each call and as much memory as s, so that blocks of many
// rows are best. All calls must have the same d; no rows at all change nothing.
// Errors: [ErrShape], [ErrNonFinite], [ErrOption] for a weight below 0; s is then
// unchanged.
func (s *Stats) Add(x *Matrix) error { return s.AddWeighted(x, nil) }

// AddWeighted is [Stats.Add] for rows with weights as in [Options], though all
// of them may be 0; nil: all 1.
func (s *Stats) AddWeighted(x *Matrix, weights []float64) error {
	return s.add(context.Background(), x, weights, 0)
}

func (s *Stats) add(ctx context.Context, x *Matrix, weights []float64, workers int) error {
	part, m, err := newPart(ctx, &s.moments, x, weights, workers)
	if err != nil || part == nil {
		return err
	}
	if !addressable(x.Cols+1, x.Cols+1) {
		return fail(ErrShape, "x has "+strconv.Itoa(x.Cols)+" columns: the scatter matrix is too large to address")
	}
	gram, err := gramMatrix(part)
	if err != nil {
		return err
	}
	t := Stats{moments: *m, scatter: make([]float64, triangleSize(x.Cols)), scatterRest: make([]float64, triangleSize(x.Cols))}
	at := 0
	for i, v := range m.meanRest { // from the rounded mean to the mean itself
		for j := i; j < x.Cols; j++ {
			t.scatter[at] = gram.row(i)[j] - m.weight*v*m.meanRest[j]
			at++
		}
		diagonal := &t.scatter[at-x.Cols+i]
		*diagonal = max(*diagonal, 0)
	}
	s.merge(&t)
	return nil
}

// newPart checks rows that come after those of m, and returns them as samples
// about their own mean, and their moments. It is nil where there is no weight among
// them that counts: m counts the rows then and they are done with.
func newPart(ctx context.Context, m *moments, x *Matrix, weights []float64, workers int) (*samples, *moments, error) {
	if err := checkShape("x", x); err != nil {
		return nil, nil, err
	}
	if x.Rows == 0 {
		return nil, nil, cancelled(ctx)
	}
	if m.cols != 0 && x.Cols != m.cols {
		return nil, nil, fail(ErrShape, "x has "+strconv.Itoa(x.Cols)+" columns, the rows before have "+strconv.Itoa(m.cols))
	}
	if x.Rows > math.MaxInt-m.rows {
		return nil, nil, fail(ErrShape, "more rows than can be counted")
	}
	top, err := heaviest(weights, x.Rows)
	if err != nil {
		return nil, nil, err
	}
	if top == 0 {
		weights = nil // only to look at the rows
	}
	s, err := newSamples(ctx, x, weights, workers, true)
	if err != nil {
		return nil, nil, err
	}
	s.part = true
	t := &moments{}
	if top > 0 {
		if t, err = momentsOf(s); err != nil {
			return nil, nil, err
		}
	}
	if t.negligibleBeside(m) {
		m.rows += x.Rows
		return nil, nil, nil
	}
	return s, t, nil
}

// triangleSize is n(n+1)/2.
func triangleSize(n int) int {
	if n%2 == 0 {
		return n / 2 * (n + 1)
	}
	return (n + 1) / 2 * n
}

// Merge takes the rows of t in, which is unchanged: as if they had been added to
// s. s and t may be the same. Cost: d². Errors: [ErrShape] if both have
// rows and not the same number of columns; s is then unchanged.
func (s *Stats) Merge(t *Stats) error {
	if s.cols != 0 && t.cols != 0 && s.cols != t.cols {
		return fail(ErrShape, "statistics of "+strconv.Itoa(t.cols)+" columns for those of "+strconv.Itoa(s.cols))
	}
	if t.rows > math.MaxInt-s.rows {
		return fail(ErrShape, "more rows than can be counted")
	}
	s.merge(t) // which, where t is s, reads each number before it writes it
	return nil
}

func (s *Stats) clone() *Stats {
	t := &Stats{moments: s.moments}
	for _, v := range []struct{ to, from *[]float64 }{
		{&t.mean, &s.mean}, {&t.meanRest, &s.meanRest}, {&t.scatter, &s.scatter}, {&t.scatterRest, &s.scatterRest},
	} {
		*v.to = slices.Clone(*v.from)
	}
	return t
}

func (s *Stats) merge(t *Stats) {
	switch {
	case t.negligibleBeside(&s.moments):
		s.rows += t.rows
		return
	case s.negligibleBeside(&t.moments):
		rows := s.rows
		*s = *t.clone()
		s.rows += rows
		return
	}
	j := s.join(&t.moments)
	own, other := math.Ldexp(1, j.own), math.Ldexp(1, j.other) // not above 1
	i := 0
	for c, v := range j.shift {
		v *= j.weight
		for _, w := range j.shift[c:] {
			sum, lost := twoSum(own*s.scatter[i], other*t.scatter[i])
			sum, more := twoSum(sum, float64(v*w))
			lost += more + (own*s.scatterRest[i] + other*t.scatterRest[i])
			s.scatter[i] = sum + lost
			s.scatterRest[i] = lost - (s.scatter[i] - sum)
			i++
		}
	}
}

// Rows returns how many rows were added, those of weight 0 among them.
func (s *Stats) Rows() int { return s.rows }

// Cols returns how many columns they have; 0 before the first row of positive
// weight.
func (s *Stats) Cols() int { return s.cols }

// Weight returns the sum of the weights: Rows, where there are none.
func (s *Stats) Weight() float64 { return min(math.Ldexp(s.weight, s.wexp), math.MaxFloat64) }

// Mean returns the weighted mean of the rows, of length d; nil before there is
// one.
func (s *Stats) Mean() []float64 {
	if s.weight == 0 {
		return nil
	}
	mean := make([]float64, s.cols)
	for c, v := range s.mean {
		mean[c] = clampFinite(math.Ldexp(v, s.exp))
	}
	return mean
}

// Scatter returns Σw_i(x_i − mean)(x_i − mean)ᵀ, d×d, in squared units of the
// data: Weight times the covariance matrix. Entries out of range stop at
// math.MaxFloat64; nil before there is a mean.
func (s *Stats) Scatter() *Matrix {
	if s.weight == 0 {
		return nil
	}
	m := s.full()
	for i, v := range m.Data {
		m.Data[i] = clampFinite(math.Ldexp(v, 2*s.exp+s.wexp))
	}
	return m
}

// full is the scatter matrix in scaled units.
func (s *Stats) full() *Matrix {
	m := NewMatrix(s.cols, s.cols, nil)
	rest := s.scatter
	for i := range m.Rows {
		rest = rest[copy(m.row(i)[i:], rest):]
	}
	mirror(m.Data, m.Rows)
	return m
}

// Floors returns what [Floors] returns of all rows: the global minimum for k = 1
// … min(n, d)+1, for [ProposeK] among others. Errors below
// min(n, d)·2^-52 of the first are rounding: the scatter matrix has squared the
// data. Cost: O(d³). Errors: [ErrTooFewSamples] without weight.
func (s *Stats) Floors() ([]float64, error) {
	if s.weight == 0 {
		return nil, fail(ErrTooFewSamples, "no rows of positive weight were added")
	}
	values, _ := leadingEigen(context.Background(), s.full(), 0, workerCount(0))
	frame := s.frame(context.Background(), 0)
	floors := make([]float64, min(s.rows, s.cols)+1)
	var sum float64
	for i := s.rankBound() - 1; i >= 0; i-- {
		sum += max(values[i], 0)
		floors[i] = frame.unscaleSquare(sum)
	}
	return floors, nil
}

// principal finds the p leading directions of the rows' scatter, p ≤ d.
func (s *Stats) principal(ctx context.Context, p, workers int) (*principal, error) {
	full := s.full()
	pc := &principal{solver: SolverGram, status: StatusOptimal}
	for i := range full.Rows {
		pc.total += full.row(i)[i]
	}
	values, rows := leadingEigen(ctx, full, p, workerCount(workers))
	if err := cancelled(ctx); err != nil {
		return nil, err
	}
	pc.squares = values[:p]
	if rank := s.rankBound(); p < rank {
		pc.floor = min(tailSum(values[:rank], p), pc.total)
	}
	pc.floorError = float64(min(s.rows, s.cols)) * 0x1p-52 * pc.total
	var err error
	pc.basis, err = completed(ctx, rows, p, s.cols)
	return pc, err
}
