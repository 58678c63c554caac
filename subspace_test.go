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
	stats := statsOf(t, randomData(9, 3, 1, 1), nil)
	of := func() *StreamSubspace {
		return mustDo(stats.StreamSubspace(3, &Options{Orientation: RandomOrientation(3, 1)}))(t)
	}
	seen := map[uint32]string{of().fingerprint: "as it is"}
	if p := of(); p.fingerprint != fingerprintOf(p) {
		t.Error("not always the same")
	}
	for what, change := range map[string]func(p *StreamSubspace){
		"k": func(p *StreamSubspace) { p.k++ }, "rows": func(p *StreamSubspace) { p.rows++ },
		"columns": func(p *StreamSubspace) { p.cols++ }, "exp": func(p *StreamSubspace) { p.exp++ },
		"many rows":      func(p *StreamSubspace) { p.rows += 1 << 30 },
		"exp below 0":    func(p *StreamSubspace) { p.exp = -p.exp - 7 },
		"wexp":           func(p *StreamSubspace) { p.wexp++ },
		"enclosure":      func(p *StreamSubspace) { p.enclosure = EnclosureTight },
		"mean":           func(p *StreamSubspace) { p.mean[2] = -p.mean[2] },
		"mean's rest":    func(p *StreamSubspace) { p.meanRest[2] += 0x1p-80 },
		"basis":          func(p *StreamSubspace) { p.pc.basis.Data[5] *= 1 + 0x1p-50 },
		"orientation":    func(p *StreamSubspace) { p.orientation.Data[3] *= 1 + 0x1p-50 },
		"no orientation": func(p *StreamSubspace) { p.orientation = nil },
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
	// Extents of other versions name their subspaces by the same number.
	p = &StreamSubspace{k: 2, enclosure: EnclosureTight, orientation: NewMatrix(1, 1, []float64{-1})}
	p.moments = moments{units: units{exp: 1, wexp: 2}, rows: 3, cols: 2}
	p.mean, p.meanRest, p.pc.basis = []float64{1, 2}, []float64{0, 3}, NewMatrix(1, 2, []float64{0.6, 0.8})
	if got := fingerprintOf(p); got != 0x78bf6a07 {
		t.Errorf("%#x", got)
	}
}

