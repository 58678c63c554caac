package enclosure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"softkmeans"
	"softkmeans/internal/la"
	"softkmeans/internal/tables"
)

// smallest fits x and returns the model of Smallest.
func smallest(t *testing.T, x *softkmeans.Matrix, k int, o *softkmeans.Options) *softkmeans.Model {
	t.Helper()
	m := tables.Must(softkmeans.Fit(t.Context(), x, k, o))(t)
	before := m.Memberships.Clone()
	out := tables.Must(Smallest(t.Context(), m))(t)
	if !slices.Equal(before.Data, m.Memberships.Data) || out.Optimal(1) {
		t.Errorf("k = %d: the model was changed, or something is proved: %v", k, out.Certificate)
	}
	return out
}

// TestSmallest: the result is optimal, predicts its own memberships and is no larger than tight simplices, and
// every facet is touched. Integers, flat and exact tables, columns far from 0 are among the tables.
func TestSmallest(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 1))
	for seed := range uint64(tables.Fewer(200, 40)) {
		n, d, k := 5+rng.IntN(30), 1+rng.IntN(6), 2+rng.IntN(4)
		x := tables.Normal(n, d, seed)
		switch seed % 4 {
		case 1:
			x = tables.Mapped(x, func(_, _ int, v float64) float64 { return math.Round(2 * v) })
		case 2:
			x = la.Product(tables.Mapped(x, func(_, _ int, v float64) float64 { return v * v }),
				tables.Normal(d, 4, seed))
		case 3:
			x = tables.Mapped(x, func(_, j int, v float64) float64 { return 1e6 + v*math.Pow(.1, float64(j)) })
		}
		name := fmt.Sprintf("seed %d, %d×%d, k = %d", seed, x.Rows, x.Cols, k)
		m := smallest(t, x, k, &softkmeans.Options{Enclosure: softkmeans.Enclosure(seed / 4 % 2)})
		if c := certified(t, x, m, nil); !c.Optimal(1e-10) {
			t.Errorf("%s: %+v", name, c)
		}
		g := tables.Must(m.Predict(nil, x))(t)
		for i, v := range g.Data {
			if math.Abs(v-m.Memberships.Data[i]) > 3e-6 {
				t.Fatalf("%s: membership %d is %g, Predict says %g", name, i, m.Memberships.Data[i], v)
			}
		}
		v := tables.LogVolume(t, m.Centers)
		for q := range uint64(4) {
			tight := tables.Must(softkmeans.Fit(t.Context(), x, k, &softkmeans.Options{
				Enclosure: softkmeans.EnclosureTight, Orientation: softkmeans.RandomOrientation(k, q)}))(t)
			if w := tables.LogVolume(t, tight.Centers); v > w+1e-9 && v > -20 {
				t.Errorf("%s: a tight simplex has the log volume %g, the smallest %g", name, w, v)
			}
		}
		for j := range k {
			low := 1.0
			for i := range x.Rows {
				low = min(low, m.Memberships.At(i, j))
			}
			if low > 1e-9 {
				t.Errorf("%s: the least membership of center %d is %g", name, j, low)
			}
		}
	}
}

// TestSmallestFlat: if the rows have q < k−1 dimensions the simplex has q+1 vertices, which repeat.
func TestSmallestFlat(t *testing.T) {
	for d := 1; d < 6; d++ {
		for q := 0; q <= min(d, 3); q++ {
			x := la.Product(tables.Normal(25, max(q, 1), uint64(10*d+q)), tables.Normal(max(q, 1), d, uint64(d)))
			if q == 0 {
				x = tables.Mapped(x, func(_, j int, _ float64) float64 { return float64(j) })
			}
			for k := q + 2; k < 8; k++ {
				m := smallest(t, x, k, nil)
				if c := certified(t, x, m, nil); c.Gap > 1e-10 {
					t.Errorf("%d of %d dimensions, k = %d: %+v", q, d, k, c)
				}
				for j := q + 1; j < k; j++ {
					if !slices.Equal(m.Centers.Row(j), m.Centers.Row(j%(q+1))) {
						t.Errorf("%d of %d dimensions, k = %d: centers %v", q, d, k, m.Centers.Data)
					}
				}
			}
		}
	}
}

// TestSmallestEqual: the rows of positive weight are equal, and memberships 1/k up to rounding.
func TestSmallestEqual(t *testing.T) {
	for n := 2; n < 40; n += 3 {
		for k := 1; k <= min(n, 12); k++ {
			for _, step := range []float64{0, 1} { // between the other rows
				x := tables.Mapped(softkmeans.NewMatrix(n, 1, nil), func(i, _ int, _ float64) float64 {
					return 3 + step*float64(i/2)
				})
				w := make([]float64, n)
				w[0], w[1] = 1, step
				m := smallest(t, x, k, &softkmeans.Options{Weights: w})
				if c := certified(t, x, m, w); !(c.Objective < 1e-28) {
					t.Errorf("n = %d, k = %d, step %g: objective %g", n, k, step, c.Objective)
				}
			}
		}
	}
}

