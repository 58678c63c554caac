package main

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"softkmeans/internal/npy"
)

// MATLAB's files of level 5, which save writes with -v6 and -v7: MAT-File Format, chapter 1.
// There is no library in Go that is kept up.

// Types of elements and classes of arrays.
const (
	miInt8, miUint8, miInt16, miUint16, miInt32, miUint32 = 1, 2, 3, 4, 5, 6
	miSingle, miDouble, miInt64, miUint64                 = 7, 9, 12, 13
	miMatrix, miCompressed                                = 14, 15

	mxSparse, mxDouble, mxUint64 = 5, 6, 15
	mxComplex, mxLogical         = 0x08, 0x02
)

// mostElement bounds an element that is read at once.
const mostElement = 1 << 33

var classNames = map[int]string{
	1: "cell", 2: "struct", 3: "object", 4: "char", 5: "sparse", 6: "double", 7: "single", 8: "int8", 9: "uint8",
	10: "int16", 11: "uint16", 12: "int32", 13: "uint32", 14: "int64", 15: "uint64", 17: "opaque",
}

// matArray is a variable. Its parts are read up to what is known to be a table.
type matArray struct {
	name    string
	class   int
	complex bool
	dims    []int
	body    *matReader // at the numbers
}

// table reports whether it can be written.
func (a *matArray) table() bool {
	return len(a.dims) == 2 && !a.complex && (a.class == mxSparse || a.class >= mxDouble && a.class <= mxUint64)
}

// matrix is 1 if a table has more than one row and column, else 0.
func (a *matArray) matrix() int {
	if min(a.dims[0], a.dims[1]) > 1 {
		return 1
	}
	return 0
}

func (a *matArray) String() string {
	s := make([]string, len(a.dims))
	for i, n := range a.dims {
		s[i] = fmt.Sprint(n)
	}
	kind := classNames[a.class]
	if a.complex {
		kind = "complex " + kind
	}
	return strings.Join(s, "×") + " " + kind
}

func readMAT(f *os.File, o *options, w *writer) error {
	head := make([]byte, 128)
	if _, err := io.ReadFull(f, head); err != nil {
		return fmt.Errorf("the header: %w", err)
	}
	m := &matReader{in: f}
	switch string(head[126:]) {
	case "IM":
		m.order = binary.LittleEndian
	case "MI":
		m.order = binary.BigEndian
	default:
		return errors.New("this is no .mat file of level 5")
	}
	var names []string
	var tables []*matArray
	var only *matArray // the first matrix, or the first vector or number if there is none
	var beside besides
	for {
		a, err := m.variable()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("after the variables [%s]: %w", strings.Join(names, ", "), err)
		}
		names = append(names, a.name)
		if o.list {
			fmt.Fprintf(w, "%s\t%s\n", a.name, a)
		}
		beside.add(a)
		if o.list || a.name != o.variable && (o.variable != "" || !a.table()) {
			continue
		}
		if !a.table() {
			return fmt.Errorf("the variable %q is %s, no matrix of real numbers", a.name, a)
		}
		tables = append(tables, a)
		if only != nil && a.matrix() <= only.matrix() {
			continue
		}
		only = a
		if err := a.load(); err != nil {
			return fmt.Errorf("the variable %q: %w", a.name, err)
		}
	}
	slices.SortStableFunc(tables, func(a, b *matArray) int {
		return cmp.Or(b.matrix()-a.matrix(), b.dims[0]*b.dims[1]-a.dims[0]*a.dims[1])
	})
	if len(tables) > 1 && tables[1].matrix() == only.matrix() {
		var list []string
		for _, a := range tables[:min(5, len(tables))] {
			list = append(list, fmt.Sprintf("%s (%d×%d)", a.name, a.dims[0], a.dims[1]))
		}
		return fmt.Errorf("there are several tables: give -variable with one of %s", strings.Join(list, ", "))
	}
	switch {
	case o.list:
		return nil
	case only == nil && o.variable != "":
		return fmt.Errorf("there is no variable %q; there are %s", o.variable, strings.Join(names, ", "))
	case only == nil:
		return fmt.Errorf("there is no matrix of real numbers among %s", strings.Join(names, ", "))
	}
	turn := o.transpose == "yes"
	if why := beside.bands(only); why != "" && o.transpose == "auto" {
		turn = true
		fmt.Fprintf(os.Stderr, "softkmeans-convert: the columns of %s, which is %s, are written as rows, "+
			"since %s; -transpose no writes its rows\n", only.name, only, why)
	}
	return only.write(w, turn)
}

