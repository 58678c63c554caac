package softkmeans

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSummary: weights add up to that of all rows, estimates over many seeds to the
// truth, and the outermost rows are there.
func TestSummary(t *testing.T) {
	t.Parallel()
	x := noisy(firstOf(mixtures(3000, 4, 3, 0.5, 1, 1)), 20, 1)
	weights := make1(x.Rows)
	for i := range weights {
		weights[i] = float64(i % 4)
	}
	value := func(row []float64) float64 { return math.Abs(row[0]-row[1]) + row[2]*row[2] }
	var truth, all float64
	far, size := 0, 0.0
	mean := statsOf(t, x, weights).Mean()
	for i, w := range weights {
		truth += w * value(x.row(i))
		all += w
		if d := squaredDistance(x.row(i), mean); w > 0 && d > size {
			far, size = i, d
		}
	}
	var sum, square float64
	seeds := 60
	for seed := range seeds {
		w := &streamedFit{o: &MinVolumeSeqOptions{MinVolumeOptions: MinVolumeOptions{Seed: uint64(seed)}, SummaryRows: 200}, k: 3,
			sequence: sequence{ctx: bg, blocks: inBlocks(x, 999), o: &Options{Weights: weights}}}
		if rows, err := w.subspace(); err != nil || rows != nil {
			t.Fatal(rows, err)
		}
		j, err := w.summarise()
		if err != nil {
			t.Fatal(err)
		}
		var total, estimate float64
		found := false
		for i := range j.s.n {
			total += j.s.weights[i]
			estimate += j.s.weights[i] * value(j.s.x.row(i))
			found = found || slices.Equal(j.s.x.row(i), x.row(far))
		}
		if math.Abs(total-all) > 1e-10*all || j.s.n > 200 || j.s.n < 120 || !found {
			t.Errorf("%d rows, of weight %g, not %g; the farthest is there: %v", j.s.n, total, all, found)
		}
		sum += estimate / float64(seeds)
		square += estimate * estimate / float64(seeds)
	}
	dev := math.Sqrt(max(square-sum*sum, 0))
	t.Logf("%g of %g, deviation %g", sum, truth, dev)
	if math.Abs(sum-truth) > 5*dev/math.Sqrt(float64(seeds)) || dev > 0.1*truth {
		t.Errorf("the mean of estimates is %g, not %g; they deviate by %g", sum, truth, dev)
	}
}

// TestSummaryFlat: the corners of a flat simplex are in the summary, also the one over the
// middle of the others, which is out along the flat side only.
func TestSummaryFlat(t *testing.T) {
	t.Parallel()
	const n, k = 2000, 4
	corners := NewMatrix(k, 3, []float64{0, 0, 0, 1, 0, 0, 0, 1, 0, 0.3, 0.3, 0.01})
	x := NewMatrix(n, 3, nil)
	rng := rand.New(rand.NewPCG(3, 2))
	for i := range n {
		g := make([]float64, k)
		sum := 0.0
		for a := range g {
			g[a] = 1 + rng.Float64()
			sum += g[a]
		}
		for a, v := range g {
			axpy(x.row(i), v/sum, corners.row(a))
		}
	}
	for a := range k {
		copy(x.row(100+500*a), corners.row(a))
	}
	for seed := range uint64(5) {
		w := &streamedFit{o: &MinVolumeSeqOptions{MinVolumeOptions: MinVolumeOptions{Seed: seed}, SummaryRows: 200}, k: k,
			sequence: sequence{ctx: bg, blocks: inBlocks(x, 999), o: &Options{}}}
		if rows, err := w.subspace(); err != nil || rows != nil {
			t.Fatal(rows, err)
		}
		j, err := w.summarise()
		if err != nil {
			t.Fatal(err)
		}
		for a := range k {
			found := false
			for i := range j.s.n {
				found = found || slices.Equal(j.s.x.row(i), corners.row(a))
			}
			if !found {
				t.Errorf("seed %d: corner %d of a flat simplex is not among %d rows", seed, a, j.s.n)
			}
		}
	}
}

// firstOf is the data of what mixtures returns.
func firstOf(x, _ *Matrix) *Matrix { return x }
