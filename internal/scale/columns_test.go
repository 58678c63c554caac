package scale

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The columns of scaled rows are those of the table: in blocks, with weights as with rows
// given twice, and with missing values as without them. A constant column has no spread.
func TestColumns(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	const rows, cols = 300, 4
	var data, twice []float64
	weights := make([]float64, rows)
	for i := range rows {
		row := []float64{7.1, 1e6 + random.NormFloat64(), random.Float64(), float64(i % 3)}
		weights[i] = float64(i % 3)
		data = append(data, row...)
		for range i % 3 {
			twice = append(twice, row...)
		}
	}
	want := ColumnsOf(data, cols, nil, nil)
	if want.Spread[0] != 0 || want.Least[0] != 7.1 || math.Abs(want.Spread[3]-math.Sqrt(2.0/3)) > 1e-12 ||
		want.Most[3] != 2 {
		t.Errorf("%+v", want)
	}
	c := Collector{Kind: ZScore}
	for lo := 0; lo < rows; lo += 70 {
		c.Add(data[lo*cols:min(lo+70, rows)*cols], cols)
	}
	compare(t, "blocks", c.Columns(), want)
	compare(t, "weights", ColumnsOf(data, cols, weights, nil), ColumnsOf(twice, cols, nil, nil))
	gaps := append(append([]float64{}, data...), math.NaN(), math.NaN(), math.NaN(), math.NaN())
	compare(t, "gaps", ColumnsOf(gaps, cols, nil, nil), want)
	for _, kind := range []Kind{ZScore, MinMax} {
		s := Of(kind, data, cols, nil)
		scaled := append([]float64{}, data...)
		s.Apply(scaled)
		compare(t, kind.String(), ColumnsOf(scaled, cols, nil, s), want)
	}
}

// compare compares columns, to 1e-9 of their spread.
func compare(t *testing.T, what string, got, want *Columns) {
	t.Helper()
	for _, v := range [][2][]float64{{got.Least, want.Least}, {got.Most, want.Most},
		{got.Mean, want.Mean}, {got.Spread, want.Spread}} {
		for j := range v[1] {
			if math.Abs(v[0][j]-v[1][j]) > 1e-9*(want.Spread[j]+1e-6*math.Abs(v[1][j])) {
				t.Errorf("%s: column %d: %+v, want %+v", what, j, got, want)
			}
		}
	}
}
