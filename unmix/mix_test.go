package unmix

import (
	"errors"
	"math"
	"slices"
	"testing"

	"softkmeans"
	"softkmeans/internal/la"
	"softkmeans/internal/tables"
	"softkmeans/missing"
)

// TestMix: brightness times memberships are the nearest point of the cone, as the conditions of Kuhn and
// Tucker say, in any unit of rows and spectra, and with gaps.
func TestMix(t *testing.T) {
	t.Parallel()
	const n, k, d = 60, 4, 6
	f, x := tables.Normal(k, d, 1), tables.Normal(n, d, 2)
	for c := range d {
		f.Row(0)[c] = math.Abs(f.Row(0)[c])
		x.Row(8)[c] *= 1e-9
		x.Row(9)[c] *= 1e12
	}
	clear(x.Row(7))
	g, brightness, err := Mix(f, x, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		r := slices.Clone(x.Row(i))
		for j, v := range g.Row(i) {
			la.Axpy(r, -v*brightness[i], f.Row(j))
		}
		size := math.Sqrt(la.Dot(x.Row(i), x.Row(i)))
		for j, v := range g.Row(i) {
			if slope := la.Dot(r, f.Row(j)); slope > 1e-9*size || v*brightness[i] > 0 && slope < -1e-9*size {
				t.Errorf("row %d: slope %v of spectrum %d with %v", i, slope, j, v)
			}
		}
		if sum := la.Sum(g.Row(i)); math.Abs(sum-1) > 1e-12 {
			t.Errorf("row %d: memberships add up to %v", i, sum)
		}
	}
	if brightness[7] != 0 || g.Row(7)[0] != 1.0/k {
		t.Errorf("a row of 0 has brightness %v, memberships %v", brightness[7], g.Row(7))
	}
	by := func(m *softkmeans.Matrix, factor float64) *softkmeans.Matrix {
		return tables.Mapped(m, func(_, _ int, v float64) float64 { return factor * v })
	}
	again, _, err := Mix(by(f, 0x1p400), by(x, 0x1p-300), nil)
	if err != nil || off(again, g) > 1e-12 {
		t.Error("other units, other memberships", err)
	}
	gaps, there := x.Clone(), []int{0, 2, 3, 4, 5}
	for i := range n {
		gaps.Set(i, 1, math.NaN())
	}
	part := func(m *softkmeans.Matrix) *softkmeans.Matrix {
		out := softkmeans.NewMatrix(m.Rows, len(there), nil)
		for i := range m.Rows {
			for c, from := range there {
				out.Set(i, c, m.At(i, from))
			}
		}
		return out
	}
	want, _, err := Mix(part(f), part(x), nil)
	got, _, err2 := Mix(f, gaps, missing.Predict)
	if err != nil || err2 != nil || off(want, got) > 1e-9 {
		t.Error("with gaps", err, err2)
	}
	if _, _, err := Mix(f, gaps, nil); !errors.Is(err, softkmeans.ErrNonFinite) {
		t.Error(err)
	}
}

// TestMixAround: spectra whose cone is the whole space, and many of 0, where memberships of least norm never
// get small.
func TestMixAround(t *testing.T) {
	t.Parallel()
	around := softkmeans.NewMatrix(4, 2, []float64{1, 0, -1, 0, 0, 1, 0, -1})
	many := softkmeans.NewMatrix(200, 2, nil)
	copy(many.Data, around.Data)
	x := softkmeans.NewMatrix(2, 2, []float64{3, -2, 0, 1e-9})
	for _, f := range []*softkmeans.Matrix{around, many} {
		g, brightness, err := Mix(f, x, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 2 {
			r := slices.Clone(x.Row(i))
			for j, a := range g.Row(i) {
				la.Axpy(r, -a*brightness[i], f.Row(j))
			}
			if d := la.SumSquares(r); d > 1e-16*la.Dot(x.Row(i), x.Row(i)) {
				t.Errorf("row %d: %v for %v", i, r, x.Row(i))
			}
		}
	}
}
