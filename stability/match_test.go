package stability

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/tables"
)

// TestMatch: of all ways to match the prototypes the one found has the least sum of squared
// distances, for any numbers of them and any size of the entries.
func TestMatch(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 5))
	for n := range 200 {
		ka, kb, d, exp := 1+rng.IntN(5), 1+rng.IntN(5), 1+rng.IntN(6), 517*(rng.IntN(3)-1)
		f, g := tables.Normal(ka, d, uint64(2*n)), tables.Normal(kb, d, uint64(2*n+1))
		m := tables.Must(Match(&softkmeans.Model{Centers: timesPower(f, exp)}, &softkmeans.Model{Centers: timesPower(g, exp)}))(t)
		var sum float64
		matched := 0
		for i, j := range m.To {
			if j < 0 {
				if m.Moved[i] != 0 {
					t.Errorf("prototype %d has no match, and moved %g", i, m.Moved[i])
				}
				continue
			}
			matched++
			square := squares(f.Row(i), g.Row(j))
			sum += square
			if m.From[j] != i || !tables.Near(math.Ldexp(m.Moved[i], -exp), math.Sqrt(square), 1e-12) {
				t.Errorf("prototype %d moved %g to %d, where %d comes from", i, m.Moved[i], j, m.From[j])
			}
		}
		for j, i := range m.From {
			if i >= 0 && m.To[i] != j {
				t.Errorf("%d is from %d, which is at %d", j, i, m.To[i])
			}
		}
		if matched != min(ka, kb) {
			t.Errorf("%d matches of %d and %d", matched, ka, kb)
		}
		if ka > kb {
			f, g = g, f
		}
		if want := leastOfAll(f, g, make([]bool, g.Rows), 0); !tables.Near(sum, want, 1e-12) {
			t.Errorf("%d and %d: sum %g, the least is %g", ka, kb, sum, want)
		}
	}
}

// squares returns ‖v − w‖².
func squares(v, w []float64) (sum float64) {
	for j := range v {
		sum += (v[j] - w[j]) * (v[j] - w[j])
	}
	return sum
}

// leastOfAll returns the least sum of squared distances over all ways to give the rows of f
// from i on rows of g that are free.
func leastOfAll(f, g *softkmeans.Matrix, taken []bool, i int) float64 {
	if i == f.Rows {
		return 0
	}
	least := math.Inf(1)
	for j := range taken {
		if !taken[j] {
			taken[j] = true
			least = min(least, squares(f.Row(i), g.Row(j))+leastOfAll(f, g, taken, i+1))
			taken[j] = false
		}
	}
	return least
}

// TestMatchRows: two fits that differ in names alone have the same labels; what is moved by
// hand is found.
func TestMatchRows(t *testing.T) {
	t.Parallel()
	x := tables.CSV(t, "iris")
	fit := func(x *softkmeans.Matrix, k int) *softkmeans.Model {
		return tables.Must(softkmeans.FitMinVolume(t.Context(), x, k, nil))(t)
	}
	a := fit(x, 3)
	order := []int{2, 0, 1} // prototype j of b is order[j] of a
	b := &softkmeans.Model{Centers: draws.Chosen(a.Centers, order), ClusterMeans: a.ClusterMeans, Clusters: make([]int, x.Rows)}
	for i, l := range a.Clusters {
		b.Clusters[i] = slices.Index(order, l)
	}
	b.Centers.Set(0, 1, b.Centers.At(0, 1)+0.5)
	b.Clusters[70] = (b.Clusters[70] + 1) % 3
	m := tables.Must(Match(a, b))(t)
	if !slices.Equal(m.From, order) || !slices.Equal(m.To, []int{1, 2, 0}) || !slices.Equal(m.Changed, []int{70}) || m.Rows != 150 {
		t.Errorf("%+v", m)
	}
	if m.Moved[0] != 0 || m.Moved[1] != 0 || !tables.Near(m.Moved[2], 0.5, 1e-12) {
		t.Errorf("moved %v", m.Moved)
	}
	var sum float64
	for i := range 3 {
		sum += squares(a.Centers.Row(i), a.Centers.Row((i+1)%3)) / 3
	}
	if !tables.Near(m.Between, math.Sqrt(sum), 1e-12) {
		t.Errorf("between %g, not %g", m.Between, math.Sqrt(sum))
	}
	m = tables.Must(Match(a, fit(x, 2)))(t) // rows of the prototype without a match have changed
	if gone := slices.Index(m.To, -1); gone < 0 || !slices.Contains(m.Changed, slices.Index(a.Clusters, gone)) {
		t.Errorf("three and two: %v, changed %v", m.To, m.Changed)
	}
	if m := tables.Must(Match(a, fit(tables.First(x, 140), 3)))(t); m.Rows != 0 || m.Changed != nil {
		t.Errorf("other rows: %+v", m)
	}
}

// TestMatchErrors: models that cannot be compared are errors.
func TestMatchErrors(t *testing.T) {
	t.Parallel()
	one := &softkmeans.Model{Centers: softkmeans.NewMatrix(2, 2, nil)}
	for name, c := range map[string]struct {
		b    *softkmeans.Model
		want error
	}{
		"none":    {nil, softkmeans.ErrTooFewSamples},
		"empty":   {&softkmeans.Model{}, softkmeans.ErrTooFewSamples},
		"columns": {&softkmeans.Model{Centers: softkmeans.NewMatrix(2, 3, nil)}, softkmeans.ErrShape},
		"NaN":     {&softkmeans.Model{Centers: softkmeans.NewMatrix(1, 2, []float64{0, math.NaN()})}, softkmeans.ErrNonFinite},
		"label":   {&softkmeans.Model{Centers: one.Centers, ClusterMeans: one.Centers, Clusters: []int{0, 2}}, softkmeans.ErrOption},
	} {
		for _, pair := range [][2]*softkmeans.Model{{one, c.b}, {c.b, one}} {
			if m, err := Match(pair[0], pair[1]); m != nil || !errors.Is(err, c.want) {
				t.Errorf("%s: %v, %v", name, m, err)
			}
		}
	}
}

// TestMatchRange: prototypes are matched by columns in which they differ, however large the
// entries of others are, and a table times a number has the same matches.
func TestMatchRange(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(6, 6))
	f := tables.Normal(4, 3, 6)
	g := tables.Mapped(f, func(_, _ int, v float64) float64 { return v + 0.01*rng.NormFloat64() })
	g = draws.Chosen(g, []int{2, 0, 3, 1})
	want := tables.Must(Match(&softkmeans.Model{Centers: f}, &softkmeans.Model{Centers: g}))(t)
	for _, by := range []float64{1e100, 1e-60, 1e-100, 0x1p-480} {
		for _, last := range []float64{0, 1e100} {
			scaled := func(m *softkmeans.Matrix) *softkmeans.Model {
				out := softkmeans.NewMatrix(4, 4, slices.Repeat([]float64{last}, 16))
				for i := range 4 {
					for j, v := range m.Row(i) {
						out.Row(i)[j] = v * by
					}
				}
				return &softkmeans.Model{Centers: out}
			}
			got := tables.Must(Match(scaled(f), scaled(g)))(t)
			if !slices.Equal(got.To, want.To) || !tables.Near(got.Between/by, want.Between, 1e-9) || !tables.Near(got.Moved[2]/by, want.Moved[2], 1e-9) {
				t.Errorf("times %g beside %g: %+v, not %+v", by, last, got, want)
			}
		}
	}
}
