package softkmeans

// Hierarchical left-stochastic decomposition, after Arora et al. (2013): it divides a
// cluster in two, again and again. For two clusters there is no rotation to find.

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
)

// LSDTree is the result of [HierarchicalLSD].
type LSDTree struct {
	// Model has the memberships of all k clusters, and how well they decompose K. Its
	// Iterations are those of all divisions.
	Model LSDModel
	// Splits are the divisions in their order. There are k−1, or fewer if no cluster
	// could be divided further. Split i made cluster i+1.
	Splits []LSDSplit
	// Leaves is the cluster of each sample by the tree. At every division a sample went
	// to the side of its larger membership. Where that is the same side for all samples,
	// those went to the second side whose membership there is above the mean. The
	// largest product of memberships, Model.Labels, may be another cluster.
	Leaves []int
}

// String draws the tree, an indented line for each cluster:
//
//	150 samples
//	  50 samples: cluster 0
//	  100 samples
//	    …
func (t *LSDTree) String() string {
	var b strings.Builder
	// Later splits may divide both sides of split i: the first under the number of the
	// cluster that it divided, the second under i+1.
	var draw func(cluster, from, size, depth int)
	draw = func(cluster, from, size, depth int) {
		b.WriteString(strings.Repeat("  ", depth) + strconv.Itoa(size) + " samples")
		for i := from; i < len(t.Splits); i++ {
			if s := t.Splits[i]; s.Cluster == cluster {
				b.WriteString("\n")
				draw(cluster, i+1, s.Size[0], depth+1)
				draw(i+1, i+1, s.Size[1], depth+1)
				return
			}
		}
		b.WriteString(": cluster " + strconv.Itoa(cluster) + "\n")
	}
	draw(0, 0, len(t.Leaves), 0)
	return b.String()
}

// LSDSplit is a division of a cluster in two.
type LSDSplit struct {
	Cluster int     // the divided cluster: the side of its first sample keeps this number, the other gets the next one
	Size    [2]int  // samples that kept the number, samples that got the new one
	Scale   float64 // c of the decomposition of its samples alone
	// Gain is the rise of Σ_clusters (1/size)·ΣK_ij, the similarity within clusters. The
	// cluster whose division gains most is divided next.
	Gain float64
}

// HierarchicalLSD finds k clusters of n samples. It divides a cluster in two, by [LSD]
// with k = 2 of its samples alone, until there are k. The next one is that whose division
// raises the similarity within clusters most. So the clusters are nested: those for k+1
// divide one of those for k.
//
// Memberships are the products of those along the path from the root. Samples outside of a
// cluster get theirs for its division from their similarities, as by [LSDModel.Predict].
//
// Options are those of each LSD; Progress is not called. Cost: at most 2k−3 LSDs with
// k = 2, one of all samples and two of the parts of every division but the last, and the
// eigenvalues and two passes of LSD with k. Errors: those of LSD. With ctx's error comes
// the tree so far; its Scale is 0, its Objective math.MaxFloat64 and its Gap 1.
func HierarchicalLSD(ctx context.Context, kernel *Matrix, k int, opts *LSDOptions) (*LSDTree, error) {
	src, err := newDense(kernel, k, opts)
	if err != nil {
		return nil, err
	}
	return HierarchicalLSDOf(ctx, src, k, opts)
}

// HierarchicalLSDOf is [HierarchicalLSD] of similarities that need not be stored.
func HierarchicalLSDOf(ctx context.Context, s Similarity, k int, opts *LSDOptions) (*LSDTree, error) {
	op, o, err := openSimilarity(ctx, s, k, opts)
	if err != nil {
		return nil, err
	}
	o.Progress = nil
	g := NewMatrix(op.n, k, nil)
	for i := range op.n {
		g.row(i)[0] = 1
	}
	t := &LSDTree{Leaves: make([]int, op.n)}
	t.Model = LSDModel{Memberships: g, Status: StatusConverged, Objective: math.MaxFloat64, Gap: 1} // until rateTree
	if err = buildTree(op, t, &o); err != nil {
		t.Model.Status = StatusCancelled
	}
	return t, err
}

// buildTree divides clusters until there is one for each column of the memberships, or
// none can be divided further.
func buildTree(o *operator, t *LSDTree, opts *LSDOptions) error {
	k := t.Model.Memberships.Cols
	root, err := divide(o, indices(o.n), k == 1, opts)
	if err != nil {
		return err
	}
	leaves := []*leaf{root}
	for len(leaves) < k {
		at := -1
		for i, l := range leaves {
			if l.model != nil && (at < 0 || l.gain > leaves[at].gain) {
				at = i
			}
		}
		if at < 0 {
			break
		}
		if err := growTree(o, t, &leaves, at, opts); err != nil {
			return err
		}
	}
	return rateTree(o, t)
}

// leaf is a cluster with its division in two.
type leaf struct {
	members []int
	model   *LSDModel // nil if it cannot be divided
	sides   [2][]int
	h       float64 // 1/c of the model, in the units of the operator of all samples
	gain    float64 // in the same units
}

