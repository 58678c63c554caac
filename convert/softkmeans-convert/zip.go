package main

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/xuri/excelize/v2"

	"softkmeans/internal/npy"
)

// Zip files: Excel's and NumPy's.

func readZip(f *os.File, o *options, w *writer) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	z, err := zip.NewReader(f, info.Size())
	if err != nil {
		return err
	}
	arrays := map[string]*zip.File{}
	for _, member := range z.File {
		if strings.HasPrefix(member.Name, "xl/") {
			if o.variable != "" {
				return &flagError{errors.New("-variable is not for Excel files")}
			}
			return readExcel(f, o, w)
		}
		if name, ok := strings.CutSuffix(member.Name, ".npy"); ok {
			arrays[name] = member
		}
	}
	switch {
	case len(arrays) == 0:
		return errors.New("this zip file is no Excel and no .npz file")
	case o.sheet != "" || o.columns != nil:
		return &flagError{errors.New("-sheet and -columns are not for .npz files; softkmeans has -drop")}
	}
	return readNPZ(arrays, o, w)
}

// readExcel writes the rows of a sheet. Cells are as they are stored: numbers with all their digits.
func readExcel(f *os.File, o *options, w *writer) error {
	x, err := excelize.OpenReader(f, excelize.Options{RawCellValue: true})
	if err != nil {
		return err
	}
	defer x.Close()
	sheets := x.GetSheetList()
	if o.list {
		for _, name := range sheets {
			size, _ := x.GetSheetDimension(name)
			fmt.Fprintf(w, "%s\t%s\n", name, size)
		}
		return nil
	}
	sheet := o.sheet
	switch {
	case len(sheets) == 0:
		return errors.New("the file has no sheets")
	case sheet == "":
		sheet = sheets[0]
	case !slices.Contains(sheets, sheet):
		return fmt.Errorf("there is no sheet %q; there are %s", sheet, strings.Join(sheets, ", "))
	}
	rows, err := x.Rows(sheet)
	if err != nil {
		return err
	}
	defer rows.Close()
	var width int
	var chosen []int
	for at := 0; rows.Next(); at++ {
		cells, err := rows.Columns(excelize.Options{RawCellValue: true})
		if err != nil {
			return fmt.Errorf("row %d: %w", at+1, err)
		}
		if at == 0 {
			width = len(cells)
			if chosen, err = o.choose(cells, "row 1 has no column %q"); err != nil {
				return err
			}
		}
		if len(cells) > width {
			return fmt.Errorf("row %d has %d cells, row 1 has %d", at+1, len(cells), width)
		}
		if len(cells) == 0 { // a row without any cell
			continue
		}
		for _, j := range chosen {
			if j < len(cells) {
				w.text(cells[j])
			} else {
				w.plain("")
			}
		}
		w.end()
	}
	return rows.Error()
}

// readNPZ copies an array of numbers of one or two dimensions, or writes SciPy's sparse one.
func readNPZ(arrays map[string]*zip.File, o *options, w *writer) error {
	names := slices.Sorted(maps.Keys(arrays))
	if o.variable == "" && arrays["data"] != nil && arrays["shape"] != nil &&
		(arrays["indptr"] != nil || arrays["row"] != nil || arrays["offsets"] != nil) {
		m, err := readSciPy(arrays)
		switch {
		case err != nil:
			return err
		case o.list:
			fmt.Fprintf(w, "%d×%d sparse\n", m.rows, m.cols)
			return nil
		}
		return writeSparse(m, w)
	}
	heads, tables := map[string]*npy.Header{}, []string{}
	for _, name := range names {
		h, err := headOf(arrays[name])
		if o.list {
			fmt.Fprintf(w, "%s\t%s\n", name, describe(h, err))
		} else if err == nil && (len(h.Shape) == 1 || len(h.Shape) == 2) {
			heads[name] = h
			tables = append(tables, name)
		}
	}
	if o.list {
		return nil
	}
	name := o.variable
	switch {
	case name != "" && arrays[name] == nil:
		return fmt.Errorf("there is no array %q; there are %s", name, strings.Join(names, ", "))
	case name != "" && heads[name] == nil:
		_, err := headOf(arrays[name])
		return fmt.Errorf("the array %q is no table of numbers: %s", name, describe(nil, err))
	case name == "" && len(tables) != 1:
		return fmt.Errorf("there are %d tables: give -variable with one of %s", len(tables), strings.Join(names, ", "))
	case name == "":
		name = tables[0]
	}
	r, err := arrays[name].Open()
	if err != nil {
		return err
	}
	defer r.Close()
	if _, err := io.Copy(w, r); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func headOf(f *zip.File) (*npy.Header, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return npy.ReadHeader(r)
}

func describe(h *npy.Header, err error) string {
	if err != nil {
		return err.Error()
	}
	if h == nil {
		return "it has another number of dimensions than one or two"
	}
	return fmt.Sprintf("%v", h.Shape)
}

// readSciPy reads what scipy.sparse.save_npz wrote: rows, columns, coordinates, blocks or diagonals.
func readSciPy(arrays map[string]*zip.File) (*triples, error) {
	var failed error
	array := func(name string, dimensions int) ([]int, []float64) {
		shape, v, err := readArray(arrays, name)
		if err == nil && len(shape) != dimensions {
			err = fmt.Errorf("%s: %d dimensions, not %d", name, len(shape), dimensions)
		}
		failed = errors.Join(failed, err)
		return shape, v
	}
	format, err := formatOf(arrays)
	if err != nil {
		return nil, err
	}
	_, size := array("shape", 1)
	if failed == nil && (len(size) != 2 || !(size[0] >= 0 && size[1] >= 0)) {
		failed = errors.New("shape: a matrix has two sizes")
	}
	if failed != nil {
		return nil, failed
	}
	m := &triples{rows: int(size[0]), cols: int(size[1])}
	switch format {
	case "coo":
		_, row := array("row", 1)
		_, col := array("col", 1)
		_, v := array("data", 1)
		if failed == nil && (len(row) != len(v) || len(col) != len(v)) {
			failed = errContradict
		}
		for t := range v {
			if failed == nil {
				m.add(int(row[t]), int(col[t]), v[t])
			}
		}
	case "dia":
		_, offsets := array("offsets", 1)
		shape, v := array("data", 2)
		if failed == nil && shape[0] != len(offsets) {
			failed = errContradict
		}
		for t := range v {
			if failed == nil && v[t] != 0 {
				j := t % shape[1]
				if i := j - int(offsets[t/shape[1]]); i >= 0 && i < m.rows && j < m.cols {
					m.add(i, j, v[t])
				}
			}
		}
	case "csr", "csc", "bsr":
		dimensions := map[bool]int{false: 1, true: 3}[format == "bsr"]
		_, starts := array("indptr", 1)
		_, indices := array("indices", 1)
		shape, v := array("data", dimensions)
		if failed == nil {
			failed = m.compressed(starts, indices, v, append(shape, 1, 1), format == "csc")
		}
	default:
		failed = fmt.Errorf("the sparse matrix has the format %q; save it as csr or csc", format)
	}
	if failed != nil {
		return nil, failed
	}
	return m, m.check()
}

var errContradict = errors.New("the arrays of the sparse matrix contradict each other")

// formatOf is the format that SciPy names; csr if it names none.
func formatOf(arrays map[string]*zip.File) (string, error) {
	f := arrays["format"]
	if f == nil {
		return "csr", nil
	}
	r, err := f.Open()
	if err != nil {
		return "", err
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, 1<<12))
	return strings.TrimRight(string(text[max(0, len(text)-3):]), "\x00"), err
}

