package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"softkmeans/internal/answer"
)

// bagOfWords is a small table of counts: 60 documents of 3 topics, 40 words.
func bagOfWords() [][]float64 {
	random := rand.New(rand.NewPCG(4, 5))
	list := make([][]float64, 60)
	for i := range list {
		list[i] = make([]float64, 40)
		for range 12 {
			word := random.IntN(40)
			if random.IntN(3) > 0 {
				word = 13*(i%3) + random.IntN(13)
			}
			list[i][word]++
		}
	}
	return list
}

// tableOf reads CSV without a header.
func tableOf(t *testing.T, text string) (list [][]float64) {
	t.Helper()
	for line := range strings.Lines(text) {
		var row []float64
		for _, field := range strings.Split(strings.TrimSpace(line), ",") {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, v)
		}
		list = append(list, row)
	}
	return list
}

// writeSparse writes a table as NAME.csv, NAME.mtx and NAME.svm. Zeros are stored in the first
// alone. A label is the number of the row modulo 3.
func writeSparse(t *testing.T, name string, list [][]float64) {
	t.Helper()
	var text, market, svm strings.Builder
	stored := 0
	for i, row := range list {
		fmt.Fprint(&svm, i%3)
		for j, v := range row {
			fmt.Fprint(&text, strings.Repeat(",", min(j, 1)), v)
			if v != 0 {
				stored++
				fmt.Fprintf(&market, "%d %d %v\n", i+1, j+1, v)
				fmt.Fprintf(&svm, " %d:%v", j+1, v)
			}
		}
		text.WriteByte('\n')
		svm.WriteByte('\n')
	}
	writeText(t, name+".csv", text.String())
	writeText(t, name+".svm", svm.String())
	writeText(t, name+".mtx", fmt.Sprintf("%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n%s",
		len(list), len(list[0]), stored, market.String()))
}

// sameTables checks that two files of CSV have the same header and about the same numbers.
func sameTables(t *testing.T, got, want string, tol float64) {
	t.Helper()
	header, a, _ := strings.Cut(readFile(t, got), "\n")
	wanted, b, _ := strings.Cut(readFile(t, want), "\n")
	x, y := tableOf(t, a), tableOf(t, b)
	if header != wanted || len(x) != len(y) {
		t.Fatalf("%s: %q and %d rows, want %q and %d", got, header, len(x), wanted, len(y))
	}
	for i := range x {
		for j := range x[i] {
			if !near(x[i][j], y[i][j], tol*(1+math.Abs(y[i][j]))) {
				t.Fatalf("%s: row %d: %v, want %v", got, i, x[i], y[i])
			}
		}
	}
}

