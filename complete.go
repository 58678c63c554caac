package softkmeans

// The missing entries of a table, which are NaN: where they are, and what they are expected to be, given
// the other entries of a row, under probabilistic principal components.
//
// M. E. Tipping and C. M. Bishop, Probabilistic Principal Component Analysis (J. R. Stat. Soc. B 61, 1999):
// x = μ + Wz + noise, z ~ N(0, I) of q dimensions, noise ~ N(0, σ²I). W, μ and σ² are those of greatest
// likelihood for the entries that are there, by EM over these alone (A. Ilin and T. Raiko, Practical
// Approaches to Principal Component Analysis in the Presence of Missing Values, JMLR 11, 2010). A plain
// iteration of singular value decompositions has σ² = 0, and fits the noise. After each step z gets mean 0
// and variance I again, which the model allows and which takes most of the steps away (PX-EM; C. Liu, D. B.
// Rubin and Y. N. Wu, Biometrika 85, 1998).

import (
	"context"
	"math"
	"slices"
	"strconv"
)

// gaps says which entries of a table are missing, which is a NaN.
type gaps struct {
	d, words int      // columns, and words of bits for them
	bits     []uint64 // by row, a bit for each column: set where the entry is missing
	counts   []int    // missing entries of each row
	total    int
}

// findGaps finds the missing entries of x. An infinity, or an entry out of range, is an error that names
// the first.
func findGaps(ctx context.Context, x *Matrix, workers int) (*gaps, error) {
	g := &gaps{d: x.Cols, words: (x.Cols + 63) / 64, counts: make([]int, x.Rows)}
	c := chunking{x.Rows, x.Cols, manyChunks}
	bad := make([]bool, chunks(c.n, c.l, c.most))
	g.bits = make([]uint64, x.Rows*g.words)
	err := eachBlock(ctx, workers, c, 0, func(at block) {
		for i := at.lo; i < at.hi; i++ {
			row, mask := x.row(i), g.of(i)
			if top, finite := rowMaxAbs(row); finite && top <= mostEntry {
				continue
			}
			for j, v := range row {
				if v != v {
					g.counts[i]++
					mask[j>>6] |= 1 << (j & 63)
				} else if !(math.Abs(v) <= mostEntry) {
					bad[at.chunk] = true
				}
			}
		}
	})
	if err == nil && slices.Contains(bad, true) {
		clean := x.Clone() // again, to name the first
		for i, v := range clean.Data {
			if v != v {
				clean.Data[i] = 0
			}
		}
		_, err = checkEntries("x", clean, mostEntry)
	}
	for _, n := range g.counts {
		g.total += n
	}
	return g, err
}

// openGaps checks a table that is to be fitted, and returns its gaps.
func openGaps(ctx context.Context, x *Matrix, weights []float64, workers int) (*gaps, error) {
	if err := firstError(checkCount("Workers", workers), checkSamples(x)); err != nil {
		return nil, err
	}
	if err := checkWeights(weights, x.Rows); err != nil {
		return nil, err
	}
	return findGaps(ctx, x, workerCount(workers))
}

// of returns which entries of row i are missing.
func (g *gaps) of(i int) []uint64 { return g.bits[i*g.words : (i+1)*g.words] }

// same reports whether rows i and j miss the same entries.
func (g *gaps) same(i, j int) bool { return slices.Equal(g.of(i), g.of(j)) }

// order returns the rows, those that miss the same entries beside each other.
func (g *gaps) order() []int {
	rows := indices(len(g.counts))
	slices.SortFunc(rows, func(a, b int) int {
		if c := slices.Compare(g.of(a), g.of(b)); c != 0 {
			return c
		}
		return a - b
	})
	return rows
}

// columns returns the columns in which row i has entries, and those in which it has none, in the storage
// given.
func (g *gaps) columns(i int, there, missing []int) ([]int, []int) {
	there, missing = there[:0], missing[:0]
	mask := g.of(i)
	for j := range g.d {
		if mask[j>>6]>>(j&63)&1 == 0 {
			there = append(there, j)
		} else {
			missing = append(missing, j)
		}
	}
	return there, missing
}

