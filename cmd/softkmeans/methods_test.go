package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/choosek"
	"softkmeans/internal/answer"
	"softkmeans/kernel"
)

// The other methods print the result of the package and its distance from the floor.
func TestFitMethods(t *testing.T) {
	x := readTable(t, iris)
	for _, c := range []struct {
		args []string
		fit  func() (*softkmeans.Model, error)
		says string
	}{
		{[]string{"-method", "minvol"},
			func() (*softkmeans.Model, error) { return softkmeans.FitMinVolume(t.Context(), x, 3, nil) },
			"97.2 % of the variance; no 3 can explain more than 97.8 % (proved)."},
		{[]string{"-method", "minvol", "-slack", "2", "-seed", "7"}, func() (*softkmeans.Model, error) {
			return softkmeans.FitMinVolume(t.Context(), x, 3, &softkmeans.MinVolumeOptions{Slack: 2, Seed: 7})
		}, "93.3 % of the variance; no 3 can explain more than 97.8 % (proved)."},
		{[]string{"-method", "alternating", "-workers", "1"},
			func() (*softkmeans.Model, error) { return softkmeans.FitAlternating(t.Context(), x, 3, nil) },
			"Certified: no 3 prototypes and memberships reduce the squared error, 15.2, by more than"},
	} {
		code, report, stderr := do(t, "",
			append([]string{"fit", "-v", "-k", "3", "-bounds", "none", iris}, c.args...)...)
		if code != 0 || stderr != "" {
			t.Fatalf("%q: code %d, %s", c.args, code, stderr)
		}
		m, err := c.fit()
		if err != nil {
			t.Fatal(err)
		}
		if got := value(t, report, "objective"); !near(got, m.Objective, 1e-8) ||
			!near(value(t, report, "floor"), irisFloor, 1e-8) {
			t.Errorf("%q: objective %v, want %v", c.args, got, m.Objective)
		}
		if !strings.Contains(lined(report), c.says) ||
			strings.Contains(report, "ertified") != strings.Contains(c.says, "ertified") ||
			!strings.Contains(report, m.Status.String()) {
			t.Errorf("%q: no %q in\n%s", c.args, c.says, report)
		}
	}
	if report := must(t, "fit", "-k", "7", "-method", "global", iris); !strings.Contains(report, "prototypes: take 5 or fewer.") {
		t.Errorf("seven of four dimensions: %s", report)
	}
	// Six rows on a line need only two of four centers: the floor is 0.
	code, report, stderr := do(t, "1\n1\n2\n2\n9\n9\n", "fit", "-k", "4", "-method", "minvol")
	if code != 0 || !strings.Contains(report, "4 clusters explain 100 % of the variance by their means.") ||
		!strings.Contains(report, "\nIn 1 dimension the data does not determine 4 prototypes") {
		t.Errorf("code %d, %s\n%s", code, stderr, report)
	}
}

// Other answers are in the report and the JSON, in the table's units, and -others no is
// without them.
func TestOthers(t *testing.T) {
	args := []string{"fit", "-v", "-k", "3", "-seed", "5", "-method", "minvol", "-scale", "zscore",
		"../../testdata/wine.csv"}
	code, report, stderr := do(t, "", args...)
	if code != 0 || !strings.Contains(report, "Warning: Refits on half of the rows") ||
		!strings.Contains(report, "Another answer, from half of the rows with half the slack: it changes 8.43 %") {
		t.Fatalf("code %d, %s\n%s", code, stderr, report)
	}
	_, without, _ := do(t, "", append(args, "-others", "no")...)
	if strings.Contains(without, "Warning") || strings.Contains(without, "Another answer") {
		t.Errorf("-others no:\n%s", without)
	}
	_, text, _ := do(t, "", append(args, "-json")...)
	var plain struct {
		Centers [][]float64
		Others  []struct {
			Factor, Moved float64
			Centers       [][]float64
		}
	}
	if err := json.Unmarshal([]byte(text), &plain); err != nil || len(plain.Others) != 1 ||
		len(plain.Others[0].Centers) != 3 {
		t.Fatalf("%v: %v", err, plain)
	}
	for c, v := range plain.Centers[0] { // the same wines, and not the same numbers
		if o := plain.Others[0].Centers[0][c]; o == v || math.Abs(o-v) > 0.5*math.Abs(v)+0.5 {
			t.Errorf("column %d: %g, in the other answer %g", c, v, o)
		}
	}
}

// similarityRun is a run of a method of similarities, and the same by the package.
type similarityRun struct {
	args string
	fit  func() (*softkmeans.LSDModel, error)
	says string // part of the report
}

// similarityRuns returns the runs, and the matrix of similarities as CSV.
func similarityRuns(t *testing.T) (list []similarityRun, matrix string) {
	x := readTable(t, someRows(t, iris, 3))
	rbf, err1 := kernel.RBF(x, 0)
	narrow, err2 := kernel.RBF(x, 2)
	linear, err3 := kernel.Linear(x)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	matrix = readFile(t, centersFile(t, filepath.Join(t.TempDir(), "matrix.csv"), narrow))
	lsd := func(s *softkmeans.Matrix, o *softkmeans.LSDOptions) func() (*softkmeans.LSDModel, error) {
		return func() (*softkmeans.LSDModel, error) { return softkmeans.LSD(t.Context(), s, 3, o) }
	}
	tilsd := func(s *softkmeans.Matrix, o *softkmeans.LSDOptions) func() (*softkmeans.LSDModel, error) {
		return func() (*softkmeans.LSDModel, error) { return softkmeans.TILSD(t.Context(), s, 3, o) }
	}
	tight := &softkmeans.LSDOptions{Enclosure: softkmeans.EnclosureTight}
	return []similarityRun{
		{"-method tilsd", tilsd(rbf, nil), "and no 3 can explain more (proved)"},
		{"-method tilsd -enclosure tight", tilsd(rbf, tight), "and no 3 can explain more (proved)"},
		{"-method lsd -gamma 2", lsd(narrow, nil), "γ = 2."},
		{"-method lsd -gamma 2 -seed 7", lsd(narrow, &softkmeans.LSDOptions{Seed: 7}),
			"proved by duality"},
		{"-method lsd -kernel matrix", lsd(narrow, nil), "Clusters: each row is a mixture of them."},
		{"-method tilsd -kernel linear", tilsd(linear, nil), "the inner product of every two rows"},
	}, matrix
}

