package softkmeans

// The loop that FitAlternating and FitMinVolume share: block coordinate descent
// on the paper's MVSkM objective (Algorithm 2),
//
//	L(F, G) = ‖X − GF‖² + (λ/2)·Σ_i log(σ_i²(F) + ε),
//
// with an exact G-step and the F-step that minimises the paper's majoriser of
// the logarithms. λ = 0 is the alternating method (SkM-AM).

import (
	"context"
	"math"
)

// mixture is a problem for the loop: samples in coordinates of their own, what
// is penalised, and by how much.
type alternation struct {
	ctx   context.Context
	s     *samples
	z     *Matrix // n×r: the samples, scaled and centred, in an orthonormal basis
	left  float64 // weighted squares that the basis leaves out: a part of every fit
	total float64 // weighted squares of the samples, all in all
	k     int
	sum   Sum
	// contrasts is B, k×(k−1), of VolumeAffine; nil for VolumeOrigin.
	contrasts   *Matrix
	lambda, eps float64
	more        func(to *iterate) // adds to the sums and the fit; nil: nothing. See correction.
	work        *passMemory       // made by the first visit
}

// state is a point (F, G) of the iteration with what the next F-step needs.
type iterate struct {
	f     *Matrix // k×r
	g     *Matrix // n×k, optimal for f
	gg    *Matrix // GᵀG, weighted
	gz    *Matrix // GᵀZ, weighted, k×r
	fit   float64 // ‖X − GF‖², weighted
	logs  float64 // Σ log(σ_i² + ε)
	inner *Matrix // D, k×k
	value float64 // L
	info  SimplexInfo
}

func (m *alternation) newState() *iterate {
	k, r := m.k, m.z.Cols
	return &iterate{f: NewMatrix(k, r, nil), g: NewMatrix(m.z.Rows, k, nil),
		gg: NewMatrix(k, k, nil), gz: NewMatrix(k, r, nil), inner: NewMatrix(k, k, nil)}
}

// visits is the memory of the visits to states of one mixture: from the second
// on they allocate nothing, nor does centersStep, but for goroutines.
type passMemory struct {
	problem simplexProblem
	parts   []chunkSums
	workers []workerMemory
	step    int // rows of a block
	task    func(worker, chunk int)
	// The visit at hand.
	m    *alternation
	to   *iterate
	warm *Matrix
	// Of penalty and centersStep.
	contrasted, half *Matrix
	a, inverse       []float64
	scratch          []float64
	spare            *iterate // what the last run did not return
}

// partial is what a chunk of samples adds to a state.
type chunkSums struct {
	gg, gz *Matrix // of gg the part on and right of the diagonal
	fit    float64
	info   SimplexInfo
}

// hand is what a worker works with.
type workerMemory struct {
	solver  rowSolver
	begun   bool
	scratch []float64
	row     []float64
	coef    []float64 // of a sample: the memberships that are not 0
	index   []int     // and their centers
	users   []int     // by center, s.step each: the samples of the block that use it
	shares  []float64 // and their weighted memberships
	count   []int     // of users, by center
}

// memory returns m's memory.
func (m *alternation) memory() *passMemory {
	if m.work != nil {
		return m.work
	}
	k, r := m.k, m.z.Cols
	c := chunks(m.z.Rows, r, reduceChunks)
	v := &passMemory{parts: make([]chunkSums, c), workers: make([]workerMemory, max(1, min(m.s.workers, c))), step: min(blockRows(m.z.Rows, r), max(m.z.Rows, 1))}
	for t := range v.parts {
		v.parts[t].gg, v.parts[t].gz = NewMatrix(k, k, nil), NewMatrix(k, r, nil)
	}
	v.a, v.inverse, v.scratch = make([]float64, k*k), make([]float64, k*k), make([]float64, k*k)
	v.task = v.chunk
	m.work = v
	return v
}

