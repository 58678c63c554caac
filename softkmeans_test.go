package softkmeans

import (
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"
)

// TestGlobalMinimum holds every solver and enclosure to the floor of the oracle, on all kinds of shapes, at
// the ends of the range, with a mean far from 0, and where some direction, or all, have no extent.
func TestGlobalMinimum(t *testing.T) {
	t.Parallel()
	line := mapped(NewMatrix(20, 5, nil),
		func(i, j int, _ float64) float64 { return 3 + float64(i)*float64(j+1) })
	iris := loadCSV(t, "iris")
	constant := mapped(randomData(30, 6, 0, 3), func(_, j int, v float64) float64 {
		if j%2 == 0 {
			return 7.7
		}
		return v
	})
	all := []int{0, -498, 488} // 1e-150, and 1e150 for a mean of 1e3
	for _, c := range []struct {
		name string
		x    *Matrix
		ks   []int
		exps []int
	}{
		{"small", randomData(3, 3, 0, 1), []int{1, 2, 3, 4}, all},
		{"far small", randomData(3, 3, 1e3, 1), []int{1, 2, 3, 4}, all},
		{"tall", randomData(50, 6, 0, 1), []int{1, 3, 6, 7, 9}, all},
		{"far tall", randomData(50, 6, 1e3, 1), []int{1, 3, 7, 9}, all},
		{"wide", randomData(7, 30, 0, 1), []int{2, 7, 8}, all},
		{"far wide", randomData(20, fewer(400, 80), 1e3, 1), []int{3, 20}, all[:1]},
		{"very wide", randomData(10, 500, 1, 5), []int{1, 2, 9, 10, 11}, all[:1]},
		{"two rows", randomData(2, 300, 1, 6), []int{1, 2, 3}, all[:1]},
		{"one row", randomData(1, 8, 5, 1), []int{1, 2, 12}, all[:1]},
		{"one value", NewMatrix(1, 1, []float64{-3}), []int{1, 4}, all[:1]},
		{"one column", randomData(9, 1, 2, 4), []int{1, 2, 3, 9}, all[:1]},
		{"identical rows", mapped(NewMatrix(6, 4, nil),
			func(_, j int, _ float64) float64 { return 0.1 + float64(j) }),
			[]int{1, 2, 5, 9}, all[:1]},
		{"zeros", NewMatrix(5, 3, nil), []int{1, 3, 8}, all[:1]},
		{"rank 1", line, []int{1, 2, 7, 30}, all[:1]},
		{"constant columns", constant, []int{1, 3, 4, 7}, all[:1]},
		{"duplicated rows", stacked(iris, iris), []int{1, 3, 5, 6}, all[:1]},
	} {
		floors, total := oracle(c.x, nil)
		size := sumSquares(c.x.Data)
		for _, exp := range c.exps {
			x := mapped(c.x, func(_, _ int, v float64) float64 { return math.Ldexp(v, exp) })
			for _, k := range c.ks {
				for _, solver := range allSolvers {
					for _, enc := range allEnclosures[:1+max(0, 1-abs(exp))] {
						m := mustDo(Fit(bg, x, k, &Options{Solver: solver, Enclosure: enc}))(t)
						checkFeasible(t, m.Memberships)
						floor := floors[min(k-1, len(floors)-1)]
						f := mapped(m.Centers,
							func(_, _ int, v float64) float64 { return math.Ldexp(v, -exp) })
						got := plainObjective(c.x, f, m.Memberships, nil)
						gap := max(math.Abs(got-floor)/total, math.Abs(m.Gap))
						if exp == 0 {
							gap = max(gap, math.Abs(m.Floor-floor)/total, math.Abs(m.Objective-floor)/total,
								math.Abs(m.Total-total)/total)
						}
						if total <= 1e-25*size {
							gap = max(m.Gap, got-1e-28*size)
						}
						if !(gap <= 1e-12) || m.Status != StatusOptimal {
							t.Errorf("%s k=%d 2^%d %v %v: gap %.3g, status %v", c.name, k, exp, solver, enc,
								gap, m.Status)
						}
						mustDo(m.Predict(nil, x))(t)
						finiteModel(t, m)
					}
				}
			}
		}
	}
	// One row that counts, beside larger ones that do not: no variance.
	big := NewMatrix(3, 2, []float64{1e17, -1e16, 3, 1, 1e9, 1e18})
	for _, solver := range allSolvers {
		if m := mustDo(Fit(bg, big, 3, &Options{Solver: solver, Weights: []float64{0, 1,
			0}}))(t); m.Total != 0 || m.Gap != 0 {
			t.Errorf("%v: one row of weight: %+v", solver, m)
		}
	}
	m := mustDo(Fit(bg, big, 2, &Options{Weights: []float64{1e-300, 1e300, 0}}))(t)
	if checkFeasible(t, m.Memberships); m.Gap != 0 {
		t.Errorf("weights 1e600 apart: %+v", m)
	}
	if m := mustDo(Fit(bg, line, 50000, nil))(t); m.Gap > 1e-12 { // k² numbers would be 20 GB
		t.Error("k = 50000", m.Gap)
	}
	for _, v := range mustDo(Fit(bg, rowsOf(stacked(big, big), 2, 3), 3, nil))(t).Memberships.Data {
		if math.Abs(v-1.0/3) > 1e-15 {
			t.Errorf("one row: membership %g, not 1/3", v)
		}
	}
}

