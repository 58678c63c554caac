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
	case StatusOutOfRange:
		return "out of range"
	}
	return "Status(" + strconv.Itoa(int(s)) + ")"
}
