package main

// This file compares the rows of predict with those of the fit: rows that are farther from
// their mixture than any of the fit, and columns that seem to have another unit.

import (
	"fmt"
	"math"
	"strings"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/internal/measure"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
)

// watch compares new rows with those of a fit.
type watch struct {
	yardstick *measure.Yardstick // nil: the model has no prototypes
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
		w.yardstick = measure.Of(f.Model, f.UnitRows)
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
func (w *watch) add(x softkmeans.Samples, g *softkmeans.Matrix, labels []int) *softkmeans.Matrix {
	if x, dense := x.(*softkmeans.Matrix); dense {
		for j := range w.columns {
			w.columns[j].add(x, j, w.scaling)
		}
	}
	if w.yardstick == nil {
		return nil
	}
	return w.yardstick.Measure(x, g, labels)
}

// addDetails counts the next rows that are farther out than those of the fit.
func (w *watch) addDetails(p *prediction, details *softkmeans.Matrix) {
	for i := range details.Rows {
		if v := measure.Even(details.At(i, 0), p.counts, p.rows+i, w.scaling); v > w.limit {
			w.beyond++
			if w.far.Takes(v) {
				row, id := p.name(p.rows + i)
				w.far.Add(answer.Ranked{Row: row, ID: id, Value: v})
			}
		}
	}
}

// add counts the values of column j that are there. A value is far from the values of the fit if it is ten
// standard deviations outside of their range, or less than a tenth of the least in size.
func (c *abroad) add(x *softkmeans.Matrix, j int, s *scale.Scaling) {
	for i := range x.Rows {
		v := x.At(i, j)
		if math.IsNaN(v) { // missing
			continue
		}
		if s != nil {
			v = v*s.Divisor[j] + s.Shift[j]
		}
		c.seen++
		c.least, c.most = min(c.least, v), max(c.most, v)
		if v < c.low || v > c.high || math.Abs(v) < c.size/10 {
			c.out++
		}
	}
}

// warnings returns what the fit warned of and what is strange about the new rows, a line each.
func (w *watch) warnings(f *modelFile) (list []string) {
	if f.Model != nil && len(f.Model.Warnings) > 0 {
		list = append(list, "The fit warned: "+strings.Join(view.Warnings(f.Model, f.K() > len(f.Columns)), " "))
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
		list = append(list, fmt.Sprintf("%s more with values far from the values in the fit.",
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
		return view.Plain(least, 6)
	}
	return view.Plain(least, 6) + "…" + view.Plain(most, 6)
}

// setResidual takes the largest residual of rows with weight, made even.
func (r *result) setResidual(details *softkmeans.Matrix, weights, sizes []float64) {
	for i := range details.Rows {
		if weights == nil || weights[i] > 0 {
			r.residual = max(r.residual, measure.Even(details.At(i, 0), sizes, i, r.scale))
		}
	}
}
