package main

// How far an unmixing is from the truth of its scene.

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"softkmeans"
	"softkmeans/internal/scenes"
	"softkmeans/metrics"
)

// unmixing is what a way makes of a scene.
type unmixing struct {
	f, g *mat.Dense // spectra k×d, abundances n×k
	cpu  float64    // seconds of processor time
	how  string     // the λ that an oracle chose; "" for the others
}

// unmixingError is an unmixing beside the truth, with the spectra matched so that mrsa is
// least.
type unmixingError struct {
	mrsa       float64 // mean-removed spectral angle, in percent of π, the mean
	angle      float64 // of the spectra as they are, in degrees, the mean
	abundances float64 // root mean square over pixels and materials
	residual   float64 // ‖X − GF‖/‖X‖
}

// errorOf compares an unmixing with the truth. Abundances are shares: rows that add up to
// less than 1 for shade are divided by their sum.
func (s *scene) errorOf(u *unmixing) unmixingError {
	k := s.k()
	gain := softkmeans.NewMatrix(k, k, nil)
	for i := range k {
		for j := range k {
			gain.Set(i, j, -scenes.Angle(meanRemoved(s.spectra.RawRowView(i)), meanRemoved(u.f.RawRowView(j))))
		}
	}
	var e unmixingError
	match := metrics.Assignment(gain)
	n, _ := s.x.Dims()
	for i, j := range match {
		e.mrsa -= 100. / 180 * gain.At(i, j) / float64(k)
		e.angle += scenes.Angle(s.spectra.RawRowView(i), u.f.RawRowView(j)) / float64(k)
	}
	shares := mat.DenseCopyOf(u.g)
	for i := range n {
		row := shares.RawRowView(i)
		if sum := floats.Sum(row); sum > 0 {
			floats.Scale(1/sum, row)
		}
		for l, j := range match {
			off := row[j] - s.abundances.At(i, l)
			e.abundances += off * off
		}
	}
	e.abundances = math.Sqrt(e.abundances / float64(n*k))
	var r mat.Dense
	r.Mul(u.g, u.f)
	r.Sub(s.x, &r)
	e.residual = mat.Norm(&r, 2) / mat.Norm(s.x, 2)
	return e
}

// meanRemoved returns a copy of v less its mean.
func meanRemoved(v []float64) []float64 {
	out := slices.Clone(v)
	floats.AddConst(-stat.Mean(v, nil), out)
	return out
}
