package softkmeans

// The global solution of soft k-means: F. Nie, H. Chen, R. Wang and X. Li, On the Global Solution of Soft
// k-Means, Algorithm 1 and Theorem 1, for samples in rows (the paper has them in columns):
//
//	minimise ‖X − GF‖²  subject to  G ≥ 0, G1 = 1.
//
// Relaxed to G1 = 1 this is principal component analysis; every simplex in the principal
// subspace that encloses the projected data then attains the relaxed minimum with G ≥ 0.

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
)

// Model is a fitted soft k-means model: X ≈ Memberships·Centers. Read those two, Gap for the
// distance from the minimum, and Labels for clusters. Fields survive encoding/json; a Model
// with nothing but Centers is ready for Predict.
type Model struct {
	Centers     *Matrix // F, k×d: a prototype a row
	Memberships *Matrix // G, n×k: at least 0, rows adding up to 1 (to at most 1, if Sum says so)
	// ClusterMeans (k×d), of FitMinVolume and FitAlternating: row j is the weighted mean of cluster j, or its
	// center if the cluster is empty. ClusterAxes (p×d, p ≤ 2k) is the metric: x and y are
	// ‖ClusterAxes·(x−y)‖ apart; nil: the plain distance.
	ClusterMeans *Matrix
	ClusterAxes  *Matrix
	Clusters     []int // n: the cluster of each row, which [Model.Labels] returns; nil: not found
	// For [Model.ClusterProbabilities]: the weight of each cluster's rows, a share of all (k); how far they
	// are from their means along an axis; the share of rows to which two halves give different labels.
	ClusterWeights              []float64
	ClusterSpread, ClusterDoubt float64
	// Certificate compares the pair with the global minimum. Its Objective is at most 1e-12 of Total, or
	// rounding, above the true one. MinMembership, MaxSumError, Repair and SpanError are 0.
	Certificate

	// Lambda and Epsilon are of FitMinVolume's penalty λ/2·Σ log(σ_i² + ε), on what Volume says; otherwise 0.
	Lambda, Epsilon float64
	Volume          Volume
	// Slack is what λ was chosen by: how far the error may be above the floor, as a share of it. With a
	// Lambda, with k fixed centers, and for other functions, 0.
	Slack      float64
	Sum        Sum       // what the rows of Memberships, and those of Predict, add up to
	Warnings   []Warning // reasons to look closer; nil: none
	Others     []Answer  // other answers, of which a warning tells; nil: none
	Iterations int       // at the λ of the result; for Fit, steps of SolverKrylov and its proof, or 0
	// Stationarity says how steep the loss still is where an iteration stopped: 0 at a minimum, a saddle and
	// for [Fit]. To first order no move of the centers by a share s of ‖F‖ lowers the loss by more than
	// s·Stationarity·Objective. A run of FitAlternating that ends by Tol has √(1000·Tol) at most, 0.1 by
	// default. More than 1, as on columns of very different scale, is still on its way.
	Stationarity float64
	Status       Status    // why it stopped
	Trace        []float64 // the objective with its penalty after every iteration; nil for Fit
}

