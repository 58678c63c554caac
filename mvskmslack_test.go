package softkmeans

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// TestSlack: the error is within the slack, near to it, and the numbers of the model belong together.
func TestSlack(t *testing.T) {
	t.Parallel()
	for _, set := range append(dataSets(t), dataSet{"k = d+1", randomData(90, 3, 0, 1), 4}) {
		set.x = head(set.x, 300)
		for _, slack := range fewer([]float64{0, 0.05, 0.4}, []float64{0}) {
			m := mustDo(FitMinVolume(bg, set.x, set.k, &MinVolumeOptions{Slack: slack}))(t)
			checkFeasible(t, m.Memberships)
			if slack == 0 {
				slack = m.Slack
			}
			// Where k > d+1 the floor is 0 and a tenth of the variance stands for it;
			// where the error jumps over the target no λ comes near.
			allowed := slack * m.Floor
			if set.k > set.x.Cols {
				allowed = slack * 0.1 * m.Total
			}
			allowed = min(allowed, 0.5*(m.Total-m.Floor))
			over := (m.Objective - m.Floor) / allowed
			if over > 1+1e-9 || over < 0.7 || over < 0.989 && set.x.Rows != 214 &&
				os.Getenv("SOFTKMEANS_DATA") == "" {
				t.Errorf("%s slack %g: %.4f of it used", set.name, slack, over)
			}
			if got := plainObjective(set.x, m.Centers, m.Memberships,
				nil); math.Abs(got-m.Objective) > 1e-10*m.Total {
				t.Errorf("%s: objective %g, is %g", set.name, m.Objective, got)
			}
			if m.Status != StatusConverged && m.Status != StatusIterationLimit ||
				len(m.Trace) != m.Iterations+1 || m.Lambda <= 0 || m.Epsilon <= 0 {
				t.Errorf("%s: %v, %d iterations, trace of %d, λ %g, ε %g", set.name, m.Status, m.Iterations,
					len(m.Trace), m.Lambda, m.Epsilon)
			}
			g := mustDo(m.Predict(nil, set.x))(t)
			if d := maxDiff(g, m.Memberships); d > 1e-8 && set.k <= set.x.Cols {
				t.Errorf("%s: Predict differs by %g", set.name, d)
			}
		}
	}
}

// From some starts the alternating method ends just above the slack. No λ > 0 is within
// it then, and the search must find that out.
func TestSlackHoldsOrWarns(t *testing.T) {
	for seed := range fewer[uint64](8, 3) {
		x := randomData(60, 5, 0, seed)
		start := rowsOf(x, 0, 4).Clone()
		a := mustDo(FitAlternating(bg, x, 4, &MinVolumeOptions{Centers: start}))(t)
		for _, part := range []float64{0.9, 0.97, 0.99, 1} {
			slack := part * (a.Objective - a.Floor) / a.Floor
			if slack < 1e-11 { // rounding
				continue
			}
			m := mustDo(FitMinVolume(bg, x, 4, &MinVolumeOptions{Centers: start, Slack: slack}))(t)
			checkSlack(t, m, slack)
			// The global simplex is within the slack unless that is near rounding.
			if slack > 1e-9 && m.Objective > m.Floor*(1+slack)+1e-13*m.Total {
				t.Errorf("slack %g: objective is floor·(1 + %g), %v", slack,
					m.Objective/m.Floor-1, m.Warnings)
			}
		}
		x = randomData(50+37*int(seed), 5, float64(seed), seed)
		m := mustDo(FitMinVolume(bg, x, 1, &MinVolumeOptions{Sum: SumAtMostOne}))(t)
		checkSlack(t, m, m.Slack)
	}
}

func checkSlack(t *testing.T, m *Model, slack float64) {
	t.Helper()
	for _, w := range m.Warnings {
		if w.Kind == WarnSlack {
			return
		}
	}
	if m.Objective > m.Floor*(1+slack)+1e-13*m.Total {
		t.Errorf("objective is floor·(1 + %g), slack is %g", m.Objective/m.Floor-1, slack)
	}
}

