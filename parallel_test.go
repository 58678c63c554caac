package softkmeans

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"
)

// TestCancelBetweenRows: a row of many centers takes milliseconds, so that a block
// of rows would be late.
func TestCancelBetweenRows(t *testing.T) {
	ctx, cancel := context.WithCancel(bg)
	cancel()
	const n, k = 30, 100
	r := newRowSolver(newSimplexProblem(randomData(k, k, 1, 1), SumToOne))
	g, b := NewMatrix(n, k, nil), randomData(n, k, 0, 2)
	if r.rows(ctx, g, nil, b.Data, 0, n, &SimplexInfo{}); slices.Max(g.Data) != 0 {
		t.Error("rows are solved after the end")
	}
	if r.rows(bg, g, nil, b.Data, 0, n, &SimplexInfo{}); slices.Max(g.Row(n-1)) == 0 {
		t.Error("rows are not solved")
	}
}

// TestCancelledByGoroutine: also where goroutines take turns on one thread.
func TestCancelledByGoroutine(t *testing.T) {
	for _, solver := range allSolvers {
		ctx, cancel := context.WithCancel(bg)
		go func() {
			time.Sleep(5 * time.Millisecond)
			cancel()
		}()
		// A basis for 1500 directions takes long.
		if _, err := Fit(ctx, randomData(3, 1500, 0, 1), 1501, &Options{Solver: solver}); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: %v", solver, err)
		}
	}
}
