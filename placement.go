package softkmeans

// Where the simplex of the global solution lies: projections, centers and memberships.

import (
	"context"
	"math"
	"slices"
)

// dataset is the rows of a fit: what differs between dense and sparse ones.
type dataset interface {
	// data has the shape, the units, the weights and the mean.
	data() *samples
	// principal returns the leading directions and the floor.
	principal(q wanted, solver Solver, why purpose) (*principal, error)
	// project writes the rows in the basis to g and returns their extent.
	project(g, basis, normals *Matrix, kind Enclosure) (*extent, error)
	// objective returns an upper bound of ‖X − GF‖² in scaled units.
	objective(f, g *Matrix, sum Sum) (float64, error)
	// solveRows gives the rows of the list their nearest mixture of the centers.
	solveRows(centers, g *Matrix, sum Sum, rows []int) error
	// aboutMean returns the same rows about their mean.
	aboutMean() (dataset, error)
	// multiplyT returns YᵀXc for Y given as Yᵀ (b×n), weighted: b×d.
	multiplyT(yt *Matrix) (*Matrix, error)
	// floors returns the floors for 1, …, most centers; 0: all of them.
	floors(most int, sum Sum) ([]float64, error)
}

// placeSimplex projects the data on the basis (p×d), W = XcU, encloses it, and writes the memberships to g
// (n×k), which holds W until the enclosure is found.
func placeSimplex(x dataset, g, basis *Matrix, o *Options, by path) (*placement, error) {
	s, k := x.data(), g.Cols
	normals := fitNormals(k, basis.Rows, o)
	ext, err := x.project(g, basis, normals, o.Enclosure)
	if err != nil {
		return nil, err
	}
	if by.radius != 0 {
		if ext.radius, err = ballRadius(ext.radius, by.radius, s.units); err != nil {
			return nil, err
		}
	}
	var e *placement
	if by.smallest && k >= 3 && basis.Rows == k-1 {
		e = smallestAround(s, g, k)
	}
	if e == nil {
		e = placeExtent(normals, ext, o, dimensions(g, basis.Rows, ext.radius))
	}
	e.inside = ext
	return e, fillMemberships(s, g, basis.Rows, e)
}

const (
	sameRadius = 1e-9    // the share by which Options.Radius may be below the smallest: a caller's rounding
	mostRadius = 0x1p200 // in scaled units: its squares are far from overflow
)

// ballRadius returns r of Algorithm 1, line 4, in scaled units: the one asked for in the data's, or the
// smallest.
func ballRadius(smallest, asked float64, u units) (float64, error) {
	r := math.Ldexp(asked, -u.exp)
	switch {
	case asked == 0:
		return smallest, nil
	case r < smallest*(1-sameRadius):
		return 0, fail(ErrOption, "Radius is "+decimal(asked)+", below "+
			decimal(math.Ldexp(smallest, u.exp))+", the smallest that encloses the data")
	case r > mostRadius:
		return 0, fail(ErrOption, "Radius is "+decimal(asked)+", more than 2^200 times the largest entry")
	}
	return max(r, smallest), nil
}

// dimensions returns how many of their p coordinates the points at the start of g's rows use: a trailing one
// that is rounding, of points up to radius from 0, counts as none.
func dimensions(g *Matrix, p int, radius float64) int {
	used := 0
	for i := range g.Rows {
		for c := p - 1; c >= used; c-- {
			if math.Abs(g.row(i)[c]) > 0x1p-46*radius {
				used = c + 1
			}
		}
	}
	return used
}

// fitNormals returns the normals for p coordinates. In fewer than k−1 a tight simplex needs no orientation.
func fitNormals(k, p int, o *Options) *Matrix {
	if o.Enclosure == EnclosureSmallest || o.Enclosure == EnclosureTight && p < k-1 {
		return normalsOf(k, p, nil)
	}
	return normalsOf(k, p, o.Orientation)
}

