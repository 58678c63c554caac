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
	"math/bits"
	"strconv"
)

// LSDOptions tunes [LSD], [TILSD] and [HierarchicalLSD]. The zero value and nil
// are the defaults.
type LSDOptions struct {
	Workers int    // 0: GOMAXPROCS. The result's bits do not depend on it.
	Seed    uint64 // of all that is random: the same seed gives the same result
	// Starts is from how many random rotations LSD looks for the simplex (k > 2);
	// 0: 5.
	Starts int
	// MaxIter is the most steps of the descent that follows the rotation in
	// LSD; 0: 1000. Reaching it is StatusIterationLimit. Negative: no descent,
	// the method as its source has it. There are up to four such descents, from
	// different scales, but one where it ends within 0.1 % of the floor.
	MaxIter int
	// Tol ends that descent when twenty steps lower the least objective by no more
	// than this share of ‖K‖²; 0: 1e-9.
	Tol float64
	// Progress is called at the start of each descent of LSD and after every step
	// of it, not for the eigensolver and not by TILSD and HierarchicalLSD, with the objective in Objective and Fit and its floor; Restart is a
	// number of the descent, from 0, of which some may be left out. It runs in the goroutine of the call and delays it.
	Progress func(Iteration)

	Enclosure   Enclosure // of TILSD: EnclosureBall (the default) or EnclosureTight
	Orientation *Matrix   // of TILSD: see Options.Orientation
}

// LSDModel is a decomposition of similarities: K ≈ PPᵀ/c.
type LSDModel struct {
	Memberships *Matrix // P, n×k: at least 0, rows adding up to 1
	// Scale is c: 1/c is the similarity of two samples that are in one cluster
	// entirely, and of such a sample with itself. With TILSD it follows from the
	// simplex and is not comparable between enclosures or with LSD's. Where no c > 0
	// is best, since no P was found with ⟨K, PPᵀ⟩ > 0, as for a negative definite K
	// there is none, it is math.MaxFloat64: PPᵀ/c is then 0. It is 0 or
	// math.MaxFloat64 also where it is out of the range of float64.
	Scale float64
	// Objective is ‖K − PPᵀ/c‖² for LSD. For TILSD it is the least that any
	// translation K′ of K leaves over, ‖H(K − PPᵀ/c)H‖² with H = I − 11ᵀ/n. Like
	// Floor and Total it is in squared units of K, 0 or math.MaxFloat64 where that is
	// out of the range of float64.
	Objective float64
	// Floor is a lower bound of the objective over all P and c: what the best
	// positive semidefinite matrix of rank k leaves over, the squares of all
	// eigenvalues of K but the k largest positive ones. It knows of no other
	// constraint: where K has negative entries, which no PPᵀ has, it is far below
	// what LSD can reach. For TILSD it is of rank k−1 and of HKH, and is the
	// minimum: TILSD attains it.
	Floor      float64
	FloorError float64 // how much above Floor the least of such matrices may be: the eigensolver's residuals, and rounding
	Total      float64 // ‖K‖², for TILSD ‖HKH‖²
	// Gap is (Objective − Floor)/Total, also where these are out of range: the most
	// that a better P could take off, as a share of ‖K‖². Floor/Total is what no k
	// clusters can express.
	Gap float64
	// Rank is how many positive eigenvalues there were to use: k for LSD and k−1
	// for TILSD, or fewer. With fewer, the columns of TILSD's P are affinely
	// dependent (those of LSD's need not be, after the descent); P is 1/k
	// everywhere where there is none.
	Rank int
	// Distortion is, for TILSD, tr(HKH) − Σλ_i over the eigenvalues used: the
	// objective of soft k-means in the feature space of the kernel, that of
	// [Fit] where K = XXᵀ. It may be negative for an indefinite K. 0 for LSD.
	Distortion float64
	Map        *KernelMap // for TILSD: the way from similarities to memberships; nil for LSD
	Iterations int        // of the run that gave the result: steps of the descent for LSD, of the eigensolver (0 for a direct one) for TILSD
	// Status is why it stopped: StatusConverged for LSD, StatusOptimal for TILSD,
	// unless the descent or the eigensolver reached its limit. FloorError holds all
	// the same.
	Status Status
}

