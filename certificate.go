package softkmeans

// What the closed form says of any solution: how far it is from the global minimum.

import (
	"context"
	"math"
	"strconv"
)

// Floors returns the global minimum of the objective for every number of
// clusters: Floors(ctx, x, nil)[k−1] = Σ_{i≥k} σ_i² for k = 1 … min(n, d)+1, over the
// singular values σ of the centred data (Theorem 1). The first is the total variance, the
// sum of squares about the mean. The last is 0, and they descend: no method with k
// centers, soft or hard, can have a smaller sum of squares. They are in the squared units
// of x, and math.MaxFloat64 where large weights take them out of range.
//
// They are as accurate as the floor of SolverAuto. Where the last floors fall below 1e-9 of
// the total and min(n, d) ≤ 512, a Jacobi SVD finds √floor with an error of (n+d)·2^-52 of
// √total. A floor of 1e-20 of the total then still has digits. Otherwise the floor has an
// error of min(n, d)·2^-52 of the total.
//
// Floors reads the options Weights and Workers. Cost: nd·min(n, d) and O(min(n, d)³). Errors:
// [ErrShape], [ErrNonFinite], [ErrRange], [ErrTooFewSamples], [ErrOption]; and ctx's, wrapped.
func Floors(ctx context.Context, x *Matrix, opts *Options) ([]float64, error) {
	o := orZero(opts)
	s, err := newSamples(ctx, x, o.Weights, o.Workers, true)
	if err != nil {
		return nil, err
	}
	values, _, err := squaredSingularValues(s)
	if err != nil {
		return nil, err
	}
	return floorsOf(s.units, values), nil
}

// Certify compares centers (k×d) and memberships (n×k), of any origin, with the global
// minimum for x (n×d) over rows of memberships that add up to 1. It checks what the theorem
// asks for. Infeasible memberships are no error: the result reports them. Certify reads the
// options Weights and Workers. Cost: that of [Fit]. Errors: [ErrShape], [ErrNonFinite],
// [ErrRange], [ErrTooFewSamples], [ErrOption]; and ctx's, wrapped.
func Certify(ctx context.Context, x, centers, memberships *Matrix, opts *Options) (Certificate, error) {
	var c Certificate
	if err := firstError(checkMatrix("centers", centers), checkMatrix("memberships", memberships)); err != nil {
		return c, err
	}
	o := orZero(opts)
	s, err := newSamples(ctx, x, o.Weights, o.Workers, true)
	if err != nil {
		return c, err
	}
	k := centers.Rows
	switch {
	case k == 0:
		return c, fail(ErrTooFewSamples, "no centers")
	case centers.Cols != s.d:
		return c, fail(ErrShape, "x has "+strconv.Itoa(s.d)+" columns, centers have "+strconv.Itoa(centers.Cols))
	case memberships.Rows != s.n || memberships.Cols != k:
		return c, fail(ErrShape, "memberships are "+shape(memberships.Rows, memberships.Cols)+", not "+shape(s.n, k))
	}
	pc, err := findPrincipal(s, min(k-1, s.d), SolverAuto)
	if err != nil {
		return c, err
	}
	objective, err := objectiveOf(s, centers, memberships, roundingBound)
	if err != nil {
		return c, err
	}
	c = compareWithFloor(s, objective, pc, k)
	c.MinMembership = memberships.row(0)[0]
	for i := range s.n {
		sum := -1.0
		for _, v := range memberships.row(i) {
			sum += v
			c.MinMembership = min(c.MinMembership, v)
		}
		c.MaxSumError = max(c.MaxSumError, min(math.Abs(sum), math.MaxFloat64))
	}
	c.SpanError = spanError(s, centers, pc.basis)
	return c, nil
}

// SkMable reports whether x is a mixture of k prototypes exactly, X = GF, which the paper
// calls SkMable: iff the centred data has rank at most k−1 (Theorem "Condition of SkMable").
// A singular value counts as zero up to tol·σ₁ of the centred data. tol 0 stands for the
// rounding of the data: max(n, d)·2^-52 of the length of the data as it is, mean included.
//
// Cost: that of [Floors], and of [SolverJacobi] where a singular value is too
// small for the Gram matrix to tell. Errors: [ErrShape], [ErrNonFinite],
// [ErrRange], [ErrTooFewSamples], [ErrOption] for k < 1 or a tol that is not in [0, 1).
func SkMable(x *Matrix, k int, tol float64) (bool, error) {
	if k < 1 {
		return false, fail(ErrOption, "k is "+strconv.Itoa(k)+", below 1")
	}
	if err := checkTol(tol); err != nil {
		return false, err
	}
	s, err := newSamples(context.Background(), x, nil, 0, true)
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
	bound := tol * math.Sqrt(values[0])
	if tol == 0 {
		_, large := s.sides()
		bound = float64(large) * 0x1p-52 * math.Sqrt(total+float64(s.n)*sumSquares(s.mean))
	}
	// Below lostShare the values of a large Gram matrix are rounding, and cannot tell a
	// small one from 0.
	if small, _ := s.sides(); small > jacobiMaxSide && values[k-1] < lostShare*total && bound*bound < lostShare*total {
		if _, values, err = principalByJacobi(s, 0); err != nil {
			return false, err
		}
	}
	return math.Sqrt(values[k-1]) <= bound, nil
}

// StabilityBound bounds ‖X − G̃F̃‖², the objective on X of a global solution
// (F̃, G̃) that was fitted to X + E: it is at most (√floor + 2‖E‖)², for the floor
// of X and ‖E‖ = noise. Both arguments must be at least 0.
//
// Erratum: the paper's Theorem (Stability) has squares, floor + 2‖E‖². That is
// false: with σ = (1, 1−δ) and an E that raises the second to 1+δ, k = 2, the
// left side is 1 and the right (1−δ)² + 8δ². The proof holds without squares,
// by the triangle inequality and Mirsky's theorem: √ on both sides, 2‖E‖.
func StabilityBound(floor, noise float64) float64 {
	b := math.Sqrt(floor) + 2*noise
	return b * b
}

// NonUniquenessBound says how far apart the memberships of global optima are: for every G*
// there is a global optimum G with ‖G − G*‖² at least the number returned. That is
// ‖W‖²/(r²k(k−1)), for the coordinates W of the rows in the principal subspace and the
// largest length r of a row of W. It is 0 for k = 1 and where all rows are equal, which
// bounds nothing.
//
// It follows from G = WBᵀ/s + 1/k, with B of [RegularSimplex] and s = r√(k(k−1)), and its
// mirror image (B → −B). Both are optimal, and 2‖W‖/s apart.
//
// Erratum: the paper's Theorem (Lower bound) has r√(k(k−1)) in place of
// r²k(k−1). That number grows with the scale of X, past 2n, the largest squared
// distance that memberships can have.
//
// Cost and errors: those of [Fit].
func NonUniquenessBound(x *Matrix, k int) (float64, error) {
	m, err := Fit(context.Background(), x, k, nil)
	if err != nil {
		return 0, err
	}
	var sum float64
	for i := range m.Memberships.Rows {
		for _, g := range m.Memberships.row(i) {
			e := g - 1/float64(k)
			sum += e * e
		}
	}
	return sum, nil
}
