package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"softkmeans/internal/answer"
)

// The report does not depend on the source of the data, the order of the flags or the
// number of workers. All solvers and enclosures reach the same objective.
func TestFitVariants(t *testing.T) {
	data, err := os.ReadFile(iris)
	if err != nil {
		t.Fatal(err)
	}
	_, want, _ := do(t, "", "fit", "-method", "global", "-k", "3", iris)
	body := func(report string) string { return report[strings.IndexByte(report, '\n'):] }
	for _, args := range [][]string{
		{"-k", "3"}, {"-k=3", "-"}, {"-", "--k", "3"}, {iris, "-k", "3"}, {"-k", "3", "--", iris},
		{"-workers", "3", iris, "-k", "3"}, {"-enclosure", "ball", iris, "-solver", "auto", "-k", "3"},
	} {
		code, report, stderr := do(t, string(data), append([]string{"fit", "-method", "global"}, args...)...)
		if code != 0 || body(report) != body(want) {
			t.Errorf("%q: code %d, %s, report\n%s", args, code, stderr, report)
		}
	}
	for _, solver := range []string{"gram", "jacobi", "krylov"} {
		for _, enclosure := range []string{"ball", "tight"} {
			code, report, stderr := do(t, "", "fit", "-v", "-method", "global", "-k", "3", iris, "-solver",
				solver, "-enclosure", enclosure)
			if code != 0 || !near(value(t, report, "objective"), irisFloor, 1e-8) ||
				!strings.Contains(report, "\nCertified: ") {
				t.Errorf("%s, %s: code %d, %s, report\n%s", solver, enclosure, code, stderr, report)
			}
		}
	}
}

// -plain takes more iterations to about the same centers.
func TestFitPaper(t *testing.T) {
	for _, method := range []string{"minvol", "alternating"} {
		var steps [2]float64
		for i, more := range [][]string{nil, {"-plain"}} {
			_, report, _ := do(t, "", append([]string{"fit", "-k", "3", "-method", method, "-json", iris},
				more...)...)
			var got struct{ Iterations float64 }
			if err := json.Unmarshal([]byte(report), &got); err != nil {
				t.Fatal(err)
			}
			steps[i] = got.Iterations
		}
		if steps[1] <= steps[0] {
			t.Errorf("%s: %v iterations with momentum and without", method, steps)
		}
	}
}

func TestFitEdges(t *testing.T) {
	for _, test := range []struct {
		text, k string
		floor   float64
	}{
		{"1,2\n3,4\n5,9\n", "1", 34},
		{"1,2\n3,4\n5,9\n", "3", 0},
		{"1,2\n1,2\n", "2", 0},
		{"4\n", "1", 0},
		{"0.1,4\n0.1,4\n0.1,4\n", "3", 0},
		{"1\n2\n4\n", "2", 0},
		{"1e-150,0\n0,1e-150\n", "2", 0},
		{"1e150,0\n0,1e150\n", "2", 0},
	} {
		code, report, stderr := do(t, test.text, "fit", "-v", "-method", "global", "-k", test.k)
		certified := strings.Contains(report, "\nCertified: ")
		if code != 0 || !certified || strings.Contains(report, "NaN") {
			t.Errorf("%q, k = %s: code %d, %s, report\n%s", test.text, test.k, code, stderr, report)
			continue
		}
		if got := value(t, report, "objective"); !near(got, test.floor,
			1e-12*max(1, value(t, report, "total"))) {
			t.Errorf("%q, k = %s: objective %v, want %v", test.text, test.k, got, test.floor)
		}
	}
}

// A stream is scaled like a table in memory.
func TestFitScaled(t *testing.T) {
	const wine = "../../testdata/wine.csv"
	for _, args := range []string{"-scale zscore", "-scale minmax", "-scale zscore -method minvol"} {
		var reports [2]string
		for i, stream := range []string{"no", "yes"} {
			reports[i] = must(t, append([]string{"fit", "-v", "-k", "3", "-stream", stream, wine},
				strings.Fields(args)...)...)
		}
		for _, name := range []string{"objective", "floor", "total"} {
			a, b := value(t, reports[0], name), value(t, reports[1], name)
			if !near(a, b, 1e-8*value(t, reports[0], "total")) {
				t.Errorf("%s: %s is %v, streamed %v", args, name, a, b)
			}
		}
		if total := value(t, reports[0], "total"); strings.Contains(args, "zscore") &&
			!near(total, 178*13, 1e-6) {
			t.Errorf("%s: total variance %v", args, total)
		}
		if a, b := strings.Index(reports[0], "\nPrototypes, in more digits\n"),
			strings.Index(reports[1], "\nPrototypes, in more digits\n"); reports[0][a:a+300] != reports[1][b:b+300] {
			t.Errorf("%s: centers\n%s\nstreamed\n%s", args, reports[0], reports[1])
		}
	}
}

