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
	if o.variable == "" && arrays["indptr"] != nil && arrays["indices"] != nil && arrays["data"] != nil && arrays["shape"] != nil {
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

// readSciPy reads what scipy.sparse.save_npz wrote.
func readSciPy(arrays map[string]*zip.File) (*compressed, error) {
	list := func(name string) ([]float64, error) {
		r, err := arrays[name].Open()
		if err != nil {
			return nil, err
		}
		defer r.Close()
		h, err := npy.ReadHeader(r)
		if err != nil || len(h.Shape) != 1 {
			return nil, fmt.Errorf("%s: %s", name, describe(nil, err))
		}
		b, err := io.ReadAll(r)
		if err != nil || len(b) != h.Shape[0]*h.Kind.Size {
			return nil, fmt.Errorf("%s: %d bytes for %d numbers: %w", name, len(b), h.Shape[0], errors.Join(err, io.ErrUnexpectedEOF))
		}
		v := make([]float64, h.Shape[0])
		h.Kind.Get(v, b)
		return v, nil
	}
	shape, err1 := list("shape")
	starts, err2 := list("indptr")
	indices, err3 := list("indices")
	data, err4 := list("data")
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return nil, err
	}
	byColumns := false
	if f := arrays["format"]; f != nil {
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		defer r.Close()
		text, err := io.ReadAll(io.LimitReader(r, 1<<12))
		if err != nil {
			return nil, err
		}
		switch format := strings.TrimRight(string(text[max(0, len(text)-3):]), "\x00"); format {
		case "csr":
		case "csc":
			byColumns = true
		default:
			return nil, fmt.Errorf("the sparse matrix has the format %q; save it as csr or csc", format)
		}
	}
	if len(shape) != 2 || len(starts) == 0 || len(indices) != len(data) {
		return nil, errors.New("the arrays of the sparse matrix contradict each other")
	}
	return &compressed{int(shape[0]), int(shape[1]), starts, indices, data, byColumns}, nil
}

// compressed is a sparse matrix by rows, or by columns.
type compressed struct {
	rows, cols            int
	starts, indices, data []float64
	byColumns             bool
}

// writeSparse writes it as MatrixMarket.
func writeSparse(m *compressed, w *writer) error {
	lines := m.rows
	if m.byColumns {
		lines = m.cols
	}
	if lines < 0 || len(m.starts) != lines+1 || m.starts[0] != 0 || int(m.starts[lines]) > len(m.data) {
		return errors.New("the starts of the sparse matrix contradict its size")
	}
	fmt.Fprintf(w, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", m.rows, m.cols, int(m.starts[lines]))
	for i := range lines {
		lo, hi := int(m.starts[i]), int(m.starts[i+1])
		if lo < 0 || hi < lo || hi > len(m.data) {
			return fmt.Errorf("the starts of the sparse matrix fall after %d", i)
		}
		for t := lo; t < hi; t++ {
			row, col := i, int(m.indices[t])
			if m.byColumns {
				row, col = col, row
			}
			fmt.Fprintf(w, "%d %d ", row+1, col+1)
			w.cells = 0
			w.number(m.data[t])
			w.end()
		}
	}
	return nil
}
