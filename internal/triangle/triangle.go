// Package triangle finds the smallest triangle around points of the plane.
package triangle

import (
	"cmp"
	"context"
	"math"
	"slices"

	"softkmeans"
)

// Point is a point of the plane.
type Point [2]float64

// Smallest returns the triangle of least area around the points in the rows of w (n×2), counterclockwise, and
// its area: 0 if they lie on a line to within rounding, +Inf if ctx ends. Cost: O(n log n).
func Smallest(ctx context.Context, w *softkmeans.Matrix) (corners [3]Point, area float64) {
	points := make([]Point, w.Rows)
	for i := range points {
		points[i] = Point(w.Row(i))
	}
	hull := convexHull(points)
	if len(hull) < 3 {
		return corners, 0
	}
	size := 0.0
	for _, p := range hull {
		size = max(size, math.Abs(p[0]), math.Abs(p[1]))
	}
	if corners, area = around(ctx, hull); !(area > 0x1p-46*size*size) {
		return corners, 0
	}
	return corners, area
}

// turn returns the doubled area of the triangle abc, above 0 where it turns left. Rounding counts as 0: the
// difference is off by at most (3+16u)u times the sizes of its two products (Shewchuk, Adaptive Precision
// Floating-Point Arithmetic, 1997).
func turn(a, b, c Point) float64 {
	left := float64((b[0] - a[0]) * (c[1] - a[1]))
	right := float64((b[1] - a[1]) * (c[0] - a[0]))
	if det := left - right; math.Abs(det) > 0x1p-51*(math.Abs(left)+math.Abs(right)) {
		return det
	}
	return 0
}

