package softkmeans

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// volumeOptions are options of FitMinVolume for n rows, k = 3 and a squared length of all of them.
func volumeOptions(n int, squares float64) []MinVolumeOptions {
	return []MinVolumeOptions{
		{}, {Seed: 3, NonNegative: true}, {Weights: fifths(n), NonNegative: true},
		{Volume: VolumeAffine, Seed: 2},
		{Slack: 0.1, Weights: fifths(n)}, {Lambda: 1e-2 * squares},
		{Lambda: 1e-4 * squares, Volume: VolumeOrigin},
		{Sum: SumAtMostOne, NonNegative: true}, {Init: InitSPA, Sum: SumAtMostOne}, {Init: InitGlobal},
		{Epsilon: 1e-3 * squares / float64(n)}, {MaxIter: 5, Tol: 1e-9},
	}
}

// nearModel checks that a model of sparse rows is that of all entries, to a share. A λ of the slack rule follows
// from differences of errors, which magnify a rounding on every step of the search (to 6e-8 at the end where
// kernels do not fuse products): its error is held to tol, λ itself to a hundred times that.
func nearModel(t *testing.T, what string, got, want *Model, tol float64) {
	t.Helper()
	off := max(maxDiff(got.Centers, want.Centers)/maxAbs(want.Centers),
		math.Abs(got.Objective-want.Objective)/want.Total, math.Abs(got.Floor-want.Floor)/want.Total,
		math.Abs(got.Total-want.Total)/want.Total, math.Abs(got.Lambda-want.Lambda)/max(want.Lambda, 1e-300)/100)
	if want.Memberships != nil {
		off = max(off, maxDiff(got.Memberships, want.Memberships), maxDiff(got.ClusterMeans,
			want.ClusterMeans)/maxAbs(want.Centers))
	}
	if !(off <= tol) || got.Status != want.Status || !slices.Equal(got.Clusters, want.Clusters) ||
		len(got.Warnings) != len(want.Warnings) {
		t.Errorf("%s: off by %g; %v, of all entries %v; %v, %v", what, off, got.Status, want.Status,
			got.Warnings, want.Warnings)
	}
}

// TestSparseMinVolume: minimal volume of sparse rows is that of the same rows with all their zeros, to 1e-8.
func TestSparseMinVolume(t *testing.T) {
	tables := sparseTables(t)
	tables["many columns"], tables["more rows"] = words(100, 300, 3, 15, 22), words(200, 80, 4, 15, 21)
	block := NewMatrix(60, 90, nil) // 6e-8 of the total is outside of three directions
	rng := rand.New(rand.NewPCG(1, 9))
	for i := range block.Rows {
		g := []float64{rng.ExpFloat64(), rng.ExpFloat64(), rng.ExpFloat64()}
		for j := range block.Cols {
			if j%3 < 2 {
				v := (g[j%3]*float64(j) + 30*g[2]) / sumOf(g)
				block.row(i)[j] = v * float64(j%2) * (1 + 1e-4*rng.NormFloat64())
			}
		}
	}
	tables["nearly exact"] = block
	for name, x := range tables {
		s := sparseOf(x)
		filled := 2*len(s.Data) >= s.Rows*s.Cols || 3*narrowColumns(3) > 2*(min(s.Rows, s.Cols)-1)
		for at, o := range volumeOptions(x.Rows, sumSquares(x.Data)) {
			if filled && at > 2 || quick() && at%3 != len(name)%3 {
				continue
			}
			what := fmt.Sprintf("%s, options %d", name, at)
			want, got := mustDo(FitMinVolume(bg, x, 3, &o))(t), mustDo(FitMinVolume(bg, s, 3, &o))(t)
			tol := 1e-8
			if name == "nearly exact" { // λ has the rounding of the floor
				tol = 1e-7
			}
			nearModel(t, what, got, want, tol)
			checkShares(t, got.Memberships, got.Sum)
			checkFalls(t, what, got.Trace)
			if low := slices.Min(got.Centers.Data); o.NonNegative && low < 0 {
				t.Errorf("%s: a center has %g", what, low)
			}
			own := &Options{Sum: o.Sum, Weights: o.Weights}
			c := mustDo(Certify(bg, x, got.Centers, got.Memberships, own))(t)
			if c.Objective > got.Objective*(1+1e-9) {
				t.Errorf("%s: the objective is %v, not %v", what, c.Objective, got.Objective)
			}
			if labels := mustDo(got.PredictLabels(nil, s))(t); !slices.Equal(labels, got.Clusters) {
				t.Errorf("%s: labels of the rows are others", what)
			}
		}
		for _, o := range []MinVolumeOptions{
			{Weights: fifths(x.Rows), MaxIter: fewer(0, 60)},
			{Centers: chosenRows(x, []int{0, 3, 5}), MaxIter: 9},
		} {
			if name == "columns of zeros" { // centers go far away
				break
			}
			nearModel(t, name+", alternating", mustDo(FitAlternating(bg, s, 3, &o))(t),
				mustDo(FitAlternating(bg, x, 3, &o))(t), 1e-8)
		}
	}
}

