package stream

// Passes over blocks. Rows are regrouped into blocks of a fixed size, so that results are bit-identical for
// any blocks of the caller and any number of workers.

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/fault"
)

// block contains the rows first, first+1, … of the data. Weights nil: all 1.
type block struct {
	first   int
	x       *softkmeans.Matrix
	weights []float64
}

func (b *block) weight(i int) float64 { return draws.Weight(b.weights, i) }

// passes reads the data again and again.
type passes struct {
	ctx      context.Context
	blocks   iter.Seq2[*softkmeans.Matrix, error]
	weights  []float64
	progress func(pass, rows int)
	// The caller's functions; nil: not asked for.
	memberships, probabilities func(first int, g *softkmeans.Matrix) error
	labels                     func(first int, labels []int) error

	clusters bool // the centers are means of clusters: see mixtures

	k      int // number of memberships of a row; the size of blocks depends on it, too
	pass   int
	rows   int // of the first pass
	cols   int // 0 until the first row
	buffer []float64
}

// check checks the arguments that are known before the first block.
func (p *passes) check() error {
	switch {
	case p.blocks == nil:
		return fault.New(softkmeans.ErrShape, "blocks is nil")
	case p.k < 1 || p.k > mostK:
		return fault.New(softkmeans.ErrOption, "k is ", p.k, ", not from 1 to ", mostK)
	}
	if err := draws.CheckWeights(p.weights, len(p.weights)); err != nil {
		return err
	}
	p.weights = counted(p.weights)
	return nil
}

// counted returns a copy of the weights in which those below 2^-500 of the heaviest are 0, as a table in
// memory has them: the blocks of a pass do not know the heaviest.
func counted(weights []float64) []float64 {
	top, out := 0.0, slices.Clone(weights)
	for _, w := range weights {
		top = max(top, w)
	}
	_, exp := math.Frexp(top)
	for i, w := range weights {
		if math.Ldexp(w, -exp) < 0x1p-500 {
			out[i] = 0
		}
	}
	return out
}

// blockRows returns the number of rows in a block for rows of d numbers (entries or memberships): 16 MB, but
// at least 24 and at most 8192 rows. A block of more than 240 rows takes at most 2^28 products (nd² for the
// statistics), some .05 s. The context is checked between blocks.
func blockRows(d int) int { return max(24, min(8192, 1<<21/max(d, 1), max(240, 1<<28/max(d*d, 1)))) }

// each makes a pass over the data. It regroups the rows, calls fn for every block, and returns the first
// error.
func (p *passes) each(fn func(b *block) error) error {
	p.pass++
	seen, wait := 0, 0 // rows passed to fn so far, and rows waiting in the buffer
	flush := func() error {
		b := &block{first: seen, x: softkmeans.NewMatrix(wait, p.cols, p.buffer)}
		seen, wait, p.buffer = seen+wait, 0, p.buffer[:0]
		if p.weights != nil {
			b.weights = p.weights[b.first:seen]
		}
		if err := fn(b); err != nil {
			return err
		}
		if p.progress != nil {
			p.progress(p.pass, seen)
		}
		return fault.Stopped(p.ctx)
	}
	p.buffer = p.buffer[:0] // it grows with the rows that come
	for x, err := range p.blocks {
		if err != nil {
			return fmt.Errorf("softkmeans: pass %d, after row %d: %w", p.pass, seen+wait, err)
		}
		if err := p.admit(x, seen+wait); err != nil {
			return err
		}
		for i := range x.Rows {
			p.buffer = append(p.buffer, x.Row(i)...)
			if wait++; wait == blockRows(max(p.cols, p.k)) {
				if err := flush(); err != nil {
					return err
				}
			}
		}
	}
	if wait > 0 {
		if err := flush(); err != nil {
			return err
		}
	}
	if err := p.count(seen, false); err != nil {
		return err
	}
	p.rows = seen
	return nil
}

// admit checks a block of the caller that follows `before` rows of the pass.
func (p *passes) admit(x *softkmeans.Matrix, before int) error {
	if err := fault.Stopped(p.ctx); err != nil {
		return err
	}
	if _, err := draws.InRange("x", x); err != nil {
		if e, ok := err.(*softkmeans.InputError); ok {
			e.Row += before
		}
		return err
	}
	switch {
	case x.Rows == 0:
		return nil
	case x.Cols == 0:
		return fault.New(softkmeans.ErrShape, "a block has no columns")
	case p.cols == 0:
		p.cols = x.Cols
	case p.cols != x.Cols:
		err := softkmeans.ErrShape
		if p.pass > 1 {
			err = errBoth
		}
		return fault.New(err, "pass ", p.pass, " has ", x.Cols, " columns after row ", before, ", ", p.cols,
			" before")
	}
	return p.count(before+x.Rows, true)
}

// count returns an error if the number of rows read in this pass contradicts the first pass or the weights,
// or is 0. more says that further rows may follow.
func (p *passes) count(rows int, more bool) error {
	not := func(want int) bool { return rows > want || rows < want && !more }
	switch {
	case p.pass > 1 && rows == 0:
		return fault.New(errBoth, "pass ", p.pass, " has no rows, pass 1 had ", p.rows,
			" (can the blocks be read again?)")
	case p.pass > 1 && not(p.rows):
		return fault.New(errBoth, "pass ", p.pass, " has ", rows, " rows, pass 1 had ", p.rows)
	case rows == 0:
		return fault.New(softkmeans.ErrTooFewSamples, "the blocks have no rows")
	case p.weights != nil && not(len(p.weights)):
		return fault.New(softkmeans.ErrShape, len(p.weights), " weights for ", rows, " rows")
	}
	return nil
}

// errBoth is for data of another shape in a later pass.
var errBoth = fmt.Errorf("%w: %w", softkmeans.ErrChanged, softkmeans.ErrShape)

// chunkRows is the number of rows of a task.
const chunkRows = 512

// inChunks calls fn for all chunks of n rows, on the given number of goroutines; 0: GOMAXPROCS.
func inChunks(workers, n int, fn func(chunk, lo, hi int)) {
	draws.Run(workers, chunks(n), func(c int) { fn(c, c*chunkRows, min((c+1)*chunkRows, n)) })
}

func chunks(n int) int { return (n + chunkRows - 1) / chunkRows }

// fine is a sum and its rounding errors (Knuth's two-sum): n terms above 0 are off by some n²·2^-106.
type fine struct{ sum, lost float64 }

func (s *fine) add(v float64) {
	sum := s.sum + v
	part := sum - s.sum
	s.lost += (s.sum - (sum - part)) + (v - part)
	s.sum = sum
}

func (s *fine) merge(t fine) {
	s.add(t.sum)
	s.lost += t.lost
}

// value returns the sum, or math.MaxFloat64 if the sum is out of range.
func (s fine) value() float64 {
	if v := s.sum + s.lost; v <= math.MaxFloat64 {
		return v
	}
	return math.MaxFloat64
}
