package table

import (
	"bufio"
	"bytes"
	"io"
	"slices"
	"strings"

	"softkmeans/internal/csv"
)

const (
	mostColumns = csv.MostFields
	mostLine    = csv.MostLine
	readSize    = 1 << 16
	// chunkSize is the bytes of a chunk: enough that passing chunks between goroutines
	// costs little, and few enough for the cache of a core.
	chunkSize = 1 << 19
)

// chunks cuts a text into chunks of complete lines.
type chunks struct {
	r      *bufio.Reader
	source string
	size   int
	line   int    // the lines before those that are read next
	rest   []byte // lines that are read again
	tail   []byte // the incomplete line with which the next chunk starts
	err    error  // the error of r, or a fault of the text that ends it
}

// read returns rest, or the next lines in buf's memory: at least one, and about size bytes of them. It
// returns fewer if r has no more at the time, so that an error in a line is reported before the next line
// arrives. Every line but the last of the text ends in LF. The error is io.EOF, a *Error, or an error of r
// that has source in its text. With an error there are no lines.
func (c *chunks) read(buf []byte) (text []byte, err error) {
	if text = c.rest; len(text) == 0 {
		text, err = c.lines(buf)
	}
	c.rest = nil
	c.line += bytes.Count(text, []byte("\n"))
	return text, err
}

// lines is read without rest.
func (c *chunks) lines(buf []byte) ([]byte, error) {
	buf, c.tail = append(buf[:0], c.tail...), c.tail[:0]
	end := 0 // of the lines in buf
	for c.err == nil {
		_, c.err = c.r.Peek(1) // reads once, unless something is left
		more, _ := c.r.Peek(min(c.r.Buffered(), c.size))
		_, _ = c.r.Discard(len(more))
		if i := bytes.LastIndexByte(more, '\n'); i >= 0 {
			end = len(buf) + i + 1
		}
		buf = append(buf, more...)
		full := len(more) == c.r.Size()
		if full && cap(buf)-len(buf) < len(more) {
			buf = slices.Grow(buf, max(c.size, min(len(buf), mostLine-len(buf))))
		}
		switch {
		case end > 0 && c.err == nil && !(full && len(buf) < c.size):
			c.tail = append(c.tail, buf[end:]...)
			return buf[:end], nil
		case end == 0 && len(buf) > mostLine:
			c.err = &Error{Source: c.source, Line: c.line + 1, Msg: "a line of more than 64 MB"}
		}
	}
	if c.err != io.EOF { // an incomplete line is dropped
		buf = buf[:end]
	}
	switch {
	case len(buf) > 0:
		return buf, nil
	case c.err == io.EOF, strings.Contains(c.err.Error(), c.source+":"):
		return nil, c.err
	}
	return nil, &Error{Source: c.source, Msg: c.err.Error(), err: c.err}
}

// peek returns the start of a text, without a byte order mark: size bytes or more, or all of it, and at least
// one line that is not blank.
func (c *chunks) peek(size int) (text []byte, err error) {
	for blank := true; blank || len(text) < size; {
		more, err := c.read(nil)
		if err == io.EOF || err != nil && !blank {
			break // the next read returns it again
		} else if err != nil {
			return nil, err
		}
		if text == nil {
			text = bytes.TrimPrefix(more, []byte("\ufeff"))
		} else {
			text = append(text, more...)
		}
		if blank = blank && absent(more); blank && len(text) > mostLine {
			return nil, &Error{Source: c.source, Msg: "the first 64 MB are blank lines"}
		}
	}
	return text, nil
}

// chunk is some lines of the text and, if parsed, the rows in them.
type chunk struct {
	text   []byte
	line   int // the lines before them
	part   part
	parser *parser       // of ahead
	parsed bool          // ahead parses it
	done   chan struct{} // receives a value when ahead has
	err    error         // of chunks.read; then there is no text
}

// wait waits until a chunk is parsed that is parsed ahead.
func (c *chunk) wait() {
	if c.parsed {
		<-c.done
	}
}
