package softkmeans

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// FuzzSimilarity holds kernels of samples and functions, and all that is made of them, to their promises.
func FuzzSimilarity(f *testing.F) {
	addMatrices(f)
	f.Add([]byte{11, 3, 0x1a, 250, 200, 100, 50, 25, 12, 6, 3, 1})
	f.Add([]byte{9, 1, 4, 1, 1, 1, 2, 2, 2})
	f.Fuzz(func(t *testing.T, data []byte) {
		in := newInput(data)
		x := in.matrix(1+in.below(12), 1+in.below(5))
		n, k := x.Rows, 1+in.below(5)
		var s Similarity
		var kernel *SampleKernel
		switch in.below(3) {
		case 0:
			kernel = mustDo(LinearKernel(x))(t)
			s = kernel
		case 1:
			kernel = mustDo(RBFKernel(x, math.Abs(in.float())))(t)
			s = kernel
		default:
			m := in.symmetric(n)
			s = similarityFunc(n, m.At)
		}
		isXX := kernel != nil && kernel.linear
		whole := mustDo(SimilarityMatrix(s))(t)
		finite(t, "similarities", whole.Data...)
		if kernel != nil {
			y := in.matrix(1+in.below(3), x.Cols)
			finite(t, "similarities with others", mustDo(kernel.Cross(nil, y))(t).Data...)
			finite(t, "gamma", kernel.Gamma())
			in.beyond(t, x, func(x *Matrix) error { return second(RBFKernel(x, 1)) })
			cross := mustDo(kernel.Cross(nil, x))(t)
			for i, v := range whole.Data {
				if v != whole.At(i%n, i/n) || cross.Data[i] != v {
					t.Fatalf("similarity %d is %g, that of Cross %g, in %v", i, v, cross.Data[i], whole)
				}
			}
		}
		o := &LSDOptions{Workers: in.below(3), Seed: uint64(in.byte()), Starts: in.below(3),
			MaxIter: in.below(7) - 1, Enclosure: Enclosure(in.below(2))}
		switch {
		case o.Starts == 0 && o.Seed%4 > 0: // 0 would be 5
			o.Starts = 1
		case o.MaxIter == 0: // would be 1000
			o.MaxIter = 25
		}
		o.MaxIter = cmp.Or(o.MaxIter, 6)
		lsd, ti := mustDo(LSD(bg, s, k, o))(t), mustDo(TILSD(bg, s, k, o))(t)
		for _, m := range []*LSDModel{lsd, ti} {
			checkLSDModel(t, m)
			for _, l := range m.Labels(nil) {
				if l < 0 || l >= k {
					t.Fatalf("label %d", l)
				}
			}
			rows := in.matrix(2, n)
			g, err := m.Predict(nil, rows)
			if m.Scale == 0 && errors.Is(err, ErrOption) ||
				(isXX || m.Projection != nil) && errors.Is(err, ErrRange) {
				continue // nothing explains K, or XXᵀ or the coordinates of these rows are beyond the range
			}
			must(t, err)
			checkFeasible(t, g)
		}
		finite(t, "coordinates", mustDo(ti.Coordinates(nil, nil))(t).Data...)
		if top, _ := rowMaxAbs(whole.Data); top > mostEntry || top > 0 && top < leastScale {
			in.finish(t) // XXᵀ as a matrix is beyond the range
			return
		}
		finite(t, "coordinates of rows", mustDo(ti.Coordinates(nil, whole))(t).Data...)
		in.finish(t)
	})
}

// TestSimilarityRows: rows of a matrix are its own, wherever they begin, also of a strided one.
// Rows that a similarity does not have are a panic, not numbers of what lies behind a view.
func TestSimilarityRows(t *testing.T) {
	m := &Matrix{Rows: 9, Cols: 9, Stride: 12, Data: randomData(9, 12, 0, 1).Data}
	for lo := range 8 {
		got := NewMatrix(2, 9, nil)
		m.CopyRows(got, lo)
		if maxDiff(got, rowsOf(m, lo, lo+2)) != 0 {
			t.Errorf("rows from %d: %v", lo, got.Data)
		}
	}
	if got := mustDo(SimilarityMatrix(m))(t); maxDiff(got, m) != 0 {
		t.Errorf("all rows: %v", got.Data)
	}
	k := mustDo(LinearKernel(rowsOf(randomData(9, 2, 0, 1), 0, 5)))(t)
	for _, s := range []Similarity{k, similarityFunc(5, func(i, j int) float64 { return 1 })} {
		for _, lo := range []int{-1, 4, 5, math.MaxInt} {
			mustPanic(t, func() { s.CopyRows(NewMatrix(2, 5, nil), lo) })
		}
		s.CopyRows(NewMatrix(0, 5, nil), 5)
		s.CopyRows(NewMatrix(2, 5, nil), 3)
	}
	for _, rows := range []*Matrix{
		NewMatrix(7, 5, nil), {Rows: 2, Cols: 5, Stride: 4, Data: make([]float64, 12)},
	} {
		mustPanic(t, func() { k.CopyRows(rows, 0) })
	}
	says := func(want string, dst *Matrix, lo int) {
		t.Helper()
		mustPanicWith(t, want, func() { k.CopyRows(dst, lo) })
	}
	says("dst is 2×4 for rows from 3 on of 5×5", NewMatrix(2, 4, nil), 3)
	says("dst is nil for rows from 1 on of 5×5", nil, 1)
	says("dst is 3×5 for rows from 4 on of 5×5", NewMatrix(3, 5, nil), 4)
	says("dst is 1×5 for rows from -1 on of 5×5", NewMatrix(1, 5, nil), -1)
	mustPanic(t, func() { k.Cross(NewMatrix(4, 6, nil), randomData(4, 2, 0, 1)) })
}

