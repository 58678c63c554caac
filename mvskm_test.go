package softkmeans

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
)

// TestMinVolumeBits: the same bits for any number of workers, on every call,
// and for a strided view; another seed gives another start.
func TestMinVolumeBits(t *testing.T) {
	t.Parallel()
	x := rowsOf(standardized(loadCSV(t, "digits")), 0, fewer(900, 300))
	view := &Matrix{Rows: x.Rows, Cols: x.Cols, Stride: x.Cols + 3, Data: make([]float64, x.Rows*(x.Cols+3))}
	for i := range view.Data {
		view.Data[i] = math.NaN()
	}
	for i := range x.Rows {
		copy(view.row(i), x.row(i))
	}
	k, most := fewer(fewer(10, 6), 5), fewer(fewer(20, 10), 5)
	for _, o := range []MinVolumeOptions{{Restarts: 2, MaxIter: fewer(0, most)}, {Init: InitSPA, Volume: VolumeAffine, MaxIter: most}, {Sum: SumAtMostOne, Init: InitSPA, MaxIter: most}} {
		var first *Model
		for _, c := range []struct {
			x       *Matrix
			workers int
		}{{x, 1}, {x, 2}, {x, 7}, {view, 2}} {
			o.Workers, o.Seed = c.workers, 5
			m := mustDo(FitMinVolume(bg, c.x, k, &o))(t)
			if first == nil {
				first = m
				continue
			}
			if !slices.Equal(m.Centers.Data, first.Centers.Data) || !slices.Equal(m.Memberships.Data, first.Memberships.Data) || !slices.Equal(m.Trace, first.Trace) {
				t.Errorf("%+v: other bits with %d workers", o, c.workers)
			}
		}
		o.Seed = 6
		if m, err := FitMinVolume(bg, x, k, &o); err != nil || o.Init != InitSPA && !quick() && slices.Equal(m.Trace, first.Trace) {
			t.Errorf("%+v: another seed changes nothing (%v)", o, err)
		}
	}
}

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
					if volume == VolumeAuto != (init == InitAuto) {
						continue
					}
					m, err := FitMinVolume(bg, c.x, c.k, &MinVolumeOptions{Sum: sum, Volume: volume, Init: init, MaxIter: fewer(10, 3)})
					if err != nil {
						t.Errorf("%s %v %v %v: %v", c.name, sum, volume, init, err)
						continue
					}
					if err := m.Check(); err != nil { // every number is finite
						t.Errorf("%s %v %v %v: %v", c.name, sum, volume, init, err)
					}
					checkShares(t, m.Memberships, sum)
					if m.Objective < m.Floor-1e-12*m.Total || m.Status == StatusNone || m.Status == StatusCancelled {
						t.Errorf("%s %v %v %v: objective %g below floor %g, %v", c.name, sum, volume, init, m.Objective, m.Floor, m.Status)
					}
				}
			}
		}
	}
}

func TestMinVolumeErrors(t *testing.T) {
	x := randomData(20, 3, 0, 1)
	bad := x.Clone()
	bad.Set(4, 2, math.Inf(-1))
	calls := 0
	progress := func(Iteration) { calls++ }
	for _, c := range []struct {
		name string
		x    *Matrix
		k    int
		o    MinVolumeOptions
		want error
	}{
		{"k", x, 0, MinVolumeOptions{}, ErrOption}, {"nil", nil, 2, MinVolumeOptions{}, ErrShape}, {"empty", NewMatrix(0, 3, nil), 2, MinVolumeOptions{}, ErrTooFewSamples},
		{"infinite", bad, 2, MinVolumeOptions{}, ErrNonFinite}, {"slack", x, 2, MinVolumeOptions{Slack: -0.1}, ErrOption},
		{"workers", x, 2, MinVolumeOptions{Workers: -1}, ErrOption},
		{"weights", x, 2, MinVolumeOptions{Weights: make1(3)}, ErrShape}, {"centers", x, 2, MinVolumeOptions{Centers: NewMatrix(3, 3, nil)}, ErrShape},
		{"centers", x, 2, MinVolumeOptions{Centers: NewMatrix(2, 3, []float64{1, 2, 3, 4, math.NaN(), 6})}, ErrNonFinite},
		{"centers, x", nil, 2, MinVolumeOptions{Centers: NewMatrix(1, 1, []float64{math.NaN()})},
			ErrNonFinite},
	} {
		c.o.Progress = progress
		if m, err := FitMinVolume(bg, c.x, c.k, &c.o); m != nil || !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		if path, err := MinVolumePath(bg, c.x, c.k, nil, &c.o); path != nil || !errors.Is(err, c.want) {
			t.Errorf("%s: path %v, want %v", c.name, err, c.want)
		}
	}
	if m, err := FitAlternating(bg, bad, 2, nil); m != nil || !errors.Is(err, ErrNonFinite) {
		t.Error(err)
	}
	if _, err := MinVolumePath(bg, x, 2, []float64{1, -1}, nil); !errors.Is(err, ErrOption) {
		t.Error(err)
	}
	if calls > 0 {
		t.Error("work was done before an error")
	}
}

