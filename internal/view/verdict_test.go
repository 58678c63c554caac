package view

import (
	"math"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/unmix"
)

// certificate is what Certify says of an objective, with SolverGram.
func certificate(objective, floor, floorError, total float64) softkmeans.Certificate {
	return softkmeans.Certificate{Objective: objective, Floor: floor, FloorError: floorError, Total: total,
		Gap: (objective - floor) / total, Solver: softkmeans.SolverGram}
}

// The sentences about a certificate claim what is proved, and no more.
func TestVerdict(t *testing.T) {
	krylov, repaired := certificate(10, 10, 0, 100), certificate(10, 10, 0, 100)
	krylov.Solver, repaired.Repair = softkmeans.SolverKrylov, .25
	for _, c := range []struct {
		f              Fit
		head, has, not string
	}{
		{Fit{Certificate: certificate(10, 10, 0, 100), Method: Global, K: 3},
			"Proved optimal", "No choice of 3 prototypes", "slack"},
		{Fit{Certificate: certificate(10+4e-12, 10, 4e-12, 100), Method: Global, K: 3},
			"Proved optimal", "smaller by more than 8.01e-12, which is 8.01e-14 of the total variance and " +
				"8.01e-13 times the floor.", "times the proved"},
		{Fit{Certificate: certificate(1e-10, 1e-12, 0, 1), Method: Global, K: 3},
			"Proved optimal", "which is 9.91e-11 of the total variance, but 99.1 times the proved floor.",
			"random"},
		{Fit{Certificate: certificate(1e-12, 1e-13, 1e-12, 1), Method: Global, K: 3},
			"Proved optimal", "the floor is 0 to rounding, so that nothing can be said relative to it.",
			"times"},
		{Fit{Certificate: krylov, Method: Global, K: 3}, "Proved optimal",
			"The floor is proved by random vectors", "repaired"},
		{Fit{Certificate: repaired, Method: Global, K: 3}, "Proved optimal",
			"the largest change is 0.25.", "random"},
		{Fit{Certificate: certificate(12.5, 10, 0, 100), Method: MinVolume, K: 3},
			"25.0 % above the floor", "The slack allows this for compact prototypes.", "optimal"},
		{Fit{Certificate: certificate(10+4e-12, 10, 4e-12, 100), Method: MinVolume, K: 3,
			Sum: softkmeans.SumAtMostOne},
			"Proved optimal", " of the sum of squares and ", "total variance"},
		{Fit{Certificate: certificate(12.5, 10, 0, 100), Method: MinVolume, K: 3, Rule: RuleNoise},
			"25.0 % above the floor", "The noise of the data sets the weight of the volume, which allows " +
				"this for compact prototypes.", "slack"},
		{Fit{Certificate: certificate(12.5, 10, 0, 100), Method: MinVolume, K: 3, Rule: RuleLambda},
			"25.0 % above the floor", "The given weight of the volume allows this for compact prototypes.",
			"slack"},
		{Fit{Certificate: certificate(2.5e-7, 0, 0, 1), Method: MinVolume, K: 2, Rule: RuleLambda},
			"Less than 0.01 % left over", "The given weight", "slack"},
		{Fit{Certificate: certificate(30, 1, 0, 100), Method: MinVolume, K: 3},
			"30 times the floor", "The slack allows this", "optimal"},
		{Fit{Certificate: certificate(12.5, 10, 0, 100), Method: Alternating, K: 3},
			"25.0 % above the floor", "local minimum", "slack"},
		{Fit{Certificate: certificate(12.5, 10, 0, 100), Method: MinVolume, K: 3, Partial: true},
			"25.0 % above the floor", "leave over 12.5", "slack"},
		{Fit{Certificate: certificate(1, 0, 0, 100), Method: MinVolume, K: 3, Trivial: true},
			"1.00 % left over", "mixed from 3 prototypes exactly; these leave over that share of the total " +
				"variance. With a floor of 0 the slack is a share of a tenth", "floor:"},
		{Fit{Certificate: certificate(1, 0, 1e-13, 100), Method: Alternating, K: 3},
			"1.00 % left over", "exactly (but for rounding of 1e-13); these leave over", "floor:"},
		{Fit{Certificate: certificate(1, 0, 0, 0), Method: Alternating, K: 3},
			"No variance to explain", "equal", "optimal"},
		{Fit{Certificate: softkmeans.Certificate{Objective: math.MaxFloat64, Floor: math.MaxFloat64,
			Total: math.MaxFloat64, Gap: .014, Solver: softkmeans.SolverGram}, Method: MinVolume, K: 3},
			"1.40 % of the variance above the floor", "out of range", "equal"},
		{Fit{Certificate: certificate(10.0004, 10, 0, 100), Method: Alternating, K: 3},
			"Less than 0.01 % above the floor", "local minimum", "optimal"},
		{Fit{Certificate: certificate(10.5, 10, 0, 100), Method: Global, K: 3},
			"5.00 % above the floor", "may exist, by up to 0.00501 of", "optimal"},
		{Fit{Certificate: certificate(10, 10, 0, 10), Method: Global, K: 1},
			"Proved optimal", "No choice of 1 prototype", "vague"},
		{Fit{Certificate: certificate(0, 0, 0, 0), Method: Global, K: 2},
			"Proved optimal", "No choice of 2 prototypes", "vague"},
		{Fit{Certificate: certificate(3e-7, 1e-8, 0, 1), Method: MinVolume, K: 2},
			"Less than 0.01 % left over",
			"With so small a floor the slack is a share of a millionth of the total variance", "exactly"},
		{Fit{Certificate: certificate(3e-7, 1e-8, 0, 1), Method: MinVolume, K: 2, Partial: true},
			"Less than 0.01 % left over", "leave over 3e-07", "slack"},
		{Fit{Certificate: certificate(2.5e-7, 0, 0, 1), Method: MinVolume, K: 2},
			"Less than 0.01 % left over", "With a floor of 0 the slack is a share of a millionth", "0.00"},
	} {
		head, meaning := c.f.Verdict()
		if head != c.head || !strings.Contains(meaning, c.has) || strings.Contains(meaning, c.not) {
			t.Errorf("%q: %q; %q is wanted, with %q and without %q", head, meaning, c.head, c.has, c.not)
		}
	}
}

