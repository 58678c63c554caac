package softkmeans

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMatch: of all ways to match the prototypes the one found has the least sum of squared
// distances, for any numbers of them and any size of the entries.
func TestMatch(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 5))
	for range 200 {
		ka, kb, d, exp := 1+rng.IntN(5), 1+rng.IntN(5), 1+rng.IntN(6), 517*(rng.IntN(3)-1)
		f, g := NewMatrix(ka, d, randomSlice(ka*d, rng)), NewMatrix(kb, d, randomSlice(kb*d, rng))
		m := mustDo(Match(&Model{Centers: timesPower(f, exp)}, &Model{Centers: timesPower(g, exp)}))(t)
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
			sum += squaredDistance(f.row(i), g.row(j))
			if m.From[j] != i || !agree(math.Ldexp(m.Moved[i], -exp), math.Sqrt(squaredDistance(f.row(i), g.row(j))), 1e-12) {
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
		if want := leastOfAll(f, g, make([]bool, g.Rows), 0); !agree(sum, want, 1e-12) {
			t.Errorf("%d and %d: sum %g, the least is %g", ka, kb, sum, want)
		}
	}
}

// leastOfAll is the least sum of squared distances over all ways to give the rows of f from i
// on rows of g that are free.
func leastOfAll(f, g *Matrix, taken []bool, i int) float64 {
	if i == f.Rows {
		return 0
	}
	least := math.Inf(1)
	for j := range taken {
		if !taken[j] {
			taken[j] = true
			least = min(least, squaredDistance(f.row(i), g.row(j))+leastOfAll(f, g, taken, i+1))
			taken[j] = false
		}
	}
	return least
}

// TestMatchRows: two fits that differ in names alone have the same labels; what is moved by
// hand is found.
func TestMatchRows(t *testing.T) {
	t.Parallel()
	x := loadCSV(t, "iris")
	a := mustDo(FitMinVolume(bg, x, 3, nil))(t)
	order := []int{2, 0, 1} // prototype j of b is order[j] of a
	b := &Model{Centers: chosenRows(a.Centers, order), Memberships: NewMatrix(x.Rows, 3, nil), Clusters: make([]int, x.Rows)}
	for i := range x.Rows {
		for j, from := range order {
			b.Memberships.Set(i, j, a.Memberships.At(i, from))
		}
		b.Clusters[i] = slices.Index(order, a.Clusters[i])
	}
	b.Centers.Set(0, 1, b.Centers.At(0, 1)+0.5)
	b.Clusters[70] = (b.Clusters[70] + 1) % 3
	m := mustDo(Match(a, b))(t)
	if !slices.Equal(m.From, order) || !slices.Equal(m.To, []int{1, 2, 0}) || !slices.Equal(m.Changed, []int{70}) || m.Rows != 150 {
		t.Errorf("%+v", m)
	}
	if m.Moved[0] != 0 || m.Moved[1] != 0 || !agree(m.Moved[2], 0.5, 1e-12) {
		t.Errorf("moved %v", m.Moved)
	}
	var sum float64
	for i := range 3 {
		sum += squaredDistance(a.Centers.row(i), a.Centers.row((i+1)%3)) / 3
		if !agree(m.SharesB[i], m.SharesA[order[i]], 1e-12) || !agree(m.SharesA[i], meanRow(a.Memberships, nil)[i], 1e-12) {
			t.Errorf("shares %v and %v", m.SharesA, m.SharesB)
		}
	}
	if !agree(m.Between, math.Sqrt(sum), 1e-12) {
		t.Errorf("between %g, not %g", m.Between, math.Sqrt(sum))
	}
	less := mustDo(FitMinVolume(bg, x, 2, nil))(t)
	m = mustDo(Match(a, less))(t) // rows of the prototype without a match have changed
	if gone := slices.Index(m.To, -1); gone < 0 || !slices.Contains(m.Changed, slices.Index(a.Clusters, gone)) {
		t.Errorf("three and two: %v, changed %v", m.To, m.Changed)
	}
	part := mustDo(FitMinVolume(bg, rowsOf(x, 0, 140), 3, nil))(t)
	if m := mustDo(Match(a, part))(t); m.Rows != 0 || m.Changed != nil || m.SharesB == nil {
		t.Errorf("other rows: %+v", m)
	}
}

// TestMatchErrors: models that cannot be compared are errors.
func TestMatchErrors(t *testing.T) {
	t.Parallel()
	one := &Model{Centers: NewMatrix(2, 2, nil)}
	for name, c := range map[string]struct {
		b    *Model
		want error
	}{
		"none":    {nil, ErrTooFewSamples},
		"empty":   {&Model{}, ErrTooFewSamples},
		"columns": {&Model{Centers: NewMatrix(2, 3, nil)}, ErrShape},
		"NaN":     {&Model{Centers: NewMatrix(1, 2, []float64{0, math.NaN()})}, ErrNonFinite},
		"label":   {&Model{Centers: NewMatrix(2, 2, nil), Clusters: []int{0, 2}}, ErrShape},
	} {
		for _, pair := range [][2]*Model{{one, c.b}, {c.b, one}} {
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
	f := NewMatrix(4, 3, randomSlice(12, rng))
	g := mapped(f, func(_, _ int, v float64) float64 { return v + 0.01*rng.NormFloat64() })
	g = chosenRows(g, []int{2, 0, 3, 1})
	want := mustDo(Match(&Model{Centers: f}, &Model{Centers: g}))(t)
	for _, by := range []float64{1e100, 1e-60, 1e-100, 0x1p-480} {
		for _, last := range []float64{0, 1e100} {
			scaled := func(m *Matrix) *Model {
				out := NewMatrix(4, 4, slices.Repeat([]float64{last}, 16))
				for i := range 4 {
					for j, v := range m.row(i) {
						out.row(i)[j] = v * by
					}
				}
				return &Model{Centers: out}
			}
			got := mustDo(Match(scaled(f), scaled(g)))(t)
			if !slices.Equal(got.To, want.To) || !agree(got.Between/by, want.Between, 1e-9) || !agree(got.Moved[2]/by, want.Moved[2], 1e-9) {
				t.Errorf("times %g beside %g: %+v, not %+v", by, last, got, want)
			}
		}
	}
}
