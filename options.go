package softkmeans

// The types that callers set (solvers, starts, volumes, options), and Iteration, which Progress receives.

import (
	"cmp"
	"math"
	"slices"
	"strconv"
)

// Solver selects how [Fit] finds the principal subspace. All solvers reach the same minimum. They differ in
// time and in the digits of small singular values. Costs are for m = min(n, d) and M = max(n, d).
type Solver int

const (
	// SolverAuto, the default, takes SolverKrylov for large tables if k is small enough to save time,
	// otherwise SolverGram. If SolverKrylov does not converge, SolverGram follows, and the call takes up to
	// twice as long. If m ≤ 512 and the floor of dense rows is below 1e-9 of the total, SolverJacobi follows.
	SolverAuto Solver = iota
	// SolverGram takes eigenvectors of the m×m Gram matrix of the centred data: Mm² + 4m³/3. It loses squares
	// below 2^-52 of the largest, so a floor below 1e-14 of the total is rounding.
	SolverGram
	// SolverJacobi keeps the digits of small singular values, by QR and one-sided Jacobi: 2Mm² + 50m³. It
	// refuses sparse rows.
	SolverJacobi
	// SolverKrylov is block Krylov iteration for k−1 vectors: 4nd(k+7) a step. Its proof takes one to five
	// steps of 32nd. Its Floor is a bound: see Certificate.FloorError.
	SolverKrylov
	solverCount // insert new solvers above
)

// String returns "auto", "gram", "jacobi" or "krylov".
func (s Solver) String() string { return nameOf("Solver", int(s), "auto", "gram", "jacobi", "krylov") }

// Options tunes [Fit] and other functions, which name the fields that they read. A function returns
// [ErrOption] for other fields. nil stands for the defaults.
type Options struct {
	// Weights contains a finite weight ≥ 0 for every row; nil: all 1. A weight of 2 counts a row twice. A row
	// of weight 0 does not count, but gets memberships. Weights below 2^-500 of the largest count as 0.
	Weights     []float64
	Enclosure   Enclosure // EnclosureBall (the default) or EnclosureTight
	Sum         Sum       // SumToOne (the default) or SumAtMostOne, which Fit refuses
	Workers     int       // 0: GOMAXPROCS. A Fit of about 1 ms or less runs on one
	Solver      Solver    // SolverAuto (the default), SolverGram, SolverJacobi, SolverKrylov
	Orientation *Matrix   // orthogonal (k−1)×(k−1) matrix Q that rotates the simplex, B → BQ; nil: none
	MostK       int       // the largest k of Floors; 0: all
}

// largestK is the largest number of centers k. A table of k rows and k centers has k² memberships, which for
// a larger k exceed the address space.
const largestK = 1 << 24

// checkK returns an error if k is not a number of centers.
func checkK(k int) error {
	switch {
	case k < 1:
		return fail(ErrOption, "k is "+strconv.Itoa(k)+", below 1")
	case k > largestK:
		return fail(ErrOption, "k is "+strconv.Itoa(k)+", too large")
	}
	return nil
}

// only returns an error if an option is set that the function does not read. Every function reads Workers.
func (o *Options) only(function string, reads ...string) error {
	for _, f := range [...]struct {
		name string
		set  bool
	}{
		{"Weights", o.Weights != nil}, {"Enclosure", o.Enclosure != EnclosureBall},
		{"Sum", o.Sum != SumToOne}, {"Solver", o.Solver != SolverAuto},
		{"Orientation", o.Orientation != nil}, {"MostK", o.MostK != 0},
	} {
		if f.set && !slices.Contains(reads, f.name) {
			return fail(ErrOption, f.name+" is set, which "+function+" does not read")
		}
	}
	return nil
}

func checkFit(k int, o *Options) error {
	return cmp.Or(checkK(k), checkEnum("Enclosure", o.Enclosure, enclosureCount),
		checkEnum("Solver", o.Solver, solverCount), checkOrientation(k, o.Orientation))
}

