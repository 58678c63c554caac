package softkmeans

// Certificates: the squared error of centers and memberships, its distance from the global minimum, and
// floors.

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
)

// Certificate compares centers and memberships with the global minimum: see [Certify]. Read Gap, the distance
// as a fraction of the total variance.
//
// Objective, Gap and Optimal are about repaired memberships: negative ones count as 0, and a row is divided
// by its sum. A row without a positive entry becomes 1/k, or 0 with SumAtMostOne, where sums below 1 stay.
type Certificate struct {
	Objective float64 // upper bound of the weighted ‖X − GF‖², rounding included
	// Floor is the global minimum of the objective for X and k: Σ_{i≥k} σ_i² over the singular values of the
	// centred data. With SumAtMostOne it is Σ_{i>k} σ_i² of the uncentred data, a lower bound. For
	// missing.Fit it is an estimate, and Floor − FloorError is proved.
	Floor float64
	// FloorError bounds |Σσ_i² − Floor| for the exact singular values. With SolverKrylov the bound fails with
	// a probability of 2e-10: its proof uses random vectors, new ones in each call.
	FloorError    float64
	Total         float64 // ‖X − 1x̄ᵀ‖², the objective for k = 1; ‖X‖² with SumAtMostOne
	Gap           float64 // (Objective − Floor)/Total
	MinMembership float64 // the smallest entry of G before repair
	MaxSumError   float64 // the largest |Σ_j g_ij − 1| before repair; SumAtMostOne: of max(0, Σ_j g_ij − 1)
	Repair        float64 // the largest change of a membership by repair
	// SpanError is the distance of the centers from the principal affine subspace, divided by ‖F − 1x̄ᵀ‖. It
	// is 0 at an optimum whose memberships use all dimensions. If σ_{k−1} = σ_k the subspace is not unique.
	SpanError float64
	Solver    Solver // the solver that proved the floor; SolverAuto: the floor is not proved
}

// Optimal reports whether the repaired pair is proved to be within tol times the total variance of the global
// minimum, rounding included. tol 0 stands for 1e-9. For SolverKrylov the proof fails with a probability of
// 2e-10.
func (c Certificate) Optimal(tol float64) bool {
	if tol == 0 {
		tol = 1e-9
	}
	return c.Solver != SolverAuto && c.ExcessShare() <= tol // the zero value proves nothing
}

// Floors returns the least objective that 1, 2, … centers can reach. Use it to choose k or to judge any
// clustering of the rows of x: Floors(ctx, x, nil)[k−1] is the minimum for k centers, and a lower bound for
// labels.
//
// For k = 1 … min(n, d)+1 it is Σ_{i≥k} σ_i² over the singular values of the centred data (Theorem 1): first
// the total variance, last 0. For larger k the minimum is 0, too. With SumAtMostOne it is Σ_{i>k} σ_i² of the
// uncentred data, for k = 1 … min(n, d), a lower bound that package enclosure attains. Floors are in squared
// units of x, and at most math.MaxFloat64.
//
// Let m = min(n, d) and M = max(n, d). A floor is off by up to about (m + min(M, 500) + M/5000)·2^-52 of the
// total, or of ‖X‖² for sparse rows with a mean far from 0. For sparse rows with m above 1024 SolverKrylov
// finds the floors up to MostK. If it does not converge and m is above 2048, the results are lower bounds.
//
// Floors reads the options Weights, Workers, Sum and MostK. Cost: nd·min(n, d) and O(min(n, d)³); for sparse
// rows as for [Fit]. Errors and ctx: as for [Fit].
func Floors(ctx context.Context, x Samples, opts *Options) ([]float64, error) {
	o := orZero(opts)
	t, err := openFor(ctx, x, &o, "Floors", "Weights", "Sum", "MostK")
	if err != nil {
		return nil, err
	}
	s, most, first := t.data(), o.MostK, directionsOf(1, o.Sum)
	small, _ := s.sides()
	if all := small + 1 - first; most == 0 || most > all {
		most = all
	}
	values, total, missed, err := singularSquares(t, most-1+first)
	if err != nil {
		return nil, err
	}
	// If the last floors of dense rows fall below 1e-9 of the total and m ≤ 512, √floor is off by up to
	// (n+d)·2^-52 of √total.
	list := floorsOf(s.units, values, total)[first : first+most]
	for i, floor := range list {
		if i+first > 0 { // nothing of the total was missed
			list[i] = max(0, floor-s.unscaleSquare(missed))
		}
	}
	return list, nil
}

