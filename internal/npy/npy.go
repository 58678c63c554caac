// Package npy reads and writes tables in NumPy's .npy format, versions 1 to 3: a
// magic number, a header that is a Python dictionary, and the bare values. See
// numpy/lib/format.py.
package npy

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// Magic is how a file begins.
const Magic = "\x93NUMPY"

// Reader reads the rows of an array in blocks and keeps none.
type Reader struct {
	Rows, Cols int    // both at least 1; an array of one dimension is a column
	Ignore     []bool // columns that may hold what is not finite; nil for none

	r      io.Reader
	source string
	kind   kind
	header int64 // its bytes
	row    int   // the next one
	buffer []byte
	err    error
}

// kind is how a value is stored.
type kind struct {
	size int
	get  func(dst []float64, b []byte)
}

// NewReader reads the header. source is the file's name in messages, which begin
// with it, but for those of r that have it already.
func NewReader(r io.Reader, source string) (*Reader, error) {
	n := &Reader{r: r, source: source}
	h, size, err := readHeader(r)
	if err != nil {
		return nil, n.fault(err)
	}
	if n.kind, err = kindOf(h.descr); err != nil {
		return nil, n.fault(err)
	}
	switch {
	case len(h.shape) == 1:
		n.Rows, n.Cols = h.shape[0], 1
	case len(h.shape) == 2:
		n.Rows, n.Cols = h.shape[0], h.shape[1]
	default:
		return nil, n.fault(fmt.Errorf("an array of %d dimensions; a table has 2, or 1 for one column", len(h.shape)))
	}
	switch {
	case n.Rows == 0:
		return nil, n.fault(errors.New("there are no rows"))
	case n.Cols == 0:
		return nil, n.fault(errors.New("there are no columns"))
	case n.Rows > math.MaxInt/8/n.Cols:
		return nil, n.fault(fmt.Errorf("%d rows of %d columns are more than can be addressed", n.Rows, n.Cols))
	case h.fortran && n.Rows > 1 && n.Cols > 1:
		return nil, n.fault(errors.New("the columns are stored one after the other (Fortran order); numpy.save of numpy.ascontiguousarray(x) stores rows"))
	}
	n.header = size
	return n, nil
}

// CheckSize compares the size of the file with what the header says, before rows
// of that length are asked for.
func (n *Reader) CheckSize(size int64) error {
	values := n.Rows * n.Cols * n.kind.size
	switch have := size - n.header; {
	case have < int64(values):
		return n.cut(int(have))
	case have > int64(values):
		return n.excess()
	}
	return nil
}

// cut is the error for a file that ends after so many bytes of values.
func (n *Reader) cut(have int) error {
	width := n.Cols * n.kind.size
	return n.fault(fmt.Errorf("the file is cut: %d of %d bytes of values are missing, from row %d on", n.Rows*width-have, n.Rows*width, have/width+1))
}

func (n *Reader) excess() error {
	return n.fault(fmt.Errorf("there is more after the %d×%d values of the header", n.Rows, n.Cols))
}

func (n *Reader) fault(err error) error {
	if strings.Contains(err.Error(), n.source+":") {
		return err
	}
	return fmt.Errorf("%s: %w", n.source, err)
}

// ReadRows fills dst with as many whole rows as it has room for, or as there are,
// and returns their number. It is 0 only with an error: io.EOF after the last row.
// A value that is not finite is an error with its row and column, counted from 1;
// the rows before it come first. ReadRows panics if dst has no room for a row.
func (n *Reader) ReadRows(dst []float64) (rows int, err error) {
	room := min(len(dst)/n.Cols, n.Rows-n.row)
	if len(dst) < n.Cols {
		panic("npy: no room for a row")
	}
	for rows < room && n.err == nil {
		rows += n.some(dst[rows*n.Cols : room*n.Cols])
	}
	if rows == 0 && n.err == nil {
		n.err = n.end()
	}
	if rows > 0 {
		return rows, nil
	}
	return 0, n.err
}

// pieceSize is how many bytes are converted at a time, unless a row is longer.
const pieceSize = 1 << 18

// some reads the rows of one piece.
func (n *Reader) some(dst []float64) (rows int) {
	width := n.Cols * n.kind.size
	rows = min(max(1, pieceSize/width), len(dst)/n.Cols)
	// A row that is not there takes no memory, whatever the header says of its length.
	if len(n.buffer) < min(rows*width, pieceSize) {
		n.buffer = make([]byte, min(rows*width, pieceSize))
	}
	got := 0
	for at := 0; at < rows*width; {
		step := min(len(n.buffer)/n.kind.size*n.kind.size, rows*width-at)
		read, err := io.ReadFull(n.r, n.buffer[:step])
		whole := read / n.kind.size
		n.kind.get(dst[at/n.kind.size:at/n.kind.size+whole], n.buffer)
		got += read
		at += step
		if err != nil {
			if n.err = n.fault(err); err == io.EOF || err == io.ErrUnexpectedEOF {
				n.err = n.cut(n.row*width + got)
			}
			break
		}
	}
	rows = got / width
	for i, v := range dst[:rows*n.Cols] {
		if v-v != 0 && (n.Ignore == nil || !n.Ignore[i%n.Cols]) { // NaN or infinite
			n.err = n.fault(fmt.Errorf("row %d, column %d: %v is not a finite number", n.row+i/n.Cols+1, i%n.Cols+1, v))
			rows = i / n.Cols
			break
		}
	}
	n.row += rows
	return rows
}

// end checks that nothing follows the last row.
func (n *Reader) end() error {
	var one [1]byte
	switch _, err := io.ReadFull(n.r, one[:]); err {
	case io.EOF:
		return io.EOF
	case nil:
		return n.excess()
	default:
		return n.fault(err)
	}
}
