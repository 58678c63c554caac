package softkmeans

// Unmix: λ by the noise of a scene in place of a slack, and spectra by the purest pixels.

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// Unmix fits k spectra (Centers) and their abundances (Memberships) to the pixels of a scene, the rows of x
// (n×d). Call it with nil options. Read Model.Shade, the brightness of each pixel, where rows differ in
// shade, and Model.Turns, by how much each spectrum may be off.
//
// It is [FitMinVolume] with NonNegative, InitSPA, VolumeAffine and a Tol of 1e-7. RowsAuto takes RowsUnit
// where it finds shade. Unless Slack or Lambda is set, columns count by their noise and rows by how
// well they fit, λ comes from the noise, and spectra are taken from the purest pixels. Model.Rows is
// RowsUnit where rows were scaled; Noise, RowWeights, Lambda and Trimmed say what else was chosen.
//
// # Details
//
// Noise: a column's is its deviation from what all others say of it, by least squares, relative to the
// median. A row's RowWeight is 1/(1 + r²/10) for a squared distance r² from the leading k+1 directions in
// units of the median, and counts squared: k directions about the mean for rows as given. It is 0 for a row
// whose shares of the directions' energies add up to more than a tenth, or 10(k+1)/n for few rows.
// Noise and weights follow each other until they rest. Trimmed has the rows below 0.1, which are left out.
// Less than 2d rows, or 2(k+1) columns, say too little of the noise, and all count alike. What a given weight
// has beyond 8 times the median one does not count for the noise.
//
// Shade: rows that differ in brightness alone leave the plane of k materials in one direction. Rows are
// scaled if the first direction that the plane discards has more than 4/3 of the energy of the second. A
// scene of more than k materials shows the same, and unit rows do no harm there.
//
// λ is 1.3·(σ² + E). σ² is the energy of the first discarded direction, and E what the fit leaves above
// the floor, divided by k−1, at most three times the energy of the second. λ and vertices follow each other
// until both rest.
//
// Spectra: the mean of the pixels, weighted by the eighth power of the share, lies inside of the vertex.
// The spectrum is between the two: at the vertex where that stays as λ is halved, doubled or doubled
// twice, half way where it moves by a third of its distance from the mean. The model's centers are therefore
// not a minimum of the loss, whose Trace ends at the vertices.
//
// An exact mixture (see [FitMinVolume]), k = 1 under SumToOne, or k > min(n−1, d) take the slack rule, and
// the model has no Noise, RowWeights, PureRows and Turns. If ctx ends early there are no Turns.
//
// With RowsUnit, Lambda, Epsilon, Trace, Iterations and Stationarity are those of the unit rows and their
// weights, with Noise those of the divided columns. Everything else is in the data's units: a center
// has the mean length of its rows. Dark materials and shade are hard to tell apart: where a scene has no
// shade, RowsGiven may be nearer to the truth.
//
// WarnSeveral says that a half or twice of λ leads to other spectra. Model.Others has those more than 1 %
// of π away. Turns is 1 plus three times the larger of a center's two turns. On 22 scenes 91 % of the spectra
// turned by less when half of the rows were left out.
//
// Cost: that of FitMinVolume with 30 to 300 iterations, about three times that for the other λ, and up to
// eight times O(md² + d³ + nkd) for the noise, m = min(n, 8192). Errors, ctx: as for FitMinVolume. Once
// ctx has ended, the best model of unit rows takes some ten more passes, .2 s for a million numbers.
func Unmix(ctx context.Context, samples Samples, k int, opts *MinVolumeOptions) (*Model, error) {
	x, err := matrixOf(samples, "Unmix")
	if err != nil {
		return nil, err
	}
	o := orZero(opts)
	o.NonNegative = true
	o.Init, o.Volume = cmp.Or(o.Init, InitSPA), cmp.Or(o.Volume, VolumeAffine)
	if o.Tol == 0 {
		o.Tol = unmixTol
	}
	given, err := openMinVolume(ctx, x, k, &o, true)
	if err != nil {
		return nil, err
	}
	if o.Slack == 0 && o.Lambda == 0 && !given.trivial() && given.pc.basis.Rows > 0 &&
		given.pc.floor > exactShare*given.pc.total {
		return unmixByNoise(given, &o)
	}
	return given.fitScene(x, &o)
}

