package softkmeans

// Proved bounds: of rounding, of eigenvalues by approximate eigenvectors, of those of a matrix given by its
// products by random vectors. Every operation is off by at most u = 2^-53 of its result (Higham, Accuracy and
// Stability of Numerical Algorithms, 2002, chapter 3), fused ones less. Numbers below the range of float64,
// 2^-1075 for every operation, are in underflow.

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// underflow bounds that in sums of squares of entries of up to 2, of any table: 2^74 roundings of 2^-1074.
const underflow = 0x1p-1000

// gamma returns γ(m) = mu/(1−mu): a product of m factors 1+δ, |δ| ≤ u, is within γ(m) of 1. So a sum
// in which every term passes m roundings is off by at most γ(m) of the sum of their sizes.
func gamma(m int) float64 {
	v := float64(m) * 0x1p-53
	return v / (1 - v) * (1 + 0x1p-50)
}

// dotDepth returns how many roundings a product passes in dot over n numbers, which has four sums or more.
func dotDepth(n int) int { return n/4 + 12 }

// fineDepth returns how many roundings a term of a fineSum of n terms counts as. The value is within u|Σx| +
// γ(n)²Σ|x| of the sum (Ogita, Rump and Oishi, Accurate Sum and Dot Product, 2005, proposition 4.5). What the
// n additions lost is at most γ(n)Σ|x| in all, and is rounded as often itself, in parts that merge as well.
func fineDepth(n int) int {
	m := n>>26 + 1 // m² is at least γ(n)²/u
	return 1 + m*m
}

// depth returns how many additions a term passes: those of its block, the blocks of its chunk and the chunks.
func (c chunking) depth() int {
	count, step := chunks(c.n, c.l, c.most), blockRows(c.n, c.l)
	return min(c.n, step) + (c.n/count+1)/step + 1 + count
}

// ritzSumBound bounds Σλ_i − Σθ_i ≥ 0 for the p leading eigenvalues λ of a symmetric B. It
// needs the last of p Ritz values θ, the sum ρ² of the squared residual norms, and an upper
// bound `next` for the eigenvalues of B outside of the Ritz space.
//
// Proof. In a basis that begins with the Ritz vectors B = [Θ Eᵀ; E C] with ‖E‖_F = ρ, and [0 Eᵀ; E
// 0] ⪯ diag(EᵀE/τ, τI) for every τ > 0. So B ⪯ diag(Θ + EᵀE/τ, C + τI), whose p leading
// eigenvalues add up to at most Σθ_i + ρ²/τ + p·max(0, next + τ − θ_p). With a gap δ = θ_p −
// next > 0, τ = δ gives ρ²/δ; in any case τ = ρ/√p gives 2√p·ρ + p·max(0, next − θ_p).
func ritzSumBound(p int, last, squares, next float64) float64 {
	if p == 0 || squares == 0 && next == 0 {
		return 0
	}
	bound := 2*math.Sqrt(float64(p)*squares) + float64(p)*max(0, next-last)
	if gap := last - next; gap > 0 {
		bound = min(bound, squares/gap)
	}
	return bound
}

