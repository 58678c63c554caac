package softkmeans

// The global solution of data that is read block by block, in memory that does not depend
// on the number of rows. The first pass finds the mean and the scatter (stats.go), the
// second what depends on the subspace (subspace.go).

import (
	"context"
	"iter"
	"math"
	"strconv"
)

// streamGramSide is the largest number of columns for which SolverAuto forms the
// scatter matrix: three matrices of 32 MB. Beyond, SolverKrylov reads the data more
// often and needs no such matrix.
const streamGramSide = 2048

// defaultPasses bounds those of SolverKrylov.
const defaultPasses = 30

// fewestPasses: the mean, one step, its residuals, the extent.
const fewestPasses = 4

// FitSeq is [Fit] for data larger than memory. blocks yields the rows, some at a time. It
// must yield the same rows for every pass: from a file that it opens anew each time, for
// example. Blocks may have any number of rows, each in the range of the package as a table
// of its own, and blocks may use their memory again once the next one is asked for.
//
// The result is that of Fit but for rounding and for Memberships, which are nil.
// SeqOptions.Memberships receives them block by block, or [Model.Predict] finds those of
// any rows. The result has the same bits however the rows are cut into blocks, and for any
// number of workers.
//
// The first pass finds the mean and the scatter. The second finds how far the data
// reaches in the principal subspace, and the objective. With SeqOptions.Memberships a
// third pass computes these, and the objective from them.
//
// SolverAuto is SolverGram up to 2048 columns, and SolverKrylov beyond. SolverGram's floor
// has no digits below d·2^-52 of the total. SolverJacobi keeps those digits, at 2nd² in
// place of nd² multiplications and one QR factorization of (2d+1)×d for every block.
// SolverKrylov makes at most SeqOptions.Passes passes: one for the mean, one a step, one
// for the residuals that prove its floor, and the last as above. Where these do not reach
// its tolerance, as for spectra that do not fall, Status is StatusIterationLimit. Gap is
// then how far the objective is above the floor, either of which may be off the minimum;
// SolverGram finds it.
//
// Data that changes between passes is an [ErrChanged], as far as the counts and the sum of
// squares of every pass show it. Another number of rows or of columns is an [ErrShape] as
// well. Errors of blocks and of SeqOptions.Memberships are returned wrapped, with the
// pass and the row that they came after; those of ctx within one block.
//
// Cost: that of Fit. Memory: a block of 16 MB or of 24 rows, whichever is more, and as
// much for its memberships. SolverGram and SolverJacobi take some 50·d² bytes more, 230 MB
// in all for 2048 columns; SolverKrylov takes 8·d·max(96, 4(k+7)).
func FitSeq(ctx context.Context, blocks iter.Seq2[*Matrix, error], k int, opts *Options) (*Model, error) {
	o := orZero(opts)
	if err := firstError(checkFit(k, &o), checkCount("Workers", o.Workers)); err != nil {
		return nil, err
	}
	q := &sequence{ctx: ctx, blocks: blocks, o: &o, members: k}
	switch {
	case blocks == nil:
		return nil, fail(ErrShape, "blocks is nil")
	case o.Seq.Passes < 0 || o.Seq.Passes > 0 && o.Seq.Passes < fewestPasses:
		return nil, fail(ErrOption, "Passes is "+strconv.Itoa(o.Seq.Passes)+", at least "+strconv.Itoa(fewestPasses)+" are needed")
	case o.Weights != nil:
		// For the size see solveZeroWeights.
		if err := firstError(checkSizeOfK(k, k+1, k+1), checkWeights(o.Weights, len(o.Weights))); err != nil {
			return nil, err
		}
	}
	p, err := q.subspace(k)
	if err != nil {
		return nil, err
	}
	var e Extent
	if err := q.each(func(at rowBlock) error { return e.add(ctx, p, at.x, at.weights, o.Workers) }); err != nil {
		return nil, err
	}
	m, err := p.Model(&e)
	if err != nil {
		return nil, err
	}
	if o.Seq.Memberships != nil {
		if err := q.memberships(p, p.enclose(&e), m); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// sequence makes passes over the blocks. It cuts the rows into blocks of its own, the same
// in every pass and whatever blocks they come in.
type sequence struct {
	ctx    context.Context
	blocks iter.Seq2[*Matrix, error]
	o      *Options
	pass   int
	rows   int // of the first pass
	cols   int // 0 until the first row
	buffer *Matrix
	// members is how many memberships are made of a row, which limits the blocks too.
	members int
}

// rowBlock is one of them: rows first, first+1, …
type rowBlock struct {
	first   int
	x       *Matrix
	weights []float64 // nil: all 1
}

// streamRows is how many rows of length d, entries or memberships, a block has: 16 MB of
// them, but from 24 to 8192 rows. With 8192 the work for each block no longer counts.
// internal/rows and examples/beam read as many at once, so that no row is copied here.
func streamRows(d int) int { return max(24, min(8192, 1<<21/max(d, 1))) }

// cutter is the state of a pass.
type cutter struct {
	*sequence
	fn    func(at rowBlock) error
	count int // rows that fn has seen
	fill  int // rows that wait in the buffer
}

// each makes a pass and calls fn for every block. Errors of fn about a row of x or its
// weight are changed to count from the first row of all.
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
	rows := c.count
	switch {
	case q.pass > 1 && rows != q.rows:
		return q.otherLength(strconv.Itoa(rows))
	case rows == 0:
		return fail(ErrTooFewSamples, "the blocks have no rows")
	case q.o.Weights != nil && len(q.o.Weights) != rows:
		return fail(ErrShape, strconv.Itoa(len(q.o.Weights))+" weights for "+strconv.Itoa(rows)+" rows")
	}
	q.rows = rows
	return cancelled(q.ctx)
}

// add takes a block of the caller's. Whole blocks within it are views, other rows wait in
// the buffer for those that follow.
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
		return c.otherLength(">")
	}
	step := streamRows(max(c.cols, c.members))
	for lo := 0; lo < x.Rows; {
		if c.fill == 0 && x.Rows-lo >= step {
			view := &Matrix{Rows: step, Cols: x.Cols, Stride: x.Stride, Data: x.Data[lo*x.Stride : (lo+step-1)*x.Stride+x.Cols]}
			if err := c.call(view); err != nil {
				return err
			}
			lo += step
			continue
		}
		if c.buffer == nil {
			c.buffer = NewMatrix(0, c.cols, nil)
		}
		n := min(step-c.fill, x.Rows-lo)
		c.buffer.Data = c.buffer.Data[:c.fill*c.cols] // it grows with the rows that come
		for i := range n {
			c.buffer.Data = append(c.buffer.Data, x.row(lo+i)...)
		}
		lo, c.fill = lo+n, c.fill+n
		if c.fill == step {
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
		return at.locate(err)
	}
	if c.o.Progress != nil {
		c.o.Progress(Iteration{Pass: c.pass, Rows: c.count})
	}
	return cancelled(c.ctx)
}

