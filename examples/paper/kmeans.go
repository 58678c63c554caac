package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"softkmeans"
	"softkmeans/internal/la"
)

const (
	kmeansRuns  = 10
	kmeansSteps = 300
)

// bestKMeans returns the centers (k×d) and labels of the best of ten runs of k-means: that
// of the least sum of squared distances.
func bestKMeans(x *softkmeans.Matrix, k int, seed uint64) (centers *softkmeans.Matrix, labels []int, err error) {
	best := math.Inf(1)
	for run := range kmeansRuns {
		f := firstCenters(x, k, rand.New(rand.NewPCG(seed, uint64(run))))
		at, err := lloyd(x, f)
		if err != nil {
			return nil, nil, err
		}
		var loss float64
		for i, a := range at {
			loss += la.SquaredDistance(x.Row(i), f.Row(a))
		}
		if loss < best {
			best, centers, labels = loss, f, at
		}
	}
	return centers, labels, nil
}

// firstCenters draws rows as k-means++ does (Arthur & Vassilvitskii 2007): each with a
// probability that is proportional to its squared distance from those before.
func firstCenters(x *softkmeans.Matrix, k int, rng *rand.Rand) *softkmeans.Matrix {
	f := softkmeans.NewMatrix(k, x.Cols, nil)
	far := make([]float64, x.Rows)
	for i := range far {
		far[i] = math.Inf(1)
	}
	next := rng.IntN(x.Rows)
	for a := range k {
		copy(f.Row(a), x.Row(next))
		var sum float64
		for i := range far {
			far[i] = min(far[i], la.SquaredDistance(x.Row(i), f.Row(a)))
			sum += far[i]
		}
		if next = rng.IntN(x.Rows); sum == 0 { // every row is a center
			continue
		}
		left := rng.Float64() * sum
		for i, v := range far {
			if left -= v; left < 0 {
				next = i
				break
			}
		}
	}
	return f
}

// lloyd moves the centers f to the means of the rows nearest to them until no label changes,
// and returns the labels. A center without rows stays.
func lloyd(x, f *softkmeans.Matrix) ([]int, error) {
	m := &softkmeans.Model{Centers: f, ClusterMeans: f} // labels are of the nearest
	labels, err := m.PredictLabels(nil, x)
	for step := 0; err == nil && step < kmeansSteps; step++ {
		sums, count := softkmeans.NewMatrix(f.Rows, f.Cols, nil), make([]float64, f.Rows)
		for i, a := range labels {
			count[a]++
			for j, v := range x.Row(i) {
				sums.Row(a)[j] += v
				f.Row(a)[j] = sums.At(a, j) / count[a]
			}
		}
		before := labels
		if labels, err = m.PredictLabels(nil, x); slices.Equal(labels, before) {
			break
		}
	}
	return labels, err
}
