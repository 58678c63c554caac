package main

// Tables that come beside the data: centers, and memberships of its rows.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"softkmeans"
	"softkmeans/internal/rows"
	"softkmeans/internal/table"
)

// sideFile is one that can be read more than once.
type sideFile struct {
	io.ReadSeekCloser
	source string
}

// openSide opens a file, or takes standard input. A pipe is read to its end.
func openSide(ctx context.Context, name string, stdin io.Reader) (*sideFile, error) {
	in, source, err := openInput(name, stdin, "")
	if err != nil {
		return nil, err
	}
	if _, ok := rows.Replayable(in); ok {
		return &sideFile{in.(io.ReadSeekCloser), source}, nil
	}
	defer in.Close()
	text, err := await(ctx, func() ([]byte, error) { return io.ReadAll(in) })
	if err != nil {
		if !strings.Contains(err.Error(), source) {
			err = fmt.Errorf("%s: %w", source, err)
		}
		return nil, err
	}
	return &sideFile{struct {
		io.ReadSeeker
		io.Closer
	}{bytes.NewReader(text), io.NopCloser(nil)}, source}, nil
}

// read reads the table, from the file's beginning.
func (s *sideFile) read(ctx context.Context, d table.Dialect) (*table.Table, error) {
	t, err := await(ctx, func() (*table.Table, error) {
		if _, err := s.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		return rows.ReadAll(s.ReadSeekCloser, s.source, d)
	})
	var e *table.Error
	if errors.As(err, &e) {
		// It has advice by flags, which are not of this file.
		e.Msg, _, _ = strings.Cut(e.Msg, " (if ")
		e.Msg, _, _ = strings.Cut(e.Msg, " (fields ")
	}
	return t, err
}

// labelName is the column of fit's memberships that is none of them.
const labelName = "label"

// readLabelled reads a table that may have a column named label, of numbers or words.
func (s *sideFile) readLabelled(ctx context.Context) (*table.Table, error) {
	t, err := s.read(ctx, table.Dialect{})
	if err == nil {
		return t, nil
	}
	// Words in that column are at fault on the first row, or something is further
	// down: the attempt that got further knows better.
	t, other := s.read(ctx, table.Dialect{Label: labelName})
	if other == nil {
		return t, nil
	}
	var e, f *table.Error
	if errors.As(err, &e) && errors.As(other, &f) && f.Line > e.Line {
		err = other
	}
	return nil, err
}

// columns returns those columns of t, in that order and in t's memory.
func columns(t *table.Table, index []int) *softkmeans.Matrix {
	width, k := len(t.Names), len(index)
	row := make([]float64, k)
	for i := range t.Rows {
		for j, from := range index {
			row[j] = t.Data[i*width+from]
		}
		copy(t.Data[i*k:], row) // at or before what was read
	}
	return softkmeans.NewMatrix(t.Rows, k, t.Data[:t.Rows*k])
}

// named returns where the names stand in t's header, or nil if one does not.
func named(t *table.Table, names []string) []int {
	if !t.Header {
		return nil
	}
	at := make(map[string]int, len(t.Names))
	for j, name := range t.Names {
		at[name] = j
	}
	index := make([]int, len(names))
	for j, name := range names {
		from, ok := at[name]
		if !ok {
			return nil
		}
		index[j] = from
	}
	return index
}

// readCenters returns the centers with d's columns, by their names if the file has
// all of them and else by position, scaled as d is. ordered: they stood otherwise.
func readCenters(ctx context.Context, s *sideFile, d *data) (centers *softkmeans.Matrix, ordered bool, err error) {
	var t *table.Table
	var index []int
	if d.Header {
		// Names that are numbers do not look like a header.
		if t, err = s.read(ctx, table.Dialect{Header: table.HeaderYes}); err == nil {
			index = named(t, d.Names)
		}
	}
	if index == nil {
		if t, err = s.readLabelled(ctx); err != nil {
			return nil, false, err
		}
		index = named(t, d.Names)
	}
	for j, from := range index {
		ordered = ordered || j != from
	}
	centers = softkmeans.NewMatrix(t.Rows, len(t.Names), t.Data)
	if index != nil {
		centers = columns(t, index)
	} else if len(t.Names) != len(d.Names) {
		return nil, false, fmt.Errorf("%s: %s of %s, but %s has %s, and the names of both are not the same",
			s.source, count(t.Rows, "center"), count(len(t.Names), "column"), d.Source, count(len(d.Names), "column"))
	}
	d.scale.Apply(centers.Data)
	return centers, ordered, nil
}

// readMemberships returns the memberships of d's rows in the centers, which are of
// another file.
func readMemberships(ctx context.Context, s *sideFile, d *data, centers *softkmeans.Matrix, of string) (*softkmeans.Matrix, error) {
	t, err := s.readLabelled(ctx)
	if err != nil {
		return nil, err
	}
	prototypes := make([]string, centers.Rows)
	for j := range prototypes {
		prototypes[j] = prototype(j)
	}
	index := named(t, prototypes)
	if index == nil {
		for j, name := range t.Names {
			if !t.Header || name != labelName {
				index = append(index, j)
			}
		}
	}
	if t.Rows != d.Rows {
		hint := ""
		if t.Rows == d.Rows-1 || t.Rows == d.Rows+1 {
			hint = "; is there a header that was not taken for one? See -header"
		}
		return nil, fmt.Errorf("%s: memberships of %s, but %s has %s%s", s.source, count(t.Rows, "row"), d.Source, count(d.Rows, "row"), hint)
	}
	if len(index) != centers.Rows {
		return nil, fmt.Errorf("%s: memberships in %s, but %s has %s", s.source, count(len(index), "center"), of, count(centers.Rows, "center"))
	}
	return columns(t, index), nil
}
