package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/internal/cube"
	"softkmeans/internal/envi"
	"softkmeans/internal/npy"
	"softkmeans/internal/rows"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
)

// pure is a synthetic scene without noise, times a shade for each pixel if asked for.
func pure(lines, samples, bands int, shaded bool) *synthetic {
	s := newSynthetic(lines, samples, bands)
	for i := range s.shares.Rows {
		shade := 1.0
		if shaded {
			shade = .5 + float64(i%11)/10
		}
		for j := range bands {
			v := 0.0
			for m := range 3 {
				v += shade * s.shares.At(i, m) * s.spectra.At(m, j)
			}
			s.values[i*bands+j] = v
		}
	}
	return s
}

// waves are the wavelengths of bands, and the same as words, last first.
func waves(bands int) (numbers []float64, words []string) {
	for j := range bands {
		numbers = append(numbers, 400+12.5*float64(j))
		words = append(words, fmt.Sprintf("%.2f", numbers[j]))
	}
	return numbers, words
}

// writeLibraryFile writes the spectra as NAME.sli.
func (s *synthetic) writeLibraryFile(t *testing.T, name string, names []string, w []float64) {
	t.Helper()
	h := &envi.Header{Lines: 3, Samples: s.bands, Bands: 1, Type: 5, Interleave: "bsq",
		FileType: envi.SpectralLibrary, Wavelengths: w, Spectra: names}
	var header, values strings.Builder
	if err := h.Write(&header); err != nil {
		t.Fatal(err)
	}
	if err := npy.WriteValues(&values, s.spectra.Data); err != nil {
		t.Fatal(err)
	}
	writeText(t, name, values.String())
	writeText(t, headerOf(name), header.String())
}

// sameAbundances compares shares, which are NaN where want has NaN.
func sameAbundances(t *testing.T, what string, got *softkmeans.Matrix, want func(i, j int) float64,
	tol float64) {
	t.Helper()
	for i := range got.Rows {
		for j := range got.Cols {
			if v := want(i, j); math.Abs(got.At(i, j)-v) > tol || v != v && got.At(i, j) == got.At(i, j) {
				t.Fatalf("%s: pixel %d: %v, not %v", what, i, got.Row(i), v)
			}
		}
	}
}

// Shares of a scene in known spectra are those that it is made of, in memory and in blocks, from all
// forms of scenes and of the file of spectra.
func TestUnmixKnown(t *testing.T) {
	t.Chdir(t.TempDir())
	old := blockValues
	blockValues = 500
	defer func() { blockValues = old }()
	s := pure(9, 11, 20, false)
	numbers, words := waves(s.bands)
	names := []string{"leaf", "soil", "tin roof"}
	bad := make([]bool, s.bands)
	bad[3], bad[17] = true, true
	s.writeENVI(t, "a.img", envi.Header{Type: 5, Interleave: "bil", Wavelengths: numbers, Bad: bad}, 1)
	s.writeENVI(t, "bare.img", envi.Header{Type: 5, Interleave: "bsq", Bad: bad}, 1)
	s.writeArray(t, "a.npy", "(9, 11, 20)", false, cube.ByPixel(9, 11, 20))
	var rows [][]float64
	for i := range s.shares.Rows {
		rows = append(rows, s.values[i*s.bands:(i+1)*s.bands])
	}
	writeText(t, "a.csv", csvOf("", words, nil, rows))
	s.writeLibraryFile(t, "lib.sli", names, numbers)
	var spectra [][]float64
	for i := range 3 {
		spectra = append(spectra, s.spectra.Row(i))
	}
	writeText(t, "lib.csv", csvOf("name", words, names, spectra))
	writeText(t, "across.csv", csvOf("wavelength", names, words, turnedRows(spectra)))
	writeText(t, "rising.csv", csvOf("", nil, nil, spectra))
	writeText(t, "bare.csv", csvOf("", nil, nil, [][]float64{spectra[2], spectra[1], spectra[0]}))
	failure{"unmix -centers rising.csv bare.img", 1, "rising.csv: line 1 may be a header of numbers or a " +
		"prototype, and bare.img has no such names"}.check(t)
	p := view.Names(3)
	for _, c := range []struct {
		args  string
		names []string
	}{
		{"-centers lib.sli a.img", names}, {"-centers lib.sli.hdr -stream yes a.img", names},
		{"-centers lib.csv a.hdr", names}, {"-centers across.csv a.img", names},
		{"-centers bare.csv bare.img", p}, {"-centers bare.csv a.npy", p},
		{"-centers lib.sli -size 9x11 a.csv", names}, {"-centers across.csv -size 9x11 a.csv", names},
	} {
		if strings.Contains(c.args, ".sli.hdr") {
			c.args = strings.Replace(c.args, ".sli.hdr", ".hdr", 1)
		}
		text := must(t, append([]string{"unmix", "-o", "g.npy"}, strings.Fields(c.args)...)...)
		if !strings.Contains(text, "No pixel is outside of the spectra") || !strings.Contains(text,
			"Pixels are mixtures as given.") || !strings.Contains(text, "  "+c.names[2]) ||
			strings.Contains(text, "Certified: ") == strings.Contains(c.args, "-stream") {
			t.Errorf("%s: %s", c.args, text)
		}
		sameAbundances(t, c.args, abundances(t, "g.npy", s, 3), func(i, j int) float64 {
			if strings.Contains(c.args, "bare.csv") {
				j = 2 - j
			}
			return s.shares.At(i, j)
		}, 1e-12)
		must(t, append([]string{"unmix", "-o", "g.img", "-spectra", "f.csv"}, strings.Fields(c.args)...)...)
		h, err := envi.ReadFile("g.hdr")
		if err != nil || strings.Join(h.BandNames, ";") != strings.Join(c.names, ";") {
			t.Errorf("%s: %+v, %v", c.args, h, err)
		}
		head, _, _ := strings.Cut(readFile(t, "f.csv"), "\n")
		if !strings.HasSuffix(head, strings.Join(c.names, ",")) {
			t.Errorf("%s: %s", c.args, head)
		}
	}
}

