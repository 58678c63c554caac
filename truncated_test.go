package softkmeans

import (
	"errors"
	"math"
	"slices"
	"testing"
)

// TestTruncatedOptions: what 0 stands for, the least tolerance, and all errors.
func TestTruncatedOptions(t *testing.T) {
	a := mapped(randomData(130, 110, 0, 1), func(_, j int, v float64) float64 { return v * math.Sqrt(1+float64(j)/4) }) // a spectrum that takes steps
	run := func(o *TruncatedOptions) *SVDResult {
		r := mustDo(TruncatedSVD(bg, a, 3, o))(t)
		return r
	}
	same := func(p, q *SVDResult) bool {
		return p.Iterations == q.Iterations && p.Status == q.Status && slices.Equal(p.S, q.S) && slices.Equal(p.U.Data, q.U.Data) && slices.Equal(p.Residuals, q.Residuals)
	}
	usual, fine, loose := run(nil), run(&TruncatedOptions{Tol: 1e-14}), run(&TruncatedOptions{Tol: 1e-3})
	if !same(usual, run(&TruncatedOptions{Tol: 1e-10, MaxSteps: 200})) || !same(fine, run(&TruncatedOptions{Tol: 1e-20})) {
		t.Error("defaults are others than documented")
	}
	// A spectrum that falls: rounding is reached long before the limit, and 1e-20 never.
	falling := mapped(randomData(300, 200, 0, 9), func(_, j int, v float64) float64 { return v * math.Pow(0.7, float64(j)) })
	if r := mustDo(TruncatedSVD(bg, falling, 3, &TruncatedOptions{Tol: 1e-20}))(t); r.Iterations > 10 || r.Status != StatusConverged {
		t.Errorf("below the least tolerance: %d steps, %v", r.Iterations, r.Status)
	}
	if !(loose.Iterations < usual.Iterations && usual.Iterations < fine.Iterations) {
		t.Errorf("%d, %d and %d steps for a falling tolerance", loose.Iterations, usual.Iterations, fine.Iterations)
	}
	if r := run(&TruncatedOptions{MaxSteps: 1}); r.Iterations != 1 || r.Status != StatusIterationLimit {
		t.Errorf("%d steps of one, %v", r.Iterations, r.Status)
	}
	if other := run(&TruncatedOptions{Seed: 7, Tol: 1e-3}); slices.Equal(other.U.Data, loose.U.Data) {
		t.Error("the seed changes nothing")
	}
	for i, c := range []struct {
		a    *Matrix
		k    int
		o    TruncatedOptions
		want error
	}{
		{a, 3, TruncatedOptions{Tol: -1}, ErrOption}, {a, 3, TruncatedOptions{Tol: math.NaN()}, ErrOption}, {a, 3, TruncatedOptions{MaxSteps: -1}, ErrOption}, {a, 3, TruncatedOptions{Workers: -1}, ErrOption},
		{a, 0, TruncatedOptions{}, ErrOption}, {a, 111, TruncatedOptions{}, ErrOption}, {nil, 1, TruncatedOptions{}, ErrShape}, {NewMatrix(0, 2, nil), 1, TruncatedOptions{}, ErrTooFewSamples},
	} {
		if r, err := TruncatedSVD(bg, c.a, c.k, &c.o); r != nil || !errors.Is(err, c.want) {
			t.Errorf("%d: %v, want %v", i, err, c.want)
		}
	}
	if _, err := TruncatedSVD(bg, rowsOf(a, 0, 9), 9, nil); err != nil {
		t.Error(err)
	}
}
