package softkmeans

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestPenaltyUnits: the trace ends at the paper's objective, computed from the
// model's own fields in the units of the data.
func TestPenaltyUnits(t *testing.T) {
	for _, unit := range []float64{1, 1e3, 1e-4} {
		for _, sum := range []Sum{SumToOne, SumAtMostOne} {
			x := mapped(loadCSV(t, "iris"), func(_, _ int, v float64) float64 { return v * unit })
			m := mustDo(FitMinVolume(bg, x, 3, &MinVolumeOptions{Lambda: 30 * unit * unit,
				Epsilon: 0.5 * unit * unit, Volume: VolumeOrigin, Sum: sum}))(t)
			f := m.Centers.Clone()
			if sum == SumToOne {
				mean := make([]float64, x.Cols)
				for i := range x.Rows {
					axpy(mean, 1/float64(x.Rows), x.row(i))
				}
				for a := range f.Rows {
					axpy(f.row(a), -1, mean)
				}
			}
			_, s, _, err := SVD(f)
			if err != nil {
				t.Fatal(err)
			}
			want := plainObjective(x, m.Centers, m.Memberships, nil)
			for _, v := range s {
				want += m.Lambda / 2 * math.Log(v*v+m.Epsilon)
			}
			if got := m.Trace[len(m.Trace)-1]; math.Abs(got-want) > 1e-10*math.Abs(want) ||
				math.Abs(m.Lambda/unit/unit-30) > 1e-12 || math.Abs(m.Epsilon/unit/unit-0.5) > 1e-12 {
				t.Errorf("unit %g %v: trace ends at %g, want %g; λ %g, ε %g", unit, sum,
					got, want, m.Lambda, m.Epsilon)
			}
		}
	}
}

// TestUnits: scale, units and origin of the data do not matter, whether or not the columns have one scale.
// Rounding errors of the data grow by the condition of the problem only, not with the number of iterations.
func TestUnits(t *testing.T) {
	t.Parallel()
	for _, name := range fewer([]string{"iris", "wine", "breast_cancer"}, []string{"iris"}) {
		for _, k := range fewer([]int{3, 5}, []int{3}) {
			for _, x := range []*Matrix{loadCSV(t, name), standardized(loadCSV(t, name))} {
				o := &MinVolumeOptions{MaxIter: fewer(fewer(100, 40), 30)}
				want := mustDo(FitMinVolume(bg, x, k, o))(t)
				for _, c := range []struct{ a, t, tol float64 }{{1024, 0, 0}, {0x1p-300, 0, 0},
					{-3.7, 0, 1e-8}, {3.7, 11, 1e-8}, {7e146, 0, 1e-8}, {1e-150, 0, 1e-8}, {0.01, -3, 1e-8}} {
					got := mustDo(FitMinVolume(bg, mapped(x,
						func(_, j int, v float64) float64 { return c.a*v + c.t*float64(j) }), k, o))(t)
					if d := maxDiff(got.Memberships, want.Memberships); d > c.tol {
						t.Errorf("%s k %d: %g·x + %g·j changes memberships by %g", name, k, c.a, c.t, d)
					}
					if r := got.Lambda / want.Lambda / c.a / c.a; math.Abs(r-1) > 1e-8 {
						t.Errorf("%s k %d: %g·x + %g·j changes λ by a factor of %g over a²", name, k, c.a,
							c.t, r)
					}
				}
			}
		}
	}
}

