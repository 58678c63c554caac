package report

// The page about similarities of rows: what is proved of their floor, memberships, and the
// similarities as a picture.

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/internal/chart"
	"softkmeans/internal/la"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
)

// Similar is the content of a page about similarities of rows.
type Similar struct {
	Page
	Table   *table.Table // classes
	Model   *softkmeans.LSDModel
	Centred bool               // Model is of TILSD: rows and columns are centred
	Plane   *softkmeans.Matrix // rows in leading directions
	Matrix  *softkmeans.Matrix // the similarities; nil: too many to draw

	Total    float64   // that Floors are shares of
	Floors   []float64 // for k = 1, 2, …
	Proposed int       // 0: none

	Name func(i int) string // of row i
}

// HTML returns the page.
func (s *Similar) HTML() ([]byte, error) {
	m := s.Model
	k := m.Memberships.Cols
	s.below = nil
	names, labels, classes := view.Clusters("cluster ", k), m.Labels(nil), shortened(s.Table.Classes)
	p := newPoints(view.Points{Memberships: m.Memberships, Labels: labels, Names: names, Most: 2000,
		Row: func(i int) string { return short(s.Name(i)) }}, s.Table.Class, classes)
	panels, err := s.panels(p)
	if err != nil {
		return nil, err
	}
	sections := insert(s.Answer.Sections(), "rows", answer.Section{ID: "map"})
	s.show("map", switchOf(classes)+figures(panels))
	if s.Matrix != nil {
		blocks := s.blocks(labels, names)
		blocks.Lines = []string{s.order(labels)}
		sections = insert(sections, "rows", blocks)
		s.show("similarities", mapsHTML(s.matrices(labels)))
	}
	var counts Counts
	counts.Add(s.Table.Class, labels, k)
	sections = insert(sections, "rows", counts.section(classes, names))
	s.show("floors", figures(s.curves()))
	return s.html(append(sections, answer.Section{ID: "floors", Title: "The floor for every k", Detail: true})), nil
}

// panels draws the memberships, and the rows in the leading directions.
func (s *Similar) panels(p *points) (all []picture, err error) {
	m := s.Model
	if s.Plane.Cols > 0 {
		plane, err := view.NewPlane(context.Background(), s.Plane, nil)
		if err != nil {
			return nil, err
		}
		x, y := plane.Points(s.Plane)
		var outlines []chart.Outline
		if m.Vertices != nil && m.Vertices.Cols == s.Plane.Cols {
			outlines = append(outlines, plane.Outline(m.Vertices, "pure clusters", "current", view.Clusters("", m.Vertices.Rows)))
		}
		all = p.scatter(chart.ScatterPlot{Frame: chart.Frame{ID: "plane",
			Title: "Rows in the two leading directions", Width: third, Height: 420,
			Desc:   "Rows that are similar lie near each other.",
			XLabel: "first direction", YLabel: "second direction"}, X: x, Y: y, Outlines: outlines})
	}
	all = append(all, p.triangle("A row that is wholly in a cluster")...)
	frame, class := chart.Frame{ID: "memberships", Title: "Memberships of all rows", Width: third, Height: 420}, ""
	if m.Memberships.Cols > many {
		frame.Width, frame.Height, class = whole, 300, "wide"
	}
	return append(all, picture{p.Mixtures(frame, "cluster"), class}), nil
}

// sorted returns the rows by label, then by the membership in it, falling.
func (s *Similar) sorted(labels []int) []int {
	rows, g := la.Indices(len(labels)), s.Model.Memberships
	slices.SortStableFunc(rows, func(a, b int) int {
		return cmp.Or(labels[a]-labels[b], cmp.Compare(g.At(b, labels[b]), g.At(a, labels[a])))
	})
	return rows
}

// order says in which order the pictures have the rows.
func (s *Similar) order(labels []int) string {
	sizes := make([]int, s.Model.Memberships.Cols)
	for _, label := range labels {
		sizes[label]++
	}
	text, at := "Rows and columns are sorted by label, then by the membership in it", 0
	for j, n := range sizes {
		mark := ", "
		if j == 0 {
			mark = ": "
		}
		if n > 0 && j < 12 {
			text += mark + "cluster " + strconv.Itoa(j) + " has " + strconv.Itoa(at+1) + " to " + strconv.Itoa(at+n)
		}
		at += n
	}
	if len(sizes) > 12 {
		text += ", …"
	}
	text += "."
	if each := 1 + (len(labels)-1)/mostAcross; each > 1 {
		text += " A point is the mean of " + strconv.Itoa(each) + " × " + strconv.Itoa(each) + " pairs."
	}
	return text
}

