package softkmeans

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var bg = context.Background()

var (
	allSolvers    = []Solver{SolverAuto, SolverGram, SolverJacobi, SolverKrylov}
	allEnclosures = []Enclosure{EnclosureBall, EnclosureTight}
	realSets      = []string{"iris", "wine", "digits", "breast_cancer"}
)

// testData is in the test program itself, for machines without files: TinyGo's
// WebAssembly has none.
//
//go:embed testdata/*.csv
var testData embed.FS

// loadCSV reads a data set of testdata.
func loadCSV(t testing.TB, name string) *Matrix {
	t.Helper()
	return readCSV(t, testData, "testdata/"+name+".csv")
}

func readCSV(t testing.TB, files fs.FS, path string) *Matrix {
	t.Helper()
	b, err := fs.ReadFile(files, path)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]float64
	for _, line := range strings.Fields(string(b)) {
		var row []float64
		for _, f := range strings.Split(line, ",") {
			v, err := strconv.ParseFloat(f, 64)
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, v)
		}
		rows = append(rows, row)
	}
	m, err := FromRows(rows)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// randomData has independent normal entries times 1/(1+column), so that the
// spectrum falls, plus a mean of `mean` in every column.
func randomData(n, d int, mean float64, seed uint64) *Matrix {
	rng := rand.New(rand.NewPCG(seed, 77))
	m := NewMatrix(n, d, nil)
	for i := range n {
		for j := range d {
			m.Set(i, j, mean+rng.NormFloat64()/(1+float64(j)/4))
		}
	}
	return m
}

func mapped(m *Matrix, f func(i, j int, v float64) float64) *Matrix {
	c := m.Clone()
	for i := range c.Rows {
		for j, v := range c.Row(i) {
			c.Set(i, j, f(i, j, v))
		}
	}
	return c
}

// oracle finds floors and total the slow and obvious way: centre the data,
// form the smaller Gram matrix entry by entry, and diagonalise it with the
// classical Jacobi method. x must be of moderate size.
func oracle(x *Matrix, w []float64) (floors []float64, total float64) {
	n, d := x.Dims()
	mean, weight := make([]float64, d), 0.0
	at := func(i int) float64 {
		if w == nil {
			return 1
		}
		return w[i]
	}
	for i := range n {
		weight += at(i)
	}
	for j := range d {
		for i := range n {
			mean[j] += at(i) * (x.At(i, j) - x.At(0, j))
		}
		mean[j] = x.At(0, j) + mean[j]/weight
	}
	m := min(n, d)
	a := make([][]float64, m)
	for p := range m {
		a[p] = make([]float64, m)
		for q := range m {
			if d <= n {
				for i := range n {
					a[p][q] += at(i) * (x.At(i, p) - mean[p]) * (x.At(i, q) - mean[q])
				}
			} else {
				for j := range d {
					a[p][q] += math.Sqrt(at(p)*at(q)) * (x.At(p, j) - mean[j]) * (x.At(q, j) - mean[j])
				}
			}
		}
	}
	for p := range m {
		total += a[p][p]
	}
	for range 50 {
		off := 0.0
		for p := range m {
			for q := p + 1; q < m; q++ {
				off += a[p][q] * a[p][q]
				if a[p][q] == 0 {
					continue
				}
				angle := 0.5 * math.Atan2(2*a[p][q], a[p][p]-a[q][q])
				c, s := math.Cos(angle), math.Sin(angle)
				for i := range m {
					a[i][p], a[i][q] = c*a[i][p]+s*a[i][q], c*a[i][q]-s*a[i][p]
				}
				for i := range m {
					a[p][i], a[q][i] = c*a[p][i]+s*a[q][i], c*a[q][i]-s*a[p][i]
				}
			}
		}
		if off <= 1e-34*total*total {
			break
		}
	}
	values := make([]float64, m)
	for p := range m {
		values[p] = max(a[p][p], 0)
	}
	order := descending(values)
	floors = make([]float64, m+1)
	for i := m - 1; i >= 0; i-- {
		floors[i] = floors[i+1] + values[order[i]]
	}
	return floors, total
}

