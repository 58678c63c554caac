package softkmeans

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestGamma: mu/(1−mu), rounded up.
func TestGamma(t *testing.T) {
	for _, m := range []int{0, 1, 2, 3, 7, 12, 100, 4097, 1 << 20, 1<<31 - 1} {
		u := new(big.Rat).SetFrac(big.NewInt(int64(m)), new(big.Int).Lsh(big.NewInt(1), 53))
		want := new(big.Rat).Quo(u, new(big.Rat).Sub(big.NewRat(1, 1), u))
		got := new(big.Rat).SetFloat64(gamma(m))
		most := new(big.Rat).Mul(want, new(big.Rat).SetFloat64(1+0x1p-48))
		if got.Cmp(want) < 0 || got.Cmp(most) > 0 {
			t.Errorf("γ(%d) is %g", m, gamma(m))
		}
	}
}

// depthOf returns how many roundings some term of a sum of n numbers passes, for the place
// where they are the most: beside a term of 1 all others are just above 2^-53, and each that
// is added to it alone is rounded up by as much.
func depthOf(n int, sum func(terms []float64) float64) float64 {
	const small = 0x1p-53 * (1 + 0x1p-20)
	terms, worst := make([]float64, n), 0.0
	for at := 0; at < n; at += 1 + at/8 {
		for i := range terms {
			terms[i] = small
		}
		terms[at] = 1
		exact := 0x1p-53*float64(n-1) + 0x1p-73*float64(n-1) // 1 less
		worst = max(worst, math.Abs((sum(terms)-1)-exact)*0x1p53)
	}
	return worst
}

// TestDotDepth: no term of the kernels' sums passes more roundings than the bounds have,
// and the bounds are not much larger.
func TestDotDepth(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 100, 127, 255, 256, 257, 1000, 4096, 5001} {
		ones := make1(n)
		for name, c := range map[string]struct {
			sum  func(x []float64) float64
			most int
		}{
			"dot":        {func(x []float64) float64 { return dot(x, ones) }, dotDepth(n)},
			"dotGeneric": {func(x []float64) float64 { return dotGeneric(x, ones) }, dotDepth(n)},
			"sumOf":      {sumOf, n},
			"addMulNT": {func(x []float64) float64 {
				c := make([]float64, 15)
				a, b := NewMatrix(3, n, nil), NewMatrix(5, n, nil)
				for i := range 3 {
					copy(a.row(i), x)
				}
				for j := range 5 {
					copy(b.row(j), ones)
				}
				addMulNT(c, 5, a.Data, 3, b.Data, 5, n, false)
				worst := c[0]
				for _, v := range c {
					worst = max(worst, v)
				}
				return worst
			}, n + 12},
		} {
			if got := depthOf(n, c.sum); got > float64(c.most) {
				t.Errorf("%s of %d numbers: %g roundings, bound %d", name, n, got, c.most)
			} else if name == "dotGeneric" && n >= 64 && got < float64(c.most)/2 {
				t.Errorf("%s of %d numbers: %g roundings, the bound %d is far", name, n, got, c.most)
			}
		}
		// The last of the rows of addRows passes one, the first as many as there are.
		x := NewMatrix(n, 9, nil)
		index, coef := indices(n), make1(n)
		got := depthOf(n, func(terms []float64) float64 {
			y := make([]float64, 9)
			for i, v := range terms {
				for j := range 9 {
					x.Set(i, j, v)
				}
			}
			addRows(y, coef, index, x.Data)
			return y[8]
		})
		if got > float64(n+3) {
			t.Errorf("addRows of %d rows: %g roundings", n, got)
		}
	}
}

