package missing

import (
	"errors"
	"math"
	"slices"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/fault"
	"softkmeans/internal/la"
)

// Entries are at most mostEntry in size; weights below leastWeight of the largest count as 0.
const (
	mostEntry   = 0x1p500
	leastWeight = 0x1p-500
)

// gaps tells which entries of a table are missing, and the weights of its rows.
type gaps struct {
	d, words int      // columns, and words of bits for them
	bits     []uint64 // by row, a bit for each column: set if the entry is missing
	counts   []int    // missing entries of each row
	total    int
	given    []float64 // weights, nil: all 1
	exp      int       // the weights of rows are in units of 2^exp
}

// openGaps checks a table that is to be fitted, and returns its gaps. fit is called for a table without rows,
// so that its error can only be about options.
func openGaps(x *softkmeans.Matrix, weights []float64, fit func(*softkmeans.Matrix) error) (*gaps, error) {
	if err := x.Check("x"); errors.Is(err, softkmeans.ErrShape) {
		return nil, err
	}
	err := fit(&softkmeans.Matrix{Cols: x.Cols, Stride: x.Cols})
	if x.Rows > 0 && errors.Is(err, softkmeans.ErrTooFewSamples) {
		err = nil
	}
	if err != nil {
		return nil, err
	}
	if _, err := draws.Rows(weights, x.Rows); err != nil {
		return nil, err
	}
	return findGaps(x, weights)
}

// findGaps finds the missing entries of x. An infinity or an entry out of range is an error, which names the
// first such entry.
func findGaps(x *softkmeans.Matrix, weights []float64) (*gaps, error) {
	g := &gaps{d: x.Cols, words: (x.Cols + 63) / 64, counts: make([]int, x.Rows), given: weights}
	g.bits = make([]uint64, x.Rows*g.words)
	for i := range x.Rows {
		mask := g.of(i)
		for j, v := range x.Row(i) {
			if v != v {
				g.counts[i]++
				mask[j>>6] |= 1 << (j & 63)
			} else if size := math.Abs(v); size > mostEntry {
				err := softkmeans.ErrRange
				if size > math.MaxFloat64 {
					err = softkmeans.ErrNonFinite
				}
				return nil, &softkmeans.InputError{Arg: "x", Row: i, Col: j, Value: v, Err: err}
			}
		}
		g.total += g.counts[i]
	}
	if weights != nil {
		most := 0.0
		for i, w := range weights {
			if g.counts[i] < g.d {
				most = max(most, w)
			}
		}
		g.exp = exponent(most)
	}
	return g, nil
}

// exponent returns the e for which v = f·2^e with f in [½, 1).
func exponent(v float64) int {
	_, e := math.Frexp(v)
	return e
}

// of returns which entries of row i are missing.
func (g *gaps) of(i int) []uint64 { return g.bits[i*g.words : (i+1)*g.words] }

// same reports whether rows i and j miss the same entries.
func (g *gaps) same(i, j int) bool { return slices.Equal(g.of(i), g.of(j)) }

// order returns the rows, sorted so that rows that miss the same entries are adjacent. Rows without missing
// entries come first, and take no sorting.
func (g *gaps) order() []int {
	rows, others := make([]int, 0, len(g.counts)), []int(nil)
	for i, missing := range g.counts {
		if missing == 0 {
			rows = append(rows, i)
		} else {
			others = append(others, i)
		}
	}
	slices.SortStableFunc(others, func(a, b int) int { return slices.Compare(g.of(a), g.of(b)) })
	return append(rows, others...)
}

// columns returns the columns in which row i has entries, and the columns in which it misses them, in the
// storage given.
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

// weight returns the weight of row i, in units of 2^exp: 0 for a row without any entry.
func (g *gaps) weight(i int) float64 {
	if g.counts[i] == g.d {
		return 0
	}
	if g.given == nil {
		return 1
	}
	w := math.Ldexp(g.given[i], -g.exp)
	if w < leastWeight {
		return 0
	}
	return w
}

