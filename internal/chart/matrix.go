package chart

import (
	"math"
	"strconv"
)

// MatrixPlot is a table of numbers about 0 as cells: the larger a number, the stronger is the color, which is
// one for numbers above 0 and another for those below. Wide cells have the number, too.
type MatrixPlot struct {
	Frame
	Values       []float64 // one for each pair of a row and a column, row after row
	Rows, Cols   []string  // names
	Above, Below string    // of the colors, for the legend
	Note         string

	Tip func(i, j int) string // the text under the pointer at row i, column j; nil: none
}

const (
	cellHeight = 18.0
	mostCell   = 64.0 // px of a cell's width
	numberCell = 34.0 // px from which a cell has its number
	strongest  = .6   // opacity: text on it can be read
)

// Matrix appends the picture to dst. Its height is that of its rows.
func Matrix(dst []byte, s *MatrixPlot) []byte {
	rows, cols := len(s.Rows), len(s.Cols)
	if rows == 0 || cols == 0 || len(s.Values)/cols < rows {
		rows, cols = 0, 0
	}
	var e extent
	e.add(s.Values[:rows*cols]...)
	top := max(-e.lo, e.hi)
	var notes []string
	if s.Note != "" {
		notes = append(notes, s.Note)
	}
	if rows == 0 {
		notes = append(notes, "There is nothing to show")
	}
	legend := []entry{{name: s.Above, kind: entryArea, fill: s.fill(0)},
		{name: s.Below, kind: entryArea, fill: s.fill(1)}}
	frame := s.Frame
	frame.XLabel, frame.YLabel, frame.Height = "", "", 0
	p := frame.layout(dst, legend, notes, space{least: lineHeight + 6 + float64(rows)*cellHeight})
	names := min(widest(s.Rows), p.w*.4)
	p.left += names + 6
	w := min((p.right-p.left)/float64(max(cols, 1)), mostCell)
	p.open("matrix")
	p.columnNames(s.Cols[:cols], w)
	for i := range rows {
		y := p.top + lineHeight + 6 + float64(i)*cellHeight
		p.label(fit(s.Rows[i], names, textSize), "", p.left-6, y+13, "end")
		for j := range cols {
			p.cell(s, i, j, top, rect{p.left + float64(j)*w, y, w, cellHeight})
		}
	}
	return p.close()
}

// columnNames writes the names above columns of w px: every one that has space.
func (p *picture) columnNames(names []string, w float64) {
	every := max(int(math.Ceil((min(widest(names), mostCell)+4)/w)), 1)
	for j := 0; j < len(names); j += every {
		x := p.left + (float64(j)+.5)*w
		text := fit(names[j], max(w*float64(every), 20), textSize)
		half := width(text, textSize) / 2
		p.label(text, "sk-tick", min(max(x, edge+half), p.w-half), p.top+lineHeight-3, "middle")
	}
}

// cell draws the number of row i and column j; top is the largest size of all.
func (p *picture) cell(s *MatrixPlot, i, j int, top float64, r rect) {
	v := s.Values[i*len(s.Cols)+j]
	sign := 0
	if v < 0 {
		sign = 1
	}
	p.raw(`<path class="sk-cell `, color(sign), `" fill-opacity="`)
	share := 0.0
	if finite(v) && top > 0 {
		share = math.Abs(v) / top
	}
	p.dst = appendShare(p.dst, share*strongest)
	p.raw(`" d="`).box(rect{r.x + .5, r.y + .5, r.w - 1, r.h - 1}).raw(`">`)
	if s.Tip != nil && len(s.Rows)*len(s.Cols) <= mostTips {
		p.tip(s.Tip(i, j))
	}
	p.raw(`</path>`)
	if r.w >= numberCell && finite(v) {
		if math.Abs(v) < .05 { // not "−0.0"
			v = 0
		}
		text := tidy(strconv.FormatFloat(v, 'f', 1, 64))
		if math.Abs(v) >= 1e4 {
			text = number(v)
		}
		p.label(fit(text, r.w, noteSize), "sk-number", r.x+r.w/2, r.y+13, "middle")
	}
}
