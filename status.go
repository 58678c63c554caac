package softkmeans

// Why a computation stopped.

// Status says why a computation stopped.
type Status int

// String returns the status in words.
func (s Status) String() string {
	return nameOf("Status", int(s), "none", "optimal", "converged", "iteration limit", "cancelled")
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
