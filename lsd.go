package softkmeans

// Left-stochastic decomposition, for similarities in place of vectors: R. Arora, M. R. Gupta, A. Kapila and
// M. Fazel, Similarity-based Clustering by Left-Stochastic Matrix Factorization, JMLR 14 (2013),
//
//	minimise ‖K − (1/c)·PPᵀ‖²  over  c > 0, P ≥ 0, P1 = 1  (P n×k),
//
// with a floor from the spectrum and a descent (lsddescent.go), which the source does not contain. TILSD is
// its translation-invariant form, soft k-means with a kernel. It has a closed form (F. Nie, H. Chen, R. Wang
// and X. Li, On the Global Solution of Soft k-Means).

import (
	"cmp"
	"context"
	"math"
	"strconv"
)

// LSD clusters samples of which only similarities are known. Pass a symmetric n×n matrix of similarities and
// the number of clusters k. Read Memberships (n×k), the weight of each cluster in each sample, or Labels.
// Package kernel computes similarities of rows. For cosines, standardize the columns first.
//
// LSD is left-stochastic decomposition (Arora, Gupta, Kapila & Fazel 2013, Algorithm 1), followed by a
// descent. It finds soft memberships P (n×k) and a scale c with K ≈ PPᵀ/c. K may be indefinite, and k may
// exceed n. If K = PPᵀ/c with a P that contains a pure sample of each cluster, LSD returns P up to the order
// of its columns. For k > 2 the result need not be a minimum; Gap bounds its distance from the minimum.
//
// Cost: 2n²(k+8) for each of some 10 to 40 steps of the eigensolver, O(nk⁴) for a step of the rotation, and
// 2n²k for each of 50 to 1000 steps of the descent. For n ≤ 128 or k above n/4 − 8 the eigensolver is direct:
// 4n³/3 + 4n²k, or 9n³ for k above n/2. Memory: K, 7.2 GB for n = 30 000, and O(nk). A direct eigensolver, a
// Stride above n, or a K that is not exactly symmetric requires a copy of K.
//
// Errors: [ErrShape] if s is not square or not symmetric, [ErrNonFinite], [ErrRange], [ErrTooFewSamples] for
// n = 0, [ErrOption]. Entries that differ from their mirror image by at most 1e-8 of the largest entry are
// averaged. If ctx ends, LSD returns its error, wrapped, with the best model so far, or nil.
func LSD(ctx context.Context, s *Matrix, k int, opts *LSDOptions) (*LSDModel, error) {
	op, o, err := openSimilarity(ctx, s, k, opts, "LSD")
	if err != nil {
		return nil, err
	}
	return decompose(op, k, &o)
}

// TILSD clusters samples by similarities as [LSD] does. It reaches the global minimum, and another origin of
// the samples does not change the result. Pass a symmetric n×n matrix of similarities. [LSDModel.Predict]
// maps new samples.
//
// Translating the samples changes K into other matrices K′. TILSD finds the P and c for which PPᵀ/c is
// closest to one of these K′. It is soft k-means with a kernel: for K = XXᵀ it is Fit(X). As for Fit,
// memberships are spread out. Labels are clusters of the samples' [LSDModel.Coordinates], found as
// [Model.Labels] describes. The floor is proved, the labels are not. For a graph take Graph of package
// kernel.
//
// Cost and errors: as for [LSD], without rotation and descent, and some hundred passes of O(nk²) for labels.
// If ctx ends, the model is nil.
func TILSD(ctx context.Context, s *Matrix, k int, opts *LSDOptions) (*LSDModel, error) {
	// Let VΛVᵀ be the k−1 largest eigenpairs of HKH, H = I − 11ᵀ/n, and W = VΛ^(1/2). With B of
	// RegularSimplex and an s that keeps P ≥ 0, P = WBᵀ/s + 1/k and c = 1/s². The least objective is the sum
	// of the squares of all other eigenvalues of HKH. With the ball's simplex, c = 1/(r²k(k−1)) for the
	// largest length r of a row of W, and K′ = WWᵀ + r²(k−1)11ᵀ.
	//
	// Errata. The paper's Theorem "Condition of TI-LSDable" translates X by a vector of ℝ^d that is
	// orthogonal to the k−1 directions of the samples, and so requires d ≥ k. Here the translation may leave
	// the span of the samples. The remark on its Theorem 8 says "the solution of LSD" and means TI-LSD.
	op, o, err := openSimilarity(ctx, s, k, opts, "TILSD")
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
	m := &LSDModel{Iterations: spec.steps, Status: StatusOptimal}
	if spec.status == StatusIterationLimit {
		m.Status = spec.status
	}
	m.rate(op, left, left.squares)
	m.encloseFeatures(op, spec, w, k, o.Enclosure)
	if err := m.label(op); err != nil {
		return nil, err
	}
	return m, nil
}

