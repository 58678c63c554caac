package softkmeans

// Soft k-means by alternation, with and without a penalty on the volume of the
// simplex of centers: Sections "SkM-AM" and "Minimal Volume Soft k-Means" of
// F. Nie, H. Chen, R. Wang and X. Li, On the Global Solution of Soft k-Means,
// Algorithm 2. The slack rule is ours: the global floor chooses λ.
//
// The loop is in alternate.go, the starts in starts.go, the rule in lambda.go.

import (
	"context"
	"math"
)

// FitAlternating minimises ‖X − GF‖² over centers F (k×d) and memberships G (n×k; entries
// at least 0, rows that add up to 1), exactly over one and then the other, in turn. Steps
// are extrapolated where that lowers the objective. It is the paper's SkM-AM.
//
// Erratum 9 of docs/errata.md: the paper calls this fuzzy c-means with proportional
// membership, m = 0. That minimises Σⱼ‖x − gⱼfⱼ‖², which is not ‖x − Σⱼgⱼfⱼ‖²: on
// X = {0, 1} with k = 2 it leaves something with any centers, and soft k-means nothing
// (TestErratumProportional).
//
// The iteration ends where its steps change the result by no more than Tol. That need not
// be the minimum: TestAlternatingStays has a start from which the objective ends at four
// times that. [Fit] has the global minimum, and Model.Floor and Model.Gap say how far
// above it the result is. Only the start keeps the prototypes near the data.
//
// The rows of G are solved exactly for the centers, as by [Model.Predict]. Trace has the
// objective after every iteration, the start's first. It never rises: a step that
// would raise the objective as computed ends the run. With Sum: SumAtMostOne, Total is
// ‖X‖², and Floor is Σ_{i>k} σ_i²(X) of the data as it is. That is a lower bound, which
// is reached only where the rows lie in a cone of k directions.
//
// Cost: [Fit]'s for the floor, and O(ndk + nk²) an iteration. Memory: a copy of the
// data, or of its row space where that is smaller, and 2n·k. Errors: those of [Fit]. If
// ctx ends the error wraps its error. The model is then the best so far, with
// StatusCancelled, or nil.
func FitAlternating(ctx context.Context, samples Samples, k int, opts *MinVolumeOptions) (*Model, error) {
	x, err := matrixOf(samples, "FitAlternating")
	if err != nil {
		return nil, err
	}
	o := orZero(opts)
	if err := firstError(checkMinVolume(x, k, &o), checkNoPenalty(&o)); err != nil {
		return nil, err
	}
	vf, err := openVolumeFit(ctx, x, k, &o)
	if err != nil {
		return nil, err
	}
	best, err := vf.runThrough(0)
	return vf.finish(best, err)
}

// FitMinVolume fits prototypes that are as compact as a given error allows. It minimises
//
//	‖X − GF‖² + (λ/2)·Σ_i log(σ_i² + ε)   over G ≥ 0, G1 = 1,
//
// the paper's MVSkM, where σ_i are the singular values of F (k×d) from the mean of the
// data (see [Volume]). [Fit]'s simplex encloses the data, and its memberships are
// vague. This one contracts towards the data until the error has grown by Slack over
// the floor. The search is local: a smaller simplex with the same error may
// exist. Restarts and Seed try others.
//
// The floor chooses λ, so that the units, the scale and the origin of the data do not
// matter. λ is that of the error nearest below (1+Slack)·floor, within 1 % of the slack
// unless the error jumps there. It begins near its end and follows the error while the
// iteration goes on: a path upward from a small λ loses the clusters. No more than half of
// the variance that the floor explains is given up.
//
// More than 16 384 rows begin on a draw of 4096, or of 128 a prototype: k-means and λ are
// found there, and Progress has its estimates. On all rows a step may then be ten times as far
// from rest as Tol says, and the error ends within 5 % of the slack. A cluster of fewer than one
// row in a thousand may be missing from the draw. Plain, Centers, a λ or a Slack below 0.05,
// and every Init but InitKMeans and InitPlusPlus, take all rows from the start.
//
// The start and the search for λ are made in 3k+4 leading directions of the data, where
// these are fewer than its columns, and the error of the others is a constant there. The
// fit ends in all columns.
//
// Where the floor is at most 1e-6 of the total variance the data is an exact mixture of
// k prototypes. That share then stands for the floor, and the defaults of Init and Volume
// are those that find the smallest simplex around the data. If that simplex has k of the
// samples as its corners they are returned, with a λ of 0. Where k > min(n−1, d) the
// floor is 0 whatever the data is, and 10 % of the total variance stand for it, as where
// the data has fewer than k−1 dimensions. If no λ keeps within the slack, the global
// simplex is the start instead. A [Warning] says where that does not help either, as for
// rows without a half-space under SumAtMostOne, or a slack near rounding.
//
// The defaults were chosen on five data sets, iris, seeds, glass, digits and mfeat_pix:
// ε, the floor per unit of weight, and the twenty runs of k-means. docs/accuracy.md has
// those sets and others. To unmix scenes take [Unmix]: a Slack of 0.25 can draw
// the prototypes too far into noisy data.
//
// [Model.Labels] go on from the largest memberships to the nearest means of clusters, and
// agree with known classes better than these do: docs/accuracy.md has both.
//
// Trace has the objective and penalty after every iteration at the λ of the result, the
// first of them where λ last changed; with a Lambda that is the start. It never rises, as
// for [FitAlternating]. The bits depend on the seed and not on the number of workers.
//
// Cost: [Fit]'s for the floor, some 25 to 500 iterations of O(nk²) for the start and λ, on
// the draw where there is one, and 2 to 50 of O(ndk) at the end. Memory: a copy of the data as for
// [FitAlternating], and up to 5n·k. Errors and ctx: as for [FitAlternating].
func FitMinVolume(ctx context.Context, samples Samples, k int, opts *MinVolumeOptions) (*Model, error) {
	x, err := matrixOf(samples, "FitMinVolume")
	if err != nil {
		return nil, err
	}
	o := orZero(opts)
	return fitMinVolume(ctx, x, k, &o, 0)
}

