package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/internal/cube"
	"softkmeans/internal/envi"
	"softkmeans/internal/npy"
	"softkmeans/unmix"
)

// shaded replaces the values of a synthetic image: mixtures times a brightness of 0.5 to
// 1.5, without noise. It returns the brightness.
func (s *synthetic) shaded() []float64 {
	shade := make([]float64, s.lines*s.samples)
	for i := range shade {
		shade[i] = 1 + .5*math.Sin(float64(7*i))
		for j := range s.bands {
			v := 0.0
			for m, g := range s.shares.Row(i) {
				v += shade[i] * g * s.spectra.At(m, j)
			}
			s.values[i*s.bands+j] = v
		}
	}
	return shade
}

// readShade reads what -shade wrote.
func readShade(t *testing.T, name string, s *synthetic) []float64 {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var l cube.Layout
	if strings.HasSuffix(name, ".npy") {
		h, err := npy.ReadHeader(f)
		if err != nil || !slices.Equal(h.Shape, []int{s.lines, s.samples}) {
			t.Fatalf("%+v, %v", h, err)
		}
		l = cube.ByPixel(s.lines, s.samples, 1)
		l.Offset, l.Kind = h.Size, h.Kind
	} else {
		h, err := envi.ReadFile(headerOf(name))
		if err != nil || h.Bands != 1 || !slices.Equal(h.BandNames, []string{"shade"}) {
			t.Fatalf("%+v, %v", h, err)
		}
		if l, err = h.Layout(); err != nil {
			t.Fatal(err)
		}
	}
	info, err := f.Stat()
	values := make([]float64, s.lines*s.samples)
	if err := errors.Join(err, l.CheckFile(info.Size()),
		l.Read(f, values, cube.Rect{Lines: s.lines, Samples: s.samples}, []int{0})); err != nil {
		t.Fatal(err)
	}
	return values
}

