package chart

import (
	"cmp"
	"slices"
	"strconv"
)

// MixturePlot is the memberships of all rows, each a column of stacked shares.
type MixturePlot struct {
	Frame
	Memberships []float64 // n×K, row after row; below 0 counts as 0
	K           int
	Labels      []int                // n: the cluster of each row; nil: its largest membership
	Names       []string             // of the clusters; the default is numbers from 1
	LabelNames  []string             // of the labels, if they are not the Names
	Name        func(row int) string // what a row is called in the text under the pointer; nil: no texts
}

// Mixtures appends the picture to dst. Rows are sorted by their cluster, then by their membership there,
// falling. If there are more rows than px, neighbors are averaged, and the picture says so.
func Mixtures(dst []byte, s *MixturePlot) []byte {
	m := s.sorted()
	var legend []entry
	for j, n := range m.count {
		e := entry{name: name(s.Names, j), kind: entryArea, fill: s.fill(j)}
		if s.LabelNames == nil {
			e.name += " (" + strconv.Itoa(n) + ")"
		}
		legend = append(legend, e)
	}
	// The left edge does not depend on the layout: these ticks are the widest.
	y := axis{lo: 0, hi: 1, ticks: []tick{{0, "0"}, {.5, "0.5"}, {1, "1"}}}
	left := edge + width("0.5", textSize) + 4
	need := space{height: 220, below: 6, least: 100}
	p := s.layout(nil, nil, nil, need)
	columns := min(len(m.rows), max(int(p.right-left), 1))
	p = s.layout(dst, legend, m.notes(columns), need)
	p.left = left
	y.from, y.to = p.bottom, p.top
	p.open("mixtures")
	p.textures(m.k)
	p.raw(`<path class="sk-axis" d="M`).point(p.left,
		p.top).raw("V").num(p.bottom).raw("H").num(p.right).raw(`"/>`)
	for _, t := range y.ticks {
		p.label(t.label, "sk-tick", p.left-5, y.pos(t.at)+4, "end")
	}
	levels := m.levels(columns)
	p.stacks(levels, m.k, &y)
	p.raw(`<path class="sk-split" d="`)
	for j, sum := 0, 0; j < m.k-1; j++ {
		sum += m.count[j]
		if m.count[j] > 0 && sum < len(m.rows) {
			p.raw("M").point(p.left+(p.right-p.left)*float64(sum)/float64(len(m.rows)),
				p.top).raw("V").num(p.bottom)
		}
	}
	p.raw(`"/>`)
	p.sections(s, m)
	if s.Name != nil {
		p.shares(s, m, levels)
	}
	p.caption(6)
	return p.close()
}

// sections writes the name of each label at the top of its rows, unless it would touch
// the one before. For few clusters that are named in the legend that is enough.
func (p *picture) sections(s *MixturePlot, m *mixtures) {
	names := s.LabelNames
	if names == nil && m.k <= colors {
		return
	} else if names == nil {
		names = s.Names
	}
	each, end, sum := (p.right-p.left)/float64(max(len(m.rows), 1)), p.left, 0
	for j, n := range m.count {
		text := fit(name(names, j), p.w/8, textSize)
		half := width(text, textSize) / 2
		x := p.left + (float64(sum)+float64(n)/2)*each
		if sum += n; n > 0 && x-half >= end && x+half <= p.right {
			p.label(text, "sk-halo", x, p.top+13, "middle")
			end = x + half + 4
		}
	}
}

// shares gives each column of the picture a text: its rows and their largest shares.
func (p *picture) shares(s *MixturePlot, m *mixtures, levels []float64) {
	columns := len(levels) / max(m.k, 1)
	step := (p.right - p.left) / float64(max(columns, 1))
	for c := range columns {
		from, to := at(c, columns, len(m.rows)), at(c+1, columns, len(m.rows))
		text := s.Name(m.rows[from])
		if n := to - from; n > 1 {
			text += " and " + strconv.Itoa(n-1) + " more"
		}
		level := levels[c*m.k : c*m.k+m.k]
		share := make([]float64, m.k)
		for j, v := range level {
			if share[j] = v; j > 0 {
				share[j] -= level[j-1]
			}
		}
		p.hit(rect{p.left + step*float64(c), p.top, step, p.bottom - p.top}, text+": "+Shares(share, s.Names))
	}
}

// Shares writes the largest three shares of a row, in percent, with the clusters'
// names. Those below half a percent are left out.
func Shares(g []float64, names []string) string {
	order := make([]int, len(g))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(g[b], g[a]) })
	text := ""
	for i, j := range order[:min(3, len(order))] {
		if i > 0 && g[j] < .005 {
			break
		}
		if i > 0 {
			text += ", "
		}
		text += name(names, j) + " " + strconv.FormatFloat(100*g[j], 'f', 0, 64) + " %"
	}
	return text
}

// fill is the attribute of the area of class j: its color, and a texture from the
// eleventh on, because colors repeat. A picture without an id has no textures.
func (f *Frame) fill(j int) string {
	if id := token(f.ID); j >= colors && id != "" {
		return `fill="url(#` + id + `-t` + strconv.Itoa(j) + `)"`
	}
	return `class="sk-area ` + color(j) + `"`
}

