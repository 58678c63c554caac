package scale

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

const big1000 = 0x1p1000

// odd are five columns: ordinary, constant, and with values of all sizes.
var odd = []float64{
	1, 0.1, big1000, 1e-300, 1e9,
	2, 0.1, -big1000, 0, 1e9 + 1,
	6, 0.1, big1000, 1e-300, 1e9 + 2,
	3, 0.1, -big1000, 0, 1e9 + 5,
}

func TestZScore(t *testing.T) {
	data := slices.Clone(odd)
	s := Of(ZScore, data, 5, nil)
	s.Apply(data)
	for j := range 5 {
		var sum, squares float64
		for i := range 4 {
			sum += data[5*i+j]
			squares += data[5*i+j] * data[5*i+j]
		}
		want := 4.0
		if j == 1 {
			want = 0
		}
		if math.Abs(sum) > 1e-9 || math.Abs(squares-want) > 1e-9 {
			t.Errorf("column %d: sum %g, squares %g, want 0 and %g", j, sum, squares, want)
		}
	}
	if s.Shift[1] != 0.1 || s.Divisor[1] != 1 {
		t.Errorf("constant column: %g, %g", s.Shift[1], s.Divisor[1])
	}
	s.Undo(data)
	for i, v := range data {
		if math.Abs(v-odd[i]) > 1e-15*math.Abs(odd[i]) && !(i%5 == 3 && math.Abs(v-odd[i]) < 1e-315) {
			t.Errorf("value %d: %g comes back as %g", i, odd[i], v)
		}
	}
}

func TestMinMax(t *testing.T) {
	data := slices.Clone(odd)
	s := Of(MinMax, data, 5, nil)
	s.Apply(data)
	want := []float64{
		0, 0, 1, 1, 0,
		.2, 0, 0, 0, .2,
		1, 0, 1, 1, .4,
		.4, 0, 0, 0, 1,
	}
	if !slices.Equal(data, want) {
		t.Errorf("%v, want %v", data, want)
	}
	if s.Shift[1] != 0.1 || s.Divisor[1] != 1 || s.Kind != MinMax {
		t.Errorf("%+v", s)
	}
	s.Undo(data)
	for i, v := range data {
		if math.Abs(v-odd[i]) > 1e-15*math.Abs(odd[i]) {
			t.Errorf("value %d: %g comes back as %g", i, odd[i], v)
		}
	}
}

// The largest and smallest float64 have a finite scaling that can be undone.
func TestExtremes(t *testing.T) {
	const most, least = math.MaxFloat64, math.SmallestNonzeroFloat64
	for _, column := range [][]float64{
		{most, -most}, {most, -most, 0}, {most, most / 2}, {most}, {-most, -most}, {least, 0},
		{least, -least}, {least}, {0, 0}, {most, least}, {1e300, -1e300, 1e-300},
	} {
		for _, kind := range []Kind{ZScore, MinMax} {
			s := Of(kind, column, 1, nil)
			data := slices.Clone(column)
			s.Apply(data)
			var sum float64
			for i, v := range data {
				sum += v
				if !(math.Abs(v) <= 2) || kind == MinMax && v < 0 {
					t.Errorf("%v of %v: %v", kind, column, data)
				}
				if column[i] == column[0] && v != data[0] {
					t.Errorf("%v of %v: %v", kind, column, data)
				}
			}
			if kind == ZScore && math.Abs(sum) > 1e-9 && slices.Max(column) > 1e-300 {
				t.Errorf("%v of %v: the sum is %v", kind, column, sum)
			}
			s.Undo(data)
			for i, v := range data {
				if math.Abs(v-column[i]) > 1e-15*max(slices.Max(column), -slices.Min(column)) {
					t.Errorf("%v of %v comes back as %v", kind, column, data)
				}
			}
		}
	}
}

// A column that is constant but for rounding counts as constant.
func TestConstant(t *testing.T) {
	long := slices.Repeat([]float64{0.1}, 1e5)
	noisy := []float64{0.3, 0.1 + 0.2, 0.1 * 3, 0.3}
	for j, v := range noisy {
		noisy[j] = v * 1e200
	}
	for _, column := range [][]float64{long, noisy} {
		for _, kind := range []Kind{ZScore, MinMax} {
			data := slices.Clone(column)
			s := Of(kind, data, 1, nil)
			if s.Apply(data); s.Divisor[0] != 1 || slices.Max(data) != 0 || slices.Min(data) != 0 {
				t.Errorf("%v: %+v, up to %g", kind, s, slices.Max(data))
			}
			next := []float64{column[0] + 1}
			if s.Apply(next); column[0] < 1 && math.Abs(next[0]-1) > 1e-15 {
				t.Errorf("%v: another value becomes %g", kind, next[0])
			}
		}
	}
}

