package table

import (
	"bytes"
	"errors"
)

// What a text may take of memory before it is an error. Without limits one quote
// that is never closed, or a text without ends of lines, is all read into memory,
// many times over, before anything can be said of it.
const (
	mostColumns = 1 << 20  // fields of a line: each takes some 100 bytes, with its name
	mostQuoted  = 1 << 20  // bytes of a quoted field
	mostLine    = 64 << 20 // bytes of a line, or of a row of many lines
	longStart   = 1 << 20  // how far an end of line is looked for before CR is taken for one
)

var (
	errLongQuote  = errors.New("a quoted field of more than 1 MB; is its quote closed?")
	errLongLine   = errors.New("a line of more than 64 MB")
	errLongRow    = errors.New("a row of more than 64 MB, on many lines")
	errManyFields = errors.New("a line of more than 1048576 fields")
)

// longLine is errLongLine with its place, which only who counts lines knows; other
// errors are as they were.
func longLine(err error, source string, line int) error {
	if err == errLongLine {
		return &Error{Source: source, Line: line, Msg: err.Error()}
	}
	return err
}

// endsInCR reports whether the beginning of a text, or all of it, has lines that
// end in CR alone. One CR at its very end is harmless.
func endsInCR(text []byte) bool {
	text = text[:min(len(text), longStart)]
	return bytes.IndexByte(text, '\n') < 0 && bytes.IndexByte(bytes.TrimSpace(text), '\r') >= 0
}

func errCR(source string) *Error {
	return &Error{Source: source, Msg: "the lines end in CR alone; convert them to LF"}
}