// One center is the mean whatever λ is: one run, and no warning where the objective is
// above the floor by a rounding. A slack below rounding makes no NaN.
func TestSlackBelowRounding(t *testing.T) {
	for seed := range uint64(10) {
		x := randomData(50+37*int(seed), 5, float64(seed), seed)
		runs := 0
		m := mustDo(FitMinVolume(bg, x, 1, &MinVolumeOptions{Progress: func(i Iteration) {
			if i.Iteration == 0 {
				runs++
			}
		}}))(t)
		if runs != 1 || len(m.Warnings) > 0 {
			t.Errorf("%d runs, warnings %v", runs, m.Warnings)
		}
	}
	x := mapped(randomData(30, 4, 0, 1), func(_, _ int, v float64) float64 { return 1e-100 * v })
	x = mapped(x, func(_, j int, v float64) float64 {
		if j == 0 {
			return 1
		}
		return v
	})
	for _, k := range []int{3, 8} {
		m := mustDo(FitMinVolume(bg, x, k, &MinVolumeOptions{Slack: 1e-300, Progress: func(i Iteration) {
			if math.IsNaN(i.Lambda) {
				t.Fatal("λ is NaN")
			}
		}}))(t)
		finiteModel(t, m)
	}
}

// TestSlackFallBack: where no λ is within the slack from a start, the global simplex is the
// next start; where that does not help, the best run stays, with its excess.
func TestSlackFallBack(t *testing.T) {
	// From this start the objective stays at 8, for a floor of 2: see TestAlternatingStays.
	x, start := NewMatrix(4, 2, []float64{2, 0, -2, 0, 0, 1, 0, -1}), NewMatrix(2, 2, []float64{0, 1, 0, -1})
	const slack = .25
	var lambdas []float64 // one a run
	m, err := FitMinVolume(bg, x, 2,
		&MinVolumeOptions{Centers: start, Slack: slack, Progress: func(it Iteration) {
			if it.Iteration == 0 {
				lambdas = append(lambdas, it.Lambda)
			}
		}})
	if err != nil || m.Objective > (1+slack)*m.Floor ||
		m.Objective < (1+.98*slack)*m.Floor || len(m.Warnings) > 0 {
		t.Errorf("%g above a floor of %g, slack %g: %v, %v", m.Objective-m.Floor,
			m.Floor, slack, m.Warnings, err)
	}
	if least := 1e-8 * m.Total / 2; len(lambdas) != 2 || math.Abs(lambdas[1]-least) > 1e-12*least {
		t.Errorf("the global simplex is not the second of %d runs: %g", len(lambdas), lambdas)
	}
	// A run with which nothing can be done: data on both sides of 0, with sums of at most 1.
	x = randomData(60, 5, 0, 2)
	for _, init := range []Init{InitKMeans, InitSPA} {
		m := mustDo(FitMinVolume(bg, x, 2,
			&MinVolumeOptions{Sum: SumAtMostOne, Slack: 1e-3, MaxIter: 10, Init: init}))(t)
		i := slices.IndexFunc(m.Warnings, func(w Warning) bool { return w.Kind == WarnSlack })
		if i < 0 || math.Abs(m.Warnings[i].Value-m.Objective/(m.Floor*1.001)) > 1e-9*m.Warnings[i].Value {
			t.Errorf("%v: objective %g, floor %g: %v", init, m.Objective, m.Floor, m.Warnings)
		}
	}
}

// TestSlackNearLine: near a line no run at a constant λ stays at the target. The slack is used nevertheless,
// also where the rows count as an exact mixture.
func TestSlackNearLine(t *testing.T) {
	t.Parallel()
	for _, noise := range []float64{0.05, 1e-3, 1e-4} {
		rng := rand.New(rand.NewPCG(1, 1))
		x := NewMatrix(1000, 2, nil)
		for i := range x.Rows {
			along := rng.NormFloat64()
			copy(x.row(i), []float64{along + noise*rng.NormFloat64(), along + noise*rng.NormFloat64()})
		}
		for _, slack := range []float64{0.25, 0.125, 0.01} {
			m := mustDo(FitMinVolume(bg, x, 2, &MinVolumeOptions{Slack: slack}))(t)
			used := (m.Objective - m.Floor) / (slack * max(m.Floor, exactShare*m.Total))
			if !(used <= 1 && used >= 1-2*goalShare) || m.Status != StatusConverged {
				t.Errorf("noise %g, slack %g: %g of it used, %v", noise, slack, used, m.Status)
			}
		}
	}
}

