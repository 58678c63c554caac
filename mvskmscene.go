package softkmeans

// Scenes: rows that differ in shade are scaled to length 1, outliers are left out, and the noise of columns
// and rows is found.

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// Rows have shade where the first two discarded squared singular values have a ratio above shadeRatio.
const shadeRatio = 4.0 / 3

// shadedRows returns the scaling that RowsAuto stands for.
func shadedRows(raw *alternation) (Rows, error) {
	if raw.s.zeros || raw.trivial() || raw.o.inUnits() {
		return RowsGiven, nil
	}
	squares, err := raw.discarded(2)
	if err != nil || len(squares) < 2 || squares[0] <= max(shadeRatio*squares[1], exactShare*raw.pc.total) {
		return RowsGiven, err
	}
	return RowsUnit, nil
}

// discarded returns the first squared singular values that the principal plane leaves out, in scaled units;
// as many as asked for, or as there are.
func (p *minVolume) discarded(count int) ([]float64, error) {
	s, b := p.data, p.pc.basis.Rows
	pc, err := findPrincipal(s, min(b+count, s.rankBound()), SolverAuto)
	if err != nil {
		return nil, err
	}
	return directionSquares(s, rowsOf(pc.basis, b, pc.basis.Rows))
}

// scene is a fit whose samples may be others than the data's.
type scene struct {
	data    *alternation // of the rows as given
	raw     *alternation // of the rows before they are scaled: data, or with columns divided by their noise
	fit     *alternation // of the rows as they are fitted; raw where they are the same
	noise   *noise       // of Unmix; nil: the columns are as given
	trimmed []int
}

