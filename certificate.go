package softkmeans

// What the closed form says of any solution: how far it is from the global minimum.

import (
	"context"
	"math"
	"strconv"
)

// Floors returns the least objective that 1, 2, … centers can reach, to choose k by, or to judge a
// clustering of any origin. Pass the samples in rows. Floors(ctx, x, nil)[k−1] is the minimum for k
// centers: no method, soft or hard, has a smaller sum of squares.
//
// It is Σ_{i≥k} σ_i² for k = 1 … min(n, d)+1, over the singular values of the centred data (Theorem
// 1): first the total variance, last 0. With SumAtMostOne it is Σ_{i>k} σ_i² of the data as it is, for k =
// 1 … min(n, d), a lower bound of the minimum. They are in squared units of x, and
// math.MaxFloat64 where they are out of range.
//
// Let m be min(n, d) and M be max(n, d). A floor is off by up to some (m + min(M, 500) + M/5000)·2^-52 of
// the total. For sparse rows with a mean far from 0 the squared length of x takes the total's place. Where
// the last floors of dense rows fall below 1e-9 of the total and m ≤ 512, √floor is off by up to
// (n+d)·2^-52 of √total. Of sparse rows with m above 1024, SolverKrylov finds those for MostK centers.
// Where that does not converge, and m is above 2048, they are lower bounds.
//
// Floors reads the options Weights, Workers, Sum and MostK. Cost: nd·min(n, d) and
// O(min(n, d)³); of sparse rows that of [Fit]. Errors: [ErrShape], [ErrNonFinite],
// [ErrRange], [ErrTooFewSamples], [ErrOption]; and ctx's, wrapped.
func Floors(ctx context.Context, x Samples, opts *Options) ([]float64, error) {
	o := orZero(opts)
	err := firstError(o.only("Floors", "Weights", "Sum", "MostK"),
		checkEnum("Sum", o.Sum, sumCount), checkCount("MostK", o.MostK))
	if err != nil {
		return nil, err
	}
	t, err := openSamples(ctx, x, &o, o.Weights, o.Sum == SumToOne)
	if err != nil {
		return nil, err
	}
	return t.floors(o.MostK, o.Sum)
}

// Certify says how far any clustering is from the global minimum. Pass the samples x (n×d), its centers (k×d)
// and its memberships (n×k), of any origin; a hard label is a row with one 1. Read Gap, or call Optimal.
//
// Infeasible memberships are no error: the verdict is on those that Certificate makes of them. It reads the
// options Weights, Workers, Solver and Sum. SolverAuto proves the floor without chance up to min(n, d) =
// 2048, and beyond where a pair is below SolverKrylov's. Cost: that of [Fit]. Errors: [ErrShape],
// [ErrNonFinite], [ErrRange], [ErrTooFewSamples], [ErrOption]; and ctx's, wrapped.
func Certify(
	ctx context.Context, x Samples, centers, memberships *Matrix, opts *Options,
) (Certificate, error) {
	var c Certificate
	o := orZero(opts)
	err := firstError(o.only("Certify", "Weights", "Solver", "Sum"),
		checkMatrix("centers", centers, mostCenter),
		checkMatrix("memberships", memberships, mostCenter), checkSolver(o.Solver),
		checkEnum("Sum", o.Sum, sumCount))
	if err != nil {
		return c, err
	}
	t, err := openSamples(ctx, x, &o, o.Weights, o.Sum == SumToOne)
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
	pc, err := t.principal(wanted{min(directionsOf(centers.Rows, o.Sum), s.d), 0}, o.Solver, toCertify)
	if err == nil {
		err = pc.check(s, objective)
	}
	if err != nil {
		return c, err
	}
	c = compareWithFloor(s, objective, pc)
	c.setRepair(memberships, o.Sum)
	c.SpanError = spanError(s, centers, pc.basis)
	return c, nil
}

// setRepair sets what the memberships violate, and how far they are from those that the certificate is about.
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

// CentersOf returns the centers F (k×d) that leave the least ‖X − GF‖² for given memberships G
// (n×k), of any origin: [LSD] and [TILSD] have none of their own. Pass the samples x (n×d). Rows of G add
// up to 1; with SumAtMostOne they need not. Clusters that G does not tell apart have the same center, and
// one without members the mean, or 0.
//
// It reads the options Weights, Workers and Sum. Cost: O(nk(k+d)). Errors: those of [Certify].
func CentersOf(ctx context.Context, x Samples, memberships *Matrix, opts *Options) (*Matrix, error) {
	o := orZero(opts)
	err := firstError(o.only("CentersOf", "Weights", "Sum"), checkEnum("Sum", o.Sum, sumCount),
		checkMatrix("memberships", memberships, mostCenter))
	if err != nil {
		return nil, err
	}
	t, err := openSamples(ctx, x, &o, o.Weights, o.Sum == SumToOne)
	if err != nil {
		return nil, err
	}
	s, g := t.data(), memberships.Clone()
	if g.Rows != s.n {
		return nil, fail(ErrShape,
			"memberships have "+strconv.Itoa(g.Rows)+" rows, x has "+strconv.Itoa(s.n))
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

// SkMable reports whether x is a mixture of k prototypes exactly, X = GF, which the paper calls SkMable: iff
// the centred data has rank at most k−1 (Theorem "Condition of SkMable"). Pass tol 0 for the data's rounding.
//
// A singular value counts as zero up to tol·σ₁, and σ₁ itself up to tol times the length of the
// data, mean included; tol 0 stands for max(n, d)·2^-52 of that length. A [*SparseMatrix] is filled in, up
// to 2^27 entries. Cost: that of [Floors], or of [SolverJacobi] where the Gram matrix cannot tell. Errors:
// those of Floors; [ErrOption] for k < 1 or a tol that is not in [0, 1).
func SkMable(ctx context.Context, x Samples, k int, tol float64) (bool, error) {
	switch {
	case k < 1:
		return false, fail(ErrOption, "k is "+strconv.Itoa(k)+", below 1")
	case !(tol >= 0 && tol < 1):
		return false, fail(ErrOption, "tol is "+decimal(tol)+", not in [0, 1)")
	}
	m, err := filledIn(x, "SkMable")
	if err != nil {
		return false, err
	}
	s, err := newSamples(ctx, m, nil, 0, true)
	if err != nil {
		return false, err
	}
	if k > s.rankBound() {
		return true, nil
	}
	values, total, err := squaredSingularValues(s)
	if err != nil {
		return false, err
	}
	small, large := s.sides()
	length := math.Sqrt(total + float64(s.n)*sumSquares(s.mean))
	bound := tol * math.Sqrt(values[0])
	switch {
	case tol == 0:
		bound = float64(large) * 0x1p-52 * length
	case math.Sqrt(values[0]) <= tol*length:
		return true, nil
	}
	// Below lostShare the values of a large Gram matrix are rounding, and cannot tell a small one from 0.
	lost := lostShare * total
	if small > jacobiMaxSide && values[k-1] < lost && bound*bound < lost {
		if _, values, err = principalByJacobi(s, wanted{}); err != nil {
			return false, err
		}
	}
	return math.Sqrt(values[k-1]) <= bound, nil
}
