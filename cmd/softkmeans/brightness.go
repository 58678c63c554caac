package main

// This file holds rows that differ in brightness, which are divided by their sums.

import (
	"context"
	"fmt"
	"math"
	"slices"

	"softkmeans/internal/kinds"
	"softkmeans/internal/scale"
	"softkmeans/unmix"
)

// divide divides the rows by their sums. Those without a sum are left out, and noted.
func (d *data) divide() (err error) {
	sums := scale.SumsOf(d.Data, d.x.Cols)
	if at := slices.IndexFunc(sums, math.IsNaN); at >= 0 {
		return fmt.Errorf("%s: row %d: a value is missing; the sums of rows need all (-rows, or the model)",
			d.Source, at+1)
	}
	dark := make([]bool, d.Rows)
	for i, sum := range sums {
		dark[i] = sum == 0
	}
	if err := d.leaveZeros(dark, "without a sum above 0"); err != nil {
		return err
	}
	if d.scale == nil {
		d.scale = scale.Of(scale.Sums, d.Data, d.x.Cols, d.Weights)
	}
	d.mixtures = true
	d.sizes, err = kinds.ScaleRows(d.Table, d.scale, false)
	return err
}

// open divides the rows by their sums if -rows auto finds that they are mixtures of k prototypes times a
// brightness of their own, and reports whether it did. chosen is as for [kinds.Open].
func (d *data) open(ctx context.Context, f *inputFlags, k int, chosen bool) (open bool, err error) {
	if f.perRow != unmix.ScaleAuto || f.settled || d.sparse != nil || d.scale != nil || d.missing > 0 ||
		kinds.Square(d.x) {
		return false, nil
	}
	open, err = kinds.Open(ctx, d.x, d.Weights, k, chosen)
	if err != nil || !open {
		return false, err
	}
	d.take(kinds.OpenWords + " (-rows given takes them as they are)")
	return true, d.divide()
}
