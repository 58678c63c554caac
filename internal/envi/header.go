// Package envi reads and writes the headers of ENVI images and spectral libraries, and
// finds the two files that an image has: a text NAME.hdr and the values in binary. The
// values are read and written by package cube.
//
// The format is described in ENVI's documentation (ENVI Header Files). Of its fields the
// package knows those of [Header]; it leaves the others alone. ENVI needs samples, lines,
// bands, data type and interleave, and so does the package. What else is missing or cannot be
// used, it makes up or leaves out, and says so in Header.Notes.
package envi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"softkmeans/internal/cube"
	"softkmeans/internal/npy"
)

// Header is the content of a header file.
type Header struct {
	Samples, Lines, Bands int // columns, rows, values a pixel; at least 1
	Offset                int64
	Type                  int // of values: 1, 2, 3, 4, 5, 12, 13, 14 or 15
	BigEndian             bool
	Interleave            string // bsq, bil or bip

	FileType    string // "" is ENVI Standard; SpectralLibrary
	Description string
	Wavelengths []float64 // a number for each band, or each sample of a library; nil: not given
	Units       string    // of Wavelengths
	Bad         []bool    // true for bands not to be used; nil: none
	Ignore      float64   // the value of pixels without data; see HasIgnore
	HasIgnore   bool
	Scale       float64  // reflectance is the value divided by it; 0: not given
	BandNames   []string // nil: not given
	Spectra     []string // the names of a library's spectra, which are its lines

	// Place has the fields that say where on earth the image is, as they are in the file:
	// map info, projection info, coordinate system string.
	Place []Field

	Notes []string // what was assumed, and what was left out
}

// Field is a key and its value, with the braces that it may have.
type Field struct{ Key, Value string }

// SpectralLibrary is the FileType of a file of spectra: a line each, one band.
const SpectralLibrary = "ENVI Spectral Library"

// maxHeader bounds the size of a header. One with names of 2000 bands has 100 kB.
const maxHeader = 1 << 24

// names are NumPy's names of the types, without the order of bytes.
var names = map[int]string{1: "u1", 2: "i2", 3: "i4", 4: "f4", 5: "f8",
	12: "u2", 13: "u4", 14: "i8", 15: "u8"}

// interleaves are the orders of the values.
var interleaves = map[string]func(lines, samples, bands int) cube.Layout{
	"bsq": cube.ByBand, "bil": cube.ByLine, "bip": cube.ByPixel}

// placeKeys are the keys of Header.Place.
var placeKeys = []string{"map info", "projection info", "coordinate system string"}

// Read reads a header. Its errors do not have the file's name.
func Read(r io.Reader) (*Header, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxHeader+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxHeader:
		return nil, fmt.Errorf("a header of more than %d MB", maxHeader>>20)
	}
	fields, err := split(text)
	if err != nil {
		return nil, err
	}
	return parse(fields)
}

// isHeader reports whether a text begins as a header does.
func isHeader(start []byte) bool {
	rest, ok := bytes.CutPrefix(bytes.TrimPrefix(start, []byte("\ufeff")), []byte("ENVI"))
	return ok && (len(rest) == 0 || strings.ContainsRune(" \t\r\n", rune(rest[0])))
}

// split returns the fields by their keys, in lower case and with single spaces.
func split(text []byte) (map[string]string, error) {
	if !isHeader(text) {
		return nil, fmt.Errorf("not an ENVI header%s: its first line is not ENVI", foreign(text))
	}
	lines := strings.Split(strings.ReplaceAll(string(text), "\r", "\n"), "\n")[1:]
	fields := map[string]string{}
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		if line == "" || line[0] == ';' {
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok {
			continue // as of programs that wrap long lines without braces
		}
		key = strings.ToLower(strings.Join(strings.Fields(key), " "))
		value = strings.TrimSpace(value)
		if end := closing(key, value); end != "" {
			n := enclosed(lines[i:], value[:1], end, true)
			if n == 0 { // an opening sign too many
				n = enclosed(lines[i:], value[:1], end, false)
			}
			if n == 0 {
				return nil, fmt.Errorf("the %c of %.40q has no %s", value[0], key, end)
			}
			for _, more := range lines[i+1 : i+n] {
				value += "\n" + strings.TrimSpace(more)
			}
			i += n - 1
		}
		if old, twice := fields[key]; twice && old != value {
			return nil, fmt.Errorf("%.40q twice, with different values", key)
		}
		fields[key] = value
	}
	return fields, nil
}

// enclosed is how many lines there are up to the closing sign of the first: nested ones may stand before it, or
// it is the first. 0 is for none.
func enclosed(lines []string, open, end string, nested bool) int {
	depth := 0
	for i, line := range lines {
		if depth += strings.Count(line, open) - strings.Count(line, end); strings.Contains(line, end) &&
			(depth <= 0 || !nested) {
			return i + 1
		}
	}
	return 0
}

