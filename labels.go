package softkmeans

// Hard labels: the largest membership, then the nearest mean in a metric of the clusters' own. A cluster
// between others looks like a mixture of the others. By largest membership its rows get the labels of the
// others. Means lie inside the clusters, so many of these rows are nearest to the mean of their own cluster
// again. The metric is the inverse of the common scatter of all clusters. Means, scatter and labels are
// updated in turn until labels no longer change, as in H. P. Friedman and J. Rubin, On some invariant
// criteria for grouping data (J. Am. Stat. Assoc. 62, 1967): this is their criterion det W, or a mixture of
// Gaussians of one covariance with hard labels. The result depends on the start. Therefore other starts are
// tried, and replace the first labels if `replaces` returns true.

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// largest returns the column of the largest entry of each row of g, the lowest on ties.
func largest(dst []int, g *Matrix) []int {
	dst = labelsOf(dst, orZero(g).Rows)
	for i := range dst {
		dst[i] = argmax(g.Row(i))
	}
	return dst
}

// labelsOf returns dst, or new labels if dst is nil. It panics unless their number is n.
func labelsOf(dst []int, n int) []int {
	if dst == nil {
		dst = make([]int, n)
	}
	if len(dst) != n {
		panic("softkmeans: dst has length " + strconv.Itoa(len(dst)) + " for " + strconv.Itoa(n) + " rows")
	}
	return dst
}

// sums returns GᵀXc for memberships g (n×k), weighted: k×d.
func sums(x rows, g *Matrix) (*Matrix, error) {
	y := g.Clone()
	for i := range y.Rows {
		scale(y.row(i), x.data().root(i, true))
	}
	return x.multiplyT(y.transposed())
}

// clusterMeans returns a k×d matrix in the data's units: the mean of the rows of each label, or the center if
// no such row has weight.
func clusterMeans(x rows, labels []int, centers *Matrix) (*Matrix, error) {
	s, member, weights := x.data(), NewMatrix(len(labels), centers.Rows, nil), make([]float64, centers.Rows)
	for i, j := range labels {
		member.row(i)[j] = 1
		weights[j] += s.weight(i)
	}
	all, err := sums(x, member)
	if err != nil {
		return nil, err
	}
	out := centers.Clone()
	for j, w := range weights {
		for c, v := range all.row(j) {
			if w > 0 {
				out.row(j)[c] = math.Ldexp(s.mean[c]+v/w, s.exp)
			}
		}
	}
	return out, nil
}

// The iteration of labels uses labelDirections·k leading directions, or all if there are fewer. It ends after
// labelSteps steps at the latest, mostly after fewer than ten. labelRidge times the mean scatter over the
// directions is added to the scatter, for clusters of few rows. On 15 sets, and on subsets of the rows of
// eight of these, k−1 directions did worse. 3k+4 directions, and ridges of 0.03 and 0.3, made no difference.
const (
	labelDirections = 2
	labelSteps      = 20
	labelRidge      = 0.1
)

// In addition to the memberships, up to labelStarts labelings by k-means are tried: as many as labelWork
// multiplications permit, but at least leastStarts. k-means runs for up to startPasses passes. If there are
// more than max(labelDraw, drawnPerCluster·k) rows, a random sample of this size is used. On ten sets of up
// to 2000 rows 10 and 40 passes did as well. 8 starts and samples of 1000 rows did worse, 24 starts a little
// better.
const (
	labelStarts     = 16
	leastStarts     = 4
	startPasses     = 4
	labelWork       = 1 << 26
	labelDraw       = 1 << 11
	drawnPerCluster = 32
)

// Labels of another start replace the labels of the memberships if their merit is higher by leastGain. The
// entropy of the rows counts entropyRate times: 2 to 8 did as well on 15 sets. If clusters overlap, with a
// merit below overlapMerit of the largest possible merit, their scatter must not exceed the scatter of the
// memberships' labels. Without this rule the fraction of correct labels of wine, not standardized, fell from
// .69 to .57: wine has no clusters along its one large column.
const (
	entropyRate  = 4
	leastGain    = 0.02
	overlapMerit = 0.4
)

// clusters holds samples for the search of their labels.
type clusters struct {
	s       *samples
	k       int
	basis   *Matrix   // p×d, orthonormal rows
	y       *Matrix   // the samples in the basis, less their mean, times 2^-exp: entries up to 1
	mean    []float64 // the samples' mean in the basis
	exp     int
	scatter *Matrix // p×p: the scatter of y
}

