// Package pixels reads and writes images with many bands, pixel by pixel: ENVI files, .npy arrays and tables.
package pixels

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"softkmeans"
	"softkmeans/internal/cube"
	"softkmeans/internal/envi"
	"softkmeans/internal/npy"
	"softkmeans/internal/rows"
	"softkmeans/internal/sources"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
)

// Image is an image whose pixels are rows of bands.
type Image struct {
	Source         string
	Lines, Samples int
	Pictured       bool         // Lines and Samples are those of an image, not of a list
	Kind           string       // ENVI, .npy or table, for a report
	Header         *envi.Header // nil: not ENVI
	Layout         cube.Layout
	Bands          []int    // those that are used, from 0
	Names          []string // of bands
	Named          bool     // the names come from the file
	Wavelengths    []float64
	Unit           string // of the wavelengths
	BadPixels      []bool // channels of a library that are marked as bad (bbl); nil: none
	Notes          []string

	// Pixels left out in the last pass, in which all or some values are missing.
	Empty, Incomplete int

	values  int                                    // of a block
	out     []int                                  // bands that are left out, beside those marked as bad
	read    func(dst []float64, r cube.Rect) error // of bands
	input   *os.File                               // nil: in memory
	info    os.FileInfo
	bytes   atomic.Int64 // read in the current pass
	deleted bool         // some pixels are left out as they are of deleted channels
	buffer  []float64
}

// Options say how an image is read.
type Options struct {
	Header        string           // of ENVI files; "": the input is another
	Library       bool             // spectral libraries are read, too
	Height, Width int              // of the image of a table; 0: it is a list
	ByColumn      bool             // the pixels of a table come column by column
	Dialect       table.Dialect    // of a table
	Known         *sources.Library // whose columns a table has; nil: none
	OfTable       string           // a flag for tables alone that is given; "": none
	File          bool             // the input must be a file that can be read in blocks
	Block         int              // values of a block of pixels; 0: 2^21, which take 16 MB
}

// Misuse is an error in the options, in words of the flags of softkmeans unmix.
type Misuse struct{ text string }

func (m *Misuse) Error() string { return m.text }

func misuse(format string, args ...any) error { return &Misuse{fmt.Sprintf(format, args...)} }

// Pixels returns the number of pixels.
func (s *Image) Pixels() int { return s.Lines * s.Samples }

// InMemory reports whether the image is a table, whose values are in memory.
func (s *Image) InMemory() bool { return s.input == nil }

// BytesRead returns how many bytes of the file the current pass has read.
func (s *Image) BytesRead() int64 { return s.bytes.Load() }

// mostBands bounds the bands, of which each has a name. An array of bands×lines×columns
// usually has more in its last place.
const mostBands = 1 << 16

// mostEntry is the largest size of an entry that package softkmeans accepts.
const mostEntry = 0x1p500

// Open opens an image: an ENVI file by its header, an array, or a table. in is the file of the pixels, which named
// says has a name, and source is its name in messages.
func Open(in io.Reader, source string, named bool, o *Options) (*Image, error) {
	s := &Image{Source: source, values: cmp.Or(o.Block, 1<<21)}
	file, _ := in.(*os.File)
	size, ok := rows.Replayable(in)
	ok = ok && named
	switch {
	case o.Header != "":
		if err := s.openENVI(o.Header, o.Library); err != nil {
			return nil, err
		}
		if o.OfTable != "" {
			return nil, misuse("-%s is for tables, and %s is an ENVI image; leave it out", o.OfTable, o.Header)
		}
	case ok && isNpy(file):
		if o.OfTable != "" && o.OfTable != "size" && o.OfTable != "order" {
			return nil, misuse("-%s is for tables, and %s is an array; leave it out", o.OfTable, source)
		}
		if err := s.openNpy(file, o); err != nil {
			return nil, err
		}
	case o.File:
		return nil, misuse("-stream yes is for ENVI and .npy files; %s is neither", source)
	default:
		return s, s.readTable(in, o)
	}
	if err := s.Layout.CheckFile(size); err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	s.input = file
	var err error
	if s.info, err = file.Stat(); err != nil {
		return nil, err
	}
	s.read = func(dst []float64, r cube.Rect) error {
		err := s.Layout.Read(file, dst, r, s.Bands)
		if err == io.ErrUnexpectedEOF {
			return s.changed()
		}
		s.bytes.Add(int64(r.Pixels()) * int64(s.Layout.Bands) * int64(s.Layout.Kind.Size))
		return err
	}
	return s, nil
}

