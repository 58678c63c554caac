package softkmeans

// A weighted summary of more rows than memory holds: rows drawn with the
// probabilities of O. Bachem, M. Lucic and A. Krause, Scalable k-Means Clustering via
// Lightweight Coresets (2018), half of it shared by weight and half by squared
// distance from the mean, and the rows that are extreme in the principal subspace, which
// a draw would miss and on which the smallest simplex around the data depends.
//
// The draws deviate from the source in that one falls into each of as many equal
// shares of the probability as there are draws, which takes one pass and makes no
// estimate's variance larger than that of independent draws.

import (
	"math"
	"math/rand/v2"
	"slices"
)

// The two outermost rows are taken along linesPerCenter lines for every direction of
// the subspace and one more, but along no more than mostLines: a corner of a simplex
// of k is outermost to one in k of their ends.
const (
	linesPerCenter = 16
	mostLines      = 128
)

// summary is drawn in one pass over the rows of a subspace.
type summary struct {
	p     *Subspace
	draws int
	rng   *rand.Rand
	next  float64 // probability at which the next row is drawn
	drawn int
	below float64 // probability of all rows so far
	chosen
	lines   *Matrix // unit vectors in coordinates of unit variance
	stretch []float64
	ends    []end // of each line: the upper, the lower
}

// chosen are rows with their numbers and weights, these in scaled units.
type chosen struct {
	numbers []int
	weights []float64
	rows    []float64
}

func (c *chosen) add(number int, weight float64, row []float64) {
	c.numbers, c.weights, c.rows = append(c.numbers, number), append(c.weights, weight), append(c.rows, row...)
}

// end is the row farthest out along a line.
type end struct {
	reach  float64
	number int
	weight float64
	row    []float64
}

// newSummary is for a summary of up to size rows.
func newSummary(p *Subspace, size int, seed uint64) *summary {
	d := p.pc.basis.Rows
	lines := min(linesPerCenter*(d+1), mostLines, size/8)
	if d <= 1 {
		lines = d
	}
	if !(p.pc.total > 0) {
		lines = 0
	}
	s := &summary{p: p, draws: size - 2*lines, rng: rand.New(rand.NewPCG(seed, 0x5e9)), lines: NewMatrix(lines, d, nil), ends: make([]end, 2*lines)}
	s.next = s.rng.Float64() / float64(s.draws)
	// Of unit variance: along a flat side of the data corners stand out as little as
	// the side is long.
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
	for t := range s.ends {
		s.ends[t].reach = math.Inf(-1)
	}
	return s
}

// take looks at the next piece.
func (s *summary) take(first int, part *samples) error {
	n, d, p := part.n, part.d, s.p.pc.basis.Rows
	squares := make([]float64, n)
	least := math.Inf(1) // a row nearer to the mean than that is no end
	for t := range s.ends {
		least = min(least, s.ends[t].reach)
	}
	type farthest struct {
		reach []float64
		row   []int // in the piece; -1: none
	}
	tasks := chunks(n, d, manyChunks)
	found := make([]farthest, tasks)
	err := part.eachBlock(n, d, manyChunks, d+p, func(at block) {
		m := at.hi - at.lo
		rows, w := at.scratch[:m*d], at.scratch[m*d:m*(d+p)]
		part.pack(rows, at.lo, at.hi, false)
		clear(w)
		addMulNT(w, p, rows, m, s.p.pc.basis.Data, p, d, false)
		f := &found[at.chunk]
		if f.reach == nil {
			f.reach, f.row = make([]float64, len(s.ends)), slices.Repeat([]int{-1}, len(s.ends))
			for t := range s.ends {
				f.reach[t] = s.ends[t].reach
			}
		}
		for i := range m {
			y := w[i*p : (i+1)*p]
			squares[at.lo+i] = sumSquares(rows[i*d : (i+1)*d])
			if part.weight(at.lo+i) == 0 {
				continue
			}
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
					f.reach[2*t], f.row[2*t] = v, at.lo+i
				}
				if -v > f.reach[2*t+1] {
					f.reach[2*t+1], f.row[2*t+1] = -v, at.lo+i
				}
			}
		}
	})
	if err != nil {
		return err
	}
	for _, f := range found {
		for t := range f.reach {
			if e, i := &s.ends[t], f.row[t]; i >= 0 && f.reach[t] > e.reach {
				*e = end{f.reach[t], first + i, part.weight(i), append(e.row[:0], part.x.row(i)...)}
			}
		}
	}
	s.draw(first, part, squares)
	return nil
}

// draw takes the rows of a piece on which the draws fall.
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
		for ; s.next < s.below && s.drawn < s.draws; count++ {
			s.drawn++
			s.next = (float64(s.drawn) + s.rng.Float64()) / float64(s.draws)
		}
		if count > 0 {
			s.add(first+i, float64(count)*w/(float64(s.draws)*q), part.x.row(i))
		}
	}
}

// finish returns the rows in their order. Ends have their own weight; drawn rows
// stand for all others, whose weight they are made to add up to.
func (s *summary) finish() *chosen {
	ends := slices.DeleteFunc(s.ends, func(e end) bool { return e.row == nil })
	slices.SortFunc(ends, func(a, b end) int { return a.number - b.number })
	ends = slices.CompactFunc(ends, func(a, b end) bool { return a.number == b.number })
	isEnd := func(number int) bool {
		_, found := slices.BinarySearchFunc(ends, number, func(e end, number int) int { return e.number - number })
		return found
	}
	rest := s.p.weight
	for _, e := range ends {
		rest -= e.weight
	}
	var sum float64
	for i, number := range s.numbers {
		if !isEnd(number) {
			sum += s.weights[i]
		}
	}
	out, d := &chosen{}, s.p.cols
	for i, number := range s.numbers {
		for len(ends) > 0 && ends[0].number <= number {
			out.add(ends[0].number, ends[0].weight, ends[0].row)
			ends = ends[1:]
		}
		if n := len(out.numbers); n == 0 || out.numbers[n-1] != number {
			out.add(number, s.weights[i]*max(rest, 0)/sum, s.rows[i*d:(i+1)*d])
		}
	}
	for _, e := range ends {
		out.add(e.number, e.weight, e.row)
	}
	return out
}
