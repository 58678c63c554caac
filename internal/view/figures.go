package view

// Numbers as text.

import (
	"math"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
)

// Finite reports whether v is a number in range. It is not if it is NaN, infinite, or
// math.MaxFloat64, which stands for larger numbers.
func Finite(v float64) bool { return math.Abs(v) < math.MaxFloat64 }

// Share writes a share of the total variance in percent, or – if that is 0, as of equal rows, or out of range.
func Share(c softkmeans.Certificate, v float64) string {
	if !(c.Total > 0) || !Finite(c.Total) {
		return "–"
	}
	return Percent(v)
}

// Percent writes a share with three digits, and with four near 100 %. It writes 100 %
// only for a share of 1, to rounding; else at most "> 99.99 %".
func Percent(v float64) string {
	v *= 100
	if v < 0 && v > -.005 { // rounding
		v = 0
	}
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

// Number writes v with seven digits, so that objective and floor can be compared.
func Number(v float64) string {
	if !Finite(v) {
		return "above 1.79e308"
	}
	return strconv.FormatFloat(v, 'g', 7, 64)
}

// Small writes v with three digits.
func Small(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }

// Small6 writes v with six digits.
func Small6(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// Plain writes v with so many digits, and without an exponent where that is short.
func Plain(v float64, digits int) string {
	s := strconv.FormatFloat(v, 'g', digits, 64)
	if size := math.Abs(v); strings.Contains(s, "e") && size >= 1e-6 && size < 1e12 {
		v, _ = strconv.ParseFloat(s, 64)
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return s
}

// Above writes how far the error is above the proved floor at most, in shares of that, or –
// if it is 0 to rounding.
func Above(c softkmeans.Certificate) string {
	if !Finite(c.ExcessFloors()) || c.Floor <= 1e-6*c.Total { // in shares of nearly nothing
		return "–"
	}
	return More(c.ExcessFloors())
}

// More is Percent, but does not write a positive share as 0.
func More(v float64) string {
	if v > 0 && v < .5e-4 {
		return "less than 0.01 %"
	}
	return Percent(v)
}

// AtMost writes a bound with three digits, rounded up, or – if it is out of range.
func AtMost(v float64) string {
	if !(v < math.MaxFloat64) {
		return "–"
	}
	for up := v; ; up *= 1.001 {
		s := Small(up)
		if shown, _ := strconv.ParseFloat(s, 64); shown >= v {
			return s
		}
	}
}

// Count is "1 row", "2 rows".
func Count(n int, noun string) string { return table.Count(n, noun) }

// And is "a, b and c".
func And(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// Abridged lists names, shortened. Of more than eight it lists seven.
func Abridged(names []string) string {
	var list []string
	for i, name := range names {
		if i == 7 && len(names) > 8 {
			list = append(list, "…")
			break
		}
		list = append(list, table.Short(name, table.MostName))
	}
	return strings.Join(list, ", ")
}

// Prototypes is "1 prototype", "2 prototypes".
func Prototypes(k int) string { return Count(k, "prototype") }

// Unit is the unit of scaled values, in words; "" if columns are not scaled.
func Unit(s *scale.Scaling) string {
	switch scale.KindOf(s) {
	case scale.ZScore:
		return "standard deviations from the mean"
	case scale.MinMax:
		return "fraction of the column's range"
	case scale.Counts:
		return "share divided by the root of the column's mean"
	case scale.Sums:
		return "share of the row's sum"
	case scale.Words:
		return "log(1+count), by rarity"
	}
	return ""
}
