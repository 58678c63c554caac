// Package sparse reads tables of which a file has only some entries: MatrixMarket
// (Boisvert, Pozo & Remington 1996, NISTIR 5935) and the rows of svmlight and libsvm.
// Errors name file, line and field, as those of package table do. Memory grows with what
// is read, whatever a header says.
package sparse

import (
	"bufio"
	"bytes"
	"io"
	"math"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/internal/number"
	"softkmeans/internal/table"
)

// Format is a format of sparse files.
type Format int

const (
	None         Format = iota // another kind of file
	MatrixMarket               // begins with %%MatrixMarket
	SVMLight                   // label index:value index:value …
)

// Table is the content of a file.
type Table struct {
	X      *softkmeans.SparseMatrix // at least a row and a column
	Full   bool                     // the file has all entries: an array of MatrixMarket
	Labels []float64                // SVMLight: of every row
	Note   string                   // SVMLight: from where columns are counted
}

// Read reads a file of the format. least is the least number of columns of SVMLight, where
// the file does not say it.
func Read(in io.Reader, source string, f Format, least int) (*Table, error) {
	l := &lines{in: bufio.NewReaderSize(in, 1<<16), source: source}
	if f == SVMLight {
		return readSVMLight(l, least)
	}
	return readMarket(l)
}

// Sizes that entries do not fill. A file may have 2^20 rows or columns, and 16 more for each
// entry: the memory for them is then at most some 100 MB, or a multiple of the file.
const (
	mostUnfilled = 1 << 20
	mostForEntry = 16
)

// checkSize returns an error for a size that the number of entries makes unlikely.
func (l *lines) checkSize(size, entries int, what string) error {
	if size/mostForEntry <= entries || size <= mostUnfilled {
		return nil
	}
	return l.whole(strconv.Itoa(size) + " " + what + " for " + strconv.Itoa(entries) +
		" entries; a file may have " +
		strconv.Itoa(mostUnfilled) + ", or " + strconv.Itoa(mostForEntry) + " for each entry")
}

// sniffed is how many bytes a reader needs for Sniff, and labelLines how many lines with a
// label alone Sniff passes over.
const (
	sniffed    = 4096
	labelLines = 10
)

// NewReader returns a reader for Sniff. Its buffer holds enough for package table to recognize other formats.
func NewReader(in io.Reader) *bufio.Reader { return bufio.NewReaderSize(in, 1<<16) }

// Sniff finds out the format of a text by its first bytes, which it does not consume. It
// waits for no more than the first line that tells. rows is whether the text may be
// SVMLight: a CSV file with times of the day could look like it.
func Sniff(b *bufio.Reader, rows bool) Format {
	for n := 1; ; {
		_, err := b.Peek(n)
		start, _ := b.Peek(b.Buffered())
		f, more := guess(start, rows)
		if !more {
			return f
		}
		if n = len(start) + 1; err != nil || n > sniffed {
			f, _ = guess(append(start[:len(start):len(start)], '\n'), rows)
			return f
		}
	}
}

const (
	banner = "%%matrixmarket"
	mark   = "\ufeff" // of the byte order, which some editors write first
)

// guess does what Sniff does, given the start of a text. more is true where it does not tell yet.
func guess(start []byte, rows bool) (f Format, more bool) {
	start = bytes.TrimPrefix(start, []byte(mark))
	whole := banner
	if len(start) > 1 && start[0] == '%' && start[1] != '%' { // as all files of networkrepository.com
		whole = banner[1:]
	}
	if head := strings.ToLower(string(start[:min(len(start), len(whole))])); strings.HasPrefix(whole, head) {
		return MatrixMarket, len(head) < len(whole)
	}
	if text := bytes.TrimLeft(start, " \t\r\n"); !rows || len(text) > 0 &&
		!bytes.ContainsRune([]byte("0123456789+-.#"), rune(text[0])) {
		return None, false
	}
	for seen := 0; seen < labelLines; {
		line, rest, whole := bytes.Cut(start, []byte("\n"))
		if start = rest; !whole {
			line = line[:max(0, bytes.LastIndexAny(line, " \t")+1)] // the last field may be cut
		}
		line, _, _ = bytes.Cut(line, []byte("#"))
		label, fields := false, 0
		for field := range bytes.FieldsSeq(line) {
			switch {
			case !label:
				if label = isLabel(field); !label {
					return None, false
				}
				seen++
			case fields == 0 && bytes.HasPrefix(field, []byte("qid:")):
			case isEntry(field):
				fields++
			default:
				return None, false
			}
		}
		switch {
		case fields > 0:
			return SVMLight, false
		case !whole:
			return None, true
		}
	}
	return None, false
}

