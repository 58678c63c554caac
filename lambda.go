package softkmeans

// The slack rule: the largest λ whose error is within the slack.

import "math"

// allowance is how much error over the floor the slack allows. What is less than
// rounding is no room, and a search on log((fit − floor)/room) needs some.
func allowance(j *volumeFit) float64 {
	room := min(j.o.Slack*j.reference(), mostGiven*(j.total-j.pc.floor))
	return max(room, 0x1p-60*j.total, math.SmallestNonzeroFloat64)
}

// firstLambda is where the search for λ starts. Over data sets and slacks λ grew
// about as the root of what the slack allows; the factor lay between 0.4 and 2.
func firstLambda(j *volumeFit) float64 {
	return 0.8 * math.Sqrt(allowance(j)*j.total) / float64(j.k)
}

// searchLambda is the slack rule: the largest λ, from one start, whose fit is within
// the slack. first is the outcome of a first guess.
func searchLambda(j *volumeFit, start *Matrix, first *fitRun) (*fitRun, error) {
	if j.total == 0 || j.pc.basis.Rows == 0 { // all rows are equal, or their mean is the answer: no λ changes it
		return first, nil
	}
	room := allowance(j)
	target := j.pc.floor + room
	// The error over the floor grows about as a power of λ: the search is for
	// a zero of log((fit − floor)/room) over log λ, by the secant through the last
	// two outcomes while that stays between a λ that is known to fit
	// and one that does not, by bisection otherwise. The error may jump, where
	// iterations end in another minimum.
	excess := func(o *fitRun) float64 { return math.Log(max(o.fit-j.pc.floor, 1e-6*room) / room) }
	const close = 0.01
	var within, beyond, best, last *fitRun // last: the one before out
	out := first
	var err error
	for step := range searchSteps {
		if out.fit <= target {
			within = out
		} else {
			beyond = out
		}
		if best == nil || out.fit <= target && !(best.fit > out.fit && best.fit <= target) || best.fit > target && out.fit < best.fit {
			best = out
		}
		if err = cancelled(j.ctx); err != nil || within != nil && within.fit >= target-close*room {
			break
		}
		var next float64
		stride := 0.1 * float64(max(1, step-4)) // where the error hardly changes with λ, so that the ends come in reach
		switch {
		case beyond == nil:
			if next = math.Log(within.lambda) + min(max(-excess(within), stride), 2); within.lambda > mostLambda*j.total/float64(j.k) {
				return best, nil // everything is as small as it gets, and within the slack
			}
		case within == nil:
			next = math.Log(beyond.lambda) - min(max(excess(beyond), stride), 2)
			if beyond.lambda < leastLambda*j.total/float64(j.k) {
				return fallBack(j, best, target)
			}
		default:
			lo, hi := math.Log(within.lambda), math.Log(beyond.lambda)
			if hi-lo < 1e-3 { // the error jumps here
				return best, nil
			}
			next = (lo + hi) / 2
			if last != nil && step%4 != 3 {
				slope := (excess(out) - excess(last)) / (math.Log(out.lambda) - math.Log(last.lambda))
				at := math.Log(out.lambda) - (excess(out)-math.Log(1-close/2))/slope
				if at > lo+0.02*(hi-lo) && at < hi-0.02*(hi-lo) { // false for a NaN
					next = at
				}
			}
		}
		last = out
		if out = j.runAt(start, math.Exp(next)); out == nil {
			err = cancelled(j.ctx)
			break
		}
	}
	if err == nil && within == nil {
		return fallBack(j, best, target)
	}
	return best, err
}

// The search for λ takes at most searchSteps runs, and looks between
// leastLambda and mostLambda, in units of total/k.
const (
	searchSteps = 40
	leastLambda = 1e-8
	mostLambda  = 1e4
)

// fallBack is the slack rule's answer if from a start not even the smallest λ
// fits: the global simplex has a fit equal to the floor, which a small λ can
// only raise by little.
func fallBack(j *volumeFit, best *fitRun, target float64) (*fitRun, error) {
	if j.o.Init != InitGlobal || j.o.Centers != nil {
		start, err := j.globalCenters()
		if err != nil {
			return best, err
		}
		j.o.Init, j.o.Centers = InitGlobal, nil
		first := j.runAt(start, leastLambda*j.total/float64(j.k))
		if first == nil {
			return best, cancelled(j.ctx)
		}
		if first.fit <= target {
			return searchLambda(j, start, first)
		}
		if first.fit < best.fit {
			best = first
		}
	}
	j.missed = min(best.fit/target, math.MaxFloat64)
	return best, nil
}
