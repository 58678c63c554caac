package softkmeans

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// orthonormality is how far the columns of q are from orthonormal, as in laRatios.
func orthonormality(q *Matrix) float64 {
	if q.Cols == 0 {
		return 0
	}
	e := product(q.transposed(), q)
	for i := range e.Rows {
		e.Row(i)[i]--
	}
	return laNorm1(e) / (float64(q.Rows) * laEps)
}

// upperPart is r with zeros below the diagonal and from row `rank` on.
func upperPart(r *Matrix, rank int) *Matrix {
	return mapped(r, func(i, j int, v float64) float64 {
		if i > j || i >= rank {
			return 0
		}
		return v
	})
}

// TestQRScales: backward error and orthogonality as LAPACK's DQRT01 measures
// them, with columns of all sizes down to the least that counts.
func TestQRScales(t *testing.T) {
	rng := rand.New(rand.NewPCG(42, 1))
	for _, size := range [][2]int{{1, 1}, {5, 3}, {3, 5}, {12, 12}, {40, 7}, {7, 40}, {4, 0}} {
		m, n := size[0], size[1]
		for kind := range 7 {
			a := mapped(NewMatrix(m, n, nil), func(i, j int, _ float64) float64 {
				x := rng.NormFloat64()
				switch {
				case kind == 1 && j >= n/2, kind == 5: // small columns, all small
					return math.Ldexp(x, -490)
				case kind == 2: // falling to the least that counts
					return math.Ldexp(x, -490*j/n)
				case kind == 3: // small rows
					return math.Ldexp(x, -490*i/m)
				case kind == 4 && (j%2 == 1 ||
					i == 0): // zero columns, which the rank leaves out, and a zero row
					return 0
				case kind == 6: // rank 1
					return float64((i + 1) * (j + 1))
				}
				return x
			})
			slack := float64(m*n) * 4 * math.SmallestNonzeroFloat64 // denormals have a rounding of their own
			for _, factor := range []func(context.Context, *Matrix) *qr{qrFactor, qrPivot} {
				r := a.Clone()
				f := factor(bg, r)
				q, from := identity(m), indices(n)
				f.applyQ(bg, q)
				if f.perm != nil {
					from = f.perm
				}
				seen := slices.Clone(from)
				if slices.Sort(seen); !slices.Equal(seen, indices(n)) {
					t.Fatalf("%v: perm %v", size, from)
				}
				diff := product(q, upperPart(r, f.rank))
				diff = mapped(diff, func(i, j int, v float64) float64 { return v - a.At(i, from[j]) })
				ratio := orthonormality(q)
				if d := laNorm1(diff); d > slack {
					ratio = max(ratio, (d-slack)/(laNorm1(a)*float64(max(m, n))*laEps))
				}
				if !(ratio < 10) || f.perm != nil && kind == 4 && f.rank > (n+1)/2 {
					t.Errorf("%v kind %d: ratio %.3g, rank %d", size, kind, ratio, f.rank)
				}
				for i := 1; f.perm != nil && i < f.rank; i++ {
					if math.Abs(r.At(i, i)) > math.Abs(r.At(i-1, i-1))*(1+float64(8*m)*laEps)+slack {
						t.Errorf("%v kind %d: the diagonal rises from %g to %g", size, kind, r.At(i-1, i-1),
							r.At(i, i))
					}
				}
			}
			// qrReduce: RᵀR = AᵀA, and nothing below the diagonal.
			r := a.Clone()
			qrReduce(bg, r)
			right := product(a.transposed(), a)
			if d := maxDiff(product(r.transposed(), r), right); d > float64(20*m)*laEps*maxAbs(right) ||
				maxDiff(r, upperPart(r, m)) > 0 {
				t.Errorf("%v kind %d: RᵀR differs by %g: %v", size, kind, d, r)
			}
		}
	}
}

// TestOrthonormalize: rows come out orthonormal, span what they spanned, and
// those said to be done are not touched.
func TestOrthonormalize(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 1))
	for trial := range 300 {
		d := 1 + rng.IntN(12)
		b := rng.IntN(d + 1)
		v := NewMatrix(b, d, nil)
		for i := range b {
			row, kind := v.Row(i), rng.IntN(6)
			if kind > 2 { // tiny, huge, ordinary
				copy(row, randomSlice(d, rng))
				scale(row, []float64{1e-149, 1e149, 1}[kind-3])
			} else if kind == 1 && i > 0 { // a row before, or nearly
				copy(row, v.Row(rng.IntN(i)))
				row[0] += 1e-14 * rng.NormFloat64()
			} else if kind == 2 { // a unit vector
				row[rng.IntN(d)] = -2
			}
		}
		from := 0
		if b > 0 && trial%3 == 0 {
			from = rng.IntN(b)
			orthonormalize(bg, rowsOf(v, 0, from), 0)
		}
		in, view := v.Clone(), laStrided(v)
		orthonormalize(bg, view, from)
		orthonormalize(bg, v, from)
		if !laSameBits(view.Clone().Data, v.Data) || !laSameBits(v.Data[:from*d], in.Data[:from*d]) {
			t.Errorf("trial %d: the view differs from its copy, or a row changed that was done", trial)
		}
		for i := range b { // row i of the input is a combination of rows 0…i
			rest := slices.Clone(in.Row(i))
			if size := norm2(rest); size > 0 {
				scale(rest, 1/size)
			}
			for range 2 {
				for l := range i + 1 {
					axpy(rest, -dot(rest, v.Row(l)), v.Row(l))
				}
			}
			if left := norm2(rest); left > float64(d)*0x1p-50 { // deflate's limit
				t.Errorf("trial %d: row %d left its span by %g", trial, i, left)
			}
		}
		if ratio := orthonormality(v.transposed()); !(ratio < 10) {
			t.Errorf("trial %d, %d×%d: ratio %.3g", trial, b, d, ratio)
		}
	}
}

