// Package chart draws SVG pictures of data, memberships and fits: [Scatter], [Ternary], [Lines], [Mixtures]
// and [Tiles]. Each function appends one complete svg element to a byte slice and returns it, for a page that
// has [Style] in a style element.
//
// Any data can be drawn. Points with a coordinate that is not finite, or beyond ±1e300, are left out; a
// picture with fewer points than the data says so. Text may be any bytes. Of slices that should have the same
// length, what is beyond the shortest is not drawn.
//
// The package imports neither fmt nor reflect, so that a WebAssembly file with it stays small.
package chart

import "strconv"

// Frame is the part that all pictures have in common: title, labels and size.
type Frame struct {
	// ID is the id of the svg element and must be unique on the page; the ids of <title> and <desc> are made
	// from it. If it is empty there are no ids, and the title is an aria-label.
	ID    string
	Title string // drawn above the picture, and read by screen readers
	Desc  string // for screen readers only

	XLabel, YLabel string // below and above the axes; pictures without axes ignore them

	// Width and Height are in CSS pixels; text is 12 px high. A Width of 0 is 480, a Height of 0 is the
	// default of the picture. On a narrower page the picture shrinks. It is higher than Height where its text
	// needs it, as a legend of more than two lines does.
	Width, Height int
}

const (
	edge       = 8.0  // between the border and what is drawn
	lineHeight = 17.0 // of text
	titleSize  = 14.0 // px, as in Style
	textSize   = 12.0
	noteSize   = 11.0
)

// picture is one svg element being written. Its sizes are set by layout before anything is drawn.
type picture struct {
	dst                      []byte
	frame                    *Frame
	title                    []string
	legend                   []entry
	notes                    []string
	lines                    []string // notes, wrapped
	w, h                     float64
	left, right, top, bottom float64 // of the area that is drawn into
}

// space is the heights that a kind of picture asks for, in px.
type space struct {
	height float64 // of the picture, if Frame.Height is 0
	below  float64 // under the area, for the labels of an axis
	least  float64 // of the area, at least
}

func (f *Frame) layout(dst []byte, legend []entry, notes []string, need space) *picture {
	height := need.height
	p := &picture{dst: dst, frame: f, notes: notes}
	p.w = 480
	if f.Width > 0 {
		p.w = float64(min(max(f.Width, 160), 10000))
	}
	if f.Height > 0 {
		height = float64(min(f.Height, 10000))
	}
	inner := p.w - 2*edge
	p.title = wrap(f.Title, inner, titleSize*1.06, 3)
	p.legend = placeLegend(legend, p.w)
	if n := len(p.legend); n > 0 { // a long legend takes nothing from the area
		height += max(p.legend[n-1].y-lineHeight, 0)
	}
	for _, s := range notes {
		p.lines = append(p.lines, wrap(s, inner, noteSize, 4)...)
	}
	p.left, p.right = edge, p.w-edge
	p.top = edge + float64(len(p.title))*(titleSize+4)
	if n := len(p.legend); n > 0 {
		p.top += p.legend[n-1].y + lineHeight + 3
	}
	p.top += 4
	if f.YLabel != "" {
		p.top += lineHeight
	}
	under := need.below + float64(len(p.lines))*(noteSize+3) + edge
	if f.XLabel != "" {
		under += lineHeight
	}
	p.h = max(height, p.top+need.least+under)
	p.bottom = p.h - under
	return p
}

func (p *picture) open(kind string) {
	f := p.frame
	id := token(f.ID)
	p.raw(`<svg xmlns="http://www.w3.org/2000/svg" class="sk-chart sk-`, kind,
		`" viewBox="0 0 `).num(p.w).raw(" ").num(p.h)
	p.raw(`" width="`).num(p.w).raw(`" height="`).num(p.h).raw(`" role="img"`)
	if id != "" {
		p.raw(` id="`, id, `" aria-labelledby="`, id, `-title `, id,
			`-desc"><title id="`, id, `-title">`).text(f.Title)
		p.raw(`</title><desc id="`, id, `-desc">`)
	} else {
		p.raw(` aria-label="`).text(f.Title)
		p.raw(`"><title>`).text(f.Title).raw(`</title><desc>`)
	}
	p.text(f.Desc)
	for i, s := range p.notes {
		if i > 0 || f.Desc != "" {
			p.raw(" ")
		}
		p.text(s).raw(".")
	}
	p.raw(`</desc>`)

	y := edge + titleSize - 2
	for _, s := range p.title {
		p.label(s, "sk-title", edge, y, "")
		y += titleSize + 4
	}
	for _, e := range p.legend {
		p.entry(e, y+1)
	}
	if f.YLabel != "" {
		p.label(fit(f.YLabel, p.w-2*edge, textSize), "", edge, p.top-9, "")
	}
	y = p.h - edge + 2 - float64(len(p.lines)-1)*(noteSize+3)
	for _, s := range p.lines {
		p.label(s, "sk-note", edge, y, "")
		y += noteSize + 3
	}
}

func (p *picture) close() []byte {
	p.raw("</svg>\n")
	return p.dst
}

// raw appends text without escaping it.
func (p *picture) raw(parts ...string) *picture {
	for _, s := range parts {
		p.dst = append(p.dst, s...)
	}
	return p
}

func (p *picture) text(s string) *picture {
	p.dst = AppendText(p.dst, s)
	return p
}

func (p *picture) num(v float64) *picture {
	p.dst = appendCoordinate(p.dst, v)
	return p
}

func (p *picture) point(x, y float64) *picture { return p.num(x).raw(" ").num(y) }

// label writes text at (x, y); anchor is "" for the start, middle or end.
func (p *picture) label(s, class string, x, y float64, anchor string) {
	p.raw(`<text x="`).num(x).raw(`" y="`).num(y).raw(`"`)
	if class != "" {
		p.raw(` class="`, class, `"`)
	}
	if anchor != "" {
		p.raw(` text-anchor="`, anchor, `"`)
	}
	p.raw(`>`).text(s).raw(`</text>`)
}

// caption writes the label of the x axis, below px under the area.
func (p *picture) caption(below float64) {
	if p.frame.XLabel == "" {
		return
	}
	s := fit(p.frame.XLabel, p.w-2*edge, textSize)
	p.label(s, "", min((p.left+p.right)/2, p.w-edge-width(s, textSize)/2), p.bottom+below+12, "middle")
}

// name is names[i], or i+1 where there is no name.
func name(names []string, i int) string {
	if i < len(names) && names[i] != "" {
		return names[i]
	}
	return strconv.Itoa(i + 1)
}
