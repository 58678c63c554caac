package table

import (
	"io"
	"math"
	"slices"
	"strconv"

	"softkmeans/internal/csv"
	"softkmeans/internal/number"
)

// layout is what the first line of a text determines for all others.
type layout struct {
	dialect Dialect
	source  string
	width   int          // fields on every line
	cols    int          // numbers in a row
	roles   []int        // of every field: its place in the row, or a role of columns.go
	names   []string     // of all fields
	header  []string     // the same, if line 1 holds them; or nil
	weights bool         // there is a column of weights
	plain   bool         // plainRows can read the rows
	kept    []bool       // the columns that are carried along
	text    []int        // of labels, ids and columns carried along, their places among texts, from 1; or 0
	texts   int          // how many of them there are
	skip    map[int]bool // the lines on which rows start that are left out

	survey *survey // empty if the Dialect does not guess

	// Of a Dialect that guesses.
	hot    []map[string]int // the places in the row of the values of columns of text
	found  []flaw           // columns of text: an error, once the rows are read
	id     int              // the column of the ids, from 1; 0: none
	origin *arranged        // a text that was arranged anew; nil: it is as it was
}

// part is the rows in some lines of a text.
type part struct {
	data   []float64
	rows   int
	texts  texts // that are kept
	weight []float64
	flaws  flaws // of fields that are missing, or no numbers

	first int   // the line of the first record, 0 if there is none, afterComment if one is before it
	last  int   // the line on which the last row or comment ends
	err   error // that follows the rows
}

const afterComment = -1

func (o *part) clear() {
	*o = part{data: o.data[:0], texts: texts{o.texts.bytes[:0], o.texts.ends[:0]}, weight: o.weight[:0]}
}

// parser turns text into rows. Each goroutine has its own.
type parser struct {
	*layout
	split csv.Splitter
	field []byte // memory of withPoint

	flawed []flaw // those of the present row
}

// parse parses the lines of a chunk up to the first error. It asks for more text only within a record.
func (p *parser) parse(c *chunk, o *part) {
	o.clear()
	p.split.Rest, p.split.End, p.split.Comment = c.text, c.line, 0
	for p.plainRows(o); len(p.split.Rest) > 0; p.plainRows(o) {
		fields, err := p.next()
		if err == io.EOF {
			break
		}
		if o.err = err; err != nil {
			break
		}
		rule := p.dialect.Guess && ruled(fields)
		if rule && len(fields) == 1 {
			o.pass(p.split.End)
			continue
		}
		if !rule && p.blank(fields) { // --- in each field are missing values
			continue // an error if a row follows
		}
		o.pass(p.split.Comment)
		if p.skip[p.split.Start] { // totals may stand after a blank line
			if o.first != 0 {
				o.last = p.split.End
			}
			continue
		}
		if o.first == 0 {
			o.first = p.split.Start
		} else if p.split.Start > o.last+1 {
			o.err = gap(p.source, o.last+1)
			break
		}
		if err := p.addRow(fields, o); err != nil {
			o.err = err
			break
		}
		o.last = p.split.End
	}
	o.pass(p.split.Comment)
}

// pass counts a comment or a rule as a line that is not blank. Line 0 is none.
func (o *part) pass(line int) {
	if line > o.last {
		if o.first == 0 {
			o.first = afterComment
		}
		o.last = line
	}
}

func gap(source string, line int) *Error {
	return &Error{Source: source, Line: line, Msg: blankLine}
}

const blankLine = "a blank line between rows: take it out, or keep the lines of one table and one line " +
	"of names"

// blank reports whether a line with these fields is empty or, with Guess, contains delimiters alone, as
// spreadsheets end tables, or is a rule.
func (p *parser) blank(fields [][]byte) bool {
	return len(fields) == 1 && absent(fields[0]) || p.dialect.Guess && (empty(fields) || ruled(fields))
}

// plainRows parses rows from the splitter's text as long as they are simple. It stops at a row with quotes,
// with white space other than blanks and tabs, or with a field that is not a number, and at every error.
func (p *parser) plainRows(o *part) {
	text, line := p.split.Rest, p.split.End
	comma, tab := byte(p.dialect.Delimiter), byte('\t')
	if comma == '\t' || comma == ' ' {
		tab = ' '
	}
	pos := 0
	for pos < len(text) {
		if n := lineEnd(text, pos); n > 0 {
			pos += n
			line++
			continue
		}
		if !p.plain || o.first != 0 && line > o.last || p.split.Hash &&
			(text[pos] == '#' || text[pos] == ' ' || text[pos] == '\t') {
			break
		}
		before := o.texts
		end := p.plainRow(text, pos, comma, tab, o)
		if end == 0 {
			o.texts = before
			break
		}
		pos = end
		line++
		if o.rows++; o.first == 0 {
			o.first = line
		}
		o.last = line
	}
	p.split.Rest, p.split.End = text[pos:], line
}

// lineEnd is the length of the end of line at text[i:], 0 if there is none.
func lineEnd(text []byte, i int) int {
	switch {
	case text[i] == '\n':
		return 1
	case text[i] == '\r' && i+1 < len(text) && text[i+1] == '\n':
		return 2
	}
	return 0
}

