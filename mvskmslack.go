package softkmeans

// Rules for λ: a fixed one; clusters in place of prototypes, with a λ of 0; and the slack rule, which takes
// the λ of the objective nearest below (1+Slack)·floor. λ follows the objective while a run goes on. A fit of
// many rows begins on a random sample of them.

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// solve finds λ by the rule that the options ask for, and returns the best run for it of a fit that begins in
// the coordinates of m. If the context ends the result is the best so far, nil if there is none, and the
// context's error.
func (m *alternation) solve() (*volumeRun, error) {
	lambda := 0.0
	switch {
	case m.many:
		return m.clusterMeans()
	case m.eps == 0: // FitAlternating
	case m.o.Lambda > 0: // above 2^200 the penalty alone counts, and λ makes no difference
		lambda = min(math.Ldexp(m.o.Lambda, -2*m.data.exp-m.data.wexp), 0x1p200)
	case m.o.Fixed.Rows == m.k: // there is no volume to choose
	case m.pc.total < leastScale*leastScale || m.pc.basis.Rows == 0: // one point is the answer
		lambda = m.firstLambda()
	default:
		return m.nearSlack()
	}
	best, _, err := m.runStarts(lambda)
	if err != nil {
		return best, err
	}
	return best.after(func(all *alternation) *volumeRun {
		return all.run(best.lifted(), lambda, max(0, all.most-best.iterations), nil)
	})
}

// after continues r by `on` in the coordinates in which the fit ends, unless it is there. If the context ends
// before another run has a result, that is r.
func (r *volumeRun) after(on func(all *alternation) *volumeRun) (*volumeRun, error) {
	if !r.m.narrow {
		return r, cancelled(r.m.s.ctx)
	}
	all, err := r.m.full()
	if err != nil {
		return r, err
	}
	out := on(all)
	if out == nil {
		out = r
	} else if out.lambda == r.lambda {
		out.follow(r)
	}
	return out, cancelled(all.s.ctx)
}

// clusterMeans takes the means of clusters for centers, where the data does not determine prototypes.
func (m *alternation) clusterMeans() (*volumeRun, error) {
	f, err := m.kmeansCenters(rand.New(rand.NewPCG(m.o.Seed, 0)))
	if err != nil {
		return nil, err
	}
	found, labels := &Model{Centers: m.toData(f), Sum: m.o.Sum}, make([]int, m.data.n)
	if err = m.rows.nearest(labels, found.Centers, nil); err == nil {
		err = found.label(m.rows, labels, m.pc.leading, m.quick)
	}
	if err != nil {
		return nil, err
	}
	found.Centers = found.ClusterMeans.Clone()
	m.clip(found.Centers)
	all, err := m.end()
	if err != nil {
		return nil, err
	}
	all.local = found.local()
	out := all.run(runStart{all.fromData(found.Centers), 0}, 0, 0, nil)
	if out != nil {
		out.found, out.status = found, StatusConverged
	}
	return out, cancelled(m.s.ctx)
}

// noiseSlack returns what a Slack of 0 stands for.
//
// Let the noise of an entry have the variance σ², d be the columns that vary, and q the directions of the
// plane. The floor is then about nσ²(d−q). The true memberships, with the centers that fit these best, have
// an error higher by its share q/(d−q), whatever n is. The best memberships for the same centers keep σ² of
// that for each that is 0: .65 of the share where all rows are pure, .17 where each is in a facet, .01 to
// .07 where memberships are uniform. mostSlack of it lies between: from .05 to .5 the memberships of 465
// simulated tables were as accurate to 3 %.
//
// The slack is mostSlack of the floor itself if q/(d−q) is above 1, if the floor is rounding or of few
// rows, and if the rows are clusters. Labels, and memberships of pure rows with scatter, are better with
// centers drawn in. Clusters show in two ways: the data goes on beyond the plane with more than white noise,
// or k-means explains the plane.
func (m *alternation) noiseSlack() (float64, error) {
	q, d := m.pc.basis.Rows, m.rows.varying()
	n := m.data.n - len(m.data.zeroWeights())
	if q == 0 || d <= 2*q || n <= q+2 || m.trivial() || m.exact() ||
		m.pc.squares[q-1] < clearDirection*m.pc.next() && !m.pc.white(max(n, d)) {
		return mostSlack, nil
	}
	if share, err := m.kmeansShare(); err != nil || share > pureShare {
		return mostSlack, err
	}
	return mostSlack * float64(q) / float64(d-q), nil
}

