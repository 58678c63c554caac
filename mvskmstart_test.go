package softkmeans

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// separated returns k clusters of the given sizes, far apart from each other.
func separated(sizes []int) *Matrix {
	var rows [][]float64
	noise := randomData(1000, 3, 0, 7)
	for c, size := range sizes {
		for range size {
			e := noise.row(len(rows))
			rows = append(rows, []float64{e[0] + 40*float64(c%3),
				e[1] + 40*float64(c/3%3), e[2] + 40*float64(c/9)})
		}
	}
	x, _ := FromRows(rows)
	return x
}

// TestKMeansStart: the best of the runs is kept, so that separated clusters of
// very different sizes are all found, from any seed.
func TestKMeansStart(t *testing.T) {
	sizes := []int{3, 200, 40, 5, 120, 60, 9, 80}
	x := separated(sizes)
	for seed := range uint64(8) {
		j, f := started(t, x, len(sizes), &MinVolumeOptions{Init: InitKMeans, Seed: seed})
		m := Model{Centers: j.toData(f)}
		labels := mustDo(m.Nearest(nil, x))(t)
		at := 0
		seen := map[int]bool{}
		for _, size := range sizes {
			for i := at; i < at+size; i++ {
				if labels[i] != labels[at] {
					t.Fatalf("seed %d: cluster of row %d is cut", seed, at)
				}
			}
			if seen[labels[at]] {
				t.Fatalf("seed %d: two clusters share a center", seed)
			}
			seen[labels[at]] = true
			at += size
		}
	}
}

// TestKMeansAllRows: where the runs are made on a draw of the rows, the centers are those
// of all rows at the end: a step on these lowers the inertia no more.
func TestKMeansAllRows(t *testing.T) {
	t.Parallel()
	x := randomData(kmeansRows+1000, 2, 0, 9)
	for i := range x.Rows {
		x.row(i)[0] += 20 * float64(i%3)
	}
	j, f := started(t, x, 3, &MinVolumeOptions{Init: InitKMeans})
	all := newClustering(j.s, j.z, j.k)
	first := mustDo(all.lloyd(f, 1))(t)
	second, err := all.lloyd(f, 1)
	if err != nil || second < first*(1-2e-6) {
		t.Errorf("inertia %g, after a step on all rows %g, %v", first, second, err)
	}
}

// randomCenters returns k different rows of x at random: a start that is seldom good.
func randomCenters(x *Matrix, k int, seed uint64) *Matrix {
	return chosenRows(x, rand.New(rand.NewPCG(seed, 0)).Perm(x.Rows)[:k])
}

// started returns the coordinates in which a fit begins, and its first start.
func started(t *testing.T, x *Matrix, k int, o *MinVolumeOptions) (*alternation, *Matrix) {
	t.Helper()
	j := mustDo(openMinVolume(bg, x, k, o, true))(t)
	return j, mustDo(j.startCenters(0))(t).f
}

// TestLloydEmpty: clusters that nothing is nearest to move to where they are missing.
func TestLloydEmpty(t *testing.T) {
	x := separated([]int{10, 20, 30})
	j, good := started(t, x, 3, &MinVolumeOptions{})
	want := mustDo(newClustering(j.s, j.z, j.k).lloyd(good, 50))(t)
	for what, f := range map[string]*Matrix{"all at one sample": chosenRows(j.z, []int{4, 4, 4}),
		"two far away": chosenRows(j.z, []int{4, 4, 4})} {
		if what == "two far away" {
			scale(f.Data[f.Cols:], 1e3)
		}
		got, err := newClustering(j.s, j.z, j.k).lloyd(f, 50)
		if err != nil || math.Abs(got-want) > 1e-12*want {
			t.Errorf("%s: inertia %g, it can be %g, %v", what, got, want, err)
		}
	}
}

