package main

// This file reads the other tables of certify: centers and memberships.

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"softkmeans"
	"softkmeans/internal/absent"
	"softkmeans/internal/answer"
	"softkmeans/internal/rows"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
)

// readSide reads a table that is not the data.
func readSide(in io.Reader, source string, d table.Dialect) (*table.Table, error) {
	t, err := rows.ReadAll(in, source, d)
	return t, plainError(err)
}

// plainError takes the advice of flags off an error, which are for the data and not for other files.
func plainError(err error) error {
	var e *table.Error
	if errors.As(err, &e) {
		e.Msg = e.Plain()
	}
	return err
}

// picked returns a function for Dialect.Pick: the wanted columns if the header has
// all of them, else all columns but one named label. It sets *found accordingly. bare says
// that the wanted columns have no names of their own, as in a file without a header.
func picked(wanted []string, bare bool, found *bool) func(names []string) []string {
	return func(names []string) (columns []string) {
		*found = false
		if n := len(wanted); bare && len(names) > n &&
			wanted[n-1] == table.Column(n-1) && names[n] == table.Column(n) {
			return nil // of more columns than the data
		}
		if *found = hasAll(names, wanted); *found {
			return wanted
		}
		if !slices.Contains(names, answer.LabelName) || len(names) == 1 {
			return nil
		}
		return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == answer.LabelName })
	}
}

// hasAll reports whether names has every wanted name, as often as it is wanted.
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

// centersLike returns the centers, scaled as d is. Columns are found by name if the
// file has all names of d, else by position.
func (s *solution) centersLike(d *data) (*softkmeans.Matrix, error) {
	var t *table.Table
	var err error
	found := false
	read := func(header table.Choice) {
		t, err = readSide(bytes.NewReader(s.centers), s.source, table.Dialect{Header: header, Pick: picked(d.Names, d.Bare || !d.Header, &found)})
	}
	if d.Header { // a header whose names are numbers is not recognized by itself
		read(table.Yes)
	}
	if !found {
		read(table.Auto)
	}
	if err != nil {
		return nil, err
	}
	if t.Rows > mostCenters {
		return nil, fmt.Errorf("%s: %d prototypes; at most %d can be certified", s.source, t.Rows, mostCenters)
	}
	if len(t.Names) != len(d.Names) {
		return nil, fmt.Errorf("%s: %s of %s, but %s has %s; give the same columns or the same names",
			s.source, view.Prototypes(t.Rows), count(len(t.Names), "column"), d.Source,
			count(len(d.Names), "column"))
	}
	d.scale.Apply(t.Data)
	return softkmeans.NewMatrix(t.Rows, len(t.Names), t.Data), nil
}

// readMemberships returns the memberships of d's rows in k centers.
func (s *solution) readMemberships(d *data, k int) (*softkmeans.Matrix, error) {
	found := false
	left := d.texts.Left
	t, err := readSide(s.memberships, s.from, table.Dialect{Pick: picked(view.Names(k), false, &found), Missing: left != nil})
	if err != nil {
		return nil, err
	}
	if left != nil && t.Rows == len(left) {
		t.Data = absent.Without(t.Data, left, len(t.Names))
		t.Rows = d.Rows
	}
	if i := slices.IndexFunc(t.Data, math.IsNaN); i >= 0 {
		return nil, fmt.Errorf("%s: a membership is missing in a row that %s has", s.from, d.Source)
	}
	if t.Rows != d.Rows {
		hint := ""
		switch {
		case t.Rows == d.Rows+1 && !t.Header:
			hint = "; if its first line is a header of numbers, remove it"
		case t.Rows == d.Rows+1 && d.Header, t.Rows == d.Rows-1 && !d.Header:
			hint = "; if line 1 of " + d.Source +
				" is taken wrongly for a header or a row, give -header yes or no"
		}
		return nil, fmt.Errorf("%s: memberships of %s, but %s has %s%s",
			s.from, count(t.Rows, "row"), d.Source, count(d.Rows, "row"), hint)
	}
	if len(t.Names) == 1 && k > 1 {
		return hardMemberships(t, k, s.source)
	}
	if len(t.Names) != k {
		return nil, fmt.Errorf("%s: memberships in %s, but %s has %s", s.from,
			count(len(t.Names), "prototype"), s.source, view.Prototypes(k))
	}
	return softkmeans.NewMatrix(t.Rows, k, t.Data), nil
}

// hardMemberships turns labels into memberships of 0 and 1. Labels are numbers from 0
// to k−1, or from 1 to k if one of them is k.
func hardMemberships(t *table.Table, k int, of string) (*softkmeans.Matrix, error) {
	first := 0.0
	if slices.Contains(t.Data, float64(k)) {
		first = 1
	}
	g := softkmeans.NewMatrix(t.Rows, k, nil)
	for i, v := range t.Data {
		j := v - first
		if !(j >= 0 && j < float64(k)) || j != math.Trunc(j) {
			return nil, fmt.Errorf("%s: row %d has the label %v, but %s has %s; labels are numbers from 0 "+
				"to %d, or from 1 to %d",
				t.Source, i+1, v, of, view.Prototypes(k), k-1, k)
		}
		g.Set(i, int(j), 1)
	}
	return g, nil
}

func isHard(g *softkmeans.Matrix) bool {
	return !slices.ContainsFunc(g.Data, func(v float64) bool { return v != 0 && v != 1 })
}
