package softkmeans

// The global solution of data that is read block by block, in memory that does not depend on the number of
// rows. stats.go has the sums of the first pass, subspace.go those of the second.

import (
	"context"
	"iter"
	"math"
	"strconv"
)

// defaultPasses bounds those of SolverKrylov.
const defaultPasses = 30

// fewestPasses: the mean, one step, its residuals, the extent.
const fewestPasses = 4

// FitSeq is [Fit] for data larger than memory. blocks yields the rows, some at a time. It
// must yield the same rows for every pass: from a file that it opens anew each time, for
// example. Blocks may have any number of rows, each in the range of the package as a table
// of its own, and blocks may use their memory again once the next one is asked for.
//
// The result is that of Fit but for rounding and for Memberships, which are nil. Options.Memberships
// receives them block by block, or [Model.Predict] finds those of any rows. The result has the same bits
// however the rows are cut into blocks, and for any number of workers.
//
// The first pass finds the mean and the scatter, the second how far the data reaches in the principal
// subspace, and the objective. With Options.Memberships a third computes these, and the objective from them.
//
// SolverAuto is SolverGram up to 2048 columns, and SolverKrylov beyond; SolverJacobi is an [ErrOption].
// SolverGram's floor has no digits below d·2^-52 of the total. SolverKrylov makes at most Options.Passes
// passes: one for the mean, one a step, one to five to prove its floor as a rule, and the last as above.
// Where these do not reach its tolerance, as for spectra that do not fall, Status is StatusIterationLimit.
// Objective and Floor may then both be off the minimum, which SolverGram finds.
//
// Data that changes between passes is an [ErrChanged], as far as counts, squares and the floor show it.
// Another number of rows or of columns is an [ErrShape] as well. Errors of blocks and of Options.Memberships
// are wrapped, with the pass and the row that they came after; those of ctx come within one block.
//
// Cost: that of Fit. Memory: a block of 16 MB or of 24 rows, whichever is more, and as much for its
// memberships; with SolverGram some 50·d² bytes more, 230 MB in all for 2048 columns; with SolverKrylov
// 8·d·max(96, 4(k+7)).
func FitSeq(ctx context.Context, blocks iter.Seq2[*Matrix, error], k int, opts *Options) (*Model, error) {
	o := orZero(opts)
	err := firstError(o.only("FitSeq", "Weights", "Enclosure", "Solver", "Orientation", "Progress",
		"Memberships", "Passes"), checkFit(k, &o))
	if err != nil {
		return nil, err
	}
	q := &sequence{ctx: ctx, blocks: blocks, o: &o, members: k}
	if err := q.check(); err != nil {
		return nil, err
	}
	if o.Solver == SolverJacobi {
		return nil, fail(ErrOption, "Solver is jacobi, which takes no blocks of rows")
	}
	if n := o.Passes; n < 0 || n > 0 && n < fewestPasses {
		return nil, fail(ErrOption,
			"Passes is "+strconv.Itoa(n)+", at least "+strconv.Itoa(fewestPasses)+" are needed")
	}
	if o.Weights != nil {
		if err := checkSquareOfK(k); err != nil { // of the problem of rows of weight 0
			return nil, err
		}
	}
	p, err := q.subspace(k)
	if err != nil {
		return nil, err
	}
	m, e, err := q.reach(p)
	if err != nil || o.Memberships == nil {
		return m, err
	}
	return q.memberships(p, &p.pc, m, p.fill(e, m.Centers))
}

// fill returns what fills in the memberships of a block.
func (p *StreamSubspace) fill(e *Extent, centers *Matrix) func(s *samples, g *Matrix) error {
	around, dims := p.enclose(e), p.pc.basis.Rows
	return func(s *samples, g *Matrix) error {
		err := changeBasis(s, leftColumns(g, dims), p.pc.basis)
		if err == nil {
			err = fillMemberships(s, g, dims, around)
		}
		if err != nil {
			return err
		}
		return solveRows(s, centers, g, SumToOne, s.zeroWeights())
	}
}

