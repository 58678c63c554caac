package kinds

// Tables that compare their rows with each other: similarities, distances, graphs.

import (
	"math"

	"softkmeans"
	"softkmeans/internal/la"
)

// Square reports whether x is a matrix that compares rows with each other: as many rows as columns, at least
// three, symmetric, and without a missing value.
func Square(x *softkmeans.Matrix) bool {
	n := x.Rows
	if n != x.Cols || n < 3 {
		return false
	}
	for i := range n {
		for j := range i + 1 {
			if x.At(i, j) != x.At(j, i) {
				return false
			}
		}
	}
	return true
}

// Content is what a square table seems to hold.
type Content int

const (
	Similarities Content = iota
	Distances
	Graph
)

// mostCompared is how many rows of a square table are compared to tell what it holds.
const mostCompared = 200

// Holds says what a square table seems to hold. With 0 on the diagonal, nothing below 0 and something above it is a
// graph if most entries are 0 or rows are more alike the larger the entry between them is, otherwise distances.
// On 49 tables of distances between rows of ten sets the entries and the differences of rows had a correlation
// of .58 to .98, on 20 graphs of −.93 to .00.
func Holds(x *softkmeans.Matrix) Content {
	zeros, top, n := 0, 0.0, x.Rows
	for i := range n {
		for j, v := range x.Row(i) {
			if v < 0 || i == j && v != 0 {
				return Similarities
			}
			if top = max(top, v); v == 0 && i != j {
				zeros++
			}
		}
	}
	if top == 0 {
		return Similarities
	}
	var entries, differences []float64
	for i := range min(n, mostCompared) {
		row := x.Row(i)
		for j, v := range row[:i] {
			difference := -2 * v / top // what its entries in the columns i and j add
			for c, w := range x.Row(j) {
				difference += math.Abs(w-row[c]) / top
			}
			entries, differences = append(entries, v/top), append(differences, difference)
		}
	}
	covariance, mean := 0.0, la.Sum(entries)/float64(max(1, len(entries)))
	for i, v := range entries {
		covariance += (v - mean) * differences[i]
	}
	if 2*zeros > n*(n-1) || covariance < 0 {
		return Graph
	}
	return Distances
}
