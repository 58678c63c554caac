package softkmeans

// The coordinates in which runs of minimal volume are made: leading directions first, all columns or the row
// space at the end. The model of the best run.

import (
	"context"
	"math"
	"slices"
)

// openMinVolume checks a call, finds the floor, and returns the coordinates in which the fit begins.
// penalty says whether the volume counts, as it does for all but FitAlternating.
func openMinVolume(
	ctx context.Context, x Samples, k int, o *MinVolumeOptions, penalty bool,
) (*alternation, error) {
	if err := checkMinVolume(k, o); err != nil {
		return nil, err
	}
	s, err := openVolume(ctx, x, k, o)
	if err != nil {
		return nil, err
	}
	err = firstError(o.checkCenters(k, s.d), checkBounds(s.d, o), checkSquareOfK(k),
		checkSizeOfK(k, k+1, max(s.n, s.d)))
	if err != nil {
		return nil, err
	}
	p := s.directions(k, o.Sum)
	all := narrowColumns(k)
	if rowSpace(s) {
		all = s.rankBound()
	}
	q := wanted{p, max(0, min(all, s.d)-p)}
	var pc *principal
	if s.far != nil {
		pc, err = s.far.(volumeRows).principal(q, SolverAuto, toFit)
	} else {
		pc, err = findLeading(s, q, SolverAuto, toFit)
	}
	if err != nil {
		return nil, err
	}
	m, err := newMinVolume(s, k, o, pc)
	if err != nil {
		return nil, err
	}
	if penalty {
		m.setEpsilon()
	}
	return m.begin()
}

// openVolume opens x, dense or sparse.
func openVolume(ctx context.Context, x Samples, k int, o *MinVolumeOptions) (*samples, error) {
	if sparse, ok := x.(sparseTable); ok {
		return sparse.openVolume(ctx, k, o)
	}
	rows, _ := x.(*Matrix)
	return newSamples(ctx, rows, o.Weights, o.Workers, o.Sum == SumToOne)
}

// begin returns the coordinates in which the fit begins: leading directions where these are known, and at
// most two thirds as many as those in which it ends.
func (p *minVolume) begin() (*alternation, error) {
	lead, q, size := p.pc.leading, narrowColumns(p.k), p.columns()
	if p.basis != nil && p.basis.Rows >= q { // its first rows are the leading directions
		lead = p.basis
	}
	products := p.data.far != nil && p.basis == nil
	if products {
		q = min(q, lead.Rows)
		size = q
	}
	if err := checkSize("a copy of x", p.data.n, size); err != nil {
		return nil, err
	}
	if !products && (lead == nil || q > lead.Rows || 3*q > 2*size || p.o.Plain) {
		return p.full()
	}
	m, err := p.in(rowsOf(lead, 0, q))
	if err == nil {
		m.narrow, m.residual = true, max(0, p.pc.total-squaresBeyond(p.data, m.z, nil))
	}
	return m, err
}

// full returns the coordinates in which the fit ends.
func (p *minVolume) full() (*alternation, error) {
	m, err := p.in(p.basis)
	if err != nil {
		return nil, err
	}
	if p.basis != nil && p.basis == p.pc.basis {
		m.residual = p.pc.floor
	}
	if p.low != nil {
		m.box = p.newBox()
	}
	return m, nil
}

// in copies the samples into coordinates in a basis.
func (p *minVolume) in(basis *Matrix) (*alternation, error) {
	r := p.data.d
	if basis != nil {
		r = basis.Rows
	}
	m := &alternation{
		minVolume: p, s: p.data, axes: basis,
		most: p.o.MaxIter, tol: p.o.Tol, close: closeShare, progress: p.o.Progress,
	}
	if basis == nil && p.data.far != nil {
		m.far, m.z = p.data.far.(volumeRows), &Matrix{Rows: p.data.n, Cols: r}
		return m, nil
	}
	m.z = NewMatrix(p.data.n, r, nil)
	return m, changeBasis(p.data, m.z, basis)
}

// length returns the length of sample i in the coordinates of m.
func (m *alternation) length(i int) float64 {
	if m.far != nil {
		return m.far.length(i)
	}
	return norm2(m.z.row(i))
}

// end returns the coordinates in which the fit ends: m, or those of full.
func (m *alternation) end() (*alternation, error) {
	if !m.narrow {
		return m, nil
	}
	return m.full()
}