// TestSlackBounds: bounds of centers, which the fit has at its end alone, take the error out
// of the slack, and a warning says by how much. One center has no slack.
func TestSlackBounds(t *testing.T) {
	x := randomData(60, 40, -0.3, 2)
	for _, k := range []int{1, 3} {
		m := mustDo(FitMinVolume(bg, x, k, &MinVolumeOptions{NonNegative: true}))(t)
		i := slices.IndexFunc(m.Warnings, func(w Warning) bool { return w.Kind == WarnSlack })
		if (i >= 0) != (k > 1 && m.Objective > 1.25*m.Floor) || i >= 0 &&
			math.Abs(m.Warnings[i].Value/(m.Objective/((1+m.Slack)*m.Floor))-1) > 1e-9 {
			t.Errorf("%d centers: objective %g, floor %g: %v", k, m.Objective, m.Floor, m.Warnings)
		}
	}
}

// TestTall: many rows begin on a draw, and end as near to the prototypes as all rows do,
// within the slack, with the numbers of the model belonging together.
func TestTall(t *testing.T) {
	t.Parallel()
	n, k := manyRows+500, 3
	clean, prototypes := mixtures(n, 6, k, 0.3, 1, 5)
	x, w := noisy(clean, 25, 6), make([]float64, n)
	for i := 0; i < n; i += 2 { // the others do not count
		w[i] = 2
	}
	for _, o := range []MinVolumeOptions{{Weights: w, NonNegative: true, Workers: 2}, {Restarts: 2, Slack: 0.1},
		{Sum: SumAtMostOne}}[:fewer(3, 1)] {
		told := 0 // iterations
		o.Progress = func(Iteration) { told++ }
		m := mustDo(FitMinVolume(bg, x, k, &o))(t)
		checkShares(t, m.Memberships, o.Sum)
		if used := (m.Objective - m.Floor) / (m.Slack * m.Floor); used > 1+1e-9 || used < 1-2*goalShare ||
			m.Status != StatusConverged || len(m.Warnings) > 0 {
			t.Errorf("%+v: %g of the slack used, %v, %v", o, used, m.Status, m.Warnings)
		}
		if got := plainObjective(x, m.Centers, m.Memberships, o.Weights); math.Abs(got-m.Objective) > 1e-10*m.Total {
			t.Errorf("%+v: objective %g, is %g", o, m.Objective, got)
		}
		if len(m.Trace) != m.Iterations+1 || m.Iterations > told/2 || len(m.Clusters) != n {
			t.Errorf("%+v: trace of %d, %d iterations of %d", o, len(m.Trace), m.Iterations, told)
		}
		if d := distanceOfCenters(prototypes, m.Centers) / math.Sqrt(m.Total/float64(n)/6); d > 0.7 {
			t.Errorf("%+v: centers are %g spreads from the truth", o, d)
		}
	}
}

// TestDrawWeight: the rows of a draw have the weight of all.
func TestDrawWeight(t *testing.T) {
	x := randomData(manyRows+9, 3, 0, 1)
	all := mustDo(openMinVolume(bg, x, 2, &MinVolumeOptions{Weights: inTurn(x.Rows, 0, 1, 3)}))(t)
	part := all.draw()
	if got, want := float64(part.s.n)*part.s.weight(0), 1/all.perWeight(1); math.Abs(got-want) > 1e-12*want {
		t.Errorf("a weight of %g, of all rows %g", got, want)
	}
}

// TestRefine: refined centers of a sample take away most of the loss of all rows that the sample's own have
// above the least they lead to. Centers at rest stay.
func TestRefine(t *testing.T) {
	clean, _ := mixtures(manyRows+500, 6, 3, 0.3, 1, 5)
	all := mustDo(openMinVolume(bg, noisy(clean, 25, 6), 3, &MinVolumeOptions{}))(t)
	part, lambda := all.draw(), all.firstLambda()
	lossOf := func(r *volumeRun) float64 { return mustDo(all.measure(r.f, nil))(t).lossAt(lambda) }
	own := part.run(mustDo(part.startCenters(0))(t), lambda, part.most, nil)
	refined := mustDo(all.refine(own))(t)
	least := all.run(runStart{own.f, 0}, lambda, all.most, nil).lossAt(lambda)
	if before, after := lossOf(own)-least, lossOf(refined)-least; !(after <= before/5) {
		t.Errorf("%g above the least loss, before %g", after, before)
	}
	if mustDo(all.refine(refined))(t) != refined {
		t.Error("centers at rest are refined")
	}
}

