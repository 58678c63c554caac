package stream

// Compact prototypes of data that is read block by block: solved on a summary that fits into memory, measured
// on all rows, and corrected by the measurement.

import (
	"context"
	"errors"
	"iter"
	"math"
	"slices"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/fault"
	"softkmeans/internal/la"
)

const (
	defaultSummaryRows = 1 << 14 // fewer beyond 1024 columns
	defaultRefinements = 4
	leastRowsPerCenter = 32 // of a summary
	// mostSlack is the largest default slack of softkmeans.FitMinVolume. setTarget takes it if the fit of the
	// summary reports no slack, as with a Lambda. WarnSlack is for errors above it.
	mostSlack = 0.25
	rounding  = 1e-14 // of the total, for a floor
)

// MinVolumeOptions tunes [FitMinVolume]. The zero value and nil are the defaults. NonNegative, Lower, Upper
// and Fixed cause ErrOption. Progress reports the fit of the summary.
type MinVolumeOptions struct {
	softkmeans.MinVolumeOptions
	// SummaryRows is the largest number of rows of the summary; 0: 16384, or fewer beyond 1024 columns. It is
	// raised to at least 32·k.
	SummaryRows int
	// Refinements is the largest number of passes that improve the first solution; 0: 4, negative: none.
	Refinements int
	Block       func(pass, rows int)                        // as in [Options]
	Memberships func(first int, g *softkmeans.Matrix) error // as in [Options]
	// Probabilities receives the result p of [softkmeans.Model.ClusterProbabilities] for rows first, first+1,
	// …, after the memberships of these rows. It may keep p. An error that it returns ends the fit.
	Probabilities func(first int, p *softkmeans.Matrix) error
	// Labels receives the labels of rows first, first+1, … by [softkmeans.Model.PredictLabels], after their
	// memberships and probabilities. It may keep them. An error that it returns ends the fit.
	Labels func(first int, labels []int) error
}

// FitMinVolume fits k compact prototypes to the rows of blocks, as [softkmeans.FitMinVolume] does. blocks is
// as for [Fit]. Memberships and Clusters of the model are nil: set functions in opts to receive memberships
// and labels, or call Predict and PredictLabels. Data of at most SummaryRows rows is read once, and the
// result is bit-identical to softkmeans.FitMinVolume's.
//
// For larger data the fit iterates on a summary of the rows, and corrects it by further passes. Objective,
// Floor, Total and Gap are computed on all rows, and proved as by Fit. Trace, Iterations, fields whose names
// begin with Cluster, and Warnings except WarnSlack describe the fit of the summary. Status is
// StatusConverged if another step would lower the loss by at most Tol of the error, and change the error by
// at most 1 % of the slack.
//
// # Details
//
// Larger data takes up to eight passes by default:
//
//   - one for the mean, the subspace and the floor;
//   - one for a weighted summary, on which the first solution is computed;
//   - one that measures these centers on all rows;
//   - up to Refinements, each after a correction of the summary's loss and gradient;
//   - one for memberships, probabilities and labels, if requested.
//
// Cost: nd² for the first pass, O(ndk + nk²) for each other pass, and softkmeans.FitMinVolume on the summary,
// with up to 200 more iterations a refinement. Errors: as for Fit and softkmeans.FitMinVolume. If ctx ends
// after centers were found, FitMinVolume returns the error and the best model so far, with StatusCancelled.
// The Certificate of this model proves nothing (Solver is SolverAuto).
func FitMinVolume(
	ctx context.Context, blocks iter.Seq2[*softkmeans.Matrix, error], k int, opts *MinVolumeOptions,
) (*softkmeans.Model, error) {
	o := draws.OrZero(opts)
	v := &volume{o: &o, passes: passes{ctx: ctx, blocks: blocks, weights: o.Weights, progress: o.Block,
		memberships: o.Memberships, probabilities: o.Probabilities, labels: o.Labels, k: k}}
	if err := v.check(); err != nil {
		return nil, err
	}
	v.scaleWeights()
	few, err := v.measureFloor()
	if err != nil {
		return nil, err
	}
	if few != nil {
		return v.inMemory(few)
	}
	sum := newSummary(v.p, v.size, o.Seed)
	err = v.each(func(b *block) error {
		sum.add(b, o.Workers)
		return nil
	})
	if err != nil {
		return nil, err
	}
	v.summary = sum.finish()
	inner := v.scaled(o.MinVolumeOptions)
	inner.Weights = v.summary.weights
	if inner.Epsilon == 0 {
		inner.Epsilon = v.reference / v.p.Weight
	}
	m, err := softkmeans.FitMinVolume(ctx, v.summary.x, k, &inner)
	if m == nil {
		return nil, err
	}
	m.Memberships, m.Clusters = nil, nil
	v.setTarget(m.Slack)
	if err == nil {
		err = v.refine(m)
	}
	if err == nil {
		err = v.handOut(m, o.Workers)
	}
	for _, sum := range []*float64{&m.Lambda, &m.Objective, &m.Floor, &m.FloorError, &m.Total} {
		*sum = v.unscaled(*sum)
	}
	for i, loss := range m.Trace {
		m.Trace[i] = v.unscaled(loss)
	}
	switch {
	case err == nil:
		return m, nil
	case ctx.Err() == nil: // an error of the rows or of the caller's functions
		return nil, err
	}
	m.Status, m.Solver = softkmeans.StatusCancelled, softkmeans.SolverAuto
	return m, err
}

