package softkmeans

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

// TestLSDMap: coordinates and memberships of samples by a map that is so small that they
// can be worked out.
func TestLSDMap(t *testing.T) {
	m := &LSDModel{
		Memberships: NewMatrix(2, 3, []float64{1, 0, 0, 0.25, 0.25, 0.5}), Means: []float64{1, 2},
		Projection: NewMatrix(2, 2, []float64{1, 0.5, -1, 0.25}), Vertices: NewMatrix(3, 2, []float64{0, 0, 8, 0, 0, 8}),
	}
	rows := NewMatrix(2, 2, []float64{4, 1, 2, 3}) // centred 3, −1; less their mean 2, −2
	w := mustDo(m.Coordinates(nil, rows))(t)
	if want := []float64{4, 0.5, 0, 0}; !slices.Equal(w.Data, want) {
		t.Errorf("coordinates %v, want %v", w.Data, want)
	}
	own := mustDo(m.Coordinates(nil, nil))(t)
	if want := []float64{0, 0, 2, 4}; !slices.Equal(own.Data, want) {
		t.Errorf("coordinates of the samples %v, want %v", own.Data, want)
	}
	g := mustDo(m.Predict(nil, rows))(t)
	if want := NewMatrix(2, 3, []float64{1 - 0.5625, 0.5, 0.0625, 1, 0, 0}); maxDiff(g, want) > 1e-12 {
		t.Errorf("memberships %v, want %v", g.Data, want.Data)
	}
	if l := m.Labels(nil); !slices.Equal(l, []int{0, 2}) {
		t.Error(l)
	}
	wide := &Matrix{Rows: 2, Cols: 2, Stride: 3, Data: nans(5)}
	if back := mustDo(m.Coordinates(wide, rows))(t); back != wide || wide.At(0, 0) != 4 || wide.At(1, 1) != 0 || !math.IsNaN(wide.Data[2]) {
		t.Errorf("%+v", wide)
	}
	mustPanic(t, func() { m.Coordinates(NewMatrix(2, 3, nil), rows) })
	lsd := &LSDModel{Memberships: NewMatrix(2, 2, []float64{1, 0, 0, 1}), Scale: 0.5}
	if g := mustDo(lsd.Predict(nil, NewMatrix(2, 2, []float64{0.5, 1.5, 2, 0})))(t); maxDiff(g, NewMatrix(2, 2, []float64{0.25, 0.75, 1, 0})) > 1e-12 {
		t.Errorf("LSD: memberships %v", g.Data)
	}
}

