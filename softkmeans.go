package softkmeans

// The global solution of soft k-means: F. Nie, H. Chen, R. Wang and X. Li, On
// the Global Solution of Soft k-Means, Algorithm 1 and Theorem 1, for samples in
// rows (the paper has them in columns):
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

// Model is a fitted soft k-means model: X ≈ Memberships·Centers. All fields are exported
// and survive encoding/json; a Model with nothing but Centers is ready for Predict.
type Model struct {
	Centers     *Matrix // F, k×d: a prototype a row
	Memberships *Matrix // G, n×k: at least 0, rows adding up to 1 (to at most 1, if Sum says so)
	// Objective is ‖X − GF‖², weighted if weights were given, computed from X, G and F
	// themselves. Like Floor and Total it is in squared units of the data, and
	// math.MaxFloat64 where weights or the number of rows take it out of range.
	Objective float64
	// Floor is the global minimum of the objective for this X and k, Σ_{i≥k} σ_i² over the
	// singular values σ of the centred data. With SumAtMostOne it is Σ_{i>k} σ_i² of the
	// data as it is, a lower bound that need not be reached.
	Floor float64
	// FloorError says how far the true minimum may be from Floor. Direct solvers state
	// min(n, d)·2^-52·Total, which covers their rounding, on either side, in all tests;
	// it is not a worst case.
	//
	// SolverKrylov's Floor is a lower bound, but for that much rounding. What the residuals
	// of its Ritz vectors leave open is subtracted from Floor and added to FloorError, so
	// that the minimum is at most Floor + FloorError. A converged bound assumes that the
	// random start block was not orthogonal to a leading direction. One that stopped at
	// its limit assumes that of 16 random vectors one is not nearly so, which fails with
	// probability 2e-10.
	FloorError float64
	Total      float64 // ‖X − 1x̄ᵀ‖², weighted: the objective for k = 1; ‖X‖² with SumAtMostOne
	Gap        float64 // (Objective − Floor)/Total

	// Lambda and Epsilon are the penalty's, as used by FitMinVolume: λ/2 times
	// Σ log(σ_i² + ε), on what Volume says. 0 for the other methods.
	Lambda, Epsilon float64
	Volume          Volume
	Sum             Sum       // what the rows of Memberships, and those of Predict, add up to
	Warnings        []Warning // of FitAlternating and FitMinVolume: reasons to look closer; nil: none

	Solver     Solver    // the solver that gave the result
	Iterations int       // of the run that gave the result; for Fit, steps of SolverKrylov, otherwise 0
	Status     Status    // why it stopped
	Trace      []float64 // the objective with its penalty after every iteration; nil for Fit
}

// Fit returns a global minimum of ‖X − GF‖² over G ≥ 0, G1 = 1: centers F (k×d) and
// memberships G (n×k) for the samples in the rows of x (n×d). k is from 1 to 2³¹ − 2. It may
// be above n or d, where the minimum is 0. Fit does not change or copy x.
//
// The minimum is in closed form: Σ_{i≥k} σ_i(X − 1x̄ᵀ)² (Theorem 1), which Floor reports.
// Many (F, G) attain it, one for each orientation and size of the simplex. Fit returns a
// regular simplex that encloses the data, so its centers usually lie outside of it. The
// result has the same bits on every call on one kind of machine, for any number of workers.
//
// Cost: see [Solver]; O(ndk) for projection, memberships and objective, and O(d·min(k, d)²)
// for the basis. Memory: n·k + O(min(n, d)²) + O(d·k) floats, and for every worker a block
// of 24 to 480 rows, or columns of wide data. Errors: [ErrShape], [ErrNonFinite],
// [ErrRange], [ErrTooFewSamples], [ErrOption]; and ctx's, wrapped, within one pass over x.
func Fit(ctx context.Context, x *Matrix, k int, opts *Options) (*Model, error) {
	o := orZero(opts)
	return o.fit(ctx, x, k, o.Weights, o.Solver)
}

// fit is Fit. Weights and solver are arguments of their own: where a program calls Fit
// with constants, such as nil for weights, TinyGo leaves out the code for the others.
func (o *Options) fit(ctx context.Context, x *Matrix, k int, weights []float64, solver Solver) (*Model, error) {
	if err := checkFit(k, o); err != nil {
		return nil, err
	}
	s, err := newSamples(ctx, x, weights, o.Workers, true)
	if err != nil {
		return nil, err
	}
	if err := checkSizeOfK(k, k, max(s.n, s.d)); err != nil {
		return nil, err
	}
	if weights != nil {
		if err := checkSizeOfK(k, k+1, k+1); err != nil { // see solveZeroWeights
			return nil, err
		}
	}
	p := min(k-1, s.d)
	pc, err := findPrincipal(s, p, solver)
	if err != nil {
		return nil, err
	}
	m := &Model{Solver: pc.solver, Iterations: pc.steps}
	m.Memberships = NewMatrix(s.n, k, nil)
	e, err := placeSimplex(s, m.Memberships, pc.basis, k, o)
	if err != nil {
		return nil, err
	}
	m.Centers, m.Status = simplexCenters(s, e, pc.basis), pc.status
	if weights != nil {
		if err := solveZeroWeights(s, m.Centers, m.Memberships, SumToOne); err != nil {
			return nil, err
		}
	}
	objective, err := objectiveOf(s, m.Centers, m.Memberships, nil)
	if err != nil {
		return nil, err
	}
	m.rate(s, objective, pc)
	return m, nil
}