// again makes a pass over the rows about the mean of p. Their squares must add up to p's
// total.
func (q *sequence) again(p *Subspace, fn func(at rowBlock, s *samples) error) error {
	var squares float64
	err := q.each(func(at rowBlock) error {
		s, err := p.part(q.ctx, at.x, at.weights, q.o.Workers)
		if err != nil {
			return err
		}
		more, err := s.totalSquares()
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
		return &otherShape{problem{"pass " + strconv.Itoa(q.pass) + " has " + strconv.Itoa(x.Cols) + " columns, pass 1 had " + strconv.Itoa(q.cols), ErrChanged}}
	case q.cols != x.Cols:
		return fail(ErrShape, "a block has "+strconv.Itoa(x.Cols)+" columns, those before have "+strconv.Itoa(q.cols))
	}
	return nil
}

// otherLength is the error of a pass with another number of rows.
func (q *sequence) otherLength(rows string) error {
	text := "pass " + strconv.Itoa(q.pass) + " has " + rows + " rows, pass 1 had " + strconv.Itoa(q.rows)
	switch rows {
	case "0":
		text += "; can the blocks be read again?"
	case ">":
		text = "pass " + strconv.Itoa(q.pass) + " has more than the " + strconv.Itoa(q.rows) + " rows of pass 1"
	}
	return &otherShape{problem{text, ErrChanged}}
}

// locate makes an error's row count from the first of all. Errors of the caller's
// functions, which are wrapped, are left as they are.
func (at rowBlock) locate(err error) error {
	if e, ok := err.(*InputError); ok {
		e.Row += at.first
	}
	return err
}

// subspace makes all passes but those for the extent and the memberships.
func (q *sequence) subspace(k int) (*Subspace, error) {
	s, err := q.statistics(k, nil)
	if err != nil {
		return nil, err
	}
	pc, err := q.principal(s, min(k-1, s.cols))
	if err != nil {
		return nil, err
	}
	return newSubspace(s.moments, pc, k, q.o), nil
}

// statistics are what the first pass finds: the moments, and what the solver needs.
type statistics struct {
	Stats
	triangle factor  // of SolverJacobi
	total    float64 // of SolverKrylov
}

// factor is R with RᵀR the scatter matrix, but for the rounding of the blocks' means:
// the trace is too large by off.
type factor struct {
	r   *Matrix
	off float64
}

// statistics makes the first pass. also, unless it is nil, is called for every block too.
func (q *sequence) statistics(k int, also func(at rowBlock)) (*statistics, error) {
	var s statistics
	err := q.each(func(at rowBlock) error {
		if q.cols > streamGramSide && q.o.Solver == SolverAuto {
			q.o.Solver = SolverKrylov
		}
		if at.first == 0 {
			if err := checkSizeOfK(k, k, max(q.cols, 24)); err != nil {
				return err
			}
		}
		if also != nil {
			also(at)
		}
		switch {
		case gramOnly || q.o.Solver <= SolverGram:
			return s.add(q.ctx, at.x, at.weights, q.o.Workers)
		case q.o.Solver == SolverJacobi:
			return s.addTriangle(q.ctx, at, q.o.Workers)
		default:
			return s.addTotal(q.ctx, at, q.o.Workers)
		}
	})
	if err == nil && s.weight == 0 {
		err = fail(ErrTooFewSamples, "every weight is 0")
	}
	return &s, err
}

// addTriangle merges R factors as Stats.merge does scatter matrices, which are RᵀR: the
// new one is that of both and of a row √weight·shift, one above the other.
func (s *statistics) addTriangle(ctx context.Context, at rowBlock, workers int) error {
	part, t, err := newPart(ctx, &s.moments, at.x, at.weights, workers)
	if err != nil || part == nil {
		return err
	}
	r, err := triangularFactor(part)
	if err != nil {
		return err
	}
	d := part.d
	if err := checkSize("a stack of two factors", 2*d+1, d); err != nil {
		return err
	}
	f, off := &s.triangle, t.weight*sumSquares(t.meanRest)
	j := s.join(t)
	switch {
	case j.second:
		*f = factor{r, off}
	case j.shift != nil:
		stack := NewMatrix(2*d+1, d, nil)
		copy(stack.Data, f.r.Data)
		copy(stack.Data[d*d:], r.Data)
		scale(stack.Data[:d*d], math.Sqrt(math.Ldexp(1, j.own)))
		scale(stack.Data[d*d:2*d*d], math.Sqrt(math.Ldexp(1, j.other)))
		axpy(stack.row(2*d), math.Sqrt(j.weight), j.shift)
		qrReduce(ctx, stack)
		copy(f.r.Data, stack.Data[:d*d])
		f.off = math.Ldexp(f.off, j.own) + math.Ldexp(off, j.other)
	}
	return cancelled(ctx)
}

// addTotal adds to Σw‖x − mean‖² alone.
func (s *statistics) addTotal(ctx context.Context, at rowBlock, workers int) error {
	part, t, err := newPart(ctx, &s.moments, at.x, at.weights, workers)
	if err != nil || part == nil {
		return err
	}
	squares, err := part.totalSquares()
	if err != nil {
		return err
	}
	squares = max(squares-t.weight*sumSquares(t.meanRest), 0)
	j := s.join(t)
	switch {
	case j.second:
		s.total = squares
	case j.shift != nil:
		s.total = math.Ldexp(s.total, j.own) + math.Ldexp(squares, j.other) + j.weight*sumSquares(j.shift)
	}
	return nil
}

// principal finds the p leading directions, p ≤ d, with as many passes as the solver needs.
func (q *sequence) principal(s *statistics, p int) (*principal, error) {
	switch {
	case gramOnly || q.o.Solver <= SolverGram:
		return s.principal(q.ctx, p, q.o.Workers)
	case q.o.Solver == SolverJacobi:
		return s.principalOfTriangle(q.ctx, p)
	default:
		return q.principalKrylov(s, p)
	}
}

// principalOfTriangle takes the singular values of R.
func (s *statistics) principalOfTriangle(ctx context.Context, p int) (*principal, error) {
	pc, values, err := principalOfR(s.frame(ctx, 1), s.triangle.r, p)
	if err != nil {
		return nil, err
	}
	if pc.status != StatusIterationLimit {
		pc.status = StatusOptimal
	}
	pc.solver = SolverJacobi
	off := s.triangle.off
	if rank := s.rankBound(); p < rank {
		pc.floor = max(0, tailSum(values[:rank], p)-off)
	}
	pc.total = max(0, pc.total-off)
	pc.floorError = float64(min(s.rows, s.cols))*0x1p-52*pc.total + off
	return pc, nil
}

// principalKrylov makes a pass for every product with the data.
func (q *sequence) principalKrylov(s *statistics, p int) (*principal, error) {
	m, total := &s.moments, s.total
	data := &Subspace{moments: *m, k: 1, pc: principal{total: total}}
	normal := func(vt *Matrix) (*Matrix, error) {
		sum := NewMatrix(vt.Rows, m.cols, nil)
		err := q.again(data, func(_ rowBlock, s *samples) error {
			y, err := normalProduct(s, vt)
			if err == nil {
				axpy(sum.Data, 1, y.Data)
			}
			return err
		})
		return sum, err
	}
	r := krylovData{q.ctx, min(m.rows, m.cols), m.cols, m.rankBound(), total, func(p int, o krylovOptions) (*krylovResult, error) {
		return krylov(q.ctx, m.cols, normal, p, o)
	}, normal}
	// The products are about the rounded mean, about which the squares are more by off.
	off := m.weight * sumSquares(m.meanRest)
	r.total += off
	pc, err := r.principal(p, orDefault(q.o.Seq.Passes, defaultPasses)-fewestPasses+1, false)
	if err == nil {
		pc.total, pc.floor, pc.floorError = total, max(0, pc.floor-off), pc.floorError+off
	}
	return pc, err
}

// memberships makes the last pass, which calls SeqOptions.Memberships and measures the
// objective of what it passes there.
func (q *sequence) memberships(p *Subspace, e *enclosure, m *Model) error {
	var objective float64
	err := q.again(p, func(at rowBlock, s *samples) error {
		g := NewMatrix(s.n, p.k, nil)
		if _, err := projectRows(s, g, p.pc.basis, e.normals, EnclosureBall); err != nil {
			return err
		}
		if err := fillMemberships(s, g, p.pc.basis.Rows, e); err != nil {
			return err
		}
		if err := solveZeroWeights(s, m.Centers, g, SumToOne); err != nil {
			return err
		}
		sum, err := objectiveOf(s, m.Centers, g, nil)
		if err != nil {
			return err
		}
		objective += sum
		if err := q.o.Seq.Memberships(at.first, g); err != nil {
			return fail(err, "memberships from row "+strconv.Itoa(at.first))
		}
		return nil
	})
	if err != nil {
		return err
	}
	s := p.frame(q.ctx, q.o.Workers)
	m.rate(s, objective, &p.pc)
	return nil
}
