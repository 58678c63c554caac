package softkmeans

// How far a symmetric matrix is from the positive semidefinite matrices of a rank: a proved
// bound. It is the floor of LSD and the minimum of TILSD.

import (
	"context"
	"math"
)

// semidefiniteFloor returns bounds of the least ‖A − M‖² over positive semidefinite M of
// rank r or less, for a matrix A that is within `slip` of a in Frobenius norm. The m×m
// matrix a is given on and right of the diagonal, and overwritten. y (p×m, p ≤ r) is a
// factor of the best M, as eigenvectors give it.
//
// Proof. Let D(A) be the least ‖A − M‖. It changes by no more than A does. R = a − YYᵀ has
// an exact meaning but for its rounding, γ(p+2)(‖a‖ + ‖Y‖²), which is added to slip; √2 is
// for the half of a that is a copy. Let Q be an orthonormal basis of Y's columns, C = (I −
// QQᵀ)R(I − QQᵀ) with eigenvalues up to σ, and t_i those of YᵀY, so YYᵀ = QTQᵀ. In
// B = Q·max(T, σ)·Qᵀ + C the p leading eigenvalues are max(t_i, σ), and each other is at
// most σ. So D(B)² ≥ ‖C‖² − (r−p)max(σ, 0)². Let e ≥ ‖QᵀR‖. Then ‖R − C‖² ≤ 2e², ‖C‖² ≥
// ‖R‖² − 2e², and ‖YYᵀ + R − B‖ is at most √2·e + √Σmax(σ − t_i, 0)².
//
// With columns of length 1, Ŷ = QS, and ω ≥ ‖ŶᵀŶ − I‖_F the least singular value of S is at
// least √(1−ω). So e ≤ ‖ŶᵀR‖/√(1−ω). The t_i are within the norm of the entries of YᵀY off
// its diagonal of those on it (Weyl). belowBound proves σ.
//
// Cost: pm² and m³/6 for each of up to five tries of σ.
func semidefiniteFloor(a, y *Matrix, r int, slip float64, workers int) (low, high float64) {
	p, m := y.Rows, a.Rows
	sums := gamma(dotDepth(m) + 8)
	norm := triangleNorm(a)
	minus, plain := y.transposed(), y.transposed()
	scale(minus.Data, -1)
	addMulNT(a.Data, m, minus.Data, m, plain.Data, m, p, false)
	mirror(a.Data, m)
	slip = 1.5 * (slip + gamma(p+2)*(norm+sumSquares(y.Data)*(1+gamma(p*m))))
	squares := 0.0
	for i := range m {
		squares += sumSquares(a.row(i))
	}
	length := math.Sqrt(squares) * (1 + gamma(dotDepth(m)+m+4))
	high = (length + slip) * (length + slip) * (1 + 0x1p-50)

	var apart, off, size, outside float64
	least := math.Inf(1)
	t := make([]float64, p)
	row := make([]float64, m)
	for i := range t {
		t[i] = sumSquares(y.row(i))
		least = min(least, t[i])
		size += t[i]
		for j := range i {
			v := dot(y.row(i), y.row(j))
			off += 2 * v * v
			apart += 2 * v / t[i] * v / t[j]
		}
		for j := range row {
			row[j] = dot(a.row(j), y.row(i))
		}
		outside += sumSquares(row) / t[i]
	}
	omega := math.Sqrt(apart)*(1+gamma(p*p)) + 2*float64(p)*sums
	if !(omega < 0.5) {
		return 0, high
	}
	eta := math.Sqrt(off)*(1+gamma(p*p)) + 2*sums*size
	e := (math.Sqrt(outside)*(1+gamma(p+m)) + math.Sqrt(float64(p))*sums*length) * (1 + 2*omega)
	kept, raised := squares*(1-gamma(dotDepth(m)+m+4))-2*e*e, 0.0
	if r > 0 && m > p {
		from := 0.0
		if p == r {
			from = max(least-eta, 0)
		}
		sigma := min(belowBound(a, from, workers), length)
		kept -= float64(r-p) * max(sigma, 0) * max(sigma, 0)
		for _, v := range t {
			raised += max(0, sigma-v+eta) * max(0, sigma-v+eta)
		}
	}
	slip += 0x1p-51 * length // the rounding of what follows
	distance := math.Sqrt(max(kept, 0)) - math.Sqrt2*e - math.Sqrt(raised) - slip
	return max(distance, 0) * max(distance, 0) * (1 - 0x1p-50), high
}

// triangleNorm bounds the Frobenius norm of a symmetric matrix that is given on and right
// of the diagonal.
func triangleNorm(a *Matrix) float64 {
	squares := 0.0
	for i := range a.Rows {
		squares += sumSquares(a.row(i)[i:])
	}
	return math.Sqrt(2*squares) * (1 + gamma(dotDepth(a.Rows)+a.Rows+4))
}

// belowBound returns an upper bound of the eigenvalues of the symmetric matrix a: about
// `least` if they are below that, otherwise one that is near them if they are little above
// it, or +Inf.
//
// Proof. A Cholesky factorization of N that ends proves that N has no eigenvalue below −φ,
// φ = γ(m+4)/(1−γ(m+4))·tr N (Rump, Verification of Positive Definiteness, 2006; Higham,
// theorem 10.3). N = σI − a is rounded on its diagonal only, which is once more.
func belowBound(a *Matrix, least float64, workers int) float64 {
	m := a.Rows
	rounding := 1.1 * gamma(m+6)
	trace := float64(m) * least // of N for that σ
	for i := range m {
		trace -= a.row(i)[i]
	}
	unit := 1.1*rounding*max(trace, 0) + 0x1p-52*triangleNorm(a)
	shifted := NewMatrix(m, m, nil)
	for _, steps := range []float64{-1, 0.1, 2, 64, 4096} {
		sigma := least + steps*unit
		if sigma < 0 {
			continue
		}
		sum := 0.0
		for i := range m {
			row := shifted.row(i)[i:]
			copy(row, a.row(i)[i:])
			scale(row, -1)
			row[0] += sigma
			sum += row[0]
		}
		if definite(context.Background(), shifted, workers) {
			return sigma + rounding*sum*(1+gamma(m))
		}
	}
	return math.Inf(1)
}