// openScene opens a fit of rows x, of which raw is open, that are scaled as o.Rows says, without o.Trim's
// outliers.
func (raw *alternation) openScene(x Samples, o *MinVolumeOptions) (sc *scene, err error) {
	sc = &scene{data: raw, raw: raw, fit: raw}
	rows := o.Rows
	if rows == RowsAuto {
		if rows, err = shadedRows(raw); err != nil {
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
	less.Weights = withoutRows(o.Weights, raw.s.n, sc.trimmed)
	if sc.raw, err = openMinVolume(raw.s.ctx, x, raw.k, &less, true); err != nil {
		return nil, err
	}
	sc.data, sc.fit = sc.raw, sc.raw
	return sc, sc.scale(&less, rows)
}

// withoutRows returns the weights of n rows, 0 for those of the list.
func withoutRows(weights []float64, n int, rows []int) []float64 {
	out := slices.Repeat([]float64{1}, n)
	copy(out, weights)
	for _, i := range rows {
		out[i] = 0
	}
	return out
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
	fit, err := openMinVolume(sc.raw.s.ctx, x, sc.raw.k, &unit, true)
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
func (p *minVolume) outliers(share float64) (list []int, err error) {
	s, basis := p.data, p.pc.basis
	if basis.Rows == 0 || p.trivial() {
		return nil, nil
	}
	squares, err := directionSquares(s, basis)
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
				if w := dot(row, basis.row(c)); square > 0 {
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
	for _, i := range descending(s.ctx, far)[:int(share*float64(s.n))] {
		if far[i] > farRow {
			list = append(list, i)
		}
	}
	slices.Sort(list)
	return list, nil
}

// medianOf returns the median of the values of rows by their weight, the lower of two.
func medianOf(s *samples, values []float64) float64 {
	order, rest := descending(s.ctx, values), 0.0
	for i := range values {
		rest += s.weight(i) / 2
	}
	for _, i := range order {
		if rest -= s.weight(i); rest < 0 {
			return values[i]
		}
	}
	return values[order[0]] // no row has a weight
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

// fitScene is FitMinVolume of rows that are open, and Unmix where the noise does not choose λ.
func (raw *alternation) fitScene(x Samples, o *MinVolumeOptions) (*Model, error) {
	sc, err := raw.openScene(x, o)
	if err != nil {
		return nil, err
	}
	best := pureSamples(sc.fit)
	if best == nil {
		best, err = sc.fit.rule().solve(sc.fit)
	}
	return sc.finish(best, err)
}

// finish makes the model of the best run. err is as for volumeRun.finish.
func (sc *scene) finish(best *volumeRun, err error) (*Model, error) {
	best, wrong := best.inBounds()
	if wrong != nil {
		return nil, wrong
	}
	if best == nil || sc.fit == sc.raw {
		m, err := best.finish(err)
		if m != nil {
			m.Trimmed = sc.trimmed
		}
		return m, err
	}
	return sc.model(best, best.m.toData(best.f), err)
}

// model returns the model of centers in the data's units that the best run led to. ended is the error that
// ended the computation early, which is returned with it.
func (sc *scene) model(best *volumeRun, centers *Matrix, ended error) (*Model, error) {
	s, m := sc.data.detached().data, best.m.model(best.f, best) // what is left to do is short
	m.Centers, m.Trimmed = centers, sc.trimmed
	var err error
	if sc.fit != sc.raw {
		sc.lengthen(centers)
		m.Sum, m.Rows, m.Shade = SumToOne, RowsUnit, make([]float64, s.n)
		m.Memberships = NewMatrix(s.n, best.m.k, nil)
		// Not those that lengthen found: shares of rows outside of the cone, and where centers depend on each
		// other, are then those of Predict.
		if err = coneShares(s.ctx, s.workers, m.Memberships, m.Shade, s.x, centers); err == nil {
			err = m.rateShaded(s)
		}
	} else {
		m.Memberships = NewMatrix(s.n, best.m.k, nil)
		if err = newSimplexProblem(m.Centers, m.Sum).solve(s.ctx, m.Memberships, s.x, s.workers); err == nil {
			ended, err = sc.data.rate(s, m, true, ended)
		}
	}
	if err != nil {
		return nil, err
	}
	if ended != nil {
		m.Status = StatusCancelled
	}
	best.warn(m)
	return m, ended
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
	if err == nil {
		_, err = m.rate(s, objective, pc)
	}
	return err
}

// lengthen gives the centers of unit rows the lengths of the data. A row is its shade times a mixture of
// centers, and each center gets the mean shade, weighted by w·‖x‖·g², in which its pure rows count most.
func (sc *scene) lengthen(f *Matrix) {
	s := sc.data.s
	g, shade := NewMatrix(s.n, f.Rows, nil), make([]float64, s.n)
	_ = coneShares(context.Background(), s.workers, g, shade, s.x, f) // no error but that of a context
	lengths, masses := make([]float64, f.Rows), make([]float64, f.Rows)
	var all, mass float64
	for i, v := range shade {
		w := sc.fit.s.weight(i)
		v = math.Ldexp(v, -s.exp)
		all += w * v
		mass += w
		for j, share := range g.row(i) {
			lengths[j] += w * share * share * v
			masses[j] += w * share * share
		}
	}
	if all == 0 {
		return // no row has a part in the cone of the centers
	}
	for j := range lengths {
		if lengths[j] > 0 {
			lengths[j] /= masses[j]
		} else {
			lengths[j] = all / mass
		}
		for c, v := range f.row(j) {
			f.row(j)[c] = min(max(math.Ldexp(v*lengths[j], s.exp), -mostCenter), mostCenter)
		}
	}
}

// noise is how much of it the columns and rows of a scene have.
type noise struct {
	columns []float64 // the deviation of each, relative to the median; nil: all alike
	rows    []float64 // how much each row counts, of [0, 1]; nil: all alike
	unit    float64   // a power of two that divided rows have been multiplied by
}

// findNoise takes noiseTurns turns at most, on noiseRows rows where there are more. A deviation is at most
// mostNoisy times the median. A column with as little of it is a mixture of others, and gets the median. A
// row counts half at farRow times the median distance. A row that has more than mostLeverage of a
// direction's energy counts nothing, unless rows are few: it would be the direction. Weights below leastRow
// are 0.
const (
	noiseRows    = 1 << 13
	noiseTurns   = 8
	mostNoisy    = 32
	mostLeverage = 0.1
	mostWeight   = 8
	leastRow     = 0.1
	restNoise    = 0.01 // the change of a row's weight below which they are at rest
	noiseStream  = 0x4015
)

// findNoise returns the noise of the columns and rows of a scene of k materials. unit says that rows are to
// be scaled to length 1: they then count by 1/‖x‖ of their squares. No row counts more than mostWeight times
// the median weight: a heavy one says no more of the noise.
func findNoise(s *samples, k int, unit bool, seed uint64) (*noise, error) {
	var used []float64
	for i := range s.n {
		if w := s.weight(i); w > 0 {
			used = append(used, w)
		}
	}
	if len(used) < 2*s.d || s.d < 2*(k+1) {
		return &noise{}, nil
	}
	slices.Sort(used)
	some, middle, mass := *s, used[(len(used)-1)/2], 0.0
	some.weights, some.wexp = make([]float64, s.n), 0
	for i := range some.weights {
		some.weights[i] = min(s.weight(i), mostWeight*middle)
		mass += some.weights[i]
	}
	p := &noisePlane{unit: unit, columns: slices.Repeat([]float64{1}, s.d), directions: k}
	if p.rows = mass / middle; unit {
		p.directions++
	}
	if len(used) > noiseRows {
		drawn := drawRows(&some, rand.New(rand.NewPCG(seed, noiseStream)), noiseRows)
		some.x, some.n, some.weights, mass = chosenRows(s.x, drawn), noiseRows, nil, noiseRows
	}
	weights, kept := slices.Repeat([]float64{1}, some.n), 0.0
	for range noiseTurns {
		if err := p.fit(&some, weights); err != nil || p.basis == nil {
			return &noise{}, err
		}
		next, err := p.weights(&some)
		if err != nil {
			return nil, err
		}
		change := 0.0
		kept = 0
		for i, v := range next {
			if w := some.weight(i); w > 0 {
				change = max(change, math.Abs(v-weights[i]))
				if v >= leastRow {
					kept += w
				}
			}
		}
		if weights = next; change < restNoise {
			break
		}
	}
	if kept < mass/2 { // these are no outliers
		return &noise{}, nil
	}
	rows, err := p.weights(s)
	return &noise{columns: p.columns, rows: rows}, err
}

// noisePlane is the leading directions of weighted rows whose columns are divided by their noise.
type noisePlane struct {
	unit       bool
	directions int
	rows       float64 // how many count: their weights in units of the median one
	columns    []float64
	mean       []float64 // of the rows, in scaled units; 0 for unit rows
	basis      *Matrix   // in divided columns
	energies   []float64 // along it, of a row on average
	median     float64   // squared distance from it; 0: not known yet
}

// divided writes row i in divided columns to dst, less the mean but for unit rows, and returns by what its
// square counts.
func (p *noisePlane) divided(dst []float64, s *samples, i int) float64 {
	copy(dst, s.x.row(i))
	scale(dst, s.factor())
	for c, v := range p.columns {
		dst[c] /= v
	}
	if !p.unit {
		for c, v := range p.mean {
			dst[c] -= v / p.columns[c]
		}
		return 1
	}
	if length := norm2(dst); length >= leastScale {
		return 1 / length
	}
	return 0
}

// fit finds the noise of the columns, and the plane, from rows that count by weights.
func (p *noisePlane) fit(s *samples, weights []float64) error {
	counts, row, mass := make([]float64, s.n), make([]float64, s.d), 0.0
	for i, v := range weights {
		v *= s.weight(i)
		mass += v
		counts[i] = v * p.divided(row, s, i)
	}
	at, err := newSamples(s.ctx, s.x, counts, s.workers, !p.unit)
	if err != nil {
		return err
	}
	gram, _, err := centredGram(at)
	if err != nil {
		return err
	}
	inverse, factor := NewMatrix(s.d, s.d, nil), gram.Clone()
	ridge := 0x1p-40 * trace(gram)
	for c := range s.d {
		factor.row(c)[c] += ridge
	}
	if !(ridge > 0) || !cholesky(factor.Data, s.d) {
		return nil // no row counts: all stays as it is
	}
	cholInverse(inverse.Data, factor.Data, s.d)
	for c := range s.d {
		p.columns[c] = 1 / math.Sqrt(inverse.row(c)[c])
	}
	middle := slices.Sorted(slices.Values(p.columns))[s.d/2]
	for c, v := range p.columns {
		p.columns[c] = min(v/middle, mostNoisy)
		if p.columns[c] < 1./mostNoisy || middle*middle < 16*ridge {
			p.columns[c] = 1 // none of its own, as a copy of another; or none at all, but the ridge
		}
	}
	for c := range s.d {
		for b, v := range p.columns {
			gram.row(c)[b] /= v * p.columns[c]
		}
	}
	p.energies, p.basis = leadingEigen(s.ctx, gram, min(p.directions, s.d), s.workers)
	p.mean = at.mean
	scale(p.mean, math.Ldexp(1, at.exp-s.exp))
	scale(p.energies, math.Ldexp(1/mass, 2*(at.exp-s.exp)+at.wexp))
	p.median = 0
	return cancelled(s.ctx)
}

// weights returns how much each row counts.
func (p *noisePlane) weights(s *samples) ([]float64, error) {
	distances, leverages, sizes := make([]float64, s.n), make([]float64, s.n), make([]float64, s.n)
	err := eachBlock(s.ctx, s.workers, chunking{s.n, s.d, manyChunks}, s.d, func(at block) {
		row := at.scratch[:s.d]
		for i := at.lo; i < at.hi; i++ {
			count := p.divided(row, s, i)
			sizes[i] = sumSquares(row) * count
			distances[i] = sizes[i]
			for c, energy := range p.energies[:p.basis.Rows] {
				along := dot(row, p.basis.row(c))
				distances[i] -= along * along * count
				if energy > 0 {
					leverages[i] += along * along * count / energy / p.rows
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	if p.median == 0 { // of rows without noise, what may be rounding
		p.median = max(medianOf(s, distances), 0x1p-40*medianOf(s, sizes))
	}
	most := max(mostLeverage, farRow*float64(p.directions)/p.rows)
	for i, v := range distances {
		distances[i] = 1
		if p.median > 0 {
			distances[i] = 1 / (1 + max(v, 0)/(farRow*p.median))
		}
		if leverages[i] > most {
			distances[i] = 0
		}
	}
	return distances, nil
}

// divide returns the rows with their columns divided by the noise, and puts their weights, and given centers
// and bounds in these columns, into o. Rows that count nothing are among those that Trim may leave out. Rows
// far from 1 in size get another power of two, so that the division keeps them in range.
func (q *noise) divide(s *samples, o *MinVolumeOptions) *Matrix {
	if q.columns == nil {
		return s.x
	}
	unit := 1.0
	if s.exp < -farExp || s.exp > farExp {
		unit = s.factor()
	}
	q.unit = unit // Lambda and Epsilon are of rows in it
	divided := func(from *Matrix) *Matrix {
		out := NewMatrix(from.Rows, from.Cols, nil)
		for i := range from.Rows {
			for c, v := range from.row(i) {
				out.row(i)[c] = min(max(v*unit/q.columns[c], -mostCenter), mostCenter)
			}
		}
		return out
	}
	if o.Centers != nil {
		o.Centers = divided(o.Centers)
	}
	o.Lower, o.Upper = o.bounds(s.d)
	for c, v := range q.columns {
		o.Lower[c] *= unit / v
		o.Upper[c] *= unit / v
	}
	o.Weights = withoutRows(o.Weights, s.n, nil)
	left := 0
	for i, v := range q.rows {
		if o.Weights[i] > 0 && v < leastRow {
			v = 0
			left++
		}
		o.Weights[i] *= v * v
	}
	o.Trim = max(0, o.Trim-(float64(left)-0x1p-30)/float64(s.n)) // or one row less, by rounding
	return divided(s.x)
}

// farExp is the exponent of entries that are far from 1.
const farExp = 400
