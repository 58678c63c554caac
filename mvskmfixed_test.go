package softkmeans

import (
	"math"
	"math/rand/v2"
	"testing"
)

// firstRows returns a copy of the first m rows.
func firstRows(f *Matrix, m int) *Matrix { return rowsOf(f, 0, m).Clone() }

// checkFixed checks a model beside fixed centers: they are there to the bit, memberships are mixtures and those
// that Predict finds, and neither the trace nor the certificate is wrong.
func checkFixed(t *testing.T, what string, m *Model, x, fixed *Matrix) {
	t.Helper()
	if !laSameBits(firstRows(m.Centers, fixed.Rows).Data, fixed.Clone().Data) {
		t.Errorf("%s: fixed centers moved", what)
	}
	checkShares(t, m.Memberships, m.Sum)
	checkFalls(t, what, m.Trace)
	rounding := maxAbs(x) * 0x1p-52 / math.Sqrt(m.Total/float64(x.Rows)+0x1p-1000) // of free centers
	if off := maxDiff(mustDo(m.Predict(nil, x))(t), m.Memberships); off > 1e-6+rounding {
		t.Errorf("%s: memberships are %g from those of Predict", what, off)
	}
	if err := m.Check(); err != nil || !(m.Objective >= m.Floor-m.FloorError-1e-12*m.Total) {
		t.Errorf("%s: %v, objective %v, floor %v", what, err, m.Objective, m.Floor)
	}
}

// TestFixedExact: beside all prototypes of an exact mixture but one or two, which some rows are, these are
// found to 1e-8, in all units, also for n < d and beside a mean of 1e6.
func TestFixedExact(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ n, d, k, free int }{
		{60, 8, 4, 2}, {12, 40, 3, 1}, {5, 200, 3, 1}, {400, 30, 6, 2}, {30, 4, 4, 1}, {9, 2, 2, 1},
	} {
		for _, unit := range []float64{1, 1e150, 1e-150} {
			for _, mean := range []float64{0, 1e6} {
				x, f := scarce(c.n, c.d, c.k, 0, uint64(c.n))
				for i := range c.free { // pure rows
					copy(x.row(c.n/2+i), f.row(c.k-1-i))
				}
				unit := unit / (1 + mean)
				move := func(_, _ int, v float64) float64 { return unit * (v + mean) }
				x, f = mapped(x, move), mapped(f, move)
				fixed := firstRows(f, c.k-c.free)
				m := mustDo(FitMinVolume(bg, x, c.k, &MinVolumeOptions{Fixed: fixed}))(t)
				checkFixed(t, "exact", m, x, fixed)
				scale(m.Centers.Data, 1/unit)
				scale(f.Data, 1/unit)
				free := rowsOf(m.Centers, c.k-c.free, c.k) // in any order
				if d := distanceOfCenters(free, rowsOf(f, c.k-c.free, c.k)); !(d <= 1e-8*(1+mean)) {
					t.Errorf("%+v, unit %g, mean %g: %g from the prototype; λ %g", c, unit, mean, d, m.Lambda)
				}
			}
		}
	}
}

// fixedCases are tables with fixed centers: those of noisy mixtures, far outside of the plane of the rows, equal
// to each other, a single one, and all.
func fixedCases(t *testing.T) map[string]struct{ x, fixed *Matrix } {
	x, f := scarce(80, 9, 4, 0.05, 3)
	wide, g := scarce(15, 60, 4, 0.05, 4)
	tall, h := scarce(300, 40, 4, 0.02, 5)
	off := firstRows(f, 2)
	for i, v := range randomSlice(len(off.Data), rand.New(rand.NewPCG(1, 2))) {
		off.Data[i] += v
	}
	same := firstRows(f, 2)
	copy(same.row(1), same.row(0))
	far := firstRows(f, 1)
	scale(far.Data, 1e3)
	return map[string]struct{ x, fixed *Matrix }{
		"mixtures": {x, firstRows(f, 2)}, "one": {x, firstRows(f, 1)}, "all but one": {x, firstRows(f, 3)},
		"all": {x, f}, "n < d": {wide, firstRows(g, 2)}, "all, n < d": {wide, g}, "narrow first": {tall, firstRows(h, 3)},
		"outside": {x, off}, "equal": {x, same}, "far": {x, far},
	}
}

