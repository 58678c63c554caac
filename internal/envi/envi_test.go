package envi

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"softkmeans/internal/cube"
	"softkmeans/internal/tables"
)

// parsed reads a header from text.
func parsed(t *testing.T, text string) *Header {
	t.Helper()
	h := tables.Must(Read(strings.NewReader(text)))(t)
	return h
}

// least is a header with what must be there.
const least = "ENVI\nsamples = 4\nlines = 3\nbands = 2\ndata type = 4\ninterleave = bil\nbyte order = 0\n"

// A header as programs write it: keys in any case, lists over lines, comments.
func TestRead(t *testing.T) {
	text := "ENVI\r\ndescription = {\r\n  A scene [Mon Nov 2026]}\r\n; a comment\r\nSAMPLES =  4\r\n" +
		"Lines   = 3\r\nbands   = 3\r\nheader offset = 128\r\n" +
		"file type = ENVI Standard\r\ndata type = 12\r\ninterleave = BIP\r\nsensor type = Unknown\r\n" +
		"byte order = 1\r\n" +
		"map info = {UTM, 1.000, 1.000, 50.5, 20, 4, 4, 11, North,\r\n WGS-84, units=Meters}\r\n" +
		"wavelength units = Nanometers\r\ndata ignore value = -9999\r\n" +
		"reflectance scale factor = 10000.0\r\nband names = {\r\n red, green,\r\n blue}\r\n" +
		"wavelength = {\r\n 650.5, 550,\r\n 450.25}\r\nbbl = { 1, 0, 1}\r\nfwhm = {1, 2}\r\n"
	h := parsed(t, text)
	want := &Header{Samples: 4, Lines: 3, Bands: 3, Offset: 128, Type: 12, BigEndian: true,
		Interleave: "bip", FileType: "ENVI Standard",
		Description: "A scene [Mon Nov 2026]", Wavelengths: []float64{650.5, 550, 450.25},
		Units: "Nanometers", Bad: []bool{false, true, false},
		Ignore: -9999, HasIgnore: true, Scale: 10000, BandNames: []string{"red", "green", "blue"}}
	got := *h
	got.Place = nil
	if !reflect.DeepEqual(&got, want) || len(h.Place) != 1 ||
		!strings.Contains(h.Place[0].Value, "units=Meters}") {
		t.Errorf("%+v\nwant %+v", h, want)
	}
	// What is written is read as what it was.
	var b bytes.Buffer
	tables.OK(t, h.Write(&b))
	if again := parsed(t, b.String()); !reflect.DeepEqual(again, h) {
		t.Errorf("%+v\nwant %+v\nin %s", again, h, &b)
	}
	if h := parsed(t, least); h.HasIgnore || h.Bad != nil || h.Offset != 0 || h.Scale != 0 {
		t.Errorf("%+v", h)
	}
	if h := parsed(t, "\ufeff"+strings.Replace(least, "data type = 4", "data type = 1",
		1)+"data ignore value = NaN\nbbl = {1,1}\n"); !h.HasIgnore || !math.IsNaN(h.Ignore) || h.Bad != nil {
		t.Errorf("%+v", h)
	}
	// A library has a wavelength for each sample, and a name for each line.
	h = parsed(t, strings.Replace(least, "bands = 2", "bands = 1",
		1)+"file type = ENVI Spectral Library\nwavelength = {1,2,3,4}\nspectra names = {a,b,c}\n")
	if len(h.Wavelengths) != 4 || !slices.Equal(h.Spectra, []string{"a", "b", "c"}) {
		t.Errorf("%+v", h)
	}
}