// placeExtent returns the simplex around rows of the given extent, of q dimensions.
func placeExtent(normals *Matrix, ext *extent, o *Options, q int) *placement {
	k := normals.Rows
	if ext.radius == 0 { // all rows are one
		q = 0
	}
	free := o.Orientation == nil || o.Enclosure == EnclosureSmallest || normals.Cols < k-1
	if q < k-1 && o.Enclosure != EnclosureBall && free {
		return flatten(normals, ext, q)
	}
	return enclose(o.Enclosure, normals, ext).placement()
}

// smallestAround returns a small simplex of k vertices around the points of k−1 coordinates at the start of
// g's rows; nil if they have fewer dimensions but for rounding, or k is above descentMost. For k = 3
// it is the smallest triangle.
func smallestAround(s *samples, g *Matrix, k int) *placement {
	if k > descentMost {
		return nil
	}
	if k > 3 {
		return descended(s, leftColumns(g, k-1))
	}
	var points []point
	for i := range s.n {
		if s.weight(i) > 0 {
			points = append(points, point{g.row(i)[0], g.row(i)[1]})
		}
	}
	hull := convexHull(points)
	if len(hull) < 3 {
		return nil
	}
	corners, area := smallestTriangle(s.ctx, hull)
	size := 0.0
	for _, p := range hull {
		size = max(size, math.Abs(p[0]), math.Abs(p[1]))
	}
	if !(area > 0x1p-46*size*size) { // a line but for rounding
		return nil
	}
	return placementOf(corners)
}

// project writes the projections W on the basis (p×d) to the first p columns of g, which has no gaps, and
// returns their extent.
func (s *samples) project(g, basis, normals *Matrix, kind Enclosure) (*extent, error) {
	p, count := basis.Rows, chunks(s.n, s.d, manyChunks)
	extents, facets := make([]extent, count), NewMatrix(count, normals.Rows, nil)
	for t := range extents {
		extents[t].facets = facets.row(t)
	}
	// Erratum: Algorithm 1, lines 2 and 6, print the singular vectors of X and UᵀX. Both must be of the
	// centred data, as in Theorem 1; otherwise the objective is not minimal, and G can be negative.
	err := s.eachProjected(g, basis, func(at block) {
		for e, i := &extents[at.chunk], at.lo; i < at.hi; i++ { // rows of weight 0 have projections 0
			squares := e.add(g.row(i)[:p], normals, kind)
			e.squares.add(s.weight(i) * squares)
		}
	})
	for t := range extents[1:] {
		extents[0].merge(&extents[t+1])
	}
	return &extents[0], err
}

// fillMemberships overwrites the rows of g, which begin with p projections, with memberships.
func fillMemberships(s *samples, g *Matrix, p int, e *placement) error {
	return s.eachBlock(s.n, g.Cols, manyChunks, g.Cols, func(at block) {
		w := at.scratch[:p]
		for i := at.lo; i < at.hi; i++ {
			copy(w, g.row(i))
			e.coordinates.of(g.row(i), w)
		}
	})
}

// projectedObjective serves where it is above the floor by at most clearGap of the total, and ten times
// clearGap of the floor.
const clearGap = 1e-12

