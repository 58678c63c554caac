package softkmeans

// The coordinates in which runs of minimal volume are made: leading directions first, all columns or the row
// space at the end. The model of the best run.

import (
	"cmp"
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
	r, wrong := r.inBounds()
	if r == nil || wrong != nil {
		return nil, cmp.Or(wrong, err)
	}
	s, m := r.m.detached().data, r.m.model(r.f, r)
	m.Memberships = r.g
	err, wrong = r.m.rate(s, m, r.m.quick, err)
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
	if m.Status != StatusCancelled {
		m.LossGap = r.lossGap()
	}
	var members membershipStats
	members.add(r.m.s, r.m.length, r.g)
	m.Warnings = findWarnings(r.f, &members, r.m.spread(), r.missed)
}

// lossGap returns Model.LossGap.
func (r *volumeRun) lossGap() float64 {
	if total := r.m.pc.total; r.lambda > 0 && total > 0 {
		return min(max(0, r.lossAt(r.lambda)-r.m.lossFloor(r.lambda))/total, math.MaxFloat64)
	}
	return 0
}

// lossFloor returns a number that is at most the loss L(F, G) of every pair at a λ, in scaled units.
//
// Let p = k−1, W be the sum of the weights, Y the weighted rows about their mean, and Ŷ = M·(BᵀF) as in
// proof/volume.go, with tr MᵀM ≤ C = W(1 − 1/k). Let s_i, m_i, c_i be the singular values of Ŷ, M and
// BᵀF, and x_i = m_i². As Ŷ has rank p at most, ‖X − GF‖² is at least Σ_{i≤p}(σ_i − s_i)² +
// Σ_{i>p}σ_i² (Mirsky). If M and BᵀF have full rank, which small changes give them, log c majorizes log
// s − log m (Gel'fand and Naimark). As log(e^2u + ε) is convex in u, Σlog(c_i² + ε) is at least
// Σlog(s_i²/x_i + ε). So for every ν ≥ 0
//
//	L ≥ Σ_{i>p} σ_i² + Σ_{i≤p} min_{s,x} [(σ_i − s)² + (λ/2)·log(s²/x + ε) + νx] − νC,
//
// since Σx_i ≤ C. The minimum rises with σ_i, so lower bounds of σ_i do. For ν = 0 it is (λ/2)·log
// ε.
//
// VolumeOrigin: the i-th singular value of F is at least c_i, and the k-th adds (λ/2)·log ε or more.
//
// SumAtMostOne: Y is not centred. With VolumeOrigin Ŷ = MF for M = diag(√w)G, p = k and tr MᵀM ≤ W.
// With VolumeAffine GF = (G1)·f̄ᵀ + GB·BᵀF for the mean f̄ of the centers. The complement of f̄
// has the second term alone. There the i-th singular value of Y is σ_{i+1} or more, and ‖g_i‖² −
// (1ᵀg_i)²/k adds up to ‖GB‖².
func (m *alternation) lossFloor(lambda float64) float64 {
	s, k, half := m.data, float64(m.k), lambda/2
	w, _ := m.detached().principalRows()
	mass, length := s.mass().value()*(1+0x1p-40), math.Sqrt(m.pc.total+m.pc.totalError)
	if s.far != nil { // rows and mean are projected one by one
		length += math.Sqrt(mass) * norm2(s.mean)
	}
	// Each copy of a row and its negative, of half its weight, have a mean of 0.
	copies := 1
	if !s.centred {
		copies = 2
	}
	rows, weights := NewMatrix(copies*s.n, w.Cols, nil), make([]float64, copies*s.n)
	for i := range weights {
		axpy(rows.row(i), float64(1-2*(i%copies)), w.row(i/copies))
		weights[i] = s.weight(i/copies) / float64(copies)
	}
	sigma, terms, most := singularValues(rows, weights), m.k-1, mass*(1-1/k)
	empty := half * math.Log(m.eps) // the term of a singular value of 0
	least := max(0, m.pc.floor-m.pc.floorError)
	switch origin := m.contrasts == nil; {
	case s.centred && origin:
		least += empty
	case origin:
		terms, most = m.k, mass
	case !s.centred:
		sigma = sigma[min(1, len(sigma)):]
	}
	// The rounding in w; and the axes are orthonormal but for that.
	rounding, squares := float64(s.d+8)*0x1p-52, 0.0
	for i, v := range sigma {
		sigma[i] = max(0, v-math.Sqrt(float64(w.Cols))*rounding*length) * (1 - rounding)
		squares += sigma[i] * sigma[i]
	}
	// The dual is concave in ν. Its slope Σx_i − C is below 0 from high on, as x_i ≤ λ/(2ν).
	high := float64(terms) * half / max(most, 0x1p-500)
	low, best := high*0x1p-64, float64(len(sigma))*empty
	for range 50 {
		nu := math.Sqrt(low) * math.Sqrt(high)
		value, used := -nu*most, 0.0
		for _, v := range sigma {
			term, x := leastTerm(v*v, half, m.eps, nu)
			value, used = value+term, used+x
		}
		if best = max(best, value); used > most {
			low = nu
		} else {
			high = nu
		}
	}
	// No logarithm is above 2^10, and of more terms the sums are off by more.
	off := (squares + math.Abs(least) + 0x1p10*lambda*float64(terms)) * (0x1p-40 + float64(terms)*0x1p-52)
	return least + best + float64(terms-len(sigma))*empty - off
}

