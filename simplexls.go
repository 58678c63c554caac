package softkmeans

// Least squares on the simplex: the mixture of given vertices that is nearest to
// a sample (fully constrained least squares, as unmixing calls it).

import (
	"context"
	"strconv"
)

// SimplexOptions tunes [SimplexLeastSquares]. The zero value and nil are the defaults.
type SimplexOptions struct {
	Workers int     // 0: GOMAXPROCS; the result's bits do not depend on it
	Start   *Matrix // n×k memberships whose supports are tried first; nil: none; may be dst
	Sum     Sum     // SumToOne (the default); SumAtMostOne: Σg ≤ 1, by a vertex at 0 that the result leaves out
}

// SimplexLeastSquares returns for every row of x (n×d) the weights g ≥ 0, Σg = 1
// that minimise ‖x − Σ_j g_j·vertex_j‖² (n×k for k vertices, the rows of a k×d
// matrix). The solution is exact, not iterated to a tolerance: the optimality
// (KKT) conditions of an active-set method hold to rounding, entries off the
// support are exactly 0, rows add up to 1 to one rounding.
//
// Vertices and samples are shifted by the vertices' mean. All rows share the k×k matrix A =
// FFᵀ + ρ11ᵀ, which is definite whenever the vertices are affinely independent, and has the
// same minimisers. With support S the solution is g_S = A_SS⁻¹(b_S − μ1), μ = (1ᵀA_SS⁻¹b_S
// − 1)/(1ᵀA_SS⁻¹1). It is optimal iff g_S ≥ 0 and (Ag − b)_i + μ ≥ 0 off S. All infeasible
// indices are exchanged at once while their number falls (Kim & Park 2011), one at a time
// in a feasible descent otherwise. Rows with the same support share one Cholesky factor, as
// in Van Benthem & Keenan (2004).
//
// A sample farther away than 2^400 times the vertices' size is drawn nearer along its line
// to their mean: only its direction counts.
//
// dst receives the result; nil allocates, a wrong shape panics, and dst may be
// x itself. Cost: O(ndk) and O(k²) a row and support tried. Errors: [ErrShape],
// [ErrNonFinite], [ErrRange], [ErrTooFewSamples] without vertices, [ErrOption]; on an error
// dst is unchanged.
func SimplexLeastSquares(dst, x, vertices *Matrix, opts *SimplexOptions) (*Matrix, SimplexInfo, error) {
	o := orZero(opts)
	none := SimplexInfo{}
	err := firstError(checkCount("Workers", o.Workers), checkEnum("Sum", o.Sum, sumCount), checkShape("x", x), checkMatrix("vertices", vertices, mostCenter))
	if err != nil {
		return nil, none, err
	}
	k := vertices.Rows
	switch {
	case k == 0:
		return nil, none, fail(ErrTooFewSamples, "no vertices")
	case x.Cols != vertices.Cols:
		return nil, none, fail(ErrShape, "x has "+strconv.Itoa(x.Cols)+" columns, the vertices (centers) have "+strconv.Itoa(vertices.Cols))
	}
	if err := firstError(checkSize("the result", x.Rows, k), checkSize("the vertices' Gram matrix", k+1, k+1)); err != nil {
		return nil, none, err
	}
	workers, ctx := workerCount(o.Workers), context.Background()
	if _, err := largestEntry(ctx, "x", x, workers); err != nil {
		return nil, none, err
	}
	if o.Start != nil {
		if err := checkMatrix("Start", o.Start, mostCenter); err != nil {
			return nil, none, err
		}
		if o.Start.Rows != x.Rows || o.Start.Cols != k {
			return nil, none, fail(ErrShape, "Start is "+shape(o.Start.Rows, o.Start.Cols)+", the result is "+shape(x.Rows, k))
		}
	}
	dst = destination(dst, x.Rows, k)
	info, err := newSimplexProblem(vertices, o.Sum).solve(ctx, dst, x, o.Start, workers)
	return dst, info, err
}

// solve fills dst with the memberships of the rows of x, which are in range.
func (p *simplexProblem) solve(ctx context.Context, dst, x, start *Matrix, workers int) (SimplexInfo, error) {
	over := pass{chunking{x.Rows, p.d, manyChunks}, p.d + p.k}
	return p.solveBlocks(parallelism{ctx, workers}, over, solvedRows{dst, start, 0, x.Rows}, func(at block) []float64 { return p.products(at, x) })
}

// pass is a pass in blocks, with scratch space for so many numbers an item.
type pass struct {
	chunking
	floats int
}

// solveBlocks is solve for rows of which products returns b, p.k numbers a row, block by
// block.
func (p *simplexProblem) solveBlocks(by parallelism, over pass, to solvedRows, products func(at block) []float64) (SimplexInfo, error) {
	count := chunks(over.n, over.l, over.most)
	infos := make([]SimplexInfo, count)
	solvers := make([]rowSolver, min(by.workers, count)) // workers may be any number
	err := eachBlock(by.ctx, by.workers, over.chunking, over.floats, func(at block) {
		info, solver := &infos[at.chunk], &solvers[at.worker]
		if solver.p == nil {
			solver.begin(p)
		}
		if !p.same(to.g, at.lo, at.hi, info) {
			solver.rows(by.ctx, solvedRows{to.g, to.start, at.lo, at.hi}, products(at), info)
		}
	})
	total := SimplexInfo{}
	for _, f := range infos {
		total.join(f)
	}
	return total, err
}
