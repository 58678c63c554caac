package softkmeans

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// plainMerit is the merit of labels of rows y: densities of Gaussians one by one, with a scatter of plain
// sums, and its inverse by Gauss–Jordan elimination.
func plainMerit(y *Matrix, labels []int, k int, w func(i int) float64) float64 {
	p := y.Cols
	mass, share, means := 0.0, make([]float64, k), NewMatrix(k, p, nil)
	for i, j := range labels {
		mass += w(i)
		share[j] += w(i)
		axpy(means.row(j), w(i), y.row(i))
	}
	cov, trace := NewMatrix(p, 2*p, nil), 0.0
	for j := range k {
		scale(means.row(j), 1/max(share[j], 1e-300))
		share[j] /= mass
	}
	for i, j := range labels {
		for a := range p {
			for b := range p {
				cov.row(a)[b] += w(i) / mass * (y.At(i, a) - means.At(j, a)) * (y.At(i, b) - means.At(j, b))
			}
		}
	}
	for a := range p {
		trace += cov.At(a, a)
	}
	for a := range p {
		cov.row(a)[a] += labelRidge * trace / float64(p)
		cov.row(a)[p+a] = 1
	}
	for a := range p { // the right half becomes the inverse
		scale(cov.row(a), 1/cov.At(a, a))
		for b := range p {
			if b != a {
				axpy(cov.row(b), -cov.At(b, a), cov.row(a))
			}
		}
	}
	sizes, rows := 0.0, 0.0
	for _, v := range share {
		if v > 0 {
			sizes -= v * math.Log(v)
		}
	}
	for i := range labels {
		of, sum := make([]float64, k), 0.0
		least := math.Inf(1)
		for pass := range 2 { // the least distance first, so that densities are not all 0
			for j := range k {
				q := 0.0
				for a := range p {
					for b := range p {
						q += (y.At(i, a) - means.At(j, a)) * cov.At(a, p+b) * (y.At(i, b) - means.At(j, b))
					}
				}
				if pass == 0 {
					if share[j] > 0 {
						least = min(least, q)
					}
					continue
				}
				of[j] = share[j] * math.Exp((least-q)/2)
				sum += of[j]
			}
		}
		for _, v := range of {
			if v > 0 {
				rows -= w(i) / mass * v / sum * math.Log(v/sum)
			}
		}
	}
	return sizes - entropyRate*rows
}

// TestMerit compares the merit of labels of any origin with plainMerit.
func TestMerit(t *testing.T) {
	for _, c := range labelCases() {
		if c.name == "far away, large" {
			continue
		}
		s := mustDo(newSamples(bg, c.x, c.w, 2, true))(t)
		at := mustDo(openClusters(s, c.g.Cols, nil))(t)
		labels := largest(nil, c.g)
		got := mustDo(at.merit(at.rule(labels, at.places(c.centers))))(t)
		want := plainMerit(at.y, labels, at.k, s.weight)
		if !(math.Abs(got-want) <= 1e-6*(1+math.Abs(want))) { // the rule's ridge has a part of the total
			t.Errorf("%s %d×%d: merit %.12g, want %.12g", c.name, c.x.Rows, c.x.Cols, got, want)
		}
	}
}

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
			if acc := accuracyOf(truth, own.Clusters); acc > 0.8 {
				t.Fatalf("%d rows: the memberships' start is right in %.3f", n, acc)
			}
			if acc := accuracyOf(truth, m.Clusters); acc < 0.99 {
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
