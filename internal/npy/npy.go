// Package npy reads and writes tables in NumPy's .npy format, versions 1 to 3. A
// file has a magic number, a header that is a Python dictionary, and the values in
// binary. See numpy/lib/format.py.
package npy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// Magic is the first six bytes of a file.
const Magic = "\x93NUMPY"

// Reader reads the rows of an array in blocks. It keeps no rows, unless the array is in Fortran order.
type Reader struct {
	Rows, Cols int    // both at least 1; an array of one dimension is a column
	Ignore     []bool // true for columns that may hold NaN and infinities; nil: none
	Missing    bool   // any column may hold NaN

	r       io.Reader
	source  string
	shape   string // of the header, for messages
	kind    Kind
	fortran bool  // the columns are stored one after the other
	header  int64 // bytes before the first value
	row     int   // the next row, from 0
	buffer  []byte
	err     error
}

// NewReader reads the header. source is the file's name. Every error begins with
// it; an error of r that has it already is left as it is.
func NewReader(r io.Reader, source string) (*Reader, error) {
	n := &Reader{r: r, source: source}
	h, err := ReadHeader(r)
	if err != nil {
		return nil, n.fault(err)
	}
	n.kind, n.header = h.Kind, h.Size
	switch shape := h.Shape; len(shape) {
	case 1:
		n.Rows, n.Cols = shape[0], 1
	case 2:
		n.Rows, n.Cols = shape[0], shape[1]
	default:
		return nil, n.fault(fmt.Errorf("an array of %d dimensions; a table has 2, or 1 for one column",
			len(shape)))
	}
	switch {
	case n.Rows == 0:
		return nil, n.fault(errors.New("there are no rows"))
	case n.Cols == 0:
		return nil, n.fault(errors.New("there are no columns"))
	case n.Rows > math.MaxInt/8/n.Cols:
		return nil, n.fault(fmt.Errorf("%d rows of %d columns are more than can be addressed", n.Rows,
			n.Cols))
	}
	n.fortran, n.shape = h.Fortran && n.Rows > 1 && n.Cols > 1, fmt.Sprintf("%d×%d", n.Rows, n.Cols)
	return n, nil
}

// Transpose makes columns of the rows, before any row is read. Call it after CheckSize. An array that is not
// in Fortran order is then read into memory as a whole.
func (n *Reader) Transpose() {
	n.Rows, n.Cols, n.fortran = n.Cols, n.Rows, !n.fortran && n.Rows > 1 && n.Cols > 1
}

// turn reads the whole array, whose columns are stored one after the other, and puts the bytes of its rows in
// the place of r.
func (n *Reader) turn() {
	n.fortran = false
	size, rows, cols := n.kind.Size, n.Rows, n.Cols
	var text bytes.Buffer // it grows as the file does, whatever the header claims
	_, err := io.CopyN(&text, n.r, int64(rows*cols*size))
	if columns := text.Bytes(); err == nil {
		turned := make([]byte, len(columns))
		for i := range rows {
			for j := range cols {
				copy(turned[(i*cols+j)*size:], columns[(j*rows+i)*size:(j*rows+i+1)*size])
			}
		}
		n.r = io.MultiReader(bytes.NewReader(turned), n.r)
	} else if n.err = n.fault(err); err == io.EOF {
		n.err = n.fault(fmt.Errorf("the file is cut: %d of %d bytes of values are missing",
			rows*cols*size-text.Len(), rows*cols*size))
	}
}

// CheckSize returns an error unless the size of the file is that of its header and
// values. Call it before memory for the rows is allocated.
func (n *Reader) CheckSize(size int64) error {
	values := n.Rows * n.Cols * n.kind.Size
	switch have := size - n.header; {
	case have < int64(values):
		return n.cut(int(have))
	case have > int64(values):
		return n.excess()
	}
	return nil
}

// cut returns the error for a file that ends after so many bytes of values.
func (n *Reader) cut(have int) error {
	width := n.Cols * n.kind.Size
	return n.fault(fmt.Errorf("the file is cut: %d of %d bytes of values are missing, from row %d on",
		n.Rows*width-have, n.Rows*width, have/width+1))
}

func (n *Reader) excess() error {
	return n.fault(fmt.Errorf("there is more after the %s values of the header", n.shape))
}

func (n *Reader) fault(err error) error {
	if strings.Contains(err.Error(), n.source+":") {
		return err
	}
	return fmt.Errorf("%s: %w", n.source, err)
}

// ReadRows reads len(dst)/Cols rows into dst, or as many as there are, and returns
// their number. The number is 0 only with an error, which is io.EOF after the last
// row. A value that is not finite, or that Missing allows, is an error with its row and column, counted from
// 1; the rows before it are returned first. ReadRows panics if dst is shorter than
// a row.
func (n *Reader) ReadRows(dst []float64) (rows int, err error) {
	most := min(len(dst)/n.Cols, n.Rows-n.row)
	if len(dst) < n.Cols {
		panic("npy: dst is shorter than a row")
	}
	if n.fortran {
		n.turn()
	}
	for rows < most && n.err == nil {
		rows += n.readChunk(dst[rows*n.Cols : most*n.Cols])
	}
	if rows == 0 && n.err == nil {
		n.err = n.end()
	}
	if rows > 0 {
		return rows, nil
	}
	return 0, n.err
}

// chunkSize is how many bytes are converted at a time. A longer row takes several.
const chunkSize = 1 << 18

// readChunk reads the rows of one chunk, at least one. On an error, n.err is set and
// the rows before it are counted.
func (n *Reader) readChunk(dst []float64) (rows int) {
	width := n.Cols * n.kind.Size
	rows = min(max(1, chunkSize/width), len(dst)/n.Cols)
	// The buffer has a chunk at most: the header of a short file may claim long rows.
	if len(n.buffer) < min(rows*width, chunkSize) {
		n.buffer = make([]byte, min(rows*width, chunkSize))
	}
	got := 0
	for at := 0; at < rows*width; {
		step := min(len(n.buffer)/n.kind.Size*n.kind.Size, rows*width-at)
		read, err := io.ReadFull(n.r, n.buffer[:step])
		values := read / n.kind.Size
		n.kind.Get(dst[at/n.kind.Size:at/n.kind.Size+values], n.buffer)
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
		if v-v != 0 && !(n.Missing && v != v) && (n.Ignore == nil || !n.Ignore[i%n.Cols]) { // NaN or infinite
			n.err = n.fault(fmt.Errorf("row %d, column %d: %v is not a finite number",
				n.row+i/n.Cols+1, i%n.Cols+1, v))
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