// leadingSum returns the sum of the p leading eigenvalues of the symmetric m×m matrix a, as its approximate
// eigenvectors v (p×m) give it, and how far the true sum may be from it, on either side. values are
// approximations of the leading eigenvalues, p+1 or more of them. leadingSum scales a by a power of two.
//
// Proof. Let e bound the relative rounding of a quadratic form in a, N = ‖a‖_F, V the rows of v, ω ≥ ‖VVᵀ −
// I‖_F and Q an orthonormal basis of V's space. The trace of QᵀaQ is that of (VVᵀ)⁻¹VaVᵀ, so it differs from
// the trace of VaVᵀ by at most ω/(1−ω)·‖VaVᵀ‖_F. It is at most the sum of the leading eigenvalues (Ky Fan),
// and by ritzSumBound little less. The part of aQ outside of the space is at most (1−ω)^-½ times that of aVᵀ,
// which av − Tv bounds. The least eigenvalue of T = VaVᵀ is at least the least t_ii less the norm of the
// other entries. QᵀaQ has eigenvalues h_i, T has t_i. In ritzSumBound Σmax(h_i, l) for some l is at most
// Σmax(t_i, l) + Σmax(0, h_i − t_i). T is GQᵀaQG for G = (VVᵀ)^½. So the last sum is below 1.2ω‖T‖_F, as the
// trace of the positive part of QᵀaQ − T is (Lidskii). It stands for the difference of the traces above.
// complementBound gives `next`.
//
// Cost: pm² and m³/6.
func leadingSum(ctx context.Context, a, v *Matrix, values []float64, workers int) (sum, off float64) {
	p, m := v.Rows, a.Rows
	if p == 0 {
		return 0, 0
	}
	exp := unitScale(a)
	values = slices.Clone(values)
	scale(values, math.Ldexp(1, -exp))
	defer func() { sum, off = math.Ldexp(sum, exp), math.Ldexp(off, exp) }()
	e := gamma(2*dotDepth(m) + p + 8)
	pe, norm := float64(p)*e, math.Sqrt(sumSquares(a.Data))*(1+gamma(m*m/4+16))
	var apart, squares, others, all float64
	least := math.Inf(1)
	t, av := make([]float64, p), make([]float64, m)
	for i := range p {
		if stopped(ctx) {
			return sum, math.Inf(1)
		}
		u := v.row(i)
		for j := range av {
			av[j] = dot(a.row(j), u)
		}
		for l := range p {
			t[l] = dot(av, v.row(l))
			d := dot(u, v.row(l))
			all += t[l] * t[l]
			if l == i {
				sum += t[i]
				least = min(least, t[i])
				d--
			} else {
				others += t[l] * t[l]
			}
			apart += d * d
		}
		for l := range p {
			axpy(av, -t[l], v.row(l))
		}
		squares += sumSquares(av)
	}
	omega := math.Sqrt(apart) + 1.1*float64(p)*gamma(dotDepth(m))
	if !(omega < 0.1) {
		return sum, math.Inf(1)
	}
	least -= math.Sqrt(others) + 1.1*pe*norm
	rho := (1 + omega) * (math.Sqrt(squares) + 4*pe*norm)
	next := complementBound(ctx, a, v, values, workers)
	open := ritzSumBound(p, least, rho*rho, next)
	off = 1.01 * (1.1*pe*norm + 1.2*omega*(math.Sqrt(all)+1.1*pe*norm) + open)
	return sum, off + gamma(p+2)*math.Sqrt(float64(p)*all)
}

// complementBound returns an upper bound of the eigenvalues of a on the complement of the rows of v, vectors
// of its leading eigenvalues: +Inf if it finds none. It tries up to four σ, the first halfway between
// values[p−1] and values[p], or little above values[p].
//
// Proof. If M = σI + Σθ_i·v_iv_iᵀ − a has no eigenvalue below −φ, then xᵀax ≤ (σ+φ)‖x‖² for every x
// orthogonal to v, whatever θ is. A Cholesky factorization that ends proves that of the M in memory with φ =
// γ(m+4)/(1−γ(m+4))·tr M (Rump, Verification of Positive Definiteness, 2006; Higham, theorem 10.3). Forming M
// rounds every entry p+3 times, which is at most γ(p+3) of σ + ‖a‖_F + Σ|θ_i|‖v_i‖² in norm.
func complementBound(ctx context.Context, a, v *Matrix, values []float64, workers int) float64 {
	p, m := v.Rows, a.Rows
	size := math.Sqrt(sumSquares(a.Data))
	for l := range p {
		size += math.Abs(values[l]) * sumSquares(v.row(l))
	}
	shifted := NewMatrix(m, m, nil)
	rounding := 1.1 * gamma(m+p+8)
	margin := rounding * (size + float64(m)*math.Abs(values[p]))
	if p > 0 {
		margin = max(margin, (values[p-1]-values[p])/2)
	}
	for range 4 {
		sigma := values[p] + margin
		var trace float64
		for i := range m {
			if stopped(ctx) {
				return math.Inf(1)
			}
			row := shifted.row(i)[i:]
			copy(row, a.row(i)[i:])
			scale(row, -1)
			row[0] += sigma
			for l := range p {
				axpy(row, values[l]*v.row(l)[i], v.row(l)[i:])
			}
			trace += row[0]
		}
		if definite(ctx, shifted, workers) {
			return sigma + rounding*(math.Abs(sigma)+size+math.Abs(trace)*(1+gamma(m)))
		}
		margin *= 16
	}
	return math.Inf(1)
}

// definitePanel is how many rows of the factor are found before the rest is updated: full strips.
const definitePanel = 48

