package scale

import (
	"math"
	"slices"
	"testing"
)

func TestClose(t *testing.T) {
	rows := []float64{1, 3, 0, 0, 5, 5}
	if sums := Close(rows, 2); !slices.Equal(sums, []float64{4, 0, 10}) ||
		!slices.Equal(rows, []float64{.25, .75, 0, 0, .5, .5}) {
		t.Error(sums, rows)
	}
	for _, bad := range []float64{-1, math.NaN()} {
		if rows := []float64{1, bad}; Close(rows, 2) != nil || rows[0] != 1 {
			t.Error(rows)
		}
	}
}

// The divisors are the roots of the mean shares of rows that are not 0, by their weights.
func TestOfCounts(t *testing.T) {
	rows := []float64{1, 3, 0, 0, 0, 0, 5, 5, 0}
	s := Of(Counts, rows, 3, []float64{2, 1, 1})
	want := []float64{math.Sqrt((2*.25 + .5) / 3), math.Sqrt((2*.75 + .5) / 3), 1}
	for j, v := range want {
		if math.Abs(s.Divisor[j]-v) > 1e-15 || s.Shift[j] != 0 {
			t.Error(s)
		}
	}
	if s.Kind != Counts || s.Kind.String() != "counts" || rows[0] != 1 {
		t.Error(s, rows)
	}
	if got := Times([]float64{4, 10}, []float64{2, .5}); !slices.Equal(got, []float64{8, 5}) {
		t.Error(got)
	}
}
