package table

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// cutUnit parts a number and the unit behind it. The unit is empty if there is none.
func cutUnit(s []byte) (number, unit []byte) {
	numeral := func(r rune) bool {
		return r >= '0' && r <= '9' || strings.ContainsRune("-+\u2212", r) || isSeparator(r)
	}
	unit = bytes.TrimLeftFunc(s, numeral)
	if n := len(s) - len(unit); n > 0 && isDigit(s[n-1]) && len(unit) > 1 && unit[0]|0x20 == 'e' {
		if e := bytes.TrimLeft(unit[1:], "+-"); len(e) > 0 && isDigit(e[0]) {
			unit = bytes.TrimLeftFunc(e, numeral)
		}
	}
	end := len(s) - len(unit)
	number = s[:bytes.LastIndexAny(s[:end], "0123456789")+1]
	text, spaces := string(unit), s[len(number):end]
	first, _ := utf8.DecodeRune(unit)
	other := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("°‰/²³^·*-._⁻¹%", r)
	}
	if len(number) == 0 || present(spaces) || !unicode.IsLetter(first) && first != '°' && first != '‰' ||
		utf8.RuneCountInString(text) > 12 || strings.ContainsFunc(text, other) ||
		is("not a unit", text[:min(3, len(text))]) || len(spaces) == 0 && (len(text) == 1 || !IsUnit(text)) {
		return s, nil
	}
	return number, unit
}

// unitOf is the unit or the currency of a number; "" for none.
func unitOf(s []byte) string {
	s = bytes.TrimSpace(utf8Text(s))
	if _, unit := cutUnit(s); unit != nil {
		return string(unit)
	}
	if i := bytes.IndexAny(s, currencies); i >= 0 {
		r, _ := utf8.DecodeRune(s[i:])
		return string(r)
	}
	return ""
}

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

// unitFault is the error for another unit than that of the column.
func (p *parser) unitFault(j int, v float64, field []byte) *Error {
	if p.units == nil || p.units[j] == "" {
		return nil
	}
	want, unit := p.units[j], unitOf(field)
	if unit == want || unit == "" && (v == 0 || strings.Contains(currencies, want)) {
		return nil
	}
	return p.fault(j, quote(string(field))+p.in(j)+" is not in "+Printable(want)+", as others are")
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
