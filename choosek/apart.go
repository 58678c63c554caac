package choosek

// Clusters that lie apart: the mean silhouette (Rousseeuw 1987) of Ward's clusters (1963).

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"softkmeans"
	"softkmeans/internal/fault"
	"softkmeans/internal/la"
)

// Clusters are sought in apartColumns leading directions of standardized columns, for k up to mostApart and
// up to n/apartRows. Rows lie in clusters apart if the largest mean silhouette is at a k of at least
// fewestApart, is at least apartFrom, and exceeds the largest silhouette of a normal cloud by apartMargin.
// The smallest cluster must contain fewestOfCenter rows, and leastShare of n/k rows. apartFrom and leastShare
// were chosen on 51 tables with classes, fewestApart on 24 tables of noise and 26 mixtures, and apartMargin
// and fewestOfCenter on 1500 tables of noise of 60 to 1000 rows, as in TestClusterCounts. Without
// fewestOfCenter clusters were found in 7 of the 1500 tables.
const (
	fewestApart  = 4
	mostApart    = 50
	apartFrom    = 0.5
	leastShare   = 0.1
	apartRows    = 8
	apartColumns = 50
	apartMargin  = 0.15
	apartStream  = 0xa9a27
)

// findClusters sets Silhouette, Cloud and Clusters from the rows z, unless Options.Filled is set.
func (s *search) findClusters(z *softkmeans.Matrix) error {
	if s.o.Filled {
		return s.advance()
	}
	squares, y, err := s.leading(z, apartColumns)
	if err != nil {
		return err
	}
	var least []float64
	most := min(s.mostApart, y.Rows/apartRows)
	if s.c.Silhouette, least, err = silhouettes(s.ctx, y, most+1); err != nil {
		return err
	}
	best := slices.Index(s.c.Silhouette, slices.Max(s.c.Silhouette))
	k := best + 1
	if k < fewestApart || k > most || s.c.Silhouette[best] < apartFrom ||
		least[best] < max(fewestOfCenter, leastShare*float64(y.Rows)/float64(k)) {
		return s.advance()
	}
	cloud := cloud(y.Rows, y.Cols, squares, rand.New(rand.NewPCG(s.o.Seed, apartStream)))
	chance, _, err := silhouettes(s.ctx, cloud, most)
	if err != nil {
		return err
	}
	if s.c.Cloud = slices.Max(chance[fewestApart-1:]); s.c.Silhouette[best] >= s.c.Cloud+apartMargin {
		s.c.Clusters = k
	}
	return s.advance()
}

// merge joins two clusters, each named by one of its rows. cost is the increase of the sum of squared
// distances of rows from the means of their clusters.
type merge struct {
	a, b int
	cost float64
}

// ward returns the n−1 merges of the rows y (n×p), which it overwrites, the cheapest first. Ward's method
// begins with n clusters of one row, and joins the two clusters whose merge costs least, until one cluster
// remains. The first n−k merges leave k clusters. It follows chains of nearest neighbors (Murtagh 1983),
// which takes about 3n² distances.
func ward(ctx context.Context, y *softkmeans.Matrix) (merges []merge, err error) {
	left, chain := la.Indices(y.Rows), []int(nil) // clusters outside of the chain, and those in it
	size := make([]float64, y.Rows)
	for i := range size {
		size[i] = 1
	}
	cost := func(a, b int) float64 {
		return size[a] * size[b] / (size[a] + size[b]) * la.SquaredDistance(y.Row(a), y.Row(b))
	}
	for len(merges) < y.Rows-1 {
		if err := fault.Stopped(ctx); err != nil {
			return nil, err
		}
		if len(chain) == 0 {
			chain, left = append(chain, left[0]), left[1:]
		}
		last, nearest, least := len(chain)-1, -1, math.Inf(1)
		a := chain[last]
		if last > 0 {
			least = cost(a, chain[last-1])
		}
		for i, c := range left {
			if v := cost(a, c); v < least {
				nearest, least = i, v
			}
		}
		if nearest >= 0 {
			chain, left = append(chain, left[nearest]), slices.Delete(left, nearest, nearest+1)
			continue
		}
		b := chain[last-1]
		merges = append(merges, merge{a, b, least})
		both := size[a] + size[b]
		la.Scale(size[b]/both, y.Row(b))
		la.Axpy(y.Row(b), size[a]/both, y.Row(a))
		size[b] = both
		chain, left = chain[:last-1], append(left, b)
	}
	slices.SortStableFunc(merges, func(a, b merge) int { return cmp.Compare(a.cost, b.cost) })
	return merges, nil
}

// silhouettes returns at [k−1] the mean silhouette of k of Ward's clusters of the rows y, and the size of the
// smallest cluster, for k = 1 … most.
func silhouettes(ctx context.Context, y *softkmeans.Matrix, most int) (mean, least []float64, err error) {
	merges, err := ward(ctx, y.Clone())
	if err != nil {
		return nil, nil, err
	}
	n := y.Rows
	mean, least = make([]float64, most), make([]float64, most)
	c := clusters{la.Indices(n), la.Indices(n), make([]float64, n), softkmeans.NewMatrix(n, n, nil)}
	for i := range n {
		c.size[i] = 1
		for j := range i {
			d := math.Sqrt(la.SquaredDistance(y.Row(i), y.Row(j)))
			c.sums.Set(i, j, d)
			c.sums.Set(j, i, d)
		}
	}
	for _, m := range merges {
		if k := len(c.all); k <= most {
			mean[k-1], least[k-1] = c.silhouette()
		}
		c.merge(c.of[m.a], c.of[m.b])
	}
	return mean, least, nil
}

// clusters is rows in clusters, each named by one of its rows.
type clusters struct {
	of, all []int              // the cluster of each row, and all clusters
	size    []float64          // rows of each cluster
	sums    *softkmeans.Matrix // of distances of each row from the rows of each cluster
}

func (c *clusters) merge(to, from int) {
	for i, own := range c.of {
		c.sums.Row(i)[to] += c.sums.Row(i)[from]
		if own == from {
			c.of[i] = to
		}
	}
	c.size[to] += c.size[from]
	c.all = slices.DeleteFunc(c.all, func(j int) bool { return j == from })
}

// silhouette returns the mean silhouette, and the size of the smallest cluster. A row's silhouette is
// (b−a)/max(a, b) with its mean distances a from the others of its cluster and b from the nearest of the other
// clusters; 0 for a row alone.
func (c *clusters) silhouette() (mean, least float64) {
	least = math.Inf(1)
	for _, j := range c.all {
		least = min(least, c.size[j])
	}
	for i, own := range c.of {
		row, a, b := c.sums.Row(i), 0.0, math.Inf(1)
		for _, j := range c.all {
			if j != own {
				b = min(b, row[j]/c.size[j])
			}
		}
		if c.size[own] > 1 {
			a = row[own] / (c.size[own] - 1)
			if top := max(a, b); top > 0 {
				mean += (b - a) / top
			}
		}
	}
	return mean / float64(len(c.of)), least
}
