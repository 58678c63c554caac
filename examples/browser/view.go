package main

// The pictures of a fit.

import (
	"context"
	"slices"

	"softkmeans"
	"softkmeans/internal/chart"
	"softkmeans/internal/view"
)

// view returns the report and all pictures of a result.
func (s *session) view(r *result) (parts []part, err error) {
	d := s.data
	switch s.global = nil; {
	case r.known != nil:
		d, err = d.ofKnown(context.Background(), r.known)
	case r.options.method == view.MinVolume && s.path.k == r.options.k && len(s.path.points) > 0:
		s.global, err = s.path.global(d) // the same for every slack
	default:
		s.global, err = d.globalSimplex(r.model.Centers)
	}
	if err != nil {
		return nil, err
	}
	p := s.picturesOf(d, r)
	drawn := []part{p.scatter(), p.ternary(), p.centers(), p.floors(), p.trace()}
	others := slices.DeleteFunc(slices.Clone(drawn), func(p part) bool { return p.value == "" })
	s.widened = len(others)%2 == 0 // pictures stand two in a row
	return slices.Concat(d.report(r), drawn, s.mixtures(p)), nil
}

// detailedRows is the largest number of rows of which all details are drawn as the slider moves.
const detailedRows = 600

// pictures draws a result.
type pictures struct {
	*result
	view.Points
	d      *data
	global *softkmeans.Matrix // the centers of the global simplex
}

func (s *session) picturesOf(d *data, r *result) *pictures {
	names, labels := r.names(), r.model.Labels(nil)
	p := &pictures{r, view.Points{Memberships: r.model.Memberships, Labels: labels, Names: names, Class: labels,
		Clustered: r.likely != nil && !d.mixtures, Row: d.rowName, More: r.open}, d, s.global}
	p.Classes = p.LabelNames()
	if r.options.byClass && len(d.Class) > 0 {
		p.Class, p.Classes = d.Class, d.Classes
	}
	return p
}

// The two heights of pictures. Those in one row have the same.
const (
	tall = 430
	flat = 300
)

// frame returns a frame of this height, or on a narrow page of about the width.
func (p *pictures) frame(id, title string, height int) chart.Frame {
	if w := p.options.width; w > 0 {
		height = min(height, w+20)
	}
	return chart.Frame{ID: "picture-" + id, Title: title, Width: p.options.width, Height: height}
}

// drawn returns the picture of a frame as a part.
func drawn(id string, svg []byte) part { return part{"picture-" + id, string(svg)} }

func (p *pictures) scatter() part {
	d, name := p.d, "prototypes"
	frame := p.frame("scatter", "The data and the simplex", tall)
	frame.Desc = view.Count(d.Rows, "row") + " on the two directions in which they spread most, with " +
		view.Prototypes(p.model.Centers.Rows) + "."
	frame.XLabel, frame.YLabel = d.plane.Labels()
	plot := chart.ScatterPlot{Frame: frame}
	plot.X, plot.Y = d.plane.Points(d.x)
	switch o := &p.options; {
	case o.method == view.Global || o.method == view.MinVolume && o.slack < noSlack:
		name = "global simplex"
	case p.global != nil && !o.zoom:
		plot.Outlines = append(plot.Outlines, d.plane.Outline(p.global, "global simplex", "global", nil))
	}
	o := d.plane.Outline(p.model.Centers, name, "current", d.columns.Prototypes(p.model.Centers.Rows))
	o.Tips = d.columns.Tips(p.model.Centers, d.shown(p.model.Centers))
	plot.Outlines = append(plot.Outlines, o)
	return drawn("scatter", p.Scatter(plot))
}

func (p *pictures) ternary() part {
	return drawn("ternary", p.Triangle(p.frame("ternary", "Memberships in the three prototypes", tall),
		"A row that equals a prototype"))
}

// mixtures returns the picture of the memberships, and whether it takes a row.
func (s *session) mixtures(p *pictures) []part {
	frame := p.frame("memberships", "Memberships of all rows", flat)
	if s.widened {
		frame.Width = p.options.wide
	}
	return []part{drawn("memberships", p.Mixtures(frame, "prototype")), {"wide", yesNo(s.widened)}}
}

// centers draws the prototypes as tiles if rows are pictures, else by their columns.
func (p *pictures) centers() part {
	d, m := p.d, p.model.Centers
	frame := p.frame("centers", "Prototypes", flat)
	if d.set != nil && m.Cols == d.set.Tile*d.set.Tile {
		frame.Desc, frame.Height = "Each prototype as a picture.", 0
		return drawn("centers", chart.Tiles(nil, &chart.TilePlot{Frame: frame, Values: d.shown(m).Data,
			Rows: d.set.Tile, Cols: d.set.Tile, Names: d.columns.Prototypes(m.Rows),
			Size: view.TileSize(m.Rows, p.options.width), Pixel: func(j int) string { return d.Names[j] }}))
	}
	if p.options.k != 3 { // without a triangle it stands in the row of the scatter plot
		frame.Height = p.frame("", "", tall).Height
	}
	frame.YLabel = view.Unit(d.scaling)
	return drawn("centers", d.columns.Centers(frame, d.columns.Clean(m), d.shown(m)))
}

// floors draws the least error for every k if it is proved.
func (p *pictures) floors() part {
	if p.d.given != nil || p.known != nil {
		return drawn("floors", nil)
	}
	plot := view.FloorCurve(p.frame("floors", "", flat), "prototype", p.d.floors, p.d.floors[0], p.options.k,
		p.d.proposed(), p.certificate)
	return drawn("floors", chart.Lines(nil, plot))
}

// trace draws how the loss falls, if it does.
func (p *pictures) trace() part {
	return drawn("trace", chart.Lines(nil, view.LossCurve(p.frame("trace", "", flat), p.certificate.Total,
		view.Descent{Name: p.options.method.String(), Loss: p.model.Trace})))
}

// redraw returns the report and all pictures of the latest fit with other colors or another width.
func (s *session) redraw(o options) ([]part, error) {
	if s.shown == nil {
		return nil, nil
	}
	at := &s.shown.options
	at.byClass, at.width, at.wide, at.zoom = o.byClass, o.width, o.wide, o.zoom
	return s.view(s.shown)
}
