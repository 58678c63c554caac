package modelfile

// The JSON of a model file: a writer and a reader. encoding/json is not used: it needs reflection, takes
// duplicate and unknown fields, and reads null as 0.
//
// The reader takes a byte at a time, and keeps no more bytes than a field declares. Endless input is
// therefore an error before it takes memory.

import (
	"bufio"
	"errors"
	"hash/crc64"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"softkmeans"
	"softkmeans/internal/fault"
)

const (
	mostBytes  = 1 << 30 // of a file
	mostSpace  = 4096    // of white space in a row
	mostName   = 1 << 20 // bytes of a string
	mostCols   = 1 << 22 // columns of a model
	mostNumber = 400     // bytes of a number
)

// writer writes JSON. Its checksum is of all bytes but the white space for people.
type writer struct {
	w     io.Writer
	b     []byte // not yet written
	sum   uint64
	table *crc64.Table // no variable of the package: TinyGo would keep it in every program
	n     int64        // bytes written
	begun bool         // there is a field before the next
	err   error
}

func newWriter(w io.Writer) *writer {
	return &writer{w: w, table: crc64.MakeTable(crc64.ECMA)}
}

// put writes content, which the checksum covers.
func (w *writer) put(text string) { w.from(append(w.b, text...)) }

// from sets w.b to b, which is w.b followed by content, adds the content to the checksum, and writes a full
// buffer.
func (w *writer) from(b []byte) {
	w.sum = crc64.Update(w.sum, w.table, b[len(w.b):])
	if w.b = b; len(b) >= 1<<16 {
		w.flush()
	}
}

// space writes white space, which the checksum leaves out.
func (w *writer) space(text string) { w.b = append(w.b, text...) }

func (w *writer) flush() {
	if w.err == nil {
		var n int
		n, w.err = w.w.Write(w.b)
		w.n += int64(n)
	}
	w.b = w.b[:0]
}

// key begins a field.
func (w *writer) key(name string) {
	if w.begun {
		w.put(",")
	}
	w.begun = true
	w.space("\n\t")
	w.put(`"` + name + `":`)
	w.space(" ")
}

// list writes n items: in a line, or each in a line of its own.
func (w *writer) list(n int, lines bool, item func(i int)) {
	w.put("[")
	for i := range n {
		if i > 0 {
			w.put(",")
		}
		if lines {
			w.space("\n\t\t")
		} else if i > 0 {
			w.space(" ")
		}
		item(i)
	}
	if lines {
		w.space("\n\t")
	}
	w.put("]")
}

// number writes v with the fewest digits that give it back, as JavaScript does, but −0 as -0.
func (w *writer) number(v float64) {
	if !(math.Abs(v) <= math.MaxFloat64) && w.err == nil {
		w.err = fault.New(softkmeans.ErrNonFinite, "the model has the number ", v)
	}
	form := byte('f')
	if size := math.Abs(v); size != 0 && (size < 1e-6 || size >= 1e21) {
		form = 'e'
	}
	b := strconv.AppendFloat(w.b, v, form, -1, 64)
	if n := len(b); form == 'e' && b[n-4] == 'e' && b[n-2] == '0' { // e-07
		b[n-2] = b[n-1]
		b = b[:n-1]
	}
	w.from(b)
}

func (w *writer) integer(v int) { w.put(strconv.Itoa(v)) }

