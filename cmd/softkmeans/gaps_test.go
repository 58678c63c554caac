package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// gappy has two gaps in rows 2 and 4, and ids.
const gappy = "name,a,b,city\nx1,1,2,\"Rome, IT\"\nx2,,4,Paris\nx3,3,5,Rome\nx4,9,NA,\"say \"\"hi\"\"\"\nx5,7,1,Paris\nx6,2,2,Rome\n"

// Missing values are an error that names the ways on.
func TestMissingError(t *testing.T) {
	inFolder(t, gappy)
	for _, args := range []string{"fit -k 2", "fit -k 2 -stream yes", "floors", "report -k 2 -o out.html", "fit -k 2 -missing error"} {
		failure{args + " -drop city data.csv", 1, "data.csv: 2 missing values: 1 in \"a\" (first on line 3), 1 in \"b\" (first on line 5) (-missing drop "}.check(t)
	}
	for _, f := range []failure{
		{"fit -k 2 -missing mean -stream yes data.csv", 2, "-stream yes goes with -missing drop only; use -stream no"},
		{"fit -k 2 -missing all data.csv", 2, "must be error, drop, mean"},
		{"floors -missing fit data.csv", 2, "must be error, drop, mean"},
		{"fit -k 2 -method tilsd -kernel matrix -missing drop data.csv", 2, "-missing needs rows"},
		{"fit -k 2 -weights 2 -missing drop -drop city data.csv", 1, "data.csv"},
	} {
		f.check(t)
	}
	writeText(t, "column.csv", "a,b\n1,\n4,\n3,\n")
	failure{"fit -k 1 -guess no -missing mean column.csv", 1, "column.csv: column b has no value; leave it out with -drop"}.check(t)
	writeText(t, "every.csv", "a,b\n1,\n,2\n3,\n")
	for _, stream := range []string{"no", "yes"} {
		failure{"fit -k 1 -missing drop every.csv -stream " + stream, 1, "every.csv: every row has a missing value; leave columns out with -drop: b (2), a (1)"}.check(t)
	}
}

// Rows that are left out are in the memberships, empty, with their texts. The others are
// those of a table without them, in memory and in blocks. certify reads the outputs.
func TestMissingDrop(t *testing.T) {
	inFolder(t, gappy)
	writeText(t, "whole.csv", "name,a,b,city\nx1,1,2,\"Rome, IT\"\nx3,3,5,Rome\nx5,7,1,Paris\nx6,2,2,Rome\n")
	for _, stream := range []string{"no", "yes"} {
		flags := " -k 2 -method global -keep city -stream " + stream
		must(t, strings.Fields("fit -o w.csv -centers f.csv whole.csv"+flags)...)
		report := must(t, strings.Fields("fit -missing drop -o g.csv data.csv"+flags)...)
		if !strings.Contains(report, "data.csv: 4 rows, 2 columns, and a header\n") ||
			!strings.Contains(report, "\n2 rows with missing values are left out: a (1), b (1).\n") {
			t.Errorf("-stream %s: %s", stream, report)
		}
		w := strings.Split(readFile(t, "w.csv"), "\n")
		want := strings.Join([]string{w[0], w[1], "x2,Paris,,,", w[2], `x4,"say ""hi""",,,`, w[3], w[4], ""}, "\n")
		if got := readFile(t, "g.csv"); got != want || w[0] != "name,city,label,p0,p1" || !strings.HasPrefix(w[1], `x1,"Rome, IT",`) {
			t.Errorf("-stream %s: %s, want %s", stream, got, want)
		}
		if stream == "no" {
			must(t, strings.Fields("certify -missing drop -drop city -centers f.csv -memberships g.csv data.csv")...)
			must(t, strings.Fields("certify -drop city -centers f.csv -memberships w.csv whole.csv")...)
		}
	}
	got := parseJSON[fitReportJSON](t, must(t, strings.Fields("fit -k 2 -json -drop city -missing drop data.csv")...))
	if got.ID != "name" || got.Rows != 4 || len(got.Notes) != 2 || !strings.HasPrefix(got.Notes[1], "2 rows with missing values are left out") {
		t.Errorf("%+v", got)
	}
	if text := must(t, strings.Fields("floors -drop city -missing drop data.csv")...); !strings.Contains(text, "\n2 rows with missing values are left out: a (1), b (1).\n") {
		t.Error(text)
	}
	writeText(t, "classes.csv", "u\nv\nu\nu\nv\nu\n")
	if text := must(t, strings.Fields("report -k 2 -drop city -missing drop -classes classes.csv -o p.html data.csv")...); !strings.Contains(text, "2 rows with missing values") {
		t.Error(text)
	}
}

