package softkmeans

// Floors of similarities, for every number of clusters, and similarities from distances.

import (
	"context"
	"math"
	"slices"
	"strconv"
)

// LSDFloors returns for k = 1, …, most (at most n) a lower bound of the objective of
// [LSD]. It is the least ‖K − M‖² of a positive semidefinite M of rank k: Σλ_i² over all
// eigenvalues λ of K but the k largest that are above 0. Its rounding is some n·2^-52 of
// ‖K‖².
//
// Cost: that of the eigenpairs of [LSD] for k = most. Errors: those of LSD, and
// [ErrOption] for most < 1.
func LSDFloors(ctx context.Context, s Similarity, most int, opts *LSDOptions) ([]float64, error) {
	return spectralFloors(ctx, s, most, opts, false)
}

// TILSDFloors returns for k = 1, …, most (at most n) the minimum of [TILSD]: Σλ_i² over all
// eigenvalues λ of HKH but the k−1 largest that are above 0. For K = XXᵀ these are fourth
// powers of singular values, not the squares of [Floors]. Cost, rounding and errors are
// those of [LSDFloors].
func TILSDFloors(ctx context.Context, s Similarity, most int, opts *LSDOptions) ([]float64, error) {
	return spectralFloors(ctx, s, most, opts, true)
}

// spectralFloors is TILSDFloors if centred, otherwise LSDFloors.
func spectralFloors(ctx context.Context, s Similarity, most int, opts *LSDOptions, centred bool) ([]float64, error) {
	op, o, err := openSimilarity(ctx, s, most, opts)
	if err != nil {
		return nil, err
	}
	op.part = true // the eigenvalues are wanted, not their proof
	rank := min(most, op.n)
	floors := make([]float64, rank)
	if centred {
		rank--
		if err := op.centre(); err != nil {
			return nil, err
		}
	}
	spec, z, left, err := op.nearest(rank, o.Seed)
	if err != nil {
		return nil, err
	}
	first := len(floors) - rank // the number of clusters that need one eigenvalue, less 1
	for i := range floors {
		floors[i] = left.squares
		for j := z.Rows - 1; j > i-first && j >= 0; j-- {
			floors[i] += spec.values[j] * spec.values[j]
		}
		floors[i] = unscale(floors[i], 2*op.exp)
	}
	return floors, nil
}

// DistanceKernel returns the similarities exp(−γd_ij²) for a symmetric n×n matrix of
// distances, which are at least 0, and 0 between a sample and itself. gamma 0 stands for
// the median heuristic of [RBFKernel], over all pairs. For Euclidean distances it is the
// RBF kernel of the samples. For others it may have negative eigenvalues, which count as
// error. The second result is γ. Cost: O(n²). Errors: [ErrShape] where the matrix is not
// square, not symmetric, or no matrix of distances; [ErrNonFinite], [ErrRange],
// [ErrTooFewSamples] and [ErrOption].
func DistanceKernel(distances *Matrix, gamma float64) (*Matrix, float64, error) {
	if err := checkAmount("gamma", gamma); err != nil {
		return nil, 0, err
	}
	if err := checkShape("distances", distances); err != nil {
		return nil, 0, err
	}
	if distances.Rows == 0 {
		return nil, 0, fail(ErrTooFewSamples, "distances has no rows")
	}
	if _, err := checkSymmetric("distances", distances); err != nil {
		return nil, 0, err
	}
	n := distances.Rows
	var all []float64
	for i := range n {
		for j, v := range distances.row(i) {
			switch {
			case v < 0, i == j && v != 0:
				return nil, 0, fail(ErrShape, "distances["+strconv.Itoa(i)+", "+strconv.Itoa(j)+"] is "+decimal(v)+
					"; distances are at least 0, and 0 on the diagonal")
			case j < i && v > 0:
				all = append(all, v)
			}
		}
	}
	if gamma == 0 {
		slices.Sort(all)
		m := 1.0
		if half := n * (n - 1) / 2; len(all) > 0 { // zeros, which are not in all, come first
			zeros := half - len(all)
			if zeros > half/2 {
				zeros, half = 0, len(all)
			}
			at := func(i int) float64 {
				if i < zeros {
					return 0
				}
				return all[i-zeros]
			}
			m = (at((half-1)/2) + at(half/2)) / 2
		}
		gamma = min(1/(2*m)/m, math.MaxFloat64)
	}
	k := NewMatrix(n, n, nil)
	for i := range n {
		for j := range i + 1 {
			v := distances.At(i, j)
			k.Set(i, j, math.Exp(-min(gamma*v*v, 1e4)))
			k.Set(j, i, k.At(i, j))
		}
	}
	return k, gamma, nil
}