// TestSparseMinVolumeKrylov: above 1024 rows and columns the fit begins in random directions, and ends by
// Tol where that of all entries does. Many rows begin on a draw.
func TestSparseMinVolumeKrylov(t *testing.T) {
	x := words(1030, 1040, 3, 15, 22)
	o := &MinVolumeOptions{Tol: 1e-10, NonNegative: true, Lambda: 1e-2 * sumSquares(x.Data)}
	got, want := mustDo(FitMinVolume(bg, sparseOf(x), 3, o))(t), mustDo(FitMinVolume(bg, x, 3, o))(t)
	if off := maxDiff(got.Memberships, want.Memberships); off > 1e-5 || got.Solver != SolverKrylov ||
		math.Abs(got.Objective-want.Objective) > 1e-8*want.Total ||
		!slices.Equal(got.Clusters, want.Clusters) {
		t.Errorf("memberships are off by %g, the objective %v is %v of all entries", off, got.Objective,
			want.Objective)
	}
	got, want = mustDo(FitMinVolume(bg, sparseOf(x), 1, nil))(t), mustDo(FitMinVolume(bg, x, 1, nil))(t)
	nearModel(t, "one center", got, want, 1e-12)
	x = words(manyRows+100, 24, 3, 9, 5)
	got, want = mustDo(FitMinVolume(bg, sparseOf(x), 3, nil))(t), mustDo(FitMinVolume(bg, x, 3, nil))(t)
	nearModel(t, "tall", got, want, 1e-8)
}

// wideWords are sparse rows of so many columns that a copy with zeros would take 73 MB.
func wideWords() *SparseMatrix {
	const n, d, filled = 800, 12000, 30
	rng := rand.New(rand.NewPCG(8, 8))
	x := &SparseMatrix{Rows: n, Cols: d, Indptr: []int{0}}
	for i := range n {
		columns := map[int]bool{}
		for len(columns) < filled {
			columns[(i%3)*200+int(math.Pow(rng.Float64(), 4)*float64(d-600))] = true
		}
		for _, j := range slices.Sorted(maps.Keys(columns)) {
			x.Indices, x.Data = append(x.Indices, j), append(x.Data, 1+rng.ExpFloat64())
		}
		x.Indptr = append(x.Indptr, len(x.Data))
	}
	return x
}

// TestSparseMinVolumeMemory: no copy of the table with its zeros is ever made, whatever the end in full,
// labels and bounds need.
func TestSparseMinVolumeMemory(t *testing.T) {
	x := wideWords()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	passes := 0
	m := mustDo(FitMinVolume(bg, x, 3, &MinVolumeOptions{NonNegative: true, Workers: 1,
		Progress: func(Iteration) { passes++ }}))(t)
	runtime.ReadMemStats(&after)
	// In all, what is freed included; a pass in full takes 4k×d floats.
	all, zeros := after.TotalAlloc-before.TotalAlloc, uint64(8*x.Rows*x.Cols)
	if all > zeros*3/4 {
		t.Errorf("%d MB are allocated in %d passes; the table with its zeros has %d", all>>20, passes,
			zeros>>20)
	}
	if least := slices.Min(m.Centers.Data); least < 0 || m.Clusters == nil {
		t.Errorf("the least entry of a center is %g", least)
	}
}

// FuzzSparseMinVolume: whatever the rows are, memberships are feasible, all numbers finite, the trace does
// not rise, and the objective is none that all entries disprove.
func FuzzSparseMinVolume(f *testing.F) {
	addMatrices(f)
	f.Add([]byte{9, 9, 0x1e, 90, 80, 70, 60, 50, 40, 30})
	f.Fuzz(func(t *testing.T, data []byte) {
		in := newInput(data)
		small, _ := in.samples(12, 12)
		x := NewMatrix(30, 40, nil) // of which products take k = 2
		for i := range x.Rows {
			for j := range x.Cols {
				if (i*i+j*j+3*i*j)%7 < 2 {
					x.row(i)[j] = small.At(i%small.Rows, j%small.Cols) * float64(1+i%3)
				}
			}
		}
		s := sparseOf(x)
		o := &MinVolumeOptions{NonNegative: in.below(2) > 0, Sum: Sum(in.below(2)),
			Volume: Volume(in.below(3)), Init: Init(in.below(4)), MaxIter: 20, Workers: in.below(3)}
		if o.Init == InitGlobal {
			o.Sum = SumToOne
		}
		m, err := FitMinVolume(bg, s, 1+in.below(2), o)
		if errors.Is(err, ErrRange) {
			return
		}
		must(t, err)
		checkShares(t, m.Memberships, m.Sum)
		finiteModel(t, m)
		checkFalls(t, "fuzzed rows", m.Trace)
		c := mustDo(Certify(bg, x, m.Centers, m.Memberships, &Options{Sum: o.Sum}))(t)
		if c.Objective > m.Objective*(1+1e-9)+1e-300 {
			t.Fatalf("objective %v, of all entries %v", m.Objective, c.Objective)
		}
	})
}

// TestSparseExact: an exact mixture of sparse rows with bounds has its pure rows as centers, as that of all
// entries has.
func TestSparseExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	x, f := NewMatrix(120, 60, nil), NewMatrix(3, 60, nil)
	for i := range f.Data {
		if j := i / f.Cols; i%3 == j && rng.IntN(5) > 0 {
			f.Data[i] = rng.ExpFloat64()
		}
	}
	for i := range x.Rows {
		share := rng.Float64()
		if i < 3 {
			share = 1
		}
		axpy(x.row(i), share, f.row(i%3))
		axpy(x.row(i), 1-share, f.row(rng.IntN(3)))
	}
	o := &MinVolumeOptions{NonNegative: true}
	want, got := mustDo(FitMinVolume(bg, x, 3, o))(t), mustDo(FitMinVolume(bg, sparseOf(x), 3, o))(t)
	off := maxDiff(got.Centers, want.Centers)
	if got.Lambda != 0 || want.Lambda != 0 || off > 1e-12 || slices.Min(got.Centers.Data) < 0 {
		t.Errorf("λ %g and %g, centers differ by %g", got.Lambda, want.Lambda, off)
	}
}
