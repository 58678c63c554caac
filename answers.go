package softkmeans

// Whether there are other answers: fits of halves of the rows.

import (
	"context"
	"math/rand/v2"
	"slices"
)

// OtherAnswers looks for other answers than the model m, which [FitMinVolume] found for the
// rows of x with these options. It fits two random halves of the rows, one with half of the
// slack (or λ) and one with twice, and has each label all rows. The share of other labels is
// the least over all ways to name the clusters. Where it is more than 5 %, the half's centers
// are appended to m.Others, each in the place of the center of m whose cluster shares most
// rows with its own. A [Warning] of WarnLabels then joins m.Warnings.
//
// No warning says that rows and slack matter little. A large share says that the labels are
// one choice of several, and fewer centers may have one. On the sets of docs/accuracy.md the
// warning came wherever half or twice the slack, another seed or half of the rows moved the
// accuracy by more than .02.
//
// Rows of weight 0 are not fitted. Where a half would have fewer than 4k rows nothing is
// done. Cost: about that of FitMinVolume. Errors: those of FitMinVolume, [ErrShape] for a
// model without Clusters of these rows, and ctx's, wrapped; on an error m is unchanged.
func OtherAnswers(ctx context.Context, x *Matrix, m *Model, opts *MinVolumeOptions) error {
	o := orZero(opts)
	if m == nil || x == nil || len(m.Clusters) != x.Rows || m.Centers.Cols != x.Cols {
		return fail(ErrShape, "the model has no labels of these rows")
	}
	k := m.Centers.Rows
	rng := rand.New(rand.NewPCG(o.Seed, halvesStream))
	rows := rng.Perm(x.Rows)
	if o.Weights != nil {
		if len(o.Weights) != x.Rows {
			return fail(ErrShape, "Weights are not one a row")
		}
		rows = slices.DeleteFunc(rows, func(i int) bool { return !(o.Weights[i] > 0) })
	}
	if len(rows) < 8*k {
		return nil
	}
	var others []*Matrix
	warning := Warning{Kind: WarnLabels}
	for t, factor := range [...]float64{0.5, 2} {
		half := rows[t*len(rows)/2 : (t+1)*len(rows)/2]
		slices.Sort(half)
		center, moved, err := answerOf(ctx, x, m, half, halfOptions(o, half, x.Rows, factor))
		if err != nil {
			return err
		}
		if moved > leastMoved {
			others = append(others, center)
			warning.Value = max(warning.Value, moved)
		}
	}
	if others != nil {
		m.Others = append(m.Others, others...)
		m.Warnings = append(m.Warnings, warning)
	}
	return nil
}

// leastMoved is the share of other labels from which on WarnLabels tells of them, and
// halvesStream the stream of random numbers for the halves.
const (
	leastMoved   = 0.05
	halvesStream = 0x4a1f
)

// halfOptions are the options for some of n rows, with a multiple of the slack or λ.
func halfOptions(o MinVolumeOptions, rows []int, n int, factor float64) *MinVolumeOptions {
	if o.Lambda > 0 {
		o.Lambda *= factor * float64(len(rows)) / float64(n)
	} else {
		o.Slack = factor * orDefault(o.Slack, defaultSlack)
	}
	if o.Weights != nil {
		weights := make([]float64, len(rows))
		for i, r := range rows {
			weights[i] = o.Weights[r]
		}
		o.Weights = weights
	}
	return &o
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