// weights returns the weights given, with 0 for rows without any entry. nil stays nil where all rows have
// entries.
func (g *gaps) weights(given []float64) []float64 {
	if !slices.Contains(g.counts, g.d) {
		return given
	}
	out := weightsOr1(given, len(g.counts))
	for i, n := range g.counts {
		if n == g.d {
			out[i] = 0
		}
	}
	return out
}

// weightOf returns a function of the row that is its weight, with the largest below 1. nil is 1.
func weightOf(weights []float64) func(i int) float64 {
	if weights == nil {
		return func(int) float64 { return 1 }
	}
	top, _ := rowMaxAbs(weights)
	_, exp := math.Frexp(top)
	return func(i int) float64 { return math.Ldexp(weights[i], -exp) }
}

// weightsOr1 returns a copy of n weights. nil stands for weights of 1.
func weightsOr1(given []float64, n int) []float64 {
	if given != nil {
		return slices.Clone(given)
	}
	return slices.Repeat([]float64{1}, n)
}

// fillMeans sets the missing entries of x to the means of their columns, weighted. A column without an
// entry in a row of positive weight is an error.
func (g *gaps) fillMeans(x *Matrix, weights []float64) error {
	weight := weightOf(weights)
	mean, mass := make([]float64, g.d), make([]float64, g.d)
	var there, missing []int
	for i := range x.Rows {
		w := weight(i)
		if w < leastScale {
			continue
		}
		there, missing = g.columns(i, there, missing)
		for _, j := range there {
			mass[j] += w
			mean[j] += w / mass[j] * (x.row(i)[j] - mean[j])
		}
	}
	for j, w := range mass {
		if w == 0 {
			return fail(ErrTooFewSamples,
				"column "+strconv.Itoa(j)+" of x has no entry in a row of positive weight")
		}
	}
	g.fill(x, func(_, j int) float64 { return mean[j] })
	return nil
}

// fill sets the missing entries of x, at most mostEntry in size.
func (g *gaps) fill(x *Matrix, entry func(i, j int) float64) {
	var there, missing []int
	for i, n := range g.counts {
		if n == 0 {
			continue
		}
		there, missing = g.columns(i, there, missing)
		for _, j := range missing {
			x.row(i)[j] = min(max(entry(i, j), -mostEntry), mostEntry)
		}
	}
}

// Completion is a table whose missing entries have been filled in.
type Completion struct {
	X      *Matrix // n×d, a copy: entries that were there are as they were
	Status Status  // StatusConverged or StatusIterationLimit

	// floor is the expected floor of k centers for the table without gaps, in squared units of x. That of X
	// is less: what was filled in is without noise.
	floor float64
}

// The iteration ends where a step changes the missing entries by no more than completeTol·σ, as a root mean
// square, or after completeSteps steps. On four sets it took 10 to 130. Of a third of that tolerance the
// entries of digits were no nearer to those taken out.
//
// There are completeDirections·k directions, up to mostDirections: a row takes the cube of them. With k−1,
// all that the fit has, the centers of digits were twice as far off; with 3k+4 it took longer and gained
// nothing.
const (
	completeTol        = 3e-3
	completeSteps      = 500
	completeDirections = 2
	mostDirections     = 50
)

// Complete fills in the missing entries of a table x (n×d), marked by NaN, for methods that need all of
// them; read X. To cluster a table with gaps take [FitMissing]. Each missing entry becomes its expectation
// given the other entries of its row.
//
// Expectations are less spread than entries are, and nothing that is proved of the completed table is
// proved of x. Entries should be missing at random: which ones may depend on the entries that are there,
// and not on those missing.
//
// # Details
//
// The model is probabilistic principal components (Tipping & Bishop 1999) of 2k directions, at most 50, of
// greatest likelihood for the entries that are there. Weights, Workers and Sum of opts are read. A row of
// weight 0, or without any entry, is filled in and does not count.
//
// Cost: that of Fit for 2k directions, and 5 to 100 passes of O(ndk), with O(k²) more for a missing entry
// and O(k³) for a row and a column. Memory: two copies of x, O(dk²), and up to a quarter of x. The bits do
// not depend on Workers. Errors: those of [Fit], but for NaN; [ErrTooFewSamples] names a column without any
// entry in a row of positive weight.
func Complete(ctx context.Context, x *Matrix, k int, opts *Options) (*Completion, error) {
	o := orZero(opts)
	if err := firstError(checkK(k), checkEnum("Sum", o.Sum, sumCount)); err != nil {
		return nil, err
	}
	g, err := openGaps(ctx, x, o.Weights, o.Workers)
	if err != nil {
		return nil, err
	}
	return g.complete(ctx, x, k, &o)
}

