package softkmeans

// Floors of similarities: proved bounds of ‖K − M‖² over the positive semidefinite M of a rank.

import (
	"context"
	"math"
	"slices"
)

// provedOrder is the largest n for which an iteration is proved without random vectors, in n³/6 or n³/3.
const provedOrder = 512

// prove sets the bounds of the floors for factors of rank up to r, where z was found.
func (o *operator) prove(left *remainder, spec *spectrum, z *Matrix, r int) error {
	if o.n > provedOrder && spec.steps > 0 {
		return o.proveByProbes(left, spec, z, r)
	}
	return o.proveDense(left, z, r)
}

// proveDense sets the bounds as prove does, by factorizations: n³/6 for each of up to four tries.
func (o *operator) proveDense(left *remainder, z *Matrix, r int) error {
	a, err := o.full()
	if err != nil {
		return err
	}
	one, sums := slices.Repeat([]float64{1}, o.n), make([]float64, o.n)
	for i := range sums {
		sums[i] = dot(a.row(i), one)
	}
	left.lows, left.high = semidefiniteFloor(o.ctx, a, z, r, o.slip(frobenius(a), sums), o.workers)
	return cancelled(o.ctx)
}

// frobenius bounds the Frobenius norm of a square matrix without gaps.
func frobenius(a *Matrix) float64 {
	return math.Sqrt(sumSquares(a.Data)) * (1 + gamma(dotDepth(len(a.Data))+4))
}

// slip bounds how far the matrix a in memory, of the given norm and with these sums of rows, is from that
// of exact arithmetic. An average of two halves is off by 2u of its size and of their difference. An entry of
// the centred matrix is k_ij − (s_i + s_j) for the shifts s, with two roundings. H takes out s_i + s_j for
// any numbers s, so that errors of the means do not matter, and HKH is HaH except for these roundings. HaH
// is off a by at most √(2/n)·‖a1‖.
func (o *operator) slip(norm float64, sums []float64) float64 {
	const u = 0x1p-53
	root := math.Sqrt(float64(o.n))
	slip := u * (2*norm + 2*symmetryTol*float64(o.n))
	if o.shifts != nil {
		slip += u*1.01*(2*norm+2*root*norm2(o.shifts)) +
			1.5*(norm2(sums)/root+gamma(dotDepth(o.n)+2)*norm)
	}
	return slip
}

// proveByProbes does so for a large n, in one pass over K and as many more as complement.below takes.
func (o *operator) proveByProbes(left *remainder, spec *spectrum, z *Matrix, r int) error {
	p, n := z.Rows, o.n
	probed := withProbes(o.ctx, spec.rows, p)
	vectors := NewMatrix(probed.Rows+1, n, slices.Concat(probed.Data, slices.Repeat([]float64{1}, n)))
	times, err := o.apply(vectors)
	if err != nil {
		return err
	}
	norm, root := math.Sqrt(left.total)*(1+gamma(2*n)), math.Sqrt(float64(probed.Rows))
	size := sumSquares(z.Data)
	l := leftover{y: z, times: times.Clone(), norm: norm, squares: left.squares,
		off: 3 * gamma(n+p+20) * (norm + size), slip: o.slip(norm, times.row(probed.Rows))}
	l.times.Rows = p
	for i := range p {
		row := l.times.row(i)
		scale(row, math.Sqrt(spec.values[i]))
		for j := range p {
			axpy(row, -dot(z.row(i), z.row(j)), z.row(j))
		}
	}
	c := complement{ctx: o.ctx, p: p, vectors: probed, times: times, apply: o.apply,
		most: max(spec.steps, 16), least: spec.least * 1.25, trace: math.Inf(1), squares: left.squares,
		noise: 3 * norm * (root*gamma(probed.Rows+n+20) + gamma(n+28) + skewOf(spec.rows))}
	times.Rows = probed.Rows
	left.lows, left.high, err = l.floors(r, func(from, most float64) (float64, error) {
		from += openShare / 100 * norm
		if most <= from {
			return most, nil
		}
		next, _, sure, err := c.below(func(next float64) bool { return next <= from })
		if !sure {
			spec.status = StatusIterationLimit
		}
		return next + l.off, err
	})
	return err
}

// semidefiniteFloor returns the floors of leftover for a symmetric m×m matrix a, which it overwrites. The
// true matrix is within `slip` of a in Frobenius norm. y (p×m) is a factor of the best M of rank r, as
// eigenvectors give it. Once ctx has ended floors are less than they could be. Cost: pm² and m³/6 for each of
// up to four tries of σ.
func semidefiniteFloor(ctx context.Context, a, y *Matrix, r int, slip float64,
	workers int) (lows []float64, high float64) {
	p, m := y.Rows, a.Rows
	l := leftover{y: y, times: NewMatrix(p, m, nil), norm: frobenius(a), slip: slip}
	minus, plain := y.transposed(), y.transposed()
	scale(minus.Data, -1)
	addMulNT(a.Data, m, minus.Data, m, plain.Data, m, p, false)
	mirror(a.Data, m)
	for i := range m {
		l.squares += sumSquares(a.row(i))
		for c := range p {
			l.times.row(c)[i] = dot(a.row(i), y.row(c))
		}
	}
	size := frobenius(a)
	l.off = gamma(dotDepth(m)+8) * size
	lows, high, _ = l.floors(r, func(from, _ float64) (float64, error) {
		// The first σ is 14 margins below `from`, the second one above.
		from -= 15 * 1.1 * gamma(m+8) * (size + float64(m)*from)
		return complementBound(ctx, a, NewMatrix(0, m, nil), []float64{from}, workers), nil
	})
	return lows, high
}

