package softkmeans

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// pixels returns n pixels of k smooth spectra in d bands: a quarter of them pure, the rest
// mixed evenly, with shade of that spread and white noise of that deviation.
func pixels(n, d, k int, shade, noise float64, seed uint64) (x, spectra, shares *Matrix, brightness []float64) {
	rng := rand.New(rand.NewPCG(seed, 22))
	spectra, shares, x, brightness = NewMatrix(k, d, nil), NewMatrix(n, k, nil), NewMatrix(n, d, nil), make([]float64, n)
	for j := range k {
		at, width := float64(j+1)/float64(k+1)*float64(d), float64(d)/float64(k+1)
		for c := range d {
			z := (float64(c) - at) / width
			spectra.row(j)[c] = (0.1 + math.Exp(-z*z)) * (1 + float64(j)/float64(k))
		}
	}
	for i := range n {
		g := shares.row(i)
		if i%4 == 0 {
			g[i/4%k] = 1
		} else {
			for j := range g {
				g[j] = rng.ExpFloat64()
			}
			scale(g, 1/sumOf(g))
		}
		brightness[i] = max(0.2, 1+shade*rng.NormFloat64())
		for j, v := range g {
			axpy(x.row(i), v*brightness[i], spectra.row(j))
		}
		for c := range d {
			x.row(i)[c] += noise * rng.NormFloat64()
		}
	}
	return x, spectra, shares, brightness
}

