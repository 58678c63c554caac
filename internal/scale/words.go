package scale

import "math"

// OfWords returns the scaling of counts of words: column j is multiplied by log((1+n)/(1+df[j])) + 1, the rarity
// of a word that df[j] of n rows have. [Scaling.Words] takes rows to what it is for.
func OfWords(n float64, df []float64) *Scaling {
	s := &Scaling{Kind: Words, Shift: make([]float64, len(df)), Divisor: make([]float64, len(df))}
	for j, have := range df {
		s.Divisor[j] = 1 / (math.Log((1+n)/(1+have)) + 1)
	}
	return s
}

// ofWordRows is [OfWords] of rows of cols counts each. A row of weight 2 counts as two rows; nil weights are
// all 1.
func ofWordRows(data []float64, cols int, weights []float64) *Scaling {
	n, df := 0.0, make([]float64, cols)
	for i := 0; i*cols < len(data); i++ {
		w := weight(weights, i)
		n += w
		for j, v := range data[i*cols : (i+1)*cols] {
			if v > 0 {
				df[j] += w
			}
		}
	}
	return OfWords(n, df)
}

// OfSparseWords is [OfWords] of rows of which row i has data[start[i]:start[i+1]] in the columns of index.
func OfSparseWords(start, index []int, data []float64, cols int, weights []float64) *Scaling {
	n, df := 0.0, make([]float64, cols)
	for i := range len(start) - 1 {
		w := weight(weights, i)
		n += w
		for t := start[i]; t < start[i+1]; t++ {
			if data[t] > 0 {
				df[index[t]] += w
			}
		}
	}
	return OfWords(n, df)
}

// Words scales the entries of a row of counts, in place: log(1+count) times the rarity of the column, and the row
// to length 1. A row of zeros stays. index has the columns of the entries; nil: they are all columns.
func (s *Scaling) Words(row []float64, index []int) {
	square := 0.0
	for t, v := range row {
		j := t
		if index != nil {
			j = index[t]
		}
		row[t] = math.Log1p(v) / s.Divisor[j]
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
	for i, v := range data {
		if !(v >= 0) {
			return i
		}
	}
	return -1
}
