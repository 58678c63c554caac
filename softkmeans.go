package softkmeans

// The global solution of soft k-means: F. Nie, H. Chen, R. Wang and X. Li, On the Global Solution of Soft
// k-Means, Algorithm 1 and Theorem 1, for samples in rows (the paper has them in columns):
//
//	minimise ‖X − GF‖²  subject to  G ≥ 0, G1 = 1.
//
// Without the constraint G ≥ 0 the problem is principal component analysis. Every simplex in the principal
// subspace that encloses the projected data attains the same minimum with G ≥ 0.

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
)

// Model is a fitted soft k-means model: X ≈ Memberships·Centers. Read these two, Gap for the distance from
// the minimum, and Labels for clusters. encoding/json preserves all fields. Predict requires Centers alone.
type Model struct {
	Centers     *Matrix // F, k×d: one prototype in each row
	Memberships *Matrix // G, n×k: at least 0; each row adds up to 1 (with SumAtMostOne to at most 1)
	// FitMinVolume and FitAlternating set the clusters. Row j of ClusterMeans (k×d) is the weighted mean of
	// cluster j, or its center if it is empty. The distance of x and y is ‖ClusterAxes·(x−y)‖ for a p×d
	// matrix ClusterAxes, p ≤ 2k, and ‖x−y‖ for nil.
	ClusterMeans *Matrix
	ClusterAxes  *Matrix
	Clusters     []int // n: the cluster of each row, for [Model.Labels]; nil: not found
	// [Model.ClusterProbabilities] reads these: each cluster's part of the total weight (k), the spread of
	// rows around their means along an axis, and the fraction of rows that two halves label differently.
	ClusterWeights              []float64
	ClusterSpread, ClusterDoubt float64
	// Certificate compares the pair with the global minimum. Objective is above the true squared error by at
	// most 1e-12 of Total, or by rounding. MinMembership, MaxSumError, Repair and SpanError are 0.
	Certificate

	// The penalty of FitMinVolume is λ/2·Σ log(σ_i² + ε); Volume says which σ_i. Without a penalty Lambda and
	// Epsilon are 0.
	Lambda, Epsilon float64
	Volume          Volume
	// Slack is the permitted squared error above the floor, as a fraction of the floor, by which λ was
	// chosen. It is 0 if Lambda was set, if Fixed contained all k centers, if Centers are ClusterMeans, and
	// after Fit and FitAlternating.
	Slack      float64
	Sum        Sum       // whether rows of Memberships add up to 1 or at most 1; Predict's, too
	Warnings   []Warning // reasons to look closer; nil: none
	Others     []Answer  // the other answers that a warning is about; nil: none
	Iterations int       // of the last run; for Fit, steps of SolverKrylov and its proof, or 0
	// Stationarity tells how steep the loss is: moving the centers by s·‖F‖, for a small s, lowers it by at
	// most about s·Stationarity·Objective. It is 0 at a minimum, at a saddle and for [Fit]. After
	// FitAlternating ended by Tol it is at most √(1000·Tol), 0.1 by default. Above 1 the iteration is far
	// from its end, as for columns of very different scale.
	Stationarity float64
	Status       Status    // why it stopped
	Trace        []float64 // the loss at the start and after each iteration, by falls at their λ; nil for Fit
}