// leftover is what a factor Y, in rows y (p×m), leaves of a symmetric matrix a: R = a − YYᵀ.
type leftover struct {
	y, times *Matrix // times has the products of R with these rows
	norm     float64 // ‖a‖
	squares  float64 // ‖R‖²
	off      float64 // bounds the rounding in times, for rows of length 1
	slip     float64 // bounds ‖A − a‖ for the matrix A in question
}

// floors returns lower bounds of the least ‖A − M‖² over positive semidefinite M of rank k or less,
// for k = 0, …, r, and an upper bound for r ≥ p. These are the floors of LSD, and the minima of TILSD.
// above returns a bound σ of R's eigenvalues on the complement of y, which are at most `most`. σ need not be
// below `from`.
//
// Proof. Let D(A) be the least ‖A − M‖. It changes by no more than A does. R = a − YYᵀ has an
// exact meaning but for its rounding, γ(p+2)(‖a‖ + ‖Y‖²), which is added to slip; √2 is for the
// half of a that is a copy. Let Q be an orthonormal basis of Y's columns, C = (I − QQᵀ)R(I − QQᵀ)
// with eigenvalues up to σ, and t_i those of YᵀY, descending, so YYᵀ = QTQᵀ. In B = Q·max(T,
// σ)·Qᵀ + C the p leading eigenvalues are max(t_i, σ), and each other is at most σ. So D(B)² ≥
// ‖C‖² + Σ_{k<i≤p} t_i² − max(k−p, 0)·max(σ, 0)². Let e ≥ ‖QᵀR‖. Then ‖R −
// C‖² ≤ 2e², ‖C‖² ≥ ‖R‖² − 2e², and ‖YYᵀ + R − B‖ is at most √2·e +
// √Σmax(σ − t_i, 0)².
//
// With columns of length 1, Ŷ = QS, and ω ≥ ‖ŶᵀŶ − I‖_F the least singular value of S is
// at least √(1−ω). So e ≤ ‖ŶᵀR‖/√(1−ω). The t_i are within the norm of the entries of
// YᵀY off its diagonal of those on it (Weyl).
func (l *leftover) floors(r int,
	above func(from, most float64) (float64, error)) (lows []float64, high float64, err error) {
	y, p, m := l.y, l.y.Rows, l.y.Cols
	sums, depth := gamma(dotDepth(m)+8), dotDepth(m)+m+4
	length := math.Sqrt(l.squares) * (1 + gamma(depth))
	slip := 1.5 * (l.slip + gamma(p+2)*(l.norm+sumSquares(y.Data)*(1+gamma(p*m))))
	lows, high = make([]float64, r+1), (length+slip)*(length+slip)*(1+0x1p-50)

	var apart, off, size, outside float64
	least := math.Inf(1)
	t := make([]float64, p)
	for i := range t {
		t[i] = sumSquares(y.row(i))
		least = min(least, t[i])
		size += t[i]
		for j := range i {
			v := dot(y.row(i), y.row(j))
			off += 2 * v * v
			apart += 2 * v / t[i] * v / t[j]
		}
		outside += sumSquares(l.times.row(i)) / t[i]
	}
	omega := math.Sqrt(apart)*(1+gamma(p*p)) + 2*float64(p)*sums
	if !(omega < 0.5) {
		return lows, high, nil
	}
	eta := math.Sqrt(off)*(1+gamma(p*p)) + 2*sums*size
	e := (math.Sqrt(outside)*(1+gamma(p+m)) + math.Sqrt(float64(p))*l.off) * (1 + 2*omega)
	sigma, from, raised := 0.0, 0.0, 0.0
	if r > 0 && m > p {
		if p == r {
			from = max(least-eta, 0)
		}
		if sigma, err = above(from, length); err != nil {
			return nil, 0, err
		}
		sigma = max(0, min(sigma, length))
		for _, v := range t {
			raised += max(0, sigma-v+eta) * max(0, sigma-v+eta)
		}
	}
	slip += 0x1p-51 * length // the rounding of what follows
	slices.Sort(t)
	kept, at := l.squares*(1-gamma(depth))-2*e*e-float64(r-p)*sigma*sigma, 0
	for k := r; k >= 0; k-- {
		distance := math.Sqrt(max(kept, 0)) - math.Sqrt2*e - math.Sqrt(raised) - slip
		lows[k] = max(distance, 0) * max(distance, 0) * (1 - 0x1p-50)
		if k > p {
			kept += sigma * sigma
		} else if at < p {
			kept += max(t[at]-eta, 0) * max(t[at]-eta, 0) * (1 - gamma(p+4))
			slip += 0x1p-51 * t[at]
			at++
		}
	}
	return lows, high, nil
}
