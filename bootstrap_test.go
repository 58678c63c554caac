package softkmeans

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// population is where the tables of a simulation come from.
type population struct {
	name   string
	truth  *Matrix
	rows   int
	pure   float64 // a row's memberships are exponential numbers to this power, divided by their sum; 0: one is 1
	noise  float64
	unmix  bool
	expect [2]float64 // between which the measured coverage is
}

// table returns n rows.
func (p *population) table(rng *rand.Rand, n int) *Matrix {
	x := NewMatrix(n, p.truth.Cols, nil)
	for i := range n {
		row := x.row(i)
		for c := range row {
			row[c] = p.noise * rng.NormFloat64()
		}
		g := make([]float64, p.truth.Rows)
		if g[i%len(g)] = 1; p.pure > 0 {
			for j := range g {
				g[j] = math.Pow(rng.ExpFloat64(), p.pure)
			}
		}
		scale(g, 1/sumOf(g))
		for j, v := range g {
			axpy(row, v, p.truth.row(j))
		}
	}
	return x
}

func (p *population) fit(t *testing.T, x *Matrix, o MinVolumeOptions) *Model {
	t.Helper()
	if p.unmix {
		o.Rows = RowsGiven
		return mustDo(Unmix(bg, x, p.truth.Rows, &o))(t)
	}
	return mustDo(FitMinVolume(bg, x, p.truth.Rows, &o))(t)
}

// coverage returns the shares of entries whose interval holds what the fit of many rows
// finds, and what made the rows, and that of the shares of the former.
func (p *population) coverage(t *testing.T, many, tables, draws int) (found, truth, shares float64) {
	t.Helper()
	k := p.truth.Rows
	large := p.fit(t, p.table(rand.New(rand.NewPCG(1, 1)), many), MinVolumeOptions{})
	for s := range tables {
		x := p.table(rand.New(rand.NewPCG(uint64(s), 2)), p.rows)
		m := p.fit(t, x, MinVolumeOptions{})
		o := &BootstrapOptions{Resamples: draws, MinVolumeOptions: MinVolumeOptions{NonNegative: p.unmix}}
		if p.unmix {
			o.Lambda = m.Lambda
		}
		r := mustDo(Bootstrap(bg, x, m, o))(t)
		hold := func(of *Matrix) (sum float64) {
			to := matchCenters(m.Centers, of)
			for j := range k {
				for c, v := range of.row(to[j]) {
					if r.Lower.At(j, c) <= v && v <= r.Upper.At(j, c) {
						sum += 1 / float64(k*x.Cols*tables)
					}
				}
			}
			return sum
		}
		found, truth = found+hold(large.Centers), truth+hold(p.truth)
		mean := meanRow(large.Memberships, nil)
		for j, l := range matchCenters(m.Centers, large.Centers) {
			if r.ShareLower[j] <= mean[l] && mean[l] <= r.ShareUpper[j] {
				shares += 1 / float64(k*tables)
			}
		}
	}
	return found, truth, shares
}

