package unmix

// The rows that are fitted: in columns divided by their noise, scaled to length 1, without outliers.

import (
	"cmp"
	"context"
	"math"
	"slices"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/la"
	"softkmeans/internal/noise"
)

// table holds rows as they are fitted (divided by noise, scaled, without outliers), with the options,
// weights, bounds and first centers in the same units.
type table struct {
	Options
	x *softkmeans.Matrix
	k int
}

// directions returns the dimension of the subspace of k prototypes.
func (t *table) directions() int {
	if t.Sum == softkmeans.SumAtMostOne {
		return t.k
	}
	return t.k - 1
}

// rank returns the largest rank that the rows can have.
func (t *table) rank() int {
	if t.Sum == softkmeans.SumAtMostOne {
		return min(t.x.Rows, t.x.Cols)
	}
	return max(0, min(t.x.Rows-1, t.x.Cols))
}

// simple returns the options for functions without a penalty.
func (t *table) simple() *softkmeans.Options {
	return &softkmeans.Options{Weights: t.Weights, Workers: t.Workers, Sum: t.Sum}
}

// open finds the leading directions of the rows: the directions of k prototypes, and more further ones.
func (t *table) open(ctx context.Context, more int) (v *view, err error) {
	v = &view{table: t, directions: min(t.directions(), t.rank())}
	v.Subspace, err = softkmeans.Principal(ctx, t.x, min(v.directions+more, t.rank()), t.simple())
	if err != nil {
		return nil, err
	}
	v.floor = min(la.Sum(v.Squares[v.directions:min(v.Basis.Rows, len(v.Squares))])+v.Floor, v.Total)
	return v, nil
}

// view is a table with the leading directions of its rows. The first `directions` of them are the subspace of
// k prototypes.
type view struct {
	*table
	*softkmeans.Subspace
	directions int
	floor      float64 // the squares beyond directions
}

// discarded returns the squares of the first two directions that k prototypes leave out, fewer if there are
// no more.
func (v *view) discarded() []float64 {
	last := min(v.directions+2, len(v.Squares))
	return v.Squares[min(v.directions, last):last]
}

// FitMinVolume takes data for an exact mixture if the floor is at most exactShare of the total.
const exactShare = 1e-6

// exact reports whether the floor contains no noise: the mixture is exact, or the floor of any data is 0.
func (v *view) exact() bool { return v.directions == v.rank() || !(v.floor > exactShare*v.Total) }

// shadeRatio is the ratio of the first two discarded squares above which rows differ in brightness.
const shadeRatio = 4.0 / 3

// shaded reports whether the rows differ in brightness. Different brightness adds one direction to the plane
// of the prototypes, so that the first discarded square is much larger than the second.
func (v *view) shaded() bool {
	squares := v.discarded()
	return !v.inUnits() && len(squares) == 2 && squares[0] > max(shadeRatio*squares[1], exactShare*v.Total)
}

// inUnits reports whether there is a bound other than 0, which has no meaning for unit rows.
func (o *Options) inUnits() bool {
	return slices.ContainsFunc(slices.Concat(o.Lower, o.Upper),
		func(v float64) bool { return v != 0 && !math.IsInf(v, 0) })
}

// divided returns the table with columns divided by their noise, and with weights multiplied by how well rows
// fit. Rows that fit too badly reduce Trim.
func (t *table) divided(n noise.Noise) *table {
	if n.Columns == nil {
		return t
	}
	out := *t
	out.x, out.Weights = noise.Divide(t.x, n.Columns), n.Weights(t.Weights)
	if t.Centers != nil {
		out.Centers = noise.Divide(t.Centers, n.Columns)
	}
	bounds := func(list []float64) []float64 {
		if len(list) == 0 {
			return list
		}
		var all []float64
		for c, v := range n.Columns {
			all = append(all, list[min(c, len(list)-1)]/v)
		}
		return all
	}
	out.Lower, out.Upper = bounds(t.Lower), bounds(t.Upper)
	left := len(leftOut(t.Weights, n.Rows)) // rows that fit too badly count towards Trim
	out.Trim = max(0, t.Trim-(float64(left)-0x1p-30)/float64(t.x.Rows))
	return &out
}

// leftOut returns the rows of positive weight that fit too badly to count.
func leftOut(weights, fit []float64) (rows []int) {
	for i, v := range fit {
		if v < noise.LeastFit && draws.Weight(weights, i) > 0 {
			rows = append(rows, i)
		}
	}
	return rows
}

