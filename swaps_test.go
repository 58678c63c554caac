package softkmeans

import (
	"math"
	"math/rand/v2"
	"testing"
)

// blobs is n rows in k blobs of standard deviation 1 at the corners of a grid of the given step, and the blob
// of each row.
func blobs(n, d, k int, step float64, seed uint64) (x *Matrix, truth []int) {
	rng := rand.New(rand.NewPCG(seed, 0))
	side := int(math.Ceil(math.Pow(float64(k), 1/float64(d))))
	x = NewMatrix(n, d, nil)
	for i := range n {
		truth = append(truth, i%k)
		at := i % k
		for c := range d {
			x.Set(i, c, step*float64(at%side)+rng.NormFloat64())
			at /= side
		}
	}
	return x, truth
}

// opened is the clusters of rows about the centers of labels, with these settled.
func opened(t *testing.T, x *Matrix, w []float64, k int, labels []int) (*clusters, *Matrix, *settled) {
	t.Helper()
	s := mustDo(newSamples(bg, x, w, 1, true))(t)
	c := mustDo(openClusters(s, k, leading(t, s, k)))(t)
	places := c.places(plainMeans(x, labels, NewMatrix(k, x.Cols, nil), w))
	return c, places, mustDo(c.rest(labels, places))(t)
}

// TestSwaps: from labels that join blobs and cut others, swaps lead to the blobs. The merit they return is that
// of their labels and no lower than before, and the determinant no larger. Rows of weight 0 count for nothing and have any label.
func TestSwaps(t *testing.T) {
	for _, shape := range [][3]int{{300, 2, 12}, {400, 5, 20}, {200, 1, 8}} {
		n, d, k := shape[0], shape[1], shape[2]
		x, truth := blobs(n, d, k, 30, uint64(k))
		for _, weighted := range []bool{false, true} {
			var w []float64
			if weighted {
				for i := range n {
					w = append(w, float64((i/k)%4)*0x1p40)
				}
			}
			labels := make([]int, n)
			for i, j := range truth { // 1 joins 0, 3 joins 2, and blobs 5 and 6 are cut
				labels[i] = j
				switch {
				case j == 1 || j == 3:
					labels[i] = j - 1
				case j == 5 && x.At(i, 0) > x.At(5, 0):
					labels[i] = 1
				case j == 6 && x.At(i, 0) > x.At(6, 0):
					labels[i] = 3
				}
			}
			c, places, from := opened(t, x, w, k, labels)
			if acc := accuracyOf(truth, labels); acc > 0.95 {
				t.Fatalf("%v: the start is right in %.3f", shape, acc)
			}
			to := mustDo(c.swaps(from, places))(t)
			var want, got []int
			for i, j := range to.labels {
				if w == nil || w[i] > 0 {
					want, got = append(want, truth[i]), append(got, j)
				}
			}
			if acc := accuracyOf(want, got); acc < 1 {
				t.Errorf("%v, weights %v: right in %.3f", shape, weighted, acc)
			}
			again := c.rule(to.labels, places)
			sizes := 0.0 // the merit of clusters that do not overlap is the entropy of their sizes
			for _, w := range again.weights {
				w /= sumOf(again.weights)
				sizes -= w * math.Log(w)
			}
			if own := mustDo(c.merit(again))(t); to.merit < from.merit || math.Abs(own-to.merit) > 1e-12 ||
				math.Abs(own-sizes) > 1e-12 || to.logDet > from.logDet || to.logDet != again.logDet {
				t.Errorf("%v: merit %g after %g, of the labels %g, entropy %g; log det %g after %g", shape, to.merit,
					from.merit, own, sizes, to.logDet, from.logDet)
			}
		}
	}
}

// TestSwapsLower: on rows without clusters, too, merit does not fall and the determinant does not rise, and
// one or two clusters have nothing to swap.
func TestSwapsLower(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n, d, k := 20+rng.IntN(60), 1+rng.IntN(4), 1+int(seed%10)
		labels := make([]int, n)
		for i := range labels {
			labels[i] = rng.IntN(k)
		}
		c, places, from := opened(t, randomData(n, d, 0, seed), nil, k, labels)
		to := mustDo(c.swaps(from, places))(t)
		if to.merit < from.merit || to.logDet > from.logDet || to.filled < from.filled ||
			k < 3 && to.rule != from.rule {
			t.Errorf("seed %d, k = %d: merit %g after %g, log det %g after %g", seed, k, to.merit, from.merit,
				to.logDet, from.logDet)
		}
	}
}

// TestWidest compares the direction of a cluster's cut with the leading eigenvector of its scatter.
func TestWidest(t *testing.T) {
	x := mapped(randomData(500, 4, 0, 9), func(_, j int, v float64) float64 { return v * float64(1+9*(j/3)) })
	z := &metricRows{settled: &settled{labels: make([]int, 500)}, s: mustDo(newSamples(bg, x, nil, 1, true))(t), y: x}
	if axis := z.widest(0); math.Abs(axis[3]) < 0.999 {
		t.Errorf("axis %v", axis)
	}
}
