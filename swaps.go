package softkmeans

// Swaps: two clusters are merged and a third is split. This helps if the labels divide one true cluster into
// two, and join two others. They follow the random swaps of P. Fränti and J. Kivijärvi, Randomised local
// search algorithm for the clustering problem (Pattern Anal. Appl. 3, 2000), except that the clusters are not
// chosen at random.

import (
	"cmp"
	"slices"
)

// The swapTried cheapest merges are tried with a split of each of the swapTried clusters of largest scatter,
// up to swapWork multiplications in all. A swap must raise the merit by swapGain. On 39 sets five other
// choices of merges, splits and gains were worse.
const (
	swapTried = 3
	swapGain  = 1e-3
	swapWork  = 1 << 33
)

// swaps returns the settled labels after a series of swaps, which begins with the labels of `at`. A swap is
// accepted if the merit grows by more than swapGain, the determinant of the scatter does not grow, and no
// more clusters are empty. The series ends after as many swaps as there are clusters, or if no swap is
// accepted.
func (c *clusters) swaps(at *settled, places *Matrix) (*settled, error) {
	work := 0.0
	for count, taken := 0, true; taken && count < c.k; count++ {
		taken = false
		z := c.inMetric(at)
		for _, w := range z.exchanges() {
			if work += 8 * float64(c.s.n) * float64(c.y.Cols) * float64(c.k); work > swapWork {
				return at, nil
			}
			to, err := c.rest(z.exchanged(w), places)
			if err != nil {
				return at, err
			}
			if taken = to != nil && to.filled >= at.filled && to.logDet <= at.logDet &&
				to.merit > at.merit+swapGain; taken {
				at = to
				break
			}
		}
	}
	return at, nil
}

// metricRows is labelled rows in the metric of their clusters.
type metricRows struct {
	*settled
	s       *samples  // weights of rows
	y       *Matrix   // the rows, less the means of their clusters
	means   *Matrix   // k×p
	scatter []float64 // of each cluster
}

func (c *clusters) inMetric(at *settled) *metricRows {
	p := c.y.Cols
	z := &metricRows{at, c.s, NewMatrix(c.s.n, p, nil), NewMatrix(c.k, p, nil), make([]float64, c.k)}
	addMulNT(z.y.Data, p, c.y.Data, c.s.n, at.root.Data, p, p, false)
	for i, j := range at.labels {
		axpy(z.means.row(j), c.s.weight(i)/cmp.Or(at.weights[j], 1), z.y.row(i))
	}
	for i, j := range at.labels {
		axpy(z.y.row(i), -1, z.means.row(j))
		z.scatter[j] += c.s.weight(i) * sumSquares(z.y.row(i))
	}
	return z
}

// exchange is two clusters to merge, and one to split.
type exchange struct {
	a, b, split int
	cost        float64 // the scatter that the merge adds
}

// exchanges returns the exchanges to try, the cheapest first.
func (z *metricRows) exchanges() (list []exchange) {
	var merges []exchange
	var wide []int
	for a, w := range z.weights {
		wide = append(wide, a)
		for b, v := range z.weights[:a] {
			cost := squaredDistance(z.means.row(a), z.means.row(b)) * w * v / cmp.Or(w+v, 1)
			merges = append(merges, exchange{b, a, 0, cost})
		}
	}
	slices.SortStableFunc(merges, func(a, b exchange) int { return cmp.Compare(a.cost, b.cost) })
	slices.SortStableFunc(wide, func(a, b int) int { return cmp.Compare(z.scatter[b], z.scatter[a]) })
	for _, w := range merges[:min(swapTried, len(merges))] {
		for _, w.split = range wide[:min(swapTried, len(wide))] {
			if w.split != w.a && w.split != w.b {
				list = append(list, w)
			}
		}
	}
	return list
}

// exchanged returns the labels after the exchange w. The split cuts cluster w.split at its mean, across its
// widest direction.
func (z *metricRows) exchanged(w exchange) []int {
	next, axis := slices.Clone(z.labels), z.widest(w.split)
	for i, j := range z.labels {
		if j == w.b {
			next[i] = w.a
		} else if j == w.split && dot(axis, z.y.row(i)) > 0 {
			next[i] = w.b
		}
	}
	return next
}

// widest returns the direction in which a cluster scatters most, approximately: by the power method from its
// farthest row.
func (z *metricRows) widest(cluster int) []float64 {
	const steps = 4
	axis, far := make([]float64, z.y.Cols), 0.0
	for i, j := range z.labels {
		if size := sumSquares(z.y.row(i)); j == cluster && z.s.weight(i) > 0 && size > far {
			far = size
			copy(axis, z.y.row(i))
		}
	}
	for range steps {
		next := make([]float64, z.y.Cols)
		for i, j := range z.labels {
			if j == cluster {
				axpy(next, z.s.weight(i)*dot(z.y.row(i), axis), z.y.row(i))
			}
		}
		scale(next, 1/cmp.Or(norm2(next), 1))
		axis = next
	}
	return axis
}
