// Package draws has what the packages beside softkmeans share: options, rows of positive weight, tables of
// some rows, and tasks on workers.
package draws

import (
	"math"

	"softkmeans"
	"softkmeans/internal/fault"
)

// Rows returns the rows of a table of n that have positive weight; nil weights are all 1.
// Errors name the first weight that is none.
func Rows(weights []float64, n int) (rows []int, err error) {
	if weights != nil && len(weights) != n {
		return nil, fault.New(softkmeans.ErrShape, len(weights), " weights for ", n, " rows")
	}
	for i := range n {
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		switch {
		case !(math.Abs(w) <= math.MaxFloat64):
			return nil, fault.Entry("weights", i, w, softkmeans.ErrNonFinite)
		case w < 0:
			return nil, fault.Entry("weights", i, w, softkmeans.ErrOption)
		case w > 0:
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 && n > 0 {
		return nil, fault.New(softkmeans.ErrTooFewSamples, "every weight is 0")
	}
	return rows, nil
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