// TestNegligible: columns and rows below 2^-500 count as 0, those above do not.
func TestNegligible(t *testing.T) {
	for _, c := range []struct {
		exp   int
		count bool
	}{{-499, true}, {-502, false}} {
		size := math.Ldexp(1, c.exp)
		a := NewMatrix(2, 1, []float64{size, size})
		if f := qrFactor(bg, a.Clone()); (f.tau[0] != 0) != c.count || f.rank != 1 {
			t.Errorf("2^%d: τ = %v", c.exp, f.tau)
		}
		if f := qrPivot(bg, a.Clone()); (f.rank == 1) != c.count || len(f.tau) != f.rank {
			t.Errorf("2^%d: rank %d", c.exp, f.rank)
		}
		v := NewMatrix(1, 2, []float64{size, -size})
		orthonormalize(bg, v, 0)
		if want := []float64{math.Sqrt2 / 2,
			-math.Sqrt2 / 2}; (math.Abs(v.Data[0]-want[0])+math.Abs(v.Data[1]-want[1]) < 1e-15) != c.count {
			t.Errorf("2^%d: %v", c.exp, v.Data)
		}
		r, err := thinSVD(bg, NewMatrix(2, 2, []float64{1, 0, 0, size}))
		if err != nil || (r.S[1] == size) != c.count || !c.count && r.S[1] != 0 {
			t.Errorf("2^%d: %v, %v", c.exp, r.S, err)
		}
		if q := newSimplexProblem(NewMatrix(2, 1, []float64{1, 1 + size}), SumToOne, false); !q.flat {
			t.Error("vertices that are the same in all digits are not flat")
		}
	}
	// 2^-500 itself counts.
	if f := qrPivot(bg, NewMatrix(1, 1, []float64{0x1p-500})); f.rank != 1 {
		t.Error("2^-500 does not count")
	}
}

// TestCholesky: integer factors come out exactly, solutions and inverses are such, and what
// is not positive definite is said to be. Orders are on both sides of longSum.
func TestCholesky(t *testing.T) {
	rng := rand.New(rand.NewPCG(44, 1))
	for k := range longSum + 6 {
		l := upperPart(NewMatrix(k, k, laIntegers(k*k, rng)), k).transposed()
		for i := range k {
			l.Set(i, i, float64(int(1)<<rng.IntN(3)))
		}
		a := product(l, l.transposed())
		// cholesky must not read entries right of the diagonal: they are NaN.
		f := mapped(a, func(i, j int, v float64) float64 {
			return []float64{v, math.NaN()}[oneIf(j > i)]
		})
		if !cholesky(f.Data, k) {
			t.Fatalf("k=%d: %v is not definite", k, a.Data)
		}
		inverted := mapped(l, func(i, j int, v float64) float64 {
			return []float64{v, 1 / v}[oneIf(i == j)]
		})
		if maxDiff(upperPart(f.transposed(), k).transposed(), inverted) != 0 {
			t.Fatalf("k=%d: factor %v, want %v", k, f, inverted)
		}
		// b = A·x for an integer x.
		x := NewMatrix(1, k, laIntegers(k, rng))
		b := product(x, a)
		cholSolve(f.Data, k, b.Data)
		inv := NewMatrix(k, k, nans(k*k))
		cholInverse(inv.Data, f.Data, k)
		low := upperPart(f.transposed(), k).transposed() // is L⁻¹ now
		d := max(maxDiff(product(inv, a), identity(k)), maxDiff(product(low, l), identity(k)),
			maxDiff(b, x)/max(norm2(x.Data), 1))
		if !(d <= 1e-15*float64(k)*laNorm1(inv)*laNorm1(a)) {
			t.Errorf("k=%d: a solution or an inverse is off by %g", k, d)
		}
	}
	for name, a := range map[string][]float64{
		"zero": {0}, "negative": {-1}, "NaN": {math.NaN()}, "indefinite": {1, 2, 2, 1}, "singular": {1, 1, 1,
			1},
		"negative below": {1, 0, 0, -1},
	} {
		if cholesky(slices.Clone(a), int(math.Sqrt(float64(len(a))))) {
			t.Errorf("%s is definite", name)
		}
	}
}
