package softkmeans

// The global solution of soft k-means: F. Nie, H. Chen, R. Wang and X. Li, On
// the Global Solution of Soft k-Means, Algorithm 1 and Theorem 1, for samples in
// rows (the paper has them in columns):
//
//	minimise ‖X − GF‖²  subject to  G ≥ 0, G1 = 1.
//
// Relaxed to G1 = 1 this is principal component analysis; every simplex in the
// principal subspace that encloses the projected data then attains the relaxed
// minimum with G ≥ 0.

import (
	"context"
	"math"
	"strconv"
)

// Model is a fitted soft k-means model: X ≈ Memberships·Centers. All fields
// are exported and survive encoding/json; a Model with nothing but Centers is
// ready for Predict.
type Model struct {
	// Centers are F, k×d: a prototype a row. Near the ends of the float64 range they
	// cannot be where they should: they stop at math.MaxFloat64 (Fit then says
	// StatusOutOfRange; FitAlternating and FitMinVolume have no other minimum to name, and
	// say how their iterations ended), and those of denormal data are whole multiples of
	// 2^-1074. Gap has what that costs.
	Centers     *Matrix
	Memberships *Matrix // G, n×k: at least 0, rows adding up to 1 (to at most 1, if Sum says so)
	// Objective is ‖X − GF‖², weighted if weights were given, computed from
	// the X, G and F themselves. Like Floor and Total it is in squared units of
	// the data, 0 where that is below the range of float64 and
	// math.MaxFloat64 where it is above.
	Objective float64
	// Floor is the global minimum of the objective for this X and k,
	// Σ_{i≥k} σ_i² over the singular values σ of the centred data. With
	// SumAtMostOne it is Σ_{i>k} σ_i² of the data as it is, a lower bound that
	// need not be reached.
	Floor float64
	// FloorError bounds by how much the true minimum may exceed Floor (it
	// never does exceed Objective, but for rounding). Direct solvers state
	// their rounding, about min(n, d)·2^-52·Total. SolverKrylov subtracts from
	// Floor what the residuals of its Ritz vectors leave open, and states that
	// here; that bound takes for granted that the random start block was not
	// orthogonal to a leading direction or, where the iteration stopped at its
	// limit, that of 16 random vectors one is not nearly so (2e-10).
	FloorError float64
	Total      float64 // ‖X − 1x̄ᵀ‖², weighted: the objective for k = 1; ‖X‖² with SumAtMostOne
	Gap        float64 // (Objective − Floor)/Total, also where these are out of range

	// Lambda and Epsilon are the penalty's, as used by FitMinVolume: λ/2 times
	// Σ log(σ_i² + ε), on what Volume says. 0 for the other methods.
	Lambda, Epsilon float64
	Volume          Volume
	Sum             Sum       // what the rows of Memberships, and those of Predict, add up to
	Warnings        []Warning // what FitAlternating and FitMinVolume found to look at; nil: nothing

	Solver     Solver    // the solver that gave the result
	Iterations int       // of the run that gave the result; for Fit, steps of SolverKrylov, otherwise 0
	Status     Status    // why it stopped
	Trace      []float64 // the objective with its penalty after every iteration; nil for Fit
}

// Fit returns a global minimum of ‖X − GF‖² over G ≥ 0, G1 = 1: centers F (k×d)
// and memberships G (n×k) for the samples in the rows of x (n×d). k may be
// anything from 1 up, also above n or d, where the minimum is 0: up to 2³¹ − 2, and as
// far as there is memory, the end of which Go cannot tell in advance. x is read, never
// changed and never copied.
//
// The minimum is proved, not searched for: the objective equals
// Σ_{i≥k} σ_i(X − 1x̄ᵀ)² (Theorem 1), reported as Floor beside Objective. It is
// attained by many (F, G), one for each orientation and size of the simplex;
// Fit returns a regular one that encloses the data, so its centers usually lie
// outside of it. The result is the same, to the bit, on every call on one kind
// of machine, for any number of workers.
//
// Cost: see [Solver], and O(ndk) for projection, memberships and objective,
// O(d·min(k, d)²) for the basis; n·k + O(min(n, d)²) + O(d·k) floats of memory,
// and for every worker a block of 24 to 480 rows, or columns of wide data. Errors: [ErrShape],
// [ErrNonFinite], [ErrTooFewSamples], [ErrOption]; and ctx's, wrapped, within one
// pass over x.
func Fit(ctx context.Context, x *Matrix, k int, opts *Options) (*Model, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	return fit(ctx, x, k, o.Weights, o.Solver, &o)
}

