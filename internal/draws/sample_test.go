package draws

import (
	"errors"
	"math"
	"slices"
	"testing"

	"softkmeans"
)

// short stream in their order.
func TestRowDraw(t *testing.T) {
	x := softkmeans.NewMatrix(6*1024, 1, nil)
	for i := range x.Data {
		x.Data[i] = float64(i)
	}
	draw := func(n, block int, seed uint64) []float64 {
		d := NewSample(seed, 1024)
		for i := 0; i < n; i += block {
			if err := d.Add(softkmeans.NewMatrix(min(block, n-i), 1, x.Data[i:min(i+block, n)])); err != nil {
				t.Fatal(err)
			}
		}
		return d.Table().Data
	}
	if got := draw(100, 7, 1); !slices.Equal(got, x.Data[:100]) {
		t.Errorf("100 rows: %v", got)
	}
	parts := make([]int, 6)
	for seed := range uint64(20) {
		got := draw(x.Rows, 100, seed)
		if !slices.Equal(got, draw(x.Rows, 5000, seed)) {
			t.Errorf("seed %d: other blocks have another draw", seed)
		}
		for _, v := range got {
			parts[int(v)/1024]++
		}
		slices.Sort(got)
		if len(slices.Compact(got)) != 1024 {
			t.Errorf("seed %d: rows are drawn twice", seed)
		}
	}
	for i, n := range parts { // 3413 ± 53 each
		if n < 3150 || n > 3680 {
			t.Errorf("part %d has %d rows of %v", i, n, parts)
		}
	}
	x.Data[3] = math.NaN()
	var e *softkmeans.InputError
	if err := NewSample(0, 1024).Add(x); !errors.As(err, &e) || e.Row != 3 ||
		!errors.Is(err, softkmeans.ErrNonFinite) {
		t.Error(err)
	}
}
