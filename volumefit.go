package softkmeans

// A fit with a penalty on the volume: its coordinates, units, starts and runs.

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// volumeFit holds a call of FitAlternating, FitMinVolume or MinVolumePath.
type volumeFit struct {
	alternation
	o       MinVolumeOptions // with its defaults filled in
	pc      *principal
	basis   *Matrix // of vf.z, r×d, orthonormal rows; nil: the data's own axes
	exact   *Matrix // the basis in which the fit ends; see narrow
	narrow  bool    // vf.z has leading directions alone
	flat    bool    // the samples span fewer dimensions than k centers
	drawn   bool    // the fit has begun on a draw of its rows, see lambda.go
	restart int
	missed  float64 // the objective relative to the slack rule's target where it is above; 0 otherwise
}

// runResult is the last iterate of a run at one λ, and how the run got there.
type runResult struct {
	*iterate
	lambda     float64
	iterations int
	status     Status
	trace      []float64
}

// What the slack is a share of. Data whose floor is below exactShare of the total variance is an exact
// mixture of k prototypes: that share then stands for the floor. If k > min(n−1, d) the floor is 0 whatever
// the data is, and trivialShare stands for it. No slack gives up more than mostGiven of what the floor
// explains. On noise (1+Slack)·floor could otherwise exceed the total variance, and all prototypes could be
// one.
const (
	exactShare   = 1e-6
	trivialShare = 0.1
	mostGiven    = 0.5
)

// openVolumeFit checks a call and finds the floor and the coordinates.
func openVolumeFit(ctx context.Context, x *Matrix, k int, o *MinVolumeOptions) (*volumeFit, error) {
	if err := checkMinVolume(x, k, o); err != nil {
		return nil, err
	}
	s, err := newSamples(ctx, x, o.Weights, o.Workers, o.Sum == SumToOne)
	if err != nil {
		return nil, err
	}
	if err := checkSizeOfK(k, s.n, k); err != nil {
		return nil, err
	}
	if err := checkSizeOfK(k, k+1, max(s.d, k+1)); err != nil {
		return nil, err
	}
	p := k // the directions that k centers span from 0
	if s.centred {
		p--
	}
	p = min(p, s.d)
	q := wanted{p, narrowColumns(k) - p}
	if rowSpace(s) {
		q.more = s.rankBound() - p
	}
	q.more = max(0, min(q.more, s.d-p))
	pc, err := findLeading(s, q, SolverAuto, toFit)
	if err != nil {
		return nil, err
	}
	return newVolumeFit(s, k, o, pc)
}

// newVolumeFit fills in the options' defaults for samples and their principal subspace, and copies the
// samples into coordinates.
func newVolumeFit(s *samples, k int, o *MinVolumeOptions, pc *principal) (*volumeFit, error) {
	vf := &volumeFit{o: *o, pc: pc}
	vf.o.Restarts = orDefault(o.Restarts, defaultRestarts)
	vf.o.MaxIter = orDefault(o.MaxIter, defaultMaxIter)
	vf.o.Tol = orDefault(o.Tol, defaultTol)
	vf.o.Slack = orDefault(o.Slack, DefaultSlack)
	vf.alternation = alternation{ctx: s.ctx, s: s, k: k, sum: o.Sum, total: pc.total, plain: o.Plain}
	vf.flat = pc.floor <= roundedFloor*pc.total && vf.lastDirection() <= roundedFloor*pc.total
	start, volume := InitKMeans, VolumeOrigin
	if !vf.trivial() && vf.pc.floor <= exactShare*vf.total { // an exact mixture
		start, volume = InitSPA, VolumeAffine
	}
	vf.o.Init, vf.o.Volume = orDefault(o.Init, start), orDefault(o.Volume, volume)
	if o.Centers != nil || vf.o.Init == InitSPA || vf.o.Init == InitGlobal {
		vf.o.Restarts = 1
	}
	if vf.o.Volume == VolumeAffine {
		vf.contrasts = RegularSimplex(k)
	}
	return vf, vf.coordinates()
}

// narrowColumns is in how many leading directions a fit of k centers begins. Twice or four times k took as
// long; the fewer, the more is left to do in all columns.
func narrowColumns(k int) int { return 3*k + 4 }

// rowSpace reports whether the samples are taken to their row space.
func rowSpace(s *samples) bool { return s.wide() && s.n <= rowSpaceRows }

// rowSpaceRows is the most rows of a wide table that is taken to its row space. The Gram matrix costs n²d,
// and its eigenvectors n³.
const rowSpaceRows = 1024

