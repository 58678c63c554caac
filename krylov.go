package softkmeans

// Block Krylov iteration for the leading eigenvectors of a symmetric matrix that is given by its products:
// the smaller of XcᵀXc and XcXcᵀ, or similarities (Musco & Musco, Randomized Block Krylov Methods, 2015).
// The block Lanczos process is kept orthogonal in full and restarted thickly (Wu & Simon 2000), so that
// memory is bounded. Measured residuals stop it.

import (
	"context"
	"math"
	"math/rand/v2"
)

const defaultKrylovSteps = 200

// krylovExtra is how many vectors a block has beyond those asked for, to converge by a later gap.
const krylovExtra = 8

type krylovOptions struct {
	steps int    // at most so many
	seed  uint64 // of the start
	more  int    // vectors to return beyond, as far as there are, in whatever state; all of the whole space
	// residual: stop when every ‖Bv − θ_i·v‖ ≤ residual·√(θ₁θ_i), σ₁σ_i for AᵀA.
	residual   float64
	sum        float64 // if above 0: stop as well when the bound on Σλ_i − Σθ_i is at most sum·θ₁
	hasty      bool    // stop, with StatusIterationLimit, if that bound falls too slowly to get there
	indefinite bool    // B may have negative eigenvalues: the largest |θ| takes the place of √(θ₁θ_i)
}

// krylovResult approximates the leading invariant subspace of B.
type krylovResult struct {
	rows   *Matrix   // orthonormal, by descending Ritz value: p, and krylovOptions.more
	values []float64 // p Ritz values θ_i, descending
	rest   float64   // root of Σ‖Bv − θ_i·v‖²
	next   float64   // the first Ritz value left out, plus its residual; 0 if none is left
	top    float64   // the largest |θ| seen; for definite B, θ₁
	least  float64   // the least θ seen, if below 0
	steps  int
	status Status
}

// krylov iterates for the p leading eigenvectors of the symmetric matrix B of order size.
// apply returns the products of B with the rows that it is given.
func krylov(ctx context.Context, size int, apply func(*Matrix) (*Matrix, error), p int,
	o krylovOptions) (*krylovResult, error) {
	s := newKrylovSpace(ctx, size, p, o.seed)
	out := &krylovResult{status: StatusIterationLimit}
	var bounds []float64 // of each step
	for {
		out.steps++
		z, err := apply(rowsOf(s.q, s.old, s.old+s.fresh))
		if err != nil {
			return nil, err
		}
		s.extend(ctx, z)
		values, y := eigenSym(ctx, squareOf(s.t, s.old+s.fresh)) // y: rows are vectors
		r := s.residuals(values, y, z, o.indefinite)
		out.next, out.top, out.least = r.next, r.top, min(out.least, values[len(values)-1])
		count := len(r.values)
		// Small residuals do not prove that these eigenvectors lead: one not found may have up to out.next.
		sure := o.sum == 0 || float64(count)*(out.next-values[count-1]) <= o.sum*values[0]
		done := s.old+s.fresh == size || r.worst <= o.residual*r.top && sure
		hopeless := false
		if o.sum > 0 && !done {
			bound := ritzSumBound(count, r.values[count-1], r.squares, out.next)
			done = bound <= o.sum*values[0]
			bounds = append(bounds, bound)
			if past := len(bounds) - 4; o.hasty && past >= 1 {
				fall := math.Log(bounds[past]/bound) / 3 // a step
				hopeless = !(math.Log(bound/(o.sum*values[0])) <= fall*float64(o.steps-out.steps))
			}
		}
		if done || hopeless || out.steps >= o.steps {
			if done {
				out.status = StatusConverged
			}
			out.values, out.rest = r.values, math.Sqrt(r.squares)
			if y.Rows == size { // the whole space, of which all is known
				o.more = size
			}
			out.rows = combine(rowsOf(y, 0, min(count+o.more, y.Rows)), s.q)
			return out, cancelled(ctx)
		}
		s.next(ctx, values, y, z)
	}
}

// krylovSpace is the space searched, with the projection of B onto it.
type krylovSpace struct {
	size, p    int
	block      int     // rows multiplied at a time
	q          *Matrix // orthonormal rows
	t          *Matrix // QBQᵀ
	old, fresh int     // rows of q that were multiplied; rows after them that come now
}

