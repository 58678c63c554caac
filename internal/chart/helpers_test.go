package chart

import (
	"bytes"
	"encoding/xml"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// element is one of a picture, with the text directly in it.
type element struct {
	name, class, text string
	attr              map[string]string
}

func (e *element) num(t testing.TB, name string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(e.attr[name], 64)
	if err != nil {
		t.Fatalf("%s of %s is %q", name, e.name, e.attr[name])
	}
	return v
}

var (
	notFinite = regexp.MustCompile(`NaN|Inf`)
	longTail  = regexp.MustCompile(`\.\d\d\d`)
)

// parse reads pictures, and fails where they are not XML, have numbers that
// are not finite, or text or points outside of their borders.
func parse(t testing.TB, b []byte) (all []*element) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(b))
	var open []*element
	var w, h float64
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v in %.3000s", err, b)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := &element{name: token.Name.Local, attr: map[string]string{}}
			for _, a := range token.Attr {
				e.attr[a.Name.Local] = a.Value
				if a.Name.Local == "d" && (notFinite.MatchString(a.Value) || longTail.MatchString(a.Value)) {
					t.Fatalf("%s=%.300q in %.3000s", a.Name.Local, a.Value, b)
				}
			}
			e.class = e.attr["class"]
			all, open = append(all, e), append(open, e)
			if e.name == "svg" {
				w, h = e.num(t, "width"), e.num(t, "height")
			}
			for _, m := range circles([]*element{e}) {
				if m[0] < 0 || m[0] > w || m[1] < 0 || m[1] > h {
					t.Fatalf("a point at %v of %g×%g in %.3000s", m, w, h, b)
				}
			}
		case xml.CharData:
			if len(open) > 0 {
				open[len(open)-1].text += string(token)
			}
		case xml.EndElement:
			e := open[len(open)-1]
			open = open[:len(open)-1]
			if e.name != "text" {
				break
			}
			font := map[string]float64{"sk-note": noteSize, "sk-title": titleSize}[e.class]
			if font == 0 {
				font = textSize
			}
			x, y, size := e.num(t, "x"), e.num(t, "y"), width(e.text, font)
			switch e.attr["text-anchor"] {
			case "middle":
				x -= size / 2
			case "end":
				x -= size
			}
			if x < -1 || x+size > w+1 || y < 8 || y > h {
				t.Fatalf("%q is at %g…%g, %g of %g×%g in %.3000s", e.text, x, x+size, y, w, h, b)
			}
		}
	}
	return all
}

// find returns the elements that have the class.
func find(all []*element, class string) (found []*element) {
	for _, e := range all {
		if strings.Contains(" "+e.class+" ", " "+class+" ") {
			found = append(found, e)
		}
	}
	return found
}

// texts are all that is written, one after the other.
func texts(all []*element) string {
	var s []string
	for _, e := range all {
		if e.name == "text" {
			s = append(s, e.text)
		}
	}
	return strings.Join(s, "|")
}

var circle = regexp.MustCompile(`M(-?[\d.]+) (-?[\d.]+)a([\d.]+) `)

// circles are the middles of all round markers, that of the legend included.
func circles(all []*element) (at [][2]float64) {
	for _, e := range all {
		for _, m := range circle.FindAllStringSubmatch(e.attr["d"], -1) {
			x, _ := strconv.ParseFloat(m[1], 64)
			y, _ := strconv.ParseFloat(m[2], 64)
			r, _ := strconv.ParseFloat(m[3], 64)
			at = append(at, [2]float64{x + r, y})
		}
	}
	return at
}

var figure = regexp.MustCompile(`-?[\d.]+`)

// figures are the numbers of a path, letters left aside.
func figures(path string) (v []float64) {
	for _, s := range figure.FindAllString(path, -1) {
		f, _ := strconv.ParseFloat(s, 64)
		v = append(v, f)
	}
	return v
}

var nan, inf = math.NaN(), math.Inf(1)

func near(a, b, tol float64) bool { return math.Abs(a-b) <= tol }

// kinds draws one picture of every kind around the same frame.
func kinds(f Frame, names []string) map[string][]byte {
	corners := [3]string{}
	copy(corners[:], names)
	g := []float64{.2, .3, .5, 1, 0, 0}
	return map[string][]byte{
		"scatter": Scatter(nil, &ScatterPlot{Frame: f, X: []float64{1, 2}, Y: []float64{3, 4},
			Class: []int{0, 1}, Classes: names, Outlines: []Outline{{Name: names[0], Style: names[0],
				X: []float64{1}, Y: []float64{2}, Labels: names}}}),
		"ternary": Ternary(nil, &TernaryPlot{Frame: f, Memberships: g, Corners: corners,
			Class: []int{0, 1}, Classes: names}),
		"lines": Lines(nil, &LinePlot{Frame: f, Series: []Series{{Name: names[0], Y: []float64{1, 2}}},
			XNames: names, Highlight: []float64{2}, HighlightName: names[1]}),
		"mixtures": Mixtures(nil, &MixturePlot{Frame: f, Memberships: g, K: 3, Names: names}),
		"tiles":    Tiles(nil, &TilePlot{Frame: f, Values: g, Rows: 1, Cols: 3, Names: names}),
	}
}
