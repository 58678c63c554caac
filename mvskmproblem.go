package softkmeans

// Minimal volume as a problem: samples, floor, options and units. Once the problem is open, only eps, least,
// o.Slack and o.Tol change. The file also contains the allowance of the slack, the state of steering, the
// logarithms of the penalty, bounds of centers, and passes by multipliers.

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

// steering chooses λ anew for each F-step, so that the objective goes to the goal, and stays there. With the
// memberships as they are, the objective of an F-step grows with λ. Below the target a step takes the λ at
// which the objective is the goal. Such a step minimises the majoriser of the penalty under this constraint,
// and the following G-step can only lower the objective. So the penalty falls until no step within the target
// lowers it, whether or not a run at the last λ would stay there. Above the target a step halves the excess
// over the goal, or takes leastLambda if no λ does so.
type steering struct {
	target, goal float64
	allowance    float64
	unit         float64 // the unit of leastLambda and mostLambda
	slope        float64 // the slope of the objective in log λ, in the last F-step
}

// The goal is below the target by goalShare of the allowance: steps with momentum may exceed the goal, but
// not the target. λ is exact if the objective predicted for it differs from the goal by at most exactGoal of
// the allowance. With 2.5e-4 momentum was lost ten times as often, and runs near a line ended at larger
// volumes.
const (
	goalShare = 5e-4
	exactGoal = 1e-5
)

// λ is between leastLambda and mostLambda, in units of total/k. A trial changes it by a factor of e^mostStep
// at most. mostTrials is the largest number of F-steps among which steeredStep chooses.
const (
	leastLambda = 1e-8
	mostLambda  = 1e4
	mostStep    = 2
	mostTrials  = 40
)

// A run with steering ends after steeredCalm iterations below the tolerance in place of two: steps are small
// until momentum has grown. Within the target the tolerance is a fraction of calmScale allowances if the
// objective is larger. Near a line, with a slack of .01, runs that ended earlier had 1.09 times the volume.
// Above the target it is a fraction of the objective: with bounds of centers the target may be out of reach,
// and centers ran away from the data. steeredMaxIter is the default of MaxIter.
const (
	steeredCalm    = 5
	calmScale      = 4
	steeredMaxIter = 8 * defaultMaxIter
)

// size returns the objective that tolerances of a run with steering q, or with none, are fractions of.
func (q *steering) size(objective float64) float64 {
	if q != nil && objective <= q.target {
		return min(objective, calmScale*q.allowance)
	}
	return objective
}

// safeCondition is the largest condition number at which logInverse trusts a Cholesky factorization. The
// error is the condition number times 2^-53 and the order.
const safeCondition = 0x1p40

// logInverse sets d to (A + εI)⁻¹ and returns log det (A + εI), for a symmetric A without negative
// eigenvalues. For the eigenvalues σ² of A these are V diag(1/(σ²+ε))Vᵀ and Σ log(σ²+ε). A Cholesky
// factorization finds them without eigenvectors; if it is ill-conditioned logInverse returns NaN. A becomes A
// + εI.
func logInverse(d, a, scratch []float64, n int, eps float64) (logs float64) {
	for i := range n {
		a[i*n+i] += eps
	}
	copy(scratch, a)
	if !cholesky(scratch, n) {
		return math.NaN()
	}
	for i := range n {
		logs -= 2 * math.Log(scratch[i*n+i])
	}
	cholInverse(d, scratch, n)
	if !(norm2(d)*norm2(a) <= safeCondition) {
		return math.NaN()
	}
	return logs
}

// logInverseEigen sets d and returns the logarithm as logInverse does, by eigenvalues, at any condition. a is
// A + εI. Eigenvalues of A that rounding made negative count as 0.
func logInverseEigen(d, a []float64, n int, eps float64) (logs float64) {
	values, rows := eigenSym(context.Background(), NewMatrix(n, n, a))
	clear(d)
	for i, value := range values {
		value = max(value-eps, 0) + eps
		logs += math.Log(value)
		row := rows.row(i)
		for a, u := range row {
			axpy(d[a*n:(a+1)*n], u/value, row)
		}
	}
	return logs
}

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

// An F-step of centers with bounds ends after boxSweeps sweeps, or with a sweep that moves the centers by
// less than boxClose of their distance from the start of the step. With boxClose 1e-2 or 1e-8 fits took as
// many iterations and reached the same result. A freeStep costs as much as some k/freeShare sweeps, so one
// follows after k/freeShare + 1 sweeps.
const (
	boxSweeps = 1000
	boxClose  = 1e-4
	freeShare = 8
)

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
	insideShare     = 1. / 2
	insideTol       = 1e-8
	insideObjective = 1e-6
)

// begin sets in.on if the pass for the problem p works by multipliers, and then prepares it. tol is the
// tolerance of the fit, and total the total variance.
func (in *insidePass) begin(p *simplexProblem, tol, total float64) {
	k, r := p.k, in.z.Cols
	in.on = p.projected != nil && p.near && !p.atMost && r >= k-1 && 2*(r+1-k) <= k &&
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
