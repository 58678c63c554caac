// Package missing fits tables with missing entries by package softkmeans. Mark missing entries by NaN, call
// [Fit], and read the model as one of [softkmeans.FitMinVolume]. For new rows with missing entries use
// [Predict] or [PredictLabels], not the model's own methods. [Complete] fills in missing entries for other
// methods.
package missing

import (
	"context"
	"errors"
	"math"
	"slices"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/fault"
	"softkmeans/internal/la"
)

// Fit fits k compact prototypes to the rows of x (n×d), in which NaN marks a missing entry. Read Centers,
// Memberships and [softkmeans.Model.Labels] as after [softkmeans.FitMinVolume]. Entries should be missing at
// random, as [Complete] says.
//
// Objective is the squared error over the entries present. Floor is an estimate of its minimum. Floor −
// FloorError is proved, as by [softkmeans.Fit]: no k centers and memberships reach a smaller error.
//
// # Details
//
// Fit completes the table by Complete, fits it by FitMinVolume, and computes memberships by [Predict].
// Clusters, ClusterMeans and ClusterWeights describe the rows that [PredictLabels] completes, and Clusters
// are its labels. Lambda, Trace, Stationarity and Warnings describe the table of Complete. Without a missing
// entry the result is bit-identical to FitMinVolume's. The slack is a fraction of the floor expected without
// missing entries. Total is the squared error of the columns' means over the entries present.
//
// A row without any entry does not count. Its memberships are 1/k each, or 1/(k+1) under SumAtMostOne. Status
// is StatusIterationLimit if Complete or FitMinVolume reached its limit.
//
// Cost: Complete, Fit, FitMinVolume and Predict. Memory: four copies of x. Errors: FitMinVolume's and
// Complete's. If ctx ends before or after the call of FitMinVolume, the result is nil.
func Fit(
	ctx context.Context, x *softkmeans.Matrix, k int, opts *softkmeans.MinVolumeOptions,
) (*softkmeans.Model, error) {
	o := draws.OrZero(opts)
	g, err := openGaps(x, o.Weights, func(none *softkmeans.Matrix) error {
		only := o
		only.Weights = nil
		_, err := softkmeans.FitMinVolume(ctx, none, k, &only)
		return err
	})
	if err != nil {
		return nil, err
	}
	if g.total == 0 {
		return softkmeans.FitMinVolume(ctx, x, k, &o)
	}
	proved, err := g.provedFloor(ctx, x, k, &o)
	if err != nil {
		return nil, err
	}
	simple := softkmeans.Options{Weights: o.Weights, Workers: o.Workers, Sum: o.Sum}
	full, err := g.complete(ctx, x, k, &simple)
	if err != nil {
		return nil, err
	}
	o.Weights = g.withoutEmpty(o.Weights)
	lower, err := full.slack(ctx, g, k, &o)
	if err != nil {
		return nil, err
	}
	m, err := softkmeans.FitMinVolume(ctx, full.X, k, &o)
	if m == nil {
		return nil, err
	}
	m.Slack /= lower
	if m.Status == softkmeans.StatusConverged {
		m.Status = full.Status
	}
	if err != nil { // the best model so far is completed
		ctx = context.Background()
	}
	if wrong := g.observe(ctx, m, x, o.Workers); wrong != nil {
		return nil, wrong
	}
	most := min(m.Objective, m.Total)
	proved = min(unscaled(proved, g.exp), most)
	m.Floor = max(proved, min(unscaled(full.floor, g.exp)*g.share(), most))
	m.FloorError = (m.Floor - proved) * (1 + 0x1p-51) // so that Floor − FloorError is not above proved
	if m.Gap = 0; m.Total > 0 {
		m.Gap = (m.Objective - m.Floor) / m.Total
	}
	return m, err
}

// directionsOf returns the number of directions that k centers span.
func directionsOf(k int, sum softkmeans.Sum) int {
	if sum == softkmeans.SumAtMostOne {
		return k
	}
	return k - 1
}

// exactShare is the fraction of the total that replaces the floor of an exact mixture in FitMinVolume.
const exactShare = 1e-6