// convexHull returns the corners of the convex hull, counterclockwise, by Andrew's chains (1979). It sorts
// the points. Every corner turns left for certain; points a rounding error outside may be missing, so the
// polygon is never larger than the hull. Fewer than three corners are a point or an interval.
func convexHull(points []Point) []Point {
	slices.SortFunc(points, func(a, b Point) int {
		if c := cmp.Compare(a[0], b[0]); c != 0 {
			return c
		}
		return cmp.Compare(a[1], b[1])
	})
	points = slices.Compact(points)
	n := len(points)
	if n < 3 {
		return slices.Clone(points)
	}
	hull := make([]Point, 0, 16)
	add := func(p Point, first int) {
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

// around returns the triangle of least area around a convex polygon, counterclockwise, and its area. hull has
// three corners or more, counterclockwise. If ctx ends the area is +Inf.
//
// One of its sides lies along an edge of the polygon (Klee & Laskowski, Finding the smallest triangles
// containing a given convex polygon, 1985; O'Rourke, Aggarwal, Maddila & Baldwin, An optimal algorithm for
// finding minimal enclosing triangles, 1986). For a given base there is a shorter way than theirs. Let W(y)
// be the width of the polygon at the height y. A triangle's width is linear in y: b at the base, 0 at the
// height H. Conversely every linear width of at least W is that of an enclosing triangle: its left side is a
// line between the concave right side of the polygon less the width, and the convex left side. Its area is
// bH/2. A line over (y, W(y)) has bH ≥ 4yW(y), with equality where that point is its middle. So the area is
// at least 2·max yW(y), which the tangent of the hyperbola yW = const at the maximum reaches, since it
// leaves the convex region below W on one side. The middle of each side then touches the polygon.
//
// W is concave, so the slope of yW, W + yW', changes its sign once. A search for that begins where the one
// for the base before ended. Cost: O(h·log²h) for h corners, and near O(h) where they are even.
func around(ctx context.Context, hull []Point) (corners [3]Point, area float64) {
	area = math.Inf(1)
	p := silhouette{hull: hull}
	best := p
	for ; p.i < len(hull) && !(p.i%1024 == 0 && ctx.Err() != nil); p.i++ {
		p.turn()
		if p.widest(); 2*p.y*p.w < area {
			area, best = 2*p.y*p.w, p
		}
	}
	return best.triangle(), area
}

// silhouette is a convex polygon above one of its edges, from corner i to the next. Numbers of corners go on
// past the last. The right side rises from i+1 to top, the left one falls from there to i+len(hull).
type silhouette struct {
	hull    []Point
	i, top  int
	along   Point   // the direction of the edge, of length 1
	r, l    int     // the corners that end the edges around y: the upper one right, the lower one left
	y, x, w float64 // a height, the distance of the left side along the edge there, and the width
}

// turn sets along and top. It assumes that top is not past it: that of an edge before.
func (p *silhouette) turn() {
	a, b := p.hull[p.i], p.hull[(p.i+1)%len(p.hull)]
	x, y := b[0]-a[0], b[1]-a[1]
	long := math.Hypot(x, y)
	p.along, p.top = Point{x / long, y / long}, max(p.top, p.i+2)
	for p.top+1 < p.i+len(p.hull) && p.from(p.top, p.top+1)[0] > 0 {
		p.top++
	}
}

// from returns how much higher corner b is than corner a, and how much farther along the base.
func (p *silhouette) from(a, b int) Point {
	s, t := p.hull[a%len(p.hull)], p.hull[b%len(p.hull)]
	x, y := t[0]-s[0], t[1]-s[1]
	return Point{y*p.along[0] - x*p.along[1], x*p.along[0] + y*p.along[1]}
}

// side is an edge of the silhouette's sides.
type side struct {
	low, high Point // its ends, as (height, distance)
	rise      Point // high − low, with less rounding
}

func (p *silhouette) side(low, high int) side {
	return side{p.from(p.i, low), p.from(p.i, high), p.from(low, high)}
}

// slope returns the change of the distance with the height, infinite for an edge along the base.
func (s side) slope() float64 { return s.rise[1] / max(s.rise[0], 0) }

// at returns the distance at the height y, that of an end beyond it, and of the low one if the edge is level.
func (s side) at(y float64) float64 {
	if y <= s.low[0] || s.high[0] <= s.low[0] {
		return s.low[1]
	}
	return s.low[1] + min((y-s.low[0])/(s.high[0]-s.low[0]), 1)*(s.high[1]-s.low[1])
}

// rises reports whether yW(y) rises at y, between these edges.
func rises(y float64, left, right side) bool {
	return y <= 0 || right.at(y)-left.at(y)+y*(right.slope()-left.slope()) > 0
}

// searchNear returns the first of the numbers from lo to hi−1 with yes, which those after it have too, or
// hi. It begins at a guess, with steps that double.
func searchNear(lo, hi, guess int, yes func(int) bool) int {
	for step := 1; lo < hi; step *= 2 {
		at := guess
		if at < lo || at >= hi {
			at = (lo + hi) / 2
		}
		if yes(at) {
			hi, guess = at, at-step
		} else {
			lo, guess = at+1, at+step
		}
	}
	return lo
}

// widest sets y to the height of the largest yW(y), and x and w to what is there. It looks for the edges
// around that height. Between their ends W is linear, and yW a parabola.
func (p *silhouette) widest() {
	end, l := p.i+len(p.hull), p.l
	p.r = searchNear(p.i+2, p.top, p.r, func(r int) bool {
		right := p.side(r, r+1)
		y := right.low[0]
		l = searchNear(p.top+1, end, l, func(l int) bool { return p.from(p.i, l)[0] <= y })
		return !rises(y, p.side(l, l-1), right)
	})
	right := p.side(p.r-1, p.r)
	p.l = searchNear(p.top+1, end, l, func(l int) bool {
		left := p.side(l, l-1)
		y := left.low[0]
		return y < right.low[0] || y < right.high[0] && rises(y, left, right)
	})
	left := p.side(p.l, p.l-1)
	low, high := max(left.low[0], right.low[0]), min(left.high[0], right.high[0])
	p.y = high
	from, to := right.at(low)-left.at(low), right.at(high)-left.at(high)
	if from > to { // W is 0 at low + from·(high−low)/(from−to)
		p.y = min(max(low+from*((high-low)/(from-to)), 2*low)/2, high)
	}
	p.x = left.at(p.y)
	p.w = max(0, right.at(p.y)-p.x)
}

// triangle returns the triangle whose sides have their middles at the height y.
func (p *silhouette) triangle() [3]Point {
	// The left side passes through the polygon's at y, and the right side is at the width from it, which
	// falls by fall for each unit of height. Each corner bounds the slope of the left side, but for rounding.
	fall, low, high := p.w/p.y, math.Inf(-1), math.Inf(1)
	bound := func(dy, dx, off float64) {
		if dy > 0 {
			high = min(high, (dx+off)/dy)
		} else if dy < 0 {
			low = max(low, (dx+off)/dy)
		}
	}
	for j := p.i + 1; j <= p.i+len(p.hull); j++ {
		q := p.from(p.i, j)
		dy, off := q[0]-p.y, 0x1p-50*(math.Abs(q[1])+math.Abs(p.x)+p.w)
		if j <= p.top {
			bound(-dy, p.x+p.w-fall*dy-q[1], off)
		}
		if j >= p.top {
			bound(dy, q[1]-p.x, off)
		}
	}
	slope := (low + high) / 2 // the base bounds it on both sides
	place := func(y, x float64) Point {
		a := p.hull[p.i]
		return Point{a[0] + x*p.along[0] - y*p.along[1], a[1] + x*p.along[1] + y*p.along[0]}
	}
	start := p.x - slope*p.y
	return [3]Point{place(0, start), place(0, start+2*p.w), place(2*p.y, p.x+slope*p.y)}
}
