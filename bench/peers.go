package main

// The ways in Go to the global solution. Those of gonum do not validate their input, nor
// scale it, nor compute the objective that they reached.

import (
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
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
	floats.Scale(float64(x.RawMatrix().Rows-1), values)
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
	floats.Mul(values, values)
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
	v, values := new(mat.Dense), eig.Values(nil) // in ascending order
	eig.VectorsTo(v)
	for i := range values {
		slices.Reverse(v.RawRowView(i))
	}
	slices.Reverse(values)
	return v, values
}

// gonumFit is Algorithm 1 with gonum: centre, factor, products.
func gonumFit(x *mat.Dense, k int, right func(x, c *mat.Dense) (*mat.Dense, []float64)) (*solution, error) {
	mean, c := centred(x)
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
		r = max(r, floats.Dot(w.RawRowView(i), w.RawRowView(i)))
	}
	b := mat.NewDense(k, k-1, softkmeans.RegularSimplex(k).Data)
	s := math.Sqrt(r * float64(k*(k-1)))
	out.f.Mul(b, u.T())
	for l := range k {
		floats.AddScaledTo(out.f.RawRowView(l), mean, s, out.f.RawRowView(l))
	}
	out.g.Mul(w, b.T())
	floats.Scale(1/s, out.g.RawMatrix().Data)
	floats.AddConst(1/float64(k), out.g.RawMatrix().Data)
	return out, nil
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
