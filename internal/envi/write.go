package envi

import (
	"cmp"
	"io"
	"strconv"
	"strings"
)

// Write writes the header. Braces and commas in names become spaces, and names stay on
// one line.
func (h *Header) Write(w io.Writer) error {
	var b strings.Builder
	b.WriteString("ENVI\n")
	field := func(key, value string) { b.WriteString(key + " = " + value + "\n") }
	number := func(key string, n int) { field(key, strconv.Itoa(n)) }
	if h.Description != "" {
		field("description", "{"+word(h.Description)+"}")
	}
	number("samples", h.Samples)
	number("lines", h.Lines)
	number("bands", h.Bands)
	field("header offset", strconv.FormatInt(h.Offset, 10))
	field("file type", word(cmp.Or(h.FileType, "ENVI Standard")))
	number("data type", h.Type)
	field("interleave", h.Interleave)
	order := 0
	if h.BigEndian {
		order = 1
	}
	number("byte order", order)
	if h.HasIgnore {
		field("data ignore value", float(h.Ignore))
	}
	if h.Scale > 0 {
		field("reflectance scale factor", float(h.Scale))
	}
	for _, f := range h.Place {
		field(f.Key, f.Value)
	}
	if h.Units != "" {
		field("wavelength units", word(h.Units))
	}
	writeList(&b, "band names", h.BandNames, word)
	writeList(&b, "spectra names", h.Spectra, word)
	writeList(&b, "wavelength", h.Wavelengths, float)
	writeList(&b, "bbl", h.Bad, func(bad bool) string {
		if bad {
			return "0"
		}
		return "1"
	})
	_, err := io.WriteString(w, b.String())
	return err
}

// writeList writes a list, several values a line. An empty list is left out.
func writeList[T any](b *strings.Builder, key string, values []T, text func(T) string) {
	if len(values) == 0 {
		return
	}
	b.WriteString(key + " = {\n")
	for i, v := range values {
		if b.WriteString(" " + text(v)); i < len(values)-1 {
			b.WriteByte(',')
			if i%8 == 7 {
				b.WriteByte('\n')
			}
		}
	}
	b.WriteString("}\n")
}

// float writes the digits that give the same float64 back.
func float(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// word is text without the signs that end a value.
func word(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune("{},=\u0085\u2028\u2029", r) {
			return ' '
		}
		return r
	}, s)
	if s = strings.Join(strings.Fields(s), " "); s == "" {
		return "-"
	}
	return s
}
