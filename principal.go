package softkmeans

// The principal subspace and the floor, by the solver that suits.

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
)

// principal contains the singular values and vectors of centred data that Fit and Certify use, in scaled
// units.
type principal struct {
	basis      *Matrix   // Uᵀ, p×d, orthonormal rows: leading right singular vectors
	leading    *Matrix   // basis and the directions after it, about as many as were asked for
	squares    []float64 // squared singular values: all, or from SolverKrylov the p leading ones
	after      float64   // from SolverKrylov: at most the next square; see next
	floor      float64   // Σ_{i>p} σ_i²
	floorError float64   // bounds the distance of floor from the true number, on either side
	total      float64   // ‖Xc‖²
	totalError float64   // bounds the distance of total from ‖Xc‖²
	solver     Solver
	steps      int
	status     Status
}

// Floors and squared singular values of at most roundedFloor times the total count as rounding.
const roundedFloor = 1e-14

// rank returns the number of squares above rounding: the rank of the samples, or len(squares).
func (pc *principal) rank(s *samples) (r int) {
	for _, v := range pc.squares[:min(len(pc.squares), s.rankBound())] {
		if v > roundedFloor*pc.total {
			r++
		}
	}
	return r
}

// rows are the rows of a fit: *samples of a Matrix, or *sparseSamples.
type rows interface {
	// data returns the shape, the units, the weights and the mean.
	data() *samples
	// gram returns the smaller of XcᵀXc and XcXcᵀ, and a bound of its error, both in the trace and in the
	// Frobenius norm.
	gram() (gram *Matrix, off float64, err error)
	// totalSquares returns ‖Xc‖² and a bound of its error.
	totalSquares() (total, off float64, err error)
	// changeBasis sets the first columns of z to the coordinates of the rows less the mean in a basis.
	changeBasis(z, basis *Matrix) error
	// varying returns the number of columns with different entries in rows of positive weight.
	varying() int
	// multiplyT returns YᵀXc (b×d), weighted, for Yᵀ (b×n).
	multiplyT(yt *Matrix) (*Matrix, error)
	// measure adds all rows less their mean to left.
	measure(left *outside) error
	// objective returns an upper bound of ‖X − GF‖² in scaled units.
	objective(f, g *Matrix, sum Sum) (float64, error)
	// chosen returns a copy of the rows in list, with all their zeros.
	chosen(list []int) *Matrix
	// nearest sets dst to the index of the mean nearest to each row along the axes; nil: in all directions.
	nearest(dst []int, means, axes *Matrix) error
}

// Samples is the input of a fit, one sample per row: only [*Matrix] and [*SparseMatrix] implement it.
type Samples interface {
	// open checks the rows, their weights and the options, and finds the units and the mean. Sparse rows are
	// expanded if their sides are not much larger than the given number of directions.
	open(ctx context.Context, o *Options, centred bool, directions int) (rows, error)
	// checkNew returns the number of rows, or an error if they cannot be compared with the centers.
	checkNew(centers *Matrix) (n int, err error)
	// mix sets dst to the solutions of p for the rows. It assumes that the rows are in range.
	mix(by parallelism, p *simplexProblem, dst *Matrix) error
	// score calls fn for each row with its scores by means along the axes (see scored in labels.go). Entries
	// are in range.
	score(by parallelism, means, axes *Matrix, fn func(i, nearest int, scores []float64, exp int)) error
}

func (m *Matrix) open(ctx context.Context, o *Options, centred bool, _ int) (rows, error) {
	return newSamples(ctx, m, o.Weights, o.Workers, centred)
}

// openSamples opens x, which may be nil. The passes over x share their scratch space.
func openSamples(ctx context.Context, x Samples, o *Options, centred bool) (rows, error) {
	if x == nil {
		return nil, fail(ErrShape, "x is nil")
	}
	t, err := x.open(ctx, o, centred, 0)
	if err == nil {
		t.data().space = newWorkspace()
	}
	return t, err
}

