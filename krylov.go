package softkmeans

// Block Krylov iteration for the leading eigenvectors of a symmetric matrix that is given by its products:
// the smaller of XcᵀXc and XcXcᵀ, or similarities (Musco & Musco, Randomized Block Krylov Methods, 2015).
//
// The block Lanczos process keeps all its vectors orthogonal. A thick restart (Wu & Simon 2000) bounds its
// memory. The iteration stops by measured residuals, or by ritzSumBound. The part of the data outside the
// subspace proves a floor, which may be far below the rounding of the Gram matrix.

import (
	"context"
	"math"
	"math/rand/v2"
)

const defaultKrylovSteps = 200

// krylovExtra is the number of vectors of a block in addition to the p vectors that are asked for.
// Convergence then depends on the gap between eigenvalues after the block, which is usually wider than the
// gap after the p-th.
const krylovExtra = 8

type krylovOptions struct {
	steps int    // the largest number of steps
	seed  uint64 // of the start
	// more: how many vectors to return after the p leading ones, converged or not; if the searched space is
	// the whole space, all vectors are returned.
	more int
	// residual: stop if every ‖Bv − θ_i·v‖ ≤ residual·√(θ₁θ_i), which is residual·σ₁σ_i for AᵀA.
	residual float64
	// sum: if above 0: stop also if ritzSumBound, a bound of Σλ_i − Σθ_i over the p eigenvalues λ and Ritz
	// values θ, is at most sum·θ₁.
	sum        float64
	hasty      bool // stop, with StatusIterationLimit, if the bound falls too slowly to reach sum·θ₁
	indefinite bool // B may have negative eigenvalues: the largest |θ| replaces √(θ₁θ_i)
}

// krylovResult approximates the leading invariant subspace of B.
type krylovResult struct {
	rows    *Matrix   // orthonormal, by descending Ritz value: p, then krylovOptions.more
	values  []float64 // p Ritz values θ_i, descending
	squares float64   // Σ‖Bv − θ_i·v‖²
	after   float64   // the Ritz value after the p-th, at most its eigenvalue; 0 if there is none
	top     float64   // the largest |θ|, which is θ₁ if B is definite
	least   float64   // the least θ seen, if below 0
	steps   int
	status  Status
}

// krylov iterates for the p leading eigenvectors of a symmetric matrix B of order size. apply returns the
// products of B with the rows of its argument.
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
		have := s.old + s.fresh
		t := &Matrix{Rows: have, Cols: have, Stride: s.t.Stride, Data: s.t.Data}
		values, y := eigenSym(ctx, t.Clone()) // y: rows are vectors
		worst, next := s.residuals(ctx, out, values, y, z, o.indefinite)
		count := len(out.values)
		// Small residuals do not prove that these eigenvectors lead. An eigenvalue not found may be up to
		// next.
		sure := o.sum == 0 || float64(count)*(next-values[count-1]) <= o.sum*values[0]
		done := have == size || worst <= o.residual*out.top && sure
		hopeless := false
		if o.sum > 0 && !done {
			bound := ritzSumBound(count, values[count-1], out.squares, next)
			done = bound <= o.sum*values[0]
			bounds = append(bounds, bound)
			if past := len(bounds) - 4; o.hasty && past >= 1 {
				fall := math.Log(bounds[past]/bound) / 3 // the fall in one step
				hopeless = !(math.Log(bound/(o.sum*values[0])) <= fall*float64(o.steps-out.steps))
			}
		}
		if done || hopeless || out.steps >= o.steps {
			if done {
				out.status = StatusConverged
			}
			if count < len(values) {
				out.after = max(values[count], 0)
			}
			if y.Rows == size { // the whole space: all vectors are known
				o.more = size
			}
			out.rows = combine(ctx, rowsOf(y, 0, min(count+o.more, y.Rows)), s.q)
			return out, cancelled(ctx)
		}
		s.next(ctx, values, y, z)
	}
}

