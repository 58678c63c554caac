package softkmeans

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestRitzSumBound: on matrices whose eigenvalues are known.
func TestRitzSumBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for trial := range 200 {
		n, p := 12, 1+trial%5
		q := laOrthogonal(n, rng)
		lambda := make([]float64, n)
		for i := range lambda {
			lambda[i] = math.Abs(rng.NormFloat64()) * math.Pow(2, -float64(i))
		}
		order := descending(lambda)
		truth := 0.0
		for i := range p {
			truth += lambda[order[i]]
		}
		b := product(product(q.transposed(), mapped(identity(n), func(i, _ int, v float64) float64 { return v * lambda[i] })), q)
		// A subspace near the leading one; Ritz values, residual, rest.
		u := NewMatrix(p, n, nil)
		for i := range p {
			copy(u.Row(i), q.Row(order[i]))
			for j := range n {
				u.Row(i)[j] += math.Pow(10, -float64(trial%8)) * rng.NormFloat64()
			}
		}
		orthonormalize(u, 0)
		bu := product(u, b)
		tt := product(bu, u.transposed())
		theta, _ := eigenSym(bg, tt.Clone(), false)
		captured, squares := 0.0, 0.0
		for i := range p {
			captured += theta[i]
			for j := range p {
				axpy(bu.Row(i), -tt.At(i, j), u.Row(j))
			}
			squares += sumSquares(bu.Row(i))
		}
		comp := identity(n)
		for i := range n {
			for j := range p {
				axpy(comp.Row(i), -u.At(j, i), u.Row(j))
			}
		}
		rest, _ := eigenSym(bg, product(product(comp, b), comp), false)
		if bound := ritzSumBound(p, theta[p-1], squares, rest[0]); truth-captured > bound+1e-14 {
			t.Errorf("p=%d: %g missing, bound %g", p, truth-captured, bound)
		}
	}
}

// TestRitzSumBoundIndefinite: random symmetric B of either sign, and subspaces
// from random to nearly invariant.
func TestRitzSumBoundIndefinite(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 9))
	tight := 0.0
	for trial := range 2000 {
		n := 3 + trial%9
		p := 1 + trial%(n-1)
		b := NewMatrix(n, n, nil)
		for i := range n {
			for j := range i + 1 {
				b.Set(i, j, rng.NormFloat64())
				b.Set(j, i, b.At(i, j))
			}
		}
		values, vectors, err := EigenSym(b)
		if err != nil {
			t.Fatal(err)
		}
		// An orthonormal basis of the whole space, its first p rows near the
		// leading eigenvectors.
		basis := vectors.transposed()
		for i := range basis.Data {
			basis.Data[i] += math.Pow(10, -float64(trial%10)) * rng.NormFloat64()
		}
		orthonormalize(basis, 0)
		h := product(product(basis, b), basis.transposed())
		theta, _ := eigenSym(bg, squareOf(h, p), false)
		rest := NewMatrix(n-p, n-p, nil)
		squares, truth, caught := 0.0, 0.0, 0.0
		for i := p; i < n; i++ {
			copy(rest.Row(i-p), h.Row(i)[p:])
			squares += sumSquares(h.Row(i)[:p])
		}
		outside, _ := eigenSym(bg, rest, false)
		for i := range p {
			truth += values[i]
			caught += theta[i]
		}
		bound := ritzSumBound(p, theta[p-1], squares, outside[0])
		if missing := truth - caught; missing > bound+float64(n*n)*4*laEps*max(values[0], -values[n-1]) {
			t.Errorf("trial %d, n=%d, p=%d: %g missing, bound %g", trial, n, p, missing, bound)
		} else if bound > 1e-6 {
			tight = max(tight, missing/bound)
		}
	}
	t.Logf("the bound is reached to %.2f", tight)
	if tight < 0.3 {
		t.Error("the bound is far from the truth everywhere")
	}
	if ritzSumBound(0, 0, 1, 1) != 0 || ritzSumBound(2, 1, 0, 0) != 0 {
		t.Error("an empty or exhausted space misses nothing")
	}
	if got := ritzSumBound(1, 3, 0.01, 2); math.Abs(got-0.01) > 1e-15 {
		t.Errorf("with gap 1: %g", got)
	}
	if got := ritzSumBound(2, 2, 0.02, 2.5); math.Abs(got-(0.4+1)) > 1e-15 {
		t.Errorf("without a gap: %g", got)
	}
}

// bigEigen returns the eigenvalues of a symmetric matrix, descending: singular values of
// a + cI less c, for a c above its norm.
func bigEigen(a *Matrix) ([]*big.Float, digits) {
	rows, p := bigMatrix(a)
	_, exp := math.Frexp(maxAbs(a))
	p += 400
	c := p.times(p.num(float64(4*a.Rows)), exp)
	rows = p.rows(a)
	for i := range rows {
		rows[i][i].Add(rows[i][i], c)
	}
	values, _, _ := bigSVD(rows, a.Cols, p)
	for _, v := range values {
		v.Sub(v, c)
	}
	return values, p
}

