package main

import (
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
)

// The texts about a fit that was cancelled, and about a preview.
func TestVerdict(t *testing.T) {
	d := &data{found: &found{Table: &table.Table{Head: table.Head{Names: []string{"a", "b"}}, Rows: 9}}}
	certificate := func(objective, floor float64) softkmeans.Certificate {
		return softkmeans.Certificate{Objective: objective, Floor: floor, Total: 100,
			Gap: (objective - floor) / 100, Solver: softkmeans.SolverGram}
	}
	c := certificate(12.5, 10)
	for _, c := range []struct {
		r              result
		head, has, not string
	}{
		{result{certificate: c, options: options{method: view.MinVolume, k: 3, slack: .25}},
			"25.0 % above the floor", "That is the price", "stopped"},
		{result{certificate: c, options: options{method: view.MinVolume, k: 3, slack: .25}, partial: true},
			"Cancelled. Best so far: 25.0 % above the floor", "stopped after 7 iterations", "slack"},
		{result{certificate: c, options: options{method: view.MinVolume, k: 3, slack: .3}, between: true},
			"Slack 30.0 %: 25.0 % above the floor", "preview", "optimal"},
		{result{certificate: certificate(10, 10), options: options{method: view.MinVolume, k: 3}},
			"Proved optimal", "Certified: no 3 prototypes", "above"},
		{result{certificate: certificate(1, 0), options: options{method: view.MinVolume, k: 4, slack: .25}},
			"1.00 % left over", "is 1.00 % of the variance", "above"},
	} {
		c.r.model = &softkmeans.Model{Iterations: 7}
		head, meaning := d.verdict(&c.r)
		if head != c.head || !strings.Contains(meaning, c.has) || strings.Contains(meaning, c.not) {
			t.Errorf("%q: %q; %q is wanted, with %q and without %q", head, meaning, c.head, c.has, c.not)
		}
	}
}