// checkOrientation returns an error if q is not nil and not an orthogonal (k−1)×(k−1) matrix.
func checkOrientation(k int, q *Matrix) error {
	if q == nil {
		return nil
	}
	if err := checkMatrix("Orientation", q, mostCenter); err != nil {
		return err
	}
	if q.Rows != k-1 || q.Cols != k-1 {
		return fail(ErrShape, "Orientation is "+shape(q.Rows, q.Cols)+", k−1 is "+strconv.Itoa(k-1))
	}
	for i := range k - 1 {
		for j := range i + 1 {
			want := 0.0
			if i == j {
				want = 1
			}
			if !(math.Abs(dot(q.row(i), q.row(j))-want) <= 1e-10) {
				return fail(ErrOption, "Orientation is not orthogonal: row "+strconv.Itoa(i)+" times row "+
					strconv.Itoa(j)+" is not "+strconv.Itoa(int(want)))
			}
		}
	}
	return nil
}

// Volume selects the σ_i in the penalty Σ log(σ_i² + ε) of [FitMinVolume].
type Volume int

const (
	// VolumeAuto, the default, is VolumeAffine for exact mixtures (see [FitMinVolume]) and for fixed centers
	// under SumToOne. Otherwise it is VolumeOrigin, which finds clusters a little better.
	VolumeAuto Volume = iota
	// VolumeOrigin is the paper's: the k singular values of the centers less the mean of the data (less 0
	// under SumAtMostOne). They also grow with the distance of the simplex from the mean.
	VolumeOrigin
	VolumeAffine // the k−1 singular values of the centers less their own mean
	volumeCount  // a new volume stands before it
)

// String returns "auto", "origin" or "affine".
func (v Volume) String() string { return nameOf("Volume", int(v), "auto", "origin", "affine") }

// Init selects the start of [FitAlternating] and [FitMinVolume].
type Init int

const (
	// InitAuto, the default, is InitSPA for exact mixtures, and in [FitMinVolume] for more than 32
	// prototypes. Otherwise it is InitKMeans.
	InitAuto   Init = iota
	InitKMeans      // near clusters: at the best of up to twenty runs of k-means++
	// InitSPA is for unmixing if some samples are nearly pure. Successive projection (Araújo et al. 2001;
	// Gillis & Vavasis 2014) selects k of them. Restarts apply a random linear map first.
	InitSPA
	InitGlobal // the tight simplex of the global solution, which encloses the data
	initCount  // a new start stands before it
)

// String returns "auto", "k-means", "SPA" or "global".
func (i Init) String() string { return nameOf("Init", int(i), "auto", "k-means", "SPA", "global") }

// Iteration is the argument of Progress, which runs on the caller's goroutine. Objective, Loss and Floor are
// in squared units of the data.
type Iteration struct {
	Restart   int     // from 0
	Iteration int     // 0 at the start of a run
	Objective float64 // ‖X − GF‖²
	Loss      float64 // Objective + λ/2·Penalty
	Floor     float64 // a lower bound of Objective; for soft k-means the minimum
	Lambda    float64 // the current λ
	Penalty   float64 // Σ log(σ_i² + ε), the logarithm of a squared volume; 0 if λ is 0
}

