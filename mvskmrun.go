package softkmeans

// The loop that FitAlternating and FitMinVolume share: block coordinate descent on the paper's MVSkM
// objective (Algorithm 2),
//
//	L(F, G) = ‖X − GF‖² + (λ/2)·Σ_i log(σ_i²(F) + ε).
//
// The G-step is exact, except for dependent centers (see problem.once). The F-step minimises the paper's
// majoriser of the logarithms. λ = 0 is the alternating method (SkM-AM).

import (
	"math"
	"slices"
)

// alternation is the loop over samples in given coordinates: over all samples, or a random sample of them.
type alternation struct {
	*minVolume
	s        *samples       // the samples of the rows
	r        int            // the number of coordinates
	z        *Matrix        // n×r: the rows, scaled and centred, in a basis; nil: sparse holds them
	sparse   *sparseSamples // nil: z holds the rows
	axes     *Matrix        // the basis, r×d; nil: the data's own axes
	narrow   bool           // the axes are leading directions, and the fit ends in other axes
	residual float64        // weighted squares outside of the axes, a part of each objective; see draw
	fixed    *Matrix        // m×r: the first centers, which stay
	box      *box           // bounds of centers, in the data's own axes; nil: none
	most     int            // the iterations of a run at one λ
	tol      float64        // the tolerance
	local    bool           // as in simplexProblem: rows mix the nearest centers
	progress func(Iteration)
	correct  func(to *iterate) // corrects the sums and the objective: see correction; nil: none
	work     *passMemory       // made by the first pass
}

// iterate is a point (F, G) of the iteration, with the sums for the next F-step.
type iterate struct {
	f         *Matrix // k×r
	g         *Matrix // n×k, optimal for f
	gg        *Matrix // GᵀG, weighted
	gz        *Matrix // GᵀZ, weighted, k×r
	objective float64 // ‖X − GF‖², weighted
	penalty   float64 // Σ log(σ_i² + ε)
	majoriser *Matrix // D, k×k: Tr(FᵀDF) and a constant are at least the penalty
}

func (m *alternation) newIterate() *iterate {
	k, r := m.k, m.r
	return &iterate{
		f: NewMatrix(k, r, nil), g: NewMatrix(m.s.n, k, nil),
		gg: NewMatrix(k, k, nil), gz: NewMatrix(k, r, nil),
		majoriser: NewMatrix(k, k, nil),
	}
}

// lossAt returns L.
func (at *iterate) lossAt(lambda float64) float64 { return at.objective + lambda/2*at.penalty }

// passMemory is the memory of pass and centersStep. From the second call on, both allocate only the functions
// of the pass, unless rows are sparse, centers have bounds, or the pass is the first by multipliers.
type passMemory struct {
	problem simplexProblem
	r       int // columns of z; 0 for sparse rows
	sums    []chunkSums
	workers []workerMemory
	space   workspace
	// For setPenalty and centersStep.
	contrasted, half *Matrix
	a, inverse       []float64
	scratch          []float64
	inside           insidePass
	spare            *iterate // the iterate that the last run did not return
}

// chunkSums holds the sums of a chunk of samples for an iterate.
type chunkSums struct {
	gg, gz    *Matrix // gg is set on and right of its diagonal; see also blockInside
	objective float64
	used      int       // memberships above 0
	sum       []float64 // for blockInside
}

// workerMemory is the scratch space of one worker.
type workerMemory struct {
	solver rowSolver
	row    []float64
	coef   []float64 // the memberships of a sample that are not 0
	index  []int     // their centers
	centerUsers
}

// fastWork is the least n·k² for which a pass makes simplexProblem fast, so that A⁻¹ is used.
const fastWork = 1 << 20

// memory returns m's memory, which the first call makes.
func (m *alternation) memory() *passMemory {
	if m.work != nil {
		return m.work
	}
	k, r := m.k, 0
	if m.z != nil {
		r = m.r
	}
	c := chunks(m.s.n, r, reduceChunks)
	v := &passMemory{r: r, sums: make([]chunkSums, c), workers: make([]workerMemory, min(m.s.workers, c))}
	for w := range v.workers {
		h := &v.workers[w]
		h.row, h.coef, h.index = make([]float64, r), make([]float64, k), make([]int, k)
	}
	for t := range v.sums {
		v.sums[t] = chunkSums{gg: NewMatrix(k, k, nil), gz: NewMatrix(k, r, nil), sum: make([]float64, k)}
	}
	v.a, v.inverse, v.scratch = make([]float64, k*k), make([]float64, k*k), make([]float64, k*k)
	v.problem.fast, v.problem.local = m.s.n*k*k >= fastWork, m.local
	v.inside.s, v.inside.z = m.s, m.z
	m.work = v
	return v
}