// TestVolumeDefaults: what options become, on data that is exact, noisy or has a trivial floor.
func TestVolumeDefaults(t *testing.T) {
	exact, _ := mixtures(30, 6, 3, 0.5, 2, 1)
	noise := randomData(30, 6, 0, 1)
	few := rowsOf(noise, 0, 3)
	centers := rowsOf(noise, 0, 3)
	for _, c := range []struct {
		x         *Matrix
		k         int
		o         MinVolumeOptions
		init      Init
		volume    Volume
		restarts  int
		trivially bool
		r         int // columns of z
	}{
		{exact, 3, MinVolumeOptions{}, InitSPA, VolumeAffine, 1, false, 2},
		{exact, 3, MinVolumeOptions{Init: InitKMeans, Volume: VolumeOrigin, Restarts: 3},
			InitKMeans, VolumeOrigin, 3, false, 2},
		{noise, 3, MinVolumeOptions{}, InitKMeans, VolumeOrigin, 1, false, 6},
		{noise, 3, MinVolumeOptions{Restarts: 4, Init: InitKMeans, Volume: VolumeAffine},
			InitKMeans, VolumeAffine, 4, false, 6},
		{noise, 3, MinVolumeOptions{Restarts: 4, Init: InitSPA}, InitSPA, VolumeOrigin, 4, false, 6},
		{noise, 3, MinVolumeOptions{Restarts: 4, Init: InitGlobal}, InitGlobal, VolumeOrigin, 1, false, 6},
		{noise, 3, MinVolumeOptions{Restarts: 4, Centers: centers}, InitKMeans, VolumeOrigin, 1, false, 6},
		{noise, 7, MinVolumeOptions{}, InitKMeans, VolumeOrigin, 1, true, 6},
		{noise, 6, MinVolumeOptions{Sum: SumAtMostOne}, InitKMeans, VolumeOrigin, 1, true, 6},
		{noise, 5, MinVolumeOptions{Sum: SumAtMostOne}, InitKMeans, VolumeOrigin, 1, false, 6},
		{few, 3, MinVolumeOptions{}, InitKMeans, VolumeOrigin, 1, true, 2},
		{few, 2, MinVolumeOptions{}, InitKMeans, VolumeOrigin, 1, false, 2},
	} {
		vf := mustDo(openMinVolume(bg, c.x, c.k, &c.o, true))(t)
		o := vf.o
		if o.Init != c.init || o.Volume != c.volume || o.Restarts != c.restarts ||
			vf.trivial() != c.trivially || vf.z.Cols != c.r ||
			(vf.contrasts != nil) != (c.volume == VolumeAffine) {
			t.Errorf("%s, k = %d, %+v: %v, %v, %d restarts, trivial: %t, %d columns",
				shape(c.x.Rows, c.x.Cols), c.k, c.o, o.Init, o.Volume, o.Restarts, vf.trivial(), vf.z.Cols)
		}
		if o.MaxIter != 1000 || o.Tol != 1e-5 || o.Slack != .25 {
			t.Errorf("%d iterations, tolerance %g, slack %g", o.MaxIter, o.Tol, o.Slack)
		}
		// Coordinates keep lengths and inner products, and centers come back from them.
		xc := NewMatrix(c.x.Rows, c.x.Cols, nil)
		vf.s.pack(xc.Data, 0, c.x.Rows, false)
		if off := maxDiff(product(vf.z, vf.z.transposed()), product(xc, xc.transposed())); off > 1e-12 {
			t.Errorf("coordinates change inner products by %g", off)
		}
		if wide := vf.fromData(mapped(NewMatrix(c.k, c.x.Cols, nil),
			func(i, j int, _ float64) float64 { return c.x.At(i%3, j) })); maxDiff(wide,
			mapped(wide, func(i, j int, _ float64) float64 { return vf.z.At(i%3, j) })) > 1e-13 {
			t.Error("centers at samples are not at their coordinates")
		} else if back := vf.toData(wide); maxDiff(back,
			mapped(back, func(i, j int, _ float64) float64 { return c.x.At(i%3, j) })) > 1e-12 {
			t.Error("centers do not come back")
		}
		// The leading coordinates, by the axes, are those of the principal subspace.
		w, axes := vf.principalRows()
		want := product(product(xc, vf.pc.basis.transposed()), vf.pc.basis)
		at := product(w, axes)
		if vf.axes != nil {
			at = product(at, vf.axes)
		}
		if off := maxDiff(at, want); off > 1e-12 {
			t.Errorf("the leading coordinates are %g off", off)
		}
		if w, want := math.Sqrt(vf.pc.total/float64(c.x.Rows)), vf.spread(); math.Abs(w-want) > 1e-14*want {
			t.Errorf("spread %g, want %g", want, w)
		}
	}
	vf, err := openMinVolume(bg, noise, 3, &MinVolumeOptions{Restarts: 2, MaxIter: 7, Tol: .5, Slack: 3,
		Weights: mapped(NewMatrix(1, 30, nil), func(_, _ int, _ float64) float64 { return 8 }).Data}, true)
	if o := vf.o; err != nil || o.Restarts != 2 || o.MaxIter != 7 || o.Tol != .5 ||
		o.Slack != 3 || vf.perWeight(30) != 2 {
		t.Errorf("%+v, %v", o, err)
	}
}

