package softkmeans

// Unmix, whose λ comes from the noise of the data in place of a slack.

import (
	"context"
	"math"
)

// Unmix fits k spectra (Centers) and their abundances (Memberships) to the pixels of a scene, the rows of x
// (n×d). Call it with nil options. Read Model.Shade, the brightness of each pixel, where rows differ in
// shade, and Warnings, which say whether there are other answers.
//
// It is [FitMinVolume] with NonNegative, InitSPA, VolumeAffine and a Tol of 1e-7. RowsAuto takes RowsUnit
// where it finds shade, and λ comes from the noise unless Slack or Lambda is set. Model.Rows is
// RowsUnit where it did; Lambda and Trimmed say what else was chosen.
//
// # Details
//
// Rows that differ in brightness alone leave the plane of k materials in one direction. Rows are scaled if
// the first direction that the plane discards has more than 4/3 of the energy of the second. A scene of
// more than k materials shows the same, and unit rows do no harm there.
//
// λ is 1.3·(σ² + E). σ² is the energy of the first discarded direction, and E what the fit leaves above
// the floor, divided by k−1, at most 2σ². λ and centers follow each other until both rest. An exact
// mixture (see [FitMinVolume]), or k > min(n−1, d), takes the slack rule instead.
//
// With RowsUnit, Lambda, Epsilon, Trace, Iterations and Stationarity are those of the unit rows and their
// weights. Everything else is in the data's units: a center has the mean length of its rows. Dark materials
// and shade are hard to tell apart: where a scene has no shade, RowsGiven may be nearer to the truth.
//
// WarnSeveral says that a half or twice of 1.3 leads to other centers. Model.Others has those more than 1 %
// of π away.
//
// Cost: that of FitMinVolume with 30 to 300 iterations, and about twice that for the warning. Errors, ctx:
// as for FitMinVolume.
func Unmix(ctx context.Context, samples Samples, k int, opts *MinVolumeOptions) (*Model, error) {
	x, err := matrixOf(samples, "Unmix")
	if err != nil {
		return nil, err
	}
	o := orZero(opts)
	o.NonNegative = true
	o.Init, o.Volume = orDefault(o.Init, InitSPA), orDefault(o.Volume, VolumeAffine)
	if o.Tol == 0 {
		o.Tol = unmixTol
	}
	sc, err := openScene(ctx, x, k, &o)
	if err != nil {
		return nil, err
	}
	best, m := pureSamples(sc.fit), sc.fit
	var noise noiseRule
	switch {
	case best != nil:
	case o.Slack > 0 || o.Lambda > 0 || m.trivial() || m.pc.basis.Rows == 0 ||
		m.pc.floor <= exactShare*m.pc.total:
		best, err = m.rule().solve(m)
	default:
		best, err = noise.solve(m)
	}
	model, err := sc.finish(best, err)
	if model != nil {
		noise.tell(model)
	}
	return model, err
}

// unmixTol is Unmix's default of Tol. A dark material has little weight in the loss, and its spectrum moves
// long after the others are at rest.
const unmixTol = 1e-7

// The rule for λ. noiseShare is λ in units of the noise. The energy that a direction of the plane leaves
// counts as noise up to mostNoise times the discarded direction's. λ is set anew after noiseSteps
// iterations, at most noiseRounds times, until it changes by less than a share of noiseClose.
//
// The constants were chosen on two real scenes (Moffett Field, k = 3; MUUFL Gulfport, k = 5), one simulated
// with noise of 20 and 30 dB (DC1, k = 5) and nine simulated from their spectra. Factors of 1.2, 1.3 and
// 1.4 give mean spectral angles, in percent of π, of 1.2, 1.1 and 1.1 (Moffett), 11.7, 10.6 and 10.0
// (MUUFL), 5.4, 5.7 and 5.9 (20 dB), 1.5, 1.6 and 1.6 (30 dB). FitMinVolume's defaults give 2.7, 29, 21 and
// 14. Shade measures at most 1.18 on scenes without it, and 1.29 to 4.4 on the others. Trim helps a little
// where outliers are many (MUUFL), and harms where pure pixels are few (DC1).
const (
	noiseShare  = 1.3
	mostNoise   = 2
	noiseSteps  = 50
	noiseRounds = 50
	noiseClose  = 0.002
)

// severalAngle is the least mean angle, in percent of π, of which WarnSeveral tells.
const severalAngle = 1

