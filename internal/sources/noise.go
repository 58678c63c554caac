package sources

// Which rows no mixture explains: those farther out than noise, which the rows tell themselves.

import (
	"cmp"
	"context"
	"math"
	"slices"

	"softkmeans"
	"softkmeans/internal/la"
	"softkmeans/internal/measure"
	"softkmeans/internal/noise"
)

// sureTo is the share of rows with nothing but noise that are not called outside.
const sureTo = 3.0902 // standard deviations: 0.999

// chiSquare is the quantile of the sum of n squares at z standard deviations of a normal
// variable (E. B. Wilson and M. M. Hilferty, The Distribution of Chi-Square, PNAS 17, 1931).
func chiSquare(n, z float64) float64 {
	if n == 0 {
		return 0
	}
	v := 2 / (9 * n)
	root := max(0, 1-v+z*math.Sqrt(v))
	return n * root * root * root
}

// freedom returns the n, up to most, for which sums of n squares have the quartiles of sorted sizes, by the
// wider of these. White noise has all directions; what prototypes of real rows lack is in few.
func freedom(sorted []float64, most int) float64 {
	const quartile = .6745 // standard deviations
	n, last := float64(most), len(sorted)-1
	middle := sorted[last/2]
	for _, c := range []float64{1 - math.Cbrt(sorted[last/4]/middle), math.Cbrt(sorted[last*3/4]/middle) - 1} {
		if c > 0 { // c(1 − v) = quartile·√v in chiSquare
			root := (math.Sqrt(quartile*quartile+4*c*c) - quartile) / (2 * c)
			n = min(n, 2/(9*root*root))
		}
	}
	return n
}

// bulk returns the size above which one is unusual among these: as many times the median as sureTo is in
// standard deviations of their logarithms, by the wider quartile.
func bulk(sizes []float64) float64 {
	slices.Sort(sizes)
	last := len(sizes) - 1
	low, middle, high := sizes[last/4], sizes[last/2], sizes[last*3/4]
	if low == 0 {
		return math.Inf(1)
	}
	return middle * math.Pow(max(middle/low, high/middle), sureTo/.6745)
}

// Noise says how much entries of rows vary by chance. It is taken from the part of rows at right angles
// to the plane of the prototypes, where no mixture has any. It is a median, so that half of the rows
// may be anything.
type Noise struct {
	Value float64 // the standard deviation of an entry of the middle row; 0: rounding alone
	// bulk is the squared residual of the middle row above which a row is unusual among the others, if what
	// these have is not white noise, but also what the prototypes lack; else 0.
	bulk float64
	// With Cone the variance of a row may grow with its square: the power of that, 0 to 1, and the middle.
	power, middle float64

	columns []float64 // where it differs, that of columns up to a factor; nil: Value for all
	scaled  *Mixer    // of the columns divided by these, and the noise of them
	rest    *Noise
}

// Noise returns the noise of the rows x, of which r is the result: by column where the rows say that
// it differs.
func (m *Mixer) Noise(ctx context.Context, r *Result, x *softkmeans.Matrix) (Noise, error) {
	n := m.equal(r)
	if n.Value == 0 || m.SD != nil || m.o.counts {
		return n, nil
	}
	some, by, one := everyFew(x), slices.Repeat([]float64{1}, x.Cols), m
	var uneven float64 // without
	for round := range rounds {
		part := noise.Divide(some, by)
		of, err := one.Mix(ctx, part, false)
		if err != nil {
			return n, err
		}
		if round == 0 {
			uneven = m.uneven(of)
		}
		step := one.spread(of, part)
		if step == nil || round == 0 && slices.Max(step) < leastFirst*slices.Min(step) {
			return n, nil
		}
		for j, v := range step {
			by[j] *= v
		}
		s := *m.Sources
		s.Centers = noise.Divide(m.Centers, by)
		if one, err = s.NewMixer(m.o); err != nil {
			return n, nil // out of range
		}
	}
	if slices.Max(by) < leastApart*slices.Min(by) {
		return n, nil
	}
	of, err := one.Mix(ctx, noise.Divide(some, by), false)
	if err != nil {
		return n, err
	}
	if one.uneven(of) < uneven {
		rest := one.equal(of)
		n.columns, n.scaled, n.rest = by, one, &rest
	}
	return n, nil
}

// uneven is the ratio of quartiles of what rows have at right angles to the plane of the prototypes: if
// noise differs by column, and columns are divided by it, rows are more even. They are not if it
// differs by entry, as that of counts does.
func (m *Mixer) uneven(r *Result) float64 {
	n, sizes := m.equal(r), slices.Clone(r.Beyond)
	for i := range sizes {
		sizes[i] /= n.growth(r.Square[i])
	}
	slices.Sort(sizes)
	return sizes[len(sizes)*3/4] / sizes[len(sizes)/4]
}

// Noise differs between columns where the largest is leastApart times the least, by leastRows rows or
// more. That of one column shows in others until columns are divided by it, so it is found in rounds.
const (
	leastApart = 4
	leastFirst = 2 // of the first round, for others to follow
	leastRows  = 30
	rounds     = 4
)

