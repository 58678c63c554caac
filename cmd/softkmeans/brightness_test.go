package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/internal/la"
)

// openTable is a table of mixtures times a brightness of their own, with what made it.
type openTable struct {
	path            string
	profiles, parts *softkmeans.Matrix // parts are those of the sum of a row
	rows            [][]float64
	mean            float64 // of the sums
}

// newOpenTable writes n mixtures of three profiles in 20 columns, with ids and two rows of zeros, the last one
// among them.
func newOpenTable(t *testing.T, n int) *openTable {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 8))
	o := &openTable{path: filepath.Join(t.TempDir(), "open.csv"), profiles: softkmeans.NewMatrix(3, 20, nil),
		parts: softkmeans.NewMatrix(n, 3, nil)}
	for i := range o.profiles.Data {
		o.profiles.Data[i] = math.Exp(1.2 * r.NormFloat64())
	}
	for i := range n {
		row, light, sum := make([]float64, 20), math.Exp(.5*r.NormFloat64()), 0.0
		for j := range 3 {
			share := math.Pow(r.Float64(), 3)
			if i < 9 {
				share = float64((i + j) % 3 / 2)
			}
			for c, v := range o.profiles.Row(j) {
				row[c] += light * share * v
				o.parts.Row(i)[j] += light * share * v
				sum += light * share * v
			}
		}
		for j := range 3 {
			o.parts.Row(i)[j] /= sum
		}
		total := 0.0
		for c := range row {
			row[c] += .01 * r.NormFloat64()
			total += row[c]
		}
		o.mean += total / float64(n-2)
		if i == 4 || i == n-1 {
			clear(row)
			o.mean -= total / float64(n-2)
		}
		o.rows = append(o.rows, row)
	}
	o.write(t, o.path, 1)
	return o
}

