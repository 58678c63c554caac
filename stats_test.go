package softkmeans

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// onGrid rounds to multiples of 2^-20, so that moving the data by whole numbers is
// exact, and so what it must give is known.
func onGrid(x *Matrix) *Matrix {
	return mapped(x, func(_, _ int, v float64) float64 { return math.Round(v*0x1p20) * 0x1p-20 })
}

// treeOf cuts the rows at random into parts, down to single rows, and merges them in a
// random order.
func treeOf(t testing.TB, rng *rand.Rand, x *Matrix, w []float64) *Stats {
	t.Helper()
	if x.Rows == 1 || rng.IntN(8) == 0 {
		return statsOf(t, x, w)
	}
	at := 1 + rng.IntN(x.Rows-1)
	if rng.IntN(3) == 0 {
		at = 1
	}
	var wa, wb []float64
	if w != nil {
		wa, wb = w[:at], w[at:]
	}
	a, b := treeOf(t, rng, rowsOf(x, 0, at), wa), treeOf(t, rng, rowsOf(x, at, x.Rows), wb)
	if rng.IntN(2) == 0 {
		a, b = b, a
	}
	if err := a.Merge(b); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(shipped(t, a), a) { // what merging makes is what a reader takes for sound
		t.Fatal("the statistics came back as others")
	}
	return a
}

// offBy is the largest difference of floors, each relative to itself, but at least to
// the rounding of the first.
func offBy(got, want []float64, d int) (worst float64) {
	if len(got) != len(want) {
		return math.Inf(1)
	}
	for i, v := range want {
		if diff := math.Abs(got[i] - v); diff > float64(8*d)*0x1p-52*want[0] {
			worst = max(worst, diff/v)
		}
	}
	return worst
}

// exactTotal is Σw‖x − mean‖², with as many digits as it takes.
func exactTotal(x *Matrix, w []float64) float64 {
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(5000).SetFloat64(v) }
	total, weight := number(0), number(0)
	for _, v := range w {
		weight.Add(weight, number(v))
	}
	for c := range x.Cols {
		sum := number(0)
		for i, v := range w {
			one := number(v)
			one.Mul(one, number(x.At(i, c)))
			sum.Add(sum, one)
			total.Add(total, one.Mul(one, number(x.At(i, c))))
		}
		total.Sub(total, sum.Quo(sum.Mul(sum, sum), weight))
	}
	v, _ := total.Float64()
	return v
}

// TestStatsFar: the total has all of its digits however the rows are cut and however
// far their mean is from 0, with any solver of FitSeq. The error of
// SolverKrylov's floor contains what the mean's rounding leaves open.
func TestStatsFar(t *testing.T) {
	if outgrown(t) {
		return
	}
	t.Parallel()
	worst, times := 0.0, full(50, 23)
	for _, by := range full([]float64{0, 1e4, -1e8, 1e12, 1e15}, []float64{0, -1e8, 1e15}) {
		x := moved(randomData(400, 3, 0, 7), by)
		w := make1(x.Rows)
		for i := range w {
			w[i] += float64(i%5) / 3
		}
		want := exactTotal(x, w)
		for seed := range seeds() / 3 {
			f, err := treeOf(t, rand.New(rand.NewPCG(seed, 9)), x, w).Floors()
			if err != nil {
				t.Fatal(err)
			}
			off := math.Abs(f[0]-want) / want
			worst = max(worst, off)
			if off > 1e-14 {
				t.Errorf("moved by %g, seed %d: total %g, want %g, off by %g", by, seed, f[0], want, off)
			}
		}
		long := NewMatrix(times*x.Rows, x.Cols, slices.Repeat(x.Data, times)) // more than one piece
		floors, err := statsOf(t, long, slices.Repeat(w, times)).Floors()
		if err != nil {
			t.Fatal(err)
		}
		minimum := bigFloor(bigFloors(long, slices.Repeat(w, times)), 2)
		for _, solver := range []Solver{SolverGram, SolverKrylov} {
			m, err := FitSeq(bg, inBlocks(long, 100), 2, &Options{Solver: solver, Weights: slices.Repeat(w, times)})
			if err != nil {
				t.Fatalf("moved by %g, %v: %v", by, solver, err)
			}
			checkPlaced(t, fmt.Sprintf("moved by %g, %v", by, solver), m, statsOf(t, x, w).Mean(), float64(times)*statsOf(t, x, w).Weight(), minimum, 0)
			if off := math.Abs(m.Total/float64(times)-want) / want; off > 1e-13 || !close9(floors[1], double(minimum), 0) {
				t.Errorf("moved by %g, %v: total off by %g, floor %g + %g, objective %g, want %g", by, solver, off, m.Floor, m.FloorError, m.Objective, floors[1])
			}
		}
	}
	t.Logf("worst relative difference %.1e", worst)
}

