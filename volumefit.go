package softkmeans

// A fit with a penalty on the volume: its coordinates, units, starts and runs.

import (
	"context"
	"math"
	"math/rand/v2"
)

// volumeFit is a call of FitAlternating, FitMinVolume or MinVolumePath.
type volumeFit struct {
	alternation
	o       MinVolumeOptions // with its defaults filled in
	pc      *principal
	basis   *Matrix // of vf.z, r×d, orthonormal rows; nil: the data's own axes
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

// What the slack is a share of. Data whose floor is below exactShare of the total variance
// is an exact mixture of k prototypes: that share then stands for the floor. If k >
// min(n−1, d) the floor is 0 whatever the data is, and trivialShare stands for it. No slack
// gives up more than mostGiven of what the floor explains. On noise (1+Slack)·floor could
// otherwise exceed the total variance, and all prototypes could be one.
const (
	exactShare   = 1e-6
	trivialShare = 0.1
	mostGiven    = 0.5
)

// openVolumeFit checks a call and finds the floor and the coordinates.
func openVolumeFit(ctx context.Context, x *Matrix, k int, o *MinVolumeOptions) (*volumeFit, error) {
	if err := checkAlternating(x, k, o); err != nil {
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
	pc, err := findPrincipal(s, min(p, s.d), SolverAuto)
	if err != nil {
		return nil, err
	}
	return newVolumeFit(s, k, o, pc)
}

// newVolumeFit fills in the options' defaults for samples and their principal subspace,
// and copies the samples into coordinates.
func newVolumeFit(s *samples, k int, o *MinVolumeOptions, pc *principal) (*volumeFit, error) {
	vf := &volumeFit{o: *o, pc: pc}
	vf.o.Restarts = orDefault(o.Restarts, defaultRestarts)
	vf.o.MaxIter = orDefault(o.MaxIter, defaultMaxIter)
	vf.o.Tol = orDefault(o.Tol, defaultTol)
	vf.o.Slack = orDefault(o.Slack, defaultSlack)
	vf.alternation = alternation{ctx: s.ctx, s: s, k: k, sum: o.Sum, total: pc.total}
	exact := !vf.trivial() && vf.pc.floor <= exactShare*vf.total
	if vf.o.Init == InitAuto {
		vf.o.Init = InitKMeans
		if exact {
			vf.o.Init = InitSPA
		}
	}
	if vf.o.Volume == VolumeAuto {
		vf.o.Volume = VolumeOrigin
		if exact {
			vf.o.Volume = VolumeAffine
		}
	}
	if o.Centers != nil || vf.o.Init == InitSPA || vf.o.Init == InitGlobal {
		vf.o.Restarts = 1
	}
	if vf.o.Volume == VolumeAffine {
		vf.contrasts = RegularSimplex(k)
	}
	return vf, vf.coordinates()
}

// rowSpaceRows is the most rows of a wide table that is taken to its row space. The
// Gram matrix costs n²d, and its eigenvectors n³.
const rowSpaceRows = 1024

// coordinates copies the samples into z. Where the data is exact or the table wide z is
// in an orthonormal basis of the row space, which is smaller than d.
func (vf *volumeFit) coordinates() error {
	s := vf.s
	switch {
	case vf.pc.floor <= 1e-14*vf.pc.total && vf.pc.basis.Rows < s.d:
		vf.basis, vf.residual = vf.pc.basis, vf.pc.floor
	case s.wide() && s.n <= rowSpaceRows:
		pc, _, err := principalByGram(s, s.rankBound())
		if err != nil {
			return err
		}
		vf.basis = pc.basis
	}
	r := s.d
	if vf.basis != nil {
		r = vf.basis.Rows
	}
	if err := checkSize("a copy of x", s.n, r); err != nil {
		return err
	}
	vf.z = NewMatrix(s.n, r, nil)
	return changeBasis(s, vf.z, vf.basis)
}

// changeBasis overwrites z with the rows of s, shifted and scaled, in an orthonormal
// basis given as rows; nil: the data's own axes.
func changeBasis(s *samples, z, basis *Matrix) error {
	r := z.Cols
	return s.eachBlock(s.n, s.d, manyChunks, s.d, func(at block) {
		out := z.Data[at.lo*r : at.hi*r]
		if basis == nil {
			s.pack(out, at.lo, at.hi, false)
			return
		}
		rows := at.scratch[:(at.hi-at.lo)*s.d]
		s.pack(rows, at.lo, at.hi, false)
		clear(out)
		addMulNT(out, r, rows, at.hi-at.lo, basis.Data, r, s.d, false)
	})
}

// fromData takes centers from the data's units to the coordinates of z. Given centers
// may be 2^1020 times as large as the data. They count as 2^200 times its size at most, so
// that sums of squares are finite.
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

// toData takes centers from the coordinates of z to the data's units, at most mostCenter
// in size.
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

// leading returns the samples in the principal subspace, n×p, and the subspace's axes
// in the coordinates of z, p×r.
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
		addMulNT(w.Data[at.lo*p:at.hi*p], p, vf.z.Data[at.lo*vf.s.d:], at.hi-at.lo, vf.pc.basis.Data, p, vf.s.d, false)
	})
	return w, vf.pc.basis
}

