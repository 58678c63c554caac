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
	Names       []string // of the clusters; the default are numbers from 1
}

// Mixtures appends the picture to dst. Rows are sorted by cluster, which is the
// largest membership, and then by its size, falling. Where there are more rows
// than px, neighbors are averaged, and the picture says so.
func Mixtures(dst []byte, s *MixturePlot) []byte {
	k, n := 0, 0
	if s.K > 0 && s.K <= len(s.Memberships) {
		k, n = s.K, len(s.Memberships)/s.K
	}
	var rows []int
	label := make([]int, n)
	count := make([]int, k)
	for i := range n {
		g := s.Memberships[i*k : i*k+k]
		ok := true
		for j, v := range g {
			ok = ok && finite(v)
			if v > g[label[i]] {
				label[i] = j
			}
		}
		if ok && g[label[i]] > vanishing {
			rows = append(rows, i)
			count[label[i]]++
		}
	}
	slices.SortFunc(rows, func(a, b int) int {
		la, lb := label[a], label[b]
		if la != lb {
			return la - lb
		}
		if ga, gb := s.Memberships[a*k+la], s.Memberships[b*k+lb]; ga != gb {
			return cmp.Compare(gb, ga)
		}
		return a - b // in place of a stable sort, which takes far longer
	})

	var legend []entry
	for j := range k {
		legend = append(legend, entry{name: name(s.Names, j) + " (" + strconv.Itoa(count[j]) + ")", class: color(j), kind: entryArea})
	}
	var notes []string
	// The width is known before the layout: the ticks below are the widest.
	y := axis{lo: 0, hi: 1, ticks: []tick{{0, "0"}, {.5, "0.5"}, {1, "1"}}}
	left := edge + width("0.5", textSize) + 4
	p := s.layout(nil, nil, nil, 220, 6, 100)
	columns := min(len(rows), max(int(p.right-left), 1))
	if columns < len(rows) {
		notes = append(notes, strconv.Itoa(len(rows))+" rows; each bar is the mean of about "+strconv.FormatFloat(float64(len(rows))/float64(columns), 'f', 1, 64)+" of them")
	}
	if m := n - len(rows); m > 0 {
		notes = append(notes, strconv.Itoa(m)+" of "+strconv.Itoa(n)+" rows are left out: not finite, or all 0")
	}
	if len(rows) == 0 {
		notes = append(notes, "There are no rows to show")
	}
	p = s.layout(dst, legend, notes, 220, 6, 100)
	p.left = left
	y.from, y.to = p.bottom, p.top
	p.open("mixtures")
	p.raw(`<path class="sk-axis" d="M`).point(p.left, p.top).raw("V").num(p.bottom).raw("H").num(p.right).raw(`"/>`)
	for _, t := range y.ticks {
		p.label(t.label, "sk-tick", p.left-5, y.pos(t.at)+4, "end")
	}

	// levels[c*k+j] is the sum of the shares 0 … j in column c.
	levels := make([]float64, columns*k)
	for c := range columns {
		from, to := at(c, columns, len(rows)), at(c+1, columns, len(rows))
		mean := levels[c*k : c*k+k]
		for _, i := range rows[from:to] {
			g := s.Memberships[i*k : i*k+k]
			top, sum := g[label[i]], 0.0
			for _, v := range g {
				sum += max(v/top, 0)
			}
			// A sum below 1 leaves a part of the column empty; one above 1 is
			// scaled, in two steps that do not overflow.
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
	// From the back to the front: the last level hides behind the others.
	step := (p.right - p.left) / float64(max(columns, 1))
	for j := k - 1; j >= 0 && columns > 0; j-- {
		p.raw(`<path class="sk-area `, color(j), `" d="M`).point(p.left, p.bottom)
		for c := range columns {
			level := y.pos(min(levels[c*k+j], 1))
			if c == 0 || levels[c*k+j] != levels[c*k-k+j] {
				p.raw("V").num(level)
			}
			if c+1 == columns || levels[c*k+j] != levels[c*k+k+j] {
				p.raw("H").num(p.left + step*float64(c+1))
			}
		}
		p.raw("V").num(p.bottom).raw(`z"/>`)
	}
	p.raw(`<path class="sk-split" d="`)
	for j, sum := 0, 0; j < k-1; j++ {
		sum += count[j]
		if count[j] > 0 && sum < len(rows) {
			p.raw("M").point(p.left+(p.right-p.left)*float64(sum)/float64(len(rows)), p.top).raw("V").num(p.bottom)
		}
	}
	p.raw(`"/>`)
	p.caption(6)
	return p.close()
}

// at is where part c of parts begins among n.
func at(c, parts, n int) int { return int(int64(c) * int64(n) / int64(parts)) }
