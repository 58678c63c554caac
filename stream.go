package softkmeans

// The global solution of data that is read block by block, in memory that does not
// depend on the number of rows: the first pass leaves the mean and the scatter (stats.go), the
// second what depends on the subspace (subspace.go).

import (
	"context"
	"iter"
	"math"
	"strconv"
)

// streamGramSide is the largest number of columns for which SolverAuto forms the
// scatter matrix: three matrices of 32 MB. Beyond, SolverKrylov reads
// the data more often and needs no such matrix.
const streamGramSide = 2048

// defaultPasses bounds those of SolverKrylov.
const defaultPasses = 30

// fewestPasses: the mean, one step, its residuals, the extent.
const fewestPasses = 4

// FitSeq is [Fit] for data that need not fit into memory. blocks yields the rows,
// some at a time, as often as it is asked to, each time the same: from a
// file that is opened anew for every pass, for example. Blocks may have any number of
// rows, and may be used again by blocks once the next one is asked for. The result is
// that of Fit but for rounding and for Memberships, which are nil: SeqOptions.Memberships
// receives them block by block, or [Model.Predict] finds those of any rows. It has the
// same bits however the rows are cut into blocks, and for any number of workers.
//
// The first pass finds the mean and the scatter, the second how far the data
// reaches in the principal subspace, and the objective; with SeqOptions.Memberships a
// third one computes these, and the objective from them. SolverAuto is SolverGram up to
// 2048 columns; its floor has no digits below d·2^-52 of the total, where Fit's, of
// data that k prototypes mix exactly, may have. SolverJacobi keeps these digits, at
// 2nd² in place of nd² multiplications and one QR factorization of (2d+1)×d for every
// block. SolverKrylov, beyond 2048 columns, makes SeqOptions.Passes passes at most: one for
// the mean, one a step, one for the residuals that its floor is proved with, and the
// last as above. Where they are too few for its tolerance, as for spectra that do not
// fall, Status is StatusIterationLimit: the objective is above the proven floor by Gap,
// and it may be either that is not the minimum. SolverGram settles it.
//
// Data that changes between passes is an [ErrChanged] (an [ErrShape] as well if
// it is the number of rows or of columns), in so far as the counts and the sum of
// squares of every pass can tell. Errors of blocks and of SeqOptions.Memberships are
// returned, wrapped, with the pass and the row that they came after; those of ctx
// within one block.
//
// Cost: that of Fit. Memory: a block of 16 MB or of 24 rows, whichever is more,
// as much for its memberships, and some 50·d² bytes for SolverGram and SolverJacobi
// (230 MB in all for 2048 columns), 8·d·max(96, 4(k+7)) for SolverKrylov.
func FitSeq(ctx context.Context, blocks iter.Seq2[*Matrix, error], k int, opts *Options) (*Model, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if err := checkFit(k, &o); err != nil {
		return nil, err
	}
	q := &sequence{ctx: ctx, blocks: blocks, o: &o, members: k}
	switch {
	case blocks == nil:
		return nil, fail(ErrShape, "blocks is nil")
	case o.Workers < 0:
		return nil, fail(ErrOption, "Workers is "+strconv.Itoa(o.Workers))
	case o.Seq.Passes < 0 || o.Seq.Passes > 0 && o.Seq.Passes < fewestPasses:
		return nil, fail(ErrOption, "Passes is "+strconv.Itoa(o.Seq.Passes)+", at least "+strconv.Itoa(fewestPasses)+" are needed")
	case o.Weights != nil && !addressable(k+1, k+1): // as in Fit
		return nil, fail(ErrOption, "k is "+strconv.Itoa(k)+", too large for data with weights")
	case o.Weights != nil:
		if err := checkWeights(o.Weights, len(o.Weights)); err != nil {
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

// sequence replays the blocks, cut anew: pieces of the same rows in every pass and
// however they come.
type sequence struct {
	ctx    context.Context
	blocks iter.Seq2[*Matrix, error]
	o      *Options
	pass   int
	rows   int // of the first pass
	cols   int // 0 until the first row
	buffer *Matrix
	// members is how many memberships are made of a row, which pieces are cut for too.
	members int
}

// rowBlock is a piece: rows first, first+1, …
type rowBlock struct {
	first   int
	x       *Matrix
	weights []float64 // nil: all 1
}

// streamRows is how many rows of length d, entries or memberships, a piece has: 16 MB of
// them, but no more than 8192, with which the work for each piece no longer counts, nor
// fewer than 24.
func streamRows(d int) int { return max(24, min(8192, 1<<21/max(d, 1))) }

// each makes a pass. fn's errors about a row of x or its weight are made to
// count from the first row of all.
func (q *sequence) each(fn func(at rowBlock) error) error {
	q.pass++
	rows, fill := 0, 0
	hand := func(x *Matrix) error {
		at := rowBlock{first: rows, x: x}
		rows += x.Rows
		if w := q.o.Weights; w != nil {
			if rows > len(w) {
				return fail(ErrShape, strconv.Itoa(len(w))+" weights for more rows")
			}
			at.weights = w[at.first:rows]
		}
		if err := fn(at); err != nil {
			return at.locate(err)
		}
		if q.o.Progress != nil {
			q.o.Progress(Iteration{Pass: q.pass, Rows: rows})
		}
		return cancelled(q.ctx)
	}
	for x, err := range q.blocks {
		if err != nil {
			return fail(err, "pass "+strconv.Itoa(q.pass)+", after row "+strconv.Itoa(rows+fill))
		}
		if stopped(q.ctx) {
			return cancelled(q.ctx)
		}
		if err := checkShape("a block", x); err != nil {
			return err
		}
		if x.Rows == 0 {
			continue
		}
		if err := q.admit(x); err != nil {
			return err
		}
		if x.Rows > math.MaxInt-rows-fill || q.pass > 1 && x.Rows > q.rows-rows-fill {
			return q.otherLength(">")
		}
		step := streamRows(max(q.cols, q.members))
		for lo := 0; lo < x.Rows; {
			if fill == 0 && x.Rows-lo >= step {
				view := &Matrix{Rows: step, Cols: x.Cols, Stride: x.Stride, Data: x.Data[lo*x.Stride : (lo+step-1)*x.Stride+x.Cols]}
				if err := hand(view); err != nil {
					return err
				}
				lo += step
				continue
			}
			if q.buffer == nil {
				q.buffer = NewMatrix(0, q.cols, nil)
			}
			n := min(step-fill, x.Rows-lo)
			q.buffer.Data = q.buffer.Data[:fill*q.cols] // as much as there is, not as much as there may be
			for i := range n {
				q.buffer.Data = append(q.buffer.Data, x.row(lo+i)...)
			}
			lo, fill = lo+n, fill+n
			if fill == step {
				q.buffer.Rows, fill = fill, 0
				if err := hand(q.buffer); err != nil {
					return err
				}
			}
		}
	}
	if fill > 0 {
		q.buffer.Rows = fill
		if err := hand(q.buffer); err != nil {
			return err
		}
	}
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

// again makes a pass over the rows about the mean of p, whose squares must add up to
// what p knows of them.
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

// admit checks a block's width.
func (q *sequence) admit(x *Matrix) error {
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

// statistics are what the first pass finds, for whichever solver.
type statistics struct {
	Stats
	triangle factor  // of SolverJacobi
	total    float64 // of SolverKrylov
}

// statistics makes the first pass. also is shown every piece as well; nil: not.
func (q *sequence) statistics(k int, also func(at rowBlock)) (*statistics, error) {
	var s statistics
	err := q.each(func(at rowBlock) error {
		if q.cols > streamGramSide && q.o.Solver == SolverAuto {
			q.o.Solver = SolverKrylov
		}
		if at.first == 0 && (!addressable(k, q.cols) || !addressable(24, k)) {
			return fail(ErrOption, "k is "+strconv.Itoa(k)+" for "+strconv.Itoa(q.cols)+" columns: the result is too large to address")
		}
		if also != nil {
			also(at)
		}
		switch {
		case gramOnly || q.o.Solver <= SolverGram:
			return s.add(q.ctx, at.x, at.weights, q.o.Workers)
		case q.o.Solver == SolverJacobi:
			return addTriangle(&s.Stats.moments, q.ctx, &s.triangle, at, q.o.Workers)
		default:
			return addTotal(&s.Stats.moments, q.ctx, &s.total, at, q.o.Workers)
		}
	})
	if err == nil && s.weight == 0 {
		err = fail(ErrTooFewSamples, "every weight is 0")
	}
	return &s, err
}

// principal finds the p leading directions, p ≤ d, with as many passes as the solver
// needs.
func (q *sequence) principal(s *statistics, p int) (*principal, error) {
	switch {
	case gramOnly || q.o.Solver <= SolverGram:
		return s.principal(q.ctx, p, q.o.Workers)
	case q.o.Solver == SolverJacobi:
		return principalOfTriangle(&s.Stats.moments, q.ctx, &s.triangle, p)
	default:
		return q.principalKrylov(&s.moments, s.total, p)
	}
}

// factor is R with RᵀR the scatter matrix, but for blocks' means that were rounded:
// the trace is too large by off.
type factor struct {
	r   *Matrix
	off float64
}

// addTriangle merges R factors as merge does scatter matrices, which are RᵀR: the new
// one is that of both and of a row √weight·shift, one above the other.
func addTriangle(m *moments, ctx context.Context, f *factor, at rowBlock, workers int) error {
	part, t, err := newPart(ctx, m, at.x, at.weights, workers)
	if err != nil || part == nil {
		return err
	}
	r, err := triangularFactor(part)
	if err != nil {
		return err
	}
	off := t.weight * sumSquares(t.meanRest)
	d := part.d
	if !addressable(2*d+1, d) {
		return errTooLarge(part)
	}
	if m.negligibleBeside(t) {
		rows := m.rows
		*m, *f = *t, factor{r, off}
		m.rows += rows
		return nil
	}
	j := m.join(t)
	stack := NewMatrix(2*d+1, d, nil)
	copy(stack.Data, f.r.Data)
	copy(stack.Data[d*d:], r.Data)
	scale(stack.Data[:d*d], math.Sqrt(math.Ldexp(1, j.own)))
	scale(stack.Data[d*d:2*d*d], math.Sqrt(math.Ldexp(1, j.other)))
	axpy(stack.row(2*d), math.Sqrt(j.weight), j.shift)
	qrReduce(ctx, stack)
	copy(f.r.Data, stack.Data[:d*d])
	f.off = math.Ldexp(f.off, j.own) + math.Ldexp(off, j.other)
	return cancelled(ctx)
}

// principalOfTriangle takes the singular values of R.
func principalOfTriangle(m *moments, ctx context.Context, f *factor, p int) (*principal, error) {
	s := m.frame(ctx, 1)
	pc, values, err := principalOfR(s, f.r, p)
	if err != nil {
		return nil, err
	}
	if pc.status != StatusIterationLimit {
		pc.status = StatusOptimal
	}
	pc.solver = SolverJacobi
	if rank := m.rankBound(); p < rank {
		pc.floor = max(0, tailSum(values[:rank], p)-f.off)
	}
	pc.total = max(0, pc.total-f.off)
	pc.floorError = float64(min(m.rows, m.cols))*0x1p-52*pc.total + f.off
	return pc, nil
}

// addTotal adds to Σw‖x − mean‖² alone.
func addTotal(m *moments, ctx context.Context, total *float64, at rowBlock, workers int) error {
	part, t, err := newPart(ctx, m, at.x, at.weights, workers)
	if err != nil || part == nil {
		return err
	}
	squares, err := part.totalSquares()
	if err != nil {
		return err
	}
	squares = max(squares-t.weight*sumSquares(t.meanRest), 0)
	if m.negligibleBeside(t) {
		rows := m.rows
		*m, *total = *t, squares
		m.rows += rows
		return nil
	}
	j := m.join(t)
	*total = math.Ldexp(*total, j.own) + math.Ldexp(squares, j.other) + j.weight*sumSquares(j.shift)
	return nil
}

// principalKrylov makes a pass for every product with the data.
func (q *sequence) principalKrylov(m *moments, total float64, p int) (*principal, error) {
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
	// The products are about the rounded mean: off it the squares are more by this.
	off := m.weight * sumSquares(m.meanRest)
	r.total += off
	pc, err := r.principal(p, orDefault(q.o.Seq.Passes, defaultPasses)-fewestPasses+1, false)
	if err == nil {
		pc.total, pc.floor, pc.floorError = total, max(0, pc.floor-off), pc.floorError+off
	}
	return pc, err
}

// memberships makes the last pass, and the model's objective that of the
// memberships handed out.
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
		sum, err := objectiveOf(s, m.Centers, g, false)
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
	m.Objective, m.Gap = s.unscaleSquare(objective), relativeGap(s, objective, &p.pc, p.k)
	return nil
}
