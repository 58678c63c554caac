package scale

import (
	"math"
	"math/rand/v2"
	"slices"
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
		c.Add(data[lo*cols:min(lo+70, rows)*cols], cols, nil)
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

// Auto leaves 64 columns or more whose entries are at least 0 except for noise, at once, in blocks and
// with values that are missing.
func TestWide(t *testing.T) {
	for _, c := range []struct {
		cols  int
		least float64 // as a share of the largest range of a column
		left  bool
	}{{63, 0, false}, {64, 0, true}, {64, -.01, true}, {64, -.03, false}, {200, -.02, true}, {200, -1, false}} {
		data := make([]float64, 4*c.cols)
		for i := range data {
			data[i] = math.Pow(10, float64(i%c.cols%4)) * float64(1+i/c.cols)
		}
		data[c.cols] = c.least * 3000
		blocks := Collector{Kind: Auto}
		blocks.Add(data[:c.cols], c.cols, nil)
		blocks.Add(data[c.cols:], c.cols, nil)
		gaps := slices.Clone(data)
		gaps[1], gaps[c.cols+2] = math.NaN(), math.NaN()
		for how, s := range map[string]*Scaling{"at once": Of(Auto, data, c.cols, nil), "blocks": blocks.Scaling(),
			"gaps": Of(Auto, gaps, c.cols, nil)} {
			if (s == nil) != c.left {
				t.Errorf("%d columns from %v, %s: left %v", c.cols, c.least, how, s == nil)
			}
		}
		if asked := Of(ZScore, data, c.cols, nil); asked == nil {
			t.Error("asked for, and left")
		}
	}
}

// TestAboveZero: noise about 0 counts as 0, degrees below 0 beside a pressure do not.
func TestAboveZero(t *testing.T) {
	for _, c := range []struct {
		data []float64
		cols int
		want bool
	}{
		{[]float64{0, 6, -.09, 1, math.NaN(), math.NaN()}, 2, true},
		{[]float64{0, 5, -.11, .5}, 2, false},
		{[]float64{-7, 10_110, 8, 10_350}, 2, false},
		{[]float64{-7, 10_110, 8, 10_500}, 2, true},
		{[]float64{-1e308, 1e308, -1e308, 1e308}, 2, false},
		{[]float64{3, 3, 3}, 1, true}, {[]float64{-3}, 1, false}, {nil, 1, true},
	} {
		if got := AboveZero(c.data, c.cols); got != c.want {
			t.Errorf("%v: %v", c.data, got)
		}
	}
}
