package softkmeans

// Minimal-volume soft k-means of data that is read block by block: solved on a
// summary that fits into memory, measured on all rows, and corrected by what the
// measurement says that the summary got wrong.
//
// The correction is that of stochastic variance reduction (Johnson & Zhang 2013) and of
// Shamir, Srebro and Zhang's DANE (2014): to the objective of the summary a linear
// function of F is added that gives it the value and the gradient of the objective
// of all rows where these were measured. What is left is of second order in the
// next step, and a fixed point is one of all rows.

import (
	"context"
	"iter"
	"math"
	"strconv"
)

const (
	defaultSummaryRows = 1 << 14
	defaultRefinements = 4
)

// FitMinVolumeSeq is [FitMinVolume] for data that need not fit into memory, with
// blocks as for [FitSeq]. Memberships of the model are nil: MinVolumeSeqOptions.Memberships
// receives them block by block, or [Model.Predict] finds those of any rows. Data of no
// more than SummaryRows rows is read once, and the result is FitMinVolume's, to the bit.
//
// Of more rows the first pass finds the mean, the principal subspace and the floor, the
// second a weighted summary: rows drawn half by weight and half by squared distance from
// the mean, and the outermost rows of the subspace, the purest of a mixture
// among them. λ and the centers are those of the summary, by the slack rule with the
// floor of all rows. The third pass measures them on all rows, with exact memberships.
// Then the summary's objective is corrected to have the value and the gradient that were
// measured, solved anew, and measured by one more pass, up to Refinements times: until
// the next solution would lower the objective by no more than Tol of the fit and change
// the fit by no more than 1 % of the slack, which is StatusConverged. A solution that on
// all rows has no lower objective than the one before, at the later λ, is dropped.
// Memberships take one pass more: eight at most by default, and often five. Wide data,
// of more than 2048 columns, has its subspace found by SolverKrylov, in up to 30 passes.
//
// What is exact, as it is measured on all rows: Objective, Floor, Total, Gap and
// Warnings, for the very centers returned. So the error is within the slack, to 1 % of
// it where Status is StatusConverged, and a [Warning] says so where it is further off.
// What is not: which local minimum the start on the summary leads to. Lightweight coresets
// promise for all sets of k centers at once that the k-means error of m draws is
// that of all rows to within ε/2 of itself and ε/2 of Total, for m of the order
// d·k·log k/ε² (Bachem, Lucic & Krause 2018, Theorem 2); nothing of the kind is proved
// for mixtures. Measured against FitMinVolume on all rows, for 200 000 mixtures,
// exact or with noise at 30 dB, the default summary gave 99.8 % of the rows or more
// the same label, and centers within 1 % of the data's spread. Real sets with summaries of a
// quarter or half of their rows met the slack as well, but up to a third of the labels
// were those of another local minimum: docs/streaming.md has the tables.
//
// Trace and what Progress is told of runs are of the summary, where Objective and Loss are estimates;
// Iterations counts those of the run that gave the result. The same bits come out for the
// same seed however the rows are cut into blocks, and for any number of workers.
//
// Cost: that of [Stats.Add] for the first pass, O(ndk + nk²) for each of the others,
// FitMinVolume's on SummaryRows rows, and less for each refinement. Memory: as for
// [FitSeq], the summary, and what FitMinVolume takes for that. Errors: those of
// FitMinVolume and of FitSeq. If ctx ends once there are centers, the error wraps its
// error and the model is the best so far, with StatusCancelled: Objective and Warnings
// are the summary's estimates where no pass has measured them.
func FitMinVolumeSeq(ctx context.Context, blocks iter.Seq2[*Matrix, error], k int, opts *MinVolumeSeqOptions) (*Model, error) {
	var o MinVolumeSeqOptions
	if opts != nil {
		o = *opts
	}
	if err := checkMinVolumeSeq(blocks, k, &o); err != nil {
		return nil, err
	}
	w := &rowPasses{o: &o, k: k, sequence: sequence{ctx: ctx, blocks: blocks, o: &Options{Weights: o.Weights, Workers: o.Workers, Progress: o.Progress}}}
	rows, err := w.subspace()
	if err != nil {
		return nil, err
	}
	if rows != nil {
		return w.inMemory(rows)
	}
	j, err := w.summarise()
	if err != nil {
		return nil, err
	}
	return w.fit(j)
}

