package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"softkmeans/internal/answer"
	"softkmeans/internal/npy"
	"softkmeans/metrics"
)

// evaluationJSON is what -json prints.
type evaluationJSON struct {
	Truth, Labels struct {
		Source, Column string
		Values         []string
	}
	Rows                      int
	Accuracy                  *float64
	NMI, Purity, AdjustedRand float64
	Counts                    [][]int
}

// The measures are those of the package, for fits of all data sets.
func TestEvaluateSets(t *testing.T) {
	for _, name := range sets {
		g := filepath.Join(t.TempDir(), "g.csv")
		data, classes := someRows(t, setFile(name), 5), someRows(t, truthFile(name), 5)
		truth := readInts(t, classes)
		k := slices.Max(truth) + 1
		if code, _, stderr := do(t, "", "fit", "-method", "global", "-k",
			strconv.Itoa(k), "-o", g, data); code != 0 {
			t.Fatal(stderr)
		}
		text, err := os.ReadFile(g)
		if err != nil {
			t.Fatal(err)
		}
		_, labels, _ := parseMemberships(t, string(text))
		var want [4]float64
		for i, f := range []func(a, b []int) (float64, error){metrics.Accuracy, metrics.NMI,
			metrics.Purity, metrics.AdjustedRand} {
			if want[i], err = f(truth, labels); err != nil {
				t.Fatal(err)
			}
		}
		code, report, _ := do(t, "", "evaluate", "-json", classes, g)
		got := parseJSON[evaluationJSON](t, report)
		if code != 0 || *got.Accuracy != want[0] || !near(got.NMI, want[1], 1e-12) || got.Purity != want[2] ||
			!near(got.AdjustedRand, want[3], 1e-12) ||
			got.Rows != len(truth) || got.Labels.Column != "label" || got.Truth.Source != classes {
			t.Errorf("%s: %s\nwant %v", name, report, want)
		}
		for i, a := range got.Truth.Values {
			for j, b := range got.Labels.Values {
				n := 0
				for r := range truth {
					if strconv.Itoa(truth[r]) == a && strconv.Itoa(labels[r]) == b {
						n++
					}
				}
				if got.Counts[i][j] != n {
					t.Errorf("%s: %d of class %s in cluster %s, want %d", name, got.Counts[i][j], a, b, n)
				}
			}
		}
	}
}

// Columns are found by name or number, in one file or two, or in a pipe.
func TestEvaluateColumns(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string { return writeText(t, filepath.Join(dir, name), text) }
	flowers := write("flowers.csv",
		"width,species,found\n1,setosa,9\n2,other,8\n3,setosa,9\n4,\"Iris, blue\",8\n")
	labels := write("labels.csv", "label,p0,p1\n7,1,0\n5,0,1\n7,1,0\n5,0,1\n")
	spaced := write("spaced.csv", "a;label\nx;q\ny;r\nx;q\nz;r\n")
	plain := write("plain.csv", "1\n10\n1\n2\n")
	packed := write("packed.csv", gzipped(t, "label,p0,p1\n7,1,0\n5,0,1\n7,1,0\n5,0,1\n"))
	var b bytes.Buffer
	if err := errors.Join(npy.WriteHeader(&b, 4, 2),
		npy.WriteValues(&b, []float64{0, 1, 0, 10, 0, 1, 0, 2})); err != nil {
		t.Fatal(err)
	}
	array := write("array.npy", b.String())
	for _, test := range []struct{ args, stdin string }{
		{plain + " " + packed, ""},
		{"-truth 2 " + array + " " + packed, ""},
		{"-truth species " + flowers + " " + labels, ""},
		{"-truth 2 -labels label " + flowers + " " + labels, ""},
		{"-truth species -labels found " + flowers + " " + flowers, ""},
		{flowers + " -truth 2 -labels 3 " + flowers, ""},
		{"-truth a " + spaced + " " + spaced + " -delimiter ;", ""},
		{plain + " " + labels, ""},
		{"- " + labels, "1\n10\n1\n2\n"},
		{plain + " -", "label\n3\n4\n3\n4\n"},
		{"-header no " + plain + " -", "3\n4\n3\n4\n"},
		{"-header yes - " + labels, "2001\n3\n4\n3\n7\n"},
	} {
		code, report, stderr := do(t, test.stdin,
			append([]string{"evaluate"}, strings.Fields(test.args)...)...)
		if code != 0 || value(t, report, "ACC") != 0.75 || value(t, report, "purity") != 0.75 ||
			!strings.Contains(report, "4 rows in 3 classes") ||
			!strings.Contains(report, "4 rows in 2 clusters") {
			t.Errorf("%q: code %d, %s\n%s", test.args, code, stderr, report)
		}
	}
	// Classes are ordered as numbers if all are numbers, else as words.
	_, report, _ := do(t, "", "evaluate", plain, labels)
	if !strings.HasSuffix(report,
		"\n       5  7  sum\n  1    0  2    2\n  2    1  0    1\n  10   1  0    1\n  sum  2  2    4\n") {
		t.Errorf("%s", report)
	}
	_, report, _ = do(t, "", "evaluate", "-truth", "species", flowers, labels)
	if !strings.HasSuffix(report, "\n              5  7  sum\n  Iris, blue  1  0    1\n"+
		"  other       1  0    1\n  setosa      0  2    2\n  sum         2  2    4\n") {
		t.Errorf("%s", report)
	}
}

