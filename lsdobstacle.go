package softkmeans

// Whether similarities have an exact left-stochastic decomposition, and the reason where
// they have none.

import (
	"context"
	"math"
	"strconv"
)

// ObstacleKind says what an [Obstacle] is.
type ObstacleKind int

const (
	// ObstacleNone: there is no obstacle, the decomposition is exact.
	ObstacleNone ObstacleKind = iota
	// ObstacleSign: K (for TI-LSD HKH) has a negative eigenvalue. Value is the lowest
	// one, relative to the largest magnitude.
	ObstacleSign
	// ObstacleRank: K has more than k positive eigenvalues, HKH more than k−1. Value is
	// the first one too many, relative to the largest.
	ObstacleRank
	// ObstacleEntry: K has a negative entry, and PPᵀ has none. Row and Col say where the
	// lowest is; Value is that entry relative to the largest magnitude.
	ObstacleEntry
	// ObstacleRange: 1 is not in the range of K, so that the samples lie in no hyperplane
	// off the origin. Row is the sample that misses it most and Value by how much, of 1.
	ObstacleRange
	// ObstacleSimplex: the samples lie in a hyperplane, but no simplex of the right size
	// and place was found that holds all of them. Value is the error of the best one,
	// ‖K − PPᵀ/c‖/‖K‖. For k ≤ 2 and K of rank k there is only one scale and nothing to
	// turn. Otherwise other rotations and scales than those tried may hold them.
	ObstacleSimplex
)

// Obstacle is a reason why an exact decomposition does not exist.
type Obstacle struct {
	Kind     ObstacleKind
	Row, Col int     // of the sample or entry that Kind speaks of, otherwise 0
	Value    float64 // relative, without unit
}

// String returns the obstacle as a sentence.
func (o Obstacle) String() string {
	value := strconv.FormatFloat(o.Value, 'g', 3, 64)
	switch o.Kind {
	case ObstacleNone:
		return "none"
	case ObstacleSign:
		return "there is a negative eigenvalue, " + value + " relative to the largest"
	case ObstacleRank:
		return "there are too many positive eigenvalues, the first one beyond is " + value + " relative to the largest"
	case ObstacleEntry:
		return "entry [" + strconv.Itoa(o.Row) + "," + strconv.Itoa(o.Col) + "] is negative, " + value + " relative to the largest"
	case ObstacleRange:
		return "1 is not in the range: it is missed by " + value + " at sample " + strconv.Itoa(o.Row)
	case ObstacleSimplex:
		return "no simplex was found that holds the samples: an error of " + value + " remains"
	}
	return "ObstacleKind(" + strconv.Itoa(int(o.Kind)) + ")"
}

// lsdableTol is the default tolerance.
const lsdableTol = 1e-8

// LSDObstacle returns why kernel (n×n, symmetric) is not PPᵀ/c for any c > 0 and any P
// (n×k) whose rows are at least 0 and add up to 1. It is the first reason in the order of
// the kinds, or an Obstacle of kind ObstacleNone. On noisy similarities that is the sign
// or the rank: raise tol to the noise to see what comes after.
//
// tol is relative to the largest eigenvalue or entry; 0 stands for 1e-8. ObstacleSimplex
// may be wrong, in particular where K has a rank below k. ObstacleNone has found P with
// ‖K − PPᵀ/c‖ ≤ 10·tol·‖K‖ (from tol = 0.01 on 0.1·‖K‖, and from 0.1 on tol·‖K‖).
//
// Cost and errors: those of [LSD] without its descent; [ErrOption] for a tol that
// is not in [0, 1).
func LSDObstacle(kernel *Matrix, k int, tol float64) (Obstacle, error) {
	op, tol, err := lsdableOperator(kernel, k, tol)
	if err != nil {
		return Obstacle{}, err
	}
	spec, bound, found, err := spectralObstacle(op, k, tol)
	if err != nil || found.Kind != ObstacleNone {
		return found, err
	}
	if found = entryObstacle(kernel, tol); found.Kind != ObstacleNone {
		return found, nil
	}
	rank := 0
	for rank < min(k, len(spec.values)) && spec.values[rank] > bound {
		rank++
	}
	spec.values, spec.rows = spec.values[:rank], rowsOf(spec.rows, 0, rank)
	if found = rangeObstacle(spec, bound, tol); found.Kind != ObstacleNone {
		return found, nil
	}
	return simplexObstacle(op, spec.factor(), k, tol)
}

// entryObstacle is the lowest entry, if it is negative.
func entryObstacle(kernel *Matrix, tol float64) Obstacle {
	lowest, highest := Obstacle{Kind: ObstacleEntry}, 0.0
	for i := range kernel.Rows {
		for j, v := range kernel.row(i) {
			highest = max(highest, math.Abs(v))
			if v < lowest.Value {
				lowest = Obstacle{ObstacleEntry, i, j, v}
			}
		}
	}
	if lowest.Value < -tol*highest {
		lowest.Value /= highest
		return lowest
	}
	return Obstacle{}
}