// leastTerm returns the least of (σ − s)² + (λ/2)·log(s²/x + ε) + νx, for σ², λ/2 and ν > 0,
// and its x.
//
// For a given r = s²/x it is σ²ν/(r+ν) + (λ/2)·log(r + ε), and s = σr/(r+ν). The slope in y =
// r+ν is 0 where y² − 2ay + 2a(ν−ε) = 0, a = σ²ν/λ, and the value is least at the larger root
// or at r = 0. The square root is off by 2^-25 of its part at most, since 2(ν−ε)/a ≤ 1 where there is
// a root. The second derivative in log y is at most 2λ near it: there y−ν+ε = y²/(2a) ≥ y/2. So the
// value is off by some 2^-48·λ, and by roundings.
func leastTerm(square, half, eps, nu float64) (least, x float64) {
	empty, a, t := half*math.Log(eps), square*nu/(2*half), nu-eps
	if !(a > 0x1p-500) { // no term is less
		return empty, 0
	}
	y := max(nu, a*(1+math.Sqrt(max(0, 1-2*t/a))))
	least = square*(nu/y) + half*math.Log(max(y-t, eps))
	if square+empty <= least {
		return square + empty, 0
	}
	return least, square * ((y - nu) / y) / y
}

// singularValues returns numbers that are at most the singular values of the rows √v_i·(w_i
// − w̄), descending, and little smaller.
//
// The scatter matrix is off by at most γ(m+8) of its trace, and by the square of that for the rounded mean,
// where a term goes through m sums. For eigenvectors in the rows of V, R = SVᵀ − VᵀΘ and N = VVᵀ −
// I, some orthogonal Q is within ‖N‖ of Vᵀ. So QᵀSQ is within ‖R‖ + 3‖N‖·‖S‖ of Θ,
// which bounds the error of every eigenvalue (Weyl). Package proof has the same in moments.go, since it uses
// exported names alone: change both.
func singularValues(w *Matrix, v []float64) (sigma []float64) {
	p := w.Cols
	mean, row := make([]float64, p), make([]float64, p)
	var sum, raw float64
	rows, done := 0, 0 // of positive weight
	for i, u := range v {
		if u > 0 {
			axpy(mean, u, w.row(i))
			sum += u
			raw += u * sumSquares(w.row(i))
			rows++
		}
	}
	scale(mean, 1/sum)
	s, part := NewMatrix(p, p, nil), NewMatrix(p, p, nil)
	for i, u := range v {
		if !(u > 0) {
			continue
		}
		copy(row, w.row(i))
		axpy(row, -1, mean)
		for c, e := range row {
			axpy(part.row(c), u*e, row)
		}
		if done++; done%scatterRows == 0 || done == rows {
			axpy(s.Data, 1, part.Data)
			clear(part.Data)
		}
	}
	values, vectors := eigenSym(context.Background(), s.Clone())
	size, rounding := trace(s), float64(min(rows, scatterRows)+rows/scatterRows+p+16)*0x1p-52
	var residual, skew float64
	for i, theta := range values {
		x := vectors.row(i)
		for c := range row {
			row[c] = dot(s.row(c), x) - theta*x[c]
		}
		residual += sumSquares(row)
		for j := range values {
			e := dot(vectors.row(j), x)
			if i == j {
				e--
			}
			skew += e * e
		}
	}
	off := math.Sqrt(residual) + 3*math.Sqrt(skew)*size + 2*rounding*size +
		float64(rows)*float64(rows)*0x1p-104*raw
	sigma = values
	for i, theta := range values {
		sigma[i] = math.Sqrt(max(0, theta-off)) * (1 - 0x1p-50)
	}
	return sigma
}

// scatterRows is how many rows singularValues adds up before it adds their sum to others.
const scatterRows = 512