// A fit of a sparse file is that of the table with its zeros, as are its model, its floors and what
// predict makes of it.
func TestSparseAgrees(t *testing.T) {
	source := readFile(t, iris)
	inFolder(t, "")
	writeSparse(t, "bag", bagOfWords())
	writeSparse(t, "iris", tableOf(t, source))
	for _, flags := range []string{"global", "global -sum at-most-one", "global -weights 2 -drop 3",
		"global -label 1", "global -solver gram -enclosure tight", "minvol -others no",
		"minvol -others no -weights 2 -drop 3", "minvol -sum at-most-one -lambda 5", "alternating -label 1"} {
		for _, name := range []string{"bag", "iris"} {
			if name == "iris" && strings.Contains(flags, " -s") {
				continue // as for bag
			}
			args := "fit -k 3 -json -details -scale none -method " + flags
			global := strings.HasPrefix(flags, "global")
			var want *answer.Answer
			for _, end := range []string{".csv", ".mtx", ".svm"} {
				out := end[1:] + "-"
				got := parseJSON[*answer.Answer](t, must(t,
					strings.Fields(args+" -o "+out+"g -centers "+out+"f -model "+out+"m "+name+end)...))
				stdout := predicted(t, strings.Fields("-details -o "+out+"p -model "+out+"m "+name+end)...)
				if want == nil {
					want = got
					continue
				}
				if notes := strings.Join(got.Notes, "\n"); !strings.Contains(notes,
					"the rows are sparse: ") || !strings.Contains(stdout, "The rows are sparse: ") {
					t.Errorf("%s: %q, %q", name+end, notes, stdout)
				}
				c, w := got.Certificate, want.Certificate
				if c.Certified != (global || w.Certified) || !near(c.Objective, w.Objective, 1e-10*w.Total) ||
					!near(c.Floor, w.Floor, 1e-10*w.Total) || !near(c.Total, w.Total, 1e-10*w.Total) ||
					!near(*c.Explained, *w.Explained, 1e-10) ||
					fmt.Sprint(got.Sizes) != fmt.Sprint(want.Sizes) || got.Rows != want.Rows {
					t.Errorf("%s %s: %+v, want %+v", name+end, flags, c, w)
				}
				for _, file := range []string{"g", "f", "p"} {
					sameTables(t, out+file, "csv-"+file, 1e-10)
				}
				for p, d := range want.Prototypes {
					for i, c := range d.Columns {
						if v := got.Prototypes[p].Columns[i]; !near(v.Value, c.Value, 1e-9) {
							t.Errorf("%s: %+v, want %+v", name+end, v, c)
						}
					}
				}
				predicted(t, strings.Fields("-details -o x -model csv-m "+name+end)...)
				sameTables(t, "x", "csv-p", 1e-10)
				predicted(t, strings.Fields("-details -o x -model "+out+"m "+name+".csv")...)
				sameTables(t, "x", "csv-p", 1e-10)
			}
		}
	}
	want := must(t, "floors", "-o", "want", "-scale", "none", "bag.csv")
	got := must(t, "floors", "-o", "got", "bag.mtx")
	if floors := readFile(t, "got"); strings.Count(floors, "\n") != strings.Count(readFile(t, "want"), "\n") {
		t.Errorf("%q", floors)
	}
	_, proposal, _ := strings.Cut(want, "Proposed: ")
	proposal, _, _ = strings.Cut(proposal, "\n\n")
	if proposal == "" || !strings.Contains(got, "Proposed: "+proposal+"\n\n") {
		t.Errorf("%s, want\n%s", got, want)
	}
	auto := parseJSON[answer.Answer](t, must(t, "fit", "-method", "global", "-k", "auto", "-json", "bag.svm"))
	if !strings.HasPrefix(lined(proposal), fmt.Sprintf("k = %d, since %s.", auto.K, auto.Choice.Reason)) {
		t.Errorf("k = %d, %s; want %s", auto.K, auto.Choice.Reason, proposal)
	}
}

// Other commands and methods take a sparse file with its zeros, and the labels of svmlight
// where they take classes.
func TestSparseFilled(t *testing.T) {
	inFolder(t, "")
	writeSparse(t, "bag", bagOfWords())
	same := func(got, want string) {
		t.Helper()
		_, a, _ := strings.Cut(got, "\n\n") // after the head
		if _, b, _ := strings.Cut(want, "\n\n"); len(differences(a, b)) > 0 {
			t.Errorf("%s, want\n%s", got, want)
		}
	}
	for _, args := range []string{"fit -k 3 -others no -o g -model m", "fit -k 3 -method lsd",
		"fit -k 2 -method global -stream yes -scale zscore", "fit -k 3 -stream yes"} {
		for _, end := range []string{".mtx", ".svm"} {
			same(must(t, strings.Fields(args+" bag"+end)...), must(t, strings.Fields(args+" bag.csv")...))
		}
	}
	for _, end := range []string{".mtx", ".svm"} { // a model with labels of its own
		predicted(t, "-model", "m", "-o", "p", "-details", "bag"+end)
		predicted(t, "-model", "m", "-o", "want", "-details", "bag.csv")
		sameTables(t, "p", "want", 1e-12)
	}
	same(must(t, "certify", "-scale", "none", "-centers", "bag.mtx", "bag.svm"),
		must(t, "certify", "-scale", "none", "-centers", "bag.csv", "bag.csv"))
	writeText(t, "classes.csv", "label\n"+strings.Repeat("0\n1\n2\n", 20))
	if got, want := must(t, "evaluate", "bag.svm", "g"),
		must(t, "evaluate", "classes.csv", "g"); got != strings.ReplaceAll(want, "classes.csv", "bag.svm") {
		t.Errorf("%s, want\n%s", got, want)
	}
	must(t, "report", "-k", "3", "-o", "own.html", "bag.svm")
	if page := readFile(t, "own.html"); !strings.Contains(page, "Rows by class") {
		t.Error("the page has no classes")
	}
}

