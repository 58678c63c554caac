package chart

import (
	"math"
	"slices"
)

// LinePlot is several series over one axis, as the floor for every k, the
// objective after every iteration, or the centers over the columns.
type LinePlot struct {
	Frame
	Series   []Series
	Points   bool     // markers without lines, of x = 1, 2, … that have no order: those of series stand side by side
	LogY     bool     // a logarithmic axis; values of 0 and below are triangles at its lower end
	LogX     bool     // a logarithmic axis of x, which are above 0
	IntegerX bool     // ticks at integers only
	XNames   []string // of x = 1, 2, …, in place of ticks

	// Highlight has the values of x with a vertical line. HighlightName is the lines' name in the legend.
	Highlight     []float64
	HighlightName string
}

// Series is one line. It has a gap where a value is not finite.
type Series struct {
	Name    string
	X       []float64 // nil: 1, 2, …
	Y       []float64
	Markers bool
	// Low and High are the ends of a stroke through each point; nil: there is none
	Low, High []float64
	// the number, from 1, of the series of which this is another version: dotted, of its
	// color, not in the legend; 0: none
	Of int
}

func (s *Series) class(i int) string {
	if s.Of > 0 {
		return "sk-line " + color(s.Of-1) + " sk-other"
	}
	return "sk-line " + color(i) + dash(i)
}

func (s *Series) len() int {
	if s.X == nil {
		return len(s.Y)
	}
	return min(len(s.X), len(s.Y))
}

func (s *Series) x(i int) float64 {
	if s.X == nil {
		return float64(i + 1)
	}
	return s.X[i]
}

// Lines appends the picture to dst, and nothing for a nil plot.
func Lines(dst []byte, s *LinePlot) []byte {
	if s == nil {
		return dst
	}
	ex, ey, low := s.extents()
	var notes []string
	if !ex.some {
		notes = append(notes, "There are no points to show")
	}
	if low {
		notes = append(notes, "Open triangles at the lower end: 0 or below")
	}
	var legend []entry
	for i := range s.Series {
		if name := s.Series[i].Name; name != "" {
			e := entry{name: name, class: s.Series[i].class(i), kind: entryLine}
			if s.Points {
				e = entry{name: name, class: color(i), kind: entryPoint, shape: shape(i)}
			}
			legend = append(legend, e)
		}
	}
	var highlight []float64
	for _, v := range s.Highlight {
		if finite(v) {
			highlight = append(highlight, v)
			ex.add(v)
		}
	}
	if len(highlight) > 0 && s.HighlightName != "" {
		legend = append(legend, entry{name: s.HighlightName, class: "sk-mark", kind: entryLine})
	}

	p := s.layout(dst, legend, notes, space{height: 300, below: axisHeight, least: 110})
	x := axis{log: s.LogX}
	if x.lo, x.hi = ex.padded(.02); s.Points {
		x.lo, x.hi = x.lo-.5, x.hi+.5
	}
	y := s.yAxis(ey, low)
	p.fitAxes(&x, &y, false, s.IntegerX)
	if s.IntegerX { // only within the data, not in the padding
		x.ticks = slices.DeleteFunc(x.ticks, func(t tick) bool { return t.at < ex.lo || t.at > ex.hi })
	}
	if len(s.XNames) > 0 {
		x.ticks = nameTicks(s.XNames, &x)
	}
	p.open("lines")
	p.axes(&x, &y)
	for _, v := range highlight {
		p.raw(`<path class="sk-mark" d="M`).point(x.pos(v), p.top).raw("V").num(p.bottom).raw(`"/>`)
	}
	for i := range s.Series {
		aside := 0.0
		if s.Points {
			aside = sideBySide * ((float64(i)+.5)/float64(len(s.Series)) - .5)
		}
		p.series(&s.Series[i], i, s.Points, aside*(x.pos(2)-x.pos(1)), &x, &y)
	}
	p.bands(s, &x)
	return p.close()
}

// extents returns the ranges of x and y over all series; with LogY that of the
// logarithms of y. low reports whether a value has no logarithm.
func (s *LinePlot) extents() (ex, ey extent, low bool) {
	for i := range s.Series {
		for j := range s.Series[i].len() {
			x, y := s.Series[i].x(j), s.Series[i].Y[j]
			switch {
			case !finite(x) || !finite(y):
				continue
			case !s.LogY:
				ey.add(y)
			case y >= vanishing:
				ey.add(math.Log10(y))
			default:
				low = true
			}
			if s.LogX {
				x = math.Log10(x)
			}
			ex.add(x)
			if s.Series[i].Low != nil {
				ey.add(s.Series[i].Low[j])
				ey.add(s.Series[i].High[j])
			}
		}
	}
	return ex, ey, low
}