// openSimilarity checks all arguments, and returns the operator of s and the options with defaults. An option
// that the function named `of` does not read is an error.
func openSimilarity(ctx context.Context, s *Matrix, k int, opts *LSDOptions,
	of string) (op *operator, o LSDOptions, err error) {
	o = orZero(opts)
	err = cmp.Or(checkCount("Starts", o.Starts), checkAmount("Tol", o.Tol),
		checkFit(k, &Options{Enclosure: o.Enclosure}))
	switch {
	case err != nil:
	case of != "LSD" && (o.Starts != 0 || o.MaxIter != 0 || o.Tol != 0 || o.Progress != nil):
		err = fail(ErrOption, "Starts, MaxIter, Tol or Progress is set, which LSD alone reads")
	case of != "TILSD" && o.Enclosure != EnclosureBall:
		err = fail(ErrOption, "Enclosure is "+o.Enclosure.String()+", which TILSD alone reads")
	default:
		op, err = newOperator(ctx, s, o.Workers)
	}
	if err == nil {
		err = cmp.Or(checkSizeOfK(k, op.n, k), checkSquareOfK(k))
	}
	o.Starts, o.MaxIter = cmp.Or(o.Starts, rotationStarts), cmp.Or(o.MaxIter, descentSteps)
	o.Tol = cmp.Or(o.Tol, descentTol)
	return op, o, err
}

// rate sets Objective, Floor, FloorError, Total and Gap. objective and left, the remainder of the best
// factor, are in scaled units. rate returns the floor in scaled units. The floor comes from eigenvalues: the
// paper's lemma on the trace takes singular values (erratum 13), and gives no floor for an indefinite K.
func (m *LSDModel) rate(op *operator, left remainder, objective float64) (floor float64) {
	floor = left.lows[len(left.lows)-1]
	open := (left.high - floor) * (1 + 0x1p-50)
	objective = max(objective, floor) // objective is a difference of sums, which may cancel
	m.Objective, m.Floor = unscale(objective, 2*op.exp), unscale(floor, 2*op.exp)
	m.FloorError, m.Total = unscale(open, 2*op.exp), unscale(left.total, 2*op.exp)
	if open > 0 { // open may be too small for a number
		m.FloorError = max(m.FloorError, math.SmallestNonzeroFloat64)
	}
	m.Gap = 0
	if left.total > 0 {
		m.Gap = (objective - floor) / left.total
	}
	return floor
}

// encloseFeatures encloses the samples' coordinates Wᵀ (p×n) in a simplex, and sets memberships, scale and
// map.
func (m *LSDModel) encloseFeatures(o *operator, spec *krylovResult, wt *Matrix, k int, kind Enclosure) {
	w := wt.transposed()
	e := enclosed(w, k, kind)
	around := e.placement()
	m.Memberships, m.Vertices = NewMatrix(o.n, k, nil), around.vertices
	scale(m.Vertices.Data, math.Ldexp(1, o.exp/2))
	// c = 1/(r²k(k−1)) for the radius r of the ball, or of the sphere that touches the facets of the tight
	// simplex.
	m.Scale = 1
	if e.radius > 0 {
		m.Scale = unscale(1/(e.radius*e.radius*float64(k)*float64(k-1)), -o.exp)
	}
	m.Means, m.Projection = make([]float64, o.n), NewMatrix(o.n, w.Cols, nil)
	for i := range o.n {
		m.Means[i] = math.Ldexp(o.shifts[i]+o.half, o.exp)
		around.coordinates.of(m.Memberships.row(i), w.row(i))
		for c, v := range w.row(i) {
			m.Projection.row(i)[c] = math.Ldexp(v/spec.values[c], -o.exp/2)
		}
	}
}