// New rows of svmlight may have fewer columns than the model, since the file does not say how
// many there are. More are an error.
func TestSparseFewerColumns(t *testing.T) {
	inFolder(t, "")
	writeSparse(t, "bag", bagOfWords())
	must(t, "fit", "-method", "global", "-k", "3", "-model", "m", "bag.mtx")
	must(t, "fit", "-method", "global", "-k", "3", "-drop", "1-2", "-model", "dropped", "bag.mtx")
	must(t, "fit", "-k", "3", "-others", "no", "-model", "minvol", "bag.csv")
	writeText(t, "few.svm", "1 2:3 5:1\n2 3:1\n")
	row := "0,3,0,0,1" + strings.Repeat(",0", 35) + "\n0,0,1" + strings.Repeat(",0", 37) + "\n"
	writeText(t, "few.csv", row)
	for _, model := range []string{"m", "dropped", "minvol"} {
		predicted(t, "-model", model, "-o", "got", "few.svm")
		predicted(t, "-model", model, "-o", "want", "-header", "no", "few.csv")
		sameTables(t, "got", "want", 1e-12)
		code, stdout, _ := do(t, readFile(t, "few.svm"), "predict", "-model", model)
		if code != 0 || stdout != readFile(t, "got") {
			t.Errorf("%s: code %d, %s", model, code, stdout)
		}
	}
	writeText(t, "more.svm", "1 2:3 41:1\n")
	writeText(t, "far.svm", strings.Repeat("1 2:3000 5:1\n", 3))
	writeText(t, "less.mtx", "%%MatrixMarket matrix coordinate real general\n1 3 1\n1 1 1\n")
	for _, f := range []failure{
		{"predict -model m more.svm", 1, "more.svm: 41 columns, but the model has 40"},
		{"predict -model m less.mtx", 1, "less.mtx: 3 columns, but the model has 40"},
	} {
		f.check(t)
	}
	_, _, stderr := do(t, "", "predict", "-model", "m", "far.svm")
	for _, want := range []string{"3 rows are farther from the prototypes than any row of the fit", "row 1 ("} {
		if !strings.Contains(stderr, want) {
			t.Errorf("no %q in %s", want, stderr)
		}
	}
}

// lined is the text in one line.
func lined(text string) string { return strings.Join(strings.Fields(text), " ") }

// Of files that are too large to fill there are floors up to -most, and no proposal.
func TestSparseLarge(t *testing.T) {
	inFolder(t, "")
	var market strings.Builder
	market.WriteString("%%MatrixMarket matrix coordinate real general\n34000 4000 3150\n")
	for i := range 1050 {
		fmt.Fprintf(&market, "%d %d 3\n%d %d 4\n%d %d 1.5\n", 32*i+1, i%7+1,
			32*i+9, i%5*200+9, 32*i+11, 3*i+1)
	}
	writeText(t, "large.mtx", market.String())
	text := must(t, "floors", "-most", "3", "-o", "floors", "large.mtx")
	for _, want := range []string{"large.mtx: 34000 rows, 4000 columns.\nThe rows are sparse: 3150 entries, " +
		"0.00 % of all, are stored",
		"No k is proposed: the floors beyond k = 3 are not computed, and a proposal needs all."} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if list := strings.Split(readFile(t, "floors"), "\n"); len(list) != 5 {
		t.Errorf("%q", list)
	}
	report := must(t, "fit", "-v", "-method", "global", "-k", "3", "-o", "g", "-centers",
		"f", "-model", "m", "large.mtx")
	if !strings.Contains(report, "\nCertified: ") ||
		!strings.Contains(report, "These are the 20 of 4000 columns") {
		t.Error(report)
	}
	if text := must(t, "certify", "-centers", "f", "-memberships", "g",
		"large.mtx"); !strings.Contains(text, "\nCertified: ") {
		t.Error(text)
	}
	if n := strings.Count(readFile(t, "f"), "\n"); n != 4 {
		t.Errorf("%d lines of centers", n)
	}
	predicted(t, "-model", "m", "-o", "p", "large.mtx")
	sameMemberships(t, "p", "g")
	report = must(t, "fit", "-k", "3", "-o", "g", "-model", "m", "large.mtx")
	if !strings.Contains(lined(report), "Other answers were not looked for: ") {
		t.Error(report)
	}
	predicted(t, "-model", "m", "-o", "p", "large.mtx")
	sameMemberships(t, "p", "g")
	for _, f := range []failure{
		{"fit -k 3 -scale zscore large.mtx", 1, "large.mtx: 34000 rows of 4000 columns take 1.09 GB with " +
			"all their zeros, more than 1; -stream yes fills in a block at a time; fit, floors and " +
			"certify take the rows without their zeros"},
		{"fit -k 3 -bootstrap 9 large.mtx", 1, "take 1.09 GB with all their zeros, more than 1; -stream"},
		{"fit -k 3 -plain large.mtx", 1, "take 1.09 GB with all their zeros, more than 1; -stream"},
		{"fit -k 3 -method lsd large.mtx", 1,
			"take 1.09 GB with all their zeros, more than 1; fit, floors and certify"},
		{"report -k 3 -o x.html large.mtx", 1, "large.mtx: 34000 rows of 4000 columns take 1.09 GB with " +
			"all their zeros, more than 1; -stream yes fills"},
		{"certify -scale zscore -centers f large.mtx", 1, "take 1.09 GB with all their zeros, more than 1; " +
			"fit, floors and certify take the rows without their zeros, if columns are not scaled"},
		{"fit -method global -k auto large.mtx", 1,
			"large.mtx: -k auto takes a sparse file of up to 1024 rows or columns"},
		{"fit -method global -k 3 -scale zscore large.mtx", 1,
			"large.mtx: with -scale zscore the zeros of a sparse file would not stay zeros"},
		{"floors -scale minmax large.mtx", 1,
			"large.mtx: with -scale minmax the zeros of a sparse file would not stay zeros"},
		{"fit -method global -k 3 -solver jacobi large.mtx", 1, "which takes no sparse rows"},
		{"fit -method global -k 34001 large.mtx", 1, "large.mtx: 34000 rows, but -k 34001"},
		{"fit -method global -k 3 -drop x large.mtx", 1,
			"large.mtx: the columns of a sparse file have no names"},
	} {
		f.check(t)
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) != 7 {
		t.Errorf("%s", files(t, "."))
	}
}

