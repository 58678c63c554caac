package softkmeans

// What rounding can do, by the standard model of Higham, Accuracy and Stability of
// Numerical Algorithms (2002), chapter 3: every operation is off by at most u = 2^-53 of
// its result. Fused multiplications round less often. What sums lose of numbers below the
// range of float64, 2^-1075 for every operation, is in underflow.

// underflow bounds what is below the range in sums of squares of entries of up to 2, of any
// table: 2^74 roundings of 2^-1074.
const underflow = 0x1p-1000

// gamma returns γ(m) = mu/(1−mu): a product of m factors 1+δ, |δ| ≤ u, is within γ(m) of 1.
// So a sum in which every term passes m roundings is off by at most γ(m) of the sum of
// their sizes.
func gamma(m int) float64 {
	v := float64(m) * 0x1p-53
	return v / (1 - v) * (1 + 0x1p-50)
}

// dotDepth is how many roundings a product passes in dot over n numbers. Plain Go adds in
// four sums, vectors in at least as many.
func dotDepth(n int) int { return n/4 + 12 }

// depth is how many additions a term passes in a sum over all items: those of its block, of
// the blocks of its chunk and of the chunks.
func (c chunking) depth() int {
	count, step := chunks(c.n, c.l, c.most), blockRows(c.n, c.l)
	return min(c.n, step) + (c.n/count+1)/step + 1 + count
}
