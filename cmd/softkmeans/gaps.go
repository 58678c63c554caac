package main

// This file holds what -missing does with rows in which values are missing, and the
// notes about what was done with a table.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/choosek"
	"softkmeans/internal/absent"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
)

// dropWords are how a user of the command leaves columns out.
const dropWords = " with -drop"

// settle does with missing values what the rule says, before the columns are scaled.
func (d *data) settle(rule absent.Rule) (err error) {
	d.meant = rule == absent.Mean && d.Missing != nil
	d.missing, err = absent.Settle(d.Table, rule, dropWords, d.keep)
	return err
}

// completeForK is how many rows without gaps are enough to choose k. choosek.Choose tries a k with
// 8 rows for each prototype, so up to 6 of them.
const completeForK = 48

// rowsForK returns the rows of x by which k is chosen, and sets o for them: those that are complete
// if they are enough, else all, with the means of the columns in the gaps. The note says which.
func (d *data) rowsForK(x *softkmeans.Matrix, o *choosek.Options) (_ *softkmeans.Matrix, note string) {
	if o.Weights, o.Filled = d.Weights, d.meant; d.missing == 0 {
		return x, ""
	}
	x, left := x.Clone(), absent.Rows(x)
	complete := absent.Without(slices.Clone(d.x.Data), left, x.Cols)
	if n := len(complete) / x.Cols; n >= completeForK {
		o.Weights = absent.Without(slices.Clone(d.Weights), left, 1)
		return softkmeans.NewMatrix(n, x.Cols, complete),
			fmt.Sprintf("k is chosen by the %d rows without a missing value", n)
	}
	absent.FillMeans(x.Data, x.Cols, d.Weights)
	o.Filled = true
	return x, "k is chosen after missing values are replaced by the means of columns"
}

// keep removes the rows that are left out, of those that are there. The texts for outputs stay.
func (d *data) keep(left []bool) {
	d.texts.Leave(left)
	absent.Keep(d.Table, left)
	d.x = softkmeans.NewMatrix(d.Rows, len(d.Names), d.Data)
}

// scaleNote returns a note about the scale of columns, with the flag that changes it; "" if there is nothing to
// say. If -scale auto scaled them it says why. If they are not scaled it names the column that decides, or says
// why they count as columns of one unit; a nil c leaves that out. kind is the value of -scale.
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
		return text + " (-scale zscore does)"
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