// plainObjective is Σw_i‖x_i − Σg_ij f_j‖², as printed.
func plainObjective(x, f, g *Matrix, w []float64) float64 {
	var sum float64
	for i := range x.Rows {
		var row float64
		for j := range x.Cols {
			v := x.At(i, j)
			for l := range f.Rows {
				v -= g.At(i, l) * f.At(l, j)
			}
			row += v * v
		}
		if w != nil {
			row *= w[i]
		}
		sum += row
	}
	return sum
}

// checkFeasible fails unless rows are exactly non-negative and add up to 1.
func checkFeasible(t *testing.T, g *Matrix) {
	t.Helper()
	for i := range g.Rows {
		sum := 0.0
		for j, v := range g.Row(i) {
			if !(v >= 0) {
				t.Fatalf("membership (%d,%d) is %g", i, j, v)
			}
			sum += v
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Fatalf("memberships of row %d add up to 1%+g", i, sum-1)
		}
	}
}

func maxDiff(a, b *Matrix) (worst float64) {
	for i := range a.Rows {
		for j, v := range a.Row(i) {
			worst = max(worst, math.Abs(v-b.At(i, j)))
		}
	}
	return worst
}

// TestGlobalMinimum holds every solver and enclosure to the floor of the
// oracle, on all kinds of shapes, at the ends of the float64 range, and with a
// mean far from 0.
func TestGlobalMinimum(t *testing.T) {
	t.Parallel()
	const tol = 1e-12 // of ‖Xc‖²
	shapes := []struct {
		n, d int
		ks   []int
	}{
		{1, 3, []int{1, 2, 3}}, {2, 1, []int{1, 2, 3}}, {3, 3, []int{1, 2, 3, 4}}, {50, 6, []int{1, 2, 3, 6, 7, 9}},
		{7, 30, []int{2, 7, 8}}, {40, 400, []int{1, 3, 20, 40}}, {64, 64, []int{2, 10, 63, 64}}, {3000, 150, []int{4, 30}},
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
			for _, exp := range []int{0, -498, 498} { // 2^±498 = 1e±150
				x := mapped(base, func(_, _ int, v float64) float64 { return math.Ldexp(v, exp) })
				for _, k := range sh.ks {
					if exp != 0 && k == 30 {
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
	for _, name := range realSets {
		x := head(loadCSV(t, name), 200)
		floors, total := oracle(x, nil)
		for _, k := range fewer([]int{1, 2, 3, 5, 10, 14}, []int{1, 3, 14}) {
			for _, solver := range allSolvers {
				for _, enc := range allEnclosures {
					m, err := Fit(bg, x, k, &Options{Solver: solver, Enclosure: enc})
					if err != nil {
						t.Fatal(err)
					}
					c, err := Certify(x, m.Centers, m.Memberships)
					if err != nil {
						t.Fatal(err)
					}
					floor := floors[min(k-1, len(floors)-1)]
					if !c.Optimal(1e-12) || math.Abs(c.Floor-floor) > 1e-12*total || c.SpanError > 1e-7 {
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
		{"denormal", mapped(randomData(8, 3, 0, 7), func(_, _ int, v float64) float64 { return v * 0x1p-1060 }), []int{2, 4}},
		{"near overflow", mapped(randomData(8, 3, 0, 8), func(_, _ int, v float64) float64 { return v * 0x1p1015 }), []int{1, 2}},
	}
	for _, c := range cases {
		scaled := c.x // for the test's own arithmetic
		switch c.name {
		case "denormal":
			scaled = mapped(c.x, func(_, _ int, v float64) float64 { return v * 0x1p1000 * 0x1p60 })
		case "near overflow":
			scaled = mapped(c.x, func(_, _ int, v float64) float64 { return v * 0x1p-1015 })
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
						if tol := 1e-12 * total; c.name != "denormal" && math.Abs(got-want) > tol {
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

// TestWeights: a weight is a repetition, 0 is absence, a common factor only
// scales the objective.
func TestWeights(t *testing.T) {
	iris := loadCSV(t, "iris")
	rng := rand.New(rand.NewPCG(9, 9))
	w := make([]float64, iris.Rows)
	var repeated [][]float64
	for i := range w {
		w[i] = float64(rng.IntN(4))
		for range int(w[i]) {
			repeated = append(repeated, iris.Row(i))
		}
	}
	twice, _ := FromRows(repeated)
	wide := iris.transposed()
	ww := []float64{1, 0, 2, 3}
	wideTwice, _ := FromRows([][]float64{wide.Row(0), wide.Row(2), wide.Row(2), wide.Row(3), wide.Row(3), wide.Row(3)})
	for _, c := range []struct {
		x, rep *Matrix
		w      []float64
		k      int
	}{{iris, twice, w, 3}, {iris, twice, w, 7}, {wide, wideTwice, ww, 2}} {
		for _, solver := range allSolvers {
			for _, enc := range allEnclosures {
				a, err := Fit(bg, c.x, c.k, &Options{Weights: c.w, Solver: solver, Enclosure: enc})
				if err != nil {
					t.Fatal(err)
				}
				checkFeasible(t, a.Memberships)
				b, err := Fit(bg, c.rep, c.k, &Options{Solver: solver, Enclosure: enc})
				if err != nil {
					t.Fatal(err)
				}
				if d := math.Abs(a.Objective - b.Objective); d > 1e-10*b.Total || math.Abs(a.Floor-b.Floor) > 1e-10*b.Total {
					t.Errorf("%v %v k=%d: objective %g weighted, %g repeated", solver, enc, c.k, a.Objective, b.Objective)
				}
				if d := maxDiff(a.Centers, b.Centers); d > 1e-10*math.Sqrt(b.Total) {
					t.Errorf("%v %v k=%d: centers differ by %g", solver, enc, c.k, d)
				}
				row := 0
				for i, wi := range c.w {
					for range int(wi) {
						for j := range c.k {
							if d := math.Abs(a.Memberships.At(i, j) - b.Memberships.At(row, j)); d > 1e-10 {
								t.Fatalf("%v %v: memberships differ by %g", solver, enc, d)
							}
						}
						row++
					}
				}
				cert, err := CertifyWeighted(c.x, a.Centers, a.Memberships, c.w)
				if err != nil || !cert.Optimal(1e-12) {
					t.Errorf("%v %v: %+v %v", solver, enc, cert, err)
				}
				big := make([]float64, len(c.w))
				for i, v := range c.w {
					big[i] = v * 0x1p600
				}
				s, err := Fit(bg, c.x, c.k, &Options{Weights: big, Solver: solver, Enclosure: enc})
				if err != nil || maxDiff(s.Memberships, a.Memberships) != 0 || maxDiff(s.Centers, a.Centers) != 0 || s.Objective != a.Objective*0x1p600 {
					t.Errorf("%v %v: weights times 2^600 change more than the scale (%v)", solver, enc, err)
				}
			}
		}
	}
}

// TestSameBits: workers, strides and repetition change nothing.
func TestSameBits(t *testing.T) {
	// Nor do the bits depend on how many processors there are.
	wide := randomData(1000, 6, 1, 3) // four tasks
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	few, err := Fit(bg, wide, 4, nil)
	if err != nil {
		t.Fatal(err)
	}
	runtime.GOMAXPROCS(3)
	if more, err := Fit(bg, wide, 4, nil); err != nil || maxDiff(few.Centers, more.Centers) != 0 || few.Objective != more.Objective {
		t.Errorf("three processors give other bits than one: %v", err)
	}

	same := func(a, b *Model) bool {
		return maxDiff(a.Centers, b.Centers) == 0 && maxDiff(a.Memberships, b.Memberships) == 0 &&
			a.Objective == b.Objective && a.Floor == b.Floor && a.Total == b.Total && a.Gap == b.Gap
	}
	for _, x := range []*Matrix{randomData(fewer(3000, 800), 20, 1, 1), randomData(30, fewer(900, 600), 1, 2), head(loadCSV(t, "digits"), 500)} {
		view := &Matrix{Rows: x.Rows, Cols: x.Cols, Stride: x.Cols + 3, Data: make([]float64, x.Rows*(x.Cols+3)-3)}
		for i := range view.Data {
			view.Data[i] = math.NaN() // between the rows: must not be read
		}
		for i := range x.Rows {
			copy(view.Row(i), x.Row(i))
		}
		w := make([]float64, x.Rows)
		for i := range w {
			w[i] = float64(i%5) + 0.5
		}
		for _, solver := range allSolvers {
			o := Options{Solver: solver, Enclosure: EnclosureTight, Weights: w, Workers: 1}
			one, err := Fit(bg, x, 4, &o)
			if err != nil {
				t.Fatal(err)
			}
			p, _, err := SimplexLeastSquares(nil, x, one.Centers, &SimplexOptions{Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			for _, workers := range []int{2, 7} {
				o.Workers = workers
				m, err := Fit(bg, x, 4, &o)
				if err != nil || !same(one, m) {
					t.Errorf("%v: %d workers give other bits (%v)", solver, workers, err)
				}
				q, _, err := SimplexLeastSquares(nil, x, one.Centers, &SimplexOptions{Workers: workers})
				if err != nil || maxDiff(p, q) != 0 {
					t.Errorf("SimplexLeastSquares: %d workers give other bits (%v)", workers, err)
				}
			}
			m, err := Fit(bg, view, 4, &o)
			if err != nil || !same(one, m) {
				t.Errorf("%v: a strided view gives other bits (%v)", solver, err)
			}
			up := mapped(x, func(_, _ int, v float64) float64 { return v * 0x1p40 })
			m, err = Fit(bg, up, 4, &o)
			if err != nil || maxDiff(m.Memberships, one.Memberships) != 0 || m.Objective != one.Objective*0x1p80 {
				t.Errorf("%v: scaling by 2^40 gives other memberships (%v)", solver, err)
			}
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
				c, err := Certify(x, m.Centers, m.Memberships)
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

func TestFitErrors(t *testing.T) {
	good := randomData(5, 3, 0, 1)
	bad := good.Clone()
	bad.Set(3, 2, math.NaN())
	inf := good.Clone()
	inf.Set(0, 1, math.Inf(-1))
	cases := []struct {
		name string
		x    *Matrix
		k    int
		o    *Options
		want error
	}{
		{"nil", nil, 2, nil, ErrShape},
		{"no rows", NewMatrix(0, 3, nil), 2, nil, ErrTooFewSamples},
		{"no columns", NewMatrix(3, 0, nil), 2, nil, ErrShape},
		{"short data", &Matrix{Rows: 3, Cols: 3, Stride: 3, Data: make([]float64, 8)}, 2, nil, ErrShape},
		{"small stride", &Matrix{Rows: 3, Cols: 3, Stride: 2, Data: make([]float64, 9)}, 2, nil, ErrShape},
		{"negative", &Matrix{Rows: -1, Cols: 3, Stride: 3}, 2, nil, ErrShape},
		{"huge", &Matrix{Rows: math.MaxInt, Cols: math.MaxInt, Stride: math.MaxInt, Data: make([]float64, 9)}, 2, nil, ErrShape},
		{"NaN", bad, 2, nil, ErrNonFinite},
		{"Inf", inf, 2, nil, ErrNonFinite},
		{"k = 0", good, 0, nil, ErrOption},
		{"k < 0", good, -3, nil, ErrOption},
		{"k huge", good, math.MaxInt / 2, nil, ErrOption},
		{"enclosure", good, 2, &Options{Enclosure: 7}, ErrOption},
		{"solver", good, 2, &Options{Solver: -1}, ErrOption},
		{"workers", good, 2, &Options{Workers: -1}, ErrOption},
		{"weights' length", good, 2, &Options{Weights: make([]float64, 4)}, ErrShape},
		{"weights zero", good, 2, &Options{Weights: make([]float64, 5)}, ErrTooFewSamples},
		{"weight negative", good, 2, &Options{Weights: []float64{1, 1, -1, 1, 1}}, ErrOption},
		{"weight NaN", good, 2, &Options{Weights: []float64{1, 1, 1, 1, math.NaN()}}, ErrNonFinite},
		{"orientation's shape", good, 3, &Options{Orientation: identity(3)}, ErrShape},
		{"orientation", good, 3, &Options{Orientation: NewMatrix(2, 2, []float64{1, 0, 0, 2})}, ErrOption},
		{"orientation, hardly", good, 3, &Options{Orientation: NewMatrix(2, 2, []float64{1, 1e-9, 0, 1})}, ErrOption},
		{"orientation NaN", good, 3, &Options{Orientation: NewMatrix(2, 2, []float64{1, 0, 0, math.NaN()})}, ErrNonFinite},
	}
	for _, c := range cases {
		m, err := Fit(bg, c.x, c.k, c.o)
		if m != nil || !errors.Is(err, c.want) || !strings.HasPrefix(err.Error(), "softkmeans: ") {
			t.Errorf("%s: %v, %v", c.name, m, err)
		}
	}
	var in *InputError
	if _, err := Fit(bg, bad, 2, nil); !errors.As(err, &in) || in.Row != 3 || in.Col != 2 || in.Arg != "x" || !math.IsNaN(in.Value) {
		t.Errorf("%v does not name row 3, column 2", in)
	}
	if got, want := in.Error(), "softkmeans: x[3,2] = NaN: not a finite number"; got != want {
		t.Errorf("%q", got)
	}
	if _, err := Fit(bg, good, 2, &Options{Weights: []float64{1, 1, -1, 1, 1}}); !errors.As(err, &in) || in.Row != 2 || in.Col != -1 || in.Arg != "weights" {
		t.Errorf("%v", err)
	}
}

// countdown is a context that ends after a number of looks at it, so that a
// test can stop a computation at every stage.
type countdown struct {
	context.Context
	left *int
}

func (c countdown) Err() error {
	if *c.left--; *c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestCancel stops Fit after every number of looks at the context.
func TestCancel(t *testing.T) {
	n := fewer(1500, 600)
	x := randomData(n, fewer(40, 20), 0, 1)
	before := runtime.NumGoroutine()
	for _, solver := range allSolvers[1:] {
		stopped := 0
		for looks := 0; ; looks += 1 + looks/fewer(8, 6) {
			left := looks
			m, err := Fit(countdown{bg, &left}, x, 4, &Options{Solver: solver, Workers: 1, Weights: make1(n)})
			if err == nil {
				break
			}
			if m != nil || !errors.Is(err, context.Canceled) {
				t.Fatalf("%v stopped after %d looks: %v, %v", solver, looks, m, err)
			}
			stopped++
		}
		if stopped < 20 {
			t.Errorf("%v looked at its context %d times", solver, stopped)
		}
	}
	ctx, cancel := context.WithCancel(bg)
	cancel()
	if _, err := Fit(ctx, x, 3, &Options{Workers: 7}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	noneLeft(t, before)
}

func make1(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 1
	}
	return w
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
	for _, unit := range []float64{1, 1e150, 1e-150} {
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

// canRecover is false of TinyGo's WebAssembly, which ends at a panic.
func canRecover() bool { return runtime.Compiler != "tinygo" || runtime.GOARCH != "wasm" }

// mustPanic calls f, where it can recover.
func mustPanic(t *testing.T, f func()) {
	t.Helper()
	if !canRecover() {
		return
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	f()
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

func TestModelJSON(t *testing.T) {
	x := loadCSV(t, "iris")
	m, err := Fit(bg, x, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var back Model
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	p, err := back.Predict(nil, x)
	if err != nil || maxDiff(p, m.Memberships) > 1e-12 || back.Objective != m.Objective || back.Status != m.Status || back.Solver != m.Solver {
		t.Error("a model does not survive JSON", err)
	}
}

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
		for seed := range fewer[uint64](4, 1) {
			x := randomData(n, d, 0, seed)
			for i := range n {
				for j := range d {
					x.Set(i, j, sigma(j)*x.At(i, j)*(1+float64(j)/4))
				}
			}
			floors, err := Floors(x)
			if err != nil {
				t.Fatal(err)
			}
			s, err := newSamples(bg, x, nil, 1, true)
			if err != nil {
				t.Fatal(err)
			}
			for _, k := range []int{2, 4, 12} {
				for steps := 1; steps <= 4; steps++ {
					pc, err := s.principalKrylov(k-1, steps, false)
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

func abs(v int) int {
	if v < 0 {
		return -(v + 1)
	}
	return v
}

// TestZeroWeightSize: rows that do not count may have any size, and change
// nothing.
func TestZeroWeightSize(t *testing.T) {
	for _, shape := range [][2]int{{9, 3}, {4, 12}, {300, 6}} {
		n, d := shape[0], shape[1]
		x := randomData(n, d, 0.5, 7)
		w := make([]float64, n)
		for i := range w {
			w[i] = float64(i % 3)
		}
		huge := mapped(x, func(i, j int, v float64) float64 {
			if i%3 == 0 {
				return math.Copysign(math.MaxFloat64, v)
			}
			return v
		})
		for _, exp := range []int{0, -1000} {
			x, huge := mapped(x, func(i, j int, v float64) float64 { return math.Ldexp(v, exp) }), mapped(huge, func(i, j int, v float64) float64 {
				if i%3 == 0 {
					return v
				}
				return math.Ldexp(v, exp)
			})
			for _, solver := range allSolvers {
				a, err := Fit(bg, x, 3, &Options{Weights: w, Solver: solver})
				if err != nil {
					t.Fatal(err)
				}
				b, err := Fit(bg, huge, 3, &Options{Weights: w, Solver: solver})
				if err != nil {
					t.Fatal(err)
				}
				if a.Total != b.Total || a.Floor != b.Floor || a.Objective != b.Objective || a.Gap != b.Gap || maxDiff(a.Centers, b.Centers) != 0 {
					t.Errorf("%d×%d %v: objective %g floor %g total %g, with huge rows of weight 0 %g %g %g",
						n, d, solver, a.Objective, a.Floor, a.Total, b.Objective, b.Floor, b.Total)
				}
				checkFeasible(t, b.Memberships)
				c, err := CertifyWeighted(huge, b.Centers, b.Memberships, w)
				if err != nil || !c.Optimal(1e-12) {
					t.Errorf("%d×%d %v: %+v %v", n, d, solver, c, err)
				}
			}
		}
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
		if err != nil || m.Solver != SolverKrylov || m.Status != StatusOptimal || m.Floor != m.Total || math.Abs(m.Gap) > 1e-14 {
			t.Errorf("%v: %+v %v", solver, m, err)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > 600*600*8 {
			t.Errorf("%v: %d bytes, a Gram matrix is %d", solver, got, 600*600*8)
		}
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

// TestManyWorkers: what is kept for each worker is kept for those that have a task.
func TestManyWorkers(t *testing.T) {
	x := randomData(50, 4, 0, 1)
	kernel := product(x, x.transposed())
	for name, run := range map[string]func() error{
		"Fit": func() error {
			_, err := Fit(bg, x, 3, &Options{Workers: math.MaxInt})
			return err
		},
		"FitMinVolume": func() error {
			_, err := FitMinVolume(bg, x, 3, &MinVolumeOptions{Workers: math.MaxInt})
			return err
		},
		"FitAlternating": func() error {
			_, err := FitAlternating(bg, x, 3, &AlternatingOptions{Workers: math.MaxInt})
			return err
		},
		"SimplexLeastSquares": func() error {
			_, _, err := SimplexLeastSquares(nil, x, rowsOf(x, 0, 3), &SimplexOptions{Workers: math.MaxInt})
			return err
		},
		"TILSD": func() error {
			_, err := TILSD(bg, kernel, 3, &LSDOptions{Workers: math.MaxInt})
			return err
		},
		"TruncatedSVD": func() error {
			_, err := TruncatedSVD(bg, x, 2, &TruncatedOptions{Workers: math.MaxInt})
			return err
		},
	} {
		if err := run(); err != nil {
			t.Errorf("%s: %v", name, err)
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
			if got := int(after.TotalAlloc-before.TotalAlloc) / (8 * d); got > 30+3*n {
				t.Errorf("%d rows, %v: memory for %d rows", n, solver, got)
			}
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
		pc, err := s.principalKrylov(1, limit, true)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("a spectrum that falls is %v: %d steps of %d, %v", falls, pc.steps, limit, pc.status)
		if (pc.status == StatusOptimal) != falls || pc.steps >= limit/2 {
			t.Errorf("a spectrum that falls is %v: %d steps of %d, %v", falls, pc.steps, limit, pc.status)
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
