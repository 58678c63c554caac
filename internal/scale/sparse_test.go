package scale

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Columns of stored entries are those of the table with its zeros.
func TestColumnsOfSparse(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 1))
	const rows, cols = 40, 7
	for _, weighted := range []bool{false, true} {
		var weights []float64
		data := make([]float64, rows*cols)
		start, index, stored := []int{0}, []int(nil), []float64(nil)
		for i := range rows {
			if weighted {
				weights = append(weights, float64(random.IntN(4)))
			}
			for j := range cols { // column 0 is empty, column 1 full, column 2 the same everywhere
				v := 1e6*float64(j) + random.NormFloat64()
				if j == 0 || j > 2 && random.IntN(3) > 0 {
					continue
				}
				if j == 2 {
					v = 3
				}
				data[i*cols+j] = v
				index, stored = append(index, j), append(stored, v)
			}
			start = append(start, len(stored))
		}
		got, want := ColumnsOfSparse(start, index, stored, weights, cols, nil), ColumnsOf(data, cols, weights, nil)
		for j := range cols {
			for what, v := range map[string][2]float64{
				"least": {got.Least[j], want.Least[j]}, "most": {got.Most[j], want.Most[j]},
				"mean": {got.Mean[j], want.Mean[j]}, "spread": {got.Spread[j], want.Spread[j]}} {
				if math.Abs(v[0]-v[1]) > 1e-12*math.Abs(v[1]) {
					t.Errorf("weighted %v, column %d: %s %v, not %v", weighted, j, what, v[0], v[1])
				}
			}
		}
	}
}
