package softkmeans

// Rules for λ: a fixed one, and the slack rule, which takes the λ of the objective nearest below
// (1+Slack)·floor. λ follows the objective while a run goes on. Many rows begin on a draw of them. The rule
// by the noise of a scene is in mvskmunmix.go.

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// lambdaRule finds λ and the best run for it.
type lambdaRule interface {
	// solve returns the best run of a fit that begins in the coordinates of m. If the context ends the
	// result is the best so far, nil if there is none, and the context's error.
	solve(m *alternation) (*volumeRun, error)
}

// rule returns the rule that the options ask for.
func (p *minVolume) rule() lambdaRule {
	switch {
	case !p.bySlack():
		return fixedLambda(p.scaledLambda(p.o.Lambda))
	case p.pc.total < leastScale*leastScale || p.pc.basis.Rows == 0: // one point is the answer
		return fixedLambda(p.firstLambda())
	}
	return slackRule{}
}

// fixedLambda is a given λ, in scaled units.
type fixedLambda float64

func (l fixedLambda) solve(m *alternation) (*volumeRun, error) {
	best, _, err := m.runStarts(float64(l))
	if err != nil {
		return best, err
	}
	return best.inFull(best.after)
}

// slackRule takes the λ of the objective nearest below the target, (1+Slack)·floor.
type slackRule struct{}

// solve looks for λ from firstLambda on. Bounds of centers may leave the run above the slack.
func (slackRule) solve(m *alternation) (best *volumeRun, err error) {
	if m.isTall() {
		best, err = solveTall(m)
	}
	if err == nil && (best == nil || best.objective > m.target()) { // not tall, or the draw misled
		var all *volumeRun
		if all, err = solveSlack(m); all != nil {
			best = all
		}
	}
	if target := m.target(); err == nil && best.objective > target {
		best.missed = min(best.objective/target, math.MaxFloat64)
	}
	return best, err
}

// solveSlack returns the run for the slack rule's λ on all rows.
func solveSlack(m *alternation) (*volumeRun, error) {
	lambda := m.firstLambda()
	from, best, err := m.chosenStart(lambda)
	if err != nil {
		return best, err
	}
	best, err = m.steered(from, lambda)
	if err == nil && best.objective > m.target() {
		best, err = fallBack(best)
	}
	if err != nil {
		return best, err
	}
	return best.inFull(func(all *alternation, from runStart) *volumeRun {
		out, _ := all.steered(from, best.lambda) // inFull asks the context
		if out != nil && out.lambda == best.lambda {
			out.follow(best)
		}
		return out
	})
}

// solveTall returns the run for the slack rule on many rows, without a fall-back. Start and λ are found on
// a draw, which is corrected by what all rows show.
func solveTall(m *alternation) (*volumeRun, error) {
	part := m.draw()
	if part.s.n < fairlyDrawn*m.k { // its error says little of that of all rows
		part.tol = tallTol * m.tol
	}
	lambda := min(m.firstLambda(), firstTall*m.allowance()/float64(m.k))
	from, best, err := part.chosenStart(lambda)
	if err == nil {
		best, err = part.steered(from, lambda)
	}
	if best == nil {
		return nil, err
	}
	var at *iterate
	if err == nil {
		at, err = m.measured(best.f, nil)
	}
	if err == nil && part.s.n >= fairlyDrawn*m.k {
		at, best, err = m.refine(at, best)
	}
	var end *alternation
	if err == nil {
		end, err = m.end()
	}
	if err == nil {
		all := *end
		all.tol, all.close = tallTol*m.tol, tallClose
		var out *volumeRun
		if out, err = all.steered(runStart{m.lift(at.f), best.restart}, best.lambda); out != nil {
			out.m = end // with the tolerance that was asked for
			return out, err
		}
	}
	best, wrong := m.afterEnd(best)
	return best, cmp.Or(wrong, err)
}

// steered runs from a start while λ follows the slack, and returns the run at the last λ, or at the best λ
// within the slack where the last is not.
func (m *alternation) steered(from runStart, lambda float64) (*volumeRun, error) {
	q := m.newSteering(m.close)
	out := m.run(from, lambda, m.most, q)
	// Where the objective jumps the last point within the slack is the answer.
	if out != nil && out.status != StatusCancelled && out.objective > q.target && q.within != nil {
		back := m.run(runStart{q.within.f, from.restart}, q.within.lambda, m.most, nil)
		if back == nil {
			return out, cancelled(m.s.ctx)
		}
		out = back
	}
	if out == nil || out.status == StatusCancelled {
		return out, cancelled(m.s.ctx)
	}
	return out, nil
}