// openClusters returns the samples in their leading directions, the rows of lead.
func openClusters(x rows, k int, lead *Matrix) (*clusters, error) {
	s := x.data()
	p := min(labelDirections*k, s.rankBound(), lead.Rows)
	c := &clusters{s: s, k: k, basis: rowsOf(lead, 0, p), y: NewMatrix(s.n, p, nil), mean: make([]float64, p)}
	if err := x.changeBasis(c.y, c.basis); err != nil {
		return nil, err
	}
	for i := range s.n {
		axpy(c.mean, s.weight(i), c.y.row(i))
	}
	scale(c.mean, 1/s.mass().value())
	for i := range s.n {
		axpy(c.y.row(i), -1, c.mean)
	}
	_, c.exp = math.Frexp(maxAbs(c.y))
	scale(c.y.Data, math.Ldexp(1, -c.exp))
	c.scatter = s.scatterOf(c.y)
	return c, nil
}

// doubt settles the labels on each of two halves of the rows, and labels all rows by both results. It returns
// the weighted fraction of rows whose two labels differ, or 0 if the rows of a half are all equal.
func (c *clusters) doubt(labels []int, places *Matrix) (float64, error) {
	c, labels = c.draw(labels)
	order := rand.New(rand.NewPCG(labelStream, 2)).Perm(c.s.n)
	var by [2][]int
	for half, rows := range [2][]int{order[:c.s.n/2], order[c.s.n/2:]} {
		var err error
		if by[half], err = c.byRows(rows, labels, places); by[half] == nil || err != nil {
			return 0, err
		}
	}
	other, all := 0.0, 0.0
	for i, j := range by[0] {
		all += c.s.weight(i)
		if j != by[1][i] {
			other += c.s.weight(i)
		}
	}
	return other / all, nil
}

// byRows settles the labels of the given rows alone, and returns the labels of all rows by the resulting
// rule. It returns nil if there are no rows, or if the given rows are all equal.
func (c *clusters) byRows(rows, labels []int, places *Matrix) ([]int, error) {
	weights := make([]float64, len(rows))
	for i, row := range rows {
		weights[i] = c.s.weight(row)
	}
	some, own := c.some(rows, weights, labels)
	r, err := some.settle(own, places)
	if r == nil || err != nil {
		return nil, err
	}
	out := make([]int, c.s.n)
	return out, c.assign(out, r)
}

// rule labels a row y with the j whose score vectors_j·y − half_j is largest: the nearest of means in a
// metric.
type rule struct {
	vectors *Matrix // k×p: the means of clusters times the inverse of their scatter
	half    []float64
	weights []float64 // the weight of each cluster
	filled  int       // clusters with weight
	within  float64   // the scatter of the rows about their means, in all directions
	ridge   float64   // the amount that was added to each direction
	root    *Matrix   // L⁻¹, for the scatter LLᵀ
	logDet  float64   // log det LLᵀ
}

// settle changes labels until each row is nearest to the mean of its own cluster, at most labelSteps times.
// It returns the rule of the last clusters, or nil if their scatter has no inverse.
func (c *clusters) settle(labels []int, places *Matrix) (r *rule, err error) {
	next := make([]int, c.s.n)
	for step := 0; ; step++ {
		if r = c.rule(labels, places); r == nil || step == labelSteps {
			return r, nil
		}
		if err := c.assign(next, r); err != nil {
			return nil, err
		}
		if slices.Equal(next, labels) {
			return r, nil
		}
		copy(labels, next)
	}
}

