// Package table reads a table of numbers from CSV text. Nothing is guessed
// about a value: what is not a finite number is an error that names its place,
// because a row or a value left out in silence would be missed only much later,
// if at all.
//
// It imports neither fmt nor reflect, so that it can be part of a small
// WebAssembly file.
package table

import (
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Dialect is how a text is to be read. The zero value guesses the delimiter and
// the header, and takes every column for data.
type Dialect struct {
	Delimiter rune   // 0: tab, semicolon or comma, whichever the first line has
	Header    Header // whether the first line holds names
	Label     string // a column that is not data: its name, its number from 1, or ""
	Words     Words  // for messages
}

// Header tells whether the first line holds names.
type Header int

const (
	HeaderAuto Header = iota // it does if it has no number in it
	HeaderYes
	HeaderNo
)

// Table is the numbers of a text, and the classes that its label column gives
// to the rows.
type Table struct {
	Source string    // the text's name, for messages
	Names  []string  // of the columns of Data: the header's, or c1, c2, … by position
	Rows   int       // at least 1
	Data   []float64 // Rows × len(Names), row after row, all finite
	Header bool      // the first line held the names

	// The label column, as it is counted from 1 in the text; 0 without one,
	// and then what follows is empty.
	LabelColumn int
	LabelName   string   // as in Names, were it among them
	Class       []int    // of every row: an index into Classes
	Classes     []string // the label column's values, in order of appearance, without the spaces around them
}

// Label is what the label column says of row i; "" without a label column.
func (t *Table) Label(i int) string {
	if t.LabelColumn == 0 {
		return ""
	}
	return t.Classes[t.Class[i]]
}

// Read reads all of r. Lines end in LF or CRLF, a byte order mark is skipped,
// as are spaces around numbers, and blank lines before and after the rows; a
// blank line between two rows is an error. source is the text's name in
// messages. Errors are of type *Error, but for those of r that have source in
// their text already, which are returned as they are.
//
// The table takes 8 bytes a value, twice that for moments while it grows.
func Read(r io.Reader, source string, d Dialect) (*Table, error) {
	if d.Delimiter != 0 && !validComma(d.Delimiter) {
		return nil, &Error{Source: source, Msg: strconv.QuoteRune(d.Delimiter) + " cannot be a delimiter"}
	}
	d.Words = d.Words.orFlags()
	text, first, err := start(r, source)
	if err != nil {
		return nil, err
	}
	if d.Delimiter == 0 {
		d.Delimiter = guessDelimiter(first)
	}
	c := &reader{dialect: d, table: &Table{Source: source}}
	// Leaving out spaces also makes one delimiter of many. With tabs it would
	// swallow empty fields.
	c.split = splitter{r: text, comma: d.Delimiter, trim: d.Delimiter != '\t'}

	last := 0 // the line on which the previous row ended
	for {
		fields, err := c.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if len(fields) == 1 && strings.TrimSpace(fields[0]) == "" {
			continue // if a row follows, it finds a gap
		}
		if c.width == 0 {
			isHeader, err := c.begin(fields)
			if err != nil {
				return nil, err
			}
			if isHeader {
				continue
			}
		} else if c.table.Rows > 0 && c.split.start > last+1 {
			return nil, &Error{Source: source, Line: last + 1, Msg: "a blank line between rows"}
		}
		if err := c.addRow(fields); err != nil {
			return nil, err
		}
		last = c.split.end
	}
	if c.table.Rows == 0 {
		return nil, &Error{Source: source, Msg: "there are no rows of numbers"}
	}
	return c.table, nil
}

// reader reads one table.
type reader struct {
	dialect Dialect
	split   splitter
	table   *Table
	width   int // fields on every line
	label   int // the field that is left out, from 0; -1 if there is none
	classes map[string]int
}

// fault is an error in field j, from 0, of the present record, or in all of it
// for -1.
func (c *reader) fault(j int, msg string) *Error {
	line := c.split.start
	if j >= 0 && j < len(c.split.lines) {
		line = c.split.lines[j]
	}
	return &Error{Source: c.table.Source, Line: line, Column: j + 1, Msg: msg}
}

// next returns the fields of the next line that is not empty. They are valid
// until the next call.
func (c *reader) next() ([]string, error) {
	err := c.split.next()
	fields := c.split.fields
	switch {
	case err == nil:
	case err == io.EOF:
		return nil, io.EOF
	case err == errBareQuote || err == errQuote:
		return nil, &Error{Source: c.table.Source, Line: c.split.start, Column: len(fields) + 1, Msg: err.Error()}
	default:
		return nil, readError(c.table.Source, err)
	}
	// A space at the end of a line is not a delimiter.
	if n := len(fields); c.dialect.Delimiter == ' ' && n > 1 && fields[n-1] == "" {
		fields = fields[:n-1]
	}
	return fields, nil
}

// begin learns from the first line how wide the table is, which column to
// leave out, and the names; it reports whether the line was a header.
func (c *reader) begin(fields []string) (isHeader bool, err error) {
	c.width = len(fields)
	var named bool
	if c.label, named, err = c.labelColumn(fields); err != nil {
		return false, err
	}
	switch {
	case named || c.dialect.Header == HeaderYes:
		isHeader = true
	case c.dialect.Header == HeaderAuto:
		if isHeader, err = c.detectHeader(fields); err != nil {
			return false, err
		}
	}
	t := c.table
	t.Header = isHeader
	for j, s := range fields {
		name := Printable(s)
		if !isHeader || name == "" {
			name = "c" + strconv.Itoa(j+1)
		}
		if j == c.label {
			t.LabelColumn, t.LabelName = j+1, name
			c.classes = map[string]int{}
			continue
		}
		t.Names = append(t.Names, name)
	}
	if len(t.Names) == 0 {
		return false, &Error{Source: t.Source, Msg: "there is no column besides the label column"}
	}
	return isHeader, nil
}

// labelColumn finds the label column by its number or in the first line; named
// tells that the first line has its name.
func (c *reader) labelColumn(first []string) (label int, named bool, err error) {
	d := &c.dialect
	if d.Label == "" {
		return -1, false, nil
	}
	if n, err := strconv.Atoi(d.Label); err == nil {
		if n < 1 || n > len(first) {
			return 0, false, c.fault(-1, "there is no column "+strconv.Itoa(n)+" for "+d.Words.Label+", only "+count(len(first), "column"))
		}
		return n - 1, false, nil
	}
	label = -1
	for j, s := range first {
		if strings.TrimSpace(s) != d.Label {
			continue
		}
		if label >= 0 {
			e := c.fault(j, "a second column named "+strconv.Quote(d.Label)+"; give "+d.Words.Label+" its number")
			e.Line = c.split.start
			return 0, false, e
		}
		label = j
	}
	if label < 0 {
		return 0, false, c.fault(-1, "no column is named "+strconv.Quote(d.Label)+", which "+d.Words.Label+" asks for")
	}
	return label, true, nil
}

// detectHeader decides whether the first line is a header: it is if none of
// its fields is a number. A line with both is taken for neither, because a bad
// number in the first row must not turn that row into names.
func (c *reader) detectHeader(fields []string) (bool, error) {
	numbers, words, word := 0, 0, 0
	for j, s := range fields {
		if s = strings.TrimSpace(s); s == "" || j == c.label {
			continue // a table with row names often has none for that column
		}
		if _, err := strconv.ParseFloat(s, 64); err == nil || errors.Is(err, strconv.ErrRange) {
			numbers++
		} else if words++; words == 1 {
			word = j
		}
	}
	if words > 0 && numbers > 0 {
		_, err := c.number(fields, word)
		w := c.dialect.Words
		err.Msg += " (if line 1 holds names: " + w.Header + " yes; " + c.notData(word) + ")"
		return false, err
	}
	return words > 0, nil
}

// notData advises to leave out column j.
func (c *reader) notData(j int) string {
	n := strconv.Itoa(j + 1)
	return "if column " + n + " is not data: " + c.dialect.Words.Label + " " + n
}

// addRow appends the numbers and the class of one line.
func (c *reader) addRow(fields []string) error {
	if len(fields) != c.width {
		return c.fault(-1, count(len(fields), "field")+" found, "+strconv.Itoa(c.width)+" expected as on the first line")
	}
	t := c.table
	for j, s := range fields {
		if j == c.label {
			t.Class = append(t.Class, c.class(strings.TrimSpace(s)))
			continue
		}
		v, err := c.number(fields, j)
		if err != nil {
			if t.Rows == 0 && t.Header && c.width > 1 && c.label < 0 && strings.ContainsFunc(s, unicode.IsLetter) {
				err.Msg += " (" + c.notData(j) + ")"
			}
			return err
		}
		t.Data = append(t.Data, v)
	}
	t.Rows++
	return nil
}

// class numbers the values of the label column.
func (c *reader) class(s string) int {
	n, ok := c.classes[s]
	if !ok {
		n = len(c.table.Classes)
		s = strings.Clone(s) // so that it does not keep its whole line
		c.classes[s] = n
		c.table.Classes = append(c.table.Classes, s)
	}
	return n
}

// number is field j as a finite number.
func (c *reader) number(fields []string, j int) (float64, *Error) {
	s := strings.TrimSpace(fields[j])
	v, err := strconv.ParseFloat(s, 64)
	switch {
	case err == nil && !math.IsNaN(v) && !math.IsInf(v, 0):
		return v, nil
	case s == "":
		return 0, c.fault(j, "missing value")
	case err == nil:
		return 0, c.fault(j, quote(s)+" is not a finite number")
	case errors.Is(err, strconv.ErrRange):
		return 0, c.fault(j, quote(s)+" is too large for a number")
	case c.width == 1 && strings.ContainsAny(s, " ,;|:"):
		return 0, c.fault(j, quote(s)+" is not a number (fields are split at "+strconv.QuoteRune(c.dialect.Delimiter)+
			"; another delimiter, or space, is set with "+c.dialect.Words.Delimiter+")")
	case strings.Count(s, ",") == 1:
		return 0, c.fault(j, quote(s)+" is not a number (the decimal sign is the point)")
	}
	return 0, c.fault(j, quote(s)+" is not a number")
}

// Printable is a name on one line and without control characters, which would
// upset a terminal or the columns of a report.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, strings.Join(strings.Fields(s), " "))
}
