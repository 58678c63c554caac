package chart

import "math"

// ScatterPlot is points in two dimensions, and the outlines of models' centers.
type ScatterPlot struct {
	Frame
	X, Y []float64

	Class   []int    // of each point; nil: no classes, negative: no class
	Classes []string // their names; the default is numbers from 1

	// AllClasses puts named classes without points into the legend, too, so that
	// pictures to be compared have the same legend and the same area.
	AllClasses bool

	// Opacity is from 0 to 1. Nil is the default for all points; a negative or NaN
	// value is the default for one.
	Opacity []float64

	Outlines   []Outline
	EqualScale bool // a unit of X is as long as one of Y

	// XShown and YShown are further values that the axes include, so that pictures
	// to be compared have the same axes.
	XShown, YShown []float64

	MaxPoints int // 0: 5000; of more rows a sample is drawn, and the picture says so
	Of        int // the rows from which those of X and Y were drawn; 0: they are all

	Tip func(i int) string // the text under the pointer at a point; nil: none
}

// Outline is the centers of a model, with their convex hull unless Points is set.
type Outline struct {
	Name   string // for the legend; an outline without a name is not in the legend
	Style  string // the CSS class is "sk-" + this; [Style] has rules for global and previous
	X, Y   []float64
	Labels []string // of the centers; nil: none
	Tips   []string // the texts under the pointer at the centers; nil: none
	Points bool
}

// Scatter appends the picture to dst.
func Scatter(dst []byte, s *ScatterPlot) []byte {
	n := min(len(s.X), len(s.Y))
	rows, notes := sample(n, s.Of, s.Class, s.MaxPoints,
		func(i int) bool { return finite(s.X[i]) && finite(s.Y[i]) })
	var ex, ey extent
	for i := range n { // all points, so that a sample has the same axes
		if finite(s.X[i]) && finite(s.Y[i]) {
			ex.add(s.X[i])
			ey.add(s.Y[i])
		}
	}
	legend := classEntries(s.Class, s.Classes, rows, s.AllClasses)
	for i := range s.Outlines {
		o := &s.Outlines[i]
		for j := range min(len(o.X), len(o.Y)) {
			if finite(o.X[j]) && finite(o.Y[j]) {
				ex.add(o.X[j])
				ey.add(o.Y[j])
			}
		}
		if o.Name != "" {
			legend = append(legend, entry{name: o.Name, class: o.class(), kind: entryLine})
		}
	}
	if !ex.some {
		notes = append(notes, "There are no points to show")
	}
	ex.add(s.XShown...)
	ey.add(s.YShown...)
	padX, padY := .04, .05
	for i := range s.Outlines {
		if s.Outlines[i].Labels != nil { // labels stand outside of the outline
			padX, padY = .09, .08
		}
	}
	p := s.layout(dst, legend, notes, space{height: 380, below: axisHeight, least: 140})
	var x, y axis
	x.lo, x.hi = ex.padded(padX)
	y.lo, y.hi = ey.padded(padY)
	p.fitAxes(&x, &y, s.EqualScale, false)
	p.open("scatter")
	p.axes(&x, &y)
	p.points(&cloud{s.Class, s.Opacity, rows,
		func(i int) (float64, float64) { return x.pos(s.X[i]), y.pos(s.Y[i]) }, s.Tip})
	for i := range s.Outlines {
		p.outline(&s.Outlines[i], &x, &y)
	}
	return p.close()
}

func (o *Outline) class() string {
	c := "sk-outline"
	if s := token(o.Style); s != "" {
		c += " sk-" + s
	}
	return c
}

// outline draws all centers and their convex hull. The hull is computed in px, where no product overflows.
func (p *picture) outline(o *Outline, x, y *axis) {
	var at []vertex
	for j := range min(len(o.X), len(o.Y)) {
		if finite(o.X[j]) && finite(o.Y[j]) {
			v := vertex{x: x.pos(o.X[j]), y: y.pos(o.Y[j])}
			if j < len(o.Labels) {
				v.label = o.Labels[j]
			}
			if j < len(o.Tips) {
				v.tip = o.Tips[j]
			}
			at = append(at, v)
		}
	}
	if len(at) == 0 {
		return
	}
	p.raw(`<g class="`, o.class(), `">`)
	if border := hull(at); len(border) > 1 && !o.Points {
		p.raw(`<path d="`)
		p.line(border)
		p.raw(`z"/>`)
	}
	var mx, my float64
	for _, v := range at {
		p.raw(`<circle cx="`).num(v.x).raw(`" cy="`).num(v.y).raw(`" r="3.2">`)
		p.tip(v.tip)
		p.raw(`</circle>`)
		mx += v.x / float64(len(at))
		my += v.y / float64(len(at))
	}
	p.raw(`</g>`)
	p.cornerLabels(at, mx, my)
}

// cornerLabels writes each label outwards from the middle (mx, my) and within the
// area. Where it would cover another label it is turned about its point by
// steps of 45 degrees, and then moved farther away, with a line to its point.
func (p *picture) cornerLabels(at []vertex, mx, my float64) {
	type box struct{ x, y, w float64 } // the middle of a label, and half its width
	var taken []box
	free := func(b box) bool {
		for _, t := range taken {
			if math.Abs(b.x-t.x) < b.w+t.w+1 && math.Abs(b.y-t.y) < 12 {
				return false
			}
		}
		return true
	}
	for _, v := range at {
		if v.label == "" {
			continue
		}
		text := fit(v.label, p.w/3, textSize)
		w := width(text, textSize) / 2
		outwards := math.Atan2(v.y-my, v.x-mx)
		if math.Hypot(v.x-mx, v.y-my) < .01 {
			outwards = -math.Pi / 2
		}
		var first, b box
		found := false
		for try := 0; try < 8*rings && !found; try++ {
			eighths, far := [8]float64{0, 1, -1, 2, -2, 3, -3, 4}[try%8], 17*float64(try/8)
			dy, dx := math.Sincos(outwards + eighths*math.Pi/4)
			b = box{
				x: min(max(v.x+dx*(8+w+far), p.left+w), p.right-w),
				y: min(max(v.y+dy*(13+far)+4, p.top+11), p.bottom-3),
				w: w,
			}
			if try == 0 {
				first = b
			}
			if found = free(b); found && far > 0 {
				p.raw(`<path class="sk-lead" d="M`).point(v.x, v.y).raw("L").point(b.x, b.y-4).raw(`"/>`)
			}
		}
		if !found {
			b = first
		}
		taken = append(taken, b)
		p.label(text, "sk-halo", b.x, b.y, "middle")
	}
}

// rings is how many distances from its point are tried for a label.
const rings = 4

type vertex struct {
	x, y       float64
	label, tip string
}
