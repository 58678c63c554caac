package softkmeans

// Soft k-means by alternation, with and without a penalty on the volume of the simplex of centers: Sections
// "SkM-AM" and "Minimal Volume Soft k-Means" of F. Nie, H. Chen, R. Wang and X. Li, On the Global Solution of
// Soft k-Means, Algorithm 2. The slack rule, by which the floor determines λ, is not in the paper.
//
// The problem is in mvskmproblem.go and the loop in mvskmrun.go. Coordinates and the model are in
// mvskmcoords.go, starts in mvskmstart.go, and rules for λ in mvskmslack.go.

import (
	"context"
	"math"
)

// FitAlternating fits k prototypes by alternation from a start: it minimises ‖X − GF‖² over centers F (k×d)
// and memberships G (n×k) in turn. Pass opts.Centers or an Init, and read Centers, Memberships and
// [Model.Labels]. It is the paper's SkM-AM; [Fit] finds the global minimum.
//
// Each half-step is exact, and steps are extrapolated if that lowers the objective. The iteration ends when a
// step changes the result by at most Tol. The result need not be the minimum: from some starts the objective
// ends at four times the minimum. Model.ExcessShare bounds the distance. Model.Trace, the objective of the
// start and of every iteration, never rises. For k > d the floor is 0. The iteration then also ends if the
// objective is at most 1e-6 of Total. If k > 2(r+1) for rows that span r dimensions, Centers are
// ClusterMeans, as for [FitMinVolume]. With Lower and Upper this is bounded simplex-structured matrix
// factorization (Thanh, Gillis & Lecron 2023).
//
// Cost: [Fit]'s for the floor, and O(ndk + nk²) an iteration. Memory: a copy of the data, or its coordinates
// in the row space (dense rows, n < d, n ≤ 1024), and 2n·k. Errors: as for [Fit], and [ErrOption] if Slack,
// Lambda, Epsilon or Volume is set. If ctx ends, FitAlternating returns its error, wrapped, with the best
// model so far (StatusCancelled), or nil.
func FitAlternating(ctx context.Context, x Samples, k int, opts *MinVolumeOptions) (*Model, error) {
	o := orZero(opts)
	if err := checkNoPenalty(&o); err != nil {
		return nil, err
	}
	p, err := openProblem(ctx, x, k, &o)
	if err != nil {
		return nil, err
	}
	m, err := p.begin()
	if err != nil {
		return nil, err
	}
	best, err := m.solve()
	return best.finish(err)
}

// FitMinVolume fits k compact prototypes to the rows of x. Call it with nil options and read [Model.Labels],
// Memberships, Centers and Warnings. stability.Others, which refits halves of the rows, adds warnings about
// labels and sets ClusterDoubt. If the prototypes lie too far outside of the data, set MinVolumeOptions.Slack
// above Model.Slack; if they lie too far inside, set it below. For images of spectra take package unmix.
//
// [Fit]'s simplex encloses the data, and its memberships are spread out. FitMinVolume contracts the simplex
// until the squared error exceeds the proved floor by the fraction Slack, whatever the units, scale and
// origin of the data. It minimises
//
//	‖X − GF‖² + (λ/2)·Σ_i log(σ_i² + ε)   over G ≥ 0, G1 = 1,
//
// the paper's MVSkM, with σ_i the singular values of F (k×d) about the mean of the data (see [Volume]). λ
// makes the error as large as possible without exceeding (1+Slack)·floor. The search is local: a smaller
// simplex with the same error may exist, and Restarts tries others.
//
// # Details
//
// k is at most 2^15. A Slack of 0 becomes 0.25·q/(d−q) for q = k−1 directions (k with SumAtMostOne) and d
// columns that vary: a quarter of the fraction by which white noise raises the error of the true memberships
// above the floor. For clusters, exact mixtures, few rows and few columns it becomes 0.25. The error ends at
// most 0.1 % of the slack below the permitted error. Bounds of centers may keep it above; a [Warning] reports
// errors beyond max(Slack, 0.25). If the floor is at most 1e-6 of the total variance (an exact mixture),
// Slack is a fraction of 1e-6 of the variance. For rows of r < k dimensions it is a fraction of a tenth of
// the variance. No slack gives up over half of the variance that centers explain.
//
// Rows of r dimensions determine at most r+1 prototypes. With more prototypes, runs end at 30 times Tol. For
// k > 2(r+1) Centers are ClusterMeans, λ is 0, and rows mix the nearest centers. If Centers, Fixed or Lambda
// is set, or Init is InitSPA or InitGlobal, prototypes are fitted nevertheless. With InitAuto or InitKMeans
// and a Slack of 0.05 or more, fits of n above max(16384, 512k), or of n·k² above 2.5e7 with n ≥ 64k, start
// on a random sample.
//
// Cost: [Fit]'s for the floor, some 25 to 500 iterations of O(nk²) to O(nk³) for start and λ, and 2 to 50 of
// O(ndk) at the end. For d+1 < k ≤ 2(d+1) the cost is up to ten times as high. Memory: a copy of the data as
// for [FitAlternating], and up to 5n·k. Errors and ctx: as for [FitAlternating].
func FitMinVolume(ctx context.Context, x Samples, k int, opts *MinVolumeOptions) (*Model, error) {
	o := orZero(opts)
	m, err := openMinVolume(ctx, x, k, &o)
	if err != nil {
		return nil, err
	}
	if best := pureSamples(m); best != nil {
		return best.finish(nil)
	}
	best, err := m.solve()
	return best.finish(err)
}

// openMinVolume checks the arguments of FitMinVolume, and returns the problem in the coordinates in which the
// fit begins, with ε and Slack set. Slack becomes 0 if no λ is to be chosen. Otherwise a Slack of 0 becomes
// the result of noiseSlack.
func openMinVolume(ctx context.Context, x Samples, k int, o *MinVolumeOptions) (*alternation, error) {
	p, err := openProblem(ctx, x, k, o)
	if err != nil {
		return nil, err
	}
	// ε is at least 2^-40 of the variance and 2^-160, and at most 2^400, so that products and quotients with
	// ε are finite. 2^-160 is far below the rounding of data of size 1.
	p.eps = p.perWeight(p.reference())
	if o.Epsilon > 0 {
		p.eps = math.Ldexp(o.Epsilon, -2*p.data.exp)
	}
	p.eps = min(max(p.eps, 0x1p-40*p.perWeight(p.pc.total), 0x1p-160), 0x1p400)
	m, err := p.begin()
	if err != nil {
		return nil, err
	}
	switch {
	case o.Lambda > 0, m.many, m.o.Fixed.Rows == k:
		m.o.Slack = 0
	case m.o.Slack == 0:
		m.o.Slack, err = m.noiseSlack()
	}
	return m, err
}
