package softkmeans

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// meanAngle is the mean spectral angle in degrees between true and found prototypes, matched greedily.
func meanAngle(truth, found *Matrix) (mean float64) {
	used := make([]bool, found.Rows)
	for i := range truth.Rows {
		best, at := math.Inf(1), -1
		for j := range found.Rows {
			cos := dot(truth.row(i), found.row(j)) / norm2(truth.row(i)) / norm2(found.row(j))
			if a := math.Acos(min(cos, 1)) * 180 / math.Pi; !used[j] && a < best {
				best, at = a, j
			}
		}
		used[at] = true
		mean += best / float64(truth.Rows)
	}
	return mean
}

var unmixingShapes = [][2]int{{3, 8}, {4, 200}, {5, 50}, {6, 30}, {8, 200}, {7, 8}}

// unmixings are the shapes that a run has time for.
func unmixings() [][2]int {
	return fewer(fewer(unmixingShapes, [][2]int{{3, 8}, {4, 200}, {7, 8}}), unmixingShapes[:2])
}

// TestUnmixExact: with all options at their defaults the vertices of noise-free
// mixtures come back, whether or not some samples are nearly pure.
func TestUnmixExact(t *testing.T) {
	t.Parallel()
	for _, s := range unmixings() {
		for _, most := range purest[s[0]%2:] {
			x, truth := mixtures(fewer(2000, 250), s[1], s[0], 0.5, most, 1)
			m := mustDo(FitMinVolume(bg, x, s[0], nil))(t)
			a := meanAngle(truth, m.Centers)
			if a > 0.25 || m.Volume != VolumeAffine {
				t.Errorf("k %d d %d purest %g: mean angle %.3f°, volume %v, %v", s[0], s[1], most, a, m.Volume, m.Status)
			}
		}
	}
	// Pure samples are the answer, unless the error of a row of next to no weight could be anything.
	x, truth := mixtures(30, 4, 3, 0.5, 0.9, 1)
	copy(x.Data, truth.Data)
	for _, weight := range []float64{1, 1e-28} {
		w := make1(x.Rows)
		w[29] = weight
		vf, _ := started(t, x, 3, &MinVolumeOptions{Weights: w})
		if pure := pureSamples(vf) != nil; pure != (weight == 1) {
			t.Errorf("weight %g: the samples are the answer: %t", weight, pure)
		}
	}
}

// TestUnmixNoisy: at 30 dB the prototypes are nearer to the truth than the
// samples that SPA picks, and so are the abundances.
func TestUnmixNoisy(t *testing.T) {
	t.Parallel()
	for _, s := range unmixings() {
		for _, most := range purest[s[0]%2:] {
			clean, truth := mixtures(fewer(2000, 250), s[1], s[0], 0.5, most, 1)
			x := noisy(clean, 30, 2)
			j, start := started(t, x, s[0], &MinVolumeOptions{Init: InitSPA})
			spa := j.toData(start)
			m := mustDo(FitMinVolume(bg, x, s[0], &MinVolumeOptions{Init: InitSPA, Slack: 0.1 * float64(s[0]-1) / float64(s[1]-s[0]+1)}))(t)
			g := mustDo(SimplexLeastSquares(nil, x, spa, nil))(t)
			was, is := meanAngle(truth, spa), meanAngle(truth, m.Centers)
			werr, ierr := plainObjective(clean, spa, g, nil), plainObjective(clean, m.Centers, m.Memberships, nil)
			if is >= was || ierr >= werr {
				t.Errorf("k %d d %d purest %g: SPA %.3f°, min-volume %.3f°; error %.4g, %.4g", s[0], s[1], most, was, is, werr, ierr)
			}
		}
	}
}