// besides is what the other variables say about which way round a table is.
type besides struct {
	height, width int            // of an image, in pixels
	waves         map[string]int // how many wavelengths a variable has
}

func (b *besides) add(a *matArray) {
	if !a.table() || a.class == mxSparse {
		return
	}
	name := strings.ToLower(a.name)
	least, most := min(a.dims[0], a.dims[1]), max(a.dims[0], a.dims[1])
	of := map[string]*int{"nrow": &b.height, "nrows": &b.height, "rows": &b.height,
		"lines": &b.height, "height": &b.height,
		"ncol": &b.width, "ncols": &b.width, "cols": &b.width, "samples": &b.width, "width": &b.width}[name]
	switch {
	case least != 1:
	case most == 1 && of != nil && a.load() == nil:
		scalar := *a.body
		if v, err := scalar.numbers(); err == nil && len(v) == 1 && v[0] >= 1 && v[0] < 1<<20 {
			*of = int(v[0])
		}
		a.body.in.(io.Seeker).Seek(0, io.SeekStart) // it may be the table
	case most > 1 && (strings.Contains(name, "wave") || strings.Contains(name, "lambda") || name == "wl"):
		if b.waves == nil {
			b.waves = map[string]int{}
		}
		b.waves[a.name] = most
	}
}

// bands says why a table has a band in each row and a pixel in each column; "" if it is not known.
func (b *besides) bands(a *matArray) string {
	rows, cols := a.dims[0], a.dims[1]
	if b.height*b.width == cols && cols != rows && cols > 1 {
		return fmt.Sprintf("the image has %d×%d pixels", b.height, b.width)
	}
	for name, n := range b.waves {
		if n == rows && n != cols {
			return fmt.Sprintf("%s has %d values", name, n)
		}
	}
	return ""
}

// matReader reads elements.
type matReader struct {
	in    io.Reader
	order binary.ByteOrder
}

// tag reads the head of an element: small elements have their bytes in it.
func (m *matReader) tag() (kind int, size int64, small []byte, err error) {
	var b [8]byte
	if n, err := io.ReadFull(m.in, b[:]); err != nil {
		if n > 0 || !errors.Is(err, io.EOF) {
			err = fmt.Errorf("the file ends within an element: %w", io.ErrUnexpectedEOF)
		}
		return 0, 0, nil, err
	}
	first := m.order.Uint32(b[:])
	if n := first >> 16; n != 0 {
		if n > 4 {
			return 0, 0, nil, fmt.Errorf("a small element has %d bytes", n)
		}
		return int(first & 0xffff), int64(n), slices.Clone(b[4 : 4+n]), nil
	}
	return int(first), int64(m.order.Uint32(b[4:])), nil, nil
}

// element reads the bytes of an element, with the padding behind.
func (m *matReader) element() (kind int, b []byte, err error) {
	kind, size, small, err := m.tag()
	if err != nil || small != nil {
		return kind, small, err
	}
	if size > mostElement {
		return 0, nil, fmt.Errorf("an element of %d bytes is too large", size)
	}
	var buffer bytes.Buffer // it grows with what is there
	if n, err := io.CopyN(&buffer, m.in, size); err != nil {
		return 0, nil, fmt.Errorf("an element has %d bytes of %d: %w", n, size, io.ErrUnexpectedEOF)
	}
	if _, err := io.CopyN(io.Discard, m.in, -size&7); err != nil && !errors.Is(err, io.EOF) {
		return 0, nil, err
	}
	return kind, buffer.Bytes(), nil
}

// variable reads the next variable up to its numbers. The whole element is in memory then,
// packed if the file has it so.
func (m *matReader) variable() (*matArray, error) {
	kind, size, small, err := m.tag()
	if err != nil {
		return nil, err
	}
	if small != nil || size > mostElement {
		return nil, fmt.Errorf("an element of type %d is no variable", kind)
	}
	var b bytes.Buffer
	if n, err := io.CopyN(&b, m.in, size); err != nil {
		return nil, fmt.Errorf("a variable has %d bytes of %d: %w", n, size, io.ErrUnexpectedEOF)
	}
	inner := &matReader{&b, m.order}
	if kind == miCompressed {
		z, err := zlib.NewReader(&b)
		if err != nil {
			return nil, err
		}
		inner.in = z
		if kind, _, _, err = inner.tag(); err != nil {
			return nil, err
		}
	}
	if kind != miMatrix {
		return nil, fmt.Errorf("an element of type %d is no variable", kind)
	}
	return inner.head()
}

