package view

import (
	"context"
	"strings"
	"testing"

	"softkmeans"
)

// The proposal does not depend on the unit, though squares are out of range.
func TestPropose(t *testing.T) {
	for _, scale := range []float64{1, 1e200, 1e-200} {
		x := set(t, "iris", false)
		for i := range x.Data {
			x.Data[i] *= scale
		}
		floors, err := softkmeans.Floors(context.Background(), x, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Propose(x, nil, floors)
		if got := Proposal(p); err != nil || !strings.HasPrefix(got, "Proposed: 2; prototype 2 adds 92.5\u00a0%") {
			t.Errorf("times %g: %q, %v", scale, got, err)
		}
	}
	if got := Proposal(softkmeans.KProposal{Reason: "so it is"}); got != "No number is proposed: so it is." {
		t.Errorf("%q", got)
	}
}
