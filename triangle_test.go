package softkmeans

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// bruteTriangle is the least area of a triangle around points by search: the directions of
// two sides on a grid that is refined, and the third along an edge between two points.
func bruteTriangle(points []point) float64 {
	least := math.Inf(1)
	for i, a := range points {
		for _, b := range points[i+1:] {
			base := math.Atan2(b[1]-a[1], b[0]-a[0])
			if a == b {
				continue
			}
			for _, turned := range []float64{0, math.Pi} {
				least = min(least, bruteOver(points, base+turned))
			}
		}
	}
	return least
}

// bruteOver is bruteTriangle for the direction of one side.
func bruteOver(points []point, base float64) float64 {
	// Normals of the three sides at angles base−π/2, and two others less than π apart.
	area := func(u, v float64) float64 {
		if !(u > 0 && v > 0 && u < math.Pi && v < math.Pi && u+v > math.Pi) {
			return math.Inf(1)
		}
		h := [3]float64{}
		normals := [3]float64{base - math.Pi/2, base - math.Pi/2 + u, base - math.Pi/2 - v}
		for j, angle := range normals {
			h[j] = math.Inf(-1)
			for _, p := range points {
				h[j] = max(h[j], p[0]*math.Cos(angle)+p[1]*math.Sin(angle))
			}
		}
		sines := [3]float64{math.Sin(2*math.Pi - u - v), math.Sin(v), math.Sin(u)}
		s := h[0]*sines[0] + h[1]*sines[1] + h[2]*sines[2]
		return s * s / (2 * sines[0] * sines[1] * sines[2])
	}
	least, at, step := math.Inf(1), point{}, math.Pi/60
	for u := step; u < math.Pi; u += step {
		for v := step; v < math.Pi; v += step {
			if a := area(u, v); a < least {
				least, at = a, point{u, v}
			}
		}
	}
	for step > 1e-9 {
		better := false
		for _, d := range []point{{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, -1}, {-1, 1}, {1, 1}, {-1, -1}} {
			if a := area(at[0]+step*d[0], at[1]+step*d[1]); a < least {
				least, at, better = a, point{at[0] + step*d[0], at[1] + step*d[1]}, true
			}
		}
		if !better {
			step /= 2
		}
	}
	return least
}

func triangleArea(c [3]point) float64 {
	return ((c[1][0]-c[0][0])*(c[2][1]-c[0][1]) - (c[1][1]-c[0][1])*(c[2][0]-c[0][0])) / 2
}

// farOutside is how far a point is outside of a triangle at most.
func farOutside(c [3]point, points []point) (most float64) {
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
func planeSets(count int) [][]point {
	rng := rand.New(rand.NewPCG(7, 21))
	var sets [][]point
	for i := range count {
		n := 3 + rng.IntN(9)
		set := make([]point, n)
		for j := range set {
			switch i % 6 {
			case 0:
				set[j] = point{rng.NormFloat64(), rng.NormFloat64()}
			case 1:
				set[j] = point{float64(rng.IntN(5)), float64(rng.IntN(5))}
			case 2:
				set[j] = point{rng.NormFloat64(), 1e-6 * rng.NormFloat64()}
			case 3:
				a := 2 * math.Pi * float64(j) / float64(n)
				set[j] = point{math.Cos(a), math.Sin(a)}
			case 4:
				set[j] = point{float64(j % 2), float64(j / 2 % 2)}
			case 5:
				set[j] = point{float64(rng.IntN(2)) + 1e-15*rng.Float64(), float64(rng.IntN(2)) + 1e-15*rng.Float64()}
			}
		}
		sets = append(sets, set)
	}
	return sets
}

// TestSmallestTriangle holds smallestTriangle against a search, and its triangle against
// the points.
func TestSmallestTriangle(t *testing.T) {
	t.Parallel()
	count := full(1200, 6)
	for i, set := range planeSets(count) {
		hull := convexHull(slices.Clone(set))
		if len(hull) < 3 {
			continue
		}
		corners, area := smallestTriangle(hull)
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
			scaled := make([]point, len(set)) // the ratio of areas is affine
			for j, p := range set {
				scaled[j] = point{p[0], 1e6 * p[1]}
			}
			set, area = scaled, 1e6*area
		}
		if want := bruteTriangle(set); math.Abs(want-area) > 1e-6*want {
			t.Errorf("set %d %v: area %.10g, a search finds %.10g", i, set, area, want)
		}
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
	line := []point{{0, 0}, {2, 2}, {1, 1}, {3, 3}, {2, 2}}
	if got := convexHull(line); !slices.Equal(got, []point{{0, 0}, {3, 3}}) {
		t.Errorf("collinear points have the hull %v", got)
	}
	if got := convexHull([]point{{1, 2}, {1, 2}}); len(got) != 1 {
		t.Errorf("one point has the hull %v", got)
	}
	if got := convexHull(nil); len(got) != 0 {
		t.Errorf("no point has the hull %v", got)
	}
}
