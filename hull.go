package softkmeans

// The largest ellipsoid inside the convex hull of points that may move, for the least volume of simplices.
//
// Point j is z_j, and may be anywhere within r_j of it. A shell is a list of simplices of p corners in p
// dimensions, its facets. Each has a normal a and an offset b with aᵀz_j − r_j‖a‖ ≥ b for its own
// corners j. So wherever the points go, the facet stays in {aᵀx ≥ b}. Facets need not be those of the
// hull.
//
// Theorem. Let the facets be a cycle modulo 2: every set of p−1 corners is in an even number of them.
// Let K = {x: aᵀx < b for all facets} hold a point c about which the cycle's winding number modulo 2
// is odd. Then K is inside the convex hull of the points, wherever they go.
//
// Proof. K is convex, holds c, and meets no facet while the points move on lines to where they go. So the
// winding number of the moved cycle is odd about each x in K. About a point outside of the hull it is even: a
// ray away from the hull meets no facet. ∎
//
// The cycle begins as the boundary of a simplex with c as its centroid. With aᵀc < b for its facets it is
// not flat, as a flat simplex is the union of its facets; then the number is 1. A further point z is added
// with a set V of facets that have aᵀz − r‖a‖ ≥ b. They leave, and z with each ridge that an odd
// number of V has comes in: the boundary of the cones from z over V is added to the cycle. These cones are
// in {aᵀx ≥ b} and so do not hold c: the number remains. All facets ever made have aᵀc < b, or the
// point is not added.
//
// So nothing depends on how well the hull is found, nor on the rounding of normals: offsets are rounded down
// by slip, and tests against them err by less.

import (
	"context"
	"math"
	"slices"
)

// mostFacets is how many facets, or points, end the search for better ones.
const mostFacets = 1 << 11

// shell is a cycle of facets around a point.
type shell struct {
	points [][]float64 // of length p
	reach  []float64   // how far each may move
	still  bool        // points are taken not to move
	centre []float64
	slip   float64 // more than the rounding of aᵀz − r‖a‖, ‖a‖ ≤ 1 + 2^-40, or of a move by it
	facets []facet
}

// facet is {x: normalᵀx < offset}, and the simplex of its corners beyond.
type facet struct {
	corners []int // rising
	normal  []float64
	offset  float64
}

// newShell returns the shell of a simplex of p+1 points, still for now; nil if it is flat. Later they may
// move as far as reach. No point to come is farther than size from 0, moves included.
func newShell(simplex *Matrix, reach []float64, size float64) *shell {
	p := simplex.Cols
	h := &shell{reach: reach, still: true, centre: make([]float64, p), slip: 0x1p-46 * size}
	for j := range simplex.Rows {
		h.points = append(h.points, simplex.row(j))
		axpy(h.centre, 1/float64(p+1), simplex.row(j))
	}
	for j := range h.points {
		f, ok := h.facet(slices.Delete(indices(p+1), j, j+1))
		if !ok {
			return nil
		}
		h.facets = append(h.facets, f)
	}
	return h
}

// move adds points until 0 is inside all facets. Then 0 is the centre, and the points may move. It reports
// false if that fails. Where 0 is inside all facets before, the winding number about it is that about
// the centre, and moves do not change it.
func (h *shell) move(ctx context.Context, support func(a []float64) (z []float64, reach float64)) bool {
	for added := true; added; {
		moved, clear := &shell{
			points: h.points, reach: h.reach, centre: make([]float64, len(h.centre)), slip: h.slip,
		}, true
		added = false
		for _, f := range h.facets {
			g, ok := moved.facet(f.corners)
			if moved.facets = append(moved.facets, g); ok && f.offset > h.slip {
				continue
			}
			clear = false
			z, r := support(f.normal)
			if moved.beyond(&f, z, r) <= 0 || len(h.facets) > mostFacets || stopped(ctx) {
				return false
			}
			added = h.add(z, r) || added
		}
		if clear {
			*h = *moved
			return true
		}
	}
	return false
}

