package softkmeans

import (
	"math"
	"math/rand/v2"
	"testing"
)

// similarity returns the n×n matrix of at(i, j).
func similarity(n int, at func(i, j int) float64) *Matrix {
	return mapped(NewMatrix(n, n, nil), func(i, j int, _ float64) float64 { return at(i, j) })
}

// TestLSDOneCluster: for k = 1 P is 1 and c = n²/ΣK, also where the first
// eigenvector is orthogonal to 1 and shows nothing of that.
func TestLSDOneCluster(t *testing.T) {
	for _, kernel := range []*Matrix{
		NewMatrix(2, 2, []float64{2, -1, -1, 2}),
		NewMatrix(4, 4, []float64{3, -1, 0, 0, -1, 3, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}),
		similarityOf(dirichlet(30, 3, 1, 1), 2),
	} {
		m, err := LSD(bg, kernel, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		n, sum := float64(kernel.Rows), 0.0
		for _, v := range kernel.Data {
			sum += v
		}
		want := sumSquares(kernel.Data) - sum*sum/n/n
		if math.Abs(m.Scale*sum/n/n-1) > 1e-12 || math.Abs(m.Objective-want) > 1e-12*m.Total {
			t.Errorf("n=%g: scale %g, want %g; objective %g, want %g", n, m.Scale, n*n/sum, m.Objective, want)
		}
	}
}

// TestTILSDFarOrigin: a translation of K changes nothing, also where it is so
// large that only rounding of its means is left of HKH, or near to that.
func TestTILSDFarOrigin(t *testing.T) {
	for _, n := range []int{7, 50, 100, 300} {
		for _, v := range []float64{0.1, 0.3, 1, 1e-300, 1e300} {
			kernel := similarity(n, func(_, _ int) float64 { return v })
			m, err := TILSD(bg, kernel, 3, nil)
			if err != nil {
				t.Fatal(err)
			}
			if m.Rank != 0 || m.Floor != 0 || m.Objective > m.FloorError || maxDiff(m.Memberships, uniform(n, 3)) > 0 {
				t.Errorf("n=%d, all %g: rank %d, objective %g, floor %g, memberships %v", n, v, m.Rank, m.Objective, m.Floor, m.Memberships.Row(0))
			}
			if ok, err := TILSDable(kernel, 1, 1e-15); !ok || err != nil {
				t.Errorf("n=%d, all %g: TILSDable %t, %v", n, v, ok, err)
			}
		}
		// b adds up to 0, so that HKH = bbᵀ, and all sums are exact.
		b := func(i int) float64 { return float64(2*(i%2) - 1) }
		if n%2 == 1 {
			continue
		}
		for _, far := range []float64{0, 0x1p20, 0x1p30, 0x1p45} {
			m, err := TILSD(bg, similarity(n, func(i, j int) float64 { return far + b(i)*b(j) }), 2, nil)
			if err != nil {
				t.Fatal(err)
			}
			if m.Floor > 0 || m.Objective > 1e-20*m.Total || math.Abs(m.Scale-0.5) > 1e-12 || math.Abs(m.Total-float64(n*n)) > 1e-9*m.Total {
				t.Errorf("n=%d, far %g: scale %g, objective %g, floor %g (above %g), total %g", n, far, m.Scale, m.Objective, m.Floor, m.FloorError, m.Total)
			}
		}
	}
}

// TestLSDFloorNegative: where the iterative eigensolver, for n > fullOrder, is asked for
// more eigenvalues than are positive, the floor does not suffer.
func TestLSDFloorNegative(t *testing.T) {
	n := fewer(264, fullOrder+8)
	for _, positive := range []int{0, 2, 5} {
		kernel := similarity(n, func(i, j int) float64 {
			switch {
			case i != j:
				return 0
			case i < positive:
				return 1
			}
			return -1
		})
		m, err := LSD(bg, kernel, 8, &LSDOptions{MaxIter: -1})
		if err != nil {
			t.Fatal(err)
		}
		if want := float64(n - positive); m.Floor > want || want-m.Floor > 1e-9 || m.FloorError > 1e-9 {
			t.Errorf("%d positive: floor %g above %g, want %g", positive, m.Floor, m.FloorError, want)
		}
	}
}

// TestLSDMoreClusters: k may be above the number of clusters that there are. Noise
// must not make that worse than the right k, whose P is one for more clusters,
// too; nor clusters of very different size.
func TestLSDMoreClusters(t *testing.T) {
	t.Parallel()
	for _, clusters := range fewer([]int{2, 3, 5}, []int{2, 3}) {
		for _, noise := range fewer([]float64{1e-12, 1e-6, 1e-3}, []float64{1e-12}) {
			kernel := disturbed(similarityOf(dirichlet(fewer(80, 40), clusters, 0.5, 1), 1), noise, 1)
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
	for _, c := range fewer([]shape{{600, 4, 3}, {300, 1, 5}, {300, 2, 5}, {300, 4, 3}, {300, 8, 3}, {300, 30, 5}, {300, 100, 3}, {300, 150, 4}},
		[]shape{{300, 4, 3}, {140, 1, 5}, {60, 2, 5}, {60, 20, 3}, {60, 30, 4}}) {
		p := NewMatrix(c.n, 2, nil)
		for i := range c.n {
			p.Set(i, min(i/(c.n-c.few), 1), 1)
		}
		for seed := range fewer[uint64](3, 1) {
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

// TestLSDEigensolverLimit: eigenvalues that crowd at the upper end take more steps
// than the eigensolver has. That is a Status, and the floor is a bound still.
func TestLSDEigensolverLimit(t *testing.T) {
	n := fewer(400, 200)
	value := func(i int) float64 { return 2 * math.Cos(math.Pi*float64(i)/float64(n+1)) }
	kernel := KernelFunc(n, func(i, j int) float64 {
		if i != j {
			return 0
		}
		return value(i)
	})
	want := 0.0
	for i := range n {
		if i >= 3 {
			want += value(i) * value(i)
		}
	}
	m, err := LSDOf(bg, kernel, 3, &LSDOptions{MaxIter: -1})
	if err != nil {
		t.Fatal(err)
	}
	if m.Status != StatusIterationLimit || m.Floor > want || m.Floor+m.FloorError < want {
		t.Errorf("%v, floor %.12g above %.3g, want %.12g", m.Status, m.Floor, m.FloorError, want)
	}
}

// TestLSDableFacets: no sample is pure, each just lacks one cluster, and the
// rotation takes hundreds of steps.
func TestLSDableFacets(t *testing.T) {
	if quick() {
		skip(t, "takes minutes under the race detector, which has nothing to find here")
		return
	}
	t.Parallel()
	const n, k = 100, 12
	for _, seed := range []uint64{0, 12} {
		rng := rand.New(rand.NewPCG(seed, 0xface))
		p := NewMatrix(n, k, nil)
		for i := range n {
			row := p.Row(i)
			for j := range row {
				row[j] = rng.ExpFloat64()
			}
			row[i%k] = 0
			sum := 0.0
			for _, v := range row {
				sum += v
			}
			scale(row, 1/sum)
		}
		o, err := LSDObstacle(similarityOf(p, 1.3), k, 0)
		if err != nil || o.Kind != ObstacleNone {
			t.Errorf("seed %d: %v, %v", seed, o, err)
		}
	}
}

// New samples may be of any size beside those of the kernel.
func TestCrossFar(t *testing.T) {
	x := NewMatrix(2, 2, []float64{1e-200, 2e-200, -1e-200, 3e-200})
	k, err := LinearKernel(x)
	if err != nil {
		t.Fatal(err)
	}
	far := NewMatrix(2, 2, []float64{1e200, 1e200, math.MaxFloat64, -math.MaxFloat64})
	got, err := k.Cross(nil, far)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{3, 2, -math.MaxFloat64 * 1e-200, -math.MaxFloat64 * 4e-200} {
		if v := got.Data[i]; !(math.Abs(v-want) <= 1e-14*math.Abs(want)) {
			t.Errorf("linear: entry %d is %g, want %g", i, v, want)
		}
	}
	// γ·2^(2·exp) is below the range: the kernel is 1 near and 0 far away.
	r, err := RBFKernel(x, 1e-300)
	if err != nil {
		t.Fatal(err)
	}
	got, err = r.Cross(nil, NewMatrix(3, 2, []float64{1e100, 0, 1e150, 0, -1e200, math.MaxFloat64}))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{1, 1, math.Exp(-1), math.Exp(-1), 0, 0} {
		if v := got.Data[i]; !(math.Abs(v-want) <= 1e-12) {
			t.Errorf("RBF: entry %d is %g, want %g", i, v, want)
		}
	}
}