// nearestCenters returns the row of found that is nearest to each of truth by angle, and
// the mean angle. The rows must differ.
func nearestCenters(t *testing.T, truth, found *Matrix) (order []int, mean float64) {
	t.Helper()
	for j := range truth.Rows {
		best, at := math.Inf(1), -1
		for l := range found.Rows {
			if a, _ := centersAngle(rowsOf(truth, j, j+1), rowsOf(found, l, l+1)); a < best {
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

// TestUnmix: spectra, shares and shade come back from noisy pixels, with and without shade, and the rows are
// scaled where there is some. The model says what Predict does, stores, and bounds its own error from below.
func TestUnmix(t *testing.T) {
	t.Parallel()
	for _, shade := range []float64{0, 0.25} {
		x, spectra, shares, brightness := pixels(fewer(400, 240), 30, 4, shade, 0.01, 1)
		m := mustDo(Unmix(bg, x, 4, nil))(t)
		order, angle := nearestCenters(t, spectra, m.Centers)
		if angle > 0.3 || slices.Min(m.Centers.Data) < 0 {
			t.Errorf("shade %v: spectra are off by %v, smallest entry %v", shade, angle, slices.Min(m.Centers.Data))
		}
		if (m.Rows == RowsUnit) != (shade > 0) || (m.Shade == nil) != (shade == 0) || m.Lambda == 0 {
			t.Errorf("shade %v: rows %v, λ %v", shade, m.Rows, m.Lambda)
		}
		checkFeasible(t, m.Memberships)
		var off, dim float64
		for i := range x.Rows {
			for j, l := range order {
				off += math.Abs(m.Memberships.row(i)[l]-shares.row(i)[j]) / float64(x.Rows*4)
			}
			if m.Shade != nil {
				dim += math.Abs(m.Shade[i]/brightness[i]-1) / float64(x.Rows)
			}
		}
		if off > 0.02 || dim > 0.1 {
			t.Errorf("shade %v: shares are off by %v, shade by %v", shade, off, dim)
		}
		if !(m.Objective >= m.Floor && m.Objective < 1.1*m.Floor && m.Gap < 1e-2) {
			t.Errorf("shade %v: objective %v, floor %v, gap %v", shade, m.Objective, m.Floor, m.Gap)
		}
		g := mustDo(m.Predict(nil, x))(t)
		axpy(g.Data, -1, m.Memberships.Data)
		if maxAbs(g) > 1e-9 {
			t.Errorf("shade %v: Predict differs by %v", shade, maxAbs(g))
		}
		for i := 1; i < len(m.Trace); i++ {
			if m.Trace[i] > m.Trace[i-1] {
				t.Errorf("shade %v: the loss rises", shade)
			}
		}
	}
}

// TestUnmixInvariant: powers of two as units give the same bits, as do other workers; other
// units, a weight of 2 for a row given twice, and rows of weight 0 the same spectra.
func TestUnmixInvariant(t *testing.T) {
	t.Parallel()
	n := fewer(160, 90)
	x, _, _, _ := pixels(n, 12, 3, 0.2, 0.01, 2)
	m := mustDo(Unmix(bg, x, 3, &MinVolumeOptions{Workers: 1}))(t)
	if m.Rows != RowsUnit {
		t.Fatal("no shade is seen")
	}
	scaled := func(a float64) *Matrix { return mapped(x, func(_, _ int, v float64) float64 { return a * v }) }
	if two := mustDo(Unmix(bg, scaled(0x1p70), 3, &MinVolumeOptions{Workers: 3}))(t); !slices.Equal(two.Memberships.Data, m.Memberships.Data) ||
		!slices.Equal(two.Shade, m.Shade) || two.Centers.At(1, 2) != m.Centers.At(1, 2)*0x1p70 || !slices.Equal(two.Trace, m.Trace) {
		t.Error("other bits in other units, or with other workers")
	}
	// The first run is from the first restart, and the last one is the model.
	even, _, _, _ := pixels(n, 12, 3, 0, 0.01, 2)
	var first, last Iteration
	run := func(x *Matrix, o MinVolumeOptions) *Model {
		first, last = Iteration{Iteration: -1}, Iteration{}
		o.Rows, o.Progress = RowsGiven, func(it Iteration) {
			if last = it; first.Iteration < 0 {
				first = it
			}
		}
		return mustDo(Unmix(bg, x, 3, &o))(t)
	}
	if given := run(even, MinVolumeOptions{}); given.Lambda != last.Lambda {
		t.Errorf("λ is %g, that of the last run %g", given.Lambda, last.Lambda)
	}
	run(x, MinVolumeOptions{Init: InitKMeans})
	random := first
	o := MinVolumeOptions{Init: InitKMeans, Volume: VolumeAffine, Rows: RowsGiven}
	sc := mustDo(mustDo(openMinVolume(bg, x, 3, &o, true))(t).openNoisy(&o))(t)
	vf := sc.fit
	start := vf.toData(mustDo(vf.startCenters(0))(t).f)
	for j := range start.Rows {
		for c, v := range sc.noise.columns {
			start.row(j)[c] *= v
		}
	}
	if run(x, MinVolumeOptions{Centers: start}); math.Abs(random.Loss/first.Loss-1) > 1e-9 {
		t.Errorf("the first loss is %g, that of the first restart %g", random.Loss, first.Loss)
	}
	noise := mustDo(vf.discarded(1))(t)[0]
	if want := vf.s.unscaleSquare(noiseShare * noise); math.Abs(first.Lambda/want-1) > 1e-9 {
		t.Errorf("the first λ is %g, not %g", first.Lambda, want)
	}
	weights := slices.Repeat([]float64{1}, x.Rows)
	for i := range 50 {
		weights[i] = 2
	}
	a := mustDo(Unmix(bg, x, 3, &MinVolumeOptions{Weights: weights}))(t)
	b := mustDo(Unmix(bg, stacked(x, rowsOf(x, 0, 50)), 3, nil))(t)
	if math.Abs(a.Lambda/b.Lambda-1) > 1e-3 {
		t.Errorf("λ is %g with weights, and %g of rows twice", a.Lambda, b.Lambda)
	}
	weights = slices.Repeat([]float64{1}, x.Rows+1)
	weights[x.Rows] = 0
	odd := stacked(x, NewMatrix(1, 12, slices.Repeat([]float64{100}, 12)))
	for what, pair := range map[string][2]*Model{
		"units":  {m, mustDo(Unmix(bg, scaled(3), 3, nil))(t)},
		"weight": {a, b},
		"zero":   {m, mustDo(Unmix(bg, odd, 3, &MinVolumeOptions{Weights: weights}))(t)},
	} {
		if _, angle := nearestCenters(t, pair[0].Centers, pair[1].Centers); angle > 0.02 {
			t.Errorf("%s: spectra differ by %v", what, angle)
		}
	}
}

// TestUnitRows: rows have length 1 and weights times the length that they had.
func TestUnitRows(t *testing.T) {
	x := NewMatrix(4, 2, []float64{3, 4, 0, 0, 0.3, -0.4, 6, 8})
	s := mustDo(newSamples(bg, x, []float64{1, 1, 2, 0}, 1, false))(t)
	unit, weights := unitRows(s)
	for i, want := range []float64{1, 0, 0.2, 0} { // relative to the first
		if length := norm2(unit.row(i)); math.Abs(weights[i]/weights[0]-want) > 1e-15 || want > 0 && math.Abs(length-1) > 1e-15 || want == 0 && length != 0 {
			t.Errorf("row %d has length %v and weight %v, want %v", i, length, weights[i]/weights[0], want)
		}
	}
}

// TestUnmixTrim: planted outliers, and no more than asked for, are left out and listed.
// Their spectra are then not among the centers.
func TestUnmixTrim(t *testing.T) {
	for n, want := range map[int]float64{1: 4, 2: 1, 3: 4} { // the lower of two
		if got := medianOf(&samples{ctx: bg, n: n}, []float64{4, 1, 9}[:n]); got != want {
			t.Errorf("the median of %d is %g, not %g", n, got, want)
		}
	}
	if got := medianOf(&samples{ctx: bg, n: 3, weights: []float64{1, 3, 1}}, []float64{4, 1, 9}); got != 1 {
		t.Errorf("the median of 4, 1, 1, 1 and 9 is %g", got)
	}
	x, spectra, _, _ := pixels(400, 20, 3, 0, 0.01, 3)
	planted := []int{3, 50, 201}
	for l, i := range planted {
		for c := range x.Row(i) {
			x.Row(i)[c] = 5 * float64((c+l)%2)
		}
	}
	for _, rows := range []Rows{RowsGiven, RowsUnit} {
		m := mustDo(Unmix(bg, x, 3, &MinVolumeOptions{Trim: 0.02, Rows: rows}))(t)
		for _, i := range planted {
			if m.RowWeights[i] > 0.1 && !slices.Contains(m.Trimmed, i) {
				t.Errorf("%v: row %d counts %v, trimmed %v", rows, i, m.RowWeights[i], m.Trimmed)
			}
		}
		if len(m.Trimmed) > 8 || !slices.IsSorted(m.Trimmed) || m.Memberships.Rows != 400 {
			t.Errorf("%v: trimmed %v", rows, m.Trimmed)
		}
		if _, angle := nearestCenters(t, spectra, m.Centers); angle > 1 {
			t.Errorf("%v: spectra are off by %v", rows, angle)
		}
	}
	if m := mustDo(FitMinVolume(bg, x, 3, &MinVolumeOptions{Trim: 0.003, Rows: RowsUnit}))(t); len(m.Trimmed) != 1 || m.Rows != RowsUnit || len(m.Shade) != 400 {
		t.Errorf("FitMinVolume: trimmed %v, rows %v", m.Trimmed, m.Rows)
	}
}

// TestUnmixHard: data without mixtures, errors, and options that others refuse.
func TestUnmixHard(t *testing.T) {
	x, _, _, _ := pixels(40, 6, 3, 0.2, 0.01, 4)
	for what, c := range map[string]struct {
		x *Matrix
		k int
		o MinVolumeOptions
	}{
		"zeros": {NewMatrix(5, 3, nil), 2, MinVolumeOptions{}}, "zeros, unit": {NewMatrix(5, 3, nil), 2, MinVolumeOptions{Rows: RowsUnit, Trim: 0.5}},
		"one": {x, 1, MinVolumeOptions{Rows: RowsUnit}}, "k of d": {x, 6, MinVolumeOptions{}}, "k above d": {x, 8, MinVolumeOptions{Rows: RowsUnit}},
		"a row": {rowsOf(x, 0, 1), 2, MinVolumeOptions{}}, "wide": {rowsOf(x, 0, 4), 2, MinVolumeOptions{Trim: 0.3}},
		"below 0": {mapped(x, func(_, _ int, v float64) float64 { return -v }), 3, MinVolumeOptions{}},
		"slack":   {x, 3, MinVolumeOptions{Slack: 0.1, Rows: RowsUnit}}, "at most one": {x, 3, MinVolumeOptions{Sum: SumAtMostOne, Rows: RowsUnit}},
		"centers": {x, 3, MinVolumeOptions{Centers: rowsOf(x, 0, 3), Rows: RowsUnit, Lambda: 1}},
	} {
		m, err := Unmix(bg, c.x, c.k, &c.o)
		if err != nil {
			t.Fatal(what, err)
		}
		finite(t, what, append(slices.Clone(m.Centers.Data), append(m.Memberships.Data, m.Objective, m.Floor, m.Gap)...)...)
		if slices.Min(m.Centers.Data) < 0 {
			t.Errorf("%s: a center is below 0", what)
		}
		if err := m.Check(); err != nil {
			t.Error(what, err)
		}
	}
	for _, o := range []MinVolumeOptions{{Rows: 3}, {Rows: -1}, {Trim: 1}, {Trim: -0.1}, {Trim: math.NaN()}, {Slack: -1}} {
		if m, err := Unmix(bg, x, 3, &o); m != nil || !errors.Is(err, ErrOption) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	for _, o := range []MinVolumeOptions{{Rows: RowsUnit}, {Trim: 0.1}} {
		if _, err := MinVolumePath(bg, x, 3, nil, &o); !errors.Is(err, ErrOption) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// TestUnmixCancel: wherever the context ends, the result is nil or a model that says so, with its centers
// within the bounds of NonNegative, which leading directions forget.
func TestUnmixCancel(t *testing.T) {
	x, _, _, _ := pixels(40, 60, 4, 0.2, 0.5, 6)
	x = mapped(x, func(_, _ int, v float64) float64 { return max(0, v-0.7) })
	if vf := mustDo(openMinVolume(bg, x, 4, &MinVolumeOptions{NonNegative: true}, true))(t); !vf.narrow {
		t.Fatal("the fit does not begin in leading directions")
	}
	few, _, _, _ := pixels(40, 6, 3, 0.2, 0.01, 5)
	for _, o := range []MinVolumeOptions{{Rows: RowsGiven}, {Rows: RowsUnit}, {Trim: 0.1}} {
		models, k := 0, 4
		if o.Trim > 0 {
			x, k = few, 3
		}
		for step := 1; step < 4000; step += 1 + step/16 {
			ctx := endingAt(step)
			told := false
			o.Workers, o.Progress = 1, func(Iteration) { told = true }
			m, err := Unmix(ctx, x, k, &o)
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if m == nil {
				if told {
					t.Errorf("%v %v: no model after a pass", o.Rows, o.Trim)
				}
				continue
			}
			switch {
			case err != nil && m.Status != StatusCancelled:
				t.Errorf("%v %v, step %d: status %v", o.Rows, o.Trim, step, m.Status)
			case err != nil:
				models++
			case ctx.left.Load() < 0 && slices.ContainsFunc(m.Warnings,
				func(w Warning) bool { return w.Kind == WarnSeveral }):
				t.Errorf("step %d: a warning of runs that were cut short", step)
			}
			if low := slices.Min(m.Centers.Data); low < 0 || len(m.Trace) != m.Iterations+1 {
				t.Errorf("%v %v, step %d: smallest entry %v, %d iterations, trace of %d", o.Rows, o.Trim,
					step, low,
					m.Iterations, len(m.Trace))
			}
		}
		if models == 0 {
			t.Errorf("%v %v: no run was cut short", o.Rows, o.Trim)
		}
	}
}

// TestTinyCenters: lengths of given centers that 1/x takes out of range.
func TestTinyCenters(t *testing.T) {
	x, _, _, _ := pixels(40, 6, 3, 0.2, 0.01, 4)
	for _, size := range []float64{1e-310, 0x1p-1074, 1e150} {
		centers := NewMatrix(3, 6, nil)
		for j := range 3 {
			centers.Set(j, 2*j, size)
		}
		m := mustDo(Unmix(bg, x, 3, &MinVolumeOptions{Centers: centers, Rows: RowsUnit}))(t)
		finite(t, "centers", m.Centers.Data...)
	}
}

// TestUnitRowsWeights: weights near the ends of the range, and a brightest row of weight 0,
// change nothing but what they weigh.
func TestUnitRowsWeights(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	x := NewMatrix(40, 4, nil)
	for i := range x.Data {
		x.Data[i] = rng.Float64() + float64(i%4%2)
	}
	scale(x.row(7), 9)
	fit := func(weight func(i int) float64, lambda float64) *Model {
		w := make([]float64, x.Rows)
		for i := range w {
			w[i] = weight(i)
		}
		m := mustDo(FitMinVolume(t.Context(), x, 3, &MinVolumeOptions{Rows: RowsUnit, Weights: w, Lambda: lambda}))(t)
		return m
	}
	want := fit(func(int) float64 { return 1 }, 0)
	for _, w := range []float64{1e300, math.MaxFloat64, 1e-320, 5e-324} {
		if got := fit(func(int) float64 { return w }, 0); maxDiff(got.Centers, want.Centers) > 1e-6 {
			t.Errorf("weights of %v: %v, not %v", w, got.Centers, want.Centers)
		}
	}
	without7 := func(i int, w float64) float64 {
		if i == 7 {
			return w
		}
		return 1
	}
	nearly := fit(func(i int) float64 { return without7(i, 1e-12) }, .05)
	without := fit(func(i int) float64 { return without7(i, 0) }, .05)
	if d := maxDiff(nearly.Centers, without.Centers); d > 1e-3 {
		t.Errorf("without the brightest row the centers are %v off", d)
	}
}

// TestUnmixLightRows: the squares of weights underflow where a center has light rows alone.
func TestUnmixLightRows(t *testing.T) {
	x := NewMatrix(7, 4, []float64{0, 1.6, 1e-7, 0, .003, .8, -.5, .0002, 0, 1.6, 1e-7, 0, 0, .01, 0, 0,
		0, -.1, -.0002, 6e-6, 0, -5e-5, -.05, -.2, 0, .01, 0, 0})
	w := slices.Repeat([]float64{1e-150}, 7)
	w[2] = 1
	for _, rows := range []Rows{RowsGiven, RowsUnit} {
		m := mustDo(Unmix(t.Context(), x, 3, &MinVolumeOptions{Weights: w, Rows: rows}))(t)
		must(t, m.Centers.Check("centers"))
	}
}

// TestUnmixOthers: the centers of the other answers are as far away as the warning says, in
// the data's units, where it says so.
func TestUnmixOthers(t *testing.T) {
	for _, rows := range []Rows{RowsGiven, RowsUnit} {
		x := mapped(noisy(firstOf(mixtures(500, 12, 4, 0.7, 1, 3)), 15, 4), func(i, _ int, v float64) float64 { return max(0, v) * (1 + float64(i%5)) })
		m := mustDo(Unmix(bg, x, 4, &MinVolumeOptions{Rows: rows}))(t)
		i := slices.IndexFunc(m.Warnings, func(w Warning) bool { return w.Kind == WarnSeveral })
		if i < 0 || len(m.Others) == 0 {
			t.Fatalf("%v: %v, %d others", rows, m.Warnings, len(m.Others))
		}
		most := 0.0
		for _, other := range m.Others {
			f := other.Centers
			angle, _ := centersAngle(m.Centers, f)
			if most = max(most, angle); math.Abs(angle-other.Moved) > 0.2*angle || other.Factor != 0.5 && other.Factor != 2 {
				t.Errorf("%v: the angle is %g, not %g, with %g of the noise", rows, angle, other.Moved, other.Factor)
			}
			for j := range f.Rows {
				if ratio := norm2(f.row(j)) / norm2(m.Centers.row(j)); ratio < 0.5 || ratio > 2 {
					t.Errorf("%v: center %d is %g times as long", rows, j, ratio)
				}
			}
		}
		if value := m.Warnings[i].Value; most < 0.8*value || most > 1.2*value { // that is before the last passes
			t.Errorf("%v: the angle is %g, the warning says %g", rows, most, value)
		}
	}
}

// TestUnmixNoise: the noise of the columns is found, a bright or dark pixel, a heavy one and units far from 1
// change little, and a cancelled model has no number that is none.
func TestUnmixNoise(t *testing.T) {
	x, spectra, _, _ := pixels(fewer(400, 200), 20, 3, 0, 0, 7)
	rng := rand.New(rand.NewPCG(7, 7))
	for i := range x.Rows {
		for c := range x.Row(i) {
			x.Row(i)[c] += 0.002 * float64(1+9*(c%2)) * rng.NormFloat64()
		}
	}
	m := mustDo(Unmix(bg, x, 3, nil))(t)
	for c, v := range m.Noise {
		if want := m.Noise[c%2]; v < want/1.3 || v > want*1.3 || m.Noise[1] < 8*m.Noise[0] {
			t.Errorf("noise of column %d: %v", c, m.Noise)
		}
	}
	if len(m.RowWeights) != x.Rows || len(m.PureRows) != 3 || len(m.Turns) != 3 ||
		slices.Min(m.PureRows) < float64(x.Rows)/20 {
		t.Errorf("%d weights, pure rows %v, turns %v", len(m.RowWeights), m.PureRows, m.Turns)
	}
	plain := mustDo(FitMinVolume(bg, x, 3, &MinVolumeOptions{Init: InitSPA, NonNegative: true}))(t)
	_, by := nearestCenters(t, spectra, m.Centers)
	if _, without := nearestCenters(t, spectra, plain.Centers); by > 0.4*without {
		t.Errorf("spectra are %v off, and %v without noise", by, without)
	}
	off := func(what string, x *Matrix, unit float64, o *MinVolumeOptions) {
		got := mustDo(Unmix(bg, x, 3, o))(t)
		scale(got.Centers.Data, 1/unit)
		if _, angle := nearestCenters(t, m.Centers, got.Centers); angle > 1 || len(got.Trimmed) > 4 ||
			maxDiff(got.Centers, m.Centers) > 0.3*maxAbs(m.Centers) && what == "units" {
			t.Errorf("%s: %v off, trimmed %v", what, angle, got.Trimmed)
		}
	}
	for _, factor := range fewer([]float64{20, 0.001, 1e-155}, []float64{20, 1e-155}) {
		one := x.Clone()
		scale(one.Row(7), factor)
		off("one pixel", one, 1, nil)
	}
	for _, factor := range []float64{1e125, 1e-125} {
		off("units", mapped(x, func(_, _ int, v float64) float64 { return v * factor }), factor, nil)
	}
	weights := slices.Repeat([]float64{1}, x.Rows)
	weights[5] = 1e3
	off("a weight", x, 1, &MinVolumeOptions{Weights: weights})
	calls := 0
	ctx, cancel := context.WithCancel(bg)
	c, err := Unmix(ctx, x, 3, &MinVolumeOptions{Progress: func(Iteration) {
		if calls++; calls == 9 {
			cancel()
		}
	}})
	if c == nil || err == nil || c.Status != StatusCancelled {
		t.Errorf("%v, %v", c, err)
	}
	odd, _, _, _ := pixels(60, 3, 3, 0, 0.01, 8)
	mustDo(Unmix(bg, odd, 3, &MinVolumeOptions{Rows: RowsUnit}))(t)
}

// TestUnmixCopies: two columns that are copies of others have no noise of their own. They may not count more
// for that.
func TestUnmixCopies(t *testing.T) {
	x, spectra, _, _ := pixels(fewer(500, 200), 30, 4, 0.5, 0.01, 5)
	y := NewMatrix(x.Rows, x.Cols+2, nil)
	for i := range y.Rows {
		copy(y.row(i), x.row(i))
		copy(y.row(i)[x.Cols:], x.row(i)[:2])
	}
	m := mustDo(Unmix(bg, y, 4, nil))(t)
	_, alone := nearestCenters(t, spectra, mustDo(Unmix(bg, x, 4, nil))(t).Centers)
	f := NewMatrix(4, x.Cols, nil)
	for j := range f.Rows {
		copy(f.row(j), m.Centers.row(j))
	}
	if _, mean := nearestCenters(t, spectra, f); mean > 1.3*alone+0.1 {
		t.Errorf("spectra are %v off with copies of two columns, %v without", mean, alone)
	}
}

// TestUnmixPredict: Predict finds the model's memberships, also of rows of 0 and of rows outside of the cone,
// and where centers depend on each other.
func TestUnmixPredict(t *testing.T) {
	x, _, _, _ := pixels(100, 12, 3, 0.3, 0.01, 6)
	clear(x.Row(5))
	scale(x.Row(9), -1)
	few, _, _, _ := pixels(100, 12, 2, 0.3, 0, 6)
	for what, x := range map[string]*Matrix{"rows": x, "few materials": few} {
		m := mustDo(Unmix(bg, x, 3, &MinVolumeOptions{Rows: RowsUnit}))(t)
		if d := maxDiff(mustDo(m.Predict(nil, x))(t), m.Memberships); d > 1e-9 {
			t.Errorf("%s: Predict differs by %g", what, d)
		}
	}
}
