package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"

	"softkmeans"
	"softkmeans/internal/cube"
	"softkmeans/internal/envi"
	"softkmeans/internal/npy"
	"softkmeans/internal/report"
)

// unmixOutputs are the files of unmix. Each is nil if it is not asked for.
type unmixOutputs struct {
	abundances, shade      *imageFile
	spectra, spectraHeader io.Writer
	page, model            io.Writer

	scene *report.Scene
}

// imageFile is an image that is written: NAME.img and its header, or NAME.npy; or a table NAME.csv.
type imageFile struct {
	lines        *csv.Writer // nil: not a table
	file, header *outputFile // header is nil for .npy
	layout       cube.Layout
	buffer       []float64
}

func (f *unmixFlags) addOutputs(s *session) (*unmixOutputs, error) {
	out := &unmixOutputs{}
	var err error
	add := func(flag, path string) (w io.Writer) {
		if err == nil && path != "" && f.header != "" && sameName(f.header, path) {
			err = usageErrorf("-%s %s would overwrite the data; give another file", flag, path)
		}
		if err == nil && f.centers != "" && (sameName(f.centers, path) || sameName(f.centers+".hdr", path) ||
			sameName(headerOf(f.centers), path)) {
			err = usageErrorf("-%s %s would overwrite the prototypes; give another file", flag, path)
		}
		if err == nil {
			w, err = s.add(flag, path)
		}
		return w
	}
	placed := func(flag, path string) *outputFile {
		w := add(flag, path)
		if w == nil {
			return nil
		}
		file, ok := w.(*outputFile)
		if err == nil && (!ok || !file.temporary()) {
			err = usageErrorf("-%s %s is no regular file; images are written in any order", flag, path)
		}
		return file
	}
	image := func(flag, path string) *imageFile {
		if hasExtension(path, ".csv") {
			return &imageFile{lines: csv.NewWriter(add(flag, path))}
		}
		w := &imageFile{file: placed(flag, path)}
		if w.file == nil {
			return nil
		}
		if hasExtension(path, ".img") {
			w.header = placed(flag, headerOf(path))
		}
		return w
	}
	out.abundances = image("o", f.abundances)
	out.shade = image("shade", f.shade)
	if out.spectra = add("spectra", f.spectra); hasExtension(f.spectra, ".sli") {
		out.spectraHeader = add("spectra", headerOf(f.spectra))
	}
	out.page = add("report", f.page)
	out.model = add("model", f.model)
	return out, err
}

func sameName(a, b string) bool {
	one, errA := os.Stat(a)
	other, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(one, other)
}

func (out *unmixOutputs) begin(u *unmixing) error {
	s, names := u.scene, u.names()
	if u.known != nil && u.known.ranged {
		for _, name := range u.names() {
			names = append(names, name+"_low", name+"_high")
		}
	}
	if out.page != nil {
		out.scene = u.page()
	}
	if out.abundances != nil {
		if err := out.abundances.begin(s, "Abundances", names, len(names)); err != nil {
			return err
		}
	}
	if out.shade != nil {
		return out.shade.begin(s, "Shade", []string{"shade"}, 0)
	}
	return nil
}

// begin writes what comes before the values. Names are of the bands; an array has no
// dimension for them if bands is 0.
func (w *imageFile) begin(s *scene, what string, names []string, bands int) (err error) {
	if w.lines != nil {
		if s.kind != "table" {
			return usageErrorf("%s is an image, and CSV is for tables; give a name that ends in .img or .npy", s.source)
		}
		w.layout = s.layout
		w.layout.Bands = len(names)
		return w.lines.Write(names)
	}
	if w.header != nil {
		h := &envi.Header{Lines: s.lines, Samples: s.samples, Bands: len(names), Type: 4,
			Interleave: "bsq", BandNames: names,
			Description: what + " by softkmeans unmix", HasIgnore: true, Ignore: math.NaN()}
		if s.header != nil {
			h.Place = s.header.Place
		}
		if w.layout, err = h.Layout(); err == nil {
			err = h.Write(w.header)
		}
		return err
	}
	shape := []int{s.lines, s.samples, bands}
	switch {
	case bands == 0:
		shape = shape[:2]
	case !s.pictured:
		shape = []int{s.pixels(), bands}
	}
	text := npy.HeaderText(shape...)
	w.layout = cube.ByPixel(s.lines, s.samples, len(names))
	w.layout.Offset = int64(len(text))
	if w.layout.Kind, err = npy.KindOf("<f8"); err == nil {
		_, err = io.WriteString(w.file, text)
	}
	return err
}

// write writes the values of a block, NaN for pixels without data. row returns those of row i.
func (w *imageFile) write(b *block, row func(i int) []float64) error {
	k := w.layout.Bands
	n := b.rect.Pixels() * k
	if len(w.buffer) < n {
		w.buffer = make([]float64, n)
	}
	values := w.buffer[:n]
	for i := range values {
		values[i] = math.NaN()
	}
	for i, at := range b.at {
		copy(values[at*k:], row(i))
	}
	if w.lines != nil {
		return w.writeLines(values, b.rect)
	}
	return w.layout.Write(w.file, values, b.rect)
}