// TestSmallestTruth: descents end at the simplex of which the rows are mixtures, with pure rows or without, and
// in two dimensions at the smallest triangle.
func TestSmallestTruth(t *testing.T) {
	t.Parallel()
	for k := 4; k < tables.Fewer(8, 6); k++ {
		for seed := range uint64(tables.Fewer(20, 1)) {
			for _, most := range []float64{1, .8} { // the largest share
				rng := rand.New(rand.NewPCG(seed, uint64(k)))
				f, g := tables.Normal(k, 9, seed), softkmeans.NewMatrix(400*k, k, nil)
				for i := range g.Rows {
					for row := g.Row(i); slices.Max(row) == 0 || slices.Max(row) > most*la.Sum(row); {
						clear(row)
						for range 3 {
							row[rng.IntN(k)] += rng.ExpFloat64()
						}
					}
					la.Scale(1/la.Sum(g.Row(i)), g.Row(i))
				}
				got, want := tables.LogVolume(t, smallest(t, la.Product(g, f), k, nil).Centers), tables.LogVolume(t, f)
				if math.Abs(got-want) > 1e-9+(1-most)/100 {
					t.Errorf("k = %d, seed %d, shares to %g: log volume %g, the truth's is %g", k, seed, most, got, want)
				}
			}
		}
	}
	for seed := range uint64(tables.Fewer(200, 9)) {
		x := tables.Normal(8+int(seed), 2, seed)
		got, want := tables.LogVolume(t, descended(t.Context(), x)), tables.LogVolume(t, smallest(t, x, 3, nil).Centers)
		if !(math.Abs(got-want) < 1e-3) {
			t.Errorf("seed %d: log area %g, the least is %g", seed, got, want)
		}
	}
}

// TestSmallestOfRounding fits rows of few dimensions far from 0, whose rounding spans the others. The linear
// programs of some then have as many active bounds as coordinates, where none is left to move along.
func TestSmallestOfRounding(t *testing.T) {
	t.Parallel()
	for seed := range uint64(tables.Fewer(400, 12)) {
		rng := rand.New(rand.NewPCG(seed, 6))
		k := 5 + rng.IntN(3)
		n, d, rank := k+1+rng.IntN(3), k+rng.IntN(8), 2+rng.IntN(k-2)
		far, w := math.Pow(10, 4+8*rng.Float64()), make([]float64, n)
		x := tables.Mapped(la.Product(tables.Normal(n, rank, seed), tables.Normal(rank, d, seed+1)),
			func(_, _ int, v float64) float64 { return v + far })
		for i := range w {
			if rng.IntN(4) > 0 {
				w[i] = rng.Float64()
			}
		}
		w[0] = 1
		m := smallest(t, x, k, &softkmeans.Options{Weights: w})
		off := far * 0x1p-50 // rank is below k, but for the rounding of x
		if c := certified(t, x, m, w); !(c.Objective <= 1e-9*c.Total+float64(n*d)*off*off) {
			t.Errorf("seed %d: objective %g of %g", seed, c.Objective, c.Total)
		}
	}
}

// TestSmallestCone: the slice of a cone, of which rows without memberships are no part.
func TestSmallestCone(t *testing.T) {
	for k := 1; k < 6; k++ {
		x := nonnegative(80, 6, .3, uint64(k))
		clear(x.Row(7))
		m := tables.Must(Cone(t.Context(), x, k, nil))(t)
		s := tables.Must(Smallest(t.Context(), m))(t)
		if c := certified(t, x, s, nil); !c.Optimal(1e-11) || s.Sum != softkmeans.SumAtMostOne {
			t.Errorf("k = %d: %+v", k, c)
		}
		if a, b := tables.LogVolume(t, s.Centers), tables.LogVolume(t, m.Centers); k > 1 && !(a < b) {
			t.Errorf("k = %d: log volume %g, of a ball %g", k, a, b)
		}
	}
}

// TestSmallestShrunk: beyond 64 centers the simplex of the model is shrunk.
func TestSmallestShrunk(t *testing.T) {
	x := tables.Normal(150, 80, 1)
	m := tables.Must(softkmeans.Fit(t.Context(), x, mostVertices+1, nil))(t)
	s := tables.Must(Smallest(t.Context(), m))(t)
	tight := tables.Must(softkmeans.Fit(t.Context(), x, mostVertices+1,
		&softkmeans.Options{Enclosure: softkmeans.EnclosureTight}))(t)
	got, want := tables.LogVolume(t, s.Centers), tables.LogVolume(t, tight.Centers)
	if c := certified(t, x, s, nil); !c.Optimal(0) || math.Abs(got-want) > 1e-9 {
		t.Errorf("log volume %g, of the tight simplex %g; %+v", got, want, c)
	}
}

// TestSmallestErrors: models that are none, and a context that ends.
func TestSmallestErrors(t *testing.T) {
	x := tables.Normal(50, 5, 1)
	m := tables.Must(softkmeans.Fit(t.Context(), x, 4, nil))(t)
	bad := *m
	bad.Memberships = m.Memberships.Clone()
	bad.Memberships.Set(3, 1, math.NaN())
	for name, c := range map[string]struct {
		m    *softkmeans.Model
		want error
	}{
		"nil": {nil, softkmeans.ErrShape}, "empty": {&softkmeans.Model{}, softkmeans.ErrShape},
		"without memberships":  {&softkmeans.Model{Centers: m.Centers}, softkmeans.ErrShape},
		"of another number":    {&softkmeans.Model{Centers: m.Centers, Memberships: x}, softkmeans.ErrShape},
		"with a NaN":           {&bad, softkmeans.ErrNonFinite},
		"of no rows or center": {&softkmeans.Model{Centers: &softkmeans.Matrix{}, Memberships: &softkmeans.Matrix{}}, softkmeans.ErrShape},
	} {
		if out, err := Smallest(t.Context(), c.m); out != nil || !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if out, err := Smallest(ctx, m); out != nil || !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