// fallBack returns the slack rule's answer if no λ that was tried from a start is within the slack. The
// global simplex has an objective equal to the floor, which a small λ can only raise by little.
func fallBack(best *volumeRun) (*volumeRun, error) {
	m := best.m
	if m.o.Init == InitGlobal && m.o.Centers == nil {
		return best, nil
	}
	global, err := m.globalCenters()
	if err != nil {
		return best, err
	}
	first, err := m.steered(runStart{global, best.restart}, leastLambda*m.pc.total/float64(m.k))
	if err == nil && first.objective < best.objective {
		best = first
	}
	return best, err
}

// sameVolume is how much smaller a simplex may be, as a share, for pureSamples to take its own as the
// smallest. Half of the slack would shrink it by some ten times that.
const sameVolume = 1e-4

// pureSamples returns the samples of InitSPA as the result if they are the smallest simplex around an exact
// mixture. nil: they are not, or are not asked for, or the context ended.
//
// Mixtures that reach the same objective are within its root r of these k samples, in the data's scaled
// units and for weights of 1. They lie in the simplex of their centers, and so has the simplex of the k
// mixtures no larger volume than that. Its singular values are less than the samples' own by r at most.
func pureSamples(m *alternation) *volumeRun {
	exact := m.o.Sum == SumToOne && !m.trivial() && m.pc.floor <= roundedFloor*m.pc.total && m.k > 1
	asked := m.o.Init == InitSPA && m.o.Volume == VolumeAffine
	if !exact || !asked || m.o.Centers != nil || !m.bySlack() {
		return nil
	}
	from, err := m.startCenters(0)
	if err != nil || stopped(m.s.ctx) {
		return nil
	}
	if m.low != nil { // where samples may be outside of their bounds
		from.f = m.lift(from.f)
		if m, _ = m.end(); m == nil {
			return nil // the next pass returns the error
		}
	}
	run := m.run(from, 0, 0, nil)
	if run == nil {
		return nil
	}
	light := 1.0
	for i := range m.s.n {
		if w := m.s.weight(i); w > 0 {
			light = min(light, w)
		}
	}
	sigma := singularValues(run.f, slices.Repeat([]float64{1}, m.k))[:m.k-1]
	off, shrink := math.Sqrt(run.objective/light), 0.0
	for _, v := range sigma {
		shrink -= math.Log1p(-min(1, off/v))
	}
	if !(shrink <= sameVolume) {
		return nil
	}
	run.status = StatusConverged
	return run
}

// A fit of more than manyRows rows, or with more than manyWork for rows·k², begins on a draw: drawnRows, or
// drawnPerCenter a center, or a quarter of the rows, but no fewer than leastDrawn a center. Its first λ is
// at most firstTall allowances a center. Its centers are measured on all rows, and corrected by up to
// tallPasses measurements more; the first that fails is the last. Draws of fewer than fairlyDrawn rows a
// center are not corrected: with 100 centers for 10 000 rows that took a third of the time, and the volume
// was the same. With 60 for 8000 a sixth, and the volume was smaller by a fifth in each dimension, since λ
// jumps; with 50 for 15 000 three quarters, and larger by 4 % in each. Tol is drawTol, then tallTol times as
// large, and tallTol times on draws without correction. The objective ends within the shares drawClose and
// tallClose of the slack: more exact ends took two to four times as many passes over all rows.
const (
	manyRows       = 1 << 14
	manyWork       = 3 << 23
	leastDrawn     = 16
	drawnRows      = 1 << 12
	drawnPerCenter = 128
	fairlyDrawn    = 64
	firstTall      = 10
	tallPasses     = 8
	drawTol        = 10
	drawClose      = 0.1
	tallTol        = 100
	tallClose      = 0.05
	leastTallSlack = 0.05
)

// isTall reports whether the fit begins on a draw. InitSPA looks for single rows among all. A slack below
// leastTallSlack is not much above what the centers of a draw add to the floor by chance.
func (m *alternation) isTall() bool {
	n, k := float64(m.z.Rows), float64(m.k)
	many := n > max(manyRows, 4*drawnPerCenter*k) || n*k*k > manyWork && n >= 4*leastDrawn*k
	return many && m.o.Slack >= leastTallSlack &&
		m.o.Init == InitKMeans && m.o.Centers == nil && !m.o.Plain
}

func (m *alternation) drawSize() int { return min(max(drawnRows, drawnPerCenter*m.k), m.z.Rows/4) }

