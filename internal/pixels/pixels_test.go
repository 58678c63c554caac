package pixels

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/cube"
	"softkmeans/internal/table"
)

// written returns the file of an image that a Writer has written: a header beside it if header is set, else an array.
func written(t *testing.T, values []float64, lines, samples, bands int, header bool) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "image.img")
	create := func(name string) *os.File {
		f, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	w := &Writer{File: create(name)}
	if header {
		w.Header = create(strings.TrimSuffix(name, ".img") + ".hdr")
	}
	names := []string{"a", "b", "c", "d"}[:bands]
	if err := w.Begin(&Image{Lines: lines, Samples: samples, Pictured: true}, "Values", names, bands); err != nil {
		t.Fatal(err)
	}
	b := &Block{Rect: cube.Rect{Lines: lines, Samples: samples}}
	for i := range lines * samples {
		if v := values[i*bands]; v == v {
			b.At = append(b.At, i)
		}
	}
	err := w.Write(b, func(i int) []float64 { return values[b.At[i]*bands : (b.At[i]+1)*bands] })
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// An image that is written is read as it was, in blocks of any size; pixels without data and bands without are left out.
func TestWriteRead(t *testing.T) {
	nan := math.NaN()
	values := []float64{1, 2, nan, nan, nan, nan, 3, 4, nan, 5, 6, nan, 7, 8, nan, 9, .5, nan}
	for _, header := range []bool{true, false} {
		name := written(t, values, 2, 3, 3, header)
		for _, block := range []int{0, 1, 7} {
			file, err := os.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			o := &Options{Block: block}
			if header {
				o.Header = strings.TrimSuffix(name, ".img") + ".hdr"
			}
			s, err := Open(file, name, true, o)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.LeaveEmpty(context.Background()); err != nil {
				t.Fatal(err)
			}
			all, err := s.All(context.Background())
			if err != nil || !slices.Equal(all.X.Data, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, .5}) ||
				!slices.Equal(all.At, []int{0, 2, 3, 4, 5}) || s.Empty != 1 || s.Incomplete != 0 {
				t.Errorf("header %v, block %d: %v, %v, %v", header, block, err, all.X, all.At)
			}
			if s.Lines != 2 || s.Samples != 3 || !s.Pictured || len(s.Notes) != 1 || s.InMemory() ||
				!slices.Equal(s.Bands, []int{0, 1}) || header && !slices.Equal(s.Names, []string{"a", "b"}) {
				t.Errorf("header %v: %d×%d, %q, %q", header, s.Lines, s.Samples, s.Notes, s.Names)
			}
		}
	}
}

// A table is an image of a line, or of the size that is asked for, by rows or by columns.
func TestTable(t *testing.T) {
	const text = "400,500\n1,2\n3,4\n5,6\n7,8\n9,10\n11,12\n"
	for _, o := range []Options{{}, {Height: 2, Width: 3}, {Height: 3, Width: 2, ByColumn: true}} {
		o.Dialect.Header = table.Yes // of numbers
		s, err := Open(strings.NewReader(text), "x.csv", false, &o)
		if err != nil {
			t.Fatal(err)
		}
		all, err := s.All(context.Background())
		if err != nil || s.Pixels() != 6 || s.Pictured != (o.Height > 0) || !slices.Equal(s.Wavelengths, []float64{400, 500}) {
			t.Fatalf("%v: %d pixels, %v", err, s.Pixels(), s.Wavelengths)
		}
		want := []float64{1, 3, 5, 7, 9, 11}
		if o.ByColumn {
			want = []float64{1, 7, 3, 9, 5, 11}
		}
		for i, v := range want {
			if all.X.At(i, 0) != v {
				t.Errorf("%+v: pixel %d is %v, not %v", o, i, all.X.Row(i), v)
			}
		}
	}
	var m *Misuse
	_, err := Open(strings.NewReader(text), "x.csv", false, &Options{File: true})
	if !errors.As(err, &m) {
		t.Error(err)
	}
	if _, err := Open(strings.NewReader(text), "x.csv", false, &Options{Height: 5, Width: 2}); err == nil {
		t.Error("7 pixels of 5×2")
	}
}

// Spectra are a row for each band.
func TestWriteSpectra(t *testing.T) {
	var b strings.Builder
	spectra := softkmeans.NewMatrix(2, 2, []float64{.5, 1, 2, 1e-9})
	if err := WriteSpectra(&b, &Image{Wavelengths: []float64{400, 500.5}, Bands: []int{0, 1}}, []string{"a", "b,c"},
		spectra); err != nil || b.String() != "wavelength,a,\"b,c\"\n400,0.5,2\n500.5,1,1e-09\n" {
		t.Errorf("%v: %s", err, b.String())
	}
}