// TestBootstrapCoverage: intervals hold what the fit of very many rows finds about as often
// as they say. The whole measurement, of docs/accuracy.md, is
//
//	SOFTKMEANS_LONG=1 go test -v -run TestBootstrapCoverage .
func TestBootstrapCoverage(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 7))
	corners := func(k, d int) *Matrix {
		return mapped(NewMatrix(k, d, nil), func(int, int, float64) float64 { return 1 + 2*math.Abs(rng.NormFloat64()) })
	}
	three, four := corners(3, 5), corners(4, 8)
	all := []*population{
		{"mixtures, noise 0.1", three, 200, 1.5, 0.1, false, [2]float64{0.9, 0.98}},
		{"mixtures, noise 0.3", three, 200, 1.5, 0.3, false, [2]float64{0.9, 0.98}},
		{"mixtures of four", four, 300, 1.5, 0.2, false, [2]float64{0.9, 0.98}},
		{"purer mixtures", three, 200, 4, 0.1, false, [2]float64{0.9, 0.98}},
		{"50 rows", three, 50, 1.5, 0.1, false, [2]float64{0.85, 0.98}},
		{"clusters", three, 200, 0, 0.5, false, [2]float64{0.9, 0.98}},
		{"purer mixtures, Unmix", three, 200, 4, 0.1, true, [2]float64{0.8, 0.98}},
	}
	many, tables, draws := 100000, 200, 200
	if !extended() {
		all, many, tables, draws = all[:1], 10000, 8, 25
	}
	for _, p := range all {
		t.Run(p.name, func(t *testing.T) {
			found, truth, shares := p.coverage(t, many, tables, draws)
			t.Logf("the fit of many rows %.3f, its shares %.3f, what made the rows %.3f", found, shares, truth)
			if !(found >= p.expect[0] && found <= p.expect[1]) && extended() || !(found >= 0.8 && found < 0.999) {
				t.Errorf("%.3f, not in %v", found, p.expect)
			}
		})
	}
}

// TestBootstrap: the result is that of draws fitted by hand, whatever the weights, the sum
// and the rows are, and the same bits for any workers.
func TestBootstrap(t *testing.T) {
	t.Parallel()
	x := rowsOf(loadCSV(t, "iris"), 0, 120)
	weights := make1(x.Rows)
	for i := range weights {
		weights[i] = float64(i%4) / 2
	}
	for name, o := range map[string]MinVolumeOptions{
		"default": {}, "weights": {Weights: weights, Seed: 3}, "cone": {Sum: SumAtMostOne}, "unit": {Rows: RowsUnit, NonNegative: true}, "trim": {Trim: 0.1, Volume: VolumeAffine},
	} {
		m := mustDo(FitMinVolume(bg, x, 3, &o))(t)
		var told []int
		b := &BootstrapOptions{MinVolumeOptions: o, Resamples: 6, Level: 0.8}
		b.Progress = func(at Iteration) {
			told = append(told, at.Restart)
			if !(at.Objective > 0 && at.Lambda > 0 && at.Floor > 0) {
				t.Errorf("%s: Progress was told %+v", name, at)
			}
		}
		b.Workers = 3
		r := mustDo(Bootstrap(bg, x, m, b))(t)
		b.Workers = 1
		again := mustDo(Bootstrap(bg, x, m, b))(t)
		if maxDiff(r.StdErr, again.StdErr) != 0 || !slices.Equal(r.Stable, again.Stable) || !slices.Equal(r.ShareStdErr, again.ShareStdErr) {
			t.Errorf("%s: other bits with one worker", name)
		}
		if !slices.Equal(told, append(indices(6), indices(6)...)) {
			t.Errorf("%s: Progress was told of draws %v", name, told)
		}
		byHand(t, name, x, m, b, r)
	}
}

