package softkmeans

// This file holds everything that can go wrong. Data is checked once, at the
// boundary of each exported function and before any work; what stands behind
// the boundary assumes clean input.

import (
	"errors"
	"math"
	"strconv"
)

// Every error of this package unwraps to one of these sentinels, or to the
// error of a cancelled context.
var (
	// ErrShape: a matrix or slice does not have the rows, columns, stride,
	// length or symmetry that the call needs.
	ErrShape = errors.New("wrong shape")
	// ErrNonFinite: the data has a NaN or an infinity.
	ErrNonFinite = errors.New("not a finite number")
	// ErrTooFewSamples: there is no row (of positive weight) to work on.
	ErrTooFewSamples = errors.New("too few samples")
	// ErrFormat: bytes that are not what MarshalBinary writes.
	ErrFormat = errors.New("malformed data")
	// ErrChanged: rows that are not those of the pass before.
	ErrChanged = errors.New("changed between passes")
	// ErrOption: an option or a number of clusters is out of its range.
	ErrOption = errors.New("invalid option")
)

// InputError says which entry of which argument is at fault. Errors about one
// value are of type *InputError: find it with [errors.As].
type InputError struct {
	Arg   string  // the argument's name: "x", "weights", "centers", …
	Row   int     // counted from 0
	Col   int     // counted from 0; -1 where the argument is a slice
	Value float64 // the offending value
	Err   error   // the sentinel it unwraps to
}

// Error returns, for example, "softkmeans: x[3,2] = NaN: not a finite number".
func (e *InputError) Error() string {
	at := strconv.Itoa(e.Row)
	if e.Col >= 0 {
		at += "," + strconv.Itoa(e.Col)
	}
	msg := "softkmeans: " + e.Arg + "[" + at + "] = " + decimal(e.Value)
	if e.Err != nil {
		msg += ": " + e.Err.Error()
	}
	return msg
}

// Unwrap returns the sentinel.
func (e *InputError) Unwrap() error { return e.Err }

// problem is an error about an argument as a whole: a sentence and a sentinel.
type problem struct {
	text string
	err  error
}

func (p *problem) Error() string { return "softkmeans: " + p.text + ": " + p.err.Error() }
func (p *problem) Unwrap() error { return p.err }

func fail(err error, text string) error { return &problem{text, err} }

// otherShape is an ErrChanged that is an ErrShape as well.
type otherShape struct{ problem }

func (*otherShape) Is(target error) bool { return target == ErrShape }

// shape is "3×4", for messages.
func shape(rows, cols int) string { return strconv.Itoa(rows) + "×" + strconv.Itoa(cols) }

// checkShape reports whether m can be read at all: no nil, no negative size,
// and enough data behind it. Sizes whose product overflows int fail here, which
// matters where int has 32 bits.
func checkShape(arg string, m *Matrix) error {
	switch {
	case m == nil:
		return fail(ErrShape, arg+" is nil")
	case m.Rows < 0 || m.Cols < 0:
		return fail(ErrShape, arg+" is "+shape(m.Rows, m.Cols))
	case m.Rows > 0 && m.Stride < m.Cols:
		return fail(ErrShape, arg+" has stride "+strconv.Itoa(m.Stride)+" below its "+strconv.Itoa(m.Cols)+" columns")
	case m.Rows == 0 || m.Cols == 0:
		return nil
	case len(m.Data) < m.Cols || (len(m.Data)-m.Cols)/m.Stride < m.Rows-1:
		return fail(ErrShape, arg+" is "+shape(m.Rows, m.Cols)+" with stride "+strconv.Itoa(m.Stride)+
			" and has only "+strconv.Itoa(len(m.Data))+" values")
	}
	return nil
}

// checkMatrix is checkShape, and that every entry is finite.
func checkMatrix(arg string, m *Matrix) error {
	if err := checkShape(arg, m); err != nil {
		return err
	}
	_, err := maxAbs(arg, m)
	return err
}

// maxAbs returns the largest magnitude in m, 0 where m is empty, or an error
// that names the first entry that is not finite.
func maxAbs(arg string, m *Matrix) (float64, error) {
	var top float64
	if m.Cols == 0 { // of which there may be 2^31 rows
		return 0, nil
	}
	for i := range m.Rows {
		big, ok := rowMaxAbs(m.row(i))
		if !ok {
			for j, v := range m.row(i) {
				if !isFinite(v) {
					return 0, &InputError{Arg: arg, Row: i, Col: j, Value: v, Err: ErrNonFinite}
				}
			}
		}
		top = max(top, big)
	}
	return top, nil
}

// rowMaxAbs returns the largest magnitude in v and whether all of v is finite.
func rowMaxAbs(v []float64) (top float64, finite bool) {
	sum := 0.0 // stays 0 unless a NaN or an infinity comes by: x·0 is NaN for both
	for _, x := range v {
		if a := math.Abs(x); a > top {
			top = a
		}
		sum += x * 0
	}
	return top, sum == 0
}

func isFinite(v float64) bool { return v-v == 0 }

// checkWeights reports whether w can weight n rows: nil, or n finite numbers
// that are at least 0 and not all 0.
func checkWeights(w []float64, n int) error {
	heaviest, err := heaviest(w, n)
	if err == nil && heaviest == 0 {
		return fail(ErrTooFewSamples, "every weight is 0")
	}
	return err
}

// heaviest returns the largest of the weights of n rows, 1 if there are none, or an
// error about weights that are none.
func heaviest(w []float64, n int) (top float64, err error) {
	if w == nil {
		return 1, nil
	}
	if len(w) != n {
		return 0, fail(ErrShape, strconv.Itoa(len(w))+" weights for "+strconv.Itoa(n)+" rows")
	}
	for i, v := range w {
		switch {
		case !isFinite(v):
			return 0, &InputError{Arg: "weights", Row: i, Col: -1, Value: v, Err: ErrNonFinite}
		case v < 0:
			return 0, &InputError{Arg: "weights", Row: i, Col: -1, Value: v, Err: ErrOption}
		}
		top = max(top, v)
	}
	return top, nil
}

// checkSamples is what every function asks of a data matrix: at least one row
// and one column. It does not look at the entries.
func checkSamples(x *Matrix) error {
	if err := checkShape("x", x); err != nil {
		return err
	}
	if x.Rows == 0 {
		return fail(ErrTooFewSamples, "x has no rows")
	}
	if x.Cols == 0 {
		return fail(ErrShape, "x has no columns")
	}
	if !fits(2*min(x.Rows, reduceChunks), x.Cols) { // partial sums of the mean
		return fail(ErrShape, "x of "+shape(x.Rows, x.Cols)+" is too large to address its columns' sums")
	}
	return nil
}
