// Package softkmeans describes the rows of a table as mixtures of k prototypes (soft k-means) and bounds how
// far a fit is from the least squared error.
//
// A table X has n rows (samples) and d columns. The package finds a k×d matrix F of centers and an n×k matrix
// G of memberships with X ≈ GF. Memberships are at least 0. Each row of G adds up to 1; to at most 1 with
// [SumAtMostOne].
//
//	x, err := softkmeans.FromRows(rows)
//	m, err := softkmeans.FitMinVolume(ctx, x, 3, nil)
//	m.Centers, m.Memberships        // F and G
//	m.Objective, m.Floor            // the squared error, and the smallest possible one
//	m.Labels(nil)                   // one cluster for each row
//	g, err := m.Predict(nil, newX)  // memberships of new rows
//
// # Choosing a function
//
// [FitMinVolume] is the usual choice. It returns compact centers near the data. Their squared error is above
// the floor by the fraction Slack, by default at most a quarter. MinVolumeOptions.Fixed takes known centers.
// For spectra of images use package unmix: centers stay at 0 or above, and noise and brightness may vary.
//
// The floor is the minimum of ‖X − GF‖². [Floors] returns the floors of all k. [Fit] returns, in closed form,
// one of the many solutions whose squared error is the floor (F. Nie, H. Chen, R. Wang and X. Li, On the
// Global Solution of Soft k-Means). Its centers usually lie outside the data, and by default no membership is
// above 2/k: use this solution as a reference. [Certify] bounds how far any given solution is above the
// floor, rounding included.
//
// [TILSD] and [LSD] cluster by similarities. TILSD is Fit with a kernel, and reaches the global minimum. LSD
// is for similarities that are 0 between samples with nothing in common. Its result may not be minimal: see
// proof.LSDFloor.
//
// [Model.Labels] and [LSDModel.Labels] return hard labels: clusters after FitMinVolume, FitAlternating and
// TILSD, and largest memberships after Fit and LSD. To label rows by their largest memberships after
// FitMinVolume, too, set Model.Clusters to nil.
//
// Package enclosure places the simplex of Fit in other ways, kernel computes similarities, and metrics
// compares labels with classes. Package choosek chooses k, stability estimates uncertainty, missing handles
// missing entries, proof bounds volumes, stream fits tables larger than memory, modelfile stores models.
//
// In the paper Fit is SkM-Global or Algorithm 1, FitMinVolume MVSkM or Algorithm 2, FitAlternating SkM-AM,
// and TILSD TI-LSD. docs/errata.md corrects the paper.
//
// # Data
//
// Columns are not scaled: standardize columns of different units, and scale new rows alike. Entries must be
// finite and at most 2^500 in magnitude, and the largest must be 0 or at least 2^-500. Centers may reach
// 2^520. Weights must be finite and nonnegative. Weights below 2^-500 of the largest weight count as 0, and
// so do squares of entries below 2^-500 of the largest entry.
//
// Every parameter of type [Samples] accepts a [SparseMatrix]. If half of its entries or more are stored,
// fits, Floors and Certify expand it to a Matrix. FitMinVolume and FitAlternating also do so if
// min(3k+4, k+24) exceeds 2/3 of min(n, d) − 1. VolumeFloor and VolumeRatio of package proof always do.
//
// # Errors
//
// Data is checked before any computation. Every error wraps [ErrShape], [ErrNonFinite], [ErrRange],
// [ErrTooFewSamples], [ErrFormat], [ErrChanged], [ErrOption] or the context's error. An [*InputError] gives
// the row and column of a bad value. After an error, receivers and destinations are unchanged. An iteration
// limit is no error: see [Status]. Only programming errors cause panics. TinyGo's WebAssembly cannot recover
// from a panic.
//
// A destination is the first parameter. If it is nil, the function allocates the result. A destination of a
// wrong shape causes a panic. It may also be an input, if it is the whole input matrix and has the result's
// shape.
//
// # Concurrency and speed
//
// Functions may be called concurrently. Results are bit-identical for any number of workers, except
// FloorError of SolverKrylov, but may differ between machines. Methods that work row by row, such as
// [Model.Predict], take no context: to stop them early, pass blocks of rows. In WebAssembly a call blocks the
// events of JavaScript, unless the context's Err method sleeps.
//
// Comments state costs in arithmetic operations, to within a factor of 2, and memory in numbers of 8 bytes.
// Go 1.27 with GOEXPERIMENT=simd is up to four times as fast.
package softkmeans