// TestVolumeUnits: λ, ε and the penalty between the data's units and those of the loop, with their bounds.
func TestVolumeUnits(t *testing.T) {
	vf := tenOf()
	vf.s.units = units{exp: 3, wexp: 2}
	vf.s.weights = []float64{4, 4}
	vf.s.n = 2 // each scaled to 1
	for lambda, want := range map[float64]float64{0: 0, 1: 0x1p-8, 0x1p208: 0x1p200,
		0x1p207: 0x1p199, 0x1p300: 0x1p200} {
		if got := vf.scaledLambda(lambda); got != want {
			t.Errorf("λ %g becomes %g, want %g", lambda, got, want)
		}
	}
	if got, want := vf.dataPenalty(5), 5+4*6*math.Ln2; math.Abs(got-want) > 1e-14 {
		t.Errorf("penalty %g, want %g", got, want)
	}
	vf.contrasts = RegularSimplex(4)
	if got, want := vf.dataPenalty(5), 5+3*6*math.Ln2; math.Abs(got-want) > 1e-14 {
		t.Errorf("penalty %g, want %g", got, want)
	}
	for _, c := range []struct{ epsilon, floor, total, want float64 }{
		{0, 10, 100, 5}, {64, 10, 100, 1}, {1e-300, 10, 100, 0x1p-40 * 50}, {0x1p450, 10, 100, 0x1p400},
		{1e-300, 0, 0x1p-200, 0x1p-160},
	} {
		vf.o.Epsilon, vf.pc.floor, vf.pc.total = c.epsilon, c.floor, c.total
		vf.s.n, vf.s.d, vf.s.centred, vf.o.Sum = 2, 10, false, SumAtMostOne
		vf.k = 1
		if vf.setEpsilon(); vf.eps != c.want {
			t.Errorf("ε %g, floor %g of %g: %g, want %g", c.epsilon, c.floor, c.total, vf.eps, c.want)
		}
	}
	// Centers are kept where squares are finite.
	vf, err := openMinVolume(bg, NewMatrix(3, 1, []float64{-1, 0, 1}), 2, &MinVolumeOptions{}, true)
	if err != nil {
		t.Fatal(err)
	}
	if f := vf.fromData(NewMatrix(2, 1, []float64{0x1p300, -0x1p300})); math.Abs(f.At(0, 0)) != 0x1p200 ||
		f.At(0, 0) != -f.At(1, 0) {
		t.Errorf("centers %g", f.Data)
	}
	vf.s.exp = 400
	if f := vf.toData(NewMatrix(2, 1, []float64{0x1p200, -0x1p200})); math.Abs(f.At(0, 0)) != mostCenter ||
		f.At(0, 0) != -f.At(1, 0) {
		t.Errorf("centers %g", f.Data)
	}
}

