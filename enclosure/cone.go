package enclosure

// Memberships that add up to at most 1: the simplicial cone of the global solution.
//
//	minimise ‖X − GF‖²  subject to  G ≥ 0, G1 ≤ 1,
//
// for data that is not centred. F may have any size. So the bound on the sums only fixes the units, and the
// problem is semi-nonnegative matrix factorization.
//
// Theorem. Let U (d×k) be leading right singular vectors of X, W = XU. If some v has vᵀw_i > 0 for all rows
// w_i ≠ 0 of W, the minimum is Σ_{i>k} σ_i², and (G, F) below attain it.
//
// Proof. GF has rank k at most, so no objective is smaller (Eckart and Young). With heights h_i = vᵀw_i the
// points w_i/h_i are finitely many in the hyperplane vᵀw = 1, and some simplex of k vertices t_j in it
// encloses them: w_i/h_i = Σ_j b_ij t_j with b_ij ≥ 0, Σ_j b_ij = 1. With c = max h_i take G_ij = h_i·b_ij/c
// and F_j = c·Ut_j; rows with w_i = 0 have G = 0. Then GF = WUᵀ = XUUᵀ, rows of G add up to h_i/c ≤ 1, and
// ‖X − XUUᵀ‖² = Σ_{i>k} σ_i².
//
// For nonnegative data without a tie σ_k = σ_{k+1} such a v exists. Sort rows and columns into the connected
// parts of X's bipartite graph. The singular vectors of X are the singular vectors of the parts. The leading
// one of a part, with u > 0 on all of its columns, is simple (Perron and Frobenius). If U contains a vector
// of the part, it contains this one, and xᵀu > 0 for the part's rows x ≠ 0; otherwise w = 0 for these rows.
// The sum of the leading vectors in U is in U's range, and its coordinates are v. With a tie, choose U part
// by part.
//
// If no half-space contains the rows, the problem is NP-hard, and its infimum need not be attained (N. Gillis
// and A. Kumar, Exact and Heuristic Algorithms for Semi-Nonnegative Matrix Factorization, SIAM J. Matrix
// Anal. Appl. 36, 2015, which contains the theorem). If rank X < k a simplex around 0 needs no half-space.

import (
	"cmp"
	"context"
	"math"
	"slices"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/fault"
	"softkmeans/internal/la"
)

const (
	mostCenters = 1 << 15   // the problem of rows outside takes k×k numbers
	roundingGap = 1e-12     // a model without a half-space counts as optimal up to this Gap
	outsideMost = 0x1p-52   // rows outside of a half-space count as 0 up to this fraction of Σ‖w‖²
	leastSquare = 0x1p-1000 // squares of rows below it count as 0, the largest row being about 1
	leastWeight = 0x1p-500  // weights below it count as 0, the heaviest being 1

	leastMargin = 0x1p-14    // the least cosine of a half-space; memberships in so wide a cone keep 38 bits
	marginShare = 1 - 0x1p-6 // how near the least cosine comes to the largest possible one
	mostSteps   = 1000       // of a search, at most; usual are some 3 to 5 a dimension

	// The fractions of the mean ‖w‖² up to which findAxis takes a row for light.
	leastLight  = 0x1p-56
	nextLight   = 0x1p8 // times the fraction before
	lightShares = 7     // all are below 1
)

