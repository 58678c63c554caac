package softkmeans

import (
	"errors"
	"math"
	"runtime"
	"testing"
)

func TestNames(t *testing.T) {
	for _, c := range [][2]string{
		{EnclosureBall.String(), "ball"}, {EnclosureTight.String(), "tight"}, {Enclosure(9).String(), "Enclosure(9)"},
		{SolverAuto.String(), "auto"}, {SolverGram.String(), "gram"}, {SolverJacobi.String(), "jacobi"}, {SolverKrylov.String(), "krylov"}, {Solver(-1).String(), "Solver(-1)"},
		{StatusNone.String(), "none"}, {StatusOptimal.String(), "optimal"}, {StatusConverged.String(), "converged"},
		{StatusIterationLimit.String(), "iteration limit"}, {StatusCancelled.String(), "cancelled"}, {Status(77).String(), "Status(77)"},
		{VolumeAuto.String(), "auto"}, {VolumeOrigin.String(), "origin"}, {VolumeAffine.String(), "affine"}, {Volume(3).String(), "Volume(3)"},
		{InitAuto.String(), "auto"}, {InitKMeans.String(), "k-means"}, {InitSPA.String(), "SPA"}, {InitGlobal.String(), "global"}, {Init(4).String(), "Init(4)"},
	} {
		if c[0] != c[1] {
			t.Errorf("%q, want %q", c[0], c[1])
		}
	}
}

