package softkmeans

// Sparse tables: rows of which only some entries are stored.

import (
	"math"
	"slices"
	"strconv"
)

// SparseMatrix is a matrix of float64 in compressed rows (CSR). Its storage is open: Indptr, Indices and Data
// are as in SciPy's csr_array. The entries of row i are Data[Indptr[i]:Indptr[i+1]], and their columns
// Indices[Indptr[i]:Indptr[i+1]], ascending. All other entries are 0; stored entries may be 0, too. The zero
// value is an empty 0×0 matrix. If the fields contradict each other, functions return an [ErrShape] with the
// row.
type SparseMatrix struct {
	Rows, Cols int
	Indptr     []int // Rows+1 numbers, ascending from 0; may be nil if Rows is 0
	Indices    []int
	Data       []float64
}

// SparseFromTriples returns the rows×cols matrix with v[t] in row i[t] and column j[t] (coordinate form,
// COO). Indices count from 0, in any order. Numbers for the same place are added in their order. The slices
// are not kept. Cost: O(m·log m) for m = len(v). Errors: [ErrShape] if lengths differ, or with an index out
// of range.
func SparseFromTriples(rows, cols int, i, j []int, v []float64) (*SparseMatrix, error) {
	if rows < 0 || cols < 0 || rows == math.MaxInt || len(i) != len(v) || len(j) != len(v) {
		return nil, fail(ErrShape, "triples are "+strconv.Itoa(len(i))+" rows, "+strconv.Itoa(len(j))+
			" columns and "+strconv.Itoa(len(v))+" values for a matrix of size "+shape(rows, cols))
	}
	if err := checkSize("the starts of rows", rows+1, 1); err != nil {
		return nil, err
	}
	m := &SparseMatrix{Rows: rows, Cols: cols, Indptr: make([]int, rows+1)}
	for t := range v {
		if uint(i[t]) >= uint(rows) || uint(j[t]) >= uint(cols) {
			return nil, fail(ErrShape, "triple "+strconv.Itoa(t)+" is for row "+strconv.Itoa(i[t])+
				", column "+strconv.Itoa(j[t])+" of a matrix of size "+shape(rows, cols))
		}
		m.Indptr[i[t]+1]++
	}
	for r := range rows {
		m.Indptr[r+1] += m.Indptr[r]
	}
	order, next := make([]int, len(v)), slices.Clone(m.Indptr)
	for t := range v {
		order[next[i[t]]] = t
		next[i[t]]++
	}
	m.Indices, m.Data = make([]int, 0, len(v)), make([]float64, 0, len(v))
	for r := range rows {
		row, from := order[m.Indptr[r]:m.Indptr[r+1]], len(m.Data)
		slices.SortStableFunc(row, func(a, b int) int { return j[a] - j[b] })
		m.Indptr[r] = from
		for _, t := range row {
			if last := len(m.Data) - 1; last >= from && m.Indices[last] == j[t] {
				m.Data[last] += v[t]
				continue
			}
			m.Indices, m.Data = append(m.Indices, j[t]), append(m.Data, v[t])
		}
	}
	m.Indptr[rows] = len(m.Data)
	return m, nil
}

// Dense returns the matrix with all its zeros. Errors: [ErrShape] if the fields contradict each other or the
// result would exceed the address space.
func (m *SparseMatrix) Dense() (*Matrix, error) {
	if err := m.check("the sparse matrix"); err != nil {
		return nil, err
	}
	if err := checkSize("the matrix", m.Rows, m.Cols); err != nil {
		return nil, err
	}
	out := NewMatrix(m.Rows, m.Cols, nil)
	for i := range m.Rows {
		m.fill(out.row(i), i)
	}
	return out, nil
}

// fill overwrites dst with row i.
func (m *SparseMatrix) fill(dst []float64, i int) {
	clear(dst)
	for t := m.Indptr[i]; t < m.Indptr[i+1]; t++ {
		dst[m.Indices[t]] = m.Data[t]
	}
}

// check returns an error if the fields contradict each other.
func (m *SparseMatrix) check(arg string) error {
	if m == nil {
		return fail(ErrShape, arg+" is nil")
	}
	stored := len(m.Data)
	switch {
	case m.Rows < 0 || m.Cols < 0:
		return fail(ErrShape, arg+" is "+shape(m.Rows, m.Cols))
	case len(m.Indices) != stored:
		return fail(ErrShape,
			arg+" has "+strconv.Itoa(len(m.Indices))+" Indices for "+strconv.Itoa(stored)+" numbers in Data")
	case m.Rows == 0 && len(m.Indptr) == 0 && stored == 0:
		return nil
	case len(m.Indptr)-1 != m.Rows:
		return fail(ErrShape, arg+" has "+strconv.Itoa(len(m.Indptr))+" Indptr for "+strconv.Itoa(m.Rows)+
			" rows, which take one more")
	case m.Indptr[0] != 0 || m.Indptr[m.Rows] != stored:
		return fail(ErrShape, arg+" has an Indptr from "+strconv.Itoa(m.Indptr[0])+" to "+
			strconv.Itoa(m.Indptr[m.Rows])+" for "+strconv.Itoa(stored)+" numbers in Data")
	}
	for i := range m.Rows {
		lo, hi := m.Indptr[i], m.Indptr[i+1]
		if lo > hi || hi > stored {
			return fail(ErrShape, arg+" has an Indptr from "+strconv.Itoa(lo)+" to "+strconv.Itoa(hi)+
				" for row "+strconv.Itoa(i))
		}
		last := -1
		for _, j := range m.Indices[lo:hi] {
			if j <= last || j >= m.Cols {
				return fail(ErrShape, arg+" has column "+strconv.Itoa(j)+" after "+strconv.Itoa(last)+
					" in row "+strconv.Itoa(i)+": columns must ascend, from 0 to "+strconv.Itoa(m.Cols-1))
			}
			last = j
		}
	}
	return nil
}

