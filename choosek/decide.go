package choosek

// How four criteria become one number.

import (
	"math"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/internal/scale"
)

// decide sets Stable, K, Certain and Reason by the rules below. An Edge or HeldOut that is the largest number
// possible confirms nothing. The first rule that applies makes K certain:
//
//   - K is Edge if halves agree on Edge prototypes. If Edge comes from permuted columns, Stable must also be
//     Edge, and HeldOut must differ from Edge by at most one.
//   - K is Edge if Edge compares with white noise, HeldOut is Edge, and Agreement is at least confirmFrom.
//   - K is Stable if HeldOut equals Stable.
//   - For divided rows K is Edge if HeldOut equals Edge.
//
// Clusters is K unless a certain number is at least as large.
func (c *Choice) decide() {
	for k := range c.Agreement {
		if c.stable(k+1, stableFrom) {
			c.Stable = k + 1
		}
	}
	c.K = 0
	edge, held := c.directions()
	mostEdge, mostHeld := c.bounded()
	if mostEdge {
		edge = 0
	}
	if mostHeld {
		held = 0
	}
	count := func(k int) string { return strconv.Itoa(k) + " prototypes" }
	const agreed = ", and halves of the rows agree on them"
	switch near := held > 0 && max(edge-held, held-edge) <= 1; {
	case c.stable(edge, stableFrom) && (!c.Permuted || edge == c.Stable && near):
		c.K, c.Reason = edge, "as many directions exceed the noise as "+count(edge)+" span"+agreed
	case !c.Permuted && edge == held && c.stable(edge, confirmFrom):
		c.K, c.Reason = edge, "noise and held-out entries speak for "+count(edge)+
			", and halves of the rows agree well enough"
	case c.Stable > 0 && c.Stable == held:
		c.K, c.Reason = held, "held-out entries speak for "+count(held)+agreed
	case c.divided && edge > 1 && edge == held:
		c.K, c.Reason = edge, "noise and held-out entries speak for "+count(edge)+
			" of rows divided by their sums"
	}
	if c.Certain = c.K > 0; !c.Certain {
		c.K, c.Reason = c.candidate()
	}
	switch {
	case c.Clusters > 0 && !(c.Certain && c.K >= c.Clusters):
		c.K, c.Certain, c.Reason = c.Clusters, false, "the rows lie in about "+strconv.Itoa(c.Clusters)+
			" clusters that are apart (silhouette "+
			strconv.FormatFloat(c.Silhouette[c.Clusters-1], 'f', 2, 64)+
			"); clusters that touch count as one. As mixtures, "+c.Reason
	case !c.Certain && c.K > 0:
		c.Reason = "not certain: " + c.Reason
	}
}

// candidate returns the best supported number of prototypes for the case that no number is certain; 0: none.
// says lists the numbers of the criteria, beginning with the criterion that decided.
func (c *Choice) candidate() (k int, says string) {
	edge, held := c.directions()
	mostEdge, mostHeld := c.bounded()
	number := func(k int, most bool) string {
		switch {
		case k == 0:
			return "none"
		case most:
			return strconv.Itoa(k) + " or more"
		}
		return strconv.Itoa(k)
	}
	noise := number(c.Edge, mostEdge) + " by the noise"
	entries := number(c.HeldOut, mostHeld) + " by held-out entries"
	halves := number(c.Stable, false) + " by halves of the rows"
	list := []string{noise, entries, halves}
	s := c.Standardized
	switch {
	case edge > 1 && edge == held:
		k, list = edge, []string{strconv.Itoa(edge) + " by the noise and held-out entries", halves}
	case edge > 1 && edge == c.Stable:
		k, list = edge, []string{strconv.Itoa(edge) + " by the noise and halves of the rows", entries}
	case held > 1 && held == c.Stable:
		k, list = held, []string{strconv.Itoa(held) + " by held-out entries and halves of the rows", noise}
	case s != nil && s.Certain && s.K > 1:
		k, list = s.K, append([]string{strconv.Itoa(s.K) + " by standardized columns"}, list...)
	case c.Stable > max(c.Edge, c.HeldOut), c.Stable > 1 && edge < 2:
		k, list = c.Stable, []string{halves, noise, entries} // clusters may share directions
	case edge > 1:
		k = edge
	case held > 1 && c.Edge > 1:
		k, list = held, []string{entries, noise, halves} // noise of columns that differ looks like directions
	case c.Edge <= 1 && c.HeldOut <= 1:
		list = []string{"nothing stands out of the noise"}
	}
	return k, strings.Join(list, ", ")
}

// stable reports whether Agreement for k prototypes is at least from, and exceeds Chance by at least
// stableMargin.
func (c *Choice) stable(k int, from float64) bool {
	return k >= 2 && k <= len(c.Agreement) && c.Agreement[k-1] >= from &&
		c.Agreement[k-1] >= c.Chance[k-1]+stableMargin
}

// directions returns Edge and HeldOut, or 0 for one above the largest number tried.
func (c *Choice) directions() (edge, held int) {
	if c.Edge <= c.limit {
		edge = c.Edge
	}
	if c.HeldOut <= c.most {
		held = c.HeldOut
	}
	return edge, held
}

// bounded reports, for Edge and for HeldOut, whether it is the largest number that it can be.
func (c *Choice) bounded() (edge, held bool) {
	return c.Edge > min(c.limit, c.dims), c.HeldOut > 0 && c.HeldOut >= len(c.Error)
}

// agreed reports whether two criteria of mixtures give the same number, above 1.
func (c *Choice) agreed() bool {
	edge, held := c.directions()
	return edge > 1 && (edge == held || edge == c.Stable) || held > 1 && held == c.Stable
}

// sameScale is the largest ratio of the spreads of columns that count as standardized.
const sameScale = 2

// standardized returns the rows with columns of mean 0 and variance 1, except constant columns. It returns
// nil if the columns' spreads differ by at most sameScale.
func standardized(x *softkmeans.Matrix) *softkmeans.Matrix {
	s := scale.Of(scale.ZScore, x.Data, x.Cols, nil)
	least, most := math.Inf(1), 0.0
	for _, spread := range scale.ColumnsOf(x.Data, x.Cols, nil, nil).Spread {
		if spread > 0 {
			least, most = min(least, spread), max(most, spread)
		}
	}
	if most <= sameScale*least {
		return nil
	}
	z := x.Clone()
	s.Apply(z.Data)
	return z
}
