package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"softkmeans/internal/answer"
)

// gappy has two gaps in rows 2 and 4, and ids.
const gappy = "name,a,b,city\nx1,1,2,\"Rome, IT\"\nx2,,4,Paris\nx3,3,5,Rome\nx4,9,NA,\"say \"\"hi\"\"\"\n" +
	"x5,7,1,Paris\nx6,2,2,Rome\n"

// Missing values are an error that names the ways on.
func TestMissingError(t *testing.T) {
	inFolder(t, gappy)
	for args, rule := range map[string]string{"fit -k 2": "fit", "fit -k 2 -stream yes": "drop",
		"floors": "mean", "report -k 2 -o out.html": "fit",
		"fit -k 2 -missing error": "fit", "fit -k 2 -method global": "mean",
		"fit -k 2 -bootstrap 9": "mean"} {
		const gaps = "2 missing values: 1 in column 2 (a) (first on line 3), 1 in column 3 (b) (first on line 5)"
		failure{args + " -drop city data.csv", 1,
			"data.csv: " + gaps + " (add -missing " + rule + ", which "}.check(t)
		// One line mends the columns of text, too.
		failure{args + " data.csv", 1,
			"column 4 (city), 4 values such as \"Rome, IT\" and \"say \\\"hi\\\"\"; and " + gaps +
				" (add -drop city -missing " + rule + ", which "}.check(t)
	}
	for _, f := range []failure{
		{"fit -k 2 -missing mean -stream yes data.csv", 2,
			"-stream yes goes with -missing drop only; use -stream no"},
		{"fit -k 2 -missing all data.csv", 2, "must be error, drop, mean or fit"},
		{"floors -missing fit data.csv", 2, "-missing fit is for softkmeans fit and report; floors takes drop and mean"},
		{"fit -k 2 -method tilsd -kernel matrix -missing drop data.csv", 2, "-missing needs rows"},
		{"fit -k 2 -weights 2 -missing drop -drop city data.csv", 1, "data.csv"},
	} {
		f.check(t)
	}
	writeText(t, "column.csv", "a,b\n1,\n4,\n3,\n")
	failure{"fit -k 1 -guess no -missing mean column.csv", 1,
		"column.csv: column b has no value; leave it out with -drop"}.check(t)
	writeText(t, "every.csv", "a,b\n1,\n,2\n3,\n")
	for _, stream := range []string{"no", "yes"} {
		failure{"fit -k 1 -missing drop every.csv -stream " + stream, 1,
			"every.csv: every row has a missing value; leave columns out with -drop: b (2), a (1)"}.check(t)
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
		if !strings.Contains(report, "data.csv: 4 rows, 2 columns, and a header.\n") ||
			!strings.Contains(report, "\n2 rows with missing values are left out: a (1), b (1).\n") {
			t.Errorf("-stream %s: %s", stream, report)
		}
		w := strings.Split(readFile(t, "w.csv"), "\n")
		want := strings.Join([]string{w[0], w[1], "x2,Paris,,,,", w[2], `x4,"say ""hi""",,,,`, w[3], w[4], ""},
			"\n")
		if got := readFile(t, "g.csv"); got != want || w[0] != "name,city,label,p0,p1,largest" ||
			!strings.HasPrefix(w[1], `x1,"Rome, IT",`) {
			t.Errorf("-stream %s: %s, want %s", stream, got, want)
		}
		if stream == "no" {
			must(t, strings.Fields("certify -missing drop -drop city -centers f.csv -memberships "+
				"g.csv data.csv")...)
			must(t, strings.Fields("certify -drop city -centers f.csv -memberships w.csv whole.csv")...)
		}
	}
	got := parseJSON[answer.Answer](t,
		must(t, strings.Fields("fit -k 2 -json -drop city -missing drop data.csv")...))
	if got.ID != "name" || got.Rows != 4 || len(got.Notes) != 3 ||
		!strings.HasPrefix(got.Notes[1], "2 rows with missing values are left out") ||
		got.Notes[2] != onlyBounds {
		t.Errorf("%+v", got)
	}
	if text := must(t, strings.Fields("floors -drop city -missing drop data.csv")...); !strings.Contains(text,
		"\n2 rows with missing values are left out: a (1), b (1).\n") {
		t.Error(text)
	}
	writeText(t, "classes.csv", "u\nv\nu\nu\nv\nu\n")
	if text := must(t, strings.Fields("report -k 2 -drop city -missing drop -classes classes.csv -o "+
		"p.html data.csv")...); !strings.Contains(text, "2 rows with missing values") {
		t.Error(text)
	}
}

