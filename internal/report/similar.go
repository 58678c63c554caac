package report

// The page about similarities of rows: what is proved of their floor, memberships, and the
// similarities as a picture.

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"html/template"
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
	Table   *table.Table // notes and classes
	Kernel  string       // what the similarities are, in words
	Model   *softkmeans.LSDModel
	Centred bool // Model is of TILSD: rows and columns are centred
	// ByDuality: the model's floor is one by duality, as of package proof.
	ByDuality bool
	Plane     *softkmeans.Matrix // rows in leading directions
	Matrix    *softkmeans.Matrix // the similarities; nil: too many to draw

	Total    float64   // that Floors are shares of
	Floors   []float64 // for k = 1, 2, …
	Proposal string    // the number that was chosen and why, in sentences
	Proposed int       // 0: none

	Name    func(i int) string // of row i
	Pure    []answer.Few       // rows with the largest memberships in each cluster
	Between answer.Few         // rows with about the same membership in two

	Seed             uint64
	Command, Version string
}

//go:embed similar.html
var similarText string

// similarPage has the templates of the other pages.
var similarPage = template.Must(template.Must(scenePage.Clone()).New("similar").Parse(similarText))

// HTML returns the page.
func (s *Similar) HTML() ([]byte, error) {
	m := s.Model
	n, k := m.Memberships.Rows, m.Memberships.Cols
	if s.Table.Rows != n || s.Matrix != nil && s.Matrix.Rows != n || s.Plane.Rows != n || len(s.Pure) != k {
		return nil, errors.New("report: the decomposition is not that of the table")
	}
	c := &content{Title: titleOf(s.Table.Source), Answer: s.Answer(), About: s.about(),
		Style:   template.CSS(chart.Style + styleText),
		ByClass: len(s.Table.Classes) > 0, Proved: s.proved(), Method: "LSD, left-stochastic decomposition", Errors: s.errors(),
		Reading: readingOf(s.Table.Notes),
		Wide:    k > 4, Proposal: s.Proposal, Steps: s.steps(), Between: betweenOf(s.Between),
		Command: s.Command, Version: s.Version}
	if s.Centred {
		c.Method = "TI-LSD, translation-invariant left-stochastic decomposition"
	}
	c.Verdict, c.Meaning = s.verdict()
	names, labels, classes := view.Names(k), m.Labels(nil), classNames(s.Table)
	p := newPoints(m.Memberships, labels, names, s.Table.Class, classes)
	p.most = 2000
	p.row = func(i int) string { return short(table.Printable(s.Name(i))) }
	var err error
	if c.Panels, err = s.panels(p); err != nil {
		return nil, err
	}
	if s.Matrix != nil {
		if c.Matrices, err = s.matrices(labels); err != nil {
			return nil, err
		}
		c.MatrixNote, c.Blocks = s.order(labels), s.blocks(labels, names).parts()
	}
	t := NewTally(k)
	t.Add(labels, m.Memberships, nil, s.Table.Class)
	c.Sizes, c.Confusion = t.sizes(names, "").parts(), t.confusion(classes, names).parts()
	c.Pure, c.Curves, c.Made = pureOf(s.Pure, names), s.curves(), s.made()
	var out bytes.Buffer
	err = similarPage.Execute(&out, c)
	return out.Bytes(), err
}

// within is how far the objective may be above the minimum, as a share of the total.
func (s *Similar) within() float64 {
	m := s.Model
	v := max(0, m.Gap)
	if m.Total > 0 {
		v += m.FloorError / m.Total
	}
	return v
}

func (s *Similar) proved() bool { return s.within() <= view.CertifiedTol }

// Answer is the result in one sentence.
func (s *Similar) Answer() string {
	return answer.OfSimilarities(s.Model.Certificate, s.Model.Memberships.Cols, s.Table.Rows, s.Centred, s.ByDuality).
		Sentence()
}

func (s *Similar) about() string {
	text := view.Count(s.Table.Rows, "row") + "; similarities: " + s.Kernel
	switch {
	case s.Table.LabelColumn > 0 && !s.Table.LabelFirst:
		text += " " + capital(view.Classes(len(s.Table.Classes))) + " in column " +
			strconv.Itoa(s.Table.LabelColumn) + " (" +
			short(table.Printable(s.Table.LabelName)) + "), which is not compared."
	case len(s.Table.Classes) > 0:
		text += " " + capital(view.Classes(len(s.Table.Classes))) + "."
	}
	return text
}

