package softkmeans

// How sure a fit is: fits of rows drawn with replacement (Efron 1979).

import (
	"context"
	"math"
	"math/rand/v2"
	"strconv"
)

// BootstrapOptions tunes [Bootstrap]. The zero value and nil are the defaults.
type BootstrapOptions struct {
	// MinVolumeOptions are those of the fit. Sum, Rows and Volume are taken from the
	// model. Centers, Init and Restarts are not read: draws begin at the model's centers.
	// Progress is called for each draw, in order, with its number as Restart and what its fit
	// ended with.
	MinVolumeOptions
	Resamples int     // how many draws to fit, at least 2; 0: 200
	Level     float64 // of the intervals, above 0 and below 1; 0: 0.95
}

// BootstrapResult is what fits of drawn rows say of a model. Intervals are the model's value,
// less and plus StdErr times 1.96 for a level of 0.95.
type BootstrapResult struct {
	Resamples    int       // the draws fitted
	StdErr       *Matrix   // k×d: standard errors of the centers
	Lower, Upper *Matrix   // k×d: ends of the centers' intervals
	Shares       []float64 // mean memberships of the model's prototypes, by weight
	ShareStdErr  []float64
	ShareLower   []float64 // at least 0
	ShareUpper   []float64 // at most 1
	// Stable has for each row the share of the draws that give it the model's label. A draw
	// labels all rows, those that it is without as well.
	Stable    []float64
	Stability float64 // mean of Stable, by weight
	Status    Status  // StatusConverged, or StatusIterationLimit where the fit of a draw reached it
}

// Bootstrap says how much of the model m is chance: how much the centers, shares and labels
// that [FitMinVolume] found for the rows of x with these options change from sample to
// sample. It draws as many rows as x has, with replacement, fits them from m's centers, and
// matches the prototypes found with m's as [Match] does; and so on, Resamples times. A row
// that is drawn twice has twice its weight. Rows of weight 0 are not drawn.
//
// Intervals are for what the same fit of very many such rows would find. They are normal ones:
// percentiles of the draws held it less often in simulations. At a level of 0.95, on 200 tables
// each, 91 to 96 % of the intervals held it; docs/accuracy.md has the tables. They do not hold
// the prototypes that made the data, unless the fit has no bias. A slack draws centers inward,
// however many rows there are, and on these tables 40 to 89 % of the intervals held those.
//
// The draws search near m alone. [OtherAnswers] tells of other solutions, with another slack.
//
// For a model of [Unmix] set Lambda to the model's and NonNegative. Intervals are then for
// a given λ. A model with a λ of 0 is an error: one of Fit or FitAlternating, or one whose centers
// are samples of an exact mixture, which draws miss.
//
// Cost: Resamples times FitMinVolume without k-means; Workers share the draws. Memory: that of
// FitMinVolume for each worker, or for one where x has more than 4 million entries. The
// bits depend on Seed and not on Workers. Errors: those of FitMinVolume; [ErrShape] for a
// model without memberships of these rows; and ctx's, wrapped, within one pass over x.
func Bootstrap(ctx context.Context, x *Matrix, m *Model, opts *BootstrapOptions) (*BootstrapResult, error) {
	b, err := newBootstrap(ctx, x, m, opts)
	if err != nil {
		return nil, err
	}
	workers, inner := workerCount(b.o.Workers), 1
	if x.Rows*x.Cols > sharedEntries {
		workers, inner = 1, b.o.Workers
	}
	draws := make([]draw, min(b.o.Resamples, max(workers, drawBatch)))
	for first := 0; first < b.o.Resamples; first += len(draws) {
		draws = draws[:min(len(draws), b.o.Resamples-first)]
		runTasks(workers, len(draws), func(_, t int) { draws[t] = b.draw(first+t, inner) })
		for t := range draws {
			if draws[t].err != nil {
				return nil, draws[t].err
			}
			b.add(&draws[t])
			if b.progress != nil {
				b.progress(draws[t].at)
			}
		}
	}
	return b.result(), nil
}

// Above sharedEntries entries draws are fitted one after the other. Between calls of Progress
// are drawBatch fits, or one a worker.
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
	x        *Matrix
	m        *Model
	o        BootstrapOptions
	progress func(Iteration)
	rows     []int   // of positive weight
	labels   []int   // the model's
	centers  *Matrix // the model's, times 2^-exp
	exp      int
	exps     []int // of columns, in which the sums are
	status   Status
	shares   []float64
	same     []float64 // for each row how many draws give it the model's label
	// Sums and sums of squares of the differences from the model, of centers times 2^-exps and of shares.
	sum, squares           *Matrix
	shareSum, shareSquares []float64
}

// draw is the fit of one draw, with prototypes in the places of the model's.
type draw struct {
	centers *Matrix
	shares  []float64
	labels  []int
	status  Status
	at      Iteration
	err     error
}

