package softkmeans

// Minimal volume as a problem: samples, floor, options and units. Once the problem is open, only eps, least,
// o.Slack and o.Tol change. The file also contains the allowance of the slack, the steering of λ, bounds of
// centers, and passes by multipliers.

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// minVolume is the problem of a call of FitAlternating or FitMinVolume.
type minVolume struct {
	rows  rows
	data  *samples // of rows
	k     int
	o     MinVolumeOptions // with its defaults filled in
	pc    *principal
	flat  bool    // the samples span fewer dimensions than k centers
	eps   float64 // ε; 0: there is no penalty
	many  bool    // far more centers than sample dimensions, and no option asks for prototypes
	quick bool    // labels start from the memberships alone: Init is given, or the mixture exact
	basis *Matrix // r×d, orthonormal rows, in which the fit ends; nil: the data's own axes
	// contrasts is B, k×(k−1), of VolumeAffine; nil for VolumeOrigin.
	contrasts *Matrix
	low, high []float64 // bounds of centers by column, in the data's units; nil: none
	// least is the squared error to which the slack adds: the floor. With fixed centers it is the error of a
	// run at the least λ, if that error is larger.
	least float64
}

// The slack is a fraction of the floor, with three exceptions:
//   - Data whose floor is below exactShare of the total variance is an exact mixture of k prototypes:
//     exactShare of the total then replaces the floor.
//   - If trivial returns true, the floor says nothing about the noise, and trivialShare of the total
//     replaces it.
//   - No slack gives up more than mostGiven of the variance that the floor's solution explains. On noise
//     (1+Slack)·floor could otherwise exceed the total variance, and all prototypes could be one.
const (
	exactShare   = 1e-6
	trivialShare = 0.1
	mostGiven    = 0.5
)

// openProblem checks a call of FitAlternating or FitMinVolume, opens the rows and finds the floor. The result
// contains no penalty yet.
func openProblem(ctx context.Context, x Samples, k int, o *MinVolumeOptions) (*minVolume, error) {
	if err := checkMinVolume(k, o); err != nil {
		return nil, err
	}
	if x == nil {
		return nil, fail(ErrShape, "x is nil")
	}
	if _, sparse := x.(*SparseMatrix); sparse && o.Plain {
		return nil, fail(ErrOption, "Plain is set, and sparse rows begin in leading directions")
	}
	own := &Options{Weights: o.Weights, Workers: o.Workers}
	t, err := x.open(ctx, own, o.Sum == SumToOne, narrowColumns(k))
	if err != nil {
		return nil, err
	}
	s := t.data()
	err = cmp.Or(o.checkCenters(k, s.d), checkBounds(s.d, o), checkSquareOfK(k),
		checkSizeOfK(k, k+1, max(s.n, s.d)))
	if err != nil {
		return nil, err
	}
	p, all := s.directions(k, o.Sum), narrowColumns(k)
	if rowSpace(t) {
		all = s.rankBound()
	}
	pc, err := principalOf(t, wanted{p, max(0, min(all, s.d)-p)}, SolverAuto, toFit)
	if err != nil {
		return nil, err
	}
	return newMinVolume(t, k, o, pc)
}