// A row of weight 2 counts as two rows, a row of weight 0 as none, and only the ratios
// of weights count.
func TestWeights(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const cols = 3
	var data, twice, weights []float64
	for i := range 200 {
		row := []float64{r.NormFloat64(), 1e6 + r.NormFloat64(), 1e-200 * r.Float64()}
		w := float64(r.IntN(4))
		if w == 0 {
			row[i%3] *= 1e9 // would be seen
		}
		data, weights = append(data, row...), append(weights, w)
		for range int(w) {
			twice = append(twice, row...)
		}
	}
	for _, kind := range []Kind{ZScore, MinMax} {
		want := Of(kind, twice, cols, nil)
		for _, unit := range []float64{1, 1e308 / 3, 1e-300, 0.3} {
			scaled := slices.Clone(weights)
			for i := range scaled {
				scaled[i] *= unit
			}
			near(t, Of(kind, data, cols, scaled), want, 1e-12)
		}
	}
	if s := Of(ZScore, []float64{1, 2}, 1, []float64{0, 0}); s.Shift[0] != 0 || s.Divisor[0] != 1 {
		t.Errorf("without weight: %+v", s)
	}
}

// near compares shifts relative to the divisors.
func near(t *testing.T, got, want *Scaling, tol float64) {
	t.Helper()
	for j, d := range want.Divisor {
		if !(math.Abs(got.Shift[j]-want.Shift[j]) <= max(tol*d, 4e-16*math.Abs(want.Shift[j]))) ||
			!(math.Abs(got.Divisor[j]-d) <= tol*d) {
			t.Errorf("%v, column %d: %v and %v, want %v and %v", want.Kind, j, got.Shift[j],
				got.Divisor[j], want.Shift[j], d)
		}
	}
}

// exact is the z-score of one column in 300 bits.
func exact(column []float64) (mean, sd float64) {
	value := func(v float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(v) }
	n, sum, squares := value(float64(len(column))), value(0), value(0)
	for _, v := range column {
		sum.Add(sum, value(v))
	}
	sum.Quo(sum, n)
	for _, v := range column {
		d := value(v)
		d.Sub(d, sum)
		squares.Add(squares, d.Mul(d, d))
	}
	mean, _ = sum.Float64()
	sd, _ = squares.Sqrt(squares.Quo(squares, n)).Float64()
	return mean, sd
}

// Weights may be so far apart that squares times weights are out of range.
func TestWeightsApart(t *testing.T) {
	for _, size := range []float64{1e298, 1, 1e-107, 1e-295} {
		for _, light := range []float64{1e-100, 1e-300, 1e-323} {
			x := []float64{size, size, -size, 0}
			s := Of(ZScore, x, 1, []float64{1e10, 1e10, light, 0})
			y := slices.Clone(x[:3])
			s.Apply(y)
			for i, v := range y {
				if !(math.Abs(v) < 1.01e150) {
					t.Errorf("%g of weight %g becomes %g: %+v", x[i], light, v, s)
				}
			}
			s.Undo(y)
			for i, v := range y {
				if math.Abs(v-x[i]) > 4e-16*size {
					t.Errorf("%g of weight %g comes back as %g: %+v", x[i], light, v, s)
				}
			}
		}
	}
}

func TestNothing(t *testing.T) {
	data := []float64{1, 2}
	s := Of(None, data, 2, nil)
	s.Apply(data)
	s.Undo(data)
	if s != nil || !slices.Equal(data, []float64{1, 2}) {
		t.Errorf("%+v, %v", s, data)
	}
	if s := Of(ZScore, nil, 2, nil); !slices.Equal(s.Shift, []float64{0, 0}) ||
		!slices.Equal(s.Divisor, []float64{1, 1}) {
		t.Errorf("without rows: %+v", s)
	}
	for _, kind := range []Kind{None, ZScore} {
		c := Collector{Kind: kind}
		if s := c.Scaling(); s != nil {
			t.Errorf("%v without rows: %+v", kind, s)
		}
	}
	if names := None.String() + ZScore.String() + MinMax.String(); names != "nonezscoreminmax" {
		t.Error(names)
	}
}

