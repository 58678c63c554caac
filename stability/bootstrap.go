package stability

// Fits of rows drawn with replacement (Efron 1979).

import (
	"context"
	"math"
	"math/rand/v2"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/fault"
	"softkmeans/internal/la"
)

// BootstrapOptions tunes [Bootstrap]. The zero value and nil are the defaults.
type BootstrapOptions struct {
	// MinVolumeOptions are the options of the fit. Sum and Volume are taken from the model. Centers, Init and
	// Restarts are not read: each fit begins at the model's centers. Progress is called after each fit, in
	// order, with the last iteration of the fit; Restart is the number of the fit.
	softkmeans.MinVolumeOptions
	Resamples int     // the number of resamples to fit, at least 2; 0: 200
	Level     float64 // of the intervals, above 0 and below 1; 0: 0.95
}

// Sureness contains intervals and stabilities of a model, estimated from fits of resampled rows. An interval
// is the model's value plus and minus a multiple of its standard error, 1.96 for a level of 0.95.
type Sureness struct {
	Resamples    int                // the resamples fitted
	Lower, Upper *softkmeans.Matrix // k×d: ends of the centers' intervals
	Shares       []float64          // k: weighted means of the columns of the model's Memberships
	ShareLower   []float64          // k: lower ends of the intervals of Shares, at least 0
	ShareUpper   []float64          // at most 1
	// Stable is for each row the fraction of the resamples that give it the model's label. Each fit labels
	// all rows, also those that were not sampled for it.
	Stable    []float64
	Stability float64           // mean of Stable, by weight
	Status    softkmeans.Status // StatusIterationLimit if a fit reached its limit; otherwise StatusConverged
}

// Bootstrap estimates how much the centers, mean memberships and labels of the model m change from sample to
// sample. m is a model of [softkmeans.FitMinVolume] for the rows of x (n×d) with these options. Read Lower,
// Upper and Stable. Bootstrap repeats three steps Resamples times: it samples n rows with replacement, fits
// them from m's centers, and matches the prototypes with m's as [Match] does. Fixed centers match themselves.
// A row sampled twice counts twice; rows of weight 0 are not sampled.
//
// The intervals are for the result of the same fit on very many such rows. They cover the prototypes that
// generated the data less often, since a slack moves centers inward. More rows do not change this. The fits
// search near m alone; [Others] looks for other solutions.
//
// # Details
//
// In simulations 91 to 96 % of the intervals of level 0.95 covered the result of the same fit of very many
// rows. Only 40 to 89 % covered the prototypes that generated the data (docs/accuracy.md). For a model of
// package unmix set NonNegative, and Lambda to the model's; the intervals are then for this λ.
//
// Cost: Resamples fits by FitMinVolume without k-means. Workers share the fits. Memory: FitMinVolume's for
// each worker. If x contains more than 4 million entries, the fits are made one after the other. Results
// depend on Seed, not on Workers.
//
// Errors: FitMinVolume's; [softkmeans.ErrShape] for a model without memberships of these rows;
// [softkmeans.ErrOption] for a λ of 0, as after Fit, FitAlternating, or an exact mixture; ctx's, wrapped.
func Bootstrap(
	ctx context.Context, x *softkmeans.Matrix, m *softkmeans.Model, opts *BootstrapOptions,
) (*Sureness, error) {
	b, err := newBootstrap(ctx, x, m, opts)
	if err != nil {
		return nil, err
	}
	workers, inner := draws.Workers(b.o.Workers), 1
	if x.Rows*x.Cols > sharedEntries {
		workers, inner = 1, b.o.Workers
	}
	batch := make([]draw, min(b.o.Resamples, max(workers, drawBatch)))
	for first := 0; first < b.o.Resamples; first += len(batch) {
		batch = batch[:min(len(batch), b.o.Resamples-first)]
		draws.Run(workers, len(batch), func(t int) { batch[t] = b.draw(first+t, inner) })
		for t := range batch {
			if err := fault.First(batch[t].err, fault.Stopped(ctx)); err != nil {
				return nil, err
			}
			b.add(&batch[t])
			if b.progress != nil {
				b.progress(batch[t].at)
			}
		}
	}
	return b.result(), nil
}

