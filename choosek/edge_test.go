package choosek

import (
	"testing"

	"softkmeans"
	"softkmeans/internal/la"
	"softkmeans/internal/tables"
)

// TestWhiteEdge: noise stands out in fewer than one of a hundred tables or so, of any
// shape, and a direction of three times its edge in all.
func TestWhiteEdge(t *testing.T) {
	t.Parallel()
	for _, shape := range [][2]int{{100, 5}, {60, 40}, {30, 80}} {
		n, d := shape[0], shape[1]
		outside, missed := 0, 0
		for seed := range uint64(20) {
			x := tables.Normal(n, d, 100+seed)
			values := func() []float64 {
				return tables.Must(softkmeans.Principal(t.Context(), x, 0, nil))(t).Squares
			}
			above, edges := whiteEdge(values(), max(n-1, d))
			if above > 0 {
				outside++
			}
			if len(edges) != min(n-1, d) || edges[0] <= 0 {
				t.Fatalf("%d×%d: edges %v", n, d, edges)
			}
			for i := range n {
				x.Data[i*d] *= 5
			}
			if above, _ := whiteEdge(values(), max(n-1, d)); above != 1 {
				missed++
			}
		}
		if outside > 2 || missed > 3 {
			t.Errorf("%d×%d: noise stands out %d times, a direction is not alone %d times", n, d, outside, missed)
		}
	}
	if above, edges := whiteEdge([]float64{4, 1, 0, 0, 0, 0}, 20); above != 2 || edges[3] != 0 {
		t.Errorf("exact: %d above %v", above, edges)
	}
}

// TestPermutedEdge: permuted columns keep their sums of squares, and hide what they share.
func TestPermutedEdge(t *testing.T) {
	t.Parallel()
	x := tables.Mixtures(200, 6, 3, 7)
	values := tables.Must(softkmeans.Principal(t.Context(), x, 0, nil))(t).Squares
	edges, total := tables.Must(permutedEdge(t.Context(), x, 1, nil))(t), la.Sum(values)
	if sum := la.Sum(edges); len(edges) != 6 || sum < total || sum > 1.5*total || edges[0] >= values[0] || edges[3] <= values[3] {
		t.Errorf("edges %v of values %v", edges, values)
	}
}
