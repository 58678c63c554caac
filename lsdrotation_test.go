package softkmeans

import (
	"math"
	"slices"
	"testing"
)

// TestLSDMoreClusters: k may be above the number of clusters that there are. Noise must not make that worse
// than the right k. Exact clusters may be of any sizes, of which 1ᵀK⁺ may point along 1 to rounding.
func TestLSDMoreClusters(t *testing.T) {
	t.Parallel()
	for _, clusters := range fewer([]int{2, 3, 5}, []int{2, 3}) {
		for _, noise := range fewer([]float64{1e-12, 1e-6, 1e-3}, []float64{1e-12}) {
			kernel := disturbed(similarityOf(dirichlet(fewer(80, 40), clusters, 0.5, 1), 1), noise, 1)
			right := mustDo(LSD(bg, kernel, clusters, nil))(t)
			for k := clusters + 1; k <= clusters+2; k++ {
				if m := mustDo(LSD(bg, kernel, k, nil))(t); m.Objective > 1.0001*right.Objective {
					t.Errorf("%d clusters, noise %g: objective %g for k=%d, %g for the right k",
						clusters, noise, m.Objective, k, right.Objective)
				}
			}
		}
	}
	for _, c := range fewer(
		[][3]int{{600, 4, 3}, {300, 1, 5}, {300, 2, 5}, {300, 8, 3}, {300, 30, 5}, {300, 150, 4}},
		[][3]int{{300, 4, 3}, {140, 1, 5}, {60, 2, 5}, {60, 20, 3}, {60, 30, 4}}) {
		n, few, k := c[0], c[1], c[2]
		p := NewMatrix(n, 2, nil)
		for i := range n {
			p.Set(i, min(i/(n-few), 1), 1)
		}
		for seed := range fewer[uint64](3, 1) {
			m := mustDo(LSD(bg, outer(p), k, &LSDOptions{Seed: seed}))(t)
			if m.Objective > 1e-20*m.Total {
				t.Errorf("%d and %d samples, k=%d, seed %d: objective %g of %g",
					n-few, few, k, seed, m.Objective, m.Total)
			}
		}
	}
}

// turned returns the rotation problem of points that some R takes into the simplex exactly, and that R.
func turned(n, k int, seed uint64) (*rotation, *Matrix) {
	back := RandomOrientation(k, seed)
	r := newRotation(bg, k, NewMatrix(n, k-1, nil))
	r.points = product(product(dirichlet(n, k, 0.5, seed), r.b), back)
	return r, back
}

// nudged returns (I + tΩ)R, made orthogonal.
func nudged(r *rotation, turn, omega *Matrix, t float64) *Matrix {
	return r.orthogonal(axpyOf(turn.Clone(), t, product(omega, turn)))
}

// skewed is a random matrix that is less its transpose.
func skewed(p int, seed uint64) *Matrix {
	m := randomData(p, p, 0, seed)
	return mapped(m, func(i, j int, v float64) float64 { return v - m.At(j, i) })
}

// TestRotationDerivatives: the slope is that of half the sum of squares, and near
// an exact solution the Gauss–Newton matrix is how the slope changes.
func TestRotationDerivatives(t *testing.T) {
	for k := 3; k <= 7; k += 2 {
		n, p := 20*k, k-1
		r, solution := turned(n, k, uint64(k))
		g := NewMatrix(n, k, nil)
		if sum := r.place(g, solution); sum > 1e-28 {
			t.Fatalf("k=%d: the points are not in the simplex: %g", k, sum)
		}
		turn, omega := nudged(r, solution, skewed(p, 1), 0.05), skewed(p, 2)
		slope := func(turn *Matrix) *Matrix {
			r.place(g, turn)
			return r.slope(NewMatrix(p, p, nil))
		}
		const h = 1e-5
		up, down := r.place(g, nudged(r, turn, omega, h)), r.place(g, nudged(r, turn, omega, -h))
		at, want := slope(turn), (up-down)/(4*h)
		if math.Abs(dot(at.Data, omega.Data)-want) > 1e-4*norm2(at.Data)*norm2(omega.Data) {
			t.Errorf("k=%d: slope along Ω %g, differences say %g", k, dot(at.Data, omega.Data), want)
		}
		// From a point so near the solution that the residuals hardly count.
		turn = nudged(r, solution, skewed(p, 3), 1e-5)
		change := slope(nudged(r, turn, omega, 1e-9))
		axpy(change.Data, -1, slope(turn).Data)
		bent := NewMatrix(p, p, nil)
		r.bend(bent, omega, g)
		if size := norm2(bent.Data); norm2(axpyOf(bent, -1e9, change).Data) > 1e-3*size {
			t.Errorf("k=%d: of Gauss–Newton %g the slope changes by another", k, size)
		}
	}
}

// TestRotationSubset: of more points than the starts are tried on, too, what search
// returns is a minimum of all of them: one more step gains nothing to speak of.
func TestRotationSubset(t *testing.T) {
	t.Parallel()
	r := newRotation(bg, 4, randomData(rotationSubset+300, 3, 0, 2))
	turn := r.search(2, 1)
	before := r.place(NewMatrix(r.points.Rows, 4, nil), turn)
	// improve stops where a step gains 1e-9 of the sum; it converges at least
	// linearly, at a rate that leaves a thousand times that at most.
	if _, after := r.improve(turn, 5); before-after > 1e-6*before {
		t.Errorf("more steps take %g off %g", before-after, before)
	}
}

