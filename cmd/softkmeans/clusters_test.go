package main

import (
	"encoding/csv"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/absent"
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

// TestClusterSizes: sizes, weights and means in the file of -means are of the clusters in the file of -o. The
// row's mixture, or the column's mean, stands for a missing value. predict finds the same clusters.
func TestClusterSizes(t *testing.T) {
	inFolder(t, "")
	rng := rand.New(rand.NewPCG(1, 9))
	for range runs(12, 100) {
		n, d := 15+rng.IntN(50), 2+rng.IntN(4)
		x, weights := softkmeans.NewMatrix(n, d, nil), make([]float64, n)
		text := "id,w,a,b,c,d,e"[:len("id,w")+2*d] + "\n"
		for i := range n {
			group := rng.IntN(4)
			weights[i] = float64(1 + rng.IntN(3))
			text += "r" + strconv.Itoa(i) + "," + number(weights[i])
			for j := range d {
				v := max(0, math.Round(300*float64(group*j%4)+100*rng.NormFloat64())/100) // many are 0
				if j > 0 && rng.IntN(3) == 0 {
					v = math.NaN()
				}
				x.Set(i, j, v)
				text += "," + strings.TrimPrefix(number(v), "NaN")
			}
			text += "\n"
		}
		writeText(t, "data.csv", text)
		for _, flags := range []string{"-drop w -missing fit", "-weights w -missing fit",
			"-weights w -missing mean", "-drop w -missing drop", "-weights w -missing fit -scale zscore -k 9"} {
			args := "fit -k 3 -guess no -id id -scale none -o o.csv -means means.csv -centers c.csv -model m.json " +
				flags + " data.csv"
			code, _, stderr := do(t, "", strings.Fields(args)...)
			if code == 1 && strings.Contains(flags, "-missing drop") {
				continue // too few rows without a missing value, or none
			}
			if code != 0 {
				t.Fatalf("%s: %s", args, stderr)
			}
			w := weights
			if strings.Contains(flags, "-drop") {
				w = slices.Repeat([]float64{1}, n)
			}
			checkSizes(t, flags, x.Clone(), w)
		}
	}
}

// checkSizes compares the file of -means with the rows x, and completes these as the flags say.
func checkSizes(t *testing.T, flags string, x *softkmeans.Matrix, weights []float64) {
	t.Helper()
	fitted := columnsNamed(t, readFile(t, "o.csv"), "cluster")
	means := columnsNamed(t, readFile(t, "means.csv"), "")
	_, text, _ := strings.Cut(readFile(t, "c.csv"), "\n")
	shares, centers := columnsNamed(t, readFile(t, "o.csv"), "p"), columnsNamed(t, text, "")
	if strings.Contains(flags, "-missing mean") {
		absent.FillMeans(x.Data, x.Cols, weights)
	}
	sizes, mass := make([]float64, len(means)), make([]float64, len(means))
	sums, all := softkmeans.NewMatrix(len(means), x.Cols, nil), 0.0
	for i, row := range fitted {
		if len(row) == 0 { // left out
			continue
		}
		cluster := int(row[0])
		sizes[cluster]++
		mass[cluster] += weights[i]
		all += weights[i]
		for j, v := range x.Row(i) {
			for a := 0; a < len(centers) && x.At(i, j) != x.At(i, j); a++ {
				if a == 0 {
					v = 0
				}
				v += shares[i][a] * centers[a][j]
			}
			sums.Row(cluster)[j] += weights[i] * v
		}
	}
	for j, row := range means {
		if row[1] != sizes[j] || !near(row[2], mass[j]/all, 1e-12) {
			t.Errorf("%s: cluster %d has %v, not %g rows of weight %g", flags, j, row, sizes[j], mass[j]/all)
		}
		for c, v := range sums.Row(j) {
			if mass[j] > 0 && !near(row[3+c], v/mass[j], 1e-9) {
				t.Errorf("%s: cluster %d has %v, not a mean of %g", flags, j, row, v/mass[j])
			}
		}
	}
	if strings.Contains(flags, "-missing mean") {
		return // predict puts mixtures in place of missing values
	}
	predicted(t, "-model", "m.json", "-id", "id", "-drop", "w", "-o", "p.csv", "data.csv")
	for i, row := range columnsNamed(t, readFile(t, "p.csv"), "cluster") {
		if len(fitted[i]) > 0 && row[0] != fitted[i][0] {
			t.Errorf("%s: row %d is in cluster %g, after predict in %g", flags, i, fitted[i][0], row[0])
		}
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
