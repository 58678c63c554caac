package softkmeans

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"
)

// TestGlobalMinimum holds every solver and enclosure to the floor of the
// oracle, on all kinds of shapes, at the ends of the float64 range, and with a
// mean far from 0.
func TestGlobalMinimum(t *testing.T) {
	t.Parallel()
	const tol = 1e-12 // of ‖Xc‖²
	type shape struct {
		n, d int
		ks   []int
	}
	shapes := []shape{
		{1, 3, []int{1, 2, 3}}, {2, 1, []int{1, 2, 3}}, {3, 3, []int{1, 2, 3, 4}}, {50, 6, []int{1, 2, 3, 6, 7, 9}},
		{7, 30, []int{2, 7, 8}}, {40, 400, []int{1, 3, 20, 40}}, {64, 64, full([]int{2, 10, 63, 64}, []int{2, 63, 64})}, full(shape{3000, 150, []int{4, 30}}, shape{500, 80, []int{4, 30}}),
	}
	if quick() {
		shapes = shapes[:6]
		shapes[5].d, shapes[5].ks = 80, []int{3, 40}
	}
	var worst float64
	for _, sh := range shapes {
		for _, mean := range []float64{0, 1e3} {
			base := randomData(sh.n, sh.d, mean, 1)
			floors, total := oracle(base, nil)
			for _, exp := range []int{0, -498, 488} { // 1e-150, and 1e150 for a mean of 1e3
				x := mapped(base, func(_, _ int, v float64) float64 { return math.Ldexp(v, exp) })
				for _, k := range sh.ks {
					if exp != 0 && (k == 30 || !extended() && k > 20) {
						continue // time
					}
					for _, solver := range allSolvers {
						for _, enc := range allEnclosures {
							m, err := Fit(bg, x, k, &Options{Solver: solver, Enclosure: enc})
							if err != nil {
								t.Fatal(err)
							}
							checkFeasible(t, m.Memberships)
							floor := floors[min(k-1, len(floors)-1)]
							f := mapped(m.Centers, func(_, _ int, v float64) float64 { return math.Ldexp(v, -exp) })
							gap := 0.0
							if total > 0 {
								gap = max(math.Abs(plainObjective(base, f, m.Memberships, nil)-floor)/total, math.Abs(m.Gap))
								if exp == 0 {
									gap = max(gap, math.Abs(m.Floor-floor)/total, math.Abs(m.Objective-floor)/total, math.Abs(m.Total-total)/total)
								}
							}
							worst = max(worst, gap)
							if !(gap <= tol) || m.Status != StatusOptimal {
								t.Errorf("%d×%d k=%d mean=%g 2^%d %v %v: gap %.3g, status %v", sh.n, sh.d, k, mean, exp, solver, enc, gap, m.Status)
							}
						}
					}
				}
			}
		}
	}
	t.Logf("worst gap %.3g of ‖Xc‖²", worst)
}

