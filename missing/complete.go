package missing

// The expectations of missing entries, given the other entries of a row, under probabilistic principal
// components.
//
// M. E. Tipping and C. M. Bishop, Probabilistic Principal Component Analysis (J. R. Stat. Soc. B 61, 1999): x
// = μ + Wz + noise, z ~ N(0, I) of q dimensions, noise ~ N(0, σ²I). W, μ and σ² maximize the likelihood of
// the entries present, by EM over these alone (A. Ilin and T. Raiko, Practical Approaches to Principal
// Component Analysis in the Presence of Missing Values, JMLR 11, 2010). A plain iteration of singular value
// decompositions has σ² = 0, and fits the noise. After each step z gets mean 0 and variance I again. The
// model allows this, and it saves most of the steps (PX-EM; C. Liu, D. B. Rubin and Y. N. Wu, Biometrika 85,
// 1998).

import (
	"context"
	"errors"
	"math"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/fault"
	"softkmeans/internal/la"
)

// Completion is a table whose missing entries have been filled in.
type Completion struct {
	X      *softkmeans.Matrix // n×d, a copy: entries present are unchanged
	Status softkmeans.Status  // StatusConverged or StatusIterationLimit

	// floor is the expected floor of k centers for the table without missing entries, in squared units of x
	// and with the weights of gaps. The floor of X is lower: completed entries contain no noise.
	floor float64
}

// The iteration ends if a step changes the missing entries by a root mean square of at most completeTol·σ, or
// after completeSteps steps. On four sets it took 10 to 130 steps. With a third of this tolerance the
// completed entries of digits were no nearer to the true ones.
//
// There are completeDirections·k directions, up to mostDirections, since the cost of a row grows with their
// cube. With k−1 directions, all that the fit uses, the centers of digits were twice as far off; with 3k+4
// the iteration took longer and gained nothing.
const (
	completeTol        = 3e-3
	completeSteps      = 500
	completeDirections = 2
	mostDirections     = 50
)

