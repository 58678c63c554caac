package table

import (
	"cmp"
	"io"
	"slices"
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
// Of the Dialect it uses Delimiter, Header, Missing and Words; Words.Label is the word
// for column. With Auto, line 1 is a header if column is a name. Otherwise it is one if none of its
// fields is a number or stands for a missing one, and if one of these holds. The column's field is label,
// class, target, species or the like. Or some column has nothing but numbers on the other lines of the start
// of the text.
//
// The memory is that of the classes and 8 bytes a row, for moments twice as much.
func ReadClasses(r io.Reader, source string, d Dialect, column string) (*Classes, error) {
	t, err := Read(r, source, Dialect{Delimiter: d.Delimiter, Header: d.Header, Label: column,
		Words: d.Words, Missing: d.Missing, chunk: d.chunk, classes: true})
	if err != nil {
		return nil, err
	}
	return &Classes{source, t.LabelName, t.Class, t.Classes}, nil
}

// findClasses takes the fields of line 1, and sets the column of the classes and whether line 1 is a header.
func (p *parser) findClasses(first [][]byte) error {
	d, names := &p.dialect, mapped(first, shown)
	if d.Label == "" && p.width == 1 {
		d.Label = "1"
	} else if d.Label == "" && (d.Header == No || !slices.Contains(names, "label")) {
		w := d.Words.Label
		return p.fault(-1, Count(p.width, "column")+", none of which is named \"label\": which one "+
			"contains the classes or labels?").advise(w, w+" takes its name or number")
	}
	d.Label = cmp.Or(d.Label, "label")
	at, named, err := p.find(placesOf(names), d.Label, d.Words.Label, false)
	if err != nil || d.Header != Auto || named {
		return err
	}
	d.Header = No
	rows := p.columnsOf(new(survey).split(p.split.Rest, d.Delimiter, surveyRows/10))
	numbers := func(c column) bool { return c.numbers > 0 && c.words == 0 && (d.Missing || c.gaps == 0) }
	if (is("class", names[at[0]]) || slices.ContainsFunc(rows, numbers)) && p.allWords(first) {
		d.Header = Yes // numbers are hardly in a header
	}
	return nil
}