// pass sets all other fields of `to` for the centers to.f. One pass over the samples finds the memberships
// (G-step), the objective, and the sums for the next F-step. warm holds memberships whose supports are tried
// first; nil: none. pass returns the context's error, and the iterate is then incomplete.
func (m *alternation) pass(to *iterate, warm *Matrix) error {
	v := m.memory()
	v.problem.set(to.f, m.o.Sum)
	v.problem.once = !m.many && m.trivial()
	for w := range v.workers {
		v.workers[w].solver.begin(&v.problem)
	}
	for t := range v.sums {
		part := &v.sums[t]
		clear(part.gg.Data)
		clear(part.gz.Data)
		clear(part.sum)
		part.objective, part.used = 0, 0
	}
	v.inside.on = false
	if m.z != nil && warm != nil {
		v.inside.begin(&v.problem, m.tol, m.pc.total)
	}
	if m.sparse != nil {
		if err := m.sparse.multiplyBy(to.f); err != nil {
			return err
		}
	}
	by := parallelism{m.s.ctx, m.s.workers, &v.space}
	err := by.eachBlock(chunking{m.s.n, v.r, reduceChunks}, v.r+v.problem.k, func(at block) {
		if v.inside.on {
			m.blockInside(to, warm, at)
		} else {
			m.block(to, warm, at)
		}
	})
	if err != nil {
		return err
	}
	clear(to.gg.Data)
	clear(to.gz.Data)
	if m.sparse != nil {
		sums, err := sums(m.rows, to.g)
		if err != nil {
			return err
		}
		copy(to.gz.Data, sums.Data)
	}
	to.objective = m.residual
	v.inside.used = 0
	for t := range v.sums {
		part := &v.sums[t]
		axpy(to.gg.Data, 1, part.gg.Data)
		axpy(to.gz.Data[:len(part.gz.Data)], 1, part.gz.Data)
		to.objective += part.objective
		v.inside.used += part.used
		if t > 0 {
			axpy(v.sums[0].sum, 1, part.sum)
		}
	}
	v.inside.least = to.objective
	if v.inside.on {
		v.inside.end(to.gz, to.gg, &v.problem, v.sums[0].sum)
	}
	mirror(to.gg.Data, m.k)
	if m.correct != nil {
		m.correct(to)
	}
	m.setPenalty(to)
	return nil
}

// block adds the rows of a block to the sums of their chunk.
func (m *alternation) block(to *iterate, warm *Matrix, at block) {
	v, p, r, lo, hi := m.work, &m.work.problem, m.work.r, at.lo, at.hi
	part, h := &v.sums[at.chunk], &v.workers[at.worker]
	var z []float64
	if m.z != nil {
		z = m.z.Data[lo*r : hi*r]
	}
	if !p.same(to.g, lo, hi) {
		b := at.scratch[:(hi-lo)*p.k]
		switch {
		case m.sparse != nil:
			m.sparse.terms(b, p, lo)
		case p.near:
			p.productsNear(b, z)
		default:
			b = p.products(at, m.z)
		}
		h.solver.rows(m.s.ctx, to.g, warm, lo, hi, b)
	}
	h.begin(m.k, hi-lo)
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
				h.use(a, i, w*g)
			}
		}
		part.used += n
		coef, index := h.coef[:n], h.index[:n]
		for s, a := range index {
			row, wg := part.gg.row(a), w*coef[s]
			if n == m.k {
				axpy(row[s:], wg, coef[s:])
				continue
			}
			for t, c := range index[s:] {
				row[c] += wg * coef[s+t]
			}
		}
		if m.sparse != nil {
			part.objective += w * m.sparse.residual(lo+i, coef, index)
			continue
		}
		copy(h.row, z[i*r:(i+1)*r])
		addRows(h.row, coef, index, to.f.Data)
		part.objective += w * sumSquares(h.row)
	}
	h.addUsers(part.gz, z)
}

