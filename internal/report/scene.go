package report

// The page about an image with many bands: maps of its materials and their spectra.

import (
	"bytes"
	_ "embed"
	"errors"
	"html/template"
	"math"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/choosek"
	"softkmeans/internal/answer"
	"softkmeans/internal/chart"
	"softkmeans/internal/cube"
	"softkmeans/internal/la"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
	"softkmeans/unmix"
)

// Scene is the content of a page about an image. [Scene.Begin] comes first, then
// [Scene.Add] for every pixel, then the fields after Version.
type Scene struct {
	Source, Kind   string
	Lines, Samples int
	Pictured       bool      // pixels have places; without, the page has no maps
	Bands          []int     // the numbers of the columns of Model in the file, from 0
	Wavelengths    []float64 // of the columns; nil: not known
	Unit           string    // of Wavelengths, as ENVI writes it
	Model          *unmix.Result
	Names          []string // of the materials; nil: p0, p1, …
	Class          []int    // the material of each spectrum; nil: each is one
	Known          bool     // the spectra are given, and shares alone were found
	Command        string   // the command line that made the page
	Version        string

	Certificate softkmeans.Certificate
	view.Compact
	Proposal    *choosek.Proposal // nil: k was given
	Sampled     bool              // Model was found on a sample of the pixels
	Pixels      int               // that have data
	Shares      []float64         // the mean share of each material
	Sizes, Pure []int             // pixels by their largest share; nearly pure ones
	Left        []string          // what was left out, in sentences
	Seed        uint64
	Choices     []string // how the pixels were scaled and what set λ, in sentences

	colors colors
	maps   maps
	buffer []float64
}

//go:embed scene.html
var sceneText string

// scenePage has the template of tables of the other page.
var scenePage = template.Must(template.Must(page.Clone()).New("scene").Parse(sceneText))

// Begin prepares for pixels. sample is some of them, from which the colors of the
// false-color view are chosen.
func (s *Scene) Begin(sample *softkmeans.Matrix) {
	if s.Pictured {
		s.colors = chooseColors(sample, s.Bands)
		s.maps.begin(s.Lines, s.Samples, len(s.names()))
		if s.Model.Brightness != nil {
			s.maps.shade = make([]float64, len(s.maps.count))
		}
	}
}

// Add adds the pixels x of a rectangle, with memberships g, and with a shade each where the
// model has shade. at has their places in the rectangle, line by line.
func (s *Scene) Add(r cube.Rect, at []int, x, g *softkmeans.Matrix, shade []float64) {
	if !s.Pictured {
		return
	}
	for i, p := range at {
		row := x.Row(i)
		bright := 1.0
		if shade != nil {
			bright = shade[i]
		}
		s.maps.add(r.Line+p/r.Samples, r.Sample+p%r.Samples, s.shares(g.Row(i)), bright,
			s.residual(row, g.Row(i), bright), s.colors.of(row))
	}
}

func (s *Scene) names() []string {
	if s.Names != nil {
		return s.Names
	}
	return view.Names(s.Model.Centers.Rows)
}

func (s *Scene) material(i int) string {
	if s.Class != nil {
		i = s.Class[i]
	}
	return s.names()[i]
}

// shares returns the shares of the materials for memberships g in the spectra.
func (s *Scene) shares(g []float64) []float64 {
	if s.Class == nil {
		return g
	}
	sums := make([]float64, len(s.Names))
	for i, v := range g {
		sums[s.Class[i]] += v
	}
	return sums
}

// residual is the mean square of what a mixture times its shade leaves of a pixel.
func (s *Scene) residual(x, g []float64, shade float64) float64 {
	left := append(s.buffer[:0], x...)
	s.buffer = left
	for i, share := range g {
		if share == 0 {
			continue
		}
		la.Axpy(left, -shade*share, s.Model.Centers.Row(i))
	}
	sum := 0.0
	for _, v := range left {
		sum += v * v
	}
	return sum / float64(len(x))
}