// rangeObstacle is the largest entry of 1 − VVᵀ1 for the eigenvectors V of spec. A change
// of K by `bound` may turn V by bound/λ.
func rangeObstacle(spec *spectrum, bound, tol float64) Obstacle {
	n, rank := spec.rows.Cols, len(spec.values)
	rest := make([]float64, n)
	for i := range rest {
		rest[i] = 1
	}
	for range 2 {
		projectOutRows(rest, spec.rows, rank)
	}
	worst := Obstacle{Kind: ObstacleRange}
	for i, v := range rest {
		if math.Abs(v) > worst.Value {
			worst.Row, worst.Value = i, math.Abs(v)
		}
	}
	if rank == 0 || worst.Value > tol+2*math.Sqrt(float64(n))*bound/spec.values[rank-1] {
		return worst
	}
	return Obstacle{}
}

// simplexObstacle is the error of the best simplex around the samples Z. With fewer
// positive eigenvalues than clusters, each scale between those for that many and for k
// clusters may be the one.
func simplexObstacle(op *operator, z *Matrix, k int, tol float64) (Obstacle, error) {
	opts, _ := checkLSD(k, &LSDOptions{MaxIter: -1})
	left, err := op.without(NewMatrix(0, op.n, nil))
	if err != nil {
		return Obstacle{}, err
	}
	d := &descent{operator: op, opts: &opts, total: left.total}
	least := math.Inf(1)
	for used := z.Rows; used <= min(k, z.Rows+extraColumns); used++ {
		d.k = used
		f, err := d.run(inHyperplane(op, z, used, used, &opts), 0)
		if err != nil {
			return Obstacle{}, err
		}
		least = min(least, math.Sqrt(f.objective/d.total))
		if least <= max(tol, min(10*tol, 0.1)) {
			return Obstacle{}, nil
		}
	}
	return Obstacle{Kind: ObstacleSimplex, Value: least}, nil
}

// TILSDObstacle returns why no translation of kernel has an exact decomposition:
// ObstacleSign, ObstacleRank or ObstacleNone. One has, if and only if HKH is positive
// semidefinite of rank at most k−1, H = I − 11ᵀ/n. That is the paper's Theorem "Condition
// of TI-LSDable"; for K = XXᵀ it holds if and only if X is [SkMable]. tol is relative to
// the largest eigenvalue; 0 stands for 1e-8.
//
// Erratum: as printed the theorem is about translations by a vector of ℝ^d, and needs d ≥
// k. Two clusters on a line, X n×1, have rank(HKH) = 1 = k−1. Wherever the line begins, K
// has rank 1, but PPᵀ/c has rank 2 unless all samples coincide (TestErratumTranslation).
// Here, as for any kernel, translations may leave the span of the samples.
//
// Cost and errors: those of [TILSD]; [ErrOption] for a tol that is not in [0, 1).
func TILSDObstacle(kernel *Matrix, k int, tol float64) (Obstacle, error) {
	op, tol, err := lsdableOperator(kernel, k, tol)
	if err != nil {
		return Obstacle{}, err
	}
	if err := op.centre(); err != nil {
		return Obstacle{}, err
	}
	spec, bound, found, err := spectralObstacle(op, k-1, tol)
	if err != nil || found.Kind != ObstacleNone || spec.status == StatusConverged {
		return found, err
	}
	// The eigensolver reached its limit: measure what its vectors leave over.
	spec.rows = rowsOf(spec.rows, 0, min(k-1, spec.rows.Rows))
	spec.values = spec.values[:spec.rows.Rows]
	left, err := op.without(spec.factor())
	if rest := math.Sqrt(left.squares / float64(op.n)); err == nil && rest > bound {
		found = Obstacle{Kind: ObstacleRank, Value: rest / spec.top}
	}
	return found, err
}

// lsdableOperator checks the arguments, and returns the operator of kernel and tol or its
// default.
func lsdableOperator(kernel *Matrix, k int, tol float64) (*operator, float64, error) {
	if err := checkTol(tol); err != nil {
		return nil, 0, err
	}
	src, err := newDense(kernel, k, nil)
	if err != nil {
		return nil, 0, err
	}
	if tol == 0 {
		tol = lsdableTol
	}
	op, _, err := openSimilarity(context.Background(), src, k, nil)
	return op, tol, err
}

// spectralObstacle looks for a negative eigenvalue and for more than rank positive ones.
// Eigenvalues of up to bound count as 0.
func spectralObstacle(o *operator, rank int, tol float64) (spec *spectrum, bound float64, found Obstacle, err error) {
	if spec, err = o.leading(min(rank, o.n-1)+1, 0); err != nil {
		return nil, 0, found, err
	}
	minus := *o
	minus.negate = true
	low, err := minus.leading(1, 0)
	if err != nil {
		return nil, 0, found, err
	}
	// Entries are below 1, and rounding can make n·2^-50 of 0.
	top := max(spec.values[0], low.values[0])
	bound = max(tol*top, float64(o.n)*0x1p-50)
	switch {
	case low.values[0] > bound:
		found = Obstacle{Kind: ObstacleSign, Value: -low.values[0] / top}
	case rank < o.n && spec.values[rank] > bound:
		found = Obstacle{Kind: ObstacleRank, Value: spec.values[rank] / top}
	}
	return spec, bound, found, nil
}
