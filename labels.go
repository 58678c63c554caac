package softkmeans

// Hard labels: the largest membership, then the nearest mean in a metric of the clusters' own. A cluster
// between others is a mixture of these, and the largest membership gives its rows away. The means of the
// clusters so found lie inside of them, and the nearest mean takes many rows back. The metric is the inverse
// of the clusters' common scatter. Means, scatter and labels follow each other until they rest, as in H. P.
// Friedman and J. Rubin, On some invariant criteria for grouping data (J. Am. Stat. Assoc. 62, 1967): their
// criterion det W, or a mixture of Gaussians of one covariance with hard labels.

import (
	"context"
	"math"
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

// labelsOf returns dst, or new labels where dst is nil. It panics if they are not n.
func labelsOf(dst []int, n int) []int {
	if dst == nil {
		dst = make([]int, n)
	}
	if len(dst) != n {
		panic("softkmeans: dst has length " + strconv.Itoa(len(dst)) + " for " + strconv.Itoa(n) + " rows")
	}
	return dst
}

// labelRows is what labels take of sparse rows.
type labelRows interface {
	labelMeans(labels []int, centers *Matrix) (*Matrix, error)
	// nearest sets dst to the nearest mean of q for each row.
	nearest(dst []int, q metric) error
}

// labelMeans returns the means of labelled samples in the data's units, k×d. A cluster without rows of
// positive weight has its center.
func labelMeans(s *samples, labels []int, centers *Matrix) (*Matrix, error) {
	if s.far != nil {
		return s.far.(labelRows).labelMeans(labels, centers)
	}
	k, d := centers.Rows, s.d
	most := max(1, min(reduceChunks, s.n/(4*k))) // the sums take a quarter of X at most
	parts := make([]*Matrix, chunks(s.n, d, most))
	for t := range parts {
		parts[t] = NewMatrix(k, d+1, nil) // sums of packed rows, and of weights
	}
	err := s.eachBlock(s.n, d, most, d, func(at block) {
		rows := at.scratch[:(at.hi-at.lo)*d]
		s.pack(rows, at.lo, at.hi, false)
		for i := at.lo; i < at.hi; i++ {
			if w := s.weight(i); w > 0 {
				sums := parts[at.chunk].row(labels[i])
				axpy(sums[:d], w, rows[(i-at.lo)*d:][:d])
				sums[d] += w
			}
		}
	})
	out, sums := centers.Clone(), sumParts(parts)
	for j := range k {
		if w := sums.row(j)[d]; w > 0 {
			for i, v := range sums.row(j)[:d] {
				out.row(j)[i] = math.Ldexp(s.mean[i]+v/w, s.exp)
			}
		}
	}
	return out, err
}

// The iteration of labels takes labelDirections·k leading directions, or as many as there are, and ends
// after labelSteps steps; most end after fewer than ten. The scatter of the clusters is added to by
// labelRidge of its mean over the directions, for clusters of few rows. On 15 sets, and on some of the rows
// of eight, k−1 directions did worse; 3k+4, and ridges of 0.03 and 0.3, made no difference.
const (
	labelDirections = 2
	labelSteps      = 20
	labelRidge      = 0.1
)

// clusters is samples as their labels are found.
type clusters struct {
	s       *samples
	k       int
	basis   *Matrix   // p×d, orthonormal rows
	y       *Matrix   // the samples in the basis, less their mean, times 2^-exp: entries up to 1
	mean    []float64 // that mean, in the basis
	exp     int
	scatter *Matrix // of y, p×p
}

// openClusters takes samples to their leading directions.
func openClusters(s *samples, k int, lead *Matrix) (*clusters, error) {
	p := min(labelDirections*k, s.rankBound())
	if lead == nil {
		pc, err := findLeading(s, wanted{p, 0}, SolverAuto, toLabel)
		if err != nil {
			return nil, err
		}
		lead = pc.basis
	}
	p = min(p, lead.Rows)
	c := &clusters{s: s, k: k, basis: rowsOf(lead, 0, p), y: NewMatrix(s.n, p, nil), mean: make([]float64, p),
		scatter: NewMatrix(p, p, nil)}
	if err := changeBasis(s, c.y, c.basis); err != nil {
		return nil, err
	}
	total := 0.0
	for i := range s.n {
		axpy(c.mean, s.weight(i), c.y.row(i))
		total += s.weight(i)
	}
	scale(c.mean, 1/total)
	for i := range s.n {
		axpy(c.y.row(i), -1, c.mean)
	}
	_, c.exp = math.Frexp(maxAbs(c.y))
	scale(c.y.Data, math.Ldexp(1, -c.exp))
	const most = 256 // rows at a time
	plain, weighted := make([]float64, p*most), make([]float64, p*most)
	for lo := 0; lo < s.n; lo += most {
		b := min(most, s.n-lo)
		for i := range b {
			w := s.weight(lo + i)
			for a, v := range c.y.row(lo + i) {
				plain[a*b+i], weighted[a*b+i] = v, w*v
			}
		}
		addMulNT(c.scatter.Data, p, weighted, p, plain, p, b, false)
	}
	return c, nil
}

// findClusters moves labels, those of the largest memberships for centers, until they rest, and returns the
// means and axes of their clusters. lead are leading directions of the samples, or nil: they are found.
func findClusters(s *samples, labels []int, centers, lead *Matrix) (metric, error) {
	c, err := openClusters(s, centers.Rows, lead)
	if err != nil {
		return metric{}, err
	}
	axes, err := c.settle(labels, centers)
	if err != nil {
		return metric{}, err
	}
	means, err := labelMeans(s, labels, centers)
	return metric{means, axes}, err
}

// settle moves labels until each row is nearest to its own cluster's mean. It returns the axes of the metric,
// in the data's columns; nil where the rows are all the same.
func (c *clusters) settle(labels []int, centers *Matrix) (axes *Matrix, err error) {
	p := c.basis.Rows
	if !(trace(c.scatter) > 0) {
		return nil, nil
	}
	next := make([]int, c.s.n)
	for step := 0; ; step++ {
		means, within := c.within(labels, centers)
		inverse := NewMatrix(p, p, nil)
		if !cholesky(within.Data, p) {
			return nil, nil
		}
		cholInverse(inverse.Data, within.Data, p) // within is then L⁻¹
		if step == labelSteps {
			return c.axes(within), nil
		}
		if err := c.assign(next, means, inverse); err != nil {
			return nil, err
		}
		if slices.Equal(next, labels) {
			return c.axes(within), nil
		}
		copy(labels, next)
	}
}

// within returns the means of clusters, as labelMeans does, and their scatter with its ridge, as a lower
// triangle.
func (c *clusters) within(labels []int, centers *Matrix) (means, within *Matrix) {
	s, p := c.s, c.basis.Rows
	means, within = NewMatrix(c.k, p, nil), c.scatter.Clone()
	weights := make([]float64, c.k)
	for i, j := range labels {
		axpy(means.row(j), s.weight(i), c.y.row(i))
		weights[j] += s.weight(i)
	}
	for j, w := range weights {
		m := means.row(j)
		if w == 0 {
			c.place(m, centers.row(j))
			continue
		}
		scale(m, 1/w)
		for a, v := range m {
			axpy(within.row(a), -w*v, m)
		}
	}
	ridge := (labelRidge*max(0, trace(within)) + 0x1p-30*trace(c.scatter)) / float64(p)
	for a := range p {
		within.row(a)[a] = max(within.row(a)[a], 0) + ridge
	}
	return means, within
}

// place takes a center to the coordinates of y.
func (c *clusters) place(dst, center []float64) {
	s, row := c.s, make([]float64, c.s.d)
	for i, v := range center {
		row[i] = math.Ldexp(v, -s.exp) - s.mean[i]
	}
	for a := range dst {
		dst[a] = math.Ldexp(dot(row, c.basis.row(a))-c.mean[a], -c.exp)
	}
}

// assign sets dst to the nearest of means for each row, in the metric of an inverse scatter.
func (c *clusters) assign(dst []int, means, inverse *Matrix) error {
	p := c.basis.Rows
	vectors, half := NewMatrix(c.k, p, nil), make([]float64, c.k)
	for j := range c.k {
		for a := range p {
			vectors.row(j)[a] = dot(inverse.row(a), means.row(j))
		}
		half[j] = dot(vectors.row(j), means.row(j)) / 2
	}
	return c.s.eachBlock(c.s.n, p, manyChunks, c.k, func(at block) {
		scores := at.scratch[:(at.hi-at.lo)*c.k]
		clear(scores)
		addMulNT(scores, c.k, c.y.Data[at.lo*p:], at.hi-at.lo, vectors.Data, c.k, p, false)
		for i := at.lo; i < at.hi; i++ {
			row := scores[(i-at.lo)*c.k:][:c.k]
			axpy(row, -1, half)
			dst[i] = argmax(row)
		}
	})
}

// axes returns L⁻¹·basis, p×d, times a power of two: rows whose entries add up to less than 1 in size.
func (c *clusters) axes(inverse *Matrix) *Matrix {
	p := c.basis.Rows
	out, most := NewMatrix(p, c.s.d, nil), 0.0
	for a := range p {
		for b, v := range inverse.row(a)[:a+1] {
			axpy(out.row(a), v, c.basis.row(b))
		}
		size, _ := rowMaxAbs(out.row(a))
		most = max(most, size)
	}
	_, exp := math.Frexp(most * float64(c.s.d))
	scale(out.Data, math.Ldexp(1, -exp))
	return out
}

// metric has the means of clusters, and the axes along which their distances count; nil: all.
type metric struct{ means, axes *Matrix }

// nearest is nearestRows in the metric.
func (q metric) nearest(ctx context.Context, workers int, dst []int, x *Matrix) error {
	if q.axes == nil {
		return nearestRows(ctx, workers, dst, x, q.means)
	}
	from := q.means.row(0) // differences have their digits, however far the data is from 0
	y, err := alongAxes(ctx, workers, x, from, q.axes)
	if err != nil {
		return err
	}
	means, err := alongAxes(ctx, workers, q.means, from, q.axes)
	if err != nil {
		return err
	}
	return nearestRows(ctx, workers, dst, y, means)
}

// alongAxes returns (x − from)·axesᵀ.
func alongAxes(ctx context.Context, workers int, x *Matrix, from []float64, axes *Matrix) (*Matrix, error) {
	p, d := axes.Rows, x.Cols
	out := NewMatrix(x.Rows, p, nil)
	axes = axes.Clone() // without gaps
	err := eachBlock(ctx, workers, chunking{x.Rows, d, manyChunks}, d, func(at block) {
		rows := at.scratch[:(at.hi-at.lo)*d]
		for i := at.lo; i < at.hi; i++ {
			row := rows[(i-at.lo)*d:][:d]
			copy(row, x.row(i))
			axpy(row, -1, from)
		}
		addMulNT(out.Data[at.lo*p:at.hi*p], p, rows, at.hi-at.lo, axes.Data, p, d, false)
	})
	return out, err
}

// nearestRows sets dst to the nearest vector for each row of x, the lowest index where
// distances agree to rounding. All entries are in range.
func nearestRows(ctx context.Context, workers int, dst []int, x, vectors *Matrix) error {
	clear(dst)
	p := newSimplexProblem(vectors, SumToOne)
	if p.flat {
		return nil
	}
	half := make([]float64, p.k)
	for j := range half {
		half[j] = sumSquares(p.vertices.row(j)) / 2
	}
	return eachBlock(ctx, workers, chunking{x.Rows, p.d, manyChunks}, p.d+p.k, func(at block) {
		b := p.products(at, x)
		for i := at.lo; i < at.hi; i++ {
			row := b[(i-at.lo)*p.k:][:p.k]
			size, _ := rowMaxAbs(row)
			for j, v := range row { // rounding keeps coincident vectors apart
				if v-half[j] > row[dst[i]]-half[dst[i]]+float64(p.d+4)*0x1p-52*max(size, half[j]) {
					dst[i] = j
				}
			}
		}
	})
}
