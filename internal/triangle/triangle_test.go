package triangle

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"softkmeans/internal/tables"
)

// bruteTriangle is the least area of a triangle around points by search: one side along an
// edge between two points, the directions of the two others on a grid that is refined.
func bruteTriangle(points []Point) float64 {
	least := math.Inf(1)
	for _, a := range points {
		for _, b := range points {
			if a != b {
				least = min(least, bruteOver(points, math.Atan2(b[1]-a[1], b[0]-a[0])))
			}
		}
	}
	return least
}

// bruteOver returns the least area of a triangle around points that has a side at the angle base.
func bruteOver(points []Point, base float64) float64 {
	// Normals of the three sides at angles base−π/2, and two others less than π apart.
	area := func(u, v float64) float64 {
		if !(u > 0 && v > 0 && u < math.Pi && v < math.Pi && u+v > math.Pi) {
			return math.Inf(1)
		}
		s := 0.0
		sines := [3]float64{math.Sin(2*math.Pi - u - v), math.Sin(v), math.Sin(u)}
		for j, angle := range [3]float64{base - math.Pi/2, base - math.Pi/2 + u, base - math.Pi/2 - v} {
			h := math.Inf(-1)
			for _, p := range points {
				h = max(h, p[0]*math.Cos(angle)+p[1]*math.Sin(angle))
			}
			s += h * sines[j]
		}
		return s * s / (2 * sines[0] * sines[1] * sines[2])
	}
	least, at, step := math.Inf(1), Point{}, math.Pi/40
	for u := step; u < math.Pi; u += step {
		for v := step; v < math.Pi; v += step {
			if a := area(u, v); a < least {
				least, at = a, Point{u, v}
			}
		}
	}
	for step > 1e-8 {
		from := at
		for _, d := range []Point{{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, -1}, {-1, 1}, {1, 1}, {-1, -1}} {
			if a := area(from[0]+step*d[0], from[1]+step*d[1]); a < least {
				least, at = a, Point{from[0] + step*d[0], from[1] + step*d[1]}
			}
		}
		if at == from {
			step /= 2
		}
	}
	return least
}

func triangleArea(c [3]Point) float64 {
	return ((c[1][0]-c[0][0])*(c[2][1]-c[0][1]) - (c[1][1]-c[0][1])*(c[2][0]-c[0][0])) / 2
}

// farOutside is how far a point is outside of a triangle at most.
func farOutside(c [3]Point, points []Point) (most float64) {
	for j := range c {
		a, b := c[j], c[(j+1)%3]
		long := math.Hypot(b[0]-a[0], b[1]-a[1])
		for _, p := range points {
			most = max(most, ((p[0]-a[0])*(b[1]-a[1])-(p[1]-a[1])*(b[0]-a[0]))/long)
		}
	}
	return most
}

// planeSets are sets of points: normals, integers with many collinear ones, thin ones,
// circles, squares, near-duplicates.
func planeSets(count int) [][]Point {
	rng := rand.New(rand.NewPCG(7, 21))
	var sets [][]Point
	for i := range count {
		n := 3 + rng.IntN(9)
		set := make([]Point, n)
		for j := range set {
			switch i % 6 {
			case 0:
				set[j] = Point{rng.NormFloat64(), rng.NormFloat64()}
			case 1:
				set[j] = Point{float64(rng.IntN(5)), float64(rng.IntN(5))}
			case 2:
				set[j] = Point{rng.NormFloat64(), 1e-6 * rng.NormFloat64()}
			case 3:
				a := 2 * math.Pi * float64(j) / float64(n)
				set[j] = Point{math.Cos(a), math.Sin(a)}
			case 4:
				set[j] = Point{float64(j % 2), float64(j / 2 % 2)}
			case 5:
				set[j] = Point{float64(rng.IntN(2)) + 1e-15*rng.Float64(), float64(rng.IntN(2)) +
					1e-15*rng.Float64()}
			}
		}
		sets = append(sets, set)
	}
	return sets
}

