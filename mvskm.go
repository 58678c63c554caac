package softkmeans

// Soft k-means by alternation, with and without a penalty on the volume of the simplex of centers: Sections
// "SkM-AM" and "Minimal Volume Soft k-Means" of F. Nie, H. Chen, R. Wang and X. Li, On the Global Solution
// of Soft k-Means, Algorithm 2. The slack rule is ours: the global floor chooses λ.
//
// The problem is in mvskmproblem.go, the loop in mvskmrun.go and mvskminside.go, coordinates and the model
// in mvskmcoords.go, starts in mvskmstart.go, rules for λ in mvskmslack.go.

import (
	"context"
)

// FitAlternating fits k prototypes near where it starts: it minimises ‖X − GF‖² over centers F (k×d) and
// memberships G (n×k) in turn. Pass opts.Centers or an Init, and read Centers, Memberships and
// [Model.Labels]. It is the paper's SkM-AM; [Fit] has the global minimum.
//
// Each half-step is exact, and steps are extrapolated if that lowers the objective. The iteration ends when
// steps change the result by no more than Tol, which need not be the minimum: from some starts the objective
// ends at four times the minimum (TestAlternatingStays). Model.Floor and Model.Gap bound how far above the
// minimum the result can be. Model.Trace has the objective after every iteration, the start's first, and
// never rises. With Lower and Upper this is bounded simplex-structured matrix factorization (Thanh, Gillis &
// Lecron 2023). Sparse rows are as in [FitMinVolume]. Erratum 9 of docs/errata.md is about the paper's name
// of this method.
//
// For k > d the floor is 0, and the iteration also ends at 1e-9 of the total variance. Those above 2(d+1) are
// as in [FitMinVolume].
//
// Cost: [Fit]'s for the floor, and O(ndk + nk²) an iteration. Memory: a copy of the data, or of its row space
// if that is smaller, and 2n·k. Errors: those of [Fit]; [ErrOption] for Slack, Lambda, Epsilon and Volume, as
// there is no penalty. If ctx ends the error wraps its error, and the model is the best so far, with
// StatusCancelled, or nil.
func FitAlternating(ctx context.Context, x Samples, k int, opts *MinVolumeOptions) (*Model, error) {
	o := orZero(opts)
	if err := checkNoPenalty(&o); err != nil {
		return nil, err
	}
	m, err := openCoordinates(ctx, x, k, &o)
	if err != nil {
		return nil, err
	}
	best, err := m.rule().bestRun(m)
	return best.finish(err)
}

// FitMinVolume fits k compact prototypes to the rows of x. Call it with nil options and read [Model.Labels],
// Memberships and Centers, and Warnings for reasons to doubt them. Set MinVolumeOptions.Slack above
// Model.Slack if the prototypes lie too far outside of the data, below it if they are too far inside. For
// images of spectra take package unmix.
//
// [Fit]'s simplex encloses the data, and its memberships are vague. This one contracts towards the data until
// the squared error has grown by Slack over the proved floor, so that units, scale and origin of the data do
// not matter. It minimises
//
//	‖X − GF‖² + (λ/2)·Σ_i log(σ_i² + ε)   over G ≥ 0, G1 = 1,
//
// the paper's MVSkM, where σ_i are the singular values of F (k×d) from the mean of the data (see [Volume]).
// λ makes the error as large as possible without exceeding (1+Slack)·floor. The search is local: a smaller
// simplex with the same error may exist, and Restarts and Seed try others.
//
// # Details
//
// A Slack of 0 becomes 0.25·q/(d−q): a quarter of what white noise adds to the error of the true prototypes.
// Here d is the number of columns that are not constant, and q = k−1 (k under SumAtMostOne). The slack is
// 0.25 if that is less, if n ≤ q+2, in exact mixtures and for k > min(n−1, d). It is 0.25 for clusters, too.
// These show if k-means explains more than 97 % of the variance in the principal subspace. They also show if
// direction q has less than twice the squared singular value of the next, unless the rest looks like white
// noise.
//
// The error ends within 1 % of the slack unless it jumps there, and gives up at most half of the variance
// that the floor explains. A [Warning] tells if no λ keeps within the slack, nor within 1.25 floors, as
// bounds of centers may cause.
//
// Data whose floor is at most 1e-6 of the total variance is an exact mixture: that share stands for the
// floor, and Init and Volume find the smallest simplex around the data. If k of the samples are its corners
// to 1e-14, they are returned, with a λ of 0. Where k > min(n−1, d), 10 % of the total variance stand for the
// floor.
//
// Rows that span r dimensions determine no k > r+1 prototypes: a run for Slack ends at ten times Tol there.
// For k > 2(r+1) Centers are ClusterMeans, the clusters of k-means after the steps of [Model.Labels], and
// their memberships are those of the nearest centers. λ is 0, and Slack, Volume, Epsilon and Restarts count
// for nothing. With Centers, Fixed, a Lambda, or another Init than InitKMeans such k are as all others.
//
// More than max(16384, 512k) rows start on a random sample of them, and so do rows with n·k² above 2.5e7. The
// error then ends within 5 % of the slack, and a run at a hundred times Tol; clusters of fewer than one row
// in a thousand may be missed. Plain, Centers, Fixed, a Lambda, a slack below 0.05, and every Init except
// InitKMeans take all rows.
//
// Sparse rows are not filled in, unless half of the entries are stored, or rows or columns are fewer than
// some 4.5k. Model.Trace never rises. The bits depend on Seed and not on Workers. docs/accuracy.md has the
// data on which the defaults were chosen.
//
// Cost: [Fit]'s for the floor, some 25 to 500 iterations of O(nk²) to O(nk³) for the start and λ, and 2 to 50
// of O(ndk) at the end; up to ten times that for d+1 < k ≤ 2(d+1). Memory: a copy of the data as for
// [FitAlternating], and up to 5n·k. Errors and ctx: as for [FitAlternating].
func FitMinVolume(ctx context.Context, x Samples, k int, opts *MinVolumeOptions) (*Model, error) {
	o := orZero(opts)
	m, err := openMinVolume(ctx, x, k, &o)
	if err != nil {
		return nil, err
	}
	if best := pureSamples(m); best != nil {
		return best.finish(nil)
	}
	best, err := m.rule().bestRun(m)
	return best.finish(err)
}

// openMinVolume is openCoordinates with the ε and the slack of a penalty.
func openMinVolume(ctx context.Context, x Samples, k int, o *MinVolumeOptions) (*alternation, error) {
	m, err := openCoordinates(ctx, x, k, o)
	if err == nil {
		m.setEpsilon()
		err = m.setSlack()
	}
	return m, err
}
