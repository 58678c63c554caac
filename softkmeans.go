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

// Solver is the way in which [Fit] finds the principal subspace. All ways
// reach the same minimum; they differ in time and in the digits of small
// singular values. With m = min(n, d) and M = max(n, d):
type Solver int

const (
	// SolverAuto takes the cheapest: SolverKrylov where m > 512 and sixteen of its
	// steps take less time than SolverGram, by measured speeds where m(1 + 3m/M) ≥
	// 144(k+7), and SolverGram otherwise. Where Krylov's steps turn out not
	// to do, on spectra that do not fall, SolverGram follows, at up to twice the time.
	// SolverJacobi follows where m ≤ 512 and the floor is below 1e-9 of the total, of
	// which the Gram matrix has lost digits. It is the default.
	SolverAuto Solver = iota
	// SolverGram takes eigenvectors of the m×m matrix XcᵀXc or XcXcᵀ:
	// Mm² + 4m³/3. Squares below 2^-52 of the largest are lost, so a floor below
	// 1e-14 of the total is rounding.
	SolverGram
	// SolverJacobi takes the QR factorization, block by block, and the
	// singular values of R by one-sided Jacobi: 2Mm² + 50m³. Small singular
	// values keep their digits.
	SolverJacobi
	// SolverKrylov is block Krylov iteration for k−1 vectors: 4nd(k+7) a step.
	// Its Floor is a bound (see Model.FloorError).
	SolverKrylov
)

// String returns "auto", "gram", "jacobi" or "krylov".
func (s Solver) String() string {
	switch s {
	case SolverAuto:
		return "auto"
	case SolverGram:
		return "gram"
	case SolverJacobi:
		return "jacobi"
	case SolverKrylov:
		return "krylov"
	}
	return "Solver(" + strconv.Itoa(int(s)) + ")"
}

// Status says why a computation stopped.
type Status int

const (
	// StatusNone is the zero value: nothing was computed.
	StatusNone Status = iota
	// StatusOptimal: the global minimum, in closed form, but for the rounding of
	// centers to float64.
	StatusOptimal
	// StatusConverged: an iteration met its tolerance.
	StatusConverged
	// StatusIterationLimit: an iteration reached its limit; the result is the
	// best so far, and usable.
	StatusIterationLimit
	// StatusCancelled: the context ended; the result is the best so far.
	StatusCancelled
	// StatusOutOfRange: the global minimum asks for centers beyond the range of
	// float64, since the data ends near it. They stopped at math.MaxFloat64, and the
	// objective is above the floor: by Gap, which Fit and FitSeq measure on the centers
	// that are left. Subspace.Model has no rows to do so: its objective and gap are
	// those of the centers that were asked for.
	StatusOutOfRange
)

// String returns the status in words.
func (s Status) String() string {
	switch s {
	case StatusNone:
		return "none"
	case StatusOptimal:
		return "optimal"
	case StatusConverged:
		return "converged"
	case StatusIterationLimit:
		return "iteration limit"
	case StatusCancelled:
		return "cancelled"
	case StatusOutOfRange:
		return "out of range"
	}
	return "Status(" + strconv.Itoa(int(s)) + ")"
}

// Options tunes [Fit] and [FitSeq]. The zero value and nil are the defaults.
type Options struct {
	// Weights has a weight ≥ 0 for every row; nil: all 1. A weight of 2 is the
	// row given twice, a weight of 0 a row that does not count (its memberships
	// are its nearest mixture of the centers). Sums of squares lose what is below
	// 1e-308 of the largest weight times the largest entry's square, and so their
	// digits where nothing else is left.
	Weights   []float64
	Enclosure Enclosure // EnclosureBall (the default) or EnclosureTight
	Workers   int       // 0: GOMAXPROCS. The result's bits do not depend on it.
	Solver    Solver    // SolverAuto (the default), SolverGram, SolverJacobi, SolverKrylov
	// Orientation is a (k−1)×(k−1) orthogonal matrix Q that turns the simplex,
	// B → BQ; nil: none. Every Q gives another global optimum: minus the
	// identity the mirror image, RandomOrientation an arbitrary one.
	Orientation *Matrix

	// What follows is for FitSeq; Fit does not look at it.

	// Memberships receives those of rows first, first+1, … (n×k), in the order of
	// the rows; g is its to keep. It costs one pass more. Its error ends
	// the fit, and is wrapped.
	Memberships func(first int, g *Matrix) error
	// Progress is called after every block, on the goroutine of the caller; nil: not.
	Progress func(Pass)
	// Passes is how many SolverKrylov may make, without that for Memberships: at
	// least 4; 0: 30.
	Passes int
}

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
	if !fits(s.n, k) || !fits(k, s.d) {
		return nil, fail(ErrOption, "k is "+strconv.Itoa(k)+" for data of "+shape(s.n, s.d)+": the result is too large to address")
	}
	if weights != nil && !fits(k+1, k+1) { // rows of weight 0 are solved for, see settleZeroWeights
		return nil, fail(ErrOption, "k is "+strconv.Itoa(k)+", too large for data with weights")
	}
	p := min(k-1, s.d)
	pc, err := s.principal(p, solver)
	if err != nil {
		return nil, err
	}
	m := &Model{Solver: pc.solver, Iterations: pc.steps}
	m.Memberships = NewMatrix(s.n, k, nil)
	e, err := s.place(m.Memberships, pc.basis, k, o)
	if err != nil {
		return nil, err
	}
	m.Centers, m.Status = s.centers(e, pc)
	if weights != nil {
		if err := s.settleZeroWeights(m); err != nil {
			return nil, err
		}
	}
	c, err := s.compare(m.Centers, m.Memberships, pc, nil)
	if err != nil {
		return nil, err
	}
	m.Objective, m.Floor, m.FloorError, m.Total, m.Gap = c.Objective, c.Floor, c.FloorError, c.Total, c.Gap
	return m, nil
}