// The mean is that of the values that are there.
func TestMissingMean(t *testing.T) {
	inFolder(t, gappy)
	writeText(t, "filled.csv", strings.Replace(strings.Replace(gappy, "x2,,", "x2,4.4,", 1), "NA", "2.8", 1))
	for _, command := range []string{"fit -k 2 -drop city", "floors -drop city",
		"fit -k 2 -drop city -scale zscore"} {
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

// Rows with missing values are fitted and predicted by the values that are there: exactly
// where the table is a mixture of few centers. No floor is said to be proved.
func TestMissingFit(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	corners := [][]float64{{0, 0, 5, 1, 2}, {4, 1, 0, 0, 7}, {1, 6, 2, 5, 0}}
	var b, whole strings.Builder
	b.WriteString("plot,u,v,w,x,y\n")
	whole.WriteString("plot,u,v,w,x,y\n")
	for i := range 200 {
		g := []float64{r.ExpFloat64(), r.ExpFloat64(), r.ExpFloat64()}
		if i < 60 {
			g = []float64{0, 0, 0}
			g[i%3] = 1
		}
		sum := g[0] + g[1] + g[2]
		fmt.Fprintf(&b, "p%d", i)
		fmt.Fprintf(&whole, "p%d", i)
		for j := range 5 {
			v := (g[0]*corners[0][j] + g[1]*corners[1][j] + g[2]*corners[2][j]) / sum
			fmt.Fprintf(&whole, ",%v", v)
			if r.IntN(10) == 0 && j != i%5 {
				b.WriteString(",")
			} else {
				fmt.Fprintf(&b, ",%v", v)
			}
		}
		b.WriteString("\n")
		whole.WriteString("\n")
	}
	inFolder(t, b.String())
	writeText(t, "whole.csv", whole.String())
	must(t, strings.Fields("fit -k 3 -method minvol -others no -o w.csv whole.csv")...)
	report := must(t,
		strings.Fields("fit -v -k 3 -method minvol -missing fit -o g.csv -model m.json data.csv")...)
	for _, says := range []string{"data.csv: 200 rows, 5 columns",
		"missing values, left out of the squared error: ", "floor, estimated"} {
		if !strings.Contains(lined(report), says) {
			t.Errorf("no %q in %s", says, report)
		}
	}
	two := must(t, strings.Fields("fit -k 2 -method minvol -others no -missing fit data.csv")...)
	for _, says := range []string{" (an estimate), and at most "} {
		if !strings.Contains(lined(two), says) {
			t.Errorf("no %q in %s", says, two)
		}
	}
	for _, says := range []string{"Certif", "rounding of the floor", "floor, proved"} {
		if strings.Contains(report, says) {
			t.Errorf("%q in %s", says, report)
		}
	}
	for _, predict := range []string{"predict -model m.json -o p.csv data.csv",
		"predict -model m.json -o p.csv -"} {
		code, stdout, stderr := do(t, b.String(), strings.Fields(predict)...)
		if code != 0 || !strings.Contains(stdout, "missing values, left out of the distances: ") {
			t.Errorf("%s: code %d, %s%s", predict, code, stdout, stderr)
		}
		g, p := strings.Split(readFile(t, "g.csv"), "\n"), strings.Split(readFile(t, "p.csv"), "\n")
		for i := range g[:201] {
			a, rest, _ := strings.Cut(g[i], ",")
			b, same, _ := strings.Cut(p[i], ",")
			if a != b || i > 0 && !closeFields(rest, same) {
				t.Fatalf("%s: %s, fitted %s", predict, p[i], g[i])
			}
		}
	}
	// The model is that of the whole table, up to the order of the centers and the draw of λ.
	_, _, w := parseMemberships(t, withoutIDs(readFile(t, "w.csv")))
	_, _, g := parseMemberships(t, withoutIDs(readFile(t, "g.csv")))
	largest := 0.0
	for i := range w {
		slices.Sort(w[i])
		slices.Sort(g[i])
		for j := range w[i] {
			largest = max(largest, math.Abs(w[i][j]-g[i][j]))
		}
	}
	if largest > 0.1 {
		t.Errorf("memberships differ by %g from those of the whole table", largest)
	}
	for _, f := range []failure{
		{"fit -k 3 -method global -missing fit data.csv", 2, "-missing fit is only for -method minvol"},
		{"fit -k 3 -method minvol -missing fit -stream yes data.csv", 2,
			"-stream yes goes with -missing drop only"},
	} {
		f.check(t)
	}
}

// withoutIDs removes the first field of each line.
func withoutIDs(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		_, rest, _ := strings.Cut(line, ",")
		b.WriteString(rest)
	}
	return b.String()
}

// wine and breast_cancer have columns of many units, iris and digits do not. The rarest
// pixel of digits has a deviation 277 times below that of others, and a range like theirs.
func TestScaleAuto(t *testing.T) {
	files := map[string]string{"iris": iris, "digits": someRows(t, setFile("digits"), 9),
		"wine": setFile("wine"), "breast_cancer": someRows(t, setFile("breast_cancer"), 4)}
	for name, want := range map[string]string{"iris": "none", "digits": "none",
		"wine": "zscore", "breast_cancer": "zscore"} {
		for _, stream := range []string{"no", "yes"} {
			var got struct {
				Scale string
				Notes []string
			}
			text := must(t, "fit", "-k", "2", "-method", "global", "-json", "-stream", stream, files[name])
			if err := json.Unmarshal([]byte(text), &got); err != nil {
				t.Fatal(err)
			}
			noted := len(got.Notes) == 1 && strings.HasPrefix(got.Notes[0], "standard deviations of columns differ ") &&
				strings.HasSuffix(got.Notes[0], "): standardized (-scale none leaves them)")
			if got.Scale != want || noted != (want == "zscore") {
				t.Errorf("%s, -stream %s: scale %s, %q", name, stream, got.Scale, got.Notes)
			}
		}
	}
	dir := t.TempDir()
	model, centers := filepath.Join(dir, "m.json"), filepath.Join(dir, "f.csv")
	text := must(t, "fit", "-k", "3", "-method", "global", "-model", model,
		"-centers", centers, setFile("wine"))
	if !strings.Contains(text,
		"\nStandard deviations of columns differ by a factor of 2500 (c13 is widest, c8 narrowest):\n"+
			"standardized (-scale none leaves them).\n") {
		t.Error(text)
	}
	// The model has the scale, and certify that of fit.
	for _, args := range [][]string{{"-model", model}, {"-centers", centers}} {
		if text := must(t, append(append([]string{"certify"}, args...),
			setFile("wine"))...); !strings.Contains(text, "\nCertified: ") {
			t.Errorf("%q: %s", args, text)
		}
	}
	must(t, "fit", "-k", "3", "-method", "global", "-scale", "none", "-centers", centers, setFile("wine"))
	if code, text, _ := do(t, "", "certify", "-centers", centers, setFile("wine")); code != 1 ||
		!strings.Contains(text, "\n-scale none.\n") {
		t.Errorf("code %d, %s", code, text)
	}
	// Where 0 must stay 0, and for pixels, columns are as they are.
	for _, args := range []string{"fit -k 2 -method global -sum at-most-one", "report -k 2 -image 1x13 -o " +
		filepath.Join(dir, "p.html")} {
		if text := must(t, append(strings.Fields(args), setFile("wine"))...); strings.Contains(text,
			"standardized") {
			t.Errorf("%s: %s", args, text)
		}
	}
}

// A row without any value is left out of a fit with -missing fit, and comes back empty.
func TestMissingRow(t *testing.T) {
	inFolder(t, "id,v,w\na,1,2\nb,,\nc,4,1\nd,,5\ne,2,8\nf,7,3\n")
	text := must(t, strings.Fields("fit -k 2 -missing fit -o g.csv data.csv")...)
	if !strings.Contains(text, "\n1 row without any value is left out.\n") ||
		!strings.Contains(text, "\n1 missing value, left out of the squared error: v (1).\n") {
		t.Error(text)
	}
	lines := strings.Split(readFile(t, "g.csv"), "\n")
	if len(lines) != 8 || lines[2] != "b,,,,,," || strings.HasPrefix(lines[4], "d,,") {
		t.Errorf("%q", lines)
	}
	// A line of delimiters alone between the rows is an error.
	writeText(t, "lines.csv", "id;v;w\na;1;2\n;;\nc;4;1\n")
	failure{"fit -k 2 -missing fit lines.csv", 1, "lines.csv:3: a blank line between rows"}.check(t)
}

// report -missing fit shows the fit of fit -missing fit alone: others need complete rows.
func TestReportMissing(t *testing.T) {
	inFolder(t, "a,b,c\n1,2,3\n2,,4\n3,4,5\n4,4,9\n8,9,1\n,1,1\n5,2,8\n7,8,2\n")
	must(t, strings.Fields("fit -k 2 -missing fit -o f.csv data.csv")...)
	must(t, strings.Fields("report -k 2 -missing fit -o p.html -memberships p.csv data.csv")...)
	page := readFile(t, "p.html")
	if readFile(t, "f.csv") != readFile(t, "p.csv") || !strings.Contains(page, "The row's mixture replaces missing values") ||
		strings.Contains(page, "Other methods") || strings.Contains(page, "NaN") {
		t.Error(page)
	}
	for flags, says := range map[string]string{"-stream yes": "-stream yes", "-kernel rbf": "-missing fit is for rows"} {
		failure{"report -missing fit -o p.html " + flags + " data.csv", 2, says}.check(t)
	}
}

// -k auto with -missing fit takes the complete rows if they are enough, else the means.
func TestMissingChoice(t *testing.T) {
	inFolder(t, "")
	r := rand.New(rand.NewPCG(3, 4))
	for gap, says := range map[int]string{6: "\nK is chosen by the 75 rows without a missing value.\n",
		2: "\nK is chosen after missing values are replaced by the means of columns.\n"} {
		var b strings.Builder
		b.WriteString("u,v,w,x\n")
		for i := range 90 {
			at := 10 * float64(i%3)
			fmt.Fprintf(&b, "%.3f,%.3f,%.3f,", at+r.NormFloat64(),
				at*at/9+r.NormFloat64(), 7-at+r.NormFloat64())
			if i%gap > 0 {
				fmt.Fprintf(&b, "%.3f", at/2+r.NormFloat64())
			}
			b.WriteString("\n")
		}
		writeText(t, "data.csv", b.String())
		if text := must(t, strings.Fields("fit -k auto -missing fit data.csv")...); !strings.Contains(text,
			says) || !strings.Contains(lined(text), "Best supported: k = 3.") {
			t.Errorf("%s", text)
		}
	}
	// Rows with means in their gaps look like clusters, whichever flag filled them in.
	a := parseJSON[answer.Answer](t, must(t, strings.Fields("floors -json -missing mean data.csv")...))
	if a.Evidence == nil || a.Evidence.Agreement == nil || a.Evidence.Silhouette != nil {
		t.Errorf("%+v", a.Evidence)
	}
}

// The note on the column that decides is in memory and in blocks; its -drop leaves out that column and no
// other, and where no word tells the column there is none.
func TestDecidingNote(t *testing.T) {
	codes := filepath.Join("..", "..", "testdata", "tables", "trade", "country_codes.csv")
	for args, want := range map[string]bool{"": true, "-scale none": true, "-scale standard": false,
		"-drop 1": false} {
		report := must(t, append(strings.Fields("floors -most 1 "+args), codes)...)
		if strings.Contains(report, "\nColumn Country code has 97 % of the variance, and so most") != want {
			t.Errorf("%s: %s", args, report)
		}
	}
	rows := "\n9,1,2\n-4,2.5,3\n8,1,4\n-9,3,2\n"
	for _, c := range []struct{ header, drop, left string }{
		{"big,y,z", "big", "y|z"}, {"it's big,y,z", `'it'\''s big'`, "y|z"}, {"c2,y,z", "c2", "y|z"},
		{"-x,y,z", "-x", "y|z"}, {"", "1", "c2|c3"}, {`"a, b",y,z`, "", ""}, {"y,y,z", "", ""},
	} {
		name := writeText(t, filepath.Join(t.TempDir(), "x.csv"), strings.TrimPrefix(c.header+rows, "\n"))
		for _, stream := range []string{"no", "yes"} {
			args := []string{"fit", "-k", "2", "-method", "global", "-json", "-stream", stream, name}
			got := parseJSON[answer.Answer](t, must(t, args...))
			want := "has 98 % of the variance, and so most of the weight in the fit (-scale zscore counts " +
				"all columns alike"
			if c.drop != "" {
				want += ", -drop " + c.drop + " leaves it out"
			}
			want += ")"
			if n := len(got.Notes); n == 0 || !strings.HasSuffix(got.Notes[n-1], want) {
				t.Errorf("%s, -stream %s: %q", c.header, stream, got.Notes)
			}
		}
		if c.drop == "" {
			continue
		}
		word := strings.Trim(strings.ReplaceAll(c.drop, `'\''`, "\x00"), "'")
		got := parseJSON[answer.Answer](t, must(t, "fit", "-k", "2", "-method", "global", "-json",
			"-drop", strings.ReplaceAll(word, "\x00", "'"), name))
		if columns := strings.Join(got.Columns, "|"); columns != c.left {
			t.Errorf("-drop %s leaves %s", c.drop, columns)
		}
	}
}
