package softkmeans

// Scenes: rows that differ in shade are scaled to length 1, and outliers are left out.

import (
	"context"
	"math"
	"slices"
)

// Rows have shade where the first two discarded squared singular values have a ratio above shadeRatio.
const shadeRatio = 4.0 / 3

// shadedRows returns the scaling that RowsAuto stands for.
func shadedRows(raw *alternation) (Rows, error) {
	if raw.s.zeros || raw.trivial() {
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
	raw     *alternation // of the rows as given
	fit     *alternation // of the rows as they are fitted; raw where they are the same
	trimmed []int
}

// openScene opens a fit of rows that are scaled as o.Rows says, without o.Trim's outliers.
func openScene(ctx context.Context, x Samples, k int, o *MinVolumeOptions) (*scene, error) {
	raw, err := openMinVolume(ctx, x, k, o, true)
	if err != nil {
		return nil, err
	}
	sc := &scene{raw: raw, fit: raw}
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
	less.Weights = slices.Repeat([]float64{1}, raw.s.n)
	copy(less.Weights, o.Weights)
	for _, i := range sc.trimmed {
		less.Weights[i] = 0
	}
	if sc.raw, err = openMinVolume(ctx, x, k, &less, true); err != nil {
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
	s := sc.raw.s
	m := best.m.model(best.f, best)
	if err != nil {
		m.Status = StatusCancelled
	}
	m.Sum, m.Rows, m.Trimmed, m.Shade = SumToOne, RowsUnit, sc.trimmed, make([]float64, s.n)
	m.Centers, m.Memberships = sc.centers(best), NewMatrix(s.n, best.m.k, nil)
	background := context.Background() // what is left to do is short
	if wrong := coneShares(background, s.workers, m.Memberships, m.Shade, s.x, m.Centers); wrong != nil {
		return nil, wrong
	}
	if wrong := m.rateShaded(s); wrong != nil {
		return nil, wrong
	}
	best.warn(m)
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
func (sc *scene) centers(best *volumeRun) *Matrix {
	s, k := sc.raw.s, best.f.Rows
	f := best.m.toData(best.f)
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