// openFor checks the options of a function that reads the named ones, and opens x.
func openFor(ctx context.Context, x Samples, o *Options, function string, reads ...string) (rows, error) {
	err := cmp.Or(o.only(function, reads...), checkEnum("Solver", o.Solver, solverCount),
		checkEnum("Sum", o.Sum, sumCount), checkCount("MostK", o.MostK))
	if err != nil {
		return nil, err
	}
	return openSamples(ctx, x, o, o.Sum == SumToOne)
}

// lostShare times the total is the least floor with enough digits from the Gram matrix.
const lostShare = 1e-9

// The limits of SolverAuto, on min(n, d).
//
// Up to jacobiMaxSide SolverJacobi follows if the Gram matrix left too few digits of the floor. For a side of
// jacobiMaxSide it takes a few seconds.
//
// Beyond sparseGramSide the eigenvectors of the Gram matrix of sparse rows take a second or more.
//
// Up to mostGramSide three matrices of 32 MB are affordable. Certify then takes a solver without random
// vectors.
const (
	jacobiMaxSide  = 512
	sparseGramSide = 1024
	mostGramSide   = 2048
)

// purpose is the use of a principal subspace.
type purpose int

const (
	toFit     purpose = iota // directions, and a floor
	toCertify                // a floor; if affordable, from a solver without random vectors
)

// choice lists the solvers to try: first, and then the solver `then` if first does not converge or loses too
// many digits. The two may be equal.
type choice struct {
	first, then Solver
	steps       int // of SolverKrylov
}

// chooseSolver returns the solvers to try for p leading directions of rows whose sides are small and large:
// the solver asked for, or the choice of SolverAuto.
func chooseSolver(asked Solver, sparse bool, why purpose, p, small, large int) choice {
	steps := defaultKrylovSteps
	krylov := small > sparseGramSide
	if !sparse {
		steps = min(steps, krylovSteps(p, small, large))
		krylov = small > jacobiMaxSide && steps >= fewestKrylovSteps
	}
	switch gramAffordable := small <= mostGramSide; {
	case asked != SolverAuto:
		return choice{asked, asked, defaultKrylovSteps}
	case sparse && !gramAffordable:
		return choice{SolverKrylov, SolverKrylov, steps}
	case krylov && !(gramAffordable && why == toCertify):
		return choice{SolverKrylov, SolverGram, steps}
	case !sparse && small <= jacobiMaxSide:
		return choice{SolverGram, SolverJacobi, 0}
	}
	return choice{SolverGram, SolverGram, 0}
}

const krylovTol = 1e-13 // SolverKrylov proves the floor to this fraction of the total

// wanted asks for p leading directions, and for more directions, which need not have converged.
type wanted struct{ p, more int }

func (q wanted) all() int { return q.p + q.more }

// principalOf returns the q.p ≤ d leading right singular vectors, the floor, and further directions in
// principal.leading. If the data has fewer directions, others complete the basis.
func principalOf(x rows, q wanted, solver Solver, why purpose) (*principal, error) {
	s := x.data()
	small, large := s.sides()
	dense, _ := x.(*samples)
	c := chooseSolver(solver, dense == nil, why, q.p, small, large)
	if c.first == SolverKrylov {
		hasty := dense != nil && c.then != SolverKrylov
		pc, err := principalByKrylov(x, q, krylovOptions{steps: c.steps, hasty: hasty})
		if err != nil || pc.status == StatusOptimal || c.then == SolverKrylov {
			return pc, err
		}
	}
	if c.first == SolverJacobi {
		return principalByJacobi(dense, q)
	}
	pc, err := principalByGram(x, q)
	if err == nil && c.first != c.then && c.then == SolverJacobi &&
		0 < q.p && q.p < s.rankBound() && pc.floor < lostShare*pc.total {
		return principalByJacobi(dense, q)
	}
	return pc, err
}