// spread returns the noise of columns up to a factor, by half of the rows: those that have least at right
// angles to the plane of the prototypes. nil: rows are few, or have nothing there.
func (m *Mixer) spread(r *Result, x *softkmeans.Matrix) []float64 {
	left, rest := m.beside(r, x, m.equal(r))
	if left.Rows < leastRows {
		return nil
	}
	order, size := la.Indices(left.Rows), make([]float64, left.Rows)
	for i := range size {
		size[i] = la.SumSquares(left.Row(i))
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(size[a], size[b]) })
	order = order[:left.Rows/2]
	by, all := make([]float64, x.Cols), 0.0
	for _, i := range order {
		for j, v := range left.Row(i) {
			by[j] += v * v / max(rest[j], .1)
			all += v * v / max(rest[j], .1)
		}
	}
	if !(all > 0 && all < math.MaxFloat64) {
		return nil
	}
	for j, v := range by { // two rows more of the mean, as columns may have few values but 0
		by[j] = math.Sqrt((v + 2*all/float64(x.Cols*len(order))) / float64(len(order)+2))
	}
	return by
}

// beside returns what rows have at right angles to the plane of the prototypes, and the share of the
// variance of each column that is there.
func (m *Mixer) beside(r *Result, x *softkmeans.Matrix, n Noise) (left *softkmeans.Matrix, rest []float64) {
	flat := m.open.flat
	rest = slices.Repeat([]float64{1}, x.Cols)
	for c := range flat.Rows {
		for j, v := range flat.Row(c) {
			rest[j] -= v * v
		}
	}
	left = softkmeans.NewMatrix(0, x.Cols, nil)
	mixed := make([]float64, x.Cols)
	for i := range x.Rows {
		if r.gaps[i] {
			continue
		}
		measure.MixInto(mixed, r.Prototypes.Row(i), m.Centers)
		length, scale := 1.0, math.Sqrt(n.growth(r.Square[i]))
		if r.Length != nil {
			length = r.Length[i]
		}
		for j, v := range x.Row(i) {
			mixed[j] = (v - length*mixed[j]) / scale
		}
		for c := range flat.Rows {
			la.Axpy(mixed, -la.Dot(flat.Row(c), mixed), flat.Row(c))
		}
		left.Data = append(left.Data, mixed...)
		left.Rows++
	}
	return left, rest
}

// equal returns the noise of rows if it is the same in all columns.
func (m *Mixer) equal(r *Result) (n Noise) {
	away := m.Centers.Cols - m.open.flat.Rows
	if away == 0 || len(r.Beyond) == 0 {
		return n
	}
	n.middle = median(r.Square)
	if m.o.counts { // their variance is like their size
		n.power = .5
	} else if m.o.Cone {
		n.power = slope(r.Square, r.Beyond)
	}
	scaled := make([]float64, len(r.Beyond))
	for i, v := range r.Beyond {
		scaled[i] = v / n.growth(r.Square[i])
	}
	slices.Sort(scaled)
	if n.Value = math.Sqrt(median(scaled) / chiSquare(float64(away), 0)); n.Value < 0x1p-40*m.reach {
		n.Value = 0
		return n
	}
	if 2*freedom(scaled, away) < float64(away) {
		for i, v := range r.Residual {
			scaled[i] = v * v / n.growth(r.Square[i])
		}
		n.bulk = max(bulk(scaled), n.Value*n.Value*chiSquare(float64(away), sureTo))
	}
	return n
}

// growth is how many times the variance of a row is that of the middle row.
func (n *Noise) growth(square float64) float64 {
	if n.power == 0 || square == 0 || n.middle == 0 {
		return 1
	}
	return math.Pow(square/n.middle, n.power)
}

// slope fits a line to the logarithms of y over those of x, and returns its slope, cut to 0…1. Pairs
// without logarithms do not count. It returns 0 where x hardly varies.
func slope(x, y []float64) float64 {
	var n, mx, my, xx, xy float64
	for i, v := range x {
		if v > 0 && y[i] > 0 {
			n++
			dx, dy := math.Log(v)-mx, math.Log(y[i])-my
			mx, my = mx+dx/n, my+dy/n
			xx, xy = xx+dx*(math.Log(v)-mx), xy+dx*(math.Log(y[i])-my)
		}
	}
	if xx <= .01*n {
		return 0
	}
	return min(max(xy/xx, 0), 1)
}

func median(values []float64) float64 {
	return slices.Sorted(slices.Values(values))[(len(values)-1)/2]
}

// outside reports whether row i of a result is farther out than noise in the plane of the prototypes, or at
// right angles to it.
func (m *Mixer) outside(r *Result, i int, plane bool, n Noise) bool {
	round := 1e-6 * m.reach
	if m.o.Cone {
		round = 1e-6 * math.Sqrt(r.Square[i])
	}
	left, directions := r.Within[i], m.open.flat.Rows
	if !plane {
		left, directions = r.Beyond[i], m.Centers.Cols-directions
	}
	far := n.Value * n.Value * chiSquare(float64(directions), sureTo)
	if n.bulk > 0 {
		left, far = r.Residual[i]*r.Residual[i], n.bulk
	}
	return left > far*n.growth(r.Square[i])+round*round
}

// Out reports which of the rows x no mixture explains; rounding is no distance. r is their result. With
// SD these are rows that are outside of all but a share Tail of the draws.
func (m *Mixer) Out(ctx context.Context, r *Result, x *softkmeans.Matrix, n Noise) ([]bool, error) {
	if n.scaled != nil {
		x = noise.Divide(x, n.columns)
		of, err := n.scaled.Mix(ctx, x, false)
		if err != nil {
			return nil, err
		}
		return n.scaled.Out(ctx, of, x, *n.rest)
	}
	out := make([]bool, len(r.Residual))
	for i := range out {
		out[i] = m.outside(r, i, true, n)
		if r.Drawn != nil {
			out[i] = r.Drawn[i] > 1-Tail
		}
		out[i] = out[i] || m.outside(r, i, false, n)
	}
	return out, nil
}