// lift takes centers from the coordinates of m to those in which the fit ends.
func (m *alternation) lift(f *Matrix) *Matrix {
	switch {
	case !m.narrow:
		return f
	case m.basis != nil:
		out := NewMatrix(m.k, m.basis.Rows, nil)
		copyRows(out, f)
		return out
	}
	return combine(context.Background(), f, m.axes) // also after the end
}

// fromData takes centers from the data's units to the coordinates of z. Given centers may be 2^1020 times
// as large as the data. They count as 2^200 times its size at most, so that sums of squares are finite.
func (m *alternation) fromData(f *Matrix) *Matrix {
	s := m.data
	out := NewMatrix(m.k, m.z.Cols, nil)
	row := make([]float64, s.d)
	for a := range m.k {
		for c, v := range f.row(a) {
			row[c] = min(max(math.Ldexp(v, -s.exp), -0x1p200), 0x1p200) - s.mean[c]
		}
		if m.axes == nil {
			copy(out.row(a), row)
			continue
		}
		for c := range out.Cols {
			out.row(a)[c] = dot(row, m.axes.row(c))
		}
	}
	return out
}

// toData takes centers from the coordinates of z to the data's units, at most mostCenter in size and within
// their bounds.
func (m *alternation) toData(f *Matrix) *Matrix {
	s := m.data
	out := NewMatrix(m.k, s.d, nil)
	for a := range m.k {
		row := out.row(a)
		copy(row, s.mean)
		if m.axes == nil {
			axpy(row, 1, f.row(a))
		} else {
			for c, v := range f.row(a) {
				axpy(row, v, m.axes.row(c))
			}
		}
		for c, v := range row {
			row[c] = min(max(math.Ldexp(v, s.exp), -mostCenter), mostCenter)
			if m.low != nil {
				row[c] = min(max(row[c], m.low[c]), m.high[c])
			}
		}
	}
	return out
}

// principalRows returns the samples in the principal subspace, n×p, and the subspace's axes in the
// coordinates of z, p×r.
func (m *alternation) principalRows() (w, axes *Matrix) {
	p := m.pc.basis.Rows
	if m.axes != nil { // its first rows are the principal ones; for k > d it may have fewer than p
		p = min(p, m.z.Cols)
		axes = NewMatrix(p, m.z.Cols, nil)
		for c := range p {
			axes.row(c)[c] = 1
		}
		return &Matrix{Rows: m.z.Rows, Cols: p, Stride: m.z.Stride, Data: m.z.Data}, axes
	}
	w = NewMatrix(m.z.Rows, p, nil)
	if m.far != nil {
		_ = m.data.far.changeBasis(w, m.pc.basis)
		return w, m.pc.basis
	}
	// No error is lost: the next pass finds a context that ends here.
	_ = m.s.eachBlock(m.z.Rows, m.s.d, manyChunks, 0, func(at block) {
		rows, d := at.hi-at.lo, m.s.d
		addMulNT(w.Data[at.lo*p:at.hi*p], p, m.z.Data[at.lo*d:], rows, m.pc.basis.Data, p, d, false)
	})
	return w, m.pc.basis
}

// detached returns m without the caller's context and Progress, for what is short.
func (m *alternation) detached() *alternation {
	p, out := *m.minVolume, *m
	p.data, out.s = p.data.under(context.Background()), m.s.under(context.Background())
	if m.far != nil {
		out.far = p.data.far.(volumeRows)
	}
	out.minVolume, out.progress = &p, nil
	return &out
}

// lifted returns the centers of r as a start where the fit ends.
func (r *volumeRun) lifted() runStart { return runStart{r.m.lift(r.f), r.restart} }

// inFull continues a run in leading directions where the fit ends, by a function of these coordinates and
// the centers of r. If the context ends before there is another run, it returns r.
func (r *volumeRun) inFull(run func(all *alternation, from runStart) *volumeRun) (*volumeRun, error) {
	if !r.m.narrow {
		return r, cancelled(r.m.s.ctx)
	}
	all, err := r.m.full()
	if err != nil {
		return r, err
	}
	if out := run(all, r.lifted()); out != nil {
		r = out
	}
	return r, cancelled(all.s.ctx)
}

// after continues r from its centers in other coordinates, at the same λ.
func (r *volumeRun) after(all *alternation, from runStart) *volumeRun {
	out := all.run(from, r.lambda, max(0, all.most-r.iterations), nil)
	if out != nil {
		out.follow(r)
	}
	return out
}

