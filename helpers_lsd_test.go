package softkmeans

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// similarity returns the n×n matrix of at(i, j).
func similarity(n int, at func(i, j int) float64) *Matrix {
	return mapped(NewMatrix(n, n, nil), func(i, j int, _ float64) float64 { return at(i, j) })
}

// rbfOf returns exp(−γ‖x_i − x_j‖²).
func rbfOf(x *Matrix, gamma float64) *Matrix {
	return similarity(x.Rows, func(i, j int) float64 { return math.Exp(-gamma * squaredDistance(x.Row(i), x.Row(j))) })
}

// optionsOf returns those of o that the method of this name reads.
func optionsOf(name string, o LSDOptions) *LSDOptions {
	if name == "LSD" {
		o.Enclosure = EnclosureBall
		return &o
	}
	return &LSDOptions{Workers: o.Workers, Seed: o.Seed, Enclosure: o.Enclosure}
}

// decompositions are LSD and TILSD.
var decompositions = map[string]func(context.Context, *Matrix, int, *LSDOptions) (*LSDModel, error){
	"LSD": LSD, "TILSD": TILSD,
}

// checkLSDModel holds a model of a whole run to what its fields promise.
func checkLSDModel(t *testing.T, m *LSDModel) {
	t.Helper()
	checkFeasible(t, m.Memberships)
	finite(t, "model", m.Scale, m.Objective, m.Floor, m.FloorError, m.Total, m.Gap)
	if m.Optimal(1) || !(m.Scale >= 0 && m.Floor >= 0 && m.FloorError >= 0 && m.Gap >= 0 && m.Floor <= m.Objective) ||
		m.Objective > m.Total*(1+1e-12)+m.FloorError {
		t.Fatalf("%+v", m)
	}
	if m.Scale == 0 && m.Objective < m.Total*(1-1e-12) { // only where nothing explains K
		t.Fatalf("%+v", m)
	}
}

// dirichlet returns n×k memberships, Dirichlet(alpha), of which the first k are
// pure: with them at hand PPᵀ has no other factor of its kind.
func dirichlet(n, k int, alpha float64, seed uint64) *Matrix {
	p, _ := mixtures(n, k, k, alpha, 2, seed)
	rng := rand.New(rand.NewPCG(seed, 0xd1))
	for i := range n {
		sum := 0.0
		for j := range k {
			v := math.Pow(rng.Float64(), 1/alpha)
			if i < k {
				v = 0
				if j == i {
					v = 1
				}
			}
			p.Set(i, j, v)
			sum += v
		}
		scale(p.Row(i), 1/sum)
	}
	return p
}

// seeds is of how many seeds a test looks at all.
func seeds() uint64 { return fewer[uint64](20, 3) }

// similarityOf returns PPᵀ/c.
func similarityOf(p *Matrix, c float64) *Matrix {
	return similarity(p.Rows, func(i, j int) float64 { return dot(p.Row(i), p.Row(j)) / c })
}

// disturbed adds symmetric noise, whose norm is `share` of that of m.
func disturbed(m *Matrix, share float64, seed uint64) *Matrix {
	rng := rand.New(rand.NewPCG(seed, 0x401))
	e := NewMatrix(m.Rows, m.Rows, nil)
	for i := range m.Rows {
		for j := range i + 1 {
			v := rng.NormFloat64()
			e.Set(i, j, v)
			e.Set(j, i, v)
		}
	}
	f := share * math.Sqrt(sumSquares(m.Data)/sumSquares(e.Data))
	return mapped(m, func(i, j int, v float64) float64 { return v + f*e.At(i, j) })
}

// matched is the largest difference of p and q with q's columns in the order that fits best.
func matched(p, q *Matrix) (worst float64) {
	used := make([]bool, p.Cols)
	for a := range p.Cols {
		least, at := math.Inf(1), -1
		for b := range p.Cols {
			top := 0.0
			for i := range p.Rows {
				top = max(top, math.Abs(p.At(i, a)-q.At(i, b)))
			}
			if !used[b] && top < least {
				least, at = top, b
			}
		}
		used[at] = true
		worst = max(worst, least)
	}
	return worst
}

// centredKernel is HKH, slowly.
func centredKernel(k *Matrix) *Matrix {
	n := k.Rows
	means, all := make([]float64, n), 0.0
	for i := range n {
		for j := range n {
			means[i] += k.At(i, j) / float64(n)
		}
	}
	for _, v := range means {
		all += v / float64(n)
	}
	return mapped(k, func(i, j int, v float64) float64 { return v - means[i] - means[j] + all })
}

// outer returns XXᵀ.
func outer(x *Matrix) *Matrix { return similarityOf(x, 1) }