// TestMinVolumeRange: the largest entry may be 2^500 and no more, and at least 2^-500. So
// may given centers, up to 2^520.
func TestMinVolumeRange(t *testing.T) {
	table := func(top float64) *Matrix {
		return NewMatrix(4, 2, []float64{0, 0, top / 2, 0, 0, top / 2, top, top / 4})
	}
	for _, c := range []struct {
		top  float64
		good bool
	}{{mostEntry, true}, {math.Nextafter(mostEntry, math.Inf(1)), false}, {leastScale, true}, {math.Nextafter(leastScale, 0), false}} {
		for _, center := range []float64{0, mostCenter, math.Nextafter(mostCenter, math.Inf(1))} {
			o := &MinVolumeOptions{MaxIter: 20}
			want := [3]int{3, 0}
			if center > 0 {
				o.Centers = NewMatrix(3, 2, []float64{0, 0, 0, center, center, 0})
			}
			if center > mostCenter {
				want = [3]int{1, 1}
			}
			m, err := FitMinVolume(bg, table(c.top), 3, o)
			var wrong *InputError
			switch {
			case c.good && center <= mostCenter:
				if err != nil {
					t.Errorf("entries of %g, centers of %g: %v", c.top, center, err)
				} else if err := m.Check(); err != nil || !(m.Objective <= m.Total) && center == 0 {
					t.Errorf("entries of %g, centers of %g: objective %g of %g, %v", c.top, center, m.Objective, m.Total, err)
				}
			case !errors.Is(err, ErrRange) || !errors.As(err, &wrong) || wrong.Row != want[0] || wrong.Col != want[1]:
				t.Errorf("entries of %g, centers of %g: %v", c.top, center, err)
			}
		}
	}
}

// TestMinVolumeCancel stops after ever more looks at the context, or passes: the
// error is the context's, and the model, if there is one, is complete.
func TestMinVolumeCancel(t *testing.T) {
	x, k := rowsOf(standardized(loadCSV(t, "digits")), 0, fewer(700, 120)), fewer(10, 4)
	for _, o := range []MinVolumeOptions{{Workers: 1, Restarts: 2, MaxIter: 4}, {Workers: 2, Init: InitGlobal, MaxIter: 4}, {Workers: 2, Lambda: 2, Init: InitSPA, MaxIter: 4}} {
		models, stops := 0, 0
		for looks := 0; ; looks = looks*9/8 + 1 {
			left := looks
			if o.Workers > 1 { // looks of two goroutines have no order: cancel from Progress
				ctx, cancel := context.WithCancel(bg)
				o.Progress = func(Iteration) {
					if left--; left < 0 {
						cancel()
					}
				}
				m, err := FitMinVolume(ctx, x, k, &o)
				cancel()
				if left >= 0 {
					break
				}
				if m == nil || m.Status != StatusCancelled || !errors.Is(err, context.Canceled) {
					t.Fatalf("after %d passes: %v", looks, err)
				}
				stops++
				models++
				continue
			}
			m, err := FitMinVolume(endingAt(left), x, k, &o)
			if err == nil {
				if m == nil || m.Status == StatusCancelled {
					t.Fatal("no error, and no result")
				}
				break
			}
			stops++
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("after %d looks: %v", looks, err)
			}
			if m == nil {
				continue
			}
			models++
			checkFeasible(t, m.Memberships)
			if got := plainObjective(x, m.Centers, m.Memberships, nil); m.Status != StatusCancelled || math.Abs(got-m.Objective) > 1e-10*m.Total {
				t.Fatalf("after %d looks: %v, objective %g, is %g", looks, m.Status, m.Objective, got)
			}
		}
		if stops < 5 || models < 3 {
			t.Errorf("%d stops, %d models: the test does not test", stops, models)
		}
	}
}

