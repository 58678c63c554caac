package view

import (
	"strings"
	"testing"

	"softkmeans"
)

func TestProposal(t *testing.T) {
	floors, err := softkmeans.Floors(t.Context(), set(t, "iris", false), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := softkmeans.ProposeK(floors)
	if got := Proposal(p); err != nil || !strings.HasPrefix(got, "Proposed: 2; prototype 2 adds 92.5\u00a0%") {
		t.Errorf("%q, %v", got, err)
	}
	if got := Proposal(softkmeans.KProposal{Reason: "so it is"}); got != "No number is proposed: so it is." {
		t.Errorf("%q", got)
	}
}