// slack sets Slack and Epsilon, for a fit of the completed table, by the floor expected without missing
// entries. The floor of the completed table is lower, since completed entries contain no noise. slack returns
// the expected floor divided by the lower one, at least 1. The default slack comes from a fit of one
// iteration, which takes the slack of any fit of this table.
func (c *Completion) slack(
	ctx context.Context, g *gaps, k int, o *softkmeans.MinVolumeOptions,
) (lower float64, err error) {
	if p := directionsOf(k, o.Sum); p >= min(c.X.Rows-1, c.X.Cols) {
		return 1, nil // the floor is 0 with and without missing entries
	}
	weights, short := g.weights(), *o
	short.Weights, short.Init, short.MaxIter = weights, softkmeans.InitGlobal, 1
	short.Centers, short.Fixed, short.Progress = nil, nil, nil
	if short.Sum == softkmeans.SumAtMostOne {
		short.Init = softkmeans.InitSPA
	}
	m, err := softkmeans.FitMinVolume(ctx, c.X, k, &short)
	if err != nil {
		return 0, err
	}
	own := max(m.Floor, exactShare*m.Total)
	if own == 0 || c.floor <= own {
		return 1, nil
	}
	lower = c.floor / own
	o.Slack = min(m.Slack*lower, math.MaxFloat64)
	if o.Epsilon == 0 {
		o.Epsilon = c.floor / la.Sum(weights)
	}
	return lower, nil
}

// observe recomputes memberships, labels, objective and total of a fit of a completed table from the
// entries present in x.
func (g *gaps) observe(
	ctx context.Context, m *softkmeans.Model, x *softkmeans.Matrix, workers int,
) (err error) {
	if err := g.predict(ctx, m, m.Memberships, x, workers); err != nil {
		return err
	}
	if m.ClusterMeans != nil {
		if err := g.label(ctx, m, g.mixtures(m, m.Memberships, x)); err != nil {
			return err
		}
	}
	centers, rows := m.Centers, x
	if m.Sum == softkmeans.SumToOne { // far from 0 mixtures are rounded, and near a center they are not
		origin := m.Centers.Row(0)
		centers, rows = la.Centred(m.Centers, origin), la.Centred(x, origin)
	}
	mean := make([]float64, g.d)
	if m.Sum == softkmeans.SumToOne {
		mean, _ = g.means(rows)
	}
	exp := exponent(g.largest(rows))
	var objective, total float64
	for i := range x.Rows {
		if g.weight(i) == 0 {
			continue
		}
		var left, square float64
		for j, v := range rows.Row(i) {
			if v != v {
				continue
			}
			u := v - mean[j]
			for a, s := range m.Memberships.Row(i) {
				v -= s * centers.Row(a)[j]
			}
			u, v = math.Ldexp(u, -exp), math.Ldexp(v, -exp)
			left += v * v
			square += u * u
		}
		objective += g.weight(i) * left
		total += g.weight(i) * square
	}
	m.Objective, m.Total = unscaled(objective, 2*exp+g.exp), unscaled(total, 2*exp+g.exp)
	return nil
}

// labelSteps is the most steps of label. On four sets without 5 to 40 % of the entries, and on 650 random
// tables, label took at most 12.
const labelSteps = 100

// label sets the clusters of m, a model of another completion, for the completed rows x. Labels are of the
// nearest means along m's axes, and means and weights are of these labels. Both change in turn until labels
// stay the same. Each step lowers the squared distances along the axes, as in k-means.
func (g *gaps) label(ctx context.Context, m *softkmeans.Model, x *softkmeans.Matrix) error {
	labels, err := m.PredictLabels(nil, x)
	for step, same := 0, false; err == nil && !same && step < labelSteps; step++ {
		m.Clusters = labels
		m.ClusterMeans, m.ClusterWeights = g.meansOf(labels, x, m.Centers)
		if err = fault.Stopped(ctx); err == nil {
			labels, err = m.PredictLabels(nil, x)
			same = slices.Equal(labels, m.Clusters)
		}
	}
	return err
}

// meansOf returns the weighted mean of the rows of x with each label, and their part of the total weight. If
// they have no weight, the row of centers replaces the mean.
func (g *gaps) meansOf(labels []int, x, centers *softkmeans.Matrix) (*softkmeans.Matrix, []float64) {
	means, mass := centers.Clone(), make([]float64, centers.Rows)
	for i, j := range labels {
		w := g.weight(i)
		if w == 0 {
			continue
		}
		if mass[j] == 0 {
			copy(means.Row(j), x.Row(i))
		}
		mass[j] += w
		for c, v := range x.Row(i) {
			means.Row(j)[c] += w / mass[j] * (v - means.Row(j)[c])
		}
	}
	la.Scale(1/la.Sum(mass), mass)
	return means, mass
}

// unscaled returns v·2^exp, at most the largest number.
func unscaled(v float64, exp int) float64 { return min(math.Ldexp(v, exp), math.MaxFloat64) }