// TestRunTold: what a run tells of each iterate is that iterate in the data's units, and
// the restart that is kept is the best.
func TestRunTold(t *testing.T) {
	x := mapped(randomData(40, 3, 1, 2), func(_, _ int, v float64) float64 { return 16 * v })
	for seed, lambda := range []float64{0, 40, 0, 40, 20} {
		var told []Iteration
		vf := mustDo(openMinVolume(bg, x, 3, &MinVolumeOptions{Restarts: 4, MaxIter: 6, Seed: uint64(seed),
			Progress: func(it Iteration) { told = append(told, it) }}, true))(t)
		scaled := vf.scaledLambda(lambda)
		best, from, err := vf.runStarts(scaled)
		if err != nil || best.lambda != scaled {
			t.Fatal(best, err)
		}
		least, at, next := math.Inf(1), 0, 0
		last := map[int]Iteration{}
		for _, it := range told {
			if it.Iteration != 0 {
				next++
			} else {
				next = 0
			}
			if it.Iteration != next || it.Lambda != lambda || it.Floor != vf.s.unscaleSquare(vf.pc.floor) ||
				(it.Penalty != 0) != (lambda > 0) {
				t.Errorf("λ %g: %+v", lambda, it)
			}
			if math.Abs(it.Loss-it.Objective-lambda/2*it.Penalty) > 1e-12*(math.Abs(it.Loss)+it.Objective) {
				t.Errorf("λ %g: loss %g", lambda, it.Loss)
			}
			last[it.Restart] = it
		}
		for r := range 4 {
			if it, ok := last[r]; !ok {
				t.Errorf("no restart %d", r)
			} else if it.Loss < least {
				least, at = it.Loss, r
			}
		}
		if best.trace[len(best.trace)-1] != least || best.restart != at ||
			len(best.trace) != best.iterations+1 {
			t.Errorf("λ %g: restart %d with %g is kept, best are %d, %g", lambda, best.restart,
				best.trace[len(best.trace)-1], at, least)
		}
		if want, err := vf.startCenters(at); err != nil || maxDiff(from.f, want.f) != 0 {
			t.Errorf("λ %g: not the start of restart %d, %v", lambda, at, err)
		}
		m := mustDo(best.finish(nil))(t)
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Abs(b) }
		if !near(m.Objective, last[at].Objective) || !near(m.Gap, (m.Objective-m.Floor)/m.Total) ||
			m.Lambda != lambda || (m.Epsilon != 0) != (lambda > 0) ||
			(m.Volume == VolumeAuto) != (lambda == 0) || m.Iterations != best.iterations ||
			m.Status != best.status || m.Floor != last[at].Floor ||
			m.FloorError <= 0 || m.Solver != vf.pc.solver {
			t.Errorf("λ %g: %+v", lambda, m)
		}
		if lambda > 0 && m.Epsilon != math.Ldexp(vf.eps, 2*vf.s.exp) {
			t.Errorf("ε %g", m.Epsilon)
		}
		stopped := errors.New("stopped")
		if m, err := best.finish(stopped); m == nil || m.Status != StatusCancelled || err != stopped {
			t.Errorf("%+v, %v", m, err)
		}
		if m, err := (*volumeRun)(nil).finish(stopped); m != nil || err != stopped {
			t.Errorf("%+v, %v", m, err)
		}
	}
}

