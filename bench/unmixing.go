package main

// How far an unmixing is from the truth of its scene.

import (
	"math"
	"math/bits"

	"gonum.org/v1/gonum/mat"

	"softkmeans/internal/scenes"
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
	cost := mat.NewDense(k, k, nil)
	for i := range k {
		for j := range k {
			cost.Set(i, j, scenes.Angle(meanRemoved(s.spectra.RawRowView(i)), meanRemoved(u.f.RawRowView(j))))
		}
	}
	var e unmixingError
	match := bestMatch(cost)
	n, _ := s.x.Dims()
	for i, j := range match {
		e.mrsa += 100. / 180 * cost.At(i, j) / float64(k)
		e.angle += scenes.Angle(s.spectra.RawRowView(i), u.f.RawRowView(j)) / float64(k)
	}
	shares := mat.DenseCopyOf(u.g)
	for i := range n {
		row := shares.RawRowView(i)
		divideBySum(row)
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
	mean := 0.0
	for _, a := range v {
		mean += a / float64(len(v))
	}
	out := make([]float64, len(v))
	for j, a := range v {
		out[j] = a - mean
	}
	return out
}

// mostMatched is the most spectra of a scene. bestMatch takes 2^k·k steps.
const mostMatched = 20

// bestMatch assigns a column of its own to each row so that the costs have the least sum:
// the best way to give the first rows each subset of the columns, from the smaller ones.
func bestMatch(cost *mat.Dense) []int {
	k, _ := cost.Dims()
	least, last := make([]float64, 1<<k), make([]int, 1<<k)
	for set := 1; set < len(least); set++ {
		row := bits.OnesCount(uint(set)) - 1
		least[set] = math.Inf(1)
		for j := range k {
			if set>>j&1 == 0 {
				continue
			}
			if c := least[set&^(1<<j)] + cost.At(row, j); c < least[set] {
				least[set], last[set] = c, j
			}
		}
	}
	match := make([]int, k)
	for row, set := k-1, len(least)-1; row >= 0; row-- {
		match[row] = last[set]
		set &^= 1 << last[set]
	}
	return match
}
