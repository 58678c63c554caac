package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// Parquet and Arrow files: record batches, one after the other.

// batchRows is how many rows of a Parquet file are read at once.
const batchRows = 8192

func readParquet(f *os.File, o *options, w *writer) error {
	props := parquet.NewReaderProperties(memory.DefaultAllocator)
	props.BufferedStreamEnabled, props.PageStreamingEnabled = true, true // else a row group is held
	r, err := file.NewParquetReader(f, file.WithReadProps(props))
	if err != nil {
		return err
	}
	defer r.Close()
	p, err := pqarrow.NewFileReader(r, pqarrow.ArrowReadProperties{BatchSize: batchRows}, memory.DefaultAllocator)
	if err != nil {
		return err
	}
	schema, err := p.Schema()
	if err != nil {
		return err
	}
	if o.list {
		return listFields(schema, strconv.FormatInt(r.NumRows(), 10), w)
	}
	chosen, err := chooseFields(schema, o)
	if err != nil {
		return err
	}
	var leaves []int
	for i := range r.MetaData().Schema.NumColumns() {
		if top := r.MetaData().Schema.Column(i).ColumnPath()[0]; slices.ContainsFunc(chosen, func(at int) bool { return schema.Field(at).Name == top }) {
			leaves = append(leaves, i)
		}
	}
	batches, err := p.GetRecordReader(context.Background(), leaves, nil)
	if err != nil {
		return err
	}
	defer batches.Release()
	return writeBatches(batches.Schema(), o, w, batches.Read)
}

func readArrowFile(f *os.File, o *options, w *writer) error {
	r, err := ipc.NewFileReader(f)
	if err != nil {
		return err
	}
	defer r.Close()
	if o.list {
		return listFields(r.Schema(), "", w)
	}
	return writeBatches(r.Schema(), o, w, r.Read)
}

func readArrowStream(f *os.File, o *options, w *writer) error {
	r, err := ipc.NewReader(f)
	if err != nil {
		return err
	}
	defer r.Release()
	if o.list {
		return listFields(r.Schema(), "", w)
	}
	return writeBatches(r.Schema(), o, w, r.Read)
}

// writeBatches writes the batches that next returns, up to io.EOF.
func writeBatches(schema *arrow.Schema, o *options, w *writer, next func() (arrow.RecordBatch, error)) error {
	t := &table{o: o, w: w}
	if err := t.choose(schema); err != nil {
		return err
	}
	for {
		batch, err := next()
		switch {
		case err != nil && err != io.EOF:
			return err
		case batch == nil && t.begun:
			return nil
		case batch == nil: // no list of some column was seen
			return t.begin(schema)
		}
		if err := t.write(batch); err != nil {
			return err
		}
	}
}

// listFields prints the columns and their types.
func listFields(schema *arrow.Schema, rows string, w *writer) error {
	for _, f := range schema.Fields() {
		fmt.Fprintf(w, "%s\t%s\n", f.Name, f.Type)
	}
	if rows != "" {
		fmt.Fprintf(w, "(%s rows)\n", rows)
	}
	return nil
}

// chooseFields returns the numbers of the columns to write, in the order of the file.
func chooseFields(schema *arrow.Schema, o *options) ([]int, error) {
	var names []string
	for _, f := range schema.Fields() {
		names = append(names, f.Name)
	}
	return o.choose(names, "there is no column %q; -list prints them")
}

// table writes record batches.
type table struct {
	o      *options
	w      *writer
	chosen []int
	length []int               // of the lists of a chosen column; -1: no lists, 0: none was seen yet
	begun  bool                // the header is written
	ahead  []arrow.RecordBatch // before the first list of every column
	row    int
}

// choose finds the columns. Those of a type that is no number or text are an error.
func (t *table) choose(schema *arrow.Schema) (err error) {
	if t.chosen, err = chooseFields(schema, t.o); err != nil {
		return err
	}
	for _, i := range t.chosen {
		f := schema.Field(i)
		kind, length := f.Type, -1
		switch list := f.Type.(type) {
		case *arrow.FixedSizeListType:
			kind, length = list.Elem(), int(list.Len())
		case arrow.ListLikeType: // a map has structs as elements
			kind, length = list.Elem(), 0
		}
		if !readable(kind) {
			return fmt.Errorf("column %q is %s, which is no number or text; leave it out by -columns", f.Name, f.Type)
		}
		t.length = append(t.length, length)
	}
	return nil
}

