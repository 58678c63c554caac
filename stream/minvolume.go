package stream

// Compact prototypes of data that is read block by block: solved on a summary that fits into memory, measured
// on all rows, and corrected by what the measurement shows.

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"softkmeans"
)

const (
	defaultSummaryRows = 1 << 14 // fewer beyond 1024 columns
	defaultRefinements = 4
	leastRowsPerCenter = 32 // of a summary
)

// MinVolumeOptions tunes [FitMinVolume]. The zero value and nil are the defaults. Progress hears of the fit
// of the summary.
type MinVolumeOptions struct {
	softkmeans.MinVolumeOptions
	// SummaryRows is how many rows the summary may have; 0: 16384, fewer beyond 1024 columns, but at least
	// 32·k.
	SummaryRows int
	// Refinements is how many passes may improve the first solution; 0: 4, negative: none.
	Refinements int
	Block       func(pass, rows int)                        // as in [Options]
	Memberships func(first int, g *softkmeans.Matrix) error // as in [Options]
	// Labels receives the labels of rows first, first+1, …, those of [softkmeans.Model.PredictLabels], after
	// the same rows' memberships. It may keep them. An error that it returns ends the fit.
	Labels func(first int, labels []int) error
}

// FitMinVolume is [softkmeans.FitMinVolume] for blocks as [Fit] takes them. Memberships and Clusters of the
// model are nil: MinVolumeOptions has functions that receive them, or Predict and PredictLabels find them.
// Data of at most SummaryRows rows is read once, and the result has the bits of softkmeans.FitMinVolume.
//
// # Details
//
// Larger data is read in up to eight passes:
//
//  1. The mean, the subspace and the floor.
//  2. A weighted summary: rows drawn half by weight and half by squared distance from the mean, and the
//     outermost ones of the subspace. Its solution by the slack rule is the first.
//  3. A measurement of these centers on all rows.
//  4. Up to Refinements more. Before each the summary gets the value and the gradient of the last.
//  5. Memberships and labels, if they are asked for.
//
// Objective, Floor, Total and Gap are of all rows and the centers returned, proved as for Fit. Status is
// StatusConverged once the next solution would lower the loss by at most Tol of the error, and change the
// error by at most 1 % of the slack. Cluster means and axes, Trace, Iterations and Warnings other than
// WarnSlack are of the summary. Bounds of centers are an [softkmeans.ErrOption].
//
// Cost: nd² for the first pass, O(ndk + nk²) for each other one, softkmeans.FitMinVolume's on SummaryRows
// rows, and up to 200 iterations on these for each refinement. Errors: those of Fit and of
// softkmeans.FitMinVolume. If ctx ends once there are centers, the model is the best so far, with
// StatusCancelled, and proves nothing.
func FitMinVolume(
	ctx context.Context, blocks iter.Seq2[*softkmeans.Matrix, error], k int, opts *MinVolumeOptions,
) (*softkmeans.Model, error) {
	o := orZero(opts)
	v := &volume{o: &o, passes: passes{ctx: ctx, blocks: blocks, weights: o.Weights, progress: o.Block, k: k}}
	if err := v.check(); err != nil {
		return nil, err
	}
	few, err := v.measureFloor()
	if err != nil {
		return nil, err
	}
	if few != nil {
		return v.inMemory(few)
	}
	sum := newSummary(v.p, v.size, o.Seed)
	if err := v.each(func(b *block) error { return sum.add(b, o.Workers) }); err != nil {
		return nil, err
	}
	v.summary = sum.finish()
	inner := o.MinVolumeOptions
	inner.Weights = v.summary.weights
	if inner.Epsilon == 0 {
		inner.Epsilon = v.reference / v.p.Weight
	}
	m, err := softkmeans.FitMinVolume(ctx, v.summary.x, k, &inner)
	if m == nil {
		return nil, err
	}
	m.Memberships, m.Clusters = nil, nil
	if err == nil {
		err = v.refine(m)
	}
	if err == nil {
		err = v.handOut(m)
	}
	switch {
	case err == nil:
		return m, nil
	case stopped(ctx) == nil: // an error of the rows or of the caller's functions
		return nil, err
	}
	m.Status, m.Solver = softkmeans.StatusCancelled, softkmeans.SolverAuto
	return m, err
}

