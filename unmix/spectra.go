package unmix

// Spectra between the vertices of the fit and the purest rows, and how far they move at other λ.

import (
	"math"
	"slices"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/la"
)

// Let a be the angle between a vertex and the mean of the purest rows, and d the angle by which the vertex
// moves at other λ. The weight of the vertex in its spectrum is a²/(a² + doubt·d²); the mean of the purest
// rows has the remaining weight. A move of at most restTurn, in percent of π, may be rounding.
const (
	doubt    = 9
	restTurn = 1e-5
)

// Turns is leastTurn + turnFactor times the largest move of a spectrum at the otherFactors of λ. Both were
// chosen on the scenes of internal/scenes with even seeds from 200 to 240, so that more than nine of ten true
// spectra are within Turns, also without pure pixels. docs/accuracy.md reports the fractions. The move at 4λ
// shows spectra that λ/2 and 2λ leave in the same wrong place. WarnSeveral reports a mean angle of more than
// severalAngle percent of π at λ/2 or 2λ.
const (
	leastTurn    = 2
	turnFactor   = 4
	severalAngle = 1
)

// toData converts row, a center in the view's columns, to the data's columns, and moves it into the bounds.
// If rows were scaled to length 1, it scales row to length 1.
func (s *scene) toData(row []float64) {
	for c, v := range s.columns {
		row[c] *= v
	}
	s.data.clamp(row)
	if s.Scaling == ScaleUnit {
		normalize(row)
	}
}

// clamp moves the entries of a center, row, into the bounds, and to 0 or above.
func (o *Options) clamp(row []float64) {
	for c := range row {
		if n := len(o.Upper); n > 0 {
			row[c] = min(row[c], o.Upper[min(c, n-1)])
		}
		if row[c] = max(row[c], 0); len(o.Lower) > 0 {
			row[c] = max(row[c], o.Lower[min(c, len(o.Lower)-1)])
		}
	}
}

// vertices returns the centers of a run in the data's columns.
func (s *scene) vertices(r *run) *softkmeans.Matrix {
	f := r.f.Clone()
	for j := range f.Rows {
		s.toData(f.Row(j))
	}
	return f
}

// sighting contains a run's estimates of the spectra, in the data's columns: the vertices, the means of the
// purest rows, and the numbers of these rows.
type sighting struct {
	vertices, purest *softkmeans.Matrix
	rows             []float64 // the number of pure rows behind each of purest
}

// sight computes, for each center, the mean of the rows weighted by the eighth power of their memberships.
// The part of a mean that is outside of the plane is multiplied by the factor of the positive-part
// James–Stein estimator for the noise of so many rows. For a center without rows the result is its vertex.
func (s *scene) sight(r *run) *sighting {
	seen := &sighting{vertices: s.vertices(r), rows: make([]float64, s.k)}
	seen.purest = seen.vertices.Clone()
	sums := softkmeans.NewMatrix(s.k, s.x.Cols, nil)
	masses, energies := make([]float64, s.k), make([]float64, s.k)
	for i := range s.x.Rows {
		w, shares := draws.Weight(s.Weights, i), r.m.Memberships.Row(i)
		sum := la.Sum(shares)
		if w == 0 || sum == 0 {
			continue
		}
		for j, g := range shares {
			p := math.Pow(g/sum, 8)
			if p == 0 {
				continue
			}
			seen.rows[j] += p
			p *= w
			masses[j] += p
			energies[j] += p * p * s.beyond[i]
			la.Axpy(sums.Row(j), p, s.x.Row(i))
		}
	}
	for j := range s.k {
		if masses[j] < 0x1p-1022 {
			continue
		}
		mean, inside := sums.Row(j), slices.Clone(s.Mean)
		la.Scale(1/masses[j], mean)
		for a := range s.directions {
			axis := s.Basis.Row(a)
			la.Axpy(inside, la.Dot(mean, axis)-la.Dot(s.Mean, axis), axis)
		}
		la.Axpy(mean, -1, inside)
		if all := masses[j] * masses[j] * la.SumSquares(mean); all > 0 {
			la.Axpy(inside, max(0, 1-energies[j]/all), mean)
		}
		s.toData(inside)
		copy(seen.purest.Row(j), inside)
	}
	return seen
}

// beliefs returns the weight of each vertex in its spectrum: 1 if the vertex does not move at other λ, or if
// that is not known.
func (s *scene) beliefs(seen *sighting, best *run, others []*run) []float64 {
	believed, moves := slices.Repeat([]float64{1}, s.k), make([]float64, s.k)
	from := s.vertices(best)
	for _, other := range others {
		to := s.vertices(other)
		for j := range moves {
			moves[j] = max(moves[j], angle(from.Row(j), to.Row(j)))
		}
	}
	for j, move := range moves {
		if away := angle(seen.vertices.Row(j), seen.purest.Row(j)); move > restTurn {
			believed[j] = away * away / (away*away + doubt*move*move)
		}
	}
	return believed
}

// spectra returns centers between the vertices and the purest rows.
func (s *scene) spectra(seen *sighting, believed []float64) *softkmeans.Matrix {
	f := seen.purest.Clone()
	for j, t := range believed {
		row, vertex := f.Row(j), seen.vertices.Row(j)
		for c, v := range row {
			row[c] = (1-t)*v + t*vertex[c]
		}
		s.data.clamp(row)
	}
	return f
}

// look sets r.Turns by the angles at which the spectra move at other λ. If the mean angle at λ/2 or 2λ
// exceeds severalAngle, it adds the spectra there to r.Others, and a WarnSeveral.
func (s *scene) look(r *Result, others []*run, believed []float64) error {
	if others == nil {
		return nil
	}
	r.Turns = make([]float64, s.k)
	worst, cluster, most := 0.0, 0, 0.0
	for i, other := range others {
		f, mean := s.spectra(s.sight(other), believed), 0.0
		for j := range r.Turns {
			move := angle(r.Centers.Row(j), f.Row(j))
			r.Turns[j] = max(r.Turns[j], move)
			mean += move / float64(s.k)
			if i < severalRuns && move > most {
				most, cluster = move, j
			}
		}
		if i >= severalRuns {
			continue
		}
		if worst = max(worst, mean); mean > severalAngle {
			if s.Scaling == ScaleUnit {
				if _, _, err := lengthen(f, s.data.x, s.Weights); err != nil {
					return err
				}
			}
			r.Others = append(r.Others, softkmeans.Answer{Centers: f, Factor: otherFactors[i], Moved: mean})
		}
	}
	for j, v := range r.Turns {
		r.Turns[j] = min(leastTurn+turnFactor*v, 100)
	}
	if worst > severalAngle {
		r.Warnings = append(r.Warnings,
			softkmeans.Warning{Kind: softkmeans.WarnSeveral, Cluster: cluster, Value: worst})
	}
	return nil
}

// angle returns the angle between two rows less their own means, in percent of π: 50 if one is constant.
func angle(a, b []float64) float64 {
	u, v := deviations(a), deviations(b)
	lu, lv := la.Norm(u), la.Norm(v)
	if lu*lv == 0 { // a right angle, unless both are constant
		return 50 * min(1, lu+lv)
	}
	return 100 / math.Pi * math.Acos(min(max(la.Dot(u, v)/(lu*lv), -1), 1))
}

// deviations returns the entries less their mean, divided by the largest.
func deviations(v []float64) []float64 {
	out := slices.Clone(v)
	if most := la.Largest(v); most > 0 {
		for c := range out {
			out[c] /= most
		}
	}
	mean := la.Sum(out) / float64(len(out))
	for c := range out {
		out[c] -= mean
	}
	return out
}
