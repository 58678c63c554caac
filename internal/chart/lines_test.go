package chart

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestLines(t *testing.T) {
	s := &LinePlot{Series: []Series{{Name: "a", Y: []float64{1000, 100, nan, 10, 0, 1, -1}},
		{Name: "b", X: []float64{1, 7}, Y: []float64{1, 1000}, Markers: true}},
		LogY: true, IntegerX: true, Highlight: []float64{4, inf}, HighlightName: "here"}
	all := parse(t, Lines(nil, s))
	lines := find(all, "sk-line")[2:] // after the legend
	if len(lines) != 2 {
		t.Fatalf("%d lines", len(lines))
	}
	a, b := figures(lines[0].attr["d"]), figures(lines[1].attr["d"])
	if strings.Count(lines[0].attr["d"], "M") != 1 || len(a) != 4 || len(b) != 4 {
		t.Fatalf("%q, %q", lines[0].attr["d"], lines[1].attr["d"])
	}
	// A power of ten is as high everywhere, and b ends where a begins.
	if a[1] != b[3] || !near(3*(a[3]-a[1]), b[1]-b[3], .3) {
		t.Errorf("%v, %v", a, b)
	}
	if open := find(all, "sk-open"); len(open) != 1 || strings.Count(open[0].attr["d"], "z") != 2 {
		t.Error("zeros have no triangles")
	}
	mark := find(all, "sk-mark")
	if x := figures(mark[1].attr["d"]); len(mark) != 2 || !near(x[0], (b[0]+b[2])/2, .1) {
		t.Errorf("the line at 4 is at %v, the middle of %v", x, b)
	}
	if got := texts(all); !strings.HasPrefix(got, "a|b|here|") || !strings.Contains(got, "0 or below") ||
		!strings.Contains(got, "|1|2|3|4|5|6|7") {
		t.Error(got)
	}

	long := &LinePlot{Series: []Series{{Y: make([]float64, 100000)}}}
	for i := range long.Series[0].Y {
		long.Series[0].Y[i] = math.Sin(float64(i))
	}
	if b := Lines(nil, long); len(b) > 50000 {
		t.Errorf("100 000 points take %d bytes", len(b))
	}
	versions := parse(t, Lines(nil, &LinePlot{Series: []Series{{Name: "a", Y: []float64{1, 2}},
		{Name: "b", Y: []float64{3, 4}}, {Y: []float64{2, 3}, Of: 2}}}))
	if got := find(versions, "sk-line"); len(got) != 5 || got[4].attr["class"] != "sk-line sk-c1 sk-other" ||
		got[3].attr["class"] != "sk-line sk-c1" {
		t.Errorf("another version of b: %v", got)
	}
	named := parse(t, Lines(nil, &LinePlot{Series: []Series{{Y: []float64{1, 2, 3}}},
		XNames: []string{"x", "y", "z"}}))
	if got := texts(named); !strings.HasSuffix(got, "|x|y|z") {
		t.Error(got)
	}
	for _, y := range [][]float64{nil, {0}, {-1, -2}, {nan}, {5}, {1e-300}, {1e300, 1e-280}} {
		for _, log := range []bool{false, true} {
			parse(t, Lines(nil, &LinePlot{Series: []Series{{Y: y, Markers: true}}, LogY: log,
				IntegerX: true}))
		}
	}
}

func TestThin(t *testing.T) {
	var run []vertex
	for i := range 10000 {
		run = append(run, vertex{x: float64(i) / 1000, y: math.Sin(float64(i))})
	}
	run[4321].y, run[4999].y = 7, -7
	got := thin(run)
	if len(got) > 40 || got[0] != run[0] || got[len(got)-1] != run[9999] ||
		!slices.Contains(got, run[4321]) || !slices.Contains(got, run[4999]) {
		t.Errorf("%d points", len(got))
	}
	if !slices.IsSortedFunc(got, func(a, b vertex) int { return int(math.Ceil(1000 * (a.x - b.x))) }) {
		t.Error("not in order")
	}
	if got := thin(run[:1]); !slices.Equal(got, run[:1]) {
		t.Errorf("one point: %v", got)
	}
}

// Points of series stand side by side, with a stroke each from the low to the high end, except where these are no numbers.
func TestStrokes(t *testing.T) {
	nan := math.NaN()
	all := string(Lines(nil, &LinePlot{Points: true, Series: []Series{
		{Y: []float64{1, 2}, Low: []float64{0, nan}, High: []float64{3, nan}},
		{Y: []float64{1, 2}, Low: []float64{-1, 1}, High: []float64{2, 4}}}}))
	parse(t, []byte(all))
	strokes := regexp.MustCompile(`class="sk-line sk-c\d" d="((?:M[\d.]+ [\d.]+V[\d.]+)*)"`).FindAllStringSubmatch(all, -1)
	if len(strokes) != 2 || strings.Count(strokes[0][1], "M") != 1 || strings.Count(strokes[1][1], "M") != 2 {
		t.Fatalf("%v in %s", strokes, all)
	}
	var x, low, high [2]float64
	for i, s := range strokes {
		if _, err := fmt.Sscanf(s[1], "M%f %fV%f", &x[i], &low[i], &high[i]); err != nil {
			t.Fatal(err)
		}
	}
	// Ends are 3 and 3 apart, and start at 0 and −1: a unit of y is a third of a stroke.
	if unit := (low[0] - high[0]) / 3; !(x[0] < x[1]) || math.Abs(low[1]-low[0]-unit) > .11 || math.Abs(low[1]-high[1]-3*unit) > .11 {
		t.Error(x, low, high)
	}
}

// Points of x without an order have no lines between them, and markers in the legend.
func TestPoints(t *testing.T) {
	all := string(Lines(nil, &LinePlot{Points: true, Series: []Series{{Name: "a", Y: []float64{1, 2, 3}}}}))
	if parse(t, []byte(all)); strings.Contains(all, `class="sk-line`) || strings.Count(all, `class="sk-point sk-c0"`) != 2 {
		t.Error(all)
	}
}
