package softkmeans

// The principal subspace and the floor, by whichever solver fits.

import (
	"context"
	"math"
	"math/rand/v2"
)

// principal is what Fit and Certify need of the singular value decomposition
// of the centred data, in scaled units.
type principal struct {
	basis      *Matrix   // Uᵀ, p×d, orthonormal rows: leading right singular vectors
	squares    []float64 // of data in parts: Σ(x·u)² for each of them; nil: not known
	floor      float64   // Σ_{i>p} σ_i²
	floorError float64
	total      float64 // ‖Xc‖²
	solver     Solver
	steps      int
	status     Status
}

// lostShare is the share of the total below which a floor from the Gram matrix
// may have lost digits that SolverAuto wants to keep: its rounding error is
// some 1e-15 of the total.
const lostShare = 1e-9

// jacobiMaxSide is the largest min(n, d) for which SolverAuto falls back to
// SolverJacobi: a few seconds of work. Smaller data has the Gram matrix tried
// first, which shows when that is needed.
const jacobiMaxSide = 512

// krylovTol is the share of the total to which SolverKrylov proves its floor.
const krylovTol = 1e-13

// findPrincipal finds the p leading right singular vectors, p ≤ d. Where the data
// has fewer the basis is completed; the floor is then 0.
func findPrincipal(s *samples, p int, solver Solver) (*principal, error) {
	small, large := s.sides()
	asked, steps := solver, defaultKrylovSteps
	if solver == SolverAuto {
		solver = SolverGram
		if most := krylovSteps(p, small, large); !gramOnly && small > jacobiMaxSide && most >= fewestKrylovSteps {
			solver, steps = SolverKrylov, min(most, steps)
		}
	}
	if !gramOnly && solver == SolverKrylov {
		pc, err := principalByKrylov(s, p, steps, asked == SolverAuto)
		if err != nil || pc.status == StatusOptimal || asked == SolverKrylov {
			return pc, err
		}
		solver = SolverGram
	}
	var values []float64
	var pc *principal
	var err error
	if !gramOnly && solver == SolverJacobi {
		pc, values, err = principalByJacobi(s, p)
	} else {
		pc, values, err = principalByGram(s, p)
	}
	if err != nil {
		return nil, err
	}
	pc.solver = solver
	if pc.status != StatusIterationLimit {
		pc.status = StatusOptimal
	}
	if p < s.rankBound() {
		pc.floor = tailSum(values, p)
		if !gramOnly && asked == SolverAuto && solver == SolverGram && small <= jacobiMaxSide && pc.floor < lostShare*pc.total {
			return findPrincipal(s, p, SolverJacobi)
		}
	}
	pc.floorError = float64(small) * 0x1p-52 * pc.total
	return pc, cancelled(s.ctx)
}

// krylovSteps is after how many of its steps SolverKrylov has taken the time of
// SolverGram: the cost model of SolverAuto. With m = min(n, d), M = max(n, d) and
// one worker the Gram matrix takes Mm² operations and its eigenvectors 4m³/3 at
// a third or a half of the speed; a step 4Mm(p+8), also at half the speed or so, and
// twice that on wide data. That is m(1 + 3m/M)/(9(p+8)) steps, of which the
// measured ones were 0.4–1.3 times with vectors, 1.1–2.3 times without (m from 600
// to 2000). Spectra that fall take some 10 steps, those of noise 60 or more.
//
// SolverAuto tries no more steps than that, and fewer where from the fifth on the
// bound falls too slowly to get there; it then has lost a third of the time of
// SolverGram, or at worst all of it, and takes that.
func krylovSteps(p, small, large int) int {
	m := float64(small)
	return int(m * (1 + 3*m/float64(large)) / float64(9*(p+krylovExtra)))
}

// fewestKrylovSteps is from how many on SolverAuto tries them: twice what
// spectra that fall take.
const fewestKrylovSteps = 16

// tailSum adds up values[p:], smallest first, without what rounding made
// negative.
func tailSum(values []float64, p int) (sum float64) {
	for i := len(values) - 1; i >= p; i-- {
		sum += max(values[i], 0)
	}
	return sum
}

