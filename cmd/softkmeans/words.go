package main

// This file holds -scale words: counts of words, and of other rare events.

import (
	"softkmeans/internal/kinds"
	"softkmeans/internal/rows"
	"softkmeans/internal/scale"
)

// words reports whether rows are scaled as counts of words, by -scale or by a model.
func (f *inputFlags) words() bool {
	return f.scale == scale.Words || scale.KindOf(f.scaling) == scale.Words
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
		return nil, kinds.NotCount(t.Source, row, t.Names[x.Indices[at]], x.Data[at])
	}
	row := func(i int) ([]float64, []int) {
		from, to := x.Indptr[i], x.Indptr[i+1]
		return x.Data[from:to], x.Indices[from:to]
	}
	if s == nil {
		s = scale.OfWords(x.Rows, x.Cols, row, t.Weights)
	}
	for i := range x.Rows {
		s.Words(row(i))
	}
	return s, nil
}