// blockInside is block in a pass by multipliers. The chunk's gg, gz and sum become YᵀG, YᵀZ and 1ᵀG.
func (m *alternation) blockInside(to *iterate, warm *Matrix, at block) {
	v, k, r, lo, hi, wide := m.work, m.k, m.r, at.lo, at.hi, m.r+1
	part, h, unit := &v.sums[at.chunk], &v.workers[at.worker], math.Ldexp(1, 2*v.problem.exp)
	rows := at.scratch[:(hi-lo)*wide]
	h.begin(k, hi-lo)
	for i := range hi - lo {
		copy(rows[i*wide:], v.inside.constant)
	}
	addMulNT(rows, wide, m.z.Data[lo*r:hi*r], hi-lo, v.inside.linear.Data, wide, r, false)
	for i := lo; i < hi && !stopped(m.s.ctx); i++ {
		g, z, row := to.g.row(i), m.z.row(i), rows[(i-lo)*wide:(i-lo+1)*wide]
		h.solver.solveFree(g, row[:k], z, warm.row(i))
		w := m.s.weight(i)
		if w == 0 {
			continue
		}
		squares := sumSquares(row[k:])
		for j, y := range h.solver.w {
			if y == 0 || h.solver.in[j] {
				continue
			}
			squares += y * (g[j] - row[j])
			h.use(j, i-lo, w*y)
		}
		for _, x := range g {
			if x > 0 {
				part.used++
			}
		}
		axpy(part.sum, w, g)
		part.objective += w * squares * unit
	}
	h.addUsers(part.gg, to.g.Data[lo*k:hi*k])
	h.addUsers(part.gz, m.z.Data[lo*r:hi*r])
}

// setPenalty sets the penalty and the majoriser D = V diag(1/(σ_i²+ε))Vᵀ for the iterate's centers.
//
// Erratum 5: Algorithm 2 calls V the left singular vectors of the paper's F, which is d×k. D is k×k, so V
// must contain the right singular vectors, the left singular vectors of F in this package (k×d). Erratum 7:
// the factor Vᵀ is missing at the end of the text's D = V{1/(σ_i²+ε)}.
//
// Erratum 6: the paper's sums run to k−1 in the proof and to k in the problem. The two sums differ by a
// constant while F1 = 0, which alternating updates do not preserve. The k-th singular value then measures the
// distance of the hull from the origin. VolumeAffine takes the k−1 singular values of the centred F.
func (m *alternation) setPenalty(to *iterate) {
	to.penalty = 0
	clear(to.majoriser.Data)
	if m.eps == 0 { // FitAlternating
		return
	}
	k, r := m.k, m.r
	v := m.memory()
	f, size := to.f, k
	if m.contrasts != nil { // BᵀF has the singular values of the centers less their mean, without the value 0
		v.contrasted = reshaped(v.contrasted, k-1, r)
		clear(v.contrasted.Data)
		for a := range k {
			for c, b := range m.contrasts.row(a) {
				if b != 0 {
					axpy(v.contrasted.row(c), b, to.f.row(a))
				}
			}
		}
		f, size = v.contrasted, k-1
	}
	if size == 0 {
		return
	}
	a, d := v.a[:size*size], v.inverse[:size*size]
	clear(a)
	addMulNT(a, size, f.Data, size, f.Data, size, r, true)
	mirror(a, size)
	if to.penalty = logInverse(d, a, v.scratch[:size*size], size, m.eps); math.IsNaN(to.penalty) {
		to.penalty = logInverseEigen(d, a, size, m.eps)
	}
	if m.contrasts == nil {
		copy(to.majoriser.Data, d)
		return
	}
	v.half = reshaped(v.half, k, size) // B·D·Bᵀ; D is symmetric
	clear(v.half.Data)
	addMulNT(v.half.Data, size, m.contrasts.Data, k, d, size, size, false)
	addMulNT(to.majoriser.Data, k, v.half.Data, k, m.contrasts.Data, k, size, false)
}

