package rows

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

const gzipMagic = "\x1f\x8b"

// unpacked reads what is in a gzip file, of one member or of many. Nothing of it is
// kept, so that a small file of a large content takes what that takes, unpacked, of
// whoever reads it: block by block no more than some lines, within their limits.
type unpacked struct {
	gzip   *gzip.Reader
	source string
	text   bool // lines are lines
	lines  int  // so far
}

func unpack(in io.Reader, source string) (*unpacked, error) {
	u := &unpacked{source: source, text: true}
	var err error
	if u.gzip, err = gzip.NewReader(bufio.NewReaderSize(in, 1<<16)); err != nil {
		if errors.Is(err, gzip.ErrHeader) {
			return nil, fmt.Errorf("%s: the file begins as gzip, and is not gzip", source)
		}
		u.text = false
		return nil, u.fault(err)
	}
	return u, nil
}

func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.gzip.Read(p)
	if u.text {
		u.lines += bytes.Count(p[:n], []byte("\n"))
	}
	if err != nil && err != io.EOF {
		err = u.fault(err)
	}
	return n, err
}

// fault names the file, and the line of its content where that is known: a checksum
// is one of all that there is.
func (u *unpacked) fault(err error) error {
	where := u.source
	if u.text {
		where = fmt.Sprintf("%s:%d", u.source, u.lines+1)
	}
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), err == io.EOF:
		return fmt.Errorf("%s: the gzip file is cut: %w", where, io.ErrUnexpectedEOF)
	case errors.As(err, &corrupt):
		return fmt.Errorf("%s: the gzip file is damaged: %w", where, err)
	case errors.Is(err, gzip.ErrChecksum):
		return fmt.Errorf("%s: the gzip file is damaged: its content has another checksum or length", u.source)
	case errors.Is(err, gzip.ErrHeader):
		return fmt.Errorf("%s: what follows the gzip data, or a part of it, is not gzip", u.source)
	}
	return err // of the file itself
}
