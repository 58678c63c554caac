package main

// The data that is timed and tested, and the check of all results.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"softkmeans"
)

// shape is a problem's size: n samples of d numbers, k clusters.
type shape struct{ n, d, k int }

func (s shape) String() string { return fmt.Sprintf("%d×%d, %d", s.n, s.d, s.k) }

const defaultShapes = "150x4x3,1797x64x10,100000x64x10,20000x784x10,400x4096x20,2000x256x10"

// parseShapes reads shapes as n x d x k, without spaces, with commas between.
func parseShapes(s string) (shapes []shape, err error) {
	for _, one := range strings.Split(s, ",") {
		var at shape
		fmt.Sscanf(one, "%dx%dx%d", &at.n, &at.d, &at.k)
		if fmt.Sprintf("%dx%dx%d", at.n, at.d, at.k) != one || min(at.n, at.d, at.k) < 1 {
			return nil, fmt.Errorf("shape %q is not of the form 1797x64x10: "+
				"samples, columns, clusters, whole numbers from 1 up", one)
		}
		if at.k < 2 || at.k-1 > min(at.n-1, at.d) {
			return nil, fmt.Errorf("shape %q: k must be at least 2 and k−1 at most min(n−1, d) = %d; for other k there is nothing to compute", one, min(at.n-1, at.d))
		}
		shapes = append(shapes, at)
	}
	return shapes, nil
}

// timedKinds are the kinds of data that can be timed. Both have a mean of 1.
var timedKinds = []struct {
	name, about string
	data        func(n, d int) *mat.Dense
}{
	{"decaying", "normal noise of spread 1/(1+j/4) in column j", peerData},
	{"noise", "normal noise of spread 1 in every column: no direction stands out", noiseData},
}

func kindNamed(name string) (func(n, d int) *mat.Dense, error) {
	var names []string
	for _, kind := range timedKinds {
		if kind.name == name {
			return kind.data, nil
		}
		names = append(names, kind.name)
	}
	return nil, fmt.Errorf("-data: there is no kind %q; there are %s", name, strings.Join(names, " and "))
}

func peerData(n, d int) *mat.Dense {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(d)))
	return table(n, d, func(_, j int) float64 { return 1 + rng.NormFloat64()/(1+float64(j)/4) })
}

func noiseData(n, d int) *mat.Dense {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(d)))
	return table(n, d, func(_, _ int) float64 { return 1 + rng.NormFloat64() })
}

func table(n, d int, f func(i, j int) float64) *mat.Dense {
	m := mat.NewDense(n, d, nil)
	for i := range n {
		row := m.RawRowView(i)
		for j := range row {
			row[j] = f(i, j)
		}
	}
	return m
}

// wrap shares m's storage.
func wrap(m *mat.Dense) *softkmeans.Matrix {
	raw := m.RawMatrix()
	return &softkmeans.Matrix{Rows: raw.Rows, Cols: raw.Cols, Stride: raw.Stride, Data: raw.Data}
}

// unwrap shares m's storage.
func unwrap(m *softkmeans.Matrix) *mat.Dense {
	return mat.NewDense(m.Rows, m.Cols, m.Data)
}

// limit is how far an objective or a floor may be off, as a share of ‖Xc‖².
const limit = 1e-12

// squares is ‖m‖².
func squares(m *mat.Dense) float64 {
	norm := mat.Norm(m, 2)
	return norm * norm
}

// centred returns the column means of x, and x less these, by differences from the first row,
// so that a distant mean costs no digits.
func centred(x *mat.Dense) (mean []float64, c *mat.Dense) {
	n, d := x.Dims()
	c, mean = mat.NewDense(n, d, nil), make([]float64, d)
	for i := range n {
		row := c.RawRowView(i)
		floats.SubTo(row, x.RawRowView(i), x.RawRowView(0))
		floats.Add(mean, row)
	}
	floats.Scale(1/float64(n), mean)
	for i := range n {
		floats.Sub(c.RawRowView(i), mean)
	}
	floats.Add(mean, x.RawRowView(0))
	return mean, c
}

// solution is the result of a peer.
type solution struct {
	f, g  *mat.Dense // centers k×d, memberships n×k
	floor float64    // NaN if it states none
	how   string     // the solver that it chose; "" if there is no choice
}

// check computes the objective of s from its centers and memberships, and returns an error if s does not
// solve the problem. total is ‖Xc‖², floor the least objective, which only exact peers must reach.
func (s *solution) check(x *mat.Dense, exact bool, floor, total float64) (objective float64, err error) {
	var r mat.Dense
	r.Mul(s.g, s.f)
	r.Sub(x, &r)
	objective = squares(&r)
	off := (objective - floor) / total
	switch {
	case exact && !(math.Abs(off) <= limit), !(off >= -limit):
		return objective, fmt.Errorf("the objective is %g, the floor %g, of a total of %g", objective, floor, total)
	case exact && !(math.Abs(s.floor-floor) <= limit*total):
		return objective, fmt.Errorf("its floor is %g, not %g, of a total of %g", s.floor, floor, total)
	default:
		for i := range s.g.RawMatrix().Rows {
			row := s.g.RawRowView(i)
			if least := floats.Min(row); !(least >= -1e-12) {
				return objective, fmt.Errorf("row %d has a membership of %g", i, least)
			}
			if sum := floats.Sum(row); !(math.Abs(sum-1) <= 1e-9) {
				return objective, fmt.Errorf("the memberships of row %d add up to %g", i, sum)
			}
		}
	}
	return objective, nil
}
