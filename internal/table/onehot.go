package table

import (
	"math"
	"strings"
)

// guessValues makes a column of 0 and 1 for each value of columns of text with few.
func (p *parser) guessValues() {
	for _, j := range p.which(func(c *column) bool {
		apart := c.different && c.words > 2 // little in common
		return p.roles[c.at] == 0 && c.text() && !apart && len(c.values) <= mostValues
	}) {
		p.oneHot(j)
		shown := mapped(p.survey.columns[j].values, func(v string) string {
			return p.names[j] + "=" + Printable(v)
		})
		p.survey.note(p.columnName(j) + " becomes " + Count(len(shown), "column") +
			" of 0 and 1: " + strings.Join(shown, ", "))
	}
}

// oneHot returns the places in the row of the values of column j, of which it makes columns of 0 and 1.
func (p *parser) oneHot(j int) map[string]int {
	if p.hot == nil {
		p.hot = make([]map[string]int, p.width)
	}
	if p.hot[j] == nil {
		p.hot[j], p.roles[j], p.plain = map[string]int{}, roleOneHot, false
	}
	return p.hot[j]
}

func (p *parser) addOneHot(row []float64, fields [][]byte, j int, o *part) *Error {
	e, other := p.entry(fields[j]), 0.0
	if e.gap {
		if !p.dialect.Missing && !p.dialect.Guess {
			return p.gap(e, j)
		}
		other = math.NaN()
		o.flaws.add(flaw{field: j, count: 1, line: p.line(j)})
	}
	for _, at := range p.hot[j] {
		row[at] = other
	}
	if at, ok := p.hot[j][shown(e.text)]; ok && other == 0 {
		row[at] = 1
	} else if other == 0 {
		return p.fault(j, quote(string(e.text))+p.in(j)+" does not occur in the first lines, so that there is no "+
			"column of 0 and 1 for it")
	}
	return nil
}

// pickValue takes a name such as city=Paris, at place i of the row, for a value of a column of text. It
// reports whether there is such a column. at has the columns of each name.
func (p *parser) pickValue(name string, i int, at map[string][]int, given []int) bool {
	const longest = 1000 // bytes that are searched for the = before a value
	for n, r := range name[:min(len(name), longest)] {
		if list := at[name[:n]]; r == '=' && list != nil && given[list[0]] == 0 {
			p.oneHot(list[0])[name[n+1:]] = i
			return true
		}
	}
	return false
}