// TestChunkingDepth: counted over the blocks that a pass makes.
func TestChunkingDepth(t *testing.T) {
	for _, n := range []int{1, 2, 23, 24, 25, 239, 240, 241, 1000, 5000, 7680, 7681, 100003} {
		for _, l := range []int{0, 1, 5, 31, 137, 1365, 1366, 5000, 40000} {
			for _, most := range []int{1, 2, 7, reduceChunks, manyChunks} {
				c := chunking{n, l, most}
				blocks, largest := make([]int, chunks(n, l, most)), 0
				err := eachBlock(bg, 1, c, 0, func(at block) {
					blocks[at.chunk]++
					largest = max(largest, at.hi-at.lo)
				})
				if err != nil {
					t.Fatal(err)
				}
				many := 0
				for _, v := range blocks {
					many = max(many, v)
				}
				if want := largest + many + len(blocks); c.depth() < want-1 || c.depth() > want+largest+2 { // the first addition is to 0
					t.Errorf("%+v: depth %d, counted %d + %d + %d", c, c.depth(), largest, many, len(blocks))
				}
			}
		}
	}
}

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
	values := p.eigenvalues(rows)
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
	values := p.eigenvalues(m)
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

// bigEigenvalues returns the eigenvalues of the symmetric matrix m, descending, by Jacobi
// rotations until what is off the diagonal is below 2^-200 of the matrix.
func bigEigenvalues(m bigRows, p digits) []*big.Float {
	n := len(m)
	all := p.zero()
	for i := range m {
		all.Add(all, p.dot(m[i], m[i]))
	}
	for {
		off := p.zero()
		for i := range n {
			for j := range i {
				off.Add(off, p.mul(m[i][j], m[i][j]))
			}
		}
		if off.Sign() == 0 || off.Cmp(p.times(all, -400)) < 0 {
			break
		}
		for i := range n {
			for j := range i {
				if m[i][j].Sign() == 0 {
					continue
				}
				theta := p.quo(p.sub(m[i][i], m[j][j]), p.times(m[i][j], 1))
				t := p.quo(p.num(1), p.add(p.zero().Abs(theta), p.sqrt(p.add(p.num(1), p.mul(theta, theta)))))
				if theta.Sign() < 0 {
					t.Neg(t)
				}
				c := p.quo(p.num(1), p.sqrt(p.add(p.num(1), p.mul(t, t))))
				s := p.mul(t, c)
				for l := range n { // rows j and i
					x, y := m[j][l], m[i][l]
					m[j][l], m[i][l] = p.sub(p.mul(c, x), p.mul(s, y)), p.add(p.mul(s, x), p.mul(c, y))
				}
				for l := range n { // columns
					x, y := m[l][j], m[l][i]
					m[l][j], m[l][i] = p.sub(p.mul(c, x), p.mul(s, y)), p.add(p.mul(s, x), p.mul(c, y))
				}
			}
		}
	}
	values := make([]*big.Float, n)
	for i := range n {
		values[i] = m[i][i]
	}
	slices.SortFunc(values, func(a, b *big.Float) int { return b.Cmp(a) })
	return values
}

// similarityFloors returns the least ‖A − M‖² over semidefinite M of rank r for every r, for A = K
// or HKH with K the mean of a and its transpose.
func similarityFloors(a *Matrix, centred bool) (func(r int) *big.Float, digits) {
	m, p := bigMatrix(a)
	n := len(m)
	for i := range n {
		for j := range i {
			v := p.times(p.add(m[i][j], m[j][i]), -1)
			m[i][j], m[j][i] = v, v
		}
		m[i][i] = p.zero().Set(m[i][i])
	}
	if centred {
		for range 2 {
			m = m.centred(p).transposed(n)
		}
	}
	return floorsOfBig(bigEigenvalues(m, p), p), p
}

// linearFloors is similarityFloors for K = XXᵀ.
func linearFloors(x *Matrix, centred bool) (func(r int) *big.Float, digits) {
	m, p := bigMatrix(x)
	if centred {
		m = m.centred(p)
	}
	columns := m.transposed(x.Cols)
	gram := make(bigRows, x.Cols)
	for i := range gram {
		for j := range gram {
			gram[i] = append(gram[i], p.dot(columns[i], columns[j]))
		}
	}
	return floorsOfBig(bigEigenvalues(gram, p), p), p
}

func floorsOfBig(values []*big.Float, p digits) func(r int) *big.Float {
	return func(r int) *big.Float {
		floor := p.zero()
		for i, v := range values {
			if i >= r || v.Sign() < 0 {
				floor.Add(floor, p.mul(v, v))
			}
		}
		return floor
	}
}

