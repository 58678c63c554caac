package softkmeans

import (
	"context"
	"errors"
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
		labels, _ := plainNearest(x, j.toData(f))
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

// TestLloydWeights: a center is the weighted mean of its samples, and the inertia is what it says.
func TestLloydWeights(t *testing.T) {
	for _, sizes := range [][]int{{10, 20, 30}, {300, 400, 300}} { // one task, and four
		lloydWeights(t, sizes)
	}
}

func lloydWeights(t *testing.T, sizes []int) {
	t.Helper()
	x := separated(sizes)
	w := make1(x.Rows)
	for i := range w {
		w[i] = 0.25 * float64(1+i%7)
	}
	j, f := started(t, x, 3, &MinVolumeOptions{Weights: w})
	inertia := mustDo(newClustering(j.s, j.z, j.k).lloyd(f, 5))(t)
	centers := j.toData(f)
	var want float64
	first, second := sizes[0], sizes[0]+sizes[1]
	for _, c := range [][2]int{{0, first}, {first, second}, {second, x.Rows}} {
		mean, sum := make([]float64, 3), 0.0
		for i := c[0]; i < c[1]; i++ {
			axpy(mean, w[i], x.row(i))
			sum += w[i]
		}
		scale(mean, 1/sum)
		near := math.Inf(1)
		for a := range 3 {
			var d float64
			for l, v := range centers.row(a) {
				d += math.Abs(v - mean[l])
			}
			near = min(near, d)
		}
		if near > 1e-12*100 {
			t.Errorf("no center at the weighted mean of rows %d…%d: %g off", c[0], c[1]-1, near)
		}
		for i := c[0]; i < c[1]; i++ {
			for l, v := range x.row(i) {
				want += w[i] * (v - mean[l]) * (v - mean[l])
			}
		}
	}
	if got := j.s.unscaleSquare(inertia); math.Abs(got-want) > 1e-9*want {
		t.Errorf("inertia %g, want %g", got, want)
	}
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

// TestLloydEmptyWeights: an empty cluster moves to a row of positive weight, also where
// one of weight 0 is farther from its center.
func TestLloydEmptyWeights(t *testing.T) {
	x := NewMatrix(5, 1, []float64{-10.1, -9.9, 0, 9.9, 10.1})
	j, _ := started(t, x, 3, &MinVolumeOptions{Weights: []float64{1, 1, 0, 1, 1}})
	f := chosenRows(j.z, []int{0, 4, 4})
	scale(f.row(2), 1e3)
	if _, err := newClustering(j.s, j.z, j.k).lloyd(f, 1); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc([]int{0, 1, 3, 4},
		func(i int) bool { return slices.Equal(f.row(2), j.z.row(i)) }) {
		t.Errorf("the empty cluster moved to %v, rows are %v", f.row(2), j.z.Data)
	}
}

// TestExtremeIsSample: InitSPA takes no row of weight 0, not even where the others
// have no more directions to offer.
func TestExtremeIsSample(t *testing.T) {
	x := randomData(12, 2, 3, 1)
	w := make1(12)
	for i := 0; i < 12; i += 3 {
		w[i] = 0
		scale(x.row(i), 100)
	}
	j, f := started(t, x, 6, &MinVolumeOptions{Init: InitSPA, Weights: w})
	for a := range f.Rows {
		if !slices.ContainsFunc([]int{1, 2, 4, 5, 7, 8, 10, 11},
			func(i int) bool { return slices.Equal(f.row(a), j.z.row(i)) }) {
			t.Errorf("center %d is no sample of positive weight: %v", a, f.row(a))
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

// A start is many passes over the samples, and ends with its context.
func TestStartsSeeContext(t *testing.T) {
	j := mustDo(openMinVolume(bg, randomData(300, 20, 0, 1), 15, &MinVolumeOptions{Workers: 1}, true))(t)
	for name, start := range map[string]func() *Matrix{
		"k-means++": func() *Matrix {
			return newClustering(j.s, j.z,
				j.k).plusPlus(rand.New(rand.NewPCG(1, 1)))
		},
		"SPA": func() *Matrix { return j.extremeRows(0) },
	} {
		ctx := endingAt(0)
		j.s.ctx = ctx
		f := start()
		if top, _ := rowMaxAbs(f.Data[f.Cols:]); top != 0 || ctx.left.Load() == 0 {
			t.Errorf("%s went on, and asked %d times", name, -ctx.left.Load())
		}
		if out := j.run(runStart{f: f}, 0, 9, nil); out != nil {
			t.Errorf("%s: an unfinished start was used", name)
		}
	}
	if _, err := j.startCenters(0); !errors.Is(err, context.Canceled) {
		t.Errorf("k-means: %v", err)
	}
}

// fixedSource always returns the largest number, so that Float64 is just below 1.
type fixedSource struct{}

func (fixedSource) Uint64() uint64 { return math.MaxUint64 }

// TestDraws: rows by their shares, from the same random numbers.
func TestDraws(t *testing.T) {
	shares := []float64{0, 2, 0, 1, 0}
	a, b := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 2))
	for range 50 {
		want := 1
		if a.Float64()*3 >= 2 {
			want = 3
		}
		if got := sampleRow(b, shares); got != want {
			t.Fatalf("row %d, want %d", got, want)
		}
	}
	if got := sampleRow(b, make([]float64, 4)); got != 0 {
		t.Errorf("row %d without any share", got)
	}
	for n := 1; n < 60; n++ { // rounding may leave a rest after the last
		tenths := make([]float64, n+1)
		for i := range n {
			tenths[i] = .1
		}
		if got := sampleRow(rand.New(fixedSource{}), tenths); got != n-1 {
			t.Errorf("row %d of %d", got, n)
		}
	}
	s := &samples{n: 5, weights: shares, units: units{wexp: 2}}
	a, b = rand.New(rand.NewPCG(3, 4)), rand.New(rand.NewPCG(3, 4))
	for i, row := range drawRows(s, b, 200) {
		want := 1
		if a.Float64()*.75 >= .5 {
			want = 3
		}
		if row != want {
			t.Fatalf("draw %d is row %d, want %d", i, row, want)
		}
	}
}

// TestPlusPlusTable: k-means++ against its definition with the same random numbers: of
// 2 + ⌊log k⌋ candidates, drawn by weighted squared distance, the one that leaves the least.
func TestPlusPlusTable(t *testing.T) {
	x := randomData(25, 3, 0, 5)
	w := make1(25)
	for i := range w {
		w[i] = float64(i % 4)
	}
	for _, k := range []int{1, 2, 3, 8} {
		m := mustDo(openMinVolume(bg, x, k, &MinVolumeOptions{Weights: w}, true))(t)
		for seed := range uint64(5) {
			rng := rand.New(rand.NewPCG(seed, 1))
			dirty := make([]float64, 75)
			for i := range dirty {
				dirty[i] = math.NaN()
			}
			l := newClustering(m.s, m.z, k)
			l.scratch = dirty
			got := l.plusPlus(rand.New(rand.NewPCG(seed, 1)))
			shares := make([]float64, 25)
			for i := range shares {
				shares[i] = m.s.weight(i)
			}
			chosen := []int{sampleRow(rng, shares)}
			left := func(more ...int) (v []float64, sum float64) {
				v = make([]float64, 25)
				for i := range v {
					v[i] = math.Inf(1)
					for _, c := range append(slices.Clone(chosen), more...) {
						var d float64
						for l := range m.z.Cols {
							d += (m.z.At(i, l) - m.z.At(c, l)) * (m.z.At(i, l) - m.z.At(c, l))
						}
						v[i] = min(v[i], m.s.weight(i)*d)
					}
					sum += v[i]
				}
				return v, sum
			}
			for len(chosen) < k {
				now, _ := left()
				best, least := 0, math.Inf(1)
				for range 2 + int(math.Log(float64(k))) {
					i := sampleRow(rng, now)
					if _, sum := left(i); sum < least {
						best, least = i, sum
					}
				}
				chosen = append(chosen, best)
			}
			if want := chosenRows(m.z, chosen); maxDiff(got, want) != 0 {
				t.Errorf("k = %d, seed %d: not rows %v", k, seed, chosen)
			}
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

// TestInflated: the start of many centers is as large as the data, is turned like the centers given, and
// takes their order.
func TestInflated(t *testing.T) {
	const k = 33
	clean, _ := mixtures(150, 40, k, 0.3, 1, 1)
	m, err := openMinVolume(bg, noisy(clean, 20, 1), k, &MinVolumeOptions{Workers: 1}, true)
	must(t, err)
	f := rowsOf(m.z, 0, k).Clone()
	g := mustDo(m.inflated(f))(t)
	at := m.newIterate()
	copy(at.f.Data, g.Data)
	must(t, m.pass(at, nil))
	if at.objective > 2*m.target() || norm2(g.Data) < 2*norm2(f.Data) || dot(f.Data, g.Data) <= 0 {
		t.Errorf("objective %g for a target of %g, size %g of %g", at.objective, m.target(), norm2(g.Data),
			norm2(f.Data))
	}
	turned := f.Clone()
	for j := range k {
		copy(turned.row(j), f.row(k-1-j))
	}
	h := mustDo(m.inflated(turned))(t)
	for j := range k {
		if squaredDistance(h.row(j), g.row(k-1-j)) > 1e-12*sumSquares(g.Data) {
			t.Fatalf("center %d is not that of the same row in another order", j)
		}
	}
}