// distanceOfCenters is the largest distance of a row of a from the nearest row of b.
func distanceOfCenters(a, b *Matrix) (worst float64) {
	for i := range a.Rows {
		least := math.Inf(1)
		for j := range b.Rows {
			least = min(least, math.Sqrt(squaredDistance(a.row(i), b.row(j))))
		}
		worst = max(worst, least)
	}
	return worst
}

// TestTallStops: wherever the context ends, the model is complete; and the bits do not depend on the workers.
func TestTallStops(t *testing.T) {
	t.Parallel()
	// With the default there are two iterations on all rows.
	const tol = defaultTol / 10
	x, _ := mixtures(manyRows+100, 4, 3, 0.5, 1, 11)
	x = noisy(x, 20, 12)
	var whole *Model
	all, some := 0, fewer(6, 3)
	for _, workers := range []int{1, 3} {
		all = 0
		m := mustDo(FitMinVolume(bg, x, 3,
			&MinVolumeOptions{Workers: workers, Tol: tol, Progress: func(Iteration) { all++ }}))(t)
		if whole != nil && (!slices.Equal(m.Centers.Data, whole.Centers.Data) ||
			!slices.Equal(m.Memberships.Data, whole.Memberships.Data)) {
			t.Error("other bits with other workers")
		}
		whole = m
	}
	// The context ends before the first passes and the last ones, and within them.
	onDraw, onAll := 0, 0
	for passes := 0; passes < all; passes++ {
		if passes == some {
			passes = max(passes, all-some)
		}
		ctx, told := endingAt(math.MaxInt), 0
		m, err := FitMinVolume(ctx, x, 3, &MinVolumeOptions{Workers: 1, Tol: tol, Progress: func(Iteration) {
			if told++; told == passes+1 {
				ctx.left.Store(int64(passes % 3 * 7))
			}
		}})
		if m == nil || !errors.Is(err, context.Canceled) || m.Status != StatusCancelled {
			t.Fatalf("after %d passes: %v", passes, err)
		}
		if len(m.Trace) > 1 {
			onAll++
		} else {
			onDraw++
		}
		checkFeasible(t, m.Memberships)
		if got := plainObjective(x, m.Centers, m.Memberships,
			nil); math.Abs(got-m.Objective) > 1e-10*m.Total || m.Memberships.Rows != x.Rows {
			t.Fatalf("after %d passes: objective %g, is %g", passes, m.Objective, got)
		}
	}
	if onDraw < 3 || onAll < 1 {
		t.Errorf("%d stops on the draw, %d on all rows", onDraw, onAll)
	}
}

// impure returns exact mixtures of k prototypes in which no share is above most. Every second row is on a
// side of the simplex, so that from most = 2/k on there is hardly a smaller one around the rows.
func impure(n, d, k int, most float64, seed uint64) (x, prototypes *Matrix) {
	rng := rand.New(rand.NewPCG(seed, uint64(k)))
	prototypes, x = NewMatrix(k, d, nil), NewMatrix(n, d, nil)
	for i := range prototypes.Data {
		prototypes.Data[i] = rng.Float64()
	}
	for i := range n {
		g := []float64{1}
		for slices.Max(g) > most {
			g = make([]float64, k)
			for j := range g {
				g[j] = rng.ExpFloat64()
			}
			if i%2 == 0 {
				g[rng.IntN(k)] = 0
			}
			scale(g, 1/sumOf(g))
		}
		for j, v := range g {
			axpy(x.row(i), v, prototypes.row(j))
		}
	}
	return x, prototypes
}

// TestImpure: without pure rows the least volume around an exact mixture is found from inside. Where λ
// changed 24 times at most the simplex was 1.1 to 12 times as large around 600 of these.
func TestImpure(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		k    int
		most float64
		seed uint64
	}{{4, 0.55, 3}, {6, 0.4, 2}, {4, 0.55, 7}, {6, 0.4, 9}, {6, 0.8, 9}}[:fewer(5, 2)] {
		x, truth := impure(fewer(600, 200), 10, c.k, c.most, c.seed)
		m := mustDo(FitMinVolume(bg, x, c.k, nil))(t)
		is, want := mustDo(LogVolume(m.Centers))(t), mustDo(LogVolume(truth))(t)
		if ratio := math.Exp(is - want); ratio > 1.01 || ratio < 0.98 || m.Status != StatusConverged {
			t.Errorf("%+v: %v times the volume, %v", c, ratio, m.Status)
		}
	}
}

