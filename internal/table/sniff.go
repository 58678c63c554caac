package table

import "bytes"

// sniffSize is how many bytes are searched for NUL. The usual binary formats of
// tables have one there.
const sniffSize = 512

// otherTables are the formats of tables that the module convert reads, by their first bytes.
var otherTables = []struct{ magic, name string }{
	{"PAR1", "a Parquet file"}, {"ARROW1", "an Arrow file"}, {"\xff\xff\xff\xff", "an Arrow stream"},
	{"PK\x03\x04", "a zip file, as .xlsx and .npz are"}, {"MATLAB 5.0 MAT-file", "a MATLAB file"},
}

// sniff reads the start of a text and keeps it in head. It returns an error if the
// text is UTF-16, gzip or binary. It waits for two bytes only.
func (c *chunks) sniff() error {
	b := make([]byte, sniffSize)
	n := 0
	for idle := 0; n < 2 && c.headErr == nil && idle < 100; idle++ { // then chunks.read gives up
		var some int
		some, c.headErr = c.r.Read(b[n:])
		n += some
	}
	if c.head = b[:n]; n == 0 {
		c.err = c.headErr
	}
	for _, other := range otherTables {
		if bytes.HasPrefix(c.head, []byte(other.magic)) {
			return &Error{Source: c.source, Msg: "this is " + other.name + "; softkmeans-convert " + c.source + " | softkmeans … reads it"}
		}
	}
	msg := ""
	switch {
	case bytes.HasPrefix(c.head, []byte("\xff\xfe")), bytes.HasPrefix(c.head, []byte("\xfe\xff")):
		if c.guess {
			c.fromUTF16()
			return nil
		}
		msg = "the text is UTF-16; save it as UTF-8"
	case bytes.HasPrefix(c.head, []byte("\x1f\x8b")):
		msg = "this is a gzip file; unpack it first"
	case bytes.IndexByte(c.head, 0) >= 0:
		msg = "this is a binary file, not text"
	default:
		return nil
	}
	return &Error{Source: c.source, Msg: msg}
}