// MinVolumeOptions tunes [FitMinVolume] and [FitAlternating]. nil: the defaults.
type MinVolumeOptions struct {
	Weights  []float64 // a weight ≥ 0 for every row, as in [Options]; nil: all 1
	Workers  int       // 0: GOMAXPROCS. Results are bit-identical for any number of workers.
	Seed     uint64    // of all random numbers: the same seed gives the same result
	Restarts int       // starts, compared at the first λ; 0: 1. InitGlobal and Centers start once.
	MaxIter  int       // iterations of a run; 0: 1000, and 8000 if λ varies (StatusIterationLimit)
	// Tol ends a run after two iterations in a row in which Loss falls by at most Tol·Objective, and ‖F_t+1 −
	// F_t‖² ≤ Tol·‖F‖²; 0: 1e-5. Without a penalty, Model.Stationarity must be at most √(1000·Tol), too.
	Tol     float64
	Init    Init    // the start; InitAuto is the default
	Centers *Matrix // k×d: the start, in place of Init; nil: Init
	// Fixed (m×d, m ≤ k) contains known prototypes in the units of x. They become the first m centers, to the
	// bit, and must be the first rows of Centers, if given. Init must be InitAuto. The comment on Slack says
	// how Fixed changes the permitted error.
	Fixed *Matrix
	Sum   Sum // SumToOne (the default) or SumAtMostOne
	// Plain is the paper's Algorithm 2, without momentum: up to 4 times the iterations. Not for sparse rows.
	Plain    bool
	Progress func(Iteration) // called at the start and after each iteration. It may cancel the context.
	// Lower and Upper bound the centers: one number for each column of x, or one for all; ±Inf or nil: none.
	// The floor ignores bounds. If all rows have the same sum, centers have this sum under SumToOne, if
	// bounds permit.
	Lower, Upper []float64
	NonNegative  bool // keep all entries of the centers at 0 or above; Lower may be higher

	// Slack is the permitted squared error above the floor, as a fraction of the floor; λ becomes as large as
	// Slack permits. 0: a default of at most 0.25, smaller for mixtures in noise (see FitMinVolume).
	// Model.Slack reports the value. A larger Slack leaves more samples outside the simplex. With m fixed
	// centers the error may reach e + (1−m/k)·Slack·floor. Here e is the least error found with these
	// centers. FitAlternating refuses Slack and all fields below.
	Slack  float64
	Lambda float64 // above 0: λ itself, in squared units of the data times units of weight; Slack is not read
	// Epsilon is ε, in squared units of the data. 0 stands for the number of which Slack is a fraction,
	// usually the floor, divided by the sum of the weights. ε is at least 2^-40 times the total variance,
	// divided by the sum of the weights. Directions in which centers spread by less than √ε cost nothing. A
	// small ε lets the smallest direction collapse. For a large ε the penalty is nearly ‖F‖²/ε and a
	// constant, as in ridge regression.
	Epsilon float64
	Volume  Volume // VolumeAuto (the default), VolumeOrigin or VolumeAffine
}

// Other defaults of the alternating methods.
const (
	defaultMaxIter  = 1000
	defaultTol      = 1e-5
	defaultRestarts = 1
)

// checkMinVolume returns an error if the options are not valid for k centers.
func checkMinVolume(k int, o *MinVolumeOptions) error {
	err := cmp.Or(checkK(k), checkCount("Restarts", o.Restarts), checkCount("MaxIter", o.MaxIter),
		checkAmount("Tol", o.Tol), checkAmount("Slack", o.Slack), checkAmount("Lambda", o.Lambda),
		checkAmount("Epsilon", o.Epsilon), checkEnum("Init", o.Init, initCount),
		checkEnum("Sum", o.Sum, sumCount), checkEnum("Volume", o.Volume, volumeCount))
	if err == nil && o.Sum == SumAtMostOne && o.Init == InitGlobal {
		err = fail(ErrOption, "Init is global, and the sum is at most one")
	}
	err = cmp.Or(err, checkPart("Fixed", o.Fixed), checkPart("Centers", o.Centers))
	if err == nil && orZero(o.Fixed).Rows > 0 && o.Init != InitAuto {
		err = fail(ErrOption, "Init is "+o.Init.String()+", and fixed centers have a start of their own")
	}
	if err != nil {
		return err
	}
	return o.checkCenters(k, cmp.Or(o.Centers, o.Fixed, &Matrix{}).Cols)
}

// checkCenters returns an error for Centers that are not k×d, for Fixed that is not m×d with m ≤ k, and for
// Centers that do not begin with Fixed.
func (o *MinVolumeOptions) checkCenters(k, d int) error {
	f, known := o.Centers, o.Fixed
	switch {
	case f != nil && (f.Rows != k || f.Cols != d):
		return fail(ErrShape, "Centers are "+shape(f.Rows, f.Cols)+", not "+shape(k, d))
	case known != nil && (known.Rows > k || known.Cols != d):
		return fail(ErrShape, "Fixed is "+shape(known.Rows, known.Cols)+", not at most "+shape(k, d))
	case f == nil || known == nil:
		return nil
	}
	for i := range known.Rows {
		if !slices.Equal(f.row(i), known.row(i)) {
			return fail(ErrOption, "row "+strconv.Itoa(i)+" of Centers differs from this row of Fixed")
		}
	}
	return nil
}

