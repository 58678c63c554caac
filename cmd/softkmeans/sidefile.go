package main

// Tables that come beside the data: centers, and memberships of its rows.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"softkmeans"
	"softkmeans/internal/rows"
	"softkmeans/internal/table"
)

// sideFile is one that can be read more than once.
type sideFile struct {
	io.ReadCloser
	source string
	begun  bytes.Buffer // what was read of a pipe
}

// openSide opens a file, or takes standard input.
func openSide(ctx context.Context, name string, stdin io.Reader) (*sideFile, error) {
	in, source, err := openInput(ctx, name, stdin)
	if err != nil {
		return nil, err
	}
	return &sideFile{ReadCloser: in, source: source}, nil
}

// read reads the table, from the file's beginning; again tells that this may not be
// the last time.
func (s *sideFile) read(ctx context.Context, d table.Dialect, again bool) (*table.Table, error) {
	t, err := await(ctx, func() (*table.Table, error) {
		in := io.Reader(s.ReadCloser)
		if _, ok := rows.Replayable(in); ok {
			if _, err := in.(io.Seeker).Seek(0, io.SeekStart); err != nil {
				return nil, err
			}
		} else {
			begun := bytes.NewReader(s.begun.Bytes())
			if again {
				in = io.TeeReader(in, &s.begun)
			}
			in = io.MultiReader(begun, in)
		}
		return rows.ReadAll(in, s.source, d)
	})
	var e *table.Error
	if errors.As(err, &e) {
		e.Msg = e.Plain() // the flags are not of this file
	}
	return t, err
}

// labelName is the column of fit's memberships that is none of them.
const labelName = "label"

// picked is a Dialect's Pick: the wanted columns if a header has them all, and
// otherwise all but one named label. found tells which.
func picked(wanted []string, found *bool) func(names []string) []string {
	return func(names []string) (columns []string) {
		if *found = hasAll(names, wanted); *found {
			return wanted
		}
		if !slices.Contains(names, labelName) || len(names) == 1 {
			return nil
		}
		return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == labelName })
	}
}

// hasAll reports whether every wanted name is there, as many times as it is wanted.
func hasAll(names, wanted []string) bool {
	left := map[string]int{}
	for _, name := range names {
		left[name]++
	}
	for _, name := range wanted {
		if left[name]--; left[name] < 0 {
			return false
		}
	}
	return true
}

// readCenters returns the centers with d's columns, by their names if the file has
// all of them and else by position, scaled as d is.
func readCenters(ctx context.Context, s *sideFile, d *data) (*softkmeans.Matrix, error) {
	var t *table.Table
	var err error
	found := false
	if d.Header {
		// Names that are numbers do not look like a header.
		t, err = s.read(ctx, table.Dialect{Header: table.HeaderYes, Pick: picked(d.Names, &found)}, true)
	}
	if !found {
		t, err = s.read(ctx, table.Dialect{Pick: picked(d.Names, &found)}, false)
	}
	if err != nil {
		return nil, err
	}
	if t.Rows > mostCenters {
		return nil, fmt.Errorf("%s: %d centers; %d at most are certified", s.source, t.Rows, mostCenters)
	}
	if len(t.Names) != len(d.Names) {
		return nil, fmt.Errorf("%s: %s of %s, but %s has %s, and the names of both are not the same",
			s.source, count(t.Rows, "center"), count(len(t.Names), "column"), d.Source, count(len(d.Names), "column"))
	}
	d.scale.Apply(t.Data)
	return softkmeans.NewMatrix(t.Rows, len(t.Names), t.Data), nil
}

// readMemberships returns the memberships of d's rows in k centers, which are of
// another file.
func readMemberships(ctx context.Context, s *sideFile, d *data, k int, of string) (*softkmeans.Matrix, error) {
	prototypes := make([]string, k)
	for j := range prototypes {
		prototypes[j] = prototype(j)
	}
	found := false
	t, err := s.read(ctx, table.Dialect{Pick: picked(prototypes, &found)}, false)
	if err != nil {
		return nil, err
	}
	if t.Rows != d.Rows {
		hint := ""
		switch {
		case t.Rows == d.Rows+1 && !t.Header:
			hint = "; if its first line is a header of numbers, leave that out"
		case t.Rows == d.Rows+1 && d.Header, t.Rows == d.Rows-1 && !d.Header:
			hint = "; is the first line of " + d.Source + " a header, or not? See -header"
		}
		return nil, fmt.Errorf("%s: memberships of %s, but %s has %s%s", s.source, count(t.Rows, "row"), d.Source, count(d.Rows, "row"), hint)
	}
	if len(t.Names) == 1 && k > 1 {
		return hardMemberships(t, k, of)
	}
	if len(t.Names) != k {
		return nil, fmt.Errorf("%s: memberships in %s, but %s has %s", s.source, count(len(t.Names), "center"), of, count(k, "center"))
	}
	return softkmeans.NewMatrix(t.Rows, k, t.Data), nil
}

// hardMemberships makes memberships of labels, which are numbers from 0 to k−1 or,
// if one of them is k, from 1 to k.
func hardMemberships(t *table.Table, k int, of string) (*softkmeans.Matrix, error) {
	first := 0.0
	if slices.Contains(t.Data, float64(k)) {
		first = 1
	}
	g := softkmeans.NewMatrix(t.Rows, k, nil)
	for i, v := range t.Data {
		j := v - first
		if !(j >= 0 && j < float64(k)) || j != math.Trunc(j) {
			return nil, fmt.Errorf("%s: row %d has the label %v, and %s has %s; a label is a number from 0 to %d, or from 1 to %d",
				t.Source, i+1, v, of, count(k, "center"), k-1, k)
		}
		g.Set(i, int(j), 1)
	}
	return g, nil
}

// isHard reports whether every row belongs to one center.
func isHard(g *softkmeans.Matrix) bool {
	for i := range g.Rows {
		for _, v := range g.Row(i) {
			if v != 0 && v != 1 {
				return false
			}
		}
	}
	return true
}
