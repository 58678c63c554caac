package main

// This file compares the rows of predict with those of the fit: rows that are farther from
// their mixture than any of the fit, and columns that seem to have another unit.

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
)

// watch compares new rows with those of a fit.
type watch struct {
	yardstick *yardstick // nil: the model has no prototypes
	scaling   *scale.Scaling
	limit     float64 // residuals above are farther out than those of the fit
	far       answer.Few
	beyond    int      // rows above the limit
	columns   []abroad // nil: the model does not say
}

// abroad is a column of new rows beside that of the fit.
type abroad struct {
	low, high   float64 // of the fit, and ten standard deviations more on either side
	size        float64 // the least size of a value of the fit, if all have one sign
	least, most float64 // of the new rows
	seen, out   int     // values, and those that are far from the fit's
}

func newWatch(f *modelFile) *watch {
	w := &watch{scaling: f.scaling(), far: answer.Few{Most: mostFar}, limit: math.Inf(1)}
	if f.Model != nil {
		w.yardstick = yardstickOf(f.Model, f.UnitRows)
	}
	if f.ColumnLeast == nil || f.ColumnMost == nil || f.ColumnSpread == nil {
		return w
	}
	size := 0.0 // of the data, in the units of the fit
	for j, s := range f.ColumnSpread {
		low, high := f.ColumnLeast[j], f.ColumnMost[j]
		c := abroad{least: math.Inf(1), most: math.Inf(-1), size: max(low, -high, 0)}
		c.low, c.high = low-10*s-1e-9*math.Abs(low), high+10*s+1e-9*math.Abs(high)
		w.columns = append(w.columns, c)
		if w.scaling != nil { // of rows divided by their sums, residuals are made even by the mean sum
			s /= w.scaling.Divisor[j]
		}
		size = math.Hypot(size, s)
	}
	w.limit = f.LargestResidual*(1+1e-9) + 1e-6*size // rounding is no distance
	return w
}

// add returns the details of the next rows; nil without prototypes.
func (w *watch) add(x, g *softkmeans.Matrix, labels []int) *softkmeans.Matrix {
	for j := range w.columns {
		w.columns[j].add(x, j, w.scaling)
	}
	if w.yardstick == nil {
		return nil
	}
	return w.yardstick.measure(x, g, labels)
}

// addDetails counts the next rows that are farther out than those of the fit.
func (w *watch) addDetails(p *prediction, details *softkmeans.Matrix) {
	for i := range details.Rows {
		if v := even(details.At(i, 0), p.counts, p.rows+i, w.scaling); v > w.limit {
			w.beyond++
			if w.far.Takes(v) {
				row, id := p.name(p.rows + i)
				w.far.Add(answer.Ranked{Row: row, ID: id, Value: v})
			}
		}
	}
}

func (c *abroad) add(x *softkmeans.Matrix, j int, s *scale.Scaling) {
	for i := range x.Rows {
		v := x.At(i, j)
		if math.IsNaN(v) { // missing
			continue
		}
		if s != nil {
			v = v*s.Divisor[j] + s.Shift[j]
		}
		c.take(v, 1)
	}
}

// take counts a value that is there so many times. It is far from those of the fit if it is
// ten standard deviations outside of their range, or less than a tenth of the least in size.
func (c *abroad) take(v float64, times int) {
	c.seen += times
	c.least, c.most = min(c.least, v), max(c.most, v)
	if v < c.low || v > c.high || math.Abs(v) < c.size/10 {
		c.out += times
	}
}

// warnings returns what the fit warned of and what is strange about the new rows, a line each.
func (w *watch) warnings(f *modelFile) (list []string) {
	if f.Model != nil && len(f.Model.Warnings) > 0 {
		list = append(list, "The fit warned: "+strings.Join(view.Warnings(f.Model), " "))
	}
	more := 0
	for j, c := range w.columns {
		if 2*c.out <= c.seen {
			continue
		}
		if more++; more <= mostFar {
			list = append(list, fmt.Sprintf("Column %s: values %s, in the fit %s; another unit?",
				short(table.Printable(f.Columns[j]), mostWord),
				span(c.least, c.most), span(f.ColumnLeast[j], f.ColumnMost[j])))
		}
	}
	if more -= mostFar; more > 0 {
		list = append(list, fmt.Sprintf("%s more with values far from those of the fit.",
			count(more, "column")))
	}
	if w.beyond > 0 {
		var rows []string
		for _, r := range w.far.Rows {
			rows = append(rows, short(r.ID, mostWord)+" ("+small(r.Value)+")")
		}
		if w.beyond > len(rows) {
			rows = append(rows, "…")
		}
		list = append(list, fmt.Sprintf("%s %s farther from the prototypes than any row of the "+
			"fit, of which the farthest has a residual of %s: %s.",
			count(w.beyond, "row"), plural(w.beyond, "is", "are"),
			small(f.LargestResidual), strings.Join(rows, ", ")))
	}
	return list
}

func span(least, most float64) string {
	if least == most {
		return plain(least)
	}
	return plain(least) + "…" + plain(most)
}

