package softkmeans

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// TestAutoFallsBack: data whose floor the Gram matrix cannot resolve.
func TestAutoFallsBack(t *testing.T) {
	// Four directions of lengths 1, 1e-3, 1e-6, 1e-9: the squares reach 1e-18.
	rng := rand.New(rand.NewPCG(4, 4))
	x := NewMatrix(200, 4, nil)
	for i := range 200 {
		for j := range 4 {
			x.Set(i, j, (2*rng.Float64()-1)*math.Pow(10, -3*float64(j)))
		}
	}
	auto, err := Fit(bg, x, 4, nil)
	if err != nil {
		t.Fatal(err)
	}
	if auto.Solver != SolverJacobi {
		t.Errorf("Auto stayed with %v for a floor of %g of the total", auto.Solver, auto.Floor/auto.Total)
	}
	// The smallest direction's own length, but for what it shares with others.
	if rel := math.Abs(auto.Objective/auto.Floor - 1); rel > 1e-6 {
		t.Errorf("objective %g, floor %g: %g apart", auto.Objective, auto.Floor, rel)
	}
	if _, err := Fit(bg, loadCSV(t, "iris"), 3, nil); err != nil {
		t.Fatal(err)
	}
}

// TestKrylovFloor: the bound holds, is tight, and the iteration saves work.
func TestKrylovFloor(t *testing.T) {
	for seed := range fewer[uint64](3, 1) {
		x := randomData(300, fewer(120, 60), 0, seed)
		floors, total := oracle(x, nil)
		for _, k := range []int{2, 5, 12} {
			m, err := Fit(bg, x, k, &Options{Solver: SolverKrylov})
			if err != nil {
				t.Fatal(err)
			}
			want := floors[k-1]
			if m.Floor > want+1e-13*total || m.Floor+m.FloorError < want-1e-13*total || m.FloorError > 1e-12*total {
				t.Errorf("k=%d: floor in [%g, %g], truth %g", k, m.Floor, m.Floor+m.FloorError, want)
			}
			if m.Iterations < 2 {
				t.Errorf("k=%d: %d steps", k, m.Iterations)
			}
		}
	}
}

// TestKrylovTied: of directions that tie one step finds one exactly, which says nothing
// of the others: the floor has to be proved all the same.
func TestKrylovTied(t *testing.T) {
	for seed := range fewer[uint64](200, 60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n, d := 4+rng.IntN(12), 4+rng.IntN(12)
		x := NewMatrix(n, d, nil)
		for j := range min(n/2, d) { // pairs at ±1 on some of the axes
			if rng.IntN(2) == 0 {
				x.Set(2*j, j, 1)
				x.Set(2*j+1, j, -1)
			}
		}
		for k := 2; k < 5; k++ {
			m, err := Fit(bg, x, k, &Options{Solver: SolverKrylov})
			if err != nil {
				t.Fatal(err)
			}
			// krylovTol, and FloorError's and the objective's rounding: some 2·15·2^-52.
			if m.Status == StatusOptimal && !(m.Gap <= krylovTol+1e-14) {
				t.Errorf("%d×%d, k = %d: %v with a gap of %g after %d steps", n, d, k, m.Status, m.Gap, m.Iterations)
			}
		}
	}
}