// perWeight is v per unit of weight.
func (vf *volumeFit) perWeight(v float64) float64 {
	var sum float64
	for i := range vf.s.n {
		sum += vf.s.weight(i)
	}
	return v / sum
}

// spread is the root mean square distance of the samples from their mean, or from 0.
func (vf *volumeFit) spread() float64 { return math.Sqrt(vf.perWeight(vf.total)) }

// trivial reports whether the floor is 0 whatever the data is.
func (vf *volumeFit) trivial() bool {
	span := vf.k
	if vf.s.centred {
		span--
	}
	return span >= vf.s.rankBound()
}

// reference is the floor, or the share of the total that stands for it.
func (vf *volumeFit) reference() float64 {
	if vf.trivial() {
		return trivialShare * vf.total
	}
	return max(vf.pc.floor, exactShare*vf.total)
}

// setEpsilon chooses ε. Its bounds keep products and quotients with it finite: at least
// 2^-40 of the variance and 2^-160, far below the rounding of data of size 1.
func (vf *volumeFit) setEpsilon() {
	vf.eps = vf.perWeight(vf.reference())
	if vf.o.Epsilon > 0 {
		vf.eps = math.Ldexp(vf.o.Epsilon, -2*vf.s.exp)
	}
	vf.eps = min(max(vf.eps, 0x1p-40*vf.perWeight(vf.total), 0x1p-160), 0x1p400)
}

// scaledLambda takes λ from the data's units to those of the loop. Above 2^200 the
// penalty alone counts, and λ makes no difference.
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

// runAt runs from a start at one λ. It returns nil if the context ends before the first
// pass does.
func (vf *volumeFit) runAt(start *Matrix, lambda float64) *runResult {
	vf.lambda = lambda
	out := &runResult{lambda: lambda}
	units := vf.s.unscaleSquare(lambda)
	at, iterations, status := vf.run(start, vf.o.MaxIter, vf.o.Tol, func(i int, at *iterate) {
		it := Iteration{
			Restart: vf.restart, Iteration: i, Lambda: units,
			Objective: vf.s.unscaleSquare(at.objective), Floor: vf.s.unscaleSquare(vf.pc.floor),
		}
		if lambda > 0 {
			it.Penalty = vf.dataPenalty(at.penalty)
		}
		// Objective + units/2·Penalty, in an order of operations that is monotone in
		// at.loss, so that the trace does not rise by rounding.
		it.Loss = max(vf.s.unscaleSquare(at.loss+lambda/2*vf.dataPenalty(0)), -math.MaxFloat64)
		out.trace = append(out.trace, it.Loss)
		if vf.o.Progress != nil {
			vf.o.Progress(it)
		}
	})
	if at == nil {
		return nil
	}
	out.iterate, out.iterations, out.status = at, iterations, status
	return out
}

// startCenters returns the centers that a restart begins with.
func (vf *volumeFit) startCenters(restart int) (*Matrix, error) {
	if vf.o.Centers != nil {
		return vf.fromData(vf.o.Centers), nil
	}
	rng := rand.New(rand.NewPCG(vf.o.Seed, uint64(restart)))
	switch vf.o.Init {
	case InitRandom:
		return randomRows(&vf.alternation, rng), nil
	case InitPlusPlus:
		return plusPlus(&vf.alternation, rng, nil), nil
	case InitSPA:
		w, _ := vf.leading()
		return extremeRows(&vf.alternation, w), nil
	case InitGlobal:
		return vf.globalCenters()
	}
	w, axes := vf.leading()
	return kmeansCenters(&vf.alternation, rng, w, axes)
}

// globalCenters is InitGlobal: the tight simplex of the global solution.
func (vf *volumeFit) globalCenters() (*Matrix, error) {
	m, err := Fit(vf.ctx, vf.s.x, vf.k, &Options{Weights: vf.o.Weights, Workers: vf.o.Workers, Enclosure: EnclosureTight})
	if err != nil {
		return nil, err
	}
	return vf.fromData(m.Centers), nil
}

// runStarts runs all restarts at one λ and returns the one of the lowest loss, with its
// start. If the context ends the result is the best so far and the context's error.
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

// model returns the model of centers f and the run that they came from, without
// memberships, warnings and what rate sets.
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

// finish makes the model of the best run. err is the error that ended the computation
// early, which is returned with it.
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
	if err := solveZeroWeights(s, m.Centers, m.Memberships, m.Sum); err != nil {
		return nil, err
	}
	objective, wrong := objectiveOf(s, m.Centers, m.Memberships, nil)
	if wrong != nil {
		return nil, wrong
	}
	m.rate(s, objective, vf.pc)
	var members membershipStats
	members.add(s, vf.z, best.g)
	m.Warnings = findWarnings(best.f, &members, vf.spread(), vf.missed)
	return m, err
}
