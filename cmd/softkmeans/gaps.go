package main

// This file holds what -missing does with rows in which values are missing, and the
// notes about what was done with a table.

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/internal/kinds"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
)

type missingRule int

const (
	missingError missingRule = iota // a missing value is an error
	missingDrop                     // its row is not fitted
	missingMean                     // it becomes the mean of its column
	missingFit                      // it is left out of the squared error
)

const missingHelp = `  -missing M    what is done with rows in which values are missing, as NA or an
                empty field. error: nothing is; all places are listed (default)
                drop: they are not used, and are empty in outputs
                mean: a missing value becomes the mean of its column
`

// missingRules are the words of -missing for all commands that have the flag.
var missingRules = [...]choice[missingRule]{{"error", missingError},
	{"drop", missingDrop}, {"mean", missingMean}}

// settle does with missing values what the rule says, before the columns are scaled.
func (d *data) settle(rule missingRule) error {
	gaps := gapsOf(d.Table)
	if gaps.values == 0 {
		return nil
	}
	if rule == missingMean || rule == missingFit {
		if left, n := emptyRows(d.x); n > 0 {
			if d.keep(left); d.Rows == 0 {
				return noCompleteRow(d.Source, gaps)
			}
			d.Notes = append(d.Notes, count(n,
				"row")+" without any value "+plural(n, "is", "are")+" left out")
			gaps = newGapCount(d.Names)
			if gaps.add(d.x); gaps.values == 0 {
				return nil
			}
		}
	}
	switch rule {
	case missingError: // of predict
		_, n := emptyRows(d.x)
		d.Notes = append(d.Notes, notPresent(gaps, n)...)
	case missingDrop:
		left := gapRows(d.x)
		if d.keep(left); d.Rows == 0 {
			return noCompleteRow(d.Source, gaps)
		}
		d.Notes = append(d.Notes, leftOut(len(left)-d.Rows, gaps.columns()))
	case missingMean:
		if j := slices.Index(gaps.counts, d.Rows); j >= 0 {
			return fmt.Errorf("%s: column %s has no value; leave it out with -drop",
				d.Source, short(d.Names[j], mostName))
		}
		d.fillMeans(d.Data)
		d.Notes = append(d.Notes, count(gaps.values,
			"missing value")+" replaced by the means of columns: "+gaps.columns())
	case missingFit:
		d.missing = gaps.values
		d.Notes = append(d.Notes, count(gaps.values,
			"missing value")+", left out of the squared error: "+gaps.columns())
	}
	return nil
}

// fillMeans replaces what is missing in rows like those of d by the means of the columns.
func (d *data) fillMeans(rows []float64) {
	means := scale.OfPresent(scale.ZScore, rows, len(d.Names), d.Weights).Shift
	for i, v := range rows {
		if v != v {
			rows[i] = means[i%len(means)]
		}
	}
}

// completeForK is how many rows without gaps are enough to choose k. choosek.Choose tries a k with
// 8 rows for each prototype, so up to 6 of them.
const completeForK = 48

// rowsForK returns the rows by which k is chosen, and their weights: those that are complete
// if they are enough, else all, with the means of the columns in the gaps. The note says which.
func (d *data) rowsForK() (x *softkmeans.Matrix, weights []float64, note string) {
	switch {
	case d.sizes != nil:
		return kinds.Surprises(d.x, d.sizes), nil, ""
	case d.missing == 0:
		return d.x, d.Weights, ""
	}
	x, left := d.x.Clone(), gapRows(d.x)
	complete := without(slices.Clone(d.x.Data), left, x.Cols)
	if n := len(complete) / x.Cols; n >= completeForK {
		return softkmeans.NewMatrix(n, x.Cols, complete), without(slices.Clone(d.Weights), left, 1),
			fmt.Sprintf("k is chosen by the %d rows without a missing value", n)
	}
	d.fillMeans(x.Data)
	return x, d.Weights, "k is chosen by the table with the means of columns for missing values"
}

// notPresent are the notes of predict, on missing values and on rows without any.
func notPresent(gaps *gapCount, empty int) (notes []string) {
	rest := newGapCount(gaps.names)
	for j, n := range gaps.counts {
		rest.counts[j] = n - empty
		rest.values += n - empty
	}
	if rest.values > 0 {
		notes = append(notes, count(rest.values,
			"missing value")+", left out of the distances: "+rest.columns())
	}
	if empty > 0 {
		notes = append(notes, count(empty, "row")+" without any value "+plural(empty, "has",
			"have")+" no label and no memberships")
	}
	return notes
}

// noCompleteRow returns the error for a table in which no row is left.
func noCompleteRow(source string, gaps *gapCount) error {
	return fmt.Errorf("%s: every row has a missing value; leave columns out with -drop: %s", source,
		gaps.columns())
}

func leftOut(rows int, columns string) string {
	if rows == 1 {
		return "1 row with missing values is left out: " + columns
	}
	return fmt.Sprintf("%d rows with missing values are left out: %s", rows, columns)
}

// gapCount counts the missing values of the columns.
type gapCount struct {
	names  []string
	counts []int
	values int // in all
}