// readArray reads the values of an array, the last index running fastest.
func readArray(arrays map[string]*zip.File, name string) (shape []int, v []float64, err error) {
	if arrays[name] == nil {
		return nil, nil, fmt.Errorf("there is no array %q", name)
	}
	r, err := arrays[name].Open()
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	h, err := npy.ReadHeader(r)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	n := 1
	for _, size := range h.Shape {
		n *= size
	}
	b, err := io.ReadAll(r)
	if err != nil || len(b) != n*h.Kind.Size {
		return nil, nil, fmt.Errorf("%s: %d bytes for %d numbers: %w", name, len(b), n, errors.Join(err, io.ErrUnexpectedEOF))
	}
	v = make([]float64, n)
	if h.Kind.Get(v, b); h.Fortran && len(h.Shape) == 2 {
		turned := make([]float64, n)
		for t := range v {
			turned[t%h.Shape[0]*h.Shape[1]+t/h.Shape[0]] = v[t]
		}
		v = turned
	} else if h.Fortran && len(h.Shape) > 2 {
		return nil, nil, fmt.Errorf("%s: blocks in Fortran order; save the matrix as csr", name)
	}
	return h.Shape, v, nil
}

// triples are the entries of a sparse matrix, in any order.
type triples struct {
	rows, cols int
	i, j       []int
	v          []float64
}

func (m *triples) add(i, j int, v float64) {
	m.i, m.j, m.v = append(m.i, i), append(m.j, j), append(m.v, v)
}

// compressed adds the entries of rows, columns or blocks of shape[1] by shape[2].
func (m *triples) compressed(starts, indices, v []float64, shape []int, byColumns bool) error {
	high, wide := shape[1], shape[2]
	lines := m.rows
	if byColumns {
		lines = m.cols
	}
	if high < 1 || wide < 1 || len(starts) != lines/high+1 || starts[0] != 0 || shape[0] != len(indices) {
		return errContradict
	}
	for i := range lines / high {
		lo, hi := int(starts[i]), int(starts[i+1])
		if lo < 0 || hi < lo || hi > len(indices) {
			return fmt.Errorf("the starts of the sparse matrix fall after %d", i)
		}
		for t := lo; t < hi; t++ {
			for b := range high * wide {
				row, col := i*high+b/wide, int(indices[t])*wide+b%wide
				if byColumns {
					row, col = col, row
				}
				if e := v[t*high*wide+b]; e != 0 || high*wide == 1 {
					m.add(row, col, e)
				}
			}
		}
	}
	return nil
}

func (m *triples) check() error {
	for t, i := range m.i {
		if j := m.j[t]; i < 0 || i >= m.rows || j < 0 || j >= m.cols {
			return fmt.Errorf("entry %d is in row %d, column %d of a matrix of %d×%d", t+1, i+1, j+1, m.rows, m.cols)
		}
	}
	return nil
}

// writeSparse writes it as MatrixMarket.
func writeSparse(m *triples, w *writer) error {
	fmt.Fprintf(w, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", m.rows, m.cols, len(m.v))
	for t, v := range m.v {
		fmt.Fprintf(w, "%d %d ", m.i[t]+1, m.j[t]+1)
		w.cells = 0
		w.number(v)
		w.end()
	}
	return nil
}
