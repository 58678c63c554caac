package softkmeans

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// outsideData is x = mean + Σσ_l·u_l·v_lᵀ, rounded to float64.
func outsideData(n, d int, mean float64, sigma func(l int) float64, seed uint64) *Matrix {
	values := make([]float64, min(n, d))
	for l := range values {
		values[l] = sigma(l)
	}
	return moved(laSpectrum(n, d, values, rand.New(rand.NewPCG(seed, 41))), mean)
}

// bounds are what `outside` proves of the floor, in the data's units, in as many parts.
func outsideBounds(t *testing.T, s *samples, basis *Matrix, parts int, next float64) (low, high float64) {
	t.Helper()
	total, _, err := s.totalSquares()
	must(t, err)
	r := newOutside(basis, basis.Rows)
	r.mean = s.fine.off(total)
	for i := range parts {
		lo, hi := i*s.n/parts, (i+1)*s.n/parts
		if lo == hi {
			continue
		}
		part := *s
		part.x, part.n = rowsOf(s.x, lo, hi), hi-lo
		if s.weights != nil {
			part.weights = s.weights[lo:hi]
		}
		must(t, r.add(&part))
	}
	low, high = r.floor(next)
	return s.unscaleSquare(low), s.unscaleSquare(high)
}

// TestOutside: the exact floor is between the bounds, for data of all kinds and any basis,
// in one part and in several.
func TestOutside(t *testing.T) {
	if outgrown(t) {
		return
	}
	cases := map[string]*Matrix{
		"noise":    outsideData(15, 5, 0, func(int) float64 { return 1 }, 1),
		"falls":    outsideData(15, 5, 1, func(l int) float64 { return math.Pow(2, -float64(l)) }, 2),
		"graded":   outsideData(25, 5, 0, func(l int) float64 { return math.Pow(10, -4*float64(l)) }, 3),
		"far mean": outsideData(25, 5, 1e8, func(l int) float64 { return math.Pow(10, -float64(l)) }, 4),
		"very far": outsideData(20, 4, 1e15, func(l int) float64 { return math.Pow(2, -float64(l)) }, 5),
		"wide":     outsideData(5, 12, 3, func(l int) float64 { return math.Pow(100, -float64(l)) }, 6),
		"a gap":    outsideData(20, 5, 2, func(l int) float64 { return math.Pow(1e-10, float64(l/3)) }, 7),
		"exact": product(NewMatrix(4, 2, []float64{1, 0, 0, 1, .5, .5, .25, .75}), NewMatrix(2, 3,
			[]float64{1, 5, 3, 2, 8, 7})),
		"all equal": mapped(NewMatrix(9, 3, nil), func(_, j int, _ float64) float64 {
			return .1 + float64(j)
		}),
		"zero": NewMatrix(5, 3, nil),
		"small": mapped(outsideData(12, 4, 1, func(l int) float64 { return 1 / float64(l+1) }, 8),
			func(_, _ int, v float64) float64 { return v * 0x1p-400 }),
		"large": mapped(outsideData(12, 4, 1, func(l int) float64 { return 1 / float64(l+1) }, 9),
			func(_, _ int, v float64) float64 { return v * 0x1p400 }),
	}
	rng := rand.New(rand.NewPCG(42, 1))
	for name, x := range cases {
		for _, weighted := range []bool{false, true} {
			var w []float64
			if weighted {
				for i := range x.Rows {
					w = append(w, []float64{1, .25, 3, 0, 1e-6, 7}[i%6])
				}
			}
			floors, lost := bigFloors(x, w), lostSquares(x, w)
			s := mustDo(newSamples(bg, x, w, 1, true))(t)
			for p := 1; p < s.rankBound(); p++ {
				pc, _, err := principalByJacobi(s, wanted{p, 0})
				must(t, err)
				off, any, loose := pc.basis.Clone(), NewMatrix(p, x.Cols, randomSlice(p*x.Cols, rng)),
					pc.basis.Clone()
				disturb(off, 1e-4, rng)
				orthonormalize(bg, off, 0)
				orthonormalize(bg, any, 0)
				disturb(loose, 1e-9, rng) // not orthonormal to the last digits
				least := math.Inf(1)      // the most that is known of the next value, σ_{p+1}²
				if top := double(floors[0]); top > 0 {
					least = math.Ldexp((double(floors[p])-double(floors[p+1]))*(1+1e-9)+1e-9*top,
						-2*s.exp-s.wexp)
				}
				for _, c := range []struct {
					name  string
					basis *Matrix
					next  float64
				}{{"leading", pc.basis, math.Inf(1)}, {"leading, and the next value", pc.basis, least},
					{"nearly", off, math.Inf(1)}, {"random", any, math.Inf(1)}, {"loose", loose,
						math.Inf(1)}} {
					for _, parts := range []int{1, 2, 5} {
						low, high := outsideBounds(t, s, c.basis, parts, c.next)
						exact := floors[p]
						if new(big.Float).Sub(big.NewFloat(low), exact).Cmp(big.NewFloat(lost)) > 0 ||
							new(big.Float).Sub(exact, big.NewFloat(high)).Cmp(big.NewFloat(lost)) > 0 {
							t.Errorf("%s, weights %t, p = %d, %s basis in %d parts: %g to %g, the floor is %g",
								name, weighted, p, c.name, parts, low, high, double(exact))
						}
					}
				}
			}
		}
	}
}