// readable reports whether values of a type can be cells.
func readable(kind arrow.DataType) bool {
	if dictionary, ok := kind.(*arrow.DictionaryType); ok {
		kind = dictionary.ValueType
	}
	switch kind.ID() {
	case arrow.BINARY, arrow.LARGE_BINARY, arrow.BINARY_VIEW, arrow.FIXED_SIZE_BINARY, arrow.EXTENSION,
		arrow.INTERVAL_DAY_TIME, arrow.INTERVAL_MONTH_DAY_NANO, arrow.RUN_END_ENCODED:
		return false
	}
	return !arrow.IsNested(kind.ID())
}

// measure takes the lengths of lists from the first that a batch has. known means that no
// column of lists is left without one.
func (t *table) measure(batch arrow.RecordBatch) (known bool) {
	known = true
	for c, i := range t.chosen {
		if t.length[c] != 0 {
			continue
		}
		list := batch.Column(i).(array.ListLike)
		for row := 0; row < list.Len() && t.length[c] == 0; row++ {
			if list.IsValid(row) {
				lo, hi := list.ValueOffsets(row)
				t.length[c] = int(hi - lo)
			}
		}
		known = known && t.length[c] > 0
	}
	return known
}

// begin writes the header, and the batches that had to wait for it.
func (t *table) begin(schema *arrow.Schema) error {
	t.begun = true
	for c, i := range t.chosen {
		name := schema.Field(i).Name
		if t.length[c] < 0 {
			t.w.quoted(name)
			continue
		}
		for j := range t.length[c] {
			t.w.quoted(name + "." + strconv.Itoa(j))
		}
	}
	t.w.end()
	for _, batch := range t.ahead {
		if err := t.rows(batch); err != nil {
			return err
		}
		batch.Release()
	}
	t.ahead = nil
	return nil
}

// write writes a batch, or keeps it as long as the length of a column of lists is open.
func (t *table) write(batch arrow.RecordBatch) error {
	if !t.begun {
		known := t.measure(batch)
		if !known {
			batch.Retain()
			t.ahead = append(t.ahead, batch)
			return nil
		}
		if err := t.begin(batch.Schema()); err != nil {
			return err
		}
	}
	return t.rows(batch)
}

// rows writes the rows of a batch.
func (t *table) rows(batch arrow.RecordBatch) error {
	for i := range int(batch.NumRows()) {
		for c, at := range t.chosen {
			column := batch.Column(at)
			err := error(nil)
			if t.length[c] < 0 {
				err = t.cell(column, i)
			} else {
				err = t.list(column.(array.ListLike), i, t.length[c])
			}
			if err != nil {
				return fmt.Errorf("row %d, column %q: %w", t.row+i+1, batch.ColumnName(at), err)
			}
		}
		t.w.end()
	}
	t.row += int(batch.NumRows())
	return nil
}

// list writes the values of a list.
func (t *table) list(column array.ListLike, i, length int) error {
	if column.IsNull(i) {
		for range length {
			t.w.text("")
		}
		return nil
	}
	lo, hi := column.ValueOffsets(i)
	if int(hi-lo) != length {
		return fmt.Errorf("the list has %d values, the first has %d", hi-lo, length)
	}
	for j := lo; j < hi; j++ {
		if err := t.cell(column.ListValues(), int(j)); err != nil {
			return err
		}
	}
	return nil
}

// cell writes a value.
func (t *table) cell(column arrow.Array, i int) error {
	if column.IsNull(i) || column.DataType().ID() == arrow.NULL {
		t.w.plain("")
		return nil
	}
	switch c := column.(type) {
	case *array.Float64:
		t.w.number(c.Value(i))
	case *array.Float32:
		t.w.number(float64(c.Value(i)))
	case *array.Float16:
		t.w.number(float64(c.Value(i).Float32()))
	case *array.Boolean:
		t.w.plain(map[bool]string{false: "0", true: "1"}[c.Value(i)])
	case *array.Duration: // in its unit
		t.w.plain(strconv.FormatInt(int64(c.Value(i)), 10))
	case *array.Dictionary:
		return t.cell(c.Dictionary(), c.GetValueIndex(i))
	default: // text, whole numbers, decimals, and dates and times as ISO has them
		t.w.text(column.ValueStr(i))
	}
	return nil
}