// krylovSteps returns the number of steps in which SolverKrylov takes the time of SolverGram, for m = min(n,
// d) and M = max(n, d). SolverAuto tries no more steps.
//
// The Gram matrix takes Mm² operations. Its eigenvectors take 4m³/3 at a third or half of the speed. A step
// takes 4Mm(p+8) at half of the speed, and twice as long on wide data. Together that is m(1 + 3m/M)/(9(p+8))
// steps. Measured for m from 600 to 2000, this number was 0.4–1.3 times as large with SIMD, and 1.1–2.3 times
// without. Falling spectra take about 10 steps, spectra of noise 60 or more.
//
// From the fifth step on, SolverAuto stops if the bound falls too slowly, and takes SolverGram. The lost time
// is then a third of SolverGram's time, at worst all of it.
func krylovSteps(p, small, large int) int {
	m := float64(small)
	return int(m * (1 + 3*m/float64(large)) / float64(9*(p+krylovExtra)))
}

// fewestKrylovSteps is the least krylovSteps for which SolverAuto tries SolverKrylov: about twice the number
// of steps of falling spectra. SolverAuto thus tries SolverKrylov if m > 512 and m(1 + 3m/M) ≥ 144(p+8).
const fewestKrylovSteps = 16

// tailSum adds up values[p:], smallest first. Negative values come from rounding and count as 0.
func tailSum(values []float64, p int) (sum float64) {
	for i := len(values) - 1; i >= p; i-- {
		sum += max(values[i], 0)
	}
	return sum
}

// floorsOf returns tailSum(values, p) for p from 0 on, in the units of the data. The first is total if that
// is larger.
func floorsOf(u units, values []float64, total float64) []float64 {
	floors := make([]float64, len(values)+1)
	var sum float64
	for i := len(values) - 1; i > 0; i-- {
		sum += max(values[i], 0)
		floors[i] = u.unscaleSquare(sum)
	}
	if len(values) > 0 {
		floors[0] = u.unscaleSquare(max(total, sum))
	}
	return floors
}

// trace returns the sum of the diagonal.
func trace(m *Matrix) (sum float64) {
	for i := range m.Rows {
		sum += m.row(i)[i]
	}
	return sum
}

// principalByGram finds the directions from eigenvectors of the smaller Gram matrix.
func principalByGram(x rows, q wanted) (*principal, error) {
	gram, off, err := x.gram()
	if err != nil {
		return nil, err
	}
	pc, rows, err := principalOfGram(x.data(), gram, q, off)
	if err != nil {
		return nil, err
	}
	pc.lowerTotal()
	return pc, pc.setBasis(x, rows, q)
}

// lowerTotal replaces total by the lower bound total − totalError if totalError is more than 2^-31 of total.
// If the floor is then above total, it becomes total.
func (pc *principal) lowerTotal() {
	if pc.totalError <= pc.total*0x1p-31 {
		return
	}
	pc.total = max(0, pc.total-pc.totalError)
	if over := pc.floor - pc.total; over > 0 {
		pc.floor, pc.floorError = pc.total, pc.floorError+over
	}
}

// principalOfGram finds the principal directions from the Gram matrix, which it overwrites. off bounds the
// error of the matrix, as in byGram. principalOfGram returns leading eigenvectors in place of a basis.
func principalOfGram(s *samples, gram *Matrix, q wanted,
	off float64) (pc *principal, rows *Matrix, err error) {
	p := q.p
	pc = &principal{solver: SolverGram, status: StatusOptimal, total: trace(gram)}
	pc.totalError = off + gamma(gram.Rows)*pc.total
	proved := 0 < p && p < s.rankBound()
	var kept *Matrix
	if proved {
		kept = gram.Clone()
	}
	pc.squares, rows = leadingEigen(s.ctx, gram, min(q.all(), gram.Rows), s.workers)
	switch {
	case p == 0:
		pc.floor, pc.floorError = pc.total, pc.totalError
	case proved:
		pc.floor = min(tailSum(pc.squares, p), pc.total)
		pc.floorError = pc.byGram(s, kept, rowsOf(rows, 0, p), pc.squares, off)
	}
	return pc, rows, cancelled(s.ctx)
}

