package softkmeans

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

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
	m, err := FitMinVolumeSeq(bg, blocks, k, &o)
	if err != nil {
		t.Fatal(err)
	}
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
	if o.Sum == SumToOne {
		checkFeasible(t, m.Memberships)
	}
	if got := plainObjective(x, m.Centers, m.Memberships, o.Weights); math.Abs(got-m.Objective) > 1e-9*got+1e-13*m.Total {
		t.Errorf("%s: objective %g, is %g", name, m.Objective, got)
	}
	if o.Sum == SumToOne {
		floors, err := Floors(context.Background(), x, &Options{Weights: o.Weights})
		if err != nil {
			t.Fatal(err)
		}
		if k := m.Centers.Rows; k <= len(floors) && !close9(m.Floor, floors[k-1], m.Total) || !close9(m.Total, floors[0], m.Total) {
			t.Errorf("%s: floor %g, total %g; they are %g", name, m.Floor, m.Total, floors)
		}
	}
	g, err := (&Model{Centers: m.Centers, Sum: m.Sum}).Predict(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	worst := 0.0
	for i, v := range g.Data {
		worst = max(worst, math.Abs(v-m.Memberships.Data[i]))
	}
	if worst > 1e-5 {
		t.Errorf("%s: memberships are off those of Predict by %g", name, worst)
	}
	if m.Status == StatusConverged && o.Lambda == 0 && m.Floor > trivialFloor*m.Total {
		slack := orDefault(o.Slack, DefaultSlack)
		if most := m.Floor + min(slack*m.Floor, mostGiven*(m.Total-m.Floor))*(1+2*closeShare); m.Objective > most {
			t.Errorf("%s: objective %g, floor %g: more than the slack of %g allows, though converged", name, m.Objective, m.Floor, slack)
		}
	}
}

const trivialFloor = 1e-5 // of the total: the slack rule takes another share for a smaller floor

// TestMinVolumeSeqInMemory: rows that fit into the summary give the bits of FitMinVolume in
// one pass.
func TestMinVolumeSeqInMemory(t *testing.T) {
	t.Parallel()
	for _, name := range realSets {
		x := head(standardized(loadCSV(t, name)), 200)
		for _, o := range []MinVolumeSeqOptions{{}, {MinVolumeOptions: MinVolumeOptions{Sum: SumAtMostOne, Init: InitSPA, Weights: make1(x.Rows), MaxIter: 20}}} {
			want, err := FitMinVolume(bg, x, 3, &o.MinVolumeOptions)
			if err != nil {
				t.Fatal(err)
			}
			got, passes := seqFit(t, x, 3, o, 7, 100)
			a, err := got.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			b, err := want.MarshalBinary()
			if err != nil || !slices.Equal(a, b) || passes != 1 {
				t.Errorf("%s: not the model of FitMinVolume, or %d passes; %v", name, passes, err)
			}
		}
	}
}

