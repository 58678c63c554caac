package view

// Figures as people read them.

import (
	"math"
	"strconv"

	"softkmeans"
)

// Finite reports whether v is a number in range: what is not is NaN, infinite, or
// the math.MaxFloat64 that stands for more than a float64 can hold.
func Finite(v float64) bool { return math.Abs(v) < math.MaxFloat64 }

// HasTotal reports whether there is a total variance to take shares of: it is 0
// where all rows are equal, and MaxFloat64 where it is out of range.
func HasTotal(c softkmeans.Certificate) bool { return c.Total > 0 && Finite(c.Total) }

// Share is a share of the total variance in percent, – where there is none to
// take shares of.
func Share(c softkmeans.Certificate, v float64) string {
	if !HasTotal(c) {
		return "–"
	}
	return Percent(v)
}

// Percent has three digits, more where it is short of 100, which it does not show
// for less, but for rounding. A share of 1 needs no decimals.
func Percent(v float64) string {
	v *= 100
	decimals := 2
	switch {
	case v >= 99.995 && v < 100-1e-9:
		return "> 99.99 %"
	case math.Abs(v) >= 99.995:
		decimals = 0
	case math.Abs(v) >= 99.95:
	case math.Abs(v) >= 9.995:
		decimals = 1
	}
	return strconv.FormatFloat(v, 'f', decimals, 64) + " %"
}

// Number has seven digits, so that objective and floor can be compared.
func Number(v float64) string {
	if !Finite(v) {
		return "above 1.79e308"
	}
	return strconv.FormatFloat(v, 'g', 7, 64)
}

// Small has three digits.
func Small(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }

// Above is how far the error is above the floor, in shares of the floor; – where
// that is 0.
func Above(c softkmeans.Certificate) string {
	switch {
	case c.Optimal(CertifiedTol):
		return "0 %"
	case c.Floor > 1e-12*c.Total && HasTotal(c):
		return more(c.Objective/c.Floor - 1)
	}
	return "–"
}

// more does not show as 0 what is not.
func more(v float64) string {
	if v > 0 && v < .5e-4 {
		return "less than 0.01 %"
	}
	return Percent(v)
}

// Gap does not show the digits of rounding.
func Gap(c softkmeans.Certificate) string {
	if math.Abs(c.Gap) < 1e-12 {
		return "0, to rounding"
	}
	return Small(c.Gap)
}

// Count is a number of things.
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// Classes is a number of them.
func Classes(n int) string {
	if n == 1 {
		return "1 class"
	}
	return strconv.Itoa(n) + " classes"
}

// Prototypes is a number of them.
func Prototypes(k int) string { return Count(k, "prototype") }
