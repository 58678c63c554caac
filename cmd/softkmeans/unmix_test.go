package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"html"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/internal/cube"
	"softkmeans/internal/envi"
	"softkmeans/internal/npy"
	"softkmeans/internal/view"
)

// synthetic is an image of three materials, mixed smoothly with some noise; each is alone
// in a corner.
type synthetic struct {
	lines, samples, bands int
	spectra, shares       *softkmeans.Matrix
	values                []float64 // pixel by pixel
}

func newSynthetic(lines, samples, bands int) *synthetic {
	s := &synthetic{lines, samples, bands, softkmeans.NewMatrix(3, bands, nil),
		softkmeans.NewMatrix(lines*samples, 3, nil), nil}
	for j := range bands {
		u := float64(j) / float64(bands-1)
		s.spectra.Set(0, j, .1+.6*u)
		s.spectra.Set(1, j, .7-.5*u*u)
		s.spectra.Set(2, j, .2+.5*math.Exp(-20*(u-.45)*(u-.45)))
	}
	r := rand.New(rand.NewPCG(5, 6))
	for i := range s.shares.Rows {
		a, b := float64(i/samples)/float64(lines-1), float64(i%samples)/float64(samples-1)
		g := s.shares.Row(i)
		g[0] = max(0, 1-1.25*(a+b))
		g[1] = (1 - g[0]) * b / max(a+b, 1e-9)
		g[2] = 1 - g[0] - g[1]
		for j := range bands {
			v := .002 * r.NormFloat64()
			for m := range 3 {
				v += g[m] * s.spectra.At(m, j)
			}
			s.values = append(s.values, v)
		}
	}
	return s
}

// writeENVI writes the image as NAME and NAME.hdr, values times scale.
func (s *synthetic) writeENVI(t *testing.T, name string, h envi.Header, scale float64) {
	t.Helper()
	h.Lines, h.Samples, h.Bands = s.lines, s.samples, s.bands
	l, err := h.Layout()
	if err != nil {
		t.Fatal(err)
	}
	values := slices.Clone(s.values)
	for i := range values {
		values[i] *= scale
		if h.HasIgnore && s.shares.At(i/s.bands, 0) != s.shares.At(i/s.bands, 0) {
			values[i] = h.Ignore
		}
	}
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	header, err := os.Create(headerOf(name))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(l.Write(f, values, cube.Rect{Lines: s.lines, Samples: s.samples}), h.Write(header),
		f.Close(), header.Close()); err != nil {
		t.Fatal(err)
	}
}

// writeArray writes the image as .npy with a shape of two or three dimensions.
func (s *synthetic) writeArray(t *testing.T, name, shape string, fortran bool, l cube.Layout) {
	t.Helper()
	order := map[bool]string{false: "False", true: "True"}[fortran]
	text := "{'descr': '<f8', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n"
	start := npy.Magic + "\x01\x00" + string([]byte{byte(len(text)), 0}) + text
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	l.Offset = int64(len(start))
	if l.Kind, err = npy.KindOf("<f8"); err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString(start)
	if err := errors.Join(err, l.Write(f, s.values, cube.Rect{Lines: s.lines, Samples: s.samples}),
		f.Close()); err != nil {
		t.Fatal(err)
	}
}

// abundances reads what -o wrote, pixel by pixel: an ENVI image or an array.
func abundances(t *testing.T, name string, s *synthetic, k int) *softkmeans.Matrix {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var l cube.Layout
	if filepath.Ext(name) == ".npy" {
		h, err := npy.ReadHeader(f)
		if err != nil || len(h.Shape) == 3 && !slices.Equal(h.Shape, []int{s.lines, s.samples, k}) ||
			len(h.Shape) == 2 && !slices.Equal(h.Shape, []int{s.lines * s.samples, k}) {
			t.Fatalf("%+v, %v", h, err)
		}
		l = cube.ByPixel(s.lines, s.samples, k)
		l.Offset, l.Kind = h.Size, h.Kind
	} else {
		h, err := envi.ReadFile(headerOf(name))
		if err != nil || h.Interleave != "bsq" || h.Type != 4 || h.Lines != s.lines ||
			h.Samples != s.samples || h.Bands != k || !slices.Equal(h.BandNames, view.Names(k)) {
			t.Fatalf("%+v, %v", h, err)
		}
		if l, err = h.Layout(); err != nil {
			t.Fatal(err)
		}
	}
	info, err := f.Stat()
	if err != nil || l.CheckFile(info.Size()) != nil {
		t.Fatal(err, l.CheckFile(info.Size()))
	}
	g := softkmeans.NewMatrix(s.lines*s.samples, k, nil)
	bands := make([]int, k)
	for j := range bands {
		bands[j] = j
	}
	if err := l.Read(f, g.Data, cube.Rect{Lines: s.lines, Samples: s.samples}, bands); err != nil {
		t.Fatal(err)
	}
	return g
}

