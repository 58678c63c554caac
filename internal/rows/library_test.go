package rows

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"softkmeans/internal/envi"
	"softkmeans/internal/table"
	"softkmeans/internal/tables"
)

// A spectral library is read as rows with names, all at once and in blocks, by either of its files.
func TestLibrary(t *testing.T) {
	t.Parallel()
	name := filepath.Join("..", "..", "testdata", "tables", "trade", "library.sli")
	var all []*table.Table
	for _, name := range []string{name, name + ".hdr"} {
		all = append(all, tables.Must(ReadAll(openFile(t, name), name, table.Dialect{Guess: true}))(t))
	}
	got := all[0]
	if !slices.Equal(got.Data, all[1].Data) || got.Rows != 2 || len(got.Names) != 121 ||
		got.Names[0] != "400" || got.Names[120] != "1000" ||
		!slices.Equal(got.IDs, []string{"leaf", "soil"}) || len(got.Notes) > 0 {
		t.Errorf("%d rows, names %q, ids %q, notes %q", got.Rows, got.Names, got.IDs, got.Notes)
	}
	f := tables.Must(Open(name, Options{Dialect: table.Dialect{Guess: true}, BlockRows: 1}))(t)
	for range 2 {
		if !slices.Equal(allOf(t, f), got.Data) {
			t.Error("blocks have other values")
		}
	}
	// Without names; turned.
	for _, c := range []struct {
		d          table.Dialect
		rows, cols int
	}{{table.Dialect{Guess: true, ID: table.NoID}, 2, 121},
		{table.Dialect{Transpose: table.Yes}, 121, 2},
		{table.Dialect{Drop: []string{"2-4"}, Delimiter: '\t', Header: table.No}, 2, 118}} {
		if got, err := ReadAll(openFile(t, name), name, c.d); err != nil || got.Rows != c.rows ||
			len(got.Names) != c.cols || (got.IDs == nil) != (c.d.ID == table.NoID) {
			t.Errorf("%+v: %v, %v", c.d, got, err)
		}
	}
}

// Bad channels are left out, deleted ones missing, values divided by the scale, and what was assumed is
// said. Wavelengths may come twice.
func TestLibraryHeader(t *testing.T) {
	const head = "ENVI\nsamples = 4\nlines = 2\nbands = 1\nfile type = ENVI Spectral Library\ndata type = 2\n"
	name := write(t, "a.sli", []byte{2, 0, 4, 0, 6, 0, 8, 0, 20, 0, 0xff, 0xff, 60, 0, 80, 0})
	read := func(header string) (*table.Table, error) {
		t.Helper()
		tables.OK(t, os.WriteFile(name+".hdr", []byte(header), 0o666))
		return ReadAll(openFile(t, name), name, table.Dialect{Guess: true, Missing: true})
	}
	got := tables.Must(read(head + "wavelength = [1 2 2.5 2.5]\nbbl = {1,1,0,1}\ndata ignore value = -1\n" +
		"reflectance scale factor = 10\nspectra names = {Quartz \"A\", 7}\n"))(t)
	if !math.IsNaN(got.Data[4]) ||
		!slices.Equal(slices.Delete(got.Data, 4, 5), []float64{.2, .4, .8, 2, 8}) ||
		!slices.Equal(got.Names, []string{"1", "2", "2.5"}) ||
		!slices.Equal(got.IDs, []string{`Quartz "A"`, "7"}) {
		t.Errorf("%+v", got)
	}
	f, err := Open(name, Options{Dialect: table.Dialect{Missing: true}})
	if err != nil || !slices.Equal(f.Notes, got.Notes) {
		t.Errorf("%v: notes %q", err, f.Notes)
	}
	notes := strings.Join(got.Notes, "; ")
	for _, note := range []string{"no byte order", "wavelength is in [ ]",
		"1 of 4 channels are marked as bad (bbl), or have no value"} {
		if !strings.Contains(notes, note) {
			t.Errorf("no note has %q in %q", note, notes)
		}
	}
	if got, err = read(head); err != nil || got.Names[0] != "channel1" || got.IDs[1] != "spectrum2" {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err = read(head + "wavelength = {1,2,2,3}"); err != nil || got.Names[2] != "2" {
		t.Errorf("%+v, %v", got, err)
	}
	for _, c := range []struct{ header, want string }{
		{strings.Replace(head, "Spectral Library", "Standard", 1), "is an ENVI image and no table"},
		{strings.Replace(head, "bands = 1", "bands = 2\ninterleave = bsq", 1), "library of 2 bands"},
		{strings.Replace(head, "lines = 2", "lines = 3", 1), "the file has 16"},
		{head + "bbl = {0,0,0,0}", "all channels"}, {strings.Replace(head, "lines", "line", 1), `no "lines"`},
	} {
		if got, err := read(c.header); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %+v, %v", c.header, got, err)
		}
	}
	// Errors have the place in the library.
	tables.OK(t, os.WriteFile(name+".hdr", []byte(head+"data ignore value = -1\n"), 0o666))
	for want, d := range map[string]table.Dialect{
		`a.sli: spectrum 2: missing value in column "channel2", as of a deleted`: {},
		`a.sli: spectrum 2: missing value in column "spectrum2"`: {
			Transpose: table.Yes},
		`a.sli: no column is named "x"`: {Label: "x"},
	} {
		_, err := ReadAll(bytes.NewReader(nil), name, d)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %s", err, want)
		}
	}
	// A header that is none.
	name = write(t, "esri.hdr", []byte("nrows 5\nncols 8\n"))
	if _, err := Open(name, Options{}); err == nil || !strings.Contains(err.Error(), "not an ENVI header") {
		t.Error(err)
	}
}

// FuzzLibrary reads spectra as the values that they are.
func FuzzLibrary(f *testing.F) {
	f.Add("ENVI\nsamples = 2\nlines = 2\nbands = 1\nfile type = ENVI Spectral Library\ndata type = 5\n"+
		"wavelength = {1,1}\nspectra names = {\"a,b}\n", 1., math.Inf(1), -1.23e34, 3e-310)
	f.Fuzz(func(t *testing.T, header string, a, b, c, e float64) {
		h, err := envi.Read(strings.NewReader(header))
		if err != nil || h.FileType != envi.SpectralLibrary || h.Lines > 100 || h.Samples > 100 {
			return
		}
		values := slices.Repeat([]float64{a, b, c, e}, h.Lines*h.Samples/4+1)
		s := &spectra{Header: h, values: values}
		s.choose(false)
		channels := s.channels
		if h.Scale = 0; len(channels) == 0 {
			return
		}
		d := table.Dialect{Missing: true}
		libraryDialect(&d)
		got, err := table.Read(bytes.NewReader(s.text(true)), "F", d)
		if err != nil || got.Rows != h.Lines || len(got.Names) != len(channels) || len(got.IDs) != h.Lines {
			t.Fatalf("%v: %+v", err, got)
		}
		for i, v := range got.Data {
			want := values[i/len(channels)*h.Samples+channels[i%len(channels)]]
			if h.IsMissing(want) != (v != v) || v == v && v != want {
				t.Errorf("%v, not %v", v, want)
			}
		}
	})
}
