package softkmeans

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
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
			if ok, err := SkMable(x, n, 1e-300); !ok || err != nil || got[n-1] != 0 {
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
	// Infeasible memberships of the same product: the gap alone does not see them.
	neg := m.Memberships.Clone()
	neg.Set(5, 0, neg.At(5, 0)-2)
	neg.Set(5, 1, neg.At(5, 1)+2)
	c, _ = Certify(context.Background(), x, m.Centers, neg, nil)
	if c.Optimal(0) || c.MinMembership != neg.At(5, 0) || c.MaxSumError > 1e-12 {
		t.Errorf("%+v", c)
	}
	half := mapped(m.Memberships, func(_, _ int, v float64) float64 { return v / 2 })
	c, _ = Certify(context.Background(), x, m.Centers, half, nil)
	if c.Optimal(0) || math.Abs(c.MaxSumError-0.5) > 1e-12 || math.Abs(c.Objective-plainObjective(x, m.Centers, half, nil)) > 1e-11*c.Objective {
		t.Errorf("%+v", c)
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
				ok, err := SkMable(x, try, 0)
				if err != nil || ok != (try >= k) {
					t.Errorf("mixture of %d, k=%d: %v, %v", k, try, ok, err)
				}
			}
			x.Data[7] *= 1 + 1e-6
			if ok, _ := SkMable(x, k, 0); ok {
				t.Errorf("k=%d: noise of 1e-6 not seen", k)
			}
			if ok, _ := SkMable(x, k, 1e-4); !ok && k > 1 {
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
	if ok, err := SkMable(far, 2, 0); !ok || err != nil {
		t.Errorf("a line, rounded as doubles near 1e8 are, is no mixture of 2: %v", err)
	}
	x := loadCSV(t, "iris")
	for _, c := range []struct {
		k   int
		tol float64
	}{{0, 0}, {2, -1}, {2, math.NaN()}, {2, 1}} {
		if _, err := SkMable(x, c.k, c.tol); !errors.Is(err, ErrOption) {
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
				left, right := plainObjective(x, m.Centers, m.Memberships, nil), StabilityBound(clean.Floor, math.Sqrt(noise))
				if left > right {
					t.Errorf("%s k=%d noise %g: %g > %g", name, k, size, left, right)
				}
			}
			bound, err := NonUniquenessBound(x, k)
			if err != nil {
				t.Fatal(err)
			}
			mirror := mapped(identity(k-1), func(_, _ int, v float64) float64 { return -v })
			other, err := Fit(bg, x, k, &Options{Orientation: mirror})
			if err != nil {
				t.Fatal(err)
			}
			for try := range 20 {
				oracle := clean.Memberships.Clone() // any G*: here hard, random or one of the two
				for i := range oracle.Rows {
					row := oracle.Row(i)
					if try > 1 {
						for j := range row {
							row[j] = rng.NormFloat64() * float64(try)
						}
						ProjectSimplex(row, row)
					} else if try == 1 {
						copy(row, other.Memberships.Row(i))
					}
				}
				far := 0.0
				for _, g := range []*Matrix{clean.Memberships, other.Memberships} {
					d := 0.0
					for i, v := range g.Data {
						d += (v - oracle.Data[i]) * (v - oracle.Data[i])
					}
					far = max(far, d)
				}
				if far < bound*(1-1e-12) {
					t.Errorf("%s k=%d: farthest optimum %g, bound %g", name, k, far, bound)
				}
			}
			if max := 2 * float64(x.Rows); bound <= 0 || bound > max {
				t.Errorf("%s k=%d: bound %g, possible at most %g", name, k, bound, max)
			}
		}
	}
	if b, err := NonUniquenessBound(loadCSV(t, "iris"), 1); b != 0 || err != nil {
		t.Error(b, err)
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
	}[full(0, 1):] {
		a, b := NewMatrix(n, 3, nil), NewMatrix(3, n, nil)
		for i := range a.Data {
			a.Data[i], b.Data[i] = rng.Float64(), rng.Float64()
		}
		scale(b.row(2), c.third)
		for j := range 3 { // columns of zeros cost Jacobi's method nothing
			clear(b.row(j)[full(n, 60):])
		}
		got, err := SkMable(product(a, b), c.k, c.tol)
		if err != nil || got != c.want {
			t.Errorf("n=%d, %s: k=%d tol=%g: %v %v, want %v", n, c.name, c.k, c.tol, got, err, c.want)
		}
	}
}

// TestCertifyRange: centers and memberships of any size in range give finite numbers. The
// objective is right as far as centers are at most 1e150 times the data; beyond, an
// upper bound.
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
				want, least := bigObjective(x, c.f, c.g, certifyAdds(x, nil, c.f, c.g).hidden), bigObjective(x, c.f, c.g, nil)
				near := max(size, 5) <= 1e150*unit || unit == 0
				if c.name == "memberships" || c.name == "both" { // which multiply the mean too
					near = near && unit <= 1 && (unit == 0 || size*size <= 1e150*unit)
				}
				if !(got.Objective >= least*(1-1e-14)) || near && !(math.Abs(got.Objective-want) <= 1e-14*want+1e-30*got.Total) {
					t.Errorf("%s of %g, data of %g: objective %g, want %g", c.name, size, unit, got.Objective, want)
				}
			}
		}
	}
}

// TestOptimalNeeds: the floor itself proves nothing where memberships are negative or do
// not add up to 1.
func TestOptimalNeeds(t *testing.T) {
	x := NewMatrix(3, 1, []float64{0, 1, 2})
	for _, c := range []struct {
		f, g []float64
		want bool
	}{
		{[]float64{0, 2}, []float64{1, 0, 0.5, 0.5, 0, 1}, true},
		{[]float64{0, 1}, []float64{1, 0, 0, 1, -1, 2}, false},     // 2 = −1·0 + 2·1
		{[]float64{0, 4}, []float64{1, 0, 0, 0.25, 0, 0.5}, false}, // sums of ¼ and ½
	} {
		f, g := NewMatrix(2, 1, c.f), NewMatrix(3, 2, c.g)
		hidden := bigObjective(x, f, g, certifyAdds(x, nil, f, g).hidden) // all of it: x is GF
		got, err := Certify(context.Background(), x, f, g, nil)
		if err != nil || math.Abs(got.Objective-hidden) > 1e-14*hidden || got.Floor != 0 || got.Optimal(0) != c.want {
			t.Errorf("centers %v, memberships %v: %+v, optimal %t, %v", c.f, c.g, got, got.Optimal(0), err)
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
	want, rounding := bigObjective(x, f, g, nil), float64(x.Rows+x.Cols+f.Rows)*0x1p-52
	most := math.Sqrt(want) + 2.02*certifyAdds(x, nil, f, g).length // the rounding, and its bound
	if !(got.Objective >= want*(1-rounding)) || !(got.Objective <= most*most*(1+4*rounding)) {
		t.Errorf("%g, want %g to %g, for centers of %.2g and memberships of %.2g", got.Objective, want, most*most, f.At(0, 0), g.At(0, 0))
	}
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