func BenchmarkOf(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	data := make([]float64, 1<<20)
	for i := range data {
		data[i] = r.NormFloat64()
	}
	for _, kind := range []Kind{ZScore, MinMax} {
		b.Run(kind.String(), func(b *testing.B) {
			b.SetBytes(int64(8 * len(data)))
			for b.Loop() {
				Of(kind, data, 32, nil)
			}
		})
	}
}

// Auto scales columns only where both deviations and ranges are far apart.
func TestAuto(t *testing.T) {
	rare := make([]float64, 0, 2000) // a pixel that is seldom more than 0, beside another
	for i := range 1000 {
		rare = append(rare, float64(i/999), float64(i%17))
	}
	for _, test := range []struct {
		name    string
		cols    int
		data    []float64
		weights []float64
		want    []int // the widest and the narrowest column; nil: left as they are
	}{
		{name: "one column", cols: 1, data: []float64{1, 1e9}},
		{name: "alike", cols: 2, data: []float64{1, 1, 2, 100, 3, 3}},
		{name: "far apart, deviation 1", cols: 2, data: []float64{2, 0, 4, 1000, 2, 0, 4, 1000},
			want: []int{1, 0}},
		{name: "constant columns", cols: 4, data: []float64{7, 1, 0, 2, 7, 3, 0, 4}},
		{name: "rare", cols: 2, data: rare},
		{name: "narrow far from 0", cols: 2, data: []float64{1e6, 5000, 1e6 + 1, -5000}, want: []int{1, 0}},
		{name: "far apart by a row of weight 0", cols: 2,
			data: []float64{1, 1, 2, 3, 2, 1e6}, weights: []float64{1, 1, 0}},
		{name: "out of range", cols: 2, data: []float64{1e300, 1, -1e300, 2}, want: []int{0, 1}},
		{name: "no rows", cols: 2},
	} {
		s := Of(Auto, test.data, test.cols, test.weights)
		if !same(s, Of(Auto, test.data, test.cols, test.weights)) {
			t.Errorf("%s: %+v with Of, another scaling with OfPresent", test.name, s)
		}
		switch {
		case (s != nil) != (test.want != nil):
			t.Errorf("%s: %+v", test.name, s)
		case s != nil && (s.Widest != test.want[0] || s.Narrowest != test.want[1]):
			t.Errorf("%s: columns %d and %d, want %v", test.name, s.Widest, s.Narrowest, test.want)
		case s != nil && !same(&Scaling{Kind: ZScore, Shift: s.Shift, Divisor: s.Divisor},
			Of(ZScore, test.data, test.cols, test.weights)):
			t.Errorf("%s: not the scaling of ZScore", test.name)
		}
	}
}

// same reports whether two scalings have the same kind and numbers.
func same(a, b *Scaling) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Kind == b.Kind && slices.Equal(a.Shift, b.Shift) && slices.Equal(a.Divisor, b.Divisor)
}

// With missing values every column has the scaling of the values that it has.
func TestOfPresent(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const rows, cols = 50, 4
	data, weights := make([]float64, rows*cols), make([]float64, rows)
	for i := range data {
		data[i] = r.NormFloat64()
		if i%cols == 3 || r.IntN(4) == 0 {
			data[i] = math.NaN()
		}
	}
	for i := range weights {
		weights[i] = float64(r.IntN(3))
	}
	for _, kind := range []Kind{ZScore, MinMax} {
		for _, w := range [][]float64{nil, weights} {
			s := Of(kind, data, cols, w)
			for j := range cols {
				var column, heavy []float64
				for i := range rows {
					if v := data[i*cols+j]; v == v {
						column, heavy = append(column, v), append(heavy, weights[i])
					}
				}
				if w == nil {
					heavy = nil
				}
				want := Of(kind, column, 1, heavy)
				if s.Shift[j] != want.Shift[0] ||
					math.Abs(s.Divisor[j]-want.Divisor[0]) > 1e-15*want.Divisor[0] {
					t.Errorf("%v, column %d: %g, %g, want %g, %g", kind, j, s.Shift[j], s.Divisor[j],
						want.Shift[0], want.Divisor[0])
				}
			}
		}
	}
}
