package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/internal/table"
	"softkmeans/kernel"
)

// someDistances returns a matrix of distances between every fourth iris row, as CSV with
// names and species, and without its texts.
func someDistances(t *testing.T) (text string, d *softkmeans.Matrix) {
	t.Helper()
	x := readTable(t, iris)
	species := []string{"setosa", "versicolor", "virginica"}
	var rows []int
	head, b := "name,species", ""
	for i := 0; i < x.Rows; i += 4 {
		rows = append(rows, i)
		head += ",row-" + strconv.Itoa(i+1)
	}
	d = softkmeans.NewMatrix(len(rows), len(rows), nil)
	for i, at := range rows {
		b += "row-" + strconv.Itoa(at+1) + "," + species[at/50]
		for j, other := range rows {
			sum := 0.0
			for c, v := range x.Row(at) {
				sum += (v - x.At(other, c)) * (v - x.At(other, c))
			}
			d.Set(i, j, math.Sqrt(sum))
			b += "," + strconv.FormatFloat(d.At(i, j), 'g', -1, 64)
		}
		b += "\n"
	}
	return head + "\n" + b, d
}

// floors of similarities has the numbers of the package, in the report, as JSON and as CSV,
// and fit -k auto takes the number that it proposes.
func TestFloorsSimilar(t *testing.T) {
	text, distances := someDistances(t)
	inFolder(t, text)
	gamma, err1 := kernel.GammaOfDistances(distances)
	similarities, err2 := kernel.Distances(distances, gamma)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	for method, floors := range map[string]func() ([]float64, error){
		"tilsd": func() ([]float64, error) {
			return softkmeans.TILSDFloors(t.Context(), similarities, 7, nil)
		},
		"lsd": func() ([]float64, error) {
			return softkmeans.LSDFloors(t.Context(), similarities, 7, nil)
		},
	} {
		want, err := floors()
		if err != nil {
			t.Fatal(err)
		}
		args := strings.Fields("floors -kernel distances -keep species -most 7 -method " + method +
			" data.csv")
		report := must(t, args...)
		for k, v := range want {
			mark := " "
			if k == 2 {
				mark = "*"
			}
			if line := fmt.Sprintf(" %s%d %s ", strings.TrimLeft(mark+" ", " "), k+1,
				number(v)); !strings.Contains(lined(report), line) {
				t.Errorf("%s: no %q in\n%s", method, line, report)
			}
		}
		j := parseJSON[answer.Answer](t, must(t, append(args, "-json")...))
		if j.Method != method || j.Kernel != "distances" || !near(j.Gamma, gamma, 1e-12) ||
			j.Choice.K == nil || *j.Choice.K != 3 || len(j.Floors) != 7 {
			t.Errorf("%+v", j)
		}
		for i, l := range j.Floors {
			if !near(l.Floor, want[i], 1e-9*j.Total) || !near(*l.Explained, 1-want[i]/j.Total, 1e-9) ||
				(l.Step == nil) != (i == 0) {
				t.Errorf("%+v, want %v", l, want[i])
			}
		}
		must(t, append(args, "-o", "floors.csv")...)
		if list := strings.Split(readFile(t, "floors.csv"), "\n"); len(list) != 9 ||
			list[0] != "k,floor,explained,step" {
			t.Errorf("%q", list)
		}
		fitted := must(t, strings.Fields("fit -v -k auto -kernel distances -keep species -o "+
			"g.csv -method "+method+" data.csv")...)
		_, proposal, _ := strings.Cut(report, "\nProposed: ")
		proposal, _, _ = strings.Cut(proposal, "\n\n")
		floor := value(t, fitted, "floor") // by duality for lsd
		if !strings.Contains(fitted, "Proposed: "+proposal) || floor < want[2]-1e-8*want[0] ||
			near(floor, want[2], 1e-8*want[0]) == strings.Contains(fitted, "proved by duality") {
			t.Errorf("no %q, or floor %g, in\n%s", proposal, want[2], fitted)
		}
		if lines := strings.Split(readFile(t, "g.csv"), "\n"); !strings.HasPrefix(lines[0],
			"name,species,label,p0") || !strings.HasPrefix(lines[1], "row-1,setosa,") {
			t.Errorf("%q", lines[:2])
		}
	}
}