// Headers that are wrong, cut or hostile are errors that say where.
func TestErrors(t *testing.T) {
	replace := func(from, to string) string { return strings.Replace(least, from, to, 1) }
	for _, c := range []struct{ text, want string }{
		{"", "not an ENVI header"}, {"ENVIRONMENT\n", "not an ENVI header"}, {"ENV", "not an ENVI header"},
		{"ENVI", `there is no "samples"`},
		{replace("samples = 4\n", ""), `there is no "samples"`},
		{replace("lines = 3\n", ""), `there is no "lines"`},
		{replace("bands = 2\n", ""), `there is no "bands"`},
		{replace("data type = 4\n", ""), `there is no "data type"`},
		{replace("interleave = bil\n", ""), `there is no "interleave"`},
		{replace("samples = 4", "samples = 0"), "there are 0 samples"},
		{replace("lines = 3", "lines = -3"), "there are -3 lines"},
		{replace("bands = 2", "bands = two"), `bands is "two", not a whole number`},
		{replace("bands = 2", "bands = 99999999999999999999"), "not a whole number"},
		{replace("samples = 4", "samples = 2147483647\nx=") + "", "are more than can be addressed"},
		{replace("data type = 4", "data type = 6"), "complex"},
		{replace("data type = 4", "data type = 9"), "complex"},
		{replace("data type = 4", "data type = 7"), "data type 7 is not one of"},
		{replace("data type = 4", "data type = -1"), "data type -1"},
		{replace("bil", "bsx"), `interleave is "bsx"`},
		{replace("order = 0", "order = 2"), `byte order is "2"`},
		{least + "header offset = -1\n", "header offset"}, {least + "header offset = 1e99\n",
			"header offset"}, {least + "header offset = 9223372036854775807\n", "header offset"},
		{least + "data ignore value = none\n", "data ignore value is"},
		{least + "file compression = 1\n", "compressed"},
		{least + "reflectance scale factor = 0\n", "not a number above 0"},
		{least + "reflectance scale factor = NaN\n", "not a number above 0"},
		{least + "reflectance scale factor = -Inf\n", "above 0"},
		{least + "bbl = {1, x}\n", "bbl: value 2"}, {least + "bbl = {true, NaN}\n", "bbl: value 2"},
		{least + "bbl = {1,}\n bbl = {,}", `"bbl" twice`}, {least + "bbl = {,1}", `bbl: value 1 is ""`},
		{least + "bbl = [1\n", "the [ of \"bbl\" has no ]"},
		{"#?RADIANCE\n", "but a Radiance picture"}, {"\x5c\x01\x00\x00\x00", "but one of Analyze or NIfTI"},
		{"BYTEORDER I\nNROWS 5\nNCOLS 8\n", "but one of an ESRI raster"},
		{least + "wavelength = {1,\n2\n", "has no }"}, {least + "lines = 4\n", `"lines" twice`},
		{"", "more than 16 MB"},
	} {
		if c.want == "more than 16 MB" {
			if os.Getenv("SOFTKMEANS_LONG") != "1" {
				continue // time
			}
			c.text = "ENVI\nx = " + strings.Repeat("y", maxHeader)
		}
		if c.want == "are more than can be addressed" {
			c.text = strings.NewReplacer("lines = 3", "lines = 2147483647", "bands = 2",
				"bands = 2147483647").Replace(c.text)
		}
		if _, err := Read(strings.NewReader(c.text)); err == nil ||
			!strings.Contains(err.Error(), c.want) || len(err.Error()) > 300 {
			t.Errorf("%.200q: %v, want %s", c.text, err, c.want)
		}
	}
	if h := parsed(t, least+"lines = 3\n"); h.Lines != 3 { // twice the same
		t.Error(h.Lines)
	}
}

// What ENVI reads is read, and said.
func TestNotes(t *testing.T) {
	const none = ""
	for _, c := range []struct{ text, note string }{
		{least, none},
		{strings.Replace(least, "byte order = 0\n", "", 1), "no byte order: 0 is taken"},
		{strings.NewReplacer("byte order = 0\n", "", "type = 4", "type = 1").Replace(least), none},
		{strings.NewReplacer("interleave = bil\n", "", "bands = 2", "bands = 1").Replace(least), none},
		{least + "wavelength = {1, 2, 3}\n", "the list wavelength is left out: 3 values for 2 bands"},
		{least + "wavelength = {1, }\n", "1 values for 2 bands"}, {least + "wavelength = {1, NaN}\n",
			`wavelength is left out: value 2 is "NaN"`},
		{least + "bbl = {0}\n", "the list bbl is left out: 1 values for 2 bands"},
		{least + "band names = {a}\n", "the list band names is left out"},
		{strings.Replace(least, "bands = 2",
			"bands = 1\nfile type = envi spectral library\nspectra names = {a}", 1),
			"spectra names is left out: 1 values for 3 spectra"},
		{least + "description = [not ended\n", none},
	} {
		h := parsed(t, c.text)
		if got := strings.Join(h.Notes, "; "); !strings.Contains(got, c.note) ||
			(got == "") != (c.note == none) || h.Wavelengths != nil || h.Bad != nil ||
			h.BandNames != nil || h.Spectra != nil || h.BigEndian {
			t.Errorf("%q: %+v", c.text, h)
		}
	}
	for _, list := range []string{"[650.5 550]", "{650.5 550}", "[650.5, 550]", "{\n650.5\n550\n}",
		"[\n650.5\n550 ]", "['650.5', '550']", "650.5, 550", `{"650.5" "550",}`} {
		h := parsed(t, least+"wavelength = "+list+"\n")
		if !slices.Equal(h.Wavelengths, []float64{650.5, 550}) ||
			len(h.Notes) > 2 || len(h.Notes) == 0 != (list == "650.5, 550") {
			t.Errorf("%s: %v, %q", list, h.Wavelengths, h.Notes)
		}
	}
	for _, list := range []string{"{1, 0}", "[1 0]", "{True, False}", "{good, bad}", "{'yes' 'NO'}",
		"[ON\nOFF]", "{2, false}"} {
		if h := parsed(t, least+"bbl = "+list+"\n"); !slices.Equal(h.Bad, []bool{false, true}) {
			t.Errorf("%s: %v", list, h.Bad)
		}
	}
	h := parsed(t, least+"band names = [\nnear red\ndeep blue [x]\n]\n")
	if !slices.Equal(h.BandNames, []string{"near red", "deep blue [x"}) {
		t.Errorf("%q", h.BandNames)
	}
}

