package softkmeans

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
)

// TestFingerprint: all that extents depend on makes another fingerprint, and nothing else.
func TestFingerprint(t *testing.T) {
	x := randomData(9, 3, 1, 1)
	of := func() *Subspace {
		return mustDo(statsOf(t, x, nil).Subspace(3, &Options{Orientation: RandomOrientation(3, 1)}))(t)
	}
	seen := map[uint32]string{of().fingerprint: "as it is"}
	if p := of(); p.fingerprint != fingerprintOf(p) {
		t.Error("not always the same")
	}
	for what, change := range map[string]func(p *Subspace){
		"k": func(p *Subspace) { p.k++ }, "rows": func(p *Subspace) { p.rows++ }, "columns": func(p *Subspace) { p.cols++ }, "exp": func(p *Subspace) { p.exp++ },
		"many rows": func(p *Subspace) { p.rows += 1 << 30 }, "exp below 0": func(p *Subspace) { p.exp = -p.exp - 7 },
		"wexp": func(p *Subspace) { p.wexp++ }, "enclosure": func(p *Subspace) { p.enclosure = EnclosureTight },
		"mean": func(p *Subspace) { p.mean[2] = -p.mean[2] }, "mean's rest": func(p *Subspace) { p.meanRest[2] += 0x1p-80 },
		"basis": func(p *Subspace) { p.pc.basis.Data[5] *= 1 + 0x1p-50 }, "orientation": func(p *Subspace) { p.orientation.Data[3] *= 1 + 0x1p-50 }, "no orientation": func(p *Subspace) { p.orientation = nil },
	} {
		p := of()
		change(p)
		sum := fingerprintOf(p)
		if other := seen[sum]; other != "" {
			t.Errorf("%s: the fingerprint of %s", what, other)
		}
		seen[sum] = what
	}
	p := of()
	p.pc.total, p.pc.floor, p.pc.steps = 1, 2, 3
	if fingerprintOf(p) != p.fingerprint {
		t.Error("totals change it")
	}
}

