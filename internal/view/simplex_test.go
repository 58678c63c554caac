package view

import (
	"context"
	"testing"

	"softkmeans"
	"softkmeans/internal/la"
	"softkmeans/internal/scale"
	"softkmeans/internal/tables"
)

// The simplex is a global minimum, and its corners point to where the centers are,
// also where rows have weights.
func TestGlobalSimplex(t *testing.T) {
	for _, c := range []struct {
		name        string
		k           int
		standardize bool
	}{{"iris", 3, false}, {"wine", 3, true}, {"digits", 10, false}} {
		x := tables.CSV(t, c.name)
		if c.standardize {
			scale.Of(scale.ZScore, x.Data, x.Cols, nil).Apply(x.Data)
		}
		x = tables.First(x, min(x.Rows, 200)) // time
		weights := make([]float64, x.Rows)
		for i := range weights {
			weights[i] = float64(1 + i%3)
		}
		for _, weights := range [][]float64{nil, weights} {
			m := tables.Must(softkmeans.FitMinVolume(t.Context(), x, c.k,
				&softkmeans.MinVolumeOptions{Weights: weights}))(t)
			plane := tables.Must(NewPlane(t.Context(), x, weights))(t)
			toward := func(simplex *softkmeans.Matrix) (sum float64) {
				a, b := la.Centred(simplex, plane.Mean), la.Centred(m.Centers, plane.Mean)
				for i, v := range a.Data {
					sum += v * b.Data[i]
				}
				return sum
			}
			global := tables.Must(GlobalSimplex(t.Context(), x, weights, plane.Mean, m.Centers))(t)
			cert, err := softkmeans.Certify(context.Background(), x, global.Centers, global.Memberships,
				&softkmeans.Options{Weights: weights})
			if err != nil || !cert.Optimal(0) {
				t.Errorf("%s: not optimal: %+v, %v", c.name, cert, err)
			}
			q, err := Orientation(t.Context(), x, weights, plane.Mean, m.Centers)
			if q == nil || err != nil {
				t.Fatalf("%s: no orientation: %v", c.name, err)
			}
			best := tables.Must(softkmeans.Fit(t.Context(), x, c.k,
				&softkmeans.Options{Weights: weights, Orientation: q}))(t)
			for seed := range uint64(20) {
				other := tables.Must(softkmeans.Fit(t.Context(), x, c.k, &softkmeans.Options{Weights: weights,
					Orientation: softkmeans.RandomOrientation(c.k, seed)}))(t)
				if toward(other.Centers) > toward(best.Centers) {
					t.Errorf("%s: orientation %d is nearer", c.name, seed)
				}
			}
		}
	}
}
