package report

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/internal/cube"
	"softkmeans/internal/tables"
	"softkmeans/internal/view"
	"softkmeans/unmix"
)

// sceneOf is the page of a synthetic image of three materials: the first fills the left,
// the second the right, and the third is in the middle. The upper left pixel has no data.
func sceneOf(t *testing.T, lines, samples int) *Scene {
	t.Helper()
	const d = 40
	r := rand.New(rand.NewPCG(1, 2))
	x := softkmeans.NewMatrix(lines*samples-1, d, nil)
	var at []int
	for i := range x.Rows {
		p := i + 1
		at = append(at, p)
		c := float64(p%samples) / float64(samples-1)
		g := [3]float64{max(0, 1-2*c), max(0, 2*c-1), 1 - math.Abs(1-2*c)}
		for j := range d {
			u := float64(j) / d
			x.Set(i, j, g[0]*u+g[1]*(1-u)+g[2]*.8*math.Exp(-30*(u-.5)*(u-.5))+.01*r.NormFloat64())
		}
	}
	m := tables.Must(softkmeans.FitMinVolume(t.Context(), x, 3, nil))(t)
	s := &Scene{Page: sceneAnswer("dir/field.bil", m), Lines: lines, Samples: samples,
		Pictured: true, Unit: "Nanometers", Model: &unmix.Result{Model: m}}
	for j := range d {
		s.Bands, s.Wavelengths = append(s.Bands, j+j/20), append(s.Wavelengths, 400+10*float64(j+j/20))
	}
	s.Begin(x)
	s.Add(cube.Rect{Lines: lines, Samples: samples}, at, x, m.Memberships, nil)
	return s
}

// sceneAnswer is a page with the answer of a fit.
func sceneAnswer(source string, m *softkmeans.Model) Page {
	p, k := pageOf(source), m.Centers.Rows
	a := p.Answer
	a.About, a.Notes, a.Rows, a.K = source+": an image", []string{"1 pixel is left out"}, m.Memberships.Rows, k
	a.Scene = &answer.Scene{Shares: make([]float64, k), Pure: make([]int, k)}
	a.Sizes = make([]int, k)
	for j, name := range view.Names(k) {
		a.Prototypes = append(a.Prototypes, answer.Prototype{Name: name})
		for i := range a.Rows {
			a.Shares[j] += m.Memberships.At(i, j) / float64(a.Rows)
		}
	}
	q := answer.Quality{Certificate: m.Certificate, K: k, Noun: "material", Tol: view.CertifiedTol}
	a.Certificate, a.Sentence, a.Quality = q.JSON(), q.Sentence(), q.Sentences()
	return p
}

// decoded are the images of a page, by their alternative texts. Scales have none.
func decoded(t *testing.T, all []*element) map[string]image.Image {
	t.Helper()
	images := map[string]image.Image{}
	for _, e := range named(all, "img") {
		text, ok := strings.CutPrefix(e.attr["src"], "data:image/png;base64,")
		b, err := base64.StdEncoding.DecodeString(text)
		if !ok || err != nil {
			t.Fatalf("%.60q: %v", e.attr["src"], err)
		}
		img := tables.Must(png.Decode(bytes.NewReader(b)))(t)
		images[e.attr["alt"]] = img
	}
	return images
}