// Rows may be many, and gaps anywhere: the memberships of all rows come in their order.
func TestMissingDropMany(t *testing.T) {
	const rows = 9000 // more than a block
	var b strings.Builder
	b.WriteString("key,u,v,w\n")
	for i := range rows {
		u := fmt.Sprint((i * 7919) % 1000)
		if i%10 == 3 || i > rows-5 || i < 2 {
			u = "NA"
		}
		fmt.Fprintf(&b, "k%d,%s,%d,%d\n", i, u, (i*104729)%1000, (i*31)%1009)
	}
	inFolder(t, b.String())
	for _, args := range []string{"-method global", "-method global -stream yes", "-method minvol -others no -stream yes"} {
		must(t, strings.Fields("fit -k 3 -scale none -missing drop -o g.csv data.csv "+args)...)
		lines := strings.Split(readFile(t, "g.csv"), "\n")
		if len(lines) != rows+2 || lines[0] != "key,label,p0,p1,p2" {
			t.Fatalf("%s: %d lines, %s", args, len(lines), lines[0])
		}
		for i, line := range lines[1 : rows+1] {
			empty := i%10 == 3 || i > rows-5 || i < 2
			if !strings.HasPrefix(line, fmt.Sprintf("k%d,", i)) || strings.HasSuffix(line, ",,,,") != empty {
				t.Fatalf("%s: row %d: %s", args, i, line)
			}
		}
	}
}

// The mean is that of the values that are there.
func TestMissingMean(t *testing.T) {
	inFolder(t, gappy)
	writeText(t, "filled.csv", strings.Replace(strings.Replace(gappy, "x2,,", "x2,4.4,", 1), "NA", "2.8", 1))
	for _, command := range []string{"fit -k 2 -drop city", "floors -drop city", "fit -k 2 -drop city -scale zscore"} {
		want := must(t, strings.Fields(command+" filled.csv")...)
		got := must(t, strings.Fields(command+" -missing mean data.csv")...)
		const note = "2 missing values replaced by the means of columns: a (1), b (1).\n"
		if !strings.Contains(got, note) {
			t.Errorf("%s: %s", command, got)
		}
		got = strings.Replace(strings.Replace(got, note, "", 1), "data.csv", "filled.csv", 1)
		for _, line := range differences(want, got) {
			t.Errorf("%s: %s", command, line)
		}
	}
}

// wine and breast_cancer have columns of many units, iris and digits do not. The rarest
// pixel of digits has a deviation 277 times below that of others, and a range like theirs.
func TestScaleAuto(t *testing.T) {
	for name, want := range map[string]string{"iris": "none", "digits": "none", "wine": "zscore", "breast_cancer": "zscore"} {
		for _, stream := range []string{"no", "yes"} {
			got := parseJSON[struct {
				parsedFloors
				Notes []string
			}](t, must(t, "floors", "-json", "-stream", stream, setFile(name)))
			noted := len(got.Notes) == 1 && strings.HasPrefix(got.Notes[0], "Columns differ ") && strings.HasSuffix(got.Notes[0], "): standardized; -scale none leaves them")
			if got.Scale != want || noted != (want == "zscore") {
				t.Errorf("%s, -stream %s: scale %s, %q", name, stream, got.Scale, got.Notes)
			}
		}
	}
	dir := t.TempDir()
	model, centers := filepath.Join(dir, "m.json"), filepath.Join(dir, "f.csv")
	text := must(t, "fit", "-k", "3", "-method", "global", "-model", model, "-centers", centers, setFile("wine"))
	if !strings.Contains(text, "\nColumns differ 2500 times in spread (c13, c8): standardized; -scale none leaves them.\n") {
		t.Error(text)
	}
	// The model has the scale, and certify that of fit.
	for _, args := range [][]string{{"-model", model}, {"-centers", centers}} {
		if text := must(t, append(append([]string{"certify"}, args...), setFile("wine"))...); !strings.Contains(text, "\nCertified: ") {
			t.Errorf("%q: %s", args, text)
		}
	}
	must(t, "fit", "-k", "3", "-method", "global", "-scale", "none", "-centers", centers, setFile("wine"))
	if code, text, _ := do(t, "", "certify", "-centers", centers, setFile("wine")); code != 1 || !strings.Contains(text, "\n-scale none.\n") {
		t.Errorf("code %d, %s", code, text)
	}
	// Where 0 must stay 0, and for pixels, columns are as they are.
	for _, args := range []string{"fit -k 2 -method global -sum at-most-one", "report -k 2 -image 1x13 -o " + filepath.Join(dir, "p.html")} {
		if text := must(t, append(strings.Fields(args), setFile("wine"))...); strings.Contains(text, "standardized") {
			t.Errorf("%s: %s", args, text)
		}
	}
}
