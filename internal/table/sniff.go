package table

import (
	"bytes"
	"strings"
)

// sniffSize is how many bytes are searched for NUL. The usual binary formats of tables have one there.
const sniffSize = 512

// otherTables are the formats of tables that the module convert reads, by their first
// bytes. Those of Parquet and Arrow go on with what no name of a column has.
var otherTables = []struct{ magic, name string }{
	{"PAR1\x15", "a Parquet file"}, {"ARROW1\x00", "an Arrow file"}, {"\xff\xff\xff\xff", "an Arrow stream"},
	{"PK\x03\x04", "a zip file, as .xlsx and .npz are"}, {"MATLAB 5.0 MAT-file", "a MATLAB file"},
	{"##TITLE=", "a JCAMP-DX file, whose ##XYDATA is read"},
}

// otherTable says what a binary table is and what reads it; "" if head is not the start of one.
func otherTable(head []byte, source string) string {
	has := func(magic string) bool { return bytes.HasPrefix(head, []byte(magic)) }
	name := ""
	for _, other := range otherTables {
		if has(other.magic) {
			name = other.name
		}
	}
	isSPC := strings.HasSuffix(strings.ToLower(source), ".spc")
	if isSPC && len(head) > 1 && head[1] >= 0x4b && head[1] <= 0x4d {
		name = "an SPC file of Galactic"
	}
	if name != "" {
		return "this is " + name + "; softkmeans-convert " + shellWord(source) +
			" | softkmeans … - reads it"
	}
	switch {
	case has("\x89HDF\r\n"), has("MATLAB 7.3 MAT-file"):
		return "this is an HDF5 file, as MATLAB (-v7.3; save with -v7) and BIOM (biom convert --to-tsv) " +
			"write; save it as text or .npy"
	case has("\xd0\xcf\x11\xe0"):
		return "this is an OLE file, as old Excel (.xls) and programs of spectrometers write; export it as text"
	case has("{") && bytes.Contains(head, []byte("Biological Observation Matrix")):
		return "this is a BIOM table; biom convert --to-tsv makes text of it"
	case has("<"):
		return "this is HTML or XML, as some programs name .xls; export it as CSV"
	case has("{\""), has("[{"), has("{\n"), has("[\n"):
		return "this is JSON; save it as CSV"
	}
	return ""
}

// shellWord is a file's name as one word of a shell; FILE for standard input.
func shellWord(name string) string {
	plain := func(r rune) bool {
		return strings.ContainsRune("._/-+=@:,%0123456789", r) || isLetter(r) || r > 0x7f
	}
	switch {
	case name == "<stdin>":
		return "FILE"
	case strings.TrimFunc(name, plain) == "" && name != "":
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
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
	if msg := otherTable(c.head, c.source); msg != "" {
		return &Error{Source: c.source, Msg: msg}
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
