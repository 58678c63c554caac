package softkmeans

// Soft k-means by alternation, with and without a penalty on the volume of the
// simplex of centers: Sections "SkM-AM" and "Minimal Volume Soft k-Means" of
// F. Nie, H. Chen, R. Wang and X. Li, On the Global Solution of Soft k-Means,
// Algorithm 2. The slack rule is ours: the global floor chooses λ.
//
// The loop itself is in mixture.go, the starts are in starts.go.

import (
	"context"
	"math"
	"math/rand/v2"
	"strconv"
)

// Volume is what [FitMinVolume] keeps small: Σ log(σ_i² + ε), over these
// singular values.
type Volume int

const (
	// VolumeAuto is the default: VolumeAffine for exact mixtures (see
	// [FitMinVolume]), where the smallest simplex is the answer, otherwise
	// VolumeOrigin, which holds clusters a little better.
	VolumeAuto Volume = iota
	// VolumeOrigin is the paper's: the k singular values of the centers as seen
	// from the mean of the data (from 0 under SumAtMostOne). They tell the volume
	// of the simplex and how far its hull is from the mean.
	VolumeOrigin
	// VolumeAffine takes the k−1 singular values of the centers as seen from
	// their own mean: the volume of the simplex, wherever it is.
	VolumeAffine
)

// String returns "auto", "origin" or "affine".
func (v Volume) String() string {
	switch v {
	case VolumeAuto:
		return "auto"
	case VolumeOrigin:
		return "origin"
	case VolumeAffine:
		return "affine"
	}
	return "Volume(" + strconv.Itoa(int(v)) + ")"
}

// Sum is what the memberships of a sample add up to.
type Sum int

const (
	// SumToOne: exactly 1, the default. The data is centred.
	SumToOne Sum = iota
	// SumAtMostOne: at most 1 (to one rounding), and what is missing belongs to a vertex at 0, as
	// for spectra of a scene with shade. The data is not centred: its 0 counts.
	SumAtMostOne
)

// String returns "one" or "at most one".
func (s Sum) String() string {
	switch s {
	case SumToOne:
		return "one"
	case SumAtMostOne:
		return "at most one"
	}
	return "Sum(" + strconv.Itoa(int(s)) + ")"
}

// Iteration is what Progress is told after every pass over the data, on the
// goroutine of the caller. Objective, Fit and Floor are in the squared units of
// the data.
type Iteration struct {
	Restart   int     // from 0
	Iteration int     // from 0, the start; a run of its own for every λ
	Objective float64 // Fit and the penalty
	Fit       float64 // ‖X − GF‖²
	Floor     float64 // the least that Fit can be
	Lambda    float64 // of this run
	Volume    float64 // Σ log(σ_i² + ε), the logarithm of a squared volume; 0 where λ is 0
}

// AlternatingOptions tunes [FitAlternating]. The zero value and nil are the
// defaults.
type AlternatingOptions struct {
	Weights []float64 // a weight ≥ 0 for every row, as in [Options]; nil: all 1
	Workers int       // 0: GOMAXPROCS. The result's bits do not depend on it.
	Seed    uint64    // of all that is random: the same seed gives the same result
	// Restarts is from how many starts to run; 0: 1. The lowest objective is
	// kept. InitSPA, InitGlobal and Centers give one start only.
	Restarts int
	MaxIter  int // iterations of a run; 0: 1000. Reaching it is StatusIterationLimit.
	// Tol ends a run when, twice in a row, the objective falls by no more than
	// this share of the fit and ‖F_t+1 − F_t‖² is no more than this share of
	// ‖F‖²; 0: 1e-5.
	Tol     float64
	Init    Init    // where to start; InitAuto is the default
	Centers *Matrix // k×d: start from these instead; nil: Init
	Sum     Sum     // SumToOne (the default) or SumAtMostOne
	// Progress is called after every pass over the data; nil: not. It must not
	// keep the caller waiting, and may cancel the context.
	Progress func(Iteration)
}

