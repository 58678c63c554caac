package softkmeans

// Left-stochastic decomposition, for similarities in place of vectors: R. Arora,
// M. R. Gupta, A. Kapila and M. Fazel, Similarity-based Clustering by
// Left-Stochastic Matrix Factorization, JMLR 14 (2013),
//
//	minimise ‖K − (1/c)·PPᵀ‖²  over  c > 0, P ≥ 0, P1 = 1  (P n×k),
//
// and its translation-invariant form after F. Nie, H. Chen, R. Wang and X. Li,
// On the Global Solution of Soft k-Means, which is soft k-means with a kernel
// and has a closed form. The first has none that is known for k > 2; what is new
// here against the source is a floor for it from the spectrum, the search of
// rotation.go, and the descent of descent.go.

import (
	"context"
	"math"
	"strconv"
)

// LSD decomposes the symmetric n×n matrix kernel, which may be indefinite, into
// k clusters: soft memberships P and a scale c with K ≈ PPᵀ/c. k may be above n.
//
// The leading positive eigenpairs, K ≈ ZᵀZ, give the hyperplane mᵀz = 1 that the
// samples should lie in, m = (ZZᵀ)⁻¹Z1, and the scale c = ‖m‖²/k. Scaled by √c and
// projected onto the hyperplane, the samples are turned so that it becomes that
// of the simplex, then about its centre until they are closest to the simplex
// (k = 2: nothing to turn), and projected (Arora et al., Algorithm 1). Where
// K = PPᵀ/c with a P that has a pure sample of each cluster this gives P back up to
// the order of its columns. A descent on P with the best c for each P
// follows, which lowers the objective further where K is not of that form and
// never raises it. For k > 2 no minimum is proven; Gap tells how far it can be.
//
// Cost: 2n²(k+8) for a step of the eigensolver (some 10 to 40; for n ≤ 128 or k
// above n/4 − 8 in all 4n³/3 + 4n²k, 9n³ for k above n/2), 2n²k for one of the descent, O(nk²·k²) for one of the
// rotation's; O(nk) memory and a block of 32 rows for every worker, no copy of K
// (but for n ≤ 128 or k above n/4 − 8). Errors: [ErrShape] if kernel is not
// square or not symmetric (differences below 1e-8 of the largest entry are
// averaged), [ErrNonFinite], [ErrTooFewSamples] for n = 0, [ErrOption]; and
// ctx's, wrapped, with the best model so far if there is one. ctx is looked at
// between blocks of 32 rows or more.
func LSD(ctx context.Context, kernel *Matrix, k int, opts *LSDOptions) (*LSDModel, error) {
	src, err := newDense(kernel, k, opts)
	if err != nil {
		return nil, err
	}
	return LSDOf(ctx, src, k, opts)
}

// LSDOf is [LSD] of similarities that need not be stored. Their symmetry is
// tested with random vectors only.
func LSDOf(ctx context.Context, s Similarity, k int, opts *LSDOptions) (*LSDModel, error) {
	op, o, err := openSimilarity(ctx, s, k, opts)
	if err != nil {
		return nil, err
	}
	m, _, err := decompose(op, k, &o)
	return m, err
}

// TILSD is the translation-invariant decomposition: of all K′ that describe the
// same samples seen from another origin, it takes the one closest to a PPᵀ/c, and
// that P and c. It is global: with W = VΛ^(1/2) from the k−1 largest eigenpairs of
// HKH, P = WBᵀ/s + 1/k for a simplex around the rows of W (see [Fit]), c = 1/s²,
// and the least objective is the sum of the squares of all other eigenvalues of
// HKH. With the ball's simplex, c = 1/(r²k(k−1)) for the largest length r of a
// row of W, and K′ = WWᵀ + r²(k−1)11ᵀ.
//
// It is soft k-means with a kernel: for K = XXᵀ it is Fit(X), and
// [LSDModel.Predict] gives memberships of new samples from their similarities
// to the training samples. Like Fit's, its memberships are vague: EnclosureTight
// helps.
//
// Erratum: the paper's Theorem "Condition of TI-LSDable" translates X by a
// vector of ℝ^d that is orthogonal to the k−1 directions of the samples, for
// which it needs d ≥ k and does not say so. A kernel has no coordinates: here the
// translation may leave the span of the samples.
//
// Cost: as [LSD], without rotation and descent. Errors: those of LSD.
func TILSD(ctx context.Context, kernel *Matrix, k int, opts *LSDOptions) (*LSDModel, error) {
	src, err := newDense(kernel, k, opts)
	if err != nil {
		return nil, err
	}
	return TILSDOf(ctx, src, k, opts)
}