// A page in blocks has the floors of up to 4096 columns. No message of a wide file leads to
// another that leads back.
func TestSparseWide(t *testing.T) {
	inFolder(t, "")
	writeText(t, "wide.mtx", "%%MatrixMarket matrix coordinate real general\n30000 5000 2\n1 1 3\n9 5000 4\n")
	for _, f := range []failure{
		{"report -k 2 -o x.html -scale none -stream yes wide.mtx", 1, "5000 columns; floors of a stream " +
			"take at most 4096; without -stream fit, floors and certify take the rows"},
		{"report -k 2 -o x.html -stream no wide.mtx", 1, "take 1.2 GB with all their zeros, more than 1; " +
			"fit, floors and certify take the rows"},
		{"floors -scale none -stream yes wide.mtx", 1,
			"5000 columns; floors of a stream take at most 4096; without -stream fit, floors"},
		{"fit -k 2 -scale minmax wide.mtx", 1,
			"take 1.2 GB with all their zeros, more than 1; -stream yes fills in a block at a time"},
	} {
		f.check(t)
	}
}

// The report says where the zeros are filled in, what it has no line about, and how columns
// that are counted from 0 are called.
func TestSparseNotes(t *testing.T) {
	inFolder(t, "")
	writeSparse(t, "bag", bagOfWords())
	writeText(t, "full.svm", "1 0:1 1:2\n1 0:3 1:1\n2 0:1 1:5\n")
	without := "; the zeros are filled in (" + unfilled + ")"
	for _, test := range []struct{ args, want string }{
		{"fit -k 3 -others no -json bag.mtx", "are stored; columns are not scaled"},
		{"fit -k 3 -others no -scale zscore -json bag.mtx", without},
		{"fit -k 3 -others no -stream yes -json bag.mtx", without},
		{"certify -json -scale zscore -centers bag.mtx bag.mtx", without},
		{"certify -json -centers bag.mtx bag.mtx", "are stored; columns are not scaled"},
		{"fit -k 2 -method global -json full.svm", "6 entries, 100 % of all, are stored; columns are not " +
			"scaled; fits fill in the zeros, since half or more are stored"},
		{"fit -k 2 -method global -json full.svm", "columns are counted from 0, since the file has a " +
			"column 0, which is c1 here; -drop and the like count from 1"},
	} {
		if text := must(t, strings.Fields(test.args)...); !strings.Contains(text, test.want) {
			t.Errorf("%s: %s", test.args, text)
		}
	}
	if text := must(t, "fit", "-k", "2", "full.svm"); !strings.HasPrefix(text,
		"full.svm: 3 rows, 2 columns.\n") {
		t.Error(text)
	}
	figures := func(text string) string {
		_, rest, _ := strings.Cut(text, "\nSquared error\n")
		list, _, _ := strings.Cut(rest, "\nCertificate, ")
		return list
	}
	for _, end := range []string{".mtx", ".svm"} {
		must(t, "fit", "-k", "3", "-method", "global", "-o", "g", "-centers", "f", "-model", "m", "bag"+end)
		filled := must(t, "certify", "-scale", "none", "-centers", "f", "-memberships", "g", "bag.csv")
		for _, of := range []string{"-centers f -memberships g", "-centers f", "-model m"} {
			sparse := must(t, strings.Fields("certify "+of+" bag"+end)...)
			if !strings.Contains(sparse, "\nCertified: ") ||
				len(differences(figures(sparse), figures(filled))) > 0 {
				t.Errorf("%s, want\n%s", sparse, filled)
			}
		}
	}
}