// Fit finds the global minimum of ‖X − GF‖² over G ≥ 0, G1 = 1: soft k-means. Pass the samples in the rows of
// x (n×d) and k; nil options are the defaults. Read Centers F (k×d) and Memberships G (n×k). ExcessShare
// bounds the distance from the minimum.
//
// The minimum is Σ_{i≥k} σ_i(X − 1x̄ᵀ)² (Theorem 1). Every simplex in the principal subspace that encloses
// the data attains it. Fit returns a regular simplex, so its centers usually lie outside of the data; package
// enclosure finds a smaller one. k is at most 2^24, with Weights 2^15. If k exceeds n or d the minimum is 0;
// if k−1 exceeds n or d, the simplex is the projection of a regular one.
//
// A dense x is neither changed nor copied. If a column of a [*SparseMatrix] is far from 0 in all rows,
// FloorError is as large as the rounding of rows that are not centred: subtract a constant from the column.
//
// Fit reads the options Weights, Enclosure, Orientation, Solver and Workers. Cost: see [Solver]; and O(ndk)
// for projection, memberships and objective. Memory: n·k + O(min(n, d)² + d·k) floats and blocks of rows.
// Errors: [ErrShape], [ErrNonFinite], [ErrRange], [ErrTooFewSamples], [ErrOption]. If ctx ends, Fit returns
// its error, wrapped, within one pass over x.
func Fit(ctx context.Context, x Samples, k int, opts *Options) (*Model, error) {
	o := orZero(opts)
	err := cmp.Or(o.only("Fit", "Weights", "Enclosure", "Solver", "Orientation"), checkFit(k, &o))
	if o.Sum == SumAtMostOne {
		err = fail(ErrOption, "Sum is at most one, which Fit refuses: use enclosure.Cone")
	}
	if err != nil {
		return nil, err
	}
	if m, ok := x.(*Matrix); ok {
		o.Workers = fitWorkers(o.Workers, m, k)
	}
	t, err := openSamples(ctx, x, &o, true)
	if err != nil {
		return nil, err
	}
	s := t.data()
	defer s.space.free()
	if err = checkSizeOfK(k, k, max(s.n, s.d)); err == nil && o.Weights != nil {
		err = checkSquareOfK(k) // of the problem of rows of weight 0
	}
	if err != nil {
		return nil, err
	}
	// A step of SolverKrylov over z stored entries takes O((z + n + d)(k + 8) + (n + d)(k + 8)²).
	pc, err := principalOf(t, wanted{s.directions(k, SumToOne), 0}, o.Solver, toFit)
	if err != nil {
		return nil, err
	}
	m := &Model{Iterations: pc.steps, Status: pc.status, Memberships: NewMatrix(s.n, k, nil)}
	e, err := placeSimplex(t, m.Memberships, pc.basis, &o)
	if err != nil {
		return nil, err
	}
	m.Centers = simplexCenters(s, e, pc.basis)
	if err := m.solveRows(t, s.zeroWeights()); err != nil {
		return nil, err
	}
	objective, ok := pc.projectedObjective(s, e)
	if !ok {
		if objective, err = t.objective(m.Centers, m.Memberships, SumToOne); err != nil {
			return nil, err
		}
	}
	m.Warnings = crowded(k, s.n-len(s.zeroWeights()), pc.rank(s), SumToOne)
	return m, m.rate(t, objective, pc)
}

func (m *Matrix) checkNew(centers *Matrix) (n int, err error) {
	if err = checkShape("x", m); err != nil {
		return 0, err
	}
	return m.Rows, cmp.Or(checkNewRows(m.Rows, m.Cols, centers), checkRange(openEnded(0), "x", m))
}

func (m *Matrix) mix(by parallelism, p *simplexProblem, dst *Matrix) error {
	return p.solve(by, dst, m)
}

// rate sets the certificate of m. objective is an upper bound of the squared error in scaled units. If
// pc.above replaces the floor of SolverKrylov, rate takes the new one.
func (m *Model) rate(x rows, objective float64, pc *principal) error {
	pc, err := pc.above(x, objective)
	if err == nil {
		m.Certificate = compareWithFloor(x.data(), objective, pc)
	}
	return err
}

// Labels returns the cluster of each row that the model was fitted to: Clusters, or without these the largest
// membership, the lowest index on ties. Without either, as for a model from a file, the result is empty. dst
// receives the result; nil allocates. [Model.PredictLabels] labels new rows.
//
// [FitMinVolume] and [FitAlternating] set Clusters, unless ctx ends. Each row begins in the cluster of its
// largest membership, and moves to the cluster with the nearest mean. The distance is shorter in directions
// in which the clusters are wide. Labels that start from k-means are tried, too, unless an Init is given or
// the mixture is exact. They replace the first labels if a sum of two criteria is higher: even sizes, and
// little overlap. As many rows as possible then keep their number.
func (m *Model) Labels(dst []int) []int {
	if len(m.Clusters) == 0 {
		return largest(dst, m.Memberships)
	}
	dst = labelsOf(dst, len(m.Clusters))
	copy(dst, m.Clusters)
	return dst
}

