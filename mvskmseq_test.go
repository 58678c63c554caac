package softkmeans

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"
)

// seqOptions has options of the method, and how many rows and refinements.
func seqOptions(o MinVolumeOptions, rows, refinements int) MinVolumeSeqOptions {
	return MinVolumeSeqOptions{MinVolumeOptions: o, SummaryRows: rows, Refinements: refinements}
}

// seqFit is FitMinVolumeSeq with the memberships that it delivers put into the model.
func seqFit(t testing.TB, x *Matrix, k int, o MinVolumeSeqOptions, sizes ...int) (m *Model, passes int) {
	t.Helper()
	g, next := NewMatrix(x.Rows, k, nil), 0
	var labels []int
	o.Memberships = func(first int, part *Matrix) error {
		if first != next {
			t.Errorf("memberships from row %d, not %d", first, next)
		}
		next += part.Rows
		copy(g.Data[first*k:], part.Data)
		return nil
	}
	o.Labels = func(first int, part []int) error {
		if labels = append(labels, part...); first+len(part) != next || len(labels) != next {
			t.Errorf("labels from row %d, %d after %d memberships", first, len(part), next)
		}
		return nil
	}
	blocks, count := counted(inBlocks(x, sizes...))
	m = mustDo(FitMinVolumeSeq(bg, blocks, k, &o))(t)
	if m.Memberships != nil || m.Clusters != nil || next != x.Rows {
		t.Errorf("memberships of %d rows, %v and %v in the model", next, m.Memberships, m.Clusters)
	}
	if again, err := m.PredictLabels(nil, x); err != nil || !slices.Equal(labels, again) {
		t.Errorf("labels %v, by PredictLabels %v, %v", labels, again, err)
	}
	m.Memberships, m.Clusters = g, labels
	return m, *count
}

// checkAllRows: what the model says of all rows is so.
func checkAllRows(t *testing.T, name string, x *Matrix, m *Model, o MinVolumeSeqOptions) {
	t.Helper()
	got := plainObjective(x, m.Centers, m.Memberships, o.Weights)
	if math.Abs(got-m.Objective) > 1e-9*got+1e-13*m.Total {
		t.Errorf("%s: objective %g, is %g", name, m.Objective, got)
	}
	if o.Sum == SumToOne {
		checkFeasible(t, m.Memberships)
		floors := mustDo(Floors(bg, x, &Options{Weights: o.Weights}))(t)
		if k := m.Centers.Rows; k <= len(floors) && !close9(m.Floor, floors[k-1], m.Total) ||
			!close9(m.Total, floors[0], m.Total) {
			t.Errorf("%s: floor %g, total %g; they are %g", name, m.Floor, m.Total, floors)
		}
	}
	g := mustDo((&Model{Centers: m.Centers, Sum: m.Sum}).Predict(nil, x))(t)
	if worst := maxDiff(g, m.Memberships); worst > 1e-5 {
		t.Errorf("%s: memberships are off those of Predict by %g", name, worst)
	}
	const trivialFloor = 1e-5 // of the total: the slack rule takes another share for a smaller floor
	if m.Status == StatusConverged && o.Lambda == 0 && m.Floor > trivialFloor*m.Total {
		allowed := min(orDefault(o.Slack, DefaultSlack)*m.Floor, mostGiven*(m.Total-m.Floor))
		if m.Objective > m.Floor+allowed*(1+2*closeShare) {
			t.Errorf("%s: objective %g, floor %g: more than the slack of %g, though converged",
				name, m.Objective, m.Floor, allowed)
		}
	}
}

// TestMinVolumeSeqInMemory: rows that fit into the summary give the bits of FitMinVolume in one pass.
func TestMinVolumeSeqInMemory(t *testing.T) {
	t.Parallel()
	x := standardized(loadCSV(t, "iris"))
	spa := MinVolumeOptions{Sum: SumAtMostOne, Init: InitSPA, Weights: make1(x.Rows), MaxIter: 20}
	for _, o := range []MinVolumeOptions{{}, spa} {
		want := mustDo(FitMinVolume(bg, x, 3, &o))(t)
		got, passes := seqFit(t, x, 3, seqOptions(o, 0, 0), 7, 100)
		a, b := mustDo(got.MarshalBinary())(t), mustDo(want.MarshalBinary())(t)
		if !slices.Equal(a, b) || passes != 1 {
			t.Errorf("not the model of FitMinVolume, or %d passes", passes)
		}
	}
}

