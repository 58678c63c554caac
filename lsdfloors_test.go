package softkmeans

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// TestSimilarityFloors holds the floors to those of the decompositions, for similarities
// with eigenvalues of both signs, direct and iterated.
func TestSimilarityFloors(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 9, 140} {
		rng := rand.New(rand.NewPCG(7, uint64(n)))
		k := NewMatrix(n, n, nil)
		for i := range n {
			for j := range i + 1 {
				v := rng.NormFloat64() + 3*math.Cos(float64(i%3-j%3))
				k.Set(i, j, v)
				k.Set(j, i, v)
			}
		}
		most := min(n, 6)
		src := &denseKernel{k, false}
		for _, try := range []struct {
			floors func() ([]float64, error)
			model  func(k int) (*LSDModel, error)
		}{
			{func() ([]float64, error) { return LSDFloors(t.Context(), src, 6, nil) },
				func(c int) (*LSDModel, error) { return LSD(t.Context(), k, c, nil) }},
			{func() ([]float64, error) { return TILSDFloors(t.Context(), src, 6, nil) },
				func(c int) (*LSDModel, error) { return TILSD(t.Context(), k, c, nil) }},
		} {
			floors, err := try.floors()
			if err != nil || len(floors) != most {
				t.Fatalf("n = %d: %v, %v", n, floors, err)
			}
			for c := 1; c <= most; c++ {
				if n > 100 && c%3 != 2 { // each takes a while
					continue
				}
				m, err := try.model(c)
				if err != nil {
					t.Fatal(err)
				}
				if math.Abs(floors[c-1]-m.Floor) > 1e-9*m.Total+m.FloorError || c > 1 && floors[c-1] > floors[c-2] {
					t.Errorf("n = %d, k = %d: %v, not %v ± %v", n, c, floors, m.Floor, m.FloorError)
				}
			}
		}
	}
	if _, err := LSDFloors(t.Context(), KernelFunc(3, func(i, j int) float64 { return 1 }), 0, nil); !errors.Is(err, ErrOption) {
		t.Error(err)
	}
}

// TestDistanceKernel compares with the kernel of the samples that have these distances.
func TestDistanceKernel(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, 4, 5, 30, 31} {
		x := NewMatrix(n, 2, nil)
		for i := range x.Data {
			x.Data[i] = rng.NormFloat64()
		}
		if n > 4 { // some rows twice
			copy(x.Row(n/2), x.Row(0))
			copy(x.Row(n-1), x.Row(0))
		}
		if n == 4 { // half of the pairs are at distance 0
			copy(x.Row(1), x.Row(0))
			copy(x.Row(2), x.Row(0))
		}
		d := NewMatrix(n, n, nil)
		for i := range n {
			for j := range n {
				d.Set(i, j, math.Sqrt(squaredDistance(x.Row(i), x.Row(j))))
			}
		}
		for _, gamma := range []float64{0, 0.3} {
			rbf, err := RBFKernel(x, gamma)
			if err != nil {
				t.Fatal(err)
			}
			want, _ := SimilarityMatrix(rbf)
			got, used, err := DistanceKernel(d, gamma)
			if err != nil {
				t.Fatal(err)
			}
			if n > 1 && math.Abs(used-rbf.Gamma()) > 1e-12*rbf.Gamma() {
				t.Errorf("n = %d: γ is %v, not %v", n, used, rbf.Gamma())
			}
			for i, v := range want.Data {
				if math.Abs(got.Data[i]-v) > 1e-12 {
					t.Fatalf("n = %d: entry %d is %v, not %v", n, i, got.Data[i], v)
				}
			}
		}
	}
	for _, bad := range [][]float64{{1, 0, 0, 1}, {0, -1, -1, 0}, {0, 1, 2, 0}} {
		if _, _, err := DistanceKernel(NewMatrix(2, 2, bad), 0); !errors.Is(err, ErrShape) {
			t.Errorf("%v: %v", bad, err)
		}
	}
	if _, _, err := DistanceKernel(NewMatrix(2, 2, []float64{0, math.NaN(), 1, 0}), 0); !errors.Is(err, ErrNonFinite) {
		t.Error(err)
	}
	equal, gamma, err := DistanceKernel(NewMatrix(3, 3, nil), 0)
	if err != nil || !(gamma > 0) || equal.Data[1] != 1 {
		t.Errorf("%v, %v, %v", equal, gamma, err)
	}
}
