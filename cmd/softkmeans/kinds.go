package main

// This file holds what the kind of a table's numbers decides: counts, parts of a whole, a total.

import (
	"errors"
	"math"
	"slices"

	"softkmeans"
	"softkmeans/internal/kinds"
	"softkmeans/internal/scale"
)

// look finds out the kind of the numbers for -scale auto, and notes it. It returns the scale to take.
func (d *data) look(f *inputFlags) scale.Kind {
	if f.scale != scale.Auto {
		return f.scale
	}
	d.kind = kinds.Look(d.x)
	if f.noCounts {
		d.kind.Counts = false
	}
	note := func(text string) { d.Notes = append(d.Notes, text) }
	switch k := d.kind; {
	case k.Total > 0:
		name := short(d.Names[k.Total-1], mostName)
		note("column " + name + kinds.TotalWords + "; -drop " + name + " leaves it out")
	case k.Counts:
		note(kinds.CountsWords + "; -scale none takes them as they are")
	case k.Sum > 0:
		note("rows add up to " + plain(k.Sum) + kinds.SumWords + "; -scale zscore does")
	}
	return d.kind.Scale()
}

// close takes rows of counts to rows that add up to 1, and their sums as weights.
func (d *data) close() error {
	d.sizes = scale.Close(d.Data, d.x.Cols)
	if at := slices.IndexFunc(d.Data, func(v float64) bool { return !(v >= 0) }); at >= 0 {
		return &softkmeans.InputError{Arg: "x", Row: at / d.x.Cols, Col: at % d.x.Cols,
			Value: d.Data[at], Err: errCounts}
	}
	return nil
}

var errCounts = errors.New("no count, but -scale counts, or the model, is for counts")

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
