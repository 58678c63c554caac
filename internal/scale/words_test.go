package scale

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestWords: scaled counts are log(1+count)·(log((1+n)/(1+df))+1) over the length of the row, of dense and of sparse
// rows, and a row of weight 2 counts twice. New rows have the rarities of the rows that the scaling is of.
func TestWords(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 1))
	const rows, cols = 40, 9
	data, weights := make([]float64, rows*cols), make([]float64, rows)
	for i := range data {
		weights[i/cols] = float64(i / cols % 3)
		if i/cols != 4 && r.Float64() < .3 {
			data[i] = math.Floor(1 + 1000*math.Pow(r.Float64(), 5))
		}
	}
	var stored, twice []float64
	start, index := []int{0}, []int(nil)
	for i := range rows {
		for range i % 3 {
			twice = append(twice, data[i*cols:(i+1)*cols]...)
		}
		for j, v := range data[i*cols : (i+1)*cols] {
			if v > 0 {
				stored, index = append(stored, v), append(index, j)
			}
		}
		start = append(start, len(stored))
	}
	sparse := func(i int) ([]float64, []int) {
		return stored[start[i]:start[i+1]], index[start[i]:start[i+1]]
	}
	s := Of(Words, data, cols, nil)
	near(t, OfWords(rows, cols, sparse, nil), s, 0)
	near(t, OfWords(rows, cols, sparse, weights), Of(Words, twice, cols, nil), 1e-15)
	near(t, Of(Words, data, cols, weights), Of(Words, twice, cols, nil), 1e-15)
	if k, ok := Named(s.Kind.String()); !ok || k != Words || s.Closes() {
		t.Error(s.Kind)
	}
	scaled := slices.Clone(data)
	if !s.WordRows(scaled) {
		t.Fatal("there is a negative count")
	}
	for i := range rows {
		want, square := make([]float64, cols), 0.0
		for j := range cols {
			df := 0.0
			for other := range rows {
				if data[other*cols+j] > 0 {
					df++
				}
			}
			want[j] = math.Log(1+data[i*cols+j]) * (math.Log((1+rows)/(1+df)) + 1)
			square += want[j] * want[j]
		}
		sparse := slices.Clone(stored[start[i]:start[i+1]])
		s.Words(sparse, index[start[i]:start[i+1]])
		for j, v := range scaled[i*cols : (i+1)*cols] {
			if square > 0 {
				want[j] /= math.Sqrt(square)
			}
			if math.Abs(v-want[j]) > 1e-14 {
				t.Fatalf("row %d, column %d: %v, not %v", i, j, v, want[j])
			}
			if at := slices.Index(index[start[i]:start[i+1]], j); at >= 0 && math.Abs(sparse[at]-v) > 1e-15 {
				t.Fatalf("row %d, column %d: %v, sparse %v", i, j, v, sparse[at])
			}
		}
	}
	for _, v := range []float64{-1, math.NaN()} {
		bad := []float64{1, 0, 2, 3, v, 0, 0, 0, 0}
		if s.WordRows(bad) || bad[2] != 2 || Negative(bad) != 4 {
			t.Errorf("%v passes", v)
		}
	}
}
