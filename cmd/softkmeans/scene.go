package main

// This file reads images with many bands, pixel by pixel, from ENVI files, .npy arrays and tables.

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
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
)

// scene is an image whose pixels are rows of bands.
type scene struct {
	source         string
	lines, samples int
	pictured       bool         // lines and samples are those of an image, not of a list
	kind           string       // ENVI, .npy or table, for the report
	header         *envi.Header // nil: not ENVI
	layout         cube.Layout
	bands          []int    // those that are fitted, from 0
	out            []int    // those that are left out, beside those marked as bad
	names          []string // of bands
	named          bool     // the names come from the file
	wavelengths    []float64
	unit           string // of the wavelengths
	badPixels      []bool // channels of a library that are marked as bad (bbl); nil: none
	notes          []string

	read  func(dst []float64, r cube.Rect) error // of bands
	input *os.File                               // nil: in memory
	info  os.FileInfo

	bytes atomic.Int64 // read in the current pass
	// pixels left out in the current pass, in which all or some values are missing
	empty, incomplete int
	deleted           bool // some as they are of deleted channels
	buffer            []float64
}

func (s *scene) pixels() int { return s.lines * s.samples }

// mostBands bounds the bands, of which each has a name. An array of bands×lines×columns
// usually has more in its last place.
const mostBands = 1 << 16

// blockValues is the number of values of a block of pixels: 16 MB. Tests set another.
var blockValues = 1 << 21

func (f *unmixFlags) newScene(s *session) (*scene, error) {
	sc := &scene{source: s.source}
	file, _ := s.in.(*os.File)
	size, ok := rows.Replayable(s.in)
	ok = ok && f.named()
	switch {
	case f.header != "":
		if err := sc.openENVI(f.header, f.library); err != nil {
			return nil, err
		}
		if f.ofTable != "" {
			return nil, usageErrorf("-%s is for tables, and %s is an ENVI image; leave it out", f.ofTable, f.header)
		}
	case ok && isNpy(file):
		if f.ofTable != "" && f.ofTable != "size" && f.ofTable != "order" {
			return nil, usageErrorf("-%s is for tables, and %s is an array; leave it out", f.ofTable, s.source)
		}
		if err := sc.openNpy(file, f); err != nil {
			return nil, err
		}
	case f.stream == streamYes:
		return nil, usageErrorf("-stream yes is for ENVI and .npy files; %s is neither", s.source)
	default:
		return sc, sc.readTable(s, f)
	}
	if err := sc.layout.CheckFile(size); err != nil {
		return nil, fmt.Errorf("%s: %w", s.source, err)
	}
	sc.input = file
	var err error
	if sc.info, err = file.Stat(); err != nil {
		return nil, err
	}
	sc.read = func(dst []float64, r cube.Rect) error {
		err := sc.layout.Read(file, dst, r, sc.bands)
		if err == io.ErrUnexpectedEOF {
			return sc.changed()
		}
		sc.bytes.Add(int64(r.Pixels()) * int64(sc.layout.Bands) * int64(sc.layout.Kind.Size))
		return err
	}
	return sc, nil
}

// openScene is newScene without the bands that no pixel has a value of, as where channels are deleted.
func (f *unmixFlags) openScene(s *session) (*scene, error) {
	sc, err := f.newScene(s)
	if err != nil || sc.input == nil {
		return sc, err // a table has no such columns
	}
	d := len(sc.bands)
	valued, some := make([]bool, d), 0
	buffer := []float64(nil)
	for _, r := range sc.layout.Blocks(blockValues) {
		buffer = slices.Grow(buffer[:0], r.Pixels()*d)[:r.Pixels()*d]
		if err := sc.read(buffer, r); err != nil || s.ctx.Err() != nil {
			return sc, cmp.Or(err, s.ctx.Err())
		}
		for i, v := range buffer {
			if j := i % d; !valued[j] && !sc.header.IsMissing(v) {
				valued[j] = true
				some++
			}
		}
		if some == d {
			return sc, nil
		}
	}
	if some == 0 {
		return sc, nil // no pixel has data
	}
	var at []int
	var without []string
	for j, is := range valued {
		if is {
			at = append(at, j)
		} else {
			without = append(without, sc.names[j])
		}
	}
	n := len(without)
	sc.notes = append(sc.notes, count(n, "band")+plural(n, " has", " have")+" no value in any pixel, and "+
		plural(n, "is", "are")+" left out: "+abridged(without))
	sc.pick(at)
	return sc, nil
}