// The spectra, shares and brightness of a scene with shade are found up to a factor each,
// the map of the error is 0, and predict and certify take the model as it is meant.
func TestUnmixShade(t *testing.T) {
	t.Chdir(t.TempDir())
	s := newSynthetic(16, 12, 14)
	want := s.shaded()
	s.values[5*14] = math.NaN() // pixel 5 is left out
	s.writeENVI(t, "x.bip", envi.Header{Type: 5, Interleave: "bip"}, 1)
	out := must(t, strings.Fields("unmix -v -k 3 -o g.npy -shade s.npy -model m.json -report p.html x.bip")...)
	for _, text := range []string{"Pixels are scaled to length 1, as their brightness varies.\n",
		"Each pixel is its mixture of the spectra times a factor, its brightness: 0.", "allow each pixel any brightness"} {
		if !strings.Contains(out, text) {
			t.Errorf("no %q in\n%s", text, out)
		}
	}
	model, err := readModel("m.json")
	if err != nil || !model.UnitRows {
		t.Fatalf("%+v, %v", model, err)
	}
	factors := make([]float64, 3) // of the best center for each spectrum
	match := make([]int, 3)
	for m := range 3 {
		best := 0.0
		for c, center := range answer.RowsOf(model.Centers) {
			var uv, uu, vv float64
			for j, v := range center {
				u := s.spectra.At(m, j)
				uv, uu, vv = uv+u*v, uu+u*u, vv+v*v
			}
			if cos := uv / math.Sqrt(uu*vv); cos > best {
				best, match[m], factors[m] = cos, c, uv/uu
			}
		}
		if best < 1-1e-4 {
			t.Errorf("the cosine of spectrum %d is %v", m, best)
		}
	}
	shade, g := readShade(t, "s.npy", s), abundances(t, "g.npy", s, 3)
	for i, v := range shade {
		if i == 5 {
			if v == v || g.At(i, 0) == g.At(i, 0) {
				t.Errorf("the pixel without data has shade %v and shares %v", v, g.Row(i))
			}
			continue
		}
		sum := 0.0
		for m := range 3 {
			amount := v * g.At(i, match[m]) * factors[m] // of the true spectrum
			if sum += g.At(i, m); math.Abs(amount-want[i]*s.shares.At(i, m)) > .02 {
				t.Fatalf("pixel %d: %v of material %d, not %v", i, amount, m, want[i]*s.shares.At(i, m))
			}
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Fatalf("pixel %d: shares add up to %v", i, sum)
		}
	}
	page := readFile(t, "p.html")
	found := regexp.MustCompile(`Map of the error of every pixel, .*?The largest ` +
		`is ([^,]*),`).FindStringSubmatch(page)
	if len(found) != 2 || !strings.Contains(page, "Map of the brightness of every pixel") ||
		!strings.Contains(page, "the sum of squares") {
		t.Fatalf("%q in a page of %d bytes", found, len(page))
	}
	if v, err := strconv.ParseFloat(found[1], 64); err != nil || v > .003 {
		t.Errorf("the map of the error goes up to %s", found[1])
	}
	report := parseJSON[answer.Answer](t, must(t, strings.Fields("unmix -k 3 -json -shade s.img x.bip")...))
	if again := readShade(t, "s.img", s); report.RowScaling != "unit" || report.Shade == nil ||
		float64(float32(shade[7])) != again[7] || report.Trimmed == nil ||
		!(report.Shade.Min < .8*report.Shade.Median && report.Shade.Max > 1.2*report.Shade.Median) {
		t.Errorf("%+v", report)
	}

	// The model alone gives the same shares, whatever the brightness, and the certificate.
	var dim, all strings.Builder
	for i := range shade {
		for j := range 14 {
			if v := s.values[i*14+j]; i != 5 {
				fmt.Fprintf(&all, "%s%v", []string{",", "\n"}[max(0, 1-j)], v)
				fmt.Fprintf(&dim, "%s%v", []string{",", "\n"}[max(0, 1-j)], v/8)
			}
		}
	}
	writeText(t, "dim.csv", dim.String()[1:]+"\n")
	writeText(t, "all.csv", all.String()[1:]+"\n")
	lines := strings.Split(must(t, strings.Fields("predict -model m.json -header no dim.csv")...), "\n")[1:]
	for i := range 5 {
		for j, text := range strings.Split(lines[i], ",")[1 : 1+g.Cols] {
			if v, err := strconv.ParseFloat(text, 64); err != nil || math.Abs(v-g.At(i, j)) > 1e-9 {
				t.Errorf("pixel %d: predicted %s, not %v", i, lines[i], g.Row(i))
			}
		}
	}
	for _, args := range []string{"", " -memberships g.csv"} {
		must(t, strings.Fields("predict -header no -model m.json -o g.csv all.csv")...)
		_, stdout, stderr := do(t, "",
			strings.Fields("certify -header no -json -model m.json"+args+" all.csv")...)
		var j struct{ Certificate answer.Certificate }
		if err := json.Unmarshal([]byte(stdout), &j); err != nil {
			t.Fatal(err)
		}
		c := j.Certificate
		if was := report.Certificate; math.Abs(c.Objective-was.Objective) > 1e-6*was.Objective+1e-12 ||
			math.Abs(c.Total-was.Total) > 1e-9*was.Total {
			t.Errorf("certify%s: %+v, not %+v; %s", args, c, *was, stderr)
		}
	}

	// A pixel as given has no shade of its own.
	newSynthetic(16, 12, 14).writeENVI(t, "even.bip", envi.Header{Type: 5, Interleave: "bip"}, 1)
	out = must(t, strings.Fields("unmix -k 3 -shade s.npy even.bip")...)
	if v := readShade(t, "s.npy", s); !strings.Contains(out, "varies only with the materials") ||
		slices.Min(v) != 1 || slices.Max(v) != 1 {
		t.Errorf("%s", out)
	}
	newSynthetic(12, 10, 14).writeENVI(t, "even.bip", envi.Header{Type: 5, Interleave: "bip"}, 1)
	for flags, text := range map[string]string{"-rows given": "as given (-rows given).",
		"-rows unit": "length 1 (-rows unit).", "-slack .02": ": by a slack of 0.02.",
		"-lambda .01": " is 0.01: by -lambda.",
		"-k 3":        ": by the noise of the data.",
		"-k 1":        ": by a slack of 0.25.",
		"-stream yes": ": by a slack of 0.0167, from the numbers of bands and materials."} {
		if out := must(t, strings.Fields("unmix -v -k 3 "+flags+" even.bip")...); !strings.Contains(lined(out), text) {
			t.Errorf("%s: no %q in\n%s", flags, text, out)
		}
	}
}

