package table

import (
	"bytes"
	"io"
	"slices"
)

// chunkSize is what a worker has in hand: many times what it takes to hand it
// over, and small enough for the cache of a core.
const chunkSize = 1 << 19

// chunks cuts a text at ends of lines.
type chunks struct {
	r       io.Reader
	source  string
	size    int
	begun   bool   // a line has been returned
	head    []byte // what sniff has read, and the error with it
	headErr error
	tail    []byte // the beginning of a line that the next chunk goes on with
	err     error  // of r, or what is wrong with the text as a whole
}

// read returns the next lines, at least one and about size bytes of them, or fewer
// where r has no more at the time: what is wrong with a line should not wait for
// the next one. buf is room for them. All of them end in LF, but for the last one
// of the text. The error is io.EOF, errLongLine, a *Error, or r's as readError has
// it, and then there are no lines.
func (c *chunks) read(buf []byte) (text []byte, err error) {
	buf = append(buf[:0], c.tail...)
	c.tail = c.tail[:0]
	limit := max(c.size, len(buf)+1)
	end := 0 // of the last whole line
	for idle := 0; c.err == nil; {
		if len(buf) == limit { // and no line ends in it
			switch {
			case !c.begun && len(buf) >= longStart && endsInCR(buf):
				c.err = errCR(c.source)
			case len(buf) > mostLine:
				c.err = errLongLine
			}
			if c.err != nil {
				break
			}
			limit = min(2*limit, mostLine+1)
		}
		if len(buf) == cap(buf) {
			buf = slices.Grow(buf, min(limit-len(buf), max(len(buf), 1<<16)))
		}
		room := min(cap(buf), limit) - len(buf)
		n, err := c.some(buf[len(buf) : len(buf)+room])
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
		case end > 0 && err == nil && (n < room || len(buf) == limit):
			c.tail = append(c.tail, buf[end:]...)
			c.begun = true
			return buf[:end], nil
		default:
			idle = 0
		}
	}
	if c.err != io.EOF { // what is left of a line says nothing
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

// some is r's Read, with what sniff has read before.
func (c *chunks) some(p []byte) (n int, err error) {
	if len(c.head) == 0 {
		return c.r.Read(p)
	}
	n = copy(p, c.head)
	if c.head = c.head[n:]; len(c.head) == 0 {
		err = c.headErr
	}
	return n, err
}

// chunk is a piece of the text and, if it is parsed, the rows in it.
type chunk struct {
	text   []byte
	part   part
	parsed bool
	err    error         // in place of a text
	done   chan struct{} // gets a value when a worker is through with the chunk
}

// feed delivers chunks in order.
type feed interface {
	// next returns the next chunk. The error is chunks.read's.
	next() (*chunk, error)
	// release hands a chunk back, whose memory is used again.
	release(*chunk)
	close()
}

// serial reads a chunk when it is asked for, and leaves it to be parsed.
type serial struct {
	in    *chunks
	rest  []byte // what comes before in
	chunk chunk
}

func (s *serial) next() (*chunk, error) {
	if len(s.rest) > 0 {
		s.chunk.text, s.rest = s.rest, nil
		return &s.chunk, nil
	}
	text, err := s.in.read(s.chunk.text)
	if err != nil {
		return nil, err
	}
	s.chunk.text = text
	return &s.chunk, nil
}

func (s *serial) release(*chunk) {}

func (s *serial) close() {}