// principalByGram takes the eigenvectors of the smaller Gram matrix. values are
// all squared singular values, descending.
func principalByGram(s *samples, p int) (pc *principal, values []float64, err error) {
	gram, err := gramMatrix(s)
	if err != nil {
		return nil, nil, err
	}
	pc = &principal{}
	for i := range gram.Rows {
		pc.total += gram.row(i)[i]
	}
	values, rows := leadingEigen(s.ctx, gram, min(p, gram.Rows), s.workers)
	if err := cancelled(s.ctx); err != nil {
		return nil, nil, err
	}
	pc.basis, err = rightBasis(s, rows, p)
	return pc, values, err
}

// principalByJacobi takes the singular values of R. values are squared singular
// values, descending.
func principalByJacobi(s *samples, p int) (pc *principal, values []float64, err error) {
	r, err := triangularFactor(s)
	if err != nil {
		return nil, nil, err
	}
	return principalOfR(s, r, p)
}

// principalOfR is principalJacobi for R itself.
func principalOfR(s *samples, r *Matrix, p int) (pc *principal, values []float64, err error) {
	top, _ := rowMaxAbs(r.Data)
	svd := jacobiSVD(s.ctx, r, top)
	if err := cancelled(s.ctx); err != nil {
		return nil, nil, err
	}
	pc = &principal{status: svd.Status}
	for i := len(svd.S) - 1; i >= 0; i-- {
		values = append(values, svd.S[i]*svd.S[i])
		pc.total += svd.S[i] * svd.S[i]
	}
	for i, j := 0, len(values)-1; i < j; i, j = i+1, j-1 {
		values[i], values[j] = values[j], values[i]
	}
	pc.basis, err = rightBasis(s, svd.V.transposed(), p)
	return pc, values, err
}

// rightBasis turns leading singular vectors of the smaller side, given as
// rows, into p orthonormal rows of length d.
func rightBasis(s *samples, rows *Matrix, p int) (*Matrix, error) {
	from := rowsOf(rows, 0, min(p, rows.Rows))
	if s.wide() && from.Rows > 0 {
		// Left singular vectors t: Xcᵀt = σu. For σ near rounding that is noise;
		// Gram–Schmidt makes some direction of it.
		var err error
		if from, err = multiplyT(s, from); err != nil {
			return nil, err
		}
	}
	return completed(s.ctx, from, p, s.d)
}

// completed makes p orthonormal rows of length d of those given, no more than p.
func completed(ctx context.Context, rows *Matrix, p, d int) (*Matrix, error) {
	basis := NewMatrix(p, d, nil)
	for i := range rows.Rows {
		copy(basis.row(i), rows.row(i))
	}
	orthonormalizeCtx(ctx, basis, 0)
	fixRowSigns(basis)
	return basis, cancelled(ctx)
}

// remote is data that is known by its products alone, for SolverKrylov.
type krylovData struct {
	ctx     context.Context
	small   int // min(n, d)
	d, rank int // rank: the largest that is possible
	total   float64
	leading func(p int, o krylovOptions) (*krylovResult, error) // p right singular vectors
	normal  func(vt *Matrix) (*Matrix, error)                   // VᵀXcᵀXc for V given as Vᵀ
}

func principalByKrylov(s *samples, p, steps int, hasty bool) (*principal, error) {
	total, err := s.totalSquares()
	if err != nil {
		return nil, err
	}
	small, _ := s.sides()
	r := krylovData{s.ctx, small, s.d, s.rankBound(), total,
		func(p int, o krylovOptions) (*krylovResult, error) { return krylovVectors(s, p, o) },
		func(vt *Matrix) (*Matrix, error) { return normalProduct(s, vt) }}
	return r.principal(p, steps, hasty)
}