// volume is a call of FitMinVolume.
type volume struct {
	passes
	o         *MinVolumeOptions
	unit      int // weights are in units of 2^unit
	size      int // of the summary
	p         *softkmeans.Subspace
	summary   *block
	contrasts *softkmeans.Matrix // k×q: the volume is the volume of contrastsᵀ·centers
	epsilon   float64
	reference float64 // the floor, or its substitute: see setReference
	target    float64 // the largest objective that the slack allows
	allowance float64 // the target less the floor
	missed    float64 // an error above missed causes a WarnSlack
	near      float64 // the search for λ ends at an error below the target by at most near
}

func (v *volume) check() error {
	o := v.o
	switch {
	case o.NonNegative || len(o.Lower)+len(o.Upper) > 0:
		return fault.New(softkmeans.ErrOption, "bounds (NonNegative, Lower, Upper) are for data in memory")
	case o.Fixed != nil:
		return fault.New(softkmeans.ErrOption, "Fixed is for data in memory")
	case o.SummaryRows < 0:
		return fault.New(softkmeans.ErrOption, "SummaryRows is ", o.SummaryRows)
	}
	if err := v.passes.check(); err != nil {
		return err
	}
	ended, end := context.WithCancel(context.Background())
	end()
	// FitMinVolume checks its options before it looks at the context, which has ended here.
	one := o.MinVolumeOptions
	one.Weights, one.Progress = nil, nil
	_, err := softkmeans.FitMinVolume(ended, softkmeans.NewMatrix(1, 1, nil), v.k, &one)
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// scaleWeights takes weights above 1 to at most 1, so that sums of weighted squares do not overflow.
func (v *volume) scaleWeights() {
	if len(v.weights) == 0 {
		return
	}
	_, v.unit = math.Frexp(max(1, slices.Max(v.weights)))
	v.weights = slices.Clone(v.weights)
	for i, w := range v.weights {
		v.weights[i] = math.Ldexp(w, -v.unit)
	}
}

// unscaled converts a sum of weighted squares to the caller's units.
func (v *volume) unscaled(sum float64) float64 {
	return max(min(math.Ldexp(sum, v.unit), math.MaxFloat64), -math.MaxFloat64)
}

// scaled converts options to the units of the weights. A λ stays above 0, since 0 means the slack rule.
func (v *volume) scaled(o softkmeans.MinVolumeOptions) softkmeans.MinVolumeOptions {
	if o.Lambda > 0 {
		o.Lambda = max(math.Ldexp(o.Lambda, -v.unit), math.SmallestNonzeroFloat64)
	}
	if hear := o.Progress; hear != nil {
		o.Progress = func(at softkmeans.Iteration) {
			for _, sum := range []*float64{&at.Objective, &at.Loss, &at.Floor, &at.Lambda} {
				*sum = v.unscaled(*sum)
			}
			hear(at)
		}
	}
	return o
}

// measureFloor makes the first pass. It returns the rows if a summary may contain all of them; otherwise it
// sets p and reference.
func (v *volume) measureFloor() (few *softkmeans.Matrix, err error) {
	few = &softkmeans.Matrix{}
	stats := new(softkmeans.Stats)
	err = v.each(func(b *block) error {
		if v.size = v.o.SummaryRows; v.size == 0 {
			v.size = min(defaultSummaryRows, max(defaultSummaryRows*1024/v.cols, 1024))
		}
		v.size = max(v.size, leastRowsPerCenter*v.k)
		if f := v.o.Centers; f != nil && f.Cols != v.cols {
			return fault.New(softkmeans.ErrShape, "Centers have ", f.Cols, " columns, the blocks ", v.cols)
		}
		if few != nil && b.x.Rows <= v.size-few.Rows {
			few = softkmeans.NewMatrix(few.Rows+b.x.Rows, v.cols, append(few.Data, b.x.Data...))
		} else {
			few = nil
		}
		return stats.AddWeighted(b.x, b.weights)
	})
	if err != nil || few != nil {
		return few, err
	}
	directions, rank := v.k-1, min(v.rows-1, v.cols)
	if v.o.Sum == softkmeans.SumAtMostOne {
		directions, rank = v.k, min(v.rows, v.cols)
	}
	v.p, err = stats.Principal(v.ctx, min(directions, rank), &softkmeans.Options{Sum: v.o.Sum, Workers: v.o.Workers})
	if err == nil {
		v.setReference(directions >= rank)
	}
	return nil, err
}

// setReference sets reference as softkmeans.FitMinVolume does: the slack is given as a fraction of this
// squared error. trivial says that the floor is 0 for any rows of this shape.
func (v *volume) setReference(trivial bool) {
	p := v.p
	// If squares are at rounding, the rows span fewer dimensions than the simplex.
	least, dims := rounding*p.Total, p.Basis.Rows
	if trivial || p.Floor <= least && dims > 0 && p.Squares[dims-1] <= least {
		v.reference = 0.1 * p.Total
	} else {
		v.reference = max(p.Floor, 1e-6*p.Total)
	}
}

// setTarget sets the error that the slack permits, as softkmeans.FitMinVolume does. With a λ the slack is
// mostSlack.
func (v *volume) setTarget(slack float64) {
	if slack == 0 {
		slack = mostSlack
	}
	allowance := func(slack float64) float64 {
		return max(min(slack*v.reference, (v.p.Total-v.p.Floor)/2), 0x1p-60*v.p.Total)
	}
	v.allowance, v.missed = allowance(slack), v.p.Floor+allowance(max(slack, mostSlack))
	v.target = v.p.Floor + v.allowance
	v.near = max(closeShare*v.allowance, rounding*v.p.Total)
}

// inMemory fits rows that are no more than a summary.
func (v *volume) inMemory(x *softkmeans.Matrix) (*softkmeans.Model, error) {
	m, err := softkmeans.FitMinVolume(v.ctx, x, v.k, &v.o.MinVolumeOptions)
	if m == nil {
		return nil, err
	}
	g, labels := m.Memberships, m.Clusters
	m.Memberships, m.Clusters = nil, nil
	if err != nil {
		return m, err
	}
	if err := v.give(m, 0, x, g, labels); err != nil {
		return nil, err
	}
	return m, nil
}

// refine measures the centers of the summary on all rows, improves them, and sets m's numbers for all rows.
func (v *volume) refine(m *softkmeans.Model) error {
	first := m.Centers.Clone()
	v.epsilon, v.contrasts = m.Epsilon, softkmeans.NewMatrix(v.k, v.k, nil)
	for j := range v.k {
		v.contrasts.Set(j, j, 1)
		la.Axpy(first.Row(j), -1, v.p.Mean)
	}
	if m.Volume == softkmeans.VolumeAffine {
		v.contrasts = softkmeans.RegularSimplex(v.k)
	}
	v.clusters = m.Lambda == 0 && slices.Equal(m.Centers.Data, m.ClusterMeans.Data)
	at, err := v.all(first)
	if err != nil {
		return err
	}
	lambda, left := m.Lambda, v.o.Refinements
	switch {
	case v.clusters:
		left = -1
	case left == 0:
		left = defaultRefinements
	}
	m.Status = softkmeans.StatusIterationLimit
	most := v.target + v.near
	// The squared relative accuracy of the summary's centers.
	least := float64(v.k) / float64(v.summary.x.Rows)
	for proximal := least; left >= 0; left-- {
		next, to, open, failed := v.corrected(at, lambda, proximal)
		if err = failed; err != nil {
			break
		}
		if !open && proximal <= max(least, convergedProximal) {
			m.Status = softkmeans.StatusConverged
		}
		if !open || left == 0 {
			break
		}
		there, failed := v.all(next)
		if err = failed; err != nil {
			break
		}
		if v.o.Lambda == 0 && there.error > max(most, at.error) || v.loss(there, to) > v.loss(at, to) {
			proximal *= 10
			continue
		}
		at, lambda, proximal = there, to, max(proximal/3, least)
	}
	if wrong := v.certified(m, at); wrong != nil {
		return wrong
	}
	if v.clusters {
		m.ClusterMeans, m.Status = m.Centers.Clone(), softkmeans.StatusConverged
	}
	m.Lambda, m.Stationarity = lambda, v.slope(at, lambda)
	m.Warnings = slices.DeleteFunc(m.Warnings,
		func(w softkmeans.Warning) bool { return w.Kind == softkmeans.WarnSlack })
	if v.o.Lambda == 0 && at.error > max(most, v.missed) {
		m.Warnings = append(m.Warnings,
			softkmeans.Warning{Kind: softkmeans.WarnSlack, Value: at.error / v.target})
	}
	return err
}

// certified sets m.Centers to at.centers, and m.Certificate. A residual r of sums.add is off by k+2 roundings
// of terms as large as x and Σ|g|·‖f‖, and by the difference of Σg from 1 times ‖f‖.
func (v *volume) certified(m *softkmeans.Model, at *sums) (err error) {
	root, far := math.Sqrt(v.p.Weight), 0.0
	for j := range v.k {
		far = max(far, la.Norm(at.f.Row(j)))
	}
	off := la.Gamma(v.k+8)*(1.01*math.Sqrt(at.squares.value())+root*far) +
		1.01*root*far*(at.unsummed+la.Gamma(v.k+2))
	m.Centers = at.centers
	m.Certificate, err = certify(v.p, at.error, off)
	return err
}
