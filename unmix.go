package softkmeans

// Unmixing of scenes: minimal volume with the noise of the data in place of a slack.

import (
	"context"
	"math"
)

// Unmix fits k spectra (the centers) and their abundances (the memberships) to the pixels
// of a scene, the rows of x (n×d). It is [FitMinVolume] with a scene's defaults:
//
//   - Centers are at least 0 (NonNegative).
//   - Init is InitSPA, Volume is VolumeAffine and Tol is 1e-7: a dark material has little
//     weight in the loss, and its spectrum moves long after the others are at rest.
//   - RowsAuto measures shade. Rows that differ in brightness alone leave the plane of k
//     materials in one direction. If the first direction that the plane discards has more
//     than 4/3 of the energy of the second, rows are scaled to RowsUnit. The data of a
//     scene with more than k materials shows the same, and unit rows do no harm there.
//   - λ comes from the noise, if neither Slack nor Lambda is set. Let σ² be the energy of
//     the first discarded direction, and E what the fit leaves above the floor, divided by
//     k−1. Then λ = 1.3·(σ² + E), with E at most 2σ²: the energy that is left in a direction
//     of the plane is noise, too. λ and centers follow each other until both rest.
//
// Model.Rows, Shade, Lambda and Trimmed say what was chosen. A fit of mixtures that are
// exact (see [FitMinVolume]), or of k > min(n−1, d), takes that function's slack rule.
//
// With RowsUnit, Lambda, Epsilon, Trace, Iterations and Stationarity are those of the unit
// rows, with the weights that RowsUnit tells of. Everything else is in the data's own
// units: a center has the mean length of its rows, memberships are those of
// [Model.Predict], and Model.Shade is the brightness. Dark materials and shade are hard to
// tell apart: where a scene has no shade, memberships of RowsGiven for the same centers may
// be nearer to the truth.
//
// A [Warning] of WarnSeveral says that a half or twice of 1.3 leads to other centers. Those
// that are more than 1 % of π away are in Model.Others.
//
// The constants were chosen on two real scenes (Moffett Field, k = 3; MUUFL Gulfport,
// k = 5), one simulated with noise of 20 and 30 dB (DC1, k = 5) and nine simulated from
// their spectra. Factors of 1.2, 1.3 and 1.4 give mean spectral angles, in percent of π, of
// 1.2, 1.1 and 1.1 (Moffett), 11.7, 10.6 and 10.0 (MUUFL), 5.4, 5.7 and 5.9 (20 dB), 1.5, 1.6
// and 1.6 (30 dB). The defaults of FitMinVolume give 2.7, 29, 21 and 14. With 0.65 and 2.6
// the answers move by 1.5 to 12, and with half
// of the rows by up to 0.4, 0.9, 5.1 and 1.4. The measure of shade is at most 1.18 on scenes without
// shade, and 1.29 to 4.4 on the others. Trim lowers the angle a little where outliers are
// many (MUUFL), and harms scenes whose pure pixels are few (DC1).
//
// Cost: that of FitMinVolume, with some 30 to 300 iterations, and about twice that for the
// warning, in leading directions. Errors, ctx: as for FitMinVolume.
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
	sc, err := openScene(ctx, x, k, &o, shadedRows)
	if err != nil {
		return nil, err
	}
	vf := sc.fit
	vf.setEpsilon()
	best := pureSamples(vf)
	var several answers
	switch {
	case best != nil:
	case o.Slack > 0 || o.Lambda > 0 || vf.trivial() || vf.pc.basis.Rows == 0 || vf.pc.floor <= exactShare*vf.total:
		best, err = solve(vf)
	default:
		if best, several, err = solveNoise(vf); err == nil {
			best, err = vf.inFull(best, func(all *volumeFit, f *Matrix) *runResult { return all.after(f, best) })
		}
	}
	m, err := sc.finish(best, err)
	if m != nil {
		several.in(m)
	}
	return m, err
}

// unmixTol is Unmix's default of Tol. A dark material has little weight in the loss, and its
// spectrum moves long after the others are at rest.
const unmixTol = 1e-7

// shadeRatio is the ratio of the first two discarded squared singular values above which
// rows have shade.
const shadeRatio = 4.0 / 3

// shadedRows is RowsAuto.
func shadedRows(raw *volumeFit) (Rows, error) {
	if raw.s.zeros || raw.trivial() {
		return RowsGiven, nil
	}
	squares, err := discarded(raw, 2)
	if err != nil || len(squares) < 2 || squares[0] <= shadeRatio*squares[1] || squares[0] <= exactShare*raw.total {
		return RowsGiven, err
	}
	return RowsUnit, nil
}

