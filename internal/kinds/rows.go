package kinds

// Rows as they are fitted: divided by their sums or lengths, and their columns scaled.

import (
	"errors"
	"slices"
	"strconv"

	"softkmeans"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
)

// ScaleRows scales the rows of t, in place; s is nil if they stay as they are. divided says that counts may have been
// divided by a number; they become counts again. It returns the sums by which the rows are divided, nil if they are not, and sets their weights.
// It is an error if counts have an entry that is missing or below 0, and if a row has no sum to be divided by.
func ScaleRows(t *table.Table, s *scale.Scaling, divided bool) (sums []float64, err error) {
	x := softkmeans.NewMatrix(t.Rows, len(t.Names), t.Data)
	switch scale.KindOf(s) {
	case scale.Counts:
		if m := Multiples(x); divided && m != nil {
			copy(x.Data, m.Data)
		}
		if sums = scale.Close(x.Data, x.Cols); sums == nil {
			return nil, notCounts(t)
		}
		s.Apply(x.Data)
		t.Weights = scale.Times(sums, t.Weights)
	case scale.Sums:
		if sums = scale.SumsOf(x.Data, x.Cols); !(slices.Min(sums) > 0) {
			at := slices.IndexFunc(sums, func(sum float64) bool { return !(sum > 0) })
			return nil, errors.New(t.Source + ": row " + strconv.Itoa(at+1) + " has no sum above 0 to be divided by")
		}
		t.Weights = scale.Times(s.Divide(x.Data, sums), t.Weights)
	case scale.Words:
		if !s.WordRows(x.Data) {
			return nil, notCounts(t)
		}
	default:
		s.Apply(x.Data)
	}
	return sums, nil
}

// notCounts returns the error for a table with an entry that is no count.
func notCounts(t *table.Table) error {
	at := scale.Negative(t.Data)
	return NotCount(t.Source, at/len(t.Names), t.Names[at%len(t.Names)], t.Data[at])
}

// NotCount returns the error for an entry, in a row from 0, that is no count.
func NotCount(source string, row int, column string, v float64) error {
	what := "a value is missing"
	if v < 0 {
		what = strconv.FormatFloat(v, 'g', -1, 64) + " is below 0"
	}
	return errors.New(source + ": row " + strconv.Itoa(row+1) + ", column " + table.Short(column, table.MostName) +
		": " + what + "; -scale counts and words require counts of at least 0, without missing values (the scale may come from a model)")
}
