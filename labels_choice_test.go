package softkmeans

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// mixedUp is four clusters of n rows in all, whose memberships join two of them and cut another in two.
func mixedUp(n int) (c labelCase, truth []int) {
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	c = labelCase{name: "mixed up", x: NewMatrix(n, 3, nil), g: NewMatrix(n, 4, nil)}
	c.centers = NewMatrix(4, 3, nil)
	for i := range n {
		j := i % 4
		truth = append(truth, j)
		for a := range 3 {
			c.x.Set(i, a, rng.NormFloat64())
		}
		c.x.row(i)[j%3] += 12 * float64(1+j/3)
		at := [4]int{1, 1, 2, 3}[j]
		if j == 3 && c.x.At(i, 1) > 0 {
			at = 0
		}
		c.g.Set(i, at, 1)
	}
	return c, truth
}

// TestChosenLabels: where the memberships' labels settle at wrong clusters, those of another start take their
// place, with the numbers of the prototypes with which they share most rows. Many rows have a draw. The
// workers make no difference. What is not to be chosen from stays.
func TestChosenLabels(t *testing.T) {
	for _, n := range []int{160, labelDraw + 952} {
		c, truth := mixedUp(n)
		var first *Model
		for _, workers := range []int{1, 2, 5} {
			s := mustDo(newSamples(bg, c.x, c.w, workers, true))(t)
			own, m := c.labelled(t, workers), &Model{Centers: c.centers, Memberships: c.g}
			must(t, m.label(s, nil, false))
			if acc := mustDo(Accuracy(truth, own.Clusters))(t); acc > 0.8 {
				t.Fatalf("%d rows: the memberships' start is right in %.3f", n, acc)
			}
			if acc := mustDo(Accuracy(truth, m.Clusters))(t); acc < 0.99 {
				t.Errorf("%d rows, %d workers: right in %.3f", n, workers, acc)
			}
			for i, j := range m.Clusters { // clusters 2 and 3 keep their numbers; 0 and 1 are one prototype's
				if want := truth[i]; want == 2 && j != 2 {
					t.Fatalf("%d rows: row %d of cluster %d has label %d", n, i, want, j)
				}
			}
			if first == nil {
				first = m
			}
			if !slices.Equal(first.Clusters, m.Clusters) ||
				!laSameBits(first.ClusterAxes.Data, m.ClusterAxes.Data) {
				t.Errorf("%d rows: other labels with %d workers", n, workers)
			}
			checkClusters(t, c.name, m, c.x, c.w)
		}
	}
	for _, k := range []int{1, 2, 3} { // rows that are all the same, of which no clusters settle
		same := &Model{Centers: NewMatrix(k, 2, nil), Memberships: randomData(9, k, 0, 1)}
		s := mustDo(newSamples(bg, NewMatrix(9, 2, inTurn(18, 3, 4)), nil, 1, true))(t)
		must(t, same.label(s, nil, false))
		if len(same.Clusters) != 9 || same.ClusterAxes != nil {
			t.Errorf("k = %d: equal rows have the labels %v", k, same.Clusters)
		}
	}
}

// TestLabelsOfStarts: labels of a given start are those of its memberships; a context that ends while labels
// are chosen is an error, with a model that has these.
func TestLabelsOfStarts(t *testing.T) {
	x := standardized(loadCSV(t, "wine"))
	quick := mustDo(FitMinVolume(bg, x, 3, &MinVolumeOptions{Init: InitKMeans, Workers: 1}))(t)
	full := endingAt(1 << 30)
	best := mustDo(FitMinVolume(full, x, 3, &MinVolumeOptions{Workers: 1}))(t)
	own := &Model{Centers: best.Centers, Memberships: best.Memberships}
	must(t, own.label(mustDo(newSamples(bg, x, nil, 1, true))(t), nil, true))
	if maxDiff(quick.Centers, best.Centers) != 0 || !slices.Equal(quick.Clusters, own.Clusters) {
		t.Error("a given start has other centers, or not the labels of its memberships")
	}
	looks := int(1<<30 - full.left.Load())
	plain := endingAt(1 << 30)
	mustDo(FitMinVolume(plain, x, 3, &MinVolumeOptions{Init: InitKMeans, Workers: 1}))(t)
	for _, at := range []int{int(1<<30-plain.left.Load()) + 50, looks - 60} {
		m, err := FitMinVolume(endingAt(at), x, 3, &MinVolumeOptions{Workers: 1})
		if !errors.Is(err, context.Canceled) || m == nil || m.Status != StatusCancelled ||
			maxDiff(m.Centers, best.Centers) != 0 || m.Clusters != nil || m.ClusterMeans != nil {
			t.Errorf("ended at look %d of %d: %v", at, looks, err)
		}
	}
}
