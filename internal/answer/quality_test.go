package answer

import (
	"math"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/proof"
)

const tol = 1e-9

func TestVerdict(t *testing.T) {
	gram := softkmeans.SolverGram
	for _, test := range []struct {
		c    softkmeans.Certificate
		want string
	}{
		{softkmeans.Certificate{}, "Not certified: "},
		{softkmeans.Certificate{Solver: gram, Objective: math.MaxFloat64, Total: 1},
			"Not certified: the squared error is out of range."},
		{softkmeans.Certificate{Solver: gram, Objective: 6e-9, Floor: 4e-9, Total: 1},
			"Not certified: the squared error may be above the minimum by up to 2.01e-09."},
		{softkmeans.Certificate{Solver: gram, Objective: 9.9e-10, Floor: 6e-12, Total: 1},
			"Certified: no 3 prototypes and memberships reduce the squared error, 9.9e-10, by more than 9.85e-10."},
		{softkmeans.Certificate{Solver: softkmeans.SolverKrylov, Objective: 9.9e-10, Total: 1},
			"Certified: no 3 prototypes and memberships reduce the squared error, 9.9e-10, by more than 9.91e-10. " +
				"The floor is proved by random vectors"},
		{softkmeans.Certificate{Solver: gram},
			"Certified: no 3 prototypes and memberships reduce the squared error, 0, by more than 0."},
	} {
		if got := (&Quality{Certificate: test.c, K: 3, Tol: tol}).Verdict(); !strings.HasPrefix(got, test.want) {
			t.Errorf("%+v: %s", test.c, got)
		}
	}
	q := &Quality{Certificate: softkmeans.Certificate{Solver: gram, Objective: 1.99, Floor: 1, Total: 10, Repair: .5,
		MaxSumError: 1}, K: 3, Sum: softkmeans.SumAtMostOne, Tol: tol}
	if got := q.Verdict(); !strings.HasSuffix(got, "repaired memberships, which differ from the given ones by up to 0.5.") {
		t.Error(got)
	}
}

// An error above the minimum is never called minimal: not if the variance is 0, nor in very large or small units.
func TestAboveTheFloor(t *testing.T) {
	for _, test := range []struct {
		unit       float64
		rows, want string
	}{
		{1, "same", "The squared error is 96, of a total of 0."},
		{1, "other", "At most 93.8 % more of the variance can be explained (proved)."},
		{0x1p400, "other", "At most 93.8 % more "},
		{0x1p-400, "other", "At most 93.8 % more "},
	} {
		x := map[string][]float64{"same": {1, 2, 1, 2, 1, 2}, "other": {1, 2, 4, 6, 7, 1}}[test.rows]
		for i := range x {
			x[i] *= test.unit
		}
		c, err := softkmeans.Certify(t.Context(), softkmeans.NewMatrix(3, 2, x), softkmeans.NewMatrix(1, 2,
			[]float64{5 * test.unit, 6 * test.unit}), softkmeans.NewMatrix(3, 1, []float64{1, 1, 1}), nil)
		if err != nil {
			t.Fatal(err)
		}
		q := &Quality{Certificate: c, K: 1, Tol: tol}
		if got := q.Sentences()[0]; !strings.Contains(got, test.want) {
			t.Errorf("%s of %g: %s", test.rows, test.unit, got)
		}
		if got := q.Verdict(); !strings.HasPrefix(got, "Not certified: the squared error may be above the minimum by "+
			"up to ") {
			t.Errorf("%s of %g: %s", test.rows, test.unit, got)
		}
	}
}

