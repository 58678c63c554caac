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

// decompressor reads the content of a gzip file, of one member or of many. It keeps
// nothing of the content, so that a small file with a large content takes no more
// memory than its reader: some lines for blocks, within their limits.
type decompressor struct {
	gzip   *gzip.Reader
	source string
	text   bool // errors name a line
	lines  int  // so far
}

func decompress(in io.Reader, source string) (*decompressor, error) {
	u := &decompressor{source: source, text: true}
	var err error
	if u.gzip, err = gzip.NewReader(bufio.NewReaderSize(in, 1<<16)); err != nil {
		if errors.Is(err, gzip.ErrHeader) {
			return nil, fmt.Errorf("%s: the file begins like gzip, but is not gzip", source)
		}
		u.text = false
		return nil, u.fault(err)
	}
	return u, nil
}

func (u *decompressor) Read(p []byte) (int, error) {
	n, err := u.gzip.Read(p)
	if u.text {
		u.lines += bytes.Count(p[:n], []byte("\n"))
	}
	if err != nil && err != io.EOF {
		err = u.fault(err)
	}
	return n, err
}

// fault adds the file's name to an error, and the line of a text. A wrong checksum
// has no line: it is that of all the content.
func (u *decompressor) fault(err error) error {
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
		return fmt.Errorf("%s: the gzip file is damaged: its content has another checksum or length",
			u.source)
	case errors.Is(err, gzip.ErrHeader):
		return fmt.Errorf("%s: the gzip data is followed by something that is not gzip", u.source)
	}
	return err // an error of the file itself
}
