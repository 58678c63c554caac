package main

import (
	"math"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/table"
)

func TestPercent(t *testing.T) {
	for v, want := range map[float64]string{0: "0.00 %", 1: "100 %", .25: "25.0 %", .0531: "5.31 %", .09999: "10.0 %", .99999: "100 %", 12.5: "1250 %", -.02: "-2.00 %"} {
		if got := percent(v); got != want {
			t.Errorf("%v is %q, not %q", v, got, want)
		}
	}
}

// What a certificate says, in words that neither claim too much nor too little.
func TestVerdict(t *testing.T) {
	d := &data{Table: &table.Table{Head: table.Head{Names: []string{"a", "b"}}, Rows: 9}}
	k3 := func(m method, slack float64) options { return options{method: m, k: 3, slack: slack} }
	for _, c := range []struct {
		r              result
		head, has, not string
	}{
		{result{certificate: softkmeans.Certificate{Objective: 10, Floor: 10, Total: 100}, options: k3(global, 0)},
			"Proved optimal", "no choice of 3 prototypes", "slack"},
		{result{certificate: softkmeans.Certificate{Objective: 12.5, Floor: 10, Total: 100, Gap: .025}, options: k3(minVolume, .25)},
			"25.0 % above the floor", "The floor is proved; that no smaller simplex has the same error is not", "optimal"},
		{result{certificate: softkmeans.Certificate{Objective: 12.5, Floor: 10, Total: 100, Gap: .025}, options: k3(alternating, 0)},
			"25.0 % above the floor", "local minimum", "slack"},
		{result{certificate: softkmeans.Certificate{Objective: 12.5, Floor: 10, Total: 100, Gap: .025}, options: k3(minVolume, .25), partial: true},
			"Cancelled. Best so far: 25.0 % above the floor", "stopped after 7 iterations", "slack"},
		{result{certificate: softkmeans.Certificate{Objective: 12.5, Floor: 10, Total: 100, Gap: .025}, options: k3(minVolume, .3), between: true},
			"Slack 30.0 %: 25.0 % above the floor", "preview", "optimal"},
		{result{certificate: softkmeans.Certificate{Objective: 1, Total: 100, Gap: .01}, options: k3(minVolume, .25)},
			"1.00 % left over", "mixed from 3 prototypes exactly; these leave over that share of the total variance. With a floor of 0 the slack is a share of a tenth", "floor:"},
		{result{certificate: softkmeans.Certificate{Objective: 1, Gap: math.MaxFloat64}, options: k3(alternating, 0)},
			"No variance to explain", "equal", "optimal"},
		{result{certificate: softkmeans.Certificate{Objective: math.MaxFloat64, Floor: math.MaxFloat64, Total: math.MaxFloat64, Gap: .014}, options: k3(minVolume, .25)},
			"1.40 % of the variance above the floor", "out of range", "equal"},
		{result{certificate: softkmeans.Certificate{Objective: 10, Floor: 10, Total: 100, MinMembership: -1}, options: k3(global, 0)},
			"0.00 % above the floor", "may exist", "optimal"},
	} {
		c.r.model = &softkmeans.Model{Iterations: 7}
		head, meaning := d.verdict(&c.r)
		if head != c.head || !strings.Contains(meaning, c.has) || strings.Contains(meaning, c.not) {
			t.Errorf("%q: %q; %q is wanted, with %q and without %q", head, meaning, c.head, c.has, c.not)
		}
	}
}

func TestWarnings(t *testing.T) {
	m := &softkmeans.Model{Warnings: []softkmeans.Warning{{Kind: softkmeans.WarnEmpty, Cluster: 2, Value: .01}, {Kind: softkmeans.WarnCoincident, Cluster: 0, Other: 1}}}
	lines := strings.Split(warnings(m), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "Cluster 2 is empty") || !strings.HasPrefix(lines[1], "Centers 0 and 1 coincide") {
		t.Errorf("%q", lines)
	}
	if got := warnings(&softkmeans.Model{}); got != "" {
		t.Errorf("without any: %q", got)
	}
}
