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
	for _, m := range []int{0, 1, 7, 4097, 1<<31 - 1} {
		u := new(big.Rat).SetFrac(big.NewInt(int64(m)), new(big.Int).Lsh(big.NewInt(1), 53))
		want := new(big.Rat).Quo(u, new(big.Rat).Sub(big.NewRat(1, 1), u))
		got := new(big.Rat).SetFloat64(gamma(m))
		if got.Cmp(want) < 0 || got.Cmp(want.Mul(want, new(big.Rat).SetFloat64(1+0x1p-48))) > 0 {
			t.Errorf("γ(%d) is %g", m, gamma(m))
		}
	}
}

// depthOf returns how many roundings some term of a sum of n numbers passes: beside a term of 1
// all others are just above 2^-53, and each that is added to it alone is rounded up by as much.
func depthOf(n int, sum func(terms []float64) float64) (worst float64) {
	terms := make([]float64, n)
	for at := 0; at < n; at += 1 + at/8 {
		for i := range terms {
			terms[i] = 0x1p-53 * (1 + 0x1p-20)
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
	for _, n := range []int{1, 2, 4, 7, 9, 16, 33, 64, 100, 257, 1000, 4099} {
		ones, x := make1(n), NewMatrix(n, 9, nil)
		for name, c := range map[string]struct {
			sum  func(x []float64) float64
			most int
		}{
			"dot":        {func(x []float64) float64 { return dot(x, ones) }, dotDepth(n)},
			"dotGeneric": {func(x []float64) float64 { return dotGeneric(x, ones) }, dotDepth(n)},
			"sumOf":      {sumOf, n},
			"addMulNT": {func(x []float64) float64 {
				c := make([]float64, 15)
				addMulNT(c, 5, slices.Repeat(x, 3), 3, slices.Repeat(ones, 5), 5, n, false)
				return slices.Max(c)
			}, n + 12},
			"addRows": {func(terms []float64) float64 { // the first of the rows passes the most
				y := make([]float64, 9)
				addRows(y, ones, indices(n), mapped(x, func(i, _ int, _ float64) float64 {
					return terms[i]
				}).Data)
				return y[8]
			}, n + 3},
		} {
			if got := depthOf(n, c.sum); got > float64(c.most) {
				t.Errorf("%s of %d numbers: %g roundings, bound %d", name, n, got, c.most)
			} else if name == "dotGeneric" && n >= 64 && got < float64(c.most)/2 {
				t.Errorf("%s of %d numbers: %g roundings, the bound %d is far", name, n, got, c.most)
			}
		}
	}
}

// TestChunkingDepth: counted over the blocks that a pass makes.
func TestChunkingDepth(t *testing.T) {
	for _, n := range []int{1, 23, 24, 241, 7680, 7681, 100003} {
		for _, l := range []int{0, 5, 137, 1366, 40000} {
			for _, most := range []int{1, 7, reduceChunks, manyChunks} {
				c := chunking{n, l, most}
				blocks, largest := make([]int, chunks(n, l, most)), 0
				if err := (parallelism{bg, 1, nil}).eachBlock(c, 0, func(at block) {
					blocks[at.chunk]++
					largest = max(largest, at.hi-at.lo)
				}); err != nil {
					t.Fatal(err)
				}
				want := largest + slices.Max(blocks) + len(blocks)
				if c.depth() < want-1 || c.depth() > want+largest+2 { // the first addition is to 0
					t.Errorf("%+v: depth %d, counted %d", c, c.depth(), want)
				}
			}
		}
	}
}

// TestRitzSumBound: random symmetric matrices, and subspaces from random to nearly invariant.
func TestRitzSumBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 9))
	tight := 0.0
	for trial := range 500 {
		n := 3 + trial%9
		p := 1 + trial%(n-1)
		b := NewMatrix(n, n, randomSlice(n*n, rng))
		mirror(b.Data, n)
		values, vectors, err := EigenSym(b)
		must(t, err)
		// The first p rows are near the leading eigenvectors, the others span the complement.
		basis := vectors.transposed()
		disturb(basis, math.Pow(10, -float64(trial%10)), rng)
		orthonormalize(bg, basis, 0)
		h := product(product(basis, b), basis.transposed())
		theta, _ := leadingEigen(bg, (&Matrix{Rows: p, Cols: p, Stride: h.Stride, Data: h.Data}).Clone(), 0, 1)
		rest := NewMatrix(n-p, n-p, nil)
		squares, missing := 0.0, 0.0
		for i := p; i < n; i++ {
			copy(rest.Row(i-p), h.Row(i)[p:])
			squares += sumSquares(h.Row(i)[:p])
		}
		outside, _ := leadingEigen(bg, rest, 0, 1)
		for i := range p {
			missing += values[i] - theta[i]
		}
		bound := ritzSumBound(p, theta[p-1], squares, outside[0])
		if missing > bound+float64(n*n)*4*laEps*max(values[0], -values[n-1]) {
			t.Errorf("trial %d, n=%d, p=%d: %g missing, bound %g", trial, n, p, missing, bound)
		} else if bound > 1e-6 {
			tight = max(tight, missing/bound)
		}
	}
	if tight < 0.3 {
		t.Error("the bound is far from the truth everywhere:", tight)
	}
	for _, c := range []struct {
		p                         int
		last, squares, next, want float64
	}{{0, 0, 1, 1, 0}, {2, 1, 0, 0, 0}, {1, 3, 0.01, 2, 0.01}, {2, 2, 0.02, 2.5, 0.4 + 1}} {
		if got := ritzSumBound(c.p, c.last, c.squares, c.next); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%+v: %g", c, got)
		}
	}
}

