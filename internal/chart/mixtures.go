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
	Labels      []int    // n: the cluster of each row; nil: its largest membership
	Names       []string // of the clusters; the default is numbers from 1
}

// Mixtures appends the picture to dst. Rows are sorted by their
// cluster, then by their membership there, falling. If there are more rows
// than px, neighbors are averaged, and the picture says so.
func Mixtures(dst []byte, s *MixturePlot) []byte {
	m := s.sorted()
	var legend []entry
	for j, n := range m.count {
		legend = append(legend, entry{name: name(s.Names, j) + " (" + strconv.Itoa(n) + ")", class: color(j), kind: entryArea})
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
	p.raw(`<path class="sk-axis" d="M`).point(p.left, p.top).raw("V").num(p.bottom).raw("H").num(p.right).raw(`"/>`)
	for _, t := range y.ticks {
		p.label(t.label, "sk-tick", p.left-5, y.pos(t.at)+4, "end")
	}
	p.stacks(m.levels(columns), m.k, &y)
	p.raw(`<path class="sk-split" d="`)
	for j, sum := 0, 0; j < m.k-1; j++ {
		sum += m.count[j]
		if m.count[j] > 0 && sum < len(m.rows) {
			p.raw("M").point(p.left+(p.right-p.left)*float64(sum)/float64(len(m.rows)), p.top).raw("V").num(p.bottom)
		}
	}
	p.raw(`"/>`)
	p.caption(6)
	return p.close()
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
		la, lb := m.label[a], m.label[b]
		if la != lb {
			return la - lb
		}
		if ga, gb := m.row(a)[la], m.row(b)[lb]; ga != gb {
			return cmp.Compare(gb, ga)
		}
		return a - b // much faster than a stable sort
	})
	return m
}

func (m *mixtures) row(i int) []float64 { return m.memberships[i*m.k : i*m.k+m.k] }

// notes says how the rows are shown in so many columns, and which are left out.
func (m *mixtures) notes(columns int) (notes []string) {
	shown := len(m.rows)
	if columns < shown {
		notes = append(notes, strconv.Itoa(shown)+" rows; each bar is the mean of about "+strconv.FormatFloat(float64(shown)/float64(columns), 'f', 1, 64)+" of them")
	}
	if left := m.n - shown; left > 0 {
		notes = append(notes, strconv.Itoa(left)+" of "+strconv.Itoa(m.n)+" rows are left out: not finite, or all 0")
	}
	if shown == 0 {
		notes = append(notes, "There are no rows to show")
	}
	return notes
}

// levels averages the rows into columns: element c*k+j is the sum of the mean
// shares 0 … j in column c.
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
		p.raw(`<path class="sk-area `, color(j), `" d="M`).point(p.left, p.bottom)
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