// rate sets what compares the objective, in scaled units, with the floor.
func (m *Model) rate(s *samples, objective float64, pc *principal) {
	c := compareWithFloor(s, objective, pc, m.Centers.Rows)
	m.Objective, m.Floor, m.FloorError, m.Total, m.Gap = c.Objective, c.Floor, c.FloorError, c.Total, c.Gap
}

// Labels returns the cluster with the largest membership for each row of Memberships, the
// lowest index on ties. The result is empty where Memberships is nil, as FitSeq leaves it.
// (&Model{Memberships: g}).Labels(nil) labels any memberships. dst receives the result;
// nil allocates, and a wrong length panics.
func (m *Model) Labels(dst []int) []int { return largest(dst, m.Memberships) }

// largest returns the column of the largest entry of each row of g, the lowest on ties.
func largest(dst []int, g *Matrix) []int {
	n := 0
	if g != nil {
		n = g.Rows
	}
	dst = labelsOf(dst, n)
	for i := range dst {
		dst[i] = argmax(g.Row(i))
	}
	return dst
}

// labelsOf returns dst, or new labels where dst is nil. It panics if they are not n.
func labelsOf(dst []int, n int) []int {
	if dst == nil {
		dst = make([]int, n)
	}
	if len(dst) != n {
		panic("softkmeans: dst has length " + strconv.Itoa(len(dst)) + " for " + strconv.Itoa(n) + " rows")
	}
	return dst
}

// checkFitted is an error for a model without centers, or with some that are out of range.
func (m *Model) checkFitted() error {
	if m.Centers == nil || m.Centers.Rows == 0 {
		return fail(ErrTooFewSamples, "the model has no centers")
	}
	return checkMatrix("centers", m.Centers)
}

// Nearest returns for each row of x (n×d) the index of the nearest center, the lowest
// where distances agree to rounding. These are hard labels as k-means has them;
// [Model.Labels] takes the largest membership. The two differ where a cluster lies between
// others: its samples are mixtures of these, and Labels gives them to a neighbour. Rows may
// be new ones.
//
// dst receives the result; nil allocates, and a wrong length panics. Cost: O(ndk).
// Errors: those of [Model.Predict]; on an error dst is unchanged.
func (m *Model) Nearest(dst []int, x *Matrix) ([]int, error) {
	if err := firstError(m.checkFitted(), checkShape("x", x)); err != nil {
		return nil, err
	}
	k := m.Centers.Rows
	switch {
	case x.Cols != m.Centers.Cols:
		return nil, fail(ErrShape, "x has "+strconv.Itoa(x.Cols)+" columns, the centers have "+strconv.Itoa(m.Centers.Cols))
	case k >= math.MaxInt32:
		return nil, fail(ErrShape, strconv.Itoa(k)+" centers are too many")
	}
	if err := firstError(checkSize("the labels", x.Rows, 1), checkSize("the centers' Gram matrix", k+1, k+1)); err != nil {
		return nil, err
	}
	ctx, workers := context.Background(), workerCount(0)
	if _, err := largestEntry(ctx, "x", x, workers); err != nil {
		return nil, err
	}
	dst = labelsOf(dst, x.Rows)
	clear(dst)
	p := newSimplexProblem(m.Centers, SumToOne)
	if p.flat {
		return dst, nil
	}
	half := make([]float64, p.k)
	for j := range half {
		half[j] = sumSquares(p.vertices.row(j)) / 2
	}
	err := eachBlock(ctx, workers, chunking{x.Rows, p.d, manyChunks}, p.d+p.k, func(at block) {
		b := p.products(at, x)
		for i := at.lo; i < at.hi; i++ {
			row := b[(i-at.lo)*p.k:][:p.k]
			size, _ := rowMaxAbs(row)
			for j, v := range row { // rounding keeps coincident centers apart
				if v-half[j] > row[dst[i]]-half[dst[i]]+float64(p.d+4)*0x1p-52*max(size, half[j]) {
					dst[i] = j
				}
			}
		}
	})
	return dst, err
}

// Predict returns the memberships (n×k) of the rows of x (n×d): for each the exact
// minimiser of ‖x − Σg_j·center_j‖² over g ≥ 0, Σg = 1 (at most 1, if Sum says so), as
// [SimplexLeastSquares] finds it. The labels of these rows are
// (&Model{Memberships: g}).Labels(nil).
//
// Rows must be in the units of those that the model was fitted to, scaled by the same
// numbers where those were. On the rows that the model was fitted to these are its
// Memberships: to some 1e-11 where the centers are affinely independent. Where they are not
// (k > d+1, or all rows equal) both choose the memberships of least norm, and agree to
// 1e-6. A mean further than 1e6 times the spread from 0 costs digits of the centers, and so
// of this agreement.
//
// dst receives the result; nil allocates, a wrong shape panics, and dst may be x itself.
// Errors: [ErrShape], [ErrNonFinite], [ErrRange], [ErrTooFewSamples] without centers; on an
// error dst is unchanged.
func (m *Model) Predict(dst, x *Matrix) (*Matrix, error) {
	if err := m.checkFitted(); err != nil {
		return nil, err
	}
	g, _, err := SimplexLeastSquares(dst, x, m.Centers, &SimplexOptions{Sum: m.Sum})
	return g, err
}
