package report

// The pictures of the page.

import (
	"html/template"
	"math"
	"slices"
	"strconv"

	"softkmeans"
	"softkmeans/internal/chart"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
)

// picture is a figure. Class is its CSS class: a switch on the page shows either the
// pictures colored by cluster or those colored by class, and wide ones take a line.
type picture struct {
	SVG   template.HTML
	Class string
}

// The widths of pictures in px: three in a line, and two.
const (
	third = 400
	half  = 460
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
	p.most, p.of, p.row = b.mostPoints(), b.Tally.rows, b.row
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
		all = append(all, picture{svg(chart.Scatter(nil, &plot)), by.class})
	}
	return all
}

// triangle draws the memberships in three prototypes in each coloring; in another number it draws nothing.
func (p *points) triangle(title, desc string) (all []picture) {
	if len(p.names) != 3 {
		return nil
	}
	for _, by := range p.by {
		all = append(all, picture{svg(chart.Ternary(nil, &chart.TernaryPlot{
			Frame: chart.Frame{ID: "ternary" + by.suffix, Title: title, Width: third, Height: 420,
				Desc: desc + " lies in a corner, an even mixture in the middle."},
			Memberships: p.memberships.Data, Corners: [3]string(p.names), Class: by.of, Classes: by.names,
			Opacity: p.opacity(), MaxPoints: p.most, Of: p.of, Tip: p.tip})), by.class})
	}
	return all
}

func (p *points) mixtures(frame chart.Frame, in string) template.HTML {
	frame.XLabel = "rows, by label"
	frame.Desc = "Each row is a column of shares. They are sorted by label, then by the membership in its " +
		in + "."
	return svg(chart.Mixtures(nil, &chart.MixturePlot{Frame: frame, Memberships: p.memberships.Data,
		Labels: p.labels, K: len(p.names), Names: p.names, Name: p.row}))
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

// tooSmall is the least share of a picture's width that the data should take.
const tooSmall = .35

// panels draws the data, prototypes and simplex of the methods. The note says whether they
// have the same axes.
func (b *builder) panels() (all []picture, note string) {
	x, y := b.Plane.Points(b.X)
	dx, dy := extentOf(x), extentOf(y)
	ux, uy := dx, dy
	var outlines [3][]chart.Outline
	for i, f := range b.fits() {
		o := b.Plane.Outline(f.Model.Centers, "prototypes", "current", true)
		o.Tips = b.Tips(f.Model.Centers, b.shown(f.Model.Centers))
		outlines[i] = append(outlines[i], o)
		for _, other := range f.Model.Others { // not in the legend, so that the pictures have the same area
			outlines[i] = append(outlines[i], b.Plane.Outline(other.Centers, "", "previous", false))
		}
		for _, o := range outlines[i] {
			ux.add(o.X)
			uy.add(o.Y)
		}
	}
	var shownX, shownY []float64
	width := third
	note = "The three have the same axes."
	if b.Alternating.Model == nil {
		width, note = half, "Both have the same axes."
	}
	data, widest := max(dx.hi-dx.lo, dy.hi-dy.lo), max(ux.hi-ux.lo, uy.hi-uy.lo)
	if data >= tooSmall*widest {
		shownX, shownY = []float64{ux.lo, ux.hi}, []float64{uy.lo, uy.hi}
	} else {
		note = "Each has axes of its own, because a simplex is up to " +
			strconv.FormatFloat(min(widest/data, 1e6), 'g', 2, 64) + " times as wide as the data."
	}
	for i, f := range b.fits() {
		c := f.Certificate
		frame := chart.Frame{ID: "plane-" + strconv.Itoa(i), Title: methods[i].String(), Width: width,
			Height: 420, Desc: "Rows on the two directions in which they spread most, with the simplex of " +
				view.Prototypes(b.k) + "."}
		if s := view.Share(c, 1-c.Objective/c.Total); s != "–" {
			frame.Title += ": " + s + " explained"
		}
		frame.XLabel, frame.YLabel = b.Plane.Labels()
		all = append(all, b.points(f.Model).scatter(chart.ScatterPlot{Frame: frame, X: x, Y: y,
			Outlines: outlines[i], XShown: shownX, YShown: shownY})...)
	}
	if b.MinVolume.Model.Others != nil {
		note += " Dotted: the prototypes of such fits of halves of the rows as the warning tells of."
	}
	if b.k > 1 {
		note += " Many simplexes have the global error, each with labels of its own. This is the one of " +
			"fit -method global."
	}
	return all, note + b.off()
}

func (b *builder) row(i int) string { return short(table.Printable(b.Table.RowName(i))) }

// shown is centers in the units of the table.
func (b *builder) shown(centers *softkmeans.Matrix) *softkmeans.Matrix {
	clean := b.Clean(centers)
	for i := range clean.Rows {
		b.Scaling.Undo(clean.Row(i))
	}
	return clean
}

// svg is a picture of package chart, which escapes all text.
func svg(b []byte) template.HTML { return template.HTML(b) }

// memberships draws the memberships of all rows in the compact and in the global
// prototypes, and for three prototypes the triangle of the compact ones.
func (b *builder) memberships() (all []picture) {
	if b.k == 1 {
		return nil // they are all 1
	}
	all = b.points(b.MinVolume.Model).triangle("Compact prototypes: memberships as a triangle",
		"A row that equals a prototype")
	size := chart.Frame{Width: half, Height: 300}
	class, rows := "", "all rows"
	if b.sampled() {
		rows = strconv.Itoa(b.X.Rows) + " of " + strconv.Itoa(b.Tally.rows) + " rows"
	}
	switch {
	case b.k == 3:
		size = chart.Frame{Width: third, Height: 420}
	case b.k > many:
		size.Width, class = whole, "wide"
	}
	for _, i := range [2]int{2, 0} {
		frame := size
		frame.ID, frame.Title = "memberships-"+strconv.Itoa(i), "Compact prototypes: "+rows
		if methods[i] == view.Global {
			frame.Title = "Global simplex: " + rows
		}
		all = append(all, picture{b.points(b.fit(i).Model).mixtures(frame, "prototype"), class})
	}
	return all
}

// centers draws the prototypes: as tiles if rows are pictures, else by their columns.
func (b *builder) centers() (all []picture) {
	for _, i := range [2]int{2, 0} {
		m := b.fit(i).Model.Centers
		frame := chart.Frame{ID: "centers-" + strconv.Itoa(i),
			Title: "Compact prototypes", Width: half, Height: 320}
		if methods[i] == view.Global {
			frame.Title = "Global simplex"
		}
		if b.Image.Rows > 0 {
			all = append(all, picture{SVG: b.tiles(frame, b.shown(m))})
			continue
		}
		frame.YLabel = b.unit()
		p := picture{}
		if b.k > many {
			frame.Width, p.Class = whole, "wide"
		}
		p.SVG = svg(b.Columns.Centers(frame, b.Clean(m), b.shown(m)))
		all = append(all, p)
	}
	return all
}

func (b *builder) tiles(frame chart.Frame, centers *softkmeans.Matrix) template.HTML {
	at := &b.Image
	frame.Height, frame.Desc = 0, "Each prototype as a picture."
	values := make([]float64, 0, len(centers.Data))
	for r := range centers.Rows {
		for p := range centers.Cols {
			values = append(values, centers.At(r, at.column(p)))
		}
	}
	return svg(chart.Tiles(nil, &chart.TilePlot{Frame: frame, Values: values, Rows: at.Rows, Cols: at.Cols,
		Names: b.names, Size: tileSize(centers.Rows),
		Light: b.photographs() != at.Invert, Pixel: func(p int) string { return b.columns[at.column(p)] }}))
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
		values = append(values, b.original(b.X.Row(r))...)
	}
	slices.Sort(values)
	lo, hi, median := values[0], values[len(values)-1], values[len(values)/2]
	return median-lo > (hi-lo)/4
}

