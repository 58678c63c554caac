package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Header says what an array is. After it come the values, the last index of Shape
// running fastest, or the first in Fortran order.
type Header struct {
	Shape   []int
	Fortran bool
	Kind    Kind
	Size    int64 // bytes before the first value
}

// maxHeader bounds the header's length. Its three entries take about 100 bytes.
const maxHeader = 1 << 16

// ReadHeader reads everything before the first value, of an array of any shape.
func ReadHeader(r io.Reader) (*Header, error) {
	start := make([]byte, len(Magic)+4)
	if _, err := io.ReadFull(r, start); err != nil {
		return nil, cut(err)
	}
	if !bytes.HasPrefix(start, []byte(Magic)) {
		return nil, errors.New("not a .npy file: it does not begin with \\x93NUMPY")
	}
	version, length := start[6], int64(binary.LittleEndian.Uint16(start[8:]))
	switch version {
	case 1:
	case 2, 3: // the length has four bytes
		high := make([]byte, 2)
		if _, err := io.ReadFull(r, high); err != nil {
			return nil, cut(err)
		}
		length |= int64(binary.LittleEndian.Uint16(high)) << 16
	default:
		return nil, fmt.Errorf("version %d.%d of the .npy format; versions 1 to 3 can be read", version,
			start[7])
	}
	if length > maxHeader {
		return nil, fmt.Errorf("a header of %d bytes; the header of a table has about 100", length)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, cut(err)
	}
	h, descr, err := parseHeader(string(text))
	if err != nil {
		return nil, fmt.Errorf("the header %.100q: %w", strings.TrimSpace(string(text)), err)
	}
	if h.Size = int64(len(start)) + length; version > 1 {
		h.Size += 2
	}
	h.Kind, err = KindOf(descr)
	return h, err
}

// cut replaces an error for the end of the file by one that names the header.
func cut(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errors.New("the file is cut in its header")
	}
	return err
}

// parseHeader reads {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
// with its entries in any order, each once.
func parseHeader(text string) (h *Header, descr string, err error) {
	p, h := &literal{rest: text}, new(Header)
	seen := map[string]bool{}
	p.expect("{")
	for more := true; more && p.err == nil && !p.take("}"); {
		key := p.quoted()
		p.expect(":")
		switch {
		case seen[key]:
			p.fail("%.40q twice", key)
		case key == "descr" && p.take("["):
			p.fail("records of several fields; a table has values of one type")
		case key == "descr":
			descr = p.quoted()
		case key == "fortran_order":
			if h.Fortran = p.take("True"); !h.Fortran {
				p.expect("False")
			}
		case key == "shape":
			h.Shape = p.tuple()
		default:
			p.fail("%.40q is not an entry of a .npy header", key)
		}
		seen[key] = true
		if more = p.take(","); !more {
			p.expect("}")
		}
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if !seen[key] {
			p.fail("there is no %q", key)
		}
	}
	if p.space(); p.rest != "" {
		p.fail("something follows the }")
	}
	return h, descr, p.err
}

// literal reads a Python literal from front to back. After an error its methods return no useful values.
type literal struct {
	rest string // still to be read
	err  error  // the first one
}

func (p *literal) fail(format string, values ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, values...)
	}
}

func (p *literal) space() { p.rest = strings.TrimLeft(p.rest, " \t\r\n") }

// take skips a word and reports true, if it comes next.
func (p *literal) take(word string) (ok bool) {
	p.space()
	p.rest, ok = strings.CutPrefix(p.rest, word)
	return ok
}

func (p *literal) expect(word string) {
	if !p.take(word) {
		p.fail("%q is missing before %.20q", word, p.rest)
	}
}

func (p *literal) quoted() string {
	p.space()
	if p.rest == "" || p.rest[0] != '\'' && p.rest[0] != '"' {
		p.fail("a word in quotes is missing before %.20q", p.rest)
		return ""
	}
	word, rest, ok := strings.Cut(p.rest[1:], p.rest[:1])
	if !ok || strings.Contains(word, `\`) {
		p.fail("a word in quotes does not end")
	}
	p.rest = rest
	return word
}

// tuple reads (), (3,) or (3, 4). Python 2 wrote 3L for 3.
func (p *literal) tuple() (numbers []int) {
	p.expect("(")
	for p.err == nil && !p.take(")") {
		p.space()
		digits := len(p.rest) - len(strings.TrimLeft(p.rest, "0123456789"))
		n, err := strconv.Atoi(p.rest[:digits])
		if err != nil {
			p.fail("%.20q is not a size", p.rest)
		}
		p.rest = strings.TrimPrefix(p.rest[digits:], "L")
		numbers = append(numbers, n)
		if !p.take(",") {
			if len(numbers) == 1 {
				p.fail("the shape is a number, not a tuple")
			}
			p.expect(")")
			return numbers
		}
	}
	return numbers
}
