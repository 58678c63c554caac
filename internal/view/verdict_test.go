package view

import (
	"math"
	"testing"

	"softkmeans"
	"softkmeans/internal/la"
	"softkmeans/internal/tables"
)

// certificate is what Certify says of an objective, with SolverGram.
func certificate(objective, floor, floorError, total float64) softkmeans.Certificate {
	return softkmeans.Certificate{Objective: objective, Floor: floor, FloorError: floorError, Total: total,
		Gap: (objective - floor) / total, Solver: softkmeans.SolverGram}
}

// What is above the floor is never shown smaller than it is.
func TestAbove(t *testing.T) {
	for want, c := range map[string]softkmeans.Certificate{"–": certificate(1e-10, 1e-12, 0, 1), "9900 %": certificate(1, 1e-2, 0, 100),
		"less than 0.01 %": certificate(10, 10, 1e-13, 100),
		"0.00 %":           certificate(10, 10, 0, 100)} {
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
				"total variance above its minimum"},
	} {
		if got := How(&c.m, Compact{LossGap: c.gap}); got != c.want {
			t.Errorf("%q, not %q", got, c.want)
		}
	}
}

// TestProveShown: the bounds hold for the pair that is shown, whose centers have moved since the fit.
func TestProveShown(t *testing.T) {
	x := tables.CSV(t, "iris")
	m := tables.Must(softkmeans.FitMinVolume(t.Context(), x, 3, &softkmeans.MinVolumeOptions{Volume: softkmeans.VolumeAffine}))(t)
	loss := func(m *softkmeans.Model, objective float64) float64 {
		f := la.Product(la.Transpose(softkmeans.RegularSimplex(3)), m.Centers)
		_, values, _, err := softkmeans.SVD(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range values {
			objective += m.Lambda / 2 * math.Log(v*v+m.Epsilon)
		}
		return objective
	}
	least := loss(m, m.Objective)
	for _, by := range []float64{0, 0.1, 0.4} { // towards the first center
		moved := *m
		moved.Centers = tables.Mapped(m.Centers, func(_, j int, v float64) float64 { return v + by*(m.Centers.At(0, j)-v) })
		moved.Memberships = tables.Must(moved.Predict(nil, x))(t)
		found := tables.Must(softkmeans.Certify(t.Context(), x, moved.Centers, moved.Memberships, nil))(t)
		c := tables.Must(Prove(t.Context(), x, &moved, found, &softkmeans.Options{}))(t)
		if above := loss(&moved, found.Objective) - least; above > c.LossGap*found.Total*(1+1e-9) {
			t.Errorf("moved by %g: a loss %g above the least, bound %g", by, above, c.LossGap*found.Total)
		}
	}
}

// The slack is named with what it is a share of, and where it comes from.
func TestSlack(t *testing.T) {
	c := certificate(12.5, 10, 0, 100)
	for _, q := range []struct {
		slack          float64
		trivial, given bool
		want           string
	}{
		{0, false, false, ""},
		{.0104, false, false, "Slack 0.0104 of the floor, a quarter of how far white noise " +
			"raises the error of the true memberships above it (-slack)."},
		{.0104, false, true, "Slack 0.0104 of the floor (-slack)."},
		{.25, false, false, "Slack 0.25 of the floor (-slack)."},
		{.25, true, false, "Slack 0.25 of a tenth of the total variance (-slack)."},
	} {
		if got := Slack(&softkmeans.Model{Slack: q.slack}, c, q.trivial, q.given); got != q.want {
			t.Errorf("%+v: %q", q, got)
		}
	}
}

// A last direction is faint below 1.25 times the next, and nothing is said of what floors do not tell.
func TestLastDirection(t *testing.T) {
	floors := []float64{100, 40, 20, 3, 1}
	for k, want := range []string{"", "", "", "The last direction of 3 prototypes is weak, 1.18 times " +
		"as strong as the next: k may be too large.", "", "", ""} {
		if got := LastDirection(floors, k); got != want {
			t.Errorf("%d: %q", k, got)
		}
	}
	if got := LastDirection([]float64{1, 3e-7, 2e-7, 1e-7}, 2); got != "" {
		t.Errorf("of an exact mixture: %q", got)
	}
}
