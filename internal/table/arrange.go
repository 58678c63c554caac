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

// arranged is the lines of a text whose fields become a table anew.
type arranged struct {
	lines []packed
	cells [][]cell // of each row and column of the table
	names []string // of the rows, if they were samples of a long table; nil: they were columns
	blank string   // the value of fields that are blank
}

// cell is a place among lines. A field below 0 is blank.
type cell struct{ line, field int32 }

// place returns the place in the text of a field of the table, or of column 0 for the whole row. Places count
// from 1; 0 is none.
func (a *arranged) place(line, column int) (wasLine, wasColumn int) {
	row := a.cells[min(line, len(a.cells))-1]
	was := row[max(0, min(column, len(row))-1)]
	wasLine, wasColumn = a.lines[was.line].at, int(was.field)+1
	switch {
	case column > 0:
		return wasLine, wasColumn
	case a.names == nil:
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

// packed is the fields of a line of the text, one after another: less memory than a slice each.
type packed struct {
	text []byte
	ends []uint32
	at   int // the line, from 1; 0 is a comment
}

func pack(fields [][]byte, line int) packed {
	p := packed{bytes.Join(fields, nil), make([]uint32, len(fields)), line}
	at := 0
	for j, f := range fields {
		at += len(f)
		p.ends[j] = uint32(at) // a line has at most 64 MB
	}
	return p
}

func (p *packed) field(j int) []byte {
	if j == 0 {
		return p.text[:p.ends[0]]
	}
	return p.text[p.ends[j-1]:p.ends[j]]
}

// csv writes the table with a delimiter, a line for each row. Fields are in quotes unless they are numbers.
func (a *arranged) csv(comma rune) (text []byte) {
	for i, row := range a.cells {
		for j, cell := range row {
			if j > 0 {
				text = append(text, string(comma)...)
			}
			var s []byte
			if cell.field >= 0 {
				s = a.lines[cell.line].field(int(cell.field))
			} else if i > 0 {
				s = []byte(a.blank)
			}
			if s = bytes.TrimSpace(s); len(s) > 0 && !isNumber(s) {
				s = bytes.ReplaceAll(s, []byte("\n"), []byte(" ")) // so that a row is a line
				s = slices.Concat([]byte{'"'}, bytes.ReplaceAll(s, []byte(`"`), []byte(`""`)), []byte{'"'})
			}
			text = append(text, s...)
		}
		text = append(text, '\n')
	}
	return text
}

// arrange opens a text that is arranged anew. The Reader is nil if it is read as it stands. The error may
// ask.
func (s *survey) arrange(in *chunks, text []byte, d Dialect) (*Reader, *chunks, error) {
	if s = cmp.Or(s, new(survey)); s.lines == nil && d.Transpose != TransposeYes {
		return nil, in, nil
	}
	p := &parser{layout: &layout{dialect: d, source: in.source, survey: s}}
	p.split.Start = s.first
	f, turn, note, word := s.frame(p), false, "", d.Words.Long
	l, ask := f.chooseLong(p, s.cut)
	if l == nil && ask == nil {
		word = d.Words.Transpose
		turn, note, ask = s.choose(p, &f)
	}
	switch {
	case ask != nil:
		ask.Source = in.source
		return nil, in, ask
	case l == nil && !turn:
		return nil, in, nil
	case d.Stream:
		e := &Error{Source: in.source, Msg: ErrTurned.Error(), err: ErrTurned}
		return nil, in, e.advise(word, "-stream no reads it whole; "+word+" no takes its lines as they are")
	}
	var a *arranged
	var more string
	var err error
	if p.width = 0; turn {
		a, more, err = s.turned(p, in, text, &f)
		f.settings(&d)
	} else {
		a, more, err = s.pivot(p, in, text, l)
		note, more = "the table is long: ", more+hint(word, " no reads its lines as rows")
		l.settings(&d)
	}
	if err != nil {
		return nil, in, err
	}
	t, again, err := s.reopen(in, d, note+more, a)
	if err != nil {
		return nil, again, err
	}
	if t.Turned, t.Long = turn, !turn; turn {
		t.Axis = f.name
	}
	return t, again, nil
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

// doubt reports whether a text is arranged anew, or returns the question about it. t says how certain that is.
// stay reports that the new table contains the columns that the Dialect names. word names the setting in the
// question, msg is its text, and yes and no tell the effects of the answers.
func (d *Dialect) doubt(t turning, stay bool, word, msg, yes, no string) (sure bool, ask *Error) {
	given := d.rolesGiven()
	if t == certain && d.Names == nil && d.Header != HeaderNo && stay {
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

func (s *survey) reopen(in *chunks, d Dialect, note string, from *arranged) (*Reader, *chunks, error) {
	if d.Long, d.Transpose = LongNo, TransposeNo; d.Delimiter == ' ' {
		d.Delimiter = '\t'
	}
	t, again, err := open(bytes.NewReader(from.csv(d.Delimiter)), in.source, d)
	if err != nil {
		return nil, again, err
	}
	t.parser.origin = from
	if notes := append(s.notes, note); d.Guess {
		t.parser.survey.notes = append(notes, t.parser.survey.notes...)
	} else {
		t.Notes = notes
	}
	return t, again, nil
}

// asWritten returns an error of a text that was arranged anew with its place in the text as it was.
func (p *layout) asWritten(err error) error {
	e, ok := err.(*Error)
	if !ok || p.origin == nil || e.Line == 0 {
		return err
	}
	back := *e
	back.Line, back.Column = p.origin.place(e.Line, e.Column)
	return &back
}

// on says where a line is in the text, or what became a row of it.
func (p *layout) on(line int) string {
	switch a := p.origin; {
	case a == nil:
		return "on line " + strconv.Itoa(line)
	case a.names == nil:
		_, column := a.place(line, len(a.lines))
		return "in its column " + strconv.Itoa(column)
	default:
		return "of " + a.names[line-1]
	}
}
