package softkmeans

import (
	"slices"
	"testing"
)

// TestGaps: columns, order and weights about the words of 64 bits.
func TestGaps(t *testing.T) {
	t.Parallel()
	for _, d := range []int{1, 63, 64, 65, 130} {
		x := gapped(randomData(40, d, 0, 1))
		copy(x.row(7), nans(d))
		g, err := findGaps(bg, x, 2)
		if err != nil {
			t.Fatal(err)
		}
		total := 0
		for i := range x.Rows {
			there, missing := g.columns(i, nil, nil)
			for j, v := range x.row(i) {
				if (v == v) != slices.Contains(there, j) || (v != v) != slices.Contains(missing, j) {
					t.Fatalf("%d columns: entry %d, %d", d, i, j)
				}
			}
			total += len(missing)
			if g.counts[i] != len(missing) || len(there)+len(missing) != d {
				t.Errorf("%d columns, row %d: %d there, %d missing, %d counted", d, i, len(there), len(missing), g.counts[i])
			}
		}
		if total != g.total {
			t.Errorf("%d columns: %d missing, not %d", d, g.total, total)
		}
		order, changes := g.order(), 0
		for a, i := range order {
			if a > 0 && g.same(i, order[a-1]) && i < order[a-1] {
				t.Errorf("%d columns: row %d after %d", d, i, order[a-1])
			}
			if a > 0 && !g.same(i, order[a-1]) {
				changes++
			}
		}
		sorted := slices.Sorted(slices.Values(order))
		if most := min(3, d+1); !slices.Equal(sorted, indices(40)) || changes > most {
			t.Errorf("%d columns: %d changes in the order", d, changes)
		}
		given := slices.Repeat([]float64{3}, 40)
		for i, w := range g.weights(given) {
			if want := 3.0; w != want && g.counts[i] < d || g.counts[i] == d && w != 0 {
				t.Errorf("%d columns: weight %g of row %d", d, w, i)
			}
		}
		if w := g.weights(nil); w[7] != 0 || d > 1 && w[0] != 1 {
			t.Errorf("%d columns: weights %v", d, w)
		}
	}
	g, err := findGaps(bg, NewMatrix(2, 2, nil), 1)
	if err != nil || g.total != 0 || g.weights(nil) != nil {
		t.Errorf("without gaps: %v, %v", g, err)
	}
}