// Cone minimises ‖X − GF‖² globally over memberships G ≥ 0 whose rows add up to at most 1. The samples are
// the rows of x (n×d), which are not centred. Read Centers F (k×d) and Memberships G (n×k). Gap is the
// distance from the floor Σ_{i>k} σ_i(X)², as a fraction of Total.
//
// The result attains the floor if a half-space contains all rows that are not 0, projected on the k leading
// directions (Gillis & Kumar 2015). Nonnegative data lies in one, unless σ_k = σ_{k+1} and the rows fall into
// groups that share no column. Without a half-space Status is StatusNoHalfSpace. The model is then feasible,
// no worse than the global solution for sums of 1, and can be used as a start of softkmeans.FitAlternating.
//
// # Details
//
// The normal of the half-space must form a cosine of at least 2^-14 with each row above rounding. If k is
// above n or d, the further centers repeat others. Cone reads the options Weights, Workers and Solver. The
// centers are a simplex across the cone of the rows: Enclosure and Orientation place this simplex, and
// [Smallest] makes it small. Sum may be set to SumAtMostOne, and changes nothing.
//
// Small memberships keep their digits, here and in [softkmeans.Model.Predict].
//
// Cost: twice softkmeans.Fit's for k+1 centers, and some passes of O(nk) a dimension; up to twice as much
// without a half-space. Errors: softkmeans.Fit's; softkmeans.ErrOption for k above 2^15.
func Cone(
	ctx context.Context, x softkmeans.Samples, k int, opts *softkmeans.Options,
) (*softkmeans.Model, error) {
	c := &cone{ctx: ctx, x: x, Options: draws.OrZero(opts)}
	slice := softkmeans.Options{Enclosure: c.Enclosure, Orientation: c.Orientation, Workers: c.Workers}
	c.Enclosure, c.Orientation, c.Sum = softkmeans.EnclosureBall, nil, cmp.Or(c.Sum, softkmeans.SumAtMostOne)
	// A fit of a single point returns the error of an invalid k, Enclosure or Orientation.
	if _, err := softkmeans.Fit(ctx, softkmeans.NewMatrix(1, 1, nil), k, &slice); err != nil {
		return nil, err
	}
	if k > mostCenters {
		return nil, fault.New(softkmeans.ErrOption, "k is ", k, ", above ", mostCenters)
	}
	if err := c.open(k); err != nil {
		return nil, err
	}
	if err := c.findAxis(); err != nil {
		return nil, err
	}
	if c.w.Cols < k { // Orientation is for k vertices
		slice.Orientation = nil
	}
	f, g, err := c.enclosed(c.w.Cols, &slice)
	if err != nil {
		return nil, err
	}
	f, g = repeated(f, g, k)
	if c.outside > outsideMost*c.total {
		return c.withoutHalfSpace(f, g)
	}
	return c.rated(f, g, c.unknown)
}

// cone is the cone of the rows of a table.
type cone struct {
	ctx                context.Context
	x                  softkmeans.Samples
	softkmeans.Options // for functions of the root

	status  softkmeans.Status  // of the subspace
	basis   *softkmeans.Matrix // p×d, orthonormal
	exp     int                // the rows are w·basis in units of 2^exp
	w       *softkmeans.Matrix // n×p: its largest entry is about 1
	weights []float64          // n: divided by the largest weight
	squares []float64          // n: ‖w_i‖²
	total   float64            // Σ‖w‖², weighted

	axis    []float64 // v of the theorem
	limit   float64   // the least cosine with the axis: other rows are outside
	outside float64   // Σ‖w‖² of the rows outside, weighted
	unknown []int     // rows of weight 0 and outside, whose memberships are to be solved
}

// open finds the subspace and the rows' coordinates in it.
func (c *cone) open(k int) error {
	n, d := draws.Size(c.x)
	sub, err := softkmeans.Principal(c.ctx, c.x, min(k, n, d), &c.Options)
	if err != nil {
		return err
	}
	if c.w, err = sub.Coordinates(nil, c.x); err != nil {
		return err
	}
	c.status, c.basis = sub.Status, sub.Basis
	c.weights, c.squares = make([]float64, n), make([]float64, n)
	heaviest, top := 1.0, 0.0
	if c.Weights != nil {
		heaviest = slices.Max(c.Weights)
	}
	for i := range n {
		if c.weights[i] = draws.Weight(c.Weights, i) / heaviest; c.weights[i] < leastWeight {
			c.weights[i] = 0
			clear(c.w.Row(i))
			c.unknown = append(c.unknown, i)
		}
		top = max(top, la.Largest(c.w.Row(i)))
	}
	_, c.exp = math.Frexp(top)
	for i := range n {
		row := c.w.Row(i)
		for l, v := range row {
			row[l] = math.Ldexp(v, -c.exp)
		}
		c.squares[i] = la.SumSquares(row)
		c.total += c.weights[i] * c.squares[i]
	}
	return nil
}