// pass completes the state for the centers in to.f: one pass over the samples
// with the G-step, the fit and the sums for the next F-step in it. warm has
// memberships whose supports are tried first; nil: none. On an error (a
// context that ended) the state is of no use.
func (m *alternation) pass(to *iterate, warm *Matrix) error {
	v := m.memory()
	v.problem.set(to.f, m.sum)
	for w := range v.workers {
		v.workers[w].begun = false
	}
	v.m, v.to, v.warm = m, to, warm
	runTasks(m.s.workers, len(v.parts), v.task)
	v.m, v.to, v.warm = nil, nil, nil
	if err := cancelled(m.ctx); err != nil {
		return err
	}
	clear(to.gg.Data)
	clear(to.gz.Data)
	to.fit, to.info = m.left, SimplexInfo{}
	for t := range v.parts {
		part := &v.parts[t]
		axpy(to.gg.Data, 1, part.gg.Data)
		axpy(to.gz.Data, 1, part.gz.Data)
		to.fit += part.fit
		to.info.join(part.info)
	}
	mirror(to.gg.Data, m.k)
	if m.more != nil {
		m.more(to)
	}
	m.penalty(to)
	to.value = to.fit + m.lambda/2*to.logs
	return nil
}

// chunk is the part of a visit that one task does.
func (v *passMemory) chunk(worker, task int) {
	part, h := &v.parts[task], &v.workers[worker]
	clear(part.gg.Data)
	clear(part.gz.Data)
	part.fit, part.info = 0, SimplexInfo{}
	if k, r := v.m.k, v.m.z.Cols; h.row == nil {
		h.row, h.coef, h.index = make([]float64, r), make([]float64, k), make([]int, k)
		h.users, h.shares, h.count = make([]int, k*v.step), make([]float64, k*v.step), make([]int, k)
		h.scratch = make([]float64, v.step*(r+v.problem.k))
	}
	if !h.begun {
		h.begun = true
		h.solver.begin(&v.problem)
	}
	first, last := taskRange(v.m.z.Rows, len(v.parts), task)
	for lo := first; lo < last && !stopped(v.m.ctx); lo += v.step {
		v.block(part, h, lo, min(lo+v.step, last))
	}
}

// block does rows lo…hi−1 of a visit.
func (v *passMemory) block(part *chunkSums, h *workerMemory, lo, hi int) {
	m, to, p := v.m, v.to, &v.problem
	r := m.z.Cols
	z := m.z.Data[lo*r : hi*r]
	if !p.same(to.g, lo, hi, &part.info) {
		var b []float64
		if p.near {
			b = h.scratch[:(hi-lo)*p.k]
			p.productsNear(b, z)
		} else {
			b = p.products(block{lo: lo, hi: hi, scratch: h.scratch}, m.z)
		}
		h.solver.rows(m.ctx, solvedRows{to.g, v.warm, lo, hi}, b, &part.info)
	}
	clear(h.count)
	for i := range hi - lo {
		w := m.s.weight(lo + i)
		if w == 0 {
			continue
		}
		n := 0
		for a, g := range to.g.row(lo + i) {
			if g != 0 {
				h.coef[n], h.index[n] = -g, a
				n++
				at := a*v.step + h.count[a]
				h.users[at], h.shares[at] = i, w*g
				h.count[a]++
			}
		}
		coef, index := h.coef[:n], h.index[:n]
		for s, a := range index {
			row, wg := part.gg.row(a), w*coef[s]
			for t, c := range index[s:] {
				row[c] += wg * coef[s+t]
			}
		}
		copy(h.row, z[i*r:(i+1)*r])
		addRows(h.row, coef, index, to.f.Data)
		part.fit += w * sumSquares(h.row)
	}
	for a, n := range h.count {
		at := a * v.step
		addRows(part.gz.row(a), h.shares[at:at+n], h.users[at:at+n], z)
	}
}

