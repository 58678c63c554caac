package softkmeans

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// white are rows of normal numbers.
func white(n, d int, seed uint64) *Matrix {
	x, rng := NewMatrix(n, d, nil), rand.New(rand.NewPCG(seed, 0x3417e))
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	return x
}

// blobs are rows around k points far from each other.
func blobs(n, d, k int, seed uint64) *Matrix {
	x, at := white(n, d, seed), white(k, d, seed+1)
	for i := range n {
		axpy(x.row(i), 8, at.row(i%k))
	}
	return x
}

// TestChooseK: mixtures and clusters have their number, noise has none, and all three
// opinions are in the answer.
func TestChooseK(t *testing.T) {
	t.Parallel()
	three, _ := mixtures(160, 10, 3, 0.6, 1, 1)
	four, _ := mixtures(240, 12, 4, 0.6, 1, 2)
	for _, c := range []struct {
		name                  string
		x                     *Matrix
		k, edge, held, stable int
		reason                string
	}{
		{"exact mixture", three, 3, 3, 3, 3, "noise leaves directions for 3 prototypes"},
		{"mixture with noise", noisy(four, 20, 3), 4, 4, 4, 4, "noise leaves directions for 4 prototypes"},
		{"clusters", blobs(160, 12, 3, 4), 3, 3, 3, 0, "noise leaves directions for 3 prototypes"},
		{"noise", white(160, 10, 5), 0, 1, 1, 0, "nothing stands out of the noise"},
		{"a plane of normal rows", plane(160, 20), 0, 3, 3, 0, "halves of the rows agree on no number"},
	} {
		got, err := ChooseK(context.Background(), c.x, &ChooseKOptions{MaxK: 6})
		if err != nil || got.K != c.k || got.Edge != c.edge || got.HeldOut != c.held || c.stable > 0 && got.Stable != c.stable || !strings.HasPrefix(got.Reason, c.reason) {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
		if got.Permuted || got.Rows != c.x.Rows || len(got.Step) != 7 || len(got.Agreement) != min(6, max(c.edge, c.held)+2) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// plane is normal rows in a plane, with a little noise: directions, but no prototypes.
func plane(n, d int) *Matrix {
	x, u := white(n, d, 8), white(n, 2, 9)
	scale(x.Data, 0.05)
	for i := range n {
		x.Data[i*d] += u.row(i)[0]
		x.Data[i*d+1] += u.row(i)[1]
	}
	return x
}

// TestChooseKIris: where all directions stand out columns are permuted.
func TestChooseKIris(t *testing.T) {
	t.Parallel()
	x := loadCSV(t, "iris")
	c := mustDo(ChooseK(context.Background(), x, nil))(t)
	if !c.Permuted || c.Edge != 2 || c.HeldOut != 3 || c.Agreement[1] < 0.99 || c.Chance[1] > 0.8 {
		t.Errorf("%+v", c)
	}
}

// TestDecideK: the rules, on opinions.
func TestDecideK(t *testing.T) {
	t.Parallel()
	curve := []float64{1, 0.9, 0.9, 0.2, 0.9, 0.1} // stable: 2, 3, 5
	for _, c := range []struct {
		edge, held int
		permuted   bool
		k          int
	}{
		{3, 3, false, 3}, {3, 6, false, 3}, {4, 4, false, 0}, {4, 5, false, 5}, {1, 1, false, 0}, {9, 9, false, 0},
		{5, 5, true, 5}, {5, 4, true, 5}, {5, 7, true, 0}, {3, 3, true, 0}, {1, 5, true, 5},
	} {
		got := KChoice{Edge: c.edge, HeldOut: c.held, Permuted: c.permuted, Agreement: curve, Chance: make([]float64, 6)}
		if got.decide(); got.K != c.k || got.Stable != 5 || got.Reason == "" {
			t.Errorf("%+v: %+v", c, got)
		}
	}
	// Halves that agree by 0.7 confirm what the others agree on, where noise is white.
	for _, c := range []struct {
		edge, held int
		permuted   bool
		k          int
	}{{3, 3, false, 3}, {3, 4, false, 0}, {3, 3, true, 0}, {2, 2, false, 0}, {4, 4, false, 0}} {
		got := KChoice{Edge: c.edge, HeldOut: c.held, Permuted: c.permuted, Agreement: []float64{1, 0.69, 0.75, 0.75}, Chance: []float64{0, 0, 0.6, 0.61}}
		if got.decide(); got.K != c.k || got.Stable != 0 || got.K > 0 && !strings.HasPrefix(got.Reason, "noise and held-out entries speak for 3") {
			t.Errorf("%+v: %+v", c, got)
		}
	}
	none := KChoice{Edge: 2, HeldOut: 2, Agreement: []float64{1, 0.9}, Chance: []float64{1, 0.8}}
	if none.decide(); none.K != 0 || none.Stable != 0 {
		t.Errorf("no better than chance: %+v", none)
	}
}

// TestChooseKRows: rows of weight 0 do not count, the bits are the same for any Workers, and
// many rows are drawn, the heavy ones first.
func TestChooseKRows(t *testing.T) {
	t.Parallel()
	x, _ := mixtures(120, 6, 3, 0.6, 1, 7)
	n := x.Rows
	more, weights := NewMatrix(n+50, 6, nil), make([]float64, n+50)
	copyRows(more, x)
	for i := range weights {
		if weights[i] = 1; i >= n {
			more.row(i)[0], weights[i] = 1e6, 0
		}
	}
	steps := 0
	o := ChooseKOptions{MaxK: 4, Workers: 1, Progress: func(done, total int) {
		if steps++; done != steps || total != 5 {
			t.Errorf("step %d of %d", done, total)
		}
	}}
	a := mustDo(ChooseK(context.Background(), x, &o))(t)
	b := mustDo(ChooseK(context.Background(), more, &ChooseKOptions{MaxK: 4, Workers: 3, Weights: weights}))(t)
	if a.Rows != n || !reflect.DeepEqual(a, b) || steps != 5 {
		t.Errorf("%+v, %+v, %d steps", a, b, steps)
	}
	s := mustDo(newSamples(context.Background(), randomData(5000, 2, 0, 1), nil, 1, true))(t)
	s.d = 4000
	if rows, drawn := rowsForK(s, 1); len(rows) != 524 || !drawn || rows[0] < 0 || rows[523] >= 5000 {
		t.Errorf("%d rows, drawn: %v", len(rows), drawn)
	}
	heavy := make([]float64, 3000)
	for i := range heavy {
		heavy[i] = math.Ldexp(1, -40*(i%3))
	}
	s = mustDo(newSamples(context.Background(), randomData(3000, 2, 0, 1), heavy, 1, true))(t)
	rows, _ := rowsForK(s, 1)
	for i, r := range rows {
		if r != 3*i {
			t.Fatalf("row %d is %d", i, r)
		}
	}
	// Of rows that are equal but for one, a draw may have none that differs.
	one := NewMatrix(100*drawnForK, 1, nil)
	one.Data[7] = 1
	if c := mustDo(ChooseK(bg, one, nil))(t); c.K != 0 || !c.Drawn || c.Rows != drawnForK || c.Reason != "all samples that were drawn are equal" {
		t.Errorf("%+v", c)
	}
}

func TestChooseKErrors(t *testing.T) {
	t.Parallel()
	x := randomData(40, 3, 0, 1)
	bad := x.Clone()
	bad.Data[5] = math.NaN()
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		x    *Matrix
		o    ChooseKOptions
		want error
	}{
		{bg, bad, ChooseKOptions{}, ErrNonFinite}, {bg, x, ChooseKOptions{MaxK: -1}, ErrOption}, {bg, x, ChooseKOptions{Workers: -1}, ErrOption},
		{bg, rowsOf(x, 0, 15), ChooseKOptions{}, ErrTooFewSamples}, {bg, x, ChooseKOptions{MaxK: 1}, ErrTooFewSamples}, {bg, x, ChooseKOptions{Weights: []float64{1}}, ErrShape},
		{bg, nil, ChooseKOptions{}, ErrShape}, {ended, x, ChooseKOptions{}, context.Canceled},
	} {
		if got, err := ChooseK(c.ctx, c.x, &c.o); !errors.Is(err, c.want) || got.K != 0 {
			t.Errorf("%v: %+v, %v", c.want, got, err)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	if _, err := ChooseK(ctx, x, &ChooseKOptions{Progress: func(int, int) { stop() }}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled by Progress: %v", err)
	}
	if c := mustDo(ChooseK(bg, NewMatrix(20, 2, nil), nil))(t); c.K != 1 || c.Reason != "all samples are equal" {
		t.Errorf("%+v", c)
	}
	if c := mustDo(ChooseK(bg, randomData(40, 1, 0, 1), nil))(t); c.K != 0 {
		t.Errorf("one column: %+v", c)
	}
}
