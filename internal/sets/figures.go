package sets

import (
	"slices"
	"strconv"
	"strings"
)

// Share writes a number from 0 to 1 with three digits: .954.
func Share(v float64) string {
	return strings.TrimPrefix(strconv.FormatFloat(v, 'f', 3, 64), "0")
}

// Median returns the median of one value or more.
func Median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}
