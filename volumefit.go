package softkmeans

// A fit with a penalty on the volume: its coordinates, its units, its runs.

import (
	"context"
	"math"
	"math/rand/v2"
	"strconv"
)

// job is a call of FitAlternating, FitMinVolume or MinVolumePath.
type volumeFit struct {
	alternation
	o       MinVolumeOptions // with its defaults filled in
	pc      *principal
	basis   *Matrix // of m.z, r×d, orthonormal rows; nil: the data's own axes
	restart int
	missed  float64 // by which factor the fit is above the slack rule's target; 0: it is not
}

// outcome is the end of a run.
type fitRun struct {
	*iterate
	lambda     float64
	iterations int
	status     Status
	trace      []float64
}

// A floor below exactShare of the total variance says that the data is a
// mixture of k prototypes; the slack rule then takes this share for it. If
// k > min(n−1, d) the floor is 0 whatever the data is, and trivialShare takes its
// place. No slack gives up more than mostGiven of what the floor explains:
// where nothing but noise is left to explain, (1+Slack)·floor would be more
// than the total variance, and all prototypes could be one.
const (
	exactShare   = 1e-6
	trivialShare = 0.1
	mostGiven    = 0.5
)

func openVolumeFit(ctx context.Context, x *Matrix, k int, o *MinVolumeOptions) (*volumeFit, error) {
	if err := checkAlternating(x, k, o); err != nil {
		return nil, err
	}
	s, err := newSamples(ctx, x, o.Weights, o.Workers, o.Sum == SumToOne)
	if err != nil {
		return nil, err
	}
	if !addressable(s.n, k) || !addressable(k+1, max(s.d, k+1)) {
		return nil, fail(ErrOption, "k is "+strconv.Itoa(k)+" for data of "+shape(s.n, s.d)+": the result is too large to address")
	}
	p := k // directions that k centers span, from 0
	if s.centred {
		p--
	}
	pc, err := findPrincipal(s, min(p, s.d), SolverAuto)
	if err != nil {
		return nil, err
	}
	return newVolumeFit(s, k, o, pc)
}

// newVolumeFit makes it of samples and what their principal subspace is taken to be.
func newVolumeFit(s *samples, k int, o *MinVolumeOptions, pc *principal) (*volumeFit, error) {
	j := &volumeFit{o: *o, pc: pc}
	j.o.Restarts = orDefault(o.Restarts, defaultRestarts)
	j.o.MaxIter = orDefault(o.MaxIter, defaultMaxIter)
	j.o.Tol = orDefault(o.Tol, defaultTol)
	j.o.Slack = orDefault(o.Slack, defaultSlack)
	j.alternation = alternation{ctx: s.ctx, s: s, k: k, sum: o.Sum, total: j.pc.total}
	exact := !j.trivial() && j.pc.floor <= exactShare*j.total
	if j.o.Init == InitAuto {
		j.o.Init = InitKMeans
		if exact {
			j.o.Init = InitSPA
		}
	}
	if j.o.Volume == VolumeAuto {
		j.o.Volume = VolumeOrigin
		if exact {
			j.o.Volume = VolumeAffine
		}
	}
	if o.Centers != nil || j.o.Init == InitSPA || j.o.Init == InitGlobal {
		j.o.Restarts = 1
	}
	if j.o.Volume == VolumeAffine {
		j.contrasts = RegularSimplex(k)
	}
	return j, j.coordinates()
}

// rowSpaceRows is up to how many rows a wide table is taken to its row space:
// n²d for the Gram matrix and n³ for its eigenvectors must pay.
const rowSpaceRows = 1024

// coordinates copies the samples into z, in an orthonormal basis of their row
// space where that is known to be smaller than d.
func (j *volumeFit) coordinates() error {
	s := j.s
	switch {
	case j.pc.floor <= 1e-14*j.pc.total && j.pc.basis.Rows < s.d:
		j.basis, j.left = j.pc.basis, j.pc.floor
	case s.wide() && s.n <= rowSpaceRows:
		pc, _, err := principalByGram(s, s.rankBound())
		if err != nil {
			return err
		}
		j.basis = pc.basis
	}
	r := s.d
	if j.basis != nil {
		r = j.basis.Rows
	}
	if !addressable(s.n, r) {
		return fail(ErrShape, "x is "+shape(s.n, s.d)+": a copy is too large to address")
	}
	j.z = NewMatrix(s.n, r, nil)
	return s.eachBlock(s.n, s.d, manyChunks, s.d, func(at block) {
		z := j.z.Data[at.lo*r : at.hi*r]
		if j.basis == nil {
			s.pack(z, at.lo, at.hi, false)
			return
		}
		rows := at.scratch[:(at.hi-at.lo)*s.d]
		s.pack(rows, at.lo, at.hi, false)
		addMulNT(z, r, rows, at.hi-at.lo, j.basis.Data, r, s.d, false)
	})
}

