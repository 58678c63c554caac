package softkmeans

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
)

// The two outermost rows are taken along lines of the subspace: linesPerCenter for each
// of its directions and one more, at most mostLines. Of the ends of these lines one in k
// finds a given corner of a simplex of k corners.
const (
	linesPerCenter = 16
	mostLines      = 128
)

// summary is drawn in one pass over the rows of a subspace.
type summary struct {
	p        *Subspace
	draws    int
	rng      *rand.Rand
	next     float64 // the probability at which the next row is drawn
	made     int     // draws so far
	below    float64 // the probability of all rows so far
	drawn    []weightedRow
	lines    *Matrix // unit vectors in coordinates of unit variance
	stretch  []float64
	extremes []weightedRow // of each line: the upper, the lower; row nil: none yet
	reach    []float64     // of each extreme along its line
}

// weightedRow is a row with its number, and its weight in scaled units.
type weightedRow struct {
	number int
	weight float64
	row    []float64
}

// newSummary returns an empty summary for at most size rows.
func newSummary(p *Subspace, size int, seed uint64) *summary {
	d := p.pc.basis.Rows
	lines := min(linesPerCenter*(d+1), mostLines, size/8)
	if d <= 1 {
		lines = d
	}
	if !(p.pc.total > 0) {
		lines = 0
	}
	s := &summary{
		p: p, draws: size - 2*lines, rng: rand.New(rand.NewPCG(seed, 0x5e9)), lines: NewMatrix(lines, d, nil),
		extremes: make([]weightedRow, 2*lines), reach: slices.Repeat([]float64{math.Inf(-1)}, 2*lines),
	}
	s.next = s.rng.Float64() / float64(s.draws)
	// Unit variance in all directions: where the data is flat its corners would stand out too little.
	s.stretch = make([]float64, d)
	for c := range s.stretch {
		s.stretch[c] = 1
		if c < len(p.pc.squares) && p.pc.squares[0] > 0 {
			s.stretch[c] = 1 / math.Sqrt(max(p.pc.squares[c]/p.pc.squares[0], 1e-12))
		}
	}
	rng := rand.New(rand.NewPCG(0x11e5, 0)) // the lines are always the same
	for t := range lines {
		u := s.lines.row(t)
		for c := range u {
			u[c] = rng.NormFloat64()
		}
		scale(u, 1/norm2(u))
	}
	return s
}

// chunkExtremes are the candidates of a chunk for the extremes.
type chunkExtremes struct {
	reach []float64
	row   []int // in the block; -1: none
}

// add takes in the next block, whose rows are first, first+1, ….
func (s *summary) add(first int, part *samples) error {
	n, d, p := part.n, part.d, s.p.pc.basis.Rows
	squares := make([]float64, n)
	least := math.Inf(1) // rows nearer to the mean than that are no extremes
	for _, v := range s.reach {
		least = min(least, v)
	}
	found := make([]chunkExtremes, chunks(n, d, manyChunks))
	err := part.eachBlock(n, d, manyChunks, d+p, func(at block) {
		m := at.hi - at.lo
		rows, w := at.scratch[:m*d], at.scratch[m*d:m*(d+p)]
		part.pack(rows, at.lo, at.hi, false)
		clear(w)
		addMulNT(w, p, rows, m, s.p.pc.basis.Data, p, d, false)
		for i := range m {
			squares[at.lo+i] = sumSquares(rows[i*d : (i+1)*d])
		}
		s.compare(&found[at.chunk], part, at, w, least)
	})
	if err != nil {
		return err
	}
	for _, f := range found {
		for t := range f.reach {
			if i := f.row[t]; i >= 0 && f.reach[t] > s.reach[t] {
				s.reach[t] = f.reach[t]
				s.extremes[t] = weightedRow{first + i, part.weight(i),
					append(s.extremes[t].row[:0], part.x.row(i)...)}
			}
		}
	}
	s.draw(first, part, squares)
	return nil
}

// compare looks for extremes among a block's rows, given their coordinates w in the
// subspace, which it overwrites.
func (s *summary) compare(f *chunkExtremes, part *samples, at block, w []float64, least float64) {
	if f.reach == nil {
		f.reach, f.row = slices.Clone(s.reach), slices.Repeat([]int{-1}, len(s.reach))
	}
	p := len(s.stretch)
	for i := at.lo; i < at.hi; i++ {
		if part.weight(i) == 0 {
			continue
		}
		y := w[(i-at.lo)*p:][:p]
		var size float64
		for c := range y {
			y[c] *= s.stretch[c]
			size += y[c] * y[c]
		}
		if least > 0 && size < least*least*(1-0x1p-40) {
			continue
		}
		for t := range s.lines.Rows {
			var v float64
			for c, u := range s.lines.row(t) {
				v += u * y[c]
			}
			if v > f.reach[2*t] {
				f.reach[2*t], f.row[2*t] = v, i
			}
			if -v > f.reach[2*t+1] {
				f.reach[2*t+1], f.row[2*t+1] = -v, i
			}
		}
	}
}

// draw takes the rows of a block on which the draws fall.
func (s *summary) draw(first int, part *samples, squares []float64) {
	for i, v := range squares {
		w := part.weight(i)
		if w == 0 {
			continue
		}
		q := w / s.p.weight
		if s.p.pc.total > 0 {
			q = (q + w*v/s.p.pc.total) / 2
		}
		s.below += q
		count := 0
		for ; s.next < s.below && s.made < s.draws; count++ {
			s.made++
			s.next = (float64(s.made) + s.rng.Float64()) / float64(s.draws)
		}
		if count > 0 {
			s.drawn = append(s.drawn, weightedRow{first + i, float64(count) * w / (float64(s.draws) * q),
				slices.Clone(part.x.row(i))})
		}
	}
}

// finish returns the rows in their order. Extremes have their own weight. Drawn rows
// stand for all others, and are scaled to add up to the weight of these.
func (s *summary) finish() []weightedRow {
	byNumber := func(a, b weightedRow) int { return a.number - b.number }
	extremes := slices.DeleteFunc(s.extremes, func(e weightedRow) bool { return e.row == nil })
	slices.SortFunc(extremes, byNumber)
	extremes = slices.CompactFunc(extremes, func(a, b weightedRow) bool { return a.number == b.number })
	drawn := slices.DeleteFunc(s.drawn, func(r weightedRow) bool {
		_, found := slices.BinarySearchFunc(extremes, r, byNumber)
		return found
	})
	rest, sum := s.p.weight, 0.0
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
	return rows
}