// A floor of at most roundedFloor of the total is taken to be rounding.
const roundedFloor = 1e-14

// coordinates copies the samples into z. The fit begins in leading directions where these are fewer than
// the columns. It ends in an orthonormal basis of the row space where the data is exact or the table wide,
// unless centers have bounds, which are by column.
func (vf *volumeFit) coordinates() error {
	s, lead := vf.s, vf.pc.leading
	r := s.d
	switch {
	case vf.o.NonNegative:
	case vf.pc.floor <= roundedFloor*vf.pc.total && vf.pc.basis.Rows < s.d:
		vf.exact = vf.pc.basis
	case rowSpace(s):
		if lead == nil || lead.Rows < s.rankBound() {
			pc, _, err := principalByGram(s, wanted{s.rankBound(), 0})
			if err != nil {
				return err
			}
			lead = pc.basis
		}
		vf.exact = lead
	}
	if vf.exact != nil {
		r = vf.exact.Rows
	}
	if err := checkSize("a copy of x", s.n, r); err != nil {
		return err
	}
	vf.basis = vf.exact
	p := narrowColumns(vf.k)
	if vf.narrow = lead != nil && p <= lead.Rows && 3*p <= 2*r && !vf.plain; vf.narrow {
		vf.basis = rowsOf(lead, 0, p)
		r = p
	}
	vf.z = NewMatrix(s.n, r, nil)
	if err := changeBasis(s, vf.z, vf.basis); err != nil {
		return err
	}
	switch {
	case vf.narrow:
		vf.residual = max(0, vf.total-squaresBeyond(vf.s, vf.z, nil))
		return nil
	case vf.basis == vf.pc.basis && vf.basis != nil:
		vf.residual = vf.pc.floor
	}
	vf.setBounds()
	return nil
}

// setBounds sets the bounds of NonNegative, which are by column of the data.
func (vf *volumeFit) setBounds() {
	if !vf.o.NonNegative {
		return
	}
	vf.low = make([]float64, vf.s.d)
	for c, v := range vf.s.mean {
		vf.low[c] = -v
	}
}

// lastDirection returns the weighted sum of squares along the last principal direction.
func (vf *volumeFit) lastDirection() (sum float64) {
	p := vf.pc.basis.Rows
	if p == 0 {
		return math.Inf(1)
	}
	y, err := multiply(vf.s, rowsOf(vf.pc.basis, p-1, p))
	if err != nil {
		return math.Inf(1) // the next pass returns it
	}
	return sumSquares(y.Data)
}

// squaresBeyond returns the weighted sum of squares of rows z, in coordinates of s, less that of their
// projections. inside has those; nil: 0.
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

// lift takes centers from leading directions to the coordinates in which the fit ends.
func (vf *volumeFit) lift(f *Matrix) *Matrix {
	if !vf.narrow {
		return f
	}
	if vf.exact != nil { // its first rows are the leading directions
		out := NewMatrix(vf.k, vf.exact.Rows, nil)
		copyRows(out, f)
		return out
	}
	out := NewMatrix(vf.k, vf.s.d, nil)
	for a := range vf.k {
		for c, v := range f.row(a) {
			axpy(out.row(a), v, vf.basis.row(c))
		}
	}
	return out
}

// widen takes the samples to the coordinates in which the fit ends. On an error vf is unusable.
func (vf *volumeFit) widen() error {
	if !vf.narrow {
		return nil
	}
	r := vf.s.d
	if vf.exact != nil {
		r = vf.exact.Rows
	}
	vf.narrow, vf.basis, vf.residual, vf.work = false, vf.exact, 0, nil
	vf.setBounds()
	vf.z = NewMatrix(vf.s.n, r, nil)
	return changeBasis(vf.s, vf.z, vf.basis)
}

// inFull continues the best run in leading directions where the fit ends, by a function of that fit and the
// centers. If the context ends before there is another, best stays.
func (vf *volumeFit) inFull(
	best *runResult, run func(all *volumeFit, f *Matrix) *runResult,
) (*runResult, error) {
	if !vf.narrow {
		return best, nil
	}
	all := *vf
	f := vf.lift(best.f)
	if err := all.widen(); err != nil {
		return best, err
	}
	if out := run(&all, f); out != nil {
		*vf, best = all, out
	}
	return best, cancelled(vf.ctx)
}