// MinVolumeOptions tunes [FitMinVolume]. The zero value and nil are the
// defaults.
type MinVolumeOptions struct {
	Weights []float64 // a weight ≥ 0 for every row, as in [Options]; nil: all 1
	Workers int       // 0: GOMAXPROCS. The result's bits do not depend on it.
	Seed    uint64    // of all that is random: the same seed gives the same result
	// Restarts is from how many starts to run; 0: 1. The lowest objective is
	// kept; with Slack at the first λ tried, and the search for λ goes on from
	// there. InitSPA, InitGlobal and Centers give one start only.
	Restarts int
	MaxIter  int             // iterations of a run; 0: 1000. Reaching it is StatusIterationLimit.
	Tol      float64         // as in [AlternatingOptions]; 0: 1e-5
	Init     Init            // where to start; InitAuto is the default
	Centers  *Matrix         // k×d: start from these instead; nil: Init
	Sum      Sum             // SumToOne (the default) or SumAtMostOne
	Progress func(Iteration) // called after every pass over the data, as in [AlternatingOptions]; nil: not

	// Slack is how much more squared error than the proven minimum compact
	// prototypes may cost: λ becomes as large as ‖X − GF‖² ≤ (1+Slack)·floor
	// allows. 0: 0.25. Larger values leave more samples outside of the simplex;
	// these get decided memberships.
	Slack float64
	// Lambda > 0 is λ itself, in squared units of the data (times weight), and
	// Slack is then not used.
	Lambda float64
	// Epsilon is ε, in squared units of the data; 0: the floor per unit of
	// weight. Directions in which the centers spread by less than √ε cost
	// nothing: a small ε lets the smallest direction collapse, a large one makes
	// the penalty a ridge, ‖F‖²/ε. The least is 2^-40 of the variance.
	Epsilon float64
	Volume  Volume // VolumeAuto (the default), VolumeOrigin or VolumeAffine

	// What follows is for FitMinVolumeSeq; FitMinVolume does not look at it.

	// SummaryRows is how many rows the summary may have: the more the less is left
	// to refine, and the longer it takes. 0: 16384, fewer where they have more than
	// 1024 columns, but at least 32·k.
	SummaryRows int
	// Refinements is how many passes more the first solution may be improved in;
	// 0: 4, negative: none.
	Refinements  int
	Memberships  func(first int, g *Matrix) error // as in [Options]
	PassProgress func(Pass)                       // Options.Progress: after every block; nil: not
}

// Defaults. The definition of ε and kmeansRuns were chosen on iris, seeds,
// glass, digits and mfeat_pix; Slack is the contract's.
const (
	defaultSlack    = 0.25
	defaultMaxIter  = 1000
	defaultTol      = 1e-5
	defaultRestarts = 1
)

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

// FitAlternating minimises ‖X − GF‖² over centers F (k×d) and memberships G (n×k;
// rows at least 0, adding up to 1) by exact minimisation over one and the other
// in turn, the paper's SkM-AM (fuzzy c-means with proportional membership, m = 0),
// with an extrapolation that is taken only where the objective falls. It finds a
// local minimum; [Fit] has the global one, and Model.Floor and Model.Gap say by
// how much they differ (often by nothing: the minimum has many solutions).
// Nothing but the start keeps the prototypes near the data.
//
// The rows of G are solved exactly for the centers, as by [Model.Predict]. The
// objective after every iteration, the start's first, is in Trace; it never
// rises. With Sum: SumAtMostOne, Total is ‖X‖² and Floor is Σ_{i>k} σ_i²(X), of
// the data as it is: a lower bound that is reached only where the rows lie in a
// cone of k directions.
//
// Cost: [Fit]'s for the floor, and O(ndk + nk²) an iteration; memory for a copy of
// the data (of its row space, where that is smaller) and 2n·k. Errors: those of
// [Fit]. If ctx ends, the error wraps its error and the model, unless nil, is the
// best so far, with StatusCancelled.
func FitAlternating(ctx context.Context, x *Matrix, k int, opts *AlternatingOptions) (*Model, error) {
	var o MinVolumeOptions
	if opts != nil {
		o = MinVolumeOptions{
			Weights: opts.Weights, Workers: opts.Workers, Seed: opts.Seed, Restarts: opts.Restarts, MaxIter: opts.MaxIter, Tol: opts.Tol,
			Init: opts.Init, Centers: opts.Centers, Sum: opts.Sum, Progress: opts.Progress,
		}
	}
	j, err := newJob(ctx, x, k, &o)
	if err != nil {
		return nil, err
	}
	best, _, err := j.starts(0)
	return j.finish(best, err)
}