// afterEnd takes the centers of a run that a context ended to the end of the fit that began with m. It is
// one pass. The result is nil without an error where that may take a second. Rows are solved up to some
// thirty times where centers depend on each other.
func (m *alternation) afterEnd(r *volumeRun) (*volumeRun, error) {
	work := float64(m.data.n) * float64(m.k) * float64(m.columns()+m.k)
	if m.k > m.columns()+1 {
		work *= 32
	}
	if work > 1<<28 {
		return nil, nil
	}
	all, err := m.detached().end()
	if err != nil {
		return nil, err
	}
	return all.run(r.lifted(), r.lambda, 0, nil), nil
}

// inBounds takes a run that a context ended in leading directions to all columns, where centers have their
// bounds. It is one pass.
func (r *volumeRun) inBounds() (*volumeRun, error) {
	if r == nil || !r.m.narrow || r.m.low == nil {
		return r, nil
	}
	out, err := r.m.afterEnd(r)
	if out != nil {
		out.follow(r)
	}
	return out, err
}

// follow puts the trace of an earlier run before that of r, which began at its last centers and λ. The loss
// there is the same, but for rounding, by which the earlier trace is raised so that it does not rise. Where
// bounds cost more, the trace begins there.
func (r *volumeRun) follow(earlier *volumeRun) {
	begin, last := r.trace[0], earlier.trace[len(earlier.trace)-1]
	if begin <= last+1e-9*math.Abs(last) {
		trace := slices.Clone(earlier.trace)
		trace[len(trace)-1] = begin
		for i := range trace {
			trace[i] = max(trace[i], begin)
		}
		r.trace = append(trace, r.trace[1:]...)
	}
	r.iterations = len(r.trace) - 1
}

// model returns the model of centers f in the coordinates of m, with the figures of a run. It has no
// memberships, warnings, and nothing of what rate sets.
func (m *alternation) model(f *Matrix, run *volumeRun) *Model {
	s := m.data
	out := &Model{
		Centers: m.toData(f), Lambda: s.unscaleSquare(run.lambda), Sum: m.o.Sum,
		Iterations: run.iterations, Status: run.status, Trace: run.trace,
	}
	if run.lambda > 0 {
		out.Volume = m.o.Volume
		out.Epsilon = min(math.Ldexp(m.eps, 2*s.exp), math.MaxFloat64)
	}
	return out
}

// finish makes the model of the best run. err is the error that ended the computation early, which is
// returned with it.
func (r *volumeRun) finish(err error) (*Model, error) {
	if r == nil {
		return nil, err
	}
	s, m := r.m.detached().data, r.m.model(r.f, r)
	m.Memberships = r.g
	err, wrong := r.m.rate(s, m, r.m.quick, err)
	if wrong != nil {
		return nil, wrong
	}
	if err != nil {
		m.Status = StatusCancelled
	}
	r.warn(m)
	return m, err
}

// rate sets what follows from the centers and memberships of out, and the memberships of rows of weight 0. s
// are the samples without their context. Once that has ended, whose error is returned first, out has no
// labels.
func (m *alternation) rate(s *samples, out *Model, quick bool, ended error) (_, wrong error) {
	objective, wrong := out.complete(s)
	if wrong == nil {
		_, wrong = out.rate(s, objective, m.pc)
	}
	if ended != nil || wrong != nil {
		return ended, wrong
	}
	return out.label(m.data, m.pc.leading, quick), nil
}

// complete finds the memberships of rows of weight 0, and returns the objective.
func (m *Model) complete(s *samples) (objective float64, err error) {
	if s.far != nil {
		far := s.far.(volumeRows)
		if err := far.solveRows(m.Centers, m.Memberships, m.Sum, s.zeroWeights()); err != nil {
			return 0, err
		}
		return far.objective(m.Centers, m.Memberships, m.Sum)
	}
	if err := solveRows(s, m.Centers, m.Memberships, m.Sum, s.zeroWeights()); err != nil {
		return 0, err
	}
	return objectiveOf(s, m.Centers, m.Memberships, m.Sum)
}

// warn sets what a model says of its run: how far it is from rest, and reasons for doubt.
func (r *volumeRun) warn(m *Model) {
	m.Stationarity = r.stationarity(r.lambda, r.m.pc.total)
	var members membershipStats
	members.add(r.m.s, r.m.length, r.g)
	m.Warnings = findWarnings(r.f, &members, r.m.spread(), r.missed)
}
