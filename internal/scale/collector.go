package scale

import (
	"math"
	"slices"
)

// Collector finds a Scaling in one pass over blocks of rows. Each block's mean and
// sum of squares about it take two passes over the block, and are joined to those
// of the blocks before after T. F. Chan, G. H. Golub and R. J. LeVeque, Updating
// Formulae and a Pairwise Algorithm for Computing Sample Variances (1979), (2.1).
// A mean is the sum of two numbers here: the rounding of one number would be a
// good part of the variance of a column far from 0.
//
// The zero value, with a Kind, is ready.
type Collector struct {
	Kind Kind

	weight  float64
	columns []column

	// Of a block.
	tops, sums, rests, squares []float64
}

// column is what is known of one. Squares of 1e200 are out of range: mean, low and
// squares are of values times 2^−exponent.
type column struct {
	min, max  float64
	exponent  int
	mean, low float64 // the mean is their sum
	squares   float64 // of what values differ from the mean by
}

// safe is an exponent whose squares, and sums of them, are in range.
const safe = 400

// farthest is the share of a column's range that its divisor is at least.
const farthest = 1e-150

// smallest is the exponent of the smallest columns: 2^1000 of them is in range.
const smallest = -1000

// exponentFor is 0 wherever that will do.
func exponentFor(top float64) int {
	if _, e := math.Frexp(top); top > 0 && (e < -safe || e > safe) {
		return max(e, smallest)
	} else if top > 0 {
		return 0
	}
	return smallest
}

// Add takes whole rows of cols finite values.
func (c *Collector) Add(data []float64, cols int) { c.add(data, cols, nil) }

func (c *Collector) add(data []float64, cols int, weights []float64) {
	if c.Kind == None || len(data) == 0 {
		return
	}
	if c.columns == nil {
		c.columns = make([]column, cols)
		for j := range c.columns {
			c.columns[j] = column{min: math.Inf(1), max: math.Inf(-1), exponent: smallest}
		}
	}
	for i := 0; i*cols < len(data); i++ {
		if weights != nil && weights[i] == 0 {
			continue
		}
		for j, v := range data[i*cols : (i+1)*cols] {
			k := &c.columns[j]
			k.min, k.max = min(k.min, v), max(k.max, v)
		}
	}
	if c.Kind == ZScore {
		c.moments(data, cols, weights)
	}
}

// moments brings the means and the squares up to date, after min and max.
func (c *Collector) moments(data []float64, cols int, weights []float64) {
	units := resize(&c.tops, cols)
	for j := range c.columns {
		k := &c.columns[j]
		if e := exponentFor(max(k.max, -k.min)); e > k.exponent {
			k.mean, k.low = math.Ldexp(k.mean, k.exponent-e), math.Ldexp(k.low, k.exponent-e)
			k.squares = math.Ldexp(k.squares, 2*(k.exponent-e))
			k.exponent = e
		}
		units[j] = math.Ldexp(1, -k.exponent)
	}
	down := 0 // weights are relative to the largest: their sum may be out of range
	if len(weights) > 0 {
		_, down = math.Frexp(slices.Max(weights))
	}
	weight := func(i int) float64 {
		if weights == nil {
			return 1
		}
		return math.Ldexp(weights[i], -down)
	}

	sums, rests, squares := resize(&c.sums, cols), resize(&c.rests, cols), resize(&c.squares, cols)
	var total float64
	for i := 0; i*cols < len(data); i++ {
		w := weight(i)
		if w == 0 {
			continue
		}
		total += w
		for j, v := range data[i*cols : (i+1)*cols] {
			sums[j] += w * (v * units[j])
		}
	}
	if total == 0 {
		return
	}
	for j := range sums {
		sums[j] /= total
	}
	for i := 0; i*cols < len(data); i++ {
		w := weight(i)
		if w == 0 {
			continue
		}
		for j, v := range data[i*cols : (i+1)*cols] {
			u := v*units[j] - sums[j]
			rests[j] += w * u
			squares[j] += w * (u * u)
		}
	}
	share := total / (c.weight + total)
	for j := range c.columns {
		k := &c.columns[j]
		rest := rests[j] / total // the rounding of a long sum
		squares := max(0, squares[j]-rests[j]*rest)
		if c.weight == 0 {
			k.mean, k.low, k.squares = sums[j], rest, squares
			continue
		}
		d := (sums[j] - k.mean) + (rest - k.low)
		k.squares += squares + d*d*c.weight*share
		k.add(d * share)
	}
	c.weight += total
}

// add moves the mean. What the sum of two numbers loses to rounding is found as by
// D. E. Knuth, The Art of Computer Programming 2, 4.2.2, theorem B.
func (k *column) add(d float64) {
	d += k.low
	sum := k.mean + d
	b := sum - k.mean
	k.low = (k.mean - (sum - b)) + (d - b)
	k.mean = sum
}

// Scaling is that of all rows so far; nil for None, and for no rows, whose number
// of columns is not known.
func (c *Collector) Scaling() *Scaling { return c.scaling(len(c.columns)) }

func (c *Collector) scaling(cols int) *Scaling {
	if c.Kind == None || cols == 0 {
		return nil
	}
	s := &Scaling{Kind: c.Kind, Shift: make([]float64, cols), Divisor: make([]float64, cols)}
	for j := range cols {
		s.Divisor[j] = 1
		if j < len(c.columns) && c.columns[j].min <= c.columns[j].max {
			s.Shift[j], s.Divisor[j] = c.columns[j].scaling(c.Kind, c.weight)
		}
	}
	return s
}

func (k *column) scaling(kind Kind, weight float64) (shift, divisor float64) {
	shift = k.min
	if kind == ZScore && k.min < k.max {
		shift = min(max(math.Ldexp(k.mean+k.low, k.exponent), k.min), k.max)
	}
	if within := negligible * math.Abs(shift); k.max-shift <= within && shift-k.min <= within {
		return shift, 1
	}
	divisor = k.max - k.min
	if kind == ZScore {
		// Rows of next to no weight may be far out, and their squares out of range.
		divisor = max(math.Ldexp(math.Sqrt(k.squares/weight), k.exponent), k.max*farthest-k.min*farthest)
	}
	return shift, min(max(divisor, math.SmallestNonzeroFloat64), math.MaxFloat64)
}

// resize returns zeros.
func resize(buf *[]float64, n int) []float64 {
	*buf = append((*buf)[:0], make([]float64, n)...)
	return *buf
}
