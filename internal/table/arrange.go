package table

// Some texts are arranged anew before anything else is read from them: tables with their samples in
// columns, long tables. The text is read whole, written as a table with a row for each sample, and
// that is read. Errors have their places in the text as it was.

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
	"strconv"
)

// ErrTurned is in the error for a text that has to be arranged anew, but is read in blocks.
var ErrTurned = errors.New("a table with its samples in columns, or a long one, cannot be read in blocks")

// arranged is a table made of the fields of a text. It knows the line and the field of each of its cells.
type arranged struct {
	lines         []packed
	rows, columns int
	cell          func(row, column int) cell
	sample        func(row int) string // names a row of a table that was long; nil: the rows were columns
	blank         string               // the value of fields that are blank
}

// cell is a place among lines. A field below 0 is blank.
type cell struct{ line, field int }

// place returns the place in the text of a field of the table, or of column 0 for the whole row. Places count
// from 1; 0 is none.
func (a *arranged) place(line, column int) (wasLine, wasColumn int) {
	was := a.cell(min(line, a.rows)-1, max(0, min(column, a.columns)-1))
	wasLine, wasColumn = a.lines[was.line].at, was.field+1
	switch {
	case column > 0:
		return wasLine, wasColumn
	case a.sample == nil:
		return 0, wasColumn
	}
	return wasLine, 0
}

// records returns all lines of a text that have fields, up to one that is after the table. The names in a
// comment are the first.
func (s *survey) records(p *parser, in *chunks, text []byte, after func([][]byte) bool) ([]packed, error) {
	var lines []packed
	p.split = s.splitter(text, p.dialect.Delimiter)
	p.split.End = s.skipped
	p.split.More = func() ([]byte, error) { return in.read(nil) }
	if s.names {
		p.width = len(s.lines[0])
		lines = append(lines, pack(s.lines[0], 0))
	}
	for {
		fields, err := p.next()
		if err == io.EOF {
			return lines, nil
		}
		if err != nil {
			return nil, err
		}
		if p.blank(fields) {
			continue
		}
		if after != nil && after(fields) {
			s.note(p.on(p.split.Start) + " text begins that is left out: " + quote(string(fields[0])))
			return lines, nil
		}
		if lines == nil {
			if s.lines != nil {
				fields = within(s.lines[0], p.width)
			}
			p.width = cmp.Or(p.width, len(fields))
		}
		if len(fields) != p.width {
			return nil, p.otherWidth(fields)
		}
		lines = append(lines, pack(fields, p.split.Start))
	}
}

// packed is the fields of a line of the text.
type packed struct {
	texts
	at int // the line, from 1; 0 is a comment
}

func pack(fields [][]byte, line int) packed {
	var t texts
	for _, f := range fields {
		t.add(f)
	}
	return packed{texts{slices.Clone(t.bytes), slices.Clone(t.ends)}, line}
}

// texts are fields one after another, at most 4 GB: less memory than a slice each.
type texts struct {
	bytes []byte
	ends  []uint32
}

// add adds a field without spaces around it.
func (t *texts) add(field []byte) {
	t.bytes = append(t.bytes, bytes.TrimSpace(field)...)
	t.ends = append(t.ends, uint32(len(t.bytes)))
}

func (t *texts) field(j int) []byte {
	if j == 0 {
		return t.bytes[:t.ends[0]]
	}
	return t.bytes[t.ends[j-1]:t.ends[j]]
}

// csv writes the table with a delimiter, a line for each row. Fields are in quotes unless they are numbers.
func (a *arranged) csv(comma rune) (text []byte) {
	for i := range a.rows {
		for j := range a.columns {
			if j > 0 {
				text = append(text, string(comma)...)
			}
			var s []byte
			if c := a.cell(i, j); c.field >= 0 {
				s = a.lines[c.line].field(c.field)
			} else if i > 0 {
				s = []byte(a.blank)
			}
			if len(s) > 0 && !isNumber(s) {
				s = bytes.ReplaceAll(s, []byte("\n"), []byte(" ")) // so that a row is a line
				s = slices.Concat([]byte{'"'}, bytes.ReplaceAll(s, []byte(`"`), []byte(`""`)), []byte{'"'})
			}
			text = append(text, s...)
		}
		text = append(text, '\n')
	}
	return text
}

// arrange opens a text anew that has to be arranged anew, and reports whether it has to. The error may ask.
func (t *Reader) arrange(in *chunks, text []byte) (again bool, err error) {
	p, d := &t.parser, t.parser.dialect
	s := p.survey
	p.split.Start = s.first
	f, turn, note, word := s.frame(p), false, "", d.Words.Long
	l, ask := f.chooseLong(p, s.cut)
	if l == nil && ask == nil {
		word = d.Words.Transpose
		turn, note, ask = s.choose(p, &f)
	}
	switch {
	case ask != nil:
		ask.Source = t.Source
		return false, ask
	case l == nil && !turn:
		return false, nil
	case d.Stream:
		e := &Error{Source: t.Source, Msg: ErrTurned.Error(), err: ErrTurned}
		return false, e.advise(word, "-stream no reads it whole; "+word+" no takes its lines as they are")
	}
	var a *arranged
	var more string
	if p.width = 0; turn {
		a, more, err = s.turned(p, in, text, &f)
		f.settings(&d)
		t.Axis = f.name
	} else {
		a, more, err = s.pivot(p, in, text, l)
		note, more = "the table is long: ", more+hint(word, " no reads its lines as rows")
		l.settings(&d)
	}
	if err != nil {
		return false, err
	}
	t.Turned, t.Long, t.Notes = turn, !turn, append(s.notes, note+more)
	if d.Long, d.Transpose, d.trying = No, No, true; d.Delimiter == ' ' {
		d.Delimiter = '\t'
	}
	if err := t.open(bytes.NewReader(a.csv(d.Delimiter)), d); err != nil {
		return false, err
	}
	t.parser.origin = a
	return true, nil
}

// takeIDs makes a column the ids, unless there are some. It leaves it out if there are to be none.
func (d *Dialect) takeIDs(column string) {
	switch d.ID {
	case "":
		d.ID = column
	case NoID:
		d.Drop = append(slices.Clone(d.Drop), column)
	}
}

// carry makes a column one that is carried along, and none of data.
func (d *Dialect) carry(column string) {
	d.Keep, d.Drop = append(slices.Clone(d.Keep), column), append(slices.Clone(d.Drop), column)
}

// doubt reports whether a text is arranged anew, or returns the question about it. t says how certain that
// is. stay reports that the new table contains the columns that the Dialect names. word names the setting
// in the question, msg is its text, and yes and no tell the effects of the answers.
func (d *Dialect) doubt(t turning, stay bool, word, msg, yes, no string) (sure bool, ask *Error) {
	given := d.rolesGiven()
	if t == certain && d.Names == nil && d.Header != No && stay {
		given = ""
	}
	if word == "" || t == asItStands || (t == certain) == (given == "") {
		return t == certain, nil
	}
	advice := word + " yes " + yes + ", " + word + " no " + no
	if given != "" {
		advice += "; " + given + " is about the table as it is then read"
	}
	return false, (&Error{Msg: msg}).advise(word, advice, []string{word, "yes"}, []string{word, "no"})
}

// on says where a line is in the text, or what became a row of it.
func (p *layout) on(line int) string {
	switch a := p.origin; {
	case a == nil:
		return "on line " + strconv.Itoa(line)
	case a.sample == nil:
		_, column := a.place(line, a.columns)
		return "in its column " + strconv.Itoa(column)
	default:
		return "of " + a.sample(line-1)
	}
}
