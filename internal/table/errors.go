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

// settle takes the advice out of an error unless the text can be read with it, and tells what is wrong
// instead: that the text has several tables, that its rows begin below the error, or the error that all
// settings lead to.
func (t *trial) settle(e *Error) *Error {
	if t.text == nil {
		return e
	}
	more := ""
	if titles := sections(t.text); len(titles) > 1 {
		more = "; the text has several tables, such as " + titles[0] + " and " + titles[len(titles)-1] +
			": keep the lines of one"
	} else if next, works := t.try(e, 2); works {
		return e
	} else if at := t.rowsFrom(e.Line); at > 0 {
		more = "; the rows of numbers begin on line " + strconv.Itoa(at+1) + ": keep one line of names above them"
	} else if next != nil {
		e = next
	} else if e.tries == nil {
		return e
	}
	plain := *e // the advice of next was not tried
	plain.Msg, plain.advice = e.Plain()+more, ""
	return &plain
}

// rowsFrom returns how many lines there are above rows that can be read without them, if they are so many or
// more; else 0.
func (t trial) rowsFrom(least int) int {
	lines := slices.Collect(bytes.Lines(t.text))
	for _, comma := range delimiters {
		if b := newBlock(lines, comma); b != nil && least > 0 {
			at := slices.IndexFunc(b.fields, func(f [][]byte) bool { return b.share(f) == 1 })
			t.text = bytes.Join(lines[max(at, 0):], nil)
			if _, err := t.read("", nil); at >= least && err == nil {
				return at
			}
		}
	}
	return 0
}

// try reports whether rows come of one of the settings that an error advises, at once or by what the next
// error advises. If not, next is the error that several of them lead to alike: the real fault.
func (t *trial) try(e *Error, depth int) (next *Error, works bool) {
	for i, settings := range e.tries {
		with, err := t.read(e.Source, settings)
		if err != nil && depth > 1 {
			_, works = with.try(err, depth-1)
		}
		if works || err == nil {
			return nil, true
		}
		same := next != nil && err.Line == next.Line && err.Plain() == next.Plain()
		if next = nil; same || i == 0 && len(e.tries) > 1 {
			next = err
		}
	}
	return next, false
}

// read reads the text with settings. It returns the trial with them, and the error.
func (t trial) read(source string, settings []string) (*trial, *Error) {
	d := &t.dialect
	if d.trying, d.Workers = true, 1; d.Words.Drop == "" && d.Text == TextError {
		d.Text = TextDrop // who has no such setting is asked about columns of text in another way
	}
	d.Drop, d.NA = slices.Clip(d.Drop), slices.Clip(d.NA) // which are the caller's
	d.Skip.ranges = slices.Clip(d.Skip.ranges)
	for i := 0; i < len(settings); i += 2 {
		d.set(settings[i], settings[i+1])
	}
	_, err := Read(bytes.NewReader(t.text), source, *d)
	e, _ := err.(*Error) // a text in memory has no others
	return &t, e
}

// set changes the setting that Words call word.
func (d *Dialect) set(word, value string) {
	for _, s := range d.settings() {
		if *s.word == word && s.set != nil {
			s.set(value)
			return
		}
	}
}

// setting is a setting that messages may advise.
type setting struct {
	word  *string // its word in Words
	flag  string  // on the command line
	given bool    // the Dialect has it, and it goes with the columns of the text
	set   func(value string)
}

func (d *Dialect) settings() []setting {
	w := &d.Words
	return []setting{
		{&w.Label, "-label", d.Label != "", func(v string) { d.Label = v }},
		{&w.Weights, "-weights", d.Weights != "", nil},
		{&w.ID, "-id", d.ID != "" && d.ID != NoID, nil},
		{&w.Drop, "-drop", d.Drop != nil, func(v string) { d.Drop = append(d.Drop, strings.Split(v, ",")...) }},
		{&w.Keep, "-keep", d.Keep != nil, nil},
		{&w.Names, "-names", d.Names != nil, nil},
		{&w.Header, "-header", d.Header == No, d.Header.set},
		{&w.NA, "-na", false, func(v string) { d.NA = append(d.NA, v) }},
		{&w.Skip, "-skip", false, func(v string) { _ = d.Skip.Add(v) }},
		{&w.Below, "-below", false, func(string) { d.Below = BelowHalf }},
		{&w.Missing, "-missing", false, func(string) { d.Missing = true }},
		{&w.Delimiter, "-delimiter", false, func(v string) { d.Delimiter = rune(v[0]) }},
		{&w.Decimal, "-decimal", false, func(v string) {
			d.Decimal = map[string]rune{"comma": ',', "point": '.'}[v]
		}},
		{&w.Transpose, "-transpose", false, d.Transpose.set},
		{&w.Long, "-long", false, d.Long.set},
		{&w.OneHot, "-encode onehot", false, func(string) { d.Text = TextOneHot }},
	}
}

// rolesGiven is the word of the first setting that is about columns.
func (d *Dialect) rolesGiven() string {
	for _, s := range d.settings() {
		if s.given {
			return *s.word
		}
	}
	return ""
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
	place := e.Source
	for _, n := range [2]int{e.Line, e.Column} {
		if n > 0 {
			place += ":" + strconv.Itoa(n)
		}
	}
	return place + ": " + e.Msg
}

// Unwrap returns the error of the reader, a *NoRows, or nil.
func (e *Error) Unwrap() error { return e.err }

// NoRows says that a text has no rows, for callers that accept such a text.
type NoRows struct {
	Head Head // as the header has it; without names if there is no header
}

func (*NoRows) Error() string { return "there are no rows" }

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
func Flags(has func(name string) bool) Words {
	var d Dialect
	for _, s := range d.settings() {
		if name, _, _ := strings.Cut(s.flag[1:], " "); has(name) {
			*s.word = s.flag
		}
	}
	return d.Words
}

func (w Words) orFlags() Words {
	if w == (Words{}) {
		w = Flags(func(string) bool { return true })
	}
	return w
}

// quote returns a text in quotes, at most 40 characters of it: its start and its end, where paths differ.
func quote(s string) string {
	if list := []rune(s); len(list) > 40 {
		s = string(list[:20]) + "…" + string(list[len(list)-19:])
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

// Plural returns one if n is 1, otherwise more.
func Plural(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}
