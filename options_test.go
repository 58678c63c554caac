package softkmeans

import (
	"testing"
)

func TestNames(t *testing.T) {
	for _, c := range [][2]string{
		{EnclosureBall.String(), "ball"}, {EnclosureTight.String(), "tight"}, {Enclosure(9).String(), "Enclosure(9)"},
		{SolverAuto.String(), "auto"}, {SolverGram.String(), "gram"}, {SolverJacobi.String(), "jacobi"}, {SolverKrylov.String(), "krylov"}, {Solver(-1).String(), "Solver(-1)"},
		{StatusNone.String(), "none"}, {StatusOptimal.String(), "optimal"}, {StatusConverged.String(), "converged"},
		{StatusIterationLimit.String(), "iteration limit"}, {StatusCancelled.String(), "cancelled"}, {Status(77).String(), "Status(77)"},
	} {
		if c[0] != c[1] {
			t.Errorf("%q, want %q", c[0], c[1])
		}
	}
}
