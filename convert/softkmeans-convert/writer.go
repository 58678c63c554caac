package main

import (
	"bufio"
	"errors"
	"io"
	"strconv"
	"strings"

	"softkmeans/internal/csv"
)

// errOutput marks errors of the output, which are not the file's.
var errOutput = errors.New("output")

// writer writes CSV, cell by cell, or bytes. It keeps the first error for flush.
type writer struct {
	b     *bufio.Writer
	cells int // in the line so far
	lines bool
	num   []byte
}

func newWriter(out io.Writer) *writer { return &writer{b: bufio.NewWriterSize(out, 1<<16)} }

func (w *writer) flush() error {
	if err := w.b.Flush(); err != nil {
		return errors.Join(errOutput, err)
	}
	return nil
}

// cut ends a table that has failed, so that a reader on a pipe does not take it for a whole
// one. An array in bytes needs nothing: its end stays in the buffer, and its header promises it.
func (w *writer) cut() {
	if !w.lines {
		return
	}
	if w.cells > 0 {
		w.b.WriteByte(',')
	}
	w.b.WriteString(csv.Cut)
	w.b.Flush()
}

// Write is io.Writer's.
func (w *writer) Write(p []byte) (int, error) {
	n, err := w.b.Write(p)
	if err != nil {
		err = errors.Join(errOutput, err)
	}
	return n, err
}

func (w *writer) next() {
	if w.cells > 0 {
		w.b.WriteByte(',')
	}
	w.cells++
}

// number writes v with as many digits as give it back.
func (w *writer) number(v float64) {
	w.next()
	w.num = strconv.AppendFloat(w.num[:0], v, 'g', -1, 64)
	w.b.Write(w.num)
}

// text writes a cell of text. It is in quotes where something in it could be taken for a
// delimiter or the start of a comment.
func (w *writer) text(s string) {
	if s == "" || !strings.ContainsAny(s, "\",;|#\t\r\n") && s[0] != ' ' && s[len(s)-1] != ' ' {
		w.plain(s)
		return
	}
	w.quoted(s)
}

// plain writes a cell as it is: a number, or nothing.
func (w *writer) plain(s string) {
	w.next()
	w.b.WriteString(s)
}

// quoted writes a cell in quotes. Names are in quotes always, because softkmeans would take
// names that are numbers for a row.
func (w *writer) quoted(s string) {
	w.next()
	w.b.WriteByte('"')
	w.b.WriteString(strings.ReplaceAll(s, `"`, `""`))
	w.b.WriteByte('"')
}

// end ends the line.
func (w *writer) end() {
	w.b.WriteByte('\n')
	w.cells, w.lines = 0, true
}