func isNpy(file *os.File) bool {
	start := make([]byte, len(npy.Magic))
	file.ReadAt(start, 0) // reading the table repeats an error
	return string(start) == npy.Magic
}

// openENVI takes sizes and bands from the header, which may be that of a spectral library if asked for.
func (s *scene) openENVI(name string, library bool) error {
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
		s.badPixels, h.Bad, h.Wavelengths = h.Bad, nil, nil
	}
	if s.layout, err = h.Layout(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if h.Bands > mostBands {
		return fmt.Errorf("%s: %d bands; at most %d can be unmixed", name, h.Bands, mostBands)
	}
	s.header, s.kind, s.unit, s.notes = h, "ENVI "+h.Interleave, h.Units, h.Notes
	s.lines, s.samples, s.pictured = h.Lines, h.Samples, true
	for j := range h.Bands {
		if h.Bad == nil || !h.Bad[j] {
			s.bands = append(s.bands, j)
		}
	}
	if len(s.bands) == 0 {
		return fmt.Errorf("%s: all bands are bad ones (bbl)", name)
	}
	for _, j := range s.bands {
		switch {
		case h.BandNames != nil:
			s.names, s.named = append(s.names, h.BandNames[j]), true
		case h.Wavelengths != nil:
			s.names = append(s.names, strconv.FormatFloat(h.Wavelengths[j], 'g', -1, 64))
		default:
			s.names = append(s.names, bandName(j))
		}
		if h.Wavelengths != nil {
			s.wavelengths = append(s.wavelengths, h.Wavelengths[j])
		}
	}
	return nil
}

func bandName(j int) string { return "band" + strconv.Itoa(j+1) }

func (s *scene) openNpy(file *os.File, f *unmixFlags) error {
	h, err := npy.ReadHeader(io.NewSectionReader(file, 0, math.MaxInt64))
	if err != nil {
		return fmt.Errorf("%s: %w", s.source, err)
	}
	s.kind = ".npy"
	shape := h.Shape
	switch len(shape) {
	case 3:
		if f.height > 0 || f.byColumn {
			return usageErrorf("-size and -order are for tables; %s is an array of three dimensions",
				s.source)
		}
		s.pictured = true
	case 2:
		if err := s.arrange(shape[0], f); err != nil {
			return err
		}
		shape = []int{s.lines, s.samples, shape[1]}
	default:
		return fmt.Errorf("%s: an array of %d dimensions; give lines×columns×bands, or pixels×bands",
			s.source, len(shape))
	}
	if err := cube.CheckSize(shape[0], shape[1], shape[2]); err != nil {
		return fmt.Errorf("%s: %w", s.source, err)
	}
	if shape[2] > mostBands {
		return fmt.Errorf("%s: %d bands; at most %d can be unmixed; the shape is lines×columns×bands",
			s.source, shape[2], mostBands)
	}
	s.lines, s.samples = shape[0], shape[1]
	s.layout = cube.ByPixel(s.lines, s.samples, shape[2])
	pixel := shape[2]
	switch {
	case h.Fortran && len(h.Shape) == 3:
		s.layout.LineStep, s.layout.SampleStep, s.layout.BandStep = 1, s.lines, s.lines*s.samples
	case h.Fortran: // whole bands
		pixel, s.layout.LineStep, s.layout.SampleStep, s.layout.BandStep = 1, s.samples, 1, s.pixels()
	}
	if f.byColumn {
		s.layout.LineStep, s.layout.SampleStep = pixel, pixel*s.lines
	}
	s.layout.Offset, s.layout.Kind = h.Size, h.Kind
	s.allBands()
	return nil
}