// centersStep overwrites f with the F-step from an iterate at a λ,
//
//	F = (GᵀG + (λ/2)D + δI)⁻¹(GᵀX + δF_t).
//
// Erratum 4: Algorithm 2 prints λD. That F-step does not minimise the majoriser of an objective with λ/2, and
// the objective can rise (docs/errata.md).
//
// The proximal term δ‖F − F_t‖² is not in the paper. It is far smaller than the other terms, changes no fixed
// point, and the loss still never rises. Without it GᵀG would be singular if no sample uses a center; with it
// such a center stays in its place.
//
// Fixed centers stay. Their products with GᵀG + (λ/2)D go to the right side of the equations of the other
// centers.
func (m *alternation) centersStep(f *Matrix, from *iterate, lambda float64) {
	k, a := m.k, m.memory().a
	copy(a, from.gg.Data)
	axpy(a, lambda/2, from.majoriser.Data)
	var top float64
	for i := range k {
		top = max(top, a[i*k+i])
	}
	delta := top * proximalShare
	for i := range k {
		a[i*k+i] += delta
	}
	if m.box != nil {
		m.boxStep(f, from, delta)
		return
	}
	copy(f.Data, from.gz.Data)
	axpy(f.Data, delta, from.f.Data)
	for j := range m.fixed.Rows {
		copy(f.row(j), m.fixed.row(j))
		clear(a[j*k : (j+1)*k])
		a[j*k+j] = 1
		for i := m.fixed.Rows; i < k; i++ {
			axpy(f.row(i), -a[i*k+j], f.row(j))
			a[i*k+j] = 0
		}
	}
	if !cholesky(a, k) { // cannot happen: all eigenvalues are at least δ; the old F is a safe answer
		copy(f.Data, from.f.Data)
		return
	}
	// L·Lᵀ·F = right side, one row of F at a time.
	for i := range k {
		for j := range i {
			axpy(f.row(i), -a[i*k+j], f.row(j))
		}
		scale(f.row(i), a[i*k+i])
	}
	for i := k - 1; i >= 0; i-- {
		for j := i + 1; j < k; j++ {
			axpy(f.row(i), -a[j*k+i], f.row(j))
		}
		scale(f.row(i), a[i*k+i])
	}
}

// proximalShare is δ relative to the largest diagonal entry: well above the rounding of the Cholesky
// factorization, 2^-52·k.
const proximalShare = 0x1p-36

// volumeRun is a run of the loop from one start, with its λ and its results.
type volumeRun struct {
	*iterate // the last point, which has the lowest loss at the last λ
	m        *alternation
	restart  int       // the number of the start
	lambda   float64   // the last λ
	steer    *steering // chooses λ; nil: λ is constant
	// missed is the objective divided by the target, if it exceeds the target of every slack up to mostSlack,
	// and 0 otherwise: see nearSlack.
	missed     float64
	found      *Model // from clusterMeans: the clusters, with their means as Centers; otherwise nil
	iterations int
	status     Status
	trace      []float64 // the losses, moved so that each fall is at the λ of its iteration: see dataLoss
}

// runStart is the centers with which a run begins, and the number of the restart.
type runStart struct {
	f       *Matrix
	restart int
}

// run iterates from a start, at most `most` times. steer chooses λ; nil: λ is constant. If the context ends
// run returns the last complete iterate, or nil if the first pass is incomplete.
//
// Steps are extrapolated with Nesterov's momentum, (t−1)/(t+2). If the loss would rise the step is repeated
// without momentum, and t is halved. (O'Donoghue & Candès 2015 set t to 0, which took more iterations.) With
// t/(t+1) runs at λ = 0 ended with centers farther from the rows. Anderson's acceleration took fewer
// iterations on ill-conditioned data, but there amplified rounding errors until memberships differed.
func (m *alternation) run(from runStart, lambda float64, most int, steer *steering) *volumeRun {
	r := &volumeRun{iterate: m.newIterate(), m: m, restart: from.restart, lambda: lambda, steer: steer}
	w := &walk{plain: NewMatrix(m.k, m.r, nil), before: NewMatrix(m.k, m.r, nil), next: m.memory().spare}
	if w.next == nil {
		w.next = m.newIterate()
	}
	m.work.spare = nil
	defer func() { m.work.spare = w.next }()
	copy(r.f.Data, from.f.Data)
	m.clamp(r.f)
	if m.pass(r.iterate, nil) != nil {
		return nil
	}
	r.tell(0)
	r.status = r.converge(w, most)
	return r
}

// walk is the state that a run keeps from step to step.
type walk struct {
	plain, before *Matrix  // the F-step, and the previous F-step
	next          *iterate // the next iterate
	age           float64  // t of the momentum: it grows by 1 a step
}