func parse(fields map[string]string) (*Header, error) {
	h := &Header{FileType: fields["file type"], Description: inBraces(fields["description"]),
		Units: inBraces(fields["wavelength units"])}
	if strings.EqualFold(h.Units, "unknown") || strings.EqualFold(h.Units, "none") {
		h.Units = ""
	}
	if strings.EqualFold(h.FileType, SpectralLibrary) {
		h.FileType = SpectralLibrary
	}
	for _, key := range []string{"major frame offsets", "minor frame offsets"} {
		if strings.Trim(fields[key], "{}0, \t\n") != "" {
			return nil, fmt.Errorf("%s = %.40s: bytes beside the values are not read", key, fields[key])
		}
	}
	for _, size := range []struct {
		key string
		to  *int
	}{{"samples", &h.Samples}, {"lines", &h.Lines}, {"bands", &h.Bands}, {"data type", &h.Type}} {
		value, ok := fields[size.key]
		if !ok {
			return nil, fmt.Errorf("there is no %q", size.key)
		}
		n, err := strconv.Atoi(value)
		if err != nil {
			return nil, fmt.Errorf("%s is %.40q, not a whole number", size.key, value)
		}
		*size.to = n
	}
	if err := cube.CheckSize(h.Lines, h.Samples, h.Bands); err != nil {
		return nil, err
	}
	if err := h.parseStorage(fields); err != nil {
		return nil, err
	}
	if err := h.parseBands(fields); err != nil {
		return nil, err
	}
	for _, key := range placeKeys {
		if value, ok := fields[key]; ok {
			h.Place = append(h.Place, Field{key, value})
		}
	}
	return h, nil
}

func (h *Header) parseStorage(fields map[string]string) (err error) {
	size := 0
	switch name, ok := names[h.Type]; {
	case h.Type == 6 || h.Type == 9:
		return fmt.Errorf("data type %d is complex numbers; spectra are real", h.Type)
	case !ok:
		return fmt.Errorf("data type %d is not one of 1, 2, 3, 4, 5, 12, 13, 14 and 15", h.Type)
	default:
		size = int(name[1] - '0')
	}
	switch h.Interleave = strings.ToLower(fields["interleave"]); {
	case h.Interleave == "" && h.Bands > 1:
		return errors.New(`there is no "interleave"`)
	case h.Interleave == "":
		h.Interleave = "bsq" // of one band all are the same
	case interleaves[h.Interleave] == nil:
		return fmt.Errorf("interleave is %.40q, not bsq, bil or bip", fields["interleave"])
	}
	switch value, ok := fields["byte order"]; {
	case !ok && size > 1:
		h.note("there is no byte order: 0 is taken, the least byte first")
	case ok && value != "0" && value != "1":
		return fmt.Errorf("byte order is %.40q, not 0 or 1", value)
	default:
		h.BigEndian = value == "1"
	}
	if value, ok := fields["header offset"]; ok {
		if h.Offset, err = strconv.ParseInt(value, 10, 64); err != nil || h.Offset < 0 || h.Offset > 1<<48 {
			return fmt.Errorf("header offset is %.40q, not a number of bytes", value)
		}
	}
	if value, ok := fields["file compression"]; ok && value != "0" {
		return errors.New("the values are compressed (file compression = 1); write the image without")
	}
	if value, ok := fields["data ignore value"]; ok {
		if h.Ignore, err = strconv.ParseFloat(value, 64); err != nil && !errors.Is(err, strconv.ErrRange) {
			return fmt.Errorf("data ignore value is %.40q, not a number", value)
		}
		h.HasIgnore = true
	}
	if value, ok := fields["reflectance scale factor"]; ok {
		if h.Scale, err = strconv.ParseFloat(value, 64); err != nil ||
			!(h.Scale > 0 && h.Scale <= math.MaxFloat64) {
			return fmt.Errorf("reflectance scale factor is %.40q, not a number above 0", value)
		}
	}
	return nil
}

// Layout says where the values are.
func (h *Header) Layout() (cube.Layout, error) {
	order := "<"
	if h.BigEndian {
		order = ">"
	}
	kind, err := npy.KindOf(order + names[h.Type])
	if err != nil {
		return cube.Layout{}, fmt.Errorf("data type %d", h.Type)
	}
	l := interleaves[h.Interleave](h.Lines, h.Samples, h.Bands)
	l.Offset, l.Kind = h.Offset, kind
	return l, nil
}

// Ignored is the data ignore value as a value of the file: rounded to float32 if those are.
func (h *Header) Ignored() float64 {
	if h.Type == 4 {
		return float64(float32(h.Ignore))
	}
	return h.Ignore
}

// deleted is what the spectral libraries of the USGS have in place of a deleted channel.
const deleted = float32(-1.23e34)

// IsDeleted reports whether a value stands for a deleted channel.
func IsDeleted(v float64) bool { return float32(v) == deleted }

// IsMissing reports whether a value stands for none: it is not finite, the data ignore value, or
// that of a deleted channel. Of a nil header it is not the data ignore value.
func (h *Header) IsMissing(v float64) bool {
	return v-v != 0 || IsDeleted(v) || h != nil && h.HasIgnore && v == h.Ignored()
}
