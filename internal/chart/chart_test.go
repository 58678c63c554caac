package chart

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var nan, inf = math.NaN(), math.Inf(1)

func near(a, b, tol float64) bool { return math.Abs(a-b) <= tol }

// kinds draws one picture of every kind around the same frame.
func kinds(f Frame, names []string) map[string][]byte {
	corners := [3]string{}
	copy(corners[:], names)
	g := []float64{.2, .3, .5, 1, 0, 0}
	return map[string][]byte{
		"scatter":  Scatter(nil, &ScatterPlot{Frame: f, X: []float64{1, 2}, Y: []float64{3, 4}, Class: []int{0, 1}, Classes: names, Outlines: []Outline{{Name: names[0], Style: names[0], X: []float64{1}, Y: []float64{2}, Labels: names}}}),
		"ternary":  Ternary(nil, &TernaryPlot{Frame: f, Memberships: g, Corners: corners, Class: []int{0, 1}, Classes: names}),
		"lines":    Lines(nil, &LinePlot{Frame: f, Series: []Series{{Name: names[0], Y: []float64{1, 2}}}, XNames: names, Highlight: []float64{2}, HighlightName: names[1]}),
		"mixtures": Mixtures(nil, &MixturePlot{Frame: f, Memberships: g, K: 3, Names: names}),
		"tiles":    Tiles(nil, &TilePlot{Frame: f, Values: g, Rows: 1, Cols: 3, Names: names}),
	}
}

// Text is any bytes, and comes out as it went in where XML has a way to say it.
func TestText(t *testing.T) {
	const nasty = `<b>&amp;"']]>`
	names := []string{nasty, "a\x00b\x1f\xff\ufffe\n\tc", strings.Repeat("wide ", 100)}
	f := Frame{ID: `i"d 1>`, Title: nasty, Desc: nasty + "\x01", XLabel: nasty, YLabel: nasty}
	for kind, b := range kinds(f, names) {
		all := parse(t, b)
		if svg := all[0]; svg.attr["id"] != "id1" || svg.attr["aria-labelledby"] != "id1-title id1-desc" || svg.attr["role"] != "img" {
			t.Errorf("%s: %v", kind, svg.attr)
		}
		if title, desc := all[1], all[2]; title.name != "title" || title.attr["id"] != "id1-title" || title.text != nasty ||
			desc.name != "desc" || desc.attr["id"] != "id1-desc" || !strings.HasPrefix(desc.text, nasty+"\ufffd") {
			t.Errorf("%s: title %q, desc %q", kind, title.text, desc.text)
		}
		all = all[3:]
		if got := texts(all); !strings.Contains(got, nasty) || !strings.Contains(got, "a\ufffdb\ufffd\ufffd\ufffd  c") || (kind == "ternary" || kind == "mixtures") && !strings.Contains(got, "wide w") && !strings.Contains(got, "…") {
			t.Errorf("%s: %q", kind, got)
		}
	}
	for kind, b := range kinds(Frame{Title: nasty}, names) {
		svg := parse(t, b)[0]
		if _, ok := svg.attr["id"]; ok || svg.attr["aria-label"] != nasty {
			t.Errorf("%s without an id: %v", kind, svg.attr)
		}
	}
}

// Whatever the size asked for, text is inside and the area is not empty.
func TestSizes(t *testing.T) {
	for _, w := range []int{-1, 0, 1, 200, 360, 1000, math.MaxInt32} {
		for _, h := range []int{-1, 0, 1, 300, math.MaxInt32} {
			for kind, b := range kinds(Frame{Width: w, Height: h, Title: strings.Repeat("title ", 30), XLabel: "x", YLabel: "y"}, []string{"a", "b", "c"}) {
				svg := parse(t, b)[0]
				if got := svg.num(t, "width"); w == 360 && got != 360 || w == 0 && got != 480 || svg.num(t, "height") < 100 {
					t.Errorf("%s: %d×%d becomes %v", kind, w, h, svg.attr)
				}
			}
		}
	}
}

