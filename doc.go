// Package softkmeans computes global minima of soft k-means, and measures any solution
// against them.
//
// Soft k-means writes every sample, a row of X (n×d), as a mixture of k prototypes:
// X ≈ GF with centers F (k×d) and memberships G (n×k) that are at least 0 and add up to 1
// in every row. It unmixes spectra, topics and cell types, and clusters softly.
//
// [Fit] returns a global minimum of ‖X − GF‖² in closed form, after F. Nie, H. Chen,
// R. Wang and X. Li, On the Global Solution of Soft k-Means. [Certify] proves how far above
// that minimum any centers and memberships are at most, with all rounding. Alternating
// methods can stop above it: docs/accuracy.md has four points that show it.
//
//	x, err := softkmeans.FromRows(rows)          // a sample a row
//	m, err := softkmeans.Fit(ctx, x, 3, nil)
//	m.Centers                                    // 3×d
//	m.Memberships                                // n×3
//	m.Objective, m.Floor                         // reached, and the least possible
//	m, err = softkmeans.FitMinVolume(ctx, x, 3, nil) // prototypes near the data
//	m.Labels(nil)                                // the cluster of each sample
//	g, err := m.Predict(nil, newX)               // exact memberships of other samples
//	floors, err := softkmeans.Floors(ctx, x, nil) // floors[k-1]: the least possible for k
//	c, err := choosek.Choose(ctx, x, nil)        // c.K: by three opinions; 0: no answer
//
// # Which function
//
// The global minimum is not unique: every simplex in the principal subspace that encloses
// the data, projected there, attains it. That subspace goes through the mean, along the k−1
// directions in which the data spreads most. [Fit] returns a regular simplex. Its centers
// lie outside of the data and its memberships are vague: by default none is above 2/k. Use
// it as a floor for other methods, or as their start.
//
// With [SumAtMostOne] memberships add up to at most 1: a vertex at 0, such as shade, takes
// the rest. [Fit] then returns a cone, and is global wherever a half-space has the rows.
//
// [FitMinVolume] gives up some error for compact prototypes: by default a quarter more
// than the floor. Use it to look at clusters and mixtures. [Unmix] is FitMinVolume for
// spectra of scenes, with noise, shade and centers of at least 0. Both report how far their
// error is above the floor, and how far the volume may be above the least ([VolumeFloor]).
// [MinVolumePath] shows error against volume. [FitAlternating] iterates without a penalty.
//
// [LSD] and [TILSD] take similarities in place of samples: a kernel, a
// graph, correlations. TILSD is soft k-means with a kernel, global and vague as Fit is.
// LSD puts samples whose similarity is 0 into different clusters. It has a floor, and no
// proof of its minimum.
//
// [Model.Labels] are hard labels. The largest membership is a poor one where a cluster lies
// between others: it is a mixture of these, and is divided among them. FitMinVolume and
// FitAlternating take the means of the clusters so found, and label by the nearest mean, in a
// metric of the clusters' own. [Model.PredictLabels] does that for new samples.
//
// # Data
//
// A [Matrix] is open storage with a stride, which wraps the matrices of other libraries
// without a copy. A common scale of all columns does not matter, but their scales against
// each other do. Give columns of different units mean 0 and variance 1 first; leave those
// of one unit, such as pixels, as they are. The package does not scale columns: scale rows
// for Predict by the means and deviations of the rows that were fitted. Nor does it read
// files. A NaN is an [ErrNonFinite], but for the functions that take it for a missing entry:
// [FitMissing], [Model.PredictMissing] and [Complete].
//
// All functions take numbers of one range. Entries are finite and at most 2^500 (3.3e150)
// in size, and the largest is 0 or at least 2^-500 (3.1e-151); otherwise the error is an
// [ErrRange]. Centers and other matrices that are compared with data may be up to 2^520.
// Weights are finite and at least 0. Functions scale data and weights by powers of two, so
// tables of 1e150 and 1e-150 fit as those of 1 do. Entries below 2^-500 of the largest then
// count as 0 in squares. Weights below 2^-500 of the largest count as 0.
//
// # Sparse rows
//
// A [SparseMatrix] stores the entries that are not 0, by rows. [Fit], [Floors], [Certify] and
// [Model.Predict] take it in place of a Matrix, and [Stats.AddSparse] adds it up. They do not
// fill in the others; the first three do where half of all entries are stored. [SkMable] and
// [VolumeFloor] fill them in, and minimal volume takes a Matrix alone so far.
//
// # Larger than memory
//
// [FitSeq] reads blocks of rows in two passes, with memory for one block and a few d×d
// matrices. [FitMinVolumeSeq] is FitMinVolume for blocks of rows, in five to eight passes;
// docs/streaming.md says what that loses.
//
// Where processes or machines hold parts of a table, each sums up its own part in a
// [Stats]. Merged in any order these give the floors and the [Subspace]. A second round
// with [Extent] gives the model. All three have binary forms:
//
//	var s, t softkmeans.Stats
//	err := s.Add(x)                    // in each process, its rows
//	err = s.Merge(&t)                  // in one process, the others' statistics
//	floors, err := s.Floors()
//	p, err := s.Subspace(k, nil)
//	var e, f softkmeans.Extent
//	err = e.Add(p, x, nil)             // in each process, the same rows
//	err = e.Merge(&f)                  // in one process, the others' extents
//	m, err := p.Model(&e)
//	g, err := m.Predict(nil, x)        // in each process
//
// # Errors
//
// Functions check data before any work. Every error unwraps to [ErrShape], [ErrNonFinite],
// [ErrRange], [ErrTooFewSamples], [ErrFormat], [ErrChanged] or [ErrOption], or to the
// context's error. An error about one value is an [*InputError] with its row and column.
// On an error receivers and destinations are unchanged. An iteration that reaches its
// limit is a [Status], not an error. A panic is for a mistake that no data can cause: an
// index out of range, or a destination of a wrong shape.
//
// Destinations come first in an argument list; nil allocates; the result is returned. A
// destination may be a matrix that the call reads, if it is the whole matrix and has the
// result's shape. Any other overlap is not allowed, nor one with the samples of a
// [SampleKernel]. Functions change no other argument.
//
// # Concurrency
//
// Functions may run in many goroutines at once, and goroutines may share a Model that none
// changes. Results have the same bits for any number of workers, and for a strided view of
// the same data. The last bits differ between machines that fuse multiplication and
// addition and those that do not, and with the length of their vectors. Where random
// starts end equally well those bits decide which result is taken.
//
// In WebAssembly all goroutines share one thread. Functions with a context let others run
// between two blocks of work, so that a deadline or a cancel ends them. JavaScript's events
// wait until the function returns, unless the context's Err sleeps now and then, as in
// examples/browser. TinyGo cannot recover from a panic there: it ends the program.
//
// # Speed
//
// Costs are numbers of multiplications, for n rows, d columns and k clusters; memory is in
// numbers of 8 bytes, where no other unit is named. The default build is plain Go. With Go
// 1.27 and GOEXPERIMENT=simd the same source uses vectors on amd64, arm64 and WebAssembly:
// up to four times the speed, nothing on tiny data. docs/performance.md has the figures.
// The build tag gramonly leaves out all solvers but SolverGram, for small WebAssembly
// files; examples/tinygo has sizes.
package softkmeans
