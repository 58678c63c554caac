package softkmeans

// Regular simplices, simplices that enclose the data, the smallest triangle around points, and volumes.

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// RegularSimplex returns the vertices of a regular simplex around the origin, the rows of a
// k×(k−1) matrix B with BᵀB = I, 1ᵀB = 0 and BBᵀ = I − 11ᵀ/k. Cost: O(k²). It panics if k < 1.
//
// Its columns are the Helmert contrasts, the "EVs of H_k" of the paper's Algorithm 1, line 3: column j
// (from 0) is 1/√((j+1)(j+2)) in rows 0…j, −(j+1)/√((j+1)(j+2)) in row j+1, and 0 below.
func RegularSimplex(k int) *Matrix {
	if k < 1 {
		panic("softkmeans: RegularSimplex of " + strconv.Itoa(k) + " vertices")
	}
	b := NewMatrix(k, k-1, nil)
	for i := range k {
		row := b.row(i)
		for j := range row {
			row[j] = helmert(i, j)
		}
	}
	return b
}

// helmert returns entry (i, j) of B.
func helmert(i, j int) float64 {
	f := float64(j + 1)
	switch {
	case i <= j:
		return 1 / math.Sqrt(f*(f+1))
	case i == j+1:
		return -f / math.Sqrt(f*(f+1))
	}
	return 0
}

// RandomOrientation returns a random (k−1)×(k−1) orthogonal matrix, the same for the same
// seed. As [Options].Orientation each gives another global optimum. Cost: O(k³).
func RandomOrientation(k int, seed uint64) *Matrix {
	if k < 1 {
		panic("softkmeans: RandomOrientation for " + strconv.Itoa(k) + " centers")
	}
	q := NewMatrix(k-1, k-1, nil)
	rng := rand.New(rand.NewPCG(seed, 0x0412e7))
	for i := range q.Data {
		q.Data[i] = 2*rng.Float64() - 1
	}
	orthonormalize(context.Background(), q, 0)
	return q
}

// Enclosure is the rule by which Fit places its simplex around the data. All
// rules reach the same, global, minimum of the objective.
type Enclosure int

const (
	// EnclosureBall is the paper's (Algorithm 1, lines 4–6): the regular simplex around the smallest ball
	// about the mean that holds the projected data. No row of positive weight has a membership above 2/k.
	EnclosureBall Enclosure = iota
	// EnclosureTight is the smallest regular simplex of the same orientation: each facet touches the data.
	// Its prototypes are nearer to the data and its memberships farther from 1/k.
	//
	// Where the data has fewer than k−1 dimensions and there is no
	// Orientation, which is not read where min(n, d) < k−1, it has as many. The other centers repeat its
	// vertices, and share their memberships.
	EnclosureTight
	// EnclosureSmallest is a simplex of small volume. For k up to 3 it is the least: the interval of the
	// projected rows, or the smallest triangle around them. For larger k it is the smallest at which
	// descents from several starts end. Where σ_{k−1} > σ_k no optimum has a smaller interval or
	// triangle. For larger k proof.VolumeRatio bounds how much smaller another may be. Orientation is
	// not read. Fit alone has it, since it needs the corners of the data.
	//
	// There are 32·(6/k)⁴ descents, but one at least. Each costs some ten passes of O(nk²). All have 2^30
	// multiplications beside, and end early with those spent. Beyond k = 64 there are none, and the simplex
	// is tight. With the build tag gramonly k above 3 is an [ErrOption].
	EnclosureSmallest
	enclosureCount // a new enclosure stands before it
)

// String returns "ball", "tight" or "smallest".
func (e Enclosure) String() string { return nameOf("Enclosure", int(e), "ball", "tight", "smallest") }

// enclosure is a regular simplex in the coordinates of the projected data. Its inward facet normals are unit
// vectors u_j with Σu_j = 0, its vertices t + (k−1)ρ·u_j for the inradius ρ and the centre t. A point w
// has barycentric coordinates 1/k + u_jᵀ(w − t)/(kρ).
type enclosure struct {
	normals *Matrix   // k×p: the u_j; k×(k−1) ones cut to the p coordinates that the data has
	centre  []float64 // p
	radius  float64   // ρ; 0 if all points are one
}

