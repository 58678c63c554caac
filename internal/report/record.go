package report

import (
	"slices"

	"softkmeans"
)

// record keeps the squared error of every iteration, which a model's Trace, with
// its penalty, does not tell. Its progress is for the options of a fit.
type record struct{ runs []run }

type run struct{ objectives, errors []float64 }

// progress takes in an iteration; those of a run come one after the other.
func (r *record) progress(it softkmeans.Iteration) {
	if it.Iteration == 0 || len(r.runs) == 0 {
		r.runs = append(r.runs, run{})
	}
	last := &r.runs[len(r.runs)-1]
	last.objectives, last.errors = append(last.objectives, it.Objective), append(last.errors, it.Fit)
}

// errors are those of the run that gave the model; nil if that was not recorded.
func (r *record) errors(m *softkmeans.Model) []float64 {
	for _, at := range slices.Backward(r.runs) {
		if slices.Equal(at.objectives, m.Trace) {
			return at.errors
		}
	}
	return nil
}