// Data goes on beyond the plane where its last direction has less than clearDirection times the square of
// the next. With 1.2, 1.5 and 2 the memberships of 37 simulated tables of clusters with scatter were .251,
// .217 and .208 off, and .202 with a quarter of the floor; those of 160 mixtures .019 to .020, and .043. Of
// the sets with classes zoo needs at least 1.32: its labels lost .14 of their accuracy.
//
// White noise has the evenness that white expects: of two tables of spectra .99 and 1.00 of it. Eight sets
// with classes have .75 at most. Without whiteShare, mixtures in noise as large as their last direction keep
// a quarter of the floor: the memberships of 20 simulated tables were .107 off, and .079 with it.
//
// Rows are pure where k-means explains more than pureShare of what the plane does. On 280 simulated tables
// that was over .997 of clusters without scatter, and at most .92 of mixtures. It was .93 in an image of
// which most pixels are pure.
const (
	mostSlack      = 0.25
	clearDirection = 2
	whiteShare     = 0.9
	pureShare      = 0.97
)

// white reports whether the squares beyond the plane are as even as those of white noise, for a table whose
// longer side is size. By the law of Marchenko and Pastur (Σσ²)²/Σσ⁴ of r of them is about r/(1+r/size). It
// returns false if only some squares are known.
func (pc *principal) white(size int) bool {
	var sum, fourth, r float64
	for _, v := range pc.squares[pc.basis.Rows:] {
		if v > roundedFloor*pc.total {
			sum, fourth, r = sum+v, fourth+v*v, r+1
		}
	}
	return sum >= pc.floor*(1-1e-6) && sum*sum >= whiteShare*fourth*r/(1+r/float64(size))
}

// nearSlack looks for the λ of the objective nearest below the target, (1+Slack)·floor, from firstLambda on.
// Bounds of centers may leave the run above the slack, which counts as missed from mostSlack on.
func (m *alternation) nearSlack() (best *volumeRun, err error) {
	if m.isTall() {
		best, err = m.solveTall()
	}
	if err == nil && (best == nil || best.objective > m.target()) { // not tall, or the sample misled
		var all *volumeRun
		if all, err = m.solveAll(); all != nil {
			best = all
		}
	}
	if err == nil && best.objective > m.least+m.allowanceOf(max(m.o.Slack, mostSlack)) {
		best.missed = min(best.objective/m.target(), math.MaxFloat64)
	}
	return best, err
}

// solveAll returns the run for the slack rule's λ on all rows.
//
// Beside fixed centers, which need not lie in the principal subspace, the others may not reach the floor. The
// slack then counts from the error that the least λ reaches, and λ grows from there.
func (m *alternation) solveAll() (*volumeRun, error) {
	if directionsOf(m.k, m.o.Sum) > m.pc.rank(m.data) {
		m.o.Tol *= crowdedTol
		m.tol = m.o.Tol
	}
	lambda := m.firstLambda()
	from, best, err := m.chosenStart(lambda)
	if err == nil && m.fixed.Rows > 0 {
		lambda = leastLambda * m.pc.total / float64(m.k)
		rough := *m // a small tolerance would let the simplex grow for ever
		rough.tol = max(m.tol, defaultTol)
		if out := rough.run(from, lambda, m.most, nil); out != nil {
			best, from.f, m.least = out, out.f, max(m.least, out.objective)
		}
		err = cancelled(m.s.ctx)
	}
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
	return best.after(func(all *alternation) *volumeRun {
		out, _ := all.steered(best.lifted(), best.lambda) // after returns the context's error
		return out
	})
}

// crowdedTol multiplies Tol where the rows do not determine prototypes. On 32 made mixtures (k = 5 in 2, 8 in
// 4, 12 in 6 and 20 in 12 dimensions) centers were as near to the true corners as with 1, to .003 of .75.
// With 64 centers digits took a third of the time.
const crowdedTol = 10

// steered runs from a start while λ follows the slack, and returns the run at the last λ, or at the best λ
// within the slack where the last is not.
func (m *alternation) steered(from runStart, lambda float64) (*volumeRun, error) {
	q := &steering{
		floor: m.least, target: m.target(), allowance: m.allowance(), unit: m.pc.total / float64(m.k),
		slope: firstSlope, close: m.close, tall: m.tall, calmShare: calmShare, most: mostChanges,
	}
	if m.exact() {
		q.calmShare, q.most = exactCalmShare, exactChanges
	}
	out := m.run(from, lambda, m.most, q)
	// Where the objective jumps the last point within the slack is the answer.
	if out != nil && out.status != StatusCancelled && out.objective > q.target && q.within != nil {
		if back := m.run(runStart{q.within.f, from.restart}, q.within.lambda, m.most, nil); back != nil {
			out = back
		}
	}
	return out, cancelled(m.s.ctx)
}