// spectral returns QΛQᵀ, rounded, for a random orthogonal Q.
func spectral(values []float64, seed uint64) *Matrix {
	n := len(values)
	q := laOrthogonal(n, rand.New(rand.NewPCG(seed, 7)))
	out := NewMatrix(n, n, nil)
	for i := range n {
		for j := range i + 1 {
			for l, v := range values {
				out.Data[i*n+j] += v * q.Row(l)[i] * q.Row(l)[j]
			}
			out.Data[j*n+i] = out.Data[i*n+j]
		}
	}
	return out
}

// floorCases are similarities that are hard for a floor.
func floorCases() map[string]*Matrix {
	rng := rand.New(rand.NewPCG(3, 21))
	symmetric := func(n int, f func(i, j int) float64) *Matrix {
		out := NewMatrix(n, n, nil)
		for i := range n {
			for j := range i + 1 {
				out.Data[i*n+j] = f(i, j)
				out.Data[j*n+i] = out.Data[i*n+j]
			}
		}
		return out
	}
	points := randomData(16, 3, 1e7, 5)
	near := randomData(16, 3, 0, 6)
	out := map[string]*Matrix{
		"equal but for 1e-15":  spectral([]float64{1, 1 + 1e-15, 1 - 1e-15, 1 + 3e-16, 1, 1, 0.5, -1, -1, 1e-17}, 1),
		"equal but for 1e-8":   spectral([]float64{3, 2 + 1e-8, 2, 2 - 1e-8, 2 - 1e-7, 1, -2, -2 - 1e-8}, 2),
		"graded":               spectral([]float64{1, 1e-4, 1e-8, 1e-12, 1e-16, 1e-20, -1e-10, -1e-18}, 3),
		"exact rank":           spectral([]float64{5, 4, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 4),
		"negative":             spectral([]float64{-1, -2, -3, -4, -5, -1e-16}, 5),
		"one positive":         spectral([]float64{1e-9, -1, -1, -1, -2, -3, -4}, 6),
		"identity":             identity(20),
		"integers":             symmetric(15, func(i, j int) float64 { return float64(rng.IntN(9) - 3) }),
		"large integers":       symmetric(15, func(i, j int) float64 { return float64(rng.Int64N(1 << 52)) }),
		"large mean":           symmetric(15, func(i, j int) float64 { return 1e9 + rng.NormFloat64() }),
		"large row means":      symmetric(15, func(i, j int) float64 { return 1e6*float64(i*i+j*j) + rng.NormFloat64() }),
		"a block of ones":      symmetric(20, func(i, j int) float64 { return float64(flagIf(i/7 == j/7, 1)) }),
		"products, far":        symmetric(16, func(i, j int) float64 { return dot(points.Row(i), points.Row(j)) }),
		"distances":            symmetric(16, func(i, j int) float64 { return -squaredDistance(near.Row(i), near.Row(j)) }),
		"zero":                 NewMatrix(5, 5, nil),
		"one":                  NewMatrix(1, 1, []float64{3}),
		"two":                  NewMatrix(2, 2, []float64{1, 1 + 0x1p-52, 1 + 0x1p-52, 1}),
		"near, of order 24":    symmetric(24, func(i, j int) float64 { return math.Exp(-math.Abs(float64(i-j)) / 5) }),
		"nearly equal, of 24":  spectral(slices.Repeat([]float64{1, 1 + 1e-14, 1 - 1e-14, -1}, 6), 8),
		"random, of 24":        symmetric(24, func(i, j int) float64 { return rng.NormFloat64() }),
		"nearly symmetric":     mapped(symmetric(12, func(i, j int) float64 { return rng.Float64() }), func(i, j int, v float64) float64 { return v + 1e-9*rng.Float64() }),
		"tiny":                 symmetric(9, func(i, j int) float64 { return 0x1p-490 * rng.NormFloat64() }),
		"huge":                 symmetric(9, func(i, j int) float64 { return 0x1p490 * rng.NormFloat64() }),
		"entries far in size":  symmetric(12, func(i, j int) float64 { return rng.NormFloat64() * math.Pow(10, float64(rng.IntN(20)-10)) }),
		"one entry far larger": symmetric(12, func(i, j int) float64 { return rng.NormFloat64() * float64(1+flagIf(i == 7 && j == 3, 1<<15)) * 0x1p30 }),
	}
	return out
}

// TestFloorProved holds Floor and Floor + FloorError of LSD and TILSD to
// eigenvalues in math/big.
func TestFloorProved(t *testing.T) {
	t.Parallel()
	if outgrown(t) {
		return
	}
	var widest, used float64
	for name, kernel := range floorCases() {
		if kernel.Rows > full(math.MaxInt, 12) { // the exact eigenvalues take long
			continue
		}
		for _, centred := range []bool{false, true} {
			floor, p := similarityFloors(kernel, centred)
			for _, k := range full([]int{1, 2, 3, 5, 8}, []int{1, 3}) {
				var m *LSDModel
				r := k
				if centred {
					r--
					m = mustDo(TILSD(bg, kernel, k, nil))(t)
				} else {
					m = mustDo(LSD(bg, kernel, k, &LSDOptions{MaxIter: 1, Starts: 1}))(t)
				}
				want := floor(r)
				high := p.add(p.num(m.Floor), p.num(m.FloorError))
				if m.Floor < math.MaxFloat64 && (p.num(m.Floor).Cmp(want) > 0 || high.Cmp(want) < 0) {
					t.Errorf("%s, k = %d, centred %v: floor %v + %g, truly %g", name, k, centred, m.Floor, m.FloorError, double(want))
				}
				if m.Total == 0 || m.Floor == math.MaxFloat64 {
					continue
				}
				if off := math.Abs(double(p.sub(want, p.num(m.Floor)))); m.FloorError > 0 {
					used = max(used, off/m.FloorError)
				}
				// HKH may be small beside K, which is what is rounded.
				top, _ := rowMaxAbs(kernel.Data)
				size := top / math.Sqrt(m.Total) * float64(kernel.Rows)
				widest = max(widest, m.FloorError/m.Total/max(1, size*size))
				if m.FloorError > 1e-13*m.Total*max(1, size*size) {
					t.Errorf("%s, k = %d, centred %v: floor %v + %g of %g", name, k, centred, m.Floor, m.FloorError, m.Total)
				}
			}
		}
	}
	t.Logf("FloorError up to %.2g of Total, its use up to %.2g", widest, used)
}

// TestFloorProvedLinear is TestFloorProved for the linear kernel, which forms no K.
func TestFloorProvedLinear(t *testing.T) {
	t.Parallel()
	if outgrown(t) {
		return
	}
	var widest float64
	few := func(name string, n int) *Matrix { return rowsOf(loadCSV(t, name), 0, n).Clone() }
	for name, x := range map[string]*Matrix{
		"iris": few("iris", 150), "wine": few("wine", 60), "far": randomData(40, 4, 1e9, 1), "wide": randomData(6, 30, 0, 2), "wide, far": randomData(7, 12, 1e7, 3),
		"line": mapped(NewMatrix(30, 3, nil), func(i, j int, _ float64) float64 { return float64(i * (j + 1)) }), "integers": mapped(randomData(50, 5, 0, 4), func(_, _ int, v float64) float64 { return math.Round(5 * v) }),
		"equal": spectral([]float64{1, 1, 1 + 1e-15, 1, 0.5, 0.5}, 9), "graded": spectral([]float64{1, 1e-5, 1e-9, 1e-13}, 10), "tiny": mapped(randomData(20, 4, 1, 5), func(_, _ int, v float64) float64 { return 0x1p-200 * v }),
	} {
		kernel := mustDo(LinearKernel(x))(t)
		for _, centred := range []bool{false, true} {
			floor, p := linearFloors(x, centred)
			for _, k := range full([]int{1, 2, 3, 4}, []int{1, 4}) {
				var m *LSDModel
				r := k
				if centred {
					r--
					m = mustDo(TILSD(bg, kernel, k, nil))(t)
				} else {
					m = mustDo(LSD(bg, kernel, k, &LSDOptions{MaxIter: 1, Starts: 1}))(t)
				}
				want := floor(r)
				if p.num(m.Floor).Cmp(want) > 0 || p.add(p.num(m.Floor), p.num(m.FloorError)).Cmp(want) < 0 {
					t.Errorf("%s, k = %d, centred %v: floor %v + %g, truly %g", name, k, centred, m.Floor, m.FloorError, double(want))
				}
				if m.Total > 0 {
					widest = max(widest, m.FloorError/m.Total)
					if m.FloorError > 1e-12*m.Total {
						t.Errorf("%s, k = %d, centred %v: floor %v + %g of %g", name, k, centred, m.Floor, m.FloorError, m.Total)
					}
				}
			}
		}
	}
	t.Logf("FloorError up to %.2g of Total", widest)
}

// TestFloorOfAnyFactor: the bounds hold whatever factor they are given, such as one that
// lacks the leading direction.
func TestFloorOfAnyFactor(t *testing.T) {
	t.Parallel()
	if outgrown(t) {
		return
	}
	rng := rand.New(rand.NewPCG(8, 1))
	for name, kernel := range floorCases() {
		n := kernel.Rows
		if n > 16 || name == "nearly symmetric" || name == "tiny" || name == "huge" {
			continue
		}
		values, vectors, err := EigenSym(kernel)
		if err != nil {
			t.Fatal(err)
		}
		floor, p := similarityFloors(kernel, false)
		for _, r := range []int{0, 1, 2, 4} {
			want := floor(r)
			for try := range full(60, 6) {
				y := NewMatrix(min(r, rng.IntN(r+1), n), n, nil)
				from := rng.Perm(n)
				slices.Sort(from[:y.Rows])
				for i := range y.Rows {
					for j := range n {
						v := vectors.Row(j)[from[i]] + []float64{0, 1e-12, 1e-3}[try%3]*rng.NormFloat64()
						y.Row(i)[j] = v * math.Sqrt(max(values[from[i]], 1e-300))
					}
				}
				low, high := semidefiniteFloor(kernel.Clone(), y, r, 0, 1)
				if p.num(low).Cmp(want) > 0 || p.num(high).Cmp(want) < 0 {
					t.Errorf("%s, r = %d, columns %v: from %v to %v, truly %v", name, r, from[:y.Rows], low, high, double(want))
				}
			}
		}
	}
}

// TestFloorBlindStart: a leading direction that the eigensolver's start cannot see is
// found by the proof.
func TestFloorBlindStart(t *testing.T) {
	const n, k = 200, 2
	start := newKrylovSpace(bg, n, k, 1)
	rng := rand.New(rand.NewPCG(2, 2))
	rows := NewMatrix(n, n, nil)
	copy(rows.Data, start.q.Data[:start.block*n])
	for i := start.block * n; i < len(rows.Data); i++ {
		rows.Data[i] = rng.NormFloat64()
	}
	orthonormalize(rows, start.block)
	hidden := rows.Row(n - 1) // all others are mixed
	others := product(laOrthogonal(n-1, rng), rowsOf(rows, 0, n-1))
	kernel := NewMatrix(n, n, nil)
	want := 0.0
	add := func(v float64, u []float64) {
		for i, a := range u {
			axpy(kernel.Row(i), v*a, u)
		}
		if v < 3 {
			want += v * v
		}
	}
	add(5, hidden)
	for i := range n - 1 {
		add([]float64{3, 2, 1e-3 * rng.NormFloat64()}[min(i, 2)], others.Row(i))
	}
	for i := range n {
		for j := range i {
			kernel.Data[i*n+j] = kernel.Data[j*n+i]
		}
	}
	m := mustDo(LSD(bg, kernel, k, &LSDOptions{Seed: 1, MaxIter: 5}))(t)
	if math.Abs(m.Floor-want) > 1e-9 || m.FloorError > 1e-9 {
		t.Errorf("floor %g + %g, truly %g; %d eigenvalues, %v", m.Floor, m.FloorError, want, m.Rank, m.Status)
	}
}
