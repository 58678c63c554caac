package table

import (
	"strconv"
	"strings"
)

// Error is what is wrong with a text, and where.
type Error struct {
	Source string
	Line   int // from 1; 0 where the fault is not on one line
	Column int // the field on the line, from 1; 0 where it is not in one field
	Msg    string

	advice string // how Msg ends: what to do about it, by the Words of a Dialect
	err    error  // of the reader, or a *NoRows
}

// advise adds advice to the message.
func (e *Error) advise(advice string) *Error {
	advice = " (" + advice + ")"
	e.advice += advice
	e.Msg += advice
	return e
}

// Plain is the message without advice by the Words of the Dialect.
func (e *Error) Plain() string { return strings.TrimSuffix(e.Msg, e.advice) }

// Error is source:line:column: message, without the places that are 0.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Source)
	for _, n := range [2]int{e.Line, e.Column} {
		if n > 0 {
			b.WriteString(":" + strconv.Itoa(n))
		}
	}
	b.WriteString(": " + e.Msg)
	return b.String()
}

// Unwrap returns the reader's error, if it was one, or a *NoRows.
func (e *Error) Unwrap() error { return e.err }

// NoRows says that a text has no rows, for those who may find that in order.
type NoRows struct {
	Head Head // of its header; without names if there is none
}

func (*NoRows) Error() string { return "there are no rows of numbers" }

// readError adds the source's name where the error does not have it already.
func readError(source string, err error) error {
	if strings.Contains(err.Error(), source+":") {
		return err
	}
	return &Error{Source: source, Msg: err.Error(), err: err}
}

// Words are what messages call the settings of a Dialect, so that they name
// what the reader of the message can change. An empty word stands for the flag
// of the command line: -delimiter, -header, -label, -weights, -drop, -decimal.
// Where Drop or Decimal is empty, and another is not, there is no such setting and
// no advice to use it.
type Words struct {
	Delimiter, Header, Label, Weights, Drop, Decimal string
}

func (w Words) orFlags() Words {
	if w == (Words{}) {
		w.Drop, w.Decimal = "-drop", "-decimal"
	}
	for _, word := range []struct {
		is   *string
		flag string
	}{{&w.Delimiter, "-delimiter"}, {&w.Header, "-header"}, {&w.Label, "-label"}, {&w.Weights, "-weights"}} {
		if *word.is == "" {
			*word.is = word.flag
		}
	}
	return w
}

// quote quotes the first 40 characters.
func quote(s string) string {
	n := 0
	for i := range s {
		if n == 40 {
			s = s[:i]
			break
		}
		n++
	}
	return strconv.Quote(s)
}

// count is "1 field", "2 fields".
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}
