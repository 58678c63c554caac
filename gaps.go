package softkmeans

// The missing entries of a table, which are NaN.

import (
	"context"
	"math"
	"slices"
	"strconv"
)

// gaps says which entries of a table are missing, which is a NaN.
type gaps struct {
	d, words int      // columns, and words of bits for them
	bits     []uint64 // by row, a bit for each column: set where the entry is missing
	counts   []int    // missing entries of each row
	total    int
}

// findGaps finds the missing entries of x. An infinity, or an entry out of range, is an
// error that names the first.
func findGaps(ctx context.Context, x *Matrix, workers int) (*gaps, error) {
	g := &gaps{d: x.Cols, words: (x.Cols + 63) / 64, counts: make([]int, x.Rows)}
	c := chunking{x.Rows, x.Cols, manyChunks}
	bad := make([]bool, chunks(c.n, c.l, c.most))
	g.bits = make([]uint64, x.Rows*g.words)
	err := eachBlock(ctx, workers, c, 0, func(at block) {
		for i := at.lo; i < at.hi; i++ {
			row, mask := x.row(i), g.of(i)
			if top, finite := rowMaxAbs(row); finite && top <= mostEntry {
				continue
			}
			for j, v := range row {
				if v != v {
					g.counts[i]++
					mask[j>>6] |= 1 << (j & 63)
				} else if !(math.Abs(v) <= mostEntry) {
					bad[at.chunk] = true
				}
			}
		}
	})
	if err == nil && slices.Contains(bad, true) {
		clean := x.Clone() // again, to name the first
		for i, v := range clean.Data {
			if v != v {
				clean.Data[i] = 0
			}
		}
		_, err = checkEntries("x", clean, mostEntry)
	}
	for _, n := range g.counts {
		g.total += n
	}
	return g, err
}

// openGaps is findGaps for a table that is to be fitted, which it checks.
func openGaps(ctx context.Context, x *Matrix, weights []float64, workers int) (*gaps, error) {
	if err := firstError(checkCount("Workers", workers), checkSamples(x)); err != nil {
		return nil, err
	}
	if err := checkWeights(weights, x.Rows); err != nil {
		return nil, err
	}
	return findGaps(ctx, x, workerCount(workers))
}

// of is which entries of row i are missing.
func (g *gaps) of(i int) []uint64 { return g.bits[i*g.words : (i+1)*g.words] }

// same reports whether rows i and j miss the same entries.
func (g *gaps) same(i, j int) bool { return slices.Equal(g.of(i), g.of(j)) }

// order returns the rows, those that miss the same entries beside each other.
func (g *gaps) order() []int {
	rows := indices(len(g.counts))
	slices.SortFunc(rows, func(a, b int) int {
		if c := slices.Compare(g.of(a), g.of(b)); c != 0 {
			return c
		}
		return a - b
	})
	return rows
}

// columns returns the columns in which row i has entries, and those in which it has none,
// in the storage given.
func (g *gaps) columns(i int, there, missing []int) ([]int, []int) {
	there, missing = there[:0], missing[:0]
	mask := g.of(i)
	for j := range g.d {
		if mask[j>>6]>>(j&63)&1 == 0 {
			there = append(there, j)
		} else {
			missing = append(missing, j)
		}
	}
	return there, missing
}

// weights returns the weights given, with 0 for rows without any entry. nil stays nil where
// all rows have entries.
func (g *gaps) weights(given []float64) []float64 {
	if !slices.Contains(g.counts, g.d) {
		return given
	}
	out := slices.Repeat([]float64{1}, len(g.counts))
	if given != nil {
		copy(out, given)
	}
	for i, n := range g.counts {
		if n == g.d {
			out[i] = 0
		}
	}
	return out
}

// fillMeans sets the missing entries of x to the means of their columns, weighted. A column
// without an entry in a row of positive weight is an error.
func (g *gaps) fillMeans(x *Matrix, weights []float64) error {
	top, _ := rowMaxAbs(weights)
	_, exp := math.Frexp(top)
	mean, mass := make([]float64, g.d), make([]float64, g.d)
	var there, missing []int
	for i := range x.Rows {
		w := 1.0
		if weights != nil {
			w = math.Ldexp(weights[i], -exp)
		}
		if w < leastScale {
			continue
		}
		there, missing = g.columns(i, there, missing)
		for _, j := range there {
			mass[j] += w
			mean[j] += w / mass[j] * (x.row(i)[j] - mean[j])
		}
	}
	for j, w := range mass {
		if w == 0 {
			return fail(ErrTooFewSamples, "column "+strconv.Itoa(j)+" of x has no entry in a row of positive weight")
		}
	}
	g.fill(x, func(_, j int) float64 { return mean[j] })
	return nil
}

// fill sets the missing entries of x, at most mostEntry in size.
func (g *gaps) fill(x *Matrix, entry func(i, j int) float64) {
	var there, missing []int
	for i, n := range g.counts {
		if n == 0 {
			continue
		}
		there, missing = g.columns(i, there, missing)
		for _, j := range missing {
			x.row(i)[j] = min(max(entry(i, j), -mostEntry), mostEntry)
		}
	}
}