// LeaveEmpty leaves out the bands that no pixel has a value of, as where channels are deleted. A table has none.
func (s *Image) LeaveEmpty(ctx context.Context) error {
	if s.InMemory() {
		return nil
	}
	d := len(s.Bands)
	valued, some := make([]bool, d), 0
	buffer := []float64(nil)
	for _, r := range s.Layout.Blocks(s.values) {
		buffer = slices.Grow(buffer[:0], r.Pixels()*d)[:r.Pixels()*d]
		if err := s.read(buffer, r); err != nil || ctx.Err() != nil {
			return cmp.Or(err, ctx.Err())
		}
		for i, v := range buffer {
			if j := i % d; !valued[j] && !s.Header.IsMissing(v) {
				valued[j] = true
				some++
			}
		}
		if some == d {
			return nil
		}
	}
	if some == 0 {
		return nil // no pixel has data
	}
	var at []int
	var without []string
	for j, is := range valued {
		if is {
			at = append(at, j)
		} else {
			without = append(without, s.Names[j])
		}
	}
	n := len(without)
	s.Notes = append(s.Notes, table.Count(n, "band")+table.Plural(n, " has", " have")+" no value in any pixel, and "+
		table.Plural(n, "is", "are")+" left out: "+view.Abridged(without))
	s.Pick(at)
	return nil
}

func isNpy(file *os.File) bool {
	start := make([]byte, len(npy.Magic))
	file.ReadAt(start, 0) // reading the table repeats an error
	return string(start) == npy.Magic
}

