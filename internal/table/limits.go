package table

import (
	"bytes"
	"errors"
)

// Limits of a text, to bound the memory. Without them a quote that is never closed, or a text without ends of
// lines, would be read into memory several times before it is an error.
const (
	mostColumns = 1 << 20  // fields of a line; a field with its name takes about 100 bytes
	mostQuoted  = 1 << 20  // bytes of a quoted field
	mostLine    = 64 << 20 // bytes of a line, or of a row of many lines
	longStart   = 1 << 20  // bytes without LF, after which a CR is taken for an end of line
)

var (
	errLongQuote  = errors.New("a quoted field of more than 1 MB; is its quote closed?")
	errLongLine   = errors.New("a line of more than 64 MB")
	errLongRow    = errors.New("a row of more than 64 MB, on many lines")
	errManyFields = errors.New("a line of more than 1048576 fields")
)

// longLine adds the place to errLongLine.
func longLine(err error, source string, line int) error {
	if err == errLongLine {
		return &Error{Source: source, Line: line, Msg: err.Error()}
	}
	return err
}

// endsInCR reports whether lines end in CR alone. A CR at the very end does not count.
func endsInCR(text []byte) bool {
	text = text[:min(len(text), longStart)]
	return bytes.IndexByte(text, '\n') < 0 && bytes.IndexByte(bytes.TrimSpace(text), '\r') >= 0
}

func errCR(source string) *Error {
	return &Error{Source: source, Msg: "the lines end in CR alone; convert them to LF"}
}
