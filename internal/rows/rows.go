// Package rows reads tables from files, CSV or .npy by their content: at once, or
// in blocks of rows and as often as asked, for files that outgrow memory.
package rows

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"sync/atomic"

	"softkmeans"
	"softkmeans/internal/npy"
	"softkmeans/internal/table"
)

// Options is how a file is to be read. The zero value guesses all.
type Options struct {
	// Dialect is that of a CSV file. Its Workers are the goroutines that parse
	// ahead. A .npy file has no label column, and the rest does not apply to it.
	Dialect table.Dialect
	// BlockRows is how many rows a block has; 0 for as many as FitSeq takes
	// without copying them: 8192, but no more than 16 MB.
	BlockRows int
}

// File is a file whose rows can be read again and again.
type File struct {
	table.Head
	Size int64 // bytes

	options Options
	info    os.FileInfo
	read    atomic.Int64
}

// Open reads as much as it takes to know the columns. What cannot be read twice,
// standard input and pipes, is an error.
func Open(name string, o Options) (*File, error) {
	if name == "" || name == "-" {
		return nil, errors.New("standard input can be read only once; files that can be read again are needed")
	}
	f := &File{Head: table.Head{Source: name}, options: o}
	info, err := os.Stat(name) // before Open, which waits for somebody to write to a pipe
	switch {
	case err != nil:
	case info.IsDir():
		return nil, fmt.Errorf("%s: is a directory", name)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: can be read only once; files that can be read again are needed", name)
	}
	in, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if f.info, err = in.Stat(); err != nil {
		return nil, err
	}
	f.Size = f.info.Size()
	r, err := f.begin(in)
	if err != nil {
		return nil, err
	}
	r.close()
	f.Head = r.head
	return f, nil
}

// Replayable reports whether the open file can be opened again by its name, and
// its size if so.
func Replayable(in io.Reader) (size int64, ok bool) {
	f, isFile := in.(*os.File)
	if !isFile {
		return 0, false
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0, false
	}
	return info.Size(), true
}

// begin reads the head of the file.
func (f *File) begin(in *os.File) (*reader, error) {
	f.read.Store(0)
	return newReader(&counted{in, &f.read}, f.Source, f.options.Dialect, f.Size)
}

// BytesRead is how much of the file the present pass has read, also ahead. It may
// be called at any time.
func (f *File) BytesRead() int64 { return f.read.Load() }

// Blocks returns the rows. Each pass opens the file anew and closes it at its end
// or where it is left; a block is valid until the next one. An error ends the
// pass: of the file, with its name and the place, of ctx, or softkmeans.ErrChanged
// where the file is not the one that was opened first.
func (f *File) Blocks(ctx context.Context) iter.Seq2[*softkmeans.Matrix, error] {
	return func(yield func(*softkmeans.Matrix, error) bool) {
		if err := f.pass(ctx, func(x *softkmeans.Matrix) bool { return yield(x, nil) }); err != nil {
			yield(nil, err)
		}
	}
}

func (f *File) pass(ctx context.Context, yield func(*softkmeans.Matrix) bool) error {
	in, err := os.Open(f.Source)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := f.unchanged(in); err != nil {
		return err
	}
	r, err := f.begin(in)
	if err != nil {
		return f.cause(in, err)
	}
	defer r.close() // before the file
	cols := len(f.Names)
	if len(r.head.Names) != cols {
		return f.changed()
	}
	rows := f.options.BlockRows
	if rows <= 0 {
		rows = max(24, min(8192, 1<<21/cols))
	}
	data := make([]float64, rows*cols)
	for {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("stopped: %w", err)
		}
		n, err := r.rows(data)
		if err == io.EOF {
			return f.unchanged(in)
		}
		if err != nil {
			return f.cause(in, err)
		}
		if !yield(softkmeans.NewMatrix(n, cols, data[:n*cols])) {
			return nil
		}
	}
}

