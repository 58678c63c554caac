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
		r := s.residuals(ctx, values, y, z, o.indefinite)
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
			out.rows = combine(ctx, rowsOf(y, 0, min(count+o.more, y.Rows)), s.q)
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
	for i := 0; i < block && !stopped(ctx); i++ {
		row := s.q.row(i)
		for j := range row {
			row[j] = 2*rng.Float64() - 1
		}
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

// ritzResiduals is what decides about the p leading Ritz values, or about all there are.
type ritzResiduals struct {
	values    []float64
	worst     float64 // the largest residual, in the measure of krylovOptions.residual
	squares   float64 // Σ‖Bv − θ_i·v‖²
	next, top float64 // as in krylovResult
}

// residuals measures the Ritz vectors Qᵀy: the residual of one is Zᵀ·(y's part in the new rows).
func (s *krylovSpace) residuals(
	ctx context.Context, values []float64, y, z *Matrix, indefinite bool,
) ritzResiduals {
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
	for i := 0; i < count && !stopped(ctx); i++ {
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
		ritz := combine(ctx, rowsOf(y, 0, keep), s.q)
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
