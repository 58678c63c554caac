// Package costs tests what calls of the package and its leaves cost: how late they hear that their context
// has ended, and by which powers of the sizes their time grows.
package costs

import (
	"context"
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"os"

	"softkmeans"
)

type (
	matrix  = softkmeans.Matrix
	options = softkmeans.Options
	minimal = softkmeans.MinVolumeOptions
)

var bg = context.Background()

// long reports whether calls are measured, in full sizes.
func long() bool { return os.Getenv("SOFTKMEANS_GROWTH") != "" }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func second[T any](_ T, err error) error { return err }

// random returns normal entries, in column j divided by 1 + j/4, or by what by says.
func random(n, d int, seed uint64, by func(j float64) float64) *matrix {
	rng, m := rand.New(rand.NewPCG(seed, 77)), softkmeans.NewMatrix(n, d, nil)
	for i := range m.Data {
		j := float64(i % d)
		if m.Data[i] = rng.NormFloat64(); by != nil {
			m.Data[i] *= by(j)
		} else {
			m.Data[i] /= 1 + j/4
		}
	}
	return m
}

// mixtures returns mixtures, Dirichlet(½), of k prototypes with entries between 0 and 1, and noise of 25 dB.
func mixtures(n, d, k int) *matrix {
	rng, x, f := rand.New(rand.NewPCG(1, 30)), softkmeans.NewMatrix(n, d, nil), make([]float64, k*d)
	for l := range f {
		f[l] = rng.Float64()
	}
	for i := range n {
		shares, sum := make([]float64, k), 0.0
		for j := range shares {
			v := rng.NormFloat64()
			shares[j] = v * v
			sum += v * v
		}
		for c := range d {
			v := 0.03 * rng.NormFloat64()
			for j, share := range shares {
				v += share / sum * f[j*d+c]
			}
			x.Set(i, c, v)
		}
	}
	return x
}

// circle returns points of which all are corners of the hull.
func circle(n int) *matrix {
	x := softkmeans.NewMatrix(n, 2, nil)
	for i := range n {
		x.Data[2*i], x.Data[2*i+1] = math.Sincos(2 * math.Pi * float64(i) / float64(n))
	}
	return x
}

// sparse returns a table of its entries.
func sparse(x *matrix) *softkmeans.SparseMatrix {
	indices, starts := make([]int, len(x.Data)), make([]int, x.Rows+1)
	for i := range indices {
		indices[i] = i % x.Cols
	}
	for i := range starts {
		starts[i] = i * x.Cols
	}
	return &softkmeans.SparseMatrix{
		Rows: x.Rows, Cols: x.Cols, Indptr: starts, Indices: indices, Data: x.Data,
	}
}

// top returns the first rows of x.
func top(x *matrix, rows int) *matrix {
	return softkmeans.NewMatrix(rows, x.Cols, x.Data[:rows*x.Cols])
}

// inBlocks yields so many rows of x at a time.
func inBlocks(x *matrix, rows int) iter.Seq2[*matrix, error] {
	return func(yield func(*matrix, error) bool) {
		for lo := 0; lo < x.Rows; lo += rows {
			n := min(rows, x.Rows-lo)
			if !yield(softkmeans.NewMatrix(n, x.Cols, x.Data[lo*x.Cols:(lo+n)*x.Cols]), nil) {
				return
			}
		}
	}
}

// gaps returns x with NaN in a tenth of the entries below the first row.
func gaps(x *matrix) *matrix {
	x = x.Clone()
	rng := rand.New(rand.NewPCG(9, 9))
	for i := x.Cols; i < len(x.Data); i++ {
		if rng.IntN(10) == 0 {
			x.Data[i] = math.NaN()
		}
	}
	return x
}

func ended(err error) bool { return errors.Is(err, context.Canceled) }
