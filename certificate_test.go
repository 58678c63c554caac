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
	for _, scale := range []float64{1, 1e-150, 1e150} {
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

// TestCertifyRange: centers and memberships of any finite size give finite and
// right numbers.
func TestCertifyRange(t *testing.T) {
	g := NewMatrix(3, 2, []float64{1, 0, 0, 1, 0.5, 0.5})
	for _, x := range []*Matrix{
		NewMatrix(3, 2, []float64{1, 0, 0, 1, 1, 1}), NewMatrix(3, 2, []float64{1e-200, 0, 0, 1e-200, 1e-200, 1e-200}),
		NewMatrix(3, 2, []float64{1e-100, 0, 0, 1e-100, 1e-100, 1e-100}),
		NewMatrix(3, 2, []float64{1e200, 0, 0, 1e200, 1e200, 1e200}), NewMatrix(3, 2, nil),
	} {
		for _, size := range []float64{0, 5e-324, 1e-200, 1e-100, 1e-20, 1, 1e50, 1e70, 1e100, 1e150, 1e200, math.MaxFloat64} {
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
						t.Errorf("%s of %g, data of %g: %+v", c.name, size, x.Data[0], got)
						break
					}
				}
				if want := bigObjective(x, c.f, c.g); !(math.Abs(got.Objective-want) <= 1e-14*want+1e-30*got.Total) {
					t.Errorf("%s of %g, data of %g: objective %g, want %g", c.name, size, x.Data[0], got.Objective, want)
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
		got, err := Certify(context.Background(), x, NewMatrix(2, 1, c.f), NewMatrix(3, 2, c.g), nil)
		if err != nil || got.Objective != 0 || got.Floor != 0 || got.Optimal(0) != c.want {
			t.Errorf("centers %v, memberships %v: %+v, optimal %t, %v", c.f, c.g, got, got.Optimal(0), err)
		}
	}
}

// TestCertifyFar: centers or memberships far larger than the data, whose parts cancel to
// any degree, leave an objective with all its digits. Beyond 1e16 it was that of the
// mean, and from 1e60 on 0.
func TestCertifyFar(t *testing.T) {
	const n, d, k = 9, 3, 4
	data := randomData(n, d, 2, 5)
	for _, size := range []float64{1, 0x1p15, 0x1p17, 0x1p30, 1e12, 1e30, 1e59, 1e61, 1e150, 1e300} {
		x, unit := data, 1.0
		if size == 1e300 { // the data's squares and more have no float64 at this size
			unit = 0x1p-300
			x = mapped(data, func(_, _ int, v float64) float64 { return v * unit })
		}
		for _, left := range []float64{0, 0x1p-50, 1e-12, 0.1} { // of the size, after cancelling
			rng := rand.New(rand.NewPCG(uint64(math.Float64bits(size)), uint64(math.Float64bits(left))))
			f, g := mapped(randomData(k, d, 0, 6), func(_, _ int, v float64) float64 { return v * unit }), NewMatrix(n, k, nil)
			for c := range d {
				f.Set(0, c, size*f.At(0, c)/unit)
				f.Set(1, c, -f.At(0, c)*(1+left*rng.NormFloat64()))
			}
			for i := range n {
				h, v := rng.Float64()/2, rng.Float64()
				if i == 0 { // and nothing of the others
					h = 0.5
				}
				copy(g.row(i), []float64{h, h, (1 - 2*h) * v, (1 - 2*h) * (1 - v)})
			}
			want := bigObjective(x, f, g)
			// k+4 roundings of rows and products: within 2^16 of the data, which is less
			// than 16, of the plain sum; beyond of one of twice the digits.
			all := math.Sqrt(n*(sumSquares(x.Data)+sumSquares(f.Data))) * (k + 4) * 0x1p-52
			switch {
			case size > 0x1p20 && left == 0: // and their roundings cancel, too
				all = 0
			case size > 0x1p20:
				all *= 0x1p-52
			}
			if e := 2 * math.Sqrt(want) * all; want == math.MaxFloat64 || math.IsInf(e, 1) {
				continue // the square has no float64
			}
			tol := 2*math.Sqrt(want)*all + all*all + 32*0x1p-52*want
			for _, huge := range []int{0, 16, 40} { // the same products by memberships that are huge
				ff, gg := f.Clone(), g.Clone()
				for i := range d {
					ff.Set(0, i, math.Ldexp(f.At(0, i), -huge))
					ff.Set(1, i, math.Ldexp(f.At(1, i), -huge))
				}
				for i := range n {
					gg.Set(i, 0, math.Ldexp(g.At(i, 0), huge))
					gg.Set(i, 1, math.Ldexp(g.At(i, 1), huge))
				}
				got, err := Certify(context.Background(), x, ff, gg, nil)
				if err != nil || !(math.Abs(got.Objective-want) <= tol) {
					t.Errorf("size %g, of which %g is left, memberships of 2^%d: %g, want %g ± %.2g, %v", size, left, huge, got.Objective, want, tol, err)
				}
				if gap := (want - got.Floor) / got.Total; !(math.Abs(got.Gap-gap) <= tol/got.Total+4*0x1p-52*(1+gap)) {
					t.Errorf("size %g, of which %g is left, memberships of 2^%d: a gap of %g, want %g", size, left, huge, got.Gap, gap)
				}
			}
		}
	}
}

// TestCertifyCancelling: centers at the end of float64's range whose parts cancel
// leave the rest to be seen. It underflowed, to an objective of 0, and of all other
// rows with it.
func TestCertifyCancelling(t *testing.T) {
	x := NewMatrix(2, 2, []float64{0, 100, -3, 50})
	f := NewMatrix(3, 2, []float64{0, 10, math.MaxFloat64, 20, -math.MaxFloat64, 30})
	g := NewMatrix(2, 3, []float64{0.5, 0.25, 0.25, 1, 0, 0})
	c, err := Certify(context.Background(), x, f, g, nil)
	// (0 − 0)² + (100 − 17.5)² + (−3 − 0)² + (50 − 10)²: all exact but for a square root
	// and its square, 4 roundings.
	if want := 82.5*82.5 + 9 + 1600; err != nil || math.Abs(c.Objective-want) > 4*0x1p-52*want {
		t.Errorf("%+v, want an objective of %g, %v", c, want, err)
	}
}

// TestCertifyApart: entries of one center that are further apart than float64 reaches,
// huge centers with memberships to match, and data that is 0.
func TestCertifyApart(t *testing.T) {
	u, h := 1e-145, math.Ldexp(1, -1050)
	v := math.Ldexp(1, -100)
	for _, c := range []struct {
		what    string
		x, f, g *Matrix
	}{
		{"parts of a center that cancel", NewMatrix(3, 3, []float64{0, u, 0, 0, -u, 0, 0, u / 2, 0}),
			NewMatrix(4, 3, []float64{1e182, 0, 4 * u, -1e182, 0, 0, 0, 4 * u, 0, 0, -4 * u, 0}),
			NewMatrix(3, 4, []float64{.25, .25, .375, .125, .25, .25, .125, .375, .25, .25, .3125, .1875})},
		{"three parts", NewMatrix(2, 4, []float64{u, 0, 0, 5e-320, 0, u, 0, 0}),
			NewMatrix(2, 4, []float64{1e307, 0, u, 8e-320, -1e307, 1e12, 0, 0}), NewMatrix(2, 2, []float64{.5, .5, .25, .25})},
		{"huge centers, small memberships", NewMatrix(3, 2, []float64{v, 2 * v, 3 * v, -v, v / 2, v}),
			NewMatrix(2, 2, []float64{math.Ldexp(1, 950), math.Ldexp(-1, 949), v, v}), NewMatrix(3, 2, []float64{h, 1, h, 1, 2 * h, 1})},
	} {
		got, err := Certify(context.Background(), c.x, c.f, c.g, nil)
		if want := bigObjective(c.x, c.f, c.g); err != nil || math.Abs(got.Objective-want) > 16*0x1p-52*want || got.Gap <= 0 || got.Optimal(0) {
			t.Errorf("%s: %+v, want an objective of %g, %v", c.what, got, want, err)
		}
	}
	zeros, ones := NewMatrix(3, 2, nil), NewMatrix(3, 1, []float64{1, 1, 1})
	heavy := []float64{1e300, 1e300, 1e300}
	for _, size := range []float64{0, 1e-165, 1e-20, 1} {
		got, err := Certify(context.Background(), zeros, NewMatrix(1, 2, []float64{size, 0}), ones, &Options{Weights: heavy})
		want := 3e300 * size * size
		if size == 1e-165 { // whose square has no digits
			want = 3e-30
		}
		if err != nil || math.Abs(got.Objective-want) > 16*0x1p-52*want || (got.Gap > 0) != (size > 0) || got.Optimal(0) != (size == 0) {
			t.Errorf("zeros by %g: %+v, want an objective of %g, %v", size, got, want, err)
		}
	}
}

// TestCertifyCancelled: a row of which nothing is left, or nothing that its weight lets
// count, leaves what is left of others to be seen. Objective and gap were 0 and -0.6.
func TestCertifyCancelled(t *testing.T) {
	x := NewMatrix(3, 2, []float64{0, 17.5, -3, 50, 4, 10})
	f := NewMatrix(3, 2, []float64{0, 10, math.MaxFloat64, 20, -math.MaxFloat64, 30})
	g := NewMatrix(3, 3, []float64{0.5, 0.25, 0.25, 1, 0, 0, 1, 0, 0})
	for _, c := range []struct{ zero, light float64 }{{1, 1}, {1e300, 1}, {1, 1e-300}, {1e-300, 1}} {
		w := []float64{c.zero, 1, c.light}
		got, err := Certify(context.Background(), x, f, g, &Options{Weights: w})
		// 0², (−3)² + 40², 4²: a product each, a sum of three, and 1e300's own rounding
		// in the common scale: 8 roundings.
		want := 1609 + 16*c.light
		if err != nil || math.Abs(got.Objective-want) > 8*0x1p-52*want {
			t.Errorf("weights %v: %+v, want an objective of %g, %v", w, got, want, err)
		}
	}
	// A residual of 1e150 with a weight of 1e-300 is one of 1.
	f.Set(1, 0, 1e150)
	f.Set(2, 0, 0)
	g = NewMatrix(3, 3, []float64{0, 1, 0, 1, 0, 0, 1, 0, 0})
	got, err := Certify(context.Background(), x, f, g, &Options{Weights: []float64{1e-300, 1, 1}})
	if want := 1.0 + 1609 + 16; err != nil || math.Abs(got.Objective-want) > 16*0x1p-52*want {
		t.Errorf("%+v, want an objective of %g, %v", got, want, err)
	}
}