// write writes the table times a factor.
func (o *openTable) write(t *testing.T, path string, by float64) {
	t.Helper()
	var b strings.Builder
	b.WriteString("id")
	for c := range o.rows[0] {
		fmt.Fprintf(&b, ",band%d", c)
	}
	for i, row := range o.rows {
		fmt.Fprintf(&b, "\nS%02d", i)
		for _, v := range row {
			b.WriteString("," + strconv.FormatFloat(by*v, 'g', -1, 64))
		}
	}
	if err := os.WriteFile(path, []byte(b.String()+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestBrightness: parts and profiles of rows that differ in brightness are found with the default flags, by
// fit, predict, certify, report and floors alike. Rows of zeros are named and have no memberships.
func TestBrightness(t *testing.T) {
	t.Parallel()
	o := newOpenTable(t, 60)
	in := func(name string) string { return filepath.Join(filepath.Dir(o.path), name) }
	out := must(t, "fit", "-k", "auto", "-o", in("g.csv"), "-centers", in("c.csv"), "-model", in("m.json"), "-json",
		o.path)
	report := parseJSON[answer.Answer](t, out)
	notes := strings.Join(report.Notes, "\n")
	for _, part := range []string{"rows differ in brightness", "-rows given",
		"2 rows without a sum above 0 are left out, as zeros have no shares: S04, S59"} {
		if !strings.Contains(notes, part) {
			t.Errorf("no note has %q in %s", part, notes)
		}
	}
	if report.K != 3 || report.Scale != "sums" || report.Rows != 58 {
		t.Fatalf("k = %d, scale %s, %d rows", report.K, report.Scale, report.Rows)
	}
	centers, order := readTable(t, in("c.csv")), make([]int, 3)
	for j := range 3 {
		best, sum := 0.0, 0.0
		for l := range 3 {
			if v := cosine(centers.Row(j), o.profiles.Row(l)); v > best {
				best, order[j] = v, l
			}
		}
		for _, v := range centers.Row(j) {
			if sum += v; v < 0 {
				t.Errorf("a prototype has %v", v)
			}
		}
		if best < .999 || math.Abs(sum/o.mean-1) > 1e-9 {
			t.Errorf("prototype %d: cosine %v, sum %v, not %v", j, best, sum, o.mean)
		}
	}
	lines := strings.Split(strings.TrimSpace(readFile(t, in("g.csv"))), "\n")
	if !strings.HasPrefix(lines[0], "id,label,p0,p1,p2") || !strings.HasSuffix(lines[0], ",size") {
		t.Fatal(lines[0])
	}
	fields := func(line string) []string { return strings.Split(line, ",") }
	for i, line := range lines[1:] {
		row := fields(line)
		if i == 4 || i == 59 {
			if strings.ReplaceAll(line, ",", "") != fmt.Sprintf("S%02d", i) {
				t.Error(line)
			}
			continue
		}
		size, _ := strconv.ParseFloat(row[len(row)-1], 64)
		for j := range 3 { // the noise of a dark row is much of it
			v, err := strconv.ParseFloat(row[2+j], 64)
			if want := o.parts.At(i, order[j]); err != nil || math.Abs(v-want)*size > .03*o.mean {
				t.Errorf("row %d: part %v of profile %d, not %v, %v", i, v, order[j], want, err)
			}
		}
	}
	predicted(t, "-model", in("m.json"), "-o", in("p.csv"), o.path)
	if fitted, again := readFile(t, in("g.csv")), readFile(t, in("p.csv")); fitted != again {
		t.Errorf("predict differs: %.300s\n%.300s", fitted, again)
	}
	if _, out, _ := do(t, "", "certify", "-model", in("m.json"), "-json", o.path); !strings.Contains(out,
		fmt.Sprintf(`"objective": %.9g`, report.Certificate.Objective)[:22]) {
		t.Errorf("objective %v, but %s", report.Certificate.Objective, out)
	}
	o.write(t, in("bright.csv"), 8)
	predicted(t, "-model", in("m.json"), "-o", in("b.csv"), in("bright.csv"))
	again := strings.Split(readFile(t, in("b.csv")), "\n")
	for i, line := range lines[1:] {
		a, b := fields(line), fields(again[i+1])
		size, _ := strconv.ParseFloat(a[len(a)-1], 64)
		eight, _ := strconv.ParseFloat(b[len(b)-1], 64)
		if i == 4 || i == 59 {
			continue
		}
		if strings.Join(a[:5], " ") != strings.Join(b[:5], " ") || eight != 8*size {
			t.Errorf("%s, and eight times as bright %s", line, again[i+1])
		}
	}
	must(t, "report", "-k", "3", "-o", in("page.html"), "-memberships", in("r.csv"), o.path)
	if readFile(t, in("r.csv")) != readFile(t, in("g.csv")) ||
		!strings.Contains(readFile(t, in("page.html")), "rows are divided by their sums") {
		t.Error("the page has other memberships, or does not say what was done")
	}
	if text := must(t, "floors", o.path); !strings.Contains(text, "rows differ in brightness") && !strings.Contains(text,
		"Rows differ in brightness") || !strings.Contains(text, "* 3") && !strings.Contains(text, "*     3") {
		t.Error(text)
	}
}

// TestSentences: in a note that says several things each sentence begins with a capital letter.
func TestSentences(t *testing.T) {
	o := newOpenTable(t, 60)
	for i, row := range o.rows { // 80 columns of other spreads: a note says that they are taken for one unit
		for c := range 60 {
			o.rows[i] = append(o.rows[i], row[c%20]*math.Pow(10, -float64(c/20)))
		}
	}
	o.write(t, o.path, 1)
	report := parseJSON[answer.Answer](t, must(t, "fit", "-k", "3", "-json", o.path))
	notes := strings.Join(report.Notes, "\n")
	small := regexp.MustCompile(`\. \p{Ll}`)
	if !strings.Contains(notes, ". Rows differ in brightness") || small.MatchString(notes) {
		t.Error(notes)
	}
}

// TestBrightnessFlags: -rows, and what takes brightness away.
func TestBrightnessFlags(t *testing.T) {
	t.Parallel()
	o := newOpenTable(t, 60)
	scaleOf := func(args ...string) string {
		return parseJSON[answer.Answer](t, must(t, append(append([]string{"fit", "-k", "3", "-json"},
			args...), o.path)...)).Scale
	}
	for words, want := range map[string]string{
		"-rows auto": "sums", "-rows unit": "sums", "-scale none": "sums", "-bootstrap 2": "sums",
		"-bounds none": "sums", "-method global -rows unit": "sums", "-method alternating -rows unit": "sums",
		"-rows given": "none", "-method global": "none", "-sum at-most-one": "none", "-bounds 0,5": "none",
		"-k 4": "none", "-scale zscore": "zscore",
	} {
		if got := scaleOf(strings.Fields(words)...); got != want {
			t.Errorf("%s: scale %s, not %s", words, got, want)
		}
	}
	for words, want := range map[string]string{
		"-rows unit -scale zscore": "-scale none alone", "-rows unit -sum at-most-one": "add up to 1",
		"-rows unit -stream yes": "sums of all rows", "-rows unit -method tilsd": "weighs rows",
		"-rows length": "must be auto, given or unit",
	} {
		code, _, stderr := do(t, "", append(append([]string{"fit", "-k", "3"}, strings.Fields(words)...), o.path)...)
		if code != 2 || !strings.Contains(stderr, want) {
			t.Errorf("%s: code %d, %s", words, code, stderr)
		}
	}
	gap := filepath.Join(t.TempDir(), "gap.csv")
	text := strings.Replace(readFile(t, o.path), "\nS03,", "\nS03,NA", 1)
	for path, text := range map[string]string{gap: text, gap + "0": "a,b\n0,0\n0,0\n-1,1\n"} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if code, _, stderr := do(t, "", "fit", "-k", "2", "-rows", "unit", path); code != 1 {
			t.Errorf("code %d, %s", code, stderr)
		}
	}
}

// TestBrightnessKnown: a known prototype is a profile if rows differ in brightness. Its factor does not matter,
// outputs have it at the mean sum, and memberships are the parts of the sums of rows, also in a model.
func TestBrightnessKnown(t *testing.T) {
	t.Parallel()
	o := newOpenTable(t, 60)
	in := func(name string) string { return filepath.Join(filepath.Dir(o.path), name) }
	library := func(m int, factors ...float64) string {
		var b strings.Builder
		b.WriteString("name")
		for c := range o.profiles.Cols {
			fmt.Fprintf(&b, ",band%d", c)
		}
		for j := range m {
			fmt.Fprintf(&b, "\nm%d", j)
			for _, v := range o.profiles.Row(j) {
				fmt.Fprintf(&b, ",%v", factors[j]*v)
			}
		}
		return writeText(t, in("known.csv"), b.String()+"\n")
	}
	fit := func(known string, flags ...string) string {
		return must(t, append(append([]string{"fit", "-k", "3", "-known", known, "-o", in("g.csv"), "-centers",
			in("c.csv"), "-model", in("m.json")}, flags...), o.path)...)
	}
	for m := 1; m <= 3; m++ {
		names := slices.Concat([]string{"m0", "m1", "m2"}[:m], []string{"p0", "p1", "p2"}[m:])
		var first [][]float64
		for _, way := range []string{"auto", "unit"} {
			known := library(m, 1, 1, 1)
			if way == "unit" {
				known = library(m, 100, 1e-3, 7)
			}
			report := strings.Join(strings.Fields(fit(known, "-rows", way)), " ")
			if !strings.Contains(report, "scaled to the mean sum of a row: m0") {
				t.Errorf("no note on the known prototypes in %s", report)
			}
			centers := readTable(t, in("c.csv"), "1")
			for j := range 3 {
				if sum := la.Sum(centers.Row(j)); !near(sum/o.mean, 1, 1e-9) {
					t.Errorf("%d known: prototype %d has the sum %v, not %v", m, j, sum, o.mean)
				}
			}
			g, _ := shares(t, readFile(t, in("g.csv")), names...)
			for i, row := range g {
				size := la.Sum(o.rows[i]) / o.mean
				for j, v := range row[:m] {
					if size > 0 && !near(v*size, o.parts.At(i, j)*size, .03) {
						t.Errorf("%d known: row %d: part %v of profile %d, not %v", m, i, v, j, o.parts.At(i, j))
					}
				}
			}
			predicted(t, "-model", in("m.json"), "-o", in("p.csv"), o.path)
			again, _ := shares(t, readFile(t, in("p.csv")), "p0", "p1", "p2")
			for i := range g {
				if i == 4 || i == 59 { // zeros
					g[i], again[i] = nil, nil
				}
			}
			sameShares(t, "predict -model", again, g, 1e-9)
			if first == nil {
				first = g
			}
			sameShares(t, "-rows unit, with other factors", g, first, 1e-6)
		}
	}
	if report := fit(library(1, 1), "-rows", "given"); strings.Contains(report, "mean sum of a row") {
		t.Errorf("-rows given: %s", report)
	}
	code, _, stderr := do(t, "", "fit", "-k", "3", "-known", library(2, 1, 0), "-rows", "unit", o.path)
	if code != 1 || !strings.Contains(stderr, "m1 has no sum above 0") {
		t.Errorf("code %d, %s", code, stderr)
	}
}
