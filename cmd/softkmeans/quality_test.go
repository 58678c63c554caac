package main

import (
	"math"
	"strings"
	"testing"

	"softkmeans"
)

func TestVerdict(t *testing.T) {
	for _, test := range []struct {
		c    softkmeans.Certificate
		want string
	}{
		{softkmeans.Certificate{}, "Not certified: "},
		{softkmeans.Certificate{Solver: softkmeans.SolverGram, Objective: math.MaxFloat64, Total: 1}, "Not certified: the squared error is out of range."},
		{softkmeans.Certificate{Solver: softkmeans.SolverGram, Objective: 6e-9, Floor: 4e-9,
			Total: 1}, "Not certified: the squared error may be above the minimum by up to 2.01e-09."},
		{softkmeans.Certificate{Solver: softkmeans.SolverGram, Objective: 9.9e-10,
			Floor: 6e-12, Total: 1},
			"Certified: no 3 prototypes and memberships have a squared error smaller by more than 9.85e-10.\n" +
				"That is 9.85e-10 of the total variance, but 165 times the proved floor."},
		{softkmeans.Certificate{Solver: softkmeans.SolverKrylov, Objective: 9.9e-10, Total: 1},
			"Certified: no 3 prototypes and memberships have a squared error smaller by more than 9.91e-10.\n" +
				"That is 9.91e-10 of the total variance.\n" +
				"The floor is 0 to rounding, so that nothing can be said relative to it.\n" +
				"Solver krylov proves the floor by random vectors"},
		{softkmeans.Certificate{Solver: softkmeans.SolverGram},
			"Certified: no 3 prototypes and memberships have a squared error smaller by more than 0."},
	} {
		if got := (&quality{Certificate: test.c, k: 3, tol: certifiedTol}).verdict(); !strings.HasPrefix(got,
			test.want) {
			t.Errorf("%+v: %s", test.c, got)
		}
	}
	q := &quality{Certificate: softkmeans.Certificate{Solver: softkmeans.SolverGram, Objective: 1.99,
		Floor: 1, Total: 10, Repair: .5, MaxSumError: 1}, k: 3, sum: softkmeans.SumAtMostOne}
	if got := q.verdict(); !strings.Contains(got, "That is 0.0991 of the total and") ||
		!strings.HasSuffix(got, "changed by up to 0.5: rows are divided by sums above 1 (by up to 1).") {
		t.Error(got)
	}
}

// An error above the minimum is never called minimal: not if the variance is 0, nor in
// very large or small units.
func TestDistance(t *testing.T) {
	for _, test := range []struct {
		unit       float64
		rows, want string
	}{
		{1, "same", "The squared error is 96; with the mean of the rows as the only prototype it is 0."},
		{1, "other", "The squared error is 93.8 % above the floor."},
		{0x1p400, "other", "The squared error is 93.8 % above the floor."},
		{0x1p-400, "other", "The squared error is 93.8 % above the floor."},
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
		q := &quality{Certificate: c, k: 1, tol: certifiedTol}
		if got := q.distance(); got != test.want {
			t.Errorf("%s of %g: %s", test.rows, test.unit, got)
		}
		if got := q.verdict(); !strings.HasPrefix(got, "Not certified: the squared error may be above the "+
			"minimum by up to ") || strings.Contains(got, "of the total variance") == (test.rows == "same") {
			t.Errorf("%s of %g: %s", test.rows, test.unit, got)
		}
	}
}
