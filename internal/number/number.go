// Package number reads decimal numbers from texts as float64, with the bits of strconv.ParseFloat.
//
// A number of 19 digits or fewer is an integer m times a power of ten. If m and the power are float64 exactly,
// one operation rounds once (W. D. Clinger, How to Read Floating Point Numbers Accurately, 1990). Otherwise, from
// 10⁻²⁷, m and the power of five are integers of 64 bits. Their quotient has 62 bits or more, the last of which
// says whether others follow, so that its conversion rounds correctly. strconv reads all other numbers.
package number

import (
	"bytes"
	"math"
	"math/bits"
	"strconv"
)

// Scan reads a number from text[i:] and returns where it ends. It is not ok if there is no number, or one
// that is not finite, or one in a form that only ParseFloat reads: names, underscores, hexadecimals.
func Scan(text []byte, i int) (v float64, end int, ok bool) {
	begin, negative := i, false
	if i < len(text) && (text[i] == '-' || text[i] == '+') {
		negative = text[i] == '-'
		i++
	}
	m, from := uint64(0), i
	for i < len(text) && text[i]-'0' <= 9 {
		m = 10*m + uint64(text[i]-'0')
		i++
	}
	digits, exponent := i-from, 0
	// a count before a delimiter
	if 0 < digits && digits <= 15 && i < len(text) && text[i] <= ',' && !negative {
		return float64(m), i, true
	}
	if i < len(text) && text[i] == '.' {
		i++
		point := i
		for i < len(text) && text[i]-'0' <= 9 {
			m = 10*m + uint64(text[i]-'0')
			i++
		}
		exponent = point - i
		digits += i - point
	}
	if digits == 0 {
		return 0, begin, false
	}
	if i < len(text) && text[i]|0x20 == 'e' {
		e, end := scanExponent(text, i+1)
		if end == 0 {
			return 0, begin, false
		}
		i, exponent = end, exponent+e
	}
	if digits <= 19 {
		if v, ok = decimal(m, exponent); ok {
			if negative {
				v = -v
			}
			return v, i, true
		}
	}
	v, err := strconv.ParseFloat(string(text[begin:i]), 64)
	return v, i, err == nil
}

// scanExponent reads the exponent at text[i:], after the e, and returns where it ends: 0 if it has no digits.
// It is at most 10000, beyond which strconv counts no more either.
func scanExponent(text []byte, i int) (e, end int) {
	sign := 1
	if i < len(text) && (text[i] == '-' || text[i] == '+') {
		sign = int(',') - int(text[i]) // the comma is between + and -
		i++
	}
	start := i
	for i < len(text) && text[i]-'0' <= 9 {
		e = min(10*e+int(text[i]-'0'), 1e4)
		i++
	}
	if i == start {
		return 0, 0
	}
	return sign * e, i
}

// Parse is strconv.ParseFloat without underscores and hexadecimals. Go writes
// numbers so, but in a table 2024_01 is a month or a name.
func Parse(text []byte) (float64, error) {
	if bytes.ContainsAny(text, "_xX") {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(string(text), 64)
}

// decimal is m·10^e, correctly rounded. It is not ok if e is below -27, or above 0 and not exact.
func decimal(m uint64, e int) (v float64, ok bool) {
	switch {
	case m == 0:
		return 0, true
	case m <= 1<<53 && -22 <= e && e <= 22:
		if e < 0 {
			return float64(m) / powersOfTen[-e], true
		}
		return float64(m) * powersOfTen[e], true
	case -27 <= e && e < 0:
		// m and d = 5^−e are scaled to lie in [2⁶³, 2⁶⁴). Then the quotient 2⁶³·m/d has 63 or 64 bits.
		d := powersOfFive[-e]
		lm, ld := bits.LeadingZeros64(m), bits.LeadingZeros64(d)
		m, d = m<<lm, d<<ld
		q, rest := bits.Div64(m>>1, m<<63, d)
		if rest != 0 {
			q |= 1 // below the bits that a float64 has
		}
		return float64(q) * math.Float64frombits(uint64(e-63+ld-lm+1023)<<52), true
	}
	return 0, false
}

// The powers of ten that are float64 exactly, and the powers of five of 64 bits.
var powersOfTen, powersOfFive = func() (ten [23]float64, five [28]uint64) {
	ten[0], five[0] = 1, 1
	for i := 1; i < len(five); i++ {
		if five[i] = 5 * five[i-1]; i < len(ten) {
			ten[i] = 10 * ten[i-1]
		}
	}
	return ten, five
}()
