package choosek

import (
	"errors"
	"math"
	"testing"

	"softkmeans"
	"softkmeans/internal/tables"
)

func TestPropose(t *testing.T) {
	for _, c := range []struct {
		name   string
		floors []float64
		k      int
	}{
		{"nothing stands out", []float64{100, 80, 60, 40, 20, 0}, 0},
		{"a redundant column is no exact mixture", []float64{100, 70, 45, 25, 10, 0, 0}, 0},
		{"one row", []float64{0}, 1},
	} {
		p, err := Propose(c.floors)
		if err != nil || p.K != c.k || p.Reason == "" || len(p.Explained) != len(c.floors) {
			t.Errorf("%s: %+v, %v; want %d", c.name, p, err, c.k)
		}
	}
	p, _ := Propose([]float64{100, 50, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0})
	if p.Elbow != 3 || p.Profile != 3 {
		t.Errorf("elbow %d, profile %d of a curve that bends at 3", p.Elbow, p.Profile)
	}
	for _, c := range []struct {
		floors []float64
		want   error
	}{{nil, softkmeans.ErrTooFewSamples}, {[]float64{1, math.NaN()}, softkmeans.ErrNonFinite}, {[]float64{1, 2}, softkmeans.ErrOption}, {[]float64{1, -1}, softkmeans.ErrOption}, {[]float64{math.Inf(1)}, softkmeans.ErrNonFinite}} {
		if _, err := Propose(c.floors); !errors.Is(err, c.want) {
			t.Errorf("%v: %v, want %v", c.floors, err, c.want)
		}
	}
	// Mixtures of k prototypes, exact and with a little noise.
	x := tables.Mixtures(500, 30, 5, 1)
	for _, data := range []*softkmeans.Matrix{x, tables.Noisy(x, 30, 1)} {
		floors := tables.Must(softkmeans.Floors(t.Context(), data, nil))(t)
		if p, err := Propose(floors); err != nil || p.K != 5 {
			t.Errorf("5 prototypes: %+v, %v", p, err)
		}
	}
}

// TestProposeKReasons: every answer in full, with Elbow and Profile by their definitions.
func TestProposeKReasons(t *testing.T) {
	for _, c := range []struct {
		floors            []float64
		k, elbow, profile int
		parts             int
		reason            string
	}{
		{[]float64{0, 0}, 1, 0, 0, 0, "all samples are equal"},
		{[]float64{10, 4, 1, 0, 0, 0, 0, 0, 0}, 4, 2, 2, 3, "4 prototypes mix all samples exactly"},
		{[]float64{10, 4, 1, 1.1e-11, 0, 0, 0, 0, 0}, 3, 3, 2, 4, "prototype 3 adds 30.0 % of the variance, more than the 27.1 % expected by chance; prototype 4 would add 10.0 %, less than 14.6 % by chance"},
		{[]float64{10, 4, 1, 1e-11, 0, 0, 0, 0, 0}, 4, 2, 2, 3, "4 prototypes mix all samples exactly"},
		{[]float64{10, 0, 0, 0, 0}, 2, 0, 0, 1, "2 prototypes mix all samples exactly"},
		{[]float64{10, 0, 0, 0}, 0, 0, 0, 1, "the data has one direction only, and any number of prototypes may lie along it"},
		{[]float64{10, 4, 0}, 0, 0, 0, 2, "no direction stands out: the first explains 60.0 %, and 75.0 % is expected by chance"},
		{[]float64{10, 2, 0}, 2, 0, 0, 2, "prototype 2 adds 80.0 % of the variance, more than the 75.0 % expected by chance; prototype 3 would add 20.0 %, less than 25.0 % by chance"},
		{[]float64{16, 4, 0}, 0, 0, 0, 2, "no direction stands out: the first explains 75.0 %, and 75.0 % is expected by chance"},
		{[]float64{100, 65, 40, 20, 16, 12, 9, 6, 3, 0}, 4, 4, 4, 9, "prototype 4 adds 20.0 % of the variance, more than the 14.8 % expected by chance; prototype 5 would add 4.0 %, less than 11.1 % by chance"},
	} {
		p, err := Propose(c.floors)
		if err != nil || p.K != c.k || len(p.Step) != c.parts || len(p.Stick) != c.parts || p.Elbow != c.elbow || p.Profile != c.profile || p.Reason != c.reason {
			t.Errorf("%v: %+v, %v", c.floors, p, err)
		}
		for i, v := range p.Explained {
			if want := 1 - c.floors[i]/max(c.floors[0], 1e-300); c.floors[0] > 0 && v != want || c.floors[0] == 0 && v != 0 {
				t.Errorf("%v: %g of the total explained by %d", c.floors, v, i+1)
			}
		}
		for i, v := range p.Stick {
			want := 0.0
			for j := i + 1; j <= c.parts; j++ {
				want += 1 / float64(j) / float64(c.parts)
			}
			if step := (c.floors[i] - c.floors[i+1]) / c.floors[0]; math.Abs(v-want) > 1e-15 || p.Step[i] != step {
				t.Errorf("%v: step %d is %g, its stick %g; want %g and %g", c.floors, i, p.Step[i], v, step, want)
			}
		}
	}
	if got := scatter([]float64{1, 2, 6}); math.Abs(got-14) > 1e-14 {
		t.Error(got)
	}
	if got := elbow([]float64{0, .5, 1}); got != 0 { // a straight line has none
		t.Error(got)
	}
	if got := profile([]float64{3, 3, 3}); got != 2 { // the first of equals
		t.Error(got)
	}
	if got := profile([]float64{5, 5, 1, 1, 1}); got != 3 {
		t.Error(got)
	}
}