// newMinVolume fills in the options' defaults for samples and their principal subspace. The fit ends in an
// orthonormal basis of the row space if the floor is at rounding, or if [rowSpace] is true. Bounds are by
// column, and fixed centers may be outside of the row space: with either, the fit ends in the data's own
// axes.
func newMinVolume(x rows, k int, o *MinVolumeOptions, pc *principal) (*minVolume, error) {
	s := x.data()
	p := &minVolume{rows: x, data: s, k: k, o: *o, pc: pc, least: pc.floor}
	p.o.Fixed = cmp.Or(o.Fixed, NewMatrix(0, s.d, nil))
	p.o.Restarts = cmp.Or(o.Restarts, defaultRestarts)
	p.o.MaxIter = cmp.Or(o.MaxIter, defaultMaxIter)
	p.o.Tol = cmp.Or(o.Tol, defaultTol)
	rounding, b := roundedFloor*pc.total, pc.basis.Rows
	if pc.floor <= rounding && b > 0 {
		last, err := squaresAlong(x, rowsOf(pc.basis, b-1, b))
		if err != nil {
			return nil, err
		}
		p.flat = last <= rounding
	}
	start, volume := InitKMeans, VolumeOrigin
	if p.exact() {
		start, volume = InitSPA, VolumeAffine
	}
	// With fixed centers VolumeAffine is the default: under VolumeOrigin steps are small, since the k centers
	// less the mean of the data are nearly dependent.
	if p.o.Fixed.Rows > 0 && o.Sum == SumToOne {
		volume = VolumeAffine
	}
	p.o.Init, p.o.Volume = cmp.Or(o.Init, start), cmp.Or(o.Volume, volume)
	given := o.Centers != nil || p.o.Fixed.Rows > 0 || o.Lambda > 0
	p.many = !given && (o.Init == InitAuto || o.Init == InitKMeans) && k > manyTimes*(pc.rank(s)+1)
	p.quick = o.Init != InitAuto || start != InitKMeans && !p.many
	if o.Centers != nil || p.o.Init == InitGlobal {
		p.o.Restarts = 1
	}
	if p.o.Volume == VolumeAffine {
		p.contrasts = RegularSimplex(k)
	}
	if o.bounded() {
		p.low, p.high = o.bounds(s.d)
	}
	switch {
	case o.bounded() || p.o.Fixed.Rows > 0:
	case pc.floor <= rounding && pc.basis.Rows < s.d:
		p.basis = pc.basis
	case rowSpace(x):
		if p.basis = pc.leading; p.basis == nil || p.basis.Rows < s.rankBound() {
			all, err := principalByGram(s, wanted{s.rankBound(), 0})
			if err != nil {
				return nil, err
			}
			p.basis = all.basis
		}
	}
	return p, nil
}

// Rows of r dimensions determine r+1 prototypes. The iteration is used for up to manyTimes·(r+1) centers
// nevertheless. For more centers, cluster means replace it. On 45 simulated mixtures with fewer centers the
// iteration ended nearer to the true corners than cluster means. For 5 centers in 2 dimensions the distances
// were .24 and .34 of the spread. With more centers the iteration ended farther away: at .69 for 15 centers,
// and cluster means at .52.
const manyTimes = 2

// rowSpace reports whether the rows are taken to their row space, unless centers have bounds. Sparse rows are
// not: a basis of their row space contains as many numbers as the table with all its zeros.
func rowSpace(x rows) bool {
	s, dense := x.(*samples)
	return dense && s.wide() && s.n <= rowSpaceRows
}

// rowSpaceRows is the largest number of rows of a wide table that is taken to its row space. The Gram matrix
// costs n²d, and its eigenvectors n³.
const rowSpaceRows = 1024

// squaresAlong returns the weighted sum of squares along a direction, 1×d.
func squaresAlong(x rows, direction *Matrix) (float64, error) {
	y := NewMatrix(x.data().n, 1, nil)
	err := x.changeBasis(y, direction)
	return squaresBeyond(x.data(), y, nil), err
}

// squaresBeyond returns the weighted sum of squares of the rows of z, less the sum for the rows of inside,
// their projections (nil: 0). s supplies the weights.
func squaresBeyond(s *samples, z, inside *Matrix) (sum float64) {
	for i := range z.Rows {
		squares := sumSquares(z.row(i))
		if inside != nil {
			squares -= sumSquares(inside.row(i))
		}
		sum += s.weight(i) * squares
	}
	return sum
}

// columns returns the number of the samples' coordinates in which the fit ends.
func (p *minVolume) columns() int {
	if p.basis != nil {
		return p.basis.Rows
	}
	return p.data.d
}

// trivial reports whether the floor tells nothing: it is 0 for any data of this shape, or the data has fewer
// dimensions than a simplex of k centers.
func (p *minVolume) trivial() bool { return p.flat || directionsOf(p.k, p.o.Sum) >= p.data.rankBound() }

// exact reports whether the data is an exact mixture of k prototypes.
func (p *minVolume) exact() bool { return !p.trivial() && p.pc.floor <= exactShare*p.pc.total }

