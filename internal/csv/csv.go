// Package csv splits CSV text into records after RFC 4180, and makes UTF-8 of other encodings.
//
// Package encoding/csv splits text into the same records, as the tests hold. But here quotes within a field
// that does not begin with one are text. That package is not used because it imports fmt and reflect, which
// would double a small WebAssembly file.
package csv

import (
	"bytes"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of a text, to bound the memory. Without them a quote that is never closed, or a text without ends of
// lines, would be read into memory several times before it is an error.
const (
	MostFields = 1 << 20  // of a line; a field with its name takes about 100 bytes
	MostLine   = 64 << 20 // bytes of a line, or of a row of many lines
	mostQuoted = 1 << 20  // bytes of a quoted field
)

// Fault is an error in a record, and its place.
type Fault struct {
	Line, Field int // from 1; field 0 is all of the record
	Msg         string
}

func (f *Fault) Error() string { return f.Msg }

// Cut is what softkmeans-convert writes after the rows of a table that it cannot complete. Its
// quote stays open, so that no reader takes it for a row.
const Cut = `"softkmeans-convert failed here`

// Splitter reads records. A quoted field may hold delimiters, ends of lines, and
// doubled quotes. CRLF counts as LF everywhere.
type Splitter struct {
	Rest  []byte                 // complete lines
	More  func() ([]byte, error) // returns the text after rest; nil: there is none
	Comma rune
	trim  bool // skip white space before a field
	Hash  bool // lines that begin with # are comments

	// The last record. It is valid until Next is called again.
	Fields [][]byte
	Lines  []int // the line on which each field starts, from 1
	Start  int   // the line on which the record starts
	Quotes []int // the fields that are in quotes, from 0
	End    int   // the line on which it ends

	Comment int // the line of the last comment before the record; 0: none

	text []byte // the fields of the record, one after another
	ends []int  // where each ends in text
	size int    // of the record's lines after the first, in bytes
}

// New returns a Splitter of complete lines. White space before a field is skipped, except beside tabs.
func New(text []byte, comma rune) Splitter {
	// Skipping spaces makes one delimiter of several spaces. With tabs it would skip empty fields.
	return Splitter{Rest: text, Comma: comma, trim: comma != '\t'}
}

// ValidComma reports whether a character can be a delimiter.
func ValidComma(r rune) bool {
	return r > 0 && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("\"\r\n\ufffd", r) &&
		utf8.ValidRune(r)
}

// line returns the next line without its end; newline reports whether it has one. At
// the end of the text the error is io.EOF.
func (s *Splitter) line() (line []byte, newline bool, err error) {
	if len(s.Rest) == 0 {
		if s.More == nil {
			return nil, false, io.EOF
		}
		if s.Rest, err = s.More(); err != nil {
			return nil, false, err
		}
	}
	line, s.Rest, newline = bytes.Cut(s.Rest, []byte("\n"))
	s.End++
	return bytes.TrimSuffix(line, []byte("\r")), newline, nil
}

// Next reads a record into Fields, skipping empty lines. At the end of the text the error is io.EOF. Others are
// a *Fault, for which Fields holds the fields before the bad one, or an error of More.
func (s *Splitter) Next() error {
	s.text, s.ends, s.Lines, s.Fields = s.text[:0], s.ends[:0], s.Lines[:0], s.Fields[:0]
	s.size, s.Comment, s.Quotes = 0, 0, s.Quotes[:0]
	line, newline, err := s.line()
	for err == nil && (len(line) == 0 || s.Hash && IsComment(line)) {
		if len(line) > 0 {
			s.Comment = s.End
		}
		line, newline, err = s.line()
	}
	if err != nil {
		return err
	}
	s.Start = s.End
	for more := true; more && err == nil; {
		if s.trim {
			line = bytes.TrimLeftFunc(line, unicode.IsSpace)
		}
		if len(s.Lines) == MostFields {
			err = &Fault{s.Start, 0, "a line of more than 1048576 fields"}
			break
		}
		s.Lines = append(s.Lines, s.End)
		if len(line) > 0 && line[0] == '"' {
			s.Quotes = append(s.Quotes, len(s.ends))
			line, newline, more, err = s.quoted(line[1:], newline)
		} else {
			line, more = s.plain(line)
		}
		if err == nil {
			s.ends = append(s.ends, len(s.text))
		}
	}
	if n := len(s.ends) - 1; s.Comma == ' ' && n > 0 && err == nil && len(s.text) == s.ends[n-1] {
		s.ends, s.Lines = s.ends[:n], s.Lines[:n] // a space at the end of a line is not a delimiter
	}
	from := 0
	for _, to := range s.ends {
		s.Fields = append(s.Fields, s.text[from:to])
		from = to
	}
	return err
}

// IsComment reports whether a line begins with #, after spaces.
func IsComment(line []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("#"))
}

// plain reads a field that does not begin with a quote: others are text, as in 5" or 7°25'36". more: another
// field follows in rest.
func (s *Splitter) plain(line []byte) (rest []byte, more bool) {
	field := line
	if i := bytes.IndexRune(line, s.Comma); i >= 0 {
		field, rest, more = line[:i], line[i+utf8.RuneLen(s.Comma):], true
	}
	s.text = append(s.text, field...)
	return rest, more
}

// quoted reads a field after its opening quote, from as many lines as it spans.
func (s *Splitter) quoted(line []byte, newline bool) (rest []byte, _, more bool, err error) {
	from := len(s.text)
	for {
		i := bytes.IndexByte(line, '"')
		n := i
		if i < 0 {
			n = len(line)
		}
		if len(s.text)-from+n > mostQuoted {
			return nil, false, false, &Fault{s.Lines[len(s.ends)], len(s.ends) + 1,
				"a quoted field of more than 1 MB; is its quote closed?"}
		}
		if i < 0 {
			s.text = append(s.text, line...)
			if newline {
				s.text = append(s.text, '\n')
			}
			if line, newline, err = s.line(); err == io.EOF {
				open := s.open()
				if err = open; string(s.text[from:]) == Cut[1:] {
					open.Msg = Cut[1:] + ", and the rest of its table is missing; its own error says why"
				}
			}
			if s.size += len(line) + 1; err == nil && s.size > MostLine {
				err = &Fault{s.Start, 0, "a row of more than 64 MB, on many lines"}
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
		case r == s.Comma:
			return line[size:], newline, true, nil
		case r != '"':
			return nil, newline, false, s.open()
		}
		s.text = append(s.text, '"')
		line = line[1:]
	}
}

func (s *Splitter) open() *Fault {
	return &Fault{s.Start, len(s.ends) + 1, `a quoted field that does not end in a quote (")`}
}
