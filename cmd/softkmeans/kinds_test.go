package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/answer"
)

var trade = filepath.Join("..", "..", "testdata", "tables", "trade")

// The signatures that made the counts are found, by the default method and flags. Predict repeats the
// shares and sizes, and certify the objective.
func TestCounts(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	counts := filepath.Join(trade, "counts_types_by_samples.csv")
	out := must(t, "fit", "-k", "auto", "-o", in("g.csv"), "-centers", in("c.csv"), "-model", in("m.json"),
		"-json", counts)
	report := parseJSON[answer.Answer](t, out)
	notes := strings.Join(report.Notes, "\n")
	for _, part := range []string{"the numbers are counts", "-scale none", "kept at 0 or above",
		"(-bounds)"} {
		if !strings.Contains(notes, part) {
			t.Errorf("no note has %q in %s", part, notes)
		}
	}
	centers, truth := readTable(t, in("c.csv")), softkmeans.NewMatrix(4, 48, nil)
	for j, line := range strings.Split(strings.TrimSpace(readFile(t, filepath.Join(trade,
		"counts_signatures.csv"))), "\n")[1:] {
		for i, v := range strings.Split(line, ",")[1:] {
			if _, err := fmt.Sscan(v, &truth.Row(i)[j]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if centers.Rows != 4 {
		t.Fatalf("k = %d", centers.Rows)
	}
	for i := range 4 {
		best, sum := 0.0, 0.0
		for j := range 4 {
			best = max(best, cosine(centers.Row(j), truth.Row(i)))
		}
		if best < .98 {
			t.Errorf("signature %d is found at a cosine of %v", i+1, best)
		}
		for _, v := range centers.Row(i) {
			if sum += v; v < 0 {
				t.Errorf("a center has %v", v)
			}
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("a center adds up to %v", sum)
		}
	}
	predicted(t, "-model", in("m.json"), "-o", in("p.csv"), counts)
	fitted, predicted := readFile(t, in("g.csv")), readFile(t, in("p.csv"))
	if fitted != predicted || !strings.HasPrefix(fitted, "id,label,p0,p1,p2,p3,cluster,largest,probability,size\nP00,") ||
		!strings.Contains(fitted, ",4009\n") {
		t.Errorf("%.200s\n%.200s", fitted, predicted)
	}
	if _, out, _ := do(t, "", "certify", "-model", in("m.json"), "-json", counts); !strings.Contains(out,
		fmt.Sprintf(`"objective": %.9g`, report.Certificate.Objective)[:22]) {
		t.Errorf("objective %v, but %s", report.Certificate.Objective, out)
	}
	if file, err := parseModel([]byte(readFile(t, in("m.json")))); err != nil || file.Scale != "counts" ||
		!slices.Equal(file.Lower, []float64{0}) || file.Upper != nil {
		t.Errorf("%v, %v", file, err)
	}
	raw := parseJSON[answer.Answer](t, must(t, "fit", "-k", "4", "-scale", "none", "-json", counts))
	if raw.Bounds == nil || strings.Contains(strings.Join(raw.Notes, "\n"), "counts") {
		t.Errorf("%+v", raw.Notes)
	}
}

func cosine(a, b []float64) float64 {
	var across, aa, bb float64
	for j, v := range a {
		across, aa, bb = across+v*b[j], aa+v*v, bb+b[j]*b[j]
	}
	return across / math.Sqrt(aa*bb)
}

// turnedCounts writes the counts with their samples in rows, divided by some number, and returns the name.
func turnedCounts(t *testing.T, by float64) string {
	x := readTable(t, filepath.Join(trade, "counts_types_by_samples.csv"), "1")
	var b strings.Builder
	for i := -1; i < x.Cols; i++ {
		for j := range x.Rows {
			if i < 0 {
				fmt.Fprintf(&b, "t%d", j+1)
			} else {
				fmt.Fprint(&b, math.Round(x.At(j, i)/by))
			}
			b.WriteString([...]string{",", "\n"}[(j+1)/x.Rows])
		}
	}
	name := filepath.Join(t.TempDir(), "counts.csv")
	if err := os.WriteFile(name, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// Small samples differ more from their mixtures, which is no reason for a warning. Tables in blocks and
// sparse ones are not taken as counts, and a note says so.
func TestCountsElsewhere(t *testing.T) {
	t.Parallel()
	counts := turnedCounts(t, 1)
	model := filepath.Join(t.TempDir(), "m.json")
	must(t, "fit", "-k", "4", "-model", model, counts)
	for by, want := range map[float64]bool{1: false, 30: false, .1: true} {
		_, out, _ := do(t, "", "predict", "-model", model, "-json", "-o", model+".csv", turnedCounts(t, by))
		if got := strings.Contains(out, "farther from the prototypes"); got != want {
			t.Errorf("counts divided by %v: %v", by, out)
		}
	}
	out := must(t, "fit", "-k", "4", "-stream", "yes", counts)
	if !strings.Contains(out, "The first rows are counts") {
		t.Errorf("%.400s", out)
	}
	if out := must(t, "floors", filepath.Join(trade, "tenx")); !strings.Contains(out,
		"may be counts; if they are, use -scale counts") {
		t.Errorf("%.400s", out)
	}
}

// Shares of counts in signatures that are known are by the noise of counts: no row is outside but one that
// is no mixture.
func TestKnownCounts(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	odd := filepath.Join(folder, "odd.csv")
	text := readFile(t, filepath.Join(trade, "counts_types_by_samples.csv"))
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, more := range slices.Concat([]string{",ODD"}, slices.Repeat([]string{",0"}, 40), []string{",3000"},
		slices.Repeat([]string{",0"}, 7)) {
		lines[i] += more
	}
	if err := os.WriteFile(odd, []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	out := must(t, "predict", "-centers", filepath.Join(trade, "counts_signatures.csv"), "-json", "-o",
		filepath.Join(folder, "g.csv"), odd)
	report := parseJSON[answer.Answer](t, out)
	if report.Outside != 1 || report.Farthest[0].ID != "ODD" ||
		!strings.Contains(strings.Join(report.Notes, "\n"), "the numbers are counts") {
		t.Errorf("%s", out)
	}
}

// Percent are not standardized, and prototypes keep their sum and are not below 0.
func TestPartsOfAWhole(t *testing.T) {
	t.Parallel()
	sizes := filepath.Join(trade, "grain_sizes_percent.csv")
	for flags, want := range map[string]string{
		"": "rows add up to 100, as parts of a whole: columns are not standardized " +
			"(-scale zscore does). Prototypes are kept at 0 or above (-bounds)",
		"-bounds none":   "rows add up to 100",
		"-method global": "rows add up to 100",
	} {
		args := append(strings.Fields("fit -k 3 -json "+flags), sizes)
		report := parseJSON[answer.Answer](t, must(t, args...))
		notes, kept := strings.Join(report.Notes, "\n"), flags == ""
		if !strings.Contains(notes, want) || report.Scale != "none" ||
			strings.Contains(notes, "kept at 0") != kept || (report.Bounds != nil) != kept {
			t.Errorf("%s: %s, scale %s, %+v", flags, notes, report.Scale, report.Bounds)
		}
		for i, center := range report.Centers {
			sum := 0.0
			for _, v := range center {
				if sum += v; v < 0 && flags == "" {
					t.Errorf("prototype %d has %v", i, v)
				}
			}
			if math.Abs(sum-100) > 1e-3 {
				t.Errorf("%s: prototype %d adds up to %v", flags, i, sum)
			}
		}
	}
	if report := parseJSON[answer.Answer](t, must(t, "fit", "-k", "3", "-scale", "zscore", "-json",
		sizes)); report.Bounds != nil || report.Scale != "zscore" {
		t.Errorf("%+v", report)
	}
}

func TestTotal(t *testing.T) {
	t.Parallel()
	air := filepath.Join(trade, "air_con.csv")
	if out := must(t, "fit", "-k", "2", "-id", "Date", "-encode", "drop", air); strings.Count(lined(out),
		"-drop Mass leaves it out") != 1 {
		t.Errorf("%.400s", out)
	}
	if out := must(t, "fit", "-k", "2", "-drop", "Date,Mass", air); strings.Contains(out,
		"the sum of the others") {
		t.Errorf("%.400s", out)
	}
}

func TestCodes(t *testing.T) {
	t.Parallel()
	file := filepath.Join(trade, "consumers.csv")
	for _, scale := range []string{"auto", "zscore"} {
		out := strings.Join(strings.Fields(must(t, "fit", "-k", "2", "-scale", scale, file)), " ")
		if !strings.Contains(out, "column 1 (pack) is used as data") || strings.Contains(out, "codes of groups") {
			t.Errorf("not told once: %.400s", out)
		}
	}
}

// What -scale counts cannot take is an error, and a row of zeros is left out.
func TestScaleCounts(t *testing.T) {
	inFolder(t, "a,b,c\n1,2,3\n5,0,1\n0,0,0\n0,4,4\n7,1,0\n2,2,9\n")
	must(t, "fit", "-k", "2", "-scale", "counts", "-o", "g.csv", "-details", "-bootstrap", "5", "data.csv")
	if lines := strings.Split(readFile(t, "g.csv"), "\n"); !strings.HasSuffix(lines[0], ",entropy,size") ||
		!strings.HasSuffix(lines[1], ",6") || !strings.HasSuffix(lines[3], ",,") {
		t.Errorf("%q", lines)
	}
	if err := os.WriteFile("negative.csv", []byte("a,b,c\n1,2,3\n5,-1,1\n0,3,0\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"-sum at-most-one data.csv": "-scale counts makes all rows add up to 1",
		"-method lsd data.csv":      "-scale counts weighs rows",
		"-stream yes data.csv":      "-scale counts needs the sums of all rows",
		"negative.csv":              "row 2, column b: -1 is below 0",
	} {
		code, _, stderr := do(t, "", strings.Fields("fit -k 2 -scale counts "+args)...)
		if code == 0 || !strings.Contains(stderr, want) {
			t.Errorf("%s: code %d, %s", args, code, stderr)
		}
	}
}

// The page of counts says how they are scaled, and its prototypes are those of fit.
func TestReportOfCounts(t *testing.T) {
	t.Parallel()
	page := filepath.Join(t.TempDir(), "page.html")
	counts := filepath.Join(trade, "counts_types_by_samples.csv")
	must(t, "report", "-o", page, "-memberships", page+".csv", counts)
	text := readFile(t, page)
	for _, part := range []string{"rows are fitted as shares of their sums", "are shares of a row's sum",
		"kept at 0 or above", "Slack 0.0167 of the floor"} {
		narrow := strings.ReplaceAll(part, " %", "\u00a0%")
		if !strings.Contains(text, part) && !strings.Contains(text, narrow) {
			t.Errorf("the page lacks %q", part)
		}
	}
	if rows := readFile(t, page+".csv"); !strings.HasPrefix(rows, "id,label,p0,p1,p2,p3,cluster,largest,probability,size\n") {
		t.Errorf("%.100s", rows)
	}
}

// Intervals stay within the bounds, which the model keeps and -from takes.
func TestIntervalsWithinBounds(t *testing.T) {
	t.Parallel()
	model := filepath.Join(t.TempDir(), "m.json")
	sizes := filepath.Join(trade, "grain_sizes_percent.csv")
	report := parseJSON[answer.Answer](t, must(t, "fit", "-k", "3", "-bootstrap", "3",
		"-model", model, "-json", sizes))
	for j, row := range append(report.Bootstrap.Lower, report.Bootstrap.Upper...) {
		for _, v := range row {
			if v < 0 {
				t.Errorf("prototype %d: an end of an interval is %v", j%3, v)
			}
		}
	}
	again := parseJSON[answer.Answer](t, must(t, "fit", "-from", model, "-json", sizes))
	if b := again.Bounds; b == nil || b.Lower == nil || *b.Lower != 0 || b.Upper != nil {
		t.Errorf("%+v", b)
	}
	if free := parseJSON[answer.Answer](t, must(t, "fit", "-from", model, "-bounds", "none", "-json",
		sizes)); free.Bounds != nil {
		t.Errorf("%+v", free.Bounds)
	}
}