// TestMinVolumeSeqLoss: how much is lost by summaries of a part of the rows.
func TestMinVolumeSeqLoss(t *testing.T) {
	t.Parallel()
	type set struct {
		dataSet
		o    MinVolumeOptions
		rows int
	}
	var sets []set
	for _, s := range dataSets(t) {
		for _, rows := range []int{100, 500, 1000} {
			enough := rows < s.x.Rows && rows > s.x.Rows/6 && rows >= 32*s.k
			if enough && (s.k < 5 || extended() && rows > 500) {
				sets = append(sets, set{s, MinVolumeOptions{}, rows})
			}
		}
	}
	for _, shape := range fewer([][2]int{{3, 8}, {5, 32}}, [][2]int{{3, 8}}) {
		k, d := shape[0], shape[1]
		for _, most := range purest {
			x, _ := mixtures(fewer(2000, 1000), d, k, 0.5, most, 1)
			sets = append(sets, set{dataSet{"exact", x, k}, MinVolumeOptions{}, fewer(400, 200)},
				set{dataSet{"30 dB", noisy(x, 30, 2), k}, MinVolumeOptions{Init: InitSPA,
					Slack: 0.1 * float64(k-1) / float64(d-k+1)}, fewer(400, 200)})
		}
	}
	for _, s := range sets {
		want := mustDo(FitMinVolume(bg, s.x, s.k, &s.o))(t)
		name := fmt.Sprintf("%s %d×%d, k = %d, %d rows", s.name, s.x.Rows, s.x.Cols, s.k, s.rows)
		o := seqOptions(s.o, s.rows, 0)
		m, passes := seqFit(t, s.x, s.k, o, 1000)
		checkAllRows(t, name, s.x, m, o)
		same := accuracyOf(want.Labels(nil), m.Labels(nil))
		off := apart(want.Centers, m.Centers, m, float64(s.x.Rows))
		used := (m.Objective - m.Floor) / (want.Objective - want.Floor)
		t.Logf("| %s | %d×%d, %d | %d | %d%s | %.3f | %.4f | %.4f | %+.3f |",
			s.name, s.x.Rows, s.x.Cols, s.k, s.rows,
			passes-4, map[Status]string{StatusIterationLimit: ", at the limit"}[m.Status], used, same, off,
			m.logs()-want.logs())
		if used > 1.05 || passes > 8 || (used < 0.95 || same < 0.94 || off > 0.08) && s.k <= 5 {
			t.Errorf("%s: slack used %g of FitMinVolume's, centers apart %g, same labels %g, %d passes",
				name, used, off, same, passes)
		}
	}
}

// logs is the logarithm of the squared volume, Σ log(σ_i² + ε) from the centers' mean.
func (m *Model) logs() (sum float64) {
	f := m.Centers.Clone()
	for c := range f.Cols {
		mean := 0.0
		for a := range f.Rows {
			mean += f.row(a)[c] / float64(f.Rows)
		}
		for a := range f.Rows {
			f.row(a)[c] -= mean
		}
	}
	_, s, _, err := SVD(f)
	if err != nil {
		return math.NaN()
	}
	for _, v := range s[:min(len(s), f.Rows-1)] {
		sum += math.Log(v*v + m.Epsilon)
	}
	return sum
}

// TestMinVolumeSeqFalls: at one λ every pass more leaves the objective of all rows where it was or lowers
// it, and FitMinVolume on all rows, from there, finds hardly anything to gain. Stationarity is the slope.
func TestMinVolumeSeqFalls(t *testing.T) {
	t.Parallel()
	for _, s := range dataSets(t)[:fewer(3, 2)] {
		x := moved(s.x, 3)
		want := mustDo(FitMinVolume(bg, x, s.k, nil))(t)
		o := MinVolumeOptions{Lambda: want.Lambda, Epsilon: want.Epsilon, Volume: VolumeAffine}
		last := math.Inf(1)
		for _, refinements := range []int{-1, 1, 3, 12} {
			m, _ := seqFit(t, x, s.k, seqOptions(o, max(x.Rows/3, 32*s.k), refinements), 100)
			value := m.Objective + m.Lambda/2*m.logs()
			if value > last+1e-10*m.Total {
				t.Errorf("%s, %d refinements: from %g to %g", s.name, refinements, last, value)
			}
			last = value
			if s.name == "iris" {
				if want := slopeOf(t, x, m); math.Abs(m.Stationarity-want) > 1e-4*want+1e-6 {
					t.Errorf("%d refinements: slope %g, by differences %g", refinements, m.Stationarity, want)
				}
			}
			if refinements < 12 {
				continue
			}
			o.Centers = m.Centers
			better := mustDo(FitMinVolume(bg, x, s.k, &o))(t)
			gain := value - better.Objective - better.Lambda/2*better.logs()
			if m.Status == StatusConverged && gain > 1e-3*better.Objective {
				t.Errorf("%s: converged, but %g of the fit is to be gained", s.name, gain/better.Objective)
			}
		}
	}
}

// TestMinVolumeSeqBits: blocks and workers do not matter, the seed does.
func TestMinVolumeSeqBits(t *testing.T) {
	t.Parallel()
	x := noisy(firstOf(mixtures(8500, 3, 3, 0.5, 1, 1)), 20, 1)
	bits := func(o MinVolumeOptions, sizes ...int) []byte {
		o.MaxIter = 10
		m, _ := seqFit(t, x, 3, seqOptions(o, 100, 1), sizes...)
		m.Trace = append(m.Trace, m.Memberships.Data...)
		return mustDo(m.MarshalBinary())(t)
	}
	want := bits(MinVolumeOptions{Workers: 1}, 9000)
	if !slices.Equal(want, bits(MinVolumeOptions{Workers: 3}, 1, 5000, 13)) {
		t.Error("the bits depend on the blocks or the workers")
	}
	if slices.Equal(want, bits(MinVolumeOptions{Seed: 1}, 9000)) {
		t.Error("another seed draws the same summary")
	}
}

