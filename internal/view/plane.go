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
)

// Plane maps a point to its coordinates along two principal directions.
type Plane struct {
	Mean  []float64
	Axes  *softkmeans.Matrix // 2×d; the second row is 0 if there is only one direction
	Share [2]float64         // of the total variance along each
}

// NewPlane computes the plane of rows x with weights, of which at least one must be above 0 (nil: all 1).
func NewPlane(x *softkmeans.Matrix, weights []float64) (Plane, error) {
	p := Plane{Mean: make([]float64, x.Cols), Axes: softkmeans.NewMatrix(2, x.Cols, nil)}
	if weights = slices.Clone(weights); weights == nil {
		weights = slices.Repeat([]float64{1}, x.Rows)
	}
	most, all := slices.Max(weights), 0.0
	for i := range weights {
		weights[i] /= most // a sum of large ones is out of range
		all += weights[i]
	}
	for i := range x.Rows {
		la.Axpy(p.Mean, weights[i]/all, x.Row(i))
	}
	centred := x.Clone()
	top := 0.0
	for i := range x.Rows {
		row := centred.Row(i)
		if weights[i] == 0 {
			clear(row)
			continue
		}
		la.Axpy(row, -1, p.Mean)
		top = max(top, la.Largest(row))
	}
	if top <= 1e-14*la.Largest(p.Mean) || top == 0 { // equal rows: the rest is the mean's rounding
		return p, nil
	}
	// A power of two changes no digit, and brings differences of small numbers into range.
	_, e := math.Frexp(top)
	for i, v := range centred.Data {
		centred.Data[i] = math.Ldexp(v, -e)
	}
	axes, shares, err := Directions(centred, weights, min(2, x.Rows, x.Cols))
	if err != nil {
		return p, err
	}
	copy(p.Axes.Data, axes.Data)
	copy(p.Share[:], shares)
	return p, nil
}

// Directions returns the p leading directions of centred rows with weights (nil: all 1), p×d,
// and the share of all squares along each. The largest entry of a direction is positive.
func Directions(x *softkmeans.Matrix, weights []float64, p int) (axes *softkmeans.Matrix, shares []float64,
	err error) {
	m, err := softkmeans.Fit(context.Background(), x, p+1, &softkmeans.Options{Weights: weights})
	if err != nil {
		return nil, nil, err
	}
	edges := draws.Chosen(m.Centers, la.Indices(p)) // of a simplex in these directions
	for a := range p {
		la.Axpy(edges.Row(a), -1, m.Centers.Row(p))
	}
	_, _, basis, err := softkmeans.SVD(edges)
	if err != nil {
		return nil, nil, err
	}
	var total float64
	within := softkmeans.NewMatrix(x.Rows, p, nil)
	for i := range x.Rows {
		root := math.Sqrt(draws.Weight(weights, i))
		for j, v := range x.Row(i) {
			total += root * v * (root * v)
			la.Axpy(within.Row(i), root*v, basis.Row(j))
		}
	}
	_, s, turn, err := softkmeans.SVD(within)
	axes, shares = softkmeans.NewMatrix(p, x.Cols, nil), make([]float64, p)
	for c := range s {
		big := 0.0
		for j := range x.Cols {
			for a, u := range basis.Row(j) {
				axes.Data[c*x.Cols+j] += u * turn.At(a, c)
			}
			if v := axes.At(c, j); math.Abs(v) > math.Abs(big) {
				big = v
			}
		}
		la.Scale(math.Copysign(1, big), axes.Row(c))
		shares[c] = min(s[c]*s[c]/total, 1)
	}
	return axes, shares, err
}

// PlaneOf returns the plane of rows that were added up, and whose floors are known.
func PlaneOf(s *softkmeans.Stats, floors []float64) (Plane, error) {
	p := Plane{Mean: s.Mean(), Axes: softkmeans.NewMatrix(2, s.Cols(), nil)}
	subspace, err := s.Principal(min(2, s.Cols(), s.Rows()-1), nil)
	if err != nil {
		return p, err
	}
	copy(p.Axes.Data, subspace.Basis.Data) // one direction if there is one column
	for c := range p.Share {
		if c+1 < len(floors) && floors[0] > 0 {
			p.Share[c] = (floors[c] - floors[c+1]) / floors[0]
		}
	}
	return p, nil
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
	return "first direction, " + Percent(p.Share[0]) + " of the variance",
		"second direction, " + Percent(p.Share[1])
}

// Outline is the outline of the centers.
func (p *Plane) Outline(centers *softkmeans.Matrix, name, style string, labels bool) chart.Outline {
	o := chart.Outline{Name: name, Style: style}
	o.X, o.Y = p.Points(centers)
	if labels {
		o.Labels = Names(centers.Rows)
	}
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
