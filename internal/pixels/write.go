package pixels

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"

	"softkmeans"
	"softkmeans/internal/cube"
	"softkmeans/internal/envi"
	"softkmeans/internal/npy"
)

// Writer writes an image: an ENVI file and its header, an array, or a table.
type Writer struct {
	Lines  *csv.Writer // of a table; nil: another
	File   File        // of the values of another
	Header io.Writer   // nil: an array

	layout cube.Layout
	buffer []float64
}

// File is a file whose parts are written in any order.
type File interface {
	io.Writer
	io.WriterAt
}

// Begin writes what comes before the values. Names are of the bands; an array has no
// dimension for them if bands is 0.
func (w *Writer) Begin(s *Image, what string, names []string, bands int) (err error) {
	if w.Lines != nil {
		if s.Kind != "table" {
			return misuse("%s is an image, and CSV is for tables; give a name that ends in .img or .npy", s.Source)
		}
		w.layout = s.Layout
		w.layout.Bands = len(names)
		return w.Lines.Write(names)
	}
	if w.Header != nil {
		h := &envi.Header{Lines: s.Lines, Samples: s.Samples, Bands: len(names), Type: 4,
			Interleave: "bsq", BandNames: names,
			Description: what + " by softkmeans unmix", HasIgnore: true, Ignore: math.NaN()}
		if s.Header != nil {
			h.Place = s.Header.Place
		}
		if w.layout, err = h.Layout(); err == nil {
			err = h.Write(w.Header)
		}
		return err
	}
	shape := []int{s.Lines, s.Samples, bands}
	switch {
	case bands == 0:
		shape = shape[:2]
	case !s.Pictured:
		shape = []int{s.Pixels(), bands}
	}
	text := npy.HeaderText(shape...)
	w.layout = cube.ByPixel(s.Lines, s.Samples, len(names))
	w.layout.Offset = int64(len(text))
	if w.layout.Kind, err = npy.KindOf("<f8"); err == nil {
		_, err = io.WriteString(w.File, text)
	}
	return err
}

// Write writes the values of a block, NaN for pixels without data. row returns those of row i.
func (w *Writer) Write(b *Block, row func(i int) []float64) error {
	k := w.layout.Bands
	n := b.Rect.Pixels() * k
	if len(w.buffer) < n {
		w.buffer = make([]float64, n)
	}
	values := w.buffer[:n]
	for i := range values {
		values[i] = math.NaN()
	}
	for i, at := range b.At {
		copy(values[at*k:], row(i))
	}
	if w.Lines != nil {
		return w.writeLines(values, b.Rect)
	}
	return w.layout.Write(w.File, values, b.Rect)
}

// writeLines writes the values of a rectangle, which are line by line, in the order of the table: a pixel in each
// row, without values as empty fields.
func (w *Writer) writeLines(values []float64, r cube.Rect) error {
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
		w.Lines.Write(fields) // lines keeps the first error
	}
	w.Lines.Flush()
	return w.Lines.Error()
}

// WriteSpectra writes a table of spectra in the bands of the image: a band a row.
func WriteSpectra(w io.Writer, s *Image, names []string, spectra *softkmeans.Matrix) error {
	c := csv.NewWriter(w)
	first := "band"
	if s.Wavelengths != nil {
		first = "wavelength"
	}
	c.Write(append([]string{first}, names...)) // c keeps the first error
	fields := make([]string, spectra.Rows+1)
	for j, band := range s.Bands {
		fields[0] = strconv.Itoa(band + 1)
		if s.Wavelengths != nil {
			fields[0] = strconv.FormatFloat(s.Wavelengths[j], 'g', -1, 64)
		}
		for i := range spectra.Rows {
			fields[i+1] = strconv.FormatFloat(spectra.At(i, j), 'g', -1, 64)
		}
		c.Write(fields)
	}
	c.Flush()
	return c.Error()
}

// WriteLibrary writes the spectra as a spectral library, and its header.
func WriteLibrary(w, header io.Writer, s *Image, names []string, spectra *softkmeans.Matrix) error {
	h := &envi.Header{Lines: spectra.Rows, Samples: spectra.Cols, Bands: 1, Type: 5, Interleave: "bsq",
		FileType:    envi.SpectralLibrary,
		Description: "Spectra by softkmeans unmix", Wavelengths: s.Wavelengths, Units: s.Unit,
		Spectra:   names,
		BandNames: []string{"Spectral Library"}}
	if err := h.Write(header); err != nil {
		return err
	}
	for i := range spectra.Rows {
		if err := npy.WriteValues(w, spectra.Row(i)); err != nil {
			return err
		}
	}
	return nil
}
