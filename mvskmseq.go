package softkmeans

// Minimal-volume soft k-means of data that is read block by block. It is solved on a summary that fits into
// memory, measured on all rows, and corrected by what the measurement shows.

import (
	"context"
	"iter"
	"math"
	"math/rand/v2"
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
	p        *StreamSubspace
	size     int                   // of the summary
	residual float64               // of all rows, in the coordinates of the summary
	problems map[int]*blockProblem // by the size of blocks: the full one, and that of the last
}

// check checks what can be checked before the first block.
func (w *streamedFit) check() error {
	if err := firstError(checkInMemory(&w.o.MinVolumeOptions),
		checkMinVolume(w.k, &w.o.MinVolumeOptions), w.sequence.check()); err != nil {
		return err
	}
	if w.o.SummaryRows < 0 {
		return fail(ErrOption, "SummaryRows is "+strconv.Itoa(w.o.SummaryRows))
	}
	return checkSquareOfK(w.k)
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
	err = firstError(w.o.checkCenters(w.k, w.cols), checkSizeOfK(w.k, w.size, max(w.cols, w.k)))
	if err != nil {
		return nil, err
	}
	pc, _, err := w.principalFor(s, w.k, w.o.Sum)
	if err != nil {
		return nil, err
	}
	w.p = &StreamSubspace{moments: s.moments, pc: *pc, k: w.k}
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
	var direct fineSum
	centers := m.toData(f)
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
		t.membershipStats.add(s, b.m.length, g)
		more, err := objectiveOf(s, centers, g, w.o.Sum)
		if err != nil {
			return err
		}
		direct.add(more)
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
	t.direct = direct.value() * (1 + 1.01*gamma(fineDepth(w.p.rows)))
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
		at.membershipStats.add(m.s, m.length, best.g)
	} else if w.o.Refinements >= 0 {
		at, best, err = refine(at, best, orDefault(w.o.Refinements, defaultRefinements), false,
			func(f *Matrix) (*measurement, error) { return w.measure(m, f, nil) })
	}
	model := m.model(at.f, best)
	// Means and axes of the clusters are those of the summary.
	model.Memberships = best.g
	if err == nil {
		err = model.label(m.data, nil, m.quick)
	}
	model.Memberships, model.Clusters = nil, nil
	if err == nil && w.handsOut() {
		_, err = w.measure(m, at.f, &metric{model.ClusterMeans, model.ClusterAxes})
	}
	if err != nil {
		if cancelled(w.ctx) == nil { // an error of the rows or of Memberships
			return nil, err
		}
		model.Status = StatusCancelled
	}
	s := w.p.frame(w.ctx, w.o.Workers)
	if wrong := m.pc.check(s, at.direct); err == nil && wrong != nil {
		return nil, wrong
	}
	model.Certificate = compareWithFloor(s, at.direct, m.pc)
	if model.Status == StatusCancelled { // the objective is an estimate
		model.Certificate.Solver = SolverAuto
	}
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
	if o.bounded() {
		return fail(ErrOption, "bounds (NonNegative, Lower, Upper) are for data in memory")
	}
	return nil
}

// A weighted summary of more rows than memory holds. Rows are drawn with the probabilities of O. Bachem, M.
// Lucic and A. Krause, Scalable k-Means Clustering via Lightweight Coresets (2018): half by weight, half by
// squared distance from the mean. The outermost rows of the principal subspace are added. The smallest
// simplex around the data depends on them, and a draw would miss them.
//
// The draws deviate from the source: the probability is cut into as many equal shares as there are draws, and
// one falls into each. That takes one pass, and no estimate's variance is larger than with independent draws.

// The two outermost rows are taken along lines of the subspace: linesPerCenter for each
// of its directions and one more, at most mostLines. Of the ends of these lines one in k
// finds a given corner of a simplex of k corners.
const (
	linesPerCenter = 16
	mostLines      = 128
)

// summary collects rows in one pass over the rows of a subspace: those drawn, and the extremes.
type summary struct {
	p        *StreamSubspace
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

// weightedRow has a row, its number, and its weight in scaled units.
type weightedRow struct {
	number int
	weight float64
	row    []float64
}

// newSummary returns an empty summary for at most size rows.
func newSummary(p *StreamSubspace, size int, seed uint64) *summary {
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

// chunkExtremes has the extremes among the rows of a chunk.
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