// TestFixed: fits beside fixed centers keep them and end where the gradient in the free ones is 0, also with
// weights, bounds, another sum and volume, and in other units. The bits depend on neither workers nor the unit.
func TestFixed(t *testing.T) {
	t.Parallel()
	for name, c := range fixedCases(t) {
		n, k := c.x.Rows, 4
		for i, o := range []MinVolumeOptions{
			{}, {Weights: fifths(n)}, {NonNegative: true}, {Sum: SumAtMostOne}, {Volume: VolumeOrigin, Lambda: 1},
			{Restarts: 3, Seed: 5}, {Slack: 0.01, Epsilon: 0.1}, {Plain: true, Lambda: 0.1},
		} {
			if name == "outside" && o.NonNegative {
				continue
			}
			o.Fixed, o.Workers, o.Tol, o.MaxIter = c.fixed, 1, 1e-8, 20000
			m := mustDo(FitMinVolume(bg, c.x, k, &o))(t)
			checkFixed(t, name, m, c.x, c.fixed)
			if m.Status != StatusConverged || !(m.Stationarity <= 0.01) {
				t.Errorf("%s, %d: %v, stationarity %g", name, i, m.Status, m.Stationarity)
			}
			affine := m.Volume == VolumeAffine || m.Lambda == 0
			if affine && m.Sum == SumToOne && !o.NonNegative {
				if slope := slopeOf(t, c.x, o.Weights, m, c.fixed.Rows); !(slope <= 0.01) {
					t.Errorf("%s, %d: the gradient is %g", name, i, slope)
				}
			}
			if c.fixed.Rows == k && (m.Lambda != o.Lambda || m.Iterations != 0 || len(m.Trace) != 1) {
				t.Errorf("%s, %d: λ %g after %d iterations", name, i, m.Lambda, m.Iterations)
			}
			for _, unit := range []float64{1, 0x1p480, 0x1p-480}[i%3 : i%3+1] {
				p := o
				p.Workers, p.Fixed = 3, mapped(c.fixed, func(_, _ int, v float64) float64 { return v * unit })
				p.Lambda *= unit * unit
				p.Epsilon *= unit * unit
				if p.Lambda != 0 && !isFinite(1/p.Lambda) || !isFinite(p.Lambda) || unit != 1 && p.Epsilon > 0 {
					continue
				}
				y := mapped(c.x, func(_, _ int, v float64) float64 { return v * unit })
				other := mustDo(FitMinVolume(bg, y, k, &p))(t)
				scale(other.Centers.Data, 1/unit)
				if !laSameBits(other.Centers.Data, m.Centers.Data) ||
					!laSameBits(other.Memberships.Data, m.Memberships.Data) {
					t.Errorf("%s, %d: other bits with three workers, unit %g", name, i, unit)
				}
			}
		}
		o := MinVolumeOptions{Fixed: c.fixed, Tol: 1e-8, MaxIter: 5000}
		m := mustDo(FitAlternating(bg, c.x, k, &o))(t)
		checkFixed(t, name, m, c.x, c.fixed)
		if !(m.Stationarity <= 0.01) {
			t.Errorf("%s, alternating: %v, stationarity %g", name, m.Status, m.Stationarity)
		}
	}
}

// TestFixedSlack: beside m fixed centers of k the error ends (1−m/k)·Slack of the floor above the least one that is
// reached beside them, also if they are far from the plane of the rows and that is many floors.
func TestFixedSlack(t *testing.T) {
	t.Parallel()
	x, f := scarce(400, 12, 4, 0.02, 6)
	off := firstRows(f, 2)
	for i, v := range randomSlice(len(off.Data), rand.New(rand.NewPCG(1, 2))) {
		off.Data[i] += 0.3 * v
	}
	for _, fixed := range []*Matrix{firstRows(f, 1), firstRows(f, 2), firstRows(f, 3), off} {
		least := mustDo(FitMinVolume(bg, x, 4, &MinVolumeOptions{Fixed: fixed, Lambda: 1e-9}))(t)
		for _, slack := range []float64{0.05, 0.25, 1} {
			m := mustDo(FitMinVolume(bg, x, 4, &MinVolumeOptions{Fixed: fixed, Slack: slack}))(t)
			allowed := slack * float64(4-fixed.Rows) / 4 * m.Floor
			// The least error is found to 0.5 % of it, and λ to 1 % of the slack.
			if over := m.Objective - least.Objective; math.Abs(over-allowed) > 0.01*allowed+0.005*least.Objective {
				t.Errorf("%d fixed, slack %v: %.4g above the least, %.4g, and allowed %.4g; floor %.4g, %v",
					fixed.Rows, slack, over, least.Objective, allowed, m.Floor, m.Warnings)
			}
		}
	}
}

