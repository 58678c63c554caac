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

// If a fit of a half changes more than this fraction of the labels, it counts as another solution. For at
// most fewRows rows the fraction is uncertain, and three pairs of halves are fitted.
const (
	leastMoved   = 0.05
	fewRows      = 1000
	halvesStream = 0x4a1f // of random numbers
)

// Others checks whether other rows or another slack lead to other labels. m is a model that
// [softkmeans.FitMinVolume] found for the rows of x (n×d) with these options. Others appends to m.Warnings
// and m.Others, and sets m.ClusterDoubt. Call it once, since a second call appends the same again. After a
// warning try fewer prototypes, which may be more stable.
//
// Rows of weight 0 are not fitted. Others does nothing if half of the rows are fewer than 4k, or if all
// centers are fixed. Cost: about as much as FitMinVolume for each pair of halves, of which there are three up
// to 1000 rows, and otherwise one. Errors: FitMinVolume's; [softkmeans.ErrShape] for a model without labels
// of these rows; ctx's, wrapped. After an error m is unchanged.
//
// # Details
//
// Others fits two random halves of the rows: one with half of the slack (or λ), the other with twice the
// slack. The default slack is m.Slack. Up to 1000 rows it fits three such pairs. Each fit labels all rows,
// and clusters are matched to agree with m as far as possible. If a fit changes more than 5 % of the labels,
// Others appends a WarnLabels to m.Warnings. For each of the two slacks it appends to m.Others the fit that
// changes most. Near 5 % another Seed may change the verdict.
//
// If m contains Clusters and ClusterWeights, m.ClusterDoubt becomes the mean fraction of changed labels. If
// m.Clusters is nil, Others compares memberships instead of labels, and appends a WarnShares if more than 5 %
// of all membership moves.
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

// labelled reports whether a model contains labels of the given number of rows.
func labelled(m *softkmeans.Model, rows int) bool {
	if len(m.Clusters) == 0 {
		return m.Memberships != nil && m.Memberships.Rows == rows
	}
	return len(m.Clusters) == rows
}

// halfOptions returns the options for a half of rows, with factor times the slack, or factor times λ
// scaled by the half's part of the weight.
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

// weightOf returns the sum of the weights of the given rows, divided by the largest weight of any row;
// without weights, the number of rows.
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

// answer fits some rows of x. It returns the centers in the order of m's, and the fraction of all rows
// whose label differs from m's, or the fraction of all membership that moves.
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

// addShared adds to shared, for each pair of centers of the models m and part, the smaller of the two
// memberships, for all rows x.
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