// TestMinVolumeDegenerate: every kind of strange data gives finite centers,
// feasible memberships and a status.
func TestMinVolumeDegenerate(t *testing.T) {
	t.Parallel()
	constant := mapped(NewMatrix(12, 3, nil), func(_, j int, _ float64) float64 { return float64(j) + 0.1 })
	rank1 := mapped(NewMatrix(30, 5, nil), func(i, j int, _ float64) float64 { return float64(i*i) * float64(j+1) })
	doubled := mapped(NewMatrix(40, 3, nil), func(i, j int, _ float64) float64 { return float64((i / 2 * (j + 3)) % 7) })
	n := fewer(30, 16)
	random := randomData(n, 4, 1, 9)
	for _, c := range []struct {
		name string
		x    *Matrix
		k    int
	}{
		{"equal rows", constant, 3}, {"zeros", NewMatrix(5, 4, nil), 2}, {"one row", rowsOf(random, 0, 1), 3}, {"one column", randomData(20, 1, 0, 1), 4},
		{"one value", NewMatrix(1, 1, []float64{7}), 1}, {"k = 1", random, 1}, {"rank 1", rank1, 4}, {"k > d+1", random, 9}, {"k > n", random, n + 5},
		{"k = n", random, n}, {"doubled rows", doubled, 5}, {"wide", randomData(10, 300, 0, 2), 4}, {"wide, k > n", randomData(4, 50, 0, 2), 6},
		{"large", mapped(random, func(_, _ int, v float64) float64 { return v * 1e150 }), 3}, {"small", mapped(random, func(_, _ int, v float64) float64 { return v * 1e-150 }), 3},
		{"outlier", mapped(random, func(i, _ int, v float64) float64 {
			if i == 3 {
				return v * 1e9
			}
			return v
		}), 3},
	} {
		for _, sum := range []Sum{SumToOne, SumAtMostOne} {
			for _, volume := range []Volume{VolumeAuto, VolumeOrigin, VolumeAffine} {
				for _, init := range []Init{InitAuto, InitSPA, InitGlobal} {
					if volume == VolumeAuto != (init == InitAuto) || init == InitGlobal && sum == SumAtMostOne {
						continue
					}
					m, err := FitMinVolume(bg, c.x, c.k, &MinVolumeOptions{Sum: sum, Volume: volume, Init: init, MaxIter: fewer(10, 3)})
					if err != nil {
						t.Errorf("%s %v %v %v: %v", c.name, sum, volume, init, err)
						continue
					}
					finiteModel(t, m)
					checkShares(t, m.Memberships, sum)
					if m.Objective < m.Floor-1e-12*m.Total || m.Status == StatusNone || m.Status == StatusCancelled {
						t.Errorf("%s %v %v %v: objective %g below floor %g, %v", c.name, sum, volume, init, m.Objective, m.Floor, m.Status)
					}
				}
			}
		}
	}
}

// TestMinVolumeErrors: rows and options that are none are refused before any work, by both fits.
func TestMinVolumeErrors(t *testing.T) {
	x, f := scarce(20, 4, 3, 0.05, 8)
	sparse, narrow := sparseOf(words(60, 60, 3, 8, 2)), sparseOf(loadCSV(t, "iris"))
	fixed, nan, inf := firstRows(f, 2), math.NaN(), math.Inf(1)
	with := func(m *Matrix, v float64) *Matrix {
		m = m.Clone()
		m.row(1)[2] = v
		return m
	}
	type o = MinVolumeOptions
	short := &Matrix{Rows: 2, Cols: 4, Stride: 4}
	for i, c := range []struct {
		x    Samples
		o    o
		want error
		text string
	}{
		{NewMatrix(0, 3, nil), o{}, ErrTooFewSamples, "no rows"}, {with(x, -inf), o{}, ErrNonFinite, "x[1,2]"},
		{x, o{Workers: -1}, ErrOption, "Workers"}, {x, o{Weights: make1(3)}, ErrShape, "3 weights"},
		{(*Matrix)(nil), o{Centers: with(f, nan)}, ErrNonFinite, "Centers[1,2]"},
		{(*Matrix)(nil), o{Centers: f}, ErrShape, "x is nil"}, {x, o{Centers: with(f, 0x1p521)}, ErrRange, "Centers[1,2]"},
		{with(x, above(mostEntry)), o{}, ErrRange, "x[1,2]"},
		{x, o{Lower: make([]float64, 3)}, ErrShape, "of 3"}, {x, o{Upper: make([]float64, 5)}, ErrShape, "of 5"},
		{x, o{Lower: []float64{nan}}, ErrOption, "column 0"}, {x, o{Upper: []float64{0, 1, nan, 4}}, ErrOption, "column 2"},
		{x, o{Lower: []float64{1}, Upper: []float64{2, 2, .5, 2}}, ErrOption, "column 2"},
		{x, o{NonNegative: true, Upper: []float64{-1}}, ErrOption, "column 0"},
		{x, o{Lower: []float64{inf}}, ErrOption, "Lower"}, {x, o{Upper: []float64{-inf}}, ErrOption, "Upper"},
		{x, o{Lower: []float64{1e300}}, ErrOption, "Lower"},
		{x, o{Fixed: NewMatrix(4, 4, nil)}, ErrShape, "Fixed is 4×4"}, {x, o{Fixed: NewMatrix(2, 5, nil)}, ErrShape, "2×5"},
		{x, o{Fixed: NewMatrix(0, 5, nil)}, ErrShape, "0×5"}, {x, o{Fixed: short}, ErrShape, "0 values"},
		{x, o{Fixed: short, Centers: f}, ErrShape, "0 values"}, {x, o{Fixed: with(fixed, nan)}, ErrNonFinite, "Fixed[1,2]"},
		{x, o{Fixed: with(fixed, 0x1p521)}, ErrRange, "Fixed[1,2]"}, {x, o{Fixed: fixed, Init: InitKMeans}, ErrOption, "Init"},
		{x, o{Fixed: fixed, Init: InitGlobal}, ErrOption, "Init"},
		{x, o{Fixed: with(fixed, -1), NonNegative: true}, ErrOption, "Fixed[1,2]"},
		{x, o{Fixed: with(fixed, 2), Upper: []float64{1}}, ErrOption, "Fixed["},
		{x, o{Fixed: fixed, Centers: x}, ErrShape, "Centers are 20×4"},
		{x, o{Fixed: with(fixed, above(fixed.At(1, 2))), Centers: f}, ErrOption, "row 1 of Centers"},
		{sparse, o{Plain: true}, ErrOption, "Plain is set"}, {narrow, o{Plain: true}, ErrOption, "Plain is set"},
		{sparse, o{Workers: -1}, ErrOption, "Workers is -1"}, {narrow, o{Weights: []float64{1}}, ErrShape, "1 weights for"},
		{sparse, o{Centers: NewMatrix(3, 2, nil)}, ErrShape, "Centers are 3×2, not 3×"},
	} {
		calls := 0
		c.o.Progress = func(Iteration) { calls++ }
		for _, fit := range []func(context.Context, Samples, int, *o) (*Model, error){FitMinVolume, FitAlternating} {
			m, err := fit(bg, c.x, 3, &c.o)
			if m != nil || calls > 0 || !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("%d: %v, not %v with %q; %d calls", i, err, c.want, c.text, calls)
			}
		}
	}
}

