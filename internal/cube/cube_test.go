package cube

import (
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"softkmeans/internal/npy"
	"softkmeans/internal/tables"
)

// memory is a file in memory.
type memory struct{ b []byte }

func (m *memory) ReadAt(p []byte, at int64) (int, error) {
	if at >= int64(len(m.b)) {
		return 0, io.EOF
	}
	n := copy(p, m.b[at:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (m *memory) WriteAt(p []byte, at int64) (int, error) {
	if need := int(at) + len(p); need > len(m.b) {
		m.b = append(m.b, make([]byte, need-len(m.b))...)
	}
	return copy(m.b[at:], p), nil
}

// layouts are images of one size in every order, among them that of MATLAB and Fortran.
func layouts(t testing.TB, lines, samples, bands int, descr string) []Layout {
	t.Helper()
	kind := tables.Must(npy.KindOf(descr))(t)
	all := []Layout{ByPixel(lines, samples, bands), ByLine(lines, samples, bands),
		ByBand(lines, samples, bands),
		{Lines: lines, Samples: samples, Bands: bands, LineStep: 1,
			SampleStep: lines, BandStep: lines * samples},
		{Lines: lines, Samples: samples, Bands: bands, LineStep: bands,
			SampleStep: lines * bands, BandStep: 1}}
	for i := range all {
		all[i].Kind, all[i].Offset = kind, int64(7*i)
	}
	return all
}

// value is that of a pixel in a band.
func value(line, sample, band int) float64 { return float64(line*100 + sample*10 + band%8) }

// Whatever the order, the pixels of a rectangle are those that were written, and the
// steps say where.
func TestRoundTrip(t *testing.T) {
	for _, size := range [][3]int{{4, 5, 3}, {1, 7, 2}, {6, 1, 4}, {3, 2, 1}, {1, 1, 1}, {2, 5, 20000}} {
		for _, l := range layouts(t, size[0], size[1], size[2], ">i2") {
			file := memory{make([]byte, 0, l.Bytes())}
			for _, r := range l.Blocks(11) { // in parts
				var src []float64
				for i := range r.Pixels() {
					for b := range l.Bands {
						src = append(src, value(r.Line+i/r.Samples, r.Sample+i%r.Samples, b))
					}
				}
				tables.OK(t, l.Write(&file, src, r))
			}
			if int64(len(file.b)) != l.Bytes() || l.CheckFile(l.Bytes()) != nil {
				t.Fatalf("%+v: a file of %d bytes, not %d", l, len(file.b), l.Bytes())
			}
			one := make([]float64, 1) // an oracle: one value by its place
			for line := range l.Lines {
				for sample := range l.Samples {
					for _, band := range []int{0, l.Bands - 1} {
						at := l.Offset + 2*int64(line*l.LineStep+sample*l.SampleStep+band*l.BandStep)
						if l.Kind.Get(one, file.b[at:at+2]); one[0] != value(line, sample, band) {
							t.Fatalf("%+v: %v at %d %d %d", l, one[0], line, sample, band)
						}
					}
				}
			}
			r := rand.New(rand.NewPCG(1, 2))
			for range min(20, 1<<16/l.Bands) {
				at := Rect{Line: r.IntN(l.Lines), Sample: r.IntN(l.Samples)}
				at.Lines, at.Samples = r.IntN(l.Lines-at.Line)+1, r.IntN(l.Samples-at.Sample)+1
				bands := r.Perm(l.Bands)[:1+r.IntN(min(l.Bands, 3))]
				dst := make([]float64, at.Pixels()*len(bands))
				tables.OK(t, l.Read(&file, dst, at, bands))
				for i, got := range dst {
					pixel, band := i/len(bands), bands[i%len(bands)]
					if want := value(at.Line+pixel/at.Samples,
						at.Sample+pixel%at.Samples, band); got != want {
						t.Fatalf("%+v, %+v: %v, not %v", l, at, got, want)
					}
				}
			}
		}
	}
}

// Blocks cover every pixel once, and are not larger than asked for, but for a pixel.
func TestBlocks(t *testing.T) {
	for _, size := range [][3]int{{4, 5, 3}, {1, 7, 2}, {6, 1, 4}, {50, 40, 9}} {
		for _, l := range layouts(t, size[0], size[1], size[2], "|u1") {
			for _, values := range []int{1, 10, 100, 1 << 20} {
				seen := make([]int, l.Lines*l.Samples)
				for _, r := range l.Blocks(values) {
					if r.Pixels()*l.Bands > max(values, l.Bands) {
						t.Errorf("%+v has %+v for %d values", l, r, values)
					}
					for i := range r.Pixels() {
						seen[(r.Line+i/r.Samples)*l.Samples+r.Sample+i%r.Samples]++
					}
				}
				if slices.Min(seen) != 1 || slices.Max(seen) != 1 {
					t.Errorf("%+v, %d values: %v", l, values, seen)
				}
			}
		}
	}
}

// A block is read in few pieces: bands, or one.
func TestPieces(t *testing.T) {
	for i, l := range layouts(t, 64, 32, 10, "<f4") {
		blocks := l.Blocks(64 * 32 * 10 / 8)
		pieces := 0
		if err := l.runs(blocks[1], []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
			func(int64, int, []segment) error { pieces++; return nil }); err != nil {
			t.Fatal(err)
		}
		if want := []int{1, 1, 10, 10, 1}[i]; pieces != want || len(blocks) != 8 {
			t.Errorf("layout %d: %d pieces of one of %d blocks, want %d", i, pieces, len(blocks), want)
		}
	}
}

func TestSizes(t *testing.T) {
	for _, size := range [][3]int{{0, 1, 1}, {1, -1, 1}, {1, 1, 0},
		{1 << 30, 1 << 30, 1 << 30}, {1, math.MaxInt / 2, 4}} {
		if err := CheckSize(size[0], size[1], size[2]); err == nil {
			t.Errorf("%v is accepted", size)
		}
	}
	l := layouts(t, 4, 5, 3, "<f8")[1]
	for size, want := range map[int64]string{l.Bytes() - 1: "the file is cut",
		l.Bytes() + 1: "of a smaller file", 0: "the file is cut"} {
		if err := l.CheckFile(size); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "4 lines × 5 samples × 3 bands of 8 bytes") {
			t.Errorf("%d: %v", size, err)
		}
	}
	file := memory{make([]byte, l.Bytes()-1)}
	if err := l.Read(&file, make([]float64, 60), Rect{0, 0, 4, 5},
		[]int{0, 1, 2}); err != io.ErrUnexpectedEOF {
		t.Error(err)
	}
}