// inside takes centers from the data's units to the coordinates of z.
func (j *volumeFit) inside(f *Matrix) *Matrix {
	s := j.s
	out := NewMatrix(j.k, j.z.Cols, nil)
	row := make([]float64, s.d)
	for a := range j.k {
		for c, v := range f.row(a) {
			// Centers farther away than 2^200 times the data's size give no more.
			row[c] = min(max(math.Ldexp(v, -s.exp), -0x1p200), 0x1p200) - s.mean[c]
		}
		if j.basis == nil {
			copy(out.row(a), row)
			continue
		}
		for c := range out.Cols {
			out.row(a)[c] = dot(row, j.basis.row(c))
		}
	}
	return out
}

// outside takes centers from the coordinates of z to the data's units.
func (j *volumeFit) outside(f *Matrix) *Matrix {
	s := j.s
	out := NewMatrix(j.k, s.d, nil)
	for a := range j.k {
		row := out.row(a)
		copy(row, s.mean)
		if j.basis == nil {
			axpy(row, 1, f.row(a))
		} else {
			for c, v := range f.row(a) {
				axpy(row, v, j.basis.row(c))
			}
		}
		for c, v := range row {
			row[c] = clampFinite(math.Ldexp(v, s.exp))
		}
	}
	return out
}

// leading returns the samples and the axes of the principal subspace in the
// coordinates of z: n×p, p×r.
func (j *volumeFit) leading() (w, axes *Matrix) {
	p := j.pc.basis.Rows
	if j.basis != nil { // its first rows are the principal ones; wide data has fewer than k > d may ask for
		p = min(p, j.z.Cols)
		axes = NewMatrix(p, j.z.Cols, nil)
		for c := range p {
			axes.row(c)[c] = 1
		}
		return &Matrix{Rows: j.z.Rows, Cols: p, Stride: j.z.Stride, Data: j.z.Data}, axes
	}
	w = NewMatrix(j.z.Rows, p, nil)
	// Without error: a context that ends here is seen by the next pass.
	_ = j.s.eachBlock(j.z.Rows, j.s.d, manyChunks, 0, func(at block) {
		addMulNT(w.Data[at.lo*p:at.hi*p], p, j.z.Data[at.lo*j.s.d:], at.hi-at.lo, j.pc.basis.Data, p, j.s.d, false)
	})
	return w, j.pc.basis
}

// perWeight is v for one unit of weight.
func (j *volumeFit) perWeight(v float64) float64 {
	var sum float64
	for i := range j.s.n {
		sum += j.s.weight(i)
	}
	return v / sum
}

// spread is the root mean square distance of the samples from their mean, or from 0.
func (j *volumeFit) spread() float64 { return math.Sqrt(j.perWeight(j.total)) }

// trivial reports whether the floor is 0 whatever the data is.
func (j *volumeFit) trivial() bool {
	span := j.k
	if j.s.centred {
		span--
	}
	return span >= j.s.rankBound()
}

// reference is the floor, or what stands for it where that is 0.
func (j *volumeFit) reference() float64 {
	if j.trivial() {
		return trivialShare * j.total
	}
	return max(j.pc.floor, exactShare*j.total)
}

func (j *volumeFit) setEpsilon() {
	j.eps = j.perWeight(j.reference())
	if j.o.Epsilon > 0 {
		j.eps = math.Ldexp(j.o.Epsilon, -2*j.s.exp)
	}
	// The bounds keep what is multiplied and divided by ε finite. A variance
	// below 2^-160 is far below the rounding of data of size 1.
	j.eps = min(max(j.eps, 0x1p-40*j.perWeight(j.total), 0x1p-160), 0x1p400)
}

// scaledLambda takes λ from the data's units to those of the loop. No λ above
// 2^200 makes a difference any more.
func (j *volumeFit) scaledLambda(lambda float64) float64 {
	return min(math.Ldexp(lambda, -2*j.s.exp-j.s.wexp), 0x1p200)
}

// volume is Σ log(σ_i² + ε) in the data's units.
func (j *volumeFit) volume(logs float64) float64 {
	count := j.k
	if j.contrasts != nil {
		count--
	}
	return logs + float64(count)*float64(2*j.s.exp)*math.Ln2
}

