package table

import (
	"bufio"
	"bytes"
	"cmp"
	"io"
	"math"
	"slices"
	"strconv"
)

// Reader reads the rows of a text in blocks. It keeps no rows: the memory is that of a few chunks of the
// text and of the longest line. A line may have 64 MB and 1048576 fields, a quoted field 1 MB.
//
// Lines end in LF or CRLF. A byte order mark, spaces around numbers, and blank lines
// before and after the rows are skipped; a blank line between rows is an error.
type Reader struct {
	// Table contains the Head, the Classes so far, and what belongs to the rows that ReadRows has returned last,
	// valid until it is called again: Class, Weights, IDs and Kept. Its other fields are not set.
	Table

	in      *chunks
	classes map[string]int // the place of each in Classes
	flaws   flaws
	parser  parser // for chunks that are not parsed ahead
	own     part   // their rows

	chunk  *chunk   // the present one
	queue  []*chunk // the next, as far as they are read
	part   *part    // the rows of chunk
	at     int      // the next row of part
	before int      // the rows before the part
	last   int      // the line on which the last row or comment ended
	err    error    // that follows the part
	trial  trial
}

// NewReader reads the text up to its first row, and returns all errors that are due to the Dialect. A
// text without rows is an error that wraps a *NoRows. source is the text's name in messages. With an
// error Overview alone may be called.
func NewReader(r io.Reader, source string, d Dialect) (*Reader, error) {
	d.Words = d.Words.orFlags()
	t := &Reader{Table: Table{Head: Head{Source: source}}}
	t.parser.layout = &layout{survey: new(survey)} // until the text is open
	err := t.open(r, d)
	if err == nil {
		err = t.openRows()
	}
	if err == io.EOF {
		none := &NoRows{t.Head}
		err = &Error{Source: source, Msg: none.Error(), err: none}
	}
	return t, t.settled(err)
}

// settled returns an error with its place in the text as it was before it was arranged anew, and with advice
// that works.
func (t *Reader) settled(err error) error {
	e, ok := err.(*Error)
	if !ok {
		return err
	}
	if t.parser.origin != nil && e.Line > 0 {
		was := *e
		was.Line, was.Column = t.parser.origin.place(e.Line, e.Column)
		e = &was
	}
	return t.trial.settle(e)
}

// head reads up to the first row, which is then read again.
func (t *Reader) head() error {
	p, in := &t.parser, t.in
	text, line := p.split.Rest, p.split.End+1
	p.split.More = func() ([]byte, error) {
		more, err := in.read(nil)
		text = append(text, more...)
		return more, err
	}
	for left := 1; left > 0; { // lines up to the first row
		fields, err := p.next()
		if err != nil {
			return err
		}
		if p.blank(fields) {
			continue
		}
		if left--; p.width > 0 {
			continue
		}
		s := p.survey
		if s.lines != nil {
			fields = s.lines[0]
		}
		if err = p.begin(fields, &t.Head); err != nil {
			return err
		}
		if t.Header && !s.names {
			left = 1 + s.units
		}
	}
	for ; line < p.split.Start; line++ {
		text = text[bytes.IndexByte(text, '\n')+1:]
	}
	in.rest, in.line = text, line-1
	return nil
}

func (t *Reader) openRows() error {
	p, in := &t.parser, t.in
	if err := t.head(); err != nil {
		return err
	}
	if !p.dialect.Skip.none() {
		p.skipRows(in.rest, in.line)
		t.note(Count(len(p.skip), "row") + Plural(len(p.skip), " is", " are") + " left out, as asked")
	}
	for _, f := range p.found {
		t.flaws.add(f)
	}
	t.classes = map[string]int{}
	p.split.More = t.follow
	if !t.more() {
		return t.err
	}
	return nil
}

// open is NewReader up to the first line that is not blank. A text that is arranged anew is opened anew.
func (t *Reader) open(r io.Reader, d Dialect) error {
	source := t.Source
	in := &chunks{r: bufio.NewReaderSize(r, readSize), source: source, size: cmp.Or(d.chunk, chunkSize)}
	if d.Delimiter != 0 && !validComma(d.Delimiter) {
		return &Error{Source: source, Msg: strconv.QuoteRune(d.Delimiter) + " cannot be a delimiter"}
	}
	if err := in.sniff(); err != nil {
		return err
	}
	size, skipped := 0, 0
	if !d.Skip.none() {
		size = math.MaxInt
	} else if d.Guess || d.Long == Yes || d.classes {
		size = surveySize
	}
	text, err := in.peek(size)
	if err != nil {
		return err
	}
	s := new(survey)
	if d.Guess || d.Long == Yes {
		given := d
		var start []byte
		if s, start = look(text, &d); !d.trying {
			t.trial = trial{bytes.Clone(start), given}
		}
		if s.ask != nil {
			s.ask.Source = source
			return s.ask
		}
		text, skipped = text[s.skip:len(text)-s.after], s.skipped
	} else if d.Delimiter == 0 {
		d.Delimiter = guessDelimiter(text, d.Decimal)
	}
	p := &t.parser
	p.layout = &layout{dialect: d, source: source, survey: s}
	if d.Guess || d.Long == Yes || d.Transpose == Yes {
		if again, err := t.arrange(in, text); again || err != nil {
			return err
		}
	}
	p.split, p.width = s.splitter(text, d.Delimiter), 0
	p.split.End = skipped
	t.in, t.part = in, &t.own
	return nil
}