// projectedObjective returns what objectiveOf does, without a pass over X, for the memberships and centers of
// a regular simplex around the projections on the basis of pc, by SolverGram. It reports false where it has
// too few digits, as where the mean is far from 0, or where coordinates that are rounding were left out.
//
// Proof. Let T be ‖X‖² about the mean in memory, which the total and the rest of the mean bound. Let U
// be the basis, ω ≥ ‖UUᵀ − I‖_F, and Ŵ the projections in memory. They are off by E, ‖E‖_F
// ≤ √p·γ·√T for the depth of their sums. Then ‖X − ŴU‖² is T − ‖Ŵ‖² + 2⟨Ŵ, E⟩
// + tr Ŵ(UUᵀ − I)Ŵᵀ. The mixtures of the centers miss ŴU by AU + B, where `misses` bounds A and B.
// What X − ŴU has within the space is (X − ŴU)Uᵀ = −E − Ŵ(UUᵀ − I). So ‖X − ŴU +
// AU‖² is at most ‖X − ŴU‖² + 2(‖E‖ + ω‖Ŵ‖)‖A‖ + (1 + ω)‖A‖².
func (pc *principal) projectedObjective(s *samples, e *placement) (objective float64, ok bool) {
	p := pc.basis.Rows
	if p == 0 || s.x == nil || pc.solver != SolverGram || e.regular == nil ||
		e.regular.normals.Cols != p {
		return 0, false
	}
	omega := skewOf(pc.basis)
	moved := math.Sqrt(s.fine.squares()) + s.fine.off(pc.total)
	total := pc.total + pc.totalError + 1.01*moved*moved
	squares := e.inside.squares.value()
	off := 1.01 * math.Sqrt(float64(p)*total) * gamma(projectedDepth(p, s.d))
	within, outside := e.misses(norm2(s.mean), e.inside.radius)
	within *= math.Sqrt(s.fine.mass)
	left := total - squares + gamma(fineDepth(s.n)+p+16)*total + underflow +
		1.01*(2*off*math.Sqrt(squares)+omega*squares+2*(off+omega*math.Sqrt(squares))*within+within*within)
	length := math.Sqrt(left) + math.Sqrt(s.fine.mass)*outside
	objective = length * length * (1 + 0x1p-48)
	return objective, omega < 0.01 && objective-pc.floor <= clearGap*min(pc.total, 10*pc.floor)
}

// misses returns the bounds of enclosure.missed, for memberships that may share a vertex and so round more
// often.
func (e *placement) misses(mean, longest float64) (within, outside float64) {
	within, outside = e.regular.missed(mean, longest)
	shared := float64(e.vertices.Rows) / float64(e.regular.normals.Rows)
	return shared * within, shared * outside
}

// simplexCenters returns the vertices of the enclosure in the data's units: for the ball those of Algorithm
// 1, line 5, s·BUᵀ + 1x̄ᵀ, where f_j = x̄ + (k−1)r·U·u_j.
func simplexCenters(s *samples, e *placement, basis *Matrix) *Matrix {
	k := e.vertices.Rows
	f := NewMatrix(k, s.d, nil)
	for j := range k {
		row := f.row(j)
		for c, v := range e.vertices.row(j) {
			axpy(row, v, basis.row(c))
		}
		axpy(row, 1, s.mean) // last: the mean may be far larger, and is rounded once
		scale(row, math.Ldexp(1, s.exp))
	}
	return f
}

// missed bounds how far the mixtures of simplexCenters, with memberships of barycentric.of divided by their
// sums, are from the points w that these are for: within the space of the simplex, and beside it in any
// direction. The points are up to `longest` from 0, and mean is the length of the data's.
//
// Proof. For vertices t + Ru_j and memberships 1/k + u_jᵀ(w − t)(k−1)/(kR), ‖w − t‖ ≤ R, the
// mixture misses w by at most R(2‖Σu‖ + ‖(k−1)/k·Σuuᵀ − I‖). The memberships are off by
// less than 6γ(p+8) each, and by 6γ(p+8)/k of the sum of their terms, 1 + (‖t‖ + ‖w‖)/ρ, beside
// what makes them add up to 1, γ(k+8) in all. A center is off by γ(p+6) of its terms and by one rounding
// of the sum.
func (e *enclosure) missed(mean, longest float64) (within, outside float64) {
	k, p := e.normals.Rows, e.normals.Cols
	sum, product, normal := make([]float64, p), NewMatrix(p, p, nil), 0.0
	for j := range k {
		u := e.normals.row(j)
		axpy(sum, 1, u)
		for c, v := range u {
			axpy(product.row(c), v*float64(k-1)/float64(k), u)
		}
		normal = max(normal, norm2(u))
	}
	for c := range p {
		product.row(c)[c]--
	}
	root, far := math.Sqrt(float64(p)), float64(k-1)*e.radius
	reach := norm2(e.centre) + far*normal
	if reach == 0 { // all centers are the mean
		return 0, 0
	}
	off := far * (2*norm2(sum) + norm2(product.Data) + gamma(k+8)*(2+root))
	terms := min(float64(k), 1+(norm2(e.centre)+longest)/e.radius)
	return 1.1 * (off + (6*terms*gamma(p+8)+gamma(k+8))*reach), 1.1 * (gamma(p+6)*root*reach + gamma(1)*mean)
}

