package softkmeans

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestGaps: columns, order and weights about the words of 64 bits.
func TestGaps(t *testing.T) {
	t.Parallel()
	for _, d := range []int{1, 63, 64, 65, 130} {
		x := gapped(randomData(40, d, 0, 1))
		copy(x.row(7), nans(d))
		g := mustDo(findGaps(bg, x, 2))(t)
		total := 0
		for i := range x.Rows {
			there, missing := g.columns(i, nil, nil)
			for j, v := range x.row(i) {
				if (v == v) != slices.Contains(there, j) || (v != v) != slices.Contains(missing, j) {
					t.Fatalf("%d columns: entry %d, %d", d, i, j)
				}
			}
			total += len(missing)
			if g.counts[i] != len(missing) || len(there)+len(missing) != d {
				t.Errorf("%d columns, row %d: %d there, %d missing, %d counted", d, i, len(there), len(missing), g.counts[i])
			}
		}
		if total != g.total {
			t.Errorf("%d columns: %d missing, not %d", d, g.total, total)
		}
		order, changes := g.order(), 0
		for a, i := range order {
			if a > 0 && g.same(i, order[a-1]) && i < order[a-1] {
				t.Errorf("%d columns: row %d after %d", d, i, order[a-1])
			}
			if a > 0 && !g.same(i, order[a-1]) {
				changes++
			}
		}
		sorted := slices.Sorted(slices.Values(order))
		if most := min(3, d+1); !slices.Equal(sorted, indices(40)) || changes > most {
			t.Errorf("%d columns: %d changes in the order", d, changes)
		}
		given := slices.Repeat([]float64{3}, 40)
		for i, w := range g.weights(given) {
			if want := 3.0; w != want && g.counts[i] < d || g.counts[i] == d && w != 0 {
				t.Errorf("%d columns: weight %g of row %d", d, w, i)
			}
		}
		if w := g.weights(nil); w[7] != 0 || d > 1 && w[0] != 1 {
			t.Errorf("%d columns: weights %v", d, w)
		}
	}
	g, err := findGaps(bg, NewMatrix(2, 2, nil), 1)
	if err != nil || g.total != 0 || g.weights(nil) != nil {
		t.Errorf("without gaps: %v, %v", g, err)
	}
}

// withGaps returns x with a share of its entries missing.
func withGaps(x *Matrix, share float64, seed uint64) *Matrix {
	rng := rand.New(rand.NewPCG(seed, 77))
	return mapped(x, func(_, _ int, v float64) float64 {
		if rng.Float64() < share {
			return math.NaN()
		}
		return v
	})
}

// openTest opens the iteration of Complete with q directions.
func openTest(t *testing.T, x *Matrix, weights []float64, q int) *completion {
	t.Helper()
	g := mustDo(openGaps(bg, x, weights, 1))(t)
	full := x.Clone()
	must(t, g.fillMeans(full, weights))
	s := mustDo(newSamples(bg, full, weights, 1, true))(t)
	c := mustDo(openCompletion(s, g, q))(t)
	return c
}

// density returns the logarithm of the weighted likelihood of the entries that are there,
// by dense Gaussians, and the expected entries.
func (c *completion) density(t *testing.T) (sum float64, expected *Matrix) {
	q := c.q
	expected = c.y.Clone()
	for i := range c.s.n {
		there, missing := c.g.columns(i, nil, nil)
		n := len(there)
		cov, r := make([]float64, n*n), make([]float64, n)
		for a, j := range there {
			for b, l := range there {
				cov[a*n+b] = dot(c.w.row(j)[:q], c.w.row(l)[:q])
			}
			cov[a*n+a] += c.noise
			r[a] = c.y.row(i)[j] - c.w.row(j)[q]
		}
		if !cholesky(cov, n) {
			t.Fatal("no density")
		}
		v := slices.Clone(r)
		cholSolve(cov, n, v)
		one := -float64(n)/2*math.Log(2*math.Pi) - dot(r, v)/2
		for a := range n {
			one += math.Log(cov[a*n+a])
		}
		sum += c.s.weight(i) * one
		for _, j := range missing {
			e := c.w.row(j)[q]
			for a, l := range there {
				e += dot(c.w.row(j)[:q], c.w.row(l)[:q]) * v[a]
			}
			expected.row(i)[j] = e
		}
	}
	return sum, expected
}

