package view

// The plane of the pictures: the two directions in which the data varies most.

import (
	"context"
	"math"
	"slices"

	"softkmeans"
	"softkmeans/internal/chart"
	"softkmeans/internal/draws"
	"softkmeans/internal/la"
	"softkmeans/internal/scale"
)

// Plane maps a point to its coordinates along two principal directions.
type Plane struct {
	Mean  []float64
	Axes  *softkmeans.Matrix // 2×d; the second row is 0 if there is only one direction
	Share [2]float64         // of the total variance along each
	Names []string           // of two columns that are the directions; nil: they are others
}

// ColumnPlane returns the plane of a table with two columns of these names, scaled by s; nil: not.
func ColumnPlane(names []string, s *scale.Scaling) Plane {
	if unit := Unit(s); unit != "" {
		names = []string{names[0] + ", " + unit, names[1] + ", " + unit}
	}
	return Plane{Mean: []float64{0, 0}, Axes: softkmeans.NewMatrix(2, 2, []float64{1, 0, 0, 1}), Names: names}
}

// NewPlane returns the plane of rows x with weights, of which at least one must be above 0 (nil: all 1).
func NewPlane(ctx context.Context, x *softkmeans.Matrix, weights []float64) (Plane, error) {
	rows, err := draws.Rows(weights, x.Rows)
	if err != nil {
		return Plane{}, err
	}
	if weights != nil {
		most := slices.Max(weights)
		weights = slices.Clone(weights)
		for i := range weights {
			weights[i] /= most // a sum of large ones is out of range
		}
	}
	s, err := softkmeans.Principal(ctx, x, min(2, len(rows)-1, x.Cols),
		&softkmeans.Options{Weights: weights})
	return planeOf(s), err
}

// PlaneOf returns the plane of rows that were added up.
func PlaneOf(ctx context.Context, sums *softkmeans.Stats) (Plane, error) {
	s, err := sums.Principal(ctx, min(2, sums.Cols(), sums.Rows()-1), nil)
	return planeOf(s), err
}

// planeOf returns the plane in a subspace of at most two directions; a nil one, of a failure, has none. The largest
// entry of a direction becomes positive.
func planeOf(s *softkmeans.Subspace) Plane {
	if s == nil {
		return Plane{}
	}
	p := Plane{Mean: s.Mean, Axes: softkmeans.NewMatrix(2, len(s.Mean), nil)}
	for c := range s.Basis.Rows {
		axis, big := p.Axes.Row(c), 0.0
		for j, v := range s.Basis.Row(c) {
			if axis[j] = v; math.Abs(v) > math.Abs(big) {
				big = v
			}
		}
		if la.Scale(math.Copysign(1, big), axis); s.Total > 0 {
			p.Share[c] = min(s.Squares[c]/s.Total, 1)
		}
	}
	return p
}

// At returns the coordinates of a point.
func (p *Plane) At(v []float64) (x, y float64) {
	for j := range v {
		c := v[j] - p.Mean[j]
		x += c * p.Axes.At(0, j)
		y += c * p.Axes.At(1, j)
	}
	return x, y
}

// Points returns the coordinates of all rows.
func (p *Plane) Points(m *softkmeans.Matrix) (x, y []float64) {
	x, y = make([]float64, m.Rows), make([]float64, m.Rows)
	for i := range m.Rows {
		x[i], y[i] = p.At(m.Row(i))
	}
	return x, y
}

// Labels are the names of the axes.
func (p *Plane) Labels() (x, y string) {
	if p.Names != nil {
		return p.Names[0], p.Names[1]
	}
	return "first direction, " + Percent(p.Share[0]) + " of the variance",
		"second direction, " + Percent(p.Share[1])
}

// Outline returns the outline of the centers. labels are drawn beside them; nil: none.
func (p *Plane) Outline(centers *softkmeans.Matrix, name, style string, labels []string) chart.Outline {
	o := chart.Outline{Name: name, Style: style, Labels: labels}
	o.X, o.Y = p.Points(centers)
	return o
}

// Opacity returns the opacity of each row: the lower its largest membership, the paler it is.
func Opacity(g *softkmeans.Matrix) []float64 {
	sure := make([]float64, g.Rows)
	for i := range sure {
		top := slices.Max(g.Row(i))
		sure[i] = .25 + .7*top*top
	}
	return sure
}