// The page has a map of each material, and what it says of a pixel is what was found.
func TestScene(t *testing.T) {
	s := sceneOf(t, 12, 20)
	text := tables.Must(s.HTML())(t)
	page, all := string(text), parse(t, text)
	for _, want := range []string{"<h1>field.bil</h1>", "3 materials explain ", "1 pixel is left out.",
		"wavelength (nm)", "no 3 can explain ", "softkmeans v1.2.3",
		`http-equiv="Content-Security-Policy"`, " nm), ", "p0</h3>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if strings.Contains(page, "ZgotmplZ") || strings.Contains(page, "http://") &&
		strings.Contains(strings.ReplaceAll(page, "http://www.w3.org/2000/svg", ""), "http://") {
		t.Error("the page is not complete in itself")
	}
	images := decoded(t, all)
	maps := 0
	for alt, img := range images {
		if alt == "" {
			continue
		}
		maps++
		if img.Bounds() != image.Rect(0, 0, 20, 12) {
			t.Errorf("%s: %v", alt, img.Bounds())
		}
		if _, _, _, a := img.At(0, 0).RGBA(); a != 0 {
			t.Errorf("%s: the pixel without data is not transparent", alt)
		}
		if _, _, _, a := img.At(1, 0).RGBA(); a == 0 {
			t.Errorf("%s: a pixel is transparent", alt)
		}
	}
	if maps != 5 || len(images) != 6 {
		t.Errorf("%d maps, %d images", maps, len(images))
	}
	for j := range 3 { // every pixel has the color of its share
		var img *image.Paletted
		for alt, i := range images {
			if strings.HasPrefix(alt, "Map of the share of p"+string(rune('0'+j))) {
				img = i.(*image.Paletted)
			}
		}
		for i := range s.Answer.Rows {
			p := i + 1
			if got, want := img.ColorIndexAt(p%20, p/20),
				uint8(1+math.Round(254*s.Model.Memberships.At(i, j))); got != want {
				t.Fatalf("p%d at %d has color %d, want %d", j, p, got, want)
			}
		}
	}
	if strings.Contains(page, `class="sk-line sk-c0 sk-other"`) {
		t.Error("dotted spectra without other answers")
	}
	s.Model.Others = []softkmeans.Answer{{Centers: s.Model.Centers}, {Centers: s.Model.Centers.Clone()}}
	more, err := s.HTML()
	if n := strings.Count(string(more), "sk-other\" d="); err != nil || n != 6 ||
		!strings.Contains(string(more), "Dotted: with half") {
		t.Errorf("%d dotted spectra of two other answers, %v", n, err)
	}
	again, err := sceneOf(t, 12, 20).HTML()
	if err != nil || !bytes.Equal(again, text) {
		t.Error("the page differs from the one before", err)
	}
}

// With shade the page has a map of it, and the error is that of shade times mixture.
func TestSceneShade(t *testing.T) {
	const d = 6
	r := rand.New(rand.NewPCG(5, 6))
	x := softkmeans.NewMatrix(80, d, nil)
	for i := range x.Rows {
		g, bright := float64(i%10)/9, 1+.5*r.Float64()
		for j := range d {
			x.Set(i, j, bright*(g*float64(1+j)+(1-g)*float64(d-j)))
		}
	}
	x.Set(79, 0, 9) // leaves an error
	m, err := unmix.Fit(t.Context(), x, 2,
		&unmix.Options{Scaling: unmix.ScaleUnit, Trim: .02})
	if err != nil || len(m.Trimmed) != 1 {
		t.Fatalf("%v, %v", err, m.Trimmed)
	}
	s := &Scene{Page: sceneAnswer("x.npy", m.Model), Lines: 8, Samples: 10, Pictured: true,
		Bands: []int{0, 1, 2, 3, 4, 5}, Model: m}
	s.Begin(x)
	var at []int
	for i := range x.Rows {
		at = append(at, i)
	}
	s.Add(cube.Rect{Lines: 8, Samples: 10}, at, x, m.Memberships, m.Brightness)
	for i, v := range s.maps.residual {
		if i < 79 && v > 1e-3 || i == 79 && v < .1 {
			t.Errorf("pixel %d has the mean square %v", i, v)
		}
	}
	text := tables.Must(s.HTML())(t)
	hi := slices.Max(m.Brightness)
	for alt, img := range decoded(t, parse(t, text)) {
		if !strings.HasPrefix(alt, "Map of the brightness") {
			continue
		}
		for i, v := range m.Brightness {
			if got, want := img.(*image.Paletted).ColorIndexAt(i%10, i/10),
				uint8(1+math.Round(254*v/hi)); got != want {
				t.Fatalf("pixel %d has color %d, want %d", i, got, want)
			}
		}
		return
	}
	t.Error("the page has no map of the brightness")
}

// A large image is shown smaller, cells being means of pixels. One without places has no
// maps.
func TestSceneSizes(t *testing.T) {
	var m maps
	m.begin(1, 1025, 1)
	for i := range 1025 {
		m.add(0, i, []float64{float64(i % 3)}, 1, 2, [3]float64{1, 0, .5})
	}
	if m.each != 3 || m.lines != 1 || m.samples != 342 {
		t.Fatalf("%d, %d×%d", m.each, m.lines, m.samples)
	}
	if share := m.mean(m.shares[0]); share[0] != 1 || share[340] != 1 || share[341] != .5 ||
		m.mean(m.residual)[7] != 2 || m.most[0] != (peak{0, 2, 2}) {
		t.Errorf("%v, %+v", share[338:], m.most)
	}
	s := sceneOf(t, 12, 20)
	s.Pictured = false
	text := tables.Must(s.HTML())(t)
	if parse(t, text); bytes.Contains(text, []byte("<img")) {
		t.Error("a page without places has maps")
	}
}

// Three bands far apart are taken, bright where the pixels are.
func TestColors(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	smooth, noise := softkmeans.NewMatrix(200, 60, nil), softkmeans.NewMatrix(200, 60, nil)
	for i := range 200 {
		a, b, c := r.Float64(), r.Float64(), r.Float64()
		for j := range 60 {
			u := float64(j) / 59
			smooth.Set(i, j, a*u+b*u*u+c)
			noise.Set(i, j, .3*a+r.Float64())
		}
	}
	got := chooseColors(smooth)
	if c := got.columns; len(c) != 3 || c[0] < c[1]+6 || c[1] < c[2]+6 || got.share < .95 {
		t.Errorf("%v with %v", c, got.share)
	}
	for _, x := range []*softkmeans.Matrix{smooth, noise} {
		c := chooseColors(x)
		for i := range 3 {
			dark, bright := 0, 0
			for p := range x.Rows {
				v := c.of(x.Row(p))[i]
				if v == 0 {
					dark++
				}
				if v == 1 {
					bright++
				}
			}
			if dark < 3 || dark > 10 || bright < 3 || bright > 10 {
				t.Errorf("%d dark and %d bright of 200", dark, bright)
			}
		}
	}
	// Equal pixels, one band, none.
	for _, x := range []*softkmeans.Matrix{softkmeans.NewMatrix(4, 3, nil),
		softkmeans.NewMatrix(1, 1, []float64{2}), {Cols: 3}} {
		c := chooseColors(x)
		for _, v := range c.of(make([]float64, x.Cols)) {
			if !(v >= 0 && v <= 1) {
				t.Errorf("%v", v)
			}
		}
	}
}
