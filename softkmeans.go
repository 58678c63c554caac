package softkmeans

// The global solution of soft k-means: F. Nie, H. Chen, R. Wang and X. Li, On the Global Solution of Soft
// k-Means, Algorithm 1 and Theorem 1, for samples in rows (the paper has them in columns):
//
//	minimise ‖X − GF‖²  subject to  G ≥ 0, G1 = 1.
//
// Relaxed to G1 = 1 this is principal component analysis; every simplex in the principal
// subspace that encloses the projected data then attains the relaxed minimum with G ≥ 0.

import (
	"context"
	"math"
	"strconv"
)

// Model is a fitted soft k-means model: X ≈ Memberships·Centers. Read those two, Gap for the
// distance from the minimum, and Labels for clusters. Fields survive encoding/json; a Model
// with nothing but Centers is ready for Predict.
type Model struct {
	Centers     *Matrix // F, k×d: a prototype a row
	Memberships *Matrix // G, n×k: at least 0, rows adding up to 1 (to at most 1, if Sum says so)
	// ClusterMeans (k×d), of FitMinVolume and FitAlternating: row j is the weighted mean of cluster j, or its
	// center if the cluster is empty. ClusterAxes (p×d) is the metric: x and y are ‖ClusterAxes·(x−y)‖ apart;
	// nil: the plain distance. With RowsUnit both are nil, and labels are the largest membership.
	ClusterMeans *Matrix
	ClusterAxes  *Matrix
	Clusters     []int // n: the cluster of each row, which [Model.Labels] returns; nil: not found
	// Certificate compares the pair with the global minimum. Its Objective is at most 1e-12 of Total, or
	// rounding, above the true one. MinMembership, MaxSumError, Repair and SpanError are 0.
	Certificate

	// Lambda and Epsilon are of FitMinVolume's penalty λ/2·Σ log(σ_i² + ε), on what Volume says; otherwise 0.
	Lambda, Epsilon float64
	Volume          Volume
	Sum             Sum // what the rows of Memberships, and those of Predict, add up to
	// LossGap, of FitMinVolume, MinVolumePath and Unmix, is a share of Total. The loss, error plus penalty,
	// the last of Trace, is at most so much above the least that any centers and memberships have for this
	// Lambda, Epsilon and Volume: that is proved, rounding included. Where rows were scaled all of this is
	// of the scaled rows. 0: none, or not known, as where a context ended the fit.
	LossGap  float64
	Warnings []Warning // of FitAlternating, FitMinVolume and Unmix: reasons to look closer; nil: none
	// Others has other answers, of which WarnSeveral or WarnLabels tells; nil: none. The
	// binary form is without them, and without Missing, Noise, RowWeights, PureRows and Turns.
	Others  []Answer
	Missing int // of missing.Fit: how many entries were missing; Objective is of those present

	Rows Rows // how FitMinVolume and Unmix scaled the rows: RowsUnit, or RowsAuto (0) for as given
	// Shade is for RowsUnit the brightness s of each row: X ≈ diag(s)·G·F, where s_i·g_i ≥ 0
	// has least squares. Objective is of that, and Floor of SumAtMostOne. nil otherwise.
	Shade   []float64
	Trimmed []int // the rows that Trim or Unmix left out of the fit, rising; nil: none
	// Noise, of Unmix, is the noise of each column as a multiple of the median, by which the fit divided
	// them. RowWeights is how much each row counted, of [0, 1]. nil: all alike.
	Noise, RowWeights []float64
	// PureRows, of Unmix, says on how many nearly pure rows each center rests. Turns is the angle, in percent
	// of π, that it stays within at half or twice of λ, and mostly on half of the rows: see [Unmix].
	PureRows, Turns []float64

	Iterations int // at the λ of the result; for Fit, steps of SolverKrylov and its proof, otherwise 0
	// Stationarity says how steep the loss still is where an iteration stopped: 0 at a minimum, a saddle and
	// for [Fit]. To first order no move of the centers by a share s of ‖F‖ lowers the loss by more than
	// s·Stationarity·Objective. A run of FitAlternating that ends by Tol has √(1000·Tol) at most, 0.1 by
	// default. More than 1, as on columns of very different scale, is still on its way.
	Stationarity float64
	Status       Status    // why it stopped
	Trace        []float64 // the objective with its penalty after every iteration; nil for Fit
}