// Pixels with shade have it found, and classes add up; the page has the names.
func TestUnmixKnownShade(t *testing.T) {
	t.Chdir(t.TempDir())
	s := pure(8, 8, 16, true)
	numbers, _ := waves(s.bands)
	s.writeENVI(t, "a.img", envi.Header{Type: 5, Interleave: "bip", Wavelengths: numbers}, 1)
	s.writeLibraryFile(t, "lib.sli", []string{"soil", "leaf & stem", "soil"}, numbers)
	sums := func(i, j int) float64 {
		if j == 0 {
			return s.shares.At(i, 0) + s.shares.At(i, 2)
		}
		return s.shares.At(i, 1)
	}
	for _, more := range []string{"", " -stream yes", " -rows unit"} {
		args := "-centers lib.sli -o g.npy -shade s.npy a.img" + more
		text := must(t, append([]string{"unmix"}, strings.Fields(args)...)...)
		if !strings.Contains(text, "Each pixel is a mixture times its brightness") ||
			!strings.Contains(text, "The brightness is 0.5 to 1.5 (median") {
			t.Errorf("%s: %s", args, text)
		}
		sameAbundances(t, args, abundances(t, "g.npy", s, 2), sums, 1e-12)
		values, err := rows.ReadAll(strings.NewReader(readFile(t, "s.npy")), "s.npy", table.Dialect{})
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range values.Data {
			if want := .5 + float64(i%11)/10; !near(v, want, 1e-12) {
				t.Fatalf("%s: the shade of pixel %d is %v, not %v", args, i, v, want)
			}
		}
	}
	must(t, strings.Fields("unmix -centers lib.sli -report p.html -json a.img")...)
	page := readFile(t, "p.html")
	for _, want := range []string{"leaf &amp; stem</h3>", "nearly pure", "<h3>Factor of brightness</h3>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page, "Minimal volume") || strings.Count(page, "<h3>soil</h3>") != 1 {
		t.Error("the page is of a fit, or has a map for each spectrum of a class")
	}
	j := parseJSON[answer.Answer](t, must(t, strings.Fields("unmix -centers lib.sli -json a.img")...))
	if j.RowScaling != "unit" || !j.Unique || j.Outside != 0 || len(j.Prototypes) != 2 || j.Prototypes[0].Name != "soil" ||
		j.Certificate == nil || j.Certificate.Objective > 1e-9 || j.Shade == nil ||
		!near(j.Shares[0]+j.Shares[1], 1, 1e-9) {
		t.Errorf("%+v", j)
	}
}

