// Package rows reads tables from files: CSV, .npy, MatrixMarket or svmlight, told apart by their content, and
// each of them compressed by gzip. [ReadAll] reads a table into memory. A [File] has its rows in blocks, as
// often as they are needed, for tables larger than memory.
package rows

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"sync/atomic"

	"softkmeans"
	"softkmeans/internal/table"
)

// Options says how to read a file. The zero value guesses everything.
type Options struct {
	// Dialect is that of a CSV file. Its Workers are the goroutines that parse
	// ahead. The columns of a .npy file have numbers only; Pick gets them as c1,
	// c2, …. Blocks have no weights, so Dialect.Weights is an error.
	Dialect table.Dialect
	// BlockRows is the number of rows of a block. 0 is as many as stream.Fit takes
	// without copying them: 8192, but no more than 16 MB.
	BlockRows int
}

// File is a file whose rows can be read again and again.
type File struct {
	table.Head
	Size       int64   // bytes
	Compressed bool    // by gzip; Size is the compressed size
	Sparse     *Sparse // nil: the file is not sparse

	options Options
	info    os.FileInfo
	read    atomic.Int64
}

// Open reads the start of a file to learn its columns. Standard input and pipes are
// an error, because they cannot be read twice.
func Open(name string, o Options) (*File, error) {
	if name == "" || name == "-" {
		return nil, errors.New("standard input can be read only once: give the name of a regular file")
	}
	if o.Dialect.Weights != "" {
		return nil, fmt.Errorf("%s: a file that is read block by block cannot have weights (column %q)", name,
			o.Dialect.Weights)
	}
	o.Dialect.Stream = true
	f := &File{Head: table.Head{Source: name}, options: o}
	info, err := os.Stat(name) // before os.Open, which waits until a pipe has a writer
	switch {
	case err != nil:
	case info.IsDir():
		return nil, fmt.Errorf("%s: is a directory", name)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: can be read only once: give the name of a regular file", name)
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
	r, err := f.begin(in, &f.read)
	if err != nil {
		return nil, err
	}
	r.close()
	f.Head, f.Compressed, f.Sparse = r.head, r.compressed, r.sparse
	return f, nil
}

// Replayable reports whether in is a regular file, which can be opened again by its
// name, and returns its size.
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

// begin reads the head of the file. The bytes that are read add up in n. The entries of a
// sparse file stay in memory.
func (f *File) begin(in *os.File, n *atomic.Int64) (*reader, error) {
	if f.Sparse != nil {
		n.Store(f.Size)
		return f.Sparse.reader(f.Compressed), nil
	}
	n.Store(0)
	return newReader(&counted{in, n}, f.Source, f.options.Dialect, f.Size)
}

// BytesRead returns how many bytes of the file the present pass has read, including those read ahead. Of a
// compressed file they are compressed bytes. It may be called at any time, by any goroutine.
func (f *File) BytesRead() int64 { return f.read.Load() }

// Blocks returns the rows in blocks. Each pass opens the file, and closes it when the loop ends or is left. A
// block is valid until the next one. An error ends the pass: one of the file, with its name and the place;
// that of ctx; or softkmeans.ErrChanged if the file is no longer the one that Open read.
func (f *File) Blocks(ctx context.Context) iter.Seq2[*softkmeans.Matrix, error] {
	return func(yield func(*softkmeans.Matrix, error) bool) {
		if err := f.pass(ctx, &f.read, false, func(b *Block) bool { return yield(b.X, nil) }); err != nil {
			yield(nil, err)
		}
	}
}

// Block is some rows of a file.
type Block struct {
	X    *softkmeans.Matrix
	IDs  []string   // of every row, if there is a column of ids
	Kept [][]string // of every row, the texts of KeptNames

	// The classes of every row, if there is a column of them: indices into Classes, which
	// are those of the pass so far.
	Class   []int
	Classes []string
}

// TextBlocks is Blocks with the texts and classes of the rows. The pass does not count in BytesRead,
// so that it may run beside one of Blocks.
func (f *File) TextBlocks(ctx context.Context) iter.Seq2[*Block, error] {
	return func(yield func(*Block, error) bool) {
		if err := f.pass(ctx, new(atomic.Int64), true,
			func(b *Block) bool { return yield(b, nil) }); err != nil {
			yield(nil, err)
		}
	}
}

func (f *File) pass(ctx context.Context, read *atomic.Int64, texts bool, yield func(*Block) bool) error {
	in, err := os.Open(f.Source)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := f.unchanged(in); err != nil {
		return err
	}
	r, err := f.begin(in, read)
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
	var class []int
	if texts && f.LabelColumn > 0 {
		class = make([]int, rows)
	}
	for {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("stopped: %w", err)
		}
		n, err := r.rows(data, class)
		if err == io.EOF {
			return f.unchanged(in)
		}
		if err != nil {
			return f.cause(in, err)
		}
		b := &Block{X: softkmeans.NewMatrix(n, cols, data[:n*cols])}
		b.IDs, b.Kept = r.texts()
		if class != nil {
			b.Class, b.Classes = class[:n], r.classes()
		}
		if !yield(b) {
			return nil
		}
	}
}

// unchanged returns an error unless in is the file that Open read, with the same size and time.
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

// cause returns the error for a pass that failed with err. If the file has changed
// that is the error: err may be due to a row that is half written.
func (f *File) cause(in *os.File, err error) error {
	if changed := f.unchanged(in); changed != nil {
		return changed
	}
	return err
}

func (f *File) changed() error {
	return fmt.Errorf("%s: %w or while it was read: another file, or another size or time of its last change",
		f.Source, softkmeans.ErrChanged)
}

// counted adds the bytes that are read to n.
type counted struct {
	r io.Reader
	n *atomic.Int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}
