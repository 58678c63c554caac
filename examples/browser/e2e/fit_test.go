package e2e

import (
	"bytes"
	"context"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"softkmeans"
	"softkmeans/choosek"
	"softkmeans/metrics"
	"softkmeans/modelfile"
)

// readCSV reads a table of testdata, without this repository's reader.
func readCSV(t *testing.T, name string) *softkmeans.Matrix {
	t.Helper()
	f, err := os.Open(filepath.Join(root, "testdata", name+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]float64
	for _, r := range records {
		var row []float64
		for _, s := range r {
			v, err := strconv.ParseFloat(s, 64)
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, v)
		}
		rows = append(rows, row)
	}
	x, err := softkmeans.FromRows(rows)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func labelsOf(t *testing.T, name string) (labels []int) {
	m := readCSV(t, name+".labels")
	for i := range m.Rows {
		labels = append(labels, int(m.At(i, 0)))
	}
	return labels
}

func standardize(x *softkmeans.Matrix) {
	for j := range x.Cols {
		var sum, squares float64
		for i := range x.Rows {
			sum += x.At(i, j)
		}
		mean := sum / float64(x.Rows)
		for i := range x.Rows {
			squares += (x.At(i, j) - mean) * (x.At(i, j) - mean)
		}
		for i := range x.Rows {
			if squares > 0 {
				x.Set(i, j, (x.At(i, j)-mean)/math.Sqrt(squares/float64(x.Rows)))
			} else {
				x.Set(i, j, 0)
			}
		}
	}
}

// number is what an element shows, as a number.
func (p *page) number(id string) float64 {
	p.Helper()
	v, err := strconv.ParseFloat(strings.TrimSuffix(p.text(id), " %"), 64)
	if err != nil {
		p.Fatalf("%s: %v", id, err)
	}
	return v
}

func (p *page) near(id string, want, relative float64) {
	p.Helper()
	if got := p.number(id); !(math.Abs(got-want) <= relative*math.Abs(want)) {
		p.Errorf("%s is %v on the page, %v natively", id, got, want)
	}
}

// compare compares the numbers on the page to those of a native fit.
func (p *page) compare(m *softkmeans.Model, truth []int) {
	p.Helper()
	// The page shows seven digits; an iteration may end with other last digits.
	p.near("objective", m.Objective, 1e-5)
	p.near("floor", m.Floor, 1e-6)
	accuracy, err := metrics.Accuracy(truth, m.Labels(nil))
	if err != nil {
		p.Fatal(err)
	}
	nmi, err := metrics.NMI(truth, m.Labels(nil))
	if err != nil {
		p.Fatal(err)
	}
	p.near("accuracy", 100*accuracy, 2e-3)
	p.near("nmi", nmi, 2e-3)
}

var background = context.Background()

// The numbers of the page are those of the package, for every method.
func TestNumbers(t *testing.T) {
	eachBuild(t, func(t *testing.T, dir string) {
		p := open(t, dir, 1360, 900)
		iris, truth := readCSV(t, "iris"), labelsOf(t, "iris")
		above := &softkmeans.MinVolumeOptions{NonNegative: true} // as the entries of iris are
		m, err := softkmeans.FitMinVolume(background, iris, 3, above)
		if err != nil {
			t.Fatal(err)
		}
		p.compare(m, truth)
		if got := p.text("above"); got != "25.0 %" {
			t.Errorf("the minimal volume is %s above the floor", got)
		}
		p.pictures("scatter", "ternary", "centers", "memberships", "floors", "trace")

		p.after(click("[value=global]"))
		if m, err = softkmeans.Fit(background, iris, 3, nil); err != nil {
			t.Fatal(err)
		}
		p.compare(m, truth)
		if got := p.text("verdict"); !strings.HasSuffix(got, proved) {
			t.Errorf("the verdict of the global solution is %q", got)
		}
		p.pictures("scatter", "ternary", "centers", "memberships", "floors")

		p.after(chromedp.SetValue("#enclosure", "tight", chromedp.ByQuery))
		if m, err = softkmeans.Fit(background, iris, 3, &softkmeans.Options{Enclosure: softkmeans.EnclosureTight}); err != nil {
			t.Fatal(err)
		}
		p.compare(m, truth)

		p.after(click("[value=alternating]"))
		if m, err = softkmeans.FitAlternating(background, iris, 3, above); err != nil {
			t.Fatal(err)
		}
		p.compare(m, truth)

		p.checkProposal(iris)
		p.after(click("[value=minvol]"))
		p.after(click("[data-set=wine]"))
		wine := readCSV(t, "wine")
		standardize(wine)
		if m, err = softkmeans.FitMinVolume(background, wine, 3, nil); err != nil {
			t.Fatal(err)
		}
		p.compare(m, labelsOf(t, "wine"))
		p.quiet()
	})
}

// proved is the end of a verdict on the global solution.
const proved = " can explain more (proved)."

// checkProposal pastes the table and fits the proposed number of prototypes.
func (p *page) checkProposal(x *softkmeans.Matrix) {
	p.Helper()
	floors, err := softkmeans.Floors(background, x, nil)
	if err != nil {
		p.Fatal(err)
	}
	choice, err := choosek.Choose(background, x, nil)
	if err != nil {
		p.Fatal(err)
	}
	var text strings.Builder
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			text.WriteString([]string{"", ","}[min(j, 1)] + strconv.FormatFloat(v, 'g', -1, 64))
		}
		text.WriteString("\n")
	}
	p.after(chromedp.Evaluate(`document.getElementById("text").value = `+strconv.Quote(text.String())+`; document.getElementById("paste").click()`, nil))
	p.after(chromedp.SetValue("#k", strconv.Itoa(choice.K+1), chromedp.ByQuery))
	p.after(click("#propose"))
	var k string
	p.eval(`document.getElementById("k").value`, &k)
	if k != strconv.Itoa(choice.K) {
		p.Errorf("the proposed k is %s, natively %d", k, choice.K)
	}
	p.near("floor", floors[choice.K-1], 1e-6)
	p.pictures("scatter", "centers", "memberships", "floors", "trace")
}