// textures writes the patterns that fill refers to: stripes of the paper's color.
func (p *picture) textures(k int) {
	id := token(p.frame.ID)
	if k <= colors || id == "" {
		return
	}
	p.raw(`<defs>`)
	for j := colors; j < k; j++ {
		t := (j/colors - 1) % (dashes - 1)
		gap := [2]string{"7", "3.5"}[t/4]
		turn := [4]string{"45", "-45", "0", "90"}[t%4]
		p.raw(`<pattern id="`, id, `-t`, strconv.Itoa(j), `" width="`, gap, `" height="`, gap,
			`" patternUnits="userSpaceOnUse" patternTransform="rotate(`, turn,
			`)"><path class="sk-area `, color(j),
			`" d="M0 0h7v7h-7z"/><path class="sk-hatch" d="M0 1.5h7"/></pattern>`)
	}
	p.raw(`</defs>`)
}

// mixtures is the rows of a MixturePlot, in order.
type mixtures struct {
	memberships []float64
	n, k        int
	rows        []int     // those that are drawn, sorted
	label       []int     // of each of the n rows
	top         []float64 // the largest membership of each
	count       []int     // rows of each cluster
}

// sorted labels the rows, and sorts those that can be drawn.
func (s *MixturePlot) sorted() *mixtures {
	m := &mixtures{memberships: s.Memberships}
	if s.K > 0 && s.K <= len(s.Memberships) {
		m.k, m.n = s.K, len(s.Memberships)/s.K
	}
	m.label, m.top = make([]int, m.n), make([]float64, m.n)
	m.count = make([]int, m.k)
	for i := range m.n {
		g := m.row(i)
		ok, best := true, 0
		for j, v := range g {
			ok = ok && finite(v)
			if v > g[best] {
				best = j
			}
		}
		m.label[i], m.top[i] = best, g[best]
		if s.Labels != nil {
			m.label[i] = s.Labels[i]
		}
		if ok && m.top[i] > vanishing {
			m.rows = append(m.rows, i)
			m.count[m.label[i]]++
		}
	}
	slices.SortFunc(m.rows, func(a, b int) int {
		la, lb := m.label[a], m.label[b] // with the row, much faster than a stable sort
		return cmp.Or(la-lb, cmp.Compare(m.row(b)[lb], m.row(a)[la]), a-b)
	})
	return m
}

func (m *mixtures) row(i int) []float64 { return m.memberships[i*m.k : i*m.k+m.k] }

// notes says how the rows are shown in so many columns, and which are left out.
func (m *mixtures) notes(columns int) (notes []string) {
	shown := len(m.rows)
	if columns < shown {
		notes = append(notes, strconv.Itoa(shown)+" rows; each bar is the "+
			"mean of about "+strconv.FormatFloat(float64(shown)/float64(columns), 'f', 1, 64)+" of them")
	}
	if left := m.n - shown; left > 0 {
		notes = append(notes,
			strconv.Itoa(left)+" of "+strconv.Itoa(m.n)+" rows are left out: not finite, or all 0")
	}
	if shown == 0 {
		notes = append(notes, "There are no rows to show")
	}
	return notes
}

// levels averages the rows into columns: element c*k+j is the sum of the mean shares 0 … j in column c.
func (m *mixtures) levels(columns int) []float64 {
	k := m.k
	levels := make([]float64, columns*k)
	for c := range columns {
		from, to := at(c, columns, len(m.rows)), at(c+1, columns, len(m.rows))
		mean := levels[c*k : c*k+k]
		for _, i := range m.rows[from:to] {
			g := m.row(i)
			top, sum := m.top[i], 0.0
			for _, v := range g {
				sum += max(v/top, 0)
			}
			// A sum below 1 leaves a part of the column empty. A sum above 1 is
			// scaled to 1, in two steps that do not overflow.
			scale := 1.0
			if sum*top > 1 {
				scale = 1 / sum / top
			}
			for j, v := range g {
				mean[j] += max(v*scale, 0) / float64(to-from)
			}
		}
		for j := 1; j < k; j++ {
			mean[j] += mean[j-1]
		}
	}
	return levels
}

// stacks draws the levels of k shares, the last share first: the areas of the
// others cover all of it but its own part.
func (p *picture) stacks(levels []float64, k int, y *axis) {
	columns := len(levels) / max(k, 1)
	step := (p.right - p.left) / float64(max(columns, 1))
	for j := k - 1; j >= 0 && columns > 0; j-- {
		p.raw(`<path `, p.frame.fill(j), ` d="M`).point(p.left, p.bottom)
		for c := range columns {
			level := levels[c*k+j]
			if c == 0 || level != levels[c*k-k+j] {
				p.raw("V").num(y.pos(min(level, 1)))
			}
			if c+1 == columns || level != levels[c*k+k+j] {
				p.raw("H").num(p.left + step*float64(c+1))
			}
		}
		p.raw("V").num(p.bottom).raw(`z"/>`)
	}
}

// at is where part c begins when n elements are divided into parts.
func at(c, parts, n int) int { return int(int64(c) * int64(n) / int64(parts)) }