// KernelMap takes similarities of a sample with the n training samples to
// coordinates in the feature space, and these to memberships.
type KernelMap struct {
	Means      []float64 // n: the means of the rows of K
	Projection *Matrix   // n×p, VΛ^(−1/2): a centred row times this is the sample's place
	Vertices   *Matrix   // k×p: the prototypes
}

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
	m, _, err := op.lsd(k, &o)
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
	op.surround(m, spec, w, k, &o)
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

// factor returns Z = Λ^(1/2)Vᵀ (r×n) over the eigenvalues that are positive beyond
// rounding.
func (s *spectrum) factor() *Matrix {
	r := 0
	for r < len(s.values) && s.values[r] > s.noise {
		r++
	}
	z := rowsOf(s.rows, 0, r).Clone()
	for i := range r {
		scale(z.row(i), math.Sqrt(s.values[i]))
	}
	return z
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

// unscale is v·2^exp, but never infinite.
func unscale(v float64, exp int) float64 { return min(math.Ldexp(v, exp), math.MaxFloat64) }

// surround encloses the coordinates W of the samples, given as Wᵀ (p×n), in a
// simplex, and fills in memberships, scale and the map.
func (o *operator) surround(m *LSDModel, spec *spectrum, wt *Matrix, k int, opts *LSDOptions) {
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

// Labels returns the cluster with the largest membership for each row, the
// lowest index on ties. dst receives them; nil allocates. It panics if dst is
// not as long as Memberships has rows.
func (m *LSDModel) Labels(dst []int) []int { return largest(dst, m.Memberships) }

// Predict returns the memberships (m×k) of new samples from their similarities
// to the n training samples: a new sample a row of rows (m×n), in the order of
// the training samples ([SampleKernel.Cross] makes such rows).
//
// For a model of TILSD a row is centred as HKH was, taken to the coordinates of
// the feature space, and given the exact mixture of the prototypes that is
// nearest there (see [SimplexLeastSquares]): the rows of K itself get
// Memberships back, to rounding, or to 1e-6 where Rank is below k−1 and many
// mixtures are equally near. For a model of LSD it is the p ≥ 0, Σp = 1 with
// the least ‖row − Pp/c‖²; the rows of K get Memberships back where K = PPᵀ/c with
// independent columns of P, and otherwise something near, since a sample's similarity to itself then has no
// weight of its own.
//
// dst receives the result; nil allocates, a wrong shape panics, and dst may be
// rows itself. Cost: O(mnk). Errors: [ErrShape], [ErrNonFinite],
// [ErrTooFewSamples] without memberships, [ErrOption] where LSD's scale is not
// above 0 and finite, as of a tree that was cut short; on an error dst is unchanged.
func (m *LSDModel) Predict(dst, rows *Matrix) (*Matrix, error) {
	if m.Memberships == nil {
		return nil, fail(ErrTooFewSamples, "the model has no memberships")
	}
	if err := checkMatrix("Memberships", m.Memberships); err != nil {
		return nil, err
	}
	n, k := m.Memberships.Dims()
	if n == 0 || k == 0 {
		return nil, fail(ErrTooFewSamples, "the model's memberships are "+shape(n, k))
	}
	if err := checkShape("rows", rows); err != nil { // which Coordinates takes for the training samples
		return nil, err
	}
	if m.Map != nil {
		w, err := m.Coordinates(nil, rows)
		if err != nil {
			return nil, err
		}
		g, _, err := SimplexLeastSquares(dst, w, m.Map.Vertices, nil)
		return g, err
	}
	if err := checkRows(rows, n); err != nil {
		return nil, err
	}
	if !(m.Scale > 0) || math.IsInf(m.Scale, 1) {
		return nil, fail(ErrOption, "the model's scale is "+decimal(m.Scale))
	}
	vertices := m.Memberships.transposed()
	for i, v := range vertices.Data {
		vertices.Data[i] = clampFinite(v / m.Scale)
	}
	g, _, err := SimplexLeastSquares(dst, rows, vertices, nil)
	return g, err
}

// checkRows is for similarities with n training samples.
func checkRows(rows *Matrix, n int) error {
	if err := checkMatrix("rows", rows); err != nil {
		return err
	}
	if rows.Cols != n {
		return fail(ErrShape, "rows have "+strconv.Itoa(rows.Cols)+" similarities, the model has "+strconv.Itoa(n)+" samples")
	}
	return nil
}

// check is for maps that did not come from TILSD.
func (km *KernelMap) check(n, k int) error {
	if err := checkMatrix("Projection", km.Projection); err != nil {
		return err
	}
	if err := checkMatrix("Vertices", km.Vertices); err != nil {
		return err
	}
	if len(km.Means) != n || km.Projection.Rows != n || km.Vertices.Rows != k || km.Vertices.Cols != km.Projection.Cols {
		return fail(ErrShape, "the model's map is for "+strconv.Itoa(len(km.Means))+" samples, "+shape(km.Projection.Rows, km.Projection.Cols)+
			" and "+shape(km.Vertices.Rows, km.Vertices.Cols)+", its memberships are "+shape(n, k))
	}
	for i, v := range km.Means {
		if !isFinite(v) {
			return &InputError{Arg: "Means", Row: i, Col: -1, Value: v, Err: ErrNonFinite}
		}
	}
	return nil
}

// Coordinates returns the places of samples in the feature space of a model of
// [TILSD], m×p with p = Rank ≤ k−1: their kernel principal components, from their
// similarities to the n training samples as for [LSDModel.Predict]; nil rows stand
// for the training samples themselves, without K. The prototypes are Map.Vertices in
// the same coordinates.
//
// They are samples like any others. [FitMinVolume] of them draws prototypes
// towards the data, which TILSD by itself does not: take two or three times as many
// directions as clusters, TILSD with 3k for FitMinVolume with k, so that its slack
// has something to give (with k directions or fewer the floor is 0). What is beyond
// float64's range stops at math.MaxFloat64.
//
// dst receives the result; nil allocates, a wrong shape panics, and dst may be
// rows itself. Cost: O(mnp). Errors: [ErrShape], also for a model without Map,
// [ErrNonFinite]; on an error dst is unchanged.
func (m *LSDModel) Coordinates(dst, rows *Matrix) (*Matrix, error) {
	if m.Map == nil || m.Memberships == nil {
		return nil, fail(ErrShape, "the model has no map, which those of TILSD have")
	}
	km := m.Map
	if err := km.check(m.Memberships.Dims()); err != nil {
		return nil, err
	}
	n, p := km.Projection.Dims()
	if n == 0 {
		return nil, fail(ErrTooFewSamples, "the model's map has no samples")
	}
	if rows != nil && !fits(rows.Rows, p) {
		return nil, fail(ErrShape, "the result is "+shape(rows.Rows, p)+", too large to address")
	}
	if rows == nil { // memberships are coordinates with respect to the vertices
		if err := checkMatrix("Memberships", m.Memberships); err != nil {
			return nil, err
		}
		dst = destination(dst, n, p)
		memberships, vertices := beside(dst, m.Memberships), beside(dst, km.Vertices)
		for i := range n {
			mixRows(dst.row(i), memberships.row(i), vertices, 0)
		}
		return dst, nil
	}
	if err := checkRows(rows, n); err != nil {
		return nil, err
	}
	dst = destination(dst, rows.Rows, p)
	projection := beside(dst, km.Projection)
	row := make([]float64, n)
	top, _ := rowMaxAbs(km.Means)
	for i := range rows.Rows {
		big, _ := rowMaxAbs(rows.row(i))
		_, exp := math.Frexp(max(top, big))
		mean := 0.0
		for j, v := range rows.row(i) {
			row[j] = math.Ldexp(v, -exp) - math.Ldexp(km.Means[j], -exp)
			mean += row[j] / float64(n)
		}
		// The columns of Projection add up to 0; without the mean their rounding
		// has less to multiply.
		for j := range row {
			row[j] -= mean
		}
		mixRows(dst.row(i), row, projection, exp)
	}
	return dst, nil
}

// mixRows fills dst with 2^exp·Σ coef_j·(row j of m), which stops at math.MaxFloat64.
func mixRows(dst, coef []float64, m *Matrix, exp int) {
	clear(dst)
	for j, v := range coef {
		axpy(dst, v, m.row(j))
	}
	if _, finite := rowMaxAbs(dst); !finite { // a sum on the way may be, not the result
		top, _ := rowMaxAbs(coef)
		_, unit := math.Frexp(top)
		unit += bits.Len(uint(len(coef)))
		clear(dst)
		for j, v := range coef {
			axpy(dst, math.Ldexp(v, -unit), m.row(j))
		}
		exp += unit
	}
	for c, v := range dst {
		dst[c] = clampFinite(math.Ldexp(v, exp))
	}
}
