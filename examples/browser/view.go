package main

// The pictures of a fit.

import (
	"slices"
	"strings"

	"softkmeans"
	"softkmeans/internal/chart"
	"softkmeans/internal/view"
)

// view returns the report and all pictures of a result.
func (s *session) view(r *result) (parts []part, err error) {
	d := s.data
	switch s.global = nil; {
	case r.known != nil:
		d, err = d.ofKnown(r.known)
	case r.options.method == view.MinVolume && s.path.k == r.options.k && len(s.path.points) > 0:
		s.global, err = s.path.global(d) // the same for every slack
	default:
		s.global, err = d.globalSimplex(r.model.Centers)
	}
	if err != nil {
		return nil, err
	}
	p := s.picturesOf(d, r)
	drawn := []part{
		{"picture-scatter", p.scatter()},
		{"picture-ternary", p.ternary()},
		{"picture-centers", p.centers()},
		{"picture-floors", p.floors()},
		{"picture-trace", p.trace()},
	}
	n := 0
	for _, d := range drawn {
		if d.value != "" {
			n++
		}
	}
	// Pictures stand two in a row. The memberships take a row if one is left over.
	s.widened = n%2 == 0
	return slices.Concat(d.report(r), drawn, s.mixtures(p)), nil
}

// glimpse returns the report and the pictures that change while the slider moves. To
// draw all pictures would be too slow.
func (s *session) glimpse(d *data, r *result) ([]part, error) {
	p := s.picturesOf(d, r)
	parts := append(d.report(r), part{"picture-scatter", p.scatter()}, part{"picture-ternary", p.ternary()})
	if d.Rows <= detailedRows {
		parts = append(append(parts, part{"picture-centers", p.centers()}), s.mixtures(p)...)
	}
	return parts, nil
}

// detailedRows is the largest number of rows for which all details are drawn: the pictures
// are drawn again and again while the slider moves.
const detailedRows = 600

// pictures draws a result.
type pictures struct {
	*result
	d       *data
	options options
	global  *softkmeans.Matrix // the centers of the global simplex
	class   []int              // the color of each row
	names   []string           // of the colors
	sure    []float64          // opacity of each row: its largest membership
}

func (s *session) picturesOf(d *data, r *result) *pictures {
	p := &pictures{result: r, d: d, options: r.options, global: s.global, class: r.model.Labels(nil),
		names: r.names()}
	if r.options.byClass && len(d.Class) > 0 {
		p.class, p.names = d.Class, d.Classes
	}
	if d.Rows <= detailedRows {
		p.sure = view.Opacity(r.model.Memberships)
	}
	return p
}

// The two heights of pictures. Those in one row have the same.
const (
	tall = 430
	flat = 300
)

func (p *pictures) frame(id, title, desc string, height int) chart.Frame {
	return chart.Frame{ID: "picture-" + id, Title: title, Desc: desc, Width: p.options.width, Height: p.height(height)}
}

// height is most, or on a narrow page about the width.
func (p *pictures) height(most int) int {
	if w := p.options.width; w > 0 {
		return min(most, w+20)
	}
	return most
}

func (p *pictures) scatter() string {
	d := p.d
	x, y := d.plane.Points(d.x)
	around := " and the global simplex around them."
	if p.known != nil {
		around = "."
	}
	frame := p.frame("scatter", "The data and the simplex",
		view.Count(d.Rows, "row")+" on the two directions in which they spread most, with "+
			view.Prototypes(p.model.Centers.Rows)+around, tall)
	frame.XLabel, frame.YLabel = d.plane.Labels()
	plot := &chart.ScatterPlot{Frame: frame, X: x, Y: y, Class: p.class, Classes: p.names, Opacity: p.sure, EqualScale: true}
	global := p.options.method == view.Global || p.options.method == view.MinVolume && p.options.slack < noSlack
	if p.global != nil && !global && !p.options.zoom {
		plot.Outlines = append(plot.Outlines, d.plane.Outline(p.global, "global simplex", "global", false))
	}
	name := "prototypes"
	if global {
		name = "global simplex"
	}
	o := d.plane.Outline(p.model.Centers, name, "current", true)
	if d.columns.Labels != nil {
		o.Labels = d.columns.Labels
	}
	o.Tips = d.columns.Tips(p.model.Centers, d.shown(p.model.Centers))
	plot.Outlines, plot.Tip = append(plot.Outlines, o), p.tip()
	return string(chart.Scatter(nil, plot))
}