// divide returns a cluster with its division. One that is final is not divided.
func divide(o *operator, members []int, final bool, opts *LSDOptions) (*leaf, error) {
	l := &leaf{members: members}
	n := len(members)
	if n < 2 || final {
		return l, nil
	}
	op, err := newOperator(o.ctx, subsetOf(o, members), o.workers)
	if err != nil {
		return nil, err
	}
	op.part = true
	m, h, err := decompose(op, 2, opts)
	if err != nil {
		return nil, err
	}
	sides := NewMatrix(2, n, nil)
	labels := m.Labels(nil)
	if slices.Min(labels) == slices.Max(labels) { // all on one side, as where K has a large constant part
		mean := 0.0
		for i := range n {
			mean += m.Memberships.row(i)[1] / float64(n)
		}
		for i := range labels {
			labels[i] = 0
			if m.Memberships.row(i)[1] > mean+0x1p-40 {
				labels[i] = 1
			}
		}
	}
	if labels[0] == 1 { // the side of the first sample comes first
		for i := range n {
			row := m.Memberships.row(i)
			row[0], row[1] = row[1], row[0]
			labels[i] = 1 - labels[i]
		}
	}
	for i, side := range labels {
		l.sides[side] = append(l.sides[side], members[i])
		sides.row(side)[i] = 1
	}
	if len(l.sides[0]) == 0 || len(l.sides[1]) == 0 {
		return l, nil
	}
	sums, err := op.apply(sides)
	if err != nil {
		return nil, err
	}
	own0, own1, across := dot(sums.row(0), sides.row(0)), dot(sums.row(1), sides.row(1)), dot(sums.row(0), sides.row(1))
	l.gain = own0/float64(len(l.sides[0])) + own1/float64(len(l.sides[1])) - (own0+own1+2*across)/float64(n)
	l.gain, l.h = math.Ldexp(l.gain, op.exp-o.exp), math.Ldexp(h, op.exp-o.exp)
	l.model = m
	return l, nil
}

// growTree divides cluster `at`.
func growTree(o *operator, t *LSDTree, leaves *[]*leaf, at int, opts *LSDOptions) error {
	l := (*leaves)[at]
	share, err := sharesOf(o, l)
	if err != nil {
		return err
	}
	var next [2]*leaf
	made := len(*leaves)
	last := made+1 == t.Model.Memberships.Cols
	for side := range next {
		if next[side], err = divide(o, l.sides[side], last, opts); err != nil {
			return err
		}
	}
	for i := range o.n {
		row := t.Model.Memberships.row(i)
		row[made] = row[at] * share[i]
		row[at] -= row[made]
	}
	for _, i := range l.sides[1] {
		t.Leaves[i] = made
	}
	(*leaves)[at] = next[0]
	*leaves = append(*leaves, next[1])
	t.Splits = append(t.Splits, LSDSplit{at, [2]int{len(l.sides[0]), len(l.sides[1])}, l.model.Scale, unscale(l.gain, o.exp)})
	t.Model.Iterations += l.model.Iterations
	if l.model.Status == StatusIterationLimit {
		t.Model.Status = StatusIterationLimit
	}
	return nil
}

// sharesOf returns every sample's membership in the second side of a division. For a sample
// outside of the cluster it is the t of [0, 1] with the least ‖κ − (1−t)a − t·b‖², for its
// similarities κ to the members and the columns a and b of P/c.
func sharesOf(o *operator, l *leaf) ([]float64, error) {
	p := l.model.Memberships
	share := make([]float64, o.n)
	edge := NewMatrix(1, o.n, nil) // b − a
	var length, offset float64
	for i, at := range l.members {
		a, b := l.h*p.row(i)[0], l.h*p.row(i)[1]
		edge.Data[at] = b - a
		length += (b - a) * (b - a)
		offset += a * (b - a)
	}
	products, err := o.apply(edge)
	if err != nil {
		return nil, err
	}
	for i, v := range products.Data {
		share[i] = 0.5
		if length > 0 {
			share[i] = min(max((v-offset)/length, 0), 1)
		}
	}
	for i, at := range l.members {
		share[at] = p.row(i)[1]
	}
	return share, nil
}

// rateTree sets rank, scale and objective.
func rateTree(o *operator, t *LSDTree) error {
	spec, z, left, err := o.nearest(t.Model.Memberships.Cols, 0)
	if err != nil {
		return err
	}
	for i := range o.n {
		fixSum(t.Model.Memberships.row(i))
	}
	d := &descent{operator: o, k: t.Model.Memberships.Cols, total: left.total}
	f := &candidate{p: t.Model.Memberships}
	if err := d.measure(f); err != nil {
		return err
	}
	if spec.status == StatusIterationLimit {
		t.Model.Status = spec.status
	}
	t.Model.Rank = z.Rows
	if f.a > 0 {
		t.Model.Scale = unscale(f.b/f.a, -o.exp)
	}
	t.Model.rate(o, spec, left, f.objective)
	return nil
}

// subsetOf is K of some of the samples, in ascending order.
func subsetOf(o *operator, members []int) Similarity {
	if len(members) == o.n {
		return o.src
	}
	if k, ok := o.src.(*SampleKernel); ok {
		return k.of(members)
	}
	return &subsetKernel{o.src, members}
}
