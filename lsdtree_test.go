package softkmeans

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync/atomic"
	"testing"
)

// TestHierarchicalLSDScale: a power of four as a factor changes nothing, from one end of
// the range to the other.
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
		for _, e := range []int{-498, -300, 300, 494} {
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

// TestHierarchicalLSDNested: the tree for k+1 clusters divides one of those for k,
// Splits account for Leaves, and the last clusters are not divided in vain.
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
			if k == 1 && rows.Load() > 7*40 {
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

// TestHierarchicalLSDCancelled: a tree that is cut short says so in all that it has not
// measured, at whatever look at its context that is.
func TestHierarchicalLSDCancelled(t *testing.T) {
	kernel := disturbed(similarityOf(dirichlet(30, 3, 0.2, 1), 1), 0.02, 1)
	cut := 0
	for looks := 0; ; looks++ {
		left := looks
		tree, err := HierarchicalLSD(countdown{bg, &left}, kernel, 3, &LSDOptions{Workers: 1})
		if err == nil {
			if m := tree.Model; m.Status != StatusConverged || m.Scale == 0 || !(m.Gap < 1) || len(tree.Splits) != 2 {
				t.Errorf("a whole tree: %v, scale %g, gap %g, %d splits", m.Status, m.Scale, m.Gap, len(tree.Splits))
			}
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("after %d looks: %v", looks, err)
		}
		if tree == nil {
			continue
		}
		cut++
		if m := tree.Model; m.Status != StatusCancelled || m.Scale != 0 || m.Objective != math.MaxFloat64 || m.Gap != 1 {
			t.Errorf("after %d looks: %v, scale %g, objective %g, gap %g", looks, m.Status, m.Scale, m.Objective, m.Gap)
		}
	}
	if cut < 10 {
		t.Errorf("%d trees were cut short", cut)
	}
}

// TestHierarchicalLSD: nested clusters, found where they are clear; memberships
// are those of LSD for two.
func TestHierarchicalLSD(t *testing.T) {
	t.Parallel()
	n := fewer(160, 100)
	p := dirichlet(n, 5, 0.05, 2)
	kernel := disturbed(similarityOf(p, 1), 0.02, 2)
	truth := (&LSDModel{Memberships: p}).Labels(nil)
	var last *LSDTree
	for k := 1; k <= fewer(7, 5); k++ {
		tree, err := HierarchicalLSD(bg, kernel, k, nil)
		if err != nil {
			t.Fatal(err)
		}
		checkFeasible(t, tree.Model.Memberships)
		if len(tree.Splits) != k-1 || tree.Model.Objective < tree.Model.Floor {
			t.Fatalf("k=%d: %d splits, objective %g, floor %g", k, len(tree.Splits), tree.Model.Objective, tree.Model.Floor)
		}
		sizes := make([]int, k)
		for _, l := range tree.Leaves {
			sizes[l]++
		}
		// The splits tell the sizes.
		count := make([]int, k)
		count[0] = n
		for i, s := range tree.Splits {
			if count[s.Cluster] != s.Size[0]+s.Size[1] {
				t.Errorf("k=%d: split %d of %d samples makes %v", k, i, count[s.Cluster], s.Size)
			}
			count[s.Cluster], count[i+1] = s.Size[0], s.Size[1]
		}
		if !slices.Equal(sizes, count) {
			t.Errorf("k=%d: leaves have %v samples, splits say %v", k, sizes, count)
		}
		if last != nil { // nested: all but the last split are the same
			// Its gain is what the similarity within clusters rose by; sums of up to n²
			// entries below 1, over sizes from 1.
			within := func(leaves []int) (total float64) {
				size, sum := make([]float64, k), make([]float64, k)
				for i, a := range leaves {
					size[a]++
					for j, b := range leaves {
						if a == b {
							sum[a] += kernel.At(i, j)
						}
					}
				}
				for a, s := range sum {
					total += s / max(size[a], 1)
				}
				return total
			}
			if rise := within(tree.Leaves) - within(last.Leaves); math.Abs(tree.Splits[k-2].Gain-rise) > float64(n*n)*0x1p-50 {
				t.Errorf("k=%d: the gain is %g, the similarity within clusters rose by %g", k, tree.Splits[k-2].Gain, rise)
			}
			for i, l := range tree.Leaves {
				if l != last.Leaves[i] && l != k-1 {
					t.Fatalf("k=%d: sample %d went from %d to %d", k, i, last.Leaves[i], l)
				}
			}
		}
		last = tree
		if k == 2 {
			two, err := LSD(bg, kernel, 2, nil)
			if err != nil || matched(two.Memberships, tree.Model.Memberships) > 1e-15 || math.Abs(two.Objective-tree.Model.Objective) > 1e-12*two.Total {
				t.Errorf("k=2 differs from LSD: %v", err)
			}
		}
		if k == 5 {
			if acc, err := Accuracy(truth, tree.Leaves); err != nil || acc < 0.9 {
				t.Errorf("accuracy %g, %v", acc, err)
			}
		}
	}
	// Samples that cannot be told apart are not divided.
	same, err := HierarchicalLSD(bg, NewMatrix(6, 6, slices.Repeat([]float64{1}, 36)), 3, nil)
	if err != nil || len(same.Splits) != 0 || slices.Max(same.Leaves) != 0 {
		t.Errorf("identical samples: %+v, %v", same, err)
	}
	// Similarities with a large constant part, where every sample has its larger
	// membership on the same side, are divided all the same.
	offset, err := LinearKernel(randomData(60, 5, 3, 1))
	if err != nil {
		t.Fatal(err)
	}
	if tree, err := HierarchicalLSDOf(bg, offset, 5, nil); err != nil || len(tree.Splits) != 4 {
		t.Errorf("samples far from the origin: %v, %v", tree.Splits, err)
	}
	// Through samples.
	x, _ := mixtures(120, 6, 3, 0.1, 1, 3)
	linear, err := LinearKernel(x)
	if err != nil {
		t.Fatal(err)
	}
	one, err := HierarchicalLSDOf(bg, linear, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	two, err := HierarchicalLSD(bg, outer(x), 3, nil)
	if err != nil || !slices.Equal(one.Leaves, two.Leaves) || math.Abs(one.Model.Objective-two.Model.Objective) > 1e-6*two.Model.Objective {
		t.Errorf("linear kernel: objective %g, as a matrix %g; %v", one.Model.Objective, two.Model.Objective, err)
	}
}

// TestHierarchicalLSDShares: the memberships of a tree are those of its divisions, one by
// one, of samples outside of a cluster by the nearest point of its edge.
func TestHierarchicalLSDShares(t *testing.T) {
	const n = 30
	kernel := disturbed(similarityOf(dirichlet(n, 3, 0.4, 5), 0.02), 0.02, 1)
	tree := mustDo(HierarchicalLSD(bg, kernel, 3, nil))(t)
	if len(tree.Splits) != 2 || tree.Splits[0].Cluster != 0 {
		t.Fatalf("%+v", tree.Splits)
	}
	var of [3][]int
	for i, c := range tree.Leaves {
		of[c] = append(of[c], i)
	}
	// The first division of all, and the second of one side.
	first := mustDo(LSD(bg, kernel, 2, nil))(t)
	side := func(m *LSDModel, i int) int {
		if m.Memberships.At(i, 1) > m.Memberships.At(i, 0) {
			return 1
		}
		return 0
	}
	start := side(first, 0)
	var members []int
	for i := range n {
		if cluster := abs(side(first, i) - start); cluster == tree.Splits[1].Cluster {
			members = append(members, i)
		}
	}
	part := similarity(len(members), func(i, j int) float64 { return kernel.At(members[i], members[j]) })
	second := mustDo(LSD(bg, part, 2, nil))(t)
	flip := side(second, 0)
	within := func(c float64, k *Matrix, which []int) (sum float64) {
		for _, i := range which {
			for _, j := range which {
				sum += k.At(i, j) / float64(len(which))
			}
		}
		return sum
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	other := []int{}
	for i := range n {
		if abs(side(first, i)-start) != tree.Splits[1].Cluster {
			other = append(other, i)
		}
	}
	gains := []float64{within(0, kernel, members) + within(0, kernel, other) - within(0, kernel, all),
		within(0, kernel, of[tree.Splits[1].Cluster]) + within(0, kernel, of[2]) - within(0, kernel, members)}
	for i, s := range tree.Splits {
		if math.Abs(s.Gain-gains[i]) > 1e-9*gains[i] || math.Abs(s.Scale-[]*LSDModel{first, second}[i].Scale) > 1e-6*s.Scale {
			t.Errorf("division %d: %+v, gain %g", i, s, gains[i])
		}
	}
	if s := tree.Splits; s[0].Size != [2]int{n - len(tree.half(other, members)), len(tree.half(other, members))} || s[1].Size != [2]int{len(of[s[1].Cluster]), len(of[2])} {
		t.Errorf("%+v", tree.Splits)
	}
	want := NewMatrix(n, 3, nil)
	at := 0
	for i := range n {
		whole := [2]float64{first.Memberships.At(i, start), first.Memberships.At(i, 1-start)}
		share := 0.0
		if at < len(members) && members[at] == i {
			share = second.Memberships.At(at, 1-flip)
			at++
		} else {
			var num, den float64
			for a, m := range members {
				low, high := second.Memberships.At(a, flip)/second.Scale, second.Memberships.At(a, 1-flip)/second.Scale
				num += (kernel.At(i, m) - low) * (high - low)
				den += (high - low) * (high - low)
			}
			share = min(max(num/den, 0), 1)
		}
		c := tree.Splits[1].Cluster
		want.Set(i, 1-c, whole[1-c])
		want.Set(i, c, whole[c]*(1-share))
		want.Set(i, 2, whole[c]*share)
	}
	if diff := maxDiff(want, tree.Model.Memberships); diff > 1e-5 {
		t.Errorf("memberships are off by %g", diff)
	}
	pp := similarityOf(tree.Model.Memberships, 1)
	c := sumSquares(pp.Data) / dot(pp.Data, kernel.Data)
	if objective := lsdObjective(kernel, tree.Model.Memberships, c); math.Abs(tree.Model.Scale-c) > 1e-9*c || math.Abs(tree.Model.Objective-objective) > 1e-9*tree.Model.Total || tree.Model.Rank != 3 {
		t.Errorf("scale %g, objective %g, rank %d; want %g, %g", tree.Model.Scale, tree.Model.Objective, tree.Model.Rank, c, objective)
	}
	short := mustDo(HierarchicalLSD(bg, kernel, 3, &LSDOptions{MaxIter: 1}))(t)
	if short.Model.Status != StatusIterationLimit || short.Model.Iterations != 2 || tree.Model.Status != StatusConverged {
		t.Errorf("%v after %d steps, %v", short.Model.Status, short.Model.Iterations, tree.Model.Status)
	}
	op, o, err := openSimilarity(bg, &denseKernel{m: kernel}, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	if m, h, err := decompose(op, 2, &o); err != nil || math.Abs(math.Ldexp(h, op.exp)*m.Scale-1) > 1e-12 {
		t.Errorf("h is %g·2^%d, the scale %g; %v", h, op.exp, m.Scale, err)
	}
}

// TestHierarchicalLSDNothing: similarities that no clusters explain have the scale 0, as
// those of LSD, and their whole size is left.
func TestHierarchicalLSDNothing(t *testing.T) {
	for _, v := range []float64{0, -2} {
		kernel := mapped(identity(4), func(_, _ int, d float64) float64 { return v * d })
		for k := 1; k <= 3; k++ {
			tree := mustDo(HierarchicalLSD(bg, kernel, k, nil))(t)
			if m := mustDo(LSD(bg, kernel, k, nil))(t); m.Scale != 0 || m.Objective != 4*v*v {
				t.Errorf("%g·I, k=%d: %+v by LSD", v, k, m)
			}
			if m := tree.Model; m.Scale != 0 || m.Objective != 4*v*v || m.Total != 4*v*v || m.Rank != 0 || !(m.Gap < 1e-14) || m.Status != StatusConverged {
				t.Errorf("%g·I, k=%d: %+v", v, k, m)
			}
		}
	}
}

// TestLSDTreeString: a line for each cluster, indented by its depth.
func TestLSDTreeString(t *testing.T) {
	tree := &LSDTree{Leaves: make([]int, 9), Splits: []LSDSplit{{Cluster: 0, Size: [2]int{4, 5}}, {Cluster: 1, Size: [2]int{2, 3}}, {Cluster: 0, Size: [2]int{1, 3}}}}
	want := "9 samples\n  4 samples\n    1 samples: cluster 0\n    3 samples: cluster 3\n  5 samples\n    2 samples: cluster 1\n    3 samples: cluster 2\n"
	if got := tree.String(); got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
	if got := (&LSDTree{Leaves: make([]int, 3)}).String(); got != "3 samples: cluster 0\n" {
		t.Error(got)
	}
}

// half returns which of the two is not with sample 0.
func (t *LSDTree) half(a, b []int) []int {
	if a[0] == 0 {
		return b
	}
	return a
}