// TestPureSamples: where the samples themselves are the smallest simplex FitMinVolume
// returns them, and nothing else is smaller.
func TestPureSamples(t *testing.T) {
	t.Parallel()
	for _, k := range fewer([]int{2, 3, 4}, []int{2, 4}) {
		x, truth := mixtures(150, 12, k, 1, 0.95, uint64(k))
		for j := range k {
			copy(x.row(11*j), truth.row(j))
		}
		m := mustDo(FitMinVolume(bg, x, k, nil))(t)
		if m.Lambda != 0 || m.Status != StatusConverged || m.Objective > 1e-26*m.Total {
			t.Errorf("k = %d: λ = %g, %v, objective %g of %g", k, m.Lambda, m.Status, m.Objective, m.Total)
		}
		if d := distanceOfCenters(truth, m.Centers); d > 1e-13 {
			t.Errorf("k = %d: a prototype is %g from a center", k, d)
		}
		for _, o := range []*MinVolumeOptions{
			{Lambda: 1e-3}, {Init: InitGlobal}, {Centers: truth}, {Volume: VolumeOrigin},
		} {
			if o.MaxIter = 20; mustDo(FitMinVolume(bg, x, k, o))(t).Lambda == 0 {
				t.Errorf("k = %d: with %+v the samples are returned", k, o)
			}
		}
		// Without its pure samples the data has a smaller simplex.
		if m := mustDo(FitMinVolume(bg, x, k, &MinVolumeOptions{Weights: without(x.Rows, 11,
			k)}))(t); k > 2 && m.Lambda == 0 {
			t.Errorf("k = %d: samples that are not the simplex are returned", k)
		}
	}
}

// without returns weights of 1, 0 for rows 0, step, … (k of them).
func without(n, step, k int) []float64 {
	w := make1(n)
	for j := range k {
		w[step*j] = 0
	}
	return w
}

// noiseTable returns n rows of d columns and true memberships of k prototypes, with white noise of deviation
// sigma: all rows pure, or with uniform memberships.
func noiseTable(n, d, k int, pure bool, sigma float64, seed uint64) (x, g *Matrix) {
	rng := rand.New(rand.NewPCG(seed, uint64(d)))
	f := NewMatrix(k, d, nil)
	for i := range f.Data {
		f.Data[i] = rng.NormFloat64()
	}
	x, g = NewMatrix(n, d, nil), NewMatrix(n, k, nil)
	for i := range n {
		row := g.row(i)
		for j := range row {
			row[j] = rng.ExpFloat64()
		}
		if pure {
			clear(row)
			row[i%k] = 1
		}
		scale(row, 1/sumOf(row))
		for j, v := range row {
			axpy(x.row(i), v, f.row(j))
		}
		for c := range x.row(i) {
			x.row(i)[c] += sigma * rng.NormFloat64()
		}
	}
	return x, g
}

// bestCenters returns the F with the least ‖X − GF‖².
func bestCenters(x, g *Matrix) *Matrix {
	k := g.Cols
	gram, f := product(g.transposed(), g), product(g.transposed(), x)
	cholesky(gram.Data, k)
	columns := f.transposed()
	for c := range columns.Rows {
		cholSolve(gram.Data, k, columns.row(c))
	}
	return columns.transposed()
}

// TestNoiseSlackOracle: the true memberships, with the centers that fit them best, cost q/(d−q) of the floor
// whatever n is. The best memberships for these centers keep some two thirds of that where all rows are pure,
// and a few hundredths where memberships are uniform. The default slack is a quarter of it.
func TestNoiseSlackOracle(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ n, d, k int }{{400, 20, 3}, {100, 20, 3}, {150, 60, 5}, {160, 300, 4}} {
		for _, pure := range []bool{false, true} {
			x, g := noiseTable(c.n, c.d, c.k, pure, .1, uint64(c.n))
			q := float64(c.k - 1)
			share := q / (float64(c.d) - q)
			f := bestCenters(x, g)
			floor := mustDo(Floors(bg, x, &Options{MostK: c.k}))(t)[c.k-1]
			if got := plainObjective(x, f, g, nil)/floor - 1; math.Abs(got/share-1) > .2 {
				t.Errorf("%+v, pure %v: the truth is %.5f floors above, not %.5f", c, pure, got, share)
			}
			best := mustDo(SimplexLeastSquares(nil, x, f, nil))(t)
			kept := (plainObjective(x, f, best, nil)/floor - 1) / share
			if pure && (kept < .55 || kept > .8) || !pure && math.Abs(kept) > .2 {
				t.Errorf("%+v, pure %v: the best memberships keep %.3f", c, pure, kept)
			}
			want := share / 4
			if pure {
				want = .25
			}
			if got := defaultSlack(t, x, c.k, nil); math.Abs(got-want) > 1e-15 {
				t.Errorf("%+v, pure %v: the slack is %g, not %g", c, pure, got, want)
			}
		}
	}
}

