package softkmeans

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// hullCase returns points in p dimensions, which may move by reach: random, of integers, and in part flat.
func hullCase(p int, seed uint64) (points *Matrix, reach []float64) {
	rng := rand.New(rand.NewPCG(seed, 5))
	n := p + 1 + rng.IntN(30)
	points = randomData(n, p, 0, seed)
	switch seed % 4 {
	case 1: // with duplicates and many points on a facet
		points = mapped(points, func(_, _ int, v float64) float64 { return math.Round(v) })
	case 2:
		points = mapped(points, func(_, j int, v float64) float64 { return v * math.Pow(.01, float64(j)) })
	case 3:
		points = product(dirichlet(n, p+1, .3, seed), randomData(p+1, p, 0, seed))
	}
	reach = make([]float64, n)
	if seed%3 == 0 {
		for i := range reach {
			reach[i] = .2 * rng.Float64()
		}
	}
	for j := range p { // about 0
		mean := 0.0
		for i := range n {
			mean += points.At(i, j) / float64(n)
		}
		for i := range n {
			points.row(i)[j] -= mean
		}
	}
	return points, reach
}

// farthest returns the point that reaches farthest along a for certain.
func farthest(points *Matrix, reach []float64) func(a []float64) ([]float64, float64) {
	return func(a []float64) ([]float64, float64) {
		best, most := 0, math.Inf(-1)
		for i := range points.Rows {
			if v := dot(points.row(i), a) - reach[i]*norm2(a); v > most {
				best, most = i, v
			}
		}
		return points.row(best), reach[best]
	}
}

// TestHullHolds: whatever the points, what a shell says is inside their hull is, wherever they go: in each
// direction a point reaches farther. Directions are random, those of facets, and near them.
func TestHullHolds(t *testing.T) {
	found := 0
	for seed := range uint64(fewer(3000, 150)) {
		p := 1 + int(seed%5)
		points, reach := hullCase(p, seed)
		rng := rand.New(rand.NewPCG(seed, 6))
		rows := farthestRows(bg, points, make1(points.Rows), p+1, true)
		first := make([]float64, p+1)
		for j, i := range rows {
			first[j] = reach[i]
		}
		support := farthest(points, reach)
		h := newShell(chosenRows(points, rows), first, 2+maxAbs(points)*float64(p))
		if h == nil || !h.move(bg, support) {
			continue
		}
		log := h.largestEllipsoid(bg, support, 1e-6)
		if math.IsInf(log, -1) {
			continue
		}
		found++
		inside := func(a []float64) {
			least := math.Inf(1) // of the facets, those of a cone around a: K ends before there
			for i := range h.facets {
				if along := dot(h.facets[i].normal, a); along > 0 {
					least = min(least, h.facets[i].offset/along)
				}
			}
			// least·a is on the boundary of K, or outside of it for good.
			z, r := support(a)
			if !math.IsInf(least, 1) && dot(z, a)-r*norm2(a) < least*sumSquares(a)*(1-1e-12) {
				t.Fatalf("seed %d, p = %d: K reaches %g, the points %g", seed, p, least*sumSquares(a),
					dot(z, a)-r*norm2(a))
			}
		}
		for i := range 200 {
			a := make([]float64, p)
			for j := range a {
				a[j] = rng.NormFloat64()
			}
			if i > 20 {
				scale(a, decades(rng, -6, 0))
				axpy(a, 1, h.facets[rng.IntN(len(h.facets))].normal)
			}
			inside(a)
		}
	}
	if found < fewer(3000, 150)/2 {
		t.Errorf("%d ellipsoids", found)
	}
}

