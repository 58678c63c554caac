package softkmeans

// Soft k-means by alternation, with and without a penalty on the volume of the
// simplex of centers: Sections "SkM-AM" and "Minimal Volume Soft k-Means" of
// F. Nie, H. Chen, R. Wang and X. Li, On the Global Solution of Soft k-Means,
// Algorithm 2. The slack rule is ours: the global floor chooses λ.
//
// The loop itself is in mixture.go, the starts are in starts.go.

import (
	"context"
	"math"
)

// FitAlternating minimises ‖X − GF‖² over centers F (k×d) and memberships G (n×k;
// rows at least 0, adding up to 1) by exact minimisation over one and the other
// in turn, the paper's SkM-AM (fuzzy c-means with proportional membership, m = 0),
// with an extrapolation that is taken only where the objective falls. It finds a
// local minimum; [Fit] has the global one, and Model.Floor and Model.Gap say by
// how much they differ (often by nothing: the minimum has many solutions).
// Nothing but the start keeps the prototypes near the data.
//
// The rows of G are solved exactly for the centers, as by [Model.Predict]. The
// objective after every iteration, the start's first, is in Trace; it never
// rises. With Sum: SumAtMostOne, Total is ‖X‖² and Floor is Σ_{i>k} σ_i²(X), of
// the data as it is: a lower bound that is reached only where the rows lie in a
// cone of k directions.
//
// Cost: [Fit]'s for the floor, and O(ndk + nk²) an iteration; memory for a copy of
// the data (of its row space, where that is smaller) and 2n·k. Errors: those of
// [Fit]. If ctx ends, the error wraps its error and the model, unless nil, is the
// best so far, with StatusCancelled.
func FitAlternating(ctx context.Context, x *Matrix, k int, opts *AlternatingOptions) (*Model, error) {
	var o MinVolumeOptions
	if opts != nil {
		o = MinVolumeOptions{
			Weights: opts.Weights, Workers: opts.Workers, Seed: opts.Seed, Restarts: opts.Restarts, MaxIter: opts.MaxIter, Tol: opts.Tol,
			Init: opts.Init, Centers: opts.Centers, Sum: opts.Sum, Progress: opts.Progress,
		}
	}
	j, err := openVolumeFit(ctx, x, k, &o)
	if err != nil {
		return nil, err
	}
	best, _, err := j.runStarts(0)
	return j.finish(best, err)
}

// FitMinVolume fits prototypes that are as compact as a given error allows: it
// minimises
//
//	‖X − GF‖² + (λ/2)·Σ_i log(σ_i² + ε)   over G ≥ 0, G1 = 1,
//
// the paper's MVSkM, with σ_i the singular values of F (k×d) from the mean of
// the data (see [Volume]). [Fit]'s simplex encloses the data, and its
// memberships are vague; this one contracts towards the data, until the error has
// grown by Slack over the proven floor. It is a local minimum: that no smaller
// simplex has the same error is not proven; Restarts and Seed try others.
//
// λ is found by that rule from the floor, so that nothing depends on a common
// scale, the units or the origin of the data: λ is that of the error nearest
// below (1+Slack)·floor, within 1 % of the slack unless the error jumps there.
// Every λ is tried from the same start: a path from one λ to the next loses the
// clusters. No more than half of the variance that the floor explains is given
// up.
//
// Data whose floor is no more than 1e-6 of its total variance is an exact
// mixture of k prototypes: that share then stands for the floor in the rule,
// and the defaults of Init and Volume are those that find the smallest simplex
// around the data. Where k > min(n−1, d) the floor is 0 and says nothing; 10 % of
// the total variance stand for it. If no λ fits from the start, the global
// simplex is the start instead; if that does not help (for SumAtMostOne, or a
// slack near rounding), a [Warning] says so.
//
// To unmix noisy data take InitSPA and [NoiseSlack]: 0.25 draws the prototypes
// too far into the data.
//
// Trace has the objective after every iteration of the run that gave the
// result, the start's first; it never rises. The same bits come out on every
// call with the same seed, for any number of workers.
//
// Cost: [Fit]'s for the floor; some 5 runs of 10 to 100 iterations of
// O(ndk + nk²) each, more on ill-conditioned data. Memory: a copy of the data as
// for [FitAlternating], and up to 5n·k. Errors and ctx: as for [FitAlternating].
func FitMinVolume(ctx context.Context, x *Matrix, k int, opts *MinVolumeOptions) (*Model, error) {
	var o MinVolumeOptions
	if opts != nil {
		o = *opts
	}
	j, err := openVolumeFit(ctx, x, k, &o)
	if err != nil {
		return nil, err
	}
	j.setEpsilon()
	if o.Lambda > 0 {
		best, _, err := j.runStarts(j.scaledLambda(o.Lambda))
		return j.finish(best, err)
	}
	best, start, err := j.runStarts(firstLambda(j))
	if err == nil {
		best, err = searchLambda(j, start, best)
	}
	return j.finish(best, err)
}

