package softkmeans

// Proved bounds: of rounding, of eigenvalues from approximate eigenvectors, and of the eigenvalues of a
// matrix that is given by its products with random vectors. The error of every operation is at most u = 2^-53
// of its result (Higham, Accuracy and Stability of Numerical Algorithms, 2002, chapter 3). A fused operation
// rounds less. The constant underflow covers numbers below the range of float64, which are off by up to
// 2^-1075 per operation.

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// underflow bounds the underflow error of a sum of squares of entries up to 2, of any table: 2^74 roundings
// of at most 2^-1074.
const underflow = 0x1p-1000

// gamma returns γ(m) = m·u/(1 − m·u). A product of m factors 1+δ, |δ| ≤ u, is within γ(m) of 1. If each term
// of a sum passes m roundings, the sum is off by at most γ(m) times the sum of the magnitudes.
func gamma(m int) float64 {
	v := float64(m) * 0x1p-53
	return v / (1 - v) * (1 + 0x1p-50)
}

// dotDepth bounds the number of roundings that a product passes in dot of n numbers, which adds up at least
// four partial sums.
func dotDepth(n int) int { return n/4 + 12 }

// fineDepth bounds the error of a fineSum of n terms, in roundings of the sum of their magnitudes. The value
// of the sum is within u|Σx| + γ(n)²Σ|x| of Σx (Ogita, Rump and Oishi, Accurate Sum and Dot Product, 2005,
// proposition 4.5). The n additions lose at most γ(n)Σ|x| in all. The lost parts are added up with n
// roundings again, also if sums are merged.
func fineDepth(n int) int {
	m := n>>26 + 1 // m² is at least γ(n)²/u
	return 1 + m*m
}

// depth returns the number of additions that a term passes in a sum over the rows: within its block, then of
// the blocks of its chunk, then of the chunks.
func (c chunking) depth() int {
	count, step := chunks(c.n, c.l, c.most), blockRows(c.n, c.l)
	return min(c.n, step) + (c.n/count+1)/step + 1 + count
}

// ritzSumBound returns an upper bound of Σλ_i − Σθ_i ≥ 0 for the p leading eigenvalues λ of a symmetric B and
// p Ritz values θ. last is the last Ritz value θ_p, squares the sum ρ² of the squared residual norms, and
// next an upper bound of the eigenvalues of B outside the Ritz space.
//
// Proof. In a basis that begins with the Ritz vectors, B = [Θ Eᵀ; E C] with ‖E‖_F = ρ.
//
//  1. For every τ > 0, [0 Eᵀ; E 0] ⪯ diag(EᵀE/τ, τI). Therefore B ⪯ diag(Θ + EᵀE/τ, C + τI).
//  2. The p leading eigenvalues of the right-hand side add up to at most
//     Σθ_i + ρ²/τ + p·max(0, next + τ − θ_p).
//  3. If the gap δ = θ_p − next is positive, τ = δ gives the bound ρ²/δ. In any case τ = ρ/√p gives the
//     bound 2√p·ρ + p·max(0, next − θ_p).
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

// leadingSum returns the trace of a on the space of its approximate eigenvectors v (p×m), and a bound of its
// distance from the sum of the p leading eigenvalues of the symmetric m×m matrix a, on either side. values
// contains approximations of at least p+1 leading eigenvalues. leadingSum multiplies a by a power of two in
// place. Cost: pm² multiplications, and m³/6 for each of up to four tries of complementBound.
//
// Proof. Let e bound the relative rounding error of a quadratic form in a, N = ‖a‖_F, V the rows of v, T =
// VaVᵀ, ω ≥ ‖VVᵀ − I‖_F, and Q an orthonormal basis of the space of V.
//
//  1. Trace. tr QᵀaQ is the trace of (VVᵀ)⁻¹T, so it differs from tr T by at most ω/(1−ω)·‖T‖_F.
//  2. Sum. tr QᵀaQ is at most the sum of the leading eigenvalues (Ky Fan), and smaller by at most
//     ritzSumBound. The next steps bound its arguments.
//  3. Residuals. The part of aQ outside the space is at most (1−ω)^-½ times the part of aVᵀ outside the
//     space. The differences av − Tv bound this part of aVᵀ.
//  4. Last Ritz value. The least eigenvalue of T is at least the least t_ii minus the norm of the entries
//     off the diagonal. The eigenvalues h_i of QᵀaQ may be smaller than the eigenvalues t_i of T. The proof
//     of ritzSumBound uses the h_i only in Σmax(h_i, l) for one number l. That sum is at most Σmax(t_i, l) +
//     Σmax(0, h_i − t_i). T is GQᵀaQG for G = (VVᵀ)^½. So Σmax(0, h_i − t_i) is at most the trace of the
//     positive part of QᵀaQ − T (Lidskii), below 1.2ω‖T‖_F. This term replaces the difference of traces in
//     step 1.
//  5. complementBound returns next.
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

// complementBound returns an upper bound of the eigenvalues of a on the complement of the rows of v, which
// approximate the eigenvectors of its leading eigenvalues. It returns +Inf if it finds no bound. It tries up
// to four σ, the first halfway between values[p−1] and values[p], or slightly above values[p].
//
// Proof. Let M = σI + Σθ_i·v_iv_iᵀ − a.
//
//  1. If no eigenvalue of M is below −φ, then xᵀax ≤ (σ+φ)‖x‖² for every x orthogonal to v, for any θ.
//  2. If the Cholesky factorization of the stored M ends, no eigenvalue of the stored M is below −φ for φ =
//     γ(m+4)/(1−γ(m+4))·tr M (Rump, Verification of Positive Definiteness, 2006; Higham, theorem 10.3).
//  3. Computing M rounds every entry p+3 times. The error is at most γ(p+3) of σ + ‖a‖_F + Σ|θ_i|‖v_i‖² in
//     norm.
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