// TestRealData holds Fit, Certify and Predict to each other.
func TestRealData(t *testing.T) {
	t.Parallel()
	for _, name := range realSets {
		x := head(loadCSV(t, name), 200)
		floors, total := oracle(x, nil)
		for _, k := range fewer(full([]int{1, 2, 3, 5, 10, 14}, []int{1, 3, 10, 14}), []int{1, 3, 14}) {
			for _, solver := range allSolvers {
				for _, enc := range allEnclosures {
					m, err := Fit(bg, x, k, &Options{Solver: solver, Enclosure: enc})
					if err != nil {
						t.Fatal(err)
					}
					c, err := Certify(context.Background(), x, m.Centers, m.Memberships, nil)
					if err != nil {
						t.Fatal(err)
					}
					floor, span := floors[min(k-1, len(floors)-1)], 1e-7
					if m.Solver == SolverKrylov { // about the root of krylovTol, by which the floor may be off
						span = 1e-6
					}
					if !c.Optimal(1e-12) || math.Abs(c.Floor-floor) > 1e-12*total || c.SpanError > span {
						t.Errorf("%s k=%d %v %v: %+v, oracle's floor %g", name, k, solver, enc, c, floor)
					}
					// Predict solves a problem that the memberships solve, too.
					p, err := m.Predict(nil, x)
					if err != nil {
						t.Fatal(err)
					}
					checkFeasible(t, p)
					tol := 1e-11
					if k > x.Cols+1 {
						tol = 1e-5 // dependent vertices, as Predict documents
					}
					if d := maxDiff(p, m.Memberships); d > tol {
						t.Errorf("%s k=%d %v %v: Predict of the training rows differs by %g", name, k, solver, enc, d)
					}
					if a, b := plainObjective(x, m.Centers, p, nil), plainObjective(x, m.Centers, m.Memberships, nil); a > b+1e-13*total {
						t.Errorf("%s k=%d %v %v: Predict's objective is %g above the memberships'", name, k, solver, enc, a-b)
					}
				}
			}
		}
	}
}

// TestTightIsTighter: same objective, a smaller simplex.
func TestTightIsTighter(t *testing.T) {
	for _, name := range realSets {
		x := head(loadCSV(t, name), 300)
		for _, k := range []int{2, 3, 5} {
			ball, err1 := Fit(bg, x, k, nil)
			tight, err2 := Fit(bg, x, k, &Options{Enclosure: EnclosureTight})
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			vb, _ := LogVolume(ball.Centers)
			vt, _ := LogVolume(tight.Centers)
			if !(vt < vb) {
				t.Errorf("%s k=%d: log-volume %g tight, %g ball", name, k, vt, vb)
			}
			// Every facet touches: each column of G has a zero.
			for j := range k {
				low := 1.0
				for i := range x.Rows {
					low = min(low, tight.Memberships.At(i, j))
				}
				if low > 1e-14 {
					t.Errorf("%s k=%d: facet %d is %g away from the data", name, k, j, low)
				}
			}
		}
	}
}

