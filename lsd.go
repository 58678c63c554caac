package softkmeans

// Left-stochastic decomposition, for similarities in place of vectors: R. Arora,
// M. R. Gupta, A. Kapila and M. Fazel, Similarity-based Clustering by
// Left-Stochastic Matrix Factorization, JMLR 14 (2013),
//
//	minimise ‖K − (1/c)·PPᵀ‖²  over  c > 0, P ≥ 0, P1 = 1  (P n×k),
//
// and its translation-invariant form after F. Nie, H. Chen, R. Wang and X. Li,
// On the Global Solution of Soft k-Means. The latter is soft k-means with a kernel and
// has a closed form. For the former none is known for k > 2. Beyond the source there is
// a floor for it from the spectrum, and a descent (lsddescent.go).

import (
	"context"
	"math"
	"strconv"
)

// LSD decomposes the symmetric n×n similarity s, K, which may be indefinite, into k
// clusters: soft memberships P (n×k) and a scale c with K ≈ PPᵀ/c. This is left-stochastic
// decomposition (Arora, Gupta, Kapila & Fazel 2013). k may be above n.
//
// The leading positive eigenpairs, K ≈ ZᵀZ, give the hyperplane mᵀz = 1 that the samples
// should lie in, m = (ZZᵀ)⁻¹Z1, and the scale c = ‖m‖²/k. The samples are scaled by √c
// and projected onto the hyperplane, which is turned into that of the simplex. For k > 2
// they are then turned about its centre until they are closest to the simplex, and
// projected onto it (Arora et al., Algorithm 1). Where K = PPᵀ/c with a P that has a pure
// sample of each cluster, this returns P up to the order of its columns.
//
// A descent on P follows, with the best c for each P. It lowers the objective where K is
// not of that form, and never raises it. For k > 2 the result is not proved to be a
// minimum; Gap bounds how far it is from one.
//
// Cost: 2n²(k+8) for each of some 10 to 40 steps of the eigensolver, 2n²k for a step of
// the descent, O(nk⁴) for one of the rotation. For n ≤ 128 or k above n/4 − 8 the
// eigensolver is direct: 4n³/3 + 4n²k, 9n³ for k above n/2. Memory is O(nk) and a block
// of 32 rows for every worker; the direct eigensolver copies K.
//
// Errors: [ErrShape] if s is not square or not symmetric, [ErrNonFinite], [ErrRange],
// [ErrTooFewSamples] for n = 0, [ErrOption]. Entries of a [*Matrix] that differ from their
// mirror image by at most 1e-8 of the largest entry are averaged. The symmetry of what is
// not stored is tested with random vectors only. An error of ctx is wrapped, with the best
// model so far if there is one; ctx is checked between blocks of 32 rows or more.
func LSD(ctx context.Context, s Similarity, k int, opts *LSDOptions) (*LSDModel, error) {
	op, o, err := openSimilarity(ctx, s, k, opts)
	if err != nil {
		return nil, err
	}
	return decompose(op, k, &o)
}

// TILSD is the translation-invariant decomposition. The K′ that describe the same samples
// seen from another origin are one class; TILSD returns the P and c whose PPᵀ/c is closest
// to one of them. It is a global minimum, and needs only the k−1 largest eigenpairs VΛVᵀ of
// HKH, H = I − 11ᵀ/n. With W = VΛ^(1/2), B of [RegularSimplex] and an s that keeps P ≥ 0
// (see [Enclosure]), P = WBᵀ/s + 1/k and c = 1/s². The least objective is the sum of the
// squares of all other eigenvalues of HKH. With the ball's simplex, c = 1/(r²k(k−1)) for
// the largest length r of a row of W, and K′ = WWᵀ + r²(k−1)11ᵀ.
//
// It is soft k-means with a kernel: for K = XXᵀ it is Fit(X), and [LSDModel.Predict]
// returns memberships of new samples from their similarities to the training samples.
// Like Fit's, its memberships are vague: EnclosureTight helps.
//
// Erratum: the paper's Theorem "Condition of TI-LSDable" translates X by a vector of ℝ^d
// that is orthogonal to the k−1 directions of the samples. It needs d ≥ k for that and
// does not say so. A kernel has no coordinates: here the translation may leave the span
// of the samples. The remark on its Theorem 8 says the solution of LSD and means that
// of TI-LSD, as the theorem does.
//
// Cost: as [LSD], without rotation and descent; for [LinearKernel] that of [Fit] and of XᵀX
// or XXᵀ, whichever is smaller. Errors: those of LSD.
func TILSD(ctx context.Context, s Similarity, k int, opts *LSDOptions) (*LSDModel, error) {
	op, o, err := openSimilarity(ctx, s, k, opts)
	if err != nil {
		return nil, err
	}
	if err := op.centre(); err != nil {
		return nil, err
	}
	spec, w, left, err := op.nearest(k-1, o.Seed)
	if err != nil {
		return nil, err
	}
	m := &LSDModel{Iterations: spec.steps, Status: StatusOptimal, Rank: w.Rows}
	if spec.status == StatusIterationLimit {
		m.Status = spec.status
	}
	m.rate(op, spec, left, left.squares)
	m.Distortion = unscale(left.trace, op.exp)
	m.encloseFeatures(op, spec, w, k, &o)
	return m, nil
}

// checkLSD checks what does not depend on the similarities.
func checkLSD(k int, opts *LSDOptions) (o LSDOptions, err error) {
	o = orZero(opts)
	switch {
	case o.Starts < 0:
		return o, fail(ErrOption, "Starts is "+strconv.Itoa(o.Starts)+", below 0")
	case !(o.Tol >= 0) || math.IsInf(o.Tol, 1):
		return o, fail(ErrOption, "Tol is "+decimal(o.Tol))
	}
	o.Starts, o.MaxIter, o.Tol = orDefault(o.Starts, rotationStarts), orDefault(o.MaxIter, descentSteps), orDefault(o.Tol, descentTol)
	return o, checkRegular(k, &Options{Enclosure: o.Enclosure, Orientation: o.Orientation})
}

