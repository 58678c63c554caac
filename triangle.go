package softkmeans

// The smallest triangle around points of the plane.

import (
	"math"
	"slices"
)

// point is a point of the plane.
type point [2]float64

// turn is the doubled area of the triangle abc, above 0 where it turns left. What rounding
// may have made of 0 counts as 0: the error of the difference is at most (3+16u)u times the
// sum of the sizes of its two products (Shewchuk, Adaptive Precision Floating-Point
// Arithmetic, 1997).
func turn(a, b, c point) float64 {
	left := float64((b[0] - a[0]) * (c[1] - a[1]))
	right := float64((b[1] - a[1]) * (c[0] - a[0]))
	if det := left - right; math.Abs(det) > 0x1p-51*(math.Abs(left)+math.Abs(right)) {
		return det
	}
	return 0
}

// convexHull returns the corners of the convex hull, counterclockwise, by Andrew's chains
// (1979). It sorts the points. Every corner turns left for certain. Points that are only
// a rounding error outside may be missing, so the polygon is never larger than the hull.
// Fewer than three corners are a point or an interval.
func convexHull(points []point) []point {
	slices.SortFunc(points, func(a, b point) int { return slices.Compare(a[:], b[:]) })
	points = slices.Compact(points)
	n := len(points)
	if n < 3 {
		return slices.Clone(points)
	}
	hull := make([]point, 0, 16)
	add := func(p point, first int) {
		for len(hull) >= first+2 && turn(hull[len(hull)-2], hull[len(hull)-1], p) <= 0 {
			hull = hull[:len(hull)-1]
		}
		hull = append(hull, p)
	}
	for _, p := range points {
		add(p, 0)
	}
	lower := len(hull) - 1
	for i := n - 2; i >= 0; i-- {
		add(points[i], lower)
	}
	hull = hull[:len(hull)-1]                         // the first point is also the last
	for i := 0; i < len(hull) && len(hull) > 2; i++ { // where the chains meet, rounding may leave one
		if m := len(hull); turn(hull[(i+m-1)%m], hull[i], hull[(i+1)%m]) <= 0 {
			hull, i = slices.Delete(hull, i, i+1), -1
		}
	}
	return hull
}

// smallestTriangle returns the triangle of least area around a convex polygon,
// counterclockwise, and its area. hull has three corners or more, counterclockwise.
//
// One of its sides lies along an edge of the polygon (Klee & Laskowski, Finding the
// smallest triangles containing a given convex polygon, 1985; O'Rourke, Aggarwal, Maddila
// & Baldwin, An optimal algorithm for finding minimal enclosing triangles, 1986). For a
// given base there is a shorter way than theirs. Let W(y) be the width of the polygon at
// the height y. The other two sides of a triangle are lines, so its width is linear in y;
// let it be b at the base and 0 at the height H. Conversely every linear width that is at
// least W is that of an enclosing triangle: its left side must be a line between the
// concave right side of the polygon less the width, and the polygon's convex left side.
// Its area is bH/2. A line over the point (y, W(y)) has bH ≥ 4yW(y), with equality where
// that point is its middle. So the area is at least 2·max yW(y). It is reached by the
// tangent of the hyperbola yW = const at the maximum, which leaves the convex region below
// W on one side. The middle of each side then touches the polygon.
//
// Cost: O(h²) for h corners.
func smallestTriangle(hull []point) (corners [3]point, area float64) {
	area = math.Inf(1)
	var best silhouette
	for i := range hull {
		p := silhouetteOver(hull, i)
		if y, w := p.widest(); 2*y*w < area {
			area, best = 2*y*w, p
			best.y, best.w = y, w
		}
	}
	return best.triangle(), area
}

// silhouette is a convex polygon above one of its edges.
type silhouette struct {
	origin, along point // the edge's start and its direction, of length 1
	// The sides from the base to the top, as (height, distance along the base): the
	// left one convex in the height, the right one concave.
	left, right []point
	y, w        float64 // a height and the width there
}

