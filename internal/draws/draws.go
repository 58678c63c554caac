// Package draws has what the packages beside softkmeans share: options, rows of positive weight, tables of
// some rows, and tasks on workers.
package draws

import (
	"errors"
	"math"

	"softkmeans"
	"softkmeans/internal/fault"
)

// CheckWeights returns an error unless weights has n numbers of at least 0; nil weights are all 1. It names the
// first that is none.
func CheckWeights(weights []float64, n int) error {
	if weights != nil && len(weights) != n {
		return fault.New(softkmeans.ErrShape, len(weights), " weights for ", n, " rows")
	}
	for i, w := range weights {
		switch {
		case !(math.Abs(w) <= math.MaxFloat64):
			return fault.Entry("weights", i, w, softkmeans.ErrNonFinite)
		case w < 0:
			return fault.Entry("weights", i, w, softkmeans.ErrOption)
		}
	}
	return nil
}

// Rows returns the rows of a table of n that have positive weight. Errors: those of CheckWeights, and
// [softkmeans.ErrTooFewSamples] if there is none.
func Rows(weights []float64, n int) (rows []int, err error) {
	if err := CheckWeights(weights, n); err != nil {
		return nil, err
	}
	for i := range n {
		if Weight(weights, i) > 0 {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 && n > 0 {
		return nil, fault.New(softkmeans.ErrTooFewSamples, "every weight is 0")
	}
	return rows, nil
}

// Weight returns the weight of row i.
func Weight(weights []float64, i int) float64 {
	if weights == nil {
		return 1
	}
	return weights[i]
}

// OrZero returns the options that p points to; of nil the zero value.
func OrZero[T any](p *T) (o T) {
	if p != nil {
		o = *p
	}
	return o
}

// Chosen returns a table of some rows of m.
func Chosen(m *softkmeans.Matrix, rows []int) *softkmeans.Matrix {
	out := softkmeans.NewMatrix(len(rows), m.Cols, nil)
	for i, at := range rows {
		copy(out.Row(i), m.Row(at))
	}
	return out
}

// InRange returns the size of the largest entry of x, or an error that calls x by name: those of Matrix.Check,
// and [softkmeans.ErrRange] for an entry above 2^500.
func InRange(name string, x *softkmeans.Matrix) (top float64, err error) {
	if err := x.Check(name); err != nil || x.Cols == 0 { // there may be 2^31 rows
		return 0, err
	}
	for i := range x.Rows {
		for c, v := range x.Row(i) {
			if top = max(top, math.Abs(v)); top > 0x1p500 {
				return 0, &softkmeans.InputError{Arg: name, Row: i, Col: c, Value: v, Err: softkmeans.ErrRange}
			}
		}
	}
	return top, nil
}

// Size returns the rows and columns of x; 0 for nil.
func Size(x softkmeans.Samples) (rows, cols int) {
	switch x := x.(type) {
	case *softkmeans.Matrix:
		if x != nil {
			return x.Rows, x.Cols
		}
	case *softkmeans.SparseMatrix:
		if x != nil {
			return x.Rows, x.Cols
		}
	}
	return 0, 0
}

// LaterRow adds the number of rows before a part of a table to the row that an error of the part names.
func LaterRow(err error, before int) error {
	var e *softkmeans.InputError
	if !errors.As(err, &e) {
		return err
	}
	later := *e
	later.Row += before
	return &later
}
