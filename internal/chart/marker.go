package chart

// Markers of points: a class has a color and a shape, so that classes differ
// also to readers who cannot tell the colors apart.

// shapes are the corners of the markers about their center. Each has about the
// area of a circle of radius 1; nil is that circle.
var shapes = [][][2]float64{
	nil,
	{{-.9, -.9}, {.9, -.9}, {.9, .9}, {-.9, .9}},
	{{0, -1.4}, {1.25, .85}, {-1.25, .85}},
	{{0, -1.35}, {1.35, 0}, {0, 1.35}, {-1.35, 0}},
	{{0, 1.4}, {1.25, -.85}, {-1.25, -.85}},
	{{-.45, -1.3}, {.45, -1.3}, {.45, -.45}, {1.3, -.45}, {1.3, .45}, {.45, .45}, {.45, 1.3}, {-.45, 1.3},
		{-.45, .45}, {-1.3, .45}, {-1.3, -.45}, {-.45, -.45}},
	{{-1.25, -.6}, {-.6, -1.25}, {0, -.65}, {.6, -1.25}, {1.25, -.6}, {.65, 0}, {1.25, .6}, {.6, 1.25},
		{0, .65}, {-.6, 1.25}, {-1.25, .6}, {-.65, 0}},
	{{-.55, -1.1}, {.55, -1.1}, {1.15, 0}, {.55, 1.1}, {-.55, 1.1}, {-1.15, 0}},
}

const lowerShape = 4 // the triangle that points down

// shape is the marker of class c. The first 80 classes have pairs of color and shape of their own.
func shape(c int) int {
	if c < 0 {
		return 0
	}
	return (c + c/(colors*len(shapes)/2)) % len(shapes)
}

func (p *picture) marker(shape int, x, y, r float64) {
	corners := shapes[shape]
	if corners == nil {
		p.raw("M").point(x-r, y).raw("a").point(r, r).raw(" 0 1 0 ").num(2*r).raw(" 0a").point(r,
			r).raw(" 0 1 0 ").num(-2 * r).raw(" 0")
		return
	}
	p.raw("M").point(x+r*corners[0][0], y+r*corners[0][1])
	for i, c := range corners[1:] {
		p.raw("l").point(r*(c[0]-corners[i][0]), r*(c[1]-corners[i][1]))
	}
	p.raw("z")
}

// cloud is points to be drawn class by class. A class is one path, or a path for
// each point where points have opacities or tips.
type cloud struct {
	class   []int
	opacity []float64
	rows    []int // the points to draw, in order of their class
	at      func(i int) (x, y float64)
	tip     func(i int) string // nil: none
}

func (p *picture) points(c *cloud) {
	r := 3.6
	switch n := len(c.rows); {
	case n > 2000:
		r = 2.2
	case n > 500:
		r = 2.8
	}
	tips := c.tip != nil && len(c.rows) <= mostTips
	single := c.opacity != nil || tips
	for from := 0; from < len(c.rows); {
		class, to := classOf(c.class, c.rows[from]), from
		for to < len(c.rows) && classOf(c.class, c.rows[to]) == class {
			to++
		}
		p.raw(`<g class="sk-point `, color(class), `">`)
		if !single {
			p.raw(`<path d="`)
		}
		for _, i := range c.rows[from:to] {
			if single {
				p.raw(`<path`)
				if i < len(c.opacity) && c.opacity[i] >= 0 {
					p.raw(` fill-opacity="`)
					p.dst = appendShare(p.dst, c.opacity[i])
					p.raw(`"`)
				}
				p.raw(` d="`)
			}
			x, y := c.at(i)
			p.marker(shape(class), x, y, r)
			switch {
			case tips:
				p.raw(`">`)
				p.tip(c.tip(i))
				p.raw(`</path>`)
			case single:
				p.raw(`"/>`)
			}
		}
		if !single {
			p.raw(`"/>`)
		}
		p.raw(`</g>`)
		from = to
	}
}

// classOf is the class of row i: 0 if there are no classes, -1 if it has none.
func classOf(class []int, i int) int {
	switch {
	case class == nil:
		return 0
	case i >= len(class) || class[i] < 0:
		return -1
	}
	return class[i]
}
