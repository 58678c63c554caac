package kinds

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"softkmeans"
	"softkmeans/internal/scale"
	"softkmeans/internal/tables"
)

// to rounds v to so many decimals.
func to(decimals int) func(v float64) float64 {
	return func(v float64) float64 { return math.Round(v*math.Pow10(decimals)) / math.Pow10(decimals) }
}

// Counts that were divided by the sum of their row, by a size of their row or by one number are restored
// to the count, if rounding leaves no doubt.
func TestDivided(t *testing.T) {
	found, all := 0, uint64(tables.Fewer(12, 4))
	for seed := range all {
		r := rand.New(rand.NewPCG(seed, 3))
		x := changed(mixed(seed, 30+10*int(seed), 40), func(v float64) float64 { return poisson(r, v/2) })
		clear(x.Row(7))
		if are, _ := counts(x, &dividedLimits); !are {
			continue
		}
		found++
		shares := x.Clone()
		scale.Close(shares.Data, x.Cols)
		sized := x.Clone()
		for i := range x.Rows {
			by := math.Exp(r.NormFloat64())
			for j := range sized.Row(i) {
				sized.Row(i)[j] /= by
			}
		}
		times := func(x *softkmeans.Matrix, by float64, decimals int) *softkmeans.Matrix {
			return changed(changed(x, func(v float64) float64 { return v * by }), to(decimals))
		}
		for name, y := range map[string]*softkmeans.Matrix{
			"shares":                       shares,
			"shares, 6 decimals":           times(shares, 1, 6),
			"percent, 3 decimals":          times(shares, 100, 3),
			"per million":                  times(shares, 1e6, 9),
			"per million, whole numbers":   times(shares, 1e6, 0),
			"to one depth":                 times(shares, 1e4, 6),
			"sizes":                        sized,
			"sizes, 7 digits":              changed(sized, digits(7)),
			"divided by one number":        times(x, 1/7.5, 17),
			"divided by it, 3 decimals":    times(x, 1/7.5, 3),
			"in float32 of another system": changed(sized, func(v float64) float64 { return float64(float32(v)) }),
		} {
			if f := Look(y); !f.Counts || !f.Divided {
				t.Errorf("seed %d, %s: %+v", seed, name, f)
			} else if m := Multiples(y); !same(m, x) {
				t.Errorf("seed %d, %s: other multiples", seed, name)
			}
		}
		if f := Look(x); !f.Counts || f.Divided {
			t.Errorf("seed %d, counts: %+v", seed, f)
		}
	}
	if 3*found < 2*int(all) {
		t.Errorf("%d of %d tables are counts", found, all)
	}
	// Shares of some five hundred, in four decimals.
	r := rand.New(rand.NewPCG(1, 3))
	x := mixed(1, 400, 30)
	scale.Close(x.Data, x.Cols)
	x = changed(x, func(v float64) float64 { return poisson(r, 500*v) })
	scale.Close(x.Data, x.Cols)
	if f := Look(changed(x, to(4))); !f.Divided {
		t.Errorf("four decimals: %+v", f)
	}
}

// digits rounds to so many digits.
func digits(n int) func(v float64) float64 {
	return func(v float64) float64 {
		fmt.Sscan(fmt.Sprintf("%.*g", n, v), &v)
		return v
	}
}

// same reports whether the rows of a are those of b, or whole parts of them.
func same(a, b *softkmeans.Matrix) bool {
	for i := range a.Rows {
		by := 0.0
		for j, v := range a.Row(i) {
			if v > 0 && by == 0 {
				by = b.At(i, j) / v
			}
			if by != math.Trunc(by) || v*by != b.At(i, j) {
				return false
			}
		}
	}
	return true
}

// No table of measured numbers is taken for counts, however it is rounded, closed or divided.
func TestNotDivided(t *testing.T) {
	for seed := range uint64(tables.Fewer(40, 5)) {
		r := rand.New(rand.NewPCG(seed, 9))
		n, d := 10+r.IntN(80), 5+r.IntN(60)
		x := mixed(seed, n, d)
		for name, f := range map[string]func(v float64) float64{
			"mixtures":          func(v float64) float64 { return v },
			"noise of one size": func(v float64) float64 { return max(0, v+2*r.NormFloat64()) },
			"noise by size":     func(v float64) float64 { return v * math.Exp(r.NormFloat64()/3) },
			"prices": func(v float64) float64 {
				return math.Floor(v) + []float64{.49, .95, .99}[r.IntN(3)]
			},
			"quarters":          func(v float64) float64 { return math.Round(4*v*math.Exp(r.NormFloat64()/3)) / 4 },
			"ratings":           func(v float64) float64 { return float64(1 + r.IntN(5)) },
			"ages":              func(v float64) float64 { return float64(18 + r.IntN(60)) },
			"codes":             func(v float64) float64 { return float64(1000 + r.IntN(9000)) },
			"lengths":           func(v float64) float64 { return math.Round(1000*(5+r.NormFloat64())) / 1000 },
			"counts and a half": func(v float64) float64 { return poisson(r, v) + .5 },
			"lognormal":         func(v float64) float64 { return math.Exp(2 * r.NormFloat64()) },
			"pixels":            func(v float64) float64 { return min(16, poisson(r, v)) },
			"dice":              func(v float64) float64 { return float64(r.IntN(6) + r.IntN(6)) },
			"sparse":            func(v float64) float64 { return math.Floor(max(0, r.NormFloat64()-1) * 5) },
		} {
			y := changed(x, f)
			closed := y.Clone()
			if scale.Close(closed.Data, d) == nil {
				t.Fatal(name)
			}
			for _, decimals := range []int{1, 2, 3, 4, 6, 17} {
				for by, z := range map[string]*softkmeans.Matrix{
					"as it is": y, "over 7.5": changed(y, func(v float64) float64 { return v / 7.5 }),
					"shares": closed, "per million": changed(closed, func(v float64) float64 { return 1e6 * v }),
				} {
					if f := Look(changed(z, to(decimals))); f.Counts {
						t.Errorf("seed %d, %s, %s, %d decimals: %+v", seed, name, by, decimals, f)
					}
				}
			}
		}
	}
}