// PredictLabels returns the labels of the rows of x (n×d) by the rule of [Model.Labels]. A label is the index
// of the nearest row of ClusterMeans along ClusterAxes, or the lowest index if distances agree to rounding.
// Without ClusterMeans the label is the largest membership of [Model.Predict]. dst receives the result; nil
// allocates. Cost: O(ndk), for sparse rows O(k) a stored entry, or Predict's. Errors: as for Predict.
func (m *Model) PredictLabels(dst []int, x Samples) (labels []int, err error) {
	if m.ClusterMeans != nil {
		err = m.score(x, func(n int) scored {
			labels = labelsOf(dst, n)
			return labelling(labels)
		})
		return labels, err
	}
	g, err := m.Predict(nil, x)
	if err != nil {
		return nil, err
	}
	return largest(dst, g), nil
}

// ClusterProbabilities returns the probability of each cluster for each row of x: n×k for x of n×d, with rows
// that add up to 1. Probabilities tell how certain the labels of [Model.PredictLabels] are. Memberships do
// not: they are parts of a mixture. With w = ClusterWeights, m = ClusterMeans, A = ClusterAxes, s =
// ClusterSpread and v = ClusterDoubt it returns
//
//	(1−v)·w_j·exp(−‖A(x−m_j)‖²/2s²) / Σ_i w_i·exp(−‖A(x−m_i)‖²/2s²) + v·w_j.
//
// Call stability.Others first: it replaces ClusterDoubt by a measurement on refits. Otherwise probabilities
// are too near to 0 and 1. dst receives the result; nil allocates. Cost and errors: as for PredictLabels;
// [ErrOption] without ClusterWeights.
func (m *Model) ClusterProbabilities(dst *Matrix, x Samples) (out *Matrix, err error) {
	w, v := m.ClusterWeights, m.ClusterDoubt
	if m.ClusterMeans == nil || w == nil {
		return nil, fail(ErrOption, "the model has no cluster weights")
	}
	err = m.score(x, func(n int) scored {
		out = destination(dst, n, len(w))
		return func(i, _ int, scores []float64, exp int) {
			top, sum, row := math.Inf(-1), 0.0, out.row(i)
			for j, score := range scores {
				if w[j] > 0 {
					top = max(top, score)
				}
			}
			unit := math.Ldexp(1, exp) / m.ClusterSpread
			for j, score := range scores {
				row[j] = w[j]
				if score < top { // 0 times ∞ is no number
					row[j] *= math.Exp((score - top) * unit * unit)
				}
				sum += row[j]
			}
			for j := range row {
				row[j] = (1-v)*row[j]/sum + v*w[j]
			}
		}
	})
	return out, err
}

// score checks x and the model. It calls begin with the number of rows of x, and then, for each row, the
// function that begin returned: see scored. After an error begin was not called.
func (m *Model) score(x Samples, begin func(n int) scored) error {
	err := cmp.Or(m.checkFitted(), checkMatrix("cluster means", m.ClusterMeans, mostCenter), m.checkMeans())
	if err == nil && x == nil {
		err = fail(ErrShape, "x is nil")
	}
	if err != nil {
		return err
	}
	n, err := x.checkNew(m.ClusterMeans)
	if err != nil {
		return err
	}
	return x.score(openEnded(0), m.ClusterMeans, m.ClusterAxes, begin(n))
}

// checkFitted returns an error if the model contains no centers, or centers out of range.
func (m *Model) checkFitted() error {
	if m.Centers != nil {
		if err := checkMatrix("centers", m.Centers, mostCenter); err != nil || m.Centers.Rows > 0 {
			return err
		}
	}
	return fail(ErrTooFewSamples, "the model has no centers")
}

// solveRows sets the memberships of the listed rows to their nearest mixture of the centers. It copies 8 MB
// of rows at a time.
func (m *Model) solveRows(x rows, list []int) error {
	if len(list) == 0 {
		return nil
	}
	s, problem := x.data(), newSimplexProblem(m.Centers, m.Sum, m.local())
	step := max(1, 1<<20/max(s.d, m.Centers.Rows))
	for ; len(list) > 0; list = list[min(step, len(list)):] {
		some := list[:min(step, len(list))]
		found := NewMatrix(len(some), m.Centers.Rows, nil)
		if err := problem.solve(s.parallelism, found, x.chosen(some)); err != nil {
			return err
		}
		copyRowsTo(m.Memberships, some, found)
	}
	return nil
}