// What is above the floor is never shown smaller than it is.
func TestAbove(t *testing.T) {
	for want, c := range map[string]softkmeans.Certificate{"9900 %": certificate(1e-10, 1e-12, 0, 1),
		"less than 0.01 %": certificate(10, 10, 1e-13, 100),
		"–":                certificate(1e-12, 1e-13, 1e-12, 1), "0.00 %": certificate(10, 10, 0, 100)} {
		if got := Above(c); got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
	for v, want := range map[float64]string{0: "0", 1: "1", 1.0001: "1.01",
		math.MaxFloat64: "–", math.NaN(): "–"} {
		if got := AtMost(v); got != want {
			t.Errorf("%g is %s, not %s", v, got, want)
		}
	}
}

func TestHow(t *testing.T) {
	for _, c := range []struct {
		m    softkmeans.Model
		gap  float64
		want string
	}{
		{softkmeans.Model{Status: softkmeans.StatusOptimal}, 0, "in closed form"},
		{softkmeans.Model{Status: softkmeans.StatusConverged, Trace: []float64{2, 1}, Iterations: 2}, 0,
			"2 iterations, converged"},
		{softkmeans.Model{Status: softkmeans.StatusConverged, Trace: []float64{1}, Lambda: 2}, 0.012341,
			"0 iterations, converged, λ\u00a0=\u00a02; proved: error plus penalty is at most 1.24\u00a0% of the " +
				"total variance above the least"},
	} {
		if got := How(&c.m, Compact{LossGap: c.gap}); got != c.want {
			t.Errorf("%q, not %q", got, c.want)
		}
	}
}

// The shade is as free as sums of at most one.
func TestSumOf(t *testing.T) {
	for _, c := range []struct {
		m    unmix.Result
		want softkmeans.Sum
	}{{unmix.Result{Model: &softkmeans.Model{}}, softkmeans.SumToOne},
		{unmix.Result{Model: &softkmeans.Model{Sum: softkmeans.SumAtMostOne}}, softkmeans.SumAtMostOne},
		{unmix.Result{Model: &softkmeans.Model{}, Scaling: unmix.ScaleUnit}, softkmeans.SumAtMostOne}} {
		if got := SumOf(&c.m); got != c.want {
			t.Errorf("%v, not %v", got, c.want)
		}
	}
}

// The slack is named with what it is a share of, and where it comes from.
func TestSlack(t *testing.T) {
	c := certificate(12.5, 10, 0, 100)
	for _, q := range []struct {
		slack float64
		f     Fit
		given bool
		want  string
	}{
		{0, Fit{Certificate: c}, false, ""},
		{.0104, Fit{Certificate: c}, false, "Slack 0.0104 of the floor, a quarter of what noise adds to the " +
			"error of the true prototypes (-slack)."},
		{.0104, Fit{Certificate: c}, true, "Slack 0.0104 of the floor (-slack)."},
		{.25, Fit{Certificate: c}, false, "Slack 0.25 of the floor (-slack)."},
		{.25, Fit{Certificate: c, Trivial: true}, false, "Slack 0.25 of a tenth of the total variance (-slack)."},
	} {
		if got := Slack(&softkmeans.Model{Slack: q.slack}, &q.f, q.given); got != q.want {
			t.Errorf("%+v: %q", q, got)
		}
	}
}

// A last direction is faint below 1.25 times the next, and nothing is said of what floors do not tell.
func TestLastDirection(t *testing.T) {
	floors := []float64{100, 40, 20, 3, 1}
	for k, want := range []string{"", "", "", "The last direction of 3 prototypes is hardly stronger than the next " +
		"(1.18 times): its prototypes are a guess, and k may be too large.", "", "", ""} {
		if got := LastDirection(floors, k); got != want {
			t.Errorf("%d: %q", k, got)
		}
	}
	if got := LastDirection([]float64{1, 3e-7, 2e-7, 1e-7}, 2); got != "" {
		t.Errorf("of an exact mixture: %q", got)
	}
}
