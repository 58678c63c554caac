package table

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"softkmeans/internal/number"
)

// entry is what a field holds.
type entry struct {
	text   []byte // without spaces around it
	gap    bool   // it is missing, or counts as missing
	given  string // the word of Dialect.NA that it is, or deleted; "": none
	limit  bool   // it is a limit of detection with a sign before it, as <4
	number bool   // it is a number of any size, or half of a limit
	v      float64
	form   form   // how the number is written
	unit   string // behind it, or its currency
}

// deleted is what libraries of the USGS and of ENVI have for no value.
const deleted = "-1.23e34"

// entry reads a field as the Dialect settles it.
func (p *parser) entry(field []byte) (e entry) {
	e.text = bytes.TrimSpace(field)
	text := p.withPoint(e.text)
	if v, end, ok := number.Scan(text, 0); ok && end == len(text) {
		e.v, e.number = v, true
	} else if e.gap = missing(e.text); !e.gap {
		p.formed(&e)
	}
	if e.given = p.given(&e); e.given != "" {
		e.gap = true
	}
	return e
}

// formed reads an entry that is no plain number: one with signs of its form, or a limit, or not finite.
func (p *parser) formed(e *entry) {
	rest := bytes.TrimLeft(e.text, "<≤")
	limit := len(rest) < len(e.text)
	if limit {
		rest = bytes.TrimPrefix(rest, []byte("="))
	}
	text, has, unit := plainer(rest, p.dialect.Decimal)
	if text == nil {
		text = p.withPoint(rest) // such as inf
	}
	v, err := parseFloat(text)
	switch below := p.dialect.Below; {
	case err != nil && !math.IsInf(v, 0), math.IsNaN(v):
	case limit:
		e.limit, e.gap, e.number = true, below == BelowMissing, below == BelowHalf
		e.v, e.form, e.unit = v/2, has&formUnit, unit
	default:
		e.number, e.v, e.form, e.unit = true, v, has, unit
	}
}

// given is the word of Dialect.NA that an entry is, or that is the same number; "" if there is none.
func (p *parser) given(e *entry) string {
	if p.dialect.Guess && float32(e.v) == -1.23e34 {
		return deleted
	}
	for _, word := range p.dialect.NA {
		v, err := parseFloat([]byte(word))
		if string(e.text) == word || err == nil && e.number && !e.limit && e.form == 0 && v == e.v {
			return word
		}
	}
	return ""
}

// noName reports whether an entry on line 1 is missing. It is not if it is only a word of Dialect.NA,
// which may be the name of a column.
func (e *entry) noName() bool { return e.gap && (e.given == "" || missing(e.text)) }

// withPoint exchanges commas and points if the decimal sign is the comma.
func (p *parser) withPoint(s []byte) []byte {
	if p.dialect.Decimal != ',' || bytes.IndexAny(s, ",.") < 0 {
		return s
	}
	p.field = append(p.field[:0], s...)
	for i, c := range s {
		switch c {
		case ',':
			p.field[i] = '.'
		case '.':
			p.field[i] = ','
		}
	}
	return p.field
}

// value is the number in a field, if it is plain.
func (p *parser) value(field []byte) (v float64, ok bool) {
	e := p.entry(field)
	return e.v, e.number && e.form == 0
}

// number is the number of an entry in field j, or the error that it has none of the form and the unit of
// its column.
func (p *parser) number(e entry, j int) (float64, *Error) {
	c := &plainColumn
	if p.survey.columns != nil {
		c = &p.survey.columns[j]
	}
	unitless := e.unit == "" && (e.v == 0 || strings.Contains(currencies, c.unit))
	if e.number && !e.gap && e.form&^c.form == 0 && !math.IsInf(e.v, 0) && (e.unit == c.unit || unitless) {
		return e.v, nil
	}
	return 0, p.noNumber(e, j, c)
}

var plainColumn column

// noNumber is the error for an entry in field j that is no number of its column.
func (p *parser) noNumber(e entry, j int, c *column) *Error {
	s, say := string(e.text), " is not a number"
	switch comma := p.dialect.Decimal == ','; {
	case e.gap:
		return p.gap(e, j)
	case e.number && math.IsInf(e.v, 0):
		say = " is not a finite number"
	case e.number && e.form&^c.form == 0:
		say = " is not in " + Printable(c.unit) + ", as others are"
	case e.limit:
		say += ", and may be below a limit"
	case p.width == 1 && strings.ContainsAny(s, " ,;|:"):
		say += " (fields are split at " + strconv.QuoteRune(p.dialect.Delimiter) + ")"
	case comma && strings.Contains(s, "."):
		say += " (the decimal sign is the comma)"
	case !comma && strings.Count(s, ",") == 1 && !strings.Contains(s, "."):
		say += " (the decimal sign is the point)"
	}
	return p.fault(j, quote(s)+p.in(j)+say)
}

// gap is the error for an entry in field j that is missing.
func (p *parser) gap(e entry, j int) *Error {
	if len(e.text) == 0 {
		return p.fault(j, "missing value"+p.in(j)+": the field is empty")
	}
	return p.fault(j, "missing value "+quote(string(e.text))+p.in(j))
}

// in names the column of field j, if it has a name.
func (p *parser) in(j int) string {
	if j < len(p.header) {
		return " in column " + quote(p.header[j])
	}
	return ""
}
