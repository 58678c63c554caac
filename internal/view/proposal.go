package view

import (
	"slices"
	"strconv"

	"softkmeans/choosek"
)

// Opinions writes what a choice is based on: a sentence for each criterion, or none if all rows are equal. One
// more tells of rows that were drawn.
func Opinions(c choosek.Choice) []string {
	if len(c.Step) == 0 {
		return nil
	}
	list := []string{noiseOpinion(&c)}
	if len(c.Error) > 0 {
		list = append(list, heldOutOpinion(&c))
	}
	list = append(list, halvesOpinion(&c))
	if len(c.Silhouette) > 0 {
		list = append(list, clustersOpinion(&c))
	}
	if s := c.Standardized; s != nil && s.Certain {
		list = append(list, "Standardized columns: k = "+strconv.Itoa(s.K)+"; "+s.Reason+".")
	} else if s != nil {
		text := "Standardized columns: not certain: " + strconv.Itoa(s.Edge) + " by the noise"
		if s.HeldOut > 0 {
			text += ", " + strconv.Itoa(s.HeldOut) + " by held-out entries"
		}
		if s.Stable > 0 {
			text += ", " + strconv.Itoa(s.Stable) + " by halves of the rows"
		}
		list = append(list, text+".")
	}
	if c.Drawn {
		list = append(list, "These criteria are computed from a random sample of "+strconv.Itoa(c.Rows)+
			" rows, and the floors from all rows.")
	}
	return list
}

// noiseOpinion compares the last direction above the noise, and the first below.
func noiseOpinion(c *choosek.Choice) string {
	noise := "white noise"
	if c.Permuted {
		noise = "permuted columns"
	}
	direction := func(i int) string { // that k = i+1 needs
		have, bound := sharesApart(c.Step[i], c.Bound[i])
		if i == c.Edge && c.Step[i] > c.Bound[i] {
			return "direction " + strconv.Itoa(i) + " has " + have + " of the variance, which may be rounding"
		}
		return "direction " + strconv.Itoa(i) + " has " + have + " of the variance (" +
			noise + " up to " + bound + ")"
	}
	text := "Noise: k = " + strconv.Itoa(c.Edge)
	mark := "; "
	for _, i := range []int{c.Edge - 1, c.Edge} {
		if i >= 1 && i < len(c.Step) {
			text, noise, mark = text+mark+direction(i), "noise", ", "
		}
	}
	return text + "."
}

// heldOutOpinion compares the errors of k and its neighbors.
func heldOutOpinion(c *choosek.Choice) string {
	k := c.HeldOut
	text := "Held-out entries: k = " + strconv.Itoa(k) + "; their error is " + share(c.Error[k-1]) + " ± " +
		share(c.ErrorDeviation[k-1]) + " of the variance"
	mark := " ("
	for _, other := range []int{k - 1, k + 1} {
		if other >= 1 && other <= len(c.Error) {
			text += mark + share(c.Error[other-1]) + " for k = " + strconv.Itoa(other)
			mark = ", "
		}
	}
	if mark == ", " {
		text += ")"
	}
	return text + "."
}

// halvesOpinion has the agreement for the largest stable k, or the best of all.
func halvesOpinion(c *choosek.Choice) string {
	agree := func(k int) string { return strconv.FormatFloat(c.Agreement[k-1], 'f', 2, 64) }
	if k := c.Stable; k > 0 {
		text := "Halves of the rows: up to k = " + strconv.Itoa(k) +
			"; their labels agree by " + agree(k) + " (chance " +
			strconv.FormatFloat(c.Chance[k-1], 'f', 2, 64) + ")"
		if k < len(c.Agreement) {
			text += ", by " + agree(k+1) + " for k = " + strconv.Itoa(k+1)
		}
		return text + "."
	}
	if len(c.Agreement) < 2 {
		return "Halves of the rows: no k."
	}
	best := 2 + slices.Index(c.Agreement[1:], slices.Max(c.Agreement[1:]))
	return "Halves of the rows: they confirm no k by themselves; their labels agree best, by " + agree(best) +
		", for k = " + strconv.Itoa(best) + "."
}

// clustersOpinion has the largest mean silhouette.
func clustersOpinion(c *choosek.Choice) string {
	best := slices.Max(c.Silhouette)
	text := "the mean silhouette is largest, " + strconv.FormatFloat(best, 'f', 2, 64) + ", for k = " +
		strconv.Itoa(slices.Index(c.Silhouette, best)+1) + "."
	if c.Clusters == 0 {
		return "Clusters: no k. Only four or more clusters that lie well apart count; " + text
	}
	return "Clusters: k = " + strconv.Itoa(c.Clusters) + "; " + text
}

// share is a share in percent with three digits.
func share(v float64) string { return strconv.FormatFloat(100*v, 'g', 3, 64) + "\u00a0%" }

// sharesApart are two shares with as many digits as it takes to tell them apart, up to 12: further ones are
// rounding.
func sharesApart(v, w float64) (string, string) {
	text := func(v float64, digits int) string {
		return strconv.FormatFloat(100*v, 'g', digits, 64) + "\u00a0%"
	}
	digits := 3
	for v != w && digits < 12 && text(v, digits) == text(w, digits) {
		digits++
	}
	return text(v, digits), text(w, digits)
}
