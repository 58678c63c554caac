package main

// This file holds what the kind of a table's numbers decides: counts, parts of a whole, a total.

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"softkmeans"
	"softkmeans/internal/kinds"
	"softkmeans/internal/scale"
)

const mayBeCounts = kinds.MayBeWords + "; if they are: -scale counts"

// look finds out the kind of the numbers, and notes it for -scale auto. It returns the scale to take.
func (d *data) look(f *inputFlags) scale.Kind {
	note := func(text string) { d.Notes = append(d.Notes, text) }
	without := func(text string, column int) {
		if word := dropWord(&d.Head, column-1); word != "" {
			text += "; -drop " + word + " leaves it out"
		}
		note(text)
	}
	if at, groups := kinds.Codes(d.x); at > 0 {
		without(kinds.CodesWords(short(d.Names[at-1], mostName), groups), at)
	}
	found := kinds.Look(d.x)
	if f.noCounts {
		found.Counts, found.MayBe = false, false
	}
	d.mixtures = found.Mixtures() || f.scale == scale.Counts
	if f.scale != scale.Auto {
		return f.scale
	}
	d.kind = found
	switch k := d.kind; {
	case k.Total > 0:
		without("column "+short(d.Names[k.Total-1], mostName)+kinds.TotalWords, k.Total)
	case k.Counts:
		note(kinds.CountsWords + "; -scale none takes them as they are")
	case k.Sum > 0:
		note("rows add up to " + plain(k.Sum) + kinds.SumWords + "; -scale zscore does")
	case k.MayBe:
		note(mayBeCounts)
	}
	return d.kind.Scale()
}

// close takes rows of counts to rows that add up to 1.
func (d *data) close() error {
	if d.sizes = scale.Close(d.Data, d.x.Cols); d.sizes != nil {
		return nil
	}
	at := slices.IndexFunc(d.Data, func(v float64) bool { return !(v >= 0) })
	what := "a value is missing"
	if v := d.Data[at]; v < 0 {
		what = fmt.Sprintf("%v is below 0", v)
	}
	return fmt.Errorf("%s: row %d, column %s: %s; the sums of rows of counts need all, at least 0 (-scale "+
		"counts, of the command line or of a model)", d.Source, at/d.x.Cols+1,
		short(d.Names[at%d.x.Cols], mostName), what)
}

// within returns the bounds of prototypes: those of -bounds, or 0 where the numbers ask for it.
func (d *data) within(b *bounds) *bounds {
	if b == nil && (d.kind.NonNegative() || d.sizes != nil) && d.missing == 0 {
		d.Notes = append(d.Notes, kinds.AboveWords+"; -bounds none takes that away")
		return &bounds{0, math.Inf(1)}
	}
	return b.orNil()
}

// withSizes returns details with a column of the sizes of rows, and the names of all; those of -details
// where there are no sizes.
func withSizes(details *softkmeans.Matrix, sizes []float64) (*softkmeans.Matrix, []string) {
	if sizes == nil {
		return details, nil
	}
	names := []string{"size"}
	all := softkmeans.NewMatrix(len(sizes), 1, slices.Clone(sizes))
	if details != nil {
		names = append(slices.Clone(detailNames), names...)
		all = softkmeans.NewMatrix(len(sizes), len(names), nil)
		for i, size := range sizes {
			copy(all.Row(i), details.Row(i))
			all.Set(i, len(detailNames), size)
		}
	}
	return all, names
}

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