// unmixTol is Unmix's default of Tol. A dark material has little weight in the loss, and its spectrum moves
// long after the others are at rest.
const unmixTol = 1e-7

// unmixByNoise is Unmix where the noise decides, of rows as given.
func unmixByNoise(given *alternation, o *MinVolumeOptions) (*Model, error) {
	sc, err := given.openNoisy(o)
	if err != nil {
		return nil, err
	}
	var q noiseRule
	best, err := q.solve(sc.fit)
	if err != nil {
		q.others = nil // they take time
	}
	best, wrong := best.inBounds()
	if best == nil || wrong != nil {
		return nil, cmp.Or(wrong, err)
	}
	seen := sc.sight(best)
	believed := sc.beliefs(seen, &q)
	m, err := sc.model(best, sc.spectra(seen, believed), err)
	if m == nil {
		return nil, err
	}
	m.Noise, m.RowWeights, m.PureRows = sc.noise.columns, sc.noise.rows, seen.rows
	sc.look(m, &q, believed)
	return m, err
}

// openNoisy opens the scene of rows whose columns are divided by their noise. Noise and weights of unit rows
// tell whether there is shade; without it those of the rows as given count.
func (given *alternation) openNoisy(o *MinVolumeOptions) (sc *scene, err error) {
	for _, rows := range []Rows{RowsUnit, RowsGiven} {
		if o.Rows != RowsAuto && o.Rows != rows {
			continue
		}
		by, err := findNoise(given.s, given.k, rows == RowsUnit, o.Seed)
		if err != nil {
			return nil, err
		}
		divided := *o
		x := by.divide(given.s, &divided)
		if rows == RowsGiven {
			divided.Rows = RowsGiven
		}
		raw, err := openMinVolume(given.s.ctx, x, given.k, &divided, true)
		if err != nil {
			return nil, err
		}
		if sc, err = raw.openScene(x, &divided); err != nil {
			return nil, err
		}
		if sc.noise = by; sc.fit != sc.raw {
			break
		}
	}
	sc.data = given
	for i, v := range sc.noise.rows {
		if v < leastRow && given.s.weight(i) > 0 {
			sc.trimmed = append(sc.trimmed, i)
		}
	}
	slices.Sort(sc.trimmed)
	if sc.trimmed = slices.Compact(sc.trimmed); len(sc.trimmed) > 0 {
		less := *o
		less.Weights = withoutRows(o.Weights, given.s.n, sc.trimmed)
		sc.data, err = openMinVolume(given.s.ctx, given.s.x, given.k, &less, true)
	}
	return sc, err
}

// The rule for λ. noiseShare is λ in units of the noise. The energy that a direction of the plane leaves
// counts as noise up to mostNoise times that of the second discarded direction: the first may be a material
// that varies, which σ² then holds already. λ is set anew after noiseSteps iterations, at most noiseRounds
// times, until it changes by less than a share of noiseClose and the run has converged.
//
// docs/accuracy.md has the scenes on which the constants were chosen.
const (
	noiseShare  = 1.3
	mostNoise   = 3
	noiseSteps  = 50
	noiseRounds = 50
	noiseClose  = 0.002
)

// noiseRule takes λ from the noise of the data, as [Unmix] says. It keeps where the fit began to end in all
// columns, and the runs at otherFactors of that λ.
type noiseRule struct {
	best   *volumeRun
	others []*volumeRun
}

// otherFactors are the factors of λ that tell how sure an answer is. The first two make Model.Others.
var otherFactors = []float64{0.5, 2, 4}

