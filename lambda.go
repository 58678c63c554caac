package softkmeans

// The slack rule: the largest λ whose objective is within the slack. λ follows the objective while a run
// goes on. Many rows begin on a draw of them.

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// bySlack reports whether λ is that of the slack rule.
func (vf *volumeFit) bySlack() bool { return vf.o.Lambda == 0 }

// allowance returns how far above the floor the slack allows the objective: at least a rounding of the
// total, as the search divides by it.
func allowance(vf *volumeFit) float64 {
	return max(min(vf.o.Slack*vf.reference(), mostGiven*(vf.total-vf.pc.floor)), 0x1p-60*vf.total)
}

// firstLambda returns the λ at which the search starts. Over data sets and slacks the λ found grew about as
// the root of the allowance. Its factor, here 0.8, lay between 0.4 and 2.
func firstLambda(vf *volumeFit) float64 {
	return 0.8 * math.Sqrt(allowance(vf)*vf.total) / float64(vf.k)
}

// solve returns the best run for the options' λ, or for the slack rule's.
func solve(vf *volumeFit) (*runResult, error) {
	if !vf.bySlack() {
		return vf.runThrough(vf.scaledLambda(vf.o.Lambda))
	}
	lambda := firstLambda(vf)
	if vf.total < leastScale*leastScale || vf.pc.basis.Rows == 0 { // one point is the answer
		return vf.runThrough(lambda)
	}
	best, err := solveSlack(vf, lambda)
	if target := vf.target(); err == nil && best.objective > target {
		vf.missed = min(best.objective/target, math.MaxFloat64)
	}
	return best, err
}

// solveSlack returns the run for the slack rule's λ, where the search begins with a given one. Bounds of
// NonNegative, which the end of the fit alone has, may leave it above the slack.
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

// solveTall returns the run for the slack rule on many rows, without a fall-back. Start and λ are found on
// a draw.
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

// target returns the largest objective that the slack allows.
func (vf *volumeFit) target() float64 { return vf.pc.floor + allowance(vf) }

func newSteering(vf *volumeFit) *steering {
	a := allowance(vf)
	q := &steering{
		floor: vf.pc.floor, target: vf.pc.floor + a, allowance: a,
		unit: vf.total / float64(vf.k), slope: firstSlope, close: closeShare,
	}
	if vf.drawn {
		q.close = tallClose
	}
	return q
}

