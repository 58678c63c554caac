package softkmeans

// Minimal-volume soft k-means of data that is read block by block. It is solved on a summary that fits into
// memory, measured on all rows, and corrected by what the measurement shows.

import (
	"context"
	"iter"
	"math"
	"slices"
	"strconv"
)

const (
	defaultSummaryRows = 1 << 14 // fewer beyond 1024 columns
	defaultRefinements = 4
	leastRowsPerCenter = 32 // of a summary
)

// FitMinVolumeSeq is [FitMinVolume] for data that need not fit into memory, with blocks as for [FitSeq]. The
// model's Memberships and Clusters are nil: [MinVolumeSeqOptions] has functions that receive them block by
// block, or [Model.Predict] and [Model.PredictLabels] find those of any rows. ClusterMeans and ClusterAxes
// are of the summary's rows. Data of at most SummaryRows rows is read once, and the result has the bits of
// FitMinVolume.
//
// # Details
//
// Larger data is read in five to eight passes:
//
//  1. The mean, the subspace and the floor; beyond 2048 columns these are up to 30 passes of SolverKrylov.
//  2. A weighted summary: rows drawn half by weight and half by squared distance from the mean, and the
//     outermost ones of the subspace. Its solution by the slack rule is the first.
//  3. A measurement of these centers on all rows.
//  4. Up to Refinements more. Before each the summary's objective gets the value and the gradient that the
//     last one measured. A solution that does not lower the objective of all rows is dropped.
//  5. Memberships and labels, if they are asked for.
//
// Status is StatusConverged once the next solution would lower the objective by at most Tol of the error, and
// change the error by at most 1 % of the slack.
//
// Objective, Floor, Total, Gap and Warnings are of all rows and the very centers returned. Which local
// minimum is found depends on the summary: docs/streaming.md has what that loses on many sets. Trace,
// Iterations and the Progress of runs are of the summary, where Objective and Loss are estimates. The bits
// depend on the seed, and not on the blocks or the number of workers.
//
// Cost: that of [Stats.Add] for the first pass, O(ndk + nk²) for each other one, FitMinVolume's on
// SummaryRows rows, and less for each refinement. Memory: as for [FitSeq], the summary, and FitMinVolume's
// for that. Errors: those of FitMinVolume and of FitSeq. If ctx ends once there are centers, the error wraps
// its error and the model is the best so far, with StatusCancelled. Objective and Warnings are the summary's
// estimates where no pass has measured them.
func FitMinVolumeSeq(ctx context.Context, blocks iter.Seq2[*Matrix, error], k int,
	opts *MinVolumeSeqOptions) (*Model, error) {
	o := orZero(opts)
	w := &streamedFit{o: &o, k: k, problems: map[int]*blockProblem{}, sequence: sequence{
		ctx: ctx, blocks: blocks, o: &Options{Weights: o.Weights, Workers: o.Workers, Progress: o.Progress,
			Memberships: o.Memberships},
	}}
	if err := w.check(); err != nil {
		return nil, err
	}
	rows, err := w.subspace()
	if err != nil {
		return nil, err
	}
	if rows != nil {
		return w.inMemory(rows)
	}
	m, err := w.summarise()
	if err != nil {
		return nil, err
	}
	return w.fit(m)
}

// streamedFit is a call of FitMinVolumeSeq.
type streamedFit struct {
	sequence
	o        *MinVolumeSeqOptions
	k        int
	p        *Subspace
	size     int                   // of the summary
	residual float64               // of all rows, in the coordinates of the summary
	problems map[int]*blockProblem // by the size of blocks: the full one, and that of the last
}

// check checks what can be checked before the first block.
func (w *streamedFit) check() error {
	none := &Matrix{}
	if w.o.Centers != nil {
		none.Cols = w.o.Centers.Cols // subspace compares that with the blocks
	}
	if err := firstError(checkMinVolume(none, w.k, &w.o.MinVolumeOptions),
		checkInMemory(&w.o.MinVolumeOptions), w.sequence.check()); err != nil {
		return err
	}
	if w.o.SummaryRows < 0 {
		return fail(ErrOption, "SummaryRows is "+strconv.Itoa(w.o.SummaryRows))
	}
	return checkSizeOfK(w.k, w.k+1, w.k+1)
}