// fitMinVolume is FitMinVolume for a table whose slack is a share of this floor, in squared
// units of x, where that is above its own.
func fitMinVolume(ctx context.Context, x *Matrix, k int, o *MinVolumeOptions, floor float64) (*Model, error) {
	sc, err := openScene(ctx, x, k, o, func(*volumeFit) (Rows, error) { return RowsGiven, nil })
	if err != nil {
		return nil, err
	}
	u := sc.fit.s.units
	sc.fit.least = math.Ldexp(floor, -2*u.exp-u.wexp)
	sc.fit.setEpsilon()
	best := pureSamples(sc.fit)
	if best == nil {
		best, err = solve(sc.fit)
	}
	return sc.finish(best, err)
}

// MinVolumePath returns the solutions of [FitMinVolume] for many λ: how error and volume
// trade, and where prototypes merge. lambdas are in squared units of the data; nil
// stands for 25 values, from 1e-4 to 100 times Total/k. All runs start from the same
// centers, the first restart's. Slack and Lambda are not used. [Model.Predict] finds the
// memberships of a point, given a Model with its Centers and the Sum of opts. If ctx
// ends the result is the points so far and its error.
//
// Cost, errors: those of [FitMinVolume]; [ErrOption] for a λ that is negative or not
// finite.
func MinVolumePath(ctx context.Context, x *Matrix, k int, lambdas []float64, opts *MinVolumeOptions) ([]*Model, error) {
	o := orZero(opts)
	if err := checkGivenRows(&o); err != nil {
		return nil, err
	}
	for i, v := range lambdas {
		if !(v >= 0 && isFinite(v)) {
			return nil, &InputError{Arg: "lambdas", Row: i, Col: -1, Value: v, Err: ErrOption}
		}
	}
	vf, err := openVolumeFit(ctx, x, k, &o)
	if err != nil {
		return nil, err
	}
	vf.setEpsilon()
	start, err := vf.startCenters(0)
	if err != nil {
		return nil, err
	}
	scaled := make([]float64, len(lambdas))
	for i, v := range lambdas {
		scaled[i] = vf.scaledLambda(v)
	}
	if lambdas == nil {
		for i := range 25 {
			scaled = append(scaled, vf.total/float64(k)*math.Pow(10, float64(i-16)/4))
		}
	}
	all := *vf
	if err := all.widen(); err != nil {
		return nil, err
	}
	var path []*Model
	for _, lambda := range scaled {
		out := vf.runAt(start, lambda)
		if out != nil && out.status != StatusCancelled && vf.narrow {
			out = all.after(vf.lift(out.f), out)
		}
		if out == nil || out.status == StatusCancelled {
			return path, cancelled(ctx)
		}
		m := all.model(out.f, out)
		m.rate(vf.s, out.objective, vf.pc)
		path = append(path, m)
	}
	return path, nil
}