// Without an answer, fit -k auto says so, and floors has its floors.
func TestSimilarNoNumber(t *testing.T) {
	inFolder(t, "1,.5,-.2\n.5,1,.1\n-.2,.1,1\n")
	code, _, stderr := do(t, "", strings.Fields("fit -k auto -method tilsd -kernel matrix data.csv")...)
	if code != 1 || !strings.Contains(stderr,
		"no k is proposed: 3 rows are too few to compare halves; give -k N") {
		t.Errorf("%d, %s", code, stderr)
	}
	if text := must(t, strings.Fields("floors -kernel matrix data.csv")...); !strings.Contains(text,
		"No k is proposed: 3 rows are too few") || !strings.Contains(text, "\n  3  ") {
		t.Error(text)
	}
	writeText(t, "data.csv", strings.Repeat("1"+strings.Repeat(",1", 17)+"\n", 18))
	if text := must(t, strings.Fields("fit -k auto -method tilsd -kernel "+
		"matrix data.csv")...); !strings.Contains(text,
		"Proposed: k = 1, since no direction of the similarities is above 0.") {
		t.Error(text)
	}
}

// More rows than their similarities fit in memory are an error that says so.
func TestSimilarMany(t *testing.T) {
	f, x := &fitFlags{}, softkmeans.NewMatrix(mostSimilar+1, 1, nil)
	_, err := f.openSimilar(&data{Table: &table.Table{Rows: x.Rows}, x: x}, &result{})
	if err == nil || !strings.Contains(err.Error(), "more than 30000 do not fit in memory") {
		t.Error(err)
	}
}

// Rows of a square table without ids have the names of its columns. A column of names that
// are numbers is told of.
func TestSquareNames(t *testing.T) {
	inFolder(t, "a,b,c,d\n0,1,9,9\n1,0,9,8\n9,9,0,1\n9,8,1,0\n")
	if text := must(t, strings.Fields("fit -k 2 -method lsd -kernel "+
		"distances data.csv")...); !strings.Contains(text, "  a (") && !strings.Contains(text, "  b (") {
		t.Error(text)
	}
	writeText(t, "data.csv", "x,7,3,11\n7,0,1,9\n3,1,0,9\n11,9,9,0\n")
	_, _, stderr := do(t, "",
		strings.Fields("fit -k 2 -method lsd -kernel distances -header yes -id none data.csv")...)
	if !strings.Contains(stderr, "3 rows of 4 columns; a matrix of distances is square; if column 1 has "+
		"the names of the rows: -id 1") {
		t.Error(stderr)
	}
}

