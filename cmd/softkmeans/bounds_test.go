package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/internal/envi"
	"softkmeans/internal/scale"
)

// spectraIn reads the numbers of a CSV file with a header, as they are written.
func spectraIn(t *testing.T, text string) (list [][]float64) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		var values []float64
		for _, s := range row {
			v, err := strconv.ParseFloat(s, 64)
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, v)
		}
		list = append(list, values)
	}
	return list
}

// Prototypes are within the bounds to the bit, whatever the scale, and some are at them. They are
// those of the package, with bounds in its units.
func TestBounds(t *testing.T) {
	x := readTable(t, iris)
	for _, method := range []string{"minvol", "alternating"} {
		for _, kind := range []scale.Kind{scale.None, scale.ZScore, scale.MinMax} {
			name := fmt.Sprintf("%s, %v", method, kind)
			args := []string{"fit", "-k", "3", "-method", method, "-scale", kind.String(), "-bounds", "1,6.3",
				iris}
			out := must(t, append(args, "-json")...)
			report := parseJSON[answer.Answer](t, out)
			if b := report.Bounds; b == nil || *b.Lower != 1 || *b.Upper != 6.3 {
				t.Errorf("%s: %+v", name, b)
			}
			o := &softkmeans.MinVolumeOptions{Lower: slices.Repeat([]float64{1}, 4),
				Upper: slices.Repeat([]float64{6.3}, 4)}
			s, y := scale.Of(kind, x.Data, 4, nil), x.Clone()
			s.Apply(y.Data)
			s.Apply(o.Lower)
			s.Apply(o.Upper)
			fit := softkmeans.FitMinVolume
			if method == "alternating" {
				fit = softkmeans.FitAlternating
			}
			m, err := fit(t.Context(), y, 3, o)
			if err != nil {
				t.Fatal(err)
			}
			s.Undo(m.Centers.Data)
			var ends [2]int
			for i, row := range report.Centers {
				for j, v := range row {
					if v < 1 || v > 6.3 || !near(v, m.Centers.At(i, j), 1e-12) {
						t.Errorf("%s: center %d, column %d is %v, not %v", name, i, j, v, m.Centers.At(i, j))
					}
					if v == 1 {
						ends[0]++
					} else if v == 6.3 {
						ends[1]++
					}
				}
			}
			for _, other := range report.Others {
				for _, row := range other.Centers {
					if slices.Min(row) < 1 || slices.Max(row) > 6.3 {
						t.Errorf("%s: another answer has %v", name, row)
					}
				}
			}
			if ends[0] == 0 || ends[1] == 0 {
				t.Errorf("%s: %v entries at the bounds: %v", name, ends, report.Centers)
			}
		}
	}
	one := parseJSON[answer.Answer](t, must(t, "fit", "-k", "2", "-bounds", "3,3", iris, "-json"))
	if !slices.Equal(slices.Concat(one.Centers...), slices.Repeat([]float64{3}, 8)) {
		t.Errorf("%v", one.Centers)
	}
	// An end that is left out is none, and nonnegative the same as 0.
	for flag, want := range map[string]string{"nonnegative": "at 0 or above", "0,": "at 0 or above",
		"0,inf": "at 0 or above", "-inf,2": "at 2 or below", ",2": "at 2 or below",
		"-1,2.5": "from -1 to 2.5"} {
		out := must(t, "fit", "-k", "3", "-others", "no", "-bounds", flag, iris)
		if want = "Values are kept " + want + " (-bounds)."; !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("-bounds %s: no %q in\n%s", flag, want, out)
		}
	}
	if out := must(t, "fit", "-k", "1", "-bounds", ",3", iris); !strings.Contains(out,
		"mean of the rows, with its values kept at 3 or below") {
		t.Errorf("%s", out)
	}
}

// Prototypes of closed rows are closed and within the bounds, also of a sparse file.
func TestBoundsClosed(t *testing.T) {
	var lines strings.Builder
	var rows [][]float64
	for i := range 120 {
		row := make([]float64, 6)
		for j := range row {
			if v := math.Sin(float64(7*i+3*j*j)) + 0.9*math.Cos(float64(i*(j+1))); v > 0 {
				row[j] = v
			}
		}
		row[i%3] += .8
		sum := 0.0
		for _, v := range row {
			sum += v
		}
		for j := range row {
			row[j] /= sum
			fmt.Fprintf(&lines, "%v,", row[j])
		}
		lines.WriteString("a\n")
		rows = append(rows, row)
	}
	inFolder(t, lines.String())
	writeSparse(t, "x", rows)
	for _, file := range []string{"-label 7 data.csv", "x.svm"} {
		bound := 0
		for _, method := range []string{"minvol", "alternating"} {
			out := must(t, strings.Fields("fit -k 4 -bounds 0,.6 -json -method "+method+" "+file)...)
			for _, row := range parseJSON[answer.Answer](t, out).Centers {
				sum := 0.0
				for _, v := range row {
					sum += v
					if v < 0 || v > .6 {
						t.Errorf("%s, %s: %v", file, method, row)
					}
					if v == 0 || v == .6 {
						bound++
					}
				}
				if !near(sum, 1, 1e-9) {
					t.Errorf("%s, %s: a sum of %v", file, method, sum)
				}
			}
		}
		if bound == 0 {
			t.Errorf("%s: no entry is at a bound", file)
		}
	}
}