// reach makes the pass for the extent, and the model.
func (q *sequence) reach(p *StreamSubspace) (*Model, *Extent, error) {
	e := new(Extent)
	err := q.each(func(at rowBlock) error { return e.add(q.ctx, p, at.x, at.weights, q.o.Workers) })
	if err != nil {
		return nil, nil, err
	}
	m, err := p.Model(e)
	return m, e, err
}

// sequence makes passes over blocks of its own, the same in every pass and whatever blocks the rows come in.
type sequence struct {
	ctx     context.Context
	blocks  iter.Seq2[*Matrix, error]
	o       *Options
	pass    int
	rows    int // of the first pass
	cols    int // 0 until the first row
	buffer  *Matrix
	members int // memberships of a row, which limit the blocks too
}

func (q *sequence) check() error {
	if q.blocks == nil {
		return fail(ErrShape, "blocks is nil")
	}
	return firstError(checkCount("Workers", q.o.Workers), checkWeights(q.o.Weights, len(q.o.Weights)))
}

// rowBlock has the rows first, first+1, …
type rowBlock struct {
	first   int
	x       *Matrix
	weights []float64 // nil: all 1
}

// streamRows returns how many rows of length d, entries or memberships, a block has: 16 MB, but from 24 to
// 8192 rows. internal/rows and examples/beam read as many at once, so that no row is copied here.
func streamRows(d int) int { return max(24, min(8192, 1<<21/max(d, 1))) }

// cutter is the state of a pass.
type cutter struct {
	*sequence
	fn    func(at rowBlock) error
	count int // rows that fn has seen
	fill  int // rows that wait in the buffer
}

// each makes a pass and calls fn for every block. Where an error of fn names a row it counts from the first.
func (q *sequence) each(fn func(at rowBlock) error) error {
	q.pass++
	c := &cutter{sequence: q, fn: fn}
	for x, err := range q.blocks {
		if err != nil {
			return fail(err, "pass "+strconv.Itoa(q.pass)+", after row "+strconv.Itoa(c.count+c.fill))
		}
		if err := c.add(x); err != nil {
			return err
		}
	}
	if err := c.flush(); err != nil {
		return err
	}
	switch rows := c.count; {
	case q.pass > 1 && rows != q.rows:
		return q.otherLength(strconv.Itoa(rows))
	case rows == 0:
		return fail(ErrTooFewSamples, "the blocks have no rows")
	case q.o.Weights != nil && len(q.o.Weights) != rows:
		return fail(ErrShape, strconv.Itoa(len(q.o.Weights))+" weights for "+strconv.Itoa(rows)+" rows")
	}
	q.rows = c.count
	return cancelled(q.ctx)
}