// principal iterates, up to so many steps, and proves a floor with the
// residuals measured on the basis that it returns.
func (s *krylovData) principal(p, steps int, hasty bool) (*principal, error) {
	count := min(p, s.small)
	pc := &principal{total: s.total, solver: SolverKrylov, status: StatusOptimal}
	rounding := float64(s.small) * 0x1p-52 * s.total
	if p == 0 { // no direction is wanted: the floor is the total
		pc.basis, pc.floor, pc.floorError = NewMatrix(0, s.d, nil), s.total, rounding
		return pc, cancelled(s.ctx)
	}
	kry, err := s.leading(count, krylovOptions{steps: steps, hasty: hasty, residual: 1e-15, sum: krylovTol / 4})
	if err != nil {
		return nil, err
	}
	pc.steps = kry.steps
	if hasty && kry.status != StatusConverged { // another solver follows
		pc.status = StatusIterationLimit
		return pc, cancelled(s.ctx)
	}
	pc.basis = NewMatrix(p, s.d, nil)
	copy(pc.basis.Data, kry.basis.Data)
	pc.squares = kry.values
	orthonormalizeCtx(s.ctx, pc.basis, count)
	fixRowSigns(pc.basis)
	if p >= s.rank {
		return pc, nil
	}
	// Rayleigh–Ritz on the final basis: T = UᵀBU, R = BU − UT.
	u := rowsOf(pc.basis, 0, count)
	ask := u
	if kry.status != StatusConverged {
		ask = s.probed(u)
	}
	bu, err := s.normal(ask)
	if err != nil {
		return nil, err
	}
	t := NewMatrix(count, count, nil)
	for i := range count {
		for j := range count {
			t.row(i)[j] = dot(bu.row(i), u.row(j))
		}
	}
	var captured, squares, left float64
	for i := range ask.Rows {
		r := bu.row(i)
		for range 2 {
			for j := range count {
				axpy(r, -dot(r, u.row(j)), u.row(j))
			}
		}
		if i < count {
			captured += t.row(i)[i]
			squares += sumSquares(r)
		} else {
			left = max(left, norm2(r))
		}
	}
	next := kry.next
	if ask != u {
		next = min(probeFactor*left, max(0, s.total-captured))
	}
	theta, _ := eigenSym(s.ctx, t, false)
	open := min(ritzSumBound(theta, squares, next), max(0, s.total-captured)) // the basis attains what is left
	pc.floor = max(0, s.total-captured-open)
	pc.floorError = open + rounding
	if kry.status != StatusConverged || math.IsNaN(open) {
		pc.status = StatusIterationLimit
	}
	return pc, cancelled(s.ctx)
}

// After few steps the largest Ritz values outside of the basis say nothing of the
// eigenvalues there. What does is what is left of probes random vectors: the norm of a
// matrix is at most probeFactor = 4·√(2/π) times the largest of its products with
// them, but for a chance of 4^-probes, 2e-10 (Halko, Martinsson & Tropp, Finding
// Structure with Randomness, 2011, Lemma 4.1).
const (
	probes      = 16
	probeFactor = 3.1915382432114616
)

// probed returns the orthonormal rows u and below them random vectors orthogonal to these.
func (s *krylovData) probed(u *Matrix) *Matrix {
	rng := rand.New(rand.NewPCG(1, 0x5eed)) // not those of the start, which the basis depends on
	out := NewMatrix(u.Rows+probes, s.d, nil)
	copy(out.Data, u.Data[:u.Rows*u.Cols])
	for i := u.Rows; i < out.Rows; i++ {
		row := out.row(i)
		for c := range row {
			row[c] = rng.NormFloat64()
		}
		for j := range u.Rows {
			axpy(row, -dot(row, u.row(j)), u.row(j))
		}
	}
	return out
}

// krylovVectors iterates for the p leading right singular vectors of the data: p×d.
func krylovVectors(s *samples, p int, o krylovOptions) (*krylovResult, error) {
	small, _ := s.sides()
	apply := func(v *Matrix) (*Matrix, error) { return normalProduct(s, v) }
	if s.wide() {
		apply = func(v *Matrix) (*Matrix, error) {
			y, err := multiplyT(s, v)
			if err != nil {
				return nil, err
			}
			return multiply(s, y)
		}
	}
	kry, err := krylov(s.ctx, small, apply, p, o)
	if err != nil {
		return nil, err
	}
	if s.wide() {
		if kry.basis, err = multiplyT(s, kry.basis); err != nil {
			return nil, err
		}
	}
	orthonormalizeCtx(s.ctx, kry.basis, 0)
	return kry, nil
}

// squaredSingularValues returns the min(n, d) squared singular values, descending and
// in scaled units, exactly 0 where the shape alone makes them 0, and their sum.
func squaredSingularValues(s *samples) (values []float64, total float64, err error) {
	small, _ := s.sides()
	pc, values, err := principalByGram(s, 0)
	if err != nil {
		return nil, 0, err
	}
	rank := s.rankBound()
	// Once the values at the end are not far above rounding their digits are
	// gone, and with them those of the last floors.
	if rank > 0 && small <= jacobiMaxSide && values[rank-1] < lostShare*pc.total {
		if pc, values, err = principalByJacobi(s, 0); err != nil {
			return nil, 0, err
		}
	}
	for i := range values {
		values[i] = max(values[i], 0)
	}
	clear(values[rank:])
	return values, pc.total, nil
}