// byGram returns a bound of the distance between pc.floor and the true floor. The bound is proved by gram,
// which byGram overwrites, and by rows, approximations of its leading eigenvectors.
//
// off bounds the error E of the matrix: the error of its trace, and ‖E‖_F. Therefore the sum of the p leading
// eigenvalues is off by at most √p·off (|tr QE| ≤ ‖Q‖_F‖E‖_F for a projector Q).
func (pc *principal) byGram(s *samples, gram, rows *Matrix, values []float64, off float64) float64 {
	total := trace(gram)
	sum, open := leadingSum(s.ctx, gram, rows, values, s.workers)
	open += math.Abs(total - sum - pc.floor)
	return min(gamma(gram.Rows)*total+(1+math.Sqrt(float64(rows.Rows)))*off+open, total+off)
}

// gram returns the Gram matrix about mean + rest (see meanRest), and a bound of its error. If X is wide, the
// rest requires another pass over X. If the rest of the mean changes the trace by no more than rounding, gram
// saves this pass, and adds the change to the bound.
func (s *samples) gram() (gram *Matrix, off float64, err error) {
	if gram, err = gramMatrix(s); err != nil {
		return nil, 0, err
	}
	if apart := ofRest(s, trace(gram)); s.wide() && apart <= 0x1p-52*trace(gram) {
		off = apart
	} else if err = recentre(s, gram); err != nil {
		return nil, 0, err
	}
	return gram, off + gramError(s, trace(gram)) + s.fine.bound(trace(gram)), nil
}

// recentre changes the Gram matrix about mean to the matrix about mean + rest: from XcᵀXc it subtracts
// Σw·rest·restᵀ.
func recentre(s *samples, gram *Matrix) error {
	rest := s.fine.rest
	if s.fine.squares() == 0 {
		return nil
	}
	left, right := rest, slices.Clone(rest)
	if s.wide() { // (x − r)(x' − r)ᵀ = xx'ᵀ − y − y' for y = xrᵀ − ‖r‖²/2
		y, err := multiply(s, NewMatrix(1, s.d, rest))
		if err != nil {
			return err
		}
		left, right = make([]float64, s.n), y.Data
		for i := range left {
			left[i] = math.Sqrt(s.weight(i))
		}
		axpy(right, -sumSquares(rest)/2, left)
		for i := range gram.Rows {
			axpy(gram.row(i), -right[i], left)
		}
	} else {
		scale(right, s.fine.mass)
	}
	for i := range gram.Rows {
		axpy(gram.row(i), -left[i], right)
		gram.row(i)[i] = max(gram.row(i)[i], 0)
	}
	return nil
}

// principalByJacobi finds the directions from the singular values of R. If the floor is far below the total,
// the part of the data outside the basis proves it, otherwise the Gram matrix does.
func principalByJacobi(s *samples, q wanted) (*principal, error) {
	r, err := triangularFactor(s)
	if err != nil {
		return nil, err
	}
	svd := jacobiSVD(s.ctx, r)
	if err = cancelled(s.ctx); err != nil {
		return nil, err
	}
	p, rows := q.p, svd.V.transposed()
	pc := &principal{solver: SolverJacobi, status: StatusOptimal, squares: svd.S}
	if svd.Status != StatusConverged {
		pc.status = svd.Status
	}
	for i, v := range pc.squares {
		pc.squares[i] = v * v
	}
	if err = pc.setBasis(s, rows, q); err != nil {
		return nil, err
	}
	// The sum of all squares is rounded less than the sum of squared singular values.
	if pc.total, pc.totalError, err = s.totalSquares(); err != nil {
		return nil, err
	}
	switch {
	case p == 0:
		pc.floor, pc.floorError = pc.total, pc.totalError
	case p < s.rankBound():
		pc.floor, pc.floorError = tailSum(pc.squares, p), pc.total+pc.totalError
		err = pc.prove(s, rowsOf(rows, 0, p))
	}
	return pc, err
}

// prove sets floorError for SolverJacobi. rows are the p leading singular vectors of the smaller side.
func (pc *principal) prove(s *samples, rows *Matrix) error {
	if pc.floor < lostShare*pc.total {
		left := newOutside(pc.basis, pc.basis.Rows)
		left.mean = s.fine.off(pc.total)
		if err := s.measure(left); err != nil {
			return err
		}
		pc.within(left.floor(math.Inf(1)))
		if pc.floorError <= krylovTol*pc.total {
			return nil
		}
	}
	gram, off, err := s.gram()
	if err == nil {
		pc.floorError = min(pc.floorError, pc.byGram(s, gram, rows, pc.squares, off))
	}
	return err
}