// The methods of similarities give the result of the package.
func TestFitSimilarities(t *testing.T) {
	list, matrix := similarityRuns(t)
	for _, test := range list {
		m, err := test.fit()
		if err != nil {
			t.Fatal(err)
		}
		stdin := readFile(t, someRows(t, iris, 3))
		if strings.Contains(test.args, "matrix") {
			stdin = matrix
		}
		args := append(strings.Fields("fit -v -k 3 -o -"), strings.Fields(test.args)...)
		code, stdout, report := do(t, stdin, args...)
		if code != 0 || !strings.Contains(lined(report), test.says) {
			t.Errorf("%s: code %d, no %q in %s", test.args, code, test.says, report)
			continue
		}
		if strings.Contains(test.args, "lsd") { // the floor by duality is near the objective here
			floor := value(t, report, "floor")
			m.Floor = min(max(floor, m.Objective*(1-1e-6)), m.Objective*(1+1e-9))
		}
		for name, want := range map[string]float64{"objective": m.Objective,
			"floor": m.Floor, "total": m.Total} {
			if got := value(t, report, name); !near(got, want, 1e-9*m.Total) {
				t.Errorf("%s: %s is %v, want %v", test.args, name, got, want)
			}
		}
		_, _, g := parseMemberships(t, stdout)
		for i := range g {
			for j, v := range g[i] {
				if !near(v, m.Memberships.At(i, j), 1e-6) {
					t.Fatalf("%s: row %d is %v, want %v", test.args, i, g[i], m.Memberships.Row(i))
				}
			}
		}
		code, stdout, _ = do(t, stdin,
			append(strings.Fields("fit -k 3 -json"), strings.Fields(test.args)...)...)
		var j answer.Answer
		if err := json.Unmarshal([]byte(stdout), &j); code != 0 || err != nil || j.Certificate == nil ||
			!near(j.Certificate.Objective, m.Objective, 1e-9*m.Total) || j.Certificate.FloorBy == "" {
			t.Errorf("%s: code %d, %v: %s", test.args, code, err, stdout)
		}
	}
}

// -k auto takes what choosek.Choose finds, and says why. A stream of few rows has the same words,
// and one of many tells of the draw. A number that is not certain is taken, as floors and report do, and
// they say so. Without a number it is an error that lists what the criteria say.
func TestFitAuto(t *testing.T) {
	data := someRows(t, iris, 2)
	x := readTable(t, data)
	c, err := choosek.Choose(t.Context(), x, nil)
	if err != nil || c.K == 0 {
		t.Fatal(c, err)
	}
	for _, stream := range []string{"no", "yes"} {
		report := must(t, "fit", "-v", "-k", "auto", "-method", "global", "-stream", stream, data)
		told := answer.NewChoice(&c, nil)
		if want := told.Lines(); !strings.Contains(report, want) || !strings.Contains(lined(report), told.Sentence()) ||
			strings.Contains(report, "drawn") {
			t.Errorf("-stream %s: no %q in\n%s", stream, want, report)
		}
	}
	unsure := someRows(t, setFile("wine"), 2)
	const says = "Best supported: k = 4. Not certain: 4 by the noise and held-out entries, 3 by halves of the rows."
	for _, args := range []string{"fit -k auto -method global -stream no",
		"fit -k auto -method global -stream yes", "floors"} {
		report := must(t, append(strings.Fields(args), unsure)...)
		if !strings.Contains(lined(report), says) {
			t.Errorf("%s: no %q in\n%s", args, says, report)
		}
	}
	if page := must(t, "report", "-o", "-", unsure); !strings.Contains(page, says) {
		t.Errorf("no %q", says)
	}
	var noise strings.Builder
	random := rand.New(rand.NewPCG(1, 2))
	for range 1100 {
		fmt.Fprintln(&noise, strings.Trim(fmt.Sprint(random.Perm(1000)[:6]), "[]"))
	}
	many := writeText(t, filepath.Join(t.TempDir(), "many.csv"), noise.String())
	code, _, stderr := do(t, "", "fit", "-k", "auto", "-stream", "yes", many)
	for _, want := range []string{
		many + ": no k is proposed: nothing stands out of the noise; give -k N\n" +
			"Noise: k = 1; ", "\nHalves of the rows: they confirm no k by themselves; ",
		"\nThese criteria are computed from a random sample of 1000 rows, and the floors from all rows.\n",
	} {
		if code != 1 || !strings.Contains(stderr, want) {
			t.Errorf("code %d, no %q in %s", code, want, stderr)
		}
	}
	code, _, stderr = do(t, "1,0\n0,1\n-1,0\n0,-1\n", "fit", "-k", "auto")
	if code != 1 || !strings.Contains(stderr, "<stdin>: no k is proposed: ") ||
		!strings.Contains(stderr, "give -k") {
		t.Errorf("code %d, %s", code, stderr)
	}
}