// definitePanel is the number of rows of the factor that definite computes before it updates the remaining
// rows. It is a multiple of the length of a strip for any number of lanes.
const definitePanel = 48

// definite reports whether the Cholesky factorization of the symmetric matrix a runs to its end. It reads a
// on and right of the diagonal, and overwrites a with the factor R, a = RᵀR. Every entry passes at most m+3
// roundings. Cost: m³/6.
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
		workers = paying(workers, float64(rest*rest*definitePanel)/2) // the rest becomes smaller
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

// probes is the number of random vectors that test a bound: see complement.below.
const probes = 8

// withProbes returns the orthonormal rows u followed by random vectors, orthogonal to the first p rows of u.
// Bounds proved by random vectors hold for data that is independent of them. Therefore the runtime seeds
// their generator from the system. (TinyGo does so only if the system offers a source of randomness.)
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

// complement is C = (I − P)B(I − P) for a symmetric matrix B. P is the projector on the space of p
// approximate eigenvectors of B.
type complement struct {
	ctx context.Context
	p   int
	// vectors, times: vectors is the result of withProbes for the p eigenvectors and further Ritz vectors, by
	// descending value; times contains their products with B.
	vectors, times *Matrix
	apply          func(v *Matrix) (*Matrix, error)
	most           int     // the largest number of further products with B
	least          float64 // approximately the least eigenvalue of C, or 0
	trace, squares float64 // bounds of tr C, if no eigenvalue is below 0, and of ‖C‖²; +Inf: none
	noise          float64 // bounds the norm of the rounding error of a product with a unit vector
}

// below returns an upper bound next of the eigenvalues of C, and the number `more` of further products with
// B. It tries to find a bound for which enough returns true. If sure is true, enough(next) is true, and next
// has the same bits in every call, although the probes are random.
//
// Proof. Let V be the p vectors and r more, C' = (I − VᵀV)B(I − VᵀV), and Ω a matrix of 8 Gaussian columns.
// Let β = max(b, −least) and q(λ) = λ/β·T((λ − c)/h), with the Chebyshev polynomial T of degree s−1 and [c −
// h, c + h] = [least, b]. q rises above b.
//
//  1. Test. Let v be a unit eigenvector of C' with an eigenvalue λ ≥ b. Then ‖q(C')Ω‖_F ≥ q(λ)‖vᵀΩ‖.
//  2. Chance. The probability of ‖vᵀΩ‖² ≤ x is at most (x/2)⁴/4!, which is 2e-10 for x = 1/64. Therefore
//     ‖q(C')Ω‖_F ≤ q(m)/8 with m ≥ b proves λ < m, except with this probability (compare Halko, Martinsson &
//     Tropp, Finding Structure with Randomness, 2011, Lemma 4.1).
//  3. Choice of b and least. The iteration supplies them. If they are wrong, Ω shows it and m is large.
//  4. Rounding. W₀ = C'Ω/β is off by at most (2 + √r)·noise/β of Ω. Each W_{j+1} = 2(C' − c)/h·W_j − W_{j−1}
//     is off by 5·noise/β of the longest W. From step j to the last step, an error in the direction of the
//     eigenvalue λ grows at most by the factor (s−1−j)·T.
//  5. From C' to C = [A Eᵀ; E C']. Let a and m bound the eigenvalues of A and C', and e ≥ ‖E‖. The
//     eigenvalues of C are at most (a + m)/2 + √((a − m)²/4 + e²).
func (c *complement) below(enough func(next float64) bool) (next float64, more int, sure bool, err error) {
	t, sure := c.choose(enough)
	first, known := c.vectors.Rows-probes, c.p+t.r
	v, random := rowsOf(c.vectors, 0, known), rowsOf(c.vectors, first, first+probes)
	w, before := rowsOf(c.times, first, first+probes).Clone(), (*Matrix)(nil)
	along := project(c.ctx, random, rowsOf(v, c.p, known))
	axpy(w.Data, -1, combine(c.ctx, along, rowsOf(c.times, c.p, known)).Data)
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
	// The probes are random, and so is m. Rounded up to a power of 2, m is mostly the same in every call.
	if m := c.level(&t, size, width); !(m <= t.level) {
		_, exp := math.Frexp(m)
		t.level, sure = min(math.Ldexp(1, exp), t.trace), false
	}
	return t.next(), t.s - 1, sure, nil
}

// chebyshev is a test of complement.below. trace also bounds the eigenvalues of C'. level is m.
type chebyshev struct {
	r, s                  int
	a, e, b, trace, level float64
}

// next returns the bound of the eigenvalues of C.
func (t *chebyshev) next() float64 { return (t.a+t.level)/2 + math.Hypot((t.a-t.level)/2, t.e) }

// choose returns the test of the least degree whose bound satisfies enough, and sure = true. If there is none
// among the affordable tests, it returns the test with the lowest bound, and sure = false.
//
// If b and least are right, ‖q(C')Ω‖_F ≤ √(Σ(λ/β)²χ²). This is at most √8·R + 9 with R² = min(d, tr C'/b,
// ‖C‖²/β²), except with probability e^-40 (Laurent & Massart, Adaptive Estimation of a Quadratic Functional,
// 2000, Lemma 1). Such a norm proves the m of the test.
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

// level returns the m, at most t.trace, that the test t proves if ‖q(C')Ω‖ is size and no W is longer than
// width.
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
	if math.IsNaN(high) { // a product was +Inf
		return t.trace
	}
	return min(high*(1+0x1p-40), t.trace)
}