// TestLSDMapErrors: the words for models and rows that do not fit.
func TestLSDMapErrors(t *testing.T) {
	nan, far := math.NaN(), above(mostCenter)
	good := func() *LSDModel {
		return &LSDModel{Memberships: NewMatrix(2, 3, []float64{1, 0, 0, 0.25, 0.25, 0.5}), Means: []float64{1, 2}, Projection: randomData(2, 1, 0, 1), Vertices: randomData(3, 1, 0, 2), Scale: 1}
	}
	flat := func(m *LSDModel) { m.Means, m.Projection, m.Vertices = nil, nil, nil }
	two := randomData(1, 2, 0, 3)
	bad := &Matrix{Rows: 2, Cols: 2, Stride: 2}
	ok := func(*LSDModel) {}
	for what, c := range map[string]struct {
		change        func(m *LSDModel)
		rows          *Matrix
		says          string // by Predict
		coordinates   string // "": the same
		want, instead error  // of the one and the other
	}{
		"no memberships":     {func(m *LSDModel) { m.Memberships = nil }, two, "the model has no memberships", "no map", ErrTooFewSamples, ErrShape},
		"no map":             {flat, NewMatrix(1, 3, nil), "rows have 3 similarities, the model has 2 samples", "the model has no map, which those of TILSD have", ErrShape, ErrShape},
		"scale 0":            {func(m *LSDModel) { flat(m); m.Scale = 0 }, two, "the model's scale is 0, which explains no similarities", "no map", ErrOption, ErrShape},
		"scale below 0":      {func(m *LSDModel) { flat(m); m.Scale = -1 }, two, "scale is -1", "no map", ErrOption, ErrShape},
		"scale of all":       {func(m *LSDModel) { flat(m); m.Scale = math.Inf(1) }, two, "scale is +Inf", "no map", ErrOption, ErrShape},
		"rows of NaN":        {flat, NewMatrix(1, 2, []float64{0, nan}), "rows[0,1]", "no map", ErrNonFinite, ErrShape},
		"rows out of range":  {ok, NewMatrix(1, 2, []float64{0, above(mostEntry)}), "rows[0,1]", "", ErrRange, nil},
		"broken rows":        {ok, bad, "rows is 2×2", "", ErrShape, nil},
		"other rows":         {ok, NewMatrix(1, 1, nil), "rows have 1 similarities", "", ErrShape, nil},
		"memberships of NaN": {func(m *LSDModel) { m.Memberships.Set(1, 2, nan) }, two, "Memberships[1,2]", "-", ErrNonFinite, nil},
		"no samples": {func(m *LSDModel) {
			m.Memberships = NewMatrix(0, 3, nil)
			m.Means = nil
			m.Projection = NewMatrix(0, 1, nil)
		}, NewMatrix(1, 0, nil), "the model's memberships are 0×3", "the model's map has no samples", ErrTooFewSamples, ErrTooFewSamples},
		"no clusters":          {func(m *LSDModel) { m.Memberships = NewMatrix(2, 0, nil); m.Vertices = NewMatrix(0, 1, nil) }, two, "the model's memberships are 2×0", "-", ErrTooFewSamples, nil},
		"no projection":        {func(m *LSDModel) { m.Projection = nil }, two, "Projection is nil", "", ErrShape, nil},
		"broken projection":    {func(m *LSDModel) { m.Projection = bad }, two, "Projection is 2×2", "", ErrShape, nil},
		"projection of NaN":    {func(m *LSDModel) { m.Projection.Set(1, 0, nan) }, two, "Projection[1,0]", "", ErrNonFinite, nil},
		"no vertices":          {func(m *LSDModel) { m.Vertices = nil }, two, "Vertices is nil", "", ErrShape, nil},
		"vertices of NaN":      {func(m *LSDModel) { m.Vertices.Set(2, 0, nan) }, two, "Vertices[2,0]", "", ErrNonFinite, nil},
		"vertices far":         {func(m *LSDModel) { m.Vertices.Set(2, 0, far) }, two, "Vertices[2,0]", "", ErrRange, nil},
		"no means":             {func(m *LSDModel) { m.Means = nil }, two, "the model's map is for 0 samples, 2×1 and 3×1, its memberships are 2×3", "", ErrShape, nil},
		"means of NaN":         {func(m *LSDModel) { m.Means[1] = nan }, two, "Means[1]", "", ErrNonFinite, nil},
		"more means":           {func(m *LSDModel) { m.Means = make([]float64, 3) }, two, "the model's map is for 3 samples", "", ErrShape, nil},
		"a shorter projection": {func(m *LSDModel) { m.Projection = NewMatrix(1, 1, nil) }, two, "2 samples, 1×1 and 3×1", "", ErrShape, nil},
		"a wider projection":   {func(m *LSDModel) { m.Projection = NewMatrix(2, 2, nil) }, two, "2 samples, 2×2 and 3×1", "", ErrShape, nil},
		"fewer vertices":       {func(m *LSDModel) { m.Vertices = NewMatrix(2, 1, nil) }, two, "2×1 and 2×1", "", ErrShape, nil},
		"coordinates too far":  {func(m *LSDModel) { m.Projection = NewMatrix(2, 1, []float64{0x1p600, 0}) }, two, "coordinates[0,0]", "", ErrRange, nil},
	} {
		m := good()
		c.change(m)
		dst := NewMatrix(1, 3, []float64{7, 7, 7})
		if _, err := m.Predict(dst, c.rows); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) || dst.Data[0] != 7 {
			t.Errorf("%s: %v, want %v with %q; %v", what, err, c.want, c.says, dst.Data)
		}
		switch _, err := m.Coordinates(nil, c.rows); {
		case c.coordinates == "-":
			if err != nil {
				t.Errorf("%s, coordinates: %v", what, err)
			}
		case c.instead == nil:
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s, coordinates: %v, want %v with %q", what, err, c.want, c.says)
			}
		case !errors.Is(err, c.instead) || !strings.Contains(err.Error(), c.coordinates):
			t.Errorf("%s, coordinates: %v, want %v with %q", what, err, c.instead, c.coordinates)
		}
	}
	m := good()
	m.Memberships.Set(0, 1, nan)
	if _, err := m.Coordinates(nil, nil); !errors.Is(err, ErrNonFinite) || !strings.Contains(err.Error(), "Memberships[0,1]") {
		t.Error(err)
	}
	if w, err := good().Coordinates(nil, NewMatrix(0, 2, nil)); err != nil || w.Rows != 0 || w.Cols != 1 {
		t.Error(w, err)
	}
}