// TestCross: new samples may be of any size in range, whatever that of the kernel's.
func TestCross(t *testing.T) {
	x := NewMatrix(2, 2, []float64{0, 0x1p-499, -0x1p-500, 0x1p-498})
	far := NewMatrix(2, 2, []float64{mostEntry, 0, mostEntry, -mostEntry})
	got := mustDo(mustDo(LinearKernel(x))(t).Cross(nil, far))(t)
	if want := []float64{0, -1, -2, -5}; !slices.Equal(got.Data, want) {
		t.Errorf("linear: %v, want %v", got.Data, want)
	}
	for gamma, want := range map[float64]float64{0: 0, 1e-300: 1, 1: 0, math.MaxFloat64: 0} { // γ·2^-998 is 0
		r := mustDo(RBFKernel(x, gamma))(t)
		if got = mustDo(r.Cross(nil, far))(t); slices.Min(got.Data) != want || slices.Max(got.Data) != want {
			t.Errorf("RBF, γ = %g: %g, want %g", r.Gamma(), got.Data, want)
		}
	}
	x = randomData(3, 2, 0, 1)
	for _, k := range []*SampleKernel{mustDo(LinearKernel(x))(t), mustDo(RBFKernel(x, 1))(t)} {
		if y := mustDo(k.Cross(nil, NewMatrix(0, 2, nil)))(t); y.Rows != 0 || y.Cols != 3 {
			t.Errorf("%+v", y)
		}
	}
}

