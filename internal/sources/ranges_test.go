package sources

import (
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"softkmeans"
	"softkmeans/internal/la"
	"softkmeans/internal/tables"
)

// enumerated returns the least and the largest sums of shares over all vertices of the mixtures of
// a point: those whose columns are independent. The columns are of vertices with a 1 each.
func enumerated(f *softkmeans.Matrix, g []float64, class []int, groups int) (low, high []float64) {
	k, d := f.Rows, f.Cols
	point := make([]float64, d+1)
	for i, share := range g {
		for j, v := range f.Row(i) {
			point[j] += share * v
		}
		point[d] += share
	}
	low, high = make([]float64, groups), make([]float64, groups)
	for c := range low {
		low[c], high[c] = math.Inf(1), math.Inf(-1)
	}
	for in := range subsets(k) {
		h, ok := solved(f, in, point)
		if !ok {
			continue
		}
		sums := make([]float64, groups)
		for at, i := range in {
			sums[class[i]] += h[at]
		}
		for c, v := range sums {
			low[c], high[c] = min(low[c], v), max(high[c], v)
		}
	}
	return low, high
}

// subsets are those of 0 … k−1 but the empty one.
func subsets(k int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		for set := 1; set < 1<<k; set++ {
			in := slices.DeleteFunc(la.Indices(k), func(i int) bool { return set>>i&1 == 0 })
			if !yield(in) {
				return
			}
		}
	}
}

// solved returns the only mixture of some vertices that is the point, if it is one.
func solved(f *softkmeans.Matrix, in []int, point []float64) (h []float64, ok bool) {
	d, n := f.Cols, len(in)
	a := make([][]float64, d+1) // with the point behind it
	for j := range a {
		a[j] = make([]float64, n+1)
		for c, i := range in {
			if a[j][c] = 1; j < d {
				a[j][c] = f.At(i, j)
			}
		}
		a[j][n] = point[j]
	}
	for c := range n {
		best := c
		if c > d {
			return nil, false
		}
		for j := c; j <= d; j++ {
			if math.Abs(a[j][c]) > math.Abs(a[best][c]) {
				best = j
			}
		}
		if math.Abs(a[best][c]) < 1e-9 {
			return nil, false
		}
		a[c], a[best] = a[best], a[c]
		for j := range a {
			if j == c {
				continue
			}
			v := a[j][c] / a[c][c]
			for e := c; e <= n; e++ {
				a[j][e] -= v * a[c][e]
			}
		}
	}
	for j := n; j <= d; j++ {
		if math.Abs(a[j][n]) > 1e-9 {
			return nil, false
		}
	}
	for c := range n {
		v := a[c][n] / a[c][c]
		if v < -1e-9 {
			return nil, false
		}
		h = append(h, v)
	}
	return h, true
}

// The ranges are those over all vertices, for points inside, on faces and at vertices; also where
// vertices coincide or lie on a line, and for sums of shares.
func TestRanges(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for run := range 600 {
		k, d := 2+r.IntN(4), 1+r.IntN(3)
		f := softkmeans.NewMatrix(k, d, nil)
		for i := range f.Data {
			f.Data[i] = r.NormFloat64()
			if run%3 == 0 { // many dependent ones
				f.Data[i] = float64(r.IntN(3))
			}
		}
		class, groups := la.Indices(k), k
		if run%5 == 0 {
			for i := range class {
				class[i] = i % 2
			}
			groups = 2
		}
		g, sum := make([]float64, k), 0.0
		for i := range g {
			if g[i] = r.ExpFloat64(); r.IntN(3) == 0 {
				g[i] = 0
			}
			sum += g[i]
		}
		if sum == 0 {
			g[0], sum = 1, 1
		}
		for i := range g {
			g[i] /= sum
		}
		o := tables.Must(NewOpen(f, softkmeans.SumToOne, false))(t)
		low, high := make([]float64, groups), make([]float64, groups)
		o.Ranges(low, high, g, class)
		least, most := enumerated(f, g, class, groups)
		for c := range low {
			if math.Abs(low[c]-least[c]) > 1e-9 || math.Abs(high[c]-most[c]) > 1e-9 {
				t.Fatalf("run %d: %v of %v: group %d is %v to %v, by enumeration %v to %v", run, g, f.Data, c,
					low[c], high[c], least[c], most[c])
			}
			if o.Unique() && high[c]-low[c] > 1e-9 {
				t.Fatalf("run %d: unique, and group %d is %v to %v", run, c, low[c], high[c])
			}
		}
	}
}