// TestMinVolumeRange: entries may be 2^500, or all as small as 2^-500, and given centers 2^520.
func TestMinVolumeRange(t *testing.T) {
	for _, top := range []float64{mostEntry, leastScale} {
		x := NewMatrix(4, 2, []float64{0, 0, top / 2, 0, 0, top / 2, top, top / 4})
		far := NewMatrix(3, 2, []float64{0, 0, 0, mostCenter, mostCenter, 0})
		for _, centers := range []*Matrix{nil, NewMatrix(3, 2, nil), far} {
			finiteModel(t, mustDo(FitMinVolume(bg, x, 3, &MinVolumeOptions{MaxIter: 20, Centers: centers}))(t))
		}
	}
}

// TestMinVolumeCancel stops fits after ever more looks at the context, or passes. The error is the context's.
// Once a pass is complete, a model is returned. Its objective is the squared error of its centers and
// memberships. Fixed centers are there to the bit, and centers are within their bounds.
func TestMinVolumeCancel(t *testing.T) {
	t.Parallel()
	digits := rowsOf(standardized(loadCSV(t, "digits")), 0, fewer(700, 120))
	many, _ := blobs(300, 2, 12, 30, 1)
	low, _ := scarce(300, 60, 3, 0.3, 4)
	tall, f := scarce(300, 40, 4, 0.02, 5)
	table, fixed := words(150, 60, 4, 15, 1), firstRows(f, 2)
	for name, c := range map[string]struct {
		x    *Matrix
		rows Samples
		k    int
		o    MinVolumeOptions
	}{
		"restarts":      {digits, digits, 4, MinVolumeOptions{Restarts: 2, MaxIter: 4}},
		"global":        {digits, digits, 4, MinVolumeOptions{Init: InitGlobal, MaxIter: 4}},
		"λ":             {digits, digits, 4, MinVolumeOptions{Lambda: 2, Init: InitSPA, MaxIter: 4}},
		"clusters":      {many, many, 12, MinVolumeOptions{}},
		"bounds":        {low, low, 3, MinVolumeOptions{NonNegative: true}},
		"fixed":         {tall, tall, 4, MinVolumeOptions{Fixed: fixed}},
		"pure rows":     {f, chosenRows(f, slices.Repeat([]int{0, 1, 2, 3}, 10)), 4, MinVolumeOptions{Fixed: fixed}},
		"sparse":        {table, sparseOf(table), 3, MinVolumeOptions{}},
		"sparse bounds": {table, sparseOf(table), 3, MinVolumeOptions{NonNegative: true}},
	} {
		for _, passes := range []bool{false, true} {
			stops, models := 0, 0
			for at := 0; ; at = at*9/8 + 1 {
				ctx, o, told := endingAt(at), c.o, 0
				if o.Workers = 1; passes {
					ctx.left.Store(math.MaxInt)
					o.Progress = func(Iteration) {
						if told++; told == at+1 {
							ctx.left.Store(0)
						}
					}
				}
				m, err := FitMinVolume(ctx, c.rows, c.k, &o)
				if ctx.left.Load() >= 0 {
					must(t, err)
					break
				}
				if !errors.Is(err, context.Canceled) || m != nil && m.Status != StatusCancelled ||
					m == nil && passes && name != "clusters" {
					t.Fatalf("%s, ended at %d, passes %v: %v", name, at, passes, err)
				}
				if stops++; m == nil || name == "pure rows" {
					continue
				}
				models++
				checkFeasible(t, m.Memberships)
				finiteModel(t, m)
				if got := plainObjective(c.x, m.Centers, m.Memberships, nil); math.Abs(got-m.Objective) > 1e-10*m.Total {
					t.Fatalf("%s, ended at %d: objective %g, is %g", name, at, m.Objective, got)
				}
				if o.Fixed != nil && !laSameBits(firstRows(m.Centers, 2).Data, fixed.Data) {
					t.Errorf("%s, ended at %d: fixed centers moved", name, at)
				}
				if least := slices.Min(m.Centers.Data); o.NonNegative && (least < 0 ||
					maxDiff(m.Memberships, mustDo(m.Predict(nil, c.x))(t)) > 1e-9) {
					t.Errorf("%s, ended at %d: a center has %g, or memberships are of other centers", name, at, least)
				}
			}
			if name != "clusters" && name != "pure rows" && (stops < 3 || models < 1+2*oneIf(passes)) {
				t.Errorf("%s, passes %v: %d stops, %d models: the test does not test", name, passes, stops, models)
			}
		}
	}
}

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
	j := mustDo(openMinVolume(bg, x, k, o))(t)
	return j, mustDo(j.startCenters(0))(t).f
}

