package view

// The slack that a fit took, and how sure the last direction of its prototypes is, in sentences.

import (
	"strconv"

	"softkmeans"
)

// mostSlack is the slack of FitMinVolume where noise does not make it less.
const mostSlack = 0.25

// Slack says which slack a fit of minimal volume took, and of what it is a share; "" if it took none. given
// says that the slack was asked for, and trivial is that of SlackPart.
func Slack(m *softkmeans.Model, c softkmeans.Certificate, trivial, given bool) string {
	if m.Slack == 0 {
		return ""
	}
	text := "Slack " + Small(m.Slack) + " of "
	switch part := SlackPart(c, trivial); {
	case part != "":
		return text + part + " of the total variance (-slack)."
	case !given && m.Slack < mostSlack:
		return text + "the floor, a quarter of how far white noise raises the error of the true memberships above it (-slack)."
	}
	return text + "the floor (-slack)."
}

// clearlyStronger is how many times as strong as the next the last direction of prototypes is to be.
const clearlyStronger = 1.25

// LastDirection says that the last direction of k prototypes is weak beside the next; "" if it is
// stronger, or if floors, those of 1, 2, … prototypes, do not tell.
func LastDirection(floors []float64, k int) string {
	if k < 2 || k >= len(floors) || floors[k-1] <= exactShare*floors[0] {
		return ""
	}
	last, next := floors[k-2]-floors[k-1], floors[k-1]-floors[k]
	if !(last < clearlyStronger*next) {
		return ""
	}
	return "The last direction of " + Prototypes(k) + " is weak, " +
		strconv.FormatFloat(last/next, 'f', 2, 64) + " times as strong as the next: k may be too large."
}
