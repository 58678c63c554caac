package main

import (
	"math"
	"strings"
	"testing"

	"softkmeans"
)

func TestVerdict(t *testing.T) {
	x := readTable(t, iris)
	m, err := softkmeans.Fit(t.Context(), x, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		spoil  func(centers, memberships *softkmeans.Matrix)
		want   string
		absent string
	}{
		{"nothing", func(f, g *softkmeans.Matrix) {}, "Certified: ", "Not"},
		{"a center moved", func(f, g *softkmeans.Matrix) { f.Set(0, 0, f.At(0, 0)+1) }, "Not certified: better centers or memberships exist, by 0.", "negative"},
		{"a row off the simplex", func(f, g *softkmeans.Matrix) { g.Set(7, 1, -0.5) }, "a membership is negative (-0.5), and the memberships of a row miss the sum of 1 by ", "Certified"},
	} {
		f, g := m.Centers.Clone(), m.Memberships.Clone()
		test.spoil(f, g)
		c, err := softkmeans.Certify(t.Context(), x, f, g, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := (&quality{Certificate: c, k: 3, tol: certifiedTol}).verdict(); !strings.Contains(got, test.want) || strings.Contains(got, test.absent) {
			t.Errorf("%s: %s", test.name, got)
		}
	}
	for _, c := range []softkmeans.Certificate{{Gap: math.NaN()}, {MinMembership: math.NaN()}, {MaxSumError: math.NaN()}, {Gap: 2e-9}, {MinMembership: -2e-9}} {
		if got := (&quality{Certificate: c, k: 3, tol: certifiedTol}).verdict(); !strings.HasPrefix(got, "Not certified: ") {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// An error above the minimum is never called minimal: not if the variance is 0, nor in
// very large or small units.
func TestDistance(t *testing.T) {
	for _, test := range []struct {
		unit       float64
		rows, want string
	}{
		{1, "same", "The squared error is 96; with the mean of the rows as the only center it is 0."},
		{1, "other", "The squared error is 93.8% above the floor."},
		{0x1p400, "other", "The squared error is 93.8% above the floor."},
		{0x1p-400, "other", "The squared error is 93.8% above the floor."},
	} {
		x := map[string][]float64{"same": {1, 2, 1, 2, 1, 2}, "other": {1, 2, 4, 6, 7, 1}}[test.rows]
		for i := range x {
			x[i] *= test.unit
		}
		c, err := softkmeans.Certify(t.Context(), softkmeans.NewMatrix(3, 2, x), softkmeans.NewMatrix(1, 2, []float64{5 * test.unit, 6 * test.unit}), softkmeans.NewMatrix(3, 1, []float64{1, 1, 1}), nil)
		if err != nil {
			t.Fatal(err)
		}
		q := &quality{Certificate: c, k: 1, tol: certifiedTol}
		if got := q.distance(); got != test.want {
			t.Errorf("%s of %g: %s", test.rows, test.unit, got)
		}
		if got := q.verdict(); !strings.HasPrefix(got, "Not certified: better centers ") || strings.Contains(got, "e+") {
			t.Errorf("%s of %g: %s", test.rows, test.unit, got)
		}
	}
}
