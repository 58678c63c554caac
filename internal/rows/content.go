package rows

import (
	"bufio"
	"io"
	"strings"

	"softkmeans/internal/npy"
	"softkmeans/internal/table"
)

// content is the content of a file, decompressed.
type content struct {
	io.Reader
	isNpy      bool
	compressed bool
}

// sniff finds out the kind of a file from its first bytes.
func sniff(in io.Reader, source string) (c content, err error) {
	b := bufio.NewReaderSize(in, 512)  // package table looks at 512 bytes; larger reads bypass the buffer
	start, _ := b.Peek(len(npy.Magic)) // the next read returns the error
	if c.compressed = strings.HasPrefix(string(start), gzipMagic); c.compressed {
		u, err := decompress(b, source)
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

// reader reads blocks from any kind of file.
type reader struct {
	head       table.Head
	compressed bool
	rows       func(dst []float64, class []int) (int, error) // see table.Reader.ReadRows
	classes    func() []string                               // so far
	texts      func() (ids []string, kept [][]string)        // of the rows read last
	close      func()
}

// newReader reads the head of a file of any kind. size is that of the file, or
// negative if it cannot be known.
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
		return &reader{t.Head, c.compressed, t.ReadRows, func() []string { return t.Classes },
			func() ([]string, [][]string) { return t.IDs, t.Kept }, t.Close}, nil
	}
	if c.compressed {
		size = -1
	}
	a, err := openArray(c, source, d, size)
	if err != nil {
		return nil, err
	}
	var labels classes
	read := func(dst []float64, class []int) (int, error) {
		if class == nil {
			return a.rows(dst, nil)
		}
		at := 0
		return a.rows(dst, func(label, _ float64) {
			class[at] = labels.of(label)
			at++
		})
	}
	return &reader{a.head, c.compressed, read, func() []string { return labels.names },
		func() (_ []string, _ [][]string) { return }, func() {}}, nil
}

// ReadAll reads all rows of a file of any kind. Lines, fields and columns have the
// same limits in compressed files; the number of rows has none.
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

// ReadClasses is table.ReadClasses for a file of any kind. In a .npy file column is
// a number, or "" for the only column.
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
