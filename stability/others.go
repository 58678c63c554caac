package stability

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/fault"
)

// The share of other labels above which there is another answer, and how many rows are few:
// of these a share is uncertain, and more halves are drawn.
const (
	leastMoved   = 0.05
	fewRows      = 1000
	halvesStream = 0x4a1f // of random numbers
)

// Others looks for other answers than the model m, which [softkmeans.FitMinVolume] found for the rows of x
// with these options. Read m.Warnings and m.Others, to which it adds, and m.ClusterDoubt, which it sets. A warning says that the labels are one
// choice of several; fewer prototypes may be more stable. None says that rows and slack matter little.
//
// Others fits random halves of the rows, one with half of the slack (or λ) and one with twice, and has each
// label all rows. Without a slack in the options it is m.Slack. Three pairs of halves are drawn of up to 1000
// rows, and one of more. The share of rows with another label is the least over all ways to name the
// clusters, and centers have the names of that way. If the largest share is above 5 %, a warning of
// WarnLabels joins m.Warnings, and m.Others has the fit with the largest share for each multiple of the
// slack, where that is above 5 %, too. Near 5 % the draw decides, and Seed makes another. docs/accuracy.md
// tells on which sets the warning comes.
//
// The mean share of rows with another label becomes m.ClusterDoubt, if m has ClusterWeights: the
// probabilities of clusters then count on fits of halves from the start, not on a few steps from m's labels.
//
// A model whose Clusters are nil has the largest memberships as labels. The share of all membership that
// is with other centers takes the place of the share of rows then, and WarnShares that of WarnLabels.
//
// Rows of weight 0 are not fitted. Where a half would have fewer than 4k rows, or all centers are fixed,
// nothing is done. Cost: about that of FitMinVolume for each pair. Errors: those of FitMinVolume,
// [softkmeans.ErrShape] for a model without Clusters or Memberships of these rows, and ctx's, wrapped; on an
// error m is unchanged.
func Others(
	ctx context.Context, x *softkmeans.Matrix, m *softkmeans.Model, opts *softkmeans.MinVolumeOptions,
) error {
	o := draws.OrZero(opts)
	if m == nil || x == nil || m.Centers == nil || m.Centers.Cols != x.Cols || !labelled(m, x.Rows) {
		return fault.New(softkmeans.ErrShape, "the model has no labels of these rows")
	}
	kind := softkmeans.WarnLabels
	if len(m.Clusters) == 0 {
		kind = softkmeans.WarnShares
	}
	rows, err := draws.Rows(o.Weights, x.Rows)
	if err := fault.First(err, m.Check(), x.Check("x")); err != nil {
		return err
	}
	if len(rows) < 8*m.Centers.Rows || o.Fixed != nil && o.Fixed.Rows == m.Centers.Rows {
		return nil
	}
	pairs := 3
	if len(rows) > fewRows {
		pairs = 1
	}
	if o.Slack == 0 {
		o.Slack = m.Slack
	}
	rng := rand.New(rand.NewPCG(o.Seed, halvesStream))
	others, moved := []softkmeans.Answer{{Factor: 0.5}, {Factor: 2}}, 0.0
	for range pairs {
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		for t := range others {
			half := slices.Clone(rows[t*len(rows)/2 : (t+1)*len(rows)/2])
			slices.Sort(half)
			a, err := answer(ctx, x, m, half, halfOptions(o, rows, half, others[t].Factor))
			if err != nil {
				return err
			}
			moved += a.Moved
			if a.Moved > others[t].Moved {
				others[t].Centers, others[t].Moved = a.Centers, a.Moved
			}
		}
	}
	if m.Clusters != nil && m.ClusterWeights != nil {
		m.ClusterDoubt = max(0, moved/float64(2*pairs))
	}
	others = slices.DeleteFunc(others, func(a softkmeans.Answer) bool { return a.Moved <= leastMoved })
	if len(others) > 0 {
		worst := 0.0
		for _, a := range others {
			worst = max(worst, a.Moved)
		}
		m.Others = append(m.Others, others...)
		m.Warnings = append(m.Warnings, softkmeans.Warning{Kind: kind, Value: worst})
	}
	return nil
}

// labelled reports whether a model has labels of so many rows.
func labelled(m *softkmeans.Model, rows int) bool {
	if len(m.Clusters) == 0 {
		return m.Memberships != nil && m.Memberships.Rows == rows
	}
	return len(m.Clusters) == rows
}

// halfOptions returns the options for a half of rows, with a multiple of the slack, or of λ
// for the weight that the half has.
func halfOptions(
	o softkmeans.MinVolumeOptions, rows, half []int, factor float64,
) *softkmeans.MinVolumeOptions {
	within := func(v float64) float64 {
		if v < 0 {
			return v // FitMinVolume says what is wrong
		}
		return min(max(v, math.SmallestNonzeroFloat64), math.MaxFloat64)
	}
	switch {
	case o.Lambda > 0:
		o.Lambda = within(o.Lambda * factor * weightOf(o.Weights, half) / weightOf(o.Weights, rows))
	case o.Slack != 0:
		o.Slack = within(factor * o.Slack)
	}
	if o.Weights != nil {
		weights := make([]float64, len(half))
		for i, r := range half {
			weights[i] = o.Weights[r]
		}
		o.Weights = weights
	}
	return &o
}

// weightOf returns the sum of the rows' weights, as a multiple of the largest of all.
func weightOf(weights []float64, rows []int) (sum float64) {
	if weights == nil {
		return float64(len(rows))
	}
	most := slices.Max(weights)
	for _, i := range rows {
		sum += weights[i] / most
	}
	return sum
}

// answer fits some rows of x. It returns the centers in the places of the model's, and the
// share of all rows with another label than m gives, or of all membership that is elsewhere.
func answer(
	ctx context.Context, x *softkmeans.Matrix, m *softkmeans.Model,
	rows []int, o *softkmeans.MinVolumeOptions,
) (a softkmeans.Answer, err error) {
	k := m.Centers.Rows
	part, err := softkmeans.FitMinVolume(ctx, draws.Chosen(x, rows), k, o)
	if err != nil {
		return a, err
	}
	shared, same := softkmeans.NewMatrix(k, k, nil), 0.0
	if len(m.Clusters) == 0 {
		err = addShared(shared, m, part, x)
	} else {
		var labels []int
		labels, err = part.PredictLabels(nil, x)
		for i, l := range labels {
			shared.Row(m.Clusters[i])[l]++
		}
	}
	if err != nil {
		return a, err
	}
	to := assign(shared, o.Fixed)
	for l, at := range to {
		same += shared.At(l, at)
	}
	return softkmeans.Answer{Centers: draws.Chosen(part.Centers, to), Moved: 1 - same/float64(x.Rows)}, nil
}

// addShared adds to shared, for each pair of centers of the models m and part, the membership of the rows x
// that both have.
func addShared(shared *softkmeans.Matrix, m, part *softkmeans.Model, x *softkmeans.Matrix) error {
	g, err := part.Predict(nil, x)
	if err != nil {
		return err
	}
	for i := range g.Rows {
		for l, v := range m.Memberships.Row(i) {
			for j, w := range g.Row(i) {
				shared.Row(l)[j] += max(0, min(v, w))
			}
		}
	}
	return nil
}