// writeLines writes the values of a rectangle, which are line by line, in the order of the table: a pixel in each
// row, without values as empty fields.
func (w *imageFile) writeLines(values []float64, r cube.Rect) error {
	k, inner, step, next := w.layout.Bands, r.Samples, 1, r.Samples
	if w.layout.SampleStep > w.layout.LineStep {
		inner, step, next = r.Lines, r.Samples, 1
	}
	fields := make([]string, k)
	for i := range r.Pixels() {
		at := i/inner*next + i%inner*step
		for j, v := range values[at*k : (at+1)*k] {
			if fields[j] = ""; v == v {
				fields[j] = strconv.FormatFloat(v, 'g', -1, 64)
			}
		}
		w.lines.Write(fields) // lines keeps the first error
	}
	w.lines.Flush()
	return w.lines.Error()
}

func (out *unmixOutputs) take(b *block, g *softkmeans.Matrix) error {
	if out.scene != nil {
		full := g
		if b.full != nil {
			full = b.full
		}
		out.scene.Add(b.rect, b.at, b.x, full, b.shade)
	}
	if out.abundances != nil {
		row := g.Row
		if b.low != nil {
			row = b.ranges(g)
		}
		if err := out.abundances.write(b, row); err != nil {
			return err
		}
	}
	if out.shade == nil {
		return nil
	}
	one := []float64{1}
	return out.shade.write(b, func(i int) []float64 {
		if b.shade == nil {
			return one
		}
		return b.shade[i : i+1]
	})
}

// ranges returns a function for the shares g of row i with their ranges after them.
func (b *block) ranges(g *softkmeans.Matrix) func(i int) []float64 {
	values := make([]float64, 0, 3*g.Cols)
	return func(i int) []float64 {
		values = append(values[:0], g.Row(i)...)
		for j, v := range b.low.Row(i) {
			values = append(values, v, b.high.At(i, j))
		}
		return values
	}
}

func (out *unmixOutputs) finish(u *unmixing) error {
	if out.spectra != nil {
		write := writeSpectra
		if out.spectraHeader != nil {
			write = out.writeLibrary
		}
		names := u.names()
		if u.known != nil { // those of a class are not of its spectra
			names = u.known.mixer.Names
		}
		if err := write(out.spectra, u.scene, names, u.result.model.Centers); err != nil {
			return err
		}
	}
	if out.page != nil {
		u.progress.step("page")
		if u.known != nil {
			out.scene.Answer = u.known.answer()
		} else {
			out.scene.Answer = u.answer()
		}
		page, err := out.scene.HTML()
		if err != nil {
			return err
		}
		if _, err := out.page.Write(page); err != nil {
			return err
		}
	}
	if out.model != nil {
		_, err := newModelFile(u.result).WriteTo(out.model)
		return err
	}
	return nil
}

func writeSpectra(w io.Writer, s *scene, names []string, spectra *softkmeans.Matrix) error {
	c := csv.NewWriter(w)
	first := "band"
	if s.wavelengths != nil {
		first = "wavelength"
	}
	c.Write(append([]string{first}, names...)) // c keeps the first error
	fields := make([]string, spectra.Rows+1)
	for j, band := range s.bands {
		fields[0] = strconv.Itoa(band + 1)
		if s.wavelengths != nil {
			fields[0] = strconv.FormatFloat(s.wavelengths[j], 'g', -1, 64)
		}
		for i := range spectra.Rows {
			fields[i+1] = strconv.FormatFloat(spectra.At(i, j), 'g', -1, 64)
		}
		c.Write(fields)
	}
	c.Flush()
	return c.Error()
}

func (out *unmixOutputs) writeLibrary(w io.Writer, s *scene, names []string,
	spectra *softkmeans.Matrix) error {
	h := &envi.Header{Lines: spectra.Rows, Samples: spectra.Cols, Bands: 1, Type: 5, Interleave: "bsq",
		FileType:    envi.SpectralLibrary,
		Description: "Spectra by softkmeans unmix", Wavelengths: s.wavelengths, Units: s.unit,
		Spectra:   names,
		BandNames: []string{"Spectral Library"}}
	if err := h.Write(out.spectraHeader); err != nil {
		return err
	}
	for i := range spectra.Rows {
		if err := npy.WriteValues(w, spectra.Row(i)); err != nil {
			return err
		}
	}
	return nil
}

// WriteAt is for files whose parts come in any order. The file has a temporary name.
func (o *outputFile) WriteAt(p []byte, at int64) (int, error) {
	n, err := o.file.WriteAt(p, at)
	return n, writeError(o.named, err)
}

// page returns the page of the scene, without pixels yet.
func (u *unmixing) page() *report.Scene {
	s := u.scene
	p := &report.Scene{Lines: s.lines, Samples: s.samples, Pictured: s.pictured, Bands: s.bands,
		Wavelengths: s.wavelengths, Unit: s.unit, Model: u.found, Page: report.Page{
			Command: commandLine(append([]string{"softkmeans", "unmix"}, u.flags.args...)), Version: version()}}
	if s.header != nil && s.header.Scale > 0 {
		p.Value = "reflectance"
	}
	if k := u.known; k != nil {
		p.Names, p.Class = k.mixer.Groups, k.mixer.Class
	}
	d := len(s.bands)
	p.Begin(softkmeans.NewMatrix(len(u.sample)/d, d, u.sample))
	return p
}

func (u *unmixing) means() []float64 {
	means := make([]float64, len(u.shares))
	for j, v := range u.shares {
		means[j] = v / float64(u.result.rows)
	}
	return means
}

// checkPage returns an error if a page cannot show k materials.
func (f *unmixFlags) checkPage(k int) error {
	if k > report.MostPrototypes {
		return fmt.Errorf("k = %d is proposed, and a page shows at most %d materials; give -k N or leave "+
			"-report out", k, report.MostPrototypes)
	}
	return nil
}