// within lowers floorError to the larger of the distances of the floor from low and from high, if that is
// smaller than floorError. It assumes that the true floor is between low and high.
func (pc *principal) within(low, high float64) {
	if v := max(pc.floor-low, high-pc.floor); v < pc.floorError {
		pc.floorError = v
	}
}

// setBasis sets leading and basis from `rows`, leading singular vectors of the smaller side (right ones
// unless X is wide).
func (pc *principal) setBasis(x rows, rows *Matrix, q wanted) (err error) {
	s := x.data()
	count := min(q.all(), max(q.p, rows.Rows))
	from := rowsOf(rows, 0, min(count, rows.Rows))
	if s.wide() && from.Rows > 0 {
		// Xcᵀt = σu for left singular vectors t. If this is rounding, completed makes some direction of it.
		if from, err = x.multiplyT(from); err != nil {
			return err
		}
	}
	if pc.leading, err = completed(s.ctx, from, count, s.d); err == nil {
		pc.basis = rowsOf(pc.leading, 0, q.p)
	}
	return err
}

// completed returns p orthonormal rows of length d. It orthonormalizes the given rows, at most p, and adds
// others.
func completed(ctx context.Context, rows *Matrix, p, d int) (*Matrix, error) {
	basis := NewMatrix(p, d, nil)
	copyRows(basis, rows)
	orthonormalize(ctx, basis, 0)
	fixRowSigns(basis)
	return basis, cancelled(ctx)
}

// principalByKrylov finds the directions, and bounds the floor by the part of the data outside the basis that
// it returns. Of o it reads steps and hasty.
func principalByKrylov(x rows, q wanted, o krylovOptions) (pc *principal, err error) {
	s, p := x.data(), q.p
	pc = &principal{solver: SolverKrylov, status: StatusOptimal}
	if pc.total, pc.totalError, err = x.totalSquares(); err != nil {
		return nil, err
	}
	if p == 0 { // the floor is the total
		pc.basis, pc.floor, pc.floorError = NewMatrix(0, s.d, nil), pc.total, pc.totalError
		pc.leading = pc.basis
		pc.lowerTotal()
		return pc, cancelled(s.ctx)
	}
	o.residual, o.sum, o.more = 1e-15, krylovTol/4, max(q.more, krylovExtra)
	kry, err := rightVectors(x, p, o)
	if err != nil {
		return nil, err
	}
	pc.steps = kry.steps
	if o.hasty && kry.status != StatusConverged { // another solver follows
		pc.status = StatusIterationLimit
		return pc, cancelled(s.ctx)
	}
	all, err := completed(s.ctx, kry.rows, max(p, kry.rows.Rows), s.d)
	if err != nil {
		return nil, err
	}
	pc.basis, pc.leading = rowsOf(all, 0, p), rowsOf(all, 0, min(q.all(), all.Rows))
	pc.squares, pc.after = kry.values, kry.after
	if p < s.rankBound() {
		err = pc.boundBeyond(x, kry, all, o.steps-kry.steps)
	}
	pc.lowerTotal()
	return pc, err
}

