package proof

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/la"
	"softkmeans/internal/tables"
)

// lossOf returns the loss of a pair by eigenvalues, for centers about the mean of the rows if m's rows of
// memberships add up to 1.
func lossOf(t *testing.T, x *softkmeans.Matrix, m *softkmeans.Model, weights []float64) float64 {
	t.Helper()
	k, f := m.Centers.Rows, m.Centers.Clone()
	if m.Sum == softkmeans.SumToOne {
		o := &softkmeans.Options{Weights: weights}
		space := tables.Must(softkmeans.Principal(t.Context(), x, 0, o))(t)
		for i := range k {
			la.Axpy(f.Row(i), -1, space.Mean)
		}
	}
	if m.Volume == softkmeans.VolumeAffine {
		f = la.Product(la.Transpose(softkmeans.RegularSimplex(k)), f)
	}
	values, _, err := softkmeans.EigenSym(la.Product(f, la.Transpose(f)))
	if err != nil {
		t.Fatal(err)
	}
	loss := m.Objective
	for _, v := range values {
		loss += m.Lambda / 2 * math.Log(max(v, 0)+m.Epsilon)
	}
	return loss
}

// TestLossGap: in units of nothing, 0 without a penalty, the same for sparse rows, and about the loss that the
// fit had.
func TestLossGap(t *testing.T) {
	x := tables.CSV(t, "iris")
	m := tables.Must(softkmeans.FitMinVolume(t.Context(), x, 3, nil))(t)
	want := tables.Must(LossGap(t.Context(), x, m, nil))(t)
	if !(want > 0 && want < 0.1) {
		t.Errorf("iris: %g", want)
	}
	if got := tables.Must(LossGap(t.Context(), tables.Sparse(x), m, nil))(t); math.Abs(got-want) > 1e-9 {
		t.Errorf("sparse rows: %g, not %g", got, want)
	}
	l := tables.Must(openLoss(t.Context(), x, m, nil))(t)
	most, last := tables.Must(l.of(m))(t), lossOf(t, x, m, nil)
	shift := float64(l.terms) * m.Lambda / 2 * float64(2*l.exp) * math.Ln2 // the unit of volumes
	if got := math.Ldexp(most, 2*l.exp+l.wexp) + shift; math.Abs(got-last) > 1e-9*m.Total ||
		math.Abs(last-m.Trace[len(m.Trace)-1]) > 1e-9*m.Total {
		t.Errorf("a loss of %g, by eigenvalues %g, of the fit %g", got, last, m.Trace[len(m.Trace)-1])
	}
	for by, off := range map[float64]float64{0x1p-70: 0, 0x1p-400: 0, 0x1p400: 0, 1: 1e6} {
		far := tables.Mapped(x, func(_, _ int, v float64) float64 { return by*v + off })
		m := tables.Must(softkmeans.FitMinVolume(t.Context(), far, 3, nil))(t)
		if got := tables.Must(LossGap(t.Context(), far, m, nil))(t); math.Abs(got-want) > 1e-6 {
			t.Errorf("%g times as large, %g away: %g, not %g", by, off, got, want)
		}
	}
	plain := tables.Must(softkmeans.FitAlternating(t.Context(), x, 3, &softkmeans.MinVolumeOptions{MaxIter: 1}))(t)
	if got := tables.Must(LossGap(t.Context(), x, plain, nil))(t); math.Abs(got-plain.ExcessShare()) > 1e-12 {
		t.Errorf("without a penalty: %g, not %g", got, plain.ExcessShare())
	}
	moved := *m // the pair is judged, not the fit
	moved.Centers = tables.Mapped(m.Centers, func(_, _ int, v float64) float64 { return 1.5 * v })
	if got := tables.Must(LossGap(t.Context(), x, &moved, nil))(t); !(got > want+1e-3) {
		t.Errorf("of larger centers: %g, of these %g", got, want)
	}
	huge := *m
	huge.Lambda = math.MaxFloat64
	if got := tables.Must(LossGap(t.Context(), x, &huge, nil))(t); got != math.MaxFloat64 {
		t.Errorf("λ out of range: %g", got)
	}
	for _, objective := range []float64{math.NaN(), -1, math.MaxFloat64} {
		none, far := *m, tables.Mapped(x, func(_, _ int, v float64) float64 { return 0x1p20 * v })
		none.Objective = objective
		if got := tables.Must(LossGap(t.Context(), far, &none, nil))(t); got != math.MaxFloat64 {
			t.Errorf("an objective of %g: %g", objective, got)
		}
	}
	for _, bad := range []*softkmeans.Model{nil, {}} {
		if _, err := LossGap(t.Context(), x, bad, nil); !errors.Is(err, softkmeans.ErrShape) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	for _, y := range []softkmeans.Samples{nil, falling(30, 3, 1)} {
		for _, m := range []*softkmeans.Model{m, plain} {
			if _, err := LossGap(t.Context(), y, m, nil); !errors.Is(err, softkmeans.ErrShape) {
				t.Errorf("of other rows: %v", err)
			}
		}
	}
	for _, lambda := range []float64{-1, math.NaN(), math.Inf(1)} {
		bad := *m
		bad.Lambda = lambda
		if gap, err := LossGap(t.Context(), x, &bad, nil); !errors.Is(err, softkmeans.ErrOption) || gap != 0 {
			t.Errorf("λ = %g: %v, %v", lambda, gap, err)
		}
	}
}

// TestUnreadOptions: an option that a proof does not read is an error.
func TestUnreadOptions(t *testing.T) {
	x := falling(30, 3, 1)
	plain := tables.Must(softkmeans.FitAlternating(t.Context(), x, 3, nil))(t)
	m := tables.Must(softkmeans.FitMinVolume(t.Context(), x, 3, nil))(t)
	for _, o := range []*softkmeans.Options{{Enclosure: softkmeans.EnclosureTight}, {MostK: 3}, {Sum: 7},
		{Sum: softkmeans.SumAtMostOne}, {Orientation: softkmeans.NewMatrix(2, 2, nil)}} {
		_, err1 := LossGap(t.Context(), x, m, o)
		_, err2 := LossGap(t.Context(), x, plain, o)
		_, err3 := VolumeRatio(t.Context(), x, m, o)
		_, err4 := VolumeFloor(t.Context(), x, 3, 0, o)
		for _, err := range []error{err1, err2, err3, err4} {
			if !errors.Is(err, softkmeans.ErrOption) {
				t.Errorf("%+v: %v", o, err)
			}
		}
	}
}

// TestLossGapFar: one center at the mean, as rounded, is as far above the least as that rounding makes it.
func TestLossGapFar(t *testing.T) {
	for _, c := range []struct{ at, eps float64 }{{1e15, 1e-9}, {1e9, 0x1p-42}, {1e9, 1e-14}, {1e15, 0x1p-900}} {
		x := softkmeans.NewMatrix(3, 1, []float64{c.at, c.at + 1, c.at + 1.125})
		m := tables.Must(softkmeans.FitMinVolume(t.Context(), x, 1,
			&softkmeans.MinVolumeOptions{Lambda: 5, Epsilon: c.eps, Volume: softkmeans.VolumeOrigin}))(t)
		m.Epsilon = c.eps
		exact := func(v float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(v) }
		off, sum := exact(m.Centers.At(0, 0)), exact(0)
		for i := range 3 {
			sum.Add(sum, exact(x.At(i, 0)))
		}
		off.Sub(off, sum.Quo(sum, exact(3)))
		shift, _ := off.Float64()
		want := m.Lambda / 2 * math.Log1p(shift*shift/c.eps) / m.Total
		if got := tables.Must(LossGap(t.Context(), x, m, nil))(t); !(got >= want && got < 2*want+20) {
			t.Errorf("at %g, ε = %g: %g, the mean itself is lower by %g", c.at, c.eps, got, want)
		}
	}
}

// TestLossFloorAttained: pure rows in equal numbers, or by weight, at the corners of a regular simplex reach
// the floor, as they do in the cone of orthogonal corners.
func TestLossFloorAttained(t *testing.T) {
	for k := 2; k <= 5; k++ {
		for _, o := range []softkmeans.MinVolumeOptions{
			{Volume: softkmeans.VolumeAffine}, {Volume: softkmeans.VolumeOrigin},
			{Volume: softkmeans.VolumeOrigin, Sum: softkmeans.SumAtMostOne},
			{Volume: softkmeans.VolumeAffine, Weights: slices.Concat(slices.Repeat([]float64{1}, k),
				slices.Repeat([]float64{3}, k))},
		} {
			corners := softkmeans.RegularSimplex(k)
			if o.Sum == softkmeans.SumAtMostOne {
				corners = tables.Mapped(softkmeans.NewMatrix(k, k, nil), func(i, j int, _ float64) float64 {
					return float64(max(0, 1-max(i-j, j-i)))
				})
			}
			x := draws.Chosen(corners, slices.Concat(la.Indices(k), la.Indices(k)))
			o.Epsilon, o.Tol, o.MaxIter, o.Centers = 0.01, 1e-15, 10000, corners
			for _, share := range []float64{0.01, 0.1, 0.3} {
				o.Lambda = share * la.SumSquares(x.Data) / float64(k)
				m := tables.Must(softkmeans.FitMinVolume(t.Context(), x, k, &o))(t)
				gap := tables.Must(LossGap(t.Context(), x, m, &softkmeans.Options{Weights: o.Weights}))(t)
				if !(gap <= 1e-7) {
					t.Errorf("k = %d, %+v: a gap of %g", k, o, gap)
				}
			}
		}
	}
}

// TestLossFloorTwo: rows at −1 and 1 and centers at −s and s, where λ makes s the best: the loss is the floor,
// and rounding does not take it below.
func TestLossFloorTwo(t *testing.T) {
	for seed := range uint64(tables.Fewer(1000, 300)) {
		rng := rand.New(rand.NewPCG(seed, 62))
		x := draws.Chosen(softkmeans.NewMatrix(2, 1, []float64{-1, 1}), slices.Repeat([]int{0, 1}, 1+rng.IntN(20)))
		n, s, eps := float64(x.Rows), float64(461+rng.IntN(50))/512, decades(rng, -2, 0)
		m := &softkmeans.Model{Centers: softkmeans.NewMatrix(2, 1, []float64{-s, s}), Volume: softkmeans.VolumeAffine,
			Lambda: n * (1 - s) * (2*s*s + eps) / s, Epsilon: eps}
		m.Objective = n * (1 - s) * (1 - s) // exactly
		l := tables.Must(openLoss(t.Context(), x, m, nil))(t)
		if loss, floor := tables.Must(l.of(m))(t), l.least(); loss < floor || loss > floor+1e-9*n {
			t.Fatalf("seed %d, s = %g: a loss of %g, the floor is %g", seed, s, loss, floor)
		}
	}
}

// TestLeastTerm compares it with a fine grid.
func TestLeastTerm(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 15))
	for range tables.Fewer(2000, 100) {
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

// TestLossClaims: no pair of random tables, starts and penalties has a loss below the floor.
func TestLossClaims(t *testing.T) {
	for seed := range uint64(tables.Fewer(2000, 60)) {
		rng := rand.New(rand.NewPCG(seed, 16))
		n, d, k := 2+rng.IntN(40), 1+rng.IntN(6), 1+rng.IntN(6)
		x, far := tables.Normal(n, d, seed), decades(rng, 0, 8)
		switch rng.IntN(4) {
		case 0:
			x = la.Product(shares(n, k, .3, seed), tables.Normal(k, d, seed+1))
		case 1: // pure rows and few others
			x = tables.Mapped(x, func(i, j int, v float64) float64 { return x.At(i%k%n, j) + decades(rng, -9, -1)*v })
		case 2:
			x = tables.Mapped(x, func(_, j int, v float64) float64 { return far + v*math.Pow(0.2, float64(j)) })
		}
		m := &softkmeans.Model{Volume: softkmeans.Volume(1 + rng.IntN(2)), Sum: softkmeans.Sum(rng.IntN(2)),
			Epsilon: decades(rng, -6, 1)}
		o := &softkmeans.Options{Sum: m.Sum, Workers: 1}
		if rng.IntN(3) == 0 {
			o.Weights = make([]float64, n)
			for i := range o.Weights {
				o.Weights[i] = decades(rng, -3, 3)
			}
		}
		total := tables.Must(softkmeans.Principal(t.Context(), x, 0, o))(t).Total
		spread := math.Sqrt(total / float64(n))
		m.Lambda = total / float64(k) * decades(rng, -6, 3)
		m.Centers = softkmeans.NewMatrix(k, d, nil)
		l := tables.Must(openLoss(t.Context(), x, m, o))(t)
		floor := l.least()
		// From rows, shrunk towards the mean by chance, with the memberships and then the centers of least error.
		for range 5 {
			for j := range k {
				copy(m.Centers.Row(j), x.Row(rng.IntN(n)))
				by := spread * decades(rng, -3, 1)
				for c := range d {
					m.Centers.Row(j)[c] += by * rng.NormFloat64()
				}
			}
			for range 3 {
				m.Memberships = tables.Must(softkmeans.SimplexLeastSquares(nil, x, m.Centers, &softkmeans.Options{Sum: m.Sum}))(t)
				m.Objective = tables.Must(softkmeans.Certify(t.Context(), x, m.Centers, m.Memberships, o))(t).Objective
				if loss := tables.Must(l.of(m))(t); loss < floor {
					t.Fatalf("seed %d, k = %d, %d×%d, %+v: a loss of %g, the floor is %g", seed, k, n, d, m, loss, floor)
				}
				if f, err := softkmeans.CentersOf(t.Context(), x, m.Memberships, &softkmeans.Options{Weights: o.Weights}); err == nil {
					m.Centers = f
				}
			}
			fit, err := softkmeans.FitMinVolume(t.Context(), x, k, &softkmeans.MinVolumeOptions{Lambda: m.Lambda, Epsilon: m.Epsilon,
				Volume: m.Volume, Sum: m.Sum, Weights: o.Weights, Centers: m.Centers, MaxIter: 60, Workers: 1})
			if err != nil {
				break // k is too large for the rows
			}
			if loss := tables.Must(l.of(fit))(t); fit.Epsilon == m.Epsilon && fit.Lambda == m.Lambda && loss < floor {
				t.Fatalf("seed %d, k = %d, %d×%d, %+v: a fit's loss of %g, the floor is %g", seed, k, n, d, m, loss, floor)
			}
		}
	}
}
