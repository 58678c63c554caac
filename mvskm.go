package softkmeans

// Soft k-means by alternation, with and without a penalty on the volume of the simplex of centers: Sections
// "SkM-AM" and "Minimal Volume Soft k-Means" of F. Nie, H. Chen, R. Wang and X. Li, On the Global Solution
// of Soft k-Means, Algorithm 2. The slack rule is ours: the global floor chooses λ.
//
// The problem is in mvskmproblem.go, the loop in mvskmrun.go and mvskminside.go, coordinates and the model
// in mvskmcoords.go, starts in mvskmstart.go, rules for λ in mvskmslack.go.

import (
	"context"
	"math"
)

// FitAlternating fits k prototypes near where it starts: it minimises ‖X − GF‖² over centers F (k×d)
// and memberships G (n×k) in turn. Pass opts.Centers or an Init, and read Centers, Memberships and
// [Model.Labels]. It is the paper's SkM-AM; [Fit] has the global minimum.
//
// # Details
//
// Each half-step is exact, and steps are extrapolated where that lowers the objective. It ends where steps
// change the result by no more than Tol. That need not be the minimum: from some starts the objective ends
// at four times that (TestAlternatingStays). Model.Floor and Model.Gap bound how far above the minimum the
// result can be. Model.Trace has the objective after every iteration, the start's first. It never rises.
// With Lower and Upper it is bounded simplex-structured matrix factorization (Thanh, Gillis & Lecron 2023).
//
// Slack, Lambda, Epsilon and Volume are an [ErrOption], as there is no penalty. Sparse rows
// are as in [FitMinVolume]. See erratum 9 of docs/errata.md for the paper's name of this method.
//
// Cost: [Fit]'s for the floor, and O(ndk + nk²) an iteration. Memory: a copy of the data, or of its row
// space where that is smaller, and 2n·k. Errors: those of [Fit]. If ctx ends the error wraps its error, and
// the model is the best so far, with StatusCancelled, or nil.
func FitAlternating(ctx context.Context, x Samples, k int, opts *MinVolumeOptions) (*Model, error) {
	o := orZero(opts)
	if err := checkNoPenalty(&o); err != nil {
		return nil, err
	}
	m, err := openMinVolume(ctx, x, k, &o, false)
	if err != nil {
		return nil, err
	}
	best, err := fixedLambda(0).solve(m)
	return best.finish(err)
}