// Above sharedEntries entries resamples are fitted one after the other. drawBatch fits, or one for each
// worker, run before Progress is called for them. Intervals are normal: in simulations percentile intervals
// covered the target less often.
const (
	defaultResamples = 200
	defaultLevel     = 0.95
	sharedEntries    = 1 << 22
	drawBatch        = 8
	bootstrapStream  = 0xb007 // of random numbers
)

// bootstrap is a call of Bootstrap.
type bootstrap struct {
	ctx      context.Context
	x        *softkmeans.Matrix
	m        *softkmeans.Model
	o        BootstrapOptions
	progress func(softkmeans.Iteration)
	rows     []int              // of positive weight
	labels   []int              // the model's
	centers  *softkmeans.Matrix // the model's, times 2^-exp
	exp      int
	exps     []int // exponents of the columns: sum and squares are of differences divided by 2^exps
	status   softkmeans.Status
	shares   []float64
	same     []float64 // for each row the number of resamples that give it the model's label
	// Sums and sums of squares of the differences from the model: of centers times 2^-exps, and of mean
	// memberships.
	sum, squares           *softkmeans.Matrix
	shareSum, shareSquares []float64
}

// draw is the fit of one resample, with the prototypes in the order of the model's prototypes that they
// match.
type draw struct {
	centers *softkmeans.Matrix
	shares  []float64
	labels  []int
	status  softkmeans.Status
	at      softkmeans.Iteration
	err     error
}

func newBootstrap(
	ctx context.Context, x *softkmeans.Matrix, m *softkmeans.Model, opts *BootstrapOptions,
) (*bootstrap, error) {
	o := draws.OrZero(opts)
	if o.Resamples == 0 {
		o.Resamples = defaultResamples
	}
	if o.Level == 0 {
		o.Level = defaultLevel
	}
	switch {
	case m == nil || m.Centers == nil || m.Memberships == nil || x == nil || m.Memberships.Rows != x.Rows ||
		m.Centers.Cols != x.Cols || m.Memberships.Cols != m.Centers.Rows:
		return nil, fault.New(softkmeans.ErrShape, "the model has no memberships of these rows")
	case !(m.Lambda > 0):
		return nil, fault.New(softkmeans.ErrOption, "λ of the model is 0, which Bootstrap cannot repeat")
	case o.Resamples < 2:
		return nil, fault.New(softkmeans.ErrOption, "Resamples is ", o.Resamples, ", below 2")
	case !(o.Level > 0 && o.Level < 1):
		return nil, fault.New(softkmeans.ErrOption, "Level is ", o.Level, ", not between 0 and 1")
	case o.Workers < 0:
		return nil, fault.New(softkmeans.ErrOption, "Workers is ", o.Workers, ", below 0")
	}
	rows, err := draws.Rows(o.Weights, x.Rows)
	if err := fault.First(err, m.Check(), x.Check("x")); err != nil {
		return nil, err
	}
	k, d := m.Centers.Rows, x.Cols
	b := &bootstrap{
		ctx: ctx, x: x, m: m, progress: o.Progress, status: softkmeans.StatusConverged,
		rows: rows, labels: m.Labels(nil),
		exp: distanceExp(m.Centers, m.Centers), exps: columnExps(x, m.Centers),
		shares: meanRow(m.Memberships, o.Weights), same: make([]float64, x.Rows),
		sum: softkmeans.NewMatrix(k, d, nil), squares: softkmeans.NewMatrix(k, d, nil),
		shareSum: make([]float64, k), shareSquares: make([]float64, k),
	}
	b.centers = timesPower(m.Centers, -b.exp)
	o.Centers, o.Sum, o.Volume, o.Progress = m.Centers, m.Sum, m.Volume, nil
	b.o = o
	return b, nil
}

// columnExps returns the exponents of the powers of two above the largest entries of the columns of f and g.
func columnExps(f, g *softkmeans.Matrix) []int {
	top, exps := make([]float64, f.Cols), make([]int, f.Cols)
	for _, m := range []*softkmeans.Matrix{f, g} {
		for i := range m.Rows {
			for j, v := range m.Row(i) {
				top[j] = max(top[j], math.Abs(v))
			}
		}
	}
	for j, v := range top {
		_, exps[j] = math.Frexp(v)
	}
	return exps
}

