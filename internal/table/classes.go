package table

import (
	"bytes"
	"cmp"
	"errors"
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
// class, target, species or the like. Or some column has nothing but numbers on the other lines of the start
// of the text.
//
// The memory is that of the classes and 8 bytes a row, for moments twice as much.
func ReadClasses(r io.Reader, source string, d Dialect, column string) (*Classes, error) {
	t, in, err := open(r, source, Dialect{Delimiter: d.Delimiter, Header: d.Header, Label: column,
		Words: d.Words, Missing: d.Missing, wide: d.Guess, chunk: d.chunk, classes: true})
	if err == nil {
		err = t.openRows(in)
	}
	if err != nil {
		if errors.As(err, new(*NoRows)) {
			err = &Error{Source: source, Msg: "there are no rows"}
		}
		return nil, err
	}
	defer t.Close()
	c := &Classes{Source: source, Name: t.LabelName}
	for ; t.more(); t.at++ {
		n := -1
		if s := t.field(t.at, t.LabelColumn-1); len(s) > 0 {
			n = t.class(s)
		}
		c.Class = append(c.Class, n)
	}
	if t.err != io.EOF {
		return nil, t.err
	}
	c.Classes = t.Classes
	return c, nil
}

// findClasses takes the fields of line 1, and sets the column of the classes and whether line 1 is a header.
func (p *parser) findClasses(first [][]byte) error {
	d, names := &p.dialect, mapped(first, shown)
	if d.Label == "" && p.width == 1 {
		d.Label = "1"
	} else if d.Label == "" && (d.Header == HeaderNo || !slices.Contains(names, "label")) {
		w := d.Words.Label
		return p.fault(-1, Count(p.width, "column")+", none of which is named \"label\": which one "+
			"contains the classes or labels?").advise(w, w+" takes its name or number")
	}
	d.Label = cmp.Or(d.Label, "label")
	at, named, err := p.find(placesOf(names), d.Label, d.Words.Label, false)
	if err != nil || d.Header == HeaderYes || named && d.Header == HeaderAuto {
		return err
	}
	if named {
		return p.fault(-1, d.Words.Label+" "+strconv.Quote(d.Label)+" is a name, but line 1 holds none")
	}
	rows, header := new(survey).split(p.split.Rest, d.Delimiter, surveyRows), is("class", names[at[0]])
	for j := 0; j < p.width && rows != nil; j++ {
		header = header || !slices.ContainsFunc(rows, func(line [][]byte) bool {
			return j >= len(line) || !trimmedNumber(line[j]) && !(d.Missing && absent(line[j]))
		})
	}
	number := func(s []byte) bool { return trimmedNumber(s) || present(s) && missing(bytes.TrimSpace(s)) }
	if header = header && !slices.ContainsFunc(first, number); header && d.Header == HeaderAuto {
		d.Header = HeaderYes // numbers are hardly in a header
	} else {
		d.Header = HeaderNo
	}
	return nil
}
