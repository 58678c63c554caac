package softkmeans

// Why a computation stopped.

// Status says why a computation stopped.
type Status int

// String returns the status in words.
func (s Status) String() string {
	return nameOf("Status", int(s), "none", "optimal", "converged", "iteration limit", "cancelled", "no half-space")
}

const (
	// StatusNone is the zero value: nothing was computed.
	StatusNone Status = iota
	// StatusOptimal: the global minimum, in closed form, up to the rounding of
	// centers to float64.
	StatusOptimal
	// StatusConverged: an iteration met its tolerance (see Model.Stationarity).
	StatusConverged
	// StatusIterationLimit: an iteration reached its limit; the result is the
	// best so far, and usable.
	StatusIterationLimit
	// StatusCancelled: the context ended; the result is the best so far.
	StatusCancelled
	// StatusNoHalfSpace: of SumAtMostOne. No half-space with 0 on its border has all rows
	// inside, projected on k directions, so that the floor may be out of reach. The result is
	// feasible; Gap says how far above the floor it is.
	StatusNoHalfSpace
	statusCount // a new status stands before it
)
