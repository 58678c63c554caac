package kinds

// Whether whole numbers are counts: whether their variance is like their mean.

import (
	"math"
	"slices"

	"softkmeans"
)

const (
	mostLooked = 200 // rows and columns that are looked at, at most
	leastMost  = 20  // the largest count, at least
	mostOften  = 2   // how often that comes, at most: pixels and ratings have it often

	// Entries are compared in classes of what is expected of them, each √10 times the one before and
	// from 1 on: below, all whole numbers are like counts.
	// There must be leastClasses, and leastSmall of them up to smallClasses.
	leastClasses = 4
	smallClasses = 3
	leastSmall   = 2
)

// limits are those of counts. A class tells by so many entries. The variance of counts is from least to
// most times their mean e. That of large ones is more by up to varied·e², as they vary from row to row,
// or half of it, as few ones bend the directions.
type limits struct{ entries, least, most, varied float64 }

// Multiples of a quantum must be more like counts than whole numbers: lengths in quarters, of noise by a
// third of their size, are not. The limits are from 40 sizes of 14 kinds of random numbers that are no
// counts, of which none is taken for divided counts; of 112 tables of random counts at least 101 are found.
var (
	wholeLimits   = limits{20, .5, 2.5, .1}
	dividedLimits = limits{40, .6, 1.5, .03}
)

// counts reports whether the whole numbers x, at least 0, are counts. A count that is expected to be e by
// the sizes of its row and column differs from e by √e, and by what tells rows apart, which is in a
// few directions. Of the rest, (v−e)²/e is about 1 for any e. That of lengths, prices or codes rises
// or falls with e, or has another size. Numbers may be counts if they are alike as far as they go, or if the
// smallest alone vary up to twice as much.
func counts(x *softkmeans.Matrix, l *limits) (are, mayBe bool) {
	most, often := slices.Max(x.Data), 0
	for _, v := range x.Data {
		if v < 0 || v != math.Trunc(v) {
			return false, false
		}
		if v == most {
			often++
		}
	}
	if most > 1<<53 || often > max(mostOften, len(x.Data)/1000) {
		return false, false
	}
	z, expected := surprises(x)
	if z == nil {
		return false, false
	}
	var sums, entries [64]float64
	for at, e := range expected.Data {
		if class := int(math.Floor(2 * math.Log10(e))); class >= 0 {
			sums[class] += z.Data[at] * z.Data[at]
			entries[class]++
		}
	}
	classes, small, near := 0, 0, false
	for class, n := range entries {
		if n < l.entries {
			continue
		}
		least := l.least
		if classes++; class < smallClasses {
			small++
		} else {
			least /= 2
		}
		e := math.Pow(10, float64(class+1)/2)
		switch like, most := sums[class]/n, l.most+l.varied*e; {
		case classes == 1 && like > most && like <= 2*most: // the smallest, of which few vary more
			near = true
		case like < least || like > most:
			return false, false
		}
	}
	are = !near && most >= leastMost && often <= mostOften && classes >= leastClasses && small >= leastSmall
	return are, !are && small > 0
}

// rareShare is the share of counts above 0 up to which [Words] takes them for counts of words.
const rareShare = .1

// Words reports whether entries, which may leave out zeros of so many in all, may be counts of words or of other
// rare events: whole numbers of at least 0, some above 1, most of them 0.
func Words(entries []float64, all int) bool {
	above, most := 0, 0.0
	for _, v := range entries {
		if v < 0 || v != math.Trunc(v) {
			return false
		}
		if most = max(most, v); v > 0 {
			above++
		}
	}
	return most > 1 && float64(above) <= rareShare*float64(all)
}

// surprises returns (v−e)/√e of some rows and columns, without their leading directions, and the e. Each
// is divided by the root of what the directions leave of its variance. It is nil for too few.
func surprises(x *softkmeans.Matrix) (z, expected *softkmeans.Matrix) {
	rows, columns, all := make([]float64, x.Rows), make([]float64, x.Cols), 0.0
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			rows[i] += v
			columns[j] += v
			all += v
		}
	}
	some, others := spaced(rows), spaced(columns)
	n, d := len(some), len(others)
	if min(n, d) < 4 {
		return nil, nil
	}
	z, expected = softkmeans.NewMatrix(n, d, nil), softkmeans.NewMatrix(n, d, nil)
	for a, i := range some {
		for b, j := range others {
			e := rows[i] / all * columns[j]
			expected.Set(a, b, e)
			z.Set(a, b, (x.At(i, j)-e)/math.Sqrt(e))
		}
	}
	gram := softkmeans.NewMatrix(n, n, nil)
	for a := range n {
		for b := range n {
			for j, v := range z.Row(a) {
				gram.Row(a)[b] += v * z.At(b, j)
			}
		}
	}
	energies, axes, err := softkmeans.EigenSym(gram)
	if err != nil {
		return nil, nil
	}
	tall, wide := slices.Repeat([]float64{1}, n), slices.Repeat([]float64{1}, d)
	for c := 0; c < min(n, d)/4 && energies[c] > 0; c++ {
		for j := range d {
			along := 0.0
			for i := range n {
				along += axes.At(i, c) * z.At(i, j)
			}
			wide[j] -= along * along / energies[c]
			for i := range n {
				z.Row(i)[j] -= axes.At(i, c) * along
			}
		}
		for i := range n {
			tall[i] -= axes.At(i, c) * axes.At(i, c)
		}
	}
	for i := range n {
		for j := range d {
			z.Row(i)[j] /= math.Sqrt(max(tall[i]*wide[j], .1))
		}
	}
	return z, expected
}

// spaced returns the places of at most mostLooked sizes above 0, evenly spaced.
func spaced(sizes []float64) (at []int) {
	for i, v := range sizes {
		if v > 0 {
			at = append(at, i)
		}
	}
	if n := len(at); n > mostLooked {
		for i := range mostLooked {
			at[i] = at[i*n/mostLooked]
		}
		at = at[:mostLooked]
	}
	return at
}