// TestLargestEllipsoid: of cubes and simplices, that may move.
func TestLargestEllipsoid(t *testing.T) {
	for p := 1; p <= fewer(6, 4); p++ {
		for _, move := range []float64{0, .1 / float64(p)} {
			cube, simplex := NewMatrix(1<<p, p, nil), RegularSimplex(p+1)
			for i := range cube.Rows {
				for j := range p {
					cube.row(i)[j] = float64(i>>j&1*2 - 1)
				}
			}
			// A corner has the length √(p/(p+1)), 1/p of which is the inradius.
			for points, radius := range map[*Matrix]float64{cube: 1,
				simplex: 1 / math.Sqrt(float64(p*(p+1)))} {
				reach := make([]float64, points.Rows)
				for i := range reach {
					reach[i] = move
				}
				support := farthest(points, reach)
				corners := chosenRows(points, farthestRows(bg, points, make1(points.Rows), p+1, true))
				h := newShell(corners, reach[:p+1], 4)
				if h == nil || !h.move(bg, support) {
					t.Fatalf("p = %d, %d points: nothing", p, points.Rows)
				}
				got, want := h.largestEllipsoid(bg, support, 1e-8), float64(p)*math.Log(radius-move)
				if !(got <= want+1e-12 && got > want-1e-6) {
					t.Errorf("p = %d, %d points, moves of %g: %g, not %g", p, points.Rows, move, got, want)
				}
			}
		}
	}
}

// TestVolumeFloorTable holds floors of standardized columns against those of an independent program.
func TestVolumeFloorTable(t *testing.T) {
	for _, c := range []struct {
		name string
		k    int
		want float64
	}{{"iris", 4, 3.909}, {"wine", 4, 5.640}, {"wine", 5, 7.168}, {"breast_cancer", 5, 10.333},
		{"digits", 4, 7.722}, {"digits", 5, 9.944}}[:fewer(6, 5)] {
		x := loadCSV(t, c.name).Clone()
		for j := range x.Cols {
			var mean, squares float64
			for i := range x.Rows {
				mean += x.At(i, j) / float64(x.Rows)
			}
			for i := range x.Rows {
				squares += (x.At(i, j) - mean) * (x.At(i, j) - mean) / float64(x.Rows)
			}
			for i := range x.Rows {
				if x.row(i)[j] -= mean; squares > 0 {
					x.row(i)[j] /= math.Sqrt(squares)
				}
			}
		}
		b := mustDo(VolumeFloor(bg, x, c.k, 0, nil))(t)
		if math.Abs(b.LogVolume-c.want) > 5.01e-4 {
			t.Errorf("%s, k = %d: the floor is %.6f, not %.3f", c.name, c.k, b.LogVolume, c.want)
		}
	}
}

// around returns the log volume of the simplex of facets {x: aᵀx ≥ min aᵀw} for the rows a of normals.
func around(w, normals *Matrix) float64 {
	p := w.Cols
	// (normals | −offsets): its rows are barycentric coordinates but for scale.
	a := NewMatrix(p+1, p+1, nil)
	for j := range normals.Rows {
		copy(a.row(j), normals.row(j))
		least := math.Inf(1)
		for i := range w.Rows {
			least = min(least, dot(w.row(i), normals.row(j)))
		}
		a.row(j)[p] = -least
	}
	inverse := mustInverse(a)
	vertices := NewMatrix(p+1, p, nil)
	for j := range p + 1 {
		last := inverse.At(p, j)
		if !(last > 0) { // no simplex
			return math.Inf(1)
		}
		for c := range p {
			vertices.row(j)[c] = inverse.At(c, j) / last
		}
	}
	v, err := LogVolume(vertices)
	if err != nil {
		return math.Inf(1)
	}
	return v
}

