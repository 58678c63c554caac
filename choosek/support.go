package choosek

// A number to go on with where none is certain.

import (
	"math"
	"strconv"

	"softkmeans"
	"softkmeans/internal/scale"
)

// sameScale is how many times columns that count as standardized differ in spread.
const sameScale = 2

// Supported returns a number of prototypes to go on with, and why: K or, where that is 0, the number
// that two opinions share, else that of standardized columns where these are certain, else that of one
// opinion: of halves, if it is the largest, since clusters may share directions; of noise; of halves; of
// held-out entries where noise says more than 1. An opinion of 1, or above the largest number tried, has
// none. k is 0 if nothing supports any number.
//
// Where K is 0 the number is a candidate. docs/accuracy.md has how often it is right.
func (c *Choice) Supported() (k int, why string) {
	if c.K > 0 {
		return c.K, c.Reason
	}
	edge, held := c.directions()
	s, who := c.Standardized, ""
	switch {
	case c.agreed() > 0 && c.agreed() == held:
		k, who = held, "noise and held-out entries say "
	case c.agreed() > 0:
		k, who = edge, "noise and halves of the rows say "
	case s != nil && s.K > 1:
		k, who = s.K, "standardized columns say "
	case c.Stable > max(c.Edge, c.HeldOut), c.Stable > 1 && edge < 2: // clusters may share directions
		k, who = c.Stable, "halves of the rows say "
	case edge > 1:
		k, who = edge, "noise says "
	case held > 1 && c.Edge > 1: // noise of columns that differ looks like directions to them
		k, who = held, "held-out entries say "
	default:
		return 0, c.Reason
	}
	return k, "no certain k: " + c.Reason + "; " + who + strconv.Itoa(k)
}

// directions returns Edge and HeldOut, or 0 for one that says no more than that it is at least that.
func (c *Choice) directions() (edge, held int) {
	if c.Edge <= c.limit {
		edge = c.Edge
	}
	if c.HeldOut <= c.most {
		held = c.HeldOut
	}
	return edge, held
}

// agreed returns the number of at least 2 that noise shares with another opinion, 0 if there is none. That
// of the two others is certain.
func (c *Choice) agreed() int {
	if edge, held := c.directions(); edge > 1 && (edge == held || edge == c.Stable) {
		return edge
	}
	return 0
}

// standardized returns the rows with columns of mean 0 and variance 1, but for constant ones; nil where
// columns are about so already.
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
