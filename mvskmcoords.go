package softkmeans

// The coordinates of runs of minimal volume: leading directions first, all columns or the row space at the
// end. The model of the best run.

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// begin returns the coordinates in which the fit begins: leading directions if they are known and at most two
// thirds as many as the coordinates in which the fit ends. With Plain, or with more directions, they are the
// coordinates of the end. Sparse rows without a basis always begin in leading directions.
func (p *minVolume) begin() (*alternation, error) {
	lead, q, size := p.pc.leading, narrowColumns(p.k), p.columns()
	if p.basis != nil && p.basis.Rows >= q { // the first rows of basis are the leading directions
		lead = p.basis
	}
	_, sparse := p.rows.(*sparseSamples)
	products := sparse && p.basis == nil
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
	m, err := p.in(p.withFixed(rowsOf(lead, 0, q)))
	if err == nil {
		m.narrow, m.residual = true, max(0, p.pc.total-squaresBeyond(p.data, m.z, nil))
	}
	return m, err
}

// withFixed returns orthonormal rows that span the rows of basis, which come first, and the fixed centers.
func (p *minVolume) withFixed(basis *Matrix) *Matrix {
	all, q := NewMatrix(basis.Rows+p.o.Fixed.Rows, basis.Cols, nil), basis.Rows
	copyRows(all, basis)
	copyRows(rowsOf(all, q, all.Rows), p.data.fromData(p.o.Fixed, nil))
	orthonormalize(context.Background(), all, q)
	return all
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
		if m.box, err = p.newBox(); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// in returns the alternation in the coordinates of a basis; nil: the data's own axes, in which sparse rows
// stay as they are.
func (p *minVolume) in(basis *Matrix) (*alternation, error) {
	m := &alternation{
		minVolume: p, s: p.data, r: p.data.d, axes: basis,
		most: cmp.Or(p.o.MaxIter, defaultMaxIter), tol: p.o.Tol, progress: p.o.Progress,
	}
	if basis != nil {
		m.r = basis.Rows
	}
	m.fixed = p.data.fromData(p.o.Fixed, basis)
	if basis == nil {
		if m.sparse, _ = p.rows.(*sparseSamples); m.sparse != nil {
			return m, nil
		}
	}
	m.z = NewMatrix(m.s.n, m.r, nil)
	return m, p.rows.changeBasis(m.z, basis)
}

// end returns the coordinates in which the fit ends: m, or the result of full.
func (m *alternation) end() (*alternation, error) {
	if !m.narrow {
		return m, nil
	}
	return m.full()
}

// lift converts centers from the coordinates of m to the coordinates in which the fit ends.
func (m *alternation) lift(f *Matrix) *Matrix {
	switch {
	case !m.narrow:
		return f
	case m.basis != nil:
		out := NewMatrix(m.k, m.basis.Rows, nil)
		copyRows(out, f)
		return out
	}
	// without a context: the last pass needs a start even after the context has ended.
	return combine(context.Background(), f, m.axes)
}

// toData converts centers from the coordinates of m to the data's units, at most mostCenter in size and
// within their bounds. Fixed centers are returned as they were given.
func (m *alternation) toData(f *Matrix) *Matrix {
	s := m.data
	out := NewMatrix(m.k, s.d, nil)
	copyRows(out, m.o.Fixed)
	for a := m.o.Fixed.Rows; a < m.k; a++ {
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
		}
	}
	m.clip(out)
	return out
}

// clip moves centers in the data's units into their bounds, if there are any.
func (p *minVolume) clip(f *Matrix) {
	for a := 0; p.low != nil && a < f.Rows; a++ {
		for c, v := range f.row(a) {
			f.row(a)[c] = min(max(v, p.low[c]), p.high[c])
		}
	}
}

// principalRows returns the coordinates of the rows in the principal subspace (n×p), and the axes of this
// subspace in the coordinates of m (p×r). If the context ends here, the error is dropped, and the next pass
// returns it.
func (m *alternation) principalRows() (w, axes *Matrix) {
	p := m.pc.basis.Rows
	if m.axes != nil { // the first axes are the principal ones; for k > d there may be fewer than p
		p = min(p, m.r)
		axes = NewMatrix(p, m.r, nil)
		for c := range p {
			axes.row(c)[c] = 1
		}
		return &Matrix{Rows: m.s.n, Cols: p, Stride: m.z.Stride, Data: m.z.Data}, axes
	}
	w = NewMatrix(m.s.n, p, nil)
	if m.sparse != nil {
		_ = m.sparse.changeBasis(w, m.pc.basis)
		return w, m.pc.basis
	}
	timesT(w, m.z, m.pc.basis)
	return w, m.pc.basis
}