// runAt runs from a start at one λ. It returns nil if the context ends before
// the first pass does.
func (j *volumeFit) runAt(start *Matrix, lambda float64) *fitRun {
	j.lambda = lambda
	out := &fitRun{lambda: lambda}
	units := j.s.unscaleSquare(lambda)
	at, iterations, status := j.run(start, j.o.MaxIter, j.o.Tol, func(i int, at *iterate) {
		it := Iteration{Restart: j.restart, Iteration: i, Objective: j.s.unscaleSquare(at.fit), Floor: j.s.unscaleSquare(j.pc.floor), Lambda: units}
		if lambda > 0 {
			it.Penalty = j.volume(at.logs)
		}
		// Objective + units/2·Penalty, but in one rounding, which keeps the order of
		// at.value: the trace does not rise where terms cancel or are denormal.
		it.Loss = j.s.unscaleSquare(at.value + lambda/2*j.volume(0))
		out.trace = append(out.trace, it.Loss)
		if j.o.Progress != nil {
			j.o.Progress(it)
		}
	})
	if at == nil {
		return nil
	}
	out.iterate, out.iterations, out.status = at, iterations, status
	return out
}

// startCenters returns the centers that a restart begins with.
func (j *volumeFit) startCenters(restart int) (*Matrix, error) {
	if j.o.Centers != nil {
		return j.inside(j.o.Centers), nil
	}
	rng := rand.New(rand.NewPCG(j.o.Seed, uint64(restart)))
	switch j.o.Init {
	case InitRandom:
		return randomRows(&j.alternation, rng), nil
	case InitPlusPlus:
		return plusPlus(&j.alternation, rng, nil), nil
	case InitSPA:
		w, _ := j.leading()
		return extremeRows(&j.alternation, w), nil
	case InitGlobal:
		return j.globalCenters()
	}
	w, axes := j.leading()
	return kmeansCenters(&j.alternation, rng, w, axes)
}

// globalCenters is InitGlobal.
func (j *volumeFit) globalCenters() (*Matrix, error) {
	m, err := Fit(j.ctx, j.s.x, j.k, &Options{Weights: j.o.Weights, Workers: j.o.Workers, Enclosure: EnclosureTight})
	if err != nil {
		return nil, err
	}
	return j.inside(m.Centers), nil
}

// runStarts runs all restarts at one λ and returns the one of the lowest
// objective with its start. If the context ends the best so far is returned
// with its error.
func (j *volumeFit) runStarts(lambda float64) (best *fitRun, from *Matrix, err error) {
	chosen := 0
	for r := range j.o.Restarts {
		j.restart = r
		start, err := j.startCenters(r)
		if err != nil {
			return best, from, err
		}
		out := j.runAt(start, lambda)
		if out != nil && (best == nil || out.value < best.value) {
			best, from, chosen = out, start, r
		}
		if err := cancelled(j.ctx); err != nil {
			return best, from, err
		}
	}
	j.restart = chosen // what follows goes on from there
	return best, from, nil
}

// finish makes the model of an outcome. err is the error that ended the
// computation early, which the best so far is returned with.
func (j *volumeFit) finish(best *fitRun, err error) (*Model, error) {
	if best == nil {
		return nil, err
	}
	s := j.s
	s.ctx = context.Background() // what is left to do is short
	m := &Model{
		Centers: j.outside(best.f), Memberships: best.g, Lambda: s.unscaleSquare(best.lambda), Sum: j.sum,
		Solver: j.pc.solver, Iterations: best.iterations, Status: best.status, Trace: best.trace,
	}
	if err != nil {
		m.Status = StatusCancelled
	}
	if best.lambda > 0 {
		m.Volume = j.o.Volume
		m.Epsilon = min(math.Ldexp(j.eps, 2*s.exp), math.MaxFloat64)
	}
	if err := solveZeroWeights(s, m.Centers, m.Memberships, m.Sum); err != nil {
		return nil, err
	}
	c, wrong := compareWithFloor(s, m.Centers, m.Memberships, j.pc, false)
	if wrong != nil {
		return nil, wrong
	}
	m.Objective, m.Floor, m.FloorError, m.Total, m.Gap = c.Objective, c.Floor, c.FloorError, c.Total, c.Gap
	var members census
	members.count(s, j.z, best.g)
	m.Warnings = findWarnings(best.f, &members, j.spread(), j.missed)
	return m, err
}
