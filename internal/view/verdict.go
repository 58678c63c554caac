package view

// The certificate in sentences.

import (
	"math"
	"strconv"
	"strings"

	"softkmeans"
)

// CertifiedTol is the tolerance of Certificate.Optimal for a result that is called
// optimal, as a share of the total variance. It is Optimal's own default.
const CertifiedTol = 1e-9

// exactShare is the share of the total variance below which FitMinVolume takes a floor
// for 0.
const exactShare = 1e-6

// Fit is a certificate and what else a verdict depends on.
type Fit struct {
	Certificate softkmeans.Certificate
	Method      Method
	K           int
	NoSlack     bool // of MinVolume: the certificate is that of the global simplex
	Trivial     bool // K prototypes mix any table of this size exactly
	Partial     bool // the fit was stopped early
}

// SlackPart says which part of the total variance takes the floor's place in
// FitMinVolume's slack where the floor is too small; "" where it is not.
func (f *Fit) SlackPart() string {
	switch {
	case f.Trivial:
		return "a tenth"
	case f.Certificate.Floor <= exactShare*f.Certificate.Total:
		return "a millionth"
	}
	return ""
}

// Verdict returns a headline and what it means.
func (f *Fit) Verdict() (head, meaning string) {
	c, k := f.Certificate, f.K
	optimal := c.Optimal(CertifiedTol)
	switch {
	case optimal:
		// The minimum is at least Floor − FloorError.
		within := math.Abs(c.Gap)
		if HasTotal(c) {
			within += c.FloorError / c.Total
		}
		head = "Proved optimal"
		meaning = "The squared error equals the proven floor to within " + strconv.FormatFloat(within, 'g', 1, 64) +
			" of the total variance: no choice of " + Prototypes(k) + " and memberships can be better by more."
		if (f.Method == Global || f.NoSlack) && k > 1 && c.Total > 0 { // there is a simplex
			meaning += " Every simplex in the best subspace that encloses the data reaches this minimum. Its corners lie outside of the data or at its edge, " +
				"so memberships are vague. The minimal volume moves the corners towards the data."
		}
	case c.Floor > 1e-12*c.Total && HasTotal(c):
		head = more(c.Objective/c.Floor-1) + " above the floor"
		meaning = "The least that any " + Prototypes(k) + " can leave over is proved to be " + Number(c.Floor) + "; these leave over " + Number(c.Objective) + "."
		if part := f.SlackPart(); part != "" && f.Method == MinVolume && !f.Partial {
			meaning += " With so small a floor the slack is a share of " + part + " of the total variance."
		}
	case HasTotal(c):
		head = more(c.Objective/c.Total) + " left over"
		meaning = "This table could be mixed from " + Prototypes(k) + " exactly; these leave over that share of the total variance."
		if f.Method == MinVolume {
			meaning += " With a floor of 0 the slack is a share of " + f.SlackPart() + " of that variance."
		}
	case Finite(c.Gap):
		head = Percent(c.Gap) + " of the variance above the floor"
		meaning = "Squared errors times these weights are out of range, and so are the error and the floor. The gap is not."
	default:
		head = "No variance to explain"
		meaning = "All rows are equal."
	}
	if !optimal && !f.Partial {
		switch f.Method {
		case MinVolume:
			meaning += " The slack allows this for compact prototypes. The floor is proved; that no smaller simplex has the same error is not."
		case Alternating:
			meaning += " The iteration may have ended in a local minimum, at another stationary point, or before it converged."
		default:
			meaning += " Better prototypes may exist, by up to " + Small(c.Gap) + " of the total variance."
		}
	}
	return strings.ToUpper(head[:1]) + head[1:], meaning
}

// How says how a model was computed.
func How(m *softkmeans.Model) string {
	if m.Trace == nil {
		return "in closed form"
	}
	how := Count(m.Iterations, "iteration") + ", " + m.Status.String()
	if m.Lambda > 0 {
		how += ", λ\u00a0=\u00a0" + Small(m.Lambda)
	}
	return how
}