// complete completes a table. The arguments are checked.
func (g *gaps) complete(ctx context.Context, x *Matrix, k int, o *Options) (*Completion, error) {
	out := &Completion{X: x.Clone(), Status: StatusConverged}
	if g.total == 0 {
		return out, nil
	}
	weights := g.weights(o.Weights)
	if err := g.fillMeans(out.X, weights); err != nil {
		return nil, err
	}
	s, err := newSamples(ctx, out.X, weights, o.Workers, true)
	if err != nil {
		return nil, err
	}
	q := min(completeDirections*min(k, s.d), mostDirections, s.rankBound()-1)
	c, err := openCompletion(s, g, max(0, q))
	if err != nil {
		return nil, err
	}
	if c.least == 0 { // all entries of a column are the same
		return out, nil
	}
	out.Status = StatusIterationLimit
	for i := 0; i < completeSteps && out.Status != StatusConverged; i++ {
		change, err := c.step()
		if err != nil {
			return nil, err
		}
		if change <= completeTol*math.Sqrt(c.noise) {
			out.Status = StatusConverged
		}
	}
	out.floor = s.unscaleSquare(c.floor(k, o.Sum))
	g.fill(out.X, func(i, j int) float64 { return math.Ldexp(s.mean[j]+c.y.row(i)[j], s.exp) })
	return out, nil
}

// completion has Complete's model, in the units of its samples and about their mean.
type completion struct {
	s     *samples
	g     *gaps
	order []int
	q     int
	y     *Matrix // the samples, n×d; missing entries as filled in
	w     *Matrix // d×(q+1): W, and μ in the last column
	noise float64 // σ²
	least float64 // that it may be
}

// leastNoise is the least share of a row's variance that the noise of an entry may have. It keeps q×q
// matrices definite.
const leastNoise = 0x1p-40

// openCompletion starts from the principal directions of samples whose missing entries are the means of
// their columns.
func openCompletion(s *samples, g *gaps, q int) (*completion, error) {
	c := &completion{
		s: s, g: g, order: g.order(), q: q,
		y: NewMatrix(s.n, s.d, nil), w: NewMatrix(s.d, q+1, nil),
	}
	for i := range s.n {
		row := c.y.row(i)
		shift(row, s.x.row(i), s.mean, s.factor())
		if s.weight(i) == 0 { // which may be of any size
			for j, v := range row {
				row[j] = min(max(v, -0x1p200), 0x1p200)
			}
		}
	}
	pc, err := findPrincipal(s, q, SolverAuto)
	if err != nil {
		return nil, err
	}
	squares, err := normalProduct(s, pc.basis)
	if err != nil {
		return nil, err
	}
	rest := pc.total
	for a := range q {
		rest -= dot(squares.row(a), pc.basis.row(a))
	}
	mass := s.fine.mass
	c.least = leastNoise * pc.total / mass
	c.noise = max(c.least, rest/mass/float64(s.d-q))
	for a := range q {
		size := math.Sqrt(max(0, dot(squares.row(a), pc.basis.row(a))/mass-c.noise))
		for j, v := range pc.basis.row(a) {
			c.w.row(j)[a] = size * v
		}
	}
	return c, nil
}

// latentSums are weighted sums over rows. A row counts with B, the expectation of (z, 1)(z, 1)ᵀ, on and
// below the diagonal, and with y·(z, 1) and y².
type latentSums struct {
	all             []float64 // B of all rows
	whole           []float64 // B of rows that have more entries than they miss
	gram            *Matrix   // by column: what whole lacks there
	linear          *Matrix   // d×(q+2): Σy·(z, 1) and Σy²
	change, missing float64   // Σ of the squared changes of missing entries, and of 1
}

