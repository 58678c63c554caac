package sparse

import (
	"io"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/internal/la"
)

// market is a MatrixMarket file.
type market struct {
	*lines
	array, pattern, integer bool
	mirror                  float64 // what the entry across the diagonal is times this one; 0: nothing
	rows, cols, count       int     // of the header; count is that of the entries
}

// readMarket reads a MatrixMarket file. Entries for the same place are added up.
func readMarket(l *lines) (*Table, error) {
	m := &market{lines: l}
	if err := m.readBanner(); err != nil {
		return nil, err
	}
	if err := m.readSize(); err != nil {
		return nil, err
	}
	read := m.readEntries
	if m.array {
		read = m.readArray
	}
	x, err := read()
	if err != nil {
		return nil, err
	}
	return &Table{X: x, Full: m.array}, nil
}

// readBanner reads the first line: %%MatrixMarket matrix coordinate real general.
func (m *market) readBanner() error {
	text, err := m.next()
	if err != nil && err != io.EOF {
		return err
	}
	words := strings.Fields(strings.ToLower(string(text)))
	if len(words) != 5 || words[0] != banner && words[0] != banner[1:] {
		return m.fault(0,
			"the first line must be %%MatrixMarket and four words, such as matrix coordinate real general")
	}
	if words[1] != "matrix" {
		return m.fault(2, quote([]byte(words[1]), 0)+" is no table; matrix is")
	}
	switch m.array = words[2] == "array"; {
	case !m.array && words[2] != "coordinate":
		return m.fault(3, quote([]byte(words[2]), 0)+" is neither coordinate nor array")
	}
	switch words[3] {
	case "real":
	case "integer":
		m.integer = true
	case "pattern":
		if m.pattern = true; m.array {
			return m.fault(4, "an array has no pattern")
		}
	case "complex":
		return m.fault(4, "complex numbers; a table has real ones")
	default:
		return m.fault(4, quote([]byte(words[3]), 0)+" is none of real, integer and pattern")
	}
	switch words[4] {
	case "general":
	case "symmetric":
		m.mirror = 1
	case "skew-symmetric":
		m.mirror = -1
	case "hermitian":
		return m.fault(5, "a hermitian matrix has complex numbers; a table has real ones")
	default:
		return m.fault(5, quote([]byte(words[4]), 0)+" is none of general, symmetric and skew-symmetric")
	}
	return nil
}

// content returns the next line that is neither blank nor a comment.
func (m *market) content() ([]byte, error) {
	for {
		text, err := m.next()
		if err != nil || len(text) > 0 && text[0] != '%' {
			return text, err
		}
	}
}

func (m *market) readSize() error {
	text, err := m.content()
	if err == io.EOF {
		return m.whole("the file is cut in its header: there is no line of sizes")
	}
	if err != nil {
		return err
	}
	into := []*int{&m.rows, &m.cols, &m.count}
	if m.array {
		into = into[:2]
	}
	at := 0
	for f, size := range into {
		var ok bool
		from := skip(text, at)
		if *size, at, ok = count(text, from); !ok || !ends(text, at) {
			return m.fault(f+1, quote(text, from)+" is not a size")
		}
	}
	if at = skip(text, at); at < len(text) {
		return m.fault(len(into)+1, quote(text, at)+" follows the sizes")
	}
	switch {
	case m.rows == 0:
		return m.fault(1, "there are no rows")
	case m.cols == 0:
		return m.fault(2, "there are no columns")
	case m.mirror != 0 && m.rows != m.cols:
		return m.fault(0, strconv.Itoa(m.rows)+" rows and "+strconv.Itoa(m.cols)+" columns are not symmetric")
	case m.array && m.rows > math.MaxInt32/m.cols:
		return m.fault(0, strconv.Itoa(m.rows)+"×"+strconv.Itoa(m.cols)+" numbers are too many for an array")
	}
	return nil
}

// triples are entries in any order.
type triples struct {
	i, j []int
	v    []float64
}

func (t *triples) add(i, j int, v float64) {
	t.i, t.j, t.v = append(t.i, i), append(t.j, j), append(t.v, v)
}

// readEntries reads lines of row, column and value, the first two counted from 1.
func (m *market) readEntries() (*softkmeans.SparseMatrix, error) {
	var t triples
	for n := 0; ; n++ {
		text, err := m.content()
		switch {
		case err == io.EOF && n < m.count:
			return nil, m.missing(n, "entries")
		case err == io.EOF:
			if err := m.checkSize(m.rows, n, "rows"); err != nil {
				return nil, err
			}
			if err := m.checkSize(m.cols, n, "columns"); err != nil {
				return nil, err
			}
			return m.matrix(&t)
		case err != nil:
			return nil, err
		case n == m.count:
			return nil, m.fault(0, "more entries than the "+strconv.Itoa(m.count)+" of the header")
		}
		i, at, err := m.index(text, 0, 1)
		if err != nil {
			return nil, err
		}
		j, at, err := m.index(text, at, 2)
		if err != nil {
			return nil, err
		}
		v := 1.0
		if !m.pattern {
			if v, at, err = m.value(text, skip(text, at), 3); err != nil {
				return nil, err
			}
		}
		if at = skip(text, at); at < len(text) {
			return nil, m.fault(4, quote(text, at)+" follows the entry")
		}
		if err := m.across(&t, i, j, v); err != nil {
			return nil, err
		}
		t.add(i, j, v)
	}
}

