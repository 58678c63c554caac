// Package tables makes and reads tables for tests.
package tables

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/testdata"
)

// CSV returns a data set of the root's testdata.
func CSV(t testing.TB, name string) *softkmeans.Matrix {
	t.Helper()
	b, err := testdata.Files.ReadFile(name + ".csv")
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]float64
	for _, line := range strings.Fields(string(b)) {
		var row []float64
		for _, f := range strings.Split(line, ",") {
			row = append(row, Must(strconv.ParseFloat(f, 64))(t))
		}
		rows = append(rows, row)
	}
	return Must(softkmeans.FromRows(rows))(t)
}

// Must returns v where there is no error.
func Must[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// Want reads the entries of a file want.txt of testdata/tables: the values of each key.
func Want(t testing.TB, file string) (list []map[string][]string) {
	t.Helper()
	text := string(Must(os.ReadFile(file))(t))
	for text := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		want := map[string][]string{}
		for line := range strings.Lines(text) {
			key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			want[key] = append(want[key], value)
		}
		list = append(list, want)
	}
	return list
}

// OK fails the test if there is an error.
func OK(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Normal returns independent normal entries.
func Normal(n, d int, seed uint64) *softkmeans.Matrix {
	x, rng := softkmeans.NewMatrix(n, d, nil), rand.New(rand.NewPCG(seed, 0x3417e))
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	return x
}

// Mixtures returns n mixtures, Dirichlet(0.6), of k prototypes with entries between 0 and 1.
func Mixtures(n, d, k int, seed uint64) *softkmeans.Matrix {
	rng := rand.New(rand.NewPCG(seed, uint64(100*k+d)))
	prototypes, x := softkmeans.NewMatrix(k, d, nil), softkmeans.NewMatrix(n, d, nil)
	for i := range prototypes.Data {
		prototypes.Data[i] = rng.Float64()
	}
	g := make([]float64, k)
	for i := range n {
		sum := 0.0
		for j := range g {
			g[j] = gamma(rng, 0.6)
			sum += g[j]
		}
		for j, share := range g {
			for c, v := range prototypes.Row(j) {
				x.Row(i)[c] += share / sum * v
			}
		}
	}
	return x
}

// gamma draws a gamma variable (Marsaglia & Tsang 2000).
func gamma(rng *rand.Rand, a float64) float64 {
	if a < 1 {
		return gamma(rng, a+1) * math.Pow(rng.Float64(), 1/a)
	}
	c := a - 1.0/3
	for {
		z := rng.NormFloat64()
		v := math.Pow(1+z/math.Sqrt(9*c), 3)
		if v > 0 && math.Log(rng.Float64()) < z*z/2+c-c*v+c*math.Log(v) {
			return c * v
		}
	}
}

// Noisy adds white noise at the given ratio in dB.
func Noisy(x *softkmeans.Matrix, db float64, seed uint64) *softkmeans.Matrix {
	rng := rand.New(rand.NewPCG(seed, 30))
	dev := math.Sqrt(Squares(x.Data) / float64(len(x.Data)) / math.Pow(10, db/10))
	return Mapped(x, func(_, _ int, v float64) float64 { return v + dev*rng.NormFloat64() })
}

// Squares returns the sum of squares.
func Squares(v []float64) (sum float64) {
	for _, x := range v {
		sum += x * x
	}
	return sum
}

// Mapped returns a copy of m with f of each entry.
func Mapped(m *softkmeans.Matrix, f func(i, j int, v float64) float64) *softkmeans.Matrix {
	c := m.Clone()
	for i := range c.Rows {
		for j, v := range c.Row(i) {
			c.Set(i, j, f(i, j, v))
		}
	}
	return c
}

// First returns a view of the first n rows of m.
func First(m *softkmeans.Matrix, n int) *softkmeans.Matrix {
	return &softkmeans.Matrix{Rows: n, Cols: m.Cols, Stride: m.Stride, Data: m.Data}
}

// Same reports whether two matrices have the same numbers.
func Same(a, b *softkmeans.Matrix) bool {
	return a.Rows == b.Rows && a.Cols == b.Cols && slices.Equal(a.Clone().Data, b.Clone().Data)
}

// Near reports whether a and b agree to a share of the larger, or of 1.
func Near(a, b, tol float64) bool {
	return math.Abs(a-b) <= tol*max(1, math.Abs(a), math.Abs(b))
}

// Standardized returns x with columns of mean 0 and variance 1; constant columns become 0.
func Standardized(x *softkmeans.Matrix) *softkmeans.Matrix {
	n := float64(x.Rows)
	mean, variance := make([]float64, x.Cols), make([]float64, x.Cols)
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			mean[j] += 1 / n * v
		}
	}
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			variance[j] += (v - mean[j]) * (v - mean[j]) / n
		}
	}
	return Mapped(x, func(_, j int, v float64) float64 {
		if variance[j] == 0 {
			return 0
		}
		return (v - mean[j]) / math.Sqrt(variance[j])
	})
}

// Fewer returns what a test takes in all, or with SOFTKMEANS_LONG unset less of the same kinds.
func Fewer[T any](all, less T) T {
	if os.Getenv("SOFTKMEANS_LONG") == "1" && !testing.Short() {
		return all
	}
	return less
}

// LogVolume returns the log volume of the simplex of the rows.
func LogVolume(t testing.TB, vertices *softkmeans.Matrix) float64 {
	t.Helper()
	return Must(softkmeans.LogVolume(vertices))(t)
}

// Sparse returns x in sparse form, without its zeros.
func Sparse(x *softkmeans.Matrix) *softkmeans.SparseMatrix {
	s := &softkmeans.SparseMatrix{Rows: x.Rows, Cols: x.Cols, Indptr: []int{0}}
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			if v != 0 {
				s.Indices, s.Data = append(s.Indices, j), append(s.Data, v)
			}
		}
		s.Indptr = append(s.Indptr, len(s.Indices))
	}
	return s
}
