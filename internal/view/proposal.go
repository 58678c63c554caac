package view

import (
	"strconv"
	"strings"

	"softkmeans"
)

// Proposal writes the proposed number of prototypes as a sentence.
func Proposal(p softkmeans.KProposal) string {
	reason := strings.ReplaceAll(p.Reason, " %", "\u00a0%")
	if p.K == 0 {
		return "No number is proposed: " + reason + "."
	}
	return "Proposed: " + strconv.Itoa(p.K) + "; " + reason + "."
}
