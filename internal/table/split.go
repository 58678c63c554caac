package table

// Splitting CSV text into records, after RFC 4180 and with the results of
// encoding/csv (the tests hold one against the other), which is not used here
// because it brings in fmt and reflection: half of a small WebAssembly file.

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
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
	r     *bufio.Reader
	comma rune
	trim  bool // leave out the white space before a field

	// Of the record that next returned last, valid until it is called again.
	fields []string
	lines  []int // on which each field begins, from 1
	start  int   // the line on which the record begins
	end    int   // and the one on which it ends

	text []byte // the fields of a record, one after the other
	ends []int  // where each ends in text
	long []byte // a line that is longer than r's buffer
}

// validComma reports whether r can be told from all that is not a delimiter.
func validComma(r rune) bool {
	return r != 0 && r != '"' && r != '\r' && r != '\n' && utf8.ValidRune(r) && r != utf8.RuneError
}

// line reads up to and with the next LF. The result is valid until the next
// call; at the end of the text it is empty, and the error io.EOF.
func (s *splitter) line() ([]byte, error) {
	line, err := s.r.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		s.long = s.long[:0]
		for err == bufio.ErrBufferFull {
			s.long = append(s.long, line...)
			line, err = s.r.ReadSlice('\n')
		}
		s.long = append(s.long, line...)
		line = s.long
	}
	switch {
	case err != nil && (err != io.EOF || len(line) == 0):
		return nil, err
	case err == io.EOF:
		line = bytes.TrimSuffix(line, []byte("\r"))
	case bytes.HasSuffix(line, []byte("\r\n")):
		line = line[:len(line)-1]
		line[len(line)-1] = '\n'
	}
	s.end++
	return line, nil
}

// next reads a record into s.fields, passing over empty lines. At the end of
// the text the error is io.EOF; after errBareQuote and errQuote s.fields holds
// the fields before the bad one.
func (s *splitter) next() error {
	s.text, s.ends, s.lines, s.fields = s.text[:0], s.ends[:0], s.lines[:0], s.fields[:0]
	line, err := s.line()
	for err == nil && (len(line) == 0 || line[0] == '\n') {
		line, err = s.line()
	}
	if err != nil {
		return err
	}
	s.start = s.end
	for more := true; more && err == nil; {
		if s.trim {
			line = bytes.TrimLeftFunc(line, unicode.IsSpace)
		}
		s.lines = append(s.lines, s.end)
		if len(line) > 0 && line[0] == '"' {
			line, more, err = s.quoted(line[1:])
		} else {
			line, more, err = s.plain(line)
		}
		if err == nil {
			s.ends = append(s.ends, len(s.text))
		}
	}
	all, from := string(s.text), 0
	for _, to := range s.ends {
		s.fields = append(s.fields, all[from:to])
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
	} else {
		field = bytes.TrimSuffix(field, []byte("\n"))
	}
	if bytes.IndexByte(field, '"') >= 0 {
		return nil, false, errBareQuote
	}
	s.text = append(s.text, field...)
	return rest, more, nil
}

// quoted takes a field whose opening quote is read, from as many lines as it
// spans.
func (s *splitter) quoted(line []byte) (rest []byte, more bool, err error) {
	for {
		i := bytes.IndexByte(line, '"')
		if i < 0 {
			s.text = append(s.text, line...)
			if line, err = s.line(); err == io.EOF {
				err = errQuote
			}
			if err != nil {
				return nil, false, err
			}
			continue
		}
		s.text = append(s.text, line[:i]...)
		line = line[i+1:]
		r, size := utf8.DecodeRune(line)
		switch {
		case size == 0 || r == '\n':
			return nil, false, nil
		case r == s.comma:
			return line[size:], true, nil
		case r != '"':
			return nil, false, errQuote
		}
		s.text = append(s.text, '"')
		line = line[1:]
	}
}

// start returns r without its byte order mark, and the first line that is not
// blank, which r still holds.
func start(r io.Reader, source string) (text *bufio.Reader, line string, err error) {
	b := bufio.NewReaderSize(r, 1<<16)
	mark, _ := b.Peek(3) // an error comes again
	switch {
	case string(mark) == "\ufeff":
		b.Discard(3)
	case bytes.HasPrefix(mark, []byte("\xff\xfe")), bytes.HasPrefix(mark, []byte("\xfe\xff")):
		return nil, "", &Error{Source: source, Msg: "the text is UTF-16; save it as UTF-8"}
	}
	var read strings.Builder
	for strings.TrimSpace(line) == "" {
		line, err = b.ReadString('\n')
		read.WriteString(line)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, "", readError(source, err)
		}
	}
	return bufio.NewReaderSize(io.MultiReader(strings.NewReader(read.String()), b), 1<<16), line, nil
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
