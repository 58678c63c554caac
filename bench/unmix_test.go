package main

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The same recipe is the same scene, to the bit; its noise has the power that it says.
func TestSimulate(t *testing.T) {
	r := sceneRecipe{side: 30, bands: 40, k: 4, decibels: 25, shade: 0.4, seed: 9}
	s, again := r.simulate(), r.simulate()
	if !mat.Equal(s.x, again.x) || !mat.Equal(s.abundances, again.abundances) || !mat.Equal(s.spectra, again.spectra) {
		t.Error("two calls differ")
	}
	r.seed++
	if mat.Equal(s.spectra, r.simulate().spectra) {
		t.Error("two seeds have the same spectra")
	}
	r.seed--
	r.decibels = math.Inf(1)
	clean := r.simulate()
	var noise mat.Dense
	noise.Sub(s.x, clean.x)
	if db := 10 * math.Log10(squares(clean.x)/squares(&noise)); math.Abs(db-25) > 0.3 {
		t.Errorf("%g dB, not 25", db)
	}
	var bright mat.Dense
	bright.Mul(clean.abundances, clean.spectra)
	pure, dark := make([]int, r.k), 0
	for i := range r.side * r.side {
		sum := 0.0
		for l, v := range clean.abundances.RawRowView(i) {
			sum += v
			if v == 1 {
				pure[l]++
			}
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Fatalf("the abundances of pixel %d add up to %g", i, sum)
		}
		if light := clean.x.At(i, 0) / bright.At(i, 0); light < r.shade || light > 1+1e-12 {
			t.Fatalf("pixel %d has a light of %g", i, light)
		} else if light < 1-1e-12 {
			dark++
		}
	}
	for l, count := range pure {
		if count == 0 {
			t.Errorf("material %d has no pure pixel", l)
		}
	}
	if n := r.side * r.side; dark < n/4 || dark > n/2 {
		t.Errorf("%d of %d pixels lie in shade", dark, n)
	}
	for _, v := range clean.spectra.RawMatrix().Data {
		if !(v >= 0.02 && v <= 0.98) {
			t.Fatalf("a reflectance of %g", v)
		}
	}
}

func TestAngles(t *testing.T) {
	for _, c := range []struct {
		u, v []float64
		want float64
	}{
		{[]float64{1, 0}, []float64{0, 3}, math.Pi / 2},
		{[]float64{1, 1}, []float64{5, 5}, 0},
		{[]float64{1, 0}, []float64{-2, 0}, math.Pi},
		{[]float64{1, 0}, []float64{2, 2}, math.Pi / 4},
		{[]float64{0, 0}, []float64{2, 2}, math.Pi / 2},
	} {
		if got := angleBetween(c.u, c.v); math.Abs(got-c.want) > 1e-7 {
			t.Errorf("%v, %v: %g, not %g", c.u, c.v, got, c.want)
		}
	}
	if got := meanRemoved([]float64{1, 2, 6}); got[0] != -2 || got[1] != -1 || got[2] != 3 {
		t.Error(got)
	}
}

// The match is the least of all permutations.
func TestBestMatch(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var least func(cost *mat.Dense, row int, taken int) float64
	least = func(cost *mat.Dense, row, taken int) float64 {
		k, _ := cost.Dims()
		if row == k {
			return 0
		}
		best := math.Inf(1)
		for j := range k {
			if taken>>j&1 == 0 {
				best = min(best, cost.At(row, j)+least(cost, row+1, taken|1<<j))
			}
		}
		return best
	}
	for k := 1; k <= 6; k++ {
		for range 20 {
			cost := table(k, k, func(_, _ int) float64 { return rng.Float64() })
			sum, seen := 0.0, map[int]bool{}
			for i, j := range bestMatch(cost) {
				sum += cost.At(i, j)
				seen[j] = true
			}
			if len(seen) != k || math.Abs(sum-least(cost, 0, 0)) > 1e-12 {
				t.Errorf("k = %d: %d columns of a cost of %g, not %g", k, len(seen), sum, least(cost, 0, 0))
			}
		}
	}
}

// The truth in another order has no error; a wrong share and shade count as they should.
func TestErrorOf(t *testing.T) {
	s := sceneRecipe{side: 12, bands: 30, k: 3, decibels: math.Inf(1), shade: 1, seed: 5}.simulate()
	n, d := s.x.Dims()
	order := []int{2, 0, 1}
	turned := func() *unmixing {
		return &unmixing{
			f: table(3, d, func(i, j int) float64 { return s.spectra.At(order[i], j) }),
			g: table(n, 3, func(i, j int) float64 { return s.abundances.At(i, order[j]) }),
		}
	}
	if e := s.errorOf(turned()); e.mrsa > 1e-5 || e.angle > 1e-5 || e.abundances > 1e-15 || e.residual > 1e-14 {
		t.Errorf("the truth: %+v", e)
	}
	u := turned()
	u.f.Scale(2, u.f)
	u.g.Scale(0.5, u.g)
	if e := s.errorOf(u); e.mrsa > 1e-5 || e.abundances > 1e-15 || e.residual > 1e-14 {
		t.Errorf("twice the spectra, half of the shares: %+v", e)
	}
	u = turned()
	for i := range n {
		copy(u.g.RawRowView(i), []float64{0, 0, 1})
	}
	want := 0.0
	for i := range n {
		for l, v := range s.abundances.RawRowView(i) {
			if l == 1 { // the last of order
				v--
			}
			want += v * v
		}
	}
	if e := s.errorOf(u); math.Abs(e.abundances-math.Sqrt(want/float64(3*n))) > 1e-12 || e.residual < 0.01 {
		t.Errorf("one material everywhere: %+v", e)
	}
	for j := range d {
		u.f.Set(0, j, s.spectra.At(2, j)+100)
	}
	if e := s.errorOf(u); e.mrsa > 1e-5 || !(e.angle > 1) {
		t.Errorf("a spectrum plus a constant: %+v", e)
	}
}

// All ways find the materials of a scene that has them as pure pixels, without noise. The
// limits leave room for the penalty: unit rows are no exact mixture of unit spectra.
func TestUnmixWays(t *testing.T) {
	s := sceneRecipe{side: 20, bands: 30, k: 3, decibels: math.Inf(1), shade: 1, seed: 5}.simulate()
	py := pythonFor(t)
	if py != nil {
		if err := py.load(s.x, s.k()); err != nil {
			t.Fatal(err)
		}
	}
	for _, way := range unmixWays {
		if way.numpy && py == nil {
			continue
		}
		u, err := way.solve(context.Background(), s, py)
		if err != nil {
			t.Fatalf("%s: %v", way.name, err)
		}
		abundances := 0.01
		if way.name == "Unmix, unit rows" { // spectra have the mean length of their rows, whatever their material's is
			abundances = 0.2
		}
		if e := s.errorOf(u); e.mrsa > 0.3 || e.abundances > abundances || e.residual > 0.005 {
			t.Errorf("%s: %+v", way.name, e)
		}
	}
}