// fallBack returns the slack rule's answer if no λ that was tried from a start is within the slack. The
// global simplex has an objective equal to the floor, which a small λ can only raise by little. Under
// SumAtMostOne, and with fixed centers, there is none.
func fallBack(best *volumeRun) (*volumeRun, error) {
	m := best.m
	if m.o.Init == InitGlobal && m.o.Centers == nil || m.o.Sum == SumAtMostOne || m.fixed.Rows > 0 {
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
// Mixtures that reach the same objective are within its root r of these k samples, in the data's scaled units
// and for weights of 1. They lie in the simplex of their centers, and so has the simplex of the k mixtures no
// larger volume than that. Its singular values are less than the samples' own by r at most, and by the
// rounding of these.
func pureSamples(m *alternation) *volumeRun {
	exact := m.o.Sum == SumToOne && !m.trivial() && m.pc.floor <= roundedFloor*m.pc.total && m.k > 1
	asked := m.o.Init == InitSPA && m.o.Volume == VolumeAffine
	if !exact || !asked || m.o.Centers != nil || m.o.Lambda > 0 {
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
	bg := context.Background()
	simplex, err := thinSVD(bg, combine(bg, m.contrasts.transposed(), run.f))
	if err != nil {
		return nil
	}
	off, shrink := math.Sqrt(run.objective/light)+0x1p-40*simplex.S[0], 0.0
	for _, v := range simplex.S {
		shrink -= math.Log1p(-min(1, off/v))
	}
	if !(shrink <= sameVolume) {
		return nil
	}
	run.status = StatusConverged
	return run
}

// A fit of more than manyRows rows, or with more than manyWork for rows·k², begins on a random sample:
// drawnRows, or drawnPerCenter a center, or a quarter of the rows, but no fewer than leastDrawn a center. Its
// first λ is at most firstTall allowances a center. Its centers are measured on all rows, and corrected by up
// to tallPasses measurements more. Samples of fewer than fairlyDrawn rows a center are not corrected: with
// 100 centers for 10 000 rows that took a third of the time, and the volume was the same. With 60 for 8000 a
// sixth, and the volume was smaller by a fifth in each dimension, since λ jumps; with 50 for 15 000 three
// quarters, and larger by 4 % in each. Tol is drawTol, then tallTol times as large, and tallTol times on
// samples without correction. The objective ends within the shares drawClose and tallClose of the slack: more
// exact ends took two to four times as many passes over all rows.
const (
	manyRows         = 1 << 14
	manyWork         = 3 << 23
	leastDrawn       = 16
	drawnRows        = 1 << 12
	drawnPerCenter   = 128
	fairlyDrawn      = 64
	firstTall        = 10
	tallPasses       = 8
	drawTol          = 10
	drawClose        = 0.1
	tallTol          = 100
	tallClose        = 0.05
	leastTallSlack   = 0.05
	refineIterations = 100 // of a run on the corrected sample
)

// isTall reports whether the fit begins on a random sample. InitSPA looks for single rows among all. A slack
// below leastTallSlack is not much above what the centers of a sample add to the floor by chance.
func (m *alternation) isTall() bool {
	n, k := float64(m.s.n), float64(m.k)
	many := n > max(manyRows, 4*drawnPerCenter*k) || n*k*k > manyWork && n >= 4*leastDrawn*k
	return many && m.o.Slack >= leastTallSlack && m.fixed.Rows == 0 &&
		m.o.Init == InitKMeans && m.o.Centers == nil && !m.o.Plain
}

// solveTall returns the run for the slack rule on many rows, without a fall-back. Start and λ are found on a
// random sample, which is corrected by what all rows show. The run goes on where the fit ends.
func (m *alternation) solveTall() (*volumeRun, error) {
	part := m.draw()
	if part.s.n < fairlyDrawn*m.k { // its error says little of that of all rows
		part.tol = tallTol * m.tol
	}
	lambda := min(m.firstLambda(), firstTall*m.allowance()/float64(m.k))
	from, best, err := part.chosenStart(lambda)
	if err == nil {
		best, err = part.steered(from, lambda)
	}
	if err == nil && part.s.n >= fairlyDrawn*m.k {
		best, err = m.refine(best)
	}
	if err == nil {
		var end *alternation
		if end, err = m.end(); err == nil {
			all := *end
			all.tol, all.close, all.tall = tallTol*m.tol, tallClose, true
			var out *volumeRun
			if out, err = all.steered(best.lifted(), best.lambda); out != nil {
				out.m = end // with the tolerance that was asked for
				return out, err
			}
		}
	}
	if best == nil {
		return nil, err
	}
	out, wrong := m.atEnd(best)
	return out, cmp.Or(wrong, err)
}

// draw returns the coordinates of rows that are drawn by weight. They have the weight of all rows. What they
// have outside the principal plane is replaced by the floor of all rows, so that residual may be below 0.
func (m *alternation) draw() *alternation {
	size := min(max(drawnRows, drawnPerCenter*m.k), m.s.n/4)
	list := drawRows(m.s, rand.New(rand.NewPCG(m.o.Seed, drawStream)), size)
	part := *m
	part.s = m.s.some(size, slices.Repeat([]float64{1 / m.perWeight(1) / float64(size)}, size))
	part.work, part.z = nil, chosenRows(m.z, list)
	part.tol, part.close, part.tall = drawTol*m.tol, drawClose, true
	inside, _ := part.principalRows()
	part.residual = m.pc.floor - squaresBeyond(part.s, part.z, inside)
	return &part
}

// draw takes this stream of random numbers.
const drawStream = 0xd0a7

// refine improves the run on a sample by what all rows show of its centers: up to tallPasses times, until a
// step does not lower the loss of all rows.
func (m *alternation) refine(best *volumeRun) (*volumeRun, error) {
	at, err := m.measure(best.f, nil)
	if err != nil {
		return best, err
	}
	part := *best.m // with a correction of its own
	part.most = min(part.most, refineIterations)
	plain := alternation{minVolume: &minVolume{k: m.k, o: m.o}, s: part.s, r: part.r, z: part.z}
	own := part.newIterate()
	// The squared accuracy of the sample's centers, as a share, times the mean weight of a center.
	proximal := trace(at.gg) / float64(part.s.n)
	for range tallPasses {
		copy(own.f.Data, at.f.Data)
		if err := plain.pass(own, nil); err != nil {
			return best, err
		}
		c := &correction{linear: at.gz.Clone(), center: at.f, proximal: proximal}
		axpy(c.linear.Data, -1, own.gz.Data)
		for a := range m.k {
			for b, v := range at.gg.row(a) {
				axpy(c.linear.row(a), own.gg.row(a)[b]-v, at.f.row(b))
			}
		}
		part.correct = c.apply
		part.residual = at.objective - own.objective + 2*dot(c.linear.Data, at.f.Data)
		next := part.run(runStart{at.f, best.restart}, best.lambda, part.most, nil)
		if err := cancelled(part.s.ctx); err != nil {
			return best, err
		}
		// It ends where a solution of the corrected sample would lower the loss and change the objective by
		// little. Where the sample lacks a center's rows, only the linear term determines it: the error may
		// be absurd.
		fall := at.lossAt(next.lambda) - next.lossAt(next.lambda)
		little := fall <= part.tol*max(at.objective, leastShare*m.pc.total) &&
			math.Abs(next.objective-at.objective) <= closeShare*m.allowance()
		if little || next.objective < m.pc.floor-m.allowance() {
			return best, nil
		}
		there, err := m.measure(next.f, at.g)
		if err != nil || there.lossAt(next.lambda) > at.lossAt(next.lambda) {
			return best, err
		}
		at, best = there, next
	}
	return best, nil
}

// measure makes a pass over all rows with the centers f. warm has memberships to begin with, or is nil.
func (m *alternation) measure(f, warm *Matrix) (*iterate, error) {
	to := m.newIterate()
	copy(to.f.Data, f.Data)
	return to, m.pass(to, warm)
}

// correction is added to the objective of a sample: −2⟨linear, F⟩ + proximal·‖F − F_0‖² for centers F_0 that
// are measured on all rows. The linear term gives it the gradient of all rows at F_0. The proximal one keeps
// the next centers near F_0, where that gradient holds. This is stochastic variance reduction (Johnson &
// Zhang 2013), or DANE (Shamir, Srebro & Zhang 2014). The error left is of second order in the next step, and
// what is a fixed point is so for all rows.
type correction struct {
	linear, center *Matrix
	proximal       float64
}

func (c *correction) apply(to *iterate) {
	to.objective += c.proximal*squaredDistance(to.f.Data, c.center.Data) - 2*dot(c.linear.Data, to.f.Data)
	axpy(to.gz.Data, 1, c.linear.Data)
	axpy(to.gz.Data, c.proximal, c.center.Data)
	for a := range to.gg.Rows {
		to.gg.row(a)[a] += c.proximal
	}
}
