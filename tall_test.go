package softkmeans

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"testing"
)

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
	half := NewMatrix(n/2*2, 6, nil)
	for i := range n / 2 {
		copy(half.row(2*i), x.row(i))
		copy(half.row(2*i+1), x.row(i))
	}
	for name, c := range map[string]struct {
		x *Matrix
		o MinVolumeOptions
	}{
		"rows":        {x, MinVolumeOptions{}},
		"nonnegative": {x, MinVolumeOptions{NonNegative: true, Workers: 2}},
		"restarts":    {x, MinVolumeOptions{Restarts: 2, Slack: 0.1}},
		"weights":     {doubled, MinVolumeOptions{Weights: w}},
		"twice":       {half, MinVolumeOptions{}},
		"at most one": {x, MinVolumeOptions{Sum: SumAtMostOne}},
		"far":         {mapped(x, func(_, _ int, v float64) float64 { return 1e100 * v }), MinVolumeOptions{Init: InitKMeans}},
	} {
		if full(false, name != "nonnegative" && name != "weights") {
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
		vf, err := openVolumeFit(bg, c.x, k, &c.o)
		if err != nil || !vf.isTall() {
			t.Fatal(name, err, vf.isTall())
		}
		if c.o.Sum == SumToOne {
			checkFeasible(t, m.Memberships)
		}
		slack := cmp.Or(c.o.Slack, DefaultSlack)
		if used := (m.Objective - m.Floor) / (slack * m.Floor); used > 1+1e-9 || used < 1-1.01*tallClose || m.Status != StatusConverged || len(m.Warnings) > 0 {
			t.Errorf("%s: %g of the slack used, %v, %v", name, used, m.Status, m.Warnings)
		}
		if got := plainObjective(c.x, m.Centers, m.Memberships, c.o.Weights); math.Abs(got-m.Objective) > 1e-10*m.Total {
			t.Errorf("%s: objective %g, is %g", name, m.Objective, got)
		}
		if len(m.Trace) != m.Iterations+1 || m.Iterations > drawn/2 || math.Abs(last.Objective-m.Objective) > 1e-9*m.Total {
			t.Errorf("%s: trace of %d, %d iterations of %d, the last of objective %g, not %g", name, len(m.Trace), m.Iterations, drawn, last.Objective, m.Objective)
		}
		if len(m.Clusters) != n && name != "twice" {
			t.Errorf("%s: %d labels", name, len(m.Clusters))
		}
		// The same rule without a draw.
		all, lambda := *vf, 0.0
		all.setEpsilon()
		all.o.Init = InitGlobal // its start is not drawn
		want, err := solve(&all)
		if err != nil {
			t.Fatal(err)
		}
		lambda = all.s.unscaleSquare(want.lambda)
		f := all.toData(want.f)
		scale := math.Sqrt(m.Total / float64(n) / 6)
		if d := distanceOfCenters(f, m.Centers) / scale; d > 0.2 || math.Abs(math.Log(m.Lambda/lambda)) > 0.3 {
			t.Errorf("%s: centers differ by %g spreads from those of all rows, λ %g, %g", name, d, m.Lambda, lambda)
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
		vf, err := openVolumeFit(bg, x, k, &MinVolumeOptions{Weights: w, Sum: sum})
		if err != nil {
			t.Fatal(err)
		}
		part := vf.draw()
		if part.s.n != part.drawSize() || part.z.Rows != part.s.n || part.z.Cols != vf.z.Cols {
			t.Fatalf("%d rows, coordinates %d×%d", part.s.n, part.z.Rows, part.z.Cols)
		}
		if a, b := part.perWeight(1), vf.perWeight(1); math.Abs(a-b) > 1e-12*b {
			t.Errorf("%v: the weight is %g, of all rows %g", sum, 1/a, 1/b)
		}
		again := vf.draw()
		if !slices.Equal(again.z.Data, part.z.Data) {
			t.Errorf("%v: another draw", sum)
		}
		start, err := vf.startCenters(0)
		if err != nil {
			t.Fatal(err)
		}
		a, b := vf.runOf(start, 0, 0), part.runOf(start, 0, 0)
		if share := b.objective / a.objective; math.Abs(share-1) > 0.05 {
			t.Errorf("%v: the draw has %g of the objective", sum, share)
		}
		inside, _ := part.leading()
		if got := part.residual + squaresBeyond(part.s, part.z, inside); math.Abs(got-vf.pc.floor) > 1e-12*vf.total {
			t.Errorf("%v: the floor of the draw is %g, of all rows %g", sum, got, vf.pc.floor)
		}
	}
}

// TestTallIs: what begins on a draw.
func TestTallIs(t *testing.T) {
	fit := func(n, k int, init Init, change func(o *MinVolumeOptions)) bool {
		vf := &volumeFit{alternation: alternation{z: NewMatrix(n, 1, nil), k: k}, o: MinVolumeOptions{Init: init, Slack: leastTallSlack}}
		if change != nil {
			change(&vf.o)
			vf.plain = vf.o.Plain
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
		{manyRows + 1, 32, InitKMeans, true}, {manyRows + 1, 40, InitKMeans, false}, {4*40*128 + 1, 40, InitKMeans, true},
	} {
		if got := fit(c.n, c.k, c.init, nil); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	if fit(manyRows+1, 2, InitKMeans, func(o *MinVolumeOptions) { o.Slack = 0.049 }) {
		t.Error("a small slack, and a draw")
	}
	if fit(manyRows+1, 2, InitKMeans, func(o *MinVolumeOptions) { o.Plain = true }) || fit(manyRows+1, 2, InitKMeans, func(o *MinVolumeOptions) { o.Centers = NewMatrix(2, 1, nil) }) {
		t.Error("plain steps, or given centers, and a draw")
	}
}

// TestTallStops: wherever the context ends, the model is complete; and the bits do not
// depend on the workers.
func TestTallStops(t *testing.T) {
	t.Parallel()
	for bounded, d := range map[bool]int{false: 4, true: 24} { // begins in 13 directions of 24
		if full(false, !bounded) {
			continue
		}
		x := noisy(firstOf(mixtures(manyRows+100, d, 3, 0.5, 1, 11)), 20, 12)
		var whole *Model
		for _, workers := range []int{1, 3} {
			m, err := FitMinVolume(bg, x, 3, &MinVolumeOptions{NonNegative: bounded, Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			if whole != nil && (!slices.Equal(m.Centers.Data, whole.Centers.Data) || !slices.Equal(m.Memberships.Data, whole.Memberships.Data)) {
				t.Error("other bits with other workers")
			}
			whole = m
		}
		// The context ends before each pass, and within it.
		onDraw, onAll := 0, 0
		for passes := 0; ; passes += full(1, 4) + passes/8 {
			left, told := math.MaxInt, 0
			m, err := FitMinVolume(countdown{bg, &left}, x, 3, &MinVolumeOptions{NonNegative: bounded, Workers: 1, Progress: func(Iteration) {
				if told++; told == passes+1 {
					left = passes % 3 * 7
				}
			}})
			if err == nil {
				break
			}
			if m == nil || !errors.Is(err, context.Canceled) || m.Status != StatusCancelled {
				t.Fatalf("after %d passes: %v", passes, err)
			}
			if len(m.Trace) > 1 {
				onAll++
			} else {
				onDraw++
			}
			checkFeasible(t, m.Memberships)
			if got := plainObjective(x, m.Centers, m.Memberships, nil); math.Abs(got-m.Objective) > 1e-10*m.Total || m.Memberships.Rows != x.Rows {
				t.Fatalf("after %d passes: objective %g, is %g", passes, m.Objective, got)
			}
		}
		if onDraw < 3 || onAll < 1 {
			t.Errorf("%d stops on the draw, %d on all rows", onDraw, onAll)
		}
	}
}
