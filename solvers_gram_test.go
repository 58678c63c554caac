//go:build gramonly

package softkmeans

import (
	"context"
	"errors"
	"testing"
)

// Run it with go test -tags gramonly -run GramOnly .
func TestGramOnly(t *testing.T) {
	x := NewMatrix(600, 520, nil) // SolverAuto would take Krylov's steps
	for i := range x.Data {
		x.Data[i] = float64(i*i%1009) / float64(1+i%520)
	}
	m := mustDo(Fit(context.Background(), x, 3, nil))(t)
	if m.Solver != SolverGram || m.Status != StatusOptimal || !(m.Gap <= 1e-12) {
		t.Errorf("solver %v, %v, gap %g", m.Solver, m.Status, m.Gap)
	}
	// A floor of 0, where SolverJacobi would follow.
	m = mustDo(Fit(context.Background(), NewMatrix(3, 2, []float64{0, 0, 1, 1, 2, 2}), 2, nil))(t)
	if m.Solver != SolverGram || !(m.Gap <= 1e-12) {
		t.Errorf("a line: %+v", m)
	}
	for _, s := range []Solver{SolverJacobi, SolverKrylov} {
		if _, err := Fit(context.Background(), x, 3, &Options{Solver: s}); !errors.Is(err, ErrOption) {
			t.Errorf("%v: error %v", s, err)
		}
	}
}