// rule returns the rule of the means of clusters and of their scatter with its ridge; nil if the scatter has
// no inverse. For a cluster without weight the row of places replaces the mean.
func (c *clusters) rule(labels []int, places *Matrix) *rule {
	p := c.basis.Rows
	means, within, inverse := NewMatrix(c.k, p, nil), c.scatter.Clone(), NewMatrix(p, p, nil)
	r := &rule{vectors: NewMatrix(c.k, p, nil), root: within}
	r.half, r.weights = make([]float64, c.k), make([]float64, c.k)
	for i, j := range labels {
		axpy(means.row(j), c.s.weight(i), c.y.row(i))
		r.weights[j] += c.s.weight(i)
	}
	for j, w := range r.weights {
		m := means.row(j)
		if w == 0 {
			copy(m, places.row(j))
			continue
		}
		r.filled++
		scale(m, 1/w)
		for a, v := range m {
			axpy(within.row(a), -w*v, m)
		}
	}
	r.within = max(0, trace(within))
	r.ridge = (labelRidge*r.within + 0x1p-30*trace(c.scatter)) / float64(p)
	for a := range p {
		within.row(a)[a] = max(within.row(a)[a], 0) + r.ridge
	}
	if !(trace(c.scatter) > 0) || !cholesky(within.Data, p) {
		return nil
	}
	cholInverse(inverse.Data, within.Data, p) // within is then L⁻¹
	for a := range p {
		clear(within.row(a)[a+1:])
		r.logDet -= 2 * math.Log(within.row(a)[a])
	}
	timesT(r.vectors, means, inverse)
	for j := range c.k {
		r.half[j] = dot(r.vectors.row(j), means.row(j)) / 2
	}
	return r
}

// places converts centers to the coordinates of y.
func (c *clusters) places(centers *Matrix) *Matrix {
	out := c.s.fromData(centers, c.basis)
	for j := range c.k {
		axpy(out.row(j), -1, c.mean)
	}
	scale(out.Data, math.Ldexp(1, -c.exp))
	return out
}

// eachScores calls fn with the k scores of each row by the rule r, in parallel over chunks. fn may overwrite
// the scores.
func (c *clusters) eachScores(r *rule, fn func(chunk, i int, scores []float64)) error {
	p := c.basis.Rows
	return c.s.eachBlock(chunking{c.s.n, p, manyChunks}, c.k, func(at block) {
		scores := at.scratch[:(at.hi-at.lo)*c.k]
		clear(scores)
		addMulNT(scores, c.k, c.y.Data[at.lo*p:], at.hi-at.lo, r.vectors.Data, c.k, p, false)
		for i := at.lo; i < at.hi; i++ {
			row := scores[(i-at.lo)*c.k:][:c.k]
			axpy(row, -1, r.half)
			fn(at.chunk, i, row)
		}
	})
}

// assign sets dst to the label of each row by r.
func (c *clusters) assign(dst []int, r *rule) error {
	return c.eachScores(r, func(_, i int, scores []float64) { dst[i] = argmax(scores) })
}

// merit returns the entropy of the sizes of clusters less entropyRate times the mean entropy of rows. The
// entropy of a row is over the probabilities of its clusters, in a mixture of Gaussians with the clusters'
// weights, means and common scatter. With a rate of 1 merit is the information of rows about clusters, after
// J. S. Bridle, A. J. R. Heading and D. J. C. MacKay, Unsupervised classifiers, mutual information and
// 'phantom targets' (NIPS 1991). A. Krause, P. Perona and R. Gomes, Discriminative clustering by regularized
// information maximization (NIPS 2010) weigh its parts.
func (c *clusters) merit(r *rule) (float64, error) {
	mass, sizes, logs := sumOf(r.weights), 0.0, make([]float64, c.k)
	for j, w := range r.weights {
		logs[j] = math.Log(w / mass) // −Inf for an empty cluster
		if w > 0 {
			sizes -= w / mass * logs[j]
		}
	}
	sums := make([]float64, chunks(c.s.n, c.basis.Rows, manyChunks))
	err := c.eachScores(r, func(chunk, i int, scores []float64) {
		scale(scores, mass)
		axpy(scores, 1, logs)
		top, sum, mean := slices.Max(scores), 0.0, 0.0
		for _, v := range scores {
			if v -= top; v > -50 { // e^-50 is rounding
				e := math.Exp(v)
				sum += e
				mean += e * v
			}
		}
		sums[chunk] += c.s.weight(i) * (math.Log(sum) - mean/sum)
	})
	return sizes - entropyRate*sumOf(sums)/mass, err
}

// settled is labels after settle, with their rule and its merit.
type settled struct {
	*rule
	labels []int
	merit  float64
}

// rest calls settle for labels, and returns them with their rule and its merit. It returns nil if all rows
// are equal.
func (c *clusters) rest(labels []int, places *Matrix) (*settled, error) {
	r, err := c.settle(labels, places)
	if r == nil || err != nil {
		return nil, err
	}
	merit, err := c.merit(r)
	return &settled{r, labels, merit}, err
}

