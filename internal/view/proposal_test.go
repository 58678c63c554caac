package view

import (
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/choosek"
)

func TestProposal(t *testing.T) {
	floors, err := softkmeans.Floors(t.Context(), set(t, "iris", false), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := choosek.Propose(floors)
	if got := Proposal(p); err != nil ||
		!strings.HasPrefix(got, "Proposed: 2; prototype 2 adds 92.5\u00a0%") {
		t.Errorf("%q, %v", got, err)
	}
	if got := Proposal(choosek.Proposal{Reason: "so it is"}); got != "No number is proposed: so it is." {
		t.Errorf("%q", got)
	}
}
