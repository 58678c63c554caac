// Package scale brings the columns of a table to a common scale, and back.
//
// The package imports neither fmt nor reflect, so that a WebAssembly file with it stays small.
package scale

import (
	"math"
	"slices"
)

// Kind is the scale of the columns.
type Kind int

const (
	None   Kind = iota
	ZScore      // mean 0 and variance 1
	MinMax      // from 0 to 1
	Auto        // ZScore where columns are [Columns.FarApart] and not [Columns.Wide], else None
	Counts      // rows closed to 1 by Close, and columns divided by the roots of their means
	Sums        // rows divided by their sums
	Words       // counts of words, by OfWords and Scaling.Words
)

// names are the names of the kinds on the command line.
var names = [...]string{None: "none", ZScore: "zscore", MinMax: "minmax", Auto: "auto", Counts: "counts",
	Sums: "sums", Words: "words"}

// String returns the name of k on the command line.
func (k Kind) String() string { return names[k] }

// Named returns the kind of a model with that name, and whether there is one.
func Named(name string) (Kind, bool) {
	k := Kind(slices.Index(names[:], name))
	if k < 0 || k == Auto {
		return None, false
	}
	return k, true
}

// Scaling is a shift and a positive divisor for every column: a value v becomes (v − Shift)/Divisor.
//
// A column whose values differ from Shift by at most 1e-14 of it counts as constant: it becomes 0, and its
// divisor is 1. If the range of a column exceeds the largest float64, the divisor of [MinMax] is that number
// and the values lie between 0 and 2. If weights differ by more than a factor of 1e150, the divisor of
// [ZScore] may be too large or too small; no value becomes larger than 1e150.
type Scaling struct {
	Kind           Kind // not Auto; with Counts and Sums rows are closed first; with Words they have length 1 after
	Shift, Divisor []float64

	// With Auto, the columns of the largest and the smallest spread, from 0.
	Widest, Narrowest int
}

// KindOf returns the kind of a scaling; a nil one is None.
func KindOf(s *Scaling) Kind {
	if s == nil {
		return None
	}
	return s.Kind
}

// negligible is the largest difference from Shift, relative to it, that is taken for rounding.
const negligible = 1e-14

// Of returns the scaling of data, rows of cols values each. It is nil for None, and for Auto where
// that leaves the columns. A row of weight 2 counts as two rows, a row of weight 0 as none; nil weights are
// all 1. Without rows the shift is 0 and the divisor 1. NaN is a missing value, which goes with None, ZScore,
// MinMax and Auto: a column has the scaling of its other values. The cost is four passes.
func Of(kind Kind, data []float64, cols int, weights []float64) *Scaling {
	switch kind {
	case Counts:
		closed := slices.Clone(data)
		Close(closed, cols)
		return ofClosed(closed, cols, weights)
	case Sums:
		return ofSums(SumsOf(data, cols), cols, weights)
	case Words:
		row := func(i int) ([]float64, []int) { return data[i*cols : (i+1)*cols], nil }
		return OfWords(len(data)/cols, cols, row, weights)
	}
	if slices.ContainsFunc(data, math.IsNaN) {
		return present(kind, data, cols, weights).Scaling()
	}
	c := Collector{Kind: kind, columns: slices.Repeat([]column{noColumn}, cols)}
	c.Add(data, cols, weights)
	return c.Scaling()
}

// present returns a Collector of the values that are not NaN.
func present(kind Kind, data []float64, cols int, weights []float64) *Collector {
	all := &Collector{Kind: kind, columns: make([]column, cols), weight: 1}
	var values, heavy []float64
	for j := range all.columns {
		values, heavy = values[:0], heavy[:0]
		for i := j; i < len(data); i += cols {
			if data[i] == data[i] {
				values = append(values, data[i])
				if weights != nil {
					heavy = append(heavy, weights[i/cols])
				}
			}
		}
		one := Collector{Kind: kind, columns: []column{noColumn}}
		one.Add(values, 1, heavy)
		all.columns[j] = one.columns[0]
		all.columns[j].squares /= one.weight // the variance
	}
	return all
}

// Apply scales rows in place. A nil Scaling does nothing.
func (s *Scaling) Apply(data []float64) {
	if s == nil {
		return
	}
	for cols := len(s.Shift); len(data) > 0; data = data[cols:] {
		for j, v := range data[:cols] {
			shift, divisor := s.Shift[j], s.Divisor[j]
			u := v - shift
			switch {
			case divisor == 1 && math.Abs(u) <= negligible*math.Abs(shift):
				u = 0
			case u-u != 0: // out of range, but the quotient may be in range
				u = (v/2 - shift/2) / (divisor / 2)
			default:
				u /= divisor
			}
			data[j] = u
		}
	}
}

// Undo brings rows back to the units of the table, in place. A value out of range
// there becomes the largest float64 of its sign. A nil Scaling does nothing.
func (s *Scaling) Undo(data []float64) {
	if s == nil {
		return
	}
	for cols := len(s.Shift); len(data) > 0; data = data[cols:] {
		for j, v := range data[:cols] {
			shift, divisor := s.Shift[j], s.Divisor[j]
			u := v*divisor + shift
			if u-u != 0 { // out of range, but the sum may be in range
				u = 2 * min(max(v*(divisor/2)+shift/2, -math.MaxFloat64/2), math.MaxFloat64/2)
			}
			data[j] = u
		}
	}
}
