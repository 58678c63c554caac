package view

// The global simplex in the orientation of given centers.

import (
	"context"

	"softkmeans"
	"softkmeans/internal/la"
)

// GlobalSimplex is the tight global simplex of rows x with weights (nil: all 1). It is
// turned so that each vertex lies about in the direction of the center with the same
// number. Every orientation is a global minimum. mean is the mean of the rows.
func GlobalSimplex(ctx context.Context, x *softkmeans.Matrix, weights, mean []float64,
	centers *softkmeans.Matrix) (*softkmeans.Model, error) {
	q, err := Orientation(ctx, x, weights, mean, centers)
	if err != nil {
		return nil, err
	}
	return softkmeans.Fit(ctx, x, centers.Rows,
		&softkmeans.Options{Weights: weights, Enclosure: softkmeans.EnclosureTight, Orientation: q})
}

// Orientation is that of GlobalSimplex, for Options.Orientation. It is nil if no
// orientation is better than another.
//
// It solves the orthogonal Procrustes problem. Fit's ball simplex is mean + c·B·U with
// B = RegularSimplex(k). Let T be the centers' coordinates along U. The Q for which
// B·Q is nearest to T is the orthogonal factor of BᵀT.
func Orientation(ctx context.Context, x *softkmeans.Matrix, weights, mean []float64,
	centers *softkmeans.Matrix) (*softkmeans.Matrix, error) {
	k := centers.Rows
	if k < 2 {
		return nil, nil
	}
	m, err := softkmeans.Fit(ctx, x, k, &softkmeans.Options{Weights: weights})
	if err != nil {
		return nil, err
	}
	b := softkmeans.RegularSimplex(k)
	turned := la.Transpose(b)
	axes := la.Product(turned, la.Centred(m.Centers, mean)) // c·U, (k−1)×d
	target := la.Product(turned, la.Centred(centers, mean)) // BᵀT·U
	mixed := la.Product(target, la.Transpose(axes))         // c·BᵀT
	u, s, v, err := softkmeans.SVD(mixed)
	if err != nil || len(s) < k-1 || u.Cols < k-1 || !(s[k-2] > 1e-12*s[0]) {
		return nil, nil // the centers or the data have fewer than k−1 directions
	}
	return la.Product(u, la.Transpose(v)), nil
}
