package softkmeans

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

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

// TestLSDEigensolverLimit: eigenvalues that crowd at the upper end take more steps
// than the eigensolver has. That is a Status, and the floor is a bound still.
func TestLSDEigensolverLimit(t *testing.T) {
	if raceDetector {
		skip(t, "takes seconds under the race detector, which has nothing to find here")
		return
	}
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

// TestLSDFloor: the floor is a lower bound, with the Krylov iteration (n > fullOrder)
// as with all eigenvalues, also where eigenvalues are close and where the largest
// in magnitude is negative, and tight.
func TestLSDFloor(t *testing.T) {
	t.Parallel()
	n := fewer(full(200, 150), fullOrder+8)
	rng := rand.New(rand.NewPCG(3, 3))
	q := randomData(n, n, 0, 7)
	orthonormalize(q, 0)
	for name, value := range map[string]func(i int) float64{
		"falling":      func(i int) float64 { return math.Pow(0.9, float64(i)) },
		"close":        func(i int) float64 { return 1 - 1e-3*float64(i)/float64(n) },
		"multiple":     func(i int) float64 { return float64(5 - i/10) },
		"few positive": func(i int) float64 { return map[bool]float64{true: 1, false: -0.5}[i < 3] },
		"negative end": func(i int) float64 { return map[bool]float64{true: -100, false: rng.Float64()}[i == 0] },
	} {
		values := make([]float64, n)
		kernel := NewMatrix(n, n, nil)
		for i := range n {
			values[i] = value(i)
			for a := range n {
				axpy(kernel.Row(a), values[i]*q.Row(i)[a], q.Row(i))
			}
		}
		slices.Sort(values)
		slices.Reverse(values)
		for _, k := range fewer(full([]int{1, 4, 9}, []int{4}), []int{1}) {
			want := 0.0
			for i, v := range values {
				if i >= k || v < 0 {
					want += v * v
				}
			}
			m, err := LSD(bg, kernel, k, &LSDOptions{MaxIter: -1})
			if err != nil {
				t.Fatal(err)
			}
			if name == "few positive" && m.Status != StatusConverged {
				t.Errorf("%s, k=%d: %v", name, k, m.Status)
			}
			if slack := 1e-12 * m.Total; m.Floor > want+slack || m.Floor+m.FloorError < want-slack || m.FloorError > 1e-8*m.Total || m.Objective < m.Floor {
				t.Errorf("%s, k=%d: floor %g + %g, the eigenvalues say %g; objective %g", name, k, m.Floor, m.FloorError, want, m.Objective)
			}
		}
	}
}