func triangular(n int) int { return n * (n + 1) / 2 }

func (m *latentSums) add(other *latentSums) {
	axpy(m.all, 1, other.all)
	axpy(m.whole, 1, other.whole)
	axpy(m.gram.Data, 1, other.gram.Data)
	axpy(m.linear.Data, 1, other.linear.Data)
	m.change += other.change
	m.missing += other.missing
}

// step fills in the missing entries and takes W, μ and σ² to those of a greater likelihood. It returns the
// root mean square change of a missing entry.
func (c *completion) step() (change float64, err error) {
	s, t := c.s, triangular(c.q+1)
	outer, full := NewMatrix(s.d, triangular(c.q), nil), make([]float64, triangular(c.q))
	for j := range s.d {
		addOuter(outer.row(j), 1, c.w.row(j)[:c.q])
		axpy(full, 1, outer.row(j))
	}
	most := max(1, min(reduceChunks, s.n/(4*t))) // the sums take a quarter of X at most
	parts := make([]*latentSums, chunks(s.n, s.d, most))
	for i := range parts {
		parts[i] = &latentSums{
			all: make([]float64, t), whole: make([]float64, t),
			gram: NewMatrix(s.d, t, nil), linear: NewMatrix(s.d, c.q+2, nil),
		}
	}
	solvers := make([]*latent, min(s.workers, len(parts)))
	err = s.eachBlock(s.n, s.d, most, 0, func(at block) {
		l := solvers[at.worker]
		if l == nil {
			l = &latent{
				c: c, outer: outer, full: full, last: -1, m: make([]float64, c.q*c.q),
				inverse: make([]float64, c.q*c.q), tri: make([]float64, t),
				h: make([]float64, c.q), z: make([]float64, c.q+1),
			}
			solvers[at.worker] = l
		}
		for at.lo < at.hi {
			l.row(c.order[at.lo], parts[at.chunk])
			at.lo++
		}
	})
	if err != nil {
		return 0, err
	}
	for _, p := range parts[1:] {
		parts[0].add(p)
	}
	return math.Sqrt(parts[0].change / max(parts[0].missing, leastScale)), c.maximise(parts[0])
}

// addOuter adds a·vvᵀ to a triangle.
func addOuter(tri []float64, a float64, v []float64) {
	for i, x := range v {
		axpy(tri[:i+1], a*x, v[:i+1])
		tri = tri[i+1:]
	}
}

// latent finds z of one row after the other.
type latent struct {
	c              *completion
	outer          *Matrix   // w_j·w_jᵀ by column
	full           []float64 // their sum
	there, missing []int
	last           int       // the row whose missing entries these are; −1: none
	m              []float64 // of these: W_oᵀW_o + σ²I, and its Cholesky factor
	inverse        []float64 // its inverse
	tri            []float64
	h, z           []float64 // q+1
}

// factor makes ready for a row's missing entries.
func (l *latent) factor(i int) {
	c, q := l.c, l.c.q
	if l.last >= 0 && c.g.same(i, l.last) {
		return
	}
	l.last = i
	l.there, l.missing = c.g.columns(i, l.there, l.missing)
	tri := l.tri[:triangular(q)]
	if len(l.missing) < len(l.there) { // the fewer terms, and no more rounding
		copy(tri, l.full)
		for _, j := range l.missing {
			axpy(tri, -1, l.outer.row(j))
		}
	} else {
		clear(tri)
		for _, j := range l.there {
			axpy(tri, 1, l.outer.row(j))
		}
	}
	for a := range q {
		copy(l.m[a*q:], tri[triangular(a):triangular(a+1)])
		l.m[a*q+a] += c.noise
	}
	cholesky(l.m, q) // which has a factor, by leastNoise
	cholInverse(l.inverse, l.m, q)
}