// FitMinVolume fits prototypes that are as compact as a given error allows: it
// minimises
//
//	‖X − GF‖² + (λ/2)·Σ_i log(σ_i² + ε)   over G ≥ 0, G1 = 1,
//
// the paper's MVSkM, with σ_i the singular values of F (k×d) from the mean of
// the data (see [Volume]). [Fit]'s simplex encloses the data, and its
// memberships are vague; this one contracts towards the data, until the error has
// grown by Slack over the proven floor. It is a local minimum: that no smaller
// simplex has the same error is not proven; Restarts and Seed try others.
//
// λ is found by that rule from the floor, so that nothing depends on a common
// scale, the units or the origin of the data: λ is that of the error nearest
// below (1+Slack)·floor, within 1 % of the slack unless the error jumps there.
// Every λ is tried from the same start: a path from one λ to the next loses the
// clusters. No more than half of the variance that the floor explains is given
// up.
//
// Data whose floor is no more than 1e-6 of its total variance is an exact
// mixture of k prototypes: that share then stands for the floor in the rule,
// and the defaults of Init and Volume are those that find the smallest simplex
// around the data. Where k > min(n−1, d) the floor is 0 and says nothing; 10 % of
// the total variance stand for it. If no λ fits from the start, the global
// simplex is the start instead; if that does not help (for SumAtMostOne, or a
// slack near rounding), a [Warning] says so.
//
// To unmix noisy data take InitSPA and [NoiseSlack]: 0.25 draws the prototypes
// too far into the data.
//
// Trace has the objective after every iteration of the run that gave the
// result, the start's first; it never rises. The same bits come out on every
// call with the same seed, for any number of workers.
//
// Cost: [Fit]'s for the floor; some 5 runs of 10 to 100 iterations of
// O(ndk + nk²) each, more on ill-conditioned data. Memory: a copy of the data as
// for [FitAlternating], and up to 5n·k. Errors and ctx: as for [FitAlternating].
func FitMinVolume(ctx context.Context, x *Matrix, k int, opts *MinVolumeOptions) (*Model, error) {
	var o MinVolumeOptions
	if opts != nil {
		o = *opts
	}
	j, err := newJob(ctx, x, k, &o)
	if err != nil {
		return nil, err
	}
	j.setEpsilon()
	if o.Lambda > 0 {
		best, _, err := j.starts(j.scaledLambda(o.Lambda))
		return j.finish(best, err)
	}
	best, start, err := j.starts(j.firstLambda())
	if err == nil {
		best, err = j.search(start, best)
	}
	return j.finish(best, err)
}

// NoiseSlack returns the Slack with which [FitMinVolume] unmixes data that is k
// prototypes mixed and white noise added, in d ≥ k columns: (k−1)/(10·(d−k+1)).
// Such noise has about (k−1)/(d−k+1) of the floor's energy in the prototypes'
// own plane, where it pushes samples out of the simplex; a small part of it, most
// samples being inside, is what the true prototypes leave over. In simulations
// with 3 to 8 prototypes at 30 dB a tenth or an eighth of it did better than a
// quarter and more.
func NoiseSlack(d, k int) float64 { return 0.1 * float64(max(k-1, 1)) / float64(max(d-k+1, 1)) }

