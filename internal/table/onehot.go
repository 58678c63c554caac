package table

import (
	"bytes"
	"math"
	"slices"
	"strings"
)

// oneHot is a column of text whose values become columns of 0 and 1.
type oneHot struct {
	values []string       // in order
	place  map[string]int // of each value in the row
}

// guessValues makes a column of 0 and 1 for each value of columns of text with few.
func (p *parser) guessValues() {
	for j := range p.survey.columns {
		c := &p.survey.columns[j]
		// little in common
		if p.roles[j] != 0 || !c.text() || c.different && c.words > 2 || len(c.values) > mostValues {
			continue
		}
		hot := &oneHot{place: map[string]int{}}
		for _, v := range c.values {
			if v = Printable(v); !slices.Contains(hot.values, v) {
				hot.values = append(hot.values, v)
			}
		}
		p.setOneHot(j, hot)
		shown := mapped(hot.values, func(v string) string { return p.names[j] + "=" + v })
		p.survey.note(p.columnName(j) + " becomes " + Count(len(shown), "column") +
			" of 0 and 1: " + strings.Join(shown, ", "))
	}
}

func (p *parser) setOneHot(j int, hot *oneHot) {
	if p.hot == nil {
		p.hot = make([]*oneHot, p.width)
	}
	p.hot[j], p.roles[j], p.plain = hot, roleOneHot, false
}

func (p *parser) placeOneHot(j, at int, name string) (names []string) {
	for i, v := range p.hot[j].values {
		p.hot[j].place[v] = at + i
	}
	return mapped(p.hot[j].values, func(v string) string { return name + "=" + v })
}

func (p *parser) addOneHot(row []float64, fields [][]byte, j int, o *part) *Error {
	hot, s := p.hot[j], p.settled(bytes.TrimSpace(fields[j]))
	other := 0.0
	if missing(s) {
		if !p.dialect.Missing && p.survey == nil {
			return p.fault(j, p.missing(string(s), j))
		}
		other = math.NaN()
		o.flaws.add(flaw{field: j, count: 1, line: p.line(j)})
	}
	for _, at := range hot.place {
		row[at] = other
	}
	if other != 0 {
		return nil
	}
	at, ok := hot.place[shown(s)]
	if !ok {
		return p.fault(j, quote(string(s))+p.in(j)+" does not occur in the first lines, so that there is no "+
			"column of 0 and 1 for it")
	}
	row[at] = 1
	return nil
}

// longestName is how many bytes of a name are searched for the = before a value.
const longestName = 1000

// pickOneHot takes a name such as city=Paris, at place i of the row, for a value of a column of text. It
// reports whether there is such a column. first has the first column of each name.
func (p *parser) pickOneHot(name string, i int, first map[string]int, given []int) bool {
	for at, r := range name[:min(len(name), longestName)] {
		if r != '=' {
			continue
		}
		j, ok := first[name[:at]]
		if !ok || given[j] != 0 {
			continue
		}
		if p.roles[j] != roleOneHot {
			p.setOneHot(j, &oneHot{place: map[string]int{}})
		}
		p.hot[j].values = append(p.hot[j].values, name[at+1:])
		p.hot[j].place[name[at+1:]] = i
		return true
	}
	return false
}