// replaces reports whether choose should prefer s to found, the best labels so far. old are the labels with
// which choose began.
func (s *settled) replaces(found, old *settled) bool {
	most := found.merit
	if found == old {
		most += leastGain
	}
	apart := s.merit > overlapMerit*math.Log(float64(len(s.weights))) || s.within <= old.within
	return s.merit > most && apart && s.filled >= old.filled
}

// choose replaces labels, which begin with the largest memberships, if labels from another start have more
// merit and no fewer clusters. The other starts are k-means, and the best of these after swaps. The new
// clusters are numbered so that as many rows as possible (by weight) keep their label.
func (c *clusters) choose(labels []int, places *Matrix) error {
	part, own := c.draw(labels)
	old, err := part.rest(own, places)
	if old == nil || err != nil {
		return err
	}
	found, top := old, (*settled)(nil)
	l, rng := newClustering(part.s, part.y, c.k), rand.New(rand.NewPCG(labelStream, 0))
	work := float64(len(own)) * float64(part.y.Cols) * float64(c.k) * startPasses
	for range int(max(leastStarts, min(labelStarts, labelWork/work))) {
		s, err := part.start(l, rng, places)
		if s == nil || err != nil {
			return err
		}
		if s.replaces(found, old) {
			found = s
		}
		if top == nil || s.merit > top.merit {
			top = s
		}
	}
	if top, err = part.swaps(top, places); err != nil {
		return err
	}
	if top.replaces(found, old) {
		found = top
	}
	if found == old {
		return nil
	}
	shared := NewMatrix(c.k, c.k, nil)
	for i, j := range found.labels {
		shared.row(j)[own[i]] += part.s.weight(i)
	}
	number := assignment(shared)
	err = c.assign(labels, found.rule)
	for i, j := range labels {
		labels[i] = number[j]
	}
	return err
}

// assignment assigns a column of its own to each row of a square matrix of gains, such that the sum of the
// gains is largest, and returns these columns (Kuhn 1955, by shortest augmenting paths in O(k³)).
func assignment(gain *Matrix) []int {
	k := gain.Rows
	u, v := make([]float64, k+1), make([]float64, k+1) // potentials; index k means: not assigned yet
	rowOf, from := slices.Repeat([]int{-1}, k+1), make([]int, k+1)
	for i := range k {
		rowOf[k] = i
		at, dist, done := k, slices.Repeat([]float64{math.Inf(1)}, k+1), make([]bool, k+1)
		for rowOf[at] >= 0 { // Dijkstra over the columns
			done[at] = true
			row, next := rowOf[at], k
			for j, g := range gain.row(row) {
				if d := -g - u[row] - v[j]; !done[j] && d < dist[j] {
					dist[j], from[j] = d, at
				}
				if !done[j] && dist[j] < dist[next] {
					next = j
				}
			}
			low := dist[next]
			for j := range done {
				if done[j] {
					u[rowOf[j]] += low
					v[j] -= low
				} else {
					dist[j] -= low
				}
			}
			at = next
		}
		for ; at != k; at = from[at] { // assign along the path
			rowOf[at] = rowOf[from[at]]
		}
	}
	of := make([]int, k)
	for j, i := range rowOf[:k] {
		of[i] = j
	}
	return of
}

// start returns labels that settle from another run of k-means.
func (c *clusters) start(l *clustering, rng *rand.Rand, places *Matrix) (*settled, error) {
	plain, labels := &rule{vectors: l.plusPlus(rng), half: make([]float64, c.k)}, make([]int, c.s.n)
	if _, err := l.lloyd(plain.vectors, startPasses); err != nil {
		return nil, err
	}
	for j := range plain.half {
		plain.half[j] = sumSquares(plain.vectors.row(j)) / 2
	}
	if err := c.assign(labels, plain); err != nil {
		return nil, err
	}
	return c.rest(labels, places)
}

// draw returns clusters of rows drawn at random by weight, with their labels; of all rows if these are few.
func (c *clusters) draw(labels []int) (*clusters, []int) {
	most := max(labelDraw, drawnPerCluster*c.k)
	if c.s.n <= most {
		return c, slices.Clone(labels)
	}
	return c.some(drawRows(rand.New(rand.NewPCG(labelStream, 1)), most, c.s.n, c.s.weight), nil, labels)
}