// likeness is the largest root mean square difference of the best matched shares.
func likeness(g, want *softkmeans.Matrix) float64 {
	worst := 0.0
	for j := range want.Cols {
		best := math.Inf(1)
		for c := range g.Cols {
			sum, n := 0.0, 0
			for i := range want.Rows {
				if v := g.At(i, c) - want.At(i, j); v == v {
					sum += v * v
					n++
				}
			}
			best = min(best, math.Sqrt(sum/float64(n)))
		}
		worst = max(worst, best)
	}
	return worst
}

// An ENVI scene with bad bands, a scale factor and pixels without data: all outputs agree
// with each other and with the truth.
func TestUnmix(t *testing.T) {
	t.Chdir(t.TempDir())
	s := newSynthetic(24, 20, 30)
	h := envi.Header{Type: 2, Interleave: "bil", BigEndian: true, Units: "Micrometers", Scale: 1e4,
		HasIgnore: true, Ignore: -9999, Bad: make([]bool, 30), Offset: 5,
		Place: []envi.Field{{Key: "map info", Value: "{UTM, 1, 1, 5, 6, 4, 4}"}}}
	for j := range 30 {
		h.Wavelengths = append(h.Wavelengths, .4+.02*float64(j))
	}
	for _, j := range []int{0, 11, 12} { // garbage, left out
		h.Bad[j] = true
		for i := j; i < len(s.values); i += 30 {
			s.values[i] = float64(i%7) / 3
		}
	}
	for _, i := range []int{19, 240, 241} {
		s.shares.Set(i, 0, math.NaN())
	}
	s.values[100*30+5] = -.9999 // the ignore value in one band of pixel 100
	s.writeENVI(t, "scene.bil", h, 1e4)
	before := readFile(t, "scene.bil") + readFile(t, "scene.hdr")

	out := must(t,
		strings.Fields("unmix -k 3 -o g.img -spectra f.csv -model m.json -report page.html scene.hdr")...)
	for _, want := range []string{"scene.bil: ENVI bil, 24 lines × 20 samples, 30 bands from 0.42 " +
		"to 0.98 µm.\n", "3 bands marked as bad (bbl) are left out: 1, 12-13.\n",
		"4 pixels are left out: 3 without data, and 1 with data in some bands only (NaN, infinite or the " +
			"data ignore value -9999).", "divided by the reflectance scale factor, 10000.\n"} {
		if !strings.Contains(out, want) && !strings.Contains(lined(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	g := abundances(t, "g.img", s, 3)
	for i := range g.Rows {
		if missing := i == 19 || i == 240 || i == 241 || i == 100; missing != math.IsNaN(g.At(i, 0)) ||
			missing != math.IsNaN(g.At(i, 2)) {
			t.Errorf("pixel %d: %v", i, g.Row(i))
		}
	}
	if far := likeness(g, s.shares); far > .06 {
		t.Errorf("shares are off by %v", far)
	}
	if header := readFile(t, "g.hdr"); !strings.Contains(header, "map info = {UTM, 1, 1, 5, 6, 4, 4}\n") ||
		!strings.Contains(header, "data ignore value = NaN") {
		t.Errorf("%s", header)
	}
	records, err := csv.NewReader(strings.NewReader(readFile(t, "f.csv"))).ReadAll()
	if err != nil || len(records) != 28 || strings.Join(records[0], ",") != "wavelength,p0,p1,p2" ||
		records[1][0] != "0.42000000000000004" || records[11][0] != "0.66" {
		t.Fatalf("%v, %q", err, records)
	}
	model, err := readModel("m.json")
	if err != nil || model.K() != 3 || len(model.Columns) != 27 ||
		model.Rows != 476 || model.Method != "minvol" {
		t.Fatalf("%+v, %v", model, err)
	}
	for i, row := range answer.RowsOf(model.Centers) {
		for j, v := range row {
			if text := records[j+1][i+1]; text != strconv.FormatFloat(v, 'g', -1, 64) {
				t.Fatalf("band %d of %d: %s, not %v", j, i, text, v)
			}
		}
	}
	page := readFile(t, "page.html")
	if strings.Count(page, "data:image/png;base64,") != 9 ||
		!strings.Contains(page, "<code>softkmeans unmix -k 3 -o g.img") ||
		!strings.Contains(page, "24 lines × 20 samples, 30 bands from 0.42 to 0.98 µm") {
		t.Errorf("a page of %d bytes", len(page))
	}

	// The same as an array and a library, from the file with the values; as JSON.
	report := parseJSON[answer.Answer](t,
		must(t, strings.Fields("unmix -k 3 -json -workers 1 -o g.npy -spectra f.sli scene.bil")...))
	if report.Empty != 3 || report.Incomplete != 1 || !slices.Equal(report.BadBands, []int{1, 12, 13}) ||
		report.Lines != 24 || report.Samples != 20 || report.Bands != 30 ||
		report.Rows != 476 || len(report.Wavelengths) != 27 || report.Unit != "Micrometers" ||
		report.Certificate.Objective < report.Certificate.Floor {
		t.Errorf("%+v", report)
	}
	sum := 0
	for j, n := range report.Sizes {
		if sum += n; !(report.Shares[j] > 0 && report.Shares[j] < 1) || report.Pure[j] > n {
			t.Errorf("%+v", report)
		}
	}
	if sum != 476 {
		t.Errorf("%d pixels are counted", sum)
	}
	array := abundances(t, "g.npy", s, 3)
	for i, v := range array.Data {
		if w := g.Data[i]; float64(float32(v)) != w && !(v != v && w != w) {
			t.Fatalf("%d: %v in the image, %v in the array", i, w, v)
		}
	}
	library, err := envi.ReadFile("f.hdr")
	if err != nil || library.FileType != envi.SpectralLibrary || library.Lines != 3 ||
		library.Samples != 27 || library.Units != "Micrometers" ||
		!slices.Equal(library.Wavelengths, report.Wavelengths) ||
		!slices.Equal(library.Spectra, []string{"p0", "p1", "p2"}) {
		t.Fatalf("%+v, %v", library, err)
	}
	l, err := library.Layout()
	if err != nil {
		t.Fatal(err)
	}
	got := make([]float64, 3*27)
	if err := l.Read(strings.NewReader(readFile(t, "f.sli")), got, cube.Rect{Lines: 3, Samples: 27},
		[]int{0}); err != nil || !slices.Equal(got, model.Centers.Data) {
		t.Errorf("%v, %v", err, got)
	}
	if readFile(t, "scene.bil")+readFile(t, "scene.hdr") != before {
		t.Error("the input has changed")
	}
}

// An image gives the same materials from every kind of file, at once and in blocks.
func TestUnmixInputs(t *testing.T) {
	t.Chdir(t.TempDir())
	s := newSynthetic(16, 12, 14)
	n, d := s.lines*s.samples, s.bands
	for _, kind := range []string{"bsq", "bil", "bip"} {
		s.writeENVI(t, kind+"."+kind, envi.Header{Type: 5, Interleave: kind}, 1)
	}
	column := cube.Layout{Lines: s.lines, Samples: s.samples, Bands: d, LineStep: d,
		SampleStep: d * s.lines, BandStep: 1}
	fortran := cube.Layout{Lines: s.lines, Samples: s.samples, Bands: d, LineStep: 1,
		SampleStep: s.lines, BandStep: n}
	flat := fmt.Sprintf("(%d, %d)", n, d)
	s.writeArray(t, "c3.npy", "(16, 12, 14)", false, cube.ByPixel(s.lines, s.samples, d))
	s.writeArray(t, "f3.npy", "(16, 12, 14)", true, fortran)
	s.writeArray(t, "c2.npy", flat, false, cube.ByPixel(s.lines, s.samples, d))
	s.writeArray(t, "column.npy", flat, false, column)
	s.writeArray(t, "f2.npy", flat, true, cube.ByBand(s.lines, s.samples, d))
	s.writeArray(t, "f2column.npy", flat, true, fortran)
	var text strings.Builder
	for j := range d {
		fmt.Fprintf(&text, "%s%d", strings.Repeat(",", min(j, 1)), 400+10*j)
	}
	for i := range n {
		for j := range d {
			text.WriteString([]string{"\n", ","}[min(j, 1)] +
				strconv.FormatFloat(s.values[i*d+j], 'g', -1, 64))
		}
	}
	writeText(t, "x.csv", text.String()+"\n")

	old := blockValues
	defer func() { blockValues = old }()
	first := map[string]*softkmeans.Matrix{} // blocks are fitted by another rule for λ
	for _, args := range []string{"bsq.hdr", "bil.hdr", "bip.bip", "c3.npy", "f3.npy", "-size 16x12 c2.npy",
		"-size 16x12 -order columns column.npy", "-size 16x12 f2.npy",
		"-size 16x12 -order columns f2column.npy", "-header yes -size 16×12 x.csv"} {
		var spectra []string
		for i, stream := range []string{"no", "yes", "yes"} {
			if blockValues = old; i == 2 {
				blockValues = 700
			}
			if stream == "yes" && strings.HasSuffix(args, "csv") ||
				i == 1 && (strings.Contains(args, "f") || strings.Contains(args, "column")) {
				continue
			}
			must(t, strings.Fields("unmix -k 3 -stream "+stream+" -o g.npy -spectra s.csv "+args)...)
			spectra = append(spectra, readFile(t, "s.csv"))
			g := abundances(t, "g.npy", s, 3)
			if first[stream] == nil {
				first[stream] = g
			}
			if far := likeness(g, first[stream]); far > 1e-6 {
				t.Errorf("%s, blocks of %d: the shares differ by %v", args, blockValues, far)
			}
		}
		// What is read in the same order has the same bits.
		if len(spectra) == 3 && spectra[2] != spectra[1] && !strings.Contains(args, "f3") &&
			!strings.Contains(args, "column") {
			t.Errorf("%s: spectra in blocks differ", args)
		}
	}
	for stream, g := range first {
		if far := likeness(g, s.shares); far > .03 {
			t.Errorf("-stream %s: shares are off by %v", stream, far)
		}
	}
	if !strings.HasPrefix(readFile(t, "s.csv"), "wavelength,p0,p1,p2\n400,") {
		t.Error("names that are numbers are no wavelengths")
	}
	// Without -size pixels are a list.
	out := must(t, strings.Fields("unmix -k auto -o g.npy -report page.html c2.npy")...)
	if !strings.Contains(out, "192 pixels, 14 bands") || !strings.Contains(out, "Proposed: k = 3") ||
		likeness(abundances(t, "g.npy", s, 3), first["no"]) > 1e-6 {
		t.Errorf("%s", out)
	}
	if page := readFile(t, "page.html"); strings.Contains(page, "<img") ||
		!strings.Contains(page, "192 pixels") {
		t.Error("a list of pixels has maps")
	}
	out = must(t, strings.Fields("unmix -k auto -stream yes -sum at-most-one bil.hdr")...)
	if !strings.Contains(out, "Proposed: k = 3") {
		t.Errorf("%s", out)
	}
}

// The outputs do not depend on the number of workers, and are those of the last run.
func TestUnmixDeterminism(t *testing.T) {
	t.Chdir(t.TempDir())
	newSynthetic(24, 20, 30).writeENVI(t, "x.img", envi.Header{Type: 4, Interleave: "bsq"}, 1)
	var first string
	for _, args := range []string{"-workers 1", "-workers 2", "-workers 2 -stream yes"} {
		must(t, strings.Fields("unmix -k 3 -sum at-most-one -o g.img -spectra f.sli -model m.json "+
			"-report p.html "+args+" x.img")...)
		all := readFile(t, "g.img") + readFile(t, "f.sli") + readFile(t, "m.json") +
			strings.Replace(readFile(t, "p.html"), args+" ", "", 1)
		if first == "" {
			first = all
		}
		if all != first && !strings.Contains(args, "stream") {
			t.Errorf("%s: the outputs differ", args)
		}
	}
	if names, err := filepath.Glob("*"); err != nil || len(names) != 8 {
		t.Errorf("there are %q", names)
	}
}

// Headers as other programs write them are read as those that ENVI wrote, and what was assumed is said, in
// the text and in the page.
func TestUnmixHeaders(t *testing.T) {
	trade, err := filepath.Abs(filepath.Join("..", "..", "testdata", "tables", "trade"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	var centers [][]float64
	for _, c := range []struct{ name, note, first, last string }{
		{"envi_brackets", "the list wavelength is in [ ] instead of { }", "400", "990"},
		{"envi_no_byte_order", "there is no byte order: 0 is taken, the least byte first", "400", "990"},
		{"envi_short_list", "the list wavelength is left out: 50 values for 60 bands", "band1", "band60"},
		{"envi_typo_in_waves", "band 11 has the wavelength 5000, far from those beside it", "400", "990"},
		{"envi_bbl_words", "the list bbl has words", "band1", "band60"},
	} {
		writeText(t, c.name+".dat", readFile(t, filepath.Join(trade, "envi.dat")))
		writeText(t, c.name+".hdr", readFile(t, filepath.Join(trade, c.name+".hdr")))
		text := must(t, "unmix", "-k", "3", "-report", "p.html", c.name+".dat")
		page := html.UnescapeString(readFile(t, "p.html"))
		got := parseJSON[answer.Answer](t, must(t, "unmix", "-k", "3", "-json", c.name+".hdr"))
		if !strings.HasPrefix(got.Notes[0], c.note) ||
			!strings.Contains(text, strings.ToUpper(c.note[:1])+c.note[1:20]) || !strings.Contains(page, strings.ToUpper(c.note[:1])+c.note[1:20]) {
			t.Errorf("%s: notes %q in\n%s", c.name, got.Notes, text)
		}
		if got.Columns[0] != c.first || got.Columns[len(got.Columns)-1] != c.last {
			t.Errorf("%s: columns %q", c.name, got.Columns)
		}
		if c.name == "envi_bbl_words" {
			if !slices.Equal(got.BadBands, []int{4, 5}) {
				t.Errorf("bad bands %v", got.BadBands)
			}
		} else if centers == nil {
			centers = got.Centers
		} else if !reflect.DeepEqual(got.Centers, centers) {
			t.Errorf("%s: other spectra", c.name)
		}
	}
}

// Pixels with deleted channels are left out, and said.
func TestUnmixDeleted(t *testing.T) {
	t.Chdir(t.TempDir())
	s := newSynthetic(8, 9, 5)
	s.values[7], s.values[13], s.values[23] = -1.23e34, -1.23e34, math.NaN()
	for _, kind := range []int{4, 5} {
		s.writeENVI(t, "x.bip", envi.Header{Type: kind, Interleave: "bip"}, 1)
		if text := must(t, "unmix", "-k", "3", "x.bip"); !strings.Contains(text,
			"3 pixels are left out: data in some bands only (NaN, infinite or a deleted channel "+
				"(-1.23e34)).") {
			t.Error(text)
		}
	}
}

// A band without a value in any pixel is left out, and said; it is not one that is marked as bad.
func TestUnmixHollowBand(t *testing.T) {
	t.Chdir(t.TempDir())
	s := newSynthetic(8, 9, 5)
	for i := 2; i < len(s.values); i += 5 {
		s.values[i] = -1.23e34
	}
	bad := []bool{true, false, false, false, false}
	old := blockValues
	defer func() { blockValues = old }()
	for _, blockValues = range []int{64, old} {
		for _, stream := range []string{"yes", "no"} {
			s.writeENVI(t, "x.bsq", envi.Header{Type: 4, Interleave: "bsq", Bad: bad}, 1)
			text := must(t, "unmix", "-k", "3", "-stream", stream, "-spectra", "s.csv", "x.bsq")
			if !strings.Contains(text, "1 band has no value in any pixel, and is left out: band3") ||
				!strings.Contains(text, "1 band marked as bad (bbl) is left out: 1.") ||
				strings.Contains(text, "in some bands only") {
				t.Error(text)
			}
			if lines := strings.Count(readFile(t, "s.csv"), "\n"); lines != 4 {
				t.Errorf("spectra in %d lines", lines)
			}
		}
	}
}

// More pixels than the summary has: the report is of all.
func TestUnmixLarge(t *testing.T) {
	t.Chdir(t.TempDir())
	s := newSynthetic(150, 110, 6)
	s.shares.Set(0, 0, math.NaN())
	s.writeENVI(t, "x.bsq", envi.Header{Type: 4, Interleave: "bsq", HasIgnore: true, Ignore: -1e34}, 1)
	old := blockValues
	defer func() { blockValues = old }()
	blockValues = 30000
	report := parseJSON[answer.Answer](t,
		must(t, strings.Fields("unmix -k 3 -lambda .02 -stream yes -json -o g.img -report p.html x.bsq")...))
	if !report.Summarised || !report.Streamed || report.Rows != 16499 || report.Empty != 1 ||
		report.Certificate.Objective > 1.3*report.Certificate.Floor {
		t.Errorf("%+v", report)
	}
	if far := likeness(abundances(t, "g.img", s, 3), s.shares); far > .06 {
		t.Errorf("shares are off by %v", far)
	}
	if page := readFile(t, "p.html"); !strings.Contains(page, "were fitted to a sample of the rows") {
		t.Error("the page does not say that a sample was fitted")
	}
}

// What is wrong is an error before any file is written, and inputs are not overwritten.
func TestUnmixErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	s := newSynthetic(4, 5, 3)
	s.writeENVI(t, "x.bil", envi.Header{Type: 4, Interleave: "bil"}, 1)
	s.writeENVI(t, "cut.bil", envi.Header{Type: 4, Interleave: "bil"}, 1)
	s.writeENVI(t, "bad.bil", envi.Header{Type: 4, Interleave: "bil", Bad: []bool{true, true, true}}, 1)
	s.writeENVI(t, "lib.bil", envi.Header{Type: 4, Interleave: "bil"}, 1)
	s.writeENVI(t, "big.bil", envi.Header{Type: 5, Interleave: "bil"}, 1)
	if err := os.Truncate("cut.bil", 100); err != nil {
		t.Fatal(err)
	}
	writeText(t, "lib.hdr", strings.Replace(readFile(t, "lib.hdr"), "ENVI Standard", envi.SpectralLibrary, 1))
	writeText(t, "complex.hdr", strings.Replace(readFile(t, "x.hdr"), "data type = 4", "data type = 6", 1))
	writeText(t, "complex.img", "12345678")
	writeText(t, "wide.hdr", strings.Replace(readFile(t, "x.hdr"), "bands = 3", "bands = 10000000", 1))
	writeText(t, "wide.img", "12345678")
	big := []byte(readFile(t, "big.bil"))
	copy(big[3*8*5:], []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x7e}) // 2^496·… of line 2, band 1
	copy(big[3*8*5+8:], []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x7f})
	writeText(t, "big.bil", string(big))
	s.values = slices.Repeat([]float64{math.NaN()}, 60)
	s.writeENVI(t, "none.bil", envi.Header{Type: 4, Interleave: "bil"}, 1)
	s.writeArray(t, "four.npy", "(4, 5, 3, 1)", false, cube.ByPixel(4, 5, 3))
	s.writeArray(t, "ok.npy", "(20, 3)", false, cube.ByPixel(4, 5, 3))
	s.writeArray(t, "three.npy", "(4, 5, 3)", false, cube.ByPixel(4, 5, 3))
	writeText(t, "esri.hdr", "BYTEORDER I\nNROWS 4\nNCOLS 5\n")
	writeText(t, "x.csv", "1,2\n3,4\n5,7\n9,1\n")
	before := files(t, ".")
	for _, f := range []failure{
		{"unmix x.hdr", 2, "-k is missing"}, {"unmix -k 0 x.hdr", 2, "at least 1"}, {"unmix -k 5000 x.hdr", 2,
			"at most 4096"}, {"unmix -k 65 -report p.html x.hdr", 2, "at most 64 materials"},
		{"unmix -k 2 -o g.tif x.hdr", 2, "must end in .img, .npy or .csv"}, {"unmix -k 2 -o - x.hdr", 2,
			"must end in .img, .npy or .csv"}, {"unmix -k 2 -spectra s.txt x.hdr", 2, "must end in .csv or .sli"},
		{"unmix -k 2 -slack 1 -lambda 1 x.hdr", 2, "exclude each other"}, {"unmix -k 2 -order columns x.hdr",
			2, "-order columns needs -size"}, {"unmix -k 2 -size 4 x.hdr", 2, "two numbers"},
		{"unmix -k 2 -size 4x5 x.hdr", 2, "-size is for tables, and x.hdr is an ENVI image"},
		{"unmix -k 2 -size 4x5 three.npy", 2, "an array of three dimensions"},
		{"unmix -k 2 -size 4x6 ok.npy", 1, "20 pixels, but -size 4x6 has 24"},
		{"unmix -k 2 -rows long x.hdr", 2, "must be auto, given or unit"}, {"unmix -k 2 -trim 1 x.hdr", 2,
			"at least 0 and below 1"}, {"unmix -k 2 -trim -.1 x.hdr", 2, "at least 0 and below 1"},
		{"unmix -k 2 -shade s.csv x.hdr", 2, "CSV is for tables; give a name that ends in .img or .npy"},
		{"unmix -k 2 -shade s.npy -rows given x.hdr", 2, "-shade is for -rows auto or unit"},
		{"unmix -k 2 -rows unit -stream yes -o g.img x.bil", 2, "-rows unit needs the image in memory"},
		{"unmix -k 2 -trim .1 -stream yes x.bil", 2, "-trim needs the image in memory"},
		{"unmix -k 2 -shade s.npy -stream yes x.bil", 2, "-shade needs the image in memory"},
		{"unmix -k 2 -shade x.img x.bil", 2, "-shade x.hdr would overwrite the data"},
		{"unmix -k 2 -o x.img x.bil", 2, "-o x.hdr would overwrite the data"},
		{"unmix -k 2 -spectra x.sli x.hdr", 2, "would overwrite the data"},
		{"unmix -k 2 -o g.img -spectra g.sli x.hdr", 2, "name the same file"},
		{"unmix -k 2 -stream yes x.csv", 2, "-stream yes is for ENVI and .npy files"},
		{"unmix -k 2 -stream yes", 2, "can be read only once"},
		{"unmix -k 2 -o g.img " +
			"nothing.hdr", 1, "nothing.hdr"}, {"unmix -k 2 -o g.img cut.bil", 1, "cut.bil: the file is " +
			"cut, or its header is of another: 4 lines × 5 samples × 3 bands of 4 bytes"},
		{"unmix -k 2 -o g.img bad.bil", 1, "all bands are bad"},
		{"unmix -k 2 -o g.img lib.bil", 1, "spectral library"},
		{"unmix -k 2 -o g.img complex.hdr", 1, "complex.hdr: data type 6 is complex"},
		{"unmix -k 2 -o g.img wide.hdr", 1, "10000000 bands; at most"},
		{"unmix -k 2 esri.hdr", 1, "not an ENVI header but one of an ESRI raster"},
		{"unmix -k 2 -o g.img none.bil", 1, "no pixel has data: 20 without"},
		{"unmix -k 2 -stream yes -o g.img none.bil", 1, "no pixel has data: 20 without"},
		{"unmix -k auto -stream yes -o g.img none.bil", 1, "no pixel has data"},
		{"unmix -k 21 -o g.img x.bil", 1, "20 pixels with data, but -k 21"},
		{"unmix -k 21 -stream yes -o g.img x.bil", 1, "20 rows, but -k 21"},
		{"unmix -k 2 -o g.img four.npy", 1, "an array of 4 dimensions"},
		{"unmix -k 2 -o g.img big.bil", 1, "big.bil: line 2, sample 1, band 1: "},
		{"unmix -k 2 -stream yes -o g.img big.bil", 1, "big.bil: line 2, sample 1, band 1: "},
		{"unmix -k auto -stream yes -o g.img big.bil", 1, "big.bil: line 2, sample 1, band 1: "},
	} {
		f.check(t)
	}
	if after := files(t, "."); after != before {
		t.Errorf("%q, not %q", after, before)
	}
	var b bytes.Buffer
	if code := run(t.Context(), strings.Fields("unmix -k 2 -spectra - x.bil"), nil, &b,
		&bytes.Buffer{}); code != 0 || !strings.HasPrefix(b.String(), "band,p0,p1\n1,") {
		t.Errorf("%d, %s", code, &b)
	}
}
