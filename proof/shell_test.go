package proof

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/la"
	"softkmeans/internal/tables"
)

// hullCase returns points in p dimensions, which may move by reach: random, of integers, and in part flat.
func hullCase(p int, seed uint64) (points *softkmeans.Matrix, reach []float64) {
	rng := rand.New(rand.NewPCG(seed, 5))
	n := p + 1 + rng.IntN(30)
	points = falling(n, p, seed)
	switch seed % 4 {
	case 1: // with duplicates and many points on a facet
		points = tables.Mapped(points, func(_, _ int, v float64) float64 { return math.Round(v) })
	case 2:
		points = tables.Mapped(points,
			func(_, j int, v float64) float64 { return v * math.Pow(.01, float64(j)) })
	case 3:
		points = la.Product(shares(n, p+1, .3, seed), falling(p+1, p, seed))
	}
	reach = make([]float64, n)
	if seed%3 == 0 {
		for i := range reach {
			reach[i] = .2 * rng.Float64()
		}
	}
	mean := make([]float64, p)
	for i := range n {
		la.Axpy(mean, 1/float64(n), points.Row(i))
	}
	for i := range n { // about 0
		la.Axpy(points.Row(i), -1, mean)
	}
	return points, reach
}

// farthest returns the point that reaches farthest along a for certain.
func farthest(points *softkmeans.Matrix, reach []float64) func(a []float64) ([]float64, float64) {
	return func(a []float64) ([]float64, float64) {
		best, most := 0, math.Inf(-1)
		for i := range points.Rows {
			if v := la.Dot(points.Row(i), a) - reach[i]*la.Norm(a); v > most {
				best, most = i, v
			}
		}
		return points.Row(best), reach[best]
	}
}

// TestHullHolds: whatever the points, what a shell says is inside their hull is, wherever they go: in each
// direction a point reaches farther. Directions are random, those of facets, and near them.
func TestHullHolds(t *testing.T) {
	found := 0
	for seed := range uint64(tables.Fewer(3000, 150)) {
		p := 1 + int(seed%5)
		points, reach := hullCase(p, seed)
		rng := rand.New(rand.NewPCG(seed, 6))
		rows := la.Farthest(t.Context(), points)
		first := make([]float64, p+1)
		for j, i := range rows {
			first[j] = reach[i]
		}
		support := farthest(points, reach)
		h := newShell(draws.Chosen(points, rows), first, 2+sizeOf(points))
		if h == nil || !h.move(t.Context(), support) {
			continue
		}
		log := h.largestEllipsoid(t.Context(), support, 1e-6)
		if math.IsInf(log, -1) {
			continue
		}
		found++
		inside := func(a []float64) {
			least := math.Inf(1) // of the facets, those of a cone around a: K ends before there
			for i := range h.facets {
				if along := la.Dot(h.facets[i].normal, a); along > 0 {
					least = min(least, h.facets[i].offset/along)
				}
			}
			// least·a is on the boundary of K, or outside of it for good.
			z, r := support(a)
			if !math.IsInf(least, 1) && la.Dot(z, a)-r*la.Norm(a) < least*la.SumSquares(a)*(1-1e-12) {
				t.Fatalf("seed %d, p = %d: K reaches %g, the points %g", seed, p, least*la.SumSquares(a),
					la.Dot(z, a)-r*la.Norm(a))
			}
		}
		for i := range 200 {
			a := make([]float64, p)
			for j := range a {
				a[j] = rng.NormFloat64()
			}
			if i > 20 {
				la.Scale(decades(rng, -6, 0), a)
				la.Axpy(a, 1, h.facets[rng.IntN(len(h.facets))].normal)
			}
			inside(a)
		}
	}
	if found < tables.Fewer(3000, 150)/2 {
		t.Errorf("%d ellipsoids", found)
	}
}

// TestFacet: the plane of a facet touches the balls of its corners, and 0 is below it.
func TestFacet(t *testing.T) {
	points, reach := hullCase(3, 3)
	rows := la.Farthest(t.Context(), points)
	first := make([]float64, len(rows))
	for j, i := range rows {
		first[j] = reach[i]
	}
	h := newShell(draws.Chosen(points, rows), first, 2+sizeOf(points))
	h.still = false
	for _, f := range h.facets {
		g, ok := h.facet(f.corners)
		for _, j := range g.corners {
			if off := h.beyond(&g, h.points[j], h.reach[j]) - h.slip - g.offset; !ok || !(math.Abs(off) < 1e-15) {
				t.Errorf("%v: the plane is %g off the ball of %d, below is %v", f.corners, off, j, ok)
			}
		}
	}
}

// TestLargestEllipsoid: of cubes and simplices, that may move.
func TestLargestEllipsoid(t *testing.T) {
	for p := 1; p <= tables.Fewer(6, 4); p++ {
		for _, move := range []float64{0, .1 / float64(p)} {
			cube, simplex := softkmeans.NewMatrix(1<<p, p, nil), softkmeans.RegularSimplex(p+1)
			for i := range cube.Rows {
				for j := range p {
					cube.Row(i)[j] = float64(i>>j&1*2 - 1)
				}
			}
			// A corner has the length √(p/(p+1)), 1/p of which is the inradius.
			for points, radius := range map[*softkmeans.Matrix]float64{cube: 1,
				simplex: 1 / math.Sqrt(float64(p*(p+1)))} {
				reach := make([]float64, points.Rows)
				for i := range reach {
					reach[i] = move
				}
				support := farthest(points, reach)
				corners := draws.Chosen(points, la.Farthest(t.Context(), points))
				h := newShell(corners, reach[:p+1], 4)
				if h == nil || !h.move(t.Context(), support) {
					t.Fatalf("p = %d, %d points: nothing", p, points.Rows)
				}
				got, want := h.largestEllipsoid(t.Context(), support, 1e-8), float64(p)*math.Log(radius-move)
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
		{"digits", 4, 7.722}, {"digits", 5, 9.944}}[:tables.Fewer(6, 5)] {
		x := tables.Standardized(tables.CSV(t, c.name))
		b := tables.Must(VolumeFloor(t.Context(), x, c.k, 0, nil))(t)
		if math.Abs(b.LogVolume-c.want) > 5.01e-4 {
			t.Errorf("%s, k = %d: the floor is %.6f, not %.3f", c.name, c.k, b.LogVolume, c.want)
		}
	}
}

// mustInverse returns the inverse by the SVD; not finite where there is none.
func mustInverse(m *softkmeans.Matrix) *softkmeans.Matrix {
	u, sizes, v, err := softkmeans.SVD(m)
	if err != nil {
		return softkmeans.NewMatrix(m.Rows, m.Rows, slices.Repeat([]float64{math.NaN()}, m.Rows*m.Rows))
	}
	for i := range v.Rows {
		for j, size := range sizes {
			v.Row(i)[j] /= size
		}
	}
	return la.Product(v, la.Transpose(u))
}
