package missing

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"softkmeans"
	"softkmeans/internal/la"
	"softkmeans/internal/tables"
)

// TestGaps: columns, order and weights about the words of 64 bits.
func TestGaps(t *testing.T) {
	t.Parallel()
	for _, d := range []int{1, 63, 64, 65, 130} {
		x := gapped(tables.Normal(40, d, 1))
		setNaN(x.Row(7))
		g := tables.Must(findGaps(x, slices.Repeat([]float64{3}, 40)))(t)
		total := 0
		for i := range x.Rows {
			there, missing := g.columns(i, nil, nil)
			for j, v := range x.Row(i) {
				if (v == v) != slices.Contains(there, j) || (v != v) != slices.Contains(missing, j) {
					t.Fatalf("%d columns: entry %d, %d", d, i, j)
				}
			}
			total += len(missing)
			if g.counts[i] != len(missing) || len(there)+len(missing) != d {
				t.Errorf("%d columns, row %d: %d there, %d missing", d, i, len(there), len(missing))
			}
			if (g.weight(i) == 0) != (len(there) == 0) || (g.withoutEmpty(nil)[i] == 0) != (len(there) == 0) {
				t.Errorf("%d columns: weight %g of row %d", d, g.weight(i), i)
			}
		}
		if total != g.total {
			t.Errorf("%d columns: %d missing, not %d", d, g.total, total)
		}
		order, changes := g.order(), 0
		for a, i := range order[1:] {
			if last := order[a]; !g.same(i, last) {
				changes++
			} else if i < last {
				t.Errorf("%d columns: row %d after %d", d, i, last)
			}
		}
		if sorted := slices.Sorted(slices.Values(order)); !slices.Equal(sorted, la.Indices(40)) || changes > min(3, d+1) {
			t.Errorf("%d columns: %d changes in the order", d, changes)
		}
	}
	g := tables.Must(findGaps(softkmeans.NewMatrix(2, 2, nil), nil))(t)
	if g.total != 0 || g.withoutEmpty(nil) != nil {
		t.Errorf("without gaps: %v", g)
	}
}

// openTest opens the iteration of Complete with q directions.
func openTest(t *testing.T, x *softkmeans.Matrix, weights []float64, q int) *completion {
	t.Helper()
	g := tables.Must(findGaps(x, weights))(t)
	full := x.Clone()
	if err := g.fillMeans(full); err != nil {
		t.Fatal(err)
	}
	return tables.Must(openCompletion(bg, g, full, q, 1))(t)
}

// density returns the logarithm of the weighted likelihood of the entries that are there, by dense
// Gaussians, and the expected entries.
func (c *completion) density(t *testing.T) (sum float64, expected *softkmeans.Matrix) {
	q := c.q
	expected = c.y.Clone()
	for i := range c.n {
		there, missing := c.g.columns(i, nil, nil)
		n := len(there)
		cov, r := make([]float64, n*n), make([]float64, n)
		for a, j := range there {
			for b, l := range there {
				cov[a*n+b] = la.Dot(c.w.Row(j)[:q], c.w.Row(l)[:q])
			}
			cov[a*n+a] += c.noise
			r[a] = c.y.Row(i)[j] - c.w.Row(j)[q]
		}
		if !la.Cholesky(cov, n) {
			t.Fatal("no density")
		}
		v := slices.Clone(r)
		la.CholeskySolve(cov, n, v)
		one := -float64(n)/2*math.Log(2*math.Pi) - la.Dot(r, v)/2
		for a := range n {
			one -= math.Log(cov[a*n+a])
		}
		sum += c.g.weight(i) * one
		for _, j := range missing {
			e := c.w.Row(j)[q]
			for a, l := range there {
				e += la.Dot(c.w.Row(j)[:q], c.w.Row(l)[:q]) * v[a]
			}
			expected.Row(i)[j] = e
		}
	}
	return sum, expected
}

