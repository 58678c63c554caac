package main

// Reading a table of numbers. Nothing is guessed about a value: what is not a
// finite number is an error that names its place, because a row or a value
// left out in silence would be missed only much later, if at all.

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// dialect is how a CSV file is to be read.
type dialect struct {
	delimiter rune   // 0: tab, semicolon or comma, whichever the first line has
	header    header // whether the first line holds names
	label     string // a column that is not data: its name, its number from 1, or ""
}

type header int

const (
	headerAuto header = iota // a first line without any number is one
	headerYes
	headerNo
)

// table is the numbers of a file, row after row, without the label column.
type table struct {
	source string   // the file's name, for messages
	names  []string // of the columns: the header's, or c1, c2, … by position
	rows   int
	data   []float64

	header  bool
	leftOut string // describes the label column; "" if there is none
}

// csvReader reads one table. Errors are source:line:field, counted from 1.
type csvReader struct {
	*csv.Reader
	table
	width int // fields on every line
	label int // the field that is left out, from 0; -1 if there is none
}

// readTable reads all of r. Lines end in LF or CRLF, a byte order mark is
// skipped, as are spaces around numbers, and blank lines before and after the
// rows; a blank line between two rows is an error.
func readTable(r io.Reader, source string, d dialect) (*table, error) {
	text, first, err := start(r, source)
	if err != nil {
		return nil, err
	}
	if d.delimiter == 0 {
		d.delimiter = guessDelimiter(first)
	}
	c := &csvReader{Reader: csv.NewReader(text), table: table{source: source}}
	c.Comma = d.delimiter
	c.FieldsPerRecord = -1 // counted here, for a better message
	c.ReuseRecord = true
	// Also makes one delimiter of many spaces. With tabs it would swallow
	// empty fields.
	c.TrimLeadingSpace = d.delimiter != '\t'

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
		line, _ := c.FieldPos(0)
		if c.width == 0 {
			isHeader, err := c.begin(fields, d)
			if err != nil {
				return nil, err
			}
			if isHeader {
				continue
			}
		} else if c.rows > 0 && line > last+1 {
			return nil, fmt.Errorf("%s:%d: a blank line between rows", source, last+1)
		}
		if err := c.addRow(fields); err != nil {
			return nil, err
		}
		end := len(fields) - 1
		last, _ = c.FieldPos(end)
		last += strings.Count(fields[end], "\n")
	}
	if c.rows == 0 {
		return nil, fmt.Errorf("%s: there are no rows of numbers", source)
	}
	return &c.table, nil
}

// start returns r without its byte order mark, and the first line that is not
// blank, which r still holds.
func start(r io.Reader, source string) (text io.Reader, line string, err error) {
	b := bufio.NewReaderSize(r, 1<<16)
	mark, _ := b.Peek(3) // an error comes again
	switch {
	case string(mark) == "\ufeff":
		b.Discard(3)
	case bytes.HasPrefix(mark, []byte("\xff\xfe")), bytes.HasPrefix(mark, []byte("\xfe\xff")):
		return nil, "", fmt.Errorf("%s: the text is UTF-16; save it as UTF-8", source)
	}
	var read strings.Builder
	for strings.TrimSpace(line) == "" {
		line, err = b.ReadString('\n')
		read.WriteString(line)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, "", readError(source, err)
		}
	}
	return io.MultiReader(strings.NewReader(read.String()), b), line, nil
}

// guessDelimiter goes by what a number may contain: a comma may be a decimal
// comma where there are semicolons, and both may stand in a name where there
// are tabs.
func guessDelimiter(line string) rune {
	var tab, semicolon, quoted bool
	for _, r := range line {
		switch r {
		case '"':
			quoted = !quoted
		case '\t':
			tab = tab || !quoted
		case ';':
			semicolon = semicolon || !quoted
		}
	}
	switch {
	case tab:
		return '\t'
	case semicolon:
		return ';'
	}
	return ','
}

// next returns the fields of the next line that is not empty. They are valid
// until the next call.
func (c *csvReader) next() ([]string, error) {
	fields, err := c.Read()
	var syntax *csv.ParseError
	switch {
	case err == nil:
	case err == io.EOF:
		return nil, io.EOF
	case errors.As(err, &syntax):
		// The fields in front of the bad one come along with the error.
		at := fmt.Sprintf("%s:%d:%d: ", c.source, syntax.StartLine, len(fields)+1)
		switch {
		case errors.Is(err, csv.ErrBareQuote):
			return nil, errors.New(at + `a quote (") inside of a field that does not begin with one`)
		case errors.Is(err, csv.ErrQuote):
			return nil, errors.New(at + `a quoted field that does not end in a quote (")`)
		}
		return nil, fmt.Errorf("%s%w", at, syntax.Err)
	default:
		return nil, readError(c.source, err)
	}
	// A space at the end of a line is not a delimiter.
	if n := len(fields); c.Comma == ' ' && n > 1 && fields[n-1] == "" {
		fields = fields[:n-1]
	}
	return fields, nil
}

