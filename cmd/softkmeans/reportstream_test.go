package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/internal/report"
	"softkmeans/internal/scale"
)

// streamedPageOf is pageOf for a file that is read in blocks.
func streamedPageOf(t *testing.T, f *reportFlags, name string, w *answer.MembershipWriter) *report.Input {
	t.Helper()
	f.source, f.stream = name, streamYes
	s, err := f.open(t.Context(), streams{in: strings.NewReader(""),
		out: new(strings.Builder), err: new(strings.Builder)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	b, err := f.blocks(s)
	if err != nil {
		t.Fatal(err)
	}
	in, err := f.fitStream(b, w)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// pageTable is the text of a table of a page, cell by cell.
func pageTable(t *testing.T, page, caption string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, "<caption>"+caption)
	table, _, ok2 := strings.Cut(rest, "</table>")
	if !ok || !ok2 {
		t.Fatalf("there is no table %q", caption)
	}
	return regexp.MustCompile(`(<[^>]*>|\s)+`).ReplaceAllString(table, " ")
}

// A page of blocks has the numbers of one of the table in memory, and says what it lacks. The
// memberships beside it are the same.
func TestReportStream(t *testing.T) {
	dir := t.TempDir()
	for name, kind := range map[string]scale.Kind{"iris": scale.None, "wine": scale.ZScore} {
		data, labels := someRows(t, setFile(name), 2), someRows(t, setFile(name+".labels"), 2)
		flags := func() *reportFlags {
			f := &reportFlags{classes: labels, fitFlags: fitFlags{k: 3, seed: 5, others: true, bounds: &bounds{math.Inf(-1), math.Inf(1)}}}
			f.scale, f.dialect.Guess = kind, true
			return f
		}
		want, got := pageOf(t, flags(), data), streamedPageOf(t, flags(), data, nil)
		for method, c := range map[string][2]report.Fit{"minvol": {want.MinVolume, got.MinVolume},
			"global": {want.Global, got.Global}} {
			a, b := c[0].Certificate, c[1].Certificate
			if !near(b.Objective, a.Objective, 1e-9*a.Total) || !near(b.Floor, a.Floor, 1e-9*a.Total) ||
				!near(b.Total, a.Total, 1e-9*a.Total) ||
				!near(b.MinMembership, a.MinMembership, 1e-9) || a.Optimal(1e-9) != b.Optimal(1e-9) {
				t.Errorf("%s, %s: %+v, not %+v", name, method, b, a)
			}
		}
		for c, share := range want.Plane.Share {
			if !near(got.Plane.Share[c], share, 1e-9) {
				t.Errorf("%s: shares of the plane %v, not %v", name, got.Plane.Share, want.Plane.Share)
			}
		}
		var pages [2]string
		for i, stream := range []string{"-stream=no -bounds=none", "-stream=yes"} {
			out := filepath.Join(dir, strconv.Itoa(i))
			must(t, append(append([]string{"report"}, strings.Fields(stream)...), "-k", "3", "-seed", "5",
				"-scale", kind.String(), "-classes", labels, "-o", out+".html", "-memberships", out+".csv", data)...)
			pages[i] = readFile(t, out+".html")
		}
		for _, caption := range []string{"Cluster means", "Each row is a mixture", "Rows by class"} {
			without := func(page string) string { // probabilities, of which doubt in labels is a part
				return regexp.MustCompile(`(\b\d \d+) [01]\.\d\d`).ReplaceAllString(pageTable(t, page, caption), "$1")
			}
			if a, b := without(pages[0]), without(pages[1]); a != b {
				t.Errorf("%s: %s\n%s, not\n%s", name, caption, b, a)
			}
		}
		told := "A table that is read in blocks has no alternating fit"
		if strings.Contains(pages[0], told) || !strings.Contains(pages[1], told) ||
			strings.Contains(pages[1], ">Alternating<") {
			t.Errorf("%s: a page does not say that it lacks a method", name)
		}
		// In memory halves of the rows are fitted, whose doubt is in all probabilities, the last column.
		last := regexp.MustCompile("(?m),[^,]*$")
		blocks, memory := readFile(t, filepath.Join(dir, "1.csv")), readFile(t, filepath.Join(dir, "0.csv"))
		if last.ReplaceAllString(blocks, "") != last.ReplaceAllString(memory, "") {
			t.Errorf("%s: the memberships differ", name)
		}
		sure := func(text string, row int, m *softkmeans.Model) float64 {
			cluster, p := columnsNamed(t, text, "cluster")[row][0], columnsNamed(t, text, answer.ProbabilityName)[row][0]
			return (p - m.ClusterDoubt*m.ClusterWeights[int(cluster)]) / (1 - m.ClusterDoubt)
		}
		for i := range want.X.Rows {
			a, b := sure(memory, i, want.MinVolume.Model), sure(blocks, i, got.MinVolume.Model)
			if !near(a, b, 1e-9) {
				t.Errorf("%s: but for the doubt row %d has %v in blocks, %v in memory", name, i, b, a)
			}
		}
	}
}

// Pictures show rows that are drawn, with their ids, classes and memberships. All counts are
// of all rows, and the classes and rows left out count as in memory.
func TestReportStreamSample(t *testing.T) {
	const rows = 8400
	var b strings.Builder
	b.WriteString("u,name,v,kind\n")
	for i := range rows {
		u := strconv.Itoa(i)
		if i%7 == 3 { // 1200 rows are left out
			u = ""
		}
		fmt.Fprintf(&b, "%s,r%d,%d,k%d\n", u, i, (i*7919)%rows, i%3)
	}
	t.Chdir(t.TempDir())
	writeText(t, "data.csv", b.String())
	f, err := parseReport(strings.Fields("-k 2 -o page.html -missing drop -label kind -stream yes data.csv"))
	if err != nil {
		t.Fatal(err)
	}
	var memberships strings.Builder
	in := streamedPageOf(t, &f, "data.csv", answer.NewMembershipWriter(&memberships))
	if in.X.Rows != sampleRows || len(in.Table.IDs) != sampleRows {
		t.Fatalf("%d rows, %d ids", in.X.Rows, len(in.Table.IDs))
	}
	g, err := in.MinVolume.Model.Predict(nil, in.X)
	if err != nil {
		t.Fatal(err)
	}
	for j, id := range in.Table.IDs {
		i, _ := strconv.Atoi(id[1:])
		if in.X.At(j, 0) != float64(i) || in.X.At(j, 1) != float64((i*7919)%rows) ||
			in.Table.Classes[in.Table.Class[j]] != "k"+strconv.Itoa(i%3) {
			t.Fatalf("%s: %v of class %d of %q", id, in.X.Row(j), in.Table.Class[j], in.Table.Classes)
		}
		for l, v := range in.MinVolume.Model.Memberships.Row(j) {
			if !near(v, g.At(j, l), 1e-9) {
				t.Fatalf("%s: memberships %v, not %v", id, in.MinVolume.Model.Memberships.Row(j), g.Row(j))
			}
		}
	}
	html, err := in.HTML()
	if err != nil {
		t.Fatal(err)
	}
	page := string(html)
	for _, want := range []string{"7200 rows, 2 columns", "1000 of 7200 rows are shown, evenly drawn",
		"1200 rows with missing values are left out", "Memberships in the global simplex: 2000 of 7200 rows"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if table := pageTable(t, page, "Rows by class"); strings.Count(table, " 2400 ") != 3 {
		t.Error(table)
	}
	must(t, strings.Fields("fit -k 2 -o g.csv -missing drop -label kind -stream yes data.csv")...)
	if readFile(t, "g.csv") != memberships.String() {
		t.Error("fit writes other memberships")
	}
}

// A large file is read in blocks, unless it has too many columns for the sums.
func TestReportStreamChoice(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.csv")
	for columns, want := range map[int]bool{2: true, statsColumns: true, statsColumns + 1: false} {
		row := strings.Repeat("1,", columns-1) + "1\n"
		writeText(t, name, strings.Repeat(row, 1<<20/len(row))) // more than a chunk
		if err := os.Truncate(name, streamSize+1); err != nil {
			t.Fatal(err)
		}
		f, err := parseReport([]string{"-o", "-", "-guess", "no", name})
		if err != nil {
			t.Fatal(err)
		}
		s, err := f.open(t.Context(), streams{in: strings.NewReader(""),
			out: new(strings.Builder), err: new(strings.Builder)})
		if err != nil {
			t.Fatal(err)
		}
		if b, err := f.blocks(s); err != nil || b != nil != want {
			t.Errorf("%d columns: %v, %v", columns, b != nil, err)
		}
		s.close()
	}
}

func TestReportStreamUsage(t *testing.T) {
	short := filepath.Join(t.TempDir(), "short.csv")
	writeText(t, short, "a\nb\n")
	for _, f := range []failure{
		{"-stream yes", 2, "standard input can be read only once"},
		{"-stream yes -weights 1 " + iris, 2, "-stream yes does not go with -weights"},
		{"-stream yes -missing mean " + iris, 2, "-stream yes goes with -missing drop only"},
		{"-stream yes -k 151 " + iris, 2, "a page shows at most 64 prototypes"},
		{"-stream yes -k 2 -image 3x3 " + iris, 1, "-image 3x3 needs 9 columns, not 4"},
		{"-stream yes -k 3 " + short, 1, "short.csv: "},
		{"-stream yes -k 2 -classes " + short + " " + iris, 1,
			short + ": classes of 2 rows, but " + iris + " has 150 rows"},
	} {
		f.args = "report -o - " + f.args
		f.check(t)
	}
	square := filepath.Join(t.TempDir(), "square.csv")
	writeText(t, square, "1,0\n0,1\n-1,0\n0,-1\n")
	failure{"report -o - -stream yes " + square, 1,
		"square.csv: no k is proposed: no direction stands out"}.check(t)
	failure{"report -o - -k 5 -stream yes " + square, 1, "give a k of at most the number of rows"}.check(t)
	// Equal rows, one column, more prototypes than directions.
	for _, text := range []string{strings.Repeat("1,2\n", 3), strings.Repeat("0.1,0.7\n", 7),
		"4\n7\n9\n", "0.1,0\n0.1,1\n0.1,5\n"} {
		writeText(t, square, text)
		for _, k := range []string{"1", "2", "3"} {
			out := must(t, "report", "-k", k, "-o", filepath.Join(filepath.Dir(square), "p.html"), "-stream",
				"yes", square)
			if equal := strings.HasPrefix(text, "1,2") ||
				strings.HasPrefix(text, "0.1,0.7"); equal != strings.Contains(out, "All rows are equal") {
				t.Errorf("%q, k = %s: %s", text, k, out)
			}
		}
	}
	if left, err := os.ReadDir(filepath.Dir(square)); err != nil || len(left) != 2 {
		t.Errorf("%d files, %v", len(left), err)
	}
}