// normalsOf returns the u_j for an orientation q, cut to p ≤ k−1 coordinates: rows of B·q,
// scaled to length 1 before the cut. With q nil they are rows of B.
func normalsOf(k, p int, q *Matrix) *Matrix {
	u := NewMatrix(k, p, nil)
	long := math.Sqrt(float64(k) / float64(max(k-1, 1)))
	for j := range k {
		row := u.row(j)
		if q == nil { // without all of B: k may be far above p
			for c := range row {
				row[c] = helmert(j, c)
			}
		} else {
			for l := range k - 1 {
				axpy(row, helmert(j, l), q.row(l)[:p])
			}
		}
		scale(row, long)
	}
	return u
}

// extent says how far a set of points w reaches.
type extent struct {
	radius float64   // the largest length
	facets []float64 // for each u_j the largest −u_jᵀw
	// squares is the weighted sum of the squared lengths, of samples.project alone.
	squares fineSum
}

// extentOf returns the extent of the rows of w.
func extentOf(w, normals *Matrix, kind Enclosure) *extent {
	e := &extent{facets: make([]float64, normals.Rows)}
	for i := range w.Rows {
		e.add(w.row(i), normals, kind)
	}
	return e
}

// add adds a point, and returns its squared length. A ball needs the radius only.
func (e *extent) add(w []float64, normals *Matrix, kind Enclosure) (squares float64) {
	squares = sumSquares(w)
	if r := math.Sqrt(squares); r > e.radius { // faster than max
		e.radius = r
	}
	if kind != EnclosureBall {
		for j := range e.facets {
			e.facets[j] = max(e.facets[j], -dot(normals.row(j), w))
		}
	}
	return squares
}

// merge adds another set of points.
func (e *extent) merge(f *extent) {
	e.radius = max(e.radius, f.radius)
	e.squares.merge(f.squares)
	for j, v := range f.facets {
		e.facets[j] = max(e.facets[j], v)
	}
}

// enclose returns the simplex of the given kind around points of the given extent.
func enclose(kind Enclosure, normals *Matrix, ext *extent) *enclosure {
	k, p := normals.Rows, normals.Cols
	e := &enclosure{normals: normals, centre: make([]float64, p), radius: ext.radius}
	if kind == EnclosureBall || k == 1 {
		return e
	}
	// t = −((k−1)/k)Σh_j u_j. With all k−1 coordinates every facet then is ρ = Σh_j/k away. With
	// fewer the farthest facet decides, and the ball's centre is taken if it is better.
	for j, h := range ext.facets {
		axpy(e.centre, -h*float64(k-1)/float64(k), normals.row(j))
	}
	var off, plain float64
	for j, h := range ext.facets {
		off = max(off, h+dot(normals.row(j), e.centre))
		plain = max(plain, h)
	}
	if plain <= off {
		clear(e.centre)
		off = plain
	}
	e.radius = off
	return e
}

// flatten returns the smallest regular simplex of q < k−1 dimensions around points that have no more, with
// its vertices repeated. Of the normals' first q coordinates, rows 0 to q are the Helmert contrasts of q+1
// vertices, but for their length.
func flatten(normals *Matrix, ext *extent, q int) *placement {
	k := normals.Rows
	long := math.Sqrt(float64(q) / float64(q+1) * float64(k) / float64(k-1)) // of a cut row
	low := &extent{facets: make([]float64, q+1)}
	for j := range low.facets {
		if q > 0 {
			low.facets[j] = ext.facets[j] / long
		}
	}
	return enclose(EnclosureTight, normalsOf(q+1, q, nil), low).placement().repeated(k, normals.Cols)
}

// placement is a simplex in the coordinates of the projected data.
type placement struct {
	vertices    *Matrix // k×p
	coordinates *barycentric
	regular     *enclosure // with these vertices, or each of them once; nil where not regular
	inside      *extent    // of placeSimplex: that of the points inside
}

// placement returns the enclosure's vertices and coordinates.
func (e *enclosure) placement() *placement {
	k, p := e.normals.Rows, e.normals.Cols
	v := NewMatrix(k, p, nil)
	for j := range k {
		for c, u := range e.normals.row(j) {
			v.row(j)[c] = e.centre[c] + float64(k-1)*e.radius*u
		}
	}
	return &placement{vertices: v, coordinates: e.coordinates(), regular: e}
}

// repeated returns a placement of k vertices in p coordinates, which repeat those of a. Copies share the
// coordinate, as the shortest memberships do.
func (a *placement) repeated(k, p int) *placement {
	m, q := a.vertices.Rows, a.vertices.Cols
	old := a.coordinates
	to := &barycentric{at: make([]float64, k), slope: NewMatrix(p, k, nil), radius: old.radius}
	vertices := NewMatrix(k, p, nil)
	for j := range k {
		from := j % m
		share := 1 / float64((k-from+m-1)/m)
		copy(vertices.row(j), a.vertices.row(from))
		to.at[j] = share * old.at[from]
		for c := range q {
			to.slope.row(c)[j] = share * old.slope.row(c)[from]
		}
	}
	return &placement{vertices: vertices, coordinates: to, regular: a.regular}
}