// some returns clusters of the listed rows with new weights, nil for 1, and their labels.
func (c *clusters) some(rows []int, weights []float64, labels []int) (*clusters, []int) {
	part, own := *c, make([]int, len(rows))
	part.s, part.y = c.s.some(len(rows), weights), chosenRows(c.y, rows)
	part.scatter = part.s.scatterOf(part.y)
	for i, row := range rows {
		own[i] = labels[row]
	}
	return &part, own
}

const labelStream = 0x1abe1 // stream of random numbers

// spreadRate is the square of ClusterSpread divided by the mean squared distance of rows from their own
// means. These distances are too short, since labels cut off the tails of clusters. On 59 sets a scale of its
// own for each cluster, EM, and Student's distribution changed the Brier score of probabilities by at most
// .011.
const spreadRate = 1.5

// axes returns L⁻¹·basis, p×d, times a power of two: the absolute entries of each row add up to less than 1.
// spread is Model.ClusterSpread along these axes, for the rows that r was made for.
func (c *clusters) axes(r *rule) (out *Matrix, spread float64) {
	p, rows, squares := c.basis.Rows, float64(c.s.n-len(c.s.zeroWeights())), sumSquares(r.root.Data)
	out = combine(context.Background(), r.root, c.basis)
	_, exp := math.Frexp(maxAbs(out) * float64(c.s.d))
	scale(out.Data, math.Ldexp(1, -exp))
	// LLᵀ is the scatter W plus ρ times the identity, for the ridge ρ. So tr(L⁻¹WL⁻ᵀ) = p − ρ‖L⁻¹‖².
	within := max(0, float64(p)-r.ridge*squares) / (sumOf(r.weights) * float64(p))
	free := max(1, rows-float64(c.k)) / rows
	return out, math.Ldexp(math.Sqrt(spreadRate*within/free), c.exp+c.s.exp-exp)
}

// scored receives the nearest mean of row i, the lowest index if distances agree to rounding, and the row's
// scores in units of 4^exp: a constant less half of the squared distances.
type scored = func(i, nearest int, scores []float64, exp int)

// labelling returns the scored that sets dst to the nearest means.
func labelling(dst []int) scored {
	return func(i, nearest int, _ []float64, _ int) { dst[i] = nearest }
}

func (s *samples) nearest(dst []int, means, axes *Matrix) error {
	return s.x.score(s.parallelism, means, axes, labelling(dst))
}

func (m *Matrix) score(by parallelism, means, axes *Matrix, fn scored) error {
	if axes == nil {
		return scoreRows(by, m, means, fn)
	}
	from := means.row(0) // differences keep their digits, however far the data is from 0
	y, err := alongAxes(by, m, from, axes)
	if err != nil {
		return err
	}
	if means, err = alongAxes(by, means, from, axes); err != nil {
		return err
	}
	return scoreRows(by, y, means, fn)
}

// alongAxes returns (x − from)·axesᵀ.
func alongAxes(by parallelism, x *Matrix, from []float64, axes *Matrix) (*Matrix, error) {
	s, out := plainRows(x), NewMatrix(x.Rows, axes.Rows, nil)
	s.parallelism, s.mean = by, from
	return out, s.changeBasis(out, axes.Clone()) // with contiguous rows
}

// scoreRows calls fn for each row of x with its nearest vector and its scores. It assumes that all entries
// are in range.
func scoreRows(by parallelism, x, vectors *Matrix, fn scored) error {
	p := newSimplexProblem(vectors, SumToOne, false)
	half := make([]float64, p.k)
	for j := 0; j < p.k && !p.flat; j++ {
		half[j] = sumSquares(p.vertices.row(j)) / 2
	}
	return by.eachBlock(chunking{x.Rows, p.d, manyChunks}, p.d+p.k, func(at block) {
		b := p.products(at, x)
		if p.flat {
			clear(b)
		}
		for i := at.lo; i < at.hi; i++ {
			row, best := b[(i-at.lo)*p.k:][:p.k], 0
			size, _ := rowMaxAbs(row)
			for j, v := range row { // distances of coincident vectors differ by rounding
				if v-half[j] > row[best]-half[best]+float64(p.d+4)*0x1p-52*max(size, half[j]) {
					best = j
				}
			}
			axpy(row, -1, half)
			fn(i, best, row, p.exp)
		}
	})
}