// entryError returns the error of the function entryError for the entries of row i, with the row and the
// column in m; nil: no error.
func (m *SparseMatrix) entryError(i int, tooSmall float64) error {
	lo, hi := m.Indptr[i], m.Indptr[i+1]
	row := &Matrix{Rows: 1, Cols: hi - lo, Stride: hi - lo, Data: m.Data[lo:hi]}
	err := entryError("x", row, mostEntry, tooSmall)
	if e, ok := err.(*InputError); ok {
		e.Row, e.Col = i, m.Indices[lo+e.Col]
	}
	return err
}

// largest returns the largest magnitude in rows of positive weight. It checks that every entry is in range.
func (m *SparseMatrix) largest(weight func(i int) float64) (top float64, err error) {
	for i := range m.Rows {
		big, finite := rowMaxAbs(m.Data[m.Indptr[i]:m.Indptr[i+1]])
		if !finite || big > mostEntry {
			return 0, m.entryError(i, 0)
		}
		if weight(i) > 0 {
			top = max(top, big)
		}
	}
	for i := 0; i < m.Rows && top > 0 && top < leastScale; i++ {
		if err := m.entryError(i, top); err != nil {
			return 0, err
		}
	}
	return top, nil
}

// compressed contains the rows or the columns of a sparse table, in scaled units.
type compressed struct {
	count   int // of rows
	start   []int
	index   []int
	value   []float64
	longest int // the most entries of a row
}

// rows returns the rows of m, multiplied by a.
func (m *SparseMatrix) rows(a float64) *compressed {
	c := &compressed{count: m.Rows, start: m.Indptr, index: m.Indices, value: slices.Clone(m.Data)}
	scale(c.value, a)
	for i := range c.count {
		c.longest = max(c.longest, c.start[i+1]-c.start[i])
	}
	return c
}

// row returns the columns and the entries of row i.
func (c *compressed) row(i int) (index []int, value []float64) {
	lo, hi := c.start[i], c.start[i+1]
	return c.index[lo:hi], c.value[lo:hi]
}

// transposed returns the n columns of c as rows, each with ascending indices.
func (c *compressed) transposed(n int) *compressed {
	t := &compressed{count: n, start: make([]int, n+1), index: make([]int, len(c.index)),
		value: make([]float64, len(c.value))}
	for _, j := range c.index {
		t.start[j+1]++
	}
	for j := range n {
		t.longest = max(t.longest, t.start[j+1])
		t.start[j+1] += t.start[j]
	}
	next := slices.Clone(t.start)
	for i := range c.count {
		index, value := c.row(i)
		for l, j := range index {
			t.index[next[j]], t.value[next[j]] = i, value[l]
			next[j]++
		}
	}
	return t
}

// sumBlock is the number of entries in a partial sum of sparse data. Partial sums are added afterwards.
const sumBlock = 1024

// sumDepth returns the number of additions that a term passes in a sum of n entries by partial sums of
// sumBlock.
func sumDepth(n int) int { return min(n, sumBlock) + n/sumBlock }

// dot returns the product of row i with v, and the sum of squares of row i. Both are summed by sumBlock.
func (c *compressed) dot(i int, v []float64) (product, squares float64) {
	index, value := c.row(i)
	for len(index) > 0 {
		m := min(len(index), sumBlock)
		var p, q float64
		for t, j := range index[:m] {
			p += value[t] * v[j]
			q += value[t] * value[t]
		}
		product, squares = product+p, squares+q
		index, value = index[m:], value[m:]
	}
	return product, squares
}

// addTo adds Σ_j c_ij·v_j to out, for the rows v_j of v, by sumBlock. part is scratch of the length of out.
func (c *compressed) addTo(out []float64, i int, v *Matrix, part []float64) {
	index, value := c.row(i)
	sumByBlocks(out, part, index, value, func(sums []float64, index []int, value []float64) {
		addRows(sums, value, index, v.Data)
	})
}

// sumByBlocks calls add to add entries to out, by sumBlock. part is scratch of the length of out.
func sumByBlocks(
	out, part []float64, index []int, value []float64, add func(sums []float64, index []int, value []float64),
) {
	if len(index) <= sumBlock {
		add(out, index, value)
		return
	}
	for len(index) > 0 {
		m := min(len(index), sumBlock)
		clear(part)
		add(part, index[:m], value[:m])
		axpy(out, 1, part)
		index, value = index[m:], value[m:]
	}
}

// length returns the row length that a pass over c gives to chunking: the mean number of entries of a row
// times `times`, the work for an entry.
func (c *compressed) length(times int) int { return max(1, len(c.index)/max(c.count, 1)*times) }
