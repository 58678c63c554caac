package softkmeans

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// slowProjection subtracts the τ with Σmax(v−τ, 0) = 1, by bisection in math/big.
func slowProjection(v []float64) []float64 {
	const p = digits(400)
	hi := p.num(slices.Max(v))
	lo := p.sub(hi, p.num(1))
	for range 130 { // what is left between them is 2^-130
		mid, sum := p.times(p.add(lo, hi), -1), p.num(-1)
		for _, x := range v {
			if d := p.sub(p.num(x), mid); d.Sign() > 0 {
				sum.Add(sum, d)
			}
		}
		if sum.Sign() > 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = max(double(p.sub(p.num(x), hi)), 0)
	}
	return out
}

func TestProjectSimplex(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	for _, n := range []int{1, 2, 3, 31, 32, 33, 34, 100} {
		for _, spread := range []float64{1e-3, 0.1, 1, 1e3, 1e30} {
			v := make([]float64, n)
			for i := range v {
				v[i] = spread * rng.NormFloat64()
				if rng.IntN(3) == 0 { // ties
					v[i] = math.Round(v[i])
				}
			}
			got, want := ProjectSimplex(nil, v), slowProjection(v)
			// The data's own rounding, and the sum's.
			tol := 4 * 0x1p-52 * (1 + min(spread*10, 1e3)) * math.Sqrt(float64(n))
			for i := range got {
				if math.Abs(got[i]-want[i]) > tol || !(got[i] >= 0) {
					t.Fatalf("n=%d spread=%g: entry %d is %g, want %g", n, spread, i, got[i], want[i])
				}
			}
			if sum := sumOf(got); math.Abs(sum-1) > 4*0x1p-53 {
				t.Errorf("n=%d spread=%g: the sum is off by %g", n, spread, sum-1)
			}
		}
	}
	for _, c := range []struct{ v, want []float64 }{
		{[]float64{-math.MaxFloat64, math.MaxFloat64}, []float64{0, 1}}, {[]float64{math.MaxFloat64,
			math.MaxFloat64}, []float64{0.5, 0.5}},
		{[]float64{0.25, 0.75, 0}, []float64{0.25, 0.75, 0}}, // a point of the simplex
		{nil, nil}, {[]float64{1, math.NaN(), 2}, nans(3)}, {[]float64{1, math.Inf(1)}, nans(2)},
		{[]float64{1, math.Inf(-1)}, nans(2)},
	} {
		before, dst := slices.Clone(c.v), nans(len(c.v))
		for _, to := range [][]float64{nil, dst, c.v} { // the last overwrites
			got := ProjectSimplex(to, c.v)
			if fmt.Sprint(got) != fmt.Sprint(c.want) || to != nil && fmt.Sprint(to) != fmt.Sprint(c.want) {
				t.Errorf("%v: %v, want %v", before, got, c.want)
			}
		}
	}
	mustPanicWith(t, "dst has length 2, v has 1", func() { ProjectSimplex(make([]float64, 2), []float64{1}) })
}

func FuzzProjectSimplex(f *testing.F) {
	f.Add(uint64(1), 3, 0)
	f.Add(uint64(2), 50, 900)
	f.Fuzz(func(t *testing.T, seed uint64, n, exp int) {
		rng := rand.New(rand.NewPCG(seed, 3))
		v := make([]float64, 1+abs(n)%80)
		for i := range v {
			v[i] = math.Ldexp(float64(rng.IntN(9)-4), exp%1000+rng.IntN(1+rng.IntN(20)))
		}
		g := ProjectSimplex(nil, v)
		sum := 0.0
		for i, x := range g {
			if !(x >= 0) {
				t.Fatalf("entry %d is %g", i, x)
			}
			sum += x
		}
		if math.Abs(sum-1) > 1e-15 {
			t.Fatalf("sum is off by %g", sum-1)
		}
		// Order is kept, but for the sum's rounding, which one entry bears.
		for i := range v {
			for j := range v {
				if v[i] > v[j] && g[i] < g[j]-float64(len(v))*0x1p-53 {
					t.Fatalf("%g > %g got %g < %g", v[i], v[j], g[i], g[j])
				}
			}
		}
	})
}

// TestProjectSimplexThreshold has entries that equal the threshold but for
// rounding, which must not make the search for the support go round in circles.
func TestProjectSimplexThreshold(t *testing.T) {
	v := []float64{0.014783605365302547, 0.06805751023830625, -0.4585794421981956, -0.4585794421981956,
		-0.4585794421981956}
	rng := rand.New(rand.NewPCG(3, 4))
	for range fewer(300, 60) {
		got, want := ProjectSimplex(nil, v), slowProjection(v)
		for i := range got {
			if math.Abs(got[i]-want[i]) > 1e-14 || !(got[i] >= 0) {
				t.Fatalf("%v: entry %d is %g, want %g", v, i, got[i], want[i])
			}
		}
		v = v[:0]
		for range 2 + rng.IntN(60) {
			v = append(v, rng.Float64()*math.Ldexp(1, -rng.IntN(12)))
		}
		x := sortedThreshold(v)
		for range rng.IntN(4) {
			x = math.Nextafter(x, float64(rng.IntN(3)-1))
		}
		for range 1 + rng.IntN(4) {
			v = append(v, x)
		}
	}
}

// sortedThreshold finds the threshold from the sorted entries (Held, Wolfe & Crowder 1974).
func sortedThreshold(v []float64) (tau float64) {
	sorted := slices.Sorted(slices.Values(v))
	slices.Reverse(sorted)
	sum := 0.0
	for i, x := range sorted {
		sum += x
		t := (sum - 1) / float64(i+1)
		if t >= x {
			break
		}
		tau = t
	}
	return tau
}
