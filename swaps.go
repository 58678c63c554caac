package softkmeans

// Swaps: two clusters merge and another splits, where labels have found one cluster twice and two as one. As
// in the random swaps of P. Fränti and J. Kivijärvi, Randomised local search algorithm for the clustering
// problem (Pattern Anal. Appl. 3, 2000), except that the clusters are not drawn.

import (
	"cmp"
	"math"
	"slices"
)

// The swapTried cheapest merges are tried with a split of each of the swapTried clusters of most scatter, up
// to swapWork multiplications in all. A swap has to raise the merit by swapGain. On 39 sets six other choices
// of pairs, of splits and of gains were worse.
const (
	swapTried = 3
	swapGain  = 1e-3
	swapWork  = 1 << 33
)

// swaps moves labels, which have settled by the rule r with a merit, from swap to swap. One is taken if the
// merit grows and the scatter's determinant does not. It returns the rule and the merit of the labels it ends
// with: after as many swaps as there are clusters, or if none of those tried helps.
func (c *clusters) swaps(labels []int, r *rule, merit float64, places *Matrix) (*rule, float64, error) {
	next, work := make([]int, len(labels)), 0.0
	for count, taken := 0, true; taken && count < c.k; count++ {
		taken = false
		z := c.inMetric(labels, r)
		for _, w := range z.swaps() {
			if work += 8 * float64(c.s.n) * float64(c.y.Cols) * float64(c.k); work > swapWork {
				return r, merit, nil
			}
			z.swap(next, w)
			to, err := c.settle(next, places)
			if err != nil {
				return r, merit, err
			}
			if to == nil || to.filled < r.filled || to.logDet() > r.logDet() {
				continue
			}
			reached, err := c.merit(to)
			if err != nil {
				return r, merit, err
			}
			if taken = reached > merit+swapGain; taken {
				copy(labels, next)
				r, merit = to, reached
				break
			}
		}
	}
	return r, merit, nil
}

// logDet returns the logarithm of the determinant of the scatter, with its ridge.
func (r *rule) logDet() (sum float64) {
	for a := range r.root.Rows {
		sum -= 2 * math.Log(r.root.row(a)[a])
	}
	return sum
}

// metricRows is labelled rows in the metric of their clusters.
type metricRows struct {
	s       *samples // weights
	y       *Matrix
	labels  []int
	means   *Matrix   // k×p
	weights []float64 // of each cluster
	scatter []float64 // about its mean
}

func (c *clusters) inMetric(labels []int, r *rule) *metricRows {
	p, lower := c.y.Cols, NewMatrix(c.y.Cols, c.y.Cols, nil)
	z := &metricRows{c.s, NewMatrix(c.s.n, p, nil), labels, NewMatrix(c.k, p, nil), r.weights,
		make([]float64, c.k)}
	for a := range p {
		copy(lower.row(a), r.root.row(a)[:a+1])
	}
	addMulNT(z.y.Data, p, c.y.Data, c.s.n, lower.Data, p, p, false)
	for i, j := range labels {
		axpy(z.means.row(j), c.s.weight(i), z.y.row(i))
	}
	for j, w := range r.weights {
		scale(z.means.row(j), 1/cmp.Or(w, 1))
	}
	for i, j := range labels {
		z.scatter[j] += c.s.weight(i) * squaredDistance(z.y.row(i), z.means.row(j))
	}
	return z
}

// exchange is a pair of clusters to merge, as the first, and one to split.
type exchange struct{ a, b, split int }

// swaps returns the swaps to try, the cheapest merges first.
func (z *metricRows) swaps() (list []exchange) {
	type merge struct {
		a, b int
		cost float64 // in scatter
	}
	var merges []merge
	var wide []int
	for a, w := range z.weights {
		wide = append(wide, a)
		for b, v := range z.weights[:a] {
			cost := squaredDistance(z.means.row(a), z.means.row(b)) * w * v / cmp.Or(w+v, 1)
			merges = append(merges, merge{b, a, cost})
		}
	}
	slices.SortStableFunc(merges, func(a, b merge) int { return cmp.Compare(a.cost, b.cost) })
	slices.SortStableFunc(wide, func(a, b int) int { return cmp.Compare(z.scatter[b], z.scatter[a]) })
	for _, m := range merges[:min(swapTried, len(merges))] {
		for _, j := range wide[:min(swapTried, len(wide))] {
			if j != m.a && j != m.b {
				list = append(list, exchange{m.a, m.b, j})
			}
		}
	}
	return list
}

// swap sets next to the labels after w, which cuts a cluster at its mean across its widest direction.
func (z *metricRows) swap(next []int, w exchange) {
	axis, mean := z.widest(w.split), z.means.row(w.split)
	for i, j := range z.labels {
		switch next[i] = j; {
		case j == w.b:
			next[i] = w.a
		case j == w.split && dot(axis, z.y.row(i)) > dot(axis, mean):
			next[i] = w.b
		}
	}
}

// widest returns about the direction in which a cluster has most scatter, by powerSteps of the power method
// from its farthest row.
func (z *metricRows) widest(cluster int) []float64 {
	const powerSteps = 4
	axis, next, row := make([]float64, z.y.Cols), make([]float64, z.y.Cols), make([]float64, z.y.Cols)
	for step := range powerSteps + 1 {
		far := 0.0
		clear(next)
		for i, j := range z.labels {
			if j != cluster || z.s.weight(i) == 0 {
				continue
			}
			copy(row, z.y.row(i))
			axpy(row, -1, z.means.row(j))
			switch size := sumSquares(row); {
			case step > 0:
				axpy(next, z.s.weight(i)*dot(row, axis), row)
			case size > far:
				far = size
				copy(next, row)
			}
		}
		if size := norm2(next); size > 0 {
			scale(next, 1/size)
			copy(axis, next)
		}
	}
	return axis
}