// Spectra of unmix are within the bounds to the bit; the report, its JSON and the page say so.
func TestBoundsUnmix(t *testing.T) {
	t.Chdir(t.TempDir())
	s := newSynthetic(16, 12, 14)
	s.writeENVI(t, "x.bil", envi.Header{Type: 4, Interleave: "bil", Scale: 1e4}, 1e4)
	out := must(t, strings.Fields("unmix -k 3 -bounds .15,.65 -spectra s.csv -report p.html x.bil")...)
	bound := 0
	for _, row := range spectraIn(t, readFile(t, "s.csv")) {
		for _, v := range row[1:] {
			if v < .15 || v > .65 {
				t.Errorf("%v", row)
			}
			if v == .15 || v == .65 {
				bound++
			}
		}
	}
	const want = "Spectra are kept from 0.15 to 0.65 (-bounds)."
	if bound < 2 || !strings.Contains(out, "as given, for bounds in their units.\n"+want) ||
		!strings.Contains(readFile(t, "p.html"), want) {
		t.Errorf("%d at the bounds: %s", bound, out)
	}
	report := parseJSON[answer.Answer](t, must(t, strings.Fields("unmix -k 3 -bounds .15, -json x.bil")...))
	if b := report.Bounds; b == nil || *b.Lower != .15 || b.Upper != nil || report.RowScaling != "given" {
		t.Errorf("%+v", b)
	}
	// Spectra are at least 0 without the flag.
	code, one, _ := do(t, "", strings.Fields("unmix -k 3 -spectra - x.bil")...)
	_, two, _ := do(t, "", strings.Fields("unmix -k 3 -bounds nonnegative -spectra - x.bil")...)
	if code != 0 || one != two {
		t.Errorf("%s, not %s", two, one)
	}
}

// The page of report has the fits of fit with the same bounds, and says so.
func TestBoundsReport(t *testing.T) {
	x, err := filepath.Abs(iris)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, scaling := range []string{"none", "zscore"} {
		args := []string{"-k", "3", "-scale", scaling, "-bounds", "1,6.3", x}
		must(t, append([]string{"report", "-o", "p.html", "-memberships", "r.csv"}, args...)...)
		must(t, append([]string{"fit", "-o", "f.csv"}, args...)...)
		sameTables(t, "r.csv", "f.csv", 1e-9)
		const want = "alues are kept from 1 to 6.3 (-bounds)."
		if !strings.Contains(readFile(t, "p.html"), want) {
			t.Errorf("the page with -scale %s does not say %q", scaling, want)
		}
	}
}

func TestBoundsErrors(t *testing.T) {
	inFolder(t, "1,2\n3,4\n")
	const must = "must be none, nonnegative, or the least and the largest value"
	for flag, want := range map[string]string{"1": must, "a,1": must, "0,1,2": must, "NaN,1": must,
		",nan": must, "1e999,": must, "2,1": "no value is from 2 to 1",
		"inf,": "no value is from +Inf to +Inf", "1e200,": "no value is from 1e+200",
		",": "bounds nothing", "-inf,inf": "bounds nothing"} {
		failure{"fit -k 2 -bounds " + flag + " data.csv", 2, want}.check(t)
	}
	for _, f := range []failure{
		{"fit -k 2 -method global -bounds 0,1 data.csv", 2,
			"-bounds is only for -method minvol and alternating"},
		{"fit -k 2 -method lsd -bounds 0,1 data.csv", 2, "-bounds is only for -method"},
		{"fit -k 2 -stream yes -bounds 0,1 data.csv", 2, "-bounds is for tables in memory"},
		{"report -k 2 -o p.html -stream yes -bounds 0,1 data.csv", 2, "-bounds is for tables in memory"},
		{"report -k 2 -o p.html -kernel rbf -bounds 0,1 data.csv", 2, "-bounds is for rows"},
		{"unmix -k 2 -bounds -1,1 x.hdr", 2, "spectra are at least 0"},
		{"unmix -k 2 -bounds ,0 x.hdr", 2, "spectra are at least 0"},
		{"unmix -k 2 -bounds 0,1 -rows unit x.hdr", 2, "which -rows unit takes away"},
		{"unmix -k 2 -bounds 0,1 -shade s.npy x.hdr", 2, "-shade is for -rows auto or unit without -bounds"},
	} {
		f.check(t)
	}
	newSynthetic(4, 5, 3).writeENVI(t, "x.bil", envi.Header{Type: 4, Interleave: "bil"}, 1)
	failure{"unmix -k 2 -bounds 0,1 -stream yes x.bil", 2, "-bounds needs the image in memory"}.check(t)
}
