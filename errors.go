package softkmeans

// The errors of the package, and Status. Exported functions check their data once, before
// any work; other functions assume that it is valid.

import (
	"errors"
	"math"
	"strconv"
)

// Every error of this package unwraps to one of these, or to the context's error.
var (
	// ErrShape: a matrix or slice has the wrong number of rows, columns or values, is nil, or
	// is not symmetric where it must be.
	ErrShape = errors.New("wrong shape")
	// ErrNonFinite: the data has a NaN or an infinity.
	ErrNonFinite = errors.New("not a finite number")
	// ErrRange: a number is too large or too small to compute with. Multiply all by a power
	// of ten. See Data, at the top of the package's documentation.
	ErrRange = errors.New("out of range, which is 3.1e-151 to 3.3e150 for data: " +
		"multiply all by a power of ten")
	// ErrTooFewSamples: there are no rows, or none of positive weight.
	ErrTooFewSamples = errors.New("too few samples")
	// ErrFormat: the bytes to decode are damaged, or MarshalBinary did not write them.
	ErrFormat = errors.New("malformed data")
	// ErrChanged: rows differ between passes, or a solution is below their floor.
	ErrChanged = errors.New("changed between passes")
	// ErrOption: an option, or the number k of clusters, is outside its range, or not for this function or
	// this kind of rows.
	ErrOption = errors.New("invalid option")
)

// InputError says which entry of which argument is at fault. Get at it with [errors.As].
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
	if e.Arg == "weights" && e.Value < 0 {
		msg += ", below 0"
	}
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

// orZero returns *opts, the zero value where opts is nil.
func orZero[T any](opts *T) (o T) {
	if opts != nil {
		o = *opts
	}
	return o
}

// checkCount returns an error if the option is below 0.
func checkCount(name string, n int) error {
	if n < 0 {
		return fail(ErrOption, name+" is "+strconv.Itoa(n)+", below 0")
	}
	return nil
}

// checkAmount returns an error if the option is not a finite number of at least 0.
func checkAmount(name string, v float64) error {
	if v >= 0 && isFinite(v) {
		return nil
	}
	return fail(ErrOption, name+" is "+decimal(v)+", not a finite number of at least 0")
}

// checkEnum returns an error if v is not one of the count values of its type.
func checkEnum[T interface {
	~int
	String() string
}](name string, v, count T) error {
	if v >= 0 && v < count {
		return nil
	}
	return fail(ErrOption, name+" is "+v.String())
}

// nameOf returns names[v], or "Solver(7)" for a value of that kind without a name.
func nameOf(kind string, v int, names ...string) string {
	if v >= 0 && v < len(names) {
		return names[v]
	}
	return kind + "(" + strconv.Itoa(v) + ")"
}

// shape returns "3×4", for messages.
func shape(rows, cols int) string { return strconv.Itoa(rows) + "×" + strconv.Itoa(cols) }

// isFinite reports whether v is neither infinite nor NaN. v − v == 0 would not do: a product
// may be fused with the subtraction, whose result is then a rounding error.
func isFinite(v float64) bool { return math.Abs(v) <= math.MaxFloat64 }

// decimal returns v for messages: the fewest digits that tell it from all other numbers.
func decimal(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Status says why a computation stopped.
type Status int

// String returns the status in words.
func (s Status) String() string {
	return nameOf("Status", int(s),
		"none", "optimal", "converged", "iteration limit", "cancelled", "no half-space")
}

const (
	// StatusNone is the zero value: nothing was computed.
	StatusNone Status = iota
	// StatusOptimal: the global minimum, in closed form, up to rounding.
	StatusOptimal
	// StatusConverged: an iteration met its tolerance (see Model.Stationarity).
	StatusConverged
	// StatusIterationLimit: an iteration reached its limit; the best so far is returned.
	StatusIterationLimit
	// StatusCancelled: the context ended; the best so far is returned.
	StatusCancelled
	// StatusNoHalfSpace: with SumAtMostOne, no half-space with 0 on its border holds all
	// rows, projected on k directions, so that the floor may be out of reach. The result is
	// feasible; Gap says how far above the floor it is.
	StatusNoHalfSpace
	statusCount // a new status stands before it
)