func newBootstrap(ctx context.Context, x *Matrix, m *Model, opts *BootstrapOptions) (*bootstrap, error) {
	o := orZero(opts)
	o.Resamples, o.Level = orDefault(o.Resamples, defaultResamples), orDefault(o.Level, defaultLevel)
	switch {
	case m == nil || m.Centers == nil || m.Memberships == nil || x == nil || m.Memberships.Rows != x.Rows ||
		m.Centers.Cols != x.Cols || m.Memberships.Cols != m.Centers.Rows:
		return nil, fail(ErrShape, "the model has no memberships of these rows")
	case !(m.Lambda > 0):
		return nil, fail(ErrOption, "the model's λ is 0, as of no fit that Bootstrap can repeat")
	case o.Resamples < 2:
		return nil, fail(ErrOption, "Resamples is "+strconv.Itoa(o.Resamples)+", below 2")
	case !(o.Level > 0 && o.Level < 1):
		return nil, fail(ErrOption, "Level is "+decimal(o.Level)+", not between 0 and 1")
	}
	b := &bootstrap{ctx: ctx, x: x, m: m, progress: o.Progress, status: StatusConverged}
	o.Centers, o.Sum, o.Rows, o.Volume, o.Progress = m.Centers, m.Sum, m.Rows, m.Volume, nil
	b.o = o
	k, d := m.Centers.Rows, x.Cols
	if err := firstError(checkCount("Workers", o.Workers), checkMinVolume(x, k, &o.MinVolumeOptions), checkWeights(o.Weights, x.Rows)); err != nil {
		return nil, err
	}
	err := firstError(m.checkFitted(), m.checkShares())
	if err != nil {
		return nil, err
	}
	if b.labels, err = m.checkedLabels(); err == nil && len(b.labels) != x.Rows {
		err = fail(ErrShape, "the model has "+strconv.Itoa(len(b.labels))+" labels, x has "+strconv.Itoa(x.Rows)+" rows")
	}
	if err != nil {
		return nil, err
	}
	for i := range x.Rows {
		if o.Weights == nil || o.Weights[i] > 0 {
			b.rows = append(b.rows, i)
		}
	}
	b.exp, b.exps = distanceExp(m.Centers, m.Centers), columnExps(x, m.Centers)
	b.centers = timesPower(m.Centers, -b.exp)
	b.shares, b.same = meanRow(m.Memberships, o.Weights), make([]float64, x.Rows)
	b.sum, b.squares = NewMatrix(k, d, nil), NewMatrix(k, d, nil)
	b.shareSum, b.shareSquares = make([]float64, k), make([]float64, k)
	return b, nil
}

// draw draws rows by random numbers of its own and fits them.
func (b *bootstrap) draw(number, workers int) (r draw) {
	if r.err = cancelled(b.ctx); r.err != nil {
		return r
	}
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
	m, err := FitMinVolume(b.ctx, b.x, k, &o)
	if err != nil {
		r.err = err
		return r
	}
	to := matchCenters(b.centers, timesPower(m.Centers, -b.exp))
	place, shares := make([]int, k), meanRow(m.Memberships, o.Weights)
	r.centers, r.shares = chosenRows(m.Centers, to), make([]float64, k)
	for j, at := range to {
		place[at], r.shares[j] = j, shares[at]
	}
	r.labels = m.Labels(nil)
	for i, l := range r.labels {
		r.labels[i] = place[l]
	}
	r.status = m.Status
	r.at = Iteration{Restart: number, Iteration: m.Iterations, Objective: m.Objective, Floor: m.Floor, Lambda: m.Lambda}
	if len(m.Trace) > 0 {
		r.at.Loss = m.Trace[len(m.Trace)-1]
	}
	return r
}

// add adds a draw to the sums.
func (b *bootstrap) add(r *draw) {
	for j := range r.centers.Rows {
		for c, v := range r.centers.row(j) {
			v = math.Ldexp(v-b.m.Centers.row(j)[c], -b.exps[c])
			b.sum.row(j)[c] += v
			b.squares.row(j)[c] += v * v
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
	if r.status == StatusIterationLimit {
		b.status = r.status
	}
}

// result takes the sums to standard errors and intervals.
func (b *bootstrap) result() *BootstrapResult {
	k, d, n := b.centers.Rows, b.centers.Cols, float64(b.o.Resamples)
	r := &BootstrapResult{Resamples: b.o.Resamples, StdErr: NewMatrix(k, d, nil), Lower: NewMatrix(k, d, nil), Upper: NewMatrix(k, d, nil),
		Shares: b.shares, ShareStdErr: make([]float64, k), ShareLower: make([]float64, k), ShareUpper: make([]float64, k), Stable: b.same, Status: b.status}
	z := math.Sqrt2 * math.Erfinv(b.o.Level)
	stdErr := func(sum, squares float64) float64 { return math.Sqrt(max(0, squares-sum*sum/n) / (n - 1)) }
	for j := range k {
		for c, v := range b.m.Centers.row(j) {
			se := math.Ldexp(stdErr(b.sum.row(j)[c], b.squares.row(j)[c]), b.exps[c])
			r.StdErr.row(j)[c], r.Lower.row(j)[c], r.Upper.row(j)[c] = se, v-z*se, v+z*se
		}
		se := stdErr(b.shareSum[j], b.shareSquares[j])
		r.ShareStdErr[j], r.ShareLower[j], r.ShareUpper[j] = se, max(0, b.shares[j]-z*se), min(1, b.shares[j]+z*se)
	}
	scale(r.Stable, 1/n)
	r.Stability = meanRow(NewMatrix(len(r.Stable), 1, r.Stable), b.o.Weights)[0]
	return r
}
