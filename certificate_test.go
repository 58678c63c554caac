package softkmeans

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestFloors(t *testing.T) {
	for _, x := range []*Matrix{loadCSV(t, "iris"), loadCSV(t, "wine"), head(loadCSV(t, "digits"), 200), head(loadCSV(t, "breast_cancer"), 200),
		randomData(30, 100, 1e3, 1), randomData(1, 4, 0, 1), randomData(5, 1, 0, 1), NewMatrix(4, 3, nil)} {
		want, total := oracle(x, nil)
		got, err := Floors(context.Background(), x, nil)
		if err != nil || len(got) != min(x.Rows, x.Cols)+1 {
			t.Fatalf("%d floors, %v", len(got), err)
		}
		for i := range got {
			if math.Abs(got[i]-want[i]) > 1e-12*total {
				t.Errorf("%s k=%d: %g, want %g", shape(x.Rows, x.Cols), i+1, got[i], want[i])
			}
			if i > 0 && got[i] > got[i-1] {
				t.Errorf("%s: floor rises at k=%d", shape(x.Rows, x.Cols), i+1)
			}
			if i >= 8 {
				continue
			}
			m, err := Fit(bg, x, i+1, &Options{Solver: SolverJacobi})
			if err != nil || math.Abs(m.Objective-got[i]) > 1e-12*total {
				t.Errorf("%s k=%d: floor %g, Fit reaches %g (%v)", shape(x.Rows, x.Cols), i+1, got[i], m.Objective, err)
			}
		}
		if got[len(got)-1] != 0 {
			t.Errorf("the last floor is %g", got[len(got)-1])
		}
		// n centers hold n rows whatever these are, and n centred rows have rank n−1.
		if n := x.Rows; n <= x.Cols {
			if ok, err := SkMable(bg, x, n, 1e-300); !ok || err != nil || got[n-1] != 0 {
				t.Errorf("%s: a floor of %g for as many centers as rows, SkMable says %v, %v", shape(n, x.Cols), got[n-1], ok, err)
			}
		}
	}
	if _, err := Floors(context.Background(), NewMatrix(0, 2, nil), nil); !errors.Is(err, ErrTooFewSamples) {
		t.Error(err)
	}
	// Orthogonal columns of lengths √2·10^-6j: every floor is known to its own
	// last digits, far below the rounding of the total.
	x := NewMatrix(8, 4, nil)
	for j := range 4 {
		x.Set(2*j, j, math.Pow(10, -6*float64(j)))
		x.Set(2*j+1, j, -math.Pow(10, -6*float64(j)))
	}
	got, err := Floors(context.Background(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	for k := 1; k <= 4; k++ {
		want := 0.0
		for j := 3; j >= k-1; j-- {
			want += 2 * math.Pow(10, -12*float64(j))
		}
		if math.Abs(got[k-1]/want-1) > 1e-13 {
			t.Errorf("graded: floor for k=%d is %g, want %g", k, got[k-1], want)
		}
	}
}

// TestCertify: what is not optimal or not feasible must show.
func TestCertify(t *testing.T) {
	x := loadCSV(t, "iris")
	m, err := Fit(bg, x, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	floors, total := oracle(x, nil)
	c, err := Certify(context.Background(), x, m.Centers, m.Memberships, nil)
	if err != nil || !c.Optimal(0) || math.Abs(c.Floor-floors[2]) > 1e-12*total || math.Abs(c.Total-total) > 1e-12*total {
		t.Errorf("%+v, %v", c, err)
	}
	// Centers off the subspace: gap and span error.
	off := m.Centers.Clone()
	off.Set(0, 3, off.At(0, 3)+5)
	c, _ = Certify(context.Background(), x, off, m.Memberships, nil)
	want := (plainObjective(x, off, m.Memberships, nil) - floors[2]) / total
	if c.Optimal(0) || math.Abs(c.Gap-want) > 1e-12 || c.SpanError < 0.1 {
		t.Errorf("%+v, gap should be %g", c, want)
	}
	// Infeasible memberships of the same product are judged by what their repair makes of them.
	neg := m.Memberships.Clone()
	neg.Set(5, 0, neg.At(5, 0)-2)
	neg.Set(5, 1, neg.At(5, 1)+2)
	c, _ = Certify(context.Background(), x, m.Centers, neg, nil)
	if c.Optimal(0) || c.MinMembership != neg.At(5, 0) || c.MaxSumError > 1e-12 || c.Repair < 1 || c.Repair < -c.MinMembership {
		t.Errorf("%+v", c)
	}
	checkObjective(t, "negative", c.Objective, bigObjective(x, m.Centers, neg, nil, SumToOne), hides(x, nil, m.Centers, neg, SumToOne), 0)
	// Half of each is the same once repaired, and the fields say what was given.
	half := mapped(m.Memberships, func(_, _ int, v float64) float64 { return v / 2 })
	whole, err := Certify(bg, x, m.Centers, m.Memberships, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, _ = Certify(context.Background(), x, m.Centers, half, nil)
	top, _ := rowMaxAbs(half.Data)
	if !c.Optimal(0) || math.Abs(c.MaxSumError-0.5) > 1e-12 || math.Abs(c.Repair-top) > 1e-12 || math.Abs(c.Objective-whole.Objective) > 1e-14*total {
		t.Errorf("%+v, want %+v", c, whole)
	}
	// Hard clusters by the means are feasible and above the floor.
	if c, err = Certify(context.Background(), x, NewMatrix(1, 4, nil), NewMatrix(150, 1, make1(150)), nil); err != nil || c.Gap < 0.1 || c.SpanError != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	// Rows without variance: an objective of rounding is a gap of 0, any other
	// the largest.
	same := mapped(NewMatrix(7, 3, nil), func(_, j int, _ float64) float64 { return 0.1 + float64(j)/3 })
	for _, k := range []int{1, 3, 50} {
		m, err := Fit(bg, same, k, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c, err = Certify(context.Background(), same, m.Centers, m.Memberships, nil); err != nil || c.Gap != 0 || m.Gap != 0 || !c.Optimal(0) {
			t.Errorf("identical rows, k=%d: %+v, %v", k, c, err)
		}
		m.Centers.Set(0, 0, 0.1001)
		if c, err = Certify(context.Background(), same, m.Centers, m.Memberships, nil); err != nil || c.Optimal(0) {
			t.Errorf("identical rows, k=%d, a center off: %+v, %v", k, c, err)
		}
	}
	for _, bad := range []struct {
		f, g *Matrix
		want error
	}{
		{nil, m.Memberships, ErrShape}, {m.Centers, nil, ErrShape}, {NewMatrix(0, 4, nil), NewMatrix(150, 0, nil), ErrTooFewSamples},
		{NewMatrix(3, 5, nil), m.Memberships, ErrShape}, {m.Centers, NewMatrix(150, 2, nil), ErrShape},
		{NewMatrix(1, 4, []float64{1, 2, math.NaN(), 3}), NewMatrix(150, 1, nil), ErrNonFinite},
	} {
		if _, err := Certify(context.Background(), x, bad.f, bad.g, nil); !errors.Is(err, bad.want) {
			t.Errorf("%v, want %v", err, bad.want)
		}
	}
	if _, err := Certify(context.Background(), x, m.Centers, m.Memberships, &Options{Weights: make([]float64, 3)}); !errors.Is(err, ErrShape) {
		t.Error(err)
	}
}

func TestSkMable(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, scale := range []float64{1, 1e-150, 3e148} { // times 100
		for k := 1; k <= 6; k++ {
			// An exact mixture of k prototypes far from the origin.
			x := NewMatrix(60, 9, nil)
			f := NewMatrix(k, 9, nil)
			for i := range f.Data {
				f.Data[i] = 100 + rng.NormFloat64()
			}
			g := make([]float64, k)
			for i := range 60 {
				for j := range g {
					g[j] = rng.Float64() * 2
				}
				ProjectSimplex(g, g)
				for j := range g {
					axpy(x.Row(i), g[j]*scale, f.Row(j))
				}
			}
			for try := 1; try <= 12; try++ {
				ok, err := SkMable(bg, x, try, 0)
				if err != nil || ok != (try >= k) {
					t.Errorf("mixture of %d, k=%d: %v, %v", k, try, ok, err)
				}
			}
			x.Data[7] *= 1 + 1e-6
			if ok, _ := SkMable(bg, x, k, 0); ok {
				t.Errorf("k=%d: noise of 1e-6 not seen", k)
			}
			if ok, _ := SkMable(bg, x, k, 1e-4); !ok && k > 1 {
				t.Errorf("k=%d: tolerance not used", k)
			}
		}
	}
	// A line so far from 0 that storing it bends it by some 1e-9 of its length.
	far := NewMatrix(60, 4, nil)
	for i := range far.Rows {
		for j := range far.Cols {
			far.Set(i, j, 1e8+float64(j+1)*float64(i)/180)
		}
	}
	if ok, err := SkMable(bg, far, 2, 0); !ok || err != nil {
		t.Errorf("a line, rounded as doubles near 1e8 are, is no mixture of 2: %v", err)
	}
	x := loadCSV(t, "iris")
	for _, c := range []struct {
		k   int
		tol float64
	}{{0, 0}, {2, -1}, {2, math.NaN()}, {2, 1}} {
		if _, err := SkMable(bg, x, c.k, c.tol); !errors.Is(err, ErrOption) {
			t.Error(err)
		}
	}
}

// TestBounds holds the corrected theorems to real data.
func TestBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, name := range realSets {
		x := head(loadCSV(t, name), 150)
		for _, k := range []int{2, 3, 5} {
			clean, err := Fit(bg, x, k, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, size := range []float64{1e-3, 0.1, 1, 10} {
				noise := 0.0
				y := mapped(x, func(_, _ int, v float64) float64 {
					e := size * math.Sqrt(clean.Total/float64(len(x.Data))) * rng.NormFloat64()
					noise += e * e
					return v + e
				})
				m, err := Fit(bg, y, k, nil)
				if err != nil {
					t.Fatal(err)
				}
				left, right := plainObjective(x, m.Centers, m.Memberships, nil), stabilityBound(clean.Floor, math.Sqrt(noise))
				if left > right {
					t.Errorf("%s k=%d noise %g: %g > %g", name, k, size, left, right)
				}
			}
		}
	}
}

// permutedDistance is the least ‖a − bΠ‖² over all permutations Π of the columns.
func permutedDistance(a, b *Matrix) float64 {
	k := a.Cols
	cost := NewMatrix(k, k, nil) // of column i of a as column j of b
	for i := range k {
		for j := range k {
			for r := range a.Rows {
				d := a.Row(r)[i] - b.Row(r)[j]
				cost.Data[i*k+j] += d * d
			}
		}
	}
	var least func(i, used int) float64
	least = func(i, used int) float64 {
		if i == k {
			return 0
		}
		best := math.Inf(1)
		for j := range k {
			if used>>j&1 == 0 {
				best = min(best, cost.Row(i)[j]+least(i+1, used|1<<j))
			}
		}
		return best
	}
	return least(0, 0)
}

// optimumNear returns a global optimum whose memberships are close to g in every row, and
// its centers: see the proof at nonUniquenessBound.
func optimumNear(m *Model, g []float64) (members, centers *Matrix) {
	// G = (1−ε)·1gᵀ + ε·G₀ = G₀·T with T = (1−ε)·1gᵀ + ε·I, and F = T⁻¹F₀.
	const eps = 1e-4
	k := len(g)
	members = mapped(m.Memberships, func(_, j int, v float64) float64 { return eps*v + (1-eps)*g[j] })
	// T⁻¹ = (I − (1−ε)·1gᵀ)/ε, since gᵀ1 = 1.
	centers = mapped(m.Centers, func(_, c int, v float64) float64 {
		mean := 0.0
		for j := range k {
			mean += g[j] * m.Centers.Row(j)[c]
		}
		return (v - (1-eps)*mean) / eps
	})
	return members, centers
}

// TestNonUniqueness holds nonUniquenessBound to random and to the worst G*, with every order
// of the clusters.
func TestNonUniqueness(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, name := range realSets {
		x := head(loadCSV(t, name), 150)
		n := float64(x.Rows)
		for _, k := range []int{2, 3, 5} {
			m := mustDo(Fit(bg, x, k, nil))(t)
			bound := nonUniquenessBound(m)
			optima := []*Matrix{m.Memberships}
			corner, uniform := make([]float64, k), make([]float64, k)
			corner[0] = 1
			for j := range uniform {
				uniform[j] = 1 / float64(k)
			}
			for _, g := range [][]float64{corner, uniform} {
				members, centers := optimumNear(m, g)
				if c := mustDo(Certify(bg, x, centers, members, nil))(t); math.Abs(c.Gap) > 1e-6 || c.MinMembership < -1e-15 {
					t.Errorf("%s k=%d: not optimal: %+v", name, k, c)
				}
				optima = append(optima, members)
			}
			for try := range 12 {
				oracle := mapped(m.Memberships, func(_, j int, v float64) float64 {
					switch try {
					case 0: // halfway between the limits
						return (corner[j] + uniform[j]) / 2
					case 1: // and between the optimum and a limit
						return (corner[j] + v) / 2
					case 2:
						return v
					}
					return rng.NormFloat64() * float64(try)
				})
				for i := 0; try > 2 && i < oracle.Rows; i++ {
					ProjectSimplex(oracle.Row(i), oracle.Row(i))
				}
				far := 0.0
				for _, g := range optima {
					far = max(far, permutedDistance(g, oracle))
				}
				if far < bound*(1-1e-3) { // optima that are near their limits
					t.Errorf("%s k=%d: farthest optimum %g, bound %g", name, k, far, bound)
				}
			}
			if least := n * (1 - 1/float64(k)) / 4; bound < least*(1-1e-12) || bound > 1.4*least {
				t.Errorf("%s k=%d: bound %g, %g without data", name, k, bound, least)
			}
		}
	}
}

// TestSkMableLarge: where min(n, d) is 512 and above it, too, σ_k is told from rounding.
func TestSkMableLarge(t *testing.T) {
	t.Parallel()
	for _, n := range []int{512, 520} { // SolverAuto's limit
		skMableLarge(t, n)
	}
}

func skMableLarge(t *testing.T, n int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name  string
		third float64 // the size of the third direction
		k     int
		tol   float64
		want  bool
	}{
		{"rank 3", 1, 3, 0, false}, {"rank 3", 1, 4, 0, true},
		{"a third direction of 1e-9", 1e-9, 3, 0, false}, {"a third direction of 1e-9", 1e-9, 3, 1e-7, true},
	}[full(0, 2):] {
		a, b := NewMatrix(n, 3, nil), NewMatrix(3, n, nil)
		for i := range a.Data {
			a.Data[i], b.Data[i] = rng.Float64(), rng.Float64()
		}
		scale(b.row(2), c.third)
		for j := range 3 { // columns of zeros cost Jacobi's method nothing
			clear(b.row(j)[full(n, 60):])
		}
		got, err := SkMable(bg, product(a, b), c.k, c.tol)
		if err != nil || got != c.want {
			t.Errorf("n=%d, %s: k=%d tol=%g: %v %v, want %v", n, c.name, c.k, c.tol, got, err, c.want)
		}
	}
}

// TestCertifyRange: centers and memberships of any size in range give finite numbers. The
// objective is an upper bound, and within rounding of the exact one as far as centers are at
// most 1e150 times the data.
func TestCertifyRange(t *testing.T) {
	g := NewMatrix(3, 2, []float64{1, 0, 0, 1, 0.5, 0.5})
	for _, unit := range []float64{1, 1e-140, 1e-100, 1e140, 0} {
		x := NewMatrix(3, 2, []float64{unit, 0, 0, unit, unit, unit})
		for _, size := range []float64{0, 5e-324, 1e-200, 1e-100, 1e-20, 1, 1e50, 1e70, 1e100, 1e150} {
			for _, c := range []struct {
				name string
				f, g *Matrix
			}{
				{"centers", NewMatrix(2, 2, []float64{size, 0, 0, size}), g},
				{"opposite centers", NewMatrix(2, 2, []float64{size, size, -size, -size}), g},
				{"one center", NewMatrix(2, 2, []float64{size, 0, 1, 2}), g},
				{"a center without members", NewMatrix(2, 2, []float64{size, 0, 1, 2}), NewMatrix(3, 2, []float64{0, 1, 0, 1, 0, 1})},
				{"a center with few members", NewMatrix(2, 2, []float64{size, 0, 1, 2}), NewMatrix(3, 2, []float64{1e-150, 1, 0, 1, 0, 1})},
				{"memberships", NewMatrix(2, 2, []float64{1, 2, 3, 5}), NewMatrix(3, 2, []float64{size, size, -size, 1, 0.5, 0.5})},
				{"both", NewMatrix(2, 2, []float64{size, 2, 3, size}), NewMatrix(3, 2, []float64{size, size, -size, 1, 0.5, 0.5})},
			} {
				got, err := Certify(context.Background(), x, c.f, c.g, nil)
				if err != nil {
					t.Fatal(err)
				}
				for _, v := range []float64{got.Objective, got.Floor, got.Gap, got.MinMembership, got.MaxSumError, got.SpanError, got.Total} {
					if !isFinite(v) {
						t.Errorf("%s of %g, data of %g: %+v", c.name, size, unit, got)
						break
					}
				}
				if near := max(size, 5) <= 1e150*unit || unit == 0; !near || got.Objective == math.MaxFloat64 {
					if big.NewFloat(got.Objective).Cmp(bigObjective(x, c.f, c.g, nil, SumToOne)) < 0 && got.Objective < math.MaxFloat64 {
						t.Errorf("%s of %g, data of %g: objective %g", c.name, size, unit, got.Objective)
					}
					continue
				}
				checkObjective(t, fmt.Sprintf("%s of %g, data of %g", c.name, size, unit), got.Objective,
					bigObjective(x, c.f, c.g, nil, SumToOne), hides(x, nil, c.f, c.g, SumToOne), 1e-300*max(got.Total, 1))
			}
		}
	}
}

// TestOptimalNeeds: an exact fit proves nothing where memberships are negative or do not
// add up to 1, but for those that their repair makes of them.
func TestOptimalNeeds(t *testing.T) {
	x := NewMatrix(3, 1, []float64{0, 1, 2})
	for _, c := range []struct {
		f, g              []float64
		objective, repair float64
	}{
		{[]float64{0, 2}, []float64{1, 0, 0.5, 0.5, 0, 1}, 0, 0},
		{[]float64{0, 2}, []float64{3, -1, 7, 7, 0, .25}, 0, 6.5},
		{[]float64{0, 1}, []float64{1, 0, 0, 1, -1, 2}, 1, 1},        // 2 = −1·0 + 2·1
		{[]float64{0, 4}, []float64{1, 0, 0, 0.25, 0, 0.5}, 13, .75}, // sums of ¼ and ½
		{[]float64{0, 4}, []float64{0, 0, -3, -2, 0, 0}, 4 + 1, 3.5}, // no positive one: all are 2
		{[]float64{-1, 3}, []float64{0, 0, 0x1p-1074, 0x1p-1074, 0, 0}, 2, .5},
	} {
		f, g := NewMatrix(2, 1, c.f), NewMatrix(3, 2, c.g)
		got, err := Certify(context.Background(), x, f, g, nil)
		if err != nil || got.Floor != 0 || got.FloorError != 0 || got.Repair != c.repair || got.Optimal(0) != (c.objective == 0) || c.objective > 0 && got.ExcessFloors != math.MaxFloat64 {
			t.Errorf("centers %v, memberships %v: %+v, optimal %t, %v", c.f, c.g, got, got.Optimal(0), err)
		}
		if want := bigObjective(x, f, g, nil, SumToOne); double(want) != c.objective {
			t.Fatalf("%v: the oracle says %g", c, double(want))
		} else {
			checkObjective(t, fmt.Sprint(c), got.Objective, want, hides(x, nil, f, g, SumToOne), 0)
		}
	}
}

// TestCertifyForeign: centers or memberships far larger than the data, which cancel to any
// degree. The objective is never below the true one, and above it by no more than the
// bound that Certificate states.
func TestCertifyForeign(t *testing.T) {
	const n, d, k = 9, 3, 4
	for _, mean := range []float64{0, 2, 1e6} {
		x := randomData(n, d, mean, 5)
		for _, exp := range []int{0, 15, 16, 17, 30, 60, 100, 200, 400} {
			for _, left := range []float64{0, 0x1p-50, 1e-12, 0.1} { // of the size, after cancelling
				for _, huge := range []int{0, 16, 40, 60, 100, 500} { // memberships of 2^huge
					rng := rand.New(rand.NewPCG(uint64(exp), uint64(math.Float64bits(left))))
					f, g := randomData(k, d, mean, 6), NewMatrix(n, k, nil)
					for c := range d {
						f.Set(0, c, math.Ldexp(f.At(0, c), exp))
						f.Set(1, c, f.At(0, c)*(1+left*rng.NormFloat64()))
					}
					for i := range n {
						h, v := math.Ldexp(rng.Float64(), huge), rng.Float64()
						copy(g.row(i), []float64{h, -h, v, 1 - v})
					}
					checkCertified(t, x, f, g)
					for i := range n { // rows that add up to 0
						g.Set(i, 3, -g.At(i, 2))
					}
					checkCertified(t, x, f, g)
					for c := range d { // and the other way round: opposite centers, equal memberships
						f.Set(1, c, -f.At(1, c))
					}
					for i := range n {
						g.Set(i, 1, g.At(i, 0))
					}
					checkCertified(t, x, f, g)
				}
			}
		}
	}
}

// checkCertified holds the objective of Certify between the true one and its bound.
func checkCertified(t *testing.T, x, f, g *Matrix) {
	t.Helper()
	got, err := Certify(bg, x, f, g, nil)
	if err != nil || !isFinite(got.Objective) || !isFinite(got.Gap) || !isFinite(got.SpanError) || !isFinite(got.MaxSumError) {
		t.Fatalf("%+v, %v", got, err)
	}
	checkObjective(t, fmt.Sprintf("centers of %.2g and memberships of %.2g", f.At(0, 0), g.At(0, 0)), got.Objective,
		bigObjective(x, f, g, nil, SumToOne), hides(x, nil, f, g, SumToOne), 0)
}

// TestCertifyErrRange: centers and memberships may be 2^520, and no larger.
func TestCertifyErrRange(t *testing.T) {
	x := NewMatrix(3, 1, []float64{0, 1, 2})
	for _, c := range []struct {
		center, membership float64
		arg                string
	}{{0x1p520, 1, ""}, {0x1.0000000000001p520, 1, "centers"}, {1, 0x1p520, ""}, {1, -0x1.0000000000001p520, "memberships"}} {
		got, err := Certify(bg, x, NewMatrix(2, 1, []float64{0, c.center}), NewMatrix(3, 2, []float64{1, 0, 0, c.membership, 0.5, 0.5}), nil)
		var at *InputError
		switch {
		case c.arg == "":
			if err != nil || !isFinite(got.Objective) {
				t.Errorf("%g, %g: %+v, %v", c.center, c.membership, got, err)
			}
		case !errors.Is(err, ErrRange) || !errors.As(err, &at) || at.Arg != c.arg || at.Row != 1:
			t.Errorf("%g, %g: %v", c.center, c.membership, err)
		}
	}
}

// Squares below the range of float64, by weights or by the spread, prove nothing.
func TestCertificateUnderflow(t *testing.T) {
	for _, e := range []float64{1, 0x1p-400} {
		x, w := NewMatrix(4, 1, []float64{0, 1, 10, 12}), slices.Repeat([]float64{0x1p-1073}, 4)
		scale(x.Data, e)
		start := NewMatrix(2, 1, []float64{0, e})
		m, err := FitAlternating(bg, x, 2, &MinVolumeOptions{Weights: w, Centers: start, MaxIter: 1})
		if err != nil {
			t.Fatal(err)
		}
		if c := m.Certificate(); c.Optimal(0.1) || c.Objective == 0 || c.Excess == 0 {
			t.Errorf("%g: %+v, with a gap of %g", e, c, m.Gap)
		}
	}
}

// A cancelled FitMinVolumeSeq has the objective of its summary, which may be below the floor.
func TestCertificateOfEstimate(t *testing.T) {
	x := randomData(3000, 10, 0, 1)
	ctx, cancel := context.WithCancel(bg)
	o := &MinVolumeSeqOptions{SummaryRows: 64}
	o.Slack = 1e-3
	o.Progress = func(it Iteration) {
		if it.Pass == 0 && it.Objective < it.Floor {
			cancel()
		}
	}
	m, err := FitMinVolumeSeq(ctx, inBlocks(x, 100), 8, o)
	if m == nil || m.Status != StatusCancelled || m.Objective >= m.Floor {
		t.Fatalf("%+v, %v", m, err)
	}
	if c := m.Certificate(); c.Optimal(0.5) || c.ExcessShare < 1 {
		t.Errorf("%+v", c)
	}
	if c := compare(1, 2, 0.5, 4); c.Excess < 1 || c.ExcessShare < 0.25 {
		t.Errorf("below the floor: %+v", c)
	}
}