// subspace makes the first pass, and those of SolverKrylov. It returns the rows
// themselves where a summary may have as many.
func (w *streamedFit) subspace() (rows *Matrix, err error) {
	rows = &Matrix{}
	s, err := w.statistics(w.k, func(at rowBlock) {
		if at.first == 0 {
			w.size = w.o.SummaryRows
			if w.size == 0 {
				w.size = min(defaultSummaryRows, max(defaultSummaryRows*1024/w.cols, 1024))
			}
			w.size = max(w.size, leastRowsPerCenter*w.k)
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
	if err := checkSizeOfK(w.k, w.size, max(w.cols, w.k)); err != nil {
		return nil, err
	}
	pc, _, err := w.principalFor(s, w.k, w.o.Sum)
	if err != nil {
		return nil, err
	}
	w.p = &Subspace{moments: s.moments, pc: *pc, k: w.k}
	return nil, nil
}

// inMemory fits rows that are no more than a summary.
func (w *streamedFit) inMemory(rows *Matrix) (*Model, error) {
	m, err := FitMinVolume(w.ctx, rows, w.k, &w.o.MinVolumeOptions)
	if m == nil {
		return nil, err
	}
	g, labels, step := m.Memberships, m.Clusters, streamRows(w.cols)
	m.Memberships, m.Clusters = nil, nil
	for lo := 0; err == nil && w.handsOut() && lo < g.Rows; lo += step {
		hi := min(lo+step, g.Rows)
		if err := w.deliver(lo, rowsOf(g, lo, hi).Clone(), slices.Clone(labels[lo:hi])); err != nil {
			return nil, err
		}
	}
	return m, err
}

// handsOut reports whether the caller receives memberships or labels.
func (w *streamedFit) handsOut() bool { return w.o.Memberships != nil || w.o.Labels != nil }

// deliver hands out the memberships and labels of a block.
func (w *streamedFit) deliver(first int, g *Matrix, labels []int) error {
	if w.sequence.o.Memberships != nil {
		if err := w.sequence.deliver(first, g); err != nil {
			return err
		}
	}
	if w.o.Labels == nil {
		return nil
	}
	if err := w.o.Labels(first, labels); err != nil {
		return fail(err, "labels from row "+strconv.Itoa(first))
	}
	return cancelled(w.ctx)
}

// again makes a pass about the mean, or about 0 for SumAtMostOne.
func (w *streamedFit) again(fn func(at rowBlock, s *samples) error) error {
	return w.sequence.again(w.p, func(at rowBlock, s *samples) error {
		s.centred = w.o.Sum == SumToOne
		return fn(at, s)
	})
}

// summarise makes the second pass and the coordinates of the summary, with the mean,
// the subspace and the floor of all rows.
func (w *streamedFit) summarise() (*alternation, error) {
	sum := newSummary(w.p, w.size, w.o.Seed)
	if err := w.again(func(at rowBlock, part *samples) error { return sum.add(at.first, part) }); err != nil {
		return nil, err
	}
	found := sum.finish()
	s := w.p.frame(w.ctx, w.o.Workers)
	s.n, s.centred = len(found), w.o.Sum == SumToOne
	s.x, s.weights = NewMatrix(s.n, w.cols, nil), make([]float64, s.n)
	for i, r := range found {
		copy(s.x.row(i), r.row)
		s.weights[i] = min(math.Ldexp(r.weight, s.wexp), math.MaxFloat64)
	}
	o := w.o.MinVolumeOptions
	o.Weights = s.weights // for InitGlobal
	p, err := newMinVolume(s, w.k, &o, &w.p.pc)
	if err != nil {
		return nil, err
	}
	p.setEpsilon()
	m, err := p.begin()
	if err != nil {
		return nil, err
	}
	w.residual = m.residual
	if m.axes == nil {
		// The summary's squares outside the subspace are replaced by those of all
		// rows, the floor, so that this part of the objective has no error.
		inside, _ := m.principalRows()
		m.residual = m.pc.floor - squaresBeyond(s, m.z, inside)
	}
	return m, nil
}

// blockProblem is the alternation over the rows of a block, with its memory.
type blockProblem struct {
	m  alternation
	at *iterate
}

// measure makes a pass with the centers f, in the coordinates of m. With clusters the caller receives
// memberships and labels.
func (w *streamedFit) measure(m *alternation, f *Matrix, clusters *metric) (*measurement, error) {
	t := &measurement{iterate: &iterate{
		f: f.Clone(), gg: NewMatrix(w.k, w.k, nil), gz: NewMatrix(w.k, f.Cols, nil),
		majoriser: NewMatrix(w.k, w.k, nil), objective: w.residual,
	}}
	centers, blocks := m.toData(f), 0
	err := w.again(func(at rowBlock, s *samples) error {
		b, err := w.problem(m, s, f)
		if err != nil {
			return err
		}
		g := b.at.g
		if err := b.m.pass(b.at, nil); err != nil {
			return err
		}
		axpy(t.gg.Data, 1, b.at.gg.Data)
		axpy(t.gz.Data, 1, b.at.gz.Data)
		t.objective += b.at.objective
		t.membershipStats.add(s, b.m.z, g)
		direct, err := objectiveOf(s, centers, g, w.o.Sum)
		if err != nil {
			return err
		}
		t.direct += direct
		blocks++
		if clusters == nil {
			return nil
		}
		g = g.Clone()
		if err := solveRows(s, centers, g, w.o.Sum, s.zeroWeights()); err != nil {
			return err
		}
		labels := make([]int, s.n)
		if err := clusters.nearest(s.ctx, s.workers, labels, s.x); err != nil {
			return err
		}
		return w.deliver(at.first, g, labels)
	})
	if err != nil {
		return nil, err
	}
	t.direct *= 1 + 1.01*gamma(blocks-1)
	m.setPenalty(t.iterate)
	return t, nil
}

// problem returns the alternation over a block at the centers f, in the coordinates of m.
func (w *streamedFit) problem(m *alternation, s *samples, f *Matrix) (*blockProblem, error) {
	b := w.problems[s.n]
	if b == nil {
		plain := &minVolume{k: w.k, o: MinVolumeOptions{Sum: w.o.Sum}} // without a penalty
		b = &blockProblem{m: alternation{minVolume: plain, z: NewMatrix(s.n, f.Cols, nil)}}
		b.at = b.m.newIterate()
		w.problems[s.n] = b
	}
	b.m.s = s
	copy(b.at.f.Data, f.Data)
	return b, changeBasis(s, b.m.z, m.axes)
}

// fit solves the summary, refines the solution, and makes the model.
func (w *streamedFit) fit(m *alternation) (*Model, error) {
	best, err := m.rule().solve(m)
	if best == nil {
		return nil, err
	}
	var at *measurement
	if err == nil {
		at, err = w.measure(m, best.f, nil)
	}
	if at == nil { // the summary's estimate
		at = &measurement{iterate: best.iterate, direct: max(best.objective, 0)}
		at.membershipStats.add(m.s, m.z, best.g)
	} else if w.o.Refinements >= 0 {
		at, best, err = refine(at, best, orDefault(w.o.Refinements, defaultRefinements), false,
			func(f *Matrix) (*measurement, error) { return w.measure(m, f, nil) })
	}
	model := m.model(at.f, best)
	// Means and axes of the clusters are those of the summary. A model that a context ended has them, too.
	model.Memberships = best.g
	wrong := model.label(m.detached().data, nil)
	model.Memberships, model.Clusters = nil, nil
	if err == nil {
		err = wrong
	}
	if err == nil && w.handsOut() {
		_, err = w.measure(m, at.f, &metric{model.ClusterMeans, model.ClusterAxes})
	}
	if err != nil {
		if cancelled(w.ctx) == nil { // an error of the rows or of Memberships
			return nil, err
		}
		model.Status = StatusCancelled
	}
	model.rate(w.p.frame(w.ctx, w.o.Workers), at.direct, m.pc)
	model.Stationarity = at.stationarity(best.lambda, m.pc.total)
	missed, allowed := 0.0, m.allowance()
	if m.bySlack() && at.objective > m.target()+closeShare*allowed {
		missed = min(at.objective/m.target(), math.MaxFloat64)
	}
	model.Warnings = findWarnings(at.f, &at.membershipStats, m.spread(), missed)
	return model, err
}

// checkInMemory is an error for options that FitMinVolumeSeq does not have.
func checkInMemory(o *MinVolumeOptions) error {
	if o.NonNegative {
		return fail(ErrOption, "NonNegative is for data in memory")
	}
	return checkGivenRows(o)
}