// facet returns the facet with the given corners. Its plane touches their balls where it can. It reports
// false if the centre is not clearly below it.
func (h *shell) facet(corners []int) (f facet, ok bool) {
	p, first := len(h.centre), corners[0]
	along := NewMatrix(p-1, p, nil) // an orthonormal basis of the differences of the corners
	tilt := make([]float64, p)      // in their span, with tiltᵀ(z_j − z_first) = r_j − r_first
	for i, j := range corners[1:] {
		q, rise := along.row(i), 0.0
		if !h.still {
			rise = h.reach[j] - h.reach[first]
		}
		copy(q, h.points[j])
		axpy(q, -1, h.points[first])
		rise -= dot(tilt, q)
		for range 2 {
			projectOutRows(q, along, i)
		}
		long := norm2(q)
		if !(long > h.slip) {
			return f, false
		}
		scale(q, 1/long)
		axpy(tilt, rise/long, q)
	}
	f = facet{corners, slices.Clone(h.points[first]), math.Inf(1)}
	axpy(f.normal, -1, h.centre)
	for range 2 {
		projectOutRows(f.normal, along, p-1)
	}
	long, rest := norm2(f.normal), 1-sumSquares(tilt)
	if !(long > h.slip && rest > 0) {
		return f, false
	}
	scale(f.normal, math.Sqrt(rest)/long)
	axpy(f.normal, 1, tilt)
	for _, j := range corners {
		f.offset = min(f.offset, h.beyond(&f, h.points[j], h.reach[j])-h.slip)
	}
	return f, dot(f.normal, h.centre) < f.offset-h.slip
}

// beyond returns aᵀz − r‖a‖, how far along the normal of f a point reaches for certain.
func (h *shell) beyond(f *facet, z []float64, r float64) float64 {
	if h.still {
		r = 0
	}
	return dot(f.normal, z) - r*norm2(f.normal)
}

// add adds a point and returns true. If it is not clearly beyond some facet, or if a new facet would be no
// good, it changes nothing and returns false.
func (h *shell) add(z []float64, r float64) bool {
	n := len(h.points)
	h.points, h.reach = append(h.points, z), append(h.reach, r)
	var ridges [][]int
	most := 0.0
	keep := make([]facet, 0, len(h.facets))
	for i := range h.facets {
		f := &h.facets[i]
		over := h.beyond(f, z, r) - f.offset
		most = max(most, over)
		if over < h.slip/2 {
			keep = append(keep, *f)
			continue
		}
		for j := range f.corners {
			ridges = append(ridges, slices.Delete(slices.Clone(f.corners), j, j+1))
		}
	}
	good := most > 4*h.slip && n < mostFacets // so that rounding does not go round in circles
	slices.SortFunc(ridges, slices.Compare[[]int])
	for i := 0; i < len(ridges) && good; {
		end := i + 1
		for end < len(ridges) && slices.Equal(ridges[end], ridges[i]) {
			end++
		}
		if (end-i)%2 == 1 {
			var f facet
			f, good = h.facet(append(ridges[i], n))
			keep = append(keep, f)
		}
		i = end
	}
	if good {
		h.facets = keep
	} else {
		h.points, h.reach = h.points[:n], h.reach[:n]
	}
	return good
}

// ellipsoid is {Lu + d: ‖u‖ ≤ 1}. l has the columns of the lower triangle of L, one after the other,
// then d.
type ellipsoid struct {
	p int
	v []float64
}

// volume returns log det L.
func (e *ellipsoid) volume() (log float64) {
	for c, i := 0, 0; c < e.p; c++ {
		log += math.Log(e.v[i])
		i += e.p - c
	}
	return log
}

// middle returns d.
func (e *ellipsoid) middle() []float64 { return e.v[len(e.v)-e.p:] }

