package report

// The page about an image with many bands: maps of its materials and their spectra.

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/internal/chart"
	"softkmeans/internal/cube"
	"softkmeans/internal/la"
	"softkmeans/internal/view"
	"softkmeans/unmix"
)

// Scene is the content of a page about an image. [Scene.Begin] comes first, then
// [Scene.Add] for every pixel, then Answer.
type Scene struct {
	Page
	Lines, Samples int
	Pictured       bool      // pixels have places; without, the page has no maps
	Bands          []int     // the numbers of the columns of Model in the file, from 0
	Wavelengths    []float64 // of the columns; nil: not known
	Unit           string    // of Wavelengths, as ENVI writes it
	Value          string    // what the values are; "": not known
	Model          *unmix.Result
	Names          []string // of the materials; nil: p0, p1, …
	Class          []int    // the material of each spectrum; nil: each is one

	colors colors
	maps   maps
	buffer []float64
}

// Begin prepares for pixels. sample is some of them, from which the colors of the
// false-color view are chosen.
func (s *Scene) Begin(sample *softkmeans.Matrix) {
	if s.Pictured {
		s.colors = chooseColors(sample)
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

// residual is the mean square of what a mixture times its brightness leaves of a pixel.
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
	s.below = nil
	sections := insert(s.Answer.Sections(), "quality", answer.Section{ID: "spectra"})
	s.show("spectra", figures([]picture{{s.spectra(), "wide"}}))
	if s.Pictured {
		views, materials := s.pictures()
		note := "Maps of the image and of the fit's error. Maps of shares stand above."
		if n := s.maps.each; n > 1 {
			note += " A pixel of a map is the mean of " + strconv.Itoa(n) + " × " + strconv.Itoa(n) +
				" pixels of the image."
		}
		if slices.Contains(s.maps.count, 0) {
			note += " Pixels without data are checkered."
		}
		sections = insert(sections, "spectra", answer.Section{ID: "scene", Lines: []string{note}})
		s.show("scene", mapsHTML(views))
		s.show("shares", mapsHTML(materials))
	}
	return s.html(append(sections, s.spectraTable())), nil
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
	if name == "" {
		return ""
	}
	return short(name)
}

// spectra draws the materials over the wavelengths. Lines have gaps where bands are left out.
func (s *Scene) spectra() []byte {
	m := s.Model.Centers
	label := "band"
	if s.Wavelengths != nil {
		if label = "wavelength"; Unit(s.Unit) != "" {
			label += " (" + Unit(s.Unit) + ")"
		}
	}
	plot := &chart.LinePlot{Frame: chart.Frame{ID: "spectra", Title: "Spectra of the materials",
		Desc:   "A line for each material: its value in every band.",
		XLabel: label, YLabel: cmp.Or(s.Value, "value"), Width: 1080, Height: 420}, IntegerX: s.Wavelengths == nil}
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
	return chart.Lines(nil, plot)
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

// mostCells is the largest number of values of the table of spectra.
const mostCells = 6000

func (s *Scene) spectraTable() answer.Section {
	m := s.Model.Centers
	t := &answer.Table{Head: []string{"band"}}
	if s.Wavelengths != nil {
		t.Head = append(t.Head, "wavelength")
	}
	for i := range m.Rows {
		t.Head = append(t.Head, s.material(i))
	}
	step := 1 + (m.Cols*m.Rows-1)/mostCells
	for j := 0; j < m.Cols; j += step {
		row := []string{strconv.Itoa(s.Bands[j] + 1)}
		if s.Wavelengths != nil {
			row = append(row, view.Small6(s.Wavelengths[j]))
		}
		for i := range m.Rows {
			row = append(row, view.Small6(m.At(i, j)))
		}
		t.Rows = append(t.Rows, row)
	}
	title := "The spectra as a table"
	if step > 1 {
		title += ": every " + strconv.Itoa(step) + "th band"
	}
	return answer.Section{Title: title, Table: t, Detail: true}
}