// penalty sets logs and D = V diag(1/(σ_i²+ε))Vᵀ for the state's centers.
//
// Errata: Algorithm 2 calls V the left singular vectors of the paper's d×k F;
// D is k×k and needs the right ones, which are the left ones of our k×d F. The
// text's D = V{1/(σ_i²+ε)} lacks its closing Vᵀ.
//
// Erratum: the paper's sums run to k−1 in the proof and to k in the problem.
// They differ by a constant while F1 = 0, which alternating updates do not keep;
// the k-th singular value then measures how far the hull is from the origin.
// VolumeAffine takes the k−1 singular values of the centred F.
func (m *alternation) penalty(to *iterate) {
	to.logs = 0
	clear(to.inner.Data)
	if m.eps == 0 { // FitAlternating; a path wants the volume also where λ is 0
		return
	}
	k, r := m.k, m.z.Cols
	v := m.memory()
	f, size := to.f, k
	if m.contrasts != nil { // BᵀF has the singular values of HF but the structural zero
		f, size = v.contrast(m, to.f), k-1
	}
	if size == 0 {
		return
	}
	a, d := v.a[:size*size], v.inverse[:size*size]
	clear(a)
	addMulNT(a, size, f.Data, size, f.Data, size, r, true)
	mirror(a, size)
	if to.logs = logInverse(d, a, v.scratch[:size*size], size, m.eps); math.IsNaN(to.logs) {
		to.logs = logInverseEigen(d, a, size, m.eps)
	}
	if m.contrasts == nil {
		copy(to.inner.Data, d)
		return
	}
	v.half = reshaped(v.half, k, size) // B·D·Bᵀ; D is symmetric
	clear(v.half.Data)
	addMulNT(v.half.Data, size, m.contrasts.Data, k, d, size, size, false)
	addMulNT(to.inner.Data, k, v.half.Data, k, m.contrasts.Data, k, size, false)
}

// safeCondition is up to which condition number a Cholesky factorization is
// trusted with the logarithms: its error is 2^-53 times that and the order.
const safeCondition = 0x1p40

// logInverse sets d to (A + εI)⁻¹ and returns log det (A + εI), for a symmetric A
// without negative eigenvalues, by a Cholesky factorization: V diag(1/(σ²+ε))Vᵀ
// and Σ log(σ²+ε) for the eigenvalues σ² of A, without any eigenvectors. It returns
// NaN where that is ill-conditioned. A becomes A + εI.
func logInverse(d, a, scratch []float64, n int, eps float64) (logs float64) {
	for i := range n {
		a[i*n+i] += eps
	}
	copy(scratch, a)
	if !cholesky(scratch, n) {
		return math.NaN()
	}
	for i := range n {
		logs += 2 * math.Log(scratch[i*n+i])
	}
	cholInverse(d, scratch, n)
	if !(norm2(d)*norm2(a) <= safeCondition) {
		return math.NaN()
	}
	return logs
}

// logInverseEigen is logInverse for any A, here A + εI, by eigenvalues; those
// that rounding took below 0 count as 0.
func logInverseEigen(d, a []float64, n int, eps float64) (logs float64) {
	values, rows := eigenSym(context.Background(), NewMatrix(n, n, a), true)
	clear(d)
	for i, value := range values {
		value = max(value-eps, 0) + eps
		logs += math.Log(value)
		row := rows.row(i)
		for a, u := range row {
			axpy(d[a*n:(a+1)*n], u/value, row)
		}
	}
	return logs
}

// contrast returns BᵀF, (k−1)×r.
func (v *passMemory) contrast(m *alternation, f *Matrix) *Matrix {
	v.contrasted = reshaped(v.contrasted, m.k-1, f.Cols)
	clear(v.contrasted.Data)
	for a := range m.k {
		for c, b := range m.contrasts.row(a) {
			if b != 0 {
				axpy(v.contrasted.row(c), b, f.row(a))
			}
		}
	}
	return v.contrasted
}

