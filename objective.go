package softkmeans

// How good centers and memberships are: the objective, the gap to the floor.

import "math"

// objectiveOf returns ‖X − GF‖², weighted, in scaled units, from the numbers that f and g
// hold; +Inf where it overflows. x − Fᵀg is summed as the same
//
//	(x − x̄) − Σg_j(f_j − x̄) + (1 − Σg_j)x̄,
//
// which does not cancel where the mean is far from 0. With a bound, such as roundingBound,
// the result is an upper bound; nil: the plain sum.
func objectiveOf(s *samples, f, g *Matrix, bound func(shifted *Matrix) rowBound) (total float64, err error) {
	r := newResidual(s, f)
	if bound != nil {
		r.bound = bound(r.shifted)
	}
	sums := make([]float64, chunks(s.n, s.d, manyChunks))
	own := make([]mixture, min(s.workers, len(sums))) // Workers may be any number
	err = s.eachBlock(s.n, s.d, manyChunks, s.d, func(at block) {
		rows := at.scratch[:(at.hi-at.lo)*s.d]
		s.pack(rows, at.lo, at.hi, false)
		part := 0.0
		for i := at.lo; i < at.hi; i++ {
			if w := s.weight(i); w > 0 {
				part += w * r.squares(rows[(i-at.lo)*s.d:][:s.d], g.row(i), &own[at.worker])
			}
		}
		sums[at.chunk] += part
	})
	total = sumOf(sums)
	if !isFinite(total) { // such as memberships and centers of 2^500 each
		total = math.Inf(1)
	}
	return total, err
}

// residual is what the residuals of all rows are computed from.
type residual struct {
	shifted *Matrix  // the centers less the mean, and the mean: k+1 rows, in scaled units
	bound   rowBound // nil: the plain residual is asked for
}

func newResidual(s *samples, f *Matrix) *residual {
	r := &residual{shifted: NewMatrix(f.Rows+1, s.d, nil)}
	copy(r.shifted.row(f.Rows), s.mean)
	for j := range f.Rows {
		shift(r.shifted.row(j), f.row(j), s.mean, s.factor())
	}
	return r
}

// rowBound returns 1 − Σg_j, and what rounding can hide of the residual of a row with the
// memberships g.
type rowBound func(g []float64) (missing, hidden float64)

// roundingBound is for centers that are not from this data. They may be far larger than
// it, and cancel in a row. Rounding then hides at most (2k+8)·2^-53·Σ|g_j|·‖f_j − x̄‖ of a
// residual, and the same of the mean's part (Higham, Accuracy and Stability of Numerical
// Algorithms, 2002, section 3.1). What remains is the relative rounding of the squares and
// of their sum, below (n+d+k)·2^-52.
func roundingBound(shifted *Matrix) rowBound {
	k := shifted.Rows - 1
	of := make([]float64, k+1) // of each row of shifted, with a coefficient of 1
	for j := range of {
		of[j] = float64(2*k+8) * 0x1p-53 * norm2(shifted.row(j))
	}
	return func(g []float64) (missing, hidden float64) {
		var lost float64 // large memberships may cancel: the sum to twice the digits
		missing, size := 1.0, 1.0
		for j, v := range g {
			sum, rest := twoSum(missing, -v)
			missing, lost = sum, lost+rest
			size += math.Abs(v)
			hidden += math.Abs(v) * of[j]
		}
		missing += lost
		return missing, hidden + (math.Abs(missing)+float64(k)*0x1p-53*size)*of[k]
	}
}

// mixture is the rows of residual.shifted that a sample is compared with.
type mixture struct {
	coef  []float64
	index []int
}

// squares returns the squared residual of a packed row with the memberships g. It
// overwrites the row.
func (r *residual) squares(row, g []float64, mix *mixture) float64 {
	mix.coef, mix.index = mix.coef[:0], mix.index[:0]
	missing, hidden := 1.0, 0.0
	for j, v := range g {
		missing -= v
		if v != 0 {
			mix.coef, mix.index = append(mix.coef, -v), append(mix.index, j)
		}
	}
	if r.bound != nil {
		missing, hidden = r.bound(g)
	}
	if missing != 0 {
		mix.coef, mix.index = append(mix.coef, missing), append(mix.index, len(g))
	}
	addRows(row, mix.coef, mix.index, r.shifted.Data)
	squares := sumSquares(row)
	if hidden == 0 {
		return squares
	}
	length := math.Sqrt(squares) + hidden
	return length * length
}

