package proof

// The largest ellipsoid inside the convex hull of points that may move, for the least volume of simplices.
//
// Point j begins at z_j, and may move to any place within the distance r_j of z_j. A shell is a list of
// simplices of p corners in p dimensions, its facets. Each has a normal a and an offset b with aᵀz_j − r_j‖a‖
// ≥ b for its own corners j. So wherever the points go, the facet stays in {aᵀx ≥ b}. Facets need not be
// facets of the hull.
//
// Theorem. Let the facets be a cycle modulo 2: every set of p−1 corners is in an even number of them.
// Let K = {x: aᵀx < b for all facets} hold a point c about which the cycle's winding number modulo 2
// is odd. Then K is inside the convex hull of the points, wherever they go.
//
// Proof. K is convex, holds c, and meets no facet while the points move on lines to where they go. So the
// winding number of the moved cycle is odd about each x in K. About a point outside of the hull it is even: a
// ray away from the hull meets no facet. ∎
//
// The cycle begins as the boundary of a simplex with c as its centroid. With aᵀc < b for its facets it is not
// flat, as a flat simplex is the union of its facets; then the number is 1. A further point z is added with a
// set V of facets that have aᵀz − r‖a‖ ≥ b. These facets leave the cycle. Each ridge that belongs to an odd
// number of facets in V forms a new facet with z. So the boundary of the cones from z over V is added to the
// cycle. These cones are in {aᵀx ≥ b} and so do not hold c: the number remains. All facets ever made have aᵀc
// < b, or the point is not added.
//
// So the theorem holds even if the facets are not the facets of the hull, and normals are rounded: slip is
// subtracted from every offset, and the rounding error of a test against an offset is smaller than slip.

import (
	"context"
	"math"
	"slices"

	"softkmeans"
	"softkmeans/internal/la"
)

// mostFacets is the number of facets, and also of points, from which on no more points are added.
const mostFacets = 1 << 11

// shell is a cycle of facets around a point.
type shell struct {
	points [][]float64 // of length p
	reach  []float64   // how far each may move
	still  bool        // points are taken not to move
	centre []float64
	slip   float64 // exceeds the rounding error of aᵀz − r‖a‖ for ‖a‖ ≤ 1 + 2^-40
	facets []facet
}

// support is a function that returns, for a direction a, a point z and the distance r by which z may move,
// such that aᵀz − r‖a‖ is as large as possible.
type support func(a []float64) (z []float64, reach float64)

// facet is {x: normalᵀx < offset}, and the simplex of its corners beyond.
type facet struct {
	corners []int // ascending
	normal  []float64
	offset  float64
}

// newShell returns the shell of a simplex of p+1 points, or nil if the simplex is flat. At first the points
// count as fixed; after a call of move, point j may move by reach[j]. All points, also those added later,
// must be at most size from 0 wherever they move.
func newShell(simplex *softkmeans.Matrix, reach []float64, size float64) *shell {
	p := simplex.Cols
	h := &shell{reach: reach, still: true, centre: make([]float64, p), slip: 0x1p-46 * size}
	for j := range simplex.Rows {
		h.points = append(h.points, simplex.Row(j))
		la.Axpy(h.centre, 1/float64(p+1), simplex.Row(j))
	}
	for j := range h.points {
		f, ok := h.facet(slices.Delete(la.Indices(p+1), j, j+1))
		if !ok {
			return nil
		}
		h.facets = append(h.facets, f)
	}
	return h
}

// move adds points until 0 is inside all facets. Then 0 is the centre, and the points may move. It reports
// false if that fails. If 0 is inside all facets while the points are fixed, the winding number about 0
// equals the number about the centre, and does not change when the points move.
func (h *shell) move(ctx context.Context, farthest support) bool {
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
			z, r := farthest(f.normal)
			if moved.beyond(&f, z, r) <= 0 || len(h.facets) > mostFacets || ctx.Err() != nil {
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

// facet returns the facet with the given corners. Its plane touches the balls in which the corners may move,
// if there is such a plane. ok is false if there is none, or if the centre is not clearly inside the facet.
func (h *shell) facet(corners []int) (f facet, ok bool) {
	p, first := len(h.centre), corners[0]
	along := softkmeans.NewMatrix(p-1, p, nil) // an orthonormal basis of the differences of the corners
	tilt := make([]float64, p)                 // in their span, with tiltᵀ(z_j − z_first) = r_j − r_first
	for i, j := range corners[1:] {
		q, rise := along.Row(i), 0.0
		if !h.still {
			rise = h.reach[j] - h.reach[first]
		}
		copy(q, h.points[j])
		la.Axpy(q, -1, h.points[first])
		rise -= la.Dot(tilt, q)
		projectOut(q, along, i)
		long := la.Norm(q)
		if !(long > h.slip) {
			return f, false
		}
		la.Scale(1/long, q)
		la.Axpy(tilt, rise/long, q)
	}
	f = facet{corners: corners, normal: slices.Clone(h.points[first]), offset: math.Inf(1)}
	la.Axpy(f.normal, -1, h.centre)
	projectOut(f.normal, along, p-1)
	long, rest := la.Norm(f.normal), 1-la.SumSquares(tilt)
	if !(long > h.slip && rest > 0) {
		return f, false
	}
	la.Scale(math.Sqrt(rest)/long, f.normal)
	la.Axpy(f.normal, 1, tilt)
	for _, j := range corners {
		f.offset = min(f.offset, h.beyond(&f, h.points[j], h.reach[j])-h.slip)
	}
	return f, la.Dot(f.normal, h.centre) < f.offset-h.slip
}

// beyond returns aᵀz − r‖a‖, how far along the normal of f a point reaches for certain.
func (h *shell) beyond(f *facet, z []float64, r float64) float64 {
	if h.still {
		r = 0
	}
	return la.Dot(f.normal, z) - r*la.Norm(f.normal)
}

// add adds a point and returns true. If the point is not clearly beyond some facet, or if the centre would
// not be inside a new facet, add changes nothing and returns false.
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
	// so that rounding cannot make facets replace each other for ever.
	good := most > 4*h.slip && n < mostFacets
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