func (s *Similar) verdict() (head, meaning string) {
	c, k := s.Model.Certificate, s.Model.Memberships.Cols
	of := "the similarities"
	if s.Centred {
		of = "the similarities, with rows and columns centred,"
	}
	floor := "No memberships in " + view.Count(k, "cluster") + " leave a squared error of " + of + " below " +
		view.Number(c.Floor) + ". These leave " + view.Number(c.Objective) + "."
	if s.Table.Rows > mostTheorem && !s.ByDuality {
		floor += " The floor is proved by random vectors, but for a chance of 2e-10."
	}
	if s.proved() {
		return "The floor is proved, the labels are not", floor + " No others are better by more than " +
			view.AtMost(s.within()) + " of the total. The memberships attain the floor; labels are clusters, " +
			"which no theorem is about."
	}
	head = view.Percent(s.within()) + " of the total above the floor"
	if s.Centred {
		return head, floor + " Better memberships may exist."
	}
	if s.ByDuality {
		return head, floor + " So their error is at most " + view.AtMost(100*(c.Objective/c.Floor-1)) +
			" % above the least, which is proved."
	}
	return head, floor + " The floor holds for all positive semidefinite matrices of rank " +
		strconv.Itoa(k) +
		". Products of memberships are fewer, so it may be out of reach: how near they can come is not known."
}

// mostTheorem is the number of samples up to which LSDModel.FloorError rests on no chance.
const mostTheorem = 512

func (s *Similar) errors() grid {
	c := s.Model.Certificate
	g := grid{Caption: "Squared errors of all pairs of rows", Corner: "squared error",
		Head: []string{"all pairs"}}
	g.add("of the memberships", view.Number(c.Objective))
	g.add("floor", view.Number(c.Floor))
	g.add("total", view.Number(c.Total))
	g.add("explained", view.Share(c, 1-c.Objective/c.Total))
	g.add("explained at best", view.Share(c, 1-c.Floor/c.Total))
	return g
}

// panels draws the memberships, and the rows in the leading directions.
func (s *Similar) panels(p *points) (all []picture, err error) {
	m := s.Model
	if s.Plane.Cols > 0 {
		plane, err := view.NewPlane(s.Plane, nil)
		if err != nil {
			return nil, err
		}
		x, y := plane.Points(s.Plane)
		var outlines []chart.Outline
		if m.Vertices != nil && m.Vertices.Cols == s.Plane.Cols {
			if o := plane.Outline(m.Vertices, "prototypes", "current", true); widest(x,
				y) >= tooSmall*widest(o.X, o.Y) {
				outlines = append(outlines, o)
			}
		}
		all = p.scatter(chart.ScatterPlot{Frame: chart.Frame{ID: "plane",
			Title: "Rows in the two leading directions", Width: third, Height: 420,
			Desc:   "Rows that are similar lie near each other.",
			XLabel: "first direction", YLabel: "second direction"}, X: x, Y: y, Outlines: outlines})
	}
	all = append(all, p.triangle("Memberships as a triangle", "A row that is wholly in a cluster")...)
	if k := m.Memberships.Cols; k > 1 {
		frame, class := chart.Frame{ID: "memberships", Title: "Memberships of all rows", Width: third,
			Height: 420}, ""
		if k > many {
			frame.Width, frame.Height, class = whole, 300, "wide"
		}
		all = append(all, picture{p.mixtures(frame, "cluster"), class})
	}
	return all, nil
}