// TILSDOf is [TILSD] of similarities that need not be stored. Their symmetry is
// tested with random vectors only. For [LinearKernel] the cost is that of [Fit]
// and of XᵀX or XXᵀ, whichever is smaller.
func TILSDOf(ctx context.Context, s Similarity, k int, opts *LSDOptions) (*LSDModel, error) {
	op, o, err := openSimilarity(ctx, s, k, opts)
	if err != nil {
		return nil, err
	}
	if err := op.centre(); err != nil {
		return nil, err
	}
	spec, err := op.leading(min(k-1, op.n), o.Seed)
	if err != nil {
		return nil, err
	}
	w := spec.factor()
	left, err := op.without(w)
	if err != nil {
		return nil, err
	}
	m := &LSDModel{Iterations: spec.steps, Status: StatusOptimal, Rank: w.Rows}
	if spec.status == StatusIterationLimit {
		m.Status = spec.status
	}
	m.rate(op, spec, left, left.squares)
	m.Distortion = clampFinite(math.Ldexp(left.trace, op.exp))
	encloseFeatures(op, m, spec, w, k, &o)
	return m, nil
}

// checkLSD checks what does not depend on the similarities.
func checkLSD(k int, opts *LSDOptions) (o LSDOptions, err error) {
	if opts != nil {
		o = *opts
	}
	switch {
	case o.Starts < 0:
		return o, fail(ErrOption, "Starts is "+strconv.Itoa(o.Starts)+", below 0")
	case !(o.Tol >= 0) || math.IsInf(o.Tol, 1):
		return o, fail(ErrOption, "Tol is "+decimal(o.Tol))
	}
	o.Starts, o.MaxIter, o.Tol = orDefault(o.Starts, rotationStarts), orDefault(o.MaxIter, descentSteps), orDefault(o.Tol, descentTol)
	return o, checkFit(k, &Options{Enclosure: o.Enclosure, Orientation: o.Orientation})
}

// openSimilarity checks the arguments, options and sizes first.
func openSimilarity(ctx context.Context, s Similarity, k int, opts *LSDOptions) (*operator, LSDOptions, error) {
	o, err := checkLSD(k, opts)
	if err != nil {
		return nil, o, err
	}
	op, err := newOperator(ctx, s, o.Workers)
	if err == nil && !(addressable(op.n, k) && addressable(k, k)) {
		err = fail(ErrOption, "k is "+strconv.Itoa(k)+" for "+strconv.Itoa(op.n)+" samples: too large to address")
	}
	return op, o, err
}

// rate fills in the objective and what it is compared with, all given as scaled;
// left is what the factor of spec leaves over. It returns the floor, scaled.
func (m *LSDModel) rate(op *operator, spec *spectrum, left remainder, objective float64) (floor float64) {
	// Eigenvalues may be larger than found by spec.open; those that were not
	// positive were not used.
	open := 0.0
	for _, v := range spec.values {
		if v > spec.noise {
			open += (2*v + spec.open) * spec.open
		} else {
			open += math.Pow(max(0, v+spec.open), 2)
		}
	}
	eps := float64(op.n) * 0x1p-52
	slip := eps*math.Sqrt(left.total) + op.noise
	rounding := 2*slip*math.Sqrt(left.squares) + slip*slip
	if op.data != nil { // its squares are differences of sums over n and over d
		rounding += float64(op.n+op.data.d) * 0x1p-52 * left.total
	}
	floor = max(0, left.squares-open-rounding)
	open += 2 * rounding
	m.Objective, m.Floor = unscale(objective, 2*op.exp), unscale(floor, 2*op.exp)
	m.FloorError, m.Total = unscale(open, 2*op.exp), unscale(left.total, 2*op.exp)
	if left.total > 0 {
		m.Gap = (objective - floor) / left.total
	}
	return floor
}

