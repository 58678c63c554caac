package view

import (
	"math"
	"strings"
	"testing"

	"softkmeans"
)

// The sentences about a certificate claim what is proved, and no more.
func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		f              Fit
		head, has, not string
	}{
		{Fit{Certificate: softkmeans.Certificate{Objective: 10, Floor: 10, Total: 100}, Method: Global, K: 3},
			"Proved optimal", "no choice of 3 prototypes", "slack"},
		{Fit{Certificate: softkmeans.Certificate{Objective: 12.5, Floor: 10, Total: 100, Gap: .025}, Method: MinVolume, K: 3},
			"25.0 % above the floor", "The floor is proved; that no smaller simplex has the same error is not", "optimal"},
		{Fit{Certificate: softkmeans.Certificate{Objective: 12.5, Floor: 10, Total: 100, Gap: .025}, Method: Alternating, K: 3},
			"25.0 % above the floor", "local minimum", "slack"},
		{Fit{Certificate: softkmeans.Certificate{Objective: 12.5, Floor: 10, Total: 100, Gap: .025}, Method: MinVolume, K: 3, Partial: true},
			"25.0 % above the floor", "leave over 12.5", "slack"},
		{Fit{Certificate: softkmeans.Certificate{Objective: 1, Total: 100, Gap: .01}, Method: MinVolume, K: 3, Trivial: true},
			"1.00 % left over", "mixed from 3 prototypes exactly; these leave over that share of the total variance. With a floor of 0 the slack is a share of a tenth", "floor:"},
		{Fit{Certificate: softkmeans.Certificate{Objective: 1, Gap: math.MaxFloat64}, Method: Alternating, K: 3},
			"No variance to explain", "equal", "optimal"},
		{Fit{Certificate: softkmeans.Certificate{Objective: math.MaxFloat64, Floor: math.MaxFloat64, Total: math.MaxFloat64, Gap: .014}, Method: MinVolume, K: 3},
			"1.40 % of the variance above the floor", "out of range", "equal"},
		{Fit{Certificate: softkmeans.Certificate{Objective: 10.0004, Floor: 10, Total: 100, Gap: 4e-6}, Method: Alternating, K: 3},
			"Less than 0.01 % above the floor", "local minimum", "optimal"},
		{Fit{Certificate: softkmeans.Certificate{Objective: 10, Floor: 10, Total: 100, MinMembership: -1}, Method: Global, K: 3},
			"0.00 % above the floor", "may exist", "optimal"},
		{Fit{Certificate: softkmeans.Certificate{Objective: 10, Floor: 10, Total: 10}, Method: Global, K: 1},
			"Proved optimal", "no choice of 1 prototype", "vague"},
		{Fit{Certificate: softkmeans.Certificate{}, Method: Global, K: 2},
			"Proved optimal", "no choice of 2 prototypes", "vague"},
		{Fit{Certificate: softkmeans.Certificate{Objective: 3e-7, Floor: 1e-8, Total: 1, Gap: 2.9e-7}, Method: MinVolume, K: 2},
			"2900 % above the floor", "With so small a floor the slack is a share of a millionth of the total variance", "exactly"},
		{Fit{Certificate: softkmeans.Certificate{Objective: 3e-7, Floor: 1e-8, Total: 1, Gap: 2.9e-7}, Method: MinVolume, K: 2, Partial: true},
			"2900 % above the floor", "leave over 3e-07", "slack"},
		{Fit{Certificate: softkmeans.Certificate{Objective: 2.5e-7, Total: 1, Gap: 2.5e-7}, Method: MinVolume, K: 2},
			"Less than 0.01 % left over", "With a floor of 0 the slack is a share of a millionth", "0.00"},
	} {
		head, meaning := c.f.Verdict()
		if head != c.head || !strings.Contains(meaning, c.has) || strings.Contains(meaning, c.not) {
			t.Errorf("%q: %q; %q is wanted, with %q and without %q", head, meaning, c.head, c.has, c.not)
		}
	}
}

func TestHow(t *testing.T) {
	for _, c := range []struct {
		m    softkmeans.Model
		want string
	}{
		{softkmeans.Model{Status: softkmeans.StatusOptimal}, "in closed form"},
		{softkmeans.Model{Status: softkmeans.StatusConverged, Trace: []float64{2, 1}, Iterations: 2}, "2 iterations, converged"},
	} {
		if got := How(&c.m); got != c.want {
			t.Errorf("%q, not %q", got, c.want)
		}
	}
}