// bigEigen returns the eigenvalues of a symmetric matrix, descending.
func bigEigen(m bigRows, p digits) []*big.Float {
	m, c := slices.Clone(m), p.zero()
	for i := range m {
		m[i] = slices.Clone(m[i])
		for j, v := range m[i] {
			m[i][j] = p.zero().Set(v)
			c.Add(c, p.zero().Abs(v)) // above the norm, so that m + cI is positive
		}
	}
	for i := range m {
		m[i][i] = p.add(m[i][i], c)
	}
	values := p.eigenvalues(m)
	for _, v := range values {
		v.Sub(v, c)
	}
	return values
}

// outsideValue is the largest eigenvalue of the symmetric a, entries up to 1, on the complement of v's rows.
func outsideValue(a, v *Matrix) float64 {
	n, q := a.Rows, v.Clone()
	orthonormalize(bg, q, 0)
	p := product(q.transposed(), q) // I − P projects on the complement
	rest := mapped(identity(n), func(i, j int, one float64) float64 { return one - p.At(i, j) })
	rest = product(product(rest, a), rest)
	axpy(rest.Data, -float64(8*n), p.Data)
	mirror(rest.Data, n)
	values, _ := leadingEigen(bg, rest, 0, 1)
	return values[0]
}

// disturb adds noise of the given size.
func disturb(m *Matrix, by float64, rng *rand.Rand) {
	for i := range m.Data {
		m.Data[i] += by * rng.NormFloat64()
	}
}

