package report

// The maps of a scene, as PNG images in the page.

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/internal/la"
	"softkmeans/internal/view"
)

// mostAcross is the largest number of pixels of a map along one side. In larger images
// neighbors are averaged.
const mostAcross = 512

// maps sums up the pixels in cells of each×each.
type maps struct {
	each           int
	lines, samples int         // cells
	count          []int       // pixels in each cell
	shares         [][]float64 // of each material, summed in each cell
	residual       []float64   // mean squares, summed
	shade          []float64   // summed; nil: the model has none
	brightest      peak        // the pixel with the largest shade
	color          [3][]float64
	most           []peak // the pixel with the largest share of each material
}

// peak is a pixel, counted from 0.
type peak struct {
	line, sample int
	share        float64
}

func (m *maps) begin(lines, samples, k int) {
	m.each = 1 + (max(lines, samples)-1)/mostAcross
	m.lines, m.samples = 1+(lines-1)/m.each, 1+(samples-1)/m.each
	n := m.lines * m.samples
	m.count, m.residual = make([]int, n), make([]float64, n)
	for range k {
		m.shares, m.most = append(m.shares, make([]float64, n)), append(m.most, peak{share: math.Inf(-1)})
	}
	for i := range m.color {
		m.color[i] = make([]float64, n)
	}
}

func (m *maps) add(line, sample int, shares []float64, shade, residual float64, rgb [3]float64) {
	at := line/m.each*m.samples + sample/m.each
	m.count[at]++
	m.residual[at] += residual
	if m.shade != nil {
		m.shade[at] += shade
		if shade > m.brightest.share {
			m.brightest = peak{line, sample, shade}
		}
	}
	for j, v := range shares {
		m.shares[j][at] += v
		if v > m.most[j].share {
			m.most[j] = peak{line, sample, v}
		}
	}
	for i, v := range rgb {
		m.color[i][at] += v
	}
}

// mean divides sums by the number of pixels: NaN for cells without any.
func (m *maps) mean(sums []float64) []float64 {
	means := make([]float64, len(sums))
	for i, v := range sums {
		means[i] = v / float64(m.count[i])
	}
	return means
}

// colors says how a pixel is shown in red, green and blue: the values of up to three columns, from lo (dark) to hi
// (bright).
type colors struct {
	columns []int
	lo, hi  [3]float64
	share   float64 // of the sample's variance that these columns show
}

// of returns the colors of a pixel, from 0 to 1.
func (c *colors) of(x []float64) (rgb [3]float64) {
	for i, j := range c.columns {
		rgb[i] = .5
		if span := c.hi[i] - c.lo[i]; span > 0 {
			rgb[i] = min(max((x[j]-c.lo[i])/span, 0), 1)
		}
	}
	return rgb
}

// chooseColors takes three bands far apart that have most of the variance of the sample. Their ranges are all but
// the darkest and brightest fiftieth of it.
func chooseColors(sample *softkmeans.Matrix) (c colors) {
	n := sample.Rows
	if n == 0 {
		return c
	}
	mean := make([]float64, sample.Cols)
	for i := range n {
		la.Axpy(mean, 1/float64(n), sample.Row(i))
	}
	c.columns, c.share = farApart(la.Transpose(la.Centred(sample, mean)))
	bands := la.Transpose(sample)
	for i, j := range c.columns {
		values := bands.Row(j)
		slices.Sort(values)
		c.lo[i], c.hi[i] = values[n/50], values[n-1-n/50]
	}
	return c
}

// farApart chooses up to three columns, the rows of x, each with most of what those before leave, and at
// least a tenth of the columns away from them. They are ordered from the last, which has the longest
// wavelength, as red has. share is their part of the squares. It changes x.
func farApart(x *softkmeans.Matrix) (chosen []int, share float64) {
	d, square := x.Rows, la.SumSquares(x.Data)
	for range min(3, d) {
		best, most := -1, 0.0
		for j := range d {
			if slices.ContainsFunc(chosen, func(c int) bool { return 10*max(c-j, j-c) < d || c == j }) {
				continue
			}
			if sum := la.SumSquares(x.Row(j)); best < 0 || sum > most {
				best, most = j, sum
			}
		}
		if best < 0 {
			break
		}
		chosen = append(chosen, best)
		if most <= 0 {
			continue
		}
		column := slices.Clone(x.Row(best))
		for j := range d { // leave what is orthogonal to the column
			la.Axpy(x.Row(j), -la.Dot(column, x.Row(j))/most, column)
		}
	}
	if square > 0 {
		share = 1 - la.SumSquares(x.Data)/square
	}
	slices.Sort(chosen)
	slices.Reverse(chosen)
	return chosen, share
}