// A table of counts that is cut still counts all rows.
func TestWriteCounts(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {3, 2}, {20, 20}, {21, 3}, {3, 21}, {50, 70}, {1, 300}} {
		var classes, clusters []string
		for i := range size[0] {
			classes = append(classes, fmt.Sprintf("class %d", i))
		}
		for j := range size[1] {
			clusters = append(clusters, strings.Repeat("x", j%30)+strconv.Itoa(j))
		}
		counts := make([][]int, size[0])
		total, left := 0, 0
		for i := range counts {
			counts[i] = make([]int, size[1])
			for j := range counts[i] {
				counts[i][j] = (7*i + 11*j) % 13
				total += counts[i][j]
			}
		}
		b := bytes.NewBuffer(answer.Text([]answer.Section{{Table: answer.CountsTable(classes, clusters, counts, answer.LineWidth)}}, false))
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		if want := min(size[0], 20+1) + 2; len(lines) != want {
			t.Fatalf("%v: %d lines, want %d:\n%s", size, len(lines), want, b)
		}
		if others := fmt.Sprintf("  %d others ", size[0]-20); strings.Contains(b.String(),
			others) != (size[0] > 20) {
			t.Errorf("%v: others, in\n%s", size, b)
		}
		for i, line := range lines[1:] {
			if n := len([]rune(line)); n > answer.LineWidth {
				t.Errorf("%v: line of %d characters", size, n)
			}
			fields := strings.Fields(line)
			last, err := strconv.Atoi(fields[len(fields)-1])
			if err != nil {
				t.Fatalf("%v: %s", size, line)
			}
			if i == len(lines)-2 { // the sums of the columns
				last *= 2
				for _, s := range fields[1:] {
					v, _ := strconv.Atoi(s)
					last -= v
				}
				if left -= total; last != 0 {
					t.Errorf("%v: the columns' sums do not add up:\n%s", size, b)
				}
				break
			}
			left += last
		}
		if left != 0 {
			t.Errorf("%v: the rows' sums are off by %d of %d", size, left, total)
		}
	}
}

// For very many classes neither the matching nor the table is computed.
func TestEvaluateManyClasses(t *testing.T) {
	var a, b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&a, "%d\n", i)
		fmt.Fprintf(&b, "%d\n", 3000-i)
	}
	truth := writeText(t, filepath.Join(t.TempDir(), "a.csv"), a.String())
	code, report, stderr := do(t, b.String(), "evaluate", truth, "-")
	if code != 0 || value(t, report, "NMI") != 1 || !strings.Contains(lined(report),
		"ACC - not computed for so many") || strings.Contains(report, "across") {
		t.Errorf("code %d, %s\n%s", code, stderr, report)
	}
	code, report, _ = do(t, b.String(), "evaluate", "-json", truth, "-")
	if got := parseJSON[evaluationJSON](t, report); code != 0 || got.Accuracy != nil ||
		got.Counts != nil || got.NMI != 1 {
		t.Errorf("code %d, %.300s", code, report)
	}
}

