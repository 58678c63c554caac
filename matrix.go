package softkmeans

import (
	"math"
	"runtime"
	"strconv"
)

// Matrix is a dense matrix of float64; rows are samples. Its storage is open, as in image.RGBA: row i is
// Data[i*Stride : i*Stride+Cols]. Elements of Data between the rows are never read or written. Set the four
// fields to wrap a matrix of another library without a copy. The zero value is an empty 0×0 matrix. Functions
// return an [ErrShape] if the fields contradict each other.
type Matrix struct {
	Rows, Cols, Stride int
	Data               []float64
}

// NewMatrix returns a rows×cols matrix that contains the values of data, row by row, without a copy. If data
// is nil all values are 0. NewMatrix panics if a size is negative or len(data) is not rows·cols.
func NewMatrix(rows, cols int, data []float64) *Matrix {
	return &Matrix{Rows: rows, Cols: cols, Stride: cols, Data: valuesOf(rows, cols, data)}
}

// valuesOf returns the data of NewMatrix. It is a function of its own so that the compiler inlines NewMatrix.
func valuesOf(rows, cols int, data []float64) []float64 {
	if !addressable(rows, cols) {
		panic("softkmeans: NewMatrix with size " + shape(rows, cols))
	}
	if data == nil {
		data = make([]float64, rows*cols)
	}
	if len(data) != rows*cols {
		panic("softkmeans: NewMatrix of size " + shape(rows, cols) + " with " +
			strconv.Itoa(len(data)) + " values")
	}
	return data
}

// checkSize returns an [ErrShape] whose text begins with the argument what, if a rows×cols matrix is too
// large for NewMatrix.
func checkSize(what string, rows, cols int) error {
	if addressable(rows, cols) {
		return nil
	}
	return fail(ErrShape, what+" of "+shape(rows, cols)+" is too large to address")
}

// checkSizeOfK returns an [ErrOption] that names k if a rows×cols matrix is too large for NewMatrix.
func checkSizeOfK(k, rows, cols int) error {
	if addressable(rows, cols) {
		return nil
	}
	return fail(ErrOption, "k is "+strconv.Itoa(k)+": a matrix of "+shape(rows, cols)+
		" is too large to address")
}

const mostSquare = 1 << 15 // the largest k if a fit allocates k×k numbers; for this k they take 8 GB

// checkSquareOfK returns an [ErrOption] if k is too large for (k+1)×(k+1) numbers.
func checkSquareOfK(k int) error {
	if k <= mostSquare && addressable(k+1, k+1) {
		return nil
	}
	return fail(ErrOption, "k is "+strconv.Itoa(k)+", too large: k×k numbers are needed")
}

// addressable reports whether a rows×cols matrix fits into the address space: 2^47 bytes, in WebAssembly
// 2^32. A negative size, such as a sum that overflowed, does not.
func addressable(rows, cols int) bool {
	most := min(math.MaxInt/8, 1<<44)
	if runtime.GOARCH == "wasm" {
		most = min(math.MaxInt/8, 1<<29-1)
	}
	return rows >= 0 && cols >= 0 && (cols == 0 || rows <= most/cols)
}

// FromRows returns a matrix that contains a copy of the given rows. If their lengths differ it returns an
// [ErrShape] that names the row. Without rows it returns the empty 0×0 matrix.
func FromRows(rows [][]float64) (*Matrix, error) {
	if len(rows) == 0 {
		return NewMatrix(0, 0, nil), nil
	}
	m := NewMatrix(len(rows), len(rows[0]), nil)
	for i, r := range rows {
		if len(r) != m.Cols {
			return nil, fail(ErrShape, "row "+strconv.Itoa(i)+" has "+strconv.Itoa(len(r))+
				" values, row 0 has "+strconv.Itoa(m.Cols))
		}
		copy(m.row(i), r)
	}
	return m, nil
}

// At returns the value in row i and column j, from 0. It panics out of range.
func (m *Matrix) At(i, j int) float64 {
	m.check(i, j)
	return m.Data[i*m.Stride+j]
}

// Set sets the value in row i and column j. It panics out of range.
func (m *Matrix) Set(i, j int, v float64) {
	m.check(i, j)
	m.Data[i*m.Stride+j] = v
}

func (m *Matrix) check(i, j int) {
	if uint(i) >= uint(m.Rows) || uint(j) >= uint(m.Cols) {
		panic("softkmeans: index (" + strconv.Itoa(i) + ", " + strconv.Itoa(j) +
			") out of a matrix of size " + shape(m.Rows, m.Cols))
	}
}

