package table

import "strings"

// settleUnits decides what a column with units is: numbers of one unit, if nine tenths have it or it is a
// currency, or else numbers without one and words.
func (c *column) settleUnits() {
	with, top := 0, ""
	for unit, n := range c.units {
		with += n
		if n > c.units[top] || n == c.units[top] && unit < top {
			top = unit
		}
	}
	switch most := c.units[top]; {
	case with == 0:
	case 10*most >= 9*(c.numbers-c.zeros), most == with && strings.Contains(currencies, top):
		c.unit = top
	default:
		c.numbers, c.words, c.amounts = c.numbers-with, c.words+with, c.amounts+with
		c.form &^= formUnit | formCurrency
	}
}

// takeUnits sets the units of the columns of data: from the line below the header, or from behind numbers.
func (p *parser) takeUnits(h *Head) {
	s, units := p.survey, make([]string, p.cols)
	var in []string
	for j, c := range s.columns {
		role := p.roles[j]
		if role < 0 {
			continue
		}
		if c.unit != "" && !c.text() {
			if units[role] = Printable(c.unit); !strings.Contains(currencies, c.unit) { // which are noted
				in = append(in, p.columnName(j)+" "+units[role])
			}
		}
		if s.units > 0 && !s.joined && j < len(s.lines[1]) && len(s.lines[1][j]) > 0 {
			units[role] = shown(s.lines[1][j])
		}
	}
	if strings.Join(units, "") != "" {
		h.Units = units
	}
	if in != nil {
		h.Notes = append(h.Notes, "units are taken out of the numbers: "+someOf(in))
	}
}
