package measure

import (
	"math"
	"testing"

	"softkmeans"
)

// The entropy is 0 for a pure row and 1 for equal shares; with sums of at most one the rest
// is a share.
func TestEntropy(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		g    []float64
		sum  softkmeans.Sum
		want float64
	}{
		{[]float64{1}, softkmeans.SumToOne, 0}, {[]float64{0, 1, 0}, softkmeans.SumToOne, 0},
		{[]float64{.25, .25, .25, .25}, softkmeans.SumToOne, 1},
		{[]float64{.5, .5, 0, 0}, softkmeans.SumToOne, .5}, {[]float64{.5}, softkmeans.SumAtMostOne, 1},
		{[]float64{0, 0}, softkmeans.SumAtMostOne, 0},
		{[]float64{1.0 / 3, 1.0 / 3}, softkmeans.SumAtMostOne, 1},
	} {
		if got := Entropy(test.g, test.sum); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("%v: %g, want %g", test.g, got, test.want)
		}
	}
}

// Sparse rows are measured as with their zeros, also where squares cancel.
func TestSparse(t *testing.T) {
	t.Parallel()
	centers := softkmeans.NewMatrix(2, 4, []float64{1, 0, 3, 0, 0, 2, 1e8, 0})
	g := softkmeans.NewMatrix(3, 2, []float64{1, 0, .25, .75, 0, 1})
	x := softkmeans.NewMatrix(3, 4, []float64{1, 0, 0, 0, 0, 5, 7, 0, 0, 2, 1e8, 1e-3})
	s := &softkmeans.SparseMatrix{Rows: 3, Cols: 4, Indptr: []int{0, 1, 3, 6}, Indices: []int{0, 1, 2, 1, 2, 3},
		Data: []float64{1, 5, 7, 2, 1e8, 1e-3}}
	for _, m := range []*softkmeans.Model{{Centers: centers}, {Centers: centers, ClusterMeans: x}} {
		y := Of(m, false)
		labels := []int{0, 1, 1}
		a, b := y.Measure(x, g, labels), y.Measure(s, g, labels)
		for i, v := range a.Data {
			if math.Abs(v-b.Data[i]) > 1e-6*v {
				t.Errorf("%d: %v, of sparse rows %v", i, v, b.Data[i])
			}
		}
	}
}