// noiseRule takes λ from the noise of the data, as [Unmix] says. It keeps the centers at other λ, and the
// warning that they differ.
type noiseRule struct {
	warning Warning
	others  []Answer // in the data's units, or of unit rows
}

// tell adds the other answers to a model. With RowsUnit their centers get the lengths of its own.
func (q *noiseRule) tell(m *Model) {
	if q.warning.Value > severalAngle {
		m.Warnings = append(m.Warnings, q.warning)
	}
	for _, other := range q.others {
		if f := other.Centers; m.Rows == RowsUnit {
			for j := range f.Rows {
				if length := norm2(f.row(j)); length > 0 {
					scale(f.row(j), norm2(m.Centers.row(j))/length)
				}
			}
		}
		m.Others = append(m.Others, other)
	}
}

// solve starts from extreme rows in the principal plane, which takes most of their noise out.
func (q *noiseRule) solve(m *alternation) (*volumeRun, error) {
	squares, err := m.discarded(1)
	if err != nil {
		return nil, err
	}
	from, err := m.startCenters(0)
	if err != nil {
		return nil, err
	}
	_, axes := m.principalRows()
	flat := NewMatrix(m.k, m.z.Cols, nil)
	for j := range m.k {
		for c := range axes.Rows {
			axpy(flat.row(j), dot(from.f.row(j), axes.row(c)), axes.row(c))
		}
	}
	best, err := m.followNoise(runStart{flat, 0}, noiseShare, squares[0])
	if err != nil || best == nil {
		return best, err
	}
	q.look(best, squares[0])
	return best.inFull(best.after)
}

// look finds the centers at a half and twice of the share. A context that ends here costs only these.
func (q *noiseRule) look(best *volumeRun, noise float64) {
	m := *best.m
	m.progress, m.tol = nil, max(m.tol, defaultTol) // a warning needs no more
	at := m.toData(best.f)
	found := noiseRule{warning: Warning{Kind: WarnSeveral}}
	for _, factor := range []float64{0.5, 2} {
		other, err := m.followNoise(runStart{best.f, 0}, factor*noiseShare, noise)
		if err != nil {
			return
		}
		f := m.toData(other.f)
		angle, worst := centersAngle(at, f)
		if angle > found.warning.Value {
			found.warning.Value, found.warning.Cluster = angle, worst
		}
		if angle > severalAngle {
			found.others = append(found.others, Answer{f, factor, angle})
		}
	}
	*q = found
}

// followNoise runs from a start with λ = share·(noise + E), where E is the energy above the floor, divided
// by k−1, at most mostNoise·noise.
func (m *alternation) followNoise(from runStart, share, noise float64) (*volumeRun, error) {
	lambda := share * noise
	var last *volumeRun // the result where the context ends before another run's first pass
	for range noiseRounds {
		out := m.run(from, lambda, noiseSteps, nil)
		if out == nil {
			return last, cancelled(m.s.ctx)
		}
		if out.status == StatusCancelled {
			return out, cancelled(m.s.ctx)
		}
		last = out
		excess := max(0, out.objective-m.pc.floor) / float64(max(1, m.k-1))
		next := share * (noise + min(excess, mostNoise*noise))
		rest := math.Abs(next-lambda) <= noiseClose*lambda && out.status == StatusConverged
		from.f, lambda = out.f, next
		if rest {
			break
		}
	}
	if out := m.run(from, lambda, m.most, nil); out != nil {
		last = out
	}
	return last, cancelled(m.s.ctx)
}

// centersAngle returns the mean angle between the rows of a and b less their own means, in percent of π,
// and the row of the largest.
func centersAngle(a, b *Matrix) (mean float64, worst int) {
	most := -1.0
	for j := range a.Rows {
		u, v := deviations(a.row(j)), deviations(b.row(j))
		angle := 0.0
		if norms := norm2(u) * norm2(v); norms > 0 {
			angle = 100 / math.Pi * math.Acos(min(max(dot(u, v)/norms, -1), 1))
		}
		mean += angle / float64(a.Rows)
		if angle > most {
			most, worst = angle, j
		}
	}
	return mean, worst
}

// deviations returns the entries less their mean, divided by the largest.
func deviations(v []float64) []float64 {
	out := make([]float64, len(v))
	top, _ := rowMaxAbs(v)
	if top == 0 {
		return out
	}
	axpy(out, 1/top, v)
	mean := sumOf(out) / float64(len(v))
	for i := range out {
		out[i] -= mean
	}
	return out
}