// PathPoint is a solution at one λ.
type PathPoint struct {
	Lambda     float64
	Objective  float64 // ‖X − GF‖²
	Floor      float64 // the least that Objective can be
	Volume     float64 // Σ log(σ_i² + ε)
	Centers    *Matrix // k×d
	Iterations int
	Status     Status
}

// MinVolumePath returns the solutions of [FitMinVolume] for many λ: how error
// and volume trade, and where prototypes merge. lambdas are in squared units of
// the data; nil stands for 25 values, from 1e-4 to 100 times Total/k. All start
// from the same centers (the first restart's). Slack and Lambda are not used.
// Memberships of a point are those of a Model with its Centers (and the Sum of
// opts), by [Model.Predict]. If ctx ends the points so far are returned with its
// error.
//
// Cost, errors: those of [FitMinVolume]; [ErrOption] for a λ that is negative or
// not finite.
func MinVolumePath(ctx context.Context, x *Matrix, k int, lambdas []float64, opts *MinVolumeOptions) ([]PathPoint, error) {
	var o MinVolumeOptions
	if opts != nil {
		o = *opts
	}
	for i, v := range lambdas {
		if !(v >= 0 && isFinite(v)) {
			return nil, &InputError{Arg: "lambdas", Row: i, Col: -1, Value: v, Err: ErrOption}
		}
	}
	j, err := newJob(ctx, x, k, &o)
	if err != nil {
		return nil, err
	}
	j.setEpsilon()
	start, err := j.start(0)
	if err != nil {
		return nil, err
	}
	scaled := make([]float64, len(lambdas))
	for i, v := range lambdas {
		scaled[i] = j.scaledLambda(v)
	}
	if lambdas == nil {
		for i := range 25 {
			scaled = append(scaled, j.total/float64(k)*math.Pow(10, float64(i-16)/4))
		}
	}
	var path []PathPoint
	for _, lambda := range scaled {
		out := j.try(start, lambda)
		if out == nil || out.status == StatusCancelled {
			return path, cancelled(ctx)
		}
		path = append(path, PathPoint{
			Lambda: j.s.unscaleSquare(lambda), Objective: j.s.unscaleSquare(out.fit), Floor: j.s.unscaleSquare(j.pc.floor),
			Volume: j.volume(out.logs), Centers: j.outside(out.f), Iterations: out.iterations, Status: out.status,
		})
	}
	return path, nil
}

// job is a call of FitAlternating, FitMinVolume or MinVolumePath.
type job struct {
	mixture
	o       MinVolumeOptions // with its defaults filled in
	pc      *principal
	basis   *Matrix // of m.z, r×d, orthonormal rows; nil: the data's own axes
	restart int
	missed  float64 // by which factor the fit is above the slack rule's target; 0: it is not
}

// outcome is the end of a run.
type outcome struct {
	*state
	lambda     float64
	iterations int
	status     Status
	trace      []float64
}

func newJob(ctx context.Context, x *Matrix, k int, o *MinVolumeOptions) (*job, error) {
	if err := checkJob(x, k, o); err != nil {
		return nil, err
	}
	s, err := newSamples(ctx, x, o.Weights, o.Workers, o.Sum == SumToOne)
	if err != nil {
		return nil, err
	}
	if !fits(s.n, k) || !fits(k+1, max(s.d, k+1)) {
		return nil, fail(ErrOption, "k is "+strconv.Itoa(k)+" for data of "+shape(s.n, s.d)+": the result is too large to address")
	}
	p := k // directions that k centers span, from 0
	if s.centred {
		p--
	}
	pc, err := s.principal(min(p, s.d), SolverAuto)
	if err != nil {
		return nil, err
	}
	return s.job(k, o, pc)
}

