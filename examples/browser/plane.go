package main

// The picture plane: the two directions in which the data spreads most.

import (
	"context"
	"math"

	"softkmeans"
)

// plane maps a point to its coordinates along two principal directions.
type plane struct {
	mean  []float64
	axes  *softkmeans.Matrix // 2×d; a second row of zeros where there is one direction only
	share [2]float64         // of the total variance that lies along each
}

func newPlane(x *softkmeans.Matrix) (plane, error) {
	p := plane{mean: make([]float64, x.Cols), axes: softkmeans.NewMatrix(2, x.Cols, nil)}
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			p.mean[j] += v / float64(x.Rows)
		}
	}
	// Halves, for the distance of two numbers can be out of range.
	centred := x.Clone()
	var top float64
	for i := range x.Rows {
		row := centred.Row(i)
		for j := range row {
			row[j] = row[j]/2 - p.mean[j]/2
			top = max(top, math.Abs(row[j]))
		}
	}
	var size float64
	for _, v := range p.mean {
		size = max(size, math.Abs(v))
	}
	if top <= 1e-14*size { // equal rows, but for the mean's rounding
		return p, nil
	}
	svd, err := softkmeans.TruncatedSVD(context.Background(), centred, min(2, x.Rows, x.Cols), nil)
	if err != nil {
		return p, err
	}
	var total float64 // and so can squares
	for i := range x.Rows {
		for _, v := range centred.Row(i) {
			total += (v / top) * (v / top)
		}
	}
	for c, s := range svd.S {
		for j := range x.Cols {
			p.axes.Set(c, j, svd.V.At(j, c))
		}
		p.share[c] = min((s/top)*(s/top)/total, 1)
	}
	return p, nil
}

// at are the coordinates of a point.
func (p *plane) at(v []float64) (x, y float64) {
	for j := range v {
		c := v[j] - p.mean[j]
		x += c * p.axes.At(0, j)
		y += c * p.axes.At(1, j)
	}
	return x, y
}
