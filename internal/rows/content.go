package rows

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"softkmeans/internal/npy"
	"softkmeans/internal/sparse"
	"softkmeans/internal/table"
)

// content is the content of a file, decompressed.
type content struct {
	io.Reader
	isNpy      bool
	sparse     sparse.Format
	compressed bool
	library    bool     // spectral, whose text is made up
	notes      []string // of a spectral library
}

// said returns an error with the place in a spectral library instead of that in its text.
func (c *content) said(err error) error {
	e, ok := err.(*table.Error)
	if !ok || !c.library || e.Line == 0 {
		return err
	}
	back := *e
	if back.Line, back.Column = 0, 0; e.Line > 1 {
		back.Msg = fmt.Sprintf("spectrum %d: %s", e.Line-1, strings.Replace(e.Msg, ": the field is empty",
			", as of a deleted channel; see -missing", 1))
	}
	return &back
}

// sniff finds out the kind of a file from its first bytes. Of a spectral library the content is text, and
// d becomes its dialect.
func sniff(in io.Reader, source string, d *table.Dialect) (c content, err error) {
	if text, notes, err := library(source, d); text != nil || err != nil {
		return content{Reader: text, library: true, notes: notes}, err
	}
	b := sparse.NewReader(in)
	start, _ := b.Peek(len(npy.Magic)) // the next read returns the error
	if c.compressed = strings.HasPrefix(string(start), gzipMagic); c.compressed {
		u, err := decompress(b, source)
		if err != nil {
			return c, err
		}
		b = sparse.NewReader(u)
		start, _ = b.Peek(len(npy.Magic))
		u.text = string(start) != npy.Magic
	}
	if c.Reader, c.isNpy = b, string(start) == npy.Magic; !c.isNpy {
		c.sparse = sparse.Sniff(b, !ofText(*d))
	}
	if (c.sparse != sparse.None || c.isNpy) && d.Mends() {
		err = fmt.Errorf("%s: -skip, -na and -below are for text; this file has numbers alone", source)
	} else if c.sparse == sparse.None && !c.isNpy && !ofText(*d) {
		err = unmarked(b, source)
	}
	return c, err
}

// unlabelled is a line of svmlight without its label. The last field may be cut.
var unlabelled = regexp.MustCompile(`^\d+:[-+.\deE]+(\s+\d+:[-+.\deE]+)+(\s+\d+:?)?\s*(#.*)?$`)

// sizes is a comment, or the sizes that a MatrixMarket file begins with.
var sizes = regexp.MustCompile(`^(%.*|\d+\s+\d+\s+\d+)$`)

// unmarked returns an error for a sparse file that lacks what tells its form.
func unmarked(b *bufio.Reader, source string) error {
	start, _ := b.Peek(b.Buffered())
	line, rest, more := bytes.Cut(start, []byte("\n"))
	line = bytes.TrimSpace(line)
	if strings.HasSuffix(strings.TrimSuffix(source, ".gz"), ".mtx") && sizes.Match(line) {
		return fmt.Errorf("%s: the first line of a .mtx file is missing or wrong; it is such as "+
			"%%%%MatrixMarket matrix coordinate real general", source)
	}
	next, _, _ := bytes.Cut(rest, []byte("\n"))
	if unlabelled.Match(line) && (!more || len(next) == 0 || unlabelled.Match(bytes.TrimSpace(next))) {
		return fmt.Errorf("%s:1:1: this looks like a row of svmlight without its label; put one before "+
			"each row, such as 0", source)
	}
	return nil
}

// ofText reports whether a Dialect has settings that only CSV files have.
func ofText(d table.Dialect) bool {
	return d.Delimiter != 0 || d.Decimal != 0 || d.Header != table.Auto || d.Text != table.TextError ||
		d.Long == table.Yes || d.ID != "" && d.ID != table.NoID || len(d.Keep) > 0
}