// text writes a string as JSON.stringify does. Each byte that is no UTF-8 becomes U+FFFD.
func (w *writer) text(s string) {
	b := append(w.b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < ' ':
			if at := strings.IndexByte("\b\t\n\f\r", byte(r)); at >= 0 {
				b = append(b, '\\', "btnfr"[at])
			} else {
				b = append(b, '\\', 'u', '0', '0', '0'+byte(r>>4), "0123456789abcdef"[r&15])
			}
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	w.from(append(b, '"'))
}

// reader reads one JSON object. After the first error every read returns a zero value.
type reader struct {
	r    *bufio.Reader
	left int64 // bytes that may be read
	line int
	key  string // of the next field; "" behind the last
	name string // of the field that is being read
	err  error
}

// fail keeps the first error, with its place.
func (r *reader) fail(text string) {
	if r.err != nil {
		return
	}
	if r.name != "" {
		text = r.name + ": " + text
	}
	r.err = fault.New(softkmeans.ErrFormat, "line ", r.line, ": "+text)
}

// byte reads a byte; 0 at the end.
func (r *reader) byte() byte {
	if r.err != nil {
		return 0
	}
	c, err := r.r.ReadByte()
	switch {
	case err == io.EOF:
		r.fail("the model is cut; it ends in the middle")
	case err != nil:
		r.err = err
	case r.left == 0:
		r.fail("more than " + strconv.Itoa(mostBytes) + " bytes, which no model has")
	default:
		r.left--
		if c == '\n' {
			r.line++
		}
		return c
	}
	return 0
}

// next reads the next byte that is not white space.
func (r *reader) next() byte {
	for range mostSpace {
		if c := r.byte(); c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c
		}
	}
	r.fail("more than " + strconv.Itoa(mostSpace) + " bytes of white space in a row")
	return 0
}

// back unreads the byte c.
func (r *reader) back(c byte) {
	if r.err == nil {
		r.r.UnreadByte()
		r.left++
		if c == '\n' {
			r.line--
		}
	}
}

// expect reads the next byte, which must be c.
func (r *reader) expect(c byte, what string) {
	if got := r.next(); got != c {
		r.wrong(got, what)
	}
}

// wrong reports a byte that stands in place of an expected one.
func (r *reader) wrong(got byte, what string) {
	if got == 'n' {
		r.fail("null in place of " + what)
		return
	}
	r.fail(quotedShort(string(rune(got))) + " in place of " + what)
}

// begin reads up to the first field.
func (r *reader) begin() {
	r.expect('{', "an object")
	if c := r.next(); c != '}' {
		r.back(c)
		r.key = string(r.quoted(mostName, "a field"))
	}
}

// field reports whether the next field is name. Its value is next.
func (r *reader) field(name string) bool {
	if r.err != nil || r.key != name {
		return false
	}
	r.name = name
	r.expect(':', "a colon")
	return true
}

// member reads the byte `before` and the name of the next member of an object in a list, up to its value.
func (r *reader) member(before byte, name string) {
	r.expect(before, "the member "+name)
	if got := r.quoted(mostName, "the member "+name); r.err == nil && string(got) != name {
		r.fail(quotedShort(string(got)) + " in place of the member " + name)
	}
	r.expect(':', "a colon")
}

// quotedShort returns the first 40 bytes of s in quotes, for messages.
func quotedShort(s string) string { return strconv.QuoteToASCII(s[:min(len(s), 40)]) }

// done reads from the end of a value to the next.
func (r *reader) done() {
	r.key = ""
	switch c := r.next(); c {
	case ',':
		r.name = ""
		r.key = string(r.quoted(mostName, "a field"))
		if r.key == "" {
			r.fail("a field without a name")
		}
	case '}':
		r.name = ""
	default:
		r.wrong(c, "a comma or the end")
	}
}

// end reads to the end of the file, and fails unless only white space follows the object.
func (r *reader) end() {
	for range mostSpace {
		c, err := r.r.ReadByte()
		if err == io.EOF {
			return
		}
		if err != nil {
			r.err = err
			return
		}
		if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			break
		}
	}
	r.fail("there is more behind the model's end")
}

// list reads at most `most` items.
func (r *reader) list(most int, item func()) (n int) {
	r.expect('[', "a list")
	c := r.next()
	if c == ']' {
		return 0
	}
	r.back(c)
	for r.err == nil {
		if n == most {
			r.fail("more than " + strconv.Itoa(most) + " in a list")
			return n
		}
		item()
		n++
		switch c := r.next(); c {
		case ',':
		case ']':
			return n
		default:
			r.wrong(c, "a comma or the end of the list")
		}
	}
	return n
}