func (m *market) matrix(t *triples) (*softkmeans.SparseMatrix, error) {
	x, err := softkmeans.SparseFromTriples(m.rows, m.cols, t.i, t.j, t.v)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(x.Data, func(v float64) bool { return v-v != 0 })
	if at < 0 {
		return x, nil
	}
	i := sort.SearchInts(x.Indptr, at+1)
	return nil, m.whole("row " + strconv.Itoa(i) + ", column " + strconv.Itoa(x.Indices[at]+1) +
		": the entries for this place add up to " +
		strconv.FormatFloat(x.Data[at], 'g', -1, 64))
}

// across adds the entry on the other side of the diagonal, which symmetric files leave out.
func (m *market) across(t *triples, i, j int, v float64) error {
	switch {
	case m.mirror == 0:
	case i < j:
		return m.fault(2,
			"column "+strconv.Itoa(j+1)+" is above the diagonal; a symmetric file has the entries below it")
	case i > j:
		t.add(j, i, m.mirror*v)
	case m.mirror < 0:
		return m.fault(2, "a skew-symmetric matrix has no entries on its diagonal")
	}
	return nil
}

// index reads a row (field 1) or a column (field 2), and returns it counted from 0.
func (m *market) index(text []byte, at, field int) (n, end int, err error) {
	what, most := "row", m.rows
	if field == 2 {
		what, most = "column", m.cols
	}
	at = skip(text, at)
	n, end, ok := count(text, at)
	switch {
	case at == len(text):
		return 0, 0, m.fault(field, "a "+what+" is missing")
	case !ok && text[at]-'0' <= 9 || ok && ends(text, end) && (n < 1 || n > most):
		return 0, 0, m.fault(field, quote(text, at)+" is no "+what+" from 1 to "+strconv.Itoa(most))
	case !ok || !ends(text, end):
		return 0, 0, m.fault(field, quote(text, at)+" is not the number of a "+what)
	}
	return n - 1, end, nil
}

// value reads a number that the header allows.
func (m *market) value(text []byte, at, field int) (float64, int, error) {
	v, end, err := m.number(text, at, field)
	if err == nil && m.integer && v != math.Trunc(v) {
		err = m.fault(field, quote(text, at)+" is no integer, which the first line promises")
	}
	return v, end, err
}

// missing returns the error for a file that ends after n of the entries.
func (m *market) missing(n int, what string) error {
	return m.whole("the file is cut: " + strconv.Itoa(m.count-n) + " of " +
		strconv.Itoa(m.count) + " " + what + " are missing")
}

// readArray reads the values of all entries, column after column; of a symmetric matrix those on and below the
// diagonal, of a skew-symmetric one those below it.
func (m *market) readArray() (*softkmeans.SparseMatrix, error) {
	m.count = m.rows * m.cols
	below := 0 // the diagonal is the first of a column
	if m.mirror < 0 {
		below = 1
	}
	if m.mirror != 0 {
		m.count = m.rows * (m.rows + 1 - 2*below) / 2
	}
	var values []float64
	for {
		text, err := m.content()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		for at, field := 0, 1; at < len(text); field++ {
			if len(values) == m.count {
				return nil, m.fault(field, "more numbers than the "+strconv.Itoa(m.count)+" of the header")
			}
			v, end, err := m.value(text, at, field)
			if err != nil {
				return nil, err
			}
			values, at = append(values, v), skip(text, end)
		}
	}
	if n := len(values); n < m.count {
		return nil, m.missing(n, "numbers")
	}
	x := &softkmeans.SparseMatrix{Rows: m.rows, Cols: m.cols, Indptr: make([]int, 1, m.rows+1),
		Data: make([]float64, m.rows*m.cols)}
	for j := range m.cols {
		first := 0
		if m.mirror != 0 {
			first = j + below
		}
		for i := first; i < m.rows; i++ {
			if x.Data[i*m.cols+j] = values[0]; i > j && m.mirror != 0 {
				x.Data[j*m.cols+i] = m.mirror * values[0]
			}
			values = values[1:]
		}
	}
	for i := range m.rows {
		x.Indices, x.Indptr = append(x.Indices, la.Indices(m.cols)...), append(x.Indptr, (i+1)*m.cols)
	}
	return x, nil
}