// Certify compares any clustering with the global minimum. Pass the samples x (n×d), the clustering's centers
// (k×d) and memberships (n×k), of any origin; a hard label is a row with one 1. Read Gap, or call Optimal.
// Infeasible memberships are repaired: see [Certificate]. Certify reads the options Weights, Workers, Solver
// and Sum. Up to min(n, d) = 2048 the proof of SolverAuto uses no random vectors; for larger tables
// SolverAuto may choose SolverKrylov. Cost and errors: as for [Fit].
func Certify(
	ctx context.Context, x Samples, centers, memberships *Matrix, opts *Options,
) (Certificate, error) {
	var c Certificate
	o := orZero(opts)
	err := cmp.Or(checkMatrix("centers", centers, mostCenter),
		checkMatrix("memberships", memberships, mostCenter))
	if err != nil {
		return c, err
	}
	t, err := openFor(ctx, x, &o, "Certify", "Weights", "Solver", "Sum")
	if err != nil {
		return c, err
	}
	s := t.data()
	switch k := centers.Rows; {
	case k == 0:
		return c, fail(ErrTooFewSamples, "no centers")
	case centers.Cols != s.d:
		return c, fail(ErrShape,
			"x has "+strconv.Itoa(s.d)+" columns, centers have "+strconv.Itoa(centers.Cols))
	case memberships.Rows != s.n || memberships.Cols != k:
		return c, fail(ErrShape,
			"memberships are "+shape(memberships.Rows, memberships.Cols)+", not "+shape(s.n, k))
	}
	objective, err := t.objective(centers, memberships, o.Sum)
	if err != nil {
		return c, err
	}
	pc, err := principalOf(t, wanted{min(directionsOf(centers.Rows, o.Sum), s.d), 0}, o.Solver, toCertify)
	if err == nil {
		pc, err = pc.above(t, objective)
	}
	if err != nil {
		return c, err
	}
	c = compareWithFloor(s, objective, pc)
	c.setRepair(memberships, o.Sum)
	c.SpanError = spanError(s, centers, pc.basis)
	return c, nil
}

// disproved reports whether objective, an upper bound for a feasible pair, is below the floor.
func (pc *principal) disproved(objective float64) bool {
	return objective < pc.floor-pc.floorError-underflow
}

// above returns pc or, if objective disproves the floor of SolverKrylov, the result of SolverGram. If
// objective is below that floor, too, the error is ErrChanged.
func (pc *principal) above(x rows, objective float64) (*principal, error) {
	if pc.disproved(objective) && pc.solver == SolverKrylov {
		next, err := principalOf(x, wanted{pc.basis.Rows, 0}, SolverGram, toCertify)
		if err != nil {
			return nil, err
		}
		pc = next
	}
	if pc.disproved(objective) {
		return nil, fail(ErrChanged, "a solution is below the floor: rows changed while they were read")
	}
	return pc, nil
}

// setRepair sets MinMembership and MaxSumError of the given memberships, and Repair, their largest change.
func (c *Certificate) setRepair(memberships *Matrix, sum Sum) {
	c.MinMembership = memberships.row(0)[0]
	for i := range memberships.Rows {
		g := memberships.row(i)
		over, total := sum.divisor(g), -1.0
		for _, v := range g {
			total += v
			c.MinMembership = min(c.MinMembership, v)
			c.Repair = max(c.Repair, math.Abs(member(v, over, len(g))-v))
		}
		if sum == SumToOne {
			total = math.Abs(total)
		}
		c.MaxSumError = max(c.MaxSumError, min(total, math.MaxFloat64))
	}
}

// CentersOf returns the centers F (k×d) that minimise ‖X − GF‖² for given memberships G (n×k), for example of
// [LSD] or [TILSD], whose models contain no centers. Pass the samples x (n×d). Rows of G add up to 1, except
// with SumAtMostOne. If memberships do not distinguish two clusters, both get the same center. The center of
// a cluster without members is the mean of the data, or 0 with SumAtMostOne. CentersOf reads the options
// Weights, Workers and Sum. Cost: O(nk(k+d)). Errors: as for [Certify].
func CentersOf(ctx context.Context, x Samples, memberships *Matrix, opts *Options) (*Matrix, error) {
	o := orZero(opts)
	if err := checkMatrix("memberships", memberships, mostCenter); err != nil {
		return nil, err
	}
	t, err := openFor(ctx, x, &o, "CentersOf", "Weights", "Sum")
	if err != nil {
		return nil, err
	}
	s, g := t.data(), memberships.Clone()
	if g.Rows != s.n {
		return nil, fail(ErrShape, "memberships have "+strconv.Itoa(g.Rows)+" rows, x has "+strconv.Itoa(s.n))
	}
	for i := range g.Rows {
		scale(g.row(i), math.Sqrt(s.weight(i)))
	}
	r, err := thinSVD(ctx, g)
	if err != nil {
		return nil, err
	}
	sums, err := t.multiplyT(r.U.transposed()) // UᵀXc, of F − 1x̄ᵀ = V·Σ⁺·UᵀXc
	if err != nil {
		return nil, err
	}
	f := NewMatrix(g.Cols, s.d, nil)
	for l, v := range r.S {
		for j := range f.Rows {
			if v > 0x1p-40*r.S[0] {
				axpy(f.row(j), r.V.row(j)[l]/v, sums.row(l))
			}
		}
	}
	for j := range f.Rows {
		for c, v := range f.row(j) {
			f.row(j)[c] = math.Ldexp(s.mean[c]+v, s.exp)
		}
	}
	return f, nil
}