// matrices are the similarities, sorted, and what the memberships make of them.
func (s *Similar) matrices(labels []int) (list []mapPicture) {
	rows := s.sorted(labels)
	n := len(rows)
	given := s.cells(rows, s.Matrix.At)
	made := s.cells(rows, s.product())
	scale := extentOf(nil)
	for _, m := range []*maps{given, made} { // the diagonal is 1, and tells nothing
		for i, v := range m.residual {
			if m.lines < 3 || i/m.samples != i%m.samples {
				scale.add([]float64{v})
			}
		}
	}
	what := "The squared error is of this picture and the one beside it."
	if s.Centred {
		what = "Means of rows and columns are taken from the table."
	}
	for _, p := range []struct {
		of                  *maps
		title, caption, alt string
	}{
		{given, "The similarities", "Light: similar rows.",
			"The similarities of " + view.Count(n, "row") + ", sorted by label."},
		{made, "As the memberships give them", "The same scale as beside. " + what,
			"What the memberships make of the similarities."},
	} {
		values := make([]float64, len(p.of.residual))
		for i, v := range p.of.residual {
			values[i] = v - scale.lo
		}
		list = append(list, mapPicture{Title: p.title, Caption: p.caption, Alt: p.alt, Ramp: dataURI(rampImage()),
			Lo: view.Small(scale.lo), Hi: view.Small(scale.hi), Data: dataURI(p.of.ramp(values, scale.hi-scale.lo)),
			Ticks: [3]string{"row 1", "", strconv.Itoa(n)}, Width: p.of.samples, Height: p.of.lines, Sharp: p.of.lines < 200})
	}
	return list
}

// cells are means of the entries at(i, j) of sorted rows, in the field residual.
func (s *Similar) cells(rows []int, at func(i, j int) float64) *maps {
	m := &maps{}
	m.begin(len(rows), len(rows), 0)
	for i, r := range rows {
		for j, c := range rows {
			cell := i/m.each*m.samples + j/m.each
			m.count[cell]++
			m.residual[cell] += at(r, c)
		}
	}
	m.residual = m.mean(m.residual)
	return m
}

// product returns what the memberships make of the similarity of two rows.
func (s *Similar) product() func(i, j int) float64 {
	m := s.Model
	g := m.Memberships
	inverse := 0.0
	if m.Scale > 0 {
		inverse = 1 / m.Scale
	}
	times := func(a, b []float64) (sum float64) {
		for c, v := range a {
			sum += v * b[c]
		}
		return sum * inverse
	}
	if !s.Centred {
		return func(i, j int) float64 { return times(g.Row(i), g.Row(j)) }
	}
	mean, all := make([]float64, g.Cols), 0.0
	for i := range g.Rows {
		for c, v := range g.Row(i) {
			mean[c] += v / float64(g.Rows)
		}
		all += m.Means[i] / float64(g.Rows)
	}
	centred := la.Centred(g, mean)
	return func(i, j int) float64 {
		return times(centred.Row(i), centred.Row(j)) + m.Means[i] + m.Means[j] - all
	}
}

// blocks has the mean similarity of rows with two labels, without that of a row to itself.
func (s *Similar) blocks(labels []int, names []string) answer.Section {
	k := len(names)
	sum, count := make([]float64, k*k), make([]int, k*k)
	for i, a := range labels {
		for j, b := range labels {
			if i != j {
				sum[a*k+b] += s.Matrix.At(i, j)
				count[a*k+b]++
			}
		}
	}
	t := &answer.Table{Head: append([]string{"label"}, names...)}
	for a, name := range names {
		row := []string{name}
		for b := range k {
			text := "–"
			if n := count[a*k+b]; n > 0 {
				text = view.Small(sum[a*k+b] / float64(n))
			}
			row = append(row, text)
		}
		t.Rows = append(t.Rows, row)
	}
	return answer.Section{ID: "similarities", Table: t,
		Title: "Mean similarity of rows by their labels; a row is not compared with itself"}
}

func (s *Similar) curves() []picture {
	m := s.Model
	return []picture{{SVG: chart.Lines(nil, view.FloorCurve(chart.Frame{ID: "floors", Width: third, Height: 320}, "cluster",
		s.Floors, s.Total, m.Memberships.Cols, s.Proposed, m.Certificate))}}
}