// reader reads blocks from any kind of file.
type reader struct {
	head       table.Head
	compressed bool
	sparse     *Sparse                                       // nil: the file is not sparse
	rows       func(dst []float64, class []int) (int, error) // as table.Reader.ReadRows, with classes
	classes    func() []string                               // so far
	texts      func() (ids []string, kept [][]string)        // of the rows read last
	close      func()
}

// newReader reads the head of a file of any kind. size is that of the file, or
// negative if it cannot be known.
func newReader(in io.Reader, source string, d table.Dialect, size int64) (*reader, error) {
	c, err := sniff(in, source, &d)
	if err != nil {
		return nil, err
	}
	if c.sparse != sparse.None {
		s, err := readSparse(c, source, d)
		if err != nil {
			return nil, err
		}
		return s.reader(c.compressed), nil
	}
	if !c.isNpy {
		t, err := table.NewReader(c, source, d)
		if err != nil {
			return nil, c.said(err)
		}
		t.Head.Notes = append(c.notes, t.Head.Notes...)
		read := func(dst []float64, class []int) (int, error) {
			n, err := t.ReadRows(dst)
			copy(class, t.Class)
			return n, c.said(err)
		}
		return &reader{t.Head, c.compressed, nil, read, func() []string { return t.Classes },
			func() ([]string, [][]string) { return t.IDs, t.Kept }, t.Close}, nil
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
	return &reader{a.head, c.compressed, nil, read, func() []string { return labels.names },
		func() (_ []string, _ [][]string) { return }, func() {}}, nil
}

// ReadAll reads all rows of a file of any kind. Lines, fields and columns have the same limits in compressed
// files; the number of rows has none. Sparse files get their zeros, up to 1 GB.
func ReadAll(in io.Reader, source string, d table.Dialect) (*table.Table, error) {
	t, s, err := Read(in, source, d)
	if s != nil {
		return s.Table()
	}
	return t, err
}

// Read is ReadAll, but returns a sparse file as it is, if there are no entries that it lacks.
func Read(in io.Reader, source string, d table.Dialect) (*table.Table, *Sparse, error) {
	size := int64(-1)
	if n, ok := Replayable(in); ok {
		if at, err := in.(io.Seeker).Seek(0, io.SeekCurrent); err == nil {
			size = n - at
		}
	}
	c, err := sniff(in, source, &d)
	if err != nil {
		return nil, nil, err
	}
	if c.sparse != sparse.None {
		s, err := readSparse(c, source, d)
		if err != nil || !s.full {
			return nil, s, err
		}
		t, err := s.Table()
		return t, nil, err
	}
	if !c.isNpy {
		t, err := table.Read(c, source, d)
		if err == nil {
			t.Notes = append(c.notes, t.Notes...)
		}
		return t, nil, c.said(err)
	}
	a, err := openArray(c, source, d, size)
	if err != nil {
		return nil, nil, err
	}
	t, err := a.all()
	return t, nil, err
}

// IsSparse reports whether in is a regular file that is sparse. It does not move in it.
func IsSparse(in io.Reader, d table.Dialect) bool {
	size, ok := Replayable(in)
	if !ok {
		return false
	}
	c, err := sniff(io.NewSectionReader(in.(*os.File), 0, size), "", &d)
	return err == nil && c.sparse != sparse.None
}

// ReadClasses reads classes from a file of any kind, as table.ReadClasses does. In a .npy file and in a
// sparse one column is a number, or "" for the only column, or for the labels of svmlight.
func ReadClasses(in io.Reader, source string, d table.Dialect, column string) (*table.Classes, error) {
	c, err := sniff(in, source, &d)
	switch {
	case err != nil:
		return nil, err
	case c.sparse != sparse.None:
		return readSparseClasses(c, source, column)
	case c.isNpy:
		return readArrayClasses(c, source, column)
	}
	return table.ReadClasses(c, source, d, column)
}