// objective returns an upper bound of the weighted ‖X − GF‖² in scaled units, rounding included, or +Inf if
// it overflows. G is put on the simplex: negative entries count as 0, and each row is divided by its sum (for
// SumAtMostOne if the sum is above 1). Rows then add up to 1, and for any c the squared error is
//
//	Σw‖(x − c) − Σg_j(f_j − c)‖².
//
// objective takes the mean for c: then nothing cancels if the mean is far from 0.
//
// Proof. Let r be the residual of a row. Rounding of f_j − c, of g_j over its sum, and of the products and
// sums of a row changes r by at most γ(2k+2)·Σg_j‖f_j − c‖. Rounding of x − c changes r by at most γ(k+1)‖x −
// c‖, and ‖x − c‖ ≤ ‖r‖ + Σg_j‖f_j − c‖. The relative rounding of a sum of squares is at most γ of its depth.
// The sum of a chunk has twice the digits of a float64.
func (s *samples) objective(f, g *Matrix, sum Sum) (total float64, err error) {
	r := newRepaired(s, f, sum)
	for j := range f.Rows {
		r.hide(j, 1.01*gamma(3*f.Rows+4)*norm2(r.shifted.row(j))*(1+gamma(s.d+4)))
	}
	sums := make([]fineSum, chunks(s.n, s.d, manyChunks))
	own := make([]mixture, min(s.workers, len(sums))) // Workers may be any number
	err = s.eachBlock(chunking{s.n, s.d, manyChunks}, s.d, func(at block) {
		rows := at.scratch[:(at.hi-at.lo)*s.d]
		s.pack(rows, at.lo, at.hi)
		for i := at.lo; i < at.hi; i++ {
			w, row, mix := s.weight(i), rows[(i-at.lo)*s.d:][:s.d], &own[at.worker]
			if w == 0 {
				continue
			}
			hidden := r.of(mix, g.row(i))
			addRows(row, mix.coef, mix.index, r.shifted.Data)
			length := norm2(row) + hidden
			sums[at.chunk].add(w * length * length)
			if length > 0 || slices.ContainsFunc(row, func(v float64) bool { return v != 0 }) {
				sums[at.chunk].lost += underflow
			}
		}
	})
	total = totalOf(sums).value() * (1 + 1.01*gamma(fineDepth(s.n)+dotDepth(s.d)+2*f.Rows+15))
	if !isFinite(total) { // such as memberships and centers of 2^500 each
		total = math.Inf(1)
	}
	return total, err
}

// repaired puts memberships on the simplex, and bounds the rounding of residuals from mixtures of centers.
type repaired struct {
	sum     Sum
	shifted *Matrix   // the centers less the mean, in scaled units
	hidden  []float64 // a bound of the rounding of a residual, for a membership of 1
}

func newRepaired(s *samples, f *Matrix, sum Sum) repaired {
	k := f.Rows
	r := repaired{sum: sum, shifted: NewMatrix(k, s.d, nil), hidden: make([]float64, k)}
	for j := range k {
		shift(r.shifted.row(j), f.row(j), s.mean, s.factor())
	}
	return r
}

// hide sets hidden[j] to off, a bound of the error of a mixture with membership 1 in center j. off must be at
// least 2^-52 of the center's length. A center at 0 keeps the bound 0.
func (r *repaired) hide(j int, off float64) {
	if top, _ := rowMaxAbs(r.shifted.row(j)); top > 0 { // the square of top may be 0
		r.hidden[j] = off + 0x1p-520
	}
}

// mixture lists the rows of repaired.shifted that are mixed for a sample, with their memberships negated.
type mixture struct {
	coef  []float64
	index []int
}

