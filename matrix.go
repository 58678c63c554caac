package softkmeans

import (
	"math"
	"runtime"
	"strconv"
)

// Matrix is a dense matrix of float64 with open storage, after the manner of
// image.RGBA: row i is Data[i*Stride : i*Stride+Cols]. Rows are samples
// wherever data comes in. Values between the end of one row and the start of
// the next (Stride > Cols) are never read or written.
//
// The zero value is an empty 0×0 matrix. A matrix of another library is
// wrapped without a copy by filling in the four fields; a struct whose fields
// contradict each other is reported as [ErrShape] by the functions it is
// handed to.
type Matrix struct {
	Rows, Cols, Stride int
	Data               []float64
}

// NewMatrix returns a rows×cols matrix over data, which it does not copy: the
// matrix and the slice share their values. A nil data allocates zeros.
// NewMatrix panics if a size is negative or len(data) is not rows·cols.
func NewMatrix(rows, cols int, data []float64) *Matrix {
	if rows < 0 || cols < 0 || !fits(rows, cols) {
		panic("softkmeans: NewMatrix with size " + shape(rows, cols))
	}
	if data == nil {
		data = make([]float64, rows*cols)
	}
	if len(data) != rows*cols {
		panic("softkmeans: NewMatrix of size " + shape(rows, cols) + " with " + strconv.Itoa(len(data)) + " values")
	}
	return &Matrix{Rows: rows, Cols: cols, Stride: cols, Data: data}
}

// fits reports whether a rows×cols matrix can be addressed at all. Of 64 bits
// machines use 48, WebAssembly 32; make panics beyond that.
func fits(rows, cols int) bool {
	most := min(math.MaxInt/8, 1<<44)
	if runtime.GOARCH == "wasm" {
		most = min(math.MaxInt/8, 1<<29-1)
	}
	return cols == 0 || rows <= most/cols
}

// FromRows returns a matrix with a copy of the given rows. All must have the
// same length, otherwise the error is an [ErrShape] that names the row. No
// rows at all give the empty 0×0 matrix.
func FromRows(rows [][]float64) (*Matrix, error) {
	if len(rows) == 0 {
		return NewMatrix(0, 0, nil), nil
	}
	for i, r := range rows {
		if len(r) != len(rows[0]) {
			return nil, fail(ErrShape, "row "+strconv.Itoa(i)+" has "+strconv.Itoa(len(r))+
				" values, row 0 has "+strconv.Itoa(len(rows[0])))
		}
	}
	m := NewMatrix(len(rows), len(rows[0]), nil)
	for i, r := range rows {
		copy(m.row(i), r)
	}
	return m, nil
}

// Dims returns the number of rows and of columns.
func (m *Matrix) Dims() (rows, cols int) { return m.Rows, m.Cols }

// At returns the value in row i and column j, both counted from 0. It panics
// if either is out of range.
func (m *Matrix) At(i, j int) float64 {
	m.check(i, j)
	return m.Data[i*m.Stride+j]
}

// Set sets the value in row i and column j. It panics if either is out of
// range.
func (m *Matrix) Set(i, j int, v float64) {
	m.check(i, j)
	m.Data[i*m.Stride+j] = v
}

func (m *Matrix) check(i, j int) {
	if uint(i) >= uint(m.Rows) || uint(j) >= uint(m.Cols) {
		panic("softkmeans: index (" + strconv.Itoa(i) + ", " + strconv.Itoa(j) + ") out of a matrix of size " + shape(m.Rows, m.Cols))
	}
}

// Row returns row i as a view: writing to it writes to the matrix, appending
// to it does not. It panics if i is out of range.
func (m *Matrix) Row(i int) []float64 {
	if uint(i) >= uint(m.Rows) {
		panic("softkmeans: row " + strconv.Itoa(i) + " of a matrix of size " + shape(m.Rows, m.Cols))
	}
	return m.row(i)
}

// row is Row for an index that is known to be good.
func (m *Matrix) row(i int) []float64 {
	if m.Cols == 0 {
		return nil
	}
	lo := i * m.Stride
	return m.Data[lo : lo+m.Cols : lo+m.Cols]
}

// Clone returns a copy with storage of its own and no gap between its rows.
func (m *Matrix) Clone() *Matrix {
	c := NewMatrix(m.Rows, m.Cols, nil)
	for i := range m.Rows {
		copy(c.row(i), m.row(i))
	}
	return c
}

// transposed returns mᵀ with storage of its own.
func (m *Matrix) transposed() *Matrix {
	t := NewMatrix(m.Cols, m.Rows, nil)
	for i := range m.Rows {
		for j, v := range m.row(i) {
			t.Data[j*t.Stride+i] = v
		}
	}
	return t
}

// destination returns dst, or a new matrix where dst is nil. A dst of another
// shape is a slip of the caller's that no data can cause, and panics.
func destination(dst *Matrix, rows, cols int) *Matrix {
	if dst == nil {
		return NewMatrix(rows, cols, nil)
	}
	if dst.Rows != rows || dst.Cols != cols || checkShape("dst", dst) != nil {
		panic("softkmeans: dst is " + shape(dst.Rows, dst.Cols) + ", the result is " + shape(rows, cols))
	}
	return dst
}

// beside returns m, or a copy of it where dst is the same matrix, so that it can be
// read while dst is written.
func beside(dst, m *Matrix) *Matrix {
	if len(dst.Data) > 0 && len(m.Data) > 0 && &dst.Data[0] == &m.Data[0] {
		return m.Clone()
	}
	return m
}