// TestKrylovFewSteps: the floor is proved also where the steps were far too few to
// find the leading directions.
func TestKrylovFewSteps(t *testing.T) {
	n, d := 130, 200
	tight := 0
	for name, sigma := range map[string]func(i int) float64{
		"flat": func(int) float64 { return 1 }, "falls": func(i int) float64 { return 1 / float64(i+1) }, "slow": func(i int) float64 { return 1 / math.Sqrt(float64(i+1)) },
		"spike": func(i int) float64 { return 1 + 99*float64(1/(i+1)) }, "two heights": func(i int) float64 { return 1 + float64(30/(i+1)) },
	} {
		for seed := range fewer[uint64](full[uint64](4, 2), 1) {
			x := randomData(n, d, 0, seed)
			for i := range n {
				for j := range d {
					x.Set(i, j, sigma(j)*x.At(i, j)*(1+float64(j)/4))
				}
			}
			floors, err := Floors(context.Background(), x, nil)
			if err != nil {
				t.Fatal(err)
			}
			s, err := newSamples(bg, x, nil, 1, true)
			if err != nil {
				t.Fatal(err)
			}
			for _, k := range []int{2, 4, 12} {
				for steps := 1; steps <= 4; steps++ {
					pc, err := principalByKrylov(s, k-1, steps, false)
					if err != nil {
						t.Fatal(err)
					}
					floor, open := s.unscaleSquare(pc.floor), s.unscaleSquare(pc.floorError)
					if !(floor <= floors[k-1]*(1+1e-12) && floors[k-1] <= (floor+open)*(1+1e-12) && open <= (1+1e-12)*floors[0]) {
						t.Errorf("%s, seed %d, k = %d, %d steps: floor %g + %g, the minimum is %g", name, seed, k, steps, floor, open, floors[k-1])
					}
					if floor > .8*floors[k-1] {
						tight++
					}
				}
			}
		}
	}
	t.Logf("%d floors are within a fifth", tight)
	if tight == 0 {
		t.Error("no floor says anything")
	}
}

// TestCancelBasis: completing a large basis, which no pass over x interrupts, looks
// at the context for each vector, and ends with it.
func TestCancelBasis(t *testing.T) {
	const d, many = 150, 1 << 40
	x := randomData(3, d, 0, 1)
	for _, solver := range allSolvers {
		fit := func(looks int64) (left int64, err error) {
			ctx := &endingContext{Context: bg}
			ctx.left.Store(looks)
			_, err = Fit(ctx, x, d+1, &Options{Solver: solver})
			return ctx.left.Load(), err
		}
		left, err := fit(many)
		looks := many - left
		if err != nil || looks < d {
			t.Errorf("%v: %d looks at the context for %d vectors, %v", solver, looks, d, err)
		}
		for part := range int64(4) {
			if left, err := fit(looks * part / 4); !errors.Is(err, context.Canceled) || left < -10 {
				t.Errorf("%v: %v, and %d looks at the context after its end", solver, err, -left)
			}
		}
	}
}

// TestAutoLimit: up to min(n, d) = 512 SolverAuto ends at Jacobi's method for data of a
// lower rank, above it at Krylov's.
func TestAutoLimit(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]Solver{512: SolverJacobi, 513: SolverKrylov} {
		x := NewMatrix(n, n, nil)
		few := randomData(n, 3, 0, 3)
		for i := range n {
			copy(x.row(i)[n-3:], few.row(i))
		}
		m, err := Fit(bg, x, 4, nil)
		if err != nil || m.Floor > 1e-20*m.Total || m.Solver != want {
			t.Errorf("n=%d: %v, want %v; floor %g of %g, %v", n, m.Solver, want, m.Floor, m.Total, err)
		}
	}
}

// TestAutoKrylov: SolverAuto takes Krylov's steps where the spectrum falls, and gives
// them up before their limit where it does not.
func TestAutoKrylov(t *testing.T) {
	n := fewer(600, jacobiMaxSide+8)
	limit := krylovSteps(1, n, n)
	for _, falls := range []bool{true, false} {
		rng := rand.New(rand.NewPCG(6, 1))
		x := NewMatrix(n, n, nil)
		for i := range n {
			for j := range n {
				v := rng.NormFloat64()
				if falls {
					v /= math.Sqrt(1 + float64(j)/8) // ten steps
				}
				x.Set(i, j, v)
			}
		}
		m, err := Fit(bg, x, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		if (m.Solver == SolverKrylov) != falls || !(math.Abs(m.Gap) <= 1e-12) {
			t.Errorf("a spectrum that falls is %v: solver %v, gap %g", falls, m.Solver, m.Gap)
		}
		s, err := newSamples(bg, x, nil, 1, true)
		if err != nil {
			t.Fatal(err)
		}
		pc, err := principalByKrylov(s, 1, limit, true)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("a spectrum that falls is %v: %d steps of %d, %v", falls, pc.steps, limit, pc.status)
		if (pc.status == StatusOptimal) != falls || pc.steps >= limit/2 {
			t.Errorf("a spectrum that falls is %v: %d steps of %d, %v", falls, pc.steps, limit, pc.status)
		}
	}
}