// TestCompleteSteps: every step fills in the conditional expectations of a Gaussian, and the
// likelihood of what is there does not fall. The first directions are the principal ones.
func TestCompleteSteps(t *testing.T) {
	t.Parallel()
	iris := tables.First(tables.CSV(t, "iris"), 90)
	weights := make([]float64, iris.Rows)
	for i := range weights {
		weights[i] = float64(i % 4)
	}
	for _, c := range []struct {
		x       *softkmeans.Matrix
		weights []float64
		q       int
	}{
		{withGaps(iris, 0.2, 1), nil, 2}, {withGaps(iris, 0.6, 2), nil, 1}, {withGaps(iris, 0.3, 3), weights, 3},
		{withGaps(tables.Normal(60, 70, 1), 0.1, 1), nil, 4},
	} {
		m := openTest(t, c.x, c.weights, c.q)
		for a := range c.q { // WᵀW is diagonal, with the squares less the noise
			for b := range a {
				var off, own float64
				for j := range m.d {
					off += m.w.At(j, a) * m.w.At(j, b)
					own += m.w.At(j, b) * m.w.At(j, b)
				}
				if !(math.Abs(off) < 1e-10*own) {
					t.Errorf("directions %d and %d have %g", a, b, off/own)
				}
			}
		}
		last := math.Inf(-1)
		for step := range 12 {
			value, expected := m.density(t)
			if value < last-1e-9*math.Abs(last) {
				t.Errorf("%d×%d, step %d: likelihood %g after %g", m.n, m.d, step, value, last)
			}
			last = value
			if _, err := m.step(); err != nil {
				t.Fatal(err)
			}
			if off := maxDiff(m.y, expected); !(off < 1e-9) {
				t.Fatalf("%d×%d, step %d: expectations are off by %g", m.n, m.d, step, off)
			}
		}
	}
}

// TestCompleteSoon: with z standardized after each step, few steps are necessary. Without that they are 45.
func TestCompleteSoon(t *testing.T) {
	m := openTest(t, withGaps(tables.First(tables.CSV(t, "iris"), 90), 0.2, 2), nil, 1)
	for range 12 {
		if change := tables.Must(m.step())(t); change < 1e-5 {
			return
		}
	}
	t.Error("twelve steps were too few")
}