// quoted reads a string of at most `most` bytes.
func (r *reader) quoted(most int, what string) (b []byte) {
	r.expect('"', what)
	for r.err == nil {
		switch c := r.byte(); {
		case r.err != nil:
		case c == '"':
			if !utf8.Valid(b) {
				r.fail("a string that is not UTF-8")
			}
			return b
		case c < ' ':
			r.fail("a control character in a string")
		case c == '\\':
			b = r.escape(b)
		default:
			b = append(b, c)
		}
		if len(b) > most {
			r.fail("a string of more than " + strconv.Itoa(most) + " bytes")
		}
	}
	return nil
}

// word reads a string of at most mostName bytes.
func (r *reader) word() string { return string(r.quoted(mostName, "a text")) }

// escape appends the character that a backslash begins.
func (r *reader) escape(b []byte) []byte {
	c := r.byte()
	if c == 'u' {
		u := r.hex()
		if u>>10 == 0xd800>>10 && r.byte() == '\\' && r.byte() == 'u' { // a pair
			if low := r.hex(); low>>10 == 0xdc00>>10 {
				return utf8.AppendRune(b, (u-0xd800)<<10+(low-0xdc00)+0x10000)
			}
		}
		if u>>11 == 0xd800>>11 {
			r.fail("half of a character in a string")
		}
		return utf8.AppendRune(b, u)
	}
	at := strings.IndexByte(`"\/btnfr`, c)
	if at < 0 {
		r.fail("a backslash before " + quotedShort(string(rune(c))))
		return b
	}
	return append(b, "\"\\/\b\t\n\f\r"[at])
}

// hex reads four hexadecimal digits.
func (r *reader) hex() rune {
	var digits [4]byte
	for i := range digits {
		digits[i] = r.byte()
	}
	v, err := strconv.ParseUint(string(digits[:]), 16, 16)
	if err != nil {
		r.fail(`\u without four digits`)
	}
	return rune(v)
}

// token reads a number, and returns its text and its value. A number out of range is infinite.
func (r *reader) token() (string, float64) {
	var text [mostNumber]byte
	c := r.next()
	if c != '-' && (c < '0' || c > '9') {
		r.wrong(c, "a number")
		return "", 0
	}
	n := 0
	for ; r.err == nil && (c >= '0' && c <= '9' || strings.IndexByte("+-.eE", c) >= 0); c = r.byte() {
		if n == len(text) {
			r.fail("a number of more than " + strconv.Itoa(mostNumber) + " digits")
			return "", 0
		}
		text[n] = c
		n++
	}
	r.back(c)
	s := string(text[:n])
	v, err := strconv.ParseFloat(s, 64)
	// JSON has no 01, .5 or 1.
	digit := func(s string, at int) bool { return at < len(s) && s[at] >= '0' && s[at] <= '9' }
	size := strings.TrimPrefix(s, "-")
	_, fraction, point := strings.Cut(size, ".")
	if errors.Is(err, strconv.ErrSyntax) || !digit(size, 0) || size[0] == '0' && digit(size, 1) ||
		point && !digit(fraction, 0) {
		r.fail(quotedShort(s) + " is not a number")
	}
	return s, v
}

func (r *reader) number() float64 {
	text, v := r.token()
	if r.err != nil {
		return 0
	}
	if math.IsInf(v, 0) {
		r.fail(text[:min(len(text), 40)] + " is out of range")
	}
	return v
}

// integer reads a whole number from 0 to most.
func (r *reader) integer(most uint64) uint64 {
	text, _ := r.token()
	if r.err != nil {
		return 0
	}
	v, err := strconv.ParseUint(text, 10, 64)
	if err != nil || v > most {
		r.fail(text[:min(len(text), 40)] + " is not a whole number from 0 to " + strconv.FormatUint(most, 10))
		return 0
	}
	return v
}

// flag reads true or false.
func (r *reader) flag() bool {
	c := r.next()
	word := "true"
	if c == 'f' {
		word = "false"
	}
	for i := range len(word) {
		if i > 0 {
			c = r.byte()
		}
		if c != word[i] {
			r.wrong(c, "true or false")
			return false
		}
	}
	return word == "true"
}