// farthestRows returns k rows of positive weight by successive projection: the one farthest from 0, then each
// time the one farthest from the linear or affine hull of those before. If ctx ends they are fewer: the next
// pass over the samples returns the error.
func farthestRows(ctx context.Context, w *Matrix, weights []float64, k int, affine bool) (rows []int) {
	rest := w.Clone()
	for j := range k {
		if stopped(ctx) {
			return rows
		}
		best, most := 0, -1.0
		for i := range w.Rows {
			if d := sumSquares(rest.row(i)); d > most && weights[i] > 0 {
				best, most = i, d
			}
		}
		rows = append(rows, best)
		if most <= 0 {
			continue
		}
		top := slices.Clone(rest.row(best))
		if j == 0 && affine {
			for i := range w.Rows {
				axpy(rest.row(i), -1, top)
			}
			continue
		}
		scale(top, 1/norm2(top))
		for i := range w.Rows {
			projectOut(rest.row(i), top)
		}
	}
	return rows
}

const (
	descents      = 32      // starts for k = 6; their number goes as k^-4
	descentRounds = 64      // passes over the points, for each
	descentSweeps = 64      // over all pairs of facets, for each pass
	descentGain   = 1e-4    // the gain of a sweep, in log volume, up to which it is the last of a start
	descentWork   = 1 << 30 // multiplications of all programs: some seconds
	descentMost   = 64      // the largest k: programs of more unknowns would use up the work
	tiny          = 1e-12   // memberships, slopes and multipliers up to this size are rounding
)

// descended returns the smallest of some simplices around the rows of w (n×p), those of positive weight;
// nil if they have fewer than p dimensions, or if rounding keeps the mixtures off the rows.
//
// A simplex is its barycentric coordinates: k = p+1 linear functions f_j of (w, 1), which are at least 0 on
// the rows and add up to 1. Its volume is 1/(p!·|det F|) for their coefficients F. A descent moves two
// facets at a time as far as a list of rows allows (after Chan, Chi, Huang & Ma, A convex analysis-based
// minimum-volume enclosing simplex algorithm for hyperspectral unmixing, 2009). Rows that turn out to be
// outside join the list. It ends where no two facets can be moved to less volume. A quarter of the descents
// begin with a regular simplex around the rows, scaled to reach equally far along each axis, the others
// near the best one.
//
// Cost: each start takes some ten passes of O(nk²), and k² linear programs of k unknowns over the list a
// sweep.
func descended(s *samples, w *Matrix) *placement {
	p, k := w.Cols, w.Cols+1
	spread, weights := make([]float64, p), make([]float64, s.n)
	total := 0.0
	for i := range s.n {
		weights[i] = s.weight(i)
		total += weights[i] * sumSquares(w.row(i))
		for c, v := range w.row(i) {
			if weights[i] > 0 {
				spread[c] = max(spread[c], math.Abs(v))
			}
		}
	}
	if !(slices.Min(spread) > 0x1p-46*slices.Max(spread)) {
		return nil
	}
	// Rows that span all dimensions bound every program.
	d := &shrinking{s: s, w: w, list: farthestRows(s.ctx, w, weights, k, true)}
	var best *Matrix
	var end *svdResult
	least := math.Inf(1)
	plain := normalsOf(k, p, nil)
	starts := max(1, descents*1296/(k*k*k*k))
	for seed := 0; seed <= starts; seed++ {
		if best == nil && seed > starts/4 {
			return nil
		}
		normals := normalsOf(k, p, RandomOrientation(k, uint64(seed)))
		switch d.gain, d.f = descentGain, NewMatrix(k, k, nil); {
		case seed == starts: // the best goes on to its end
			d.gain, d.f = 0, best
		case seed > starts/4: // near the best
			for j := range k {
				copy(d.f.row(j), best.row(j))
				for l := range k {
					axpy(d.f.row(j), .1/float64(k)*dot(normals.row(j), plain.row(l)), best.row(l))
				}
			}
		default:
			for j := range k {
				for c, u := range normals.row(j) {
					d.f.row(j)[c] = u / spread[c]
				}
				d.f.row(j)[p] = 1 / float64(k)
			}
		}
		d.run()
		now, err := thinSVD(s.ctx, d.f)
		if err != nil { // the context's, which the next pass over the samples returns
			return nil
		}
		log := 0.0
		for _, v := range now.S {
			log -= math.Log(v)
		}
		if log < least || seed == starts {
			best, end, least = d.f, now, log
		}
	}
	e := placementBy(end)
	if !(e.missed(w, weights) <= 0x1p-80*total) {
		return nil
	}
	return e
}

