package softkmeans

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// leastBounded is boundedProblem.solve by trying every support: the minimum of
// ½uᵀAu − (r − low·A1)ᵀu over u ≥ 0.
func leastBounded(a, r []float64, low float64) (best []float64) {
	k, least := len(r), math.Inf(1)
	shifted := slices.Clone(r)
	for i := range k {
		shifted[i] -= low * sumOf(a[i*k:(i+1)*k])
	}
	for set := range 1 << k {
		var index []int
		for i := range k {
			if set>>i&1 == 1 {
				index = append(index, i)
			}
		}
		n := len(index)
		l, x := make([]float64, n*n), make([]float64, n)
		for s, i := range index {
			x[s] = shifted[i]
			for t, j := range index {
				l[s*n+t] = a[i*k+j]
			}
		}
		if !cholesky(l, n) {
			continue
		}
		cholSolve(l, n, x)
		u := make([]float64, k)
		for s, i := range index {
			u[i] = max(x[s], 0)
		}
		value := -dot(shifted, u)
		for i := range k {
			value += u[i] * dot(a[i*k:(i+1)*k], u) / 2
		}
		if value < least {
			best, least = u, value
		}
	}
	return best
}

// gramOf is MᵀM for a random k+extra × k matrix.
func gramOf(k, extra int, rng *rand.Rand) []float64 {
	m := NewMatrix(k, k+extra, randomSlice(k*(k+extra), rng))
	a := make([]float64, k*k)
	addMulNT(a, k, m.Data, k, m.Data, k, k+extra, false)
	return a
}

// TestBoundedSolve: block pivoting finds the minimum that all supports have.
func TestBoundedSolve(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 22))
	for trial := range 400 {
		k := 1 + trial%6
		b := newBoundedProblem(k)
		b.a = gramOf(k, trial%3, rng)
		r, low := randomSlice(k, rng), rng.NormFloat64()*float64(trial%2)
		copy(b.r, r)
		copy(b.u, r)
		l := slices.Clone(b.a)
		cholesky(l, k)
		cholSolve(l, k, b.u)
		if !b.solve(low) {
			t.Fatalf("trial %d: no solution", trial)
		}
		want := leastBounded(b.a, r, low)
		size := norm2(want) + norm2(r) + math.Abs(low)
		for i, u := range b.u {
			if u < 0 || math.Abs(u-want[i]) > 1e-7*size*l[k*k-1]*l[k*k-1] {
				t.Fatalf("trial %d: %v, want %v", trial, b.u, want)
			}
		}
	}
}

// TestConeShares: shares and shade are those of the nearest point of the cone, in any unit
// of rows and vertices; dst may be x.
func TestConeShares(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 22))
	const n, k, d = 60, 4, 6
	v, x := NewMatrix(k, d, randomSlice(k*d, rng)), NewMatrix(n, d, randomSlice(n*d, rng))
	for c := range d {
		v.row(0)[c] = math.Abs(v.row(0)[c])
	}
	clear(x.row(7))
	gram := make([]float64, k*k)
	addMulNT(gram, k, v.Data, k, v.Data, k, d, false)
	g, shade := NewMatrix(n, k, nil), make([]float64, n)
	if err := coneShares(parallelism{bg, 2}, g, shade, x, v); err != nil {
		t.Fatal(err)
	}
	checkFeasible(t, g)
	for i := range n {
		r := make([]float64, k)
		for j := range k {
			r[j] = dot(v.row(j), x.row(i))
		}
		want := leastBounded(gram, r, 0)
		for j, share := range g.row(i) {
			if math.Abs(share*shade[i]-want[j]) > 1e-9 {
				t.Fatalf("row %d: %v·%v, want %v", i, shade[i], g.row(i), want)
			}
		}
	}
	if shade[7] != 0 || g.row(7)[0] != 1.0/k {
		t.Errorf("a row of 0 has shade %v, shares %v", shade[7], g.row(7))
	}
	large, small, same := v.Clone(), x.Clone(), make([]float64, n)
	scale(large.Data, 0x1p400)
	scale(small.Data, 0x1p-300)
	again := NewMatrix(n, k, nil)
	if err := coneShares(parallelism{bg, 1}, again, same, small, large); err != nil || !slices.Equal(again.Data, g.Data) {
		t.Error("other units, other shares", err)
	}
	square := NewMatrix(n, k, slices.Clone(x.Data[:n*k]))
	w := NewMatrix(k, k, slices.Clone(v.Data[:k*k]))
	apart := NewMatrix(n, k, nil)
	if coneShares(parallelism{bg, 2}, apart, nil, square, w) != nil || coneShares(parallelism{bg, 2}, square, nil, square, w) != nil || !slices.Equal(apart.Data, square.Data) {
		t.Error("dst that is x changes the result")
	}
}