// TestCompleteWhole: without noise the entries come back. What was there stays. The expected floor is near
// the floor of the whole table.
func TestCompleteWhole(t *testing.T) {
	t.Parallel()
	exact := tables.Mixtures(200, 12, 3, 4)
	noise := tables.Noisy(exact, 30, 5)
	for _, c := range []struct {
		x           *softkmeans.Matrix
		share, most float64
	}{{exact, 0.2, 1e-6}, {noise, 0.2, 0.3}, {noise, 0.5, 0.5}} {
		x := withGaps(c.x, c.share, 6)
		out := tables.Must(Complete(bg, x, 3, nil))(t)
		if out.Status != softkmeans.StatusConverged {
			t.Fatal(out.Status)
		}
		var off, all float64
		mean, _ := tables.Must(findGaps(c.x, nil))(t).means(c.x)
		for i := range x.Rows {
			for j, v := range x.Row(i) {
				d, e := out.X.Row(i)[j]-c.x.Row(i)[j], c.x.Row(i)[j]-mean[j]
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
		for _, sum := range []softkmeans.Sum{softkmeans.SumToOne, softkmeans.SumAtMostOne} {
			out := tables.Must(Complete(bg, x, 3, &softkmeans.Options{Sum: sum}))(t)
			floors := tables.Must(softkmeans.Floors(bg, c.x, &softkmeans.Options{Sum: sum}))(t)
			r := out.floor / floors[2]
			if c.share == 0.2 && floors[2] > 1e-6*floors[0] && !(r > 0.85 && r < 1.15) {
				t.Errorf("%v, share %g: an expected floor of %g times that", sum, c.share, r)
			}
		}
	}
}

// TestCompleteEnds: completed entries of columns with few entries exceed these by at most half of their
// range, and are not below 0 if none is. Some reach these ends.
func TestCompleteEnds(t *testing.T) {
	t.Parallel()
	reached := 0
	for seed := range uint64(10) {
		x := withGaps(tables.Noisy(tables.Mixtures(40, 12, 3, seed), 5, seed), 0.75, seed)
		for i := range x.Rows { // a column below 0, and columns of at least 0
			for j, v := range x.Row(i) {
				x.Row(i)[j] = max(v, -v) - 3*float64(j/11)
			}
		}
		out := tables.Must(Complete(bg, x, 3, nil))(t)
		for j := range x.Cols {
			least, most := math.Inf(1), math.Inf(-1)
			for i := range x.Rows {
				if v := x.At(i, j); v == v {
					least, most = min(least, v), max(most, v)
				}
			}
			ends := [2]float64{least - (most-least)/2, most + (most-least)/2}
			if least >= 0 {
				ends[0] = max(0, ends[0])
			}
			for i := range x.Rows {
				v := out.X.At(i, j)
				if v < ends[0]-1e-12 || v > ends[1]+1e-12 {
					t.Errorf("seed %d: entry %d, %d is %g, not in %v", seed, i, j, v, ends)
				}
				if x.At(i, j) != v && (v <= ends[0]+1e-12 || v >= ends[1]-1e-12) {
					reached++
				}
			}
		}
	}
	if reached == 0 {
		t.Error("no entry reached an end")
	}
}

// TestCompleteTiny: entries whose squares are hardly in range are completed by finite numbers.
func TestCompleteTiny(t *testing.T) {
	nan := math.NaN()
	for _, e := range []float64{1e-140, 1e-145, 1e-148, 1e-150, 1e-155, 1e-160} {
		x := softkmeans.NewMatrix(6, 2, []float64{3, e, 3, 2 * e, nan, 7 * e, 3, 4 * e, 3, nan, 3, 5 * e})
		out := tables.Must(Complete(bg, x, 2, nil))(t)
		if a, b := out.X.At(2, 0), out.X.At(4, 1); a != 3 || !(b >= 0 && b <= 10*e) {
			t.Errorf("%g: %g and %g", e, a, b)
		}
	}
}

// TestCompleteSame: workers and a power of two change no bit; a weight of 2 is a row twice.
func TestCompleteSame(t *testing.T) {
	t.Parallel()
	x := withGaps(tables.Normal(700, 9, 1), 0.2, 1)
	setNaN(x.Row(5))
	want := tables.Must(Complete(bg, x, 2, nil))(t)
	for _, w := range []int{1, 2, 7} {
		if got, err := Complete(bg, x, 2, &softkmeans.Options{Workers: w}); err != nil || !tables.Same(got.X, want.X) {
			t.Errorf("%d workers: %v, or other bits", w, err)
		}
	}
	for _, exp := range []int{-480, 480} {
		times := func(m *softkmeans.Matrix, e int) *softkmeans.Matrix {
			return tables.Mapped(m, func(_, _ int, v float64) float64 { return math.Ldexp(v, e) })
		}
		if got, err := Complete(bg, times(x, exp), 2, nil); err != nil || !tables.Same(times(got.X, -exp), want.X) {
			t.Errorf("times 2^%d: %v, or other digits", exp, err)
		}
	}
	twice, weights := softkmeans.NewMatrix(800, 9, nil), slices.Repeat([]float64{1}, 700)
	copy(twice.Data, x.Data)
	copy(twice.Data[700*9:], x.Data[:100*9])
	for i := range 100 {
		weights[i] = 2
	}
	a := tables.Must(Complete(bg, x, 2, &softkmeans.Options{Weights: weights}))(t)
	b := tables.Must(Complete(bg, twice, 2, nil))(t)
	if off := maxDiff(a.X, tables.First(b.X, 700)); !(off < 1e-8) {
		t.Errorf("a weight of 2 is off by %g from a row given twice", off)
	}
	none := slices.Repeat([]float64{1}, 700)
	none[5], none[6] = 0, 0
	huge := x.Clone()
	huge.Row(6)[0] = 0x1p500
	got, err := Complete(bg, huge, 2, &softkmeans.Options{Weights: none})
	if err != nil || slices.ContainsFunc(got.X.Data, func(v float64) bool { return !(math.Abs(v) <= mostEntry) }) {
		t.Errorf("a far row of weight 0: %v, or entries out of range", err)
	}
}

func TestCompleteHard(t *testing.T) {
	t.Parallel()
	nan, matrix := math.NaN(), softkmeans.NewMatrix
	for what, c := range map[string]struct {
		x    *softkmeans.Matrix
		want []float64
	}{
		"one column":      {matrix(4, 1, []float64{1, nan, 2, 6}), []float64{1, 3, 2, 6}},
		"one row":         {matrix(1, 2, []float64{1, 2}), []float64{1, 2}},
		"constant":        {matrix(3, 2, []float64{1, nan, 1, 2, nan, 2}), []float64{1, 2, 1, 2, 1, 2}},
		"zeros":           {matrix(2, 2, []float64{0, nan, 0, 0}), []float64{0, 0, 0, 0}},
		"an entry a row":  {matrix(2, 2, []float64{3, nan, nan, 4}), []float64{3, 4, 3, 4}},
		"proportional":    {matrix(4, 3, []float64{1, 2, 3, 2, 4, 6, 3, 6, 9, 4, nan, 12}), []float64{1, 2, 3, 2, 4, 6, 3, 6, 9, 4, 8, 12}},
		"a column of one": {matrix(3, 2, []float64{1, nan, 2, 7, 3, nan}), []float64{1, 7, 2, 7, 3, 7}},
	} {
		for _, k := range []int{1, 2, 40} {
			got, err := Complete(bg, c.x, k, nil)
			if err != nil {
				t.Errorf("%s, k = %d: %v", what, k, err)
			} else if off := maxDiff(got.X, matrix(c.x.Rows, c.x.Cols, c.want)); !(off < 0.1) {
				t.Errorf("%s, k = %d: %v", what, k, got.X.Data)
			}
		}
	}
	ended, cancel := context.WithCancel(bg)
	cancel()
	many := withGaps(tables.Normal(50, 5, 1), 0.2, 1)
	for what, c := range map[string]struct {
		ctx  context.Context
		x    *softkmeans.Matrix
		k    int
		opts *softkmeans.Options
		want error
	}{
		"no rows":         {bg, matrix(0, 2, nil), 2, nil, softkmeans.ErrTooFewSamples},
		"infinity":        {bg, matrix(1, 2, []float64{nan, math.Inf(1)}), 2, nil, softkmeans.ErrNonFinite},
		"range":           {bg, matrix(1, 2, []float64{nan, 1e200}), 2, nil, softkmeans.ErrRange},
		"empty column":    {bg, matrix(2, 2, []float64{1, nan, 2, nan}), 2, nil, softkmeans.ErrTooFewSamples},
		"weightless":      {bg, matrix(2, 2, []float64{1, nan, 2, 3}), 2, &softkmeans.Options{Weights: []float64{1, 0}}, softkmeans.ErrTooFewSamples},
		"k":               {bg, many, 0, nil, softkmeans.ErrOption},
		"Sum":             {bg, many, 2, &softkmeans.Options{Sum: 9}, softkmeans.ErrOption},
		"Workers":         {bg, many, 2, &softkmeans.Options{Workers: -1}, softkmeans.ErrOption},
		"weights":         {bg, many, 2, &softkmeans.Options{Weights: []float64{1}}, softkmeans.ErrShape},
		"nil":             {bg, nil, 2, nil, softkmeans.ErrShape},
		"cancelled":       {ended, many, 2, nil, context.Canceled},
		"cancelled later": {&passes{bg, 12}, many, 2, nil, context.Canceled},
	} {
		if got, err := Complete(c.ctx, c.x, c.k, c.opts); got != nil || !errors.Is(err, c.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := Complete(bg, matrix(2, 3, []float64{1, nan, 4, nan, nan, 5}), 2, nil)
	want := "softkmeans: column 1 has no entry in a row that counts: too few samples"
	if err == nil || err.Error() != want {
		t.Error(err)
	}
	_, err = Complete(bg, matrix(2, 3, []float64{1, nan, 4, nan, nan, math.Inf(-1)}), 2, nil)
	if want := "softkmeans: x[1,2] = -Inf: not a finite number"; err == nil || err.Error() != want {
		t.Error(err)
	}
}

// TestCompleteSpread: entries and weights over 180 decades within a table are no error.
func TestCompleteSpread(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		seed += 700 // 718 has a covariance near 1e-156
		r := rand.New(rand.NewPCG(seed, 1))
		x := softkmeans.NewMatrix(3+r.IntN(10), 2+r.IntN(5), nil)
		k := 1 + r.IntN(3)
		for i := range x.Data {
			x.Data[i] = r.NormFloat64() * math.Exp2(float64(r.IntN(600)-300))
			if r.IntN(6) == 0 {
				x.Data[i] = math.NaN()
			}
		}
		var o softkmeans.Options
		if r.IntN(2) == 0 {
			o.Weights = make([]float64, x.Rows)
			for i := range o.Weights {
				if o.Weights[i] = math.Exp2(float64(r.IntN(660) - 330)); r.IntN(4) == 0 {
					o.Weights[i] = 0
				}
			}
		}
		if r.IntN(2) == 0 {
			o.Sum = softkmeans.SumAtMostOne
		}
		c, err := Complete(t.Context(), x, k, &o)
		switch {
		case errors.Is(err, softkmeans.ErrTooFewSamples): // a column without an entry
		case err != nil:
			t.Errorf("seed %d: %v", seed, err)
		default:
			if err := c.X.Check("x"); err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
		}
	}
}