// TestNarrow: in leading directions centers have the objective, the penalty and the
// memberships that they have in all columns. The fit goes on there: the loss does not rise,
// and at its end it is stationary in all columns.
func TestNarrow(t *testing.T) {
	for _, c := range []struct{ n, d, k int }{{120, 60, 3}, {40, 300, 3}, {90, 40, 5}} {
		for _, sum := range []Sum{SumToOne, SumAtMostOne} {
			clean, _ := mixtures(c.n, c.d, c.k, 0.5, 1, uint64(c.d))
			x := noisy(clean, 15, 2)
			weights := inTurn(c.n, 0, 0.5, 1, 1.5)
			o := &MinVolumeOptions{Sum: sum, Weights: weights, Workers: 1}
			vf := mustDo(openMinVolume(bg, x, c.k, o, true))(t)
			if !vf.narrow || vf.z.Cols != narrowColumns(c.k) {
				t.Fatalf("%v: %d columns", c, vf.z.Cols)
			}
			at := vf.newIterate()
			copy(at.f.Data, mustDo(vf.startCenters(0))(t).f.Data)
			must(t, vf.pass(at, nil))
			f, data := vf.lift(at.f), vf.toData(at.f)
			vf = mustDo(vf.end())(t)
			wide := vf.newIterate()
			copy(wide.f.Data, f.Data)
			must(t, vf.pass(wide, nil))
			if off := math.Abs(wide.objective - at.objective); off > 1e-13*vf.pc.total ||
				math.Abs(wide.penalty-at.penalty) > 1e-10 || maxDiff(wide.g, at.g) > 1e-9 {
				t.Errorf("%v, %v: the objective is off by %g, the penalty by %g, memberships by %g", c, sum,
					off, wide.penalty-at.penalty, maxDiff(wide.g, at.g))
			}
			if off := maxDiff(data, vf.toData(f)); off > 1e-12*maxAbs(data) {
				t.Errorf("%v, %v: lifted centers are off by %g", c, sum, off)
			}
			m := mustDo(FitMinVolume(bg, x, c.k, o))(t)
			if m.Objective > (1+1e-9)*1.25*m.Floor || m.Objective < 1.24*m.Floor || m.Stationarity > 0.2 ||
				len(m.Trace) != m.Iterations+1 {
				t.Errorf("%v, %v: %g floors, stationarity %g, %d iterations, trace of %d", c, sum,
					m.Objective/m.Floor, m.Stationarity, m.Iterations, len(m.Trace))
			}
			if i := slices.IndexFunc(m.Trace[1:], func(v float64) bool { return v > m.Trace[0] }); i >= 0 ||
				!slices.IsSortedFunc(m.Trace, func(a, b float64) int { return cmp.Compare(b, a) }) {
				t.Errorf("%v, %v: the trace rises: %g", c, sum, m.Trace)
			}
			// At the λ found, from the same start, all in all columns.
			o.Lambda, o.Epsilon, o.Centers = m.Lambda, m.Epsilon, m.Centers
			again := mustDo(FitMinVolume(bg, x, c.k, o))(t)
			last, end := m.Trace[len(m.Trace)-1], again.Trace[len(again.Trace)-1]
			if math.Abs(end-last) > 1e-4*m.Objective {
				t.Errorf("%v, %v: the loss %g becomes %g", c, sum, last, end)
			}
		}
	}
}

// TestFollow: a trace that goes on does not rise, and its last is the later run's loss.
func TestFollow(t *testing.T) {
	for _, c := range []struct{ earlier, later, want []float64 }{
		{[]float64{9, 7, 5}, []float64{5, 4, 3}, []float64{9, 7, 5, 4, 3}},
		{[]float64{9, 7, 5}, []float64{6, 5.5, 5.4}, []float64{6, 5.5, 5.4}}, // the bounds cost something
		{[]float64{9, 7, 5}, []float64{6}, []float64{6}},
		{[]float64{9, 7, 5}, []float64{5}, []float64{9, 7, 5}},
		{[]float64{9, 5, 5}, []float64{5 + 1e-12}, []float64{9, 5 + 1e-12, 5 + 1e-12}}, // rounding
		{[]float64{9, 7, 5}, []float64{5 + 2e-12, 5 + 1e-12, 4}, []float64{9, 7, 5 + 2e-12, 5 + 1e-12, 4}},
		{[]float64{9, 5, 5}, []float64{5 + 2e-12, 5 + 1e-12, 4},
			[]float64{9, 5 + 2e-12, 5 + 2e-12, 5 + 1e-12, 4}},
	} {
		r := &volumeRun{trace: c.later}
		if r.follow(&volumeRun{trace: c.earlier}); !slices.Equal(r.trace, c.want) ||
			r.iterations != len(c.want)-1 {
			t.Errorf("%v after %v: %v, %d iterations", c.later, c.earlier, r.trace, r.iterations)
		}
	}
}