// TestLloydWeights: a center is the weighted mean of its samples, over several tasks.
func TestLloydWeights(t *testing.T) {
	x := separated([]int{300, 400, 300})
	w := inTurn(x.Rows, 0.25, 0.5, 1, 0)
	j, f := started(t, x, 3, &MinVolumeOptions{Weights: w})
	mustDo(newClustering(j.s, j.z, j.k).lloyd(f, 5))(t)
	centers := j.toData(f)
	labels, _ := plainNearest(x, centers)
	if off := maxDiff(centers, plainMeans(x, labels, centers, w)); off > 1e-10 {
		t.Errorf("centers are %g from the weighted means", off)
	}
}

// TestPlusPlusWeights: a row of next to no weight is no seed, however far it is.
func TestPlusPlusWeights(t *testing.T) {
	x, w := randomData(25, 3, 0, 5), make1(25)
	scale(x.row(7), 100)
	w[7] = 1e-12
	j, _ := started(t, x, 4, &MinVolumeOptions{Weights: w})
	for seed := range uint64(20) {
		f := newClustering(j.s, j.z, j.k).plusPlus(rand.New(rand.NewPCG(seed, 1)))
		for a := range f.Rows {
			if slices.Equal(f.row(a), j.z.row(7)) {
				t.Fatalf("seed %d: seed %d is a row without weight", seed, a)
			}
		}
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
	const looks = 1 << 20
	ctx := endingAt(looks)
	j.s.ctx = ctx
	mustDo(newClustering(j.s, j.z, j.k).lloyd(good, 50))(t)
	if used := looks - ctx.left.Load(); used > 10 {
		t.Errorf("from centers at rest the context is looked at %d times", used)
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

// TestExtremeRows: each extreme row is the farthest from the hull of those before, from the mean or the origin
// first; not row 5, the farthest, which has no weight.
func TestExtremeRows(t *testing.T) {
	x := NewMatrix(7, 2, []float64{0, 0, 10, 0, 9, 8, 0, 9.5, 1, 1, 20, 30, 5, 5})
	for sum, want := range map[Sum][]int{SumToOne: {1, 3, 0}, SumAtMostOne: {2, 3}} {
		o := &MinVolumeOptions{Weights: []float64{1, 1, 1, 1, 1, 0, 1}, Sum: sum}
		vf := mustDo(openMinVolume(bg, x, len(want), o))(t)
		if got := vf.toData(vf.extremeRows(0)); maxDiff(got, chosenRows(x, want)) > 1e-14 {
			t.Errorf("%v: rows %v, want %v", sum, got.Data, want)
		}
	}
}

// TestManyStart: by default a fit of more than 32 prototypes starts as with InitSPA, and of 32 as with
// InitKMeans.
func TestManyStart(t *testing.T) {
	x := randomData(120, 40, 30, 2)
	for k, init := range map[int]Init{32: InitKMeans, 33: InitSPA} {
		_, want := started(t, x, k, &MinVolumeOptions{Init: init})
		if _, got := started(t, x, k, &MinVolumeOptions{}); !slices.Equal(got.Data, want.Data) {
			t.Errorf("k = %d does not start as with %v", k, init)
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