// findAxis sets the axis of the narrowest cone around the rows, and the limit. It leaves out light rows:
// first only rows at rounding. While no half-space contains the others, it leaves out rows up to a growing
// fraction of the mean square. If no fraction suffices, the axis is the first singular vector.
func (c *cone) findAxis() error {
	share := leastLight
	for range lightShares {
		light := share * c.total / float64(c.w.Rows)
		share *= nextLight
		axis, margin, err := halfSpace(c.ctx, c.w, func(i int) bool {
			return c.squares[i] < leastSquare || c.weights[i]*c.squares[i] <= light
		})
		if err != nil {
			return err
		}
		if axis != nil && margin >= leastMargin {
			c.axis, c.limit = axis, margin/2 // light rows do not make the cone wide
			return fault.Stopped(c.ctx)
		}
	}
	c.axis, c.limit = make([]float64, c.w.Cols), 0x1p-10 // rows this near to the border lose 1e-6 of their squares
	var sum float64
	for i := range c.w.Rows {
		sum += c.weights[i] * c.w.At(i, 0) * math.Abs(c.w.At(i, 0))
	}
	c.axis[0] = math.Copysign(1, sum)
	return fault.Stopped(c.ctx)
}

// enclosed returns k centers f, at most one for each direction, whose cone contains the rows near the axis. g
// contains the memberships of these rows. It adds the squares of the rows outside to c.outside.
func (c *cone) enclosed(k int, slice *softkmeans.Options) (f, g *softkmeans.Matrix, err error) {
	var rows []int
	var heights []float64
	most := 0.0
	for i := range c.w.Rows {
		height := la.Dot(c.axis, c.w.Row(i))
		switch {
		case c.squares[i] < leastSquare:
		case height >= c.limit*math.Sqrt(c.squares[i]):
			rows, heights, most = append(rows, i), append(heights, height), max(most, height)
		default:
			c.outside += c.weights[i] * c.squares[i]
			c.unknown = append(c.unknown, i)
		}
	}
	f, g = softkmeans.NewMatrix(k, c.basis.Cols, nil), softkmeans.NewMatrix(c.w.Rows, k, nil)
	if len(rows) == 0 {
		return f, g, nil
	}
	at := draws.Chosen(c.w, rows)
	for i, h := range heights {
		la.Scale(1/h, at.Row(i))
	}
	if err := fault.Stopped(c.ctx); err != nil {
		return nil, nil, err
	}
	m, err := softkmeans.Fit(c.ctx, at, k, slice)
	if err != nil {
		return nil, nil, err
	}
	f = la.Product(m.Centers, c.basis)
	for i, v := range f.Data {
		f.Data[i] = math.Ldexp(most*v, c.exp)
	}
	for i, at := range rows {
		copy(g.Row(at), m.Memberships.Row(i))
		la.Scale(heights[i]/most, g.Row(at))
	}
	return f, g, nil
}

// rated returns the model of centers f and memberships g with its certificate. Rows listed in unknown get
// their best memberships first.
func (c *cone) rated(f, g *softkmeans.Matrix, unknown []int) (*softkmeans.Model, error) {
	m := &softkmeans.Model{Centers: f, Memberships: g.Clone(), Sum: c.Sum, Status: c.status}
	if err := fault.Stopped(c.ctx); err != nil {
		return nil, err
	}
	if len(unknown) > 0 {
		var all *softkmeans.Matrix
		var err error
		if x, ok := c.x.(*softkmeans.Matrix); ok {
			all, err = draws.Mixtures(c.ctx, x, m, c.Workers)
		} else {
			all, err = m.Predict(nil, c.x)
		}
		if err = fault.First(err, fault.Stopped(c.ctx)); err != nil {
			return nil, err
		}
		for _, i := range unknown {
			copy(m.Memberships.Row(i), all.Row(i))
		}
	}
	var err error
	m.Certificate, err = softkmeans.Certify(c.ctx, c.x, f, m.Memberships, &c.Options)
	m.MinMembership, m.MaxSumError, m.Repair, m.SpanError = 0, 0, 0, 0 // as in every model
	return m, err
}