// job makes it of samples and what their principal subspace is taken to be.
func (s *samples) job(k int, o *MinVolumeOptions, pc *principal) (*job, error) {
	j := &job{o: *o, pc: pc}
	j.o.Restarts = orDefault(o.Restarts, defaultRestarts)
	j.o.MaxIter = orDefault(o.MaxIter, defaultMaxIter)
	j.o.Tol = orDefault(o.Tol, defaultTol)
	j.o.Slack = orDefault(o.Slack, defaultSlack)
	j.mixture = mixture{ctx: s.ctx, s: s, k: k, sum: o.Sum, total: j.pc.total}
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

func orDefault[T int | float64](v, otherwise T) T {
	if v == 0 {
		return otherwise
	}
	return v
}

func checkJob(x *Matrix, k int, o *MinVolumeOptions) error {
	if err := checkK(k); err != nil {
		return err
	}
	for _, v := range []struct {
		name string
		n    int
	}{{"Restarts", o.Restarts}, {"MaxIter", o.MaxIter}} {
		if v.n < 0 {
			return fail(ErrOption, v.name+" is "+strconv.Itoa(v.n))
		}
	}
	for _, v := range []struct {
		name string
		n    float64
	}{{"Tol", o.Tol}, {"Slack", o.Slack}, {"Lambda", o.Lambda}, {"Epsilon", o.Epsilon}} {
		if !(v.n >= 0 && isFinite(v.n)) {
			return fail(ErrOption, v.name+" is "+decimal(v.n))
		}
	}
	switch {
	case o.Init < InitAuto || o.Init > InitRandom:
		return fail(ErrOption, "Init is "+o.Init.String())
	case o.Sum != SumToOne && o.Sum != SumAtMostOne:
		return fail(ErrOption, "Sum is "+o.Sum.String())
	case o.Volume < VolumeAuto || o.Volume > VolumeAffine:
		return fail(ErrOption, "Volume is "+o.Volume.String())
	case o.Centers == nil:
		return nil
	}
	if err := checkMatrix("Centers", o.Centers); err != nil {
		return err
	}
	if err := checkShape("x", x); err != nil {
		return err
	}
	if o.Centers.Rows != k || o.Centers.Cols != x.Cols {
		return fail(ErrShape, "Centers are "+shape(o.Centers.Rows, o.Centers.Cols)+", not "+shape(k, x.Cols))
	}
	return nil
}

// rowSpaceRows is up to how many rows a wide table is taken to its row space:
// n²d for the Gram matrix and n³ for its eigenvectors must pay.
const rowSpaceRows = 1024

// coordinates copies the samples into z, in an orthonormal basis of their row
// space where that is known to be smaller than d.
func (j *job) coordinates() error {
	s := j.s
	switch {
	case j.pc.floor <= 1e-14*j.pc.total && j.pc.basis.Rows < s.d:
		j.basis, j.left = j.pc.basis, j.pc.floor
	case s.wide() && s.n <= rowSpaceRows:
		pc, _, err := s.principalGram(s.rankBound())
		if err != nil {
			return err
		}
		j.basis = pc.basis
	}
	r := s.d
	if j.basis != nil {
		r = j.basis.Rows
	}
	if !fits(s.n, r) {
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
func (j *job) inside(f *Matrix) *Matrix {
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
func (j *job) outside(f *Matrix) *Matrix {
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
func (j *job) leading() (w, axes *Matrix) {
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
func (j *job) perWeight(v float64) float64 {
	var sum float64
	for i := range j.s.n {
		sum += j.s.weight(i)
	}
	return v / sum
}

// trivial reports whether the floor is 0 whatever the data is.
func (j *job) trivial() bool {
	span := j.k
	if j.s.centred {
		span--
	}
	return span >= j.s.rankBound()
}

// reference is the floor, or what stands for it where that is 0.
func (j *job) reference() float64 {
	if j.trivial() {
		return trivialShare * j.total
	}
	return max(j.pc.floor, exactShare*j.total)
}

func (j *job) setEpsilon() {
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
func (j *job) scaledLambda(lambda float64) float64 {
	return min(math.Ldexp(lambda, -2*j.s.exp-j.s.wexp), 0x1p200)
}

// volume is Σ log(σ_i² + ε) in the data's units.
func (j *job) volume(logs float64) float64 {
	count := j.k
	if j.contrasts != nil {
		count--
	}
	return logs + float64(count)*float64(2*j.s.exp)*math.Ln2
}

// try runs from a start at one λ. It returns nil if the context ends before
// the first pass does.
func (j *job) try(start *Matrix, lambda float64) *outcome {
	j.lambda = lambda
	out := &outcome{lambda: lambda}
	units := j.s.unscaleSquare(lambda)
	at, iterations, status := j.run(start, j.o.MaxIter, j.o.Tol, func(i int, at *state) {
		it := Iteration{Restart: j.restart, Iteration: i, Fit: j.s.unscaleSquare(at.fit), Floor: j.s.unscaleSquare(j.pc.floor), Lambda: units}
		if lambda > 0 {
			it.Volume = j.volume(at.logs)
		}
		// Fit + units/2·Volume, but in one rounding, which keeps the order of
		// at.value: the trace does not rise where terms cancel or are denormal.
		it.Objective = clampFinite(j.s.unscaleSquare(at.value + lambda/2*j.volume(0)))
		out.trace = append(out.trace, it.Objective)
		if j.o.Progress != nil {
			j.o.Progress(it)
		}
	})
	if at == nil {
		return nil
	}
	out.state, out.iterations, out.status = at, iterations, status
	return out
}

// start returns the centers that a restart begins with.
func (j *job) start(restart int) (*Matrix, error) {
	if j.o.Centers != nil {
		return j.inside(j.o.Centers), nil
	}
	rng := rand.New(rand.NewPCG(j.o.Seed, uint64(restart)))
	switch j.o.Init {
	case InitRandom:
		return j.randomRows(rng), nil
	case InitPlusPlus:
		return j.plusPlus(rng, nil), nil
	case InitSPA:
		w, _ := j.leading()
		return j.extreme(w), nil
	case InitGlobal:
		return j.global()
	}
	return j.kmeans(rng)
}

// global is InitGlobal.
func (j *job) global() (*Matrix, error) {
	m, err := Fit(j.ctx, j.s.x, j.k, &Options{Weights: j.o.Weights, Workers: j.o.Workers, Enclosure: EnclosureTight})
	if err != nil {
		return nil, err
	}
	return j.inside(m.Centers), nil
}

// starts runs all restarts at one λ and returns the one of the lowest
// objective with its start. If the context ends the best so far is returned
// with its error.
func (j *job) starts(lambda float64) (best *outcome, from *Matrix, err error) {
	chosen := 0
	for r := range j.o.Restarts {
		j.restart = r
		start, err := j.start(r)
		if err != nil {
			return best, from, err
		}
		out := j.try(start, lambda)
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

// room is how much error over the floor the slack allows. What is less than
// rounding is no room, and a search on log((fit − floor)/room) needs some.
func (j *job) room() float64 {
	room := min(j.o.Slack*j.reference(), mostGiven*(j.total-j.pc.floor))
	return max(room, 0x1p-60*j.total, math.SmallestNonzeroFloat64)
}

// firstLambda is where the search for λ starts. Over data sets and slacks λ grew
// about as the root of what the slack allows; the factor lay between 0.4 and 2.
func (j *job) firstLambda() float64 {
	return 0.8 * math.Sqrt(j.room()*j.total) / float64(j.k)
}

// search is the slack rule: the largest λ, from one start, whose fit is within
// the slack. first is the outcome of a first guess.
func (j *job) search(start *Matrix, first *outcome) (*outcome, error) {
	if j.total == 0 || j.pc.basis.Rows == 0 { // all rows are equal, or their mean is the answer: no λ changes it
		return first, nil
	}
	room := j.room()
	target := j.pc.floor + room
	// The error over the floor grows about as a power of λ: the search is for
	// a zero of log((fit − floor)/room) over log λ, by the secant through the last
	// two outcomes while that stays between a λ that is known to fit
	// and one that does not, by bisection otherwise. The error may jump, where
	// iterations end in another minimum.
	excess := func(o *outcome) float64 { return math.Log(max(o.fit-j.pc.floor, 1e-6*room) / room) }
	const close = 0.01
	var within, beyond, best, last *outcome // last: the one before out
	out := first
	var err error
	for step := range searchSteps {
		if out.fit <= target {
			within = out
		} else {
			beyond = out
		}
		if best == nil || out.fit <= target && !(best.fit > out.fit && best.fit <= target) || best.fit > target && out.fit < best.fit {
			best = out
		}
		if err = cancelled(j.ctx); err != nil || within != nil && within.fit >= target-close*room {
			break
		}
		var next float64
		stride := 0.1 * float64(max(1, step-4)) // where the error hardly changes with λ, so that the ends come in reach
		switch {
		case beyond == nil:
			if next = math.Log(within.lambda) + min(max(-excess(within), stride), 2); within.lambda > mostLambda*j.total/float64(j.k) {
				return best, nil // everything is as small as it gets, and within the slack
			}
		case within == nil:
			next = math.Log(beyond.lambda) - min(max(excess(beyond), stride), 2)
			if beyond.lambda < leastLambda*j.total/float64(j.k) {
				return j.fallBack(best, target)
			}
		default:
			lo, hi := math.Log(within.lambda), math.Log(beyond.lambda)
			if hi-lo < 1e-3 { // the error jumps here
				return best, nil
			}
			next = (lo + hi) / 2
			if last != nil && step%4 != 3 {
				slope := (excess(out) - excess(last)) / (math.Log(out.lambda) - math.Log(last.lambda))
				at := math.Log(out.lambda) - (excess(out)-math.Log(1-close/2))/slope
				if at > lo+0.02*(hi-lo) && at < hi-0.02*(hi-lo) { // false for a NaN
					next = at
				}
			}
		}
		last = out
		if out = j.try(start, math.Exp(next)); out == nil {
			err = cancelled(j.ctx)
			break
		}
	}
	if err == nil && within == nil {
		return j.fallBack(best, target)
	}
	return best, err
}

// The search for λ takes at most searchSteps runs, and looks between
// leastLambda and mostLambda, in units of total/k.
const (
	searchSteps = 40
	leastLambda = 1e-8
	mostLambda  = 1e4
)

// fallBack is the slack rule's answer if from a start not even the smallest λ
// fits: the global simplex has a fit equal to the floor, which a small λ can
// only raise by little.
func (j *job) fallBack(best *outcome, target float64) (*outcome, error) {
	if j.o.Init != InitGlobal || j.o.Centers != nil {
		start, err := j.global()
		if err != nil {
			return best, err
		}
		j.o.Init, j.o.Centers = InitGlobal, nil
		first := j.try(start, leastLambda*j.total/float64(j.k))
		if first == nil {
			return best, cancelled(j.ctx)
		}
		if first.fit <= target {
			return j.search(start, first)
		}
		if first.fit < best.fit {
			best = first
		}
	}
	j.missed = min(best.fit/target, math.MaxFloat64)
	return best, nil
}

// finish makes the model of an outcome. err is the error that ended the
// computation early, which the best so far is returned with.
func (j *job) finish(best *outcome, err error) (*Model, error) {
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
	if err := s.settleZeroWeights(m); err != nil {
		return nil, err
	}
	c, wrong := s.compare(m.Centers, m.Memberships, j.pc, nil)
	if wrong != nil {
		return nil, wrong
	}
	m.Objective, m.Floor, m.FloorError, m.Total, m.Gap = c.Objective, c.Floor, c.FloorError, c.Total, c.Gap
	var members census
	members.count(s, j.z, best.g)
	m.Warnings = j.warnings(best.f, &members)
	return m, err
}