// TestOutsideTight: a floor of 1e-20 of the total has four digits, and in several parts as many.
func TestOutsideTight(t *testing.T) {
	t.Parallel()
	for _, mean := range []float64{0, 100} {
		for _, wide := range []bool{false, true} {
			n, d := 40, 8
			if wide {
				n, d = 10, 30
			}
			x := outsideData(n, d, 0, func(l int) float64 {
				if l < 3 {
					return 4 - float64(l)
				}
				return 1e-10
			}, 11)
			for i := range x.Data {
				x.Data[i] = math.Round(x.Data[i]*0x1p40)*0x1p-40 + mean // the floor is that of this rounding
			}
			s := mustDo(newSamples(bg, x, nil, 1, true))(t)
			pc, _, err := principalByJacobi(s, wanted{3, 0})
			must(t, err)
			for _, parts := range []int{1, 4} {
				low, high := outsideBounds(t, s, pc.basis, parts, math.Inf(1))
				name := fmt.Sprintf("%s, mean %g, %d parts", shape(n, d), mean, parts)
				if !(high-low <= 1e-3*high) || !(high <= 1e-18*s.unscaleSquare(pc.total)) {
					t.Errorf("%s: %g to %g of %g", name, low, high, s.unscaleSquare(pc.total))
				}
				checkFloor(t, name, low, high-low, bigFloor(bigFloors(x, nil), 4), 0)
			}
			if pc.floorError > 1e-3*pc.floor {
				t.Errorf("%s, mean %g: floor %g within %g", shape(n, d), mean, pc.floor, pc.floorError)
			}
		}
	}
}

// TestOutsideProbes: rows below the basis are probes, whose products with XᵀX are kept.
func TestOutsideProbes(t *testing.T) {
	x := randomData(50, 6, 0, 1)
	s := mustDo(newSamples(bg, x, nil, 2, true))(t)
	pc, _, err := principalByJacobi(s, wanted{2, 0})
	must(t, err)
	vectors := withProbes(bg, pc.basis, 2)
	r := newOutside(vectors, 2)
	must(t, r.add(s))
	gram := mustDo(gramMatrix(s))(t)
	want := product(vectors, gram)
	for i := range vectors.Rows { // outside of the basis
		projectOutRows(want.row(i), pc.basis, 2)
	}
	if maxDiff(r.coupling, want) > 1e-12*pc.total || math.Abs(r.total-pc.total) > 1e-13*pc.total ||
		math.Abs(r.squares-pc.floor) > 1e-12*pc.total {
		t.Errorf("products are off by %g; total %g, %g outside; want %g, %g", maxDiff(r.coupling, want),
			r.total, r.squares, pc.total, pc.floor)
	}
	inner := product(product(pc.basis, gram), pc.basis.transposed())
	if maxDiff(r.gram, inner) > 1e-13*pc.total {
		t.Errorf("%v, want %v", r.gram, inner)
	}
}

// TestOutsideLight: rows whose weights leave them a total of 1e-166, the squares of which
// are below the range.
func TestOutsideLight(t *testing.T) {
	const m = 9007199254740985.
	x := NewMatrix(4, 3, []float64{m, m + 2, m, m + 5, m + 1, m + 1, m + 6, m, m + 7, m + 2, m + 3, m})
	w := []float64{8e79, 3.7e-138, 7e-66, 9.6e-55} // the second counts as 0: two directions
	for _, solver := range []Solver{SolverAuto, SolverGram, SolverKrylov} {
		got := mustDo(Fit(bg, x, 3, &Options{Solver: solver, Weights: w}))(t)
		if got.Floor-got.FloorError > 0 {
			t.Errorf("%v: the floor is %g − %g, and 0 is the minimum", solver, got.Floor, got.FloorError)
		}
	}
}