// Weights may be 1e580 apart: rows below 2^-500 of the largest weight do not count, and
// clusters of the others have centers.
func TestKMeansWeightsApart(t *testing.T) {
	x := mapped(randomData(30, 4, 0, 1), func(_, _ int, v float64) float64 { return 1 + 1e-15*v })
	w := make([]float64, 30)
	for i := range w {
		w[i] = math.Pow(10, float64(20*i-300))
	}
	for _, sum := range []Sum{SumToOne, SumAtMostOne} {
		m := mustDo(FitMinVolume(bg, x, 8,
			&MinVolumeOptions{Weights: w, Sum: sum, Progress: func(i Iteration) {
				if math.IsNaN(i.Objective) {
					t.Fatal("NaN")
				}
			}}))(t)
		if _, err := checkEntries("centers", m.Centers, mostCenter); err != nil {
			t.Error(err)
		}
	}
}

// TestExtremeTable: each extreme row is the farthest from the hull of those before, from
// the mean or the origin first.
func TestExtremeTable(t *testing.T) {
	x := NewMatrix(7, 2, []float64{0, 0, 10, 0, 9, 8, 0, 9.5, 1, 1, 2, 3, 5, 5})
	w := []float64{1, 1, 1, 1, 1, 0, 1}
	for _, c := range []struct {
		sum Sum
		k   int
	}{{SumToOne, 3}, {SumAtMostOne, 2}} {
		vf := mustDo(openMinVolume(bg, x, c.k, &MinVolumeOptions{Weights: w, Sum: c.sum}, true))(t)
		got := vf.toData(vf.extremeRows(0))
		// By definition, in the plane.
		var want []int
		mean := make([]float64, 2)
		if c.sum == SumToOne {
			copy(mean, vf.s.mean)
			scale(mean, math.Ldexp(1, vf.s.exp))
		}
		for len(want) < c.k {
			best, most := -1, -1.0
			for i := range 7 {
				if w[i] == 0 {
					continue
				}
				v := []float64{x.At(i, 0) - mean[0], x.At(i, 1) - mean[1]}
				d := sumSquares(v)
				from := want
				if c.sum == SumToOne && len(want) > 0 {
					from = want[1:]
					v = []float64{x.At(i, 0) - x.At(want[0], 0), x.At(i, 1) - x.At(want[0], 1)}
					d = sumSquares(v)
				}
				if len(from) == 1 {
					u := slices.Clone(x.row(from[0]))
					if c.sum == SumToOne {
						axpy(u, -1, x.row(want[0]))
					}
					cross := v[0]*u[1] - v[1]*u[0]
					d = cross * cross / sumSquares(u)
				}
				if d > most {
					best, most = i, d
				}
			}
			want = append(want, best)
		}
		if maxDiff(got, chosenRows(x, want)) > 1e-14 {
			t.Errorf("%v: rows %v, want %v", c.sum, got.Data, want)
		}
	}
}

// TestExtremeRestarts: restarts of InitSPA take other rows of positive weight, the same for the same seed,
// and the lowest loss is kept.
func TestExtremeRestarts(t *testing.T) {
	x, w := randomData(60, 4, 3, 1), make1(60)
	w[7] = 0
	scale(x.row(7), 100)
	j, first := started(t, x, 4, &MinVolumeOptions{Init: InitSPA, Weights: w})
	others := 0
	for restart := range 6 {
		f := j.extremeRows(restart)
		if !slices.Equal(f.Data, first.Data) {
			others++
		}
		if !slices.Equal(f.Data, j.extremeRows(restart).Data) {
			t.Error("other rows with the same seed")
		}
		for a := range f.Rows {
			at := -1
			for i := range x.Rows {
				if slices.Equal(f.row(a), j.z.row(i)) {
					at = i
				}
			}
			if at < 0 || at == 7 {
				t.Errorf("restart %d: center %d is row %d", restart, a, at)
			}
		}
	}
	if others == 0 {
		t.Error("all restarts take the same rows")
	}
	loss := math.Inf(1)
	for _, restarts := range []int{1, 2, 4, 8} {
		o := MinVolumeOptions{Init: InitSPA, Restarts: restarts, Lambda: 1, Weights: w}
		m := mustDo(FitMinVolume(bg, x, 4, &o))(t)
		if is := m.Trace[len(m.Trace)-1]; is > loss {
			t.Errorf("%d restarts: a loss of %v, %v with fewer", restarts, is, loss)
		} else {
			loss = is
		}
	}
}
