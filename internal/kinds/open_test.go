package kinds

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"softkmeans"
)

// design is how a random table differs from mixtures of k profiles whose rows add up to what they are.
type design struct {
	more     int     // profiles beyond k
	spread   float64 // of the logarithm of the brightness of a row
	baseline float64 // at most so much is added to all entries of a row
}

// random returns n mixtures of random profiles in d columns, with noise.
func (g design) random(seed uint64, n, k, d int) *softkmeans.Matrix {
	r := rand.New(rand.NewPCG(seed, 8))
	profiles := softkmeans.NewMatrix(k+g.more, d, nil)
	for i := range profiles.Data {
		profiles.Data[i] = math.Exp(1.2 * r.NormFloat64())
	}
	noise := []float64{.03, .2, .6}[seed%3]
	x := softkmeans.NewMatrix(n, d, nil)
	for i := range n {
		shares, sum := make([]float64, profiles.Rows), 0.0
		for j := range shares {
			shares[j] = r.ExpFloat64()
			sum += shares[j]
		}
		light, above := math.Exp(g.spread*r.NormFloat64())/sum, g.baseline*r.Float64()
		for c := range d {
			v := above + noise*r.NormFloat64()
			for j, share := range shares {
				v += light * share * profiles.At(j, c)
			}
			x.Set(i, c, v)
		}
	}
	return x
}

// TestOpen: brightness is found, and seldom seen where there is none but one profile more or a baseline.
func TestOpen(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		g           design
		least, most int // of 100
	}{
		{"open", design{spread: .4}, 60, 100},
		{"closed", design{}, 0, 3},
		{"one more", design{more: 1}, 0, 6},
		{"baseline", design{baseline: 2}, 0, 6},
	} {
		found := 0
		for seed := range uint64(100) {
			x := c.g.random(seed, 30+int(seed), 2+int(seed%4), 12+int(seed%5)*12)
			open, err := Open(t.Context(), x, nil, 2+int(seed%4), false)
			if err != nil {
				t.Fatal(err)
			}
			if open {
				found++
			}
		}
		t.Logf("%s: %d of 100", c.name, found)
		if found < c.least || found > c.most {
			t.Errorf("%s: %d of 100 are called open, not %d to %d", c.name, found, c.least, c.most)
		}
	}
}

// TestOpenHard: brightness is found in any unit, beside rows of weight 0, and without noise. Few rows or columns,
// exact mixtures, closed rows, tables below 0 and other k are not taken for open.
func TestOpenHard(t *testing.T) {
	t.Parallel()
	x := design{spread: .4}.random(3, 60, 3, 20)
	scaled := func(by float64) *softkmeans.Matrix { return changed(x, func(v float64) float64 { return by * v }) }
	weights := slices.Repeat([]float64{2}, 60)
	odd := x.Clone()
	for c := range 20 {
		odd.Set(7, c, 1e3*float64(c%3))
	}
	weights[7] = 0
	closed := x.Clone()
	for i := range closed.Rows {
		sum := 0.0
		for _, v := range closed.Row(i) {
			sum += v
		}
		for c := range closed.Row(i) {
			closed.Row(i)[c] *= 100 / sum
		}
	}
	below := changed(x, func(v float64) float64 { return v - 3 })
	narrow := softkmeans.NewMatrix(60, 5, nil)
	for i := range narrow.Rows {
		copy(narrow.Row(i), x.Row(i))
	}
	weather := softkmeans.NewMatrix(60, 9, nil) // least, mean and most of degrees, pressure and humidity
	for i := range weather.Rows {
		for c := range 9 {
			weather.Set(i, c, []float64{18, 1006, 57}[c/3]+x.At(i, c/3)+.01*math.Sin(float64(i*(c+3))))
		}
	}
	constant := softkmeans.NewMatrix(60, 20, slices.Repeat([]float64{1.5}, 1200))
	for _, c := range []struct {
		name    string
		x       *softkmeans.Matrix
		weights []float64
		k       int
		want    bool
	}{
		{"as it is", x, nil, 3, true}, {"large", scaled(0x1p300), nil, 3, true}, {"small", scaled(0x1p-300), nil, 3, true},
		{"weights", odd, weights, 3, true}, {"another k", x, nil, 4, false}, {"closed", closed, nil, 3, false},
		{"below 0", below, nil, 3, false}, {"few columns", narrow, nil, 3, false},
		{"weather", weather, nil, 3, false},
		{"few rows", softkmeans.NewMatrix(5, 20, x.Data[:100]), nil, 3, false},
		{"constant", constant, nil, 3, false}, {"zeros", softkmeans.NewMatrix(60, 20, nil), nil, 3, false},
	} {
		if open, err := Open(t.Context(), c.x, c.weights, c.k, false); open != c.want || err != nil {
			t.Errorf("%s: %v, %v", c.name, open, err)
		}
	}
}
