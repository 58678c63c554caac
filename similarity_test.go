package softkmeans

import (
	"cmp"
	"errors"
	"math"
	"slices"
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
		lsd, ti := mustDo(LSDOf(bg, s, k, o))(t), mustDo(TILSDOf(bg, s, k, o))(t)
		tree := mustDo(HierarchicalLSDOf(bg, s, k, o))(t)
		if len(tree.Leaves) != n || len(tree.Splits) >= k || tree.String() == "" {
			t.Fatalf("%+v", tree)
		}
		for i, m := range []*LSDModel{lsd, ti, &tree.Model} {
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
		for _, call := range []func(*Matrix, int, float64) (Obstacle, error){LSDObstacle, TILSDObstacle} {
			for _, tol := range []float64{0, 0.1} {
				b := mustDo(call(whole, k, tol))(t)
				if b.String() == "" || !isFinite(b.Value) || b.Row < 0 || b.Row >= n || b.Col < 0 || b.Col >= n {
					t.Fatalf("obstacle %+v", b)
				}
			}
		}
		in.finish(t)
	})
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
			mustPanic(t, func() { s.Rows(NewMatrix(2, 5, nil), lo) })
		}
		mustPanic(t, func() { s.Rows(nil, 0) })
		s.Rows(NewMatrix(0, 5, nil), 5)
		s.Rows(NewMatrix(2, 5, nil), 3)
	}
}

// TestSampleKernel: kernels of samples against their definitions.
func TestSampleKernel(t *testing.T) {
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
		rbf.Rows(got, 0)
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
		m, err := LSDOf(bg, rbf, 3, nil)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := RBFKernel(x, 0)
		if err != nil {
			t.Fatal(err)
		}
		same, err := LSDOf(bg, plain, 3, nil)
		if err != nil || maxDiff(m.Memberships, same.Memberships) > 1e-4 { // where the descent stops
			t.Errorf("×%g: other memberships, by %g, %v", factor, maxDiff(m.Memberships, same.Memberships), err)
		}
		linear, err := LinearKernel(scaled)
		if err != nil {
			t.Fatal(err)
		}
		ti, err := TILSDOf(bg, linear, 3, nil)
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