// draw samples rows with replacement, by the stream of random numbers of this number, and fits them.
func (b *bootstrap) draw(number, workers int) (r draw) {
	rng := rand.New(rand.NewPCG(b.o.Seed, bootstrapStream+uint64(number)))
	o := b.o.MinVolumeOptions
	o.Workers, o.Weights = workers, make([]float64, b.x.Rows)
	for range b.rows {
		i := b.rows[rng.IntN(len(b.rows))]
		w := 1.0
		if b.o.Weights != nil {
			w = b.o.Weights[i]
		}
		o.Weights[i] = min(o.Weights[i]+w, math.MaxFloat64)
	}
	k := b.centers.Rows
	m, err := softkmeans.FitMinVolume(b.ctx, b.x, k, &o)
	if r.err = fault.First(err, fault.Stopped(b.ctx)); r.err != nil {
		return r
	}
	to := matchCenters(b.centers, timesPower(m.Centers, -b.exp), b.o.Fixed)
	place, shares := make([]int, k), meanRow(m.Memberships, o.Weights)
	r.centers, r.shares = draws.Chosen(m.Centers, to), make([]float64, k)
	for j, at := range to {
		place[at], r.shares[j] = j, shares[at]
	}
	if len(b.m.Clusters) == 0 { // its labels are the largest memberships
		m.Clusters = nil
	}
	r.labels = m.Labels(nil)
	for i, l := range r.labels {
		r.labels[i] = place[l]
	}
	r.status = m.Status
	r.at = softkmeans.Iteration{
		Restart: number, Iteration: m.Iterations, Objective: m.Objective, Floor: m.Floor, Lambda: m.Lambda,
	}
	if len(m.Trace) > 0 {
		r.at.Loss = m.Trace[len(m.Trace)-1]
	}
	return r
}

// add adds the fit r to the sums, and to the counts of equal labels.
func (b *bootstrap) add(r *draw) {
	for j := range r.centers.Rows {
		for c, v := range r.centers.Row(j) {
			v = math.Ldexp(v-b.m.Centers.At(j, c), -b.exps[c])
			b.sum.Row(j)[c] += v
			b.squares.Row(j)[c] += v * v
		}
		v := r.shares[j] - b.shares[j]
		b.shareSum[j] += v
		b.shareSquares[j] += v * v
	}
	for i, l := range r.labels {
		if l == b.labels[i] {
			b.same[i]++
		}
	}
	if r.status == softkmeans.StatusIterationLimit {
		b.status = r.status
	}
}

// result returns the intervals by the standard errors from the sums, and the fractions of equal labels.
func (b *bootstrap) result() *Sureness {
	k, d, n := b.centers.Rows, b.centers.Cols, float64(b.o.Resamples)
	r := &Sureness{
		Resamples: b.o.Resamples, Stable: b.same, Status: b.status, Shares: b.shares,
		Lower: softkmeans.NewMatrix(k, d, nil), Upper: softkmeans.NewMatrix(k, d, nil),
		ShareLower: make([]float64, k), ShareUpper: make([]float64, k),
	}
	z := math.Sqrt2 * math.Erfinv(b.o.Level)
	stdErr := func(sum, squares float64) float64 { return math.Sqrt(max(0, squares-sum*sum/n) / (n - 1)) }
	for j := range k {
		for c, v := range b.m.Centers.Row(j) {
			se := math.Ldexp(stdErr(b.sum.At(j, c), b.squares.At(j, c)), b.exps[c])
			r.Lower.Set(j, c, v-z*se)
			r.Upper.Set(j, c, v+z*se)
		}
		se := stdErr(b.shareSum[j], b.shareSquares[j])
		r.ShareLower[j], r.ShareUpper[j] = max(0, b.shares[j]-z*se), min(1, b.shares[j]+z*se)
	}
	la.Scale(1/n, r.Stable)
	r.Stability = meanRow(softkmeans.NewMatrix(len(r.Stable), 1, r.Stable), b.o.Weights)[0]
	return r
}
