package table

import (
	"strconv"
	"strings"
)

// gapCount counts the missing numbers of a field, from 0, in some lines.
type gapCount struct{ field, count, line int } // line is that of the first

// addGap counts missing numbers of a field.
func addGap(gaps []gapCount, g gapCount) []gapCount {
	for i := range gaps {
		if gaps[i].field == g.field {
			gaps[i].count += g.count
			return gaps
		}
	}
	return append(gaps, g)
}

func (o *part) addGap(field, line int) { o.gaps = addGap(o.gaps, gapCount{field, 1, line}) }

// missingNumbers is the error that names the gaps of all columns.
func (t *Reader) missingNumbers() error {
	p := &t.parser
	total, places := 0, []string(nil)
	for i, g := range t.gaps {
		total += g.count
		if i < 20 {
			name := "column " + strconv.Itoa(g.field+1)
			if g.field < len(p.header) {
				name = quote(p.header[g.field])
			}
			places = append(places, strconv.Itoa(g.count)+" in "+name+" (first on line "+strconv.Itoa(g.line)+")")
		}
	}
	if more := len(t.gaps) - len(places); more > 0 {
		places = append(places, "and in "+count(more, "other column"))
	}
	e := &Error{Source: t.Source, Msg: count(total, "missing value") + ": " + strings.Join(places, ", ")}
	if w := p.dialect.Words.Missing; w != "" {
		e = e.advise(w + " drop leaves these rows out, mean fills in the means of the columns, fit fits what is there")
	}
	return e
}
