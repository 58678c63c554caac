package view

// The proposed number of prototypes.

import (
	"context"
	"math"
	"strconv"
	"strings"

	"softkmeans"
)

// Propose goes by the floors of x or, where those are out of range because squares
// of the numbers are, by the floors of a table that differs by a power of two.
func Propose(x *softkmeans.Matrix, weights, floors []float64) (softkmeans.KProposal, error) {
	if !(floors[0] > 0) || !Finite(floors[0]) {
		var top float64
		for i := range x.Rows {
			for _, v := range x.Row(i) {
				top = max(top, math.Abs(v))
			}
		}
		_, e := math.Frexp(top)
		near := x.Clone()
		for i, v := range near.Data {
			near.Data[i] = math.Ldexp(v, -e)
		}
		var err error
		if floors, err = softkmeans.Floors(context.Background(), near, &softkmeans.Options{Weights: weights}); err != nil {
			return softkmeans.KProposal{}, err
		}
	}
	return softkmeans.ProposeK(floors)
}

// Proposal writes the proposal as a sentence.
func Proposal(p softkmeans.KProposal) string {
	reason := strings.ReplaceAll(p.Reason, " %", "\u00a0%")
	if p.K == 0 {
		return "No number is proposed: " + reason + "."
	}
	return "Proposed: " + strconv.Itoa(p.K) + "; " + reason + "."
}
