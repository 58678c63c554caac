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
type mixture struct {
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
}

// state is a point (F, G) of the iteration with what the next F-step needs.
type state struct {
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

func (m *mixture) newState() *state {
	k, r := m.k, m.z.Cols
	return &state{f: NewMatrix(k, r, nil), g: NewMatrix(m.z.Rows, k, nil),
		gg: NewMatrix(k, k, nil), gz: NewMatrix(k, r, nil), inner: NewMatrix(k, k, nil)}
}

// visit completes the state for the centers in to.f: one pass over the samples
// with the G-step, the fit and the sums for the next F-step in it. warm has
// memberships whose supports are tried first; nil: none. On an error (a
// context that ended) the state is of no use.
func (m *mixture) visit(to *state, warm *Matrix) error {
	k, r := m.k, m.z.Cols
	p := newSimplexProblem(to.f, m.sum)
	c := chunks(m.z.Rows, r, reduceChunks)
	type part struct {
		gg, gz *Matrix
		fit    float64
		info   SimplexInfo
	}
	parts := make([]part, c)
	for t := range parts {
		parts[t].gg, parts[t].gz = NewMatrix(k, k, nil), NewMatrix(k, r, nil)
	}
	err := p.eachSolved(m.ctx, m.s.workers, to.g, m.z, warm, reduceChunks, func(at block, info SimplexInfo) {
		acc := &parts[at.chunk]
		acc.info.join(info)
		row := at.scratch[:r]
		for i := at.lo; i < at.hi; i++ {
			w := m.s.weight(i)
			g := to.g.row(i)
			copy(row, m.z.row(i))
			for a, v := range g {
				if v == 0 {
					continue
				}
				axpy(row, -v, to.f.row(a))
				axpy(acc.gz.row(a), w*v, m.z.row(i))
				axpy(acc.gg.row(a), w*v, g)
			}
			acc.fit += w * sumSquares(row)
		}
	})
	if err != nil {
		return err
	}
	clear(to.gg.Data)
	clear(to.gz.Data)
	to.fit, to.info = m.left, SimplexInfo{}
	for _, part := range parts {
		axpy(to.gg.Data, 1, part.gg.Data)
		axpy(to.gz.Data, 1, part.gz.Data)
		to.fit += part.fit
		to.info.join(part.info)
	}
	m.penalty(to)
	to.value = to.fit + m.lambda/2*to.logs
	return nil
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
func (m *mixture) penalty(to *state) {
	to.logs = 0
	clear(to.inner.Data)
	if m.eps == 0 { // FitAlternating; a path wants the volume also where λ is 0
		return
	}
	k, r := m.k, m.z.Cols
	f, size := to.f, k
	if m.contrasts != nil { // BᵀF has the singular values of HF but the structural zero
		f, size = m.contrast(to.f), k-1
	}
	if size == 0 {
		return
	}
	gram := NewMatrix(size, size, nil)
	addMulNT(gram.Data, size, f.Data, size, f.Data, size, r, true)
	mirror(gram.Data, size)
	values, v := eigenSym(context.Background(), gram, true)
	d := to.inner
	if m.contrasts != nil {
		d = NewMatrix(size, size, nil)
	}
	for i, value := range values {
		value = max(value, 0) + m.eps
		to.logs += math.Log(value)
		for a, u := range v.row(i)[:size] {
			axpy(d.row(a), u/value, v.row(i))
		}
	}
	if m.contrasts != nil { // B·D·Bᵀ
		half := NewMatrix(k, size, nil)
		for a := range k {
			for c, b := range m.contrasts.row(a) {
				axpy(half.row(a), b, d.row(c))
			}
		}
		addMulNT(to.inner.Data, k, half.Data, k, m.contrasts.Data, k, size, false)
	}
}

// contrast returns BᵀF, (k−1)×r.
func (m *mixture) contrast(f *Matrix) *Matrix {
	out := NewMatrix(m.k-1, f.Cols, nil)
	for a := range m.k {
		for c, b := range m.contrasts.row(a) {
			axpy(out.row(c), b, f.row(a))
		}
	}
	return out
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
func (m *mixture) centersStep(f *Matrix, from *state) {
	k := m.k
	a := from.gg.Clone()
	axpy(a.Data, m.lambda/2, from.inner.Data)
	var top float64
	for i := range k {
		top = max(top, a.row(i)[i])
	}
	delta := top * proximalShare
	for i := range k {
		a.row(i)[i] += delta
	}
	copy(f.Data, from.f.Data)
	if !cholesky(a.Data, k) {
		return // cannot be: all eigenvalues are at least δ; F as it was does not rise
	}
	scale(f.Data, delta)
	axpy(f.Data, 1, from.gz.Data)
	// L·Lᵀ·F = right side, a row of F at a time.
	for i := range k {
		for j := range i {
			axpy(f.row(i), -a.row(i)[j], f.row(j))
		}
		scale(f.row(i), 1/a.row(i)[i])
	}
	for i := k - 1; i >= 0; i-- {
		for j := i + 1; j < k; j++ {
			axpy(f.row(i), -a.row(j)[i], f.row(j))
		}
		scale(f.row(i), 1/a.row(i)[i])
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
func (m *mixture) run(start *Matrix, most int, tol float64, tell func(iteration int, at *state)) (at *state, iterations int, status Status) {
	at, next := m.newState(), m.newState()
	copy(at.f.Data, start.Data)
	if m.visit(at, nil) != nil {
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
		err := m.visit(next, at.g)
		if err == nil && momentum > 0 && !(next.value <= at.value) {
			age = 0
			copy(next.f.Data, plain.Data)
			err = m.visit(next, at.g)
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
