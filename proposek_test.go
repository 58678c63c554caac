package softkmeans

import (
	"context"
	"errors"
	"math"
	"testing"
)

func TestProposeK(t *testing.T) {
	for _, c := range []struct {
		name   string
		floors []float64
		k      int
	}{
		{"three steps stand out", []float64{100, 65, 40, 20, 16, 12, 9, 6, 3, 0}, 4},
		{"nothing stands out", []float64{100, 80, 60, 40, 20, 0}, 0},
		{"exact", []float64{10, 4, 1, 1e-14, 1e-15, 0, 0, 0, 0}, 4},
		{"a redundant column is no exact mixture", []float64{100, 70, 45, 25, 10, 0, 0}, 0},
		{"one direction", []float64{5, 0}, 0},
		{"equal rows", []float64{0, 0, 0}, 1},
		{"one row", []float64{0}, 1},
	} {
		p, err := ProposeK(c.floors)
		if err != nil || p.K != c.k || p.Reason == "" || len(p.Explained) != len(c.floors) {
			t.Errorf("%s: %+v, %v; want %d", c.name, p, err, c.k)
		}
		var steps, stick float64
		for i, v := range p.Step {
			steps += v
			stick += p.Stick[i]
		}
		if len(p.Step) > 0 && (math.Abs(steps-1) > 1e-9 || math.Abs(stick-1) > 1e-9) {
			t.Errorf("%s: steps add up to %g, the stick to %g", c.name, steps, stick)
		}
	}
	p, _ := ProposeK([]float64{100, 50, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0})
	if p.Elbow != 3 || p.Profile != 3 {
		t.Errorf("elbow %d, profile %d of a curve that bends at 3", p.Elbow, p.Profile)
	}
	for _, c := range []struct {
		floors []float64
		want   error
	}{{nil, ErrTooFewSamples}, {[]float64{1, math.NaN()}, ErrNonFinite}, {[]float64{1, 2}, ErrOption}, {[]float64{1, -1}, ErrOption}, {[]float64{math.Inf(1)}, ErrNonFinite}} {
		if _, err := ProposeK(c.floors); !errors.Is(err, c.want) {
			t.Errorf("%v: %v, want %v", c.floors, err, c.want)
		}
	}
	// Mixtures of k prototypes, exact and with a little noise.
	x, _ := mixtures(500, 30, 5, 0.5, 1, 1)
	for _, data := range []*Matrix{x, noisy(x, 30, 1)} {
		floors, err := Floors(context.Background(), data, nil)
		if err != nil {
			t.Fatal(err)
		}
		if p, err := ProposeK(floors); err != nil || p.K != 5 {
			t.Errorf("5 prototypes: %+v, %v", p, err)
		}
	}
}