// volume is a call of FitMinVolume.
type volume struct {
	passes
	o         *MinVolumeOptions
	size      int // of the summary
	p         *softkmeans.Subspace
	summary   *block
	contrasts *softkmeans.Matrix // k×q: the volume is of their products with the centers
	epsilon   float64
	reference float64 // the floor, or what stands for it
	target    float64 // the largest objective that the slack allows
	allowance float64 // the target less the floor
}

func (v *volume) check() error {
	o := v.o
	switch {
	case o.NonNegative || len(o.Lower)+len(o.Upper) > 0:
		return fmt.Errorf("softkmeans: bounds (NonNegative, Lower, Upper) are for data in memory: %w",
			softkmeans.ErrOption)
	case o.SummaryRows < 0:
		return fmt.Errorf("softkmeans: SummaryRows is %d: %w", o.SummaryRows, softkmeans.ErrOption)
	}
	one := softkmeans.NewMatrix(1, 1, nil) // for the other options
	if o.Centers == nil && o.Init != softkmeans.InitGlobal {
		inner := o.MinVolumeOptions
		inner.Weights, inner.Progress = nil, nil
		if _, err := softkmeans.FitMinVolume(context.Background(), one, 1, &inner); err != nil {
			return err
		}
	}
	return v.passes.check()
}

// measureFloor makes the first pass. It returns the rows if a summary may have as many.
func (v *volume) measureFloor() (few *softkmeans.Matrix, err error) {
	few = &softkmeans.Matrix{}
	stats, err := v.statistics(func(b *block) {
		if b.first == 0 {
			v.size = v.o.SummaryRows
			if v.size == 0 {
				v.size = min(defaultSummaryRows, max(defaultSummaryRows*1024/v.cols, 1024))
			}
			v.size = max(v.size, leastRowsPerCenter*v.k)
			few.Cols, few.Stride = v.cols, v.cols
		}
		if few == nil || b.x.Rows > v.size-few.Rows {
			few = nil
			return
		}
		for i := range b.x.Rows {
			few.Data = append(few.Data, b.x.Row(i)...)
		}
		few.Rows += b.x.Rows
	})
	if err != nil || few != nil {
		return few, err
	}
	if f := v.o.Centers; f != nil && (f.Rows != v.k || f.Cols != v.cols) {
		return nil, fmt.Errorf("softkmeans: Centers are %d×%d, not %d×%d: %w", f.Rows, f.Cols, v.k, v.cols,
			softkmeans.ErrShape)
	}
	directions, rank := v.k-1, min(v.rows-1, v.cols)
	if v.o.Sum == softkmeans.SumAtMostOne {
		directions, rank = v.k, min(v.rows, v.cols)
	}
	v.p, err = stats.Principal(min(directions, rank), &softkmeans.Options{Sum: v.o.Sum, Workers: v.o.Workers})
	if err == nil {
		v.setTarget(directions >= rank)
	}
	return nil, err
}

// setTarget finds what the slack allows, as softkmeans.FitMinVolume does. trivial: the floor is 0 for any
// rows.
func (v *volume) setTarget(trivial bool) {
	slack, p := v.o.Slack, v.p
	if slack == 0 {
		slack = softkmeans.DefaultSlack
	}
	rounding, dims := 1e-14*p.Total, p.Basis.Rows
	if p.Floor <= rounding && dims > 0 && p.Squares[dims-1] <= rounding {
		trivial = true // the rows have fewer dimensions than the simplex
	}
	v.reference = max(p.Floor, 1e-6*p.Total)
	if trivial {
		v.reference = 0.1 * p.Total
	}
	v.allowance = max(min(slack*v.reference, (p.Total-p.Floor)/2), 0x1p-60*p.Total)
	v.target = p.Floor + v.allowance
}