// checkK is for all that is found for k centers, which are indexed by 32 bits. Where
// int has no more, what k is multiplied by tells.
func checkK(k int) error {
	switch {
	case k < 1:
		return fail(ErrOption, "k is "+strconv.Itoa(k)+", below 1")
	case math.MaxInt > math.MaxInt32 && k >= math.MaxInt32:
		return fail(ErrOption, "k is "+strconv.Itoa(k)+", too large")
	}
	return nil
}

func checkFit(k int, o *Options) error {
	if err := checkK(k); err != nil {
		return err
	}
	switch {
	case o.Enclosure != EnclosureBall && o.Enclosure != EnclosureTight:
		return fail(ErrOption, "Enclosure is "+o.Enclosure.String())
	case o.Solver < SolverAuto || o.Solver > SolverKrylov:
		return fail(ErrOption, "Solver is "+o.Solver.String())
	case gramOnly && o.Solver > SolverGram:
		return fail(ErrOption, "Solver is "+o.Solver.String()+", which this build is without")
	}
	q := o.Orientation
	if q == nil {
		return nil
	}
	if err := checkMatrix("Orientation", q); err != nil {
		return err
	}
	if q.Rows != k-1 || q.Cols != k-1 {
		return fail(ErrShape, "Orientation is "+shape(q.Rows, q.Cols)+", k−1 is "+strconv.Itoa(k-1))
	}
	for i := range k - 1 {
		for j := range i + 1 {
			want := 0.0
			if i == j {
				want = 1
			}
			if !(math.Abs(dot(q.row(i), q.row(j))-want) <= 1e-10) {
				return fail(ErrOption, "Orientation is not orthogonal: rows "+strconv.Itoa(i)+" and "+strconv.Itoa(j))
			}
		}
	}
	return nil
}

// place projects the data on the basis (p×d), W = XcU, encloses it, and leaves
// the memberships in g (n×k). The projections wait in g's own rows for the
// enclosure to be known: W needs no storage.
func (s *samples) place(g, basis *Matrix, k int, o *Options) (*enclosure, error) {
	normals := normalsOf(k, basis.Rows, o.Orientation)
	ext, err := s.project(g, basis, normals, o.Enclosure)
	if err != nil {
		return nil, err
	}
	e := enclose(o.Enclosure, normals, ext)
	return e, s.mixtures(g, basis.Rows, e)
}

// project leaves the projections W on the basis (p×d) in the first p columns of g
// and returns what an enclosure must know of them.
func (s *samples) project(g, basis, normals *Matrix, kind Enclosure) (*extent, error) {
	p := basis.Rows
	extents, facets := make([]extent, s.productChunks(manyChunks)), NewMatrix(s.productChunks(manyChunks), normals.Rows, nil)
	for c := range extents {
		extents[c].facets = facets.row(c)
	}
	// Erratum: Algorithm 1, lines 2 and 6, print the singular vectors of X and
	// UᵀX. Both must be of the centred data, as Theorem 1 has it; with the
	// printed ones the objective is not minimal, and G can be negative.
	err := s.eachProduct(basis, manyChunks, false, func(at block, w Matrix) {
		for c := range p {
			for i, v := range w.row(c) {
				g.row(at.lo + i)[c] = v
			}
		}
		for i := at.lo; i < at.hi; i++ { // one of weight 0 is packed as 0, which no extent is without
			extents[at.chunk].add(g.row(i)[:p], normals, kind)
		}
	})
	for c := range extents[1:] {
		extents[0].merge(&extents[c+1])
	}
	return &extents[0], err
}

// mixtures overwrites the rows of g, which begin with p projections, with their
// coordinates in the enclosure.
func (s *samples) mixtures(g *Matrix, p int, e *enclosure) error {
	coordinates := e.coordinates()
	return s.eachBlock(s.n, g.Cols, manyChunks, g.Cols, func(at block) {
		w := at.scratch[:p]
		for i := at.lo; i < at.hi; i++ {
			copy(w, g.row(i))
			coordinates.of(g.row(i), w)
		}
	})
}

