package table

import "math"

// Standardize gives every column mean 0 and variance 1, in place, and returns
// what was subtracted and what was divided by. data is whole rows of cols finite
// values of any size. A constant column, up to 1e-14 of its mean, becomes 0, and its scale is 1.
func Standardize(data []float64, cols int) (mean, scale []float64) {
	mean, scale = make([]float64, cols), make([]float64, cols)
	if len(data) == 0 {
		return mean, scale
	}
	rows := float64(len(data) / cols)
	for j := range cols {
		var top float64
		for i := j; i < len(data); i += cols {
			top = max(top, math.Abs(data[i]))
		}
		_, e := math.Frexp(top) // squares of 1e200 are out of range
		var sum, rest, squares float64
		for i := j; i < len(data); i += cols {
			data[i] = math.Ldexp(data[i], -e)
			sum += data[i]
		}
		m := sum / rows
		for i := j; i < len(data); i += cols {
			rest += data[i] - m
		}
		m += rest / rows // without the rounding of a long sum
		for i := j; i < len(data); i += cols {
			squares += (data[i] - m) * (data[i] - m)
		}
		s := math.Sqrt(squares / rows)
		constant := s <= 1e-14*math.Abs(m) // but for the values' own rounding
		for i := j; i < len(data); i += cols {
			if constant {
				data[i] = 0
			} else {
				data[i] = (data[i] - m) / s
			}
		}
		mean[j], scale[j] = math.Ldexp(m, e), math.Ldexp(s, e)
		if constant {
			scale[j] = 1
		}
	}
	return mean, scale
}
