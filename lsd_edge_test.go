package softkmeans

import (
	"math"
	"testing"
)

// similarity returns the n×n matrix of at(i, j).
func similarity(n int, at func(i, j int) float64) *Matrix {
	return mapped(NewMatrix(n, n, nil), func(i, j int, _ float64) float64 { return at(i, j) })
}

// TestLSDOneCluster: for k = 1 P is 1 and c = n²/ΣK, also where the first
// eigenvector is orthogonal to 1 and shows nothing of that.
func TestLSDOneCluster(t *testing.T) {
	for _, kernel := range []*Matrix{
		NewMatrix(2, 2, []float64{2, -1, -1, 2}),
		NewMatrix(4, 4, []float64{3, -1, 0, 0, -1, 3, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}),
		similarityOf(dirichlet(30, 3, 1, 1), 2),
	} {
		m, err := LSD(bg, kernel, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		n, sum := float64(kernel.Rows), 0.0
		for _, v := range kernel.Data {
			sum += v
		}
		want := sumSquares(kernel.Data) - sum*sum/n/n
		if math.Abs(m.Scale*sum/n/n-1) > 1e-12 || math.Abs(m.Objective-want) > 1e-12*m.Total {
			t.Errorf("n=%g: scale %g, want %g; objective %g, want %g", n, m.Scale, n*n/sum, m.Objective, want)
		}
	}
}