// mustInverse returns the inverse by Gauss's and Jordan's elimination; not finite where there is none.
func mustInverse(m *Matrix) *Matrix {
	n := m.Rows
	a, b := m.Clone(), identity(n)
	for j := range n {
		top := j
		for i := j; i < n; i++ {
			if math.Abs(a.At(i, j)) > math.Abs(a.At(top, j)) {
				top = i
			}
		}
		for c := range n {
			a.row(j)[c], a.row(top)[c] = a.row(top)[c], a.row(j)[c]
			b.row(j)[c], b.row(top)[c] = b.row(top)[c], b.row(j)[c]
		}
		by := 1 / a.At(j, j)
		scale(a.row(j), by)
		scale(b.row(j), by)
		for i := range n {
			if i != j {
				by := -a.At(i, j)
				axpy(a.row(i), by, a.row(j))
				axpy(b.row(i), by, b.row(j))
			}
		}
	}
	return b
}

// TestVolumeFloorAround: no simplex around the rows is smaller than the floor, of random ones and what a
// climb makes of them; and of mixtures, the floor is near what it finds.
func TestVolumeFloorAround(t *testing.T) {
	for seed := range uint64(fewer(1000, 40)) {
		p := 2 + int(seed%4)
		w, _ := hullCase(p, seed)
		b := mustDo(VolumeFloor(bg, w, p+1, 0, nil))(t)
		rng := rand.New(rand.NewPCG(seed, 7))
		normals, least := NewMatrix(p+1, p, nil), math.Inf(1)
		for try := range 400 {
			next := normals.Clone()
			if try < 40 { // a regular simplex under a random map
				next = product(RegularSimplex(p+1), randomData(p, p, 0, rng.Uint64()))
			} else {
				by := decades(rng, -4, 0)
				for i := range next.Data {
					next.Data[i] += by * rng.NormFloat64() * norm2(next.row(i/p))
				}
			}
			if v := around(w, next); v < least {
				normals, least = next, v
			}
		}
		if least < b.LogVolume-1e-9 {
			t.Errorf("%s: a simplex of %.9g, the floor is %.9g", strconv.FormatUint(seed, 10), least,
				b.LogVolume)
		}
	}
}

// TestTurned: where the basis is turned out of the principal plane, turned bounds how far the rows' principal
// parts, seen in the basis, are from the rows' projections.
func TestTurned(t *testing.T) {
	x := randomData(40, 6, 0, 3)
	s := mustDo(newSamples(bg, x, nil, 1, true))(t)
	pc := mustDo(findPrincipal(s, 3, SolverAuto))(t)
	basis := rowsOf(pc.basis, 0, 2).Clone()
	for c, v := range pc.basis.row(2) { // by 1e-6, towards the third direction
		basis.row(1)[c] = math.Cos(1e-6)*pc.basis.row(1)[c] + math.Sin(1e-6)*v
	}
	all, w := NewMatrix(x.Rows, 3, nil), NewMatrix(x.Rows, 2, nil)
	must(t, changeBasis(s, all, pc.basis))
	must(t, changeBasis(s, w, basis))
	q := newVolumeProblem(s, w, 3)
	q.total = pc.total + pc.totalError
	q.outside = mustDo(squaresOutside(s, w, basis, q.total))(t)
	q.beyond = max(0, pc.floor-pc.floorError)
	bound := mustDo(q.turned(s, basis))(t)
	most := 0.0
	for i := range x.Rows { // the part along the third direction is missing in the principal part
		most = max(most, math.Abs(math.Sin(1e-6)*all.At(i, 2)))
	}
	if !(most <= bound && bound < 1e3*most) {
		t.Errorf("bound %g, a row's part is %g off", bound, most)
	}
}

func searched(t *testing.T, h *halfSpace, w *Matrix) float64 {
	t.Helper()
	return mustDo(h.search(directions{bg, 2, w, func(int, float64) bool { return false }}))(t)
}

// leastCosine is the least cosine of v with the rows that are not 0.
func leastCosine(v []float64, w *Matrix) float64 {
	low := 1.0
	for i := range w.Rows {
		if r := w.row(i); norm2(r) > 0 {
			low = min(low, dot(v, r)/norm2(r)/norm2(v))
		}
	}
	return low
}