// placementBy returns the simplex whose barycentric coordinates have the coefficients F of which f is the
// SVD. At the vertices these are 0 and 1: (V, 1)·Fᵀ = I.
func placementBy(f *svdResult) *placement {
	k := len(f.S)
	p := k - 1
	to := &barycentric{at: make([]float64, k), slope: NewMatrix(p, k, nil), radius: 1}
	vertices := NewMatrix(k, p, nil)
	for l, v := range f.S {
		for j := range k {
			u := f.U.At(j, l)
			for c := range p {
				vertices.row(j)[c] += u / v * f.V.At(c, l)
				to.slope.row(c)[j] += u * v * f.V.At(c, l)
			}
			to.at[j] += u * v * f.V.At(p, l)
		}
	}
	return &placement{vertices: vertices, coordinates: to}
}

// missed returns the weighted sum of the squared distances of the rows of w from their mixtures.
func (e *placement) missed(w *Matrix, weights []float64) (sum float64) {
	mixture, g := make([]float64, w.Cols), make([]float64, e.vertices.Rows)
	for i, weight := range weights {
		e.coordinates.of(g, w.row(i))
		clear(mixture)
		for j, v := range g {
			axpy(mixture, v, e.vertices.row(j))
		}
		sum += weight * squaredDistance(mixture, w.row(i))
	}
	return sum
}

// shrinking is a simplex around the rows of w that becomes smaller.
type shrinking struct {
	s    *samples
	w    *Matrix
	f    *Matrix   // k×k: row j has the coefficients of f_j
	gain float64   // of a sweep, in log volume: the least to go on for
	list []int     // rows that bound the descent
	g    []float64 // len(list)×k: their memberships
	work int       // so far
}

// run descends until no row is outside. It ends before with its rounds or its work spent, or with ctx; the
// simplex encloses all rows then, too, but for the end of ctx.
func (d *shrinking) run() {
	k := d.f.Cols
	for round := 0; ; round++ {
		outside := d.enclose()
		if !outside && round > 0 || round == descentRounds || d.work >= descentWork || stopped(d.s.ctx) {
			return
		}
		d.g = make([]float64, len(d.list)*k)
		for r, i := range d.list {
			for j := range k {
				d.g[r*k+j] = max(0, d.f.row(j)[k-1]+dot(d.f.row(j)[:k-1], d.w.row(i)))
			}
		}
		for range descentSweeps {
			gain := 0.0
			for i := range k {
				for j := 0; j < i && d.work < descentWork && !stopped(d.s.ctx); j++ {
					gain += d.improve(i, j)
				}
			}
			if gain <= d.gain {
				break
			}
		}
	}
}

// enclose moves each facet to touch the rows from outside. It puts the rows that do on the list, and
// reports whether one was outside.
func (d *shrinking) enclose() (outside bool) {
	k := d.f.Rows
	low, at := make([]float64, k), make([]int, k)
	for j := range low {
		low[j] = math.Inf(1)
	}
	for i := range d.s.n {
		if d.s.weight(i) == 0 {
			continue
		}
		if i%1024 == 0 && stopped(d.s.ctx) {
			return false
		}
		for j := range k {
			if v := d.f.row(j)[k-1] + dot(d.f.row(j)[:k-1], d.w.row(i)); v < low[j] {
				low[j], at[j] = v, i
			}
		}
	}
	rest := 1.0
	for j, v := range low {
		outside = outside || v < -tiny
		if !slices.Contains(d.list, at[j]) {
			d.list = append(d.list, at[j])
		}
		d.f.row(j)[k-1] -= v
		rest -= v
	}
	scale(d.f.Data, 1/rest)
	return outside
}

