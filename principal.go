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
	squares    []float64 // Σ(x·u)² for each of them, where data in parts needs it; else nil
	floor      float64   // Σ_{i>p} σ_i²
	floorError float64
	total      float64 // ‖Xc‖²
	solver     Solver
	steps      int
	status     Status
}

// lostShare is the share of the total below which SolverAuto does not take a floor from
// the Gram matrix, whose rounding error is some 1e-15 of the total.
const lostShare = 1e-9

// jacobiMaxSide is the largest min(n, d) for which SolverAuto falls back to SolverJacobi,
// a few seconds of work, after the Gram matrix has shown that this is needed.
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

// krylovSteps is the cost model of SolverAuto: after how many of its steps SolverKrylov has
// taken the time of SolverGram. Let m = min(n, d), M = max(n, d), and take one worker. The
// Gram matrix takes Mm² operations. Its eigenvectors take 4m³/3 at a third or a half of
// the speed. A step takes 4Mm(p+8) at about half the speed, and twice that on wide data.
// That is m(1 + 3m/M)/(9(p+8)) steps. The measured ones were 0.4–1.3 times as many
// with vectors, 1.1–2.3 times without (m from 600 to 2000). Spectra that fall take some 10
// steps, those of noise 60 or more.
//
// SolverAuto tries no more steps than that. From the fifth step on it stops where the bound
// falls too slowly, and takes SolverGram. It has then lost a third of SolverGram's
// time, or at worst all of it.
func krylovSteps(p, small, large int) int {
	m := float64(small)
	return int(m * (1 + 3*m/float64(large)) / float64(9*(p+krylovExtra)))
}

// fewestKrylovSteps is the least number of steps at which SolverAuto tries SolverKrylov:
// twice what spectra that fall take.
const fewestKrylovSteps = 16

// tailSum adds up values[p:], smallest first. What rounding made negative counts as 0.
func tailSum(values []float64, p int) (sum float64) {
	for i := len(values) - 1; i >= p; i-- {
		sum += max(values[i], 0)
	}
	return sum
}

// floorsOf returns tailSum for every p, from 0 to the number of values, in the data's
// units.
func floorsOf(u units, values []float64) []float64 {
	floors := make([]float64, len(values)+1)
	var sum float64
	for i := len(values) - 1; i >= 0; i-- {
		sum += max(values[i], 0)
		floors[i] = u.unscaleSquare(sum)
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

// principalByGram takes the eigenvectors of the smaller Gram matrix. values are
// all squared singular values, descending.
func principalByGram(s *samples, p int) (pc *principal, values []float64, err error) {
	gram, err := gramMatrix(s)
	if err != nil {
		return nil, nil, err
	}
	pc = &principal{total: trace(gram)}
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

// principalOfR is principalByJacobi for R itself.
func principalOfR(s *samples, r *Matrix, p int) (pc *principal, values []float64, err error) {
	top, _ := rowMaxAbs(r.Data)
	svd := jacobiSVD(s.ctx, r, top)
	if err := cancelled(s.ctx); err != nil {
		return nil, nil, err
	}
	pc, values = &principal{status: svd.Status}, make([]float64, len(svd.S))
	for i := len(values) - 1; i >= 0; i-- {
		values[i] = svd.S[i] * svd.S[i]
		pc.total += values[i]
	}
	pc.basis, err = rightBasis(s, svd.V.transposed(), p)
	return pc, values, err
}

// rightBasis returns p orthonormal rows of length d for leading singular vectors of the
// smaller side, given as rows.
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

// completed returns p orthonormal rows of length d. The first are those given, at most p,
// made orthonormal.
func completed(ctx context.Context, rows *Matrix, p, d int) (*Matrix, error) {
	basis := NewMatrix(p, d, nil)
	copyRows(basis, rows)
	orthonormalizeCtx(ctx, basis, 0)
	fixRowSigns(basis)
	return basis, cancelled(ctx)
}

// krylovData is data given by its products alone, for SolverKrylov.
type krylovData struct {
	ctx     context.Context
	small   int // min(n, d)
	d, rank int // rank: the largest that the shape allows
	total   float64
	leading func(p int, o krylovOptions) (*krylovResult, error) // p right singular vectors
	normal  func(vt *Matrix) (*Matrix, error)                   // VᵀXcᵀXc for V given as Vᵀ
}

// principalByKrylov iterates. A hasty one stops early where it will not converge.
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

// principal iterates, up to so many steps, and bounds the floor by the residuals of the
// basis that it returns.
func (s *krylovData) principal(p, steps int, hasty bool) (*principal, error) {
	count := min(p, s.small)
	pc := &principal{total: s.total, solver: SolverKrylov, status: StatusOptimal}
	rounding := float64(s.small) * 0x1p-52 * s.total
	if p == 0 { // the floor is the total
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
	return pc, s.bound(pc, kry, rounding)
}

// bound sets the floor and its error by Rayleigh–Ritz on the final basis: T = UᵀBU,
// R = BU − UT.
func (s *krylovData) bound(pc *principal, kry *krylovResult, rounding float64) error {
	count := kry.basis.Rows
	u := rowsOf(pc.basis, 0, count)
	ask := u
	if kry.status != StatusConverged {
		ask = s.probed(u)
	}
	bu, err := s.normal(ask)
	if err != nil {
		return err
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
			projectOutRows(r, u, count)
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
	return cancelled(s.ctx)
}

// After few steps the largest Ritz values outside of the basis do not bound the
// eigenvalues there. Products with random vectors do. The norm of a matrix is at most
// probeFactor = 4·√(2/π) times the largest of its products with so many probes, but for a
// chance of 4^-probes, 2e-10 (Halko, Martinsson & Tropp, Finding Structure with
// Randomness, 2011, Lemma 4.1).
const (
	probes      = 16
	probeFactor = 3.1915382432114616
)

// probed returns the orthonormal rows u, and below them random vectors orthogonal to u.
func (s *krylovData) probed(u *Matrix) *Matrix {
	rng := rand.New(rand.NewPCG(1, 0x5eed)) // not the start's, on which the basis depends
	out := NewMatrix(u.Rows+probes, s.d, nil)
	copy(out.Data, u.Data[:u.Rows*u.Cols])
	for i := u.Rows; i < out.Rows; i++ {
		row := out.row(i)
		for c := range row {
			row[c] = rng.NormFloat64()
		}
		projectOutRows(row, u, u.Rows)
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
// in scaled units, and their sum. Those that the shape makes 0 are exactly 0.
func squaredSingularValues(s *samples) (values []float64, total float64, err error) {
	small, _ := s.sides()
	pc, values, err := principalByGram(s, 0)
	if err != nil {
		return nil, 0, err
	}
	rank := s.rankBound()
	// Values near rounding have lost their digits, and so have the last floors.
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
