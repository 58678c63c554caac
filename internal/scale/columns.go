package scale

import (
	"math"
	"slices"
)

// Columns sums up the columns of a table. Spread is the standard deviation of each, 0
// where all values are the same to rounding. Whole tells columns of whole numbers. Rows of weight 0
// do not count.
type Columns struct {
	Least, Most, Mean, Spread []float64
	Whole                     []bool
}

// Columns returns the columns of all rows so far, of which at least one must have weight.
// The Kind must be ZScore.
func (c *Collector) Columns() *Columns {
	s := c.Scaling()
	all := &Columns{Mean: s.Shift, Spread: s.Divisor}
	for j := range c.columns {
		k := &c.columns[j]
		if k.constant(s.Shift[j]) {
			s.Divisor[j] = 0
		}
		all.Least, all.Most = append(all.Least, k.min), append(all.Most, k.max)
		all.Whole = append(all.Whole, !k.broken)
	}
	return all
}

// ColumnsOf returns those of rows of cols values each, with weights or nil. NaN is a missing
// value. A scaling with which the rows were scaled, or nil, is undone, but for Whole.
func ColumnsOf(data []float64, cols int, weights []float64, scaled *Scaling) *Columns {
	c := &Collector{Kind: ZScore}
	if slices.ContainsFunc(data, math.IsNaN) {
		c = present(ZScore, data, cols, weights)
	} else {
		c.add(data, cols, weights)
	}
	all := c.Columns()
	if scaled != nil {
		for _, v := range [][]float64{all.Least, all.Most, all.Mean} {
			scaled.Undo(v)
		}
		for j, d := range scaled.Divisor {
			all.Spread[j] *= d
		}
	}
	return all
}
