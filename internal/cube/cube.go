// Package cube reads and writes rectangles of pixels of an image with many bands. The
// values may be stored in any order: band by band, line by line, pixel by pixel, or
// column by column.
package cube

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"softkmeans/internal/la"
	"softkmeans/internal/npy"
)

// Layout says where in a file the values of an image are.
type Layout struct {
	Lines, Samples, Bands int // lines of so many pixels (samples), with so many values each
	// The steps are the distances of neighbors, in values.
	LineStep, SampleStep, BandStep int
	Offset                         int64 // bytes before the first value
	Kind                           npy.Kind
}

// Rect is a rectangle of pixels: Lines lines from Line on, of Samples pixels from Sample
// on. All count from 0.
type Rect struct{ Line, Sample, Lines, Samples int }

// Pixels is the number of pixels.
func (r Rect) Pixels() int { return r.Lines * r.Samples }

// ByPixel is the layout of values pixel by pixel, line by line.
func ByPixel(lines, samples, bands int) Layout {
	return Layout{Lines: lines, Samples: samples, Bands: bands, LineStep: samples * bands,
		SampleStep: bands, BandStep: 1}
}

// ByLine is the layout of lines, each with all pixels of one band after the other.
func ByLine(lines, samples, bands int) Layout {
	return Layout{Lines: lines, Samples: samples, Bands: bands, LineStep: samples * bands,
		SampleStep: 1, BandStep: samples}
}

// ByBand is the layout of whole bands, one after the other.
func ByBand(lines, samples, bands int) Layout {
	return Layout{Lines: lines, Samples: samples, Bands: bands, LineStep: samples,
		SampleStep: 1, BandStep: lines * samples}
}

// CheckSize returns an error unless lines, samples and bands are at least 1, and their
// product is a number of float64 that can be addressed.
func CheckSize(lines, samples, bands int) error {
	for i, n := range [...]int{lines, samples, bands} {
		if n < 1 {
			return fmt.Errorf("there are %d %s", n, [...]string{"lines", "samples", "bands"}[i])
		}
	}
	if lines > math.MaxInt/8/samples || lines*samples > math.MaxInt/8/bands {
		return fmt.Errorf("%d lines × %d samples × %d bands are more than can be addressed", lines, samples,
			bands)
	}
	return nil
}

func (l *Layout) values() int { return l.Lines * l.Samples * l.Bands }

// Bytes is the size of a file of this layout.
func (l *Layout) Bytes() int64 { return l.Offset + int64(l.values())*int64(l.Kind.Size) }

// CheckFile returns an error unless size is that of a file of this layout. Call it before
// memory for the pixels is allocated.
func (l *Layout) CheckFile(size int64) error {
	want := int64(l.values()) * int64(l.Kind.Size)
	what := fmt.Sprintf("%d lines × %d samples × %d bands of %d bytes", l.Lines,
		l.Samples, l.Bands, l.Kind.Size)
	fault := "the file is cut, or its header is of another"
	switch have := size - l.Offset; {
	case have == want:
		return nil
	case have > want:
		fault = "the header is of a smaller file"
	}
	return fmt.Errorf("%s: %s after the first %d are %d bytes, and the file has %d", fault, what, l.Offset,
		l.Offset+want, size)
}

// Blocks returns rectangles of at most about that many values which together have every
// pixel once. Each is stored in few pieces: whole lines, or whole columns where the
// image is stored column by column. A longer line or column comes in parts.
func (l *Layout) Blocks(values int) (list []Rect) {
	outer, inner := l.Lines, l.Samples
	byColumn := l.SampleStep > l.LineStep && l.Samples > 1
	if byColumn {
		outer, inner = inner, outer
	}
	pixels := max(1, values/l.Bands)
	part, step := min(inner, pixels), max(1, pixels/inner)
	for i := 0; i < outer; i += step {
		for j := 0; j < inner; j += part {
			r := Rect{i, j, min(step, outer-i), min(part, inner-j)}
			if byColumn {
				r = Rect{r.Sample, r.Line, r.Samples, r.Lines}
			}
			list = append(list, r)
		}
	}
	return list
}

// chunkSize is how many bytes are read or written at a time, at most.
const chunkSize = 1 << 18