// reference returns the floor, or the part of the total that replaces it.
func (p *minVolume) reference() float64 {
	if p.trivial() {
		return trivialShare * p.pc.total
	}
	return max(p.pc.floor, exactShare*p.pc.total)
}

// perWeight returns v per unit of weight.
func (p *minVolume) perWeight(v float64) float64 { return v / p.data.mass().value() }

// dataPenalty returns Σ log(σ_i² + ε) in the data's units.
func (p *minVolume) dataPenalty(penalty float64) float64 {
	count := p.k
	if p.contrasts != nil {
		count--
	}
	return penalty + float64(count)*float64(2*p.data.exp)*math.Ln2
}

// allowance returns the largest permitted difference between the objective and least. It is at least 2^-60 of
// the total, since the search divides by it. With fixed centers Slack is multiplied by the fraction of free
// centers, since least already contains the error that the fixed centers cause.
func (p *minVolume) allowance() float64 { return p.allowanceOf(p.o.Slack) }

// allowanceOf returns the allowance for a slack that is not the option's.
func (p *minVolume) allowanceOf(slack float64) float64 {
	total := p.pc.total
	slack *= float64(p.k-p.o.Fixed.Rows) / float64(p.k)
	return max(min(slack*p.reference(), mostGiven*(total-p.least)), 0x1p-60*total)
}

// target returns the largest objective that the slack allows.
func (p *minVolume) target() float64 { return p.least + p.allowance() }

// firstLambda returns the λ at which the search starts. On all measured data sets and slacks the final λ was
// 0.4 to 2 times √(allowance·total)/k.
func (p *minVolume) firstLambda() float64 {
	return 0.8 * math.Sqrt(p.allowance()*p.pc.total) / float64(p.k)
}

// λ is between leastLambda and mostLambda, in units of total/k, and is changed at most mostChanges times,
// until the objective is below the target by at most closeShare of the allowance. For exact mixtures, whose
// objective begins at some 10⁶ times the target, λ is changed up to exactChanges times. If no row was pure,
// mostChanges left λ up to 10³ times too small, and the simplex at up to 12 times the least volume.
const (
	mostChanges  = 24
	exactChanges = 200
	leastLambda  = 1e-8
	mostLambda   = 1e4
	closeShare   = 0.01
)

// steering changes λ while a run goes on, until the objective is within the target, and near it. The
// objective's excess over the floor grows about as a power of λ. Let y be the logarithm of the excess divided
// by the allowance. A step goes to the zero of the secant of y over log λ, through the last two points at
// rest or nearly so. The objective jumps if the iterate moves to another minimum.
type steering struct {
	floor, target, allowance float64
	// close: the objective is near the target if it is at most this fraction of the allowance below it.
	close         float64
	tall          bool    // many rows are fitted: see driftAhead
	unit          float64 // the unit of leastLambda and mostLambda
	calmShare     float64
	changes, most int
	// last, excess: log λ, and the logarithm of the excess in units of the allowance, at the last point.
	last, excess float64
	slope        float64   // the slope of excess in log λ
	drift        float64   // the last iteration's change of the objective
	low, high    float64   // λ of the last points within the slack and above it; 0: none
	within       *snapshot // the highest point within the slack
}

// snapshot is a point to return to.
type snapshot struct {
	f                 *Matrix
	lambda, objective float64
}

// firstSlope is the slope of the logarithm of the excess in log λ, until two points determine it.
const firstSlope = 1.5

// watch stores the change of the objective in the last iteration. It reports whether the change is at most
// calmShare of the distance from the target, so that λ may be changed.
func (q *steering) watch(objective, before float64) bool {
	q.drift = objective - before
	return math.Abs(q.drift) <= q.calmShare*math.Abs(objective-(q.target-q.close/2*q.allowance))
}

// watch takes calmShare, or exactCalmShare for exact mixtures. With 0.15 runs took up to three times as many
// iterations.
const (
	calmShare      = 0.05
	exactCalmShare = 0.02
)