// TestOptionLimits: each option at the end of its range and beyond it, with the whole message.
func TestOptionLimits(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	x := NewMatrix(4, 2, []float64{1, 2, 3, 4, 5, 7, 0, 1})
	turn := func(v ...float64) *Options { return &Options{Orientation: NewMatrix(2, 2, v)} }
	fit := func(x *Matrix, k int, o *Options) error { return second(Fit(bg, x, k, o)) }
	with := func(v float64) *Matrix {
		y := x.Clone()
		y.Set(2, 1, v)
		return y
	}
	for i, c := range []struct {
		err  error
		want string // "": none
		is   error
	}{
		{checkK(1), "", nil}, {checkK(0), "k is 0, below 1", ErrOption}, {checkK(largestK), "", nil},
		{checkFit(0, &Options{}), "k is 0, below 1", ErrOption}, {checkFit(3, &Options{}), "", nil},
		{checkFit(3, &Options{Enclosure: EnclosureTight}), "", nil}, {checkFit(3, &Options{Enclosure: enclosureCount}), "Enclosure is Enclosure(3)", ErrOption}, {checkFit(3, &Options{Enclosure: -1}), "Enclosure is Enclosure(-1)", ErrOption},
		{checkFit(3, &Options{Solver: SolverGram}), "", nil}, {checkFit(3, &Options{Solver: -1}), "Solver is Solver(-1)", ErrOption}, {checkFit(3, &Options{Solver: solverCount}), "Solver is Solver(4)", ErrOption},
		{checkFit(3, turn(0, 1, -1, 0)), "", nil}, {checkFit(1, &Options{Orientation: NewMatrix(0, 0, nil)}), "", nil},
		{checkFit(3, turn(1, 0, 0, nan)), "Orientation[1,1] = NaN", ErrNonFinite}, {checkFit(3, &Options{Orientation: NewMatrix(2, 1, nil)}), "Orientation is 2×1, k−1 is 2", ErrShape},
		{checkFit(3, &Options{Orientation: NewMatrix(1, 2, nil)}), "Orientation is 1×2, k−1 is 2", ErrShape},
		{checkFit(4, turn(1, 0, 0, 1)), "Orientation is 2×2, k−1 is 3", ErrShape},
		{checkFit(3, turn(2, 0, 0, 1)), "Orientation is not orthogonal: row 0 times row 0 is not 1", ErrOption},
		{checkFit(3, turn(1, 0, 0, 2)), "Orientation is not orthogonal: row 1 times row 1 is not 1", ErrOption},
		{checkFit(3, turn(1, 0, .6, .8)), "Orientation is not orthogonal: row 1 times row 0 is not 0", ErrOption},
		{checkFit(3, turn(1, 0, 0, 1-.9e-10/2)), "", nil}, {checkFit(3, turn(1, 0, 0, 1-1.1e-10/2)), "Orientation is not orthogonal: row 1 times row 1 is not 1", ErrOption},
		{checkMinVolume(0, &MinVolumeOptions{}), "k is 0, below 1", ErrOption},
		{checkMinVolume(2, &MinVolumeOptions{}), "", nil},
		{checkMinVolume(2, &MinVolumeOptions{Restarts: -1}), "Restarts is -1, below 0", ErrOption},
		{checkMinVolume(2, &MinVolumeOptions{MaxIter: -2}), "MaxIter is -2, below 0", ErrOption},
		{
			checkMinVolume(2, &MinVolumeOptions{Tol: nan}),
			"Tol is NaN, not a finite number of at least 0", ErrOption,
		},
		{
			checkMinVolume(2, &MinVolumeOptions{Slack: inf}),
			"Slack is +Inf, not a finite number of at least 0", ErrOption,
		},
		{
			checkMinVolume(2, &MinVolumeOptions{Lambda: -1}),
			"Lambda is -1, not a finite number of at least 0", ErrOption,
		},
		{
			checkMinVolume(2, &MinVolumeOptions{Epsilon: -0.5}),
			"Epsilon is -0.5, not a finite number of at least 0", ErrOption,
		},
		{checkMinVolume(2, &MinVolumeOptions{Init: -1}), "Init is Init(-1)", ErrOption},
		{checkMinVolume(2, &MinVolumeOptions{Init: initCount}), "Init is Init(4)", ErrOption},
		{checkMinVolume(2, &MinVolumeOptions{Sum: SumAtMostOne}), "", nil},
		{checkMinVolume(2, &MinVolumeOptions{Sum: 2}), "Sum is Sum(2)", ErrOption},
		{checkMinVolume(2, &MinVolumeOptions{Volume: -1}), "Volume is Volume(-1)", ErrOption},
		{checkMinVolume(2, &MinVolumeOptions{Volume: volumeCount}), "Volume is Volume(3)", ErrOption},
		{checkMinVolume(2, &MinVolumeOptions{Volume: VolumeAffine}), "", nil},
		{checkMinVolume(2, &MinVolumeOptions{Centers: NewMatrix(2, 2, nil)}), "", nil},
		{
			second(FitMinVolume(bg, (*Matrix)(nil), 2, &MinVolumeOptions{Centers: NewMatrix(2, 2, nil)})),
			"x is nil", ErrShape,
		},
		{
			checkMinVolume(2, &MinVolumeOptions{Centers: NewMatrix(3, 2, nil)}),
			"Centers are 3×2, not 2×2", ErrShape,
		},
		{
			second(FitMinVolume(bg, x, 2, &MinVolumeOptions{Centers: NewMatrix(2, 3, nil)})),
			"Centers are 2×3, not 2×2", ErrShape,
		},
		{
			checkMinVolume(1, &MinVolumeOptions{Centers: NewMatrix(1, 2, []float64{1, inf})}),
			"Centers[0,1] = +Inf", ErrNonFinite,
		},
		{checkNoPenalty(&MinVolumeOptions{Init: InitSPA, Restarts: 2}), "", nil},
		{checkNoPenalty(&MinVolumeOptions{Slack: .5}), "Slack is 0.5, and FitAlternating has no penalty", ErrOption},
		{checkNoPenalty(&MinVolumeOptions{Lambda: 2}), "Lambda is 2, and FitAlternating has no penalty", ErrOption},
		{checkNoPenalty(&MinVolumeOptions{Epsilon: 1}), "Epsilon is 1, and FitAlternating has no penalty", ErrOption},
		{checkNoPenalty(&MinVolumeOptions{Volume: VolumeAffine}), "Volume is affine, and FitAlternating has no penalty", ErrOption},
		{checkNoPenalty(&MinVolumeOptions{NonNegative: true, Lower: []float64{1}}), "", nil},
		{second(FitAlternating(bg, x, 2, &MinVolumeOptions{Slack: .5})), "Slack is 0.5, and FitAlternating has no penalty", ErrOption},
		{checkWeights(nil, 3), "", nil}, {checkWeights(make1(3), 3), "", nil}, {checkWeights(make1(3), 2), "3 weights for 2 rows", ErrShape}, {checkWeights([]float64{0, 0}, 2), "every weight is 0", ErrTooFewSamples},
		{checkWeights([]float64{0, 5e-324}, 2), "", nil}, {checkWeights([]float64{1, nan}, 2), "weights[1] = NaN", ErrNonFinite}, {checkWeights([]float64{-1, 0}, 2), "weights[0] = -1, below 0", ErrOption},
		{second(newSamples(bg, NewMatrix(0, 2, nil), nil, 0, true)), "x has no rows", ErrTooFewSamples},
		{second(newSamples(bg, NewMatrix(2, 0, nil), nil, 0, true)), "x has no columns", ErrShape},
		{second(newSamples(bg, nil, nil, 0, true)), "x is nil", ErrShape},
		{second(newSamples(bg, NewMatrix(1, 1, nil), nil, 0, true)), "", nil},
		{fit(NewMatrix(0, 3, nil), 2, nil), "x has no rows", ErrTooFewSamples},
		{fit(NewMatrix(3, 0, nil), 2, nil), "x has no columns", ErrShape},
		{fit(&Matrix{Rows: 3, Cols: 3, Stride: 2, Data: make([]float64, 9)}, 2, nil),
			"x has stride 2 below its 3 columns", ErrShape},
		{fit(with(nan), 2, nil), "x[2,1] = NaN", ErrNonFinite}, {fit(with(-inf), 2, nil), "x[2,1] = -Inf",
			ErrNonFinite},
		{fit(x, -3, nil), "k is -3, below 1", ErrOption},
		{fit(x, 2, &Options{Enclosure: 7}), "Enclosure is Enclosure(7)", ErrOption},
		{fit(x, 2, &Options{Workers: -1}), "Workers is -1, below 0", ErrOption},
		{fit(x, 2, &Options{Weights: make1(3)}), "3 weights for 4 rows", ErrShape},
		{fit(x, 2, &Options{Weights: make([]float64, 4)}), "every weight is 0", ErrTooFewSamples},
		{fit(x, 2, &Options{Weights: []float64{1, 1, -1, 1}}), "weights[2] = -1, below 0", ErrOption},
		{fit(x, 3, turn(1, 1e-9, 0, 1)), "Orientation is not orthogonal: row 1 times row 0 is not 0",
			ErrOption},
	} {
		if c.want == "" && c.err != nil || c.want != "" && (c.err == nil || c.err.Error() != "softkmeans: "+c.want+": "+c.is.Error() || !errors.Is(c.err, c.is)) {
			t.Errorf("%d: %v, want %s", i, c.err, c.want)
		}
	}
	if err := checkK(math.MaxInt32); math.MaxInt > math.MaxInt32 && (err == nil || err.Error() != "softkmeans: k is 2147483647, too large: invalid option") {
		t.Error(err)
	}
	for v, want := range map[int]int{0: 7, 1: 1, -1: -1} {
		if got := orDefault(v, 7); got != want {
			t.Errorf("%d becomes %d", v, got)
		}
	}
	for _, c := range []struct {
		w    []float64
		want float64
		bad  bool
	}{{nil, 1, false}, {[]float64{1, 3, 2}, 3, false}, {[]float64{1, 2, -3}, 0, true}, {[]float64{5, nan, 1}, 0, true}, {[]float64{5}, 0, true}} {
		if got, err := heaviest(c.w, 3); got != c.want || (err != nil) != c.bad {
			t.Errorf("%v: %g, %v", c.w, got, err)
		}
	}
}

