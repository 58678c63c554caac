package table

// The fourth stage, too: which column names the rows.

import (
	"slices"
	"strings"
	"unicode"
)

// idEnds are the ends of names of columns of ids, in lower case.
var idEnds = []string{"_id", " id", "-id", ".id", "_nr", " nr", "_no", "_key", "nr.", "nummer", "_number",
	"code", "customerno", "customer no"}

func idName(name string) bool {
	lower := strings.ToLower(name)
	ends := func(end string) bool { return strings.HasSuffix(lower, end) }
	if is("id", lower) || slices.ContainsFunc(idEnds, ends) {
		return true
	}
	n := len(name) // CHLORID and LIQUID are data
	return n > 2 && (strings.HasSuffix(name, "ID") || strings.HasSuffix(name, "Id")) &&
		unicode.IsLower(rune(name[n-3])) || name == "POINTID"
}

// unnamed reports whether a name is that which pandas or R give a column without one.
func unnamed(name string) bool {
	return strings.HasPrefix(name, "Unnamed: ") || name == "..1" || name == "...1"
}

// guessIDs finds columns of ids among those that are free. The first that looks most
// like one becomes that of the rows. The others are left out.
func (p *parser) guessIDs(free func(int) bool, h *Head, picked bool) {
	if p.dialect.ID == NoID {
		return
	}
	columns := p.survey.columns
	var ids []int
	why, data := make([]string, p.width), 0
	for j := range columns {
		if !free(j) {
			continue
		}
		data++
		c := &columns[j]
		why[j] = p.whyID(c, j, h.Header)
		if why[j] == "" && picked && c.different && (c.text() || idName(p.names[j])) { // of few rows
			why[j] = "it is no column of the model, and no value comes twice"
		}
		if why[j] != "" {
			ids = append(ids, j)
		}
	}
	if p.dialect.Pick == nil && p.dialect.Drop == nil && len(ids) == data { // something must be data
		ids = slices.DeleteFunc(ids, func(j int) bool { return columns[j].words == 0 })
	}
	// Names and codes tell more than dates do, and these more than numbers of rows.
	rank := func(j int) int { return slices.Index([]string{datesOfRows, numbersOfRows}, why[j]) }
	slices.SortStableFunc(ids, func(a, b int) int { return rank(a) - rank(b) })
	for i, j := range ids {
		p.roles[j] = roleNone
		c, note := &columns[j], p.columnName(j)+" is "
		if i == 0 && p.id == 0 {
			p.id = j + 1
			note += "taken for the rows' ids and "
			if c.words > 4 && c.dates == c.words-1 && !isDate([]byte(c.values[0])) { // as FRED-MD
				why[j] += "; warning: row 1 is data, though it has " + quote(c.values[0]) + " where others have dates" +
					hint(p.dialect.Words.Skip, " 1 leaves it out")
			}
		}
		p.survey.note(note + "left out: " + why[j])
	}
}

const (
	datesOfRows   = "it holds dates, and none comes twice"
	numbersOfRows = "its numbers count the rows"
)

// whyID says why a column looks like ids; "" if it does not.
func (p *parser) whyID(c *column, j int, header bool) string {
	name, all := p.names[j], c.numbers+c.words
	one := c.gaps == 0 || c.gaps == 1 && all >= 8 // a line of totals may have none, and -na name one
	unique := c.different && all > 1 && one
	integers := c.words == 0 && c.whole
	bare := header && nameless(j, name)
	const unlike = ", and no value comes twice"
	class := j == 0 && all > 1 && is("class", name)
	counts := integers && c.gaps == 0 && c.consecutive && (c.numbers >= 5 || class)
	switch {
	case bare && counts:
		return numbersOfRows
	case j == 0 && p.survey.short || bare && unique && (c.text() || integers && (j == 0 || c.rising)):
		if unnamed(name) {
			return "a program named it" + unlike
		}
		return "it has no name" + unlike
	case header && unique && idName(name) && (c.text() || integers):
		return "its name says so" + unlike
	case counts:
		return numbersOfRows
	case !header && j == 0 && integers && c.gaps == 0 && c.rising && c.numbers >= 10:
		return "its whole numbers rise from row to row"
	case j == 0 && c.words+c.gaps == 0 && c.rising && c.numbers >= longAxis && regular(c.list) &&
		!isNumber([]byte(name)) && IsAxis(p.names[1:]):
		return "its numbers rise evenly beside names that are numbers"
	case unique && c.text() && all > 2 && c.dates == c.words:
		return datesOfRows
	case unique && (c.text() && all > 2 || j == 0 && 5*c.words >= max(all, 15)) && c.dates+c.amounts < c.words:
		return "it holds text" + unlike
	case unique && c.words > 0 && c.whole && c.length > 1 && all >= longAxis: // as of départements, 01 to 2B
		return "it holds codes of one length" + unlike
	}
	return ""
}