// inBounds takes a run that a context ended in leading directions to all columns, where centers have the
// bounds of NonNegative. It is one pass.
func (vf *volumeFit) inBounds(best *runResult) (*runResult, error) {
	if best == nil || !vf.narrow || !vf.o.NonNegative {
		return best, nil
	}
	out, err := vf.afterEnd(best)
	if err == nil {
		out.follow(best)
	}
	return out, err
}

// afterEnd takes the centers of a run that a context ended, in coordinates or rows of their own, to the end
// of the fit. It is one pass.
func (vf *volumeFit) afterEnd(best *runResult) (*runResult, error) {
	vf.ctx, vf.o.Progress = context.Background(), nil
	vf.s.ctx = vf.ctx
	f := vf.lift(best.f)
	if err := vf.widen(); err != nil {
		return nil, err
	}
	return vf.runOf(f, best.lambda, 0), nil
}

// fromData takes centers from the data's units to the coordinates of z. Given centers may be 2^1020 times
// as large as the data. They count as 2^200 times its size at most, so that sums of squares are finite.
func (vf *volumeFit) fromData(f *Matrix) *Matrix {
	s := vf.s
	out := NewMatrix(vf.k, vf.z.Cols, nil)
	row := make([]float64, s.d)
	for a := range vf.k {
		for c, v := range f.row(a) {
			row[c] = min(max(math.Ldexp(v, -s.exp), -0x1p200), 0x1p200) - s.mean[c]
		}
		if vf.basis == nil {
			copy(out.row(a), row)
			continue
		}
		for c := range out.Cols {
			out.row(a)[c] = dot(row, vf.basis.row(c))
		}
	}
	return out
}

// toData takes centers from the coordinates of z to the data's units, at most mostCenter in size.
func (vf *volumeFit) toData(f *Matrix) *Matrix {
	s := vf.s
	out := NewMatrix(vf.k, s.d, nil)
	for a := range vf.k {
		row := out.row(a)
		copy(row, s.mean)
		if vf.basis == nil {
			axpy(row, 1, f.row(a))
		} else {
			for c, v := range f.row(a) {
				axpy(row, v, vf.basis.row(c))
			}
		}
		for c, v := range row {
			row[c] = min(max(math.Ldexp(v, s.exp), -mostCenter), mostCenter)
		}
	}
	return out
}

// leading returns the samples in the principal subspace, n×p, and the subspace's axes in the coordinates of
// z, p×r.
func (vf *volumeFit) leading() (w, axes *Matrix) {
	p := vf.pc.basis.Rows
	if vf.basis != nil { // its first rows are the principal ones; for k > d it may have fewer than p
		p = min(p, vf.z.Cols)
		axes = NewMatrix(p, vf.z.Cols, nil)
		for c := range p {
			axes.row(c)[c] = 1
		}
		return &Matrix{Rows: vf.z.Rows, Cols: p, Stride: vf.z.Stride, Data: vf.z.Data}, axes
	}
	w = NewMatrix(vf.z.Rows, p, nil)
	// No error is lost: the next pass finds a context that ends here.
	_ = vf.s.eachBlock(vf.z.Rows, vf.s.d, manyChunks, 0, func(at block) {
		rows, d := at.hi-at.lo, vf.s.d
		addMulNT(w.Data[at.lo*p:at.hi*p], p, vf.z.Data[at.lo*d:], rows, vf.pc.basis.Data, p, d, false)
	})
	return w, vf.pc.basis
}

// perWeight returns v per unit of weight.
func (vf *volumeFit) perWeight(v float64) float64 {
	var sum float64
	for i := range vf.s.n {
		sum += vf.s.weight(i)
	}
	return v / sum
}

// spread returns the root mean square distance of the samples from their mean, or from 0.
func (vf *volumeFit) spread() float64 { return math.Sqrt(vf.perWeight(vf.total)) }

// trivial reports whether the floor is 0 for fewer centers, too: whatever the data is, or because it has
// fewer dimensions than a simplex of k centers.
func (vf *volumeFit) trivial() bool {
	if vf.flat {
		return true
	}
	span := vf.k
	if vf.s.centred {
		span--
	}
	return span >= vf.s.rankBound()
}

// reference returns the floor, or the share of the total that stands for it.
func (vf *volumeFit) reference() float64 {
	if vf.trivial() {
		return trivialShare * vf.total
	}
	return max(vf.pc.floor, exactShare*vf.total)
}