// head reads flags, size and name.
func (m *matReader) head() (*matArray, error) {
	_, flags, err := m.element()
	if err != nil {
		return nil, err
	}
	if len(flags) < 8 {
		return nil, errors.New("a variable without flags")
	}
	word := m.order.Uint32(flags)
	a := &matArray{class: int(word & 0xff), complex: word>>8&mxComplex != 0, body: m}
	if a.class == 17 { // an object of MATLAB's own, with other parts
		return a, nil
	}
	_, dims, err := m.element()
	if err != nil {
		return nil, err
	}
	for ; len(dims) >= 4; dims = dims[4:] {
		a.dims = append(a.dims, int(int32(m.order.Uint32(dims))))
	}
	_, name, err := m.element()
	if err != nil {
		return nil, err
	}
	a.name = string(name)
	for _, n := range a.dims {
		if n < 0 {
			return nil, fmt.Errorf("the variable %q has the size %v", a.name, a.dims)
		}
	}
	return a, nil
}

// load reads the numbers into memory, so that the file can go on.
func (a *matArray) load() error {
	b, err := io.ReadAll(io.LimitReader(a.body.in, mostElement))
	a.body = &matReader{bytes.NewReader(b), a.body.order}
	return err
}

// numbers reads an element as float64.
func (m *matReader) numbers() ([]float64, error) {
	kind, b, err := m.element()
	if err != nil {
		return nil, err
	}
	sign := "<"
	if m.order == binary.BigEndian {
		sign = ">"
	}
	k, err := npy.KindOf(sign + map[int]string{miInt8: "i1", miUint8: "u1", miInt16: "i2", miUint16: "u2", miInt32: "i4",
		miUint32: "u4", miSingle: "f4", miDouble: "f8", miInt64: "i8", miUint64: "u8"}[kind])
	if err != nil || len(b)%k.Size != 0 {
		return nil, fmt.Errorf("an element of type %d with %d bytes is no list of numbers", kind, len(b))
	}
	v := make([]float64, len(b)/k.Size)
	k.Get(v, b)
	return v, nil
}

// write writes the matrix, or its columns as rows.
func (a *matArray) write(w *writer, turn bool) error {
	rows, cols := a.dims[0], a.dims[1]
	if a.class == mxSparse {
		indices, err1 := a.body.numbers()
		starts, err2 := a.body.numbers()
		data, err3 := a.body.numbers()
		if err := errors.Join(err1, err2, err3); err != nil {
			return fmt.Errorf("the variable %q: %w", a.name, err)
		}
		if len(data) > len(indices) {
			return fmt.Errorf("the variable %q has %d numbers and %d rows of them", a.name, len(data), len(indices))
		}
		if turn {
			rows, cols = cols, rows
		}
		m := &triples{rows: rows, cols: cols}
		indices = indices[:len(data)]
		if err := m.compressed(starts, indices, data, []int{len(data), 1, 1}, !turn); err != nil {
			return fmt.Errorf("the variable %q: %w", a.name, err)
		}
		if err := m.check(); err != nil {
			return fmt.Errorf("the variable %q: %w", a.name, err)
		}
		return writeSparse(m, w)
	}
	data, err := a.body.numbers()
	if err != nil {
		return fmt.Errorf("the variable %q: %w", a.name, err)
	}
	if rows == 0 || cols == 0 || len(data)/rows != cols || len(data)%rows != 0 {
		return fmt.Errorf("the variable %q is %d×%d with %d numbers", a.name, rows, cols, len(data))
	}
	if turn { // MATLAB keeps column after column
		return errors.Join(npy.WriteHeader(w, cols, rows), npy.WriteValues(w, data))
	}
	if err := npy.WriteHeader(w, rows, cols); err != nil {
		return err
	}
	line := make([]float64, cols)
	for i := range rows {
		for j := range line {
			line[j] = data[j*rows+i]
		}
		if err := npy.WriteValues(w, line); err != nil {
			return err
		}
	}
	return nil
}