// converge iterates until the run is at rest, or has made the most iterations.
func (r *volumeRun) converge(w *walk, most int) Status {
	m, q := r.m, r.steer
	calm, enough := 0, 2 // calm: iterations in a row below the tolerance
	if q != nil {
		enough = steeredCalm
	}
	for i := 1; i <= most; i++ {
		w.plain, w.before = w.before, w.plain
		if q != nil {
			r.steeredStep(w.plain)
		} else {
			m.centersStep(w.plain, r.iterate, r.lambda)
		}
		if r.advance(w) != nil {
			return StatusCancelled
		}
		fall := r.lossAt(r.lambda) - w.next.lossAt(r.lambda)
		// The run is at rest if only rounding is left.
		if !(fall >= min(m.tol, restShare)*max(r.objective, leastShare*m.pc.total)) {
			return StatusConverged
		}
		// The run also ends if λ and the floor are 0, and the objective counts as 0 (exactShare).
		least := r.lambda == 0 && m.trivial() && w.next.objective <= exactShare*m.pc.total
		if calm++; !(least || fall <= m.tol*max(q.size(w.next.objective), leastShare*m.pc.total) &&
			squaredDistance(w.next.f.Data, r.f.Data) <= m.tol*sumSquares(w.next.f.Data) &&
			(r.lambda > 0 || m.stationarity(w.next, 0) <= math.Sqrt(flatness*m.tol))) {
			calm = 0
		}
		r.iterate, w.next = w.next, r.iterate
		r.tell(i)
		if calm >= enough || slices.Equal(r.f.Data, w.next.f.Data) {
			return StatusConverged
		}
	}
	return StatusIterationLimit
}

// tell adds the loss to the trace, and reports the iteration to Progress. Number 0 is the start.
func (r *volumeRun) tell(iteration int) {
	m, u := r.m, r.m.data.units
	it := Iteration{
		Restart: r.restart, Iteration: iteration, Lambda: u.unscaleSquare(r.lambda),
		Objective: u.unscaleSquare(r.objective), Floor: u.unscaleSquare(m.pc.floor),
	}
	if r.lambda > 0 {
		it.Penalty = m.dataPenalty(r.penalty)
	}
	loss := r.lossAt(r.lambda)
	it.Loss = r.dataLoss(loss)
	r.trace, r.iterations = append(r.trace, loss), iteration
	if m.progress != nil {
		m.progress(it)
	}
}

// dataLoss returns a loss at the last λ in the data's units, Objective + λ/2·Penalty, in an order of
// operations that is monotone in the loss, so that the trace does not rise by rounding.
func (r *volumeRun) dataLoss(loss float64) float64 {
	return max(r.m.data.units.unscaleSquare(loss+r.lambda/2*r.m.dataPenalty(0)), -math.MaxFloat64)
}

// steeredStep chooses λ, and overwrites f with the F-step: see steering. Trials of λ follow the secant of the
// objective over log λ, or halve the interval in which λ lies. The trace is moved so that it ends with the
// loss at this λ.
func (r *volumeRun) steeredStep(f *Matrix) {
	q, m, before := r.steer, r.m, r.lossAt(r.lambda)
	goal, exact := q.goal, exactGoal*q.allowance
	if r.objective > q.target {
		goal += (r.objective - goal) / 2
		exact = max(exact, (r.objective-goal)/64)
	}
	least, most := leastLambda*q.unit, mostLambda*q.unit
	low, high := least, most
	start, last, lastOver := m.quadratic(r.f, r.iterate), math.NaN(), 0.0
	for trial := 1; ; trial++ {
		m.centersStep(f, r.iterate, r.lambda)
		over := r.objective - goal + m.quadratic(f, r.iterate) - start
		if over > 0 {
			high = r.lambda
		} else {
			low = r.lambda
		}
		log := math.Log(r.lambda)
		if slope := (over - lastOver) / (log - last); slope > 0 {
			q.slope = slope
		}
		last, lastOver = log, over
		to := r.lambda * math.Exp(min(max(-over/q.slope, -mostStep), mostStep))
		if math.Abs(over) <= exact || to < least || to > most || trial == mostTrials {
			break
		}
		if !(to > low && to < high) {
			to = math.Sqrt(low) * math.Sqrt(high)
		}
		r.lambda = to
	}
	after := r.lossAt(r.lambda)
	for i, v := range r.trace {
		r.trace[i] = max(v+(after-before), after)
	}
}

// quadratic returns, except for a constant, the objective of the centers f with the memberships of an
// iterate.
func (m *alternation) quadratic(f *Matrix, at *iterate) float64 {
	k, gram := m.k, m.memory().scratch
	clear(gram)
	addMulNT(gram, k, f.Data, k, f.Data, k, m.r, true)
	mirror(gram, k)
	return dot(gram, at.gg.Data) - 2*dot(f.Data, at.gz.Data)
}