// HTML returns the page.
func (s *Scene) HTML() ([]byte, error) {
	m := s.Model
	k := len(s.names())
	if len(s.Bands) != m.Centers.Cols || len(s.Shares) != k || len(s.Sizes) != k || len(s.Pure) != k ||
		s.Wavelengths != nil && len(s.Wavelengths) != len(s.Bands) {
		return nil, errors.New("report: the scene is not that of the model")
	}
	q := s.quality()
	c := &content{Title: titleOf(s.Source), Answer: q.Sentence(), About: s.about(), Left: s.Left,
		Style:  template.CSS(chart.Style + styleText),
		Proved: s.Certificate.Optimal(view.CertifiedTol), Errors: s.errors(), Warnings: append(view.Warnings(m.Model), view.Unsure(m.Turns)...),
		Spectra: s.spectra(), SpectraTable: s.spectraTable(), Sizes: []grid{s.sizes()}, Made: s.made(),
		Command: s.Command, Version: s.Version}
	c.Method = "Minimal volume"
	c.Verdict, c.Meaning = q.Head(), meaning(q, &s.Compact)
	if s.Known {
		c.Method, c.Verdict = "Known spectra", "The spectra are given"
		c.Meaning = "The shares are the best ones for them, but for rounding. The floor is that of any " +
			"spectra, as many as these."
	}
	if s.Proposal != nil {
		c.Proposal = answer.NewChoice(nil, s.Proposal).Sentence()
	}
	if s.Pictured {
		var err error
		if c.Views, c.Materials, err = s.pictures(); err != nil {
			return nil, err
		}
		if n := s.maps.each; n > 1 {
			c.MapNote = "A pixel of a map is the mean of " + strconv.Itoa(n) + " × " +
				strconv.Itoa(n) + " pixels of the image. "
		}
		if s.Pixels < s.Lines*s.Samples {
			c.MapNote += "Pixels without data are checkered."
		}
	}
	var out bytes.Buffer
	err := scenePage.Execute(&out, c)
	return out.Bytes(), err
}

// fitted is the number of pixels that are no outliers.
func (s *Scene) fitted() int { return s.Pixels - len(s.Model.Trimmed) }

func (s *Scene) quality() *answer.Quality {
	return &answer.Quality{Certificate: s.Certificate, K: s.Model.Centers.Rows, Noun: "material", Tol: view.CertifiedTol,
		Sum: view.SumOf(s.Model), Why: answer.Why(view.MinVolume)}
}

// total is what errors are shares of.
func (s *Scene) total() string {
	if view.SumOf(s.Model) == softkmeans.SumAtMostOne {
		return "the sum of squares"
	}
	return "the variance"
}

func (s *Scene) about() string {
	text := s.Kind + "; "
	if s.Pictured {
		text += view.Count(s.Lines, "line") + " × " + view.Count(s.Samples, "sample")
	} else {
		text += view.Count(s.Lines*s.Samples, "pixel")
	}
	text += ", " + view.Count(len(s.Bands), "band")
	if n := len(s.Wavelengths); n > 0 {
		e := extentOf(s.Wavelengths)
		text += " from " + view.Small6(e.lo) + " to " + view.Small6(e.hi)
		if unit := Unit(s.Unit); unit != "" {
			text += " " + unit
		}
	}
	return text + "."
}

// Unit is the sign of a unit of wavelengths that ENVI names, or its name.
func Unit(name string) string {
	switch strings.ToLower(name) {
	case "nanometers", "nanometer", "nm":
		return "nm"
	case "micrometers", "micrometer", "microns", "um", "µm":
		return "µm"
	case "millimeters", "mm":
		return "mm"
	case "wavenumber", "wavenumbers":
		return "cm⁻¹"
	case "unknown", "index", "-":
		return ""
	}
	return short(table.Printable(name))
}

func (s *Scene) errors() grid {
	c := s.Certificate
	root := math.Sqrt(c.Objective / float64(max(1, s.fitted())*len(s.Bands)))
	pixels, note := "all pixels and bands",
		"No choice of "+view.Count(s.Model.Centers.Rows, "material")+" has less than the floor."
	if len(s.Model.Trimmed) > 0 {
		pixels = "all pixels but outliers"
	}
	if s.Model.Brightness != nil {
		note += " A pixel is a mixture times its shade, and so it is for the floor."
	}
	g := grid{Caption: "Squared errors", Corner: "squared error", Head: []string{pixels}, Note: note}
	g.add("of the mixtures", view.Number(c.Objective))
	g.add("proven floor", view.Number(c.Floor))
	g.add("above the floor", view.Above(c))
	g.add("total", view.Number(c.Total))
	g.add("explained", view.Share(c, 1-c.Objective/c.Total))
	g.add("explained at best", view.Share(c, 1-max(c.Floor, 0)/c.Total))
	g.add("root mean square", view.Small(root))
	return g
}