// next returns λ after a point of the run that is at rest, nearly at rest, or its last, and whether λ
// changed. f are the centers of the point.
func (q *steering) next(f *Matrix, objective, lambda float64) (float64, bool) {
	if objective <= q.target && (q.within == nil || objective > q.within.objective) {
		q.within = &snapshot{f.Clone(), lambda, objective}
	}
	near := objective <= q.target && objective >= q.target-q.close*q.allowance
	if near || q.changes == q.most {
		return lambda, false
	}
	log := math.Log(lambda)
	if q.tall {
		objective += driftAhead * q.drift
	}
	e := math.Log(max(objective-q.floor, 1e-6*q.allowance) / (q.allowance * (1 - q.close/2)))
	if q.changes > 0 && log != q.last {
		q.slope = min(max((e-q.excess)/(log-q.last), 0.5), 4)
	}
	q.last, q.excess = log, e
	step := min(max(-e/q.slope, -mostStep), mostStep)
	to := q.bracketed(math.Exp(log+step), lambda, objective > q.target)
	if math.Abs(step) < leastStep || to > mostLambda*q.unit || to < leastLambda*q.unit {
		return lambda, false
	}
	q.changes++
	return to, true
}

// driftAhead times its last change is added to the objective of a fit of many rows. After a change of λ the
// objective goes on changing for many iterations. Without this extrapolation λ oscillates.
const driftAhead = 8

// bracketed keeps a step of λ between the last points on both sides of the slack. It drops a point that a
// later one contradicts.
func (q *steering) bracketed(to, lambda float64, above bool) float64 {
	if above {
		if q.high = lambda; q.low < lambda {
			return max(to, q.low)
		}
		q.low = 0
	} else {
		if q.low = lambda; q.high > lambda {
			return min(to, q.high)
		}
		q.high = 0
	}
	return to
}

// A step changes λ by a factor of e^mostStep at most. With e³ two images of spectra took twice and three
// times as long. A factor below e^leastStep counts as no change.
const (
	mostStep  = 2
	leastStep = 1e-5
)

// Bounds of centers, and the sum of the centers of closed rows, which is constant (O. V. Thanh, N. Gillis and
// F. Lecron, Bounded simplex-structured matrix factorization, IEEE Trans. Signal Process. 71, 2023).

// box is the set of permitted centers: low ≤ f ≤ high, and Σf = 0 if closed is set.
type box struct {
	low, high []float64
	closed    bool
}

// closedShare is the largest part of the total in the direction of sums, (1, …, 1), of closed rows.
// Compositions rounded to three digits reach some 2e-6. The part must also be less than the reference.
const closedShare = 1e-4

// newBox returns the bounds in the coordinates of samples in the data's own axes. An F-step without bounds
// keeps the sum of closed rows, an F-step in a box does not. If no center within the bounds has this sum, the
// sum is ignored.
func (p *minVolume) newBox() (*box, error) {
	s, b := p.data, &box{low: make([]float64, p.data.d), high: make([]float64, p.data.d)}
	var least, most float64
	for c, mean := range s.mean {
		b.low[c] = min(math.Ldexp(p.low[c], -s.exp), 0x1p200) - mean
		b.high[c] = max(math.Ldexp(p.high[c], -s.exp), -0x1p200) - mean
		least += b.low[c]
		most += b.high[c]
	}
	sums, err := squaresAlong(p.rows, NewMatrix(1, s.d, slices.Repeat([]float64{1}, s.d)))
	b.closed = p.o.Sum == SumToOne && least <= 0 && most >= 0 &&
		sums < min(closedShare*p.pc.total, p.reference())*float64(s.d)
	return b, err
}

// boundRounding is the relative distance within which an entry counts as at its bound. So a step with
// momentum leaves an entry at its bound if the two steps before it ended at the bound.
const boundRounding = 0x1p-46

// clip returns the value nearest to v within the bounds of column c. A value within boundRounding of a bound
// becomes the bound.
func (b *box) clip(c int, v float64) float64 {
	// for an infinite bound the second comparison is with NaN, and false.
	switch low, high := b.low[c], b.high[c]; {
	case v <= low || v <= low+boundRounding*math.Abs(low):
		return low
	case v >= high || v >= high-boundRounding*math.Abs(high):
		return high
	}
	return v
}