// TestStatsMany: the roundings of many merges do not add up.
func TestStatsMany(t *testing.T) {
	if outgrown(t) {
		return
	}
	x := moved(randomData(fewer(20000, 5000), 2, 0, 3), 1e3)
	var s Stats
	for b := range inBlocks(x, 1) {
		if err := s.Add(b); err != nil {
			t.Fatal(err)
		}
	}
	want := exactTotal(x, make1(x.Rows))
	if f, err := s.Floors(); err != nil || math.Abs(f[0]-want) > 4e-16*want {
		t.Errorf("total %v, want %g, off by %g, %v", f, want, f[0]/want-1, err)
	}
}

// TestStatsRank: rows on a line have no floor above rounding, and none below 0.
func TestStatsRank(t *testing.T) {
	for seed := range seeds() {
		a, b := randomData(30, 1, 0, seed), randomData(1, 7, 0, seed+100)
		x := mapped(NewMatrix(30, 7, nil), func(i, j int, _ float64) float64 { return a.At(i, 0) * b.At(0, j) })
		f, err := statsOf(t, x, nil).Floors()
		if err != nil || len(f) != 8 {
			t.Fatal(f, err)
		}
		for i, v := range f {
			if v < 0 || i > 0 && (v > f[i-1] || v > 8*0x1p-52*f[0]) {
				t.Fatalf("seed %d: floors %g", seed, f)
			}
		}
	}
}

// TestStatsNegligible: rows whose weights are below 2^-500 of the largest do not count,
// whichever come first, as in one table.
func TestStatsNegligible(t *testing.T) {
	const n = 8192 // a block of FitSeq
	x, w := mapped(NewMatrix(2*n, 1, nil), func(_, _ int, _ float64) float64 { return 1e150 }), slices.Repeat([]float64{1e145}, 2*n)
	for _, at := range []int{0, n} {
		heavy := &Matrix{Rows: n, Cols: 1, Stride: 1, Data: slices.Clone(x.Data)}
		weights := slices.Clone(w)
		copy(heavy.Data[at:], randomData(n, 1, 2, 1).Data)
		copy(weights[at:], slices.Repeat([]float64{1e300}, n))
		heavy.Rows = 2 * n
		want, err := Fit(bg, heavy, 2, &Options{Weights: weights, Solver: SolverGram})
		if err != nil {
			t.Fatal(err)
		}
		s := statsOf(t, rowsOf(heavy, 0, n), weights[:n])
		if err := s.Merge(statsOf(t, rowsOf(heavy, n, 2*n), weights[n:])); err != nil {
			t.Fatal(err)
		}
		added := statsOf(t, rowsOf(heavy, 0, n), weights[:n])
		if err := added.AddWeighted(rowsOf(heavy, n, 2*n), weights[n:]); err != nil {
			t.Fatal(err)
		}
		for _, s := range []*Stats{s, added} {
			if f, err := s.Floors(); err != nil || !close9(f[0], want.Total, want.Total) || s.Rows() != 2*n || want.Total < 1e300 {
				t.Errorf("heavy rows from %d: floors %v, want %g, %v", at, f, want.Total, err)
			}
		}
		for _, solver := range []Solver{SolverGram, SolverKrylov} {
			got, err := FitSeq(bg, inBlocks(heavy, 100), 2, &Options{Weights: weights, Solver: solver})
			if err != nil || !close9(got.Total, want.Total, want.Total) || maxDiff(got.Centers, want.Centers) > 1e-9 {
				t.Errorf("%v, heavy rows from %d: %+v, want %+v, %v", solver, at, got, want, err)
			}
		}
	}
}

