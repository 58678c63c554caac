package table

import (
	"bufio"
	"bytes"
	"io"
	"strings"

	"softkmeans/internal/csv"
)

// sniffSize is how many bytes tell the format. The usual binary formats of tables have a NUL there.
const sniffSize = readSize

// otherTables are the formats of other files by their first bytes and, for some, by what their start
// holds as well (in lower case), and what to do with them. The module convert reads those without. The
// names of Parquet and Arrow go on with what no name of a column has.
var otherTables = []struct{ magic, holds, is, do string }{
	{"PAR1\x15", "", "a Parquet file", ""},
	{"ARROW1\x00", "", "an Arrow file", ""},
	{"\xff\xff\xff\xff", "", "an Arrow stream", ""},
	{"PK\x03\x04", "", "a zip file, as .xlsx and .npz are", ""},
	{"MATLAB 5.0 MAT-file", "", "a MATLAB file", ""},
	{"##TITLE=", "", "a JCAMP-DX file, whose ##XYDATA is read", ""},
	{"\x89HDF\r\n", "", hdf5, saveAs},
	{"MATLAB 7.3 MAT-file", "", hdf5, saveAs},
	{"\xd0\xcf\x11\xe0", "", "an OLE file, as old Excel (.xls) and programs of spectrometers write",
		"export it as text"},
	{"\\begin{", "", "LaTeX", "keep the lines with &, without \\\\, and give -delimiter '&'"},
	{"||", "||\n|", "a table of Jira", "save it as CSV"},
	{"@", "@relation ", arff, belowData}, {"%", "\n@relation ", arff, belowData},
	{"$SPEC_ID:", "", "an .Spe file of one spectrum", "make a table with the counts of each file on a line"},
	{"SPECT", "begin_data", "a CGATS file", "keep the lines of its names and its data"},
	{"BEGIN IONS", "", "an MGF file of peaks", "make a table of bins of them"},
	{"<", "", "HTML or XML, as some programs name .xls", "export it as CSV"},
	{"{", "biological observation matrix", "a BIOM table", "biom convert --to-tsv makes text of it"},
	{"{\"", "", "JSON", "save it as CSV"}, {"{\n", "", "JSON", "save it as CSV"},
	{"[{", "", "JSON", "save it as CSV"}, {"[\n", "", "JSON", "save it as CSV"},
	{"\x1f\x8b", "", "a gzip file", "unpack it first"},
}

const (
	hdf5   = "an HDF5 file, as MATLAB (-v7.3; save with -v7) and BIOM (biom convert --to-tsv) write"
	saveAs = "save it as text or .npy"

	arff      = "an ARFF file of Weka"
	belowData = "keep the lines below @data that do not begin with %, and write the names of the attributes " +
		"above them, with commas"
)

// otherTable says what a binary table is and what reads it; "" if head is not the start of one.
func otherTable(head []byte, source string) string {
	is, do, isSPC := "", "", strings.HasSuffix(strings.ToLower(source), ".spc")
	if isSPC && len(head) > 1 && head[1] >= 0x4b && head[1] <= 0x4d {
		is = "an SPC file of Galactic"
	}
	unix := bytes.ToLower(bytes.ReplaceAll(head, []byte("\r\n"), []byte("\n")))
	for _, other := range otherTables {
		if is == "" && bytes.HasPrefix(head, []byte(other.magic)) && bytes.Contains(unix, []byte(other.holds)) {
			is, do = other.is, other.do
		}
	}
	switch {
	case is == "":
		return ""
	case do == "":
		do = "softkmeans-convert " + shellWord(source) + " | softkmeans … - reads it"
	}
	return "this is " + is + "; " + do
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

// sniff looks at the start of a text, of which it waits for two bytes only. It makes UTF-8 of UTF-16,
// and LF of ends of lines that are CR alone, as Excel for the Mac writes. It returns an error for other
// formats.
func (c *chunks) sniff() error {
	_, _ = c.r.Peek(2) // its error is found again
	b, _ := c.r.Peek(min(c.r.Buffered(), sniffSize))
	first, _, lf := bytes.Cut(b, []byte("\n"))
	quoted := lf && bytes.IndexByte(first, '"') >= 0 // part of a field
	msg := otherTable(b, c.source)
	switch {
	case msg != "":
	case bytes.HasPrefix(b, []byte("\xff\xfe")), bytes.HasPrefix(b, []byte("\xfe\xff")):
		_, _ = c.r.Discard(2)
		c.r = bufio.NewReaderSize(csv.UTF16(c.r, b[0] == 0xff), readSize)
		return c.sniff()
	case bytes.IndexByte(b, 0) >= 0:
		msg = "this is a binary file, not text"
	case !quoted && bytes.IndexByte(bytes.TrimSpace(first), '\r') >= 0:
		c.r = bufio.NewReaderSize(&macLines{r: c.r}, readSize)
		return nil
	default:
		return nil
	}
	return &Error{Source: c.source, Msg: msg}
}

// macLines reads a text with LF in place of each CR, and of CR with LF, which may be in quotes.
type macLines struct {
	r  io.Reader
	cr bool // the last byte was a CR
}

func (m *macLines) Read(b []byte) (int, error) {
	n, err := m.r.Read(b)
	text := b[:0]
	for _, c := range b[:n] {
		if c == '\r' {
			text = append(text, '\n')
		} else if !(m.cr && c == '\n') {
			text = append(text, c)
		}
		m.cr = c == '\r'
	}
	return len(text), err
}
