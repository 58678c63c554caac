package scale

import (
	"math"
	"slices"
)

// Collector computes a Scaling in one pass over blocks of rows. Two passes over a block give its mean and the
// sum of squares about it. They are merged with those of the previous blocks after T. F. Chan, G. H. Golub
// and R. J. LeVeque, Updating Formulae and a Pairwise Algorithm for Computing Sample Variances (1979), (2.1).
// Each mean is a sum of two numbers, because the rounding of one number could be a large part of the variance
// of a column far from 0.
//
// The zero value with a Kind is ready to use.
type Collector struct {
	Kind Kind

	weight  float64
	columns []column

	units []float64 // the power of two that a column is multiplied by
	block moments   // of the present block
}

// column is the range and the moments of a column. Because squares of 1e200 are out
// of range, mean, low and squares are those of values times 2^−exponent.
type column struct {
	min, max  float64
	exponent  int
	mean, low float64 // the mean is their sum
	squares   float64 // the sum of squares about the mean
	broken    bool    // a value is no whole number
}

// moments are those of the columns of a block.
type moments struct {
	total   float64   // the sum of the weights
	means   []float64 // rounded
	rests   []float64 // the sums of the differences from means: not 0, because of rounding
	squares []float64 // the sums of their squares
}

// noColumn is a column without values.
var noColumn = column{min: math.Inf(1), max: math.Inf(-1), exponent: smallest}

// safe is the largest exponent for which squares and their sums are in range.
const safe = 400

// farthest is the least divisor of a column, as a share of its range.
const farthest = 1e-150

// smallest is the exponent of the smallest columns: 2^1000 times them is in range.
const smallest = -1000

// exponentFor returns the exponent of a column whose largest size is top. It is 0
// unless squares would be out of range.
func exponentFor(top float64) int {
	if _, e := math.Frexp(top); top > 0 && (e < -safe || e > safe) {
		return max(e, smallest)
	} else if top > 0 {
		return 0
	}
	return smallest
}

// Add adds rows of cols finite values each; nil weights are all 1.
func (c *Collector) Add(data []float64, cols int, weights []float64) {
	if c.Kind == None || len(data) == 0 {
		return
	}
	if c.columns == nil {
		c.columns = slices.Repeat([]column{noColumn}, cols)
	}
	for i := 0; i*cols < len(data); i++ {
		if weight(weights, i) == 0 {
			continue
		}
		for j, v := range data[i*cols : (i+1)*cols] {
			k := &c.columns[j]
			k.min, k.max = min(k.min, v), max(k.max, v)
			k.broken = k.broken || v != math.Trunc(v)
		}
	}
	if c.Kind != MinMax {
		c.rescale()
		if c.block.compute(data, weights, c.units); c.block.total > 0 {
			c.merge()
		}
	}
}

// rescale updates the exponents and units of the columns after their ranges.
func (c *Collector) rescale() {
	c.units = resize(&c.units, len(c.columns))
	for j := range c.columns {
		k := &c.columns[j]
		if e := exponentFor(max(k.max, -k.min)); e > k.exponent {
			k.mean, k.low = math.Ldexp(k.mean, k.exponent-e), math.Ldexp(k.low, k.exponent-e)
			k.squares = math.Ldexp(k.squares, 2*(k.exponent-e))
			k.exponent = e
		}
		c.units[j] = math.Ldexp(1, -k.exponent)
	}
}