// openENVI takes sizes and bands from the header, which may be that of a spectral library if asked for.
func (s *Image) openENVI(name string, library bool) error {
	h, err := envi.ReadFile(name)
	if err != nil {
		return err
	}
	switch isLibrary := h.FileType == envi.SpectralLibrary; {
	case isLibrary && !library:
		return fmt.Errorf("%s: is of a spectral library, not of an image; fit takes its spectra as rows",
			name)
	case isLibrary && h.Bands != 1:
		return fmt.Errorf("%s: a spectral library of %d bands; it must have one, and a line for each "+
			"spectrum", name, h.Bands)
	case isLibrary: // line after line is band after band of one line: each channel is a pixel
		h.Lines, h.Bands, h.BandNames, h.Interleave = 1, h.Lines, h.Spectra, "bsq"
		s.BadPixels, h.Bad, h.Wavelengths = h.Bad, nil, nil
	}
	if s.Layout, err = h.Layout(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if h.Bands > mostBands {
		return fmt.Errorf("%s: %d bands; at most %d can be unmixed", name, h.Bands, mostBands)
	}
	s.Header, s.Kind, s.Unit, s.Notes = h, "ENVI "+h.Interleave, h.Units, h.Notes
	s.Lines, s.Samples, s.Pictured = h.Lines, h.Samples, true
	for j := range h.Bands {
		if h.Bad == nil || !h.Bad[j] {
			s.Bands = append(s.Bands, j)
		}
	}
	if len(s.Bands) == 0 {
		return fmt.Errorf("%s: all bands are bad ones (bbl)", name)
	}
	for _, j := range s.Bands {
		switch {
		case h.BandNames != nil:
			s.Names, s.Named = append(s.Names, h.BandNames[j]), true
		case h.Wavelengths != nil:
			s.Names = append(s.Names, strconv.FormatFloat(h.Wavelengths[j], 'g', -1, 64))
		default:
			s.Names = append(s.Names, bandName(j))
		}
		if h.Wavelengths != nil {
			s.Wavelengths = append(s.Wavelengths, h.Wavelengths[j])
		}
	}
	return nil
}

func bandName(j int) string { return "band" + strconv.Itoa(j+1) }

func (s *Image) openNpy(file *os.File, o *Options) error {
	h, err := npy.ReadHeader(io.NewSectionReader(file, 0, math.MaxInt64))
	if err != nil {
		return fmt.Errorf("%s: %w", s.Source, err)
	}
	s.Kind = ".npy"
	shape := h.Shape
	switch len(shape) {
	case 3:
		if o.Height > 0 || o.ByColumn {
			return misuse("-size and -order are for tables; %s is an array of three dimensions",
				s.Source)
		}
		s.Pictured = true
	case 2:
		if err := s.arrange(shape[0], o); err != nil {
			return err
		}
		shape = []int{s.Lines, s.Samples, shape[1]}
	default:
		return fmt.Errorf("%s: an array of %d dimensions; give lines×columns×bands, or pixels×bands",
			s.Source, len(shape))
	}
	if err := cube.CheckSize(shape[0], shape[1], shape[2]); err != nil {
		return fmt.Errorf("%s: %w", s.Source, err)
	}
	if shape[2] > mostBands {
		return fmt.Errorf("%s: %d bands; at most %d can be unmixed; the shape is lines×columns×bands",
			s.Source, shape[2], mostBands)
	}
	s.Lines, s.Samples = shape[0], shape[1]
	s.Layout = cube.ByPixel(s.Lines, s.Samples, shape[2])
	pixel := shape[2]
	switch {
	case h.Fortran && len(h.Shape) == 3:
		s.Layout.LineStep, s.Layout.SampleStep, s.Layout.BandStep = 1, s.Lines, s.Lines*s.Samples
	case h.Fortran: // whole bands
		pixel, s.Layout.LineStep, s.Layout.SampleStep, s.Layout.BandStep = 1, s.Samples, 1, s.Pixels()
	}
	if o.ByColumn {
		s.Layout.LineStep, s.Layout.SampleStep = pixel, pixel*s.Lines
	}
	s.Layout.Offset, s.Layout.Kind = h.Size, h.Kind
	s.allBands()
	return nil
}

// allBands takes every band, with names by position.
func (s *Image) allBands() {
	for j := range s.Layout.Bands {
		s.Bands, s.Names = append(s.Bands, j), append(s.Names, bandName(j))
	}
}

func (s *Image) arrange(pixels int, o *Options) error {
	s.Lines, s.Samples = pixels, 1
	if o.Height == 0 {
		return nil
	}
	if pixels != o.Height*o.Width {
		return fmt.Errorf("%s: %s, but -size %dx%d has %d", s.Source, table.Count(pixels, "pixel"),
			o.Height, o.Width, o.Height*o.Width)
	}
	s.Lines, s.Samples, s.Pictured = o.Height, o.Width, true
	return nil
}

// readTable reads a table into memory: a pixel a row. Names that are numbers are wavelengths.
func (s *Image) readTable(in io.Reader, o *Options) error {
	d := o.Dialect
	d.Missing = true // as in arrays
	if l := o.Known; l != nil {
		d.Heads, d.Known, d.Pick = l.Heads, l.Known(), l.Shared
	}
	if _, ok := rows.Replayable(in); !ok {
		d.Workers = 1 // as in read
	}
	t, err := rows.ReadAll(in, s.Source, d)
	if err != nil {
		return err
	}
	if err := s.arrange(t.Rows, o); err != nil {
		return err
	}
	if s.Notes = t.Notes; o.Known != nil {
		sources.Reword(s.Notes)
	}
	s.Kind, s.Layout = "table", cube.ByPixel(s.Lines, s.Samples, len(t.Names))
	if o.ByColumn {
		s.Layout.LineStep, s.Layout.SampleStep = len(t.Names), len(t.Names)*s.Lines
	}
	s.allBands()
	if t.Header {
		s.Names, s.Named = t.Names, true
		for _, name := range t.Names {
			if v, err := strconv.ParseFloat(name, 64); err == nil && v-v == 0 {
				s.Wavelengths = append(s.Wavelengths, v)
			}
		}
		if len(s.Wavelengths) < len(t.Names) {
			s.Wavelengths = nil
		}
	}
	s.read = func(dst []float64, r cube.Rect) error {
		for i := range r.Pixels() {
			at := (r.Line+i/r.Samples)*s.Layout.LineStep + (r.Sample+i%r.Samples)*s.Layout.SampleStep
			copy(dst[i*s.Layout.Bands:(i+1)*s.Layout.Bands], t.Data[at:])
		}
		return nil
	}
	return nil
}

// changed returns the error for a file that is no longer the one that was opened.
func (s *Image) changed() error {
	return fmt.Errorf("%s: %w while it was read", s.Source, softkmeans.ErrChanged)
}

// unchanged returns an error unless the file has the size and time that it had.
func (s *Image) unchanged() error {
	if s.input == nil {
		return nil
	}
	info, err := s.input.Stat()
	if err != nil {
		return err
	}
	if info.Size() != s.info.Size() || !info.ModTime().Equal(s.info.ModTime()) {
		return s.changed()
	}
	return nil
}

// Block is the pixels of a rectangle that have data.
type Block struct {
	Rect cube.Rect
	At   []int              // the place of each row of X in the rectangle, line by line
	X    *softkmeans.Matrix // a row each; valid until the next block
}

// Pass reads all blocks. take may be given a block without rows.
func (s *Image) Pass(ctx context.Context, take func(b *Block) error) error {
	s.bytes.Store(0)
	s.Empty, s.Incomplete, s.deleted = 0, 0, false
	for _, r := range s.Layout.Blocks(s.values) {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("stopped: %w", err)
		}
		b, err := s.block(r)
		if err != nil {
			return err
		}
		if err := take(b); err != nil {
			return err
		}
	}
	return s.unchanged()
}