// placementOf returns the triangle with the given corners.
func placementOf(corners [3]point) *placement {
	v := NewMatrix(3, 2, nil)
	to := &barycentric{at: make([]float64, 3), slope: NewMatrix(2, 3, nil), radius: 1}
	for j := range corners {
		// The coordinate of corner j is the share of the triangle that w has with the others.
		a, b, c := corners[j], corners[(j+1)%3], corners[(j+2)%3]
		copy(v.row(j), a[:])
		dx, dy := c[0]-b[0], c[1]-b[1]
		area := dx*(a[1]-b[1]) - dy*(a[0]-b[0])
		to.slope.row(0)[j], to.slope.row(1)[j] = -dy/area, dx/area
		to.at[j] = (dy*b[0] - dx*b[1]) / area
	}
	return &placement{vertices: v, coordinates: to}
}

// barycentric maps points to their barycentric coordinates in a simplex.
type barycentric struct {
	at     []float64 // the coordinates of 0
	slope  *Matrix   // p×k: their slopes along each axis, for a radius of 1
	radius float64
}

// coordinates returns the map to the enclosure's coordinates.
func (e *enclosure) coordinates() *barycentric {
	k, p := e.normals.Rows, e.normals.Cols
	b := &barycentric{at: make([]float64, k), slope: NewMatrix(p, k, nil), radius: e.radius}
	for j := range k {
		b.at[j] = 1 / float64(k)
		for c, u := range e.normals.row(j) {
			b.slope.row(c)[j] = u / float64(k)
		}
		if e.radius > 0 {
			b.at[j] -= dot(e.normals.row(j), e.centre) / e.radius / float64(k)
		}
	}
	return b
}

// of overwrites g (length k) with the coordinates of the point w: at least 0, adding up to 1.
func (b *barycentric) of(g, w []float64) {
	copy(g, b.at)
	if b.radius == 0 {
		return
	}
	c := 0
	for ; c+2 <= len(w); c += 2 {
		u, v := b.slope.row(c)[:len(g)], b.slope.row(c + 1)[:len(g)]
		x, y := w[c]/b.radius, w[c+1]/b.radius // the slope over the radius could overflow
		for j := range g {
			g[j] += x*u[j] + y*v[j]
		}
	}
	if c < len(w) {
		axpy(g, w[c]/b.radius, b.slope.row(c))
	}
	fixSum(g) // a point on a facet may come out a rounding error below 0
}

// fixSum makes entries below 0 zero, and adds what the sum lacks of 1, a rounding error, to the largest
// entry. Zeros stay 0.
func fixSum(g []float64) {
	for range 2 {
		sum, best := 0.0, 0
		for j, v := range g {
			if v < 0 {
				v, g[j] = 0, 0
			}
			sum += v
			if v > g[best] {
				best = j
			}
		}
		if len(g) > 1024 { // a plain sum's error is not small next to the entries
			var all fineSum
			for _, v := range g {
				all.add(v)
			}
			sum = all.value()
		}
		if sum == 1 {
			return
		}
		g[best] += 1 - sum
	}
}