// compareWithFloor returns what a certificate says of an objective of k centers.
func compareWithFloor(s *samples, objective float64, pc *principal, k int) Certificate {
	return Certificate{
		Objective:  s.unscaleSquare(objective),
		Floor:      s.unscaleSquare(pc.floor),
		FloorError: s.unscaleSquare(pc.floorError),
		Total:      s.unscaleSquare(pc.total),
		Gap:        relativeGap(s, objective, pc, k),
	}
}

// relativeGap is (objective − floor)/total. A difference that the rounding of numbers as
// large as the mean explains is 0, which matters where the variance is tiny beside the
// mean.
func relativeGap(s *samples, objective float64, pc *principal, k int) float64 {
	rounding := float64(k+8) * 0x1p-52
	difference := objective - pc.floor
	switch {
	case math.Abs(difference) <= float64(s.n)*sumSquares(s.mean)*rounding*rounding:
		return 0
	case pc.total > 0:
		return min(difference/pc.total, math.MaxFloat64)
	}
	return math.MaxFloat64
}

// spanError is Certificate.SpanError.
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

// solveZeroWeights gives rows of weight 0, which had no part in the centers, their nearest
// mixture of these.
func solveZeroWeights(s *samples, centers, memberships *Matrix, sum Sum) error {
	if s.weights == nil {
		return nil
	}
	var problem *simplexProblem
	for i := range s.n {
		if s.weight(i) > 0 {
			continue
		}
		if problem == nil {
			problem = newSimplexProblem(centers, sum)
		}
		one, x := rowsOf(memberships, i, i+1), &Matrix{Rows: 1, Cols: s.d, Stride: s.d, Data: s.x.row(i)}
		if _, err := problem.solve(s.ctx, one, x, nil, 1); err != nil {
			return err
		}
	}
	return nil
}

// Certificate says how good given centers and memberships are. It is computed from x, the
// centers and the memberships alone.
type Certificate struct {
	// Objective is ‖X − GF‖², weighted if weights were given. It contains a bound of what
	// rounding hides of each row, so that large centers that cancel cannot make it too
	// small. Only the relative rounding of a sum of squares, below (n+d+k)·2^-52, can. It
	// may be math.MaxFloat64 where centers are 1e150 times the data or more.
	Objective float64
	Floor     float64 // the smallest that any k centers can reach (see Model.Floor)
	// Gap is (Objective − Floor)/‖Xc‖²: 0, to rounding, at a global optimum. It is
	// clearly below 0 only if the rows of G do not add up to 1, possibly by rounding where
	// the mean is far: 1e-16 of the mean over the spread. On data without variance it is 0
	// for an objective of 0, math.MaxFloat64 for any other.
	Gap           float64
	MinMembership float64 // the smallest entry of G: at least 0 if G is feasible
	MaxSumError   float64 // the largest |Σ_j g_ij − 1| over the rows
	// SpanError is the distance of the centers from the principal affine
	// subspace x̄ + span(U), ‖(F − 1x̄ᵀ)(I − UUᵀ)‖ relative to ‖F − 1x̄ᵀ‖, from 0
	// to 1. It is 0 at an optimum whose memberships use all dimensions; where
	// σ_{k−1} = σ_k the subspace, and so this number, is not unique.
	SpanError  float64
	Total      float64 // ‖Xc‖², the objective for k = 1
	FloorError float64 // how far the true minimum may be from Floor (see Model.FloorError)
}

// Optimal reports whether the pair is a global optimum to the given tolerance: the size of
// the gap, of negative memberships and of the error of row sums are at most tol. 0 stands
// for 1e-9.
func (c Certificate) Optimal(tol float64) bool {
	if tol == 0 {
		tol = 1e-9
	}
	return math.Abs(c.Gap) <= tol && c.MinMembership >= -tol && c.MaxSumError <= tol
}
