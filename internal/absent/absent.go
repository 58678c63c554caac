// Package absent counts the missing values of a table, which are NaN, and treats them by a [Rule].
package absent

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
)

// Rule says how missing values are treated.
type Rule int

const (
	Error Rule = iota // they are an error; the rows of predict keep them
	Drop              // their rows are not fitted
	Mean              // they become the mean of their column
	Fit               // they are left out of the squared error
)

// Settle treats the missing values of t by the rule. It adds notes about that to t, and returns how many values
// are still missing by Fit, else 0. keep is called at most once, to remove rows from
// t, if some are left out: by Drop the incomplete ones, by Mean and Fit those without any value. drop is " with
// -drop" or the like: how a user leaves a column out. A table in which no row is left is an error, as is a
// column without a value for Mean.
func Settle(t *table.Table, rule Rule, drop string, keep func(left []bool)) (missing int, err error) {
	g := NewCount(t.Names)
	if x := rowsOf(t); t.Missing != nil {
		g.Add(x)
	}
	if g.Values == 0 {
		return 0, nil
	}
	note := func(words string) { t.Notes = append(t.Notes, words) }
	if rule == Mean || rule == Fit {
		if left, n := EmptyRows(rowsOf(t)); n > 0 {
			if keep(left); t.Rows == 0 {
				return 0, g.NoRow(t.Source, drop)
			}
			note(view.Count(n, "row") + " without any value " + table.Plural(n, "is", "are") + " left out")
			g = NewCount(t.Names)
			if g.Add(rowsOf(t)); g.Values == 0 {
				return 0, nil
			}
		}
	}
	values := view.Count(g.Values, "missing value")
	switch rule {
	case Error:
		_, n := EmptyRows(rowsOf(t))
		t.Notes = append(t.Notes, g.Present(n)...)
	case Drop:
		left, n := Rows(rowsOf(t)), t.Rows
		if keep(left); t.Rows == 0 {
			return 0, g.NoRow(t.Source, drop)
		}
		note(g.LeftOut(n - t.Rows))
	case Mean:
		if j := slices.Index(g.counts, t.Rows); j >= 0 {
			return 0, errors.New(t.Source + ": column " + table.Short(t.Names[j], table.MostName) +
				" has no value; leave it out" + drop)
		}
		FillMeans(t.Data, len(t.Names), t.Weights)
		note(values + " replaced by the means of columns: " + g.Columns())
	case Fit:
		missing = g.Values
		note(values + ", left out of the squared error: " + g.Columns())
	}
	return missing, nil
}

func rowsOf(t *table.Table) *softkmeans.Matrix {
	return softkmeans.NewMatrix(t.Rows, len(t.Names), t.Data)
}

// Keep removes the rows that are left out from t. The lists of ids and texts that t had stay as they are.
func Keep(t *table.Table, left []bool) {
	t.Data = Without(t.Data, left, len(t.Names))
	t.Rows = len(t.Data) / len(t.Names)
	t.Class, t.Weights = Without(t.Class, left, 1), Without(t.Weights, left, 1)
	t.IDs, t.Kept = Without(slices.Clone(t.IDs), left, 1), Without(slices.Clone(t.Kept), left, 1)
}

// Without removes the rows that are left out of a table with so many columns, in place. nil stays nil.
func Without[T any](rows []T, left []bool, cols int) []T {
	if rows == nil || left == nil {
		return rows
	}
	n := 0
	for i, out := range left {
		if !out {
			n += copy(rows[n:], rows[i*cols:(i+1)*cols])
		}
	}
	return rows[:n]
}

// FillMeans replaces the missing values of rows by the means of their columns.
func FillMeans(rows []float64, cols int, weights []float64) {
	means := scale.Of(scale.ZScore, rows, cols, weights).Shift
	for i, v := range rows {
		if v != v {
			rows[i] = means[i%cols]
		}
	}
}

// Rows reports which rows have a missing value; nil: none.
func Rows(x *softkmeans.Matrix) (rows []bool) {
	for i, v := range x.Data {
		if v != v {
			if rows == nil {
				rows = make([]bool, x.Rows)
			}
			rows[i/x.Cols] = true
		}
	}
	return rows
}

// EmptyRows reports which rows have no value at all, and how many.
func EmptyRows(x *softkmeans.Matrix) (rows []bool, n int) {
	rows = make([]bool, x.Rows)
	for i := range rows {
		if rows[i] = !slices.ContainsFunc(x.Row(i), func(v float64) bool { return v == v }); rows[i] {
			n++
		}
	}
	return rows, n
}

// Count counts the missing values of columns.
type Count struct {
	names  []string
	counts []int
	Values int // in all
}

// NewCount returns the count of a table without rows.
func NewCount(names []string) *Count { return &Count{names: names, counts: make([]int, len(names))} }

// Add counts the missing values of x.
func (g *Count) Add(x *softkmeans.Matrix) {
	for i, v := range x.Data {
		if v != v {
			g.counts[i%len(g.counts)]++
			g.Values++
		}
	}
}

// Columns lists the columns with missing values, those with most first, and how many each has. Of more than
// eight it lists seven.
func (g *Count) Columns() string {
	var order []int
	for j, n := range g.counts {
		if n > 0 {
			order = append(order, j)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(g.counts[b], g.counts[a]) })
	var list []string
	for i, j := range order {
		if i == 7 && len(order) > 8 {
			list = append(list, view.Count(len(order)-i, "more column"))
			break
		}
		list = append(list, table.Short(g.names[j], table.MostName)+" ("+strconv.Itoa(g.counts[j])+")")
	}
	return strings.Join(list, ", ")
}

// Present are the notes of predict, on missing values and on empty rows, which have none.
func (g *Count) Present(empty int) (notes []string) {
	rest := NewCount(g.names)
	for j, n := range g.counts {
		rest.counts[j] = n - empty
		rest.Values += n - empty
	}
	if rest.Values > 0 {
		notes = append(notes, view.Count(rest.Values, "missing value")+", left out of the distances: "+
			rest.Columns())
	}
	if empty > 0 {
		notes = append(notes, view.Count(empty, "row")+" without any value "+table.Plural(empty, "has", "have")+
			" no label and no memberships")
	}
	return notes
}

// NoRow returns the error for a table in which no row is left. drop is as for [Settle].
func (g *Count) NoRow(source, drop string) error {
	return errors.New(source + ": every row has a missing value; leave columns out" + drop + ": " + g.Columns())
}

// LeftOut is the note on so many rows that are left out.
func (g *Count) LeftOut(rows int) string {
	return view.Count(rows, "row") + " with missing values " + table.Plural(rows, "is", "are") + " left out: " +
		g.Columns()
}
