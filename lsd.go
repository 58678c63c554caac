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
	if err == nil && !(fits(op.n, k) && fits(k, k)) {
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
	km := &KernelMap{Means: o.rowMeans(), Projection: NewMatrix(o.n, p, nil), Vertices: NewMatrix(k, p, nil)}
	for i := range o.n {
		for c, v := range w.row(i) {
			km.Projection.row(i)[c] = clampFinite(math.Ldexp(v/spec.values[c], -o.exp/2))
		}
	}
	for j := range k {
		for c, u := range e.normals.row(j) {
			km.Vertices.row(j)[c] = clampFinite(math.Ldexp(e.centre[c]+float64(k-1)*e.radius*u, o.exp/2))
		}
	}
	m.Map = km
}