// Hostile sparse files are errors with their place, and entries out of range with row and
// column.
func TestSparseErrors(t *testing.T) {
	inFolder(t, "")
	market := "%%MatrixMarket matrix coordinate real general\n"
	for _, test := range []struct{ text, want string }{
		{market + "2 2 1\n3 1 1\n", `data.csv:3:1: "3" is no row from 1 to 2`},
		{market + "1000000000 1000000000 0\n", "data.csv: 1000000000 rows for 0 entries"},
		{market + "2 2 9\n1 1 1\n", "data.csv: the file is cut: 8 of 9 entries are missing"},
		{market + "2 2 1\n1 2 1e200\n", "data.csv: row 1, column c2: 1e+200 is out of range"},
		{"1 1:2\n1 1:nan\n", `data.csv:2:2: "nan" is not a finite number`},
		{"1 1:2\n1,2 1:3\n", `data.csv:2:1: several labels, "1,2"; a row has one`},
		{gzipped(t, "1 1:2\n1 0:x\n"), `data.csv:2:2: "x" is not a number`},
	} {
		writeText(t, "data.csv", test.text)
		for _, args := range []string{"fit -method global -k 2 data.csv", "fit -k 2 data.csv",
			"floors data.csv", "fit -method global -k 2 -stream yes data.csv"} {
			failure{args, 1, test.want}.check(t)
		}
	}
	writeText(t, "plain.mtx", "3 2 2\n1 1 5\n2 2 4\n")
	writeText(t, "dense.mtx", "1 2\n2 3\n5 1\n7 7\n")
	must(t, "fit", "-k", "1", "dense.mtx")
	writeText(t, "times.csv", "09:30\t10:15\n4\t5\n6\t7\n1\t9\n")
	must(t, "fit", "-k", "1", "times.csv")
	writeText(t, "more.csv", "c1,c2,c3\n1,2,3\n")
	writeText(t, "less.svm", "1 1:2 2:1\n1 1:3\n2 2:4\n1 1:1\n2 2:2\n")
	failure{"certify -centers more.csv less.svm", 1,
		"more.csv: 1 prototype of 3 columns, but less.svm has 2 columns"}.check(t)
	writeText(t, "plain.mtx.gz", gzipped(t, "3 2 2\n1 1 5\n2 2 4\n"))
	writeText(t, "plain.svm", "1:2 3:1\n1:1 2:4\n")
	var long strings.Builder
	for j := range 1000 {
		fmt.Fprintf(&long, "%d:1.5 ", j+1)
	}
	writeText(t, "long.svm", long.String()+"\n")
	for name, want := range map[string]string{
		"plain.mtx":    "plain.mtx: the first line of a .mtx file is missing",
		"plain.mtx.gz": "plain.mtx.gz: the first line of a .mtx file is missing",
		"long.svm":     "long.svm:1:1: this looks like a row of svmlight without its label",
		"plain.svm":    "plain.svm:1:1: this looks like a row of svmlight without its label",
	} {
		failure{"fit -k 1 " + name, 1, want}.check(t)
		failure{"fit -k 1 -stream yes " + name, 1, want}.check(t)
	}
	must(t, "fit", "-k", "1", "-delimiter", "space", "plain.mtx")
	writeText(t, "data.csv", market+"3 2 0\n")
	if text := must(t, "fit", "-method", "global", "-k", "1", "data.csv"); !strings.Contains(text,
		"The rows are sparse: 0 entries, ") {
		t.Error(text)
	}
}