// ternary draws the memberships in three prototypes; for another number it is "".
func (p *pictures) ternary() string {
	if p.options.k != 3 {
		return ""
	}
	return string(chart.Ternary(nil, &chart.TernaryPlot{
		Frame: p.frame("ternary", "Memberships in the three prototypes",
			"A row that equals a prototype lies in a corner, an even mixture in the middle.", tall),
		Memberships: p.model.Memberships.Data, Corners: [3]string(p.result.names()), Class: p.class,
		Classes: p.names, Opacity: p.sure, Tip: p.tip(),
	}))
}

// tip returns the text under the pointer for a row: what it is called and its largest
// memberships. It is nil for many rows.
func (p *pictures) tip() func(i int) string {
	if p.d.Rows > manyRows {
		return nil
	}
	names := p.result.names()
	return func(i int) string {
		return p.d.RowName(i) + ": " + chart.Shares(p.model.Memberships.Row(i), names) + p.open(i)
	}
}

// mixtures returns the picture of the memberships, and whether it takes a row.
func (s *session) mixtures(p *pictures) []part {
	if s.widened {
		p.options.width = p.options.wide
	}
	return []part{{"picture-memberships", p.memberships()}, {"wide", yesNo(s.widened)}}
}

func (p *pictures) memberships() string {
	if p.options.k == 1 {
		return "" // they are all 1
	}
	frame := p.frame("memberships", "Memberships of all rows", "Each row is a column of shares. They are sorted by label, then by the membership in its prototype.", flat)
	frame.XLabel = "rows, by label"
	return string(chart.Mixtures(nil, &chart.MixturePlot{
		Frame: frame, Memberships: p.model.Memberships.Data, Labels: p.model.Labels(nil), K: p.options.k,
		Names: p.result.names(), Name: p.d.RowName,
	}))
}

// centers draws the prototypes as tiles if rows are pictures, else by their columns.
func (p *pictures) centers() string {
	d, m := p.d, p.model.Centers
	if d.set != nil && m.Cols == d.set.Tile*d.set.Tile {
		return string(chart.Tiles(nil, &chart.TilePlot{
			Frame:  p.frame("centers", "Prototypes", "Each prototype as a picture.", 0),
			Values: d.shown(m).Data, Rows: d.set.Tile, Cols: d.set.Tile,
			Names: d.columns.Prototypes(m.Rows), Size: p.tileSize(m.Rows),
			Pixel: func(j int) string { return d.Names[j] },
		}))
	}
	height := flat
	if p.options.k != 3 {
		height = tall // without a triangle it stands in the row of the scatter plot
	}
	frame := p.frame("centers", "Prototypes", "", height)
	frame.YLabel = view.Unit(d.scaling)
	return string(d.columns.Centers(frame, d.columns.Clean(m), d.shown(m)))
}

// tileSize is the size at which n square tiles fill a tall picture.
func (p *pictures) tileSize(n int) int {
	width := p.options.width
	if width == 0 {
		width = 480
	}
	size := 160
	for ; size > 48; size-- {
		if across := (width - 6) / (size + 10); across > 0 && (n+across-1)/across*(size+23) <= p.height(tall)-60 {
			break
		}
	}
	return size
}

// floors draws the least error for every k; "" if there is no variance.
func (p *pictures) floors() string {
	if p.d.given != nil || p.known != nil {
		return "" // none is proved
	}
	c := p.certificate
	k, _ := p.d.proposed()
	plot := view.FloorCurve(p.frame("floors", "", "", flat), p.d.floors, p.options.k, k, c)
	if plot == nil {
		return ""
	}
	if !c.Optimal(view.CertifiedTol) {
		view.AddFit(plot, "this fit", p.options.k, c.Objective, c.Total)
	}
	return string(chart.Lines(nil, plot))
}

// trace draws how the loss falls; "" if there are no iterations, or if it does not.
func (p *pictures) trace() string {
	plot := view.LossCurve(p.frame("trace", "", "", flat), p.certificate.Total,
		view.Descent{Name: p.options.method.String(), Loss: p.model.Trace})
	if plot == nil {
		return ""
	}
	return string(chart.Lines(nil, plot))
}

// redraw returns the pictures of the latest fit with other colors or another width.
func (s *session) redraw(o options) ([]part, error) {
	if s.shown == nil {
		return nil, nil
	}
	at := &s.shown.options
	at.byClass, at.width, at.wide, at.zoom = o.byClass, o.width, o.wide, o.zoom
	var drawn []part
	parts, err := s.view(s.shown)
	for _, p := range parts {
		if strings.HasPrefix(p.name, "picture-") || p.name == "wide" {
			drawn = append(drawn, p)
		}
	}
	return drawn, err
}