// block reads a rectangle. Pixels without data are left out.
func (s *Image) block(r cube.Rect) (*Block, error) {
	d := len(s.Bands)
	n := r.Pixels() * d
	if len(s.buffer) < n {
		s.buffer = make([]float64, n)
	}
	if err := s.read(s.buffer[:n], r); err != nil {
		return nil, err
	}
	scale := 1.0
	if s.Header != nil && s.Header.Scale > 0 {
		scale = s.Header.Scale
	}
	b := &Block{Rect: r}
	for i := range r.Pixels() {
		row := s.buffer[i*d : (i+1)*d]
		switch missing := s.missing(row); {
		case missing == d:
			s.Empty++
			continue
		case missing > 0:
			s.Incomplete++
			continue
		}
		to := s.buffer[len(b.At)*d : (len(b.At)+1)*d]
		for j, v := range row {
			if to[j] = v / scale; math.Abs(to[j]) > mostEntry {
				return nil, fmt.Errorf("%s: line %d, sample %d, band %d: %v is %w", s.Source,
					r.Line+i/r.Samples+1, r.Sample+i%r.Samples+1,
					s.Bands[j]+1, to[j], softkmeans.ErrRange)
			}
		}
		b.At = append(b.At, i)
	}
	b.X = softkmeans.NewMatrix(len(b.At), d, s.buffer[:len(b.At)*d])
	return b, nil
}

// missing counts the values of a pixel that stand for none.
func (s *Image) missing(row []float64) (n int) {
	for _, v := range row {
		if s.Header.IsMissing(v) {
			n++
			s.deleted = s.deleted || envi.IsDeleted(v)
		}
	}
	return n
}

// All reads the pixels that have data into memory, as one block.
func (s *Image) All(ctx context.Context) (b Block, err error) {
	d := len(s.Bands)
	data := make([]float64, 0, s.Pixels()*d)
	err = s.Pass(ctx, func(part *Block) error {
		data = append(data, part.X.Data...)
		for _, i := range part.At {
			b.At = append(b.At, (part.Rect.Line+i/part.Rect.Samples)*s.Samples+part.Rect.Sample+i%part.Rect.Samples)
		}
		return nil
	})
	s.buffer = nil
	b.Rect, b.X = cube.Rect{Lines: s.Lines, Samples: s.Samples}, softkmeans.NewMatrix(len(b.At), d, data)
	return b, err
}

// Left names the bands and pixels that are left out, in a line or none each.
func (s *Image) Left() (lines []string) {
	if n := s.Layout.Bands - len(s.Bands) - len(s.out); n > 0 {
		lines = append(lines, fmt.Sprintf("%s marked as bad (bbl) %s left out: %s.", table.Count(n, "band"),
			table.Plural(n, "is", "are"), s.badBands()))
	}
	total := s.Empty + s.Incomplete
	if total == 0 {
		return lines
	}
	text := table.Count(total, "pixel") + table.Plural(total, " is", " are") + " left out: "
	switch {
	case s.Incomplete == 0:
		text += "no data"
	case s.Empty == 0:
		text += "data in some bands only"
	default:
		text += fmt.Sprintf("%d without data, and %d with data in some bands only", s.Empty, s.Incomplete)
	}
	why := []string{"NaN", "infinite"}
	if s.deleted {
		why = append(why, "a deleted channel (-1.23e34)")
	}
	if s.Header != nil && s.Header.HasIgnore {
		why = append(why, "the data ignore value "+strconv.FormatFloat(s.Header.Ignore, 'g', 6, 64))
	}
	last := len(why) - 1
	return append(lines, text+" ("+strings.Join(why[:last], ", ")+" or "+why[last]+").")
}

// badBands lists the numbers of the bands left out, from 1: 1-4, 104-116.
func (s *Image) badBands() string {
	var parts []string
	used := make([]bool, s.Layout.Bands)
	for _, j := range slices.Concat(s.Bands, s.out) {
		used[j] = true
	}
	for j := 0; j < s.Layout.Bands; j++ {
		from := j
		for j < s.Layout.Bands && !used[j] {
			j++
		}
		switch {
		case j == from+1:
			parts = append(parts, strconv.Itoa(j))
		case j > from:
			parts = append(parts, fmt.Sprintf("%d-%d", from+1, j))
		}
	}
	return strings.Join(parts, ", ")
}

// Pick leaves out the bands that are not at these places among those that are used.
func (s *Image) Pick(at []int) {
	var bands []int
	var names []string
	var wavelengths []float64
	for j, band := range s.Bands {
		if _, kept := slices.BinarySearch(at, j); !kept {
			s.out = append(s.out, band)
		}
	}
	for _, j := range at {
		bands, names = append(bands, s.Bands[j]), append(names, s.Names[j])
		if s.Wavelengths != nil {
			wavelengths = append(wavelengths, s.Wavelengths[j])
		}
	}
	s.Bands, s.Names, s.Wavelengths = bands, names, wavelengths
}