// Row returns row i as a view: writing to it changes the matrix, appending does not. It panics if i is out of
// range.
func (m *Matrix) Row(i int) []float64 {
	if uint(i) >= uint(m.Rows) {
		panic("softkmeans: row " + strconv.Itoa(i) + " of a matrix of size " + shape(m.Rows, m.Cols))
	}
	return m.row(i)
}

// row returns row i. It assumes that i is in range.
func (m *Matrix) row(i int) []float64 {
	if m.Cols == 0 {
		return nil
	}
	lo := i * m.Stride
	return m.Data[lo : lo+m.Cols : lo+m.Cols]
}

// Clone returns a copy with its own storage, in which Stride is Cols.
func (m *Matrix) Clone() *Matrix {
	c := NewMatrix(m.Rows, m.Cols, nil)
	copyRows(c, m)
	return c
}

// transposed returns mᵀ with its own storage.
func (m *Matrix) transposed() *Matrix {
	t := NewMatrix(m.Cols, m.Rows, nil)
	transposeTo(t, m)
	return t
}

// Check returns nil if m is valid, otherwise an error that calls the matrix by name. Errors: [ErrShape] if m
// is nil or its fields contradict each other, [ErrNonFinite], and [ErrRange] for an entry above 2^520.
func (m *Matrix) Check(name string) error { return checkMatrix(name, m, mostCenter) }

// destination returns dst, or a new matrix if dst is nil. It panics if dst is not rows×cols.
func destination(dst *Matrix, rows, cols int) *Matrix {
	if dst == nil {
		return NewMatrix(rows, cols, nil)
	}
	if dst.Rows != rows || dst.Cols != cols || checkShape("dst", dst) != nil {
		panic("softkmeans: dst is " + shape(dst.Rows, dst.Cols) + ", the result is " + shape(rows, cols))
	}
	return dst
}

// checkShape returns an error if m is nil, if a size is negative, or if stride or data do not suffice for the
// sizes.
func checkShape(arg string, m *Matrix) error {
	switch {
	case m == nil:
		return fail(ErrShape, arg+" is nil")
	case m.Rows < 0 || m.Cols < 0:
		return fail(ErrShape, arg+" is "+shape(m.Rows, m.Cols))
	case m.Rows > 0 && m.Stride < m.Cols:
		return fail(ErrShape, arg+" has stride "+strconv.Itoa(m.Stride)+" below its "+
			strconv.Itoa(m.Cols)+" columns")
	case m.Rows == 0 || m.Cols == 0:
		return nil
	case len(m.Data) < m.Cols || (len(m.Data)-m.Cols)/m.Stride < m.Rows-1:
		return fail(ErrShape, arg+" is "+shape(m.Rows, m.Cols)+" with stride "+strconv.Itoa(m.Stride)+
			" and has only "+strconv.Itoa(len(m.Data))+" values")
	}
	return nil
}

// The one range of numbers. Entries of data are at most mostEntry in magnitude, prototypes and other results
// at most mostCenter. The largest entry of data is 0 or at least leastScale. After scaling by one power of
// two, plain formulas can therefore take squares and their sums. If the largest entry is about 1, entries
// below negligible count as 0, since their squares are lost.
const (
	mostEntry  = 0x1p500
	mostCenter = 0x1p520
	leastScale = 0x1p-500
	negligible = 0x1p-500
)

// checkMatrix returns the error of checkShape or checkEntries.
func checkMatrix(arg string, m *Matrix, most float64) error {
	if err := checkShape(arg, m); err != nil {
		return err
	}
	_, err := checkEntries(arg, m, most)
	return err
}

// checkPart returns an error if m is not nil and checkMatrix rejects it; entries may be up to mostCenter.
func checkPart(name string, m *Matrix) error {
	if m == nil {
		return nil
	}
	return checkMatrix(name, m, mostCenter)
}

// checkEntries returns the largest magnitude in m, or an error for the first entry that is not finite or
// above most.
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

// entryError returns an error for the first entry that is not finite, or whose magnitude is above most or is
// tooSmall (if not 0).
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

// checkData returns the largest magnitude in m, or the errors of checkEntries and checkScale.
func checkData(arg string, m *Matrix) (top float64, err error) {
	if top, err = checkEntries(arg, m, mostEntry); err != nil {
		return 0, err
	}
	return top, checkScale(arg, m, top)
}

// checkScale returns an error that names the first entry of magnitude top, the largest in m, if top is below
// leastScale and not 0.
func checkScale(arg string, m *Matrix, top float64) error {
	if top == 0 || top >= leastScale {
		return nil
	}
	return entryError(arg, m, mostEntry, top)
}

// symmetryTol is the largest difference between an entry and its mirror image, relative to the largest entry.
const symmetryTol = 1e-8

