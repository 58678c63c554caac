package main

import (
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
	"softkmeans/internal/tables"
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
		r    result
		head string
	}{
		{result{certificate: c, options: options{method: view.MinVolume, k: 3, slack: .25}}, "25.0 % above the floor"},
		{result{certificate: c, options: options{method: view.MinVolume, k: 3, slack: .25}, partial: true},
			"Cancelled. Best so far: 25.0 % above the floor"},
		{result{certificate: c, options: options{method: view.MinVolume, k: 3, slack: .3}, between: true},
			"Slack 30.0 %: 25.0 % above the floor"},
		{result{certificate: certificate(10, 10), options: options{method: view.MinVolume, k: 3}}, "Proved optimal"},
		{result{certificate: certificate(1, 0), options: options{method: view.MinVolume, k: 4, slack: .25}},
			"1.00 % left over"},
	} {
		if head := d.verdict(&c.r); head != c.head {
			t.Errorf("%q, not %q", head, c.head)
		}
	}
}

// The answer has the sections of the command. It says that a fit was stopped, or is a preview.
func TestAnswer(t *testing.T) {
	s := opened(t, "iris")
	tables.Must(s.fit(t.Context(), options{slack: byNoise, scale: scale.Auto}, nil, nil))(t)
	parts := tables.Must(s.doubt(t.Context()))(t)
	if again := tables.Must(s.doubt(t.Context()))(t); again != nil {
		t.Error("halves are fitted twice")
	}
	head, rest := valueOf(t, parts, "answer"), valueOf(t, parts, "details")
	for _, want := range []string{"3 prototypes explain 97.2\u00a0% of the variance", "Refitting random halves",
		"<h2>Clusters</h2>", "<h2>Prototypes</h2>"} {
		if !strings.Contains(head, want) {
			t.Errorf("there is no %q in %s", want, head)
		}
	}
	for _, want := range []string{"lie between two prototypes", "<h2>Quality</h2>", "<summary>Means of clusters</summary>"} {
		if !strings.Contains(rest, want) {
			t.Errorf("there is no %q in %s", want, rest)
		}
	}
	for _, html := range []string{head, rest} {
		sound(t, "answer", "<div>"+html+"</div>")
	}
	r := *s.shown
	r.partial = true
	if text := string(s.data.answer(&r).Text(false)); !strings.Contains(text, "The fit was stopped after ") {
		t.Error(text)
	}
	r.partial, r.between = false, true
	if text := string(s.data.answer(&r).Text(false)); !strings.Contains(text, "A preview between ") {
		t.Error(text)
	}
}