// A wavelength far from those beside it is named; ranges that overlap, gaps and lists in no order are
// not, nor does the direction matter.
func TestJumps(t *testing.T) {
	evenly := make([]float64, 60)
	for i := range evenly {
		evenly[i] = 400 + 10*float64(i)
	}
	with := func(change func(v []float64)) []float64 {
		v := slices.Clone(evenly)
		change(v)
		return v
	}
	for _, c := range []struct {
		values []float64
		want   []int
	}{
		{evenly, nil}, {evenly[:7], nil}, {make([]float64, 9), nil}, {nil, nil},
		{[]float64{1, 2, 300, 4, 5}, nil},
		{with(func(v []float64) { v[10] = 5000 }), []int{10}},
		{with(func(v []float64) { v[10] = 50 }), []int{10}},
		{with(func(v []float64) { v[10], v[20] = 5000, 60 }), []int{10, 20}},
		{with(func(v []float64) { v[0] = 4000 }), []int{0}}, {with(func(v []float64) { v[0] = 4 }), []int{0}},
		{with(func(v []float64) { v[59] = 9900 }), []int{59}},
		{with(func(v []float64) { v[59] = 99 }), []int{59}},
		{with(func(v []float64) { v[10] = 505 }), nil},
		{slices.Concat(evenly, evenly[40:]), nil},      // two sensors
		{slices.Concat(evenly[:30], evenly[45:]), nil}, // a gap
		{with(func(v []float64) { v[5], v[15], v[25], v[35] = 5000, 5000, 5000, 5000 }), nil},
		{[]float64{443, 482, 561, 655, 865, 1373, 1609, 2201, 10895}, nil}, // Landsat 8
		{[]float64{0, 1, 2, 3, math.MaxFloat64, -math.MaxFloat64, 6, 7, 8}, nil},
	} {
		got := jumps(c.values)
		falling := make([]float64, len(c.values))
		for i, v := range c.values {
			falling[i] = -v
		}
		if !slices.Equal(got, c.want) || !slices.Equal(jumps(falling), c.want) {
			t.Errorf("%v: %v, %v, want %v", c.values, got, jumps(falling), c.want)
		}
	}
	h := parsed(t, strings.Replace(least, "bands = 2", "bands = 9", 1)+"wavelength = {1,2,3,4,50,6,7,8,9}\n")
	if len(h.Notes) != 1 || h.Notes[0] != "band 5 has the wavelength 50, far from those beside it" {
		t.Errorf("%q", h.Notes)
	}
}

// Deleted channels are missing in either precision, and the ignore value only where there is one.
func TestIsMissing(t *testing.T) {
	deleted := -1.23e34
	h := &Header{Type: 4, HasIgnore: true, Ignore: -.1}
	for _, c := range []struct {
		v               float64
		without, within bool
	}{{deleted, true, true}, {float64(float32(deleted)), true, true}, {math.NaN(), true, true},
		{math.Inf(1), true, true}, {float64(float32(-.1)), false, true}, {-.1, false, false},
		{0, false, false}, {1.23e34, false, false}, {-1.22e34, false, false}} {
		if (*Header)(nil).IsMissing(c.v) != c.without || h.IsMissing(c.v) != c.within {
			t.Errorf("%v", c.v)
		}
	}
}