// boundBeyond sets the floor and its error from the part of the data outside the basis. further contains the
// basis and more directions: see complement. `most` limits the further products with X.
func (pc *principal) boundBeyond(x rows, kry *krylovResult, further *Matrix, most int) error {
	s, p := x.data(), len(kry.values)
	left := newOutside(withProbes(s.ctx, further, p), p)
	left.mean = s.fine.off(pc.total)
	if err := x.measure(left); err != nil {
		return err
	}
	_, high := left.floor(math.Inf(1))
	unit := left.unit() * left.unit() // times unit, squares of products do not underflow
	c := complement{ctx: s.ctx, p: p, vectors: left.vectors, times: left.coupling.Clone(),
		most: min(most, kry.steps), trace: high * unit, squares: math.Inf(1), noise: left.noise() * unit,
		apply: func(v *Matrix) (*Matrix, error) {
			more := newOutside(v, 0)
			err := x.measure(more)
			scale(more.coupling.Data, unit)
			return more.coupling, err
		}}
	scale(c.times.Data, unit)
	next, more, sure, err := c.below(func(next float64) bool {
		next = min((next-2*c.noise)/unit, high)
		return ritzSumBound(p, kry.values[p-1], kry.squares, next) <= krylovTol/2*pc.total
	})
	if !sure || kry.status != StatusConverged {
		pc.status = StatusIterationLimit
	}
	pc.steps += more
	pc.floor, pc.floorError = left.squares, pc.total+pc.totalError
	pc.within(left.floor(next / unit))
	return cmp.Or(err, cancelled(s.ctx))
}

// multiply returns (XcV)ᵀ (b×n), weighted, for a Vᵀ (b×d) without gaps.
func multiply(x rows, vt *Matrix) (*Matrix, error) {
	s := x.data()
	out := NewMatrix(s.n, vt.Rows, nil)
	err := x.changeBasis(out, vt)
	for i := range s.n {
		scale(out.row(i), s.root(i, true))
	}
	return out.transposed(), err
}

// rightVectors iterates for the p leading right singular vectors, or for all if there are fewer. If X is
// wide, the iteration finds left singular vectors.
func rightVectors(x rows, p int, o krylovOptions) (*krylovResult, error) {
	s := x.data()
	small, _ := s.sides()
	first, second := func(v *Matrix) (*Matrix, error) { return multiply(x, v) }, x.multiplyT
	if s.wide() {
		first, second = second, first
	}
	kry, err := krylov(s.ctx, small, func(v *Matrix) (*Matrix, error) {
		y, err := first(v)
		if err != nil {
			return nil, err
		}
		return second(y)
	}, min(p, small), o)
	if err == nil && s.wide() {
		kry.rows, err = x.multiplyT(kry.rows)
	}
	return kry, err
}

// next returns the squared singular value after the squares of the basis. With SolverKrylov the result is a
// lower bound of this value, mostly close to it.
func (pc *principal) next() float64 {
	if p := pc.basis.Rows; p < len(pc.squares) {
		return max(pc.squares[p], 0)
	}
	return pc.after
}

// Subspace is the principal affine subspace of weighted rows, with the floor that it proves. All numbers are
// in the units of the data.
type Subspace struct {
	Mean  []float64 // d: the weighted mean; zeros with SumAtMostOne
	Basis *Matrix   // p×d: orthonormal directions from the mean, by descending scatter
	// Squares are squared singular values of the weighted rows less Mean, descending. SolverKrylov finds the
	// p leading ones, the other solvers all that can be above 0.
	Squares           []float64
	Floor, FloorError float64 // the sum of the squares after the p leading ones, and a bound of its error
	Total             float64 // the sum of all squares
	Weight            float64 // Σw; without weights, the number of rows
	Solver            Solver  // the solver that found the subspace
	Status            Status
}

// Principal returns the subspace of the p leading directions of the rows of x (n×d) about their mean, 0 ≤ p ≤
// min(n−1, d). With SumAtMostOne directions start at 0, and p may be up to min(n, d). Any other p causes
// [ErrOption]. It reads the options Weights, Workers, Solver and Sum. Cost and errors are as for [Fit] with k
// = p+1, without the memberships.
func Principal(ctx context.Context, x Samples, p int, opts *Options) (*Subspace, error) {
	o := orZero(opts)
	t, err := openFor(ctx, x, &o, "Principal", "Weights", "Solver", "Sum")
	if err != nil {
		return nil, err
	}
	s := t.data()
	if err := checkDirections(p, s.rankBound()); err != nil {
		return nil, err
	}
	pc, err := principalOf(t, wanted{p, 0}, o.Solver, toFit)
	if err != nil {
		return nil, err
	}
	return pc.subspace(s, s.mass().value()), nil
}