// improve replaces f_i by Σx_l·f_l, where x solves a linear program, and f_j by f_i + f_j − Σx_l·f_l.
// It returns the logarithm of what that divides the volume by, x_i − x_j. The program maximises that over
// 0 ≤ g·x ≤ g_i + g_j for the memberships g on the list, by active sets, from x = e_i on. One that has
// cycled ends where it is.
func (d *shrinking) improve(i, j int) float64 {
	k, n := d.f.Rows, len(d.list)
	x, along, y, t := make([]float64, k), make([]float64, k), make([]float64, n), make([]float64, n)
	x[i] = 1
	for r := range y {
		y[r] = d.g[r*k+i]
	}
	var a activeRows
	for range 20 * k {
		clear(along)
		along[i], along[j] = 1, -1
		if a.project(along); norm2(along) < tiny || len(a.a) == k { // k bounds leave rounding alone
			if !a.drop(i, j) {
				break
			}
			continue
		}
		d.work += k * (n + 3*k)
		step, at, sign := math.Inf(1), -1, 0.0
		for r := range t {
			g := d.g[r*k : (r+1)*k]
			t[r] = dot(g, along)
			if room := y[r] / -t[r]; t[r] < -tiny && room < step {
				step, at, sign = room, r, -1
			}
			if room := (g[i] + g[j] - y[r]) / t[r]; t[r] > tiny && room < step {
				step, at, sign = room, r, 1
			}
		}
		if at < 0 {
			break
		}
		step = max(0, step)
		axpy(x, step, along)
		axpy(y, step, t)
		a.add(d.g[at*k:(at+1)*k], sign)
	}
	gain := math.Log(x[i] - x[j])
	if !(gain > 0) {
		return 0
	}
	f := make([]float64, k)
	for l, v := range x {
		axpy(f, v, d.f.row(l))
	}
	axpy(d.f.row(j), 1, d.f.row(i))
	axpy(d.f.row(j), -1, f)
	copy(d.f.row(i), f)
	for r := range n {
		g := d.g[r*k : (r+1)*k]
		sum := g[i] + g[j]
		g[i] = min(max(0, dot(g, x)), sum)
		g[j] = sum - g[i]
	}
	return gain
}

// activeRows are the normals a of the bounds a·x ≤ b that hold with equality, at most k.
type activeRows struct{ a, q, r [][]float64 }

// add takes up sign·g, which is not in the span of the others.
func (s *activeRows) add(g []float64, sign float64) {
	a := slices.Clone(g)
	scale(a, sign)
	s.a = append(s.a, a)
	q, r := slices.Clone(a), make([]float64, len(a))
	for range 2 {
		for l, u := range s.q {
			c := dot(u, q)
			r[l] += c
			axpy(q, -c, u)
		}
	}
	r[len(s.q)] = norm2(q)
	scale(q, 1/r[len(s.q)])
	s.q, s.r = append(s.q, q), append(s.r, r)
}

// project takes x to the space in which the active bounds do not change.
func (s *activeRows) project(x []float64) {
	for range 2 {
		for _, q := range s.q {
			projectOut(x, q)
		}
	}
}

// drop leaves out the bound that holds x_i − x_j back most, and reports false if there is none.
func (s *activeRows) drop(i, j int) bool {
	// e_i − e_j = Σ μ_l·a_l: a bound with μ < 0 may be left.
	m := len(s.a)
	mu, worst := make([]float64, m), m
	for l := m - 1; l >= 0; l-- {
		mu[l] = s.q[l][i] - s.q[l][j]
		for c := l + 1; c < m; c++ {
			mu[l] -= s.r[c][l] * mu[c]
		}
		mu[l] /= s.r[l][l]
		if mu[l] < -tiny && (worst == m || mu[l] < mu[worst]) {
			worst = l
		}
	}
	if worst == m {
		return false
	}
	left := slices.Delete(s.a, worst, worst+1)
	*s = activeRows{}
	for _, a := range left {
		s.add(a, 1)
	}
	return true
}
