package table

// CSV text is split into records after RFC 4180. The results are those of encoding/csv, which the tests
// compare, but quotes within a field that does not begin with one are text. That package is not used because
// it imports fmt and reflect, which would double a small WebAssembly file.

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	errQuote = errors.New(`a quoted field that does not end in a quote (")`)
	errCut   = errors.New("softkmeans-convert failed here, and the rest of its table is missing; its " +
		"own error says why")
)

// Cut is what softkmeans-convert writes after the rows of a table that it cannot complete. Its
// quote stays open, so that no reader takes it for a row.
const Cut = `"softkmeans-convert failed here`

// splitter reads records. A quoted field may hold delimiters, ends of lines, and
// doubled quotes. CRLF counts as LF everywhere.
type splitter struct {
	rest  []byte                 // complete lines
	more  func() ([]byte, error) // returns the text after rest; nil: there is none
	comma rune
	trim  bool // skip white space before a field
	hash  bool // lines that begin with # are comments
	trail byte // what follows it on a line without quotes is a comment; 0: nothing

	// The last record. It is valid until next is called again.
	fields [][]byte
	lines  []int // the line on which each field starts, from 1
	start  int   // the line on which the record starts
	quotes int   // how many fields are in quotes
	end    int   // the line on which it ends

	comment int // the line of the last comment before the record; 0: none

	text []byte // the fields of the record, one after another
	ends []int  // where each ends in text
	size int    // of the record's lines after the first, in bytes
}

func newSplitter(text []byte, comma rune) splitter {
	// Skipping spaces makes one delimiter of several spaces. With tabs it would skip empty fields.
	return splitter{rest: text, comma: comma, trim: comma != '\t'}
}

func validComma(r rune) bool {
	return r > 0 && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("\"\r\n\ufffd", r) &&
		utf8.ValidRune(r)
}

// line returns the next line without its end; newline reports whether it has one. At
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
	if s.trail != 0 && bytes.IndexByte(line, '"') < 0 {
		if i := bytes.IndexByte(line, s.trail); i > 0 {
			line = bytes.TrimRight(line[:i], " \t")
		}
	}
	return bytes.TrimSuffix(line, []byte("\r")), newline, nil
}

// next reads a record into s.fields, skipping empty lines. At the end of the text the error is io.EOF. After
// an error of this file or of limits.go, s.fields holds the fields before the bad one.
func (s *splitter) next() error {
	s.text, s.ends, s.lines, s.fields = s.text[:0], s.ends[:0], s.lines[:0], s.fields[:0]
	s.size, s.comment, s.quotes = 0, 0, 0
	line, newline, err := s.line()
	for err == nil && (len(line) == 0 || s.hash && isComment(line)) {
		if len(line) > 0 {
			s.comment = s.end
		}
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
			s.quotes++
			line, newline, more, err = s.quoted(line[1:], newline)
		} else {
			line, more = s.plain(line)
		}
		if err == nil {
			s.ends = append(s.ends, len(s.text))
		}
	}
	if n := len(s.ends) - 1; s.comma == ' ' && n > 0 && err == nil && len(s.text) == s.ends[n-1] {
		s.ends, s.lines = s.ends[:n], s.lines[:n] // a space at the end of a line is not a delimiter
	}
	from := 0
	for _, to := range s.ends {
		s.fields = append(s.fields, s.text[from:to])
		from = to
	}
	return err
}

// isComment reports whether a line begins with #, after spaces.
func isComment(line []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("#"))
}

// plain reads a field that does not begin with a quote: others are text, as in 5" or 7°25'36". more: another
// field follows in rest.
func (s *splitter) plain(line []byte) (rest []byte, more bool) {
	field := line
	if i := bytes.IndexRune(line, s.comma); i >= 0 {
		field, rest, more = line[:i], line[i+utf8.RuneLen(s.comma):], true
	}
	s.text = append(s.text, field...)
	return rest, more
}

// quoted reads a field after its opening quote, from as many lines as it spans.
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
				if string(s.text[from:]) == Cut[1:] {
					err = errCut
				}
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

// start reads up to the first line that is not blank, without a byte order mark.
func start(in *chunks) (text []byte, line string, err error) {
	for len(text) <= mostLine {
		more, err := in.read(nil)
		if err == io.EOF {
			return text, "", nil
		} else if err != nil {
			return nil, "", longLine(err, in.source, bytes.Count(text, []byte("\n"))+1)
		}
		if text == nil {
			if endsInCR(more) {
				return nil, "", errCR(in.source)
			}
			more = bytes.TrimPrefix(more, []byte("\ufeff"))
		}
		text = append(text, more...)
		if rest := bytes.TrimLeftFunc(more, unicode.IsSpace); len(rest) > 0 {
			blank := more[:len(more)-len(rest)]
			first, _, _ := bytes.Cut(more[bytes.LastIndexByte(blank, '\n')+1:], []byte("\n"))
			return text, string(first), nil
		}
	}
	return nil, "", &Error{Source: in.source, Msg: "the first 64 MB are blank lines"}
}
