package softkmeans

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestAddRows against a loop, at lengths around the vectors of all widths and
// with counts around the unrolled part; rows that are not asked for may be NaN.
func TestAddRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	for _, l := range []int{0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 23, 31, 32, 33, 63, 64, 65, 71, 127, 128, 129, 200} {
		for count := range 10 {
			rows := 3*count + 1
			x := make([]float64, rows*l)
			for i := range x {
				x[i] = math.NaN()
			}
			coef, index := randomSlice(count, rng), make([]int, count)
			for i := range index {
				index[i] = rng.IntN(rows)
				copy(x[index[i]*l:][:l], randomSlice(l, rng))
			}
			y := append(randomSlice(l, rng), math.NaN())
			want := append([]float64(nil), y...)
			size := 1.0
			for c, at := range index {
				for i := range l {
					want[i] += coef[c] * x[at*l+i]
					size = max(size, math.Abs(coef[c]*x[at*l+i]))
				}
			}
			addRows(y[:l], coef, index, x)
			for i := range l {
				if !(math.Abs(y[i]-want[i]) <= 1e-14*size) {
					t.Errorf("length %d, %d rows, at %d: %g, want %g", l, count, i, y[i], want[i])
				}
			}
			if !math.IsNaN(y[l]) {
				t.Errorf("length %d: wrote past y", l)
			}
		}
	}
}