// tileSize is the size at which n square tiles fill about a square of half the page.
func tileSize(n int) int {
	across := max(2, int(math.Ceil(math.Sqrt(float64(n)*1.6))))
	return max(min((half-6)/across-10, 140), 40)
}

func (b *builder) curves() []picture {
	c := b.MinVolume.Certificate
	plot := view.FloorCurve(chart.Frame{ID: "floors", Width: half, Height: 320},
		b.Floors, b.k, b.proposed(), c)
	if plot == nil {
		return nil
	}
	if !c.Optimal(view.CertifiedTol) {
		view.AddFit(plot, "compact", b.k, c.Objective, c.Total)
	}
	return []picture{{SVG: svg(chart.Lines(nil, plot))}}
}

// trace draws L and the squared error after the iterations of both methods. Those of a sample
// are the last correction only, and are not shown.
func (b *builder) trace() []picture {
	c := b.MinVolume.Certificate
	if !view.HasTotal(c) || b.MinVolume.Sampled {
		return nil
	}
	var all []picture
	if plot := view.LossCurve(chart.Frame{ID: "loss", Width: half, Height: 320}, c.Total,
		b.descents()...); plot != nil {
		all = append(all, picture{SVG: svg(chart.Lines(nil, plot))})
	}
	plot := &chart.LinePlot{Frame: chart.Frame{ID: "trace",
		Title: "The squared error of the iterations", Width: half, Height: 320,
		XLabel: "iteration", YLabel: "share of the variance left over",
		Desc: "The squared error after every iteration of the run that gave the result, and the floor."},
		IntegerX: true}
	last := 1
	for _, i := range [2]int{2, 1} {
		f := b.fit(i)
		if len(f.Errors) < 2 {
			continue
		}
		s := chart.Series{Name: methods[i].String(), Markers: len(f.Errors) <= 40}
		for t, v := range f.Errors {
			s.X, s.Y = append(s.X, float64(t)), append(s.Y, v/c.Total)
		}
		last = max(last, len(f.Errors)-1)
		plot.Series = append(plot.Series, s)
	}
	if len(plot.Series) == 0 {
		return all
	}
	plot.Series = append(plot.Series, chart.Series{Name: "floor", X: []float64{0, float64(last)},
		Y: []float64{c.Floor / c.Total, c.Floor / c.Total}})
	return append(all, picture{SVG: svg(chart.Lines(nil, plot))})
}

// descents are the methods that have a trace.
func (b *builder) descents() (all []view.Descent) {
	for _, i := range [2]int{2, 1} {
		if m := b.fit(i).Model; m != nil {
			all = append(all, view.Descent{Name: methods[i].String(), Loss: m.Trace})
		}
	}
	return all
}