// definite reports whether the Cholesky factorization of the symmetric matrix a, given on
// and right of the diagonal, runs to its end. It overwrites a with the factor R, a = RᵀR.
// Every entry passes at most m+3 roundings. Cost: m³/6.
func definite(ctx context.Context, a *Matrix, workers int) bool {
	m := a.Rows
	var both []float64
	for lo := 0; lo < m; lo += definitePanel {
		hi := min(lo+definitePanel, m)
		for t := lo; t < hi; t++ {
			row := a.row(t)[t:]
			if !(row[0] > 0) || stopped(ctx) {
				return false
			}
			scale(row, 1/math.Sqrt(row[0]))
			for i := t + 1; i < hi; i++ {
				axpy(a.row(i)[i:], -row[i-t], row[i-t:])
			}
		}
		if hi == m {
			break
		}
		size, rest := stripSize(stripRows, definitePanel), m-hi
		both = resized(both, 2*stripSize(rest, definitePanel))
		strips, negative := both[:len(both)/2], both[len(both)/2:]
		for t := 0; t < definitePanel; t += 2 {
			interleaveT(strips, size, t, a.row(lo + t)[hi:], a.row(lo + t + 1)[hi:])
		}
		for i, v := range strips {
			negative[i] = -v
		}
		parts := roundUp(rest, stripRows) / stripRows
		runTasks(workers, min(reduceChunks, parts), func(_, task int) {
			first, last := taskRange(parts, min(reduceChunks, parts), task)
			first, last = first*stripRows, min(last*stripRows, rest)
			at := first / stripRows * size
			c := a.Data[(hi+first)*a.Stride+hi+first:]
			addMulStrips(c, a.Stride, negative[at:], last-first, strips[at:], rest-first, definitePanel, true)
		})
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

// complement is a symmetric matrix B where p of its approximate eigenvectors do not reach: C =
// (I − P)B(I − P), with the projector P on these.
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

// below returns an upper bound `next` of C's eigenvalues, if possible one that is enough, and how many
// more products with B that took. If sure, it is enough, and has the same bits in every call.
//
// Proof. Let V be the p rows and r more, and C' = (I − VᵀV)B(I − VᵀV). Let β = max(b, −least)
// and q(λ) = λ/β·T((λ − c)/h), with the Chebyshev polynomial T of degree s−1 and [c − h, c + h]
// = [least, b]. Above b q rises. Let v be a unit eigenvector of C' with an eigenvalue λ ≥ b, and let Ω
// have 8 Gaussian columns. Then ‖q(C')Ω‖_F ≥ q(λ)‖vᵀΩ‖. The probability that ‖vᵀΩ‖²
// ≤ x is at most (x/2)⁴/4!, which is 2e-10 for x = 1/64. So ‖q(C')Ω‖_F ≤ q(m)/8 with m ≥ b
// proves λ < m, but for that chance (compare Halko, Martinsson & Tropp, Finding Structure with Randomness,
// 2011, Lemma 4.1). The iteration says what b and least are. Where it errs Ω shows that, and m is large.
//
// Rounding. W₀ = C'Ω/β is off by at most (2 + √r)·noise/β of Ω, and each W_{j+1} = 2(C' − c)/h·W_j − W_{j−1}
// by 5·noise/β of the longest W. At λ that grows s−1−j times and by T at most.
//
// From C' to C = [A Eᵀ; E C']. Let a and m bound the eigenvalues of A and C', and e ≥ ‖E‖. Those of
// C are at most (a + m)/2 + √((a − m)²/4 + e²).
func (c *complement) below(enough func(next float64) bool) (next float64, more int, sure bool, err error) {
	t, sure := c.choose(enough)
	first, r := c.vectors.Rows-probes, c.p+t.r
	v, random := rowsOf(c.vectors, 0, r), rowsOf(c.vectors, first, first+probes)
	w, before := rowsOf(c.times, first, first+probes).Clone(), (*Matrix)(nil)
	along := project(c.ctx, random, rowsOf(v, c.p, r))
	axpy(w.Data, -1, combine(c.ctx, along, rowsOf(c.times, c.p, r)).Data)
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
// and least hold, ‖q(C')Ω‖_F ≤ √(Σ(λ/β)²χ²) is at most √8·R + 9, R² = min(d, tr C'/b,
// ‖C‖²/β²), but for a chance of e^-40 (Laurent & Massart, Adaptive Estimation of a Quadratic
// Functional, 2000, Lemma 1). That proves m.
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