// isLabel reports whether a field is a number, or several with commas between them.
func isLabel(field []byte) bool {
	for one := range bytes.SplitSeq(field, []byte(",")) {
		if _, end, ok := number.Scan(one, 0); !ok || end < len(one) {
			return false
		}
	}
	return true
}

// isEntry reports whether a field begins like an entry of SVMLight: whole number, colon,
// number. What follows the number may be wrong, but is no second colon.
func isEntry(field []byte) bool {
	_, at, ok := count(field, 0)
	return ok && at+1 < len(field) && field[at] == ':' && bytes.IndexByte(field[at+1:], ':') < 0
}

// count reads a whole number of at most 2^31−1 from text[i:] and returns where it ends. A
// larger one is not ok.
func count(text []byte, i int) (n, end int, ok bool) {
	from, v := i, int64(0)
	for i < len(text) && text[i]-'0' <= 9 {
		if v = 10*v + int64(text[i]-'0'); v > math.MaxInt32 {
			return 0, from, false
		}
		i++
	}
	return int(v), i, i > from
}

// mostLine is the largest number of bytes of a line, as in package table.
const mostLine = 64 << 20

// lines reads a text line by line.
type lines struct {
	in     *bufio.Reader
	source string
	line   int // the number of the line read last
	long   []byte
}

// next returns the next line without its end, valid until the next call. The error is
// io.EOF after the last one.
func (l *lines) next() ([]byte, error) {
	text, err := l.in.ReadSlice('\n')
	if l.line++; err == bufio.ErrBufferFull {
		l.long = append(l.long[:0], text...)
		for err == bufio.ErrBufferFull {
			if len(l.long) > mostLine {
				return nil, l.fault(0, "a line of more than 64 MB")
			}
			text, err = l.in.ReadSlice('\n')
			l.long = append(l.long, text...)
		}
		text = l.long
	}
	if err != nil && (err != io.EOF || len(text) == 0) {
		if err != io.EOF && !strings.Contains(err.Error(), l.source+":") {
			err = l.fault(0, err.Error())
		}
		return nil, err
	}
	if l.line == 1 {
		text = bytes.TrimPrefix(text, []byte(mark))
	}
	return bytes.TrimSpace(text), nil
}

// fault returns an error in a field of the line read last, from 1; 0: in the line.
func (l *lines) fault(field int, msg string) error {
	return &table.Error{Source: l.source, Line: l.line, Column: field, Msg: msg}
}

// whole returns an error about the file.
func (l *lines) whole(msg string) error { return &table.Error{Source: l.source, Msg: msg} }

func quote(text []byte, i int) string {
	field := quoted(text, i)
	if len(field) > 40 {
		return strconv.Quote(string(field[:40]) + "…")
	}
	return strconv.Quote(string(field))
}

// skip returns where the next field begins.
func skip(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
		i++
	}
	return i
}

func ends(text []byte, i int) bool { return i == len(text) || text[i] == ' ' || text[i] == '\t' }

// number reads the number at text[i:], which is a field, or the end of one.
func (l *lines) number(text []byte, i, field int) (v float64, end int, err error) {
	v, end, ok := number.Scan(text, i)
	switch {
	case ok && ends(text, end):
		return v, end, nil
	case i == len(text):
		return 0, 0, l.fault(field, "a number is missing")
	}
	msg := quote(text, i) + " is not a number"
	if v, err := strconv.ParseFloat(string(quoted(text, i)), 64); v != 0 && v-v != 0 &&
		(err == nil || math.IsInf(v, 0)) {
		msg = quote(text, i) + " is not a finite number"
	}
	return 0, 0, l.fault(field, msg)
}

func quoted(text []byte, i int) []byte {
	if end := bytes.IndexAny(text[i:], " \t"); end >= 0 {
		return text[i : i+end]
	}
	return text[i:]
}