// axis is one of the three directions within a rectangle. The places of an axis have a
// step in the file and slots in a slice that holds the rectangle line by line, each pixel
// with so many bands; -1 is a band that is left out.
type axis struct {
	step int // in the file, in values
	slot []int
}

// axes are those of a rectangle, the one whose places are next to each other in the file
// first.
func (l *Layout) axes(r Rect, bands []int) (a, b, c axis) {
	even := func(n, step int) []int {
		slot := make([]int, n)
		for i := range slot {
			slot[i] = i * step
		}
		return slot
	}
	band := make([]int, l.Bands)
	for i := range band {
		band[i] = -1
	}
	for i, b := range bands {
		band[b] = i
	}
	list := []axis{{l.LineStep, even(r.Lines, r.Samples*len(bands))},
		{l.SampleStep, even(r.Samples, len(bands))}, {l.BandStep, band}}
	slices.SortStableFunc(list, func(x, y axis) int {
		return cmp.Or(cmp.Compare(x.step, y.step), -cmp.Compare(len(x.slot), len(y.slot)))
	})
	return list[0], list[1], list[2]
}

// segment is a part of the first axis: its slots, to each of which base is added.
type segment struct {
	slots []int
	base  int
}

// runs calls do for every run of segments that stand one after the other in the file. at
// is where it begins, in bytes. It has n values; the segments are valid until do returns.
func (l *Layout) runs(r Rect, bands []int, do func(at int64, n int, run []segment) error) error {
	if r.Lines == 0 || r.Samples == 0 {
		return nil
	}
	a, b, c := l.axes(r, bands)
	most := chunkSize / l.Kind.Size
	first := int64(r.Line)*int64(l.LineStep) + int64(r.Sample)*int64(l.SampleStep)
	var run []segment
	from, n := 0, 0 // the run in the file, in values after the rectangle's first
	flush := func() error {
		if n == 0 {
			return nil
		}
		err := do(l.Offset+(first+int64(from))*int64(l.Kind.Size), n, run)
		run, n = run[:0], 0
		return err
	}
	for k, outer := range c.slot {
		for j, inner := range b.slot {
			if outer < 0 || inner < 0 { // a band that is left out
				continue
			}
			for i := 0; i < len(a.slot); {
				at := k*c.step + j*b.step + i
				if at != from+n || n == most {
					if err := flush(); err != nil {
						return err
					}
					from = at
				}
				part := a.slot[i:min(len(a.slot), i+most-n)]
				run = append(run, segment{part, outer + inner})
				n += len(part)
				i += len(part)
			}
		}
	}
	return flush()
}

// Read reads the given bands of the rectangle into dst, line by line, each pixel with its
// len(bands) values. The bands are distinct. Read panics if dst is too short.
func (l *Layout) Read(in io.ReaderAt, dst []float64, r Rect, bands []int) error {
	dst = dst[:r.Pixels()*len(bands)]
	b, values := make([]byte, chunkSize), make([]float64, chunkSize/l.Kind.Size)
	return l.runs(r, bands, func(at int64, n int, run []segment) error {
		part := b[:n*l.Kind.Size]
		if n, err := in.ReadAt(part, at); n < len(part) {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
		l.Kind.Get(values[:n], part)
		next := values
		for _, s := range run {
			for i, slot := range s.slots {
				if slot >= 0 {
					dst[s.base+slot] = next[i]
				}
			}
			next = next[len(s.slots):]
		}
		return nil
	})
}

// Write writes all bands of the rectangle, which is in the image, from src, which is as Read returns it. A value
// that the file's kind of numbers does not have is an error.
func (l *Layout) Write(out io.WriterAt, src []float64, r Rect) error {
	bands := la.Indices(l.Bands)
	b, values := make([]byte, chunkSize), make([]float64, chunkSize/l.Kind.Size)
	return l.runs(r, bands, func(at int64, n int, run []segment) error {
		next := values
		for _, s := range run {
			for i, slot := range s.slots {
				next[i] = src[s.base+slot]
			}
			next = next[len(s.slots):]
		}
		part := b[:n*l.Kind.Size]
		if err := l.Kind.Put(part, values[:n]); err != nil {
			return err
		}
		_, err := out.WriteAt(part, at)
		return err
	})
}
