package softkmeans

// Whether there are other answers: fits of halves of the rows.

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// OtherAnswers looks for other answers than the model m, which [FitMinVolume] found for the
// rows of x with these options. It fits random halves of the rows, one with half of the
// slack (or λ) and one with twice, and has each label all rows. Three pairs of halves are
// drawn of up to 1000 rows, and one of more. The share of rows with another label is the least
// over all ways to name the clusters. If the largest is above 5 %, a [Warning] of WarnLabels
// joins m.Warnings, and m.Others has the fit with the largest share for each multiple of the
// slack, where that is above 5 %, too.
//
// A warning says that the labels are one choice of several; fewer centers may be more stable.
// None says that rows and slack matter little. Near 5 % the draw decides, and Seed makes
// another. On the sets of docs/accuracy.md the warning came wherever half or twice the slack,
// another seed or half of the rows moved the accuracy by more than .02.
//
// Rows of weight 0 are not fitted. Where a half would have fewer than 4k rows nothing is
// done. Cost: about that of FitMinVolume for each pair. Errors: those of FitMinVolume,
// [ErrShape] for a model without Clusters of these rows, and ctx's, wrapped; on an error m is
// unchanged.
func OtherAnswers(ctx context.Context, x *Matrix, m *Model, opts *MinVolumeOptions) error {
	o := orZero(opts)
	if m == nil || x == nil || m.Centers == nil || len(m.Clusters) != x.Rows || m.Centers.Cols != x.Cols {
		return fail(ErrShape, "the model has no labels of these rows")
	}
	k := m.Centers.Rows
	rng := rand.New(rand.NewPCG(o.Seed, halvesStream))
	var rows []int
	for i := range x.Rows {
		if o.Weights == nil || i < len(o.Weights) && o.Weights[i] > 0 {
			rows = append(rows, i)
		}
	}
	if o.Weights != nil && len(o.Weights) != x.Rows {
		return fail(ErrShape, "Weights are not one a row")
	}
	if len(rows) < 8*k {
		return nil
	}
	pairs := 3
	if len(rows) > fewRows {
		pairs = 1
	}
	others := []Answer{{Factor: 0.5}, {Factor: 2}}
	for range pairs {
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		for t := range others {
			half := slices.Clone(rows[t*len(rows)/2 : (t+1)*len(rows)/2])
			slices.Sort(half)
			centers, moved, err := answerOf(ctx, x, m, half, halfOptions(o, rows, half, others[t].Factor))
			if err != nil {
				return err
			}
			if moved > others[t].Moved {
				others[t].Centers, others[t].Moved = centers, moved
			}
		}
	}
	others = slices.DeleteFunc(others, func(a Answer) bool { return a.Moved <= leastMoved })
	if len(others) > 0 {
		worst := slices.MaxFunc(others, func(a, b Answer) int { return cmp.Compare(a.Moved, b.Moved) })
		m.Others = append(m.Others, others...)
		m.Warnings = append(m.Warnings, Warning{Kind: WarnLabels, Value: worst.Moved})
	}
	return nil
}

// leastMoved is the share of other labels above which WarnLabels tells of them. Of fewRows
// rows and less a share is that of few rows, and more halves are drawn.
const (
	leastMoved   = 0.05
	fewRows      = 1000
	halvesStream = 0x4a1f // of random numbers
)

// halfOptions are the options for a half of rows, with a multiple of the slack, or of λ for
// the weight that the half has.
func halfOptions(o MinVolumeOptions, rows, half []int, factor float64) *MinVolumeOptions {
	within := func(v float64) float64 {
		if v < 0 {
			return v // FitMinVolume says what is wrong
		}
		return min(max(v, math.SmallestNonzeroFloat64), math.MaxFloat64)
	}
	if o.Lambda > 0 {
		o.Lambda = within(o.Lambda * factor * o.weightOf(half) / o.weightOf(rows))
	} else {
		o.Slack = within(factor * orDefault(o.Slack, DefaultSlack))
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

// weightOf is the sum of the rows' weights, as a multiple of the largest of all.
func (o *MinVolumeOptions) weightOf(rows []int) (sum float64) {
	if o.Weights == nil {
		return float64(len(rows))
	}
	most := slices.Max(o.Weights)
	for _, i := range rows {
		sum += o.Weights[i] / most
	}
	return sum
}

// answerOf fits some rows of x. It returns the centers, and the share of all rows with
// another label than m gives.
func answerOf(ctx context.Context, x *Matrix, m *Model, rows []int, o *MinVolumeOptions) (*Matrix, float64, error) {
	part, err := FitMinVolume(ctx, chosenRows(x, rows), m.Centers.Rows, o)
	if err != nil {
		return nil, 0, err
	}
	labels, err := part.PredictLabels(nil, x)
	if err != nil {
		return nil, 0, err
	}
	same, err := Accuracy(m.Clusters, labels)
	return chosenRows(part.Centers, matching(m.Clusters, labels, m.Centers.Rows)), 1 - same, err
}

// matching returns for each label of a one of b, each once: pairs in the order of how many
// rows they share.
func matching(a, b []int, k int) []int {
	shared := make([]float64, k*k)
	for i, l := range a {
		shared[l*k+b[i]]++
	}
	pairs, used := slices.Repeat([]int{-1}, k), make([]bool, k)
	for _, at := range descending(shared) {
		if i, j := at/k, at%k; pairs[i] < 0 && !used[j] {
			pairs[i], used[j] = j, true
		}
	}
	return pairs
}