// solve starts from extreme rows, or what Init or Centers say, in the principal plane, which takes most of
// the noise out.
func (q *noiseRule) solve(m *alternation) (*volumeRun, error) {
	squares, err := m.discarded(2)
	if err != nil {
		return nil, err
	}
	if len(squares) == 0 { // unit rows have no direction left
		return m.rule().solve(m)
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
	best, err := m.followNoise(runStart{flat, 0}, squares)
	if err != nil || best == nil {
		return best, err
	}
	q.tryOthers(best)
	return best.inFull(best.after)
}

// tryOthers makes the runs at other λ. If the context ends here there are none.
func (q *noiseRule) tryOthers(best *volumeRun) {
	m := *best.m
	m.progress, m.tol = nil, max(m.tol, defaultTol) // how far centers move needs no more
	var others []*volumeRun
	for i, factor := range otherFactors {
		from := best.f
		if i == 2 {
			from = others[1].f
		}
		other := m.run(runStart{from, 0}, factor*best.lambda, m.most, nil)
		if other == nil || other.status == StatusCancelled {
			return
		}
		others = append(others, other)
	}
	q.best, q.others = best, others
}

// followNoise runs from a start with λ = noiseShare·(σ² + E), for the discarded squares σ² and those of the
// next direction, which bound E: the energy above the floor, divided by k−1.
func (m *alternation) followNoise(from runStart, squares []float64) (*volumeRun, error) {
	lambda := noiseShare * squares[0]
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
		next := noiseShare * (squares[0] + min(excess, mostNoise*squares[len(squares)-1]))
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

// A vertex that is a from the mean of the purest pixels, and moves by d at other λ, is believed to
// a²/(a² + doubt·d²). A move of at most restTurn, in percent of π, may be rounding.
const (
	doubt    = 9
	restTurn = 1e-5
)

// vertices returns the centers of a run, in the data's units.
func (sc *scene) vertices(run *volumeRun) *Matrix {
	f := run.m.toData(run.f)
	for j := range f.Rows {
		sc.asSpectrum(f.row(j))
	}
	return f
}

// asSpectrum takes a center of the fitted rows to the data's columns and bounds: of length 1 for unit rows.
func (sc *scene) asSpectrum(row []float64) {
	for c, v := range sc.noise.columns {
		row[c] *= v / sc.noise.unit
	}
	for c, v := range row {
		row[c] = min(max(v, sc.data.low[c]), sc.data.high[c])
	}
	if length := norm2(row); sc.fit != sc.raw && length > 0 {
		scale(row, 1/length)
	}
}

// sighting is what a run says of the spectra, in the data's units: of length 1 for unit rows.
type sighting struct {
	vertices, purest *Matrix
	rows             []float64 // on how many pure rows each of purest rests
}

// sight finds the means of the rows, weighted by the purity of their shares of each center. What a mean has
// outside of the principal plane shrinks by the noise of that many rows: the positive part of James and
// Stein's estimate. A center without rows has its vertex.
func (sc *scene) sight(run *volumeRun) *sighting {
	s, k, d := sc.fit.s.under(context.Background()), run.f.Rows, sc.fit.s.d
	seen := &sighting{vertices: sc.vertices(run), rows: make([]float64, k)}
	most := max(1, min(reduceChunks, s.n/(4*k))) // the sums take a quarter of X at most
	parts := make([]*Matrix, chunks(s.n, d, most))
	for t := range parts {
		parts[t] = NewMatrix(k, d+3, nil) // sums of rows, their weights, energy outside of the plane, purity
	}
	_ = s.eachBlock(s.n, d, most, 2*d, func(at block) { // no error but that of a context
		part, inside := parts[at.chunk], at.scratch[:d]
		for i := at.lo; i < at.hi; i++ {
			w, shares := s.weight(i), run.g.row(i)
			sum := sumOf(shares)
			if w == 0 || sum == 0 {
				continue
			}
			row := at.scratch[d : 2*d]
			s.pack(row, i, i+1, false)
			sc.split(row, inside)
			squares := sumSquares(row)
			axpy(row, 1, inside)
			for j, g := range shares {
				p := purity(g / sum)
				out := part.row(j)
				axpy(out[:d], w*p, row)
				out[d] += w * p
				out[d+1] += w * p * w * p * squares
				out[d+2] += p
			}
		}
	})
	f, sums, inside := seen.vertices.Clone(), sumParts(parts), make([]float64, d)
	for j := range k {
		mean, last := sums.row(j)[:d], sums.row(j)[d:]
		if seen.rows[j] = last[2]; last[0] < 0x1p-1022 {
			continue
		}
		scale(mean, 1/last[0])
		sc.split(mean, inside)
		if all := last[0] * last[0] * sumSquares(mean); all > 0 {
			scale(mean, max(0, 1-last[1]/all))
		}
		axpy(mean, 1, inside)
		axpy(mean, 1, s.mean)
		for c, v := range mean {
			f.row(j)[c] = math.Ldexp(v, s.exp)
		}
		sc.asSpectrum(f.row(j))
	}
	seen.purest = f
	return seen
}

// split takes what a fitted row has in the principal plane out of it, to inside.
func (sc *scene) split(row, inside []float64) {
	clear(inside)
	for c := range sc.fit.pc.basis.Rows {
		axis := sc.fit.pc.basis.row(c)
		axpy(inside, dot(row, axis), axis)
	}
	axpy(row, -1, inside)
}

// purity returns what a share counts in the mean of the purest rows: its eighth power.
func purity(share float64) float64 {
	square := share * share
	return square * square * square * square
}

// beliefs returns to which share each vertex is believed: 1 where it is not known how far it moves.
func (sc *scene) beliefs(seen *sighting, q *noiseRule) []float64 {
	k := len(seen.rows)
	believed, moves := slices.Repeat([]float64{1}, k), make([]float64, k)
	if q.others == nil {
		return believed
	}
	from := sc.vertices(q.best)
	for _, other := range q.others {
		to := sc.vertices(other)
		for j := range moves {
			moves[j] = max(moves[j], spectralAngle(from.row(j), to.row(j)))
		}
	}
	for j, move := range moves {
		away := spectralAngle(seen.vertices.row(j), seen.purest.row(j))
		if move > restTurn {
			believed[j] = away * away / (away*away + doubt*move*move)
		}
	}
	return believed
}

// spectra returns centers between the vertices and the purest rows. Rows as given keep their bounds, and the
// sum of closed rows.
func (sc *scene) spectra(seen *sighting, believed []float64) *Matrix {
	f, s := seen.purest.Clone(), sc.data.s
	for j, t := range believed {
		scale(f.row(j), 1-t)
		axpy(f.row(j), t, seen.vertices.row(j))
	}
	if sc.fit != sc.raw {
		return f
	}
	for b, j := sc.data.detached().newBox(), 0; j < f.Rows; j++ {
		row := f.row(j)
		for c, v := range row {
			row[c] = math.Ldexp(v, -s.exp) - s.mean[c]
		}
		b.project(row)
		for c, v := range row { // rounding may leave the bounds
			row[c] = min(max(math.Ldexp(v+s.mean[c], s.exp), sc.data.low[c]), sc.data.high[c])
		}
	}
	return f
}

// look tells a model how far its spectra turn at half and twice of λ, and of those that turn far.
func (sc *scene) look(m *Model, q *noiseRule, believed []float64) {
	if q.others == nil {
		return
	}
	m.Turns = make([]float64, len(believed))
	worst := Warning{Kind: WarnSeveral}
	for i, other := range q.others[:2] {
		f := sc.spectra(sc.sight(other), believed)
		mean := 0.0
		for j := range m.Turns {
			angle := spectralAngle(m.Centers.row(j), f.row(j))
			m.Turns[j] = max(m.Turns[j], angle)
			mean += angle / float64(len(believed))
		}
		if mean > worst.Value {
			worst.Value = mean
		}
		if mean > severalAngle {
			if sc.fit != sc.raw {
				sc.lengthen(f)
			}
			m.Others = append(m.Others, Answer{f, otherFactors[i], mean})
		}
	}
	worst.Cluster = argmax(m.Turns)
	for j := range m.Turns {
		m.Turns[j] = min(leastTurn+turnFactor*m.Turns[j], 100)
	}
	if worst.Value > severalAngle {
		m.Warnings = append(m.Warnings, worst)
	}
}

// A spectrum stays within leastTurn + turnFactor times its larger move at half and twice of λ. On 22 scenes
// 91 % of the spectra did where half of the rows were left out, 98 % with a fifth left out.
const (
	leastTurn  = 1
	turnFactor = 3
)

// severalAngle is the least mean angle, in percent of π, of which WarnSeveral tells.
const severalAngle = 1

// spectralAngle returns the angle between two rows less their own means, in percent of π: 50 where one is
// constant.
func spectralAngle(a, b []float64) float64 {
	u, v := deviations(a), deviations(b)
	norms := norm2(u) * norm2(v)
	if norms == 0 { // a right angle, unless both are constant
		return 50 * min(1, norm2(u)+norm2(v))
	}
	return 100 / math.Pi * math.Acos(min(max(dot(u, v)/norms, -1), 1))
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