// Fit finds the global minimum of ‖X − GF‖² over G ≥ 0, G1 = 1: soft k-means. Pass the samples in the rows
// of x (n×d) and k; nil options are the defaults. Read Centers F (k×d) and Memberships G (n×k); Gap says how
// far the result is above the minimum.
//
// The minimum is Σ_{i≥k} σ_i(X − 1x̄ᵀ)² (Theorem 1). Every simplex in the principal subspace that encloses
// the data attains it. Fit returns a regular one, so its centers usually lie outside of the data. k is at
// most 2^24, with Weights 2^15. k may be above n or d: the minimum is then 0, and for k−1 above both the
// simplex is the shadow of a regular one. Package enclosure has a smaller simplex, and the cone of
// SumAtMostOne.
//
// Results are bit-identical for any number of workers, except FloorError of SolverKrylov. x is neither
// changed nor copied. If a column of a [*SparseMatrix] is far from 0 in all rows, products cancel, and
// FloorError is as wide as the rounding of x with its mean: subtract a constant from such columns before.
//
// Fit reads the options Weights, Enclosure, Orientation, Solver and Workers. Cost: see [Solver]; O(ndk) for
// projection, memberships and objective. A step of SolverKrylov over z stored entries takes O((z + n + d)(k +
// 8) + (n + d)(k + 8)²). Memory: n·k + O(min(n, d)² + d·k) floats and blocks of rows. Errors: [ErrShape],
// [ErrNonFinite], [ErrRange], [ErrTooFewSamples], [ErrOption]; and ctx's, wrapped, within one pass over x.
func Fit(ctx context.Context, x Samples, k int, opts *Options) (*Model, error) {
	o := orZero(opts)
	err := cmp.Or(o.only("Fit", "Weights", "Enclosure", "Solver", "Orientation"), checkFit(k, &o))
	if o.Sum == SumAtMostOne {
		err = fail(ErrOption, "Sum is at most one, which Fit does not take: enclosure.Cone does")
	}
	if err != nil {
		return nil, err
	}
	if m, ok := x.(*Matrix); ok {
		o.Workers = payingWorkers(o.Workers, m, k)
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
	if err = checkShape("x", m); err == nil {
		err = cmp.Or(checkNewRows(m.Rows, m.Cols, centers), checkRange(openEnded(0), "x", m))
	}
	if err != nil {
		return 0, err
	}
	return m.Rows, nil
}

func (m *Matrix) mix(by parallelism, p *simplexProblem, dst *Matrix) error {
	return p.solve(by, dst, m)
}

// leastShared is the least work of a fit with more than one worker, as payingWorkers counts it: 1 to 3 ms. A
// thread that slept takes tens of microseconds to wake up, and every pass waits for it.
const leastShared = 1 << 23

// payingWorkers returns asked, or 1 where more do not pay. It counts multiplications, n·d·(min(n, d) + 2k)
// and nk² for memberships. To read a number, or to write a membership, counts as fifty.
func payingWorkers(asked int, x *Matrix, k int) int {
	if asked < 0 || x == nil { // errors, for newSamples
		return asked
	}
	n, d, c := float64(x.Rows), float64(x.Cols), float64(k)
	if n*d*(min(n, d)+2*c+50)+n*c*(c+50) < leastShared {
		return 1
	}
	return asked
}

// rate sets the certificate of m, by an upper bound of the objective in scaled units. Where SolverKrylov has
// missed a direction, as a pair below its floor shows, the floor is what SolverGram finds.
func (m *Model) rate(x rows, objective float64, pc *principal) error {
	pc, err := pc.above(x, objective)
	if err == nil {
		m.Certificate = compareWithFloor(x.data(), objective, pc)
	}
	return err
}

// Labels returns the cluster of each row that the model was fitted to: Clusters, or without
// these the largest membership, the lowest index on ties. dst receives the result; nil
// allocates, and a wrong length panics. [Model.PredictLabels] labels new rows.
//
// [FitMinVolume] and [FitAlternating] set Clusters, unless ctx ends. From the largest memberships each row
// goes to the nearest mean of a cluster, until no row moves or for 20 steps. The distance is shorter in
// directions in which the clusters are wide. Labels from k-means, and after swaps, move in the same way,
// unless an Init is given or the mixture is exact: those whose clusters are most even in size and overlap
// least are taken. Clusters have the numbers of the prototypes with which they share most rows. The result is
// empty without Memberships, as of a model file: give the rows to PredictLabels then.
func (m *Model) Labels(dst []int) []int {
	if len(m.Clusters) == 0 {
		return largest(dst, m.Memberships)
	}
	dst = labelsOf(dst, len(m.Clusters))
	copy(dst, m.Clusters)
	return dst
}

// PredictLabels returns the labels of the rows of x (n×d), by the rule of [Model.Labels]: the nearest of
// ClusterMeans by ClusterAxes, the lowest index where distances agree to rounding; without ClusterMeans the
// largest membership of [Model.Predict]. dst receives the result; nil allocates, and a wrong length panics.
// Cost: O(ndk), of sparse rows O(k) a stored entry, or that of Predict. Errors: those of Predict; on an error
// dst is unchanged.
func (m *Model) PredictLabels(dst []int, x Samples) ([]int, error) {
	if m.ClusterMeans != nil {
		out := dst
		err := m.score(x, func(n int) scored {
			out = labelsOf(dst, n)
			return labelling(out)
		})
		if err != nil {
			return nil, err
		}
		return out, nil
	}
	g, err := m.Predict(nil, x)
	if err != nil {
		return nil, err
	}
	return largest(dst, g), nil
}

// ClusterProbabilities returns how likely each cluster is for the rows of x (n×d): n×k, rows that add up to
// 1. It tells how sure the labels of [Model.PredictLabels] are; a membership, a part of a mixture, does not.
// With ClusterWeights w, ClusterMeans m, ClusterAxes A, ClusterSpread s and ClusterDoubt v it returns
//
//	(1−v)·w_j·exp(−‖A(x−m_j)‖²/2s²) / Σ_i w_i·exp(−‖A(x−m_i)‖²/2s²) + v·w_j.
//
// They are calibrated if the clusters are right. dst receives the result; nil allocates, it may be x itself,
// and a wrong shape panics. Cost and errors: those of PredictLabels; [ErrOption] without ClusterWeights.
func (m *Model) ClusterProbabilities(dst *Matrix, x Samples) (*Matrix, error) {
	w, v := m.ClusterWeights, m.ClusterDoubt
	if m.ClusterMeans == nil || w == nil {
		return nil, fail(ErrOption, "the model has no cluster weights")
	}
	out := dst
	err := m.score(x, func(n int) scored {
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
	if err != nil {
		return nil, err
	}
	return out, nil
}

// score checks x and the model, and calls the function that begin returns for n rows: see scored.
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

// checkFitted returns an error if the model has no centers, or some out of range.
func (m *Model) checkFitted() error {
	if m.Centers != nil {
		if err := checkMatrix("centers", m.Centers, mostCenter); err != nil || m.Centers.Rows > 0 {
			return err
		}
	}
	return fail(ErrTooFewSamples, "the model has no centers")
}

// solveRows gives the rows of the list their nearest mixture of the centers. It copies 8 MB at a time.
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
// It begins with labels, which it overwrites. lead are leading directions of the rows, or nil. quick leaves
// out all other starts.
func (m *Model) label(x rows, labels []int, lead *Matrix, quick bool) error {
	q, err := findClusters(x, labels, m.Centers, lead, quick)
	if err == nil {
		err = x.nearest(labels, q.means, q.axes)
	}
	if err == nil {
		m.ClusterMeans, m.ClusterAxes, m.Clusters = q.means, q.axes, labels
		m.ClusterWeights, m.ClusterSpread, m.ClusterDoubt = make([]float64, q.means.Rows), q.spread, q.doubt
		for i, j := range labels {
			m.ClusterWeights[j] += x.data().weight(i)
		}
		scale(m.ClusterWeights, 1/sumOf(m.ClusterWeights))
	}
	return err
}

// Check returns an error unless the model's parts fit together, as those of a fit do: matrices of finite
// numbers with a row or a column for each center, labels, a Solver and a Status that there are. Parts that
// are nil fit.
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

// checkPart returns an error for a matrix that is not nil and not in range.
func checkPart(name string, m *Matrix) error {
	if m == nil {
		return nil
	}
	return checkMatrix(name, m, mostCenter)
}

// checkMeans returns an error unless there is a mean for each center, with axes of its length, or neither.
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
		return fail(ErrOption, "the model's cluster weights, spread or doubt are not those of a fit")
	case c == nil || f != nil && c.Rows == f.Rows && c.Cols == f.Cols:
		return nil
	case f == nil:
		return fail(ErrShape, "the model has cluster means without centers")
	}
	return fail(ErrShape,
		"the model has centers of "+shape(f.Rows, f.Cols)+" and cluster means of "+shape(c.Rows, c.Cols))
}

// checkAxes returns an error unless the axes are as fits leave them: entries of an axis add
// up to at most 1 in size, so that products with data are in range.
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

// Predict returns the memberships (n×k) of new rows x (n×d), in the units of those that the
// model was fitted to: the least ‖x − Σg_j·center_j‖² over g ≥ 0, Σg = 1 (at most 1, if Sum
// says so). dst receives the result; nil allocates, and it may be x itself.
//
// On the rows of the fit these are its Memberships, to some 1e-11 where the centers are affinely independent,
// and to 1e-6 otherwise. There are many then: of centers that equal ClusterMeans the result has those of the
// nearest centers, of others those of least norm. A mean beyond 1e6 times the spread costs digits.
//
// Cost: O(ndk), and O(k²) a row and support tried; of sparse rows O(k) a stored entry, unless the centers
// are nearer to each other than to 0. Errors: [ErrShape], [ErrNonFinite], [ErrRange], [ErrTooFewSamples]
// without centers; on an error dst is unchanged. A dst of a wrong shape panics.
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

// local reports whether the centers are means of clusters, as of far more centers than directions. Of the
// least-squares memberships the model then has those of the nearest centers.
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

// checkNewRows returns an error unless rows of that shape can be compared with the centers.
func checkNewRows(rows, cols int, centers *Matrix) error {
	k := centers.Rows
	if cols != centers.Cols {
		return fail(ErrShape,
			"x has "+strconv.Itoa(cols)+" columns, the centers have "+strconv.Itoa(centers.Cols))
	}
	return cmp.Or(checkSize("the result", rows, k), checkSize("the centers' Gram matrix", k+1, k+1))
}

func (x *SparseMatrix) checkNew(centers *Matrix) (n int, err error) {
	if err := x.check("x"); err != nil {
		return 0, err
	}
	if err := checkNewRows(x.Rows, x.Cols, centers); err != nil {
		return 0, err
	}
	for i := range x.Rows {
		if big, finite := rowMaxAbs(x.Data[x.Indptr[i]:x.Indptr[i+1]]); !finite || big > mostEntry {
			return 0, x.entryError(i, 0)
		}
	}
	return x.Rows, nil
}
