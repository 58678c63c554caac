package sources

// By how much columns count, which of them decide, and whether mixtures explain a table at all.

import (
	"math"
	"slices"
	"strconv"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/la"
	"softkmeans/internal/measure"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
)

// The sentences say what columns are divided by.
const (
	countsWords    = "the numbers are counts: columns are divided by the roots of their means"
	deviationWords = "columns are divided by the pooled standard deviations of the prototypes"
	spreadWords    = "columns are divided by the pooled spread of prototypes of one class"
	rowsWords      = "columns are divided by their standard deviations among the rows"
)

// ScaleWord is Scaled in a word, for JSON.
func (a *Answer) ScaleWord() string {
	return map[string]string{"": "none", countsWords: "counts", deviationWords: "pooled", spreadWords: "pooled",
		rowsWords: "zscore"}[a.Scaled]
}

// leastSpread is the least number of prototypes, beyond one a class, by which classes tell the spread of
// columns: the standard error of a variance is then at most half of it.
const leastSpread = 8

// divisors returns by what columns are divided, and says so; nil: by nothing. A column without a standard
// deviation leaves all as they are.
func (s *Sources) divisors(x *softkmeans.Matrix, how Scale, counts bool) (by []float64, words string) {
	switch n := s.Centers.Rows - len(s.Groups); {
	case how == ScaleRows:
		return scale.Of(scale.ZScore, x.Data, x.Cols, nil).Divisor, rowsWords
	case how == ScaleNone:
		return nil, ""
	case counts:
		return scale.Of(scale.Counts, x.Data, x.Cols, nil).Divisor, countsWords
	case s.SD != nil:
		by, words = roots(s.SD), deviationWords
	case s.columns != nil && n >= leastSpread:
		means, sizes := softkmeans.NewMatrix(len(s.Groups), x.Cols, nil), make([]float64, len(s.Groups))
		for i, c := range s.Class {
			sizes[c]++
			la.Axpy(means.Row(c), 1, s.Centers.Row(i))
		}
		left := s.Centers.Clone()
		for i, c := range s.Class {
			la.Axpy(left.Row(i), -1/sizes[c], means.Row(c))
		}
		by, words = roots(left), spreadWords
	}
	if by == nil || slices.Min(by) == 0 {
		return nil, ""
	}
	return by, words
}

// roots returns the root mean square of each column.
func roots(m *softkmeans.Matrix) []float64 {
	by := make([]float64, m.Cols)
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			by[j] = math.Hypot(by[j], v/math.Sqrt(float64(m.Rows)))
		}
	}
	return by
}

func mean(m *softkmeans.Matrix) []float64 {
	by := make([]float64, m.Cols)
	for i := range m.Rows {
		la.Axpy(by, 1/float64(m.Rows), m.Row(i))
	}
	return by
}

// mostWord is how many characters of a name a sentence has.
const mostWord = 40

// deciding is the share of the squared differences between prototypes from which a column decides shares.
const deciding = .9

// Decides says which column decides the shares, if one does and columns are not scaled; else "".
func (a *Answer) Decides() string {
	s := a.Mixer.Sources
	if a.Scaled != "" || len(s.columns) < 2 || s.Centers.Rows < 2 {
		return ""
	}
	by := roots(la.Centred(s.Centers, mean(s.Centers)))
	most := slices.Max(by)
	at, all := slices.Index(by, most), 0.0
	for _, v := range by {
		all += v / most * (v / most)
	}
	if !(all*deciding < 1) {
		return ""
	}
	share := strconv.Itoa(int(100/all)) + " %"
	if all == 1 {
		share = "all"
	}
	return "column " + table.Short(s.columns[at], mostWord) + " decides: " + share + " of the squared differences between " +
		"prototypes are in it"
}

// Mixtures do not explain a table if rows leave unexplained times their squared differences from their mean,
// or more, and a share commonly of that, or 10/n if this is more, is the same in all n rows. Of noise about
// 1/n is. Of 10 sets with their true prototypes, in 8 of mixtures and 2 images, rows leave up to .31 times
// that, and 1.02 times in one whose prototypes were measured apart (.91 is the same).
const unexplained, commonly = .5, .25

// far says that no mixtures explain the rows; "" if some do.
func (m *Mixer) far(r *Result, x *softkmeans.Matrix) string {
	same, mixed := make([]float64, x.Cols), make([]float64, x.Cols)
	var at []int
	for i, gap := range r.gaps {
		if !gap {
			at = append(at, i)
		}
	}
	n := float64(len(at))
	if n == 0 {
		return ""
	}
	middle, left, all := mean(draws.Chosen(x, at)), 0.0, 0.0
	for _, i := range at {
		measure.MixInto(mixed, r.Prototypes.Row(i), m.Centers)
		if r.Length != nil {
			la.Scale(r.Length[i], mixed)
		}
		la.Axpy(mixed, -1, x.Row(i))
		la.Axpy(same, 1/n, mixed)
		left, all = left+la.SumSquares(mixed), all+la.SquaredDistance(x.Row(i), middle)
	}
	if left < unexplained*all || n*la.SumSquares(same) < max(commonly, 10/n)*left || left == 0 {
		return ""
	}
	return "The table as a whole is not explained: rows are " + small(math.Sqrt(left/all)) + " times as far from " +
		"their mixtures as from their mean, and in the same direction."
}