// TestStatsMerge: whatever the parts and the order of their merges, the floors are those
// of the whole at its own place, also where the mean is 1e4 spreads away.
func TestStatsMerge(t *testing.T) {
	worst := 0.0
	for _, c := range []struct {
		n, d   int
		design bool // columns of ±1 without correlation: sums off the diagonal cancel
	}{{1, 3, false}, {2, 1, false}, {40, 5, false}, {7, 30, false}, {fewer(1500, 400), 8, false}, {256, 8, true}} {
		near := onGrid(randomData(c.n, c.d, 0, uint64(c.n)))
		if c.design {
			near = onGrid(mapped(near, func(i, j int, _ float64) float64 { return float64(2*(i>>j&1)-1) / 3 }))
		}
		weights := make([]float64, c.n)
		for i := range weights {
			weights[i] = float64((i + 1) % 4) // zeros among them
		}
		for _, w := range [][]float64{nil, weights} {
			if w != nil && c.n == 1 {
				w = []float64{3}
			}
			want, err := Floors(context.Background(), near, &Options{Weights: w})
			if err != nil {
				t.Fatal(err)
			}
			for _, by := range []float64{0, 1e4, -1e6} {
				far := moved(near, by)
				for seed := range seeds() / 3 {
					s := treeOf(t, rand.New(rand.NewPCG(seed, 5)), far, w)
					got, err := s.Floors()
					if err != nil {
						t.Fatal(err)
					}
					off := offBy(got, want, c.d)
					worst = max(worst, off)
					if off > 1e-12 || s.Rows() != c.n || s.Cols() != c.d {
						t.Fatalf("%d×%d moved by %g, weights %v, seed %d: floors off by %g", c.n, c.d, by, w != nil, seed, off)
					}
				}
			}
		}
	}
	t.Logf("worst relative difference %.1e", worst)
}

