package rows

// ENVI spectral libraries, read as the tables that they would be: a spectrum a row.

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
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
	h, err := envi.ReadFile(header)
	switch {
	case err != nil:
		return nil, nil, err
	case h.FileType != envi.SpectralLibrary:
		return nil, nil, fmt.Errorf("%s: is an ENVI image and no table; its pixels are fitted by unmix",
			source)
	case h.Bands != 1:
		return nil, nil, fmt.Errorf("%s: a spectral library of %d bands; it must have one", header, h.Bands)
	}
	values, err := libraryValues(h, data)
	if err != nil {
		return nil, nil, err
	}
	switch n := len(channelsOf(h, values)); {
	case n == 0:
		return nil, nil, fmt.Errorf("%s: all channels are bad ones (bbl), or without a value", header)
	case n < h.Samples:
		notes = []string{fmt.Sprintf("%d of %d channels are marked as bad (bbl), or have no value in any "+
			"spectrum, and are left out", h.Samples-n, h.Samples)}
	}
	named := d.ID != table.NoID
	libraryDialect(d)
	return bytes.NewReader(libraryText(h, values, named)), append(h.Notes, notes...), nil
}

// Spectra reads a spectral library, with the wavelengths as names of columns. Channels that are bad
// (bbl), or have no value in some spectrum, are left out.
func Spectra(header, data string) (*table.Table, error) {
	h, err := envi.ReadFile(header)
	switch {
	case err != nil:
		return nil, err
	case h.FileType != envi.SpectralLibrary || h.Bands != 1:
		return nil, fmt.Errorf("%s: is of an image; give a spectral library, with a line for each spectrum "+
			"and one band", header)
	}
	values, err := libraryValues(h, data)
	if err != nil {
		return nil, err
	}
	t := &table.Table{Rows: h.Lines}
	t.Source, t.IDs, t.Notes = data, h.Spectra, h.Notes
	at := slices.DeleteFunc(channelsOf(h, values), func(j int) (missing bool) {
		for i := range h.Lines {
			missing = missing || h.IsMissing(values[i*h.Samples+j])
		}
		return missing
	})
	for n, j := range at {
		if t.Names = append(t.Names, table.Column(j)); h.Wavelengths != nil {
			t.Names[n] = number(h.Wavelengths[j])
		}
	}
	if len(at) == 0 {
		return nil, fmt.Errorf("%s: every channel is bad, or deleted in one of the spectra", data)
	}
	n := h.Samples - len(at)
	if t.Header = h.Wavelengths != nil || n > 0; n > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%d channels left out: bad (bbl), or deleted in a spectrum", n))
	}
	for i := range h.Lines {
		for _, j := range at {
			t.Data = append(t.Data, scaled(h, values[i*h.Samples+j]))
		}
	}
	return t, nil
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// libraryDialect makes d that of the text. Nothing is guessed.
func libraryDialect(d *table.Dialect) {
	d.Header, d.Delimiter, d.Decimal, d.Names, d.Text, d.Guess = table.HeaderYes, ',', 0, nil, 0, false
	if d.ID == table.NoID {
		d.ID = ""
	} else {
		d.ID = spectrum
	}
}

// channelsOf returns the channels that are not bad and have a value in some spectrum.
func channelsOf(h *envi.Header, values []float64) (at []int) {
	for j := range h.Samples {
		dead := h.Bad != nil && h.Bad[j]
		for i := 0; i < h.Lines && !dead && h.IsMissing(values[i*h.Samples+j]); i++ {
			dead = i == h.Lines-1
		}
		if !dead {
			at = append(at, j)
		}
	}
	return at
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

// scaled is a value as a reflectance, if the header says how.
func scaled(h *envi.Header, v float64) float64 {
	if h.Scale > 0 {
		v /= h.Scale
	}
	return v
}

// libraryText writes the table. A value that stands for none is an empty field.
func libraryText(h *envi.Header, values []float64, named bool) []byte {
	var b bytes.Buffer
	channels := channelsOf(h, values)
	line := func(first string, field func(j int) string) {
		if named {
			b.WriteString(`"` + strings.ReplaceAll(first, `"`, `""`) + `",`)
		}
		for i, j := range channels {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(field(j))
		}
		b.WriteByte('\n')
	}
	line(spectrum, func(j int) string {
		if h.Wavelengths == nil {
			return "channel" + strconv.Itoa(j+1)
		}
		return number(h.Wavelengths[j])
	})
	for i := range h.Lines {
		name := spectrum + strconv.Itoa(i+1)
		if h.Spectra != nil {
			name = table.Printable(strings.Join(strings.Fields(h.Spectra[i]), " "))
		}
		line(name, func(j int) string {
			v := values[i*h.Samples+j]
			if h.IsMissing(v) {
				return ""
			}
			return number(scaled(h, v))
		})
	}
	return b.Bytes()
}