// discarded returns the first squared singular values that the principal plane leaves out,
// in scaled units; as many as asked for, or as there are.
func discarded(vf *volumeFit, count int) ([]float64, error) {
	p := vf.pc.basis.Rows
	pc, err := findPrincipal(vf.s, min(p+count, vf.s.rankBound()), SolverAuto)
	if err != nil {
		return nil, err
	}
	return directionSquares(vf.s, rowsOf(pc.basis, p, pc.basis.Rows))
}

// The rule for λ. noiseShare is λ in units of the noise. The energy that a direction of the
// plane leaves counts as noise up to mostNoise times the discarded direction's. λ is set
// anew after noiseSteps iterations, at most noiseRounds times, until it changes by less than
// a share of noiseClose.
const (
	noiseShare  = 1.3
	mostNoise   = 2
	noiseSteps  = 50
	noiseRounds = 50
	noiseClose  = 0.002
)

// answers are the warning that there are several, and the centers of the others.
type answers struct {
	warning Warning
	others  []Answer // in the data's units, or of unit rows
}

// in adds the answers to a model. Other centers come from leading directions, and get the
// bounds of its own; with RowsUnit their lengths, too.
func (a *answers) in(m *Model) {
	if a.warning.Value > severalAngle {
		m.Warnings = append(m.Warnings, a.warning)
	}
	for _, other := range a.others {
		for i, v := range other.Centers.Data {
			other.Centers.Data[i] = max(v, 0)
		}
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

// solveNoise returns the run for the noise of the data, and other answers.
func solveNoise(vf *volumeFit) (best *runResult, several answers, err error) {
	squares, err := discarded(vf, 1)
	if err != nil {
		return nil, several, err
	}
	start, err := vf.startCenters(0)
	if err != nil {
		return nil, several, err
	}
	best, err = followNoise(vf, onPlane(vf, start), noiseShare, squares[0])
	if err != nil || best == nil {
		return best, several, err
	}
	set := vf.o
	defer func() { vf.o = set }()
	vf.o.Progress, vf.o.Tol = nil, max(set.Tol, defaultTol) // a warning needs no more
	at := vf.toData(best.f)
	several.warning.Kind = WarnSeveral
	for _, factor := range []float64{0.5, 2} {
		other, err := followNoise(vf, best.f, factor*noiseShare, squares[0])
		if err != nil {
			return best, answers{}, nil // the model is complete without this
		}
		f := vf.toData(other.f)
		angle, worst := centersAngle(at, f)
		if angle > several.warning.Value {
			several.warning.Value, several.warning.Cluster = angle, worst
		}
		if angle > severalAngle {
			several.others = append(several.others, Answer{f, factor, angle})
		}
	}
	return best, several, nil
}

// onPlane projects centers on the principal plane, which takes most of the noise out of a
// start of single rows.
func onPlane(vf *volumeFit, f *Matrix) *Matrix {
	_, axes := vf.leading()
	out := NewMatrix(f.Rows, f.Cols, nil)
	for j := range f.Rows {
		for c := range axes.Rows {
			axpy(out.row(j), dot(f.row(j), axes.row(c)), axes.row(c))
		}
	}
	return out
}

// followNoise runs from a start with λ = share·(noise + E), where E is the energy above the
// floor, divided by k−1, at most mostNoise·noise.
func followNoise(vf *volumeFit, start *Matrix, share, noise float64) (*runResult, error) {
	lambda := share * noise
	from := start
	var last *runResult // the model where the context ends before another run's first pass
	for range noiseRounds {
		out := vf.runOf(from, lambda, noiseSteps)
		if out == nil {
			return last, cancelled(vf.ctx)
		}
		if out.status == StatusCancelled {
			return out, cancelled(vf.ctx)
		}
		last = out
		excess := max(0, out.objective-vf.pc.floor) / float64(max(1, vf.k-1))
		next := share * (noise + min(excess, mostNoise*noise))
		rest := math.Abs(next-lambda) <= noiseClose*lambda && out.status == StatusConverged
		from, lambda = out.f, next
		if rest {
			break
		}
	}
	if out := vf.runAt(from, lambda); out != nil {
		last = out
	}
	return last, cancelled(vf.ctx)
}

// severalAngle is the least mean angle, in percent of π, of which WarnSeveral tells.
const severalAngle = 1

// centersAngle returns the mean angle between the rows of a and b less their own means, in
// percent of π, and the row of the largest.
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
