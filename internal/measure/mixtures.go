package measure

// Mixtures of prototypes, and their brightness.

import (
	"math"
	"slices"

	"softkmeans"
)

// MixInto sets dst to the mixture of the centers with these shares.
func MixInto(dst, shares []float64, centers *softkmeans.Matrix) {
	clear(dst)
	for j, share := range shares {
		if share != 0 {
			for c, v := range centers.Row(j) {
				dst[c] += share * v
			}
		}
	}
}

// Brightness returns the factor, at least 0, by which a mixture is nearest to x in the columns in which x is
// not NaN.
func Brightness(x, mixture []float64) float64 {
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

// WithBrightness returns centers times the largest brightness, and memberships times the brightness of each
// row in these units: a pair whose sums are at most one. Without light it returns both as they are.
func WithBrightness(centers, g *softkmeans.Matrix, rows []float64) (_, _ *softkmeans.Matrix) {
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

// FillMixtures replaces the missing values of rows by those of their mixtures of centers.
// Residuals and labels are then those of the values that are there. With unit a mixture is
// multiplied by the shade that is best for these.
func FillMixtures(x, g, centers *softkmeans.Matrix, unit bool) {
	mixture := make([]float64, x.Cols)
	for i := range x.Rows {
		row := x.Row(i)
		if !slices.ContainsFunc(row, math.IsNaN) {
			continue
		}
		MixInto(mixture, g.Row(i), centers)
		shade := 1.0
		if unit {
			shade = Brightness(row, mixture)
		}
		for c, v := range row {
			if v != v {
				row[c] = shade * mixture[c]
			}
		}
	}
}
