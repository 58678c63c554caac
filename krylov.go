package softkmeans

// Block Krylov iteration for the leading eigenvectors of a symmetric matrix
// that is known by its products alone: of XcᵀXc or of XcXcᵀ, whichever is
// smaller and neither of which is formed, or of a matrix of similarities. Musco &
// Musco, Randomized Block Krylov Methods (2015), with the block Lanczos process
// kept orthogonal in full and restarted thickly (Wu & Simon 2000), so that
// memory is bounded. It stops when measured residuals say so.

import (
	"context"
	"math"
	"math/rand/v2"
)

const defaultKrylovSteps = 200

// krylovExtra is how many vectors a block has beyond those asked for: the
// convergence rate then depends on a gap further down the spectrum.
const krylovExtra = 8

type krylovOptions struct {
	steps    int     // at most so many
	seed     uint64  // of the start
	residual float64 // stop when every ‖Bv − θ_i·v‖ ≤ residual·√(θ₁θ_i), which is ‖Aᵀu − σ_i·v‖ ≤ residual·σ₁ for B = AᵀA, or
	sum      float64 // stop when the bound on Σλ_i − Σθ_i is at most sum·tr B (if > 0)
	// hasty: stop, at the limit, where the bound's fall says that the steps will
	// not do.
	hasty bool
	// indefinite: B may have negative eigenvalues. The residuals are then held to
	// residual times the largest |θ|, and p eigenvalues are those that are
	// algebraically largest.
	indefinite bool
}

// krylovResult is the leading invariant subspace of B as far as it was found.
type krylovResult struct {
	basis  *Matrix   // p rows, orthonormal, by descending Ritz value
	values []float64 // p Ritz values θ_i, descending
	rest   float64   // root of Σ‖Bv − θ_i·v‖²
	next   float64   // the first Ritz value left out, plus its residual; 0 if the space is exhausted
	top    float64   // the largest |θ| seen; for definite B, θ₁
	steps  int
	status Status
}

// krylov iterates for the p leading eigenvectors of the symmetric matrix B of
// order size; apply returns the products of B with the rows that it is given.
func krylov(ctx context.Context, size int, apply func(*Matrix) (*Matrix, error), p int, o krylovOptions) (*krylovResult, error) {
	block := min(p+krylovExtra, size)
	most := min(size, max(4*block, 96)) // basis vectors kept at once
	rng := rand.New(rand.NewPCG(o.seed, 0x5eed))
	q := NewMatrix(most, size, nil) // orthonormal rows
	t := NewMatrix(most, most, nil) // QBQᵀ
	for i := range block {
		for j := range size {
			q.row(i)[j] = 2*rng.Float64() - 1
		}
	}
	orthonormalizeCtx(ctx, rowsOf(q, 0, block), 0)
	old, fresh := 0, block // rows of q that were multiplied; rows that come now
	out := &krylovResult{status: StatusIterationLimit}
	var bounds []float64 // of each step
	for {
		out.steps++
		now := rowsOf(q, old, old+fresh)
		z, err := apply(now)
		if err != nil {
			return nil, err
		}
		// T's new rows, and what of B·now lies outside of the space.
		have := old + fresh
		for i := range fresh {
			zi := z.row(i)
			for l := range have {
				v := dot(zi, q.row(l))
				if l >= old {
					v = (v + dot(z.row(l-old), now.row(i))) / 2
				}
				t.Data[(old+i)*most+l], t.Data[l*most+old+i] = v, v
			}
		}
		for i := range fresh {
			zi := z.row(i)
			for range 2 {
				for l := range have {
					axpy(zi, -dot(zi, q.row(l)), q.row(l))
				}
			}
		}
		values, y := eigenSym(ctx, squareOf(t, have), true) // y: rows are vectors
		// The residual of Ritz vector Qᵀy is Zᵀ·(y's part in the fresh block).
		residual := func(i int) float64 {
			r := make([]float64, size)
			for l := range fresh {
				axpy(r, y.row(i)[old+l], z.row(l))
			}
			return norm2(r)
		}
		count := min(p, have)
		var worst, squares float64
		top := max(values[0], 0)
		if o.indefinite {
			top = max(top, -values[len(values)-1])
		}
		floor := float64(size) * 0x1p-52 * top // residuals do not fall below rounding
		for i := range count {
			r := residual(i)
			switch {
			case r <= floor:
			case o.indefinite:
				worst = max(worst, r)
			default:
				worst = max(worst, r/math.Sqrt(max(values[i], 0)/top))
			}
			squares += r * r
		}
		out.next = 0
		if have < size {
			out.next = values[min(count, have-1)]
			if have > count {
				out.next = values[count] + residual(count)
				if !o.indefinite {
					out.next = max(out.next, residual(count))
				}
			}
		}
		// Vectors without a residual are not the leading ones where others, not found yet,
		// may have larger values.
		sure := o.sum == 0 || float64(count)*(out.next-values[count-1]) <= o.sum*values[0]
		done := have == size || worst <= o.residual*top && sure
		hopeless := false
		if o.sum > 0 && !done {
			bound := ritzSumBound(values[:count], squares, out.next)
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
			out.values, out.rest, out.top = values[:count], math.Sqrt(squares), top
			out.basis = combine(y, q, count, have)
			return out, cancelled(ctx)
		}
		// The next block: an orthonormal basis of Z's rows, as much as fits.
		if have+block > most && most < size {
			keep := min(most-block, p+krylovExtra, have)
			ritz := combine(y, q, keep, have)
			copy(q.Data, ritz.Data)
			clear(t.Data)
			for i := range keep {
				t.Data[i*most+i] = values[i]
			}
			have = keep
		}
		old, fresh = have, min(block, most-have, z.Rows)
		for i := range fresh {
			copy(q.row(old+i), z.row(i))
		}
		orthonormalizeCtx(ctx, rowsOf(q, 0, old+fresh), old)
	}
}

// combine returns the first `count` rows of y·q, where only the first `have`
// rows of q count.
func combine(y, q *Matrix, count, have int) *Matrix {
	out := NewMatrix(count, q.Cols, nil)
	for i := range count {
		for l := range have {
			axpy(out.row(i), y.row(i)[l], q.row(l))
		}
	}
	return out
}

// ritzSumBound bounds Σλ_i − Σθ_i ≥ 0 for the p leading eigenvalues λ of a
// symmetric B, from Ritz values θ, their squared residual norms' sum ρ², and an
// upper bound `next` for the eigenvalues of B outside of the Ritz space.
//
// Proof. In a basis that begins with the Ritz vectors B = [Θ Eᵀ; E C] with
// ‖E‖_F = ρ, and [0 Eᵀ; E 0] ⪯ diag(EᵀE/τ, τI) for every τ > 0. So B ⪯
// diag(Θ + EᵀE/τ, C + τI), whose p leading eigenvalues add up to at most
// Σθ_i + ρ²/τ + p·max(0, next + τ − θ_p). With a gap δ = θ_p − next > 0, τ = δ
// gives ρ²/δ; in any case τ = ρ/√p gives 2√p·ρ + p·max(0, next − θ_p).
func ritzSumBound(theta []float64, squares, next float64) float64 {
	p := float64(len(theta))
	if p == 0 || squares == 0 && next == 0 {
		return 0
	}
	last := theta[len(theta)-1]
	bound := 2*math.Sqrt(p*squares) + p*max(0, next-last)
	if gap := last - next; gap > 0 {
		bound = min(bound, squares/gap)
	}
	return bound
}