// Channels of a library that are bad, or deleted in a spectrum, are left out.
func TestUnmixKnownDeleted(t *testing.T) {
	t.Chdir(t.TempDir())
	s := pure(5, 6, 12, false)
	numbers, _ := waves(s.bands)
	s.writeENVI(t, "a.img", envi.Header{Type: 5, Interleave: "bil", Wavelengths: numbers}, 1)
	s.spectra.Set(1, 4, -1.23e34)
	s.spectra.Set(2, 7, 50)
	bad := make([]bool, s.bands)
	bad[7] = true
	h := &envi.Header{Lines: 3, Samples: s.bands, Bands: 1, Type: 5, Interleave: "bsq", Bad: bad, Scale: 16,
		FileType: envi.SpectralLibrary, Wavelengths: numbers, Spectra: []string{"a", "b", "c"}}
	for i, v := range s.spectra.Data {
		if s.spectra.Data[i] = 16 * v; v < -1e30 {
			s.spectra.Data[i] = v
		}
	}
	var header, values strings.Builder
	if err := h.Write(&header); err != nil {
		t.Fatal(err)
	}
	if err := npy.WriteValues(&values, s.spectra.Data); err != nil {
		t.Fatal(err)
	}
	text := strings.TrimSpace(header.String())
	if !strings.Contains(text, "bbl") {
		text += "\nbbl = {1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1}\n"
	}
	writeText(t, "lib.sli", values.String())
	writeText(t, "lib.hdr", text)
	said := must(t, strings.Fields("unmix -centers lib.sli -o g.npy a.img")...)
	sameAbundances(t, "lib.sli", abundances(t, "g.npy", s, 3), s.shares.At, 1e-12)
	for _, want := range []string{"2 of 12 channels are marked as bad (bbl), or have no value in some spectrum",
		"2 bands that the spectra lack are left out.", "10 columns joined"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in %s", want, said)
		}
	}
}