// label sets the model's clusters, with their means and axes, for its rows, or returns the context's error.
// labels begin with the largest memberships, and change until they settle. lead contains leading directions
// of the rows. If quick is set, no other starts are tried: neither labels of k-means nor swaps of clusters.
func (m *Model) label(x rows, labels []int, lead *Matrix, quick bool) error {
	c, err := openClusters(x, m.Centers.Rows, lead)
	if err != nil {
		return err
	}
	places := c.places(m.Centers)
	if !quick {
		err = c.choose(labels, places)
	}
	var r *rule
	if err == nil {
		r, err = c.settle(labels, places)
	}
	if err != nil {
		return err
	}
	means, err := clusterMeans(x, labels, m.Centers)
	var axes *Matrix // nil: all directions
	spread, doubt := 0.0, 0.0
	if err == nil && r != nil {
		doubt, err = c.doubt(labels, places)
		axes, spread = c.axes(r)
	}
	if err == nil {
		err = x.nearest(labels, means, axes)
	}
	if err != nil {
		return err
	}
	m.ClusterMeans, m.ClusterAxes, m.Clusters = means, axes, labels
	m.ClusterWeights, m.ClusterSpread, m.ClusterDoubt = make([]float64, means.Rows), spread, doubt
	for i, j := range labels {
		m.ClusterWeights[j] += x.data().weight(i)
	}
	scale(m.ClusterWeights, 1/sumOf(m.ClusterWeights))
	return nil
}

// Check returns an error unless the parts of the model fit together, as after a fit. Matrices must be finite,
// with one row or column for each center. Labels, Solver and Status must be in range. Parts may be nil.
// Errors: [ErrShape], [ErrNonFinite], [ErrRange], [ErrOption].
func (m *Model) Check() error {
	err := cmp.Or(checkPart("centers", m.Centers), checkPart("Memberships", m.Memberships),
		checkPart("clusterMeans", m.ClusterMeans), checkPart("clusterAxes", m.ClusterAxes),
		checkEnum("the model's solver", m.Solver, solverCount),
		checkEnum("the model's status", m.Status, statusCount),
		checkEnum("the model's sum", m.Sum, sumCount), checkEnum("the model's volume", m.Volume, volumeCount),
		checkCount("Iterations", m.Iterations), checkAmount("the model's slack", m.Slack))
	if err != nil {
		return err
	}
	if m.Centers != nil && m.Memberships != nil && m.Centers.Rows != m.Memberships.Cols {
		return fail(ErrShape, "the model has "+strconv.Itoa(m.Centers.Rows)+" centers and memberships for "+
			strconv.Itoa(m.Memberships.Cols))
	}
	if err := m.checkMeans(); err != nil {
		return err
	}
	if n := len(m.Clusters); n > 0 &&
		(m.ClusterMeans == nil || m.Memberships != nil && m.Memberships.Rows != n) {
		return fail(ErrOption, "the model has "+strconv.Itoa(n)+
			" labels without as many memberships, or without cluster means")
	}
	for i, j := range m.Clusters {
		if j < 0 || j >= m.ClusterMeans.Rows {
			return fail(ErrOption, "the model's label "+strconv.Itoa(i)+" is "+strconv.Itoa(j))
		}
	}
	return nil
}

