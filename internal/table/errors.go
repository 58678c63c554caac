package table

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// Error says what is wrong with a text, and where.
type Error struct {
	Source string
	Line   int // from 1; 0 if the error is not on one line
	Column int // the field on the line, from 1; 0 if the error is not in one field
	Msg    string

	// What would mend the error: words for Dialect.NA, and a choice of Dialect.Below.
	NA    []string
	Below bool

	advice string     // the end of Msg that names a setting by the Words of a Dialect
	tries  [][]string // settings, each a word and its value after another, one of which must work; nil: none
	err    error      // of the reader, or a *NoRows
}

// advise adds advice to the message that names a setting by word; "" is for no such setting. Unless one of
// tries works, the advice is taken out again by [trial.settle].
func (e *Error) advise(word, advice string, tries ...[]string) *Error {
	if word == "" {
		return e
	}
	advice = " (" + advice + ")"
	e.advice += advice
	e.Msg += advice
	e.tries = tries
	return e
}

// trial is the start of a text and the Dialect of its caller, by which advice is tried.
type trial struct {
	text    []byte
	dialect Dialect
}

// settle takes the advice out of an error unless the text can be read with it. If the text has several tables, that
// is told instead.
func (t *trial) settle(err error) error {
	e, ok := err.(*Error)
	if !ok || t.text == nil || t.dialect.trying {
		return err
	}
	more, titles := "", sections(t.text)
	if len(titles) > 1 {
		more = "; the text has several tables, such as " + titles[0] + " and " + titles[len(titles)-1] +
			": keep the lines of one"
	} else if e.tries == nil || t.works(e, t.dialect, 2) {
		return err
	}
	plain := *e
	plain.Msg, plain.advice = e.Plain()+more, ""
	return &plain
}

// works reports whether one of the settings that an error advises leads to rows, at once or by what the next
// error advises.
func (t *trial) works(e *Error, d Dialect, depth int) bool {
	d.trying, d.Workers = true, 1
	return slices.ContainsFunc(e.tries, func(settings []string) bool {
		d := d
		for i := 0; i < len(settings); i += 2 {
			d.set(settings[i], settings[i+1])
		}
		_, err := Read(bytes.NewReader(t.text), e.Source, d)
		next, ok := err.(*Error)
		return err == nil || ok && depth > 1 && next.tries != nil && t.works(next, d, depth-1)
	})
}

// set changes the setting that Words call word.
func (d *Dialect) set(word, value string) {
	yes := value == "yes"
	switch w := d.Words; word {
	case w.Drop:
		d.Drop = append(slices.Clip(d.Drop), strings.Split(value, ",")...)
	case w.NA:
		d.NA = append(slices.Clip(d.NA), value)
	case w.Skip:
		d.Skip.ranges = slices.Clip(d.Skip.ranges)
		_ = d.Skip.Add(value)
	case w.Below:
		d.Below = BelowHalf
	case w.Missing:
		d.Missing = true
	case w.Label:
		d.Label = value
	case w.Delimiter:
		d.Delimiter = rune(value[0])
	case w.Decimal:
		d.Decimal = map[string]rune{"comma": ',', "point": '.'}[value]
	case w.Header:
		d.Header = map[bool]Header{true: HeaderYes, false: HeaderNo}[yes]
	case w.Transpose:
		d.Transpose = map[bool]Transpose{true: TransposeYes, false: TransposeNo}[yes]
	case w.Long:
		d.Long = map[bool]Long{true: LongYes, false: LongNo}[yes]
	}
}

// hint is the end of a note that names a setting by word; "" is for no such setting.
func hint(word, advice string) string {
	if word == "" {
		return ""
	}
	return "; " + word + advice
}

// Plain is the message without the advice that names a setting.
func (e *Error) Plain() string { return strings.TrimSuffix(e.Msg, e.advice) }

// Error returns source:line:column: message, without the line or column if it is 0.
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

// Unwrap returns the error of the reader, a *NoRows, or nil.
func (e *Error) Unwrap() error { return e.err }

// NoRows says that a text has no rows, for callers that accept such a text.
type NoRows struct {
	Head Head // as the header has it; without names if there is no header
}

func (*NoRows) Error() string { return "there are no rows of numbers" }

func readError(source string, err error) error {
	if strings.Contains(err.Error(), source+":") {
		return err
	}
	return &Error{Source: source, Msg: err.Error(), err: err}
}

// Words are the words for the settings of a Dialect in messages, so that these name
// what their reader can change. An empty word means that there is no such setting, and no message
// advises it. But if all are empty, they are the flags of the command line.
type Words struct {
	Delimiter, Header, Label, Weights, Drop, Decimal, ID, Keep, Names, Missing, OneHot, Transpose,
	Long, NA, Below, Skip string

	// Rules are the values of Missing that may be advised, the best first: of "fit drop mean", which is the
	// default, those that go with the other settings. The word none is for none of them.
	Rules string
}

// Flags returns the words of a command line that has some of the flags.
func Flags(has func(name string) bool) (w Words) {
	for _, word := range []struct {
		is   *string
		flag string
	}{
		{&w.Delimiter, "-delimiter"}, {&w.Header, "-header"}, {&w.Label, "-label"}, {&w.Weights, "-weights"},
		{&w.Drop, "-drop"}, {&w.Decimal, "-decimal"}, {&w.ID, "-id"}, {&w.Keep, "-keep"},
		{&w.Names, "-names"}, {&w.Missing, "-missing"}, {&w.OneHot, "-encode onehot"},
		{&w.Transpose, "-transpose"}, {&w.Long, "-long"}, {&w.NA, "-na"}, {&w.Below, "-below"},
		{&w.Skip, "-skip"},
	} {
		if name, _, _ := strings.Cut(word.flag[1:], " "); has(name) {
			*word.is = word.flag
		}
	}
	return w
}

func (w Words) orFlags() Words {
	if w == (Words{}) {
		w = Flags(func(string) bool { return true })
	}
	if w.Rules == "" {
		w.Rules = "fit drop mean"
	}
	return w
}

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

// Count is "1 field", "2 fields".
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}