func newKrylovSpace(ctx context.Context, size, p int, seed uint64) *krylovSpace {
	block := min(p+krylovExtra, size)
	most := min(size, max(4*block, 96)) // basis vectors kept at once
	s := &krylovSpace{
		size: size, p: p, block: block, fresh: block,
		q: NewMatrix(most, size, nil), t: NewMatrix(most, most, nil),
	}
	rng := rand.New(rand.NewPCG(seed, 0x5eed))
	for i := range block * size {
		s.q.Data[i] = 2*rng.Float64() - 1
	}
	orthonormalize(ctx, rowsOf(s.q, 0, block), 0)
	return s
}

// extend adds rows to T for the products z of B with the new rows of q. z keeps what is outside of q.
func (s *krylovSpace) extend(ctx context.Context, z *Matrix) {
	have, most := s.old+s.fresh, s.q.Rows
	q := rowsOf(s.q, 0, have)
	along := project(ctx, z, q)
	for i := range s.fresh {
		for l, v := range along.row(i) {
			if l >= s.old {
				v = (v + along.row(l - s.old)[s.old+i]) / 2
			}
			s.t.Data[(s.old+i)*most+l], s.t.Data[l*most+s.old+i] = v, v
		}
	}
	project(ctx, z, q)
}

// project takes from the rows of z what they have along the orthonormal rows of q, and returns it: a row of
// products for each row of z (Gram–Schmidt; twice is enough).
func project(ctx context.Context, z, q *Matrix) *Matrix {
	along := NewMatrix(z.Rows, q.Rows, nil)
	index, less := indices(q.Rows), make([]float64, q.Rows)
	const group = 24 // full strips
	for lo := 0; lo < z.Rows && !stopped(ctx); lo += group {
		hi := min(lo+group, z.Rows)
		part, rows := along.Data[lo*q.Rows:hi*q.Rows], z.Data[lo*z.Cols:hi*z.Cols]
		addMulNT(part, q.Rows, rows, hi-lo, q.Data, q.Rows, q.Cols, false)
		for i := lo; i < hi; i++ {
			copy(less, along.row(i))
			scale(less, -1)
			addRows(z.row(i), less, index, q.Data)
		}
	}
	return along
}

// ritzResiduals is what decides about the p leading Ritz values, or about all there are.
type ritzResiduals struct {
	values    []float64
	worst     float64 // the largest residual, in the measure of krylovOptions.residual
	squares   float64 // Σ‖Bv − θ_i·v‖²
	next, top float64 // as in krylovResult
}

// residuals measures the Ritz vectors Qᵀy: the residual of one is Zᵀ·(y's part in the new rows).
func (s *krylovSpace) residuals(values []float64, y, z *Matrix, indefinite bool) ritzResiduals {
	residual := func(i int) float64 {
		r := make([]float64, s.size)
		for l := range s.fresh {
			axpy(r, y.row(i)[s.old+l], z.row(l))
		}
		return norm2(r)
	}
	have := s.old + s.fresh
	count := min(s.p, have)
	out := ritzResiduals{values: values[:count], top: max(values[0], 0)}
	if indefinite {
		out.top = max(out.top, -values[len(values)-1])
	}
	floor := float64(s.size) * 0x1p-52 * out.top // residuals do not fall below rounding
	for i := range count {
		r := residual(i)
		switch {
		case r <= floor:
		case indefinite:
			out.worst = max(out.worst, r)
		default:
			out.worst = max(out.worst, r/math.Sqrt(max(values[i], 0)/out.top))
		}
		out.squares += r * r
	}
	out.next = values[min(count, have-1)]
	switch {
	case have == s.size && have == count:
		out.next = 0
	case have > count && have < s.size:
		r := residual(count)
		out.next = values[count] + r
		if !indefinite {
			out.next = max(out.next, r)
		}
	}
	return out
}