// TestPartsWords: the errors of statistics, subspaces and extents, on both sides of their
// limits, with their words. What is wrong changes nothing.
func TestPartsWords(t *testing.T) {
	x := NewMatrix(4, 3, []float64{1, 2, 3, 4, 5, 7, 1, 0, 1, 2, 2, 9})
	w := []float64{1, 4, 2, 3}
	stats := func() *Stats { return statsOf(t, x, w) }
	counted := func(rows int) *Stats { s := &Stats{}; s.rows = rows; return s }
	p, three := mustDo(stats().StreamSubspace(2, nil))(t), mustDo(stats().StreamSubspace(3, nil))(t)
	extent := func(p *StreamSubspace, n int) *Extent {
		var e Extent
		must(t, e.Add(p, rowsOf(x, 0, n), w[:n]))
		return &e
	}
	squares := func(f float64) *Extent { e := extent(p, 4); e.squares *= f; return e }
	with := func(v float64) *Matrix { y := x.Clone(); y.Set(3, 1, v); return y }
	add := func(s *Stats, x *Matrix, w ...float64) error { return s.AddWeighted(x, w) }
	see := func(x *Matrix, w ...float64) error {
		e := extent(p, 4)
		before := *e
		err := e.Add(p, x, w)
		if err != nil && !reflect.DeepEqual(*e, before) {
			t.Error("the extent is changed by", err)
		}
		return err
	}
	subspace := func(s *Stats, k int, o Options) error { return second(s.StreamSubspace(k, &o)) }
	model := func(p *StreamSubspace, e *Extent) error { return second(p.Model(e)) }
	_, floors := counted(0).Floors()
	_, written := new(StreamSubspace).MarshalBinary()
	narrow, nan, inf := NewMatrix(2, 2, nil), math.NaN(), math.Inf(1)
	many := extent(p, 4)
	many.rows = math.MaxInt - 3
	long := &Stats{moments: moments{rows: 1, cols: 1 << 14, weight: 1}}
	beyond := "too large"
	for i, c := range []struct {
		err, want error
		says      string
	}{
		{add(stats(), narrow), ErrShape, "x has 2 columns, the rows before have 3"},
		{stats().AddWeighted(nil, nil), ErrShape, "x is nil"},
		{add(stats(), x, 1, 2, 3), ErrShape, "3 weights for 4 rows"},
		{add(stats(), x, 1, 2, -1, 0), ErrOption, "weights[2]"},
		{add(stats(), x, 1, 2, 3, inf), ErrNonFinite, "weights[3]"},
		{add(stats(), with(nan), 1, 1, 1, 1), ErrNonFinite, "x[3,1]"},
		{add(stats(), with(nan), 0, 0, 0, 0), ErrNonFinite, "x[3,1]"},
		{counted(math.MaxInt - 1).Add(narrow), ErrShape, "the rows are more than an int can count"},
		{counted(math.MaxInt - 1).Add(rowsOf(narrow, 0, 1)), nil, ""},
		{stats().Merge(statsOf(t, narrow, nil)), ErrShape, "t has 2 columns, the rows before have 3"},
		{counted(math.MaxInt - 3).Merge(stats()), ErrShape, "more than an int"},
		{counted(math.MaxInt - 4).Merge(stats()), nil, ""},
		{floors, ErrTooFewSamples, "no rows of positive weight"},
		{subspace(&Stats{}, 2, Options{}), ErrTooFewSamples, "no rows of positive weight were added"},
		{subspace(stats(), 2, Options{Solver: SolverJacobi}), ErrOption, "which needs the rows"},
		{subspace(stats(), 2, Options{Solver: SolverKrylov}), ErrOption, ""},
		{subspace(stats(), 2, Options{Solver: SolverGram}), nil, ""},
		{subspace(stats(), 2, Options{Weights: w}), ErrOption, "Weights is not nil"},
		{subspace(stats(), 2, Options{Workers: -1}), ErrOption, "Workers is -1, below 0"},
		{subspace(stats(), 2, Options{Enclosure: 5}), ErrOption, "Enclosure"},
		{subspace(stats(), 3, Options{Orientation: identity(1)}), ErrShape, "Orientation"},
		{subspace(stats(), 0, Options{}), ErrOption, "k is 0"},
		{subspace(long, math.MaxInt32-1, Options{}), ErrOption, beyond},
		{see(narrow), ErrShape, "x has 2 columns, the subspace is of 3"}, {see(nil), ErrShape, "x is nil"},
		{see(x, 1, 4), ErrShape, "2 weights for 4 rows"}, {see(with(nan), w...), ErrNonFinite, "x[3,1]"},
		{see(with(16), w...), nil, ""}, {see(with(above(-16)), w...), ErrChanged, "x[3,1]"},
		{see(with(1e9), 1, 1, 1, 0), nil, ""}, {see(x, 1, 8, 2, 1), nil, ""},
		{see(x, 1, 2, 8.5, 1), ErrChanged, "a weight is 8.5, larger than any in the statistics"},
		{see(NewMatrix(0, 7, nil)), nil, ""},
		{new(Extent).Add(&StreamSubspace{}, x, nil), ErrTooFewSamples, "empty"},
		{extent(p, 4).Merge(extent(three, 4)), ErrShape, "the extents are of different subspaces"},
		{many.Merge(extent(p, 4)), ErrShape, "more than an int"}, {many.Merge(extent(p, 3)), nil, ""},
		{extent(p, 4).Merge(&Extent{}), nil, ""},
		{model(p, &Extent{}), ErrChanged, "the extent is of 0 rows, the statistics are of 4"},
		{model(p, extent(p, 3)), ErrChanged, "the extent is of 3 rows, the statistics are of 4"},
		{model(p, extent(p, 3)), ErrShape, ""}, // also
		{model(p, extent(three, 4)), ErrShape, "the extent is of another subspace"},
		{model(p, squares(1+2e-9)), ErrChanged, "the squared distances of the rows from the mean add up to "},
		{model(p, squares(1+0.9e-9)), nil, ""}, {model(p, extent(p, 4)), nil, ""},
		{model(&StreamSubspace{}, extent(p, 4)), ErrTooFewSamples, "the subspace is empty"},
		{written, ErrTooFewSamples, "the subspace is empty"},
	} {
		if !errors.Is(c.err, c.want) || c.err != nil &&
			(c.want == nil || !strings.Contains(c.err.Error(), c.says)) {
			t.Errorf("%d: %v, want %v with %q", i, c.err, c.want, c.says)
		}
	}
	if s := stats(); s.Cols() != 3 || s.Weight() != 10 || p.K() != 2 || extent(p, 3).Rows() != 3 {
		t.Errorf("%d columns of weight %g, %d centers", s.Cols(), s.Weight(), p.K())
	}
	if s := (&Stats{}); s.Mean() != nil || s.Scatter() != nil || new(StreamSubspace).Basis() != nil {
		t.Errorf("%+v", s)
	}
	// Rows without weight are counted and are nothing else.
	s := &Stats{}
	if err := errors.Join(add(s, narrow, 0, 0), add(s, x, w...)); err != nil || s.Rows() != 6 ||
		!reflect.DeepEqual(s.scatter, stats().scatter) {
		t.Errorf("%+v, %v", s, err)
	}
	far := statsOf(t, NewMatrix(2, 1, []float64{1, -1}), []float64{1e300, 1e300}) // squares beyond float64
	err := add(far, NewMatrix(2, 1, []float64{1e100, -1e100}), 1e300, 1e300)
	if err != nil || far.Scatter().At(0, 0) != math.MaxFloat64 || far.Weight() != 4e300 {
		t.Errorf("%v, %g", far.Scatter(), far.Weight())
	}
}