// TestFixedEdges: no fixed center is none given; a single center may be fixed; rows without variance, of a mean of
// 1e15 and of weight 0 change nothing else; sparse rows are those with all zeros.
func TestFixedEdges(t *testing.T) {
	t.Parallel()
	x, f := scarce(50, 7, 3, 0.05, 8)
	want := mustDo(FitMinVolume(bg, x, 3, nil))(t)
	got := mustDo(FitMinVolume(bg, x, 3, &MinVolumeOptions{Fixed: NewMatrix(0, 7, nil)}))(t)
	if !laSameBits(got.Centers.Data, want.Centers.Data) {
		t.Error("no fixed centers: other bits")
	}
	one := firstRows(f, 1)
	m := mustDo(FitMinVolume(bg, x, 1, &MinVolumeOptions{Fixed: one}))(t)
	checkFixed(t, "k = 1", m, x, one)
	all := mustDo(FitMinVolume(bg, x, 3, &MinVolumeOptions{Fixed: f, Slack: 0.1}))(t)
	checkFixed(t, "all fixed", all, x, f)
	if all.Slack != 0 || all.Lambda != 0 {
		t.Errorf("all fixed: slack %v, λ %v", all.Slack, all.Lambda)
	}
	flat := mapped(x, func(_, j int, _ float64) float64 { return float64(j) })
	for _, k := range []int{2, 3} {
		m := mustDo(FitMinVolume(bg, flat, k, &MinVolumeOptions{Fixed: one}))(t)
		checkFixed(t, "one point", m, flat, one)
		if !(m.Objective <= 1e-12*sumSquares(flat.Data)) {
			t.Errorf("one point: k = %d leaves %v", k, m.Objective)
		}
	}
	high := func(_, _ int, v float64) float64 { return v*64 + 1e15 }
	y, g := mapped(x, high), mapped(firstRows(f, 2), high)
	checkFixed(t, "mean 1e15", mustDo(FitMinVolume(bg, y, 3, &MinVolumeOptions{Fixed: g}))(t), y, g)

	w := make1(60)
	more := NewMatrix(60, 7, nil) // ten rows of weight 0, far out
	copyRows(more, x)
	for i := 50; i < 60; i++ {
		more.row(i)[i%7], w[i] = 1e3, 0
	}
	o := MinVolumeOptions{Fixed: firstRows(f, 2), Tol: 1e-8}
	want = mustDo(FitMinVolume(bg, x, 3, &o))(t)
	o.Weights = w
	got = mustDo(FitMinVolume(bg, more, 3, &o))(t)
	if off := maxDiff(got.Centers, want.Centers); off > 1e-6 {
		t.Errorf("rows of weight 0 move centers by %g", off)
	}

	table := words(200, 80, 4, 15, 21)
	o = MinVolumeOptions{Fixed: chosenRows(table, []int{3, 7}), Tol: 1e-8}
	o.Fixed.Data[1] += 0.5 // outside of the rows' span or not
	want = mustDo(FitMinVolume(bg, table, 4, &o))(t)
	got = mustDo(FitMinVolume(bg, sparseOf(table), 4, &o))(t)
	checkFixed(t, "sparse", got, table, o.Fixed)
	nearModel(t, "sparse", got, want, 1e-7)
	again := o // Centers that begin with Fixed are the start
	again.Centers = want.Centers
	checkFixed(t, "centers", mustDo(FitMinVolume(bg, table, 4, &again))(t), table, o.Fixed)
}
