package softkmeans

import (
	"errors"
	"math"
	"testing"
)

// TestSimilarityFloors holds the floors to those of the decompositions, for similarities
// with eigenvalues of both signs, direct and iterated.
func TestSimilarityFloors(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 9, fullOrder + 8} {
		noise := randomData(n, n, 0, uint64(n))
		k := similarity(n, func(i, j int) float64 {
			return noise.At(min(i, j), max(i, j)) + 3*math.Cos(float64(i%3-j%3))
		})
		for name, decompose := range decompositions {
			list := map[string]func() ([]float64, error){
				"LSD":   func() ([]float64, error) { return LSDFloors(bg, k, 6, nil) },
				"TILSD": func() ([]float64, error) { return TILSDFloors(bg, k, 6, nil) },
			}
			floors := mustDo(list[name]())(t)
			if len(floors) != min(n, 6) {
				t.Fatalf("%s, n = %d: %v", name, n, floors)
			}
			for c := 1; c <= len(floors); c++ {
				if n > 100 && c%3 != 2 { // each takes a while
					continue
				}
				m := mustDo(decompose(bg, k, c, &LSDOptions{MaxIter: -1, Starts: 1}))(t)
				if math.Abs(floors[c-1]-m.Floor) > 1e-9*m.Total+m.FloorError ||
					c > 1 && floors[c-1] > floors[c-2] {
					t.Errorf("%s, n = %d, k = %d: %v, not %v ± %v", name, n, c, floors, m.Floor, m.FloorError)
				}
			}
		}
	}
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