// TestMergeTakesCopies: what was merged into an empty receiver is not changed by what
// comes to that later.
func TestMergeTakesCopies(t *testing.T) {
	x := randomData(60, 5, 1, 4)
	lo, hi := rowsOf(x, 0, 20), rowsOf(x, 20, 60)
	form := func(m interface{ MarshalBinary() ([]byte, error) }) string {
		b, err := m.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	part := statsOf(t, lo, nil)
	var s Stats
	before := form(part)
	if err := errors.Join(s.Merge(part), s.Add(hi)); err != nil || form(part) != before {
		t.Error("statistics were changed with those that took them in:", err)
	}
	p, err := s.Subspace(3, &Options{Enclosure: EnclosureTight})
	if err != nil {
		t.Fatal(err)
	}
	var e, f Extent
	if err := f.Add(p, lo, nil); err != nil {
		t.Fatal(err)
	}
	before = form(&f)
	if err := errors.Join(e.Merge(&f), e.Add(p, hi, nil)); err != nil || form(&f) != before {
		t.Error("an extent was changed with the one that took it in:", err)
	}
}

// copyOf shares no memory with s.
func copyOf(t testing.TB, s *Stats) *Stats {
	t.Helper()
	c := &Stats{}
	if err := c.Merge(s); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestStatsMoments: weight, mean and scatter by their definitions.
func TestStatsMoments(t *testing.T) {
	x := FromRowsOrFail(t, [][]float64{{1, 10}, {3, 30}, {5, 20}, {100, 100}})
	s := statsOf(t, x, []float64{2, 1, 1, 0})
	if s.Rows() != 4 || s.Weight() != 4 || !slices.Equal(s.Mean(), []float64{2.5, 17.5}) {
		t.Error(s.Rows(), s.Weight(), s.Mean())
	}
	// Deviations (−1.5, −7.5) twice, (.5, 12.5), (2.5, 2.5).
	want := NewMatrix(2, 2, []float64{4.5 + .25 + 6.25, 22.5 + 6.25 + 6.25, 22.5 + 6.25 + 6.25, 112.5 + 156.25 + 6.25})
	if maxDiff(s.Scatter(), want) > 1e-13 {
		t.Error(s.Scatter().Data)
	}
	var empty Stats
	if empty.Rows() != 0 || empty.Cols() != 0 || empty.Weight() != 0 || empty.Mean() != nil || empty.Scatter() != nil {
		t.Error("the zero value is not empty")
	}
	if _, err := empty.Floors(); !errors.Is(err, ErrTooFewSamples) {
		t.Error(err)
	}
	if _, err := empty.Subspace(2, nil); !errors.Is(err, ErrTooFewSamples) {
		t.Error(err)
	}
	// Empty merged with anything, and rows without weight, change no number.
	before := copyOf(t, s)
	if err := s.Merge(&empty); err != nil || !reflect.DeepEqual(s, before) {
		t.Error("an empty Stats changed another", err)
	}
	if err := empty.AddWeighted(NewMatrix(2, 5, nil), []float64{0, 0}); err != nil || empty.Rows() != 2 || empty.Weight() != 0 {
		t.Error(err, empty.Rows(), empty.Weight())
	}
	if err := empty.Merge(s); err != nil || empty.Rows() != 6 || !slices.Equal(empty.Mean(), s.Mean()) {
		t.Error(err, empty)
	}
	if err := empty.Add(NewMatrix(1, 2, []float64{7, 7})); err != nil || reflect.DeepEqual(s.Mean(), empty.Mean()) || !reflect.DeepEqual(s, before) {
		t.Error("a merged Stats shares memory with what it was merged from")
	}
	if heavy := statsOf(t, NewMatrix(3, 1, []float64{1, 2, 3}), slices.Repeat([]float64{1e308}, 3)); heavy.Weight() != math.MaxFloat64 || heavy.Mean()[0] != 2 {
		t.Error("a weight out of range is not the largest number:", heavy.Weight(), heavy.Mean())
	}
	// Itself: every row twice.
	twice := copyOf(t, before)
	if err := twice.Merge(twice); err != nil || twice.Rows() != 8 || twice.Weight() != 8 || maxDiff(twice.Scatter(), mapped(want, func(_, _ int, v float64) float64 { return 2 * v })) > 1e-12 {
		t.Error(err, twice)
	}
}

func FromRowsOrFail(t testing.TB, rows [][]float64) *Matrix {
	t.Helper()
	x, err := FromRows(rows)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestStatsScales: parts whose sizes, or weights, are hundreds of powers of ten apart.
func TestStatsScales(t *testing.T) {
	for _, c := range [][2]float64{{1e150, 1e150}, {1e-150, 1e-150}, {1e150, 1e-150}, {1e-150, 1}} {
		x := randomData(60, 4, 2, 1)
		for i := range x.Rows {
			scale(x.row(i), c[i/30]/8)
		}
		for _, heavy := range []float64{1, 1e300, 1e-300} {
			w := slices.Repeat([]float64{1}, 60)
			for i := range 30 {
				w[i] = heavy
			}
			want, err := Floors(context.Background(), x, &Options{Weights: w})
			if err != nil {
				t.Fatal(err)
			}
			for _, turn := range []bool{false, true} {
				a, b := statsOf(t, rowsOf(x, 0, 30), w[:30]), statsOf(t, rowsOf(x, 30, 60), nil)
				if turn {
					a, b = b, a
				}
				if err := a.Merge(b); err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(shipped(t, a), a) {
					t.Fatalf("%v, weight %g: the statistics came back as others", c, heavy)
				}
				got, err := a.Floors()
				if err != nil {
					t.Fatal(err)
				}
				for _, v := range got {
					if !isFinite(v) {
						t.Fatalf("%v, weight %g: floors %v", c, heavy, got)
					}
				}
				if off := offBy(got[:1], want[:1], 4); off > 1e-12 && want[0] > 1e-300 {
					t.Errorf("%v, weight %g: total %g, want %g", c, heavy, got[0], want[0])
				}
			}
		}
	}
}

// TestStatsErrors: what statistics do not make a subspace of. Errors of rows are in
// alias_test.go.
func TestStatsErrors(t *testing.T) {
	s := statsOf(t, NewMatrix(3, 2, []float64{1, 2, 3, 4, 5, 7}), nil)
	before := copyOf(t, s)
	for _, none := range []*Matrix{NewMatrix(0, 9, nil), {}} { // no rows, of whatever width, are nothing
		if err := s.Add(none); err != nil || !reflect.DeepEqual(s, before) {
			t.Error(err)
		}
	}
	for _, c := range []struct {
		k    int
		o    *Options
		want error
	}{
		{0, nil, ErrOption}, {2, &Options{Solver: SolverKrylov}, ErrOption}, {2, &Options{Weights: []float64{1, 1, 1}}, ErrOption},
		{2, &Options{Workers: -1}, ErrOption}, {3, &Options{Orientation: NewMatrix(1, 1, []float64{1})}, ErrShape},
	} {
		if p, err := s.Subspace(c.k, c.o); p != nil || !errors.Is(err, c.want) {
			t.Errorf("k = %d, %+v: %v", c.k, c.o, err)
		}
	}
}

// TestParts: the passes on parts of the data, each in a process of its own as it were,
// give what Fit gives.
func TestParts(t *testing.T) {
	t.Parallel()
	for _, name := range realSets {
		x := moved(standardized(loadCSV(t, name)), 1e4)
		weights := make([]float64, x.Rows)
		for i := range weights {
			weights[i] = float64(i % 3)
		}
		for _, enclosure := range allEnclosures {
			for _, k := range []int{1, 3, 6} {
				for _, w := range [][]float64{nil, weights} {
					o := &Options{Enclosure: enclosure, Orientation: RandomOrientation(k, 3)}
					parts := func(do func(x *Matrix, w []float64)) {
						for at, n := 0, 1; at < x.Rows; at, n = at+n, 3*n {
							n = min(n, x.Rows-at)
							if w == nil {
								do(rowsOf(x, at, at+n), nil)
							} else {
								do(rowsOf(x, at, at+n), w[at:at+n])
							}
						}
					}
					var s Stats
					parts(func(x *Matrix, w []float64) {
						if err := s.Merge(shipped(t, statsOf(t, x, w))); err != nil {
							t.Fatal(err)
						}
					})
					p, err := s.Subspace(k, o)
					if err != nil {
						t.Fatal(err)
					}
					var e Extent
					parts(func(x *Matrix, w []float64) {
						var part Extent
						if err := part.Add(shipped(t, p), x, w); err != nil {
							t.Fatal(err)
						}
						if err := e.Merge(shipped(t, &part)); err != nil {
							t.Fatal(err)
						}
					})
					got, err := shipped(t, p).Model(&e)
					if err != nil {
						t.Fatal(err)
					}
					o.Weights = w
					want, err := Fit(bg, x, k, o)
					if err != nil {
						t.Fatal(err)
					}
					if !close9(got.Objective, want.Objective, want.Total) || !close9(got.Floor, want.Floor, want.Total) || !close9(got.Total, want.Total, want.Total) ||
						maxDiff(got.Centers, want.Centers) > 1e-6 || p.K() != k || p.Basis().Rows != min(k-1, x.Cols) || p.Floor() != got.Floor || e.Rows() != x.Rows {
						t.Errorf("%s, %v, k = %d, weights %v: %+v, want %+v", name, enclosure, k, w != nil, got, want)
					}
					g, err := got.Predict(nil, x)
					if err != nil {
						t.Fatal(err)
					}
					tol := 1e-9
					if k > x.Cols+1 { // see Predict
						tol = 1e-6
					}
					if d := maxDiff(g, want.Memberships); d > tol {
						t.Errorf("%s, %v, k = %d, weights %v: memberships off by %g", name, enclosure, k, w != nil, d)
					}
				}
			}
		}
	}
}

// TestPartsRange: weights and entries that are many powers of ten apart, and far from 0.
// Both passes take the rows for the same. The total is true where entries are no more than
// 100 powers apart.
func TestPartsRange(t *testing.T) {
	t.Parallel()
	for seed := range 100 * seeds() {
		rng := rand.New(rand.NewPCG(seed, 8))
		n, d := 2+rng.IntN(8), 1+rng.IntN(3)
		x, w := NewMatrix(n, d, nil), make([]float64, n)
		span, heavy := []int{1, 20, 100, 298}[rng.IntN(4)], []int{1, 20, 151}[rng.IntN(3)] // of 301 and 150 decades
		mean := math.Pow(10, float64(rng.IntN(16)-span/2))
		for i := range n {
			size := math.Pow(10, float64(rng.IntN(span)-span/2))
			for c := range d {
				x.Set(i, c, mean+size*rng.NormFloat64())
			}
			w[i] = math.Pow(10, float64(rng.IntN(heavy)-heavy/2))
			if rng.IntN(5) == 0 {
				w[i] = 0
			}
			if rng.IntN(9) == 0 {
				copy(x.row(i), x.row(0))
			}
		}
		s := treeOf(t, rng, x, w)
		if s.Weight() == 0 {
			continue
		}
		p, err := s.Subspace(1+rng.IntN(5), &Options{Enclosure: allEnclosures[seed%2]})
		if err != nil {
			t.Fatal(err)
		}
		p = shipped(t, p)
		var e Extent
		for at, m := 0, 0; at < n; at += m {
			m = min(1+rng.IntN(3), n-at)
			if err := e.Add(p, rowsOf(x, at, at+m), w[at:at+m]); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		m, err := p.Model(shipped(t, &e))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		finiteModel(t, m)
		checkPlaced(t, fmt.Sprint("seed ", seed), m, s.Mean(), s.Weight(), bigFloor(bigFloors(x, w), p.K()), lostSquares(x, w))
		if want := exactTotal(x, w); span <= 100 && math.Abs(m.Total-want) > 1e-12*want {
			t.Errorf("seed %d: total %g, want %g", seed, m.Total, want)
		}
	}
}

// TestPartsMixed: parts without weights beside others that have some.
func TestPartsMixed(t *testing.T) {
	x := standardized(loadCSV(t, "wine"))
	w := make1(x.Rows)
	for i := 100; i < x.Rows; i++ {
		w[i] = 5 + float64(i%3)
	}
	s := statsOf(t, rowsOf(x, 0, 100), nil)
	if err := s.AddWeighted(rowsOf(x, 100, x.Rows), w[100:]); err != nil {
		t.Fatal(err)
	}
	p, err := s.Subspace(3, nil)
	if err != nil {
		t.Fatal(err)
	}
	var e Extent
	if err := errors.Join(e.Add(p, rowsOf(x, 100, x.Rows), w[100:]), e.Add(p, rowsOf(x, 0, 100), nil)); err != nil {
		t.Fatal(err)
	}
	want, err := Fit(bg, x, 3, &Options{Weights: w})
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Model(&e)
	if err != nil || !close9(got.Objective, want.Objective, want.Total) || !close9(got.Total, want.Total, want.Total) || maxDiff(got.Centers, want.Centers) > 1e-9 {
		t.Errorf("%+v, want %+v, %v", got, want, err)
	}
}

// TestExtentErrors: rows, extents and statistics that do not belong together.
func TestExtentErrors(t *testing.T) {
	x := randomData(30, 3, 1, 4)
	p, err := statsOf(t, x, nil).Subspace(2, nil)
	if err != nil {
		t.Fatal(err)
	}
	other, err := statsOf(t, x, nil).Subspace(3, nil)
	if err != nil {
		t.Fatal(err)
	}
	var e, f Extent
	if err := e.Add(p, rowsOf(x, 0, 20), nil); err != nil {
		t.Fatal(err)
	}
	if err := f.Add(other, rowsOf(x, 20, 30), nil); err != nil {
		t.Fatal(err)
	}
	large, nan := rowsOf(x, 20, 30).Clone(), rowsOf(x, 20, 30).Clone()
	large.Set(4, 1, -1e9)
	nan.Set(4, 1, math.NaN())
	before := e
	_, short := p.Model(&e)
	for _, c := range []struct {
		what string
		err  error
		want error
	}{
		{"too few rows", short, ErrShape}, // also; the errors of rows are in alias_test.go
		{"no rows", e.Add(p, NewMatrix(0, 3, nil), nil), nil}, {"nothing", e.Merge(&Extent{}), nil},
	} {
		if !errors.Is(c.err, c.want) || c.want == nil && c.err != nil || !reflect.DeepEqual(e, before) {
			t.Errorf("%s: %v", c.what, c.err)
		}
	}
	tight, err := statsOf(t, x, nil).Subspace(3, &Options{Enclosure: EnclosureTight})
	if err != nil {
		t.Fatal(err)
	}
	// Of as many facets, but other statistics.
	second, err := statsOf(t, mapped(x, func(i, j int, v float64) float64 { return v * float64(1+j) }), nil).Subspace(2, nil)
	if err != nil {
		t.Fatal(err)
	}
	var alien Extent
	if err := alien.Add(second, rowsOf(x, 20, 30), nil); err != nil {
		t.Fatal(err)
	}
	if err := e.Merge(&alien); !errors.Is(err, ErrShape) || !reflect.DeepEqual(e, before) {
		t.Error("an extent of another subspace:", err)
	}
	turn := RandomOrientation(3, 1)
	turned, err := statsOf(t, x, nil).Subspace(3, &Options{Orientation: turn})
	if err != nil {
		t.Fatal(err)
	}
	turn.Set(0, 0, 7)
	shipped(t, turned) // is orthogonal still
	var first, all Extent
	if err := errors.Join(first.Add(tight, rowsOf(x, 0, 3), nil), all.Merge(&first)); err != nil {
		t.Fatal(err)
	}
	kept := shipped(t, &first)
	if err := all.Add(tight, rowsOf(x, 3, 30), nil); err != nil || !reflect.DeepEqual(&first, kept) || reflect.DeepEqual(all.facets, kept.facets) {
		t.Error("a merged Extent shares memory with what it was merged from", err)
	}
	var at *InputError
	if err := e.Add(p, large, nil); !errors.As(err, &at) || at.Row != 4 || at.Col != 1 || at.Value != -1e9 {
		t.Error(err)
	}
	if err := e.Add(p, rowsOf(x, 0, 10), nil); err != nil { // the wrong ten rows
		t.Fatal(err)
	}
	if _, err := p.Model(&e); !errors.Is(err, ErrChanged) {
		t.Error(err)
	}
}

// TestStatsProved: mean and scatter are within their bounds of the exact ones after any
// merges, however far the mean is and whatever rows weigh, and the bounds are not far off.
func TestStatsProved(t *testing.T) {
	if outgrown(t) {
		return
	}
	loosest := map[string]float64{}
	for seed := range 8 * seeds() {
		rng := rand.New(rand.NewPCG(seed, 51))
		n, d := 2+rng.IntN(60), 1+rng.IntN(4)
		by := []float64{0, 1, -1e4, 1e8, 1e15}[rng.IntN(5)]
		x := moved(randomData(n, d, 0, seed), by)
		var w []float64
		if rng.IntN(2) == 0 {
			for range n {
				w = append(w, []float64{1, 3, 1e-3, 1e6, 0, .7}[rng.IntN(6)])
			}
			w[rng.IntN(n)] = 1
		}
		if rng.IntN(3) == 0 { // parts of other sizes
			for i := range n / 2 {
				for j := range d {
					x.Set(i, j, x.At(i, j)*1e-3)
				}
			}
		}
		s := treeOf(t, rng, x, w)
		mean, scatter := bigMoments(x, w, s.units)
		if off := bigApart(s.mean, s.meanRest, bigRows{mean}); !(off <= s.meanOff) {
			t.Errorf("seed %d, moved by %g: the mean is %g off, bound %g", seed, by, off, s.meanOff)
		}
		full, rest := s.full(), NewMatrix(d, d, nil)
		for i, at := 0, 0; i < d; i++ {
			at += copy(rest.row(i)[i:], s.scatterRest[at:])
		}
		mirror(rest.Data, d)
		if off := bigApart(full.Data, rest.Data, scatter); !(off <= s.scatterOff) {
			t.Errorf("seed %d, moved by %g: the scatter is %g off, bound %g", seed, by, off, s.scatterOff)
		}
		if off := bigApart(full.Data, make([]float64, d*d), scatter); !(off <= s.fullError(full)) {
			t.Errorf("seed %d, moved by %g: the sums without their rests are %g off, bound %g", seed, by, off, s.fullError(full))
		}
		if back := shipped(t, s); back.meanOff != s.meanOff || back.scatterOff != s.scatterOff {
			t.Errorf("seed %d: bounds came back as %g, %g", seed, back.meanOff, back.scatterOff)
		}
		name := fmt.Sprint("moved by ", by)
		loosest[name] = max(loosest[name], s.scatterOff/max(trace(full), 0x1p-900))
	}
	for name, v := range loosest {
		t.Logf("%s: bounds of the scatter up to %.1e of the total", name, v)
	}
	if v := loosest["moved by 0"]; v > 1e-12 {
		t.Errorf("bounds of %g of the total for data about 0", v)
	}
}
