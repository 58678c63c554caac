package rows

// ENVI spectral libraries, read as the tables that they would be: a spectrum a row.

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"softkmeans/internal/cube"
	"softkmeans/internal/envi"
	"softkmeans/internal/table"
)

// spectrum names the column of the spectra's names.
const spectrum = "spectrum"

// library returns the text of a spectral library, and makes d the dialect of that text. Columns are the
// wavelengths of channels that are not bad (bbl) or without any value, and ids the names of the spectra.
// The text is nil if source is no ENVI file. Of an image it is an error.
func library(source string, d *table.Dialect) (text io.Reader, notes []string, err error) {
	header, data, err := envi.Find(source)
	if header == "" || err != nil {
		return nil, nil, err
	}
	s, err := openSpectra(header, data, false)
	if err != nil {
		return nil, nil, err
	}
	text, notes = bytes.NewReader(s.text(d.ID != table.NoID)), s.Notes
	libraryDialect(d)
	return text, notes, nil
}

// Spectra reads a spectral library, with the wavelengths as names of columns. Channels that are bad
// (bbl), or have no value in some spectrum, are left out.
func Spectra(header, data string) (*table.Table, error) {
	s, err := openSpectra(header, data, true)
	if err != nil {
		return nil, err
	}
	var d table.Dialect
	libraryDialect(&d)
	t, err := table.Read(bytes.NewReader(s.text(true)), data, d)
	if err == nil {
		t.Notes, t.Header = s.Notes, s.Wavelengths != nil || len(s.channels) < s.Samples
	}
	return t, err
}

// libraryDialect makes d that of the text. Nothing is guessed.
func libraryDialect(d *table.Dialect) {
	d.Header, d.Delimiter, d.Decimal, d.Names, d.Text, d.Guess = table.Yes, ',', 0, nil, 0, false
	if d.ID == table.NoID {
		d.ID = ""
	} else {
		d.ID = spectrum
	}
}

// spectra is a spectral library.
type spectra struct {
	*envi.Header
	values   []float64 // line after line
	channels []int     // that are not left out
}

// openSpectra reads a spectral library. It leaves out channels that are bad (bbl), or have no value in any
// spectrum; with every, in some spectrum.
func openSpectra(header, data string, every bool) (*spectra, error) {
	h, err := envi.ReadFile(header)
	switch {
	case err != nil:
		return nil, err
	case h.FileType != envi.SpectralLibrary && every:
		return nil, fmt.Errorf("%s: is of an image; give a spectral library", header)
	case h.FileType != envi.SpectralLibrary:
		return nil, fmt.Errorf("%s: is an ENVI image and no table; its pixels are fitted by unmix", data)
	case h.Bands != 1:
		return nil, fmt.Errorf("%s: a spectral library of %d bands; it must have one", header, h.Bands)
	}
	s := &spectra{Header: h}
	if s.values, err = libraryValues(h, data); err != nil {
		return nil, err
	}
	s.choose(every)
	switch n := h.Samples - len(s.channels); {
	case n == h.Samples:
		return nil, fmt.Errorf("%s: all channels are bad ones (bbl), or without a value", header)
	case n > 0:
		in := map[bool]string{true: "some spectrum", false: "any spectrum"}[every]
		h.Notes = append(h.Notes, fmt.Sprintf("%d of %d channels are marked as bad (bbl), or have no value in %s, "+
			"and are left out", n, h.Samples, in))
	}
	return s, nil
}

// choose sets the channels. See openSpectra.
func (s *spectra) choose(every bool) {
	for j := range s.Samples {
		missing := 0
		for i := range s.Lines {
			if s.IsMissing(s.values[i*s.Samples+j]) {
				missing++
			}
		}
		if !(s.Bad != nil && s.Bad[j] || missing == s.Lines || every && missing > 0) {
			s.channels = append(s.channels, j)
		}
	}
}

// libraryValues reads the spectra, line after line. Errors name the file.
func libraryValues(h *envi.Header, data string) (values []float64, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", data, err)
		}
	}()
	layout, err := h.Layout()
	if err != nil {
		return nil, err
	}
	file, err := os.Open(data)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil {
		err = layout.CheckFile(info.Size())
	}
	if err != nil {
		return nil, err
	}
	values = make([]float64, h.Lines*h.Samples)
	return values, layout.Read(file, values, cube.Rect{Lines: h.Lines, Samples: h.Samples}, []int{0})
}

// text returns the table, of reflectances if the header says how. A value that stands for none is an empty
// field. named: the first column has the names of the spectra.
func (s *spectra) text(named bool) []byte {
	var b bytes.Buffer
	line := func(first string, field func(j int) string) {
		if named {
			b.WriteString(`"` + strings.ReplaceAll(first, `"`, `""`) + `",`)
		}
		for i, j := range s.channels {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(field(j))
		}
		b.WriteByte('\n')
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	line(spectrum, func(j int) string {
		if s.Wavelengths == nil {
			return "channel" + strconv.Itoa(j+1)
		}
		return number(s.Wavelengths[j])
	})
	for i := range s.Lines {
		name := spectrum + strconv.Itoa(i+1)
		if s.Spectra != nil {
			name = table.Printable(strings.Join(strings.Fields(s.Spectra[i]), " "))
		}
		line(name, func(j int) string {
			v := s.values[i*s.Samples+j]
			switch {
			case s.IsMissing(v):
				return ""
			case s.Scale > 0:
				v /= s.Scale
			}
			return number(v)
		})
	}
	return b.Bytes()
}