// TestSizesOfK: a k whose tables have no addresses is an error, before any memory is asked for.
func TestSizesOfK(t *testing.T) {
	if math.MaxInt == math.MaxInt32 || runtime.GOARCH == "wasm" {
		skip(t, "addresses of 32 bits")
		return
	}
	column, row := NewMatrix(1<<14, 1, nil), NewMatrix(1, 1<<14, nil)
	for i := range column.Rows {
		column.Data[i], row.Data[i] = float64(i%3), float64(i%3)
	}
	const many, square = math.MaxInt32 - 1, 1<<22 + 1
	two := NewMatrix(2, 1, []float64{0, 1})
	for name, err := range map[string]error{
		"memberships":          second(Fit(bg, column, many, nil)),
		"centers":              second(Fit(bg, row, many, nil)),
		"rows of weight 0":     second(Fit(bg, two, square, &Options{Weights: []float64{1, 0}})),
		"volume, memberships":  second(FitMinVolume(bg, column, many, nil)),
		"volume, Gram matrix":  second(FitMinVolume(bg, two, square, nil)),
		"volume, centers":      second(FitMinVolume(bg, row, many, nil)),
		"alternating, centers": second(FitAlternating(bg, two, square, nil)),
	} {
		if !errors.Is(err, ErrOption) {
			t.Errorf("%s: %v", name, err)
		}
	}
	large := &samples{ctx: bg, n: 1 << 23, d: 1 << 23}
	if _, err := gramMatrix(large); !errors.Is(err, ErrShape) {
		t.Error(err)
	}
	large.n, large.d = 1<<22-1<<20, 1<<22-1<<20 // a third of the table is too large
	if _, err := triangularFactor(large); !errors.Is(err, ErrShape) {
		t.Error(err)
	}
}