// The share that can be explained is rounded up, and "proved" stands only where there is a proof.
func TestSentence(t *testing.T) {
	gram := softkmeans.SolverGram
	for _, test := range []struct {
		q    Quality
		want string
	}{
		{Quality{K: 3, Certificate: softkmeans.Certificate{Objective: 28, Floor: 22.39, Total: 1000, Solver: gram}},
			"3 prototypes explain 97.2 % of the variance; no 3 can explain more than 97.8 % (proved)."},
		{Quality{K: 3, Certificate: softkmeans.Certificate{Objective: 28, Floor: 21.51, Total: 1000, Solver: gram}},
			"3 prototypes explain 97.2 % of the variance; no 3 can explain more than 97.9 % (proved)."},
		{Quality{K: 3, Certificate: softkmeans.Certificate{Objective: 1.21, Floor: 1.2, Total: 1000, Solver: gram}},
			"3 prototypes explain 99.879 % of the variance; no 3 can explain more than 99.880 % (proved)."},
		{Quality{K: 3, Certificate: softkmeans.Certificate{Objective: 22.39, Floor: 22.39, Total: 1000, Solver: gram}},
			"3 prototypes explain 97.8 % of the variance, and no 3 can explain more (proved)."},
		{Quality{K: 3, Certificate: softkmeans.Certificate{Objective: .05, Floor: .04, Total: 1000, Solver: gram}},
			"3 prototypes explain 99.995 % of the variance; no 3 can explain more than 99.996 % (proved)."},
		{Quality{K: 3, Certificate: softkmeans.Certificate{Objective: .002, Floor: 2e-6, Total: 1000, Solver: gram}},
			"3 prototypes explain more than 99.99 % of the variance."},
		{Quality{K: 2, Missing: 4, Certificate: softkmeans.Certificate{Objective: 28, Floor: 20, FloorError: 10, Total: 100}},
			"2 prototypes explain 72.0 % of the variance of the values present. The best 2 prototypes explain about " +
				"80.0 % (an estimate), and at most 90.0 % (proved)."},
		{Quality{K: 2, Missing: 4, Certificate: softkmeans.Certificate{Objective: 28, Floor: 20, FloorError: 20, Total: 100}},
			"2 prototypes explain 72.0 % of the variance of the values present. The best 2 prototypes explain about " +
				"80.0 % (an estimate)."},
		{Quality{K: 2, Certificate: softkmeans.Certificate{Objective: 3, Floor: 1, FloorError: 1, Total: 1e3, Solver: gram}},
			"2 prototypes explain 99.7 % of the variance. The floor is no more than its rounding, so that nothing is " +
				"proved."},
		{Quality{K: 1, Certificate: softkmeans.Certificate{Objective: 5, Floor: 5, Total: 5, Solver: gram}},
			"1 prototype, the mean of the rows, explains nothing of how they differ."},
		{Quality{K: 2, Certificate: softkmeans.Certificate{Solver: gram}}, "All rows are equal: one prototype is enough."},
		{Quality{K: 4, Trivial: true, Between: .991, Certificate: softkmeans.Certificate{Objective: 5, Total: 10}},
			"4 clusters explain 99.1 % of the variance by their means."},
		{Quality{K: 4, Trivial: true, Columns: 4, Between: .991, Sum: softkmeans.SumAtMostOne,
			Certificate: softkmeans.Certificate{Objective: 5, Total: 10}},
			"4 prototypes explain 50.0 % of the sum of squares; others may explain all of it."},
	} {
		if test.q.Tol = tol; test.q.Sentence() != test.want {
			t.Errorf("%s\nwant %s", test.q.Sentence(), test.want)
		}
	}
}

// An excess that the sentence does not say is said, and is not rounded down. Of a small excess nothing is said.
func TestProvedExcess(t *testing.T) {
	for want, c := range map[string]softkmeans.Certificate{
		"At most 0.11 % more of the variance can be explained (proved).": {Objective: 1.01, Floor: 0, Total: 1e3},
		"": {Objective: 1, Floor: .1, Total: 1e3},
	} {
		c.Solver = softkmeans.SolverGram
		got := strings.Join((&Quality{Certificate: c, K: 3, Tol: tol}).Sentences(), " ")
		if !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("%s, want %s", got, want)
		}
	}
	q := &Quality{Missing: 1, K: 2, Tol: tol, Certificate: softkmeans.Certificate{Objective: 4, Floor: 3.7, FloorError: .0472,
		Total: 10}}
	if got := q.JSON().table(2).Rows[3]; got[0] != "floor, proved" || got[1] != "3.6528" {
		t.Error(got)
	}
}

// Shares of the sum of squares are smaller than shares of the variance, and no more is proved by them.
func TestOfSquares(t *testing.T) {
	c := softkmeans.Certificate{Objective: 1 + 2e-6, Floor: 1, Total: 1000, Gap: 2e-9, Solver: softkmeans.SolverGram}
	q := &Quality{Certificate: c, K: 3, Tol: tol}
	q.OfSquares(1e5)
	if got := q.Sentence(); q.Optimal(q.Tol) || !strings.HasPrefix(got, "3 prototypes explain 99.998999998 % of the sum of squares; no 3 ") {
		t.Error(got)
	}
	if j := q.JSON(); j.Certified || j.Total != 1e5 || *j.Explained != 1-c.Objective/1e5 {
		t.Errorf("%+v", j)
	}
}

// TestCompact: a verdict and a ratio have their sentences, and a bound that says little is marked.
func TestCompact(t *testing.T) {
	for want, v := range map[string]*proof.Verdict{
		"": {Factor: math.MaxFloat64, Apart: math.MaxFloat64},
		"gives the same memberships, to within 0.01 (proved)":   {Factor: 1, Apart: 1e-3},
		"is smaller (proved to within a millionth of the area)": {Factor: 1, Apart: math.MaxFloat64},
		"is smaller by more than 34 % (proved).":                {Factor: 1.5, Apart: math.MaxFloat64},
		"at least 1/2.6 of its area (proved).":                  {Factor: 2.6, Apart: math.MaxFloat64},
	} {
		if got := sameWords(v, 3); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%+v: %q", v, got)
		}
	}
	for ratio, want := range map[float64]string{0: "", 1: "segment of prototypes that fits as well is smaller", 1.004: "by more than 1 % (proved)",
		2: "by more than 50 % (proved).", 2.001: "1/2.01 of its length",
		math.MaxFloat64: "no lower bound"} {
		if got := volumeWords(ratio, 2); !strings.Contains(got, want) {
			t.Errorf("%g: %q", ratio, got)
		}
	}
	if text := sameWords(nil, 3); text != "" {
		t.Error("words without a verdict")
	}
}