func newGapCount(names []string) *gapCount {
	return &gapCount{names: names, counts: make([]int, len(names))}
}

// gapsOf counts those of a table.
func gapsOf(t *table.Table) *gapCount {
	g := newGapCount(t.Names)
	if t.Missing != nil {
		g.counts = t.Missing
	}
	for _, n := range g.counts {
		g.values += n
	}
	return g
}

func (g *gapCount) add(x *softkmeans.Matrix) {
	for i, v := range x.Data {
		if v != v {
			g.counts[i%len(g.counts)]++
			g.values++
		}
	}
}

// columns lists the columns with missing values, those with most first, and how many each
// has. Of more than eight it lists seven.
func (g *gapCount) columns() string {
	var order []int
	for j, n := range g.counts {
		if n > 0 {
			order = append(order, j)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return g.counts[b] - g.counts[a] })
	var list []string
	for i, j := range order {
		if i == 7 && len(order) > 8 {
			list = append(list, count(len(order)-i, "more column"))
			break
		}
		list = append(list, fmt.Sprintf("%s (%d)", short(g.names[j], mostName), g.counts[j]))
	}
	return strings.Join(list, ", ")
}

// gapRows reports which rows have a missing value; nil: none.
func gapRows(x *softkmeans.Matrix) (rows []bool) {
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

// emptyRows reports which rows have no value at all, and how many.
func emptyRows(x *softkmeans.Matrix) (rows []bool, n int) {
	rows = make([]bool, x.Rows)
	for i := range rows {
		if rows[i] = !slices.ContainsFunc(x.Row(i), func(v float64) bool { return v == v }); rows[i] {
			n++
		}
	}
	return rows, n
}

// fillMixtures replaces the missing values of rows by those of their mixtures of centers.
// Residuals and labels are then those of the values that are there. With unit a mixture is
// multiplied by the shade that is best for these.
func fillMixtures(x, g, centers *softkmeans.Matrix, unit bool) {
	mixture := make([]float64, x.Cols)
	for i := range x.Rows {
		row := x.Row(i)
		if !slices.ContainsFunc(row, math.IsNaN) {
			continue
		}
		mixInto(mixture, g.Row(i), centers)
		shade := 1.0
		if unit {
			shade = brightness(row, mixture)
		}
		for c, v := range row {
			if v != v {
				row[c] = shade * mixture[c]
			}
		}
	}
}

// keep removes the rows that are left out. The texts for outputs stay.
func (d *data) keep(left []bool) {
	d.texts.leave(left)
	d.Data = without(d.Data, left, len(d.Names))
	d.Rows = len(d.Data) / len(d.Names)
	d.x = softkmeans.NewMatrix(d.Rows, len(d.Names), d.Data)
	d.Class, d.Weights = without(d.Class, left, 1), without(d.Weights, left, 1)
	d.IDs, d.Kept = without(slices.Clone(d.IDs), left, 1), without(slices.Clone(d.Kept), left, 1)
}

// without removes the rows that are left out of a table with so many columns, in place.
// nil stays nil.
func without[T any](rows []T, left []bool, cols int) []T {
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

// scaleNote says why -scale auto scales columns or, where these are not scaled, which of them decides or
// what they are taken for, and what to do; "" if there is nothing to say. kind is what -scale asks for.
// If c is nil it is not looked for what decides.
func scaleNote(h *table.Head, s *scale.Scaling, kind scale.Kind, c *scale.Columns) string {
	names := make([]string, len(h.Names))
	for j, name := range h.Names {
		names[j] = short(name, mostName)
	}
	switch {
	case s != nil && kind == scale.Auto:
		return view.Differ(s, h, names) + " (-scale none leaves them)"
	case s != nil || c == nil:
		return ""
	}
	text, j := view.Deciding(c, h, names, kind == scale.Auto)
	switch {
	case text == "":
		return ""
	case j < 0:
		return text + " (-scale zscore)"
	}
	text += " (-scale zscore counts all columns alike"
	if column := dropWord(h, j); column != "" {
		text += ", -drop " + column + " leaves it out"
	}
	return text + ")"
}

// dropWord is column j of the data as -drop takes it, quoted for a shell; "" where a name does not tell.
func dropWord(h *table.Head, j int) string {
	name := h.Names[j]
	number := strings.TrimPrefix(name, "c")
	switch _, err := strconv.Atoi(number); {
	case !h.Header && !h.Turned && err == nil:
		return number
	case !h.Header, strings.ContainsAny(name, `,"`), strings.Trim(name, "0123456789-") == "",
		slices.Index(h.Names, name) != j, slices.Contains(h.Names[j+1:], name):
		return ""
	}
	return commandLine([]string{name})
}

// writeNotes writes each note as a sentence on lines of its own, without a final newline.
func writeNotes(b *bytes.Buffer, notes []string) {
	for _, note := range notes {
		b.WriteString("\n" + strings.TrimSuffix(wrapped(sentence(note)), "\n"))
	}
}

func sentence(note string) string { return strings.ToUpper(note[:1]) + note[1:] + "." }
