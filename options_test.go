package softkmeans

import (
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
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
		{SumToOne.String(), "one"}, {SumAtMostOne.String(), "at most one"}, {Sum(3).String(), "Sum(3)"},
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
	const noPenalty = "Slack, Lambda, Epsilon or Volume is set, and FitAlternating has no penalty"
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
		{checkFit(3, &Options{Enclosure: EnclosureTight}), "", nil}, {checkFit(3, &Options{Enclosure: enclosureCount}), "Enclosure is Enclosure(2)", ErrOption}, {checkFit(3, &Options{Enclosure: -1}), "Enclosure is Enclosure(-1)", ErrOption},
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
		{checkMinVolume(2, &MinVolumeOptions{Centers: NewMatrix(3, 2, nil)}), "Centers are 3×2, not 2×2", ErrShape},
		{checkNoPenalty(&MinVolumeOptions{Init: InitSPA, Restarts: 2}), "", nil},
		{checkNoPenalty(&MinVolumeOptions{Slack: .5}), noPenalty, ErrOption},
		{checkNoPenalty(&MinVolumeOptions{Lambda: 2}), noPenalty, ErrOption},
		{checkNoPenalty(&MinVolumeOptions{Epsilon: 1}), noPenalty, ErrOption},
		{checkNoPenalty(&MinVolumeOptions{Volume: VolumeAffine}), noPenalty, ErrOption},
		{checkNoPenalty(&MinVolumeOptions{NonNegative: true, Lower: []float64{1}}), "", nil},
		{second(FitAlternating(bg, x, 2, &MinVolumeOptions{Slack: .5})), noPenalty, ErrOption},
		{second(unread(bg, 3, 1, nil, 1, true)), "", nil}, {second(unread(bg, 3, 1, make1(3), 1, true)), "", nil}, {second(unread(bg, 2, 1, make1(3), 1, true)), "3 weights for 2 rows", ErrShape}, {second(unread(bg, 2, 1, []float64{0, 0}, 1, true)), "every weight is 0", ErrTooFewSamples},
		{second(unread(bg, 2, 1, []float64{0, 5e-324}, 1, true)), "", nil}, {second(unread(bg, 2, 1, []float64{1, nan}, 1, true)), "weights[1] = NaN", ErrNonFinite}, {second(unread(bg, 2, 1, []float64{-1, 0}, 1, true)), "weights[0] = -1, below 0", ErrOption},
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
}

// TestUnread: an option that a function does not read is an error, and one that it reads is none.
func TestUnread(t *testing.T) {
	x, g := randomData(9, 4, 0, 1), dirichlet(9, 3, 1, 1)
	set := map[string]Options{"Weights": {Weights: make1(9)}, "Enclosure": {Enclosure: EnclosureTight},
		"Sum": {Sum: SumAtMostOne}, "Solver": {Solver: SolverGram}, "MostK": {MostK: 2},
		"Orientation": {Orientation: RandomOrientation(3, 1)}, "Workers": {Workers: 2}}
	for reads, call := range map[string]func(o *Options) error{
		"Fit: Weights Enclosure Solver Orientation": func(o *Options) error { return second(Fit(bg, x, 3, o)) },
		"Floors: Weights Sum MostK":                 func(o *Options) error { return second(Floors(bg, x, o)) },
		"Certify: Weights Sum Solver": func(o *Options) error {
			return second(Certify(bg, x, rowsOf(x, 0, 3), g, o))
		},
		"CentersOf: Weights Sum":        func(o *Options) error { return second(CentersOf(bg, x, g, o)) },
		"Principal: Weights Sum Solver": func(o *Options) error { return second(Principal(bg, x, 2, o)) },
		"Stats.Principal: Sum":          func(o *Options) error { return second(statsOf(t, x, nil).Principal(bg, 2, o)) },
		"SimplexLeastSquares: Sum": func(o *Options) error {
			return second(SimplexLeastSquares(nil, x, rowsOf(x, 0, 3), o))
		},
	} {
		for name, o := range set {
			read := name == "Workers" || strings.Contains(reads, " "+name)
			if err := call(&o); read != (err == nil) || err != nil && !(errors.Is(err, ErrOption) &&
				strings.HasPrefix(err.Error(), "softkmeans: "+name+" is")) {
				t.Errorf("%s, %s: %v", reads, name, err)
			}
		}
	}
}

