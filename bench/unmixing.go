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

// unmixingError is an unmixing beside the truth, with the spectra matched so that mrsa is least. If the true
// spectra are unknown the matching makes abundances least, and mrsa and angle are NaN.
type unmixingError struct {
	mrsa       float64 // mean-removed spectral angle, in percent of π, the mean
	angle      float64 // of the spectra as they are, in degrees, the mean
	abundances float64 // root mean square over pixels and materials
	residual   float64 // ‖X − GF‖/‖X‖
}

// errorOf compares an unmixing with the truth. Abundances are shares: rows that add up to
// less than 1 for shade are divided by their sum. Pixels without true shares do not count.
func (s *scene) errorOf(u *unmixing) unmixingError {
	k := s.k()
	shares := mat.DenseCopyOf(u.g)
	closeRows(shares)
	gain := softkmeans.NewMatrix(k, k, nil)
	for i := range k {
		for j := range k {
			if s.spectra != nil {
				gain.Set(i, j, -scenes.Angle(meanRemoved(s.spectra.RawRowView(i)), meanRemoved(u.f.RawRowView(j))))
				continue
			}
			gain.Set(i, j, mat.Dot(s.abundances.ColView(i), shares.ColView(j)))
		}
	}
	var e unmixingError
	match := metrics.Assignment(gain)
	for i, j := range match {
		if s.spectra == nil {
			e.mrsa, e.angle = math.NaN(), math.NaN()
			break
		}
		e.mrsa -= 100. / 180 * gain.At(i, j) / float64(k)
		e.angle += scenes.Angle(s.spectra.RawRowView(i), u.f.RawRowView(j)) / float64(k)
	}
	known := 0
	for i := range s.x.RawMatrix().Rows {
		row := shares.RawRowView(i)
		if floats.Sum(s.abundances.RawRowView(i)) == 0 {
			continue
		}
		known++
		for l, j := range match {
			off := row[j] - s.abundances.At(i, l)
			e.abundances += off * off
		}
	}
	e.abundances = math.Sqrt(e.abundances / float64(known*k))
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