// spread overwrites u with Lᵀa: the ellipsoid reaches up to aᵀd + ‖u‖.
func (e *ellipsoid) spread(u, a []float64) {
	for c, i := 0, 0; c < e.p; c++ {
		u[c] = dot(e.v[i:i+e.p-c], a[c:])
		i += e.p - c
	}
}

// fill returns the share by which the ellipsoid about its middle can grow inside the facets, rounded down.
func (h *shell) fill(e *ellipsoid) float64 {
	share, u := math.Inf(1), make([]float64, e.p)
	for i := range h.facets {
		f := &h.facets[i]
		e.spread(u, f.normal)
		share = min(share, (f.offset-dot(f.normal, e.middle())-h.slip)/norm2(u))
	}
	return share * (1 - 0x1p-44)
}

// inflate makes an ellipsoid strictly inside the facets nearly the largest there. It begins with facets that
// have less room than near, and takes in others that the result is not inside.
func (h *shell) inflate(ctx context.Context, e *ellipsoid, near, worth float64) {
	var tight, rest []facet
	u := make([]float64, e.p)
	for _, f := range h.facets {
		if e.room(&f, u) < near {
			tight = append(tight, f)
		} else {
			rest = append(rest, f)
		}
	}
	for start := slices.Clone(e.v); ; copy(e.v, start) {
		bounded := maximize(ctx, e, tight, worth)
		known, left := len(tight), rest[:0]
		for _, f := range rest {
			if bounded && e.room(&f, u) > 0 {
				left = append(left, f)
			} else {
				tight = append(tight, f)
			}
		}
		if rest = left; len(tight) == known {
			return
		}
	}
}

// room returns by what share of its distance the ellipsoid is off a facet. It overwrites u.
func (e *ellipsoid) room(f *facet, u []float64) float64 {
	s := f.offset - dot(f.normal, e.middle())
	e.spread(u, f.normal)
	return (s - norm2(u)) / math.Abs(s)
}

// maximize is Newton's method for the largest t·log det L + Σ log((b − aᵀd)² − ‖Lᵀa‖²) over
// the facets, concave where ‖Lᵀa‖ < b − aᵀd, with t rising (Nesterov & Nemirovskii 1994). It
// reports false if it fails, as where the facets bound nothing.
func maximize(ctx context.Context, e *ellipsoid, facets []facet, worth float64) bool {
	q := len(e.v)
	grad, hess, next := make([]float64, q), make([]float64, q*q), &ellipsoid{e.p, make([]float64, q)}
	for t := 16.0; t*worth <= 16; t *= 16 {
		value := e.barrier(facets, t, nil, nil)
		for range 50 {
			e.barrier(facets, t, grad, hess)
			step := slices.Clone(grad)
			if stopped(ctx) || !cholesky(hess, q) {
				return false
			}
			cholSolve(hess, q, step)
			decrement := dot(step, grad)
			share, better := 1.0, 0.0
			for ; share > 0x1p-30; share /= 2 {
				copy(next.v, e.v)
				axpy(next.v, share, step)
				if better = next.barrier(facets, t, nil, nil); better >= value+share*decrement/8 {
					break
				}
			}
			if !(better > value) {
				break
			}
			copy(e.v, next.v)
			value = better
			if decrement < 1e-2 {
				break
			}
		}
	}
	return true
}