// steered runs from a start while λ follows the slack, and returns the run at the last λ.
func (vf *volumeFit) steered(start *Matrix, lambda float64) (*runResult, error) {
	q := newSteering(vf)
	vf.steer = q
	out := vf.runAt(start, lambda)
	vf.steer = nil
	// Where the objective jumps the last point within the slack is the answer.
	if out != nil && out.status != StatusCancelled && out.objective > q.target && q.within != nil {
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

// fallBack returns the slack rule's answer if from a start not even the smallest λ is within the slack. The
// global simplex has an objective equal to the floor, which a small λ can only raise by little.
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

// sameVolume is how much smaller a simplex may be, as a share, for pureSamples to take its own as the
// smallest. Half of the slack would shrink it by some ten times that.
const sameVolume = 1e-4

// pureSamples returns the samples of InitSPA as the result if they are the smallest simplex around an exact
// mixture. nil: they are not, or are not asked for.
//
// Mixtures that reach the same objective are within its root r of these k samples, in the data's scaled
// units and for weights of 1. They lie in the simplex of their centers, and so has the simplex of the k
// mixtures no larger volume than that. leastLogProduct says how much smaller than the samples' own it can
// be, by Mirsky's theorem.
func pureSamples(vf *volumeFit) *runResult {
	exact := vf.sum == SumToOne && !vf.trivial() && vf.pc.floor <= roundedFloor*vf.total && vf.k > 1
	asked := vf.o.Init == InitSPA && vf.o.Volume == VolumeAffine
	if !exact || !asked || vf.o.Centers != nil || !vf.bySlack() {
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
	shrink := leastLogProduct(sigma, 0) - leastLogProduct(sigma, math.Sqrt(run.objective/light))
	if shrink > sameVolume || !(sigma[vf.k-2] > 0) {
		return nil
	}
	run.status = StatusConverged
	return run
}

// λ is between leastLambda and mostLambda, in units of total/k, and changes at most mostChanges times. The
// objective ends within closeShare of the slack.
const (
	mostChanges = 24
	leastLambda = 1e-8
	mostLambda  = 1e4
	closeShare  = 0.01
)

// steering moves λ while a run goes on, until the objective is within the target, and near it. The objective
// over the floor grows about as a power of λ: a step goes to the zero of its logarithm by the secant through
// the last two points at which the run had come to rest. It jumps where the iterate moves to another minimum.
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

// firstSlope is how fast the logarithm of the excess grows with that of λ, until two points tell.
const firstSlope = 1.5

// calm reports whether a run is near enough to rest to change λ: the last iteration changed the objective
// by a small share of what is missing.
func (q *steering) calm(objective, before float64) bool {
	return math.Abs(objective-before) <= calmShare*math.Abs(objective-(q.target-q.close/2*q.allowance))
}

// calmShare is that share. With 0.15 runs took up to three times as many iterations.
const calmShare = 0.05

// next returns λ after a point of the run that is at rest, with its centers, and whether it changed.
func (q *steering) next(f *Matrix, objective, lambda float64) (float64, bool) {
	if objective <= q.target && (q.within == nil || objective > q.within.objective) {
		q.within = &snapshot{f.Clone(), lambda, objective}
	}
	near := objective <= q.target && objective >= q.target-q.close*q.allowance
	if near || q.changes == mostChanges {
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

// A step changes λ by a factor of e^mostStep at most; with e³ two scenes took twice and three times as
// long. One by less than e^leastStep changes nothing.
const (
	mostStep  = 2
	leastStep = 1e-5
)

// A fit of more than manyRows rows begins on a draw of drawnRows, or of drawnPerCenter a center. On all
// rows Tol is tallTol times as large, and the objective ends within a share tallClose of the slack: more
// exact ends took two to four times as many passes over all rows.
const (
	manyRows       = 1 << 14
	drawnRows      = 1 << 12
	drawnPerCenter = 128
	tallTol        = 10
	tallClose      = 0.05
	leastTallSlack = 0.05
)

// isTall reports whether the fit begins on a draw. InitSPA looks for single rows among all. A slack below
// leastTallSlack is not much above what the centers of a draw add to the floor by chance.
func (vf *volumeFit) isTall() bool {
	return vf.z.Rows > max(manyRows, 4*vf.drawSize()) && vf.o.Slack >= leastTallSlack &&
		vf.o.Init == InitKMeans && vf.o.Centers == nil && !vf.plain
}

func (vf *volumeFit) drawSize() int { return max(drawnRows, drawnPerCenter*vf.k) }

// draw returns the fit of rows that are drawn by weight. They have the weight of all rows, and what they
// have outside the principal plane is replaced by the floor of these.
func (vf *volumeFit) draw() *volumeFit {
	rows := drawRows(vf.s, rand.New(rand.NewPCG(vf.o.Seed, drawStream)), vf.drawSize())
	s := *vf.s
	s.x, s.n, s.weights = nil, len(rows), make([]float64, len(rows))
	weight := math.Ldexp(1/vf.perWeight(1)/float64(s.n), s.wexp)
	for i := range s.weights {
		s.weights[i] = weight
	}
	part := *vf
	part.s, part.work, part.z = &s, nil, chosenRows(vf.z, rows)
	inside, _ := part.leading()
	part.residual = vf.pc.floor - squaresBeyond(&s, part.z, inside)
	return &part
}

// draw takes this stream of random numbers.
const drawStream = 0xd0a7