// A row of weight w counts as w rows.
func TestFitWeights(t *testing.T) {
	inFolder(t, "w,a,b\n2,1,2\n1,3,5\n0,100,100\n3,-1,4\n1,2,2\n")
	if err := os.WriteFile("often.csv", []byte("a,b\n1,2\n1,2\n3,5\n-1,4\n-1,4\n-1,4\n2,2\n"),
		0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{"-k 2", "-k 2 -scale zscore", "-k 2 -scale minmax",
		"-k 2 -method alternating -scale zscore"} {
		a := must(t, append(strings.Fields("fit -v -weights w data.csv"), strings.Fields(args)...)...)
		b := must(t, append(strings.Fields("fit -v often.csv"), strings.Fields(args)...)...)
		for _, name := range []string{"floor", "total"} {
			if v, w := value(t, a, name), value(t, b, name); !near(v, w, 1e-9*(1+w)) {
				t.Errorf("%s: %s is %v, by rows %v", args, name, v, w)
			}
		}
		if !strings.Contains(a, "column 1 (w) has the weights") {
			t.Errorf("%s: the report does not tell of the weights:\n%s", args, a)
		}
	}
}

// With -sum at-most-one the floor is about 0, a model keeps the rule for predict and
// certify, and data without a half-space is said to have none.
func TestFitSum(t *testing.T) {
	data := readFile(t, iris)
	t.Chdir(t.TempDir())
	writeText(t, "iris.csv", data)
	for _, stream := range []string{"no", "yes"} {
		for _, method := range []string{"global", "minvol", "alternating"} {
			if method != "minvol" && stream == "yes" {
				continue
			}
			args := []string{"fit", "-k", "3", "-sum", "at-most-one", "-method", method,
				"-stream", stream, "-json", "-model", "m.json", "iris.csv"}
			if method == "alternating" { // else bounds keep the error above the floor
				args = append(args, "-bounds", "none")
			}
			code, out, stderr := do(t, "", args...)
			if code != 0 {
				t.Fatalf("%s: %d, %s", method, code, stderr)
			}
			c := parseJSON[answer.Answer](t, out).Certificate
			if !near(c.Total, 9539.29, 1e-6) || !near(c.Floor, 3.5525702, 1e-6) || c.MaxSumError > 1e-12 ||
				(method != "minvol") != (*c.ExcessShare < 1e-10) {
				t.Errorf("%s, stream %s: %+v", method, stream, c)
			}
			below := false
			_, _, g := parseMemberships(t, predicted(t, "-model", "m.json", "iris.csv"))
			for _, row := range g {
				sum := 0.0
				for _, v := range row {
					sum += v
				}
				if below = below || sum < 0.99; sum > 1+1e-12 {
					t.Errorf("%s: a row adds up to %v", method, sum)
				}
			}
			if !below {
				t.Errorf("%s: all rows add up to 1", method)
			}
			if code, out, _ := do(t, "", "certify", "-model", "m.json",
				"iris.csv"); (code == 0) != (method != "minvol") || !strings.Contains(out, "\n  total  ") {
				t.Errorf("%s: code %d\n%s", method, code, out)
			}
		}
	}
	must(t, "fit", "-method", "global", "-k", "3", "-sum", "at-most-one", "-model", "m.json",
		"-centers", "c.csv", "iris.csv")
	must(t, "certify", "-centers", "c.csv", "-sum", "at-most-one", "iris.csv")
	if code, _, _ := do(t, "", "certify", "-centers", "c.csv", "iris.csv"); code != 1 {
		t.Error("sums of 1 are certified as well")
	}
	writeText(t, "bad.json", strings.Replace(readFile(t, "m.json"), "at most one", "many", 1))
	if code, _, stderr := do(t, "", "predict", "-model", "bad.json", "iris.csv"); code != 1 ||
		!strings.Contains(stderr, `sum: it is "many"`) {
		t.Errorf("%d, %s", code, stderr)
	}
	if _, out, _ := do(t, "", "fit", "-method", "global", "-k", "3", "-sum", "at-most-one", "-scale",
		"zscore", "iris.csv"); !strings.Contains(strings.Join(strings.Fields(out), " "), "The prototypes enclose only part of the data") ||
		strings.Contains(out, "The prototypes enclose the data:") ||
		!strings.Contains(out, "Warning: Some rows point away from the others") {
		t.Error(out)
	}
}