// weights returns the weights of all rows.
func (g *gaps) weights() []float64 {
	all := make([]float64, len(g.counts))
	for i := range all {
		all[i] = g.weight(i)
	}
	return all
}

// withoutEmpty returns the given weights, with 0 for rows without any entry. For nil it returns nil if every
// row has an entry.
func (g *gaps) withoutEmpty(given []float64) []float64 {
	if !slices.Contains(g.counts, g.d) {
		return given
	}
	out := slices.Repeat([]float64{1}, len(g.counts))
	copy(out, given)
	for i, n := range g.counts {
		if n == g.d {
			out[i] = 0
		}
	}
	return out
}

// share returns the fraction of the entries that are present, by weight.
func (g *gaps) share() float64 {
	var sum, all float64
	for i, n := range g.counts {
		sum += g.weight(i) * float64(g.d-n)
		all += g.weight(i) * float64(g.d)
	}
	return sum / all
}

// largest returns the largest magnitude of an entry of x in a row that counts.
func (g *gaps) largest(x *softkmeans.Matrix) (most float64) {
	for i := range x.Rows {
		if g.weight(i) > 0 {
			most = max(most, la.Largest(x.Row(i)))
		}
	}
	return most
}

// means returns the weighted means of the columns of x over the entries present, and the sums of
// their weights.
func (g *gaps) means(x *softkmeans.Matrix) (mean, mass []float64) {
	mean, mass = make([]float64, g.d), make([]float64, g.d)
	for i := range x.Rows {
		w := g.weight(i)
		if w == 0 {
			continue
		}
		for j, v := range x.Row(i) {
			if v == v {
				mass[j] += w
				mean[j] += w / mass[j] * (v - mean[j])
			}
		}
	}
	return mean, mass
}

// fillMeans sets the missing entries of x to the means of their columns. A column without an entry
// in a row that counts is an error.
func (g *gaps) fillMeans(x *softkmeans.Matrix) error {
	mean, mass := g.means(x)
	for j, w := range mass {
		if w == 0 {
			return fault.New(softkmeans.ErrTooFewSamples,
				"column ", j, " has no entry in a row that counts")
		}
	}
	g.fill(x, func(_, j int) float64 { return mean[j] })
	return nil
}

// ends returns the least and the largest value that a missing entry of each column may get: half of the range
// of the entries present beyond these, and not below 0 if none of them is. Rows without weight do not count.
//
// Without these ends, columns of few entries got ranks of -127 and shares of -44 %. Ends at the range itself
// lower the root mean square error by 0 to 2 %, on iris, wine, breast_cancer and digits without 5, 20 or 40 %
// of the entries. But an entry of a pure row may be beyond all others.
func (g *gaps) ends(x *softkmeans.Matrix) (least, most []float64) {
	least, most = slices.Repeat([]float64{math.Inf(1)}, g.d), slices.Repeat([]float64{math.Inf(-1)}, g.d)
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			if v == v && g.weight(i) > 0 {
				least[j], most[j] = min(least[j], v), max(most[j], v)
			}
		}
	}
	for j := range least {
		beyond := most[j]/2 - least[j]/2
		if most[j] += beyond; least[j] >= 0 {
			beyond = min(beyond, least[j])
		}
		least[j] -= beyond
	}
	return least, most
}

// fill sets the missing entries of x, at most mostEntry in size.
func (g *gaps) fill(x *softkmeans.Matrix, entry func(i, j int) float64) {
	var there, missing []int
	for i, n := range g.counts {
		if n == 0 {
			continue
		}
		there, missing = g.columns(i, there, missing)
		for _, j := range missing {
			x.Row(i)[j] = min(max(entry(i, j), -mostEntry), mostEntry)
		}
	}
}

// mixtures returns x with each missing entry replaced by its row's mixture of m's centers.
func (g *gaps) mixtures(m *softkmeans.Model, members, x *softkmeans.Matrix) *softkmeans.Matrix {
	out := x.Clone()
	g.fill(out, func(i, j int) (v float64) {
		for a, share := range members.Row(i) {
			v += share * m.Centers.Row(a)[j]
		}
		return v
	})
	return out
}
