package softkmeans

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// lsdObjective is ‖K − PPᵀ/c‖², entry by entry.
func lsdObjective(k, p *Matrix, c float64) (sum float64) {
	for i := range p.Rows {
		for j := range p.Rows {
			d := k.At(i, j) - dot(p.Row(i), p.Row(j))/c
			sum += d * d
		}
	}
	return sum
}

// TestLSDExact: K = PPᵀ/c gives P and c back.
func TestLSDExact(t *testing.T) {
	t.Parallel()
	var worstC, worstObjective, worstP float64
	for k := 2; k <= 8; k += fewer(1, 3) {
		for seed := range seeds() {
			rng := rand.New(rand.NewPCG(seed, uint64(k)))
			c := math.Exp(math.Log(0.01) + rng.Float64()*math.Log(250/0.01))
			p := dirichlet(30*k, k, 0.5, seed)
			kernel := similarityOf(p, c)
			m, err := LSD(bg, kernel, k, &LSDOptions{Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			checkFeasible(t, m.Memberships)
			total := sumSquares(kernel.Data)
			relative := lsdObjective(kernel, m.Memberships, m.Scale) / total
			worstC = max(worstC, math.Abs(m.Scale/c-1))
			worstObjective = max(worstObjective, relative)
			worstP = max(worstP, matched(p, m.Memberships))
			if math.Abs(m.Scale/c-1) > 1e-6 || relative > 1e-10 || matched(p, m.Memberships) > 1e-5 {
				t.Errorf("k=%d seed=%d c=%g: c off by %.1e, objective %.1e of ‖K‖², memberships off by %.1e",
					k, seed, c, m.Scale/c-1, relative, matched(p, m.Memberships))
			}
			if m.Status != StatusConverged || m.Rank != k || m.Floor > m.Objective || math.Abs(m.Objective/total-relative) > 1e-25 {
				t.Errorf("k=%d seed=%d: %v, rank %d, floor %g, objective %g, here %g", k, seed, m.Status, m.Rank, m.Floor, m.Objective, relative*total)
			}
		}
	}
	t.Logf("worst: c %.1e, objective %.1e, memberships %.1e", worstC, worstObjective, worstP)
}

// TestLSDNoisy: with noise the objective is at most that of the true P with its
// best scale, at least the floor, and what the model says it is.
func TestLSDNoisy(t *testing.T) {
	t.Parallel()
	for k := 2; k <= 8; k += fewer(1, 3) {
		for seed := range seeds() {
			p := dirichlet(fewer(full(30, 20), 15)*k, k, 0.5, seed)
			kernel := disturbed(similarityOf(p, 3), 0.01, seed)
			m, err := LSD(bg, kernel, k, &LSDOptions{Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			checkFeasible(t, m.Memberships)
			pp := similarityOf(p, 1)
			best := sumSquares(pp.Data) / dot(pp.Data, kernel.Data)
			truth, got := lsdObjective(kernel, p, best), lsdObjective(kernel, m.Memberships, m.Scale)
			if got > truth || got < m.Floor || math.Abs(got-m.Objective) > 1e-12*m.Total {
				t.Errorf("k=%d seed=%d: objective %g (said to be %g), of the true memberships %g, floor %g", k, seed, got, m.Objective, truth, m.Floor)
			}
			if seed >= 3 {
				continue
			}
			source, err := LSD(bg, kernel, k, &LSDOptions{Seed: seed, MaxIter: -1})
			if err != nil {
				t.Fatal(err)
			}
			if source.Objective < m.Objective || source.Iterations != 0 {
				t.Errorf("k=%d seed=%d: the descent rose from %g to %g", k, seed, source.Objective, m.Objective)
			}
		}
	}
}

// TestLSDNearlyExact: where little is left to gain the descent never ends above
// its start, to the last bit.
func TestLSDNearlyExact(t *testing.T) {
	for seed := range fewer[uint64](40, 8) {
		kernel := disturbed(similarityOf(dirichlet(60, 3, 0.5, seed), 2), math.Pow(10, -5-float64(seed%8)/2), seed)
		start, err := LSD(bg, kernel, 3, &LSDOptions{MaxIter: -1})
		if err != nil {
			t.Fatal(err)
		}
		end, err := LSD(bg, kernel, 3, nil)
		if err != nil {
			t.Fatal(err)
		}
		if end.Objective > start.Objective {
			t.Errorf("seed %d: from %g to %g", seed, start.Objective, end.Objective)
		}
	}
}

// TestLSDAveraged: a matrix that is symmetric to rounding of its source is taken
// as the mean with its mirror image.
func TestLSDAveraged(t *testing.T) {
	kernel := similarityOf(dirichlet(50, 3, 0.5, 1), 2)
	lopsided := mapped(kernel, func(i, j int, v float64) float64 {
		if i < j {
			return v + 1e-9
		}
		return v
	})
	want := mapped(kernel, func(i, j int, v float64) float64 {
		if i != j {
			return v + 0.5e-9
		}
		return v
	})
	a, err := LSD(bg, lopsided, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := LSD(bg, want, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(a.Total-b.Total) > 1e-14*b.Total || math.Abs(a.Objective-b.Objective) > 1e-3*b.Objective || maxDiff(a.Memberships, b.Memberships) > 1e-8 {
		t.Errorf("objective %g of %g, of the mean %g of %g", a.Objective, a.Total, b.Objective, b.Total)
	}
}

// TestLSDTwo: for k = 2 the closed form of the source, p = ½(1 ± √(2cK_jj − 1)).
func TestLSDTwo(t *testing.T) {
	p := dirichlet(60, 2, 1, 4)
	kernel := similarityOf(p, 7)
	m, err := LSD(bg, kernel, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	star := 0
	for j := range 60 {
		if kernel.At(j, j) > kernel.At(star, star) {
			star = j
		}
	}
	closed := NewMatrix(60, 2, nil)
	for j := range 60 {
		s := math.Sqrt(max(0, 2*m.Scale*kernel.At(j, j)-1))
		if m.Scale*kernel.At(star, j) < 0.5 {
			s = -s
		}
		closed.Set(j, 0, (1+s)/2)
		closed.Set(j, 1, (1-s)/2)
	}
	if d := matched(closed, m.Memberships); d > 1e-7 { // of a square root near 0
		t.Errorf("memberships and closed form differ by %g", d)
	}
}

// TestKernelPredict: new samples through a kernel get what Fit's model gives them.
func TestKernelPredict(t *testing.T) {
	x := loadCSV(t, "wine")
	train, rest := rowsOf(x, 0, 120), rowsOf(x, 120, 178)
	fit, err := Fit(bg, train, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	linear, err := LinearKernel(train)
	if err != nil {
		t.Fatal(err)
	}
	m, err := TILSD(bg, linear, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var saved LSDModel
	if err := saved.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	rows, err := linear.Cross(nil, rest)
	if err != nil {
		t.Fatal(err)
	}
	g, err := saved.Predict(nil, rows)
	if err != nil {
		t.Fatal(err)
	}
	want, err := fit.Predict(nil, rest)
	if err != nil {
		t.Fatal(err)
	}
	if d := maxDiff(similarityOf(g, 1), similarityOf(want, 1)); d > 1e-8 {
		t.Errorf("PPᵀ of new samples differs by %g", d)
	}
	// Coordinates are those of which HKH keeps all but the objective.
	all, err := linear.Cross(nil, train)
	if err != nil {
		t.Fatal(err)
	}
	w, err := saved.Coordinates(nil, all)
	if err != nil {
		t.Fatal(err)
	}
	left := centredKernel(all)
	axpy(left.Data, -1, outer(w).Data)
	if got := sumSquares(left.Data); math.Abs(got-m.Objective) > 1e-9*m.Total || w.Cols != 2 {
		t.Errorf("‖HKH − WWᵀ‖² = %g, objective %g", got, m.Objective)
	}
	// An RBF kernel's rows of the training samples give the memberships back; LSD's
	// too where K = PPᵀ/c.
	rbf, err := RBFKernel(train, 0)
	if err != nil {
		t.Fatal(err)
	}
	if m, err = TILSD(bg, rbf, 4, &LSDOptions{Enclosure: EnclosureTight}); err != nil {
		t.Fatal(err)
	}
	if rows, err = rbf.Cross(nil, train); err != nil {
		t.Fatal(err)
	}
	if g, err = m.Predict(nil, rows); err != nil || maxDiff(g, m.Memberships) > 1e-9 {
		t.Errorf("rbf: %v, differs by %g", err, maxDiff(g, m.Memberships))
	}
	p := dirichlet(90, 4, 0.5, 1)
	kernel := similarityOf(p, 5)
	if m, err = LSD(bg, kernel, 4, nil); err != nil {
		t.Fatal(err)
	}
	if g, err = m.Predict(nil, kernel); err != nil || maxDiff(g, m.Memberships) > 1e-7 {
		t.Errorf("LSD: %v, differs by %g", err, maxDiff(g, m.Memberships))
	}
	mustPanic(t, func() { m.Predict(kernel, kernel) })
}

// TestLSDTheorems: an LSDable matrix is TI-LSDable, and samples of a TI-LSDable one are SkMable. Noise
// is none of these, with a floor above 0 that says so.
func TestLSDTheorems(t *testing.T) {
	for k := 2; k <= 6; k++ {
		p := dirichlet(20*k, k, 0.7, uint64(k))
		x := mapped(p, func(_, _ int, v float64) float64 { return v / 3 })
		move := make([]float64, k)
		move[0], move[1] = 0.3, -0.2
		for name, c := range map[string]struct {
			x    *Matrix
			want bool
		}{"P": {x, true}, "moved": {shifted(x, move...), true}, "one more direction": {randomData(40, k, 0, 1), false}} {
			skm, err := SkMable(bg, c.x, k, 1e-7)
			if err != nil {
				t.Fatal(err)
			}
			if ti := isTILSDable(t, outer(c.x), k); ti != c.want || skm != c.want {
				t.Errorf("%s, k=%d: TI-LSDable %v, SkMable %v", name, k, ti, skm)
			}
		}
		for _, f := range []float64{1e-150, 1, 1e150} { // LSDable: its floor is 0, and with fewer clusters it is not
			kernel := similarityOf(p, 1/f)
			floors, err := LSDFloors(bg, kernel, k, nil)
			if err != nil {
				t.Fatal(err)
			}
			if total := floors[0]; floors[k-1] > 1e-24*total || floors[k-2] < 1e-9*total {
				t.Errorf("k=%d, ×%g: floors %g", k, f, floors)
			}
		}
	}
	for _, c := range []struct {
		kernel *Matrix
		k      int
		ti     bool
	}{
		{NewMatrix(2, 2, []float64{1, 0, 0, -1}), 2, true},
		{NewMatrix(2, 2, []float64{-1, 0, 0, -1}), 2, false},
		{NewMatrix(3, 3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}), 2, false},
		{NewMatrix(3, 3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}), 3, true},
		{NewMatrix(2, 2, []float64{1, -0.5, -0.5, 1}), 2, true},
		{NewMatrix(2, 2, []float64{1, 2, 2, 4}), 2, true},
	} {
		if got := isTILSDable(t, c.kernel, c.k); got != c.ti {
			t.Errorf("%v, k=%d: TI-LSDable %v", c.kernel.Data, c.k, got)
		}
	}
}

// TestLSDBits: the same bits for any number of workers, for a strided view, for a
// matrix, a function and a kernel of samples, whatever the Krylov iteration and
// the descent do.
func TestLSDBits(t *testing.T) {
	t.Parallel()
	n, most := fewer(full(290, 200), fullOrder+8), fewer(full(30, 10), 3)
	x := randomData(n, 6, 1, 5)
	rbf, err := RBFKernel(x, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	kernel := NewMatrix(n, n, nil)
	rbf.CopyRows(kernel, 0)
	wide := &Matrix{Rows: n, Cols: n, Stride: n + 10, Data: slices.Repeat([]float64{math.NaN()}, n*(n+10))}
	for i := range n {
		copy(wide.Row(i), kernel.Row(i))
	}
	type call = func(s Similarity, o *LSDOptions) (*LSDModel, error)
	for name, f := range map[string]call{
		"LSD":   func(s Similarity, o *LSDOptions) (*LSDModel, error) { return LSD(bg, s, 4, o) },
		"TILSD": func(s Similarity, o *LSDOptions) (*LSDModel, error) { return TILSD(bg, s, 4, o) },
	} {
		want, err := f(kernel, &LSDOptions{Workers: 1, MaxIter: most})
		if err != nil {
			t.Fatal(err)
		}
		first, err := want.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		for _, workers := range full([]int{1, 2, 7}, []int{1, 7}) {
			o := &LSDOptions{Workers: workers, MaxIter: most}
			for kind, get := range map[string]func() (*LSDModel, error){
				"strided":  func() (*LSDModel, error) { return f(wide, o) },
				"function": func() (*LSDModel, error) { return f(KernelFunc(n, kernel.At), o) },
				"rbf":      func() (*LSDModel, error) { return f(rbf, o) },
			} {
				m, err := get()
				if err != nil {
					t.Fatal(err)
				}
				b, err := m.MarshalBinary()
				if err != nil || string(b) != string(first) {
					t.Errorf("%s, %s, %d workers: other bits (%v)", name, kind, workers, err)
				}
			}
		}
		// A power of two is a change of units.
		m, err := f(mapped(kernel, func(_, _ int, v float64) float64 { return math.Ldexp(v, 300) }), &LSDOptions{MaxIter: most})
		if err != nil || maxDiff(m.Memberships, want.Memberships) != 0 || m.Scale != math.Ldexp(want.Scale, -300) || m.Gap != want.Gap {
			t.Errorf("%s: other bits for K·2^300: %v", name, err)
		}
	}
}

// TestLSDErrors: what is no similarity is an error that says why, before any work.
func TestLSDErrors(t *testing.T) {
	good := similarityOf(dirichlet(12, 2, 1, 1), 1)
	lopsided := good.Clone()
	lopsided.Set(7, 3, lopsided.At(3, 7)+1)
	lopsided.Set(2, 1, lopsided.At(1, 2)+0.5)
	for _, c := range []struct {
		kernel *Matrix
		k      int
		opts   *LSDOptions
		err    error
		phrase string
	}{
		{nil, 2, nil, ErrShape, "kernel is nil"},
		{NewMatrix(3, 4, nil), 2, nil, ErrShape, "3×4, not square"},
		{NewMatrix(0, 0, nil), 2, nil, ErrTooFewSamples, "kernel has no rows"},
		{lopsided, 2, nil, ErrShape, "worst at [7,3]"},
		{mapped(good, func(i, j int, v float64) float64 {
			if i == 4 && j == 5 {
				return math.NaN()
			}
			return v
		}), 2, nil, ErrNonFinite, "kernel[4,5] = NaN"},
		{good, 0, nil, ErrOption, "k is 0"},
		{good, -1, nil, ErrOption, "k is -1"},
		{good, math.MaxInt / 2, nil, ErrOption, "too large"},
		{good, 2, &LSDOptions{Workers: -1}, ErrOption, "Workers is -1"},
		{good, 2, &LSDOptions{Starts: -1}, ErrOption, "Starts is -1"},
		{good, 2, &LSDOptions{Tol: math.NaN()}, ErrOption, "Tol is NaN"},
		{good, 2, &LSDOptions{Enclosure: 7}, ErrOption, "Enclosure"},
		{good, 2, &LSDOptions{Orientation: NewMatrix(2, 2, nil)}, ErrShape, "Orientation"},
	} {
		_, one := LSD(bg, c.kernel, c.k, c.opts)
		_, two := TILSD(bg, c.kernel, c.k, c.opts)
		for _, err := range []error{one, two} {
			if !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.phrase) {
				t.Errorf("%v, want %v with %q", err, c.err, c.phrase)
			}
		}
	}
	for _, none := range []*SampleKernel{nil, {}} {
		if _, err := LSD(bg, none, 2, nil); !errors.Is(err, ErrShape) {
			t.Errorf("no samples: %v", err)
		}
	}
	if _, err := LSD(bg, KernelFunc(4, nil), 2, nil); !errors.Is(err, ErrShape) {
		t.Errorf("no function: %v", err)
	}
	lsd, err := LSD(bg, good, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lsd.Coordinates(nil, good); !errors.Is(err, ErrShape) {
		t.Errorf("coordinates of a model without a map: %v", err)
	}
	for name, c := range map[string]struct {
		s   Similarity
		err error
	}{
		"nil":        {nil, ErrShape},
		"empty":      {KernelFunc(0, nil), ErrTooFewSamples},
		"negative":   {KernelFunc(-3, nil), ErrTooFewSamples},
		"NaN":        {KernelFunc(5, func(i, j int) float64 { return math.Log(float64(i - 3)) }), ErrNonFinite},
		"asymmetric": {KernelFunc(5, func(i, j int) float64 { return float64(i - 2*j) }), ErrShape},
	} {
		if _, err := LSD(bg, c.s, 2, nil); !errors.Is(err, c.err) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := TILSD(bg, c.s, 2, nil); !errors.Is(err, c.err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, gamma := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := RBFKernel(good, gamma); !errors.Is(err, ErrOption) {
			t.Errorf("gamma %g: %v", gamma, err)
		}
	}
	rbf, err := RBFKernel(good, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rbf.Cross(nil, NewMatrix(2, 5, nil)); !errors.Is(err, ErrShape) {
		t.Error(err)
	}
	if _, err := rbf.Cross(nil, NewMatrix(1, 12, slices.Repeat([]float64{math.Inf(1)}, 12))); !errors.Is(err, ErrNonFinite) {
		t.Error(err)
	}
}

// TestLSDRange: the first similarity beyond the range is an error that names the entry,
// of a matrix and of a function; the last one within is none.
func TestLSDRange(t *testing.T) {
	for _, c := range []struct {
		value float64
		good  bool
	}{{mostEntry, true}, {mostEntry * (1 + 0x1p-52), false}, {leastScale, true}, {leastScale * (1 - 0x1p-53), false}} {
		kernel := NewMatrix(5, 5, nil)
		kernel.Set(3, 3, c.value)
		_, one := LSD(bg, kernel, 2, nil)
		_, two := TILSD(bg, KernelFunc(5, kernel.At), 2, nil)
		for _, err := range []error{one, two} {
			var e *InputError
			if c.good != (err == nil) || !c.good && (!errors.Is(err, ErrRange) || !errors.As(err, &e) || e.Row != 3 || e.Col != 3) {
				t.Errorf("%g: %v", c.value, err)
			}
		}
	}
	// Samples of any size in range have products beyond it, and LSD works on the samples.
	x := mapped(dirichlet(30, 3, 0.5, 1), func(_, _ int, v float64) float64 { return v * mostEntry })
	linear := mustDo(LinearKernel(x))(t)
	m := mustDo(LSD(bg, linear, 3, nil))(t)
	if math.Abs(m.Scale*mostEntry*mostEntry-1) > 1e-9 || m.Gap > 1e-9 {
		t.Errorf("scale %g, gap %g", m.Scale, m.Gap)
	}
	if _, err := m.Predict(nil, mustDo(linear.Cross(nil, x))(t)); !errors.Is(err, ErrRange) {
		t.Errorf("products beyond the range: %v", err)
	}
}

// TestLSDDegenerate: what is documented for similarities without structure.
func TestLSDDegenerate(t *testing.T) {
	for name, c := range map[string]struct {
		kernel   *Matrix
		rank     int
		c        float64 // for k = 2; 0: none is best
		relative float64 // objective for k = 2 over the total
	}{
		"zero":              {NewMatrix(5, 5, nil), 0, 0, 0},
		"negative definite": {NewMatrix(2, 2, []float64{-1, 0, 0, -3}), 0, 0, 1},
		"one":               {NewMatrix(1, 1, []float64{4}), 1, 1.0 / 8, 0},
		"one below 0":       {NewMatrix(1, 1, []float64{-4}), 0, 0, 1},
		"constant":          {NewMatrix(4, 4, slices.Repeat([]float64{2}, 16)), 1, 0.25, 0},
		"no positive entry": {NewMatrix(2, 2, []float64{0, -1, -1, 0}), 1, 0, 1},
		"1 not in range":    {NewMatrix(2, 2, []float64{1, -1, -1, 1}), 1, 1, 0.5},
	} {
		for _, f := range []float64{1, 5e149, 1e-150} {
			scaled := mapped(c.kernel, func(_, _ int, v float64) float64 { return f * v })
			for _, k := range []int{1, 2, 3, 9} {
				m, err := LSD(bg, scaled, k, nil)
				if err != nil {
					t.Fatal(err)
				}
				checkFeasible(t, m.Memberships)
				if m.Rank != min(c.rank, k) || m.Status != StatusConverged && m.Status != StatusIterationLimit || m.Gap < -1e-12 {
					t.Errorf("%s ×%g, k=%d: %+v", name, f, k, m)
				}
				if k == 2 {
					want := c.c / f
					if math.Abs(m.Scale-want) > 1e-9*want || m.Total > 0 && math.Abs(m.Objective/m.Total-c.relative) > 1e-12 {
						t.Errorf("%s ×%g: c = %g, want %g; objective %g of %g", name, f, m.Scale, want, m.Objective, m.Total)
					}
				}
				ti, err := TILSD(bg, scaled, k, nil)
				if err != nil {
					t.Fatal(err)
				}
				checkFeasible(t, ti.Memberships)
				if ti.Status != StatusOptimal || !(ti.Scale > 0) || !isFinite(ti.Scale) {
					t.Errorf("%s ×%g, k=%d: TI %+v", name, f, k, ti)
				}
			}
		}
	}
}

// TestLSDCancel: whenever ctx ends its error comes back, with memberships that
// are feasible or none.
func TestLSDCancel(t *testing.T) {
	n := fewer(150, 60)
	kernel := disturbed(similarityOf(dirichlet(n, 4, 1, 1), 1), 0.05, 1)
	for name, f := range map[string]func(ctx context.Context) (*Matrix, Status, error){
		"LSD": func(ctx context.Context) (*Matrix, Status, error) {
			m, err := LSD(ctx, kernel, 4, &LSDOptions{Workers: 1})
			if m == nil {
				return nil, 0, err
			}
			return m.Memberships, m.Status, err
		},
		"TILSD": func(ctx context.Context) (*Matrix, Status, error) {
			m, err := TILSD(ctx, kernel, 4, &LSDOptions{Workers: 1})
			if m == nil {
				return nil, 0, err
			}
			return m.Memberships, m.Status, err
		},
	} {
		kept := 0
		for looks := 1; ; looks += 1 + looks/fewer(8, 3) {
			left := looks
			ctx := countdown{bg, &left}
			g, status, err := f(ctx)
			if err == nil {
				if looks < 20 {
					t.Errorf("%s looks at ctx less than %d times", name, looks)
				}
				if g == nil || status != StatusConverged && status != StatusOptimal {
					t.Errorf("%s: %v without an error, memberships: %v", name, status, g != nil)
				}
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("%s after %d looks: %v", name, looks, err)
			}
			if g != nil {
				kept++
				checkFeasible(t, g)
				if name == "LSD" && maxDiff(g, uniform(n, 4)) < 1e-3 {
					t.Errorf("%s after %d looks: memberships of nothing", name, looks)
				}
				if status != StatusCancelled {
					t.Errorf("%s after %d looks: %v", name, looks, status)
				}
			}
		}
		if kept == 0 && name != "TILSD" {
			t.Errorf("%s never gave the best so far", name)
		}
	}
}

// TestLSDProgress: the descent tells every step, and the last is at most the
// first.
func TestLSDProgress(t *testing.T) {
	kernel := disturbed(similarityOf(dirichlet(90, 3, 1, 1), 1), 0.05, 1)
	var steps []Iteration
	m, err := LSD(bg, kernel, 3, &LSDOptions{Progress: func(it Iteration) { steps = append(steps, it) }})
	if err != nil {
		t.Fatal(err)
	}
	if len(steps) < 2 || steps[0].Iteration != 0 || steps[0].Restart != 0 {
		t.Fatalf("%d calls", len(steps))
	}
	least := math.Inf(1)
	for _, it := range steps {
		least = min(least, it.Loss)
		if it.Floor != m.Floor || it.Objective != it.Loss {
			t.Fatalf("%+v, floor %g", it, m.Floor)
		}
	}
	if math.Abs(least-m.Objective) > 1e-12*m.Total || m.Objective > steps[0].Objective {
		t.Errorf("objective %g, lowest told %g, first %g", m.Objective, least, steps[0].Objective)
	}
}

// TestStandOut: the widest drop of at least a hundredfold decides, and all count
// where there is none.
func TestStandOut(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   int
	}{{nil, 0}, {[]float64{3}, 1}, {[]float64{3, 2, 1}, 3}, {[]float64{300, 4, 3}, 3}, {[]float64{300, 3, 2}, 1},
		{[]float64{5, 4, 0.01, 0.009}, 2}, {[]float64{1e6, 1e3, 1, 1e-5, 1e-6}, 3}} {
		if got := standOut(c.values); got != c.want {
			t.Errorf("%v: %d stand out, want %d", c.values, got, c.want)
		}
	}
}

// TestLSDMemory: nothing of K's size is allocated, all passes together.
func TestLSDMemory(t *testing.T) {
	if quick() {
		skip(t, "takes seconds under the race detector")
		return
	}
	n, k := full(2500, 1200), 6
	kernel := disturbed(similarityOf(dirichlet(n, k, 0.3, 1), 1), 0.05, 1)
	for name, f := range map[string]func() error{
		"TILSD": func() error { _, err := TILSD(bg, kernel, k, &LSDOptions{Workers: 2}); return err },
		"LSD":   func() error { _, err := LSD(bg, kernel, k, &LSDOptions{Workers: 2, MaxIter: 20}); return err },
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := f(); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		used := after.TotalAlloc - before.TotalAlloc
		t.Logf("%s: %.1f MB in all, K has %.1f MB", name, float64(used)/1e6, float64(8*n*n)/1e6)
		if used > uint64(8*n*n) {
			t.Errorf("%s allocated %d bytes, K has %d", name, used, 8*n*n)
		}
	}
}

// FuzzLSD: similarities of any size, in range or not.
func FuzzLSD(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9}, 3, 2, 1)
	f.Add([]byte{200, 0, 255, 128, 1}, 6, 4, 900)
	f.Fuzz(func(t *testing.T, raw []byte, n, k, exp int) {
		n, k = 1+(n&15), 1+(k&7)
		if len(raw) == 0 {
			raw = []byte{0}
		}
		kernel := NewMatrix(n, n, nil)
		at := 0
		for i := range n {
			for j := range i + 1 {
				v := math.Ldexp(float64(int8(raw[at%len(raw)])), exp%1000)
				if !isFinite(v) {
					v = 0
				}
				kernel.Set(i, j, v)
				kernel.Set(j, i, v)
				at++
			}
		}
		o := &LSDOptions{MaxIter: 50}
		m, err1 := LSD(bg, kernel, k, o)
		ti, err2 := TILSD(bg, kernel, k, o)
		top, _ := rowMaxAbs(kernel.Data)
		for _, err := range []error{err1, err2} {
			if good := top == 0 || leastScale <= top && top <= mostEntry; good && err != nil || !good && !errors.Is(err, ErrRange) {
				t.Fatalf("largest entry %g: %v", top, err)
			}
		}
		if err1 != nil {
			return
		}
		for i, m := range []*LSDModel{m, ti} {
			checkFeasible(t, m.Memberships)
			if m.Scale == 0 && m.Objective < m.Total*(1-1e-12) { // only where nothing explains K
				t.Fatalf("%d: %+v", i, m)
			}
			if !(m.Scale >= 0) || !isFinite(m.Scale) || m.Gap < 0 || m.Floor > m.Objective || !isFinite(m.Objective) || !isFinite(m.Distortion) {
				t.Fatalf("%d: %+v", i, m)
			}
			if _, err := m.MarshalBinary(); err != nil {
				t.Fatal(err)
			}
			if _, err := m.Predict(nil, kernel); (err != nil) != (m.Scale == 0) {
				t.Fatal(err)
			}
		}
	})
}

// TestLSDOneCluster: for k = 1 P is 1 and c = n²/ΣK, also where the first
// eigenvector is orthogonal to 1 and shows nothing of that.
func TestLSDOneCluster(t *testing.T) {
	for _, kernel := range []*Matrix{
		NewMatrix(2, 2, []float64{2, -1, -1, 2}),
		NewMatrix(4, 4, []float64{3, -1, 0, 0, -1, 3, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}),
		similarityOf(dirichlet(30, 3, 1, 1), 2),
	} {
		m, err := LSD(bg, kernel, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		n, sum := float64(kernel.Rows), 0.0
		for _, v := range kernel.Data {
			sum += v
		}
		want := sumSquares(kernel.Data) - sum*sum/n/n
		if math.Abs(m.Scale*sum/n/n-1) > 1e-12 || math.Abs(m.Objective-want) > 1e-12*m.Total {
			t.Errorf("n=%g: scale %g, want %g; objective %g, want %g", n, m.Scale, n*n/sum, m.Objective, want)
		}
	}
}

// TestTILSDFarOrigin: a translation of K changes nothing, also where it is so
// large that only rounding of its means is left of HKH, or near to that.
func TestTILSDFarOrigin(t *testing.T) {
	for _, n := range []int{7, 50, 100, 300} {
		for _, v := range []float64{0.1, 0.3, 1, leastScale, mostEntry} {
			kernel := similarity(n, func(_, _ int) float64 { return v })
			m, err := TILSD(bg, kernel, 3, nil)
			if err != nil {
				t.Fatal(err)
			}
			if m.Rank != 0 || m.Floor != 0 || m.Objective > m.FloorError || maxDiff(m.Memberships, uniform(n, 3)) > 0 {
				t.Errorf("n=%d, all %g: rank %d, objective %g, floor %g, memberships %v", n, v, m.Rank, m.Objective, m.Floor, m.Memberships.Row(0))
			}
		}
		// b adds up to 0, so that HKH = bbᵀ, and all sums are exact.
		b := func(i int) float64 { return float64(2*(i%2) - 1) }
		if n%2 == 1 {
			continue
		}
		for _, far := range []float64{0, 0x1p20, 0x1p30, 0x1p45} {
			m, err := TILSD(bg, similarity(n, func(i, j int) float64 { return far + b(i)*b(j) }), 2, nil)
			if err != nil {
				t.Fatal(err)
			}
			if m.Floor > 0 || m.Objective > 1e-20*m.Total || math.Abs(m.Scale-0.5) > 1e-12 || math.Abs(m.Total-float64(n*n)) > 1e-9*m.Total {
				t.Errorf("n=%d, far %g: scale %g, objective %g, floor %g (above %g), total %g", n, far, m.Scale, m.Objective, m.Floor, m.FloorError, m.Total)
			}
		}
	}
}

// TestLSDableFacets: no sample is pure, each just lacks one cluster, and the
// rotation takes hundreds of steps.
func TestLSDableFacets(t *testing.T) {
	if quick() {
		skip(t, "takes minutes under the race detector, which has nothing to find here")
		return
	}
	t.Parallel()
	const n, k = 100, 12
	for _, seed := range full([]uint64{0, 12}, []uint64{12}) {
		rng := rand.New(rand.NewPCG(seed, 0xface))
		p := NewMatrix(n, k, nil)
		for i := range n {
			row := p.Row(i)
			for j := range row {
				row[j] = rng.ExpFloat64()
			}
			row[i%k] = 0
			sum := 0.0
			for _, v := range row {
				sum += v
			}
			scale(row, 1/sum)
		}
		floors, err := LSDFloors(bg, similarityOf(p, 1.3), k, nil)
		if err != nil || floors[k-1] > 1e-24*floors[0] {
			t.Errorf("seed %d: %v, %v", seed, floors, err)
		}
	}
}

// TestLSDCancelled ends the context at every look that LSD takes at it: the error is ctx's, and a model is feasible and what it says it is.
func TestLSDCancelled(t *testing.T) {
	x := randomData(20, 6, 3, 5)
	linear, err := LinearKernel(x)
	if err != nil {
		t.Fatal(err)
	}
	dense, err := newDense(disturbed(similarityOf(dirichlet(20, 3, 0.5, 1), 2), 0.3, 2))
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]Similarity{"linear": linear, "dense": dense} {
		kernel := NewMatrix(20, 20, nil)
		s.CopyRows(kernel, 0)
		o := &LSDOptions{Workers: 1, MaxIter: 5, Starts: 1}
		for at := int64(0); ; at++ {
			ctx := &endingContext{Context: bg}
			ctx.left.Store(at)
			m, err := LSD(ctx, s, 3, o)
			if err == nil {
				if ctx.left.Load() < 0 {
					t.Errorf("%s, look %d: no error", name, at)
				}
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if m == nil {
				continue
			}
			checkFeasible(t, m.Memberships)
			if got := lsdObjective(kernel, m.Memberships, m.Scale); m.Status != StatusCancelled || math.Abs(got-m.Objective) > 1e-9*m.Total {
				t.Errorf("%s, look %d: %v, objective %g, truly %g", name, at, m.Status, m.Objective, got)
			}
		}
		for at := int64(0); ; at++ {
			ctx := &endingContext{Context: bg}
			ctx.left.Store(at)
			m, err := TILSD(ctx, s, 3, o)
			if err == nil {
				if ctx.left.Load() < 0 {
					t.Errorf("%s, TILSD, look %d: no error", name, at)
				}
				break
			}
			if m != nil || !errors.Is(err, context.Canceled) {
				t.Fatal(m, err)
			}
		}
	}
}

// TestLSDHuge: sizes that cannot be are errors, not panics.
func TestLSDHuge(t *testing.T) {
	one := NewMatrix(1, 1, []float64{2})
	for _, k := range []int{math.MaxInt, math.MaxInt - 1, math.MaxInt / 2} {
		_, err1 := LSD(bg, one, k, nil)
		_, err2 := TILSD(bg, one, k, nil)
		for _, err := range []error{err1, err2} {
			if !errors.Is(err, ErrOption) {
				t.Errorf("k = %d: %v", k, err)
			}
		}
		if _, err := LSD(bg, KernelFunc(k, func(i, j int) float64 { return 1 }), 2, nil); !errors.Is(err, ErrShape) {
			t.Errorf("n = %d: %v", k, err)
		}
	}
	// n×k fits, k×k does not.
	k := 1 << (strconv.IntSize/2 - 1)
	if _, err := LSD(bg, one, k, nil); !errors.Is(err, ErrOption) {
		t.Errorf("k = %d: %v", k, err)
	}
	if _, err := LSD(bg, KernelFunc(-1, nil), 2, nil); !errors.Is(err, ErrTooFewSamples) {
		t.Errorf("n = -1: %v", err)
	}
}

// TestTILSDLargest: with nothing but the largest entries in range all is finite.
func TestTILSDLargest(t *testing.T) {
	for n := 1; n < 40; n++ {
		kernel := mapped(NewMatrix(n, n, nil), func(_, _ int, _ float64) float64 { return mostEntry })
		m, err := TILSD(bg, kernel, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Predict(nil, kernel); err != nil {
			t.Errorf("n = %d: %v", n, err)
		}
		if _, err := m.MarshalBinary(); err != nil {
			t.Errorf("n = %d: %v", n, err)
		}
	}
}

// TestLSDPredictKinds: of models of all kinds, those with samples have memberships
// for others, and none of no rows at all.
func TestLSDPredictKinds(t *testing.T) {
	kernel := disturbed(similarityOf(dirichlet(12, 3, 0.5, 1), 2), 0.1, 1)
	for i, m := range lsdModels(t) {
		g, err := m.Predict(nil, kernel)
		if (err != nil) != (i > 3) {
			t.Errorf("model %d: %v", i, err)
		}
		if err == nil {
			checkFeasible(t, g)
			if g, err := m.Predict(nil, nil); g != nil || !errors.Is(err, ErrShape) {
				t.Errorf("model %d: %v for nil rows", i, err)
			}
		}
	}
}

// TestLSDPredictRefuses: models that no function here returns, and small bytes
// that stand for a large one.
func TestLSDPredictRefuses(t *testing.T) {
	p := NewMatrix(2, 2, []float64{1, 0, 0, 1})
	rows := NewMatrix(1, 2, nil)
	for i, c := range []struct {
		m    LSDModel
		want error
	}{
		{LSDModel{}, ErrTooFewSamples},
		{LSDModel{Memberships: p}, ErrOption},
		{LSDModel{Memberships: p, Scale: -1}, ErrOption},
		{LSDModel{Memberships: p, Scale: math.NaN()}, ErrOption},
		{LSDModel{Memberships: p, Scale: math.Inf(1)}, ErrOption},
		{LSDModel{Memberships: &Matrix{Rows: 2, Cols: 2}, Scale: 1}, ErrShape},
		{LSDModel{Memberships: NewMatrix(2, 2, []float64{1, 0, math.NaN(), 1}), Scale: 1}, ErrNonFinite},
		{LSDModel{Memberships: NewMatrix(2, 0, nil), Scale: 1}, ErrTooFewSamples},
		{LSDModel{Memberships: p, Means: []float64{}}, ErrShape},
		{LSDModel{Memberships: p, Means: []float64{0, math.Inf(1)}, Projection: p, Vertices: p}, ErrNonFinite},
		{LSDModel{Memberships: p, Means: []float64{0, 0}, Projection: p, Vertices: NewMatrix(3, 2, nil)}, ErrShape},
	} {
		if _, err := c.m.Predict(nil, rows); !errors.Is(err, c.want) {
			t.Errorf("%d: %v, want %v", i, err, c.want)
		}
	}
	m := LSDModel{Memberships: &Matrix{Rows: 0, Cols: 1 << 29}, Scale: 1}
	if b, err := m.MarshalBinary(); b != nil || !errors.Is(err, ErrShape) {
		t.Errorf("clusters without samples were written: %v", err)
	}
	if _, err := m.Predict(nil, NewMatrix(1, 0, nil)); !errors.Is(err, ErrTooFewSamples) {
		t.Error(err)
	}
}
