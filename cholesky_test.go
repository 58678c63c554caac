package softkmeans

import (
	"math"
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