// checkMeans returns an error if ClusterMeans is set and not of the shape of Centers, or if ClusterAxes,
// ClusterWeights, ClusterSpread or ClusterDoubt cannot belong to it.
func (m *Model) checkMeans() error {
	c, f := m.ClusterMeans, m.Centers
	if m.ClusterAxes != nil {
		if err := m.checkAxes(); err != nil {
			return err
		}
	}
	wrong := m.ClusterWeights != nil && (c == nil || len(m.ClusterWeights) != c.Rows) ||
		!(m.ClusterSpread >= 0 && m.ClusterSpread <= mostCenter && m.ClusterDoubt >= 0 && m.ClusterDoubt <= 1)
	for _, w := range m.ClusterWeights {
		wrong = wrong || !(w >= 0 && w <= 1)
	}
	switch {
	case wrong || m.ClusterWeights != nil && !(math.Abs(sumOf(m.ClusterWeights)-1) <= 1e-6):
		return fail(ErrOption, "the model's cluster weights, spread or doubt are not possible after a fit")
	case c == nil || f != nil && c.Rows == f.Rows && c.Cols == f.Cols:
		return nil
	case f == nil:
		return fail(ErrShape, "the model has cluster means without centers")
	}
	return fail(ErrShape,
		"the model has centers of "+shape(f.Rows, f.Cols)+" and cluster means of "+shape(c.Rows, c.Cols))
}

// checkAxes returns an error unless the absolute entries of each axis add up to at most 1, as after a fit, so
// that products with data are in range.
func (m *Model) checkAxes() error {
	c, axes := m.ClusterMeans, m.ClusterAxes
	switch err := checkShape("cluster axes", axes); {
	case err != nil:
		return err
	case c == nil:
		return fail(ErrShape, "the model has cluster axes without cluster means")
	case axes.Cols != c.Cols || axes.Rows == 0:
		return fail(ErrShape, "the model has cluster means of "+shape(c.Rows, c.Cols)+
			" and cluster axes of "+shape(axes.Rows, axes.Cols))
	}
	for a := range axes.Rows {
		sum := 0.0
		for _, v := range axes.row(a) {
			sum += math.Abs(v)
		}
		if !(sum <= 1) {
			return fail(ErrShape, "the model's cluster axis "+strconv.Itoa(a)+" adds up to more than 1")
		}
	}
	return nil
}

// Predict returns the memberships (n×k) of new rows x (n×d), in the units of the fitted rows. The memberships
// of a row are the g ≥ 0 with Σg = 1 (with SumAtMostOne at most 1) that minimise ‖x − Σg_j·center_j‖². dst
// receives the result; nil allocates.
//
// For the rows of the fit the result equals Memberships, to 1e-11 if the centers are affinely independent. If
// not, many g attain the minimum, and the result agrees to 1e-6. Predict then mixes the nearest centers if
// Centers equal ClusterMeans, and otherwise takes the least norm. A mean above 1e6 times the spread costs
// digits. Rounding errors are some 2^-52 of the row's sum. Thus with SumAtMostOne small memberships keep
// their digits if the centers and 0 are affinely independent.
//
// Cost: O(ndk), and O(k²) for each row and support tried. Sparse rows take O(k) a stored entry, unless the
// centers are nearer to each other than to 0. Errors: [ErrShape], [ErrNonFinite], [ErrRange],
// [ErrTooFewSamples] without centers.
func (m *Model) Predict(dst *Matrix, x Samples) (*Matrix, error) {
	if err := m.checkFitted(); err != nil {
		return nil, err
	}
	if x == nil {
		return nil, fail(ErrShape, "x is nil")
	}
	n, err := x.checkNew(m.Centers)
	if err = cmp.Or(checkEnum("Sum", m.Sum, sumCount), err); err != nil {
		return nil, err
	}
	dst = destination(dst, n, m.Centers.Rows)
	return dst, x.mix(openEnded(0), newSimplexProblem(m.Centers, m.Sum, m.local()), dst)
}

// local reports whether Centers equal ClusterMeans, as after a fit of far more centers than directions. Of
// all memberships with the least squared error, Predict then returns the memberships in the nearest centers.
func (m *Model) local() bool {
	c := m.ClusterMeans
	if m.Sum != SumToOne || c == nil || c.Rows != m.Centers.Rows {
		return false
	}
	for j := range c.Rows {
		if !slices.Equal(c.row(j), m.Centers.row(j)) {
			return false
		}
	}
	return true
}

func (x *SparseMatrix) checkNew(centers *Matrix) (n int, err error) {
	if err := x.check("x"); err != nil {
		return 0, err
	}
	if err := checkNewRows(x.Rows, x.Cols, centers); err != nil {
		return 0, err
	}
	_, err = x.largest(func(int) float64 { return 0 })
	return x.Rows, err
}