// Samples is what fits take: a table with a sample in each row, a [*Matrix] or a [*SparseMatrix], whose zeros
// need not be stored, and nothing else. Unmix takes no SparseMatrix so far.
type Samples interface {
	// open checks the rows, their weights and the options, and finds the units and the mean.
	open(ctx context.Context, o *Options, weights []float64, centred bool) (dataset, error)
	// mix writes the memberships that m predicts for the rows to dst, or to a new matrix.
	mix(m *Model, dst *Matrix) (*Matrix, error)
}

// sparseTable has methods of SparseMatrix that functions find by a type assertion; else they take a Matrix.
// So TinyGo leaves SparseMatrix out of programs that have none.
type sparseTable interface {
	// openVolume opens the rows for a fit of k centers by iteration.
	openVolume(ctx context.Context, k int, o *MinVolumeOptions) (*samples, error)
	// label sets dst, which it allocates if nil, to the index of the nearest mean of q for each row.
	label(dst []int, q metric) ([]int, error)
}

// openSamples opens x, which may be nil.
func openSamples(
	ctx context.Context, x Samples, o *Options, weights []float64, centred bool,
) (dataset, error) {
	if x == nil {
		return nil, fail(ErrShape, "x is nil")
	}
	return x.open(ctx, o, weights, centred)
}

// matrixOf returns x as a Matrix, or an error that names the function, which does not take sparse rows.
func matrixOf(x Samples, function string) (*Matrix, error) {
	if x == nil {
		return nil, nil // which is an error of its own
	}
	if m, ok := x.(*Matrix); ok {
		return m, nil
	}
	return nil, fail(ErrOption,
		function+" does not take sparse rows so far: SparseMatrix.Dense fills them in")
}

// mostFilledIn is how many entries filledIn fills in: 1 GB of them.
const mostFilledIn = 1 << 27

// filledIn returns x with all its zeros. More than mostFilledIn entries are an error that names the function.
func filledIn(x Samples, function string) (*Matrix, error) {
	sparse, ok := x.(*SparseMatrix)
	switch {
	case !ok:
		return matrixOf(x, function)
	case sparse == nil:
		return nil, nil
	}
	if float64(sparse.Rows)*float64(sparse.Cols) > mostFilledIn {
		return nil, fail(ErrShape, function+" fills in sparse rows, and x would have more than 2^27 entries")
	}
	return sparse.Dense()
}