// ritzCases are symmetric matrices for bounds of eigenvalues.
func ritzCases(n int, rng *rand.Rand) map[string]*Matrix {
	cases := laSymmetric(n, rng)
	x := NewMatrix(2*n, n, randomSlice(2*n*n, rng))
	cases["Gram"] = product(x.transposed(), x)
	cases["patchwork"] = laPatchwork(n, rng)
	x = mapped(x, func(_, j int, v float64) float64 { return v * math.Pow(10, -float64(j)) })
	cases["graded Gram"] = product(x.transposed(), x)
	for _, a := range cases {
		mirror(a.Data, n)
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
	for _, n := range []int{2, 3, 6} {
		for name, a := range ritzCases(n, rng) {
			m, big1 := bigMatrix(a)
			exact := bigEigen(m, big1)
			truth := big1.zero()
			for p := 1; p < n; p++ {
				values, rows := leadingEigen(bg, a.Clone(), p, 1)
				truth.Add(truth, exact[p-1])
				for digits := range 8 {
					v := rows.Clone()
					if digits > 0 {
						disturb(v, math.Pow(10, -2*float64(digits)), rng)
						if digits%2 == 0 { // else they are not orthonormal
							orthonormalize(bg, v, 0)
						}
					}
					sum, off := leadingSum(bg, a.Clone(), v, values, 1)
					if diff := double(big1.sub(truth, big1.num(sum))); !(math.Abs(diff) <= off) {
						t.Errorf("%s of order %d, p = %d, vectors to 1e-%d: %g off, bound %g", name, n, p,
							2*digits, diff, off)
					}
				}
			}
		}
	}
	// Two vectors turned into each other, the second of which is off: their own values are far above it, and the
	// third. Others are given, with which the proof ends.
	const turn = 1e-3
	a := NewMatrix(3, 3, []float64{1, 0, 0, 0, 0.01, 0, 0, 0, 0.005})
	v := product(NewMatrix(2, 2, []float64{math.Sqrt2 / 2, math.Sqrt2 / 2, math.Sqrt2 / 2, -math.Sqrt2 / 2}),
		NewMatrix(2, 3, []float64{1, 0, 0, 0, math.Cos(turn), math.Sin(turn)}))
	if sum, off := leadingSum(bg, a, v, []float64{100, 0.35, 0.005}, 1); !(math.Abs(1.01-sum) <= off) {
		t.Errorf("turned vectors: %g off, bound %g", 1.01-sum, off)
	}
	if sum, off := leadingSum(bg, identity(3), NewMatrix(0, 3, nil), []float64{1, 1, 1}, 1); sum != 0 ||
		off != 0 {
		t.Error("no vectors:", sum, off)
	}
	// Vectors that are far from orthonormal prove nothing.
	if _, off := leadingSum(bg, identity(2), NewMatrix(1, 2, []float64{1, 1}), []float64{1, 1},
		1); !math.IsInf(off, 1) {
		t.Error("a vector of length √2 proves", off)
	}
}

// TestComplementBound: the bound holds for all eigenvalues of a matrix on the complement of some vectors, for
// any vectors and values.
func TestComplementBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 1))
	for _, n := range []int{2, 4, 7} {
		for name, a := range ritzCases(n, rng) {
			unitScale(a)
			for p := 1; p < n; p++ {
				values, rows := leadingEigen(bg, a.Clone(), p, 1)
				for digits := range 4 {
					v, by := rows.Clone(), NewMatrix(1, n, slices.Clone(values[:n]))
					if digits > 0 {
						disturb(v, math.Pow(10, -3*float64(digits-1)), rng)
						disturb(by, math.Pow(10, -3*float64(digits-1)), rng)
					}
					got := complementBound(bg, a, v, by.Data, 1)
					if truth := outsideValue(a, v); truth > got+1e-13 {
						t.Errorf("%s of order %d, p = %d, %d: an eigenvalue of %g, bound %g", name, n, p,
							digits, truth, got)
					}
					// Of a Gram matrix it looks half way between the two values, or 1e-12 above the second.
					most := values[p] + 0.51*(values[p-1]-values[p]) + 1e-12*float64(n)
					if digits == 0 && values[n-1] >= -1e-14 && maxAbs(a) > 0 && !(got <= most) {
						t.Errorf("%s of order %d, p = %d: bound %g, values %v", name, n, p, got, values)
					}
				}
			}
		}
	}
	// Of an eigenvalue of 1 among zeros it looks at 1/2. The rounding is that of the trace of the rest.
	const m = 100
	a, v := NewMatrix(m, m, nil), NewMatrix(1, m, nil)
	a.Data[0], v.Data[0] = 1, 1
	if off := complementBound(bg, a, v, []float64{1, 0}, 1) - 0.5; !(off >= gamma(m+4)*m/2) || off > 1e-12 {
		t.Errorf("a bound of the rounding of %g", off)
	}
}

// TestDefinite: a factorization that ends is one, at orders around the panels, and none
// ends where an eigenvalue is below the bound of complementBound.
func TestDefinite(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 1))
	for _, m := range []int{1, 7, definitePanel - 1, definitePanel, definitePanel + 1, 3*definitePanel + 23} {
		with := func(least float64) *Matrix { // eigenvalues from 1 down to it
			return spectral(rng, m, func(i int) float64 {
				if i == m-1 {
					return least
				}
				return 1 / float64(i+1)
			})
		}
		bound := 4 * gamma(m+4) * float64(m) // of a trace of at most m, with the rounding of the product
		for _, least := range []float64{-1, -1e-9, -2 * bound} {
			if definite(bg, with(least), 1) {
				t.Errorf("order %d: an eigenvalue of %g is called positive", m, least)
			}
		}
		for _, least := range []float64{1, 1e-9} {
			a := with(least)
			r, three := a.Clone(), a.Clone()
			if !definite(bg, r, 1) {
				t.Errorf("order %d: an eigenvalue of %g is not called positive", m, least)
				continue
			}
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
		for _, bad := range []float64{math.NaN(), 0} {
			a := with(1)
			a.Set(m-1, m-1, bad)
			if definite(bg, a, 1) {
				t.Errorf("order %d: %g on the diagonal", m, bad)
			}
		}
		if definite(endingAt(0), with(1), 1) {
			t.Errorf("order %d: definite after the end", m)
		}
	}
}