// project moves a row to the nearest point of the box. In a closed box all free entries move by the same
// amount: the zero of a function that falls piece by piece, found by Newton's steps and by halving an
// interval.
func (b *box) project(row []float64) {
	shift, least, most := 0.0, -0x1p300, 0x1p300
	for range 500 {
		sum, size, free := 0.0, 0.0, 0.0
		for c, v := range row {
			u := b.clip(c, v-shift)
			size += math.Abs(u)
			if sum += u; u > b.low[c] && u < b.high[c] {
				free++
			}
		}
		if sum > 0 {
			least = shift
		} else {
			most = shift
		}
		next := shift + sum/free
		if !(next > least && next < most) {
			next = least + (most-least)/2
		}
		if !b.closed || math.Abs(sum) <= 0x1p-50*size || math.Abs(next-shift) <= 0x1p-52*math.Abs(shift) {
			break
		}
		shift = next
	}
	for c, v := range row {
		row[c] = b.clip(c, v-shift)
	}
}

// along replaces a direction by the direction in which a small step from f goes after projection onto the
// box.
func (b *box) along(f, direction []float64) {
	size := norm2(direction)
	if size == 0 {
		return
	}
	step := 0x1p-26 * max(norm2(f), 0x1p-100) / size
	to := slices.Clone(f)
	axpy(to, step, direction)
	b.project(to)
	for c, v := range to {
		direction[c] = (v - f[c]) / step
	}
}

// freeStep lowers ½Tr(FᵀAF) − Tr(RᵀF) over the entries of f strictly between their bounds, from row `first`
// on. a is A (k×k, positive definite), and right is R. Each column goes towards its minimum, up to the first
// bound that it meets. freeStep does not keep the sum of closed rows. Cost: k²d, and k³/6 for each column
// whose free entries differ from the previous column's.
func (b *box) freeStep(ctx context.Context, f *Matrix, a []float64, right *Matrix, first int) {
	k := f.Rows
	var free, last []int
	l, step, column := make([]float64, k*k), make([]float64, k), make([]float64, k)
	for c := 0; c < f.Cols && !stopped(ctx); c++ {
		last, free = free, last[:0]
		for i := range k {
			column[i] = f.row(i)[c]
			if i >= first && column[i] > b.low[c] && column[i] < b.high[c] {
				free = append(free, i)
			}
		}
		n, same := len(free), slices.Equal(free, last)
		for s, i := range free {
			step[s] = right.row(i)[c] - dot(a[i*k:(i+1)*k], column)
			for t, j := range free[:s+1] {
				if !same {
					l[s*n+t] = a[i*k+j]
				}
			}
		}
		if !same && !cholesky(l, n) {
			return // does not happen, as in centersStep
		}
		cholSolve(l, n, step[:n])
		length := 1.0
		for s, i := range free {
			if to := b.clip(c, column[i]+step[s]); to == b.low[c] || to == b.high[c] {
				length = min(length, (to-column[i])/step[s])
			}
		}
		// the step is a little longer, so that the entry that meets its bound first is set to the bound in
		// spite of rounding.
		for s, i := range free {
			f.row(i)[c] = b.clip(c, column[i]+length*(1+0x1p-50)*step[s])
		}
	}
}

// A pass over rows that use most of the centers. A row's memberships are g = a + P·y. Here a is linear in the
// row: its memberships without bounds. y holds the few multipliers of memberships that must be 0, and P is
// simplexProblem.projected. With rows a, g, y, z of A, G, Y, Z,
//
//	GᵀZ = AᵀZ + P·YᵀZ,   GᵀG = AᵀG + P·YᵀG,   ‖z − Fᵀg‖² = ‖e‖² + yᵀ(g − a),
//
// in the units of the problem. e is the part of z outside of the centers' affine hull. AᵀZ and AᵀG follow
// from ZᵀZ, GᵀZ and the sums of rows. A row costs its product with r+1 vectors, and O(k+r) for each of its
// multipliers.

