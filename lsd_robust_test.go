package softkmeans

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// endingContext ends when it is looked at for the given time.
type endingContext struct {
	context.Context
	left atomic.Int64
}

func (c *endingContext) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestLSDCancelled ends the context at every look that LSD and the tree take at
// it: the error is ctx's, and a model is feasible and what it says it is.
func TestLSDCancelled(t *testing.T) {
	x := randomData(20, 6, 3, 5)
	linear, err := LinearKernel(x)
	if err != nil {
		t.Fatal(err)
	}
	dense, err := newDense(disturbed(similarityOf(dirichlet(20, 3, 0.5, 1), 2), 0.3, 2), 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]Similarity{"linear": linear, "dense": dense} {
		kernel := NewMatrix(20, 20, nil)
		s.Rows(kernel, 0)
		o := &LSDOptions{Workers: 1, MaxIter: 5, Starts: 1}
		for at := int64(0); ; at++ {
			ctx := &endingContext{Context: bg}
			ctx.left.Store(at)
			m, err := LSDOf(ctx, s, 3, o)
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
			tree, err := HierarchicalLSDOf(ctx, s, 3, o)
			if err == nil {
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if tree == nil {
				continue
			}
			checkFeasible(t, tree.Model.Memberships)
			if tree.Model.Status != StatusCancelled {
				t.Errorf("%s, tree, look %d: %v", name, at, tree.Model.Status)
			}
		}
	}
}

// TestHierarchicalLSDScale: a power of four as a factor changes nothing, also
// where the scale, the gains or K itself are out of the range of float64.
func TestHierarchicalLSDScale(t *testing.T) {
	base := disturbed(similarityOf(dirichlet(60, 5, 0.3, 1), 1), 0.05, 2)
	top, _ := rowMaxAbs(base.Data)
	x := randomData(60, 5, 0.5, 1)
	tree := func(e int, linear bool) *LSDTree {
		t.Helper()
		var s Similarity
		var err error
		if linear {
			s, err = LinearKernel(mapped(x, func(_, _ int, v float64) float64 { return math.Ldexp(v, e) }))
		} else {
			s, err = newDense(mapped(base, func(_, _ int, v float64) float64 { return math.Ldexp(v/top*0.999, e) }), 2, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := HierarchicalLSDOf(bg, s, 5, nil)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	for _, linear := range []bool{false, true} {
		want := tree(0, linear)
		for _, e := range []int{-1000, -960, -520, 500, 510, 518, 700, 1000, 1022, 1024} {
			if linear && e > 1020 {
				continue
			}
			got := tree(e, linear)
			checkFeasible(t, got.Model.Memberships)
			if !slices.Equal(got.Leaves, want.Leaves) || maxDiff(got.Model.Memberships, want.Model.Memberships) > 1e-9 {
				t.Errorf("linear %v, ×2^%d: other leaves (%v), memberships differ by %g", linear, e, !slices.Equal(got.Leaves, want.Leaves), maxDiff(got.Model.Memberships, want.Model.Memberships))
			}
			for _, s := range got.Splits {
				if !isFinite(s.Gain) || !isFinite(s.Scale) {
					t.Errorf("linear %v, ×2^%d: %+v", linear, e, s)
				}
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
		_, err3 := HierarchicalLSD(bg, one, k, nil)
		_, err4 := LSDable(one, k, 0)
		_, err5 := TILSDable(one, k, 0)
		for _, err := range []error{err1, err2, err3, err4, err5} {
			if !errors.Is(err, ErrOption) {
				t.Errorf("k = %d: %v", k, err)
			}
		}
		if _, err := LSDOf(bg, KernelFunc(k, func(i, j int) float64 { return 1 }), 2, nil); !errors.Is(err, ErrShape) {
			t.Errorf("n = %d: %v", k, err)
		}
	}
	// n×k fits, k×k does not.
	k := 1 << (strconv.IntSize/2 - 1)
	if _, err := LSD(bg, one, k, nil); !errors.Is(err, ErrOption) {
		t.Errorf("k = %d: %v", k, err)
	}
	if _, err := LSDOf(bg, KernelFunc(-1, nil), 2, nil); !errors.Is(err, ErrTooFewSamples) {
		t.Errorf("n = -1: %v", err)
	}
}

// TestHugeK: more centers than 32 bits index, or than 48 bits address, are an error
// wherever a k is taken. With 10^14 make panicked in Fit and FitSeq.
func TestHugeK(t *testing.T) {
	x := NewMatrix(3, 2, []float64{1, 2, 3, 4, 5, 7})
	stats := statsOf(t, x, nil)
	kernel := outer(x)
	for name, call := range map[string]func(k int) error{
		"Fit":                func(k int) error { _, err := Fit(bg, x, k, nil); return err },
		"FitSeq":             func(k int) error { _, err := FitSeq(bg, inBlocks(x, 2), k, nil); return err },
		"Subspace":           func(k int) error { _, err := stats.Subspace(k, nil); return err },
		"FitAlternating":     func(k int) error { _, err := FitAlternating(bg, x, k, nil); return err },
		"FitMinVolume":       func(k int) error { _, err := FitMinVolume(bg, x, k, nil); return err },
		"FitMinVolumeSeq":    func(k int) error { _, err := FitMinVolumeSeq(bg, inBlocks(x, 2), k, nil); return err },
		"MinVolumePath":      func(k int) error { _, err := MinVolumePath(bg, x, k, nil, nil); return err },
		"NonUniquenessBound": func(k int) error { _, err := NonUniquenessBound(x, k); return err },
		"LSD":                func(k int) error { _, err := LSD(bg, kernel, k, nil); return err },
		"TILSD":              func(k int) error { _, err := TILSD(bg, kernel, k, nil); return err },
		"HierarchicalLSD":    func(k int) error { _, err := HierarchicalLSD(bg, kernel, k, nil); return err },
		"LSDable":            func(k int) error { _, err := LSDable(kernel, k, 0); return err },
		"TILSDable":          func(k int) error { _, err := TILSDable(kernel, k, 0); return err },
		"TruncatedSVD":       func(k int) error { _, err := TruncatedSVD(bg, x, k, nil); return err },
	} {
		for _, k := range []int{math.MaxInt, math.MaxInt / 2, min(1e14, math.MaxInt), math.MaxInt32} {
			if k < math.MaxInt32 {
				continue // it is 2^30 on 32 bits, which two columns and three rows do address
			}
			if err := call(k); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), strconv.Itoa(k)) {
				t.Errorf("%s, k = %d: %v", name, k, err)
			}
		}
	}
	// Of these the k×k numbers are beyond any address.
	if k := 1 << 23; math.MaxInt > math.MaxInt32 {
		for name, call := range map[string]func() error{
			"FitAlternating": func() error { _, err := FitAlternating(bg, x, k, nil); return err },
			"TILSD":          func() error { _, err := TILSD(bg, kernel, k, nil); return err },
		} {
			if err := call(); !errors.Is(err, ErrOption) {
				t.Errorf("%s, k = 2^23: %v", name, err)
			}
		}
	}
}

// TestRBFGamma: γ is the one given at every scale of the samples, and by default
// that of the median distance, of the distances above 0 where half are 0.
func TestRBFGamma(t *testing.T) {
	for _, size := range []float64{0, 5e-324, 1e-300, 1e-150, 1, 1e150, 1e300} {
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
		{[]float64{0, 1, 3, 7}, 3.5},              // 1 2 3 4 6 7
		{[]float64{0, 0, 0, 0, 0, 0, 0, 1, 4}, 3}, // 21 times 0, then 1 ×7, 3, 4 ×7
		{[]float64{0, 0, 0, 1, 1}, 1},             // six times 1, four times 0
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

// TestTILSDLargest: with nothing but the largest float64 all is still finite.
func TestTILSDLargest(t *testing.T) {
	for n := 1; n < 40; n++ {
		kernel := mapped(NewMatrix(n, n, nil), func(_, _ int, _ float64) float64 { return math.MaxFloat64 })
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

// lsdModels are of all kinds that have a binary form.
func lsdModels(t testing.TB) []*LSDModel {
	t.Helper()
	kernel := disturbed(similarityOf(dirichlet(12, 3, 0.5, 1), 2), 0.1, 1)
	lsd, err1 := LSD(bg, kernel, 3, nil)
	tilsd, err2 := TILSD(bg, kernel, 12, nil)
	one, err3 := TILSD(bg, kernel, 1, nil)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	square := &LSDModel{Memberships: identity(12), Scale: 1}
	return []*LSDModel{lsd, tilsd, one, square, {}, {Memberships: NewMatrix(0, 4, nil)}, {Memberships: NewMatrix(4, 0, nil), Scale: 1},
		{Memberships: NewMatrix(3, 2, nil), Scale: 1},
		{Memberships: NewMatrix(0, 4, nil), Map: &KernelMap{Projection: NewMatrix(0, 2, nil), Vertices: NewMatrix(4, 2, nil)}}}
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
		{LSDModel{Memberships: p, Map: &KernelMap{}}, ErrShape},
		{LSDModel{Memberships: p, Map: &KernelMap{Means: []float64{0, math.Inf(1)}, Projection: p, Vertices: p}}, ErrNonFinite},
		{LSDModel{Memberships: p, Map: &KernelMap{Means: []float64{0, 0}, Projection: p, Vertices: NewMatrix(3, 2, nil)}}, ErrShape},
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

func FuzzLSDModelBinary(f *testing.F) {
	for _, m := range lsdModels(f) {
		b, err := m.MarshalBinary()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		b = resum(append([]byte(nil), b...))
		m := LSDModel{Rank: 77}
		if err := m.UnmarshalBinary(b); err != nil {
			if !errors.Is(err, ErrFormat) || m.Rank != 77 || m.Memberships != nil {
				t.Fatal(err)
			}
			return
		}
		again, err := m.MarshalBinary()
		if err != nil || !bytes.Equal(again, b) {
			t.Fatalf("%v: %x came back as %x", err, b, again)
		}
		if p := m.Memberships; p != nil && p.Rows > 0 && p.Rows*p.Cols <= 1000 {
			in := newInput(b)
			rows := in.matrix(2, p.Rows)
			if g, err := m.Predict(nil, rows); err == nil {
				checkFeasible(t, g)
			}
			for _, rows := range []*Matrix{nil, rows} {
				if w, err := m.Coordinates(nil, rows); err == nil {
					finite(t, "coordinates", w.Data...)
				}
			}
			in.finish(t)
		}
	})
}

// TestHierarchicalLSDNested: the tree for k+1 clusters divides one of those for k,
// Splits account for Leaves, and no cluster is divided that stays whole.
func TestHierarchicalLSDNested(t *testing.T) {
	x := randomData(40, 4, 0, 1)
	for i := 20; i < 40; i++ { // duplicates
		copy(x.Row(i), x.Row(i%5))
	}
	rbf, err := RBFKernel(x, 0)
	if err != nil {
		t.Fatal(err)
	}
	var rows atomic.Int64
	counted := KernelFunc(40, func(i, j int) float64 {
		if j == 0 {
			rows.Add(1)
		}
		return math.Exp(-math.Abs(float64(i-j)) / 10)
	})
	for name, s := range map[string]Similarity{"rbf": rbf, "func": counted} {
		var last *LSDTree
		for k := 1; k <= 8; k++ {
			rows.Store(0)
			tree, err := HierarchicalLSDOf(bg, s, k, nil)
			if err != nil {
				t.Fatal(err)
			}
			// Scale, symmetry and rateTree only.
			if k == 1 && rows.Load() > 6*40 {
				t.Errorf("k = 1: %d rows for nothing to divide", rows.Load())
			}
			sizes, got := []int{40}, make([]int, k)
			for _, split := range tree.Splits {
				sizes[split.Cluster] = split.Size[0]
				sizes = append(sizes, split.Size[1])
			}
			for _, l := range tree.Leaves {
				got[l]++
			}
			if len(sizes) != k || !slices.Equal(sizes, got) {
				t.Errorf("%s, k = %d: splits say %v, leaves %v", name, k, sizes, got)
			}
			for i, l := range tree.Leaves {
				if last != nil && l != last.Leaves[i] && l != k-1 {
					t.Errorf("%s, k = %d: sample %d went from %d to %d", name, k, i, last.Leaves[i], l)
				}
			}
			last = tree
		}
	}
}
