package softkmeans

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestCholesky: integer factors come out exactly, solutions and inverses are such, and what
// is not positive definite is said to be. Orders are on both sides of longSum.
func TestCholesky(t *testing.T) {
	rng := rand.New(rand.NewPCG(44, 1))
	for k := range longSum + 6 {
		l := NewMatrix(k, k, nil)
		for i := range k {
			for j := range i {
				l.Set(i, j, float64(rng.IntN(9)-4))
			}
			l.Set(i, i, float64(int(1)<<rng.IntN(3)))
		}
		a := product(l, l.transposed())
		f := mapped(a, func(i, j int, v float64) float64 { // what is right of the diagonal is not read
			if j > i {
				return math.NaN()
			}
			return v
		})
		if !cholesky(f.Data, k) {
			t.Fatalf("k=%d: %v is not definite", k, a.Data)
		}
		for i := range k {
			for j := range i + 1 {
				want := l.At(i, j)
				if i == j {
					want = 1 / want
				}
				if f.At(i, j) != want {
					t.Fatalf("k=%d: %g at (%d,%d), want %g", k, f.At(i, j), i, j, want)
				}
			}
		}
		// b = A·x for an integer x.
		x, b := laIntegers(k, rng), make([]float64, k, k+1)
		for i := range k {
			b[i] = dot(a.Row(i), x)
		}
		size := norm2(x)
		cholSolve(f.Data, k, b)
		inv := nans(k * k)
		cholInverse(inv, f.Data, k)
		e := product(&Matrix{Rows: k, Cols: k, Stride: k, Data: inv}, a)
		low := mapped(f, func(i, j int, v float64) float64 {
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
	for name, a := range map[string][]float64{
		"zero": {0}, "negative": {-1}, "NaN": {math.NaN()}, "indefinite": {1, 2, 2, 1}, "singular": {1, 1, 1, 1},
		"negative below": {1, 0, 0, -1},
	} {
		if cholesky(slices.Clone(a), int(math.Sqrt(float64(len(a))))) {
			t.Errorf("%s is definite", name)
		}
	}
}