// insidePass holds the state of passes by multipliers over the rows z.
type insidePass struct {
	s      *samples
	z      *Matrix
	on     bool      // the running pass is such a pass
	used   int       // memberships above 0 in the previous pass
	least  float64   // the objective of the previous pass
	second *Matrix   // ZᵀZ, weighted; nil until the first of these passes
	first  []float64 // Σz, weighted
	// For a row z, linear·z + constant contains a, followed by coordinates of e.
	linear   *Matrix // (r+1)×r
	constant []float64
	// Scratch.
	basis, yz, yg *Matrix
}

// A pass works by multipliers if more than insideShare of the memberships in the previous pass were above 0,
// and few directions are outside of the centers' affine hull. The tolerance must be at least insideTol, and
// the objective above insideObjective of the total: the rounding errors of P are then negligible.
const (
	insideShare     = 2. / 3
	insideTol       = 1e-8
	insideObjective = 1e-6
)

// begin sets in.on if the pass for the problem p works by multipliers, and then prepares it. tol is the
// tolerance of the fit, and total the total variance.
func (in *insidePass) begin(p *simplexProblem, tol, total float64) {
	k, r := p.k, in.z.Cols
	in.on = p.projected != nil && !p.rough && p.near && !p.atMost && r >= k-1 && 2*(r+1-k) <= k &&
		float64(in.used) > insideShare*float64(in.z.Rows*k) &&
		tol >= insideTol && in.least > insideObjective*total
	if !in.on {
		return
	}
	if in.second == nil {
		in.linear, in.constant = NewMatrix(r+1, r, nil), make([]float64, r+1)
		in.second, in.first = in.s.scatterOf(in.z), make([]float64, r)
		for i := range in.z.Rows {
			axpy(in.first, in.s.weight(i), in.z.row(i))
		}
	}
	if r >= k { // the rows of basis from k−1 on are outside of the hull
		in.basis = reshaped(in.basis, r, r)
		clear(in.basis.Data)
		copyRows(in.basis, rowsOf(p.vertices, 0, k-1))
		orthonormalize(context.Background(), in.basis, 0)
	}
	clear(in.linear.Data)
	unit := math.Ldexp(1, -p.exp)
	for a := range k {
		in.constant[a] = p.level[a] - dot(p.projected[a*k:(a+1)*k], p.offset)
		for b, v := range p.projected[a*k : (a+1)*k] {
			axpy(in.linear.row(a), v*unit, p.vertices.row(b))
		}
	}
	for a := k; a <= r; a++ {
		in.constant[a] = -dot(in.basis.row(a-1), p.centre)
		axpy(in.linear.row(a), unit, in.basis.row(a-1))
	}
}

// end sets gz and gg to GᵀZ and GᵀG. On entry they hold YᵀZ and YᵀG; sum holds 1ᵀG.
func (in *insidePass) end(gz, gg *Matrix, p *simplexProblem, sum []float64) {
	k, r := p.k, p.d
	in.yz, in.yg = reshaped(in.yz, k, r), reshaped(in.yg, k, k)
	copy(in.yz.Data, gz.Data)
	copy(in.yg.Data, gg.Data)
	clear(gz.Data)
	clear(gg.Data)
	for a := range k {
		axpy(gz.row(a), in.constant[a], in.first)
		for c, v := range in.linear.row(a) {
			axpy(gz.row(a), v, in.second.row(c))
		}
		for b, v := range p.projected[a*k : (a+1)*k] {
			axpy(gz.row(a), v, in.yz.row(b))
			axpy(gg.row(a), v, in.yg.row(b))
		}
	}
	for a := range k {
		axpy(gg.row(a), in.constant[a], sum)
		for b := range k {
			gg.row(a)[b] += dot(in.linear.row(a), gz.row(b))
		}
	}
	// All sums of a center that no row uses are 0. Rounding must not move such a center.
	for a, share := range sum {
		if share == 0 {
			clear(gz.row(a))
			clear(gg.row(a))
			for b := range k {
				gg.row(b)[a] = 0
			}
		}
	}
}