// mapPicture is an image of the page.
type mapPicture struct {
	Title, Caption, Alt string
	Data, Ramp          string    // Ramp is "" for one without a scale
	Lo, Hi              string    // the ends of the scale
	Ticks               [3]string // below: of the left end, the middle and the right end
	Width, Height       int
	Sharp               bool // small: pixels are shown as squares
}

// mapsHTML are maps side by side.
func mapsHTML(list []mapPicture) string {
	html := "<div class=\"figures maps\">\n"
	for _, p := range list {
		class, size := "", strconv.Itoa(p.Width)
		if p.Sharp {
			class = "sharp"
		}
		html += "<figure class=\"map\"><h3>" + escaped(p.Title) + "</h3>\n<img class=\"" + class + "\" src=\"" + p.Data +
			"\" width=\"" + size + "\" height=\"" + strconv.Itoa(p.Height) + "\" alt=\"" + escaped(p.Alt) + "\"/>\n"
		html += "<div class=\"ramp ticks\"><span>" + p.Ticks[0] + "</span><span>" + p.Ticks[1] + "</span><span>" + p.Ticks[2] +
			"</span></div>\n"
		if p.Ramp != "" {
			html += "<div class=\"ramp\"><span>" + escaped(p.Lo) + "</span><img src=\"" + p.Ramp + "\" alt=\"\"/><span>" +
				escaped(p.Hi) + "</span></div>\n"
		}
		html += "<figcaption>" + escaped(p.Caption) + "</figcaption></figure>\n"
	}
	return html + "</div>\n"
}

// pictures are the false-color view and the error, and a map of each material.
func (s *Scene) pictures() (views, materials []mapPicture) {
	m := &s.maps
	size := view.Count(s.Lines, "line") + " of " + view.Count(s.Samples, "sample")
	add := func(list *[]mapPicture, p mapPicture, img image.Image) {
		p.Data = dataURI(img)
		p.Ticks = [3]string{"column 1", view.Count(s.Lines, "line"), "column " + strconv.Itoa(s.Samples)}
		p.Width, p.Height, p.Sharp = m.samples, m.lines, max(m.lines, m.samples) < 200
		*list = append(*list, p)
	}
	ramp := dataURI(rampImage())
	caption := s.colorCaption()
	add(&views, mapPicture{Title: "False colors", Caption: caption, Alt: "The scene in false colors, " +
		size + ". " + caption}, m.falseColor())

	left := m.mean(m.residual)
	for i, v := range left {
		left[i] = math.Sqrt(v)
	}
	hi, at := largest(left)
	text := "The difference between each pixel and its mixture: the root mean square over the bands."
	if m.shade != nil {
		text = "The difference between each pixel and its mixture times its brightness: the root mean square over " +
			"the bands."
	}
	add(&views, mapPicture{Title: "Error", Caption: text, Ramp: ramp, Lo: "0", Hi: view.Small(hi),
		Alt: "Map of the error of every pixel, " + size + ". The largest is " + view.Small(hi) + ", near " +
			place(at/m.samples*m.each, at%m.samples*m.each) + "."}, m.ramp(left, hi))

	if m.shade != nil {
		p, shade := m.brightest, m.mean(m.shade)
		hi, _ := largest(shade)
		add(&views, mapPicture{Title: "Factor of brightness",
			Caption: "How much brighter each pixel is than its mixture of the spectra.",
			Ramp:    ramp, Lo: "0", Hi: view.Small(hi),
			Alt: "Map of the brightness of every pixel, " + size + ". The largest is " + view.Small(p.share) +
				", at " + place(p.line, p.sample) + "."}, m.ramp(shade, hi))
	}

	top := 1.0
	for _, p := range m.most { // shares of a fit whose rows do not add up to 1
		top = max(top, p.share)
	}
	if top <= 1+1e-9 {
		top = 1
	}
	for j, name := range s.names() {
		p := m.most[j]
		add(&materials, mapPicture{Title: name, Caption: view.Percent(s.Answer.Shares[j]) +
			" of the image. Largest: " + view.Percent(p.share) + ", at " + place(p.line, p.sample) + ".",
			Ramp: ramp, Lo: "0", Hi: view.Percent(top),
			Alt: "Map of the share of " + name + " in every pixel, " + size + ". The mean is " +
				view.Percent(s.Answer.Shares[j]) + ", the largest " + view.Percent(p.share) +
				" at " + place(p.line, p.sample) + "."}, m.ramp(m.mean(m.shares[j]), top))
	}
	return views, materials
}

