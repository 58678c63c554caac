package main

// This file tells distances from similarities.

import (
	"fmt"
	"strconv"
)

// square reports whether the table is a matrix that compares rows with each other: as many
// rows as columns, at least three, and symmetric.
func (d *data) square() bool {
	n := d.x.Rows
	if n != d.x.Cols || n < 3 || d.missing > 0 {
		return false
	}
	for i := range n {
		for j := range i {
			if d.x.At(i, j) != d.x.At(j, i) {
				return false
			}
		}
	}
	return true
}

// distances reports whether a square table holds distances: 0 on the diagonal, nothing below
// 0, and something above.
func (d *data) distances() bool {
	above := false
	for i := range d.x.Rows {
		for j, v := range d.x.Row(i) {
			if v < 0 || i == j && v != 0 {
				return false
			}
			above = above || v > 0
		}
	}
	return above
}

// noteKind adds a note if the table looks like distances or similarities and the method takes it
// for something else.
func (d *data) noteKind(f *fitFlags) {
	switch {
	case f.method.ofSimilarities() && f.kernel == kernelMatrix:
		d.noteNegative(f.method)
	case f.method.ofSimilarities() && f.kernel.compares(), !d.square():
	case d.distances():
		d.Notes = append(d.Notes,
			"the table looks like distances between its rows; if it is: -method tilsd -kernel distances")
	default:
		d.Notes = append(d.Notes, "the table is symmetric, as similarities of its rows are; if it holds "+
			"these: -method tilsd -kernel matrix")
	}
}

// noteNegative notes similarities below 0, which LSD cannot come near.
func (d *data) noteNegative(m method) {
	n, least := 0, 0.0
	for _, v := range d.x.Data {
		if v < 0 {
			n++
			least = min(least, v)
		}
	}
	if n > 0 && m == methodLSD {
		d.Notes = append(d.Notes, fmt.Sprintf("%s below 0, down to %s: products of memberships are never "+
			"below 0, so these stay errors; "+
			"-method tilsd allows for a shift", strconv.Itoa(n)+plural(n, " similarity", " similarities"),
			small(least)))
	}
}

// notSquare returns the error for a matrix that compares rows and is not square.
func (d *data) notSquare(what string) error {
	hint := ""
	if d.x.Cols == d.x.Rows+1 && d.IDColumn == 0 {
		hint = "; if column 1 has the names of the rows: -id 1"
	}
	return fmt.Errorf("%s: %s of %s; a matrix of %s is square%s", d.Source, count(d.x.Rows, "row"),
		count(d.x.Cols, "column"), what, hint)
}
