package report

// The page about rows that are mixtures of known prototypes.

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/internal/chart"
	"softkmeans/internal/la"
	"softkmeans/internal/sources"
	"softkmeans/internal/view"
)

// Known is the content of a page about the shares of rows in known prototypes.
type Known struct {
	Page
	Found   *sources.Answer
	Columns []string
	X       *softkmeans.Matrix // the rows as the table has them; NaN is a missing value
	Centers *softkmeans.Matrix // the prototypes in these units
	Labels  []int              // the group of each row
	Name    func(i int) string // returns the name of row i
}

const (
	mostNamedRows = 30  // rows whose ranges are drawn side by side, with their names
	mostListed    = 500 // rows of the table of shares
)

// HTML returns the page.
func (k *Known) HTML() ([]byte, error) {
	k.below = nil
	p := newPoints(view.Points{Memberships: k.Found.Result.Shares, Labels: k.Labels, Names: k.groups(), Most: 2000,
		Row: k.Name}, nil, nil)
	plane, err := k.plane(p)
	if err != nil {
		return nil, err
	}
	frame := chart.Frame{ID: "memberships", Title: "Shares of all rows", Width: third, Height: 420}
	k.show("shares", figures(k.ranges()))
	k.show("map", figures(slices.Concat(plane, p.triangle("A row that is wholly of a prototype"),
		[]picture{{SVG: p.Mixtures(frame, "prototype")}})))
	note := []string{"Every point is a row, drawn along the two directions in which rows and prototypes vary most."}
	if k.X.Cols == 2 {
		note[0] = "Every point is a row. Rows inside of the outline are mixtures of the prototypes."
	}
	all := insert(k.Answer.Sections(), "quality", answer.Section{ID: "map", Lines: note})
	return k.html(append(all, k.table())), nil
}

// groups are the names of the groups, shortened.
func (k *Known) groups() []string { return shortened(k.Found.Mixer.Groups) }

// plane draws rows and prototypes: over the columns if there are two, else in the two directions in which both
// together vary most, in the divided columns. Rows with a length are drawn without it.
func (k *Known) plane(p *points) ([]picture, error) {
	x, centers := k.Found.Rows, k.Found.Mixer.Centers
	frame := chart.Frame{ID: "plane", Title: "Rows and prototypes", Width: third, Height: 420}
	var plane view.Plane
	if x.Cols == 2 {
		x, centers, plane = k.X, k.Centers, view.ColumnPlane(shortened(k.Columns), nil)
	}
	if k.Found.Result.Length != nil {
		x = x.Clone()
		for i, v := range k.Found.Result.Length {
			la.Scale(1/v, x.Row(i))
		}
	}
	if x.Cols != 2 {
		both := centers.Clone()
		for i := range x.Rows {
			if row := x.Row(i); !slices.ContainsFunc(row, func(v float64) bool { return !view.Finite(v) }) {
				both.Data, both.Rows = append(both.Data, row...), both.Rows+1
			}
		}
		var err error
		if plane, err = view.NewPlane(context.Background(), both, nil); err != nil {
			return nil, err
		}
	}
	frame.XLabel, frame.YLabel = plane.Labels()
	o := plane.Outline(centers, "prototypes", "current", shortened(k.Found.Mixer.Names))
	px, py := plane.Points(x)
	return p.scatter(chart.ScatterPlot{Frame: frame, X: px, Y: py, Outlines: []chart.Outline{o}}), nil
}

// ranges draws the shares, with their ranges as strokes: of few rows side by side, of more rows in a picture for
// each group, sorted by the share.
func (k *Known) ranges() (all []picture) {
	r, names := k.Found.Result, k.groups()
	plot := chart.LinePlot{Points: true, Frame: chart.Frame{ID: "ranges", Title: "Shares", Width: whole, Height: 340,
		YLabel: "share", Desc: "A point for the share of each prototype in each row."}}
	if r.Low != nil {
		plot.Title, plot.Desc = "Shares and their ranges", plot.Desc+" Strokes are its range."
	}
	column := func(m *softkmeans.Matrix, j int, rows []int) (values []float64) {
		for _, i := range rows {
			if m != nil {
				values = append(values, m.At(i, j))
			}
		}
		return values
	}
	rows := la.Indices(r.Shares.Rows)
	if len(rows) <= mostNamedRows {
		for _, i := range rows {
			plot.XNames = append(plot.XNames, k.Name(i))
		}
		for j, name := range names {
			plot.Series = append(plot.Series, chart.Series{Name: name, Y: column(r.Shares, j, rows),
				Low: column(r.Low, j, rows), High: column(r.High, j, rows)})
		}
		return []picture{{chart.Lines(nil, &plot), "wide"}}
	}
	plot.Points, plot.Width, plot.XLabel = false, third, "rows, by their share"
	plot.Desc = "The shares of all rows, from the smallest to the largest. Dotted: the ends of their ranges."
	for j, name := range names[:min(len(names), many)] {
		slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(r.Shares.At(a, j), r.Shares.At(b, j)) })
		plot.ID, plot.Title = "ranges-"+strconv.Itoa(j), name
		plot.Series = []chart.Series{{Name: "share", Y: column(r.Shares, j, rows)}}
		if r.Low != nil {
			plot.Series = append(plot.Series, chart.Series{Y: column(r.Low, j, rows), Of: 1},
				chart.Series{Y: column(r.High, j, rows), Of: 1})
		}
		all = append(all, picture{SVG: chart.Lines(nil, &plot)})
	}
	return all
}

// table has the shares of rows in percent, with their ranges.
func (k *Known) table() answer.Section {
	r := k.Found.Result
	s := answer.Section{Title: "The shares as a table, in %", Detail: true,
		Table: &answer.Table{Head: append([]string{"row"}, k.groups()...)}}
	percent := func(v float64) string { return strconv.FormatFloat(100*v, 'f', 0, 64) }
	for i := range min(r.Shares.Rows, mostListed) {
		row := []string{k.Name(i)}
		for j, v := range r.Shares.Row(i) {
			text := percent(v)
			if r.Low != nil {
				text += " (" + percent(r.Low.At(i, j)) + "–" + percent(r.High.At(i, j)) + ")"
			}
			row = append(row, text)
		}
		s.Table.Rows = append(s.Table.Rows, row)
	}
	s.Title += ", of " + strconv.Itoa(len(s.Table.Rows)) + " of " + view.Count(r.Shares.Rows, "row")
	return s
}
