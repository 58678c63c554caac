package main

// This file measures rows against the prototypes: for -details, and to tell new rows that
// lie farther out than those of the fit.

import (
	"math"
	"slices"

	"softkmeans"
)

// detailNames are the columns of -details.
var detailNames = []string{"residual", "distance", "entropy"}

// yardstick is what rows are measured by. All is in the units of the fit.
type yardstick struct {
	centers *softkmeans.Matrix
	means   *softkmeans.Matrix // of the clusters; nil: labels are the largest memberships
	sum     softkmeans.Sum
	shaded  bool // a row is a mixture times its own shade
}

// yardstickOf returns the yardstick of a model, of rows with a shade of their own or not.
func yardstickOf(m *softkmeans.Model, shaded bool) *yardstick {
	return &yardstick{m.Centers, m.ClusterMeans, m.Sum, shaded}
}

// setResidual takes the largest residual of rows with weight. That of counts is in standard deviations.
func (r *result) setResidual(details *softkmeans.Matrix, weights, sizes []float64) {
	for i := range details.Rows {
		if weights == nil || weights[i] > 0 {
			r.residual = max(r.residual, rooted(details.At(i, 0), sizes, i))
		}
	}
}

// rooted is the residual of row i times the root of its size, which is that of counts in standard
// deviations. Without sizes it is the residual.
func rooted(residual float64, sizes []float64, i int) float64 {
	if sizes == nil {
		return residual
	}
	return residual * math.Sqrt(sizes[i])
}

// measure returns three columns for rows x with memberships g: the distance to the row's
// mixture; the distance to the mean of its cluster, or, without means, to the prototype of
// its label; and the entropy of its memberships, from 0 for a pure row to 1 for equal shares.
func (y *yardstick) measure(x, g *softkmeans.Matrix, labels []int) *softkmeans.Matrix {
	out := softkmeans.NewMatrix(x.Rows, len(detailNames), nil)
	mixture := make([]float64, x.Cols)
	to := y.means
	if to == nil {
		to = y.centers
	}
	for i := range x.Rows {
		mixInto(mixture, g.Row(i), y.centers)
		out.Set(i, 0, y.distance(x.Row(i), mixture))
		out.Set(i, 1, y.distance(x.Row(i), to.Row(labels[i])))
		out.Set(i, 2, entropy(g.Row(i), y.sum))
	}
	return out
}

func mixInto(dst, shares []float64, centers *softkmeans.Matrix) {
	clear(dst)
	for j, share := range shares {
		if share != 0 {
			for c, v := range centers.Row(j) {
				dst[c] += share * v
			}
		}
	}
}

// brightness returns the factor, at least 0, by which a mixture is nearest to x in the columns in which x is
// not NaN.
func brightness(x, mixture []float64) float64 {
	var product, square float64
	for c, v := range mixture {
		if x[c] == x[c] {
			product += v * x[c]
			square += v * v
		}
	}
	if !(product > 0) {
		return 0
	}
	return product / square
}

// withBrightness returns centers times the largest brightness, and memberships times the brightness of each
// row in these units: a pair whose sums are at most one. Without light it returns both as they are.
func withBrightness(centers, g *softkmeans.Matrix, rows []float64) (_, _ *softkmeans.Matrix) {
	most := slices.Max(rows)
	if most == 0 {
		return centers, g
	}
	centers, g = centers.Clone(), g.Clone()
	for i := range centers.Data {
		centers.Data[i] *= most
	}
	for i := range g.Data {
		g.Data[i] *= rows[i/g.Cols] / most
	}
	return centers, g
}

// distance returns the distance of x from another vector, or with shades from the line through 0 and it,
// over the columns in which x is not NaN.
func (y *yardstick) distance(x, from []float64) float64 {
	shade := 1.0
	if y.shaded {
		shade = brightness(x, from)
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

// entropy returns −Σ g·log g over the logarithm of the number of shares. Where they add up
// to at most 1 the rest is a share, too.
func entropy(g []float64, sum softkmeans.Sum) float64 {
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