// TestPath: larger λ leave more error and less volume, and a model of the path is that of
// FitMinVolume at its λ.
func TestPath(t *testing.T) {
	x := standardized(loadCSV(t, "wine"))
	path := mustDo(MinVolumePath(bg, x, 3, nil, &MinVolumeOptions{Seed: 2}))(t)
	before := math.Inf(1)
	for i, p := range path {
		penalty := (p.Trace[len(p.Trace)-1] - p.Objective) / p.Lambda * 2
		if i > 0 && !(p.Objective >= path[i-1].Objective*(1-1e-6) && penalty <= before+1e-3) {
			t.Errorf("λ %g: error %g after %g, volume %g after %g", p.Lambda, p.Objective, path[i-1].Objective, penalty, before)
		}
		before = penalty
	}
	same := func(x *Matrix, p *Model) {
		m := mustDo(FitMinVolume(bg, x, 3, &MinVolumeOptions{Seed: 2, Lambda: p.Lambda}))(t)
		if math.Abs(m.Objective-p.Objective) > 1e-6*m.Total || maxDiff(m.Centers, p.Centers) > 1e-4 ||
			!(math.Abs(m.LossGap-p.LossGap) <= 1e-6 && p.LossGap > 0) {
			t.Errorf("%s, λ %g: error %g, gap %g; FitMinVolume has %g and %g", shape(x.Rows, x.Cols), p.Lambda,
				p.Objective, p.LossGap, m.Objective, m.LossGap)
		}
	}
	same(x, path[6])
	same(x, path[18])
	wide := randomData(30, 40, 0, 3) // which begins in leading directions
	same(wide, mustDo(MinVolumePath(bg, wide, 3, []float64{1}, &MinVolumeOptions{Seed: 2}))(t)[0])
}

// TestPathTable: a path's points are runs from the first restart's start, in the data's
// units, on the default grid and on a given one.
func TestPathTable(t *testing.T) {
	x := mapped(randomData(20, 3, 1, 2), func(_, _ int, v float64) float64 { return 8 * v })
	o := &MinVolumeOptions{Centers: randomCenters(x, 3, 3), MaxIter: 5, Workers: 1}
	vf, start := started(t, x, 3, o)
	var grid []float64
	for i := range 25 {
		grid = append(grid, vf.s.unscaleSquare(vf.pc.total)/3*math.Pow(10, -4+float64(i)/4))
	}
	for _, lambdas := range [][]float64{nil, {0, 20, 3}, {}} {
		path, err := MinVolumePath(bg, x, 3, lambdas, o)
		want := lambdas
		if lambdas == nil {
			want = grid
		}
		if err != nil || len(path) != len(want) {
			t.Fatalf("%d points, want %d, %v", len(path), len(want), err)
		}
		for i, p := range path {
			out := vf.run(runStart{f: start}, vf.scaledLambda(want[i]), 5, nil)
			if lambdas == nil { // to the bit only from the same λ
				out = vf.run(runStart{f: start}, vf.scaledLambda(p.Lambda), 5, nil)
			}
			if math.Abs(p.Lambda-want[i]) > 1e-13*want[i] || p.Objective != vf.s.unscaleSquare(out.objective) ||
				p.Floor != vf.s.unscaleSquare(vf.pc.floor) || !slices.Equal(p.Trace, out.trace) ||
				maxDiff(p.Centers, vf.toData(out.f)) != 0 || p.Iterations != out.iterations || p.Status != out.status {
				t.Errorf("λ %g: %+v", want[i], p)
			}
		}
	}
	for i, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		var in *InputError
		if path, err := MinVolumePath(bg, x, 3, []float64{0, bad}, o); path != nil || !errors.As(err, &in) || in.Arg != "lambdas" || in.Row != 1 || in.Col != -1 || in.Err != ErrOption {
			t.Errorf("%d: %v", i, err)
		}
	}
	// A context that ends leaves the points so far.
	ctx, cancel := context.WithCancel(bg)
	o.Progress = func(it Iteration) {
		if it.Lambda > 10 {
			cancel()
		}
	}
	if path, err := MinVolumePath(ctx, x, 3, []float64{1, 2, 20, 3}, o); len(path) != 2 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d points, %v", len(path), err)
	}
}

// Wide data has fewer directions than k > d centers could span.
func TestMinVolumeMoreCentersThanColumns(t *testing.T) {
	for _, shape := range [][3]int{{1, 2, 2}, {1, 2, 3}, {3, 5, 6}, {5, 12, 13}} {
		x := randomData(shape[0], shape[1], 1, 1)
		for _, sum := range []Sum{SumToOne, SumAtMostOne} {
			for _, start := range []Init{InitKMeans, InitSPA} {
				m, err := FitMinVolume(bg, x, shape[2], &MinVolumeOptions{Sum: sum, Init: start})
				if err != nil {
					t.Fatalf("%v %v %v: %v", shape, sum, start, err)
				}
				if m.Objective > trivialShare*DefaultSlack*m.Total*(1+1e-9) && len(m.Warnings) == 0 {
					t.Errorf("%v %v %v: objective %g of %g", shape, sum, start, m.Objective, m.Total)
				}
			}
		}
	}
}