// compute sets m to the moments of data, whose columns are multiplied by units. If
// total is 0 there is no row with a weight.
func (m *moments) compute(data, weights, units []float64) {
	cols := len(units)
	down := 0 // weights are relative to the largest: their sum may be out of range
	if len(weights) > 0 {
		_, down = math.Frexp(slices.Max(weights))
	}
	sums, rests, squares := resize(&m.means, cols), resize(&m.rests, cols), resize(&m.squares, cols)
	m.total = 0
	for i := 0; i*cols < len(data); i++ {
		w := math.Ldexp(weight(weights, i), -down)
		if w == 0 {
			continue
		}
		m.total += w
		for j, v := range data[i*cols : (i+1)*cols] {
			sums[j] += w * (v * units[j])
		}
	}
	if m.total == 0 {
		return
	}
	for j := range sums {
		sums[j] /= m.total
	}
	for i := 0; i*cols < len(data); i++ {
		w := math.Ldexp(weight(weights, i), -down)
		if w == 0 {
			continue
		}
		for j, v := range data[i*cols : (i+1)*cols] {
			u := v*units[j] - sums[j]
			rests[j] += w * u
			squares[j] += w * (u * u)
		}
	}
}

// weight returns weights[i], or 1 if weights is nil.
func weight(weights []float64, i int) float64 {
	if weights == nil {
		return 1
	}
	return weights[i]
}

// merge adds the moments of the block to those of the previous blocks.
func (c *Collector) merge() {
	b := &c.block
	share := b.total / (c.weight + b.total)
	for j := range c.columns {
		k := &c.columns[j]
		rest := b.rests[j] / b.total // the rounding of the block's mean
		squares := max(0, b.squares[j]-b.rests[j]*rest)
		if c.weight == 0 {
			k.mean, k.low, k.squares = b.means[j], rest, squares
			continue
		}
		d := (b.means[j] - k.mean) + (rest - k.low)
		k.squares += squares + d*d*c.weight*share
		k.add(d * share)
	}
	c.weight += b.total
}

// add adds d to the mean. The rounding of the sum is computed after D. E. Knuth, The
// Art of Computer Programming 2, 4.2.2, theorem B.
func (k *column) add(d float64) {
	d += k.low
	sum := k.mean + d
	b := sum - k.mean
	k.low = (k.mean - (sum - b)) + (d - b)
	k.mean = sum
}

// Scaling returns the scaling of all rows so far. It is nil for None, for Auto where
// that leaves the columns, and if there are no rows.
func (c *Collector) Scaling() *Scaling {
	cols := len(c.columns)
	if c.Kind == None || cols == 0 {
		return nil
	}
	s := &Scaling{Kind: c.Kind, Shift: make([]float64, cols), Divisor: make([]float64, cols)}
	if c.Kind == Auto {
		s.Kind = ZScore
	}
	for j := range cols {
		s.Divisor[j] = 1
		if c.columns[j].min <= c.columns[j].max {
			s.Shift[j], s.Divisor[j] = c.columns[j].scaling(s.Kind, c.weight)
		}
	}
	if c.Kind == Auto {
		all, far := c.summary(s), false
		if s.Widest, s.Narrowest, far = all.FarApart(); !far || all.Wide() {
			return nil
		}
	}
	return s
}

func (k *column) scaling(kind Kind, weight float64) (shift, divisor float64) {
	shift = k.min
	if kind == ZScore && k.min < k.max {
		shift = min(max(math.Ldexp(k.mean+k.low, k.exponent), k.min), k.max)
	}
	if k.constant(shift) {
		return shift, 1
	}
	divisor = k.max - k.min
	if kind == ZScore {
		// Rows of very small weight may be so far away that their squares are out of range.
		divisor = max(math.Ldexp(math.Sqrt(k.squares/weight), k.exponent), k.max*farthest-k.min*farthest)
	}
	return shift, min(max(divisor, math.SmallestNonzeroFloat64), math.MaxFloat64)
}

// constant reports whether the values differ from shift by no more than rounding.
func (k *column) constant(shift float64) bool {
	within := negligible * math.Abs(shift)
	return k.max-shift <= within && shift-k.min <= within
}

// resize returns n zeros in the memory of buf.
func resize(buf *[]float64, n int) []float64 {
	*buf = append((*buf)[:0], make([]float64, n)...)
	return *buf
}