// FitMinVolume fits k compact prototypes to the rows of x. Call it with nil options and read [Model.Labels],
// Memberships and Centers, and Warnings for reasons to doubt them. Raise MinVolumeOptions.Slack
// ([DefaultSlack]) if the prototypes lie too far outside of the data, lower it if they are too far inside.
// For hyperspectral scenes take package unmix.
//
// [Fit]'s simplex encloses the data, and its memberships are vague. This one contracts towards the data
// until the squared error has grown by Slack over the proved floor, so that units, scale and origin of the
// data do not matter. It minimises
//
//	‖X − GF‖² + (λ/2)·Σ_i log(σ_i² + ε)   over G ≥ 0, G1 = 1,
//
// the paper's MVSkM, where σ_i are the singular values of F (k×d) from the mean of the data (see [Volume]).
// λ is that of the error nearest below (1+Slack)·floor. The search is local: a smaller simplex with the
// same error may exist, and Restarts and Seed try others.
//
// # Details
//
// Rows of a [*SparseMatrix] are not filled in, unless half of the entries are stored, or rows or columns are
// fewer than some 4.5k. A pass takes O(k) for each stored entry, and k×d and n·k floats; set NonNegative for
// counts. The result is that of all entries, to 1e-8 on the tables of TestSparseMinVolume. Of more than 512
// rows and columns it is so to Tol alone, since directions to begin in may come from a random start. Where
// columns are far from 0, or weights differ by many powers of ten, products cancel, as [Fit] says. Plain
// is an [ErrOption].
//
// The error ends within 1 % of the slack unless it jumps there, and gives up at most half of the variance
// that the floor explains. If no λ keeps within the slack, the global simplex is the start instead; a
// [Warning] says where that does not help either.
//
// Data whose floor is at most 1e-6 of the total variance is an exact mixture of k prototypes. That share then
// stands for the floor, and Init and Volume default to those that find the smallest simplex around the data,
// with pure samples or without. If it is exact to 1e-14, and k of the samples are its corners, they are
// returned, with a λ of 0. Where k > min(n−1, d), or the data has fewer than k−1 dimensions, the floor is
// always 0, and 10 % of the total variance stand for it.
//
// More than 16 384 rows, and 512 a prototype, begin on a draw of 4096, or of 128 a prototype, but of a
// quarter of the rows at most. So do 64 rows a prototype where n·k² is above 2.5e7. Up to nine passes over
// all rows correct a draw of 64 rows a prototype or more. A draw may lack clusters of fewer than one row in
// a thousand. The error then ends within 5 % of the slack, and a run ends at a hundred times Tol. Plain,
// Centers, a Lambda, a Slack below 0.05, and every Init but InitKMeans take all rows from the start.
//
// Bounds (Lower, Upper, NonNegative) hold in every step in all columns. They may keep the error above the
// slack, which a Warning says; λ is then next to 0.
//
// Model.Trace has the objective and penalty after every iteration at the λ of the result, and never rises.
// The bits depend on Seed and not on Workers. docs/accuracy.md has the data sets on which the defaults were
// chosen.
//
// Cost: [Fit]'s for the floor, some 25 to 500 iterations of O(nk²) to O(nk³) for the start and λ, and 2 to
// 50 of O(ndk) at the end. Where k > d+1 centers depend on each other: up to ten times that. Memory: a copy
// of the data as for [FitAlternating], and up to 5n·k. Errors and ctx: as for [FitAlternating].
func FitMinVolume(ctx context.Context, x Samples, k int, opts *MinVolumeOptions) (*Model, error) {
	o := orZero(opts)
	m, err := openMinVolume(ctx, x, k, &o, true)
	if err != nil {
		return nil, err
	}
	best := pureSamples(m)
	if best == nil {
		best, err = m.rule().solve(m)
	}
	return best.finish(err)
}

// MinVolumePath fits prototypes for many λ, to show how error and volume trade and where prototypes merge.
// Pass lambdas in squared units of the data, or nil for 25 values from 1e-4 to 100 times Total/k, and read
// Lambda, Objective, LossGap and Centers of each model.
//
// The models have no memberships, labels or warnings; [Model.Predict] finds memberships. All runs start
// from the first restart's centers. Slack and Lambda of opts are not used. If ctx ends the result is the
// models so far and its error. Cost, errors: those of [FitMinVolume]; [ErrOption] for a λ that is negative
// or not finite.
func MinVolumePath(
	ctx context.Context, x Samples, k int, lambdas []float64, opts *MinVolumeOptions,
) ([]*Model, error) {
	o := orZero(opts)
	for i, v := range lambdas {
		if !(v >= 0 && isFinite(v)) {
			return nil, &InputError{Arg: "lambdas", Row: i, Col: -1, Value: v, Err: ErrOption}
		}
	}
	m, err := openMinVolume(ctx, x, k, &o, true)
	if err != nil {
		return nil, err
	}
	from, err := m.startCenters(0)
	if err != nil {
		return nil, err
	}
	var scaled []float64
	for _, v := range lambdas {
		scaled = append(scaled, m.scaledLambda(v))
	}
	if lambdas == nil {
		for i := range 25 {
			scaled = append(scaled, m.pc.total/float64(k)*math.Pow(10, float64(i-16)/4))
		}
	}
	all, err := m.end()
	if err != nil {
		return nil, err
	}
	var path []*Model
	for _, lambda := range scaled {
		out := m.run(from, lambda, m.most, nil)
		if out != nil && out.status != StatusCancelled && m.narrow {
			out = out.after(all, out.lifted())
		}
		if out == nil || out.status == StatusCancelled {
			return path, cancelled(ctx)
		}
		model := all.model(out.f, out)
		model.Certificate = compareWithFloor(m.data, out.objective, m.pc)
		model.LossGap = out.lossGap()
		path = append(path, model)
	}
	return path, nil
}