// floorsBy returns the least ‖A − M‖² over semidefinite M of rank r for every r, by the eigenvalues of
// A.
func floorsBy(values []*big.Float, p digits) func(r int) *big.Float {
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

// similarityValues are the eigenvalues of the mean K of a and its transpose, or those of HKH.
func similarityValues(a *Matrix, centred bool) ([]*big.Float, digits) {
	m, p := bigMatrix(a)
	for i := range m {
		for j := range i {
			v := p.times(p.add(m[i][j], m[j][i]), -1)
			m[i][j], m[j][i] = v, v
		}
	}
	if centred {
		for range 2 {
			m = m.centred(p).transposed(a.Cols)
		}
	}
	return bigEigen(m, p), p
}

// floorCases are similarities that are hard for a floor.
func floorCases() map[string]*Matrix {
	rng := rand.New(rand.NewPCG(3, 21))
	of := func(values ...float64) *Matrix {
		return spectral(rng, len(values), func(i int) float64 { return values[i] })
	}
	symmetric := func(n int, f func(i, j int) float64) *Matrix {
		out := mapped(NewMatrix(n, n, nil), func(i, j int, _ float64) float64 { return f(i, j) })
		mirror(out.Data, n)
		return out
	}
	near := randomData(10, 3, 0, 6)
	return map[string]*Matrix{
		"equal but for 1e-15": of(1, 1+1e-15, 1-1e-15, 1+3e-16, 1, 1, 0.5, -1, -1, 1e-17),
		"equal but for 1e-8":  of(3, 2+1e-8, 2, 2-1e-8, 2-1e-7, 1, -2, -2-1e-8),
		"graded":              of(1, 1e-4, 1e-8, 1e-12, 1e-16, 1e-20, -1e-10, -1e-18),
		"exact rank":          of(5, 4, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0),
		"negative":            of(-1, -2, -3, -4, -5, -1e-16),
		"one positive":        of(1e-9, -1, -1, -1, -2, -3, -4),
		"large row means": symmetric(9, func(i, j int) float64 {
			return 1e6*float64(i*i+j*j) + rng.NormFloat64()
		}),
		"a block of ones": symmetric(10, func(i, j int) float64 {
			return float64(oneIf(i/4 == j/4))
		}),
		"distances": symmetric(10, func(i, j int) float64 {
			return -squaredDistance(near.Row(i), near.Row(j))
		}),
		"zero": NewMatrix(5, 5, nil),
		"one":  NewMatrix(1, 1, []float64{3}),
		"nearly symmetric": mapped(symmetric(9, func(i, j int) float64 { return rng.Float64() }),
			func(_, _ int, v float64) float64 { return v + 1e-9*rng.Float64() }),
		"tiny": symmetric(6, func(i, j int) float64 { return 0x1p-490 * rng.NormFloat64() }),
		"huge": symmetric(6, func(i, j int) float64 { return 0x1p490 * rng.NormFloat64() }),
		"entries far in size": symmetric(9, func(i, j int) float64 {
			return rng.NormFloat64() * math.Pow(10, float64(rng.IntN(20)-10))
		}),
	}
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
		if name == "nearly symmetric" || name == "tiny" || name == "huge" {
			continue
		}
		values, vectors, err := EigenSym(kernel)
		must(t, err)
		exact, p := similarityValues(kernel, false)
		floor := floorsBy(exact, p)
		for _, r := range []int{0, 1, 2, 4} {
			want := floor(r)
			for try := range fewer(60, 6) {
				y := NewMatrix(min(r, rng.IntN(r+1), n), n, nil)
				from := rng.Perm(n)
				slices.Sort(from[:y.Rows])
				for i := range y.Rows {
					for j := range n {
						v := vectors.Row(j)[from[i]] + []float64{0, 1e-12, 1e-3}[try%3]*rng.NormFloat64()
						y.Row(i)[j] = v * math.Sqrt(max(values[from[i]], 1e-300))
					}
				}
				lows, high := semidefiniteFloor(bg, kernel.Clone(), y, r, 0, 1)
				for k, v := range lows {
					if p.num(v).Cmp(floor(k)) > 0 {
						t.Errorf("%s, rank %d of %d, columns %v: %v, truly %v", name, k, r, from[:y.Rows], v,
							double(floor(k)))
					}
				}
				low := lows[r]
				if p.num(low).Cmp(want) > 0 || p.num(high).Cmp(want) < 0 {
					t.Errorf("%s, r = %d, columns %v: from %v to %v, truly %v", name, r, from[:y.Rows], low,
						high, double(want))
				}
			}
		}
	}
	// Two rows with a cosine v have ω = √2·v, which proves something below 1/2.
	for v, some := range map[float64]bool{0.34: true, 0.36: false} {
		y := NewMatrix(2, 3, []float64{1, 0, 0, v, math.Sqrt(1 - v*v), 0})
		a := product(y.transposed(), y)
		a.Set(2, 2, 0.1)
		if lows, _ := semidefiniteFloor(bg, a, y, 2, 0, 1); lows[2] > 0 != some {
			t.Errorf("a cosine of %g: a floor of %g", v, lows[2])
		}
	}
}

