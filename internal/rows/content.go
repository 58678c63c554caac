package rows

import (
	"bufio"
	"io"
	"strings"

	"softkmeans/internal/npy"
	"softkmeans/internal/table"
)

// content is what is in a file, after it is unpacked.
type content struct {
	io.Reader
	isNpy      bool
	compressed bool
}

// sniff finds out what is in a file.
func sniff(in io.Reader, source string) (c content, err error) {
	b := bufio.NewReaderSize(in, 512)  // what package table looks at; larger reads go past it
	start, _ := b.Peek(len(npy.Magic)) // an error comes again
	if c.compressed = strings.HasPrefix(string(start), gzipMagic); c.compressed {
		u, err := unpack(b, source)
		if err != nil {
			return c, err
		}
		b = bufio.NewReaderSize(u, 512)
		start, _ = b.Peek(len(npy.Magic))
		u.text = string(start) != npy.Magic
	}
	c.Reader, c.isNpy = b, string(start) == npy.Magic
	return c, nil
}

// reader reads blocks of any kind of file.
type reader struct {
	head       table.Head
	compressed bool
	rows       func(dst []float64) (int, error) // as table.Reader has it
	close      func()
}

// newReader finds out what is in the file. size is that of a file, or below 0.
func newReader(in io.Reader, source string, d table.Dialect, size int64) (*reader, error) {
	c, err := sniff(in, source)
	if err != nil {
		return nil, err
	}
	if !c.isNpy {
		t, err := table.NewReader(c, source, d)
		if err != nil {
			return nil, err
		}
		return &reader{t.Head, c.compressed, func(dst []float64) (int, error) { return t.ReadRows(dst, nil) }, t.Close}, nil
	}
	if c.compressed {
		size = -1
	}
	a, err := openArray(c, source, d, size)
	if err != nil {
		return nil, err
	}
	return &reader{a.head, c.compressed, func(dst []float64) (int, error) { return a.rows(dst, nil) }, func() {}}, nil
}

// ReadAll reads a whole table, by its content. What is packed is bounded as what is
// not: by the limits of a line, a field and the columns, not by the number of rows.
func ReadAll(in io.Reader, source string, d table.Dialect) (*table.Table, error) {
	size := int64(-1)
	if n, ok := Replayable(in); ok {
		if at, err := in.(io.Seeker).Seek(0, io.SeekCurrent); err == nil {
			size = n - at
		}
	}
	c, err := sniff(in, source)
	if err != nil {
		return nil, err
	}
	if !c.isNpy {
		return table.Read(c, source, d)
	}
	if c.compressed {
		size = -1
	}
	a, err := openArray(c, source, d, size)
	if err != nil {
		return nil, err
	}
	return a.all(size >= 0)
}

// ReadClasses is table.ReadClasses for text that may be packed, and for .npy files,
// of which column is a number, or "" for the only one.
func ReadClasses(in io.Reader, source string, d table.Dialect, column string) (*table.Classes, error) {
	c, err := sniff(in, source)
	if err != nil {
		return nil, err
	}
	if !c.isNpy {
		return table.ReadClasses(c, source, d, column)
	}
	return readArrayClasses(c, source, column)
}
