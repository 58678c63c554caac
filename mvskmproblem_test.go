package softkmeans

import (
	"cmp"
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

// TestRunTold: what is told of each iterate is of that iterate, in the data's units, and the restart that is
// kept is the best.
func TestRunTold(t *testing.T) {
	x := mapped(randomData(40, 3, 1, 2), func(_, _ int, v float64) float64 { return 16 * v })
	for seed, lambda := range []float64{0, 40, 0, 40, 20} {
		last, next := map[int]Iteration{}, 0
		o := &MinVolumeOptions{Restarts: 4, MaxIter: 6, Seed: uint64(seed), Lambda: lambda}
		o.Progress = func(it Iteration) {
			if it.Iteration == 0 {
				next = 0
			}
			if it.Iteration != next || it.Lambda != lambda || (it.Penalty != 0) != (lambda > 0) || it.Pass != 0 ||
				math.Abs(it.Loss-it.Objective-lambda/2*it.Penalty) > 1e-12*(math.Abs(it.Loss)+it.Objective) {
				t.Errorf("λ %g: %+v, want iteration %d", lambda, it, next)
			}
			next++
			last[it.Restart] = it
		}
		fit := FitAlternating
		if lambda > 0 {
			fit = FitMinVolume
		}
		m := mustDo(fit(bg, x, 3, o))(t)
		least := last[0]
		for _, it := range last {
			if it.Loss < least.Loss {
				least = it
			}
		}
		if len(last) != 4 || m.Trace[len(m.Trace)-1] != least.Loss || m.Iterations != least.Iteration ||
			math.Abs(m.Objective-least.Objective) > 1e-12*m.Objective || m.Floor != least.Floor ||
			m.Lambda != lambda || (m.Epsilon != 0) != (lambda > 0) || len(m.Trace) != m.Iterations+1 {
			t.Errorf("λ %g: of %+v this is kept: %+v", lambda, last, m)
		}
	}
}

// TestNarrow: of a fit that begins in leading directions the loss does not rise, and at its end it is
// stationary in all columns.
func TestNarrow(t *testing.T) {
	for _, c := range []struct{ n, d, k int }{{120, 60, 3}, {40, 300, 3}, {90, 40, 5}} {
		for _, sum := range []Sum{SumToOne, SumAtMostOne} {
			clean, _ := mixtures(c.n, c.d, c.k, 0.5, 1, uint64(c.d))
			x := noisy(clean, 15, 2)
			weights := inTurn(c.n, 0, 0.5, 1, 1.5)
			o := &MinVolumeOptions{Sum: sum, Weights: weights, Workers: 1}
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