// label sets m.Clustering by the coordinates of the samples, unless there are no coordinates. o supplies the
// context and workers. The error is the context's, or says that a coordinate is out of range.
func (m *LSDModel) label(o *operator) error {
	if m.Vertices.Cols == 0 {
		return nil
	}
	w := combine(context.Background(), m.Memberships, m.Vertices)
	x, err := w.open(o.ctx, &Options{Workers: o.workers}, true, 0)
	if err != nil {
		return err
	}
	c := &Model{Centers: m.Vertices, Memberships: m.Memberships}
	lead := identity(w.Cols) // coordinates are along leading directions
	if err = c.label(x, largest(nil, m.Memberships), lead, false); err == nil {
		m.Clustering = c
	}
	return err
}

// decompose returns the model of LSD for the operator's matrix. If ctx ends, it returns the error with the
// best model so far, or nil.
func decompose(o *operator, k int, opts *LSDOptions) (m *LSDModel, err error) {
	spec, z, left, err := o.nearest(k, opts.Seed)
	if err != nil {
		return nil, err
	}
	m = &LSDModel{}
	floor := m.rate(o, left, left.total)
	d := &descent{operator: o, k: min(k, z.Rows+extraColumns), total: left.total, floor: floor, opts: opts}
	d.fullRank = z.Rows == d.k
	best := &candidate{p: uniform(o.n, k), objective: left.total, status: StatusConverged}
	best, err = d.best(best, z, spec.values[:z.Rows])
	if err == nil && best.a <= 0 {
		scaled := &candidate{p: best.p, status: StatusConverged} // with its best scale, as for k = 1
		if err = d.measure(scaled); err == nil && scaled.objective < best.objective {
			best = scaled
		}
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
	m.rate(o, left, best.objective)
	return m, err
}

// LSDFloors returns lower bounds of the objective of [LSD], to choose the number of clusters by. Pass a
// symmetric n×n matrix of similarities and the largest k of interest, `most`. Index k−1 of the result is the
// bound for k clusters, k = 1, …, most (at most n): Σλ_i² over all eigenvalues λ of K except the k largest
// that are above 0. The result is proved not to exceed this sum, like Floor of [LSDModel]. It is usually
// below the sum by less than about n·2^-52 of ‖K‖².
//
// It reads the options Workers and Seed. Cost: the eigenpairs of [LSD] for k = most. For close eigenvalues,
// as of K near I, the proof for 512 < n ≤ 2048 takes up to 2n³/3, and 4n³/3 more if that fails. Errors: as
// for LSD, and [ErrOption] for most < 1.
func LSDFloors(ctx context.Context, s *Matrix, most int, opts *LSDOptions) ([]float64, error) {
	return spectralFloors(ctx, s, most, opts, false)
}

// TILSDFloors returns the floors of [TILSD] for k = 1, …, most (at most n): Σλ_i² over all eigenvalues λ of
// HKH except the k−1 largest that are above 0. For K = XXᵀ these floors add up fourth powers of singular
// values of X, and [Floors] adds up squares. Options, cost, rounding and errors are as for [LSDFloors].
func TILSDFloors(ctx context.Context, s *Matrix, most int, opts *LSDOptions) ([]float64, error) {
	return spectralFloors(ctx, s, most, opts, true)
}

// spectralFloors returns TILSDFloors if centred, otherwise LSDFloors.
func spectralFloors(ctx context.Context, s *Matrix, most int, opts *LSDOptions,
	centred bool) ([]float64, error) {
	op, o, err := openSimilarity(ctx, s, most, opts, "")
	if err != nil {
		return nil, err
	}
	rank := min(most, op.n)
	floors := make([]float64, rank)
	if centred {
		rank--
		if err := op.centre(); err != nil {
			return nil, err
		}
	}
	_, _, left, err := op.nearest(rank, o.Seed)
	if err != nil {
		return nil, err
	}
	for i := range floors {
		floors[i] = unscale(left.lows[i+rank-len(floors)+1], 2*op.exp)
	}
	return floors, nil
}

// LSDModel is the result of [LSD] and [TILSD]: similarities K ≈ PPᵀ/c. Read Memberships, or Labels for one
// cluster per sample. Gap bounds the distance from the minimum, except for rounding.
type LSDModel struct {
	Memberships *Matrix // P, n×k: at least 0; each row adds up to 1
	// Scale is c: 1/c is the similarity of two samples wholly in one cluster. It is 0 if no P with ⟨K, PPᵀ⟩ >
	// 0 was found, as for a negative definite K. The Scale of TILSD depends on the enclosure.
	Scale float64
	// Certificate contains Objective, Floor, FloorError, Total and Gap of the similarities, in squared units
	// of K. The rounding of Objective is not bounded, so that Optimal is false and Excess is math.MaxFloat64.
	// Objective is ‖K − PPᵀ/c‖² for LSD, and Total ‖K‖². For TILSD Objective is the minimum over all
	// translations of K, ‖H(K − PPᵀ/c)H‖² with H = I − 11ᵀ/n, and Total is ‖HKH‖².
	//
	// Floor is a lower bound of the objective over all P and c: the sum of the squares of all eigenvalues of
	// K except the k largest positive ones. PPᵀ is nonnegative: if K has negative entries, Floor is far below
	// the minimum of LSD, and the floor of proof.LSDFloor is usually near this minimum. For TILSD the sum is
	// over the eigenvalues of HKH except the k−1 largest positive ones, and is the minimum. For exact
	// eigenvalues this sum lies between Floor and Floor + FloorError (proved, including rounding and errors
	// of the eigensolver). Beyond 512 samples the proof, by random vectors, fails with probability 2e-10.
	Certificate
	// Iterations counts steps of LSD's best descent, or of TILSD's eigensolver. A direct eigensolver takes 0
	// steps.
	Iterations int
	// Means, Projection and Vertices are TILSD's map from the similarities of a sample with the n training
	// samples to p ≤ k−1 coordinates in the feature space, and to memberships. They are nil for LSD.
	Means      []float64 // n: the means of the rows of K
	Projection *Matrix   // n×p, VΛ^(−1/2): a centred row times Projection is the sample's coordinates
	Vertices   *Matrix   // k×p: the prototypes in [LSDModel.Coordinates]
	// Clustering contains TILSD's labels: a model of the samples' [LSDModel.Coordinates], with Vertices for
	// centers. Its PredictLabels takes Coordinates of new samples. nil: LSD, or samples without coordinates.
	Clustering *Model
	// Status is StatusConverged for LSD and StatusOptimal for TILSD. It is StatusIterationLimit if the
	// descent or the eigensolver reached its limit, or if FloorError is large; the bounds hold nevertheless.
	// It is StatusCancelled if ctx ended LSD.
	Status Status
}

// isMapped reports whether the model contains TILSD's map.
func (m *LSDModel) isMapped() bool { return m.Means != nil || m.Projection != nil || m.Vertices != nil }

// checkMap returns an error if the map, which the caller may have made, does not fit the memberships.
func (m *LSDModel) checkMap() error {
	err := cmp.Or(checkMatrix("Projection", m.Projection, math.MaxFloat64),
		checkMatrix("Vertices", m.Vertices, mostCenter))
	if err != nil {
		return err
	}
	n, k := m.Memberships.Rows, m.Memberships.Cols
	if len(m.Means) != n || m.Projection.Rows != n || m.Vertices.Rows != k ||
		m.Vertices.Cols != m.Projection.Cols {
		return fail(ErrShape, "the model's map is for "+strconv.Itoa(len(m.Means))+" samples, "+
			shape(m.Projection.Rows, m.Projection.Cols)+" and "+shape(m.Vertices.Rows, m.Vertices.Cols)+
			", its memberships are "+shape(n, k))
	}
	for i, v := range m.Means {
		if !isFinite(v) {
			return &InputError{Arg: "Means", Row: i, Col: -1, Value: v, Err: ErrNonFinite}
		}
	}
	return nil
}

// Labels returns a cluster for each sample: the label in Clustering or, if Clustering is nil, the largest
// membership (the lowest index on ties). dst receives the labels; nil allocates.
func (m *LSDModel) Labels(dst []int) []int {
	if m.Clustering != nil {
		return m.Clustering.Labels(dst)
	}
	return largest(dst, m.Memberships)
}

// Predict returns the memberships (m×k) of new samples. Row i of rows (m×n) holds the similarities of new
// sample i with the n training samples, in their order, as the functions of package kernel return them.
//
// For a model of TILSD, Predict returns the memberships of the mixture of prototypes that is nearest to the
// sample's [LSDModel.Coordinates]. For the rows of K the result equals Memberships, to rounding, or to 1e-6
// if Projection has fewer than k−1 columns. For a model of LSD, Predict returns the g ≥ 0 with Σg = 1 and the
// least ‖row − Pg/c‖². For the rows of K the result equals Memberships if K = PPᵀ/c and the columns of P are
// independent. Otherwise the result is near Memberships: the similarity of a sample to itself counts like the
// others.
//
// dst receives the result; nil allocates. Cost: O(mnk). Errors: [ErrShape], [ErrNonFinite], [ErrRange],
// [ErrTooFewSamples] without memberships, [ErrOption] if LSD's scale is not above 0 and finite.
func (m *LSDModel) Predict(dst, rows *Matrix) (*Matrix, error) {
	if m.Memberships == nil {
		return nil, fail(ErrTooFewSamples, "the model has no memberships")
	}
	if err := checkMatrix("Memberships", m.Memberships, mostCenter); err != nil {
		return nil, err
	}
	n, k := m.Memberships.Rows, m.Memberships.Cols
	if n == 0 || k == 0 {
		return nil, fail(ErrTooFewSamples, "the model's memberships are "+shape(n, k))
	}
	if err := checkShape("rows", rows); err != nil { // Coordinates takes nil for the training samples
		return nil, err
	}
	if m.isMapped() {
		w, err := m.Coordinates(nil, rows)
		if err != nil {
			return nil, err
		}
		return SimplexLeastSquares(dst, w, m.Vertices, nil)
	}
	if err := checkRows(rows, n); err != nil {
		return nil, err
	}
	if !(m.Scale > 0) || math.IsInf(m.Scale, 1) {
		return nil, fail(ErrOption,
			"the model's scale is "+decimal(m.Scale)+", which explains no similarities")
	}
	vertices := m.Memberships.transposed()
	for i, v := range vertices.Data {
		vertices.Data[i] = v / m.Scale
	}
	return SimplexLeastSquares(dst, rows, vertices, nil)
}

// Coordinates returns the kernel principal components of samples in the feature space of a model of [TILSD],
// m×p with p ≤ k−1. rows (m×n) holds their similarities with the n training samples, as for
// [LSDModel.Predict]; nil stands for the training samples. Rows of Vertices are such coordinates.
//
// For k compact prototypes call [FitMinVolume] on the Coordinates of a TILSD model of 3k clusters. For k
// clusters the floor of the Coordinates is 0.
//
// dst receives the result; nil allocates. Cost: O(mnp). Errors: [ErrShape], also for a model without TILSD's
// map, [ErrNonFinite], [ErrRange], also for a coordinate above 2^520.
func (m *LSDModel) Coordinates(dst, rows *Matrix) (*Matrix, error) {
	if !m.isMapped() || m.Memberships == nil {
		return nil, fail(ErrShape, "the model has no map; only models of TILSD have one")
	}
	if err := m.checkMap(); err != nil {
		return nil, err
	}
	n, p := m.Projection.Rows, m.Projection.Cols
	if n == 0 {
		return nil, fail(ErrTooFewSamples, "the model's map has no samples")
	}
	if rows == nil { // memberships are coordinates with respect to the vertices
		if err := checkMatrix("Memberships", m.Memberships, mostCenter); err != nil {
			return nil, err
		}
		return copyTo(dst, combine(context.Background(), m.Memberships, m.Vertices))
	}
	if err := checkRows(rows, n); err != nil {
		return nil, err
	}
	if err := checkSize("the result", rows.Rows, p); err != nil {
		return nil, err
	}
	out, row := NewMatrix(rows.Rows, p, nil), make([]float64, n)
	for i := range rows.Rows {
		mean := 0.0
		for j, v := range rows.row(i) {
			row[j] = v - m.Means[j]
			mean += row[j] / float64(n)
		}
		// Columns of Projection add up to 0 up to rounding, which the mean would multiply.
		for j := range row {
			axpy(out.row(i), row[j]-mean, m.Projection.row(j))
		}
	}
	return copyTo(dst, out)
}

// checkRows returns an error unless rows holds similarities with n training samples.
func checkRows(rows *Matrix, n int) error {
	if err := checkMatrix("rows", rows, mostEntry); err != nil {
		return err
	}
	if rows.Cols != n {
		return fail(ErrShape,
			"rows have "+strconv.Itoa(rows.Cols)+" similarities, the model has "+strconv.Itoa(n)+" samples")
	}
	return nil
}
