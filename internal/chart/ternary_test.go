package chart

import (
	"math"
	"strings"
	"testing"
)

func TestTernaryCorners(t *testing.T) {
	s := &TernaryPlot{Memberships: []float64{1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 0, 3e200, 3e200,
		1, -5, 0, nan, 1, 0, 0, 0, 0}}
	all := parse(t, Ternary(nil, s))
	c := figures(find(all, "sk-axis")[0].attr["d"])
	if len(c) != 6 || !near(c[1]+(c[4]-c[2])*math.Sqrt(3)/2, c[3], .2) || c[3] != c[5] ||
		!near(c[0], (c[2]+c[4])/2, .1) {
		t.Fatalf("no equilateral triangle: %v", c)
	}
	got := circles(all)
	want := [][2]float64{{c[0], c[1]}, {c[2], c[3]}, {c[4], c[5]},
		{c[0], (c[1] + 2*c[3]) / 3}, {c[0], c[3]}, {c[0], c[1]}}
	if len(got) != len(want) {
		t.Fatalf("%d points", len(got))
	}
	for i := range want {
		if !near(got[i][0], want[i][0], .15) || !near(got[i][1], want[i][1], .15) {
			t.Errorf("point %d is at %v, want %v", i, got[i], want[i])
		}
	}
	if !strings.Contains(texts(all), "2 of 8 rows are left out") {
		t.Error(texts(all))
	}
	// Three directions of grid lines at 20, 40, 60 and 80 %.
	if n := strings.Count(find(all, "sk-grid")[0].attr["d"], "L"); n != 4*4 {
		t.Errorf("%d grid lines", n)
	}
}
