package table

// The fourth stage, too: which column names the rows.

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// idEnds are the ends of names of columns of ids, in lower case.
var idEnds = []string{"_id", " id", "-id", ".id", "_nr", " nr", "_no", "_key", "nr.", "nummer", "_number",
	"customerno", "customer no"}

func idName(name string) bool {
	lower := strings.ToLower(name)
	if is("id", lower) {
		return true
	}
	if slices.ContainsFunc(idEnds, func(end string) bool { return strings.HasSuffix(lower, end) }) {
		return true
	}
	n := len(name)
	return n > 2 && (strings.HasSuffix(name, "ID") || strings.HasSuffix(name, "Id")) &&
		unicode.IsLower(rune(name[n-3]))
}

// unnamed reports whether a name is that which pandas or R give a column without one.
func unnamed(name string) bool {
	return strings.HasPrefix(name, "Unnamed: ") || name == "..1" || name == "...1"
}

// guessIDs finds columns of ids among those that are free. The first that looks most
// like one becomes that of the rows. The others are left out.
func (p *parser) guessIDs(columns []column, free func(int) bool, names []string, h *Head, picked bool) {
	if p.dialect.ID == NoID {
		return
	}
	type found struct {
		at  int
		why string
	}
	var ids []found
	data := 0
	for j := range columns {
		if !free(j) {
			continue
		}
		data++
		c := &columns[j]
		why := p.whyID(c, j, names, h.Header)
		if why == "" && picked && c.different && (c.text() || idName(names[j])) { // of few rows
			why = "it is no column of the model, and no value comes twice"
		}
		if why != "" {
			ids = append(ids, found{j, why})
		} else if !picked && h.Header && c.words == 0 && c.gaps == 0 &&
			(c.whole || j == 0 && isNumber([]byte(names[j]))) && c.rising && c.numbers >= 10 {
			note := p.columnName(j, names) + " is data, though its whole numbers rise from row to row"
			if !c.whole { // the corner of a map of times and wavelengths
				note = strings.Replace(note, "whole ", "", 1)
			}
			if w := p.dialect.Words.ID; j > 0 && is("axis", names[j]) {
				note = "warning: " + p.columnName(j, names) + " is an axis, and its points are taken for the rows; " +
					"if samples are columns, delete the columns before it: then the table is turned"
			} else if w != "" {
				note += "; if they are ids: " + w + " " + strconv.Itoa(j+1)
			}
			p.survey.note(note)
		}
	}
	if p.dialect.Pick == nil && len(ids) == data { // something must be data
		ids = slices.DeleteFunc(ids, func(f found) bool { return columns[f.at].words == 0 })
	}
	looked := ""
	if p.survey.cut {
		looked = ", in the " + strconv.Itoa(len(p.survey.lines)) + " lines that were looked at"
	}
	// Names and codes tell more than dates do, and these more than numbers of rows.
	rank := func(f found) int { return slices.Index([]string{datesOfRows, numbersOfRows}, f.why) }
	slices.SortStableFunc(ids, func(a, b found) int { return rank(a) - rank(b) })
	for _, f := range ids {
		p.roles[f.at] = roleNone
		if c := &columns[f.at]; p.id == 0 {
			p.id = f.at + 1
			if c.words > 4 && c.dates == c.words-1 && !isDate([]byte(c.values[0])) { // as FRED-MD
				f.why += "; warning: row 1 is data, though it has " + quote(c.values[0]) +
					" where others have dates"
				if w := p.dialect.Words.Skip; w != "" {
					f.why += ", and " + w + " 1 leaves it out"
				}
			}
			p.survey.note(p.columnName(f.at, names) + " is taken for the rows' ids and left out: " + f.why +
				looked)
		} else {
			p.survey.note(p.columnName(f.at, names) + " is left out: " + f.why + looked)
		}
	}
}

const (
	datesOfRows   = "it holds dates, and none comes twice"
	numbersOfRows = "its numbers count the rows"
)

// whyID says why a column looks like ids; "" if it does not.
func (p *parser) whyID(c *column, j int, names []string, header bool) string {
	name := names[j]
	all := c.numbers + c.words
	integers := c.words == 0 && c.whole && c.numbers > 0 && c.gaps == 0
	full := c.gaps == 0 || c.gaps == 1 && all >= 8         // a line of totals may have none
	bare := header && (name == Column(j) || unnamed(name)) // without a name in the header
	switch {
	case j == 0 && p.survey.short, bare && c.different && full && all > 1 && (c.text() || integers && c.rising):
		return "it has no name, and no value comes twice"
	case header && idName(name) && c.different && full && all > 1 && (c.text() || integers):
		return "its name says so, and no value comes twice"
	case integers && c.consecutive && c.numbers >= 5:
		return numbersOfRows
	case !header && j == 0 && integers && c.rising && c.numbers >= 10:
		return "its whole numbers rise from row to row"
	case header && j == 0 && c.words+c.gaps == 0 && c.rising && c.numbers >= longAxis && regular(c.list) &&
		!isNumber([]byte(name)) && IsAxis(names[1:]):
		return "its numbers rise evenly beside names that are numbers"
	case c.text() && c.different && full && c.dates == c.words && all > 2:
		return datesOfRows
	case c.text() && c.different && full && c.dates+c.amounts < c.words && all > 2:
		return "it holds text, and no value comes twice"
	}
	return ""
}

// guessPositions finds columns of numbers without a name beside names that are an axis, such as
// the positions of spectra on a map. They are carried along.
func (p *parser) guessPositions(columns []column, free func(int) bool, names []string, h *Head) {
	var at []int
	var axis []float64
	last := names[len(names)-1]
	prefix := last[:max(0, strings.IndexAny(last, "0123456789"))] // X400, spc.400
	for j, name := range names {
		if !free(j) || p.kept != nil && p.kept[j] {
			continue
		}
		v, err := parseFloat(p.withPoint([]byte(strings.TrimPrefix(name, prefix))))
		switch {
		case err == nil:
			axis = append(axis, v)
		case (name == Column(j) || unnamed(name) || is("position", name)) && columns[j].words == 0 && columns[j].numbers > 0:
			at = append(at, j)
		default:
			return
		}
	}
	if !h.Header || at == nil || len(axis) < 5 || !ordered(axis) {
		return
	}
	if p.kept == nil {
		p.kept = make([]bool, p.width)
	}
	var list []string
	for _, j := range at {
		p.kept[j], p.roles[j] = true, roleNone
		list = append(list, strconv.Itoa(j+1))
	}
	p.survey.note(Plural(len(at), "column ", "columns ") + strings.Join(list, ", ") +
		Plural(len(at), " has", " have") +
		" no name, or that of a position, beside numbers as names: no data, but carried along as positions")
}