// TestSmallestTriangle holds around against a search, and its triangle against the points.
func TestSmallestTriangle(t *testing.T) {
	t.Parallel()
	count := tables.Fewer(1200, 6)
	for i, set := range planeSets(count) {
		hull := convexHull(slices.Clone(set))
		if len(hull) < 3 {
			continue
		}
		corners, area := around(t.Context(), hull)
		if i%6 == 5 && area < 1e-10 {
			continue // nearly an interval
		}
		size := 0.0
		for _, p := range set {
			size = max(size, math.Abs(p[0]), math.Abs(p[1]))
		}
		if far := farOutside(corners, set); far > 1e-13*size {
			t.Errorf("set %d %v: a point is %g outside of %v", i, set, far, corners)
		}
		if got := triangleArea(corners); math.Abs(got-area) > 1e-9*area {
			t.Errorf("set %d: the area is %g, not %g", i, got, area)
		}
		if i%6 == 2 {
			scaled := make([]Point, len(set)) // the ratio of areas is affine
			for j, p := range set {
				scaled[j] = Point{p[0], 1e6 * p[1]}
			}
			set, area = scaled, 1e6*area
		}
		if want := bruteTriangle(set); math.Abs(want-area) > 1e-6*want {
			t.Errorf("set %d %v: area %.10g, a search finds %.10g", i, set, area, want)
		}
	}
}

// TestSmallestTriangleOfRegular: around a regular polygon of 3m corners it is the regular triangle along
// three edges, also turned, where many heights tie to rounding; and a call that is cancelled returns.
func TestSmallestTriangleOfRegular(t *testing.T) {
	t.Parallel()
	for n := 3; n < 30000; n += 3 + n/50*30 {
		set := make([]Point, n)
		for j := range set {
			sin, cos := math.Sincos(2*math.Pi*float64(j)/float64(n) + float64(n))
			set[j] = Point{cos, sin}
		}
		corners, area := around(t.Context(), convexHull(set))
		in := math.Cos(math.Pi / float64(n))
		if want := 3 * math.Sqrt(3) * in * in; math.Abs(area-want) > 1e-13*want {
			t.Errorf("%d corners: the area is %.17g, not %.17g", n, area, want)
		}
		if far := farOutside(corners, set); far > 1e-13 {
			t.Errorf("%d corners: a point is %g outside", n, far)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, area := around(ctx, []Point{{}, {1, 0}, {0, 1}}); !math.IsInf(area, 1) {
		t.Errorf("a cancelled search goes on to %g", area)
	}
}

// TestConvexHull compares with the definition: a point is a corner unless it lies in a
// triangle or an interval of others.
func TestConvexHull(t *testing.T) {
	for i, set := range planeSets(300) {
		hull := convexHull(slices.Clone(set))
		for j, a := range hull {
			b, c := hull[(j+1)%len(hull)], hull[(j+2)%len(hull)]
			if len(hull) > 2 && turn(a, b, c) <= 0 {
				t.Errorf("set %d %v: %v does not turn left", i, set, hull)
			}
			for _, p := range set {
				if len(hull) > 2 && turn(a, b, p) < -1e-14 {
					t.Errorf("set %d: %v is outside of %v", i, p, hull)
				}
			}
		}
	}
	line := []Point{{0, 0}, {2, 2}, {1, 1}, {3, 3}, {2, 2}}
	if got := convexHull(line); !slices.Equal(got, []Point{{0, 0}, {3, 3}}) {
		t.Errorf("collinear points have the hull %v", got)
	}
	if got := convexHull([]Point{{1, 2}, {1, 2}}); len(got) != 1 {
		t.Errorf("one point has the hull %v", got)
	}
	if got := convexHull(nil); len(got) != 0 {
		t.Errorf("no point has the hull %v", got)
	}
}
