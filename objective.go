package softkmeans

// How good centers and memberships are: the objective, the gap to the floor.

import "math"

// objectiveOf returns ‖X − GF‖², weighted, in scaled units, from the numbers that
// f and g hold. x − Fᵀg is summed as (x − x̄) − Σg_j(f_j − x̄) + (1 − Σg_j)x̄, which is the
// same and does not cancel when the mean is far from 0. Foreign centers may be far larger
// than the data, and cancel. Then bounded asks for an upper bound, to which each row's
// residual adds what rounding can hide: (2k+8)·2^-53·Σ|g_j|·‖f_j − x̄‖ (Higham, Accuracy and
// Stability of Numerical Algorithms, 2002, section 3.1).
func objectiveOf(s *samples, f, g *Matrix, bounded bool) (total float64, err error) {
	k := f.Rows
	shifted := NewMatrix(k+1, s.d, nil) // and the mean
	copy(shifted.row(k), s.mean)
	for j := range k {
		out := shifted.row(j)
		for i, v := range f.row(j) {
			out[i] = math.Ldexp(v, -s.exp) - s.mean[i]
		}
	}
	hidden := make([]float64, k+1) // by rounding, of a membership of 1
	for j := range hidden {
		if bounded {
			hidden[j] = float64(2*k+8) * 0x1p-53 * norm2(shifted.row(j))
		}
	}
	// What a row is compared with: the centers that it has a part of, and the
	// mean if its memberships do not add up to 1.
	type mixed struct {
		coef  []float64
		index []int
	}
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
			squares := sumSquares(r)
			if bounded {
				length := math.Sqrt(squares)
				for t, v := range mix.coef {
					length += math.Abs(v) * hidden[mix.index[t]]
				}
				squares = length * length
			}
			part += s.weight(i) * squares
		}
		sums[at.chunk] += part
	})
	for _, v := range sums {
		total += v
	}
	if !(total <= math.MaxFloat64) { // memberships and centers of 2^500 each
		total = math.MaxFloat64
	}
	return total, err
}

// compareWithFloor fills in what a certificate says of the objective.
func compareWithFloor(s *samples, f, g *Matrix, pc *principal, bounded bool) (c Certificate, err error) {
	objective, err := objectiveOf(s, f, g, bounded)
	if err != nil {
		return c, err
	}
	return Certificate{
		Objective:  s.unscaleSquare(objective),
		Floor:      s.unscaleSquare(pc.floor),
		FloorError: s.unscaleSquare(pc.floorError),
		Total:      s.unscaleSquare(pc.total),
		Gap:        relativeGap(s, objective, pc, f.Rows),
	}, nil
}

// relativeGap is (objective − floor)/total. A difference that the rounding of numbers as
// large as the mean explains is 0, which matters where there is hardly any
// variance to compare with.
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
	var far, off, top float64
	for j := range centers.Rows {
		big, _ := rowMaxAbs(centers.row(j))
		top = max(top, big)
	}
	_, exp := math.Frexp(top)
	exp = max(exp-s.exp, 0) // centers may be larger than the data by any factor
	r := make([]float64, s.d)
	for j := range centers.Rows {
		for i, v := range centers.row(j) {
			r[i] = math.Ldexp(v, -s.exp-exp) - math.Ldexp(s.mean[i], -exp)
		}
		far = math.Hypot(far, norm2(r))
		for range 2 {
			for c := range basis.Rows {
				projectOut(r, basis.row(c))
			}
		}
		off = math.Hypot(off, norm2(r))
	}
	if far == 0 {
		return 0
	}
	return off / far
}

// solveZeroWeights gives rows of weight 0, which the centers were found
// without, their nearest mixture of these.
func solveZeroWeights(s *samples, centers, memberships *Matrix, sum Sum) error {
	if s.weights == nil {
		return nil
	}
	var problem *simplexProblem
	for i := range s.n {
		if s.weight(i) > 0 { // as scaled: one below 2^-1074 of the largest is 0
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

// Certificate says how good given centers and memberships are. It is computed
// from x, the centers and the memberships alone.
type Certificate struct {
	Objective float64 // ‖X − GF‖², weighted if weights were given
	Floor     float64 // the smallest that any k centers can reach (see Model.Floor)
	// Gap is (Objective − Floor)/‖Xc‖²: 0, to rounding, at a global optimum.
	// Clearly below 0 only if the rows of G do not add up to 1, be it by rounding
	// where the mean is far: 1e-16 of the mean over the spread. On data without
	// variance it is 0 for an objective of 0, math.MaxFloat64 for any other.
	Gap           float64
	MinMembership float64 // the smallest entry of G: at least 0 if G is feasible
	MaxSumError   float64 // the largest |Σ_j g_ij − 1| over the rows
	// SpanError is the distance of the centers from the principal affine
	// subspace x̄ + span(U), ‖(F − 1x̄ᵀ)(I − UUᵀ)‖ relative to ‖F − 1x̄ᵀ‖, from 0
	// to 1. It is 0 at an optimum whose memberships use all dimensions; where
	// σ_{k−1} = σ_k the subspace, and so this number, is not unique.
	SpanError  float64
	Total      float64 // ‖Xc‖², the objective for k = 1
	FloorError float64 // how much above Floor the true minimum may be (see Model.FloorError)
}