// checkSymmetric returns an error of checkData, or an error if m is not square or not symmetric to
// symmetryTol. The latter names the pair that differs most. exact reports whether no pair differs.
func checkSymmetric(arg string, m *Matrix) (exact bool, err error) {
	if m.Rows != m.Cols {
		return false, fail(ErrShape, arg+" is "+shape(m.Rows, m.Cols)+", not square")
	}
	top, err := checkData(arg, m)
	if err != nil {
		return false, err
	}
	// Tiles keep mirror images in a cache.
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
		place := func(i, j int) string {
			return "[" + strconv.Itoa(i) + "," + strconv.Itoa(j) + "] = " + decimal(m.At(i, j))
		}
		pair := place(row, col) + " and " + place(col, row)
		return false, fail(ErrShape, arg+" is not symmetric: worst at "+pair)
	}
	return worst == 0, nil
}

// average makes a square matrix without gaps symmetric: pairs of entries get their mean. It goes by tiles, so
// that mirror images are read from a cache.
func (m *Matrix) average() {
	const tile = 64
	n := m.Rows
	for i0 := 0; i0 < n; i0 += tile {
		for j0 := 0; j0 <= i0; j0 += tile {
			for i := i0; i < min(i0+tile, n); i++ {
				for j := j0; j < min(j0+tile, i); j++ {
					v, w := &m.Data[i*n+j], &m.Data[j*n+i]
					*v += *w/2 - *v/2
					*w = *v
				}
			}
		}
	}
}

// rowsOf returns a view of rows lo…hi−1. Data may end with the last entry of the last row.
func rowsOf(m *Matrix, lo, hi int) *Matrix {
	data := m.Data[lo*m.Stride : min(hi*m.Stride, len(m.Data))]
	return &Matrix{Rows: hi - lo, Cols: m.Cols, Stride: m.Stride, Data: data}
}

// chosenRows returns a copy of the chosen rows of m.
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

// transposeTo overwrites t with mᵀ. It works in strips of 1024 columns, which stay in a cache.
func transposeTo(t, m *Matrix) {
	for lo := 0; lo < m.Cols; lo += 1024 {
		for i := range m.Rows {
			for j, v := range m.row(i)[lo:min(lo+1024, m.Cols)] {
				t.Data[(lo+j)*t.Stride+i] = v
			}
		}
	}
}

// timesT overwrites c with A·Bᵀ. All three must have Stride = Cols.
func timesT(c, a, b *Matrix) {
	clear(c.Data)
	addMulNT(c.Data, b.Rows, a.Data, a.Rows, b.Data, b.Rows, a.Cols, false)
}

// padded returns m, extended by columns of zeros to k columns.
func padded(m *Matrix, k int) *Matrix {
	if m.Cols == k {
		return m
	}
	out := NewMatrix(m.Rows, k, nil)
	copyRows(out, m)
	return out
}

// maxAbs returns the largest magnitude in m, or 0 if m is empty.
func maxAbs(m *Matrix) (top float64) {
	for i := range m.Rows {
		big, _ := rowMaxAbs(m.row(i))
		top = max(top, big)
	}
	return top
}

// copyTo returns m if dst is nil, otherwise dst with a copy of m, or an error if an entry is out of range.
func copyTo(dst, m *Matrix) (*Matrix, error) {
	if _, err := checkEntries("coordinates", m, mostCenter); err != nil {
		return nil, err
	}
	if dst == nil {
		return m, nil
	}
	dst = destination(dst, m.Rows, m.Cols)
	copyRows(dst, m)
	return dst, nil
}

// argmax returns the index of the largest number, the first one on ties, or 0 if v is empty.
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

// copyRows copies m to the first rows and columns of dst.
func copyRows(dst, m *Matrix) {
	for i := range m.Rows {
		copy(dst.row(i), m.row(i))
	}
}

// descending returns the indices of v by descending value, by merging runs. Equal values keep their order. It
// takes half of the time and 3 kB less of WebAssembly than a sort of package slices.
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

// resized returns n floats of any content. It uses the storage of buf if that suffices.
func resized(buf []float64, n int) []float64 {
	if cap(buf) < n {
		return make([]float64, n)
	}
	return buf[:n]
}

// reshaped returns a rows×cols matrix of any content with Stride = cols. It uses the storage of m if that
// suffices.
func reshaped(m *Matrix, rows, cols int) *Matrix {
	if m == nil {
		return NewMatrix(rows, cols, nil)
	}
	*m = Matrix{Rows: rows, Cols: cols, Stride: cols, Data: resized(m.Data, rows*cols)}
	return m
}
