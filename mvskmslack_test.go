package softkmeans

import (
	"cmp"
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
	for _, set := range dataSets(t) {
		set.x = head(set.x, 300)
		for _, slack := range fewer([]float64{0, 0.05, 0.4}, []float64{0}) {
			m := mustDo(FitMinVolume(bg, set.x, set.k, &MinVolumeOptions{Slack: slack}))(t)
			checkFeasible(t, m.Memberships)
			if slack == 0 {
				slack = 0.25
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
			// The last of the trace is the objective with its penalty.
			j, _ := openMinVolume(bg, set.x, set.k, &MinVolumeOptions{Volume: m.Volume}, true)
			j = mustDo(j.end())(t)
			j.eps = math.Ldexp(m.Epsilon, -2*j.s.exp)
			at := j.newIterate()
			copy(at.f.Data, j.fromData(m.Centers).Data)
			must(t, j.pass(at, nil))
			want := m.Objective + m.Lambda/2*j.dataPenalty(at.penalty)
			if last := m.Trace[len(m.Trace)-1]; math.Abs(last-want) > 1e-9*(math.Abs(want)+m.Total) {
				t.Errorf("%s: trace ends at %g, objective and penalty are %g", set.name, last, want)
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
		checkSlack(t, m, DefaultSlack)
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
		if err := m.Check(); err != nil {
			t.Error(err)
		}
	}
}

// tenOf is a fit with a floor of 10 of a total of 100, four centers and a slack of a half.
func tenOf() *alternation {
	s := &samples{ctx: bg, n: 50, d: 10, centred: true}
	return &alternation{
		s: s, close: closeShare,
		minVolume: &minVolume{data: s, k: 4, pc: &principal{floor: 10, total: 100},
			o: MinVolumeOptions{Slack: .5}},
	}
}

// TestAllowance: what the slack is a share of, and where the search begins.
func TestAllowance(t *testing.T) {
	for _, c := range []struct {
		change func(vf *alternation)
		want   float64
	}{
		{func(vf *alternation) {}, 5},
		{func(vf *alternation) { vf.o.Slack = 20 }, 45},
		{func(vf *alternation) { vf.pc.floor = 100 }, 0x1p-60 * 100},
		{func(vf *alternation) { vf.pc.floor = 1e-9 }, .5 * 1e-6 * 100}, // exact
		{func(vf *alternation) { vf.k, vf.pc.floor = 10, 1 }, .5},
		{func(vf *alternation) { vf.k, vf.pc.floor = 11, 0 }, 5}, // trivial: a tenth of the total
		{func(vf *alternation) { vf.k, vf.s.centred, vf.o.Sum, vf.pc.floor = 10, false, SumAtMostOne, 0 }, 5},
		{func(vf *alternation) { vf.k, vf.s.centred, vf.o.Sum, vf.pc.floor = 9, false, SumAtMostOne, 1 }, .5},
	} {
		vf := tenOf()
		c.change(vf)
		if got := vf.allowance(); math.Abs(got-c.want) > 1e-15*c.want {
			t.Errorf("allowance %g, want %g", got, c.want)
		}
		if got, want := vf.firstLambda(),
			.8*math.Sqrt(c.want*100)/float64(vf.k); math.Abs(got-want) > 1e-14*want {
			t.Errorf("first λ %g, want %g", got, want)
		}
	}
}

// TestSteering: each case of a step of λ, for a target of 15 and an allowance of 5.
func TestSteering(t *testing.T) {
	excess := func(objective float64) float64 { return math.Log((objective - 10) / (5 * .995)) }
	type point struct{ lambda, objective float64 }
	for _, c := range []struct {
		name    string
		last    point // the point before; 0: none
		at      point
		changes int
		want    float64 // 0: λ stays
	}{
		{"near the target", point{}, point{1, 14.96}, 0, 0},
		{"not so near", point{}, point{1, 14.94}, 0, math.Exp(-excess(14.94) / 1.5)},
		{"within", point{}, point{2, 12}, 0, 2 * math.Exp(-excess(12)/1.5)},
		{"at the floor", point{}, point{2, 10}, 0, 2 * math.Exp(2)},
		{"beyond", point{}, point{2, 20}, 0, 2 * math.Exp(-excess(20)/1.5)},
		{"far beyond", point{}, point{2, 1e6}, 0, 2 * math.Exp(-2)},
		{"little beyond", point{}, point{2, 15.001}, 0, 2 * math.Exp(-excess(15.001)/1.5)},
		{"secant", point{1, 12}, point{4, 20}, 1,
			4 * math.Exp(-excess(20)*math.Log(4)/(excess(20)-excess(12)))},
		{"secant, the other way", point{4, 20}, point{1, 12}, 2,
			math.Exp(-excess(12) * math.Log(4) / (excess(20) - excess(12)))},
		{"a flat secant", point{1, 12}, point{2, 12.1}, 1, 2 * math.Exp(-excess(12.1)/.5)},
		{"one that falls", point{1, 14.5}, point{2, 14}, 1, 2 * math.Exp(-excess(14)/.5)},
		{"a steep one", point{1, 12}, point{1.01, 14}, 1, 1.01 * math.Exp(-excess(14)/4)},
		{"above the largest λ", point{}, point{25e4, 12}, 0, 0},
		{"below the least λ", point{}, point{26e-8, 20}, 0, 0},
		{"no more changes", point{1, 12}, point{4, 20}, mostChanges, 0},
		{"a jump", point{1, 12}, point{1 + 1e-7, 20}, 3, (1 + 1e-7) * math.Exp(-excess(20)/4)},
	} {
		q := tenOf().newSteering(closeShare)
		q.changes, q.slope = c.changes, firstSlope
		if c.last.lambda > 0 {
			q.last, q.excess = math.Log(c.last.lambda), excess(c.last.objective)
		}
		got, changed := q.next(NewMatrix(1, 1, nil), c.at.objective, c.at.lambda)
		if want := c.want; changed != (want > 0) || changed && math.Abs(got-want) > 1e-12*want ||
			!changed && got != c.at.lambda {
			t.Errorf("%s: λ %g, %t; want %g", c.name, got, changed, want)
		}
		if some := q.within != nil; some != (c.at.objective <= 15) {
			t.Errorf("%s: a point within the slack: %t", c.name, some)
		}
	}
}

// TestSteeringKeeps: of the points within the slack the one nearest to it stays.
func TestSteeringKeeps(t *testing.T) {
	q := tenOf().newSteering(closeShare)
	for i, v := range []float64{20, 12, 14, 13, 18} {
		f := NewMatrix(1, 1, []float64{float64(i)})
		q.next(f, v, float64(i+1))
		f.Data[0] = -1 // the next iterate
	}
	if w := q.within; w == nil || w.objective != 14 || w.lambda != 3 || w.f.Data[0] != 2 {
		t.Errorf("%+v", w)
	}
}

// TestBracketed: λ stays between the last points on both sides of the slack, until one proves wrong.
func TestBracketed(t *testing.T) {
	q := tenOf().newSteering(tallClose)
	for _, c := range []struct {
		lambda, to float64
		above      bool
		want       float64
	}{
		{2, 1, true, 1},
		{1, 3, false, 2},
		{2, 3, false, 3},
		{3, .5, true, 2},
		{2, 1, true, 1},
		{1, 9, false, 2},
	} {
		if got := q.bracketed(c.to, c.lambda, c.above); got != c.want {
			t.Errorf("%+v: %g", c, got)
		}
	}
	p := tenOf().newSteering(tallClose)
	still, _ := p.next(NewMatrix(1, 1, nil), 12, 1)
	p = tenOf().newSteering(tallClose)
	p.drift = 0.2
	if rising, _ := p.next(NewMatrix(1, 1, nil), 12, 1); !(rising < still && rising > 1) {
		t.Errorf("λ %g where the objective rises, %g where it stays", rising, still)
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
	unit := m.Total / 2
	if i := slices.IndexFunc(lambdas,
		func(v float64) bool { return math.Abs(v-1e-8*unit) < 1e-12*1e-8*unit }); i < 3 ||
		!slices.IsSortedFunc(lambdas[:i], func(a, b float64) int { return cmp.Compare(b, a) }) ||
		lambdas[i-1] > 1e-6*unit || len(lambdas) > i+mostChanges {
		t.Errorf("the global simplex is run %d of %d: %g", i, len(lambdas), lambdas)
	}
	// The search of a fit whose start is the global simplex, or a run with which nothing
	// can be done: data on both sides of 0, with sums of at most 1.
	x = randomData(60, 5, 0, 2)
	for _, init := range []Init{InitGlobal, InitSPA} {
		m := mustDo(FitMinVolume(bg, x, 2,
			&MinVolumeOptions{Sum: SumAtMostOne, Slack: 1e-3, MaxIter: 10, Init: init}))(t)
		i := slices.IndexFunc(m.Warnings, func(w Warning) bool { return w.Kind == WarnSlack })
		if i < 0 || math.Abs(m.Warnings[i].Value-m.Objective/(m.Floor*1.001)) > 1e-9*m.Warnings[i].Value {
			t.Errorf("%v: objective %g, floor %g: %v", init, m.Objective, m.Floor, m.Warnings)
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
		if (i >= 0) != (k > 1) || i >= 0 &&
			math.Abs(m.Warnings[i].Value/(m.Objective/(1.25*m.Floor))-1) > 1e-9 {
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
	x := noisy(clean, 25, 6)
	doubled, w := NewMatrix(n, 6, nil), make([]float64, n) // half of the rows, with weight 2 each
	for i := range n / 2 {
		copy(doubled.row(2*i), x.row(i))
		w[2*i] = 2
	}
	for name, c := range map[string]struct {
		x *Matrix
		o MinVolumeOptions
	}{
		"rows":        {x, MinVolumeOptions{}},
		"nonnegative": {x, MinVolumeOptions{NonNegative: true, Workers: 2}},
		"restarts":    {x, MinVolumeOptions{Restarts: 2, Slack: 0.1}},
		"weights":     {doubled, MinVolumeOptions{Weights: w, NonNegative: true, Workers: 2}},
		"at most one": {x, MinVolumeOptions{Sum: SumAtMostOne}},
		"far": {mapped(x, func(_, _ int, v float64) float64 { return 1e100 * v }),
			MinVolumeOptions{Init: InitKMeans}},
	} {
		if fewer(false, name != "weights") {
			continue
		}
		drawn := 0 // iterations before the last
		last := Iteration{}
		c.o.Progress = func(it Iteration) {
			drawn++
			last = it
		}
		m, err := FitMinVolume(bg, c.x, k, &c.o)
		if err != nil {
			t.Fatal(name, err)
		}
		vf, err := openMinVolume(bg, c.x, k, &c.o, true)
		if err != nil || !vf.isTall() {
			t.Fatal(name, err, vf.isTall())
		}
		if c.o.Sum == SumToOne {
			checkFeasible(t, m.Memberships)
		}
		slack := cmp.Or(c.o.Slack, DefaultSlack)
		if used := (m.Objective - m.Floor) / (slack * m.Floor); used > 1+1e-9 || used < 1-1.01*tallClose ||
			m.Status != StatusConverged || len(m.Warnings) > 0 {
			t.Errorf("%s: %g of the slack used, %v, %v", name, used, m.Status, m.Warnings)
		}
		if got := plainObjective(c.x, m.Centers, m.Memberships,
			c.o.Weights); math.Abs(got-m.Objective) > 1e-10*m.Total {
			t.Errorf("%s: objective %g, is %g", name, m.Objective, got)
		}
		if len(m.Trace) != m.Iterations+1 || m.Iterations > drawn/2 ||
			math.Abs(last.Objective-m.Objective) > 1e-9*m.Total {
			t.Errorf("%s: trace of %d, %d iterations of %d, the last of objective %g, not %g", name,
				len(m.Trace), m.Iterations, drawn, last.Objective, m.Objective)
		}
		if len(m.Clusters) != n {
			t.Errorf("%s: %d labels", name, len(m.Clusters))
		}
		// The same rule without a draw.
		all, lambda := *vf, 0.0
		all.o.Init = InitGlobal // its start is not drawn
		want := mustDo(slackRule{}.solve(&all))(t)
		lambda = all.s.unscaleSquare(want.lambda)
		f := want.m.toData(want.f)
		scale := math.Sqrt(m.Total / float64(n) / 6)
		if d := distanceOfCenters(f, m.Centers) / scale; d > 0.2 ||
			math.Abs(math.Log(m.Lambda/lambda)) > 0.3 {
			t.Errorf("%s: centers differ by %g spreads from those of all rows, λ %g, %g", name, d, m.Lambda,
				lambda)
		}
		if name == "rows" {
			if d := distanceOfCenters(prototypes, m.Centers) / scale; d > 0.7 {
				t.Errorf("%s: centers are %g spreads from the truth", name, d)
			}
		}
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

// TestDraw: a draw has the weight, the floor and, nearly, the loss of all rows; rows of
// weight 0 are not in it.
func TestDraw(t *testing.T) {
	t.Parallel()
	n, k := manyRows+900, 4
	x := noisy(firstOf(mixtures(n, 5, k, 0.5, 1, 8)), 20, 9)
	w := make([]float64, n)
	for i := range w {
		w[i] = float64(i % 5)
		if i%5 == 0 {
			x.row(i)[2] = 1e9
		}
	}
	for _, sum := range []Sum{SumToOne, SumAtMostOne} {
		vf := mustDo(openMinVolume(bg, x, k, &MinVolumeOptions{Weights: w, Sum: sum}, true))(t)
		part := vf.draw()
		if part.s.n != vf.drawSize() || part.z.Rows != part.s.n || part.z.Cols != vf.z.Cols {
			t.Fatalf("%d rows, coordinates %d×%d", part.s.n, part.z.Rows, part.z.Cols)
		}
		if a, b := float64(part.s.n)*part.s.weight(0), 1/vf.perWeight(1); math.Abs(a-b) > 1e-12*b {
			t.Errorf("%v: the weight is %g, of all rows %g", sum, a, b)
		}
		again := vf.draw()
		if !slices.Equal(again.z.Data, part.z.Data) {
			t.Errorf("%v: another draw", sum)
		}
		start := mustDo(vf.startCenters(0))(t)
		a, b := vf.run(start, 0, 0, nil), part.run(start, 0, 0, nil)
		if share := b.objective / a.objective; math.Abs(share-1) > 0.05 {
			t.Errorf("%v: the draw has %g of the objective", sum, share)
		}
		inside, _ := part.principalRows()
		if got := part.residual + squaresBeyond(part.s, part.z,
			inside); math.Abs(got-vf.pc.floor) > 1e-12*vf.pc.total {
			t.Errorf("%v: the floor of the draw is %g, of all rows %g", sum, got, vf.pc.floor)
		}
	}
}

// TestTallIs: what begins on a draw.
func TestTallIs(t *testing.T) {
	fit := func(n, k int, init Init, change func(o *MinVolumeOptions)) bool {
		vf := &alternation{z: NewMatrix(n, 1, nil),
			minVolume: &minVolume{k: k, o: MinVolumeOptions{Init: init, Slack: leastTallSlack}}}
		if change != nil {
			change(&vf.o)
		}
		return vf.isTall()
	}
	for _, c := range []struct {
		n, k int
		init Init
		want bool
	}{
		{manyRows, 2, InitKMeans, false}, {manyRows + 1, 2, InitKMeans, true},
		{manyRows + 1, 2, InitSPA, false}, {manyRows + 1, 2, InitGlobal, false},
		{manyRows + 1, 32, InitKMeans, true}, {manyRows + 1, 36, InitKMeans, false},
		{4*40*128 + 1, 40, InitKMeans, true},
	} {
		if got := fit(c.n, c.k, c.init, nil); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	if fit(manyRows+1, 2, InitKMeans, func(o *MinVolumeOptions) { o.Slack = 0.049 }) {
		t.Error("a small slack, and a draw")
	}
	if fit(manyRows+1, 2, InitKMeans, func(o *MinVolumeOptions) { o.Plain = true }) ||
		fit(manyRows+1, 2, InitKMeans, func(o *MinVolumeOptions) { o.Centers = NewMatrix(2, 1, nil) }) {
		t.Error("plain steps, or given centers, and a draw")
	}
}

// TestTallStops: wherever the context ends, the model is complete; and the bits do not depend on the workers.
func TestTallStops(t *testing.T) {
	t.Parallel()
	// With the default there are two iterations on all rows.
	const tol = defaultTol / 10
	for bounded, d := range map[bool]int{false: 4, true: 24} { // begins in 13 directions of 24
		if fewer(false, !bounded) {
			continue
		}
		x := noisy(firstOf(mixtures(manyRows+100, d, 3, 0.5, 1, 11)), 20, 12)
		var whole *Model
		all, some := 0, fewer(6, 3)
		for _, workers := range []int{1, 3} {
			all = 0
			m := mustDo(FitMinVolume(bg, x, 3, &MinVolumeOptions{NonNegative: bounded, Workers: workers,
				Tol: tol, Progress: func(Iteration) { all++ }}))(t)
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
			m, err := FitMinVolume(ctx, x, 3,
				&MinVolumeOptions{NonNegative: bounded, Workers: 1, Tol: tol, Progress: func(Iteration) {
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
}

// TestTallCorrected: a draw that all rows have corrected leaves two or three steps to the end. Without that
// there are twelve here, with a Tol that counts (by default both end after two).
func TestTallCorrected(t *testing.T) {
	const n, d, k = manyRows + 600, 6, 6
	rng := rand.New(rand.NewPCG(3, 4))
	f, x := randomData(k, d, 0, 1), randomData(n, d, 0, 2)
	scale(x.Data, .1)
	for i := range n {
		g := make([]float64, k)
		for j := range g {
			g[j] = math.Pow(rng.ExpFloat64(), 4)
		}
		for j, v := range g {
			axpy(x.row(i), v/sumOf(g), f.row(j))
		}
	}
	all := mustDo(openMinVolume(bg, x, k, &MinVolumeOptions{Tol: defaultTol / 10}, true))(t)
	run := mustDo(solveTall(all))(t)
	m := mustDo(run.finish(nil))(t)
	used := (m.Objective/m.Floor - 1) / DefaultSlack
	if m.Iterations > 4 || used > 1+1e-9 || used < 1-1.01*tallClose {
		t.Errorf("%d iterations on all rows, %g of the slack used", m.Iterations, used)
	}
	// FitMinVolumeSeq refines such a run to Tol.
	if run.m.tol != all.tol {
		t.Errorf("the run has a tolerance of %g, not %g", run.m.tol, all.tol)
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
		for j := range k {
			nearest := math.Inf(1)
			for i := range k {
				nearest = min(nearest, math.Sqrt(squaredDistance(truth.row(j), m.Centers.row(i))))
			}
			if nearest > 1e-13 {
				t.Errorf("k = %d: prototype %d is %g from a center", k, j, nearest)
			}
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