// unit returns the table of rows of length 1. Their weights are multiplied by the lengths that they had, in
// units of the power of two above the largest entry. Rows of zeros get weight 0. Sum becomes SumAtMostOne, so
// that directions start at 0: after scaling, rows lie in the cone of the spectra, not in their simplex.
func (t *table) unit() *table {
	out := *t
	out.x, out.Weights = t.x.Clone(), make([]float64, t.x.Rows)
	_, exp := math.Frexp(la.Largest(out.x.Data))
	for i := range out.Weights {
		out.Weights[i] = math.Ldexp(normalize(out.x.Row(i)), -exp) * draws.Weight(t.Weights, i)
	}
	if out.Sum = softkmeans.SumAtMostOne; t.Centers != nil {
		out.Centers = t.Centers.Clone()
		for j := range t.k {
			normalize(out.Centers.Row(j))
		}
	}
	return &out
}

// normalize divides a row by its length, and returns the length. It leaves a row of zeros as it is, and
// returns 0.
func normalize(row []float64) float64 {
	most := la.Largest(row)
	if most == 0 {
		return 0
	}
	_, exp := math.Frexp(most)
	for c, v := range row {
		row[c] = math.Ldexp(v, -exp)
	}
	length := la.Norm(row)
	for c := range row {
		row[c] /= length
	}
	return math.Ldexp(length, exp)
}

// outliers returns the indices of the farthest rows, at most the fraction `share` of all. Each row has two
// squared distances: from the plane, and within the plane from the mean. In an outlier one of these distances
// is above noise.FarRow times its median. The rows with the largest such ratios are returned. In the plane
// each direction counts in units of its own spread.
func (v *view) outliers(share float64) (list []int, err error) {
	if v.directions == v.rank() || v.directions == 0 {
		return nil, nil
	}
	plane := &softkmeans.Subspace{Mean: v.Mean, Basis: la.FirstRows(v.Basis, v.directions)}
	z, err := plane.Coordinates(nil, v.x)
	if err != nil {
		return nil, err
	}
	n := v.x.Rows
	far, distances := make([]float64, n), [2][]float64{make([]float64, n), make([]float64, n)}
	for i, square := range v.beyond(z) {
		distances[0][i] = square
		for c, w := range z.Row(i) {
			if v.Squares[c] > 0 {
				distances[1][i] += w * w / v.Squares[c]
			}
		}
	}
	for _, list := range distances {
		if median := noise.Median(list, v.Weights); median > 0 {
			for i, square := range list {
				far[i] = max(far[i], square/median)
			}
		}
	}
	used, err := draws.Rows(v.Weights, n)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(used, func(i, j int) int { return cmp.Compare(far[j], far[i]) })
	for _, i := range used[:min(len(used), int(share*float64(n)))] {
		if far[i] > noise.FarRow {
			list = append(list, i)
		}
	}
	slices.Sort(list)
	return list, nil
}

// beyond returns the squared distance of each row from the plane, in which it has coordinates z.
func (v *view) beyond(z *softkmeans.Matrix) []float64 {
	out, row := make([]float64, v.x.Rows), make([]float64, v.x.Cols)
	for i := range out {
		copy(row, v.x.Row(i))
		la.Axpy(row, -1, v.Mean)
		out[i] = max(0, la.SumSquares(row)-la.Dot(z.Row(i), z.Row(i)))
	}
	return out
}

// without returns the weights of n rows (nil: all 1), set to 0 for the rows listed.
func without(weights []float64, n int, rows []int) []float64 {
	if rows == nil {
		return weights
	}
	out := slices.Repeat([]float64{1}, n)
	copy(out, weights)
	for _, i := range rows {
		out[i] = 0
	}
	return out
}

// prepared returns the view of the table, scaled according to Scaling, without the outliers of Trim, whose
// indices are in trimmed. It contains `more` directions beyond the plane.
func (t *table) prepared(ctx context.Context, more int) (v *view, trimmed []int, err error) {
	if v, err = t.open(ctx, max(more, 2)); err != nil {
		return nil, nil, err
	}
	scaling := ScaleGiven
	if (t.Scaling == ScaleUnit || t.Scaling == ScaleAuto && v.shaded()) && la.Largest(t.x.Data) > 0 {
		scaling = ScaleUnit
		if v, err = t.unit().open(ctx, more); err != nil {
			return nil, nil, err
		}
	}
	if v.Scaling = scaling; t.Trim == 0 {
		return v, nil, nil
	}
	if trimmed, err = v.outliers(t.Trim); err != nil || trimmed == nil {
		return v, nil, err
	}
	less := *v.table
	less.Weights = without(v.Weights, t.x.Rows, trimmed)
	v, err = less.open(ctx, more)
	return v, trimmed, err
}
