package missing

// A floor that is proved. Take rows and columns with all their entries. The part there of any centers and
// memberships of the table are centers and memberships of this block, so that their error in it is at least
// the block's floor. Blocks without a common entry add up: the sum of their floors is a floor of the table.

import (
	"context"
	"math/bits"
	"slices"

	"softkmeans"
	"softkmeans/internal/fault"
	"softkmeans/internal/la"
)

// Blocks are taken while one promises more than leastBlock of the first, at most mostBlocks. Without these
// limits the floor rose by at most .03 of the whole table's, on four sets.
const (
	leastBlock = 1. / 64
	mostBlocks = 32
)

// provedFloor returns a floor of k centers over the entries that are there, in the weights' unit 2^g.exp and
// the squared unit of x. It is 0 where no block has more rows than k and more columns than directions.
func (g *gaps) provedFloor(
	ctx context.Context, x *softkmeans.Matrix, k int, o *softkmeans.MinVolumeOptions,
) (sum float64, err error) {
	free, first := g.free(), 0.0
	for range mostBlocks {
		rows, columns, promise := takeBlock(ctx, free, k, o.Sum)
		if promise <= leastBlock*first {
			break
		}
		first = max(first, promise)
		weights := make([]float64, len(rows))
		for a, i := range rows {
			weights[a] = g.weight(i)
		}
		simple := &softkmeans.Options{Weights: weights, Workers: o.Workers, Sum: o.Sum}
		// A block out of range, such as one of entries near 0, has a floor of 0.
		space, err := softkmeans.Principal(ctx, chosen(x, rows, columns), directionsOf(k, o.Sum), simple)
		if err == nil {
			sum += max(0, space.Floor-space.FloorError) * (1 - 0x1p-46) // the rounding of all sums
		}
	}
	return sum, fault.Stopped(ctx)
}

// rowSet is a set of rows, a bit for each.
type rowSet []uint64

// free returns for each column the rows that count and have an entry there.
func (g *gaps) free() []rowSet {
	sets := make([]rowSet, g.d)
	for j := range sets {
		sets[j] = make(rowSet, (len(g.counts)+63)/64)
	}
	var there, missing []int
	for i := range g.counts {
		if g.weight(i) > 0 {
			there, missing = g.columns(i, there, missing)
			for _, j := range there {
				sets[j][i>>6] |= 1 << (i & 63)
			}
		}
	}
	return sets
}

// common returns how many rows both sets have.
func (s rowSet) common(t rowSet) (n int) {
	for i, v := range s {
		n += bits.OnesCount64(v & t[i])
	}
	return n
}

// takeBlock returns rows and columns whose entries are all free, and takes them away. It adds one column
// after the other, each that which leaves the most rows, and stops where the promise is largest: the degrees
// of freedom that k centers leave a block. The promise is 0 if there is none.
func takeBlock(
	ctx context.Context, free []rowSet, k int, sum softkmeans.Sum,
) (rows, columns []int, promise float64) {
	directions := directionsOf(k, sum)
	order, left := la.Indices(len(free)), slices.Repeat(rowSet{^uint64(0)}, len(free[0]))
	var block rowSet
	for c := range order {
		best, most := c, -1
		for b, j := range order[c:] {
			if n := left.common(free[j]); n > most {
				best, most = c+b, n
			}
		}
		if most <= k || ctx.Err() != nil {
			break
		}
		order[c], order[best] = order[best], order[c]
		for i, v := range free[order[c]] {
			left[i] &= v
		}
		if p := float64(most-k) * float64(c+1-directions); p > promise {
			promise, columns, block = p, order[:c+1], append(block[:0], left...)
		}
	}
	for i, set := range block {
		for _, j := range columns {
			free[j][i] &^= set
		}
		for ; set != 0; set &= set - 1 {
			rows = append(rows, i<<6+bits.TrailingZeros64(set))
		}
	}
	return rows, columns, promise
}