// TestSizesOfK: tables without addresses are an error, before any memory is asked for; TestHugeK has those of k.
func TestSizesOfK(t *testing.T) {
	if math.MaxInt == math.MaxInt32 || runtime.GOARCH == "wasm" {
		skip(t, "addresses of 32 bits")
		return
	}
	large := &samples{parallelism: parallelism{ctx: bg}, n: 1 << 23, d: 1 << 23}
	if _, err := gramMatrix(large); !errors.Is(err, ErrShape) {
		t.Error(err)
	}
	large.n, large.d = 1<<22-1<<20, 1<<22-1<<20 // a third of the table is too large
	if _, err := triangularFactor(large); !errors.Is(err, ErrShape) {
		t.Error(err)
	}
}

// TestErrorNames: an error about one value names the argument of the function that was called.
func TestErrorNames(t *testing.T) {
	bad := NewMatrix(2, 2, []float64{1, 2, 3, math.NaN()})
	far := NewMatrix(2, 2, []float64{1, 2, 3, 0x1p600})
	ok := NewMatrix(2, 2, []float64{1, 2, 3, 4})
	for _, m := range []*Matrix{bad, far} {
		for _, c := range []struct {
			arg string
			err error
		}{
			{"a", second(thinSVD(bg, m))},
			{"vertices", second(SimplexLeastSquares(nil, ok, m, nil))},
			{"centers", second((&Model{Centers: m}).Predict(nil, ok))},
			{"x", second((&Model{Centers: ok}).Predict(nil, m))},
		} {
			var e *InputError
			if !errors.As(c.err, &e) || e.Arg != c.arg || e.Row != 1 || e.Col != 1 {
				t.Errorf("%v, not about %s[1,1]", c.err, c.arg)
			}
		}
	}
}

// TestErrorWords: an entry with one index and with two, a value, and the sentinel.
func TestErrorWords(t *testing.T) {
	for _, c := range []struct {
		e    InputError
		want string
	}{
		{InputError{"x", 3, 2, math.NaN(), ErrNonFinite}, "x[3,2] = NaN: not a finite number"},
		{InputError{"x", 3, 0, -1.5, ErrRange}, "x[3,0] = -1.5: " + ErrRange.Error()},
		{InputError{"x", 0, -1, math.Inf(-1), ErrNonFinite}, "x[0] = -Inf: not a finite number"},
		{InputError{"weights", 4, -1, -2, ErrOption}, "weights[4] = -2, below 0: invalid option"},
		{InputError{"weights", 4, -1, 0, ErrOption}, "weights[4] = 0: invalid option"},
		{InputError{"weights", 4, -1, 0.5, ErrOption}, "weights[4] = 0.5: invalid option"},
		{InputError{"weights", 4, -1, math.Inf(1), ErrNonFinite}, "weights[4] = +Inf: not a finite number"},
		{InputError{"x", 1, 1, 2, nil}, "x[1,1] = 2"},
	} {
		mustSay(t, &c.e, c.want)
		if c.e.Unwrap() != c.e.Err {
			t.Error(c.e.Unwrap())
		}
	}
	plain := fail(ErrShape, "words")
	mustSay(t, plain, "words: wrong shape")
	if !errors.Is(plain, ErrShape) || errors.Is(plain, ErrOption) {
		t.Error(plain)
	}
	for v, want := range map[float64]bool{0: true, -math.MaxFloat64: true, math.MaxFloat64: true,
		math.Inf(1): false, math.Inf(-1): false, math.NaN(): false} {
		if isFinite(v) != want {
			t.Errorf("%g: %v", v, !want)
		}
	}
}