// withoutHalfSpace returns the best of three models: the global solution for sums of 1, which is feasible;
// the cone (f, g); and the centers of the global solution with sums of at most 1. If the data spans fewer
// than k directions, the global solution is optimal to rounding, and is returned alone: the centers of the
// others are dependent, which costs digits of memberships, and much time.
func (c *cone) withoutHalfSpace(f, g *softkmeans.Matrix) (*softkmeans.Model, error) {
	o := c.Options
	o.Sum = softkmeans.SumToOne
	one, err := softkmeans.Fit(c.ctx, c.x, f.Rows, &o)
	if err != nil {
		return nil, err
	}
	best, err := c.rated(one.Centers, one.Memberships, nil)
	if err != nil || best.Gap <= roundingGap {
		return best, err
	}
	inCone, err := c.rated(f, g, c.unknown)
	if err != nil {
		return nil, err
	}
	free, err := c.rated(one.Centers, one.Memberships, la.Indices(g.Rows))
	if err != nil {
		return nil, err
	}
	for _, m := range []*softkmeans.Model{inCone, free} {
		if m.Objective < best.Objective {
			best = m
		}
	}
	if best.Gap > roundingGap {
		best.Status = softkmeans.StatusNoHalfSpace
	}
	return best, nil
}

// halfSpace returns the axis and the margin. The axis is the unit vector whose least cosine with the rows of
// w is about as large as possible. The margin is this cosine. Wolfe (1976, Finding the Nearest Point in a
// Polytope) published the method. A row i with skip(i) does not count. The axis is nil if no row counts, or
// if no half-space contains the others.
//
// The corral contains a few rows of length 1, whose hull contains the point nearest to 0 so far. A step adds
// the row with the least cosine to this point, and drops rows that are no longer needed. The norm of the
// nearest point falls with every step; if it falls to 0 there is no half-space.
func halfSpace(
	ctx context.Context, w *softkmeans.Matrix, skip func(i int) bool,
) (axis []float64, margin float64, err error) {
	p, norm := w.Cols, 1.0
	corral := softkmeans.NewMatrix(0, p, nil)
	for step := 0; ; step++ {
		if err := fault.Stopped(ctx); err != nil {
			return nil, 0, err
		}
		low, at := 2.0, -1
		for i := range w.Rows {
			if skip(i) {
				continue
			}
			cosine := 1.0
			if axis != nil {
				cosine = la.Dot(axis, w.Row(i)) / la.Norm(w.Row(i))
			}
			if cosine < low {
				low, at = cosine, i
			}
		}
		if at < 0 || axis != nil && low >= marginShare*norm || step == mostSteps {
			return axis, low, nil
		}
		next := slices.Clone(w.Row(at))
		la.Scale(1/la.Norm(next), next)
		corral = softkmeans.NewMatrix(corral.Rows+1, p, append(corral.Data, next...))
		g, err := softkmeans.SimplexLeastSquares(nil, softkmeans.NewMatrix(1, p, nil), corral, nil)
		if err != nil {
			return nil, 0, err
		}
		var used []int
		axis = make([]float64, p)
		for j, v := range g.Row(0) {
			if v > 0 {
				used = append(used, j)
				la.Axpy(axis, v, corral.Row(j))
			}
		}
		corral = draws.Chosen(corral, used)
		if norm = la.Norm(axis); norm < leastMargin {
			return nil, 0, nil
		}
		la.Scale(1/norm, axis)
	}
}
