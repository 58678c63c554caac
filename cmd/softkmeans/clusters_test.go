package main

import (
	"encoding/csv"
	"os"
	"slices"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/modelfile"
)

// TestProbabilities: the columns of -o -details are Model.ClusterProbabilities of the model file, of fits in
// memory and in blocks, of standardized columns, of counts, of known prototypes and of sparse rows, and
// predict writes the same. parseMemberships checks that they add up to 1. -means writes the file's means.
func TestProbabilities(t *testing.T) {
	inFolder(t, readFile(t, "../../testdata/iris.csv"))
	writeText(t, "known.csv", "name,c1,c2,c3,c4\n\"a, b\",5,3.4,1.4,.2\n")
	writeText(t, "s.svm", "7 1:1 3:2\n7 2:4\n7 1:1.5 3:2.2\n7 2:3.5 9:1\n7 5:1\n7 1:.8 3:1.7\n7 2:4.4 8:.3\n")
	for _, c := range []struct{ file, flags string }{
		{"data.csv", "-k 3 -others no"}, {"data.csv", "-k 3"}, {"data.csv", "-k 3 -stream yes"}, {"data.csv", "-k 4 -scale zscore"},
		{"data.csv", "-k 3 -method alternating"}, {"data.csv", "-k 3 -scale counts"}, {"data.csv", "-k 3 -known known.csv"},
		{"data.csv", "-k 12 -stream yes"}, {"s.svm", "-k 2"},
	} {
		args := append(strings.Fields("fit -json -details -o g.csv -means means.csv -model m.json "+c.flags), c.file)
		report := parseJSON[answer.Answer](t, must(t, args...))
		file, err := os.Open("m.json")
		if err != nil {
			t.Fatal(err)
		}
		m, err := modelfile.Read(file)
		file.Close()
		if err != nil || !hasProbabilities(m.Model) {
			t.Fatalf("%s: %v", args, err)
		}
		fitted := readFile(t, "g.csv")
		if !strings.Contains(c.flags, "known") { // labels are numbers
			parseMemberships(t, fitted)
		}
		probabilities := columnsNamed(t, fitted, answer.ProbabilityName+"_")
		if len(probabilities) != report.Rows || len(probabilities[0]) != m.K() {
			t.Fatalf("%s: %d columns", args, len(probabilities[0]))
		}
		if c.file == "data.csv" && !strings.Contains(c.flags, "counts") {
			x, err := softkmeans.FromRows(columnsNamed(t, readFile(t, "data.csv"), ""))
			if err != nil {
				t.Fatal(err)
			}
			(&modelFile{m}).scaling().Apply(x.Data)
			want, err := m.Model.ClusterProbabilities(nil, x)
			if err != nil || !slices.EqualFunc(answer.RowsOf(want), probabilities, slices.Equal) {
				t.Errorf("%s: not those of the model, %v", args, err)
			}
		}
		predicted(t, "-model", "m.json", "-details", "-o", "p.csv", c.file)
		again := readFile(t, "p.csv")
		for i, row := range columnsNamed(t, again, answer.ProbabilityName) {
			if !slices.EqualFunc(row, columnsNamed(t, fitted, answer.ProbabilityName)[i], func(a, b float64) bool { return near(a, b, 1e-9) }) {
				t.Fatalf("%s: row %d has %v, predict %v", args, i, probabilities[i], row)
			}
		}
		checkMeans(t, report, m)
	}
}

// checkMeans compares the file of -means with the report, and with the model's means, in the table's units.
func checkMeans(t *testing.T, report answer.Answer, m *modelfile.File) {
	t.Helper()
	text := readFile(t, "means.csv")
	if want := "cluster,size,weight," + strings.Join(report.Columns, ",") + "\n0,"; !strings.HasPrefix(text, want) {
		t.Errorf("%.60s, not %s", text, want)
	}
	means := m.Model.ClusterMeans.Clone()
	(&modelFile{m}).scaling().Undo(means.Data)
	of := report.Clusters
	if p := report.Probability; p == nil || *p < .5 || *p > 1 || report.Doubt != m.Model.ClusterDoubt {
		t.Errorf("%v, %v", p, report.Doubt)
	}
	rows := 0
	for j, row := range columnsNamed(t, text, "") {
		rows += of[j].Rows
		if int(row[0]) != j || int(row[1]) != of[j].Rows || row[2] != of[j].Weight || of[j].Weight != m.Model.ClusterWeights[j] || !slices.Equal(row[3:], of[j].Mean) ||
			!slices.EqualFunc(row[3:], means.Row(j), func(a, b float64) bool { return near(a, b, 1e-12) }) {
			t.Errorf("cluster %d: %v, not %v", j, row, means.Row(j))
		}
	}
	if rows != report.Rows {
		t.Errorf("%d rows of %d", rows, report.Rows)
	}
}

// columnsNamed returns the numbers of the columns whose names begin so. A line of numbers alone is no header.
func columnsNamed(t *testing.T, text, begin string) (rows [][]float64) {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if begin != "" || strings.HasPrefix(text, "cluster,") {
		for j, name := range lines[0] {
			if !strings.HasPrefix(name, begin) {
				for i := range lines {
					lines[i][j] = ""
				}
			}
		}
		lines = lines[1:]
	}
	for _, line := range lines {
		var row []float64
		for _, field := range line {
			if field != "" {
				row = append(row, parsed(t, field))
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// TestMeansFlag: methods without clusters refuse -means.
func TestMeansFlag(t *testing.T) {
	inFolder(t, "1,2\n3,4\n5,7\n")
	for _, method := range []string{"global", "lsd"} {
		code, _, stderr := do(t, "", "fit", "-k", "2", "-method", method, "-means", "m.csv", "data.csv")
		if code != 2 || !strings.Contains(stderr, "-means is only for -method minvol and alternating") {
			t.Errorf("%s: %d, %s", method, code, stderr)
		}
	}
}