// pictures fails unless the page shows these pictures, each with a path and with a name
// for screen readers.
func (p *page) pictures(names ...string) {
	p.Helper()
	var shown []string
	p.eval(`[...document.querySelectorAll("[data-picture]:not([hidden])")].filter((f) =>
		f.querySelector("svg[role=img] path[d]") && document.getElementById(f.querySelector("svg").getAttribute("aria-labelledby").split(" ")[0])?.textContent)
		.map((f) => f.dataset.picture)`, &shown)
	if !slices.Equal(shown, names) {
		p.Errorf("the pictures are %q, not %q", shown, names)
	}
}

// slide moves the slider and sends its event. A fit follows when the slider has rested.
func slide(value int) chromedp.Action {
	return chromedp.Evaluate(`{const s = document.getElementById("slack"); s.value = `+strconv.Itoa(value)+`; s.dispatchEvent(new Event("input", {bubbles: true}))}`, nil)
}

// resting makes the slider rest when the test calls window.rested, and not after some time. So a preview stays
// until it was looked at.
const resting = `{const later = setTimeout; window.setTimeout = (f, ms, ...rest) => {
	if (ms !== 250) return later(f, ms, ...rest);
	window.rested = f; }}`

// The slider moves the prototypes at once, from the global simplex inwards, and
// fits them exactly when it rests.
func TestSlider(t *testing.T) {
	eachBuild(t, func(t *testing.T, dir string) {
		p := open(t, dir, 1360, 900)
		p.is(`document.body.dataset.path === "done"`)
		p.run(chromedp.Evaluate(resting, nil))
		rested := chromedp.Evaluate(`rested()`, nil)
		sizes := map[int]float64{}
		for _, at := range []int{90, 70, 50, 30, 10, 2} {
			p.run(slide(at))
			p.is(`document.getElementById("answer").textContent.includes("A preview")`)
			slack := float64(at*at) / 100
			if got := p.number("above"); math.Abs(got-slack) > 2+slack/10 {
				t.Errorf("a slack of %v %% shows prototypes %v %% above the floor", slack, got)
			}
			var size float64 // of the outline of prototypes
			p.eval(`(() => {const b = document.querySelector("[data-picture=scatter] .sk-current path").getBBox(); return b.width * b.height})()`, &size)
			sizes[at] = size
			p.after(rested) // the exact fit
		}
		for _, pair := range [][2]int{{90, 50}, {50, 10}, {10, 2}} {
			if !(sizes[pair[0]] < sizes[pair[1]]) {
				t.Errorf("the simplex does not contract as the slack grows: %v", sizes)
			}
		}
		p.after(slide(0), rested)
		if got := p.text("verdict"); !strings.HasSuffix(got, proved) {
			t.Errorf("without slack the verdict is %q", got)
		}
		p.after(slide(80), rested)
		m, err := softkmeans.FitMinVolume(background, readCSV(t, "iris"), 3, &softkmeans.MinVolumeOptions{Slack: .64, NonNegative: true})
		if err != nil {
			t.Fatal(err)
		}
		p.compare(m, labelsOf(t, "iris"))
		p.quiet()
	})
}