// widest is the width or the height of points, whichever is larger.
func widest(x, y []float64) float64 {
	dx, dy := extentOf(x), extentOf(y)
	return max(dx.hi-dx.lo, dy.hi-dy.lo)
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
			text += mark + view.Names(j + 1)[j] + " has " + strconv.Itoa(at+1) + " to " + strconv.Itoa(at+n)
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
func (s *Similar) matrices(labels []int) (list []mapPicture, err error) {
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
	ramp, err := dataURI(rampImage())
	if err != nil {
		return nil, err
	}
	what := "the squared error is of this picture and the one beside it"
	if s.Centred {
		what = "with the means of rows and columns, which are free"
	}
	for _, p := range []struct {
		of                  *maps
		title, caption, alt string
	}{
		{given, "The similarities", "Light: alike.",
			"The similarities of " + view.Count(n, "row") + ", sorted by label."},
		{made, "By memberships", "The products of memberships, times a scale; " + what + ".",
			"What the memberships make of the similarities."},
	} {
		values := make([]float64, len(p.of.residual))
		for i, v := range p.of.residual {
			values[i] = v - scale.lo
		}
		picture := mapPicture{Title: p.title, Caption: p.caption, Alt: p.alt, Ramp: ramp,
			Lo: view.Small(scale.lo), Hi: view.Small(scale.hi),
			Width: p.of.samples, Height: p.of.lines, Sharp: p.of.lines < 200}
		if picture.Data, err = dataURI(p.of.ramp(values, scale.hi-scale.lo)); err != nil {
			return nil, err
		}
		list = append(list, picture)
	}
	return list, nil
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
func (s *Similar) blocks(labels []int, names []string) grid {
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
	g := grid{Caption: "Mean similarity of rows by their labels", Corner: "label", Head: names,
		Note: "A row is not compared with itself."}
	for a, name := range names {
		row := gridRow{Name: name}
		values := make([]float64, k)
		for b := range k {
			values[b] = sum[a*k+b] / float64(count[a*k+b])
		}
		texts := decimals(values)
		for b := range k {
			if count[a*k+b] == 0 {
				texts[b] = "–"
			}
			row.Cells = append(row.Cells, cell{texts[b], a == b})
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// pureOf names the rows with the largest memberships.
func pureOf(pure []answer.Few, names []string) grid {
	g := grid{Caption: "Rows with the largest memberships", Corner: "prototype",
		Head: []string{"first", "second", "third"}}
	for j, list := range pure {
		texts := slices.Repeat([]string{"–"}, len(g.Head))
		for c, r := range list.Rows {
			texts[c] = short(table.Printable(r.ID)) + " " + strconv.FormatFloat(r.Value, 'f', 2, 64)
		}
		g.add(names[j], texts...)
	}
	return g
}

// betweenOf names the rows with about the same membership in two clusters.
func betweenOf(rows answer.Few) grid {
	g := grid{Caption: "Rows between two prototypes", Corner: "row", Head: []string{"most", "next"}}
	for _, r := range rows.Rows {
		var texts []string
		for c, j := range r.Pair {
			texts = append(texts, "p"+strconv.Itoa(j)+" "+strconv.FormatFloat(r.Shares[c], 'f', 2, 64))
		}
		g.add(short(table.Printable(r.ID)), texts...)
	}
	return g
}

func (s *Similar) curves() []picture {
	if !(s.Total > 0) || !view.Finite(s.Total) || len(s.Floors) < 2 {
		return nil
	}
	k := s.Model.Memberships.Cols
	floor := chart.Series{Name: "floor", Markers: true}
	for _, v := range s.Floors {
		floor.Y = append(floor.Y, v/s.Total)
	}
	plot := &chart.LinePlot{Frame: chart.Frame{ID: "floors", Title: "The floor for every k", Width: half,
		Height: 320, XLabel: "clusters k", YLabel: "share of the total left over",
		Desc: "The least share of the total that k clusters can leave over."}, IntegerX: true,
		Series: []chart.Series{floor}, Highlight: []float64{float64(k)},
		HighlightName: "k = " + strconv.Itoa(k)}
	if k == s.Proposed {
		plot.HighlightName += ", as proposed"
	}
	if !s.proved() {
		view.AddFit(plot, "these memberships", k, s.Model.Objective, s.Total)
	}
	return []picture{{SVG: svg(chart.Lines(nil, plot))}}
}

// steps has the share of the total that each further cluster adds at best.
func (s *Similar) steps() grid {
	if !(s.Total > 0) || !view.Finite(s.Total) {
		return grid{}
	}
	g := grid{Caption: "What each cluster can add at best", Corner: "k",
		Head: []string{"explained at best", "added"},
		Note: "This counts directions. One cluster may have many."}
	for i, v := range s.Floors[:min(len(s.Floors), max(8, s.Model.Memberships.Cols+2))] {
		added := "–"
		if i > 0 {
			added = view.Percent((s.Floors[i-1] - v) / s.Total)
		}
		g.Rows = append(g.Rows, gridRow{strconv.Itoa(i + 1), []cell{{Text: view.Percent(max(0, 1-v/s.Total))},
			{Text: added, Most: i+1 == s.Model.Memberships.Cols}}})
	}
	return g
}

func (s *Similar) made() []string {
	if s.Centred {
		return []string{"TI-LSD: the closed form, and labels by clusters of the rows in the leading directions: fit " +
			"-method tilsd gives the same. Every orientation of the simplex has the same error."}
	}
	m := s.Model
	return []string{"LSD: from the leading eigenvectors by a rotation and a descent, " +
		view.Count(m.Iterations, "step") + ", " + m.Status.String() +
		"; seed " + strconv.FormatUint(s.Seed, 10) + ". The command fit -method lsd gives the same."}
}