// ritzCases are symmetric matrices for bounds of eigenvalues.
func ritzCases(n int, rng *rand.Rand) map[string]*Matrix {
	cases := laSymmetric(n, rng)
	x := NewMatrix(2*n, n, randomSlice(2*n*n, rng))
	cases["Gram"] = product(x.transposed(), x)
	cases["patchwork"] = laPatchwork(n, rng)
	for i := range x.Data {
		x.Data[i] *= math.Pow(10, -float64(i%n))
	}
	cases["graded Gram"] = product(x.transposed(), x)
	for _, a := range cases {
		for i := range n {
			for j := range i {
				a.Set(i, j, a.At(j, i))
			}
		}
	}
	return cases
}

// TestLeadingSum: the true sum is within the bound, for eigenvectors as they are and for
// others, which are off by up to a tenth.
func TestLeadingSum(t *testing.T) {
	t.Parallel()
	if outgrown(t) {
		return
	}
	rng := rand.New(rand.NewPCG(31, 1))
	for _, n := range []int{2, 3, 6, 9}[:fewer(4, 3)] {
		for name, a := range ritzCases(n, rng) {
			exact, big1 := bigEigen(a)
			for p := 1; p < n; p++ {
				values, rows := leadingEigen(bg, a.Clone(), p, 1)
				truth := big1.zero()
				for _, v := range exact[:p] {
					truth.Add(truth, v)
				}
				for digits := range 8 {
					v := rows.Clone()
					if digits > 0 {
						for i := range v.Data {
							v.Data[i] += math.Pow(10, -2*float64(digits)) * rng.NormFloat64()
						}
						if digits%2 == 0 { // else they are not orthonormal
							orthonormalize(v, 0)
						}
					}
					sum, off := leadingSum(bg, a.Clone(), v, values, 1)
					if diff := double(big1.sub(truth, big1.num(sum))); !(math.Abs(diff) <= off) {
						t.Errorf("%s of order %d, p = %d, vectors to 1e-%d: %g off, bound %g", name, n, p, 2*digits, diff, off)
					}
				}
			}
		}
	}
	if sum, off := leadingSum(bg, identity(3), NewMatrix(0, 3, nil), []float64{1, 1, 1}, 1); sum != 0 || off != 0 {
		t.Error("no vectors:", sum, off)
	}
	// Vectors that are far from orthonormal prove nothing.
	if _, off := leadingSum(bg, identity(2), NewMatrix(1, 2, []float64{1, 1}), []float64{1, 1}, 1); !math.IsInf(off, 1) {
		t.Error("a vector of length √2 proves", off)
	}
}

// TestLeadingSumTight: at order 300 the bound is 1e-12 of the trace, and the sum is right.
// Where eigenvalues tie it is p times the margin of complementBound, 5e-12.
func TestLeadingSumTight(t *testing.T) {
	t.Parallel()
	n, p := fewer(300, 100), 10
	rng := rand.New(rand.NewPCG(32, 1))
	for name, value := range map[string]func(i int) float64{
		"flat": func(int) float64 { return 1 }, "falls": func(i int) float64 { return 1 / float64(i+1) },
		"steep": func(i int) float64 { return math.Pow(2, -float64(i)) }, "a cluster": func(i int) float64 { return 1 + float64(1-min(i/20, 1)) + 1e-13*float64(i%3) },
	} {
		q := laOrthogonal(n, rng)
		a := product(product(q.transposed(), mapped(identity(n), func(i, _ int, v float64) float64 { return v * value(i) })), q)
		for i := range n {
			for j := range i {
				a.Set(i, j, a.At(j, i))
			}
		}
		values, rows := leadingEigen(bg, a.Clone(), p, 1)
		all, _ := eigenSym(bg, a.Clone(), false)
		truth := 0.0
		for _, v := range all[:p] {
			truth += v
		}
		sum, off := leadingSum(bg, a.Clone(), rows, values, 1)
		most := 1e-12
		if values[p-1]-values[p] < 1e-9 {
			most = 5e-12
		}
		if !(off <= most*trace(a)) || !(math.Abs(sum-truth) <= off+1e-12*truth) {
			t.Errorf("%s: %g, want %g, bound %g of %g", name, sum, truth, off, trace(a))
		}
		again, same := leadingSum(bg, a.Clone(), rows, values, 3)
		if again != sum || same != off {
			t.Errorf("%s: %g, %g with three workers, %g, %g with one", name, again, same, sum, off)
		}
	}
}