// TestWarnings: each kind shows where it must, and not on ordinary data.
func TestWarnings(t *testing.T) {
	has := func(m *Model, kind WarningKind) bool {
		return slices.ContainsFunc(m.Warnings, func(w Warning) bool { return w.Kind == kind && w.String() != "" && isFinite(w.Value) })
	}
	for _, set := range dataSets(t)[:4] {
		set.x = head(set.x, 300)
		m, err := FitMinVolume(bg, set.x, set.k, nil)
		if err != nil || len(m.Warnings) > 0 {
			t.Errorf("%s: %v %v", set.name, m.Warnings, err)
		}
	}
	x := standardized(loadCSV(t, "iris"))
	m, err := FitMinVolume(bg, x, 3, &MinVolumeOptions{Lambda: 1e9})
	if err != nil || !has(m, WarnCoincident) {
		t.Errorf("all prototypes in one: %v %v", m.Warnings, err)
	}
	// A third center between two clusters has no sample for which it is largest.
	two := NewMatrix(4, 2, []float64{-1, .1, -1, -.1, 1, .1, 1, -.1})
	o := &MinVolumeOptions{Centers: NewMatrix(3, 2, []float64{-1, 0, 0, 0, 1, 0})}
	m, err = FitAlternating(bg, two, 3, o)
	if err != nil || !has(m, WarnEmpty) {
		t.Errorf("an idle center: %v %v", m.Warnings, err)
	}
	// More prototypes than rows, or than the dimensions determine, are one warning of each fit.
	for _, c := range []struct {
		x    *Matrix
		k    int
		want Warning
	}{{two, 9, Warning{WarnRows, 0, 4, 9}}, {two, 4, Warning{WarnDimensions, 0, 2, 4}},
		{NewMatrix(9, 3, inTurn(27, 2)), 2, Warning{WarnDimensions, 0, 0, 2}},
		{standardized(loadCSV(t, "iris")), 12, Warning{WarnDimensions, 0, 4, 12}}} {
		all := mustDo(Fit(bg, c.x, c.k, nil))(t).Warnings
		all = append(all, mustDo(FitAlternating(bg, c.x, c.k, nil))(t).Warnings...)
		all = append(all, mustDo(FitMinVolume(bg, c.x, c.k, nil))(t).Warnings...)
		if !slices.Equal(all, []Warning{c.want, c.want, c.want}) {
			t.Errorf("k = %d, %d×%d: %v", c.k, c.x.Rows, c.x.Cols, all)
		}
	}
	// Rows that add up to at most 1 cannot follow data on both sides of 0.
	sides := randomData(200, 6, 0, 4)
	m, err = FitMinVolume(bg, sides, 2, &MinVolumeOptions{Sum: SumAtMostOne, Slack: 1e-3, MaxIter: 20})
	if err != nil || !has(m, WarnSlack) || m.Objective < m.Floor {
		t.Errorf("no cone: %v %v", m.Warnings, err)
	}
	for _, w := range m.Warnings {
		if w.Kind == WarnSlack && (w.Cluster != 0 || w.Other != 0 || w.Value <= 1) {
			t.Errorf("no cone: %+v names a cluster, or no excess", w)
		}
	}
	if s := (Warning{Kind: 11}).String(); s != "Warning(11)" {
		t.Error(s)
	}
}

