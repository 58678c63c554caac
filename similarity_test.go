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

// FuzzSimilarity holds kernels of samples and functions, and all that is made of them, to
// their promises.
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
			s = KernelFunc(n, m.At)
		}
		isXX := kernel != nil && kernel.linear
		whole := mustDo(SimilarityMatrix(s))(t)
		finite(t, "similarities", whole.Data...)
		if kernel != nil {
			y := in.matrix(1+in.below(3), x.Cols)
			finite(t, "similarities with others", mustDo(kernel.Cross(nil, y))(t).Data...)
			finite(t, "gamma", kernel.Gamma())
			in.beyond(t, x, func(x *Matrix) error { _, err := RBFKernel(x, 1); return err })
			cross := mustDo(kernel.Cross(nil, x))(t)
			for i, v := range whole.Data {
				if i/n <= i%n && v != whole.At(i%n, i/n) || cross.Data[i] != v {
					t.Fatalf("similarity (%d,%d) is %g, its mirror image %g, that of Cross %g", i/n, i%n, v, whole.At(i%n, i/n), cross.Data[i])
				}
			}
		}
		o := &LSDOptions{Workers: in.below(3), Seed: uint64(in.byte()), Starts: in.below(3), MaxIter: in.below(7) - 1, Enclosure: Enclosure(in.below(2))}
		switch {
		case o.Starts == 0 && o.Seed%4 > 0: // 0 would be 5
			o.Starts = 1
		case o.MaxIter == 0: // would be 1000
			o.MaxIter = 25
		}
		o.MaxIter = cmp.Or(o.MaxIter, 6)
		lsd, ti := mustDo(LSD(bg, s, k, o))(t), mustDo(TILSD(bg, s, k, o))(t)
		for i, m := range []*LSDModel{lsd, ti} {
			checkFeasible(t, m.Memberships)
			finite(t, "model", m.Scale, m.Objective, m.Floor, m.FloorError, m.Total, m.Gap, m.Distortion)
			if !(m.Scale >= 0 && m.Floor >= 0 && m.FloorError >= 0 && m.Gap >= 0 && m.Floor <= m.Objective && m.Objective <= m.Total*(1+1e-12)+m.FloorError) {
				t.Fatalf("%d: %+v", i, m)
			}
			if m.Scale == 0 && m.Objective < m.Total*(1-1e-12) { // only where nothing explains K
				t.Fatalf("%d: %+v", i, m)
			}
			back := shipped(t, m)
			for j, l := range m.Labels(nil) {
				if l < 0 || l >= k || back.Labels(nil)[j] != l {
					t.Fatalf("label %d", l)
				}
			}
			rows := in.matrix(2, n)
			g, err := m.Predict(nil, rows)
			if m.Scale == 0 && errors.Is(err, ErrOption) || (isXX || m.Projection != nil) && errors.Is(err, ErrRange) {
				continue // nothing explains K, or XXᵀ or the coordinates of these rows are beyond the range
			}
			if err != nil {
				t.Fatal(err)
			}
			checkFeasible(t, g)
			if p := mustDo(back.Predict(nil, rows))(t); !laSameBits(p.Data, g.Data) {
				t.Fatalf("another prediction by way of the binary form: %v, %v", p.Data, g.Data)
			}
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

// TestMatrixRows: the rows of a matrix are its own, wherever they begin, also of a strided one.
func TestMatrixRows(t *testing.T) {
	wide := randomData(9, 12, 0, 1)
	m := &Matrix{Rows: 9, Cols: 9, Stride: 12, Data: wide.Data}
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
}

// TestCrossFar: new samples may be of any size in range, whatever that of the kernel's.
func TestCrossFar(t *testing.T) {
	x := NewMatrix(2, 2, []float64{0, 0x1p-499, -0x1p-500, 0x1p-498})
	far := NewMatrix(2, 2, []float64{mostEntry, 0, mostEntry, -mostEntry})
	got := mustDo(mustDo(LinearKernel(x))(t).Cross(nil, far))(t)
	if want := []float64{0, -1, -2, -5}; !slices.Equal(got.Data, want) {
		t.Errorf("linear: %v, want %v", got.Data, want)
	}
	for _, gamma := range []float64{0, 1e-300, 1, math.MaxFloat64} {
		r := mustDo(RBFKernel(x, gamma))(t)
		got = mustDo(r.Cross(nil, far))(t)
		for i, v := range got.Data {
			if want := map[bool]float64{true: 1, false: 0}[gamma == 1e-300]; v != want { // γ·2^-998 is 0
				t.Errorf("RBF, γ = %g: entry %d is %g, want %g", r.Gamma(), i, v, want)
			}
		}
		var e *InputError
		if _, err := r.Cross(nil, NewMatrix(1, 2, []float64{0, -mostEntry * (1 + 0x1p-52)})); !errors.Is(err, ErrRange) || !errors.As(err, &e) || e.Arg != "y" || e.Col != 1 {
			t.Errorf("beyond the range: %v", err)
		}
	}
}

// TestRBFGamma: γ is the one given at every scale of the samples, and by default
// that of the median distance, of the distances above 0 where half are 0.
func TestRBFGamma(t *testing.T) {
	for _, size := range []float64{0, 0x1p-500, 1e-150, 1, 1e150, mostEntry} {
		for _, gamma := range []float64{5e-324, 1e-300, 1, 1e300, math.MaxFloat64} {
			k, err := RBFKernel(NewMatrix(3, 1, []float64{0, size, size / 2}), gamma)
			if err != nil {
				t.Fatal(err)
			}
			if k.Gamma() != gamma {
				t.Errorf("samples of size %g: γ = %g became %g", size, gamma, k.Gamma())
			}
		}
	}
	for _, c := range []struct {
		x    []float64
		want float64
	}{
		{[]float64{0, 1, 3, 7}, 3.5},                 // 1 2 3 4 6 7
		{[]float64{0, 0, 0, 0, 0, 0, 0, 1, 4}, 3},    // 21 times 0, then 1 ×7, 3, 4 ×7
		{[]float64{0, 0, 0, 1, 1}, 1},                // six times 1, four times 0
		{[]float64{0, 1e-200, 2e-200, 3e-200, 1}, 1}, // six times 0 to 2^-500, four times 1
	} {
		k, err := RBFKernel(NewMatrix(len(c.x), 1, c.x), 0)
		if err != nil {
			t.Fatal(err)
		}
		if m := math.Sqrt(1 / (2 * k.Gamma())); math.Abs(m-c.want) > 1e-12 {
			t.Errorf("%v: median %g, want %g", c.x, m, c.want)
		}
	}
}

// TestRowsBeyond: rows that a similarity does not have are a panic, not numbers of
// what lies behind a view of samples.
func TestRowsBeyond(t *testing.T) {
	x := rowsOf(randomData(9, 2, 0, 1), 0, 5)
	linear, err := LinearKernel(x)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []Similarity{linear, KernelFunc(5, func(i, j int) float64 { return 1 })} {
		for _, lo := range []int{-1, 4, 5, math.MaxInt} {
			mustPanic(t, func() { s.CopyRows(NewMatrix(2, 5, nil), lo) })
		}
		mustPanic(t, func() { s.CopyRows(nil, 0) })
		s.CopyRows(NewMatrix(0, 5, nil), 5)
		s.CopyRows(NewMatrix(2, 5, nil), 3)
	}
}

// TestSampleKernel: kernels of samples against their definitions.
func TestSampleKernel(t *testing.T) {
	t.Parallel()
	x := randomData(70, 5, 4, 3)
	for _, factor := range []float64{1, 1e149, 1e-149} {
		scaled := mapped(x, func(_, _ int, v float64) float64 { return v * factor })
		rbf, err := RBFKernel(scaled, 0)
		if err != nil {
			t.Fatal(err)
		}
		var distances []float64
		for i := range 70 {
			for j := range i {
				distances = append(distances, math.Sqrt(squaredDistance(x.Row(i), x.Row(j))))
			}
		}
		slices.Sort(distances)
		median := (distances[len(distances)/2] + distances[(len(distances)-1)/2]) / 2
		gamma := 1 / (2 * median * median)
		if want := gamma / factor / factor; want < math.MaxFloat64 && want > 0 && math.Abs(rbf.Gamma()/want-1) > 1e-2 {
			t.Errorf("×%g: gamma %g, want %g", factor, rbf.Gamma(), want)
		}
		got := NewMatrix(70, 70, nil)
		rbf.CopyRows(got, 0)
		cross, err := rbf.Cross(nil, scaled)
		if err != nil || maxDiff(got, cross) != 0 {
			t.Errorf("×%g: Cross and Rows differ: %v", factor, err)
		}
		for i := range 70 {
			for j := range 70 {
				want := math.Exp(-rbf.scaled * math.Ldexp(squaredDistance(scaled.Row(i), scaled.Row(j)), -2*rbf.s.exp))
				if factor != 1 {
					want = got.At(j, i)
				}
				if math.Abs(got.At(i, j)-want) > 1e-14 || i == j && got.At(i, j) != 1 {
					t.Fatalf("×%g: K[%d,%d] = %g, want %g", factor, i, j, got.At(i, j), want)
				}
			}
		}
		// Units do not matter.
		m, err := LSD(bg, rbf, 3, nil)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := RBFKernel(x, 0)
		if err != nil {
			t.Fatal(err)
		}
		same, err := LSD(bg, plain, 3, nil)
		if err != nil || maxDiff(m.Memberships, same.Memberships) > 1e-4 { // where the descent stops
			t.Errorf("×%g: other memberships, by %g, %v", factor, maxDiff(m.Memberships, same.Memberships), err)
		}
		linear, err := LinearKernel(scaled)
		if err != nil {
			t.Fatal(err)
		}
		ti, err := TILSD(bg, linear, 3, nil)
		if err != nil {
			t.Fatal(err)
		}
		fit, err := Fit(bg, scaled, 3, nil)
		if err != nil || maxDiff(outer(ti.Memberships), outer(fit.Memberships)) > 1e-9 {
			t.Errorf("×%g: TILSD of the linear kernel is not Fit: %v", factor, err)
		}
	}
	// Duplicates: three pairs of six are 0 apart, three 2; of ten, six and four, so
	// that the median is of the pairs that differ; none differ.
	twins, err := RBFKernel(NewMatrix(4, 1, []float64{1, 1, 1, 3}), 0)
	if err != nil || math.Abs(twins.Gamma()-0.5) > 1e-15 {
		t.Errorf("gamma %g, %v", twins.Gamma(), err)
	}
	if twins, err = RBFKernel(NewMatrix(5, 1, []float64{1, 1, 1, 1, 3}), 0); err != nil || math.Abs(twins.Gamma()-1.0/8) > 1e-15 {
		t.Errorf("gamma %g, %v", twins.Gamma(), err)
	}
	if same, err := RBFKernel(NewMatrix(3, 1, []float64{1, 1, 1}), 0); err != nil || !(same.Gamma() > 0) {
		t.Errorf("%v, %v", same.Gamma(), err)
	}
	if linear, _ := LinearKernel(x); linear.Gamma() != 0 || linear.Len() != 70 {
		t.Error("a linear kernel with a gamma")
	}
}

// TestCrossView: the destination may be a view that ends with its last entry.
func TestCrossView(t *testing.T) {
	x := randomData(3, 2, 0, 1)
	for _, k := range []*SampleKernel{mustDo(LinearKernel(x))(t), mustDo(RBFKernel(x, 1))(t)} {
		want := mustDo(k.Cross(nil, x))(t)
		dst := &Matrix{Rows: 3, Cols: 3, Stride: 5, Data: nans(2*5 + 3)}
		mustDo(k.Cross(dst, x))(t)
		if !laSameBits(dst.Clone().Data, want.Data) || !math.IsNaN(dst.Data[3]) || !math.IsNaN(dst.Data[9]) {
			t.Errorf("%v, want %v", dst.Data, want.Data)
		}
	}
}

// TestSimilarityErrors: what is no similarity, and what does not belong to one, with the
// words of the errors.
func TestSimilarityErrors(t *testing.T) {
	x := randomData(6, 3, 0, 1)
	k := mustDo(RBFKernel(x, 1))(t)
	with := func(v float64) *Matrix { y := randomData(4, 3, 0, 2); y.Set(2, 1, v); return y }
	of := func(n int) func() (any, error) {
		return func() (any, error) { return SimilarityMatrix(KernelFunc(n, func(i, j int) float64 { return 1 })) }
	}
	cross := func(y *Matrix) func() (any, error) {
		return func() (any, error) { return k.Cross(NewMatrix(4, 6, nil), y) }
	}
	rbf := func(x *Matrix, gamma float64) func() (any, error) {
		return func() (any, error) { return RBFKernel(x, gamma) }
	}
	for _, c := range []struct {
		call func() (any, error)
		want error
		says string
	}{
		{func() (any, error) { return SimilarityMatrix(nil) }, ErrShape, "the similarity is nil"}, {of(0), ErrTooFewSamples, "the similarity has no rows"}, {of(-1), ErrTooFewSamples, "no rows"},
		{of(math.MaxInt), ErrShape, "the similarity of "}, {cross(nil), ErrShape, "y is nil"}, {cross(NewMatrix(4, 2, nil)), ErrShape, "y has 2 columns, the kernel's samples have 3"},
		{cross(with(math.NaN())), ErrNonFinite, "y[2,1]"}, {cross(with(-above(mostEntry))), ErrRange, "y[2,1]"}, {cross(&Matrix{Rows: 2, Cols: 3, Stride: 3}), ErrShape, "y is 2×3 with stride 3"},
		{rbf(x, -5e-324), ErrOption, "gamma is -4.940656"}, {rbf(x, math.Inf(1)), ErrOption, "gamma is +Inf, not a finite number of at least 0"}, {rbf(nil, 1), ErrShape, "x is nil"}, {rbf(NewMatrix(0, 3, nil), 1), ErrTooFewSamples, ""},
		{rbf(with(math.NaN()), 1), ErrNonFinite, "x[2,1]"}, {func() (any, error) { return LinearKernel(with(above(mostEntry))) }, ErrRange, "x[2,1]"},
	} {
		if _, err := c.call(); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want %v with %q", err, c.want, c.says)
		}
	}
	for _, rows := range []*Matrix{nil, NewMatrix(2, 5, nil), NewMatrix(7, 6, nil), {Rows: 2, Cols: 6, Stride: 5, Data: make([]float64, 12)}} {
		mustPanic(t, func() { k.CopyRows(rows, 0) })
	}
	if canRecover() {
		for want, call := range map[string]func(){
			"softkmeans: dst is 2×5 for rows from 3 on of 6×6":  func() { k.CopyRows(NewMatrix(2, 5, nil), 3) },
			"softkmeans: dst is nil for rows from 1 on of 6×6":  func() { k.CopyRows(nil, 1) },
			"softkmeans: dst is 3×6 for rows from 4 on of 6×6":  func() { k.CopyRows(NewMatrix(3, 6, nil), 4) },
			"softkmeans: dst is 1×6 for rows from -1 on of 6×6": func() { k.CopyRows(NewMatrix(1, 6, nil), -1) },
		} {
			func() {
				defer func() {
					if said := recover(); said != want {
						t.Errorf("%v, want %s", said, want)
					}
				}()
				call()
			}()
		}
	}
	mustPanic(t, func() { k.Cross(NewMatrix(4, 5, nil), randomData(4, 3, 0, 1)) })
	if y := mustDo(k.Cross(nil, NewMatrix(0, 3, nil)))(t); y.Rows != 0 || y.Cols != 6 {
		t.Errorf("%+v", y)
	}
}

// TestKernelsOfMany: blocks of samples on both sides make no difference, and the median
// heuristic takes a thousand rows, always the same.
func TestKernelsOfMany(t *testing.T) {
	t.Parallel()
	const n = 1200
	x := randomData(n, 1, 0, 3)
	k := mustDo(RBFKernel(x, 0))(t)
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
	m := (all[len(all)/2] + all[(len(all)-1)/2]) / 2
	if want := 1 / (2 * m * m); math.Abs(k.Gamma()-want) > 1e-9*want {
		t.Errorf("gamma %.12g, want %.12g", k.Gamma(), want)
	}
	wide := randomData(300, 70, 0, 1) // several blocks of a row of K
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
	// Without two rows that differ, m is the unit of the samples.
	for _, x := range []*Matrix{NewMatrix(3, 1, []float64{1, 1, 1}), NewMatrix(1, 2, []float64{0.3, 1}), NewMatrix(2, 1, []float64{1.9, 1.9})} {
		if g := mustDo(RBFKernel(x, 0))(t).Gamma(); g < 1.0/8 || g > 0.5 {
			t.Errorf("%v: gamma %g", x.Data, g)
		}
	}
}
