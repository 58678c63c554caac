package softkmeans

import (
	"math"
	"math/big"
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