// TestMinVolumeSeqWeights: a weight of 2 is the row twice, as far as two summaries
// can agree; a row of weight 0, however large, does not count.
func TestMinVolumeSeqWeights(t *testing.T) {
	t.Parallel()
	x := noisy(firstOf(mixtures(1000, 5, 3, 0.5, 1, 1)), 25, 1)
	weights, twice := make1(x.Rows), x.Clone()
	for i := range x.Rows {
		switch i % 5 {
		case 0:
			weights[i] = 2
			twice.Data = append(twice.Data, x.row(i)...)
			twice.Rows++
		case 1:
			weights[i] = 0
			copy(twice.row(i), x.row(i-1))
			weights[i-1] = 3
		}
	}
	for c := range x.row(1) {
		x.row(1)[c] = 1e150
	}
	o := MinVolumeOptions{Init: InitSPA, Slack: 0.2 / 3}
	same, _ := seqFit(t, twice, 3, seqOptions(o, 400, 0), 100)
	for _, unit := range []float64{1e150, 1e-150} {
		o.Weights = slices.Clone(weights)
		scale(o.Weights, unit)
		m, _ := seqFit(t, x, 3, seqOptions(o, 400, 0), 100)
		off := apart(same.Centers, m.Centers, same, float64(twice.Rows))
		if !(off < 0.05) || !close9(m.Floor, unit*same.Floor, unit*same.Total) ||
			!(math.Abs(m.Lambda/same.Lambda/unit-1) < 0.1) {
			t.Errorf("unit %g: centers are %g apart, floor %g and %g, λ %g and %g",
				unit, off, m.Floor, same.Floor, m.Lambda, same.Lambda)
		}
		zero := rowsOf(x, 6, 7)
		if d := maxDiff(mustDo(m.Predict(nil, zero))(t), rowsOf(m.Memberships, 6, 7)); d > 1e-9 {
			t.Errorf("memberships of a row of weight 0 are off by %g", d)
		}
	}
}

// TestMinVolumeSeqUnits: a mean 1e4 spreads away and units of 1e±150 change nothing.
func TestMinVolumeSeqUnits(t *testing.T) {
	t.Parallel()
	x := noisy(firstOf(mixtures(1000, 5, 3, 0.5, 1, 1)), 25, 1)
	o := seqOptions(MinVolumeOptions{}, 200, 0)
	want, _ := seqFit(t, x, 3, o, 100)
	checkAllRows(t, "units", x, want, o)
	for _, c := range []struct{ unit, mean, tol float64 }{
		{1, 1e4, 1e-6}, {1e150, 0, 1e-7}, {1e-150, 0, 1e-7},
	} {
		y := mapped(x, func(_, _ int, v float64) float64 { return c.unit * (v + c.mean) })
		m, _ := seqFit(t, y, 3, o, 100)
		back := mapped(m.Centers, func(_, _ int, v float64) float64 { return v/c.unit - c.mean })
		off := apart(want.Centers, back, want, float64(x.Rows))
		if !(off <= c.tol) || math.Abs(m.Gap-want.Gap) > 1e-6 {
			t.Errorf("%+v: centers are %g apart, gap %g, %g", c, off, m.Gap, want.Gap)
		}
	}
}

// TestMinVolumeSeqDegenerate: more rows than the summary has, of shapes where there is nothing to find.
func TestMinVolumeSeqDegenerate(t *testing.T) {
	t.Parallel()
	const n = 100
	random := randomData(n, 3, 1, 9)
	times := func(f func(i int) float64) *Matrix {
		return mapped(random, func(i, _ int, v float64) float64 { return v * f(i) })
	}
	of := func(d int, at func(i, j int) float64) *Matrix {
		return mapped(NewMatrix(n, d, nil), func(i, j int, _ float64) float64 { return at(i, j) })
	}
	for at, c := range []struct {
		name string
		x    *Matrix
		k    int
	}{
		{"equal rows", of(3, func(_, j int) float64 { return float64(j) + 0.1 }), 3},
		{"zeros", NewMatrix(n, 2, nil), 2}, {"one column", randomData(n, 1, 0, 1), 4},
		{"k = 1", random, 1}, {"k = 2", random, 2}, {"k > d+1", random, 5},
		{"rank 1", of(4, func(i, j int) float64 { return float64(i*i) * float64(j+1) }), 4},
		{"two values", of(2, func(i, _ int) float64 { return float64(i % 2) }), 3},
		{"large", times(func(int) float64 { return 1e149 }), 3},
		{"small", times(func(int) float64 { return 1e-150 }), 3},
		{"outlier", times(func(i int) float64 { return math.Pow(1e9, float64(max(0, 1-i))) }), 3},
	} {
		for _, sum := range []Sum{SumToOne, SumAtMostOne} {
			name := c.name
			init := []Init{InitAuto, InitGlobal, InitSPA}[(at+int(sum))%3]
			o := MinVolumeOptions{Sum: sum, Init: init, MaxIter: 3}
			m, _ := seqFit(t, c.x, c.k, seqOptions(o, 1, 1), 64)
			if _, err := m.MarshalBinary(); err != nil { // every number is finite
				t.Errorf("%s: %v", name, err)
			}
			checkShares(t, m.Memberships, sum)
			if m.Objective < m.Floor-1e-12*m.Total || m.Status == StatusNone || m.Status == StatusCancelled {
				t.Errorf("%s, %v, %v: objective %g, floor %g, %v",
					name, sum, init, m.Objective, m.Floor, m.Status)
			}
		}
	}
}

