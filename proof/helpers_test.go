package proof

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"softkmeans"
	"softkmeans/internal/la"
	"softkmeans/internal/tables"
)

// fewer returns what a test takes in all, or with SOFTKMEANS_LONG unset less of the same kinds.
func fewer[T any](all, less T) T {
	if os.Getenv("SOFTKMEANS_LONG") == "1" && !testing.Short() {
		return all
	}
	return less
}

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

func logVolume(t *testing.T, vertices *softkmeans.Matrix) float64 {
	t.Helper()
	return tables.Must(softkmeans.LogVolume(vertices))(t)
}