// allBands takes every band, with names by position.
func (s *scene) allBands() {
	for j := range s.layout.Bands {
		s.bands, s.names = append(s.bands, j), append(s.names, bandName(j))
	}
}

func (s *scene) arrange(pixels int, f *unmixFlags) error {
	s.lines, s.samples = pixels, 1
	if f.height == 0 {
		return nil
	}
	if pixels != f.height*f.width {
		return fmt.Errorf("%s: %s, but -size %dx%d has %d", s.source, count(pixels, "pixel"),
			f.height, f.width, f.height*f.width)
	}
	s.lines, s.samples, s.pictured = f.height, f.width, true
	return nil
}

// readTable reads a table into memory: a pixel a row. Names that are numbers are wavelengths.
func (s *scene) readTable(in *session, f *unmixFlags) error {
	d := f.dialect
	d.Missing = true // as in arrays
	if l := f.from; l != nil {
		d.Heads, d.Known, d.Pick = l.Heads, l.Known(), l.Shared
	}
	if _, ok := rows.Replayable(in.in); !ok {
		d.Workers = 1 // as in read
	}
	t, err := rows.ReadAll(in.in, s.source, d)
	if err != nil {
		return err
	}
	if err := s.arrange(t.Rows, f); err != nil {
		return err
	}
	if s.notes = t.Notes; f.from != nil {
		sources.Reword(s.notes)
	}
	s.kind, s.layout = "table", cube.ByPixel(s.lines, s.samples, len(t.Names))
	if f.byColumn {
		s.layout.LineStep, s.layout.SampleStep = len(t.Names), len(t.Names)*s.lines
	}
	s.allBands()
	if t.Header {
		s.names, s.named = t.Names, true
		for _, name := range t.Names {
			if v, err := strconv.ParseFloat(name, 64); err == nil && v-v == 0 {
				s.wavelengths = append(s.wavelengths, v)
			}
		}
		if len(s.wavelengths) < len(t.Names) {
			s.wavelengths = nil
		}
	}
	s.read = func(dst []float64, r cube.Rect) error {
		for i := range r.Pixels() {
			at := (r.Line+i/r.Samples)*s.layout.LineStep + (r.Sample+i%r.Samples)*s.layout.SampleStep
			copy(dst[i*s.layout.Bands:(i+1)*s.layout.Bands], t.Data[at:])
		}
		return nil
	}
	return nil
}

// changed returns the error for a file that is no longer the one that was opened.
func (s *scene) changed() error {
	return fmt.Errorf("%s: %w while it was read", s.source, softkmeans.ErrChanged)
}

