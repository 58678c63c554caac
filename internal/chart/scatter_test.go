package chart

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestEqualScale(t *testing.T) {
	for _, w := range []int{360, 1000} {
		for _, scale := range []float64{1, 1e150, 1e-150, 12345} {
			s := &ScatterPlot{Frame: Frame{Width: w}, X: []float64{0, 7, 0},
				Y: []float64{0, 0, 7}, EqualScale: true}
			for i := range s.X {
				s.X[i] *= scale
				s.Y[i] *= scale
			}
			p := circles(parse(t, Scatter(nil, s)))
			if dx, dy := p[1][0]-p[0][0], p[0][1]-p[2][1]; len(p) != 3 || dx < 50 || !near(dx, dy, .2) {
				t.Errorf("width %d, scale %g: %g px in x, %g in y", w, scale, dx, dy)
			}
		}
	}
}

// Pictures that show the same values have the same axes, whatever their points.
func TestShown(t *testing.T) {
	draw := func(x, y, xs, ys []float64) (ticks string, first [2]float64) {
		all := parse(t, Scatter(nil, &ScatterPlot{X: x, Y: y, XShown: xs, YShown: ys, EqualScale: true}))
		for _, e := range find(all, "sk-tick") {
			ticks += e.attr["x"] + " " + e.attr["y"] + " " + e.text + "|"
		}
		return ticks, circles(all)[0]
	}
	xs, ys := []float64{-3, nan, 9, inf}, []float64{-2, 1e301, 4}
	a, p := draw([]float64{1, 2}, []float64{1, 1}, xs, ys)
	b, q := draw([]float64{1, -3, 9}, []float64{1, -2, 4}, xs, ys)
	if a != b || p != q {
		t.Errorf("%s, %v\n%s, %v", a, p, b, q)
	}
	if c, _ := draw([]float64{1, 2}, []float64{1, 1}, nil, nil); c == a {
		t.Error("values that are shown make no difference")
	}
	if got := texts(parse(t, Scatter(nil, &ScatterPlot{XShown: xs, YShown: ys}))); !strings.Contains(got,
		"no points to show") {
		t.Error(got)
	}
}

func TestScatterLeavesOut(t *testing.T) {
	for _, test := range []struct {
		x, y   []float64
		points int
		note   string
	}{
		{nil, nil, 0, "There are no points to show"},
		{[]float64{nan}, []float64{1}, 0, "1 of 1 rows are left out"},
		{[]float64{1, 2, nan, inf, 3, 1e301}, []float64{1, nan, 2, 3, -inf, 1},
			1, "5 of 6 rows are left out"},
		{[]float64{5}, []float64{-5}, 1, ""},
		{[]float64{5, 5, 5}, []float64{7, 7, 7}, 3, ""},
		{[]float64{1e300, -1e300}, []float64{1e-300, -1e-300}, 2, ""},
		{[]float64{1e150, -1e150}, []float64{1e-150, -1e-150}, 2, ""},
		{[]float64{1, math.Nextafter(1, 2)}, []float64{0, 5e-324}, 2, ""},
	} {
		for _, equal := range []bool{false, true} {
			all := parse(t, Scatter(nil, &ScatterPlot{X: test.x, Y: test.y, EqualScale: equal}))
			if got := circles(all); len(got) != test.points || !strings.Contains(texts(all), test.note) {
				t.Errorf("%v, %v: %d points, %q", test.x, test.y, len(got), texts(all))
			}
		}
	}
}

// Classes have colors, shapes, and a line each in the legend; opacities are those of the points.
func TestScatterClasses(t *testing.T) {
	s := &ScatterPlot{X: []float64{1, 2, 3, 4}, Y: []float64{1, 2, 3, 4}, Class: []int{1, 0, -3, 1},
		Classes: []string{"zero"}, Opacity: []float64{0, .255, 7, -1}}
	all := parse(t, Scatter(nil, s))
	if got := texts(all); !strings.HasPrefix(got, "no class|zero|2|") {
		t.Error(got)
	}
	// one in the legend, one of the points
	for class, n := range map[string]int{"sk-c0": 2, "sk-c1": 2, "sk-none": 2} {
		if got := len(find(all, class)); got != n {
			t.Errorf("%d elements of %s", got, class)
		}
	}
	var opacities []string
	for _, e := range all {
		if o, ok := e.attr["fill-opacity"]; ok {
			opacities = append(opacities, o)
		}
	}
	if want := []string{"1", "0.26", "0"}; !slices.Equal(opacities, want) {
		t.Errorf("opacities %q, want %q", opacities, want)
	}
}

func TestOutlines(t *testing.T) {
	square := []float64{0, 4, 4, 0, 2, nan, 2, 4} // one inside, one on an edge, one twice
	s := &ScatterPlot{X: []float64{0, 4}, Y: []float64{0, 4}, Outlines: []Outline{
		{Name: "now", Style: "current", X: square, Y: []float64{0, 0, 4, 4, 2, 0, 0, 4},
			Labels: []string{"1", "2", "3", "4", "5", "6"}},
		{Style: `a"b c`, X: []float64{1, 2}, Y: []float64{1, 2}},
		{X: []float64{1}, Y: []float64{1}}, {X: []float64{inf}, Y: []float64{1}}}}
	all := parse(t, Scatter(nil, s))
	var paths []string
	dots := 0
	for _, e := range all {
		if strings.HasPrefix(e.attr["d"], "M") && strings.Contains(e.attr["d"], "L") {
			paths = append(paths, e.attr["d"])
		}
		if e.name == "circle" {
			dots++
		}
	}
	if len(paths) != 2 || strings.Count(paths[0], "L") != 3 ||
		strings.Count(paths[1], "L") != 1 || dots != 7+2+1 {
		t.Errorf("%d vertices, %q", dots, paths)
	}
	at := circles(all)
	// The corners of the square are where the points of those coordinates are.
	hull := figures(paths[0])
	if slices.Min(hull) != min(at[0][0], at[1][1]) || hull[0] != at[0][0] || hull[1] != at[1][1] ||
		hull[4] != at[1][0] || hull[5] != at[0][1] {
		t.Errorf("the hull is %v, the points are at %v", hull, at[:2])
	}
	if len(find(all, "sk-current")) != 2 || len(find(all, "sk-abc")) != 1 {
		t.Error("styles are missing")
	}
	for _, label := range []string{"now", "|1|2|3|4|5"} {
		if got := texts(all); !strings.Contains(got, label) || strings.Contains(got, "|6") {
			t.Errorf("no %s: %s", label, got)
		}
	}
}

// Labels of centers that lie close together do not overlap.
func TestOutlineLabelsKeepApart(t *testing.T) {
	s := &ScatterPlot{X: []float64{0, 100}, Y: []float64{0, 100}, Outlines: []Outline{
		{X: []float64{50, 50, 50, 51}, Y: []float64{50, 50, 51, 50}, Labels: []string{"1", "2", "3", "4"}}}}
	at := find(parse(t, Scatter(nil, s)), "sk-halo")
	for i, a := range at {
		for _, b := range at[:i] {
			if math.Abs(a.num(t, "x")-b.num(t, "x")) < 7 && math.Abs(a.num(t, "y")-b.num(t, "y")) < 11 {
				t.Errorf("%s is upon %s", a.text, b.text)
			}
		}
	}
}
