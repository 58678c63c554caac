package proof

import (
	"math"
	"math/rand/v2"

	"softkmeans"
	"softkmeans/internal/la"
	"softkmeans/internal/tables"
)

// falling returns independent normal entries, of less and less spread in the columns.
func falling(n, d int, seed uint64) *softkmeans.Matrix {
	x := tables.Normal(n, d, seed)
	return tables.Mapped(x, func(_, j int, v float64) float64 { return v / (1 + float64(j)/4) })
}

// shares returns n×k memberships, of powers of random numbers: the larger 1/alpha, the purer. The first k
// are pure.
func shares(n, k int, alpha float64, seed uint64) *softkmeans.Matrix {
	g, rng := softkmeans.NewMatrix(n, k, nil), rand.New(rand.NewPCG(seed, 0xd1))
	for i := range n {
		row := g.Row(i)
		for j := range row {
			row[j] = math.Pow(rng.Float64(), 1/alpha)
			if i < k {
				row[j] = 0
			}
		}
		if i < k {
			row[i] = 1
		}
		la.Scale(1/la.Sum(row), row)
	}
	return g
}

// decades returns 10^v for a v between lo and hi.
func decades(rng *rand.Rand, lo, hi float64) float64 { return math.Pow(10, lo+(hi-lo)*rng.Float64()) }
