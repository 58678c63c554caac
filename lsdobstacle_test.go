package softkmeans

import (
	"math"
	"testing"
)

// TestObstacleTolerance: what is at most tol of the largest is no obstacle, what is above
// is one, at the default of 1e-8 and at others, in any unit.
func TestObstacleTolerance(t *testing.T) {
	diagonal := func(v ...float64) *Matrix {
		return similarity(len(v), func(i, j int) float64 {
			if i == j {
				return v[i]
			}
			return 0
		})
	}
	type call = func(*Matrix, int, float64) (Obstacle, error)
	for i, c := range []struct {
		of         call
		kernel     func(v float64) *Matrix
		k          int
		tol        float64
		good, bad  float64
		kind       ObstacleKind
		value      float64 // of the bad one
		row, col   int
		goodIsNone bool
	}{
		{LSDObstacle, func(v float64) *Matrix { return diagonal(1, 1, -v) }, 3, 0, 0.9e-8, 1.1e-8, ObstacleSign, -1.1e-8, 0, 0, false},
		{LSDObstacle, func(v float64) *Matrix { return diagonal(2, -v) }, 2, 0.5, 1, 1.001, ObstacleSign, -0.5005, 0, 0, false},
		{LSDObstacle, func(v float64) *Matrix { return diagonal(-2, -v) }, 2, 0.5, math.NaN(), 1, ObstacleSign, -1, 0, 0, false},
		{LSDObstacle, func(v float64) *Matrix { return diagonal(1, v) }, 1, 0, 0.9e-8, 1.1e-8, ObstacleRank, 1.1e-8, 0, 0, false},
		{LSDObstacle, func(v float64) *Matrix { return diagonal(2, v) }, 1, 0.5, 1, 1.001, ObstacleRank, 0.5005, 0, 0, false},
		{LSDObstacle, func(v float64) *Matrix { return diagonal(2, 2, 2, v) }, 3, 0.01, 0.0199, 0.0201, ObstacleRank, 0.01005, 0, 0, false},
		{LSDObstacle, func(v float64) *Matrix { return NewMatrix(2, 2, []float64{1, -v, -v, 1}) }, 2, 0, 0.9e-8, 1.1e-8, ObstacleEntry, -1.1e-8, 0, 1, true},
		{LSDObstacle, func(v float64) *Matrix { return NewMatrix(2, 2, []float64{4, -v, -v, 4}) }, 2, 0.25, 0.999, 1.001, ObstacleEntry, -1.001 / 4, 0, 1, true},
		{TILSDObstacle, func(v float64) *Matrix { return outer(NewMatrix(4, 2, []float64{1, 0, -1, 0, 0, v, 0, -v})) }, 2, 0.01, 0.0999, 0.1001, ObstacleRank, 0.01002, 0, 0, true},
	} {
		for _, unit := range []float64{1, 1e-3, 1e100} {
			scaled := func(v float64) *Matrix {
				return mapped(c.kernel(v), func(_, _ int, v float64) float64 { return v * unit })
			}
			o, err := c.of(scaled(c.bad), c.k, c.tol)
			if err != nil || o.Kind != c.kind || math.Abs(o.Value-c.value) > 1e-3*math.Abs(c.value) || o.Row != c.row || o.Col != c.col {
				t.Errorf("%d, unit %g: %+v, %v; want %v of %g at [%d,%d]", i, unit, o, err, c.kind, c.value, c.row, c.col)
			}
			if math.IsNaN(c.good) {
				continue
			}
			if o, err = c.of(scaled(c.good), c.k, c.tol); err != nil || o.Kind == c.kind || c.goodIsNone && o.Kind != ObstacleNone {
				t.Errorf("%d, unit %g: %+v, %v; within the tolerance", i, unit, o, err)
			}
		}
	}
	// The lowest of several entries.
	k := NewMatrix(3, 3, []float64{9, -1, 0, -1, 9, -2, 0, -2, 9})
	if o := mustDo(LSDObstacle(k, 3, 0))(t); o.Kind != ObstacleEntry || o.Row != 1 || o.Col != 2 || math.Abs(o.Value+2.0/9) > 1e-15 {
		t.Errorf("%+v", o)
	}
	// The error of the best simplex may be ten times tol, up to a tenth, or tol.
	for _, b := range []float64{0.995, 0.9, 0.6} {
		k := diagonal(1, b)
		e := mustDo(LSDObstacle(k, 2, 0))(t).Value
		for _, c := range []struct {
			tol  float64
			kind ObstacleKind
		}{{0.999 * max(min(e, 0.1)/10, e*0), ObstacleSimplex}, {0.999 * e, map[bool]ObstacleKind{true: ObstacleNone, false: ObstacleSimplex}[e < 0.1]}, {1.001 * e, ObstacleNone}, {1.001 * e / 10, map[bool]ObstacleKind{true: ObstacleNone, false: ObstacleSimplex}[e < 0.1]}} {
			if o := mustDo(LSDObstacle(k, 2, c.tol))(t); o.Kind != c.kind || c.kind == ObstacleSimplex && o.Value != e {
				t.Errorf("an error of %g, tol %g: %v", e, c.tol, o)
			}
		}
		m := mustDo(LSD(bg, k, 2, &LSDOptions{MaxIter: -1}))(t)
		t.Log(e)
		if math.Abs(math.Sqrt(m.Objective/m.Total)-e) > 1e-12 {
			t.Errorf("an error of %g, by LSD %g", e, math.Sqrt(m.Objective/m.Total))
		}
	}
	for kind, want := range []string{"none", "there is a negative eigenvalue, 0.235 relative to the largest", "there are too many positive eigenvalues, the first one beyond is 0.235 relative to the largest",
		"entry [1,2] is negative, 0.235 relative to the largest", "1 is not in the range: it is missed by 0.235 at sample 1", "no simplex was found that holds the samples: an error of 0.235 remains", "ObstacleKind(6)"} {
		if got := (Obstacle{ObstacleKind(kind), 1, 2, 0.23456}).String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
