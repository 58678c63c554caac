package softkmeans

// The slack rule: the largest λ whose objective is within the slack.

import (
	"cmp"
	"math"
	"slices"
)

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
		return vf.runThrough(vf.scaledLambda(vf.o.Lambda))
	}
	lambda := firstLambda(vf)
	if vf.total < leastScale*leastScale || vf.pc.basis.Rows == 0 { // all rows are equal, or their mean is the answer
		return vf.runThrough(lambda)
	}
	best, err := solveSlack(vf, lambda)
	if target := vf.target(); err == nil && best.objective > target {
		vf.missed = min(best.objective/target, math.MaxFloat64)
	}
	return best, err
}

// solveSlack returns the run for the slack rule's λ, where the search begins with a given
// one. Bounds of NonNegative, which the end of the fit alone has, may leave it above the slack.
func solveSlack(vf *volumeFit, lambda float64) (*runResult, error) {
	if vf.isTall() {
		whole := *vf
		best, err := solveTall(vf, lambda)
		if err != nil || best.objective <= vf.target() {
			return best, err
		}
		*vf = whole // the draw misled
	}
	start, run, err := vf.chosenStart(lambda)
	if err != nil {
		return run, err
	}
	best, err := vf.steered(start, lambda)
	if err == nil && best.objective > vf.target() {
		best, err = fallBack(vf, best)
	}
	if err != nil {
		return best, err
	}
	return vf.inFull(best, func(all *volumeFit, f *Matrix) *runResult {
		out, _ := all.steered(f, best.lambda) // inFull asks the context
		if out != nil && out.lambda == best.lambda {
			out.follow(best)
		}
		return out
	})
}

// solveTall is solveSlack for many rows, without its fall-back. Start and λ are those of a
// draw.
func solveTall(vf *volumeFit, lambda float64) (*runResult, error) {
	part := vf.draw()
	start, best, err := part.chosenStart(lambda)
	if err == nil {
		best, err = part.steered(start, lambda)
	}
	if best == nil {
		return nil, err
	}
	all := *vf
	if err == nil {
		err = all.widen()
	}
	if err == nil {
		best.iterate = &iterate{f: vf.lift(best.f)}
		*vf = all
		vf.drawn, vf.restart = true, part.restart
		vf.o.Tol *= tallTol
		var out *runResult
		if out, err = vf.steered(best.f, best.lambda); out != nil {
			return out, err
		}
	}
	best, wrong := vf.afterEnd(best)
	return best, cmp.Or(wrong, err)
}

// target is the largest objective that the slack allows.
func (vf *volumeFit) target() float64 { return vf.pc.floor + allowance(vf) }

func newSteering(vf *volumeFit) *steering {
	a := allowance(vf)
	q := &steering{floor: vf.pc.floor, target: vf.pc.floor + a, allowance: a, unit: vf.total / float64(vf.k), slope: firstSlope, close: closeShare}
	if vf.drawn {
		q.close = tallClose
	}
	return q
}

// steered runs from a start while λ follows the slack, and returns the run at the last λ.
func (vf *volumeFit) steered(start *Matrix, lambda float64) (*runResult, error) {
	vf.steer = newSteering(vf)
	out := vf.runAt(start, lambda)
	q := vf.steer
	vf.steer = nil
	if out != nil && out.status != StatusCancelled && out.objective > q.target && q.within != nil { // the objective jumps here
		back := vf.runAt(q.within.f, q.within.lambda)
		if back == nil {
			return out, cancelled(vf.ctx)
		}
		out = back
	}
	if out == nil || out.status == StatusCancelled {
		return out, cancelled(vf.ctx)
	}
	return out, nil
}

// fallBack is the slack rule's answer if from a start not even the smallest λ is within
// the slack. The global simplex has an objective equal to the floor, which a small λ
// can only raise by little.
func fallBack(vf *volumeFit, best *runResult) (*runResult, error) {
	target := vf.target()
	if vf.o.Init != InitGlobal || vf.o.Centers != nil {
		start, err := vf.globalCenters()
		if err != nil {
			return best, err
		}
		vf.o.Init, vf.o.Centers = InitGlobal, nil
		first, err := vf.steered(start, leastLambda*vf.total/float64(vf.k))
		if first == nil || err != nil {
			return best, err
		}
		if first.objective <= target {
			return first, nil
		}
		if first.objective < best.objective {
			best = first
		}
	}
	return best, nil
}

// sameVolume is how much smaller a simplex may be, as a share, for pureSamples to take its
// own as the smallest. Half of the slack would shrink it by some ten times that.
const sameVolume = 1e-4

// pureSamples returns the samples of InitSPA as the result if they are the smallest
// simplex around an exact mixture. nil: they are not, or are not asked for.
//
// Mixtures that reach the same objective are within its root r of these k samples, in the
// data's scaled units and for weights of 1. They lie in the simplex of their centers, and
// so has the simplex of the k mixtures no larger volume than that. leastLogProduct says
// how much smaller than the samples' own it can be, by Mirsky's theorem.
func pureSamples(vf *volumeFit) *runResult {
	exact := vf.sum == SumToOne && !vf.trivial() && vf.pc.floor <= roundedFloor*vf.total && vf.k > 1
	if !exact || vf.o.Init != InitSPA || vf.o.Centers != nil || vf.o.Lambda > 0 || vf.o.Volume != VolumeAffine {
		return nil
	}
	start, err := vf.startCenters(0)
	if err != nil || stopped(vf.ctx) {
		return nil
	}
	run := vf.runOf(start, 0, 0)
	if run == nil {
		return nil
	}
	light := 1.0
	for i := range vf.s.n {
		if w := vf.s.weight(i); w > 0 {
			light = min(light, w)
		}
	}
	ones := slices.Repeat([]float64{1}, vf.k)
	sigma := singularValues(run.f, ones)[:vf.k-1]
	if leastLogProduct(sigma, 0)-leastLogProduct(sigma, math.Sqrt(run.objective/light)) > sameVolume || !(sigma[vf.k-2] > 0) {
		return nil
	}
	run.status = StatusConverged
	return run
}