// setEpsilon chooses ε. Its bounds keep products and quotients with it finite: at least 2^-40 of the
// variance and 2^-160, far below the rounding of data of size 1.
func (vf *volumeFit) setEpsilon() {
	vf.eps = vf.perWeight(vf.reference())
	if vf.o.Epsilon > 0 {
		vf.eps = math.Ldexp(vf.o.Epsilon, -2*vf.s.exp)
	}
	vf.eps = min(max(vf.eps, 0x1p-40*vf.perWeight(vf.total), 0x1p-160), 0x1p400)
}

// scaledLambda takes λ from the data's units to those of the loop. Above 2^200 the penalty alone counts,
// and λ makes no difference.
func (vf *volumeFit) scaledLambda(lambda float64) float64 {
	return min(math.Ldexp(lambda, -2*vf.s.exp-vf.s.wexp), 0x1p200)
}

// dataPenalty takes Σ log(σ_i² + ε) to the data's units.
func (vf *volumeFit) dataPenalty(penalty float64) float64 {
	count := vf.k
	if vf.contrasts != nil {
		count--
	}
	return penalty + float64(count)*float64(2*vf.s.exp)*math.Ln2
}

// runAt runs from a start at one λ, for at most MaxIter iterations, as runOf does.
func (vf *volumeFit) runAt(start *Matrix, lambda float64) *runResult {
	return vf.runOf(start, lambda, vf.o.MaxIter)
}

// runOf runs from a start at one λ, for at most so many iterations. It returns nil if the context ends
// before the first pass does.
func (vf *volumeFit) runOf(start *Matrix, lambda float64, most int) *runResult {
	vf.lambda = lambda
	out := &runResult{}
	at, iterations, status := vf.run(start, most, vf.o.Tol, func(i int, at *iterate) {
		lambda := vf.lambda
		it := Iteration{
			Restart: vf.restart, Iteration: i, Lambda: vf.s.unscaleSquare(lambda),
			Objective: vf.s.unscaleSquare(at.objective), Floor: vf.s.unscaleSquare(vf.pc.floor),
		}
		if lambda > 0 {
			it.Penalty = vf.dataPenalty(at.penalty)
		}
		// Objective + λ/2·Penalty, in an order of operations that is monotone in at.loss, so that the trace
		// does not rise by rounding.
		it.Loss = max(vf.s.unscaleSquare(at.loss+lambda/2*vf.dataPenalty(0)), -math.MaxFloat64)
		if i == 0 { // the start, or another λ
			out.trace = out.trace[:0]
		}
		out.trace = append(out.trace, it.Loss)
		if vf.o.Progress != nil {
			vf.o.Progress(it)
		}
	})
	if at == nil {
		return nil
	}
	out.iterate, out.iterations, out.status, out.lambda = at, iterations, status, vf.lambda
	return out
}

// startCenters returns the centers that a restart begins with.
func (vf *volumeFit) startCenters(restart int) (*Matrix, error) {
	if vf.o.Centers != nil {
		return vf.fromData(vf.o.Centers), nil
	}
	rng := rand.New(rand.NewPCG(vf.o.Seed, uint64(restart)))
	switch vf.o.Init {
	case InitSPA:
		w, _ := vf.leading()
		return extremeRows(&vf.alternation, w), nil
	case InitGlobal:
		return vf.globalCenters()
	}
	w, axes := vf.leading()
	return kmeansCenters(&vf.alternation, rng, w, axes)
}

// globalCenters returns the start of InitGlobal: the tight simplex of the global solution.
func (vf *volumeFit) globalCenters() (*Matrix, error) {
	m, err := Fit(vf.ctx, vf.s.x, vf.k, &Options{
		Weights: vf.o.Weights, Workers: vf.o.Workers, Enclosure: EnclosureTight, Sum: vf.sum,
	})
	if err != nil {
		return nil, err
	}
	return vf.fromData(m.Centers), nil
}

// chosenStart returns the start whose run at λ has the lowest loss. Without restarts there is no run.
func (vf *volumeFit) chosenStart(lambda float64) (start *Matrix, run *runResult, err error) {
	if vf.o.Restarts == 1 {
		start, err = vf.startCenters(0)
		return start, nil, err
	}
	run, start, err = vf.runStarts(lambda)
	return start, run, err
}

// runThrough returns the best of all restarts at one λ, continued in all columns.
func (vf *volumeFit) runThrough(lambda float64) (*runResult, error) {
	best, _, err := vf.runStarts(lambda)
	if err != nil {
		return best, err
	}
	return vf.inFull(best, func(all *volumeFit, f *Matrix) *runResult { return all.after(f, best) })
}