// fit is Fit. What most of the code depends on comes as arguments: where a program
// calls Fit with constants, as nil for weights, a compiler for small programs
// sees through them and leaves out the rest.
func fit(ctx context.Context, x *Matrix, k int, weights []float64, solver Solver, o *Options) (*Model, error) {
	if err := checkFit(k, o); err != nil {
		return nil, err
	}
	s, err := newSamples(ctx, x, weights, o.Workers, true)
	if err != nil {
		return nil, err
	}
	if !addressable(s.n, k) || !addressable(k, s.d) {
		return nil, fail(ErrOption, "k is "+strconv.Itoa(k)+" for data of "+shape(s.n, s.d)+": the result is too large to address")
	}
	if weights != nil && !addressable(k+1, k+1) { // rows of weight 0 are solved for, see settleZeroWeights
		return nil, fail(ErrOption, "k is "+strconv.Itoa(k)+", too large for data with weights")
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
	c, err := compareWithFloor(s, m.Centers, m.Memberships, pc, false)
	if err != nil {
		return nil, err
	}
	m.Objective, m.Floor, m.FloorError, m.Total, m.Gap = c.Objective, c.Floor, c.FloorError, c.Total, c.Gap
	return m, nil
}

// Labels returns the cluster with the largest membership for each row of
// Memberships, the lowest index on ties: none where these are nil, as FitSeq leaves
// them. (&Model{Memberships: g}).Labels(nil) has those of any memberships. dst receives them; nil allocates. It panics if dst is
// not as long as Memberships has rows.
func (m *Model) Labels(dst []int) []int { return largest(dst, m.Memberships) }

// largest returns the column of the largest entry of each row of g, the lowest
// on ties.
func largest(dst []int, g *Matrix) []int {
	n := 0
	if g != nil {
		n = g.Rows
	}
	if dst == nil {
		dst = make([]int, n)
	}
	if len(dst) != n {
		panic("softkmeans: dst has length " + strconv.Itoa(len(dst)) + " for " + strconv.Itoa(n) + " rows")
	}
	for i := range dst {
		dst[i] = 0
		row := g.Row(i)
		for j, v := range row {
			if v > row[dst[i]] {
				dst[i] = j
			}
		}
	}
	return dst
}

// Nearest returns for each row of x (n×d) the index of the nearest center, the
// lowest where distances agree to rounding: hard labels as k-means gives them, where [Model.Labels] takes
// the largest membership. The two differ where a cluster lies between others, as
// a mixture of them: Labels then gives it away. Rows may be new ones.
//
// dst receives the result; nil allocates, a wrong length panics. Cost: O(ndk).
// Errors: those of [Model.Predict]; on an error dst is unchanged.
func (m *Model) Nearest(dst []int, x *Matrix) ([]int, error) {
	if m.Centers == nil {
		return nil, fail(ErrTooFewSamples, "the model has no centers")
	}
	if err := checkMatrix("centers", m.Centers); err != nil {
		return nil, err
	}
	if m.Centers.Rows == 0 {
		return nil, fail(ErrTooFewSamples, "the model has no centers")
	}
	if err := checkShape("x", x); err != nil {
		return nil, err
	}
	if x.Cols != m.Centers.Cols {
		return nil, fail(ErrShape, "x has "+strconv.Itoa(x.Cols)+" columns, the centers have "+strconv.Itoa(m.Centers.Cols))
	}
	if k := m.Centers.Rows; !addressable(x.Rows, 1) || k >= math.MaxInt32 || !addressable(k+1, k+1) {
		return nil, fail(ErrShape, strconv.Itoa(k)+" centers for "+strconv.Itoa(x.Rows)+" rows: too large to address")
	}
	ctx, workers := context.Background(), workerCount(0)
	if _, err := largestEntry(ctx, "x", x, workers); err != nil {
		return nil, err
	}
	if dst == nil {
		dst = make([]int, x.Rows)
	}
	if len(dst) != x.Rows {
		panic("softkmeans: dst has length " + strconv.Itoa(len(dst)) + " for " + strconv.Itoa(x.Rows) + " rows")
	}
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
			for j, v := range row { // coincident centers come out a rounding error apart
				if v-half[j] > row[dst[i]]-half[dst[i]]+float64(p.d+4)*0x1p-52*max(size, half[j]) {
					dst[i] = j
				}
			}
		}
	})
	return dst, err
}

// Predict returns the memberships (n×k) of the rows of x (n×d): for each the
// exact minimiser of ‖x − Σg_j·center_j‖² over g ≥ 0, Σg = 1, as
// [SimplexLeastSquares] finds it. On the rows that the model was fitted to
// these are its Memberships, to rounding: to some 1e-11 where the centers are
// affinely independent, to 1e-6 where they are not (k > d+1, or all rows equal)
// and both choose the memberships of least norm. A mean further than 1e6 times
// the spread from 0 takes digits of the centers and so of this agreement, as do
// centers that had to stop at math.MaxFloat64.
//
// dst receives the result; nil allocates, a wrong shape panics, and dst may be
// x itself. Errors: [ErrShape], [ErrNonFinite], [ErrTooFewSamples] without
// centers; on an error dst is unchanged.
func (m *Model) Predict(dst, x *Matrix) (*Matrix, error) {
	if m.Centers == nil {
		return nil, fail(ErrTooFewSamples, "the model has no centers")
	}
	g, _, err := SimplexLeastSquares(dst, x, m.Centers, &SimplexOptions{Sum: m.Sum})
	return g, err
}