// plainRow parses one row and returns where the next starts, or 0 if there is none.
func (p *parser) plainRow(text []byte, i int, comma, tab byte, o *part) (end int) {
	o.data = slices.Grow(o.data, p.cols)
	row := o.data[len(o.data) : len(o.data)+p.cols]
	var weight float64
	for j, role := range p.roles {
		for i < len(text) && (text[i] == ' ' || text[i] == tab) {
			i++
		}
		begin := i
		if role == roleLabel || role == roleNone {
			end, ok := plainWord(text, i, comma)
			if !ok {
				return 0
			}
			i = end
		} else {
			v, end, ok := number.Scan(text, i)
			if !ok || v < -1e34 { // it may be a deleted channel
				return 0
			}
			if role >= 0 {
				row[role] = v
			} else if weight = v; v < 0 {
				return 0
			}
			i = end
		}
		if p.texts > 0 && p.text[j] > 0 {
			o.texts.add(text[begin:i])
		}
		from := i
		for i < len(text) && (text[i] == ' ' || text[i] == tab) {
			i++
		}
		switch {
		case j == p.width-1 && i == len(text):
		case j == p.width-1:
			n := lineEnd(text, i)
			if n == 0 {
				return 0
			}
			i += n
		case comma == ' ' && i == from:
			return 0
		case comma == ' ':
		case i == len(text) || text[i] != comma:
			return 0
		default:
			i++
		}
	}
	o.data = o.data[:len(o.data)+p.cols]
	if p.weights {
		o.weight = append(o.weight, weight)
	}
	return i
}

// plainWord returns the end of a field that is not a number, if it is simple.
func plainWord(text []byte, from int, comma byte) (end int, ok bool) {
	i := from
	for i < len(text) && text[i] != comma && text[i] != '\n' {
		if text[i] == '"' || comma == ' ' && (text[i] < ' ' || text[i] > '~') {
			return 0, false
		}
		i++
	}
	return i, comma != ' ' || i > from
}

// fault is an error in field j, from 0, of the present record, or for -1 in all of it.
func (p *parser) fault(j int, msg string) *Error {
	return &Error{Source: p.source, Line: p.line(j), Column: j + 1, Msg: msg}
}

func (p *parser) line(j int) int {
	if j >= 0 && j < len(p.split.Lines) {
		return p.split.Lines[j]
	}
	return p.split.Start
}

// next returns the next line that is not empty. Its fields are valid until the next call.
func (p *parser) next() ([][]byte, error) {
	err := p.split.Next()
	if f, ok := err.(*csv.Fault); ok {
		return nil, &Error{Source: p.source, Line: f.Line, Column: f.Field, Msg: f.Msg}
	} else if err != nil {
		return nil, err
	}
	fields := p.split.Fields
	if p.dialect.Guess && p.width > 0 {
		fields = within(fields, p.width)
	}
	return fields, nil
}

// otherWidth is the error for a line of another number of fields than line 1, or for line 1 if more
// lines are as it.
func (p *parser) otherWidth(fields [][]byte) *Error {
	n, widths := len(fields), map[int]int{}
	e := p.fault(-1, Count(n, "field")+" found, "+strconv.Itoa(p.width)+" expected as on the first line")
	for _, line := range p.survey.lines {
		widths[len(line)]++
	}
	more := widths[n] >= max(leastTable, widths[p.width])
	if more {
		e.Line, e.Msg = p.survey.first, Count(p.width, "field")+" found, but "+Count(widths[n], "line")+" have "+
			strconv.Itoa(n)
	}
	if more || widths[n] > 1 && p.width > 1 {
		put := ": put empty fields where some are missing"
		if n > p.width && !more {
			put = ": put fields that contain the delimiter in quotes"
		}
		e.Msg += put + ", or take out the lines that do not belong to the table"
	}
	return e
}

func (p *parser) addRow(fields [][]byte, o *part) *Error {
	if len(fields) != p.width {
		return p.otherWidth(fields)
	}
	o.data = slices.Grow(o.data, p.cols)
	row, flawed := o.data[len(o.data):len(o.data)+p.cols], p.flawed[:0]
	for j, s := range fields {
		if p.texts > 0 && p.text[j] > 0 {
			o.texts.add(s)
		}
		switch role := p.roles[j]; role {
		case roleNone:
		case roleLabel:
			if p.dialect.classes && !p.dialect.Missing && absent(s) {
				return p.fault(j, "missing value: the field is empty, and a row without a class cannot be compared")
			}
		case roleOneHot:
			if err := p.addOneHot(row, fields, j, o); err != nil {
				return err
			}
		default:
			e := p.entry(s)
			v, err := p.number(e, j)
			switch {
			case err == nil && role >= 0:
				row[role] = v
			case err == nil && v >= 0:
				o.weight = append(o.weight, v)
			case err == nil:
				return p.fault(j, quote(string(e.text))+p.in(j)+" is a weight below 0")
			case role >= 0 && (p.dialect.Guess || p.dialect.Missing && e.gap):
				row[role] = math.NaN()
				flawed = append(flawed, o.flaw(p, j, e, err))
			default:
				return err
			}
		}
	}
	o.addFlaws(p, flawed)
	p.flawed, o.data = flawed, o.data[:len(o.data)+p.cols]
	o.rows++
	return nil
}
