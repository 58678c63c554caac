package main

// This file checks the size of a table's entries, and names the row and the column of
// an entry that the package does not accept.

import (
	"errors"
	"fmt"
	"math"

	"softkmeans"
)

// maxEntry is the largest size of an entry that the package accepts.
const maxEntry = 0x1p500

// checkEntries returns an error for the first entry of x above maxEntry. The package checks scaled entries;
// this is for entries before they are scaled. The error counts rows from first.
func checkEntries(x *softkmeans.Matrix, first int) error {
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			if math.Abs(v) > maxEntry {
				return &softkmeans.InputError{Arg: "x", Row: first + i, Col: j,
					Value: v, Err: softkmeans.ErrRange}
			}
		}
	}
	return nil
}

// place is the file and the column names of an argument of the package.
type place struct {
	source string
	names  []string
}

// located replaces an error about an entry of an argument by one that names the file, the row and the column.
func (s *session) located(err error) error {
	var e *softkmeans.InputError
	if !errors.As(err, &e) {
		return err
	}
	arg := e.Arg
	switch arg {
	case "rows", computed:
		return fmt.Errorf("%s: the similarity of row %d to row %d: %v is %w; or use -scale zscore",
			s.source, e.Row+1, e.Col+1, e.Value, e.Err)
	case "y", "s", "d":
		arg = "x"
	case "vertices":
		arg = "centers"
	}
	at := s.places[arg]
	switch {
	case arg == "weights" && s.places["x"].source != "":
		return fmt.Errorf("%s: row %d: the weight %v is %w", s.source, e.Row+1, e.Value, e.Err)
	case e.Col < 0 || e.Col >= len(at.names):
		return err
	}
	return fmt.Errorf("%s: row %d, column %s: %v is %w",
		at.source, e.Row+1, short(at.names[e.Col], mostName), e.Value, e.Err)
}
