package main

// This file holds -scale words: counts of words, and of other rare events.

import (
	"fmt"

	"softkmeans/internal/rows"
	"softkmeans/internal/scale"
)

// words reports whether rows are scaled as counts of words, by -scale or by a model.
func (f *inputFlags) words() bool {
	return f.scale == scale.Words || scale.KindOf(f.scaling) == scale.Words
}

// words scales rows of counts of words, by their own rarities or those of a model.
func (d *data) words() error {
	if d.scale == nil {
		d.scale = scale.OfWordRows(d.Data, d.x.Cols, d.Weights)
	}
	if d.scale.WordRows(d.Data) {
		return nil
	}
	return d.notCount(scale.Negative(d.Data))
}

// sparseWords scales the rows of a sparse file if they are counts of words. It returns their scaling; nil: they
// are not.
func (f *inputFlags) sparseWords(t *rows.Sparse) (*scale.Scaling, error) {
	if !f.words() {
		return nil, nil
	}
	x, s := t.X, f.scaling
	if at := scale.Negative(x.Data); at >= 0 {
		row := 0
		for x.Indptr[row+1] <= at {
			row++
		}
		return nil, notCount(t.Source, row, t.Names[x.Indices[at]], x.Data[at])
	}
	if s == nil {
		s = scale.OfSparseWords(x.Indptr, x.Indices, x.Data, x.Cols, t.Weights)
	}
	for i := range x.Rows {
		from, to := x.Indptr[i], x.Indptr[i+1]
		s.Words(x.Data[from:to], x.Indices[from:to])
	}
	return s, nil
}

// notCount is the error for a value of the table, at its place in the data, that is no count.
func (d *data) notCount(at int) error {
	return notCount(d.Source, at/d.x.Cols, d.Names[at%d.x.Cols], d.Data[at])
}

// notCount is the error for an entry, in a row from 0, that is no count.
func notCount(source string, row int, column string, v float64) error {
	what := "a value is missing"
	if v < 0 {
		what = fmt.Sprintf("%v is below 0", v)
	}
	return fmt.Errorf("%s: row %d, column %s: %s; -scale counts and words require counts of at least 0, without missing values "+
		"(the scale may come from a model)", source, row+1, short(column, mostName), what)
}