// centers returns the vertices of the enclosure in the data's units: for the
// ball f_j = x̄ + (k−1)r·U·u_j, which is s·BUᵀ + 1x̄ᵀ of Algorithm 1, line 5. The status is
// that of pc, unless they are no minimum since they had to stop at the end of the range by
// more than a rounding error.
func (s *samples) centers(e *enclosure, pc *principal) (*Matrix, Status) {
	k, status := e.normals.Rows, pc.status
	f := NewMatrix(k, s.d, nil)
	for j := range k {
		row := f.row(j)
		copy(row, s.mean)
		for c, u := range e.normals.row(j) {
			axpy(row, e.centre[c]+float64(k-1)*e.radius*u, pc.basis.row(c))
		}
		for i, v := range row {
			row[i] = clampFinite(math.Ldexp(v, s.exp))
			if status == StatusOptimal && math.IsInf(math.Ldexp(v*(1-0x1p-50), s.exp), 0) {
				status = StatusOutOfRange
			}
		}
	}
	return f, status
}

// clampFinite keeps prototypes of data near the end of the float64 range
// finite.
func clampFinite(v float64) float64 {
	return min(max(v, -math.MaxFloat64), math.MaxFloat64)
}

// settleZeroWeights gives rows of weight 0, which the centers were found
// without, their nearest mixture of these.
func (s *samples) settleZeroWeights(m *Model) error {
	if s.weights == nil {
		return nil
	}
	var problem *simplexProblem
	for i := range s.n {
		if s.weight(i) > 0 { // as scaled: one below 2^-1074 of the largest is 0
			continue
		}
		if problem == nil {
			problem = newSimplexProblem(m.Centers, m.Sum)
		}
		one, x := rowsOf(m.Memberships, i, i+1), &Matrix{Rows: 1, Cols: s.d, Stride: s.d, Data: s.x.row(i)}
		if _, err := problem.solve(s.ctx, one, x, nil, 1); err != nil {
			return err
		}
	}
	return nil
}

// objective returns ‖X − GF‖², weighted, in scaled units, from the numbers that
// f and g hold: the first result times 2^exp. x − Fᵀg is summed as
// (x − x̄) − Σg_j(f_j − x̄) + (1 − Σg_j)x̄, which is the same and does not cancel
// when the mean is far from 0. far has the residuals of rows for which that is not
// enough, as foreign f and g may have them; nil: none.
func (s *samples) objective(f, g *Matrix, far []farResidual) (total float64, exp int, err error) {
	k := f.Rows
	shifted := NewMatrix(k+1, s.d, nil) // and the mean
	copy(shifted.row(k), s.mean)
	for j := range k {
		out := shifted.row(j)
		for i, v := range f.row(j) {
			out[i] = math.Ldexp(v, -s.exp) - s.mean[i]
		}
	}
	for i, r := range far {
		if v := math.Sqrt(s.weight(i)) * r.length; v > 0 {
			_, top := math.Frexp(v)
			exp = max(exp, top+r.exp)
		}
	}
	// What a row is compared with: the centers that it has a part of, and the
	// mean if its memberships do not add up to 1.
	type mixed struct {
		coef  []float64
		index []int
	}
	less := math.Ldexp(1, -2*exp)
	sums := make([]float64, chunks(s.n, s.d, manyChunks))
	own := make([]mixed, min(s.workers, len(sums))) // Workers may be any number
	err = s.eachBlock(s.n, s.d, manyChunks, s.d, func(at block) {
		rows := at.scratch[:(at.hi-at.lo)*s.d]
		s.pack(rows, at.lo, at.hi, false)
		mix := &own[at.worker]
		part := 0.0
		for i := at.lo; i < at.hi; i++ {
			if s.weight(i) == 0 {
				continue
			}
			if far != nil && far[i].is {
				v := math.Ldexp(math.Sqrt(s.weight(i))*far[i].length, far[i].exp-exp)
				part += v * v
				continue
			}
			mix.coef, mix.index = mix.coef[:0], mix.index[:0]
			missing := 1.0
			for j, v := range g.row(i) {
				missing -= v
				if v != 0 {
					mix.coef, mix.index = append(mix.coef, -v), append(mix.index, j)
				}
			}
			if missing != 0 {
				mix.coef, mix.index = append(mix.coef, missing), append(mix.index, k)
			}
			r := rows[(i-at.lo)*s.d:][:s.d]
			addRows(r, mix.coef, mix.index, shifted.Data)
			part += s.weight(i) * sumSquares(r) * less
		}
		sums[at.chunk] += part
	})
	for _, v := range sums {
		total += v
	}
	return total, 2 * exp, err
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
	if k := m.Centers.Rows; !fits(x.Rows, 1) || k >= math.MaxInt32 || !fits(k+1, k+1) {
		return nil, fail(ErrShape, strconv.Itoa(k)+" centers for "+strconv.Itoa(x.Rows)+" rows: too large to address")
	}
	ctx, workers := context.Background(), workerCount(0)
	if _, err := finiteMax(ctx, "x", x, workers); err != nil {
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
	err := eachBlock(ctx, workers, x.Rows, p.d, manyChunks, p.d+p.k, func(at block) {
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