// unchanged returns an error unless the file has the size and time that it had.
func (s *scene) unchanged() error {
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

// block is the pixels of a rectangle that have data.
type block struct {
	rect cube.Rect
	at   []int              // the place of each row of x in the rectangle, line by line
	x    *softkmeans.Matrix // a row each; valid until the next block

	shade []float64 // the brightness of each row; nil: 1

	full      *softkmeans.Matrix // memberships in known prototypes; nil: those handed out
	low, high *softkmeans.Matrix // the ranges of those handed out; nil: not asked for
}

// pass reads all blocks. take may be given a block without rows.
func (s *scene) pass(ctx context.Context, take func(b *block) error) error {
	s.bytes.Store(0)
	s.empty, s.incomplete, s.deleted = 0, 0, false
	for _, r := range s.layout.Blocks(blockValues) {
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
func (s *scene) block(r cube.Rect) (*block, error) {
	d := len(s.bands)
	n := r.Pixels() * d
	if len(s.buffer) < n {
		s.buffer = make([]float64, n)
	}
	if err := s.read(s.buffer[:n], r); err != nil {
		return nil, err
	}
	scale := 1.0
	if s.header != nil && s.header.Scale > 0 {
		scale = s.header.Scale
	}
	b := &block{rect: r}
	for i := range r.Pixels() {
		row := s.buffer[i*d : (i+1)*d]
		switch missing := s.missing(row); {
		case missing == d:
			s.empty++
			continue
		case missing > 0:
			s.incomplete++
			continue
		}
		to := s.buffer[len(b.at)*d : (len(b.at)+1)*d]
		for j, v := range row {
			if to[j] = v / scale; math.Abs(to[j]) > maxEntry {
				return nil, fmt.Errorf("%s: line %d, sample %d, band %d: %v is %w", s.source,
					r.Line+i/r.Samples+1, r.Sample+i%r.Samples+1,
					s.bands[j]+1, to[j], softkmeans.ErrRange)
			}
		}
		b.at = append(b.at, i)
	}
	b.x = softkmeans.NewMatrix(len(b.at), d, s.buffer[:len(b.at)*d])
	return b, nil
}

// missing counts the values of a pixel that stand for none.
func (s *scene) missing(row []float64) (n int) {
	for _, v := range row {
		if s.header.IsMissing(v) {
			n++
			s.deleted = s.deleted || envi.IsDeleted(v)
		}
	}
	return n
}

// all reads the pixels that have data into memory. at has their places in the image.
func (s *scene) all(ctx context.Context) (x *softkmeans.Matrix, at []int, err error) {
	d := len(s.bands)
	data := make([]float64, 0, s.pixels()*d)
	err = s.pass(ctx, func(b *block) error {
		data = append(data, b.x.Data...)
		for _, i := range b.at {
			at = append(at, (b.rect.Line+i/b.rect.Samples)*s.samples+b.rect.Sample+i%b.rect.Samples)
		}
		return nil
	})
	s.buffer = nil
	return softkmeans.NewMatrix(len(at), d, data), at, err
}

// left names the bands and pixels that are left out, in a line or none each.
func (s *scene) left() (lines []string) {
	if n := s.layout.Bands - len(s.bands) - len(s.out); n > 0 {
		lines = append(lines, fmt.Sprintf("%s marked as bad (bbl) %s left out: %s.", count(n, "band"),
			plural(n, "is", "are"), s.badBands()))
	}
	total := s.empty + s.incomplete
	if total == 0 {
		return lines
	}
	text := count(total, "pixel") + plural(total, " is", " are") + " left out: "
	switch {
	case s.incomplete == 0:
		text += "no data"
	case s.empty == 0:
		text += "data in some bands only"
	default:
		text += fmt.Sprintf("%d without data, and %d with data in some bands only", s.empty, s.incomplete)
	}
	why := []string{"NaN", "infinite"}
	if s.deleted {
		why = append(why, "a deleted channel (-1.23e34)")
	}
	if s.header != nil && s.header.HasIgnore {
		why = append(why, "the data ignore value "+strconv.FormatFloat(s.header.Ignore, 'g', 6, 64))
	}
	last := len(why) - 1
	return append(lines, text+" ("+strings.Join(why[:last], ", ")+" or "+why[last]+").")
}

// badBands lists the numbers of the bands left out, from 1: 1-4, 104-116.
func (s *scene) badBands() string {
	var parts []string
	used := make([]bool, s.layout.Bands)
	for _, j := range slices.Concat(s.bands, s.out) {
		used[j] = true
	}
	for j := 0; j < s.layout.Bands; j++ {
		from := j
		for j < s.layout.Bands && !used[j] {
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

// headerOf is the name of the header beside an ENVI file that is written.
func headerOf(name string) string { return strings.TrimSuffix(name, filepath.Ext(name)) + ".hdr" }
