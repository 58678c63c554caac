package softkmeans

// λ follows the slack while a run goes on.

import "math"

// λ is between leastLambda and mostLambda, in units of total/k, and changes at most
// mostChanges times. The objective ends within closeShare of the slack.
const (
	mostChanges = 24
	leastLambda = 1e-8
	mostLambda  = 1e4
	closeShare  = 0.01
)

// steering moves λ while a run goes on, until the objective is within the target, and
// near it. The objective over the floor grows about as a power
// of λ: a step goes to the zero of its logarithm by the secant through the last two points
// at which the run had come to rest. It jumps where the iterate moves to another minimum.
type steering struct {
	floor, target, allowance float64
	close                    float64 // the share of allowance below target that is near
	unit                     float64 // of leastLambda and mostLambda
	changes                  int
	last, excess             float64 // log λ and excess of the last point
	slope                    float64
	within                   *snapshot // the highest point within the slack
}

// snapshot is a point to come back to.
type snapshot struct {
	f                 *Matrix
	lambda, objective float64
}

// firstSlope is how fast the logarithm of the excess grows with that of λ, until two points
// tell.
const firstSlope = 1.5

// near reports whether an objective is within the slack, and close to its end.
func (q *steering) near(objective float64) bool {
	return objective <= q.target && objective >= q.target-q.close*q.allowance
}

// calm reports whether a run is near enough to rest to change λ: the last iteration changed
// the objective by a small share of what is missing.
func (q *steering) calm(objective, before float64) bool {
	return math.Abs(objective-before) <= calmShare*math.Abs(objective-q.middle())
}

// calmShare is that share. With 0.15 runs took up to three times as many iterations.
const calmShare = 0.05

// middle is the objective aimed at.
func (q *steering) middle() float64 { return q.target - q.close/2*q.allowance }

// next returns λ after a point of the run that is at rest, with its centers, and whether
// it changed.
func (q *steering) next(f *Matrix, objective, lambda float64) (float64, bool) {
	if objective <= q.target && (q.within == nil || objective > q.within.objective) {
		q.within = &snapshot{f.Clone(), lambda, objective}
	}
	if q.near(objective) || q.changes == mostChanges {
		return lambda, false
	}
	log := math.Log(lambda)
	e := math.Log(max(objective-q.floor, 1e-6*q.allowance) / (q.allowance * (1 - q.close/2)))
	if q.changes > 0 && log != q.last {
		q.slope = min(max((e-q.excess)/(log-q.last), 0.5), 4)
	}
	q.last, q.excess = log, e
	step := min(max(-e/q.slope, -mostStep), mostStep)
	to := math.Exp(log + step)
	if math.Abs(step) < leastStep || to > mostLambda*q.unit || to < leastLambda*q.unit {
		return lambda, false
	}
	q.changes++
	return to, true
}

// A step changes λ by a factor of e^mostStep at most; with e³ two scenes took twice and three
// times as long. One by less than e^leastStep changes nothing.
const (
	mostStep  = 2
	leastStep = 1e-5
)