// byHand compares r with the same draws, fitted one by one.
func byHand(t *testing.T, name string, x *Matrix, m *Model, b *BootstrapOptions, r *BootstrapResult) {
	t.Helper()
	var found []*Matrix
	shares, same := NewMatrix(b.Resamples, 3, nil), make([]float64, x.Rows)
	var rows []int
	for i := range x.Rows {
		if b.Weights == nil || b.Weights[i] > 0 {
			rows = append(rows, i)
		}
	}
	for number := range b.Resamples {
		o := b.MinVolumeOptions
		o.Centers, o.Weights, o.Progress = m.Centers, make([]float64, x.Rows), nil
		rng := rand.New(rand.NewPCG(o.Seed, bootstrapStream+uint64(number)))
		for range rows {
			i := rows[rng.IntN(len(rows))]
			if b.Weights == nil {
				o.Weights[i]++
			} else {
				o.Weights[i] += b.Weights[i]
			}
		}
		drawn := mustDo(FitMinVolume(bg, x, 3, &o))(t)
		match := mustDo(Match(m, drawn))(t)
		found = append(found, chosenRows(drawn.Centers, match.To))
		for j, at := range match.To {
			shares.Set(number, j, meanRow(drawn.Memberships, o.Weights)[at])
		}
		for i := range same {
			same[i]++
		}
		for _, i := range match.Changed {
			same[i]--
		}
	}
	deviation := func(of func(number int) float64) float64 {
		var mean, sum float64
		for number := range b.Resamples {
			mean += of(number) / float64(b.Resamples)
		}
		for number := range b.Resamples {
			sum += (of(number) - mean) * (of(number) - mean)
		}
		return math.Sqrt(sum / float64(b.Resamples-1))
	}
	const z = 1.2815515655446004 // 90 % of a normal variable are below
	for j := range 3 {
		for c, v := range m.Centers.row(j) {
			want := deviation(func(number int) float64 { return found[number].At(j, c) })
			if se := r.StdErr.At(j, c); !agree(se, want, 1e-9) || !agree(r.Lower.At(j, c), v-z*want, 1e-9) || !agree(r.Upper.At(j, c), v+z*want, 1e-9) {
				t.Errorf("%s: center %d, column %d: %g (%g to %g), not %g about %g", name, j, c, se, r.Lower.At(j, c), r.Upper.At(j, c), want, v)
			}
		}
		want, share := deviation(func(number int) float64 { return shares.At(number, j) }), meanRow(m.Memberships, b.Weights)[j]
		if !agree(r.Shares[j], share, 1e-12) || !agree(r.ShareStdErr[j], want, 1e-9) || !agree(r.ShareLower[j], max(0, share-z*want), 1e-9) || !agree(r.ShareUpper[j], min(1, share+z*want), 1e-9) {
			t.Errorf("%s: share %d: %g ± %g, not %g ± %g", name, j, r.Shares[j], r.ShareStdErr[j], share, want)
		}
	}
	scale(same, 1/float64(b.Resamples))
	if !slices.Equal(same, r.Stable) || !agree(r.Stability, meanRow(NewMatrix(len(same), 1, same), b.Weights)[0], 1e-12) || !(r.Stability > 0.3 && r.Stability <= 1) || r.Status != StatusConverged {
		t.Errorf("%s: stability %g of %v, not of %v", name, r.Stability, r.Stable, same)
	}
}

// agree reports whether a and b agree to a share of the larger, or of 1.
func agree(a, b, tol float64) bool {
	return math.Abs(a-b) <= tol*max(1, math.Abs(a), math.Abs(b))
}

// TestBootstrapScale: a common power of two of the table changes no digit.
func TestBootstrapScale(t *testing.T) {
	t.Parallel()
	x := loadCSV(t, "iris")
	var first *BootstrapResult
	for _, exp := range []int{0, -480, 480} {
		scaled := timesPower(x, exp)
		m := mustDo(FitMinVolume(bg, scaled, 3, nil))(t)
		r := mustDo(Bootstrap(bg, scaled, m, &BootstrapOptions{Resamples: 3}))(t)
		if first == nil {
			first = r
		}
		if maxDiff(timesPower(r.StdErr, -exp), first.StdErr) != 0 || maxDiff(timesPower(r.Lower, -exp), first.Lower) != 0 || r.Stability != first.Stability {
			t.Errorf("times 2^%d: another result", exp)
		}
	}
	// Other factors round the entries. A column too small to decide has intervals of its own.
	run := func(by, last float64) (*BootstrapResult, func(j int) float64) {
		unit := func(j int) float64 { return by * []float64{1, 1, 1, last}[j] }
		x := mapped(x, func(_, j int, v float64) float64 { return v * unit(j) })
		m := mustDo(FitMinVolume(bg, x, 3, nil))(t)
		return mustDo(Bootstrap(bg, x, m, &BootstrapOptions{Resamples: 3}))(t), unit
	}
	want, from := run(1, 0x1p-200)
	for _, by := range []float64{1e100, 1e-100} {
		got, to := run(by, 0x1p-600)
		same := func(what string, a, b *Matrix) {
			for j := range 4 {
				for i := range 3 {
					if v, w := a.row(i)[j]/from(j), b.row(i)[j]/to(j); w == 0 || !agree(v, w, 1e-6) {
						t.Errorf("times %g: %s %d of column %d is %g, not %g", by, what, i, j, w, v)
					}
				}
			}
		}
		same("standard error", want.StdErr, got.StdErr)
		same("lower end", want.Lower, got.Lower)
		same("upper end", want.Upper, got.Upper)
		if !agree(sumOf(want.ShareUpper), sumOf(got.ShareUpper), 1e-6) || got.Stability != want.Stability || !agree(want.Shares[1], got.Shares[1], 1e-9) {
			t.Errorf("times %g: shares to %v, not %v", by, got.ShareUpper, want.ShareUpper)
		}
	}
}

