package report

// The pictures of the page.

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/choosek"
	"softkmeans/internal/chart"
	"softkmeans/internal/la"
	"softkmeans/internal/view"
)

// picture is a figure. Class is its CSS class: a switch on the page shows either the
// pictures colored by cluster or those colored by class, and wide ones take a line.
type picture struct {
	SVG   []byte
	Class string
}

// figures returns pictures side by side; "" if none has an SVG.
func figures(list []picture) string {
	list = slices.DeleteFunc(list, func(p picture) bool { return p.SVG == nil })
	if len(list) == 0 {
		return ""
	}
	html := "<div class=\"figures\">\n"
	for _, p := range list {
		html += "<figure class=\"" + p.Class + "\">" + string(p.SVG) + "</figure>\n"
	}
	return html + "</div>\n"
}

// switched is the choice between colors of clusters and of classes; "" without classes.
func (b *builder) switched() string { return switchOf(b.classes) }

func switchOf(classes []string) string {
	if len(classes) == 0 {
		return ""
	}
	return `<fieldset class="switch"><legend>Colors of points:</legend> <label><input type="radio" name="colors" ` +
		`id="by-clusters" checked="checked"/> clusters</label> <label><input type="radio" name="colors" ` +
		`id="by-classes"/> given classes</label></fieldset>` + "\n"
}

// The widths of pictures in px: three in a line, and one.
const (
	third = 400
	whole = 1080
)

// many is the largest number of prototypes for which two pictures stand side by side.
const many = 10

// mostPoints is the largest number of points in a plot. With classes there are twice as many plots.
func (b *builder) mostPoints() int {
	if len(b.classes) > 0 {
		return 1000
	}
	return 2000
}

// coloring says what the colors of points mean.
type coloring struct {
	suffix, class string // of ids, and of CSS
	of            []int
	names         []string
}

// points are rows with memberships, in the colors of clusters and, if there are classes, in those of classes.
type points struct {
	view.Points
	by []coloring
}

func newPoints(p view.Points, class []int, classes []string) *points {
	by := []coloring{{"", "", p.Labels, p.LabelNames()}}
	if len(classes) > 0 {
		by[0].class = "of-clusters"
		by = append(by, coloring{"-classes", "of-classes", class, classes})
	}
	return &points{p, by}
}

func (b *builder) points(m *softkmeans.Model) *points {
	return newPoints(view.Points{Memberships: m.Memberships, Labels: m.Labels(nil), Names: b.names,
		Clustered: b.Answer.LabelBy == "cluster" && m.ClusterMeans != nil, Plain: b.Answer.Undetermined,
		Most: b.mostPoints(), Of: b.Answer.Rows, Row: b.row}, b.Table.Class, b.classes)
}

// each returns the picture that draw makes of each coloring. suffix is for its id.
func (p *points) each(draw func(suffix string) []byte) (all []picture) {
	for _, by := range p.by {
		p.Class, p.Classes = by.of, by.names
		all = append(all, picture{draw(by.suffix), by.class})
	}
	return all
}

func (p *points) scatter(plot chart.ScatterPlot) []picture {
	id := plot.ID
	return p.each(func(suffix string) []byte {
		plot.ID = id + suffix
		return p.Scatter(plot)
	})
}

// triangle draws the memberships in three prototypes; in another number it draws nothing.
func (p *points) triangle(pure string) []picture {
	return p.each(func(suffix string) []byte {
		return p.Triangle(chart.Frame{ID: "ternary" + suffix, Title: "Memberships as a triangle", Width: third,
			Height: 420}, pure)
	})
}

// extent is the range of some finite values.
type extent struct{ lo, hi float64 }

func extentOf(values []float64) extent {
	e := extent{math.Inf(1), math.Inf(-1)}
	e.add(values)
	return e
}

func (e *extent) add(values []float64) {
	for _, v := range values {
		if view.Finite(v) {
			e.lo, e.hi = min(e.lo, v), max(e.hi, v)
		}
	}
}

// plane draws the data, prototypes and simplex of method i.
func (b *builder) plane(i int) []picture {
	f := [...]*Fit{&b.MinVolume, &b.Global, &b.Alternating}[i]
	x, y := b.Plane.Points(b.X)
	m, columns := f.Model.Centers, *b.Columns
	o, title := b.Plane.Outline(m, "prototypes", "current", b.names), "Rows and prototypes"
	if b.Answer.Undetermined && f.Model.ClusterMeans != nil {
		m, columns.Labels = f.Model.ClusterMeans, view.Clusters("cluster ", b.k)
		o, title = b.Plane.Outline(m, "", "current", view.Clusters("", b.k)), "Rows and means of clusters"
		o.Points = true
	}
	o.Tips = columns.Tips(m, b.Shown(m, b.Scaling))
	outlines := append(b.dotted(f.Model), o)
	frame := chart.Frame{ID: "plane-" + strconv.Itoa(i), Title: title, Width: third, Height: 420,
		Desc: "Rows on the two directions in which they spread most, with " + view.Prototypes(b.k) + "."}
	if i > 0 {
		frame.Title = methods[i].String()
	}
	frame.XLabel, frame.YLabel = b.Plane.Labels()
	return b.points(f.Model).scatter(chart.ScatterPlot{Frame: frame, X: x, Y: y, Outlines: outlines})
}

// mostWide is how many times as wide as rows and prototypes others may be that a map shows.
const mostWide = 2

