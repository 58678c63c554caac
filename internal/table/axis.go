package table

// Numbers that name columns or lines: wavelengths, sizes of grains, years.

import (
	"math"
	"slices"
)

// longAxis is how many numbers rise or fall at equal steps by no chance.
const longAxis = 8

// rises reports whether every number is above the one before it, but where detectors overlap.
func rises(numbers []float64) bool { return goes(numbers, 1, len(numbers)/16) }

// goes reports whether all numbers but so many, times sign, are above the one before.
func goes(numbers []float64, sign float64, most int) bool {
	out := 0
	for i := 1; i < len(numbers); i++ {
		if !(sign*numbers[i] > sign*numbers[i-1]) {
			out++
		}
	}
	return out <= most
}

// Ordered reports whether three numbers or more rise or fall.
func Ordered(numbers []float64) bool {
	return len(numbers) > 2 && (rises(numbers) || goes(numbers, -1, len(numbers)/16))
}

// ordered reports whether numbers rise, or whether many fall. Few fall in many a row.
func ordered(numbers []float64) bool {
	return rises(numbers) || len(numbers) >= longAxis && Ordered(numbers)
}

// even reports whether two numbers or more have steps that are equal to within rounding.
func even(numbers []float64) bool {
	n, off := len(numbers), 1.01*unit(numbers)
	step := (numbers[n-1] - numbers[0]) / float64(n-1)
	for i, v := range numbers {
		if !(math.Abs(v-numbers[0]-float64(i)*step) <= min(off, 0.2*math.Abs(step))) {
			return false
		}
	}
	return step != 0
}

// exactAxis reports whether longAxis numbers or more have steps that are equal to within rounding, and do not
// merely count.
func exactAxis(numbers []float64) bool {
	return len(numbers) >= longAxis && !Counts(numbers) && even(numbers)
}

// unit returns 10^-n for numbers of at most n decimals, 0.01 for 1.5 and 0.25.
func unit(numbers []float64) float64 {
	return math.Pow10(-slices.Max(append(mapped(numbers, decimals), 0)))
}

// Counts reports whether numbers count from 0 or 1.
func Counts(axis []float64) bool {
	n := len(axis)
	return n > 0 && (axis[0] == 0 || axis[0] == 1) && (n == 1 || axis[1] == axis[0]+1 && even(axis))
}

// regular reports whether the steps between numbers change slowly, as those of a grating do, but for joins
// and rounding.
func regular(axis []float64) bool {
	out, unit := 0, unit(axis)
	for i := 2; i < len(axis); i++ {
		last, step := axis[i-1]-axis[i-2], axis[i]-axis[i-1]
		if math.Abs(step-last) > max(0.25*math.Abs(last), min(1.01*unit, math.Abs(last))) {
			out++
		}
	}
	return out <= len(axis)/16*2
}

// IsAxis reports whether names are numbers that rise or fall, as wavelengths do, and do not merely count.
func IsAxis(names []string) bool {
	numbers := numbersOf(names)
	return len(names) >= 5 && len(numbers) == len(names) && ordered(numbers) && !Counts(numbers)
}

// numbersOf returns the numbers among names.
func numbersOf(names []string) (numbers []float64) {
	for _, name := range names {
		if v, err := parseFloat([]byte(name)); err == nil {
			numbers = append(numbers, v)
		}
	}
	return numbers
}

// years reports whether numbers may be years.
func years(axis []float64) bool {
	least, most := slices.Min(axis), slices.Max(axis)
	return least >= 1700 && most <= 2100 && (most-least) < float64(len(axis))
}
