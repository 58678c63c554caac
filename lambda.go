package softkmeans

// The slack rule: the largest λ whose objective is within the slack.

import "math"

// allowance is how far above the floor the slack allows the objective. It is at least
// a rounding of the total, as the search divides by it.
func allowance(vf *volumeFit) float64 {
	return max(min(vf.o.Slack*vf.reference(), mostGiven*(vf.total-vf.pc.floor)), 0x1p-60*vf.total)
}

// firstLambda is where the search for λ starts. Over data sets and slacks the λ found grew
// about as the root of the allowance. Its factor, here 0.8, lay between 0.4 and 2.
func firstLambda(vf *volumeFit) float64 {
	return 0.8 * math.Sqrt(allowance(vf)*vf.total) / float64(vf.k)
}

// solve returns the best run for the options' λ, or for the slack rule's.
func solve(vf *volumeFit) (*runResult, error) {
	if vf.o.Lambda > 0 {
		best, _, err := vf.runStarts(vf.scaledLambda(vf.o.Lambda))
		return best, err
	}
	best, start, err := vf.runStarts(firstLambda(vf))
	if err != nil {
		return best, err
	}
	return searchLambda(vf, start, best)
}

// The search for λ takes at most searchSteps runs, and looks between leastLambda and
// mostLambda, in units of total/k. It ends within closeShare of the slack.
const (
	searchSteps = 40
	leastLambda = 1e-8
	mostLambda  = 1e4
	closeShare  = 0.01
)

// lambdaSearch is a search for the zero of log((objective − floor)/allowance) over
// log λ. The objective over the floor grows about as a power of λ, but it jumps where
// iterations end in another minimum.
type lambdaSearch struct {
	vf             *volumeFit
	allowance      float64
	target         float64    // the floor and the allowance
	within, beyond *runResult // the runs on either side of the target; nil: none yet
	best           *runResult
	last           *runResult // the run before the latest
}

// searchLambda is the slack rule: the largest λ, from one start, whose objective is
// within the slack. first is the run at a first guess. Where all rows are equal, or
// k = 1 makes their mean the answer, no λ changes it.
func searchLambda(vf *volumeFit, start *Matrix, first *runResult) (*runResult, error) {
	if vf.total < leastScale*leastScale || vf.pc.basis.Rows == 0 {
		return first, nil
	}
	q := &lambdaSearch{vf: vf, allowance: allowance(vf)}
	q.target = vf.pc.floor + q.allowance
	out := first
	var err error
	for step := range searchSteps {
		q.add(out)
		if err = cancelled(vf.ctx); err != nil {
			break
		}
		lambda, done := q.next(out, step)
		if done {
			break
		}
		q.last = out
		if out = vf.runAt(start, lambda); out == nil {
			err = cancelled(vf.ctx)
			break
		}
	}
	if err == nil && q.within == nil {
		return fallBack(vf, q.best, q.target)
	}
	return q.best, err
}

// add takes in a run. The best one has the largest objective within the slack, or the
// smallest beyond it.
func (q *lambdaSearch) add(out *runResult) {
	objective := out.objective
	if objective <= q.target {
		q.within = out
	} else {
		q.beyond = out
	}
	if q.best == nil {
		q.best = out
		return
	}
	best := q.best.objective
	if objective <= q.target && !(best > objective && best <= q.target) || best > q.target && objective < best {
		q.best = out
	}
}

// excess is log((objective − floor)/allowance).
func (q *lambdaSearch) excess(out *runResult) float64 {
	return math.Log(max(out.objective-q.vf.pc.floor, 1e-6*q.allowance) / q.allowance)
}

// next returns the λ to try after the latest run, or that the search is done. It takes
// the secant through the last two runs while that falls between a λ within the slack
// and one beyond it, and bisects otherwise.
func (q *lambdaSearch) next(out *runResult, step int) (lambda float64, done bool) {
	within, beyond := q.within, q.beyond
	unit := q.vf.total / float64(q.vf.k)
	stride := 0.1 * float64(max(1, step-4)) // grows where the objective hardly changes with λ
	switch {
	case within != nil && within.objective >= q.target-closeShare*q.allowance:
		return 0, true
	case beyond == nil: // above mostLambda the simplex is as small as it gets
		return math.Exp(math.Log(within.lambda) + min(max(-q.excess(within), stride), 2)), within.lambda > mostLambda*unit
	case within == nil:
		return math.Exp(math.Log(beyond.lambda) - min(max(q.excess(beyond), stride), 2)), beyond.lambda < leastLambda*unit
	}
	lo, hi := math.Log(within.lambda), math.Log(beyond.lambda)
	if hi-lo < 1e-3 { // the objective jumps here
		return 0, true
	}
	next := (lo + hi) / 2
	if q.last != nil && step%4 != 3 {
		slope := (q.excess(out) - q.excess(q.last)) / (math.Log(out.lambda) - math.Log(q.last.lambda))
		at := math.Log(out.lambda) - (q.excess(out)-math.Log(1-closeShare/2))/slope
		if at > lo+0.02*(hi-lo) && at < hi-0.02*(hi-lo) { // false for a NaN
			next = at
		}
	}
	return math.Exp(next), false
}

// fallBack is the slack rule's answer if from a start not even the smallest λ is within
// the slack. The global simplex has an objective equal to the floor, which a small λ
// can only raise by little.
func fallBack(vf *volumeFit, best *runResult, target float64) (*runResult, error) {
	if vf.o.Init != InitGlobal || vf.o.Centers != nil {
		start, err := vf.globalCenters()
		if err != nil {
			return best, err
		}
		vf.o.Init, vf.o.Centers = InitGlobal, nil
		first := vf.runAt(start, leastLambda*vf.total/float64(vf.k))
		if first == nil {
			return best, cancelled(vf.ctx)
		}
		if first.objective <= target {
			return searchLambda(vf, start, first)
		}
		if first.objective < best.objective {
			best = first
		}
	}
	vf.missed = min(best.objective/target, math.MaxFloat64)
	return best, nil
}
