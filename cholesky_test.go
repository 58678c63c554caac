package softkmeans

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestInvertedCholesky: it solves what is positive definite, and says so of what is not.
func TestInvertedCholesky(t *testing.T) {
	for _, c := range []struct {
		what string
		a    []float64
		ok   bool
	}{
		{"definite", []float64{4, 2, 2, 5}, true}, {"indefinite", []float64{1, 2, 2, 1}, false}, {"singular", []float64{1, 1, 1, 1}, false},
		{"negative", []float64{-1, 0, 0, 1}, false}, {"zero", make([]float64, 4), false}, {"NaN", []float64{math.NaN(), 0, 0, 1}, false},
	} {
		a, b := slices.Clone(c.a), []float64{1, -2}
		if ok := invertedCholesky(a, 2); ok != c.ok {
			t.Errorf("%s: %v", c.what, ok)
		} else if ok {
			invertedSolve(a, 2, b)
			if math.Abs(c.a[0]*b[0]+c.a[1]*b[1]-1) > 1e-15 || math.Abs(c.a[2]*b[0]+c.a[3]*b[1]+2) > 1e-15 {
				t.Errorf("%s: %v", c.what, b)
			}
		}
	}
}

// TestCholesky: integer factors come out exactly, inverses are inverse, and what is not
// positive definite is said to be.
func TestCholesky(t *testing.T) {
	rng := rand.New(rand.NewPCG(44, 1))
	for k := range 12 {
		l := NewMatrix(k, k, nil)
		for i := range k {
			for j := range i {
				l.Set(i, j, float64(rng.IntN(9)-4))
			}
			l.Set(i, i, float64(int(1)<<rng.IntN(3)))
		}
		a := product(l, l.transposed())
		upper := func(m *Matrix) *Matrix { // what is right of the diagonal is not read
			return mapped(m, func(i, j int, v float64) float64 {
				if j > i {
					return math.NaN()
				}
				return v
			})
		}
		one, two := upper(a), upper(a)
		if !cholesky(one.Data, k) || !invertedCholesky(two.Data, k) {
			t.Fatalf("k=%d: %v is not definite", k, a.Data)
		}
		for i := range k {
			for j := range i + 1 {
				want := l.At(i, j)
				if one.At(i, j) != want {
					t.Fatalf("k=%d: %g at (%d,%d), want %g", k, one.At(i, j), i, j, want)
				}
				if i == j {
					want = 1 / want
				}
				if two.At(i, j) != want {
					t.Fatalf("k=%d: inverted, %g at (%d,%d), want %g", k, two.At(i, j), i, j, want)
				}
			}
		}
		// b = A·x for an integer x.
		x, b := laIntegers(k, rng), make([]float64, k, k+1)
		for i := range k {
			b[i] = dot(a.Row(i), x)
		}
		size := norm2(x)
		invertedSolve(two.Data, k, b)
		inv := nans(k * k)
		cholInverse(inv, one.Data, k)
		e := product(&Matrix{Rows: k, Cols: k, Stride: k, Data: inv}, a)
		low := mapped(one, func(i, j int, v float64) float64 {
			if j > i {
				return 0
			}
			return v
		})
		cond := laNorm1(&Matrix{Rows: k, Cols: k, Stride: k, Data: inv}) * laNorm1(a)
		for i := range k {
			if !(math.Abs(b[i]-x[i]) <= 1e-15*float64(k)*cond*size) {
				t.Errorf("k=%d: solution %v, want %v", k, b, x)
			}
		}
		if d := max(maxDiff(e, identity(k)), maxDiff(product(low, l), identity(k))); !(d <= 1e-15*float64(k)*cond) {
			t.Errorf("k=%d: an inverse is off by %g", k, d)
		}
	}
	for name, a := range map[string][]float64{"zero": {0}, "negative": {-1}, "NaN": {math.NaN()}} {
		if cholesky(a, 1) || invertedCholesky(a, 1) {
			t.Errorf("%s is definite", name)
		}
	}
	for name, a := range map[string][]float64{"indefinite": {1, 2, 2, 1}, "singular": {1, 1, 1, 1}, "negative below": {1, 0, 0, -1}} {
		if cholesky(slices.Clone(a), 2) || invertedCholesky(slices.Clone(a), 2) {
			t.Errorf("%s is definite", name)
		}
	}
}