// TestPartsWords: the errors of statistics, subspaces and extents, on both sides of their
// limits, with their words. What is wrong changes nothing.
func TestPartsWords(t *testing.T) {
	x := NewMatrix(4, 3, []float64{1, 2, 3, 4, 5, 7, 1, 0, 1, 2, 2, 9})
	w := []float64{1, 4, 2, 3}
	stats := func() *Stats { return statsOf(t, x, w) }
	p := mustDo(stats().Subspace(2, nil))(t)
	full := &Stats{}
	full.rows = math.MaxInt - 1
	extent := func(p *Subspace) *Extent {
		var e Extent
		if err := e.Add(p, x, w); err != nil {
			t.Fatal(err)
		}
		return &e
	}
	with := func(v float64) *Matrix { y := x.Clone(); y.Set(3, 1, v); return y }
	add := func(s *Stats, x *Matrix, w []float64) func() error {
		return func() error { return s.AddWeighted(x, w) }
	}
	see := func(x *Matrix, w []float64) func() error {
		return func() error {
			e := extent(p)
			before := *e
			err := e.Add(p, x, w)
			if err != nil && !reflect.DeepEqual(*e, before) {
				t.Error("the extent is changed by", err)
			}
			return err
		}
	}
	make := func(s *Stats, k int, o *Options) func() error {
		return func() error { _, err := s.Subspace(k, o); return err }
	}
	model := func(p *Subspace, e *Extent) func() error { return func() error { _, err := p.Model(e); return err } }
	narrow, three := NewMatrix(2, 2, nil), mustDo(stats().Subspace(3, nil))(t)
	short := &Extent{}
	if err := short.Add(p, rowsOf(x, 0, 3), w[:3]); err != nil {
		t.Fatal(err)
	}
	many := extent(p)
	many.rows = math.MaxInt - 3
	off := extent(p)
	off.squares *= 1 + 2e-9
	near := extent(p)
	near.squares *= 1 + 0.9e-9
	for i, c := range []struct {
		call func() error
		want error
		says string
	}{
		{add(stats(), narrow, nil), ErrShape, "x has 2 columns, the rows before have 3"}, {add(stats(), nil, nil), ErrShape, "x is nil"}, {add(stats(), x, w[:3]), ErrShape, "3 weights for 4 rows"},
		{add(stats(), x, []float64{1, 2, -1, 0}), ErrOption, "weights[2]"}, {add(stats(), x, []float64{1, 2, 3, math.Inf(1)}), ErrNonFinite, "weights[3]"}, {add(stats(), with(math.NaN()), make1(4)), ErrNonFinite, "x[3,1]"},
		{add(stats(), with(math.NaN()), []float64{0, 0, 0, 0}), ErrNonFinite, "x[3,1]"}, {add(full, narrow, nil), ErrShape, "the rows are more than an int can count"}, {add(full, rowsOf(narrow, 0, 1), nil), nil, ""},
		{func() error { return stats().Merge(statsOf(t, narrow, nil)) }, ErrShape, "statistics of 2 columns for those of 3"}, {func() error { return stats().Merge(&Stats{}) }, nil, ""},
		{func() error { return (&Stats{}).Merge(stats()) }, nil, ""}, {func() error { s := &Stats{}; s.rows = math.MaxInt - 3; return s.Merge(stats()) }, ErrShape, "more than an int"},
		{func() error { s := &Stats{}; s.rows = math.MaxInt - 4; return s.Merge(stats()) }, nil, ""},
		{func() error { _, err := (&Stats{}).Floors(); return err }, ErrTooFewSamples, "no rows of positive weight were added"},
		{make(&Stats{}, 2, nil), ErrTooFewSamples, "no rows of positive weight were added"}, {make(stats(), 2, &Options{Solver: SolverJacobi}), ErrOption, "which needs the rows"}, {make(stats(), 2, &Options{Solver: SolverGram}), nil, ""},
		{make(stats(), 2, &Options{Weights: w}), ErrOption, "Weights is not nil"}, {make(stats(), 2, &Options{Workers: -1}), ErrOption, "Workers is -1, below 0"}, {make(stats(), 0, nil), ErrOption, "k is 0"},
		{make(&Stats{moments: moments{rows: 1, cols: 1 << 14, weight: 1}}, math.MaxInt32-1, nil), ErrOption, "a matrix of " + shape(math.MaxInt32-1, 1<<14) + " is too large"}, {make(stats(), 2, &Options{Enclosure: 5}), ErrOption, "Enclosure"},
		{see(narrow, nil), ErrShape, "x has 2 columns, the subspace is of 3"}, {see(nil, nil), ErrShape, "x is nil"}, {see(x, w[:2]), ErrShape, "2 weights for 4 rows"}, {see(with(math.NaN()), w), ErrNonFinite, "x[3,1]"},
		{see(with(16), w), nil, ""}, {see(with(above(-16)), w), ErrChanged, "x[3,1]"}, {see(with(1e9), []float64{1, 1, 1, 0}), nil, ""}, {see(x, []float64{1, 8, 2, 1}), nil, ""}, {see(x, []float64{1, 2, 8.5, 1}), ErrChanged, "a weight is 8.5, larger than any in the statistics"},
		{see(NewMatrix(0, 7, nil), nil), nil, ""}, {func() error { return extent(p).Merge(extent(three)) }, ErrShape, "the extents are of different subspaces"},
		{func() error { return many.Merge(extent(p)) }, ErrShape, "more than an int"}, {func() error { return many.Merge(short) }, nil, ""},
		{model(p, &Extent{}), ErrChanged, "the extent is of 0 rows, the statistics are of 4"}, {model(p, short), ErrChanged, "the extent is of 3 rows, the statistics are of 4"}, {model(p, extent(three)), ErrShape, "the extent is of another subspace"},
		{model(p, off), ErrChanged, "the squared distances of the rows from the mean add up to "}, {model(p, near), nil, ""}, {model(p, extent(p)), nil, ""}, {model(&Subspace{}, extent(p)), ErrTooFewSamples, "the subspace is empty"},
	} {
		if err := c.call(); !errors.Is(err, c.want) || err != nil && (c.want == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%d: %v, want %v with %q", i, err, c.want, c.says)
		}
	}
	if s := stats(); s.Rows() != 4 || s.Cols() != 3 || s.Weight() != 10 || p.K() != 2 || short.Rows() != 3 || p.Basis().Rows != 1 || p.Basis().Cols != 3 {
		t.Errorf("%d×%d of weight %g, %d centers", s.Rows(), s.Cols(), s.Weight(), p.K())
	}
	if s := (&Stats{}); s.Mean() != nil || s.Scatter() != nil || s.Weight() != 0 || s.Cols() != 0 {
		t.Errorf("%+v", s)
	}
	// Rows without weight are counted and are nothing else.
	s := &Stats{}
	if err := s.AddWeighted(narrow, []float64{0, 0}); err != nil || s.Rows() != 2 || s.Cols() != 0 || s.AddWeighted(x, w) != nil || s.Rows() != 6 || s.Cols() != 3 || !reflect.DeepEqual(s.scatter, stats().scatter) {
		t.Errorf("%+v, %v", s, err)
	}
	far := statsOf(t, NewMatrix(2, 1, []float64{1, -1}), []float64{1e300, 1e300}) // squares beyond float64
	if err := far.AddWeighted(NewMatrix(2, 1, []float64{1e100, -1e100}), []float64{1e300, 1e300}); err != nil || far.Scatter().At(0, 0) != math.MaxFloat64 || far.Weight() != 4e300 {
		t.Errorf("%v, %g", far.Scatter(), far.Weight())
	}
}

// TestFingerprintPinned: extents of other versions name their subspaces by the same number.
func TestFingerprintPinned(t *testing.T) {
	p := &Subspace{moments: moments{units: units{exp: 1, wexp: 2}, rows: 3, cols: 2, mean: []float64{1, 2}, meanRest: []float64{0, 3}},
		pc: principal{basis: NewMatrix(1, 2, []float64{0.6, 0.8})}, k: 2, enclosure: EnclosureTight, orientation: NewMatrix(1, 1, []float64{-1})}
	if got := fingerprintOf(p); got != 0x78bf6a07 {
		t.Errorf("%#x", got)
	}
}
