package unmix

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"softkmeans"
	"softkmeans/internal/la"
	"softkmeans/internal/tables"
	"softkmeans/modelfile"
)

// pixels returns n pixels of k smooth spectra in d bands: a quarter of them pure, the rest mixed evenly, with
// brightness of that spread and white noise of that deviation.
func pixels(n, d, k int, shade, noise float64, seed uint64) (x, spectra, shares *softkmeans.Matrix, brightness []float64) {
	rng := rand.New(rand.NewPCG(seed, 22))
	spectra, shares = softkmeans.NewMatrix(k, d, nil), softkmeans.NewMatrix(n, k, nil)
	x, brightness = softkmeans.NewMatrix(n, d, nil), make([]float64, n)
	for j := range k {
		at, width := float64(j+1)/float64(k+1)*float64(d), float64(d)/float64(k+1)
		for c := range d {
			z := (float64(c) - at) / width
			spectra.Row(j)[c] = (0.1 + math.Exp(-z*z)) * (1 + float64(j)/float64(k))
		}
	}
	for i := range n {
		g := shares.Row(i)
		if i%4 == 0 {
			g[i/4%k] = 1
		} else {
			for j := range g {
				g[j] = rng.ExpFloat64()
			}
			settle(g, la.Sum(g))
		}
		brightness[i] = max(0.2, 1+shade*rng.NormFloat64())
		for j, v := range g {
			la.Axpy(x.Row(i), v*brightness[i], spectra.Row(j))
		}
		for c := range d {
			x.Row(i)[c] += noise * rng.NormFloat64()
		}
	}
	return x, spectra, shares, brightness
}

// nearest returns the row of found that is nearest to each of truth by angle, and the mean angle. The rows
// must differ.
func nearest(t *testing.T, truth, found *softkmeans.Matrix) (order []int, mean float64) {
	t.Helper()
	for j := range truth.Rows {
		best, at := math.Inf(1), -1
		for l := range found.Rows {
			if a := angle(truth.Row(j), found.Row(l)); a < best {
				best, at = a, l
			}
		}
		if slices.Contains(order, at) {
			t.Fatalf("center %d is nearest to two spectra", at)
		}
		order, mean = append(order, at), mean+best/float64(truth.Rows)
	}
	return order, mean
}

// fitted is Fit without an error, whose numbers are finite and memberships feasible.
func fitted(t *testing.T, x *softkmeans.Matrix, k int, o *Options) *Result {
	t.Helper()
	r, err := Fit(t.Context(), x, k, o)
	if err != nil {
		t.Fatal(err)
	}
	check := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}
	check(r.Check())
	check(r.Memberships.Check("memberships"))
	for i := range r.Memberships.Rows {
		if sum := la.Sum(r.Memberships.Row(i)); sum > 1+1e-12 || r.Sum == softkmeans.SumToOne && sum < 1-1e-12 ||
			slices.Min(r.Memberships.Row(i)) < 0 {
			t.Fatalf("row %d has memberships %v", i, r.Memberships.Row(i))
		}
	}
	for i := 1; i < len(r.Trace); i++ {
		if r.Trace[i] > r.Trace[i-1] {
			t.Error("the loss rises")
		}
	}
	if slices.Min(r.Centers.Data) < 0 || (r.Brightness != nil) != (r.Scaling == ScaleUnit) {
		t.Errorf("scaling %v, brightness %v, centers %v", r.Scaling, r.Brightness != nil, r.Centers)
	}
	return r
}

// off returns the largest difference of two matrices.
func off(a, b *softkmeans.Matrix) (most float64) {
	for i, v := range a.Data {
		most = max(most, math.Abs(v-b.Data[i]))
	}
	return most
}