// openSimilarity checks arguments, options and sizes, and returns the operator of s and
// the options with their defaults.
func openSimilarity(ctx context.Context, s Similarity, k int, opts *LSDOptions) (*operator, LSDOptions, error) {
	o, err := checkLSD(k, opts)
	if err != nil {
		return nil, o, err
	}
	if m, ok := s.(*Matrix); ok {
		if s, err = newDense(m); err != nil {
			return nil, o, err
		}
	}
	op, err := newOperator(ctx, s, o.Workers)
	if err == nil {
		err = firstError(checkSizeOfK(k, op.n, k), checkSizeOfK(k, k, k))
	}
	return op, o, err
}

// rate sets Objective, Floor, FloorError, Total and Gap. Its arguments are in scaled
// units; left is what the factor of spec leaves over. It returns the floor, scaled.
//
// Erratum: the paper's lemma of the trace, Σσ_{n−i+1}(A)σ_i(B) ≤ Tr(AB) for symmetric A
// and B, is true of eigenvalues in descending order. It is printed for singular values,
// and fails for those of indefinite matrices (TestErratumTrace). K may be indefinite, so
// the floor is of eigenvalues and uses the positive ones only.
func (m *LSDModel) rate(op *operator, spec *spectrum, left remainder, objective float64) (floor float64) {
	// Eigenvalues may be larger than found, by spec.open. Those up to the noise were
	// not used.
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
	if left.high > 0 { // proved, in place of the estimates above
		floor, open = left.low, (left.high-left.low)*(1+0x1p-50)
		objective = max(objective, floor) // it is a difference of sums, which may cancel
	}
	m.Objective, m.Floor = unscale(objective, 2*op.exp), unscale(floor, 2*op.exp)
	m.FloorError, m.Total = unscale(open, 2*op.exp), unscale(left.total, 2*op.exp)
	if open > 0 { // which may be too small for a number
		m.FloorError = max(m.FloorError, math.SmallestNonzeroFloat64)
	}
	m.Gap = 0
	if left.total > 0 {
		m.Gap = (objective - floor) / left.total
	}
	return floor
}

// encloseFeatures encloses the coordinates W of the samples, given as Wᵀ (p×n), in a
// simplex, and sets memberships, scale and map.
func (m *LSDModel) encloseFeatures(o *operator, spec *spectrum, wt *Matrix, k int, opts *LSDOptions) {
	p := wt.Rows
	w := wt.transposed()
	e := enclosed(w, k, opts.Orientation, opts.Enclosure)
	m.Memberships = NewMatrix(o.n, k, nil)
	coordinates := e.coordinates()
	for i := range o.n {
		coordinates.of(m.Memberships.row(i), w.row(i))
	}
	// c = 1/(r²k(k−1)). The facets of the tight simplex are at its radius ρ, those of
	// the ball's at r, so both have the same expression.
	m.Scale = 1
	if e.radius > 0 {
		m.Scale = unscale(1/(e.radius*e.radius*float64(k)*float64(k-1)), -o.exp)
	}
	m.Means, m.Projection, m.Vertices = o.rowMeans(), NewMatrix(o.n, p, nil), NewMatrix(k, p, nil)
	for i := range o.n {
		for c, v := range w.row(i) {
			m.Projection.row(i)[c] = math.Ldexp(v/spec.values[c], -o.exp/2)
		}
	}
	for j := range k {
		for c, u := range e.normals.row(j) {
			m.Vertices.row(j)[c] = math.Ldexp(e.centre[c]+float64(k-1)*e.radius*u, o.exp/2)
		}
	}
}

// newDense returns a matrix of similarities that is not empty, square, in range and
// symmetric, or an error.
func newDense(kernel *Matrix) (*denseKernel, error) {
	if err := checkShape("kernel", kernel); err != nil {
		return nil, err
	}
	if kernel.Rows == 0 && kernel.Cols == 0 {
		return nil, fail(ErrTooFewSamples, "kernel has no rows")
	}
	exact, err := checkSymmetric("kernel", kernel)
	return &denseKernel{kernel, !exact}, err
}

// decompose returns the decomposition of the operator's matrix.
func decompose(o *operator, k int, opts *LSDOptions) (m *LSDModel, err error) {
	spec, z, left, err := o.nearest(k, opts.Seed)
	if err != nil {
		return nil, err
	}
	m = &LSDModel{Rank: z.Rows}
	floor := m.rate(o, spec, left, left.total)
	d := &descent{operator: o, k: min(k, z.Rows+extraColumns), total: left.total, floor: floor, opts: opts}
	d.fullRank = z.Rows == d.k
	best := &candidate{p: uniform(o.n, k), objective: left.total, status: StatusConverged}
	best, err = d.best(best, starts(o, z, spec.values, d.k, opts))
	if err == nil && best.a <= 0 {
		best, err = d.withScale(best)
	}
	if err != nil {
		if best.q == nil && best.steps == 0 && best.a == 0 {
			return nil, err // there is no P yet
		}
		best.status = StatusCancelled
	}
	m.Memberships, m.Iterations, m.Status = padded(best.p, k), best.steps, best.status
	if m.Status == StatusConverged && spec.status == StatusIterationLimit {
		m.Status = spec.status
	}
	if best.a > 0 {
		m.Scale = unscale(best.b/best.a, -o.exp)
	}
	m.rate(o, spec, left, best.objective)
	return m, err
}