func TestEvaluateUsage(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string { return writeText(t, filepath.Join(dir, name), text) }
	three, four, six := write("three.csv", "1\n2\n1\n"), write("four.csv", "label\n1\n2\n1\n2\n"),
		write("six.csv", "1\n2\n1\n2\n3\n3\n")
	two := write("two.csv", "a,b\n1,2\n3,4\n5,6\n")
	empty := write("empty.csv", "")
	for _, f := range []failure{
		{"", 2, "evaluate takes 2 files, the classes and the labels, not 0"},
		{three, 2, "not 1"},
		{three + " " + three + " " + three, 2, "evaluate takes 2 files, not 3"},
		{"- -", 2, "standard input can be read only once"},
		{"-label a " + three + " " + three, 2, "not defined: -label"},
		{"-delimiter ab " + three + " " + three, 2, "must be auto, tab, space"},
		{three + " missing.csv", 1, "open missing.csv: "},
		{"missing.csv " + three, 1, "open missing.csv: "},
		{empty + " " + three, 1, empty + ": "},
		{three + " " + two, 1, two + ":"},
		{"-truth c " + two + " " + three, 1, two + ":"},
		{"-labels 3 " + three + " " + two, 1, two + ":"},
		{three + " " + four, 1, three + " has 3 rows, but " + four + " has 4 rows; both files must contain the " +
			"same rows; if line 1 of one of them is taken wrongly for a header or a row, give -header " +
			"yes or no\n"},
		{three + " " + six, 1, three + " has 3 rows, but " + six +
			" has 6 rows; both files must contain the same rows\n"},
	} {
		f.args = "evaluate " + f.args
		f.check(t)
	}
	for _, names := range [][2]string{{"", "-"}, {"-", ""}, {"", three}} {
		if code, _, stderr := do(t, "1\n2\n", "evaluate", names[0], names[1]); code != 2 ||
			!strings.HasPrefix(stderr, "softkmeans: the name of a file is empty") {
			t.Errorf("%q: code %d, %q", names, code, stderr)
		}
	}
	r, w := io.Pipe()
	defer w.Close()
	var stderr bytes.Buffer
	if code := runFor(t, 10, []string{"evaluate", three, "-"}, r, &stderr); code != 1 ||
		stderr.String() != "softkmeans: interrupted; no file was written\n" {
		t.Errorf("code %d, %q", code, &stderr)
	}
}

// Rows that a fit has left out have no label, and are not compared. A file may be UTF-16.
func TestEvaluateEmpty(t *testing.T) {
	inFolder(t, "id,kind,v,w\na,x,1,2\nb,y,,1\nc,y,8,9\nd,,2,1\ne,x,1,1\nf,y,9,9\n")
	must(t, strings.Fields("fit -k 2 -missing drop -label kind -others no -o g.csv data.csv")...)
	var wide strings.Builder
	for _, r := range "\ufeff" + strings.ReplaceAll(readFile(t, "data.csv"), ",", "\t") {
		wide.WriteString(string([]byte{byte(r), byte(r >> 8)}))
	}
	writeText(t, "wide.txt", wide.String())
	for _, truth := range []string{"data.csv", "wide.txt"} {
		text := must(t, strings.Fields("evaluate -truth kind "+truth+" g.csv")...)
		if !strings.Contains(text, truth+", column kind: 4 rows in 2 classes\ng.csv, column label: 4 rows "+
			"in 2 clusters\n2 rows without a class or a label are left out.\n") ||
			!strings.Contains(text, "ACC            1.0000") {
			t.Error(text)
		}
		text = must(t, strings.Fields("evaluate -json -truth kind "+truth+" g.csv")...)
		if !strings.Contains(text, "\"rows\": 4,\n\t\"left\": 2,") {
			t.Error(text)
		}
	}
	writeText(t, "none.csv", "label,p0\n,\n,\n,\n,\n,\n,\n")
	failure{"evaluate -truth kind data.csv none.csv", 1,
		"data.csv, none.csv: every row lacks a class or a label"}.check(t)
}