// TestMinVolumeSeqWide: more columns than a scatter matrix is formed for.
func TestMinVolumeSeqWide(t *testing.T) {
	t.Parallel()
	if quick() {
		skip(t, "a large table")
		return
	}
	x := noisy(firstOf(mixtures(160, streamGramSide+2, 3, 0.5, 1, 1)), 30, 1)
	for _, sum := range []Sum{SumToOne, SumAtMostOne} {
		o := seqOptions(MinVolumeOptions{Init: InitSPA, Slack: 0.02, Sum: sum}, 100, 0)
		want := mustDo(FitMinVolume(bg, x, 3, &o.MinVolumeOptions))(t)
		m, _ := seqFit(t, x, 3, o, 50)
		checkAllRows(t, "wide", x, m, o)
		off := apart(want.Centers, m.Centers, m, 160)
		if off > 0.2 || !close9(m.Floor, want.Floor, m.Total) || m.Solver != SolverKrylov {
			t.Errorf("%v: centers are %g apart, floor %g, %g, %v", sum, off, m.Floor, want.Floor, m.Solver)
		}
	}
}

// TestMinVolumeSeqErrors: errors name the pass and the row. Those that can be seen without the
// data come before it is read.
func TestMinVolumeSeqErrors(t *testing.T) {
	x := randomData(100, 5, 0, 1)
	pass := 0 // of the present call
	on := func(which int, change func(x *Matrix) *Matrix) iter.Seq2[*Matrix, error] {
		return func(yield func(*Matrix, error) bool) {
			y := x
			if pass++; pass == which {
				y = change(x.Clone())
			}
			inBlocks(y, 30)(yield)
		}
	}
	with := func(v float64) func(*Matrix) *Matrix {
		return func(x *Matrix) *Matrix { x.Set(71, 3, v); return x }
	}
	fewerRows := func(x *Matrix) *Matrix { return rowsOf(x, 0, 50) }
	broken := errors.New("the disk is gone")
	fails := func(yield func(*Matrix, error) bool) {
		if pass++; pass == 3 {
			yield(nil, broken)
			return
		}
		inBlocks(x, 30)(yield)
	}
	unread := func(func(*Matrix, error) bool) { t.Error("the blocks are read") }
	all := inBlocks(x, 30)
	ended, cancel := context.WithCancel(bg)
	cancel()
	large := 1 << 23
	if math.MaxInt == math.MaxInt32 {
		large = 1 << 14
	}
	calls := 0
	full := MinVolumeSeqOptions{Memberships: func(int, *Matrix) error { calls++; return io.ErrShortWrite }}
	labels := MinVolumeSeqOptions{Labels: func(int, []int) error { return io.ErrShortWrite }}
	late := MinVolumeSeqOptions{Refinements: -1, Memberships: func(int, *Matrix) error { return nil }}
	weights := func(w ...float64) MinVolumeSeqOptions {
		return seqOptions(MinVolumeOptions{Weights: w}, 0, 0)
	}
	centers := func(k int) MinVolumeSeqOptions {
		return seqOptions(MinVolumeOptions{Centers: NewMatrix(k, 4, nil)}, 0, 0)
	}
	var none MinVolumeSeqOptions
	for _, c := range []struct {
		blocks iter.Seq2[*Matrix, error]
		k      int
		o      MinVolumeSeqOptions
		want   error
		says   string
	}{
		{nil, 2, none, ErrShape, "nil"}, {inBlocks(rowsOf(x, 0, 0), 1), 2, none, ErrTooFewSamples, "no rows"},
		{on(1, with(math.NaN())), 2, none, ErrNonFinite, "x[71,3]"},
		{on(3, with(math.NaN())), 2, none, ErrNonFinite, "x[71,3]"},
		{on(1, with(0x1p501)), 2, none, ErrRange, "x[71,3]"},
		{on(2, with(0x1p501)), 2, none, ErrRange, "x[71,3]"},
		{on(2, with(1)), 2, none, ErrChanged, "squared distances"},
		{on(3, with(1)), 2, none, ErrChanged, "squared distances"},
		{on(4, with(1)), 2, late, ErrChanged, "squared distances"},
		{on(2, fewerRows), 2, none, ErrChanged, "pass 2 has 50 rows, pass 1 had 100"},
		{on(3, fewerRows), 2, none, ErrChanged, "pass 3"}, {on(4, fewerRows), 2, late, ErrChanged, "pass 4"},
		{fails, 2, none, broken, "pass 3, after row 0"}, {all, 2, full, io.ErrShortWrite, "from row 0"},
		{inBlocks(rowsOf(x, 0, 20), 30), 2, full, io.ErrShortWrite, "from row 0"},
		{all, 2, labels, io.ErrShortWrite, "labels from row 0"},
		{all, 2, weights(1, 2), ErrShape, "2 weights"},
		{all, math.MaxInt32, none, ErrOption, "k is 2147483647"},
		{all, 2, centers(2), ErrShape, "Centers are 2×4, not 2×5"},
		{unread, 2, centers(3), ErrShape, "Centers are 3×4"}, {unread, 0, none, ErrOption, "k is 0"},
		{unread, large, none, ErrOption, "k×k numbers"},
		{unread, large, weights(1, 1, 1), ErrOption, "k×k numbers"},
		{unread, 2, weights(1, -1), ErrOption, "weights[1]"},
		{unread, 2, weights(math.NaN()), ErrNonFinite, "weights[0]"},
		{unread, 2, weights(0, 0), ErrTooFewSamples, "every weight is 0"},
		{unread, 2, seqOptions(MinVolumeOptions{Workers: -1}, 0, 0), ErrOption, "Workers is -1, below 0"},
		{unread, 2, seqOptions(MinVolumeOptions{}, -1, 0), ErrOption, "SummaryRows is -1"},
		{unread, 2, seqOptions(MinVolumeOptions{Slack: -1e-9}, 0, 0), ErrOption, "Slack"},
		{all, 2, none, context.Canceled, "stopped"},
	} {
		pass, calls = 0, 0
		ctx := bg
		if c.want == context.Canceled {
			ctx = ended
		}
		o := c.o
		o.SummaryRows, o.MaxIter = cmp.Or(o.SummaryRows, 64), 5
		before := o
		m, err := FitMinVolumeSeq(ctx, c.blocks, c.k, &o)
		if m != nil || !errors.Is(err, c.want) || !strings.HasPrefix(err.Error(), "softkmeans: ") ||
			!strings.Contains(err.Error(), c.says) || calls > 1 {
			t.Errorf("%v with %q: %v, %v after %d calls", c.want, c.says, m, err, calls)
		}
		if o.Init != before.Init || o.Restarts != 0 || o.Epsilon != 0 || o.Tol != 0 {
			t.Errorf("options were changed to %+v", o)
		}
	}
}

