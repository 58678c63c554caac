package table

// Decimal numbers to float64, with the bits of strconv.ParseFloat. A number of 19 digits or fewer is an
// integer m times a power of ten. If m and the power are float64 exactly, one operation rounds once (W. D.
// Clinger, How to Read Floating Point Numbers Accurately, 1990). Otherwise, from 10⁻²⁷, m and the power of
// five are integers of 64 bits, and integer arithmetic rounds their quotient correctly. strconv reads all
// other numbers.

import (
	"bytes"
	"math"
	"math/bits"
	"strconv"
)

// Scan reads a number from text[i:], for readers of other texts, and returns where it ends.
// It is not ok for what no table has: no number, one that is not finite, hexadecimals.
func Scan(text []byte, i int) (v float64, end int, ok bool) { return scan(text, i) }

// scan reads a number from text[i:] and returns where it ends. It is not ok if there is no number, or one
// that is not finite, or one in a form that only ParseFloat reads: names, underscores, hexadecimals.
func scan(text []byte, i int) (v float64, end int, ok bool) {
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
		for i+8 <= len(text) {
			eight, ok := digits8(text[i : i+8])
			if !ok {
				break
			}
			m = 1e8*m + eight
			i += 8
		}
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

// scanExponent reads the exponent at text[i:], after the e, and returns where it ends: 0 if it has no digits. It is
// at most 10000, beyond which strconv counts no more either.
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

// parseFloat is strconv.ParseFloat without underscores and hexadecimals. Go writes
// numbers so, but in a table 2024_01 is a month or a name.
func parseFloat(text []byte) (float64, error) {
	if bytes.ContainsAny(text, "_xX") {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(string(text), 64)
}

// digits8 is the number in eight characters. It is not ok if one is no digit.
func digits8(b []byte) (v uint64, ok bool) {
	_ = b[7]
	w := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
	// A digit is 0x30 to 0x39: its upper half is 3, also after 6 is added.
	if w&0xf0f0f0f0f0f0f0f0 != 0x3030303030303030 ||
		(w+0x0606060606060606)&0xf0f0f0f0f0f0f0f0 != 0x3030303030303030 {
		return 0, false
	}
	// Neighbors become 4 numbers of two digits, then 2 of four, then 1 of eight.
	w = w & 0x0f0f0f0f0f0f0f0f * (10<<8 + 1) >> 8
	w = w & 0x00ff00ff00ff00ff * (100<<16 + 1) >> 16
	w = w & 0x0000ffff0000ffff * (10000<<32 + 1) >> 32
	return w, true
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
		return rounded(q, rest != 0, e-63+ld-lm), true
	}
	return 0, false
}

// rounded is q·2^e rounded to the nearest float64, to even at a tie. With more, the
// number is above q·2^e by less than 2^e. q must not be 0, and with more it must have
// 55 bits at least. The result must be a normal float64.
func rounded(q uint64, more bool, e int) float64 {
	l := bits.LeadingZeros64(q)
	q, e = q<<l, e-l
	m, cut := q>>11, q<<53
	const half = 1 << 63
	if cut > half || cut == half && (more || m&1 == 1) {
		m++ // 2⁵³ carries into the exponent, as it must
	}
	return math.Float64frombits(uint64(e+63+1022)<<52 + m)
}

var powersOfTen = [23]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

var powersOfFive = func() (p [28]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = 5 * p[i-1]
	}
	return p
}()