// defaultSlack is the slack of a fit, without the fit.
func defaultSlack(t *testing.T, x Samples, k int, o *MinVolumeOptions) float64 {
	t.Helper()
	given := orZero(o)
	return mustDo(openMinVolume(bg, x, k, &given))(t).o.Slack
}

// TestNoiseSlackRules: each rule by a table of its own.
func TestNoiseSlackRules(t *testing.T) {
	t.Parallel()
	x, _ := noiseTable(120, 30, 3, false, .1, 1)
	exact, _ := noiseTable(120, 30, 3, false, 1e-5, 1)
	clusters, _ := noiseTable(120, 30, 8, true, .3, 1)
	padded := mapped(NewMatrix(120, 34, nil), func(i, j int, _ float64) float64 {
		if j < 30 {
			return x.At(i, j)
		}
		return float64(j)
	})
	for name, c := range map[string]struct {
		x    *Matrix
		k    int
		o    MinVolumeOptions
		want float64
	}{
		"noise":               {x, 3, MinVolumeOptions{}, .25 * 2 / 28},
		"constant columns":    {padded, 3, MinVolumeOptions{}, .25 * 2 / 28},
		"sums of at most one": {x, 3, MinVolumeOptions{Sum: SumAtMostOne}, .25 * 3 / 27},
		"extreme rows":        {x, 3, MinVolumeOptions{Init: InitSPA}, .25 * 2 / 28},
		"given":               {x, 3, MinVolumeOptions{Slack: .1}, .1},
		"λ":                   {x, 3, MinVolumeOptions{Slack: .1, Lambda: 1}, 0},
		"one center":          {x, 1, MinVolumeOptions{}, .25},
		"few rows":            {rowsOf(x, 0, 4), 3, MinVolumeOptions{}, .25},
		"few columns":         {randomData(50, 4, 0, 1), 3, MinVolumeOptions{}, .25},
		"exact":               {exact, 3, MinVolumeOptions{}, .25},
		"trivial":             {randomData(50, 4, 0, 1), 6, MinVolumeOptions{}, .25},
		"clusters":            {clusters, 8, MinVolumeOptions{}, .25},
		"clusters beyond k":   {clusters, 4, MinVolumeOptions{}, .25},
	} {
		if got := defaultSlack(t, c.x, c.k, &c.o); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%s: the slack is %g, not %g", name, got, c.want)
		}
	}
	if m := mustDo(FitAlternating(bg, x, 3, nil))(t); m.Slack != 0 {
		t.Errorf("FitAlternating has a slack of %g", m.Slack)
	}
}

// TestNoiseSlackInvariant: origin, scale, a rotation, rows of weight 0, sparse rows, seeds and workers leave the
// slack as it is, for mixtures and for clusters.
func TestNoiseSlackInvariant(t *testing.T) {
	t.Parallel()
	for _, shape := range []struct{ n, d, k int }{{200, 25, 4}, {40, 90, 3}} {
		for _, pure := range []bool{false, true} {
			x, _ := noiseTable(shape.n, shape.d, shape.k, pure, .2, 5)
			want := defaultSlack(t, x, shape.k, nil)
			if less := want < .25; less == pure {
				t.Errorf("%+v, pure %v: the slack is %g", shape, pure, want)
			}
			q := laOrthogonal(shape.d, rand.New(rand.NewPCG(1, 2)))
			w := make1(shape.n + 9)
			clear(w[shape.n:])
			more := NewMatrix(shape.n+9, shape.d, slices.Concat(x.Data, randomData(9, shape.d, 50, 1).Data))
			for name, got := range map[string]float64{
				"moved": defaultSlack(t, mapped(x, func(_, j int, v float64) float64 { return v + 1e4*float64(j%5) }),
					shape.k, nil),
				"scaled":   defaultSlack(t, mapped(x, func(_, _ int, v float64) float64 { return 1e-90 * v }), shape.k, nil),
				"turned":   defaultSlack(t, product(x, q), shape.k, nil),
				"weight 0": defaultSlack(t, more, shape.k, &MinVolumeOptions{Weights: w}),
				"seed":     defaultSlack(t, x, shape.k, &MinVolumeOptions{Seed: 7}),
				"workers":  defaultSlack(t, x, shape.k, &MinVolumeOptions{Workers: 3}),
			} {
				if math.Abs(got-want) > 1e-15 {
					t.Errorf("%+v, pure %v, %s: the slack is %g, not %g", shape, pure, name, got, want)
				}
			}
		}
	}
}

