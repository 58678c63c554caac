package table

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"unicode"

	"softkmeans/internal/csv"
)

const (
	mostColumns = csv.MostFields
	mostLine    = csv.MostLine
	longStart   = 1 << 20 // bytes without LF, after which a CR is taken for an end of line
	// chunkSize is the bytes of a chunk: enough that passing chunks between goroutines
	// costs little, and few enough for the cache of a core.
	chunkSize = 1 << 19
)

// chunks cuts a text into chunks of complete lines.
type chunks struct {
	r      io.Reader
	source string
	size   int
	guess  bool   // UTF-16 is taken for UTF-8
	begun  bool   // a line has been returned
	rest   []byte // lines that are read again
	tail   []byte // the incomplete line with which the next chunk starts
	err    error  // the error of r, or a fault of the text that ends it
	trial         // with Guess
}

// read returns rest, or the next lines in buf's memory: at least one, and about size bytes of them. It returns
// fewer if r has no more at the time, so that an error in a line is reported before the next line arrives. Every
// line but the last of the text ends in LF. The error is io.EOF, errLongLine, a *Error, or that of r after
// readError; then there are no lines.
func (c *chunks) read(buf []byte) (text []byte, err error) {
	if len(c.rest) > 0 {
		text, c.rest = c.rest, nil
		return text, nil
	}
	buf = append(buf[:0], c.tail...)
	c.tail = c.tail[:0]
	limit := max(c.size, len(buf)+1)
	end := 0 // of the lines
	for idle := 0; c.err == nil; {
		if len(buf) == limit { // no line ends in buf
			if !c.begun && len(buf) >= longStart && endsInCR(buf) {
				c.err = errCR(c.source)
				break
			} else if len(buf) > mostLine {
				c.err = errLongLine
				break
			}
			limit = min(2*limit, mostLine+1)
		}
		if len(buf) == cap(buf) {
			buf = slices.Grow(buf, min(limit-len(buf), max(len(buf), 1<<16)))
		}
		space := min(cap(buf), limit) - len(buf)
		n, err := c.r.Read(buf[len(buf) : len(buf)+space])
		c.err = err
		buf = buf[:len(buf)+n]
		if i := bytes.LastIndexByte(buf[len(buf)-n:], '\n'); i >= 0 {
			end = len(buf) - n + i + 1
		}
		switch {
		case n == 0:
			if idle++; idle == 100 && err == nil {
				c.err = io.ErrNoProgress
			}
		case end > 0 && err == nil && (n < space || len(buf) == limit):
			c.tail = append(c.tail, buf[end:]...)
			c.begun = true
			return buf[:end], nil
		default:
			idle = 0
		}
	}
	if c.err != io.EOF { // an incomplete line is dropped
		buf = buf[:end]
	}
	switch {
	case len(buf) > 0:
		c.begun = true
		return buf, nil
	case c.err == io.EOF, c.err == errLongLine:
		return nil, c.err
	}
	return nil, readError(c.source, c.err)
}

var errLongLine = errors.New("a line of more than 64 MB")

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
			more = bytes.TrimPrefix(more, []byte("\ufeff"))
		}
		text = append(text, more...)
		if rest := bytes.TrimLeftFunc(more, unicode.IsSpace); len(rest) > 0 {
			blank := more[:len(more)-len(rest)]
			first, _, ends := bytes.Cut(more[bytes.LastIndexByte(blank, '\n')+1:], []byte("\n"))
			if bytes.IndexByte(bytes.TrimSpace(first), '\r') >= 0 && !(ends && bytes.IndexByte(first, '"') >= 0) {
				return nil, "", errCR(in.source) // in quotes it may be part of a field
			}
			return text, string(first), nil
		}
	}
	return nil, "", &Error{Source: in.source, Msg: "the first 64 MB are blank lines"}
}

// chunk is some lines of the text and, if parsed, the rows in them.
type chunk struct {
	text   []byte
	part   part
	parser *parser // of an ahead
	parsed bool
	err    error         // if it is set there is no text
	done   chan struct{} // receives a value when a worker has finished the chunk
}

// feed delivers chunks in order.
type feed interface {
	// next returns the next chunk, with an error of chunks.read behind the last. It takes the memory of the
	// one before; nil: there is none.
	next(last *chunk) *chunk
	close()
}

// serial reads a chunk when next is called. Its chunks are not parsed.
type serial struct {
	in    *chunks
	chunk chunk
}

func (s *serial) next(*chunk) *chunk {
	s.chunk.text, s.chunk.err = s.in.read(s.chunk.text)
	return &s.chunk
}

func (s *serial) close() {}