// report of similarities is one page: with ids of rows, classes, and what is proved; the same
// for any number of workers.
func TestReportSimilar(t *testing.T) {
	text, _ := someDistances(t)
	inFolder(t, text)
	line := must(t, strings.Fields("report -kernel distances -label species -o page.html data.csv")...)
	if !strings.Contains(lined(line), "page.html: Memberships in 3 clusters explain 99.7 % of the sum of squares of the "+
		"centred similarities, and no 3 can explain more (proved).") {
		t.Error(line)
	}
	page := readFile(t, "page.html")
	for _, want := range []string{"column 2 (species) is left out", "are not proved",
		"As the memberships give them", "row-1", "Proposed: k = 3, since halves of the rows agree on 3 clusters",
		"<code>softkmeans report -kernel distances -label species -o page.html data.csv</code>"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
	one := must(t, strings.Fields("report -kernel distances -label species -o - -workers 1 data.csv")...)
	if strings.ReplaceAll(one, "-o - -workers 1 data", "-o page.html data") != page {
		t.Error("one worker makes another page")
	}
	if page := must(t, strings.Fields("report -kernel distances -keep species -method lsd -k 3 "+
		"-o - data.csv")...); !strings.Contains(page, "no 3 can explain more than ") {
		t.Error("no page of lsd")
	}
	for _, method := range []string{"tilsd", "lsd"} { // the page has the labels and the rows of fit
		args := " -kernel distances -keep species -k 3 -method " + method
		must(t, strings.Fields("report"+args+" -o p.html -memberships m.csv data.csv")...)
		if must(t, strings.Fields("fit"+args+" -o f.csv data.csv")...); readFile(t,
			"m.csv") != readFile(t, "f.csv") {
			t.Errorf("%s: the memberships are not those of fit", method)
		}
	}
	for args, want := range map[string]string{
		"report -kernel distances -o p.html -image 2x3": "-image is for rows; with -kernel " +
			"distances leave it out",
		"report -kernel rbf -o p.html -stream yes":      "-stream is for rows",
		"report -kernel rbf -o p.html -slack 1":         "-slack is for rows",
		"report -kernel matrix -o p.html -scale zscore": "-scale needs rows",
		"report -gamma 2 -o p.html": "-gamma is only for -kernel rbf " +
			"and distances",
		"floors -kernel matrix -stream yes": "-stream is for rows",
		"floors -kernel linear -weights 1":  "-weights is for rows",
		"floors -method minvol":             "must be tilsd or lsd",
		"report -kernel matrix -keep species -o p.html": "these are distances, not " +
			"similarities; give -kernel distances",
		"report -kernel distances -drop 3 -keep species -o p.html -k 2": "a matrix of distances is square",
	} {
		code, _, stderr := do(t, "", append(strings.Fields(args), "data.csv")...)
		if code == 0 || !strings.Contains(stderr, want) {
			t.Errorf("%s: %d, %s", args, code, stderr)
		}
	}
}

// tilsd's labels are clusters, with probabilities that the model has for new rows, too. Rows between two
// prototypes are not listed, since they are not between clusters.
func TestSimilarClusters(t *testing.T) {
	text, _ := someDistances(t)
	inFolder(t, text)
	flags := "-kernel distances -keep species -k 3"
	a := parseJSON[answer.Answer](t, must(t, strings.Fields("fit -json "+flags+" -o f.csv -model m.json data.csv")...))
	if a.Mixed == 0 || a.Probability == nil || !(*a.Probability > .9 && *a.Probability <= 1) {
		t.Errorf("%d rows between, probability %v", a.Mixed, a.Probability)
	}
	if text := must(t, strings.Fields("fit "+flags+" -o f.csv data.csv")...); strings.Contains(text, "between two") {
		t.Error(text)
	}
	predicted(t, "-model", "m.json", "-o", "p.csv", "data.csv")
	own, again := columnsNamed(t, readFile(t, "f.csv"), answer.ProbabilityName), columnsNamed(t, readFile(t, "p.csv"), answer.ProbabilityName)
	sum := 0.0
	for i, row := range own {
		sum += row[0]
		if !(row[0] > .5 && row[0] <= 1) || !near(again[i][0], row[0], 1e-6) {
			t.Errorf("row %d: %v, by its model %v", i+1, row, again[i])
		}
	}
	if !near(sum/float64(len(own)), *a.Probability, 1e-12) {
		t.Errorf("the mean is %v, not %v", *a.Probability, sum/float64(len(own)))
	}
}

// predict takes the distances of new rows to those of the fit, by the names of the columns.
// Rows of the fit have their memberships again.
func TestPredictDistances(t *testing.T) {
	text, _ := someDistances(t)
	inFolder(t, text)
	for method, most := range map[string]float64{"tilsd": 1e-9, "lsd": 1e-6} {
		must(t, strings.Fields("fit -k 3 -kernel distances -drop species -o g.csv -model "+
			"m.json -method "+method+" data.csv")...)
		var some string // every fifth row, columns in reverse
		for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
			if fields := strings.Split(line, ","); i%5 == 0 {
				slices.Reverse(fields)
				some += strings.Join(fields, ",") + "\n"
			}
		}
		writeText(t, "some.csv", some)
		must(t, "predict", "-model", "m.json", "-o", "p.csv", "-id", "name", "some.csv")
		_, _, g := parseMemberships(t, withoutIDs(readFile(t, "g.csv")))
		_, _, p := parseMemberships(t, withoutIDs(readFile(t, "p.csv")))
		if len(p) != 7 {
			t.Fatalf("%d rows", len(p))
		}
		for i := range p {
			for j, v := range p[i] {
				if !near(v, g[5*i+4][j], most) {
					t.Fatalf("%s: row %d is %v, in the fit %v", method, i, p[i], g[5*i+4])
				}
			}
		}
		for value, want := range map[string]string{"-5": "column row-149: -5 is below 0, and no distance",
			"": "column row-149: NaN is not a finite number"} {
			lines := strings.Split(some, "\n")
			lines[1] = value + lines[1][strings.Index(lines[1], ","):]
			writeText(t, "bad.csv", strings.Join(lines, "\n"))
			code, _, stderr := do(t, "", "predict", "-model", "m.json", "-id", "name", "bad.csv")
			if code != 1 || !strings.Contains(stderr, want) {
				t.Errorf("%d, %s", code, stderr)
			}
		}
	}
}

// Clusters of similarities without a row are named in a warning.
func TestSimilarEmpty(t *testing.T) {
	const rows = "1,1,0\n1,1,0\n0,0,1\n"
	for k, empty := range map[string]bool{"2": false, "3": true} {
		_, report, _ := do(t, rows, "fit", "-k", k, "-kernel", "matrix", "-method", "lsd")
		if strings.Contains(report, "Warning: No row has its label in cluster 2. Fewer clusters may do.") != empty {
			t.Errorf("k = %s: %s", k, report)
		}
	}
}
