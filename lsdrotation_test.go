package softkmeans

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestLSDMoreClusters: k may be above the number of clusters that there are. Noise
// must not make that worse than the right k, whose P is one for more clusters,
// too; nor clusters of very different size.
func TestLSDMoreClusters(t *testing.T) {
	t.Parallel()
	for _, clusters := range fewer([]int{2, 3, 5}, []int{2, 3}) {
		for _, noise := range fewer(full([]float64{1e-12, 1e-6, 1e-3}, []float64{1e-12, 1e-3}), []float64{1e-12}) {
			kernel := disturbed(similarityOf(dirichlet(fewer(full(80, 50), 40), clusters, 0.5, 1), 1), noise, 1)
			right, err := LSD(bg, kernel, clusters, nil)
			if err != nil {
				t.Fatal(err)
			}
			for k := clusters + 1; k <= clusters+2; k++ {
				m, err := LSD(bg, kernel, k, nil)
				if err != nil {
					t.Fatal(err)
				}
				if m.Objective > 1.0001*right.Objective {
					t.Errorf("%d clusters, noise %g: objective %g for k=%d, %g for the right k", clusters, noise, m.Objective, k, right.Objective)
				}
			}
		}
	}
	// Exact clusters of any sizes, of which 1ᵀK⁺ may point along 1 to rounding.
	type shape struct{ n, few, k int }
	for _, c := range full([]shape{{600, 4, 3}, {300, 1, 5}, {300, 2, 5}, {300, 4, 3}, {300, 8, 3}, {300, 30, 5}, {300, 100, 3}, {300, 150, 4}},
		[]shape{{300, 4, 3}, {140, 1, 5}, {60, 2, 5}, {60, 20, 3}, {60, 30, 4}}) {
		p := NewMatrix(c.n, 2, nil)
		for i := range c.n {
			p.Set(i, min(i/(c.n-c.few), 1), 1)
		}
		for seed := range full[uint64](3, 1) {
			m, err := LSD(bg, similarityOf(p, 1), c.k, &LSDOptions{Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			if m.Objective > 1e-20*m.Total {
				t.Errorf("%d and %d samples, k=%d, seed %d: objective %g of %g", c.n-c.few, c.few, c.k, seed, m.Objective, m.Total)
			}
		}
	}
}

// turned returns the rotation problem of points that some R takes into the
// simplex exactly, and that R.
func turned(n, k int, seed uint64) (*rotation, *Matrix) {
	p := dirichlet(n, k, 0.5, seed)
	r := newRotation(bg, k, NewMatrix(n, k-1, nil))
	back := RandomOrientation(k, seed)
	t := product(p, r.b)
	for i := range n {
		for c, v := range t.Row(i) {
			axpy(r.points.Row(i), v, back.Row(c))
		}
	}
	return r, back
}

// nudged returns (I + tΩ)R, made orthogonal.
func nudged(r *rotation, turn, omega *Matrix, t float64) *Matrix {
	next := turn.Clone()
	for i := range omega.Rows {
		for c, v := range omega.Row(i) {
			axpy(next.Row(i), t*v, turn.Row(c))
		}
	}
	return r.orthogonal(next)
}

// TestRotationDerivatives: the slope is that of half the sum of squares, and near
// an exact solution the Gauss–Newton matrix is how the slope changes.
func TestRotationDerivatives(t *testing.T) {
	for k := 3; k <= 7; k++ {
		n := 20 * k
		r, solution := turned(n, k, uint64(k))
		g := NewMatrix(n, k, nil)
		if sum := r.place(g, solution); sum > 1e-28 {
			t.Fatalf("k=%d: the points are not in the simplex: %g", k, sum)
		}
		rng := rand.New(rand.NewPCG(1, uint64(k)))
		random := func() *Matrix {
			m := NewMatrix(k-1, k-1, nil)
			for i := range k - 1 {
				for j := range i {
					v := rng.NormFloat64()
					m.Set(i, j, v)
					m.Set(j, i, -v)
				}
			}
			return m
		}
		turn, omega := nudged(r, solution, random(), 0.05), random()
		const h = 1e-5
		up, down := r.place(g, nudged(r, turn, omega, h)), r.place(g, nudged(r, turn, omega, -h))
		r.place(g, turn)
		slope := r.slope(NewMatrix(k-1, k-1, nil))
		if want := (up - down) / (4 * h); math.Abs(dot(slope.Data, omega.Data)-want) > 1e-4*norm2(slope.Data)*norm2(omega.Data) {
			t.Errorf("k=%d: slope along Ω %g, differences say %g", k, dot(slope.Data, omega.Data), want)
		}
		// From a point so near the solution that the residuals hardly count.
		turn = nudged(r, solution, random(), 1e-5)
		r.place(g, nudged(r, turn, omega, 1e-9))
		after := r.slope(NewMatrix(k-1, k-1, nil))
		r.place(g, turn)
		before := r.slope(NewMatrix(k-1, k-1, nil))
		bent := NewMatrix(k-1, k-1, nil)
		r.bend(bent, omega, g)
		for i := range bent.Data {
			want := (after.Data[i] - before.Data[i]) / 1e-9
			if math.Abs(bent.Data[i]-want) > 1e-3*norm2(bent.Data) {
				t.Fatalf("k=%d: Gauss–Newton %g, the slope changes by %g", k, bent.Data[i], want)
			}
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
		r, _ := turned(30*k, k, uint64(k))
		for seed := range uint64(5) {
			if _, sum := r.improve(RandomOrientation(k, 100+seed), 200); sum > 1e-26*sumSquares(r.points.Data) {
				t.Errorf("k=%d, start %d: a distance of %g is left", k, seed, math.Sqrt(sum))
			}
		}
	}
}

// TestProcrustes: for points and their places in the simplex it finds the rotation that
// takes them there, and one that lies closer than any other nearby where none does.
func TestProcrustes(t *testing.T) {
	for k := 3; k <= 8; k++ {
		n := 20 * k
		r, solution := turned(n, k, uint64(k))
		g := NewMatrix(n, k, nil)
		r.place(g, solution)
		// Roundings of sums over n ≤ 160, times the condition of Σt·qᵀ, 2 or less here.
		if d := maxDiff(r.procrustes(g), solution); d > 1e-13 {
			t.Errorf("k=%d: off by %g", k, d)
		}
		// The squared distance from g, which has not been turned along.
		turn := RandomOrientation(k, 1)
		r.place(g, turn)
		distance := func(turn *Matrix) float64 {
			at := product(product(r.points, turn.transposed()), r.bt)
			for i := range at.Data {
				at.Data[i] += 1/float64(k) - g.Data[i]
			}
			return sumSquares(at.Data)
		}
		best := r.procrustes(g)
		least := distance(best)
		for seed := range uint64(10) {
			omega := randomData(k-1, k-1, 0, seed)
			for i := range k - 1 {
				for j := range i + 1 {
					omega.Set(i, j, -omega.At(j, i))
				}
				omega.Set(i, i, 0)
			}
			if near := distance(nudged(r, best, omega, 1e-3)); near < least {
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

// TestRotationStep: a step solves (GaussNewton + μI)Ω = −slope, and where it leads up the
// one of the source is taken, which leads down.
func TestRotationStep(t *testing.T) {
	raised := 0
	for seed := range uint64(12) {
		k := 3 + int(seed%4)
		r, _ := turned(15*k, k, seed)
		g, trial := NewMatrix(15*k, k, nil), NewMatrix(15*k, k, nil)
		turn := RandomOrientation(k, seed+100)
		sum := r.place(g, turn)
		size := sumSquares(r.points.Data) / float64(15*k)
		for _, mu := range []float64{1e-3 * size, size, 100 * size} {
			r.place(g, turn)
			omega := r.step(g, mu).Clone()
			rest := r.slope(NewMatrix(k-1, k-1, nil))
			length := norm2(rest.Data)
			axpy(rest.Data, mu, omega.Data)
			r.bend(rest, omega, g)
			if left := norm2(rest.Data); left > 2e-3*length {
				t.Errorf("k=%d, μ=%g: a residual of %g is left of %g", k, mu, left, length)
			}
			if mu > 1e-3*size {
				continue
			}
			up := r.place(trial, nudged(r, turn, omega, 1)) >= sum
			if up {
				raised++
			}
			_, now := r.improve(turn, 1)
			if !(now < sum) {
				t.Errorf("k=%d: from %g to %g, up by the first kind: %v", k, sum, now, up)
			}
		}
		if _, now := r.improve(turn, 0); now != sum {
			t.Errorf("k=%d: no steps lead from %g to %g", k, sum, now)
		}
	}
	t.Log(raised)
}