// barrier returns the value that maximize raises, −Inf outside. If they are not nil it overwrites grad
// with the gradient and hess with minus the Hessian, on and below its diagonal.
func (e *ellipsoid) barrier(facets []facet, t float64, grad, hess []float64) (value float64) {
	p, q := e.p, len(e.v)
	clear(grad)
	clear(hess)
	for c, i := 0, 0; c < p; c++ {
		if !(e.v[i] > 0) {
			return math.Inf(-1)
		}
		value += t * math.Log(e.v[i])
		if grad != nil {
			grad[i] = t / e.v[i]
			hess[i*q+i] = t / (e.v[i] * e.v[i])
		}
		i += p - c
	}
	u, g := make([]float64, p), make([]float64, q)
	for i := range facets {
		f := &facets[i]
		e.spread(u, f.normal)
		s := f.offset - dot(f.normal, e.middle())
		w := s*s - sumSquares(u)
		if !(s > 0 && w > 0) {
			return math.Inf(-1)
		}
		value += math.Log(w)
		if grad == nil {
			continue
		}
		at := 0
		for c := range p + 1 {
			a, by, curve := f.normal, -2*s/w, -2/w // of the middle
			if c < p {
				a, by, curve = f.normal[c:], -2*u[c]/w, 2/w
			}
			for r, v := range a {
				g[at+r] = by * v
				axpy(hess[(at+r)*q+at:(at+r)*q+at+r+1], curve*v, a[:r+1])
			}
			at += len(a)
		}
		axpy(grad, 1, g)
		for r, v := range g {
			axpy(hess[r*q:r*q+r+1], v, g[:r+1])
		}
	}
	return value
}

// largestEllipsoid returns log det L of an ellipsoid inside the hull, nearly the largest there is; −Inf
// if none was found. support returns a point that may move by reach, with aᵀz − reach·‖a‖ as large
// as can be. It begins with a simplex of p+1 points, and adds points beyond the facets that bound the
// ellipsoid until there are none.
func (h *shell) largestEllipsoid(ctx context.Context,
	support func(a []float64) (z []float64, reach float64), accuracy float64) float64 {
	p := len(h.centre)
	e := &ellipsoid{p, make([]float64, p*(p+1)/2+p)}
	for c, i := 0, 0; c < p; c++ {
		e.v[i] = 1
		i += p - c
	}
	copy(e.middle(), h.centre)
	scale(e.v[:len(e.v)-p], h.fill(e)/2)
	u, worth := make([]float64, p), max(1e-3, accuracy)
	for near := 1.0; ; near = .4 {
		h.inflate(ctx, e, near, worth)
		added, known := false, len(h.facets)
		for _, f := range h.facets[:known:known] {
			if e.room(&f, u) > max(8*worth, 1e-6) {
				continue
			}
			z, r := support(f.normal)
			if h.beyond(&f, z, r)-f.offset > worth*(f.offset-dot(f.normal, e.middle())) {
				added = h.add(z, r) || added
			}
		}
		if len(h.facets) > mostFacets || stopped(ctx) || !added && worth == accuracy {
			break
		}
		if !added {
			worth = accuracy
		}
		scale(e.v[:len(e.v)-p], .9) // off the facets
	}
	share := h.fill(e)
	if !(share > 0 && norm2(e.middle())*0x1p-46 <= h.slip) {
		return math.Inf(-1)
	}
	return e.volume() + float64(p)*math.Log(share) - 0x1p-40
}

// A half-space around given directions: the unit vector v whose least cosine with them is largest, towards
// the point of their convex hull that is nearest to 0.

const (
	leastMargin = 0x1p-14    // the least cosine of a half-space; memberships in so wide a cone keep 38 bits
	marginShare = 1 - 0x1p-6 // how near the least cosine comes to the largest possible one
	mostCorral  = 1000       // steps of a search, at most; usual are some 3 to 5 a dimension
)

// halfSpace searches for the half-space (P. Wolfe, Finding the Nearest Point in a Polytope, 1976). It keeps a
// corral: few points, whose hull has the nearest point so far. A step adds the point whose cosine with it is
// least, and drops those no longer needed. The norm of the nearest point falls with every step; where it
// falls to 0 there is no half-space. Points may come in parts: the corral is what a part leaves.
type halfSpace struct {
	corral *Matrix   // unit rows
	axis   []float64 // v; nil before the first point
	norm   float64   // of the nearest point: no v has a larger least cosine
}

