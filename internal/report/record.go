package report

import (
	"slices"

	"softkmeans"
)

// record keeps the squared error after every iteration of every run. A model's Trace
// has the objective with its penalty only.
type record struct{ runs []run }

type run struct{ losses, errors []float64 }

// follow is the Progress of a fit that is recorded and shown. The iterations of a run follow one another.
func (r *record) follow(o *Options) func(softkmeans.Iteration) {
	return func(it softkmeans.Iteration) {
		if it.Iteration == 0 || len(r.runs) == 0 {
			r.runs = append(r.runs, run{})
		}
		last := &r.runs[len(r.runs)-1]
		last.losses, last.errors = append(last.losses, it.Loss), append(last.errors, it.Objective)
		if o.Iteration != nil {
			o.Iteration(it)
		}
	}
}

// errors returns those of the run that gave the model; nil if it was not recorded.
func (r *record) errors(m *softkmeans.Model) []float64 {
	for _, at := range slices.Backward(r.runs) {
		if slices.Equal(at.losses, m.Trace) {
			return at.errors
		}
	}
	return nil
}
