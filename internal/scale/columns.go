package scale

import (
	"math"
	"slices"
)

// Columns sums up the columns of a table. Spread is the standard deviation of each, 0 where all values are
// the same to rounding. Whole tells columns of whole numbers. Rows of weight 0 do not count.
type Columns struct {
	Least, Most, Mean, Spread []float64
	Whole                     []bool
}

// Columns returns the columns of all rows so far, of which at least one must have weight.
// The Kind must be ZScore.
func (c *Collector) Columns() *Columns {
	return c.summary(c.Scaling())
}

// summary returns the columns whose means and standard deviations s has.
func (c *Collector) summary(s *Scaling) *Columns {
	all := &Columns{Mean: s.Shift, Spread: slices.Clone(s.Divisor)}
	for j := range c.columns {
		k := &c.columns[j]
		if k.constant(s.Shift[j]) {
			all.Spread[j] = 0
		}
		all.Least, all.Most = append(all.Least, k.min), append(all.Most, k.max)
		all.Whole = append(all.Whole, !k.broken)
	}
	return all
}

// farApart is how many times the columns of a table differ in spread where Auto scales them.
const farApart = 100

// FarApart returns the columns of the largest and the smallest spread, −1 without any that varies, and
// whether they are far apart. Both the standard deviations and the ranges must be so: a column that is
// seldom more than 0, as a pixel at the edge of images, has a small deviation, but a range like those of
// other pixels.
func (c *Columns) FarApart() (widest, narrowest int, far bool) {
	least, most := math.Inf(1), 0.0
	widest, narrowest = -1, -1
	for j := range c.Least {
		v := c.Spread[j]
		if v == 0 {
			continue
		}
		least, most = min(least, c.Most[j]-c.Least[j]), max(most, c.Most[j]-c.Least[j])
		if widest < 0 || v > c.Spread[widest] {
			widest = j
		}
		if narrowest < 0 || v < c.Spread[narrowest] {
			narrowest = j
		}
	}
	far = widest >= 0 && most/farApart > least && c.Spread[widest]/farApart > c.Spread[narrowest]
	return widest, narrowest, far
}

// ManyColumns is from how many columns on a table without clear negative entries is taken to be of one unit,
// as spectra, genes and pixels are. Of labelled tables one alone is decided by it: mnist, .486 → .541.
const ManyColumns = 64

// Wide reports whether the columns are taken to be of one unit since they are many.
func (c *Columns) Wide() bool {
	return len(c.Least) >= ManyColumns && c.AboveZero()
}

// roundZero is how far noise takes entries below 0, as a share of the largest range of a column. A share of
// the largest entry would hide degrees below 0 beside a pressure of 10 000.
const roundZero = .02

// AboveZero reports whether all entries are at least 0 except for noise.
func (c *Columns) AboveZero() bool {
	noise := 0.0
	for j, most := range c.Most {
		noise = max(noise, roundZero*most-roundZero*c.Least[j])
	}
	return slices.Min(c.Least) >= -noise
}

// AboveZero reports whether all entries of rows of cols values each are at least 0 except for noise. NaN is a
// missing value.
func AboveZero(data []float64, cols int) bool {
	c := &Columns{Least: slices.Repeat([]float64{math.Inf(1)}, cols),
		Most: slices.Repeat([]float64{math.Inf(-1)}, cols)}
	for i, v := range data {
		if j := i % cols; v == v {
			c.Least[j], c.Most[j] = min(c.Least[j], v), max(c.Most[j], v)
		}
	}
	return c.AboveZero()
}

// Bounds reports whether prototypes of rows that s scales are kept at 0 or above: if columns are not
// standardized, and the entries were [AboveZero] before. s may be nil.
func (s *Scaling) Bounds(data []float64, cols int) bool {
	return (s == nil || s.Closes() || s.Kind == Words) && AboveZero(data, cols)
}

// ColumnsOf returns those of rows of cols values each, with weights or nil. NaN is a missing
// value. A scaling with which the rows were scaled, or nil, is undone, but for Whole.
func ColumnsOf(data []float64, cols int, weights []float64, scaled *Scaling) *Columns {
	c := &Collector{Kind: ZScore}
	if slices.ContainsFunc(data, math.IsNaN) {
		c = present(ZScore, data, cols, weights)
	} else {
		c.Add(data, cols, weights)
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
