package softkmeans

// The errors of the package, and Status. Exported functions check their data once, before any work. Other
// functions assume that it is valid.

import (
	"errors"
	"math"
	"strconv"
)

// Every error unwraps to one of these, or to the context's error.
var (
	ErrShape     = errors.New("wrong shape")         // an argument is nil, of a wrong size, or not symmetric
	ErrNonFinite = errors.New("not a finite number") // a NaN (see package missing) or an infinity
	ErrRange     = errors.New("out of range: the largest entry of data must be " +
		"from 3.1e-151 to 3.3e150; multiply all entries by a power of ten") // see Data in the package comment
	ErrTooFewSamples = errors.New("too few samples")        // no rows of positive weight, or too few
	ErrFormat        = errors.New("malformed data")         // the bytes are damaged, or of another format
	ErrChanged       = errors.New("changed between passes") // rows changed, or a solution is below the floor
	// ErrOption: an option or k is out of range, or this function or kind of rows does not accept it.
	ErrOption = errors.New("invalid option")
)

// InputError names the bad entry of an argument. Use [errors.As] to find it.
type InputError struct {
	Arg   string  // the argument's name: "x", "weights", "centers", …
	Row   int     // counted from 0
	Col   int     // counted from 0; -1 if the argument is a slice
	Value float64 // the offending value
	Err   error   // the error that Unwrap returns
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

// Unwrap returns Err.
func (e *InputError) Unwrap() error { return e.Err }

// problem is an error about an argument as a whole: a sentence, and the error that Unwrap returns.
type problem struct {
	text string
	err  error
}

func (p *problem) Error() string { return "softkmeans: " + p.text + ": " + p.err.Error() }
func (p *problem) Unwrap() error { return p.err }

func fail(err error, text string) error { return &problem{text, err} }

// orZero returns *opts, or the zero value if opts is nil.
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

// nameOf returns names[v], or for example "Solver(7)" if v is not an index of names.
func nameOf(kind string, v int, names ...string) string {
	if v >= 0 && v < len(names) {
		return names[v]
	}
	return kind + "(" + strconv.Itoa(v) + ")"
}

// shape returns a size for messages: "3×4".
func shape(rows, cols int) string { return strconv.Itoa(rows) + "×" + strconv.Itoa(cols) }

// isFinite reports whether v is neither infinite nor NaN. The test v − v == 0 would be wrong: if v is a
// product, the compiler may fuse it with the subtraction, and the result is then a rounding error.
func isFinite(v float64) bool { return math.Abs(v) <= math.MaxFloat64 }

// decimal formats v for messages, with the fewest digits that distinguish it from all other numbers.
func decimal(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Status says why a computation stopped.
type Status int

// String returns the status in words.
func (s Status) String() string {
	return nameOf("Status", int(s),
		"none", "optimal", "converged", "iteration limit", "cancelled", "no half-space")
}

const (
	StatusNone           Status = iota // the zero value: nothing was computed
	StatusOptimal                      // the global minimum, in closed form, up to rounding
	StatusConverged                    // an iteration met its tolerance (see Model.Stationarity)
	StatusIterationLimit               // an iteration reached its limit; the result is the best so far
	StatusCancelled                    // the context ended; the result is the best so far
	// StatusNoHalfSpace: with SumAtMostOne, the rows, projected on k directions, do not lie in one half-space
	// with 0 on its border. The result is feasible. Gap bounds how far it is above the floor.
	StatusNoHalfSpace
	statusCount // a new status stands before it
)