// Predict returns the memberships of the rows of x in the model m, as [softkmeans.Model.Predict] does. NaN
// marks a missing entry. The memberships minimise the squared error over the entries present, exactly.
//
// If several mixtures are equally near, as for a row with fewer than k−1 entries, the memberships of least
// norm are returned, as by [softkmeans.SimplexLeastSquares]. For a row without any entry they are 1/k each,
// or 1/(k+1) under SumAtMostOne.
//
// Without a missing entry the result is bit-identical to Model.Predict's. Cost: O(dk) a row, and O(dk² + k³)
// for each set of columns present: rows with the same set share one problem. dst and errors: as for
// Model.Predict; an infinity causes [softkmeans.ErrNonFinite].
func Predict(m *softkmeans.Model, dst, x *softkmeans.Matrix) (*softkmeans.Matrix, error) {
	g, err := gapsOf(m, x)
	if err != nil {
		return nil, err
	}
	if g.total == 0 {
		return m.Predict(dst, x)
	}
	out := softkmeans.NewMatrix(x.Rows, m.Centers.Rows, nil)
	if err := g.predict(context.Background(), m, out, x, 0); err != nil || dst == nil {
		return out, err
	}
	if dst.Rows != out.Rows || dst.Cols != out.Cols || errors.Is(dst.Check("dst"), softkmeans.ErrShape) {
		panic("softkmeans: dst does not have the shape of the result")
	}
	for i := range out.Rows {
		copy(dst.Row(i), out.Row(i))
	}
	return dst, nil
}

// PredictLabels returns the labels of the rows of x, as [softkmeans.Model.PredictLabels] does. NaN marks a
// missing entry. Each is replaced by the entry of the row's mixture, which [Predict] finds. Without
// ClusterMeans the label is the largest membership.
//
// dst and errors: as for Model.PredictLabels. Cost: Predict's, and a copy of x.
func PredictLabels(m *softkmeans.Model, dst []int, x *softkmeans.Matrix) ([]int, error) {
	g, err := gapsOf(m, x)
	if err != nil {
		return nil, err
	}
	if g.total == 0 {
		return m.PredictLabels(dst, x)
	}
	members := softkmeans.NewMatrix(x.Rows, m.Centers.Rows, nil)
	if err := g.predict(context.Background(), m, members, x, 0); err != nil {
		return nil, err
	}
	if m.ClusterMeans == nil {
		return (&softkmeans.Model{Memberships: members}).Labels(dst), nil
	}
	return m.PredictLabels(dst, g.mixtures(m, members, x))
}

// gapsOf checks a model and rows for it, and finds the missing entries.
func gapsOf(m *softkmeans.Model, x *softkmeans.Matrix) (*gaps, error) {
	if err := x.Check("x"); errors.Is(err, softkmeans.ErrShape) {
		return nil, err
	}
	if _, err := m.Predict(nil, &softkmeans.Matrix{Cols: x.Cols, Stride: x.Cols}); err != nil {
		return nil, err
	}
	return findGaps(x, nil)
}

// sharedRows is the most rows that share one problem.
const sharedRows = 1024

// predict sets dst to the memberships of the rows of x.
func (g *gaps) predict(
	ctx context.Context, m *softkmeans.Model, dst, x *softkmeans.Matrix, workers int,
) error {
	order := g.order()
	var tasks [][]int // rows with the same entries missing
	for lo := 0; lo < len(order); {
		hi := lo + 1
		for hi < len(order) && hi < lo+sharedRows && g.same(order[hi], order[lo]) {
			hi++
		}
		tasks = append(tasks, order[lo:hi])
		lo = hi
	}
	errs := make([]error, len(tasks))
	draws.Run(workers, len(tasks), func(t int) {
		if errs[t] = fault.Stopped(ctx); errs[t] == nil {
			errs[t] = g.predictAlike(m, dst, x, tasks[t])
		}
	})
	return fault.First(errs...)
}

// predictAlike sets dst to the memberships of some rows, which miss the same entries.
func (g *gaps) predictAlike(m *softkmeans.Model, dst, x *softkmeans.Matrix, rows []int) error {
	there, _ := g.columns(rows[0], nil, nil)
	centers := chosen(m.Centers, la.Indices(m.Centers.Rows), there)
	seen := &softkmeans.Model{Sum: m.Sum, Centers: centers}
	part, err := seen.Predict(nil, chosen(x, rows, there))
	if err != nil {
		return err
	}
	for a, i := range rows {
		copy(dst.Row(i), part.Row(a))
	}
	return nil
}

// chosen returns some columns of some rows of m.
func chosen(m *softkmeans.Matrix, rows, columns []int) *softkmeans.Matrix {
	out := softkmeans.NewMatrix(len(rows), len(columns), nil)
	for i, at := range rows {
		from, to := m.Row(at), out.Row(i)
		for l, j := range columns {
			to[l] = from[j]
		}
	}
	return out
}
