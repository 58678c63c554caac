package softkmeans

import (
	"errors"
	"math"
	"testing"
)

func TestSimilarityFloorsOption(t *testing.T) {
	if _, err := LSDFloors(bg, identity(3), 0, nil); !errors.Is(err, ErrOption) {
		t.Error(err)
	}
}

// TestDistanceKernel compares with the kernel of the samples that have these distances.
func TestDistanceKernel(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 4, 30, 31} {
		x := randomData(n, 2, 0, uint64(n))
		if n > 1 { // equal rows, with 4 so many that half of the pairs are at distance 0
			copy(x.Row(1), x.Row(0))
			copy(x.Row(2), x.Row(0))
		}
		d := similarity(n, func(i, j int) float64 { return math.Sqrt(squaredDistance(x.Row(i), x.Row(j))) })
		for _, gamma := range []float64{0, 0.3} {
			rbf := mustDo(RBFKernel(x, gamma))(t)
			got, used, err := DistanceKernel(d, gamma)
			if err != nil || n > 1 && math.Abs(used-rbf.Gamma()) > 1e-12*rbf.Gamma() {
				t.Fatalf("n = %d: γ is %v, not %v, %v", n, used, rbf.Gamma(), err)
			}
			if diff := maxDiff(got, mustDo(SimilarityMatrix(rbf))(t)); diff > 1e-12 {
				t.Errorf("n = %d: off by %g", n, diff)
			}
		}
	}
	for _, c := range []struct {
		bad  []float64
		want error
	}{
		{[]float64{1, 0, 0, 1}, ErrShape}, {[]float64{0, -1, -1, 0}, ErrShape},
		{[]float64{0, 1, 2, 0}, ErrShape}, {[]float64{0, math.NaN(), 1, 0}, ErrNonFinite},
	} {
		if _, _, err := DistanceKernel(NewMatrix(2, 2, c.bad), 0); !errors.Is(err, c.want) {
			t.Errorf("%v: %v", c.bad, err)
		}
	}
	equal, gamma, err := DistanceKernel(NewMatrix(3, 3, nil), 0)
	if err != nil || !(gamma > 0) || equal.Data[1] != 1 {
		t.Errorf("%v, %v, %v", equal, gamma, err)
	}
}

// TestLSDFloorsNegative: where no eigenvalue is above 0 random vectors leave much open, and a factorization
// closes it.
func TestLSDFloorsNegative(t *testing.T) {
	const n = provedOrder + 1
	k, all := NewMatrix(n, n, nil), 0.0
	for i := range n {
		v := -float64(i) / n
		k.Set(i, i, v)
		all += v * v
	}
	for i, v := range mustDo(LSDFloors(t.Context(), k, 2, nil))(t) {
		if math.Abs(v-all) > 1e-9*all {
			t.Errorf("%d clusters: a floor of %g, want %g", i+1, v, all)
		}
	}
}
