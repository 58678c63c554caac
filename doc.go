// Package softkmeans finds the provably best soft k-means of a table of numbers.
//
// Soft k-means writes every sample, a row of X (n×d), as a mixture of k
// prototypes: X ≈ GF with centers F (k×d) and memberships G (n×k) that are at
// least 0 and add up to 1 in every row. It unmixes spectra, topics, cell types
// and customers, and clusters softly. Alternating methods can get stuck and
// cannot tell when they are not; [Fit] computes a global minimum of ‖X − GF‖² in closed
// form, after F. Nie, H. Chen, R. Wang and X. Li, On the Global Solution of
// Soft k-Means, and [Certify] proves it, for its own result or anyone's.
//
//	x, err := softkmeans.FromRows(rows)     // a sample a row
//	m, err := softkmeans.Fit(ctx, x, 3, nil)
//	m.Centers                               // 3×d
//	m.Memberships                           // n×3
//	m.Objective, m.Floor                    // reached; proved to be the least possible
//	g, err := m.Predict(nil, newX)          // exact memberships of other samples
//	floors, err := softkmeans.Floors(x)     // the least possible for every k
//	m, err = softkmeans.FitMinVolume(ctx, x, 3, nil) // prototypes near the data
//
// # Which function
//
// The global minimum is not unique: any simplex in the principal subspace that
// encloses the data attains it. [Fit] returns a regular one, so its centers lie
// outside of the data and its memberships are vague (see
// [NonUniquenessBound]). It is a certificate, a starting point and the floor for
// other methods.
//
// [FitMinVolume] trades a stated share of error, a quarter more than the floor,
// for compact prototypes: use it for mixtures and clusters that one wants to look
// at, and to unmix (with [InitSPA] and [NoiseSlack] where the data is noisy). Its
// error is held against a proven floor; that no smaller simplex exists is not
// proven. [MinVolumePath] shows the whole trade, [ProposeK] a first guess at k.
// [FitAlternating] iterates from a start without a penalty.
//
// [LSD], [TILSD] and [HierarchicalLSD] take similarities in place of samples: a
// kernel, a graph, correlations, counts of confusions. TILSD is soft k-means with
// a kernel, global as Fit is and as vague; LSD, whose clusters are those that a
// similarity of 0 keeps apart, has a floor but no proof of its minimum.
//
// Labels of clusters that lie between others: to a mixture model such a cluster
// is a mixture of its neighbours, and the largest membership gives it away.
// Compare [Model.Nearest], which labels as k-means does.
//
// One scale for all columns does not matter, their scales against each other do:
// where columns have different units give each mean 0 and variance 1 first;
// where they share one, as pixels and spectra, leave them.
//
// # Data
//
// A [Matrix] is open storage with a stride; other libraries' matrices are wrapped
// without a copy. Entries are finite float64 of any size: the data is scaled by
// a power of two on the way in, so that neither 1e150 nor 1e-150 overflows or
// vanishes. Only the objective, the floor and the total, which are squares,
// saturate at math.MaxFloat64 or go to 0; the relative gap does not. At the very ends
// it is the results that have no float64: centers that should be beyond
// math.MaxFloat64 stop there ([StatusOutOfRange]), denormal ones lose digits.
//
// # Data larger than memory, and in parts
//
// [FitSeq] reads blocks of rows, in two passes, with memory for one block and a d×d
// matrix: the answer is Fit's. Where the parts of a table are with different
// processes or machines, each sums up its own in a [Stats]; merged, in any order,
// these give the floors, a proposal for k and the [Subspace], and a second
// round of [Extent] the model:
//
//	s.Add(x); s.Merge(&t)              // Stats, everywhere; then in one place
//	floors, err := s.Floors()
//	p, err := s.Subspace(k, nil)
//	e.Add(p, x); e.Merge(&f)           // Extent, everywhere; then in one place
//	m, err := p.Model(&e)
//	g, err := m.Predict(nil, x)        // everywhere
//
// All have binary forms to travel in. examples/beam does this on Apache Beam.
//
// [FitMinVolumeSeq] is FitMinVolume for blocks of rows: solved on a weighted summary,
// measured on all rows and corrected, in five to eight passes. docs/streaming.md says
// what that loses.
//
// # Errors
//
// Data is checked before any work. Every error unwraps to [ErrShape],
// [ErrNonFinite], [ErrTooFewSamples], [ErrFormat],
// [ErrChanged] or [ErrOption], or to the context's; an error about one value is an [*InputError] that names its row
// and column. On an error receivers and destinations are unchanged. An iteration
// that reaches its limit is a [Status], not an error. Panics are for slips that
// no data can cause: an index out of range, a destination of a wrong shape.
//
// Destinations come first in an argument list; nil allocates; the result is
// returned. A destination may be what the call reads, an argument or a matrix of
// the receiver's, as a whole and where their shapes agree: it is then overwritten.
// Any other overlap is not allowed, nor one with the samples of a [SampleKernel].
// Nothing else that is handed in is changed.
//
// # Concurrency and bits
//
// Functions may be called from many goroutines at once; a Model may be read by
// many. Work is cut by its size and summed in a fixed order, so results have the
// same bits for any number of workers and for a strided view of the same data.
// Between machines the last bits differ where the hardware fuses
// multiplication and addition (on amd64 math.Exp does so where it can, and
// [FitMinVolume] uses it) or, in builds with Go's simd package, has vectors
// of another length. Where random starts end equally well those bits decide which is
// taken, and with it the order of the clusters; for [LSD], which minimum.
//
// In WebAssembly all goroutines take turns on one thread. There the functions
// that take a context let others run between two pieces of their work, so that a
// deadline, or another goroutine's cancel, ends them as it does elsewhere. What
// comes by JavaScript's events waits until they return, unless the context's Err
// sleeps now and then, as in examples/browser. A panic ends a TinyGo program
// there, since nothing can recover from it.
//
// # Speed
//
// The default build is plain Go. With Go 1.27 and GOEXPERIMENT=simd the same
// source uses vectors where the machine has them (amd64, arm64, WebAssembly): up
// to four times the speed, nothing on tiny data. The last bits of results differ
// from the plain build's. docs/performance.md has the figures.
//
// For small WebAssembly files the build tag gramonly leaves out two of the three
// solvers: SolverAuto is SolverGram then, and to ask for another is an ErrOption.
// examples/tinygo has sizes.
package softkmeans