// TestLossFloorAttained: pure rows in equal numbers, or by weight, at the corners of a regular simplex reach
// the floor, as they do in the cone of orthogonal corners.
func TestLossFloorAttained(t *testing.T) {
	for k := 2; k <= 5; k++ {
		for _, o := range []MinVolumeOptions{{Volume: VolumeAffine}, {Volume: VolumeOrigin},
			{Volume: VolumeOrigin, Sum: SumAtMostOne}, {Volume: VolumeAffine, Weights: []float64{1, 3}}} {
			corners := identity(k)
			if o.Sum == SumToOne {
				corners = RegularSimplex(k)
			}
			x := stacked(corners, corners)
			if o.Weights != nil { // the second copy counts three times
				o.Weights = slices.Concat(slices.Repeat([]float64{1}, k), slices.Repeat([]float64{3}, k))
			}
			o.Epsilon, o.Tol = 0.01, 1e-15
			for _, share := range []float64{0.01, 0.1, 0.3} {
				m, _ := started(t, x, k, &o)
				lambda := share * m.pc.total / float64(k)
				m.most = 10000
				from := runStart{m.fromData(corners), 0}
				loss, floor := m.run(from, lambda, m.most, nil).lossAt(lambda), m.lossFloor(lambda)
				if !(math.Abs(loss-floor) <= 1e-7*m.pc.total) {
					t.Errorf("k = %d, %+v, λ of %g: loss %.9g, floor %.9g", k, o, share, loss, floor)
				}
			}
		}
	}
}

// TestLeastTerm compares it with a fine grid.
func TestLeastTerm(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 15))
	for range fewer(2000, 100) {
		sigma, half := decades(rng, -2, 2), decades(rng, -3, 3)
		eps, nu := decades(rng, -4, 2), decades(rng, -3, 3)
		got, x := leastTerm(sigma*sigma, half, eps, nu)
		best, at := sigma*sigma+half*math.Log(eps), 0.0
		for r := 1e-6 * min(nu, eps); r < 1e6*(nu+eps+sigma*sigma); r *= 1.002 {
			s := sigma * r / (r + nu)
			if v := (sigma-s)*(sigma-s) + half*math.Log(r+eps) + nu*s*s/r; v < best {
				best, at = v, s*s/r
			}
		}
		off := sigma*sigma + half
		if got > best+1e-13*off || got < best-1e-5*off || math.Abs(x-at) > 1e-2*at+1e-5*sigma*sigma/nu {
			t.Fatalf("σ %g, λ/2 %g, ε %g, ν %g: %.12g at %g, the grid has %.12g at %g", sigma, half,
				eps, nu, got, x, best, at)
		}
	}
}

// TestLossGap: it is in units of nothing, and 0 without a penalty. Sparse rows have that of dense ones.
func TestLossGap(t *testing.T) {
	x := loadCSV(t, "iris")
	want := mustDo(FitMinVolume(bg, x, 3, nil))(t)
	far := mapped(x, func(_, _ int, v float64) float64 { return math.Ldexp(v, -70) })
	if got := mustDo(FitMinVolume(bg, far, 3, nil))(t).LossGap; !(want.LossGap > 0 && want.LossGap < 0.1) ||
		math.Abs(got-want.LossGap) > 1e-9 {
		t.Errorf("iris: %g, and %g of smaller units", want.LossGap, got)
	}
	if got := mustDo(FitAlternating(bg, x, 3, nil))(t).LossGap; got != 0 {
		t.Errorf("without a penalty: %g", got)
	}
}
