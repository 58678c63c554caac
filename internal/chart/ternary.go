package chart

import (
	"math"
	"strconv"
)

// TernaryPlot is the memberships in three clusters as points of a triangle.
type TernaryPlot struct {
	Frame
	Memberships []float64 // n×3, row after row; below 0 counts as 0, and rows are divided by their sum
	Corners     [3]string // names of the top, left and right corner; the default is 1, 2, 3

	Class         []int // as in ScatterPlot
	Classes       []string
	Opacity       []float64
	MaxPoints, Of int
	Tip           func(i int) string
}

// Ternary appends the picture to dst.
func Ternary(dst []byte, s *TernaryPlot) []byte {
	n := len(s.Memberships) / 3
	rows, notes := sample(n, s.Of, s.Class, s.MaxPoints, func(i int) bool {
		g := s.Memberships[3*i : 3*i+3]
		return finite(g[0]) && finite(g[1]) && finite(g[2]) && max(g[0], g[1], g[2]) > vanishing
	})
	const ratio = 0.8660254037844386 // of an equilateral triangle's height to its side
	const labels = 44                // px for the labels of the grid
	frame := s.Frame
	frame.XLabel, frame.YLabel = "", ""
	legend := classEntries(s.Class, s.Classes, rows, false)
	p := frame.layout(dst, legend, notes, space{below: 2 * lineHeight, least: 140})
	if frame.Height <= 0 { // as high as the width permits
		bottom := p.top + lineHeight + min(ratio*(p.w-2*edge-labels), 600)
		p.h, p.bottom = p.h+(bottom-p.bottom), bottom
	}
	p.top += lineHeight
	p.open("ternary")
	side := min(p.w-2*edge-labels, (p.bottom-p.top)/ratio)
	t := &triangle{
		{p.w / 2, p.top},
		{p.w/2 - side/2, p.top + side*ratio},
		{p.w/2 + side/2, p.top + side*ratio},
	}
	p.triangleGrid(t)
	p.cornerNames(t, s.Corners[:])
	p.axisNames(t, s.Corners[:])
	p.points(&cloud{s.Class, s.Opacity, rows,
		func(i int) (x, y float64) { return t.at(s.shares(i)) }, s.Tip})
	return p.close()
}

// shares are the memberships of row i, at least 0 and with the sum 1.
func (s *TernaryPlot) shares(i int) (a, b, c float64) {
	g := s.Memberships[3*i : 3*i+3]
	top := max(g[0], g[1], g[2])
	sum := 0.0
	for _, v := range g {
		sum += max(v/top, 0)
	}
	return max(g[0]/top, 0) / sum, max(g[1]/top, 0) / sum, max(g[2]/top, 0) / sum
}

// triangle is the corners at the top, left and right: x and y in px.
type triangle [3][2]float64

// at is the point with the shares a, b and c of the three corners.
func (t *triangle) at(a, b, c float64) (x, y float64) {
	return a*t[0][0] + b*t[1][0] + c*t[2][0], a*t[0][1] + b*t[1][1] + c*t[2][1]
}

// triangleGrid draws the border, and lines and labels at 20, 40, 60 and 80 %.
func (p *picture) triangleGrid(t *triangle) {
	line := func(through ...[3]float64) {
		var points []vertex
		for _, g := range through {
			x, y := t.at(g[0], g[1], g[2])
			points = append(points, vertex{x: x, y: y})
		}
		p.line(points)
	}
	p.raw(`<path class="sk-grid" d="`)
	for i := 1; i < 5; i++ {
		u := float64(i) / 5
		line([3]float64{u, 1 - u, 0}, [3]float64{u, 0, 1 - u}, [3]float64{0, u, 1 - u})
		line([3]float64{1 - u, 0, u}, [3]float64{0, 1 - u, u})
		line([3]float64{1 - u, u, 0}, [3]float64{0, u, 1 - u})
	}
	p.raw(`"/><path class="sk-axis" d="`)
	line([3]float64{1, 0, 0}, [3]float64{0, 1, 0}, [3]float64{0, 0, 1})
	p.raw(`z"/>`)
	for i := 1; i < 5; i++ {
		u := float64(i) / 5
		label := strconv.Itoa(20*i) + " %"
		x, y := t.at(u, 1-u, 0)
		p.label(label, "sk-note", x-9, y+4, "end")
		x, y = t.at(0, u, 1-u)
		p.label(label, "sk-note", x, y+14, "middle")
		x, y = t.at(1-u, 0, u)
		p.label(label, "sk-note", x+9, y+4, "")
	}
}

// cornerNames writes the first name above the triangle, and the others below it.
func (p *picture) cornerNames(t *triangle, names []string) {
	p.label(fit(name(names, 0), p.w-2*edge, textSize), "sk-halo", t[0][0], t[0][1]-8, "middle")
	for j := 1; j <= 2; j++ {
		text := fit(name(names, j), p.w/2-edge-6, textSize)
		w := width(text, textSize) / 2
		x := min(max(t[j][0], edge+w), p.w-edge-w)
		if j == 1 {
			x = min(x, p.w/2-6-w)
		} else {
			x = max(x, p.w/2+6+w)
		}
		p.label(text, "sk-halo", x, t[j][1]+15+lineHeight-4, "middle")
	}
}

// axisNames writes at the middle of each side of which corner its labels are the shares, and where these rise.
func (p *picture) axisNames(t *triangle, names []string) {
	x, y := t.at(.5, .5, 0)
	most := min(60, x-9-edge-width(" ↗", textSize)) // px
	p.label(fit(name(names, 0), most, textSize)+" ↗", "sk-note", x-9, y+4, "end")
	x, y = t.at(0, .5, .5)
	p.label("← "+fit(name(names, 1), most, textSize), "sk-note", x, y+11+lineHeight, "middle")
	x, y = t.at(.5, 0, .5)
	p.label(fit(name(names, 2), most, textSize)+" ↘", "sk-note", x+9, y+4, "")
}

// appendShare writes v, limited to [0, 1], with two decimals.
func appendShare(dst []byte, v float64) []byte {
	n := int64(math.Round(min(max(v, 0), 1) * 100))
	return strconv.AppendFloat(dst, float64(n)/100, 'f', -1, 64)
}