// Fit finds the global minimum of ‖X − GF‖² over G ≥ 0, G1 = 1: soft k-means. Pass the
// samples in the rows of x (n×d) and k, and nil for the defaults. Read Centers F (k×d) and
// Memberships G (n×k); Gap says how far the result is above the minimum.
//
// The minimum is Σ_{i≥k} σ_i(X − 1x̄ᵀ)² (Theorem 1). Every simplex in the principal subspace that
// encloses the data attains it. Fit returns a regular one, so its centers usually lie outside of the data.
// k is at most 2^24, with Weights 2^15. It may be above n or d, where the minimum is 0; for
// k−1 above them the simplex is the shadow of a regular one. The bits are the same on every call on one
// kind of machine, for any number of workers, but for FloorError of SolverKrylov. x is neither changed nor
// copied.
//
// Fit reads the options Weights, Enclosure, Workers, Solver and Orientation. Package enclosure has the
// simplex of small volume, and memberships that add up to at most 1.
//
// The zeros of a [*SparseMatrix] are not filled in unless half of all entries are stored. Where a column is
// far from 0 in all rows, as years are, or weights differ by many powers of ten, products cancel: FloorError,
// Gap and ExcessShare are as wide as the rounding of x with its mean. Subtract a constant from such columns
// before. SolverAuto takes the Gram matrix for min(n, d) up to 1024 and SolverKrylov beyond, whose proof
// has random vectors (see [Model].FloorError). SolverJacobi takes no sparse rows.
//
// Cost: see [Solver]; O(ndk) for projection, memberships and objective. A step of SolverKrylov over z stored
// entries takes O((z + n + d)(k + 8)) and O((n + d)(k + 8)²), 10 to 60 times as a rule. Memory: n·k +
// O(min(n, d)²) + O(d·k) floats and blocks of rows. Errors: [ErrShape], [ErrNonFinite], [ErrRange],
// [ErrTooFewSamples], [ErrOption]; and ctx's, wrapped, within one pass over x.
func Fit(ctx context.Context, x Samples, k int, opts *Options) (*Model, error) {
	o := opts // a copy of a struct with padding would hide constants from TinyGo
	if o == nil {
		o = &Options{}
	}
	if o.Sum == SumAtMostOne {
		return nil, fail(ErrOption, "Sum is at most one, which enclosure.Cone fits")
	}
	if err := o.only("Fit", "Weights", "Enclosure", "Solver", "Orientation"); err != nil {
		return nil, err
	}
	return o.fit(ctx, x, k, o.Weights, o.Solver)
}

// fit returns the global solution. Weights and the solver are arguments of their own:
// where a program calls Fit with constants, TinyGo leaves out the code for the others.
func (o *Options) fit(
	ctx context.Context, x Samples, k int, weights []float64, solver Solver,
) (*Model, error) {
	if err := checkFit(k, o); err != nil {
		return nil, err
	}
	t, err := openFit(ctx, x, k, o, weights)
	if err != nil {
		return nil, err
	}
	m, err := o.solve(t, k, weights, solver)
	t.data().space.free()
	return m, err
}

// openFit opens x for a fit, which does not take more workers than pay.
func openFit(
	ctx context.Context, x Samples, k int, o *Options, weights []float64,
) (dataset, error) {
	if m, ok := x.(*Matrix); ok { // not by its method open: TinyGo leaves out more where it knows the type
		return openMatrix(ctx, m, weights, payingWorkers(o.Workers, m, k), true)
	}
	return openSamples(ctx, x, o, weights, true)
}

// solve returns the global solution for rows about their mean. The options are checked.
func (o *Options) solve(x dataset, k int, weights []float64, solver Solver) (*Model, error) {
	s := x.data()
	if err := checkSizeOfK(k, k, max(s.n, s.d)); err != nil {
		return nil, err
	}
	if weights != nil {
		if err := checkSquareOfK(k); err != nil { // of the problem of rows of weight 0
			return nil, err
		}
	}
	pc, err := x.principal(wanted{s.directions(k, SumToOne), 0}, solver, toFit)
	if err != nil {
		return nil, err
	}
	m := &Model{Iterations: pc.steps}
	m.Memberships = NewMatrix(s.n, k, nil)
	e, err := placeSimplex(x, m.Memberships, pc.basis, o)
	if err != nil {
		return nil, err
	}
	m.Centers, m.Status = simplexCenters(s, e, pc.basis), pc.status
	if weights != nil {
		if err := x.solveRows(m.Centers, m.Memberships, SumToOne, s.zeroWeights()); err != nil {
			return nil, err
		}
	}
	objective, ok := pc.projectedObjective(s, e)
	if !ok {
		if objective, err = x.objective(m.Centers, m.Memberships, SumToOne); err != nil {
			return nil, err
		}
	}
	return m.rate(s, objective, pc)
}

// Samples of a Matrix are a dataset.

func (s *samples) data() *samples { return s }

func (s *samples) principal(q wanted, solver Solver, why purpose) (*principal, error) {
	return findLeading(s, q, solver, why)
}

