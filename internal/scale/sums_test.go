package scale

import (
	"math"
	"slices"
	"testing"
)

// TestSums: rows are divided by their sums and come back; rows of zeros, or of noise about 0, have no sum.
func TestSums(t *testing.T) {
	t.Parallel()
	data := []float64{1, 2, 3, 0, 0, 0, 10, 20, -6, 1, -1, .01, 1e-300, 3e-300, 0, math.NaN(), 1, 2}
	sums := SumsOf(data, 3)
	if !slices.Equal(sums[:4], []float64{6, 0, 24, 0}) || sums[4] != 4e-300 || sums[5] == sums[5] {
		t.Fatal(sums)
	}
	kept, of := slices.Concat(data[:3], data[6:9]), []float64{6, 24}
	s := ofSums(of, 3, []float64{3, 1})
	if s.Divisor[0] != 10.5 || s.Kind.String() != "sums" {
		t.Errorf("%+v", s)
	}
	lights := s.Divide(kept, of)
	for i := range 2 {
		row, square := kept[3*i:3*i+3], 0.0
		for j, v := range row {
			if want := data[6*i+j] / of[i]; v != want {
				t.Errorf("row %d: %v, not %v", i, v, want)
			}
			square += v * v
		}
		// The energy of a row is its length.
		if energy, want := lights[i]*square, math.Sqrt(square)*of[i]/10.5; math.Abs(energy/want-1) > 1e-14 {
			t.Errorf("row %d: energy %v, not %v", i, energy, want)
		}
	}
	s.Undo(kept)
	if s.Close(kept); math.Abs(kept[0]+kept[1]+kept[2]-10.5) > 1e-12 {
		t.Error(kept)
	}
	var none *Scaling
	if none.Close(kept); none.Closes() || !s.Closes() || Of(ZScore, data[:9], 3, nil).Closes() {
		t.Error("another scaling closes rows")
	}
	if ofSums([]float64{0x1p1000, 0x1p1000}, 2, nil).Divisor[1] != 0x1p1000 || ofSums(nil, 1, nil).Divisor[0] != 1 {
		t.Error("the mean of large sums, or of none")
	}
}
