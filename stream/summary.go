package stream

// A weighted summary of more rows than memory holds. Rows are drawn with the probabilities of O. Bachem, M.
// Lucic and A. Krause, Scalable k-Means Clustering via Lightweight Coresets (2018): half by weight, half by
// squared distance from the mean. The outermost rows of the principal subspace are added. The smallest
// simplex around the data depends on them, and a draw would miss them.
//
// The draws deviate from the source: the probability is cut into as many equal shares as there are draws, and
// one falls into each. That takes one pass, and no estimate's variance is larger than with independent draws.

import (
	"math"
	"math/rand/v2"
	"slices"

	"softkmeans"
)

// The two outermost rows are taken along lines of the subspace: linesPerCenter for each of its directions and
// one more, at most mostLines. Of the ends of these lines one in k finds a given corner of a simplex.
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
	made     int     // draws so far
	below    float64 // the probability of all rows so far
	drawn    []drawnRow
	lines    *softkmeans.Matrix // in coordinates of the data: each row's product with x − mean is its reach
	extremes []drawnRow         // of each line: the upper, the lower
	reach    []float64          // of each extreme along its line
}

// drawnRow has a row, its number, and its weight. row nil: none yet.
type drawnRow struct {
	number int
	weight float64
	row    []float64
}

// newSummary returns an empty summary for at most size rows.
func newSummary(p *softkmeans.Subspace, size int, seed uint64) *summary {
	dims := p.Basis.Rows
	lines := min(linesPerCenter*(dims+1), mostLines, size/8)
	if dims <= 1 {
		lines = dims
	}
	s := &summary{p: p, draws: size - 2*lines, rng: rand.New(rand.NewPCG(seed, 0x5e9)),
		lines: softkmeans.NewMatrix(lines, p.Basis.Cols, nil), extremes: make([]drawnRow, 2*lines),
		reach: slices.Repeat([]float64{math.Inf(-1)}, 2*lines)}
	s.next = s.rng.Float64() / float64(s.draws)
	rng := rand.New(rand.NewPCG(0x11e5, 0)) // the lines are always the same
	for t := range lines {
		for c := range dims {
			// In units of each direction's spread: where the data is flat its corners would stand out too
			// little.
			spread := math.Sqrt(max(p.Squares[c]/p.Squares[0], 1e-12))
			if !(spread > 0) { // all squares are 0
				spread = 1
			}
			axpy(s.lines.Row(t), rng.NormFloat64()/spread, p.Basis.Row(c))
		}
	}
	return s
}

// found are a chunk's squared distances from the mean, and the extremes of its rows.
type found struct {
	reach []float64
	row   []int // -1: none
}

// add takes in the next block.
func (s *summary) add(b *block, workers int) error {
	n, squares := b.x.Rows, make([]float64, b.x.Rows)
	parts, faults := make([]found, chunks(n)), make([]error, chunks(n))
	inChunks(workers, n, func(chunk, lo, hi int) {
		f := found{slices.Clone(s.reach), slices.Repeat([]int{-1}, len(s.reach))}
		y := make([]float64, b.x.Cols)
		for i := lo; i < hi; i++ {
			if faults[chunk] = centre(y, b.x.Row(i), s.p.Mean, i); faults[chunk] != nil {
				return
			}
			squares[i] = dot(y, y)
			for t := 0; t < s.lines.Rows && b.weight(i) > 0; t++ {
				v := dot(s.lines.Row(t), y)
				if v > f.reach[2*t] {
					f.reach[2*t], f.row[2*t] = v, i
				}
				if -v > f.reach[2*t+1] {
					f.reach[2*t+1], f.row[2*t+1] = -v, i
				}
			}
		}
		parts[chunk] = f
	})
	for _, err := range faults {
		if err != nil {
			return err
		}
	}
	for _, f := range parts {
		for t, i := range f.row {
			if i >= 0 && f.reach[t] > s.reach[t] {
				s.reach[t] = f.reach[t]
				s.extremes[t] = drawnRow{b.first + i, b.weight(i), slices.Clone(b.x.Row(i))}
			}
		}
	}
	for i, v := range squares {
		s.draw(b, i, v)
	}
	return nil
}

// draw takes the row if draws fall on it.
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
		s.drawn = append(s.drawn,
			drawnRow{b.first + i, float64(count) * w / (float64(s.draws) * q), slices.Clone(b.x.Row(i))})
	}
}

// finish returns the rows in their order. Extremes have their own weight. Drawn rows stand for all others,
// and are scaled to add up to the weight of these.
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
