package softkmeans

// Why a computation stopped.

import "strconv"

// Status says why a computation stopped.
type Status int

// String returns the status in words.
func (s Status) String() string {
	switch s {
	case StatusNone:
		return "none"
	case StatusOptimal:
		return "optimal"
	case StatusConverged:
		return "converged"
	case StatusIterationLimit:
		return "iteration limit"
	case StatusCancelled:
		return "cancelled"
	}
	return "Status(" + strconv.Itoa(int(s)) + ")"
}

const (
	// StatusNone is the zero value: nothing was computed.
	StatusNone Status = iota
	// StatusOptimal: the global minimum, in closed form, up to the rounding of
	// centers to float64.
	StatusOptimal
	// StatusConverged: an iteration met its tolerance.
	StatusConverged
	// StatusIterationLimit: an iteration reached its limit; the result is the
	// best so far, and usable.
	StatusIterationLimit
	// StatusCancelled: the context ended; the result is the best so far.
	StatusCancelled
	statusCount // a new status stands before it
)