// of sets mix to the repaired memberships g, and returns a bound of the rounding of the residual.
func (r *repaired) of(mix *mixture, g []float64) (hidden float64) {
	if cap(mix.coef) < len(g) {
		mix.coef, mix.index = make([]float64, len(g)), make([]int, len(g))
	}
	coef, index, n, over := mix.coef[:len(g)], mix.index[:len(g)], 0, r.sum.divisor(g)
	for j, v := range g {
		if over != 0 && !(v > 0) {
			continue
		}
		v = member(v, over, len(g))
		if v != 0 {
			coef[n], index[n] = -v, j
			n++
		}
		hidden += max(v, 0x1p-540) * r.hidden[j] // a division may lose 2^-1075 of the center
	}
	mix.coef, mix.index = coef[:n], index[:n]
	return hidden
}

// divisor returns the divisor of a row's nonnegative memberships.
func (s Sum) divisor(g []float64) float64 {
	var sum float64
	for _, v := range g {
		if v > 0 {
			sum += v
		}
	}
	if s == SumAtMostOne {
		return max(sum, 1)
	}
	return sum
}

// member returns the repaired value of v, one of the k memberships of a row with the given divisor. A divisor
// of 0 says that no membership of the row is above 0: all become 1/k.
func member(v, divisor float64, k int) float64 {
	switch {
	case divisor == 1:
		return max(v, 0)
	case divisor == 0:
		return 1 / float64(k)
	}
	return max(v, 0) / divisor
}

// compareWithFloor returns the certificate of an objective in scaled units.
func compareWithFloor(s *samples, objective float64, pc *principal) Certificate {
	return Certificate{
		Objective: s.unscaleBound(objective), Floor: s.unscaleSquare(pc.floor),
		FloorError: pc.floorBound(s.units),
		Total:      s.unscaleSquare(max(0, pc.total-underflow)), Solver: pc.solver,
		Gap: quotient(objective-pc.floor, max(0, pc.total-underflow)),
	}
}

// low returns the proved lower bound Floor − FloorError, or 0 if Objective is below it. Such an Objective is
// an estimate, which proves nothing.
func (c Certificate) low() float64 {
	if low := max(0, c.Floor-c.FloorError); c.Objective >= low {
		return low
	}
	return 0
}

// Excess returns a bound of how far the pair is above the global minimum: Objective − (Floor − FloorError).
// It is math.MaxFloat64 if Objective is out of range, or if the floor is not proved (Solver is SolverAuto).
func (c Certificate) Excess() float64 {
	if c.Solver == SolverAuto || c.Objective == math.MaxFloat64 {
		return math.MaxFloat64
	}
	return min(max(0, c.Objective-c.low())*(1+0x1p-50), math.MaxFloat64)
}

// ExcessShare returns Excess as a fraction of Total, or math.MaxFloat64 if Excess is math.MaxFloat64.
func (c Certificate) ExcessShare() float64 {
	total := c.Total
	if total < 0x1p-1021 { // rounded to a step of 2^-1074
		total = max(0, total-0x1p-1074)
	}
	// Total exceeds the true total by less than 2^-30 of itself: see lowerTotal for sums that cancel.
	return c.excessIn(total * (1 - 0x1p-30))
}

// ExcessFloors returns Excess as a multiple of the proved floor. For a floor of 0 it is math.MaxFloat64, or 0
// if Excess is 0.
func (c Certificate) ExcessFloors() float64 { return c.excessIn(c.low()) }

// excessIn returns Excess as a multiple of v; math.MaxFloat64 if Excess is out of range.
func (c Certificate) excessIn(v float64) float64 {
	if e := c.Excess(); e < math.MaxFloat64 {
		return quotient(e, v)
	}
	return math.MaxFloat64
}

// quotient returns a/b, at most math.MaxFloat64; 0/0 is 0.
func quotient(a, b float64) float64 {
	switch {
	case a == 0:
		return 0
	case b > 0:
		return min(a/b*(1+0x1p-50), math.MaxFloat64)
	}
	return math.MaxFloat64
}

// spanError returns Certificate.SpanError for centers in the data's units and the orthonormal rows of basis,
// the principal directions.
func spanError(s *samples, centers, basis *Matrix) float64 {
	_, exp := math.Frexp(maxAbs(centers))
	exp = max(exp, s.exp) // centers may be 2^1020 times as large as the data
	var all, off float64
	r := make([]float64, s.d)
	for j := range centers.Rows {
		for i, v := range centers.row(j) {
			r[i] = math.Ldexp(v, -exp) - math.Ldexp(s.mean[i], s.exp-exp)
		}
		all += sumSquares(r)
		for range 2 {
			projectOutRows(r, basis, basis.Rows)
		}
		off += sumSquares(r)
	}
	if all == 0 {
		return 0
	}
	return math.Sqrt(off / all)
}