func checkMinVolumeSeq(blocks iter.Seq2[*Matrix, error], k int, o *MinVolumeSeqOptions) error {
	none := &Matrix{}
	if o.Centers != nil {
		none.Cols = o.Centers.Cols // subspace compares them with the blocks'
	}
	if err := checkAlternating(none, k, &o.MinVolumeOptions); err != nil {
		return err
	}
	switch {
	case blocks == nil:
		return fail(ErrShape, "blocks is nil")
	case o.Workers < 0:
		return fail(ErrOption, "Workers is "+strconv.Itoa(o.Workers))
	case o.SummaryRows < 0:
		return fail(ErrOption, "SummaryRows is "+strconv.Itoa(o.SummaryRows))
	case !addressable(k+1, k+1) || !addressable(32, k):
		return fail(ErrOption, "k is "+strconv.Itoa(k)+": too large to address")
	case o.Weights != nil:
		return checkWeights(o.Weights, len(o.Weights))
	}
	return nil
}

// whole is all rows, by passes.
type rowPasses struct {
	sequence
	o    *MinVolumeSeqOptions
	k    int
	p    *Subspace
	size int // of the summary
	// The coordinates of the passes, which are those of the job on the summary, as in
	// job: a basis, or nil for the data's own axes, and what it leaves out.
	basis     *Matrix
	left      float64
	chunkFits [2]*chunkFit // of full size, and the last
}

// subspace makes the first pass, and those of SolverKrylov. It returns the rows
// themselves where these are no more than a summary may have.
func (w *rowPasses) subspace() (rows *Matrix, err error) {
	rows = &Matrix{}
	s, err := w.statistics(w.k, func(at rowBlock) {
		if at.first == 0 {
			w.size = w.o.SummaryRows
			if w.size == 0 {
				w.size = min(defaultSummaryRows, max(defaultSummaryRows*1024/w.cols, 1024))
			}
			w.size = max(w.size, 32*w.k)
			rows.Cols, rows.Stride = w.cols, w.cols
		}
		if rows == nil || at.x.Rows > w.size-rows.Rows || !addressable(at.x.Rows+rows.Rows, w.cols) {
			rows = nil
			return
		}
		for i := range at.x.Rows {
			rows.Data = append(rows.Data, at.x.row(i)...)
		}
		rows.Rows += at.x.Rows
	})
	if err != nil || rows != nil {
		return rows, err
	}
	if f := w.o.Centers; f != nil && f.Cols != w.cols {
		return nil, fail(ErrShape, "Centers are "+shape(f.Rows, f.Cols)+", not "+shape(w.k, w.cols))
	}
	if !addressable(w.size, max(w.cols, w.k)) || !addressable(w.k+1, w.cols) {
		return nil, fail(ErrOption, "a summary of "+shape(w.size, w.cols)+" for k = "+strconv.Itoa(w.k)+" is too large to address")
	}
	directions, all := w.k-1, s.rows
	if w.o.Sum == SumAtMostOne {
		s.aboutZero()
		directions++
		s.rows++ // no row is lost to the mean
	}
	pc, err := w.principal(s, min(directions, w.cols))
	if err != nil {
		return nil, err
	}
	s.rows = all
	w.p = &Subspace{moments: s.moments, pc: *pc, k: w.k}
	return nil, nil
}

// aboutZero makes the scatter, or the total, that about 0.
func (s *statistics) aboutZero() {
	if s.scatter == nil {
		s.total += s.weight * sumSquares(s.mean)
	}
	rest := s.scatter
	for c := range s.mean {
		if len(rest) > 0 {
			n := s.cols - c
			axpy(rest[:n], s.weight*s.mean[c], s.mean[c:])
			rest = rest[n:]
		}
	}
	clear(s.mean)
	clear(s.meanRest)
}

