package softkmeans

// The principal subspace and the floor, by whichever solver fits.

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
)

// principal is what Fit and Certify need of the singular values and vectors of centred data, in scaled units.
type principal struct {
	basis      *Matrix   // Uᵀ, p×d, orthonormal rows: leading right singular vectors
	leading    *Matrix   // basis and further rows, about as many as were asked for: directions that follow
	squares    []float64 // squared singular values: all, or of SolverKrylov the p leading ones
	after      float64   // of SolverKrylov, the next square or less; see next
	floor      float64   // Σ_{i>p} σ_i²
	floorError float64   // how far the true number may be from floor, on either side
	total      float64   // ‖Xc‖²
	totalError float64   // as floorError
	solver     Solver
	steps      int
	status     Status
}

// A floor of at most roundedFloor of the total is taken to be rounding.
const roundedFloor = 1e-14

// rank returns how many dimensions the samples have, to rounding, of those that are in squares.
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
	// data has the shape, the units, the weights and the mean.
	data() *samples
	// gram returns the smaller of XcᵀXc and XcXcᵀ, and a bound of its error in the trace and in the Frobenius
	// norm.
	gram() (gram *Matrix, off float64, err error)
	// totalSquares returns ‖Xc‖² and a bound of its error.
	totalSquares() (total, off float64, err error)
	// changeBasis sets the first columns of z to the coordinates of the rows, about the mean, in a basis.
	changeBasis(z, basis *Matrix) error
	// varying returns how many columns have different entries in rows of positive weight.
	varying() int
	// multiply returns (XcV)ᵀ for Vᵀ (b×d), weighted: b×n.
	multiply(vt *Matrix) (*Matrix, error)
	// multiplyT returns YᵀXc for Y given as Yᵀ (b×n), weighted: b×d.
	multiplyT(yt *Matrix) (*Matrix, error)
	// normalProduct returns VᵀXcᵀXc for Vᵀ (b×d): b×d.
	normalProduct(vt *Matrix) (*Matrix, error)
	// measure adds all rows, about their mean, to left.
	measure(left *outside) error
	// objective returns an upper bound of ‖X − GF‖² in scaled units.
	objective(f, g *Matrix, sum Sum) (float64, error)
	// chosen returns a copy of some rows, with all their zeros.
	chosen(list []int) *Matrix
	// nearest sets dst to the index of the nearest mean for each row, along the axes; nil: in all directions.
	nearest(dst []int, means, axes *Matrix) error
}

// Samples is the input of a fit, one sample per row: a [*Matrix] or a [*SparseMatrix]. No other type
// implements it.
type Samples interface {
	// open checks the rows, their weights and the options, and finds the units and the mean. Sparse rows are
	// expanded if their sides are not much larger than the given number of directions.
	open(ctx context.Context, o *Options, centred bool, directions int) (rows, error)
	// checkNew returns the number of rows, or an error if they cannot be compared with the centers.
	checkNew(centers *Matrix) (n int, err error)
	// mix sets dst to the solutions of p for the rows, which are in range.
	mix(by parallelism, p *simplexProblem, dst *Matrix) error
	// score calls fn for each row with its scores by means along the axes (see scored in labels.go). Entries
	// are in range.
	score(by parallelism, means, axes *Matrix, fn func(i, nearest int, scores []float64, exp int)) error
}

func (m *Matrix) open(ctx context.Context, o *Options, centred bool, _ int) (rows, error) {
	return newSamples(ctx, m, o.Weights, o.Workers, centred)
}

// openSamples opens x, which may be nil. Passes share their scratch space.
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

// openFor checks the options of a function that reads those of these names, and opens x.
func openFor(ctx context.Context, x Samples, o *Options, function string, reads ...string) (rows, error) {
	err := cmp.Or(o.only(function, reads...), checkSolver(o.Solver), checkEnum("Sum", o.Sum, sumCount),
		checkCount("MostK", o.MostK))
	if err != nil {
		return nil, err
	}
	return openSamples(ctx, x, o, o.Sum == SumToOne)
}

// lostShare is the share of the total below which a floor from the Gram matrix has too few digits.
const lostShare = 1e-9