// largest returns the largest value, at least 0, and its place. NaN, of a cell without pixels, is none.
func largest(values []float64) (most float64, at int) {
	for i, v := range values {
		if v > most {
			most, at = v, i
		}
	}
	return most, at
}

// place names a pixel, counted from 1.
func place(line, sample int) string {
	return "line " + strconv.Itoa(line+1) + ", column " + strconv.Itoa(sample+1)
}

func (s *Scene) colorCaption() string {
	c := &s.colors
	if c.share == 0 {
		return "All pixels that were looked at are equal."
	}
	begin := "Red, green and blue are the bands "
	if len(c.columns) == 1 {
		begin = "Red is the band "
	}
	var bands []string
	for _, j := range c.columns {
		text := strconv.Itoa(s.Bands[j] + 1)
		if s.Wavelengths != nil {
			text += " (" + strings.TrimSpace(view.Small6(s.Wavelengths[j])+" "+Unit(s.Unit)) + ")"
		}
		bands = append(bands, text)
	}
	return begin + view.And(bands) + ". They show " + view.Percent(c.share) + " of the variance."
}

// falseColor is the colored view; cells without pixels are transparent.
func (m *maps) falseColor() image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, m.samples, m.lines))
	for i, n := range m.count {
		if n == 0 {
			continue
		}
		level := func(c int) uint8 { return uint8(math.Round(255 * m.color[c][i] / float64(n))) }
		img.SetNRGBA(i%m.samples, i/m.samples, color.NRGBA{level(0), level(1), level(2), 255})
	}
	return img
}

// anchors are colors from dark to bright, of growing lightness also to eyes that lack one
// kind of cones: five of the scale viridis (van der Walt & Smith 2015).
var anchors = [5][3]float64{{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}}

// palette is transparent and 255 steps of the scale.
var palette = func() (p color.Palette) {
	p = color.Palette{color.NRGBA{}}
	for i := range 255 {
		at := float64(i) / 254 * float64(len(anchors)-1)
		from := min(int(at), len(anchors)-2)
		var c [3]uint8
		for j := range c {
			c[j] = uint8(math.Round(anchors[from][j] +
				(at-float64(from))*(anchors[from+1][j]-anchors[from][j])))
		}
		p = append(p, color.NRGBA{c[0], c[1], c[2], 255})
	}
	return p
}()

// ramp draws values from 0 to hi; NaN is transparent.
func (m *maps) ramp(values []float64, hi float64) image.Image {
	img := image.NewPaletted(image.Rect(0, 0, m.samples, m.lines), palette)
	for i, v := range values {
		if v-v != 0 {
			continue
		}
		step := 0.0
		if hi > 0 {
			step = math.Round(254 * min(max(v/hi, 0), 1))
		}
		img.Pix[i/m.samples*img.Stride+i%m.samples] = uint8(1 + step)
	}
	return img
}

func rampImage() image.Image {
	img := image.NewPaletted(image.Rect(0, 0, 255, 1), palette)
	for i := range img.Pix {
		img.Pix[i] = uint8(1 + i)
	}
	return img
}

// dataURI is an image, which has a pixel at least, as PNG in the text of the page.
func dataURI(img image.Image) string {
	var b bytes.Buffer
	(&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, img)
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes())
}
