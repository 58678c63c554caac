package scale

import (
	"math"
	"slices"
)

// OfWords returns the scaling of n rows of counts of words: a column is multiplied by log((1+N)/(1+df)) + 1,
// the rarity of a word that df of N rows contain. A row of weight 2 counts as two rows; nil weights are 1.
// row returns the entries of row i and their columns, as [Scaling.Words] takes them.
func OfWords(n, cols int, row func(i int) (counts []float64, index []int), weights []float64) *Scaling {
	s := &Scaling{Kind: Words, Shift: make([]float64, cols), Divisor: make([]float64, cols)}
	total := 0.0
	for i := range n {
		w := weight(weights, i)
		total += w
		counts, index := row(i)
		for t, v := range counts {
			if v > 0 {
				s.Divisor[columnOf(index, t)] += w
			}
		}
	}
	for j, have := range s.Divisor {
		s.Divisor[j] = 1 / (math.Log((1+total)/(1+have)) + 1)
	}
	return s
}

// columnOf returns the column of entry t of a row; a nil index has all columns.
func columnOf(index []int, t int) int {
	if index == nil {
		return t
	}
	return index[t]
}

// Words scales the entries of a row of counts, in place: log(1+count) times the rarity of the column, and the row
// to length 1. A row of zeros stays. index has the columns of the entries; nil: they are all columns.
func (s *Scaling) Words(row []float64, index []int) {
	square := 0.0
	for t, v := range row {
		row[t] = math.Log1p(v) / s.Divisor[columnOf(index, t)]
		square += row[t] * row[t]
	}
	if square > 0 {
		length := math.Sqrt(square)
		for t := range row {
			row[t] /= length
		}
	}
}

// WordRows scales rows of counts as Words does. It returns false, and leaves them, if an entry is missing or below 0.
func (s *Scaling) WordRows(data []float64) bool {
	if Negative(data) >= 0 {
		return false
	}
	for cols := len(s.Divisor); len(data) > 0; data = data[cols:] {
		s.Words(data[:cols], nil)
	}
	return true
}

// Negative returns the place of the first entry that is missing or below 0; −1: there is none.
func Negative(data []float64) int {
	return slices.IndexFunc(data, func(v float64) bool { return !(v >= 0) })
}
