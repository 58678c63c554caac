package view

// Words about the scale of columns: why they are standardized, and which of them decides where they are
// not.

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"softkmeans/internal/scale"
	"softkmeans/internal/table"
)

const (
	// deciding is the share of the variance above which one column decides a result.
	deciding = 0.8
	// unlikeUnits and unlikeKinds are how many times columns of different units or kinds differ in spread
	// where that matters.
	unlikeUnits, unlikeKinds = 2, 10
	// often is the spread, as a share of the range, from which a column of whole numbers is none by
	// chance: one that is seldom more than 0 has less.
	often = 0.1
)

// units are further words that stand for units behind a name.
var units = strings.Fields("% ° $ £ € C F cm-1 cm⁻¹ days deg eur hours hz pH rad usd years yr")

// unitOf returns the unit of column j: given on a line of its own, or at the end of its name, such as
// temp (°C); "" if there is none that is known. Without sure it is also behind an underscore, as in
// length_mm, where one letter may be anything.
func unitOf(h *table.Head, j int, sure bool) string {
	if h.Units != nil && h.Units[j] != "" {
		return h.Units[j]
	}
	name := h.Names[j]
	word := ""
	if n := len(name); n > 0 && (name[n-1] == ')' || name[n-1] == ']') {
		word = name[strings.LastIndexAny(name, "([")+1 : n-1]
	} else if at := strings.LastIndexByte(name, '_'); at >= 0 && !sure {
		if word = name[at+1:]; len(word) == 1 && word != "%" && word != "$" {
			return ""
		}
	}
	for _, as := range []string{word, strings.ToLower(word)} {
		if table.IsUnit(as) || slices.Contains(units, as) {
			return word
		}
	}
	return ""
}

// ByUnits returns the scale that [scale.Auto] stands for by the header, and why: None for columns of one
// unit, ZScore for columns of several, Auto if the header leaves it open. Units count in brackets behind
// a name, or given on a line of their own: a name such as temp_min ends in no unit.
func ByUnits(h *table.Head) (kind scale.Kind, why string) {
	if table.IsAxis(h.Names) {
		return scale.None, "columns are named by numbers that rise or fall, as of one unit"
	}
	var of []string // units, in order
	all := true
	for j := range h.Names {
		unit := unitOf(h, j, true)
		if all = all && unit != ""; unit != "" && !slices.Contains(of, unit) {
			of = append(of, unit)
		}
	}
	switch {
	case len(of) > 1:
		return scale.ZScore, "columns are in different units (" + few(of) + ")"
	case all && len(of) == 1 && len(h.Names) > 1:
		return scale.None, "columns are all in " + of[0]
	}
	return scale.Auto, ""
}

// few lists units, three at most.
func few(units []string) string {
	if len(units) > 3 {
		units = append(units[:3:3], "…")
	}
	return strings.Join(units, ", ")
}

// Deciding says which column decides a result whose columns are not scaled, and its number; "" if none
// does. names are those of the head as they are shown. It is one that has more than 80 % of the variance.
// left says that Auto left the columns as they are. It then also names the widest of columns in different
// units, or of whole numbers beside numbers with decimals. If it is the units that
// decided, or columns were taken to be of one unit, the number is −1, as no column is to blame.
func Deciding(c *scale.Columns, h *table.Head, names []string, left bool) (text string, column int) {
	var used []int // columns that vary
	for j, v := range c.Spread {
		if v != 0 {
			used = append(used, j)
		}
	}
	widest, narrowest, far := c.FarApart()
	if len(used) < 2 {
		return "", 0
	}
	sum := 0.0 // of the variances over the largest
	for _, j := range used {
		r := c.Spread[j] / c.Spread[widest]
		sum += r * r
	}
	share := " has " + ofVariance(1/sum)
	name := "column " + names[widest]
	switch {
	case 1/sum > deciding:
		return name + share + ", and so most of the weight in the fit", widest
	case !left:
		return "", 0
	}
	if far {
		_, why := ByUnits(h)
		switch {
		case why != "":
			return why + ": not standardized", -1
		case c.Wide():
			return together(c.Spread, used, names) + strconv.Itoa(scale.ManyColumns) +
				" columns or more, taken to be of one unit: not standardized", -1
		}
	}
	if why := unlike(c, used, h, c.Spread[widest]/c.Spread[narrowest]); why != "" {
		return why + ": " + name + share, widest
	}
	return "", 0
}

// together names two or three of many columns that have more than 80 % of the variance, as coordinates
// beside contents of metals; "" if there are none.
func together(spread []float64, used []int, names []string) string {
	slices.SortStableFunc(used, func(i, j int) int { return cmp.Compare(spread[j], spread[i]) })
	variance := func(list []int) (sum float64) {
		for _, j := range list {
			r := spread[j] / spread[used[0]]
			sum += r * r
		}
		return sum
	}
	all := variance(used)
	for n := 2; n <= 3; n++ {
		if share := variance(used[:n]) / all; share > deciding {
			var list []string
			for _, j := range used[:n] {
				list = append(list, names[j])
			}
			return "columns " + strings.Join(list, ", ") + " have " + ofVariance(share) + "; "
		}
	}
	return ""
}

// ofVariance is a share of the variance in words, which is less than all.
func ofVariance(share float64) string {
	percent := strconv.FormatFloat(100*share, 'f', 0, 64)
	if percent == "100" {
		percent = "more than 99"
	}
	return percent + " % of the variance"
}

// unlike says that the used columns are in different units, or of other kinds, and that they differ by this
// ratio in spread; "" if that does not matter.
func unlike(c *scale.Columns, used []int, h *table.Head, ratio float64) string {
	var of []string // units, in order
	whole, broken := false, false
	for _, j := range used {
		unit := unitOf(h, j, false)
		if unit != "" && !slices.Contains(of, unit) {
			of = append(of, unit)
		}
		whole = whole || c.Whole[j] && c.Spread[j] >= often*(c.Most[j]-c.Least[j])
		broken = broken || !c.Whole[j]
	}
	switch {
	case len(of) > 1 && ratio >= unlikeUnits:
		return "columns are in different units (" + few(of) + ") and left as they are"
	case whole && broken && ratio >= unlikeKinds:
		return "whole numbers and numbers with decimals are left as they are, and their standard deviations " +
			"differ by a factor of " + Plain(ratio, 2)
	}
	return ""
}

// Differ says that [scale.Auto] standardized the columns since they differ in spread, or by their header.
func Differ(s *scale.Scaling, h *table.Head, names []string) string {
	if kind, why := ByUnits(h); kind == scale.ZScore {
		return why + ": standardized"
	}
	return "standard deviations of columns differ by a factor of " +
		Plain(s.Divisor[s.Widest]/s.Divisor[s.Narrowest], 2) + " (" + names[s.Widest] + " is widest, " +
		names[s.Narrowest] + " narrowest): standardized"
}
