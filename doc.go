// Package softkmeans computes global minima of soft k-means, and measures any solution against them.
//
// Soft k-means writes every sample, a row of X (n×d), as a mixture of k prototypes:
// X ≈ GF with centers F (k×d) and memberships G (n×k) that are at least 0 and add up to 1
// in every row. It unmixes spectra, topics and cell types, and clusters softly.
//
// [Fit] returns a global minimum of ‖X − GF‖² in closed form, after F. Nie, H. Chen,
// R. Wang and X. Li, On the Global Solution of Soft k-Means. [Certify] proves how far above
// that minimum any centers and memberships are at most, rounding included.
//
//	x, err := softkmeans.FromRows(rows)              // a sample a row
//	m, err := softkmeans.Fit(ctx, x, 3, nil)
//	m.Centers, m.Memberships                         // 3×d and n×3
//	m.Objective, m.Floor                             // reached, and the least possible
//	m, err = softkmeans.FitMinVolume(ctx, x, 3, nil) // prototypes near the data
//	m.Labels(nil)                                    // the cluster of each sample
//	g, err := m.Predict(nil, newX)                   // memberships of other samples
//	floors, err := softkmeans.Floors(ctx, x, nil)    // floors[k-1]: the least possible for k
//
// # Which function
//
// To look at clusters and mixtures, use [FitMinVolume]. It gives up some error, by default a quarter of the
// floor, for compact prototypes. Package unmix is for spectra of scenes, with noise, shade and centers of at
// least 0. Both report how far their error is above the floor; package proof says how far their volume is.
// [MinVolumePath] shows error against volume; [FitAlternating] iterates without a penalty.
//
// To know the least possible error, use [Fit] or [Floors]. The global minimum is not unique: every simplex in
// the principal subspace that encloses the projected data attains it. Fit returns a regular one, whose
// centers lie outside of the data and whose memberships are vague: by default none is above 2/k. It is a
// start for other methods, too. With [SumAtMostOne] memberships add up to at most 1: a vertex at 0, such as
// shade, takes the rest.
//
// [LSD] and [TILSD] take similarities in place of samples: a kernel, a graph, correlations. For clusters
// take LSD: it puts samples whose similarity is 0 into different ones, and has a floor, and no proof of its
// minimum. Package proof bounds how far it is from it. TILSD is soft k-means with a kernel, global and
// vague as Fit is.
//
// For hard labels use [Model.Labels], and [Model.PredictLabels] for new samples. A cluster
// between others is a mixture of these, so the largest membership is a poor label there:
// FitMinVolume and FitAlternating label by the nearest mean of a cluster instead.
//
// Packages beside this one: choosek chooses k, stability tests how stable a model is, and missing fits
// tables with gaps. Package proof proves how small a simplex and the error of LSD can be, modelfile reads
// and writes models as JSON.
//
// In the paper Fit is SkM-Global or Algorithm 1, FitMinVolume MVSkM or Algorithm 2, FitAlternating SkM-AM,
// and TILSD TI-LSD. Its Lemma 3 has memberships for given centers, without signs: [SimplexLeastSquares] and
// [Model.Predict] have them at least 0. docs/paper.md repeats its experiments, docs/errata.md corrects it.
//
// # Data
//
// A [Matrix] has open storage, and wraps matrices of other libraries without a copy. The package does not
// scale columns: give columns of different units mean 0 and variance 1, and leave those of one unit, such as
// pixels, as they are. Scale new rows as those that were fitted. A NaN is an [ErrNonFinite], but a missing
// entry for the package missing.
//
// Entries are finite and at most 2^500 (3.3e150) in size, and the largest is 0 or at least
// 2^-500 (3.1e-151); otherwise the error is an [ErrRange]. Centers and other matrices that
// are compared with data may be up to 2^520. Weights are finite and at least 0. Entries
// below 2^-500 of the largest count as 0 in squares, and such weights as 0.
//
// # Sparse rows
//
// A [SparseMatrix] stores the entries that are not 0, by rows. [Fit], [FitMinVolume], [FitAlternating],
// [MinVolumePath], [Floors], [Certify], [CentersOf], [Model.Predict] and [Model.PredictLabels] take it in
// place of a Matrix, and [Stats.AddSparse] adds it up. They leave the zeros out, but fits, Floors and Certify
// fill them in where half of the entries or more are stored. [SkMable] and package proof always do.
//
// # Larger than memory
//
// [FitSeq] reads blocks of rows in two passes, [FitMinVolumeSeq] in five to eight, with
// memory for one block and a few d×d matrices; docs/streaming.md says what that loses.
//
// Where processes or machines hold parts of a table, each sums up its own in a [Stats].
// Merged in any order these give the floors and the [StreamSubspace]. A second round with [Extent]
// gives the model. All three have binary forms:
//
//	var s, t softkmeans.Stats
//	err := s.Add(x)                    // in each process, its rows
//	err = s.Merge(&t)                  // in one process, the others' statistics
//	p, err := s.StreamSubspace(k, nil)
//	var e, f softkmeans.Extent
//	err = e.Add(p, x, nil)             // in each process, the same rows
//	err = e.Merge(&f)                  // in one process, the others' extents
//	m, err := p.Model(&e)
//	g, err := m.Predict(nil, x)        // in each process
//
// # Errors
//
// Functions check data before any work. Every error unwraps to [ErrShape], [ErrNonFinite], [ErrRange],
// [ErrTooFewSamples], [ErrFormat], [ErrChanged] or [ErrOption], or to the context's error. An error about one
// value is an [*InputError] with its row and column. On an error receivers and destinations are unchanged. An
// iteration that reaches its limit is a [Status], not an error. A panic is for a mistake that no data can
// cause: an index out of range, or a destination of a wrong shape.
//
// Destinations come first in an argument list; nil allocates; the result is returned. A destination may be a
// matrix that the call reads, if it is the whole matrix and has the result's shape. Any other overlap is not
// allowed, nor one with the samples of a [SampleKernel]. Functions change no other argument.
//
// # Concurrency
//
// Functions may run in many goroutines at once, and goroutines may share a Model that none
// changes. Results have the same bits for any number of workers. The last bits differ
// between machines with and without fused multiplication and addition, and with the length
// of their vectors. Where random starts end equally well those bits decide between them.
//
// What takes a row at a time has no context, as [Model.Predict], [SimplexLeastSquares] and [Stats.Add] have
// none: to end them early, hand them blocks of rows.
//
// In WebAssembly all goroutines share one thread. Functions with a context let others run
// between two blocks of work, so that a deadline or a cancel ends them. JavaScript's events
// wait until the function returns, unless the context's Err sleeps now and then, as in
// examples/browser. TinyGo cannot recover from a panic there: it ends the program.
//
// # Speed
//
// Costs are numbers of multiplications, for n rows, d columns and k clusters; memory is in numbers of 8
// bytes, where no other unit is named. With Go 1.27 and GOEXPERIMENT=simd the same source uses vectors on
// amd64, arm64 and WebAssembly: up to four times the speed. The build tag gramonly leaves out all solvers but
// SolverGram, other starts of labels, and EnclosureSmallest for k above 3, for small WebAssembly files.
package softkmeans