// Every interleave, type and order of bytes gives the values back.
func TestRoundTrips(t *testing.T) {
	const lines, samples, bands = 3, 4, 5
	name := filepath.Join(t.TempDir(), "scene")
	for _, kind := range []int{1, 2, 3, 4, 5, 12, 13, 14, 15} {
		for _, interleave := range []string{"bsq", "bil", "bip"} {
			for _, big := range []bool{false, true} {
				h := &Header{Lines: lines, Samples: samples, Bands: bands, Type: kind,
					Interleave: interleave, BigEndian: big, Offset: 3}
				l := tables.Must(h.Layout())(t)
				values := make([]float64, lines*samples*bands)
				for i := range values {
					if values[i] = float64(i * 4); kind != 1 && kind != 12 && kind != 13 && kind != 15 {
						values[i] -= 100
					}
				}
				f := tables.Must(os.Create(name))(t)
				all := cube.Rect{Lines: lines, Samples: samples}
				tables.OK(t, l.Write(f, values, all))
				if info, err := f.Stat(); err != nil || l.CheckFile(info.Size()) != nil {
					t.Fatal(err, l.CheckFile(info.Size()))
				}
				got := make([]float64, len(values))
				if err := l.Read(f, got, all, []int{0, 1, 2, 3, 4}); err != nil ||
					!slices.Equal(got, values) {
					t.Fatalf("type %d, %s, %v: %v, %v", kind, interleave, big, err, got)
				}
				f.Close()
				// Pixel (1, 2) in band 3 by hand.
				at := map[string]int{"bsq": 3*lines*samples + 1*samples + 2,
					"bil": 1*samples*bands + 3*samples + 2, "bip": (1*samples+2)*bands + 3}[interleave]
				b := tables.Must(os.ReadFile(name))(t)
				one := make([]float64, 1)
				if l.Kind.Get(one, b[3+at*l.Kind.Size:]); one[0] != values[(1*samples+2)*bands+3] {
					t.Errorf("type %d, %s: %v", kind, interleave, one)
				}
				for _, bad := range []float64{math.NaN(), 1e300, -1e300, 256} {
					err := l.Write(f, slices.Repeat([]float64{bad}, len(values)), all)
					fits := kind == 5 || kind == 4 && !(math.Abs(bad) == 1e300) || bad == 256 && kind != 1
					if !fits && (err == nil || !strings.Contains(err.Error(), " is ")) {
						t.Errorf("type %d: %v is %v", kind, bad, err)
					}
				}
			}
		}
	}
	if h := (&Header{Type: 4, Ignore: -3.4028234663852886e+38}); h.Ignored() != -math.MaxFloat32 {
		t.Error(h.Ignored())
	}
}

// Either file finds the other.
func TestFind(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		tables.OK(t, os.WriteFile(name, []byte(text), 0o666))
	}
	for _, name := range []string{"a", "b.img", "c.DAT", "d.bsq", "e.raw", "f.csv", "g.npy", "h.x.img"} {
		write(name, "1234")
	}
	for _, name := range []string{"a.hdr", "b.hdr", "c.HDR", "d.bsq.hdr", "e.hdr", "f.hdr",
		"g.hdr", "h.x.hdr", "i.hdr"} {
		write(name, least)
	}
	write("two.hdr", least)
	write("two.img", "")
	write("two.bil", "")
	write("other.img", "")
	write("other.hdr", "HDR of another kind\n")
	write("header", least)
	write("esri.bil", "")
	write("esri.hdr", "ncols 5\nnrows 4\nnbits 32\nbyteorder I\nlayout bil\n")
	write("alone.img", "")
	for _, c := range []struct{ name, header, data, err string }{
		{"a", "a.hdr", "a", ""}, {"a.hdr", "a.hdr", "a", ""}, {"b.img", "b.hdr", "b.img", ""},
		{"b.hdr", "b.hdr", "b.img", ""},
		{"c.DAT", "c.HDR", "c.DAT", ""}, {"c.HDR", "c.HDR", "c.DAT", ""}, {"d.bsq", "d.bsq.hdr", "d.bsq", ""},
		{"d.bsq.hdr", "d.bsq.hdr", "d.bsq", ""},
		{"e.raw", "e.hdr", "e.raw", ""}, {"f.csv", "", "", ""}, {"g.npy", "", "", ""},
		{"h.x.img", "h.x.hdr", "h.x.img", ""},
		{"i.hdr", "i.hdr", "", "no file with the values beside it"},
		{"two.hdr", "two.hdr", "", "several files may have its values: two.img, two.bil"},
		{"two.bil", "two.hdr", "two.bil", ""}, {"other.img", "", "", ""}, {"none.img", "", "", ""},
		{"esri.bil", "", "", "esri.hdr: not an ENVI header but one of an ESRI raster"},
		{"alone.img", "", "", "alone.img: its header, alone.hdr, is missing"},
		{"none.hdr", "", "", "none.hdr"}, {"header", "", "", "is a header by its content"},
	} {
		header, data, err := Find(c.name)
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) ||
			err == nil && (header != c.header || data != c.data) {
			t.Errorf("%s: %q, %q, %v", c.name, header, data, err)
		}
	}
	if h, err := ReadFile("a.hdr"); err != nil || h.Lines != 3 {
		t.Error(h, err)
	}
	if _, _, err := Find("other.hdr"); err == nil ||
		!strings.HasPrefix(err.Error(), "other.hdr: not an ENVI") {
		t.Error(err)
	}
	if _, err := ReadFile("other.hdr"); err == nil ||
		!strings.HasPrefix(err.Error(), "other.hdr: not an ENVI header") {
		t.Error(err)
	}
}