// inMemory is FitMinVolume, for rows that fit.
func (w *rowPasses) inMemory(rows *Matrix) (*Model, error) {
	m, err := FitMinVolume(w.ctx, rows, w.k, &w.o.MinVolumeOptions)
	if m == nil || err != nil {
		if m != nil {
			m.Memberships = nil
		}
		return m, err
	}
	g := m.Memberships
	m.Memberships = nil
	step := streamRows(w.cols)
	for lo := 0; lo < g.Rows && w.o.Memberships != nil; lo += step {
		if err := w.hand(lo, rowsOf(g, lo, min(lo+step, g.Rows)).Clone()); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// hand gives memberships to the caller.
func (w *rowPasses) hand(first int, g *Matrix) error {
	if err := w.o.Memberships(first, g); err != nil {
		return fail(err, "memberships from row "+strconv.Itoa(first))
	}
	return cancelled(w.ctx)
}

// again makes a pass about the mean, or about 0 for SumAtMostOne.
func (w *rowPasses) again(fn func(at rowBlock, s *samples) error) error {
	return w.sequence.again(w.p, func(at rowBlock, s *samples) error {
		s.centred = w.o.Sum == SumToOne
		return fn(at, s)
	})
}

// summarise makes the second pass and a job of the summary: with the mean, the
// subspace and the floor of all rows.
func (w *rowPasses) summarise() (*volumeFit, error) {
	sum := newSummary(w.p, w.size, w.o.Seed)
	if err := w.again(func(at rowBlock, part *samples) error { return sum.take(at.first, part) }); err != nil {
		return nil, err
	}
	found := sum.finish()
	s := w.p.frame(w.ctx, w.o.Workers)
	s.x = NewMatrix(len(found.numbers), w.cols, found.rows)
	s.n, s.centred = s.x.Rows, w.o.Sum == SumToOne
	for i, v := range found.weights {
		found.weights[i] = min(math.Ldexp(v, s.wexp), math.MaxFloat64)
	}
	s.weights = found.weights
	o := w.o.MinVolumeOptions
	o.Weights = s.weights // of InitGlobal
	j, err := newVolumeFit(s, w.k, &o, &w.p.pc)
	if err != nil {
		return nil, err
	}
	j.setEpsilon()
	w.basis, w.left = j.basis, j.left
	if j.basis == nil {
		// The fit of the summary is taken to differ from that of all rows as what
		// the subspace leaves of both does: the floor's part of the error cancels.
		var own float64
		rows, _ := j.leading()
		for i := range s.n {
			own += s.weight(i) * (sumSquares(j.z.row(i)) - sumSquares(rows.row(i)))
		}
		j.left = j.pc.floor - own
	}
	return j, nil
}

// tally is what a pass finds for centers.
type measurement struct {
	f, gg, gz *Matrix // in the coordinates of the passes: F, GᵀG, GᵀZ
	fit, logs float64 // ‖X − GF‖² and the volume of F
	inner     *Matrix // D of F
	objective float64 // ‖X − GF‖² of F and G themselves
	census
}

// value is L at some λ.
func (t *measurement) value(lambda float64) float64 { return t.fit + lambda/2*t.logs }

// piece is the memory for pieces of one size.
type chunkFit struct {
	m  alternation
	at *iterate
}

// measure makes a pass with the centers f.
func (w *rowPasses) measure(j *volumeFit, f *Matrix, memberships bool) (*measurement, error) {
	t := &measurement{f: f.Clone(), gg: NewMatrix(w.k, w.k, nil), gz: NewMatrix(w.k, f.Cols, nil), fit: w.left}
	centers := j.outside(f)
	err := w.again(func(at rowBlock, s *samples) error {
		of := w.coordinates(s, f)
		copy(of.at.f.Data, f.Data)
		if err := of.m.pass(of.at, nil); err != nil {
			return err
		}
		axpy(t.gg.Data, 1, of.at.gg.Data)
		axpy(t.gz.Data, 1, of.at.gz.Data)
		t.fit += of.at.fit
		t.count(s, of.m.z, of.at.g)
		g := of.at.g
		sum, err := objectiveOf(s, centers, g, false)
		if err != nil {
			return err
		}
		t.objective += sum
		if !memberships {
			return nil
		}
		g = g.Clone()
		if err := solveZeroWeights(s, centers, g, j.sum); err != nil {
			return err
		}
		return w.hand(at.first, g)
	})
	if err != nil {
		return nil, err
	}
	at := &iterate{f: t.f, inner: NewMatrix(w.k, w.k, nil)}
	j.penalty(at)
	t.logs, t.inner = at.logs, at.inner
	return t, nil
}

// coordinates are the mixture of a piece.
func (w *rowPasses) coordinates(s *samples, f *Matrix) *chunkFit {
	slot := 0
	if s.n != streamRows(w.cols) {
		slot = 1
	}
	of := w.chunkFits[slot]
	if of == nil || of.m.z.Rows != s.n {
		of = &chunkFit{m: alternation{ctx: w.ctx, z: NewMatrix(s.n, f.Cols, nil), k: w.k, sum: w.o.Sum}}
		of.at = of.m.newState()
		w.chunkFits[slot] = of
	}
	of.m.s = s
	if w.basis == nil {
		// Without error, here and below: a context that ends is seen by the visit.
		_ = s.eachBlock(s.n, s.d, manyChunks, 0, func(at block) { s.pack(of.m.z.Data[at.lo*s.d:], at.lo, at.hi, false) })
		return of
	}
	r := f.Cols
	clear(of.m.z.Data)
	_ = s.eachBlock(s.n, s.d, manyChunks, s.d, func(at block) {
		rows := at.scratch[:(at.hi-at.lo)*s.d]
		s.pack(rows, at.lo, at.hi, false)
		addMulNT(of.m.z.Data[at.lo*r:], r, rows, at.hi-at.lo, w.basis.Data, r, s.d, false)
	})
	return of
}

// fit solves the summary and refines.
func (w *rowPasses) fit(j *volumeFit) (*Model, error) {
	best, start, err := (*fitRun)(nil), (*Matrix)(nil), error(nil)
	if w.o.Lambda > 0 {
		best, _, err = j.runStarts(j.scaledLambda(w.o.Lambda))
	} else if best, start, err = j.runStarts(firstLambda(j)); err == nil {
		best, err = searchLambda(j, start, best)
	}
	if best == nil {
		return nil, err
	}
	s := w.p.frame(w.ctx, w.o.Workers)
	m := &Model{
		Sum: j.sum, Solver: j.pc.solver, Status: best.status,
		Floor: s.unscaleSquare(j.pc.floor), FloorError: s.unscaleSquare(j.pc.floorError), Total: s.unscaleSquare(j.pc.total),
	}
	if best.lambda > 0 {
		m.Volume, m.Epsilon = j.o.Volume, min(math.Ldexp(j.eps, 2*s.exp), math.MaxFloat64)
	}
	var at *measurement
	if err == nil {
		at, err = w.measure(j, best.f, false)
	}
	if at == nil {
		at = &measurement{f: best.f, fit: best.fit, objective: max(best.fit, 0)} // an estimate
		at.count(j.s, j.z, best.g)
	} else if w.o.Refinements >= 0 {
		at, best, err = w.refine(j, at, best, orDefault(w.o.Refinements, defaultRefinements), m)
	}
	if err == nil && w.o.Memberships != nil {
		_, err = w.measure(j, at.f, true)
	}
	if err != nil {
		if cancelled(w.ctx) == nil { // of the rows, or of Memberships
			return nil, err
		}
		m.Status = StatusCancelled
	}
	m.Centers, m.Lambda, m.Iterations, m.Trace = j.outside(at.f), s.unscaleSquare(best.lambda), best.iterations, best.trace
	m.Objective, m.Gap = s.unscaleSquare(at.objective), relativeGap(s, at.objective, j.pc, w.k)
	j.missed = 0
	if target := j.pc.floor + allowance(j); w.o.Lambda == 0 && at.fit > target+closeShare*allowance(j) {
		j.missed = min(at.fit/target, math.MaxFloat64)
	}
	m.Warnings = findWarnings(at.f, &at.census, j.spread(), j.missed)
	return m, err
}

// closeShare of the slack is how near to it counts as there.
const closeShare = 0.01

// correction is what is added to the objective of the summary: −2⟨tilt, F⟩, which
// gives it the gradient of all rows where they were measured, and hold·‖F − F_0‖² with
// their centers F_0, which keeps the next ones near enough for that to mean something.
type correction struct {
	tilt, near *Matrix
	hold       float64
}

func (c *correction) add(to *iterate) {
	to.fit += c.hold*squaredDistance(to.f.Data, c.near.Data) - 2*dot(c.tilt.Data, to.f.Data)
	axpy(to.gz.Data, 1, c.tilt.Data)
	axpy(to.gz.Data, c.hold, c.near.Data)
	for a := range to.gg.Rows {
		to.gg.row(a)[a] += c.hold
	}
}

// refine improves centers, measured on all rows, by up to so many passes.
func (w *rowPasses) refine(j *volumeFit, at *measurement, from *fitRun, most int, m *Model) (*measurement, *fitRun, error) {
	j.o.Init, j.o.Centers = InitGlobal, nil // no other start
	j.o.MaxIter = min(j.o.MaxIter, refineIterations)
	m.Status = StatusIterationLimit
	plain := alternation{ctx: j.ctx, s: j.s, z: j.z, k: j.k, sum: j.sum}
	here := j.newState()
	var unit float64 // of hold
	for a := range w.k {
		unit += at.gg.row(a)[a] / float64(w.k)
	}
	least := float64(w.k) / float64(j.s.n) // centers are known to that share, squared
	hold := least
	for used := 0; ; {
		copy(here.f.Data, at.f.Data)
		if err := plain.pass(here, nil); err != nil {
			return at, from, err
		}
		c := &correction{tilt: at.gz.Clone(), near: at.f, hold: hold * unit}
		axpy(c.tilt.Data, -1, here.gz.Data)
		for a := range w.k {
			for b, v := range at.gg.row(a) {
				axpy(c.tilt.row(a), here.gg.row(a)[b]-v, at.f.row(b))
			}
		}
		j.more = c.add
		j.left = at.fit - here.fit + 2*dot(c.tilt.Data, at.f.Data)
		next := j.runAt(at.f, from.lambda)
		// Below the floor: where the summary lacks a center's rows, the tilt is all that
		// there is to go by.
		absurd := func() bool { return next != nil && next.fit < j.pc.floor-allowance(j) }
		if next != nil && w.o.Lambda == 0 && !absurd() {
			next, _ = searchLambda(j, at.f, next)
		}
		if err := cancelled(j.ctx); err != nil {
			return at, from, err
		}
		lambda := next.lambda
		fall := at.value(lambda) - next.value
		if !absurd() && fall <= j.o.Tol*max(at.fit, fitShare*j.total) && (w.o.Lambda > 0 || math.Abs(next.fit-at.fit) <= closeShare*allowance(j)) {
			if hold <= max(least, settledHold) {
				m.Status = StatusConverged
			}
			return at, from, nil
		}
		if used == most {
			return at, from, nil
		}
		if !absurd() {
			used++
			there, err := w.measure(j, next.f, false)
			if err != nil {
				return at, from, err
			}
			if there.value(lambda) <= at.value(lambda) {
				at, from = there, next
				hold = max(hold/3, least)
				continue
			}
		}
		if hold *= 10; hold > 1e6 {
			return at, from, nil // nothing but rounding is left
		}
	}
}

const (
	refineIterations = 100 // of a run on the corrected summary
	settledHold      = 0.1 // above which it is hold that keeps centers in their place
)