// after continues a run in leading directions from its centers f, lifted, at the same λ.
func (vf *volumeFit) after(f *Matrix, earlier *runResult) *runResult {
	out := vf.runOf(f, earlier.lambda, max(0, vf.o.MaxIter-earlier.iterations))
	if out != nil {
		out.follow(earlier)
	}
	return out
}

// follow puts the trace of an earlier run before that of r, which began at its last centers and λ. The loss
// there is the same, but for rounding, by which the earlier trace is raised so that it does not rise. Where
// the bounds of NonNegative cost more, the trace begins there.
func (r *runResult) follow(earlier *runResult) {
	begin, last := r.trace[0], earlier.trace[len(earlier.trace)-1]
	if begin <= last+1e-9*math.Abs(last) {
		trace := slices.Clone(earlier.trace)
		trace[len(trace)-1] = begin
		for i := range trace {
			trace[i] = max(trace[i], begin)
		}
		r.trace = append(trace, r.trace[1:]...)
	}
	r.iterations = len(r.trace) - 1
}

// runStarts runs all restarts at one λ and returns the one of the lowest loss, with its start. If the
// context ends the result is the best so far and the context's error.
func (vf *volumeFit) runStarts(lambda float64) (best *runResult, from *Matrix, err error) {
	chosen := 0
	for r := range vf.o.Restarts {
		vf.restart = r
		start, err := vf.startCenters(r)
		if err != nil {
			return best, from, err
		}
		out := vf.runAt(start, lambda)
		if out != nil && (best == nil || out.loss < best.loss) {
			best, from, chosen = out, start, r
		}
		if err := cancelled(vf.ctx); err != nil {
			return best, from, err
		}
	}
	vf.restart = chosen // for Progress: the search for λ begins at this start
	return best, from, nil
}

// model returns the model of centers f and the run that they came from, without memberships, warnings and
// what rate sets.
func (vf *volumeFit) model(f *Matrix, run *runResult) *Model {
	s := vf.s
	m := &Model{
		Centers: vf.toData(f), Lambda: s.unscaleSquare(run.lambda), Sum: vf.sum, Solver: vf.pc.solver,
		Iterations: run.iterations, Status: run.status, Trace: run.trace,
	}
	if run.lambda > 0 {
		m.Volume = vf.o.Volume
		m.Epsilon = min(math.Ldexp(vf.eps, 2*s.exp), math.MaxFloat64)
	}
	return m
}

// finish makes the model of the best run. err is the error that ended the computation early, which is
// returned with it.
func (vf *volumeFit) finish(best *runResult, err error) (*Model, error) {
	if best == nil {
		return nil, err
	}
	s := vf.s
	s.ctx = context.Background() // what is left to do is short
	m := vf.model(best.f, best)
	m.Memberships = best.g
	if err != nil {
		m.Status = StatusCancelled
	}
	if err := solveRows(s, m.Centers, m.Memberships, m.Sum, s.zeroWeights()); err != nil {
		return nil, err
	}
	objective, wrong := objectiveOf(s, m.Centers, m.Memberships, m.Sum)
	if wrong != nil {
		return nil, wrong
	}
	m.rate(s, objective, vf.pc)
	if err := m.label(s, vf.pc.leading); err != nil {
		return nil, err
	}
	m.Stationarity = best.stationarity(best.lambda, vf.total)
	var members membershipStats
	members.add(s, vf.z, best.g)
	m.Warnings = findWarnings(best.f, &members, vf.spread(), vf.missed)
	if err == nil && vf.eps > 0 { // not for FitAlternating
		m.VolumeRatio = vf.volumeRatio(m.Centers, objective)
	}
	return m, err
}

// volumeRatio returns Model.VolumeRatio for an objective in scaled units.
func (vf *volumeFit) volumeRatio(centers *Matrix, objective float64) float64 {
	volume, err := LogVolume(centers)
	if err != nil || vf.sum != SumToOne || math.IsInf(volume, -1) {
		return 0
	}
	w, _ := vf.leading()
	q := newVolumeProblem(vf.s, w, vf.k)
	q.total, q.lower = vf.pc.total+vf.pc.totalError, max(0, vf.pc.floor-vf.pc.floorError)
	q.outside = max(0, q.total-sumSquares(q.sigma))
	b := q.bound(objective*(1+0x1p-40)).inUnits(vf.k, vf.s.units)
	return min(math.Exp(max(0, volume-b.LogVolume)), math.MaxFloat64)
}