// silhouetteOver returns the silhouette over the edge from corner i to the next one.
func silhouetteOver(hull []point, i int) silhouette {
	n := len(hull)
	a, b := hull[i], hull[(i+1)%n]
	dx, dy := b[0]-a[0], b[1]-a[1]
	long := math.Sqrt(dx*dx + dy*dy)
	p := silhouette{origin: a, along: point{dx / long, dy / long}}
	at := func(j int) point {
		x, y := hull[j%n][0]-a[0], hull[j%n][1]-a[1]
		return point{max(0, y*p.along[0]-x*p.along[1]), x*p.along[0] + y*p.along[1]}
	}
	// Heights rise and then fall: the right side is b and what follows up to the top.
	p.right = append(p.right, point{0, at(i + 1)[1]})
	top := i + 1
	for q := at(top + 1); top+1 < i+n && q[0] > p.right[len(p.right)-1][0]; q = at(top + 1) {
		p.right = append(p.right, q)
		top++
	}
	p.left = append(p.left, point{0, 0})
	for j := i + n - 1; j >= top; j-- {
		if q := at(j); q[0] > p.left[len(p.left)-1][0] {
			p.left = append(p.left, q)
		}
	}
	return p
}

// sideAt returns the distance along the base of a side at the height y.
func sideAt(side []point, y float64) float64 {
	for i, q := range side {
		if q[0] >= y {
			if i == 0 || q[0] == y {
				return q[1]
			}
			from := side[i-1]
			return from[1] + (y-from[0])/(q[0]-from[0])*(q[1]-from[1])
		}
	}
	return side[len(side)-1][1]
}

// width is W(y).
func (p *silhouette) width(y float64) float64 {
	return max(0, sideAt(p.right, y)-sideAt(p.left, y))
}

// widest returns the height of the largest yW(y), and the width there. Between two corners
// W is linear, and yW a parabola.
func (p *silhouette) widest() (y, w float64) {
	try := func(at float64) {
		if v := p.width(at); at*v > y*w {
			y, w = at, v
		}
	}
	heights := make([]float64, 0, len(p.left)+len(p.right))
	for _, side := range [][]point{p.left, p.right} {
		for _, q := range side {
			heights = append(heights, q[0])
		}
	}
	slices.Sort(heights)
	for i, high := range heights {
		try(high)
		if i == 0 || heights[i-1] == high {
			continue
		}
		low := heights[i-1]
		from, to := p.width(low), p.width(high)
		if fall := (from - to) / (high - low); fall > 0 { // W = from − fall·(y−low)
			try(min(max((from/fall+low)/2, low), high))
		}
	}
	return y, w
}

// triangle returns the triangle whose sides have their middles at the height y.
func (p *silhouette) triangle() [3]point {
	// The left side passes through the polygon's at y. The right side is at the width from
	// it, which falls by fall for each unit of height. Each corner bounds the slope of the
	// left side from above or from below. Corners as high as y but for rounding do not.
	l, r, fall := sideAt(p.left, p.y), sideAt(p.right, p.y), p.w/p.y
	low, high := math.Inf(-1), math.Inf(1)
	bound := func(dy, dx float64, above bool) {
		switch {
		case math.Abs(dy) <= 0x1p-46*p.y:
		case above == (dy > 0):
			high = min(high, dx/dy)
		default:
			low = max(low, dx/dy)
		}
	}
	for _, q := range p.left {
		bound(q[0]-p.y, q[1]-l, true)
	}
	for _, q := range p.right {
		bound(q[0]-p.y, q[1]-r+fall*(q[0]-p.y), false)
	}
	slope := (low + high) / 2 // the base bounds it on both sides
	place := func(y, x float64) point {
		return point{p.origin[0] + x*p.along[0] - y*p.along[1], p.origin[1] + x*p.along[1] + y*p.along[0]}
	}
	start := l - slope*p.y
	return [3]point{place(0, start), place(0, start+2*p.w), place(2*p.y, l+slope*p.y)}
}