// TestDegenerate: data that leaves some direction, or all, without extent.
func TestDegenerate(t *testing.T) {
	line := NewMatrix(20, 5, nil) // rank 1
	for i := range 20 {
		for j := range 5 {
			line.Set(i, j, 3+float64(i)*float64(j+1))
		}
	}
	same := mapped(NewMatrix(6, 4, nil), func(_, j int, _ float64) float64 { return 0.1 + float64(j) })
	constant := mapped(randomData(30, 6, 0, 3), func(_, j int, v float64) float64 {
		if j%2 == 0 {
			return 7.7
		}
		return v
	})
	iris := loadCSV(t, "iris")
	double := NewMatrix(300, 4, append(iris.Clone().Data, iris.Data...))
	cases := []struct {
		name string
		x    *Matrix
		ks   []int
	}{
		{"identical rows", same, []int{1, 2, 5, 6, 9}},
		{"zeros", NewMatrix(5, 3, nil), []int{1, 3, 8}},
		{"rank 1", line, []int{1, 2, 7, 20, 30}},
		{"one row", randomData(1, 8, 5, 1), []int{1, 2, 12}},
		{"one value", NewMatrix(1, 1, []float64{-3}), []int{1, 4}},
		{"one column", randomData(9, 1, 2, 4), []int{1, 2, 3, 9}},
		{"constant columns", constant, []int{1, 3, 4, 7}},
		{"wide", randomData(10, 500, 1, 5), []int{1, 2, 9, 10, 11}},
		{"two rows, wide", randomData(2, 300, 1, 6), []int{1, 2, 3}},
		{"duplicated rows", double, []int{1, 3, 5, 6}},
		{"tiny", mapped(randomData(8, 3, 0, 7), func(_, _ int, v float64) float64 { return v * 0x1p-495 }), []int{2, 4}},
		{"huge", mapped(randomData(8, 3, 0, 8), func(_, _ int, v float64) float64 { return v * 0x1p495 }), []int{1, 2}},
	}
	for _, c := range cases {
		scaled := c.x // for the test's own arithmetic
		switch c.name {
		case "tiny":
			scaled = mapped(c.x, func(_, _ int, v float64) float64 { return v * 0x1p495 })
		case "huge":
			scaled = mapped(c.x, func(_, _ int, v float64) float64 { return v * 0x1p-495 })
		}
		floors, total := oracle(scaled, nil)
		size := 0.0
		for _, v := range scaled.Data {
			size += v * v
		}
		for _, k := range c.ks {
			for _, solver := range allSolvers {
				for _, enc := range allEnclosures {
					m, err := Fit(bg, c.x, k, &Options{Solver: solver, Enclosure: enc})
					if err != nil {
						t.Fatalf("%s k=%d: %v", c.name, k, err)
					}
					checkFeasible(t, m.Memberships)
					for _, v := range m.Centers.Data {
						if !isFinite(v) {
							t.Fatalf("%s k=%d %v %v: center %g", c.name, k, solver, enc, v)
						}
					}
					if len(floors) > 0 && total > 1e-25*size {
						f := m.Centers
						if scaled != c.x {
							up := scaled.Data[0] / c.x.Data[0]
							f = mapped(f, func(_, _ int, v float64) float64 { return v * math.Sqrt(up) * math.Sqrt(up) })
						}
						got := plainObjective(scaled, f, m.Memberships, nil)
						want := floors[min(k-1, len(floors)-1)]
						if tol := 1e-12 * total; math.Abs(got-want) > tol {
							t.Errorf("%s k=%d %v %v: objective %g, floor %g, total %g", c.name, k, solver, enc, got, want, total)
						}
					} else if got := plainObjective(scaled, m.Centers, m.Memberships, nil); got > 1e-28*size {
						t.Errorf("%s k=%d %v %v: objective %g on data without extent", c.name, k, solver, enc, got)
					}
					if _, err := m.Predict(nil, c.x); err != nil {
						t.Fatal(err)
					}
					if b, err := m.MarshalBinary(); err != nil || len(b) == 0 {
						t.Fatalf("%s k=%d: %v", c.name, k, err)
					}
				}
			}
		}
	}
	// One row that counts, beside larger ones that do not: no variance.
	big := NewMatrix(3, 2, []float64{1e17, -1e16, 3, 1, 1e9, 1e18})
	for _, solver := range allSolvers {
		m, err := Fit(bg, big, 3, &Options{Solver: solver, Weights: []float64{0, 1, 0}})
		if err != nil || m.Total != 0 || m.Gap != 0 {
			t.Errorf("%v: one row of weight: %+v, %v", solver, m, err)
		}
	}
	if m, err := Fit(bg, big, 2, &Options{Weights: []float64{1e-300, 1e300, 0}}); err != nil || m.Gap != 0 {
		t.Errorf("weights 1e600 apart: %+v, %v", m, err)
	} else {
		checkFeasible(t, m.Memberships)
	}
	if m, err := Fit(bg, line, 50000, nil); err != nil || m.Gap > 1e-12 { // k² numbers would be 20 GB
		t.Error("k = 50000", err)
	}
	m, _ := Fit(bg, same, 3, nil)
	for _, v := range m.Memberships.Data {
		if math.Abs(v-1.0/3) > 1e-15 {
			t.Errorf("identical rows: membership %g, not 1/3", v)
		}
	}
}

