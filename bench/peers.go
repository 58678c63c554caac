package main

// The ways in Go to the global solution. Those of gonum do not validate their input, nor
// scale it, nor compute the objective that they reached.

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"softkmeans"
)

// gonumWays are gonum's ways to the right singular vectors of the centred data, as
// columns, and to all its squared singular values, both descending. All are exact.
var gonumWays = []struct {
	name  string
	right func(x, c *mat.Dense) (v *mat.Dense, values []float64)
}{
	{"gonum stat.PC", rightPC},
	{"gonum mat.SVD", rightSVD},
	{"gonum Gram", rightGram},
}

// rightPC is gonum's principal component analysis. It centres a copy of x, and computes
// U, which it does not return.
func rightPC(x, _ *mat.Dense) (*mat.Dense, []float64) {
	var pc stat.PC
	if !pc.PrincipalComponents(x, nil) {
		return nil, nil
	}
	v := new(mat.Dense)
	pc.VectorsTo(v)
	values := pc.VarsTo(nil)
	for i := range values {
		values[i] *= float64(x.RawMatrix().Rows - 1)
	}
	return v, values
}

// rightSVD is the SVD without U, which is not needed.
func rightSVD(_, c *mat.Dense) (*mat.Dense, []float64) {
	var svd mat.SVD
	if !svd.Factorize(c, mat.SVDThinV) {
		return nil, nil
	}
	v := new(mat.Dense)
	svd.VTo(v)
	values := svd.Values(nil)
	for i, s := range values {
		values[i] = s * s
	}
	return v, values
}

// rightGram is the Gram matrix of the smaller side, as SolverAuto uses on most shapes. It
// is mostly the fastest of the three, and cannot resolve what is below 1e-16 of the total.
// On tall data the full product on all threads is faster than SymOuterK's triangle on one
// (3.4 to 5.9 s at 20000×784 on two threads); on wide data it is not.
func rightGram(_, c *mat.Dense) (*mat.Dense, []float64) {
	n, d := c.Dims()
	gram := new(mat.SymDense)
	if n < d {
		gram.SymOuterK(1, c)
	} else {
		var all mat.Dense
		all.Mul(c.T(), c)
		gram = mat.NewSymDense(d, all.RawMatrix().Data)
	}
	var eig mat.EigenSym
	if !eig.Factorize(gram, true) {
		return nil, nil
	}
	var up mat.Dense
	eig.VectorsTo(&up)
	values := eig.Values(nil)
	m := len(values)
	v := mat.NewDense(m, m, nil)
	for i := range m {
		row := v.RawRowView(i)
		for j, e := range up.RawRowView(i) {
			row[m-1-j] = e
		}
	}
	for i, j := 0, m-1; i < j; i, j = i+1, j-1 {
		values[i], values[j] = values[j], values[i]
	}
	return v, values
}

// gonumFit is Algorithm 1 with gonum: centre, factor, products.
func gonumFit(x *mat.Dense, k int, right func(x, c *mat.Dense) (*mat.Dense, []float64)) (*solution, error) {
	mean, c := gonumCentred(x)
	v, values := right(x, c)
	if v == nil {
		return nil, errors.New("gonum found no decomposition")
	}
	out := &solution{f: new(mat.Dense), g: new(mat.Dense)}
	for _, s := range values[k-1:] {
		out.floor += max(s, 0)
	}
	u, w := gonumSubspace(c, v, values, k)
	r := 0.0
	for i := range w.RawMatrix().Rows {
		sum := 0.0
		for _, v := range w.RawRowView(i) {
			sum += v * v
		}
		r = max(r, math.Sqrt(sum))
	}
	b := mat.NewDense(k, k-1, softkmeans.RegularSimplex(k).Data)
	s := r * math.Sqrt(float64(k*(k-1)))
	out.f.Mul(b, u.T())
	for l := range k {
		row := out.f.RawRowView(l)
		for j := range row {
			row[j] = s*row[j] + mean[j]
		}
	}
	out.g.Mul(w, b.T())
	for i := range x.RawMatrix().Rows {
		row := out.g.RawRowView(i)
		for j := range row {
			row[j] = row[j]/s + 1/float64(k)
		}
	}
	return out, nil
}

// gonumCentred returns the column means of x, and x less these.
func gonumCentred(x *mat.Dense) (mean []float64, c *mat.Dense) {
	n, d := x.Dims()
	mean = make([]float64, d)
	for i := range n {
		for j, v := range x.RawRowView(i) {
			mean[j] += v
		}
	}
	for j := range mean {
		mean[j] /= float64(n)
	}
	c = mat.NewDense(n, d, nil)
	for i := range n {
		row := c.RawRowView(i)
		for j, v := range x.RawRowView(i) {
			row[j] = v - mean[j]
		}
	}
	return mean, c
}

// gonumSubspace returns the first k−1 right singular vectors of c, as columns, and the
// coordinates of its rows along them. v has the right or the left singular vectors.
func gonumSubspace(c, v *mat.Dense, values []float64, k int) (u, w *mat.Dense) {
	n, d := c.Dims()
	size, _ := v.Dims()
	u, w = v.Slice(0, size, 0, k-1).(*mat.Dense), new(mat.Dense)
	if size == d {
		w.Mul(c, u)
		return u, w
	}
	left := u // W = TΣ, U = XcᵀTΣ⁻¹
	u = new(mat.Dense)
	u.Mul(c.T(), left)
	w.CloneFrom(left)
	for j, s := range values[:k-1] {
		s = math.Sqrt(s)
		for i := range n {
			w.Set(i, j, w.At(i, j)*s)
		}
		for i := range d {
			u.Set(i, j, u.At(i, j)/s)
		}
	}
	return u, w
}

// ownFit is this package's way.
func ownFit(x *mat.Dense, k, workers int) (*solution, error) {
	m, err := softkmeans.Fit(context.Background(), wrap(x), k, &softkmeans.Options{Workers: workers})
	if err != nil {
		return nil, err
	}
	return &solution{unwrap(m.Centers), unwrap(m.Memberships), m.Floor, m.Solver.String()}, nil
}
