package softkmeans

// Scenes: rows scaled to length 1, outliers left out, and Unmix, whose λ comes from the noise of the data
// in place of a slack.

import (
	"context"
	"math"
	"slices"
)

// Unmix fits k spectra (Centers) and their abundances (Memberships) to the pixels of a scene, the rows of x
// (n×d). Call it with nil options. Read Model.Shade, the brightness of each pixel, where rows differ in
// shade, and Warnings, which say whether there are other answers.
//
// It is [FitMinVolume] with NonNegative, InitSPA, VolumeAffine and a Tol of 1e-7. RowsAuto takes RowsUnit
// where it finds shade, and λ comes from the noise unless Slack or Lambda is set. Model.Rows, Shade, Lambda
// and Trimmed say what was chosen.
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
	case o.Slack > 0 || o.Lambda > 0 || vf.trivial() || vf.pc.basis.Rows == 0 ||
		vf.pc.floor <= exactShare*vf.total:
		best, err = solve(vf)
	default:
		if best, several, err = solveNoise(vf); err == nil {
			best, err = vf.inFull(best, func(all *volumeFit, f *Matrix) *runResult {
				return all.after(f, best)
			})
		}
	}
	m, err := sc.finish(best, err)
	if m != nil {
		several.in(m)
	}
	return m, err
}

// unmixTol is Unmix's default of Tol. A dark material has little weight in the loss, and its spectrum moves
// long after the others are at rest.
const unmixTol = 1e-7

// Rows have shade where the first two discarded squared singular values have a ratio above shadeRatio.
const shadeRatio = 4.0 / 3

// shadedRows returns the scaling that RowsAuto stands for.
func shadedRows(raw *volumeFit) (Rows, error) {
	if raw.s.zeros || raw.trivial() {
		return RowsGiven, nil
	}
	squares, err := discarded(raw, 2)
	if err != nil || len(squares) < 2 || squares[0] <= max(shadeRatio*squares[1], exactShare*raw.total) {
		return RowsGiven, err
	}
	return RowsUnit, nil
}

// discarded returns the first squared singular values that the principal plane leaves out, in scaled units;
// as many as asked for, or as there are.
func discarded(vf *volumeFit, count int) ([]float64, error) {
	p := vf.pc.basis.Rows
	pc, err := findPrincipal(vf.s, min(p+count, vf.s.rankBound()), SolverAuto)
	if err != nil {
		return nil, err
	}
	return directionSquares(vf.s, rowsOf(pc.basis, p, pc.basis.Rows))
}

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

// answers are the warning that there are several, and the centers of the others.
type answers struct {
	warning Warning
	others  []Answer // in the data's units, or of unit rows
}

// in adds the answers to a model. Other centers come from leading directions, and get the bounds of its
// own; with RowsUnit their lengths, too.
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
	_, axes := vf.leading() // the plane, which takes most of the noise out of a start of single rows
	flat := NewMatrix(start.Rows, start.Cols, nil)
	for j := range start.Rows {
		for c := range axes.Rows {
			axpy(flat.row(j), dot(start.row(j), axes.row(c)), axes.row(c))
		}
	}
	best, err = followNoise(vf, flat, noiseShare, squares[0])
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