// bounded reports whether centers have bounds.
func (o *MinVolumeOptions) bounded() bool { return o.NonNegative || len(o.Lower)+len(o.Upper) > 0 }

// bounds returns the lower and the upper bound of centers for each column, ±Inf if there is none.
func (o *MinVolumeOptions) bounds(d int) (low, high []float64) {
	low, high = make([]float64, d), make([]float64, d)
	entry := func(list []float64, c int, none float64) float64 {
		if len(list) == 0 {
			return none
		}
		return list[min(c, len(list)-1)]
	}
	for c := range d {
		low[c], high[c] = entry(o.Lower, c, math.Inf(-1)), entry(o.Upper, c, math.Inf(1))
		if o.NonNegative {
			low[c] = max(low[c], 0)
		}
	}
	return low, high
}

// checkBounds returns an error if the bounds are not for d columns, or if no center can be within them.
func checkBounds(d int, o *MinVolumeOptions) error {
	if !o.bounded() {
		return nil
	}
	for _, n := range [...]int{len(o.Lower), len(o.Upper)} {
		if n > 1 && n != d {
			return fail(ErrShape, "bounds (Lower or Upper) are of "+strconv.Itoa(n)+" columns, x has "+
				strconv.Itoa(d))
		}
	}
	low, high := o.bounds(d)
	for c, v := range low {
		if !(v <= min(high[c], mostEntry) && high[c] >= -mostEntry) {
			return fail(ErrOption, "column "+strconv.Itoa(c)+" has no center from "+decimal(v)+
				" (Lower) to "+decimal(high[c])+" (Upper)")
		}
		for i := 0; o.Fixed != nil && i < o.Fixed.Rows; i++ {
			if f := o.Fixed.row(i)[c]; f < v || f > high[c] {
				return fail(ErrOption, "Fixed["+strconv.Itoa(i)+","+strconv.Itoa(c)+"] is "+decimal(f)+
					", outside of Lower and Upper")
			}
		}
	}
	return nil
}

// checkNoPenalty returns an error if options of the penalty are set, which [FitAlternating] does not use.
func checkNoPenalty(o *MinVolumeOptions) error {
	if o.Slack == 0 && o.Lambda == 0 && o.Epsilon == 0 && o.Volume == VolumeAuto {
		return nil
	}
	return fail(ErrOption, "Slack, Lambda, Epsilon or Volume is set, and FitAlternating has no penalty")
}

// narrowColumns returns the number of leading directions in which a fit of k centers begins. For few centers
// twice as many directions took as long, and for 100 half as long again. With fewer directions the fit took
// more iterations in all columns afterwards.
func narrowColumns(k int) int { return k + min(2*k+4, 24) }

// LSDOptions tunes [LSD], [TILSD] and their floors. A function that does not read a field returns [ErrOption]
// if it is set. nil stands for the defaults.
type LSDOptions struct {
	Workers   int       // 0: GOMAXPROCS. Results are bit-identical for any number of workers.
	Seed      uint64    // of all random numbers: the same seed gives the same result
	Enclosure Enclosure // for TILSD alone: EnclosureBall (the default) or EnclosureTight
	// All fields below are for LSD alone.
	Starts int // random rotations from which LSD looks for the simplex (k > 2); 0: 5
	// MaxIter limits the steps of each of up to four descents after the rotation; 0: 1000. Reaching it is
	// StatusIterationLimit. A negative MaxIter omits the descent, as Arora et al. do.
	MaxIter int
	// Tol ends a descent when twenty steps lower the smallest objective by at most Tol·‖K‖²; 0: 1e-9.
	Tol      float64
	Progress func(Iteration) // called at the start and after each step of a descent; Restart is its number
}