// advance sets w.next to the next iterate after r, from the last two F-steps.
func (r *volumeRun) advance(w *walk) error {
	m, next := r.m, w.next
	if m.o.Plain {
		w.age = 0
	}
	momentum := max(w.age-1, 0) / (w.age + 2)
	w.age++
	copy(next.f.Data, w.plain.Data)
	if momentum > 0 {
		axpy(next.f.Data, momentum, w.plain.Data)
		axpy(next.f.Data, -momentum, w.before.Data)
		m.clamp(next.f)
	}
	err := m.pass(next, r.g)
	if err == nil && momentum > 0 && !(next.lossAt(r.lambda) <= r.lossAt(r.lambda) && r.keeps(next)) {
		w.age /= 2
		copy(next.f.Data, w.plain.Data)
		err = m.pass(next, r.g)
	}
	return err
}

// keeps reports whether steering permits a step with momentum. Within the target it must stay there, and must
// not raise the penalty.
func (r *volumeRun) keeps(next *iterate) bool {
	q := r.steer
	return q == nil || r.objective > q.target || next.objective <= q.target && next.penalty <= r.penalty
}

// restShare times the objective is the largest decrease of the loss that counts as rounding.
const restShare = 1e-12

// leastShare times the total, if larger, replaces the objective in comparisons with decreases of the loss.
const leastShare = 1e-9

// flatness·Tol is the square of the largest Model.Stationarity at which a run with λ = 0 may end. On
// ill-scaled data steps can become small far from a minimum: without this condition a fit to wine, not
// standardized, with SumAtMostOne and k = 3 ended 0.23 % above the minimum.
const flatness = 1000

// stationarity returns Model.Stationarity. G is optimal for F, so the gradient of L over F is the gradient of
// min_G L (Danskin): 2(GᵀG·F − GᵀX) + λD·F, since D·F is half the gradient of the penalty. Fixed centers do
// not count. O(k²r).
func (m *alternation) stationarity(at *iterate, lambda float64) float64 {
	var squares float64
	row := make([]float64, m.r)
	for i := m.fixed.Rows; i < m.k; i++ {
		copy(row, at.gz.row(i))
		for j, v := range at.gg.row(i) {
			axpy(row, -v-lambda/2*at.majoriser.row(i)[j], at.f.row(j))
		}
		if m.box != nil {
			m.box.along(at.f.row(i), row)
		}
		squares += sumSquares(row)
	}
	slope := 2 * math.Sqrt(squares) * norm2(rowsOf(at.f, m.fixed.Rows, m.k).Data)
	if slope == 0 {
		return 0
	}
	return min(slope/max(at.objective, leastShare*m.pc.total), math.MaxFloat64)
}

// clamp sets the fixed centers, and moves the others into their box, which a step with momentum may leave.
func (m *alternation) clamp(f *Matrix) {
	copyRows(f, m.fixed)
	for a := m.fixed.Rows; m.box != nil && a < m.k; a++ {
		m.box.project(f.row(a))
	}
}

// boxStep makes the F-step in the box. With A = GᵀG + (λ/2)D + δI and R = GᵀX + δF_t it lowers ½Tr(FᵀAF) −
// Tr(RᵀF) from F_t on, one center after another (block coordinate descent). The best place of one center is
// the point of the box nearest to its best place without bounds. D belongs to F_t, so that the majoriser, and
// with it L, does not rise. O(k²d) a sweep, for some 2 to 20 sweeps, and many more for closed rows.
func (m *alternation) boxStep(f *Matrix, from *iterate, delta float64) {
	k, a := m.k, m.memory().a
	copy(f.Data, from.f.Data)
	row := make([]float64, f.Cols)
	for sweep := range boxSweeps {
		var moved, all float64
		for j := m.fixed.Rows; j < k && !stopped(m.s.ctx); j++ {
			copy(row, from.gz.row(j))
			axpy(row, delta, from.f.row(j))
			for i, v := range a[j*k : (j+1)*k] {
				if i != j {
					axpy(row, -v, f.row(i))
				}
			}
			scale(row, 1/a[j*k+j])
			m.box.project(row)
			moved += squaredDistance(row, f.row(j))
			copy(f.row(j), row)
			all += squaredDistance(row, from.f.row(j))
		}
		if moved <= boxClose*boxClose*all {
			return
		}
		if pause := k / freeShare; !m.box.closed && sweep%(pause+1) == pause {
			right := from.gz.Clone()
			axpy(right.Data, delta, from.f.Data)
			m.box.freeStep(m.s.ctx, f, a, right, m.fixed.Rows)
		}
	}
}
