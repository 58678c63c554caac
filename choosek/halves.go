package choosek

// How well two halves of the rows agree on their prototypes.

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/fault"
	"softkmeans/internal/la"
	"softkmeans/metrics"
)

// Agreement is measured on stablePairs pairs of halves of the rows, and on one pair of halves for each of
// stableClouds clouds without structure. The fits need not be exact. The rows are projected on leading
// directions, so that the floor contains too little noise to derive a slack from it. Therefore the slack is
// fixed. The thresholds of [Choose] were chosen with this slack.
const (
	stablePairs    = 4
	stableClouds   = 4
	stableMaxIter  = 320
	stableTol      = 1e-3
	stableSlack    = 0.25
	fewestOfCenter = 4 // rows of a half for each center
	stableStream   = 0x57ab
)

// halves is a table and two halves of its rows.
type halves struct{ all, a, b *softkmeans.Matrix }

// halvesOf returns stablePairs pairs of halves of z, and a pair for each of stableClouds
// normal clouds.
func halvesOf(z *softkmeans.Matrix, squares []float64, seed uint64) (list []halves) {
	rng := rand.New(rand.NewPCG(seed, stableStream))
	for pair := range stablePairs + stableClouds {
		all := z
		if pair >= stablePairs {
			all = cloud(z.Rows, z.Cols, squares, rng)
		}
		order := rng.Perm(z.Rows)
		at := z.Rows / 2
		list = append(list, halves{all, draws.Chosen(all, order[:at]), draws.Chosen(all, order[at:])})
	}
	return list
}

// cloud returns normal rows whose columns have about these sums of squares: rows with these squared singular
// values, but without structure (Dudoit & Fridlyand 2002 take a uniform cloud).
func cloud(rows, cols int, squares []float64, rng *rand.Rand) *softkmeans.Matrix {
	all := softkmeans.NewMatrix(rows, cols, nil)
	for i := range all.Data {
		all.Data[i] = math.Sqrt(squares[i%cols]/float64(rows)) * rng.NormFloat64()
	}
	return all
}

// agreement fits k prototypes to each half, and labels all rows by each fit. It returns the
// adjusted Rand index of the two labelings, or 0 if a fit uses fewer than k labels.
func (h *halves) agreement(ctx context.Context, k int, seed uint64) (float64, error) {
	var labels [2][]int
	for t, half := range []*softkmeans.Matrix{h.a, h.b} {
		o := softkmeans.MinVolumeOptions{
			Workers: 1, Seed: seed + uint64(t), MaxIter: stableMaxIter, Tol: stableTol,
			Slack: stableSlack, Init: softkmeans.InitKMeans, // labels without other starts
		}
		m, err := softkmeans.FitMinVolume(ctx, half, k, &o)
		if err != nil {
			return 0, err
		}
		if labels[t], err = m.PredictLabels(nil, h.all); err != nil {
			return 0, err
		}
		used := make([]bool, k)
		for _, l := range labels[t] {
			used[l] = true
		}
		if slices.Contains(used, false) {
			return 0, nil
		}
	}
	return metrics.AdjustedRand(labels[0], labels[1])
}

// agreements returns the mean agreement on k prototypes over some halves.
func agreements(ctx context.Context, list []halves, k, workers int, seed uint64) (float64, error) {
	found, errs := make([]float64, len(list)), make([]error, len(list))
	draws.Run(workers, len(list), func(task int) {
		found[task], errs[task] = list[task].agreement(ctx, k, seed)
	})
	return la.Sum(found) / float64(len(list)), fault.First(errs...)
}