// dotted are the prototypes of fits of halves, except those so far out that they would leave no room for the rows.
func (b *builder) dotted(m *softkmeans.Model) (list []chart.Outline) {
	x, y := b.Plane.Points(b.X)
	px, py := b.Plane.Points(m.Centers)
	width := func(x, y []float64) float64 {
		ex, ey := extentOf(x), extentOf(y)
		return max(ex.hi-ex.lo, ey.hi-ey.lo)
	}
	all := width(append(x, px...), append(y, py...))
	name := "fits of halves" // one entry of the legend for all
	for _, other := range m.Others {
		if o := b.Plane.Outline(other.Centers, name, "previous", nil); width(o.X, o.Y) <= mostWide*all {
			list, name = append(list, o), ""
		}
	}
	return list
}

// others draws the other methods.
func (b *builder) others() (all []picture) {
	for i := range b.fits() {
		if i > 0 {
			all = append(all, b.plane(i)...)
		}
	}
	return append(all, b.memberships(1)...)
}

func (b *builder) row(i int) string { return short(b.Table.RowName(i)) }

// memberships draws the memberships of all rows by method i.
func (b *builder) memberships(i int) []picture {
	frame, class := chart.Frame{ID: "memberships-" + strconv.Itoa(i), Width: third, Height: 420}, ""
	frame.Title = [...]string{"Memberships", "Memberships in the global simplex"}[i] + ": all rows"
	if n := b.X.Rows; n < b.Answer.Rows {
		frame.Title = strings.TrimSuffix(frame.Title, "all rows") + strconv.Itoa(n) + " of " +
			strconv.Itoa(b.Answer.Rows) + " rows"
	}
	if b.k > many {
		frame.Width, frame.Height, class = whole, 300, "wide"
	}
	f := [...]*Fit{&b.MinVolume, &b.Global}[i]
	return []picture{{b.points(f.Model).Mixtures(frame, "prototype"), class}}
}

// prototypes draws prototypes or means of clusters, as tiles if rows are pictures, else by columns; nil: nothing.
func (b *builder) prototypes(id, title string, m *softkmeans.Matrix) string {
	if m == nil {
		return ""
	}
	frame, class := chart.Frame{ID: id, Title: title, Width: third, Height: 320}, ""
	if b.Axis != nil || b.k > many {
		frame.Width, class = whole, "wide"
	}
	columns := *b.Columns
	if id == "means" {
		columns.Labels = view.Clusters("cluster ", b.k)
	}
	if id == "means" && b.k > many {
		columns.Labels = view.Clusters("", b.k)
	}
	if b.Image.Rows > 0 {
		return figures([]picture{{b.tiles(frame, b.Shown(m, b.Scaling), columns.Prototypes(b.k)), class}})
	}
	if frame.YLabel = view.Unit(b.Scaling); id == "means" {
		columns.Low, columns.High = view.Quartiles(b.X, b.MinVolume.Model.Clusters, b.k)
	}
	return figures([]picture{{columns.Centers(frame, b.Clean(m), b.Shown(m, b.Scaling)), class}})
}

func (b *builder) tiles(frame chart.Frame, centers *softkmeans.Matrix, names []string) []byte {
	at := &b.Image
	frame.Height, frame.Desc = 0, "Each prototype as a picture."
	values := make([]float64, 0, len(centers.Data))
	rounding := 1e-12 * la.Largest(centers.Data)
	for r := range centers.Rows {
		for p := range centers.Cols {
			v := centers.At(r, at.column(p))
			if math.Abs(v) < rounding {
				v = 0
			}
			values = append(values, v)
		}
	}
	return chart.Tiles(nil, &chart.TilePlot{Frame: frame, Values: values, Rows: at.Rows, Cols: at.Cols,
		Names: names, Size: view.TileSize(centers.Rows, third),
		Light: b.photographs() != at.Invert, Pixel: func(p int) string { return b.Columns.Names[at.column(p)] }})
}

// column returns the column of pixel p, counted line by line.
func (at *Image) column(p int) int {
	if at.Transpose {
		return p%at.Cols*at.Rows + p/at.Cols
	}
	return p
}

// photographs reports whether large values are light. They are ink where most pixels are
// paper: where the median of the table lies in the lowest quarter of its range, as for
// digits. A sample of about 100 000 values decides.
func (b *builder) photographs() bool {
	var values []float64
	step := 1 + b.X.Rows*b.X.Cols/100_000
	for r := 0; r < b.X.Rows; r += step {
		row := slices.Clone(b.X.Row(r))
		b.Scaling.Undo(row)
		values = append(values, row...)
	}
	slices.Sort(values)
	lo, hi, median := values[0], values[len(values)-1], values[len(values)/2]
	return median-lo > (hi-lo)/4
}

// curves draws the floor for every k, and the fit.
func (b *builder) curves() []picture {
	p, _ := choosek.Propose(b.Floors)
	plot := view.FloorCurve(chart.Frame{ID: "floors", Width: third, Height: 320}, "prototype", b.Floors, b.Floors[0], b.k, p.K,
		b.MinVolume.Certificate)
	return []picture{{SVG: chart.Lines(nil, plot)}}
}

// loss draws the loss of the iterations. Those of a fit in blocks are the last correction only, and are not shown.
func (b *builder) loss() []picture {
	var runs []view.Descent
	for _, i := range [2]int{0, 2} {
		if m := [...]*Fit{&b.MinVolume, nil, &b.Alternating}[i].Model; m != nil && b.Alternating.Model != nil {
			runs = append(runs, view.Descent{Name: methods[i].String(), Loss: m.Trace})
		}
	}
	plot := view.LossCurve(chart.Frame{ID: "loss", Width: third, Height: 320}, b.MinVolume.Certificate.Total, runs...)
	return []picture{{SVG: chart.Lines(nil, plot)}}
}