// spectra draws the materials over the wavelengths. Lines have gaps where bands are left out.
func (s *Scene) spectra() template.HTML {
	m := s.Model.Centers
	label := "band"
	if s.Wavelengths != nil {
		if label = "wavelength"; Unit(s.Unit) != "" {
			label += " (" + Unit(s.Unit) + ")"
		}
	}
	plot := &chart.LinePlot{Frame: chart.Frame{ID: "spectra", Title: "Spectra of the materials",
		Desc:   "A line for each material: its value in every band.",
		XLabel: label, YLabel: "value", Width: 1080, Height: 420}, IntegerX: s.Wavelengths == nil}
	for i := range m.Rows {
		line := s.spectrum(m.Row(i))
		line.Name, line.Markers = s.material(i), m.Cols <= 12
		plot.Series = append(plot.Series, line)
	}
	for _, other := range s.Model.Others {
		plot.Desc = "A line for each material: its value in every band. Dotted: with half or twice " +
			"of the noise."
		for i := range other.Centers.Rows {
			line := s.spectrum(other.Centers.Row(i))
			line.Of = i + 1
			plot.Series = append(plot.Series, line)
		}
	}
	return svg(chart.Lines(nil, plot))
}

// spectrum is the line of a spectrum, with gaps at bands left out.
func (s *Scene) spectrum(values []float64) (line chart.Series) {
	for j, band := range s.Bands {
		x := float64(band + 1)
		if s.Wavelengths != nil {
			x = s.Wavelengths[j]
		}
		if j > 0 && band != s.Bands[j-1]+1 {
			line.X, line.Y = append(line.X, x), append(line.Y, math.NaN())
		}
		line.X, line.Y = append(line.X, x), append(line.Y, values[j])
	}
	return line
}

func (s *Scene) spectraTable() grid {
	m := s.Model.Centers
	g := grid{Caption: "Spectra of the materials", Corner: "band"}
	for i := range m.Rows {
		g.Head = append(g.Head, s.material(i))
	}
	if s.Wavelengths != nil {
		g.Head = append([]string{"wavelength"}, g.Head...)
	}
	step := 1 + (m.Cols*m.Rows-1)/mostCells
	if step > 1 {
		g.Note = "Every " + strconv.Itoa(step) + "th band."
	}
	column := make([]float64, m.Rows)
	for j := 0; j < m.Cols; j += step {
		for i := range column {
			column[i] = m.At(i, j)
		}
		texts := decimals(column)
		if s.Wavelengths != nil {
			texts = append([]string{view.Small6(s.Wavelengths[j])}, texts...)
		}
		g.add(strconv.Itoa(s.Bands[j]+1), texts...)
	}
	return g
}

func (s *Scene) sizes() grid {
	g := grid{Caption: "Materials", Corner: "material",
		Head: []string{"mean share", "pixels", "of all pixels", "nearly pure"},
		Note: "Pixels are counted by their largest share. Nearly pure: a share of 90 % or more."}
	turns := s.Model.Turns
	if turns != nil {
		g.Head = append(g.Head, "uncertainty")
		g.Note += " " + view.SureTo
	}
	for j, name := range s.names() {
		texts := []string{view.Percent(s.Shares[j]), strconv.Itoa(s.Sizes[j]),
			view.Percent(float64(s.Sizes[j]) / float64(s.Pixels)), strconv.Itoa(s.Pure[j])}
		if turns != nil {
			texts = append(texts, strconv.FormatFloat(turns[j], 'f', 1, 64))
		}
		g.add(name, texts...)
	}
	return g
}

func (s *Scene) made() []string {
	m := s.Model
	text := "Shares in spectra that are given, without a fit."
	if !s.Known {
		text = "Minimal volume: spectra close to the pixels, for a squared error above the least. " +
			capital(view.How(m.Model, s.Compact)) + "; seed " + strconv.FormatUint(s.Seed, 10) + "."
	}
	for _, choice := range s.Choices {
		text += " " + choice
	}
	if m.Sum == softkmeans.SumAtMostOne {
		text += " The shares of a pixel add up to at most 1; the rest is shade."
	}
	lines := []string{text}
	if s.Sampled {
		lines = append(lines, "The spectra were found on a weighted sample of the pixels and corrected by "+
			"passes over all of them. Every figure is of all pixels.")
	}
	return lines
}