// row fills in the missing entries of row i by its expected z, and adds the row to m.
func (l *latent) row(i int, m *latentSums) {
	c, q := l.c, l.c.q
	l.factor(i)
	y, w := c.y.row(i), c.s.weight(i)
	clear(l.h)
	for _, j := range l.there {
		loading := c.w.row(j)
		axpy(l.h, y[j]-loading[q], loading[:q])
	}
	for a := range q {
		l.z[a] = dot(l.inverse[a*q:(a+1)*q], l.h)
	}
	l.z[q] = 1
	for _, j := range l.missing {
		v := dot(c.w.row(j), l.z)
		if w > 0 {
			m.change += w * (v - y[j]) * (v - y[j])
			m.missing += w
		}
		y[j] = v
	}
	if w == 0 {
		return
	}
	clear(l.tri)
	addOuter(l.tri, w, l.z)
	for a := range q {
		axpy(l.tri[triangular(a):triangular(a+1)], w*c.noise, l.inverse[a*q:a*q+a+1])
	}
	axpy(m.all, 1, l.tri)
	sign, columns := 1.0, l.there // of which there are fewer
	if len(l.missing) < len(l.there) {
		axpy(m.whole, 1, l.tri)
		sign, columns = -1, l.missing
	}
	for _, j := range columns {
		axpy(m.gram.row(j), sign, l.tri)
	}
	for _, j := range l.there {
		sums := m.linear.row(j)
		axpy(sums[:q+1], w*y[j], l.z)
		sums[q+1] += w * y[j] * y[j]
	}
}

// maximise sets W, μ and σ² to those of the greatest expected likelihood, and gives z the mean 0 and the
// variance I.
func (c *completion) maximise(m *latentSums) error {
	s, r := c.s, c.q+1
	sums := make([][2]float64, chunks(s.d, r*r, manyChunks)) // of squares left, and of weights
	err := s.eachBlock(s.d, r*r, manyChunks, r*r, func(at block) {
		sum, a := &sums[at.chunk], at.scratch[:r*r]
		for j := at.lo; j < at.hi; j++ {
			gram, linear, row := m.gram.row(j), m.linear.row(j), c.w.row(j)
			axpy(gram, 1, m.whole)
			for i := range r {
				copy(a[i*r:], gram[triangular(i):triangular(i+1)])
			}
			if cholesky(a, r) { // or the row stays, next to rounding
				copy(row, linear[:r])
				cholSolve(a, r, row)
			}
			sum[0] += max(0, linear[r]-dot(row, linear[:r]))
			sum[1] += gram[len(gram)-1]
		}
	})
	if err != nil {
		return err
	}
	var left, mass float64
	for _, sum := range sums {
		left += sum[0]
		mass += sum[1]
	}
	c.noise = max(c.least, left/mass)
	c.standardize(m.all)
	return nil
}

// standardize gives z, whose B add up to all, the mean 0 and the variance I.
func (c *completion) standardize(all []float64) {
	q := c.q
	mean := slices.Clone(all[triangular(q):])
	mass := mean[q]
	mean = mean[:q]
	scale(mean, 1/mass)
	l := make([]float64, q*q)
	for a := range q {
		for b, v := range all[triangular(a):triangular(a+1)] {
			l[a*q+b] = v/mass - mean[a]*mean[b]
		}
	}
	if !cholesky(l, q) { // does not happen: each row adds the variance of its z
		return
	}
	for j := range c.s.d {
		row := c.w.row(j)
		row[q] += dot(row[:q], mean)
		for b := range q { // W·L, whose column b needs rows b and below
			v := row[b] / l[b*q+b] // l has the reciprocal
			for a := b + 1; a < q; a++ {
				v += row[a] * l[a*q+b]
			}
			row[b] = v
		}
	}
}

// floor returns the floor of k centers for rows of the model's mean and covariance, WWᵀ + σ²I.
func (c *completion) floor(k int, sum Sum) float64 {
	p, r := k-1, c.q
	if sum == SumAtMostOne { // not about the mean, which is one more direction
		p, r = k, c.q+1
	}
	gram, row := NewMatrix(r, r, nil), make([]float64, c.q+1)
	for j := range c.s.d {
		copy(row, c.w.row(j))
		row[c.q] += c.s.mean[j]
		for a, v := range row[:r] {
			axpy(gram.row(a), v, row[:r])
		}
	}
	values, _ := eigenSym(c.s.ctx, gram, false)
	rest := tailSum(values, min(p, r)) + float64(max(0, c.s.d-p))*c.noise
	return c.s.fine.mass * rest
}
