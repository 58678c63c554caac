package view

import (
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/choosek"
	"softkmeans/internal/tables"
)

func TestProposal(t *testing.T) {
	floors := tables.Must(softkmeans.Floors(t.Context(), tables.CSV(t, "iris"), nil))(t)
	p, err := choosek.Propose(floors)
	if got := Proposal(p); err != nil ||
		!strings.HasPrefix(got, "Proposed: 2; prototype 2 adds 92.5\u00a0%") {
		t.Errorf("%q, %v", got, err)
	}
	if got := Proposal(choosek.Proposal{Reason: "so it is"}); got != "No number is proposed: so it is." {
		t.Errorf("%q", got)
	}
}
