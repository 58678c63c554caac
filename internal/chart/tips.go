package chart

// Tips: texts that a browser shows under the pointer. They are title elements, which need no script.

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

const (
	// mostTips is the largest number of marks of a picture that have a text each.
	mostTips = 2500
	// longestTip is the length in bytes at which a text is cut.
	longestTip = 300
	// mostListed is the number of series that the text of one x lists.
	mostListed = 12
)

// tip writes a text for the element that is open, none if s is empty.
func (p *picture) tip(s string) {
	if s == "" {
		return
	}
	if len(s) > longestTip {
		s = strings.ToValidUTF8(s[:longestTip], "") + "…"
	}
	p.raw(`<title>`).text(s).raw(`</title>`)
}

// hit is a rectangle without a color that has a text.
func (p *picture) hit(r rect, s string) {
	if s == "" || !(r.w > 0) || !(r.h > 0) {
		return
	}
	p.raw(`<path class="sk-hit" d="`).box(r).raw(`">`)
	p.tip(s)
	p.raw(`</path>`)
}

// reading is a value of one series.
type reading struct {
	x, y   float64
	series int
}

// bands gives each x of the plot a text with the values of all series there. An x
// nearer than 2 px to the one before has none.
func (p *picture) bands(s *LinePlot, x *axis) {
	var all []reading
	for n := range s.Series {
		one := &s.Series[n]
		for i := range one.len() {
			if finite(one.x(i)) && finite(one.Y[i]) && one.Of == 0 {
				all = append(all, reading{one.x(i), one.Y[i], n})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b reading) int {
		return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(b.y, a.y))
	})
	var groups [][]reading
	for from := 0; from < len(all); {
		to := from
		for to < len(all) && all[to].x == all[from].x {
			to++
		}
		if n := len(groups); n == 0 || x.pos(all[from].x)-x.pos(groups[n-1][0].x) >= 2 {
			groups = append(groups, all[from:to])
		}
		from = to
	}
	for i, g := range groups {
		left, right := p.left, p.right
		if i > 0 {
			left = (x.pos(groups[i-1][0].x) + x.pos(g[0].x)) / 2
		}
		if i+1 < len(groups) {
			right = (x.pos(g[0].x) + x.pos(groups[i+1][0].x)) / 2
		}
		p.hit(rect{left, p.top, right - left, p.bottom - p.top}, s.readings(g))
	}
}

// readings returns the text for values at one x, the largest first.
func (s *LinePlot) readings(g []reading) string {
	var b strings.Builder
	if i := g[0].x - 1; i >= 0 && i < float64(len(s.XNames)) && i == math.Trunc(i) {
		b.WriteString(s.XNames[int(i)])
	} else {
		b.WriteString(strings.TrimSpace(s.XLabel + " " + number(g[0].x)))
	}
	for i, v := range g {
		if i == mostListed && len(g) > mostListed+1 {
			b.WriteString("; and " + strconv.Itoa(len(g)-i) + " more")
			break
		}
		b.WriteString([2]string{": ", "; "}[min(i, 1)])
		if name := s.Series[v.series].Name; name != "" {
			b.WriteString(name + " ")
		}
		b.WriteString(number(v.y))
	}
	return b.String()
}
