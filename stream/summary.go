package stream

// A weighted summary of more rows than memory holds. Rows are drawn with the probabilities of O. Bachem, M.
// Lucic and A. Krause, Scalable k-Means Clustering via Lightweight Coresets (2018): half by weight, half by
// squared distance from the mean. The outermost rows of the principal subspace are added. The smallest
// simplex around the data depends on them, and a random sample would miss them.
//
// Unlike the source, this sampling is stratified: the cumulative probability is divided into as many equal
// parts as rows are sampled, and one row is sampled in each part. That takes one pass, and the variance of no
// estimate is larger than with independent samples.

import (
	"math"
	"math/rand/v2"
	"slices"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/la"
)

// The two outermost rows along each of several random lines in the subspace are taken. There are
// linesPerCenter lines for each direction plus linesPerCenter more, at most mostLines, and at most an eighth
// of the size of the summary. On average one of k ends of lines is at a given corner of a simplex with k
// vertices.
const (
	linesPerCenter = 16
	mostLines      = 128
)

// summary collects rows in one pass.
type summary struct {
	p        *softkmeans.Subspace
	draws    int
	rng      *rand.Rand
	next     float64 // the probability at which the next row is drawn
	made     int     // the number of rows sampled so far
	below    float64 // the probability of all rows so far
	drawn    []drawnRow
	lines    *softkmeans.Matrix // in coordinates of the data: each row's product with x − mean is its reach
	extremes []drawnRow         // for each line the farthest row at its upper end, then at its lower end
}

// drawnRow is a row of the data with its number and its weight in the summary. row is nil if none was found
// yet.
type drawnRow struct {
	number int
	weight float64
	row    []float64
	reach  float64 // of an extreme along its line
}

// newSummary returns an empty summary for at most size rows.
func newSummary(p *softkmeans.Subspace, size int, seed uint64) *summary {
	dims := p.Basis.Rows
	lines := min(linesPerCenter*(dims+1), mostLines, size/8)
	if dims <= 1 {
		lines = dims
	}
	s := &summary{p: p, draws: size - 2*lines, rng: rand.New(rand.NewPCG(seed, 0x5e9)),
		lines:    softkmeans.NewMatrix(lines, p.Basis.Cols, nil),
		extremes: slices.Repeat([]drawnRow{{reach: math.Inf(-1)}}, 2*lines)}
	s.next = s.rng.Float64() / float64(s.draws)
	rng := rand.New(rand.NewPCG(0x11e5, 0)) // the lines are always the same
	for t := range lines {
		for c := range dims {
			// Lines are random in units of the spread of each direction. Otherwise corners of flat data would
			// be missed.
			spread := math.Sqrt(max(p.Squares[c]/p.Squares[0], 1e-12))
			if !(spread > 0) { // all squares are 0
				spread = 1
			}
			la.Axpy(s.lines.Row(t), rng.NormFloat64()/spread, p.Basis.Row(c))
		}
	}
	return s
}

// add offers the rows of the next block to the extremes and to the random sample.
func (s *summary) add(b *block, workers int) {
	y := b.x.Clone()
	for i := range y.Rows {
		la.Axpy(y.Row(i), -1, s.p.Mean)
	}
	draws.Run(workers, s.lines.Rows, func(t int) {
		for i := range y.Rows {
			w, v := b.weight(i), la.Dot(s.lines.Row(t), y.Row(i))
			for side, reach := range [2]float64{v, -v} {
				if e := &s.extremes[2*t+side]; w > 0 && reach > e.reach {
					*e = drawnRow{b.first + i, w, slices.Clone(b.x.Row(i)), reach}
				}
			}
		}
	})
	for i := range y.Rows {
		s.draw(b, i, la.SumSquares(y.Row(i)))
	}
}

// draw adds row i of b to the sample if one or more sampling points fall into the row's part of the
// cumulative probability. squares is the row's squared distance from the mean.
func (s *summary) draw(b *block, i int, squares float64) {
	w := b.weight(i)
	if w == 0 {
		return
	}
	q := w / s.p.Weight
	if s.p.Total > 0 {
		q = (q + w*squares/s.p.Total) / 2
	}
	s.below += q
	count := 0
	for ; s.next < s.below && s.made < s.draws; count++ {
		s.made++
		s.next = (float64(s.made) + s.rng.Float64()) / float64(s.draws)
	}
	if count > 0 {
		s.drawn = append(s.drawn, drawnRow{number: b.first + i, row: slices.Clone(b.x.Row(i)),
			weight: float64(count) * w / (float64(s.draws) * q)})
	}
}

// finish returns the rows in their order. Extremes keep their own weight. Sampled rows represent all rows
// that are not extreme, and their weights are scaled to the total weight of these rows.
func (s *summary) finish() *block {
	byNumber := func(a, b drawnRow) int { return a.number - b.number }
	extremes := slices.DeleteFunc(s.extremes, func(e drawnRow) bool { return e.row == nil })
	slices.SortFunc(extremes, byNumber)
	extremes = slices.CompactFunc(extremes, func(a, b drawnRow) bool { return a.number == b.number })
	drawn := slices.DeleteFunc(s.drawn, func(r drawnRow) bool {
		_, twice := slices.BinarySearchFunc(extremes, r, byNumber)
		return twice
	})
	rest, sum := s.p.Weight, 0.0
	for _, e := range extremes {
		rest -= e.weight
	}
	for _, r := range drawn {
		sum += r.weight
	}
	for i, r := range drawn {
		drawn[i].weight = r.weight * max(rest, 0) / sum
	}
	rows := append(extremes, drawn...)
	slices.SortFunc(rows, byNumber)
	b := &block{x: softkmeans.NewMatrix(len(rows), s.p.Basis.Cols, nil), weights: make([]float64, len(rows))}
	for i, r := range rows {
		copy(b.x.Row(i), r.row)
		b.weights[i] = r.weight
	}
	return b
}
