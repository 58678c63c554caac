package view

// The plane of the pictures: the two directions in which the data varies most.

import (
	"context"
	"math"

	"softkmeans"
	"softkmeans/internal/chart"
)

// Plane maps a point to its coordinates along two principal directions.
type Plane struct {
	Mean  []float64
	Axes  *softkmeans.Matrix // 2×d; the second row is 0 if there is only one direction
	Share [2]float64         // of the total variance along each
}

// NewPlane computes the plane of rows x with weights, of which at least one must be
// above 0 (nil: all 1).
func NewPlane(x *softkmeans.Matrix, weights []float64) (Plane, error) {
	p := Plane{Mean: make([]float64, x.Cols), Axes: softkmeans.NewMatrix(2, x.Cols, nil)}
	weight := func(i int) float64 { return 1 }
	all := float64(x.Rows)
	if weights != nil {
		most := 0.0
		for _, w := range weights {
			most = max(most, w)
		}
		all = 0
		for _, w := range weights {
			all += w / most // a sum of large ones is out of range
		}
		weight = func(i int) float64 { return weights[i] / most }
	}
	for i := range x.Rows {
		w := weight(i) / all
		for j, v := range x.Row(i) {
			p.Mean[j] += w * v
		}
	}
	centred := x.Clone()
	var top, size float64
	for i := range x.Rows {
		row, w := centred.Row(i), math.Sqrt(weight(i))
		for j := range row {
			row[j] = (row[j] - p.Mean[j]) * w
			top = max(top, math.Abs(row[j]))
		}
	}
	for _, v := range p.Mean {
		size = max(size, math.Abs(v))
	}
	if top <= 1e-14*size || top == 0 { // equal rows: the rest is the mean's rounding
		return p, nil
	}
	// A power of two changes no digit, and brings differences of small numbers into range.
	_, e := math.Frexp(top)
	var total float64
	for i := range centred.Rows {
		row := centred.Row(i)
		for j := range row {
			row[j] = math.Ldexp(row[j], -e)
			total += row[j] * row[j]
		}
	}
	svd, err := softkmeans.TruncatedSVD(context.Background(), centred, min(2, x.Rows, x.Cols), nil)
	if err != nil {
		return p, err
	}
	for c, s := range svd.S {
		for j := range x.Cols {
			p.Axes.Set(c, j, svd.V.At(j, c))
		}
		p.Share[c] = min(s*s/total, 1)
	}
	return p, nil
}

// PlaneOf returns the plane of rows that were added up, and whose floors are known.
func PlaneOf(s *softkmeans.Stats, floors []float64) (Plane, error) {
	p := Plane{Mean: s.Mean(), Axes: softkmeans.NewMatrix(2, s.Cols(), nil)}
	subspace, err := s.Subspace(3, nil)
	if err != nil {
		return p, err
	}
	copy(p.Axes.Data, subspace.Basis().Data) // one direction if there is one column
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

// Opacity returns the opacity of each row: the lower its largest membership, the
// paler it is.
func Opacity(g *softkmeans.Matrix) []float64 {
	sure := make([]float64, g.Rows)
	for i := range sure {
		top := 0.0
		for _, v := range g.Row(i) {
			top = max(top, v)
		}
		sure[i] = .25 + .7*top*top
	}
	return sure
}