// inMemory fits rows that are no more than a summary.
func (v *volume) inMemory(x *softkmeans.Matrix) (*softkmeans.Model, error) {
	m, err := softkmeans.FitMinVolume(v.ctx, x, v.k, &v.o.MinVolumeOptions)
	if m == nil {
		return nil, err
	}
	g, labels, step := m.Memberships, m.Clusters, blockRows(max(v.cols, v.k))
	m.Memberships, m.Clusters = nil, nil
	for lo := 0; err == nil && lo < x.Rows; lo += step {
		hi := min(lo+step, x.Rows)
		err = handOut(v.o.Memberships, "memberships", lo, rowsOf(g, lo, hi).Clone())
		if err == nil {
			err = handOut(v.o.Labels, "labels", lo, slices.Clone(labels[lo:hi]))
		}
		if err != nil {
			return nil, err
		}
	}
	return m, err
}

// handOut makes the pass for memberships and labels.
func (v *volume) handOut(m *softkmeans.Model) error {
	if v.o.Memberships == nil && v.o.Labels == nil {
		return nil
	}
	return v.each(func(b *block) error {
		g, err := m.Predict(nil, b.x)
		if err == nil {
			err = handOut(v.o.Memberships, "memberships", b.first, g)
		}
		if err != nil || v.o.Labels == nil {
			return err
		}
		labels, err := m.PredictLabels(nil, b.x)
		if err == nil {
			err = handOut(v.o.Labels, "labels", b.first, labels)
		}
		return err
	})
}

// refine measures the centers of the summary on all rows, improves them, and sets what m says of all rows.
func (v *volume) refine(m *softkmeans.Model) error {
	v.epsilon, v.contrasts = m.Epsilon, softkmeans.NewMatrix(v.k, v.k, nil)
	for j := range v.k {
		v.contrasts.Set(j, j, 1)
	}
	if m.Volume == softkmeans.VolumeAffine {
		v.contrasts = softkmeans.RegularSimplex(v.k)
	}
	at, err := v.all(v.fromMean(m.Centers))
	if err != nil {
		return err
	}
	lambda, left := m.Lambda, v.o.Refinements
	if left == 0 {
		left = defaultRefinements
	}
	m.Status = softkmeans.StatusIterationLimit
	// The squared accuracy of the summary's centers, as a share.
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
		missed := there.objective.value() > max(v.target+closeShare*v.allowance, at.objective.value())
		if v.o.Lambda == 0 && missed || v.loss(there, to) > v.loss(at, to) {
			proximal *= 10
			continue
		}
		at, lambda, proximal = there, to, max(proximal/3, least)
	}
	m.Centers, m.Lambda = at.centers, lambda
	far := 0.0
	for j := range v.k {
		far = max(far, math.Sqrt(dot(at.f.Row(j), at.f.Row(j))))
	}
	// See sums.add: r has k+2 roundings of terms of the size of x and Σ|g|·f, and Σg may be off 1.
	off := gamma(v.k+8)*(1.01*math.Sqrt(at.squares.value())+math.Sqrt(v.p.Weight)*far) +
		1.01*math.Sqrt(v.p.Weight)*far*(at.unsummed+gamma(v.k+2))
	var wrong error
	if m.Certificate, wrong = certify(v.p, at.objective.value(), off); wrong != nil {
		return wrong
	}
	m.Stationarity = v.slope(at, lambda)
	m.Warnings = slices.DeleteFunc(m.Warnings,
		func(w softkmeans.Warning) bool { return w.Kind == softkmeans.WarnSlack })
	if e := at.objective.value(); v.o.Lambda == 0 && e > v.target+closeShare*v.allowance {
		m.Warnings = append(m.Warnings, softkmeans.Warning{Kind: softkmeans.WarnSlack, Value: e / v.target})
	}
	return err
}
