package softkmeans

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

// TestLSDMap: coordinates and memberships of samples by a map that is so small that they can be worked out.
func TestLSDMap(t *testing.T) {
	m := &LSDModel{
		Memberships: NewMatrix(2, 3, []float64{1, 0, 0, 0.25, 0.25, 0.5}), Means: []float64{1, 2},
		Projection: NewMatrix(2, 2, []float64{1, 0.5, -1, 0.25}),
		Vertices:   NewMatrix(3, 2, []float64{0, 0, 8, 0, 0, 8}),
	}
	rows := NewMatrix(2, 2, []float64{4, 1, 2, 3}) // centred 3, −1; less their mean 2, −2
	is := func(what string, got *Matrix, want ...float64) {
		t.Helper()
		if diff := maxDiff(got, NewMatrix(got.Rows, got.Cols, want)); diff > 1e-12 {
			t.Errorf("%s %v, want %v", what, got.Data, want)
		}
	}
	is("coordinates", mustDo(m.Coordinates(nil, rows))(t), 4, 0.5, 0, 0)
	is("coordinates of the samples", mustDo(m.Coordinates(nil, nil))(t), 0, 0, 2, 4)
	is("memberships", mustDo(m.Predict(nil, rows))(t), 1-0.5625, 0.5, 0.0625, 1, 0, 0)
	if l := m.Labels(nil); !slices.Equal(l, []int{0, 2}) {
		t.Error(l)
	}
	if w := mustDo(m.Coordinates(nil, NewMatrix(0, 2, nil)))(t); w.Rows != 0 || w.Cols != 2 {
		t.Error(w)
	}
	lsd := &LSDModel{Memberships: identity(2), Scale: 0.5}
	is("LSD's", mustDo(lsd.Predict(nil, NewMatrix(2, 2, []float64{0.5, 1.5, 2, 0})))(t), 0.25, 0.75, 1, 0)
}

// TestLSDMapErrors: the words for models and rows that do not fit, of Predict and Coordinates.
func TestLSDMapErrors(t *testing.T) {
	nan := math.NaN()
	type change = func(m *LSDModel)
	of := func(v ...float64) *Matrix { return NewMatrix(len(v), 1, v) }
	members := func(p *Matrix) change { return func(m *LSDModel) { m.Memberships = p } }
	project := func(p *Matrix) change { return func(m *LSDModel) { m.Projection = p } }
	vertices := func(v *Matrix) change { return func(m *LSDModel) { m.Vertices = v } }
	means := func(v ...float64) change { return func(m *LSDModel) { m.Means = v } }
	flat := func(scale float64) change {
		return func(m *LSDModel) { m.Means, m.Projection, m.Vertices, m.Scale = nil, nil, nil, scale }
	}
	none := func(m *LSDModel) {
		m.Memberships, m.Projection, m.Means = NewMatrix(0, 3, nil), NewMatrix(0, 1, nil), nil
	}
	const predict, coordinates, both = 1, 2, 3
	bad, two := &Matrix{Rows: 2, Cols: 2, Stride: 2}, NewMatrix(1, 2, []float64{1, 3})
	for i, c := range []struct {
		of     int
		change change
		rows   *Matrix
		want   error
		says   string
	}{
		{predict, members(nil), two, ErrTooFewSamples, "the model has no memberships"},
		{coordinates, members(nil), two, ErrShape, "the model has no map; only models of TILSD have one"},
		{coordinates, flat(1), two, ErrShape, "the model has no map; only models of TILSD have one"},
		{predict, flat(1), of(1), ErrShape, "rows have 1 similarities, the model has 2 samples"},
		{predict, flat(1), nil, ErrShape, "rows is nil"},
		{predict, means(1, 2), nil, ErrShape, "rows is nil"},
		{predict, flat(0), two, ErrOption, "the model's scale is 0, which explains no similarities"},
		{predict, flat(-1), two, ErrOption, "-1"}, {predict, flat(math.Inf(1)), two, ErrOption, "+Inf"},
		{predict, flat(nan), two, ErrOption, "NaN"},
		{predict, flat(1), NewMatrix(1, 2, []float64{0, nan}), ErrNonFinite, "rows[0,1]"},
		{both, means(1, 2), NewMatrix(1, 2, []float64{0, above(mostEntry)}), ErrRange, "rows[0,1]"},
		{both, means(1, 2), bad, ErrShape, "rows is 2×2"},
		{both, means(1, 2), of(0), ErrShape, "rows have 1 similarities"},
		{predict, members(NewMatrix(2, 2, []float64{1, 0, 1, nan})), two, ErrNonFinite, "Memberships[1,1]"},
		{coordinates, members(NewMatrix(1, 2, []float64{0, nan})), nil, ErrShape, "its memberships are 1×2"},
		{coordinates, members(NewMatrix(2, 3, nans(6))), nil, ErrNonFinite, "Memberships[0,0]"},
		{predict, members(bad), two, ErrShape, "Memberships is 2×2"},
		{predict, members(NewMatrix(2, 0, nil)), two, ErrTooFewSamples, "the model's memberships are 2×0"},
		{predict, none, NewMatrix(1, 0, nil), ErrTooFewSamples, "the model's memberships are 0×3"},
		{coordinates, none, NewMatrix(1, 0, nil), ErrTooFewSamples, "the model's map has no samples"},
		{both, project(nil), two, ErrShape, "Projection is nil"},
		{both, project(bad), two, ErrShape, "is 2×2"},
		{both, project(of(1, nan)), two, ErrNonFinite, "Projection[1,0]"},
		{both, vertices(nil), two, ErrShape, "Vertices is nil"},
		{both, vertices(of(1, 2, nan)), two, ErrNonFinite, "Vertices[2,0]"},
		{both, vertices(of(1, above(mostCenter), 2)), two, ErrRange, "Vertices[1,0]"},
		{both, means(), two, ErrShape, "map is for 0 samples, 2×1 and 3×1, its memberships are 2×3"},
		{both, means(0, nan), two, ErrNonFinite, "Means[1]"},
		{both, means(0, 1, 2), two, ErrShape, "for 3 samples"},
		{both, project(of(1)), two, ErrShape, "2 samples, 1×1 and 3×1"},
		{both, project(NewMatrix(2, 2, nil)), two, ErrShape, "2 samples, 2×2 and 3×1"},
		{both, vertices(of(1, 2)), two, ErrShape, "2×1 and 2×1"},
		{both, project(of(0x1p600, 0)), two, ErrRange, "coordinates[0,0]"},
	} {
		m := &LSDModel{Memberships: NewMatrix(2, 3, []float64{1, 0, 0, 0.25, 0.25, 0.5}), Scale: 1}
		m.Means, m.Projection, m.Vertices = []float64{1, 2}, of(0.5, -2), of(1, 2, 4)
		c.change(m)
		dst := NewMatrix(1, 3, []float64{7, 7, 7})
		_, err1 := m.Predict(dst, c.rows)
		_, err2 := m.Coordinates(nil, c.rows)
		for bit, err := range []error{err1, err2} {
			if c.of>>bit&1 > 0 && (!errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("%d: %v, want %v with %q", i, err, c.want, c.says)
			}
		}
		if err1 != nil && dst.Data[0] != 7 {
			t.Errorf("%d: %v is left", i, dst.Data)
		}
	}
}