// yAxis returns the axis for values of the extent ey. With low it leaves space
// at the lower end for the values that have no logarithm.
func (s *LinePlot) yAxis(ey extent, low bool) axis {
	y := axis{log: s.LogY}
	y.lo, y.hi = ey.padded(.05)
	switch {
	case y.log && (!ey.some || ey.hi-ey.lo < 1e-6):
		y.lo, y.hi = ey.lo-.5, ey.lo+.5
	case y.log && low:
		y.lo -= .12 * (y.hi - y.lo)
	case !y.log && ey.lo >= 0 && ey.lo < .3*ey.hi:
		y.lo = 0 // near enough to be shown
	}
	return y
}

// nameTicks puts the names at x = 1, 2, …, leaving some out where they would overlap.
func nameTicks(names []string, x *axis) (ticks []tick) {
	const longest = 90
	w := min(widest(names), longest)
	each := math.Abs(x.pos(2) - x.pos(1))
	step := max(1, int(math.Ceil(min((w+8)/max(each, 1e-3), 1e6))))
	for i := 0; i < len(names); i += step {
		if v := float64(i + 1); v >= x.lo && v <= x.hi {
			ticks = append(ticks, tick{v, fit(names[i], longest, textSize)})
		}
	}
	return ticks
}

// sideBySide is the part of a column that its points take.
const sideBySide = .5

// series draws one line, broken at its gaps, or its points alone, so many pixels aside.
func (p *picture) series(s *Series, n int, points bool, aside float64, x, y *axis) {
	var run, all []vertex
	var low [][2]float64
	line := `<path class="` + s.class(n) + `" d="`
	flush := func() {
		if len(run) > 1 && !points {
			p.raw(line)
			line = ""
			p.line(thin(run))
		}
		if s.Markers || points || len(run) == 1 {
			all = append(all, run...)
		}
		run = run[:0]
	}
	for i := range s.len() {
		xi, yi := s.x(i), s.Y[i]
		switch {
		case !finite(xi) || !finite(yi):
			flush()
		case y.log && yi < vanishing:
			flush()
			low = append(low, [2]float64{x.pos(xi), y.from - 5})
		default:
			run = append(run, vertex{x: x.pos(xi) + aside, y: y.pos(yi)})
		}
	}
	flush()
	if line == "" {
		p.raw(`"/>`)
	}
	if s.Low != nil {
		p.raw(`<path class="sk-line `, color(n), `" d="`)
		for i, low := range s.Low {
			if finite(low) && finite(s.High[i]) {
				p.raw("M").point(x.pos(s.x(i))+aside, y.pos(low)).raw("V").num(y.pos(s.High[i]))
			}
		}
		p.raw(`"/>`)
	}
	if len(all) > 0 {
		p.raw(`<path class="sk-point `, color(n), `" d="`)
		for _, v := range thin(all) {
			p.marker(shape(n), v.x, v.y, 3.2)
		}
		p.raw(`"/>`)
	}
	if len(low) > 0 {
		p.raw(`<path class="sk-open `, color(n), `" d="`)
		last := math.Inf(-1)
		for _, v := range low {
			if math.Abs(v[0]-last) >= 1 {
				p.marker(lowerShape, v[0], v[1], 3.2)
				last = v[0]
			}
		}
		p.raw(`"/>`)
	}
}

func (p *picture) line(points []vertex) {
	for i, v := range points {
		p.raw([2]string{"M", "L"}[min(i, 1)]).point(v.x, v.y)
	}
}

// thin keeps the first, highest, lowest and last of consecutive points in one
// column of pixels. The line looks the same.
func thin(points []vertex) []vertex {
	var kept []vertex
	for from := 0; from < len(points); {
		to, high, low := from, from, from
		for ; to < len(points) && math.Floor(points[to].x) == math.Floor(points[from].x); to++ {
			if points[to].y < points[high].y {
				high = to
			}
			if points[to].y > points[low].y {
				low = to
			}
		}
		last := -1
		for _, i := range [4]int{from, min(high, low), max(high, low), to - 1} {
			if i != last {
				kept = append(kept, points[i])
			}
			last = i
		}
		from = to
	}
	return kept
}
