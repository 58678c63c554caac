package chart

import (
	"math"
	"strings"
	"testing"
)

// Whatever the size asked for, text is inside and the area is not empty.
func TestSizes(t *testing.T) {
	for _, w := range []int{-1, 0, 1, 200, 360, 1000, math.MaxInt32} {
		for _, h := range []int{-1, 0, 1, 300, math.MaxInt32} {
			for kind, b := range kinds(Frame{Width: w, Height: h, Title: strings.Repeat("title ", 30),
				XLabel: "x", YLabel: "y"}, []string{"a", "b", "c"}) {
				svg := parse(t, b)[0]
				if got := svg.num(t, "width"); w == 360 && got != 360 ||
					w == 0 && got != 480 || svg.num(t, "height") < 100 {
					t.Errorf("%s: %d×%d becomes %v", kind, w, h, svg.attr)
				}
			}
		}
	}
}

// Pictures are appended, and nothing in front of them is touched.
func TestAppend(t *testing.T) {
	b := []byte("before")
	b = Lines(b, &LinePlot{Series: []Series{{Y: []float64{1, 2}}}})
	b = Mixtures(b, &MixturePlot{K: 2, Memberships: []float64{0, 1}})
	b = Tiles(b, &TilePlot{Values: []float64{1}, Rows: 1, Cols: 1})
	if s := string(b); !strings.HasPrefix(s, "before<svg ") || strings.Count(s, "<svg ") != 3 ||
		strings.Count(s, "</svg>\n") != 3 {
		t.Errorf("%.100s", s)
	}
}

func FuzzPictures(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9}, "a", uint8(3), 360)
	f.Add([]byte{0, 255, 128, 0, 254, 3, 1, 1, 200}, "<\xff\x00>", uint8(0), 0)
	values := []float64{0, 1, -1, .5, nan, inf, -inf, 1e150, -1e150, 1e-150, 5e-324, math.MaxFloat64,
		-math.MaxFloat64, 1e300, -1e300, math.Nextafter(1, 2), 1e-290, 3, 1e15, .1}
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
		parse(t, Scatter(nil, &ScatterPlot{Frame: frame, X: v, Y: v[half:], Class: class, Classes: names,
			Opacity: v, EqualScale: k%2 == 0, MaxPoints: n,
			Outlines: []Outline{{Name: name, Style: name, X: v[half:], Y: v, Labels: names}}}))
		parse(t, Scatter(nil, &ScatterPlot{Frame: frame, X: v, Y: v[half:],
			EqualScale: k%2 == 0, MaxPoints: n}))
		parse(t, Ternary(nil, &TernaryPlot{Frame: frame, Memberships: v,
			Corners: [3]string{name}, Class: class, MaxPoints: n}))
		parse(t, Lines(nil, &LinePlot{Frame: frame,
			Series: []Series{{Name: name, Y: v}, {X: v, Y: v[half:], Markers: true}}, LogY: k%2 == 0,
			IntegerX: k%3 == 0, Highlight: v[:min(n, len(v))], HighlightName: name}))
		parse(t, Lines(nil, &LinePlot{Frame: frame, Series: []Series{{Y: v}}, LogY: k%2 == 0, XNames: names}))
		parse(t, Mixtures(nil, &MixturePlot{Frame: frame, Memberships: v, K: n, Names: names}))
		parse(t, Tiles(nil, &TilePlot{Frame: frame, Values: v, Rows: n, Cols: int(k / 12), Names: names}))
	})
}
