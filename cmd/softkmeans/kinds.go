package main

// This file holds what the kind of a table's numbers decides: counts, parts of a whole, a total.

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/internal/kinds"
	"softkmeans/internal/measure"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
)

const (
	mayBeCounts = kinds.MayBeWords + "; if they are, use -scale counts, or -scale words for words"
	rareCounts  = "90 % or more of the counts are 0, like counts of words: for clusters try -scale words"
	asTheyAre   = "columns are not standardized (-scale zscore does)"
	unbounded   = "Prototypes have no bounds (-bounds sets them)"
)

// look finds out the kind of the numbers, and notes it for -scale auto. It returns the scale to take.
func (d *data) look(f *inputFlags) scale.Kind {
	note := func(text string) { d.Notes = append(d.Notes, text) }
	called := func(columns []int) (names []string) {
		for _, j := range columns {
			names = append(names, short(d.Names[j-1], mostName))
		}
		return names
	}
	without := func(text, end string, columns ...int) {
		var words []string
		for _, j := range columns {
			if word := dropWord(&d.Head, j-1); word != "" {
				words = append(words, word)
			}
		}
		if len(words) == len(columns) {
			these := table.Plural(len(words), "it", "them")
			text += "; -drop " + strings.Join(words, ",") + " leaves " + these + " out" + end
		}
		note(text)
	}
	if at := kinds.Codes(d.x, d.Names, d.Doubted); len(at) > 0 {
		are := table.Plural(len(at), " if it is a code", " if they are codes")
		without(kinds.CodesWords(called(at)), are, at...)
	}
	if at := kinds.Constant(d.x); at != nil {
		note(kinds.ConstantWords(called(at)))
	}
	found := kinds.Look(d.x)
	if f.noCounts {
		found.Counts, found.MayBe = false, false
	}
	d.mixtures = found.Mixtures() && f.scale != scale.Words || f.scale == scale.Counts
	if f.scale != scale.Auto {
		return f.scale
	}
	d.kind = found
	switch k := d.kind; {
	case k.Total > 0:
		without("column "+short(d.Names[k.Total-1], mostName)+kinds.TotalWords, "", k.Total)
	case k.Counts:
		d.take(k.Words() + " (-scale none takes them as they are)")
	case k.Sum > 0:
		d.take(k.Words() + " (-scale zscore does)")
	case k.MayBe:
		note(mayBeCounts)
	}
	if kinds.Words(d.Data, len(d.Data)) {
		note(rareCounts)
	}
	kind := d.kind.Scale()
	if kind == scale.Auto {
		kind, _ = view.ByUnits(&d.Head)
	}
	return kind
}

// take adds a choice to the one note about all choices of the scale and the bounds, as a sentence of its own.
func (d *data) take(choice string) {
	if d.taken == 0 {
		d.Notes = append(d.Notes, choice)
		d.taken = len(d.Notes)
		return
	}
	d.Notes[d.taken-1] += ". " + answer.Capital(choice)
}

// zeroRows reports which rows are zeros.
func zeroRows(x *softkmeans.Matrix) []bool {
	zeros := make([]bool, x.Rows)
	for i := range zeros {
		zeros[i] = !slices.ContainsFunc(x.Row(i), func(v float64) bool { return v != 0 })
	}
	return zeros
}

// leaveZeros leaves out the rows of zeros, or without a sum, of a table in which rows are shares of their sums.
// words say which of the two.
func (d *data) leaveZeros(zeros []bool, words string) error {
	name := d.texts.Names()
	var list []string
	for i, zero := range zeros {
		if zero {
			_, id := name(i)
			list = append(list, short(id, mostName))
		}
	}
	n := len(list)
	if n == 0 {
		return nil
	}
	if n == d.Rows {
		return fmt.Errorf("%s: all rows are %s, which have no shares", d.Source, strings.TrimPrefix(words, "of "))
	}
	if n > mostZeros {
		list = append(list[:mostZeros-1], fmt.Sprintf("%d more", n-mostZeros+1))
	}
	d.keep(zeros)
	d.Notes = append(d.Notes, count(n, "row")+" "+words+" "+plural(n, "is", "are")+
		" left out, as zeros have no shares: "+strings.Join(list, ", "))
	return nil
}

// mostZeros is how many rows of zeros are named.
const mostZeros = 8

// noteColumns notes that columns are as they are, if no other note tells.
func (d *data) noteColumns() {
	if d.taken == 0 && d.scale == nil && d.sparse == nil {
		d.take(asTheyAre)
	}
}

// within returns the bounds of prototypes, and notes its choice: those of -bounds, or 0 if d.above says so and
// free does not.
func (d *data) within(b *bounds, free bool) *bounds {
	switch {
	case b != nil:
		return b.orNil()
	case free || d.scale != nil && d.sizes == nil && d.scale.Kind != scale.Words || !d.above:
		d.take(unbounded)
		return nil
	}
	d.take(kinds.AboveWords + " (-bounds)")
	return &bounds{0, math.Inf(1)}
}

// detailNames are the columns of details, if they are asked for, and of the sizes of rows, if there are any.
func detailNames(details bool, sizes []float64) (names []string) {
	if details {
		names = slices.Clone(measure.Names)
	}
	if sizes != nil {
		names = append(names, answer.SizeName)
	}
	return names
}

// withSizes returns details, which may be nil, with a column of the sizes of rows, which may be nil, too.
func withSizes(details *softkmeans.Matrix, sizes []float64) *softkmeans.Matrix {
	if sizes == nil {
		return details
	}
	cols := len(detailNames(details != nil, sizes))
	all := softkmeans.NewMatrix(len(sizes), cols, nil)
	for i, size := range sizes {
		if details != nil {
			copy(all.Row(i), details.Row(i))
		}
		all.Set(i, cols-1, size)
	}
	return all
}

// noteKind adds a note if the table looks like distances, a graph or similarities, and is taken for something
// else.
func (d *data) noteKind(f *fitFlags) {
	similar, matrix := f.method.ofSimilarities(), f.kernel == kernelMatrix
	if similar && matrix {
		d.noteNegative(f.method)
	}
	if !kinds.Square(d.x) || similar && !matrix && f.kernel != kernelDistances {
		return
	}
	note := ""
	switch holds := kinds.Holds(d.x); {
	case holds == kinds.Graph && similar && matrix:
		note = "the table looks like the weights of a graph, and is taken for similarities as it is; -kernel graph " +
			"divides by the sums of its rows"
	case holds == kinds.Graph:
		note = "the table looks like the weights of a graph; if it is: -kernel graph"
	case similar:
		return
	case holds == kinds.Distances:
		note = "the table looks like distances between its rows; if it is: -kernel distances"
	default:
		note = "the table is symmetric, as similarities of its rows are; if it holds these: -kernel matrix"
	}
	d.Notes = append(d.Notes, note)
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
