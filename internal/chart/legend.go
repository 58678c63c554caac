package chart

import (
	"slices"
	"strconv"
)

// entry is one line of a legend: a symbol and a name.
type entry struct {
	name  string
	class string // of CSS
	fill  string // of an area: the attribute that fill returned
	kind  entryKind
	shape int
	x, y  float64 // of its left edge and top, within the legend
}

type entryKind int

const (
	entryText entryKind = iota
	entryPoint
	entryLine
	entryArea
)

const (
	symbolWidth = 22.0
	mostEntries = 80
	fewEntries  = 16 // of more than mostEntries
)

// placeLegend puts the entries side by side in as many lines as they take. Of more
// than mostEntries there are a few, and the last says how many are left out.
func placeLegend(entries []entry, w float64) []entry {
	if n := len(entries); n > mostEntries {
		entries = append(entries[:fewEntries-1:fewEntries-1],
			entry{name: "and " + strconv.Itoa(n-fewEntries+1) + " more"})
	}
	placed := make([]entry, 0, len(entries))
	x, y := edge, 0.0
	for _, e := range entries {
		e.name = fit(e.name, min(w-2*edge-symbolWidth, 240), textSize)
		need := symbolWidth + width(e.name, textSize)
		if x > edge && x+need > w-edge {
			x, y = edge, y+lineHeight
		}
		e.x, e.y = x, y
		x += need + 12
		placed = append(placed, e)
	}
	return placed
}

func (p *picture) entry(e entry, y float64) {
	x, middle := e.x, y+e.y-4
	switch e.kind {
	case entryPoint:
		p.raw(`<path class="sk-point `, e.class, `" d="`).marker(e.shape, x+8, middle, 4)
		p.raw(`"/>`)
	case entryLine:
		p.raw(`<path class="`, e.class, `" d="M`).point(x, middle).raw(`h18"/>`)
	case entryArea:
		p.raw(`<path `, e.fill, ` d="M`).point(x+2, middle-5).raw(`h12v10h-12z"/>`)
	}
	p.label(e.name, "", x+symbolWidth, y+e.y, "")
}

// classEntries returns an entry for each class of the rows; with all, also for
// each named class without rows. It is nil for one class without a name.
func classEntries(class []int, names []string, rows []int, all bool) (entries []entry) {
	if class == nil {
		return nil
	}
	var found []int
	if all {
		for c := range names {
			found = append(found, c)
		}
	}
	for _, i := range rows {
		found = append(found, classOf(class, i))
	}
	slices.Sort(found)
	for _, c := range slices.Compact(found) {
		e := entry{name: "no class", class: color(c), kind: entryPoint, shape: shape(c)}
		if c >= 0 {
			e.name = name(names, c)
		}
		entries = append(entries, e)
	}
	if len(entries) == 1 && names == nil {
		return nil
	}
	return entries
}
