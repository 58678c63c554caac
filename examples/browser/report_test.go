package main

import (
	"strings"
	"testing"

	"softkmeans/internal/scale"
	"softkmeans/internal/tables"
)

// The answer has the sections of the command. It says that a fit was stopped, or is a preview.
func TestAnswer(t *testing.T) {
	s := opened(t, "iris")
	tables.Must(s.fit(t.Context(), options{slack: byNoise, scale: scale.Auto}, nil, nil))(t)
	parts := tables.Must(s.doubt(t.Context()))(t)
	if again := tables.Must(s.doubt(t.Context()))(t); again != nil {
		t.Error("halves are fitted twice")
	}
	head, rest := valueOf(t, parts, "answer"), valueOf(t, parts, "details")
	if verdict := valueOf(t, parts, "verdict"); !strings.HasPrefix(verdict, "3 prototypes explain 97.2 % of the variance") {
		t.Error(verdict)
	}
	for _, want := range []string{"Refits on half of the rows",
		"<h2>Clusters</h2>", "<h2>Prototypes</h2>"} {
		if !strings.Contains(head, want) {
			t.Errorf("there is no %q in %s", want, head)
		}
	}
	for _, want := range []string{"have two memberships of 0.4 or more", "<summary>Means of clusters, in more digits</summary>"} {
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