// The downloaded files have the package's results, and the package reads the model.
func TestDownloads(t *testing.T) {
	eachBuild(t, func(t *testing.T, dir string) {
		p := open(t, dir, 1360, 900)
		p.after(click("[data-set=wine]"))
		wine := readCSV(t, "wine")
		standardize(wine)
		want, err := softkmeans.FitMinVolume(background, wine, 3, nil)
		if err != nil {
			t.Fatal(err)
		}
		saved := p.download("model")
		f, err := modelfile.Read(bytes.NewReader(saved))
		if err != nil || f.Method != "minvol" || f.Scale != "zscore" || f.Rows != wine.Rows {
			t.Fatalf("%+v, %v", f, err)
		}
		m := f.Model
		if m.Memberships, err = m.Predict(nil, wine); err != nil {
			t.Fatal(err)
		}
		if m.Clusters, err = m.PredictLabels(nil, wine); err != nil {
			t.Fatal(err)
		}
		// The objectives differ by about 1e-5, which moves centers more.
		const tolerance = 2e-2
		apart(t, "centers", m.Centers, want.Centers, tolerance)
		apart(t, "memberships", m.Memberships, want.Memberships, tolerance)
		p.checkMemberships(m)
		records, err := csv.NewReader(strings.NewReader(string(p.download("centers")))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(records[0], ","); got != strings.Join(f.Columns, ",") || len(records) != 4 {
			t.Errorf("the header is %q, and there are %d lines", got, len(records))
		}
		for i, r := range records[1:] {
			for j, text := range r {
				if v, err := strconv.ParseFloat(text, 64); err != nil || math.Abs(v-f.Centers.At(i, j)) > 1e-12*math.Abs(v) {
					t.Errorf("center %d is %v in column %d, not %s", i, f.Centers.At(i, j), j, text)
				}
			}
		}
		// The model shows itself again, with the table as it is.
		objective := p.text("objective")
		p.after(chromedp.SetValue("#standardize", "no", chromedp.ByQuery))
		p.drop("m.json", string(saved))
		p.is(`document.getElementById("objective").textContent === "` + objective + `"`)
		if got := p.download("model"); !bytes.Equal(got[:100], saved[:100]) {
			t.Errorf("the model is saved as\n%s", got)
		}
		p.quiet()
	})
}

// checkMemberships compares the file of memberships of wine to the model.
func (p *page) checkMemberships(m *softkmeans.Model) {
	p.Helper()
	records, err := csv.NewReader(strings.NewReader(string(p.download("memberships")))).ReadAll()
	if err != nil {
		p.Fatal(err)
	}
	if got := strings.Join(records[0], ","); got != "class,label,p0,p1,p2,cluster,largest,probability" {
		p.Errorf("the header is %q", got)
	}
	labels, truth := m.Labels(nil), labelsOf(p.T, "wine")
	if len(records) != len(truth)+1 {
		p.Fatalf("%d lines for %d rows", len(records), len(truth))
	}
	for i, r := range records[1:] {
		if r[1] != strconv.Itoa(labels[i]) || r[0] != "cultivar "+strconv.Itoa(truth[i]+1) {
			p.Fatalf("row %d is %v", i, r)
		}
		for j, s := range r[2:5] {
			if v, err := strconv.ParseFloat(s, 64); err != nil || !(math.Abs(v-m.Memberships.At(i, j)) <= 1e-9) {
				p.Fatalf("row %d is %v, the model has %v", i, r, m.Memberships.Row(i))
			}
		}
	}
}

func apart(t *testing.T, what string, got, want *softkmeans.Matrix, tolerance float64) {
	t.Helper()
	if got.Rows != want.Rows || got.Cols != want.Cols {
		t.Fatalf("%s are %d×%d, not %d×%d", what, got.Rows, got.Cols, want.Rows, want.Cols)
	}
	var far float64
	for i := range got.Rows {
		for j := range got.Cols {
			far = max(far, math.Abs(got.At(i, j)-want.At(i, j)))
		}
	}
	t.Logf("%s differ by up to %.2g", what, far)
	if !(far <= tolerance) {
		t.Errorf("%s differ by %v from the native ones", what, far)
	}
}

// download is the file that the page saves.
func (p *page) download(what string) []byte {
	p.Helper()
	p.run(click("[data-save=" + what + "]"))
	select {
	case name := <-p.saved:
		data, err := os.ReadFile(filepath.Join(p.downloads, name))
		if err != nil {
			p.Fatal(err)
		}
		return data
	case <-time.After(hang):
		p.Fatalf("no download of %s", what)
		return nil
	}
}