// Outliers are left out and listed, and get shares.
func TestUnmixTrim(t *testing.T) {
	t.Chdir(t.TempDir())
	s := newSynthetic(16, 12, 14)
	for n, i := range []int{17, 30, 60, 61, 62, 100, 150} {
		for j := range s.bands {
			s.values[i*s.bands+j] += 20 * float64((j*j+n*j)%5)
		}
	}
	s.values[0] = math.NaN() // the numbers of rows are not those of pixels
	s.writeENVI(t, "x.bil", envi.Header{Type: 5, Interleave: "bil"}, 1)
	out := must(t, strings.Fields("unmix -k 3 -trim .037 -rows given -o g.img -report p.html x.bil")...)
	const want = "7 pixels are left out of the fit as outliers: line 2, column 6; line 3, column " +
		"7; line 6, column 1; line 6, column 2; line 6, column 3; …."
	if !strings.Contains(lined(out), want) || !strings.Contains(readFile(t, "p.html"), want) {
		t.Errorf("%s", out)
	}
	report := parseJSON[answer.Answer](t,
		must(t, strings.Fields("unmix -k 3 -trim .037 -rows given -json x.bil")...))
	if len(report.Trimmed) != 7 || report.Trimmed[5] != (answer.Pixel{Line: 9, Sample: 5}) || report.Rows != 191 ||
		report.LambdaBy != "noise" || report.RowScaling != "given" || report.Shade != nil {
		t.Errorf("%+v", report)
	}
	g := abundances(t, "g.img", s, 3)
	other := softkmeans.NewMatrix(0, 3, nil)
	truth := softkmeans.NewMatrix(0, 3, nil)
	for i := range g.Rows {
		if v := g.Row(i); i > 0 && math.Abs(v[0]+v[1]+v[2]-1) > 1e-6 {
			t.Errorf("pixel %d: %v", i, v)
		}
		if i > 0 && !slices.Contains(report.Trimmed, answer.Pixel{Line: i/12 + 1, Sample: i%12 + 1}) {
			other.Data, truth.Data = append(other.Data, g.Row(i)...), append(truth.Data, s.shares.Row(i)...)
			other.Rows, truth.Rows = other.Rows+1, truth.Rows+1
		}
	}
	if far := likeness(other, truth); far > .06 {
		t.Errorf("shares are off by %v", far)
	}
}

// The shade is as free as sums of at most one.
func TestSumOf(t *testing.T) {
	for _, c := range []struct {
		m    unmix.Result
		want softkmeans.Sum
	}{{unmix.Result{Model: &softkmeans.Model{}}, softkmeans.SumToOne},
		{unmix.Result{Model: &softkmeans.Model{Sum: softkmeans.SumAtMostOne}}, softkmeans.SumAtMostOne},
		{unmix.Result{Model: &softkmeans.Model{}, Scaling: unmix.ScaleUnit}, softkmeans.SumAtMostOne}} {
		if got := sumOf(&c.m); got != c.want {
			t.Errorf("%v, not %v", got, c.want)
		}
	}
}
