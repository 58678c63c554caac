package choosek

import (
	"context"
	"errors"
	"math"
	"reflect"
	"runtime/debug"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/la"
	"softkmeans/internal/tables"
)

func init() { debug.SetGCPercent(400) } // the tests make much garbage of little memory

// blobs are rows around k points far from each other.
func blobs(n, d, k int, seed uint64) *softkmeans.Matrix {
	x, at := tables.Normal(n, d, seed), tables.Normal(k, d, seed+1)
	for i := range n {
		la.Axpy(x.Row(i), 8, at.Row(i%k))
	}
	return x
}

// TestChoose: mixtures and clusters have their number, noise has none, and all
// criteria are in the answer.
func TestChoose(t *testing.T) {
	t.Parallel()
	three := tables.Mixtures(160, 10, 3, 1)
	four := tables.Mixtures(240, 12, 4, 2)
	for _, c := range []struct {
		name                  string
		x                     *softkmeans.Matrix
		k, edge, held, stable int
		reason                string
	}{
		{"exact mixture", three, 3, 3, 3, 3, "as many directions exceed the noise as 3 prototypes span"},
		{"mixture with noise", tables.Noisy(four, 20, 3), 4, 4, 4, 4,
			"as many directions exceed the noise as 4 prototypes span"},
		{"clusters", blobs(100, 12, 3, 4), 3, 3, 3, 0, "as many directions exceed the noise as 3 prototypes span"},
		{"noise", tables.Normal(160, 10, 5), 0, 1, 1, 0, "nothing stands out of the noise"},
		{"a plane of normal rows", plane(160, 20), 0, 3, 3, 0, "not certain: 3 by the noise and held-out entries"},
	} {
		got, err := Choose(t.Context(), c.x, &Options{MaxK: 6})
		if err != nil || sure(got) != c.k || got.Edge != c.edge || got.HeldOut != c.held || c.stable > 0 && got.Stable != c.stable || !strings.HasPrefix(got.Reason, c.reason) {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
		if got.Permuted || got.Rows != c.x.Rows || len(got.Step) != 7 || len(got.Agreement) != min(6, max(c.edge, c.held)+2) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// plane is normal rows in a plane, with a little noise: directions, but no prototypes.
func plane(n, d int) *softkmeans.Matrix {
	x, u := tables.Normal(n, d, 8), tables.Normal(n, 2, 9)
	for i := range x.Data {
		x.Data[i] *= 0.05
	}
	for i := range n {
		x.Data[i*d] += u.Row(i)[0]
		x.Data[i*d+1] += u.Row(i)[1]
	}
	return x
}

// TestChooseKIris: where all directions stand out columns are permuted.
func TestChooseKIris(t *testing.T) {
	t.Parallel()
	x := tables.CSV(t, "iris")
	c := tables.Must(Choose(t.Context(), x, nil))(t)
	if !c.Permuted || c.Edge != 2 || c.HeldOut != 3 || c.Agreement[1] < 0.99 || c.Chance[1] > 0.8 {
		t.Errorf("%+v", c)
	}
}

// TestChooseKRows: rows of weight 0 do not count, the bits are the same for any Workers, and
// many rows are drawn, the heavy ones first.
func TestChooseKRows(t *testing.T) {
	t.Parallel()
	x := tables.Mixtures(120, 6, 3, 7)
	n := x.Rows
	more, weights := softkmeans.NewMatrix(n+50, 6, nil), make([]float64, n+50)
	copy(more.Data, x.Data)
	for i := range weights {
		if weights[i] = 1; i >= n {
			more.Row(i)[0], weights[i] = 1e6, 0
		}
	}
	steps := 0
	o := Options{MaxK: 4, Workers: 1, Progress: func(done, total int) {
		if steps++; done != steps || total != 6 {
			t.Errorf("step %d of %d", done, total)
		}
	}}
	a := tables.Must(Choose(t.Context(), x, &o))(t)
	b := tables.Must(Choose(t.Context(), more, &Options{MaxK: 4, Workers: 3, Weights: weights}))(t)
	if a.Rows != n || !reflect.DeepEqual(a, b) || steps != 6 {
		t.Errorf("%+v, %+v, %d steps", a, b, steps)
	}
	all, _ := draws.Rows(nil, 5000)
	if rows, some := drawn(all, nil, rowsOf(4000), 1); len(rows) != 524 || !some ||
		rows[0] < 0 || rows[523] >= 5000 {
		t.Errorf("%d rows, drawn: %v", len(rows), some)
	}
	heavy := make([]float64, 3000)
	for i := range heavy {
		heavy[i] = math.Ldexp(1, -40*(i%3))
	}
	rows, _ := drawn(all[:3000], heavy, rowsOf(2), 1)
	for i, r := range rows {
		if r != 3*i {
			t.Fatalf("row %d is %d", i, r)
		}
	}
	// Of rows that are equal but for one, a draw may have none that differs.
	one := softkmeans.NewMatrix(20*mostRows, 1, nil)
	one.Data[7] = 1
	if c := tables.Must(Choose(t.Context(), one, nil))(t); c.K != 0 || !c.Drawn || c.Rows != mostRows || c.Reason != "all samples that were drawn are equal" {
		t.Errorf("%+v", c)
	}
}

func TestChooseKErrors(t *testing.T) {
	t.Parallel()
	x := tables.Normal(40, 3, 1)
	bad := x.Clone()
	bad.Data[5] = math.NaN()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		x    *softkmeans.Matrix
		o    Options
		want error
	}{
		{t.Context(), bad, Options{}, softkmeans.ErrNonFinite}, {t.Context(), x, Options{MaxK: -1}, softkmeans.ErrOption}, {t.Context(), x, Options{Workers: -1}, softkmeans.ErrOption},
		{t.Context(), tables.First(x, 15), Options{}, softkmeans.ErrTooFewSamples}, {t.Context(), x, Options{MaxK: 1}, softkmeans.ErrTooFewSamples}, {t.Context(), x, Options{Weights: []float64{1}}, softkmeans.ErrShape},
		{t.Context(), nil, Options{}, softkmeans.ErrShape}, {ended, x, Options{}, context.Canceled},
	} {
		if got, err := Choose(c.ctx, c.x, &c.o); !errors.Is(err, c.want) || got.K != 0 {
			t.Errorf("%v: %+v, %v", c.want, got, err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	if _, err := Choose(ctx, x, &Options{Progress: func(int, int) { stop() }}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled by Progress: %v", err)
	}
	if c := tables.Must(Choose(t.Context(), softkmeans.NewMatrix(20, 2, nil), nil))(t); c.K != 1 || c.Reason != "all samples are equal" {
		t.Errorf("%+v", c)
	}
	if c := tables.Must(Choose(t.Context(), tables.Normal(40, 1, 1), nil))(t); c.K != 0 {
		t.Errorf("one column: %+v", c)
	}
}
