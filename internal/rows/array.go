package rows

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"softkmeans/internal/npy"
	"softkmeans/internal/table"
)

// mostColumns bounds the columns where the file's size cannot be checked, as in
// package table. A column with its name takes about 100 bytes.
const mostColumns = 1 << 20

// turnedNote says that a file of numbers is turned.
const turnedNote = "the table is transposed, as asked: its columns are the rows"

// array reads the table in a .npy file.
type array struct {
	head   table.Head
	values *npy.Reader
	layout *table.Layout // nil: all columns are data, in the file's order
	buffer []float64     // rows with all columns of the file
	row    int           // the rows read so far
	sized  bool          // CheckSize has confirmed the number of rows
}

// openArray reads the header. size is that of the file, or negative if it cannot be known.
func openArray(in content, source string, d table.Dialect, size int64) (*array, error) {
	turned := d.Transpose == table.Yes
	if turned && d.Stream {
		return nil, fmt.Errorf("%s: %w (-stream no reads it whole)", source, table.ErrTurned)
	}
	n, err := npy.NewReader(in, source)
	if err != nil {
		return nil, err
	}
	sized := size >= 0 && !in.compressed
	if sized {
		if err := n.CheckSize(size); err != nil {
			return nil, err
		}
	}
	if turned {
		n.Transpose()
	}
	if !sized && n.Cols > mostColumns {
		return nil, fmt.Errorf("%s: %d columns; a pipe or a compressed file may have %d", source, n.Cols,
			mostColumns)
	}
	if d.ID != "" && d.ID != table.NoID || len(d.Keep) > 0 {
		return nil, fmt.Errorf("%s: a .npy file has numbers alone; ids and columns to carry along "+
			"need a CSV file", source)
	}
	n.Missing = d.Missing
	a := &array{head: table.Head{Source: source}, values: n, sized: sized}
	if d.Label != "" || d.Weights != "" || len(d.Drop) > 0 || d.Pick != nil || d.Names != nil {
		if err := numbered(source, "a .npy file",
			append([]string{d.Label, d.Weights}, d.Drop...)); d.Names == nil && err != nil {
			return nil, err
		}
		if a.layout, err = table.NewLayout(source, n.Cols, d); err != nil {
			return nil, err
		}
		a.head, n.Ignore = a.layout.Head, a.layout.Ignored()
	} else {
		for j := range n.Cols {
			a.head.Names = append(a.head.Names, table.Column(j))
		}
	}
	if a.head.Turned = turned; turned {
		a.head.Notes = append(a.head.Notes, turnedNote)
	}
	return a, nil
}

// numbered checks that columns are asked for by their numbers, or by ranges of them.
func numbered(source, kind string, columns []string) error {
	for _, column := range columns {
		first, last, isRange := strings.Cut(column, "-")
		_, err := strconv.Atoi(first)
		if _, errLast := strconv.Atoi(last); isRange && errLast != nil {
			err = errLast
		}
		if column != "" && err != nil {
			return fmt.Errorf("%s: the columns of %s have no names, only numbers from 1 (%q)", source, kind,
				column)
		}
	}
	return nil
}

// rows reads the columns that are data, as npy.Reader.ReadRows does. It calls each with
// each row's label and weight, unless each is nil.
func (a *array) rows(dst []float64, each func(label, weight float64)) (int, error) {
	if a.layout == nil {
		return a.values.ReadRows(dst)
	}
	cols, width := a.values.Cols, len(a.head.Names)
	if a.buffer == nil {
		a.buffer = make([]float64, max(1, min(a.values.Rows, 1<<15/cols))*cols)
	}
	n, err := a.values.ReadRows(a.buffer[:min(len(a.buffer)/cols, len(dst)/width)*cols])
	for i := range n {
		label, weight := a.layout.Row(dst[i*width:], a.buffer[i*cols:(i+1)*cols])
		if a.row++; !(weight >= 0) {
			return 0, fmt.Errorf("%s: row %d, column %d: the weight %v is not at least 0", a.head.Source,
				a.row, a.head.WeightsColumn, weight)
		}
		if each != nil {
			each(label, weight)
		}
	}
	return n, err
}

// classes numbers values in order of appearance.
type classes struct {
	index map[float64]int
	names []string
}

func (c *classes) of(v float64) int {
	n, ok := c.index[v]
	if !ok {
		n = len(c.names)
		if c.index == nil {
			c.index = map[float64]int{}
		}
		c.index[v] = n
		c.names = append(c.names, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return n
}

func classesOf(labels []float64) (class []int, names []string) {
	var c classes
	for _, v := range labels {
		class = append(class, c.of(v))
	}
	return class, c.names
}

// classTable returns the classes of a column of this name.
func classTable(source, name string, labels []float64) *table.Classes {
	class, names := classesOf(labels)
	return &table.Classes{Source: source, Name: name, Class: class, Classes: names}
}

// all reads all rows.
func (a *array) all() (*table.Table, error) {
	t := &table.Table{Head: a.head}
	width := len(t.Names)
	if a.sized {
		t.Data = make([]float64, 0, a.values.Rows*width)
	}
	var labels []float64
	each := func(label, weight float64) {
		if t.WeightsColumn > 0 {
			t.Weights = append(t.Weights, weight)
		}
		if t.LabelColumn > 0 {
			labels = append(labels, label)
		}
	}
	for t.Rows < a.values.Rows {
		if cap(t.Data)-len(t.Data) < width {
			t.Data = slices.Grow(t.Data, width)
		}
		n, err := a.rows(t.Data[len(t.Data):cap(t.Data)], each)
		if err != nil {
			return nil, err
		}
		t.Rows += n
		t.Data = t.Data[:t.Rows*width]
	}
	if _, err := a.rows(t.Data, each); err != io.EOF {
		return nil, err
	}
	t.Class, t.Classes = classesOf(labels)
	t.CountMissing()
	return t, nil
}

// classColumn returns the column of classes, from 1: the one asked for by its number, or the only one.
func classColumn(source, kind, column string, cols int) (at int, err error) {
	if err := numbered(source, kind, []string{column}); err != nil {
		return 0, err
	}
	if at = 1; column != "" {
		at, _ = strconv.Atoi(column)
	} else if cols > 1 {
		return 0, fmt.Errorf("%s: %d columns: which one contains the classes or labels? Give its number from 1", source,
			cols)
	}
	if at < 1 || at > cols {
		return 0, fmt.Errorf("%s: there is no column %d, only %d", source, at, cols)
	}
	return at, nil
}

func readArrayClasses(in content, source, column string) (*table.Classes, error) {
	a, err := openArray(in, source, table.Dialect{}, -1)
	if err != nil {
		return nil, err
	}
	cols := a.values.Cols
	at, err := classColumn(source, "a .npy file", column, cols)
	if err != nil {
		return nil, err
	}
	a.values.Ignore = slices.Repeat([]bool{true}, cols) // the other columns may hold anything
	a.values.Ignore[at-1] = false
	var labels []float64
	data := make([]float64, max(1, 1<<13/cols)*cols)
	for {
		n, err := a.rows(data, nil)
		if err == io.EOF {
			return classTable(source, table.Column(at-1), labels), nil
		}
		if err != nil {
			return nil, err
		}
		for i := range n {
			labels = append(labels, data[i*cols+at-1])
		}
	}
}