// TestCompleteSteps: every step fills in the conditional expectations of a Gaussian, and
// the likelihood of what is there does not fall.
func TestCompleteSteps(t *testing.T) {
	t.Parallel()
	iris := rowsOf(loadCSV(t, "iris"), 0, 90)
	weights := make([]float64, iris.Rows)
	for i := range weights {
		weights[i] = float64(i % 4)
	}
	for _, c := range []struct {
		x       *Matrix
		weights []float64
		q       int
	}{{withGaps(iris, 0.2, 1), nil, 2}, {withGaps(iris, 0.6, 2), nil, 1}, {withGaps(iris, 0.3, 3), weights, 3}, {withGaps(randomData(60, 70, 1, 1), 0.1, 1), nil, 4}} {
		m := openTest(t, c.x, c.weights, c.q)
		last := math.Inf(-1)
		for step := range 12 {
			value, expected := m.density(t)
			if value < last-1e-9*math.Abs(last) {
				t.Errorf("%d×%d, step %d: likelihood %g after %g", c.x.Rows, c.x.Cols, step, value, last)
			}
			last = value
			if _, err := m.step(); err != nil {
				t.Fatal(err)
			}
			if off := maxDiff(m.y, expected); !(off < 1e-9) {
				t.Fatalf("%d×%d, step %d: expectations are off by %g", c.x.Rows, c.x.Cols, step, off)
			}
		}
	}
}

// TestCompleteWhole: without noise the entries come back. What was there stays, and the
// floor that is expected is that of the whole table.
func TestCompleteWhole(t *testing.T) {
	t.Parallel()
	exact, _ := mixtures(200, 12, 3, 1, 1, 4)
	noise := noisy(exact, 30, 5)
	for _, c := range []struct {
		x           *Matrix
		share, most float64
	}{{exact, 0.2, 1e-6}, {noise, 0.2, 0.2}, {withGaps(noise, 0, 1), 0.5, 0.35}} {
		x := withGaps(c.x, c.share, 6)
		out, err := Complete(bg, x, 3, nil)
		if err != nil || out.Status != StatusConverged {
			t.Fatal(err, out)
		}
		var off, all float64
		mean := statsOf(t, c.x, nil).Mean()
		for i := range x.Rows {
			for j, v := range x.row(i) {
				d, e := out.X.row(i)[j]-c.x.row(i)[j], c.x.row(i)[j]-mean[j]
				if v == v && d != 0 {
					t.Fatalf("entry %d, %d moved", i, j)
				}
				if v != v {
					off += d * d
					all += e * e
				}
			}
		}
		if !(math.Sqrt(off/all) < c.most) {
			t.Errorf("share %g: off by %g of their spread", c.share, math.Sqrt(off/all))
		}
		floors := mustDo(Floors(bg, c.x, nil))(t)
		if r := out.floor / floors[2]; c.share == 0.2 && floors[2] > 1e-6*floors[0] && !(r > 0.85 && r < 1.15) {
			t.Errorf("share %g: an expected floor of %g times that", c.share, r)
		}
		cone := mustDo(Complete(bg, x, 3, &Options{Sum: SumAtMostOne}))(t)
		floors = mustDo(Floors(bg, c.x, &Options{Sum: SumAtMostOne}))(t)
		if r := cone.floor / floors[2]; c.share == 0.2 && floors[2] > 1e-6*floors[0] && !(r > 0.85 && r < 1.15) {
			t.Errorf("cone, share %g: an expected floor of %g times that", c.share, r)
		}
	}
}

// TestCompleteSame: workers, a power of two and a strided view change no bit; a weight of 2
// is a row twice.
func TestCompleteSame(t *testing.T) {
	t.Parallel()
	x := withGaps(randomData(700, 9, 3, 1), 0.2, 1)
	copy(x.row(5), nans(9)) // without any entry
	want := mustDo(Complete(bg, x, 2, nil))(t)
	for _, w := range []int{1, 2, 7} {
		if got, err := Complete(bg, laStrided(x), 2, &Options{Workers: w}); err != nil || !sameMatrix(got.X, want.X) {
			t.Errorf("%d workers: %v, or other bits", w, err)
		}
	}
	for _, exp := range []int{-480, 480} {
		far := mapped(x, func(_, _ int, v float64) float64 { return math.Ldexp(v, exp) })
		got, err := Complete(bg, far, 2, nil)
		if err != nil || !sameMatrix(mapped(got.X, func(_, _ int, v float64) float64 { return math.Ldexp(v, -exp) }), want.X) {
			t.Errorf("times 2^%d: %v, or other digits", exp, err)
		}
	}
	twice, weights := NewMatrix(800, 9, nil), slices.Repeat([]float64{1}, 700)
	copyRows(twice, x)
	for i := range 100 {
		copy(twice.row(700+i), x.row(i))
		weights[i] = 2
	}
	a := mustDo(Complete(bg, x, 2, &Options{Weights: weights}))(t)
	b := mustDo(Complete(bg, twice, 2, nil))(t)
	if off := maxDiff(a.X, head(b.X, 700)); !(off < 1e-8) {
		t.Errorf("a weight of 2 is off by %g from a row given twice", off)
	}
	none := slices.Repeat([]float64{1}, 700)
	none[5], none[6] = 0, 0
	huge := x.Clone()
	huge.row(6)[0] = 0x1p500
	got, err := Complete(bg, huge, 2, &Options{Weights: none})
	if err != nil || slices.ContainsFunc(got.X.Data, func(v float64) bool { return !(math.Abs(v) <= mostEntry) }) {
		t.Errorf("a far row of weight 0: %v, or entries out of range", err)
	}
}