// TestFloorByProbes: random vectors alone prove the floor of separate eigenvalues, nearly to the last digit.
func TestFloorByProbes(t *testing.T) {
	n := provedOrder + 8
	rows := orthogonalTo(rand.New(rand.NewPCG(2, 2)), NewMatrix(0, n, nil), 20)
	kernel := NewMatrix(n, n, nil)
	for l := range rows.Rows {
		for i, a := range rows.row(l) {
			axpy(kernel.row(i), math.Ldexp(a, -l), rows.row(l))
		}
	}
	mirror(kernel.Data, n)
	op, _, err := openSimilarity(bg, kernel, 2, nil, "LSD")
	must(t, err)
	_, left, err := op.rated(mustDo(op.leading(3, 0))(t), 3)
	must(t, err)
	if low := left.lows[3]; low > left.squares || left.high-low > openShare*left.total {
		t.Errorf("from %g to %g, about %g", low, left.high, left.squares)
	}
}

// TestFloorBlindStart: a leading direction that the eigensolver's start cannot see is found by the proof,
// which then takes all eigenvalues, or the floor stays below.
func TestFloorBlindStart(t *testing.T) {
	for _, n := range []int{fullOrder + 12, provedOrder + 8} {
		start := newKrylovSpace(bg, n, 2, 0).q
		rng := rand.New(rand.NewPCG(2, 2))
		seen := stacked(NewMatrix(1, n, make1(n)), rowsOf(start, 0, 2+krylovExtra))
		hidden := orthogonalTo(rng, seen, 1)
		rows := stacked(hidden, orthogonalTo(rng, stacked(NewMatrix(1, n, make1(n)), hidden), 60)) // centred
		kernel, want := NewMatrix(n, n, nil), make([]float64, 3)
		for l := range rows.Rows {
			v := []float64{1, 0.9, 0.8, -0.02 / float64(l+1)}[min(l, 3)]
			for i, a := range rows.row(l) {
				axpy(kernel.row(i), v*a, rows.row(l))
			}
			for k := range want {
				if l >= k || v < 0 {
					want[k] += v * v
				}
			}
		}
		mirror(kernel.Data, n)
		few := &LSDOptions{MaxIter: -1, Starts: 1}
		for name, got := range map[string][]float64{
			"LSDFloors":   append([]float64{want[0]}, mustDo(LSDFloors(bg, kernel, 2, nil))(t)...),
			"TILSDFloors": mustDo(TILSDFloors(bg, kernel, 3, nil))(t),
			"LSD":         append(slices.Clone(want[:2]), mustDo(LSD(bg, kernel, 2, few))(t).Floor),
			"TILSD":       append(slices.Clone(want[:2]), mustDo(TILSD(bg, kernel, 3, nil))(t).Floor),
		} {
			for k, v := range got {
				if !(math.Abs(v-want[k]) <= 1e-8) {
					t.Errorf("%s of %d rows: floors %v, truly %v", name, n, got, want)
				}
			}
		}
		op, _, err := openSimilarity(bg, kernel, 2, nil, "LSD")
		must(t, err)
		spec := mustDo(op.leading(2, 0))(t)
		_, left, err := op.rated(spec, 2)
		must(t, err)
		if low := unscale(left.lows[2], 2*op.exp); low > want[2] || left.squares <= 1.01*left.lows[2] ||
			(n > provedOrder) != (spec.status == StatusIterationLimit) {
			t.Errorf("%d rows: %v, floor %g, truly %g", n, spec.status, low, want[2])
		}
		for look := 0; err != nil || look == 0; look = look*5/4 + 1 { // a context that ends is an error, or late
			op.ctx = endingAt(look)
			if _, left, err = op.rated(spec, 2); err == nil && left.lows == nil {
				t.Fatalf("%d rows, ended after %d looks: neither floors nor an error", n, look)
			}
		}
	}
}