// TestFit: spectra, shares and brightness come back from noisy pixels, with and without shade, and the rows
// are scaled if there is some. The result says what Predict does, and a model file keeps its spectra.
func TestFit(t *testing.T) {
	t.Parallel()
	for _, shade := range []float64{0, 0.25} {
		x, spectra, shares, brightness := pixels(400, 30, 4, shade, 0.01, 1)
		r := fitted(t, x, 4, nil)
		order, angle := nearest(t, spectra, r.Centers)
		if angle > 0.3 || (r.Scaling == ScaleUnit) != (shade > 0) || r.Lambda == 0 || len(r.Turns) != 4 {
			t.Errorf("shade %v: spectra are off by %v, scaling %v, λ %v", shade, angle, r.Scaling, r.Lambda)
		}
		var mixed, dim float64
		for i := range x.Rows {
			for j, l := range order {
				mixed += math.Abs(r.Memberships.Row(i)[l]-shares.Row(i)[j]) / float64(x.Rows*4)
			}
			if r.Brightness != nil {
				dim += math.Abs(r.Brightness[i]/brightness[i]-1) / float64(x.Rows)
			}
		}
		if mixed > 0.02 || dim > 0.1 {
			t.Errorf("shade %v: shares are off by %v, brightness by %v", shade, mixed, dim)
		}
		if !(r.Objective >= r.Floor && r.Objective < 1.1*r.Floor && r.Gap < 1e-2) {
			t.Errorf("shade %v: objective %v, floor %v, gap %v", shade, r.Objective, r.Floor, r.Gap)
		}
		dst := softkmeans.NewMatrix(400, 4, nil)
		g := tables.Must(r.Predict(dst, x))(t)
		if g != dst || off(g, r.Memberships) > 1e-9 {
			t.Errorf("shade %v: Predict differs by %v", shade, off(g, r.Memberships))
		}
		if labels := tables.Must(r.PredictLabels(nil, x))(t); !slices.Equal(labels, r.Labels(nil)) {
			t.Errorf("shade %v: PredictLabels differs", shade)
		}
		f := modelfile.File{Model: r.Model, UnitRows: r.Scaling == ScaleUnit}
		if _, err := f.WriteTo(discard{}); err != nil {
			t.Error(err)
		}
	}
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

// TestInvariant: powers of two as units give the same bits, as do other workers; other units, a weight of 2
// for a row given twice, and rows of weight 0 the same spectra.
func TestInvariant(t *testing.T) {
	t.Parallel()
	const n = 160
	x, _, _, _ := pixels(n, 12, 3, 0.2, 0.01, 2)
	var o Options
	o.Workers = 1
	r := fitted(t, x, 3, &o)
	if r.Scaling != ScaleUnit {
		t.Fatal("no shade is seen")
	}
	scaled := func(by float64) *softkmeans.Matrix {
		return tables.Mapped(x, func(_, _ int, v float64) float64 { return by * v })
	}
	o.Workers = 3
	if two := fitted(t, scaled(0x1p70), 3, &o); !slices.Equal(two.Memberships.Data, r.Memberships.Data) ||
		two.Centers.At(1, 2) != r.Centers.At(1, 2)*0x1p70 || !slices.Equal(two.Trace, r.Trace) {
		t.Error("other bits in other units, or with other workers")
	}
	var first, last softkmeans.Iteration
	o = Options{Scaling: ScaleGiven}
	o.Progress = func(it softkmeans.Iteration) {
		if last = it; first.Lambda == 0 {
			first = it
		}
	}
	even, _, _, _ := pixels(n, 12, 3, 0, 0.01, 2)
	if given := fitted(t, even, 3, &o); given.Lambda != last.Lambda || !(first.Objective >= first.Floor) {
		t.Errorf("λ is %g, that of the last run %g", given.Lambda, last.Lambda)
	}
	twice := softkmeans.NewMatrix(n+50, 12, append(slices.Clone(x.Data), x.Data[:50*12]...))
	odd := softkmeans.NewMatrix(n+1, 12, append(slices.Clone(x.Data), slices.Repeat([]float64{100}, 12)...))
	weighted := func(x *softkmeans.Matrix, weight func(i int) float64) *Result {
		var o Options
		for i := range x.Rows {
			o.Weights = append(o.Weights, weight(i))
		}
		return fitted(t, x, 3, &o)
	}
	for what, pair := range map[string][2]*Result{
		"units":  {r, fitted(t, scaled(3), 3, nil)},
		"far":    {r, fitted(t, scaled(1e125), 3, nil)},
		"small":  {r, fitted(t, scaled(1e-125), 3, nil)},
		"weight": {weighted(x, func(i int) float64 { return float64(1 + (219-i)/170) }), fitted(t, twice, 3, nil)},
		"zero":   {r, weighted(odd, func(i int) float64 { return float64(1 - i/n) })},
	} {
		if _, angle := nearest(t, pair[0].Centers, pair[1].Centers); angle > 0.02 {
			t.Errorf("%s: spectra differ by %v", what, angle)
		}
	}
}

// TestTrim: planted outliers, and no more than asked for, are left out and listed. Their spectra are then not
// among the centers.
func TestTrim(t *testing.T) {
	t.Parallel()
	x, spectra, _, _ := pixels(400, 20, 3, 0, 0.01, 3)
	planted := []int{3, 50, 201}
	for l, i := range planted {
		for c := range x.Row(i) {
			x.Row(i)[c] = 5 * float64((c+l)%2)
		}
	}
	for _, scaling := range []Scaling{ScaleGiven, ScaleUnit} {
		for _, slack := range []float64{0, 0.25} {
			o := Options{Scaling: scaling, Trim: 0.02}
			o.Slack = slack
			r := fitted(t, x, 3, &o)
			for _, i := range planted {
				if !slices.Contains(r.Trimmed, i) {
					t.Errorf("%v: row %d is not trimmed: %v", scaling, i, r.Trimmed)
				}
			}
			if len(r.Trimmed) > 8 || !slices.IsSorted(r.Trimmed) || r.Memberships.Rows != 400 || r.Scaling != scaling {
				t.Errorf("%v: trimmed %v", scaling, r.Trimmed)
			}
			if _, angle := nearest(t, spectra, r.Centers); angle > 2 {
				t.Errorf("%v: spectra are off by %v", scaling, angle)
			}
		}
	}
}

// TestHard: data without mixtures, extreme weights and centers, and errors.
func TestHard(t *testing.T) {
	t.Parallel()
	x, _, _, _ := pixels(40, 6, 3, 0.2, 0.01, 4)
	few, _, _, _ := pixels(60, 3, 3, 0, 0.01, 8)
	most := func(m *softkmeans.Matrix, _, _ *softkmeans.Matrix, _ []float64) *softkmeans.Matrix {
		return tables.Mapped(m, func(_, _ int, v float64) float64 { return 0x1p500 * min(v/2, 1) })
	}
	zeros := softkmeans.NewMatrix(5, 3, nil)
	below := tables.Mapped(x, func(_, _ int, v float64) float64 { return -v })
	with := func(set func(o *Options)) Options {
		o := Options{Scaling: ScaleUnit}
		set(&o)
		return o
	}
	for what, c := range map[string]struct {
		x *softkmeans.Matrix
		k int
		o Options
	}{
		"zeros": {zeros, 2, Options{}}, "zeros, unit": {zeros, 2, Options{Scaling: ScaleUnit, Trim: 0.5}},
		"one": {x, 1, Options{Scaling: ScaleUnit}}, "k of d": {x, 6, Options{}}, "k above d": {x, 8, Options{Scaling: ScaleUnit}},
		"few columns": {few, 3, Options{Scaling: ScaleUnit}},
		"a row":       {tables.First(x, 1), 2, Options{}}, "wide": {tables.First(x, 4), 2, Options{Trim: 0.3}},
		"below 0": {below, 3, Options{}}, "below 0, unit": {below, 3, Options{Scaling: ScaleUnit}},
		"large":       {most(pixels(60, 40, 3, 0, 0.01, 5)), 3, Options{}},
		"large, ε":    {most(pixels(90, 9, 3, 0.2, 0.01, 5)), 3, with(func(o *Options) { o.Epsilon = 1e290 })},
		"slack":       {x, 3, with(func(o *Options) { o.Slack = 0.1 })},
		"at most one": {x, 3, with(func(o *Options) { o.Sum = softkmeans.SumAtMostOne })},
		"centers":     {x, 3, with(func(o *Options) { o.Centers, o.Lambda = tables.First(x, 3), 1 })},
		"tiny center": {x, 3, with(func(o *Options) {
			o.Centers = softkmeans.NewMatrix(3, 6, nil)
			o.Centers.Set(0, 0, 0x1p-1074)
			o.Centers.Set(1, 1, 1e150)
		})},
		"weights": {x, 3, with(func(o *Options) {
			o.Weights = slices.Repeat([]float64{1e-150}, 40)
			o.Weights[2] = 1
		})},
		"bounds": {x, 3, with(func(o *Options) { o.Scaling, o.Lower, o.Upper = ScaleAuto, []float64{0.2}, []float64{1.5} })},
	} {
		t.Run(what, func(t *testing.T) {
			r := fitted(t, c.x, c.k, &c.o)
			if what == "bounds" && (r.Scaling != ScaleGiven || slices.Min(r.Centers.Data) < 0.2 || slices.Max(r.Centers.Data) > 1.5) {
				t.Errorf("%v: %v", r.Scaling, r.Centers)
			}
		})
	}
	for _, o := range []Options{{Scaling: 3}, {Scaling: -1}, {Trim: 1}, {Trim: -0.1}, {Trim: math.NaN()},
		with(func(o *Options) { o.Slack = -1 }), with(func(o *Options) { o.Upper = []float64{1} }),
		with(func(o *Options) { o.Workers = -1 }), with(func(o *Options) { o.Fixed = softkmeans.NewMatrix(1, 3, nil) })} {
		if r, err := Fit(t.Context(), x, 3, &o); r != nil || !errors.Is(err, softkmeans.ErrOption) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if _, err := Fit(t.Context(), nil, 3, nil); !errors.Is(err, softkmeans.ErrShape) {
		t.Error(err)
	}
}

// counted is a context that ends after so many looks at it.
type counted struct {
	context.Context
	left atomic.Int64
}

func (c *counted) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestCancel: wherever the context ends, the result is nil or one that says so, with its centers within the
// bounds, which leading directions forget. Memberships and brightness are Mix's.
func TestCancel(t *testing.T) {
	t.Parallel()
	x, _, _, _ := pixels(60, 24, 3, 0.2, 0.3, 6)
	x = tables.Mapped(x, func(_, _ int, v float64) float64 { return max(0, v-0.5) })
	for _, o := range []Options{{Scaling: ScaleGiven}, {Scaling: ScaleUnit}, {Trim: 0.1}} {
		results := 0
		for step := int64(1); step < 6000; step += 1 + step/8 {
			ctx := &counted{Context: context.Background()}
			ctx.left.Store(step)
			o.Workers = 1
			r, err := Fit(ctx, x, 3, &o)
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if r == nil {
				continue
			}
			if err != nil {
				results++
				if r.Status != softkmeans.StatusCancelled || r.Turns != nil {
					t.Errorf("step %d: status %v, turns %v", step, r.Status, r.Turns)
				}
				if r.Brightness != nil {
					g, brightness, err := Mix(r.Centers, x, nil)
					off := 0.0
					for i, v := range brightness {
						off = max(off, math.Abs(r.Brightness[i]-v)/(v+0x1p-40))
						for j := range 3 {
							off = max(off, math.Abs(r.Memberships.At(i, j)-g.At(i, j)))
						}
					}
					if err != nil || off > 1e-9 {
						t.Errorf("step %d: %v, memberships or brightness are off by %v", step, err, off)
					}
				}
			}
			if low := slices.Min(r.Centers.Data); low < 0 || len(r.Trace) != r.Iterations+1 {
				t.Errorf("step %d: smallest entry %v, %d iterations, trace of %d", step, low, r.Iterations, len(r.Trace))
			}
		}
		if results == 0 {
			t.Errorf("%v %v: no run was cut short", o.Scaling, o.Trim)
		}
	}
}

// TestOthers: the centers of the other answers are as far away as the warning says, in the data's units.
func TestOthers(t *testing.T) {
	t.Parallel()
	for _, scaling := range []Scaling{ScaleGiven, ScaleUnit} {
		x := tables.Noisy(tables.Mixtures(500, 12, 4, 3), 15, 4)
		x = tables.Mapped(x, func(i, _ int, v float64) float64 { return max(0, v) * (1 + float64(i%5)) })
		r := fitted(t, x, 4, &Options{Scaling: scaling})
		i := slices.IndexFunc(r.Warnings, func(w softkmeans.Warning) bool { return w.Kind == softkmeans.WarnSeveral })
		if i < 0 || len(r.Others) == 0 {
			t.Fatalf("%v: %v, %d others", scaling, r.Warnings, len(r.Others))
		}
		most := 0.0
		for _, other := range r.Others {
			mean := 0.0
			for j := range 4 {
				mean += angle(r.Centers.Row(j), other.Centers.Row(j)) / 4
				ratio := math.Sqrt(la.Dot(other.Centers.Row(j), other.Centers.Row(j)) / la.Dot(r.Centers.Row(j), r.Centers.Row(j)))
				if ratio < 0.5 || ratio > 2 {
					t.Errorf("%v: center %d is %g times as long", scaling, j, ratio)
				}
			}
			if most = max(most, mean); math.Abs(mean-other.Moved) > 1e-6 || other.Factor != 0.5 && other.Factor != 2 {
				t.Errorf("%v: the angle is %g, not %g, with %g of the noise", scaling, mean, other.Moved, other.Factor)
			}
		}
		if value := r.Warnings[i].Value; math.Abs(most-value) > 1e-6 {
			t.Errorf("%v: the angle is %g, the warning says %g", scaling, most, value)
		}
	}
}

// TestNoise: the noise of columns is found and makes spectra better; a bright, dark or heavy pixel changes
// little.
func TestNoise(t *testing.T) {
	t.Parallel()
	x, spectra, _, _ := pixels(400, 20, 3, 0, 0, 7)
	rng := rand.New(rand.NewPCG(7, 7))
	for i := range x.Rows {
		for c := range x.Row(i) {
			x.Row(i)[c] += 0.002 * float64(1+9*(c%2)) * rng.NormFloat64()
		}
	}
	r := fitted(t, x, 3, nil)
	for c, v := range r.Noise {
		if want := r.Noise[c%2]; v < want/1.3 || v > want*1.3 || r.Noise[1] < 8*r.Noise[0] {
			t.Errorf("noise of column %d: %v", c, r.Noise)
		}
	}
	if len(r.RowWeights) != 400 || len(r.PureRows) != 3 || slices.Min(r.PureRows) < 20 {
		t.Errorf("%d weights, pure rows %v", len(r.RowWeights), r.PureRows)
	}
	var slack Options
	slack.Slack = 0.25
	_, by := nearest(t, spectra, r.Centers)
	if _, without := nearest(t, spectra, fitted(t, x, 3, &slack).Centers); by > 0.4*without {
		t.Errorf("spectra are %v off, and %v without noise", by, without)
	}
	same := func(what string, x *softkmeans.Matrix, o *Options) {
		got := fitted(t, x, 3, o)
		if _, angle := nearest(t, r.Centers, got.Centers); angle > 1 || len(got.Trimmed) > 4 {
			t.Errorf("%s: %v off, trimmed %v", what, angle, got.Trimmed)
		}
	}
	for _, factor := range []float64{20, 0.001, 1e-155} {
		one := x.Clone()
		for c := range one.Row(7) {
			one.Row(7)[c] *= factor
		}
		same("one pixel", one, nil)
	}
	var heavy Options
	heavy.Weights = slices.Repeat([]float64{1}, x.Rows)
	heavy.Weights[5] = 1e3
	same("a weight", x, &heavy)
	for _, scaling := range []Scaling{ScaleGiven, ScaleUnit} {
		want := fitted(t, x, 3, &Options{Scaling: scaling})
		far := fitted(t, tables.Mapped(x, func(_, _ int, v float64) float64 { return 0x1p498 * v }), 3,
			&Options{Scaling: scaling})
		if off(want.Memberships, far.Memberships) > 0 || !slices.Equal(want.Noise, far.Noise) ||
			far.Centers.At(1, 2) != 0x1p498*want.Centers.At(1, 2) {
			t.Errorf("%v: other bits near the end of the range", scaling)
		}
	}
}

// TestCenters: centers of any size in range may be where the fit begins.
func TestCenters(t *testing.T) {
	t.Parallel()
	for _, d := range []int{6, 24} {
		x, _, _, _ := pixels(60, d, 3, 0, 0.01, 9)
		for _, size := range []float64{1e-155, 1e152, 0x1p519} {
			for _, scaling := range []Scaling{ScaleGiven, ScaleUnit} {
				o := Options{Scaling: scaling}
				o.Centers = tables.Mapped(tables.First(x, 3), func(_, _ int, v float64) float64 {
					return size * min(v, 2)
				})
				fitted(t, x, 3, &o)
			}
		}
	}
}

// TestPredictShape: a dst of a wrong shape panics, with and without brightness.
func TestPredictShape(t *testing.T) {
	t.Parallel()
	x := softkmeans.NewMatrix(2, 2, []float64{1, 0, 0, 1})
	for _, scaling := range []Scaling{ScaleGiven, ScaleUnit} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%v: a 5×3 dst for a 2×2 result", scaling)
				}
			}()
			r := &Result{Model: &softkmeans.Model{Centers: x}, Scaling: scaling}
			_, _ = r.Predict(softkmeans.NewMatrix(5, 3, nil), x)
		}()
	}
}