// krylovSpace is the searched space, and the projection of B on it.
type krylovSpace struct {
	size, p    int
	block      int     // the number of rows multiplied at a time
	q          *Matrix // orthonormal rows
	t          *Matrix // QBQᵀ
	old, fresh int     // rows of q already multiplied, and rows after them to multiply next
}

func newKrylovSpace(ctx context.Context, size, p int, seed uint64) *krylovSpace {
	block := min(p+krylovExtra, size)
	most := min(size, max(4*block, 96)) // the number of basis vectors kept at once
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

// extend adds rows to T from the products z of B with the new rows of q. It leaves in z the part outside of
// q.
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

// residuals measures the Ritz vectors Qᵀy of the p leading Ritz values, or of all if there are fewer. It sets
// values, squares, top and least of out. It returns the largest residual, in the measure of
// krylovOptions.residual, and the next Ritz value plus its residual. The residual of a Ritz vector is Zᵀ
// times the part of y in the new rows.
func (s *krylovSpace) residuals(
	ctx context.Context, out *krylovResult, values []float64, y, z *Matrix, indefinite bool,
) (worst, next float64) {
	residual := func(i int) float64 {
		r := make([]float64, s.size)
		for l := range s.fresh {
			axpy(r, y.row(i)[s.old+l], z.row(l))
		}
		return norm2(r)
	}
	have := s.old + s.fresh
	count := min(s.p, have)
	low := values[have-1]
	out.values, out.squares, out.top, out.least = values[:count], 0, max(values[0], 0), min(out.least, low)
	if indefinite {
		out.top = max(out.top, -low)
	}
	floor := float64(s.size) * 0x1p-52 * out.top // residuals do not fall below rounding
	for i := 0; i < count && !stopped(ctx); i++ {
		r := residual(i)
		switch {
		case r <= floor:
		case indefinite:
			worst = max(worst, r)
		default:
			worst = max(worst, r/math.Sqrt(max(values[i], 0)/out.top))
		}
		out.squares += r * r
	}
	switch {
	case have == s.size && have == count:
		return worst, 0
	case have > count && have < s.size:
		return worst, values[count] + residual(count)
	}
	return worst, values[min(count, have-1)]
}

// next makes an orthonormal basis of the rows of z the new rows of q. It first reduces a full q to Ritz
// vectors.
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

// independent makes the rows of v orthonormal. It returns false if they are dependent; v is then invalid.
func independent(ctx context.Context, v *Matrix) bool {
	for i := 0; i < v.Rows && !stopped(ctx); i++ {
		if !deflate(v.row(i), v, i, float64(v.Cols)*0x1p-50) {
			return false
		}
	}
	return true
}

// outside contains sums over weighted centred rows x: squares Σ‖y‖², total Σ‖x‖², Σwyᵀ and Σwwᵀ. w are the
// coordinates of x on p basis rows U, and y = x − Uᵀw. The vectors z after the basis are probes, orthogonal
// to it. w also contains the products of x with the probes.
type outside struct {
	vectors        *Matrix // the basis, then the probes
	p              int
	squares, total float64
	coupling       *Matrix // Σwyᵀ, a row for every vector
	gram           *Matrix // Σwwᵀ, p×p
	depth          int     // the number of roundings of the sums
	mean           float64 // √Σw times a bound of the error of the mean
	sparse         *sparseRounding
}

// sparseRounding bounds the errors of sums of sparse data. It is nil for other data.
type sparseRounding struct {
	reach float64 // see sparseSamples
	off   float64 // bounds the error of outside.total
	entry int     // the number of roundings of an entry of w
}

func newOutside(vectors *Matrix, p int) *outside {
	return &outside{vectors: vectors, p: p, coupling: NewMatrix(vectors.Rows, vectors.Cols, nil),
		gram: NewMatrix(p, p, nil)}
}

func (s *samples) measure(r *outside) error {
	p, q, d := r.p, r.vectors.Rows, s.d
	c := chunking{s.n, d, max(1, min(reduceChunks, s.n/(4*q)))}
	parts := []*outside{r}
	for range chunks(c.n, c.l, c.most) - 1 {
		parts = append(parts, newOutside(r.vectors, p))
	}
	index, wide, high := indices(p), roundUp(d, stripRows), roundUp(q, stripRows)
	err := s.eachBlock(c, d+q+wide+high, func(at block) {
		m, part := at.hi-at.lo, parts[at.chunk]
		rows, rest := at.scratch[:m*d], at.scratch[m*d:]
		coords, rest := rest[:m*q], rest[m*q:]
		s.packFine(rows, span{at.lo, at.hi}, span{0, d})
		clear(coords)
		addMulNT(coords, q, rows, m, r.vectors.Data, q, d, false)
		var total, squares float64 // sums of the block
		for i := range m {
			y, w := rows[i*d:][:d], coords[i*q:][:q]
			total += sumSquares(y)
			scale(w[:p], -1)
			addRows(y, w[:p], index, r.vectors.Data)
			scale(w[:p], -1)
			squares += sumSquares(y)
		}
		part.total += total
		part.squares += squares
		left, right := rest[:stripSize(q, m)], rest[stripSize(q, m):]
		packColumns(left, coords, m, q)
		packColumns(right, rows, m, d)
		addMulStrips(part.coupling.Data, d, left, q, right, d, m, false)
		addMulStrips(part.gram.Data, p, left, p, left, p, m, false)
	})
	for _, part := range parts[1:] {
		r.total += part.total
		r.squares += part.squares
		axpy(r.coupling.Data, 1, part.coupling.Data)
		axpy(r.gram.Data, 1, part.gram.Data)
	}
	r.depth = c.depth() + 1
	return err
}

// floor returns a lower and an upper bound of Σ_{i>p}σ_i². next is an upper bound of the squared singular
// values outside the basis, or +Inf if none is known.
//
// Proof. Let X be the exact rows less the mean in memory, T = ‖X‖², P the projector on the rows U of the
// basis, Y = X(I − P) and ω ≥ ‖UUᵀ − I‖_F. A hat marks the computed value of a number.
//
//  1. Size of Y. Packing and computing ŷ from ŵ is off by at most ε = γ(p+8)(2+√p) of √T. The part of ŷ in
//     the span is at most π√T with π = 1.2(√p·γ(d+12) + ω), since ŵ is off by √p·γ(d+12) of √T and UUᵀ by ω.
//     So (‖Ŷ‖ − ε√T)² − π²T ≤ ‖Y‖² ≤ (‖Ŷ‖ + ε√T)².
//  2. From Y to the floor. ‖Y‖² exceeds the floor about that mean by at most ritzSumBound. The part of XᵀX·U
//     outside the span is (XU)ᵀY. The largest eigenvalue outside is at most ‖Y‖². The least eigenvalue
//     inside is at least the least eigenvalue of Σwwᵀ less its rounding.
//  3. Mean. The distance between the mean in memory and the true mean, times √Σw, is at most r.mean. About
//     the true mean the floor is lower by at most r.mean².
//  4. Sparse rows. Let S be reach. Ŵ is off by e = 1.2√p·γ(entry) of S. Σ‖y‖² is ‖X‖² − ‖XP‖², and ‖XP‖² is
//     within 1.1ω‖X‖² of ‖XUᵀ‖². So Σ‖y‖² is off by at most η below. Σwyᵀ is XᵀW less the part of U in it,
//     with sums of depth roundings of terms of at most S². The remaining steps are the same.
func (r *outside) floor(next float64) (low, high float64) {
	p, d, unit := r.p, r.vectors.Cols, r.unit()
	in := func(v float64) float64 { return v * unit * unit }
	omega, least := skewOf(rowsOf(r.vectors, 0, p)), math.Inf(1) // least: of the diagonal of Σwwᵀ
	if !(omega < 0.01) {
		return 0, math.Inf(1)
	}
	var others, coupled float64 // the norms of the other entries of Σwwᵀ, and of Σwyᵀ
	for i := range p {
		for j := range p {
			if product := in(r.gram.row(i)[j]); i == j {
				least = min(least, product)
			} else {
				others += product * product
			}
		}
		for _, v := range r.coupling.row(i) {
			coupled += in(v) * in(v)
		}
	}
	others, coupled = math.Sqrt(others)*(1+gamma(p*p)), math.Sqrt(coupled)
	root, mean := math.Sqrt(float64(p)), r.mean*unit
	var lower, upper, rho, hidden float64 // bounds of ‖Y‖², and of (XU)ᵀY; π²T
	if r.sparse == nil {
		sums, eps := gamma(r.depth+d+12), 1.1*gamma(p+8)*(2+root)
		pi := 1.2 * (root*gamma(d+12) + omega)
		total := in(r.total) * (1 + 2*sums)
		size, length := math.Sqrt(total), math.Sqrt(in(r.squares))
		longest, shortest := length*(1+sums)+eps*size, max(length*(1-sums)-eps*size, 0)
		least -= others + 3*(root*gamma(d+20)+sums+omega)*total
		rho = 1.2 * (coupled*(1+sums) + sums*size*longest + root*gamma(d+20)*size*longest + (eps+pi)*total)
		lower, upper, hidden = shortest*shortest*(1-0x1p-48), longest*longest, pi*pi*total
	} else {
		e, sums := 1.2*root*gamma(r.sparse.entry), gamma(r.depth+d+16)
		reach := r.sparse.reach * unit
		squares := reach * reach
		eta := in(r.sparse.off) + (1.2*omega+2.2*e+gamma(p+16))*squares
		least -= others + 3*(e+sums+omega)*squares
		rho = 1.2 * (coupled*(1+sums) + 2*root*(e+sums+omega)*squares)
		lower, upper = max(0, in(r.squares)-eta), in(r.squares)+eta
	}
	open := ritzSumBound(p, least, rho*rho, min(in(next), upper))
	const up = 1 + 0x1p-48
	low, high = max(0, lower-(hidden+open+mean*mean)*up), upper*up
	return low / unit / unit, high / unit / unit
}

// noise returns a bound of the norm of the rounding error of XᵀXv, X about the mean in memory, for a unit
// vector v that is orthogonal to the rows of r.vectors. It assumes that the product is projected onto the
// complement of these rows. The bound is three times the sum of the terms for inner products, projections and
// sums over rows in the proof of floor. It also holds for a pass with fewer vectors.
func (r *outside) noise() float64 {
	q, d, squares, entry := r.vectors.Rows, r.vectors.Cols, r.total, 0
	if r.sparse != nil {
		squares, entry = r.sparse.reach*r.sparse.reach, r.sparse.entry
	}
	sums := gamma(entry + r.depth + d + reduceChunks + 28)
	return 3 * squares * (math.Sqrt(float64(q))*gamma(q+d+20) + sums + skewOf(rowsOf(r.vectors, 0, q-probes)))
}

// unit returns the power of two by which floor multiplies lengths, so that the total is about 1 and fourth
// powers do not underflow.
func (r *outside) unit() float64 {
	_, exp := math.Frexp(r.total)
	return math.Ldexp(1, -exp/2)
}

// skewOf bounds ‖UUᵀ − I‖_F for the rows U of a basis. It adds up products over 32 columns.
func skewOf(basis *Matrix) float64 {
	var squares float64
	for i := range basis.Rows {
		for j := range i + 1 {
			var v fineSum
			x, y := basis.row(i), basis.row(j)
			for len(x) > 0 {
				n := min(len(x), 32)
				v.add(dot(x[:n], y))
				x, y = x[n:], y[n:]
			}
			if i == j {
				v.add(-1)
			}
			square := v.value() * v.value()
			if i != j {
				square *= 2
			}
			squares += square
		}
	}
	return math.Sqrt(squares) + 1.1*float64(basis.Rows)*gamma(dotDepth(32)+4)
}