// directions are the rows w of a matrix but those of 0, and those for which skip(row, ‖w‖²) is true.
type directions struct {
	ctx     context.Context
	workers int
	w       *Matrix
	skip    func(i int, squares float64) bool
}

// none reports whether no half-space has the points so far.
func (h *halfSpace) none() bool { return h.axis != nil && h.norm < leastMargin }

// search adds points until the least cosine of v with them is near the largest. It returns that cosine, 1
// where there is no point; a search that has failed stays so.
func (h *halfSpace) search(r directions) (margin float64, err error) {
	for range mostCorral {
		if h.none() {
			return 0, nil
		}
		low, at, err := r.lowest(h.axis)
		if err != nil || at < 0 {
			return 1, err
		}
		if h.axis != nil && low >= marginShare*h.norm {
			return low, nil
		}
		if err := h.add(r.ctx, r.w.row(at)); err != nil {
			return 0, err
		}
	}
	low, _, err := r.lowest(h.axis)
	return low, err
}

// lowest returns the least cosine of a row with v, and the row: any without v, −1 where there is none.
func (r directions) lowest(v []float64) (low float64, at int, err error) {
	p := r.w.Cols
	over := chunking{r.w.Rows, p, manyChunks}
	count := chunks(over.n, over.l, over.most)
	lows, rows := make([]float64, count), make([]int, count)
	for c := range rows {
		lows[c], rows[c] = 2, -1
	}
	err = eachBlock(r.ctx, r.workers, over, 0, func(b block) {
		for i := b.lo; i < b.hi; i++ {
			w := r.w.row(i)
			squares := sumSquares(w)
			if squares < negligible*negligible || r.skip(i, squares) {
				continue
			}
			cosine := 1.0
			if v != nil {
				cosine = dot(v, w) / math.Sqrt(squares)
			}
			if cosine < lows[b.chunk] {
				lows[b.chunk], rows[b.chunk] = cosine, i
			}
		}
	})
	low, at = 2, -1
	for c, v := range lows {
		if v < low {
			low, at = v, rows[c]
		}
	}
	return low, at, err
}

// add takes a point into the corral and finds the nearest point of the hull, as a mixture.
func (h *halfSpace) add(ctx context.Context, w []float64) error {
	p := len(w)
	if h.corral == nil {
		h.corral = NewMatrix(0, p, nil)
	}
	corral := NewMatrix(h.corral.Rows+1, p, slices.Concat(h.corral.Data, w))
	last := corral.row(h.corral.Rows)
	scale(last, 1/norm2(last))
	g := NewMatrix(1, corral.Rows, nil)
	if err := newSimplexProblem(corral, SumToOne).solve(ctx, g, NewMatrix(1, p, nil), 1); err != nil {
		return err
	}
	h.axis = make([]float64, p)
	var used []int
	for j, v := range g.row(0) {
		if v > 0 {
			used = append(used, j)
			axpy(h.axis, v, corral.row(j))
		}
	}
	h.corral = chosenRows(corral, used)
	if h.norm = norm2(h.axis); h.norm > 0 {
		scale(h.axis, 1/h.norm)
	}
	return nil
}

// reflection is the orthogonal map that takes a unit vector v to the first axis: the
// reflection I − 2aaᵀ/aᵀa with a = v ± e, and a change of the first sign.
type reflection struct {
	a    []float64
	sign float64 // of the first coordinate, after the reflection
}

func reflectionOf(v []float64) reflection {
	r := reflection{a: slices.Clone(v), sign: -1}
	if v[0] < 0 {
		r.sign = 1
	}
	r.a[0] -= r.sign // away from 0, so that nothing cancels
	return r
}

// row maps a row.
func (r reflection) row(w []float64) {
	axpy(w, -2*dot(r.a, w)/sumSquares(r.a), r.a)
	w[0] *= r.sign
}