// TestRotationSearch: from any start the points of an exact solution come back
// into the simplex, in a few steps.
func TestRotationSearch(t *testing.T) {
	for k := 3; k <= 8; k++ {
		r, _ := turned(15*k, k, uint64(k))
		for seed := range fewer[uint64](5, 2) {
			_, sum := r.improve(RandomOrientation(k, 100+seed), 200)
			if sum > 1e-26*sumSquares(r.points.Data) {
				t.Errorf("k=%d, start %d: a distance of %g is left", k, seed, math.Sqrt(sum))
			}
		}
	}
}

// TestProcrustes: for points and their places in the simplex it finds the rotation that
// takes them there, and one that lies closer than any other nearby where none does.
func TestProcrustes(t *testing.T) {
	for k := 3; k <= 8; k++ {
		r, solution := turned(20*k, k, uint64(k))
		g := NewMatrix(20*k, k, nil)
		r.place(g, solution)
		// Roundings of sums over n ≤ 160, times the condition of Σt·qᵀ, 2 or less here.
		if d := maxDiff(r.procrustes(g), solution); d > 1e-13 {
			t.Errorf("k=%d: off by %g", k, d)
		}
		r.place(g, RandomOrientation(k, 1))
		distance := func(turn *Matrix) float64 { // from g, which has not been turned along
			at := product(product(r.points, turn.transposed()), r.bt)
			return sumSquares(axpyOf(moved(at, 1/float64(k)), -1, g).Data)
		}
		best := r.procrustes(g)
		least := distance(best)
		for seed := range uint64(10) {
			if near := distance(nudged(r, best, skewed(k-1, seed), 1e-3)); near < least {
				t.Errorf("k=%d: %g, nearby it is less by %g", k, least, least-near)
			}
		}
	}
}

// TestRotationStarts: the search ends as low as the best of its starts, which are
// different ones; of those that end within 1e-6 of each other it takes the first.
func TestRotationStarts(t *testing.T) {
	t.Parallel()
	const starts = 5
	lower := 0 // how often a later start ends lower than all before
	for seed := range fewer[uint64](6, 2) {
		r := newRotation(bg, 8, randomData(40, 7, 0, 20+seed))
		least := math.Inf(1)
		for s := range uint64(starts) {
			_, sum := r.improve(RandomOrientation(8, seed+s), rotationSteps)
			if sum < (1-1e-4)*least && s > 0 {
				lower++
			}
			least = min(least, sum)
		}
		if got := r.place(NewMatrix(40, 8, nil), r.search(starts, seed)); got > (1+1e-5)*least {
			t.Errorf("seed %d: %g, one of the starts ends at %g", seed, got, least)
		}
	}
	if lower == 0 {
		t.Error("the first start is always the best: this proves nothing")
	}
}

// TestRotationStep: a step solves (GaussNewton + μI)Ω = −slope, and an iteration leads down. Where
// such steps lead up the one of the source is taken, so that it gains nothing where improve ends.
func TestRotationStep(t *testing.T) {
	for seed := range uint64(8) {
		k := 3 + int(seed%4)
		r, _ := turned(15*k, k, seed)
		if seed >= 4 { // points that are not exact
			r.points = randomData(15*k, k-1, 0, seed)
		}
		g := NewMatrix(15*k, k, nil)
		turn := RandomOrientation(k, seed+100)
		sum := r.place(g, turn)
		size := sumSquares(r.points.Data) / float64(15*k)
		for _, mu := range []float64{100 * size, size, 1e-3 * size} {
			r.place(g, turn)
			omega := r.step(g, mu).Clone()
			rest := r.slope(NewMatrix(k-1, k-1, nil))
			length := norm2(rest.Data)
			axpy(rest.Data, mu, omega.Data)
			r.bend(rest, omega, g)
			if left := norm2(rest.Data); left > 2e-3*length {
				t.Errorf("k=%d, μ=%g: a residual of %g is left of %g", k, mu, left, length)
			}
		}
		if _, now := r.improve(turn, 1); !(now < sum) {
			t.Errorf("k=%d: from %g to %g", k, sum, now)
		}
		if _, now := r.improve(turn, 0); now != sum {
			t.Errorf("k=%d: no steps lead from %g to %g", k, sum, now)
		}
	}
	for seed := range uint64(40) {
		points := randomData(16, 3, 0, seed)
		scale(points.Data, 0.3)
		r := newRotation(bg, 4, points)
		g := NewMatrix(16, 4, nil)
		turn, sum := r.improve(RandomOrientation(4, seed), 100)
		r.place(g, turn)
		if after := r.place(g, r.procrustes(g)); after < sum*(1-1e-6) {
			t.Errorf("seed %d: from %g to %g by the source's step", seed, sum, after)
		}
	}
}

// TestAroundMean: of samples on a line the two ends are pure, wherever the line is.
func TestAroundMean(t *testing.T) {
	op := mustDo(newOperator(bg, identity(20), 2))(t)
	for _, mean := range []float64{0, 3} {
		z := randomData(1, 20, mean, 1)
		g := aroundMean(op, z, 2, &LSDOptions{})
		low, high := slices.Index(z.Data, slices.Min(z.Data)), slices.Index(z.Data, slices.Max(z.Data))
		a, b := g.row(low), g.row(high)
		if !(max(a[0], a[1]) > 1-1e-12 && max(b[0], b[1]) > 1-1e-12 && math.Abs(a[0]-b[0]) > 1-1e-12) {
			t.Errorf("mean %g: the ends have memberships %v and %v", mean, a, b)
		}
	}
}