// TestRealData holds Fit, Certify and Predict to each other. What is proved of an optimum is
// 1e-12 of the total, and one that a CSV has cut to 15 digits is one still.
func TestRealData(t *testing.T) {
	t.Parallel()
	for _, name := range realSets {
		x := head(loadCSV(t, name), 120)
		for _, k := range []int{1, 3, 14} {
			for _, solver := range allSolvers {
				enc := allEnclosures[(k/3+int(solver))%2]
				m := mustDo(Fit(bg, x, k, &Options{Solver: solver, Enclosure: enc}))(t)
				c := mustDo(Certify(bg, x, m.Centers, m.Memberships, nil))(t)
				span := 1e-7
				if m.Solver == SolverKrylov { // about the root of krylovTol, by which the floor may be off
					span = 1e-6
				}
				if !c.Optimal(1e-12) || math.Abs(c.Floor-m.Floor) > 1e-12*c.Total || c.SpanError > span ||
					m.FloorError > 1e-12*m.Total {
					t.Errorf("%s k=%d %v %v: %+v, a floor within %g", name, k, solver, enc, c, m.FloorError)
				}
				f, g := mapped(m.Centers, digits15), mapped(m.Memberships, digits15)
				if c := mustDo(Certify(bg, x, f, g, nil))(t); !c.Optimal(1e-11) {
					t.Errorf("%s k=%d %v: an optimum of 15 digits is not accepted: %+v", name, k, solver, c)
				}
				// Predict solves a problem that the memberships solve, too.
				p := mustDo(m.Predict(nil, x))(t)
				checkFeasible(t, p)
				tol := 1e-11
				if k > x.Cols+1 {
					tol = 1e-5 // dependent vertices, as Predict documents
				}
				worse := plainObjective(x, m.Centers, p, nil) - plainObjective(x, m.Centers, m.Memberships,
					nil)
				if d := maxDiff(p, m.Memberships); d > tol || worse > 1e-13*c.Total {
					t.Errorf("%s k=%d %v %v: Predict of the training rows differs by %g, and is %g worse",
						name, k, solver, enc, d, worse)
				}
			}
			ball, tight := mustDo(Fit(bg, x, k, nil))(t),
				mustDo(Fit(bg, x, k, &Options{Enclosure: EnclosureTight}))(t)
			if k == 3 && !(mustDo(LogVolume(tight.Centers))(t) < mustDo(LogVolume(ball.Centers))(t)) {
				t.Errorf("%s: the tight simplex is not smaller", name)
			}
		}
	}
}

// TestMemory: X is never copied. Beyond memberships and projections there is room for the
// Gram matrix's partial sums and the workers' blocks. k = 1 needs no Gram matrix, and few
// rows do not take the scratch space of a block of many.
func TestMemory(t *testing.T) {
	const d, k = 64, 10
	n := fewer(20000, 5000)
	x := randomData(n, d, 1, 1)
	blocks := 2 * 4 * 256 * (2*d + k) // two workers, four passes
	limit := 8 * (n*k + n*(k-1) + 24*d*d + blocks)
	if got := int(allocated(func() { mustDo(Fit(bg, x, k, &Options{Workers: 2}))(t) })); got > limit {
		t.Errorf("%d bytes allocated, %d allowed; X has %d", got, limit, 8*n*d)
	}
	square := randomData(600, 700, 3, 1)
	for _, solver := range []Solver{SolverAuto, SolverKrylov} {
		var m *Model
		got := allocated(func() { m = mustDo(Fit(bg, square, 1, &Options{Solver: solver, Workers: 1}))(t) })
		if m.Solver != SolverKrylov || m.Status != StatusOptimal || m.Floor != m.Total ||
			!(m.Gap <= 1e-14+2*gamma(manyChunks+dotDepth(700)+18) && m.Gap >= -m.FloorError/m.Total) {
			t.Errorf("%v: %+v", solver, m)
		}
		if got > 600*600*8 {
			t.Errorf("%v: %d bytes, a Gram matrix is %d", solver, got, 600*600*8)
		}
		if runtime.Compiler == "tinygo" { // which counts more
			continue
		}
		const d = 20000
		for n := 1; n <= 5; n++ {
			x := randomData(n, d, 0, 1)
			// The basis, n, and the probes, their products with the data as many, copies of these.
			most := 30 + 5*n + 5*(probes+1) + 2*stripLength(n)
			o := &Options{Workers: 1, Solver: solver}
			if got := int(allocated(func() { mustDo(Fit(bg, x, 2, o))(t) })) / (8 * d); got > most {
				t.Errorf("%d rows, %v: memory for %d rows", n, solver, got)
			}
		}
	}
}

