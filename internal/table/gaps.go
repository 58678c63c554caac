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
	e := &Error{Source: t.Source, Msg: p.gapList(t.gaps)}
	first, more := p.dialect.Words.forGaps()
	if first == "" {
		return e
	}
	return e.advise("add " + first + ", which " + rules[ruleOf(first)] + more)
}

// gapList counts the gaps, and names those of all columns.
func (p *parser) gapList(gaps []gapCount) string {
	total, places := 0, []string(nil)
	for i, g := range gaps {
		total += g.count
		if i < 20 {
			name := "column " + strconv.Itoa(g.field+1)
			if g.field < len(p.header) {
				name = quote(p.header[g.field])
			}
			places = append(places, strconv.Itoa(g.count)+" in "+name+" (first on line "+strconv.Itoa(g.line)+")")
		}
	}
	if more := len(gaps) - len(places); more > 0 {
		places = append(places, "and in "+count(more, "other column"))
	}
	return count(total, "missing value") + ": " + strings.Join(places, ", ")
}

// rules say what the values of Words.Missing do.
var rules = map[string]string{
	"fit":  "fits what is there",
	"drop": "leaves these rows out",
	"mean": "fills in the means of the columns",
}

// ruleOf is the value of a flag such as -missing fit.
func ruleOf(flag string) string { return flag[strings.LastIndexByte(flag, ' ')+1:] }

// forGaps is the flag that mends gaps, and advice about its other values; "" if there is
// no such flag.
func (w *Words) forGaps() (first, more string) {
	list := strings.Fields(w.Rules)
	if w.Missing == "" || len(list) == 0 {
		return "", ""
	}
	for i, rule := range list[1:] {
		if i == 0 {
			more = "; " + w.Missing + " "
		} else {
			more += ", "
		}
		more += rule + " " + rules[rule]
	}
	return w.Missing + " " + list[0], more
}