// The limits of SolverAuto, on min(n, d). Up to jacobiMaxSide SolverJacobi, a few seconds of work, follows
// where the Gram matrix has left few digits. Beyond sparseGramSide the eigenvectors of sparse rows' Gram
// matrix take a second or more. Up to mostGramSide three matrices of 32 MB are affordable, and Certify takes
// a solver without random vectors.
const (
	jacobiMaxSide  = 512
	sparseGramSide = 1024
	mostGramSide   = 2048
)

// purpose says what a principal subspace is for.
type purpose int

const (
	toFit     purpose = iota // directions, and a floor
	toCertify                // a floor that relies on no random vectors, where that is affordable
	toLabel                  // directions alone
)

// choice has the solvers to try. then follows, if another, where first does not converge or has few digits.
type choice struct {
	first, then Solver
	steps       int // of SolverKrylov
}

// chooseSolver decides what SolverAuto is, for p leading directions of rows whose sides are small and large.
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
	case !sparse && small <= jacobiMaxSide && why != toLabel:
		return choice{SolverGram, SolverJacobi, 0}
	}
	return choice{SolverGram, SolverGram, 0}
}

const krylovTol = 1e-13 // the share of the total to which SolverKrylov proves its floor

// wanted is how many leading directions are asked for, and how many more that need not have converged.
type wanted struct{ p, more int }

func (q wanted) all() int { return q.p + q.more }

// principalOf finds the q.p ≤ d leading right singular vectors, completed where the data has fewer, further
// directions in principal.leading, and the floor.
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

// krylovSteps returns after how many steps SolverKrylov has taken the time of SolverGram: SolverAuto tries no
// more. Let m = min(n, d), M = max(n, d). The Gram matrix takes Mm² operations, its eigenvectors 4m³/3 at
// a third or a half of the speed, a step 4Mm(p+8) at half of it, and twice that on wide data. That is
// m(1 + 3m/M)/(9(p+8)) steps. The measured ones were 0.4–1.3 times as many with vectors, 1.1–2.3 times
// without (m from 600 to 2000). Spectra that fall take some 10 steps, those of noise 60 or more.
//
// From the fifth step on SolverAuto stops where the bound falls too slowly, and takes SolverGram. It has then
// lost a third of SolverGram's time, or at worst all of it.
func krylovSteps(p, small, large int) int {
	m := float64(small)
	return int(m * (1 + 3*m/float64(large)) / float64(9*(p+krylovExtra)))
}

// fewestKrylovSteps is the least such number that is worth a try: twice what spectra that fall take.
const fewestKrylovSteps = 16

// tailSum adds up values[p:], smallest first. What rounding made negative counts as 0.
func tailSum(values []float64, p int) (sum float64) {
	for i := len(values) - 1; i >= p; i-- {
		sum += max(values[i], 0)
	}
	return sum
}

// floorsOf returns tailSum for every p, in the data's units. The first is the total.
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

// trace is the sum of the diagonal.
func trace(m *Matrix) (sum float64) {
	for i := range m.Rows {
		sum += m.row(i)[i]
	}
	return sum
}

// principalByGram takes eigenvectors of the smaller Gram matrix.
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

// lowerTotal makes the total a lower bound where it has cancelled. The floor stays within it.
func (pc *principal) lowerTotal() {
	if pc.totalError <= pc.total*0x1p-31 {
		return
	}
	pc.total = max(0, pc.total-pc.totalError)
	if over := pc.floor - pc.total; over > 0 {
		pc.floor, pc.floorError = pc.total, pc.floorError+over
	}
}

// principalOfGram finds the principal directions from the Gram matrix, which it overwrites, and the bound
// of its error that byGram takes. It returns leading eigenvectors in place of a basis.
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

// byGram returns how far the floor may be from the true one, as the Gram matrix, which it overwrites, proves
// with leading eigenvectors. off bounds the error E of the matrix: that of its trace, and ‖E‖_F. The sum of
// the p leading eigenvalues is then off by at most √p·off (|tr QE| ≤ ‖Q‖_F‖E‖_F for a projector Q).
func (pc *principal) byGram(s *samples, gram, rows *Matrix, values []float64, off float64) float64 {
	total := trace(gram)
	sum, open := leadingSum(s.ctx, gram, rows, values, s.workers)
	open += math.Abs(total - sum - pc.floor)
	return min(gamma(gram.Rows)*total+(1+math.Sqrt(float64(rows.Rows)))*off+open, total+off)
}