// TestFitAllocations: a Fit's allocations are its result, a matrix for each of at most 16
// partial sums, and scratch space for each stage: no number of them grows with n.
func TestFitAllocations(t *testing.T) {
	if raceDetector {
		skip(t, "the race detector allocates")
		return
	}
	var counts []float64
	for _, n := range []int{8000, 16000} {
		x := randomData(n, 32, 1, 1)
		counts = append(counts, testing.AllocsPerRun(2,
			func() { mustDo(Fit(bg, x, 10, &Options{Workers: 1}))(t) }))
	}
	if counts[0] > 160 || counts[1] > counts[0]+2 {
		t.Errorf("%g allocations", counts)
	}
}

// TestSeeds: what a seed gives stays the same between versions and machines.
func TestSeeds(t *testing.T) {
	want := []float64{-0.532129989673704, -0.846662668416332, -0.846662668416332, 0.532129989673704}
	if q := RandomOrientation(3, 1); maxDiff(q, NewMatrix(2, 2, want)) > 1e-14 {
		t.Error(q.Data)
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
		centers := mapped(f, times)
		m := &Model{Centers: centers, ClusterMeans: centers}
		got := mustDo(m.PredictLabels(nil, mapped(x, times)))(t)
		if want, _ := plainNearest(x, f); !slices.Equal(got, want) {
			t.Errorf("unit %g: %v, want %v", unit, got, want)
		}
	}
	same := NewMatrix(3, 6, nil)
	if got, err := (&Model{Centers: same, ClusterMeans: same}).PredictLabels(nil, x); err != nil ||
		slices.Max(got) > 0 {
		t.Error("coincident centers:", got, err)
	}
}

// TestOrientationTurns: Q turns the simplex as Options has it, B → BQ, and not by its transpose.
func TestOrientationTurns(t *testing.T) {
	const n, d = 60, 5
	x := mapped(randomData(n, d, 0, 3), func(_, j int, v float64) float64 { return v * float64(d-j) })
	mean := make([]float64, d)
	for i := range n {
		axpy(mean, 1.0/n, x.row(i))
	}
	about := func(m *Matrix) *Matrix {
		return mapped(m, func(_, j int, v float64) float64 { return v - mean[j] })
	}
	_, s, v, err := SVD(about(x))
	must(t, err)
	for _, k := range []int{3, 4} {
		q := RandomOrientation(k, 11)
		plane := mapped(NewMatrix(d, k-1, nil), func(i, j int, _ float64) float64 { return v.At(i, j) })
		var turned [2]*Matrix
		for i, o := range []*Options{nil, {Orientation: q}} {
			m := mustDo(Fit(bg, x, k, o))(t)
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
		want := product(turned[0], mapped(q,
			func(r, c int, v float64) float64 { return signs[r] * v * signs[c] }))
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
		f := NewMatrix(2, 1, []float64{-1, 1 - c.off*0x1p-52})
		got, err := (&Model{Centers: f, ClusterMeans: f}).PredictLabels([]int{9}, NewMatrix(1, 1, nil))
		if err != nil || got[0] != c.want {
			t.Errorf("%g: %v, want %d, %v", c.off, got, c.want, err)
		}
	}
	m := &Model{Centers: NewMatrix(3, 2, []float64{0, 0, 4, 0, 0, 4}), Memberships: NewMatrix(4, 3,
		[]float64{.2, .4, .4, .5, 0, .5, 0, 0, 1, -1, -2, -.5})}
	if got := m.Labels([]int{7, 7, 7, 7}); !slices.Equal(got, []int{1, 0, 2, 2}) {
		t.Errorf("%v", got)
	}
	if got := (&Model{}).Labels(nil); len(got) != 0 {
		t.Errorf("%v", got)
	}
	if got, err := m.Predict(nil, NewMatrix(0, 2, nil)); err != nil || got.Rows != 0 || got.Cols != 3 {
		t.Error(got, err)
	}
	if got, err := m.PredictLabels(nil, NewMatrix(0, 2, nil)); err != nil || len(got) != 0 {
		t.Error(got, err)
	}
	wide := NewMatrix(2, 3, nil)
	for _, err := range []error{second(m.PredictLabels(nil, wide)), second(m.Predict(nil, wide))} {
		if !errors.Is(err, ErrShape) {
			t.Error(err)
		}
	}
}