// plain writes a value with six digits, and without an exponent where that is short.
func plain(v float64) string {
	s := strconv.FormatFloat(v, 'g', 6, 64)
	if size := math.Abs(v); strings.Contains(s, "e") && size >= 1e-6 && size < 1e12 {
		v, _ = strconv.ParseFloat(s, 64)
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return s
}

// detailNames are the columns of -details.
var detailNames = []string{"residual", "distance", "entropy"}

// yardstick is what rows are measured by. All is in the units of the fit.
type yardstick struct {
	centers *softkmeans.Matrix
	means   *softkmeans.Matrix // of the clusters; nil: labels are the largest memberships
	sum     softkmeans.Sum
	shaded  bool // a row is a mixture times its own shade
}

// yardstickOf returns the yardstick of a model, of rows with a shade of their own or not.
func yardstickOf(m *softkmeans.Model, shaded bool) *yardstick {
	return &yardstick{m.Centers, m.ClusterMeans, m.Sum, shaded}
}

// setResidual takes the largest residual of rows with weight, made even.
func (r *result) setResidual(details *softkmeans.Matrix, weights, sizes []float64) {
	for i := range details.Rows {
		if weights == nil || weights[i] > 0 {
			r.residual = max(r.residual, even(details.At(i, 0), sizes, i, r.scale))
		}
	}
}

// even returns the residual of row i such that noise makes it alike for rows of any size: that of counts in
// standard deviations, that of a row divided by its sum in units of the mean sum. Without sizes it is the
// residual.
func even(residual float64, sizes []float64, i int, s *scale.Scaling) float64 {
	switch {
	case sizes == nil:
		return residual
	case scale.KindOf(s) == scale.Sums:
		return residual * (sizes[i] / s.Divisor[0])
	}
	return residual * math.Sqrt(sizes[i])
}

// measure returns three columns for rows x with memberships g: the distance to the row's
// mixture; the distance to the mean of its cluster, or, without means, to the prototype of
// its label; and the entropy of its memberships, from 0 for a pure row to 1 for equal shares.
func (y *yardstick) measure(x, g *softkmeans.Matrix, labels []int) *softkmeans.Matrix {
	out := softkmeans.NewMatrix(x.Rows, len(detailNames), nil)
	mixture := make([]float64, x.Cols)
	to := y.means
	if to == nil {
		to = y.centers
	}
	for i := range x.Rows {
		mixInto(mixture, g.Row(i), y.centers)
		out.Set(i, 0, y.distance(x.Row(i), mixture))
		out.Set(i, 1, y.distance(x.Row(i), to.Row(labels[i])))
		out.Set(i, 2, entropy(g.Row(i), y.sum))
	}
	return out
}

func mixInto(dst, shares []float64, centers *softkmeans.Matrix) {
	clear(dst)
	for j, share := range shares {
		if share != 0 {
			for c, v := range centers.Row(j) {
				dst[c] += share * v
			}
		}
	}
}

// brightness returns the factor, at least 0, by which a mixture is nearest to x in the columns in which x is
// not NaN.
func brightness(x, mixture []float64) float64 {
	var product, square float64
	for c, v := range mixture {
		if x[c] == x[c] {
			product += v * x[c]
			square += v * v
		}
	}
	if !(product > 0) {
		return 0
	}
	return product / square
}

// withBrightness returns centers times the largest brightness, and memberships times the brightness of each
// row in these units: a pair whose sums are at most one. Without light it returns both as they are.
func withBrightness(centers, g *softkmeans.Matrix, rows []float64) (_, _ *softkmeans.Matrix) {
	most := slices.Max(rows)
	if most == 0 {
		return centers, g
	}
	centers, g = centers.Clone(), g.Clone()
	for i := range centers.Data {
		centers.Data[i] *= most
	}
	for i := range g.Data {
		g.Data[i] *= rows[i/g.Cols] / most
	}
	return centers, g
}

// distance returns the distance of x from another vector, or with shades from the line through 0 and it,
// over the columns in which x is not NaN.
func (y *yardstick) distance(x, from []float64) float64 {
	shade := 1.0
	if y.shaded {
		shade = brightness(x, from)
	}
	top := 0.0 // squares of large entries are out of range
	for c, v := range from {
		if d := math.Abs(x[c] - shade*v); d > top {
			top = d
		}
	}
	if top == 0 {
		return 0
	}
	sum := 0.0
	for c, v := range from {
		if d := (x[c] - shade*v) / top; d == d {
			sum += d * d
		}
	}
	return top * math.Sqrt(sum)
}

// entropy returns −Σ g·log g over the logarithm of the number of shares. Where they add up
// to at most 1 the rest is a share, too.
func entropy(g []float64, sum softkmeans.Sum) float64 {
	n, rest, h := len(g), 1.0, 0.0
	for _, v := range g {
		if rest -= v; v > 0 {
			h -= v * math.Log(v)
		}
	}
	if sum == softkmeans.SumAtMostOne {
		if n++; rest > 0 {
			h -= rest * math.Log(rest)
		}
	}
	if n < 2 {
		return 0
	}
	return min(max(h/math.Log(float64(n)), 0), 1)
}