// gram is about the mean with its rest, and has the bound gramError. Where X is wide the rest takes another
// pass; if it is below a rounding of the trace, the bound has it instead.
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

// recentre takes the Gram matrix to the mean with its rest: for XcᵀXc less Σw·rest·restᵀ.
func recentre(s *samples, gram *Matrix) error {
	rest := s.fine.rest
	if s.fine.squares() == 0 {
		return nil
	}
	left, right := rest, slices.Clone(rest)
	if s.wide() { // (x − r)(x' − r)ᵀ = xx'ᵀ − y − y' for y = xrᵀ − ‖r‖²/2
		y, err := s.multiply(NewMatrix(1, s.d, rest))
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

// principalByJacobi takes the singular values of R. What the data leaves outside of the basis proves a floor
// far below the total, the Gram matrix any other.
func principalByJacobi(s *samples, q wanted) (*principal, error) {
	r, err := triangularFactor(s)
	if err != nil {
		return nil, err
	}
	top, _ := rowMaxAbs(r.Data)
	svd := jacobiSVD(s.ctx, r, top)
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
	// The sum of all squares is rounded less than that of squared singular values.
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

// prove sets the error of SolverJacobi's floor.
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

// within sets the error of the floor, which is in truth between low and high, if that is less than it was.
func (pc *principal) within(low, high float64) {
	if v := max(pc.floor-low, high-pc.floor); v < pc.floorError {
		pc.floorError = v
	}
}

// setBasis sets leading and basis for leading singular vectors of the smaller side, given as rows.
func (pc *principal) setBasis(x rows, rows *Matrix, q wanted) (err error) {
	s := x.data()
	count := min(q.all(), max(q.p, rows.Rows))
	from := rowsOf(rows, 0, min(count, rows.Rows))
	if s.wide() && from.Rows > 0 {
		// Left singular vectors t: Xcᵀt = σu, for σ near rounding noise, of which some direction is made.
		if from, err = x.multiplyT(from); err != nil {
			return err
		}
	}
	if pc.leading, err = completed(s.ctx, from, count, s.d); err == nil {
		pc.basis = rowsOf(pc.leading, 0, q.p)
	}
	return err
}

// completed returns p orthonormal rows of length d. The first are those given, at most p, made orthonormal.
func completed(ctx context.Context, rows *Matrix, p, d int) (*Matrix, error) {
	basis := NewMatrix(p, d, nil)
	copyRows(basis, rows)
	orthonormalize(ctx, basis, 0)
	fixRowSigns(basis)
	return basis, cancelled(ctx)
}

// principalByKrylov finds the directions, and bounds the floor by what the data leaves outside of the basis
// that it returns. Of o it reads steps and hasty.
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

// boundBeyond sets the floor, and its error by what is outside of the basis, of which `further` has more
// rows: see complement.
func (pc *principal) boundBeyond(x rows, kry *krylovResult, further *Matrix, most int) error {
	s, p := x.data(), len(kry.values)
	left := newOutside(withProbes(s.ctx, further, p), p)
	left.mean = s.fine.off(pc.total)
	if err := x.measure(left); err != nil {
		return err
	}
	_, high := left.floor(math.Inf(1))
	unit := left.unit() * left.unit() // in which squares of products do not underflow
	c := complement{ctx: s.ctx, p: p, vectors: left.vectors, times: left.coupling.Clone(),
		most:  min(most, kry.steps),
		trace: high * unit, squares: math.Inf(1), noise: left.noise() * unit,
		apply: func(v *Matrix) (*Matrix, error) {
			more := newOutside(v, 0)
			err := x.measure(more)
			scale(more.coupling.Data, unit)
			return more.coupling, err
		}}
	scale(c.times.Data, unit)
	next, more, sure, err := c.below(func(next float64) bool {
		next = min((next-2*c.noise)/unit, high)
		return ritzSumBound(p, kry.values[p-1], kry.rest*kry.rest, next) <= krylovTol/2*pc.total
	})
	if !sure || kry.status != StatusConverged {
		pc.status = StatusIterationLimit
	}
	pc.steps += more
	pc.floor, pc.floorError = left.squares, pc.total+pc.totalError
	pc.within(left.floor(next / unit))
	return cmp.Or(err, cancelled(s.ctx))
}

// rightVectors iterates for p leading right singular vectors, or as many as there are.
func rightVectors(x rows, p int, o krylovOptions) (*krylovResult, error) {
	s := x.data()
	small, _ := s.sides()
	if !s.wide() {
		return krylov(s.ctx, small, x.normalProduct, min(p, small), o)
	}
	kry, err := krylov(s.ctx, small, func(u *Matrix) (*Matrix, error) { // left ones
		y, err := x.multiplyT(u)
		if err != nil {
			return nil, err
		}
		return x.multiply(y)
	}, min(p, small), o)
	if err == nil {
		kry.rows, err = x.multiplyT(kry.rows)
	}
	return kry, err
}

// next returns the squared singular value that follows those of the basis; of SolverKrylov about that, or
// less.
func (pc *principal) next() float64 {
	if p := pc.basis.Rows; p < len(pc.squares) {
		return max(pc.squares[p], 0)
	}
	return pc.after
}

// Subspace is the principal affine subspace of weighted rows, with the floor that it proves. Use it if you
// need more than [Fit] returns. All numbers are in the units of the data.
type Subspace struct {
	Mean  []float64 // d: the weighted mean; zeros with SumAtMostOne
	Basis *Matrix   // p×d: orthonormal directions from the mean, by descending scatter
	// Squares are the squared singular values of the weighted rows less Mean, descending: all that can be
	// above 0, or from SolverKrylov the p leading ones.
	Squares           []float64
	Floor, FloorError float64 // the sum of the squares after the p leading ones, and a bound of its error
	Total             float64 // the sum of all squares
	Weight            float64 // Σw; without weights, the number of rows
	Solver            Solver  // the solver that found the subspace
	Status            Status
}

// Principal returns the subspace of the p leading directions of the rows of x (n×d) about their mean, 0 ≤ p ≤
// min(n−1, d). With SumAtMostOne directions start at 0, and p may be up to min(n, d). It reads the options
// Weights, Workers, Solver and Sum. SolverGram finds all Squares. Cost and errors are as for [Fit] with k =
// p+1, without the memberships. A p out of range is an [ErrOption].
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

// checkDirections returns an error unless rows of that rank have p directions.
func checkDirections(p, rank int) error {
	if p < 0 || p > rank {
		return fail(ErrOption, "p is "+strconv.Itoa(p)+", not from 0 to "+strconv.Itoa(rank))
	}
	return nil
}

// floorBound is floorError in the data's units, with what squares lose below the range.
func (pc *principal) floorBound(u units) float64 {
	if pc.floor > 0 {
		return u.unscaleBound(pc.floorError + underflow)
	}
	return u.unscaleBound(pc.floorError)
}

// subspace returns pc in the units of the data, of so much weight in scaled units.
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

// Coordinates returns the n×p coordinates of the rows of x (n×d), less Mean, in the directions of Basis. The
// result is stored in dst; nil allocates, a wrong shape panics. Cost: O(ndp). Errors: [ErrShape],
// [ErrNonFinite], [ErrRange], [ErrTooFewSamples] without rows; on an error dst is unchanged.
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
	if dst == nil {
		return out, nil
	}
	dst = destination(dst, out.Rows, out.Cols)
	copyRows(dst, out)
	return dst, nil
}

// floors returns the floors of 1, …, most centers, less what SolverKrylov may have missed; 0: all of them.
func floors(x rows, most int, sum Sum) ([]float64, error) {
	s := x.data()
	small, _ := s.sides()
	first := directionsOf(1, sum)
	if all := small + 1 - first; most == 0 || most > all {
		most = all
	}
	values, total, missed, err := singularSquares(x, most-1+first)
	if err != nil {
		return nil, err
	}
	list := floorsOf(s.units, values, total)[first : first+most]
	for i, floor := range list {
		if i+first > 0 { // the total is whole
			list[i] = max(0, floor-s.unscaleSquare(missed))
		}
	}
	return list, nil
}

// singularSquares returns all squared singular values, descending and in scaled units, and their sum. Values
// that the shape makes 0 are exactly 0. Of sparse rows SolverKrylov finds the p leading ones, and the sum of
// the others; missed bounds by how much all together may be too small.
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