func TestCompleteHard(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	for what, c := range map[string]struct {
		x    *Matrix
		want []float64
	}{
		"one column":      {NewMatrix(4, 1, []float64{1, nan, 2, 6}), []float64{1, 3, 2, 6}},
		"one row":         {NewMatrix(1, 2, []float64{1, 2}), []float64{1, 2}},
		"constant":        {NewMatrix(3, 2, []float64{1, nan, 1, 2, nan, 2}), []float64{1, 2, 1, 2, 1, 2}},
		"zeros":           {NewMatrix(2, 2, []float64{0, nan, 0, 0}), []float64{0, 0, 0, 0}},
		"an entry a row":  {NewMatrix(2, 2, []float64{3, nan, nan, 4}), []float64{3, 4, 3, 4}},
		"proportional":    {NewMatrix(4, 3, []float64{1, 2, 3, 2, 4, 6, 3, 6, 9, 4, nan, 12}), []float64{1, 2, 3, 2, 4, 6, 3, 6, 9, 4, 8, 12}},
		"a column of one": {NewMatrix(3, 2, []float64{1, nan, 2, 7, 3, nan}), []float64{1, 7, 2, 7, 3, 7}},
	} {
		for _, k := range []int{1, 2, 40} {
			got, err := Complete(bg, c.x, k, nil)
			if err != nil {
				t.Errorf("%s, k = %d: %v", what, k, err)
				continue
			}
			if off := maxDiff(got.X, NewMatrix(c.x.Rows, c.x.Cols, c.want)); !(off < 0.1) {
				t.Errorf("%s, k = %d: %v", what, k, got.X.Data)
			}
		}
	}
	ended, cancel := context.WithCancel(bg)
	cancel()
	many := withGaps(randomData(50, 5, 0, 1), 0.2, 1)
	for what, c := range map[string]struct {
		ctx  context.Context
		x    *Matrix
		k    int
		opts *Options
		want error
	}{
		"no rows":         {bg, NewMatrix(0, 2, nil), 2, nil, ErrTooFewSamples},
		"infinity":        {bg, NewMatrix(1, 2, []float64{nan, math.Inf(1)}), 2, nil, ErrNonFinite},
		"range":           {bg, NewMatrix(1, 2, []float64{nan, 1e200}), 2, nil, ErrRange},
		"empty column":    {bg, NewMatrix(2, 2, []float64{1, nan, 2, nan}), 2, nil, ErrTooFewSamples},
		"weightless":      {bg, NewMatrix(2, 2, []float64{1, nan, 2, 3}), 2, &Options{Weights: []float64{1, 0}}, ErrTooFewSamples},
		"k":               {bg, many, 0, nil, ErrOption},
		"Sum":             {bg, many, 2, &Options{Sum: 9}, ErrOption},
		"Workers":         {bg, many, 2, &Options{Workers: -1}, ErrOption},
		"weights":         {bg, many, 2, &Options{Weights: []float64{1}}, ErrShape},
		"cancelled":       {ended, many, 2, nil, context.Canceled},
		"cancelled later": {&passes{Context: bg, left: 12}, many, 2, nil, context.Canceled},
	} {
		if got, err := Complete(c.ctx, c.x, c.k, c.opts); got != nil || !errors.Is(err, c.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := Complete(bg, NewMatrix(2, 3, []float64{1, nan, 4, nan, nan, 5}), 2, nil)
	mustSay(t, err, "column 1 of x has no entry in a row of positive weight: too few samples")
	_, err = Complete(bg, NewMatrix(2, 3, []float64{1, nan, 4, nan, nan, math.Inf(-1)}), 2, nil)
	mustSay(t, err, "x[1,2] = -Inf: not a finite number")
}
