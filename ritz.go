package softkmeans

// What approximate eigenvectors prove of the eigenvalues of a symmetric matrix.

import (
	"context"
	"math"
	"slices"
)

// ritzSumBound bounds Σλ_i − Σθ_i ≥ 0 for the p leading eigenvalues λ of a symmetric B. It
// needs the last of p Ritz values θ, the sum ρ² of the squared residual norms, and an upper
// bound `next` for the eigenvalues of B outside of the Ritz space.
//
// Proof. In a basis that begins with the Ritz vectors B = [Θ Eᵀ; E C] with
// ‖E‖_F = ρ, and [0 Eᵀ; E 0] ⪯ diag(EᵀE/τ, τI) for every τ > 0. So B ⪯
// diag(Θ + EᵀE/τ, C + τI), whose p leading eigenvalues add up to at most
// Σθ_i + ρ²/τ + p·max(0, next + τ − θ_p). With a gap δ = θ_p − next > 0, τ = δ
// gives ρ²/δ; in any case τ = ρ/√p gives 2√p·ρ + p·max(0, next − θ_p).
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

// leadingSum returns the sum of the p leading eigenvalues of the symmetric m×m matrix a, as
// its approximate eigenvectors v (p×m) give it, and how far the true sum may be from it, on
// either side. values are approximations of the leading eigenvalues, p+1 or more of them.
// leadingSum scales a by a power of two.
//
// Proof. Let e bound the relative rounding of a quadratic form in a, N = ‖a‖_F, V the rows
// of v, ω ≥ ‖VVᵀ − I‖_F and Q an orthonormal basis of V's space. The trace of QᵀaQ is that
// of (VVᵀ)⁻¹VaVᵀ, so it differs from the trace of VaVᵀ by at most ω/(1−ω)·‖VaVᵀ‖_F. It is at
// most the sum of the leading eigenvalues (Ky Fan), and by ritzSumBound little less. The
// part of aQ outside of the space is at most (1−ω)^-½ times that of aVᵀ, which av − Tv
// bounds. The least eigenvalue of VaVᵀ is at least the least t_ii less the norm of the other
// entries; for QᵀaQ it may be smaller by ω. complementBound gives `next`.
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
	open := ritzSumBound(p, least-2*omega*math.Abs(least), rho*rho, next)
	return sum, 1.01*(1.1*pe*norm+1.2*omega*(math.Sqrt(all)+1.1*pe*norm)+open) + gamma(p+2)*math.Sqrt(float64(p)*all)
}

// complementBound returns an upper bound of the eigenvalues of a on the complement of the
// rows of v, vectors of its leading eigenvalues: +Inf where it finds none. It looks between
// values[p−1] and values[p].
//
// Proof. If M = σI + Σθ_i·v_iv_iᵀ − a has no eigenvalue below −φ, then xᵀax ≤ (σ+φ)‖x‖² for
// every x orthogonal to v, whatever θ is. A Cholesky factorization that ends proves that of
// the M in memory with φ = γ(m+4)/(1−γ(m+4))·tr M (Rump, Verification of Positive
// Definiteness, 2006; Higham, theorem 10.3). Forming M rounds every entry p+3 times, which
// is at most γ(p+3) of σ + ‖a‖_F + Σ|θ_i|‖v_i‖² in norm.
func complementBound(ctx context.Context, a, v *Matrix, values []float64, workers int) float64 {
	p, m := v.Rows, a.Rows
	size := math.Sqrt(sumSquares(a.Data))
	for l := range p {
		size += math.Abs(values[l]) * sumSquares(v.row(l))
	}
	shifted := NewMatrix(m, m, nil)
	rounding := 1.1 * gamma(m+p+8)
	margin := max((values[p-1]-values[p])/2, 4*rounding*(size+float64(m)*math.Abs(values[p])))
	for range 4 {
		sigma := values[p] + margin
		var trace float64
		for i := range m {
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

// definitePanel is how many rows of the factor are found before the rest of the matrix is
// updated: with fewer the passes over memory take the time, with more those rows. Strips of
// that length are full for any number of lanes.
const definitePanel = 48

// definite reports whether the Cholesky factorization of the symmetric matrix a, given on
// and right of the diagonal, runs to its end. It overwrites a with the factor R, a = RᵀR.
// Every entry passes at most m+3 roundings. Cost: m³/6.
func definite(ctx context.Context, a *Matrix, workers int) bool {
	m := a.Rows
	var strips, negative []float64
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
		strips = resized(strips, stripSize(rest, definitePanel))
		negative = resized(negative, len(strips))
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
			addMulStrips(a.Data[(hi+first)*a.Stride+hi+first:], a.Stride, negative[at:], last-first, strips[at:], rest-first, definitePanel, true)
		})
	}
	return true
}
