package table

import (
	"bytes"
	"io"
	"slices"
	"strconv"
)

// Classes is one column of a text, read as words.
type Classes struct {
	Source  string
	Name    string   // of the column: from the header, or c1, c2, … by position
	Class   []int    // of every row: an index into Classes; -1 for an empty field
	Classes []string // the column's values, in order of appearance, without spaces around them
}

// ReadClasses reads one column of a text. Each of its values is a class. The other columns may hold anything.
// column is a name or a number from 1; "" is the only column, or the one named label. A row without a value
// is an error, unless Dialect.Missing is set, as are a line with another number of fields and a blank line
// between rows.
//
// Of the Dialect it uses Delimiter, Header, Missing and Words, and Guess for UTF-16; Words.Label is the word
// for column. With HeaderAuto, line 1 is a header if column is a name. Otherwise it is one if none of its
// fields is a number or stands for a missing one, and if one of these holds. The column's field is label,
// class, target, species or the like. Or some column has nothing but numbers on all other lines.
//
// The memory is that of the classes and 8 bytes a row, for moments twice as much.
func ReadClasses(r io.Reader, source string, d Dialect, column string) (*Classes, error) {
	t, in, err := open(r, source, Dialect{Delimiter: d.Delimiter, Header: d.Header,
		Words: d.Words, Missing: d.Missing, wide: d.Guess, chunk: d.chunk})
	if err != nil {
		return nil, err
	}
	var text []byte
	t.parser.split.more = func() (_ []byte, err error) { text, err = in.read(text); return text, err }
	c := classReader{parser: &t.parser, out: &Classes{Source: source}, index: map[string]int{}}
	for {
		fields, err := c.next()
		if err == io.EOF {
			return c.end()
		}
		if err != nil {
			return nil, err
		}
		if blank(fields) {
			continue // an error if a row follows
		}
		if err := c.line(fields, column); err != nil {
			return nil, err
		}
	}
}

type classReader struct {
	*parser
	out   *Classes
	index map[string]int // of a class
	at    int            // the column
	name  string         // its field on line 1
	last  int            // the line on which the last row ended, 0 if there is none

	sure    bool   // line 1 has been decided to be a header or a row
	numbers []bool // the columns with nothing but numbers after line 1
	rows    int    // counted in numbers
}

func (c *classReader) line(fields [][]byte, column string) error {
	if c.width == 0 {
		c.width = len(fields)
		header, err := c.first(fields, column)
		if header || err != nil {
			return err
		}
	}
	switch {
	case len(fields) != c.width:
		return c.otherWidth(fields)
	case c.last > 0 && c.split.start > c.last+1:
		return gap(c.source, c.last+1)
	}
	s := bytes.TrimSpace(fields[c.at])
	if len(s) == 0 && !c.dialect.Missing {
		return c.fault(c.at,
			"missing value: the field is empty, and a row without a class cannot be compared")
	}
	n, ok := c.index[string(s)]
	if len(s) == 0 {
		n = -1
	} else if !ok {
		n = len(c.out.Classes)
		c.index[string(s)] = n
		c.out.Classes = append(c.out.Classes, string(utf8Text(s)))
	}
	c.out.Class = append(c.out.Class, n)
	c.last = c.split.end
	if !c.sure && len(c.out.Class) > 1 {
		c.rows++
		for j, s := range fields {
			s = bytes.TrimSpace(s)
			c.numbers[j] = c.numbers[j] && (isNumber(s) || len(s) == 0 && c.dialect.Missing)
		}
	}
	return nil
}

// first finds the column, and reports whether line 1 is a header. If that depends on
// the other lines, sure stays false.
func (c *classReader) first(fields [][]byte, column string) (header bool, err error) {
	named, names := false, mapped(fields, utf8Text)
	if column != "" {
		if c.at, named, err = c.find(placesOf(names), column, c.dialect.Words.Label); err != nil {
			return false, err
		}
		if named && c.dialect.Header == HeaderNo {
			return false, c.fault(-1,
				c.dialect.Words.Label+" "+strconv.Quote(column)+" is a name, but line 1 holds none")
		}
	} else if c.at = 0; c.width > 1 {
		if c.at, err = c.labelled(names); err != nil {
			return false, err
		}
		named = true
	}
	c.name = Printable(string(names[c.at]))
	usual := is("class", c.name)
	number := anyNumber(fields)
	switch c.sure = true; {
	case named, c.dialect.Header == HeaderYes, c.dialect.Header == HeaderAuto && usual && !number:
		c.out.Name = c.name
		header = true
	case c.dialect.Header == HeaderAuto && !number:
		c.sure = false
		c.numbers = slices.Repeat([]bool{true}, c.width)
	}
	if !header || c.out.Name == "" {
		c.out.Name = Column(c.at)
	}
	return header, nil
}

func (c *classReader) labelled(fields [][]byte) (at int, err error) {
	at = -1
	if c.dialect.Header != HeaderNo {
		at = slices.IndexFunc(fields, func(s []byte) bool { return string(bytes.TrimSpace(s)) == "label" })
	}
	if at < 0 {
		names := "numbers 1 to " + strconv.Itoa(c.width)
		if c.dialect.Header == HeaderYes || c.dialect.Header == HeaderAuto && !anyNumber(fields) {
			names = list(mapped(fields, shown))
		}
		w := c.dialect.Words.Label
		return 0, c.fault(-1, Count(c.width, "column")+", none of which is named \"label\": which one "+
			"holds the classes?").advise(w, w+" can be "+names)
	}
	_, _, err = c.find(placesOf(fields), "label", c.dialect.Words.Label) // an error if there are two
	return at, err
}

// anyNumber reports whether a line has a number or a missing one, as hardly a header has.
func anyNumber(fields [][]byte) bool {
	return slices.ContainsFunc(fields, func(s []byte) bool {
		s = bytes.TrimSpace(s)
		return isNumber(s) || len(s) > 0 && missing(s)
	})
}

func (c *classReader) end() (*Classes, error) {
	out := c.out
	if !c.sure && c.rows > 0 && slices.Contains(c.numbers, true) {
		if c.name != "" {
			out.Name = c.name
		}
		out.Class = out.Class[1:]
		c.renumber()
	}
	if len(out.Class) == 0 {
		return nil, &Error{Source: c.source, Msg: "there are no rows"}
	}
	return out, nil
}

// renumber puts the classes in the order in which they appear in the rows.
func (c *classReader) renumber() {
	to := make([]int, len(c.out.Classes))
	var classes []string
	for i, n := range c.out.Class {
		if n < 0 {
			continue
		}
		if to[n] == 0 {
			classes = append(classes, c.out.Classes[n])
			to[n] = len(classes)
		}
		c.out.Class[i] = to[n] - 1
	}
	c.out.Classes = classes
}