// TestBootstrapErrors: bad calls are errors before any fit; a context is obeyed; a cap is a
// Status.
func TestBootstrapErrors(t *testing.T) {
	t.Parallel()
	x := loadCSV(t, "iris")
	m := mustDo(FitMinVolume(bg, x, 3, nil))(t)
	global := mustDo(Fit(bg, x, 3, nil))(t)
	wrong := *m
	wrong.Clusters = slices.Repeat([]int{3}, x.Rows)
	for name, c := range map[string]struct {
		m    *Model
		o    BootstrapOptions
		want error
	}{
		"no model":   {nil, BootstrapOptions{}, ErrShape},
		"no rows":    {&Model{Centers: m.Centers, Lambda: 1}, BootstrapOptions{}, ErrShape},
		"global":     {global, BootstrapOptions{}, ErrOption},
		"labels":     {&wrong, BootstrapOptions{}, ErrShape},
		"resamples":  {m, BootstrapOptions{Resamples: -1}, ErrOption},
		"one":        {m, BootstrapOptions{Resamples: 1}, ErrOption},
		"level":      {m, BootstrapOptions{Level: 1}, ErrOption},
		"level NaN":  {m, BootstrapOptions{Level: math.NaN()}, ErrOption},
		"workers":    {m, BootstrapOptions{MinVolumeOptions: MinVolumeOptions{Workers: -1}}, ErrOption},
		"weights":    {m, BootstrapOptions{MinVolumeOptions: MinVolumeOptions{Weights: make1(3)}}, ErrShape},
		"weightless": {m, BootstrapOptions{MinVolumeOptions: MinVolumeOptions{Weights: make([]float64, x.Rows)}}, ErrTooFewSamples},
	} {
		if r, err := Bootstrap(bg, x, c.m, &c.o); r != nil || !errors.Is(err, c.want) {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
	if r, err := Bootstrap(bg, rowsOf(x, 0, 100), m, nil); r != nil || !errors.Is(err, ErrShape) {
		t.Errorf("other rows: %v, %v", r, err)
	}
	hole := x.Clone()
	hole.Set(7, 2, math.NaN())
	if r, err := Bootstrap(bg, hole, m, nil); r != nil || !errors.Is(err, ErrNonFinite) {
		t.Errorf("NaN: %v, %v", r, err)
	}
	ctx, cancel := context.WithCancel(bg)
	o := &BootstrapOptions{Resamples: 100}
	o.Progress = func(Iteration) { cancel() }
	if r, err := Bootstrap(ctx, x, m, o); r != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v, %v", r, err)
	}
	o = &BootstrapOptions{Resamples: 2, MinVolumeOptions: MinVolumeOptions{MaxIter: 1}}
	if r := mustDo(Bootstrap(bg, x, m, o))(t); r.Status != StatusIterationLimit {
		t.Errorf("status %v of one iteration", r.Status)
	}
}