// TestWarningTable: the warnings about given centers, and the membership statistics they
// rest on, number by number.
func TestWarningTable(t *testing.T) {
	s := &samples{n: 4, weights: []float64{1, 0, 2, 1}, units: units{wexp: 2}} // scaled to ¼, 0, ½, ¼
	z := NewMatrix(4, 2, []float64{3, 4, 30, 40, 0, 1, 0, 2})
	g := NewMatrix(4, 4, []float64{0, .5, .5, 0, 0, 0, 0, 1, .25, .75, 0, 0, .5, .5, 0, 0})
	length := func(i int) float64 { return norm2(z.row(i)) }
	f := NewMatrix(4, 2, []float64{0, 1, 0, 2, 0, 2, 0, 15})
	want := []Warning{{WarnCoincident, 0, 1, 1e-3}, {WarnCoincident, 0, 2, 1e-3},
		{WarnEmpty, 2, 0, .125}, {WarnEmpty, 3, 0, 0}}
	if got := findWarnings(nil, f, g, s, length, 1000); !slices.Equal(got, want) {
		t.Errorf("%v\nwant %v", got, want)
	}
	f.Set(3, 1, 20) // 15 is not yet far
	want = []Warning{{WarnCoincident, 1, 2, 0}, {WarnEmpty, 2, 0, .125}, {WarnEmpty, 3, 0, 0}, {WarnFar, 3, 0, 4}}
	if got := findWarnings(nil, f, g, s, length, 999); !slices.Equal(got, want) {
		t.Errorf("%v\nwant %v", got, want)
	}
	none := func(int) float64 { return 0 }
	if got := findWarnings(nil, f, g, s, none, 0); len(got) != 7 || got[6] != (Warning{WarnFar, 3, 0, math.MaxFloat64}) {
		t.Errorf("%v", got)
	}
	// One warning in place of those of pairs and of empty centers.
	want = []Warning{{WarnDimensions, 0, 2, 4}, {WarnFar, 3, 0, 4}}
	if got := findWarnings(crowded(4, 9, 2, SumToOne), f, g, s, length, 999); !slices.Equal(got, want) {
		t.Errorf("%v\nwant %v", got, want)
	}
	for _, w := range []struct {
		k, rows, dimensions int
		sum                 Sum
		want                []Warning
	}{{4, 9, 3, SumToOne, nil}, {4, 9, 3, SumAtMostOne, []Warning{{WarnDimensions, 0, 3, 4}}},
		{3, 9, 3, SumAtMostOne, nil}, {4, 4, 3, SumToOne, nil}, {4, 3, 2, SumToOne, []Warning{{WarnRows, 0, 3, 4}}}} {
		if got := crowded(w.k, w.rows, w.dimensions, w.sum); !slices.Equal(got, w.want) {
			t.Errorf("%+v: %v", w, got)
		}
	}
	for want, w := range map[string]Warning{
		"centers 1 and 2 coincide: they are 0.000123 of the data's spread apart":                                                                                        {WarnCoincident, 1, 2, .000123456},
		"with k = 15 in 2 dimensions the data does not determine prototypes and memberships. It determines clusters: take labels, by FitMinVolume, and not memberships": {WarnDimensions, 0, 2, 15},
		"k = 15 exceeds the 9 rows: clusters are empty":                                                                                                                 {WarnRows, 0, 9, 15},
		"center 3 is empty: no sample has its largest membership there, and it has 0.25 of all membership":                                                              {WarnEmpty, 3, 0, .25},
		"center 4 is outside of the data: 3.5 times as far from the middle as the farthest sample":                                                                      {WarnFar, 4, 0, 3.5},
		"the error is 1.24 times the largest that the slack allows, and no fit had less":                                                                                {WarnSlack, 0, 0, 1.2355},
	} {
		if got := w.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestWarningWords: every kind has a word of its own, and a sentence.
func TestWarningWords(t *testing.T) {
	seen := map[string]bool{}
	for kind := range warningCount {
		word, sentence := kind.String(), Warning{Kind: kind}.String()
		if seen[word] || word[0] == 'W' || sentence[:7] == "Warning" {
			t.Errorf("%d: %q, %q", int(kind), word, sentence)
		}
		seen[word] = true
	}
	if got := warningCount.String(); got != "WarningKind(9)" {
		t.Error(got)
	}
}