// TestHalfSpace: the least cosine is what the axis has, and within 2 % of the norm of a
// point of the hull, above which no axis comes. Around 0 no half-space is found.
func TestHalfSpace(t *testing.T) {
	for seed := range uint64(fewer(400, 100)) {
		rng := rand.New(rand.NewPCG(seed, 3))
		n, p := 1+rng.IntN(60), 1+rng.IntN(6)
		lift := []float64{0.01, 0.3, 1, 3}[rng.IntN(4)]
		w := randomData(n, p, 0, seed)
		for i := range n { // on one side of an axis
			w.row(i)[p-1] = math.Abs(w.row(i)[p-1]) + lift
			scale(w.row(i), math.Exp(3*rng.NormFloat64()))
		}
		turn := laOrthogonal(p, rng)
		rows := NewMatrix(n, p, nil)
		timesT(rows, w, turn)
		var h halfSpace
		margin := searched(t, &h, rows)
		if own := leastCosine(h.axis, rows); math.Abs(own-margin) > 1e-14 || margin < marginShare*h.norm ||
			math.Abs(norm2(h.axis)-1) > 1e-14 || h.none() {
			t.Fatalf("seed %d, %d×%d: margin %g, own %g, norm %g", seed, n, p, margin, own, h.norm)
		}
		if p == 2 { // by angles
			var angles []float64
			for i := range n {
				angles = append(angles, math.Remainder(math.Atan2(rows.row(i)[1],
					rows.row(i)[0])-math.Atan2(h.axis[1], h.axis[0]), 2*math.Pi))
			}
			best := math.Cos((slices.Max(angles) - slices.Min(angles)) / 2)
			if margin < marginShare*best || margin > best+1e-14 || h.norm < best-1e-14 {
				t.Fatalf("seed %d: margin %g, norm %g, best %g", seed, margin, h.norm, best)
			}
		}
		var parts halfSpace // the corral is what a part leaves
		for range 3 {
			searched(t, &parts, rowsOf(rows, 0, n/2))
			searched(t, &parts, rowsOf(rows, n/2, n))
		}
		if got := leastCosine(parts.axis, rows); got < margin/2 {
			t.Errorf("seed %d: in parts %g, at once %g", seed, got, margin)
		}
		opposite := rows.Clone()
		for j := range p {
			opposite.Data[j] = 0
			for i := 1; i < n; i++ {
				opposite.Data[j] -= rows.row(i)[j] / norm2(rows.row(i))
			}
		}
		if n > 1 {
			var none halfSpace
			if margin := searched(t, &none, opposite); margin >= leastMargin {
				t.Errorf("seed %d: a half-space of margin %g around 0", seed, margin)
			}
			if searched(t, &none, opposite); len(none.axis) > 0 &&
				leastCosine(none.axis, opposite) >= leastMargin {
				t.Errorf("seed %d: an axis %v", seed, none.axis)
			}
		}
	}
	var h halfSpace
	if margin := searched(t, &h, NewMatrix(3, 2, nil)); margin != 1 || h.axis != nil || h.none() {
		t.Errorf("zeros: %g, %+v", margin, h)
	}
}

// TestReflection: it takes v to the first axis and keeps products.
func TestReflection(t *testing.T) {
	for seed := range uint64(20) {
		p := 1 + int(seed%5)
		rows := randomData(4, p, 0, seed)
		v := slices.Clone(rows.row(0))
		scale(v, 1/norm2(v))
		before := outer(rows)
		r := reflectionOf(v)
		for i := range rows.Rows {
			r.row(rows.row(i))
		}
		e := rows.row(0)
		if off := norm2(e[1:]); off > 1e-14*norm2(e) || e[0] < 0 ||
			maxDiff(before, outer(rows)) > 1e-13*before.At(0, 0)+1e-13 {
			t.Errorf("seed %d: v becomes %v", seed, e)
		}
	}
}