// add takes a block of the caller's. Whole blocks within it are views; other rows wait in the buffer.
func (c *cutter) add(x *Matrix) error {
	if stopped(c.ctx) {
		return cancelled(c.ctx)
	}
	if err := checkShape("a block", x); err != nil {
		return err
	}
	if x.Rows == 0 {
		return nil
	}
	if err := c.checkWidth(x); err != nil {
		return err
	}
	if x.Rows > math.MaxInt-c.count-c.fill || c.pass > 1 && x.Rows > c.rows-c.count-c.fill {
		return c.otherLength("more")
	}
	step := streamRows(max(c.cols, c.members))
	for lo, n := 0, 0; lo < x.Rows; lo += n {
		n = min(step-c.fill, x.Rows-lo)
		if n == step {
			if err := c.call(rowsOf(x, lo, lo+step)); err != nil {
				return err
			}
			continue
		}
		if c.buffer == nil {
			c.buffer = NewMatrix(0, c.cols, nil)
		}
		c.buffer.Data = c.buffer.Data[:c.fill*c.cols] // it grows with the rows that come
		for i := range n {
			c.buffer.Data = append(c.buffer.Data, x.row(lo+i)...)
		}
		if c.fill += n; c.fill == step {
			if err := c.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush calls fn for the rows in the buffer.
func (c *cutter) flush() error {
	if c.fill == 0 {
		return nil
	}
	c.buffer.Rows, c.fill = c.fill, 0
	return c.call(c.buffer)
}

// call calls fn, and then Progress, for the next rows.
func (c *cutter) call(x *Matrix) error {
	at := rowBlock{first: c.count, x: x}
	c.count += x.Rows
	if w := c.o.Weights; w != nil {
		if c.count > len(w) {
			return fail(ErrShape, strconv.Itoa(len(w))+" weights for more rows")
		}
		at.weights = w[at.first:c.count]
	}
	if err := c.fn(at); err != nil {
		if e, ok := err.(*InputError); ok { // not of the caller's functions, whose errors are wrapped
			e.Row += at.first
		}
		return err
	}
	if c.o.Progress != nil {
		c.o.Progress(Iteration{Pass: c.pass, Rows: c.count})
	}
	return cancelled(c.ctx)
}

// again makes a pass over the rows about the mean of p. Their squares must add up to p's total.
func (q *sequence) again(p *StreamSubspace, fn func(at rowBlock, s *samples) error) error {
	var squares float64
	err := q.each(func(at rowBlock) error {
		s, err := p.part(q.ctx, at.x, at.weights, q.o.Workers)
		if err != nil {
			return err
		}
		more, _, err := s.totalSquares()
		if err != nil {
			return err
		}
		squares += more
		return fn(at, s)
	})
	if err == nil {
		err = p.sameSquares(squares)
	}
	return err
}

// checkWidth compares a block's width with those before.
func (q *sequence) checkWidth(x *Matrix) error {
	switch {
	case x.Cols == 0:
		return fail(ErrShape, "a block has no columns")
	case q.cols == 0:
		q.cols = x.Cols
	case q.cols != x.Cols && q.pass > 1:
		return &otherShape{problem{"pass " + strconv.Itoa(q.pass) + " has " + strconv.Itoa(x.Cols) +
			" columns, pass 1 had " + strconv.Itoa(q.cols), ErrChanged}}
	case q.cols != x.Cols:
		return fail(ErrShape,
			"a block has "+strconv.Itoa(x.Cols)+" columns, those before have "+strconv.Itoa(q.cols))
	}
	return nil
}

// otherLength is the error of a pass with another number of rows.
func (q *sequence) otherLength(rows string) error {
	text := "pass " + strconv.Itoa(q.pass) + " has " + rows + " rows, pass 1 had " + strconv.Itoa(q.rows)
	if rows == "0" {
		text += "; can the blocks be read again?"
	}
	return &otherShape{problem{text, ErrChanged}}
}

// subspace makes all passes but those for the extent and the memberships.
func (q *sequence) subspace(k int) (*StreamSubspace, error) {
	s, err := q.statistics(k, nil)
	if err != nil {
		return nil, err
	}
	pc, _, err := q.principalFor(s, k, SumToOne)
	if err != nil {
		return nil, err
	}
	return newSubspace(s.moments, pc, k, q.o), nil
}

// principalFor finds the directions for k centers, about 0 for SumAtMostOne. It returns the mean as well.
func (q *sequence) principalFor(s *statistics, k int, sum Sum) (pc *principal, mean []float64, err error) {
	mean = s.mean
	if sum == SumAtMostOne {
		mean = s.aboutZero()
	}
	pc, err = q.principal(s, min(directionsOf(k, sum), s.cols))
	return pc, mean, err
}

func (s *statistics) aboutZero() (mean []float64) {
	if s.scatter == nil {
		s.total += s.weight * (sumSquares(s.mean) + 2*dot(s.mean, s.meanRest))
		s.scatterOff += 0x1p-50 * s.total
	}
	return s.Stats.aboutZero()
}

// statistics are what the first pass finds: the moments, and what the solver needs.
type statistics struct {
	Stats
	total float64 // of SolverKrylov
}

func (q *sequence) solver() Solver {
	return chooseSolver(q.o.Solver, streamedRows, toFit, 0, q.cols, 0).first
}

// statistics makes the first pass. also, unless it is nil, is called for every block too.
func (q *sequence) statistics(k int, also func(at rowBlock)) (*statistics, error) {
	var s statistics
	err := q.each(func(at rowBlock) error {
		if at.first == 0 {
			if err := checkSizeOfK(k, k, max(q.cols, 24)); err != nil {
				return err
			}
		}
		if also != nil {
			also(at)
		}
		part, m, err := newPart(q.ctx, &s.moments, at.x, at.weights, q.o.Workers)
		switch {
		case err != nil || part == nil:
			return err
		case q.solver() == SolverGram:
			return s.addPart(part, m)
		default:
			return s.addTotal(part, m)
		}
	})
	if err == nil && s.weight == 0 {
		err = fail(ErrTooFewSamples, "every weight is 0")
	}
	return &s, err
}

// addTotal adds to Σw‖x − mean‖² alone.
func (s *statistics) addTotal(part *samples, t *moments) error {
	squares, off, err := part.totalSquares()
	if err != nil {
		return err
	}
	t.setErrors(part, squares, off)
	j := s.join(t)
	switch {
	case j.second:
		s.total = squares
	case j.shift != nil:
		s.total = math.Ldexp(s.total, j.own) + math.Ldexp(squares, j.other) + j.weight*sumSquares(j.shift)
		s.scatterOff += gamma(dotDepth(part.d)+8) * s.total
	}
	return nil
}

// principal finds the p leading directions, p ≤ d, with as many passes as the solver needs.
func (q *sequence) principal(s *statistics, p int) (*principal, error) {
	if gramOnly || q.solver() == SolverGram {
		return s.principal(q.ctx, p, q.o.Workers)
	}
	return q.principalKrylov(s, p)
}

// principalKrylov makes a pass for every product with the data.
func (q *sequence) principalKrylov(s *statistics, p int) (*principal, error) {
	m := &s.moments
	fine := meanRest{rest: m.meanRest, mass: m.weight}
	data := &StreamSubspace{moments: *m, k: 1, pc: principal{total: s.total}}
	normal := func(vt *Matrix) (*Matrix, error) {
		sum := NewMatrix(vt.Rows, m.cols, nil)
		err := q.again(data, func(_ rowBlock, s *samples) error {
			y, err := normalProduct(s, vt)
			if err == nil {
				axpy(sum.Data, 1, y.Data)
			}
			return err
		})
		fine.takeFrom(sum, vt)
		return sum, err
	}
	r := krylovData{
		ctx: q.ctx, small: min(m.rows, m.cols), d: m.cols, rank: m.rankBound(), total: s.total,
		totalError: m.scatterOff, mean: math.Sqrt(m.weight) * m.meanOff,
		leading: func(p int, o krylovOptions) (*krylovResult, error) {
			return krylov(q.ctx, m.cols, normal, p, o)
		},
		measure: func(left *outside) error {
			return q.again(data, func(_ rowBlock, s *samples) error { return left.add(s) })
		},
	}
	steps := orDefault(q.o.Passes, defaultPasses) - fewestPasses + 1
	return r.principal(wanted{p, 0}, krylovOptions{steps: steps})
}

// memberships makes the last pass, which hands out what fill finds for each block about p's mean, and rates
// the objective of that by pc.
func (q *sequence) memberships(p *StreamSubspace, pc *principal, m *Model,
	fill func(s *samples, g *Matrix) error) (*Model, error) {
	var objective fineSum
	err := q.again(p, func(at rowBlock, s *samples) error {
		g := NewMatrix(s.n, p.k, nil)
		if err := fill(s, g); err != nil {
			return err
		}
		// p may be about the mean, from which only rows that add up to 1 are measured
		if m.Sum == SumAtMostOne {
			s.mean = make([]float64, s.d)
		}
		sum, err := objectiveOf(s, m.Centers, g, m.Sum)
		if err != nil {
			return err
		}
		objective.add(sum)
		return q.deliver(at.first, g)
	})
	if err != nil {
		return nil, err
	}
	return m.rate(p.frame(q.ctx, q.o.Workers), objective.value()*(1+1.01*gamma(fineDepth(p.rows))), pc)
}

// deliver gives the memberships from row first on to the caller.
func (q *sequence) deliver(first int, g *Matrix) error {
	if err := q.o.Memberships(first, g); err != nil {
		return fail(err, "memberships from row "+strconv.Itoa(first))
	}
	return cancelled(q.ctx)
}