// unchanged checks that a file is the one that was opened first, as it was then.
func (f *File) unchanged(in *os.File) error {
	info, err := in.Stat()
	if err != nil {
		return err
	}
	if !os.SameFile(info, f.info) || info.Size() != f.Size || !info.ModTime().Equal(f.info.ModTime()) {
		return f.changed()
	}
	return nil
}

// cause is what a pass that failed tells: half a row at the end of a file that is
// being written says nothing of the file's own faults.
func (f *File) cause(in *os.File, err error) error {
	if changed := f.unchanged(in); changed != nil {
		return changed
	}
	return err
}

func (f *File) changed() error {
	return fmt.Errorf("%s: %w or while it was read: another file, or another size or time of its last change", f.Source, softkmeans.ErrChanged)
}

// counted counts the bytes that are read.
type counted struct {
	r io.Reader
	n *atomic.Int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// reader reads either kind of file.
type reader struct {
	head  table.Head
	rows  func(dst []float64) (int, error) // as table.Reader has it
	close func()
}

// sniff reports which kind it is; text is all of in.
func sniff(in io.Reader) (text io.Reader, isNpy bool) {
	b := bufio.NewReaderSize(in, 512)  // what package table looks at; larger reads go past it
	start, _ := b.Peek(len(npy.Magic)) // an error comes again
	return b, string(start) == npy.Magic
}

// newReader finds out which kind it is. size is that of a file, or below 0.
func newReader(in io.Reader, source string, d table.Dialect, size int64) (*reader, error) {
	b, isNpy := sniff(in)
	if !isNpy {
		t, err := table.NewReader(b, source, d)
		if err != nil {
			return nil, err
		}
		return &reader{t.Head, func(dst []float64) (int, error) { return t.ReadRows(dst, nil) }, t.Close}, nil
	}
	n, head, err := openNpy(b, source, d, size)
	if err != nil {
		return nil, err
	}
	return &reader{head, n.ReadRows, func() {}}, nil
}

// mostColumns is how long a row of an array may be whose size is only promised.
const mostColumns = 1 << 24

func openNpy(in io.Reader, source string, d table.Dialect, size int64) (*npy.Reader, table.Head, error) {
	head := table.Head{Source: source}
	if d.Label != "" {
		return nil, head, fmt.Errorf("%s: a .npy file has no label column (%q)", source, d.Label)
	}
	n, err := npy.NewReader(in, source)
	if err != nil {
		return nil, head, err
	}
	if size >= 0 {
		if err := n.CheckSize(size); err != nil {
			return nil, head, err
		}
	} else if n.Cols > mostColumns {
		return nil, head, fmt.Errorf("%s: %d columns, of which a stream may have %d", source, n.Cols, mostColumns)
	}
	for j := range n.Cols {
		head.Names = append(head.Names, table.Column(j))
	}
	return n, head, nil
}

// ReadAll reads a whole table, CSV or .npy by its content.
func ReadAll(in io.Reader, source string, d table.Dialect) (*table.Table, error) {
	size := int64(-1)
	if n, ok := Replayable(in); ok {
		if at, err := in.(io.Seeker).Seek(0, io.SeekCurrent); err == nil {
			size = n - at
		}
	}
	b, isNpy := sniff(in)
	if !isNpy {
		return table.Read(b, source, d)
	}
	n, head, err := openNpy(b, source, d, size)
	if err != nil {
		return nil, err
	}
	t := &table.Table{Head: head}
	if size >= 0 {
		t.Data = make([]float64, 0, n.Rows*n.Cols) // as many as the file has
	}
	for t.Rows < n.Rows {
		if cap(t.Data)-len(t.Data) < n.Cols {
			t.Data = slices.Grow(t.Data, n.Cols)
		}
		rows, err := n.ReadRows(t.Data[len(t.Data):cap(t.Data)])
		if err != nil {
			return nil, err
		}
		t.Rows += rows
		t.Data = t.Data[:t.Rows*n.Cols]
	}
	if _, err := n.ReadRows(t.Data); err != io.EOF {
		return nil, err
	}
	return t, nil
}