// Names cannot break out of their lists.
func TestNames(t *testing.T) {
	h := parsed(t, least)
	h.BandNames = []string{"a, b} = {c\nlines = 99", ""}
	h.Description, h.Units, h.Bad = "x}\nbands = 7", "{nm}", []bool{true, false}
	var b bytes.Buffer
	tables.OK(t, h.Write(&b))
	got := parsed(t, b.String())
	if got.Lines != 3 || got.Bands != 2 || !slices.Equal(got.BandNames, []string{"a b c lines 99", "-"}) ||
		!slices.Equal(got.Bad, h.Bad) {
		t.Errorf("%+v in %s", got, &b)
	}
}

// No header panics, takes memory beyond its size, or is read otherwise than it is written.
func FuzzHeader(f *testing.F) {
	f.Add(least)
	f.Add(least + "wavelength = {\n1,\n2}\nbbl = {0,1}\nband names = {a,b}\ndata ignore value = -1e-3\n" +
		"reflectance scale factor = 1e4\nmap info = {UTM, 1\n, 2}\ndescription = {x}\n" +
		"wavelength units = um\n")
	f.Add(strings.Replace(least, "4\n", "4\nfile type = ENVI Spectral Library\nspectra names = {a,b,c}\n", 1))
	f.Add(strings.Replace(least, "byte order = 0\n",
		"wavelength = [1\n2]\nbbl = [good bad]\nband names = {a}\n", 1))
	f.Add(strings.Replace(least, "bands = 2", "bands = 9", 1) + "wavelength = {1,2,3,4,50,6,7,8,9}\n")
	f.Add("ENVI\n" + fmt.Sprint(int64(math.MaxInt64)))
	f.Fuzz(func(t *testing.T, text string) {
		h, err := Read(strings.NewReader(text))
		if err != nil {
			if len(err.Error()) > 1000 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
			return
		}
		if len(h.Notes) > 16 || len(strings.Join(h.Notes, "")) > 2000 {
			t.Errorf("%q", h.Notes)
		}
		l, err := h.Layout()
		if err != nil || l.Bytes() < 1 || l.Lines < 1 || l.Samples < 1 || l.Bands < 1 {
			t.Fatalf("%+v: %+v, %v", h, l, err)
		}
		var once, twice bytes.Buffer
		tables.OK(t, h.Write(&once))
		again, err := Read(bytes.NewReader(once.Bytes()))
		if err != nil {
			t.Fatalf("%v of\n%s", err, &once)
		}
		if err := again.Write(&twice); err != nil || !bytes.Equal(once.Bytes(), twice.Bytes()) {
			t.Fatalf("%v: written\n%s\nand then\n%s", err, &once, &twice)
		}
	})
}

// A description may have braces of its own, and keys between them that do not count. Bytes between the values
// are an error.
func TestNestedBraces(t *testing.T) {
	const sizes = "\nsamples = 5\nlines = 4\nbands = 2\ndata type = 4\ninterleave = bsq\nbyte order = 0\n"
	for description, want := range map[string]string{
		"{\n made by {nested} tool, samples = 99\n lines = 1}": "made by {nested} tool, samples = 99\nlines = 1",
		"{{ one too many }": "{ one too many",
		"{plain}":           "plain",
	} {
		h, err := Read(strings.NewReader("ENVI\ndescription = " + description + sizes))
		if err != nil || h.Samples != 5 || h.Lines != 4 || h.Description != want {
			t.Errorf("%q: %+v, %v", description, h, err)
		}
	}
	for offsets, want := range map[string]string{"{0, 0}": "", "{8, 8}": "major frame offsets"} {
		_, err := Read(strings.NewReader("ENVI\nmajor frame offsets = " + offsets + sizes))
		if err == nil != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("offsets %s: %v", offsets, err)
		}
	}
}