// Shares that are not unique have the ranges of predict -centers, in bands after them.
func TestUnmixKnownRanges(t *testing.T) {
	t.Chdir(t.TempDir())
	old := blockValues
	blockValues = 50
	defer func() { blockValues = old }()
	s := pure(9, 11, 2, false)
	_, words := waves(s.bands)
	var list, spectra [][]float64
	for i := range s.shares.Rows {
		list = append(list, s.values[i*s.bands:(i+1)*s.bands])
	}
	for i := range 3 {
		spectra = append(spectra, s.spectra.Row(i))
	}
	spectra = append(spectra, []float64{(spectra[0][0] + spectra[1][0]) / 2, spectra[2][1]})
	names := []string{"leaf", "soil", "tin", "tar"}
	writeText(t, "a.csv", csvOf("", words, nil, list))
	writeText(t, "lib.csv", csvOf("name", words, names, spectra))
	s.writeENVI(t, "a.img", envi.Header{Type: 5, Interleave: "bil", BandNames: words}, 1)
	must(t, strings.Fields("predict -rows given -centers lib.csv -o want.csv a.csv")...)
	var want [][]string
	for line := range strings.Lines(readFile(t, "want.csv")) {
		want = append(want, strings.Split(strings.TrimSpace(line), ","))
	}
	for _, how := range []string{"-size 9x11 a.csv", "-stream yes a.img"} {
		said := must(t, strings.Fields("unmix -rows given -centers lib.csv -o g.npy "+how)...)
		if !strings.Contains(strings.Join(strings.Fields(said), " "), "The bands after them, leaf_low and") {
			t.Error(said)
		}
		sameAbundances(t, how, abundances(t, "g.npy", s, 12), func(i, j int) float64 {
			v, err := strconv.ParseFloat(want[i+1][1+j], 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}, 1e-12)
		must(t, strings.Fields("unmix -rows given -centers lib.csv -o g.img "+how)...)
		h, err := envi.ReadFile("g.hdr")
		if err != nil || strings.Join(h.BandNames, ",") != strings.Join(want[0][1:13], ",") {
			t.Errorf("%s: %q, not %q, %v", how, h.BandNames, want[0], err)
		}
	}
	said := must(t, strings.Fields("unmix -rows given -centers lib.csv -size 9x11 a.csv")...)
	if !strings.Contains(strings.Join(strings.Fields(said), " "), "With -o the file has the ranges of shares") {
		t.Error(said)
	}
}

// A model takes the place of the file of spectra; pixels that are outside are counted; bands that
// one of the files lacks are left out.
func TestUnmixKnownModel(t *testing.T) {
	t.Chdir(t.TempDir())
	s := newSynthetic(10, 10, 14)
	for j := range s.bands {
		s.values[55*s.bands+j] = 3 + float64(j%2)
	}
	numbers, words := waves(s.bands)
	s.writeENVI(t, "a.img", envi.Header{Type: 5, Interleave: "bil", Wavelengths: numbers}, 1)
	must(t, strings.Fields("unmix -k 3 -rows given -trim .02 -o a.npy -model m.json a.img")...)
	text := must(t, strings.Fields("unmix -rows given -centers m.json -o b.npy a.img")...)
	a, b := abundances(t, "a.npy", s, 3), abundances(t, "b.npy", s, 3)
	sameAbundances(t, "m.json", b, a.At, 1e-9)
	if !strings.Contains(text, "1 pixel is outside of the spectra") {
		t.Error(text)
	}
	var some [][]float64
	for i := range 3 {
		some = append(some, append([]float64{7}, s.spectra.Row(i)[2:12]...))
	}
	writeText(t, "some.csv", csvOf("name", append([]string{"n"}, words[2:12]...), []string{"a", "b", "c"},
		some))
	text = must(t, strings.Fields("unmix -centers some.csv -o b.npy a.img")...)
	for _, want := range []string{"4 bands that the spectra lack are left out.",
		"10 columns joined by name with some.csv; its column n is not used."} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	sameAbundances(t, "some.csv", abundances(t, "b.npy", s, 3), func(i, j int) float64 {
		if i == 55 {
			return b.At(i, j)
		}
		return s.shares.At(i, j)
	}, .05)
}

func TestUnmixKnownUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	s := pure(4, 4, 6, false)
	numbers, _ := waves(s.bands)
	s.writeENVI(t, "a.img", envi.Header{Type: 5, Interleave: "bil", Wavelengths: numbers}, 1)
	s.writeLibraryFile(t, "lib.sli", []string{"a", "b", "c"}, numbers)
	s.writeLibraryFile(t, "far.sli", []string{"a", "b", "c"}, []float64{1, 2, 3, 4, 5, 6})
	s.writeLibraryFile(t, "near.sli", []string{"a", "b", "c"}, []float64{400, 412, 425, 438, 451, 464})
	writeText(t, "five.csv", "1.5,2,-3,4,5\n2,2,1,4,1\n")
	for _, f := range []failure{
		{"a.img", 2, "-k is missing; give a number of materials, or auto"},
		{"-k 3 -centers lib.sli a.img", 2, "-k is for a fit, and -centers has the spectra already"},
		{"-slack 1 -centers lib.sli a.img", 2, "-slack is for a fit"},
		{"-trim .1 -centers lib.sli a.img", 2, "-trim is for a fit"},
		{"-model m.json -centers lib.sli a.img", 2, "-model is for a fit"},
		{"-k 3 -class c a.img", 2, "-class is for -centers"},
		{"-centers lib.sli -class c a.img", 2, "-class: lib.sli is a spectral library"},
		{"-centers lib.sli -rows unit -sum at-most-one a.img", 2, "-rows unit has shares that add up to one"},
		{"-centers lib.sli -stream yes -report p.html a.img", 2,
			"-report with -centers needs the image in memory"},
		{"-centers lib.sli -o lib.img a.img", 2, "-o lib.hdr would overwrite the prototypes"},
		{"-centers five.csv -spectra five.csv a.img", 2, "-spectra five.csv would overwrite the prototypes"},
		{"-centers five.csv a.img", 1, "five.csv: 2 prototypes of 5 columns, but a.img has 6 columns"},
		{"-centers far.sli a.img", 1,
			"far.sli and a.img have no column in common: there are 1, 2, 3, 4, 5, 6, and 400, 412.5"},
		{"-centers near.sli a.img", 1, "near.sli and a.img have only 2 columns in common: there are " +
			"400, 412, 425, 438, 451, 464, and 400, 412.5, 425, 437.5, 450, 462.5; " +
			"bring the prototypes to the places"},
		{"-centers a.img a.img", 1, "a.hdr: is of an image; give a spectral library"},
		{"-centers missing.sli a.img", 1, "missing.sli"},
	} {
		f.args = "unmix " + f.args
		f.check(t)
	}
}