// ReadRows reads as many rows into dst as it can hold, or as there are, and returns their number. The
// number is 0 only with an error: io.EOF after the last row, a *Error, or an error of r that has source
// in its text already. The rows before an error are returned first. ReadRows panics if dst is shorter than a
// row.
func (t *Reader) ReadRows(dst []float64) (n int, err error) {
	width := len(t.Names)
	most := len(dst) / width
	if most == 0 {
		panic("table: dst is shorter than a row")
	}
	t.IDs, t.Kept, t.Class, t.Weights = t.IDs[:0], t.Kept[:0], t.Class[:0], t.Weights[:0]
	for n < most && t.more() {
		n += copy(dst[n*width:], t.take(most-n)) / width
	}
	if n == 0 {
		return 0, t.settled(t.err)
	}
	return n, nil
}

// take returns the data of the next sound rows of the part, at most so many, and adds their texts and
// weights to those in t.
func (t *Reader) take(most int) []float64 {
	from := t.at
	t.at = min(t.sound(), from+most)
	if t.parser.weights {
		t.Weights = append(t.Weights, t.part.weight[from:t.at]...)
	}
	for i := from; i < t.at; i++ {
		if t.LabelColumn > 0 {
			t.Class = append(t.Class, t.class(t.field(i, t.LabelColumn-1)))
		}
		if t.IDColumn > 0 {
			t.IDs = append(t.IDs, string(utf8Text(t.field(i, t.IDColumn-1))))
		}
		if len(t.KeptNames) > 0 {
			var list []string
			for j, kept := range t.parser.kept {
				if kept {
					list = append(list, string(utf8Text(t.field(i, j))))
				}
			}
			t.Kept = append(t.Kept, list)
		}
	}
	return t.part.data[from*len(t.Names) : t.at*len(t.Names)]
}

// field is the text of a column, from 0, in a row of the part.
func (t *Reader) field(row, column int) []byte {
	return t.part.texts.field(row*t.parser.texts + t.parser.text[column] - 1)
}

// faulty reports whether a flaw is an error: words always, missing values unless the Dialect allows them.
func (t *Reader) faulty(f flaw) bool { return f.kind != isGap || !t.parser.dialect.Missing }

// sound is how many rows of the part are before the first faulty one.
func (t *Reader) sound() int {
	n := t.part.rows
	for _, f := range t.flaws.list {
		if t.faulty(f) {
			n = min(n, max(0, f.row-t.before))
		}
	}
	return n
}

// more reports whether there is another sound row, and makes it row at of part. Otherwise the rest of the
// text is read to count what else is missing or no number.
func (t *Reader) more() bool {
	for t.at >= t.sound() && t.err == nil {
		t.err = t.advance()
	}
	if t.at < t.sound() {
		return true
	}
	stray := slices.ContainsFunc(t.flaws.list, func(f flaw) bool { return f.kind != isGap })
	other, ok := t.err.(*Error)
	if t.err == io.EOF && slices.ContainsFunc(t.flaws.list, t.faulty) || stray && ok && other.Line > 0 {
		t.err = t.parser.faultError(t.flaws.list, t.before+t.part.rows, other)
		t.flaws = flaws{}
	}
	t.Close()
	return false
}

// Close ends the goroutines that parse ahead. After it r is not read any more, and there are no more rows.
func (t *Reader) Close() {
	for _, c := range t.queue {
		c.wait()
	}
	t.queue = nil
	t.part, t.at = &part{}, 0
	if t.err == nil {
		t.err = io.ErrClosedPipe
	}
}

// advance moves to the next part. The error is the one that follows its rows.
func (t *Reader) advance() error {
	t.before += t.part.rows
	t.own.clear()
	t.part, t.at = &t.own, 0
	if _, err := t.follow(); err != nil {
		return err
	}
	if t.chunk.parsed {
		t.part = &t.chunk.part
	} else {
		t.parser.parse(t.chunk, t.part)
	}
	if t.before > 0 && t.part.first > t.last+1 {
		t.part.rows = 0
		return gap(t.Source, t.last+1)
	}
	t.last = max(t.last, t.part.last)
	for _, f := range t.part.flaws.list {
		f.row += t.before
		f.rows = mapped(f.rows, func(row int) int { return row + t.before })
		t.flaws.add(f)
	}
	return t.part.err
}

// follow moves to the next chunk, which takes the memory of the one before. It returns the text of the chunk,
// or again the error behind the last one. With more than one worker it reads ahead while there is much to
// read, and other chunks are parsed meanwhile, on a goroutine each.
func (t *Reader) follow() (text []byte, err error) {
	last, workers := t.chunk, t.parser.dialect.Workers
	if last != nil && last.err != nil {
		return nil, last.err
	}
	for n := len(t.queue); n == 0 || n <= workers && workers > 1 && 2*len(t.queue[n-1].text) > t.in.size; n++ {
		c := cmp.Or(last, new(chunk))
		last, c.line = nil, t.in.line
		if c.text, c.err = t.in.read(c.text); workers > 1 {
			c.ahead(t.parser.layout)
		}
		t.queue = append(t.queue, c)
	}
	t.chunk, t.queue = t.queue[0], t.queue[1:]
	t.chunk.wait()
	return t.chunk.text, t.chunk.err
}

// class is the place of a label in Classes; -1 for an empty one where the labels alone are read.
func (t *Reader) class(s []byte) int {
	n, ok := t.classes[string(s)]
	if len(s) == 0 && t.parser.dialect.classes {
		return -1
	} else if !ok {
		n = len(t.Classes)
		t.classes[string(s)] = n
		t.Classes = append(t.Classes, string(utf8Text(s)))
	}
	return n
}
