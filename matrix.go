package softkmeans

import (
	"math"
	"runtime"
	"slices"
	"strconv"
)

// Matrix is a dense matrix of float64 with open storage, after the manner of
// image.RGBA: row i is Data[i*Stride : i*Stride+Cols]. Rows are samples
// wherever data comes in. Values between the end of one row and the start of
// the next (Stride > Cols) are never read or written.
//
// The zero value is an empty 0×0 matrix. A matrix of another library is
// wrapped without a copy by filling in the four fields. Functions that take a Matrix
// return an [ErrShape] if its fields contradict each other.
type Matrix struct {
	Rows, Cols, Stride int
	Data               []float64
}

// NewMatrix returns a rows×cols matrix over data, which it does not copy: the
// matrix and the slice share their values. A nil data allocates zeros.
// NewMatrix panics if a size is negative or len(data) is not rows·cols.
func NewMatrix(rows, cols int, data []float64) *Matrix {
	if !addressable(rows, cols) {
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

// checkSize is an [ErrShape] if a rows×cols matrix, described by what, is too large for
// the address space. NewMatrix panics at such a size.
func checkSize(what string, rows, cols int) error {
	if addressable(rows, cols) {
		return nil
	}
	return fail(ErrShape, what+" of "+shape(rows, cols)+" is too large to address")
}

// checkSizeOfK is checkSize for a size that k is to blame for: an [ErrOption].
func checkSizeOfK(k, rows, cols int) error {
	if addressable(rows, cols) {
		return nil
	}
	return fail(ErrOption, "k is "+strconv.Itoa(k)+": a matrix of "+shape(rows, cols)+" is too large to address")
}

// addressable reports whether a rows×cols matrix has addresses. Machines of 64 bits use
// 48 of them, WebAssembly uses 32. A negative size, as of a sum that overflows, has none.
func addressable(rows, cols int) bool {
	most := min(math.MaxInt/8, 1<<44)
	if runtime.GOARCH == "wasm" {
		most = min(math.MaxInt/8, 1<<29-1)
	}
	return rows >= 0 && cols >= 0 && (cols == 0 || rows <= most/cols)
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

// At returns the value in row i and column j, both counted from 0. It panics
// if either is out of range.
func (m *Matrix) At(i, j int) float64 {
	m.check(i, j)
	return m.Data[i*m.Stride+j]
}

// Set sets the value in row i and column j. It panics if either is out of range.
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

// row is Row for an index in range.
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
	copyRows(c, m)
	return c
}

// transposed returns mᵀ with storage of its own.
func (m *Matrix) transposed() *Matrix {
	t := NewMatrix(m.Cols, m.Rows, nil)
	transposeTo(t, m)
	return t
}

// destination returns dst, or a new matrix where dst is nil. It panics if dst has another
// shape, which is the caller's mistake whatever the data.
func destination(dst *Matrix, rows, cols int) *Matrix {
	if dst == nil {
		return NewMatrix(rows, cols, nil)
	}
	if dst.Rows != rows || dst.Cols != cols || checkShape("dst", dst) != nil {
		panic("softkmeans: dst is " + shape(dst.Rows, dst.Cols) + ", the result is " + shape(rows, cols))
	}
	return dst
}

// checkShape is an error if m is nil, has a negative size or stride, or less data than its
// shape needs. Sizes whose product overflows int are among those.
func checkShape(arg string, m *Matrix) error {
	switch {
	case m == nil:
		return fail(ErrShape, arg+" is nil")
	case m.Rows < 0 || m.Cols < 0:
		return fail(ErrShape, arg+" is "+shape(m.Rows, m.Cols))
	case m.Rows > 0 && m.Stride < m.Cols:
		return fail(ErrShape, arg+" has stride "+strconv.Itoa(m.Stride)+" below its "+strconv.Itoa(m.Cols)+" columns")
	case m.Rows == 0 || m.Cols == 0:
		return nil
	case len(m.Data) < m.Cols || (len(m.Data)-m.Cols)/m.Stride < m.Rows-1:
		return fail(ErrShape, arg+" is "+shape(m.Rows, m.Cols)+" with stride "+strconv.Itoa(m.Stride)+
			" and has only "+strconv.Itoa(len(m.Data))+" values")
	}
	return nil
}

// The one range. Entries of data are at most mostEntry in size. What is computed from
// data, or compared with it, may be mostCenter: prototypes lie outside of the data. The
// largest entry of data is 0 or at least leastScale. So data scaled by one power of two
// has squares, and sums of them, that plain formulas can take. Next to a largest entry of
// about 1, what is below negligible counts as 0: its square has no digits.
const (
	mostEntry  = 0x1p500
	mostCenter = 0x1p520
	leastScale = 0x1p-500
	negligible = 0x1p-500
)

// checkMatrix is checkShape, and an error where an entry is not finite or above most.
func checkMatrix(arg string, m *Matrix, most float64) error {
	if err := checkShape(arg, m); err != nil {
		return err
	}
	_, err := checkEntries(arg, m, most)
	return err
}

// checkEntries returns the largest magnitude in m, 0 where m is empty. The error names
// the first entry that is not finite or above most.
func checkEntries(arg string, m *Matrix, most float64) (top float64, err error) {
	if m.Cols == 0 { // there may be 2^31 rows
		return 0, nil
	}
	for i := range m.Rows {
		big, finite := rowMaxAbs(m.row(i))
		if !finite || big > most {
			return 0, entryError(arg, m, most, 0)
		}
		top = max(top, big)
	}
	return top, nil
}

// entryError is the error about the first entry that is not finite, or whose size is above
// most or exactly tooSmall. 0 is not too small.
func entryError(arg string, m *Matrix, most, tooSmall float64) error {
	for i := range m.Rows {
		for j, v := range m.row(i) {
			why := ErrRange
			if !isFinite(v) {
				why = ErrNonFinite
			} else if a := math.Abs(v); a <= most && (a != tooSmall || a == 0) {
				continue
			}
			return &InputError{Arg: arg, Row: i, Col: j, Value: v, Err: why}
		}
	}
	return nil
}

// checkData is checkEntries for a table that is scaled by its largest entry, which must
// be 0 or in range.
func checkData(arg string, m *Matrix) (top float64, err error) {
	if top, err = checkEntries(arg, m, mostEntry); err != nil {
		return 0, err
	}
	return top, checkScale(arg, m, top)
}

// checkScale is an error that names the largest entry of m, top, where that is too small
// but not 0.
func checkScale(arg string, m *Matrix, top float64) error {
	if top == 0 || top >= leastScale {
		return nil
	}
	return entryError(arg, m, mostEntry, top)
}

// symmetryTol is how far an entry may be from its mirror image, relative to the largest
// entry. What is within it is averaged.
const symmetryTol = 1e-8

// checkSymmetric is checkData for a matrix that must be square, and symmetric to
// symmetryTol of its largest entry. The error names the pair that differs most. exact is
// whether none differs.
func checkSymmetric(arg string, m *Matrix) (exact bool, err error) {
	if m.Rows != m.Cols {
		return false, fail(ErrShape, arg+" is "+shape(m.Rows, m.Cols)+", not square")
	}
	top, err := checkData(arg, m)
	if err != nil {
		return false, err
	}
	// By tiles, so that mirror images are read from a cache.
	const tile = 64
	worst, row, col := 0.0, 0, 0
	for i0 := 0; i0 < m.Rows; i0 += tile {
		for j0 := 0; j0 <= i0; j0 += tile {
			for i := i0; i < min(i0+tile, m.Rows); i++ {
				for j, v := range m.row(i)[j0:min(j0+tile, i+1)] {
					if d := math.Abs(v - m.Data[(j0+j)*m.Stride+i]); d > worst {
						worst, row, col = d, i, j0+j
					}
				}
			}
		}
	}
	if worst > symmetryTol*top {
		return false, fail(ErrShape, arg+" is not symmetric: worst at ["+strconv.Itoa(row)+","+strconv.Itoa(col)+"] = "+
			decimal(m.At(row, col))+" and ["+strconv.Itoa(col)+","+strconv.Itoa(row)+"] = "+decimal(m.At(col, row)))
	}
	return worst == 0, nil
}

// rowsOf is the view of rows lo…hi−1. The data may end with the last entry.
func rowsOf(m *Matrix, lo, hi int) *Matrix {
	return &Matrix{Rows: hi - lo, Cols: m.Cols, Stride: m.Stride, Data: m.Data[lo*m.Stride : min(hi*m.Stride, len(m.Data))]}
}

// squareOf returns a copy of the leading n×n part.
func squareOf(m *Matrix, n int) *Matrix {
	return (&Matrix{Rows: n, Cols: n, Stride: m.Stride, Data: m.Data}).Clone()
}

// chosenRows returns rows of m.
func chosenRows(m *Matrix, rows []int) *Matrix {
	out := NewMatrix(len(rows), m.Cols, nil)
	for i, at := range rows {
		copy(out.row(i), m.row(at))
	}
	return out
}

// copyRowsTo writes the rows of m to the chosen rows of dst.
func copyRowsTo(dst *Matrix, rows []int, m *Matrix) {
	for t, i := range rows {
		copy(dst.row(i), m.row(t))
	}
}

func identity(n int) *Matrix {
	m := NewMatrix(n, n, nil)
	for i := range n {
		m.Data[i*n+i] = 1
	}
	return m
}

// permuteRows returns a matrix whose row i is row order[i] of m. If no row moves, it is m.
func permuteRows(m *Matrix, order []int) *Matrix {
	if slices.IsSorted(order) {
		return m
	}
	return chosenRows(m, order)
}

// transposeTo overwrites t with mᵀ.
func transposeTo(t, m *Matrix) {
	for i := range m.Rows {
		for j, v := range m.row(i) {
			t.Data[j*t.Stride+i] = v
		}
	}
}

// timesT overwrites c with A·Bᵀ. The rows of all three have no gaps.
func timesT(c, a, b *Matrix) {
	clear(c.Data)
	addMulNT(c.Data, b.Rows, a.Data, a.Rows, b.Data, b.Rows, a.Cols, false)
}

// padded returns m with columns of zeros up to k.
func padded(m *Matrix, k int) *Matrix {
	if m.Cols == k {
		return m
	}
	out := NewMatrix(m.Rows, k, nil)
	copyRows(out, m)
	return out
}

// maxAbs is the largest magnitude in m, 0 where m is empty.
func maxAbs(m *Matrix) (top float64) {
	for i := range m.Rows {
		big, _ := rowMaxAbs(m.row(i))
		top = max(top, big)
	}
	return top
}

// argmax is the index of the largest number, the lowest on ties; 0 where there is none.
func argmax(v []float64) (best int) {
	for i, x := range v {
		if x > v[best] {
			best = i
		}
	}
	return best
}

// sumOf adds up v, in order.
func sumOf(v []float64) (sum float64) {
	for _, x := range v {
		sum += x
	}
	return sum
}

// indices returns 0 … n−1.
func indices(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// copyRows overwrites the first rows of dst, and their first columns, with m.
func copyRows(dst, m *Matrix) {
	for i := range m.Rows {
		copy(dst.row(i), m.row(i))
	}
}

// descending returns the indices of v by descending value, equal values in
// their order. It merges runs.
func descending(v []float64) []int {
	n := len(v)
	order, merged := indices(n), make([]int, n)
	for run := 1; run < n; run *= 2 {
		for lo := 0; lo < n; lo += 2 * run {
			mid, hi := min(lo+run, n), min(lo+2*run, n)
			a, b := lo, mid
			for at := lo; at < hi; at++ {
				if b == hi || a < mid && v[order[a]] >= v[order[b]] {
					merged[at] = order[a]
					a++
				} else {
					merged[at] = order[b]
					b++
				}
			}
		}
		order, merged = merged, order
	}
	return order
}

// resized returns n floats of any content, in buf if its capacity is enough.
func resized(buf []float64, n int) []float64 {
	if cap(buf) < n {
		return make([]float64, n)
	}
	return buf[:n]
}

// reshaped is resized for a matrix without gaps.
func reshaped(m *Matrix, rows, cols int) *Matrix {
	if m == nil {
		return NewMatrix(rows, cols, nil)
	}
	*m = Matrix{Rows: rows, Cols: cols, Stride: cols, Data: resized(m.Data, rows*cols)}
	return m
}
