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
	words := [...]string{"noise", "halves of the rows", "held-out entries"}
	list := [...]int{c.tried(c.Edge), c.Stable, c.tried(c.HeldOut)}
	say := func(who string, k int) (int, string) {
		return k, "no certain k: " + c.Reason + "; " + who + " " + strconv.Itoa(k)
	}
	if k := c.agreed(); k > 0 {
		who := ""
		for i, v := range list {
			if v == k && who == "" {
				who = words[i]
			} else if v == k {
				who += " and " + words[i]
			}
		}
		return say(who+" say", k)
	}
	if s := c.Standardized; s != nil && s.K > 1 {
		return say("standardized columns say", s.K)
	}
	switch edge, held := list[0], list[2]; {
	case c.Stable > max(c.Edge, c.HeldOut): // clusters that share directions
		return say("halves of the rows alone say", c.Stable)
	case edge > 1:
		return say("noise alone says", edge)
	case c.Stable > 1:
		return say("halves of the rows alone say", c.Stable)
	case held > 1 && c.Edge > 1: // noise of columns that differ looks like directions to them
		return say("held-out entries alone say", held)
	}
	return 0, c.Reason
}

// tried returns k, or 0 if so many prototypes were not tried: the opinion is that it is at least that.
func (c *Choice) tried(k int) int {
	if k > c.most {
		return 0
	}
	return k
}

// agreed returns the number of at least 2 that two opinions share; 0 if there is none.
func (c *Choice) agreed() int {
	edge, held := c.tried(c.Edge), c.tried(c.HeldOut)
	switch {
	case edge > 1 && (edge == held || edge == c.Stable):
		return edge
	case held > 1 && held == c.Stable:
		return held
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