// followNoise runs from a start with λ = share·(noise + E), where E is the energy above the floor, divided
// by k−1, at most mostNoise·noise.
func followNoise(vf *volumeFit, start *Matrix, share, noise float64) (*runResult, error) {
	lambda := share * noise
	var last *runResult // the model where the context ends before another run's first pass
	for range noiseRounds {
		out := vf.runOf(start, lambda, noiseSteps)
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
		start, lambda = out.f, next
		if rest {
			break
		}
	}
	if out := vf.runAt(start, lambda); out != nil {
		last = out
	}
	return last, cancelled(vf.ctx)
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

// scene is a fit whose samples may be others than the data's.
type scene struct {
	raw     *volumeFit // of the rows as given
	fit     *volumeFit // of the rows as they are fitted; raw where they are the same
	trimmed []int
}

// openScene opens a fit of rows that are scaled as o.Rows says, without o.Trim's outliers. choose returns
// the scaling that RowsAuto stands for.
func openScene(
	ctx context.Context, x *Matrix, k int, o *MinVolumeOptions, choose func(raw *volumeFit) (Rows, error),
) (*scene, error) {
	raw, err := openVolumeFit(ctx, x, k, o)
	if err != nil {
		return nil, err
	}
	sc := &scene{raw: raw, fit: raw}
	rows := o.Rows
	if rows == RowsAuto {
		if rows, err = choose(raw); err != nil {
			return nil, err
		}
	}
	if err := sc.scale(o, rows); err != nil || o.Trim == 0 {
		return sc, err
	}
	if sc.trimmed, err = sc.fit.outliers(o.Trim); err != nil || sc.trimmed == nil {
		return sc, err
	}
	less := *o
	less.Weights = slices.Repeat([]float64{1}, x.Rows)
	copy(less.Weights, o.Weights)
	for _, i := range sc.trimmed {
		less.Weights[i] = 0
	}
	if sc.raw, err = openVolumeFit(ctx, x, k, &less); err != nil {
		return nil, err
	}
	sc.fit = sc.raw
	return sc, sc.scale(&less, rows)
}

// scale makes sc.fit the fit of rows scaled as said. Where all rows are 0 they stay as they are.
func (sc *scene) scale(o *MinVolumeOptions, rows Rows) error {
	if rows != RowsUnit || sc.raw.s.zeros {
		return nil
	}
	unit := *o
	unit.Centers, unit.Sum = nil, SumAtMostOne // rows of length 1 are on a sphere, their mixtures in a cone
	var x *Matrix
	x, unit.Weights = unitRows(sc.raw.s)
	if o.Centers != nil {
		unit.Centers = o.Centers.Clone()
		for j := range o.Centers.Rows {
			row := unit.Centers.row(j)
			if top, _ := rowMaxAbs(row); top > 0 { // 1/top may be out of range
				_, exp := math.Frexp(top)
				for c, v := range row {
					row[c] = math.Ldexp(v, -exp)
				}
				scale(row, 1/norm2(row))
			}
		}
	}
	fit, err := openVolumeFit(sc.raw.ctx, x, sc.raw.k, &unit)
	if err == nil {
		sc.fit = fit
	}
	return err
}

// unitRows returns the rows of s at length 1, and their weights times the length that they had. A row of
// weight 0 or of rounding size is 0, with weight 0.
func unitRows(s *samples) (unit *Matrix, weights []float64) {
	unit, weights = NewMatrix(s.n, s.d, nil), make([]float64, s.n)
	var used, all float64 // the largest entries, of rows with a weight and of all
	for i := range s.n {
		top, _ := rowMaxAbs(s.x.row(i))
		if all = max(all, top); s.weight(i) > 0 {
			used = max(used, top)
		}
	}
	_, from := math.Frexp(used)
	_, to := math.Frexp(all)
	// Lengths are in units of the largest of all rows, whatever the weights. Those near the end of the
	// range keep their ratios, and a given λ is of their power of two.
	shift := min(max(s.wexp, -900), 900) + from - to
	for i := range s.n {
		row := unit.row(i)
		copy(row, s.x.row(i))
		scale(row, s.factor())
		length := norm2(row)
		if s.weight(i) == 0 || length < leastScale {
			clear(row)
			continue
		}
		scale(row, 1/length)
		weights[i] = math.Ldexp(s.weight(i)*length, shift)
	}
	return unit, weights
}

// farRow is how many times the median a squared distance is for Trim to leave out its row.
const farRow = 10

// outliers returns up to the share of the rows whose squared distance from the principal plane, or in it
// from the mean, is most above the median: at least farRow times. In the plane each direction counts in
// units of its own spread.
func (vf *volumeFit) outliers(share float64) (list []int, err error) {
	s, p := vf.s, vf.pc.basis.Rows
	if p == 0 || vf.trivial() {
		return nil, nil
	}
	squares, err := directionSquares(s, vf.pc.basis)
	if err != nil {
		return nil, err
	}
	inside, outside := make([]float64, s.n), make([]float64, s.n)
	err = s.eachBlock(s.n, s.d, manyChunks, s.d, func(at block) {
		row := at.scratch[:s.d]
		for i := at.lo; i < at.hi; i++ {
			s.pack(row, i, i+1, false)
			outside[i] = sumSquares(row)
			for c, square := range squares {
				if w := dot(row, vf.pc.basis.row(c)); square > 0 {
					inside[i] += w * w / square
					outside[i] = max(0, outside[i]-w*w)
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	far, least := make([]float64, s.n), [2]float64{medianOf(s, inside), medianOf(s, outside)}
	for i := range far {
		for l, v := range [2]float64{inside[i], outside[i]} {
			if s.weight(i) > 0 && least[l] > 0 {
				far[i] = max(far[i], v/least[l])
			}
		}
	}
	for _, i := range descending(far)[:int(share*float64(s.n))] {
		if far[i] > farRow {
			list = append(list, i)
		}
	}
	slices.Sort(list)
	return list, nil
}

// medianOf returns the median of the values of rows of positive weight, the lower of two.
func medianOf(s *samples, values []float64) float64 {
	var list []float64
	for i, v := range values {
		if s.weight(i) > 0 {
			list = append(list, v)
		}
	}
	slices.Sort(list)
	return list[(len(list)-1)/2]
}

// directionSquares returns Σw(x·u)² over the centred rows for each row u of vt, b×d: in one pass over X.
func directionSquares(s *samples, vt *Matrix) ([]float64, error) {
	y, err := normalProduct(s, vt)
	if err != nil {
		return nil, err
	}
	squares := make([]float64, vt.Rows)
	for c := range squares {
		squares[c] = max(0, dot(y.row(c), vt.row(c)))
	}
	return squares, nil
}

// finish makes the model of the best run. err is as for volumeFit.finish.
func (sc *scene) finish(best *runResult, err error) (*Model, error) {
	best, wrong := sc.fit.inBounds(best)
	if wrong != nil {
		return nil, wrong
	}
	if best == nil || sc.fit == sc.raw {
		m, err := sc.raw.finish(best, err)
		if m != nil {
			m.Trimmed = sc.trimmed
		}
		return m, err
	}
	fit, s, k := sc.fit, sc.raw.s, sc.raw.k
	m := fit.model(best.f, best)
	if err != nil {
		m.Status = StatusCancelled
	}
	m.Sum, m.Rows, m.Trimmed, m.Shade = SumToOne, RowsUnit, sc.trimmed, make([]float64, s.n)
	m.Centers, m.Memberships = sc.centers(best), NewMatrix(s.n, k, nil)
	background := context.Background() // what is left to do is short
	if wrong := coneShares(background, s.workers, m.Memberships, m.Shade, s.x, m.Centers); wrong != nil {
		return nil, wrong
	}
	if wrong := m.rateShaded(s); wrong != nil {
		return nil, wrong
	}
	m.Stationarity = best.stationarity(best.lambda, fit.total)
	var members membershipStats
	members.add(fit.s, fit.z, best.g)
	m.Warnings = findWarnings(best.f, &members, fit.spread(), fit.missed)
	return m, err
}

// rateShaded sets the fields that rate sets, for X ≈ diag(Shade)·G·F. With F times the largest shade, and
// shades divided by it, that is a pair under SumAtMostOne, whose floor is that of the cone.
func (m *Model) rateShaded(of *samples) error {
	s, err := newSamples(context.Background(), of.x, of.weights, of.workers, false)
	if err != nil {
		return err
	}
	pc, err := findPrincipal(s, min(m.Centers.Rows, s.d), SolverAuto)
	if err != nil {
		return err
	}
	most, _ := rowMaxAbs(m.Shade)
	f, g := m.Centers.Clone(), m.Memberships.Clone()
	scale(f.Data, most)
	for i, shade := range m.Shade {
		if most > 0 {
			scale(g.row(i), shade/most)
		}
	}
	objective, err := objectiveOf(s, f, g, SumAtMostOne)
	m.rate(s, objective, pc)
	return err
}

// centers takes the centers of unit rows to the data's units. A row is ‖x‖·Σg times a mixture of them,
// and each center gets the mean of that, weighted by w·‖x‖·g², in which its pure rows count most.
func (sc *scene) centers(best *runResult) *Matrix {
	s, k := sc.raw.s, best.f.Rows
	f := sc.fit.toData(best.f)
	sums, masses := make([]float64, k), make([]float64, k)
	var all, mass float64
	row := make([]float64, s.d)
	for i := range s.n {
		copy(row, s.x.row(i))
		scale(row, s.factor())
		length, w := norm2(row), sc.fit.s.weight(i)
		all += w * length
		mass += w
		length *= sumOf(best.g.row(i))
		for j, g := range best.g.row(i) {
			sums[j] += w * g * g * length
			masses[j] += w * g * g
		}
	}
	for j := range k {
		length := all / mass
		if masses[j] > 0 {
			length = sums[j] / masses[j]
		}
		row := f.row(j)
		for c, v := range row {
			row[c] = min(max(math.Ldexp(v*length, s.exp), -mostCenter), mostCenter)
		}
	}
	return f
}
