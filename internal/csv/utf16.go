package csv

import (
	"io"
	"unicode/utf16"
)

// UTF16 returns a reader that makes UTF-8 of the UTF-16 in r, without a byte order mark. Excel's "Unicode Text"
// is such a file. If little, the low byte of each unit comes first.
func UTF16(r io.Reader, little bool) io.Reader { return &utf16Reader{r: r, little: little} }

type utf16Reader struct {
	r      io.Reader
	raw    []byte // bytes that are not yet text
	text   []byte // UTF-8 that is not yet read
	err    error  // of r
	little bool
}

// Read returns at least one character, unless there is an error.
func (u *utf16Reader) Read(p []byte) (n int, err error) {
	for u.decode(); len(u.text) == 0; u.decode() {
		if u.err != nil {
			return 0, u.err
		}
		buf := make([]byte, 1<<15)
		n, u.err = u.r.Read(buf)
		u.raw = append(u.raw, buf[:n]...)
	}
	n = copy(p, u.text)
	u.text = u.text[n:]
	return n, nil
}

func (u *utf16Reader) decode() {
	units := make([]uint16, len(u.raw)/2)
	for i := range units {
		low, high := u.raw[2*i], u.raw[2*i+1]
		if !u.little {
			low, high = high, low
		}
		units[i] = uint16(high)<<8 | uint16(low)
	}
	if n := len(units) - 1; n >= 0 && u.err == nil && units[n]&0xfc00 == 0xd800 {
		units = units[:n] // the other half is to come
	}
	u.text = append(u.text, string(utf16.Decode(units))...)
	u.raw = append(u.raw[:0], u.raw[2*len(units):]...)
}
