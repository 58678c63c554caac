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

// figures are pictures side by side; "" if there are none.
func figures(list []picture) string {
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

// manyRows is the largest number of points with opacities of their own.
const manyRows = 600

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

// points are rows with memberships, for pictures of them.
type points struct {
	memberships *softkmeans.Matrix
	labels      []int
	names       []string   // of the prototypes
	by          []coloring // by cluster and, if there are classes, by class
	most, of    int        // points of a plot, and the rows that they were drawn from (0: they are all)
	row         func(i int) string
}

func newPoints(g *softkmeans.Matrix, labels []int, names []string, class []int, classes []string) *points {
	p := &points{memberships: g, labels: labels, names: names, by: []coloring{{"", "", labels, names}}}
	if len(classes) > 0 {
		p.by[0].class = "of-clusters"
		p.by = append(p.by, coloring{"-classes", "of-classes", class, classes})
	}
	return p
}

func (b *builder) points(m *softkmeans.Model) *points {
	p := newPoints(m.Memberships, m.Labels(nil), b.names, b.Table.Class, b.classes)
	p.most, p.of, p.row = b.mostPoints(), b.Answer.Rows, b.row
	return p
}

func (p *points) opacity() []float64 {
	if p.memberships.Rows > manyRows {
		return nil
	}
	return view.Opacity(p.memberships)
}

// tip is the text of row i: its name and its largest memberships.
func (p *points) tip(i int) string {
	return p.row(i) + ": " + chart.Shares(p.memberships.Row(i), p.names)
}

func (p *points) scatter(plot chart.ScatterPlot) (all []picture) {
	id := plot.ID
	plot.AllClasses, plot.EqualScale, plot.Opacity, plot.Tip = true, true, p.opacity(), p.tip
	plot.MaxPoints, plot.Of = p.most, p.of
	for _, by := range p.by {
		plot.ID, plot.Class, plot.Classes = id+by.suffix, by.of, by.names
		all = append(all, picture{chart.Scatter(nil, &plot), by.class})
	}
	return all
}

// triangle draws the memberships in three prototypes in each coloring; in another number it draws nothing.
func (p *points) triangle(title, desc string) (all []picture) {
	if len(p.names) != 3 {
		return nil
	}
	for _, by := range p.by {
		all = append(all, picture{chart.Ternary(nil, &chart.TernaryPlot{
			Frame: chart.Frame{ID: "ternary" + by.suffix, Title: title, Width: third, Height: 420,
				Desc: desc + " lies in a corner, an even mixture in the middle."},
			Memberships: p.memberships.Data, Corners: [3]string(p.names), Class: by.of, Classes: by.names,
			Opacity: p.opacity(), MaxPoints: p.most, Of: p.of, Tip: p.tip}), by.class})
	}
	return all
}

func (p *points) mixtures(frame chart.Frame, in string) []byte {
	frame.XLabel = "rows, by label"
	frame.Desc = "Each row is drawn as a column of its memberships. Rows are sorted by label, then by the " +
		"membership in its " + in + "."
	return chart.Mixtures(nil, &chart.MixturePlot{Frame: frame, Memberships: p.memberships.Data,
		Labels: p.labels, K: len(p.names), Names: p.names, Name: p.row})
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
	m, name := f.Model.Centers, "prototypes"
	if b.Answer.Undetermined && f.Model.ClusterMeans != nil {
		m, name = f.Model.ClusterMeans, "means of clusters"
	}
	o := b.Plane.Outline(m, name, "current", true)
	o.Tips = b.Tips(m, b.shown(m))
	outlines := append(b.dotted(f.Model), o)
	frame := chart.Frame{ID: "plane-" + strconv.Itoa(i), Title: "Rows and prototypes", Width: third, Height: 420,
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
		if o := b.Plane.Outline(other.Centers, name, "previous", false); width(o.X, o.Y) <= mostWide*all {
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

// shown is centers in the units of the table.
func (b *builder) shown(centers *softkmeans.Matrix) *softkmeans.Matrix {
	clean := b.Clean(centers)
	for i := range clean.Rows {
		b.Scaling.Undo(clean.Row(i))
	}
	return clean
}

// triangle draws the memberships in three prototypes.
func (b *builder) triangle(m *softkmeans.Model) []picture {
	return b.points(m).triangle("Memberships as a triangle", "A row that equals a prototype")
}

// memberships draws the memberships of all rows by method i; nothing for one prototype, where all are 1.
func (b *builder) memberships(i int) []picture {
	if b.k == 1 {
		return nil
	}
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
	return []picture{{b.points(f.Model).mixtures(frame, "prototype"), class}}
}

// prototypes draws prototypes or means of clusters, as tiles if rows are pictures, else by their columns; nothing
// without any.
func (b *builder) prototypes(id, title string, m *softkmeans.Matrix) string {
	if m == nil {
		return ""
	}
	frame, class := chart.Frame{ID: id, Title: title, Width: third, Height: 320}, ""
	if b.Axis != nil || b.k > many {
		frame.Width, class = whole, "wide"
	}
	if b.Image.Rows > 0 {
		return figures([]picture{{b.tiles(frame, b.shown(m)), class}})
	}
	frame.YLabel = view.Unit(b.Scaling)
	columns := *b.Columns
	if id == "means" {
		columns.Low, columns.High = view.Quartiles(b.X, b.MinVolume.Model.Clusters, b.k)
	}
	return figures([]picture{{columns.Centers(frame, b.Clean(m), b.shown(m)), class}})
}

func (b *builder) tiles(frame chart.Frame, centers *softkmeans.Matrix) []byte {
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
		Names: b.names, Size: tileSize(centers.Rows),
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

// tileSize is the size at which n square tiles fill about a square of a third of the page.
func tileSize(n int) int {
	across := max(2, int(math.Ceil(math.Sqrt(float64(n)*1.6))))
	return max(min((third-6)/across-10, 140), 40)
}

// curves draws the floor for every k, and the fit.
func (b *builder) curves() []picture {
	c := b.MinVolume.Certificate
	p, _ := choosek.Propose(b.Floors)
	plot := view.FloorCurve(chart.Frame{ID: "floors", Width: third, Height: 320}, b.Floors, b.k, p.K, c)
	if plot == nil {
		return nil
	}
	if !c.Optimal(view.CertifiedTol) {
		view.AddFit(plot, "this fit", b.k, c.Objective, c.Total)
	}
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
	if plot == nil {
		return nil
	}
	return []picture{{SVG: chart.Lines(nil, plot)}}
}
