package main

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"softkmeans/internal/answer"
)

// mixed is a table of pixels: mixtures of three spectra in four bands, with places before and a word for a value
// that is missing.
func mixed(missing int) string {
	rng := rand.New(rand.NewPCG(5, 5))
	spectra := [3][4]float64{{1, 2, 3, 1}, {3, 1, 1, 2}, {1, 1, 2, 4}}
	text := "x,y,b1,b2,b3,b4\n"
	for i := range 60 {
		shares, sum := [3]float64{}, 0.0
		for j := range shares {
			shares[j] = rng.ExpFloat64() * rng.ExpFloat64()
			sum += shares[j]
		}
		text += fmt.Sprintf("%d,%d", i/10, i%10)
		for band := range 4 {
			v := .01 * rng.Float64()
			for j, s := range shares {
				v += s / sum * spectra[j][band]
			}
			if field := strconv.FormatFloat(v, 'f', 6, 64); i == missing && band == 1 {
				text += ",n.d."
			} else {
				text += "," + field
			}
		}
		text += "\n"
	}
	return text
}

// TestUnmixCSV: unmix writes the shares of a table as a table in the order of its rows, whatever the order of
// pixels. A row with a missing value is empty. They are the memberships that predict finds in the spectra.
func TestUnmixCSV(t *testing.T) {
	inFolder(t, mixed(7))
	flags := "unmix -k 3 -seed 1 -rows given -drop x,y -na n.d. -model m.json -spectra s.csv"
	rows := map[string][][]string{}
	for _, order := range []string{"", " -size 6x10", " -size 6x10 -order columns"} {
		must(t, strings.Fields(flags+order+" -o g.csv data.csv")...)
		lines := strings.Split(strings.TrimSpace(readFile(t, "g.csv")), "\n")
		if len(lines) != 61 || lines[0] != "p0,p1,p2" || lines[8] != ",," {
			t.Fatalf("%s: %d lines, %q, %q", order, len(lines), lines[0], lines[8])
		}
		predicted(t, "-model", "m.json", "-drop", "x,y", "-na", "n.d.", "-id", "none", "-o", "p.csv", "data.csv")
		_, _, want := parseMemberships(t, readFile(t, "p.csv"))
		for i, line := range lines[1:] {
			fields := strings.Split(line, ",")
			rows[order] = append(rows[order], fields)
			for j, field := range fields {
				if v, err := strconv.ParseFloat(field, 64); i != 7 && (err != nil || !near(v, want[i][j], 1e-6)) {
					t.Fatalf("%s, row %d: %s, not %v", order, i, line, want[i])
				}
			}
		}
	}
	if !slices.EqualFunc(rows[""], rows[" -size 6x10"], slices.Equal) {
		t.Error("-size changes the shares of a list of pixels")
	}
	must(t, strings.Fields("unmix -k 3 -drop x,y -na n.d. -shade b.csv data.csv")...)
	if b := readFile(t, "b.csv"); !strings.HasPrefix(b, "shade\n") || strings.Count(b, "\n") != 61 {
		t.Errorf("%.80q", b)
	}
}

// TestTurnedMaterials: evaluate finds the same angles whether materials are columns or rows of either file.
func TestTurnedMaterials(t *testing.T) {
	inFolder(t, mixed(-1))
	must(t, strings.Fields("unmix -k 3 -drop x,y -spectra found.csv data.csv")...)
	writeText(t, "truth.csv", "band,a,b,c\n1,1,3,1\n2,2,1,1\n3,3,1,2\n4,1,2,4\n")
	writeText(t, "turned.csv", "material,b1,b2,b3,b4\na,1,2,3,1\nb,3,1,1,2\nc,1,1,2,4\n")
	want := parseJSON[answer.Materials](t, must(t, "evaluate", "-json", "-materials", "truth.csv", "found.csv"))
	got := parseJSON[answer.Materials](t, must(t, "evaluate", "-json", "-materials", "turned.csv", "found.csv"))
	back := parseJSON[answer.Materials](t, must(t, "evaluate", "-json", "-materials", "found.csv", "turned.csv"))
	if got.Truth.Notes == nil || got.MRSA != want.MRSA || !slices.Equal(got.Matches, want.Matches) || back.Found.Notes == nil ||
		!near(back.MRSA, want.MRSA, 1e-9) {
		t.Errorf("%+v\n%+v\n%+v", want, got, back)
	}
}

// TestLabelBy: -labelby sets the rule for labels, against -scale auto and against a model of -from.
func TestLabelBy(t *testing.T) {
	inFolder(t, mixed(-1))
	for _, rule := range []string{"cluster", "largest"} {
		must(t, "fit", "-k", "3", "-drop", "x,y", "-others", "no", "-labelby", rule, "-o", "g.csv", "-model", rule+".json", "data.csv")
		head, _, _ := strings.Cut(readFile(t, "g.csv"), "\n")
		label, other := slices.Index(strings.Split(head, ","), "label"), slices.Index(strings.Split(head, ","), rule)
		for line := range strings.Lines(readFile(t, "g.csv")) {
			if f := strings.Split(strings.TrimSpace(line), ","); line != head+"\n" && f[label] != f[other] {
				t.Fatalf("%s: %s in %s", rule, line, head)
			}
		}
		for flags, want := range map[string]string{"": rule, " -labelby cluster": "cluster", " -labelby largest": "largest"} {
			a := parseJSON[map[string]any](t, must(t, strings.Fields("fit -json -others no -from "+rule+".json"+flags+
				" -drop x,y data.csv")...))
			if a["labelBy"] != want {
				t.Errorf("%s%s: %v, not %s", rule, flags, a["labelBy"], want)
			}
		}
		if must(t, "report", "-k", "3", "-drop", "x,y", "-labelby", rule, "-o", "p.html", "-memberships", "p.csv", "data.csv"); readColumn(t,
			"p.csv", "label") != readColumn(t, "g.csv", "label") {
			t.Errorf("%s: report and fit have different labels", rule)
		}
	}
	for args, says := range map[string]string{"-method global -labelby cluster": "only for -method minvol and alternating",
		"-stream yes -labelby largest": "-labelby is for tables in memory"} {
		failure{"fit -k 3 " + args + " data.csv", 2, says}.check(t)
	}
	failure{"report -stream yes -labelby largest -o p.html data.csv", 2, "-labelby is for tables in memory"}.check(t)
	failure{"report -kernel linear -labelby largest -o p.html data.csv", 2, "-labelby is for rows"}.check(t)
}

// readColumn returns the fields of a column of a CSV file with a header, on a line each.
func readColumn(t *testing.T, file, name string) (fields string) {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(readFile(t, file))).ReadAll()
	if err != nil || !slices.Contains(records[0], name) {
		t.Fatalf("%s: %v, %v", file, records[0], err)
	}
	for _, r := range records {
		fields += r[slices.Index(records[0], name)] + "\n"
	}
	return fields
}
