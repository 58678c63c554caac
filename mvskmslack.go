package softkmeans

// Rules for λ: a fixed λ; clusters in place of prototypes and λ = 0; the slack rule. The slack rule takes the
// λ that makes the objective as large as possible without exceeding the target (1+Slack)·floor. Each F-step
// has a λ of its own. A fit for which isTall holds begins on a random sample of its rows.

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// solve finds λ by the rule that the options ask for, for a fit that begins in the coordinates of m, and
// returns the best run. If the context ends solve returns its error and the best run so far, or nil.
func (m *alternation) solve() (*volumeRun, error) {
	lambda := 0.0
	switch {
	case m.many:
		return m.clusterMeans()
	case m.eps == 0: // FitAlternating
	case m.o.Lambda > 0: // above 2^200 only the penalty counts, and λ makes no difference
		lambda = min(math.Ldexp(m.o.Lambda, -2*m.data.exp-m.data.wexp), 0x1p200)
	case m.o.Fixed.Rows == m.k: // the volume is given
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

// after returns the run that `on` makes in the coordinates in which the fit ends. It returns r itself if r is
// already in these coordinates, or if the context ends before `on` returns a run. err is the context's error.
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

// clusterMeans returns a run with the means of clusters for centers, for data that does not determine
// prototypes.
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
	out := all.run(runStart{all.data.fromData(found.Centers, all.axes), 0}, 0, 0, nil)
	if out != nil {
		out.found, out.status = found, StatusConverged
	}
	return out, cancelled(m.s.ctx)
}

// noiseSlack returns the slack that a Slack of 0 stands for.
//
// Let σ² be the variance of the noise of an entry, d the number of columns that vary, q the number of
// directions of the plane, and n the number of rows.
//
//  1. The floor is about nσ²(d−q).
//  2. The true memberships, with the centers that fit them best, have an error above the floor by about nσ²q.
//     As a fraction of the floor this surplus is q/(d−q), whatever n is.
//  3. The best memberships for the same centers reduce the surplus. For each membership that is 0, σ² of the
//     surplus remains. That is .65 of the surplus if all rows are pure, .17 if each row is in a facet, and
//     .01 to .07 if memberships are uniform.
//
// A Slack of 0 stands for mostSlack·q/(d−q). With factors from .05 to .5 in place of mostSlack the accuracy
// of memberships differed by at most 3 % on 465 simulated tables.
//
// Exceptions: the result is mostSlack itself if the noise does not decide, and for clusters. The noise does
// not decide if q is 0, if q/(d−q) is at least 1, or if rows are few. It does not decide, either, if the
// mixture is exact, or the floor 0 for any rows of this shape. Labels, and memberships of pure rows with
// scatter, are better if the centers are further inside. Rows count as clusters if the squares beyond the
// plane are not white noise and the plane is not clear, or if k-means explains the plane.
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

// The plane of the first q directions is not clear if the square of the q-th direction is less than
// clearDirection times the square of the next direction. On 37 simulated tables of clusters with scatter the
// mean error of the memberships was .251, .217 and .208 with a factor of 1.2, 1.5 and 2, and .202 with a
// slack of 0.25 for all tables. On 160 mixtures it was .019 to .020 with each factor, and .043 with 0.25 for
// all. Of the data sets with classes only zoo depends on the factor: below 1.32 the accuracy of its labels
// was .14 lower.
//
// For white noise the function white finds the evenness that it expects: two tables of spectra reach .99 and
// 1.00 of the expected evenness, eight sets with classes at most .75. Without whiteShare, mixtures in noise
// as large as their last direction would get a quarter of the floor: the memberships of 20 simulated tables
// were .107 off, and .079 with whiteShare.
//
// Rows are pure if k-means explains more than pureShare of the squares in the plane. On 280 simulated tables
// k-means explained over .997 for clusters without scatter, and at most .92 for mixtures. In an image in
// which most pixels are pure it explained .93.
const (
	mostSlack      = 0.25
	clearDirection = 2
	whiteShare     = 0.9
	pureShare      = 0.97
)

// white reports whether the squares beyond the plane are as even as the squares of white noise, for a table
// whose longer side is size. By the law of Marchenko and Pastur (Σσ²)²/Σσ⁴ of r squares is about
// r/(1+r/size). white returns false if only some squares are known.
func (pc *principal) white(size int) bool {
	var sum, fourth, r float64
	for _, v := range pc.squares[pc.basis.Rows:] {
		if v > roundedFloor*pc.total {
			sum, fourth, r = sum+v, fourth+v*v, r+1
		}
	}
	return sum >= pc.floor*(1-1e-6) && sum*sum >= whiteShare*fourth*r/(1+r/float64(size))
}

// nearSlack returns the run for the slack rule's λ, from firstLambda on. Bounds of centers may keep the
// objective above the target. If it is also above the target for mostSlack, nearSlack sets missed.
func (m *alternation) nearSlack() (best *volumeRun, err error) {
	if m.isTall() {
		best, err = m.solveTall()
	}
	// The fit began without a sample, or the sample led to an objective above the target.
	if err == nil && (best == nil || best.objective > m.target()) {
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
// With fixed centers, which need not lie in the principal subspace, the run may not reach the floor. The
// slack then counts from the error at the least λ, and λ grows from there.
func (m *alternation) solveAll() (*volumeRun, error) {
	if directionsOf(m.k, m.o.Sum) > m.pc.rank(m.data) {
		m.o.Tol *= crowdedTol
		m.tol = m.o.Tol
	}
	lambda := m.firstLambda()
	best, from, err := m.chosenStart(lambda)
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
	best, err = m.steered(from, lambda, 0)
	if err == nil && best.objective > m.target() {
		best, err = fallBack(best)
	}
	if err != nil {
		return best, err
	}
	return best.after(func(all *alternation) *volumeRun {
		out, _ := all.steered(best.lifted(), best.lambda, best.iterations) // after returns ctx's error
		return out
	})
}

// crowdedTol multiplies Tol if the rows span fewer dimensions than k centers. On 200 simulated mixtures (k
// from 5 to 10) 30 and 10 led to the same distances of the centers from the true corners, within a third of
// the standard error. A fit of 64 centers to digits took 127 iterations with 30, and 204 with 10.
const crowdedTol = 30

// steered runs from a start while λ follows the slack. The search for the first λ begins at lambda. MaxIter
// counts iterations that were made before, too.
func (m *alternation) steered(from runStart, lambda float64, before int) (*volumeRun, error) {
	target, allowance := m.target(), m.allowance()
	q := &steering{
		target: target, goal: target - goalShare*allowance, allowance: allowance,
		unit: m.pc.total / float64(m.k), slope: allowance,
	}
	lambda = min(max(lambda, leastLambda*q.unit), mostLambda*q.unit)
	return m.run(from, lambda, max(0, cmp.Or(m.o.MaxIter, steeredMaxIter)-before), q), cancelled(m.s.ctx)
}

// fallBack returns the slack rule's answer if no λ that was tried from a start is within the slack. It starts
// from the global simplex, whose objective is the floor, with a small λ, which raises the objective only a
// little. With SumAtMostOne and with fixed centers there is no such start, and fallBack returns best.
func fallBack(best *volumeRun) (*volumeRun, error) {
	m := best.m
	if m.o.Init == InitGlobal && m.o.Centers == nil || m.o.Sum == SumAtMostOne || m.fixed.Rows > 0 {
		return best, nil
	}
	global, err := m.globalCenters()
	if err != nil {
		return best, err
	}
	first, err := m.steered(runStart{global, best.restart}, leastLambda*m.pc.total/float64(m.k), 0)
	if err == nil && first.objective < best.objective {
		best = first
	}
	return best, err
}

// sameVolume: pureSamples calls its simplex the smallest if no other is smaller by more than this fraction.
// For comparison: on exact mixtures of 3 and 4 vertices, fits with half of the slack were smaller than the
// true simplex by .4 and .6 %.
const sameVolume = 1e-4

// pureSamples returns the samples of InitSPA as the result if they are the smallest simplex around an exact
// mixture. It returns nil if they are not, if the options ask for another fit, or if the context ended.
//
// Proof. Let S be the k samples, and F any centers whose objective, with their best memberships, is at most
// the objective of S. Let r² be this objective, in scaled units, divided by the least positive weight
// (at most 1).
//
//  1. F's mixtures for the k samples differ from S by at most r in the Frobenius norm.
//  2. These k mixtures lie in the simplex of F. So their simplex is no larger than the simplex of F.
//  3. The singular values of the mixtures are below the singular values σ_i of S by at most `off`, the sum of
//     r and the rounding of σ_i.
//  4. So the volume of F is at least Π(1 − off/σ_i) of the volume of S. If −Σlog(1 − off/σ_i) ≤ sameVolume,
//     no F is smaller than S by more than sameVolume.
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
	if m.low != nil { // samples may be outside of their bounds
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

// A fit begins on a random sample if isTall returns true. The sample contains drawnRows rows or, if that is
// more, drawnPerCenter for each center, but at most a quarter of all rows. manyWork counts only if the
// quarter contains leastDrawn rows a center.
//
// The sample's centers are measured on all rows, and corrected by up to tallPasses more measurements. Samples
// of fewer than fairlyDrawn rows a center are not corrected. Without correction 100 centers for 10 000 rows
// took a third of the time, and the volume was the same. 60 centers for 8000 rows took a sixth, and the
// volume was smaller by a fifth in each dimension, since λ jumps. 50 centers for 15 000 rows took three
// quarters, and the volume was larger by 4 % in each dimension.
//
// Tol is multiplied by drawTol on the sample, and by tallTol on all rows and on samples without correction.
const (
	manyRows         = 1 << 14
	manyWork         = 3 << 23
	leastDrawn       = 16
	drawnRows        = 1 << 12
	drawnPerCenter   = 128
	fairlyDrawn      = 64
	tallPasses       = 8
	drawTol          = 10
	tallTol          = 100
	refineClose      = 0.01
	leastTallSlack   = 0.05
	refineIterations = 100 // of a run on the corrected sample
)

// isTall reports whether the fit begins on a random sample. Init must not be InitSPA, which looks for single
// rows among all rows, or InitGlobal. Centers, Fixed and Plain prevent a sample, too. For a Slack below
// leastTallSlack no sample is taken, either: the error that the centers of a sample have by chance would be
// most of the permitted error.
func (m *alternation) isTall() bool {
	n, k := float64(m.s.n), float64(m.k)
	many := n > max(manyRows, 4*drawnPerCenter*k) || n*k*k > manyWork && n >= 4*leastDrawn*k
	return many && m.o.Slack >= leastTallSlack && m.fixed.Rows == 0 &&
		m.o.Init == InitKMeans && m.o.Centers == nil && !m.o.Plain
}

// solveTall returns the run for the slack rule on many rows, without a fall-back. Start and λ are found on a
// random sample, which all rows then correct. The run continues in the coordinates in which the fit ends.
func (m *alternation) solveTall() (*volumeRun, error) {
	part := m.draw()
	if part.s.n < fairlyDrawn*m.k { // the error on so few rows says little about the error on all rows
		part.tol = tallTol * m.tol
	}
	lambda := m.firstLambda()
	best, from, err := part.chosenStart(lambda)
	if err == nil {
		best, err = part.steered(from, lambda, 0)
	}
	if err == nil && part.s.n >= fairlyDrawn*m.k {
		best, err = m.refine(best)
	}
	if err == nil {
		var end *alternation
		if end, err = m.end(); err == nil {
			all := *end
			all.tol = tallTol * m.tol
			var out *volumeRun
			if out, err = all.steered(best.lifted(), best.lambda, 0); out != nil {
				out.m = end // with the tolerance of the options
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

// draw returns the problem m for a random sample of the rows, taken by weight; the weights of the sample add
// up to the weight of all rows. In the objective the squares of the sample outside of the principal plane are
// replaced by the floor of all rows, so that residual may be below 0.
func (m *alternation) draw() *alternation {
	size := min(max(drawnRows, drawnPerCenter*m.k), m.s.n/4)
	list := drawRows(rand.New(rand.NewPCG(m.o.Seed, 0xd0a7)), size, m.s.n, m.s.weight)
	part := *m
	part.s = m.s.some(size, slices.Repeat([]float64{1 / m.perWeight(1) / float64(size)}, size))
	part.work, part.z = nil, chosenRows(m.z, list)
	part.tol = drawTol * m.tol
	inside, _ := part.principalRows()
	part.residual = m.pc.floor - squaresBeyond(part.s, part.z, inside)
	return &part
}

// refine improves the run on a sample by measuring its centers on all rows: once, and up to tallPasses times
// more, until a step does not lower the loss of all rows.
func (m *alternation) refine(best *volumeRun) (*volumeRun, error) {
	at, err := m.measure(best.f, nil)
	if err != nil {
		return best, err
	}
	part := *best.m // with a correction of its own
	part.most = min(part.most, refineIterations)
	plain := alternation{minVolume: &minVolume{data: m.data, k: m.k, o: m.o}, s: part.s, r: part.r, z: part.z}
	own := part.newIterate()
	// proximal is the squared relative accuracy of the sample's centers times the mean weight of a center.
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
		// refine ends if a solution of the corrected sample lowers the loss and changes the objective by
		// little. It also ends if the objective falls below the floor by more than the allowance. That
		// happens if the sample contains no row that uses a center: the linear term alone then determines
		// this center.
		fall := at.lossAt(next.lambda) - next.lossAt(next.lambda)
		little := fall <= part.tol*max(at.objective, leastShare*m.pc.total) &&
			math.Abs(next.objective-at.objective) <= refineClose*m.allowance()
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

// measure makes a pass over all rows with the centers f, and returns the iterate. warm contains memberships
// to begin with; nil: none.
func (m *alternation) measure(f, warm *Matrix) (*iterate, error) {
	to := m.newIterate()
	copy(to.f.Data, f.Data)
	return to, m.pass(to, warm)
}

// correction is added to the objective of a sample: −2⟨linear, F⟩ + proximal·‖F − F_0‖² for centers F_0
// measured on all rows. With the linear term the gradient at F_0 is the gradient of all rows. The proximal
// term keeps the next centers near F_0, where this gradient holds. This is stochastic variance reduction
// (Johnson & Zhang 2013), or DANE (Shamir, Srebro & Zhang 2014). The remaining error is of second order in
// the next step, and a fixed point of the corrected sample is a fixed point for all rows.
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