// draw returns the coordinates of rows that are drawn by weight. They have the weight of all rows. What they
// have outside the principal plane is replaced by the floor of all rows, so that residual may be below 0. The
// drawn rows have no table: InitGlobal does not begin with them.
func (m *alternation) draw() *alternation {
	rows := drawRows(m.s, rand.New(rand.NewPCG(m.o.Seed, drawStream)), m.drawSize())
	s := *m.s
	s.x, s.n = nil, len(rows)
	s.weights = slices.Repeat([]float64{math.Ldexp(1/m.perWeight(1)/float64(s.n), s.wexp)}, s.n)
	part := *m
	part.s, part.work, part.z = &s, nil, chosenRows(m.z, rows)
	part.tol, part.close = drawTol*m.tol, drawClose
	inside, _ := part.principalRows()
	part.residual = m.pc.floor - squaresBeyond(&s, part.z, inside)
	return &part
}

// draw takes this stream of random numbers.
const drawStream = 0xd0a7

// correction is added to the objective of a draw: −2⟨linear, F⟩ + proximal·‖F − F_0‖² for
// centers F_0 that are measured on all rows. The linear term gives it the gradient of all rows at F_0. The
// proximal one keeps the next centers near F_0, where that gradient holds. This is stochastic variance
// reduction (Johnson & Zhang 2013), or DANE (Shamir, Srebro & Zhang 2014). The error left is of second order
// in the next step, and what is a fixed point is so for all rows.
type correction struct {
	linear, center *Matrix
	proximal       float64
}

// correctionAt returns the correction for the iterates of all rows and of the draw at the same centers.
func correctionAt(all, own *iterate, proximal float64) *correction {
	c := &correction{linear: all.gz.Clone(), center: all.f, proximal: proximal}
	axpy(c.linear.Data, -1, own.gz.Data)
	for a := range all.gg.Rows {
		for b, v := range all.gg.row(a) {
			axpy(c.linear.row(a), own.gg.row(a)[b]-v, all.f.row(b))
		}
	}
	return c
}

func (c *correction) add(to *iterate) {
	to.objective += c.proximal*squaredDistance(to.f.Data, c.center.Data) - 2*dot(c.linear.Data, to.f.Data)
	axpy(to.gz.Data, 1, c.linear.Data)
	axpy(to.gz.Data, c.proximal, c.center.Data)
	for a := range to.gg.Rows {
		to.gg.row(a)[a] += c.proximal
	}
}

// refineIterations is the most of a run on the corrected draw.
const refineIterations = 100

// measured makes a pass over all rows for the centers f. warm has memberships to begin with; nil: none.
func (m *alternation) measured(f, warm *Matrix) (*iterate, error) {
	to := m.newIterate()
	copy(to.f.Data, f.Data)
	return to, m.pass(to, warm)
}

// refine improves measured centers and the run on a draw that they came from, at the same λ, by up to
// tallPasses measurements. The first step that fails is the last. An absurd solution of the corrected draw is
// below the floor by more than the allowance: where the draw lacks a center's rows, only the linear term
// determines it.
func (m *alternation) refine(at *iterate, from *volumeRun) (*iterate, *volumeRun, error) {
	part := *from.m // with a correction of its own
	part.most = min(part.most, refineIterations)
	plain := alternation{minVolume: &minVolume{k: part.k, o: part.o}, s: part.s, z: part.z}
	own := part.newIterate()
	// The squared accuracy of the draw's centers, as a share of the mean weight of a center.
	proximal := 0.0
	for a := range part.k {
		proximal += at.gg.row(a)[a] / float64(part.s.n)
	}
	for range tallPasses {
		copy(own.f.Data, at.f.Data)
		if err := plain.pass(own, nil); err != nil {
			return at, from, err
		}
		c := correctionAt(at, own, proximal)
		part.correct = c.add
		part.residual = at.objective - own.objective + 2*dot(c.linear.Data, at.f.Data)
		next := part.run(runStart{at.f, from.restart}, from.lambda, part.most, nil)
		if err := cancelled(part.s.ctx); err != nil {
			return at, from, err
		}
		if next.objective < part.pc.floor-part.allowance() || part.promisesLittle(at, next) {
			break
		}
		there, err := m.measured(next.f, at.g)
		if err != nil {
			return at, from, err
		}
		if !(there.lossAt(next.lambda) <= at.lossAt(next.lambda)) {
			break
		}
		at, from = there, next
	}
	return at, from, nil
}

// promisesLittle reports whether a solution of the corrected draw would lower the loss by at most drawTol·Tol
// of the objective, and change that by at most closeShare of the slack.
func (m *alternation) promisesLittle(at *iterate, next *volumeRun) bool {
	fall := at.lossAt(next.lambda) - next.lossAt(next.lambda)
	return fall <= m.tol*max(at.objective, leastShare*m.pc.total) &&
		math.Abs(next.objective-at.objective) <= closeShare*m.allowance()
}