func TestTernaryCorners(t *testing.T) {
	s := &TernaryPlot{Memberships: []float64{1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 0, 3e200, 3e200, 1, -5, 0, nan, 1, 0, 0, 0, 0}}
	all := parse(t, Ternary(nil, s))
	c := figures(find(all, "sk-axis")[0].attr["d"])
	if len(c) != 6 || !near(c[1]+(c[4]-c[2])*math.Sqrt(3)/2, c[3], .2) || c[3] != c[5] || !near(c[0], (c[2]+c[4])/2, .1) {
		t.Fatalf("no equilateral triangle: %v", c)
	}
	got := circles(all)
	want := [][2]float64{{c[0], c[1]}, {c[2], c[3]}, {c[4], c[5]}, {c[0], (c[1] + 2*c[3]) / 3}, {c[0], c[3]}, {c[0], c[1]}}
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

func TestEqualScale(t *testing.T) {
	for _, w := range []int{360, 1000} {
		for _, scale := range []float64{1, 1e150, 1e-150, 12345} {
			s := &ScatterPlot{Frame: Frame{Width: w}, X: []float64{0, 7, 0}, Y: []float64{0, 0, 7}, EqualScale: true}
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
	if got := texts(parse(t, Scatter(nil, &ScatterPlot{XShown: xs, YShown: ys}))); !strings.Contains(got, "no points to show") {
		t.Error(got)
	}
}

// A tick stands where a point of its value does.
func TestTicksStandAtValues(t *testing.T) {
	all := parse(t, Scatter(nil, &ScatterPlot{X: []float64{0, 2, 9}, Y: []float64{-20, 40, 100}}))
	points := circles(all)
	seen := 0
	for _, e := range find(all, "sk-tick") {
		switch {
		case e.text == "2" && e.attr["text-anchor"] == "middle" && near(e.num(t, "x"), points[1][0], .1),
			e.text == "−20" && near(e.num(t, "y")-4, points[0][1], .1),
			e.text == "40" && near(e.num(t, "y")-4, points[1][1], .1),
			e.text == "100" && near(e.num(t, "y")-4, points[2][1], .1):
			seen++
		}
	}
	if seen != 4 {
		t.Errorf("%d of 4 ticks in place: %s", seen, texts(all))
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
		{[]float64{1, 2, nan, inf, 3, 1e301}, []float64{1, nan, 2, 3, -inf, 1}, 1, "5 of 6 rows are left out"},
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

// Classes have colors, shapes, and a line each in the legend; sizes and
// opacities are those of the points.
func TestScatterClasses(t *testing.T) {
	s := &ScatterPlot{X: []float64{1, 2, 3, 4}, Y: []float64{1, 2, 3, 4}, Class: []int{1, 0, -3, 1}, Classes: []string{"zero"}, Size: []float64{1, 5, -1, nan}, Opacity: []float64{0, .255, 7, -1}}
	all := parse(t, Scatter(nil, s))
	if got := texts(all); !strings.HasPrefix(got, "no class|zero|2|") {
		t.Error(got)
	}
	for class, n := range map[string]int{"sk-c0": 2, "sk-c1": 2, "sk-none": 2} { // one in the legend, one of the points
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
	if !strings.Contains(string(Scatter(nil, s)), "a5 5 ") {
		t.Error("no point of radius 5")
	}
}

func TestOutlines(t *testing.T) {
	square := []float64{0, 4, 4, 0, 2, nan}
	s := &ScatterPlot{X: []float64{0, 4}, Y: []float64{0, 4}, Outlines: []Outline{
		{Name: "now", Style: "current", X: square, Y: []float64{0, 0, 4, 4, 2, 0}, Labels: []string{"1", "2", "3", "4", "5", "6"}},
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
	if len(paths) != 2 || strings.Count(paths[0], "L") != 3 || strings.Count(paths[1], "L") != 1 || dots != 5+2+1 {
		t.Errorf("%d vertices, %q", dots, paths)
	}
	at := circles(all)
	// The corners of the square are where the points of those coordinates are.
	hull := figures(paths[0])
	if slices.Min(hull) != min(at[0][0], at[1][1]) || hull[0] != at[0][0] || hull[1] != at[1][1] || hull[4] != at[1][0] || hull[5] != at[0][1] {
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

// Labels of centers that lie together stand beside each other.
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

func TestSample(t *testing.T) {
	const n = 100000
	class := make([]int, n)
	for i := range class {
		switch {
		case i == 77777:
			class[i] = 9 // one row only
		case i%4 == 0:
			class[i] = 1
		case i%3 == 0:
			class[i] = -1
		}
	}
	for _, most := range []int{0, 5000, 999, 1} {
		rows, notes := sample(n, class, most, func(i int) bool { return i != 5 })
		want := most
		if most == 0 {
			want = 5000
		}
		if len(rows) != want {
			t.Errorf("%d rows of at most %d", len(rows), want)
		}
		if notes[0] != strconv.Itoa(want)+" of 99999 rows are shown, evenly spaced" || !strings.HasPrefix(notes[1], "1 of 100000 rows are left out") {
			t.Errorf("%q", notes)
		}
		if most == 1 {
			continue // fewer than classes
		}
		count := map[int]int{}
		last := map[int]int{}
		for _, i := range rows {
			c := classOf(class, i)
			if j, ok := last[c]; ok && (i <= j || i-j > 30*n/want) {
				t.Fatalf("class %d: row %d after %d", c, i, j)
			}
			last[c] = i
			count[c]++
		}
		if count[9] != 1 || !near(float64(count[1])/float64(want), .25, .01) {
			t.Errorf("classes %v of %d", count, want)
		}
	}
	rows, notes := sample(10, nil, 10, func(int) bool { return true })
	if len(rows) != 10 || len(notes) != 0 {
		t.Errorf("%v, %q", rows, notes)
	}
	ids := make([]int, 30)
	for i := range ids {
		ids[i] = i
	}
	if rows, _ := sample(30, ids, 10, func(int) bool { return true }); len(rows) != 10 {
		t.Errorf("as many classes as rows: %d", len(rows))
	}
}

func TestLines(t *testing.T) {
	s := &LinePlot{Series: []Series{{Name: "a", Y: []float64{1000, 100, nan, 10, 0, 1, -1}}, {Name: "b", X: []float64{1, 7}, Y: []float64{1, 1000}, Markers: true}},
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
		t.Error("zeros are not marked")
	}
	mark := find(all, "sk-mark")
	if x := figures(mark[1].attr["d"]); len(mark) != 2 || !near(x[0], (b[0]+b[2])/2, .1) {
		t.Errorf("the mark of 4 is at %v, the middle of %v", x, b)
	}
	if got := texts(all); !strings.HasPrefix(got, "a|b|here|") || !strings.Contains(got, "0 or below") || !strings.Contains(got, "|1|2|3|4|5|6|7") {
		t.Error(got)
	}

	long := &LinePlot{Series: []Series{{Y: make([]float64, 1000000)}}}
	for i := range long.Series[0].Y {
		long.Series[0].Y[i] = math.Sin(float64(i))
	}
	if b := Lines(nil, long); len(b) > 50000 {
		t.Errorf("a million points take %d bytes", len(b))
	}
	named := parse(t, Lines(nil, &LinePlot{Series: []Series{{Y: []float64{1, 2, 3}}}, XNames: []string{"x", "y", "z"}}))
	if got := texts(named); !strings.HasSuffix(got, "|x|y|z") {
		t.Error(got)
	}
	for _, y := range [][]float64{nil, {0}, {-1, -2}, {nan}, {5}, {1e-300}, {1e300, 1e-280}} {
		for _, log := range []bool{false, true} {
			parse(t, Lines(nil, &LinePlot{Series: []Series{{Y: y, Markers: true}}, LogY: log, IntegerX: true}))
		}
	}
}

func TestMixtures(t *testing.T) {
	// Sorted: rows 2 and 0 of the first cluster, then row 1.
	s := &MixturePlot{Memberships: []float64{.6, .4, .25, .75, 1, 0, nan, 1, 0, 0}, K: 2, Names: []string{"p"}}
	all := parse(t, Mixtures(nil, s))
	areas := find(all, "sk-area")[2:] // after the legend; from the back to the front
	back, front := figures(areas[0].attr["d"]), figures(areas[1].attr["d"])
	left, bottom, top, right := back[0], back[1], back[2], back[3]
	if len(back) != 5 || back[4] != bottom || len(front) != 9 {
		t.Fatalf("%v, %v", back, front)
	}
	want := []float64{left, bottom, top, left + (right-left)/3, bottom + .6*(top-bottom), left + (right-left)*2/3, bottom + .25*(top-bottom), right, bottom}
	for i := range want {
		if !near(front[i], want[i], .11) {
			t.Errorf("%v, want %v", front, want)
		}
	}
	if split := figures(find(all, "sk-split")[0].attr["d"]); !near(split[0], want[5], .11) {
		t.Errorf("split at %v", split)
	}
	if got := texts(all); !strings.HasPrefix(got, "p (2)|2 (1)|") || !strings.Contains(got, "2 of 5 rows are left out") {
		t.Error(got)
	}

	many := &MixturePlot{K: 2}
	for i := range 100000 {
		u := float64(i%1000) / 999
		many.Memberships = append(many.Memberships, u, 1-u)
	}
	b := Mixtures(nil, many)
	all = parse(t, b)
	if got := texts(all); !strings.Contains(got, "100000 rows; each bar is the mean of about 2") || len(b) > 20000 {
		t.Errorf("%d bytes, %s", len(b), got)
	}
	// The first cluster's share falls from 1 to 1/2 in its own rows, and rises
	// from 0 to 1/2 in those of the second.
	var levels []float64
	for _, m := range regexp.MustCompile(`V([\d.]+)`).FindAllStringSubmatch(find(all, "sk-area")[3].attr["d"], -1) {
		v, _ := strconv.ParseFloat(m[1], 64)
		levels = append(levels, (bottom-v)/(bottom-top))
	}
	second := slices.IndexFunc(levels, func(v float64) bool { return v < .1 })
	falling := slices.IsSortedFunc(levels[:second], // the last of which may be a column of both
		func(a, b float64) int { return cmp.Compare(b, a) })
	if rising := levels[second : len(levels)-1]; !near(levels[0], 1, .01) || !falling || !near(levels[second-2], .5, .02) ||
		!near(rising[0], 0, .01) || !slices.IsSorted(rising) || !near(rising[len(rising)-1], .5, .02) {
		t.Errorf("%.2f", levels)
	}
	for _, s := range []*MixturePlot{{}, {K: -1}, {K: 3}, {K: math.MaxInt}, {K: 1, Memberships: []float64{.5}}, {K: 2, Memberships: []float64{1e300, 1e300, -1, -1, 1e-300, 1}}} {
		parse(t, Mixtures(nil, s))
	}
}

func TestTiles(t *testing.T) {
	all := parse(t, Tiles(nil, &TilePlot{Values: []float64{0, 31, 31, 10, 0, 0, nan, 31}, Rows: 2, Cols: 2, Names: []string{"one"}}))
	tiles := find(all, "sk-ink")
	if len(tiles) != 2 {
		t.Fatalf("%d tiles", len(tiles))
	}
	var got []string
	for _, e := range all {
		if o, ok := e.attr["fill-opacity"]; ok {
			got = append(got, o+" "+e.attr["d"])
		}
	}
	if want := []string{"0.32 M1 1h1v1h-1z", "1 M1 0h1v1h-1zM0 1h1v1h-1z", "1 M1 1h1v1h-1z"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := texts(all); !strings.HasSuffix(got, "one|2") || !strings.Contains(got, "From 0 (paper) to 31 (ink)|1 values are not finite") {
		t.Error(got)
	}
	for size, want := range map[int]string{0: "scale(36.0000 36.0000)", 100: "scale(50.0000 50.0000)", 1 << 30: "scale(232.0000 232.0000)"} {
		if b := Tiles(nil, &TilePlot{Values: make([]float64, 8), Rows: 2, Cols: 2, Size: size}); !strings.Contains(string(b), want) {
			t.Errorf("tiles of %d px are not drawn with %s", size, want)
		}
	}
	big := make([]float64, 3*1000*1000)
	for i := range big {
		big[i] = float64(i % 977)
	}
	if b := Tiles(nil, &TilePlot{Values: big, Rows: 1000, Cols: 1000}); len(b) > 2000000 {
		t.Errorf("%d bytes", len(b))
	}
	for _, s := range []*TilePlot{{}, {Rows: 3, Cols: -1, Values: big[:9]}, {Rows: math.MaxInt, Cols: math.MaxInt, Values: big[:9]}, {Rows: 1, Cols: 5000, Values: big[:5000]},
		{Rows: 5000, Cols: 1, Values: big[:10000]}, {Rows: 1, Cols: 2, Values: []float64{7, 7}}, {Rows: 1, Cols: 2, Values: []float64{-1e300, 1e300}}, {Rows: 1, Cols: 1, Values: []float64{inf}}} {
		parse(t, Tiles(nil, s))
	}
	for d, want := range map[int][2]int{64: {8, 8}, 784: {28, 28}, 4: {2, 2}, 1: {1, 1}, 13: {1, 13}, 0: {0, 0}, -4: {1, 0}} {
		if r, c := Square(d); r != want[0] || c != want[1] {
			t.Errorf("%d pixels are %d×%d", d, r, c)
		}
	}
}

// Pictures are appended, and nothing in front of them is touched.
func TestAppend(t *testing.T) {
	b := []byte("before")
	b = Lines(b, &LinePlot{Series: []Series{{Y: []float64{1, 2}}}})
	b = Mixtures(b, &MixturePlot{K: 2, Memberships: []float64{0, 1}})
	b = Tiles(b, &TilePlot{Values: []float64{1}, Rows: 1, Cols: 1})
	if s := string(b); !strings.HasPrefix(s, "before<svg ") || strings.Count(s, "<svg ") != 3 || strings.Count(s, "</svg>\n") != 3 {
		t.Errorf("%.100s", s)
	}
}

func TestNumbers(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 1234.5678: "1235", -0.5: "−0.5", 1e-7: "1e−7", 123456789: "1.235e8", 1.5e150: "1.5e150", 12345: "12345"} {
		if got := number(v); got != want {
			t.Errorf("%g is written %s, want %s", v, got, want)
		}
	}
	for v, want := range map[float64]string{0: "0", -0.04: "0", 1.25: "1.3", -1.25: "-1.3", 12: "12", nan: "-1000000", 1e300: "1000000"} {
		if got := string(appendCoordinate(nil, v)); got != want {
			t.Errorf("%g is at %s, want %s", v, got, want)
		}
	}
	if got := wrap("one two three four", 50, 12, 2); !slices.Equal(got, []string{"one two", "three f…"}) && len(got) != 2 {
		t.Errorf("%q", got)
	}
}

func FuzzPictures(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9}, "a", uint8(3), 360)
	f.Add([]byte{0, 255, 128, 0, 254, 3, 1, 1, 200}, "<\xff\x00>", uint8(0), 0)
	values := []float64{0, 1, -1, .5, nan, inf, -inf, 1e150, -1e150, 1e-150, 5e-324, math.MaxFloat64, -math.MaxFloat64, 1e300, -1e300, math.Nextafter(1, 2), 1e-290, 3, 1e15, .1}
	f.Fuzz(func(t *testing.T, data []byte, name string, k uint8, w int) {
		var v []float64
		var class []int
		for i, b := range data {
			x := values[int(b)%len(values)]
			if b >= 128 {
				x = float64(b) + float64(i)/7
			}
			v, class = append(v, x), append(class, int(int8(b)))
		}
		if len(v) > 300 {
			return
		}
		n, names, half := int(k%12), []string{name, "x"}, len(v)/2
		frame := Frame{ID: name, Title: name, XLabel: name, Width: w % 2000, Height: w / 2000 % 2000}
		parse(t, Scatter(nil, &ScatterPlot{Frame: frame, X: v, Y: v[half:], Class: class, Classes: names, Size: v, Opacity: v, EqualScale: k%2 == 0, MaxPoints: n,
			Outlines: []Outline{{Name: name, Style: name, X: v[half:], Y: v, Labels: names}}}))
		parse(t, Scatter(nil, &ScatterPlot{Frame: frame, X: v, Y: v[half:], EqualScale: k%2 == 0, MaxPoints: n}))
		parse(t, Ternary(nil, &TernaryPlot{Frame: frame, Memberships: v, Corners: [3]string{name}, Class: class, MaxPoints: n}))
		parse(t, Lines(nil, &LinePlot{Frame: frame, Series: []Series{{Name: name, Y: v}, {X: v, Y: v[half:], Markers: true}}, LogY: k%2 == 0, IntegerX: k%3 == 0, Highlight: v[:min(n, len(v))], HighlightName: name}))
		parse(t, Lines(nil, &LinePlot{Frame: frame, Series: []Series{{Y: v}}, LogY: k%2 == 0, XNames: names}))
		parse(t, Mixtures(nil, &MixturePlot{Frame: frame, Memberships: v, K: n, Names: names}))
		parse(t, Tiles(nil, &TilePlot{Frame: frame, Values: v, Rows: n, Cols: int(k / 12), Names: names}))
	})
}
