package view

import "strconv"

// LabelBy says what the labels of rows are: the largest memberships if rows are mixtures, else the clusters.
// In so many of the rows these two differ.
func LabelBy(mixtures bool, differ, rows int) string {
	text := "Label is the cluster"
	if mixtures {
		text = "Label is the largest membership, as rows are mixtures"
	}
	switch {
	case differ == 0:
		return text + "."
	case mixtures:
		return text + ". The cluster of " + strconv.Itoa(differ) + " of " + Count(rows, "row") + " is another."
	}
	return text + ". The largest membership of " + strconv.Itoa(differ) + " of " + Count(rows, "row") + " is another."
}