// TestOrientation: all orientations are optimal, and they differ.
func TestOrientation(t *testing.T) {
	x := loadCSV(t, "iris")
	for _, k := range []int{2, 3, 5, 8} {
		base, err := Fit(bg, x, k, nil)
		if err != nil {
			t.Fatal(err)
		}
		mirror := mapped(identity(k-1), func(_, _ int, v float64) float64 { return -v })
		for _, q := range []*Matrix{mirror, RandomOrientation(k, 1), RandomOrientation(k, 2)} {
			for _, enc := range allEnclosures {
				m, err := Fit(bg, x, k, &Options{Orientation: q, Enclosure: enc})
				if err != nil {
					t.Fatal(err)
				}
				c, err := Certify(context.Background(), x, m.Centers, m.Memberships, nil)
				if err != nil || !c.Optimal(1e-12) {
					t.Errorf("k=%d: %+v %v", k, c, err)
				}
				if k > 2 && maxDiff(m.Memberships, base.Memberships) < 1e-3 {
					t.Errorf("k=%d: another orientation, the same memberships", k)
				}
			}
		}
	}
	if maxDiff(RandomOrientation(5, 3), RandomOrientation(5, 3)) != 0 {
		t.Error("RandomOrientation is not a function of its seed")
	}
}

// TestMemory: X is never copied. Beyond memberships and projections there is
// room for the Gram matrix's partial sums and the workers' blocks.
func TestMemory(t *testing.T) {
	const d, k = 64, 10
	n := fewer(20000, 10000)
	x := randomData(n, d, 1, 1)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := Fit(bg, x, k, &Options{Workers: 2}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	blocks := 2 * 4 * 256 * (2*d + k) // two workers, four passes
	limit := 8 * (n*k + n*(k-1) + 24*d*d + blocks)
	if got := int(after.TotalAlloc - before.TotalAlloc); got > limit {
		t.Errorf("%d bytes allocated, %d allowed; X has %d", got, limit, 8*n*d)
	}
}

// TestFitAllocations: a Fit's allocations are its result, a matrix for each of at
// most 16 partial sums, and scratch space for each stage: no number of them
// grows with n.
func TestFitAllocations(t *testing.T) {
	if raceDetector {
		skip(t, "the race detector allocates")
		return
	}
	var counts []float64
	rows := fewer([]int{20000, 60000}, []int{10000, 20000})
	for _, n := range rows {
		x := randomData(n, 32, 1, 1)
		counts = append(counts, testing.AllocsPerRun(2, func() {
			if _, err := Fit(bg, x, 10, &Options{Workers: 1}); err != nil {
				t.Fatal(err)
			}
		}))
	}
	if counts[0] > 160 || counts[1] > counts[0]+2 {
		t.Errorf("%g allocations for %d rows, %g for %d", counts[0], rows[0], counts[1], rows[1])
	}
}

func TestLabels(t *testing.T) {
	m := &Model{Memberships: NewMatrix(3, 3, []float64{.2, .5, .3, .4, .4, .2, 1. / 3, 1. / 3, 1. / 3})}
	if got := m.Labels(nil); got[0] != 1 || got[1] != 0 || got[2] != 0 {
		t.Error(got)
	}
	if got := (&Model{}).Labels(nil); len(got) != 0 {
		t.Error(got)
	}
}

// TestNearest: the label of the smallest distance, at any scale, for rows far
// away, and in the order of the centers on ties.
func TestNearest(t *testing.T) {
	x, f := randomData(500, 6, 2, 1), randomData(7, 6, 2, 2)
	copy(f.row(5), f.row(2)) // never found
	copy(x.row(9), f.row(2))
	scale(x.row(11), 1e9)
	for _, unit := range []float64{1, 5e140, 1e-150} { // a row is 1e9 times as large
		times := func(_, _ int, v float64) float64 { return v * unit }
		m := &Model{Centers: mapped(f, times)}
		got, err := m.Nearest(nil, mapped(x, times))
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range got {
			best, at := math.Inf(1), 0
			for j := range f.Rows {
				d := 0.0
				for c, v := range x.row(i) {
					d += (v - f.At(j, c)) * (v - f.At(j, c))
				}
				if d < best {
					best, at = d, j
				}
			}
			if l != at {
				t.Errorf("unit %g row %d: %d, want %d", unit, i, l, at)
			}
		}
	}
	m := &Model{Centers: f}
	want, err := m.Nearest(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	for old := range f.Rows { // dst has other labels before
		got, err := m.Nearest(slices.Repeat([]int{old}, x.Rows), x)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("labels that were all %d change the result: %v", old, err)
		}
	}
	if _, err := m.Nearest(nil, NewMatrix(2, 5, nil)); !errors.Is(err, ErrShape) {
		t.Error(err)
	}
	if got, err := (&Model{Centers: NewMatrix(3, 6, nil)}).Nearest(nil, x); err != nil || slices.Max(got) > 0 {
		t.Error("coincident centers:", got, err)
	}
}

// TestPredictEdges: what has no memberships, and no rows.
func TestPredictEdges(t *testing.T) {
	x := randomData(40, 3, 0, 1)
	m, err := Fit(bg, x, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Predict(nil, randomData(4, 2, 0, 1)); !errors.Is(err, ErrShape) {
		t.Error(err)
	}
	if got, err := m.Predict(nil, NewMatrix(0, 3, nil)); err != nil || got.Rows != 0 || got.Cols != 3 {
		t.Error("no rows", err)
	}
}

// TestOneCenterLarge: k = 1 needs no direction, and so no Gram matrix.
func TestOneCenterLarge(t *testing.T) {
	x := randomData(600, 700, 3, 1)
	for _, solver := range []Solver{SolverAuto, SolverKrylov} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m, err := Fit(bg, x, 1, &Options{Solver: solver, Workers: 1})
		runtime.ReadMemStats(&after)
		if err != nil || m.Solver != SolverKrylov || m.Status != StatusOptimal || m.Floor != m.Total || !(m.Gap <= 1e-14+2*gamma(manyChunks+dotDepth(700)+18) && m.Gap >= -m.FloorError/m.Total) {
			t.Errorf("%v: %+v %v", solver, m, err)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > 600*600*8 {
			t.Errorf("%v: %d bytes, a Gram matrix is %d", solver, got, 600*600*8)
		}
	}
}

// TestFewLongRows: few rows do not take the scratch space of a block of many.
func TestFewLongRows(t *testing.T) {
	if runtime.Compiler == "tinygo" {
		skip(t, "TinyGo counts more: what Go keeps on the stack, and what it rounds up")
		return
	}
	d := fewer(100000, 30000)
	for n := 1; n <= 5; n++ {
		x := randomData(n, d, 0, 1)
		for _, solver := range []Solver{SolverAuto, SolverKrylov} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if _, err := Fit(bg, x, 2, &Options{Workers: 1, Solver: solver}); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			// The basis and the probes are probes+1 of them, their products with the data as many.
			if got := int(after.TotalAlloc-before.TotalAlloc) / (8 * d); got > 30+n+4*(probes+1)+2*stripLength(n) {
				t.Errorf("%d rows, %v: memory for %d rows", n, solver, got)
			}
		}
	}
}

// TestOrientationTurns: Q turns the simplex as Options has it, B → BQ, and not by its
// transpose.
func TestOrientationTurns(t *testing.T) {
	const n, d = 60, 5
	x := mapped(randomData(n, d, 0, 3), func(_, j int, v float64) float64 { return v * float64(d-j) })
	mean := make([]float64, d)
	for i := range n {
		axpy(mean, 1.0/n, x.row(i))
	}
	about := func(m *Matrix) *Matrix { return mapped(m, func(_, j int, v float64) float64 { return v - mean[j] }) }
	_, s, v, err := SVD(about(x))
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []int{3, 4} {
		q := RandomOrientation(k, 11)
		plane := mapped(NewMatrix(d, k-1, nil), func(i, j int, _ float64) float64 { return v.At(i, j) })
		var turned [2]*Matrix
		for i, o := range []*Options{nil, {Orientation: q}} {
			m, err := Fit(bg, x, k, o)
			if err != nil {
				t.Fatal(err)
			}
			turned[i] = product(about(m.Centers), plane)
		}
		// Without Q this is s·B but for the signs of the directions.
		b, signs := RegularSimplex(k), make([]float64, k-1)
		for c := range signs {
			for j := range k {
				signs[c] += turned[0].At(j, c) * b.At(j, c)
			}
			signs[c] = math.Copysign(1, signs[c])
		}
		want := product(turned[0], mapped(q, func(r, c int, v float64) float64 { return signs[r] * v * signs[c] }))
		gap := math.Inf(1)
		for i := range k - 1 {
			gap = min(gap, s[i]*s[i]-s[i+1]*s[i+1])
		}
		// The Gram matrix of n rows is within n·2^-52·‖X‖², its directions within that over
		// the gap (Davis & Kahan).
		tol := 2 * n * 0x1p-52 * sumSquares(s) / gap
		if d, size := maxDiff(turned[1], want), norm2(want.Data); !(d <= tol*size) {
			t.Errorf("k = %d: off by %g of %g, %g are allowed", k, d, size, tol*size)
		}
	}
}

// TestNearestTie: distances that agree to rounding are a tie, which the lowest index has,
// and ones that differ by more are none.
func TestNearestTie(t *testing.T) {
	for _, c := range []struct {
		off  float64 // the second center's offset, in units of 2^-52
		want int
	}{{0, 0}, {1, 0}, {64, 1}, {-64, 0}} {
		// The sample is halfway between −1 and 1, but for the offset.
		m := &Model{Centers: NewMatrix(2, 1, []float64{-1, 1 - c.off*0x1p-52})}
		got, err := m.Nearest([]int{9}, NewMatrix(1, 1, []float64{0}))
		if err != nil || got[0] != c.want {
			t.Errorf("%g: %v, want %d, %v", c.off, got, c.want, err)
		}
	}
	m := &Model{Centers: NewMatrix(3, 2, []float64{0, 0, 4, 0, 0, 4}), Memberships: NewMatrix(4, 3, []float64{.2, .4, .4, .5, 0, .5, 0, 0, 1, -1, -2, -.5})}
	if got := m.Labels([]int{7, 7, 7, 7}); !slices.Equal(got, []int{1, 0, 2, 2}) {
		t.Errorf("%v", got)
	}
	if got := (&Model{}).Labels(nil); len(got) != 0 {
		t.Errorf("%v", got)
	}
	mustPanic(t, func() { m.Labels(make([]int, 3)) })
	mustPanic(t, func() { m.Nearest(make([]int, 3), NewMatrix(2, 2, nil)) })
	if got, err := m.Nearest(nil, NewMatrix(0, 2, nil)); err != nil || len(got) != 0 {
		t.Error(got, err)
	}
	x := NewMatrix(2, 2, []float64{1, 2, 3, 4})
	nan := NewMatrix(2, 2, []float64{1, 2, math.NaN(), 4})
	for i, c := range []struct {
		m    *Model
		x    *Matrix
		want error
	}{
		{&Model{}, x, ErrTooFewSamples}, {&Model{Centers: NewMatrix(0, 2, nil)}, x, ErrTooFewSamples}, {&Model{Centers: &Matrix{Rows: -1}}, x, ErrShape}, {&Model{Centers: nan}, x, ErrNonFinite},
		{m, nil, ErrShape}, {m, NewMatrix(2, 3, nil), ErrShape}, {m, nan, ErrNonFinite},
	} {
		dst := []int{5, 6}
		if got, err := c.m.Nearest(dst, c.x); !errors.Is(err, c.want) || !slices.Equal(dst, []int{5, 6}) {
			t.Errorf("%d: %v, %v, dst %v", i, got, err, dst)
		}
		if got, err := c.m.Predict(nil, c.x); got != nil || !errors.Is(err, c.want) {
			t.Errorf("%d: Predict: %v", i, err)
		}
	}
}