// encloseFeatures encloses the coordinates W of the samples, given as Wᵀ (p×n), in a
// simplex, and fills in memberships, scale and the map.
func encloseFeatures(o *operator, m *LSDModel, spec *spectrum, wt *Matrix, k int, opts *LSDOptions) {
	p := wt.Rows
	w := wt.transposed()
	normals := normalsOf(k, p, opts.Orientation)
	ext := &extent{facets: make([]float64, k)}
	for i := range o.n {
		ext.add(w.row(i), normals, opts.Enclosure)
	}
	e := enclose(opts.Enclosure, normals, ext)
	m.Memberships = NewMatrix(o.n, k, nil)
	coordinates := e.coordinates()
	for i := range o.n {
		coordinates.of(m.Memberships.row(i), w.row(i))
	}
	// c = 1/(r²k(k−1)); the facets of the tight simplex are at its radius ρ, those
	// of the ball's at r, so both are the same expression.
	m.Scale = 1
	if e.radius > 0 {
		m.Scale = unscale(1/(e.radius*e.radius*float64(k)*float64(k-1)), -o.exp)
	}
	m.Means, m.Projection, m.Vertices = o.rowMeans(), NewMatrix(o.n, p, nil), NewMatrix(k, p, nil)
	for i := range o.n {
		for c, v := range w.row(i) {
			m.Projection.row(i)[c] = clampFinite(math.Ldexp(v/spec.values[c], -o.exp/2))
		}
	}
	for j := range k {
		for c, u := range e.normals.row(j) {
			m.Vertices.row(j)[c] = clampFinite(math.Ldexp(e.centre[c]+float64(k-1)*e.radius*u, o.exp/2))
		}
	}
}

// newDense checks a matrix of similarities, square, not empty, finite, symmetric,
// after what takes no time.
func newDense(kernel *Matrix, k int, opts *LSDOptions) (*denseKernel, error) {
	if _, err := checkLSD(k, opts); err != nil {
		return nil, err
	}
	if err := checkShape("kernel", kernel); err != nil {
		return nil, err
	}
	if kernel.Rows == 0 && kernel.Cols == 0 {
		return nil, fail(ErrTooFewSamples, "kernel has no rows")
	}
	exact, err := checkSymmetric("kernel", kernel)
	return &denseKernel{kernel, !exact}, err
}

// decompose is LSD of the operator's matrix. h is 1/c of that matrix as scaled, which
// is in range also where the model's c is not; 0 where no c > 0 is best.
func decompose(o *operator, k int, opts *LSDOptions) (m *LSDModel, h float64, err error) {
	spec, err := o.leading(min(k, o.n), opts.Seed)
	if err != nil {
		return nil, 0, err
	}
	z := spec.factor()
	left, err := o.without(z)
	if err != nil {
		return nil, 0, err
	}
	m = &LSDModel{Rank: z.Rows}
	floor := m.rate(o, spec, left, left.total)
	all := k
	k = min(all, z.Rows+extraColumns)
	d := &descent{operator: o, k: k, total: left.total, floor: floor, opts: opts}
	best := &candidate{p: uniform(o.n, all), objective: left.total, status: StatusConverged}
	for start, place := range []func() *Matrix{
		func() *Matrix { return inHyperplane(o, z, k, k, opts) },
		func() *Matrix {
			if z.Rows == k {
				return nil // all k columns are needed
			}
			return inHyperplane(o, z, z.Rows, k, opts)
		},
		func() *Matrix {
			solid := standOut(spec.values[:z.Rows])
			if solid == z.Rows {
				return nil
			}
			return inHyperplane(o, rowsOf(z, 0, solid), solid, k, opts)
		},
		func() *Matrix { return aroundMean(o, z, k, opts) },
	} {
		// Another start is for what is left over. The second one is exact where K
		// is, when the first one's descent may only have come as near as φ leads.
		if start > 0 && best.a > 0 && (opts.MaxIter < 0 && z.Rows == k || best.objective-floor <= anotherShare*best.objective || d.attained(best) && (start > 1 || best.objective <= max(2*floor, entriesExact*left.total))) {
			break
		}
		g := place()
		if err = cancelled(o.ctx); err != nil {
			best.status = StatusCancelled
			break
		}
		if g == nil {
			continue
		}
		var f *candidate
		if f, err = d.run(g, start); f != nil && f.objective < best.objective {
			best = f
		}
		if err != nil {
			best.status = StatusCancelled
			break
		}
	}
	if err == nil && best.a <= 0 { // 1/k may have a scale, too, as it always is the answer for k = 1
		even := &candidate{p: best.p, status: StatusConverged}
		if err = d.product(even); err == nil {
			err = d.exactly(even)
		}
		if err != nil {
			best.status = StatusCancelled
		} else if even.objective < best.objective {
			best = even
		}
	}
	if err != nil && best.q == nil && best.steps == 0 && best.a == 0 {
		return nil, 0, err // there is no P to speak of yet
	}
	m.Memberships, m.Iterations, m.Status = padded(best.p, all), best.steps, best.status
	if m.Status == StatusConverged && spec.status == StatusIterationLimit {
		m.Status = spec.status
	}
	m.Scale = math.MaxFloat64
	if best.a > 0 {
		h = best.a / best.b
		m.Scale = unscale(best.b/best.a, -o.exp)
	}
	m.rate(o, spec, left, best.objective)
	return m, h, err
}