// NoiseSlack returns the Slack with which [FitMinVolume] unmixes data that is k
// prototypes mixed and white noise added, in d ≥ k columns: (k−1)/(10·(d−k+1)).
// Such noise has about (k−1)/(d−k+1) of the floor's energy in the prototypes'
// own plane, where it pushes samples out of the simplex; a small part of it, most
// samples being inside, is what the true prototypes leave over. In simulations
// with 3 to 8 prototypes at 30 dB a tenth or an eighth of it did better than a
// quarter and more.
func NoiseSlack(d, k int) float64 { return 0.1 * float64(max(k-1, 1)) / float64(max(d-k+1, 1)) }

// PathPoint is a solution at one λ.
type PathPoint struct {
	Lambda     float64
	Objective  float64 // ‖X − GF‖²
	Floor      float64 // the least that Objective can be
	Penalty    float64 // Σ log(σ_i² + ε)
	Centers    *Matrix // k×d
	Iterations int
	Status     Status
}

// MinVolumePath returns the solutions of [FitMinVolume] for many λ: how error
// and volume trade, and where prototypes merge. lambdas are in squared units of
// the data; nil stands for 25 values, from 1e-4 to 100 times Total/k. All start
// from the same centers (the first restart's). Slack and Lambda are not used.
// Memberships of a point are those of a Model with its Centers (and the Sum of
// opts), by [Model.Predict]. If ctx ends the points so far are returned with its
// error.
//
// Cost, errors: those of [FitMinVolume]; [ErrOption] for a λ that is negative or
// not finite.
func MinVolumePath(ctx context.Context, x *Matrix, k int, lambdas []float64, opts *MinVolumeOptions) ([]PathPoint, error) {
	var o MinVolumeOptions
	if opts != nil {
		o = *opts
	}
	for i, v := range lambdas {
		if !(v >= 0 && isFinite(v)) {
			return nil, &InputError{Arg: "lambdas", Row: i, Col: -1, Value: v, Err: ErrOption}
		}
	}
	j, err := openVolumeFit(ctx, x, k, &o)
	if err != nil {
		return nil, err
	}
	j.setEpsilon()
	start, err := j.startCenters(0)
	if err != nil {
		return nil, err
	}
	scaled := make([]float64, len(lambdas))
	for i, v := range lambdas {
		scaled[i] = j.scaledLambda(v)
	}
	if lambdas == nil {
		for i := range 25 {
			scaled = append(scaled, j.total/float64(k)*math.Pow(10, float64(i-16)/4))
		}
	}
	var path []PathPoint
	for _, lambda := range scaled {
		out := j.runAt(start, lambda)
		if out == nil || out.status == StatusCancelled {
			return path, cancelled(ctx)
		}
		path = append(path, PathPoint{
			Lambda: j.s.unscaleSquare(lambda), Objective: j.s.unscaleSquare(out.fit), Floor: j.s.unscaleSquare(j.pc.floor),
			Penalty: j.volume(out.logs), Centers: j.outside(out.f), Iterations: out.iterations, Status: out.status,
		})
	}
	return path, nil
}