// TestComplementBound: no eigenvalue of what a matrix is outside of some vectors is above
// the bound, whatever the vectors and the values are.
func TestComplementBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 1))
	found := 0
	for _, n := range []int{2, 4, 7}[:full(3, 2)] {
		for name, a := range ritzCases(n, rng) {
			unitScale(a)
			for p := 1; p < n; p++ {
				values, rows := leadingEigen(bg, a.Clone(), p, 1)
				for digits := range 4 {
					v, by := rows.Clone(), values
					if digits > 0 {
						by = make([]float64, n)
						for i := range v.Data {
							v.Data[i] += math.Pow(10, -3*float64(digits-1)) * rng.NormFloat64()
						}
						for i := range by {
							by[i] = values[i] + math.Pow(10, -3*float64(digits-1))*rng.NormFloat64()
						}
					}
					got := complementBound(bg, a, v, by, 1)
					if truth := bigOutside(a, v); truth > got {
						t.Errorf("%s of order %d, p = %d, %d: an eigenvalue of %g, bound %g", name, n, p, digits, truth, got)
					}
					if digits == 0 && values[n-1] >= -1e-14 && maxAbs(a) > 0 { // as of a Gram matrix
						// It looks half way between the two values, or 1e-12 above the second.
						if most := values[p] + 0.51*(values[p-1]-values[p]) + 1e-12*float64(n); !(got <= most) {
							t.Errorf("%s of order %d, p = %d: bound %g, values %g and %g", name, n, p, got, values[p-1], values[p])
						}
						found++
					}
				}
			}
		}
	}
	if found == 0 {
		t.Error("nothing was tested")
	}
}

// bigOutside is the largest eigenvalue of the symmetric a on the complement of v's rows.
func bigOutside(a, v *Matrix) float64 {
	rows, p := bigMatrix(a)
	p += 1000
	rows = p.rows(a)
	basis := p.rows(v)
	var ortho bigRows // Gram and Schmidt
	for _, u := range append(basis, p.rows(identity(a.Rows))...) {
		for range 2 {
			for _, o := range ortho {
				s := p.dot(u, o)
				for i := range u {
					u[i].Sub(u[i], p.mul(s, o[i]))
				}
			}
		}
		length := p.sqrt(p.dot(u, u))
		if double(length) < 1e-30 {
			continue
		}
		for i := range u {
			u[i].Quo(u[i], length)
		}
		ortho = append(ortho, u)
	}
	rest := ortho[v.Rows:]
	c := p.num(float64(8 * a.Rows)) // entries are at most 1
	m := make(bigRows, len(rest))
	for i := range rest {
		for j := range rest {
			sum := p.zero()
			for l := range rows {
				sum.Add(sum, p.mul(rest[i][l], p.dot(rows[l], rest[j])))
			}
			if i == j {
				sum.Add(sum, c)
			}
			m[i] = append(m[i], sum)
		}
	}
	values, _, _ := bigSVD(m, len(m), p)
	return double(values[0].Sub(values[0], c))
}

// TestDefinite: a factorization that ends is one, at orders around the panels, and none
// ends where an eigenvalue is below the bound of complementBound.
func TestDefinite(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 1))
	for _, m := range []int{1, 2, 7, definitePanel - 1, definitePanel, definitePanel + 1, 2 * definitePanel, 2*definitePanel + 5, 3*definitePanel + 23} {
		q := laOrthogonal(m, rng)
		with := func(least float64) *Matrix { // eigenvalues from 1 down to it
			value := func(i int) float64 { return 1 / float64(i+1) }
			a := product(product(q.transposed(), mapped(identity(m), func(i, _ int, v float64) float64 {
				if i == m-1 {
					return v * least
				}
				return v * value(i)
			})), q)
			for i := range m {
				for j := range i {
					a.Set(i, j, a.At(j, i))
				}
			}
			return a
		}
		bound := 4 * gamma(m+4) * float64(m) // of a trace of at most m, with the rounding of the product
		for _, least := range []float64{-1, -1e-3, -1e-9, -2 * bound} {
			if definite(bg, with(least), 1) {
				t.Errorf("order %d: an eigenvalue of %g is called positive", m, least)
			}
		}
		for _, least := range []float64{1, 1e-3, 1e-9} {
			a := with(least)
			r := a.Clone()
			if !definite(bg, r, 1) {
				t.Errorf("order %d: an eigenvalue of %g is not called positive", m, least)
				continue
			}
			three := a.Clone()
			if !definite(bg, three, 3) || !laSameBits(r.Data, three.Data) {
				t.Errorf("order %d: other bits with three workers", m)
			}
			for i := range m { // the factor is on and right of the diagonal
				clear(r.row(i)[:i])
			}
			if off := maxDiff(product(r.transposed(), r), a); off > float64(m+4)*0x1p-52 {
				t.Errorf("order %d: RᵀR is off by %g", m, off)
			}
		}
		for _, bad := range []float64{math.NaN(), 0, -1} {
			a := with(1)
			a.Set(m-1, m-1, bad)
			if definite(bg, a, 1) {
				t.Errorf("order %d: %g on the diagonal", m, bad)
			}
		}
		if definite(&endingContext{Context: bg}, with(1), 1) {
			t.Errorf("order %d: definite after the end", m)
		}
	}
}