// FuzzMinVolumeSeq: a model of a summary, and of rows that fit into it, keeps what the
// one of all rows promises.
func FuzzMinVolumeSeq(f *testing.F) {
	f.Add([]byte{0, 7, 3, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	f.Add([]byte("1: oddities of all kinds, and five columns"))
	f.Add([]byte{2, 1, 5, 0x1a, 250, 200, 100, 50, 25, 12, 6, 3, 1})
	f.Add([]byte{5, 2, 3, 3, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88})
	f.Fuzz(func(t *testing.T, data []byte) {
		in := newInput(data)
		k := 1 + in.below(3)
		n := 32*k + in.below(30) - 5 // a summary has 32 rows for each center
		x := in.matrix(n, 1+in.below(4))
		w := in.weightsOf(x)
		o := in.minVolume(x, w, k)
		o.SummaryRows, o.MaxIter = 1, min(o.MaxIter, 3)
		told, got := progress{t: t, rows: n}, collected{t, NewMatrix(0, k, nil)}
		var labels [2][]int
		o.Progress, o.Memberships = told.told, got.take
		o.Labels = func(_ int, part []int) error { labels[0] = append(labels[0], part...); return nil }
		blocks := in.blocks(x)
		m := mustDo(FitMinVolumeSeq(bg, blocks, k, o))(t)
		if m.Memberships != nil || got.g.Rows != n || told.last.Rows != n {
			t.Fatalf("%+v, memberships of %d rows, last told of %+v", m, got.g.Rows, told.last)
		}
		form := mustDo(m.MarshalBinary())(t)
		m.Memberships, m.Clusters = got.g, labels[0]
		checkIterated(t, x, m, &o.MinVolumeOptions)
		checkModel(t, in, m)
		if m.Status == StatusNone || m.Status == StatusCancelled {
			t.Fatal(m.Status)
		}
		if o.Sum == SumToOne {
			c := mustDo(Certify(bg, x, m.Centers, got.g, &Options{Weights: w}))(t)
			most := room(1e-9, x, w, m.Centers, got.g) * max(1, math.Abs(m.Gap))
			if !(math.Abs(c.Gap-m.Gap) <= most) {
				t.Fatalf("gap %g, certified %+v, within %g: %+v of %v with %v", m.Gap, c, most, o, x, w)
			}
		}
		again := *o
		other := collected{t, NewMatrix(0, k, nil)}
		again.Workers, again.Memberships, again.Progress = 2, other.take, nil
		again.Labels = func(_ int, part []int) error { labels[1] = append(labels[1], part...); return nil }
		b := mustDo(FitMinVolumeSeq(bg, inBlocks(x, 1+in.below(200)), k, &again))(t)
		if !slices.Equal(mustDo(b.MarshalBinary())(t), form) || !laSameBits(other.g.Data, got.g.Data) ||
			!slices.Equal(labels[0], labels[1]) {
			t.Fatalf("other blocks: %+v, not %+v", b, m)
		}
		if n <= 32*k {
			memory := mustDo(FitMinVolume(bg, x, k, &o.MinVolumeOptions))(t)
			if !slices.Equal(mustDo(memory.MarshalBinary())(t), mustDo(m.MarshalBinary())(t)) {
				t.Fatalf("%+v, not %+v of FitMinVolume", m, memory)
			}
		}
		bad := in.trouble()
		again.Memberships = func(int, *Matrix) error { return nil }
		b, err := FitMinVolumeSeq(bg, bad.in(blocks), k, &again)
		bad.check(t, b, err)
		in.finish(t)
	})
}

// streamed returns the parts of a call of FitMinVolumeSeq, after its summary is made.
func streamed(t *testing.T, x *Matrix, k int, o MinVolumeSeqOptions) (*streamedFit, *alternation) {
	t.Helper()
	w := &streamedFit{o: &o, k: k, problems: map[int]*blockProblem{},
		sequence: sequence{ctx: bg, blocks: inBlocks(x, 77), o: &Options{Weights: o.Weights}}}
	if rows, err := w.subspace(); err != nil || rows != nil {
		t.Fatal(rows, err)
	}
	return w, mustDo(w.summarise())(t)
}

// TestMeasurement: what a pass finds for centers is that of all rows, in the units of the
// summary: the objective from sums is the one from the rows, and all but the memberships'
// sums add up. A correction gives the summary the value and the gradient of all rows.
func TestMeasurement(t *testing.T) {
	for _, c := range []struct {
		n, d, k int
		o       MinVolumeOptions
		rank    int // 0: full
	}{
		{150, 5, 3, MinVolumeOptions{}, 0}, {150, 5, 3, MinVolumeOptions{Sum: SumAtMostOne}, 0},
		{150, 6, 4, MinVolumeOptions{}, 2}, // exact: coordinates of a subspace
		{90, 400, 2, MinVolumeOptions{Volume: VolumeAffine}, 0}, {100, 1, 1, MinVolumeOptions{Seed: 4}, 0},
	} {
		x := randomData(c.n, c.d, 3, 5)
		if c.rank > 0 {
			x = product(randomData(c.n, c.rank, 1, 5), randomData(c.rank, c.d, 0, 6))
		}
		c.o.Weights = make1(c.n)
		for i := range c.n {
			c.o.Weights[i] = float64(i%3) * 1e3
		}
		w, vf := streamed(t, x, c.k, seqOptions(c.o, 1, 0))
		name := fmt.Sprintf("%d×%d, k=%d, %v", c.n, c.d, c.k, c.o.Sum)
		if n := 32 * c.k; vf.s.n > n || vf.s.n < n/2 {
			t.Errorf("%s: a summary of %d rows", name, vf.s.n)
		}
		f := rowsOf(vf.z, 1, 1+c.k).Clone()
		g := NewMatrix(c.n, c.k, nil)
		w.sequence.o.Memberships = func(at int, part *Matrix) error {
			copy(g.Data[at*c.k:], part.Data)
			return nil
		}
		var labels []int
		w.o.Labels = func(_ int, part []int) error { labels = append(labels, part...); return nil }
		axes := NewMatrix(1, c.d, slices.Repeat([]float64{0.1}, c.d))
		m := &Model{ClusterMeans: vf.toData(f), ClusterAxes: axes}
		at := mustDo(w.measure(vf, f, &metric{m.ClusterMeans, m.ClusterAxes}))(t)
		want, margin := ownNearest(x, m)
		sure(t, name, labels, want, margin)
		truth := plainObjective(x, vf.model(f, &volumeRun{iterate: at.iterate}).Centers, g, c.o.Weights)
		s := w.p.frame(bg, 1)
		unit := s.unscaleSquare(1)
		if math.Abs(at.direct*unit-truth) > 1e-9*truth || math.Abs(at.objective-at.direct) > 1e-9*at.direct {
			t.Errorf("%s: objective %g by sums, %g by rows, truly %g",
				name, at.objective*unit, at.direct*unit, truth)
		}
		// What the memberships say, weighted as the samples are.
		_, wexp := math.Frexp(2e3)
		weighted := mapped(g, func(i, _ int, v float64) float64 {
			return v * math.Ldexp(c.o.Weights[i], -wexp)
		})
		diff := maxDiff(product(g.transposed(), weighted), at.gg)
		if s.wexp != wexp || diff > 1e-9*float64(c.n) {
			t.Errorf("%s: GᵀG is off by %g", name, diff)
		}

		plain := alternation{minVolume: &minVolume{k: vf.k, o: vf.o}, s: vf.s, z: vf.z}
		own := vf.newIterate()
		copy(own.f.Data, f.Data)
		must(t, plain.pass(own, nil))
		value, fix := own.objective, correctionAt(at, own, 0.7)
		slope := func(gg, gz *Matrix) *Matrix { return axpyOf(product(gg, f), -1, gz) }
		fix.add(own)
		size := math.Sqrt(sumSquares(at.gz.Data) + sumSquares(at.gg.Data)*sumSquares(f.Data))
		if diff := maxDiff(slope(own.gg, own.gz), slope(at.gg, at.gz)); diff > 1e-12*size {
			t.Errorf("%s: the gradient is off by %g of %g", name, diff, size)
		}
		to := value - 2*dot(fix.linear.Data, f.Data)
		if math.Abs(own.objective-to) > 1e-12*(math.Abs(to)+value) {
			t.Errorf("%s: the correction takes %g to %g, want %g", name, value, own.objective, to)
		}
		there := own.f.Clone() // the proximal term
		there.Data[0] += 2
		away := &iterate{f: there, gg: NewMatrix(c.k, c.k, nil), gz: NewMatrix(c.k, f.Cols, nil)}
		fix.add(away)
		to = 0.7*4 - 2*dot(fix.linear.Data, there.Data)
		if math.Abs(away.objective-to) > 1e-9*(1+math.Abs(to)) {
			t.Errorf("%s: the correction is %g at distance 2, want %g", name, away.objective, to)
		}
	}
}

// axpyOf is m + a·y.
func axpyOf(m *Matrix, a float64, y *Matrix) *Matrix {
	axpy(m.Data, a, y.Data)
	return m
}

// TestMinVolumeSeqAboutZero: floor and total of SumAtMostOne are about 0, by the scatter and
// by passes, also of fewer rows than columns.
func TestMinVolumeSeqAboutZero(t *testing.T) {
	for _, shape := range [][3]int{{70, 5, 2}, {40, 60, 1}, {100, 3, 3}} {
		n, d, k := shape[0], shape[1], shape[2]
		x := randomData(n, d, 2, 3)
		_, values, _, err := SVD(x)
		must(t, err)
		for i := range values {
			values[i] *= values[i]
		}
		want, total := tailSum(values, k), sumSquares(x.Data)
		o := seqOptions(MinVolumeOptions{Sum: SumAtMostOne, MaxIter: 1, Lambda: 1e-3}, 1, -1)
		m := mustDo(FitMinVolumeSeq(bg, inBlocks(x, 30), k, &o))(t)
		off := max(math.Abs(m.Total-total), math.Abs(m.Floor-want))
		if off > 1e-12*total || m.Solver != SolverGram {
			t.Errorf("%d×%d, k=%d: floor %g of %g, want %g of %g", n, d, k, m.Floor, m.Total, want, total)
		}
		for _, solver := range []Solver{SolverGram, SolverKrylov} {
			q := &sequence{ctx: bg, blocks: inBlocks(x, 30), o: &Options{Solver: solver}}
			s := mustDo(q.statistics(k, nil))(t)
			s.aboutZero()
			got := s.total
			if solver == SolverGram {
				got = trace(s.full())
				all := outer(x.transposed())
				if diff := maxDiff(all, s.Scatter()); diff > 1e-12*all.At(0, 0)*float64(n) {
					t.Errorf("%d×%d: the scatter is off by %g", n, d, diff)
				}
			}
			if got = s.unscaleSquare(got); math.Abs(got-total) > 1e-12*total || norm2(s.mean) != 0 ||
				norm2(s.meanRest) != 0 {
				t.Errorf("%d×%d, %v: total %g, want %g, mean %v", n, d, solver, got, total, s.mean)
			}
		}
	}
}

// TestMinVolumeSeqPasses: how often the data is read, and how many rows a summary has.
func TestMinVolumeSeqPasses(t *testing.T) {
	x := noisy(firstOf(mixtures(70, 4, 2, 0.5, 1, 1)), 20, 1)
	for _, c := range []struct {
		rows, summary, refinements int
		members                    bool
		want                       int // at least; at most one more for each refinement
	}{
		{64, 1, 0, true, 1}, {65, 65, -1, false, 1}, {65, 0, 0, true, 1}, {65, 64, -1, false, 3},
		{70, 1, -1, true, 4}, {66, 65, 1, false, 3}, {70, 64, 2, true, 4},
	} {
		blocks, passes := counted(inBlocks(rowsOf(x, 0, c.rows), 30))
		o := seqOptions(MinVolumeOptions{}, c.summary, c.refinements)
		if c.members {
			o.Memberships = func(int, *Matrix) error { return nil }
		}
		mustDo(FitMinVolumeSeq(bg, blocks, 2, &o))(t)
		if *passes < c.want || *passes > c.want+max(c.refinements, 0) {
			t.Errorf("%+v: %d passes", c, *passes)
		}
	}
	slow := noisy(firstOf(mixtures(300, 4, 3, 0.5, 1, 0)), 10, 0) // at this Tol every refinement is made
	for refinements, want := range map[int]int{-1: 3, 1: 4, 2: 5, 0: 7, 6: 9} {
		blocks, passes := counted(inBlocks(slow, 100))
		o := seqOptions(MinVolumeOptions{Tol: 1e-12, Lambda: 1, MaxIter: 30}, 96, refinements)
		m := mustDo(FitMinVolumeSeq(bg, blocks, 3, &o))(t)
		if *passes != want || m.Status != StatusIterationLimit {
			t.Errorf("%d refinements: %d passes, %v", refinements, *passes, m.Status)
		}
	}
	for _, c := range []struct{ cols, k, rows, want int }{
		{1, 2, 0, 1 << 14}, {1024, 1, 0, 1 << 14}, {1025, 2, 0, 16368}, {4096, 2, 0, 1 << 12},
		{20000, 1, 0, 1024}, {3, 1000, 0, 32000}, {3, 2, 1, 64}, {3, 2, 65, 65},
	} {
		blocks := inBlocks(NewMatrix(1, c.cols, nil), 1)
		w := &streamedFit{o: &MinVolumeSeqOptions{SummaryRows: c.rows}, k: c.k,
			sequence: sequence{ctx: bg, blocks: blocks, o: &Options{Solver: SolverKrylov}}}
		if rows, err := w.subspace(); err != nil || rows == nil || w.size != c.want {
			t.Errorf("%d columns, k=%d: a summary of %d rows, want %d; %v", c.cols, c.k, w.size, c.want, err)
		}
	}
	// Memberships of rows in memory come in blocks, too.
	var got []int
	o := MinVolumeSeqOptions{Memberships: func(at int, g *Matrix) error {
		if at != 8192*len(got) || g.Data[0] != 1 || len(g.Data) != g.Rows {
			t.Errorf("row %d after %d", at, got)
		}
		got = append(got, g.Rows)
		return nil
	}}
	mustDo(FitMinVolumeSeq(bg, inBlocks(randomData(9000, 1, 0, 1), 5000), 1, &o))(t)
	if !slices.Equal(got, []int{8192, 808}) {
		t.Error(got)
	}
}

// TestMinVolumeSeqWarns: an error that is beyond the slack is a warning that says by how
// much. One that is within, to 1 % of the slack, is none, and has converged.
func TestMinVolumeSeqWarns(t *testing.T) {
	var seen [2]int
	of := func(w Warning) bool { return w.Kind == WarnSlack }
	for seed := range uint64(7) {
		x := noisy(firstOf(mixtures(400, 5, 3, 0.5, 1, seed)), 12, seed)
		o := seqOptions(MinVolumeOptions{Init: InitSPA, MaxIter: 60}, 96, []int{-1, 3}[seed%2])
		if seed == 6 { // ends just below what the slack allows
			x = noisy(firstOf(mixtures(2000, 5, 4, 1, 1, 7)), 15, 7)
			o = seqOptions(MinVolumeOptions{}, 600, 0)
		}
		m := mustDo(FitMinVolumeSeq(bg, inBlocks(x, 200), 3, &o))(t)
		allowed := min(DefaultSlack*m.Floor, mostGiven*(m.Total-m.Floor))
		target := m.Floor + allowed
		beyond := m.Objective > target+closeShare*allowed
		at := slices.IndexFunc(m.Warnings, of)
		if beyond != (at >= 0) || beyond && math.Abs(m.Warnings[at].Value-m.Objective/target) > 1e-9 {
			t.Errorf("seed %d: objective %g, %g allowed, %v", seed, m.Objective, target, m.Warnings)
		}
		if off := (m.Objective - m.Floor) / allowed; seed == 6 &&
			(off < 0.99 || off > 1 || m.Status != StatusConverged || len(m.Warnings) > 0) {
			t.Errorf("%g of the slack is used, %v, %v", off, m.Status, m.Warnings)
		}
		if beyond {
			seen[1]++
		} else {
			seen[0]++
		}
		o.Lambda = m.Lambda // a λ of the caller's is none
		if m := mustDo(FitMinVolumeSeq(bg, inBlocks(x, 200), 3, &o))(t); slices.ContainsFunc(m.Warnings, of) {
			t.Errorf("seed %d: %v", seed, m.Warnings)
		}
	}
	if seen[0] == 0 || seen[1] == 0 {
		t.Errorf("%d within the slack, %d beyond", seen[0], seen[1])
	}
}