func (s *samples) objective(f, g *Matrix, sum Sum) (float64, error) { return objectiveOf(s, f, g, sum) }

func (s *samples) solveRows(centers, g *Matrix, sum Sum, rows []int) error {
	return solveRows(s, centers, g, sum, rows)
}

func (s *samples) floors(most int, sum Sum) ([]float64, error) {
	values, total, err := squaredSingularValues(s)
	if err != nil {
		return nil, err
	}
	all := floorsOf(s.units, values, total)[directionsOf(1, sum):]
	if most > 0 {
		all = all[:min(most, len(all))]
	}
	return all, nil
}

func (m *Matrix) open(ctx context.Context, o *Options, weights []float64, centred bool) (dataset, error) {
	return openMatrix(ctx, m, weights, o.Workers, centred)
}

// openMatrix returns samples whose passes share their scratch space.
func openMatrix(
	ctx context.Context, m *Matrix, weights []float64, workers int, centred bool,
) (*samples, error) {
	s, err := newSamples(ctx, m, weights, workers, centred)
	if err != nil {
		return nil, err
	}
	s.space = newWorkspace()
	return s, nil
}

func (m *Matrix) mix(model *Model, dst *Matrix) (*Matrix, error) {
	if model.Rows != RowsUnit {
		return SimplexLeastSquares(dst, m, model.Centers, &Options{Sum: model.Sum})
	}
	if err := checkNewSamples(m, model.Centers); err != nil {
		return nil, err
	}
	dst = destination(dst, m.Rows, model.Centers.Rows)
	return dst, coneShares(context.Background(), workerCount(0), dst, nil, m, model.Centers)
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

// rate returns m with what compares an upper bound of the objective, in scaled units, with the floor.
func (m *Model) rate(s *samples, objective float64, pc *principal) (*Model, error) {
	if err := pc.check(s, objective); err != nil {
		return nil, err
	}
	m.Certificate = compareWithFloor(s, objective, pc)
	return m, nil
}

// check returns an error if a feasible pair has an objective, given from above, below the floor that pc
// proves. Where SolverKrylov has missed a direction, and the rows are at hand, pc becomes what SolverGram
// finds.
func (pc *principal) check(s *samples, objective float64) error {
	if gramOnly && !goroutines || !(objective < pc.floor-pc.floorError-underflow) { // for TinyGo's size
		return nil
	}
	if gramOnly || !goroutines || pc.solver != SolverKrylov || s.x == nil && s.far == nil {
		return fail(ErrChanged, "a solution is below the floor: rows changed, or SolverKrylov missed some")
	}
	var x dataset = s
	if s.far != nil {
		x = s.far.(dataset)
	}
	next, err := x.principal(wanted{pc.basis.Rows, 0}, SolverGram, toCertify)
	if err != nil {
		return err
	}
	*pc = *next
	return pc.check(s, objective)
}

// Labels returns the cluster of each row that the model was fitted to: Clusters, or without
// these the largest membership, the lowest index on ties. dst receives the result; nil
// allocates, and a wrong length panics. [Model.PredictLabels] labels new rows.
//
// [FitMinVolume] and [FitAlternating] set Clusters, but for rows of RowsUnit, and unless ctx ends. From
// the largest memberships, poor labels of a cluster between others, each row goes to the nearest mean of a
// cluster, until no row moves or for 20 steps. The distance is shorter in directions in which the clusters
// are wide. Labels from up to 16 runs of k-means move in the same way, and those whose clusters are most
// even in size and overlap least are taken. Their numbers are those by which they share most rows with the
// prototypes. A fit with an Init other than InitAuto and an exact mixture have the labels of their
// memberships alone. The result is empty without Memberships, as of FitSeq or of a model file: give the
// rows to PredictLabels then.
func (m *Model) Labels(dst []int) []int {
	if m.Clusters == nil {
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
		err := firstError(m.checkFitted(),
			checkMatrix("cluster means", m.ClusterMeans, mostCenter), m.checkMeans())
		if err != nil {
			return nil, err
		}
		q := metric{m.ClusterMeans, m.ClusterAxes}
		if sparse, ok := x.(sparseTable); ok {
			return sparse.label(dst, q)
		}
		rows, _ := x.(*Matrix)
		return nearest(dst, rows, q)
	}
	g, err := m.Predict(nil, x)
	if err != nil {
		return nil, err
	}
	return largest(dst, g), nil
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

// label sets the model's clusters, with their means and axes, for its samples, or returns the context's
// error. lead are leading directions of these, or nil. quick leaves out all starts but the memberships.
func (m *Model) label(s *samples, lead *Matrix, quick bool) error {
	labels := largest(nil, m.Memberships)
	q, err := findClusters(s, labels, m.Centers, lead, quick)
	if err != nil {
		return err
	}
	if s.far != nil {
		err = s.far.(labelRows).nearest(labels, q)
	} else {
		err = q.nearest(s.ctx, s.workers, labels, s.x)
	}
	if err == nil {
		m.ClusterMeans, m.ClusterAxes, m.Clusters = q.means, q.axes, labels
	}
	return err
}

// checkMeans returns an error unless there is a mean for each center, with axes of its length, or neither.
func (m *Model) checkMeans() error {
	c, f := m.ClusterMeans, m.Centers
	if m.ClusterAxes != nil {
		if err := m.checkAxes(); err != nil {
			return err
		}
	}
	switch {
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

// Nearest returns the index of the nearest center for each row of x (n×d), the lowest where distances agree
// to rounding. Centers may lie outside of the data, where this says little: [Model.PredictLabels] takes means
// of clusters. dst receives the result; nil allocates, and a wrong length panics. Cost: O(ndk). Errors: those
// of [Model.Predict]; on an error dst is unchanged.
func (m *Model) Nearest(dst []int, x *Matrix) ([]int, error) {
	if err := m.checkFitted(); err != nil {
		return nil, err
	}
	return nearest(dst, x, metric{means: m.Centers})
}

// nearest returns for each row of x the nearest mean of q, whose vectors are checked.
func nearest(dst []int, x *Matrix, q metric) ([]int, error) {
	if err := checkNewSamples(x, q.means); err != nil {
		return nil, err
	}
	dst = labelsOf(dst, x.Rows)
	return dst, q.nearest(context.Background(), workerCount(0), dst, x)
}

// checkNewSamples returns an error unless x has rows for the centers, with entries in range.
func checkNewSamples(x, centers *Matrix) error {
	err := checkShape("x", x)
	if err == nil {
		err = checkNewRows(x.Rows, x.Cols, centers)
	}
	if err == nil {
		_, err = largestEntry(context.Background(), "x", x, workerCount(0))
	}
	return err
}

// Predict returns the memberships (n×k) of new rows x (n×d), in the units of those that the
// model was fitted to: the least ‖x − Σg_j·center_j‖² over g ≥ 0, Σg = 1 (at most 1, if Sum
// says so). dst receives the result; nil allocates, and it may be x itself.
//
// On the rows of the fit these are its Memberships, to some 1e-11 where the centers are affinely independent,
// and to 1e-6 otherwise (the memberships of least norm). A mean beyond 1e6 times the spread costs digits.
// With RowsUnit g is a/Σa for the a ≥ 0 with the least ‖x − Σa_j·center_j‖; 1/k each where a is 0.
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
	return x.mix(m, dst)
}

// checkNewRows returns an error unless rows of that shape can be compared with the centers.
func checkNewRows(rows, cols int, centers *Matrix) error {
	k := centers.Rows
	if cols != centers.Cols {
		return fail(ErrShape,
			"x has "+strconv.Itoa(cols)+" columns, the centers have "+strconv.Itoa(centers.Cols))
	}
	return firstError(checkSize("the result", rows, k), checkSize("the centers' Gram matrix", k+1, k+1))
}