// TestRBFGamma: γ is the one given at every scale of the samples, and by default
// that of the median distance, of the distances above 0 where half are 0. Without two rows that
// differ the median is the unit of the samples. Of many rows a thousand count, always the same.
func TestRBFGamma(t *testing.T) {
	t.Parallel()
	for _, size := range []float64{0, 0x1p-500, 1e-150, 1, 1e150, mostEntry} {
		for _, gamma := range []float64{5e-324, 1e-300, 1, 1e300, math.MaxFloat64} {
			k := mustDo(RBFKernel(NewMatrix(3, 1, []float64{0, size, size / 2}), gamma))(t)
			if k.Gamma() != gamma {
				t.Errorf("samples of size %g: γ = %g became %g", size, gamma, k.Gamma())
			}
		}
	}
	median := func(x ...float64) float64 {
		k := mustDo(RBFKernel(NewMatrix(len(x), 1, x), 0))(t)
		return math.Sqrt(1 / (2 * k.Gamma()))
	}
	for _, c := range []struct {
		x    []float64
		want float64
	}{
		{[]float64{0, 1, 3, 7}, 3.5},                 // 1 2 3 4 6 7
		{[]float64{0, 0, 0, 0, 0, 0, 0, 1, 4}, 3},    // 21 times 0, then 1 ×7, 3, 4 ×7
		{[]float64{0, 0, 0, 1, 1}, 1},                // six times 1, four times 0
		{[]float64{1, 1, 1, 3}, 1},                   // three times 0, three times 2
		{[]float64{0, 1e-200, 2e-200, 3e-200, 1}, 1}, // six times 0 to 2^-500, four times 1
		{[]float64{1, 1, 1}, 2}, {[]float64{1.9, 1.9}, 2}, {[]float64{0.3}, 0.5},
	} {
		if m := median(c.x...); math.Abs(m-c.want) > 1e-12 {
			t.Errorf("%v: median %g, want %g", c.x, m, c.want)
		}
	}
	const n = 1200
	x := randomData(n, 1, 0, 3)
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	rand.New(rand.NewPCG(0, 0x3ed1a)).Shuffle(n, func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	var all []float64
	for a, i := range rows[:1000] {
		for _, j := range rows[:a] {
			all = append(all, math.Abs(x.Data[i]-x.Data[j]))
		}
	}
	slices.Sort(all)
	want := (all[len(all)/2] + all[(len(all)-1)/2]) / 2
	if m := median(x.Data...); math.Abs(m-want) > 1e-9*want {
		t.Errorf("median %.12g, want %.12g", m, want)
	}
	if linear := mustDo(LinearKernel(x))(t); linear.Gamma() != 0 || linear.Len() != n {
		t.Error("a linear kernel with a gamma")
	}
}

// TestSampleKernel: kernels of samples against their definitions, in several blocks of a row.
// Units do not matter.
func TestSampleKernel(t *testing.T) {
	t.Parallel()
	wide := randomData(300, 70, 0, 1)
	for _, k := range []*SampleKernel{mustDo(LinearKernel(wide))(t), mustDo(RBFKernel(wide, 0.01))(t)} {
		got := NewMatrix(2, 300, nil)
		k.CopyRows(got, 298)
		cross := mustDo(k.Cross(nil, rowsOf(wide, 298, 300)))(t)
		for j := range 300 {
			want := dot(wide.row(299), wide.row(j))
			if !k.linear {
				want = math.Exp(-0.01 * squaredDistance(wide.row(299), wide.row(j)))
			}
			if math.Abs(got.At(1, j)-want) > 1e-12*(1+math.Abs(want)) || cross.At(1, j) != got.At(1, j) {
				t.Fatalf("K[299,%d] is %g, %g by Cross, want %g", j, got.At(1, j), cross.At(1, j), want)
			}
		}
	}
	x := randomData(70, 5, 4, 3)
	plain := mustDo(RBFKernel(x, 0))(t)
	same := mustDo(LSD(bg, plain, 3, nil))(t)
	for _, factor := range []float64{1e149, 1e-149} {
		scaled := mapped(x, func(_, _ int, v float64) float64 { return v * factor })
		rbf := mustDo(RBFKernel(scaled, 0))(t)
		want := plain.Gamma() / factor / factor
		if isFinite(want) && want > 0 && math.Abs(rbf.Gamma()/want-1) > 1e-12 {
			t.Errorf("×%g: gamma %g, want %g", factor, rbf.Gamma(), want)
		}
		d := maxDiff(mustDo(SimilarityMatrix(rbf))(t), mustDo(SimilarityMatrix(plain))(t))
		m := mustDo(LSD(bg, rbf, 3, nil))(t)
		off := maxDiff(m.Memberships, same.Memberships) // where the descent stops
		if d > 1e-14 || off > 1e-4 {
			t.Errorf("×%g: other similarities, by %g, and memberships, by %g", factor, d, off)
		}
		ti := mustDo(TILSD(bg, mustDo(LinearKernel(scaled))(t), 3, nil))(t)
		fit := mustDo(Fit(bg, scaled, 3, nil))(t)
		if maxDiff(outer(ti.Memberships), outer(fit.Memberships)) > 1e-9 {
			t.Errorf("×%g: TILSD of the linear kernel is not Fit", factor)
		}
	}
}

// TestSimilarityErrors: what is no similarity, and what does not belong to one, with the words of the errors.
func TestSimilarityErrors(t *testing.T) {
	k := mustDo(RBFKernel(randomData(6, 3, 0, 1), 1))(t)
	with := func(v float64) *Matrix { y := randomData(4, 3, 0, 2); y.Set(2, 1, v); return y }
	of := func(s Similarity) error { return second(SimilarityMatrix(s)) }
	ones := func(n int) Similarity { return similarityFunc(n, func(i, j int) float64 { return 1 }) }
	cross := func(y *Matrix) error { return second(k.Cross(NewMatrix(4, 6, nil), y)) }
	rbf := func(x *Matrix, gamma float64) error { return second(RBFKernel(x, gamma)) }
	_, linear := LinearKernel(with(above(mostEntry)))
	for _, c := range []struct {
		err, want error
		says      string
	}{
		{of(nil), ErrShape, "the similarity is nil"},
		{of((*Matrix)(nil)), ErrShape, "the similarity is nil"}, {of(&SampleKernel{}), ErrShape,
			"without samples"},
		{of(ones(0)), ErrTooFewSamples, "the similarity has no rows"},
		{of(ones(-1)), ErrTooFewSamples, "no rows"}, {of(ones(math.MaxInt)), ErrShape, "the similarity of "},
		{cross(nil), ErrShape, "y is nil"}, {cross(with(math.NaN())), ErrNonFinite, "y[2,1]"},
		{cross(NewMatrix(4, 2, nil)), ErrShape, "y has 2 columns, the kernel's samples have 3"},
		{cross(with(-above(mostEntry))), ErrRange, "y[2,1]"},
		{cross(&Matrix{Rows: 2, Cols: 3, Stride: 3}), ErrShape, "y is 2×3 with stride 3"},
		{rbf(with(0), -5e-324), ErrOption, "gamma is -4.940656"},
		{rbf(with(0), math.NaN()), ErrOption, "NaN"},
		{rbf(with(0), math.Inf(1)), ErrOption, "gamma is +Inf, not a finite number of at least 0"},
		{rbf(nil, 1), ErrShape, "x is nil"}, {rbf(NewMatrix(0, 3, nil), 1), ErrTooFewSamples, ""},
		{rbf(with(math.NaN()), 1), ErrNonFinite, "x[2,1]"}, {linear, ErrRange, "x[2,1]"},
	} {
		if !errors.Is(c.err, c.want) || !strings.Contains(c.err.Error(), c.says) {
			t.Errorf("%v, want %v with %q", c.err, c.want, c.says)
		}
	}
}