// Complete fills in the missing entries of a table x (n×d), marked by NaN, for methods that require all
// entries. Read X. To cluster a table with missing entries use [Fit]. Each missing entry becomes its
// expectation given the other entries of its row. It exceeds the entries present in its column by at most
// half of their range, and is at least 0 if they are.
//
// Expectations spread less than entries do. Proofs about the completed table do not hold for x. Entries
// should be missing at random: whether an entry is missing may depend on the entries present, but not on its
// own value.
//
// # Details
//
// The model is probabilistic principal components (Tipping & Bishop 1999) of 2k directions, at most 50, with
// the greatest likelihood of the entries present. Complete reads the options Weights, Workers and Sum. A row
// of weight 0, or without any entry, is filled in and does not count.
//
// Cost: softkmeans.Principal, and 10 to 130 passes. A pass takes O(ndk), O(k²) for each missing entry, and
// O(k³) for each row and each column. Memory: two copies of x, O(dk²), and up to a quarter of x. Results are
// bit-identical for any Workers. Errors: as for [softkmeans.Fit], except for NaN;
// [softkmeans.ErrTooFewSamples] names a column without any entry in a row that counts.
func Complete(
	ctx context.Context, x *softkmeans.Matrix, k int, opts *softkmeans.Options,
) (*Completion, error) {
	o := draws.OrZero(opts)
	g, err := openGaps(x, o.Weights, func(none *softkmeans.Matrix) error {
		_, err := softkmeans.Principal(ctx, none, 0, &softkmeans.Options{Sum: o.Sum})
		if !errors.Is(err, softkmeans.ErrOption) {
			_, err = softkmeans.Fit(ctx, none, k, &softkmeans.Options{Workers: o.Workers})
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return g.complete(ctx, x, k, &o)
}

// complete returns the completion of x, in which g are the missing entries. It assumes that the arguments are
// checked.
func (g *gaps) complete(
	ctx context.Context, x *softkmeans.Matrix, k int, o *softkmeans.Options,
) (*Completion, error) {
	if err := fault.Stopped(ctx); err != nil {
		return nil, err
	}
	out := &Completion{X: x.Clone(), Status: softkmeans.StatusConverged}
	if g.total == 0 {
		return out, nil
	}
	if err := g.fillMeans(out.X); err != nil {
		return nil, err
	}
	if err := fault.Stopped(ctx); err != nil {
		return nil, err
	}
	q := min(completeDirections*min(k, g.d), mostDirections, min(x.Rows-1, g.d)-1)
	c, err := openCompletion(ctx, g, out.X, max(0, q), o.Workers)
	if err != nil {
		return nil, err
	}
	if c.least == 0 { // all entries of a column are the same, as far as squares tell
		return out, nil
	}
	out.Status = softkmeans.StatusIterationLimit
	for i := 0; i < completeSteps && out.Status != softkmeans.StatusConverged; i++ {
		change, err := c.step()
		if err != nil {
			return nil, err
		}
		if change <= completeTol*math.Sqrt(c.noise) {
			out.Status = softkmeans.StatusConverged
		}
	}
	if out.floor, err = c.floor(k, o.Sum); err != nil {
		return nil, err
	}
	least, most := g.ends(x)
	g.fill(out.X, func(i, j int) float64 {
		return min(max(math.Ldexp(c.mean[j]+c.y.Row(i)[j], c.exp), least[j]), most[j])
	})
	return out, nil
}

// completion is the model of Complete, in units of 2^exp and about the mean.
type completion struct {
	ctx     context.Context
	workers int
	g       *gaps
	n, d, q int
	exp     int
	order   []int
	mean    []float64
	mass    float64            // the sum of the weights of the rows
	y       *softkmeans.Matrix // the rows, n×d; missing entries as filled in
	w       *softkmeans.Matrix // d×(q+1): W, and μ in the last column
	noise   float64            // σ²
	least   float64            // the least value of noise
}

// leastNoise is the least variance of an entry's noise, as a fraction of a row's variance. It keeps q×q
// matrices definite. Below leastSquare variances are rounded, and count as 0.
const (
	leastNoise  = 0x1p-40
	leastSquare = 0x1p-990
)

// openCompletion returns the model for x, whose missing entries are the means of their columns: it starts
// from q principal directions.
func openCompletion(
	ctx context.Context, g *gaps, x *softkmeans.Matrix, q, workers int,
) (*completion, error) {
	c := &completion{
		ctx: ctx, workers: workers, g: g, n: x.Rows, d: x.Cols, q: q, order: g.order(),
		exp: exponent(g.largest(x)), y: x.Clone(), w: softkmeans.NewMatrix(x.Cols, q+1, nil),
	}
	if err := fault.Stopped(ctx); err != nil {
		return nil, err
	}
	for i, v := range c.y.Data {
		c.y.Data[i] = math.Ldexp(v, -c.exp)
	}
	c.mean, _ = g.means(c.y)
	if err := fault.Stopped(ctx); err != nil {
		return nil, err
	}
	weights, total := g.weights(), 0.0
	for i := range c.n {
		c.mass += weights[i]
		row := c.y.Row(i)
		for j, v := range row { // one of weight 0 may be of any size
			row[j] = min(max(v-c.mean[j], -0x1p200), 0x1p200)
		}
		if weights[i] > 0 {
			total += weights[i] * la.Dot(row, row)
		}
	}
	if c.least = leastNoise * total / c.mass; c.least < leastSquare {
		c.least = 0
		return c, nil
	}
	o := &softkmeans.Options{Weights: weights, Workers: workers, Solver: softkmeans.SolverGram}
	space, err := softkmeans.Principal(ctx, c.y, q, o)
	if err != nil {
		return nil, err
	}
	z, err := space.Coordinates(nil, c.y)
	if err != nil {
		return nil, err
	}
	squares := space.Squares
	rest := total
	for _, v := range squares[:q] {
		rest -= v
	}
	c.noise = max(c.least, rest/c.mass/float64(c.d-q))
	for i, w := range weights {
		for j, v := range c.y.Row(i) {
			la.Axpy(c.w.Row(j), w*v, z.Row(i))
		}
	}
	for a, square := range squares[:q] {
		size := 0.0
		if square > 0 {
			size = math.Sqrt(max(0, square/c.mass-c.noise)) / square
		}
		for j := range c.d {
			c.w.Row(j)[a] *= size
		}
	}
	return c, nil
}

// latentSums are weighted sums over rows. A row counts with B, the expectation of (z, 1)(z, 1)ᵀ, on and
// below the diagonal, and with y·(z, 1) and y².
type latentSums struct {
	all             []float64          // B of all rows
	whole           []float64          // B of rows that miss fewer entries than are present
	gram            *softkmeans.Matrix // by column: ΣB of the rows that have an entry in it, less whole
	linear          *softkmeans.Matrix // d×(q+2): Σy·(z, 1) and Σy²
	change, missing float64            // weighted: Σ of squared changes of missing entries, and their number
}

func triangular(n int) int { return n * (n + 1) / 2 }

func newLatentSums(d, q int) *latentSums {
	t := triangular(q + 1)
	return &latentSums{
		all: make([]float64, t), whole: make([]float64, t),
		gram: softkmeans.NewMatrix(d, t, nil), linear: softkmeans.NewMatrix(d, q+2, nil),
	}
}

func (m *latentSums) add(other *latentSums) {
	la.Axpy(m.all, 1, other.all)
	la.Axpy(m.whole, 1, other.whole)
	la.Axpy(m.gram.Data, 1, other.gram.Data)
	la.Axpy(m.linear.Data, 1, other.linear.Data)
	m.change += other.change
	m.missing += other.missing
}

// mostParts is the largest number of parts of the rows that are summed separately, for any number of workers.
const mostParts = 64

// step fills in the missing entries and moves W, μ and σ² to a greater likelihood. It returns the root mean
// square change of a missing entry.
func (c *completion) step() (change float64, err error) {
	t := triangular(c.q + 1)
	outer, full := softkmeans.NewMatrix(c.d, triangular(c.q), nil), make([]float64, triangular(c.q))
	for j := range c.d {
		addOuter(outer.Row(j), 1, c.w.Row(j)[:c.q])
		la.Axpy(full, 1, outer.Row(j))
	}
	every := max(1, 1<<22/(c.d*t))                                  // rows between two looks at ctx
	parts := make([]*latentSums, max(1, min(mostParts, c.n/(4*t)))) // a quarter of x at most
	draws.Run(c.workers, len(parts), func(p int) {
		parts[p] = newLatentSums(c.d, c.q)
		l := newLatent(c, outer, full)
		for a, i := range c.order[p*c.n/len(parts) : (p+1)*c.n/len(parts)] {
			if a%every == 0 && c.ctx.Err() != nil {
				return
			}
			l.row(i, parts[p])
		}
	})
	for _, p := range parts[1:] {
		parts[0].add(p)
	}
	c.maximise(parts[0])
	return math.Sqrt(parts[0].change / max(parts[0].missing, leastWeight)), fault.Stopped(c.ctx)
}

// addOuter adds a·vvᵀ to a triangle.
func addOuter(tri []float64, a float64, v []float64) {
	for i, x := range v {
		la.Axpy(tri[:i+1], a*x, v[:i+1])
		tri = tri[i+1:]
	}
}

// latent finds z of one row after the other.
type latent struct {
	c              *completion
	outer          *softkmeans.Matrix // w_j·w_jᵀ by column
	full           []float64          // their sum
	there, missing []int
	last           int       // the row whose missing entries these are; −1: none
	m              []float64 // of these: W_oᵀW_o + σ²I, and its Cholesky factor
	inverse        []float64 // its inverse
	tri            []float64
	h, z           []float64 // q+1
}

func newLatent(c *completion, outer *softkmeans.Matrix, full []float64) *latent {
	q := c.q
	return &latent{
		c: c, outer: outer, full: full, last: -1,
		m: make([]float64, q*q), inverse: make([]float64, q*q), tri: make([]float64, triangular(q+1)),
		h: make([]float64, q), z: make([]float64, q+1),
	}
}

// factor sets there, missing, m and inverse for row i, unless they already are for the same missing entries.
func (l *latent) factor(i int) {
	c, q := l.c, l.c.q
	if l.last >= 0 && c.g.same(i, l.last) {
		return
	}
	l.last = i
	l.there, l.missing = c.g.columns(i, l.there, l.missing)
	tri := l.tri[:triangular(q)]
	if len(l.missing) < len(l.there) { // fewer terms, and no more rounding
		copy(tri, l.full)
		for _, j := range l.missing {
			la.Axpy(tri, -1, l.outer.Row(j))
		}
	} else {
		clear(tri)
		for _, j := range l.there {
			la.Axpy(tri, 1, l.outer.Row(j))
		}
	}
	for a := range q {
		copy(l.m[a*q:], tri[triangular(a):triangular(a+1)])
		l.m[a*q+a] += c.noise
	}
	la.Cholesky(l.m, q) // definite by leastNoise
	for a := range q {
		column := l.inverse[a*q : (a+1)*q]
		clear(column)
		column[a] = 1
		la.CholeskySolve(l.m, q, column)
	}
}

// row fills in the missing entries of row i by its expected z, and adds the row to m.
func (l *latent) row(i int, m *latentSums) {
	c, q := l.c, l.c.q
	l.factor(i)
	y, w := c.y.Row(i), c.g.weight(i)
	clear(l.h)
	for _, j := range l.there {
		loading := c.w.Row(j)
		la.Axpy(l.h, y[j]-loading[q], loading[:q])
	}
	for a := range q {
		l.z[a] = la.Dot(l.inverse[a*q:(a+1)*q], l.h)
	}
	l.z[q] = 1
	for _, j := range l.missing {
		v := la.Dot(c.w.Row(j), l.z)
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
		la.Axpy(l.tri[triangular(a):triangular(a+1)], w*c.noise, l.inverse[a*q:a*q+a+1])
	}
	la.Axpy(m.all, 1, l.tri)
	sign, columns := 1.0, l.there // of which there are fewer
	if len(l.missing) < len(l.there) {
		la.Axpy(m.whole, 1, l.tri)
		sign, columns = -1, l.missing
	}
	for _, j := range columns {
		la.Axpy(m.gram.Row(j), sign, l.tri)
	}
	for _, j := range l.there {
		sums := m.linear.Row(j)
		la.Axpy(sums[:q+1], w*y[j], l.z)
		sums[q+1] += w * y[j] * y[j]
	}
}

// maximise sets W, μ and σ² to the greatest expected likelihood, and gives z the mean 0 and the variance I.
func (c *completion) maximise(m *latentSums) {
	r := c.q + 1
	left, mass := make([]float64, c.d), make([]float64, c.d) // by column: squares left, and weights
	draws.Run(c.workers, c.d, func(j int) {
		if c.ctx.Err() != nil {
			return // step returns the error
		}
		gram, linear, row := m.gram.Row(j), m.linear.Row(j), c.w.Row(j)
		la.Axpy(gram, 1, m.whole)
		a := make([]float64, r*r)
		for i := range r {
			copy(a[i*r:], gram[triangular(i):triangular(i+1)])
		}
		if la.Cholesky(a, r) { // otherwise the row of W stays: its equations are singular to rounding
			copy(row, linear[:r])
			la.CholeskySolve(a, r, row)
		}
		left[j] = max(0, linear[r]-la.Dot(row, linear[:r]))
		mass[j] = gram[len(gram)-1]
	})
	c.noise = max(c.least, la.Sum(left)/la.Sum(mass))
	c.standardize(m.all)
}

// standardize changes the coordinates of z so that its mean is 0 and its variance I. all is the sum of B over
// the rows.
func (c *completion) standardize(all []float64) {
	q := c.q
	mass := all[len(all)-1]
	mean := make([]float64, q)
	la.Axpy(mean, 1/mass, all[triangular(q):triangular(q)+q])
	l := make([]float64, q*q)
	for a := range q {
		for b, v := range all[triangular(a):triangular(a+1)] {
			l[a*q+b] = v/mass - mean[a]*mean[b]
		}
	}
	if !la.Cholesky(l, q) { // does not happen: each row adds the variance of its z
		return
	}
	for j := range c.d {
		row := c.w.Row(j)
		row[q] += la.Dot(row[:q], mean)
		for b := range q { // W·L, whose column b needs rows b and below
			v := row[b] * l[b*q+b]
			for a := b + 1; a < q; a++ {
				v += row[a] * l[a*q+b]
			}
			row[b] = v
		}
	}
}

// floor returns the floor of k centers for rows of the model's mean and covariance, WWᵀ + σ²I. It is in
// squared units of the data, with the weights of gaps.
func (c *completion) floor(k int, sum softkmeans.Sum) (float64, error) {
	p, r := k-1, c.q
	if sum == softkmeans.SumAtMostOne { // not about the mean, which is one more direction
		p, r = k, c.q+1
	}
	gram, row := softkmeans.NewMatrix(r, r, nil), make([]float64, c.q+1)
	for j := range c.d {
		copy(row, c.w.Row(j))
		row[c.q] += c.mean[j]
		for a, v := range row[:r] {
			la.Axpy(gram.Row(a), v, row[:r])
		}
	}
	rest := float64(max(0, c.d-p)) * c.noise
	if p < r {
		_, exp := math.Frexp(la.Largest(gram.Data)) // EigenSym's range of entries is narrower than that of squares
		for i, v := range gram.Data {
			gram.Data[i] = math.Ldexp(v, -exp)
		}
		values, _, err := softkmeans.EigenSym(gram)
		if err != nil {
			return 0, err
		}
		for _, v := range values[p:] {
			rest += math.Ldexp(max(0, v), exp)
		}
	}
	return unscaled(c.mass*rest, 2*c.exp), nil
}