// lifted returns the centers of r as a start in the coordinates in which the fit ends.
func (r *volumeRun) lifted() runStart { return runStart{r.m.lift(r.f), r.restart} }

// follow puts the trace of an earlier run before the trace of r, which began at the last centers and λ of the
// earlier run. The two losses at this point differ by rounding only. Entries of the earlier trace below the
// first entry of r are raised to it, so that the trace does not rise. If bounds raise the loss, the trace
// begins with r.
func (r *volumeRun) follow(earlier *volumeRun) {
	begin, last := r.trace[0], earlier.trace[len(earlier.trace)-1]
	if begin <= last+1e-9*math.Abs(last) {
		trace := slices.Clone(earlier.trace[:len(earlier.trace)-1])
		for i, v := range trace {
			trace[i] = max(v, begin)
		}
		r.trace = append(trace, r.trace...)
	}
	r.iterations = len(r.trace) - 1
}

// atEnd converts r, a run that ctx ended, to the coordinates in which the fit of m's rows ends, by one pass
// without the context. It returns nil, nil if the pass may take more than a second. If centers are affinely
// dependent, a row is assumed to take 32 times as long.
func (m *alternation) atEnd(r *volumeRun) (out *volumeRun, err error) {
	work := float64(m.data.n) * float64(m.k) * float64(m.columns()+m.k)
	if m.k > m.columns()+1 {
		work *= 32
	}
	if work > 1<<28 {
		return nil, nil
	}
	err = m.data.withoutContext(func() error {
		all, err := m.end()
		if err == nil {
			all.progress = nil
			out = all.run(r.lifted(), r.lambda, 0, nil)
		}
		return err
	})
	return out, err
}

// finish returns the model of the best run. ended is the error that ended the computation early, and is
// returned with the model.
func (r *volumeRun) finish(ended error) (*Model, error) {
	if r == nil {
		return nil, ended
	}
	if r.m.narrow && r.m.low != nil { // only in all columns do centers have bounds
		out, err := r.m.atEnd(r)
		if err != nil {
			return nil, err
		}
		if out != nil {
			out.follow(r)
			r = out
		}
	}
	x, s, o, m := r.m.rows, r.m.data, &r.m.o, r.found
	if m == nil {
		m = &Model{Centers: r.m.toData(r.f), Sum: o.Sum, Lambda: s.unscaleSquare(r.lambda), Slack: o.Slack}
	}
	m.Memberships, m.Iterations, m.Status = r.g, r.iterations, r.status
	for _, loss := range r.trace {
		m.Trace = append(m.Trace, r.dataLoss(loss))
	}
	m.Stationarity = r.m.stationarity(r.iterate, r.lambda)
	if r.lambda > 0 {
		m.Volume = o.Volume
		m.Epsilon = min(math.Ldexp(r.m.eps, 2*s.exp), math.MaxFloat64)
	}
	zeros := s.zeroWeights()
	crowd := crowded(r.m.k, s.n-len(zeros), r.m.pc.rank(s), o.Sum)
	if ended == nil && r.found == nil {
		ended = m.label(x, largest(nil, m.Memberships), r.m.pc.leading, r.m.quick)
		// Predict would return other memberships than the iteration for dependent centers.
		if ended == nil && crowd != nil {
			ended = m.solveRows(x, indices(s.n))
		}
	}
	err := s.withoutContext(func() error { // the remaining work is short
		if err := m.solveRows(x, zeros); err != nil {
			return err
		}
		objective, err := x.objective(m.Centers, m.Memberships, m.Sum)
		if err != nil {
			return err
		}
		return m.rate(x, objective, r.m.pc)
	})
	if err != nil {
		return nil, err
	}
	if ended != nil {
		m.Status = StatusCancelled
	}
	length := func(i int) float64 { return norm2(r.m.z.row(i)) }
	if r.m.sparse != nil {
		length = func(i int) float64 { return math.Sqrt(r.m.sparse.squares[i]) }
	}
	spread := math.Sqrt(r.m.perWeight(r.m.pc.total)) // the root mean square distance from the mean, or from 0
	m.Warnings = findWarnings(crowd, r.f, r.g, r.m.s, length, spread)
	if r.missed > 0 {
		m.Warnings = append(m.Warnings, Warning{Kind: WarnSlack, Value: r.missed})
	}
	return m, ended
}
