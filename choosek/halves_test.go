package choosek

import (
	"math"
	"testing"

	"softkmeans"
	"softkmeans/internal/tables"
)

// TestHalves: the halves are all rows, clouds have the squares asked for, and halves of
// clusters agree where halves of clouds do not.
func TestHalves(t *testing.T) {
	t.Parallel()
	z := blobs(240, 4, 3, 1)
	squares := []float64{4000, 2000, 500, 100}
	list := halvesOf(z, squares, 1)
	if len(list) != stablePairs+stableClouds {
		t.Fatal(len(list))
	}
	for i, h := range list {
		if sum := tables.Squares(h.a.Data) + tables.Squares(h.b.Data); math.Abs(sum/tables.Squares(h.all.Data)-1) > 1e-12 || h.a.Rows != 120 || h.b.Rows != 120 {
			t.Errorf("halves %d have squares %g of %g", i, sum, tables.Squares(h.all.Data))
		}
		if i < stablePairs {
			if h.all != z {
				t.Errorf("halves %d are of other rows", i)
			}
			continue
		}
		for j, want := range squares {
			var sum float64
			for r := range h.all.Rows {
				sum += h.all.Row(r)[j] * h.all.Row(r)[j]
			}
			if sum < want/1.6 || sum > want*1.6 {
				t.Errorf("cloud %d has squares %g in column %d, not %g", i, sum, j, want)
			}
		}
	}
	same := tables.Must(agreements(t.Context(), list[:stablePairs], 3, 2, 1))(t)
	cloud := tables.Must(agreements(t.Context(), list[stablePairs:], 3, 1, 1))(t)
	if same < 0.95 || cloud > 0.9 {
		t.Errorf("clusters agree by %g, clouds by %g", same, cloud)
	}
	// Fits of fewer clusters than asked for do not agree.
	few := twoPoints(240, 4)
	if got := tables.Must(agreements(t.Context(), halvesOf(few, squares, 1)[:1], 3, 1, 1))(t); got != 0 {
		t.Errorf("two clusters agree on three by %g", got)
	}
}

// twoPoints is rows at two points only.
func twoPoints(n, d int) *softkmeans.Matrix {
	x := softkmeans.NewMatrix(n, d, nil)
	for i := range n {
		x.Data[i*d] = float64(i % 2)
	}
	return x
}