// centersStep overwrites f with the F-step from a state,
//
//	F = (GᵀG + (λ/2)D + δI)⁻¹(GᵀX + δF_t).
//
// Erratum: Algorithm 2 prints λD. That is not the minimiser of the majoriser of
// an objective with λ/2, and the objective can rise; see TestErratumLambdaHalf.
//
// δ is our addition: a proximal term far below the rest, which changes no
// fixed point and keeps descent. A center that no sample uses stays in
// its place, where GᵀG alone would be singular.
func (m *alternation) centersStep(f *Matrix, from *iterate) {
	k, a := m.k, m.memory().a
	copy(a, from.gg.Data)
	axpy(a, m.lambda/2, from.inner.Data)
	var top float64
	for i := range k {
		top = max(top, a[i*k+i])
	}
	delta := top * proximalShare
	for i := range k {
		a[i*k+i] += delta
	}
	copy(f.Data, from.f.Data)
	if !cholesky(a, k) {
		return // cannot be: all eigenvalues are at least δ; F as it was does not rise
	}
	scale(f.Data, delta)
	axpy(f.Data, 1, from.gz.Data)
	// L·Lᵀ·F = right side, a row of F at a time.
	for i := range k {
		for j := range i {
			axpy(f.row(i), -a[i*k+j], f.row(j))
		}
		scale(f.row(i), 1/a[i*k+i])
	}
	for i := k - 1; i >= 0; i-- {
		for j := i + 1; j < k; j++ {
			axpy(f.row(i), -a[j*k+i], f.row(j))
		}
		scale(f.row(i), 1/a[i*k+i])
	}
}

// proximalShare is δ relative to the largest diagonal entry: well above the
// rounding of the Cholesky factorization, 2^-52·k.
const proximalShare = 0x1p-36

// run iterates from a start and returns the last state, which has the lowest
// value, after up to `most` iterations. Steps are extrapolated with Nesterov's
// momentum, (t−1)/(t+9), which is dropped, and starts again, where the objective
// would rise (O'Donoghue & Candès 2015): F-steps alone creep where clusters
// overlap. The usual t+2 in the denominator leaps away from a good start. Schemes that fit past steps (Anderson's) take about as many
// iterations on ordinary data and fewer on ill-conditioned data, but there they
// blow rounding errors up to other memberships.
//
// tell is called with every state that is reached, the start's first. A context
// that ends is no error here: the state is the last complete one then, nil if
// there is none.
func (m *alternation) run(start *Matrix, most int, tol float64, tell func(iteration int, at *iterate)) (at *iterate, iterations int, status Status) {
	at, next := m.newState(), m.memory().spare
	if next == nil {
		next = m.newState()
	}
	m.work.spare = nil
	defer func() { m.work.spare = next }() // of no use to the caller
	copy(at.f.Data, start.Data)
	if m.pass(at, nil) != nil {
		return nil, 0, StatusCancelled
	}
	tell(0, at)
	plain, before := NewMatrix(m.k, m.z.Cols, nil), NewMatrix(m.k, m.z.Cols, nil) // F-steps: this and the last
	age := 0.0                                                                    // plain steps since the momentum was last 0
	calm := 0
	for i := 1; i <= most; i++ {
		plain, before = before, plain
		m.centersStep(plain, at)
		momentum := max(age-1, 0) / (age + 9)
		age++
		copy(next.f.Data, plain.Data)
		if momentum > 0 {
			axpy(next.f.Data, momentum, plain.Data)
			axpy(next.f.Data, -momentum, before.Data)
		}
		err := m.pass(next, at.g)
		if err == nil && momentum > 0 && !(next.value <= at.value) {
			age = 0
			copy(next.f.Data, plain.Data)
			err = m.pass(next, at.g)
		}
		if err != nil {
			return at, i - 1, StatusCancelled
		}
		if !(next.value <= at.value) { // nothing but rounding is left
			return at, i - 1, StatusConverged
		}
		decrease := at.value - next.value
		var change, size float64
		for j, v := range next.f.Data {
			change += (v - at.f.Data[j]) * (v - at.f.Data[j])
			size += v * v
		}
		at, next = next, at
		tell(i, at)
		if decrease <= tol*max(at.fit, fitShare*m.total) && change <= tol*size {
			calm++
		} else {
			calm = 0
		}
		if calm == 2 || change == 0 {
			return at, i, StatusConverged
		}
	}
	return at, most, StatusIterationLimit
}

// fitShare of the total is the least fit that a decrease is compared with.
const fitShare = 1e-9