// checkDirections returns an error unless 0 ≤ p ≤ rank.
func checkDirections(p, rank int) error {
	if p < 0 || p > rank {
		return fail(ErrOption, "p is "+strconv.Itoa(p)+", not from 0 to "+strconv.Itoa(rank))
	}
	return nil
}

// floorBound returns floorError in the units of the data, with the underflow of squares.
func (pc *principal) floorBound(u units) float64 {
	if pc.floor > 0 {
		return u.unscaleBound(pc.floorError + underflow)
	}
	return u.unscaleBound(pc.floorError)
}

// subspace returns pc in the units of the data. mass is the sum of the weights in scaled units.
func (pc *principal) subspace(s *samples, mass float64) *Subspace {
	out := &Subspace{
		Mean: slices.Clone(s.mean), Basis: pc.basis,
		Floor: s.unscaleSquare(pc.floor), FloorError: pc.floorBound(s.units),
		Total: s.unscaleSquare(pc.total), Weight: min(math.Ldexp(mass, s.wexp), math.MaxFloat64),
		Solver: pc.solver, Status: pc.status,
	}
	scale(out.Mean, math.Ldexp(1, s.exp))
	for _, v := range pc.squares[:min(len(pc.squares), s.rankBound())] {
		out.Squares = append(out.Squares, s.unscaleSquare(max(v, 0)))
	}
	return out
}

// Coordinates returns the n×p coordinates of the rows of x (n×d), less Mean, in the directions of Basis. dst
// receives the result; nil allocates. Cost: O(ndp). Errors: [ErrShape], [ErrNonFinite], [ErrRange],
// [ErrTooFewSamples].
func (p *Subspace) Coordinates(dst *Matrix, x Samples) (*Matrix, error) {
	t, err := openSamples(context.Background(), x, &Options{}, false)
	if err != nil {
		return nil, err
	}
	s := t.data()
	if s.d != p.Basis.Cols || len(p.Mean) != s.d {
		return nil, fail(ErrShape,
			"x has "+strconv.Itoa(s.d)+" columns, the subspace is of "+strconv.Itoa(p.Basis.Cols))
	}
	s.mean, s.centred = slices.Clone(p.Mean), true
	scale(s.mean, s.factor())
	out := NewMatrix(s.n, p.Basis.Rows, nil)
	if p.Basis.Rows > 0 {
		if err := t.changeBasis(out, p.Basis.Clone()); err != nil {
			return nil, err
		}
		scale(out.Data, math.Ldexp(1, s.exp))
	}
	return copyTo(dst, out)
}

// singularSquares returns all squared singular values, descending and in scaled units, and their sum. Values
// that the shape makes 0 are exactly 0. For sparse rows SolverKrylov may find the p leading values only; the
// last entry of values is then the sum of all others. missed bounds the sum of the errors of these values, if
// they may be too small, and is 0 otherwise.
func singularSquares(x rows, p int) (values []float64, total, missed float64, err error) {
	s := x.data()
	small, large := s.sides()
	dense, _ := x.(*samples)
	c := chooseSolver(SolverAuto, true, toFit, p, small, large)
	if dense == nil && (p == 0 || p < small && c.first == SolverKrylov) {
		pc, err := principalByKrylov(x, wanted{p, 0}, krylovOptions{steps: c.steps})
		if err != nil {
			return nil, 0, 0, err
		}
		if pc.status != StatusOptimal {
			missed = pc.floorError
		}
		if missed == 0 || c.then == SolverKrylov {
			return append(pc.squares[:p:p], pc.floor), pc.total, missed, nil
		}
	}
	pc, err := principalByGram(x, wanted{})
	rank := s.rankBound()
	// Values near rounding have lost their digits, and so have the last floors.
	if err == nil && dense != nil && rank > 0 && small <= jacobiMaxSide &&
		pc.squares[rank-1] < lostShare*pc.total {
		pc, err = principalByJacobi(dense, wanted{})
	}
	if err != nil {
		return nil, 0, 0, err
	}
	clear(pc.squares[rank:])
	return pc.squares, pc.total, 0, nil
}