// next makes an orthonormal basis of z's rows the new rows of q. A full q is first reduced to Ritz vectors.
func (s *krylovSpace) next(ctx context.Context, values []float64, y, z *Matrix) {
	have, most := s.old+s.fresh, s.q.Rows
	if have+s.block > most && most < s.size {
		keep := min(most-s.block, s.p+krylovExtra, have)
		ritz := combine(rowsOf(y, 0, keep), s.q)
		copy(s.q.Data, ritz.Data)
		clear(s.t.Data)
		for i := range keep {
			s.t.Data[i*most+i] = values[i]
		}
		have = keep
	}
	s.old, s.fresh = have, min(s.block, most-have, z.Rows)
	fresh := rowsOf(s.q, s.old, s.old+s.fresh)
	copyRows(fresh, rowsOf(z, 0, s.fresh))
	if independent(ctx, fresh) {
		project(ctx, fresh, rowsOf(s.q, 0, s.old))
		if independent(ctx, fresh) {
			return
		}
	}
	copyRows(fresh, rowsOf(z, 0, s.fresh))
	orthonormalize(ctx, rowsOf(s.q, 0, s.old+s.fresh), s.old)
}

// independent makes the rows of v orthonormal, or reports false, with v of no use, if they are dependent.
func independent(ctx context.Context, v *Matrix) bool {
	for i := 0; i < v.Rows && !stopped(ctx); i++ {
		if !deflate(v.row(i), v, i, float64(v.Cols)*0x1p-50) {
			return false
		}
	}
	return true
}

// probes is how many random vectors test a bound: see complement.below.
const probes = 8

// withProbes returns the orthonormal rows u, and below them random vectors, orthogonal to the first p of u.
// What they prove holds for any data, so the data must not know them: the runtime seeds their generator
// from the system. (In TinyGo only where the system has such a source.)
func withProbes(ctx context.Context, u *Matrix, p int) *Matrix {
	out := NewMatrix(u.Rows+probes, u.Cols, nil)
	copyRows(out, u)
	random := rowsOf(out, u.Rows, out.Rows)
	for i := range random.Data {
		random.Data[i] = rand.NormFloat64()
	}
	project(ctx, random, rowsOf(out, 0, p))
	return out
}

// complement is a symmetric matrix B where p of its approximate eigenvectors do not reach: C = (I − P)B(I −
// P), with the projector P on these.
type complement struct {
	ctx            context.Context
	p              int
	vectors, times *Matrix // withProbes of these and of further Ritz vectors, descending; products with B
	apply          func(v *Matrix) (*Matrix, error)
	most           int     // further products that are affordable
	least          float64 // about C's least eigenvalue, or 0
	trace, squares float64 // bound tr C, where no eigenvalue is below 0, and ‖C‖²; +Inf: nothing does
	noise          float64 // bounds the norm of the rounding in a product with a vector of length 1
}

// below returns an upper bound `next` of C's eigenvalues, if possible one that is enough, and how many more
// products with B that took. If sure, it is enough, and has the same bits in every call.
//
// Proof. Let V be the p rows and r more, C' = (I − VᵀV)B(I − VᵀV) and β = max(b, −least). Let q(λ) =
// λ/β·T((λ − c)/h) with the Chebyshev polynomial T of degree s−1 and [c − h, c + h] = [least, b], above
// which q rises. Of a unit eigenvector v of C' with an eigenvalue λ ≥ b, and Ω with Gaussian columns,
// ‖q(C')Ω‖_F ≥ q(λ)‖vᵀΩ‖. The probability of ‖vᵀΩ‖² ≤ x is at most (x/2)⁴/4! for 8 columns, 2e-10 for x =
// 1/64. But for that chance λ < m if ‖q(C')Ω‖_F ≤ q(m)/8 and m ≥ b (compare Halko, Martinsson & Tropp,
// Finding Structure with Randomness, 2011, Lemma 4.1). The iteration says what b and least are; where it
// errs Ω shows that, and m is large.
//
// Rounding. W₀ = C'Ω/β is off by at most (2 + √r)·noise/β of Ω, and each W_{j+1} = 2(C' − c)/h·W_j −
// W_{j−1} by 5·noise/β of the longest W. At λ that grows s−1−j times and by T at most.
//
// From C' to C = [A Eᵀ; E C']. Let a and m bound the eigenvalues of A and C', and e ≥ ‖E‖. Those of C are at
// most (a + m)/2 + √((a − m)²/4 + e²).
func (c *complement) below(enough func(next float64) bool) (next float64, more int, sure bool, err error) {
	t, sure := c.choose(enough)
	first, r := c.vectors.Rows-probes, c.p+t.r
	v, random := rowsOf(c.vectors, 0, r), rowsOf(c.vectors, first, first+probes)
	w, before := rowsOf(c.times, first, first+probes).Clone(), (*Matrix)(nil)
	along := project(c.ctx, random, rowsOf(v, c.p, r))
	axpy(w.Data, -1, combine(along, rowsOf(c.times, c.p, r)).Data)
	scale(w.Data, 1/max(t.b, -c.least))
	size, width := 0.0, norm2(random.Data)
	for j := range t.s {
		if j > 0 {
			y, err := c.apply(w)
			if err != nil {
				return 0, 0, false, err
			}
			factor := float64(2*min(j, 2)) / (t.b - c.least)
			scale(y.Data, factor)
			axpy(y.Data, -factor*(t.b+c.least)/2, w.Data)
			if j > 1 {
				axpy(y.Data, -1, before.Data)
			}
			before, w = w, y
		}
		project(c.ctx, w, v)
		project(c.ctx, w, v)
		size = norm2(w.Data)
		width = max(width, size)
	}
	if m := c.level(&t, size, width); !(m <= t.level) { // by chance: hardly another power of 2 next time
		_, exp := math.Frexp(m)
		t.level, sure = min(math.Ldexp(1, exp), t.trace), false
	}
	return t.next(), t.s - 1, sure, nil
}

