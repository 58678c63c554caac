// Package measure measures rows against the prototypes of a model: how far a row is from its mixture and from its
// cluster, and how mixed it is.
package measure

import (
	"math"

	"softkmeans"
	"softkmeans/internal/scale"
)

// Names are the columns of a measurement.
var Names = []string{"residual", "distance", "entropy"}

// Yardstick is what rows are measured by. All is in the units of the fit.
type Yardstick struct {
	centers *softkmeans.Matrix
	means   *softkmeans.Matrix // of the clusters, or the centers without them
	sum     softkmeans.Sum
	shaded  bool      // a row is a mixture times its own shade
	sparse  *products // for sparse rows; nil: there was none
}

// Of returns the yardstick of a model, of rows with a shade of their own or not.
func Of(m *softkmeans.Model, shaded bool) *Yardstick {
	y := &Yardstick{m.Centers, m.ClusterMeans, m.Sum, shaded, nil}
	if y.means == nil {
		y.means = y.centers
	}
	return y
}

// Measure returns three columns for rows x with memberships g: the distance to the row's mixture; the distance to
// the mean of its cluster, or, without means, to the prototype of its label; and the entropy of its memberships,
// from 0 for a pure row to 1 for equal shares. Sparse rows have no shade.
func (y *Yardstick) Measure(x softkmeans.Samples, g *softkmeans.Matrix, labels []int) *softkmeans.Matrix {
	switch x := x.(type) {
	case *softkmeans.SparseMatrix:
		return y.measureSparse(x, g, labels)
	case *softkmeans.Matrix:
		return y.measure(x, g, labels)
	}
	panic("measure: rows of another kind")
}

func (y *Yardstick) measure(x, g *softkmeans.Matrix, labels []int) *softkmeans.Matrix {
	out := softkmeans.NewMatrix(x.Rows, len(Names), nil)
	mixture := make([]float64, x.Cols)
	for i := range x.Rows {
		MixInto(mixture, g.Row(i), y.centers)
		out.Set(i, 0, y.distance(x.Row(i), mixture))
		out.Set(i, 1, y.distance(x.Row(i), y.means.Row(labels[i])))
		out.Set(i, 2, Entropy(g.Row(i), y.sum))
	}
	return out
}

// distance returns the distance of x from another vector, or with shades from the line through 0 and it,
// over the columns in which x is not NaN.
func (y *Yardstick) distance(x, from []float64) float64 {
	shade := 1.0
	if y.shaded {
		shade = Brightness(x, from)
	}
	top := 0.0 // squares of large entries are out of range
	for c, v := range from {
		if d := math.Abs(x[c] - shade*v); d > top {
			top = d
		}
	}
	if top == 0 {
		return 0
	}
	sum := 0.0
	for c, v := range from {
		if d := (x[c] - shade*v) / top; d == d {
			sum += d * d
		}
	}
	return top * math.Sqrt(sum)
}

// Entropy returns −Σ g·log g over the logarithm of the number of shares. Where they add up
// to at most 1 the rest is a share, too.
func Entropy(g []float64, sum softkmeans.Sum) float64 {
	n, rest, h := len(g), 1.0, 0.0
	for _, v := range g {
		if rest -= v; v > 0 {
			h -= v * math.Log(v)
		}
	}
	if sum == softkmeans.SumAtMostOne {
		if n++; rest > 0 {
			h -= rest * math.Log(rest)
		}
	}
	if n < 2 {
		return 0
	}
	return min(max(h/math.Log(float64(n)), 0), 1)
}

// Even returns the residual of row i such that noise makes it alike for rows of any size: that of counts in
// standard deviations, that of a row divided by its sum in units of the mean sum. Without sizes it is the
// residual.
func Even(residual float64, sizes []float64, i int, s *scale.Scaling) float64 {
	switch {
	case sizes == nil:
		return residual
	case scale.KindOf(s) == scale.Sums:
		return residual * (sizes[i] / s.Divisor[0])
	}
	return residual * math.Sqrt(sizes[i])
}
