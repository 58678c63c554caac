package choosek

// How many directions of the data stand above noise.

import (
	"context"
	"math"
	"math/rand/v2"

	"softkmeans"
	"softkmeans/internal/la"
)

// tracyWidom is the quantile of 99.5 % of the Tracy–Widom distribution of order 1, the distribution of
// the largest eigenvalue of noise.
const tracyWidom = 2.42

// whiteEdge counts the leading squared singular values of centred rows that are larger than white noise makes
// them. values are all m = min(n−1, d) squares, descending, and large is max(n−1, d). The i-th value, counted
// from 0, is compared with the largest value that white noise would have in m−i dimensions, with the variance
// estimated from values[i:]: the edge of Marchenko & Pastur (1967) with the fluctuation of Johnstone (2001)
// and Ma (2012). Kritchman & Nadler (2009) test one value after the other in this way; their correction of
// the variance is left out. edges contains the bound of each value.
func whiteEdge(values []float64, large int) (above int, edges []float64) {
	total := la.Sum(values)
	rest, counting := total, true
	for i, v := range values {
		left := float64(len(values) - i)
		a, b := math.Sqrt(float64(large)-0.5), math.Sqrt(left-0.5)
		edge := max(rest, 0) / left * (a + b) * (a + b + tracyWidom*math.Cbrt(1/a+1/b)) / float64(large)
		edges = append(edges, edge)
		if counting = counting && v > edge && v > exactFloor*total; counting {
			above++
		}
		rest -= v
	}
	return above, edges
}

// permutedEdge permutes the table `permutations` times, with a stream of random numbers of its own.
const (
	permutations  = 5
	permuteStream = 0x9e24
)

// permutedEdge permutes every column of x on its own, several times. edges[i] is the largest i-th squared
// singular value of these tables. That is Horn's parallel analysis (1965), with permutations in place of
// normal random numbers (Buja & Eyuboglu 1992). It also works for few columns, and for columns whose noise
// has different variances.
func permutedEdge(
	ctx context.Context, x *softkmeans.Matrix, seed uint64, o *softkmeans.Options,
) ([]float64, error) {
	var edges []float64
	rng := rand.New(rand.NewPCG(seed, permuteStream))
	y := x.Clone()
	for range permutations {
		for j := range x.Cols {
			for i, r := range rng.Perm(x.Rows) {
				y.Row(i)[j] = x.Row(r)[j]
			}
		}
		space, err := softkmeans.Principal(ctx, y, 0, o)
		if err != nil {
			return nil, err
		}
		values := space.Squares
		if edges == nil {
			edges = make([]float64, len(values))
		}
		for i, v := range values {
			edges[i] = max(edges[i], v)
		}
	}
	return edges, nil
}
