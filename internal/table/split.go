package table

// Splitting CSV text into records, after RFC 4180 and with the results of
// encoding/csv (the tests hold one against the other), which is not used here
// because it brings in fmt and reflection: half of a small WebAssembly file.

import (
	"bytes"
	"errors"
	"io"
	"unicode"
	"unicode/utf8"
)

var (
	errBareQuote = errors.New(`a quote (") inside of a field that does not begin with one`)
	errQuote     = errors.New(`a quoted field that does not end in a quote (")`)
)

// splitter reads records. A field may be quoted, and then holds delimiters,
// ends of lines, and quotes that are doubled. CRLF counts as LF everywhere.
type splitter struct {
	rest  []byte                 // the text, whole lines
	more  func() ([]byte, error) // what comes after it; nil for nothing
	comma rune
	trim  bool // leave out the white space before a field

	// Of the record that next returned last, valid until it is called again.
	fields [][]byte
	lines  []int // on which each field begins, from 1
	start  int   // the line on which the record begins
	end    int   // and the one on which it ends

	text []byte // the fields of a record, one after the other
	ends []int  // where each ends in text
	size int    // of the record's lines, but for the first
}

func newSplitter(text []byte, comma rune) splitter {
	// Leaving out spaces also makes one delimiter of many. With tabs it would
	// swallow empty fields.
	return splitter{rest: text, comma: comma, trim: comma != '\t'}
}

// validComma reports whether r can be told from all that is not a delimiter.
func validComma(r rune) bool {
	return r != 0 && r != '"' && r != '\r' && r != '\n' && utf8.ValidRune(r) && r != utf8.RuneError
}

// line takes the next line, without its end; newline tells that it had one. At
// the end of the text the error is io.EOF.
func (s *splitter) line() (line []byte, newline bool, err error) {
	if len(s.rest) == 0 {
		if s.more == nil {
			return nil, false, io.EOF
		}
		if s.rest, err = s.more(); err != nil {
			return nil, false, err
		}
	}
	line, s.rest, newline = bytes.Cut(s.rest, []byte("\n"))
	s.end++
	return bytes.TrimSuffix(line, []byte("\r")), newline, nil
}

// next reads a record into s.fields, passing over empty lines. At the end of
// the text the error is io.EOF; after another one of this file or of limits.go
// s.fields holds the fields before the bad one.
func (s *splitter) next() error {
	s.text, s.ends, s.lines, s.fields = s.text[:0], s.ends[:0], s.lines[:0], s.fields[:0]
	s.size = 0
	line, newline, err := s.line()
	for err == nil && len(line) == 0 {
		line, newline, err = s.line()
	}
	if err != nil {
		return err
	}
	s.start = s.end
	for more := true; more && err == nil; {
		if s.trim {
			line = bytes.TrimLeftFunc(line, unicode.IsSpace)
		}
		if len(s.lines) == mostColumns {
			err = errManyFields
			break
		}
		s.lines = append(s.lines, s.end)
		if len(line) > 0 && line[0] == '"' {
			line, newline, more, err = s.quoted(line[1:], newline)
		} else {
			line, more, err = s.plain(line)
		}
		if err == nil {
			s.ends = append(s.ends, len(s.text))
		}
	}
	from := 0
	for _, to := range s.ends {
		s.fields = append(s.fields, s.text[from:to])
		from = to
	}
	return err
}

// plain takes a field without quotes from the line; more tells that another
// field follows in rest.
func (s *splitter) plain(line []byte) (rest []byte, more bool, err error) {
	field := line
	if i := bytes.IndexRune(line, s.comma); i >= 0 {
		field, rest, more = line[:i], line[i+utf8.RuneLen(s.comma):], true
	}
	if bytes.IndexByte(field, '"') >= 0 {
		return nil, false, errBareQuote
	}
	s.text = append(s.text, field...)
	return rest, more, nil
}

// quoted takes a field whose opening quote is read, from as many lines as it
// spans.
func (s *splitter) quoted(line []byte, newline bool) (rest []byte, _, more bool, err error) {
	from := len(s.text)
	for {
		i := bytes.IndexByte(line, '"')
		n := i
		if i < 0 {
			n = len(line)
		}
		if len(s.text)-from+n > mostQuoted {
			return nil, false, false, errLongQuote
		}
		if i < 0 {
			s.text = append(s.text, line...)
			if newline {
				s.text = append(s.text, '\n')
			}
			if line, newline, err = s.line(); err == io.EOF {
				err = errQuote
			}
			if s.size += len(line) + 1; err == nil && s.size > mostLine {
				err = errLongRow
			}
			if err != nil {
				return nil, false, false, err
			}
			continue
		}
		s.text = append(s.text, line[:i]...)
		line = line[i+1:]
		r, size := utf8.DecodeRune(line)
		switch {
		case size == 0:
			return nil, newline, false, nil
		case r == s.comma:
			return line[size:], newline, true, nil
		case r != '"':
			return nil, newline, false, errQuote
		}
		s.text = append(s.text, '"')
		line = line[1:]
	}
}

// start reads the text up to the first line that is not blank, and returns that
// line too. A byte order mark is left out.
func start(in *chunks) (text []byte, line string, err error) {
	lines := 0
	for at := 0; ; {
		first := !in.begun
		more, err := in.read(nil)
		if err != nil && err != io.EOF {
			return nil, "", longLine(err, in.source, lines+1)
		}
		if first {
			if endsInCR(more) {
				return nil, "", errCR(in.source)
			}
			more = bytes.TrimPrefix(more, []byte("\ufeff"))
		}
		text = append(text, more...)
		for at < len(text) {
			first, _, newline := bytes.Cut(text[at:], []byte("\n"))
			if len(bytes.TrimSpace(first)) > 0 || !newline {
				return text, string(first), nil
			}
			at += len(first) + 1
			lines++
		}
		if err == io.EOF {
			return text, "", nil
		}
		if at > mostLine {
			return nil, "", &Error{Source: in.source, Msg: "the first 64 MB are blank lines"}
		}
	}
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
