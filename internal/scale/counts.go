package scale

import (
	"math"
	"slices"
)

// Close divides each row by its sum, and returns the sums. A row of zeros stays. The sums are nil, and the
// rows as they were, if a value is missing or below 0.
func Close(data []float64, cols int) (sums []float64) {
	if Negative(data) >= 0 {
		return nil
	}
	for ; len(data) > 0; data = data[cols:] {
		sum := 0.0
		for _, v := range data[:cols] {
			sum += v
		}
		sums = append(sums, sum)
		if sum > 0 {
			for j := range data[:cols] {
				data[j] /= sum
			}
		}
	}
	return sums
}

// Times returns the weights of rows of so many counts: these times the weights that are given; nil: 1.
func Times(sizes, weights []float64) []float64 {
	sizes = slices.Clone(sizes)
	for i, w := range weights {
		sizes[i] *= w
	}
	return sizes
}

// ofClosed returns the scaling of closed rows of counts: each column is divided by the root of its mean,
// so that the shares of a row of size n vary by 1/√n. Rows of weight 0 and rows of zeros do not
// count; nil weights are all 1.
func ofClosed(data []float64, cols int, weights []float64) *Scaling {
	s := &Scaling{Kind: Counts, Shift: make([]float64, cols), Divisor: make([]float64, cols)}
	total := 0.0
	for i := 0; i*cols < len(data); i++ {
		w := weight(weights, i)
		for j, v := range data[i*cols : (i+1)*cols] {
			s.Divisor[j] += w * v
			total += w * v
		}
	}
	for j, v := range s.Divisor {
		if s.Divisor[j] = 1; v > 0 {
			s.Divisor[j] = math.Sqrt(v / total)
		}
	}
	return s
}