// begin learns from the first line how wide the table is, which column to
// leave out, and the names; it reports whether the line was a header.
func (c *csvReader) begin(fields []string, d dialect) (isHeader bool, err error) {
	c.width = len(fields)
	var named bool
	if c.label, named, err = c.labelColumn(fields, d); err != nil {
		return false, err
	}
	switch {
	case named || d.header == headerYes:
		isHeader = true
	case d.header == headerAuto:
		if isHeader, err = c.detectHeader(fields); err != nil {
			return false, err
		}
	}
	c.header = isHeader
	for j, s := range fields {
		name := printable(s)
		if !isHeader || name == "" {
			name = fmt.Sprintf("c%d", j+1)
		}
		if j == c.label {
			c.leftOut = fmt.Sprintf("column %d", j+1)
			if isHeader {
				c.leftOut += fmt.Sprintf(" (%s)", name)
			}
			continue
		}
		c.names = append(c.names, name)
	}
	if len(c.names) == 0 {
		return false, fmt.Errorf("%s: there is no column besides the label column", c.source)
	}
	return isHeader, nil
}

// labelColumn finds the label column by its number or in the first line; named
// tells that the first line has its name.
func (c *csvReader) labelColumn(first []string, d dialect) (label int, named bool, err error) {
	if d.label == "" {
		return -1, false, nil
	}
	line, _ := c.FieldPos(0)
	if n, err := strconv.Atoi(d.label); err == nil {
		if n < 1 || n > len(first) {
			return 0, false, fmt.Errorf("%s:%d: there is no column %d for -label, only %s", c.source, line, n, count(len(first), "column"))
		}
		return n - 1, false, nil
	}
	label = -1
	for j, s := range first {
		if strings.TrimSpace(s) != d.label {
			continue
		}
		if label >= 0 {
			return 0, false, fmt.Errorf("%s:%d:%d: a second column named %q; give -label its number", c.source, line, j+1, d.label)
		}
		label = j
	}
	if label < 0 {
		return 0, false, fmt.Errorf("%s:%d: no column is named %q, which -label asks for", c.source, line, d.label)
	}
	return label, true, nil
}

// detectHeader decides whether the first line is a header: it is if none of
// its fields is a number. A line with both is taken for neither, because a bad
// number in the first row must not turn that row into names.
func (c *csvReader) detectHeader(fields []string) (bool, error) {
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
		return false, fmt.Errorf("%w (if line 1 holds names: -header yes; if column %d is not data: -label %d)", err, word+1, word+1)
	}
	return words > 0, nil
}

// addRow appends the numbers of one line.
func (c *csvReader) addRow(fields []string) error {
	if len(fields) != c.width {
		line, _ := c.FieldPos(0)
		return fmt.Errorf("%s:%d: %s found, %d expected as on the first line", c.source, line, count(len(fields), "field"), c.width)
	}
	for j := range fields {
		if j == c.label {
			continue
		}
		v, err := c.number(fields, j)
		if err != nil && c.rows == 0 && c.header && c.width > 1 && c.label < 0 && strings.ContainsFunc(fields[j], unicode.IsLetter) {
			return fmt.Errorf("%w (if column %d is not data: -label %d)", err, j+1, j+1)
		}
		if err != nil {
			return err
		}
		c.data = append(c.data, v)
	}
	c.rows++
	return nil
}

// number is field j as a finite number.
func (c *csvReader) number(fields []string, j int) (float64, error) {
	s := strings.TrimSpace(fields[j])
	v, err := strconv.ParseFloat(s, 64)
	if err == nil && !math.IsNaN(v) && !math.IsInf(v, 0) {
		return v, nil
	}
	line, _ := c.FieldPos(j)
	at := fmt.Sprintf("%s:%d:%d: ", c.source, line, j+1)
	switch {
	case s == "":
		return 0, errors.New(at + "missing value")
	case err == nil:
		return 0, fmt.Errorf("%s%.40q is not a finite number", at, s)
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%s%.40q is too large for a number", at, s)
	case c.width == 1 && strings.ContainsAny(s, " ,;|:"):
		return 0, fmt.Errorf("%s%.40q is not a number (fields are split at %q; another delimiter, or space, is set with -delimiter)", at, s, c.Comma)
	case strings.Count(s, ",") == 1:
		return 0, fmt.Errorf("%s%.40q is not a number (the decimal sign is the point)", at, s)
	}
	return 0, fmt.Errorf("%s%.40q is not a number", at, s)
}

// readError adds the file's name where the error does not have it already.
func readError(source string, err error) error {
	if strings.Contains(err.Error(), source) {
		return err
	}
	return fmt.Errorf("%s: %w", source, err)
}

// printable is a name on one line and without control characters, which would
// upset the terminal or the columns of the report.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, strings.Join(strings.Fields(s), " "))
}
