// Package scale brings the columns of a table to one scale, and back.
//
// It imports neither fmt nor reflect, so that it can be part of a small
// WebAssembly file.
package scale

import "math"

// Kind is what the columns are brought to.
type Kind int

const (
	None   Kind = iota
	ZScore      // mean 0 and variance 1
	MinMax      // from 0 to 1
)

// String is the name that the command line has for it.
func (k Kind) String() string {
	switch k {
	case ZScore:
		return "zscore"
	case MinMax:
		return "minmax"
	}
	return "none"
}

// Scaling is a shift and a positive divisor for every column: a value v becomes
// (v − Shift)/Divisor.
//
// A column whose values differ from Shift by no more than 1e-14 of it is constant,
// but for what rounding has done to its values: it becomes 0, and its divisor is 1.
// Where the range of a column of [MinMax] is more than the largest float64, that
// is its divisor, and its values lie between 0 and 2. Weights that differ by more
// than a factor of 1e150 may make the divisor of [ZScore] too large or too small, but
// no value becomes larger than 1e150.
type Scaling struct {
	Kind           Kind
	Shift, Divisor []float64
}

// negligible is how far a value lies from Shift, relative to it, where rounding may
// be all that tells the two apart.
const negligible = 1e-14

// Of finds the scaling of data, which is whole rows of cols finite values of any
// size; nil for None. A row of weight 2 is a row twice, and one of weight 0 is not
// looked at; without weights all are 1. Without rows the shift is 0 and the divisor
// 1. The cost is three passes.
func Of(kind Kind, data []float64, cols int, weights []float64) *Scaling {
	c := Collector{Kind: kind}
	c.add(data, cols, weights)
	return c.scaling(cols)
}

// Apply scales whole rows, in place. A nil Scaling does nothing.
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
			case u-u != 0: // out of range, which the quotient need not be
				u = (v/2 - shift/2) / (divisor / 2)
			default:
				u /= divisor
			}
			data[j] = u
		}
	}
}

// Undo brings whole rows back to the units of the table, in place; what is out of
// range there becomes the largest float64 of its sign. A nil Scaling does nothing.
func (s *Scaling) Undo(data []float64) {
	if s == nil {
		return
	}
	for cols := len(s.Shift); len(data) > 0; data = data[cols:] {
		for j, v := range data[:cols] {
			shift, divisor := s.Shift[j], s.Divisor[j]
			u := v*divisor + shift
			if u-u != 0 { // on the way, perhaps, and not at its end
				u = 2 * min(max(v*(divisor/2)+shift/2, -math.MaxFloat64/2), math.MaxFloat64/2)
			}
			data[j] = u
		}
	}
}