// chebyshev is a test of complement.below. trace bounds the eigenvalues of C', too; level is m.
type chebyshev struct {
	r, s                  int
	a, e, b, trace, level float64
}

// next returns the bound of C.
func (t *chebyshev) next() float64 { return (t.a+t.level)/2 + math.Hypot((t.a-t.level)/2, t.e) }

// choose returns the test of the least degree that is enough, or else the best that is affordable. Where b
// and least hold, ‖q(C')Ω‖_F ≤ √(Σ(λ/β)²χ²) is at most √8·R + 9, R² = min(d, tr C'/b, ‖C‖²/β²), but for a
// chance of e^-40 (Laurent & Massart, Adaptive Estimation of a Quadratic Functional, 2000, Lemma 1). That
// proves m.
func (c *complement) choose(enough func(next float64) bool) (best chebyshev, sure bool) {
	count := c.vectors.Rows - probes - c.p
	rest := rowsOf(c.times, c.p, c.p+count).Clone()
	project(c.ctx, rest, rowsOf(c.vectors, 0, c.p))
	along := project(c.ctx, rest, rowsOf(c.vectors, c.p, c.p+count))
	tests := make([]chebyshev, count+1)
	tests[0].trace = c.trace
	for i := range count {
		t, row := tests[i], along.row(i)
		ritz, rho := row[i], norm2(rest.row(i))
		row[i] = 0
		off := norm2(row) + c.noise
		t.r, t.a, t.b = i+1, max(t.a, ritz+math.Sqrt(float64(count))*off), max(0, ritz+rho)
		t.e, t.trace = math.Hypot(t.e, rho+off), t.trace-ritz+c.noise
		tests[i+1] = t
	}
	tests[0].b = tests[1].b
	for s := 1; ; s++ {
		for _, t := range tests {
			t.s, t.b = s, t.b*(1+1e-9)+c.noise+underflow
			d, beta := float64(c.vectors.Cols), max(t.b, -c.least)
			size := math.Sqrt(probes*min(d, t.trace/t.b, c.squares/beta/beta)) + 9
			t.level = c.level(&t, size, math.Sqrt(probes*d)+9)
			if best.s == 0 || t.next() < best.next() {
				best = t
			}
		}
		if sure = enough(best.next()); sure || s > c.most {
			return best, sure
		}
	}
}

// level returns the m of the test t that is proved if ‖q(C')Ω‖ is size, and no W longer than width.
func (c *complement) level(t *chebyshev, size, width float64) float64 {
	beta, steps := max(t.b, -c.least), float64(t.s-1)
	lost := c.noise * width * (2 + math.Sqrt(float64(t.r)) + 2.5*steps*(steps+1))
	low, high := t.b, max(t.b, 8*(size*beta+lost))
	for range 60 {
		m := (low + high) / 2
		inside := max(1, (2*m-c.least-t.b)/(t.b-c.least))
		if (m/8-lost)/beta*math.Cosh(steps*math.Acosh(inside)) >= size {
			high = m
		} else {
			low = m
		}
	}
	if math.IsNaN(high) { // products of +Inf
		return t.trace
	}
	return min(high*(1+0x1p-40), t.trace)
}