// LogVolume returns the natural logarithm of the (k−1)-dimensional volume of the simplex whose k vertices
// are the rows of the given k×d matrix. Compare prototypes by it, and with proof.VolumeFloor. It is 0 for a
// single point, and −Inf if the vertices are affinely dependent, as they always are for k > d+1; where only
// rounding keeps them independent, each direction lost adds some −35. Differences below 2^-500 of the
// largest entry count as 0. Cost: O(k²d). Errors: [ErrShape], [ErrNonFinite], [ErrRange], [ErrTooFewSamples]
// without vertices.
func LogVolume(vertices *Matrix) (float64, error) {
	if err := checkShape("vertices", vertices); err != nil {
		return 0, err
	}
	k := vertices.Rows
	if k == 0 {
		return 0, fail(ErrTooFewSamples, "no vertices")
	}
	top, err := checkEntries("vertices", vertices, mostCenter)
	if err != nil {
		return 0, err
	}
	if k > vertices.Cols+1 {
		return math.Inf(-1), nil
	}
	// The volume is √k·Πσ_i/(k−1)!, with σ_i the k−1 singular values of the vertices about their
	// mean. Erratum 6: the paper takes the k of F itself, which is that only while F1 = 0.
	//
	// Bᵀ·F has the same σ_i in k−1 rows. B's columns add up to 0, so the first vertex may be
	// subtracted from all: differences keep the digits of vertices far from 0.
	_, exp := math.Frexp(top)
	b := RegularSimplex(k)
	edges, edge := NewMatrix(k-1, vertices.Cols, nil), make([]float64, vertices.Cols)
	for j := range k {
		for i, v := range vertices.row(j) {
			edge[i] = math.Ldexp(v, -exp) - math.Ldexp(vertices.Data[i], -exp)
		}
		for c := max(0, j-1); c < k-1; c++ { // B is 0 before
			axpy(edges.row(c), b.row(j)[c], edge)
		}
	}
	bg, columns, log := context.Background(), edges.transposed(), 0.5*math.Log(float64(k))
	f := qrPivot(bg, chosenRows(columns, rowsBySize(bg, columns)))
	if f.rank < k-1 {
		return math.Inf(-1), nil
	}
	for i := range k - 1 { // |Πr_ii| is Πσ_i
		log += math.Log(math.Abs(f.a.row(i)[i])) + float64(exp)*math.Ln2 - math.Log(float64(i+1))
	}
	return log, nil
}

// Sum says what the memberships of a sample add up to.
type Sum int

const (
	// SumToOne: exactly 1, the default.
	SumToOne Sum = iota
	// SumAtMostOne: at most 1. The rest up to 1 is the membership of a vertex at 0, such as
	// the shade of a scene. The data is not centred. [Fit] has its global minimum in closed
	// form for nonnegative data, among others.
	SumAtMostOne
	sumCount // a new sum stands before it
)

// String returns "one" or "at most one".
func (s Sum) String() string { return nameOf("Sum", int(s), "one", "at most one") }

// point is a point of the plane.
type point [2]float64

// turn returns the doubled area of the triangle abc, above 0 where it turns left. Rounding counts as 0: the
// difference is off by at most (3+16u)u times the sizes of its two products (Shewchuk, Adaptive Precision
// Floating-Point Arithmetic, 1997).
func turn(a, b, c point) float64 {
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
func convexHull(points []point) []point {
	slices.SortFunc(points, func(a, b point) int {
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
// counterclockwise, and its area. hull has three corners or more, counterclockwise. If ctx
// ends they mean nothing: the next pass over the samples returns the error.
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
func smallestTriangle(ctx context.Context, hull []point) (corners [3]point, area float64) {
	area = math.Inf(1)
	p := silhouette{hull: hull}
	best := p
	for ; p.i < len(hull) && !(p.i%1024 == 0 && stopped(ctx)); p.i++ {
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
	hull    []point
	i, top  int
	along   point   // the direction of the edge, of length 1
	r, l    int     // the corners that end the edges around y: the upper one right, the lower one left
	y, x, w float64 // a height, the distance of the left side along the edge there, and the width
}

// turn sets along and top. It assumes that top is not past it: that of an edge before.
func (p *silhouette) turn() {
	a, b := p.hull[p.i], p.hull[(p.i+1)%len(p.hull)]
	x, y := b[0]-a[0], b[1]-a[1]
	long := math.Hypot(x, y)
	p.along, p.top = point{x / long, y / long}, max(p.top, p.i+2)
	for p.top+1 < p.i+len(p.hull) && p.from(p.top, p.top+1)[0] > 0 {
		p.top++
	}
}

// from returns how much higher corner b is than corner a, and how much farther along the base.
func (p *silhouette) from(a, b int) point {
	s, t := p.hull[a%len(p.hull)], p.hull[b%len(p.hull)]
	x, y := t[0]-s[0], t[1]-s[1]
	return point{y*p.along[0] - x*p.along[1], x*p.along[0] + y*p.along[1]}
}

// side is an edge of the silhouette's sides.
type side struct {
	low, high point // its ends, as (height, distance)
	rise      point // high − low, with less rounding
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
func (p *silhouette) triangle() [3]point {
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
	place := func(y, x float64) point {
		a := p.hull[p.i]
		return point{a[0] + x*p.along[0] - y*p.along[1], a[1] + x*p.along[1] + y*p.along[0]}
	}
	start := p.x - slope*p.y
	return [3]point{place(0, start), place(0, start+2*p.w), place(2*p.y, p.x+slope*p.y)}
}