// TestNoiseSlackSparse: sparse rows have the slack of the same rows with their zeros. Columns without entries,
// and those with one entry for all rows, do not count.
func TestNoiseSlackSparse(t *testing.T) {
	t.Parallel()
	x, _ := noiseTable(300, 120, 3, false, .3, 2)
	x = mapped(x, func(i, j int, v float64) float64 {
		switch {
		case j < 10:
			return 0
		case j < 20:
			return 2
		case (i+j)%5 > 0:
			return 0
		}
		return v
	})
	s := sparseOf(x)
	opened := mustDo(s.open(bg, &Options{}, true, narrowColumns(3)))(t)
	if _, stays := opened.(*sparseSamples); !stays || opened.varying() != 100 {
		t.Fatalf("%T, %d columns vary", opened, opened.varying())
	}
	for _, w := range [][]float64{nil, inTurn(300, 0, 1, 3)} {
		o := &MinVolumeOptions{Weights: w}
		if got, want := defaultSlack(t, s, 3, o), defaultSlack(t, x, 3, o); got != want {
			t.Errorf("sparse rows have a slack of %g, dense ones %g", got, want)
		}
	}
}

// TestNextSquare: SolverKrylov's square after the plane is at most the true one, and near it on spectra that fall.
func TestNextSquare(t *testing.T) {
	x := randomData(300, 200, 0, 3)
	s := mustDo(newSamples(bg, x, nil, 1, true))(t)
	gram := mustDo(principalOf(s, wanted{4, 3}, SolverGram, toFit))(t)
	krylov := mustDo(principalOf(s, wanted{4, 3}, SolverKrylov, toFit))(t)
	if got, want := krylov.next(), gram.next(); gram.squares[4] != want || got > want*(1+1e-12) || got < .99*want {
		t.Errorf("the next square is %g, by the Gram matrix %g", got, want)
	}
}

// TestWhite: noise is white in all shapes, and with few directions more it is not.
func TestWhite(t *testing.T) {
	t.Parallel()
	for _, shape := range []struct{ n, d int }{{400, 20}, {100, 60}, {60, 60}, {50, 300}, {2000, 8}} {
		for seed := range uint64(5) {
			rng := rand.New(rand.NewPCG(seed, 7))
			x := mapped(NewMatrix(shape.n, shape.d, nil), func(_, _ int, _ float64) float64 { return rng.NormFloat64() })
			for _, more := range []bool{false, true} {
				if more { // a direction with six times the largest square of noise
					top := math.Sqrt(6) * (1 + math.Sqrt(float64(shape.d)/float64(shape.n)))
					axis := make([]float64, shape.d)
					for c := range axis {
						axis[c] = rng.NormFloat64() / math.Sqrt(float64(shape.d))
					}
					for i := range x.Rows {
						axpy(x.row(i), top*rng.NormFloat64(), axis)
					}
				}
				s := mustDo(newSamples(bg, x, nil, 1, true))(t)
				pc := mustDo(principalOf(s, wanted{0, 1}, SolverGram, toFit))(t)
				if pc.white(max(shape.n, shape.d)) == more {
					t.Errorf("%+v, seed %d: white is %v", shape, seed, more)
				}
			}
		}
	}
}

// TestSlackOutOfReach: bounds of centers keep the error above a target close to the floor. The run ends, and
// centers stay near where they were.
func TestSlackOutOfReach(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	x := NewMatrix(121, 4, nil)
	for i := range x.Data {
		x.Data[i] = float64(rng.IntN(3))
	}
	m := mustDo(FitMinVolume(bg, x, 4, &MinVolumeOptions{NonNegative: true, Slack: 1e-6}))(t)
	if top := slices.Max(m.Centers.Data); m.Status != StatusConverged || !(top < 1e4) {
		t.Errorf("%v after %d iterations, the largest entry of a center is %g", m.Status, m.Iterations, top)
	}
}
