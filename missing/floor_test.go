package missing

import (
	"math"
	"math/rand/v2"
	"testing"

	"softkmeans"
	"softkmeans/internal/la"
	"softkmeans/internal/tables"
)

// TestTakeBlock: blocks are complete and have no entry in common.
func TestTakeBlock(t *testing.T) {
	t.Parallel()
	for _, d := range []int{2, 3, 70} {
		for _, share := range []float64{0, 0.1, 0.5, 1} {
			x := withGaps(tables.Normal(130, d, 1), share, 2)
			g, taken := tables.Must(findGaps(x, nil))(t), softkmeans.NewMatrix(130, d, nil)
			free, last := g.free(), math.Inf(1)
			for n := 0; ; n++ {
				rows, columns, promise := takeBlock(bg, free, 2, softkmeans.SumToOne)
				if promise == 0 {
					if n == 0 != (share == 1) || len(rows)+len(columns) > 0 {
						t.Errorf("%d columns, %g missing: %d blocks", d, share, n)
					}
					break
				}
				if want := float64((len(rows) - 2) * (len(columns) - 1)); promise != want || len(rows) < 3 {
					t.Errorf("%d×%d promise %g", len(rows), len(columns), promise)
				}
				for _, i := range rows {
					for _, j := range columns {
						if taken.At(i, j) != 0 || x.At(i, j) != x.At(i, j) {
							t.Fatalf("entry %d, %d is taken twice, or missing", i, j)
						}
						taken.Set(i, j, 1)
					}
				}
				if share == 0 && promise > last {
					t.Errorf("promises rise to %g", promise)
				}
				last = promise
			}
		}
	}
}

// descend returns the least error over the entries that are there which alternation finds from random starts.
func descend(t *testing.T, g *gaps, x *softkmeans.Matrix, k int, sum softkmeans.Sum, rng *rand.Rand) float64 {
	least := math.Inf(1)
	members := softkmeans.NewMatrix(x.Rows, k, nil)
	for range 3 {
		m := &softkmeans.Model{Centers: tables.Normal(k, x.Cols, rng.Uint64()), Memberships: members,
			Sum: sum}
		for range 20 {
			if err := g.predict(bg, m, members, x, 1); err != nil {
				t.Fatal(err)
			}
			for j := range x.Cols { // the best centers for the memberships
				a, b := make([]float64, k*k), make([]float64, k)
				for i := range x.Rows {
					if v, row := x.At(i, j), members.Row(i); v == v {
						la.Axpy(b, g.weight(i)*v, row)
						for l := range k {
							la.Axpy(a[l*k:(l+1)*k], g.weight(i)*row[l], row)
						}
					}
				}
				for l := range k {
					a[l*k+l] += 1e-12
				}
				if la.Cholesky(a, k) {
					la.CholeskySolve(a, k, b)
					for l, v := range b {
						m.Centers.Set(l, j, v)
					}
				}
			}
		}
		objective, _ := observed(x, m, g.weights())
		least = min(least, objective)
	}
	return least
}

// TestProvedFloor: no centers and memberships found have less. Without gaps it is the floor.
func TestProvedFloor(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 7))
	near := 0
	for trial := range 40 {
		n, d, k := 4+rng.IntN(9), 2+rng.IntN(4), 1+rng.IntN(3)
		o := &softkmeans.MinVolumeOptions{Sum: softkmeans.Sum(trial % 2)}
		if trial%3 == 0 {
			o.Weights = make([]float64, n)
			for i := range n {
				o.Weights[i] = float64(rng.IntN(4))
			}
			o.Weights[0] = 1
		}
		x := withGaps(tables.Normal(n, d, rng.Uint64()), 0.3*rng.Float64(), rng.Uint64())
		g := tables.Must(findGaps(x, o.Weights))(t)
		low := tables.Must(g.provedFloor(bg, x, k, o))(t)
		found := descend(t, g, x, k, o.Sum, rng)
		if low > found*(1+1e-12)+1e-14 {
			t.Errorf("%d×%d, k = %d, %v: a floor of %g, and %g is possible", n, d, k, o.Sum, low, found)
		}
		if low > 0.5*found && found > 0.01 {
			near++
		}
	}
	if near < 8 {
		t.Errorf("%d floors of 40 are near", near)
	}
	iris := tables.CSV(t, "iris")
	g := tables.Must(findGaps(iris, nil))(t)
	low := tables.Must(g.provedFloor(bg, iris, 3, &softkmeans.MinVolumeOptions{}))(t)
	if want := tables.Must(softkmeans.Floors(bg, iris, nil))(t)[2]; math.Abs(low/want-1) > 1e-9 {
		t.Errorf("without gaps %g, floor %g", low, want)
	}
	// Mixtures without any rounding have a floor of 0.
	mixtures := tables.Mapped(softkmeans.NewMatrix(30, 6, nil), func(i, j int, _ float64) float64 {
		a, b := float64(i*i%9)/8, float64(i%5)/8
		return a*float64(j*j%7) + b*float64(j%4) + (2-a-b)*float64(5-j)
	})
	mixtures.Set(0, 0, math.NaN())
	g = tables.Must(findGaps(mixtures, nil))(t)
	if low := tables.Must(g.provedFloor(bg, mixtures, 3, &softkmeans.MinVolumeOptions{}))(t); low > 0 {
		t.Error("mixtures have a floor of", low)
	}
	// Two blocks, one of them in small units: a floor of 0 there is no error.
	two := tables.Mapped(softkmeans.NewMatrix(20, 8, nil), func(i, j int, _ float64) float64 {
		if i/10 != j/4 {
			return math.NaN()
		}
		return rng.NormFloat64() * []float64{1, 1e-300}[i/10]
	})
	low = tables.Must(tables.Must(findGaps(two, nil))(t).provedFloor(bg, two, 2,
		&softkmeans.MinVolumeOptions{}))(t)
	block := chosen(two, la.Indices(10), la.Indices(4))
	if want := tables.Must(softkmeans.Floors(bg, block, nil))(t)[1]; math.Abs(low/want-1) > 1e-9 {
		t.Errorf("two blocks: %g, not %g", low, want)
	}
}
