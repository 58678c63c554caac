package softkmeans

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"
)

// endingContext ends when it is looked at for the given time.
type endingContext struct {
	context.Context
	left atomic.Int64
}

func (c *endingContext) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestLSDCancelled ends the context at every look that LSD and the tree take at
// it: the error is ctx's, and a model is feasible and what it says it is.
func TestLSDCancelled(t *testing.T) {
	x := randomData(20, 6, 3, 5)
	linear, err := LinearKernel(x)
	if err != nil {
		t.Fatal(err)
	}
	dense, err := newDense(disturbed(similarityOf(dirichlet(20, 3, 0.5, 1), 2), 0.3, 2))
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]Similarity{"linear": linear, "dense": dense} {
		kernel := NewMatrix(20, 20, nil)
		s.Rows(kernel, 0)
		o := &LSDOptions{Workers: 1, MaxIter: 5, Starts: 1}
		for at := int64(0); ; at++ {
			ctx := &endingContext{Context: bg}
			ctx.left.Store(at)
			m, err := LSDOf(ctx, s, 3, o)
			if err == nil {
				if ctx.left.Load() < 0 {
					t.Errorf("%s, look %d: no error", name, at)
				}
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if m == nil {
				continue
			}
			checkFeasible(t, m.Memberships)
			if got := lsdObjective(kernel, m.Memberships, m.Scale); m.Status != StatusCancelled || math.Abs(got-m.Objective) > 1e-9*m.Total {
				t.Errorf("%s, look %d: %v, objective %g, truly %g", name, at, m.Status, m.Objective, got)
			}
		}
		for at := int64(0); ; at++ {
			ctx := &endingContext{Context: bg}
			ctx.left.Store(at)
			tree, err := HierarchicalLSDOf(ctx, s, 3, o)
			if err == nil {
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if tree == nil {
				continue
			}
			checkFeasible(t, tree.Memberships)
			if tree.Status != StatusCancelled {
				t.Errorf("%s, tree, look %d: %v", name, at, tree.Status)
			}
		}
	}
}