// TestMinVolumeSeqLoss: how much is lost by summaries of a part of the rows.
func TestMinVolumeSeqLoss(t *testing.T) {
	t.Parallel()
	type set struct {
		dataSet
		o     MinVolumeSeqOptions
		sizes []int
		held  bool // to the same minimum
	}
	var sets []set
	all := os.Getenv("SOFTKMEANS_DATA") != ""
	for _, s := range dataSets(t) {
		for _, size := range []int{100, 500, 1000} {
			if size < s.x.Rows && size > s.x.Rows/6 && size >= 32*s.k && (s.k < 5 || extended() && (size > 500 || all)) {
				sets = append(sets, set{s, MinVolumeSeqOptions{}, []int{size}, s.k < 5})
			}
		}
	}
	n, size := fewer(2000, 1000), fewer(400, 200)
	if all {
		n, size = 200000, 0
	}
	for _, shape := range [][2]int{{3, 8}, {5, 32}}[:full(2, 1)] {
		k, d := shape[0], shape[1]
		for _, most := range purest {
			x, _ := mixtures(n, d, k, 0.5, most, 1)
			sets = append(sets, set{dataSet{fmt.Sprintf("exact, purest %g", most), x, k}, MinVolumeSeqOptions{}, []int{size}, true},
				set{dataSet{fmt.Sprintf("30 dB, purest %g", most), noisy(x, 30, 2), k}, MinVolumeSeqOptions{MinVolumeOptions: MinVolumeOptions{Init: InitSPA, Slack: 0.1 * float64(k-1) / float64(d-k+1)}}, []int{size}, true})
		}
	}
	for _, s := range sets {
		want, err := FitMinVolume(bg, s.x, s.k, &s.o.MinVolumeOptions)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range s.sizes {
			name := fmt.Sprintf("%s %d×%d, k = %d, %d rows", s.name, s.x.Rows, s.x.Cols, s.k, size)
			s.o.SummaryRows = size
			m, passes := seqFit(t, s.x, s.k, s.o, 1000)
			checkAllRows(t, name, s.x, m, s.o)
			same, err := Accuracy(want.Labels(nil), m.Labels(nil))
			if err != nil {
				t.Fatal(err)
			}
			off := apart(want.Centers, m.Centers, m, float64(s.x.Rows))
			used := (m.Objective - m.Floor) / (want.Objective - want.Floor)
			t.Logf("%s: %d passes, %v, slack used %.4f of FitMinVolume's, centers apart %.4f, same labels %.4f, volume %+.3f", name, passes, m.Status, used, off, same, m.logs()-want.logs())
			if s.held && (used > 1.05 || used < 0.95 || same < 0.94 || off > 0.08) {
				t.Errorf("%s: slack used %g of FitMinVolume's, centers apart %g, same labels %g", name, used, off, same)
			}
			if used > 1.05 || passes > 8 {
				t.Errorf("%s: slack used %g of FitMinVolume's, %d passes", name, used, passes)
			}
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

// TestMinVolumeSeqFalls: at one λ every pass more leaves the objective of all rows
// where it was or lowers it, and FitMinVolume on all rows, from there, finds hardly
// anything to gain.
func TestMinVolumeSeqFalls(t *testing.T) {
	t.Parallel()
	for _, s := range dataSets(t)[:3] {
		x := moved(s.x, 3)
		want, err := FitMinVolume(bg, x, s.k, nil)
		if err != nil {
			t.Fatal(err)
		}
		o := MinVolumeSeqOptions{MinVolumeOptions: MinVolumeOptions{Lambda: want.Lambda, Epsilon: want.Epsilon, Volume: VolumeAffine}, SummaryRows: max(x.Rows/3, 32*s.k)}
		last := math.Inf(1)
		for _, o.Refinements = range []int{-1, 1, 2, 3, 12} {
			m, _ := seqFit(t, x, s.k, o, 100)
			value := m.Objective + m.Lambda/2*m.logs()
			t.Logf("%s, %d refinements: %.9g, %v", s.name, o.Refinements, value, m.Status)
			if value > last+1e-10*m.Total {
				t.Errorf("%s, %d refinements: the objective rose from %g to %g", s.name, o.Refinements, last, value)
			}
			last = value
			if want := slopeOf(t, x, m); s.name == "iris" && math.Abs(m.Stationarity-want) > 1e-4*want+1e-6 {
				t.Errorf("%s, %d refinements: the slope is %g, by differences %g", s.name, o.Refinements, m.Stationarity, want)
			}
			if o.Refinements < 12 {
				continue
			}
			better, err := FitMinVolume(bg, x, s.k, &MinVolumeOptions{Lambda: o.Lambda, Epsilon: o.Epsilon, Volume: o.Volume, Centers: m.Centers})
			if err != nil {
				t.Fatal(err)
			}
			if gain := value - better.Objective - better.Lambda/2*better.logs(); m.Status == StatusConverged && gain > 1e-3*better.Objective {
				t.Errorf("%s: converged, but %g of the fit is to be gained", s.name, gain/better.Objective)
			}
		}
	}
}

// TestMinVolumeSeqBits: blocks and workers do not matter, the seed does.
func TestMinVolumeSeqBits(t *testing.T) {
	t.Parallel()
	x := noisy(firstOf(mixtures(8500, 4, 3, 0.5, 1, 1)), 20, 1)
	bits := func(o MinVolumeSeqOptions, sizes ...int) []byte {
		o.SummaryRows = 300
		m, _ := seqFit(t, x, 3, o, sizes...)
		for _, v := range m.Memberships.Data {
			m.Trace = append(m.Trace, v)
		}
		form, err := m.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		return form
	}
	want := bits(MinVolumeSeqOptions{MinVolumeOptions: MinVolumeOptions{Workers: 1}}, 9000)
	if !slices.Equal(want, bits(MinVolumeSeqOptions{MinVolumeOptions: MinVolumeOptions{Workers: 3}}, 1, 5000, 13)) || !slices.Equal(want, bits(MinVolumeSeqOptions{MinVolumeOptions: MinVolumeOptions{Workers: 2}}, 100)) {
		t.Error("the bits depend on the blocks or the workers")
	}
	if slices.Equal(want, bits(MinVolumeSeqOptions{MinVolumeOptions: MinVolumeOptions{Seed: 1}}, 9000)) {
		t.Error("another seed draws the same summary")
	}
}

// TestMinVolumeSeqRarePure: of an exact mixture the few pure rows are in the summary.
func TestMinVolumeSeqRarePure(t *testing.T) {
	t.Parallel()
	const k, d = 4, 6
	n := fewer(10000, 3000)
	rng := rand.New(rand.NewPCG(3, 1))
	corners := randomData(k, d, 0, 5)
	for a := range k { // a flat simplex, a hundredth as high as it is wide
		corners.row(a)[5] *= 0.01
	}
	x := NewMatrix(n, d, nil)
	for i := range n {
		g := make([]float64, k)
		sum := 0.0
		for a := range g {
			g[a] = 1 + rng.Float64()
			sum += g[a]
		}
		if i%(n/k) == n/k-1 { // once for every corner
			clear(g)
			g[i*k/n], sum = 1, 1
		}
		for a, v := range g {
			axpy(x.row(i), v/sum, corners.row(a))
		}
	}
	m, _ := seqFit(t, x, k, MinVolumeSeqOptions{MinVolumeOptions: MinVolumeOptions{Slack: 0.01}, SummaryRows: 500}, 1000)
	checkAllRows(t, "rare", x, m, MinVolumeSeqOptions{})
	if off := apart(corners, m.Centers, m, float64(n)); off > 0.02 { // such slack lets a corner alone be off by 0.01
		t.Errorf("centers are %g of the spread from the corners", off)
	}
}

// TestMinVolumeSeqWithinSlack: an error that is just below what the slack allows has
// converged, and has no warning.
func TestMinVolumeSeqWithinSlack(t *testing.T) {
	t.Parallel()
	x := noisy(firstOf(mixtures(2000, 5, 4, 1, 1, 7)), 15, 7)
	for _, k := range []int{3, 4} {
		m, _ := seqFit(t, x, k, MinVolumeSeqOptions{SummaryRows: 600}, 500)
		off := (m.Objective - m.Floor) / m.Floor / DefaultSlack
		if off < 0.99 || off > 1 || m.Status != StatusConverged {
			t.Errorf("k=%d: %g of the slack is used, and the status is %v", k, off, m.Status)
		}
		if len(m.Warnings) > 0 {
			t.Errorf("k=%d: %g of the slack is used, %v", k, off, m.Warnings)
		}
	}
}

// TestMinVolumeSeqWeights: a weight of 2 is the row twice, as far as two summaries
// can agree; a row of weight 0, however large, does not count.
func TestMinVolumeSeqWeights(t *testing.T) {
	t.Parallel()
	x := noisy(firstOf(mixtures(2000, 5, 3, 0.5, 1, 1)), 25, 1)
	n := x.Rows
	weights := make1(n)
	twice := x.Clone()
	for i := range n {
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
	weights[1] = 0
	for c := range x.row(1) {
		x.row(1)[c] = 1e150
	}
	for _, unit := range []float64{1, 1e150, 1e-150} {
		o := MinVolumeSeqOptions{MinVolumeOptions: MinVolumeOptions{Weights: slices.Clone(weights), Init: InitSPA, Slack: 0.2 / 3}, SummaryRows: 500}
		scale(o.Weights, unit)
		m, _ := seqFit(t, x, 3, o, 100)
		o.Weights = nil
		same, _ := seqFit(t, twice, 3, o, 100)
		if off := apart(same.Centers, m.Centers, same, float64(twice.Rows)); !(off < 0.05) || !close9(m.Floor, unit*same.Floor, unit*same.Total) || !(math.Abs(m.Lambda/same.Lambda/unit-1) < 0.1) {
			t.Errorf("unit %g: centers are %g apart, floor %g and %g, λ %g and %g", unit, off, m.Floor, same.Floor, m.Lambda, same.Lambda)
		}
		zero := rowsOf(x, 6, 7)
		g, err := m.Predict(nil, zero)
		if err != nil || math.Abs(g.Data[0]-m.Memberships.row(6)[0]) > 1e-9 {
			t.Errorf("memberships of a row of weight 0 are %v, not %v; %v", m.Memberships.row(6), g, err)
		}
	}
}

// TestMinVolumeSeqUnits: a mean 1e4 spreads away and units of 1e±150 change nothing.
func TestMinVolumeSeqUnits(t *testing.T) {
	t.Parallel()
	x := noisy(firstOf(mixtures(2000, 5, 3, 0.5, 1, 1)), 25, 1)
	o := MinVolumeSeqOptions{SummaryRows: 400}
	want, _ := seqFit(t, x, 3, o, 100)
	checkAllRows(t, "units", x, want, o)
	for _, c := range []struct{ unit, mean, tol float64 }{{1, 1e4, 1e-6}, {1e150, 0, 1e-7}, {1e-150, 0, 1e-7}} {
		y := mapped(x, func(_, _ int, v float64) float64 { return c.unit * (v + c.mean) })
		m, _ := seqFit(t, y, 3, o, 100)
		back := mapped(m.Centers, func(_, _ int, v float64) float64 { return v/c.unit - c.mean })
		if off := apart(want.Centers, back, want, 2000); !(off <= c.tol) || math.Abs(m.Gap-want.Gap) > 1e-6 {
			t.Errorf("unit %g, mean %g: centers are %g apart, gap %g, %g", c.unit, c.mean, off, m.Gap, want.Gap)
		}
	}
}

// TestMinVolumeSeqDegenerate: more rows than the summary has, of shapes where there is
// nothing to find.
func TestMinVolumeSeqDegenerate(t *testing.T) {
	t.Parallel()
	n := 250
	random := randomData(n, 3, 1, 9)
	for _, c := range []struct {
		name string
		x    *Matrix
		k    int
	}{
		{"equal rows", mapped(NewMatrix(n, 3, nil), func(_, j int, _ float64) float64 { return float64(j) + 0.1 }), 3}, {"zeros", NewMatrix(n, 2, nil), 2},
		{"one column", randomData(n, 1, 0, 1), 4}, {"k = 1", random, 1}, {"k = 2", random, 2}, {"k > d+1", random, 6},
		{"rank 1", mapped(NewMatrix(n, 4, nil), func(i, j int, _ float64) float64 { return float64(i*i) * float64(j+1) }), 4},
		{"two values", mapped(NewMatrix(n, 2, nil), func(i, _ int, _ float64) float64 { return float64(i % 2) }), 3},
		{"large", mapped(random, func(_, _ int, v float64) float64 { return v * 1e149 }), 3},
		{"small", mapped(random, func(_, _ int, v float64) float64 { return v * 1e-150 }), 3},
		{"outlier", mapped(random, func(i, _ int, v float64) float64 {
			if i == 3 {
				return v * 1e9
			}
			return v
		}), 3},
	} {
		for _, sum := range []Sum{SumToOne, SumAtMostOne} {
			for _, init := range fewer([]Init{InitAuto, InitSPA, InitGlobal}, []Init{InitAuto, InitGlobal}) {
				name := fmt.Sprint(c.name, " ", sum, " ", init)
				m, _ := seqFit(t, c.x, c.k, MinVolumeSeqOptions{MinVolumeOptions: MinVolumeOptions{Sum: sum, Init: init, MaxIter: full(10, 3)}, SummaryRows: 32 * c.k, Refinements: 1}, 64)
				if _, err := m.MarshalBinary(); err != nil { // every number is finite
					t.Errorf("%s: %v", name, err)
				}
				for i := range n {
					total := 0.0
					for _, v := range m.Memberships.row(i) {
						total += v
						if !(v >= 0) {
							t.Fatalf("%s: membership %g", name, v)
						}
					}
					if total > 1+1e-14 || sum == SumToOne && total < 1-1e-14 {
						t.Fatalf("%s: row adds up to %g", name, total)
					}
				}
				if m.Objective < m.Floor-1e-12*m.Total || m.Status == StatusNone || m.Status == StatusCancelled {
					t.Errorf("%s: objective %g, floor %g, %v", name, m.Objective, m.Floor, m.Status)
				}
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
	d := streamGramSide + 2
	x := noisy(firstOf(mixtures(160, d, 3, 0.5, 1, 1)), 30, 1)
	for _, sum := range full([]Sum{SumToOne, SumAtMostOne}, []Sum{SumToOne}) {
		o := MinVolumeSeqOptions{MinVolumeOptions: MinVolumeOptions{Init: InitSPA, Slack: 0.02, Sum: sum}, SummaryRows: 100}
		want, err := FitMinVolume(bg, x, 3, &o.MinVolumeOptions)
		if err != nil {
			t.Fatal(err)
		}
		m, passes := seqFit(t, x, 3, o, 50)
		checkAllRows(t, "wide", x, m, o)
		if off := apart(want.Centers, m.Centers, m, 160); off > 0.2 || !close9(m.Floor, want.Floor, m.Total) || m.Solver != SolverKrylov {
			t.Errorf("%v: centers are %g apart, floor %g, %g, %v", sum, off, m.Floor, want.Floor, m.Solver)
		}
		t.Logf("%v: %d passes", sum, passes)
	}
}

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
	ended, cancel := context.WithCancel(bg)
	cancel()
	take := func(int, *Matrix) error { return nil }
	for _, c := range []struct {
		what   string
		ctx    context.Context
		blocks iter.Seq2[*Matrix, error]
		k      int
		o      MinVolumeSeqOptions
		want   error
		says   string
	}{
		{"nil", bg, nil, 2, MinVolumeSeqOptions{}, ErrShape, "nil"},
		{"no blocks", bg, func(func(*Matrix, error) bool) {}, 2, MinVolumeSeqOptions{}, ErrTooFewSamples, "no rows"},
		{"NaN", bg, on(1, with(math.NaN())), 2, MinVolumeSeqOptions{}, ErrNonFinite, "x[71,3]"},
		{"NaN later", bg, on(3, with(math.NaN())), 2, MinVolumeSeqOptions{}, ErrNonFinite, "x[71,3]"},
		{"other values", bg, on(2, with(1)), 2, MinVolumeSeqOptions{}, ErrChanged, "squared distances"},
		{"other values to measure", bg, on(3, with(1)), 2, MinVolumeSeqOptions{}, ErrChanged, "squared distances"},
		{"other values for memberships", bg, on(4, with(1)), 2, MinVolumeSeqOptions{Refinements: -1, Memberships: take}, ErrChanged, "squared distances"},
		{"fewer rows", bg, on(2, fewerRows), 2, MinVolumeSeqOptions{}, ErrChanged, "pass 2 has 50 rows, pass 1 had 100"},
		{"fewer rows to measure", bg, on(3, fewerRows), 2, MinVolumeSeqOptions{}, ErrChanged, "pass 3"},
		{"fewer rows for memberships", bg, on(4, fewerRows), 2, MinVolumeSeqOptions{Refinements: -1, Memberships: take}, ErrChanged, "pass 4"},
		{"fails", bg, fails, 2, MinVolumeSeqOptions{}, broken, "pass 3, after row 0"},
		{"memberships", bg, inBlocks(x, 30), 2, MinVolumeSeqOptions{Memberships: func(int, *Matrix) error { return io.ErrShortWrite }}, io.ErrShortWrite, "from row 0"},
		{"memberships of few", bg, inBlocks(rowsOf(x, 0, 20), 30), 2, MinVolumeSeqOptions{Memberships: func(int, *Matrix) error { return io.ErrShortWrite }}, io.ErrShortWrite, "from row 0"},
		{"range", bg, on(1, with(0x1p501)), 2, MinVolumeSeqOptions{}, ErrRange, "x[71,3]"},
		{"range later", bg, on(2, with(0x1p501)), 2, MinVolumeSeqOptions{}, ErrRange, "x[71,3]"},
		{"few weights", bg, inBlocks(x, 30), 2, MinVolumeSeqOptions{MinVolumeOptions: MinVolumeOptions{Weights: []float64{1, 2}}}, ErrShape, "2 weights"},
		{"weights of 0", bg, inBlocks(x, 30), 2, MinVolumeSeqOptions{MinVolumeOptions: MinVolumeOptions{Weights: make([]float64, 100)}}, ErrTooFewSamples, "weight"},
		{"k", bg, inBlocks(x, 30), 0, MinVolumeSeqOptions{}, ErrOption, "k is 0"},
		{"large k", bg, inBlocks(x, 30), math.MaxInt32, MinVolumeSeqOptions{}, ErrOption, "k is 2147483647"},
		{"workers", bg, inBlocks(x, 30), 2, MinVolumeSeqOptions{MinVolumeOptions: MinVolumeOptions{Workers: -1}}, ErrOption, "Workers"},
		{"summary", bg, inBlocks(x, 30), 2, MinVolumeSeqOptions{SummaryRows: -1}, ErrOption, "SummaryRows"},
		{"slack", bg, inBlocks(x, 30), 2, MinVolumeSeqOptions{MinVolumeOptions: MinVolumeOptions{Slack: math.NaN()}}, ErrOption, "Slack"},
		{"centers", bg, inBlocks(x, 30), 2, MinVolumeSeqOptions{MinVolumeOptions: MinVolumeOptions{Centers: NewMatrix(2, 4, nil)}}, ErrShape, "Centers are 2×4, not 2×5"},
		{"more centers", bg, inBlocks(x, 30), 2, MinVolumeSeqOptions{MinVolumeOptions: MinVolumeOptions{Centers: NewMatrix(3, 5, nil)}}, ErrShape, "Centers are 3×5"},
		{"ended", ended, inBlocks(x, 30), 2, MinVolumeSeqOptions{}, context.Canceled, "stopped"},
	} {
		pass = 0
		if c.o.SummaryRows == 0 {
			c.o.SummaryRows = 64
		}
		m, err := FitMinVolumeSeq(c.ctx, c.blocks, c.k, &c.o)
		if m != nil || !errors.Is(err, c.want) || !strings.HasPrefix(err.Error(), "softkmeans: ") || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, %v", c.what, m, err)
		}
	}
}

// TestMinVolumeSeqCancelled: from the first solution of the summary on there is a
// model to return.
func TestMinVolumeSeqCancelled(t *testing.T) {
	x := noisy(firstOf(mixtures(500, 4, 3, 0.5, 1, 1)), 20, 1)
	for pass := 1; pass <= 4; pass++ {
		ctx, cancel := context.WithCancel(bg)
		m, err := FitMinVolumeSeq(ctx, inBlocks(x, 100), 3, &MinVolumeSeqOptions{MinVolumeOptions: MinVolumeOptions{Progress: func(p Iteration) {
			if p.Pass == pass {
				cancel()
			}
		}}, SummaryRows: 96, Refinements: -1, Memberships: func(int, *Matrix) error { return nil }})
		cancel()
		if !errors.Is(err, context.Canceled) || (m == nil) != (pass < 3) || m != nil && (m.Status != StatusCancelled || m.Centers == nil || m.ClusterMeans == nil || !(m.Objective >= 0)) {
			t.Errorf("cancelled in pass %d: %v, %v", pass, m, err)
		}
	}
	// In the middle of a run on the summary.
	ctx, cancel := context.WithCancel(bg)
	calls := 0
	m, err := FitMinVolumeSeq(ctx, inBlocks(x, 100), 3, &MinVolumeSeqOptions{MinVolumeOptions: MinVolumeOptions{Progress: func(Iteration) {
		if calls++; calls == 5 {
			cancel()
		}
	}}, SummaryRows: 96})
	cancel()
	if m == nil || m.Status != StatusCancelled || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled by Progress: %v, %v", m, err)
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
			c := mustDo(Certify(context.Background(), x, m.Centers, got.g, &Options{Weights: w}))(t)
			if most := room(1e-9, x, w, m.Centers, got.g) * max(1, math.Abs(m.Gap)); !(math.Abs(c.Gap-m.Gap) <= most) {
				t.Fatalf("gap %g, certified %+v, within %g: %+v of %v with %v", m.Gap, c, most, o, x, w)
			}
		}
		again := *o
		other := collected{t, NewMatrix(0, k, nil)}
		again.Workers, again.Memberships, again.Progress = 2, other.take, nil
		again.Labels = func(_ int, part []int) error { labels[1] = append(labels[1], part...); return nil }
		b := mustDo(FitMinVolumeSeq(bg, inBlocks(x, 1+in.below(200)), k, &again))(t)
		if !slices.Equal(mustDo(b.MarshalBinary())(t), form) || !laSameBits(other.g.Data, got.g.Data) || !slices.Equal(labels[0], labels[1]) {
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
func streamed(t *testing.T, x *Matrix, k int, o MinVolumeSeqOptions) (*streamedFit, *volumeFit) {
	t.Helper()
	w := &streamedFit{o: &o, k: k, problems: map[int]*blockProblem{}, sequence: sequence{ctx: bg, blocks: inBlocks(x, 77), o: &Options{Weights: o.Weights}}}
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
		{150, 5, 3, MinVolumeOptions{}, 0}, {150, 5, 3, MinVolumeOptions{Sum: SumAtMostOne}, 0}, {150, 6, 4, MinVolumeOptions{}, 2}, // exact: coordinates of a subspace
		{120, 2, 3, MinVolumeOptions{}, 0}, {90, 400, 2, MinVolumeOptions{Volume: VolumeAffine}, 0}, {100, 1, 1, MinVolumeOptions{Seed: 4}, 0},
	} {
		x := randomData(c.n, c.d, 3, 5)
		if c.rank > 0 {
			x = product(randomData(c.n, c.rank, 1, 5), randomData(c.rank, c.d, 0, 6))
		}
		c.o.Weights = make1(c.n)
		for i := range c.n {
			c.o.Weights[i] = float64(i%3) * 1e3
		}
		w, vf := streamed(t, x, c.k, MinVolumeSeqOptions{MinVolumeOptions: c.o, SummaryRows: 1})
		name := fmt.Sprintf("%d×%d, k=%d, %v", c.n, c.d, c.k, c.o.Sum)
		if n := 32 * c.k; vf.s.n > n || vf.s.n < n/2 {
			t.Errorf("%s: a summary of %d rows", name, vf.s.n)
		}
		f := rowsOf(vf.z, 1, 1+c.k).Clone()
		g := NewMatrix(c.n, c.k, nil)
		w.sequence.o.Seq.Memberships = func(first int, part *Matrix) error { copy(g.Data[first*c.k:], part.Data); return nil }
		var labels []int
		w.o.Labels = func(first int, part []int) error { labels = append(labels, part...); return nil }
		m := &Model{ClusterMeans: vf.toData(f), ClusterAxes: NewMatrix(1, c.d, slices.Repeat([]float64{0.1}, c.d))}
		at := mustDo(w.measure(vf, f, &metric{m.ClusterMeans, m.ClusterAxes}))(t)
		s := w.p.frame(bg, 1)
		want, margin := ownNearest(x, m)
		sure(t, name, labels, want, margin)
		truth := plainObjective(x, vf.model(f, &runResult{iterate: at.iterate}).Centers, g, c.o.Weights)
		unit := s.unscaleSquare(1)
		if math.Abs(at.direct*unit-truth) > 1e-9*truth || math.Abs(at.objective-at.direct) > 1e-9*at.direct {
			t.Errorf("%s: objective %g by sums, %g by rows, truly %g", name, at.objective*unit, at.direct*unit, truth)
		}
		// What the memberships say, weighted as the samples are.
		top := slices.Max(c.o.Weights)
		_, wexp := math.Frexp(top)
		gg := NewMatrix(c.k, c.k, nil)
		for i := range c.n {
			for a, v := range g.row(i) {
				axpy(gg.row(a), math.Ldexp(c.o.Weights[i], -wexp)*v, g.row(i))
			}
		}
		if diff := maxDiff(gg, at.gg); s.wexp != wexp || diff > 1e-9*float64(c.n) {
			t.Errorf("%s: GᵀG is off by %g", name, diff)
		}

		plain := alternation{ctx: vf.ctx, s: vf.s, z: vf.z, k: vf.k, sum: vf.sum}
		own := vf.newIterate()
		copy(own.f.Data, f.Data)
		if err := plain.pass(own, nil); err != nil {
			t.Fatal(err)
		}
		value, fix := own.objective, correctionAt(at, own, 0.7)
		slope := func(gg, gz *Matrix) *Matrix { return axpyOf(product(gg, f), -1, gz) }
		fix.add(own)
		size := math.Sqrt(sumSquares(at.gz.Data) + sumSquares(at.gg.Data)*sumSquares(f.Data))
		if diff := maxDiff(slope(own.gg, own.gz), slope(at.gg, at.gz)); diff > 1e-12*size {
			t.Errorf("%s: the gradient is off by %g of %g", name, diff, size)
		}
		if want := value - 2*dot(fix.linear.Data, f.Data); math.Abs(own.objective-want) > 1e-12*(math.Abs(want)+value) {
			t.Errorf("%s: the correction takes %g to %g, want %g", name, value, own.objective, want)
		}
		there := own.f.Clone() // the proximal term
		there.Data[0] += 2
		moved := &iterate{f: there, gg: NewMatrix(c.k, c.k, nil), gz: NewMatrix(c.k, f.Cols, nil)}
		fix.add(moved)
		if want := 0.7*4 - 2*dot(fix.linear.Data, there.Data); math.Abs(moved.objective-want) > 1e-9*(1+math.Abs(want)) {
			t.Errorf("%s: the correction is %g at distance 2, want %g", name, moved.objective, want)
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
	for _, shape := range [][3]int{{70, 5, 2}, {40, 60, 1}, {100, 3, 3}, {70, 2, 2}} {
		n, d, k := shape[0], shape[1], shape[2]
		x := randomData(n, d, 2, 3)
		values, _, _, err := squares(x)
		if err != nil {
			t.Fatal(err)
		}
		want := tailSum(values, min(k, len(values)))
		o := MinVolumeSeqOptions{MinVolumeOptions: MinVolumeOptions{Sum: SumAtMostOne, MaxIter: 1, Lambda: 1e-3}, SummaryRows: 1, Refinements: -1}
		m := mustDo(FitMinVolumeSeq(bg, inBlocks(x, 30), k, &o))(t)
		if total := sumSquares(x.Data); math.Abs(m.Total-total) > 1e-12*total || math.Abs(m.Floor-want) > 1e-12*total || m.Solver != SolverGram {
			t.Errorf("%d×%d, k=%d: floor %g of %g, want %g of %g", n, d, k, m.Floor, m.Total, want, total)
		}
		for _, solver := range []Solver{SolverGram, SolverKrylov} {
			q := &sequence{ctx: bg, blocks: inBlocks(x, 30), o: &Options{Solver: solver}}
			s := mustDo(q.statistics(k, nil))(t)
			s.aboutZero()
			total := s.total
			if solver == SolverGram {
				total = trace(s.full())
				all := outer(x.transposed())
				if diff := maxDiff(all, s.Scatter()); diff > 1e-12*all.At(0, 0)*float64(n) {
					t.Errorf("%d×%d: the scatter is off by %g", n, d, diff)
				}
			}
			if total = s.unscaleSquare(total); math.Abs(total-sumSquares(x.Data)) > 1e-12*total || norm2(s.mean) != 0 || norm2(s.meanRest) != 0 {
				t.Errorf("%d×%d, %v: total %g, want %g, mean %v", n, d, solver, total, sumSquares(x.Data), s.mean)
			}
		}
	}
}

// TestMinVolumeSeqPasses: how often the data is read, and how many rows a summary has.
func TestMinVolumeSeqPasses(t *testing.T) {
	x := noisy(firstOf(mixtures(70, 4, 2, 0.5, 1, 1)), 20, 1)
	take := func(int, *Matrix) error { return nil }
	for _, c := range []struct {
		rows int
		o    MinVolumeSeqOptions
		want int // at least; at most one more for each refinement
	}{
		{64, MinVolumeSeqOptions{SummaryRows: 64}, 1}, {64, MinVolumeSeqOptions{SummaryRows: 1, Memberships: take}, 1}, {65, MinVolumeSeqOptions{SummaryRows: 65, Refinements: -1}, 1}, {65, MinVolumeSeqOptions{Memberships: take}, 1},
		{65, MinVolumeSeqOptions{SummaryRows: 64, Refinements: -1}, 3}, {70, MinVolumeSeqOptions{SummaryRows: 1, Refinements: -1, Memberships: take}, 4},
		{66, MinVolumeSeqOptions{SummaryRows: 65, Refinements: 1}, 3}, {70, MinVolumeSeqOptions{SummaryRows: 64, Refinements: 2, Memberships: take}, 4},
	} {
		blocks, passes := counted(inBlocks(rowsOf(x, 0, c.rows), 30))
		m, err := FitMinVolumeSeq(bg, blocks, 2, &c.o)
		if most := c.want + max(c.o.Refinements, 0); err != nil || *passes < c.want || *passes > most || c.o.Refinements < 0 && *passes > 1 && m.Status != StatusIterationLimit && m.Status != StatusConverged {
			t.Errorf("%d rows, %+v: %d passes, %v", c.rows, c.o, *passes, err)
		}
	}
	slow := noisy(firstOf(mixtures(300, 4, 3, 0.5, 1, 0)), 10, 0) // at this Tol every refinement is made
	for refinements, want := range map[int]int{-1: 3, 1: 4, 2: 5, 3: 6, 0: 7, 6: 9} {
		blocks, passes := counted(inBlocks(slow, 100))
		m, err := FitMinVolumeSeq(bg, blocks, 3, &MinVolumeSeqOptions{MinVolumeOptions: MinVolumeOptions{Tol: 1e-12, Lambda: 1, MaxIter: 30}, SummaryRows: 96, Refinements: refinements})
		if err != nil || *passes != want || m.Status != StatusIterationLimit {
			t.Errorf("%d refinements: %d passes, %v", refinements, *passes, err)
		}
	}
	for _, c := range []struct{ cols, k, rows, want int }{{1, 2, 0, 1 << 14}, {1024, 1, 0, 1 << 14}, {1025, 2, 0, 16368}, {4096, 2, 0, 1 << 12}, {20000, 1, 0, 1024}, {3, 1000, 0, 32000}, {3, 2, 1, 64}, {3, 2, 65, 65}} {
		w := &streamedFit{o: &MinVolumeSeqOptions{SummaryRows: c.rows}, k: c.k, sequence: sequence{ctx: bg, blocks: inBlocks(NewMatrix(1, c.cols, nil), 1), o: &Options{Solver: SolverKrylov}}}
		if rows, err := w.subspace(); err != nil || rows == nil || w.size != c.want {
			t.Errorf("%d columns, k=%d: a summary of %d rows, want %d; %v", c.cols, c.k, w.size, c.want, err)
		}
	}
	// Memberships of rows in memory come in blocks, too.
	var got []int
	first := 0
	long := randomData(9000, 1, 0, 1)
	if _, err := FitMinVolumeSeq(bg, inBlocks(long, 5000), 1, &MinVolumeSeqOptions{Memberships: func(at int, g *Matrix) error {
		if at != first || g.Data[0] != 1 || len(g.Data) != g.Rows {
			t.Errorf("row %d after %d", at, first)
		}
		first += g.Rows
		got = append(got, g.Rows)
		return nil
	}}); err != nil || !slices.Equal(got, []int{8192, 808}) {
		t.Error(got, err)
	}
}

// TestMinVolumeSeqFirst: what can be seen without the data is an error before it is read.
func TestMinVolumeSeqFirst(t *testing.T) {
	blocks := func(func(*Matrix, error) bool) { t.Error("the blocks are read") }
	large := 1 << 23
	if math.MaxInt == math.MaxInt32 {
		large = 1 << 14
	}
	type opts = MinVolumeOptions
	for what, c := range map[string]struct {
		k    int
		o    MinVolumeSeqOptions
		want error
		says string
	}{
		"k": {0, MinVolumeSeqOptions{}, ErrOption, "k is 0"}, "large k": {large, MinVolumeSeqOptions{}, ErrOption, "k is " + fmt.Sprint(large) + ": a matrix of " + shape(large+1, large+1)},
		"large k with weights": {large, MinVolumeSeqOptions{MinVolumeOptions: opts{Weights: make1(3)}}, ErrOption, "too large to address"},
		"negative weight":      {2, MinVolumeSeqOptions{MinVolumeOptions: opts{Weights: []float64{1, -1}}}, ErrOption, "weights[1]"}, "NaN weight": {2, MinVolumeSeqOptions{MinVolumeOptions: opts{Weights: []float64{math.NaN()}}}, ErrNonFinite, "weights[0]"},
		"weights of 0": {2, MinVolumeSeqOptions{MinVolumeOptions: opts{Weights: []float64{0, 0}}}, ErrTooFewSamples, "every weight is 0"}, "workers": {2, MinVolumeSeqOptions{MinVolumeOptions: opts{Workers: -1}}, ErrOption, "Workers is -1, below 0"},
		"summary": {2, MinVolumeSeqOptions{SummaryRows: -1}, ErrOption, "SummaryRows is -1"}, "centers": {2, MinVolumeSeqOptions{MinVolumeOptions: opts{Centers: NewMatrix(3, 5, nil)}}, ErrShape, "Centers are 3×5"},
		"slack": {2, MinVolumeSeqOptions{MinVolumeOptions: opts{Slack: -1e-9}}, ErrOption, "Slack"},
	} {
		if m, err := FitMinVolumeSeq(bg, blocks, c.k, &c.o); m != nil || !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %v with %q", what, err, c.want, c.says)
		}
	}
	// Options are not changed, and memberships that fail are not asked for again.
	x := randomData(80, 3, 0, 1)
	calls := 0
	o := MinVolumeSeqOptions{MinVolumeOptions: MinVolumeOptions{MaxIter: 1, Lambda: 1}, SummaryRows: 1, Memberships: func(int, *Matrix) error { calls++; return io.ErrShortWrite }}
	for _, rows := range []int{80, 40} {
		calls = 0
		if m, err := FitMinVolumeSeq(bg, inBlocks(rowsOf(x, 0, rows), 10), 2, &o); m != nil || !errors.Is(err, io.ErrShortWrite) || calls != 1 {
			t.Errorf("%d rows: %v, %d calls", rows, err, calls)
		}
	}
	if o.Init != InitAuto || o.Restarts != 0 || o.Epsilon != 0 || o.Weights != nil {
		t.Errorf("%+v", o.MinVolumeOptions)
	}
}

// TestMinVolumeSeqWarns: an error that is beyond the slack is a warning that says by how
// much, and one that is within, to 1 % of the slack, is none.
func TestMinVolumeSeqWarns(t *testing.T) {
	var seen [2]int
	for seed := range uint64(6) {
		x := noisy(firstOf(mixtures(400, 5, 3, 0.5, 1, seed)), 12, seed)
		o := MinVolumeSeqOptions{MinVolumeOptions: MinVolumeOptions{Init: InitSPA, MaxIter: 60}, SummaryRows: 96, Refinements: []int{-1, 3}[seed%2]}
		m := mustDo(FitMinVolumeSeq(bg, inBlocks(x, 200), 3, &o))(t)
		allowed := min(DefaultSlack*m.Floor, mostGiven*(m.Total-m.Floor))
		target := m.Floor + allowed
		beyond := m.Objective > target+closeShare*allowed
		at := slices.IndexFunc(m.Warnings, func(w Warning) bool { return w.Kind == WarnSlack })
		if beyond != (at >= 0) || beyond && math.Abs(m.Warnings[at].Value-m.Objective/target) > 1e-9 {
			t.Errorf("seed %d: objective %g, %g allowed, %v", seed, m.Objective, target, m.Warnings)
		}
		seen[map[bool]int{true: 1}[beyond]]++
		o.Lambda = m.Lambda // a λ of the caller's is none
		if m := mustDo(FitMinVolumeSeq(bg, inBlocks(x, 200), 3, &o))(t); slices.ContainsFunc(m.Warnings, func(w Warning) bool { return w.Kind == WarnSlack }) {
			t.Errorf("seed %d: %v", seed, m.Warnings)
		}
	}
	if seen[0] == 0 || seen[1] == 0 {
		t.Errorf("%d within the slack, %d beyond", seen[0], seen[1])
	}
}
