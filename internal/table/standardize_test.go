package table

import (
	"math"
	"slices"
	"testing"
)

func TestStandardize(t *testing.T) {
	const big = 0x1p1000
	data := []float64{
		1, 0.1, big, 5e-324, 1e9,
		2, 0.1, -big, 0, 1e9 + 1,
		6, 0.1, big, 5e-324, 1e9 + 2,
		3, 0.1, -big, 0, 1e9 + 5,
	}
	old := slices.Clone(data)
	mean, scale := Standardize(data, 5)
	for j := range 5 {
		var sum, squares float64
		for i := range 4 {
			v := data[5*i+j]
			sum += v
			squares += v * v
			if back := v*scale[j] + mean[j]; j != 3 && math.Abs(back-old[5*i+j]) > 1e-15*math.Abs(old[5*i+j]) {
				t.Errorf("column %d: %g comes back as %g", j, old[5*i+j], back)
			}
		}
		want := 4.0
		if j == 1 {
			want = 0
		}
		if math.Abs(sum) > 1e-9 || math.Abs(squares-want) > 1e-9 {
			t.Errorf("column %d: sum %g, squares %g, want 0 and %g", j, sum, squares, want)
		}
	}
	if scale[1] != 1 || mean[1] != 0.1 {
		t.Errorf("constant column: %g, %g", mean[1], scale[1])
	}
	long := slices.Repeat([]float64{0.1}, 1e6)
	if _, scale := Standardize(long, 1); scale[0] != 1 || long[7] != 0 {
		t.Errorf("a long constant column has scale %g and becomes %g", scale[0], long[7])
	}
	if mean, scale := Standardize(nil, 2); len(mean) != 2 || len(scale) != 2 {
		t.Error(mean, scale)
	}
}
